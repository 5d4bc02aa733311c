/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes of programs. The structural one gives each value the hash of what computes it, from the
 * graph inputs down; a graph's hash is that of its outputs and effects, so that names, the order of
 * independent nodes, and nodes that nothing needs do not count. The exact one is a plain walk.
 */

#include "base/text.h"
#include "ir/structure.h"

static void hash_string(const signet_package *p, sg_strid id, struct sg_hasher *h) {
    signet_string text = sg_string(p, id);
    if (text.data != NULL) {
        sg_hasher_bytes(h, text.data, text.length);
    } else {
        sg_hasher_u64(h, 0); /* absent differs from empty */
    }
}

/* Adds a part whose place does not count. */
static void hash_unordered(struct sg_hasher *sum, const struct sg_hasher *part) {
    sum->lo += part->lo;
    sum->hi += part->hi;
}

/* ---- Types ---------------------------------------------------------------------------------- */

/* What a sym says; exact: also how it is written, and its hint. */
static void hash_sym(const signet_package *p, uint32_t id, bool exact, struct sg_hasher *h) {
    const struct sg_sym *s = sg_sym(p, id);
    const struct sg_expr *e = sg_expr(p, s->expr);
    sg_hasher_u64(h, s->kind);
    sg_hasher_u64(h, (uint64_t)s->number);
    if (s->kind != SIGNET_SYM_EXPR) {
        return;
    }
    sg_hasher_u64(h, e->hash);
    if (exact || s->expr == 0) {
        hash_string(p, s->text, h);
    }
    if (exact) {
        sg_hasher_u64(h, s->hint);
        sg_hasher_u64(h, (uint64_t)s->hint_number);
    }
}

static void hash_syms(const signet_package *p, struct sg_list list, bool exact,
                      struct sg_hasher *h) {
    sg_hasher_u64(h, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        hash_sym(p, p->dims.data[list.first + i], exact, h);
    }
}

/* Where the tensor's data starts in its storage does not count: PyTorch itself does not keep it. */
static void hash_type(const signet_package *p, uint32_t type, bool exact, struct sg_hasher *h) {
    const struct sg_type *t = sg_type(p, type);
    sg_hasher_u64(h, (uint64_t)t->dtype << 32 | (uint64_t)t->layout << 8 |
                         (uint64_t)t->requires_grad << 2 | (uint64_t)t->has_strides << 1 |
                         t->has_device_index);
    hash_string(p, t->device, h);
    sg_hasher_u64(h, (uint64_t)t->device_index);
    hash_syms(p, t->sizes, exact, h);
    hash_syms(p, t->strides, exact, h);
    if (exact) {
        hash_sym(p, t->offset, true, h);
    }
}

/* The same, computed once for each type. */
static const struct sg_hasher *type_hash(const struct sg_structure *s, uint32_t type, bool exact) {
    struct sg_hasher *h = &s->types[type < s->p->types.count ? type : 0];
    if (!sg_hasher_is_set(h)) {
        sg_hasher_init(h);
        hash_type(s->p, type, exact, h);
    }
    return h;
}

/* ---- Arguments ------------------------------------------------------------------------------ */

void sg_arg_hash_record(const signet_package *p, const struct sg_arg *a, struct sg_hasher *h) {
    signet_string name = sg_string(p, a->name);
    sg_hasher_u64(h, (uint64_t)a->kind << 8 | (uint64_t)a->literal << 1 | (name.length != 0));
    if (name.length != 0) {
        sg_hasher_bytes(h, name.data, name.length);
    }
    switch (sg_arg_kind_payload((signet_arg_kind)a->kind)) {
    case SG_PAYLOAD_NOTHING:
    case SG_PAYLOAD_GRAPH:
    case SG_PAYLOAD_DELEGATE:
        break;
    case SG_PAYLOAD_VALUE:
        if (a->kind == SIGNET_ARG_CUSTOM_OBJ) {
            hash_string(p, a->u.ref.extra, h);
        }
        break;
    case SG_PAYLOAD_SYMBOL:
        if (a->literal) {
            sg_hasher_u64(h, a->kind == SIGNET_ARG_SYM_FLOAT ? sg_real_bits(a->u.real)
                                                             : (uint64_t)a->u.integer);
        }
        break;
    case SG_PAYLOAD_INTEGER:
    case SG_PAYLOAD_BOOLEAN:
        sg_hasher_u64(h, (uint64_t)a->u.integer);
        break;
    case SG_PAYLOAD_REAL:
        sg_hasher_u64(h, sg_real_bits(a->u.real));
        break;
    case SG_PAYLOAD_TEXT:
        hash_string(p, a->u.text, h);
        break;
    case SG_PAYLOAD_LIST:
        sg_hasher_u64(h, a->u.list.count);
        break;
    case SG_PAYLOAD_DEVICE:
        hash_string(p, a->u.device.type, h);
        sg_hasher_u64(h, (uint32_t)a->u.device.index);
        break;
    case SG_PAYLOAD_RAW:
        hash_string(p, a->u.raw.tag, h);
        hash_string(p, a->u.raw.text, h);
        break;
    }
}

