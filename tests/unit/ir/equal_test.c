/* SPDX-License-Identifier: Apache-2.0 */
/* Hash and equality, on programs in the exact text. */
#include "signet/signet.h"
#include "tests/support/allocator.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void complain(void *user, const signet_diag *d) {
    (void)user;
    cr_log_error("%s, line %u: %s", d->code_name, d->location.line, d->message);
}

static signet_package *read_text(const char *text) {
    signet_sink sink = {complain, NULL};
    signet_package *p = NULL;
    signet_status rc = signet_read_memory(&p, text, strlen(text), "test.sgt", NULL, &sink);
    cr_assert_eq(rc, SIGNET_OK, "%s", text);
    return p;
}

/* A program of that name's body. */
static signet_package *program(const char *body) {
    char text[4096];
    int length = snprintf(text, sizeof(text), "package\nprogram @forward {\n%s\n}\n", body);
    cr_assert(length > 0 && (size_t)length < sizeof(text));
    return read_text(text);
}

static bool equal(const signet_package *a, const signet_package *b, signet_equal_mode mode,
                  char what[256]) {
    bool same = false;
    signet_difference d = SIGNET_DIFFERENCE_INIT;
    cr_assert_eq(signet_package_equal(a, b, mode, &same, &d), SIGNET_OK);
    cr_expect_eq(same, d.what[0] == '\0', "a difference is said when there is one: %s", d.what);
    bool back = !same;
    cr_assert_eq(signet_package_equal(b, a, mode, &back, NULL), SIGNET_OK);
    cr_expect_eq(same, back, "the same from the other side: %s", d.what);
    memcpy(what, d.what, sizeof(d.what));
    return same;
}

static bool same_hash(const signet_package *a, const signet_package *b, signet_hash_mode mode) {
    signet_hash x, y;
    cr_assert_eq(signet_package_hash(a, mode, &x), SIGNET_OK);
    cr_assert_eq(signet_package_hash(b, mode, &y), SIGNET_OK);
    return memcmp(&x, &y, sizeof(x)) == 0;
}

/* Hash and walk must agree; what (may be null) is part of the difference. */
static void expect_structure(signet_package *a, signet_package *b, bool same, const char *what) {
    char said[256];
    cr_expect_eq(equal(a, b, SIGNET_EQUAL_STRUCTURAL, said), same, "%s", said);
    cr_expect_eq(same_hash(a, b, SIGNET_HASH_STRUCTURAL), same);
    if (what != NULL) {
        cr_expect_not_null(strstr(said, what), "said: %s", said);
    }
    bool exact = equal(a, b, SIGNET_EQUAL_EXACT, said);
    cr_expect_eq(same_hash(a, b, SIGNET_HASH_EXACT), exact, "%s", said);
    cr_expect(same || !exact, "the same in everything, but not in structure");
    signet_package_destroy(a);
    signet_package_destroy(b);
}

static void same(const char *a, const char *b) {
    expect_structure(program(a), program(b), true, NULL);
}
static void differs(const char *a, const char *b, const char *what) {
    expect_structure(program(a), program(b), false, what);
}

#define INPUTS                                                                                     \
    "input %k : f32[3] = buffer \"k\" persistent\n"                                                \
    "input %w : f32[3] = parameter \"w\"\n"                                                        \
    "input %x : f32[3] = user\n"                                                                   \
    "input %y : f32[3] = user\n"

/* ---- What does not count -------------------------------------------------------------------- */

static const char base[] = INPUTS "%a : f32[3] = call @aten.add.Tensor(self: %k, other: %x)\n"
                                  "%b : f32[3] = call @aten.mul.Tensor(self: %y, other: 2)\n"
                                  "%c : f32[3] = call @aten.sub.Tensor(self: %a, other: %b)\n"
                                  "output %a = buffer_mutation \"k\"\n"
                                  "output %c = user\n"
                                  "output %b = user\n";

Test(equal, names_do_not_count) {
    same(base, "input %b_k : f32[3] = buffer \"k\" persistent\n"
               "input %p_w : f32[3] = parameter \"w\"\n"
               "input %first : f32[3] = user\n"
               "input %second : f32[3] = user\n"
               "%add : f32[3] = call @aten.add.Tensor(self: %b_k, other: %first) name other\n"
               "%mul : f32[3] = call @aten.mul.Tensor(self: %second, other: 2)\n"
               "  meta stack_trace \"File \\\"m.py\\\", line 3, in forward\"\n"
               "%sub : f32[3] = call @aten.sub.Tensor(self: %add, other: %mul)\n"
               "output %add = buffer_mutation \"k\"\n"
               "output %sub = user\n"
               "output %mul = user\n");
}

Test(equal, the_order_of_independent_nodes_does_not_count) {
    same(base, INPUTS "%b : f32[3] = call @aten.mul.Tensor(self: %y, other: 2)\n"
                      "%a : f32[3] = call @aten.add.Tensor(self: %k, other: %x)\n"
                      "%c : f32[3] = call @aten.sub.Tensor(self: %a, other: %b)\n"
                      "output %a = buffer_mutation \"k\"\n"
                      "output %c = user\n"
                      "output %b = user\n");
}

Test(equal, dead_pure_nodes_do_not_count) {
    same(base, INPUTS "%a : f32[3] = call @aten.add.Tensor(self: %k, other: %x)\n"
                      "%copy : f32[3] = call @aten.add.Tensor(self: %k, other: %x)\n"
                      "%b : f32[3] = call @aten.mul.Tensor(self: %y, other: 2)\n"
                      "%c : f32[3] = call @aten.sub.Tensor(self: %a, other: %b)\n"
                      "%dead : f32[9] = call @aten.cat.default([%c, %b, %a])\n"
                      "output %a = buffer_mutation \"k\"\n"
                      "output %c = user\n"
                      "output %b = user\n");
}

