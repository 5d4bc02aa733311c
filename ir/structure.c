/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/structure.h"

#include "base/text.h"

/* ---- Arguments ------------------------------------------------------------------------------ */

static bool has_children(const struct sg_arg *a) {
    return sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_LIST && a->u.list.count != 0;
}

uint32_t sg_arg_next(const signet_package *p, uint32_t top, uint32_t at) {
    const struct sg_arg *a = sg_arg(p, at);
    return has_children(a) ? a->u.list.first : sg_arg_after(p, top, at);
}

uint32_t sg_arg_after(const signet_package *p, uint32_t top, uint32_t at) {
    while (at != top) {
        uint32_t parent = sg_arg(p, at)->owner;
        struct sg_list siblings = sg_arg(p, parent)->u.list;
        if (at + 1 < siblings.first + siblings.count) {
            return at + 1;
        }
        at = parent;
    }
    return 0;
}

bool sg_arg_is_early(const struct sg_structure *s, uint32_t arg) {
    uint32_t node = signet_arg_node(s->p, (signet_arg){arg}).id;
    uint32_t value = sg_arg(s->p, arg)->u.ref.value;
    uint32_t def = signet_value_node(s->p, (signet_value){value}).id;
    return node != 0 && def != 0 && s->places[def] >= s->places[node];
}

uint32_t sg_arg_held_graph(const signet_package *p, const struct sg_arg *arg) {
    if (arg->kind == SIGNET_ARG_GRAPH) {
        return arg->u.id < p->graphs.count ? arg->u.id : 0;
    }
    if (arg->kind == SIGNET_ARG_DELEGATE) {
        return sg_program(p, sg_delegate(p, arg->u.id)->body)->graph;
    }
    return 0;
}

/* ---- Keys ----------------------------------------------------------------------------------- */

int sg_key_compare(const struct sg_key *x, const struct sg_key *y) {
    if (x->hash.hi != y->hash.hi) {
        return x->hash.hi < y->hash.hi ? -1 : 1;
    }
    return (x->hash.lo > y->hash.lo) - (x->hash.lo < y->hash.lo);
}

static bool comes_before(const struct sg_key *x, const struct sg_key *y) {
    int c = sg_key_compare(x, y);
    return c != 0 ? c < 0 : x->id < y->id;
}

static void sift_down(struct sg_key *keys, uint32_t at, uint32_t count) {
    while (at < count / 2) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count && comes_before(&keys[child], &keys[child + 1])) {
            child++;
        }
        if (!comes_before(&keys[at], &keys[child])) {
            return;
        }
        struct sg_key swap = keys[at];
        keys[at] = keys[child];
        keys[child] = swap;
        at = child;
    }
}

void sg_sort_keys(struct sg_key *keys, uint32_t count) {
    for (uint32_t i = count / 2; i-- > 0;) {
        sift_down(keys, i, count);
    }
    for (uint32_t end = count; end > 1;) {
        end--;
        struct sg_key swap = keys[0];
        keys[0] = keys[end];
        keys[end] = swap;
        sift_down(keys, 0, end);
    }
}

/* ---- Slots ---------------------------------------------------------------------------------- */

/* Keys of the map that counts, and of the one from declared names to user inputs. */
static uint64_t key_of(uint32_t tag, uint32_t kind, sg_strid text) {
    return (uint64_t)tag << 40 | (uint64_t)kind << 32 | text;
}

/* Counts up, and gives the number before. */
static bool count_up(struct sg_map *map, uint64_t key, uint32_t *before) {
    *before = sg_map_get(map, key);
    return sg_map_put(map, key, *before + 1);
}

enum { KEY_INPUT, KEY_OUTPUT, KEY_USER_NAME };

static bool is_user_input(int kind) {
    return kind == SIGNET_INPUT_KIND_USER_INPUT || kind == SIGNET_INPUT_KIND_TOKEN;
}

static bool rank_input(struct sg_map *map, const struct sg_arg *declared, struct sg_slot *slot) {
    sg_strid target = is_user_input(slot->kind) ? 0 : slot->target;
    if (!count_up(map, key_of(KEY_INPUT, slot->kind, target), &slot->rank)) {
        return false;
    }
    if (slot->kind != SIGNET_INPUT_KIND_USER_INPUT || declared->name == 0) {
        return true;
    }
    uint64_t key = key_of(KEY_USER_NAME, 0, declared->name);
    return sg_map_get(map, key) != 0 || sg_map_put(map, key, slot->rank + 1);
}

