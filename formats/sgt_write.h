/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_SGT_WRITE_H
#define SG_FORMATS_SGT_WRITE_H

/* Writing the exact text: blocks and statements (sg_sgt_write.c), arguments (sg_sgt_write_item.c),
 * types and sizes (sg_sgt_write_type.c). */

#include "formats/sgt_spell.h"
#include "signet/formats.h"

/* A block that is being written. */
struct sg_sgt_block {
    uint32_t graph;
    uint32_t depth; /* of what is inside */
    uint32_t next;  /* input, node, value, output or loose graph to write next */
    uint8_t phase;  /* sg_sgt_phase */
    bool loose;     /* no argument holds it */
};

struct sg_sgt_writer {
    const signet_package *p;
    const signet_writer *out; /* null: only numbers the graphs */
    struct sg_text text;      /* on its way out */
    signet_status status;

    SG_VEC(struct sg_sgt_block) blocks;
    SG_VEC(uint32_t) bodies; /* graphs whose blocks follow the line */
    SG_VEC(uint32_t) lists;  /* pairs: argument, child to write next */

    uint32_t depth; /* of the line that is written */

    uint32_t *graph_number; /* by graph: number of its block + 1 */
    uint8_t *graph_written; /* by graph */
    uint32_t graphs_written;
    uint32_t *first_graph;   /* by program: chain of its graphs */
    uint32_t *next_graph;    /* by graph */
    uint32_t *ordinal;       /* by value, 0 not told; null when no name is defined twice */
    struct sg_map *ordinals; /* (graph, name): how many are told */
    struct sg_map *programs, *delegates; /* by name: the first one */

    signet_package *scratch; /* for expressions that are tried out; null until needed */
    sg_sgt_spelling spelling;
    uint8_t *sym_form;  /* by sym: what sg_sgt_sym_form found out */
    uint8_t *type_form; /* by type */

    uint32_t program;
    bool nodes_unnamed, kinds_unknown;
};

bool sg_sgt_fail(struct sg_sgt_writer *w, signet_status status);

/* ---- sg_sgt_write_type.c ---- */

void sg_sgt_put_string(struct sg_sgt_writer *w, sg_strid id); /* "text", or ? */
void sg_sgt_put_word(struct sg_sgt_writer *w, sg_strid id);   /* word, "text", or ? */
void sg_sgt_put_symbol(struct sg_sgt_writer *w, sg_strid id); /* @name, or ? */
void sg_sgt_put_value_name(struct sg_sgt_writer *w, sg_strid id);
void sg_sgt_put_real(struct sg_sgt_writer *w, double v);
void sg_sgt_put_device(struct sg_sgt_writer *w, sg_strid type, bool has_index, int64_t index,
                       bool keyword);
void sg_sgt_put_type(struct sg_sgt_writer *w, uint32_t type);
/* " : f32[3]", or nothing. */
void sg_sgt_put_description(struct sg_sgt_writer *w, const struct sg_value *v);
/* The spelling that most expressions have. */
sg_sgt_spelling sg_sgt_choose_spelling(struct sg_sgt_writer *w);

/* ---- sg_sgt_write_item.c ---- */

typedef enum sg_sgt_where {
    SGT_WHERE_RESULT,
    SGT_WHERE_ARGUMENT,
    SGT_WHERE_OUTPUT,
    SGT_WHERE_DECLARED,
    SGT_WHERE_ENTRY, /* declared, where no graph's block can follow */
} sg_sgt_where;

/* The argument with all that is in it. default_name: the name that is not written. */
void sg_sgt_put_item(struct sg_sgt_writer *w, sg_sgt_where where, uint32_t arg,
                     sg_strid default_name);
/* A declared argument that is like the graph's, but for its name. */
bool sg_sgt_is_declared_like(struct sg_sgt_writer *w, uint32_t graph_arg, uint32_t declared);
/* !2, where the name alone means another value. */
void sg_sgt_put_ordinal(struct sg_sgt_writer *w, uint32_t value);
/* Numbers what an argument defines; called in the order of the text. */
bool sg_sgt_number_definitions(struct sg_sgt_writer *w, uint32_t arg);
/* @aten.add.Tensor */
void sg_sgt_put_target(struct sg_sgt_writer *w, sg_strid id);

#endif
