/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_IR_STRUCTURE_H
#define SG_IR_STRUCTURE_H

/*
 * What hashing and comparing have in common: the graphs that a program reaches, what graph inputs
 * and outputs stand for, and the order that effects impose on nodes. Only for hash.c, equal.c and
 * their like.
 */

#include <string.h>

#include "base/hash.h"
#include "ir/ir_internal.h"

/* ---- Walking arguments ----------------------------------------------------------------------- */

/* The argument after `at` in the tree of `top`, parents before children; 0 at the end. Needs no
 * stack and no memory: for (a = top; a != 0; a = sg_arg_next(p, top, a)). */
uint32_t sg_arg_next(const signet_package *p, uint32_t top, uint32_t at);
/* The same without the children of `at`. */
uint32_t sg_arg_after(const signet_package *p, uint32_t top, uint32_t at);

/* ---- Slots ----------------------------------------------------------------------------------- */

/* What a graph input or output stands for, whatever it is called. */
struct sg_slot {
    uint8_t kind; /* signet_input_kind or signet_output_kind; 0: no spec, or an unknown one */
    bool has_spec;
    uint8_t persistent;
    sg_strid raw_tag;
    sg_strid target;
    uint32_t aims_at; /* 1 + rank of the user input that the target names; 0: it names none */
    uint32_t rank; /* place among the user inputs (or outputs), among the tokens, or among those of
                      one kind and target; else the position */
    uint32_t arg;  /* the graph's argument; 0: the spec has none */
};

/* ---- Structure ------------------------------------------------------------------------------- */

/* Arrays by id are as long as those of the package. */
struct sg_structure {
    const signet_package *p;
    SG_VEC(uint32_t) order; /* graphs that are reached, inner ones first */
    uint8_t *graph_state;   /* by graph: 0 not reached, 1 on the way, 2 in order */
    struct sg_list *inputs; /* by graph: slots */
    struct sg_list *outputs;
    SG_VEC(struct sg_slot) slots;

    /* Effects. deps of a node: first, for each value it names (only in graphs that write memory),
     * the last node before it that wrote to its memory, or 0; then the effects of its other
     * resources before it. Both sides of a comparison list them in the same order. */
    uint32_t *places;          /* by node: place in its graph, from 1 */
    struct sg_list *node_deps; /* by node: run of deps */
    SG_VEC(uint32_t) deps;
    struct sg_list *graph_effects; /* by graph: run of effects */
    SG_VEC(uint32_t) effects;      /* nodes with the last effect on some resource */

    /* Structural hashes; {0, 0}: not computed. */
    struct sg_hasher *values; /* by value */
    struct sg_hasher *nodes;  /* by node */
    struct sg_hasher *graphs; /* by graph */
    struct sg_hasher *types;  /* by type */
};

/* false: no memory. */
bool sg_structure_init(struct sg_structure *s, const signet_package *p);
void sg_structure_free(struct sg_structure *s);
/* Adds the top graph of a program and all that it reaches: subgraphs, and the bodies of delegates
 * that it calls. */
bool sg_structure_add(struct sg_structure *s, uint32_t program);
/* Effects of the graphs that were added, which must be all. */
bool sg_structure_effects(struct sg_structure *s);
/* Structural hashes of the graphs that were added; after the effects. */
void sg_structure_hash(struct sg_structure *s);

/* The bits of a number; one NaN is as good as another. */
static inline uint64_t sg_real_bits(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    return v == v ? bits : UINT64_C(0x7ff8000000000000);
}

static inline bool sg_hasher_is_set(const struct sg_hasher *h) {
    return (h->lo | h->hi) != 0;
}

/* Things to be paired by hash, whatever their order. */
struct sg_key {
    struct sg_hasher hash;
    uint32_t id;
};
int sg_key_compare(const struct sg_key *x, const struct sg_key *y); /* by hash alone */
/* By hash, then by id. In place. */
void sg_sort_keys(struct sg_key *keys, uint32_t count);

/* True when the argument names a value that no node before its own computes: broken programs. */
bool sg_arg_is_early(const struct sg_structure *s, uint32_t arg);

/* The graph that an argument holds: a subgraph, or the body of a delegate; 0: none. */
uint32_t sg_arg_held_graph(const signet_package *p, const struct sg_arg *arg);
/* The same thing; persistence is a property of it. */
bool sg_slot_same(const signet_package *a, const struct sg_slot *x, const signet_package *b,
                  const struct sg_slot *y);
void sg_slot_hash(const signet_package *p, const struct sg_slot *slot, struct sg_hasher *h);
/* The argument without its children: kind, literal, name; of a value only its kind. */
void sg_arg_hash_record(const signet_package *p, const struct sg_arg *arg, struct sg_hasher *h);

#endif
