/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/compiler.h"
#include "base/text.h"
#include "verifier/verifier_internal.h"

/* ---- Of the package -------------------------------------------------------------------------- */

static uint32_t *numbers(const struct sg_verify *v, uint32_t count) {
    size_t bytes = 0;
    if (!sg_mul_ok((size_t)count + 1, sizeof(uint32_t), &bytes)) {
        return NULL;
    }
    return sg_alloc(&v->p->allocator, bytes);
}

static void free_numbers(const struct sg_verify *v, uint32_t *n, uint32_t count) {
    sg_free(&v->p->allocator, n, ((size_t)count + 1) * sizeof(uint32_t));
}

static void number_nodes(struct sg_verify *v) {
    const signet_package *p = v->p;
    for (uint32_t g = 1; g < p->graphs.count; g++) {
        uint32_t order = 0;
        for (uint32_t n = sg_graph(p, g)->first; n != 0; n = sg_node(p, n)->next) {
            v->facts.order[n] = ++order;
        }
    }
}

/* A counting sort of the graphs by program. */
static void list_graphs(struct sg_verify *v) {
    const signet_package *p = v->p;
    uint32_t *first = v->facts.graph_first;
    for (uint32_t g = 1; g < p->graphs.count; g++) {
        first[sg_graph(p, g)->program + 1]++;
    }
    for (uint32_t i = 1; i <= p->programs.count; i++) {
        first[i] += first[i - 1];
    }
    for (uint32_t g = 1; g < p->graphs.count; g++) {
        v->facts.graph_list[first[sg_graph(p, g)->program]++] = g;
    }
    for (uint32_t i = p->programs.count; i > 0; i--) { /* each has moved to its successor's place */
        first[i] = first[i - 1];
    }
    first[0] = 0;
}

/* Operators whose first result shares the storage of their first argument. */
static bool is_view(const signet_package *p, const struct sg_operator *o) {
    static const char *const views[] = {
#define SG_VIEW_OPERATOR(name) name,
#include "verifier/views.def"
    };
    if (o->in_place) {
        return true;
    }
    signet_string name = sg_string(p, o->name);
    for (size_t i = 0; i < SG_COUNT_OF(views); i++) {
        if (sg_string_is(name, views[i])) {
            return true;
        }
    }
    return false;
}

static bool find_view_operators(struct sg_verify *v) {
    uint32_t count = v->p->operators.count;
    v->facts.is_view = numbers(v, count);
    for (uint32_t i = 0; v->facts.is_view != NULL && i < count; i++) {
        v->facts.is_view[i] = is_view(v->p, sg_operator(v->p, i));
    }
    return v->facts.is_view != NULL;
}

/* Nodes come in order, so the root of an argument is known before that of a result. */
static void find_views(struct sg_verify *v) {
    const signet_package *p = v->p;
    for (uint32_t i = 0; i < p->values.count; i++) {
        v->facts.view_of[i] = i;
    }
    for (uint32_t g = 1; g < p->graphs.count; g++) {
        for (uint32_t id = sg_graph(p, g)->first; id != 0; id = sg_node(p, id)->next) {
            const struct sg_node *n = sg_node(p, id);
            const struct sg_arg *in = sg_arg(p, n->inputs.count != 0 ? n->inputs.first : 0);
            const struct sg_arg *out = sg_arg(p, n->outputs.count != 0 ? n->outputs.first : 0);
            if (sg_arg_has_value(in) && sg_arg_has_value(out) && v->facts.is_view[n->op]) {
                v->facts.view_of[out->u.ref.value] = v->facts.view_of[in->u.ref.value];
            }
        }
    }
}

