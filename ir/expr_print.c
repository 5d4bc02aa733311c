/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes expressions: Python's infix form with the brackets and the order that sympy's str() has,
 * and sympy's srepr form. What is written reads back as the same expression.
 */

#include <string.h>

#include "base/compiler.h"
#include "base/text.h"
#include "ir/intern_internal.h"

/* sympy's precedences. A part gets brackets when it binds no tighter than what it stands in. */
enum binding {
    BIND_NOTHING = 0,
    BIND_COMPARE = 35,
    BIND_BIT_OR = 36,
    BIND_BIT_XOR = 37,
    BIND_BIT_AND = 38,
    BIND_TERM = 39, /* in a sum: what binds like a sum needs no brackets */
    BIND_SUM = 40,
    BIND_PRODUCT = 50,
    BIND_POWER = 60,
    BIND_CALL = 70,
    BIND_NOT = 100,
    BIND_OPERAND = 999, /* of //: only atoms go without brackets */
    BIND_ATOM = 1000,
};

/* A piece of the text to come. */
struct item {
    enum { ITEM_TEXT, ITEM_NUMBER, ITEM_EXPR, ITEM_POSITIVE, ITEM_INVERSE } kind;
    const char *text;                /* TEXT */
    uint64_t numerator, denominator; /* NUMBER */
    uint32_t expr;                   /* EXPR; POSITIVE: without its minus sign; INVERSE: 1 / it */
    uint16_t around;                 /* enum binding */
};

/* Pieces are expanded into smaller ones until only text is left: no recursion. */
struct printer {
    const signet_package *p;
    struct sg_text *out;
    SG_VEC(struct item) items; /* the next one last */
    SG_VEC(uint32_t) sorted;   /* operands in the order to show */
    bool srepr;
};

static void push(struct printer *w, struct item item) {
    if (!sg_vec_reserve(w->out->allocator, &w->items, 1)) {
        w->out->failed = true;
        return;
    }
    w->items.data[w->items.count++] = item;
}

static void push_text(struct printer *w, const char *text) {
    push(w, (struct item){.kind = ITEM_TEXT, .text = text});
}

static void push_expr(struct printer *w, uint32_t expr, enum binding around) {
    push(w, (struct item){.kind = ITEM_EXPR, .expr = expr, .around = (uint16_t)around});
}

