/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/formats/printed_case.h"

/* ---- Every layout ---------------------------------------------------------------------------- */

struct layout {
    char name[32];
    uint32_t nodes, inputs, outputs, mutations, ranges;
};

ParameterizedTestParameters(printed_layout, of_every_release) {
    static struct layout layouts[] = {
        {"2.1-counter.txt", 8, 5, 3, 2, 0},   {"2.1-dyn_shape.txt", 5, 3, 2, 0, 2},
        {"2.2-cond.txt", 2, 3, 2, 1, 0},      {"2.2-dyn_shape.txt", 5, 3, 2, 0, 2},
        {"2.2-kv_cache.txt", 27, 4, 3, 2, 0}, {"2.3-cond.txt", 2, 3, 2, 1, 0},
        {"2.4-cond.txt", 2, 3, 2, 1, 0},      {"2.4-kv_cache.txt", 17, 4, 3, 2, 0},
        {"2.5-cond.txt", 2, 3, 2, 1, 0},      {"2.7-nested.txt", 9, 4, 7, 0, 0},
        {"2.8-cond.txt", 2, 3, 1, 0, 0},      {"2.10-counter.txt", 7, 5, 1, 0, 0},
        {"2.13-args.txt", 34, 8, 11, 0, 1},   {"2.13-nested.txt", 9, 4, 7, 0, 0},
        {"2.13-cond_fn.txt", 2, 3, 2, 1, 0},  {"2.14-cond.txt", 2, 3, 1, 0, 0},
    };
    return cr_make_param_array(struct layout, layouts, sizeof(layouts) / sizeof(layouts[0]));
}

ParameterizedTest(struct layout *l, printed_layout, of_every_release) {
    char name[64] = "printed/";
    strcat(name, l->name);
    struct printed_case c = printed_case_read_file(name);
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_eq(c.findings, 0, "%s: %s", l->name, c.said.data);
    signet_program program = signet_program_at(c.p, 0);
    cr_assert_eq(signet_program_count(c.p), 1);
    cr_expect(signet_program_is_lossy(c.p, program));
    cr_expect(!signet_program_has_state_tables(c.p, program));
    cr_expect(!signet_program_has_calls(c.p, program));
    cr_expect(sg_string_is(signet_program_name(c.p, program), "forward"));
    signet_graph top = printed_case_top(&c);
    cr_expect_eq(signet_graph_node_count(c.p, top), l->nodes, "%s: %u nodes", l->name,
                 signet_graph_node_count(c.p, top));
    cr_expect_eq(signet_graph_input_count(c.p, top), l->inputs);
    cr_expect_eq(signet_graph_output_count(c.p, top), l->outputs);
    cr_expect_eq(signet_spec_count(c.p, program, SIGNET_INPUT), l->inputs);
    cr_expect_eq(signet_spec_count(c.p, program, SIGNET_OUTPUT), l->outputs);
    cr_expect_eq(signet_program_range_count(c.p, program), l->ranges);
    uint32_t mutations = 0;
    for (uint32_t i = 0; i < l->outputs; i++) {
        signet_spec spec = SIGNET_SPEC_INIT;
        cr_assert(signet_spec_get(c.p, program, SIGNET_OUTPUT, i, &spec));
        mutations += signet_output_kind_is_mutation((signet_output_kind)spec.kind);
        signet_value value = signet_arg_value(c.p, signet_graph_output(c.p, top, i));
        cr_expect(value.id == 0 ? spec.name.data == NULL
                                : sg_string_equal(spec.name, signet_value_name(c.p, value)),
                  "%s: output %u", l->name, i);
    }
    cr_expect_eq(mutations, l->mutations);
    for (uint32_t i = 0; i < l->inputs; i++) { /* every input has its spec's name */
        signet_spec spec = SIGNET_SPEC_INIT;
        cr_assert(signet_spec_get(c.p, program, SIGNET_INPUT, i, &spec));
        signet_value value = signet_arg_value(c.p, signet_graph_input(c.p, top, i));
        cr_expect(value.id == 0 || sg_string_equal(spec.name, signet_value_name(c.p, value)),
                  "%s: input %u", l->name, i);
    }
    printed_case_free(&c);
}

/* ---- The seed -------------------------------------------------------------------------------- */