Test(equal, how_an_argument_was_passed_does_not_count) {
    same(base, INPUTS "%a : f32[3] = call @aten.add.Tensor(self: %k, other=%x)\n"
                      "%b : f32[3] = call @aten.mul.Tensor(self~ %y, other~ 2)\n"
                      "%c : f32[3] = call @aten.sub.Tensor(self=%a, other=%b)\n"
                      "output %a = buffer_mutation \"k\"\n"
                      "output %c = user\n"
                      "output %b = user\n");
}

Test(equal, the_order_of_lifted_inputs_and_of_mutations_does_not_count) {
    same("input %a : f32[1] = buffer \"a\" persistent\n"
         "input %b : f32[1] = buffer \"b\" persistent\n"
         "input %x : f32[1] = user\n"
         "%s : f32[1] = call @aten.add.Tensor(%a, %x)\n"
         "%t : f32[1] = call @aten.mul.Tensor(%b, %x)\n"
         "output %s = buffer_mutation \"a\"\n"
         "output %t = buffer_mutation \"b\"\n"
         "output %s = user\n",
         "input %b : f32[1] = buffer \"b\" persistent\n"
         "input %x : f32[1] = user\n"
         "input %a : f32[1] = buffer \"a\" persistent\n"
         "%s : f32[1] = call @aten.add.Tensor(%a, %x)\n"
         "%t : f32[1] = call @aten.mul.Tensor(%b, %x)\n"
         "output %t = buffer_mutation \"b\"\n"
         "output %s = user\n"
         "output %s = buffer_mutation \"a\"\n");
}

Test(equal, the_spelling_of_sizes_and_their_hints_do_not_count) {
    same("range s0 : 2..9\n"
         "input %x : f32[s0~4,s0 - 1] = user\n"
         "output %x = user\n",
         "range s0 : 2..9\n"
         "input %x : f32[s0,\"Add(Symbol('s0', positive=True, integer=True), Integer(-1))\"] = "
         "user\n"
         "output %x = user\n");
}

Test(equal, the_name_of_a_user_input_does_not_count_where_it_is_a_target) {
    same("input %x : f32[1] = user\n"
         "input %y : f32[1] = user\n"
         "%z : f32[1] = call @aten.neg.default(%y)\n"
         "output %z = user_input_mutation \"y\"\n",
         "input %a : f32[1] = user\n"
         "input %b : f32[1] = user\n"
         "%z : f32[1] = call @aten.neg.default(%b)\n"
         "output %z = user_input_mutation \"b\"\n");
    differs("input %x : f32[1] = user\n"
            "input %y : f32[1] = user\n"
            "%z : f32[1] = call @aten.neg.default(%y)\n"
            "output %z = user_input_mutation \"y\"\n",
            "input %x : f32[1] = user\n"
            "input %y : f32[1] = user\n"
            "%z : f32[1] = call @aten.neg.default(%y)\n"
            "output %z = user_input_mutation \"x\"\n",
            "USER_INPUT_MUTATION");
}

/* ---- What counts ---------------------------------------------------------------------------- */

/* base with one line replaced */
static void edit_differs(const char *from, const char *to, const char *what) {
    char text[2048];
    const char *at = strstr(base, from);
    cr_assert_not_null(at, "%s", from);
    int length =
        snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - base), base, to, at + strlen(from));
    cr_assert(length > 0 && (size_t)length < sizeof(text));
    differs(base, text, what);
}

Test(equal, each_of_these_counts) {
    edit_differs("aten.sub.Tensor", "aten.add.Tensor", "node 'c' calls");
    edit_differs("aten.mul.Tensor", "aten.mul.Scalar", "node 'b' calls");
    edit_differs("other: 2", "other: 3", "argument 1 'other' of node 'b' is the integer 2");
    edit_differs("other: 2", "other: 2.0", "the float 2.0");
    edit_differs("other: 2", "alpha: 2", "argument 1");
    edit_differs("other: 2", "other: 2, alpha=1", "2 arguments on the first side, 3 on the second");
    edit_differs("self: %a, other: %b", "self: %b, other: %a", "calls");
    edit_differs("self: %y", "self: %x", "input 3 on the first side, input 2 on the second");
    edit_differs("%b : f32[3] =", "%b : f32[4] =", "the sizes of result 0 of node 'b' differs");
    edit_differs("%b : f32[3] =", "%b : f16[3] =", "the dtype of result 0 of node 'b' differs");
    edit_differs("%b : f32[3] =", "%b : f32[3] cuda:0 =", "the device of result 0");
    edit_differs("%b : f32[3] =", "%b : f32[3] strides [2] =", "the strides of result 0");
    edit_differs("%b : f32[3] =", "%b : f32[3], %b1 : f32[3] =", "1 results on the first side");
    edit_differs("buffer \"k\" persistent", "buffer \"k\" non_persistent",
                 "the persistent flag of 'k'");
    edit_differs("parameter \"w\"", "parameter \"v\"", "PARAMETER '");
    edit_differs("input %w : f32[3] = parameter \"w\"\n", "", "PARAMETER 'w' is only on the first");
    edit_differs("input %x : f32[3]", "input %x : f32[3,1]", "input 2");
    edit_differs("buffer_mutation \"k\"", "buffer_mutation \"x\"", "BUFFER_MUTATION");
    edit_differs("output %a = buffer_mutation", "output %b = buffer_mutation", "calls");
    edit_differs("output %c = user\noutput %b = user", "output %b = user\noutput %c = user",
                 "calls");
    edit_differs("output %b = user\n", "output %b = user\noutput 5 = user\n", "USER_OUTPUT 2");
    edit_differs("output %b = user\n", "output %b = loss\n", "_OUTPUT 1");
}

