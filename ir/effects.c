/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order that effects impose. Each effect has a resource: the memory of a tensor, the random
 * numbers, the checks, one delegate, or everything that is not known. A node with an effect depends
 * on the effect on the same resource before it; a node that reads memory depends on the last write
 * to it. Which tensors may share memory is told from the operators' names, generously: a pair that
 * does not share costs an equality that is not seen, never one that is none.
 */

#include <string.h>

#include "base/compiler.h"
#include "base/text.h"
#include "ir/structure.h"

enum effect {
    EFFECT_WRITE_FIRST = 1, /* writes the memory of its first argument */
    EFFECT_WRITE_OUT = 2,   /* of its arguments named out */
    EFFECT_WRITE_ALL = 4,   /* may write the memory of every argument */
    EFFECT_RANDOM = 8,
    EFFECT_CHECK = 16,
    EFFECT_UNKNOWN = 32,
    EFFECT_DELEGATE = 64,
    EFFECT_TOKEN = 128, /* ordered by the tokens that it passes on, but never dead */
    EFFECT_ALIAS_FIRST = 256,
    EFFECT_ALIAS_ALL = 512,
    EFFECT_HELD = 1024, /* higher order: as its subgraphs */
};
#define EFFECT_WRITES (EFFECT_WRITE_FIRST | EFFECT_WRITE_OUT | EFFECT_WRITE_ALL)
#define EFFECT_ALIASES (EFFECT_ALIAS_FIRST | EFFECT_ALIAS_ALL)
#define EFFECT_CLASSIFIED 0x8000

/* The resources that are not memory. */
enum resource { RESOURCE_RANDOM, RESOURCE_CHECK, RESOURCE_UNKNOWN, RESOURCE_COUNT };

struct analysis {
    struct sg_structure *s;
    uint16_t *operators;  /* by operator: effects, or 0 where not yet known */
    uint16_t *nodes;      /* by node: effects */
    uint32_t *alias;      /* by value: another value of the same memory, up to the one of itself */
    uint32_t *last_write; /* by value that stands for its memory: node */
    uint32_t *delegates;  /* by delegate: the last call, in this graph or in one before */
    uint32_t last[RESOURCE_COUNT];
};

/* ---- Operators ------------------------------------------------------------------------------ */

static bool is_one_of(signet_string name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (sg_string_is(name, names[i])) {
            return true;
        }
    }
    return false;
}

static uint16_t effects_of_aten(signet_string name) {
    static const char *const random[] = {
#define SG_RANDOM(text) text,
#include "ir/effects.def"
    };
    static const char *const checks[] = {
#define SG_CHECK(text) text,
#include "ir/effects.def"
    };
    static const char *const views[] = {
#define SG_VIEW(text) text,
#include "ir/effects.def"
    };
    uint16_t effects = 0;
    signet_string bare = name;
    bare.length -= sg_string_ends(name, "_");
    for (size_t i = 0; i < SG_COUNT_OF(checks); i++) {
        effects |= sg_string_starts(name, checks[i]) ? EFFECT_CHECK : 0;
    }
    effects |= is_one_of(bare, random, SG_COUNT_OF(random)) ? EFFECT_RANDOM : 0;
    effects |= is_one_of(bare, views, SG_COUNT_OF(views)) ? EFFECT_ALIAS_FIRST : 0;
    return effects;
}

static uint16_t effects_of_higher_order(signet_string name) {
    static const char *const pure[] = {
#define SG_PURE_HIGHER_ORDER(text) text,
#include "ir/effects.def"
    };
    if (sg_string_is(name, "with_effects")) {
        return EFFECT_TOKEN | EFFECT_ALIAS_ALL;
    }
    bool known = is_one_of(name, pure, SG_COUNT_OF(pure));
    return known ? EFFECT_HELD | EFFECT_ALIAS_ALL
                 : EFFECT_UNKNOWN | EFFECT_WRITE_ALL | EFFECT_ALIAS_ALL;
}

