/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "ir/ir_internal.h"
#include "tests/support/allocator.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static signet_package *package(void) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    return p;
}

static uint32_t parse(signet_package *p, const char *text) {
    size_t byte = 0;
    const char *expected = NULL;
    signet_expr e = sg_expr_parse(p, signet_str(text), &byte, &expected);
    cr_assert_neq(e.id, 0, "'%s' stops at %zu, expected %s", text, byte, expected);
    return e.id;
}

/* Both forms that PyTorch writes, as sympy 1.14 prints them. */
static const char *const pairs[][2] = {
    {"s77", "Symbol('s77', positive=True, integer=True)"},
    {"s17 + s77", "Add(Symbol('s17', positive=True, integer=True), Symbol('s77', positive=True, "
                  "integer=True))"},
    {"2*s77 + 1", "Add(Mul(Integer(2), Symbol('s77', positive=True, integer=True)), Integer(1))"},
    {"s0 - 1", "Add(Symbol('s0', positive=True, integer=True), Integer(-1))"},
    {"1 - s0", "Add(Integer(1), Mul(Integer(-1), Symbol('s0', positive=True, integer=True)))"},
    {"-s0", "Mul(Integer(-1), Symbol('s0', positive=True, integer=True))"},
    {"s0 - 2*s1", "Add(Symbol('s0', positive=True, integer=True), Mul(Integer(-1), Integer(2), "
                  "Symbol('s1', positive=True, integer=True)))"},
    {"s0/2", "Mul(Rational(1, 2), Symbol('s0', positive=True, integer=True))"},
    {"-s0/2", "Mul(Integer(-1), Rational(1, 2), Symbol('s0', positive=True, integer=True))"},
    {"2*s0/3", "Mul(Rational(2, 3), Symbol('s0', positive=True, integer=True))"},
    {"1/2", "Rational(1, 2)"},
    {"s1/(2*s0)", "Mul(Rational(1, 2), Pow(Symbol('s0'), Integer(-1)), Symbol('s1'))"},
    {"s1/s0**2", "Mul(Pow(Symbol('s0'), Integer(-2)), Symbol('s1'))"},
    {"1/sqrt(s0)", "Pow(Symbol('s0'), Rational(-1, 2))"},
    {"s1/2**s0", "Mul(Pow(Integer(2), Mul(Integer(-1), Symbol('s0'))), Symbol('s1'))"},
    {"s0**2", "Pow(Symbol('s0', positive=True, integer=True), Integer(2))"},
    {"2**s0", "Pow(Integer(2), Symbol('s0', positive=True, integer=True))"},
    {"s0*s1", "Mul(Symbol('s0', positive=True, integer=True), Symbol('s1', positive=True, "
              "integer=True))"},
    {"(((s0 - 1)//2)) + 1", "Add(FloorDiv(Add(Symbol('s0', positive=True, integer=True), "
                            "Integer(-1)), Integer(2)), Integer(1))"},
    {"(s0//2)", "CleanDiv(Symbol('s0', positive=True, integer=True), Integer(2))"},
    {"Mod(s0, 2)", "Mod(Symbol('s0', positive=True, integer=True), Integer(2))"},
    {"PythonMod(u0, 2)", "PythonMod(Symbol('u0', integer=True), Integer(2))"},
    {"Max(1, u0)", "Max(Symbol('u0', integer=True), Integer(1))"},
    {"ModularIndexing(s0, 1, 4)", "ModularIndexing(Symbol('s0'), Integer(1), Integer(4))"},
    {"u0 >= 1", "GreaterThan(Symbol('u0', integer=True), Integer(1))"},
    {"u0 <= 4", "LessThan(Symbol('u0', integer=True), Integer(4))"},
    {"u0 > 1", "StrictGreaterThan(Symbol('u0', integer=True), Integer(1))"},
    {"u0 < 4", "StrictLessThan(Symbol('u0', integer=True), Integer(4))"},
    {"Eq(u0, 1)", "Equality(Symbol('u0', integer=True), Integer(1))"},
    {"Ne(u0, 1)", "Unequality(Symbol('u0', integer=True), Integer(1))"},
    {"(s0 > 1) & (s1 < 2)", "And(StrictLessThan(Symbol('s1'), Integer(2)), "
                            "StrictGreaterThan(Symbol('s0'), Integer(1)))"},
    {"~(s1 < 2) | (s0 > 1)", "Or(StrictGreaterThan(Symbol('s0'), Integer(1)), "
                             "Not(StrictLessThan(Symbol('s1'), Integer(2))))"},
    {"True", "true"},
    {"Piecewise((s0, s0 > 3), (s1, True))",
     "Piecewise(ExprCondPair(Symbol('s0'), StrictGreaterThan(Symbol('s0'), Integer(3))), "
     "ExprCondPair(Symbol('s1'), true))"},
    {"1.5*s0", "Mul(Float('1.5', precision=53), Symbol('s0'))"},
    {"s0 - 1.5*s1", "Add(Symbol('s0'), Mul(Float('-1.5', precision=53), Symbol('s1')))"},
    {"2.00000000000000", "Float('2.0', precision=53)"},
    {"int_oo", "int_oo"},
    {"-oo", "-oo"},
    {"9223372036854775807", "Integer(9223372036854775807)"},
    {"-9223372036854775808", "Integer(-9223372036854775808)"},
    {"9223372036854775808*s0", "Mul(Integer(9223372036854775808), Symbol('s0'))"},
    {"OpaqueUnaryFn_sqrt(ToFloat(s0))", "OpaqueUnaryFn_sqrt(ToFloat(Symbol('s0')))"},
};

