/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/damage.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *bytes, size_t size) {
    char *copy = malloc(size > 0 ? size : 1);
    cr_assert_not_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

size_t test_cut_off(const char *bytes, size_t size, size_t step, test_damaged visit, void *user) {
    size_t count = 0;
    for (size_t length = 0; length < size; length += step, count++) {
        char what[64];
        char *copy = copy_of(bytes, length);
        snprintf(what, sizeof(what), "cut off at %zu", length);
        visit(what, copy, length, user);
        free(copy);
    }
    return count;
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static char changed(char old, uint64_t *state) {
    static const char syntax[] = "\0\n\"'\\%@#{}[]()=:;,.~!?-+019azf \xff\x80";
    switch (next_random(state) % 4) {
    case 0:
        return (char)next_random(state);
    case 1:
        return (char)(old + (next_random(state) % 2 == 0 ? 1 : -1));
    case 2:
        return (char)(old ^ (1 << next_random(state) % 8));
    default:
        return syntax[next_random(state) % (sizeof(syntax) - 1)];
    }
}

size_t test_changed(const char *bytes, size_t size, size_t rounds, uint64_t seed,
                    test_damaged visit, void *user) {
    uint64_t state = seed;
    char *copy = copy_of(bytes, size);
    for (size_t round = 0; round < rounds && size > 0; round++) {
        char what[160];
        size_t at[4];
        size_t count = 1 + round % 4;
        int used = snprintf(what, sizeof(what), "round %zu, bytes", round);
        for (size_t k = 0; k < count; k++) {
            at[k] = next_random(&state) % size;
            copy[at[k]] = changed(copy[at[k]], &state);
            used += snprintf(what + used, sizeof(what) - (size_t)used, " %zu", at[k]);
        }
        visit(what, copy, size, user);
        for (size_t k = 0; k < count; k++) {
            copy[at[k]] = bytes[at[k]];
        }
    }
    free(copy);
    return rounds;
}