Test(equal, literals_of_every_kind_count) {
    static const char *const literals[] = {
        "1",
        "2",
        "1.0",
        "nan",
        "true",
        "false",
        "none",
        "\"a\"",
        "\"b\"",
        "f32",
        "i64",
        "strided",
        "channels_last",
        "cpu",
        "device cuda:0",
        "device cuda:1",
        "[]",
        "tensors []",
        "[1]",
        "[1, 2]",
        "[[1], [2]]",
        "[%x]",
        "[%x, none]",
        "%x",
        "sym_int 1",
        "complex [0.0, 1.0]",
        "{a=1}",
        "{b=1}",
        "@aten.add.Tensor",
        "-0.0",
        "0.0",
        "[1.0]",
        "string ?",
        "\"\"",
    };
    for (size_t i = 0; i < COUNT(literals); i++) {
        for (size_t k = 0; k <= i; k++) {
            char one[256], other[256];
            static const char form[] = "input %%x : f32[1] = user\n"
                                       "%%r : f32[1] = call @my.op.default(%s)\n"
                                       "output %%r = user\n";
            snprintf(one, sizeof(one), form, literals[i]);
            snprintf(other, sizeof(other), form, literals[k]);
            if (i == k) {
                same(one, other);
            } else {
                char said[256];
                signet_package *a = program(one);
                signet_package *b = program(other);
                cr_expect_not(equal(a, b, SIGNET_EQUAL_STRUCTURAL, said), "%s and %s", literals[i],
                              literals[k]);
                signet_package_destroy(a);
                signet_package_destroy(b);
                differs(one, other, "argument 0 of node 'r'");
            }
        }
    }
}

Test(equal, ranges_count) {
    differs("range s0 : 2..9\ninput %x : f32[s0] = user\noutput %x = user\n",
            "range s0 : 2..8\ninput %x : f32[s0] = user\noutput %x = user\n",
            "the range of 's0' differs");
    same("range s0 : 2..9\nrange s1 : 2..\noutput 1 = user\n",
         "range s1 : 2..\nrange s0 : 2..9\noutput 1 = user\n");
}

Test(equal, two_mutations_of_one_target_keep_their_order) {
    differs(INPUTS "output %x = buffer_mutation \"k\"\noutput %y = buffer_mutation \"k\"\n",
            INPUTS "output %y = buffer_mutation \"k\"\noutput %x = buffer_mutation \"k\"\n",
            "output 0");
}

/* ---- Effects -------------------------------------------------------------------------------- */

Test(equal, random_numbers_are_drawn_in_order) {
    static const char *const first = INPUTS "%a : f32[3] = call @aten.rand_like.default(%x)\n"
                                            "%b : f32[3] = call @aten.rand_like.default(%x)\n"
                                            "output %a = user\noutput %b = user\n";
    static const char *const second = INPUTS "%b : f32[3] = call @aten.rand_like.default(%x)\n"
                                             "%a : f32[3] = call @aten.rand_like.default(%x)\n"
                                             "output %a = user\noutput %b = user\n";
    differs(first, second, "effect");
    /* Neither can one stand for both, nor be left out although nothing reads it. */
    differs(first,
            INPUTS "%a : f32[3] = call @aten.rand_like.default(%x)\n"
                   "%b : f32[3] = call @aten.rand_like.default(%x)\n"
                   "output %a = user\n"
                   "output %a = user\n",
            NULL);
    differs(INPUTS "%a : f32[3] = call @aten.rand_like.default(%x)\noutput %x = user\n",
            INPUTS "output %x = user\n", "node 'a' has an effect that is only on the first side");
    differs(INPUTS "%a : f32[3] = call @my.attention.default(%x, dropout_p=0.5)\n"
                   "output %x = user\n",
            INPUTS "output %x = user\n", "effect");
    same(INPUTS "%a : f32[3] = call @my.attention.default(%x, dropout_p=0.0)\noutput %x = user\n",
         INPUTS "output %x = user\n");
}

Test(equal, checks_count) {
    differs("input %x : f32[3] = user\n"
            "call @aten._assert_async.msg(%x, \"first\")\n"
            "call @aten._assert_async.msg(%x, \"second\")\n"
            "output %x = user\n",
            "input %x : f32[3] = user\n"
            "call @aten._assert_async.msg(%x, \"second\")\n"
            "call @aten._assert_async.msg(%x, \"first\")\n"
            "output %x = user\n",
            NULL);
    differs("input %x : f32[3] = user\n"
            "call @aten._assert_async.msg(%x, \"first\")\n"
            "output %x = user\n",
            "input %x : f32[3] = user\n"
            "output %x = user\n",
            "effect");
}

