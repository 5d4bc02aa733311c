/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/arg_internal.h"
#include "ir/ir_internal.h"

static struct sg_value *edit(signet_package *p, signet_value value) {
    if (value.id == 0 || value.id >= p->values.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return NULL;
    }
    return &p->values.data[value.id];
}

/* ---- Names ------------------------------------------------------------------------------------
 *
 * Most names belong to one graph alone: its value stands in an array by the number of the string.
 * The values of other graphs that have the name too are in a table. */

static uint64_t name_key(uint32_t graph, sg_strid name) {
    return (uint64_t)graph << 32 | name;
}

static bool stands_alone(const signet_package *p, uint32_t graph, sg_strid name) {
    return name < p->value_of_name.count && p->value_of_name.data[name] != 0 &&
           p->values.data[p->value_of_name.data[name]].graph == graph;
}

/* The first value of that name in the graph; 0: there is none. */
static uint32_t name_get(const signet_package *p, uint32_t graph, sg_strid name) {
    return stands_alone(p, graph, name) ? p->value_of_name.data[name]
                                        : sg_map_get(p->names, name_key(graph, name));
}

/* Room for the place of a name in the array; places are zero at first. */
static bool name_room(signet_package *p, sg_strid name) {
    uint32_t count = p->value_of_name.count;
    if (name < count) {
        return true;
    }
    if (!sg_vec_reserve(&p->allocator, &p->value_of_name, name + 1 - count)) {
        return false;
    }
    p->value_of_name.count = name + 1;
    return true;
}

/* The name has no value in this graph so far. */
static bool name_put(signet_package *p, uint32_t graph, sg_strid name, uint32_t value) {
    if (name_room(p, name)) {
        if (p->value_of_name.data[name] != 0) {
            return sg_map_put(p->names, name_key(graph, name), value);
        }
        p->value_of_name.data[name] = value;
        return true;
    }
    return false;
}

static void name_remove(signet_package *p, uint32_t graph, sg_strid name) {
    if (stands_alone(p, graph, name)) {
        p->value_of_name.data[name] = 0;
    } else {
        sg_map_remove(p->names, name_key(graph, name));
    }
}

/* ---- Making, defining, forgetting ------------------------------------------------------------ */

/* The first of its name is the one that look-ups find. */
uint32_t sg_value_add(signet_package *p, uint32_t graph, sg_strid name) {
    if (p->values.count > p->limits.values) {
        sg_package_fail(p, SIGNET_E_LIMIT);
        return 0;
    }
    uint32_t id = p->values.count;
    bool first = name_get(p, graph, name) == 0;
    if (!sg_vec_reserve(&p->allocator, &p->values, 1) || (first && !name_put(p, graph, name, id))) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return 0;
    }
    p->values.count++;
    p->values.data[id] = (struct sg_value){
        .name = name, .graph = graph, .kind = SIGNET_VALUE_UNDEFINED, .redefined = !first};
    p->redefined_count += !first;
    struct sg_graph *g = &p->graphs.data[graph];
    if (g->last_value != 0) {
        p->values.data[g->last_value].next_in_graph = id;
    } else {
        g->first_value = id;
    }
    g->last_value = id;
    return id;
}

signet_value sg_value_lookup(const signet_package *p, signet_graph graph, sg_strid name) {
    return (signet_value){name != 0 ? name_get(p, graph.id, name) : 0};
}

signet_value sg_value_refer(signet_package *p, signet_graph graph, sg_strid name) {
    signet_value v = sg_value_lookup(p, graph, name);
    if (v.id == 0 && graph.id != 0) {
        v.id = sg_value_add(p, graph.id, name);
    }
    return v;
}

uint32_t sg_value_define(signet_package *p, uint32_t graph, sg_strid name, signet_value_kind kind,
                         uint32_t arg) {
    uint32_t id = name_get(p, graph, name);
    if (id == 0 || p->values.data[id].def != 0) {
        id = sg_value_add(p, graph, name);
    }
    if (id != 0) {
        p->values.data[id].kind = (uint8_t)kind;
        p->values.data[id].def = arg;
    }
    return id;
}

