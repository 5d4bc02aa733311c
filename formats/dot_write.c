/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing programs for Graphviz. Each graph is a cluster, its subgraphs and the bodies of the
 * delegates it calls lie inside. A mutation is an edge from the new value back to its state, which
 * does not count when ranks are made, so that states stay beside their readers.
 */

#include "formats/dot_write.h"

#define FLUSH_AT 32768

/* A reader that many nodes behind gets the name of a value in place of an edge: edges across a long
 * picture tell little, and Graphviz takes minutes for some hundreds of them. */
#define FAR 48

#define MUTATION "color=\"#d62728\", fontcolor=\"#d62728\", penwidth=2.5, style=bold"
#define GRADIENT "color=\"#9467bd\", fontcolor=\"#9467bd\", penwidth=1.5, style=dashed"
#define MISSING "color=\"#d62728\", fontcolor=\"#d62728\", style=dashed"

/* How far a graph is drawn. */
enum { DRAWN_NOT, DRAWN_BEGUN, DRAWN_WHOLE };

static bool fail(struct sg_dot *d, signet_status status) {
    if (d->status == SIGNET_OK) {
        d->status = status;
    }
    return false;
}

static void flush(struct sg_dot *d, size_t above) {
    if (d->t.failed) {
        fail(d, SIGNET_E_NOMEM);
    }
    if (d->t.length > above) {
        if (d->status == SIGNET_OK && !d->out->write(d->out->user, d->t.data, d->t.length)) {
            fail(d, SIGNET_E_STOPPED);
        }
        sg_text_clear(&d->t);
    }
}

static const struct sg_arg *arg_at(const struct sg_dot *d, uint32_t arg) {
    return sg_arg(d->p, arg);
}

/* ---- States ---------------------------------------------------------------------------------- */

static uint64_t state_key(uint32_t program, signet_input_kind kind, sg_strid target) {
    return (uint64_t)program << 40 ^ (uint64_t)kind << 33 ^ target;
}

/* What a mutation may aim at: user inputs by their name, the others by their target. */
static bool collect_states(struct sg_dot *d, uint32_t program) {
    const struct sg_program *r = sg_program(d->p, program);
    for (uint32_t i = 0; i < r->specs[SIGNET_INPUT].count; i++) {
        const struct sg_spec *s = &r->specs[SIGNET_INPUT].data[i];
        sg_strid name =
            s->kind == SIGNET_INPUT_KIND_USER_INPUT ? arg_at(d, s->arg)->name : s->target;
        uint64_t key = state_key(program, (signet_input_kind)s->kind, name);
        if (sg_map_get(d->states, key) == 0 && !sg_map_put(d->states, key, i + 1)) {
            return fail(d, SIGNET_E_NOMEM);
        }
    }
    return true;
}

/* The input that an output updates + 1; 0: there is none. */
static uint32_t aim(const struct sg_dot *d, uint32_t graph, const struct sg_spec *s) {
    uint32_t program = sg_graph(d->p, graph)->program;
    signet_input_kind kind = signet_output_kind_aims_at((signet_output_kind)s->kind);
    uint32_t at = sg_map_get(d->states, state_key(program, kind, s->target));
    return at <= sg_graph(d->p, graph)->inputs.count ? at : 0;
}

static bool aims(const struct sg_spec *s) {
    return s != NULL &&
           signet_output_kind_aims_at((signet_output_kind)s->kind) != SIGNET_INPUT_KIND_UNKNOWN;
}