static uint64_t magnitude(int64_t v) {
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static void push_magnitude(struct printer *w, struct sg_fraction f) {
    push(w, (struct item){.kind = ITEM_NUMBER,
                          .numerator = magnitude(f.numerator),
                          .denominator = (uint64_t)f.denominator});
}

/* Pieces above `from` were pushed in the order of the text: turns them round. */
static void reverse(struct printer *w, uint32_t from) {
    for (uint32_t i = from, k = w->items.count; i + 1 < k; i++) {
        k--;
        struct item swap = w->items.data[i];
        w->items.data[i] = w->items.data[k];
        w->items.data[k] = swap;
    }
}

/* ---- What an expression is ------------------------------------------------------------------- */

static bool is_call_of(const struct printer *w, const struct sg_expr *e, const char *name,
                       uint32_t count) {
    return e->head == SIGNET_EXPR_FUNCTION && e->operands.count == count &&
           sg_string_is(sg_string(w->p, e->name), name);
}

static uint32_t operand(const struct printer *w, const struct sg_expr *e, uint32_t i) {
    return w->p->dims.data[e->operands.first + i];
}

static const char *infix_operator(const struct printer *w, const struct sg_expr *e,
                                  enum binding *binding) {
    static const struct {
        const char *name, *text;
        enum binding binding;
        bool any_count;
    } rows[] = {
        {"GreaterThan", " >= ", BIND_COMPARE, false},
        {"LessThan", " <= ", BIND_COMPARE, false},
        {"StrictGreaterThan", " > ", BIND_COMPARE, false},
        {"StrictLessThan", " < ", BIND_COMPARE, false},
        {"And", " & ", BIND_BIT_AND, true},
        {"Or", " | ", BIND_BIT_OR, true},
        {"Xor", " ^ ", BIND_BIT_XOR, true},
        {"FloorDiv", "//", BIND_COMPARE, false},
    };
    if (e->head != SIGNET_EXPR_FUNCTION || e->operands.count < 2) {
        return NULL;
    }
    for (size_t i = 0; i < SG_COUNT_OF(rows); i++) {
        if ((rows[i].any_count || e->operands.count == 2) &&
            sg_string_is(sg_string(w->p, e->name), rows[i].name)) {
            *binding = rows[i].binding;
            return rows[i].text;
        }
    }
    return NULL;
}

/* The number in front of a product, or the number that it is; 0: none. */
static uint32_t front_number(const struct printer *w, uint32_t expr) {
    const struct sg_expr *e = sg_expr(w->p, expr);
    struct sg_fraction f;
    if (sg_expr_fraction(w->p, expr, &f)) {
        return expr;
    }
    for (uint32_t i = 0; e->head == SIGNET_EXPR_MUL && i < e->operands.count; i++) {
        if (sg_expr_fraction(w->p, operand(w, e, i), &f)) {
            return operand(w, e, i);
        }
    }
    return 0;
}

/* A float, or an integer of more than 64 bits: functions of nothing, named as they are written. */
static bool is_numeral(const struct printer *w, const struct sg_expr *e) {
    signet_string name = sg_string(w->p, e->name);
    size_t sign = name.length > 1 && name.data[0] == '-';
    return e->head == SIGNET_EXPR_FUNCTION && e->operands.count == 0 && name.length > sign &&
           name.data[sign] >= '0' && name.data[sign] <= '9';
}

static bool is_float(const struct printer *w, const struct sg_expr *e) {
    return is_numeral(w, e) && strpbrk(sg_string(w->p, e->name).data, ".e") != NULL;
}

static bool is_negative_float(const struct printer *w, uint32_t expr) {
    const struct sg_expr *e = sg_expr(w->p, expr);
    return is_float(w, e) && sg_string(w->p, e->name).data[0] == '-';
}

/* True when it is shown with a minus sign in front. */
static bool is_negative(const struct printer *w, uint32_t expr) {
    const struct sg_expr *e = sg_expr(w->p, expr);
    struct sg_fraction f = {1, 1};
    uint32_t number = front_number(w, expr);
    if (number != 0) {
        return sg_expr_fraction(w->p, number, &f) && f.numerator < 0;
    }
    for (uint32_t i = 0; e->head == SIGNET_EXPR_MUL && i < e->operands.count; i++) {
        if (is_float(w, sg_expr(w->p, operand(w, e, i)))) { /* its first float has the sign */
            return is_negative_float(w, operand(w, e, i));
        }
    }
    return is_negative_float(w, expr);
}

static bool is_power(const struct printer *w, uint32_t expr) {
    return is_call_of(w, sg_expr(w->p, expr), "Pow", 2);
}

/* A power that a product shows below its line: the exponent has a minus sign. */
static bool is_below_line(const struct printer *w, uint32_t expr) {
    return is_power(w, expr) && is_negative(w, operand(w, sg_expr(w->p, expr), 1));
}

/* PyTorch gives some of its functions the precedence of //, so that a sum puts them in brackets. */
static enum binding call_binding(signet_string name) {
    static const char *const loose[] = {"Mod",   "PythonMod",  "ModularIndexing",
                                        "Where", "IntTrueDiv", "FloatTrueDiv"};
    for (size_t i = 0; i < SG_COUNT_OF(loose); i++) {
        if (sg_string_is(name, loose[i])) {
            return BIND_COMPARE;
        }
    }
    return sg_string_is(name, "Max") || sg_string_is(name, "Min") ? BIND_ATOM : BIND_CALL;
}

static enum binding binding_of(const struct printer *w, uint32_t expr) {
    const struct sg_expr *e = sg_expr(w->p, expr);
    struct sg_fraction f;
    enum binding binding;
    if (infix_operator(w, e, &binding) != NULL) {
        return binding;
    }
    switch ((signet_expr_head)e->head) {
    case SIGNET_EXPR_ADD:
        return BIND_SUM;
    case SIGNET_EXPR_MUL:
        return is_negative(w, expr) ? BIND_SUM : BIND_PRODUCT;
    case SIGNET_EXPR_INTEGER:
        return e->number < 0 ? BIND_SUM : BIND_ATOM;
    case SIGNET_EXPR_NULL:
    case SIGNET_EXPR_SYMBOL:
        return BIND_ATOM;
    case SIGNET_EXPR_FUNCTION:
        break;
    }
    if (sg_expr_fraction(w->p, expr, &f)) {
        return f.numerator < 0 ? BIND_SUM : BIND_PRODUCT;
    }
    if (is_float(w, e)) {
        return is_negative(w, expr) ? BIND_SUM : BIND_ATOM;
    }
    if (is_call_of(w, e, "Pow", 2)) {
        return is_below_line(w, expr) ? BIND_PRODUCT : BIND_POWER;
    }
    return is_call_of(w, e, "Not", 1) ? BIND_NOT : call_binding(sg_string(w->p, e->name));
}

/* ---- Order of what is shown ------------------------------------------------------------------
 *
 * The operands are stored by hash. sympy shows terms by degree in their symbols, numbers last, and
 * factors with numbers first; ours is the same where terms are products of symbols.
 */

static int text_order(signet_string m, signet_string n) {
    size_t length = m.length < n.length ? m.length : n.length;
    int c = length != 0 ? memcmp(m.data, n.data, length) : 0;
    return c != 0 ? c : (m.length > n.length) - (m.length < n.length);
}

/* What a factor is a power of, and its exponent where that is a number (else 1). */
static uint32_t base_of(const struct printer *w, uint32_t factor, struct sg_fraction *exponent) {
    const struct sg_expr *e = sg_expr(w->p, factor);
    *exponent = (struct sg_fraction){1, 1};
    if (is_call_of(w, e, "Pow", 2) && sg_expr_fraction(w->p, operand(w, e, 1), exponent)) {
        return operand(w, e, 0);
    }
    return factor;
}

static int rank(const struct printer *w, uint32_t expr) {
    struct sg_fraction f;
    const struct sg_expr *e = sg_expr(w->p, expr);
    if (sg_expr_fraction(w->p, expr, &f) || is_numeral(w, e)) {
        return 0;
    }
    switch ((signet_expr_head)e->head) {
    case SIGNET_EXPR_NULL:
    case SIGNET_EXPR_INTEGER:
    case SIGNET_EXPR_SYMBOL:
        return 1;
    case SIGNET_EXPR_MUL:
        return 2;
    case SIGNET_EXPR_ADD:
        return 3;
    case SIGNET_EXPR_FUNCTION:
        break;
    }
    return is_call_of(w, e, "Pow", 2) ? 4 : 5;
}

/* Numbers, symbols by name, sums, powers, calls by name; then the stored order. */
static int compare_bases(const struct printer *w, uint32_t x, uint32_t y) {
    int c = rank(w, x) - rank(w, y);
    if (c == 0) {
        c = text_order(sg_string(w->p, sg_expr(w->p, x)->name),
                       sg_string(w->p, sg_expr(w->p, y)->name));
    }
    return c != 0 ? c : sg_expr_compare(w->p, x, w->p, y);
}

static int compare_factors(const struct printer *w, uint32_t x, uint32_t y) {
    struct sg_fraction f, g;
    uint32_t a = base_of(w, x, &f);
    uint32_t b = base_of(w, y, &g);
    int c = a != b ? compare_bases(w, a, b) : 0;
    if (c == 0 && f.numerator != g.numerator) {
        c = f.numerator < g.numerator ? -1 : 1;
    }
    return c != 0 ? c : sg_expr_compare(w->p, x, w->p, y);
}

/* The leading factor of a term; 0 for a number. */
static uint32_t leading_factor(const struct printer *w, uint32_t term) {
    const struct sg_expr *e = sg_expr(w->p, term);
    if (e->head != SIGNET_EXPR_MUL) {
        return rank(w, term) == 0 ? 0 : term;
    }
    uint32_t best = 0;
    for (uint32_t i = 0; i < e->operands.count; i++) {
        uint32_t factor = operand(w, e, i);
        if (rank(w, factor) != 0 && (best == 0 || compare_factors(w, factor, best) < 0)) {
            best = factor;
        }
    }
    return best;
}

static int compare_terms(const struct printer *w, uint32_t x, uint32_t y) {
    uint32_t a = leading_factor(w, x);
    uint32_t b = leading_factor(w, y);
    struct sg_fraction f, g;
    if (a == 0 || b == 0) { /* a number has degree 0 */
        bool low = (a != 0 && is_below_line(w, a)) || (b != 0 && is_below_line(w, b));
        return low ? (a != 0) - (b != 0) : (a == 0) - (b == 0);
    }
    uint32_t m = base_of(w, a, &f);
    uint32_t n = base_of(w, b, &g);
    if (m != n) {
        return compare_bases(w, m, n);
    }
    if (f.numerator != g.numerator) { /* the higher power first */
        return f.numerator > g.numerator ? -1 : 1;
    }
    /* The term with more factors has the higher degree: s0*s1 before s0. */
    const struct sg_expr *s = sg_expr(w->p, x);
    const struct sg_expr *t = sg_expr(w->p, y);
    uint32_t i = s->head == SIGNET_EXPR_MUL ? s->operands.count : 1;
    uint32_t k = t->head == SIGNET_EXPR_MUL ? t->operands.count : 1;
    i -= i > 1 && front_number(w, x) != 0;
    k -= k > 1 && front_number(w, y) != 0;
    if (i != k) {
        return i > k ? -1 : 1;
    }
    return sg_expr_compare(w->p, x, w->p, y);
}

/* Fills w->sorted with the operands, sorted when there is a compare function. Short lists are
 * sorted by insertion; long ones keep the stored order, which is as good for a machine. */
static void sort_operands(struct printer *w, const struct sg_expr *e,
                          int (*compare)(const struct printer *, uint32_t, uint32_t)) {
    w->sorted.count = 0;
    if (!sg_vec_reserve(w->out->allocator, &w->sorted, e->operands.count)) {
        w->out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < e->operands.count; i++) {
        uint32_t id = operand(w, e, i);
        uint32_t at = w->sorted.count++;
        bool sorts = compare != NULL && e->operands.count <= 64;
        for (; sorts && at != 0 && compare(w, id, w->sorted.data[at - 1]) < 0; at--) {
            w->sorted.data[at] = w->sorted.data[at - 1];
        }
        w->sorted.data[at] = id;
    }
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_identifier(signet_string name) {
    for (size_t i = 0; i < name.length; i++) {
        if (!is_letter(name.data[i]) && (i == 0 || !is_digit(name.data[i]))) {
            return false;
        }
    }
    return name.length != 0;
}

/* A text that reads back as the name, in Python's quotes. */
static void write_quoted(struct sg_text *out, signet_string name) {
    sg_text_putc(out, '\'');
    for (size_t i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (c < 0x20 || c == 0x7f) {
            sg_text_printf(out, "\\x%02x", c);
            continue;
        }
        if (c == '\'' || c == '\\') {
            sg_text_putc(out, '\\');
        }
        sg_text_putc(out, (char)c);
    }
    sg_text_putc(out, '\'');
}

/* PyTorch's assumptions for the symbols it makes, by the letter that it gives them. */
static const char *assumptions(signet_string name) {
    for (size_t i = 1; i < name.length; i++) {
        if (!is_digit(name.data[i])) {
            return "";
        }
    }
    if (name.length < 2 || (name.data[0] != 's' && name.data[0] != 'u')) {
        return "";
    }
    return name.data[0] == 's' ? ", positive=True, integer=True" : ", integer=True";
}

static void write_symbol(struct printer *w, signet_string name) {
    if (!w->srepr && is_identifier(name) && !sg_expr_is_reserved(name)) {
        sg_text_string(w->out, name);
        return;
    }
    sg_text_puts(w->out, "Symbol(");
    write_quoted(w->out, name);
    sg_text_puts(w->out, w->srepr ? assumptions(name) : "");
    sg_text_putc(w->out, ')');
}

/* A function of nothing: a constant, a large integer, a float, or a call without operands. */
static void write_constant(struct printer *w, const struct sg_expr *e) {
    signet_string name = sg_string(w->p, e->name);
    bool is_truth = sg_string_is(name, "true") || sg_string_is(name, "false");
    if (w->srepr && is_float(w, e)) {
        sg_text_printf(w->out, "Float('%s', precision=53)", name.data);
    } else if (w->srepr && is_numeral(w, e)) {
        sg_text_printf(w->out, "Integer(%s)", name.data);
    } else if (!w->srepr && is_truth) {
        sg_text_puts(w->out, name.data[0] == 't' ? "True" : "False");
    } else {
        sg_text_string(w->out, name);
        sg_text_puts(w->out, is_numeral(w, e) || sg_expr_is_constant(name) ? "" : "()");
    }
}

/* ---- Infix ----------------------------------------------------------------------------------- */

/* "1 - s0": a positive number goes before a single negative term. */
static void start_positive(const struct printer *w) {
    uint32_t *ids = w->sorted.data;
    struct sg_fraction f;
    if (w->sorted.count == 2 && is_negative(w, ids[0]) && sg_expr_fraction(w->p, ids[1], &f) &&
        f.numerator > 0 && sg_expr(w->p, ids[0])->operands.count == 2 &&
        front_number(w, ids[0]) != 0) {
        uint32_t swap = ids[0];
        ids[0] = ids[1];
        ids[1] = swap;
    }
}

static void expand_sum(struct printer *w, const struct sg_expr *e) {
    sort_operands(w, e, compare_terms);
    start_positive(w);
    for (uint32_t i = 0; i < w->sorted.count; i++) {
        uint32_t term = w->sorted.data[i];
        if (i == 0 || !is_negative(w, term)) {
            push_text(w, i == 0 ? "" : " + ");
            push_expr(w, term, BIND_TERM);
        } else {
            push_text(w, " - ");
            push(w, (struct item){.kind = ITEM_POSITIVE, .expr = term});
        }
    }
}

/* What is shown of a product: sign, number in front, factors above and below the line. */
struct product {
    struct sg_fraction front;
    uint32_t number;       /* the factor that front is; 0: none */
    uint32_t signed_float; /* the factor that has the sign; 0: none */
};

static void push_factors(struct printer *w, const struct product *m, bool below) {
    uint64_t number = below ? (uint64_t)m->front.denominator : magnitude(m->front.numerator);
    bool any = number != 1;
    if (any) {
        push(w, (struct item){.kind = ITEM_NUMBER, .numerator = number, .denominator = 1});
    }
    for (uint32_t i = 0; i < w->sorted.count; i++) {
        uint32_t factor = w->sorted.data[i];
        if (factor == m->number || is_below_line(w, factor) != below) {
            continue;
        }
        push_text(w, any ? "*" : "");
        any = true;
        if (below) {
            push(w, (struct item){.kind = ITEM_INVERSE, .expr = factor, .around = BIND_PRODUCT});
        } else if (factor == m->signed_float) {
            push(w, (struct item){.kind = ITEM_POSITIVE, .expr = factor});
        } else {
            push_expr(w, factor, BIND_PRODUCT);
        }
    }
    if (!any) {
        push_text(w, "1");
    }
}

/* -2*s0*s1/(3*s2) */
static void expand_product(struct printer *w, uint32_t expr, bool sign) {
    const struct sg_expr *e = sg_expr(w->p, expr);
    sort_operands(w, e, compare_factors);
    struct product m = {.front = {1, 1}, .number = front_number(w, expr)};
    bool negative = is_negative(w, expr);
    if (m.number != 0) {
        (void)sg_expr_fraction(w->p, m.number, &m.front);
    }
    uint32_t below = m.front.denominator != 1;
    for (uint32_t i = 0; i < e->operands.count; i++) {
        below += is_below_line(w, operand(w, e, i));
        if (negative && m.number == 0 && m.signed_float == 0 &&
            is_negative_float(w, operand(w, e, i))) {
            m.signed_float = operand(w, e, i);
        }
    }
    push_text(w, negative && sign ? "-" : "");
    push_factors(w, &m, false);
    if (below != 0) {
        push_text(w, below > 1 ? "/(" : "/");
        push_factors(w, &m, true);
        push_text(w, below > 1 ? ")" : "");
    }
}

/* A power; inverse: with the other sign of its exponent, which is negative then. */
static void expand_power(struct printer *w, uint32_t expr, bool inverse, enum binding around) {
    uint32_t base = operand(w, sg_expr(w->p, expr), 0);
    uint32_t exponent = operand(w, sg_expr(w->p, expr), 1);
    struct sg_fraction f = {0, 1};
    bool is_number = sg_expr_fraction(w->p, exponent, &f);
    bool negative = is_number && f.numerator < 0 && !inverse;
    if (is_number && magnitude(f.numerator) == 1 && f.denominator == 2) {
        push_text(w, negative ? "1/sqrt(" : "sqrt(");
        push_expr(w, base, BIND_NOTHING);
        push_text(w, ")");
    } else if (is_number && f.numerator == -1 && f.denominator == 1) {
        push_text(w, inverse ? "" : "1/");
        push_expr(w, base, inverse ? around : BIND_POWER);
    } else {
        push_expr(w, base, BIND_POWER);
        push_text(w, "**");
        push(w, (struct item){.kind = inverse ? ITEM_POSITIVE : ITEM_EXPR,
                              .expr = exponent,
                              .around = BIND_POWER});
    }
}

/* Fills w->sorted with the operands of a function: those whose order means nothing are shown
 * sorted.
 */
static void order_operands(struct printer *w, const struct sg_expr *e) {
    bool any_order = sg_expr_is_commutative(sg_string(w->p, e->name));
    sort_operands(w, e, any_order ? compare_factors : NULL);
}

static void push_list(struct printer *w, const struct sg_expr *e, const char *separator,
                      enum binding around) {
    order_operands(w, e);
    for (uint32_t i = 0; i < w->sorted.count; i++) {
        push_text(w, i != 0 ? separator : "");
        push_expr(w, w->sorted.data[i], around);
    }
}

/* Max(1, u0); the pairs of a Piecewise are tuples. */
static void expand_call(struct printer *w, const struct sg_expr *e) {
    const char *name = sg_string(w->p, e->name).data;
    bool is_equation = e->operands.count == 2 && !w->srepr;
    if (is_equation && strcmp(name, "Equality") == 0) {
        name = "Eq";
    } else if (is_equation && strcmp(name, "Unequality") == 0) {
        name = "Ne";
    }
    push_text(w, name);
    push_text(w, "(");
    order_operands(w, e);
    for (uint32_t i = 0; i < w->sorted.count; i++) {
        const struct sg_expr *o = sg_expr(w->p, w->sorted.data[i]);
        push_text(w, i != 0 ? ", " : "");
        if (!w->srepr && strcmp(name, "Piecewise") == 0 && is_call_of(w, o, "ExprCondPair", 2)) {
            push_text(w, "(");
            push_expr(w, operand(w, o, 0), BIND_NOTHING);
            push_text(w, ", ");
            push_expr(w, operand(w, o, 1), BIND_NOTHING);
            push_text(w, ")");
        } else {
            push_expr(w, w->sorted.data[i], BIND_NOTHING);
        }
    }
    push_text(w, ")");
}

static void expand_function(struct printer *w, uint32_t expr) {
    const struct sg_expr *e = sg_expr(w->p, expr);
    enum binding binding;
    const char *infix = infix_operator(w, e, &binding);
    if (infix != NULL && strcmp(infix, "//") == 0) {
        push_text(w, "(");
        push_list(w, e, infix, BIND_OPERAND);
        push_text(w, ")");
    } else if (infix != NULL) {
        push_list(w, e, infix, binding);
    } else if (is_call_of(w, e, "Not", 1)) {
        push_text(w, "~");
        push_expr(w, operand(w, e, 0), BIND_NOT);
    } else if (is_power(w, expr)) {
        expand_power(w, expr, false, BIND_NOTHING);
    } else {
        expand_call(w, e);
    }
}

static void expand_infix(struct printer *w, uint32_t expr, bool sign) {
    const struct sg_expr *e = sg_expr(w->p, expr);
    struct sg_fraction f;
    bool negative = is_negative(w, expr);
    if (sg_expr_fraction(w->p, expr, &f)) {
        push_text(w, negative && sign ? "-" : "");
        push_magnitude(w, f);
        return;
    }
    switch ((signet_expr_head)e->head) {
    case SIGNET_EXPR_NULL:
        push_text(w, "?");
        break;
    case SIGNET_EXPR_INTEGER:
        break;
    case SIGNET_EXPR_SYMBOL:
        write_symbol(w, sg_string(w->p, e->name));
        break;
    case SIGNET_EXPR_ADD:
        expand_sum(w, e);
        break;
    case SIGNET_EXPR_MUL:
        expand_product(w, expr, sign);
        break;
    case SIGNET_EXPR_FUNCTION:
        if (negative && !sign) { /* a float */
            push_text(w, sg_string(w->p, e->name).data + 1);
        } else if (e->operands.count == 0) {
            write_constant(w, e);
        } else {
            expand_function(w, expr);
        }
        break;
    }
}

/* ---- srepr ----------------------------------------------------------------------------------- */

static void expand_srepr(struct printer *w, uint32_t expr) {
    const struct sg_expr *e = sg_expr(w->p, expr);
    struct sg_fraction f;
    switch ((signet_expr_head)e->head) {
    case SIGNET_EXPR_NULL:
        push_text(w, "?");
        return;
    case SIGNET_EXPR_INTEGER:
        sg_text_puts(w->out, "Integer(");
        sg_text_int(w->out, e->number);
        sg_text_putc(w->out, ')');
        return;
    case SIGNET_EXPR_SYMBOL:
        write_symbol(w, sg_string(w->p, e->name));
        return;
    case SIGNET_EXPR_ADD:
    case SIGNET_EXPR_MUL:
        sort_operands(w, e, e->head == SIGNET_EXPR_ADD ? compare_terms : compare_factors);
        push_text(w, e->head == SIGNET_EXPR_ADD ? "Add(" : "Mul(");
        for (uint32_t i = 0; i < w->sorted.count; i++) {
            push_text(w, i != 0 ? ", " : "");
            push_expr(w, w->sorted.data[i], BIND_NOTHING);
        }
        push_text(w, ")");
        return;
    case SIGNET_EXPR_FUNCTION:
        break;
    }
    if (sg_expr_fraction(w->p, expr, &f)) {
        sg_text_puts(w->out, "Rational(");
        sg_text_int(w->out, f.numerator);
        sg_text_puts(w->out, ", ");
        sg_text_int(w->out, f.denominator);
        sg_text_putc(w->out, ')');
    } else if (e->operands.count == 0) {
        write_constant(w, e);
    } else {
        expand_call(w, e);
    }
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* What binds the text of the expression without its minus sign. */
static enum binding binding_of_positive(const struct printer *w, uint32_t expr) {
    const struct sg_expr *e = sg_expr(w->p, expr);
    struct sg_fraction f = {0, 1};
    uint32_t number = front_number(w, expr);
    if (e->head != SIGNET_EXPR_MUL) {
        bool whole = number == 0 || (sg_expr_fraction(w->p, number, &f) && f.denominator == 1);
        return whole ? BIND_ATOM : BIND_PRODUCT;
    }
    if (e->operands.count != 2 || number == 0 || !sg_expr_fraction(w->p, number, &f) ||
        f.numerator != -1 || f.denominator != 1) {
        return BIND_PRODUCT;
    }
    uint32_t other = operand(w, e, operand(w, e, 0) == number);
    return is_below_line(w, other) ? BIND_PRODUCT : binding_of(w, other);
}

static void expand(struct printer *w, struct item item) {
    if (w->srepr) {
        expand_srepr(w, item.expr);
        return;
    }
    if (item.kind == ITEM_INVERSE) {
        expand_power(w, item.expr, true, (enum binding)item.around);
        return;
    }
    bool positive = item.kind == ITEM_POSITIVE;
    enum binding binding = positive ? binding_of_positive(w, item.expr) : binding_of(w, item.expr);
    bool brackets = (uint16_t)binding <= item.around;
    sg_text_puts(w->out, brackets ? "(" : "");
    expand_infix(w, item.expr, !positive);
    push_text(w, brackets ? ")" : "");
}

static void write_all(const signet_package *p, signet_expr expr, struct sg_text *out, bool srepr) {
    struct printer w = {.p = p, .out = out, .srepr = srepr};
    push_expr(&w, expr.id, BIND_NOTHING);
    while (w.items.count != 0 && !out->failed) {
        struct item item = w.items.data[--w.items.count];
        if (item.kind == ITEM_TEXT) {
            sg_text_puts(out, item.text);
        } else if (item.kind == ITEM_NUMBER) {
            sg_text_uint(out, item.numerator);
            if (item.denominator != 1) {
                sg_text_putc(out, '/');
                sg_text_uint(out, item.denominator);
            }
        } else {
            uint32_t from = w.items.count;
            expand(&w, item);
            reverse(&w, from);
        }
    }
    sg_vec_free(out->allocator, &w.items);
    sg_vec_free(out->allocator, &w.sorted);
}

void sg_expr_infix(const signet_package *p, signet_expr expr, struct sg_text *out) {
    write_all(p, expr, out, false);
}

void sg_expr_srepr(const signet_package *p, signet_expr expr, struct sg_text *out) {
    write_all(p, expr, out, true);
}
