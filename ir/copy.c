/* SPDX-License-Identifier: Apache-2.0 */

/* One program into a package: a walk with an id map per kind of record. Both packages may be the
 * same one, so no record pointer is held over a call that adds. */

#include <string.h>

#include "ir/arg_internal.h"
#include "ir/ir_internal.h"

/* From an id of the source to an id of the copy; 0: not copied yet. */
struct id_map {
    uint32_t *to;
    uint32_t count;
};

struct pending_arg {
    uint32_t from, to;
};

struct copier {
    signet_package *to;
    const signet_package *from;
    bool same;
    struct id_map strings, graphs, values, syms, types, exprs, delegates, sources;
    SG_VEC(uint32_t) graph_queue;   /* source graphs whose copy is still empty */
    SG_VEC(uint32_t) program_queue; /* source bodies, each followed by its copy */
    SG_VEC(struct pending_arg) args;
    bool failed;
};

static void fail(struct copier *c) {
    c->failed = true;
    sg_package_fail(c->to, SIGNET_E_NOMEM);
}

static void map_init(struct copier *c, struct id_map *m, uint32_t count) {
    size_t bytes = 0;
    m->count = count;
    m->to = sg_mul_ok((size_t)count + 1, sizeof(uint32_t), &bytes)
                ? sg_alloc(&c->to->allocator, bytes)
                : NULL;
    if (m->to == NULL) {
        fail(c);
    }
}

static void map_free(struct copier *c, struct id_map *m) {
    sg_free(&c->to->allocator, m->to, ((size_t)m->count + 1) * sizeof(uint32_t));
}

/* ---- Strings, expressions, types ------------------------------------------------------------- */

static sg_strid copy_string(struct copier *c, sg_strid id) {
    if (c->same || id == 0 || id >= c->strings.count) {
        return c->same ? id : 0;
    }
    if (c->strings.to[id] == 0) {
        c->strings.to[id] = sg_intern(c->to, sg_string(c->from, id));
    }
    return c->strings.to[id];
}

static uint32_t copy_one_expr(struct copier *c, const struct sg_expr *e) {
    enum { SMALL = 16 };
    signet_expr small[SMALL];
    signet_expr *operands = small;
    size_t bytes = (size_t)e->operands.count * sizeof(signet_expr);
    if (e->head == SIGNET_EXPR_INTEGER) {
        return signet_expr_integer(c->to, e->number).id;
    }
    if (e->head == SIGNET_EXPR_SYMBOL) {
        return signet_expr_symbol(c->to, sg_string(c->from, e->name)).id;
    }
    if (e->operands.count > SMALL) {
        operands = sg_alloc(&c->to->allocator, bytes);
        if (operands == NULL) {
            fail(c);
            return 0;
        }
    }
    for (uint32_t i = 0; i < e->operands.count; i++) {
        operands[i].id = c->exprs.to[c->from->dims.data[e->operands.first + i]];
    }
    uint32_t id = signet_expr_make(c->to, (signet_expr_head)e->head, sg_string(c->from, e->name),
                                   operands, e->operands.count)
                      .id;
    if (operands != small) {
        sg_free(&c->to->allocator, operands, bytes);
    }
    return id;
}

/* Operands are older than what they are in, so the records in order are copied bottom up. */
static void copy_exprs(struct copier *c) {
    for (uint32_t i = 1; i < c->exprs.count && !c->failed; i++) {
        c->exprs.to[i] = copy_one_expr(c, sg_expr(c->from, i));
    }
}

static signet_sym copy_sym(struct copier *c, uint32_t id) {
    if (c->same || id == 0 || id >= c->syms.count) {
        return (signet_sym){c->same ? id : 0};
    }
    if (c->syms.to[id] == 0) {
        signet_sym_info info = signet_sym_get(c->from, (signet_sym){id});
        info.expr.id = c->exprs.to[info.expr.id];
        c->syms.to[id] = signet_sym_make(c->to, &info).id;
    }
    return (signet_sym){c->syms.to[id]};
}

