/* SPDX-License-Identifier: Apache-2.0 */

/* The engine: counts, severities, profiles, folding, rules of an embedder's own, failure. What each
 * rule says is tested by tests/rules. */

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/allocator.h"
#include "tests/support/programs.h"

/* What a sink has heard: codes, and the last message. */
struct heard {
    uint32_t count;
    char codes[1024];
    char message[512];
    char item[128];
    signet_severity severity;
};

static void hear(void *user, const signet_diag *d) {
    struct heard *h = user;
    size_t used = strlen(h->codes);
    snprintf(h->codes + used, sizeof(h->codes) - used, "%s%s", used != 0 ? " " : "", d->code_name);
    snprintf(h->message, sizeof(h->message), "%s", d->message);
    snprintf(h->item, sizeof(h->item), "%s", d->location.item != NULL ? d->location.item : "");
    h->severity = d->severity;
    h->count++;
}

static struct heard verify(const signet_package *p, const signet_verify_options *options,
                           signet_report *report) {
    struct heard h = {0};
    signet_sink sink = {hear, &h};
    cr_assert_eq(signet_verify(p, options, &sink, report), SIGNET_OK);
    return h;
}

static signet_package *make(signet_program *program) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    *program = test_seed(p);
    cr_assert_neq(program->id, 0);
    return p;
}

Test(verify, the_seed_is_sound) {
    signet_program f;
    signet_package *p = make(&f);
    signet_report report = SIGNET_REPORT_INIT;
    struct heard h = verify(p, NULL, &report);
    cr_assert_eq(h.count, 0, "%s: %s", h.codes, h.message);
    cr_assert_eq(report.errors + report.warnings, 0);
    cr_assert_gt(report.rules, 20);
    signet_package_destroy(p);
}

Test(verify, a_dangling_mutation_is_one_error) {
    signet_program f;
    signet_package *p = make(&f);
    signet_spec_set_target(p, f, SIGNET_OUTPUT, 0, signet_str("gone"));
    signet_report report = SIGNET_REPORT_INIT;
    struct heard h = verify(p, NULL, &report);
    cr_assert_str_eq(h.codes, "mutation.target-missing");
    cr_assert_str_eq(h.message, "output 0 updates buffer 'gone', which does not exist");
    cr_assert_str_eq(h.item, "output 0");
    cr_assert_eq(report.errors, 1);
    signet_package_destroy(p);
}

Test(verify, a_null_sink_only_counts) {
    signet_program f;
    signet_package *p = make(&f);
    signet_spec_set_target(p, f, SIGNET_OUTPUT, 0, signet_str("gone"));
    signet_report report = SIGNET_REPORT_INIT;
    cr_assert_eq(signet_verify(p, NULL, NULL, &report), SIGNET_OK);
    cr_assert_eq(report.errors, 1);
    cr_assert_eq(signet_verify(p, NULL, NULL, &report), SIGNET_OK); /* reports add up */
    cr_assert_eq(report.errors, 2);
    cr_assert_eq(signet_verify(p, NULL, NULL, NULL), SIGNET_OK);
    cr_assert_eq(signet_verify(NULL, NULL, NULL, NULL), SIGNET_E_INVALID_ARG);
    signet_package_destroy(p);
}

Test(verify, one_removed_spec_is_one_finding) {
    signet_program f;
    signet_package *p = make(&f);
    signet_spec_remove(p, f, SIGNET_INPUT, 0);
    signet_report report = SIGNET_REPORT_INIT;
    struct heard h = verify(p, NULL, &report);
    /* the mutation of 'b' has lost its buffer by that: it is counted, not said */
    cr_assert_str_eq(h.codes, "signature.input-count");
    cr_assert_gt(report.folded, 0);
    signet_package_destroy(p);
}

Test(verify, severities_can_be_set_per_code_and_family) {
    signet_program f;
    signet_package *p = make(&f);
    signet_spec_set_target(p, f, SIGNET_OUTPUT, 0, signet_str("gone"));
    signet_severity_rule rules[] = {{"mutation", SIGNET_SEVERITY_WARNING},
                                    {"mutation.no-op", SIGNET_SEVERITY_OFF}};
    signet_verify_options o = SIGNET_VERIFY_OPTIONS_INIT;
    o.severities = rules;
    o.severity_count = 2;
    signet_report report = SIGNET_REPORT_INIT;
    cr_assert_eq(verify(p, &o, &report).severity, SIGNET_SEVERITY_WARNING);
    cr_assert_eq(report.errors, 0);
    cr_assert_eq(report.warnings, 1);
    rules[0].severity = SIGNET_SEVERITY_OFF;
    cr_assert_eq(verify(p, &o, NULL).count, 0);
    signet_package_destroy(p);
}

Test(verify, strict_makes_warnings_errors) {
    signet_program f;
    signet_package *p = make(&f);
    signet_graph g = signet_program_graph(p, f);
    signet_value b_b = signet_graph_find(p, g, signet_str("b_b"));
    signet_arg_set_value(p, signet_graph_output(p, g, 0), SIGNET_ARG_TENSOR, b_b);
    signet_spec_set_name(p, f, SIGNET_OUTPUT, 0, signet_str("b_b"));
    signet_verify_options o = SIGNET_VERIFY_OPTIONS_INIT;
    cr_assert_eq(verify(p, &o, NULL).severity, SIGNET_SEVERITY_WARNING);
    o.profile = SIGNET_PROFILE_STRICT;
    struct heard h = verify(p, &o, NULL);
    cr_assert_str_eq(h.codes, "mutation.no-op");
    cr_assert_eq(h.severity, SIGNET_SEVERITY_ERROR);
    o.profile = SIGNET_PROFILE_TORCH; /* PyTorch says nothing */
    cr_assert_eq(verify(p, &o, NULL).count, 0);
    signet_package_destroy(p);
}

