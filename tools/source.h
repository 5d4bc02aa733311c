/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H

/* Getting at a program: a file or standard input, with what --with and --body add to it. */

#include "options.h"

struct body_option {
    const char *delegate; /* up to '=' */
    size_t delegate_length;
    const char *path;
};

struct source_options {
    signet_carrier from;
    bool deep;
    bool list_limits;
    signet_limits limits;
    const char *with;
    struct body_option *bodies;
    size_t body_count;
};
struct source_options source_options_default(void);
void source_options_free(struct source_options *o);
bool source_options_take(struct source_options *o, int key, const char *argument);
/* Prints the limits when they were asked for: true, and the command is done. */
bool source_options_help(const struct source_options *o, enum status *status);

/* What was read. Trouble is text for standard error. */
struct source {
    signet_package *package; /* null: there is none */
    signet_status read;      /* what reading said */
    enum status status;      /* without the findings */
    struct text trouble;
};

/* Reads FILE ("-": standard input) and adds what the options add. Thread-safe, except that only one
 * may read standard input. @param base the package of --with, or null. */
void source_read(struct source *source, const struct source_options *o, const char *path,
                 const signet_package *base, const signet_sink *sink);
void source_free(struct source *source);

/* Reads the archive of --with, if there is one, into *base. Its own faults are for a lint of it. */
enum status source_read_base(const struct source_options *o, struct source *base);

/* For commands that show a program: reads one file, and says what went wrong on standard error.
 * *status is what the command ends with when nothing else goes wrong; null when there is nothing to
 * show. The caller owns the package. */
signet_package *source_read_one(const struct source_options *o, const char *path,
                                enum status *status);

/* One FILE out of what is left of the arguments; none is standard input unless that is a terminal.
 * Null, after a message, when it is not one. */
const char *source_one_file(const struct command *command, int count, char **files);

/* How a file is called in messages. */
const char *source_name(const char *path);

/* Can a command that takes several files take these? If not, a message says why. */
bool source_files_are_right(const struct source_options *o, const char *command, int count,
                            char **files);

#endif
