/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASELINE_H
#define TOOLS_BASELINE_H

/* Findings that are known: a JSON file of how often each was found in each file. */

#include "io.h"

struct known {
    const char *file; /* as on the command line */
    uint64_t fingerprint;
    const char *code;
    const char *message; /* for people who read the file */
    uint64_t count;
};

struct baseline {
    struct known *rows; /* by file and fingerprint */
    size_t count;
    void *document; /* holds the texts; null: they are freed one by one */
};

/* false: after a message. */
bool baseline_read(struct baseline *b, const char *path);
/* Adds one finding of a file; texts are copied. */
void baseline_add(struct baseline *b, const char *file, const signet_diag *diag);
/* Takes the rows of another one, which is empty then. */
void baseline_take(struct baseline *b, struct baseline *from);
/* Writes it, sorted, with equal rows as one. */
enum status baseline_write(struct baseline *b, const char *path);
/* The row of a finding in a file; count: there is none. */
size_t baseline_find(const struct baseline *b, const char *file, uint64_t fingerprint);
void baseline_free(struct baseline *b);

#endif
