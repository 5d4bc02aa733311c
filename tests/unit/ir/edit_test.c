/* SPDX-License-Identifier: Apache-2.0 */

/* Building and editing: uses, definitions, order and declared names stay in step. */

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/allocator.h"
#include "tests/support/programs.h"

static signet_package *make(signet_program *program) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    *program = test_seed(p);
    cr_assert_neq(program->id, 0);
    return p;
}

static bool is(signet_string s, const char *text) {
    return s.data != NULL && s.length == strlen(text) && memcmp(s.data, text, s.length) == 0;
}

static signet_value find(const signet_package *p, signet_program program, const char *name) {
    return signet_graph_find(p, signet_program_graph(p, program), signet_str(name));
}

static bool spec_is(const signet_package *p, signet_program program, signet_side side, uint32_t i,
                    const char *name, const char *target) {
    signet_spec s = SIGNET_SPEC_INIT;
    return signet_spec_get(p, program, side, i, &s) && is(s.name, name) &&
           (target == NULL ? s.target.data == NULL : is(s.target, target));
}

Test(edit, uses_are_exact) {
    signet_program f;
    signet_package *p = make(&f);
    signet_value x = find(p, f, "x");
    signet_value add = find(p, f, "add");
    cr_assert_eq(signet_value_use_count(p, x), 2);
    cr_assert_eq(signet_value_use_count(p, add), 2); /* the second add, and output 0 */
    cr_assert_eq(signet_value_definition(p, x), SIGNET_OWNER_GRAPH_INPUT);
    cr_assert_eq(signet_value_position(p, x), 1);
    cr_assert_eq(signet_value_definition(p, add), SIGNET_OWNER_NODE_OUTPUT);
    bool output_seen = false;
    for (signet_arg u = signet_value_first_use(p, add); u.id != 0; u = signet_use_next(p, u)) {
        output_seen |= signet_arg_owner(p, u) == SIGNET_OWNER_GRAPH_OUTPUT;
        cr_assert_eq(signet_arg_value(p, u).id, add.id);
    }
    cr_assert(output_seen);
    signet_package_destroy(p);
}

Test(edit, use_before_definition_becomes_one_value) {
    signet_program f;
    signet_package *p = make(&f);
    signet_graph g = signet_program_graph(p, f);
    test_call(p, g, "torch.ops.aten.mul.Tensor", "first", "later", "x");
    signet_value later = find(p, f, "later");
    cr_assert_eq(signet_value_get_kind(p, later), SIGNET_VALUE_UNDEFINED);
    cr_assert_eq(signet_value_definition(p, later), SIGNET_OWNER_NONE);
    test_call(p, g, "torch.ops.aten.mul.Tensor", "later", "x", "x");
    cr_assert_eq(find(p, f, "later").id, later.id);
    cr_assert_eq(signet_value_get_kind(p, later), SIGNET_VALUE_TENSOR);
    cr_assert_eq(signet_value_use_count(p, later), 1);
    signet_package_destroy(p);
}

Test(edit, second_definition_is_flagged_and_found_after_the_first_is_gone) {
    signet_program f;
    signet_package *p = make(&f);
    signet_graph g = signet_program_graph(p, f);
    signet_node first = test_call(p, g, "torch.ops.aten.mul.Tensor", "y", "x", "x");
    signet_node second = test_call(p, g, "torch.ops.aten.sub.Tensor", "y", "x", "x");
    signet_value a = signet_arg_value(p, signet_node_output(p, first, 0));
    signet_value b = signet_arg_value(p, signet_node_output(p, second, 0));
    cr_assert_neq(a.id, b.id);
    cr_assert(!signet_value_is_redefined(p, a));
    cr_assert(signet_value_is_redefined(p, b));
    cr_assert_eq(find(p, f, "y").id, a.id);
    signet_node_remove(p, first);
    cr_assert_eq(find(p, f, "y").id, b.id);
    cr_assert(!signet_value_is_redefined(p, b));
    signet_package_destroy(p);
}

Test(edit, renaming_takes_declared_names_along) {
    signet_program f;
    signet_package *p = make(&f);
    signet_value_rename(p, find(p, f, "add"), signet_str("sum"));
    cr_assert(spec_is(p, f, SIGNET_OUTPUT, 0, "sum", "b"));
    cr_assert(spec_is(p, f, SIGNET_OUTPUT, 1, "add_1", NULL));
    cr_assert_eq(find(p, f, "add").id, 0);
    cr_assert_neq(find(p, f, "sum").id, 0);
    signet_value_rename(p, find(p, f, "x"), signet_str("tokens"));
    cr_assert(spec_is(p, f, SIGNET_INPUT, 1, "tokens", NULL));
    signet_package_destroy(p);
}