/* By input: is it updated? Null, and the drawing has failed, without memory. */
static uint8_t *find_mutated(struct sg_dot *d, uint32_t graph) {
    const struct sg_graph *g = sg_graph(d->p, graph);
    uint8_t *mutated = sg_alloc(&d->p->allocator, (size_t)g->inputs.count + 1);
    if (mutated == NULL) {
        fail(d, SIGNET_E_NOMEM);
        return NULL;
    }
    for (uint32_t i = 0; i < g->outputs.count; i++) {
        const struct sg_spec *s = sg_dot_spec(d, graph, SIGNET_OUTPUT, i);
        if (aims(s) && signet_output_kind_is_mutation((signet_output_kind)s->kind)) {
            mutated[aim(d, graph, s)] = 1;
        }
    }
    return mutated;
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static void put_value_id(struct sg_dot *d, uint32_t value) {
    signet_value v = {value};
    switch (signet_value_definition(d->p, v)) {
    case SIGNET_OWNER_GRAPH_INPUT:
        sg_text_printf(&d->t, "g%u_i%u", (unsigned)sg_value(d->p, value)->graph,
                       (unsigned)signet_value_position(d->p, v));
        break;
    case SIGNET_OWNER_NODE_OUTPUT:
        sg_text_printf(&d->t, "n%u", (unsigned)signet_value_node(d->p, v).id);
        break;
    case SIGNET_OWNER_NONE:
    case SIGNET_OWNER_NODE_INPUT:
    case SIGNET_OWNER_GRAPH_OUTPUT:
        sg_text_printf(&d->t, "v%u", (unsigned)value);
        break;
    }
}

/* A value that nothing defines is drawn when it is first used. */
static void draw_undefined(struct sg_dot *d, uint32_t value) {
    if (d->reader[value] == 0 &&
        signet_value_definition(d->p, (signet_value){value}) == SIGNET_OWNER_NONE) {
        put_value_id(d, value);
        sg_text_puts(&d->t, " [");
        sg_dot_begin_label(d);
        sg_dot_line(d, sg_string(d->p, sg_value(d->p, value)->name));
        sg_dot_line(d, signet_str("undefined"));
        sg_dot_end_label(d);
        sg_text_puts(&d->t, ", " MISSING "];\n");
    }
}

/* Begins "value -> "; the caller puts the end of the edge. */
static void begin_edge(struct sg_dot *d, uint32_t value) {
    draw_undefined(d, value);
    put_value_id(d, value);
    sg_text_puts(&d->t, " -> ");
}

static const char *edge_style(const struct sg_value *v) {
    switch ((signet_value_kind)v->kind) {
    case SIGNET_VALUE_SYM_INT:
    case SIGNET_VALUE_SYM_FLOAT:
    case SIGNET_VALUE_SYM_BOOL:
        return "color=\"#7f7f7f\", style=dashed";
    case SIGNET_VALUE_TOKEN:
        return "color=\"#7f7f7f\", style=dotted";
    case SIGNET_VALUE_UNDEFINED:
        return MISSING;
    case SIGNET_VALUE_UNKNOWN:
    case SIGNET_VALUE_TENSOR:
    case SIGNET_VALUE_CUSTOM_OBJ:
    case SIGNET_VALUE_CONSTANT:
        break;
    }
    return NULL;
}

/* [...] of an edge that brings a value: which of several results it is, and its style. */
static void end_edge(struct sg_dot *d, uint32_t value) {
    signet_node node = signet_value_node(d->p, (signet_value){value});
    const char *style = edge_style(sg_value(d->p, value));
    bool many = sg_node(d->p, node.id)->outputs.count > 1;
    if (many || style != NULL) {
        sg_text_puts(&d->t, " [");
        if (many) {
            sg_text_printf(&d->t, "label=\" [%u]\"%s",
                           (unsigned)signet_value_position(d->p, (signet_value){value}),
                           style != NULL ? ", " : "");
        }
        sg_text_puts(&d->t, style != NULL ? style : "");
        sg_text_putc(&d->t, ']');
    }
    sg_text_puts(&d->t, ";\n");
}

/* Inputs stand beside their first reader. */
static bool is_far(struct sg_dot *d, uint32_t node, uint32_t value) {
    signet_node from = signet_value_node(d->p, (signet_value){value});
    uint32_t here = d->place[node];
    if (d->home[value] == 0) {
        d->home[value] = here + 1;
    }
    uint32_t there = from.id != 0 ? d->place[from.id] : d->home[value] - 1;
    return here > there && here - there > FAR;
}

static void draw_far_use(struct sg_dot *d, uint32_t node, uint32_t value) {
    sg_text_printf(&d->t, "f%u_%u [", (unsigned)value, (unsigned)node);
    sg_dot_begin_label(d);
    sg_dot_line(d, sg_string(d->p, sg_value(d->p, value)->name));
    sg_dot_end_label(d);
    sg_text_printf(&d->t,
                   ", shape=plaintext, style=\"\", fontcolor=\"#1f5fa8\", tooltip=\"defined far "
                   "away\"];\nf%u_%u -> n%u",
                   (unsigned)value, (unsigned)node, (unsigned)node);
    end_edge(d, value);
}

static void draw_use(struct sg_dot *d, uint32_t node, uint32_t value) {
    if (d->reader[value] == d->readers) {
        return; /* once for mul(x, x) */
    }
    if (is_far(d, node, value)) {
        draw_far_use(d, node, value);
        d->reader[value] = d->readers;
    } else {
        begin_edge(d, value);
        sg_text_printf(&d->t, "n%u", (unsigned)node);
        end_edge(d, value);
        d->reader[value] = d->readers;
    }
}

/* The argument that an operator writes in place: the one called out, else the first. */
static void draw_in_place(struct sg_dot *d, uint32_t node) {
    const struct sg_node *n = sg_node(d->p, node);
    uint32_t written = n->inputs.first;
    if (!signet_node_operator(d->p, (signet_node){node}).in_place || n->inputs.count == 0) {
        return;
    }
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        if (sg_string_is(sg_string(d->p, arg_at(d, n->inputs.first + i)->name), "out")) {
            written = n->inputs.first + i;
        }
    }
    const struct sg_arg *a = arg_at(d, written);
    if (sg_arg_has_value(a)) {
        begin_edge(d, a->u.ref.value);
        sg_text_printf(&d->t, "n%u [dir=both, label=\" in place\", %s];\n", (unsigned)node,
                       MUTATION);
        d->reader[a->u.ref.value] = d->readers;
    }
}