bool sg_facts_init(struct sg_verify *v) {
    const signet_package *p = v->p;
    struct sg_facts *f = &v->facts;
    f->order = numbers(v, p->nodes.count);
    f->graph_first = numbers(v, p->programs.count + 1);
    f->graph_list = numbers(v, p->graphs.count);
    f->view_of = numbers(v, p->values.count);
    v->value_marks = numbers(v, p->values.count);
    if (f->view_of == NULL || !find_view_operators(v) || f->order == NULL ||
        f->graph_first == NULL || f->graph_list == NULL || v->value_marks == NULL) {
        return false;
    }
    number_nodes(v);
    list_graphs(v);
    find_views(v);
    return true;
}

/* ---- Of one program -------------------------------------------------------------------------- */

static void free_program(struct sg_verify *v) {
    struct sg_facts *f = &v->facts;
    sg_free(&v->p->allocator, f->input_value, f->input_bytes);
    sg_free(&v->p->allocator, f->output_value, f->output_bytes);
    sg_free(&v->p->allocator, f->mutated_by, f->aim_bytes);
    f->input_value = f->output_value = f->mutated_by = NULL;
    sg_map_destroy(f->input_of_target);
    sg_map_destroy(f->input_of_name);
    sg_map_destroy(f->output_of_name);
    sg_map_destroy(f->output_of_value);
    sg_map_destroy(f->state_of_name);
    sg_map_destroy(f->unbound);
    f->input_of_target = f->input_of_name = f->output_of_name = NULL;
    f->output_of_value = f->state_of_name = f->unbound = NULL;
    sg_vec_free(&v->p->allocator, &f->mutations);
}

void sg_facts_free(struct sg_verify *v) {
    const signet_package *p = v->p;
    struct sg_facts *f = &v->facts;
    free_program(v);
    free_numbers(v, f->order, p->nodes.count);
    free_numbers(v, f->graph_first, p->programs.count + 1);
    free_numbers(v, f->graph_list, p->graphs.count);
    free_numbers(v, f->view_of, p->values.count);
    free_numbers(v, f->is_view, p->operators.count);
    free_numbers(v, v->value_marks, p->values.count);
}

/* The value of each argument of a list; 0 for literals. */
static uint32_t *list_values(const struct sg_verify *v, struct sg_list list, size_t *bytes) {
    *bytes = ((size_t)list.count + 1) * sizeof(uint32_t);
    uint32_t *values = sg_alloc(&v->p->allocator, *bytes);
    for (uint32_t i = 0; values != NULL && i < list.count; i++) {
        const struct sg_arg *a = sg_arg(v->p, list.first + i);
        values[i] = sg_arg_has_value(a) ? a->u.ref.value : 0;
    }
    return values;
}

static bool put_first(struct sg_map *map, uint64_t key, uint32_t number) {
    return sg_map_get(map, key) != 0 || sg_map_put(map, key, number);
}

static bool index_inputs(struct sg_verify *v, const struct sg_program *r) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < r->specs[SIGNET_INPUT].count; i++) {
        const struct sg_spec *s = &r->specs[SIGNET_INPUT].data[i];
        sg_strid name = sg_arg(v->p, s->arg)->name;
        v->facts.input_kinds[s->kind & 7]++;
        sg_strid target = s->kind == SIGNET_INPUT_KIND_USER_INPUT ? name : s->target;
        ok = (target == 0 || put_first(v->facts.input_of_target, sg_key(s->kind, target), i + 1)) &&
             (name == 0 || put_first(v->facts.input_of_name, sg_key(0, name), i + 1));
    }
    return ok;
}