Test(edit, renaming_leaves_a_disagreeing_spec_alone) {
    signet_program f;
    signet_package *p = make(&f);
    signet_spec_set_name(p, f, SIGNET_OUTPUT, 0, signet_str("stale"));
    signet_value_rename(p, find(p, f, "add"), signet_str("sum"));
    cr_assert(spec_is(p, f, SIGNET_OUTPUT, 0, "stale", "b"));
    signet_package_destroy(p);
}

Test(edit, renaming_follows_user_input_mutations) {
    signet_program f;
    signet_package *p = make(&f);
    signet_spec_set_kind(p, f, SIGNET_OUTPUT, 0, SIGNET_OUTPUT_KIND_USER_INPUT_MUTATION);
    signet_spec_set_target(p, f, SIGNET_OUTPUT, 0, signet_str("x"));
    signet_value_rename(p, find(p, f, "x"), signet_str("z"));
    cr_assert(spec_is(p, f, SIGNET_OUTPUT, 0, "add", "z"));
    signet_package_destroy(p);
}

Test(edit, renaming_to_an_undefined_name_takes_its_uses) {
    signet_program f;
    signet_package *p = make(&f);
    test_call(p, signet_program_graph(p, f), "torch.ops.aten.mul.Tensor", "m", "ghost", "x");
    signet_value add = find(p, f, "add");
    uint32_t before = signet_value_use_count(p, add);
    signet_value_rename(p, add, signet_str("ghost"));
    cr_assert_eq(find(p, f, "ghost").id, add.id);
    cr_assert_eq(signet_value_use_count(p, add), before + 1);
    signet_package_destroy(p);
}

Test(edit, replacing_uses_updates_output_specs) {
    signet_program f;
    signet_package *p = make(&f);
    signet_value_replace_uses(p, find(p, f, "add"), find(p, f, "x"));
    cr_assert_eq(signet_value_use_count(p, find(p, f, "add")), 0);
    cr_assert_eq(signet_value_use_count(p, find(p, f, "x")), 4);
    cr_assert(spec_is(p, f, SIGNET_OUTPUT, 0, "x", "b"));
    signet_package_destroy(p);
}

Test(edit, removing_a_node_leaves_undefined_uses) {
    signet_program f;
    signet_package *p = make(&f);
    signet_graph g = signet_program_graph(p, f);
    signet_node first = signet_graph_first(p, g);
    signet_value b_b = find(p, f, "b_b");
    signet_node_remove(p, first);
    cr_assert_eq(signet_graph_node_count(p, g), 1);
    cr_assert_eq(signet_value_use_count(p, b_b), 0);
    cr_assert_eq(signet_value_get_kind(p, find(p, f, "add")), SIGNET_VALUE_UNDEFINED);
    cr_assert_eq(signet_node_graph(p, first).id, 0);
    signet_package_destroy(p);
}

Test(edit, nodes_move_and_insert) {
    signet_program f;
    signet_package *p = make(&f);
    signet_graph g = signet_program_graph(p, f);
    signet_node a = signet_graph_first(p, g);
    signet_node b = signet_node_next(p, a);
    signet_node_move(p, b, a);
    cr_assert_eq(signet_graph_first(p, g).id, b.id);
    cr_assert_eq(signet_graph_last(p, g).id, a.id);
    signet_node c = signet_node_insert(p, a, signet_str("torch.ops.aten.relu.default"));
    cr_assert_eq(signet_node_next(p, b).id, c.id);
    cr_assert_eq(signet_node_previous(p, a).id, c.id);
    signet_node_move(p, b, (signet_node){0});
    cr_assert_eq(signet_graph_last(p, g).id, b.id);
    cr_assert_eq(signet_graph_node_count(p, g), 3);
    signet_package_destroy(p);
}