static bool push_inner(struct sg_dot *d, uint32_t graph, uint32_t node) {
    if (graph == 0) {
        return true;
    }
    if (!sg_vec_reserve(&d->p->allocator, &d->inner, 1)) {
        return fail(d, SIGNET_E_NOMEM);
    }
    d->inner.data[d->inner.count++] = (struct sg_dot_inner){graph, node};
    return true;
}

static bool push_args(struct sg_dot *d, struct sg_list list) {
    if (!sg_vec_reserve(&d->p->allocator, &d->args, list.count)) {
        return fail(d, SIGNET_E_NOMEM);
    }
    for (uint32_t i = list.count; i > 0; i--) {
        d->args.data[d->args.count++] = list.first + i - 1;
    }
    return true;
}

/* Edges to a node, and what its arguments hold. */
static bool draw_uses(struct sg_dot *d, uint32_t node) {
    bool ok = push_args(d, sg_node(d->p, node)->inputs);
    d->readers++;
    draw_in_place(d, node);
    while (ok && d->args.count > 0) {
        const struct sg_arg *a = arg_at(d, d->args.data[--d->args.count]);
        if (a->kind == SIGNET_ARG_GRAPH) {
            ok = push_inner(d, a->u.id, node);
        } else if (a->kind == SIGNET_ARG_DELEGATE) {
            uint32_t body = sg_delegate(d->p, a->u.id)->body;
            ok = push_inner(d, sg_program(d->p, body)->graph, node);
        } else if (sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_LIST) {
            ok = push_args(d, a->u.list);
        } else if (sg_arg_has_value(a)) {
            draw_use(d, node, a->u.ref.value);
        }
    }
    flush(d, FLUSH_AT);
    return ok;
}

/* ---- Outputs --------------------------------------------------------------------------------- */

static void draw_no_state(struct sg_dot *d, uint32_t graph, uint32_t i, const struct sg_spec *s) {
    const char *kind =
        sg_input_kind_keyword(signet_output_kind_aims_at((signet_output_kind)s->kind));
    signet_string target = sg_string(d->p, s->target);
    sg_text_printf(&d->t, "g%u_t%u [", (unsigned)graph, (unsigned)i);
    sg_dot_begin_label(d);
    sg_dot_line_format(d, "no %s", kind != NULL ? kind : "state");
    sg_dot_line(d, target);
    sg_dot_end_label(d);
    sg_text_puts(&d->t, ", shape=cylinder, " MISSING "];\n");
}

