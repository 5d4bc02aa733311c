/* SPDX-License-Identifier: Apache-2.0 */
/* token: effect tokens, which order operators with effects. */

#include "base/compiler.h"
#include "verifier/verifier_internal.h"

static const char *tokens_words(struct sg_verify *v, uint32_t count, const char *side) {
    if (count == 0) {
        return sg_log_text(&v->log, "no %s token", side);
    }
    return sg_log_text(&v->log, "%u %s token%s", count, side, count == 1 ? "" : "s");
}

static void check_unpaired(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_kinds *k = sg_kinds(v);
    uint32_t in = k->count[SIGNET_INPUT][SIGNET_INPUT_KIND_TOKEN];
    uint32_t out = k->count[SIGNET_OUTPUT][SIGNET_OUTPUT_KIND_TOKEN];
    if (in == out || k->count[SIGNET_INPUT][0] != 0 || k->count[SIGNET_OUTPUT][0] != 0 ||
        sg_program(v->p, t->program.id)->faulty) {
        return;
    }
    signet_side side = out != 0 ? SIGNET_OUTPUT : SIGNET_INPUT;
    uint32_t kind = out != 0 ? (uint32_t)SIGNET_OUTPUT_KIND_TOKEN : SIGNET_INPUT_KIND_TOKEN;
    struct sg_diag *d = sg_diag_begin(
        &v->log, SIGNET_CODE_TOKEN_UNPAIRED,
        sg_at_spec(v->p, &v->log, t->program, side, k->first[side][kind] - 1, SG_SPEC_WHOLE));
    sg_diag_message(d, "the signature has %s, but %s", tokens_words(v, in, "input"),
                    tokens_words(v, out, "output"));
    sg_diag_label(d, "has no counterpart");
    sg_diag_help(d, "return one token for each that comes in");
    sg_diag_end(d);
    sg_mark_program(v, SG_CAUSE_CALLS | SG_CAUSE_TOKENS);
}

static void check_order(struct sg_verify *v, signet_side side, uint32_t i, uint32_t token) {
    if (i == 0 || sg_name_disagrees(v, side, i) || sg_spec_at(v, side, i)->kind != token ||
        sg_spec_at(v, side, i - 1)->kind == token) {
        return;
    }
    struct sg_diag *d =
        sg_diag_begin(&v->log, SIGNET_CODE_TOKEN_ORDER,
                      sg_at_spec(v->p, &v->log, v->program, side, i, SG_SPEC_WHOLE));
    sg_diag_message(d, "%s is a token, but stands behind a %s", sg_spec_words(v, side, i),
                    sg_spec_kind_words(v, side, i - 1));
    sg_diag_label(d, "tokens come first");
    sg_diag_help(d, "move it in front of every %s that is no token",
                 side == SIGNET_INPUT ? "input" : "output");
    if (side == SIGNET_OUTPUT) {
        sg_diag_torch(d, sg_torch_outputs(v)->check);
    }
    sg_diag_end(d);
}

static void check_input_order(struct sg_verify *v, const struct sg_thing *t) {
    check_order(v, SIGNET_INPUT, t->index, SIGNET_INPUT_KIND_TOKEN);
}

static void check_output_order(struct sg_verify *v, const struct sg_thing *t) {
    check_order(v, SIGNET_OUTPUT, t->index, SIGNET_OUTPUT_KIND_TOKEN);
}

static const struct sg_rule rules[] = {
    {SIGNET_CODE_TOKEN_UNPAIRED, SG_SCOPE_PROGRAM, SG_CAUSE_INPUT_COUNT | SG_CAUSE_OUTPUT_COUNT,
     check_unpaired},
    {SIGNET_CODE_TOKEN_ORDER, SG_SCOPE_INPUT, SG_CAUSE_TOKENS, check_input_order},
    {SIGNET_CODE_TOKEN_ORDER, SG_SCOPE_OUTPUT, SG_CAUSE_TOKENS, check_output_order},
};
const struct sg_rule_family sg_rules_token = {rules, SG_COUNT_OF(rules)};
