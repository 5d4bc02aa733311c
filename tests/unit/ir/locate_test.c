/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"
#include "base/text.h"
#include "ir/ir_internal.h"
#include "tests/support/allocator.h"

#include <criterion/criterion.h>
#include <string.h>

/* A package, a log for its texts, and one program. */
struct bench {
    signet_package *p;
    struct sg_log log;
    signet_program program;
    signet_graph graph;
};

static struct bench bench(signet_carrier carrier, const char *entry, const char *text) {
    struct bench b = {0};
    cr_assert_eq(signet_package_create(&b.p, NULL, NULL), SIGNET_OK);
    sg_log_init(&b.log, &sg_default_allocator, NULL, NULL, 1000);
    b.program = signet_program_add(b.p, signet_str("forward"), SIGNET_ROLE_METHOD);
    b.graph = signet_program_graph(b.p, b.program);
    size_t length = text != NULL ? strlen(text) : 0;
    sg_program_set_source(
        b.p, b.program,
        sg_source_add(b.p, carrier, signet_str("model.x"), signet_str(entry), text, length));
    return b;
}

static void end(struct bench *b) {
    cr_expect_eq(signet_package_status(b->p), SIGNET_OK);
    sg_log_free(&b->log);
    signet_package_destroy(b->p);
}

static struct sg_span span_of(const char *text, const char *part) {
    const char *at = strstr(text, part);
    cr_assert_not_null(at);
    return sg_span_make((size_t)(at - text), strlen(part));
}

Test(locate, line_column_and_focus) {
    static const char text[] = "first\n  %add = call @aten.add.Tensor(%x)\r\nlast 'a b'";
    struct bench b = bench(SIGNET_CARRIER_SGT, NULL, text);
    uint32_t source = sg_program(b.p, b.program.id)->source;
    signet_location at = sg_at_source(b.p, &b.log, source, span_of(text, "@aten.add.Tensor"));
    cr_expect_str_eq(at.file, "model.x");
    cr_expect_null(at.entry);
    cr_expect_eq(at.line, 2);
    cr_expect_eq(at.column, 15);
    cr_expect_eq(at.byte, 20);
    cr_expect_eq(at.focus_length, 16);
    cr_expect_eq(at.excerpt_length, 34, "without the line end: %u", at.excerpt_length);
    cr_expect_eq(strncmp(at.excerpt, "  %add", 6), 0);
    at = sg_at_source(b.p, &b.log, source, sg_span_make(8, 1000));
    cr_expect_eq(at.focus_length, 32, "never behind the line: %u", at.focus_length);
    at = sg_at_source(b.p, &b.log, source, sg_span_make(sizeof(text) - 1, 0));
    cr_expect_eq(at.line, 3);
    cr_expect_eq(at.focus_length, 0);
    at = sg_at_source(b.p, &b.log, source, sg_span_make(9999, 1));
    cr_expect_eq(at.line, 0);
    at = sg_at_source(b.p, &b.log, 77, sg_span_make(0, 0));
    cr_expect_null(at.file);
    end(&b);
}

static signet_node add(struct bench *b, signet_graph graph, const char *result, const char *input) {
    signet_node n = signet_node_append(b->p, graph, signet_str("torch.ops.aten.relu.default"));
    signet_arg in = signet_node_set_inputs(b->p, n, 1);
    signet_arg_set_name(b->p, in, signet_str("self"), SIGNET_PASSING_POSITIONAL);
    signet_arg_set_named(b->p, in, SIGNET_ARG_TENSOR, signet_str(input));
    signet_arg out = signet_node_set_outputs(b->p, n, 1);
    signet_arg_set_named(b->p, out, SIGNET_ARG_TENSOR, signet_str(result));
    return n;
}

