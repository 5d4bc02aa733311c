/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/unit/formats/printed_case.h"

/* ---- Programs around a signature ------------------------------------------------------------- */

static struct printed_case read_program(const char *params, const char *result,
                                        const char *signature) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_printf(&t,
                   "ExportedProgram:\n"
                   "    class GraphModule(torch.nn.Module):\n"
                   "        def forward(self%s):\n"
                   "            return %s\n"
                   "            \n"
                   "%s"
                   "Range constraints: {}\n",
                   params, result, signature);
    struct printed_case c = printed_case_read(t.data);
    cr_assert_eq(c.status, SIGNET_OK);
    sg_text_free(&t);
    return c;
}

static signet_spec spec_at(const struct printed_case *c, signet_side side, uint32_t i) {
    signet_spec spec = SIGNET_SPEC_INIT;
    cr_assert(signet_spec_get(c->p, signet_program_at(c->p, 0), side, i, &spec));
    return spec;
}

static void check_text(signet_string s, const char *expected) {
    if (expected == NULL) {
        cr_assert_null(s.data);
        return;
    }
    cr_assert(sg_string_is(s, expected), "'%.*s' is not '%s'", (int)s.length, s.data, expected);
}

static void check_spec(const struct printed_case *c, signet_side side, uint32_t i, int kind,
                       const char *name, const char *target, signet_persistence persistent) {
    signet_spec s = spec_at(c, side, i);
    cr_assert_eq(s.kind, kind, "spec %u is of kind %d", i, s.kind);
    check_text(s.name, name);
    check_text(s.target, target);
    cr_assert_eq(s.persistent, persistent);
}

/* ---- Lines (2.8 and newer) ------------------------------------------------------------------- */

Test(printed_signature, lines) {
    struct printed_case c = read_program(
        ", p_w, b_k, b_t, c_o, obj, token: \"f32[0]\", x, pos", "(token, b_k, x, None, 5)",
        "Graph signature: \n"
        "    # inputs\n"
        "    p_w: PARAMETER target='lin.weight'\n"
        "    b_k: BUFFER target='k' persistent=True\n"
        "    b_t: BUFFER target='it's persistent=False, isn't it' persistent=False\n"
        "    c_o: CONSTANT_TENSOR target='offset'\n"
        "    obj: CUSTOM_OBJ target='attr'\n"
        "    token: TOKEN\n"
        "    x: USER_INPUT\n"
        "    pos: USER_INPUT\n"
        "    \n"
        "    # outputs\n"
        "    token: TOKEN\n"
        "    b_k: BUFFER_MUTATION target='k'\n"
        "    x: USER_OUTPUT\n"
        "    : USER_OUTPUT\n"
        "    : USER_OUTPUT\n"
        "    \n");
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    check_spec(&c, SIGNET_INPUT, 0, SIGNET_INPUT_KIND_PARAMETER, "p_w", "lin.weight",
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_INPUT, 1, SIGNET_INPUT_KIND_BUFFER, "b_k", "k", SIGNET_PERSISTENT_YES);
    check_spec(&c, SIGNET_INPUT, 2, SIGNET_INPUT_KIND_BUFFER, "b_t",
               "it's persistent=False, isn't it", SIGNET_PERSISTENT_NO);
    check_spec(&c, SIGNET_INPUT, 3, SIGNET_INPUT_KIND_CONSTANT_TENSOR, "c_o", "offset",
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_INPUT, 4, SIGNET_INPUT_KIND_CUSTOM_OBJ, "obj", "attr",
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_INPUT, 5, SIGNET_INPUT_KIND_TOKEN, "token", NULL,
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_INPUT, 7, SIGNET_INPUT_KIND_USER_INPUT, "pos", NULL,
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_OUTPUT, 1, SIGNET_OUTPUT_KIND_BUFFER_MUTATION, "b_k", "k",
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_OUTPUT, 3, SIGNET_OUTPUT_KIND_USER_OUTPUT, NULL, NULL,
               SIGNET_PERSISTENT_ABSENT);
    cr_assert_eq(spec_at(&c, SIGNET_OUTPUT, 3).arg_kind, SIGNET_ARG_NONE);
    cr_assert_eq(spec_at(&c, SIGNET_OUTPUT, 4).arg_kind, SIGNET_ARG_INT);
    cr_assert_eq(signet_arg_int(c.p, spec_at(&c, SIGNET_OUTPUT, 4).arg), 5);
    signet_graph top = printed_case_top(&c);
    cr_assert_eq(signet_arg_get_kind(c.p, signet_graph_input(c.p, top, 4)), SIGNET_ARG_CUSTOM_OBJ);
    cr_assert_eq(signet_arg_get_kind(c.p, signet_graph_input(c.p, top, 5)), SIGNET_ARG_TENSOR);
    cr_assert_eq(signet_arg_get_kind(c.p, signet_graph_input(c.p, top, 7)), SIGNET_ARG_CONSTANT);
    printed_case_free(&c);
}