static void copy_dims(struct copier *c, struct sg_list list, signet_sym *out) {
    for (uint32_t i = 0; i < list.count; i++) {
        out[i] = copy_sym(c, c->from->dims.data[list.first + i]);
    }
}

static uint32_t make_type(struct copier *c, uint32_t id) {
    const struct sg_type *t = sg_type(c->from, id);
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    size_t bytes = ((size_t)t->sizes.count + t->strides.count + 1) * sizeof(signet_sym);
    signet_sym *dims = sg_alloc(&c->to->allocator, bytes);
    if (dims == NULL) {
        fail(c);
        return 0;
    }
    signet_type_get(c->from, (signet_type){id}, &info);
    copy_dims(c, t->sizes, dims);
    copy_dims(c, t->strides, dims + t->sizes.count);
    info.sizes = dims;
    info.strides = dims + t->sizes.count;
    info.storage_offset = copy_sym(c, t->offset);
    uint32_t made = signet_type_make(c->to, &info).id;
    sg_free(&c->to->allocator, dims, bytes);
    return made;
}

static uint32_t copy_type(struct copier *c, uint32_t id) {
    if (c->same || id == 0 || id >= c->types.count) {
        return c->same ? id : 0;
    }
    if (c->types.to[id] == 0) {
        c->types.to[id] = make_type(c, id);
    }
    return c->types.to[id];
}

/* ---- Sources, delegates ---------------------------------------------------------------------- */

static uint32_t copy_source(struct copier *c, uint32_t id) {
    if (c->same || id == 0 || id >= c->sources.count) {
        return c->same ? id : 0;
    }
    if (c->sources.to[id] == 0) {
        const struct sg_source *s = &c->from->sources.data[id];
        const char *text =
            s->text != NULL ? sg_arena_text(&c->to->arena, s->text, s->length) : NULL;
        if (s->text != NULL && text == NULL) {
            fail(c);
            return 0;
        }
        c->sources.to[id] =
            sg_source_add(c->to, (signet_carrier)s->carrier, sg_string(c->from, s->file),
                          sg_string(c->from, s->entry), text, s->length);
    }
    return c->sources.to[id];
}

static void queue_body(struct copier *c, uint32_t body, signet_delegate delegate) {
    signet_program copy = signet_program_add(
        c->to, sg_string(c->from, sg_program(c->from, body)->name), SIGNET_ROLE_BODY);
    if (copy.id == 0 || !sg_vec_reserve(&c->to->allocator, &c->program_queue, 2)) {
        fail(c);
        return;
    }
    signet_delegate_set_body(c->to, delegate, copy);
    c->program_queue.data[c->program_queue.count++] = body;
    c->program_queue.data[c->program_queue.count++] = copy.id;
}

