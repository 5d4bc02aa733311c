/* SPDX-License-Identifier: Apache-2.0 */
/* call: how the program, and the modules it kept, are called. */

#include "base/compiler.h"
#include "base/text.h"
#include "verifier/verifier_internal.h"

static const struct sg_call *call_at(const struct sg_verify *v, uint32_t i) {
    return &sg_program(v->p, v->program.id)->calls.data[i];
}

static bool is_root(const struct sg_verify *v, const struct sg_call *c) {
    return sg_string(v->p, c->fqn).length == 0;
}

static const char *entry_words(struct sg_verify *v, const struct sg_call *c) {
    if (is_root(v, c)) {
        return "the program's entry of the call graph";
    }
    return sg_log_text(&v->log, "the entry %s of the call graph", sg_quote(v, c->fqn));
}

static struct sg_diag *begin_at_call(struct sg_verify *v, signet_code code, uint32_t i) {
    return sg_diag_begin(&v->log, code, sg_at_call(v->p, &v->log, v->program, i));
}

/* The parsed spec; false: no memory, or not well-formed. */
static bool parse(struct sg_verify *v, sg_strid text, signet_treespec *spec) {
    if (signet_treespec_parse(v->p, sg_string(v->p, text), spec) != SIGNET_OK) {
        sg_no_memory(v);
        spec->well_formed = true;
        return false;
    }
    return spec->well_formed;
}

/* ---- call.spec-malformed --------------------------------------------------------------------- */

static void check_spec(struct sg_verify *v, uint32_t i, sg_strid text, const char *which) {
    signet_treespec spec;
    if (parse(v, text, &spec) || spec.well_formed) {
        return;
    }
    struct sg_diag *d = begin_at_call(v, SIGNET_CODE_CALL_SPEC_MALFORMED, i);
    sg_diag_message(d, "%s of %s is malformed: %s", which, entry_words(v, call_at(v, i)),
                    spec.problem);
    sg_diag_label(d, "malformed %s", which);
    sg_diag_fact(d, "%s: %s", which, sg_quote(v, text));
    sg_diag_help(d, "write it as torch.utils._pytree does, protocol 1");
    sg_diag_torch(d, "D-MCG");
    sg_diag_end(d);
}

static void check_spec_malformed(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_call *c = call_at(v, t->index);
    if (c->has_signature) {
        check_spec(v, t->index, c->in_spec, "in_spec");
        check_spec(v, t->index, c->out_spec, "out_spec");
    }
}

/* ---- call.leaf-count ------------------------------------------------------------------------- */

static uint32_t user_values(struct sg_verify *v, signet_side side) {
    const uint32_t *count = sg_kinds(v)->count[side];
    return side == SIGNET_INPUT
               ? count[SIGNET_INPUT_KIND_USER_INPUT]
               : count[SIGNET_OUTPUT_KIND_USER_OUTPUT] + count[SIGNET_OUTPUT_KIND_LOSS_OUTPUT];
}

const struct sg_leaves *sg_leaves(struct sg_verify *v) {
    struct sg_leaves *l = &v->gathered.leaves;
    const struct sg_program *r = sg_program(v->p, v->program.id);
    if (l->program == v->program.id) {
        return l;
    }
    *l = (struct sg_leaves){.program = v->program.id};
    for (uint32_t i = 0; i < r->calls.count && !r->faulty; i++) {
        const struct sg_call *c = &r->calls.data[i];
        if (!is_root(v, c) || !c->has_signature) {
            continue;
        }
        signet_treespec specs[2];
        for (uint32_t side = 0; side < 2; side++) {
            l->known[side] =
                sg_kinds(v)->count[side][0] == 0 &&
                parse(v, side == SIGNET_INPUT ? c->in_spec : c->out_spec, &specs[side]);
            l->count[side] = l->known[side] ? specs[side].leaves : 0;
        }
        break;
    }
    return l;
}

bool sg_claims_user_output(struct sg_verify *v, uint32_t output) {
    const struct sg_leaves *l = sg_leaves(v);
    if ((v->spec_marks[SIGNET_OUTPUT][output] & SG_CAUSE_COUNTED) != 0) {
        return true;
    }
    if (!l->known[SIGNET_OUTPUT] ||
        l->count[SIGNET_OUTPUT] <= user_values(v, SIGNET_OUTPUT) + l->claimed) {
        return false;
    }
    v->gathered.leaves.claimed++;
    sg_mark_spec(v, SIGNET_OUTPUT, output, SG_CAUSE_COUNTED);
    return true;
}

/* Specs whose kind or target a finding doubts: with other kinds, the numbers may well agree. */
static uint32_t doubtful(const struct sg_verify *v, signet_side side) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sg_program(v->p, v->program.id)->specs[side].count; i++) {
        count += (v->spec_marks[side][i] & (SG_CAUSE_KIND | SG_CAUSE_TARGET | SG_CAUSE_TYPE)) != 0;
    }
    return count;
}

/* Which outputs the numbers may be about. */
static void note_counted(struct sg_verify *v, struct sg_diag *d, signet_side side) {
    enum { SHOWN = 4 };
    uint32_t shown = 0;
    for (uint32_t i = 0; i < sg_program(v->p, v->program.id)->specs[side].count && shown < SHOWN;
         i++) {
        if ((v->spec_marks[side][i] & SG_CAUSE_COUNTED) == 0) {
            continue;
        }
        shown++;
        sg_diag_note(d,
                     "%s does not fit its place as a %s either: with another kind the numbers "
                     "would agree",
                     sg_spec_words(v, side, i), sg_spec_kind_words(v, side, i));
    }
}

