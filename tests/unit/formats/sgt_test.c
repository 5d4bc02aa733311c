/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats_internal.h"
#include "tests/support/allocator.h"
#include "tests/support/programs.h"

/* ---- Reading and writing --------------------------------------------------------------------- */

struct findings {
    struct sg_text text; /* lines "LINE:COLUMN: message" */
    uint32_t count;
    signet_code last;
};

static void note(void *user, const signet_diag *d) {
    struct findings *f = user;
    sg_text_printf(&f->text, "%u:%u: %s\n", (unsigned)d->location.line,
                   (unsigned)d->location.column, d->message);
    f->count++;
    f->last = d->code;
}

static signet_status read_with(signet_package **out, const signet_allocator *a,
                               const signet_limits *limits, const char *text, size_t length,
                               struct findings *f) {
    signet_sink sink = {note, f};
    struct sg_log log;
    signet_status status = signet_package_create(out, a, limits);
    if (status != SIGNET_OK) {
        return status;
    }
    signet_package *p = *out;
    char *copy = sg_arena_text(&p->arena, text, length);
    uint32_t source = 0;
    if (copy != NULL) {
        source = sg_source_add(p, SIGNET_CARRIER_SGT, signet_str("test.sgt"),
                               (signet_string){NULL, 0}, copy, length);
    }
    if (source == 0) {
        return SIGNET_E_NOMEM;
    }
    sg_log_init(&log, &p->allocator, f != NULL ? &sink : NULL, NULL, 1000);
    status = sg_sgt_read(p, &log, source);
    sg_log_free(&log);
    return status;
}

static signet_package *read_well(const char *text) {
    signet_package *p = NULL;
    struct findings f = {.count = 0};
    sg_text_init(&f.text, &sg_default_allocator);
    signet_status status = read_with(&p, NULL, NULL, text, strlen(text), &f);
    cr_assert_eq(status, SIGNET_OK, "%s%s", f.text.data != NULL ? f.text.data : "", text);
    cr_assert_eq(f.count, 0);
    sg_text_free(&f.text);
    return p;
}

static bool put(void *user, const char *text, size_t length) {
    sg_text_put(user, text, length);
    return true;
}

static void write_to(struct sg_text *t, const signet_package *p) {
    signet_writer writer = {put, t};
    sg_text_init(t, &sg_default_allocator);
    cr_assert_eq(signet_write_sgt(p, &writer), SIGNET_OK);
    cr_assert_not(t->failed);
}

/* Writes, reads and writes again. */
static void check_written(const signet_package *p, const char *expected) {
    struct sg_text first;
    struct sg_text second;
    write_to(&first, p);
    cr_assert_str_eq(first.data, expected, "got:\n%s\nexpected:\n%s", first.data, expected);
    signet_package *again = read_well(first.data);
    write_to(&second, again);
    bool equal = false;
    signet_difference difference = SIGNET_DIFFERENCE_INIT;
    cr_assert_eq(signet_package_equal(p, again, SIGNET_EQUAL_EXACT, &equal, &difference),
                 SIGNET_OK);
    cr_assert(equal, "%s\n%s", difference.what, expected);
    cr_assert_str_eq(second.data, expected, "again:\n%s\nexpected:\n%s", second.data, expected);
    signet_package_destroy(again);
    sg_text_free(&first);
    sg_text_free(&second);
}

static void check_canonical(const char *text) {
    signet_package *p = read_well(text);
    check_written(p, text);
    signet_package_destroy(p);
}