static uint32_t copy_delegate(struct copier *c, uint32_t id) {
    if (id == 0 || id >= c->delegates.count) {
        return 0;
    }
    if (c->delegates.to[id] == 0) {
        struct sg_delegate d = *sg_delegate(c->from, id);
        signet_delegate copy = signet_delegate_add(c->to, sg_string(c->from, d.name));
        c->delegates.to[id] = copy.id;
        if (copy.id == 0) {
            return 0;
        }
        sg_strid backend = copy_string(c, d.backend);
        struct sg_delegate *made = &c->to->delegates.data[copy.id];
        made->backend = backend;
        made->span = d.span;
        if (d.body != 0) {
            queue_body(c, d.body, copy);
        }
    }
    return c->delegates.to[id];
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static uint32_t copy_graph(struct copier *c, uint32_t id, uint32_t program) {
    if (id == 0 || id >= c->graphs.count) {
        return 0;
    }
    if (c->graphs.to[id] == 0) {
        signet_graph copy = signet_graph_add(c->to, (signet_program){program},
                                             sg_string(c->from, sg_graph(c->from, id)->name));
        if (copy.id == 0 || !sg_vec_reserve(&c->to->allocator, &c->graph_queue, 1)) {
            fail(c);
            return 0;
        }
        c->graphs.to[id] = copy.id;
        c->graph_queue.data[c->graph_queue.count++] = id;
    }
    return c->graphs.to[id];
}

static void push_children(struct copier *c, struct sg_list list, uint32_t to) {
    uint32_t first = sg_arg_alloc(c->to, list.count, SG_OWNER_ARG, to);
    if (list.count != 0 &&
        (first == 0 || !sg_vec_reserve(&c->to->allocator, &c->args, list.count))) {
        fail(c);
        return;
    }
    c->to->args.data[to].u.list = (struct sg_list){first, list.count};
    for (uint32_t i = list.count; i-- > 0;) { /* the first is taken from the stack first */
        c->args.data[c->args.count++] = (struct pending_arg){list.first + i, first + i};
    }
}

/* A use of the copied value, or its definition. */
static void copy_reference(struct copier *c, const struct sg_arg *a, uint32_t from, uint32_t to) {
    uint32_t value = c->values.to[a->u.ref.value];
    sg_strid extra = copy_string(c, a->kind == SIGNET_ARG_CUSTOM_OBJ ? a->u.ref.extra : 0);
    struct sg_arg *out = &c->to->args.data[to];
    out->u.ref.value = value;
    out->u.ref.extra = extra;
    if (value == 0) {
        return;
    }
    uint8_t owner = sg_arg(c->from, sg_arg_outermost(c->from, from))->owner_kind;
    if (owner == SIGNET_OWNER_NODE_OUTPUT || owner == SIGNET_OWNER_GRAPH_INPUT) {
        if (sg_value(c->from, a->u.ref.value)->def == from) {
            c->to->values.data[value].def = to;
        }
    } else {
        sg_use_link(c->to, to);
    }
}

static void copy_payload(struct copier *c, const struct sg_arg *a, uint32_t from, uint32_t to) {
    uint32_t program = sg_graph(c->to, sg_arg_scope(c->to, to))->program;
    uint32_t id = 0;
    switch (sg_arg_kind_payload((signet_arg_kind)a->kind)) {
    case SG_PAYLOAD_VALUE:
    case SG_PAYLOAD_SYMBOL:
        if (!a->literal) {
            copy_reference(c, a, from, to);
            return;
        }
        c->to->args.data[to].u = a->u;
        return;
    case SG_PAYLOAD_LIST:
        push_children(c, a->u.list, to);
        return;
    case SG_PAYLOAD_TEXT:
        id = copy_string(c, a->u.text);
        c->to->args.data[to].u.text = id;
        return;
    case SG_PAYLOAD_DEVICE:
        id = copy_string(c, a->u.device.type);
        c->to->args.data[to].u.device.type = id;
        c->to->args.data[to].u.device.index = a->u.device.index;
        return;
    case SG_PAYLOAD_GRAPH:
        id = copy_graph(c, a->u.id, program);
        c->to->args.data[to].u.id = id;
        if (sg_graph(c->from, a->u.id)->parent == from && id != 0) {
            c->to->graphs.data[id].parent = to;
        }
        return;
    case SG_PAYLOAD_DELEGATE:
        id = copy_delegate(c, a->u.id);
        c->to->args.data[to].u.id = id;
        if (id != 0 && c->to->delegates.data[id].caller == 0) {
            c->to->delegates.data[id].caller = program;
        }
        return;
    case SG_PAYLOAD_RAW: {
        sg_strid tag = copy_string(c, a->u.raw.tag);
        sg_strid text = copy_string(c, a->u.raw.text);
        c->to->args.data[to].u.raw.tag = tag;
        c->to->args.data[to].u.raw.text = text;
        return;
    }
    case SG_PAYLOAD_NOTHING:
    case SG_PAYLOAD_INTEGER:
    case SG_PAYLOAD_REAL:
    case SG_PAYLOAD_BOOLEAN:
        c->to->args.data[to].u = a->u;
        return;
    }
}

static void copy_arg(struct copier *c, uint32_t from, uint32_t to) {
    struct sg_arg a = *sg_arg(c->from, from);
    sg_strid name = copy_string(c, a.name);
    struct sg_arg *out = &c->to->args.data[to];
    out->kind = a.kind;
    out->passing = a.passing;
    out->literal = a.literal;
    out->name = name;
    out->at = a.at;
    copy_payload(c, &a, from, to);
}

/* A run of arguments with everything inside them. */
static struct sg_list copy_args(struct copier *c, struct sg_list list, uint32_t owner_kind,
                                uint32_t owner) {
    struct sg_list out = {sg_arg_alloc(c->to, list.count, owner_kind, owner), list.count};
    if (list.count != 0 && out.first == 0) {
        fail(c);
        return (struct sg_list){0, 0};
    }
    for (uint32_t i = 0; i < list.count && !c->failed; i++) {
        copy_arg(c, list.first + i, out.first + i);
        while (c->args.count != 0 && !c->failed) {
            struct pending_arg next = c->args.data[--c->args.count];
            copy_arg(c, next.from, next.to);
        }
    }
    return out;
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

static uint32_t copy_description(struct copier *c, const struct sg_value *v) {
    if (v->described_as == SIGNET_VALUE_TENSOR) {
        return copy_type(c, v->description);
    }
    if (v->described_as == SIGNET_VALUE_CUSTOM_OBJ) {
        return copy_string(c, v->description);
    }
    return v->described_as != 0 ? copy_sym(c, v->description).id : 0;
}

static void copy_values(struct copier *c, uint32_t from, uint32_t to) {
    for (uint32_t id = sg_graph(c->from, from)->first_value; id != 0 && !c->failed;
         id = sg_value(c->from, id)->next_in_graph) {
        struct sg_value v = *sg_value(c->from, id);
        if (v.kind == SIGNET_VALUE_UNKNOWN) {
            continue; /* forgotten */
        }
        uint32_t copy = sg_value_add(c->to, to, copy_string(c, v.name));
        if (copy == 0) {
            c->failed = true;
            return;
        }
        uint32_t description = copy_description(c, &v);
        struct sg_value *out = &c->to->values.data[copy];
        out->kind = v.kind;
        out->described_as = v.described_as;
        out->described_twice = v.described_twice;
        out->description = description;
        out->described_at = v.described_at;
        c->values.to[id] = copy;
    }
}

static void copy_metadata(struct copier *c, struct sg_list list, signet_node node) {
    for (uint32_t i = 0; i < list.count; i++) {
        struct sg_pair m = c->from->pairs.data[list.first + i];
        signet_node_add_metadata(c->to, node, sg_string(c->from, m.key),
                                 sg_string(c->from, m.value));
    }
}

static void copy_node(struct copier *c, uint32_t id, uint32_t graph) {
    struct sg_node n = *sg_node(c->from, id);
    signet_node copy =
        signet_node_append(c->to, (signet_graph){graph}, sg_string(c->from, n.target));
    if (copy.id == 0) {
        c->failed = true;
        return;
    }
    sg_strid name = copy_string(c, n.name);
    struct sg_list inputs = copy_args(c, n.inputs, SIGNET_OWNER_NODE_INPUT, copy.id);
    struct sg_list outputs = copy_args(c, n.outputs, SIGNET_OWNER_NODE_OUTPUT, copy.id);
    struct sg_node *out = &c->to->nodes.data[copy.id];
    out->name = name;
    out->inputs = inputs;
    out->outputs = outputs;
    out->span = n.span;
    out->index = n.index;
    out->results_open = n.results_open;
    out->faulty = n.faulty;
    out->hop_single_return = n.hop_single_return;
    copy_metadata(c, n.metadata, copy);
}

static void fill_graph(struct copier *c, uint32_t from) {
    uint32_t to = c->graphs.to[from];
    struct sg_graph g = *sg_graph(c->from, from);
    copy_values(c, from, to);
    struct sg_list inputs = copy_args(c, g.inputs, SIGNET_OWNER_GRAPH_INPUT, to);
    c->to->graphs.data[to].inputs = inputs;
    for (uint32_t id = g.first; id != 0 && !c->failed; id = sg_node(c->from, id)->next) {
        copy_node(c, id, to);
    }
    struct sg_list outputs = copy_args(c, g.outputs, SIGNET_OWNER_GRAPH_OUTPUT, to);
    struct sg_graph *out = &c->to->graphs.data[to];
    out->outputs = outputs;
    out->returns_bare = g.returns_bare;
    out->faulty = g.faulty;
    out->span = g.span;
}

/* ---- Programs -------------------------------------------------------------------------------- */

static const struct sg_program *source_program(const struct copier *c, uint32_t id) {
    return sg_program(c->from, id);
}

static struct sg_program *copied(struct copier *c, uint32_t id) {
    return &c->to->programs.data[id];
}

#define ROOM(c, vec) (sg_vec_reserve(&(c)->to->allocator, (vec), 1) || (fail(c), false))

static void copy_specs(struct copier *c, uint32_t from, uint32_t to, signet_side side) {
    for (uint32_t i = 0; i < source_program(c, from)->specs[side].count && !c->failed; i++) {
        struct sg_spec s = source_program(c, from)->specs[side].data[i];
        s.raw_tag = copy_string(c, s.raw_tag);
        s.target = copy_string(c, s.target);
        s.arg = copy_args(c, (struct sg_list){s.arg, 1}, SIGNET_OWNER_NONE, 0).first;
        if (ROOM(c, &copied(c, to)->specs[side])) {
            copied(c, to)->specs[side].data[copied(c, to)->specs[side].count++] = s;
        }
    }
}

static void copy_states(struct copier *c, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < source_program(c, from)->states.count && !c->failed; i++) {
        struct sg_state s = source_program(c, from)->states.data[i];
        s.name = copy_string(c, s.name);
        s.record = copy_string(c, s.record);
        s.type = copy_type(c, s.type);
        s.source = copy_source(c, s.source);
        if (ROOM(c, &copied(c, to)->states)) {
            copied(c, to)->states.data[copied(c, to)->states.count++] = s;
        }
    }
}

static struct sg_list copy_names(struct copier *c, struct sg_list list) {
    struct sg_list out = {c->to->pairs.count, list.count};
    if (!sg_vec_reserve(&c->to->allocator, &c->to->pairs, list.count)) {
        fail(c);
        return (struct sg_list){0, 0};
    }
    for (uint32_t i = 0; i < list.count; i++) {
        sg_strid key = copy_string(c, c->from->pairs.data[list.first + i].key);
        c->to->pairs.data[c->to->pairs.count++] = (struct sg_pair){key, 0};
    }
    return out;
}

static void copy_calls(struct copier *c, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < source_program(c, from)->calls.count && !c->failed; i++) {
        struct sg_call s = source_program(c, from)->calls.data[i];
        s.fqn = copy_string(c, s.fqn);
        s.in_spec = copy_string(c, s.in_spec);
        s.out_spec = copy_string(c, s.out_spec);
        s.inputs = copy_args(c, s.inputs, SIGNET_OWNER_NONE, 0);
        s.outputs = copy_args(c, s.outputs, SIGNET_OWNER_NONE, 0);
        s.arg_names = copy_names(c, s.arg_names);
        if (ROOM(c, &copied(c, to)->calls)) {
            copied(c, to)->calls.data[copied(c, to)->calls.count++] = s;
        }
    }
}

