/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "ir/ir_internal.h"
#include "tests/support/allocator.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static signet_package *package(void) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    return p;
}

static signet_sym expression(signet_package *p, const char *text) {
    signet_sym_info info = {.kind = SIGNET_SYM_EXPR,
                            .expr = sg_expr_parse(p, signet_str(text), NULL, NULL),
                            .text = signet_str(text)};
    return signet_sym_make(p, &info);
}

Test(type, syms_are_hash_consed) {
    signet_package *p = package();
    signet_sym three = signet_sym_int(p, 3);
    cr_assert_neq(three.id, 0);
    cr_assert_eq(signet_sym_int(p, 3).id, three.id);
    cr_assert_neq(signet_sym_int(p, 4).id, three.id);
    signet_sym_info info = {.kind = SIGNET_SYM_INT, .number = 3, .real = 7.5, .hint_number = 9};
    cr_assert_eq(signet_sym_make(p, &info).id, three.id, "members of other kinds do not count");
    info.kind = SIGNET_SYM_FLOAT;
    signet_sym real = signet_sym_make(p, &info);
    cr_assert_eq(signet_sym_get(p, real).real, 7.5);
    info.kind = SIGNET_SYM_BOOL;
    cr_assert_eq(signet_sym_get(p, signet_sym_make(p, &info)).number, 1);
    signet_sym s = expression(p, "s0 + 1");
    cr_assert_eq(expression(p, "s0 + 1").id, s.id);
    cr_assert_neq(expression(p, "1 + s0").id, s.id, "the text is kept as it came");
    cr_assert_eq(signet_sym_get(p, expression(p, "1 + s0")).expr.id, signet_sym_get(p, s).expr.id);
    cr_assert(sg_string_is(signet_sym_get(p, s).text, "s0 + 1"));
    signet_sym_info hinted = signet_sym_get(p, s);
    hinted.hint = SIGNET_SYM_INT;
    hinted.hint_number = 8;
    signet_sym h = signet_sym_make(p, &hinted);
    cr_assert_neq(h.id, s.id);
    cr_assert_eq(signet_sym_get(p, h).hint_number, 8);
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    signet_package_destroy(p);
}

Test(type, odd_syms) {
    signet_package *p = package();
    signet_sym_info info = {.kind = SIGNET_SYM_FLOAT, .real = NAN};
    signet_sym nan = signet_sym_make(p, &info);
    cr_assert_eq(signet_sym_make(p, &info).id, nan.id, "a NaN is one sym");
    info.real = -0.0;
    signet_sym minus = signet_sym_make(p, &info);
    info.real = 0.0;
    cr_assert_neq(signet_sym_make(p, &info).id, minus.id);
    cr_assert_eq(signet_sym_get(p, (signet_sym){0}).kind, SIGNET_SYM_NONE);
    signet_sym_info null_expr = {.kind = SIGNET_SYM_EXPR};
    cr_assert_eq(signet_sym_make(p, &null_expr).id, 0);
    cr_assert_eq(signet_package_status(p), SIGNET_OK, "made of a null expression: quiet");
    signet_sym_info none = {.kind = SIGNET_SYM_NONE};
    cr_assert_eq(signet_sym_make(p, &none).id, 0);
    cr_assert_eq(signet_package_status(p), SIGNET_E_INVALID_ARG);
    signet_package_destroy(p);
}

Test(type, same_size_in_two_packages) {
    signet_package *p = package();
    signet_package *q = package();
    signet_sym four = signet_sym_int(q, 4);
    signet_sym s = expression(p, "Add(Symbol('s0', positive=True, integer=True), Integer(-1))");
    cr_assert(sg_sym_same(p, s, q, expression(q, "s0 - 1")));
    cr_assert_not(sg_sym_same(p, s, q, expression(q, "s0 - 2")));
    cr_assert_not(sg_sym_same(p, s, q, four));
    cr_assert(sg_sym_same(p, signet_sym_int(p, 4), q, four));
    cr_assert(sg_sym_same(p, expression(p, "4"), q, four));
    cr_assert_not(sg_sym_same(p, signet_sym_int(p, 5), q, four));
    cr_assert(sg_sym_same(p, (signet_sym){0}, q, four), "not told");
    cr_assert(sg_sym_same(p, expression(p, "s0 . x"), q, four),
              "a text of no grammar tells nothing");
    cr_assert(sg_sym_same(p, s, p, s));
    signet_package_destroy(p);
    signet_package_destroy(q);
}

static signet_type matrix(signet_package *p, int64_t rows, bool strides) {
    signet_sym sizes[] = {signet_sym_int(p, rows), expression(p, "s0 + 1")};
    signet_sym steps[] = {sizes[1], signet_sym_int(p, 1)};
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    info.dtype = SIGNET_DTYPE_F32;
    info.layout = SIGNET_LAYOUT_STRIDED;
    info.device = signet_str("cpu");
    info.sizes = sizes;
    info.rank = 2;
    info.has_strides = strides;
    info.strides = steps;
    info.stride_count = 2;
    info.storage_offset = signet_sym_int(p, 0);
    return signet_type_make(p, &info);
}