static char *read_data(const char *name, size_t *length) {
    char path[1024];
    const char *root = getenv("SIGNET_SOURCE_ROOT");
    cr_assert_not_null(root);
    snprintf(path, sizeof(path), "%s/tests/data/sgt/%s", root, name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size_t size = 1 << 20;
    char *text = malloc(size + 1);
    cr_assert_not_null(text);
    *length = fread(text, 1, size, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

/* ---- What the short form means --------------------------------------------------------------- */

static const char sketch[] = "package\n"
                             "program @forward stage=edge {\n"
                             "  input %b_b : f32[3,3] = buffer \"b\" persistent\n"
                             "  input %x : f32[3,3] = user\n"
                             "  %add : f32[3,3] = call @aten.add.Tensor(%b_b, %x, alpha=1)\n"
                             "  output %add = buffer_mutation \"state_1\"\n"
                             "  output %add = user\n"
                             "  state \"b\" : f32[3,3]\n"
                             "}\n";

static bool is(signet_string s, const char *text) {
    return sg_string_is(s, text);
}

Test(sgt, sketch_program) {
    signet_package *p = read_well(sketch);
    cr_assert_eq(signet_program_count(p), 1);
    signet_program program = signet_program_at(p, 0);
    cr_assert(is(signet_program_name(p, program), "forward"));
    cr_assert_eq(signet_program_get_role(p, program), SIGNET_ROLE_METHOD);
    cr_assert_eq(signet_program_stage(p, program), SIGNET_STAGE_EDGE);
    cr_assert_not(signet_program_is_lossy(p, program));
    cr_assert(signet_program_has_state_tables(p, program));
    cr_assert_not(signet_program_has_calls(p, program));
    signet_program_info info = SIGNET_PROGRAM_INFO_INIT;
    signet_program_get_info(p, program, &info);
    cr_assert_not(info.has_dialects);
    signet_spec spec = SIGNET_SPEC_INIT;
    cr_assert(signet_spec_get(p, program, SIGNET_INPUT, 0, &spec));
    cr_assert_eq(spec.kind, SIGNET_INPUT_KIND_BUFFER);
    cr_assert_eq(spec.arg_kind, SIGNET_ARG_TENSOR);
    cr_assert(is(spec.name, "b_b"));
    cr_assert(is(spec.target, "b"));
    cr_assert_eq(spec.persistent, SIGNET_PERSISTENT_YES);
    cr_assert(signet_spec_get(p, program, SIGNET_OUTPUT, 0, &spec));
    cr_assert_eq(spec.kind, SIGNET_OUTPUT_KIND_BUFFER_MUTATION);
    cr_assert(is(spec.name, "add"));
    cr_assert(is(spec.target, "state_1"));
    signet_package_destroy(p);
}

Test(sgt, sketch_graph) {
    signet_package *p = read_well(sketch);
    signet_graph graph = signet_program_graph(p, signet_program_at(p, 0));
    cr_assert_eq(signet_graph_input_count(p, graph), 2);
    cr_assert_eq(signet_graph_output_count(p, graph), 2);
    signet_node node = signet_graph_first(p, graph);
    cr_assert(is(signet_node_target(p, node), "torch.ops.aten.add.Tensor"));
    cr_assert(is(signet_node_name(p, node), "add"));
    cr_assert_eq(signet_node_hop_single_return(p, node), -1);
    cr_assert_eq(signet_node_input_count(p, node), 3);
    signet_arg self = signet_node_input(p, node, 0);
    cr_assert_null(signet_arg_name(p, self).data);
    cr_assert_eq(signet_arg_passing(p, self), SIGNET_PASSING_POSITIONAL);
    cr_assert_eq(signet_arg_get_kind(p, self), SIGNET_ARG_TENSOR);
    signet_arg alpha = signet_node_input(p, node, 2);
    cr_assert(is(signet_arg_name(p, alpha), "alpha"));
    cr_assert_eq(signet_arg_passing(p, alpha), SIGNET_PASSING_KEYWORD);
    cr_assert_eq(signet_arg_int(p, alpha), 1);
    signet_value add = signet_graph_find(p, graph, signet_str("add"));
    cr_assert_eq(signet_value_use_count(p, add), 2);
    signet_package_destroy(p);
}

Test(sgt, short_type_is_contiguous_strided_cpu) {
    signet_package *p = read_well(sketch);
    signet_graph graph = signet_program_graph(p, signet_program_at(p, 0));
    signet_value x = signet_graph_find(p, graph, signet_str("x"));
    signet_type_info type = SIGNET_TYPE_INFO_INIT;
    signet_type_get(p, signet_value_type(p, x), &type);
    cr_assert_eq(type.dtype, SIGNET_DTYPE_F32);
    cr_assert_eq(type.layout, SIGNET_LAYOUT_STRIDED);
    cr_assert(is(type.device, "cpu"));
    cr_assert_not(type.has_device_index);
    cr_assert_not(type.requires_grad);
    cr_assert(type.has_strides);
    cr_assert_eq(type.stride_count, 2);
    cr_assert_eq(signet_sym_get(p, type.strides[0]).number, 3);
    cr_assert_eq(signet_sym_get(p, type.strides[1]).number, 1);
    cr_assert_eq(signet_sym_get(p, type.storage_offset).kind, SIGNET_SYM_INT);
    signet_package_destroy(p);
}

Test(sgt, short_type_of_a_lossy_program_tells_nothing_more) {
    signet_package *p = read_well("package\n"
                                  "program @forward lossy {\n"
                                  "  input %x : f32[3,3] = user\n"
                                  "}\n");
    signet_graph graph = signet_program_graph(p, signet_program_at(p, 0));
    signet_value x = signet_graph_find(p, graph, signet_str("x"));
    signet_type_info type = SIGNET_TYPE_INFO_INIT;
    signet_type_get(p, signet_value_type(p, x), &type);
    cr_assert_eq(type.dtype, SIGNET_DTYPE_F32);
    cr_assert_eq(type.rank, 2);
    cr_assert_eq(type.layout, SIGNET_LAYOUT_UNKNOWN);
    cr_assert_null(type.device.data);
    cr_assert_not(type.has_strides);
    cr_assert_eq(type.storage_offset.id, 0);
    signet_package_destroy(p);
}

/* The spans that findings point with. */
Test(sgt, positions) {
    signet_package *p = read_well(sketch);
    const struct sg_program *r = sg_program(p, 1);
    const char *text = p->sources.data[r->source].text;
    const struct sg_spec *spec = &r->specs[SIGNET_OUTPUT].data[0];
    cr_assert_eq(memcmp(text + spec->span.at - 1, "buffer_mutation \"state_1\"", 25), 0);
    cr_assert_eq(spec->span.length, 25);
    cr_assert_eq(memcmp(text + spec->target_span.at - 1, "\"state_1\"", 9), 0);
    cr_assert_eq(memcmp(text + spec->name_span.at - 1, "%add", 4), 0);
    signet_node node = signet_graph_first(p, signet_program_graph(p, signet_program_at(p, 0)));
    const struct sg_node *n = sg_node(p, node.id);
    cr_assert_eq(memcmp(text + n->span.at - 1, "%add : f32", 10), 0);
    cr_assert_eq(text[n->span.at - 1 + n->span.length], '\n');
    cr_assert_eq(memcmp(text + sg_arg(p, n->inputs.first + 1)->at - 1, "%x", 2), 0);
    cr_assert_eq(memcmp(text + sg_arg(p, n->inputs.first + 2)->at - 1, "alpha=1", 7), 0);
    cr_assert_eq(memcmp(text + r->states.data[0].span.at - 1, "state \"b\"", 9), 0);
    signet_package_destroy(p);
}

Test(sgt, higher_order_arguments_have_an_empty_name) {
    signet_package *p = read_well("package\n"
                                  "program @a {\n"
                                  "  call @higher_order.cond(1, k=2, ?: 3)\n"
                                  "}\n"
                                  "program @b lossy {\n"
                                  "  call @higher_order.cond(1, \"\": 2)\n"
                                  "}\n");
    signet_node a = signet_graph_first(p, signet_program_graph(p, signet_program_at(p, 0)));
    signet_node b = signet_graph_first(p, signet_program_graph(p, signet_program_at(p, 1)));
    cr_assert(is(signet_arg_name(p, signet_node_input(p, a, 0)), ""));
    cr_assert(is(signet_arg_name(p, signet_node_input(p, a, 1)), "k"));
    cr_assert_null(signet_arg_name(p, signet_node_input(p, a, 2)).data);
    cr_assert_null(signet_arg_name(p, signet_node_input(p, b, 0)).data);
    cr_assert(is(signet_arg_name(p, signet_node_input(p, b, 1)), ""));
    signet_package_destroy(p);
}

/* ---- Everything there is --------------------------------------------------------------------- */

Test(sgt, everything_comes_back) {
    static const char *const names[] = {"everything.sgt", "expressions.sgt", "broken.sgt"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t length = 0;
        char *text = read_data(names[i], &length);
        check_canonical(text);
        free(text);
    }
}

Test(sgt, kinds_are_told_at_the_end_of_the_graph) {
    signet_package *p = read_well("package\n"
                                  "program @f {\n"
                                  "  call @aten.a([%s, 2], %s, [[%t]])\n"
                                  "  %s : sym_int[s0] = call @aten.b()\n"
                                  "  %t : f32[] = call @aten.c()\n"
                                  "}\n");
    signet_node node = signet_graph_first(p, signet_program_graph(p, signet_program_at(p, 0)));
    signet_arg list = signet_node_input(p, node, 0);
    cr_assert_eq(signet_arg_get_kind(p, list), SIGNET_ARG_SYM_INTS);
    cr_assert_eq(signet_arg_get_kind(p, signet_arg_child(p, list, 0)), SIGNET_ARG_SYM_INT);
    signet_arg two = signet_arg_child(p, list, 1);
    cr_assert_eq(signet_arg_get_kind(p, two), SIGNET_ARG_SYM_INT);
    cr_assert(signet_arg_is_literal(p, two));
    cr_assert_eq(signet_arg_int(p, two), 2);
    cr_assert_eq(signet_arg_get_kind(p, signet_node_input(p, node, 1)), SIGNET_ARG_SYM_INT);
    cr_assert_eq(signet_arg_get_kind(p, signet_node_input(p, node, 2)), SIGNET_ARG_NESTED_TENSORS);
    signet_package_destroy(p);
}

/* ---- Packages that only calls can make ------------------------------------------------------- */

Test(sgt, undefined_values_of_one_name_stay_apart) {
    signet_package *p = read_well("package\n"
                                  "program @f {\n"
                                  "  %y = call @aten.a()\n"
                                  "  %y = call @aten.b()\n"
                                  "  call @aten.c(%y, %y!2, %y!2)\n"
                                  "}\n");
    signet_graph graph = signet_program_graph(p, signet_program_at(p, 0));
    signet_node_remove(p, signet_graph_first(p, graph));
    signet_node_remove(p, signet_graph_first(p, graph));
    check_written(p, "package\n"
                     "program @f {\n"
                     "  call @aten.c(%y, %y!2, %y!2)\n"
                     "}\n");
    signet_package_destroy(p);
}

Test(sgt, graphs_that_two_arguments_hold_or_none) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program program = signet_program_add(p, signet_str("f"), SIGNET_ROLE_METHOD);
    signet_graph top = signet_program_graph(p, program);
    signet_graph shared = signet_graph_add(p, program, signet_str("shared"));
    signet_graph circle = signet_graph_add(p, program, signet_str("circle"));
    signet_graph_add(p, program, signet_str("nobody's"));
    signet_node node = signet_node_append(p, top, signet_str("torch.ops.aten.a"));
    signet_arg arg = signet_node_set_inputs(p, node, 2);
    signet_arg_set_name(p, arg, signet_str("a"), SIGNET_PASSING_POSITIONAL);
    signet_arg_set_graph(p, (signet_arg){arg.id + 1}, shared);
    signet_arg_set_graph(p, arg, shared);
    signet_arg inside =
        signet_node_set_inputs(p, signet_node_append(p, circle, signet_str("torch.ops.aten.b")), 1);
    signet_arg_set_graph(p, inside, circle);
    check_written(p, "package\n"
                     "program @f {\n"
                     "  call @aten.a(a: graph #1, ?~ graph @shared)\n"
                     "    graph @shared {\n"
                     "    }\n"
                     "  graph @\"nobody's\" loose {\n"
                     "  }\n"
                     "  graph @circle loose {\n"
                     "    call @aten.b(?~ graph #3)\n"
                     "  }\n"
                     "}\n");
    signet_package_destroy(p);
}

Test(sgt, seed_by_calls) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    cr_assert_neq(test_seed(p).id, 0);
    struct sg_text text;
    write_to(&text, p);
    check_written(p, text.data);
    sg_text_free(&text);
    signet_package_destroy(p);
}

static bool refuse(void *user, const char *text, size_t length) {
    (void)text;
    (void)length;
    ++*(int *)user;
    return false;
}

Test(sgt, writer_can_stop) {
    int calls = 0;
    signet_writer writer = {refuse, &calls};
    signet_package *p = read_well(sketch);
    cr_assert_eq(signet_write_sgt(p, &writer), SIGNET_E_STOPPED);
    cr_assert_eq(calls, 1);
    cr_assert_eq(signet_write_sgt(NULL, &writer), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_write_sgt(p, NULL), SIGNET_E_INVALID_ARG);
    signet_package_destroy(p);
}

/* ---- Syntax errors --------------------------------------------------------------------------- */

static void check_findings(const char *text, signet_status expected_status, const char *expected) {
    signet_package *p = NULL;
    struct findings f = {.count = 0};
    sg_text_init(&f.text, &sg_default_allocator);
    signet_status status = read_with(&p, NULL, NULL, text, strlen(text), &f);
    const char *got = f.text.data != NULL ? f.text.data : "";
    cr_expect_eq(status, expected_status, "%s", text);
    cr_expect_str_eq(got, expected, "got:\n%s\nexpected:\n%s\ntext:\n%s", got, expected, text);
    cr_expect_eq(f.last, SIGNET_CODE_CARRIER_TEXT_SYNTAX);
    sg_text_free(&f.text);
    signet_package_destroy(p);
}

static void check_wrong_line(const char *line, const char *expected) {
    struct sg_text text;
    struct sg_text findings;
    sg_text_init(&text, &sg_default_allocator);
    sg_text_init(&findings, &sg_default_allocator);
    sg_text_printf(&text, "package\nprogram @f {\n%s\n}\n", line);
    sg_text_printf(&findings, "3:%s\n", expected);
    check_findings(text.data, SIGNET_E_SYNTAX, findings.data);
    sg_text_free(&text);
    sg_text_free(&findings);
}

Test(sgt, wrong_lines) {
    static const char *const lines[][2] = {
        {"inptu %x", "1: expected a statement such as input, output or %x = call, found 'inptu'"},
        {"%x = cal @a()", "6: expected call, found 'cal'"},
        {"%x : f32[3 = call @a()", "12: expected ',' or ']', found '='"},
        {"%x : f33[3] = call @a()", "6: expected a type such as f32[3], found 'f33'"},
        {"%x : f32[] = call aten.a()", "19: expected an operator such as @aten.add.Tensor, found "
                                       "'aten'"},
        {"%x = call @a(1", "15: expected ',' or ')', found the end of the line"},
        {"%x = call @a([1, 2)", "19: expected ',' or ']', found ')'"},
        {"%x = call @a(1) 2", "17: expected the end of the line, name or single_return, found '2'"},
        {"%x = call @a(\"text)", "14: expected '\"' at the end of the string, found the end of the "
                                 "line; a line break inside of a string is written \\n"},
        {"%x = call @a(\"\\q\")", "15: expected an escape (\\\\ \\\" \\n \\r \\t \\xNN \\uNNNN), "
                                  "found another one"},
        {"%x = call @a(\"\\ud800\")", "15: expected an escape (\\\\ \\\" \\n \\r \\t \\xNN "
                                      "\\uNNNN), found another one"},
        {"%x = call @a(99999999999999999999)",
         "14: expected an integer of 64 bits, found a larger one"},
        {"%x = call @a(3x)", "14: expected a number, found one that runs into a word"},
        {"%x = call @a($)", "14: a character that has no meaning here"},
        {"%x = call @a(floaty)", "14: expected an argument such as %x, 1, \"text\" or [1, 2], "
                                 "found 'floaty'"},
        {"%x = call @a(%y!3)", "14: expected a value called 'y' of number 1 to 0, found 3"},
        {"%x = call @a(%y!0)", "17: expected which of the values of that name, from 1, found 0"},
        {"%x = call @a(graph #9)", "14: expected the number of a graph, 0 to 0, found 9"},
        {"%x = call @a(delegate #0)",
         "24: expected the number of a delegate that is declared above, found 0"},
        {"input %x : f32[] = bufer \"b\"", "20: expected a kind of input such as user, parameter "
                                           "or buffer, found 'bufer'"},
        {"input %x : f32[] = user user", "25: expected the end of the line, found 'user'"},
        {"input ?", "8: expected '=' and a kind, found the end of the line"},
        {"output %x = kind 256", "18: expected the number of a kind up to 255, found 256"},
        {"range s0 = 1..2", "10: expected ':' and a range such as 2..64, found '='"},
        {"range s0 : 1.2", "12: expected '..' and the greatest value, found '1.2'"},
        {"schema 8", "8: expected the two numbers of a schema such as 8.20, found '8'"},
        {"state b : f32[]", "7: expected the name of a state between quotes, found 'b'"},
        {"state \"b\" : f32[] bytes -1", "25: expected a number of bytes, found '-1'"},
        {"graph @g {\n  what\n}", "7: expected an argument above that names this graph, found "
                                  "none; a graph that no argument holds is called loose"},
        {"%x : f32[s0 +] = call @a()",
         "14: expected a number, a symbol, a function or '(' in the expression 's0 +'"},
        {"%x : f32[expr \"Max(s0\"] = call @a()", "22: expected ')' in the expression 'Max(s0'"},
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        check_wrong_line(lines[i][0], lines[i][1]);
    }
}

Test(sgt, several_errors_show) {
    check_findings("package\n"
                   "program @f stage=later {\n"
                   "  input %x : f32[3] = user\n"
                   "  %y : = call @aten.a(%x)\n"
                   "  %z : f32[3] = call @aten.b(%y)\n"
                   "  input %late : f32[3] = user\n"
                   "  output %z = usr\n"
                   "  entry what {\n"
                   "    in_spec }\n"
                   "  }\n"
                   "}\n"
                   "prog @g {\n"
                   "  nothing here is looked at\n"
                   "}\n",
                   SIGNET_E_SYNTAX,
                   "2:18: expected training, aten, edge, lowered or final, found 'later'\n"
                   "4:8: expected a type such as f32[3], found '='\n"
                   "6:3: expected inputs before nodes and outputs, found one behind them\n"
                   "7:15: expected a kind of output such as user or buffer_mutation, found 'usr'\n"
                   "8:9: expected the path of a module between quotes, found 'what'\n"
                   "12:1: expected program or delegate, found 'prog'\n");
}

Test(sgt, blocks_that_do_not_end_or_begin) {
    check_findings("", SIGNET_E_SYNTAX,
                   "1:1: expected the line 'package', found the end of the text\n");
    check_findings("package\n", SIGNET_E_SYNTAX,
                   "2:1: expected a program, found the end of the text\n");
    check_findings("program @f {\n}\n", SIGNET_E_SYNTAX,
                   "1:1: expected the line 'package', found 'program'\n");
    check_findings("package\nprogram @f {\n", SIGNET_E_SYNTAX,
                   "3:1: expected '}' for the block that opens in line 2, found the end of the "
                   "text\n");
    check_findings("package\nprogram @f {\n}\n}\n", SIGNET_E_SYNTAX,
                   "4:1: expected program or delegate, found '}'\n");
    check_findings("package\nprogram @f {\n  call @a(graph @g)\n  call @b()\n}\n", SIGNET_E_SYNTAX,
                   "4:3: expected the block of graph @g, found another statement\n");
    check_findings("package\nprogram @f {\n  call @a(graph @g)\n  graph @h {\n  }\n}\n",
                   SIGNET_E_SYNTAX, "4:9: expected the block of graph @g, found another one\n");
    check_findings("package\ndelegate @d body @nobody\nprogram @f {\n}\n", SIGNET_E_SYNTAX,
                   "2:18: expected the name of a program of this file, found another\n");
}

/* ---- Limits and memory ----------------------------------------------------------------------- */

static void check_limit(const char *text, const char *option, uint64_t limit) {
    signet_package *p = NULL;
    struct findings f = {.count = 0};
    signet_limits limits = signet_limits_default();
    sg_text_init(&f.text, &sg_default_allocator);
    cr_assert(signet_limits_set(&limits, option, limit));
    cr_expect_eq(read_with(&p, NULL, &limits, text, strlen(text), &f), SIGNET_E_LIMIT, "%s",
                 option);
    cr_expect_eq(f.count, 1, "%s", option);
    cr_expect_eq(f.last, SIGNET_CODE_CARRIER_LIMIT, "%s", option);
    signet_package_destroy(p);
    cr_assert(signet_limits_set(&limits, option, limit + 2));
    f.count = 0;
    cr_expect_eq(read_with(&p, NULL, &limits, text, strlen(text), &f), SIGNET_OK, "%s", option);
    cr_expect_eq(f.count, 0);
    signet_package_destroy(p);
    sg_text_free(&f.text);
}

Test(sgt, limits) {
    check_limit("package\nprogram @f {\n  call @a()\n  call @b()\n  call @c()\n}\n", "nodes", 2);
    check_limit("package\nprogram @f {\n  call @a(1, 2, [3])\n}\n", "values", 3);
    check_limit("package\nprogram @f {\n  call @a(\"12345\")\n}\n", "string-bytes", 4);
    check_limit("package\nprogram @f {\n"
                "call @a(graph @g)\ngraph @g {\ncall @a(graph @h)\ngraph @h {\n}\n}\n}\n",
                "graph-depth", 2);
    check_limit("package\nprogram @f {\n  call @a([[[1]]])\n}\n", "expression-depth", 2);
}

struct memory_case {
    const char *text;
    size_t length;
};

static bool discard(void *user, const char *text, size_t length) {
    (void)text;
    *(size_t *)user += length;
    return true;
}

static signet_status read_and_write(const signet_allocator *a, void *user) {
    const struct memory_case *c = user;
    signet_package *p = NULL;
    size_t written = 0;
    signet_writer writer = {discard, &written};
    signet_status status = read_with(&p, a, NULL, c->text, c->length, NULL);
    if (status == SIGNET_OK) {
        status = signet_write_sgt(p, &writer);
    }
    signet_package_destroy(p);
    return status;
}

Test(sgt, survives_every_failure) {
    static const char *const names[] = {"everything.sgt", "expressions.sgt", "broken.sgt"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct memory_case c = {.length = 0};
        char *text = read_data(names[i], &c.length);
        c.text = text;
        cr_assert_gt(test_each_failure(read_and_write, &c), 100);
        free(text);
    }
}

/* ---- Damaged texts --------------------------------------------------------------------------- */

/* Reads, and writes what was read; nothing may happen but a finding. */
static void read_damaged(const char *text, size_t length, uint32_t *refused) {
    signet_package *p = NULL;
    size_t written = 0;
    signet_writer writer = {discard, &written};
    signet_status status = read_with(&p, NULL, NULL, text, length, NULL);
    if (status == SIGNET_OK) {
        cr_assert_eq(signet_write_sgt(p, &writer), SIGNET_OK);
    } else {
        cr_assert(status == SIGNET_E_SYNTAX || status == SIGNET_E_LIMIT);
        ++*refused;
    }
    signet_package_destroy(p);
}

Test(sgt, every_truncation) {
    size_t length = 0;
    uint32_t refused = 0;
    char *text = read_data("everything.sgt", &length);
    for (size_t i = 0; i < length; i++) {
        read_damaged(text, i, &refused);
    }
    cr_assert_gt(refused, length / 2);
    free(text);
}

/* A small generator, the same on every machine. */
static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

Test(sgt, changed_bytes) {
    static const char *const names[] = {"everything.sgt", "expressions.sgt", "broken.sgt"};
    static const char bytes[] = "\0\n\"\\%@#{}[]()=:;,.~!?-019azf \xff";
    uint64_t state = 20240607;
    uint32_t refused = 0;
    for (uint32_t round = 0; round < 3000; round++) {
        size_t length = 0;
        char *text = read_data(names[round % 3], &length);
        for (uint32_t k = 0; k < 1 + round % 4; k++) {
            text[next_random(&state) % length] = bytes[next_random(&state) % (sizeof(bytes) - 1)];
        }
        if (round % 5 == 0) { /* a line twice, or moved */
            size_t from = next_random(&state) % length;
            size_t to = next_random(&state) % length;
            size_t size = length - (from > to ? from : to);
            memmove(text + to, text + from, size > 80 ? 80 : size);
        }
        read_damaged(text, length, &refused);
        free(text);
    }
    cr_assert_gt(refused, 1000);
}

/* Shapes that cost too much where something is not linear. */
Test(sgt, long_and_deep) {
    struct sg_text text;
    uint32_t refused = 0;
    sg_text_init(&text, &sg_default_allocator);
    sg_text_puts(&text, "package\nprogram @f {\n  call @a([");
    for (int i = 0; i < 200000; i++) {
        sg_text_printf(&text, "%s%%y", i > 0 ? ", " : "");
    }
    sg_text_puts(&text, "])\n");
    for (int i = 0; i < 50000; i++) {
        sg_text_printf(&text, "  %%y = call @a(%%y!%d)\n", i + 1);
    }
    sg_text_puts(&text, "}\n");
    for (int i = 0; i < 50000; i++) {
        sg_text_puts(&text, "delegate @d body @f\n");
    }
    read_damaged(text.data, text.length, &refused);
    cr_assert_eq(refused, 0);
    sg_text_clear(&text);
    sg_text_puts(&text, "package\nprogram @f {\n  call @a(");
    for (int i = 0; i < 300000; i++) {
        sg_text_putc(&text, '[');
    }
    read_damaged(text.data, text.length, &refused);
    cr_assert_eq(refused, 1);
    sg_text_free(&text);
}
