/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Longer cells push the rest of their row to the right, and no other row. */
enum { WIDEST = 48 };

void table_end_cell(struct table *t) {
    if (t->count == t->capacity) {
        t->capacity = t->capacity == 0 ? 64 : t->capacity * 2;
        t->ends = memory(t->ends, t->capacity, sizeof(*t->ends));
    }
    t->ends[t->count++] = t->cells.length;
}

void table_cell(struct table *t, const char *text) {
    text_put(&t->cells, text);
    table_end_cell(t);
}

void table_string(struct table *t, signet_string s) {
    if (s.data == NULL) {
        text_put(&t->cells, "-");
    } else {
        text_escaped(&t->cells, s);
    }
    table_end_cell(t);
}

void table_number(struct table *t, uint64_t number) {
    text_format(&t->cells, "%" PRIu64, number);
    table_end_cell(t);
}

static const char *cell_at(const struct table *t, size_t i, size_t *length) {
    size_t from = i > 0 ? t->ends[i - 1] : 0;
    *length = t->ends[i] - from;
    return t->cells.data + from;
}

static void measure(const struct table *t, size_t *width) {
    for (size_t i = 0; i < t->count; i++) {
        size_t length = 0;
        const char *cell = cell_at(t, i, &length);
        size_t columns = text_columns(cell, length);
        size_t *w = &width[i % t->columns];
        if (columns > *w) {
            *w = columns < WIDEST ? columns : WIDEST;
        }
    }
}

static void pad(struct text *out, size_t columns) {
    text_format(out, "%*s", (int)columns, "");
}

void table_print(struct table *t, struct text *out) {
    size_t width[TABLE_COLUMNS] = {0};
    measure(t, width);
    size_t gap = 0; /* owed before the next cell, so that no row ends in blanks */
    for (size_t i = 0; i < t->count; i++) {
        size_t length = 0, column = i % t->columns;
        const char *cell = cell_at(t, i, &length);
        size_t columns = text_columns(cell, length);
        size_t free_columns = width[column] > columns ? width[column] - columns : 0;
        gap += (column == 0 ? t->indent : 2) + (t->right[column] ? free_columns : 0);
        if (length > 0) {
            pad(out, gap);
            text_add(out, cell, length);
            gap = 0;
        }
        gap += t->right[column] ? 0 : free_columns;
        if (column + 1 == t->columns) {
            text_put(out, "\n");
            gap = 0;
        }
    }
    text_free(&t->cells);
    free(t->ends);
    *t = (struct table){0};
}