Test(printed_signature, token_without_a_type) {
    struct printed_case c = read_program(", token", "(token,)",
                                         "Graph signature:\n    # inputs\n    token: TOKEN\n\n"
                                         "    # outputs\n    token: TOKEN\n\n");
    cr_assert_eq(signet_arg_get_kind(c.p, signet_graph_input(c.p, printed_case_top(&c), 0)),
                 SIGNET_ARG_TOKEN);
    printed_case_free(&c);
}

Test(printed_signature, lines_that_do_not_fit) {
    struct printed_case c = read_program(", a, b, d, e", "(a, b)",
                                         "Graph signature:\n"
                                         "    # inputs\n"
                                         "    a: USER_INPUT target=k\n"
                                         "    b USER_INPUT\n"
                                         "    d: BUFFER target='d'\n"
                                         "    e: NEW_KIND target='e' persistent=True\n"
                                         "    # outputs\n"
                                         "    a: USER_OUTPUT persistent=True\n"
                                         "    b:\n");
    cr_assert_str_eq(
        c.said.data,
        "8:26 carrier.text-syntax expected a target in quotes, found 'k'\n"
        "9:5 carrier.text-syntax expected a line such as 'x: USER_INPUT', found "
        "'b USER_INPUT'\n"
        "13:20 carrier.text-syntax expected target='...' or the end of the line, found "
        "'persistent=True'\n"
        "14:7 carrier.text-syntax expected a kind such as USER_INPUT, found the end of "
        "the line\n");
    /* Every line keeps its place. */
    check_spec(&c, SIGNET_INPUT, 2, SIGNET_INPUT_KIND_BUFFER, "d", "d", SIGNET_PERSISTENT_NULL);
    signet_spec unknown = spec_at(&c, SIGNET_INPUT, 3);
    cr_assert_eq(unknown.kind, 0);
    check_text(unknown.raw_tag, "NEW_KIND");
    const struct sg_program *program = &c.p->programs.data[signet_program_at(c.p, 0).id];
    cr_assert(program->specs[SIGNET_INPUT].data[0].faulty);
    cr_assert(program->specs[SIGNET_INPUT].data[1].faulty);
    cr_assert(!program->specs[SIGNET_INPUT].data[2].faulty);
    printed_case_free(&c);
}

/* ---- repr (2.2 to 2.7) ----------------------------------------------------------------------- */

Test(printed_signature, repr_of_specs) {
    struct printed_case c = read_program(
        ", p_w, b_k, c_t, obj, token, n, pos, q", "(b_k, n, None)",
        "Graph signature: ExportGraphSignature(input_specs=["
        "InputSpec(kind=<InputKind.PARAMETER: 2>, arg=TensorArgument(name='p_w'), "
        "target='lin.weight', persistent=None), "
        "InputSpec(kind=<InputKind.BUFFER: 99>, arg=TensorArgument(name='b_k'), target='k', "
        "persistent=True), "
        "InputSpec(kind=<InputKind.CONSTANT_TENSOR: 4>, arg=TensorArgument(name='c_t'), "
        "target='t', persistent=True), "
        "InputSpec(kind=<InputKind.CUSTOM_OBJ: 5>, arg=CustomObjArgument(name='obj', "
        "class_fqn='__torch__.Foo', fake_val=None), target='attr', persistent=None), "
        "InputSpec(kind=<InputKind.TOKEN: 6>, arg=TokenArgument(name='token'), target=None, "
        "persistent=None), "
        "InputSpec(kind=<InputKind.USER_INPUT: 1>, arg=SymIntArgument(name='n'), target=None, "
        "persistent=None), "
        "InputSpec(kind=<InputKind.USER_INPUT: 1>, arg=ConstantArgument(name='pos', value=-2), "
        "target=None, persistent=None), "
        "InputSpec(kind=<InputKind.USER_INPUT: 1>, arg=ConstantArgument(value='it\\'s'), "
        "target=None)], output_specs=["
        "OutputSpec(kind=<OutputKind.BUFFER_MUTATION: 3>, arg=TensorArgument(name='b_k'), "
        "target='k'), "
        "OutputSpec(kind=<OutputKind.USER_OUTPUT: 1>, arg=SymIntArgument(name='n'), target=None), "
        "OutputSpec(kind=<OutputKind.USER_OUTPUT: 1>, arg=ConstantArgument(name='', value=None), "
        "target=None)])\n");
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    check_spec(&c, SIGNET_INPUT, 1, SIGNET_INPUT_KIND_BUFFER, "b_k", "k", SIGNET_PERSISTENT_YES);
    check_spec(&c, SIGNET_INPUT, 2, SIGNET_INPUT_KIND_CONSTANT_TENSOR, "c_t", "t",
               SIGNET_PERSISTENT_ABSENT);
    check_text(signet_arg_class(c.p, spec_at(&c, SIGNET_INPUT, 3).arg), "__torch__.Foo");
    cr_assert_eq(spec_at(&c, SIGNET_INPUT, 4).arg_kind, SIGNET_ARG_TOKEN);
    cr_assert_eq(spec_at(&c, SIGNET_INPUT, 5).arg_kind, SIGNET_ARG_SYM_INT);
    check_spec(&c, SIGNET_INPUT, 6, SIGNET_INPUT_KIND_USER_INPUT, "pos", NULL,
               SIGNET_PERSISTENT_ABSENT);
    cr_assert_eq(signet_arg_int(c.p, spec_at(&c, SIGNET_INPUT, 6).arg), -2);
    check_spec(&c, SIGNET_INPUT, 7, SIGNET_INPUT_KIND_USER_INPUT, "q", NULL,
               SIGNET_PERSISTENT_ABSENT); /* named by its place */
    check_text(signet_arg_string(c.p, spec_at(&c, SIGNET_INPUT, 7).arg), "it's");
    cr_assert_eq(spec_at(&c, SIGNET_OUTPUT, 2).arg_kind, SIGNET_ARG_NONE);
    check_text(spec_at(&c, SIGNET_OUTPUT, 2).name, NULL);
    signet_graph top = printed_case_top(&c);
    cr_assert_eq(signet_arg_get_kind(c.p, signet_graph_input(c.p, top, 6)), SIGNET_ARG_INT);
    cr_assert_eq(signet_arg_int(c.p, signet_graph_input(c.p, top, 6)), -2);
    printed_case_free(&c);
}

