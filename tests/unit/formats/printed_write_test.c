/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/formats/printed_case.h"

/* ---- Text that comes back -------------------------------------------------------------------- */

struct file {
    char name[48];
    bool same; /* as PyTorch 2.13 prints: byte for byte */
};

ParameterizedTestParameters(printed_write, text_comes_back) {
    static struct file files[] = {
        {"printed/2.13-args.txt", true},    {"printed/2.13-nested.txt", true},
        {"printed/2.13-cond_fn.txt", true}, {"printed/2.1-counter.txt", false},
        {"printed/2.2-cond.txt", false},    {"printed/2.4-kv_cache.txt", false},
        {"printed/2.5-cond.txt", false},    {"printed/2.7-nested.txt", false},
        {"printed/2.14-cond.txt", false},   {"seed/broken.txt", false},
    };
    return cr_make_param_array(struct file, files, sizeof(files) / sizeof(files[0]));
}

ParameterizedTest(struct file *f, printed_write, text_comes_back) {
    size_t length = 0;
    char *text = printed_case_load(f->name, &length);
    cr_assert_not_null(text);
    while (length > 1 && text[length - 2] == '\n') { /* print() adds one newline more */
        text[--length] = '\0';
    }
    struct printed_case first = printed_case_read(text);
    struct sg_text once = printed_case_print(first.p);
    if (f->same) {
        cr_assert_str_eq(once.data, text, "%s", f->name);
    }
    struct printed_case second = printed_case_read(once.data);
    cr_assert_eq(second.findings, 0, "%s: %s", f->name, second.said.data);
    struct sg_text twice = printed_case_print(second.p);
    cr_assert_str_eq(twice.data, once.data, "%s", f->name);
    printed_case_free(&first);
    printed_case_free(&second);
    sg_text_free(&once);
    sg_text_free(&twice);
    free(text);
}

/* Everything a line can hold, in the form that PyTorch gives it. */
static const char all[] =
    "ExportedProgram:\n"
    "    class GraphModule(torch.nn.Module):\n"
    "        def forward(self, p_w: \"f32[s0 + 1, 2]\", b_k: \"f32[]\", n: \"Sym(s0)\", pos):\n"
    "            # Annotation: {'a': True, 'b': [1, None, 'x']} File: m.py:7 in f, code: y = "
    "self.k\n"
    "            add: \"Sym(s0 + 2)\" = n + 2\n"
    "            neg: \"Sym(-s0)\" = -add\n"
    "            ge: \"Sym(s0 >= 2)\" = n >= 2;  n = None\n"
    "    \n"
    "            # File: m.py:8 in f, code: z = 'it'\n"
    "            f = torch.ops.ns.f.default(p_w, [p_w, None], [1, 2], [add, 3], [], 'it\\n', "
    "\"it's\", "
    "k = {'x': b_k, 'y': [1.5]}, d = device(type='cuda', index=1), t = torch.float32, l = "
    "torch.strided, m = torch.channels_last, o = torch.ops.aten.add.Tensor, c = (1-2j), j = 2j, "
    "i = -inf, b = False);  p_w = add = None\n"
    "            getitem: \"f32[2]\" = f[0]\n"
    "            getitem_1: \"f32[2]\" = f[2];  f = getitem_1 = None\n"
    "            check = torch.ops.aten._assert_scalar.default(ge, 'no');  ge = check = None\n"
    "    \n"
    "            # No stacktrace found for following nodes\n"
    "            true_graph_0 = self.true_graph_0\n"
    "            cond = torch.ops.higher_order.cond(getitem, true_graph_0, [getitem, b_k]);  "
    "true_graph_0 = b_k = None\n"
    "            getitem_2: \"f32[2]\" = cond[0];  cond = None\n"
    "            lowered_module_0 = self.lowered_module_0\n"
    "            executorch_call_delegate = "
    "torch.ops.higher_order.executorch_call_delegate(lowered_module_0, getitem_2);  "
    "lowered_module_0 = executorch_call_delegate = None\n"
    "            layers_0_weight = getattr(self.layers, \"0\").weight\n"
    "            g: \"f32[2]\" = "
    "executorch_exir_dialects_edge__ops_aten_neg_default(layers_0_weight);  "
    "layers_0_weight = None\n"
    "            return (getitem, g, getitem_2, neg, None, 7)\n"
    "    \n"
    "        class true_graph_0(torch.nn.Module):\n"
    "            def forward(self, x: \"f32[2]\", y: \"f32[]\"):\n"
    "                # No stacktrace found for following nodes\n"
    "                add: \"f32[2]\" = torch.ops.aten.add.Tensor(x, y);  x = y = None\n"
    "                return add\n"
    "    \n"
    "Graph signature: \n"
    "    # inputs\n"
    "    p_w: PARAMETER target='w'\n"
    "    b_k: BUFFER target='k' persistent=False\n"
    "    n: USER_INPUT\n"
    "    pos: USER_INPUT\n"
    "    \n"
    "    # outputs\n"
    "    getitem: BUFFER_MUTATION target='k'\n"
    "    g: USER_OUTPUT\n"
    "    getitem_2: USER_OUTPUT\n"
    "    neg: USER_OUTPUT\n"
    "    : USER_OUTPUT\n"
    "    : USER_OUTPUT\n"
    "    \n"
    "Range constraints: {s0: VR[2, int_oo], u1: VR[-int_oo, -3]}\n";