static uint16_t classify(const signet_package *p, const struct sg_operator *o) {
    signet_string name = sg_string(p, o->name);
    signet_string space = sg_string(p, o->name_space);
    uint16_t effects = 0;
    switch ((signet_operator_class)o->op_class) {
    case SIGNET_OPERATOR_OVERLOAD:
    case SIGNET_OPERATOR_EDGE:
    case SIGNET_OPERATOR_PACKET:
        effects = sg_string_is(space, "aten") ? effects_of_aten(name) : EFFECT_ALIAS_ALL;
        if (o->in_place) {
            effects |= sg_string_ends(name, "_") ? EFFECT_WRITE_FIRST | EFFECT_ALIAS_FIRST
                                                 : EFFECT_WRITE_OUT | EFFECT_ALIAS_ALL;
        }
        return effects;
    case SIGNET_OPERATOR_HIGHER_ORDER:
        return effects_of_higher_order(name);
    case SIGNET_OPERATOR_DELEGATE_CALL:
        return EFFECT_DELEGATE;
    case SIGNET_OPERATOR_GETITEM:
        return EFFECT_ALIAS_FIRST;
    case SIGNET_OPERATOR_BUILTIN:
        return 0;
    case SIGNET_OPERATOR_MALFORMED:
    case SIGNET_OPERATOR_EXTENSION:
    case SIGNET_OPERATOR_FUNCTION:
        break;
    }
    return EFFECT_ALIAS_ALL;
}

static bool is_stateful(const struct analysis *x, const struct sg_delegate *d) {
    const struct sg_program *body = sg_program(x->s->p, d->body);
    if (body->graph == 0 || x->s->graph_effects[body->graph].count != 0) {
        return true;
    }
    for (uint32_t i = 0; i < body->specs[SIGNET_OUTPUT].count; i++) {
        signet_output_kind kind = (signet_output_kind)body->specs[SIGNET_OUTPUT].data[i].kind;
        if (kind == SIGNET_OUTPUT_KIND_UNKNOWN || signet_output_kind_is_mutation(kind)) {
            return true;
        }
    }
    return false;
}

/* What the arguments say: subgraphs with effects, delegates with state, a dropout in attention. */
static uint16_t effects_of_args(const struct analysis *x, const struct sg_node *n,
                                uint16_t effects) {
    const signet_package *p = x->s->p;
    uint16_t more = 0;
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        uint32_t top = n->inputs.first + i;
        const struct sg_arg *a = sg_arg(p, top);
        if (a->kind == SIGNET_ARG_FLOAT && a->u.real != 0 &&
            sg_string_is(sg_string(p, a->name), "dropout_p")) {
            more |= EFFECT_RANDOM;
        }
        for (uint32_t at = top; at != 0; at = sg_arg_next(p, top, at)) {
            a = sg_arg(p, at);
            if (a->kind == SIGNET_ARG_DELEGATE && is_stateful(x, sg_delegate(p, a->u.id))) {
                more |= EFFECT_DELEGATE;
            }
            if (a->kind == SIGNET_ARG_GRAPH &&
                x->s->graph_effects[sg_arg_held_graph(p, a)].count != 0) {
                more |= EFFECT_UNKNOWN | EFFECT_WRITE_ALL;
            }
        }
    }
    effects &= (uint16_t) ~(EFFECT_HELD | EFFECT_DELEGATE);
    return effects | more;
}

static uint16_t effects_of(const struct analysis *x, uint32_t node) {
    const signet_package *p = x->s->p;
    const struct sg_node *n = sg_node(p, node);
    uint16_t *known = &x->operators[n->op];
    if (*known == 0) {
        *known = classify(p, sg_operator(p, n->op)) | EFFECT_CLASSIFIED;
    }
    uint16_t effects = *known;
    bool knows_delegate = (effects & EFFECT_DELEGATE) == 0;
    effects = effects_of_args(x, n, effects);
    if (!knows_delegate &&
        (n->inputs.count == 0 || sg_arg(p, n->inputs.first)->kind != SIGNET_ARG_DELEGATE)) {
        effects |= EFFECT_UNKNOWN; /* the carrier does not say which delegate it calls */
    }
    if (n->outputs.count == 0 && !n->results_open && (effects & EFFECT_WRITES) == 0 &&
        (effects & EFFECT_CHECK) == 0) {
        effects |= EFFECT_UNKNOWN | EFFECT_WRITE_ALL; /* what else would it be there for? */
    }
    return effects;
}

/* ---- Memory --------------------------------------------------------------------------------- */

static uint32_t memory_of(const struct analysis *x, uint32_t value) {
    while (x->alias[value] != 0) {
        uint32_t next = x->alias[x->alias[value]];
        if (next != 0) {
            x->alias[value] = next; /* halve the way for the next one */
        }
        value = x->alias[value];
    }
    return value;
}

static void share_memory(const struct analysis *x, uint32_t a, uint32_t b) {
    a = memory_of(x, a);
    b = memory_of(x, b);
    if (a != b) {
        x->alias[a > b ? a : b] = a > b ? b : a;
    }
}