Test(equal, reads_stay_on_their_side_of_a_write) {
    static const char before[] = INPUTS "%r : f32[3] = call @aten.add.Tensor(%k, 1)\n"
                                        "%w_ : f32[3] = call @aten.add_.Tensor(%k, %x)\n"
                                        "output %r = user\n";
    static const char after[] = INPUTS "%w_ : f32[3] = call @aten.add_.Tensor(%k, %x)\n"
                                       "%r : f32[3] = call @aten.add.Tensor(%k, 1)\n"
                                       "output %r = user\n";
    differs(before, after, "node 'r' comes after the effect of");
    /* Through a view as well. */
    differs(INPUTS "%v : f32[1] = call @aten.slice.Tensor(%k, 0, 0, 1)\n"
                   "%r : f32[3] = call @aten.add.Tensor(%k, 1)\n"
                   "%w_ : f32[1] = call @aten.copy_.default(%v, %x)\n"
                   "output %r = user\n",
            INPUTS "%v : f32[1] = call @aten.slice.Tensor(%k, 0, 0, 1)\n"
                   "%w_ : f32[1] = call @aten.copy_.default(%v, %x)\n"
                   "%r : f32[3] = call @aten.add.Tensor(%k, 1)\n"
                   "output %r = user\n",
            "node 'r' comes after the effect of");
    /* What the write cannot touch may move. */
    same(INPUTS "%r : f32[3] = call @aten.add.Tensor(%y, 1)\n"
                "%w_ : f32[3] = call @aten.add_.Tensor(%k, %x)\n"
                "output %r = user\n",
         INPUTS "%w_ : f32[3] = call @aten.add_.Tensor(%k, %x)\n"
                "%r : f32[3] = call @aten.add.Tensor(%y, 1)\n"
                "output %r = user\n");
    same(INPUTS "%a : f32[3] = call @aten.add_.Tensor(%k, %x)\n"
                "%b : f32[3] = call @aten.mul_.Tensor(%w, %y)\n",
         INPUTS "%b : f32[3] = call @aten.mul_.Tensor(%w, %y)\n"
                "%a : f32[3] = call @aten.add_.Tensor(%k, %x)\n");
    differs(INPUTS "%a : f32[3] = call @aten.add_.Tensor(%k, %x)\n"
                   "%b : f32[3] = call @aten.mul_.Tensor(%k, %y)\n",
            INPUTS "%b : f32[3] = call @aten.mul_.Tensor(%k, %y)\n"
                   "%a : f32[3] = call @aten.add_.Tensor(%k, %x)\n",
            NULL);
}

Test(equal, out_overloads_write_what_is_named_out) {
    differs(INPUTS "%r : f32[3] = call @aten.neg.default(%k)\n"
                   "%o : f32[3] = call @aten.add.out(%x, %y, out=%k)\n"
                   "output %r = user\n",
            INPUTS "%o : f32[3] = call @aten.add.out(%x, %y, out=%k)\n"
                   "%r : f32[3] = call @aten.neg.default(%k)\n"
                   "output %r = user\n",
            "node 'r' comes after the effect of");
}

static const char with_cond[] =
    "package\nprogram @forward {\n"
    "input %%p : b8[] = user\n"
    "input %%x : f32[3] = user\n"
    "%%c : f32[3] = call @higher_order.cond(%%p, graph @%s, graph @%s, [%%x])\n"
    "graph @%s {\ninput %%%s : f32[3]\n%%s : f32[3] = call @aten.%s(%%%s)\noutput %%s\n}\n"
    "graph @%s {\ninput %%x : f32[3]\n%%s : f32[3] = call @aten.cos.default(%%x)\noutput %%s\n}\n"
    "%s}\n";

static signet_package *cond(const char *first, const char *second, const char *value,
                            const char *op, const char *output) {
    char text[2048];
    int length = snprintf(text, sizeof(text), with_cond, first, second, first, value, op, value,
                          second, output);
    cr_assert(length > 0 && (size_t)length < sizeof(text));
    return read_text(text);
}

Test(equal, subgraphs_are_compared_by_what_they_compute) {
    static const char out[] = "output %c = user\n";
    expect_structure(cond("t", "f", "x", "sin.default", out),
                     cond("a", "b", "y", "sin.default", out), true, NULL);
    expect_structure(cond("t", "f", "x", "sin.default", out),
                     cond("t", "f", "x", "tan.default", out), false, "node 's' calls");
    /* A dead one goes, unless there are effects inside. */
    static const char none[] = "output %x = user\n";
    expect_structure(
        cond("t", "f", "x", "sin.default", none),
        read_text("package\n"
                  "program @forward {\n"
                  "input %p : b8[] = user\ninput %x : f32[3] = user\noutput %x = user\n}\n"),
        true, NULL);
    expect_structure(
        cond("t", "f", "x", "sin_.default", none),
        read_text("package\n"
                  "program @forward {\n"
                  "input %p : b8[] = user\ninput %x : f32[3] = user\noutput %x = user\n}\n"),
        false, "effect");
    expect_structure(cond("t", "f", "x", "rand_like.default", none),
                     cond("t", "f", "x", "randn_like.default", none), false, NULL);
}

Test(equal, unknown_higher_order_operators_are_not_dead) {
    differs("input %x : f32[3] = user\n"
            "%c : f32[3] = call @higher_order.call_torchbind(%x)\n"
            "output %x = user\n",
            "input %x : f32[3] = user\noutput %x = user\n", "effect");
    differs("input %x : f32[3] = user\n"
            "call @my.print.default(%x)\n"
            "output %x = user\n",
            "input %x : f32[3] = user\noutput %x = user\n", "effect");
}

/* Two calls of delegates with state, in the order that is given. */
static signet_package *delegates(const char *first, const char *second, const char *output) {
    char text[2048];
    int length =
        snprintf(text, sizeof(text),
                 "package\n"
                 "delegate @low backend \"B\" body @inner\n"
                 "delegate @other backend \"B\" body @more\n"
                 "program @forward {\n"
                 "input %%x : f32[3] = user\n%s%soutput %s = user\n}\n"
                 "program @inner body {\n"
                 "input %%b : f32[3] = buffer \"b\" persistent\ninput %%x : f32[3] = user\n"
                 "%%s : f32[3] = call @aten.add.Tensor(%%b, %%x)\n"
                 "output %%s = buffer_mutation \"b\"\noutput %%s = user\n}\n"
                 "program @more body {\n"
                 "input %%c : f32[3] = buffer \"c\" persistent\ninput %%x : f32[3] = user\n"
                 "%%s : f32[3] = call @aten.mul.Tensor(%%c, %%x)\n"
                 "output %%s = buffer_mutation \"c\"\noutput %%s = user\n}\n",
                 first, second, output);
    cr_assert(length > 0 && (size_t)length < sizeof(text));
    return read_text(text);
}

