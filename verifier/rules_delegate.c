/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delegate.*: a call of a delegate against the program inside. What a call passes are the user
 * inputs of the body, in order; what it returns are the outputs of the body that are no mutations.
 * ExecuTorch's own validation looks at neither.
 */

#include "base/compiler.h"
#include "verifier/verifier_internal.h"

struct call {
    uint32_t node, delegate, body;
    struct sg_list inputs;  /* arguments behind the module */
    struct sg_list results; /* also where the results are one list */
};

static struct sg_list results_of(const struct sg_verify *v, const struct sg_node *n) {
    const struct sg_arg *only = sg_arg(v->p, n->outputs.count == 1 ? n->outputs.first : 0);
    bool list = sg_arg_kind_payload((signet_arg_kind)only->kind) == SG_PAYLOAD_LIST;
    return list ? only->u.list : n->outputs;
}

/* false: the call has no module. */
static bool read_call(const struct sg_verify *v, uint32_t node, struct call *c) {
    const struct sg_node *n = sg_node(v->p, node);
    const struct sg_arg *module = sg_arg(v->p, n->inputs.count != 0 ? n->inputs.first : 0);
    if (module->kind != SIGNET_ARG_DELEGATE || module->u.id == 0) {
        return false;
    }
    c->node = node;
    c->delegate = module->u.id;
    c->body = sg_delegate(v->p, module->u.id)->body;
    c->inputs = (struct sg_list){n->inputs.first + 1, n->inputs.count - 1};
    c->results = results_of(v, n);
    return true;
}

/* A body whose specs do not fit its graph has findings of its own. */
static bool is_sound(const struct sg_verify *v, uint32_t body, signet_side side) {
    const struct sg_program *r = sg_program(v->p, body);
    const struct sg_graph *g = sg_graph(v->p, r->graph);
    uint32_t count = side == SIGNET_INPUT ? g->inputs.count : g->outputs.count;
    return !r->faulty && !g->faulty && r->specs[side].count == count;
}

/* The call and the ports of its body; false: there is nothing to compare. */
static bool open_call(struct sg_verify *v, const struct sg_thing *t, signet_code code,
                      signet_side side, struct call *c, const uint32_t **ports, uint32_t *count) {
    if (!read_call(v, t->node.id, c)) {
        return false;
    }
    if (c->body == 0) {
        sg_not_checked(v, code);
        return false;
    }
    return is_sound(v, c->body, side) && sg_ports(v, c->body, side, ports, count);
}

static const char *module_words(struct sg_verify *v, const struct call *c) {
    return sg_quote(v, sg_delegate(v->p, c->delegate)->name);
}

static const struct sg_arg *port_arg(const struct sg_verify *v, const struct call *c,
                                     signet_side side, uint32_t position) {
    const struct sg_graph *g = sg_graph(v->p, sg_program(v->p, c->body)->graph);
    return sg_arg(v->p, (side == SIGNET_INPUT ? g->inputs.first : g->outputs.first) + position);
}

static signet_location at_port(struct sg_verify *v, const struct call *c, signet_side side,
                               uint32_t position) {
    return sg_at_spec(v->p, &v->log, (signet_program){c->body}, side, position, SG_SPEC_WHOLE);
}

/* ---- delegate.module-missing ----------------------------------------------------------------- */

static void check_module_missing(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_node *n = sg_node(v->p, t->node.id);
    const struct sg_arg *first = sg_arg(v->p, n->inputs.count != 0 ? n->inputs.first : 0);
    struct call c;
    if (read_call(v, t->node.id, &c)) {
        return;
    }
    /* A name that nothing defines is graph.undefined-value. */
    bool told = sg_arg_has_value(first) && sg_value(v->p, first->u.ref.value)->def == 0;
    bool muted = sg_fold(v, told);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_DELEGATE_MODULE_MISSING,
                                      sg_at_node(v->p, &v->log, t->node));
    if (n->inputs.count == 0) {
        sg_diag_message(d, "%s has no arguments, but the first one is the module that it calls",
                        sg_node_words(v, t->node.id));
    } else {
        sg_diag_message(d, "%s: its first argument is no lowered module",
                        sg_node_words(v, t->node.id));
    }
    sg_diag_label(d, "calls nothing");
    sg_diag_help(d, "pass the lowered module first, such as lowered_module_0");
    sg_diag_end(d);
    v->log.muted = muted;
}

/* ---- delegate.nested-call -------------------------------------------------------------------- */