/* Through the public calls: they are few. */
static void copy_lists(struct copier *c, signet_program from, signet_program to) {
    for (uint32_t i = 0; i < signet_program_dialect_count(c->from, from); i++) {
        signet_program_add_dialect(c->to, to, signet_program_dialect(c->from, from, i));
    }
    for (uint32_t i = 0; i < signet_program_guard_count(c->from, from); i++) {
        signet_program_add_guard(c->to, to, signet_program_guard(c->from, from, i));
    }
    for (uint32_t i = 0; i < signet_program_opset_count(c->from, from); i++) {
        int64_t version = 0;
        signet_string name = signet_program_opset(c->from, from, i, &version);
        signet_program_add_opset(c->to, to, name, version);
    }
    for (uint32_t i = 0; i < signet_program_range_count(c->from, from); i++) {
        signet_program_add_range(c->to, to, signet_program_range(c->from, from, i));
        sg_range_set_span(c->to, to, i, source_program(c, from.id)->ranges.data[i].span);
    }
    for (uint32_t i = 0; i < signet_program_metadata_count(c->from, from); i++) {
        signet_string value;
        signet_string key = signet_program_metadata(c->from, from, i, &value);
        signet_program_add_metadata(c->to, to, key, value);
    }
}

static void fill_queued(struct copier *c) {
    while (c->graph_queue.count != 0 && !c->failed) {
        fill_graph(c, c->graph_queue.data[--c->graph_queue.count]);
    }
}