Test(equal, delegates_with_state_are_ordered_each_for_itself) {
    static const char *const one = "%a : f32[3] = call @higher_order.executorch_call_delegate("
                                   "delegate @low, %x)\n";
    static const char *const neg = "%b : f32[3] = call @higher_order.executorch_call_delegate("
                                   "delegate @other, %x)\n";
    static const char *const again = "%c : f32[3] = call @higher_order.executorch_call_delegate("
                                     "delegate @low, %a)\n";
    static const char *const early = "%c : f32[3] = call @higher_order.executorch_call_delegate("
                                     "delegate @low, %x)\n";
    expect_structure(delegates(one, neg, "%a"), delegates(neg, one, "%a"), true, NULL);
    expect_structure(delegates(one, neg, "%a"), delegates(one, "", "%a"), false, "effect");
    expect_structure(delegates(one, again, "%c"), delegates(one, early, "%c"), false, NULL);
    expect_structure(delegates(one, early, "%a"), delegates(early, one, "%a"), false, NULL);
}

/* ---- Broken programs ------------------------------------------------------------------------ */

Test(equal, broken_programs) {
    differs(
        "input %x : f32[3] = user\n%a : f32[3] = call @aten.neg.default(%x)\noutput %a = user\n",
        "input %x : f32[3] = user\n%a : f32[3] = call @aten.neg.default(%g)\noutput %a = user\n",
        "input 0 on the first side, undefined on the second");
    differs("%a : f32[3] = call @aten.neg.default(%g)\noutput %a = user\n",
            "%a : f32[3] = call @aten.neg.default(%h)\noutput %a = user\n", "undefined");
    differs("input %x : f32[3] = user\n"
            "%a : f32[3] = call @aten.neg.default(%x)\n"
            "%b : f32[3] = call @aten.abs.default(%a)\noutput %b = user\n",
            "input %x : f32[3] = user\n"
            "%b : f32[3] = call @aten.abs.default(%a)\n"
            "%a : f32[3] = call @aten.neg.default(%x)\noutput %b = user\n",
            "not yet computed");
    same("%a : f32[3] = call @aten.neg.default(%a)\noutput %a = user\n",
         "%a : f32[3] = call @aten.neg.default(%a)\noutput %a = user\n");
    differs("input ? named \"x\" = user\noutput 1 = user\n", "output 1 = user\n", "USER_INPUT 0");
    differs("input %x : f32[3]\noutput %x\n", "input %x : f32[3] = user\noutput %x = user\n", NULL);
    same("input %x : f32[3]\noutput %x\n", "input %y : f32[3]\noutput %y\n");
    differs("output 1 = unknown tag \"a\"\n", "output 1 = unknown tag \"b\"\n", NULL);
    differs("output 1 = user\n", "output ? = user\n", NULL);
}

/* A graph inside itself, which a builder can make. */
static signet_package *circle(const char *target) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program r = signet_program_add(p, signet_str("forward"), SIGNET_ROLE_METHOD);
    signet_graph sub = signet_graph_add(p, r, signet_str("sub"));
    signet_graph graphs[] = {signet_program_graph(p, r), sub};
    for (size_t i = 0; i < COUNT(graphs); i++) {
        signet_node n = signet_node_append(p, graphs[i], signet_str(target));
        signet_arg_set_graph(p, signet_node_set_inputs(p, n, 1), sub);
        signet_arg_set_named(p, signet_node_set_outputs(p, n, 1), SIGNET_ARG_TENSOR,
                             signet_str("r"));
        signet_arg_set_named(p, signet_graph_set_outputs(p, graphs[i], 1), SIGNET_ARG_TENSOR,
                             signet_str("r"));
    }
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    return p;
}

Test(equal, a_graph_inside_itself) {
    expect_structure(circle("torch.ops.higher_order.cond"), circle("torch.ops.higher_order.cond"),
                     true, NULL);
    expect_structure(circle("torch.ops.higher_order.cond"), circle("torch.ops.higher_order.map"),
                     false, NULL);
}

/* ---- Packages ------------------------------------------------------------------------------- */

Test(equal, methods_by_name) {
    static const char both[] = "package\n"
                               "program @%s {\ninput %%x : f32[1] = user\noutput %%x = user\n}\n"
                               "program @%s {\noutput 1 = user\n}\n";
    static const char turned[] = "package\nprogram @b {\noutput 1 = user\n}\n"
                                 "program @a {\ninput %x : f32[1] = user\noutput %x = user\n}\n";
    char text[512], other[512];
    snprintf(text, sizeof(text), both, "a", "b");
    snprintf(other, sizeof(other), both, "b", "a");
    expect_structure(read_text(text), read_text(turned), true, NULL);
    expect_structure(read_text(text), read_text(other), false, NULL);
    expect_structure(read_text(text), read_text("package\nprogram @b {\noutput 1 = user\n}\n"),
                     false, "program 'a' is only on the first side");
}

