/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/unit/formats/printed_case.h"

/* ---- Short ways to ask ----------------------------------------------------------------------- */

static struct printed_case read_graph(const char *params, const char *statements) {
    struct printed_case c = printed_case_graph(params, statements);
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    return c;
}

/* Argument i of the first node of "f(...)". */
static signet_arg first_arg(const struct printed_case *c, uint32_t i) {
    signet_node n = printed_case_node(c, printed_case_top(c), 0);
    cr_assert_lt(i, signet_node_input_count(c->p, n));
    return signet_node_input(c->p, n, i);
}

static void check_name(signet_string s, const char *expected) {
    cr_assert(sg_string_is(s, expected), "'%.*s' is not '%s'", (int)s.length, s.data, expected);
}

static const char *kind_at(const struct printed_case *c, uint32_t i) {
    return signet_arg_kind_name(signet_arg_get_kind(c->p, first_arg(c, i)));
}

/* ---- Items of a node ------------------------------------------------------------------------- */

Test(printed_graph, items_become_results) {
    struct printed_case c =
        read_graph(", x: \"f32[4]\"", "        topk = torch.ops.aten.topk.default(x, 2)\n"
                                      "        b: \"i64[2]\" = topk[3]\n"
                                      "        a: \"f32[2]\" = topk[0];  topk = None\n"
                                      "        return (a, b)\n");
    signet_node n = printed_case_node(&c, printed_case_top(&c), 0);
    cr_assert_eq(signet_graph_node_count(c.p, printed_case_top(&c)), 1);
    cr_assert_eq(signet_node_output_count(c.p, n), 4);
    cr_assert(signet_node_results_open(c.p, n));
    check_name(signet_node_name(c.p, n), "topk");
    check_name(signet_value_name(c.p, signet_arg_value(c.p, signet_node_output(c.p, n, 0))), "a");
    cr_assert_eq(signet_arg_get_kind(c.p, signet_node_output(c.p, n, 1)), SIGNET_ARG_NONE);
    cr_assert_eq(signet_arg_get_kind(c.p, signet_node_output(c.p, n, 2)), SIGNET_ARG_NONE);
    check_name(signet_value_name(c.p, signet_arg_value(c.p, signet_node_output(c.p, n, 3))), "b");
    printed_case_free(&c);
}

/* A node that is used as a whole, or has a type, or is indexed absurdly: items stay nodes. */
static void check_unfolded(const char *statements, uint32_t nodes) {
    struct printed_case c = read_graph(", x: \"f32[4]\"", statements);
    cr_assert_eq(signet_graph_node_count(c.p, printed_case_top(&c)), nodes);
    signet_node item = printed_case_node(&c, printed_case_top(&c), 1);
    check_name(signet_node_target(c.p, item), "_operator.getitem");
    cr_assert_eq(signet_node_operator(c.p, item).op_class, SIGNET_OPERATOR_GETITEM);
    cr_assert_eq(signet_node_input_count(c.p, item), 2);
    signet_value base = signet_arg_value(c.p, signet_node_input(c.p, item, 0));
    cr_assert_eq(signet_value_node(c.p, base).id,
                 printed_case_node(&c, printed_case_top(&c), 0).id);
    printed_case_free(&c);
}

Test(printed_graph, items_that_stay_nodes) {
    check_unfolded("        n = torch.ops.aten.split.Tensor(x, 2)\n"
                   "        a: \"f32[2]\" = n[0]\n"
                   "        cat: \"f32[4]\" = torch.ops.aten.cat.default(n)\n"
                   "        return (a, cat)\n",
                   3);
    check_unfolded("        n: \"f32[4]\" = torch.ops.aten.neg.default(x)\n"
                   "        a: \"f32[]\" = n[0]\n"
                   "        return (a,)\n",
                   2);
    check_unfolded("        n = torch.ops.aten.split.Tensor(x, 2)\n"
                   "        a: \"f32[2]\" = n[2000000000]\n"
                   "        return (a,)\n",
                   2);
    check_unfolded("        n = torch.ops.aten.split.Tensor(x, 2)\n"
                   "        a: \"f32[2]\" = n[0]\n"
                   "        return (a, n)\n",
                   2);
}

