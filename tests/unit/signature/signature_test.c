/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/allocator.h"
#include "tests/support/programs.h"

static signet_package *make(signet_program *program) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    *program = test_seed(p);
    return p;
}

/* A delegate called from the program's graph, with a body that holds and updates buffer `target`.
 */
static signet_program add_body(signet_package *p, signet_program caller, const char *name,
                               const char *target) {
    signet_delegate d = signet_delegate_add(p, signet_str(name));
    signet_program body = signet_program_add(p, signet_str(name), SIGNET_ROLE_BODY);
    signet_node call =
        signet_node_append(p, signet_program_graph(p, caller),
                           signet_str("torch.ops.higher_order.executorch_call_delegate"));
    signet_arg_set_delegate(p, signet_node_set_inputs(p, call, 1), d);
    signet_delegate_set_body(p, d, body);
    test_spec(p, body, SIGNET_INPUT, SIGNET_INPUT_KIND_BUFFER, "b_k", target);
    test_spec(p, body, SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_BUFFER_MUTATION, "add", target);
    return body;
}

Test(signature, is_mutated_goes_by_specs) {
    signet_program f;
    signet_package *p = make(&f);
    cr_assert(signet_program_is_mutated(p, f, SIGNET_INPUT_KIND_BUFFER, signet_str("b")));
    cr_assert(!signet_program_is_mutated(p, f, SIGNET_INPUT_KIND_PARAMETER, signet_str("b")));
    cr_assert(!signet_program_is_mutated(p, f, SIGNET_INPUT_KIND_BUFFER, signet_str("other")));
    signet_spec_set_kind(p, f, SIGNET_OUTPUT, 0, SIGNET_OUTPUT_KIND_USER_OUTPUT);
    cr_assert(!signet_program_is_mutated(p, f, SIGNET_INPUT_KIND_BUFFER, signet_str("b")));
    signet_package_destroy(p);
}

Test(signature, is_mutated_looks_into_delegates_of_delegates) {
    signet_program f;
    signet_package *p = make(&f);
    signet_program outer = add_body(p, f, "lowered_module_0", "k");
    add_body(p, outer, "lowered_module_1", "v");
    signet_program stranger = signet_program_add(p, signet_str("put"), SIGNET_ROLE_METHOD);
    cr_assert(signet_program_is_mutated(p, f, SIGNET_INPUT_KIND_BUFFER, signet_str("k")));
    cr_assert(signet_program_is_mutated(p, f, SIGNET_INPUT_KIND_BUFFER, signet_str("v")));
    cr_assert(!signet_program_is_mutated(p, stranger, SIGNET_INPUT_KIND_BUFFER, signet_str("v")));
    signet_package_destroy(p);
}

Test(signature, owners_are_listed_in_program_order) {
    signet_program f;
    signet_package *p = make(&f);
    signet_program body = add_body(p, f, "lowered_module_0", "b");
    signet_owner owners[4];
    cr_assert_eq(signet_state_owners(p, SIGNET_INPUT_KIND_BUFFER, signet_str("b"), owners, 4), 2);
    cr_assert_eq(owners[0].program.id, f.id);
    cr_assert_eq(owners[0].delegate.id, 0);
    cr_assert(owners[0].mutates);
    cr_assert_eq(owners[1].program.id, body.id);
    cr_assert_neq(owners[1].delegate.id, 0);
    cr_assert_eq(signet_state_owners(p, SIGNET_INPUT_KIND_BUFFER, signet_str("b"), NULL, 0), 2);
    cr_assert_eq(signet_state_owners(p, SIGNET_INPUT_KIND_USER_INPUT, signet_str("x"), owners, 4),
                 1);
    signet_package_destroy(p);
}

Test(signature, a_delegate_that_calls_itself_ends) {
    signet_program f;
    signet_package *p = make(&f);
    signet_program body = add_body(p, f, "lowered_module_0", "k");
    signet_delegate d = signet_delegate_find(p, signet_str("lowered_module_0"));
    signet_node call =
        signet_node_append(p, signet_program_graph(p, body),
                           signet_str("torch.ops.higher_order.executorch_call_delegate"));
    signet_arg_set_delegate(p, signet_node_set_inputs(p, call, 1), d);
    cr_assert(signet_program_is_mutated(p, f, SIGNET_INPUT_KIND_BUFFER, signet_str("k")));
    signet_package_destroy(p);
}

