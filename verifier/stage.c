/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "verifier/verifier_internal.h"

bool sg_stage_is_functional(signet_stage stage) {
    return stage == SIGNET_STAGE_ATEN || stage == SIGNET_STAGE_EDGE ||
           stage == SIGNET_STAGE_LOWERED;
}

/* What the operators of the top graph tell. */
struct signs {
    bool delegate_call, edge, in_place, writes_input;
};

/* Does a node write into a graph input by its spelling? Its first argument is the written one, or
 * the argument `out`. */
static bool writes_input(const signet_package *p, const struct sg_node *n) {
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        const struct sg_arg *a = sg_arg(p, n->inputs.first + i);
        if (sg_arg_has_value(a) && (i == 0 || sg_string_is(sg_string(p, a->name), "out")) &&
            signet_value_definition(p, (signet_value){a->u.ref.value}) ==
                SIGNET_OWNER_GRAPH_INPUT) {
            return true;
        }
    }
    return false;
}

static struct signs look(const signet_package *p, uint32_t graph) {
    struct signs s = {false, false, false, false};
    for (uint32_t id = sg_graph(p, graph)->first; id != 0; id = sg_node(p, id)->next) {
        const struct sg_node *n = sg_node(p, id);
        const struct sg_operator *o = sg_operator(p, n->op);
        s.delegate_call |= o->op_class == SIGNET_OPERATOR_DELEGATE_CALL;
        s.edge |= o->op_class == SIGNET_OPERATOR_EDGE;
        s.in_place |= o->in_place;
        s.writes_input |= o->in_place && writes_input(p, n);
    }
    return s;
}

static uint32_t count_mutations(const struct sg_program *r) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->specs[SIGNET_OUTPUT].count; i++) {
        count += signet_output_kind_is_mutation(
            (signet_output_kind)r->specs[SIGNET_OUTPUT].data[i].kind);
    }
    return count;
}

static bool claims(const signet_package *p, const struct sg_program *r, const char *dialect) {
    for (uint32_t i = 0; i < r->dialects.count; i++) {
        if (sg_string_is(sg_string(p, r->dialects.data[i]), dialect)) {
            return true;
        }
    }
    return false;
}

signet_stage signet_program_detect_stage(const signet_package *p, signet_program program) {
    const struct sg_program *r = sg_program(p, program.id);
    if (r->stage != SIGNET_STAGE_DETECT) {
        return (signet_stage)r->stage;
    }
    struct signs s = look(p, r->graph);
    uint32_t mutations = count_mutations(r);
    uint32_t outputs = sg_graph(p, r->graph)->outputs.count;
    /* After write-back the copies are made, so the mutations are outputs no longer. */
    if (mutations != 0 && s.writes_input && outputs + mutations == r->specs[SIGNET_OUTPUT].count) {
        return SIGNET_STAGE_FINAL;
    }
    if (s.delegate_call) {
        return SIGNET_STAGE_LOWERED;
    }
    if (s.edge || claims(p, r, "EDGE")) {
        return SIGNET_STAGE_EDGE;
    }
    if (claims(p, r, "TRAINING")) {
        return SIGNET_STAGE_TRAINING;
    }
    if (claims(p, r, "ATEN")) {
        return SIGNET_STAGE_ATEN;
    }
    return s.in_place && mutations == 0 ? SIGNET_STAGE_TRAINING : SIGNET_STAGE_ATEN;
}