Test(printed_graph, two_items_of_one_result) {
    struct printed_case c =
        printed_case_read("ExportedProgram:\n"
                          "    class GraphModule(torch.nn.Module):\n"
                          "        def forward(self, x: \"f32[4]\"):\n"
                          "            n = torch.ops.aten.split.Tensor(x, 2)\n"
                          "            a: \"f32[2]\" = n[0]\n"
                          "            b: \"f32[2]\" = n[0]\n"
                          "            add: \"f32[2]\" = torch.ops.aten.add.Tensor(a, b)\n"
                          "            return (add, b)\n"
                          "Graph signature:\n"
                          "    # inputs\n"
                          "    x: USER_INPUT\n"
                          "    # outputs\n"
                          "    add: USER_OUTPUT\n"
                          "    b: USER_OUTPUT\n"
                          "Range constraints: {}\n");
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    signet_node add = printed_case_node(&c, printed_case_top(&c), 1);
    signet_value a = signet_arg_value(c.p, signet_node_input(c.p, add, 0));
    cr_assert_eq(a.id, signet_arg_value(c.p, signet_node_input(c.p, add, 1)).id);
    check_name(signet_value_name(c.p, a), "a");
    cr_assert_eq(signet_graph_find(c.p, printed_case_top(&c), signet_str("b")).id, 0);
    signet_spec spec = SIGNET_SPEC_INIT;
    cr_assert(signet_spec_get(c.p, signet_program_at(c.p, 0), SIGNET_OUTPUT, 1, &spec));
    check_name(spec.name, "a"); /* the spec follows, or it would name nothing */
    printed_case_free(&c);
}

Test(printed_graph, node_without_results) {
    struct printed_case c =
        read_graph(", x: \"b8[]\"", "        check = torch.ops.aten._assert_async.default(x);  "
                                    "x = check = None\n"
                                    "        return ()\n");
    signet_node n = printed_case_node(&c, printed_case_top(&c), 0);
    cr_assert_eq(signet_node_output_count(c.p, n), 0);
    check_name(signet_node_name(c.p, n), "check");
    cr_assert_eq(signet_graph_output_count(c.p, printed_case_top(&c)), 0);
    printed_case_free(&c);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

Test(printed_graph, kinds_of_scalars) {
    struct printed_case c = read_graph(
        ", x: \"f32[2]\", s: \"Sym(s0)\", f: \"Sym(zf0)\", b: \"Sym(s0 >= 2)\"",
        "        n: \"f32[2]\" = f(x, s, f, b, None, True, -3, -1e-05, inf, 'a;b#', torch.float32, "
        "torch.strided, torch.channels_last, device(type='cuda', index=1), "
        "torch.ops.aten.add.Tensor, 2j, (1.5-2j), complex(0.0, -1.0), slice(1, None, None), "
        "9223372036854775808)\n"
        "        return (n,)\n");
    static const char *const kinds[] = {"tensor",        "sym_int", "sym_float", "sym_bool",
                                        "none",          "bool",    "int",       "float",
                                        "float",         "string",  "dtype",     "layout",
                                        "memory_format", "device",  "operator",  "complex",
                                        "complex",       "complex", "raw",       "raw"};
    for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        cr_expect_str_eq(kind_at(&c, i), kinds[i], "argument %u: %s", i, kind_at(&c, i));
    }
    cr_expect_eq(signet_arg_int(c.p, first_arg(&c, 6)), -3);
    cr_expect_eq(signet_arg_float(c.p, first_arg(&c, 7)), -1e-05);
    cr_expect(isinf(signet_arg_float(c.p, first_arg(&c, 8))));
    check_name(signet_arg_string(c.p, first_arg(&c, 9)), "a;b#");
    cr_expect_eq(signet_arg_int(c.p, first_arg(&c, 10)), SIGNET_DTYPE_F32);
    cr_expect_eq(signet_arg_int(c.p, first_arg(&c, 11)), SIGNET_LAYOUT_STRIDED);
    cr_expect_eq(signet_arg_int(c.p, first_arg(&c, 12)), SIGNET_MEMORY_FORMAT_CHANNELS_LAST);
    bool has_index = false;
    int64_t index = 0;
    check_name(signet_arg_device(c.p, first_arg(&c, 13), &has_index, &index), "cuda");
    cr_expect(has_index && index == 1);
    cr_expect_eq(signet_arg_float(c.p, signet_arg_child(c.p, first_arg(&c, 16), 0)), 1.5);
    cr_expect_eq(signet_arg_float(c.p, signet_arg_child(c.p, first_arg(&c, 16), 1)), -2.0);
    cr_expect_eq(signet_arg_float(c.p, signet_arg_child(c.p, first_arg(&c, 17), 1)), -1.0);
    signet_string raw = {NULL, 0};
    signet_arg_raw(c.p, first_arg(&c, 18), &raw);
    check_name(raw, "slice(1, None, None)");
    printed_case_free(&c);
}