/* An output that writes a state: from the new value, or a box that stands for it. */
static void draw_write(struct sg_dot *d, uint32_t graph, uint32_t i, const struct sg_spec *s) {
    const struct sg_arg *a = arg_at(d, sg_graph(d->p, graph)->outputs.first + i);
    bool mutation = signet_output_kind_is_mutation((signet_output_kind)s->kind);
    uint32_t input = aim(d, graph, s);
    if (input == 0) {
        draw_no_state(d, graph, i, s);
    }
    if (sg_arg_has_value(a)) {
        begin_edge(d, a->u.ref.value);
        d->reader[a->u.ref.value] = ++d->readers;
    } else {
        sg_dot_output(d, graph, i);
        sg_text_printf(&d->t, "g%u_o%u -> ", (unsigned)graph, (unsigned)i);
    }
    if (input == 0) {
        sg_text_printf(&d->t, "g%u_t%u", (unsigned)graph, (unsigned)i);
    } else {
        sg_text_printf(&d->t, "g%u_i%u", (unsigned)graph, (unsigned)(input - 1));
    }
    sg_text_printf(&d->t, " [label=\" output %u%s\", %s%s];\n", (unsigned)i,
                   mutation ? " updates" : ": gradient", mutation ? MUTATION : GRADIENT,
                   input == 0 ? "" : ", constraint=false");
}

static void draw_outputs(struct sg_dot *d, uint32_t graph) {
    const struct sg_graph *g = sg_graph(d->p, graph);
    for (uint32_t i = 0; i < g->outputs.count; i++) {
        const struct sg_arg *a = arg_at(d, g->outputs.first + i);
        const struct sg_spec *s = sg_dot_spec(d, graph, SIGNET_OUTPUT, i);
        if (aims(s)) {
            draw_write(d, graph, i, s);
            continue;
        }
        sg_dot_output(d, graph, i);
        if (sg_arg_has_value(a)) {
            begin_edge(d, a->u.ref.value);
            sg_text_printf(&d->t, "g%u_o%u", (unsigned)graph, (unsigned)i);
            end_edge(d, a->u.ref.value);
            d->reader[a->u.ref.value] = ++d->readers;
        }
        flush(d, FLUSH_AT);
    }
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

/* Something in the cluster that an edge to it can lead to. */
static void put_anchor(struct sg_dot *d, uint32_t graph) {
    const struct sg_graph *g = sg_graph(d->p, graph);
    if (g->inputs.count > 0) {
        sg_text_printf(&d->t, "g%u_i0", (unsigned)graph);
    } else if (g->first != 0) {
        sg_text_printf(&d->t, "n%u", (unsigned)g->first);
    } else {
        sg_text_printf(&d->t, "g%u_none", (unsigned)graph);
    }
}

static bool open_graph(struct sg_dot *d, uint32_t graph) {
    const struct sg_graph *g = sg_graph(d->p, graph);
    uint8_t *mutated = NULL;
    if (!sg_vec_reserve(&d->p->allocator, &d->frames, 1)) {
        return fail(d, SIGNET_E_NOMEM);
    }
    d->drawn[graph] = DRAWN_BEGUN;
    if (sg_program(d->p, g->program)->graph == graph && !collect_states(d, g->program)) {
        return false;
    }
    mutated = find_mutated(d, graph);
    if (mutated == NULL) {
        return false;
    }
    sg_text_printf(&d->t, "subgraph cluster_g%u {\n", (unsigned)graph);
    sg_dot_cluster(d, graph);
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        sg_dot_input(d, graph, i, mutated[i + 1] != 0);
        flush(d, FLUSH_AT);
    }
    sg_free(&d->p->allocator, mutated, (size_t)g->inputs.count + 1);
    uint32_t place = 0;
    for (uint32_t n = g->first; n != 0; n = sg_node(d->p, n)->next) {
        d->place[n] = place++;
        sg_dot_node(d, n);
        flush(d, FLUSH_AT);
    }
    if (g->inputs.count == 0 && g->first == 0) {
        put_anchor(d, graph);
        sg_text_puts(&d->t, " [style=invis];\n");
    }
    uint32_t first = d->inner.count;
    for (uint32_t n = g->first; n != 0; n = sg_node(d->p, n)->next) {
        if (!draw_uses(d, n)) {
            return false;
        }
    }
    draw_outputs(d, graph);
    d->frames.data[d->frames.count++] = (struct sg_dot_frame){graph, first, first};
    return true;
}

/* Ends a cluster: edges from the nodes that hold what lies in it. */
static void close_graph(struct sg_dot *d, const struct sg_dot_frame *frame) {
    for (uint32_t i = frame->inner_first; i < d->inner.count; i++) {
        const struct sg_dot_inner *inner = &d->inner.data[i];
        sg_text_printf(&d->t, "n%u -> ", (unsigned)inner->node);
        put_anchor(d, inner->graph);
        sg_text_puts(&d->t, " [");
        if (d->drawn[inner->graph] == DRAWN_WHOLE) { /* a graph that holds itself lies around */
            sg_text_printf(&d->t, "lhead=cluster_g%u, ", (unsigned)inner->graph);
        }
        sg_text_puts(&d->t, "style=dashed, arrowhead=empty, color=\"#7f7f7f\"];\n");
    }
    d->inner.count = frame->inner_first;
    d->drawn[frame->graph] = DRAWN_WHOLE;
    sg_text_puts(&d->t, "}\n");
    flush(d, FLUSH_AT);
}

