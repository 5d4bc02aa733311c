/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FORMATS_PRINTED_CASE_H
#define TESTS_UNIT_FORMATS_PRINTED_CASE_H

/* A printed program that was read, with what the reader said. */

#include "base/diag.h"
#include "base/text.h"
#include "formats/formats_internal.h"
#include "signet/formats.h"

struct printed_case {
    signet_package *p;
    signet_status status;
    uint32_t findings;
    struct sg_text said; /* "LINE:COLUMN CODE MESSAGE\n" each */
};

/* Reads text; free it with printed_case_free. The package is there whatever the status is. */
struct printed_case printed_case_read(const char *text);
struct printed_case printed_case_read_piece(const char *text, size_t length,
                                            const signet_limits *limits);
/* A file below tests/data. */
struct printed_case printed_case_read_file(const char *name);
void printed_case_free(struct printed_case *c);

/* A program around statements that end in a return: one class without parameters but `params`,
 * and a signature that fits nothing. */
struct printed_case printed_case_graph(const char *params, const char *statements);

/* The content of a file below tests/data, or of a path of its own; freed with free(). Null: there
 * is none. */
char *printed_case_load(const char *name, size_t *length);
/* How PyTorch would print the first program. Owned by the caller (sg_text_free). */
struct sg_text printed_case_print(const signet_package *p);

signet_graph printed_case_top(const struct printed_case *c);
/* The i-th node of a graph. */
signet_node printed_case_node(const struct printed_case *c, signet_graph graph, uint32_t i);

#endif