Test(printed_graph, kinds_of_lists) {
    struct printed_case c =
        read_graph(", x: \"f32[2]\", s: \"Sym(s0)\"",
                   "        n: \"f32[2]\" = f([1, 2], (1,), [], [x, x], [x, None], [None, None], "
                   "[s, 3], [1.0, inf], [True], ['a'], [[1], [2, 3]], [[1.0]], [[x], (x,)], "
                   "[x, 3], [x, s], {'k': x, 'l': [1]}, ((2,), torch.float32))\n"
                   "        return (n,)\n");
    static const char *const kinds[] = {"ints",
                                        "ints",
                                        "ints",
                                        "tensors",
                                        "optional_tensors",
                                        "optional_tensors",
                                        "sym_ints",
                                        "floats",
                                        "bools",
                                        "strings",
                                        "int_lists",
                                        "float_lists",
                                        "nested_tensors",
                                        "list",
                                        "tensors",
                                        "map",
                                        "list"};
    for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        cr_expect_str_eq(kind_at(&c, i), kinds[i], "argument %u: %s", i, kind_at(&c, i));
    }
    signet_arg literal = signet_arg_child(c.p, first_arg(&c, 6), 1);
    cr_expect_eq(signet_arg_get_kind(c.p, literal), SIGNET_ARG_SYM_INT);
    cr_expect(signet_arg_is_literal(c.p, literal));
    cr_expect_eq(signet_arg_int(c.p, literal), 3);
    check_name(signet_arg_name(c.p, signet_arg_child(c.p, first_arg(&c, 15), 1)), "l");
    printed_case_free(&c);
}

Test(printed_graph, keywords_and_positions) {
    struct printed_case c = read_graph(", x: \"f32[2]\"", "        n: \"f32[2]\" = f(x, dim = 1)\n"
                                                          "        return (n,)\n");
    cr_expect_eq(signet_arg_passing(c.p, first_arg(&c, 0)), SIGNET_PASSING_POSITIONAL);
    cr_expect_null(signet_arg_name(c.p, first_arg(&c, 0)).data);
    cr_expect_eq(signet_arg_passing(c.p, first_arg(&c, 1)), SIGNET_PASSING_KEYWORD);
    check_name(signet_arg_name(c.p, first_arg(&c, 1)), "dim");
    printed_case_free(&c);
}

Test(printed_graph, empty_list_of_a_higher_order_operator) {
    struct printed_case c =
        read_graph(", x: \"f32[2]\"", "        n = torch.ops.higher_order.scan(x, [x], [x], ())\n"
                                      "        return (x,)\n");
    cr_expect_str_eq(kind_at(&c, 3), "tensors");
    printed_case_free(&c);
}

