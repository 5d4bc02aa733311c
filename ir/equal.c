/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equality of programs in the order of their graphs: exact, and as far as both carriers tell. The
 * structural one is in equal_structural.c.
 *
 * Told: one side may be lossy (printed text). What one side does not tell is not compared: types
 * beyond dtype and sizes, names of arguments, how they were passed, results that nothing reads,
 * kinds of lists, constants, state tables, calling convention, metadata, stage and versions. What
 * both tell must agree: names of values, order, operators, literals, types, signature.
 */

#include "base/text.h"
#include "ir/compare.h"
#include "ir/intern_internal.h"

enum pair_kind { PAIR_PROGRAMS, PAIR_GRAPHS, PAIR_SIGNATURES };

struct pair {
    enum pair_kind kind;
    uint32_t a, b;
};

struct walk {
    struct sg_compare *c;
    const signet_package *a, *b;
    bool told;
    struct sg_map *programs, *graphs; /* pairs that were met */
    struct sg_map *types;             /* pairs of types that are equal */
    SG_VEC(struct pair) work;         /* still to be compared, in order */
    uint32_t next;
};

static bool push(struct walk *w, enum pair_kind kind, uint32_t a, uint32_t b) {
    if (!sg_vec_reserve(&w->a->allocator, &w->work, 1)) {
        return sg_compare_no_memory(w->c);
    }
    w->work.data[w->work.count++] = (struct pair){kind, a, b};
    return true;
}

/* The same, once for each pair. */
static bool meet(struct walk *w, enum pair_kind kind, uint32_t a, uint32_t b) {
    uint64_t key = (uint64_t)a << 32 | b;
    struct sg_map *met = kind == PAIR_PROGRAMS ? w->programs : w->graphs;
    if (sg_map_get(met, key) != 0) {
        return true;
    }
    return sg_map_put(met, key, 1) ? push(w, kind, a, b) : sg_compare_no_memory(w->c);
}

static bool same_text(const struct walk *w, sg_strid x, sg_strid y) {
    return sg_string_equal(sg_string(w->a, x), sg_string(w->b, y));
}

static bool is_told(const signet_package *p, sg_strid s) {
    return sg_string(p, s).length != 0;
}

/* Told: a text that one side does not have agrees with any. */
static bool text_agrees(const struct walk *w, sg_strid x, sg_strid y) {
    return (w->told && (!is_told(w->a, x) || !is_told(w->b, y))) || same_text(w, x, y);
}

static bool differ_text(const struct walk *w, const char *what, sg_strid x, sg_strid y) {
    char here[SG_WORDS], there[SG_WORDS];
    return sg_differ(w->c, "%s is %s on the first side, %s on the second", what,
                     sg_say_name(w->a, x, here), sg_say_name(w->b, y, there));
}

static bool compare_text(const struct walk *w, const char *what, sg_strid x, sg_strid y) {
    return text_agrees(w, x, y) || differ_text(w, what, x, y);
}

static bool compare_number(const struct walk *w, const char *what, int64_t x, int64_t y) {
    return x == y || sg_differ(w->c, "%s is %lld on the first side, %lld on the second", what,
                               (long long)x, (long long)y);
}

static bool compare_count(const struct walk *w, const char *what, uint32_t x, uint32_t y) {
    return x == y || sg_differ(w->c, "%u %s on the first side, %u on the second", x, what, y);
}

/* ---- Types ---------------------------------------------------------------------------------- */

static bool sym_agrees(const struct walk *w, uint32_t x, uint32_t y) {
    if (w->told) {
        return sg_sym_same(w->a, (signet_sym){x}, w->b, (signet_sym){y});
    }
    const struct sg_sym *s = sg_sym(w->a, x);
    const struct sg_sym *t = sg_sym(w->b, y);
    return sg_sym_equal(w->a, x, w->b, y) && same_text(w, s->text, t->text) && s->hint == t->hint &&
           s->hint_number == t->hint_number;
}

static bool syms_agree(const struct walk *w, struct sg_list x, struct sg_list y) {
    bool same = x.count == y.count;
    for (uint32_t i = 0; i < x.count && same; i++) {
        same = sym_agrees(w, w->a->dims.data[x.first + i], w->b->dims.data[y.first + i]);
    }
    return same;
}

static bool type_agrees(const struct walk *w, const struct sg_type *t, const struct sg_type *u) {
    if (w->told) {
        return (t->dtype == u->dtype || t->dtype == SIGNET_DTYPE_UNKNOWN ||
                u->dtype == SIGNET_DTYPE_UNKNOWN) &&
               syms_agree(w, t->sizes, u->sizes);
    }
    return t->dtype == u->dtype && t->layout == u->layout && t->requires_grad == u->requires_grad &&
           t->has_strides == u->has_strides && t->has_device_index == u->has_device_index &&
           t->device_index == u->device_index && same_text(w, t->device, u->device) &&
           syms_agree(w, t->sizes, u->sizes) && syms_agree(w, t->strides, u->strides) &&
           sym_agrees(w, t->offset, u->offset);
}

