/* SPDX-License-Identifier: Apache-2.0 */
/* What a picture says, and in which shapes and colours. */

#include "formats/dot_write.h"

#define LINE_COLUMNS 56  /* of a label */
#define TYPES_SHOWN 3    /* of a node with several results */
#define TOOLTIP_LINE 200 /* columns */

/* ---- Text ------------------------------------------------------------------------------------ */

/* Graphviz reads backslashes and HTML entities in every string. */
static void put_escaped(struct sg_dot *d, signet_string s, size_t most) {
    size_t columns = 0;
    for (size_t at = 0; at < s.length;) {
        struct sg_shown shown = sg_utf8_shown(s.data + at, s.length - at);
        columns += shown.columns;
        if (columns > most) {
            sg_text_puts(&d->t, "...");
            return;
        }
        for (size_t i = 0; i < shown.length; i++) {
            char c = shown.text[i];
            if (c == '&') {
                sg_text_puts(&d->t, "&amp;");
                continue;
            }
            if (c == '"' || c == '\\') {
                sg_text_putc(&d->t, '\\');
            }
            sg_text_putc(&d->t, c);
        }
        at += shown.bytes;
    }
}

void sg_dot_put_quoted(struct sg_dot *d, signet_string s) {
    sg_text_putc(&d->t, '"');
    put_escaped(d, s, TOOLTIP_LINE);
    sg_text_putc(&d->t, '"');
}

void sg_dot_begin_label(struct sg_dot *d) {
    sg_text_puts(&d->t, "label=\"");
    d->in_label = false;
}

void sg_dot_end_label(struct sg_dot *d) {
    sg_text_putc(&d->t, '"');
}

void sg_dot_line(struct sg_dot *d, signet_string line) {
    sg_text_puts(&d->t, d->in_label ? "\\n" : "");
    d->in_label = true;
    put_escaped(d, line, LINE_COLUMNS);
}

static void clear_raw(struct sg_dot *d) {
    d->t.failed = d->t.failed || d->raw.failed;
    sg_text_clear(&d->raw);
}

static void end_raw(struct sg_dot *d) {
    sg_dot_line(d, (signet_string){d->raw.data, d->raw.length});
    clear_raw(d);
}

void sg_dot_line_format(struct sg_dot *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sg_text_vprintf(&d->raw, format, args);
    va_end(args);
    end_raw(d);
}

/* "f32[2, 3]" or "Sym(s0)"; false: nothing is told. */
static bool add_type(struct sg_dot *d, uint32_t value) {
    const struct sg_value *v = sg_value(d->p, value);
    switch ((signet_value_kind)v->described_as) {
    case SIGNET_VALUE_TENSOR:
        sg_type_text(d->p, (signet_type){v->description}, &d->raw);
        return true;
    case SIGNET_VALUE_SYM_INT:
    case SIGNET_VALUE_SYM_FLOAT:
    case SIGNET_VALUE_SYM_BOOL:
        sg_text_puts(&d->raw, "Sym(");
        sg_sym_text(d->p, (signet_sym){v->description}, &d->raw);
        sg_text_putc(&d->raw, ')');
        return true;
    case SIGNET_VALUE_CUSTOM_OBJ:
        sg_text_string(&d->raw, sg_string(d->p, v->description));
        return v->description != 0;
    case SIGNET_VALUE_UNKNOWN:
    case SIGNET_VALUE_UNDEFINED:
    case SIGNET_VALUE_TOKEN:
    case SIGNET_VALUE_CONSTANT:
        break;
    }
    return false;
}

void sg_dot_line_type(struct sg_dot *d, uint32_t value) {
    if (add_type(d, value)) {
        end_raw(d);
    }
}

/* A line of a word and a name: "buffer k". */
static void line_named(struct sg_dot *d, const char *word, signet_string name) {
    sg_text_puts(&d->raw, word);
    if (name.data != NULL) {
        sg_text_putc(&d->raw, ' ');
        sg_text_string(&d->raw, name);
    }
    end_raw(d);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

uint32_t sg_dot_delegate(const struct sg_dot *d, uint32_t node) {
    const struct sg_node *n = sg_node(d->p, node);
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        const struct sg_arg *a = sg_arg(d->p, n->inputs.first + i);
        if (a->kind == SIGNET_ARG_DELEGATE) {
            return a->u.id;
        }
    }
    return 0;
}

static void line_operator(struct sg_dot *d, uint32_t node) {
    signet_operator op = signet_node_operator(d->p, (signet_node){node});
    if (op.name_space.data != NULL && op.name.data != NULL) {
        sg_text_string(&d->raw, op.name_space);
        sg_text_putc(&d->raw, '.');
        sg_text_string(&d->raw, op.name);
        if (op.overload.length > 0) {
            sg_text_putc(&d->raw, '.');
            sg_text_string(&d->raw, op.overload);
        }
    } else {
        sg_text_string(&d->raw, sg_string(d->p, sg_node(d->p, node)->target));
    }
    end_raw(d);
}