Test(equal, where_it_differs) {
    signet_package *a = program(base);
    signet_package *b = program(INPUTS "%a : f32[3] = call @aten.add.Tensor(self: %k, other: %x)\n"
                                       "%b : f32[3] = call @aten.mul.Tensor(self: %y, other: 3)\n"
                                       "%c : f32[3] = call @aten.sub.Tensor(self: %a, other: %b)\n"
                                       "output %a = buffer_mutation \"k\"\n"
                                       "output %c = user\n"
                                       "output %b = user\n");
    for (int mode = SIGNET_EQUAL_EXACT; mode <= SIGNET_EQUAL_TOLD; mode++) {
        bool answer = true;
        signet_difference d = SIGNET_DIFFERENCE_INIT;
        signet_program x = signet_program_at(a, 0);
        signet_program y = signet_program_at(b, 0);
        cr_assert_eq(signet_program_equal(a, x, b, y, (signet_equal_mode)mode, &answer, &d),
                     SIGNET_OK);
        cr_expect_not(answer);
        cr_expect_eq(d.a_program.id, x.id);
        cr_expect_eq(d.b_graph.id, signet_program_graph(b, y).id);
        signet_value v = signet_graph_find(a, signet_program_graph(a, x), signet_str("b"));
        cr_expect_eq(d.a_node.id, signet_value_node(a, v).id);
        cr_expect_neq(d.b_node.id, 0);
        cr_expect_str_eq(d.what,
                         "argument 1 'other' of node 'b' is the integer 2 on the first side, "
                         "the integer 3 on the second");
    }
    signet_package_destroy(a);
    signet_package_destroy(b);
}

Test(equal, a_long_difference_is_cut) {
    char one[600], text[2000], other[2000];
    memset(one, 'a', sizeof(one) - 1);
    one[sizeof(one) - 1] = '\0';
    snprintf(text, sizeof(text),
             "%%\"%s\" : f32[1] = call @my.op.default(\"%s\")\noutput 1 = user\n"
             "output %%\"%s\" = user\n",
             one, one, one);
    snprintf(other, sizeof(other),
             "%%\"%s\" : f32[1] = call @my.op.default(\"b\")\n"
             "output 1 = user\noutput %%\"%s\" = user\n",
             one, one);
    differs(text, other, "argument 0");
}

Test(equal, wrong_use) {
    signet_package *p = program("output 1 = user\n");
    bool answer;
    signet_hash h;
    signet_program none = {0}, far = {7}, first = signet_program_at(p, 0);
    cr_expect_eq(signet_package_equal(NULL, p, SIGNET_EQUAL_EXACT, &answer, NULL),
                 SIGNET_E_INVALID_ARG);
    cr_expect_eq(signet_package_equal(p, p, (signet_equal_mode)9, &answer, NULL),
                 SIGNET_E_INVALID_ARG);
    cr_expect_eq(signet_program_equal(p, first, p, none, SIGNET_EQUAL_EXACT, &answer, NULL),
                 SIGNET_E_INVALID_ARG);
    cr_expect_eq(signet_program_hash(p, far, SIGNET_HASH_EXACT, &h), SIGNET_E_INVALID_ARG);
    cr_expect_eq(signet_package_hash(p, (signet_hash_mode)9, &h), SIGNET_E_INVALID_ARG);
    cr_expect_eq(signet_package_hash(p, SIGNET_HASH_EXACT, NULL), SIGNET_E_INVALID_ARG);
    signet_package_destroy(p);
}

/* ---- Exact ---------------------------------------------------------------------------------- */

Test(equal, everything_counts_when_exact) {
    static const char all[] = "schema 8.20\ntorch \"2.13.0\"\ndialect ATEN\nopset aten 10\n"
                              "range s0 : 2..9\nguard \"g\"\nmeta key \"value\"\n"
                              "input %k : f32[3] = buffer \"k\" persistent\n"
                              "input %x : f32[s0~4] = user\n"
                              "%a : f32[3] = call @aten.add.Tensor(self: %k, alpha=1) name n\n"
                              "  meta stack_trace \"t\"\n"
                              "value %u : f32[3]\n"
                              "output %a = user\n"
                              "state \"k\" : f32[3] record \"weight_0\" bytes 12\n"
                              "entry \"\" {\nin_spec \"i\"\nout_spec \"o\"\ninputs %x\noutputs %a\n"
                              "arg_names \"x\"\n}\n";
    static const char *const edits[][2] = {
        {"8.20", "8.19"},
        {"2.13.0", "2.14"},
        {"ATEN", "TRAINING"},
        {"aten 10", "aten 11"},
        {"2..9", "2..8"},
        {"\"g\"", "\"h\""},
        {"\"value\"", "\"v\""},
        {"key", "other"},
        {"s0~4", "s0~5"},
        {"f32[s0~4]", "f32[s0~4] grad"},
        {"self: %k", "other: %k"},
        {"alpha=1", "alpha: 1"},
        {"name n", "name m"},
        {"\"t\"", "\"s\""},
        {"%u : f32[3]", "%u : f32[4]"},
        {"%u : f32[3]", "%v : f32[3]"},
        {"weight_0", "weight_1"},
        {"bytes 12", "bytes 13"},
        {"\"i\"", "\"j\""},
        {"\"o\"", "\"p\""},
        {"inputs %x", "inputs %y"},
        {"arg_names \"x\"", "arg_names \"y\""},
        {"state \"k\"", "constant \"k\""},
        {"input %x", "input %\"x y\""},
        {"k\" persistent", "k\" non_persistent"},
    };
    signet_package *a = program(all);
    signet_package *c = NULL;
    char said[256];
    cr_assert_eq(signet_package_clone(&c, a, NULL), SIGNET_OK);
    cr_expect(equal(a, c, SIGNET_EQUAL_EXACT, said), "%s", said);
    cr_expect(same_hash(a, c, SIGNET_HASH_EXACT));
    signet_package_destroy(c);
    for (size_t i = 0; i < COUNT(edits); i++) {
        char text[2048];
        const char *at = strstr(all, edits[i][0]);
        cr_assert_not_null(at, "%s", edits[i][0]);
        snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - all), all, edits[i][1],
                 at + strlen(edits[i][0]));
        signet_package *b = program(text);
        cr_expect_not(equal(a, b, SIGNET_EQUAL_EXACT, said), "%s", edits[i][1]);
        cr_expect_not(same_hash(a, b, SIGNET_HASH_EXACT), "%s", edits[i][1]);
        signet_package_destroy(b);
    }
    signet_package_destroy(a);
}