Test(printed_write, everything_comes_back) {
    struct printed_case c = printed_case_read(all);
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    struct sg_text t = printed_case_print(c.p);
    cr_assert_str_eq(t.data, all, "got:\n%s", t.data);
    sg_text_free(&t);
    printed_case_free(&c);
}

/* ---- Programs that were built ---------------------------------------------------------------- */

static signet_package *new_package(signet_graph *graph) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program program = signet_program_add(p, signet_str("forward"), SIGNET_ROLE_METHOD);
    *graph = signet_program_graph(p, program);
    return p;
}

static void check_lines(const signet_package *p, const char *expected) {
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    struct sg_text t = printed_case_print(p);
    cr_assert_not_null(strstr(t.data, expected), "got:\n%s", t.data);
    sg_text_free(&t);
}

Test(printed_write, empty_program) {
    signet_graph g;
    signet_package *p = new_package(&g);
    check_lines(p, "ExportedProgram:\n"
                   "    class GraphModule(torch.nn.Module):\n"
                   "        def forward(self):\n"
                   "            return ()\n"
                   "    \n"
                   "Graph signature: \n"
                   "    # inputs\n"
                   "    \n"
                   "    \n"
                   "    # outputs\n"
                   "    \n"
                   "    \n"
                   "Range constraints: {}\n");
    signet_package_destroy(p);
}

Test(printed_write, nodes_without_names_get_some) {
    signet_graph g;
    signet_package *p = new_package(&g);
    for (int i = 0; i < 2; i++) {
        signet_node n = signet_node_append(p, g, signet_str("torch.ops.aten.topk.default"));
        signet_arg out = signet_node_set_outputs(p, n, 2);
        signet_arg_set_named(p, out, SIGNET_ARG_TENSOR, signet_str(i == 0 ? "a" : "c"));
        signet_arg_set_named(p, (signet_arg){out.id + 1}, SIGNET_ARG_TENSOR,
                             signet_str(i == 0 ? "b" : "x_unused_1"));
    }
    check_lines(p, "            topk_default = torch.ops.aten.topk.default()\n"
                   "            a = topk_default[0];  a = None\n"
                   "            b = topk_default[1];  topk_default = b = None\n"
                   "            topk_default_1 = torch.ops.aten.topk.default()\n"
                   "            c = topk_default_1[0];  topk_default_1 = c = None\n"
                   "            return ()\n");
    signet_package_destroy(p);
}

Test(printed_write, results_that_are_lists) {
    signet_graph g;
    signet_package *p = new_package(&g);
    signet_node n = signet_node_append(p, g, signet_str("torch.ops.aten.split.Tensor"));
    signet_node_set_name(p, n, signet_str("split"));
    signet_arg list =
        signet_arg_set_list(p, signet_node_set_outputs(p, n, 1), SIGNET_ARG_TENSORS, 2);
    signet_arg_set_named(p, list, SIGNET_ARG_TENSOR, signet_str("a"));
    signet_arg_set_named(p, (signet_arg){list.id + 1}, SIGNET_ARG_TENSOR,
                         signet_str("split_unused_1"));
    n = signet_node_append(p, g, signet_str("torch.ops.ns.both.default"));
    signet_node_set_name(p, n, signet_str("both"));
    signet_arg outs = signet_node_set_outputs(p, n, 2);
    signet_arg_set_named(p, outs, SIGNET_ARG_TENSOR, signet_str("b"));
    list = signet_arg_set_list(p, (signet_arg){outs.id + 1}, SIGNET_ARG_TENSORS, 1);
    signet_arg_set_named(p, list, SIGNET_ARG_TENSOR, signet_str("c"));
    check_lines(p, "            split = torch.ops.aten.split.Tensor()\n"
                   "            a = split[0];  split = a = None\n"
                   "            both = torch.ops.ns.both.default()\n"
                   "            b = both[0];  b = None\n"
                   "            getitem = both[1];  both = None\n"
                   "            c = getitem[0];  getitem = c = None\n");
    signet_package_destroy(p);
}

