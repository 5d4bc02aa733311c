/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SHOW_H
#define TOOLS_SHOW_H

/* What the parts of `signet show` share: show_facts.c gathers, cmd_show.c shows to people,
 * show_json.c to programs. */

#include "io.h"

/* An operator, or a delegate, and how often it is called. */
struct show_count {
    signet_string name;
    signet_delegate delegate;
    uint64_t count;
};

/* What one walk over a program's graphs tells. */
struct show_facts {
    uint64_t nodes, subgraphs;
    struct show_count *operators; /* the most frequent first, then by name */
    size_t operator_count;
    struct show_count *calls; /* delegates called, in order of the first call */
    size_t call_count;
    struct text names; /* of the operators */
};
void show_facts(struct show_facts *facts, const signet_package *package, signet_program program);
void show_facts_free(struct show_facts *facts);

/* One input or output, by position: what its spec says and what stands there. */
struct show_slot {
    signet_spec spec;
    const char *kind;   /* PyTorch's name; the unknown tag; null: there is no spec */
    signet_string name; /* declared */
    signet_value value; /* at the position */
    signet_string at;   /* its name, where it is another than the declared one */
    bool is_literal;
    signet_arg literal;
};
/* Inputs or outputs there are, in the graph or in the signature. */
uint32_t show_slot_count(const signet_package *package, signet_program program, signet_side side);
struct show_slot show_slot_at(const signet_package *package, signet_program program,
                              signet_side side, uint32_t i);

/* "f32[1,3]", "int", "s0 + 1"; adds nothing where the carrier does not tell. */
void show_type(struct text *t, const signet_package *package, signet_type type);
void show_value_type(struct text *t, const signet_package *package, signet_value value);
/* A literal as PyTorch spells it: 3, 0.5, True, 'mean', None. */
void show_literal(struct text *t, const signet_package *package, signet_arg arg);
const char *show_table_name(signet_table table);

void show_json(struct text *t, const signet_package *package, const char *path);

#endif