Test(printed_signature, constant_that_the_graph_uses_stays_a_value) {
    struct printed_case c = read_program(
        ", pos", "(pos,)",
        "Graph signature: ExportGraphSignature(input_specs=[InputSpec(kind=<InputKind.USER_INPUT: "
        "1>, arg=ConstantArgument(name='pos', value=2), target=None, persistent=None)], "
        "output_specs=[OutputSpec(kind=<OutputKind.USER_OUTPUT: 1>, "
        "arg=ConstantArgument(name='pos', value=2), target=None)])\n");
    signet_graph top = printed_case_top(&c);
    signet_value used = signet_arg_value(c.p, signet_graph_output(c.p, top, 0));
    cr_assert_neq(signet_value_definition(c.p, used), SIGNET_OWNER_NONE,
                  "the use of a parameter must not become undefined");
    printed_case_free(&c);
}

Test(printed_signature, repr_of_2_2_has_no_flag) {
    struct printed_case c = printed_case_read_file("printed/2.2-cond.txt");
    check_spec(&c, SIGNET_INPUT, 0, SIGNET_INPUT_KIND_BUFFER, "arg0_1", "state",
               SIGNET_PERSISTENT_ABSENT);
    printed_case_free(&c);
}

Test(printed_signature, repr_that_does_not_fit) {
    struct printed_case c = read_program(
        ", x", "(x,)",
        "Graph signature: ExportGraphSignature(input_specs=[InputSpec(kind=1, "
        "arg=TensorArgument(name='x'), target=None), Spec(), InputSpec(kind=<InputKind.BUFFER: 3>, "
        "arg=Argument(name='x'), target=3)], output_specs=5)\n");
    cr_assert_str_eq(
        c.said.data,
        "6:67 carrier.text-syntax expected a kind such as <InputKind.USER_INPUT: 1>, found '1'\n"
        "6:114 carrier.text-syntax expected InputSpec(...), found 'Spec()'\n"
        "6:164 carrier.text-syntax expected an argument such as TensorArgument(name='x'), found "
        "\"Argument(name='x')\"\n"
        "6:191 carrier.text-syntax expected a target in quotes, or None, found '3'\n"
        "6:209 carrier.text-syntax expected a list of specs, found '5'\n");
    cr_assert_eq(signet_spec_count(c.p, signet_program_at(c.p, 0), SIGNET_INPUT), 3);
    printed_case_free(&c);
}

Test(printed_signature, repr_that_is_cut) {
    struct printed_case c =
        read_program(", x", "(x,)", "Graph signature: ExportGraphSignature(input_specs=[\n");
    cr_assert_str_eq(c.said.data, "6:52 carrier.text-syntax expected a value, found the end of the "
                                  "line\n");
    cr_assert(c.p->programs.data[signet_program_at(c.p, 0).id].faulty);
    printed_case_free(&c);
}

/* ---- 2.1 ------------------------------------------------------------------------------------- */

