/* SPDX-License-Identifier: Apache-2.0 */
/* gradient and loss: what a joint forward and backward program returns. */

#include "base/compiler.h"
#include "verifier/verifier_internal.h"

static bool is_gradient(const struct sg_spec *s) {
    return s->kind == SIGNET_OUTPUT_KIND_GRADIENT_TO_PARAMETER ||
           s->kind == SIGNET_OUTPUT_KIND_GRADIENT_TO_USER_INPUT;
}

static struct sg_diag *begin_at_output(struct sg_verify *v, signet_code code, uint32_t i,
                                       sg_spec_part part) {
    return sg_diag_begin(&v->log, code,
                         sg_at_spec(v->p, &v->log, v->program, SIGNET_OUTPUT, i, part));
}

/* ---- gradient.target-missing ----------------------------------------------------------------- */

/* What else of the program has that name. */
static void note_other_owner(struct sg_verify *v, struct sg_diag *d, sg_strid target) {
    static const signet_input_kind kinds[] = {SIGNET_INPUT_KIND_PARAMETER, SIGNET_INPUT_KIND_BUFFER,
                                              SIGNET_INPUT_KIND_CONSTANT_TENSOR,
                                              SIGNET_INPUT_KIND_USER_INPUT};
    for (size_t i = 0; i < SG_COUNT_OF(kinds); i++) {
        uint32_t input = sg_input_find(v, kinds[i], target);
        if (input != 0) {
            sg_diag_note(d, "%s is a %s: input %u", sg_quote(v, target),
                         signet_input_kind_name(kinds[i]), input - 1);
            return;
        }
    }
}

static void check_target(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_OUTPUT, t->index);
    signet_input_kind aim = signet_output_kind_aims_at((signet_output_kind)s->kind);
    if (!is_gradient(s) || s->faulty || sg_input_find(v, aim, s->target) != 0) {
        return;
    }
    bool muted = sg_fold(v, sg_is_renamed_input(v, s->target));
    struct sg_diag *d =
        begin_at_output(v, SIGNET_CODE_GRADIENT_TARGET_MISSING, t->index, SG_SPEC_TARGET);
    bool parameter = aim == SIGNET_INPUT_KIND_PARAMETER;
    sg_diag_message(d, "%s is the gradient of %s %s, but the program has no such %s",
                    sg_spec_words(v, SIGNET_OUTPUT, t->index),
                    parameter ? "parameter" : "user input", sg_quote(v, s->target),
                    parameter ? "parameter" : "user input");
    sg_diag_label(d, "no such %s", parameter ? "parameter" : "user input");
    sg_diag_fact(d, "%s: %s", parameter ? "parameters" : "user inputs", sg_targets_words(v, aim));
    note_other_owner(v, d, s->target);
    sg_strid near = d->shown ? sg_target_near(v, aim, s->target) : 0;
    if (near != 0) {
        sg_diag_help(d, "did you mean %s?", sg_quote(v, near));
    } else {
        sg_diag_help(d, "name the %s that the value is the gradient of",
                     parameter ? "parameter" : "user input");
    }
    sg_diag_end(d);
    v->log.muted = muted;
    sg_mark_spec(v, SIGNET_OUTPUT, t->index, SG_CAUSE_TARGET);
    sg_mark_program(v, SG_CAUSE_CALLS);
}

/* ---- gradient.duplicate ---------------------------------------------------------------------- */

static void check_duplicate(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_OUTPUT, t->index);
    if (!is_gradient(s) || s->target == 0) {
        return;
    }
    uint32_t before = sg_gradient_meet(v, t->index);
    if (before == 0) {
        return;
    }
    struct sg_diag *d =
        begin_at_output(v, SIGNET_CODE_GRADIENT_DUPLICATE, t->index, SG_SPEC_TARGET);
    sg_diag_message(d, "%s is the gradient of %s, and so is %s",
                    sg_spec_words(v, SIGNET_OUTPUT, t->index), sg_quote(v, s->target),
                    sg_spec_words(v, SIGNET_OUTPUT, before - 1));
    sg_diag_label(d, "second gradient");
    sg_diag_related(
        d, sg_at_spec(v->p, &v->log, v->program, SIGNET_OUTPUT, before - 1, SG_SPEC_TARGET),
        "the first gradient of it");
    sg_diag_help(d, "keep one of them, or return their sum");
    sg_diag_end(d);
}

/* ---- gradient.shape -------------------------------------------------------------------------- */

static uint32_t type_at(const struct sg_verify *v, const uint32_t *values, uint32_t count,
                        uint32_t i) {
    return i < count ? signet_value_type(v->p, (signet_value){values[i]}).id : 0;
}