/* ---- Told ----------------------------------------------------------------------------------- */

static void told(const char *full, const char *lossy, bool expected, const char *what) {
    char text[2048], said[256];
    snprintf(text, sizeof(text), "package\nprogram @m lossy {\n%s\n}\n", lossy);
    signet_package *a = program(full);
    signet_package *b = read_text(text);
    cr_expect_eq(equal(a, b, SIGNET_EQUAL_TOLD, said), expected, "%s\n%s", lossy, said);
    if (what != NULL) {
        cr_expect_not_null(strstr(said, what), "said: %s", said);
    }
    signet_package_destroy(a);
    signet_package_destroy(b);
}

static const char full[] =
    "schema 8.20\ntorch \"2.13.0\"\ndialect ATEN\nrange s0 : 2..\n"
    "input %k : f32[s0~4] strides [7] cuda:0 grad = buffer \"k\" persistent\n"
    "input %x : f32[3] = user\n"
    "input 2 = user\n"
    "%a : f32[3] = call @aten.foo.default(self: %k, size: [1, 2], sym_ints [1], tensors [], "
    "sym_int 4, beta=1, alpha=2)\n"
    "%v : f32[3], %i : i64[3] = call @aten.max.dim(self: %a, dim: 0) name max_1\n"
    "[%s : f32[1], %t : f32[2]] = call @aten.split.Tensor(%v, [1, 2]) name split\n"
    "output %a = buffer_mutation \"k\"\n"
    "output %t = user\n"
    "output 5 = user\n"
    "state \"k\" : f32[3]\n";

static const char shown[] =
    "range s0 : 2..\n"
    "input %k : f32[s0] = buffer \"k\" persistent=null\n"
    "input %x : f32[3] = user\n"
    "input constant %pos = user\n"
    "%a : f32[3] = call @aten.foo.default(%k, [1, 2], [1], [], 4, alpha=2, beta=1)\n"
    "%v : f32[3], ... = call @aten.max.dim(%a, 0) name max_1\n"
    "none, %t : f32[2], ... = call @aten.split.Tensor(%v, [1, 2]) name split\n"
    "output %a = buffer_mutation \"k\"\n"
    "output %t = user\n"
    "output 5 = user\n";

/* shown with one text replaced */
static void told_edit(const char *from, const char *to, bool expected, const char *what) {
    char text[2048];
    const char *at = strstr(shown, from);
    cr_assert_not_null(at, "%s", from);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - shown), shown, to, at + strlen(from));
    told(full, text, expected, what);
}

Test(equal, what_a_lossy_carrier_does_not_tell) {
    told(full, shown, true, NULL);
    told_edit("name max_1", "name ?", true, NULL);
    told_edit("%a : f32[3]", "%a", true, NULL);
    told_edit("f32[s0]", "?[s0]", true, NULL);
}

Test(equal, what_it_tells) {
    told_edit("aten.foo.default", "aten.foo.other", false, "node 'a' calls");
    told_edit("[1, 2], [1], []", "[1, 3], [1], []", false, "element 1 of argument 1 'size'");
    told_edit("[1, 2], [1], []", "[1, 2], [1], [1]", false, "argument 3");
    told_edit(", 4,", ", 4.0,", false, "the integer 4 on the first side, the float 4.0");
    told_edit("alpha=2, beta=1", "alpha=1, beta=2", false, "of node 'a'");
    told_edit(", beta=1", "", false, "7 arguments on the first side, 6 on the second");
    told_edit("f32[s0]", "f32[s1]", false, "the sizes of value 'k'");
    told_edit("%x : f32[3]", "%x : f16[3]", false, "the dtype of value 'x'");
    told_edit("%x : f32[3]", "%y : f32[3]", false, "input 1");
    told_edit("buffer \"k\" persistent=null", "buffer \"k\" non_persistent", false, "persistent");
    told_edit("buffer \"k\" persistent=null", "parameter \"k\"", false, "input 0 is BUFFER");
    told_edit("buffer_mutation \"k\"", "buffer_mutation \"j\"", false, "the target of output 0");
    told_edit("output 5", "output 6", false, "output 2");
    told_edit("2..\n", "3..\n", false, "the range of 's0'");
    told_edit("%t : f32[2], ...", "%s : f32[2], ...", false, "result 0 of node 'split'");
    told_edit("output %a = buffer_mutation \"k\"\noutput %t = user",
              "output %t = user\noutput %a = buffer_mutation \"k\"", false, NULL);
}

Test(equal, order_counts_when_told) {
    told("input %x : f32[3] = user\n%a : f32[3] = call @aten.neg.default(%x)\n"
         "%b : f32[3] = call @aten.abs.default(%x)\noutput %a = user\n",
         "input %x : f32[3] = user\n%b : f32[3] = call @aten.abs.default(%x)\n"
         "%a : f32[3] = call @aten.neg.default(%x)\noutput %a = user\n",
         false, "node 'a' calls");
    told("input %x : f32[3] = user\n%a : f32[3] = call @aten.neg.default(%x)\noutput %x = user\n",
         "input %x : f32[3] = user\noutput %x = user\n", false,
         "node 'a' is only on the first side");
}

/* ---- Many programs -------------------------------------------------------------------------- */

enum { NODES = 40, ROUNDS = 60 };

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A random program: what each node computes, and in which order the nodes stand. */
struct plan {
    uint32_t op[NODES], a[NODES], b[NODES], literal[NODES]; /* operands: 0, 1 inputs, 2 + i nodes */
    uint32_t order[NODES];
};

