/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/text.h"
#include "tests/support/allocator.h"

/* A document and the buffer it was parsed in. */
struct parsed {
    const signet_allocator *allocator;
    char *buffer;
    size_t size;
    struct sg_json_doc *doc;
    struct sg_json_error error;
};

static struct parsed parse(const signet_allocator *a, const char *text, size_t length,
                           uint64_t depth) {
    struct parsed p = {.allocator = a, .size = length + SG_JSON_PADDING};
    p.error.problem = SG_JSON_NO_MEMORY;
    p.buffer = sg_alloc(a, p.size);
    if (p.buffer != NULL) {
        memcpy(p.buffer, text, length);
        p.doc = sg_json_parse(a, p.buffer, length, depth, &p.error);
    }
    return p;
}

static struct parsed parse_text(const char *text) {
    struct parsed p = parse(&sg_default_allocator, text, strlen(text), 256);
    cr_assert_not_null(p.doc, "%s: byte %zu: %s", text, p.error.byte, p.error.message);
    cr_assert_eq(p.error.problem, SG_JSON_OK);
    return p;
}

static void done(struct parsed *p) {
    sg_json_free(p->doc);
    sg_free(p->allocator, p->buffer, p->size);
}

Test(json, tells_kinds_and_values) {
    struct parsed p = parse_text("[null, true, false, 1, -5, 9223372036854775807, "
                                 "9223372036854775808, 1.5, NaN, -Infinity, 1e400, \"a\\u00e9\", "
                                 "[], {}, -9223372036854775808, -9223372036854775809]");
    static const sg_json_kind kinds[] = {
        SG_JSON_NULL,  SG_JSON_BOOL,   SG_JSON_BOOL, SG_JSON_INT,  SG_JSON_INT,  SG_JSON_INT,
        SG_JSON_REAL,  SG_JSON_REAL,   SG_JSON_REAL, SG_JSON_REAL, SG_JSON_REAL, SG_JSON_STRING,
        SG_JSON_ARRAY, SG_JSON_OBJECT, SG_JSON_INT,  SG_JSON_REAL};
    static const char *const names[] = {
        "null",   "boolean", "boolean", "integer", "integer", "integer", "number",  "number",
        "number", "number",  "number",  "string",  "array",   "object",  "integer", "number"};
    sg_json root = sg_json_root(p.doc);
    cr_assert_eq(sg_json_count(root), 16);
    sg_json v[16];
    uint32_t n = 0;
    for (struct sg_json_iter it = sg_json_iter(root); sg_json_next(&it);) {
        cr_assert_null(it.name.data);
        cr_assert_eq(sg_json_get_kind(it.value), kinds[n]);
        cr_assert_str_eq(sg_json_kind_name(it.value), names[n]);
        v[n++] = it.value;
    }
    cr_assert_eq(n, 16);
    cr_assert(sg_json_bool(v[1]) && !sg_json_bool(v[2]) && !sg_json_bool(v[3]));
    cr_assert_eq(sg_json_int(v[3]), 1);
    cr_assert_eq(sg_json_int(v[4]), -5);
    cr_assert_eq(sg_json_int(v[5]), INT64_MAX);
    cr_assert_eq(sg_json_int(v[6]), 0);
    cr_assert_eq(sg_json_real(v[6]), 9223372036854775808.0);
    cr_assert_eq(sg_json_real(v[4]), -5.0);
    cr_assert_eq(sg_json_real(v[7]), 1.5);
    cr_assert(isnan(sg_json_real(v[8])));
    cr_assert_eq(sg_json_real(v[9]), -HUGE_VAL);
    cr_assert_eq(sg_json_real(v[10]), HUGE_VAL);
    cr_assert_eq(sg_json_real(v[11]), 0);
    cr_assert(sg_string_is(sg_json_string(v[11]), "a\xc3\xa9"));
    cr_assert_eq(sg_json_string(v[11]).data[3], '\0');
    cr_assert_null(sg_json_string(v[3]).data);
    cr_assert_eq(sg_json_int(v[14]), INT64_MIN);
    cr_assert_eq(sg_json_count(v[12]), 0);
    cr_assert_eq(sg_json_count(v[11]), 0);
    struct sg_json_iter it = sg_json_iter(v[3]);
    cr_assert(!sg_json_next(&it));
    done(&p);
}