static void line_results(struct sg_dot *d, uint32_t node) {
    const struct sg_node *n = sg_node(d->p, node);
    uint32_t shown = n->outputs.count < TYPES_SHOWN ? n->outputs.count : TYPES_SHOWN;
    bool any = false;
    for (uint32_t i = 0; i < shown; i++) {
        const struct sg_arg *a = sg_arg(d->p, n->outputs.first + i);
        sg_text_puts(&d->raw, i > 0 ? ", " : "");
        if (sg_arg_has_value(a) && add_type(d, a->u.ref.value)) {
            any = true;
        } else {
            sg_text_putc(&d->raw, '?');
        }
    }
    if (n->outputs.count > shown) {
        sg_text_printf(&d->raw, ", ... (%u results)", (unsigned)n->outputs.count);
    }
    if (any) {
        end_raw(d);
    }
    clear_raw(d);
}

static const char *node_style(signet_operator_class op_class) {
    switch (op_class) {
    case SIGNET_OPERATOR_DELEGATE_CALL:
        return "shape=box3d, style=filled, fillcolor=\"#e3d4f7\", color=\"#6a3d9a\", penwidth=2";
    case SIGNET_OPERATOR_HIGHER_ORDER:
        return "style=\"rounded,filled\", fillcolor=\"#dbe9f6\"";
    case SIGNET_OPERATOR_MALFORMED:
        return "color=\"#d62728\", style=\"rounded,dashed\"";
    case SIGNET_OPERATOR_GETITEM:
    case SIGNET_OPERATOR_BUILTIN:
        return "style=\"rounded,filled\", fillcolor=\"#f2f2f2\"";
    case SIGNET_OPERATOR_OVERLOAD:
    case SIGNET_OPERATOR_EDGE:
    case SIGNET_OPERATOR_PACKET:
    case SIGNET_OPERATOR_EXTENSION:
    case SIGNET_OPERATOR_FUNCTION:
        break;
    }
    return NULL;
}

static void put_tooltip(struct sg_dot *d, uint32_t node) {
    signet_user_source source = signet_node_user_source(d->p, (signet_node){node});
    if (source.line > 0) {
        sg_text_string(&d->raw, source.file);
        sg_text_printf(&d->raw, ":%u", (unsigned)source.line);
        if (source.code.data != NULL) {
            sg_text_puts(&d->raw, ": ");
            sg_text_string(&d->raw, source.code);
        }
        sg_text_puts(&d->t, ", tooltip=");
        sg_dot_put_quoted(d, (signet_string){d->raw.data, d->raw.length});
        clear_raw(d);
    }
}

