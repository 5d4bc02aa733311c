/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "base/text.h"
#include "ir/ir_internal.h"

#include <criterion/criterion.h>
#include <string.h>

static signet_package *package(void) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    return p;
}

static uint32_t parse(signet_package *p, const char *target) {
    uint32_t op = sg_operator_of(p, sg_intern_text(p, target));
    cr_assert_neq(op, 0);
    return op;
}

static void check(const char *target, signet_operator_class op_class, const char *name_space,
                  const char *name, const char *overload, bool in_place) {
    signet_package *p = package();
    const struct sg_operator *o = sg_operator(p, parse(p, target));
    cr_expect_eq((signet_operator_class)o->op_class, op_class, "%s is of class %u", target,
                 o->op_class);
    cr_expect(sg_string_equal(sg_string(p, o->name_space), signet_str(name_space)), "%s", target);
    cr_expect(sg_string_equal(sg_string(p, o->name), signet_str(name)), "%s: name is '%s'", target,
              sg_string(p, o->name).data);
    cr_expect(sg_string_equal(sg_string(p, o->overload), signet_str(overload)), "%s", target);
    cr_expect_eq(o->in_place, in_place, "%s", target);
    signet_package_destroy(p);
}

Test(operator, overloads) {
    check("torch.ops.aten.add.Tensor", SIGNET_OPERATOR_OVERLOAD, "aten", "add", "Tensor", false);
    check("aten.add.Tensor", SIGNET_OPERATOR_OVERLOAD, "aten", "add", "Tensor", false);
    check("torch.ops.mylib.f.default", SIGNET_OPERATOR_OVERLOAD, "mylib", "f", "default", false);
    check("mylib.f.default", SIGNET_OPERATOR_OVERLOAD, "mylib", "f", "default", false);
    check("torch.ops.aten.add_.Tensor", SIGNET_OPERATOR_OVERLOAD, "aten", "add_", "Tensor", true);
    check("torch.ops.aten.add.out", SIGNET_OPERATOR_OVERLOAD, "aten", "add", "out", true);
    check("torch.ops.aten.sum.IntList_out", SIGNET_OPERATOR_OVERLOAD, "aten", "sum", "IntList_out",
          true);
    check("torch.ops.aten.__and__.Tensor", SIGNET_OPERATOR_OVERLOAD, "aten", "__and__", "Tensor",
          false);
    check("torch.ops.aten.layout.default", SIGNET_OPERATOR_OVERLOAD, "aten", "layout", "default",
          false);
    check("torch.ops.aten.add", SIGNET_OPERATOR_PACKET, "aten", "add", NULL, false);
    check("aten.add_", SIGNET_OPERATOR_PACKET, "aten", "add_", NULL, true);
}

Test(operator, higher_order) {
    check("torch.ops.higher_order.cond", SIGNET_OPERATOR_HIGHER_ORDER, "higher_order", "cond", NULL,
          false);
    check("higher_order.cond", SIGNET_OPERATOR_HIGHER_ORDER, "higher_order", "cond", NULL, false);
    check("torch.ops.higher_order.executorch_call_delegate", SIGNET_OPERATOR_DELEGATE_CALL,
          "higher_order", "executorch_call_delegate", NULL, false);
}

Test(operator, edge) {
    check("executorch.exir.dialects.edge._ops.aten.add.Tensor", SIGNET_OPERATOR_EDGE, "aten", "add",
          "Tensor", false);
    check("executorch.exir.dialects.edge.ops.aten.add.Tensor", SIGNET_OPERATOR_EDGE, "aten", "add",
          "Tensor", false);
    check("executorch_exir_dialects_edge__ops_aten_add_Tensor", SIGNET_OPERATOR_EDGE, "aten", "add",
          "Tensor", false);
    check("executorch_exir_dialects_edge__ops_aten_copy__default", SIGNET_OPERATOR_EDGE, "aten",
          "copy_", "default", true);
    check("executorch_exir_dialects_edge__ops_aten__to_copy_default", SIGNET_OPERATOR_EDGE, "aten",
          "_to_copy", "default", false);
    check("executorch_exir_dialects_edge__ops_dim_order_ops__to_dim_order_copy_default",
          SIGNET_OPERATOR_EDGE, "dim_order_ops", "_to_dim_order_copy", "default", false);
    check("executorch_exir_dialects_edge__ops_quantized_decomposed_quantize_per_tensor_default",
          SIGNET_OPERATOR_EDGE, "quantized_decomposed", "quantize_per_tensor", "default", false);
    check("executorch_exir_dialects_edge__ops_aten_sum_dim_IntList", SIGNET_OPERATOR_EDGE, "aten",
          "sum", "dim_IntList", false);
    check("executorch_exir_dialects_edge__ops_aten_div_Tensor_mode", SIGNET_OPERATOR_EDGE, "aten",
          "div", "Tensor_mode", false);
    check("executorch_exir_dialects_edge__ops_aten_slice_copy_Tensor", SIGNET_OPERATOR_EDGE, "aten",
          "slice_copy", "Tensor", false);
    check("executorch_exir_dialects_edge__ops_unheard_of_default", SIGNET_OPERATOR_EDGE, "unheard",
          "of", "default", false);
}