/* The second definition of a name takes the place of the first one in look-ups. */
static void promote_next(signet_package *p, uint32_t graph, sg_strid name) {
    if (p->redefined_count == 0) {
        return;
    }
    for (uint32_t id = p->graphs.data[graph].first_value; id != 0;
         id = p->values.data[id].next_in_graph) {
        struct sg_value *v = &p->values.data[id];
        if (v->redefined && v->name == name) {
            if (!name_put(p, graph, name, id)) {
                sg_package_fail(p, SIGNET_E_NOMEM);
            }
            v->redefined = 0;
            p->redefined_count--;
            return;
        }
    }
}

static void forget_name(signet_package *p, uint32_t id) {
    struct sg_value *v = &p->values.data[id];
    if (name_get(p, v->graph, v->name) == id) {
        name_remove(p, v->graph, v->name);
        promote_next(p, v->graph, v->name);
    } else if (v->redefined) {
        v->redefined = 0;
        p->redefined_count--;
    }
}

void sg_value_undefine(signet_package *p, uint32_t id) {
    struct sg_value *v = &p->values.data[id];
    v->def = 0;
    v->kind = SIGNET_VALUE_UNDEFINED;
    if (v->use_count == 0) { /* nothing speaks of it any more */
        v->described_as = 0;
        v->description = 0;
        forget_name(p, id);
        p->values.data[id].kind = SIGNET_VALUE_UNKNOWN;
    }
}

/* ---- Uses ------------------------------------------------------------------------------------ */

void sg_use_link(signet_package *p, uint32_t arg) {
    struct sg_arg *a = &p->args.data[arg];
    struct sg_value *v = &p->values.data[a->u.ref.value];
    a->next_use = 0;
    a->previous_use = v->last_use;
    if (v->last_use != 0) {
        p->args.data[v->last_use].next_use = arg;
    } else {
        v->first_use = arg;
    }
    v->last_use = arg;
    v->use_count++;
}

void sg_use_unlink(signet_package *p, uint32_t arg) {
    struct sg_arg *a = &p->args.data[arg];
    struct sg_value *v = &p->values.data[a->u.ref.value];
    if (a->previous_use != 0) {
        p->args.data[a->previous_use].next_use = a->next_use;
    } else {
        v->first_use = a->next_use;
    }
    if (a->next_use != 0) {
        p->args.data[a->next_use].previous_use = a->previous_use;
    } else {
        v->last_use = a->previous_use;
    }
    a->next_use = a->previous_use = 0;
    v->use_count--;
}

signet_arg signet_value_first_use(const signet_package *p, signet_value value) {
    return (signet_arg){sg_value(p, value.id)->first_use};
}

signet_arg signet_use_next(const signet_package *p, signet_arg use) {
    return (signet_arg){sg_arg(p, use.id)->next_use};
}

uint32_t signet_value_use_count(const signet_package *p, signet_value value) {
    return sg_value(p, value.id)->use_count;
}

/* ---- Renaming and replacing: specs that agreed follow ---------------------------------------- */

/* The spec that belongs to a top graph's input or output argument; null when there is none. */
static struct sg_spec *spec_of(signet_package *p, uint32_t arg) {
    signet_owner_kind kind = signet_arg_owner(p, (signet_arg){arg});
    uint32_t graph = signet_arg_owner_graph(p, (signet_arg){arg}).id;
    uint32_t program = sg_graph(p, graph)->program;
    if ((kind != SIGNET_OWNER_GRAPH_INPUT && kind != SIGNET_OWNER_GRAPH_OUTPUT) ||
        sg_program(p, program)->graph != graph) {
        return NULL;
    }
    struct sg_program *r = &p->programs.data[program];
    signet_side side = kind == SIGNET_OWNER_GRAPH_INPUT ? SIGNET_INPUT : SIGNET_OUTPUT;
    uint32_t i = sg_arg_position(p, arg);
    return i < r->specs[side].count ? &r->specs[side].data[i] : NULL;
}

