/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torch: what PyTorch 2.13 refuses although nothing is wrong with it, or for another reason than
 * what is wrong. These rules run in PyTorch's profile only.
 *
 * PyTorch cuts the list of graph outputs by counting (torch/_export/verifier.py,
 * _verify_exported_program_signature): tokens, then as many mutations as its three dictionaries
 * from value name to target have entries, then as many user outputs and losses as there are specs;
 * it does not look at the rest. A value that updates two targets is one entry of a dictionary, so
 * every border behind it is off by one.
 */

#include "base/compiler.h"
#include "base/text.h"
#include "verifier/verifier_internal.h"

/* ---- The cut --------------------------------------------------------------------------------- */

struct cut {
    struct sg_verify *v;
    const struct sg_program *r;
    const struct sg_graph *g;
    struct sg_map *by_name; /* sg_key(output kind, name) -> position + 1 of the last such spec */
    uint32_t mutations;     /* entries of the three dictionaries */
    struct sg_torch_outputs *verdict;
};

static const struct sg_arg *output_arg(const struct cut *c, uint32_t i) {
    return sg_arg(c->v->p, c->g->outputs.first + i);
}

static const struct sg_arg *declared_arg(const struct cut *c, uint32_t i) {
    return sg_arg(c->v->p, c->r->specs[SIGNET_OUTPUT].data[i].arg);
}

/* The name of the node that is output i; 0: it is a constant. */
static sg_strid output_name(const struct cut *c, uint32_t i) {
    const struct sg_arg *a = output_arg(c, i);
    return sg_arg_has_value(a) ? sg_value(c->v->p, a->u.ref.value)->name : 0;
}

/* Does a declared argument name a value? Constants have their own value instead. Where the carrier
 * does not tell the kind (printed text), what has a name is a value. */
static bool names_value(const struct sg_arg *declared) {
    sg_payload payload = sg_arg_kind_payload((signet_arg_kind)declared->kind);
    bool value = declared->kind == SIGNET_ARG_UNKNOWN || payload == SG_PAYLOAD_VALUE ||
                 (payload == SG_PAYLOAD_SYMBOL && !declared->literal);
    return declared->name != 0 && value;
}

static bool add_mutation(struct cut *c, uint32_t i) {
    const struct sg_spec *s = &c->r->specs[SIGNET_OUTPUT].data[i];
    sg_strid name = declared_arg(c, i)->name;
    if (!signet_output_kind_is_mutation((signet_output_kind)s->kind) || s->target == 0 ||
        name == 0) {
        return true;
    }
    uint64_t key = sg_key(s->kind, name);
    uint32_t before = sg_map_get(c->by_name, key);
    c->mutations += before == 0;
    if (before != 0 && c->verdict->shared == 0) {
        c->verdict->shared = i + 1;
    }
    return sg_map_put(c->by_name, key, i + 1);
}

static void refuse(struct cut *c, const char *check, uint32_t position) {
    if (c->verdict->check == NULL) {
        c->verdict->check = check;
        c->verdict->position = position;
    }
}

/* The last spec of that kind whose value has the name of output i; null: there is none. */
static const struct sg_spec *mutation_of(const struct cut *c, uint32_t i, signet_output_kind kind) {
    sg_strid name = output_name(c, i);
    uint32_t at = name != 0 ? sg_map_get(c->by_name, sg_key((uint32_t)kind, name)) : 0;
    return at != 0 ? &c->r->specs[SIGNET_OUTPUT].data[at - 1] : NULL;
}

/* PyTorch knows constant user inputs by their value, not by their name. */
static bool has_user_input(const struct cut *c, sg_strid target) {
    uint32_t input = sg_input_find(c->v, SIGNET_INPUT_KIND_USER_INPUT, target);
    return input != 0 &&
           names_value(sg_arg(c->v->p, sg_spec_at(c->v, SIGNET_INPUT, input - 1)->arg));
}

static void check_mutation(struct cut *c, uint32_t i) {
    const struct sg_spec *s = mutation_of(c, i, SIGNET_OUTPUT_KIND_BUFFER_MUTATION);
    if (s != NULL) {
        if (sg_input_find(c->v, SIGNET_INPUT_KIND_BUFFER, s->target) == 0) {
            refuse(c, "S-MBUF", i);
        }
        return;
    }
    s = mutation_of(c, i, SIGNET_OUTPUT_KIND_PARAMETER_MUTATION);
    if (s != NULL) {
        if (sg_input_find(c->v, SIGNET_INPUT_KIND_PARAMETER, s->target) == 0) {
            refuse(c, "S-MPAR", i);
        }
        return;
    }
    s = mutation_of(c, i, SIGNET_OUTPUT_KIND_USER_INPUT_MUTATION);
    if (s == NULL) {
        refuse(c, "S-MNONE", i);
    } else if (!has_user_input(c, s->target)) {
        refuse(c, "S-MUSR", i);
    }
}

/* ---- Python's == of two constants ------------------------------------------------------------ */

