/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_IO_H
#define TOOLS_IO_H

/*
 * Text and files of the command: a growing text, escaping, the one place that writes results, and
 * messages about trouble. Running out of memory ends the command with STATUS_LIMIT.
 */

#include <signet/signet.h>

/* What the command says by its exit status. */
enum status {
    STATUS_OK = 0,
    STATUS_FINDINGS = 1, /* at or above the threshold */
    STATUS_USE = 2,      /* wrong use, unreadable input, unwritable output: nothing was decided */
    STATUS_LIMIT = 3,    /* a limit was reached, or memory ran out: undecided */
    STATUS_FAULT = 4     /* a fault in Signet */
};

/* The worse of two, in the order 4, 2, 3, 1, 0. */
enum status status_worse(enum status a, enum status b);
enum status status_of(signet_status status);

/* ---- Text ------------------------------------------------------------------------------------ */

struct text {
    char *data; /* NUL-terminated, or null while empty */
    size_t length, capacity;
};

void text_add(struct text *t, const char *data, size_t length);
void text_put(struct text *t, const char *string);
void text_format(struct text *t, const char *format, ...) SIGNET_PRINTF(2, 3);
/* A string of a file for a terminal: control characters, invisible ones that change how text reads
 * and bytes that are no UTF-8 are escaped. */
void text_escaped(struct text *t, signet_string s);
/* The same as a JSON string, with its quotes; null where the string is absent. */
void text_json(struct text *t, signet_string s);
/* The same as the value of an XML attribute, with its quotes. */
void text_xml(struct text *t, const char *string);
void text_free(struct text *t);
/* Columns on a terminal, for text that was escaped. */
size_t text_columns(const char *data, size_t length);
/* A writer of the library that adds to @p t. */
signet_writer text_writer(struct text *t);

/* Memory that is there. */
void *memory(void *old, size_t count, size_t size);
/* The same, full of zeros; count may be 0. */
void *zeros(size_t count, size_t size);

/* ---- Output ---------------------------------------------------------------------------------- */

struct out {
    struct text text;
    const char *path; /* null: standard output */
    bool failed;
};

/* Writes what has gathered; a file named by --output is written by out_close alone, so that it
 * stays as it was when the command fails before. */
void out_flush(struct out *out);
/* Writes the rest and frees. STATUS_USE, after a message, when anything could not be written. */
enum status out_close(struct out *out);
/* Is the output a terminal? */
bool out_is_terminal(const struct out *out);
uint32_t out_width(const struct out *out);

/* ---- Trouble --------------------------------------------------------------------------------- */

/* "signet: ..." on standard error, one line. */
void trouble(const char *format, ...) SIGNET_PRINTF(1, 2);
/* The same, kept for later. */
void trouble_add(struct text *t, const char *format, ...) SIGNET_PRINTF(2, 3);
void trouble_flush(struct text *t);

/* ---- Input ----------------------------------------------------------------------------------- */

/* Makes descriptors 0 to 2 exist, so that no file that is opened later takes their place, and turns
 * a closed pipe into an error of write. */
void io_init(void);

/* Reads what is left of a descriptor, at most @p most + 1 bytes. false: errno says why. */
bool read_all(int fd, uint64_t most, struct text *t);

#endif