static void check_leaves(struct sg_verify *v, uint32_t i, signet_side side) {
    const struct sg_call *c = call_at(v, i);
    const struct sg_leaves *l = sg_leaves(v);
    const char *which = side == SIGNET_INPUT ? "in_spec" : "out_spec";
    const char *what = side == SIGNET_INPUT ? "user input" : "user output";
    uint32_t have = user_values(v, side);
    uint32_t leaves = l->count[side];
    if (!is_root(v, c) || !c->has_signature || !l->known[side] || leaves == have) {
        return;
    }
    uint32_t off = have > leaves ? have - leaves : leaves - have;
    bool muted = sg_fold(v, off <= doubtful(v, side));
    struct sg_diag *d = begin_at_call(v, SIGNET_CODE_CALL_LEAF_COUNT, i);
    sg_diag_message(d, "%s of %s has %u value%s, but the signature has %u %s%s", which,
                    entry_words(v, c), leaves, leaves == 1 ? "" : "s", have, what,
                    have == 1 ? "" : "s");
    sg_diag_label(d, "%u where the signature has %u", leaves, have);
    note_counted(v, d, side);
    sg_diag_help(d, "change the %s together with the signature", which);
    sg_diag_end(d);
    v->log.muted = muted;
}

static void check_input_leaves(struct sg_verify *v, const struct sg_thing *t) {
    check_leaves(v, t->index, SIGNET_INPUT);
}

static void check_output_leaves(struct sg_verify *v, const struct sg_thing *t) {
    check_leaves(v, t->index, SIGNET_OUTPUT);
}

/* ---- call.unknown-name ----------------------------------------------------------------------- */

/* Any node of the top graph will do for PyTorch: inputs, results, and nodes with several results.
 */
static void check_name(struct sg_verify *v, uint32_t i, signet_side side, uint32_t position,
                       sg_strid name) {
    signet_graph graph = {sg_program(v->p, v->program.id)->graph};
    uint32_t value = sg_value_lookup(v->p, graph, name).id;
    if (sg_value(v->p, value)->def != 0 || sg_node_named(v, name)) {
        return;
    }
    bool follows = sg_value(v->p, value)->use_count != 0; /* graph.undefined-value tells it */
    bool muted = sg_fold(v, follows);
    struct sg_diag *d = begin_at_call(v, SIGNET_CODE_CALL_UNKNOWN_NAME, i);
    sg_diag_message(d, "%s %u of %s is %s, which the graph does not have",
                    side == SIGNET_INPUT ? "input" : "output", position,
                    entry_words(v, call_at(v, i)), sg_quote(v, name));
    sg_diag_label(d, "names %s", sg_quote(v, name));
    sg_strid near = d->shown ? sg_value_near(v, graph.id, name) : 0;
    if (near != 0) {
        sg_diag_help(d, "did you mean %s?", sg_quote(v, near));
    } else {
        sg_diag_help(d, "name a value of the graph");
    }
    sg_diag_known_as(d, "SpecViolationError \"%s %s does not exist in the graph.\"",
                     side == SIGNET_INPUT ? "Input" : "Output",
                     sg_log_name(&v->log, sg_string(v->p, name)));
    sg_diag_torch(d, side == SIGNET_INPUT ? "C-IN" : "C-OUT");
    sg_diag_end(d);
    v->log.muted = muted;
}

static void check_unknown_name(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_call *c = call_at(v, t->index);
    const struct sg_list lists[2] = {c->inputs, c->outputs};
    if (sg_graph(v->p, t->graph.id)->faulty) {
        return;
    }
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t j = 0; j < lists[side].count; j++) {
            const struct sg_arg *a = sg_arg(v->p, lists[side].first + j);
            if (sg_string(v->p, a->name).length != 0) {
                check_name(v, t->index, (signet_side)side, j, a->name);
            }
        }
    }
}

/* ---- call.missing ---------------------------------------------------------------------------- */

static void check_missing(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_program *r = sg_program(v->p, t->program.id);
    bool found = false;
    bool has_signature = false;
    for (uint32_t i = 0; i < r->calls.count && !has_signature; i++) {
        bool root = is_root(v, &r->calls.data[i]);
        found |= root;
        has_signature |= root && r->calls.data[i].has_signature;
    }
    if (!r->has_calls || r->faulty || has_signature) {
        return;
    }
    struct sg_diag *d =
        sg_diag_begin(&v->log, SIGNET_CODE_CALL_MISSING, sg_at_program(v->p, &v->log, t->program));
    if (found) {
        sg_diag_message(d, "the program's entry of the call graph has no signature");
    } else if (r->calls.count == 0) {
        sg_diag_message(d, "the call graph is empty: nothing says how the program is called");
    } else {
        sg_diag_message(d, "the call graph has no entry for the program itself");
    }
    sg_diag_help(d, "add the entry '' with the in_spec and out_spec of the program");
    sg_diag_end(d);
}

static const struct sg_rule rules[] = {
    {SIGNET_CODE_CALL_MISSING, SG_SCOPE_PROGRAM, 0, check_missing},
    {SIGNET_CODE_CALL_SPEC_MALFORMED, SG_SCOPE_CALL, 0, check_spec_malformed},
    {SIGNET_CODE_CALL_LEAF_COUNT, SG_SCOPE_CALL, SG_CAUSE_CALLS | SG_CAUSE_INPUT_COUNT,
     check_input_leaves},
    {SIGNET_CODE_CALL_LEAF_COUNT, SG_SCOPE_CALL,
     SG_CAUSE_CALLS | SG_CAUSE_OUTPUT_COUNT | SG_CAUSE_OUTPUT_ORDER, check_output_leaves},
    {SIGNET_CODE_CALL_UNKNOWN_NAME, SG_SCOPE_CALL, 0, check_unknown_name},
};
const struct sg_rule_family sg_rules_call = {rules, SG_COUNT_OF(rules)};