Test(verify, findings_per_code_are_limited_and_counted) {
    signet_package *p = NULL;
    signet_limits limits = signet_limits_default();
    limits.findings = 3;
    cr_assert_eq(signet_package_create(&p, NULL, &limits), SIGNET_OK);
    signet_program f = signet_program_add(p, signet_str("forward"), SIGNET_ROLE_METHOD);
    signet_graph g = signet_program_graph(p, f);
    signet_arg in = signet_graph_set_inputs(p, g, 1);
    signet_value_describe_tensor(p, signet_arg_set_named(p, in, SIGNET_ARG_TENSOR, signet_str("x")),
                                 test_type(p, 1, 1));
    test_spec(p, f, SIGNET_INPUT, SIGNET_INPUT_KIND_USER_INPUT, "x", NULL);
    signet_arg out = signet_graph_set_outputs(p, g, 10);
    for (uint32_t i = 0; i < 10; i++) {
        signet_arg_set_named(p, (signet_arg){out.id + i}, SIGNET_ARG_TENSOR, signet_str("x"));
        test_spec(p, f, SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_BUFFER_MUTATION, "x", "gone");
    }
    signet_report report = SIGNET_REPORT_INIT;
    struct heard h = verify(p, NULL, &report);
    cr_assert_eq(h.count, 3);
    cr_assert_eq(report.errors, 10);
    cr_assert_eq(report.suppressed, 7);
    signet_package_destroy(p);
}

/* ---- Rules of an embedder's own -------------------------------------------------------------- */

static void no_add(signet_rule_run *run, const signet_package *p, const signet_subject *s,
                   void *user) {
    uint32_t *seen = user;
    (*seen)++;
    signet_string name = signet_node_operator(p, s->node).name;
    if (name.length == 3 && memcmp(name.data, "add", 3) == 0) {
        signet_rule_report(run, s, "additions are not allowed here", "subtract");
    }
}

Test(verify, own_rules_run_in_the_same_walk) {
    signet_program f;
    signet_package *p = make(&f);
    uint32_t seen = 0;
    signet_rule rule = SIGNET_RULE_INIT;
    rule.name = "acme.no-add";
    rule.scope = SIGNET_SCOPE_NODE;
    rule.check = no_add;
    rule.user = &seen;
    signet_verify_options o = SIGNET_VERIFY_OPTIONS_INIT;
    o.rules = &rule;
    o.rule_count = 1;
    signet_report report = SIGNET_REPORT_INIT;
    struct heard h = verify(p, &o, &report);
    cr_assert_eq(seen, 2);
    cr_assert_str_eq(h.codes, "acme.no-add acme.no-add");
    cr_assert_str_eq(h.message, "additions are not allowed here");
    cr_assert_eq(report.errors, 2);
    signet_severity_rule off = {"acme", SIGNET_SEVERITY_OFF};
    o.severities = &off;
    o.severity_count = 1;
    cr_assert_eq(verify(p, &o, NULL).count, 0);
    signet_package_destroy(p);
}

/* ---- Failure --------------------------------------------------------------------------------- */

static signet_status verify_broken(const signet_allocator *a, void *user) {
    struct heard h = {0};
    signet_sink sink = {hear, &h};
    const signet_package *original = user;
    signet_package *p = NULL;
    signet_status rc = signet_package_clone(&p, original, a);
    if (rc == SIGNET_OK) {
        rc = signet_verify(p, NULL, &sink, NULL);
        cr_assert(rc != SIGNET_OK || h.count == 1);
    }
    signet_package_destroy(p);
    return rc;
}

Test(verify, survives_every_failed_allocation) {
    signet_program f;
    signet_package *p = make(&f);
    signet_spec_set_target(p, f, SIGNET_OUTPUT, 0, signet_str("gone"));
    cr_assert_gt(test_each_failure(verify_broken, p), 30);
    signet_package_destroy(p);
}

/* ---- Stages ---------------------------------------------------------------------------------- */

Test(stage, is_told_by_claims_then_by_operators) {
    signet_program f;
    signet_package *p = make(&f);
    cr_assert_eq(signet_program_detect_stage(p, f), SIGNET_STAGE_ATEN);
    signet_program_add_dialect(p, f, signet_str("TRAINING"));
    cr_assert_eq(signet_program_detect_stage(p, f), SIGNET_STAGE_TRAINING);
    test_call(p, signet_program_graph(p, f), "executorch.exir.dialects.edge._ops.aten.add.Tensor",
              "e", "x", "x");
    cr_assert_eq(signet_program_detect_stage(p, f), SIGNET_STAGE_EDGE);
    signet_node call =
        signet_node_append(p, signet_program_graph(p, f),
                           signet_str("torch.ops.higher_order.executorch_call_delegate"));
    cr_assert_neq(call.id, 0);
    cr_assert_eq(signet_program_detect_stage(p, f), SIGNET_STAGE_LOWERED);
    signet_program_set_stage(p, f, SIGNET_STAGE_ATEN);
    cr_assert_eq(signet_program_detect_stage(p, f), SIGNET_STAGE_ATEN);
    signet_package_destroy(p);
}