static bool is_whole(const struct sg_arg *a) {
    return a->kind == SIGNET_ARG_INT || a->kind == SIGNET_ARG_BOOL ||
           a->kind == SIGNET_ARG_SYM_INT || a->kind == SIGNET_ARG_SYM_BOOL;
}

static bool is_real(const struct sg_arg *a) {
    return a->kind == SIGNET_ARG_FLOAT || a->kind == SIGNET_ARG_SYM_FLOAT;
}

static double number_of(const struct sg_arg *a) {
    return is_whole(a) ? (double)a->u.integer : a->u.real;
}

static bool same_constant(const struct sg_arg *a, const struct sg_arg *b) {
    if (b->kind == SIGNET_ARG_UNKNOWN || b->kind == SIGNET_ARG_CONSTANT) {
        return true; /* the carrier does not tell which constant */
    }
    if (is_whole(a) && is_whole(b)) { /* as doubles, large numbers would equal their neighbours */
        return a->u.integer == b->u.integer;
    }
    if ((is_whole(a) || is_real(a)) && (is_whole(b) || is_real(b))) {
        double x = number_of(a);
        double y = number_of(b);
        return x <= y && x >= y; /* false for NaN, as in Python */
    }
    return a->kind == b->kind &&
           (a->kind == SIGNET_ARG_NONE || (a->kind == SIGNET_ARG_STRING && a->u.text == b->u.text));
}

static void check_user_output(struct cut *c, uint32_t i, uint32_t spec) {
    const struct sg_arg *declared = declared_arg(c, spec);
    sg_strid name = output_name(c, i);
    bool same = names_value(declared) ? name == declared->name
                                      : name == 0 && same_constant(output_arg(c, i), declared);
    if (!same) {
        refuse(c, "S-USR", i);
    }
}

static void check_outputs(struct cut *c) {
    const struct sg_kinds *k = sg_kinds(c->v);
    uint32_t count = c->g->outputs.count;
    uint32_t at = k->count[SIGNET_OUTPUT][SIGNET_OUTPUT_KIND_TOKEN];
    for (uint32_t i = 0; i < c->mutations && at < count; i++) {
        check_mutation(c, at++);
    }
    for (uint32_t i = 0; i < c->r->specs[SIGNET_OUTPUT].count && at < count; i++) {
        uint8_t kind = c->r->specs[SIGNET_OUTPUT].data[i].kind;
        if (kind == SIGNET_OUTPUT_KIND_USER_OUTPUT || kind == SIGNET_OUTPUT_KIND_LOSS_OUTPUT) {
            check_user_output(c, at++, i);
        }
    }
}

const struct sg_torch_outputs *sg_torch_outputs(struct sg_verify *v) {
    struct sg_torch_outputs *verdict = &v->gathered.torch_outputs;
    const struct sg_program *r = sg_program(v->p, v->program.id);
    if (verdict->program == v->program.id) {
        return verdict;
    }
    *verdict = (struct sg_torch_outputs){.program = v->program.id};
    struct cut c = {.v = v,
                    .r = r,
                    .g = sg_graph(v->p, r->graph),
                    .by_name = sg_map_create(&v->p->allocator),
                    .verdict = verdict};
    bool ok = c.by_name != NULL;
    for (uint32_t i = 0; ok && i < r->specs[SIGNET_OUTPUT].count; i++) {
        ok = add_mutation(&c, i);
    }
    if (!ok) {
        sg_no_memory(v);
    } else if (c.g->outputs.count == r->specs[SIGNET_OUTPUT].count &&
               sg_kinds(v)->count[SIGNET_OUTPUT][0] == 0) {
        check_outputs(&c); /* PyTorch gets there only when everything was read and counts agree */
    }
    sg_map_destroy(c.by_name);
    return verdict;
}

/* ---- torch.shared-value, torch.output-order -------------------------------------------------- */

static struct sg_diag *begin_at_output(struct sg_verify *v, signet_code code, uint32_t i) {
    return sg_diag_begin(&v->log, code,
                         sg_at_spec(v->p, &v->log, v->program, SIGNET_OUTPUT, i, SG_SPEC_WHOLE));
}

/* Says it only when no other finding does: PyTorch stops at the first. */
static const struct sg_torch_outputs *refused(struct sg_verify *v) {
    const struct sg_torch_outputs *verdict = sg_torch_outputs(v);
    return verdict->check != NULL && v->log.report->errors == v->errors_before ? verdict : NULL;
}

static void check_shared_value(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_torch_outputs *verdict = refused(v);
    if (verdict == NULL || verdict->shared == 0) {
        return;
    }
    uint32_t i = verdict->shared - 1;
    struct sg_diag *d = begin_at_output(v, SIGNET_CODE_TORCH_SHARED_VALUE, i);
    sg_diag_message(d,
                    "%s updates %s with a value that already updates another target; PyTorch "
                    "2.13 counts such a value once and takes output %u for something else",
                    sg_spec_words(v, SIGNET_OUTPUT, i),
                    sg_quote(v, sg_spec_at(v, SIGNET_OUTPUT, i)->target), verdict->position);
    sg_diag_help(d, "give the second target a copy of the value (aten.clone)");
    sg_diag_torch(d, verdict->check);
    sg_diag_end(d);
    (void)t;
}