Test(json, what_is_missing_is_harmless) {
    sg_json none = {NULL};
    cr_assert_eq(sg_json_get_kind(none), SG_JSON_MISSING);
    cr_assert_str_eq(sg_json_kind_name(none), "nothing");
    cr_assert_eq(sg_json_int(none), 0);
    cr_assert_eq(sg_json_real(none), 0);
    cr_assert(!sg_json_bool(none));
    cr_assert_null(sg_json_string(none).data);
    cr_assert_eq(sg_json_count(none), 0);
    cr_assert_null(sg_json_member(none, "a").value);
    struct parsed p = parse_text("[]");
    cr_assert_eq(sg_json_byte(p.doc, none), SIZE_MAX);
    cr_assert_eq(sg_json_string_byte(p.doc, none), SIZE_MAX);
    cr_assert_null(sg_json_member(sg_json_root(p.doc), "a").value);
    done(&p);
    sg_json_free(NULL);
}

Test(json, members_in_order_and_by_name) {
    struct parsed p = parse_text("{\"b\": 1, \"a\": {\"x\": [2]}, \"b\": 3, \"\": 4}");
    sg_json root = sg_json_root(p.doc);
    cr_assert_eq(sg_json_count(root), 4);
    static const char *const names[] = {"b", "a", "b", ""};
    uint32_t n = 0;
    for (struct sg_json_iter it = sg_json_iter(root); sg_json_next(&it);) {
        cr_assert(sg_string_is(it.name, names[n]));
        cr_assert(sg_string_is(sg_json_string(it.name_value), names[n]));
        n++;
    }
    cr_assert_eq(n, 4);
    cr_assert_eq(sg_json_int(sg_json_member(root, "b")), 1);
    cr_assert_eq(sg_json_int(sg_json_member(root, "")), 4);
    cr_assert_null(sg_json_member(root, "c").value);
    sg_json x = sg_json_member(sg_json_member(root, "a"), "x");
    cr_assert_eq(sg_json_get_kind(x), SG_JSON_ARRAY);
    done(&p);
}

/* ---- Errors: kind and byte are what a person will look for in the file */

static const struct {
    const char *text;
    sg_json_problem problem;
    size_t byte;
} broken[] = {
    {"", SG_JSON_TRUNCATED, 0},
    {" \n ", SG_JSON_TRUNCATED, 0},
    {"{", SG_JSON_TRUNCATED, 1},
    {"[1,2", SG_JSON_TRUNCATED, 4},
    {"[\"abc", SG_JSON_TRUNCATED, 5},
    {"{\"a\":", SG_JSON_TRUNCATED, 5},
    {"[tru", SG_JSON_TRUNCATED, 4},
    {"[1] x", SG_JSON_TRAILING, 4},
    {"[1]\n{}", SG_JSON_TRAILING, 4},
    {"{}]", SG_JSON_TRAILING, 2},
    {"\xef\xbb\xbf[]", SG_JSON_SYNTAX, 0}, /* byte order mark */
    {"[\"a\xff\"]", SG_JSON_NOT_UTF8, 3},
    {"[\"a\xed\xa0\x80\"]", SG_JSON_NOT_UTF8, 3},
    {"[\"a\xc0\x80\"]", SG_JSON_NOT_UTF8, 3},
    {"[1]\xff", SG_JSON_NOT_UTF8, 3},
    {"[\"a\\ud800\"]", SG_JSON_NOT_UTF8, 3},
    {"[\"\\ud800\\u0041\"]", SG_JSON_NOT_UTF8, 2},
    {"[\"\\n\\uDC00\"]", SG_JSON_NOT_UTF8, 4},
    {"[\xc3\xa9]", SG_JSON_SYNTAX, 1},
    {"[tru]", SG_JSON_SYNTAX, 1},
    {"[1,]", SG_JSON_SYNTAX, 2},
    {"{\"a\":1,}", SG_JSON_SYNTAX, 6},
    {"{\"a\" 1}", SG_JSON_SYNTAX, 5},
    {"{a:1}", SG_JSON_SYNTAX, 1},
    {"[01]", SG_JSON_SYNTAX, 1},
    {"[-]", SG_JSON_SYNTAX, 2},
    {"[1.]", SG_JSON_SYNTAX, 3},
    {"[\"\t\"]", SG_JSON_SYNTAX, 2},
    {"[\"\\x\"]", SG_JSON_SYNTAX, 3},
    {"[1 2]", SG_JSON_SYNTAX, 3},
    {"[1}", SG_JSON_SYNTAX, 2},
    {"'a'", SG_JSON_SYNTAX, 0},
    {"[/**/1]", SG_JSON_SYNTAX, 1},
};

