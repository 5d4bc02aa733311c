/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_internal.h"

/* Does an output spec of this very program update the state? */
static bool updates(const struct sg_program *r, signet_input_kind kind, sg_strid target) {
    for (uint32_t i = 0; i < r->specs[SIGNET_OUTPUT].count; i++) {
        const struct sg_spec *s = &r->specs[SIGNET_OUTPUT].data[i];
        signet_output_kind output = (signet_output_kind)s->kind;
        if (s->target == target && signet_output_kind_is_mutation(output) &&
            signet_output_kind_aims_at(output) == kind) {
            return true;
        }
    }
    return false;
}

/* Is the program the body of a delegate that `caller` calls, directly or through other bodies? Each
 * delegate belongs to the program whose graph calls it; the walk goes up, body by body, and a cycle
 * ends it after as many steps as there are programs. */
static bool is_inside(const signet_package *p, uint32_t program, uint32_t caller) {
    for (uint32_t step = 0; step < p->programs.count && program != 0; step++) {
        if (program == caller) {
            return true;
        }
        uint32_t delegate = sg_program(p, program)->delegate;
        program = delegate != 0 ? sg_delegate(p, delegate)->caller : 0;
    }
    return false;
}

bool signet_program_is_mutated(const signet_package *p, signet_program program,
                               signet_input_kind kind, signet_string target) {
    sg_strid id = sg_strings_find(p->strings, target);
    for (uint32_t i = 1; id != 0 && i < p->programs.count; i++) {
        if (updates(sg_program(p, i), kind, id) && is_inside(p, i, program.id)) {
            return true;
        }
    }
    return false;
}

uint32_t signet_state_owners(const signet_package *p, signet_input_kind kind, signet_string target,
                             signet_owner *owners, uint32_t capacity) {
    sg_strid id = sg_strings_find(p->strings, target);
    uint32_t count = 0;
    for (uint32_t i = 1; id != 0 && i < p->programs.count; i++) {
        const struct sg_program *r = sg_program(p, i);
        for (uint32_t j = 0; j < r->specs[SIGNET_INPUT].count; j++) {
            const struct sg_spec *s = &r->specs[SIGNET_INPUT].data[j];
            sg_strid held =
                kind == SIGNET_INPUT_KIND_USER_INPUT ? sg_arg(p, s->arg)->name : s->target;
            if (s->kind != kind || held != id) {
                continue;
            }
            if (count < capacity) {
                owners[count] = (signet_owner){{i}, {r->delegate}, j, updates(r, kind, id)};
            }
            count++;
        }
    }
    return count;
}
