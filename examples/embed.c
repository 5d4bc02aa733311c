/* SPDX-License-Identifier: Apache-2.0 */
/* Builds `self.b.add_(x); return x + self.b` by calls, lowers it wrongly, and repairs it. */
#include <signet/signet.h>

#include <stdio.h>

static void on_finding(void *user, const signet_diag *diag) {
    (void)user;
    printf("%s[%s]: %s\n", signet_severity_name(diag->severity), diag->code_name, diag->message);
}

/* f32[3,3], contiguous, on the CPU. */
static signet_type make_type(signet_package *p) {
    signet_sym sizes[] = {signet_sym_int(p, 3), signet_sym_int(p, 3)};
    signet_sym strides[] = {signet_sym_int(p, 3), signet_sym_int(p, 1)};
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

static void add_spec(signet_package *p, signet_program program, signet_side side, int kind,
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
    (void)signet_spec_add(p, program, &spec);
}

static signet_value add(signet_package *p, signet_graph graph, const char *name, signet_value a,
                        signet_value b) {
    signet_node node = signet_node_append(p, graph, signet_str("torch.ops.aten.add.Tensor"));
    signet_arg inputs = signet_node_set_inputs(p, node, 2);
    signet_arg other = {inputs.id + 1};
    signet_arg_set_name(p, inputs, signet_str("self"), SIGNET_PASSING_POSITIONAL);
    signet_arg_set_value(p, inputs, SIGNET_ARG_TENSOR, a);
    signet_arg_set_name(p, other, signet_str("other"), SIGNET_PASSING_POSITIONAL);
    signet_arg_set_value(p, other, SIGNET_ARG_TENSOR, b);
    signet_arg output = signet_node_set_outputs(p, node, 1);
    return signet_arg_set_named(p, output, SIGNET_ARG_TENSOR, signet_str(name));
}

static signet_program build(signet_package *p) {
    signet_program program = signet_program_add(p, signet_str("forward"), SIGNET_ROLE_METHOD);
    signet_graph graph = signet_program_graph(p, program);
    signet_type type = make_type(p);

    signet_arg inputs = signet_graph_set_inputs(p, graph, 2);
    signet_arg second = {inputs.id + 1};
    signet_value b = signet_arg_set_named(p, inputs, SIGNET_ARG_TENSOR, signet_str("b_b"));
    signet_value x = signet_arg_set_named(p, second, SIGNET_ARG_TENSOR, signet_str("x"));
    signet_value sum = add(p, graph, "add", b, x);
    signet_value result = add(p, graph, "add_1", x, sum);
    signet_value all[] = {b, x, sum, result};
    for (int i = 0; i < 4; i++) {
        signet_value_describe_tensor(p, all[i], type);
    }
    signet_arg outputs = signet_graph_set_outputs(p, graph, 2);
    signet_arg last = {outputs.id + 1};
    signet_arg_set_value(p, outputs, SIGNET_ARG_TENSOR, sum);
    signet_arg_set_value(p, last, SIGNET_ARG_TENSOR, result);

    add_spec(p, program, SIGNET_INPUT, SIGNET_INPUT_KIND_BUFFER, "b_b", "b");
    add_spec(p, program, SIGNET_INPUT, SIGNET_INPUT_KIND_USER_INPUT, "x", NULL);
    add_spec(p, program, SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_BUFFER_MUTATION, "add", "b");
    add_spec(p, program, SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_USER_OUTPUT, "add_1", NULL);
    return program;
}

/* What a faulty lowering did: the delegate takes the buffer, and its mutation stays outside. The
 * body of the delegate is the program as it was. */
static void lower_wrongly(signet_package *p, signet_program program) {
    signet_graph graph = signet_program_graph(p, program);
    signet_delegate delegate = signet_delegate_add(p, signet_str("lowered_module_0"));
    signet_delegate_set_body(p, delegate,
                             signet_program_clone_into(p, p, program, signet_str("body")));
    signet_value x = signet_graph_find(p, graph, signet_str("x"));
    signet_type type = signet_value_type(p, x);

    signet_node call =
        signet_node_append(p, graph, signet_str("torch.ops.higher_order.executorch_call_delegate"));
    signet_arg inputs = signet_node_set_inputs(p, call, 2);
    signet_arg_set_delegate(p, inputs, delegate);
    signet_arg_set_value(p, signet_node_input(p, call, 1), SIGNET_ARG_TENSOR, x);
    (void)signet_node_set_outputs(p, call, 2);
    const char *const names[] = {"getitem", "getitem_1"};
    for (uint32_t i = 0; i < 2; i++) {
        signet_value result = signet_arg_set_named(p, signet_node_output(p, call, i),
                                                   SIGNET_ARG_TENSOR, signet_str(names[i]));
        signet_value_describe_tensor(p, result, type);
        signet_value old = signet_arg_value(p, signet_graph_output(p, graph, i));
        signet_value_replace_uses(p, old, result); /* declared names of specs follow */
    }
    signet_node_remove(p, signet_node_previous(p, call));
    signet_node_remove(p, signet_node_previous(p, call));
    signet_program_remove_input(p, program, 0);
}

/* The mutation is the body's own: the host drops its output, its spec and the result of the call.
 */
static void repair(signet_package *p, signet_program program) {
    signet_program_remove_output(p, program, 0);
    signet_node_remove_output(p, signet_graph_first(p, signet_program_graph(p, program)), 0);
}

static int count_errors(const signet_package *package) {
    signet_sink sink = {on_finding, NULL};
    signet_report report = SIGNET_REPORT_INIT;
    signet_status status = signet_verify(package, NULL, &sink, &report);
    return status == SIGNET_OK ? (int)report.errors : -1;
}

int main(void) {
    signet_package *package = NULL;
    if (signet_package_create(&package, NULL, NULL) != SIGNET_OK) {
        return 1;
    }
    signet_program program = build(package);
    int built = count_errors(package);
    lower_wrongly(package, program);
    int lowered = count_errors(package);
    repair(package, program);
    int repaired = count_errors(package);
    printf("errors: %d as built, %d lowered, %d repaired\n", built, lowered, repaired);

    signet_owner owner = {{0}, {0}, 0, false};
    signet_state_owners(package, SIGNET_INPUT_KIND_BUFFER, signet_str("b"), &owner, 1);
    printf("'b' is held by %s and %s\n", signet_delegate_name(package, owner.delegate).data,
           owner.mutates ? "updated there" : "never updated");

    signet_status status = signet_package_status(package); /* the first failure of any call */
    signet_package_destroy(package);
    return status == SIGNET_OK && built == 0 && lowered > 0 && repaired == 0 ? 0 : 1;
}