/* ---- Operators ------------------------------------------------------------------------------- */

Test(printed_graph, operators_of_python) {
    struct printed_case c =
        read_graph(", s: \"Sym(s0)\"", "        a: \"Sym(s0 + 1)\" = s + 1\n"
                                       "        b: \"Sym(-s0)\" = -s\n"
                                       "        c: \"Sym(s0 >= 2)\" = s >= 2\n"
                                       "        d: \"Sym(IntTrueDiv(s0, 2))\" = s / 2\n"
                                       "        e: \"Sym(TruncToInt(zf0))\" = math_trunc(d)\n"
                                       "        f: \"Sym(Max(2, s0))\" = torch.sym_max(2, s)\n"
                                       "        return (a, b, c, d, e, f)\n");
    static const char *const targets[] = {"_operator.add",     "_operator.neg", "_operator.ge",
                                          "_operator.truediv", "math.trunc",    "torch.sym_max"};
    static const signet_arg_kind kinds[] = {SIGNET_ARG_SYM_INT,  SIGNET_ARG_SYM_INT,
                                            SIGNET_ARG_SYM_BOOL, SIGNET_ARG_SYM_FLOAT,
                                            SIGNET_ARG_SYM_INT,  SIGNET_ARG_SYM_INT};
    for (uint32_t i = 0; i < 6; i++) {
        signet_node n = printed_case_node(&c, printed_case_top(&c), i);
        check_name(signet_node_target(c.p, n), targets[i]);
        signet_arg out = signet_graph_output(c.p, printed_case_top(&c), i);
        cr_expect_eq(signet_arg_get_kind(c.p, out), kinds[i], "output %u", i);
    }
    printed_case_free(&c);
}

Test(printed_graph, methods_and_modules_of_bare_graphs) {
    struct printed_case c = read_graph(", x", "        a = self.lin(x)\n"
                                              "        b = x.view(2, 3)\n"
                                              "        c = x.shape\n"
                                              "        d = getattr(self.layers, \"0\")(b)\n"
                                              "        return (a, b, c, d)\n");
    static const char *const targets[] = {"self.lin", "torch.Tensor.view", "getattr",
                                          "getattr(self.layers, \"0\")"};
    for (uint32_t i = 0; i < 4; i++) {
        signet_node n = printed_case_node(&c, printed_case_top(&c), i);
        check_name(signet_node_target(c.p, n), targets[i]);
        cr_expect_neq(signet_arg_value(c.p, signet_node_input(c.p, n, 0)).id, 0);
    }
    cr_expect_eq(signet_node_input_count(c.p, printed_case_node(&c, printed_case_top(&c), 1)), 3);
    printed_case_free(&c);
}