void sg_dot_node(struct sg_dot *d, uint32_t node) {
    signet_operator op = signet_node_operator(d->p, (signet_node){node});
    const char *style = node_style(op.op_class);
    uint32_t delegate = sg_dot_delegate(d, node);
    sg_text_printf(&d->t, "n%u [", (unsigned)node);
    sg_dot_begin_label(d);
    sg_dot_line(d, signet_node_display_name(d->p, (signet_node){node}));
    if (op.op_class == SIGNET_OPERATOR_DELEGATE_CALL) {
        const struct sg_delegate *callee = sg_delegate(d->p, delegate);
        line_named(d, "delegate", sg_string(d->p, callee->name));
        if (callee->backend != 0) {
            line_named(d, "backend", sg_string(d->p, callee->backend));
        }
    } else {
        line_operator(d, node);
    }
    line_results(d, node);
    sg_dot_end_label(d);
    if (style != NULL) {
        sg_text_printf(&d->t, ", %s", style);
    }
    put_tooltip(d, node);
    sg_text_puts(&d->t, "];\n");
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

const struct sg_spec *sg_dot_spec(const struct sg_dot *d, uint32_t graph, signet_side side,
                                  uint32_t i) {
    const struct sg_program *r = sg_program(d->p, sg_graph(d->p, graph)->program);
    return r->graph == graph && i < r->specs[side].count ? &r->specs[side].data[i] : NULL;
}

static const char *input_style(signet_input_kind kind, bool mutated) {
    switch (kind) {
    case SIGNET_INPUT_KIND_USER_INPUT:
        return mutated ? "shape=oval, style=filled, fillcolor=\"#d5efd5\", color=\"#d62728\", "
                         "penwidth=2.5"
                       : "shape=oval, style=filled, fillcolor=\"#d5efd5\", color=\"#2ca02c\"";
    case SIGNET_INPUT_KIND_PARAMETER:
    case SIGNET_INPUT_KIND_BUFFER:
        return mutated ? "shape=cylinder, style=filled, fillcolor=\"#ffd9a8\", color=\"#d62728\", "
                         "penwidth=2.5"
               : kind == SIGNET_INPUT_KIND_BUFFER
                   ? "shape=cylinder, style=filled, fillcolor=\"#ffefcf\", color=\"#b8860b\""
                   : "shape=cylinder, style=filled, fillcolor=\"#e4e8ee\", color=\"#5b6b82\"";
    case SIGNET_INPUT_KIND_CONSTANT_TENSOR:
    case SIGNET_INPUT_KIND_CUSTOM_OBJ:
        return "shape=cylinder, style=filled, fillcolor=\"#f2f2f2\", color=\"#7f7f7f\"";
    case SIGNET_INPUT_KIND_TOKEN:
        return "shape=oval, style=dashed, color=\"#7f7f7f\"";
    case SIGNET_INPUT_KIND_UNKNOWN:
        break;
    }
    return "shape=oval, color=\"#7f7f7f\"";
}

static const char *kind_word(const struct sg_spec *spec, signet_side side) {
    const char *word = NULL;
    if (spec != NULL) {
        word = side == SIGNET_INPUT ? sg_input_kind_keyword((signet_input_kind)spec->kind)
                                    : sg_output_kind_keyword((signet_output_kind)spec->kind);
    }
    return word;
}

/* The lines that inputs and outputs have: kind and target, name, type. */
static void lines_of_port(struct sg_dot *d, uint32_t arg, const struct sg_spec *spec,
                          signet_side side, uint32_t i) {
    const struct sg_arg *a = sg_arg(d->p, arg);
    const char *side_word = side == SIGNET_INPUT ? "input" : "output";
    const char *word = kind_word(spec, side);
    if (spec != NULL && spec->target != 0 && word != NULL) {
        line_named(d, word, sg_string(d->p, spec->target));
    } else {
        sg_dot_line_format(d, "%s%s%s %u", word != NULL ? word : "", word != NULL ? " " : "",
                           side_word, (unsigned)i);
    }
    if (sg_arg_has_value(a)) {
        sg_dot_line(d, sg_string(d->p, sg_value(d->p, a->u.ref.value)->name));
        sg_dot_line_type(d, a->u.ref.value);
    } else if (a->kind != SIGNET_ARG_UNKNOWN) {
        const char *kind = signet_arg_kind_name((signet_arg_kind)a->kind);
        sg_dot_line(d, signet_str(kind != NULL ? kind : "?"));
    }
}

void sg_dot_input(struct sg_dot *d, uint32_t graph, uint32_t i, bool mutated) {
    const struct sg_spec *spec = sg_dot_spec(d, graph, SIGNET_INPUT, i);
    signet_input_kind kind =
        spec != NULL ? (signet_input_kind)spec->kind : SIGNET_INPUT_KIND_UNKNOWN;
    sg_text_printf(&d->t, "g%u_i%u [", (unsigned)graph, (unsigned)i);
    sg_dot_begin_label(d);
    lines_of_port(d, sg_graph(d->p, graph)->inputs.first + i, spec, SIGNET_INPUT, i);
    sg_dot_end_label(d);
    sg_text_printf(&d->t, ", %s];\n", input_style(kind, mutated));
}

void sg_dot_output(struct sg_dot *d, uint32_t graph, uint32_t i) {
    const struct sg_spec *spec = sg_dot_spec(d, graph, SIGNET_OUTPUT, i);
    bool user = spec != NULL && (spec->kind == SIGNET_OUTPUT_KIND_USER_OUTPUT ||
                                 spec->kind == SIGNET_OUTPUT_KIND_LOSS_OUTPUT);
    sg_text_printf(&d->t, "g%u_o%u [", (unsigned)graph, (unsigned)i);
    sg_dot_begin_label(d);
    lines_of_port(d, sg_graph(d->p, graph)->outputs.first + i, spec, SIGNET_OUTPUT, i);
    sg_dot_end_label(d);
    sg_text_printf(&d->t, ", %s];\n",
                   user ? "shape=oval, style=filled, fillcolor=\"#d5efd5\", color=\"#2ca02c\", "
                          "peripheries=2"
                        : "shape=oval, color=\"#7f7f7f\", peripheries=2");
}

/* ---- Clusters -------------------------------------------------------------------------------- */

void sg_dot_cluster(struct sg_dot *d, uint32_t graph) {
    const struct sg_graph *g = sg_graph(d->p, graph);
    const struct sg_program *r = sg_program(d->p, g->program);
    bool body = r->graph == graph && r->role == SIGNET_ROLE_BODY;
    sg_dot_begin_label(d);
    if (r->graph != graph) {
        line_named(d, g->parent != 0 ? "subgraph" : "subgraph that nothing holds:",
                   sg_string(d->p, g->name));
    } else {
        if (body) {
            line_named(d, "delegate", sg_string(d->p, sg_delegate(d->p, r->delegate)->name));
        }
        line_named(d, "program", sg_string(d->p, r->name));
    }
    sg_dot_end_label(d);
    sg_text_puts(&d->t, ";\n");
    sg_text_puts(&d->t,
                 body ? "style=\"rounded,filled\"; fillcolor=\"#f6f0fc\"; color=\"#6a3d9a\";\n"
                 : r->graph != graph
                     ? "style=\"rounded,filled\"; fillcolor=\"#f4f8fc\"; color=\"#6b93c0\";\n"
                     : "style=rounded; color=\"#7f7f7f\";\n");
}
