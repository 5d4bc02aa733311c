/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

/* Rows of cells, printed in aligned columns. */

#include "io.h"

enum { TABLE_COLUMNS = 8 };

struct table {
    size_t columns, indent;
    bool right[TABLE_COLUMNS]; /* align to the right */
    struct text cells;         /* one after the other */
    size_t *ends;
    size_t count, capacity;
};

/* Ends the cell whose text was added to t->cells since the last one. */
void table_end_cell(struct table *t);
void table_cell(struct table *t, const char *text);
/* A string of a file; "-" where it is absent. */
void table_string(struct table *t, signet_string s);
void table_number(struct table *t, uint64_t number);
/* Prints every row, indented, and frees. */
void table_print(struct table *t, struct text *out);

#endif