Test(printed_graph, edge_operators_keep_their_spelling) {
    struct printed_case c = read_graph(
        ", x: \"f32[2]\"",
        "        a: \"f32[2]\" = executorch_exir_dialects_edge__ops_aten_neg_default(x)\n"
        "        return (a,)\n");
    signet_operator op = signet_node_operator(c.p, printed_case_node(&c, printed_case_top(&c), 0));
    cr_expect_eq(op.op_class, SIGNET_OPERATOR_EDGE);
    check_name(op.name, "neg");
    printed_case_free(&c);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

Test(printed_graph, attributes_stand_for_what_they_hold) {
    struct printed_case c =
        read_graph(", x: \"f32[2]\"",
                   "        m = self.lowered_module_0\n"
                   "        w: \"f32[2]\" = self.lin.weight\n"
                   "        z = getattr(self.layers, \"0\").bias\n"
                   "        executorch_call_delegate = "
                   "torch.ops.higher_order.executorch_call_delegate(m, x, w, z);  m = x = None\n"
                   "        getitem: \"f32[2]\" = executorch_call_delegate[0]\n"
                   "        return (getitem,)\n");
    cr_expect_str_eq(kind_at(&c, 0), "delegate");
    cr_expect_str_eq(kind_at(&c, 2), "attribute");
    check_name(signet_arg_string(c.p, first_arg(&c, 2)), "lin.weight");
    check_name(signet_arg_string(c.p, first_arg(&c, 3)), "layers.0.bias");
    cr_assert_eq(signet_delegate_count(c.p), 1);
    check_name(signet_delegate_name(c.p, signet_delegate_at(c.p, 0)), "lowered_module_0");
    printed_case_free(&c);
}

Test(printed_graph, one_delegate_called_twice) {
    struct printed_case c = read_graph(
        ", x: \"f32[2]\"", "        m = self.lowered_module_0\n"
                           "        a = torch.ops.higher_order.executorch_call_delegate(m, x)\n"
                           "        m_1 = self.lowered_module_0\n"
                           "        b = torch.ops.higher_order.executorch_call_delegate(m_1, x)\n"
                           "        return (x,)\n");
    cr_assert_eq(signet_delegate_count(c.p), 1);
    printed_case_free(&c);
}

/* ---- Names ----------------------------------------------------------------------------------- */

Test(printed_graph, undefined_name_is_an_undefined_value) {
    struct printed_case c =
        read_graph(", x: \"f32[2]\"", "        a: \"f32[2]\" = torch.ops.aten.add.Tensor(x, y)\n"
                                      "        return (a,)\n");
    signet_value y = signet_arg_value(c.p, first_arg(&c, 1));
    cr_assert_eq(signet_value_get_kind(c.p, y), SIGNET_VALUE_UNDEFINED);
    printed_case_free(&c);
}

Test(printed_graph, second_definition_is_kept) {
    struct printed_case c =
        read_graph(", x: \"f32[2]\"", "        a: \"f32[2]\" = torch.ops.aten.neg.default(x)\n"
                                      "        a: \"f32[2]\" = torch.ops.aten.sin.default(a)\n"
                                      "        return (a,)\n");
    signet_node second = printed_case_node(&c, printed_case_top(&c), 1);
    cr_assert(
        signet_value_is_redefined(c.p, signet_arg_value(c.p, signet_node_output(c.p, second, 0))));
    printed_case_free(&c);
}

Test(printed_graph, renamed_parameter_and_aliases) {
    struct printed_case c = read_graph(", l_x_: \"f32[2]\", y: \"f32[2]\"",
                                       "        x = l_x_\n"
                                       "        a: \"f32[2]\" = torch.ops.aten.add.Tensor(x, y)\n"
                                       "        b = a\n"
                                       "        c = b\n"
                                       "        return (c, l_x_)\n");
    signet_graph top = printed_case_top(&c);
    signet_value x = signet_arg_value(c.p, signet_graph_input(c.p, top, 0));
    check_name(signet_value_name(c.p, x), "x");
    cr_expect_eq(signet_arg_value(c.p, first_arg(&c, 0)).id, x.id);
    check_name(signet_value_name(c.p, signet_arg_value(c.p, signet_graph_output(c.p, top, 0))),
               "a");
    cr_expect_eq(signet_arg_value(c.p, signet_graph_output(c.p, top, 1)).id, x.id);
    cr_expect_eq(signet_graph_node_count(c.p, top), 1);
    printed_case_free(&c);
}

Test(printed_graph, alias_of_itself) {
    struct printed_case c =
        read_graph(", x: \"f32[2]\"", "        a = a\n"
                                      "        b: \"f32[2]\" = torch.ops.aten.neg.default(a)\n"
                                      "        return (b, a)\n");
    cr_assert_eq(signet_value_get_kind(c.p, signet_arg_value(c.p, first_arg(&c, 0))),
                 SIGNET_VALUE_UNDEFINED);
    printed_case_free(&c);
}

/* ---- Types ----------------------------------------------------------------------------------- */

static signet_type_info type_of(const struct printed_case *c, uint32_t input) {
    signet_arg arg = signet_graph_input(c->p, printed_case_top(c), input);
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    signet_type_get(c->p, signet_value_type(c->p, signet_arg_value(c->p, arg)), &info);
    return info;
}

Test(printed_graph, sizes_are_expressions) {
    struct printed_case c = read_graph(
        ", a: \"f32[s17 + s77, 4]\", b: \"bf16[Max(1, u0), ((s0 - 1)//2) + 1]\", c: \"f32[]\", "
        "d: \"b8[0]\", e: \"f32[2, 3][3, 1]cuda:1\", f: \"DTensor(f32[4][1], S(0))\", "
        "g: f32[s0, 2], h: \"f4e2m1fnx2[2]\", i : torch.Tensor, j: \"Parameter(f32[7])\" = None",
        "        return (a,)\n");
    signet_type_info t = type_of(&c, 0);
    cr_expect_eq(t.dtype, SIGNET_DTYPE_F32);
    cr_assert_eq(t.rank, 2);
    cr_expect_eq(signet_sym_get(c.p, t.sizes[0]).kind, SIGNET_SYM_EXPR);
    cr_expect_eq(signet_sym_get(c.p, t.sizes[1]).number, 4);
    cr_expect_eq(t.layout, SIGNET_LAYOUT_UNKNOWN);
    cr_expect_null(t.device.data);
    cr_expect(!t.has_strides);
    cr_expect_eq(type_of(&c, 1).rank, 2);
    cr_expect_eq(type_of(&c, 2).rank, 0);
    cr_expect_eq(type_of(&c, 2).dtype, SIGNET_DTYPE_F32);
    cr_expect_eq(type_of(&c, 3).rank, 1);
    t = type_of(&c, 4);
    cr_expect(t.has_strides && t.stride_count == 2);
    check_name(t.device, "cuda");
    cr_expect(t.has_device_index && t.device_index == 1);
    cr_expect_eq(type_of(&c, 5).rank, 1);
    cr_expect_eq(type_of(&c, 6).rank, 2);
    cr_expect_eq(type_of(&c, 7).dtype, SIGNET_DTYPE_UNKNOWN);
    cr_expect_eq(type_of(&c, 7).rank, 1);
    signet_arg plain = signet_graph_input(c.p, printed_case_top(&c), 8);
    cr_expect_eq(signet_arg_get_kind(c.p, plain), SIGNET_ARG_CONSTANT);
    cr_expect_eq(type_of(&c, 9).rank, 1);
    printed_case_free(&c);
}

/* ---- Comments -------------------------------------------------------------------------------- */

static void check_source(const char *comment, const char *file, uint32_t line, const char *function,
                         const char *code) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, comment);
    sg_text_puts(&t, "        a: \"f32[2]\" = torch.ops.aten.neg.default(x);  x = None\n"
                     "        return (a,)\n");
    struct printed_case c = read_graph(", x: \"f32[2]\"", t.data);
    signet_node n = printed_case_node(&c, printed_case_top(&c), 0);
    signet_user_source s = signet_node_user_source(c.p, n);
    if (file == NULL) {
        cr_assert_null(s.file.data, "%s", comment);
        cr_assert_eq(signet_node_metadata_count(c.p, n), 0);
    } else {
        check_name(s.file, file);
        cr_assert_eq(s.line, line);
        check_name(s.function, function);
        check_name(s.code, code);
    }
    sg_text_free(&t);
    printed_case_free(&c);
}

