/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/pyexpr.h"
#include "tests/support/allocator.h"

/* ---- A tree as text -------------------------------------------------------------------------- */

static const char *const kind_names[] = {
    "?",     "name", "int",   "big",  "float", "imaginary", "string", "bytes", "None",   "True",
    "False", "list", "tuple", "dict", "call",  "index",     "attr",   "unary", "binary", "enum",
};

static void show(const struct sg_pyx *x, uint32_t i, struct sg_text *out) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    signet_string keyword = sg_pyx_keyword(x, i);
    if (keyword.data != NULL) {
        sg_text_string(out, keyword);
        sg_text_putc(out, '=');
    }
    sg_text_puts(out, kind_names[n->kind]);
    if (n->op != 0) {
        sg_text_puts(out, sg_pyx_op_sign((sg_pyx_op)n->op));
    }
    if (n->kind == SG_PYX_ATTRIBUTE || n->kind == SG_PYX_ENUM) {
        sg_text_putc(out, ' ');
        sg_text_string(out, sg_pyx_own_name(x, i));
    }
    if (n->count == 0) {
        sg_text_putc(out, ' ');
        sg_text_string(out, sg_pyx_text(x, i));
        return;
    }
    sg_text_putc(out, '(');
    for (uint32_t c = n->first; c != 0; c = sg_pyx_node(x, c)->next) {
        sg_text_puts(out, c == n->first ? "" : ", ");
        show(x, c, out);
    }
    sg_text_putc(out, ')');
}

static void check(const char *text, const char *expected) {
    struct sg_pyx x;
    struct sg_text out;
    sg_pyx_init(&x, &sg_default_allocator, text, 256);
    sg_text_init(&out, &sg_default_allocator);
    uint32_t stop = 0;
    uint32_t root = sg_pyx_parse(&x, 0, (uint32_t)strlen(text), &stop);
    cr_assert_neq(root, 0, "%s: expected %s at %zu", text, x.error.expected, x.error.at);
    show(&x, root, &out);
    cr_assert_str_eq(out.data, expected);
    cr_assert(text[stop] == '\0' || text[stop] == ';');
    sg_text_free(&out);
    sg_pyx_free(&x);
}

static void check_error(const char *text, size_t at, const char *expected) {
    struct sg_pyx x;
    sg_pyx_init(&x, &sg_default_allocator, text, 256);
    uint32_t stop = 0;
    uint32_t root = sg_pyx_parse(&x, 0, (uint32_t)strlen(text), &stop);
    cr_assert_eq(root, 0, "%s was read", text);
    cr_assert_str_eq(x.error.expected, expected, "%s: expected %s", text, x.error.expected);
    cr_assert_eq(x.error.at, at, "%s: at %zu", text, x.error.at);
    cr_assert_leq(x.nodes.count, 1, "a failed tree leaves nodes behind");
    sg_pyx_free(&x);
}

/* ---- What PyTorch prints --------------------------------------------------------------------- */

Test(pyexpr, calls) {
    check("torch.ops.aten.add.Tensor(a, b)",
          "call(name torch.ops.aten.add.Tensor, name a, name b)");
    check("f()", "call(name f)");
    check("f(x, dim = 1, out=None)", "call(name f, name x, dim=int 1, out=None None)");
    check("f(g(1), [2])", "call(name f, call(name g, int 1), list(int 2))");
    check("device(type='cuda', index=0)", "call(name device, type=string 'cuda', index=int 0)");
    check("getattr(self.a, \"0\").weight",
          "attr weight(call(name getattr, name self.a, string \"0\"))");
    check("f(x);  x = None", "call(name f, name x)");
}

Test(pyexpr, numbers) {
    check("9223372036854775807", "int 9223372036854775807");
    check("-9223372036854775808", "int -9223372036854775808");
    check("9223372036854775808", "big 9223372036854775808");
    check("1e-05", "float 1e-05");
    check("-1.5", "float -1.5");
    check("1e+16", "float 1e+16");
    check("inf", "float inf");
    check("-inf", "float -inf");
    check("nan", "float nan");
    check("2j", "imaginary 2j");
    check("(1-2j)", "binary-(int 1, imaginary 2j)");
    check("(-0-1.5j)", "binary-(int -0, imaginary 1.5j)");
}