Test(expr, both_forms_are_one_expression) {
    signet_package *p = package();
    for (size_t i = 0; i < COUNT(pairs); i++) {
        cr_expect_eq(parse(p, pairs[i][0]), parse(p, pairs[i][1]), "%s and %s", pairs[i][0],
                     pairs[i][1]);
    }
    signet_package_destroy(p);
}

static void expect_text(const signet_package *p, uint32_t expr, const char *infix) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_expr_infix(p, (signet_expr){expr}, &t);
    cr_expect_str_eq(t.data, infix);
    sg_text_free(&t);
}

Test(expr, infix_is_what_sympy_prints) {
    signet_package *p = package();
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const char *infix = strncmp(pairs[i][0], "2.0", 3) == 0 ? "2.0" : pairs[i][0];
        expect_text(p, parse(p, pairs[i][1]), infix);
    }
    expect_text(p, parse(p, "1 + s1 + s0"), "s0 + s1 + 1");
    expect_text(p, parse(p, "s1*s0*2"), "2*s0*s1");
    expect_text(p, parse(p, "4*(s1//4)"), "4*((s1//4))");
    expect_text(p, parse(p, "-(s0 + 1)"), "-(s0 + 1)");
    expect_text(p, parse(p, "1 + (s0 % 2)"), "(Mod(s0, 2)) + 1");
    expect_text(p, parse(p, "Symbol('a b') + 1"), "Symbol('a b') + 1");
    expect_text(p, 0, "?");
    signet_package_destroy(p);
}

Test(expr, what_is_written_reads_back) {
    signet_package *p = package();
    for (size_t i = 0; i < COUNT(pairs); i++) {
        uint32_t e = parse(p, pairs[i][0]);
        struct sg_text t;
        sg_text_init(&t, &sg_default_allocator);
        sg_expr_infix(p, (signet_expr){e}, &t);
        cr_expect_eq(parse(p, t.data), e, "%s", t.data);
        sg_text_clear(&t);
        sg_expr_srepr(p, (signet_expr){e}, &t);
        cr_expect_eq(parse(p, t.data), e, "%s", t.data);
        sg_text_free(&t);
    }
    static const char *const odd[] = {"it's", "a\\b", "x\ny", "", "oo", "lambda", "__x", "3"};
    for (size_t i = 0; i < COUNT(odd); i++) {
        signet_expr e = signet_expr_symbol(p, signet_str(odd[i]));
        struct sg_text t;
        sg_text_init(&t, &sg_default_allocator);
        sg_expr_infix(p, e, &t);
        cr_expect_eq(parse(p, t.data), e.id, "%s", t.data);
        sg_text_free(&t);
    }
    signet_package_destroy(p);
}