Test(printed_graph, comments_are_stack_traces) {
    check_source("        # File: model.py:43 in forward, code: self.k[:, 2:3] = x\n", "model.py",
                 43, "forward", "self.k[:, 2:3] = x");
    check_source("         # File: model.py:43 in forward, code: y\n", "model.py", 43, "forward",
                 "y"); /* 2.5 to 2.9 */
    check_source("        # File: model.py:30, code: c\n", "model.py", 30, "<unknown>", "c");
    check_source("        # File: <eval_with_key>.33:9 in forward, code: c;  a = None\n",
                 "<eval_with_key>.33", 9, "forward", "c;  a = None");
    check_source("        # File: <eval_with_key>.1 from torch/fx/proxy.py:17 in wrapped:9 in "
                 "forward, code: c\n",
                 "<eval_with_key>.1 from torch/fx/proxy.py:17 in wrapped", 9, "forward", "c");
    check_source("        # Annotation: {'a': 1} File: m.py:1 in f, code: c\n", "m.py", 1, "f",
                 "c");
    check_source("        # recompute: MUST_SAVE File: m.py:1 in f, code: c\n", "m.py", 1, "f",
                 "c");
    check_source("        # Backward of forward node: File: m.py:1 in f, code: c\n", "m.py", 1, "f",
                 "c");
    check_source("        # No stacktrace found for following nodes\n", NULL, 0, NULL, NULL);
    check_source("        # \n", NULL, 0, NULL, NULL);
    check_source("        #\n", NULL, 0, NULL, NULL);
    check_source("        # File: m.py:1 in f, code: c\n        # my own note\n", "m.py", 1, "f",
                 "c");
    check_source("        # File: m.py:1 in f, code: c\n"
                 "        # No stacktrace found for following nodes\n",
                 NULL, 0, NULL, NULL);
    check_source("        # File: m.py:1 in f, code: # No stacktrace found for following nodes\n",
                 "m.py", 1, "f", "# No stacktrace found for following nodes");
}