/* Types, by ids; the same pairs come again and again. */
static bool types_agree(struct walk *w, uint32_t x, uint32_t y) {
    uint64_t key = (uint64_t)x << 32 | y;
    if (sg_map_get(w->types, key) != 0) {
        return true;
    }
    return type_agrees(w, sg_type(w->a, x), sg_type(w->b, y)) &&
           (sg_map_put(w->types, key, 1) || sg_compare_no_memory(w->c));
}

static bool differ_types(const struct walk *w, const char *what, sg_strid name, uint32_t x,
                         uint32_t y) {
    char words[SG_WORDS], here[SG_WORDS], there[SG_WORDS];
    return sg_differ(w->c, "the %s of %s %s differs: %s on the first side, %s on the second",
                     sg_type_difference(w->a, x, w->b, y), what, sg_say_name(w->a, name, words),
                     sg_say_type(w->a, x, here), sg_say_type(w->b, y, there));
}

static bool compare_described(struct walk *w, uint32_t x, uint32_t y) {
    const struct sg_value *v = sg_value(w->a, x);
    const struct sg_value *u = sg_value(w->b, y);
    char name[SG_WORDS];
    bool untold =
        v->described_as == SIGNET_VALUE_UNKNOWN || u->described_as == SIGNET_VALUE_UNKNOWN;
    if (w->told && untold) {
        return true;
    }
    bool same = v->described_as == u->described_as &&
                (w->told || (v->described_twice == u->described_twice && v->kind == u->kind));
    switch ((signet_value_kind)v->described_as) {
    case SIGNET_VALUE_TENSOR:
        if (same && !types_agree(w, v->description, u->description)) {
            return !w->c->no_memory &&
                   differ_types(w, "value", v->name, v->description, u->description);
        }
        break;
    case SIGNET_VALUE_SYM_INT:
    case SIGNET_VALUE_SYM_FLOAT:
    case SIGNET_VALUE_SYM_BOOL:
        same = same && sym_agrees(w, v->description, u->description);
        break;
    case SIGNET_VALUE_CUSTOM_OBJ:
        same = same && text_agrees(w, v->description, u->description);
        break;
    case SIGNET_VALUE_UNKNOWN:
    case SIGNET_VALUE_UNDEFINED:
    case SIGNET_VALUE_TOKEN:
    case SIGNET_VALUE_CONSTANT:
        break;
    }
    return same ||
           sg_differ(w->c, "value %s is described differently", sg_say_name(w->a, v->name, name));
}

/* ---- Arguments ------------------------------------------------------------------------------ */

static bool differ_args(const struct walk *w, uint32_t x, uint32_t y) {
    char place[SG_WORDS], here[SG_WORDS], there[SG_WORDS];
    bool owned = sg_arg(w->a, sg_arg_outermost(w->a, x))->owner_kind != SIGNET_OWNER_NONE;
    return sg_differ(w->c, "%s is %s on the first side, %s on the second",
                     owned || y == 0 ? sg_say_place(w->a, x, place) : sg_say_place(w->b, y, place),
                     sg_say_arg(w->a, x, here), sg_say_arg(w->b, y, there));
}

/* What a lossy carrier shows of a thing that it does not show. */
static bool is_untold(const struct sg_arg *a) {
    return a->kind == SIGNET_ARG_CONSTANT || a->kind == SIGNET_ARG_ATTRIBUTE ||
           a->kind == SIGNET_ARG_UNKNOWN;
}

/* Told: kinds of lists come down to one, and symbolic literals are literals. */
static uint32_t plain_kind(const struct sg_arg *a) {
    signet_arg_kind kind = (signet_arg_kind)a->kind;
    if (kind == SIGNET_ARG_COMPLEX || kind == SIGNET_ARG_STRING_MAP) {
        return kind;
    }
    if (sg_arg_kind_payload(kind) == SG_PAYLOAD_LIST) {
        return SIGNET_ARG_LIST;
    }
    if (a->literal) {
        return kind == SIGNET_ARG_SYM_INT     ? SIGNET_ARG_INT
               : kind == SIGNET_ARG_SYM_FLOAT ? SIGNET_ARG_FLOAT
                                              : SIGNET_ARG_BOOL;
    }
    return sg_arg_has_value(a) ? SIGNET_ARG_TENSOR : (uint32_t)kind;
}

static bool same_reference(const struct walk *w, const struct sg_arg *x, const struct sg_arg *y) {
    uint32_t v = sg_arg_has_value(x) ? x->u.ref.value : 0;
    uint32_t u = sg_arg_has_value(y) ? y->u.ref.value : 0;
    return (v == 0) == (u == 0) && same_text(w, sg_value(w->a, v)->name, sg_value(w->b, u)->name) &&
           sg_value(w->a, v)->redefined == sg_value(w->b, u)->redefined;
}

