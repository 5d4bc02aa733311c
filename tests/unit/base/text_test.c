/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "tests/support/allocator.h"

/* ---- Buffer */

Test(text, grows_and_stays_terminated) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, "a");
    sg_text_putc(&t, 'b');
    sg_text_put(&t, "cde", 2);
    sg_text_string(&t, signet_str("e"));
    sg_text_string(&t, signet_str(NULL));
    sg_text_int(&t, INT64_MIN);
    sg_text_uint(&t, UINT64_MAX);
    sg_text_int(&t, 0);
    sg_text_printf(&t, "%s-%03d", "x", 7);
    cr_assert_str_eq(t.data, "abcde-9223372036854775808184467440737095516150x-007");
    cr_assert_eq(t.length, strlen(t.data));
    sg_text_clear(&t);
    cr_assert_str_eq(t.data, "");
    for (int i = 0; i < 1000; i++) {
        sg_text_printf(&t, "%s", "0123456789012345678901234567890123456789");
    }
    cr_assert_eq(t.length, 40000);
    cr_assert_eq(strlen(t.data), 40000);
    sg_text_free(&t);
    cr_assert_eq(t.length, 0);
}

static signet_status text_body(const signet_allocator *a, void *user) {
    (void)user;
    struct sg_text t;
    sg_text_init(&t, a);
    for (int i = 0; i < 50; i++) {
        sg_text_printf(&t, "%d and %s, ", i, "a text of some length that makes it grow");
        sg_text_double(&t, i * 0.1);
        sg_text_escaped(&t, signet_str("a\n'b'"), '\'');
    }
    signet_status status = t.failed ? SIGNET_E_NOMEM : SIGNET_OK;
    sg_text_free(&t);
    return status;
}

Test(text, failure_sticks) {
    cr_assert_gt(test_each_failure(text_body, NULL), 3);
}

/* ---- Doubles */

static const struct {
    uint64_t bits;
    const char *python; /* repr() of CPython 3.11 */
} doubles[] = {
    /* clang-format off */
    {UINT64_C(0x0000000000000000), "0.0"},
    {UINT64_C(0x8000000000000000), "-0.0"},
    {UINT64_C(0x3ff0000000000000), "1.0"},
    {UINT64_C(0xbff0000000000000), "-1.0"},
    {UINT64_C(0x3fb999999999999a), "0.1"},
    {UINT64_C(0x3fd3333333333334), "0.30000000000000004"},
    {UINT64_C(0x3fd5555555555555), "0.3333333333333333"},
    {UINT64_C(0x3f1a36e2eb1c432d), "0.0001"},
    {UINT64_C(0x3ee4f8b588e368f1), "1e-05"},
    {UINT64_C(0x3f1a36371ea531a8), "9.999e-05"},
    {UINT64_C(0x3f202e4b6ce5dc68), "0.00012345"},
    {UINT64_C(0x40fe240c9fbe76c9), "123456.789"},
    {UINT64_C(0x430c6bf526340000), "1000000000000000.0"},
    {UINT64_C(0x4341c37937e08000), "1e+16"},
    {UINT64_C(0x4341c37937e07fff), "9999999999999998.0"},
    {UINT64_C(0x4345ee2a2eb5a5c4), "1.2345678901234568e+16"},
    {UINT64_C(0x4480f0cf064dd592), "1e+22"},
    {UINT64_C(0x44b52d02c7e14af6), "1e+23"},
    {UINT64_C(0x54b249ad2594c37d), "1e+100"},
    {UINT64_C(0xbe7ad7f29abcaf48), "-1e-07"},
    {UINT64_C(0x0000000000000001), "5e-324"},
    {UINT64_C(0x0010000000000000), "2.2250738585072014e-308"},
    {UINT64_C(0x000fffffffffffff), "2.225073858507201e-308"},
    {UINT64_C(0x7fefffffffffffff), "1.7976931348623157e+308"},
    {UINT64_C(0x7ff0000000000000), "inf"},
    {UINT64_C(0xfff0000000000000), "-inf"},
    {UINT64_C(0x400921fb54442d18), "3.141592653589793"},
    {UINT64_C(0x43118b54f22aeb03), "1234567890123456.8"},
    {UINT64_C(0x44dfe185ca57c517), "6.02214076e+23"},
    {UINT64_C(0x4170000000000000), "16777216.0"},
    {UINT64_C(0xbe4a8310bc7a31bf), "-1.23456e-08"},
    /* clang-format on */
};