Test(printed_signature, maps_of_2_1) {
    struct printed_case c = read_program(
        ", a: f32[1], b: f32[1], x: f32[1]", "(b, a, x, x, 3)",
        "Graph Signature: ExportGraphSignature(parameters=['L__self___w'], "
        "buffers=['L__self___k'], user_inputs=['x'], user_outputs=['a', 'x', 'x', 3], "
        "inputs_to_parameters={'a': 'L__self___w'}, inputs_to_buffers={'b': 'L__self___k'}, "
        "buffers_to_mutate={'b': 'L__self___k'}, "
        "backward_signature=ExportBackwardSignature(gradients_to_parameters={'a': "
        "'L__self___w'}, gradients_to_user_inputs={}, loss_output='x'), "
        "assertion_dep_token=None)\n");
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    check_spec(&c, SIGNET_INPUT, 0, SIGNET_INPUT_KIND_PARAMETER, "a", "L__self___w",
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_INPUT, 1, SIGNET_INPUT_KIND_BUFFER, "b", "L__self___k",
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_INPUT, 2, SIGNET_INPUT_KIND_USER_INPUT, "x", NULL,
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_OUTPUT, 0, SIGNET_OUTPUT_KIND_BUFFER_MUTATION, "b", "L__self___k",
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_OUTPUT, 1, SIGNET_OUTPUT_KIND_GRADIENT_TO_PARAMETER, "a", "L__self___w",
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_OUTPUT, 2, SIGNET_OUTPUT_KIND_LOSS_OUTPUT, "x", NULL,
               SIGNET_PERSISTENT_ABSENT);
    check_spec(&c, SIGNET_OUTPUT, 4, SIGNET_OUTPUT_KIND_USER_OUTPUT, NULL, NULL,
               SIGNET_PERSISTENT_ABSENT);
    printed_case_free(&c);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

static struct printed_case read_ranges(const char *line) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, "ExportedProgram:\n    class GraphModule(torch.nn.Module):\n"
                     "        def forward(self):\n            return ()\n"
                     "Graph signature:\n    # inputs\n    # outputs\n");
    sg_text_puts(&t, line);
    struct printed_case c = printed_case_read(t.data);
    cr_assert_eq(c.status, SIGNET_OK);
    sg_text_free(&t);
    return c;
}

static void check_range(const struct printed_case *c, uint32_t i, const char *symbol, bool has_min,
                        int64_t min, bool has_max, int64_t max) {
    signet_range range = signet_program_range(c->p, signet_program_at(c->p, 0), i);
    check_text(range.symbol, symbol);
    cr_assert_eq(range.has_min, has_min);
    cr_assert_eq(range.has_max, has_max);
    cr_assert(!has_min || range.min == min);
    cr_assert(!has_max || range.max == max);
}

Test(printed_signature, ranges_of_every_release) {
    struct printed_case c = read_ranges(
        "Range constraints: {s0: VR[2, 64], u1: VR[-int_oo, int_oo], z: VR[-oo, oo], t: "
        "VR[False, True], n: VR[-5, -1], h: VR[0, 9223372036854775806]}\n");
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    check_range(&c, 0, "s0", true, 2, true, 64);
    check_range(&c, 1, "u1", false, 0, false, 0);
    check_range(&c, 2, "z", false, 0, false, 0);
    check_range(&c, 3, "t", true, 0, true, 1);
    check_range(&c, 4, "n", true, -5, true, -1);
    check_range(&c, 5, "h", true, 0, true, INT64_MAX - 1);
    printed_case_free(&c);
    c = read_ranges("Range constraints: {s0: ValueRanges(lower=2, upper=oo, is_bool=False)}\n"
                    "Equality constraints: []\n");
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    check_range(&c, 0, "s0", true, 2, false, 0);
    printed_case_free(&c);
    c = read_ranges("Symbol to range: {s0: RangeConstraint(min_val=2, max_val=64)}\n");
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    check_range(&c, 0, "s0", true, 2, true, 64);
    printed_case_free(&c);
}

Test(printed_signature, ranges_that_do_not_fit) {
    struct printed_case c = read_ranges("Range constraints: {s0: 5, s1: VR[2, 3], s2: VR[2, x]}\n");
    cr_assert_str_eq(c.said.data,
                     "8:25 carrier.text-syntax expected a range such as VR[2, int_oo], found '5'\n"
                     "8:46 carrier.text-syntax expected a range such as VR[2, int_oo], found "
                     "'VR[2, x]'\n");
    check_range(&c, 0, "s1", true, 2, true, 3);
    printed_case_free(&c);
    c = read_ranges("Range constraints: {s0: VR[2, 3\n");
    cr_assert_str_eq(c.said.data,
                     "8:32 carrier.text-syntax expected ',' or ']', found the end of the line\n");
    printed_case_free(&c);
    c = read_ranges("Range constraints: nothing\n");
    cr_assert_eq(c.findings, 1);
    printed_case_free(&c);
}