/* An operator as text, with or without the prefix of its package. */
static bool same_operator_text(const struct walk *w, sg_strid x, sg_strid y) {
    static const char prefix[] = "torch.ops.";
    signet_string m = sg_string(w->a, x);
    signet_string n = sg_string(w->b, y);
    if (sg_string_starts(m, prefix)) {
        m = (signet_string){m.data + sizeof(prefix) - 1, m.length - (sizeof(prefix) - 1)};
    }
    if (sg_string_starts(n, prefix)) {
        n = (signet_string){n.data + sizeof(prefix) - 1, n.length - (sizeof(prefix) - 1)};
    }
    return sg_string_equal(m, n);
}

static bool same_payload(const struct walk *w, const struct sg_arg *x, const struct sg_arg *y) {
    switch (sg_arg_kind_payload((signet_arg_kind)x->kind)) {
    case SG_PAYLOAD_NOTHING:
    case SG_PAYLOAD_GRAPH:
    case SG_PAYLOAD_DELEGATE:
        return true;
    case SG_PAYLOAD_SYMBOL:
        if (x->literal) {
            return plain_kind(x) == SIGNET_ARG_FLOAT
                       ? sg_real_bits(x->u.real) == sg_real_bits(y->u.real)
                       : x->u.integer == y->u.integer;
        }
        return same_reference(w, x, y);
    case SG_PAYLOAD_VALUE:
        return same_reference(w, x, y) && (x->kind != SIGNET_ARG_CUSTOM_OBJ || w->told ||
                                           same_text(w, x->u.ref.extra, y->u.ref.extra));
    case SG_PAYLOAD_INTEGER:
    case SG_PAYLOAD_BOOLEAN:
        return x->u.integer == y->u.integer;
    case SG_PAYLOAD_REAL:
        return sg_real_bits(x->u.real) == sg_real_bits(y->u.real);
    case SG_PAYLOAD_TEXT:
        return w->told && x->kind == SIGNET_ARG_OPERATOR
                   ? same_operator_text(w, x->u.text, y->u.text)
                   : same_text(w, x->u.text, y->u.text);
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

/* Two records without their children. */
static bool same_record(const struct walk *w, const struct sg_arg *x, const struct sg_arg *y) {
    if (!w->told) {
        return x->kind == y->kind && x->literal == y->literal && x->passing == y->passing &&
               same_text(w, x->name, y->name) && same_payload(w, x, y);
    }
    uint32_t kind = plain_kind(x);
    if (kind != plain_kind(y)) {
        return false;
    }
    if (kind == SIGNET_ARG_TENSOR) { /* the kind of a value is told by its description */
        return same_reference(w, x, y);
    }
    return text_agrees(w, x->name, y->name) && same_payload(w, x, y);
}

/* Told: an optional tensor is what it holds. */
static uint32_t unwrap(const struct walk *w, const signet_package *p, uint32_t top, uint32_t at) {
    const struct sg_arg *a = sg_arg(p, at);
    bool wraps = w->told && a->kind == SIGNET_ARG_OPTIONAL_TENSOR && a->u.list.count == 1;
    return wraps ? sg_arg_next(p, top, at) : at;
}

static bool compare_held(struct walk *w, uint32_t x, uint32_t y) {
    const struct sg_arg *m = sg_arg(w->a, x);
    const struct sg_arg *n = sg_arg(w->b, y);
    if (m->kind == SIGNET_ARG_GRAPH) {
        return meet(w, PAIR_GRAPHS, m->u.id, n->u.id);
    }
    if (m->kind != SIGNET_ARG_DELEGATE) {
        return true;
    }
    const struct sg_delegate *d = sg_delegate(w->a, m->u.id);
    const struct sg_delegate *e = sg_delegate(w->b, n->u.id);
    if (!compare_text(w, "the delegate", d->name, e->name) ||
        !compare_text(w, "the backend of the delegate", d->backend, e->backend)) {
        return false;
    }
    if ((d->body == 0) != (e->body == 0) && !w->told) {
        char name[SG_WORDS];
        return sg_differ(w->c, "the body of delegate %s is only on the %s side",
                         sg_say_name(w->a, d->name, name), d->body != 0 ? "first" : "second");
    }
    return d->body == 0 || e->body == 0 || meet(w, PAIR_PROGRAMS, d->body, e->body);
}

/* Two arguments with all that is inside them; defines: they are results or inputs, and describe the
 * values that they define. */
static bool compare_args(struct walk *w, uint32_t x, uint32_t y, bool defines) {
    uint32_t m = unwrap(w, w->a, x, x);
    uint32_t n = unwrap(w, w->b, y, y);
    while (m != 0 && n != 0) {
        const struct sg_arg *s = sg_arg(w->a, m);
        const struct sg_arg *t = sg_arg(w->b, n);
        if (w->told && (is_untold(s) || is_untold(t))) {
            m = sg_arg_after(w->a, x, m);
            n = sg_arg_after(w->b, y, n);
        } else {
            if (!same_record(w, s, t)) {
                return differ_args(w, m, n);
            }
            if (!compare_held(w, m, n) || (defines && sg_arg_has_value(s) &&
                                           !compare_described(w, s->u.ref.value, t->u.ref.value))) {
                return false;
            }
            m = sg_arg_next(w->a, x, m);
            n = sg_arg_next(w->b, y, n);
        }
        m = unwrap(w, w->a, x, m);
        n = unwrap(w, w->b, y, n);
    }
    return (m == 0 && n == 0) || differ_args(w, x, y);
}

static bool compare_lists(struct walk *w, const char *what, struct sg_list x, struct sg_list y,
                          bool defines) {
    if (!compare_count(w, what, x.count, y.count)) {
        return false;
    }
    for (uint32_t i = 0; i < x.count; i++) {
        if (!compare_args(w, x.first + i, y.first + i, defines)) {
            return false;
        }
    }
    return true;
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

/* Keyword arguments stand in another order in text than in files: told, an argument is looked up by
 * its name when the one at its place has another. Few enough to look at all of them. */
static uint32_t partner(const struct walk *w, const struct sg_node *n, uint32_t i, sg_strid name) {
    const struct sg_arg *there = sg_arg(w->b, n->inputs.first + i);
    if (!w->told || !is_told(w->a, name) || !is_told(w->b, there->name) ||
        same_text(w, name, there->name) || n->inputs.count > 64) {
        return n->inputs.first + i;
    }
    for (uint32_t k = 0; k < n->inputs.count; k++) {
        if (same_text(w, name, sg_arg(w->b, n->inputs.first + k)->name)) {
            return n->inputs.first + k;
        }
    }
    return n->inputs.first + i;
}

static bool compare_inputs(struct walk *w, const struct sg_node *m, const struct sg_node *n) {
    char words[SG_WORDS];
    if (m->inputs.count != n->inputs.count) {
        return sg_differ(w->c, "%s has %u arguments on the first side, %u on the second",
                         sg_say_node(w->a, w->c->a_node, words), m->inputs.count, n->inputs.count);
    }
    for (uint32_t i = 0; i < m->inputs.count; i++) {
        uint32_t x = m->inputs.first + i;
        if (!compare_args(w, x, partner(w, n, i, sg_arg(w->a, x)->name), false)) {
            return false;
        }
    }
    return true;
}

/* Results one after the other, whatever lists they are in. */
struct leaves {
    const signet_package *p;
    struct sg_list outputs;
    uint32_t i, at;
};

/* The next result that is no list; 0 at the end. */
static uint32_t next_leaf(struct leaves *l) {
    for (;;) {
        if (l->at != 0) {
            l->at = sg_arg_next(l->p, l->outputs.first + l->i, l->at);
            if (l->at == 0) {
                l->i++;
            }
        }
        if (l->at == 0) {
            if (l->i >= l->outputs.count) {
                return 0;
            }
            l->at = l->outputs.first + l->i;
        }
        if (sg_arg_kind_payload((signet_arg_kind)sg_arg(l->p, l->at)->kind) != SG_PAYLOAD_LIST) {
            return l->at;
        }
    }
}

/* True when nothing reads the result, so that a lossy carrier need not show it. */
static bool is_unread(const signet_package *p, uint32_t arg) {
    const struct sg_arg *a = sg_arg(p, arg);
    return !sg_arg_has_value(a) || sg_value(p, a->u.ref.value)->use_count == 0;
}

static bool compare_told_results(struct walk *w, const struct sg_node *m, const struct sg_node *n) {
    struct leaves l = {w->a, m->outputs, 0, 0};
    struct leaves k = {w->b, n->outputs, 0, 0};
    for (;;) {
        uint32_t x = next_leaf(&l);
        uint32_t y = next_leaf(&k);
        if (x == 0 && y == 0) {
            return true;
        }
        bool skip = (x == 0 || is_unread(w->a, x)) && (y == 0 || is_unread(w->b, y));
        bool untold = is_untold(sg_arg(w->a, x)) || is_untold(sg_arg(w->b, y));
        if (skip || (x != 0 && y != 0 && untold)) {
            continue;
        }
        if (x == 0 || y == 0) {
            return differ_args(w, x, y);
        }
        if (!compare_args(w, x, y, true)) {
            return false;
        }
    }
}

static bool compare_metadata(const struct walk *w, struct sg_list x, struct sg_list y) {
    if (!compare_count(w, "entries of metadata", x.count, y.count)) {
        return false;
    }
    for (uint32_t i = 0; i < x.count; i++) {
        const struct sg_pair *m = &w->a->pairs.data[x.first + i];
        const struct sg_pair *n = &w->b->pairs.data[y.first + i];
        if (!compare_text(w, "a key of the metadata", m->key, n->key)) {
            return false;
        }
        if (!same_text(w, m->value, n->value)) {
            char key[SG_WORDS];
            return sg_differ(w->c, "the metadata %s differs", sg_say_name(w->a, m->key, key));
        }
    }
    return true;
}

static bool compare_nodes(struct walk *w, uint32_t a, uint32_t b) {
    const struct sg_node *m = sg_node(w->a, a);
    const struct sg_node *n = sg_node(w->b, b);
    char words[SG_WORDS], here[SG_WORDS], there[SG_WORDS];
    w->c->a_node = a;
    w->c->b_node = b;
    bool same_target =
        w->told ? sg_operator_same(w->a, m->op, w->b, n->op) : same_text(w, m->target, n->target);
    if (!same_target) {
        return sg_differ(w->c, "%s calls %s on the first side, %s on the second",
                         sg_say_node(w->a, a, words), sg_say_name(w->a, m->target, here),
                         sg_say_name(w->b, n->target, there));
    }
    if (!compare_text(w, "the name of the node", m->name, n->name) || !compare_inputs(w, m, n)) {
        return false;
    }
    if (w->told) {
        return compare_told_results(w, m, n);
    }
    return compare_number(w, "the returned form", m->hop_single_return, n->hop_single_return) &&
           compare_number(w, "the openness of results", m->results_open, n->results_open) &&
           compare_lists(w, "results", m->outputs, n->outputs, true) &&
           compare_metadata(w, m->metadata, n->metadata);
}

/* ---- Graphs --------------------------------------------------------------------------------- */

/* The next value that nothing defines, from v on; 0: there is none. What nothing uses or describes
 * either is only a name that was looked up. */
static uint32_t undefined_from(const signet_package *p, uint32_t v) {
    for (; v != 0; v = sg_value(p, v)->next_in_graph) {
        const struct sg_value *value = sg_value(p, v);
        if (value->def == 0 && (value->described_as != 0 || value->first_use != 0)) {
            break;
        }
    }
    return v;
}

static uint32_t count_undefined(const signet_package *p, uint32_t graph) {
    uint32_t count = 0;
    for (uint32_t v = undefined_from(p, sg_graph(p, graph)->first_value); v != 0;
         v = undefined_from(p, sg_value(p, v)->next_in_graph)) {
        count++;
    }
    return count;
}

/* Values that nothing defines: those that are defined were met at their definitions. Several can
 * have one name, also one that is defined elsewhere, so they are paired in order where names agree.
 */
static bool compare_values(struct walk *w, uint32_t a, uint32_t b) {
    if (!compare_count(w, "undefined values", count_undefined(w->a, a), count_undefined(w->b, b))) {
        return false;
    }
    uint32_t other = undefined_from(w->b, sg_graph(w->b, b)->first_value);
    for (uint32_t v = undefined_from(w->a, sg_graph(w->a, a)->first_value); v != 0;
         v = undefined_from(w->a, sg_value(w->a, v)->next_in_graph)) {
        signet_string name = sg_string(w->a, sg_value(w->a, v)->name);
        uint32_t u = other;
        if (u == 0 || !sg_string_equal(name, sg_string(w->b, sg_value(w->b, u)->name))) {
            u = signet_graph_find(w->b, (signet_graph){b}, name).id;
        }
        if (u == 0) {
            char words[SG_WORDS];
            return sg_differ(w->c, "value %s is only on the first side",
                             sg_say_name(w->a, sg_value(w->a, v)->name, words));
        }
        if (!compare_described(w, v, u)) {
            return false;
        }
        other = other != 0 ? undefined_from(w->b, sg_value(w->b, other)->next_in_graph) : 0;
    }
    return true;
}

static bool compare_graphs(struct walk *w, uint32_t a, uint32_t b) {
    const struct sg_graph *g = sg_graph(w->a, a);
    const struct sg_graph *h = sg_graph(w->b, b);
    char words[SG_WORDS];
    if ((!w->told && !compare_text(w, "the name of the graph", g->name, h->name)) ||
        !compare_number(w, "the returned form", g->returns_bare, h->returns_bare) ||
        !compare_lists(w, "graph inputs", g->inputs, h->inputs, true)) {
        return false;
    }
    uint32_t m = g->first;
    uint32_t n = h->first;
    while (m != 0 && n != 0) {
        if (!compare_nodes(w, m, n)) {
            return false;
        }
        m = sg_node(w->a, m)->next;
        n = sg_node(w->b, n)->next;
    }
    w->c->a_node = m;
    w->c->b_node = n;
    if (m != 0 || n != 0) {
        return sg_differ(w->c, "%s is only on the %s side",
                         m != 0 ? sg_say_node(w->a, m, words) : sg_say_node(w->b, n, words),
                         m != 0 ? "first" : "second");
    }
    return compare_lists(w, "graph outputs", g->outputs, h->outputs, false) &&
           (w->told || compare_values(w, a, b));
}

/* ---- Programs ------------------------------------------------------------------------------- */

static bool compare_spec(struct walk *w, const struct sg_spec *s, const struct sg_spec *t,
                         signet_side side, uint32_t i) {
    const char *what = side == SIGNET_INPUT ? "input" : "output";
    char here[SG_WORDS], there[SG_WORDS];
    if (s->kind != t->kind || !same_text(w, s->raw_tag, t->raw_tag)) {
        const char *x = side == SIGNET_INPUT ? signet_input_kind_name((signet_input_kind)s->kind)
                                             : signet_output_kind_name((signet_output_kind)s->kind);
        const char *y = side == SIGNET_INPUT ? signet_input_kind_name((signet_input_kind)t->kind)
                                             : signet_output_kind_name((signet_output_kind)t->kind);
        return sg_differ(w->c, "%s %u is %s on the first side, %s on the second", what, i,
                         x != NULL ? x : sg_say_name(w->a, s->raw_tag, here),
                         y != NULL ? y : sg_say_name(w->b, t->raw_tag, there));
    }
    if (!text_agrees(w, s->target, t->target)) {
        return sg_differ(w->c, "the target of %s %u is %s on the first side, %s on the second",
                         what, i, sg_say_name(w->a, s->target, here),
                         sg_say_name(w->b, t->target, there));
    }
    bool untold =
        s->persistent == SIGNET_PERSISTENT_ABSENT || s->persistent == SIGNET_PERSISTENT_NULL ||
        t->persistent == SIGNET_PERSISTENT_ABSENT || t->persistent == SIGNET_PERSISTENT_NULL;
    if (s->persistent != t->persistent && !(w->told && untold)) {
        return sg_differ(w->c, "the persistent flag of %s %u differs", what, i);
    }
    const struct sg_arg *x = sg_arg(w->a, s->arg);
    const struct sg_arg *y = sg_arg(w->b, t->arg);
    if (!text_agrees(w, x->name, y->name)) {
        return sg_differ(w->c, "%s %u declares %s on the first side, %s on the second", what, i,
                         sg_say_name(w->a, x->name, here), sg_say_name(w->b, y->name, there));
    }
    /* The declared names agree, or one side has none; kinds of declared values are told by few. */
    bool names_value = w->told && (is_untold(x) || is_untold(y));
    return names_value || compare_args(w, s->arg, t->arg, false);
}

static bool compare_specs(struct walk *w, const struct sg_program *x, const struct sg_program *y,
                          signet_side side) {
    uint32_t count = x->specs[side].count;
    if (!compare_count(w, side == SIGNET_INPUT ? "input specs" : "output specs", count,
                       y->specs[side].count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!compare_spec(w, &x->specs[side].data[i], &y->specs[side].data[i], side, i)) {
            return false;
        }
    }
    return true;
}

/* Told: PyTorch 2.4 writes an open bound as a number that no size has. */
static bool has_bound(const struct walk *w, bool has, int64_t bound) {
    return has && !(w->told && (bound >= INT64_MAX - 1 || bound <= -(INT64_MAX - 1)));
}

static bool compare_range(struct walk *w, const struct sg_range *r, const struct sg_range *q) {
    bool min = has_bound(w, r->has_min, r->min);
    bool max = has_bound(w, r->has_max, r->max);
    char symbol[SG_WORDS];
    bool same = same_text(w, r->symbol, q->symbol) && min == has_bound(w, q->has_min, q->min) &&
                max == has_bound(w, q->has_max, q->max) && (!min || r->min == q->min) &&
                (!max || r->max == q->max);
    return same || sg_differ(w->c, "the range of %s differs", sg_say_name(w->a, r->symbol, symbol));
}

static bool compare_ranges(struct walk *w, const struct sg_program *x, const struct sg_program *y) {
    if (!compare_count(w, "ranges", x->ranges.count, y->ranges.count)) {
        return false;
    }
    for (uint32_t i = 0; i < x->ranges.count; i++) {
        if (!compare_range(w, &x->ranges.data[i], &y->ranges.data[i])) {
            return false;
        }
    }
    return true;
}

static bool compare_state(struct walk *w, const struct sg_state *s, const struct sg_state *t) {
    char name[SG_WORDS];
    if (!compare_text(w, "the name of a state", s->name, t->name)) {
        return false;
    }
    if ((s->type == 0) != (t->type == 0) || !types_agree(w, s->type, t->type)) {
        return !w->c->no_memory && differ_types(w, "state", s->name, s->type, t->type);
    }
    bool same = s->table == t->table && s->is_parameter == t->is_parameter &&
                s->is_pickled == t->is_pickled && s->has_bytes == t->has_bytes &&
                s->record_bytes == t->record_bytes && same_text(w, s->record, t->record);
    return same || sg_differ(w->c, "state %s differs", sg_say_name(w->a, s->name, name));
}

static bool compare_states(struct walk *w, const struct sg_program *x, const struct sg_program *y) {
    if (!compare_number(w, "the knowledge of state tables", x->has_state_tables,
                        y->has_state_tables) ||
        !compare_count(w, "states", x->states.count, y->states.count)) {
        return false;
    }
    for (uint32_t i = 0; i < x->states.count; i++) {
        if (!compare_state(w, &x->states.data[i], &y->states.data[i])) {
            return false;
        }
    }
    return true;
}

static bool compare_call(struct walk *w, const struct sg_call *c, const struct sg_call *d) {
    if (!compare_text(w, "the module of a call", c->fqn, d->fqn) ||
        !compare_text(w, "the in_spec of a call", c->in_spec, d->in_spec) ||
        !compare_text(w, "the out_spec of a call", c->out_spec, d->out_spec) ||
        !compare_number(w, "the signature of a call", c->has_signature, d->has_signature) ||
        !compare_number(w, "the knowledge of argument names", c->has_arg_names, d->has_arg_names) ||
        !compare_count(w, "argument names", c->arg_names.count, d->arg_names.count)) {
        return false;
    }
    for (uint32_t i = 0; i < c->arg_names.count; i++) {
        if (!compare_text(w, "an argument name of a call",
                          w->a->pairs.data[c->arg_names.first + i].key,
                          w->b->pairs.data[d->arg_names.first + i].key)) {
            return false;
        }
    }
    return compare_lists(w, "inputs of a call", c->inputs, d->inputs, false) &&
           compare_lists(w, "outputs of a call", c->outputs, d->outputs, false);
}

static bool compare_calls(struct walk *w, const struct sg_program *x, const struct sg_program *y) {
    if (!compare_number(w, "the knowledge of calls", x->has_calls, y->has_calls) ||
        !compare_count(w, "entries of the call graph", x->calls.count, y->calls.count)) {
        return false;
    }
    for (uint32_t i = 0; i < x->calls.count; i++) {
        if (!compare_call(w, &x->calls.data[i], &y->calls.data[i])) {
            return false;
        }
    }
    return true;
}

static bool compare_strings(const struct walk *w, const char *what, const sg_strid *x,
                            uint32_t count, const sg_strid *y, uint32_t more) {
    if (!compare_count(w, what, count, more)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!compare_text(w, what, x[i], y[i])) {
            return false;
        }
    }
    return true;
}

/* Versions and the like. */
static bool compare_claims(struct walk *w, const struct sg_program *x, const struct sg_program *y) {
    if (!compare_text(w, "the name of the program", x->name, y->name) ||
        !compare_number(w, "the role", x->role, y->role) ||
        !compare_number(w, "the claimed stage", x->stage, y->stage) ||
        !compare_number(w, "the loss of the carrier", x->lossy, y->lossy) ||
        !compare_number(w, "the schema's major version", x->schema_major, y->schema_major) ||
        !compare_number(w, "the schema's minor version", x->schema_minor, y->schema_minor) ||
        !compare_text(w, "the version of torch", x->torch_version, y->torch_version) ||
        !compare_text(w, "the fields of named tuples", x->namedtuples, y->namedtuples) ||
        !compare_number(w, "the knowledge of dialects", x->has_dialects, y->has_dialects) ||
        !compare_strings(w, "dialects", x->dialects.data, x->dialects.count, y->dialects.data,
                         y->dialects.count) ||
        !compare_strings(w, "guards", x->guards.data, x->guards.count, y->guards.data,
                         y->guards.count) ||
        !compare_count(w, "operator sets", x->opsets.count, y->opsets.count) ||
        !compare_count(w, "entries of metadata", x->metadata.count, y->metadata.count)) {
        return false;
    }
    for (uint32_t i = 0; i < x->opsets.count; i++) {
        if (!compare_text(w, "an operator set", x->opsets.data[i].name, y->opsets.data[i].name) ||
            !compare_number(w, "the version of an operator set", x->opsets.data[i].version,
                            y->opsets.data[i].version)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < x->metadata.count; i++) {
        if (!compare_text(w, "a key of the metadata", x->metadata.data[i].key,
                          y->metadata.data[i].key) ||
            !compare_text(w, "an entry of the metadata", x->metadata.data[i].value,
                          y->metadata.data[i].value)) {
            return false;
        }
    }
    return true;
}

/* What a program has besides its graph, which was compared before. */
static bool compare_signatures(struct walk *w, uint32_t a, uint32_t b) {
    const struct sg_program *x = sg_program(w->a, a);
    const struct sg_program *y = sg_program(w->b, b);
    return compare_specs(w, x, y, SIGNET_INPUT) && compare_specs(w, x, y, SIGNET_OUTPUT) &&
           compare_ranges(w, x, y) &&
           (w->told ||
            (compare_claims(w, x, y) && compare_states(w, x, y) && compare_calls(w, x, y)));
}

static bool compare_pair(struct walk *w, struct pair pair) {
    bool graphs = pair.kind == PAIR_GRAPHS;
    w->c->a_program = graphs ? sg_graph(w->a, pair.a)->program : pair.a;
    w->c->b_program = graphs ? sg_graph(w->b, pair.b)->program : pair.b;
    w->c->a_graph = graphs ? pair.a : sg_program(w->a, pair.a)->graph;
    w->c->b_graph = graphs ? pair.b : sg_program(w->b, pair.b)->graph;
    w->c->a_node = w->c->b_node = 0;
    switch (pair.kind) {
    case PAIR_PROGRAMS:
        return meet(w, PAIR_GRAPHS, w->c->a_graph, w->c->b_graph) &&
               push(w, PAIR_SIGNATURES, pair.a, pair.b);
    case PAIR_GRAPHS:
        return compare_graphs(w, pair.a, pair.b);
    case PAIR_SIGNATURES:
        return compare_signatures(w, pair.a, pair.b);
    }
    return true;
}

/* Compares the pairs that were pushed, and those that they push. */
static bool work(struct walk *w) {
    while (w->next < w->work.count) {
        if (!compare_pair(w, w->work.data[w->next++])) {
            return false;
        }
    }
    return true;
}

/* ---- Public --------------------------------------------------------------------------------- */

static bool push_programs(struct walk *w, uint32_t a, uint32_t b) {
    if (a != 0) {
        return meet(w, PAIR_PROGRAMS, a, b);
    }
    uint32_t count = w->a->programs.count - 1;
    if (!compare_count(w, "programs", count, w->b->programs.count - 1) ||
        (!w->told &&
         !compare_count(w, "delegates", w->a->delegates.count - 1, w->b->delegates.count - 1))) {
        return false;
    }
    for (uint32_t i = 1; i <= count; i++) {
        if (!meet(w, PAIR_PROGRAMS, i, i)) {
            return false;
        }
    }
    return true;
}

/* In order, one program or all (0). */
static bool equal_in_order(struct sg_compare *c, uint32_t a, uint32_t b) {
    struct walk w = {.c = c, .a = c->a, .b = c->b, .told = c->mode == SIGNET_EQUAL_TOLD};
    w.programs = sg_map_create(&c->a->allocator);
    w.graphs = sg_map_create(&c->a->allocator);
    w.types = sg_map_create(&c->a->allocator);
    bool ready = w.programs != NULL && w.graphs != NULL && w.types != NULL;
    bool same = ready ? push_programs(&w, a, b) && work(&w) : sg_compare_no_memory(c);
    sg_map_destroy(w.programs);
    sg_map_destroy(w.graphs);
    sg_map_destroy(w.types);
    sg_vec_free(&c->a->allocator, &w.work);
    return same;
}

static bool equal(struct sg_compare *c, uint32_t a, uint32_t b) {
    if (c->mode != SIGNET_EQUAL_STRUCTURAL) {
        return equal_in_order(c, a, b);
    }
    return a != 0 ? sg_equal_structural(c, a, b) : sg_equal_structural_packages(c);
}

static bool is_mode(signet_equal_mode mode) {
    return mode == SIGNET_EQUAL_EXACT || mode == SIGNET_EQUAL_STRUCTURAL ||
           mode == SIGNET_EQUAL_TOLD;
}

static signet_status compare(const signet_package *a, uint32_t a_program, const signet_package *b,
                             uint32_t b_program, signet_equal_mode mode, bool *out,
                             signet_difference *difference) {
    struct sg_compare c = {.a = a, .b = b, .mode = mode, .difference = difference};
    *out = equal(&c, a_program, b_program);
    return c.no_memory ? SIGNET_E_NOMEM : SIGNET_OK;
}

signet_status signet_package_equal(const signet_package *a, const signet_package *b,
                                   signet_equal_mode mode, bool *out,
                                   signet_difference *difference) {
    if (a == NULL || b == NULL || out == NULL || !is_mode(mode)) {
        return SIGNET_E_INVALID_ARG;
    }
    return compare(a, 0, b, 0, mode, out, difference);
}

signet_status signet_program_equal(const signet_package *a, signet_program a_program,
                                   const signet_package *b, signet_program b_program,
                                   signet_equal_mode mode, bool *out,
                                   signet_difference *difference) {
    if (a == NULL || b == NULL || out == NULL || !is_mode(mode) || a_program.id == 0 ||
        a_program.id >= a->programs.count || b_program.id == 0 ||
        b_program.id >= b->programs.count) {
        return SIGNET_E_INVALID_ARG;
    }
    return compare(a, a_program.id, b, b_program.id, mode, out, difference);
}