Test(printed_write, attributes_taken_twice) {
    signet_graph g;
    signet_package *p = new_package(&g);
    for (int i = 0; i < 3; i++) {
        signet_node n = signet_node_append(p, g, signet_str("torch.ops.higher_order.f"));
        signet_node_set_name(p, n, signet_str(i == 0 ? "f" : i == 1 ? "f_1" : "f_2"));
        signet_arg in = signet_node_set_inputs(p, n, 1);
        signet_arg_set_string(p, in, SIGNET_ARG_ATTRIBUTE, signet_str("body_0"));
    }
    check_lines(p, "            body_0 = self.body_0\n"
                   "            f = torch.ops.higher_order.f(body_0);  body_0 = f = None\n"
                   "            body_1 = self.body_0\n"
                   "            f_1 = torch.ops.higher_order.f(body_1);  body_1 = f_1 = None\n"
                   "            body_2 = self.body_0\n"
                   "            f_2 = torch.ops.higher_order.f(body_2);  body_2 = f_2 = None\n");
    signet_package_destroy(p);
}

Test(printed_write, names_of_hostile_files_stay_in_their_line) {
    signet_graph g;
    signet_package *p = new_package(&g);
    signet_node n = signet_node_append(p, g, signet_str("torch.ops.\nx"));
    signet_arg out = signet_node_set_outputs(p, n, 1);
    signet_arg_set_named(p, out, SIGNET_ARG_TENSOR, signet_str("a\n        return"));
    check_lines(p, "            a\\x0a        return = torch.ops.\\x0ax();  ");
    signet_package_destroy(p);
}

Test(printed_write, a_graph_inside_itself_ends) {
    signet_graph g;
    signet_package *p = new_package(&g);
    signet_node n = signet_node_append(p, g, signet_str("torch.ops.higher_order.f"));
    signet_arg in = signet_node_set_inputs(p, n, 2);
    signet_arg_set_graph(p, in, g);
    signet_graph sub = signet_graph_add(p, signet_program_at(p, 0), signet_str("sub"));
    signet_arg_set_graph(p, (signet_arg){in.id + 1}, sub);
    n = signet_node_append(p, sub, signet_str("torch.ops.higher_order.f"));
    signet_arg_set_graph(p, signet_node_set_inputs(p, n, 1), sub);
    struct sg_text t = printed_case_print(p);
    cr_assert_gt(t.length, 0);
    sg_text_free(&t);
    signet_package_destroy(p);
}

/* ---- The writer's side ----------------------------------------------------------------------- */

static bool stop_at_once(void *user, const char *text, size_t length) {
    (void)text;
    (void)length;
    ++*(int *)user;
    return false;
}

Test(printed_write, a_writer_that_stops) {
    struct printed_case c = printed_case_read(all);
    int calls = 0;
    signet_writer writer = {stop_at_once, &calls};
    cr_assert_eq(signet_write_printed(c.p, signet_program_at(c.p, 0), &writer), SIGNET_E_STOPPED);
    cr_assert_eq(calls, 1);
    printed_case_free(&c);
}

Test(printed_write, wrong_use) {
    struct printed_case c = printed_case_read(all);
    int calls = 0;
    signet_writer writer = {stop_at_once, &calls};
    signet_writer none = {NULL, NULL};
    signet_program program = signet_program_at(c.p, 0);
    cr_assert_eq(signet_write_printed(NULL, program, &writer), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_write_printed(c.p, (signet_program){0}, &writer), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_write_printed(c.p, (signet_program){9}, &writer), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_write_printed(c.p, program, NULL), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_write_printed(c.p, program, &none), SIGNET_E_INVALID_ARG);
    cr_assert_eq(calls, 0);
    printed_case_free(&c);
}