static signet_string spanned(const struct printed_case *c, struct sg_span span) {
    const struct sg_source *s = &c->p->sources.data[1];
    cr_assert_neq(span.at, 0);
    return (signet_string){s->text + span.at - 1, span.length};
}

Test(printed_layout, the_seed_with_its_places) {
    struct printed_case c = printed_case_read_file("seed/broken.txt");
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    signet_program program = signet_program_at(c.p, 0);
    signet_node call = signet_graph_first(c.p, printed_case_top(&c));
    cr_assert_eq(signet_graph_node_count(c.p, printed_case_top(&c)), 1);
    cr_assert_eq(signet_node_operator(c.p, call).op_class, SIGNET_OPERATOR_DELEGATE_CALL);
    cr_assert(sg_string_is(signet_node_name(c.p, call), "executorch_call_delegate"));
    cr_assert_eq(signet_arg_get_kind(c.p, signet_node_input(c.p, call, 0)), SIGNET_ARG_DELEGATE);
    signet_delegate delegate = signet_arg_delegate(c.p, signet_node_input(c.p, call, 0));
    cr_assert(sg_string_is(signet_delegate_name(c.p, delegate), "lowered_module_0"));
    cr_assert_eq(signet_node_output_count(c.p, call), 2);
    cr_assert(signet_node_results_open(c.p, call));
    signet_value getitem = signet_arg_value(c.p, signet_node_output(c.p, call, 0));
    cr_assert(sg_string_is(signet_value_name(c.p, getitem), "getitem"));

    const struct sg_spec *spec = &c.p->programs.data[program.id].specs[SIGNET_OUTPUT].data[0];
    uint32_t line = 0;
    uint32_t column = 0;
    sg_source_line(&c.p->sources.data[1], spec->span.at - 1, &line, &column);
    cr_expect_eq(line, 13);
    cr_expect_eq(column, 170);
    cr_expect(sg_string_starts(spanned(&c, spec->span), "OutputSpec(kind="));
    cr_expect(sg_string_ends(spanned(&c, spec->span), "target='state_1')"));
    cr_expect(sg_string_is(spanned(&c, spec->target_span), "target='state_1'"));
    cr_expect(sg_string_is(spanned(&c, spec->name_span), "getitem"));
    const struct sg_node *node = &c.p->nodes.data[call.id];
    cr_expect(sg_string_starts(spanned(&c, node->span), "executorch_call_delegate = torch.ops."));
    cr_expect(sg_string_ends(spanned(&c, node->span), "(lowered_module_0, x)"));
    struct sg_span at = {c.p->args.data[signet_node_output(c.p, call, 0).id].at, 7};
    cr_expect(sg_string_is(spanned(&c, at), "getitem"));
    printed_case_free(&c);
}

Test(printed_layout, places_of_the_new_signature) {
    struct printed_case c = printed_case_read_file("printed/2.13-cond_fn.txt");
    signet_program program = signet_program_at(c.p, 0);
    const struct sg_spec *spec = &c.p->programs.data[program.id].specs[SIGNET_OUTPUT].data[0];
    cr_expect(sg_string_is(spanned(&c, spec->span), "add: BUFFER_MUTATION target='state'"));
    cr_expect(sg_string_is(spanned(&c, spec->target_span), "target='state'"));
    cr_expect(sg_string_is(spanned(&c, spec->name_span), "add"));
    printed_case_free(&c);
    c = printed_case_read_file("printed/2.13-args.txt");
    program = signet_program_at(c.p, 0);
    const struct sg_range *range = &c.p->programs.data[program.id].ranges.data[0];
    cr_expect(sg_string_is(spanned(&c, range->span), "u0: VR[1, 4]"));
    cr_expect(range->has_min && range->min == 1 && range->has_max && range->max == 4);
    printed_case_free(&c);
}

/* ---- Subgraphs ------------------------------------------------------------------------------- */