static void rename_declared(signet_package *p, uint32_t arg, sg_strid from, sg_strid to) {
    struct sg_spec *s = spec_of(p, arg);
    if (s != NULL && sg_arg(p, s->arg)->name == from) {
        p->args.data[s->arg].name = to;
    }
}

/* Mutations of, and gradients to, user inputs have the input's name as their target. */
static void rename_user_input_targets(signet_package *p, uint32_t program, sg_strid from,
                                      sg_strid to) {
    struct sg_program *r = &p->programs.data[program];
    for (uint32_t i = 0; i < r->specs[SIGNET_OUTPUT].count; i++) {
        struct sg_spec *s = &r->specs[SIGNET_OUTPUT].data[i];
        if ((s->kind == SIGNET_OUTPUT_KIND_USER_INPUT_MUTATION ||
             s->kind == SIGNET_OUTPUT_KIND_GRADIENT_TO_USER_INPUT) &&
            s->target == from) {
            s->target = to;
        }
    }
}

static void rename_call_arguments(signet_package *p, uint32_t program, sg_strid from, sg_strid to) {
    struct sg_program *r = &p->programs.data[program];
    for (uint32_t i = 0; i < r->calls.count; i++) {
        const struct sg_list lists[2] = {r->calls.data[i].inputs, r->calls.data[i].outputs};
        for (uint32_t side = 0; side < 2; side++) {
            for (uint32_t j = 0; j < lists[side].count; j++) {
                struct sg_arg *a = &p->args.data[lists[side].first + j];
                a->name = a->name == from ? to : a->name;
            }
        }
    }
}

static void rename_in_signature(signet_package *p, uint32_t id, sg_strid from, sg_strid to) {
    const struct sg_value *v = sg_value(p, id);
    uint32_t program = sg_graph(p, v->graph)->program;
    if (sg_program(p, program)->graph != v->graph) {
        return;
    }
    if (v->def != 0 && signet_arg_owner(p, (signet_arg){v->def}) == SIGNET_OWNER_GRAPH_INPUT) {
        struct sg_spec *s = spec_of(p, v->def);
        if (s != NULL && s->kind == SIGNET_INPUT_KIND_USER_INPUT &&
            sg_arg(p, s->arg)->name == from) {
            rename_user_input_targets(p, program, from, to);
        }
        rename_declared(p, v->def, from, to);
    }
    for (uint32_t use = v->first_use; use != 0; use = sg_arg(p, use)->next_use) {
        rename_declared(p, use, from, to);
    }
    rename_call_arguments(p, program, from, to);
}

/* Uses of an undefined value that has the new name now mean this value. */
static void take_over_undefined(signet_package *p, uint32_t id, uint32_t undefined) {
    signet_value_replace_uses(p, (signet_value){undefined}, (signet_value){id});
    sg_value_undefine(p, undefined);
}

void signet_value_rename(signet_package *p, signet_value value, signet_string name) {
    sg_strid to = sg_intern(p, name);
    struct sg_value *v = edit(p, value);
    if (v == NULL || to == 0 || v->name == to) {
        return;
    }
    sg_strid from = v->name;
    uint32_t other = sg_value_lookup(p, (signet_graph){v->graph}, to).id;
    if (other != 0 && p->values.data[other].def == 0) {
        take_over_undefined(p, value.id, other);
        other = 0;
    }
    rename_in_signature(p, value.id, from, to);
    forget_name(p, value.id);
    v->name = to;
    if (other != 0) {
        v->redefined = 1;
        p->redefined_count++;
    } else if (!name_put(p, v->graph, to, value.id)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
    }
}