static void fill_program(struct copier *c, uint32_t from, uint32_t to) {
    const uint32_t graph = source_program(c, from)->graph;
    c->graphs.to[graph] = copied(c, to)->graph;
    fill_graph(c, graph);
    fill_queued(c);
    for (uint32_t id = 1; id < c->graphs.count && !c->failed; id++) { /* those that nothing holds */
        if (sg_graph(c->from, id)->program == from && c->graphs.to[id] == 0) {
            (void)copy_graph(c, id, to);
            fill_queued(c);
        }
    }
    copy_specs(c, from, to, SIGNET_INPUT);
    copy_specs(c, from, to, SIGNET_OUTPUT);
    copy_states(c, from, to);
    copy_calls(c, from, to);
    copy_lists(c, (signet_program){from}, (signet_program){to});
    sg_strid version = copy_string(c, source_program(c, from)->torch_version);
    sg_strid namedtuples = copy_string(c, source_program(c, from)->namedtuples);
    uint32_t source = copy_source(c, source_program(c, from)->source);
    const struct sg_program *r = source_program(c, from);
    struct sg_program *out = copied(c, to);
    out->torch_version = version;
    out->namedtuples = namedtuples;
    out->source = source;
    out->stage = r->stage;
    out->lossy = r->lossy;
    out->has_state_tables = r->has_state_tables;
    out->has_calls = r->has_calls;
    out->has_dialects = r->has_dialects;
    out->faulty = r->faulty;
    out->schema_major = r->schema_major;
    out->schema_minor = r->schema_minor;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void copier_free(struct copier *c) {
    struct id_map *maps[] = {&c->strings, &c->graphs, &c->values,    &c->syms,
                             &c->types,   &c->exprs,  &c->delegates, &c->sources};
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        map_free(c, maps[i]);
    }
    sg_vec_free(&c->to->allocator, &c->graph_queue);
    sg_vec_free(&c->to->allocator, &c->program_queue);
    sg_vec_free(&c->to->allocator, &c->args);
}

