/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/allocator.h"

Test(alloc, gives_zeroed_memory_and_takes_null_back) {
    struct test_allocator t;
    test_allocator_init(&t);
    unsigned char *memory = sg_alloc(&t.allocator, 100);
    for (int i = 0; i < 100; i++) {
        cr_assert_eq(memory[i], 0);
    }
    sg_free(&t.allocator, memory, 100);
    sg_free(&t.allocator, NULL, 7);
    void *nothing = sg_alloc(&t.allocator, 0);
    cr_assert_not_null(nothing);
    sg_free(&t.allocator, nothing, 0);
    cr_assert_eq(t.blocks, 0);
    cr_assert_eq(t.wrong_sizes, 0);
}

Test(alloc, checks_sizes) {
    size_t out = 7;
    cr_assert(!sg_mul_ok(SIZE_MAX / 2, 3, &out));
    cr_assert(!sg_add_ok(SIZE_MAX, 1, &out));
    cr_assert_eq(out, 7);
    cr_assert(sg_mul_ok(SIZE_MAX / 3, 3, &out));
    cr_assert_eq(out, SIZE_MAX / 3 * 3);
    cr_assert(sg_mul_ok(5, 0, &out));
    cr_assert_eq(out, 0);
    cr_assert(sg_add_ok(SIZE_MAX - 1, 1, &out));
    cr_assert_eq(out, SIZE_MAX);
}

Test(vec, grows_zeroed_and_keeps_what_it_has) {
    struct test_allocator t;
    test_allocator_init(&t);
    SG_VEC(uint64_t) v = {NULL, 0, 0};
    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert(sg_vec_reserve(&t.allocator, &v, 1));
        cr_assert_eq(v.data[v.count], 0);
        v.data[v.count++] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_eq(v.data[i], i);
    }
    cr_assert_lt(t.calls, 12, "grows by a factor");
    cr_assert(!sg_vec_reserve(&t.allocator, &v, UINT32_MAX - 999));
    cr_assert_eq(v.count, 1000);
    sg_vec_free(&t.allocator, &v);
    cr_assert_null(v.data);
    cr_assert_eq(v.capacity, 0);
    cr_assert_eq(t.bytes, 0);
    cr_assert_eq(t.wrong_sizes, 0);
}

Test(vec, keeps_its_memory_when_it_cannot_grow) {
    struct test_allocator t;
    test_allocator_init(&t);
    SG_VEC(uint32_t) v = {NULL, 0, 0};
    cr_assert(sg_vec_reserve(&t.allocator, &v, 8));
    v.data[0] = 42;
    v.count = v.capacity;
    t.fail_at = 1;
    t.keeps_failing = true;
    uint32_t capacity = v.capacity;
    cr_assert(!sg_vec_reserve(&t.allocator, &v, 1));
    cr_assert_eq(v.data[0], 42);
    cr_assert_eq(v.capacity, capacity);
    cr_assert_null(sg_vec_grow(&t.allocator, NULL, &(uint32_t){0}, UINT32_MAX, SIZE_MAX / 2));
    sg_vec_free(&t.allocator, &v);
    cr_assert_eq(t.wrong_sizes, 0);
}

Test(arena, nothing_moves_and_nothing_overlaps) {
    struct test_allocator t;
    test_allocator_init(&t);
    struct sg_arena arena;
    sg_arena_init(&arena, &t.allocator);
    enum { COUNT = 3000 };
    static unsigned char *blocks[COUNT];
    static size_t sizes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        sizes[i] = i % 500 == 499 ? 100000 : i % 97;
        blocks[i] = sg_arena_alloc(&arena, sizes[i]);
        cr_assert_not_null(blocks[i]);
        cr_assert_eq((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        memset(blocks[i], (int)(i & 0xff), sizes[i]);
        const char *text = sg_arena_text(&arena, "odd", 3); /* upsets the alignment */
        cr_assert_str_eq(text, "odd");
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < sizes[i]; j++) {
            cr_assert_eq(blocks[i][j], i & 0xff);
        }
    }
    cr_assert_lt(t.blocks, 40);
    sg_arena_free(&arena);
    sg_arena_free(&arena);
    cr_assert_eq(t.blocks, 0);
    cr_assert_eq(t.wrong_sizes, 0);
}

Test(arena, reset_keeps_one_chunk) {
    struct test_allocator t;
    test_allocator_init(&t);
    struct sg_arena arena;
    sg_arena_init(&arena, &t.allocator);
    sg_arena_reset(&arena);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 50; i++) {
            cr_assert_not_null(sg_arena_alloc(&arena, 40));
        }
        sg_arena_reset(&arena);
        cr_assert_eq(t.blocks, 1);
    }
    cr_assert_eq(t.calls, 1);
    sg_arena_free(&arena);
    cr_assert_eq(t.blocks, 0);
}

Test(arena, refuses_sizes_that_overflow) {
    struct sg_arena arena;
    sg_arena_init(&arena, &sg_default_allocator);
    cr_assert_null(sg_arena_alloc(&arena, SIZE_MAX));
    cr_assert_null(sg_arena_alloc(&arena, SIZE_MAX - 20));
    cr_assert_null(sg_arena_text(&arena, "", SIZE_MAX));
    cr_assert_not_null(sg_arena_alloc(&arena, 0));
    sg_arena_free(&arena);
}