Test(pyexpr, lists_and_tuples) {
    check("[]", "list []");
    check("()", "tuple ()");
    check("(x,)", "tuple(name x)");
    check("(x)", "name x");
    check("(x, [None, True], 's')", "tuple(name x, list(None None, True True), string 's')");
    check("{}", "dict {}");
    check("{'a': 1, s0: VR[2, int_oo]}",
          "dict(string 'a', int 1, name s0, index(name VR, int 2, name int_oo))");
    check("((2,), torch.float32)", "tuple(tuple(int 2), name torch.float32)");
}

Test(pyexpr, operators) {
    check("a + b", "binary+(name a, name b)");
    check("a // 2", "binary//(name a, int 2)");
    check("a >= -1", "binary>=(name a, int -1)");
    check("a - -1", "binary-(name a, int -1)");
    check("a ** 2", "binary**(name a, int 2)");
    check("a << b", "binary<<(name a, name b)");
    check("a != b", "binary!=(name a, name b)");
    check("-a", "unary-(name a)");
    check("~a", "unary~(name a)");
    check("n[3]", "index(name n, int 3)");
    check("n[(slice(1, None, None), 0)]",
          "index(name n, tuple(call(name slice, int 1, None None, None None), int 0))");
}

Test(pyexpr, reprs) {
    check("InputSpec(kind=<InputKind.BUFFER: 3>, target=None)",
          "call(name InputSpec, kind=enum InputKind.BUFFER <InputKind.BUFFER: 3>, "
          "target=None None)");
}

Test(pyexpr, strings_hold_anything) {
    check("f('a;b', \"it's #1\", 'x\\'y', b'z');  f = None",
          "call(name f, string 'a;b', string \"it's #1\", string 'x\\'y', bytes b'z')");
}

Test(pyexpr, lines_and_comments_inside_brackets) {
    check("f(a,  # first (\n  b,\n)", "call(name f, name a, name b)");
}

/* ---- Errors ---------------------------------------------------------------------------------- */

Test(pyexpr, errors) {
    check_error("", 0, "a value");
    check_error("f(a b)", 4, "',' or ')'");
    check_error("f(a", 3, "',' or ')'");
    check_error("[1, 2", 5, "',' or ']'");
    check_error("f(, a)", 2, "a value");
    check_error("'abc", 0, "the closing quote of a string");
    check_error("f('abc", 2, "the closing quote of a string");
    check_error("a b", 2, "the end of the expression");
    check_error("a, b", 1, "the end of the expression");
    check_error("a + b + c", 6, "the end of the expression");
    check_error("{1}", 2, "':'");
    check_error("{1: 2, 3}", 8, "':'");
    check_error("f(x = )", 6, "a value");
    check_error("f(1 = 2)", 4, "',' or ')'");
    check_error("1.2.3", 0, "a number");
    check_error("12ab", 0, "a number");
    check_error("<A.B 3>", 5, "':'");
    check_error("f(a;b)", 3, "',' or ')'");
    check_error("a[]", 2, "a value");
    check_error("a.", 2, "the name of an attribute");
    check_error("\x01", 0, "a value");
    check_error("- - 1", 2, "a value");
}

Test(pyexpr, unclosed_is_known) {
    struct sg_pyx x;
    uint32_t stop = 0;
    sg_pyx_init(&x, &sg_default_allocator, "f([1, 2]", 256);
    cr_assert_eq(sg_pyx_parse(&x, 0, 8, &stop), 0);
    cr_assert(x.error.unclosed);
    cr_assert_eq(sg_pyx_parse(&x, 0, 3, &stop), 0);
    cr_assert_neq(sg_pyx_parse(&x, 2, 8, &stop), 0, "a parser goes on after an error");
    sg_pyx_free(&x);
}

Test(pyexpr, nesting_has_a_limit) {
    enum { MANY = 100000 };
    static char text[MANY + 1];
    memset(text, '(', MANY);
    struct sg_pyx x;
    uint32_t stop = 0;
    sg_pyx_init(&x, &sg_default_allocator, text, 256);
    cr_assert_eq(sg_pyx_parse(&x, 0, MANY, &stop), 0);
    cr_assert(x.error.too_deep);
    cr_assert_eq(x.error.at, 256);
    sg_pyx_free(&x);

    char good[2 * 250 + 2] = {0};
    memset(good, '[', 250);
    good[250] = '1';
    memset(good + 251, ']', 250);
    sg_pyx_init(&x, &sg_default_allocator, good, 256);
    cr_assert_neq(sg_pyx_parse(&x, 0, 501, &stop), 0);
    sg_pyx_free(&x);
}

