/* SPDX-License-Identifier: Apache-2.0 */
#include "signature/holders.h"

struct report {
    const signet_package *p;
    struct sg_holders holders;
    uint32_t *order;         /* by node: 1-based place in its graph */
    uint32_t *seen;          /* by node: index + 1 of the holder whose readers were counted last */
    struct sg_map *state_of; /* (table, name) -> program whose tables have it, the one met last */
};

static uint32_t *numbers(const signet_package *p) {
    return sg_alloc(&p->allocator, (size_t)p->nodes.count * sizeof(uint32_t));
}

static uint64_t stored_key(uint32_t table, sg_strid name) {
    return (uint64_t)table << 32 | name;
}

static bool start(struct report *r, const signet_package *p) {
    r->p = p;
    r->order = numbers(p);
    r->seen = numbers(p);
    r->state_of = sg_map_create(&p->allocator);
    if (r->order == NULL || r->seen == NULL || r->state_of == NULL) {
        return false;
    }
    for (uint32_t g = 1; g < p->graphs.count; g++) {
        uint32_t order = 0;
        for (uint32_t n = sg_graph(p, g)->first; n != 0; n = sg_node(p, n)->next) {
            r->order[n] = ++order;
        }
    }
    return sg_holders_gather(&r->holders, p);
}

static void stop(struct report *r) {
    const signet_package *p = r->p;
    size_t bytes = (size_t)p->nodes.count * sizeof(uint32_t);
    sg_free(&p->allocator, r->order, bytes);
    sg_free(&p->allocator, r->seen, bytes);
    sg_map_destroy(r->state_of);
    sg_holders_free(&r->holders, p);
}

/* The values that the program has, before its first row. */
static bool note_stored(struct report *r, uint32_t program) {
    const struct sg_program *g = sg_program(r->p, program);
    for (uint32_t i = 0; i < g->states.count; i++) {
        const struct sg_state *s = &g->states.data[i];
        if (!sg_map_put(r->state_of, stored_key(s->table, s->name), program)) {
            return false;
        }
    }
    return true;
}

static bool has_value(const struct report *r, const struct sg_holder *h) {
    return h->kind != SIGNET_INPUT_KIND_USER_INPUT &&
           (sg_map_get(r->state_of, stored_key(SIGNET_TABLE_STATE_DICT, h->target)) == h->program ||
            sg_map_get(r->state_of, stored_key(SIGNET_TABLE_CONSTANTS, h->target)) == h->program);
}

static void find_writer(const struct report *r, const struct sg_holder *h, signet_state_row *row) {
    const struct sg_graph *g = sg_graph(r->p, sg_program(r->p, h->program)->graph);
    row->mutated = h->output != 0;
    if (!row->mutated) {
        return;
    }
    row->writer_output = h->output - 1;
    const struct sg_arg *a = sg_arg(
        r->p, row->writer_output < g->outputs.count ? g->outputs.first + row->writer_output : 0);
    if (sg_arg_has_value(a)) {
        row->writer = signet_value_node(r->p, (signet_value){a->u.ref.value});
    }
}

/* Each node once, however often it names the value. */
static void count_readers(struct report *r, uint32_t index, uint32_t value, signet_state_row *row) {
    uint32_t writer = row->writer.id;
    for (uint32_t use = sg_value(r->p, value)->first_use; use != 0;
         use = sg_arg(r->p, use)->next_use) {
        uint32_t node = signet_arg_node(r->p, (signet_arg){use}).id;
        if (node == 0 || node == writer || r->seen[node] == index + 1) {
            continue;
        }
        r->seen[node] = index + 1;
        bool after = writer != 0 && r->order[node] > r->order[writer];
        row->readers_after += after;
        row->readers_before += !after;
    }
}

static signet_state_row row_of(struct report *r, uint32_t index) {
    const struct sg_holder *h = &r->holders.list.data[index];
    const struct sg_program *g = sg_program(r->p, h->program);
    const struct sg_list *inputs = &sg_graph(r->p, g->graph)->inputs;
    const struct sg_arg *a = sg_arg(r->p, h->input < inputs->count ? inputs->first + h->input : 0);
    signet_state_row row = SIGNET_STATE_ROW_INIT;
    row.method.id = r->holders.method[h->program];
    row.kind = (signet_input_kind)h->kind;
    row.target = sg_string(r->p, h->target);
    row.owner.id = h->program;
    row.input = h->input;
    row.delegate.id = g->delegate;
    row.shared = h->shared;
    row.has_initial_value = has_value(r, h);
    find_writer(r, h, &row);
    if (sg_arg_has_value(a)) {
        row.type = signet_value_type(r->p, (signet_value){a->u.ref.value});
        count_readers(r, index, a->u.ref.value, &row);
    }
    return row;
}

/* What a caller brings is state where the program writes it. */
static bool is_state(const struct sg_holder *h) {
    return h->kind != SIGNET_INPUT_KIND_USER_INPUT || h->output != 0;
}

static signet_status tell(struct report *r, bool (*row)(void *user, const signet_state_row *row),
                          void *user) {
    uint32_t program = 0;
    for (uint32_t i = 0; i < r->holders.list.count; i++) {
        const struct sg_holder *h = &r->holders.list.data[i];
        if (h->program != program && !note_stored(r, h->program)) {
            return SIGNET_E_NOMEM;
        }
        program = h->program;
        if (is_state(h)) {
            signet_state_row told = row_of(r, i);
            if (!row(user, &told)) {
                return SIGNET_E_STOPPED;
            }
        }
    }
    return SIGNET_OK;
}

signet_status signet_state_report(const signet_package *package,
                                  bool (*row)(void *user, const signet_state_row *row),
                                  void *user) {
    if (package == NULL || row == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    struct report r = {0};
    signet_status status = start(&r, package) ? tell(&r, row, user) : SIGNET_E_NOMEM;
    stop(&r);
    return status;
}