Test(json, says_what_is_wrong_and_where) {
    for (size_t i = 0; i < SG_COUNT_OF(broken); i++) {
        struct parsed p = parse(&sg_default_allocator, broken[i].text, strlen(broken[i].text), 256);
        cr_assert_null(p.doc, "%s", broken[i].text);
        cr_expect_eq(p.error.problem, broken[i].problem, "%s: %d", broken[i].text,
                     (int)p.error.problem);
        cr_expect_eq(p.error.byte, broken[i].byte, "%s: %zu", broken[i].text, p.error.byte);
        cr_assert_not_null(p.error.message);
        done(&p);
    }
}

Test(json, a_nul_is_no_end) {
    struct parsed p = parse(&sg_default_allocator, "[1]\0[2]", 7, 256);
    cr_assert_null(p.doc);
    cr_assert_eq(p.error.problem, SG_JSON_TRAILING);
    cr_assert_eq(p.error.byte, 3);
    done(&p);
    p = parse(&sg_default_allocator, "[\"a\\u0000b\"]", 12, 256);
    struct sg_json_iter it = sg_json_iter(sg_json_root(p.doc));
    cr_assert(sg_json_next(&it));
    cr_assert_eq(sg_json_string(it.value).length, 3);
    done(&p);
}

static void check_depth(const char *text, uint64_t limit, size_t byte) {
    struct parsed p = parse(&sg_default_allocator, text, strlen(text), limit);
    if (byte == SIZE_MAX) {
        cr_assert_not_null(p.doc, "%s", text);
    } else {
        cr_assert_null(p.doc, "%s", text);
        cr_assert_eq(p.error.problem, SG_JSON_TOO_DEEP);
        cr_assert_eq(p.error.byte, byte, "%s: %zu", text, p.error.byte);
    }
    done(&p);
}

Test(json, depth) {
    check_depth("[[[1]],[[2]],[[]]]", 3, SIZE_MAX);
    check_depth("[[[1]],[[2]],[[[]]]]", 3, 15);
    check_depth("1", 0, SIZE_MAX);
    check_depth("[]", 0, 0);
    check_depth("{\"a\":{\"b\":{}}}", 3, SIZE_MAX);
    check_depth("{\"a\":{\"b\":{}}}", 2, 10);
    check_depth("[{\"a\\n\\u00e9\":[1,[2]]},3, [ [[]], \"x\" ]]", 3, 17);
    check_depth("[{\"a\\n\\u00e9\":[1,-2.5e3,[true , [] ,null]]},\"x\"]", 4, 32);
    const size_t deep = 200000;
    char *text = sg_alloc(&sg_default_allocator, 2 * deep + 1);
    memset(text, '[', deep);
    memset(text + deep, ']', deep);
    struct parsed p = parse(&sg_default_allocator, text, 2 * deep, 256);
    cr_assert_eq(p.error.problem, SG_JSON_TOO_DEEP);
    cr_assert_eq(p.error.byte, 256);
    done(&p);
    check_depth(text, deep, SIZE_MAX);
    p = parse(&sg_default_allocator, text, 2 * deep, deep);
    cr_assert_eq(sg_json_byte(p.doc, sg_json_root(p.doc)), SIZE_MAX, "too far from a string");
    done(&p);
    sg_free(&sg_default_allocator, text, 2 * deep + 1);
}