static bool rank_output(struct sg_map *map, struct sg_slot *slot) {
    signet_output_kind kind = (signet_output_kind)slot->kind;
    if (signet_output_kind_aims_at(kind) == SIGNET_INPUT_KIND_USER_INPUT) {
        slot->aims_at = sg_map_get(map, key_of(KEY_USER_NAME, 0, slot->target));
    }
    bool loss = kind == SIGNET_OUTPUT_KIND_LOSS_OUTPUT; /* stands among the user outputs */
    uint32_t counted = loss ? SIGNET_OUTPUT_KIND_USER_OUTPUT : slot->kind;
    sg_strid target =
        signet_output_kind_aims_at(kind) == SIGNET_INPUT_KIND_UNKNOWN ? 0 : slot->target;
    return count_up(map, key_of(KEY_OUTPUT, counted, target), &slot->rank);
}

static bool add_side(struct sg_structure *s, const struct sg_program *r, struct sg_map *map,
                     signet_side side, struct sg_list args, struct sg_list *out) {
    uint32_t specs = r != NULL ? r->specs[side].count : 0;
    uint32_t count = args.count > specs ? args.count : specs;
    if (!sg_vec_reserve(&s->p->allocator, &s->slots, count)) {
        return false;
    }
    *out = (struct sg_list){s->slots.count, count};
    for (uint32_t i = 0; i < count; i++) {
        struct sg_slot slot = {.rank = i, .arg = i < args.count ? args.first + i : 0};
        const struct sg_spec *spec = i < specs ? &r->specs[side].data[i] : NULL;
        if (spec != NULL) {
            slot.has_spec = true;
            slot.kind = spec->kind;
            slot.persistent = side == SIGNET_INPUT ? spec->persistent : 0;
            slot.raw_tag = spec->raw_tag;
            slot.target = spec->target;
        }
        bool ranks = spec != NULL && spec->kind != 0;
        if (ranks && !(side == SIGNET_INPUT ? rank_input(map, sg_arg(s->p, spec->arg), &slot)
                                            : rank_output(map, &slot))) {
            return false;
        }
        s->slots.data[s->slots.count++] = slot;
    }
    return true;
}

static bool add_slots(struct sg_structure *s, uint32_t graph) {
    const struct sg_graph *g = sg_graph(s->p, graph);
    const struct sg_program *r = sg_program(s->p, g->program);
    if (r->graph != graph) {
        r = NULL; /* a subgraph has no signature */
    }
    struct sg_map *map = r != NULL ? sg_map_create(&s->p->allocator) : NULL;
    bool ok = (map != NULL || r == NULL) &&
              add_side(s, r, map, SIGNET_INPUT, g->inputs, &s->inputs[graph]) &&
              add_side(s, r, map, SIGNET_OUTPUT, g->outputs, &s->outputs[graph]);
    sg_map_destroy(map);
    return ok;
}

bool sg_slot_same(const signet_package *a, const struct sg_slot *x, const signet_package *b,
                  const struct sg_slot *y) {
    return x->kind == y->kind && x->has_spec == y->has_spec && x->rank == y->rank &&
           x->aims_at == y->aims_at && (x->arg == 0) == (y->arg == 0) &&
           sg_string_equal(sg_string(a, x->raw_tag), sg_string(b, y->raw_tag)) &&
           (x->aims_at != 0 || sg_string_equal(sg_string(a, x->target), sg_string(b, y->target)));
}

static void hash_string(const signet_package *p, sg_strid id, struct sg_hasher *h) {
    signet_string text = sg_string(p, id);
    sg_hasher_bytes(h, text.data, text.length);
}

void sg_slot_hash(const signet_package *p, const struct sg_slot *slot, struct sg_hasher *h) {
    sg_hasher_u64(h, (uint64_t)slot->kind << 8 | (uint64_t)slot->has_spec << 1 | (slot->arg != 0));
    sg_hasher_u64(h, (uint64_t)slot->aims_at << 32 | slot->rank);
    hash_string(p, slot->raw_tag, h);
    hash_string(p, slot->aims_at != 0 ? 0 : slot->target, h);
}

/* ---- Graphs --------------------------------------------------------------------------------- */

/* The bytes of an array by id. */
static void *by_id(const signet_package *p, uint32_t count, size_t size) {
    size_t bytes;
    return sg_mul_ok(count, size, &bytes) ? sg_alloc(&p->allocator, bytes) : NULL;
}

