/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_BASE_TEXT_H
#define SG_BASE_TEXT_H

/* Text: a growing buffer, numbers as Python spells them, near names, UTF-8. */

#include <stdarg.h>

#include "base/alloc.h"

/* A growing, always NUL-terminated buffer. Failure sticks: check `failed` once at the end. */
struct sg_text {
    const signet_allocator *allocator;
    char *data; /* may be null while length is 0 */
    size_t length, capacity;
    bool failed;
};

void sg_text_init(struct sg_text *t, const signet_allocator *a);
void sg_text_free(struct sg_text *t);
void sg_text_clear(struct sg_text *t);
void sg_text_put(struct sg_text *t, const char *data, size_t length);
void sg_text_puts(struct sg_text *t, const char *text);
void sg_text_putc(struct sg_text *t, char c);
void sg_text_string(struct sg_text *t, signet_string s);
void sg_text_int(struct sg_text *t, int64_t v);
void sg_text_uint(struct sg_text *t, uint64_t v);
/* Shortest digits that read back as the same double, in the form of Python's repr: 1.0, 1e-05,
 * 1e+16, inf, -inf, nan. Independent of the locale. */
void sg_text_double(struct sg_text *t, double v);
void sg_text_printf(struct sg_text *t, const char *format, ...) SIGNET_PRINTF(2, 3);
void sg_text_vprintf(struct sg_text *t, const char *format, va_list args) SIGNET_PRINTF(2, 0);
/* Backslashes, the quote (0: none), control and invisible characters, and bytes that are no UTF-8
 * escaped as \\, \', \n, \r, \t, \xNN (a byte) and \uNNNN; for quoting names of untrusted files.
 * Adds no quotes around it. */
void sg_text_escaped(struct sg_text *t, signet_string s, char quote);

/* Reads a decimal integer that fills the whole text. false: it is none, or does not fit. */
bool sg_parse_int(signet_string s, int64_t *out);
/* Reads a double (JSON's and Python's spellings, inf and nan too) that fills the whole text of less
 * than 512 bytes. Independent of the locale. */
bool sg_parse_double(signet_string s, double *out);

bool sg_string_equal(signet_string a, signet_string b); /* absent equals only absent */
bool sg_string_is(signet_string a, const char *literal);
bool sg_string_starts(signet_string a, const char *prefix);
bool sg_string_ends(signet_string a, const char *suffix);
/* Offset of the first byte that is no UTF-8, or length. */
size_t sg_utf8_check(const char *data, size_t length);
/* Bytes of the first character (length > 0), or 0 when it is no UTF-8; *code_point is the byte
 * then. */
size_t sg_utf8_next(const char *data, size_t length, uint32_t *code_point);
/* Where the character begins that byte `at` is part of; at itself when it is no UTF-8 there. */
size_t sg_utf8_start(const char *data, size_t length, size_t at);
/* How the first character of a text (length > 0) is shown: itself, or an escape (see
 * sg_text_escaped) where it would not be seen or would upset a terminal. */
struct sg_shown {
    char text[8]; /* not NUL-terminated */
    size_t length;
    size_t columns;
    size_t bytes; /* of the text that was given */
};
struct sg_shown sg_utf8_shown(const char *data, size_t length);
/* Edit distance, at most `most` + 1 (then it stops counting). Names longer than 128 bytes give
 * most + 1. */
uint32_t sg_edit_distance(signet_string a, signet_string b, uint32_t most);

#endif
