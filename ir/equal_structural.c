/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structural equality: a paired walk from the outputs and effects of both programs back to their
 * inputs. Nodes that must be equal are put into one class (union-find over the nodes of both
 * sides), so that each pair of classes is looked at once, however many ways lead there. Hashes only
 * say what to pair where there is no order; every pair is confirmed.
 */

#include "base/text.h"
#include "ir/compare.h"
#include "ir/intern_internal.h"

enum pair_kind { PAIR_GRAPHS, PAIR_NODES };

struct pair {
    enum pair_kind kind;
    uint32_t a, b;
};

struct walk {
    struct sg_compare *c;
    struct sg_structure a, b;
    uint32_t *classes;     /* by node of a, then by node of b: another one of its class */
    struct sg_map *graphs; /* pairs of graphs that were met */
    struct sg_map *types;  /* pairs of types that are equal */
    SG_VEC(struct pair) work;
};

/* ---- Classes -------------------------------------------------------------------------------- */

static uint32_t class_of(const struct walk *w, uint32_t i) {
    while (w->classes[i] != i) {
        w->classes[i] = w->classes[w->classes[i]];
        i = w->classes[i];
    }
    return i;
}

/* True when the two were not yet known to have to be equal. */
static bool unite(const struct walk *w, uint32_t a, uint32_t b) {
    uint32_t x = class_of(w, a);
    uint32_t y = class_of(w, w->a.p->nodes.count + b);
    if (x == y) {
        return false;
    }
    w->classes[x > y ? x : y] = x > y ? y : x;
    return true;
}

static uint64_t key_of(uint32_t a, uint32_t b) {
    return (uint64_t)a << 32 | b;
}

static bool push(struct walk *w, enum pair_kind kind, uint32_t a, uint32_t b) {
    if (!sg_vec_reserve(&w->a.p->allocator, &w->work, 1)) {
        return sg_compare_no_memory(w->c);
    }
    w->work.data[w->work.count++] = (struct pair){kind, a, b};
    return true;
}

static bool push_graphs(struct walk *w, uint32_t a, uint32_t b) {
    uint64_t key = key_of(a, b);
    if (sg_map_get(w->graphs, key) != 0) {
        return true;
    }
    return sg_map_put(w->graphs, key, 1) ? push(w, PAIR_GRAPHS, a, b) : sg_compare_no_memory(w->c);
}

static bool push_nodes(struct walk *w, uint32_t a, uint32_t b) {
    return !unite(w, a, b) || push(w, PAIR_NODES, a, b);
}

/* ---- Types ---------------------------------------------------------------------------------- */

static bool same_syms(const struct walk *w, struct sg_list x, struct sg_list y) {
    const signet_package *a = w->a.p;
    const signet_package *b = w->b.p;
    if (x.count != y.count) {
        return false;
    }
    for (uint32_t i = 0; i < x.count; i++) {
        if (!sg_sym_equal(a, a->dims.data[x.first + i], b, b->dims.data[y.first + i])) {
            return false;
        }
    }
    return true;
}

static bool same_type_members(const struct walk *w, const struct sg_type *t,
                              const struct sg_type *u) {
    return t->dtype == u->dtype && t->layout == u->layout && t->requires_grad == u->requires_grad &&
           t->has_strides == u->has_strides && t->has_device_index == u->has_device_index &&
           t->device_index == u->device_index &&
           sg_string_equal(sg_string(w->a.p, t->device), sg_string(w->b.p, u->device)) &&
           same_syms(w, t->sizes, u->sizes) && same_syms(w, t->strides, u->strides);
}

static bool same_type(struct walk *w, uint32_t x, uint32_t y) {
    uint64_t key = key_of(x, y);
    if (sg_map_get(w->types, key) != 0) {
        return true;
    }
    return same_type_members(w, sg_type(w->a.p, x), sg_type(w->b.p, y)) &&
           (sg_map_put(w->types, key, 1) || sg_compare_no_memory(w->c));
}

