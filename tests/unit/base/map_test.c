/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tests/support/allocator.h"

static uint64_t key_of(uint32_t i) {
    return (uint64_t)i << 32 | (uint64_t)i * 7;
}

Test(map, keeps_numbers_by_key) {
    struct test_allocator t;
    test_allocator_init(&t);
    struct sg_map *map = sg_map_create(&t.allocator);
    for (uint32_t i = 1; i <= 5000; i++) {
        cr_assert_eq(sg_map_get(map, key_of(i)), 0);
        cr_assert(sg_map_put(map, key_of(i), i));
    }
    cr_assert(sg_map_put(map, key_of(17), 99));
    cr_assert_eq(sg_map_get(map, key_of(17)), 99);
    for (uint32_t i = 2; i <= 5000; i += 2) {
        sg_map_remove(map, key_of(i));
    }
    sg_map_remove(map, key_of(4)); /* not there any more */
    size_t bytes = t.bytes;
    for (uint32_t i = 1; i <= 5000; i++) {
        uint32_t expected = i % 2 == 0 ? 0 : i == 17 ? 99 : i;
        cr_assert_eq(sg_map_get(map, key_of(i)), expected);
    }
    for (uint32_t i = 2; i <= 5000; i += 2) {
        cr_assert(sg_map_put(map, key_of(i), i));
    }
    cr_assert_eq(t.bytes, bytes, "removed entries are used again");
    sg_map_destroy(map);
    sg_map_destroy(NULL);
    cr_assert_eq(t.blocks, 0);
    cr_assert_eq(t.wrong_sizes, 0);
}

Test(map, can_be_emptied_and_filled_again) {
    struct sg_map *map = sg_map_create(&sg_default_allocator);
    for (int round = 0; round < 3; round++) {
        cr_assert(sg_map_put(map, 0, 1));
        cr_assert(sg_map_put(map, UINT64_MAX, 2));
        cr_assert_eq(sg_map_get(map, 0), 1);
        cr_assert_eq(sg_map_get(map, UINT64_MAX), 2);
        sg_map_remove(map, 0);
        sg_map_remove(map, UINT64_MAX);
        cr_assert_eq(sg_map_get(map, 0), 0);
    }
    sg_map_destroy(map);
}

Test(map, a_clone_stands_alone) {
    struct sg_map *map = sg_map_create(&sg_default_allocator);
    for (uint32_t i = 1; i <= 1000; i++) {
        cr_assert(sg_map_put(map, key_of(i), i));
    }
    struct sg_map *copy = sg_map_clone(map, &sg_default_allocator);
    cr_assert(sg_map_put(map, key_of(1), 5));
    sg_map_destroy(map);
    for (uint32_t i = 1; i <= 1000; i++) {
        cr_assert_eq(sg_map_get(copy, key_of(i)), i);
    }
    cr_assert(sg_map_put(copy, key_of(2000), 2000));
    cr_assert_eq(sg_map_get(copy, key_of(2000)), 2000);
    sg_map_destroy(copy);

    struct sg_map *empty = sg_map_create(&sg_default_allocator);
    copy = sg_map_clone(empty, &sg_default_allocator);
    cr_assert_eq(sg_map_get(copy, 1), 0);
    sg_map_destroy(copy);
    sg_map_destroy(empty);
}

static signet_status map_body(const signet_allocator *a, void *user) {
    (void)user;
    struct sg_map *map = sg_map_create(a);
    if (map == NULL) {
        return SIGNET_E_NOMEM;
    }
    bool ok = true;
    for (uint32_t i = 1; i <= 400; i++) {
        bool put = sg_map_put(map, key_of(i), i);
        ok = ok && put;
        cr_assert_eq(sg_map_get(map, key_of(i)), put ? i : 0);
    }
    struct sg_map *copy = sg_map_clone(map, a);
    ok = ok && copy != NULL;
    sg_map_destroy(copy);
    sg_map_destroy(map);
    return ok ? SIGNET_OK : SIGNET_E_NOMEM;
}

Test(map, survives_every_failure) {
    cr_assert_gt(test_each_failure(map_body, NULL), 5);
}

static signet_string str_n(char *buffer, uint32_t i) {
    int n = snprintf(buffer, 64, "layers.%u.attention.k_cache", (unsigned)i);
    return (signet_string){buffer, (size_t)n};
}