/* ---- Places */

static void check_places(const struct parsed *p, sg_json v, const char *original) {
    size_t byte = sg_json_byte(p->doc, v);
    cr_assert_lt(byte, strlen(original));
    static const char *const starts[] = {"",   "n", "tf", "-0123456789", "-0123456789NI",
                                         "\"", "[", "{"};
    sg_json_kind kind = sg_json_get_kind(v);
    cr_assert_not_null(strchr(starts[kind], original[byte]), "byte %zu", byte);
    if (kind == SG_JSON_STRING) {
        cr_assert_eq(sg_json_string_byte(p->doc, v), byte + 1);
    } else {
        cr_assert_eq(sg_json_string_byte(p->doc, v), SIZE_MAX);
    }
}

Test(json, every_value_has_a_place) {
    static const char text[] =
        " {\"a\\u00e9\\n\" : [1, -2.5e3 ,[ true,[] ,null],{ }],\n \"b\":NaN, "
        "\"c\": \"x\\\\[y]\", \"d\":{\"e\":[[\"f\"]]}, \"g\":[0,false]} ";
    struct parsed p = parse_text(text);
    sg_json root = sg_json_root(p.doc);
    cr_assert_eq(sg_json_byte(p.doc, root), 1);
    /* an explicit stack of iterators: values in the order of the text */
    struct sg_json_iter stack[8] = {sg_json_iter(root)};
    int depth = 1, values = 0;
    size_t last = 1;
    while (depth > 0) {
        if (!sg_json_next(&stack[depth - 1])) {
            depth--;
            continue;
        }
        const struct sg_json_iter *it = &stack[depth - 1];
        if (it->object) {
            check_places(&p, it->name_value, text);
        }
        check_places(&p, it->value, text);
        size_t byte = sg_json_byte(p.doc, it->value);
        cr_assert_gt(byte, last);
        last = byte;
        values++;
        stack[depth++] = sg_json_iter(it->value);
    }
    cr_assert_eq(values, 17);
    done(&p);
}

static void check_path(const struct parsed *p, sg_json v, const char *expected) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_json_path(p->doc, v, &t);
    cr_assert_str_eq(t.data, expected);
    sg_text_free(&t);
}

Test(json, paths) {
    struct parsed p = parse_text("{\"a\": [0, {\"b c\": [[], [7]], \"0\": 1}], \"d'\": 2}");
    sg_json root = sg_json_root(p.doc);
    check_path(&p, root, "$");
    sg_json a = sg_json_member(root, "a");
    check_path(&p, a, "$.a");
    struct sg_json_iter it = sg_json_iter(a);
    cr_assert(sg_json_next(&it));
    check_path(&p, it.value, "$.a[0]");
    cr_assert(sg_json_next(&it));
    sg_json object = it.value;
    check_path(&p, object, "$.a[1]");
    sg_json bc = sg_json_member(object, "b c");
    check_path(&p, bc, "$.a[1]['b c']");
    it = sg_json_iter(bc);
    cr_assert(sg_json_next(&it) && sg_json_next(&it));
    struct sg_json_iter seven = sg_json_iter(it.value);
    cr_assert(sg_json_next(&seven));
    check_path(&p, seven.value, "$.a[1]['b c'][1][0]");
    check_path(&p, sg_json_member(object, "0"), "$.a[1]['0']");
    it = sg_json_iter(root);
    cr_assert(sg_json_next(&it) && sg_json_next(&it));
    check_path(&p, it.name_value, "$['d\\'']");
    check_path(&p, it.value, "$['d\\'']");
    done(&p);
}