/* Calls for each value that the arguments from `from` on name. */
static void share_args(const struct analysis *x, uint32_t *with, struct sg_list args) {
    const signet_package *p = x->s->p;
    for (uint32_t i = 0; i < args.count; i++) {
        uint32_t top = args.first + i;
        for (uint32_t at = top; at != 0; at = sg_arg_next(p, top, at)) {
            const struct sg_arg *a = sg_arg(p, at);
            if (!sg_arg_has_value(a)) {
                continue;
            }
            if (*with == 0) {
                *with = a->u.ref.value;
            }
            share_memory(x, *with, a->u.ref.value);
        }
    }
}

static void alias_results(const struct analysis *x, uint32_t node, uint16_t effects) {
    const struct sg_node *n = sg_node(x->s->p, node);
    struct sg_list inputs = n->inputs;
    if ((effects & EFFECT_ALIASES) == 0) {
        return;
    }
    if ((effects & EFFECT_ALIAS_ALL) == 0 && inputs.count > 1) {
        inputs.count = 1;
    }
    uint32_t value = 0;
    share_args(x, &value, inputs);
    share_args(x, &value, n->outputs);
}

static bool is_out(const signet_package *p, const struct sg_arg *a) {
    return sg_string_starts(sg_string(p, a->name), "out");
}

/* The arguments that a node writes to. */
static bool writes_to(const struct analysis *x, const struct sg_node *n, uint32_t i,
                      uint16_t effects) {
    const signet_package *p = x->s->p;
    if ((effects & EFFECT_WRITE_ALL) != 0 || ((effects & EFFECT_WRITE_FIRST) != 0 && i == 0)) {
        return true;
    }
    if ((effects & EFFECT_WRITE_OUT) == 0) {
        return false;
    }
    for (uint32_t k = 0; k < n->inputs.count; k++) {
        if (is_out(p, sg_arg(p, n->inputs.first + k))) {
            return is_out(p, sg_arg(p, n->inputs.first + i));
        }
    }
    return true; /* none has a name: it may be any */
}

/* ---- Order ---------------------------------------------------------------------------------- */

static bool add_dep(struct sg_structure *s, uint32_t node, uint32_t on) {
    if (!sg_vec_reserve(&s->p->allocator, &s->deps, 1)) {
        return false;
    }
    s->deps.data[s->deps.count++] = on;
    s->node_deps[node].count++;
    return true;
}

/* The last writes to what the node names. */
static bool depend_on_memory(struct analysis *x, uint32_t node) {
    const signet_package *p = x->s->p;
    struct sg_list inputs = sg_node(p, node)->inputs;
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t top = inputs.first + i;
        for (uint32_t at = top; at != 0; at = sg_arg_next(p, top, at)) {
            const struct sg_arg *a = sg_arg(p, at);
            if (sg_arg_has_value(a) &&
                !add_dep(x->s, node, x->last_write[memory_of(x, a->u.ref.value)])) {
                return false;
            }
        }
    }
    return true;
}

static void write_memory(struct analysis *x, uint32_t node, uint16_t effects) {
    const signet_package *p = x->s->p;
    const struct sg_node *n = sg_node(p, node);
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        if (!writes_to(x, n, i, effects)) {
            continue;
        }
        uint32_t top = n->inputs.first + i;
        for (uint32_t at = top; at != 0; at = sg_arg_next(p, top, at)) {
            const struct sg_arg *a = sg_arg(p, at);
            if (sg_arg_has_value(a)) {
                x->last_write[memory_of(x, a->u.ref.value)] = node;
            }
        }
    }
}

static bool use(struct analysis *x, uint32_t *resource, uint32_t node) {
    if (!add_dep(x->s, node, *resource)) {
        return false;
    }
    *resource = node;
    return true;
}

static bool use_delegates(struct analysis *x, uint32_t node) {
    const signet_package *p = x->s->p;
    struct sg_list inputs = sg_node(p, node)->inputs;
    for (uint32_t i = 0; i < inputs.count; i++) {
        const struct sg_arg *a = sg_arg(p, inputs.first + i);
        if (a->kind != SIGNET_ARG_DELEGATE || a->u.id >= p->delegates.count) {
            continue;
        }
        uint32_t *last = &x->delegates[a->u.id];
        if (sg_node(p, *last)->graph != sg_node(p, node)->graph) {
            *last = 0; /* of another graph */
        }
        if (!use(x, last, node)) {
            return false;
        }
    }
    return true;
}