/* ---- Structural ----------------------------------------------------------------------------- */

/* The description of a value. */
static void hash_described(struct sg_structure *s, uint32_t value, struct sg_hasher *h) {
    const struct sg_value *v = sg_value(s->p, value);
    sg_hasher_u64(h, (uint64_t)v->kind << 8 | v->described_as);
    switch ((signet_value_kind)v->described_as) {
    case SIGNET_VALUE_TENSOR:
        sg_hasher_hash(h, type_hash(s, v->description, false));
        break;
    case SIGNET_VALUE_SYM_INT:
    case SIGNET_VALUE_SYM_FLOAT:
    case SIGNET_VALUE_SYM_BOOL:
        hash_sym(s->p, v->description, false, h);
        break;
    case SIGNET_VALUE_CUSTOM_OBJ:
        hash_string(s->p, v->description, h);
        break;
    case SIGNET_VALUE_UNKNOWN:
    case SIGNET_VALUE_UNDEFINED:
    case SIGNET_VALUE_TOKEN:
    case SIGNET_VALUE_CONSTANT:
        break;
    }
}

/* A value that an argument names. One that nothing has computed yet has nothing but its name. */
static void hash_value(const struct sg_structure *s, uint32_t value, struct sg_hasher *h) {
    if (sg_hasher_is_set(&s->values[value])) {
        sg_hasher_hash(h, &s->values[value]);
    } else {
        hash_string(s->p, sg_value(s->p, value)->name, h);
    }
}

/* A subgraph, or a delegate with its body; of a delegate without, nothing is known but its name. */
static void hash_held(const struct sg_structure *s, const struct sg_arg *a, struct sg_hasher *h) {
    uint32_t held = sg_arg_held_graph(s->p, a);
    if (a->kind != SIGNET_ARG_GRAPH && a->kind != SIGNET_ARG_DELEGATE) {
        return;
    }
    sg_hasher_hash(h, &s->graphs[held]);
    if (a->kind == SIGNET_ARG_DELEGATE) {
        const struct sg_delegate *d = sg_delegate(s->p, a->u.id);
        hash_string(s->p, d->backend, h);
        hash_string(s->p, held == 0 ? d->name : 0, h);
    }
}

/* An argument in use, with all that is inside it. */
static void hash_use(const struct sg_structure *s, uint32_t top, struct sg_hasher *h) {
    for (uint32_t at = top; at != 0; at = sg_arg_next(s->p, top, at)) {
        const struct sg_arg *a = sg_arg(s->p, at);
        sg_arg_hash_record(s->p, a, h);
        if (sg_arg_has_value(a)) {
            hash_value(s, a->u.ref.value, h);
        }
        hash_held(s, a, h);
    }
}

/* What the results look like; not what they are called. */
static void hash_results(struct sg_structure *s, struct sg_list outputs, struct sg_hasher *h) {
    sg_hasher_u64(h, outputs.count);
    for (uint32_t i = 0; i < outputs.count; i++) {
        uint32_t top = outputs.first + i;
        for (uint32_t at = top; at != 0; at = sg_arg_next(s->p, top, at)) {
            const struct sg_arg *a = sg_arg(s->p, at);
            sg_arg_hash_record(s->p, a, h);
            if (sg_arg_has_value(a)) {
                hash_described(s, a->u.ref.value, h);
            }
        }
    }
}

