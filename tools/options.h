/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

/*
 * Subcommands and options as tables: getopt's arrays, help and hints for misspelt words are all
 * made from them. An option that several subcommands have is one row here.
 */

#include "io.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Options are told apart by these; letters are short options too. */
enum option_key {
    KEY_HELP = 'h',
    KEY_OUTPUT = 'o',
    KEY_JOBS = 'j',
    KEY_QUIET = 'q',
    KEY_LONG_HELP = 256,
    KEY_COLOR,
    KEY_FROM,
    KEY_LIMIT,
    KEY_DEEP,
    KEY_WITH,
    KEY_BODY,
    KEY_FORMAT,
    KEY_SELECT,
    KEY_IGNORE,
    KEY_ERROR,
    KEY_WARN,
    KEY_NOTE,
    KEY_FAIL_ON,
    KEY_STAGE,
    KEY_PROFILE,
    KEY_NOTES,
    KEY_STATISTICS,
    KEY_OPERATORS,
    KEY_JSON,
    KEY_ALL,
    KEY_MARKDOWN,
    KEY_AS,
    KEY_PROGRAM,
    KEY_TO,
    KEY_BASE,
    KEY_REWRITE,
    KEY_SVG,
    KEY_EXACT,
    KEY_STRUCTURAL,
    KEY_TOLD,
    KEY_BASELINE,
    KEY_WRITE_BASELINE,
    KEY_CONFIG,
    KEY_ISOLATED
};

struct option_row {
    int key;
    const char *name;
    const char *argument; /* null: it takes none */
    const char *text;
};

struct option_group {
    const char *title;             /* null: not in the help */
    const struct option_row *rows; /* ended by a row without a name */
};

struct command {
    const char *name;
    const char *usage; /* what follows the name */
    const char *title; /* one line */
    const char *about; /* paragraphs of --help */
    const char *examples;
    const struct option_group *groups; /* ended by a group without rows */
    enum status (*run)(int argc, char **argv);
};

extern const struct command command_lint, command_show, command_state, command_print,
    command_convert, command_hash, command_diff, command_dot, command_explain, command_completion;
/* All of them, in the order of the help; ended by null. */
extern const struct command *const commands[];

extern const struct option_row options_of_reading[], options_of_output[];
/* Where --as cannot mean the form of the result, it may be said for --from. */
extern const struct option_row options_as_from[];

/* ---- Parsing --------------------------------------------------------------------------------- */

/* Takes one option of the command; false: it was wrong, and a message has said so. */
typedef bool option_taker(void *user, int key, char *argument);

enum parsed { PARSED, PARSED_HELP, PARSED_WRONG };

/* Parses the options of a subcommand; argv[0] is its name. The files stand at argv[*first] and
 * after. Help goes to standard output; *status is set where the result is not PARSED. */
enum parsed options_parse(const struct command *command, int argc, char **argv, option_taker *take,
                          void *user, int *first, enum status *status);

/* What every subcommand has. */
struct output_options {
    enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
    struct out out;
};
bool output_options_take(struct output_options *o, int key, const char *argument);
bool output_options_color(const struct output_options *o);

/* A word out of a list; messages name the option and the list. */
struct word {
    const char *name;
    int value;
};
bool option_word(const char *option, const char *argument, const struct word *words, int *value);

/* Prints the help of a subcommand; `full` is --help. */
void help_command(struct text *t, const struct command *command, bool full);
/* The page of the manual, in roff. */
void help_man(struct text *t);

/* ---- Near names ------------------------------------------------------------------------------ */

/* Finds the candidate that a misspelt word probably meant. */
struct near {
    const char *word;
    const char *best; /* null: none is near */
    size_t distance;
};
void near_try(struct near *near, const char *candidate);
/* "; did you mean '...'?" or nothing. */
void near_hint(struct text *t, const struct near *near);

#endif