static bool order_node(struct analysis *x, uint32_t node, uint16_t effects, bool writes) {
    static const struct {
        uint16_t effect;
        enum resource resource;
    } rows[] = {{EFFECT_RANDOM, RESOURCE_RANDOM},
                {EFFECT_CHECK, RESOURCE_CHECK},
                {EFFECT_UNKNOWN, RESOURCE_UNKNOWN}};
    x->s->node_deps[node] = (struct sg_list){x->s->deps.count, 0};
    if (writes && !depend_on_memory(x, node)) {
        return false;
    }
    if ((effects & EFFECT_WRITES) != 0) {
        write_memory(x, node, effects);
    }
    for (size_t i = 0; i < SG_COUNT_OF(rows); i++) {
        if ((effects & rows[i].effect) != 0 && !use(x, &x->last[rows[i].resource], node)) {
            return false;
        }
    }
    return (effects & EFFECT_DELEGATE) == 0 || use_delegates(x, node);
}

/* True when a node has the last effect on something that it touches. */
static bool is_last(const struct analysis *x, uint32_t node, uint16_t effects) {
    const signet_package *p = x->s->p;
    const struct sg_node *n = sg_node(p, node);
    bool last = (effects & EFFECT_TOKEN) != 0;
    for (int i = 0; i < RESOURCE_COUNT; i++) {
        last = last || x->last[i] == node;
    }
    for (uint32_t i = 0; i < n->inputs.count && !last; i++) {
        uint32_t top = n->inputs.first + i;
        bool writes = writes_to(x, n, i, effects);
        for (uint32_t at = top; at != 0 && !last; at = sg_arg_next(p, top, at)) {
            const struct sg_arg *a = sg_arg(p, at);
            if (a->kind == SIGNET_ARG_DELEGATE && a->u.id < p->delegates.count) {
                last = x->delegates[a->u.id] == node;
            } else if (writes && sg_arg_has_value(a)) {
                last = x->last_write[memory_of(x, a->u.ref.value)] == node;
            }
        }
    }
    return last;
}

static bool collect(struct analysis *x, uint32_t graph) {
    struct sg_structure *s = x->s;
    struct sg_list *out = &s->graph_effects[graph];
    *out = (struct sg_list){s->effects.count, 0};
    for (uint32_t n = sg_graph(s->p, graph)->first; n != 0; n = sg_node(s->p, n)->next) {
        uint16_t effects = x->nodes[n];
        bool any = (effects & ~(EFFECT_ALIASES | EFFECT_CLASSIFIED)) != 0;
        if (!any || !is_last(x, n, effects)) {
            continue;
        }
        if (!sg_vec_reserve(&s->p->allocator, &s->effects, 1)) {
            return false;
        }
        s->effects.data[s->effects.count++] = n;
        out->count++;
    }
    return true;
}

static bool order_graph(struct analysis *x, uint32_t graph) {
    const signet_package *p = x->s->p;
    bool writes = false;
    for (uint32_t n = sg_graph(p, graph)->first; n != 0; n = sg_node(p, n)->next) {
        x->nodes[n] = effects_of(x, n);
        writes = writes || (x->nodes[n] & EFFECT_WRITES) != 0;
    }
    for (uint32_t n = sg_graph(p, graph)->first; n != 0 && writes; n = sg_node(p, n)->next) {
        alias_results(x, n, x->nodes[n]);
    }
    memset(x->last, 0, sizeof(x->last));
    for (uint32_t n = sg_graph(p, graph)->first; n != 0; n = sg_node(p, n)->next) {
        if (!order_node(x, n, x->nodes[n], writes)) {
            return false;
        }
    }
    return collect(x, graph);
}

bool sg_structure_effects(struct sg_structure *s) {
    const signet_package *p = s->p;
    const signet_allocator *a = &p->allocator;
    struct analysis x = {.s = s};
    x.operators = sg_alloc(a, p->operators.count * sizeof(*x.operators));
    x.nodes = sg_alloc(a, p->nodes.count * sizeof(*x.nodes));
    x.alias = sg_alloc(a, p->values.count * sizeof(*x.alias));
    x.last_write = sg_alloc(a, p->values.count * sizeof(*x.last_write));
    x.delegates = sg_alloc(a, p->delegates.count * sizeof(*x.delegates));
    bool ok = x.operators != NULL && x.nodes != NULL && x.alias != NULL && x.last_write != NULL &&
              x.delegates != NULL;
    for (uint32_t i = 0; i < s->order.count && ok; i++) {
        ok = order_graph(&x, s->order.data[i]);
    }
    sg_free(a, x.operators, p->operators.count * sizeof(*x.operators));
    sg_free(a, x.nodes, p->nodes.count * sizeof(*x.nodes));
    sg_free(a, x.alias, p->values.count * sizeof(*x.alias));
    sg_free(a, x.last_write, p->values.count * sizeof(*x.last_write));
    sg_free(a, x.delegates, p->delegates.count * sizeof(*x.delegates));
    return ok;
}