static void check_nested_call(struct sg_verify *v, const struct sg_thing *t) {
    struct call c;
    if (sg_program(v->p, t->program.id)->delegate == 0 || !read_call(v, t->node.id, &c)) {
        return;
    }
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_DELEGATE_NESTED_CALL,
                                      sg_at_node(v->p, &v->log, t->node));
    sg_diag_message(d, "the body of %s calls delegate %s", sg_party_words(v, t->program.id),
                    module_words(v, &c));
    sg_diag_label(d, "a delegate inside a delegate");
    sg_diag_help(d, "leave the call outside of the partition, unless the backend runs delegates");
    sg_diag_end(d);
}

/* ---- Descriptions ---------------------------------------------------------------------------- */

/* What of two descriptions differs; null: nothing that is told. Sizes are compared where both are
 * numbers: symbols may have other names in the body. */
static const char *type_difference(const signet_package *p, const struct sg_type *a,
                                   const struct sg_type *b) {
    if (a->sizes.count != b->sizes.count) {
        return "shape";
    }
    for (uint32_t i = 0; i < a->sizes.count; i++) {
        const struct sg_sym *x = sg_sym(p, p->dims.data[a->sizes.first + i]);
        const struct sg_sym *y = sg_sym(p, p->dims.data[b->sizes.first + i]);
        bool told = x->kind == SIGNET_SYM_INT && y->kind == SIGNET_SYM_INT && x->number >= 0 &&
                    y->number >= 0; /* meta.size-negative tells of others */
        if (told && x->number != y->number) {
            return "shape";
        }
    }
    bool dtypes = a->dtype != SIGNET_DTYPE_UNKNOWN && b->dtype != SIGNET_DTYPE_UNKNOWN;
    return dtypes && a->dtype != b->dtype ? "dtype" : NULL;
}

/* The value an argument names, as far as it is described; 0: it is not. */
static uint32_t described(const struct sg_verify *v, const struct sg_arg *a) {
    uint32_t value = sg_arg_has_value(a) ? a->u.ref.value : 0;
    const struct sg_value *w = sg_value(v->p, value);
    return w->def != 0 && w->described_as != SIGNET_VALUE_UNKNOWN ? value : 0;
}

static const char *difference(const struct sg_verify *v, uint32_t outside, uint32_t inside) {
    const struct sg_value *a = sg_value(v->p, outside);
    const struct sg_value *b = sg_value(v->p, inside);
    if (outside == 0 || inside == 0) {
        return NULL;
    }
    if (a->described_as != b->described_as) {
        return "kind";
    }
    if (a->described_as != SIGNET_VALUE_TENSOR) {
        return NULL;
    }
    return type_difference(v->p, sg_type(v->p, a->description), sg_type(v->p, b->description));
}

static const char *value_words(struct sg_verify *v, uint32_t value) {
    const struct sg_value *w = sg_value(v->p, value);
    if (w->described_as == SIGNET_VALUE_TENSOR) {
        return sg_log_text(&v->log, "%s of %s", sg_quote(v, w->name),
                           sg_type_words(v, w->description));
    }
    const char *kind = signet_value_kind_name((signet_value_kind)w->described_as);
    return sg_log_text(&v->log, "%s, a %s", sg_quote(v, w->name), kind != NULL ? kind : "value");
}

/* ---- delegate.arity, delegate.argument ------------------------------------------------------- */

static void check_arity(struct sg_verify *v, const struct sg_thing *t) {
    struct call c;
    const uint32_t *ports;
    uint32_t count;
    if (!open_call(v, t, SIGNET_CODE_DELEGATE_ARITY, SIGNET_INPUT, &c, &ports, &count) ||
        c.inputs.count == count) {
        return;
    }
    struct sg_diag *d =
        sg_diag_begin(&v->log, SIGNET_CODE_DELEGATE_ARITY, sg_at_node(v->p, &v->log, t->node));
    sg_diag_message(d, "%s passes %u argument%s to %s, whose body has %u user input%s",
                    sg_node_words(v, t->node.id), c.inputs.count, c.inputs.count == 1 ? "" : "s",
                    module_words(v, &c), count, count == 1 ? "" : "s");
    if (c.inputs.count < count) {
        sg_diag_label(d, "too few arguments");
        sg_diag_related(d, at_port(v, &c, SIGNET_INPUT, ports[c.inputs.count]),
                        "the first without an argument, if the order is right");
    } else {
        sg_diag_label(d, "too many arguments");
    }
    sg_diag_help(d, "pass one argument for each user input of the body, in its order");
    sg_diag_end(d);
}

