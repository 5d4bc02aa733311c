/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_DOT_WRITE_H
#define SG_FORMATS_DOT_WRITE_H

/* Drawing programs for Graphviz: clusters, nodes and edges (dot_write.c), what is written in and on
 * them (dot_label.c). */

#include "base/text.h"
#include "ir/ir_internal.h"
#include "signet/formats.h"

/* A graph inside another one: a subgraph, or the body of a delegate. */
struct sg_dot_inner {
    uint32_t graph;
    uint32_t node; /* whose argument it is */
};

/* A graph that is being drawn. */
struct sg_dot_frame {
    uint32_t graph;
    uint32_t inner_first, inner_next; /* of what is inside, in `inner` */
};

struct sg_dot {
    const signet_package *p;
    const signet_writer *out;
    struct sg_text t;   /* on its way out */
    struct sg_text raw; /* a line of a label before it is escaped */
    bool in_label;      /* it has a line already */
    signet_status status;
    SG_VEC(struct sg_dot_frame) frames;
    SG_VEC(struct sg_dot_inner) inner;
    SG_VEC(uint32_t) args; /* still to be looked at */
    uint8_t *drawn;        /* by graph */
    uint32_t *reader;      /* by value: the last that an edge leads to; 0: none */
    uint32_t readers;      /* how many there were */
    uint32_t *place;       /* by node: how many are before it in its graph */
    uint32_t *home;        /* by value: place of its first reader + 1 */
    struct sg_map *states; /* (program, kind, target) -> position of the input + 1 */
};

/* ---- dot_label.c ---- */

/* A quoted string; long ones are cut. */
void sg_dot_put_quoted(struct sg_dot *d, signet_string s);
/* label="..."; every line of it is put by the functions below. */
void sg_dot_begin_label(struct sg_dot *d);
void sg_dot_end_label(struct sg_dot *d);
void sg_dot_line(struct sg_dot *d, signet_string line);
void sg_dot_line_format(struct sg_dot *d, const char *format, ...) SIGNET_PRINTF(2, 3);
void sg_dot_line_type(struct sg_dot *d, uint32_t value);

/* The whole statement of a node, a graph input, or a graph output. */
void sg_dot_node(struct sg_dot *d, uint32_t node);
void sg_dot_input(struct sg_dot *d, uint32_t graph, uint32_t i, bool mutated);
void sg_dot_output(struct sg_dot *d, uint32_t graph, uint32_t i);
/* Label and colours of the cluster of a graph. */
void sg_dot_cluster(struct sg_dot *d, uint32_t graph);

/* The delegate that a node calls; 0: none. */
uint32_t sg_dot_delegate(const struct sg_dot *d, uint32_t node);
/* Spec i of the program whose top graph this is; null: there is none. */
const struct sg_spec *sg_dot_spec(const struct sg_dot *d, uint32_t graph, signet_side side,
                                  uint32_t i);

#endif