/* What two values look like. arg: the one of a that defines it, for the message. */
static bool compare_described(struct walk *w, uint32_t x, uint32_t y, uint32_t arg) {
    const struct sg_value *v = sg_value(w->a.p, x);
    const struct sg_value *u = sg_value(w->b.p, y);
    char place[SG_WORDS], here[SG_WORDS], there[SG_WORDS];
    if (v->kind != u->kind || v->described_as != u->described_as) {
        return sg_differ(w->c, "%s is described as another kind of value on the second side",
                         sg_say_place(w->a.p, arg, place));
    }
    bool same = true;
    switch ((signet_value_kind)v->described_as) {
    case SIGNET_VALUE_TENSOR:
        same = same_type(w, v->description, u->description);
        if (!same && !w->c->no_memory) {
            return sg_differ(w->c, "the %s of %s differs: %s on the first side, %s on the second",
                             sg_type_difference(w->a.p, v->description, w->b.p, u->description),
                             sg_say_place(w->a.p, arg, place),
                             sg_say_type(w->a.p, v->description, here),
                             sg_say_type(w->b.p, u->description, there));
        }
        break;
    case SIGNET_VALUE_SYM_INT:
    case SIGNET_VALUE_SYM_FLOAT:
    case SIGNET_VALUE_SYM_BOOL:
        same = sg_sym_equal(w->a.p, v->description, w->b.p, u->description);
        break;
    case SIGNET_VALUE_CUSTOM_OBJ:
        same =
            sg_string_equal(sg_string(w->a.p, v->description), sg_string(w->b.p, u->description));
        break;
    case SIGNET_VALUE_UNKNOWN:
    case SIGNET_VALUE_UNDEFINED:
    case SIGNET_VALUE_TOKEN:
    case SIGNET_VALUE_CONSTANT:
        break;
    }
    return same || sg_differ(w->c, "%s is described differently on the second side",
                             sg_say_place(w->a.p, arg, place));
}

/* ---- Arguments ------------------------------------------------------------------------------ */

static bool same_text(const struct walk *w, sg_strid x, sg_strid y) {
    return sg_string_equal(sg_string(w->a.p, x), sg_string(w->b.p, y));
}

/* The arguments without what they name and without their children. */
static bool same_record(const struct walk *w, const struct sg_arg *x, const struct sg_arg *y) {
    signet_string m = sg_string(w->a.p, x->name);
    signet_string n = sg_string(w->b.p, y->name);
    if (x->kind != y->kind || x->literal != y->literal || m.length != n.length ||
        (m.length != 0 && memcmp(m.data, n.data, m.length) != 0)) {
        return false;
    }
    switch (sg_arg_kind_payload((signet_arg_kind)x->kind)) {
    case SG_PAYLOAD_NOTHING:
    case SG_PAYLOAD_GRAPH:
    case SG_PAYLOAD_DELEGATE:
        return true;
    case SG_PAYLOAD_VALUE:
        return x->kind != SIGNET_ARG_CUSTOM_OBJ || same_text(w, x->u.ref.extra, y->u.ref.extra);
    case SG_PAYLOAD_SYMBOL:
        if (x->kind == SIGNET_ARG_SYM_FLOAT) {
            return !x->literal || sg_real_bits(x->u.real) == sg_real_bits(y->u.real);
        }
        return !x->literal || x->u.integer == y->u.integer;
    case SG_PAYLOAD_INTEGER:
    case SG_PAYLOAD_BOOLEAN:
        return x->u.integer == y->u.integer;
    case SG_PAYLOAD_REAL:
        return sg_real_bits(x->u.real) == sg_real_bits(y->u.real);
    case SG_PAYLOAD_TEXT:
        return same_text(w, x->u.text, y->u.text);
    case SG_PAYLOAD_LIST:
        return x->u.list.count == y->u.list.count;
    case SG_PAYLOAD_DEVICE:
        return x->u.device.index == y->u.device.index &&
               same_text(w, x->u.device.type, y->u.device.type);
    case SG_PAYLOAD_RAW:
        return same_text(w, x->u.raw.tag, y->u.raw.tag) &&
               same_text(w, x->u.raw.text, y->u.raw.text);
    }
    return false;
}