Test(printed_layout, subgraphs_by_order_and_by_name) {
    static const char *const files[] = {"printed/2.2-cond.txt", "printed/2.4-cond.txt",
                                        "printed/2.5-cond.txt", "printed/2.14-cond.txt"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct printed_case c = printed_case_read_file(files[i]);
        signet_node cond = signet_graph_first(c.p, printed_case_top(&c));
        signet_graph yes = signet_arg_graph(c.p, signet_node_input(c.p, cond, 1));
        signet_graph no = signet_arg_graph(c.p, signet_node_input(c.p, cond, 2));
        cr_assert_neq(yes.id, 0, "%s", files[i]);
        cr_assert_neq(no.id, 0);
        cr_expect(sg_string_is(signet_graph_name(c.p, yes), "true_graph_0"));
        cr_expect(sg_string_is(signet_graph_name(c.p, no), "false_graph_0"));
        cr_expect(sg_string_is(signet_node_target(c.p, signet_graph_first(c.p, yes)),
                               "torch.ops.aten.sin.default"));
        cr_expect(sg_string_is(signet_node_target(c.p, signet_graph_first(c.p, no)),
                               "torch.ops.aten.cos.default"));
        cr_expect_eq(signet_graph_parent(c.p, no).id, cond.id);
        printed_case_free(&c);
    }
}

static const char nested[] =
    "class GraphModule(torch.nn.Module):\n"
    "    def forward(self, x: \"f32[2]\"):\n"
    "        true_graph_0 = self.true_graph_0\n"
    "        cond = torch.ops.higher_order.cond(x, true_graph_0, (x,));  x = None\n"
    "        getitem: \"f32[2]\" = cond[0];  cond = None\n"
    "        return (getitem,)\n"
    "        \n"
    "    class true_graph_0(torch.nn.Module):\n"
    "        def forward(self, x: \"f32[2]\"):\n"
    "            true_graph_0 = self.true_graph_0\n"
    "            lowered_module_0 = self.lowered_module_0\n"
    "            cond = torch.ops.higher_order.cond(x, true_graph_0, (x,))\n"
    "            getitem: \"f32[2]\" = cond[0];  cond = None\n"
    "            executorch_call_delegate = "
    "torch.ops.higher_order.executorch_call_delegate(lowered_module_0, getitem)\n"
    "            getitem_1: \"f32[2]\" = executorch_call_delegate[0]\n"
    "            return (getitem_1,)\n"
    "            \n"
    "        class true_graph_0(torch.nn.Module):\n"
    "            def forward(self, x: \"f32[2]\"):\n"
    "                neg: \"f32[2]\" = torch.ops.aten.neg.default(x);  x = None\n"
    "                return neg\n";

Test(printed_layout, nested_classes_have_names_of_their_own) {
    struct printed_case c = printed_case_read(nested);
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    signet_node cond = signet_graph_first(c.p, printed_case_top(&c));
    signet_graph middle = signet_arg_graph(c.p, signet_node_input(c.p, cond, 1));
    signet_node inner = signet_graph_first(c.p, middle);
    signet_graph last = signet_arg_graph(c.p, signet_node_input(c.p, inner, 1));
    cr_assert_neq(last.id, 0);
    cr_assert_neq(last.id, middle.id);
    cr_expect_eq(signet_graph_node_count(c.p, last), 1);
    cr_expect(signet_graph_returns_bare(c.p, last));
    cr_expect(!signet_graph_returns_bare(c.p, middle));
    cr_assert_eq(signet_delegate_count(c.p), 1);
    cr_expect(sg_string_is(signet_delegate_name(c.p, signet_delegate_at(c.p, 0)),
                           "true_graph_0.lowered_module_0"));
    printed_case_free(&c);
}

Test(printed_layout, one_class_used_twice_gives_two_graphs) {
    struct printed_case c = printed_case_read(
        "class GraphModule(torch.nn.Module):\n"
        "    def forward(self, x: \"f32[2]\"):\n"
        "        g = self.g\n"
        "        a: \"f32[2]\" = torch.ops.higher_order.invoke_subgraph(g, 'r', x)\n"
        "        g_1 = self.g\n"
        "        b: \"f32[2]\" = torch.ops.higher_order.invoke_subgraph(g_1, 'r', a)\n"
        "        return (b,)\n"
        "    class g(torch.nn.Module):\n"
        "        def forward(self, y: \"f32[2]\"):\n"
        "            sin: \"f32[2]\" = torch.ops.aten.sin.default(y)\n"
        "            return (sin,)\n");
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    signet_node a = printed_case_node(&c, printed_case_top(&c), 0);
    signet_node b = printed_case_node(&c, printed_case_top(&c), 1);
    signet_graph of_a = signet_arg_graph(c.p, signet_node_input(c.p, a, 0));
    signet_graph of_b = signet_arg_graph(c.p, signet_node_input(c.p, b, 0));
    cr_assert_neq(of_a.id, of_b.id);
    cr_expect_eq(signet_graph_node_count(c.p, of_a), 1);
    cr_expect_eq(signet_graph_node_count(c.p, of_b), 1);
    printed_case_free(&c);
}