Test(edit, removing_an_output_takes_its_spec) {
    signet_program f;
    signet_package *p = make(&f);
    signet_graph g = signet_program_graph(p, f);
    signet_value add_1 = find(p, f, "add_1");
    signet_program_remove_output(p, f, 0);
    cr_assert_eq(signet_graph_output_count(p, g), 1);
    cr_assert_eq(signet_spec_count(p, f, SIGNET_OUTPUT), 1);
    cr_assert(spec_is(p, f, SIGNET_OUTPUT, 0, "add_1", NULL));
    cr_assert_eq(signet_arg_value(p, signet_graph_output(p, g, 0)).id, add_1.id);
    cr_assert_eq(signet_value_first_use(p, add_1).id, signet_graph_output(p, g, 0).id);
    cr_assert_eq(signet_value_use_count(p, find(p, f, "add")), 1);
    signet_package_destroy(p);
}

Test(edit, lists_and_their_children) {
    signet_program f;
    signet_package *p = make(&f);
    signet_node n =
        signet_node_append(p, signet_program_graph(p, f), signet_str("torch.ops.aten.cat.default"));
    signet_arg in = signet_node_set_inputs(p, n, 2);
    signet_arg child = signet_arg_set_list(p, in, SIGNET_ARG_TENSORS, 2);
    signet_arg_set_value(p, child, SIGNET_ARG_TENSOR, find(p, f, "x"));
    signet_arg_set_named(p, (signet_arg){child.id + 1}, SIGNET_ARG_TENSOR, signet_str("add"));
    signet_arg_set_int(p, (signet_arg){in.id + 1}, SIGNET_ARG_INT, -1);
    cr_assert_eq(signet_arg_child_count(p, in), 2);
    cr_assert_eq(signet_value_use_count(p, find(p, f, "x")), 3);
    cr_assert_eq(signet_arg_node(p, child).id, n.id);
    cr_assert_eq(signet_arg_owner(p, child), SIGNET_OWNER_NODE_INPUT);
    cr_assert_eq(signet_arg_position(p, child), 0);
    signet_arg_set_none(p, in); /* ends the uses inside it */
    cr_assert_eq(signet_value_use_count(p, find(p, f, "x")), 2);
    cr_assert_eq(signet_arg_get_kind(p, in), SIGNET_ARG_NONE);
    signet_package_destroy(p);
}

Test(edit, wrong_use_is_a_status_and_changes_nothing) {
    signet_program f;
    signet_package *p = make(&f);
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    signet_arg in = signet_node_input(p, signet_graph_first(p, signet_program_graph(p, f)), 0);
    signet_arg_set_int(p, in, SIGNET_ARG_TENSOR, 3);
    cr_assert_eq(signet_package_status(p), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_arg_get_kind(p, in), SIGNET_ARG_TENSOR);
    signet_package_destroy(p);
    signet_package_destroy(NULL);
}

Test(edit, clone_is_independent) {
    signet_program f;
    signet_package *p = make(&f);
    signet_package *q = NULL;
    cr_assert_eq(signet_package_clone(&q, p, NULL), SIGNET_OK);
    signet_value_rename(p, find(p, f, "add"), signet_str("sum"));
    signet_node_remove(p, signet_graph_last(p, signet_program_graph(p, f)));
    signet_package_destroy(p);
    cr_assert(spec_is(q, f, SIGNET_OUTPUT, 0, "add", "b"));
    cr_assert_neq(find(q, f, "add").id, 0);
    cr_assert_eq(find(q, f, "sum").id, 0);
    cr_assert_eq(signet_graph_node_count(q, signet_program_graph(q, f)), 2);
    signet_value_rename(q, find(q, f, "add"), signet_str("sum")); /* the copy can be edited */
    cr_assert(spec_is(q, f, SIGNET_OUTPUT, 0, "sum", "b"));
    signet_package_destroy(q);
}

Test(edit, limits_stop_growth) {
    signet_package *p = NULL;
    signet_limits limits = signet_limits_default();
    limits.nodes = 3;
    cr_assert_eq(signet_package_create(&p, NULL, &limits), SIGNET_OK);
    signet_program f = signet_program_add(p, signet_str("f"), SIGNET_ROLE_METHOD);
    for (int i = 0; i < 3; i++) {
        signet_node n = signet_node_append(p, signet_program_graph(p, f), signet_str("a.b.c"));
        cr_assert_neq(n.id, 0);
    }
    signet_node n = signet_node_append(p, signet_program_graph(p, f), signet_str("a.b.c"));
    cr_assert_eq(n.id, 0);
    cr_assert_eq(signet_package_status(p), SIGNET_E_LIMIT);
    signet_package_destroy(p);
}