static void copier_init(struct copier *c) {
    const signet_package *from = c->from;
    map_init(c, &c->strings, sg_strings_count(from->strings) + 1);
    map_init(c, &c->graphs, from->graphs.count);
    map_init(c, &c->values, from->values.count);
    map_init(c, &c->syms, from->syms.count);
    map_init(c, &c->types, from->types.count);
    map_init(c, &c->exprs, from->exprs.count);
    map_init(c, &c->delegates, from->delegates.count);
    map_init(c, &c->sources, from->sources.count);
}

signet_program signet_program_clone_into(signet_package *to, const signet_package *from,
                                         signet_program program, signet_string name) {
    struct copier c = {.to = to, .from = from, .same = to == from};
    if (program.id == 0 || program.id >= from->programs.count) {
        sg_package_fail(to, SIGNET_E_INVALID_ARG);
        return (signet_program){0};
    }
    const struct sg_program *r = sg_program(from, program.id);
    signet_program copy =
        signet_program_add(to, name.data != NULL ? name : sg_string(from, r->name),
                           (signet_program_role)sg_program(from, program.id)->role);
    copier_init(&c);
    if (!c.failed && !c.same) {
        copy_exprs(&c);
    }
    if (copy.id != 0 && !c.failed) {
        fill_program(&c, program.id, copy.id);
    }
    while (c.program_queue.count != 0 && !c.failed) {
        uint32_t target = c.program_queue.data[--c.program_queue.count];
        uint32_t source = c.program_queue.data[--c.program_queue.count];
        fill_program(&c, source, target);
    }
    copier_free(&c);
    return signet_package_status(to) == SIGNET_OK && !c.failed ? copy : (signet_program){0};
}
