/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/programs.h"

signet_type test_type(signet_package *p, int64_t rows, int64_t columns) {
    signet_sym sizes[2] = {signet_sym_int(p, rows), signet_sym_int(p, columns)};
    signet_sym strides[2] = {signet_sym_int(p, columns), signet_sym_int(p, 1)};
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    info.dtype = SIGNET_DTYPE_F32;
    info.layout = SIGNET_LAYOUT_STRIDED;
    info.device = signet_str("cpu");
    info.sizes = sizes;
    info.rank = 2;
    info.has_strides = true;
    info.strides = strides;
    info.stride_count = 2;
    info.storage_offset = signet_sym_int(p, 0);
    return signet_type_make(p, &info);
}

void test_spec(signet_package *p, signet_program program, signet_side side, int kind,
               const char *name, const char *target) {
    signet_spec spec = SIGNET_SPEC_INIT;
    spec.side = side;
    spec.kind = kind;
    spec.name = signet_str(name);
    spec.arg_kind = SIGNET_ARG_TENSOR;
    spec.target = signet_str(target);
    if (side == SIGNET_INPUT && kind == SIGNET_INPUT_KIND_BUFFER) {
        spec.persistent = SIGNET_PERSISTENT_YES;
    }
    signet_spec_add(p, program, &spec);
}

signet_node test_call(signet_package *p, signet_graph graph, const char *target, const char *result,
                      const char *a, const char *b) {
    signet_node node = signet_node_append(p, graph, signet_str(target));
    signet_arg in = signet_node_set_inputs(p, node, 2);
    if (in.id != 0) {
        signet_arg_set_named(p, in, SIGNET_ARG_TENSOR, signet_str(a));
        signet_arg_set_named(p, (signet_arg){in.id + 1}, SIGNET_ARG_TENSOR, signet_str(b));
    }
    signet_arg out = signet_node_set_outputs(p, node, 1);
    if (out.id != 0) {
        signet_value v = signet_arg_set_named(p, out, SIGNET_ARG_TENSOR, signet_str(result));
        signet_value_describe_tensor(p, v, test_type(p, 3, 3));
    }
    return node;
}

static void define_input(signet_package *p, signet_arg arg, const char *name) {
    signet_value v = signet_arg_set_named(p, arg, SIGNET_ARG_TENSOR, signet_str(name));
    signet_value_describe_tensor(p, v, test_type(p, 3, 3));
}

signet_program test_seed(signet_package *p) {
    signet_program program = signet_program_add(p, signet_str("forward"), SIGNET_ROLE_METHOD);
    signet_graph graph = signet_program_graph(p, program);
    signet_arg in = signet_graph_set_inputs(p, graph, 2);
    if (in.id == 0) {
        return (signet_program){0};
    }
    define_input(p, in, "b_b");
    define_input(p, (signet_arg){in.id + 1}, "x");
    test_call(p, graph, "torch.ops.aten.add.Tensor", "add", "b_b", "x");
    test_call(p, graph, "torch.ops.aten.add.Tensor", "add_1", "x", "add");
    signet_arg out = signet_graph_set_outputs(p, graph, 2);
    if (out.id != 0) {
        signet_arg_set_named(p, out, SIGNET_ARG_TENSOR, signet_str("add"));
        signet_arg_set_named(p, (signet_arg){out.id + 1}, SIGNET_ARG_TENSOR, signet_str("add_1"));
    }
    test_spec(p, program, SIGNET_INPUT, SIGNET_INPUT_KIND_BUFFER, "b_b", "b");
    test_spec(p, program, SIGNET_INPUT, SIGNET_INPUT_KIND_USER_INPUT, "x", NULL);
    test_spec(p, program, SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_BUFFER_MUTATION, "add", "b");
    test_spec(p, program, SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_USER_OUTPUT, "add_1", NULL);
    return signet_package_status(p) == SIGNET_OK ? program : (signet_program){0};
}