Test(edit, user_source_is_the_innermost_frame) {
    signet_program f;
    signet_package *p = make(&f);
    signet_node n = signet_graph_first(p, signet_program_graph(p, f));
    signet_node_add_metadata(p, n, signet_str("torch_fn"), signet_str("add;add"));
    signet_node_add_metadata(p, n, signet_str("stack_trace"),
                             signet_str("  File \"outer.py\", line 3, in main\n    run()\n"
                                        "  File \"model.py\", line 43, in forward\n"
                                        "    self.k[:, 2:3] = x\n"));
    signet_user_source s = signet_node_user_source(p, n);
    cr_assert(is(s.file, "model.py"));
    cr_assert_eq(s.line, 43);
    cr_assert(is(s.function, "forward"));
    cr_assert(is(s.code, "self.k[:, 2:3] = x"));
    signet_value none = {0};
    cr_assert_eq(signet_node_user_source(p, signet_value_node(p, none)).line, 0);
    signet_package_destroy(p);
}

static signet_status build_and_edit(const signet_allocator *a, void *user) {
    (void)user;
    signet_package *p = NULL;
    signet_package *q = NULL;
    signet_status rc = signet_package_create(&p, a, NULL);
    if (rc != SIGNET_OK) {
        return rc;
    }
    signet_program f = test_seed(p);
    signet_value_rename(p, find(p, f, "add"), signet_str("sum"));
    signet_node_remove(p, signet_graph_last(p, signet_program_graph(p, f)));
    rc = signet_package_status(p);
    if (rc == SIGNET_OK) {
        rc = signet_package_clone(&q, p, NULL);
    } else if (rc == SIGNET_E_INVALID_ARG) { /* what was not made could not be edited */
        rc = SIGNET_E_NOMEM;
    }
    signet_package_destroy(q);
    signet_package_destroy(p);
    return rc;
}

Test(edit, survives_every_failed_allocation) {
    cr_assert_gt(test_each_failure(build_and_edit, NULL), 20);
}

/* ---- Single arguments, and inputs and outputs with their specs ------------------------------- */

static signet_spec user(signet_side side, int kind, const char *name) {
    signet_spec s = SIGNET_SPEC_INIT;
    s.side = side;
    s.kind = kind;
    s.name = signet_str(name);
    s.arg_kind = SIGNET_ARG_TENSOR;
    return s;
}

Test(edit, arguments_are_inserted_and_removed) {
    signet_program f;
    signet_package *p = make(&f);
    signet_node n = signet_graph_first(p, signet_program_graph(p, f)); /* add(b_b, x) */
    signet_arg middle = signet_node_insert_input(p, n, 1);
    signet_arg_set_named(p, middle, SIGNET_ARG_TENSOR, signet_str("x"));
    cr_assert_eq(signet_node_input_count(p, n), 3);
    cr_assert_eq(signet_arg_value(p, signet_node_input(p, n, 0)).id, find(p, f, "b_b").id);
    cr_assert_eq(signet_arg_value(p, signet_node_input(p, n, 2)).id, find(p, f, "x").id);
    cr_assert_eq(signet_value_use_count(p, find(p, f, "x")), 3);
    signet_node_remove_input(p, n, 0);
    cr_assert_eq(signet_node_input_count(p, n), 2);
    cr_assert_eq(signet_value_use_count(p, find(p, f, "b_b")), 0);
    uint32_t seen = 0;
    for (signet_arg u = signet_value_first_use(p, find(p, f, "x")); u.id != 0;
         u = signet_use_next(p, u)) {
        cr_assert_eq(signet_arg_value(p, u).id, find(p, f, "x").id);
        seen++;
    }
    cr_assert_eq(seen, 3);
    signet_arg result = signet_node_insert_output(p, n, 0);
    signet_arg_set_named(p, result, SIGNET_ARG_TENSOR, signet_str("first"));
    cr_assert_eq(signet_value_position(p, find(p, f, "add")), 1);
    signet_node_remove_output(p, n, 0);
    cr_assert_eq(signet_value_position(p, find(p, f, "add")), 0);
    cr_assert_eq(find(p, f, "first").id, 0);
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    signet_node_insert_input(p, n, 9);
    cr_assert_eq(signet_package_status(p), SIGNET_E_INVALID_ARG);
    signet_package_destroy(p);
}

