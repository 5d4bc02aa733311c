/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_PRINTED_WRITE_H
#define SG_FORMATS_PRINTED_WRITE_H

/*
 * Writing a program the way PyTorch 2.13 prints an ExportedProgram. printed_write.c writes the
 * parts, printed_lines.c turns a graph into the lines that PyTorch has for it (results and
 * attributes are lines of their own there), printed_write_args.c writes arguments.
 */

#include "base/map.h"
#include "base/text.h"
#include "ir/ir_internal.h"
#include "signet/formats.h"

typedef enum sg_line_kind {
    SG_LINE_NODE = 0,
    SG_LINE_ATTRIBUTE, /* name = self.path */
    SG_LINE_ITEM,      /* name = node[index] */
} sg_line_kind;

/* A line of a graph, or (kind NODE without a node) an input of it. Lines use lines. */
struct sg_write_line {
    uint8_t kind;
    bool is_input;
    uint32_t node;      /* NODE; ATTRIBUTE: the node that uses it */
    uint32_t arg;       /* ATTRIBUTE: what holds it; ITEM: the result; NODE: its only result or 0 */
    uint32_t base;      /* ITEM: line of the node, or of the item that is a list */
    uint32_t index;     /* ITEM */
    sg_strid name;      /* of the package; 0: made up, see made_name */
    uint32_t made_name; /* string of writer.names */
    uint32_t users;
    uint32_t seen_by;              /* last line that was found to use it */
    uint32_t last_use;             /* line; 0: none */
    uint32_t first_use, use_count; /* in writer.uses: lines it uses */
    uint32_t released;             /* last of the chain of lines that end here; see next_released */
    uint32_t next_released;
};

struct sg_write_frame {
    uint32_t arg;
    uint32_t next;
};

struct sg_printed_writer {
    const signet_package *p;
    signet_program program;
    const signet_writer *out;
    struct sg_text t;
    bool stopped;
    bool no_memory;
    SG_VEC(struct sg_write_line) lines; /* element 0 is unused */
    SG_VEC(uint32_t) uses;
    uint32_t *line_of_value; /* by value id; valid where the value's graph is the one written */
    SG_VEC(struct sg_write_frame) stack;
    struct sg_map *line_of_arg; /* attribute arguments of the graph -> line */
    struct sg_strings *names;   /* taken in this graph; made lazily */
    struct sg_map *name_counts; /* base of a made-up name -> its last number + 1 */
    bool names_filled;
    SG_VEC(uint32_t) graphs; /* to write: graph, depth */
    signet_graph graph;
    uint32_t return_line;
};

/* Fills lines for the writer's graph. */
void sg_write_find_lines(struct sg_printed_writer *w);
signet_string sg_write_line_name(const struct sg_printed_writer *w, uint32_t line);

/* What a GRAPH, DELEGATE or ATTRIBUTE argument is called below self. */
signet_string sg_write_path(const signet_package *p, const struct sg_arg *arg);
bool sg_write_is_path(const struct sg_arg *arg);
/* A name of the file: control characters would break the layout, so they are escaped. */
void sg_write_name(struct sg_text *t, signet_string name);
/* An argument, with its list as a tuple when asked for. */
void sg_write_arg(struct sg_printed_writer *w, uint32_t arg, bool as_tuple);
/* " Annotation: {'a': True}" of the JSON that a node has in its metadata; nothing for no JSON. */
void sg_write_custom(struct sg_printed_writer *w, signet_string json);
/* The right-hand side of a node: "torch.ops.aten.add.Tensor(a, b)", "a + b". */
void sg_write_call(struct sg_printed_writer *w, uint32_t node);

#endif