static signet_treespec parse(const char *text) {
    signet_package *p = NULL;
    signet_treespec out;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    cr_assert_eq(signet_treespec_parse(p, signet_str(text), &out), SIGNET_OK);
    signet_package_destroy(p);
    return out;
}

#define LEAF "{\"type\": null, \"context\": null, \"children_spec\": []}"
#define TUPLE(children)                                                                            \
    "{\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [" children "]}"

Test(treespec, counts_leaves) {
    cr_assert_eq(parse("[1, " LEAF "]").leaves, 1);
    cr_assert_eq(parse("[1, " TUPLE("") "]").leaves, 0);
    signet_treespec t = parse("[1, " TUPLE(TUPLE(LEAF ", " LEAF) ", " LEAF) "]");
    cr_assert(t.well_formed);
    cr_assert_eq(t.leaves, 3);
}

Test(treespec, says_what_is_malformed) {
    static const char *const bad[] = {
        "",
        "not json",
        "[1]",
        "{}",
        "[2, " LEAF "]",
        "[1, 7]",
        "[1, {\"type\": 7, \"context\": null, \"children_spec\": []}]",
        "[1, {\"type\": null, \"context\": null}]",
        "[1, {\"type\": null, \"children_spec\": []}]",
        "[1, {\"type\": null, \"context\": null, \"children_spec\": [" LEAF "]}]",
        "[1, " TUPLE("3") "]",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        signet_treespec t = parse(bad[i]);
        cr_assert(!t.well_formed, "%s", bad[i]);
        cr_assert_gt(strlen(t.problem), 0, "%s", bad[i]);
    }
    signet_package *p = NULL;
    signet_treespec out;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    cr_assert_eq(signet_treespec_parse(p, (signet_string){NULL, 0}, &out), SIGNET_OK);
    cr_assert(!out.well_formed);
    signet_package_destroy(p);
}

static signet_status parse_with(const signet_allocator *a, void *user) {
    (void)user;
    signet_package *p = NULL;
    signet_status rc = signet_package_create(&p, a, NULL);
    if (rc == SIGNET_OK) {
        signet_treespec out;
        rc = signet_treespec_parse(p, signet_str("[1, " TUPLE(TUPLE(LEAF)) "]"), &out);
        cr_assert(rc != SIGNET_OK || (out.well_formed && out.leaves == 1));
    }
    signet_package_destroy(p);
    return rc;
}

Test(treespec, survives_every_failed_allocation) {
    cr_assert_gt(test_each_failure(parse_with, NULL), 3);
}

Test(calls, entries_keep_their_arguments) {
    signet_program f;
    signet_package *p = make(&f);
    signet_call call = SIGNET_CALL_INIT;
    call.fqn = signet_str("");
    call.has_signature = true;
    call.in_spec = signet_str("[1, " LEAF "]");
    call.out_spec = signet_str("[1, " LEAF "]");
    call.input_count = 2;
    call.has_arg_names = true;
    call.arg_name_count = 1;
    signet_call_add(p, f, &call);
    signet_call_set_arg_name(p, f, 0, 0, signet_str("x"));
    signet_arg_set_named(p, signet_call_argument(p, f, 0, SIGNET_INPUT, 0), SIGNET_ARG_TENSOR,
                         signet_str("b_b"));
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    signet_call got = SIGNET_CALL_INIT;
    cr_assert(signet_call_get(p, f, 0, &got));
    cr_assert_eq(got.input_count, 2);
    cr_assert_str_eq(signet_call_arg_name(p, f, 0, 0).data, "x");
    cr_assert_str_eq(signet_arg_name(p, signet_call_argument(p, f, 0, SIGNET_INPUT, 0)).data,
                     "b_b");
    signet_value_rename(p, signet_graph_find(p, signet_program_graph(p, f), signet_str("b_b")),
                        signet_str("b_new"));
    cr_assert_str_eq(signet_arg_name(p, signet_call_argument(p, f, 0, SIGNET_INPUT, 0)).data,
                     "b_new");
    cr_assert(!signet_call_get(p, f, 1, &got));
    signet_package_destroy(p);
}