Test(operator, functions) {
    check("_operator.getitem", SIGNET_OPERATOR_GETITEM, "_operator", "getitem", NULL, false);
    check("_operator.add", SIGNET_OPERATOR_BUILTIN, "_operator", "add", NULL, false);
    check("math.trunc", SIGNET_OPERATOR_BUILTIN, "math", "trunc", NULL, false);
    check("torch.sym_max", SIGNET_OPERATOR_BUILTIN, "torch", "sym_max", NULL, false);
    check("torch._sym_sqrt", SIGNET_OPERATOR_BUILTIN, "torch", "_sym_sqrt", NULL, false);
    check("#tensorrt:execute", SIGNET_OPERATOR_EXTENSION, "tensorrt", "execute", NULL, false);
    check("torch.sin", SIGNET_OPERATOR_FUNCTION, NULL, "torch.sin", NULL, false);
    check("torch.nn.functional.relu_", SIGNET_OPERATOR_FUNCTION, NULL, "torch.nn.functional.relu_",
          NULL, false);
    check("mod.outer.<locals>.inner", SIGNET_OPERATOR_FUNCTION, NULL, "mod.outer.<locals>.inner",
          NULL, false);
}

Test(operator, malformed) {
    static const char *const targets[] = {"",
                                          " ",
                                          "torch.ops.",
                                          "torch.ops.aten",
                                          "torch.ops.aten.add.Tensor.more",
                                          "torch.ops.aten..Tensor",
                                          "torch.ops.aten.add.Tensor ",
                                          "executorch.exir.dialects.edge._ops.aten",
                                          "executorch_exir_dialects_edge__ops_aten",
                                          "executorch_exir_dialects_edge__ops_aten_add",
                                          "executorch_exir_dialects_edge__ops_",
                                          "#",
                                          "#a",
                                          "#:b",
                                          "#a:",
                                          "a..b",
                                          ".a",
                                          "a.",
                                          "3.x",
                                          "os.system('x')"};
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        check(targets[i], SIGNET_OPERATOR_MALFORMED, NULL, targets[i], NULL, false);
    }
}

static signet_hash hash_of(const signet_package *p, uint32_t op) {
    struct sg_hasher h;
    sg_hasher_init(&h);
    sg_operator_hash(p, op, &h);
    return sg_hasher_done(&h);
}

static void expect_same(const char *x, const char *y, bool same) {
    signet_package *a = package();
    signet_package *b = package();
    uint32_t op = parse(a, x);
    uint32_t other = parse(b, y);
    cr_expect_eq(sg_operator_same(a, op, b, other), same, "%s and %s", x, y);
    signet_hash h = hash_of(a, op);
    signet_hash g = hash_of(b, other);
    cr_expect_eq(memcmp(&h, &g, sizeof(h)) == 0, same, "%s and %s", x, y);
    signet_package_destroy(a);
    signet_package_destroy(b);
}

Test(operator, spellings_of_one_operator) {
    expect_same("torch.ops.aten.add.Tensor", "aten.add.Tensor", true);
    expect_same("torch.ops.higher_order.cond", "higher_order.cond", true);
    expect_same("executorch.exir.dialects.edge._ops.aten.add.Tensor",
                "executorch.exir.dialects.edge.ops.aten.add.Tensor", true);
    /* Also where the printed name cannot be split for certain. */
    expect_same("executorch.exir.dialects.edge._ops.my_space.an_op.an_overload",
                "executorch_exir_dialects_edge__ops_my_space_an_op_an_overload", true);
    expect_same("executorch.exir.dialects.edge._ops.aten.copy_.default",
                "executorch_exir_dialects_edge__ops_aten_copy__default", true);
    expect_same("torch.ops.aten.add.Tensor", "torch.ops.aten.add.Scalar", false);
    expect_same("torch.ops.aten.add.Tensor", "torch.ops.aten.add_.Tensor", false);
    expect_same("torch.ops.aten.add.Tensor", "torch.ops.aten.add", false);
    expect_same("executorch.exir.dialects.edge._ops.aten.add.Tensor", "torch.ops.aten.add.Tensor",
                false);
    expect_same("_operator.add", "math.add", false);
}

Test(operator, parsed_once) {
    signet_package *p = package();
    uint32_t op = parse(p, "torch.ops.aten.add.Tensor");
    uint32_t count = p->operators.count;
    cr_assert_eq(parse(p, "torch.ops.aten.add.Tensor"), op);
    cr_assert_eq(p->operators.count, count);
    cr_assert_neq(parse(p, "aten.add.Tensor"), op, "each spelling keeps its record");
    cr_assert_eq(sg_operator_of(p, 0), 0);
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    signet_node none = {0};
    cr_assert_eq(signet_node_operator(p, none).op_class, SIGNET_OPERATOR_MALFORMED);
    signet_package_destroy(p);
}