Test(locate, json_paths) {
    struct bench b = bench(SIGNET_CARRIER_PT2_ARCHIVE, "models/model.json", NULL);
    signet_arg input = signet_graph_set_inputs(b.p, b.graph, 1);
    signet_arg_set_named(b.p, input, SIGNET_ARG_TENSOR, signet_str("x"));
    add(&b, b.graph, "a", "x");
    signet_node n = add(&b, b.graph, "b", "a");
    signet_node_add_metadata(b.p, n, signet_str("stack_trace"),
                             signet_str("  File \"m.py\", line 7, in forward\n    return f(x)\n"));
    signet_arg output = signet_graph_set_outputs(b.p, b.graph, 2);
    signet_arg_set_named(b.p, output, SIGNET_ARG_TENSOR, signet_str("b"));

    signet_location at = sg_at_node(b.p, &b.log, n);
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.nodes[1]");
    cr_expect_str_eq(at.entry, "models/model.json");
    cr_expect_str_eq(at.program, "forward");
    cr_expect_null(at.graph, "the top graph has no path of its own");
    cr_expect_str_eq(at.node, "b");
    cr_expect_str_eq(at.user_file, "m.py");
    cr_expect_eq(at.user_line, 7);
    cr_expect_str_eq(at.user_function, "forward");
    cr_expect_str_eq(at.user_code, "return f(x)");
    cr_expect_not(at.has_byte);

    at = sg_at_arg(b.p, &b.log, signet_node_input(b.p, n, 0));
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.nodes[1].inputs[0].arg");
    cr_expect_str_eq(at.item, "argument 0 'self'");
    at = sg_at_arg(b.p, &b.log, signet_node_output(b.p, n, 0));
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.nodes[1].outputs[0]");
    cr_expect_str_eq(at.item, "result 0");
    at = sg_at_arg(b.p, &b.log, signet_graph_output(b.p, b.graph, 1));
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.outputs[1]");
    cr_expect_str_eq(at.item, "output 1");
    cr_expect_null(at.node);
    at = sg_at_value(b.p, &b.log, signet_graph_find(b.p, b.graph, signet_str("x")));
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.inputs[0]");
    cr_expect_str_eq(at.item, "input 0");

    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    signet_value_describe_tensor(b.p, signet_graph_find(b.p, b.graph, signet_str("b")),
                                 signet_type_make(b.p, &info));
    at = sg_at_description(b.p, &b.log, signet_graph_find(b.p, b.graph, signet_str("b")));
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.tensor_values[\"b\"]");
    cr_expect_str_eq(at.item, "value 'b'");
    end(&b);
}

Test(locate, the_file_s_index_stays_when_the_program_is_edited) {
    struct bench b = bench(SIGNET_CARRIER_JSON, NULL, NULL);
    signet_node first = add(&b, b.graph, "a", "x");
    signet_node second = add(&b, b.graph, "b", "x");
    signet_node third = add(&b, b.graph, "c", "x");
    signet_node_move(b.p, third, first);
    signet_node_remove(b.p, second);
    signet_location at = sg_at_node(b.p, &b.log, third);
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.nodes[2]");
    at = sg_at_node(b.p, &b.log, first);
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.nodes[0]");
    end(&b);
}

Test(locate, inside_lists_and_subgraphs) {
    struct bench b = bench(SIGNET_CARRIER_JSON, NULL, NULL);
    signet_node n = signet_node_append(b.p, b.graph, signet_str("torch.ops.higher_order.cond"));
    signet_arg in = signet_node_set_inputs(b.p, n, 4);
    signet_graph sub = signet_graph_add(b.p, b.program, signet_str("true_graph_0"));
    signet_arg_set_graph(b.p, (signet_arg){in.id + 1}, sub);
    signet_arg tensors =
        signet_arg_set_list(b.p, (signet_arg){in.id + 2}, SIGNET_ARG_OPTIONAL_TENSORS, 3);
    signet_arg_set_named(b.p, (signet_arg){tensors.id + 2}, SIGNET_ARG_TENSOR, signet_str("x"));
    signet_arg outer = signet_arg_set_list(b.p, (signet_arg){in.id + 3}, SIGNET_ARG_INT_LISTS, 2);
    signet_arg nested = signet_arg_set_list(b.p, (signet_arg){outer.id + 1}, SIGNET_ARG_INTS, 1);
    signet_node inner = add(&b, sub, "y", "z");

    signet_location at = sg_at_arg(b.p, &b.log, (signet_arg){tensors.id + 2});
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.nodes[0].inputs[2].arg"
                                   ".as_optional_tensors[2]");
    cr_expect_str_eq(at.item, "argument 2");
    at = sg_at_arg(b.p, &b.log, nested);
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.nodes[0].inputs[3].arg"
                                   ".as_int_lists[1].as_ints[0]");
    at = sg_at_node(b.p, &b.log, inner);
    cr_expect_str_eq(at.json_path, "$.graph_module.graph.nodes[0].inputs[1].arg.as_graph.graph"
                                   ".nodes[0]");
    cr_expect_str_eq(at.graph, "forward/true_graph_0");
    cr_expect_eq(at.graph_id.id, sub.id);
    end(&b);
}

/* A graph inside itself, which a builder can make, must not hang. */
Test(locate, a_graph_inside_itself) {
    struct bench b = bench(SIGNET_CARRIER_JSON, NULL, NULL);
    signet_graph sub = signet_graph_add(b.p, b.program, signet_str("sub"));
    signet_node n = add(&b, sub, "y", "z");
    signet_arg_set_graph(b.p, signet_node_input(b.p, n, 0), sub);
    signet_location at = sg_at_node(b.p, &b.log, n);
    cr_expect_str_eq(at.node, "y");
    end(&b);
}

static void add_spec(struct bench *b, signet_side side, int kind, const char *target) {
    signet_spec spec = SIGNET_SPEC_INIT;
    spec.side = side;
    spec.kind = kind;
    spec.raw_tag = signet_str(kind == 0 ? "buffer_update" : NULL);
    spec.name = signet_str("v");
    spec.arg_kind = SIGNET_ARG_TENSOR;
    spec.target = signet_str(target);
    signet_spec_add(b->p, b->program, &spec);
}