Test(expr, python_precedence) {
    static const char *const same[][2] = {
        {"a + b*c", "a + (b*c)"},
        {"a - b - c", "a + -1*b + -1*c"},
        {"a - b*c", "a + -1*b*c"},
        {"-a**b", "-(a**b)"},
        {"2**-a", "2**(-a)"},
        {"a**b**c", "a**(b**c)"},
        {"a//b*c", "(a//b)*c"},
        {"a*b//c", "(a*b)//c"},
        {"a/b*c", "a*c/b"},
        {"a % b // c", "(a % b)//c"},
        {"a << b + c", "a << (b + c)"},
        {"a & b | c", "(a & b) | c"},
        {"a > b & c", "a > (b & c)"},
        {"not a > b", "not (a > b)"},
        {"not a and b", "(not a) & b"},
        {"a or b and c", "a or (b and c)"},
        {"a >= b", "GreaterThan(a, b)"},
        {"a == b", "Equality(a, b)"},
        {"+a", "a"},
        {"--a", "a"},
        {"a*1", "a"},
        {"a + 0", "a"},
        {"order + 1", "1 + order"},
    };
    signet_package *p = package();
    for (size_t i = 0; i < COUNT(same); i++) {
        cr_expect_eq(parse(p, same[i][0]), parse(p, same[i][1]), "%s and %s", same[i][0],
                     same[i][1]);
    }
    static const char *const different[][2] = {
        {"(a//b)*c", "a//(b*c)"}, {"a - b", "b - a"},     {"a < b", "a > b"}, {"a/b", "b/a"},
        {"(a**b)**c", "a**b**c"}, {"f(a, b)", "f(b, a)"}, {"2.0", "2"},       {"f(a)", "g(a)"},
        {"2*(a + b)", "2*a + b"}, {"f()", "f(f())"},
    };
    for (size_t i = 0; i < COUNT(different); i++) {
        cr_expect_neq(parse(p, different[i][0]), parse(p, different[i][1]), "%s and %s",
                      different[i][0], different[i][1]);
    }
    signet_package_destroy(p);
}

Test(expr, everything_else_is_refused) {
    static const struct {
        const char *text;
        size_t byte;
        const char *expected;
    } rows[] = {
        {"", 0, "a number, a symbol, a function or '('"},
        {"  ", 2, "a number, a symbol, a function or '('"},
        {"s0 +", 4, "a number, a symbol, a function or '('"},
        {"(s0", 3, "')'"},
        {"Add(s0, 1", 9, "')'"},
        {"s0)", 2, "an operator or the end"},
        {"s0 s1", 3, "an operator or the end"},
        {"s0.real", 2, "an operator or the end"},
        {"s0[0]", 2, "an operator or the end"},
        {"'s0'", 0, "a number, a symbol, a function or '('"},
        {"lambda: 1", 0, "a number, a symbol, a function or '('"},
        {"__import__('os')", 0, "a number, a symbol, a function or '('"},
        {"f(__x__)", 2, "a number, a symbol, a function or '('"},
        {"[x for x in y]", 0, "a number, a symbol, a function or '('"},
        {"{1: 2}", 0, "a number, a symbol, a function or '('"},
        {"(x for x in y)", 3, "an operator, ',' or ')'"},
        {"1 if a else 2", 2, "an operator or the end"},
        {"x := 1", 2, "an operator or the end"},
        {"eval('1')", 5, "a number, a symbol, a function or '('"},
        {"Symbol(s0)", 7, "a quoted name"},
        {"Symbol('s0", 7, "a closing quote"},
        {"Symbol('s0'", 11, "',' or ')'"},
        {"Symbol('s0', integer)", 20, "'='"},
        {"Symbol('\\u1234')", 8, "a name without this escape"},
        {"Float('x')", 6, "a number"},
        {"f(a=1)", 3, "an operator, ',' or ')'"},
        {"f(a,)", 4, "a number, a symbol, a function or '('"},
        {"(a, b)", 0, "an expression in place of a tuple"},
        {"()", 1, "a number, a symbol, a function or '('"},
        {"1x", 1, "an operator"},
        {"1.2.3", 0, "a number"},
        {"a < b < c", 6, "no second comparison without brackets"},
        {"a = b", 2, "an operator or the end"},
        {"a; b", 1, "an operator or the end"},
        {"None", 0, "a number, a symbol, a function or '('"},
    };
    signet_package *p = package();
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t byte = 99;
        const char *expected = NULL;
        signet_expr e = sg_expr_parse(p, signet_str(rows[i].text), &byte, &expected);
        cr_expect_eq(e.id, 0, "'%s' was taken", rows[i].text);
        cr_expect_eq(byte, rows[i].byte, "'%s' stops at %zu", rows[i].text, byte);
        cr_expect_str_eq(expected, rows[i].expected, "'%s'", rows[i].text);
    }
    cr_expect_eq(sg_expr_parse(p, (signet_string){"s0\0s1", 5}, NULL, NULL).id, 0);
    cr_expect_eq(sg_expr_parse(p, (signet_string){NULL, 0}, NULL, NULL).id, 0);
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    signet_package_destroy(p);
}

