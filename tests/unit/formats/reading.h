/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_FORMATS_READING_H
#define TEST_FORMATS_READING_H

/* Reading files of tests/data/pt2, and changed copies of them, with what the reader had to say. */

#include "signet/signet.h"

#define READING_MOST 64

struct seen {
    signet_code code;
    signet_severity severity;
    char message[320], path[160], entry[96], item[96], help[160], fact[320];
    bool has_byte;
    uint64_t byte;
};

struct reading {
    signet_package *p;
    signet_status status;
    struct seen seen[READING_MOST]; /* the first findings */
    uint32_t count;                 /* of all */
    uint32_t errors, warnings, notes;
};

/* All of these end with reading_end. options may be null. */
void read_bytes(struct reading *r, const void *data, size_t size,
                const signet_read_options *options);
void read_path(struct reading *r, const char *path, const signet_read_options *options);
void read_data(struct reading *r, const char *name); /* of tests/data/pt2 */
void reading_end(struct reading *r);

/* The first finding of that code, or null. */
const struct seen *reading_find(const struct reading *r, signet_code code);
uint32_t reading_count(const struct reading *r, signet_code code);
/* Every finding but notes, one a line, for messages of assertions. */
const char *reading_text(const struct reading *r);

/* The bytes of a file of tests/data/pt2; free() ends them. */
char *data_bytes(const char *name, size_t *size);
void data_path(char *out, size_t size, const char *name);
/* A copy of the text with the n-th occurrence (from 1) of `from` replaced; asserts that it is
 * there. free() ends it. */
char *replaced(const char *text, const char *from, uint32_t n, const char *to);

#endif
