/* SPDX-License-Identifier: Apache-2.0 */
#include "signet/signet.h"

#include <criterion/criterion.h>
#include <string.h>

/* ---- Support --------------------------------------------------------------------------------- */

enum { MOST = 16 };

struct rows {
    signet_state_row row[MOST];
    size_t count, stop_at;
};

static bool take(void *user, const signet_state_row *row) {
    struct rows *rows = user;
    cr_assert_lt(rows->count, MOST);
    cr_expect_eq(row->size, sizeof(*row));
    rows->row[rows->count++] = *row;
    return rows->count != rows->stop_at;
}

static signet_package *read_text(const char *text) {
    signet_package *p = NULL;
    cr_assert_eq(signet_read_memory(&p, text, strlen(text), "test.sgt", NULL, NULL), SIGNET_OK);
    return p;
}

static struct rows report(const signet_package *p) {
    struct rows rows = {.count = 0};
    cr_assert_eq(signet_state_report(p, take, &rows), SIGNET_OK);
    return rows;
}

static bool is(signet_string s, const char *text) {
    return s.length == strlen(text) && memcmp(s.data, text, s.length) == 0;
}

/* ---- One program ----------------------------------------------------------------------------- */

static const char cache[] = "package\n"
                            "program @forward stage=edge {\n"
                            "  input %p_w : f32[2] = parameter \"w\"\n"
                            "  input %b_k : f32[2] = buffer \"k\" persistent\n"
                            "  input %c : f32[2] = constant_tensor \"c\"\n"
                            "  input %x : f32[2] = user\n"
                            "  input %y : f32[2] = user\n"
                            "  %mul : f32[2] = call @aten.mul.Tensor(%b_k, %b_k)\n"
                            "  %sub : f32[2] = call @aten.sub.Tensor(%b_k, %mul)\n"
                            "  %add : f32[2] = call @aten.add.Tensor(%b_k, %x)\n"
                            "  %div : f32[2] = call @aten.div.Tensor(%b_k, %p_w)\n"
                            "  output %add = buffer_mutation \"k\"\n"
                            "  output %y = user_input_mutation \"x\"\n"
                            "  output %div = user\n"
                            "  state \"w\" : f32[2] parameter\n"
                            "  constant \"c\" : f32[2]\n"
                            "}\n";

Test(state_report, one_program) {
    signet_package *p = read_text(cache);
    struct rows rows = report(p);
    cr_assert_eq(rows.count, 4);
    cr_expect(is(rows.row[0].target, "w"));
    cr_expect_eq(rows.row[0].kind, SIGNET_INPUT_KIND_PARAMETER);
    cr_expect(rows.row[0].has_initial_value);
    cr_expect_not(rows.row[0].mutated);
    cr_expect_eq(rows.row[0].readers_before, 1);
    cr_expect_eq(rows.row[0].readers_after, 0);
    cr_expect(is(rows.row[2].target, "c"));
    cr_expect(rows.row[2].has_initial_value);
    signet_package_destroy(p);
}

/* The writer is no reader, and a node that takes the value twice is one. */
Test(state_report, readers_around_the_writer) {
    signet_package *p = read_text(cache);
    struct rows rows = report(p);
    const signet_state_row *k = &rows.row[1];
    cr_assert_eq(rows.count, 4);
    cr_expect(is(k->target, "k"));
    cr_expect(k->mutated);
    cr_expect_eq(k->input, 1);
    cr_expect_eq(k->writer_output, 0);
    cr_expect(is(signet_node_display_name(p, k->writer), "add"));
    cr_expect_eq(k->readers_before, 2);
    cr_expect_eq(k->readers_after, 1);
    cr_expect_not(k->has_initial_value, "the state dict has no 'k'");
    cr_expect_not(k->shared);
    cr_expect_eq(k->delegate.id, 0);
    cr_expect_eq(k->owner.id, k->method.id);
    cr_expect_neq(k->type.id, 0);
    signet_package_destroy(p);
}