/* prefix repeated, then middle, then suffix repeated */
static char *repeat(const char *prefix, const char *middle, const char *suffix, size_t times) {
    size_t a = strlen(prefix), b = strlen(middle), c = strlen(suffix);
    char *text = malloc(a * times + b + c * times + 1);
    cr_assert_not_null(text);
    for (size_t i = 0; i < times; i++) {
        memcpy(text + i * a, prefix, a);
        memcpy(text + a * times + b + i * c, suffix, c);
    }
    memcpy(text + a * times, middle, b);
    text[a * times + b + c * times] = '\0';
    return text;
}

static bool taken(const char *prefix, const char *middle, const char *suffix, size_t times) {
    signet_package *p = package();
    char *text = repeat(prefix, middle, suffix, times);
    const char *expected = NULL;
    signet_expr e = sg_expr_parse(p, signet_str(text), NULL, &expected);
    cr_expect_eq(e.id == 0, expected != NULL);
    cr_expect_eq(signet_package_status(p), SIGNET_OK, "a text that is refused is no failure");
    free(text);
    signet_package_destroy(p);
    return e.id != 0;
}

Test(expr, depth_and_size_have_limits) {
    cr_expect(taken("(", "s0", ")", 256));
    cr_expect_not(taken("(", "s0", ")", 257));
    cr_expect(taken("f(", "s0", ")", 255));
    cr_expect_not(taken("f(", "s0", ")", 256));
    cr_expect_not(taken("f(", "s0", ")", 1000000));
    cr_expect_not(taken("(", "", "", 1000000));
    cr_expect_not(taken("-", "s0", "", 1000000));
    cr_expect_not(taken("~", "s0", "", 1000));
    cr_expect_not(taken("2**", "s0", "", 1000));
    cr_expect(taken("s0 + ", "s1", "", 100000), "long is not deep");
    cr_expect(taken("s0*", "s1", "", 100000));
    cr_expect(taken("s0 - s1 + ", "s1", "", 50000));
    cr_expect_not(taken("s0 + ", "s1", "", 2000000));
}

Test(expr, brackets_do_not_multiply_the_text) {
    /* Each level copies the flat sum inside: 200 levels around 20,000 terms. */
    signet_package *p = package();
    char *sum = repeat("s0 + ", "s1", "", 20000);
    char *text = repeat("(1.5 + ", sum, ")", 200);
    const char *expected = NULL;
    cr_expect_eq(sg_expr_parse(p, signet_str(text), NULL, &expected).id, 0);
    cr_expect_str_eq(expected, "an expression that nests less");
    cr_expect_lt(p->dims.count, 10 * strlen(text));
    free(text);
    free(sum);
    signet_package_destroy(p);
}