static bool differ_args(const struct walk *w, uint32_t x, uint32_t y) {
    char place[SG_WORDS], here[SG_WORDS], there[SG_WORDS];
    return sg_differ(w->c, "%s is %s on the first side, %s on the second",
                     sg_say_place(w->a.p, x, place), sg_say_arg(w->a.p, x, here),
                     sg_say_arg(w->b.p, y, there));
}

static const struct sg_slot *slot_of_input(const struct sg_structure *s, uint32_t value) {
    const struct sg_value *v = sg_value(s->p, value);
    struct sg_list list = s->inputs[v->graph];
    uint32_t i = sg_arg_position(s->p, v->def);
    return i < list.count ? &s->slots.data[list.first + i] : NULL;
}

/* The same place inside the lists of a node's results. */
static bool same_place(const struct walk *w, uint32_t x, uint32_t y) {
    const signet_package *a = w->a.p;
    const signet_package *b = w->b.p;
    if (sg_arg_position(a, x) != sg_arg_position(b, y)) {
        return false;
    }
    while (sg_arg(a, x)->owner_kind == SG_OWNER_ARG && sg_arg(b, y)->owner_kind == SG_OWNER_ARG) {
        uint32_t m = sg_arg(a, x)->owner;
        uint32_t n = sg_arg(b, y)->owner;
        if (x - sg_arg(a, m)->u.list.first != y - sg_arg(b, n)->u.list.first) {
            return false;
        }
        x = m;
        y = n;
    }
    return sg_arg(a, x)->owner_kind == sg_arg(b, y)->owner_kind;
}

/* "result 0 of node 'add'", "input 1", "the undefined 'ghost'" */
static const char *say_source(const struct sg_structure *s, uint32_t arg, char buffer[SG_WORDS]) {
    const struct sg_value *v = sg_value(s->p, sg_arg(s->p, arg)->u.ref.value);
    if (sg_arg_is_early(s, arg)) {
        return "not yet computed";
    }
    return v->def != 0 ? sg_say_place(s->p, v->def, buffer) : "undefined";
}

static bool differ_values(const struct walk *w, uint32_t x, uint32_t y) {
    char place[SG_WORDS], here[SG_WORDS], there[SG_WORDS];
    return sg_differ(w->c, "%s is %s on the first side, %s on the second",
                     sg_say_place(w->a.p, x, place), say_source(&w->a, x, here),
                     say_source(&w->b, y, there));
}

/* The values that two arguments name. */
static bool compare_values(struct walk *w, uint32_t x, uint32_t y) {
    const signet_package *a = w->a.p;
    const signet_package *b = w->b.p;
    uint32_t v = sg_arg(a, x)->u.ref.value;
    uint32_t u = sg_arg(b, y)->u.ref.value;
    signet_owner_kind kind = signet_value_definition(a, (signet_value){v});
    if (kind != signet_value_definition(b, (signet_value){u})) {
        return differ_values(w, x, y);
    }
    if (kind == SIGNET_OWNER_GRAPH_INPUT) {
        const struct sg_slot *s = slot_of_input(&w->a, v);
        const struct sg_slot *t = slot_of_input(&w->b, u);
        return (s != NULL && t != NULL && sg_slot_same(a, s, b, t)) || differ_values(w, x, y);
    }
    bool early = sg_arg_is_early(&w->a, x);
    if (early != sg_arg_is_early(&w->b, y)) {
        return differ_values(w, x, y);
    }
    if (kind != SIGNET_OWNER_NODE_OUTPUT || early) { /* nothing but a name */
        return same_text(w, sg_value(a, v)->name, sg_value(b, u)->name) || differ_values(w, x, y);
    }
    if (!same_place(w, sg_value(a, v)->def, sg_value(b, u)->def)) {
        return differ_values(w, x, y);
    }
    return push_nodes(w, signet_value_node(a, (signet_value){v}).id,
                      signet_value_node(b, (signet_value){u}).id);
}

