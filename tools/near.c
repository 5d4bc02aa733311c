/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <string.h>

enum { LONGEST = 64 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edits (insert, remove, change, swap of neighbours) that make one word of the other. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        last[j] = j;
        before[j] = 0;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(last[j], row[j - 1]) + 1;
            row[j] = least(row[j], last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
        size_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[b_length];
}

void near_try(struct near *near, const char *candidate) {
    size_t length = strlen(near->word), other = strlen(candidate);
    if (length > LONGEST || other > LONGEST) {
        return;
    }
    size_t most = length < 6 ? (length > 2 ? 2 : 1) : length / 3;
    size_t distance = edit_distance(near->word, length, candidate, other);
    if (distance <= most && distance < other && (near->best == NULL || distance < near->distance)) {
        near->best = candidate;
        near->distance = distance;
    }
}

void near_hint(struct text *t, const struct near *near) {
    if (near->best != NULL) {
        text_format(t, "; did you mean '%s'?", near->best);
    }
}
