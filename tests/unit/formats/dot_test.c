/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/allocator.h"
#include "write_case.h"

static signet_status draw(const signet_package *p, struct sg_text *out) {
    signet_writer writer = case_writer(out);
    return signet_write_dot(p, (signet_program){0}, &writer);
}

static void has(const struct sg_text *t, const char *part) {
    cr_expect(strstr(t->data, part) != NULL, "no %s in\n%s", part, t->data);
}

/* Names are the file's own words; none may leave its quotes. */
Test(dot, names_are_escaped) {
    signet_package *p = NULL;
    struct sg_text out;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program program = signet_program_add(p, signet_str("a\"b\\n&lt;"), SIGNET_ROLE_METHOD);
    signet_graph graph = signet_program_graph(p, program);
    signet_node node = signet_node_append(p, graph, signet_str("aten.\"];x [label=\"\n.q\x01\xff"));
    signet_arg_set_named(p, signet_node_set_outputs(p, node, 1), SIGNET_ARG_TENSOR,
                         signet_str("ends\""));
    cr_assert_eq(draw(p, &out), SIGNET_OK);
    has(&out, "label=\"program a\\\"b\\\\n&amp;lt;\";");
    has(&out, "label=\"ends\\\"\\naten.\\\"];x [label=\\\"\\\\n.q\\\\x01\\\\xff\"");
    sg_text_free(&out);
    signet_package_destroy(p);
}

Test(dot, mutations_lead_back) {
    static const char text[] = "package\nprogram @forward {\n"
                               "  input %b : f32[3] = buffer \"b\" persistent\n"
                               "  input %x : f32[3] = user\n"
                               "  %add : f32[3] = call @aten.add.Tensor(%b, %x)\n"
                               "  %mul : f32[3] = call @aten.mul.Tensor(%add, %add)\n"
                               "  output %add = buffer_mutation \"b\"\n"
                               "  output %mul = user_input_mutation \"x\"\n"
                               "  output %gone = buffer_mutation \"c\"\n"
                               "}\n";
    struct sg_text in = {.data = (char *)(uintptr_t)text, .length = sizeof(text) - 1}, out;
    signet_package *p = case_read(&in, "test.sgt");
    cr_assert_eq(draw(p, &out), SIGNET_OK);
    has(&out, "\nn1 -> g1_i0 [label=\" output 0 updates\", color=\"#d62728\"");
    has(&out, "\nn2 -> g1_i1 [label=\" output 1 updates\", color=\"#d62728\"");
    has(&out, "no buffer\\nc\"");
    has(&out, "gone\\nundefined\"");
    char *edge = strstr(out.data, "\nn1 -> n2;");
    cr_assert_not_null(edge);
    cr_expect_null(strstr(edge + 1, "\nn1 -> n2;"), "one edge, though it is used twice");
    sg_text_free(&out);
    signet_package_destroy(p);
}

/* Graphs inside one another, as deep as you like, and graphs that hold themselves. */
Test(dot, deep_and_circular_graphs) {
    enum { DEPTH = 20000 };
    signet_package *p = NULL;
    struct sg_text out;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program program = signet_program_add(p, signet_str("forward"), SIGNET_ROLE_METHOD);
    signet_graph top = signet_program_graph(p, program), graph = top;
    for (int i = 0; i < DEPTH; i++) {
        signet_graph inner = signet_graph_add(p, program, signet_str("g"));
        signet_node node = signet_node_append(p, graph, signet_str("torch.ops.higher_order.cond"));
        signet_arg_set_graph(p, signet_node_set_inputs(p, node, 1), i + 1 < DEPTH ? inner : top);
        graph = inner;
    }
    cr_assert_eq(draw(p, &out), SIGNET_OK);
    int depth = 0, deepest = 0;
    for (const char *at = out.data; (at = strpbrk(at, "{}")) != NULL; at++) {
        depth += *at == '{' ? 1 : -1;
        deepest = depth > deepest ? depth : deepest;
    }
    cr_expect_eq(depth, 0);
    cr_expect_eq(deepest, DEPTH + 1);
    sg_text_free(&out);
    signet_package_destroy(p);
}

static bool refuse(void *user, const char *text, size_t length) {
    (void)text;
    *(size_t *)user += length;
    return false;
}

Test(dot, failures) {
    struct sg_text in;
    case_load(&in, "tests/data/sgt/everything.sgt");
    signet_package *p = case_read(&in, "everything.sgt");
    size_t pieces = 0;
    signet_writer stop = {refuse, &pieces};
    cr_expect_eq(signet_write_dot(p, (signet_program){0}, &stop), SIGNET_E_STOPPED);
    cr_expect_gt(pieces, 0);
    cr_expect_eq(signet_write_dot(p, (signet_program){99}, &stop), SIGNET_E_INVALID_ARG);
    cr_expect_eq(signet_write_dot(NULL, (signet_program){0}, &stop), SIGNET_E_INVALID_ARG);
    cr_expect_eq(signet_write_dot(p, (signet_program){0}, NULL), SIGNET_E_INVALID_ARG);
    signet_package_destroy(p);
    sg_text_free(&in);
}

static bool swallow(void *user, const char *text, size_t length) {
    (void)user;
    (void)text;
    return length > 0;
}

static signet_status clone_and_draw(const signet_allocator *a, void *user) {
    signet_writer writer = {swallow, NULL};
    signet_package *copy = NULL;
    signet_status status = signet_package_clone(&copy, user, a);
    if (status == SIGNET_OK) {
        status = signet_write_dot(copy, (signet_program){0}, &writer);
    }
    signet_package_destroy(copy);
    return status;
}

Test(dot, survives_every_failure_of_memory) {
    struct sg_text in;
    case_load(&in, "tests/data/sgt/everything.sgt");
    signet_package *p = case_read(&in, "everything.sgt");
    cr_expect_gt(test_each_failure(clone_and_draw, p), 10);
    signet_package_destroy(p);
    sg_text_free(&in);
}