/* What an argument holds besides values: graphs, and delegates with their bodies. */
static bool compare_held(struct walk *w, uint32_t x, uint32_t y) {
    const struct sg_arg *m = sg_arg(w->a.p, x);
    const struct sg_arg *n = sg_arg(w->b.p, y);
    uint32_t g = sg_arg_held_graph(w->a.p, m);
    uint32_t h = sg_arg_held_graph(w->b.p, n);
    if ((g == 0) != (h == 0)) {
        return differ_args(w, x, y);
    }
    if (m->kind == SIGNET_ARG_DELEGATE) {
        const struct sg_delegate *d = sg_delegate(w->a.p, m->u.id);
        const struct sg_delegate *e = sg_delegate(w->b.p, n->u.id);
        bool same =
            same_text(w, d->backend, e->backend) && (g != 0 || same_text(w, d->name, e->name));
        if (!same) {
            return differ_args(w, x, y);
        }
    }
    return g == 0 || push_graphs(w, g, h);
}

/* Two arguments in use, with all that is inside them. */
static bool compare_uses(struct walk *w, uint32_t x, uint32_t y) {
    const signet_package *a = w->a.p;
    const signet_package *b = w->b.p;
    uint32_t m = x;
    uint32_t n = y;
    while (m != 0 && n != 0) { /* lists are as long as each other, so both end together */
        const struct sg_arg *s = sg_arg(a, m);
        const struct sg_arg *t = sg_arg(b, n);
        if (!same_record(w, s, t) || sg_arg_has_value(s) != sg_arg_has_value(t)) {
            return differ_args(w, m, n);
        }
        if ((sg_arg_has_value(s) && !compare_values(w, m, n)) || !compare_held(w, m, n)) {
            return false;
        }
        m = sg_arg_next(a, x, m);
        n = sg_arg_next(b, y, n);
    }
    return true;
}