/* Each value by its place among those of the list. */
static void set_values(struct sg_structure *s, struct sg_list list, const struct sg_hasher *of) {
    uint64_t place = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t top = list.first + i;
        for (uint32_t at = top; at != 0; at = sg_arg_next(s->p, top, at)) {
            const struct sg_arg *a = sg_arg(s->p, at);
            if (sg_arg_has_value(a)) {
                struct sg_hasher h = *of;
                sg_hasher_u64(&h, place++);
                s->values[a->u.ref.value] = h;
            }
        }
    }
}

static void hash_node(struct sg_structure *s, uint32_t node) {
    const struct sg_node *n = sg_node(s->p, node);
    struct sg_hasher *h = &s->nodes[node];
    sg_hasher_init(h);
    sg_operator_hash(s->p, n->op, h);
    sg_hasher_u64(h, n->inputs.count);
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        hash_use(s, n->inputs.first + i, h);
    }
    struct sg_list deps = s->node_deps[node];
    for (uint32_t i = 0; i < deps.count; i++) {
        sg_hasher_hash(h, &s->nodes[s->deps.data[deps.first + i]]);
    }
    sg_hasher_u64(h, (uint64_t)(uint8_t)n->hop_single_return << 1 | n->results_open);
    hash_results(s, n->outputs, h);
    set_values(s, n->outputs, h);
}

/* An input of a graph: what it stands for, and what it looks like. */
static void hash_input(struct sg_structure *s, const struct sg_slot *slot, struct sg_hasher *h) {
    sg_hasher_init(h);
    sg_slot_hash(s->p, slot, h);
    sg_hasher_u64(h, slot->persistent);
    if (slot->arg != 0) {
        struct sg_list one = {slot->arg, 1};
        hash_results(s, one, h);
        set_values(s, one, h);
    }
}

static void hash_graph(struct sg_structure *s, uint32_t graph) {
    const struct sg_graph *g = sg_graph(s->p, graph);
    struct sg_hasher sum = {0, 0};
    struct sg_hasher part;
    struct sg_list inputs = s->inputs[graph];
    for (uint32_t i = 0; i < inputs.count; i++) {
        hash_input(s, &s->slots.data[inputs.first + i], &part);
        hash_unordered(&sum, &part);
    }
    for (uint32_t n = g->first; n != 0; n = sg_node(s->p, n)->next) {
        hash_node(s, n);
    }
    struct sg_list outputs = s->outputs[graph];
    for (uint32_t i = 0; i < outputs.count; i++) {
        const struct sg_slot *slot = &s->slots.data[outputs.first + i];
        sg_hasher_init(&part);
        sg_hasher_u64(&part, 1);
        sg_slot_hash(s->p, slot, &part);
        if (slot->arg != 0) {
            hash_use(s, slot->arg, &part);
        }
        hash_unordered(&sum, &part);
    }
    struct sg_list effects = s->graph_effects[graph];
    for (uint32_t i = 0; i < effects.count; i++) {
        sg_hasher_init(&part);
        sg_hasher_u64(&part, 2);
        sg_hasher_hash(&part, &s->nodes[s->effects.data[effects.first + i]]);
        hash_unordered(&sum, &part);
    }
    struct sg_hasher *h = &s->graphs[graph];
    sg_hasher_init(h);
    sg_hasher_u64(h, g->returns_bare);
    sg_hasher_hash(h, &sum);
}

void sg_structure_hash(struct sg_structure *s) {
    for (uint32_t i = 0; i < s->order.count; i++) {
        hash_graph(s, s->order.data[i]);
    }
}

static void hash_range(const signet_package *p, const struct sg_range *r, struct sg_hasher *h) {
    sg_hasher_init(h);
    hash_string(p, r->symbol, h);
    sg_hasher_u64(h, (uint64_t)r->has_min << 1 | r->has_max);
    sg_hasher_u64(h, r->has_min ? (uint64_t)r->min : 0);
    sg_hasher_u64(h, r->has_max ? (uint64_t)r->max : 0);
}

