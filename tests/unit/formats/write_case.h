/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_WRITE_CASE_H
#define TEST_WRITE_CASE_H

/* What the tests of writers share. */

#include "base/text.h"
#include "signet/signet.h"

/* Contents of a file below the root of the sources. */
void case_load(struct sg_text *t, const char *path);
/* A writer that gathers in a text. */
signet_writer case_writer(struct sg_text *t);
/* A writer that stops: at the first piece that would make more than *left bytes. */
signet_writer case_stopper(size_t *left);
/* Reads from memory; asserts that it can be read. */
signet_package *case_read(const struct sg_text *t, const char *name);
/* Asserts that the packages are equal, SIGNET_EQUAL_EXACT. */
void case_equal(const signet_package *a, const signet_package *b, const char *what);

#endif
