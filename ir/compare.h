/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_IR_COMPARE_H
#define SG_IR_COMPARE_H

/* What the paired walks have in common: where they stand, and saying what differs. Only for equal.c
 * and its like. */

#include "ir/structure.h"

struct sg_compare {
    const signet_package *a, *b;
    signet_equal_mode mode;
    signet_difference *difference; /* may be null */
    bool differs;
    bool no_memory;
    /* Where the walk stands; of each side. */
    uint32_t a_program, b_program;
    uint32_t a_graph, b_graph;
    uint32_t a_node, b_node;
};

/* Says what differs, unless something else differed before. Returns false. */
bool sg_differ(struct sg_compare *c, const char *format, ...) SIGNET_PRINTF(2, 3);
/* The walk cannot go on. Returns false. */
static inline bool sg_compare_no_memory(struct sg_compare *c) {
    c->no_memory = true;
    return false;
}

/* Words for messages; each is a static or interned text, or lives in the buffer. */
#define SG_WORDS 96
const char *sg_say_name(const signet_package *p, sg_strid name, char buffer[SG_WORDS]);
const char *sg_say_node(const signet_package *p, uint32_t node, char buffer[SG_WORDS]);
/* "the value 'x'", "the integer 2", "a list of 3", "nothing". */
const char *sg_say_arg(const signet_package *p, uint32_t arg, char buffer[SG_WORDS]);
/* "argument 1 'self' of 'add'", "output 0", inside of lists too. */
const char *sg_say_place(const signet_package *p, uint32_t arg, char buffer[SG_WORDS]);
const char *sg_say_type(const signet_package *p, uint32_t type, char buffer[SG_WORDS]);

/* The member that differs first, of two types that differ: "dtype", "strides", ... */
const char *sg_type_difference(const signet_package *a, uint32_t x, const signet_package *b,
                               uint32_t y);

/* Same expression and number; not: same text or hint. Null syms are the same. */
bool sg_sym_equal(const signet_package *a, uint32_t x, const signet_package *b, uint32_t y);

/* Compares what the two programs compute, matched by structure. */
bool sg_equal_structural(struct sg_compare *c, uint32_t a_program, uint32_t b_program);
/* The same for two packages. */
bool sg_equal_structural_packages(struct sg_compare *c);

#endif