static void hash_program(const struct sg_structure *s, uint32_t program, struct sg_hasher *h) {
    const struct sg_program *r = sg_program(s->p, program);
    sg_hasher_init(h);
    sg_hasher_hash(h, &s->graphs[r->graph]);
    struct sg_hasher sum = {0, 0};
    for (uint32_t i = 0; i < r->ranges.count; i++) {
        struct sg_hasher part;
        hash_range(s->p, &r->ranges.data[i], &part);
        hash_unordered(&sum, &part);
    }
    sg_hasher_hash(h, &sum);
}

/* ---- Exact ---------------------------------------------------------------------------------- */

/* A value by its name; where a name is defined twice, by the place of the definition too. */
static void hash_reference(const signet_package *p, uint32_t value, struct sg_hasher *h) {
    const struct sg_value *v = sg_value(p, value);
    hash_string(p, v->name, h);
    if (v->redefined) {
        sg_hasher_u64(h, sg_node(p, signet_arg_node(p, (signet_arg){v->def}).id)->index);
        sg_hasher_u64(h, sg_arg_position(p, v->def));
    }
}

static void hash_exact_args(const struct sg_structure *s, struct sg_list list,
                            struct sg_hasher *h) {
    const signet_package *p = s->p;
    sg_hasher_u64(h, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t top = list.first + i;
        for (uint32_t at = top; at != 0; at = sg_arg_next(p, top, at)) {
            const struct sg_arg *a = sg_arg(p, at);
            sg_hasher_u64(h, (uint64_t)a->passing << 1 | (a->name != 0));
            sg_arg_hash_record(p, a, h);
            if (sg_arg_has_value(a)) {
                hash_reference(p, a->u.ref.value, h);
            }
            hash_held(s, a, h);
            if (a->kind == SIGNET_ARG_DELEGATE) {
                hash_string(p, sg_delegate(p, a->u.id)->name, h);
            }
        }
    }
}

static void hash_exact_value(const struct sg_structure *s, uint32_t value, struct sg_hasher *h) {
    const signet_package *p = s->p;
    const struct sg_value *v = sg_value(p, value);
    hash_string(p, v->name, h);
    sg_hasher_u64(h, (uint64_t)v->kind << 16 | (uint64_t)v->described_as << 8 |
                         (uint64_t)v->redefined << 1 | v->described_twice);
    if (v->described_as == SIGNET_VALUE_TENSOR) {
        sg_hasher_hash(h, type_hash(s, v->description, true));
    } else if (v->described_as == SIGNET_VALUE_CUSTOM_OBJ) {
        hash_string(p, v->description, h);
    } else if (v->described_as != SIGNET_VALUE_UNKNOWN) {
        hash_sym(p, v->description, true, h);
    }
}

static void hash_pairs(const signet_package *p, const struct sg_pair *pairs, uint32_t count,
                       struct sg_hasher *h) {
    sg_hasher_u64(h, count);
    for (uint32_t i = 0; i < count; i++) {
        hash_string(p, pairs[i].key, h);
        hash_string(p, pairs[i].value, h);
    }
}

static void hash_exact_node(const struct sg_structure *s, const struct sg_node *n,
                            struct sg_hasher *h) {
    hash_string(s->p, n->target, h);
    hash_string(s->p, n->name, h);
    sg_hasher_u64(h, (uint64_t)(uint8_t)n->hop_single_return << 1 | n->results_open);
    hash_exact_args(s, n->inputs, h);
    hash_exact_args(s, n->outputs, h);
    hash_pairs(s->p, n->metadata.count != 0 ? &s->p->pairs.data[n->metadata.first] : NULL,
               n->metadata.count, h);
}

