/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_internal.h"

uint32_t signet_state_count(const signet_package *p, signet_program program) {
    return sg_program(p, program.id)->states.count;
}

bool signet_state_get(const signet_package *p, signet_program program, uint32_t i,
                      signet_state *state) {
    static const signet_state none = SIGNET_STATE_INIT;
    const struct sg_program *r = sg_program(p, program.id);
    *state = none;
    if (i >= r->states.count) {
        return false;
    }
    const struct sg_state *s = &r->states.data[i];
    state->table = (signet_table)s->table;
    state->name = sg_string(p, s->name);
    state->is_parameter = s->is_parameter;
    state->is_pickled = s->is_pickled;
    state->type = (signet_type){s->type};
    state->record = sg_string(p, s->record);
    state->has_bytes = s->has_bytes;
    state->record_bytes = s->record_bytes;
    return true;
}

void signet_state_add(signet_package *p, signet_program program, const signet_state *state) {
    struct sg_state s = {.table = (uint8_t)state->table,
                         .is_parameter = state->is_parameter,
                         .is_pickled = state->is_pickled,
                         .has_bytes = state->has_bytes,
                         .name = sg_intern(p, state->name),
                         .record = sg_intern(p, state->record),
                         .type = state->type.id,
                         .record_bytes = state->record_bytes};
    if (program.id == 0 || program.id >= p->programs.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return;
    }
    struct sg_program *r = &p->programs.data[program.id];
    if (!sg_vec_reserve(&p->allocator, &r->states, 1)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return;
    }
    r->states.data[r->states.count++] = s;
    r->has_state_tables = true;
}

void signet_state_remove(signet_package *p, signet_program program, uint32_t i) {
    if (program.id == 0 || program.id >= p->programs.count ||
        i >= p->programs.data[program.id].states.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return;
    }
    struct sg_program *r = &p->programs.data[program.id];
    r->states.count--;
    for (uint32_t j = i; j < r->states.count; j++) {
        r->states.data[j] = r->states.data[j + 1];
    }
}

void sg_state_set_span(signet_package *p, signet_program program, uint32_t i, uint32_t source,
                       struct sg_span span) {
    if (program.id != 0 && program.id < p->programs.count &&
        i < p->programs.data[program.id].states.count) {
        struct sg_state *s = &p->programs.data[program.id].states.data[i];
        s->source = source;
        s->span = span;
    }
}