/* Any piece of a long expression is read or refused, and nothing else happens. */
Test(pyexpr, every_piece_and_every_byte) {
    static const char text[] = "torch.f(a, [1, -2.5e-3, (3+4j)], k = {'x': <A.B: 1>, \"y\": "
                               "device(type='cpu')}, n[(0,)]); ";
    uint32_t length = sizeof(text) - 1;
    uint32_t good = 0;
    for (uint32_t at = 0; at < length; at++) {
        for (uint32_t end = at; end <= length; end++) {
            struct sg_pyx x;
            uint32_t stop = 0;
            sg_pyx_init(&x, &sg_default_allocator, text, 8);
            bool read = sg_pyx_parse(&x, at, end, &stop) != 0;
            good += read;
            cr_assert_eq(read, x.error.expected == NULL);
            cr_assert(read ? stop >= at && stop <= end : x.error.at >= at && x.error.at <= end);
            sg_pyx_free(&x);
        }
    }
    cr_assert_gt(good, 100);
}

static signet_status parse_once(const signet_allocator *a, void *user) {
    const char *text = user;
    struct sg_pyx x;
    uint32_t stop = 0;
    sg_pyx_init(&x, a, text, 256);
    bool read = sg_pyx_parse(&x, 0, (uint32_t)strlen(text), &stop) != 0;
    bool no_memory = x.no_memory;
    cr_assert_neq(read, no_memory);
    sg_pyx_free(&x);
    return no_memory ? SIGNET_E_NOMEM : SIGNET_OK;
}

Test(pyexpr, survives_every_failure) {
    static char text[] = "f(a, [1, 2, (3, g(x = {'a': -b}))], c + d, e[1], <A.B: 2>)";
    cr_assert_geq(test_each_failure(parse_once, text), 2);
}

/* ---- Strings --------------------------------------------------------------------------------- */

static void check_string(const char *text, const char *expected, bool good) {
    struct sg_pyx x;
    struct sg_text out;
    uint32_t stop = 0;
    sg_pyx_init(&x, &sg_default_allocator, text, 256);
    sg_text_init(&out, &sg_default_allocator);
    uint32_t root = sg_pyx_parse(&x, 0, (uint32_t)strlen(text), &stop);
    cr_assert_neq(root, 0);
    cr_assert_eq(sg_pyx_string(&x, root, &out), good);
    cr_assert_str_eq(out.data, expected);
    sg_text_free(&out);
    sg_pyx_free(&x);
}

Test(pyexpr, string_escapes) {
    check_string("'a\\n\\t\\\\\\'b'", "a\n\t\\'b", true);
    check_string("'\\x41\\u00e9\\U0001f600'", "A\xc3\xa9\xf0\x9f\x98\x80", true);
    check_string("'\\ud800'", "\xef\xbf\xbd", true);
    check_string("'\\q\\x4'", "\\q\\x4", false);
}

static void check_repr(const char *text, const char *expected) {
    struct sg_text out;
    sg_text_init(&out, &sg_default_allocator);
    sg_py_repr(&out, signet_str(text));
    cr_assert_str_eq(out.data, expected);
    sg_text_free(&out);
}

Test(pyexpr, repr_as_python_spells_it) {
    check_repr("abc", "'abc'");
    check_repr("", "''");
    check_repr("it's", "\"it's\"");
    check_repr("it's \"x\"", "'it\\'s \"x\"'");
    check_repr("a\\b\n\t\x01\x7f", "'a\\\\b\\n\\t\\x01\\x7f'");
    check_repr("\xc3\xa9\xe2\x82\xac", "'\xc3\xa9\xe2\x82\xac'");
    check_repr("\xc2\xa0\xe2\x80\xa8\xff", "'\\xa0\\u2028\\xff'");
}

Test(pyexpr, operators_by_name) {
    bool binary = false;
    cr_assert_eq(sg_pyx_op_find(signet_str("ge"), &binary), SG_PYX_OP_GE);
    cr_assert(binary);
    cr_assert_eq(sg_pyx_op_find(signet_str("neg"), &binary), SG_PYX_OP_NEG);
    cr_assert(!binary);
    cr_assert_eq(sg_pyx_op_find(signet_str("truth"), &binary), SG_PYX_OP_NONE);
    cr_assert_str_eq(sg_pyx_op_name(SG_PYX_OP_AND), "and_");
}