static bool index_outputs(struct sg_verify *v, const struct sg_program *r) {
    struct sg_facts *f = &v->facts;
    uint32_t positions = sg_graph(v->p, r->graph)->outputs.count;
    for (uint32_t i = 0; i < r->specs[SIGNET_OUTPUT].count; i++) {
        const struct sg_spec *s = &r->specs[SIGNET_OUTPUT].data[i];
        sg_strid name = sg_arg(v->p, s->arg)->name;
        if (name != 0 && !put_first(f->output_of_name, sg_key(0, name), i + 1)) {
            return false;
        }
        signet_output_kind kind = (signet_output_kind)s->kind;
        if (!signet_output_kind_is_mutation(kind)) {
            continue;
        }
        if (!sg_vec_reserve(&v->p->allocator, &f->mutations, 1)) {
            return false;
        }
        f->mutations.data[f->mutations.count++] = (struct sg_mutation){
            .output = i,
            .kind = kind,
            .target = s->target,
            .input = sg_input_find(v, signet_output_kind_aims_at(kind), s->target),
            .value = i < positions ? f->output_value[i] : 0};
        if (f->mutations.data[f->mutations.count - 1].input == 0 &&
            !put_first(f->unbound, sg_key(0, s->target), f->mutations.count)) {
            return false;
        }
    }
    return true;
}

static bool index_output_values(struct sg_verify *v, const struct sg_graph *g) {
    for (uint32_t i = 0; i < g->outputs.count; i++) {
        uint32_t value = v->facts.output_value[i];
        if (value != 0 && !put_first(v->facts.output_of_value, sg_key(0, value), i + 1)) {
            return false;
        }
    }
    return true;
}

static bool index_states(struct sg_verify *v, const struct sg_program *r) {
    for (uint32_t i = 0; i < r->states.count; i++) {
        const struct sg_state *s = &r->states.data[i];
        if (!put_first(v->facts.state_of_name, sg_key(s->table, s->name), i + 1)) {
            return false;
        }
    }
    struct sg_facts *f = &v->facts;
    f->unbound_stored = 0;
    for (uint32_t i = 0; i < f->mutations.count; i++) {
        const struct sg_mutation *m = &f->mutations.data[i];
        f->unbound_stored +=
            m->input == 0 && sg_state_find(v, SIGNET_TABLE_STATE_DICT, m->target) +
                                     sg_state_find(v, SIGNET_TABLE_CONSTANTS, m->target) !=
                                 0;
    }
    return true;
}

static bool index_aims(struct sg_verify *v, const struct sg_program *r) {
    struct sg_facts *f = &v->facts;
    f->aim_bytes = ((size_t)r->specs[SIGNET_INPUT].count + 1) * sizeof(uint32_t);
    f->mutated_by = sg_alloc(&v->p->allocator, f->aim_bytes);
    for (uint32_t i = 0; f->mutated_by != NULL && i < f->mutations.count; i++) {
        uint32_t input = f->mutations.data[i].input;
        if (input != 0 && f->mutated_by[input - 1] == 0) {
            f->mutated_by[input - 1] = f->mutations.data[i].output + 1;
        }
    }
    return f->mutated_by != NULL;
}

bool sg_facts_program(struct sg_verify *v) {
    const signet_allocator *a = &v->p->allocator;
    const struct sg_program *r = sg_program(v->p, v->program.id);
    const struct sg_graph *g = sg_graph(v->p, r->graph);
    struct sg_facts *f = &v->facts;
    free_program(v);
    memset(f->input_kinds, 0, sizeof(f->input_kinds));
    f->input_value = list_values(v, g->inputs, &f->input_bytes);
    f->output_value = list_values(v, g->outputs, &f->output_bytes);
    f->input_of_target = sg_map_create(a);
    f->input_of_name = sg_map_create(a);
    f->output_of_name = sg_map_create(a);
    f->output_of_value = sg_map_create(a);
    f->state_of_name = sg_map_create(a);
    f->unbound = sg_map_create(a);
    return f->input_value != NULL && f->output_value != NULL && f->input_of_target != NULL &&
           f->input_of_name != NULL && f->output_of_name != NULL && f->output_of_value != NULL &&
           f->state_of_name != NULL && f->unbound != NULL && index_output_values(v, g) &&
           index_inputs(v, r) && index_outputs(v, r) && index_states(v, r) && index_aims(v, r);
}

/* ---- Look-ups -------------------------------------------------------------------------------- */