/* A literal where the body has a tensor. */
static bool is_no_tensor(const struct sg_verify *v, const struct sg_arg *a, uint32_t inside) {
    return sg_value(v->p, inside)->described_as == SIGNET_VALUE_TENSOR && !sg_arg_has_value(a) &&
           a->kind != SIGNET_ARG_UNKNOWN && a->kind != SIGNET_ARG_RAW;
}

static const char *argument_difference(const struct sg_verify *v, const struct sg_arg *a,
                                       uint32_t inside) {
    return is_no_tensor(v, a, inside) ? "kind" : difference(v, described(v, a), inside);
}

/* Another argument of the call fits here: probably the order is wrong. */
static void hint_order(struct sg_verify *v, struct sg_diag *d, const struct call *c, uint32_t i,
                       uint32_t inside) {
    enum { LOOKS = 64 };
    for (uint32_t j = 0; j < c->inputs.count && j < LOOKS; j++) {
        uint32_t value = described(v, sg_arg(v->p, c->inputs.first + j));
        if (j != i && value != 0 && difference(v, value, inside) == NULL) {
            sg_diag_help(d,
                         "pass the arguments in the order of the body's user inputs; argument "
                         "%u %s would fit here",
                         j, sg_quote(v, sg_value(v->p, value)->name));
            return;
        }
    }
    sg_diag_help(d, "pass what the body takes, or lower the delegate again");
}

static void report_argument(struct sg_verify *v, const struct call *c, uint32_t i,
                            uint32_t position, const char *differs) {
    const struct sg_arg *a = sg_arg(v->p, c->inputs.first + i);
    uint32_t inside = described(v, port_arg(v, c, SIGNET_INPUT, position));
    uint32_t outside = described(v, a);
    signet_location at = sg_at_arg(v->p, &v->log, (signet_arg){c->inputs.first + i});
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_DELEGATE_ARGUMENT, at);
    sg_diag_message(d, "%s passes %s as argument %u of %s, but its body takes %s there",
                    sg_node_words(v, c->node), outside != 0 ? value_words(v, outside) : "a literal",
                    i, module_words(v, c), value_words(v, inside));
    sg_diag_label(d, "another %s", differs);
    sg_diag_related(d, at_port(v, c, SIGNET_INPUT, position), "user input %u of the body", i);
    hint_order(v, d, c, i, inside);
    sg_diag_end(d);
}

/* The first that differs: arguments in the wrong order are one fault. */
static void check_argument(struct sg_verify *v, const struct sg_thing *t) {
    struct call c;
    const uint32_t *ports;
    uint32_t count;
    if (!open_call(v, t, SIGNET_CODE_DELEGATE_ARGUMENT, SIGNET_INPUT, &c, &ports, &count) ||
        c.inputs.count != count) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t inside = described(v, port_arg(v, &c, SIGNET_INPUT, ports[i]));
        const char *differs = argument_difference(v, sg_arg(v->p, c.inputs.first + i), inside);
        if (inside != 0 && differs != NULL) {
            report_argument(v, &c, i, ports[i], differs);
            v->parties.misfit = c.node;
            return;
        }
    }
}

/* ---- delegate.result ------------------------------------------------------------------------- */

/* Results of a printed program are written there because something takes them. */
static bool is_taken(const struct sg_verify *v, const struct call *c, const struct sg_arg *a) {
    return sg_arg_has_value(a) &&
           (sg_node(v->p, c->node)->results_open || sg_value(v->p, a->u.ref.value)->use_count != 0);
}

static void report_result_index(struct sg_verify *v, const struct call *c, uint32_t i,
                                uint32_t count) {
    uint32_t value = sg_arg(v->p, c->results.first + i)->u.ref.value;
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_DELEGATE_RESULT,
                                      sg_at_value(v->p, &v->log, (signet_value){value}));
    sg_diag_message(d, "%s is result %u of %s, but the body of %s returns %u",
                    sg_quote(v, sg_value(v->p, value)->name), i, sg_node_words(v, c->node),
                    module_words(v, c), count);
    sg_diag_label(d, "no such result");
    sg_diag_note(d, "outputs of the body that are mutations stay inside and do not count");
    if (count != 0) {
        sg_diag_help(d, "take a result from 0 to %u, or make the body return one more", count - 1);
    } else {
        sg_diag_help(d, "make the body return the value");
    }
    sg_diag_end(d);
}