static void check_shape(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_OUTPUT, t->index);
    const struct sg_graph *g = sg_graph(v->p, t->graph.id);
    uint32_t input =
        is_gradient(s)
            ? sg_input_find(v, signet_output_kind_aims_at((signet_output_kind)s->kind), s->target)
            : 0;
    if (input == 0 || sg_name_disagrees(v, SIGNET_OUTPUT, t->index) ||
        sg_name_disagrees(v, SIGNET_INPUT, input - 1)) {
        return; /* other rules tell that */
    }
    uint32_t want = type_at(v, v->facts.input_value, g->inputs.count, input - 1);
    uint32_t have = type_at(v, v->facts.output_value, g->outputs.count, t->index);
    if (want == 0 || have == 0 || sg_sizes_same(v->p, sg_type(v->p, want), sg_type(v->p, have))) {
        return;
    }
    struct sg_diag *d = begin_at_output(v, SIGNET_CODE_GRADIENT_SHAPE, t->index, SG_SPEC_NAME);
    sg_diag_message(d, "%s is the gradient of %s, but is %s where that is %s",
                    sg_spec_words(v, SIGNET_OUTPUT, t->index), sg_quote(v, s->target),
                    sg_type_words(v, have), sg_type_words(v, want));
    sg_diag_label(d, "%s", sg_type_words(v, have));
    sg_diag_related(d,
                    sg_at_spec(v->p, &v->log, v->program, SIGNET_INPUT, input - 1, SG_SPEC_WHOLE),
                    "%s", sg_type_words(v, want));
    sg_diag_help(d, "return the gradient in the shape of what it belongs to");
    sg_diag_end(d);
}

/* ---- gradient.without-loss ------------------------------------------------------------------- */

static void check_without_loss(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_kinds *k = sg_kinds(v);
    const uint32_t *first = k->first[SIGNET_OUTPUT];
    uint32_t to_parameter = first[SIGNET_OUTPUT_KIND_GRADIENT_TO_PARAMETER];
    uint32_t to_input = first[SIGNET_OUTPUT_KIND_GRADIENT_TO_USER_INPUT];
    uint32_t gradient =
        to_parameter == 0 || (to_input != 0 && to_input < to_parameter) ? to_input : to_parameter;
    if (gradient != t->index + 1 || first[SIGNET_OUTPUT_KIND_LOSS_OUTPUT] != 0 ||
        k->count[SIGNET_OUTPUT][0] != 0) {
        return;
    }
    struct sg_diag *d =
        begin_at_output(v, SIGNET_CODE_GRADIENT_WITHOUT_LOSS, t->index, SG_SPEC_WHOLE);
    sg_diag_message(d, "%s is a gradient, but no output is the loss",
                    sg_spec_words(v, SIGNET_OUTPUT, t->index));
    sg_diag_label(d, "of what loss?");
    sg_diag_help(d, "declare the output that the gradients belong to as LOSS_OUTPUT");
    sg_diag_end(d);
}

/* ---- loss.several ---------------------------------------------------------------------------- */

static void check_several(struct sg_verify *v, const struct sg_thing *t) {
    uint32_t first = sg_kinds(v)->first[SIGNET_OUTPUT][SIGNET_OUTPUT_KIND_LOSS_OUTPUT];
    if (sg_spec_at(v, SIGNET_OUTPUT, t->index)->kind != SIGNET_OUTPUT_KIND_LOSS_OUTPUT ||
        first == 0 || first == t->index + 1) {
        return;
    }
    struct sg_diag *d = begin_at_output(v, SIGNET_CODE_LOSS_SEVERAL, t->index, SG_SPEC_WHOLE);
    sg_diag_message(d, "%s is a loss, and so is %s", sg_spec_words(v, SIGNET_OUTPUT, t->index),
                    sg_spec_words(v, SIGNET_OUTPUT, first - 1));
    sg_diag_label(d, "another loss");
    sg_diag_related(d,
                    sg_at_spec(v->p, &v->log, v->program, SIGNET_OUTPUT, first - 1, SG_SPEC_WHOLE),
                    "the first loss");
    sg_diag_help(d, "declare all but one of them as USER_OUTPUT");
    sg_diag_end(d);
    sg_mark_program(v, SG_CAUSE_CALLS);
}

static const struct sg_rule rules[] = {
    {SIGNET_CODE_GRADIENT_TARGET_MISSING, SG_SCOPE_OUTPUT,
     SG_CAUSE_INPUT_COUNT | SG_CAUSE_TARGET_TAKEN, check_target},
    {SIGNET_CODE_GRADIENT_DUPLICATE, SG_SCOPE_OUTPUT, SG_CAUSE_OUTPUT_COUNT, check_duplicate},
    {SIGNET_CODE_GRADIENT_SHAPE, SG_SCOPE_OUTPUT,
     SG_CAUSE_INPUT_COUNT | SG_CAUSE_OUTPUT_COUNT | SG_CAUSE_NAME, check_shape},
    {SIGNET_CODE_GRADIENT_WITHOUT_LOSS, SG_SCOPE_OUTPUT, SG_CAUSE_TARGET, check_without_loss},
    {SIGNET_CODE_LOSS_SEVERAL, SG_SCOPE_OUTPUT, SG_CAUSE_OUTPUT_COUNT, check_several},
};
const struct sg_rule_family sg_rules_gradient = {rules, SG_COUNT_OF(rules)};