static void hash_exact_graph(const struct sg_structure *s, uint32_t graph) {
    const signet_package *p = s->p;
    const struct sg_graph *g = sg_graph(p, graph);
    struct sg_hasher *h = &s->graphs[graph];
    sg_hasher_init(h);
    hash_string(p, g->name, h);
    sg_hasher_u64(h, g->returns_bare);
    hash_exact_args(s, g->inputs, h);
    sg_hasher_u64(h, g->node_count);
    for (uint32_t n = g->first; n != 0; n = sg_node(p, n)->next) {
        hash_exact_node(s, sg_node(p, n), h);
    }
    hash_exact_args(s, g->outputs, h);
    /* Carriers list descriptions in orders of their own. */
    struct sg_hasher sum = {0, 0};
    for (uint32_t v = g->first_value; v != 0; v = sg_value(p, v)->next_in_graph) {
        const struct sg_value *value = sg_value(p, v);
        struct sg_hasher part;
        if (value->def == 0 && value->described_as == 0 && value->first_use == 0) {
            continue; /* only a name that was looked up */
        }
        sg_hasher_init(&part);
        hash_exact_value(s, v, &part);
        hash_unordered(&sum, &part);
    }
    sg_hasher_hash(h, &sum);
}

static void hash_exact_specs(const struct sg_structure *s, const struct sg_program *r,
                             signet_side side, struct sg_hasher *h) {
    sg_hasher_u64(h, r->specs[side].count);
    for (uint32_t i = 0; i < r->specs[side].count; i++) {
        const struct sg_spec *spec = &r->specs[side].data[i];
        sg_hasher_u64(h, (uint64_t)spec->kind << 8 | spec->persistent);
        hash_string(s->p, spec->raw_tag, h);
        hash_exact_args(s, (struct sg_list){spec->arg, spec->arg != 0}, h);
        hash_string(s->p, spec->target, h);
    }
}

static void hash_exact_states(const struct sg_structure *s, const struct sg_program *r,
                              struct sg_hasher *h) {
    const signet_package *p = s->p;
    sg_hasher_u64(h, (uint64_t)r->states.count << 1 | r->has_state_tables);
    for (uint32_t i = 0; i < r->states.count; i++) {
        const struct sg_state *t = &r->states.data[i];
        sg_hasher_u64(h, (uint64_t)t->table << 3 | (uint64_t)t->is_parameter << 2 |
                             (uint64_t)t->is_pickled << 1 | t->has_bytes);
        hash_string(p, t->name, h);
        hash_string(p, t->record, h);
        sg_hasher_u64(h, t->record_bytes);
        sg_hasher_u64(h, t->type != 0);
        sg_hasher_hash(h, type_hash(s, t->type, true));
    }
}

static void hash_exact_calls(const struct sg_structure *s, const struct sg_program *r,
                             struct sg_hasher *h) {
    const signet_package *p = s->p;
    sg_hasher_u64(h, (uint64_t)r->calls.count << 1 | r->has_calls);
    for (uint32_t i = 0; i < r->calls.count; i++) {
        const struct sg_call *c = &r->calls.data[i];
        hash_string(p, c->fqn, h);
        sg_hasher_u64(h, (uint64_t)c->has_signature << 1 | c->has_arg_names);
        hash_string(p, c->in_spec, h);
        hash_string(p, c->out_spec, h);
        hash_exact_args(s, c->inputs, h);
        hash_exact_args(s, c->outputs, h);
        hash_pairs(p, c->arg_names.count != 0 ? &p->pairs.data[c->arg_names.first] : NULL,
                   c->arg_names.count, h);
    }
}

static void hash_exact_program(const struct sg_structure *s, uint32_t program,
                               struct sg_hasher *h) {
    const signet_package *p = s->p;
    const struct sg_program *r = sg_program(p, program);
    sg_hasher_init(h);
    hash_string(p, r->name, h);
    sg_hasher_u64(h, (uint64_t)r->role << 16 | (uint64_t)r->stage << 8 | (uint64_t)r->lossy << 1 |
                         r->has_dialects);
    sg_hasher_u64(h, (uint64_t)r->schema_major << 32 | r->schema_minor);
    hash_string(p, r->torch_version, h);
    hash_string(p, r->namedtuples, h);
    hash_string(p, sg_delegate(p, r->delegate)->name, h);
    sg_hasher_hash(h, &s->graphs[r->graph]);
    hash_exact_specs(s, r, SIGNET_INPUT, h);
    hash_exact_specs(s, r, SIGNET_OUTPUT, h);
    hash_exact_states(s, r, h);
    hash_exact_calls(s, r, h);
    sg_hasher_u64(h, r->ranges.count);
    for (uint32_t i = 0; i < r->ranges.count; i++) {
        struct sg_hasher part;
        hash_range(p, &r->ranges.data[i], &part);
        sg_hasher_hash(h, &part);
    }
    sg_hasher_u64(h, r->dialects.count);
    for (uint32_t i = 0; i < r->dialects.count; i++) {
        hash_string(p, r->dialects.data[i], h);
    }
    sg_hasher_u64(h, r->guards.count);
    for (uint32_t i = 0; i < r->guards.count; i++) {
        hash_string(p, r->guards.data[i], h);
    }
    sg_hasher_u64(h, r->opsets.count);
    for (uint32_t i = 0; i < r->opsets.count; i++) {
        hash_string(p, r->opsets.data[i].name, h);
        sg_hasher_u64(h, (uint64_t)r->opsets.data[i].version);
    }
    hash_pairs(p, r->metadata.data, r->metadata.count, h);
}