Test(locate, signature_state_calls_and_ranges) {
    struct bench b = bench(SIGNET_CARRIER_PT2_ARCHIVE, "models/model.json", NULL);
    add_spec(&b, SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_BUFFER_MUTATION, "k");
    add_spec(&b, SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_USER_OUTPUT, NULL);
    add_spec(&b, SIGNET_OUTPUT, 0, NULL);
    signet_location at = sg_at_spec(b.p, &b.log, b.program, SIGNET_OUTPUT, 0, SG_SPEC_TARGET);
    cr_expect_str_eq(at.json_path,
                     "$.graph_module.signature.output_specs[0].buffer_mutation.buffer_name");
    cr_expect_str_eq(at.item, "output 0");
    at = sg_at_spec(b.p, &b.log, b.program, SIGNET_OUTPUT, 0, SG_SPEC_NAME);
    cr_expect_str_eq(at.json_path, "$.graph_module.signature.output_specs[0].buffer_mutation.arg");
    at = sg_at_spec(b.p, &b.log, b.program, SIGNET_OUTPUT, 1, SG_SPEC_TARGET);
    cr_expect_str_eq(at.json_path, "$.graph_module.signature.output_specs[1]");
    at = sg_at_spec(b.p, &b.log, b.program, SIGNET_OUTPUT, 2, SG_SPEC_WHOLE);
    cr_expect_str_eq(at.json_path, "$.graph_module.signature.output_specs[2]");

    signet_state state = SIGNET_STATE_INIT;
    state.name = signet_str("layers.0.k");
    signet_state_add(b.p, b.program, &state);
    at = sg_at_state(b.p, &b.log, b.program, 0);
    cr_expect_str_eq(at.item, "state 'layers.0.k'");
    uint32_t config = sg_source_add(b.p, SIGNET_CARRIER_PT2_ARCHIVE, signet_str("model.x"),
                                    signet_str("data/weights/model_weights_config.json"), NULL, 0);
    sg_state_set_span(b.p, b.program, 0, config, sg_span_make(3, 4));
    at = sg_at_state(b.p, &b.log, b.program, 0);
    cr_expect_str_eq(at.json_path, "$.config[\"layers.0.k\"]");
    cr_expect_str_eq(at.entry, "data/weights/model_weights_config.json");
    cr_expect_eq(at.byte, 3);

    signet_program_add_range(b.p, b.program, (signet_range){.symbol = signet_str("s0")});
    at = sg_at_range(b.p, &b.log, b.program, 0);
    cr_expect_str_eq(at.json_path, "$.range_constraints[\"s0\"]");
    cr_expect_str_eq(at.item, "range of 's0'");
    signet_call call = SIGNET_CALL_INIT;
    call.fqn = signet_str("");
    signet_call_add(b.p, b.program, &call);
    at = sg_at_call(b.p, &b.log, b.program, 0);
    cr_expect_str_eq(at.json_path, "$.graph_module.module_call_graph[0]");
    cr_expect_str_eq(at.item, "call graph entry 0");
    end(&b);
}

Test(locate, texts_have_no_json_path) {
    static const char text[] = "add = relu(x)";
    struct bench b = bench(SIGNET_CARRIER_PRINTED, NULL, text);
    signet_node n = add(&b, b.graph, "add", "x");
    sg_node_set_span(b.p, n, span_of(text, text));
    sg_arg_set_at(b.p, signet_node_input(b.p, n, 0), span_of(text, "x)").at);
    signet_location at = sg_at_arg(b.p, &b.log, signet_node_input(b.p, n, 0));
    cr_expect_null(at.json_path);
    cr_expect_eq(at.column, 12);
    cr_expect_eq(at.focus_length, 1);
    at = sg_at_arg(b.p, &b.log, signet_node_output(b.p, n, 0));
    cr_expect_eq(at.column, 1, "no place of its own: that of its node");
    end(&b);
}

Test(locate, names_of_the_file_are_escaped) {
    struct bench b = bench(SIGNET_CARRIER_JSON, NULL, NULL);
    signet_node n = add(&b, b.graph, "a\x1b[31m", "x");
    signet_location at = sg_at_node(b.p, &b.log, n);
    cr_expect_null(strchr(at.node, '\x1b'));
    end(&b);
}

Test(locate, without_memory_things_are_left_out) {
    struct bench b = bench(SIGNET_CARRIER_JSON, NULL, NULL);
    signet_node n = add(&b, b.graph, "a", "x");
    sg_log_free(&b.log);
    struct test_allocator t;
    test_allocator_init(&t);
    t.fail_at = 1;
    t.keeps_failing = true;
    sg_log_init(&b.log, &t.allocator, NULL, NULL, 1000);
    signet_location at = sg_at_node(b.p, &b.log, n);
    cr_expect_eq(at.node_id.id, n.id);
    cr_expect_gt(t.failures, 0);
    end(&b);
}