/* Draws a graph with all that is inside, unless it is there already. */
static void draw_graph(struct sg_dot *d, uint32_t graph) {
    if (d->drawn[graph] != DRAWN_NOT || !open_graph(d, graph)) {
        return;
    }
    while (d->frames.count > 0 && d->status == SIGNET_OK) {
        struct sg_dot_frame *frame = &d->frames.data[d->frames.count - 1];
        if (frame->inner_next < d->inner.count) {
            uint32_t inner = d->inner.data[frame->inner_next++].graph;
            if (d->drawn[inner] == DRAWN_NOT) {
                (void)open_graph(d, inner);
            }
        } else {
            close_graph(d, frame);
            d->frames.count--;
        }
    }
}

/* ---- A package ------------------------------------------------------------------------------- */

static void draw_programs(struct sg_dot *d, uint32_t only) {
    const signet_package *p = d->p;
    /* Bodies lie in the programs that call them; those that nobody calls come last. */
    for (int bodies = 0; bodies < 2; bodies++) {
        for (uint32_t i = 1; i < p->programs.count; i++) {
            const struct sg_program *r = sg_program(p, i);
            bool body = r->role == SIGNET_ROLE_BODY;
            if (only == 0 ? body == (bodies != 0) : i == only) {
                draw_graph(d, r->graph);
            }
        }
    }
    for (uint32_t g = 1; g < p->graphs.count; g++) {
        if (d->drawn[sg_program(p, sg_graph(p, g)->program)->graph] != DRAWN_NOT) {
            draw_graph(d, g);
        }
    }
}

static bool begin(struct sg_dot *d) {
    const signet_allocator *a = &d->p->allocator;
    sg_text_init(&d->t, a);
    sg_text_init(&d->raw, a);
    d->drawn = sg_alloc(a, d->p->graphs.count);
    d->reader = sg_alloc(a, d->p->values.count * sizeof(*d->reader));
    d->place = sg_alloc(a, d->p->nodes.count * sizeof(*d->place));
    d->home = sg_alloc(a, d->p->values.count * sizeof(*d->home));
    d->states = sg_map_create(a);
    return (d->drawn != NULL && d->reader != NULL && d->place != NULL && d->home != NULL &&
            d->states != NULL) ||
           fail(d, SIGNET_E_NOMEM);
}

static void end(struct sg_dot *d) {
    const signet_allocator *a = &d->p->allocator;
    sg_free(a, d->drawn, d->p->graphs.count);
    sg_free(a, d->reader, d->p->values.count * sizeof(*d->reader));
    sg_free(a, d->place, d->p->nodes.count * sizeof(*d->place));
    sg_free(a, d->home, d->p->values.count * sizeof(*d->home));
    sg_map_destroy(d->states);
    sg_vec_free(a, &d->frames);
    sg_vec_free(a, &d->inner);
    sg_vec_free(a, &d->args);
    sg_text_free(&d->t);
    sg_text_free(&d->raw);
}

signet_status signet_write_dot(const signet_package *package, signet_program program,
                               const signet_writer *writer) {
    if (package == NULL || writer == NULL || writer->write == NULL ||
        program.id >= package->programs.count) {
        return SIGNET_E_INVALID_ARG;
    }
    struct sg_dot d = {.p = package, .out = writer, .status = SIGNET_OK};
    if (begin(&d)) {
        sg_text_puts(&d.t, "digraph signet {\n"
                           "graph [compound=true, fontname=\"Helvetica\", fontsize=11, "
                           "nodesep=0.2, ranksep=0.3];\n"
                           "node [fontname=\"Helvetica\", fontsize=10, shape=box, "
                           "style=\"rounded,filled\", fillcolor=white, height=0.3, "
                           "margin=\"0.1,0.05\"];\n"
                           "edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.6];\n");
        draw_programs(&d, program.id);
        sg_text_puts(&d.t, "}\n");
        flush(&d, 0);
    }
    end(&d);
    return d.status;
}