Test(type, types_are_hash_consed) {
    signet_package *p = package();
    signet_type t = matrix(p, 3, true);
    cr_assert_neq(t.id, 0);
    cr_assert_eq(matrix(p, 3, true).id, t.id);
    cr_assert_neq(matrix(p, 4, true).id, t.id);
    cr_assert_neq(matrix(p, 3, false).id, t.id);
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    signet_type_get(p, t, &info);
    cr_assert_eq(info.dtype, SIGNET_DTYPE_F32);
    cr_assert_eq(info.rank, 2);
    cr_assert_eq(info.sizes[0].id, signet_sym_int(p, 3).id);
    cr_assert_eq(info.stride_count, 2);
    cr_assert_eq(info.strides[1].id, signet_sym_int(p, 1).id);
    cr_assert(sg_string_is(info.device, "cpu"));
    signet_type_get(p, matrix(p, 3, false), &info);
    cr_assert_eq(info.stride_count, 0);
    signet_type_get(p, (signet_type){0}, &info);
    cr_assert_eq(info.rank, 0);
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    signet_package_destroy(p);
}

Test(type, each_member_counts) {
    signet_package *p = package();
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    signet_type bare = signet_type_make(p, &info);
    signet_type seen[8];
    uint32_t count = 0;
    seen[count++] = bare;
    info.dtype = SIGNET_DTYPE_I64;
    seen[count++] = signet_type_make(p, &info);
    info.layout = SIGNET_LAYOUT_STRIDED;
    seen[count++] = signet_type_make(p, &info);
    info.requires_grad = true;
    seen[count++] = signet_type_make(p, &info);
    info.device = signet_str("cuda");
    seen[count++] = signet_type_make(p, &info);
    info.has_device_index = true;
    seen[count++] = signet_type_make(p, &info);
    info.device_index = 1;
    seen[count++] = signet_type_make(p, &info);
    info.storage_offset = signet_sym_int(p, 2);
    seen[count++] = signet_type_make(p, &info);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            cr_expect_neq(seen[i].id, seen[k].id);
        }
    }
    signet_package_destroy(p);
}

/* What signet_type_get lends may be handed in again, although making a type can move it. */
Test(type, made_from_a_type) {
    signet_package *p = package();
    signet_type t = matrix(p, 3, true);
    for (int i = 0; i < 200; i++) {
        signet_type_info info = SIGNET_TYPE_INFO_INIT;
        signet_type_get(p, t, &info);
        info.device_index = i;
        info.has_device_index = true;
        signet_type next = signet_type_make(p, &info);
        cr_assert_neq(next.id, 0);
        signet_type_get(p, next, &info);
        cr_assert_eq(info.sizes[0].id, signet_sym_int(p, 3).id);
        cr_assert_eq(info.strides[1].id, signet_sym_int(p, 1).id);
    }
    signet_package_destroy(p);
}

Test(type, wrong_use) {
    signet_package *p = package();
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    signet_sym far = {77};
    info.sizes = &far;
    info.rank = 1;
    cr_assert_eq(signet_type_make(p, &info).id, 0);
    cr_assert_eq(signet_package_status(p), SIGNET_E_INVALID_ARG);
    signet_package_destroy(p);
}

static void expect_text(const signet_package *p, signet_type t, const char *expected) {
    struct sg_text text;
    sg_text_init(&text, &sg_default_allocator);
    sg_type_text(p, t, &text);
    cr_expect_str_eq(text.data, expected);
    sg_text_free(&text);
}

Test(type, as_text) {
    signet_package *p = package();
    expect_text(p, matrix(p, 3, true), "f32[3, s0 + 1]");
    expect_text(p, (signet_type){0}, "?[]");
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    info.dtype = (signet_dtype)99;
    signet_sym odd = expression(p, "s0 . x");
    info.sizes = &odd;
    info.rank = 1;
    expect_text(p, signet_type_make(p, &info), "dtype 99 [s0 . x]");
    signet_package_destroy(p);
}

Test(type, a_clone_goes_on_hash_consing) {
    signet_package *p = package();
    signet_type t = matrix(p, 3, true);
    signet_expr e = sg_expr_parse(p, signet_str("2*s0 + 1"), NULL, NULL);
    signet_package *q = NULL;
    cr_assert_eq(signet_package_clone(&q, p, NULL), SIGNET_OK);
    cr_assert_eq(matrix(q, 3, true).id, t.id);
    cr_assert_eq(sg_expr_parse(q, signet_str("1 + s0*2"), NULL, NULL).id, e.id);
    cr_assert_neq(matrix(q, 5, true).id, t.id);
    signet_package_destroy(p);
    signet_package_destroy(q);
}

static signet_status make_types(const signet_allocator *a, void *user) {
    (void)user;
    signet_package *p = NULL;
    signet_status rc = signet_package_create(&p, a, NULL);
    for (int64_t i = 0; rc == SIGNET_OK && i < 20; i++) {
        signet_type t = matrix(p, i, i % 2 == 0);
        cr_expect(t.id != 0 || signet_package_status(p) != SIGNET_OK);
        rc = signet_package_status(p);
    }
    signet_package_destroy(p);
    return rc;
}

Test(type, out_of_memory) {
    cr_assert_gt(test_each_failure(make_types, NULL), 20);
}