void signet_value_replace_uses(signet_package *p, signet_value from, signet_value to) {
    if (edit(p, from) == NULL || edit(p, to) == NULL || from.id == to.id) {
        return;
    }
    sg_strid old_name = p->values.data[from.id].name;
    sg_strid new_name = p->values.data[to.id].name;
    uint32_t use = p->values.data[from.id].first_use;
    while (use != 0) {
        uint32_t next = p->args.data[use].next_use;
        sg_use_unlink(p, use);
        p->args.data[use].u.ref.value = to.id;
        sg_use_link(p, use);
        rename_declared(p, use, old_name, new_name);
        use = next;
    }
}

/* ---- Queries --------------------------------------------------------------------------------- */

signet_string signet_value_name(const signet_package *p, signet_value value) {
    return sg_string(p, sg_value(p, value.id)->name);
}

signet_value_kind signet_value_get_kind(const signet_package *p, signet_value value) {
    return (signet_value_kind)sg_value(p, value.id)->kind;
}

signet_graph signet_value_graph(const signet_package *p, signet_value value) {
    return (signet_graph){sg_value(p, value.id)->graph};
}

signet_owner_kind signet_value_definition(const signet_package *p, signet_value value) {
    return signet_arg_owner(p, (signet_arg){sg_value(p, value.id)->def});
}

signet_node signet_value_node(const signet_package *p, signet_value value) {
    return signet_arg_node(p, (signet_arg){sg_value(p, value.id)->def});
}

uint32_t signet_value_position(const signet_package *p, signet_value value) {
    return sg_arg_position(p, sg_value(p, value.id)->def);
}

signet_arg signet_value_def(const signet_package *p, signet_value value) {
    return (signet_arg){sg_value(p, value.id)->def};
}

bool signet_value_is_redefined(const signet_package *p, signet_value value) {
    return sg_value(p, value.id)->redefined;
}

/* ---- Descriptions ---------------------------------------------------------------------------- */

signet_value_kind signet_value_described_as(const signet_package *p, signet_value value) {
    return (signet_value_kind)sg_value(p, value.id)->described_as;
}

signet_type signet_value_type(const signet_package *p, signet_value value) {
    const struct sg_value *v = sg_value(p, value.id);
    return (signet_type){v->described_as == SIGNET_VALUE_TENSOR ? v->description : 0};
}

signet_sym signet_value_sym(const signet_package *p, signet_value value) {
    const struct sg_value *v = sg_value(p, value.id);
    bool symbolic = v->described_as == SIGNET_VALUE_SYM_INT ||
                    v->described_as == SIGNET_VALUE_SYM_FLOAT ||
                    v->described_as == SIGNET_VALUE_SYM_BOOL;
    return (signet_sym){symbolic ? v->description : 0};
}

signet_string signet_value_class(const signet_package *p, signet_value value) {
    const struct sg_value *v = sg_value(p, value.id);
    return sg_string(p, v->described_as == SIGNET_VALUE_CUSTOM_OBJ ? v->description : 0);
}

/* A name in two tables keeps its first description. */
static void describe(signet_package *p, signet_value value, signet_value_kind table,
                     uint32_t what) {
    struct sg_value *v = edit(p, value);
    if (v == NULL) {
        return;
    }
    if (v->described_as != 0 && v->described_as != table) {
        v->described_twice = 1;
        return;
    }
    v->described_as = (uint8_t)table;
    v->description = what;
}

void signet_value_describe_tensor(signet_package *p, signet_value value, signet_type type) {
    describe(p, value, SIGNET_VALUE_TENSOR, type.id);
}

void signet_value_describe_sym(signet_package *p, signet_value value, signet_value_kind table,
                               signet_sym sym) {
    describe(p, value, table, sym.id);
}

void signet_value_describe_custom(signet_package *p, signet_value value, signet_string class_name) {
    describe(p, value, SIGNET_VALUE_CUSTOM_OBJ, sg_intern(p, class_name));
}

void sg_value_set_described_at(signet_package *p, signet_value value, uint32_t at) {
    struct sg_value *v = edit(p, value);
    if (v != NULL) {
        v->described_at = at;
    }
}
