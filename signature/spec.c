/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/arg_internal.h"
#include "ir/ir_internal.h"

static struct sg_program *edit(signet_package *p, signet_program program) {
    if (program.id == 0 || program.id >= p->programs.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return NULL;
    }
    return &p->programs.data[program.id];
}

static struct sg_spec *edit_spec(signet_package *p, signet_program program, signet_side side,
                                 uint32_t i) {
    struct sg_program *r = edit(p, program);
    if (r == NULL || i >= r->specs[side].count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return NULL;
    }
    return &r->specs[side].data[i];
}

uint32_t signet_spec_count(const signet_package *p, signet_program program, signet_side side) {
    return sg_program(p, program.id)->specs[side].count;
}

bool signet_spec_get(const signet_package *p, signet_program program, signet_side side, uint32_t i,
                     signet_spec *spec) {
    static const signet_spec none = SIGNET_SPEC_INIT;
    const struct sg_program *r = sg_program(p, program.id);
    *spec = none;
    if (i >= r->specs[side].count) {
        return false;
    }
    const struct sg_spec *s = &r->specs[side].data[i];
    spec->side = side;
    spec->index = i;
    spec->kind = s->kind;
    spec->raw_tag = sg_string(p, s->raw_tag);
    spec->name = sg_string(p, sg_arg(p, s->arg)->name);
    spec->arg_kind = (signet_arg_kind)sg_arg(p, s->arg)->kind;
    spec->arg = (signet_arg){s->arg};
    spec->target = sg_string(p, s->target);
    spec->persistent = (signet_persistence)s->persistent;
    return true;
}

signet_arg signet_spec_add(signet_package *p, signet_program program, const signet_spec *spec) {
    return signet_spec_insert(p, program, signet_spec_count(p, program, spec->side), spec);
}

signet_arg signet_spec_insert(signet_package *p, signet_program program, uint32_t i,
                              const signet_spec *spec) {
    struct sg_spec s = {.kind = (uint8_t)spec->kind,
                        .persistent = (uint8_t)spec->persistent,
                        .raw_tag = sg_intern(p, spec->raw_tag),
                        .target = sg_intern(p, spec->target)};
    sg_strid name = sg_intern(p, spec->name);
    struct sg_program *r = edit(p, program);
    if (r == NULL || i > r->specs[spec->side].count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return (signet_arg){0};
    }
    s.arg = sg_arg_alloc(p, 1, SIGNET_OWNER_NONE, 0);
    if (s.arg == 0) {
        return (signet_arg){0};
    }
    p->args.data[s.arg].kind = (uint8_t)spec->arg_kind;
    p->args.data[s.arg].name = name;
    if (!sg_vec_reserve(&p->allocator, &r->specs[spec->side], 1)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return (signet_arg){0};
    }
    uint32_t count = r->specs[spec->side].count++;
    struct sg_spec *specs = r->specs[spec->side].data;
    for (uint32_t j = count; j > i; j--) {
        specs[j] = specs[j - 1];
    }
    specs[i] = s;
    return (signet_arg){s.arg};
}

signet_arg signet_program_insert(signet_package *p, signet_program program, uint32_t i,
                                 const signet_spec *spec) {
    signet_graph graph = signet_program_graph(p, program);
    signet_arg arg = spec->side == SIGNET_INPUT ? signet_graph_insert_input(p, graph, i)
                                                : signet_graph_insert_output(p, graph, i);
    if (arg.id == 0) {
        return arg;
    }
    if (signet_spec_insert(p, program, i, spec).id == 0) {
        if (spec->side == SIGNET_INPUT) {
            signet_graph_remove_input(p, graph, i);
        } else {
            signet_graph_remove_output(p, graph, i);
        }
        return (signet_arg){0};
    }
    return arg;
}

void signet_program_remove_input(signet_package *p, signet_program program, uint32_t i) {
    struct sg_program *r = edit(p, program);
    if (r == NULL) {
        return;
    }
    if (i < r->specs[SIGNET_INPUT].count) {
        signet_spec_remove(p, program, SIGNET_INPUT, i);
    }
    signet_graph_remove_input(p, (signet_graph){r->graph}, i);
}

void signet_spec_set_name(signet_package *p, signet_program program, signet_side side, uint32_t i,
                          signet_string name) {
    sg_strid id = sg_intern(p, name);
    const struct sg_spec *s = edit_spec(p, program, side, i);
    if (s != NULL) {
        p->args.data[s->arg].name = id;
    }
}

void signet_spec_set_target(signet_package *p, signet_program program, signet_side side, uint32_t i,
                            signet_string target) {
    sg_strid id = sg_intern(p, target);
    struct sg_spec *s = edit_spec(p, program, side, i);
    if (s != NULL) {
        s->target = id;
    }
}

void signet_spec_set_kind(signet_package *p, signet_program program, signet_side side, uint32_t i,
                          int kind) {
    struct sg_spec *s = edit_spec(p, program, side, i);
    if (s != NULL) {
        s->kind = (uint8_t)kind;
        s->raw_tag = 0;
    }
}

void signet_spec_remove(signet_package *p, signet_program program, signet_side side, uint32_t i) {
    if (edit_spec(p, program, side, i) == NULL) {
        return;
    }
    struct sg_program *r = &p->programs.data[program.id];
    for (uint32_t j = i + 1; j < r->specs[side].count; j++) {
        r->specs[side].data[j - 1] = r->specs[side].data[j];
    }
    r->specs[side].count--;
}

void signet_program_remove_output(signet_package *p, signet_program program, uint32_t i) {
    struct sg_program *r = edit(p, program);
    if (r == NULL) {
        return;
    }
    if (i < r->specs[SIGNET_OUTPUT].count) {
        signet_spec_remove(p, program, SIGNET_OUTPUT, i);
    }
    signet_graph_remove_output(p, (signet_graph){r->graph}, i);
}

void sg_spec_set_spans(signet_package *p, signet_program program, signet_side side, uint32_t i,
                       struct sg_span span, struct sg_span name_span, struct sg_span target_span) {
    struct sg_spec *s = edit_spec(p, program, side, i);
    if (s != NULL) {
        s->span = span;
        s->name_span = name_span;
        s->target_span = target_span;
    }
}