/* ---- Pasted text ----------------------------------------------------------------------------- */

/* Every line of the seed's program, with something in front of it and behind it. */
static struct printed_case read_pasted(const char *before, const char *prefix, const char *newline,
                                       bool strip, const char *after) {
    size_t length = 0;
    char *text = printed_case_load("printed/2.14-cond.txt", &length);
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, before);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        sg_text_puts(&t, prefix);
        sg_text_puts(&t, strip ? line + strspn(line, " ") : line);
        sg_text_puts(&t, newline);
    }
    sg_text_puts(&t, after);
    if (after[0] == '\0') { /* no newline at the end either */
        t.length -= strlen(newline);
    }
    struct printed_case c = printed_case_read_piece(t.data, t.length, NULL);
    sg_text_free(&t);
    free(text);
    return c;
}

static void check_pasted(const char *before, const char *prefix, const char *newline, bool strip,
                         const char *after) {
    struct printed_case plain = printed_case_read_file("printed/2.14-cond.txt");
    struct printed_case c = read_pasted(before, prefix, newline, strip, after);
    cr_assert_eq(c.status, SIGNET_OK, "prefix '%s'", prefix);
    cr_assert_eq(c.findings, 0, "prefix '%s': %s", prefix, c.said.data);
    struct sg_text a = printed_case_print(plain.p);
    struct sg_text b = printed_case_print(c.p);
    cr_assert_str_eq(a.data, b.data, "prefix '%s'", prefix);
    sg_text_free(&a);
    sg_text_free(&b);
    printed_case_free(&plain);
    printed_case_free(&c);
}

Test(printed_layout, pasted_from_somewhere) {
    check_pasted("", "", "\n", false, "");
    check_pasted("", "", "\r\n", false, "");
    check_pasted("", "\t", "\n", false, "\n");
    check_pasted("", "        ", "\n", false, "\n");
    check_pasted("", "> ", "\n", false, "\n");
    check_pasted("", "# ", "\n", false, "");
    check_pasted("", "", "\n", true, "");
    check_pasted("I0731 12:00:01.1 run.py:1] exporting\n", "I0731 12:00:02.1 run.py:77] ", "\n",
                 false, "I0731 12:00:03.1 run.py:1] Range of temperatures: fine\n");
    check_pasted("starting\n\n", "", "\n", false, "\ndone in 3 s\n{'a': 1}\n");
    check_pasted("the program is ", "", "\n", false, "\n");
    check_pasted("class Model(torch.nn.Module):\n    def __init__(self):\n        pass\n\n", "",
                 "\n", false, "\n>>> \n");
}

Test(printed_layout, times_in_a_prefix_differ) {
    struct printed_case c =
        printed_case_read("12:00:01 x.py:9] ExportedProgram:\n"
                          "12:00:02 x.py:9]     class GraphModule(torch.nn.Module):\n"
                          "noise of another thread\n"
                          "12:00:03 x.py:9]         def forward(self, x: \"f32[2]\"):\n"
                          "12:00:04 x.py:9]             return (x,)\n"
                          "12:00:04 x.py:9]\n"
                          "12:00:05 x.py:9] Graph signature:\n"
                          "12:00:05 x.py:9]     # inputs\n"
                          "12:00:05 x.py:9]     x: USER_INPUT\n"
                          "12:00:05 x.py:9]\n"
                          "12:00:05 x.py:9]     # outputs\n"
                          "12:00:05 x.py:9]     x: USER_OUTPUT\n"
                          "12:00:05 x.py:9]\n"
                          "12:00:06 x.py:9] Range constraints: {}\n");
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    cr_assert_eq(signet_graph_output_count(c.p, printed_case_top(&c)), 1);
    printed_case_free(&c);
}