uint32_t sg_input_find(const struct sg_verify *v, signet_input_kind kind, sg_strid target) {
    return target != 0 ? sg_map_get(v->facts.input_of_target, sg_key((uint32_t)kind, target)) : 0;
}

uint32_t sg_state_find(const struct sg_verify *v, signet_table table, sg_strid name) {
    return name != 0 ? sg_map_get(v->facts.state_of_name, sg_key((uint32_t)table, name)) : 0;
}

uint32_t sg_input_kind_count(const struct sg_verify *v, signet_input_kind kind) {
    return v->facts.input_kinds[kind & 7];
}

uint32_t sg_input_value(const struct sg_verify *v, uint32_t position) {
    const struct sg_graph *g = sg_graph(v->p, sg_program(v->p, v->program.id)->graph);
    return position < g->inputs.count ? v->facts.input_value[position] : 0;
}

uint32_t sg_input_mutated_by(const struct sg_verify *v, uint32_t position) {
    bool there = position < sg_program(v->p, v->program.id)->specs[SIGNET_INPUT].count;
    return there ? v->facts.mutated_by[position] : 0;
}

uint32_t sg_output_of_value(const struct sg_verify *v, uint32_t value) {
    return value != 0 ? sg_map_get(v->facts.output_of_value, sg_key(0, value)) : 0;
}

uint32_t sg_view_root(const struct sg_verify *v, uint32_t value) {
    return value < v->p->values.count ? v->facts.view_of[value] : 0;
}

const struct sg_spec *sg_spec_at(const struct sg_verify *v, signet_side side, uint32_t i) {
    static const struct sg_spec none;
    const struct sg_program *r = sg_program(v->p, v->program.id);
    return i < r->specs[side].count ? &r->specs[side].data[i] : &none;
}

sg_strid sg_spec_name(const struct sg_verify *v, signet_side side, uint32_t i) {
    return sg_arg(v->p, sg_spec_at(v, side, i)->arg)->name;
}

const struct sg_arg *sg_spec_position_arg(const struct sg_verify *v, signet_side side, uint32_t i) {
    const struct sg_graph *g = sg_graph(v->p, sg_program(v->p, v->program.id)->graph);
    const struct sg_list *list = side == SIGNET_INPUT ? &g->inputs : &g->outputs;
    return i < list->count ? sg_arg(v->p, list->first + i) : NULL;
}

/* meta.size-negative speaks of such a size; it tells nothing. */
static bool is_negative(const signet_package *p, uint32_t sym) {
    return sg_sym(p, sym)->kind == SIGNET_SYM_INT && sg_sym(p, sym)->number < 0;
}

bool sg_sizes_same(const signet_package *p, const struct sg_type *a, const struct sg_type *b) {
    if (a->sizes.count != b->sizes.count) {
        return false;
    }
    for (uint32_t i = 0; i < a->sizes.count; i++) {
        signet_sym x = {p->dims.data[a->sizes.first + i]};
        signet_sym y = {p->dims.data[b->sizes.first + i]};
        if (!is_negative(p, x.id) && !is_negative(p, y.id) && !sg_sym_same(p, x, p, y)) {
            return false;
        }
    }
    return true;
}

bool sg_name_disagrees(const struct sg_verify *v, signet_side side, uint32_t i) {
    const struct sg_arg *a = sg_spec_position_arg(v, side, i);
    return a != NULL && sg_arg_has_value(a) &&
           sg_value(v->p, a->u.ref.value)->name != sg_spec_name(v, side, i);
}

bool sg_is_renamed_input(const struct sg_verify *v, sg_strid target) {
    signet_graph graph = {sg_program(v->p, v->program.id)->graph};
    signet_value value = sg_value_lookup(v->p, graph, target);
    return target != 0 && signet_value_definition(v->p, value) == SIGNET_OWNER_GRAPH_INPUT &&
           sg_name_disagrees(v, SIGNET_INPUT, signet_value_position(v->p, value));
}