Test(state_report, user_input_is_state_when_it_is_written) {
    signet_package *p = read_text(cache);
    struct rows rows = report(p);
    const signet_state_row *x = &rows.row[3];
    cr_assert_eq(rows.count, 4);
    cr_expect(is(x->target, "x"));
    cr_expect_eq(x->kind, SIGNET_INPUT_KIND_USER_INPUT);
    cr_expect(x->mutated);
    cr_expect_eq(x->writer_output, 1);
    cr_expect_eq(x->writer.id, 0, "another input is what is written");
    cr_expect_not(x->has_initial_value);
    signet_package_destroy(p);
}

/* ---- Delegates and methods ------------------------------------------------------------------- */

static const char methods[] =
    "package\n"
    "delegate @m0 body @outer\n"
    "delegate @m1 body @inner\n"
    "program @put stage=lowered {\n"
    "  input %x : f32[2] = user\n"
    "  %y : f32[2] = call @higher_order.executorch_call_delegate(delegate @m0, %x)\n"
    "  output %y = user\n"
    "}\n"
    "program @outer body stage=lowered {\n"
    "  input %x : f32[2] = user\n"
    "  %y : f32[2] = call @higher_order.executorch_call_delegate(delegate @m1, %x)\n"
    "  output %y = user\n"
    "}\n"
    "program @inner body stage=edge {\n"
    "  input %b : f32[2] = buffer \"cell\" persistent\n"
    "  input %x : f32[2] = user\n"
    "  %add : f32[2] = call @aten.add.Tensor(%b, %x)\n"
    "  output %add = buffer_mutation \"cell\"\n"
    "  output %add = user\n"
    "}\n"
    "program @get stage=edge {\n"
    "  input %b : f32[2] = buffer \"cell\" persistent\n"
    "  input %c : f32[2] = buffer \"other\" persistent\n"
    "  %add : f32[2] = call @aten.add.Tensor(%b, %c)\n"
    "  output %add = user\n"
    "}\n";

Test(state_report, body_of_a_body_belongs_to_the_method) {
    signet_package *p = read_text(methods);
    struct rows rows = report(p);
    cr_assert_eq(rows.count, 3);
    cr_expect(is(signet_program_name(p, rows.row[0].method), "put"));
    cr_expect(is(signet_program_name(p, rows.row[0].owner), "inner"));
    cr_expect(is(signet_delegate_name(p, rows.row[0].delegate), "m1"));
    cr_expect(rows.row[0].shared);
    cr_expect(is(signet_program_name(p, rows.row[1].method), "get"));
    cr_expect(rows.row[1].shared);
    cr_expect_not(rows.row[1].mutated);
    cr_expect_not(rows.row[2].shared, "'other' is of one method alone");
    signet_package_destroy(p);
}

/* Bodies that call each other end somewhere. */
Test(state_report, circle_of_bodies) {
    signet_package *p = read_text("package\n"
                                  "delegate @m0 body @a\n"
                                  "delegate @m1 body @b\n"
                                  "program @a body {\n"
                                  "  input %b : f32[2] = buffer \"s\" persistent\n"
                                  "  call @higher_order.executorch_call_delegate(delegate @m1)\n"
                                  "  output %b = user\n"
                                  "}\n"
                                  "program @b body {\n"
                                  "  input %b : f32[2] = buffer \"s\" persistent\n"
                                  "  call @higher_order.executorch_call_delegate(delegate @m0)\n"
                                  "  output %b = user\n"
                                  "}\n");
    struct rows rows = report(p);
    cr_assert_eq(rows.count, 2);
    cr_expect_eq(rows.row[0].method.id, rows.row[1].method.id);
    cr_expect_not(rows.row[0].shared);
    signet_package_destroy(p);
}

/* ---- Use --------------------------------------------------------------------------------------
 */

Test(state_report, stops_when_told) {
    signet_package *p = read_text(cache);
    struct rows rows = {.count = 0, .stop_at = 2};
    cr_expect_eq(signet_state_report(p, take, &rows), SIGNET_E_STOPPED);
    cr_expect_eq(rows.count, 2);
    cr_expect_eq(signet_state_report(NULL, take, &rows), SIGNET_E_INVALID_ARG);
    cr_expect_eq(signet_state_report(p, NULL, &rows), SIGNET_E_INVALID_ARG);
    signet_package_destroy(p);
}

Test(state_report, empty_package) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    cr_expect_eq(report(p).count, 0);
    signet_package_destroy(p);
}