Test(printed_layout, bare_graph_has_no_signature) {
    struct printed_case c =
        printed_case_graph(", x: \"f32[2]\"", "        add: \"f32[2]\" = "
                                              "torch.ops.aten.add.Tensor(x, 1);  x = None\n"
                                              "        return (add,)\n"
                                              "        \n"
                                              "elapsed: 3 s\n");
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    signet_program program = signet_program_at(c.p, 0);
    cr_assert_eq(signet_spec_count(c.p, program, SIGNET_INPUT), 0);
    cr_assert(c.p->programs.data[program.id].faulty, "rules must not ask for the signature");
    printed_case_free(&c);
}

Test(printed_layout, parameters_one_a_line) {
    struct printed_case c = printed_case_read("class Joint(torch.nn.Module):\n"
                                              "    def forward(\n"
                                              "        self,\n"
                                              "        x: \"f32[2, 2]\",  # PlainAOTInput(idx=0)\n"
                                              "        y: \"Sym(s0)\",\n"
                                              "    ):\n"
                                              "        add = torch.ops.aten.add.Tensor(\n"
                                              "            x,\n"
                                              "            y,\n"
                                              "        )\n"
                                              "        return (\n"
                                              "            x,  # the first\n"
                                              "        )\n");
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    cr_assert_eq(signet_graph_input_count(c.p, printed_case_top(&c)), 2);
    cr_assert_eq(signet_node_input_count(c.p, printed_case_node(&c, printed_case_top(&c), 0)), 2);
    cr_assert_eq(signet_graph_output_count(c.p, printed_case_top(&c)), 1);
    printed_case_free(&c);
}

/* ---- What is no program ---------------------------------------------------------------------- */

static void check_refused(const char *text) {
    struct printed_case c = printed_case_read(text);
    cr_assert_eq(c.status, SIGNET_E_SYNTAX, "%s", text);
    cr_assert_eq(c.findings, 1);
    cr_assert_eq(signet_program_count(c.p), 0);
    printed_case_free(&c);
}

Test(printed_layout, other_text_is_refused) {
    check_refused("");
    check_refused("\n\n");
    check_refused("hello\n");
    check_refused("ExportedProgram:");
    check_refused("ExportedProgram:\nhello\n");
    check_refused("class Net(torch.nn.Module):\n    def __init__(self):\n        pass\n");
    check_refused("class GraphModule(torch.nn.Module):\n");
    check_refused("graph():\n    %x : [num_users=1] = placeholder[target=x]\n");
}

Test(printed_layout, text_that_ends_early) {
    static const char head[] = "ExportedProgram:\n"
                               "    class GraphModule(torch.nn.Module):\n"
                               "        def forward(self, x: \"f32[2]\"):\n"
                               "            return (x,)\n";
    struct printed_case c = printed_case_read(head);
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_str_eq(c.said.data,
                     "5:1 carrier.truncated the text ends before the graph signature\n");
    printed_case_free(&c);
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, head);
    sg_text_puts(&t, "Graph signature:\n    # inputs\n    x: USER_INPUT\n");
    c = printed_case_read(t.data);
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_str_eq(c.said.data,
                     "8:1 carrier.truncated the text ends before the range constraints\n");
    printed_case_free(&c);
    sg_text_free(&t);
}

Test(printed_layout, second_program_is_told) {
    size_t length = 0;
    char *text = printed_case_load("printed/2.14-cond.txt", &length);
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, text);
    sg_text_puts(&t, text);
    struct printed_case c = printed_case_read(t.data);
    cr_assert_eq(c.findings, 1);
    cr_assert_not_null(strstr(c.said.data, "a second program starts here"));
    cr_assert_eq(signet_program_count(c.p), 1);
    printed_case_free(&c);
    sg_text_free(&t);
    free(text);
}

Test(printed_layout, meta_blocks_are_skipped) {
    struct printed_case c = printed_case_graph(", x", "        \"\"\"\n"
                                                      "        val: 'class X(torch.nn.Module):'\n"
                                                      "        return (y)\n"
                                                      "        \"\"\"\n"
                                                      "        return (x,)\n");
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    cr_assert_eq(signet_graph_output_count(c.p, printed_case_top(&c)), 1);
    printed_case_free(&c);
}
