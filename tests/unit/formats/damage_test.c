/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"

/*
 * Files with bytes changed where it leads far: reading them never crashes and always ends with a
 * status; what is refused has a finding that says where (reading.c asserts the finding). Cuts and
 * changes anywhere are in tests/robust.
 */

static void check(const char *name, size_t at, const char *bytes, size_t size) {
    struct reading r;
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.deep = true;
    /* A copy of the exact size, so that a sanitizer sees a step over its end. */
    char *copy = malloc(size > 0 ? size : 1);
    cr_assert_not_null(copy);
    memcpy(copy, bytes, size);
    read_bytes(&r, copy, size, &options);
    bool positioned = r.status == SIGNET_OK || r.status == SIGNET_E_VERSION;
    for (uint32_t i = 0; i < r.count && i < READING_MOST; i++) {
        positioned = positioned || r.seen[i].has_byte;
    }
    cr_expect(positioned, "%s, byte %zu: no position: %s", name, at, reading_text(&r));
    cr_expect_neq(r.status, SIGNET_E_INVALID_ARG, "%s, byte %zu", name, at);
    cr_expect_neq(r.status, SIGNET_E_IO, "%s, byte %zu", name, at);
    reading_end(&r);
    free(copy);
}

/* The numbers of the directory and of the headers, which lead everywhere. */
Test(damage, changed_directory) {
    size_t size;
    char *bytes = data_bytes("counter_2.13.0.pt2", &size);
    size_t directory = size - 1200; /* about the central directory and the end records */
    for (size_t at = directory; at < size; at++) {
        static const unsigned char values[] = {0, 1, 0x7f, 0xff};
        char old = bytes[at];
        for (size_t i = 0; i < sizeof(values); i++) {
            bytes[at] = (char)values[i];
            check("directory", at, bytes, size);
        }
        bytes[at] = old;
    }
    free(bytes);
}

/* Pieces of one file in the place of others: brackets and quotes that no longer pair. */
Test(damage, moved_pieces) {
    uint32_t state = 99;
    size_t size;
    char *bytes = data_bytes("small.json", &size);
    char *copy = malloc(size);
    cr_assert_not_null(copy);
    for (int round = 0; round < 1500; round++) {
        memcpy(copy, bytes, size);
        state = state * 1664525U + 1013904223U;
        size_t from = (state >> 8) % size;
        state = state * 1664525U + 1013904223U;
        size_t to = (state >> 8) % size, length = 1 + (state >> 4) % 40;
        length = from + length <= size && to + length <= size ? length : 1;
        memcpy(copy + to, bytes + from, length);
        check("small.json", to, copy, size);
    }
    free(copy);
    free(bytes);
}