static void report_result(struct sg_verify *v, const struct call *c, uint32_t i, uint32_t position,
                          const char *differs) {
    uint32_t outside = described(v, sg_arg(v->p, c->results.first + i));
    uint32_t inside = described(v, port_arg(v, c, SIGNET_OUTPUT, position));
    /* Arguments that do not fit either: it is another body, or another call. */
    bool muted = sg_fold(v, v->parties.misfit == c->node);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_DELEGATE_RESULT,
                                      sg_at_value(v->p, &v->log, (signet_value){outside}));
    sg_diag_message(d, "result %u of %s is %s, but the body of %s returns %s there", i,
                    sg_node_words(v, c->node), value_words(v, outside), module_words(v, c),
                    value_words(v, inside));
    sg_diag_label(d, "another %s", differs);
    sg_diag_related(d, at_port(v, c, SIGNET_OUTPUT, position), "result %u", i);
    sg_diag_note(d, "outputs of the body that are mutations stay inside and do not count");
    sg_diag_help(d, "take the result that is meant, or describe what the body returns");
    sg_diag_end(d);
    v->log.muted = muted;
}

/* The first that is wrong: an output that the body has lost moves all results behind it. */
static void check_result(struct sg_verify *v, const struct sg_thing *t) {
    struct call c;
    const uint32_t *ports;
    uint32_t count;
    if (!open_call(v, t, SIGNET_CODE_DELEGATE_RESULT, SIGNET_OUTPUT, &c, &ports, &count)) {
        return;
    }
    for (uint32_t i = 0; i < c.results.count; i++) {
        const struct sg_arg *a = sg_arg(v->p, c.results.first + i);
        if (!is_taken(v, &c, a)) {
            continue;
        }
        if (i >= count) {
            report_result_index(v, &c, i, count);
            return;
        }
        uint32_t inside = described(v, port_arg(v, &c, SIGNET_OUTPUT, ports[i]));
        const char *differs = difference(v, described(v, a), inside);
        if (differs != NULL) {
            report_result(v, &c, i, ports[i], differs);
            return;
        }
    }
}

/* ---- delegate.dead-state --------------------------------------------------------------------- */

static void check_dead_state(struct sg_verify *v, const struct sg_thing *t) {
    struct call c;
    if (!read_call(v, t->node.id, &c)) {
        return;
    }
    for (uint32_t i = 0; i < c.results.count; i++) {
        const struct sg_arg *a = sg_arg(v->p, c.results.first + i);
        if (sg_arg_has_value(a) && sg_value(v->p, a->u.ref.value)->use_count != 0) {
            return;
        }
    }
    if (c.body == 0) {
        sg_not_checked(v, SIGNET_CODE_DELEGATE_DEAD_STATE);
        return;
    }
    const uint32_t *ports;
    uint32_t count;
    uint32_t outputs = sg_program(v->p, c.body)->specs[SIGNET_OUTPUT].count;
    if (!sg_ports(v, c.body, SIGNET_OUTPUT, &ports, &count) || count == outputs) {
        return; /* it updates nothing */
    }
    struct sg_diag *d =
        sg_diag_begin(&v->log, SIGNET_CODE_DELEGATE_DEAD_STATE, sg_at_node(v->p, &v->log, t->node));
    sg_diag_message(d, "nothing reads a result of %s, which updates %u state%s of %s",
                    sg_node_words(v, t->node.id), outputs - count, outputs - count == 1 ? "" : "s",
                    module_words(v, &c));
    sg_diag_label(d, "looks dead, and is not");
    sg_diag_help(d, "keep the call through every later pass, or return something that is read");
    sg_diag_end(d);
}

/* ---- Table ----------------------------------------------------------------------------------- */

static const struct sg_rule rules[] = {
    {SIGNET_CODE_DELEGATE_MODULE_MISSING, SG_SCOPE_DELEGATE_CALL, 0, check_module_missing},
    {SIGNET_CODE_DELEGATE_ARITY, SG_SCOPE_DELEGATE_CALL, 0, check_arity},
    {SIGNET_CODE_DELEGATE_ARGUMENT, SG_SCOPE_DELEGATE_CALL, 0, check_argument},
    {SIGNET_CODE_DELEGATE_RESULT, SG_SCOPE_DELEGATE_CALL, 0, check_result},
    {SIGNET_CODE_DELEGATE_DEAD_STATE, SG_SCOPE_DELEGATE_CALL, 0, check_dead_state},
    {SIGNET_CODE_DELEGATE_NESTED_CALL, SG_SCOPE_DELEGATE_CALL, 0, check_nested_call},
};

const struct sg_rule_family sg_rules_delegate = {rules, SG_COUNT_OF(rules)};
