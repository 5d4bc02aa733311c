/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_PT2_WRITE_H
#define SG_FORMATS_PT2_WRITE_H

/*
 * Writing torch.export's JSON: pt2_write.c has the program, pt2_write_graph.c graphs and arguments,
 * pt2_write_type.c what describes values. What nests is put on a stack of items, so that depth
 * costs no recursion: an item that ends later is pushed first.
 */

#include "formats/json_write.h"
#include "formats/pt2.h"

typedef enum sg_pt2_item_kind {
    SG_PT2_ITEM_TEXT,      /* text */
    SG_PT2_ITEM_MEMBER,    /* the name of field id of schema */
    SG_PT2_ITEM_NEXT_LIST, /* the end of a list, and the start of field id of schema */
    SG_PT2_ITEM_NODE_REST, /* what follows the outputs of node id */
    SG_PT2_ITEM_PASSING,   /* what follows the union of a named argument: id */
    SG_PT2_ITEM_UNIONS,    /* `count` arguments from id: {"as_int": 1}, ... */
    SG_PT2_ITEM_NAMED,     /* the same as inputs of a node */
    SG_PT2_ITEM_KEYED,     /* the same as members of a dictionary */
    SG_PT2_ITEM_PAYLOADS,  /* the same without their tags: elements of a list */
    SG_PT2_ITEM_GRAPH,     /* id */
    SG_PT2_ITEM_NODES,     /* from id to the end of its graph */
    SG_PT2_ITEM_TABLES,    /* descriptions of the values of graph id, and the graph's end */
    SG_PT2_ITEM_SPECS,     /* `count` specs of side `side` from `id` */
    SG_PT2_ITEM_SPEC_REST, /* what follows the argument of spec `id` of side `side` */
    SG_PT2_ITEM_CALLS,     /* `count` entries of the call graph from `id` */
    SG_PT2_ITEM_CALL_REST, /* what follows the arguments of entry `id` */
    SG_PT2_ITEM_PROGRAM,   /* what follows the graph of the program, in steps of `count` */
} sg_pt2_item_kind;

struct sg_pt2_item {
    uint8_t kind;
    uint8_t side;
    bool later; /* something of its list stands before it */
    uint32_t id, count;
    const char *text;
    const struct sg_pt2_schema *schema;
};

struct sg_pt2_writer {
    const signet_package *p;
    const signet_writer *out;
    uint32_t program;
    uint32_t major, minor;
    bool nulls; /* members that are null are written */
    bool bare;  /* NaN and Infinity are bare words */
    struct sg_text text;
    SG_VEC(struct sg_pt2_item) items;
    signet_status status;
    const char *why; /* SIGNET_E_UNSUPPORTED: what has no form in the JSON; static */
};

void sg_pt2_writer_init(struct sg_pt2_writer *w, const signet_package *p, signet_program program,
                        const signet_writer *out);
void sg_pt2_writer_free(struct sg_pt2_writer *w);
void sg_pt2_write_fail(struct sg_pt2_writer *w, signet_status status);
/* The JSON has no form for it; what is static. */
void sg_pt2_write_refuse(struct sg_pt2_writer *w, const char *what);
/* Hands over what has gathered, all of it or what is worth it. */
void sg_pt2_write_flush(struct sg_pt2_writer *w, bool all);

/* True when the program's schema is at least 8.minor. */
static inline bool sg_pt2_since(const struct sg_pt2_writer *w, uint32_t minor) {
    return w->major > SG_SCHEMA_MAJOR || (w->major == SG_SCHEMA_MAJOR && w->minor >= minor);
}

void sg_pt2_push(struct sg_pt2_writer *w, struct sg_pt2_item item);
void sg_pt2_push_text(struct sg_pt2_writer *w, const char *text);
void sg_pt2_push_next_list(struct sg_pt2_writer *w, const struct sg_pt2_schema *schema,
                           uint32_t field);
void sg_pt2_push_list(struct sg_pt2_writer *w, sg_pt2_item_kind kind, struct sg_list list);

void sg_pt2_puts(struct sg_pt2_writer *w, const char *text);
void sg_pt2_put_string(struct sg_pt2_writer *w, sg_strid id);
/* `, "name": `, without the comma where an object has just begun. */
void sg_pt2_put_key(struct sg_pt2_writer *w, signet_string name);
void sg_pt2_put_member(struct sg_pt2_writer *w, const struct sg_pt2_schema *schema, uint32_t field);
void sg_pt2_put_int_member(struct sg_pt2_writer *w, const struct sg_pt2_schema *schema,
                           uint32_t field, int64_t number);
void sg_pt2_put_bool_member(struct sg_pt2_writer *w, const struct sg_pt2_schema *schema,
                            uint32_t field, bool truth);
void sg_pt2_put_string_member(struct sg_pt2_writer *w, const struct sg_pt2_schema *schema,
                              uint32_t field, sg_strid id);
void sg_pt2_put_real(struct sg_pt2_writer *w, double v);
void sg_pt2_put_pairs(struct sg_pt2_writer *w, const struct sg_pair *pairs, uint32_t count);
/* JSON text that the IR keeps; what is no JSON cannot be written. */
void sg_pt2_put_raw(struct sg_pt2_writer *w, sg_strid id);

/* ---- pt2_write_type.c ---- */

void sg_pt2_put_sym(struct sg_pt2_writer *w, uint32_t sym);
void sg_pt2_put_type(struct sg_pt2_writer *w, uint32_t type);
void sg_pt2_put_device(struct sg_pt2_writer *w, sg_strid type, bool has_index, int64_t index);
/* The object of a table of schema.Graph. */
void sg_pt2_put_table(struct sg_pt2_writer *w, uint32_t graph, signet_value_kind table);

/* ---- pt2_write_graph.c ---- */

void sg_pt2_put_union(struct sg_pt2_writer *w, uint32_t arg);
void sg_pt2_put_payload(struct sg_pt2_writer *w, uint32_t arg);
/* Items of graphs, nodes and arguments. */
void sg_pt2_put_graph_item(struct sg_pt2_writer *w, struct sg_pt2_item item);

/* ---- pt2_write_signature.c ---- */

/* Items of specs and calls. */
void sg_pt2_put_signature_item(struct sg_pt2_writer *w, struct sg_pt2_item item);

/* ---- pt2_write.c ---- */

/* Writes a program as the model.json of its schema version. SIGNET_E_UNSUPPORTED: it has something
 * that the JSON has no form for; *why (may be null) gets a static text that names it. */
signet_status sg_pt2_write_program(const signet_package *p, signet_program program,
                                   const signet_writer *out, const char **why);
/* The folder of a state table in an archive, below the root: "data/weights/". */
const char *sg_pt2_table_folder(signet_table table);
/* The name of a record below the folder of its table; absent when it lies elsewhere. */
signet_string sg_pt2_below(signet_string record, signet_table table);
/* Writes a state table as the config record of an archive. SIGNET_E_UNSUPPORTED: the record of a
 * state does not lie in the table's folder. */
signet_status sg_pt2_write_config(const signet_package *p, signet_program program,
                                  signet_table table, const signet_writer *out);
/* Writes both tables, for comparing: whatever can be told of them. */
signet_status sg_pt2_write_states(const signet_package *p, signet_program program,
                                  const signet_writer *out);

#endif