/* ---- Public --------------------------------------------------------------------------------- */

/* Hashes the graphs of one program, or of all (0). */
static signet_status prepare(struct sg_structure *s, const signet_package *p, uint32_t program,
                             signet_hash_mode mode) {
    if (!sg_structure_init(s, p)) {
        return SIGNET_E_NOMEM;
    }
    bool ok = true;
    for (uint32_t i = 1; i < p->programs.count && ok; i++) {
        ok = (program != 0 && program != i) || sg_structure_add(s, i);
    }
    if (ok && mode == SIGNET_HASH_STRUCTURAL) {
        ok = sg_structure_effects(s);
        if (ok) {
            sg_structure_hash(s);
        }
    } else {
        for (uint32_t i = 0; i < s->order.count && ok; i++) {
            hash_exact_graph(s, s->order.data[i]);
        }
    }
    if (!ok) {
        sg_structure_free(s);
    }
    return ok ? SIGNET_OK : SIGNET_E_NOMEM;
}

static void hash_one(const struct sg_structure *s, uint32_t program, signet_hash_mode mode,
                     struct sg_hasher *h) {
    if (mode == SIGNET_HASH_STRUCTURAL) {
        hash_program(s, program, h);
    } else {
        hash_exact_program(s, program, h);
    }
}

static bool is_mode(signet_hash_mode mode) {
    return mode == SIGNET_HASH_EXACT || mode == SIGNET_HASH_STRUCTURAL;
}

signet_status signet_program_hash(const signet_package *p, signet_program program,
                                  signet_hash_mode mode, signet_hash *out) {
    if (p == NULL || out == NULL || !is_mode(mode) || program.id == 0 ||
        program.id >= p->programs.count) {
        return SIGNET_E_INVALID_ARG;
    }
    struct sg_structure s;
    signet_status rc = prepare(&s, p, program.id, mode);
    if (rc == SIGNET_OK) {
        struct sg_hasher h;
        hash_one(&s, program.id, mode, &h);
        *out = sg_hasher_done(&h);
        sg_structure_free(&s);
    }
    return rc;
}

signet_status signet_package_hash(const signet_package *p, signet_hash_mode mode,
                                  signet_hash *out) {
    if (p == NULL || out == NULL || !is_mode(mode)) {
        return SIGNET_E_INVALID_ARG;
    }
    struct sg_structure s;
    signet_status rc = prepare(&s, p, 0, mode);
    if (rc != SIGNET_OK) {
        return rc;
    }
    struct sg_hasher all;
    struct sg_hasher sum = {0, 0};
    sg_hasher_init(&all);
    sg_hasher_u64(&all, mode == SIGNET_HASH_EXACT ? p->delegates.count : 0);
    for (uint32_t i = 1; i < p->programs.count; i++) {
        struct sg_hasher h;
        hash_one(&s, i, mode, &h);
        if (mode == SIGNET_HASH_EXACT) {
            sg_hasher_hash(&all, &h);
        } else if (sg_program(p, i)->delegate == 0) { /* methods by name, bodies by their calls */
            hash_string(p, sg_program(p, i)->name, &h);
            hash_unordered(&sum, &h);
        }
    }
    sg_hasher_hash(&all, &sum);
    *out = sg_hasher_done(&all);
    sg_structure_free(&s);
    return SIGNET_OK;
}
