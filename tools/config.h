/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CONFIG_H
#define TOOLS_CONFIG_H

/* signet.toml: severities of codes, and findings that are ignored for a reason. */

#include "io.h"

/* [[ignore]] */
struct ignore {
    char *code;   /* or family */
    char *file;   /* glob, or null */
    char *target; /* glob, or null */
    char *reason;
    uint32_t line;
};

struct config {
    char *path;   /* null: there is none */
    char *folder; /* the real path of where it lies; globs of files start there */
    struct config_severity {
        char *pattern;
        signet_severity severity;
    } * severities;
    size_t severity_count;
    struct ignore *ignores;
    size_t ignore_count;
};

/* Reads the file; null: looks for signet.toml in the current folder and those around it, and there
 * need be none. false: after a message. */
bool config_read(struct config *c, const char *path);
void config_free(struct config *c);

/* Does the ignore belong to a file, as it is called on the command line? */
bool config_has_file(const struct config *c, const struct ignore *ignore, const char *path);
/* The first ignore that a finding in that file matches; ignore_count: none. */
size_t config_find_ignore(const struct config *c, const signet_diag *diag, const char *path);

#endif