Test(expr, hash_consed) {
    signet_package *p = package();
    signet_expr a = signet_expr_symbol(p, signet_str("a"));
    signet_expr b = signet_expr_symbol(p, signet_str("b"));
    signet_expr ab[] = {a, b}, ba[] = {b, a};
    signet_expr sum = signet_expr_make(p, SIGNET_EXPR_ADD, signet_str(NULL), ab, 2);
    cr_assert_neq(sum.id, 0);
    cr_assert_eq(signet_expr_make(p, SIGNET_EXPR_ADD, signet_str(NULL), ba, 2).id, sum.id);
    cr_assert_eq(signet_expr_get_head(p, sum), SIGNET_EXPR_ADD);
    cr_assert_eq(signet_expr_operand_count(p, sum), 2);
    signet_expr f = signet_expr_make(p, SIGNET_EXPR_FUNCTION, signet_str("f"), ab, 2);
    signet_expr g = signet_expr_make(p, SIGNET_EXPR_FUNCTION, signet_str("f"), ba, 2);
    cr_assert_neq(f.id, g.id);
    cr_assert(sg_string_is(signet_expr_name(p, f), "f"));
    cr_assert_eq(signet_expr_operand(p, f, 0).id, a.id);
    cr_assert_eq(signet_expr_operand(p, f, 2).id, 0);
    signet_expr numbers[] = {signet_expr_integer(p, 2), a, signet_expr_integer(p, 3)};
    signet_expr five = signet_expr_make(p, SIGNET_EXPR_ADD, signet_str(NULL), numbers, 3);
    cr_assert_eq(five.id, parse(p, "a + 5"));
    cr_assert_eq(signet_expr_make(p, SIGNET_EXPR_ADD, signet_str(NULL), NULL, 0).id,
                 signet_expr_integer(p, 0).id);
    /* Sums that do not fit keep their numbers. */
    cr_assert_neq(parse(p, "9223372036854775807 + 1 + a"), parse(p, "a"));
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    signet_package_destroy(p);
}

Test(expr, wrong_use) {
    signet_package *p = package();
    signet_expr none[] = {{0}};
    cr_assert_eq(signet_expr_make(p, SIGNET_EXPR_FUNCTION, signet_str("f"), none, 1).id, 0);
    cr_assert_eq(signet_package_status(p), SIGNET_OK, "a null operand is quiet");
    signet_expr far[] = {{99}};
    cr_assert_eq(signet_expr_make(p, SIGNET_EXPR_FUNCTION, signet_str("f"), far, 1).id, 0);
    cr_assert_eq(signet_package_status(p), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_expr_get_head(p, far[0]), SIGNET_EXPR_NULL);
    signet_package_destroy(p);
}

Test(expr, a_shared_expression_may_not_grow_without_end) {
    signet_package *p = package();
    signet_expr e = signet_expr_symbol(p, signet_str("a"));
    for (int i = 0; i < 100 && e.id != 0; i++) { /* 2^100 nodes when written out */
        signet_expr pair[] = {e, e};
        e = signet_expr_make(p, SIGNET_EXPR_FUNCTION, signet_str("f"), pair, 2);
    }
    cr_assert_eq(e.id, 0);
    cr_assert_eq(signet_package_status(p), SIGNET_E_LIMIT);
    signet_package_destroy(p);
}

Test(expr, same_hash_in_every_package) {
    signet_package *p = package();
    signet_package *q = package();
    parse(q, "f(z, y, x) + 12345");
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const struct sg_expr *a = sg_expr(p, parse(p, pairs[i][0]));
        uint64_t hash = a->hash;
        cr_expect_eq(sg_expr(q, parse(q, pairs[COUNT(pairs) - 1 - i][1]))->hash != 0, true);
        cr_expect_eq(sg_expr(q, parse(q, pairs[i][1]))->hash, hash, "%s", pairs[i][0]);
    }
    signet_package_destroy(p);
    signet_package_destroy(q);
}

static signet_status parse_all(const signet_allocator *a, void *user) {
    (void)user;
    signet_package *p = NULL;
    signet_status rc = signet_package_create(&p, a, NULL);
    for (size_t i = 0; rc == SIGNET_OK && i < COUNT(pairs); i++) {
        signet_expr e = sg_expr_parse(p, signet_str(pairs[i][i % 2]), NULL, NULL);
        cr_expect_eq(e.id != 0, signet_package_status(p) == SIGNET_OK);
        rc = signet_package_status(p);
    }
    signet_package_destroy(p);
    return rc;
}

Test(expr, out_of_memory) {
    cr_assert_gt(test_each_failure(parse_all, NULL), 50);
}
