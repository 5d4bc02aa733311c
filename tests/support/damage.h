/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SUPPORT_DAMAGE_H
#define TEST_SUPPORT_DAMAGE_H

/* Damaged copies of files: cut off, and with changed bytes; the same ones on every machine. */

#include <stddef.h>
#include <stdint.h>

/* The copy has exactly that size, so that a sanitizer sees a step over its end. */
typedef void (*test_damaged)(const char *what, const char *bytes, size_t size, void *user);

/* Every prefix whose length is a multiple of step. Returns how many. */
size_t test_cut_off(const char *bytes, size_t size, size_t step, test_damaged visit, void *user);
/* Copies with one to four changed bytes: to any, to its neighbour, to one bit other, or to one that
 * syntax is made of. */
size_t test_changed(const char *bytes, size_t size, size_t rounds, uint64_t seed,
                    test_damaged visit, void *user);

#endif