static void check_output_order(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_torch_outputs *verdict = refused(v);
    if (verdict == NULL) {
        return;
    }
    struct sg_diag *d = begin_at_output(v, SIGNET_CODE_TORCH_OUTPUT_ORDER, verdict->position);
    sg_diag_message(d, "%s does not stand where PyTorch 2.13 looks for it",
                    sg_spec_words(v, SIGNET_OUTPUT, verdict->position));
    sg_diag_help(d, "put tokens first, then mutations, then user outputs and loss, then gradients");
    sg_diag_torch(d, verdict->check);
    sg_diag_end(d);
    (void)t;
}

/* ---- torch.needs-executorch ------------------------------------------------------------------ */

static void check_dialects(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_program *r = sg_program(v->p, t->program.id);
    for (uint32_t i = 0; i < r->dialects.count; i++) {
        bool in_torch;
        if (!sg_is_dialect(sg_string(v->p, r->dialects.data[i]), &in_torch) || in_torch) {
            continue;
        }
        struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_TORCH_NEEDS_EXECUTORCH,
                                          sg_at_program(v->p, &v->log, t->program));
        sg_diag_message(d,
                        "the program claims the dialect %s, which PyTorch knows only after "
                        "ExecuTorch was imported",
                        sg_quote(v, r->dialects.data[i]));
        sg_diag_help(d, "import executorch.exir in front of torch.export.load");
        sg_diag_torch(d, "D-DIA");
        sg_diag_end(d);
    }
}

/* Printed programs cannot be loaded at all, so what their operators are called does not matter. */
static void check_edge_target(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_node *n = sg_node(v->p, t->node.id);
    if (sg_operator(v->p, n->op)->op_class != SIGNET_OPERATOR_EDGE ||
        sg_program(v->p, v->program.id)->lossy) {
        return;
    }
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_TORCH_NEEDS_EXECUTORCH,
                                      sg_at_node(v->p, &v->log, t->node));
    sg_diag_message(d,
                    "%s is an operator of ExecuTorch's edge dialect, which torch.export.load "
                    "does not find",
                    sg_node_words(v, t->node.id));
    sg_diag_help(d, "load the program with executorch.exir");
    sg_diag_torch(d, "D-OP");
    sg_diag_end(d);
}

/* ---- torch.input-kind ------------------------------------------------------------------------ */

static bool loads_input(const struct sg_arg *a) {
    static const signet_arg_kind kinds[] = {
        SIGNET_ARG_TENSOR,   SIGNET_ARG_CUSTOM_OBJ, SIGNET_ARG_INT,
        SIGNET_ARG_FLOAT,    SIGNET_ARG_BOOL,       SIGNET_ARG_NONE,
        SIGNET_ARG_STRING,   SIGNET_ARG_TOKEN, /* a tensor in the file */
        SIGNET_ARG_CONSTANT,                   /* printed text does not tell */
        SIGNET_ARG_RAW,                        /* the reader has told it */
    };
    for (size_t i = 0; i < SG_COUNT_OF(kinds); i++) {
        if (a->kind == (uint8_t)kinds[i]) {
            return true;
        }
    }
    return a->kind == SIGNET_ARG_SYM_INT && !a->literal;
}

static void check_input_kind(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_graph *g = sg_graph(v->p, t->graph.id);
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        const struct sg_arg *a = sg_arg(v->p, g->inputs.first + i);
        if (loads_input(a)) {
            continue;
        }
        const char *kind = signet_arg_kind_name((signet_arg_kind)a->kind);
        struct sg_diag *d =
            sg_diag_begin(&v->log, SIGNET_CODE_TORCH_INPUT_KIND,
                          sg_at_arg(v->p, &v->log, (signet_arg){g->inputs.first + i}));
        sg_diag_message(d, "%s is a %s, which torch.export.load does not take for an input",
                        sg_arg_words(v, g->inputs.first + i), kind != NULL ? kind : "value");
        sg_diag_help(d, "pass a tensor or an integer in its place");
        sg_diag_torch(d, "D-IN");
        sg_diag_end(d);
    }
}

static const struct sg_rule rules[] = {
    {SIGNET_CODE_TORCH_NEEDS_EXECUTORCH, SG_SCOPE_PROGRAM, 0, check_dialects},
    {SIGNET_CODE_TORCH_INPUT_KIND, SG_SCOPE_GRAPH, 0, check_input_kind},
    {SIGNET_CODE_TORCH_NEEDS_EXECUTORCH, SG_SCOPE_NODE, 0, check_edge_target},
    {SIGNET_CODE_TORCH_SHARED_VALUE, SG_SCOPE_END, 0, check_shared_value},
    {SIGNET_CODE_TORCH_OUTPUT_ORDER, SG_SCOPE_END, 0, check_output_order},
};
const struct sg_rule_family sg_rules_torch = {rules, SG_COUNT_OF(rules)};
