/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/compiler.h"
#include "formats/printed_internal.h"

/* Makes the graph of one class out of its statements. */

/* ---- Operators ------------------------------------------------------------------------------- */

signet_string sg_printed_target(const struct sg_printed *r, uint32_t call) {
    return sg_pyx_text(&r->body, sg_pyx_node(&r->body, call)->first);
}

bool sg_printed_calls_delegate(const struct sg_printed *r, uint32_t call) {
    return sg_pyx_node(&r->body, call)->kind == SG_PYX_CALL &&
           sg_string_ends(sg_printed_target(r, call), "executorch_call_delegate");
}

/* A name that stands before the dot of the callee, when it is a value: `x.view(2)`. 0: it is not.
 */
static sg_strid method_object(struct sg_printed *r, uint32_t callee) {
    const struct sg_pyx_node *n = sg_pyx_node(&r->body, callee);
    const char *dot = n->kind == SG_PYX_NAME ? memchr(r->text + n->at, '.', n->length) : NULL;
    if (dot == NULL) {
        return 0;
    }
    sg_strid name = sg_printed_intern(r, n->at, (uint32_t)(dot - r->text) - n->at);
    const struct sg_printed_name *known = r->no_memory ? NULL : sg_printed_name(r, &name);
    return known != NULL && known->is == SG_PRINTED_IS_VALUE ? name : 0;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Defines the value of a name in an output or graph input, with its description. */
static void define_value(struct sg_printed *r, signet_arg arg, sg_strid name, uint32_t at,
                         const struct sg_printed_described *d) {
    signet_arg_kind kind = d->kind != 0 ? (signet_arg_kind)d->kind : SIGNET_ARG_CONSTANT;
    sg_arg_set_at(r->p, arg, at + 1);
    signet_value value = signet_arg_set_named(r->p, arg, kind, sg_string(r->p, name));
    if (value.id == 0 || d->id == 0) {
        return;
    }
    if (kind == SIGNET_ARG_TENSOR) {
        signet_value_describe_tensor(r->p, value, (signet_type){d->id});
    } else {
        signet_value_describe_sym(r->p, value, sg_arg_kind_value_kind(kind), (signet_sym){d->id});
    }
    sg_value_set_described_at(r->p, value, d->at + 1);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* Results of a node with several, each where its item says; those that nothing reads are none. */
static void set_folded_outputs(struct sg_printed *r, signet_node node,
                               const struct sg_printed_statement *s) {
    signet_arg first = signet_node_set_outputs(r->p, node, s->item_end);
    for (uint32_t k = s->first_item; k != 0 && first.id != 0; k = r->statements.data[k].next_item) {
        const struct sg_printed_statement *item = &r->statements.data[k];
        if (item->what == SG_PRINTED_ITEM) {
            define_value(r, (signet_arg){first.id + item->index}, item->name, item->text.at,
                         &item->described);
        }
    }
}

static void set_outputs(struct sg_printed *r, signet_node node,
                        const struct sg_printed_statement *s) {
    bool call = sg_pyx_node(&r->body, s->rhs)->kind == SG_PYX_CALL;
    signet_node_set_results_open(r->p, node, call && s->described.kind == 0);
    if (s->folded && s->what == SG_PRINTED_NODE) {
        set_folded_outputs(r, node, s);
    } else if (s->described.kind != 0 || s->is_value || !call) {
        signet_arg out = signet_node_set_outputs(r->p, node, 1);
        if (out.id != 0) {
            define_value(r, out, s->name, s->text.at, &s->described);
        }
    }
}

/* Arguments of a call behind the callee; `before` arguments are already there. */
static void set_inputs(struct sg_printed *r, signet_node node, signet_arg first, uint32_t call) {
    const struct sg_pyx *x = &r->body;
    bool higher_order = signet_node_operator(r->p, node).op_class == SIGNET_OPERATOR_HIGHER_ORDER;
    bool delegate = sg_printed_calls_delegate(r, call);
    signet_arg arg = first;
    uint32_t i = sg_pyx_node(x, sg_pyx_node(x, call)->first)->next;
    for (; i != 0 && !r->no_memory && r->p->status == SIGNET_OK; i = sg_pyx_node(x, i)->next) {
        signet_string keyword = sg_pyx_keyword(x, i);
        signet_arg_set_name(r->p, arg, keyword,
                            keyword.data != NULL ? SIGNET_PASSING_KEYWORD
                                                 : SIGNET_PASSING_POSITIONAL);
        bool module = delegate && arg.id == first.id;
        sg_printed_set_argument(r, x, arg, i, higher_order || delegate, module);
        arg.id++;
    }
}

static void set_use(struct sg_printed *r, signet_arg arg, sg_strid name, uint32_t at) {
    const struct sg_printed_name *known = sg_printed_name(r, &name);
    sg_arg_set_at(r->p, arg, at + 1);
    signet_arg_set_name(r->p, arg, (signet_string){NULL, 0}, SIGNET_PASSING_POSITIONAL);
    signet_arg_set_named(r->p, arg, (signet_arg_kind)known->kind, sg_string(r->p, name));
}

/* Functions outside of torch print with '_' in place of dots: math_trunc is math.trunc. */
static signet_string with_dots(struct sg_printed *r, signet_string target) {
    static const char *const modules[] = {"math_", "_operator_"};
    for (size_t i = 0; i < SG_COUNT_OF(modules); i++) {
        size_t length = strlen(modules[i]);
        if (sg_string_starts(target, modules[i]) && target.length > length &&
            memchr(target.data, '.', target.length) == NULL) {
            struct sg_text *t = sg_printed_scratch(r);
            sg_text_put(t, target.data, length - 1);
            sg_text_putc(t, '.');
            sg_text_put(t, target.data + length, target.length - length);
            return sg_printed_scratched(r);
        }
    }
    return target;
}

/* torch.ops.aten.add.Tensor(a, b), self.layer(a), a.view(b) */
static signet_node add_call(struct sg_printed *r, uint32_t call) {
    const struct sg_pyx_node *n = sg_pyx_node(&r->body, call);
    uint32_t callee = n->first;
    uint8_t kind = sg_pyx_node(&r->body, callee)->kind;
    signet_string target = sg_pyx_text(&r->body, callee);
    if (kind != SG_PYX_NAME && kind != SG_PYX_ATTRIBUTE && kind != SG_PYX_CALL) {
        sg_printed_expected(r, sg_pyx_node(&r->body, callee)->at, target.length, "an operator");
        return (signet_node){0};
    }
    sg_strid object = method_object(r, callee);
    if (object != 0) {
        const char *dot = memchr(target.data, '.', target.length);
        struct sg_text *t = sg_printed_scratch(r);
        sg_text_puts(t, "torch.Tensor");
        sg_text_put(t, dot, target.length - (size_t)(dot - target.data));
        target = sg_printed_scratched(r);
    }
    target = object != 0 ? target : with_dots(r, target);
    signet_node node = signet_node_append(r->p, r->job.graph, target);
    signet_arg first = signet_node_set_inputs(r->p, node, n->count - 1 + (object != 0));
    if (object != 0 && first.id != 0) {
        set_use(r, first, object, sg_pyx_node(&r->body, callee)->at);
        first.id++;
    }
    if (node.id != 0) {
        set_inputs(r, node, first, call);
    }
    return node;
}

/* a + b, -a, a[i]: functions of Python's module operator. */
static signet_node add_operator(struct sg_printed *r, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(&r->body, i);
    bool item = n->kind == SG_PYX_INDEX;
    struct sg_text *t = sg_printed_scratch(r);
    sg_text_puts(t, "_operator.");
    sg_text_puts(t, item ? "getitem" : sg_pyx_op_name((sg_pyx_op)n->op));
    signet_node node = signet_node_append(r->p, r->job.graph, sg_printed_scratched(r));
    signet_arg first = signet_node_set_inputs(r->p, node, n->count);
    uint32_t child = n->first;
    for (uint32_t k = 0; k < n->count && first.id != 0; k++) {
        signet_arg arg = {first.id + k};
        signet_arg_set_name(r->p, arg, (signet_string){NULL, 0}, SIGNET_PASSING_POSITIONAL);
        sg_printed_set_argument(r, &r->body, arg, child, false, false);
        child = sg_pyx_node(&r->body, child)->next;
    }
    return node;
}

/* x.shape: an attribute of a value. */
static signet_node add_getattr(struct sg_printed *r, uint32_t i) {
    sg_strid object = method_object(r, i);
    const struct sg_pyx_node *n = sg_pyx_node(&r->body, i);
    if (object == 0) {
        sg_printed_expected(r, n->at, n->length, "a call of an operator");
        return (signet_node){0};
    }
    signet_node node = signet_node_append(r->p, r->job.graph, signet_str("getattr"));
    signet_arg first = signet_node_set_inputs(r->p, node, 2);
    if (first.id != 0) {
        signet_string text = sg_pyx_text(&r->body, i);
        const char *dot = memchr(text.data, '.', text.length);
        signet_string name = {dot + 1, text.length - (size_t)(dot + 1 - text.data)};
        set_use(r, first, object, n->at);
        signet_arg_set_string(r->p, (signet_arg){first.id + 1}, SIGNET_ARG_STRING, name);
        signet_arg_set_name(r->p, (signet_arg){first.id + 1}, (signet_string){NULL, 0},
                            SIGNET_PASSING_POSITIONAL);
    }
    return node;
}

static void add_node(struct sg_printed *r, uint32_t statement) {
    const struct sg_printed_statement *s = &r->statements.data[statement];
    signet_node node = {0};
    switch (sg_pyx_node(&r->body, s->rhs)->kind) {
    case SG_PYX_CALL:
        node = add_call(r, s->rhs);
        break;
    case SG_PYX_NAME:
        node = add_getattr(r, s->rhs);
        break;
    default:
        node = add_operator(r, s->rhs);
        break;
    }
    if (node.id == 0) {
        return;
    }
    signet_node_set_name(r->p, node, sg_string(r->p, s->name));
    sg_node_set_span(r->p, node, sg_span_make(s->text.at, s->end - s->text.at));
    if (s->origin.trace != 0) {
        signet_node_add_metadata(r->p, node, signet_str("stack_trace"),
                                 sg_string(r->p, s->origin.trace));
    }
    if (s->origin.custom != 0) {
        signet_node_add_metadata(r->p, node, signet_str("custom"),
                                 sg_string(r->p, s->origin.custom));
    }
    set_outputs(r, node, s);
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

/* The value of a constant input is only in the signature, up to 2.7; it is a literal where the
 * graph does not use the name. */
static bool set_constant_input(struct sg_printed *r, signet_arg arg, uint32_t i) {
    if (r->job.class_id != 1 || i >= r->specs[SIGNET_INPUT].count) {
        return false;
    }
    const struct sg_printed_spec *spec = &r->specs[SIGNET_INPUT].data[i];
    sg_strid name = r->params.data[i].name;
    if (spec->literal == 0 || (spec->name != 0 && spec->name != name) ||
        r->params.data[i].described.kind != 0 || r->params.data[i].used) {
        return false;
    }
    sg_arg_set_at(r->p, arg, r->params.data[i].text.at + 1);
    return sg_printed_set_literal(r, &r->signature, arg, spec->literal);
}

static void set_graph_inputs(struct sg_printed *r) {
    signet_arg first = signet_graph_set_inputs(r->p, r->job.graph, r->params.count);
    for (uint32_t i = 0; i < r->params.count && first.id != 0; i++) {
        const struct sg_printed_param *param = &r->params.data[i];
        signet_arg arg = {first.id + i};
        if (set_constant_input(r, arg, i)) {
            continue;
        }
        define_value(r, arg, param->name, param->text.at, &param->described);
        if (param->described.kind == SIGNET_ARG_CUSTOM_OBJ && r->job.class_id == 1 &&
            r->specs[SIGNET_INPUT].data[i].class_name != 0) {
            signet_string name = sg_string(r->p, r->specs[SIGNET_INPUT].data[i].class_name);
            signet_value_describe_custom(r->p, signet_arg_value(r->p, arg), name);
            signet_arg_set_class(r->p, arg, name);
        }
    }
}

static void set_graph_outputs(struct sg_printed *r, const struct sg_printed_statement *s) {
    const struct sg_pyx *x = &r->body;
    if (s->rhs == 0) {
        return;
    }
    const struct sg_pyx_node *n = sg_pyx_node(x, s->rhs);
    bool bare = n->kind != SG_PYX_TUPLE && n->kind != SG_PYX_LIST;
    uint32_t count = bare ? 1 : n->count;
    signet_graph_set_returns_bare(r->p, r->job.graph, bare);
    signet_arg first = signet_graph_set_outputs(r->p, r->job.graph, count);
    uint32_t child = bare ? s->rhs : n->first;
    for (uint32_t i = 0; i < count && first.id != 0 && !r->no_memory; i++) {
        sg_printed_set_argument(r, x, (signet_arg){first.id + i}, child, true, false);
        child = sg_pyx_node(x, child)->next;
    }
}

void sg_printed_build(struct sg_printed *r) {
    const struct sg_printed_class *c = &r->classes.data[r->job.class_id];
    const struct sg_printed_line *line = &r->lines.data[c->line];
    sg_graph_set_span(r->p, r->job.graph, sg_span_make(line->at, line->end - line->at));
    set_graph_inputs(r);
    for (uint32_t i = 1; i < r->statements.count; i++) {
        const struct sg_printed_statement *s = &r->statements.data[i];
        if (r->no_memory || r->p->status != SIGNET_OK) {
            return;
        }
        if (s->what == SG_PRINTED_RETURN) {
            set_graph_outputs(r, s);
        } else if (s->what == SG_PRINTED_NODE || (s->what == SG_PRINTED_ITEM && !s->folded)) {
            add_node(r, i);
        }
    }
    if (r->class_faulty && r->job.graph.id < r->p->graphs.count) {
        r->p->graphs.data[r->job.graph.id].faulty = 1;
    }
}