static double of_bits(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

static uint64_t to_bits(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static void check_doubles(void) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    for (size_t i = 0; i < SG_COUNT_OF(doubles); i++) {
        sg_text_clear(&t);
        sg_text_double(&t, of_bits(doubles[i].bits));
        cr_assert_str_eq(t.data, doubles[i].python);
        double back;
        cr_assert(sg_parse_double(signet_str(doubles[i].python), &back));
        cr_assert_eq(to_bits(back), doubles[i].bits, "%s", doubles[i].python);
    }
    sg_text_free(&t);
}

Test(doubles, look_as_python_prints_them) {
    check_doubles();
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_double(&t, of_bits(UINT64_C(0x7ff8000000000000)));
    sg_text_double(&t, of_bits(UINT64_C(0xfff8000000000001)));
    cr_assert_str_eq(t.data, "nannan");
    sg_text_free(&t);
}

Test(doubles, do_not_depend_on_the_locale) {
    static const char *const with_comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C"};
    for (size_t i = 0; i < SG_COUNT_OF(with_comma); i++) {
        if (setlocale(LC_ALL, with_comma[i]) != NULL) {
            check_doubles();
        }
    }
}

Test(doubles, read_back_what_was_written) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    for (uint64_t i = 0; i < 20000; i++) {
        double v = of_bits(sg_hash64(&i, sizeof(i)));
        double back;
        sg_text_clear(&t);
        sg_text_double(&t, v);
        cr_assert(sg_parse_double((signet_string){t.data, t.length}, &back), "%s", t.data);
        cr_assert(v != v ? back != back : to_bits(back) == to_bits(v), "%s", t.data);
        cr_assert_leq(t.length, 24);
    }
    sg_text_free(&t);
}

Test(doubles, spellings) {
    static const char *const good[] = {"1",    "+1.5", "-2.",      "1e400",     "nan", "-inf",
                                       "+INF", "NaN",  "Infinity", "-Infinity", "0",   "1E+5"};
    static const char *const bad[] = {"",   "-",  "+-1", "1.5x", "x",    "e5",  " 1",  "1 ", "0x10",
                                      "1e", ".5", "1_0", "infx", "nan ", "--1", "1,5", "in"};
    double v;
    for (size_t i = 0; i < SG_COUNT_OF(good); i++) {
        cr_assert(sg_parse_double(signet_str(good[i]), &v), "%s", good[i]);
    }
    for (size_t i = 0; i < SG_COUNT_OF(bad); i++) {
        v = 77;
        cr_assert(!sg_parse_double(signet_str(bad[i]), &v), "%s", bad[i]);
        cr_assert_eq(v, 77);
    }
    cr_assert(!sg_parse_double(signet_str(NULL), &v));
    cr_assert(sg_parse_double((signet_string){"1.53", 3}, &v));
    cr_assert_eq(v, 1.5, "the length counts, not a NUL");
    char longer[600];
    memset(longer, '1', sizeof(longer));
    cr_assert(!sg_parse_double((signet_string){longer, sizeof(longer)}, &v));
    cr_assert(sg_parse_double((signet_string){longer, 300}, &v));
}

/* ---- Integers */

Test(integers, fill_the_whole_text) {
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"007", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775807", true, -INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {"1 ", false, 0},
        {"1.0", false, 0},
        {"0x1", false, 0},
    };
    for (size_t i = 0; i < SG_COUNT_OF(cases); i++) {
        int64_t v = 77;
        cr_assert_eq(sg_parse_int(signet_str(cases[i].text), &v), cases[i].good, "%s",
                     cases[i].text);
        cr_assert_eq(v, cases[i].good ? cases[i].value : 77, "%s", cases[i].text);
    }
    int64_t v;
    cr_assert(!sg_parse_int(signet_str(NULL), &v));
    cr_assert(sg_parse_int((signet_string){"123", 2}, &v));
    cr_assert_eq(v, 12);
}

/* ---- Strings */

Test(string, comparisons) {
    signet_string absent = {NULL, 0};
    cr_assert(sg_string_equal(absent, absent));
    cr_assert(!sg_string_equal(absent, signet_str("")));
    cr_assert(!sg_string_equal(signet_str(""), absent));
    cr_assert(sg_string_equal(signet_str(""), signet_str("")));
    cr_assert(!sg_string_equal(signet_str("a"), signet_str("b")));
    cr_assert(!sg_string_equal(signet_str("a"), signet_str("ab")));
    cr_assert(sg_string_is(signet_str("ab"), "ab"));
    cr_assert(!sg_string_is((signet_string){"ab\0", 3}, "ab"));
    cr_assert(!sg_string_is(absent, ""));
    cr_assert(sg_string_starts(signet_str("abc"), "ab"));
    cr_assert(sg_string_starts(signet_str("abc"), ""));
    cr_assert(!sg_string_starts(signet_str("a"), "ab"));
    cr_assert(!sg_string_starts(absent, ""));
    cr_assert(sg_string_ends(signet_str("abc"), "bc"));
    cr_assert(!sg_string_ends(signet_str("abc"), "b"));
    cr_assert(!sg_string_ends(signet_str("c"), "bc"));
}