/* Paths of many values, forwards and backwards: a walk goes on where the last one ended. */
Test(json, paths_of_a_long_list) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, "{\"l\":[");
    for (uint32_t i = 0; i < 300; i++) {
        sg_text_printf(&t, "%s{\"k\":[%u]}", i > 0 ? "," : "", (unsigned)i);
    }
    sg_text_puts(&t, "]}");
    struct parsed p = parse_text(t.data);
    sg_json list = sg_json_member(sg_json_root(p.doc), "l");
    static const uint32_t order[] = {0, 1, 2, 299, 150, 151, 3, 298};
    for (size_t i = 0; i < SG_COUNT_OF(order); i++) {
        char path[40];
        struct sg_json_iter it = sg_json_iter(list);
        for (uint32_t k = 0; k <= order[i]; k++) {
            cr_assert(sg_json_next(&it));
        }
        struct sg_json_iter inner = sg_json_iter(sg_json_member(it.value, "k"));
        cr_assert(sg_json_next(&inner));
        snprintf(path, sizeof(path), "$.l[%u].k[0]", (unsigned)order[i]);
        check_path(&p, inner.value, path);
        snprintf(path, sizeof(path), "$.l[%u]", (unsigned)order[i]);
        check_path(&p, it.value, path);
    }
    done(&p);
    sg_text_free(&t);
}

/* ---- Writing */

Test(json, writes_compact_text) {
    struct parsed p = parse_text("{ \"a\" : [ 1, -2, 2.5, null, true, false, NaN, -Infinity ],\n"
                                 "\"q\\\"\\n\": {}, \"e\": \"\\u00e9\\u0001\", \"l\": [[[]]] }");
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    cr_assert(sg_json_write(&sg_default_allocator, sg_json_root(p.doc), &t));
    cr_assert_str_eq(t.data, "{\"a\":[1,-2,2.5,null,true,false,NaN,-Infinity],\"q\\\"\\n\":{},"
                             "\"e\":\"\xc3\xa9\\u0001\",\"l\":[[[]]]}");
    sg_text_clear(&t);
    cr_assert(sg_json_write(&sg_default_allocator, sg_json_member(sg_json_root(p.doc), "e"), &t));
    cr_assert_str_eq(t.data, "\"\xc3\xa9\\u0001\"");
    sg_text_free(&t);
    done(&p);
}

Test(json, writes_without_recursion) {
    const size_t deep = 300000;
    char *text = sg_alloc(&sg_default_allocator, 2 * deep + 1);
    memset(text, '[', deep);
    memset(text + deep, ']', deep);
    struct parsed p = parse(&sg_default_allocator, text, 2 * deep, deep);
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    cr_assert(sg_json_write(&sg_default_allocator, sg_json_root(p.doc), &t));
    cr_assert_str_eq(t.data, text);
    sg_text_free(&t);
    done(&p);
    sg_free(&sg_default_allocator, text, 2 * deep + 1);
}

/* ---- Memory */

static void large_object(struct sg_text *t, uint32_t count) {
    sg_text_putc(t, '{');
    for (uint32_t i = 0; i < count; i++) {
        sg_text_printf(t, "\"name_%u\":[%u],", (unsigned)i, (unsigned)i);
    }
    sg_text_puts(t, "\"last\":0}");
}

static signet_status json_body(const signet_allocator *a, void *user) {
    const struct sg_text *source = user;
    struct parsed p = parse(a, source->data, source->length, 256);
    struct sg_text t;
    sg_text_init(&t, a);
    bool ok = p.doc != NULL && sg_json_write(a, sg_json_root(p.doc), &t);
    if (p.doc == NULL) {
        cr_assert_eq(p.error.problem, SG_JSON_NO_MEMORY);
    }
    sg_text_free(&t);
    done(&p);
    return ok ? SIGNET_OK : SIGNET_E_NOMEM;
}

Test(json, survives_every_failure) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    large_object(&t, 100);
    cr_assert_gt(test_each_failure(json_body, &t), 3);
    sg_text_free(&t);
}