static void random_plan(struct plan *plan, uint32_t *state) {
    for (uint32_t i = 0; i < NODES; i++) {
        plan->op[i] = next_random(state) % 6;
        plan->a[i] = next_random(state) % (i + 2);
        plan->b[i] = next_random(state) % (i + 2);
        plan->literal[i] = next_random(state) % 3;
        plan->order[i] = i;
    }
}

/* Another order in which each node stands behind its operands. */
static void shuffle(struct plan *plan, uint32_t *state) {
    bool placed[NODES] = {false};
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t n;
        do {
            n = next_random(state) % NODES;
        } while (placed[n] || (plan->a[n] >= 2 && !placed[plan->a[n] - 2]) ||
                 (plan->b[n] >= 2 && !placed[plan->b[n] - 2]));
        placed[n] = true;
        plan->order[i] = n;
    }
}

static const char *const ops[] = {"add.Tensor", "sub.Tensor", "mul.Tensor",
                                  "div.Tensor", "pow.Tensor", "atan2.default"};

static signet_package *build(const struct plan *plan, const char *prefix) {
    signet_package *p = NULL;
    char name[32], target[64];
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program r = signet_program_add(p, signet_str("forward"), SIGNET_ROLE_METHOD);
    signet_graph g = signet_program_graph(p, r);
    signet_arg in = signet_graph_set_inputs(p, g, 2);
    signet_value values[NODES + 2];
    for (uint32_t i = 0; i < 2; i++) {
        snprintf(name, sizeof(name), "%s_in%u", prefix, i);
        values[i] =
            signet_arg_set_named(p, (signet_arg){in.id + i}, SIGNET_ARG_TENSOR, signet_str(name));
    }
    for (uint32_t k = 0; k < NODES; k++) {
        uint32_t i = plan->order[k];
        snprintf(target, sizeof(target), "torch.ops.aten.%s", ops[plan->op[i]]);
        signet_node n = signet_node_append(p, g, signet_str(target));
        signet_arg args = signet_node_set_inputs(p, n, 3);
        signet_arg_set_value(p, args, SIGNET_ARG_TENSOR, values[plan->a[i]]);
        signet_arg_set_value(p, (signet_arg){args.id + 1}, SIGNET_ARG_TENSOR, values[plan->b[i]]);
        signet_arg_set_int(p, (signet_arg){args.id + 2}, SIGNET_ARG_INT, plan->literal[i]);
        snprintf(name, sizeof(name), "%s%u", prefix, i);
        values[i + 2] = signet_arg_set_named(p, signet_node_set_outputs(p, n, 1), SIGNET_ARG_TENSOR,
                                             signet_str(name));
    }
    signet_arg out = signet_graph_set_outputs(p, g, 2);
    signet_arg_set_value(p, out, SIGNET_ARG_TENSOR, values[NODES + 1]);
    signet_arg_set_value(p, (signet_arg){out.id + 1}, SIGNET_ARG_TENSOR, values[NODES]);
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    return p;
}

/* The same computation whatever names and order; hash and walk agree on every edit. */
Test(equal, random_programs) {
    uint32_t state = 1;
    uint32_t seen_different = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct plan plan;
        random_plan(&plan, &state);
        struct plan other = plan;
        shuffle(&other, &state);
        expect_structure(build(&plan, "a"), build(&other, "b"), true, NULL);
        uint32_t n = next_random(&state) % NODES;
        uint32_t what = next_random(&state) % 3;
        if (what == 0) {
            other.op[n] = (other.op[n] + 1) % 6;
        } else if (what == 1) {
            other.literal[n] += 7;
        } else {
            uint32_t swap = other.a[n];
            other.a[n] = other.b[n];
            other.b[n] = swap;
        }
        signet_package *a = build(&plan, "a");
        signet_package *b = build(&other, "a");
        char said[256];
        bool walked = equal(a, b, SIGNET_EQUAL_STRUCTURAL, said);
        cr_expect_eq(same_hash(a, b, SIGNET_HASH_STRUCTURAL), walked, "%s", said);
        seen_different += !walked;
        signet_package_destroy(a);
        signet_package_destroy(b);
    }
    cr_expect_gt(seen_different, ROUNDS / 4);
    cr_expect_lt(seen_different, ROUNDS, "dead nodes are edited too");
}

/* ---- Memory --------------------------------------------------------------------------------- */

static signet_status compare_all(const signet_allocator *a, void *user) {
    const signet_package *from = user;
    signet_package *p = NULL;
    signet_package *q = NULL;
    signet_status rc = signet_package_clone(&p, from, a);
    if (rc == SIGNET_OK) {
        rc = signet_package_clone(&q, from, a);
    }
    for (int mode = 0; rc == SIGNET_OK && mode < 3; mode++) {
        bool answer = false;
        signet_hash h;
        rc = signet_package_equal(p, q, (signet_equal_mode)mode, &answer, NULL);
        cr_expect_eq(answer, rc == SIGNET_OK);
        if (rc == SIGNET_OK && mode < 2) {
            rc = signet_package_hash(p, (signet_hash_mode)mode, &h);
        }
    }
    signet_package_destroy(p);
    signet_package_destroy(q);
    return rc;
}

Test(equal, out_of_memory) {
    signet_package *p = delegates("%a : f32[3] = call @higher_order.executorch_call_delegate("
                                  "delegate @low, %x)\n",
                                  "%b : f32[3] = call @aten.add_.Tensor(%a, %x)\n", "%b");
    cr_assert_gt(test_each_failure(compare_all, p), 100);
    signet_package_destroy(p);
}