/* Two results or inputs: what they look like, not what they are called. */
static bool compare_results(struct walk *w, uint32_t x, uint32_t y) {
    const signet_package *a = w->a.p;
    const signet_package *b = w->b.p;
    uint32_t m = x;
    uint32_t n = y;
    while (m != 0 && n != 0) {
        const struct sg_arg *s = sg_arg(a, m);
        const struct sg_arg *t = sg_arg(b, n);
        if (!same_record(w, s, t) || sg_arg_has_value(s) != sg_arg_has_value(t)) {
            return differ_args(w, m, n);
        }
        if (sg_arg_has_value(s) && !compare_described(w, s->u.ref.value, t->u.ref.value, m)) {
            return false;
        }
        m = sg_arg_next(a, x, m);
        n = sg_arg_next(b, y, n);
    }
    return true;
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

static bool compare_deps(struct walk *w, uint32_t a, uint32_t b) {
    struct sg_list x = w->a.node_deps[a];
    struct sg_list y = w->b.node_deps[b];
    char words[SG_WORDS], before[SG_WORDS], there[SG_WORDS];
    bool same = x.count == y.count;
    uint32_t i = 0;
    for (; i < x.count && same; i++) {
        uint32_t m = w->a.deps.data[x.first + i];
        uint32_t n = w->b.deps.data[y.first + i];
        same = (m == 0) == (n == 0);
        if (same && m != 0 && !push_nodes(w, m, n)) {
            return false;
        }
    }
    if (same) {
        return true;
    }
    uint32_t m = i != 0 && i <= x.count ? w->a.deps.data[x.first + i - 1] : 0;
    uint32_t n = i != 0 && i <= y.count ? w->b.deps.data[y.first + i - 1] : 0;
    return sg_differ(w->c, "%s comes after the effect of %s on the first side, of %s on the second",
                     sg_say_node(w->a.p, a, words), sg_say_node(w->a.p, m, before),
                     sg_say_node(w->b.p, n, there));
}

static bool compare_nodes(struct walk *w, uint32_t a, uint32_t b) {
    const struct sg_node *m = sg_node(w->a.p, a);
    const struct sg_node *n = sg_node(w->b.p, b);
    char words[SG_WORDS], here[SG_WORDS], there[SG_WORDS];
    w->c->a_node = a;
    w->c->b_node = b;
    w->c->a_graph = m->graph;
    w->c->b_graph = n->graph;
    if (!sg_operator_same(w->a.p, m->op, w->b.p, n->op)) {
        return sg_differ(w->c, "%s calls %s on the first side, %s on the second",
                         sg_say_node(w->a.p, a, words), sg_say_name(w->a.p, m->target, here),
                         sg_say_name(w->b.p, n->target, there));
    }
    if (m->inputs.count != n->inputs.count) {
        return sg_differ(w->c, "%s has %u arguments on the first side, %u on the second",
                         sg_say_node(w->a.p, a, words), m->inputs.count, n->inputs.count);
    }
    if (m->outputs.count != n->outputs.count || m->results_open != n->results_open ||
        m->hop_single_return != n->hop_single_return) {
        return sg_differ(w->c, "%s has %u results on the first side, %u on the second",
                         sg_say_node(w->a.p, a, words), m->outputs.count, n->outputs.count);
    }
    for (uint32_t i = 0; i < m->outputs.count; i++) {
        if (!compare_results(w, m->outputs.first + i, n->outputs.first + i)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < m->inputs.count; i++) {
        if (!compare_uses(w, m->inputs.first + i, n->inputs.first + i)) {
            return false;
        }
    }
    return compare_deps(w, a, b);
}

/* ---- Graphs --------------------------------------------------------------------------------- */

/* The slots of one side of a graph, sorted by what they stand for. */
static struct sg_key *slot_keys(struct walk *w, const struct sg_structure *s, struct sg_list list) {
    struct sg_key *keys = sg_alloc(&s->p->allocator, (size_t)(list.count + 1) * sizeof(*keys));
    if (keys == NULL) {
        sg_compare_no_memory(w->c);
        return NULL;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        sg_hasher_init(&keys[i].hash);
        sg_slot_hash(s->p, &s->slots.data[list.first + i], &keys[i].hash);
        keys[i].id = list.first + i;
    }
    sg_sort_keys(keys, list.count);
    return keys;
}

static void free_keys(const struct sg_structure *s, struct sg_key *keys, uint32_t count) {
    sg_free(&s->p->allocator, keys, (size_t)(count + 1) * sizeof(*keys));
}

/* "BUFFER_MUTATION 'k' is only on the first side" */
static bool differ_slots(const struct walk *w, const struct sg_structure *s,
                         const struct sg_slot *slot, signet_side side, bool first_side) {
    char name[SG_WORDS];
    bool is_input = side == SIGNET_INPUT;
    const char *kind = is_input ? signet_input_kind_name((signet_input_kind)slot->kind)
                                : signet_output_kind_name((signet_output_kind)slot->kind);
    const char *what = kind != NULL ? kind : is_input ? "graph input" : "graph output";
    const char *where = first_side ? "first" : "second";
    if (slot->target == 0) {
        return sg_differ(w->c, "%s %u is only on the %s side", what, slot->rank, where);
    }
    return sg_differ(w->c, "%s%s %s is only on the %s side", slot->rank != 0 ? "another " : "",
                     what, sg_say_name(s->p, slot->target, name), where);
}

static bool compare_slot(struct walk *w, const struct sg_slot *x, const struct sg_slot *y,
                         signet_side side) {
    if (!sg_slot_same(w->a.p, x, w->b.p, y)) {
        return differ_slots(w, &w->a, x, side, true);
    }
    if (x->persistent != y->persistent) {
        char name[SG_WORDS];
        return sg_differ(w->c, "the persistent flag of %s differs",
                         sg_say_name(w->a.p, x->target, name));
    }
    if (x->arg == 0) {
        return true;
    }
    return side == SIGNET_INPUT ? compare_results(w, x->arg, y->arg)
                                : compare_uses(w, x->arg, y->arg);
}

static bool compare_slots(struct walk *w, struct sg_list x, struct sg_list y, signet_side side) {
    struct sg_key *keys = slot_keys(w, &w->a, x);
    struct sg_key *other = keys != NULL ? slot_keys(w, &w->b, y) : NULL;
    bool same = other != NULL;
    for (uint32_t i = 0; same && (i < x.count || i < y.count); i++) {
        int order = i >= x.count ? 1 : i >= y.count ? -1 : sg_key_compare(&keys[i], &other[i]);
        if (order == 0) {
            same =
                compare_slot(w, &w->a.slots.data[keys[i].id], &w->b.slots.data[other[i].id], side);
        } else {
            const struct sg_structure *s = order < 0 ? &w->a : &w->b;
            uint32_t slot = order < 0 ? keys[i].id : other[i].id;
            same = differ_slots(w, s, &s->slots.data[slot], side, order < 0);
        }
    }
    if (other != NULL) {
        free_keys(&w->b, other, y.count);
    }
    if (keys != NULL) {
        free_keys(&w->a, keys, x.count);
    }
    return same;
}

static struct sg_key *effect_keys(struct walk *w, const struct sg_structure *s,
                                  struct sg_list list) {
    struct sg_key *keys = sg_alloc(&s->p->allocator, (size_t)(list.count + 1) * sizeof(*keys));
    if (keys == NULL) {
        sg_compare_no_memory(w->c);
        return NULL;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t node = s->effects.data[list.first + i];
        keys[i] = (struct sg_key){s->nodes[node], node};
    }
    sg_sort_keys(keys, list.count);
    return keys;
}

/* The first effect that the other side does not have; both are sorted. */
static bool differ_effects(const struct walk *w, const struct sg_key *keys, uint32_t count,
                           const struct sg_key *other, uint32_t more) {
    char words[SG_WORDS];
    for (uint32_t i = 0; i < count || i < more; i++) {
        int order = i >= count ? 1 : i >= more ? -1 : sg_key_compare(&keys[i], &other[i]);
        if (order != 0) {
            return sg_differ(w->c, "%s has an effect that is only on the %s side",
                             order < 0 ? sg_say_node(w->a.p, keys[i].id, words)
                                       : sg_say_node(w->b.p, other[i].id, words),
                             order < 0 ? "first" : "second");
        }
    }
    return true;
}

/* The last effects of two graphs, paired by hash; where hashes differ, in the order of the graph,
 * which shows the difference. */
static bool pair_effects(struct walk *w, struct sg_list x, const struct sg_key *keys,
                         struct sg_list y, const struct sg_key *other) {
    if (x.count != y.count) {
        return differ_effects(w, keys, x.count, other, y.count);
    }
    bool by_hash = true;
    for (uint32_t i = 0; i < x.count && by_hash; i++) {
        by_hash = sg_key_compare(&keys[i], &other[i]) == 0;
    }
    for (uint32_t i = 0; i < x.count; i++) {
        uint32_t m = by_hash ? keys[i].id : w->a.effects.data[x.first + i];
        uint32_t n = by_hash ? other[i].id : w->b.effects.data[y.first + i];
        if (!push_nodes(w, m, n)) {
            return false;
        }
    }
    return true;
}

static bool compare_effects(struct walk *w, uint32_t a, uint32_t b) {
    struct sg_list x = w->a.graph_effects[a];
    struct sg_list y = w->b.graph_effects[b];
    struct sg_key *keys = effect_keys(w, &w->a, x);
    struct sg_key *other = keys != NULL ? effect_keys(w, &w->b, y) : NULL;
    bool same = other != NULL && pair_effects(w, x, keys, y, other);
    if (other != NULL) {
        free_keys(&w->b, other, y.count);
    }
    if (keys != NULL) {
        free_keys(&w->a, keys, x.count);
    }
    return same;
}

static bool compare_graphs(struct walk *w, uint32_t a, uint32_t b) {
    const struct sg_graph *g = sg_graph(w->a.p, a);
    const struct sg_graph *h = sg_graph(w->b.p, b);
    w->c->a_graph = a;
    w->c->b_graph = b;
    w->c->a_node = w->c->b_node = 0;
    if (g->returns_bare != h->returns_bare) {
        return sg_differ(w->c, "the graph returns a %s on the first side, a %s on the second",
                         g->returns_bare ? "bare value" : "tuple",
                         h->returns_bare ? "bare value" : "tuple");
    }
    return compare_slots(w, w->a.inputs[a], w->b.inputs[b], SIGNET_INPUT) &&
           compare_slots(w, w->a.outputs[a], w->b.outputs[b], SIGNET_OUTPUT) &&
           compare_effects(w, a, b);
}

static bool work(struct walk *w) {
    while (w->work.count != 0) {
        struct pair pair = w->work.data[--w->work.count];
        bool same = pair.kind == PAIR_GRAPHS ? compare_graphs(w, pair.a, pair.b)
                                             : compare_nodes(w, pair.a, pair.b);
        if (!same) {
            return false;
        }
    }
    return true;
}

/* ---- Programs ------------------------------------------------------------------------------- */

/* Ranges by symbol, whatever their order. */
static struct sg_key *range_keys(struct walk *w, const signet_package *p,
                                 const struct sg_program *r) {
    uint32_t count = r->ranges.count;
    struct sg_key *keys = sg_alloc(&p->allocator, (size_t)(count + 1) * sizeof(*keys));
    if (keys == NULL) {
        sg_compare_no_memory(w->c);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        signet_string symbol = sg_string(p, r->ranges.data[i].symbol);
        sg_hasher_init(&keys[i].hash);
        sg_hasher_bytes(&keys[i].hash, symbol.data, symbol.length);
        keys[i].id = i;
    }
    sg_sort_keys(keys, count);
    return keys;
}

static bool same_range(const struct walk *w, const struct sg_range *x, const struct sg_range *y) {
    return same_text(w, x->symbol, y->symbol) && x->has_min == y->has_min &&
           x->has_max == y->has_max && (!x->has_min || x->min == y->min) &&
           (!x->has_max || x->max == y->max);
}

static bool compare_ranges(struct walk *w, const struct sg_program *x, const struct sg_program *y) {
    uint32_t count = x->ranges.count;
    if (count != y->ranges.count) {
        return sg_differ(w->c, "the program has %u ranges on the first side, %u on the second",
                         count, y->ranges.count);
    }
    struct sg_key *keys = range_keys(w, w->a.p, x);
    struct sg_key *other = keys != NULL ? range_keys(w, w->b.p, y) : NULL;
    bool same = other != NULL;
    for (uint32_t i = 0; i < count && same; i++) {
        const struct sg_range *r = &x->ranges.data[keys[i].id];
        char symbol[SG_WORDS];
        same = same_range(w, r, &y->ranges.data[other[i].id]) ||
               sg_differ(w->c, "the range of %s differs", sg_say_name(w->a.p, r->symbol, symbol));
    }
    if (other != NULL) {
        free_keys(&w->b, other, count);
    }
    if (keys != NULL) {
        free_keys(&w->a, keys, count);
    }
    return same;
}

static bool compare_programs(struct walk *w, uint32_t a, uint32_t b) {
    const struct sg_program *x = sg_program(w->a.p, a);
    const struct sg_program *y = sg_program(w->b.p, b);
    w->c->a_program = a;
    w->c->b_program = b;
    w->c->a_graph = x->graph;
    w->c->b_graph = y->graph;
    w->c->a_node = w->c->b_node = 0;
    return push_graphs(w, x->graph, y->graph) && work(w) && compare_ranges(w, x, y);
}

static void end_walk(struct walk *w, size_t classes) {
    sg_free(&w->c->a->allocator, w->classes, classes * sizeof(*w->classes));
    sg_map_destroy(w->graphs);
    sg_map_destroy(w->types);
    sg_vec_free(&w->c->a->allocator, &w->work);
    sg_structure_free(&w->a);
    sg_structure_free(&w->b);
}

/* Structures of both sides: of one program each, or of all (0). */
static bool begin_walk(struct walk *w, size_t classes, uint32_t a_program, uint32_t b_program) {
    const signet_allocator *a = &w->c->a->allocator;
    w->graphs = sg_map_create(a);
    w->types = sg_map_create(a);
    w->classes = classes <= UINT32_MAX ? sg_alloc(a, classes * sizeof(*w->classes)) : NULL;
    bool ok = w->graphs != NULL && w->types != NULL && w->classes != NULL &&
              sg_structure_init(&w->a, w->c->a) && sg_structure_init(&w->b, w->c->b);
    for (uint32_t i = 1; ok && i < w->c->a->programs.count; i++) {
        ok = (a_program != 0 && a_program != i) || sg_structure_add(&w->a, i);
    }
    for (uint32_t i = 1; ok && i < w->c->b->programs.count; i++) {
        ok = (b_program != 0 && b_program != i) || sg_structure_add(&w->b, i);
    }
    if (!ok || !sg_structure_effects(&w->a) || !sg_structure_effects(&w->b)) {
        return sg_compare_no_memory(w->c);
    }
    sg_structure_hash(&w->a);
    sg_structure_hash(&w->b);
    for (uint32_t i = 0; i < classes; i++) {
        w->classes[i] = i;
    }
    return true;
}

bool sg_equal_structural(struct sg_compare *c, uint32_t a_program, uint32_t b_program) {
    struct walk w = {.c = c};
    size_t classes = (size_t)c->a->nodes.count + c->b->nodes.count;
    bool same =
        begin_walk(&w, classes, a_program, b_program) && compare_programs(&w, a_program, b_program);
    end_walk(&w, classes);
    return same;
}

/* Methods by name; the bodies of delegates come with the calls. */
static uint32_t method_keys(const signet_package *p, struct sg_key *keys) {
    uint32_t count = 0;
    for (uint32_t i = 1; i < p->programs.count; i++) {
        signet_string name = sg_string(p, p->programs.data[i].name);
        if (p->programs.data[i].delegate != 0) {
            continue;
        }
        sg_hasher_init(&keys[count].hash);
        sg_hasher_bytes(&keys[count].hash, name.data, name.length);
        keys[count++].id = i;
    }
    sg_sort_keys(keys, count);
    return count;
}

static bool compare_methods(struct walk *w, struct sg_key *keys, struct sg_key *other) {
    uint32_t count = method_keys(w->a.p, keys);
    uint32_t more = method_keys(w->b.p, other);
    char name[SG_WORDS];
    for (uint32_t i = 0; i < count || i < more; i++) {
        int order = i >= count ? 1 : i >= more ? -1 : sg_key_compare(&keys[i], &other[i]);
        if (order != 0) {
            const signet_package *p = order < 0 ? w->a.p : w->b.p;
            uint32_t program = order < 0 ? keys[i].id : other[i].id;
            return sg_differ(w->c, "program %s is only on the %s side",
                             sg_say_name(p, sg_program(p, program)->name, name),
                             order < 0 ? "first" : "second");
        }
        if (!compare_programs(w, keys[i].id, other[i].id)) {
            return false;
        }
    }
    return true;
}

bool sg_equal_structural_packages(struct sg_compare *c) {
    struct walk w = {.c = c};
    size_t classes = (size_t)c->a->nodes.count + c->b->nodes.count;
    size_t size = c->a->programs.count * sizeof(struct sg_key);
    size_t more = c->b->programs.count * sizeof(struct sg_key);
    struct sg_key *keys = sg_alloc(&c->a->allocator, size);
    struct sg_key *other = sg_alloc(&c->b->allocator, more);
    bool same = keys != NULL && other != NULL
                    ? begin_walk(&w, classes, 0, 0) && compare_methods(&w, keys, other)
                    : sg_compare_no_memory(c);
    end_walk(&w, classes);
    sg_free(&c->a->allocator, keys, size);
    sg_free(&c->b->allocator, other, more);
    return same;
}
