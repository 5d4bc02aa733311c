/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_PICKLE_H
#define SG_FORMATS_PICKLE_H

/*
 * Looking at pickles without running them. The instructions move marks and placeholders on a stack,
 * so that the names a pickle would import are known even where they come from the stack, and so
 * that a state dict's names, types and storages can be read. Nothing is imported, called or built.
 */

#include "base/alloc.h"
#include "base/map.h"

typedef enum sg_pickle_kind {
    SG_PICKLE_OTHER = 0,  /* anything that nobody asks for */
    SG_PICKLE_STRING,     /* text */
    SG_PICKLE_INT,        /* number */
    SG_PICKLE_BOOL,       /* number */
    SG_PICKLE_GLOBAL,     /* a: import */
    SG_PICKLE_TUPLE,      /* a, b: first item and count in pool */
    SG_PICKLE_DICT,       /* pairs */
    SG_PICKLE_CALL,       /* a: what is called, b: its arguments; pairs set on the result */
    SG_PICKLE_PERSISTENT, /* a: the id */
} sg_pickle_kind;

struct sg_pickle_node {
    sg_pickle_kind kind;
    uint32_t a, b;
    uint32_t first_pair, last_pair; /* 0: none */
    int64_t number;
    const char *text; /* into the data */
    size_t length;
};

struct sg_pickle_pair {
    uint32_t key, value; /* nodes */
    uint32_t next;       /* 0: the last one */
};

struct sg_pickle_import {
    signet_string module, name; /* into the data; absent: not told by constants */
    size_t byte;
    bool trusted;
};

struct sg_pickle {
    const signet_allocator *allocator;
    const unsigned char *data;
    size_t size, at;
    const char *problem; /* static: why it cannot be followed to its end; null: it can */
    size_t problem_at;
    uint32_t root;                       /* node of the result; 0: none */
    SG_VEC(struct sg_pickle_node) nodes; /* node 0: OTHER, shared */
    SG_VEC(struct sg_pickle_pair) pairs;
    SG_VEC(uint32_t) pool;
    SG_VEC(struct sg_pickle_import) imports;
    SG_VEC(uint32_t) stack; /* nodes */
    SG_VEC(uint32_t) marks; /* heights of the stack */
    struct sg_map *memo;
    uint32_t memo_count;
    bool no_memory;
};

/* Follows the pickles of the data, one after the other; data must outlive the result. False: no
 * memory. */
bool sg_pickle_scan(struct sg_pickle *p, const signet_allocator *a, const void *data, size_t size);
void sg_pickle_free(struct sg_pickle *p);

/* True when the node is a GLOBAL of that module and name. */
bool sg_pickle_is(const struct sg_pickle *p, uint32_t node, const char *module, const char *name);

#endif