Test(printed_graph, comments_hold_anything) {
    check_source("        # File: m.py:1 in f, code: return x;  a = None\n", "m.py", 1, "f",
                 "return x;  a = None");
    check_source("        # File: m.py:1 in f, code: class X(torch.nn.Module):\n", "m.py", 1, "f",
                 "class X(torch.nn.Module):");
    check_source("        # File: m.py:1 in f, code: Graph signature: x\n", "m.py", 1, "f",
                 "Graph signature: x");
    check_source("        # File: m.py:1 in f, code: foo(\n", "m.py", 1, "f", "foo(");
    check_source("        # File: m.py:1 in f, code: \"\"\"text\n", "m.py", 1, "f", "\"\"\"text");
}

Test(printed_graph, strings_hold_anything) {
    struct printed_case c = read_graph(
        ", x: \"Sym(u0 >= 1)\"",
        "        n = torch.ops.aten._assert_scalar.default(x, \"Runtime assertion failed for "
        "expression u0 >= 1 on node 'ge_1'; [ # (\");  x = n = None\n"
        "        return ()\n");
    check_name(signet_arg_string(c.p, first_arg(&c, 1)),
               "Runtime assertion failed for expression u0 >= 1 on node 'ge_1'; [ # (");
    printed_case_free(&c);
}

/* ---- Outputs --------------------------------------------------------------------------------- */

Test(printed_graph, ways_to_return) {
    struct printed_case c = read_graph(", x: \"f32[2]\"", "        return x\n");
    cr_expect(signet_graph_returns_bare(c.p, printed_case_top(&c)));
    cr_expect_eq(signet_graph_output_count(c.p, printed_case_top(&c)), 1);
    printed_case_free(&c);
    c = read_graph(", x: \"f32[2]\"", "        return (x,)\n");
    cr_expect(!signet_graph_returns_bare(c.p, printed_case_top(&c)));
    printed_case_free(&c);
    c = read_graph(", x: \"f32[2]\"", "        return [x, x, None, 3]\n");
    cr_expect_eq(signet_graph_output_count(c.p, printed_case_top(&c)), 4);
    cr_expect_eq(signet_arg_get_kind(c.p, signet_graph_output(c.p, printed_case_top(&c), 3)),
                 SIGNET_ARG_INT);
    printed_case_free(&c);
    c = read_graph("", "        pass\n        return ()\n");
    cr_expect_eq(signet_graph_output_count(c.p, printed_case_top(&c)), 0);
    printed_case_free(&c);
}