static uint32_t distance(const char *a, const char *b, uint32_t most) {
    uint32_t d = sg_edit_distance(signet_str(a), signet_str(b), most);
    cr_assert_eq(sg_edit_distance(signet_str(b), signet_str(a), most), d);
    return d;
}

Test(string, edit_distance) {
    cr_assert_eq(distance("", "", 3), 0);
    cr_assert_eq(distance("k_cache", "k_cache", 3), 0);
    cr_assert_eq(distance("k_cache", "k_cahce", 3), 2);
    cr_assert_eq(distance("k_cache", "v_cache", 3), 1);
    cr_assert_eq(distance("k_cache", "cache", 3), 2);
    cr_assert_eq(distance("kitten", "sitting", 3), 3);
    cr_assert_eq(distance("kitten", "sitting", 2), 3);
    cr_assert_eq(distance("kitten", "sitting", 0), 1);
    cr_assert_eq(distance("", "abcd", 3), 4);
    cr_assert_eq(distance("", "abc", UINT32_MAX), 3);
    char a[200];
    memset(a, 'a', sizeof(a));
    signet_string fits = {a, 128};
    signet_string longer = {a, 129};
    cr_assert_eq(sg_edit_distance(fits, fits, 5), 0);
    cr_assert_eq(sg_edit_distance(longer, longer, 5), 6);
}

/* ---- UTF-8 */

Test(utf8, finds_the_first_wrong_byte) {
    static const struct {
        const char *text;
        size_t at;
    } cases[] = {
        {"plain text that is longer than eight", 36},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9},
        {"\xf4\x8f\xbf\xbf\xef\xbf\xbf\xed\x9f\xbf", 10},
        {"12345678\xff", 8},
        {"1234567\xff"
         "8",
         7},
        {"\x80", 0},
        {"a\xc0\x80", 1}, /* too long a form */
        {"a\xc1\xbf", 1},
        {"a\xe0\x80\x80", 1},
        {"a\xf0\x80\x80\x80", 1},
        {"a\xed\xa0\x80", 1},     /* half a surrogate pair */
        {"a\xf4\x90\x80\x80", 1}, /* beyond U+10FFFF */
        {"a\xf5\x80\x80\x80", 1},
        {"ab\xe2\x82", 2}, /* ends early */
        {"ab\xc3", 2},
        {"ab\xe2(\xa1", 2},
    };
    for (size_t i = 0; i < SG_COUNT_OF(cases); i++) {
        size_t length = strlen(cases[i].text);
        char *exact = sg_alloc(&sg_default_allocator, length); /* so that ASan sees its end */
        memcpy(exact, cases[i].text, length);
        cr_assert_eq(sg_utf8_check(exact, length), cases[i].at, "case %zu", i);
        sg_free(&sg_default_allocator, exact, length);
    }
    cr_assert_eq(sg_utf8_check("", 0), 0);
}

Test(utf8, next_decodes) {
    uint32_t c;
    cr_assert_eq(sg_utf8_next("a", 1, &c), 1);
    cr_assert_eq(c, 'a');
    cr_assert_eq(sg_utf8_next("\xf0\x9f\x98\x80", 4, &c), 4);
    cr_assert_eq(c, 0x1f600);
    cr_assert_eq(sg_utf8_next("\xf0\x9f\x98\x80", 3, &c), 0);
    cr_assert_eq(c, 0xf0);
}

static void check_escaped(signet_string s, char quote, const char *expected) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_escaped(&t, s, quote);
    cr_assert_str_eq(t.data != NULL ? t.data : "", expected);
    sg_text_free(&t);
}

Test(utf8, escapes_what_could_fool_a_reader) {
    check_escaped(signet_str(""), '\'', "");
    check_escaped(signet_str(NULL), '\'', "");
    check_escaped(signet_str("plain.name_0"), '\'', "plain.name_0");
    check_escaped(signet_str("it's \"so\""), '\'', "it\\'s \"so\"");
    check_escaped(signet_str("it's \"so\""), '"', "it's \\\"so\\\"");
    check_escaped(signet_str("it's"), '\0', "it's");
    check_escaped(signet_str("a\\b\n\r\t\x1b[31m\x7f"), '\'', "a\\\\b\\n\\r\\t\\x1b[31m\\x7f");
    check_escaped((signet_string){"a\0b", 3}, '\'', "a\\x00b");
    check_escaped(signet_str("caf\xc3\xa9 \xff\xe2\x82"), '\'', "caf\xc3\xa9 \\xff\\xe2\\x82");
    /* right-to-left override, zero-width space, C1 control */
    check_escaped(signet_str("\xe2\x80\xae"
                             "x\xe2\x80\x8b"
                             "y\xc2\x9b\xe2\x80\xac"),
                  '\'', "\\u202ex\\u200by\\u009b\\u202c");
}