bool sg_structure_init(struct sg_structure *s, const signet_package *p) {
    *s = (struct sg_structure){.p = p};
    s->graph_state = by_id(p, p->graphs.count, sizeof(*s->graph_state));
    s->inputs = by_id(p, p->graphs.count, sizeof(*s->inputs));
    s->outputs = by_id(p, p->graphs.count, sizeof(*s->outputs));
    s->graph_effects = by_id(p, p->graphs.count, sizeof(*s->graph_effects));
    s->graphs = by_id(p, p->graphs.count, sizeof(*s->graphs));
    s->places = by_id(p, p->nodes.count, sizeof(*s->places));
    s->node_deps = by_id(p, p->nodes.count, sizeof(*s->node_deps));
    s->nodes = by_id(p, p->nodes.count, sizeof(*s->nodes));
    s->values = by_id(p, p->values.count, sizeof(*s->values));
    s->types = by_id(p, p->types.count, sizeof(*s->types));
    bool ok = s->graph_state != NULL && s->inputs != NULL && s->outputs != NULL &&
              s->graph_effects != NULL && s->graphs != NULL && s->places != NULL &&
              s->node_deps != NULL && s->nodes != NULL && s->values != NULL && s->types != NULL;
    if (!ok) {
        sg_structure_free(s);
    }
    return ok;
}

void sg_structure_free(struct sg_structure *s) {
    if (s->p == NULL) {
        return;
    }
    const signet_package *p = s->p;
    const signet_allocator *a = &p->allocator;
    sg_free(a, s->graph_state, p->graphs.count * sizeof(*s->graph_state));
    sg_free(a, s->inputs, p->graphs.count * sizeof(*s->inputs));
    sg_free(a, s->outputs, p->graphs.count * sizeof(*s->outputs));
    sg_free(a, s->graph_effects, p->graphs.count * sizeof(*s->graph_effects));
    sg_free(a, s->graphs, p->graphs.count * sizeof(*s->graphs));
    sg_free(a, s->places, p->nodes.count * sizeof(*s->places));
    sg_free(a, s->node_deps, p->nodes.count * sizeof(*s->node_deps));
    sg_free(a, s->nodes, p->nodes.count * sizeof(*s->nodes));
    sg_free(a, s->values, p->values.count * sizeof(*s->values));
    sg_free(a, s->types, p->types.count * sizeof(*s->types));
    sg_vec_free(a, &s->order);
    sg_vec_free(a, &s->slots);
    sg_vec_free(a, &s->deps);
    sg_vec_free(a, &s->effects);
    *s = (struct sg_structure){.p = NULL};
}

struct level {
    uint32_t graph;
    uint32_t base; /* of its part of held */
};
/* Graphs on the way down, and those that they hold and that are still to be seen. */
struct descent {
    SG_VEC(struct level) levels;
    SG_VEC(uint32_t) held;
};

static bool enter(struct sg_structure *s, struct descent *d, uint32_t graph) {
    const signet_package *p = s->p;
    const signet_allocator *a = &p->allocator;
    if (!sg_vec_reserve(a, &d->levels, 1) || !add_slots(s, graph)) {
        return false;
    }
    s->graph_state[graph] = 1;
    d->levels.data[d->levels.count++] = (struct level){graph, d->held.count};
    uint32_t place = 0;
    for (uint32_t n = sg_graph(p, graph)->first; n != 0; n = sg_node(p, n)->next) {
        s->places[n] = ++place;
        struct sg_list inputs = sg_node(p, n)->inputs;
        for (uint32_t i = 0; i < inputs.count; i++) {
            uint32_t top = inputs.first + i;
            for (uint32_t at = top; at != 0; at = sg_arg_next(p, top, at)) {
                uint32_t held = sg_arg_held_graph(p, sg_arg(p, at));
                if (held == 0 || s->graph_state[held] != 0) {
                    continue;
                }
                if (!sg_vec_reserve(a, &d->held, 1)) {
                    return false;
                }
                d->held.data[d->held.count++] = held;
            }
        }
    }
    return true;
}

static bool descend(struct sg_structure *s, struct descent *d, uint32_t graph) {
    const signet_allocator *a = &s->p->allocator;
    if (!enter(s, d, graph)) {
        return false;
    }
    while (d->levels.count != 0) {
        struct level *l = &d->levels.data[d->levels.count - 1];
        if (d->held.count > l->base) {
            uint32_t next = d->held.data[--d->held.count];
            if (s->graph_state[next] == 0 && !enter(s, d, next)) {
                return false;
            }
            continue;
        }
        if (!sg_vec_reserve(a, &s->order, 1)) {
            return false;
        }
        s->graph_state[l->graph] = 2;
        s->order.data[s->order.count++] = l->graph;
        d->levels.count--;
    }
    return true;
}

bool sg_structure_add(struct sg_structure *s, uint32_t program) {
    uint32_t graph = sg_program(s->p, program)->graph;
    if (graph == 0 || s->graph_state[graph] != 0) {
        return true;
    }
    struct descent d = {{NULL, 0, 0}, {NULL, 0, 0}};
    bool ok = descend(s, &d, graph);
    sg_vec_free(&s->p->allocator, &d.levels);
    sg_vec_free(&s->p->allocator, &d.held);
    return ok;
}