Test(strings, number_each_text_once) {
    struct test_allocator t;
    test_allocator_init(&t);
    struct sg_strings *strings = sg_strings_create(&t.allocator);
    cr_assert_eq(sg_strings_count(strings), 1);
    cr_assert_eq(sg_strings_intern(strings, signet_str("")), 1);
    cr_assert_eq(sg_strings_intern(strings, signet_str(NULL)), 0);
    cr_assert_eq(sg_strings_find(strings, signet_str(NULL)), 0);
    cr_assert_eq(sg_strings_find(strings, signet_str("x")), 0);
    char buffer[64];
    for (uint32_t i = 0; i < 3000; i++) {
        cr_assert_eq(sg_strings_intern(strings, str_n(buffer, i)), i + 2);
        cr_assert_eq(sg_strings_intern_borrowed(strings, str_n(buffer, i)), i + 2);
    }
    cr_assert_eq(sg_strings_count(strings), 3001);
    for (uint32_t i = 0; i < 3000; i++) {
        signet_string expected = str_n(buffer, i);
        signet_string got = sg_strings_get(strings, i + 2);
        cr_assert(sg_string_equal(got, expected));
        cr_assert_eq(got.data[got.length], '\0');
        cr_assert_eq(sg_strings_find(strings, expected), i + 2);
    }
    cr_assert_null(sg_strings_get(strings, 0).data);
    cr_assert_null(sg_strings_get(strings, 3002).data);
    cr_assert_null(sg_strings_get(strings, UINT32_MAX).data);
    sg_strings_destroy(strings);
    sg_strings_destroy(NULL);
    cr_assert_eq(t.blocks, 0);
    cr_assert_eq(t.wrong_sizes, 0);
}

Test(strings, take_any_bytes) {
    struct sg_strings *strings = sg_strings_create(&sg_default_allocator);
    signet_string with_nul = {"a\0b", 3};
    uint32_t number = sg_strings_intern(strings, with_nul);
    cr_assert_neq(number, sg_strings_intern(strings, signet_str("a")));
    cr_assert(sg_string_equal(sg_strings_get(strings, number), with_nul));
    cr_assert_eq(sg_strings_find(strings, (signet_string){"a\0c", 3}), 0);
    cr_assert_eq(sg_strings_intern(strings, (signet_string){"x", SIZE_MAX}), 0, "too long");
    sg_strings_destroy(strings);
}

Test(strings, borrow_without_copying) {
    struct sg_strings *strings = sg_strings_create(&sg_default_allocator);
    static const char text[] = "borrowed";
    uint32_t number = sg_strings_intern_borrowed(strings, signet_str(text));
    cr_assert_eq(sg_strings_get(strings, number).data, text);
    char copy[] = "copied";
    number = sg_strings_intern(strings, signet_str(copy));
    cr_assert_neq(sg_strings_get(strings, number).data, copy);
    sg_strings_destroy(strings);
}

Test(strings, a_clone_borrows_nothing) {
    struct sg_strings *strings = sg_strings_create(&sg_default_allocator);
    char borrowed[] = "borrowed";
    char buffer[64];
    uint32_t number = sg_strings_intern_borrowed(strings, signet_str(borrowed));
    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_neq(sg_strings_intern(strings, str_n(buffer, i)), 0);
    }
    struct sg_strings *copy = sg_strings_clone(strings, &sg_default_allocator);
    cr_assert_neq(sg_strings_intern(strings, signet_str("later")), 0);
    sg_strings_destroy(strings);
    memset(borrowed, 'x', sizeof(borrowed) - 1);
    cr_assert_str_eq(sg_strings_get(copy, number).data, "borrowed");
    cr_assert_eq(sg_strings_find(copy, signet_str("")), 1);
    cr_assert_eq(sg_strings_find(copy, signet_str("later")), 0);
    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_eq(sg_strings_find(copy, str_n(buffer, i)), number + 1 + i);
        cr_assert(sg_string_equal(sg_strings_get(copy, number + 1 + i), str_n(buffer, i)));
    }
    cr_assert_eq(sg_strings_intern(copy, signet_str("new")), sg_strings_count(copy));
    sg_strings_destroy(copy);
}

static signet_status strings_body(const signet_allocator *a, void *user) {
    (void)user;
    struct sg_strings *strings = sg_strings_create(a);
    if (strings == NULL) {
        return SIGNET_E_NOMEM;
    }
    bool ok = true;
    char buffer[64];
    for (uint32_t i = 0; i < 600; i++) {
        signet_string text = str_n(buffer, i);
        uint32_t number = sg_strings_intern(strings, text);
        ok = ok && number != 0;
        cr_assert_eq(sg_strings_find(strings, text), number);
        cr_assert_eq(number != 0, sg_strings_get(strings, number).data != NULL);
    }
    struct sg_strings *copy = sg_strings_clone(strings, a);
    ok = ok && copy != NULL;
    sg_strings_destroy(copy);
    sg_strings_destroy(strings);
    return ok ? SIGNET_OK : SIGNET_E_NOMEM;
}

Test(strings, survive_every_failure) {
    cr_assert_gt(test_each_failure(strings_body, NULL), 10);
}