Test(edit, inputs_and_outputs_come_and_go_with_their_specs) {
    signet_program f;
    signet_package *p = make(&f);
    signet_graph g = signet_program_graph(p, f);
    signet_spec in = user(SIGNET_INPUT, SIGNET_INPUT_KIND_USER_INPUT, "y");
    signet_arg_set_named(p, signet_program_insert(p, f, 1, &in), SIGNET_ARG_TENSOR,
                         signet_str("y"));
    cr_assert(spec_is(p, f, SIGNET_INPUT, 0, "b_b", "b"));
    cr_assert(spec_is(p, f, SIGNET_INPUT, 1, "y", NULL));
    cr_assert(spec_is(p, f, SIGNET_INPUT, 2, "x", NULL));
    cr_assert_eq(signet_value_position(p, find(p, f, "x")), 2);
    signet_spec out = user(SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_USER_OUTPUT, "y");
    signet_arg_set_named(p, signet_program_insert(p, f, 2, &out), SIGNET_ARG_TENSOR,
                         signet_str("y"));
    cr_assert_eq(signet_graph_output_count(p, g), 3);
    cr_assert(spec_is(p, f, SIGNET_OUTPUT, 2, "y", NULL));
    signet_program_remove_output(p, f, 2);
    signet_program_remove_input(p, f, 1);
    cr_assert_eq(find(p, f, "y").id, 0);
    cr_assert_eq(signet_graph_input_count(p, g), 2);
    cr_assert_eq(signet_spec_count(p, f, SIGNET_INPUT), 2);
    signet_program_remove_input(p, f, 0); /* still used: undefined from now on */
    cr_assert_eq(signet_value_get_kind(p, find(p, f, "b_b")), SIGNET_VALUE_UNDEFINED);
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    signet_package_destroy(p);
}

Test(edit, loose_graphs_go_with_what_they_hold) {
    signet_program f;
    signet_package *p = make(&f);
    signet_node n =
        test_call(p, signet_program_graph(p, f), "torch.ops.higher_order.cond", "y", "x", "x");
    signet_graph outer = signet_graph_add(p, f, signet_str("outer"));
    signet_graph inner = signet_graph_add(p, f, signet_str("inner"));
    signet_arg_set_graph(p, signet_node_insert_input(p, n, 0), outer);
    signet_node held = signet_node_append(p, outer, signet_str("torch.ops.higher_order.cond"));
    signet_arg_set_graph(p, signet_node_set_inputs(p, held, 1), inner);
    signet_program_remove_loose_graphs(p, f); /* none is loose */
    cr_assert_eq(signet_graph_program(p, inner).id, f.id);
    signet_node_remove(p, n);
    signet_program_remove_loose_graphs(p, f);
    cr_assert_eq(signet_graph_program(p, outer).id, 0);
    cr_assert_eq(signet_graph_program(p, inner).id, 0);
    cr_assert_eq(signet_graph_program(p, signet_program_graph(p, f)).id, f.id);
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    signet_package_destroy(p);
}

Test(edit, one_name_in_several_graphs) {
    signet_program f;
    signet_package *p = make(&f);
    signet_graph other = signet_graph_add(p, f, signet_str("other"));
    signet_graph third = signet_graph_add(p, f, signet_str("third"));
    test_call(p, other, "torch.ops.aten.mul.Tensor", "y", "x", "x"); /* its x is undefined */
    test_call(p, third, "torch.ops.aten.mul.Tensor", "y", "x", "x");
    signet_value x = find(p, f, "x");
    signet_value ox = signet_graph_find(p, other, signet_str("x"));
    signet_value tx = signet_graph_find(p, third, signet_str("x"));
    cr_assert(x.id != ox.id && ox.id != tx.id && x.id != tx.id && ox.id != 0 && tx.id != 0);
    signet_value_rename(p, x, signet_str("z")); /* the first of the three goes */
    cr_assert_eq(find(p, f, "x").id, 0);
    cr_assert_eq(signet_graph_find(p, other, signet_str("x")).id, ox.id);
    cr_assert_eq(signet_graph_find(p, third, signet_str("x")).id, tx.id);
    signet_value_rename(p, x, signet_str("x")); /* and comes back */
    signet_value_rename(p, ox, signet_str("w"));
    cr_assert_eq(find(p, f, "x").id, x.id);
    cr_assert_eq(signet_graph_find(p, other, signet_str("x")).id, 0);
    cr_assert_eq(signet_graph_find(p, third, signet_str("x")).id, tx.id);
    cr_assert_eq(signet_graph_find(p, other, signet_str("w")).id, ox.id);
    signet_package_destroy(p);
}
