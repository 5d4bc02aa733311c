/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads symbolic expressions in both forms that PyTorch writes: sympy's srepr ("Add(Symbol('s0',
 * integer=True), Integer(1))") and what str() prints ("s0 + 1"). One grammar takes both, and both
 * forms of one expression give the same expression. An operator-precedence parser with two explicit
 * stacks; anything but an expression (attributes, subscripts, strings, lambdas, ...) is refused.
 */

#include <string.h>

#include "base/compiler.h"
#include "base/text.h"
#include "ir/intern_internal.h"

/* What waits on the operator stack for its operands. */
enum op_kind {
    OP_GROUP,    /* "(" */
    OP_CALL,     /* name "(" */
    OP_CHAIN,    /* operands joined by one operator: + * & | ... */
    OP_FUNCTION, /* two operands of an operator that means a function: // % < << ... */
    OP_POWER,
    OP_NEGATE,
    OP_RECIPROCAL,
    OP_NOT,
};

/* Python's precedences, and two of our own: a - b*c is a + NEGATED(b*c), a * b / -c is
 * a * b * RECIPROCAL(-c). */
enum precedence {
    PREC_NONE,
    PREC_OR,
    PREC_AND,
    PREC_NOT,
    PREC_COMPARE,
    PREC_BIT_OR,
    PREC_BIT_XOR,
    PREC_BIT_AND,
    PREC_SHIFT,
    PREC_SUM,
    PREC_NEGATED,
    PREC_PRODUCT,
    PREC_RECIPROCAL,
    PREC_UNARY,
    PREC_POWER,
    PREC_COUNT,
};

struct op {
    uint8_t kind; /* enum op_kind */
    uint8_t precedence;
    const char *function; /* CHAIN (null: sum or product), FUNCTION */
    sg_strid name;        /* CALL */
    uint32_t count; /* CALL, GROUP: finished operands; CHAIN: operands, the last one included */
    size_t at;      /* byte of its token */
};

struct parser {
    signet_package *p;
    signet_string text;
    size_t at;
    SG_VEC(uint32_t) operands;
    SG_VEC(struct op) ops;
    uint32_t levels;       /* open brackets */
    uint64_t dims_allowed; /* more means that brackets multiply the text */
    const char *expected;  /* set: stopped; null text: no memory */
    size_t stopped_at;
    bool no_memory;
};

/* ---- Stopping -------------------------------------------------------------------------------- */

static bool stop(struct parser *s, size_t at, const char *expected) {
    if (s->expected == NULL) {
        s->expected = expected;
        s->stopped_at = at;
    }
    return false;
}

static bool stop_memory(struct parser *s) {
    s->no_memory = true;
    return stop(s, s->at, "more memory");
}

static bool check(struct parser *s, sg_expr_problem problem) {
    switch (problem) {
    case SG_EXPR_OK:
        if (s->p->dims.count > s->dims_allowed) {
            return stop(s, s->at, "an expression that nests less");
        }
        return true;
    case SG_EXPR_NO_MEMORY:
        return stop_memory(s);
    case SG_EXPR_TOO_DEEP:
        return stop(s, s->at, "an expression that nests less");
    case SG_EXPR_TOO_LARGE:
        return stop(s, s->at, "a smaller expression");
    }
    return false;
}

/* ---- Characters ------------------------------------------------------------------------------ */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* The byte at an offset from here; 0 behind the end. */
static char peek(const struct parser *s, size_t offset) {
    if (s->at + offset >= s->text.length) {
        return '\0';
    }
    return s->text.data[s->at + offset];
}

static void skip_spaces(struct parser *s) {
    while (peek(s, 0) == ' ' || peek(s, 0) == '\t' || peek(s, 0) == '\n' || peek(s, 0) == '\r') {
        s->at++;
    }
}

static bool take(struct parser *s, const char *token) {
    size_t length = strlen(token);
    if (s->text.length - s->at < length || memcmp(s->text.data + s->at, token, length) != 0) {
        return false;
    }
    s->at += length;
    return true;
}

static bool take_char(struct parser *s, char c, const char *expected) {
    skip_spaces(s);
    if (peek(s, 0) != c) {
        return stop(s, s->at, expected);
    }
    s->at++;
    return true;
}

static signet_string take_word(struct parser *s) {
    signet_string word = {s->text.data + s->at, 0};
    while (is_letter(peek(s, 0)) || is_digit(peek(s, 0))) {
        s->at++;
        word.length++;
    }
    return word;
}

/* ---- Building -------------------------------------------------------------------------------- */

static bool push(struct parser *s, uint32_t operand) {
    if (!sg_vec_reserve(&s->p->allocator, &s->operands, 1)) {
        return stop_memory(s);
    }
    s->operands.data[s->operands.count++] = operand;
    return true;
}

static bool push_named(struct parser *s, signet_expr_head head, signet_string name) {
    uint32_t id;
    return check(s, sg_expr_named(s->p, head, sg_intern(s->p, name), &id)) && push(s, id);
}

static bool build(struct parser *s, signet_expr_head head, const char *function,
                  const uint32_t *operands, uint32_t count, uint32_t *out) {
    sg_strid name = function != NULL ? sg_intern_text(s->p, function) : 0;
    if (function != NULL && name == 0) {
        return stop_memory(s);
    }
    return check(s, sg_expr_build(s->p, head, name, operands, count, out));
}

/* Replaces the last `count` operands by the result. */
static bool replace(struct parser *s, uint32_t count, uint32_t result) {
    s->operands.count -= count;
    return push(s, result);
}

static bool is_call_of(const struct parser *s, const struct sg_expr *e, const char *name) {
    return e->head == SIGNET_EXPR_FUNCTION && sg_string_is(sg_string(s->p, e->name), name);
}

/* A function of nothing whose name is a number with a point or an exponent. */
static bool is_float(const struct parser *s, uint32_t expr) {
    const struct sg_expr *e = sg_expr(s->p, expr);
    signet_string name = sg_string(s->p, e->name);
    if (e->head != SIGNET_EXPR_FUNCTION || e->operands.count != 0 || name.length == 0) {
        return false;
    }
    char first = name.data[name.data[0] == '-' && name.length > 1 ? 1 : 0];
    return is_digit(first) && strpbrk(name.data, ".e") != NULL;
}

static bool make_float(struct parser *s, double value, uint32_t *out) {
    struct sg_text text;
    sg_text_init(&text, &s->p->allocator);
    sg_text_double(&text, value);
    sg_strid name = text.failed ? 0 : sg_intern(s->p, (signet_string){text.data, text.length});
    sg_text_free(&text);
    return check(s, sg_expr_named(s->p, SIGNET_EXPR_FUNCTION, name, out));
}

static bool negate_float(struct parser *s, uint32_t expr, uint32_t *out) {
    double value = 0;
    if (!sg_parse_double(sg_string(s->p, sg_expr(s->p, expr)->name), &value)) {
        return stop(s, s->at, "a number");
    }
    return make_float(s, -value, out);
}

/* A product whose first float factor has the other sign; *found false: it has none. */
static bool negate_product(struct parser *s, uint32_t expr, bool *found, uint32_t *out) {
    struct sg_list list = sg_expr(s->p, expr)->operands;
    *found = false;
    for (uint32_t i = 0; i < list.count && !*found; i++) {
        uint32_t factor = s->p->dims.data[list.first + i];
        if (!is_float(s, factor)) {
            continue;
        }
        *found = true;
        uint32_t base = s->operands.count;
        uint32_t negated;
        if (!negate_float(s, factor, &negated)) {
            return false;
        }
        for (uint32_t k = 0; k < list.count; k++) {
            uint32_t operand = k == i ? negated : s->p->dims.data[list.first + k];
            if (!push(s, operand)) {
                return false;
            }
        }
        bool ok = build(s, SIGNET_EXPR_MUL, NULL, s->operands.data + base, list.count, out);
        s->operands.count = base;
        return ok;
    }
    return true;
}

static bool negate(struct parser *s, uint32_t expr, uint32_t *out) {
    const struct sg_expr *e = sg_expr(s->p, expr);
    if (is_float(s, expr)) {
        return negate_float(s, expr, out);
    }
    if (is_call_of(s, e, "9223372036854775808")) { /* the one that only fits with its sign */
        return check(s, sg_expr_integer(s->p, INT64_MIN, out));
    }
    if (e->head == SIGNET_EXPR_MUL) {
        bool found;
        bool ok = negate_product(s, expr, &found, out);
        if (!ok || found) {
            return ok;
        }
    }
    uint32_t pair[2] = {0, expr};
    return check(s, sg_expr_integer(s->p, -1, &pair[0])) &&
           build(s, SIGNET_EXPR_MUL, NULL, pair, 2, out);
}

/* 1 / x of something that is no product. */
static bool invert(struct parser *s, uint32_t expr, uint32_t *out) {
    struct sg_fraction f;
    if (sg_expr_fraction(s->p, expr, &f) && f.numerator != 0 && f.numerator != INT64_MIN) {
        return check(s, sg_expr_rational(s->p, f.denominator, f.numerator, out));
    }
    uint32_t pair[2] = {expr, 0};
    uint32_t one;
    if (!check(s, sg_expr_integer(s->p, -1, &pair[1])) ||
        !check(s, sg_expr_integer(s->p, 1, &one))) {
        return false;
    }
    const struct sg_expr *e = sg_expr(s->p, expr);
    if (e->operands.count == 2 && is_call_of(s, e, "Pow")) {
        pair[0] = s->p->dims.data[e->operands.first];
        if (!negate(s, s->p->dims.data[e->operands.first + 1], &pair[1])) {
            return false;
        }
    }
    if (pair[1] == one) {
        *out = pair[0];
        return true;
    }
    return build(s, SIGNET_EXPR_FUNCTION, "Pow", pair, 2, out);
}

/* 1 / x; that of a product is the product of those of its factors, as sympy has it. */
static bool reciprocal(struct parser *s, uint32_t expr, uint32_t *out) {
    if (sg_expr(s->p, expr)->head != SIGNET_EXPR_MUL) {
        return invert(s, expr, out);
    }
    struct sg_list list = sg_expr(s->p, expr)->operands;
    uint32_t base = s->operands.count;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t factor;
        if (!invert(s, s->p->dims.data[list.first + i], &factor) || !push(s, factor)) {
            return false;
        }
    }
    bool ok = build(s, SIGNET_EXPR_MUL, NULL, s->operands.data + base, list.count, out);
    s->operands.count = base;
    return ok;
}

/* Other names of functions, and the operators that str() prints for them. */
static const char *canonical_name(signet_string name) {
    static const char *const rows[][2] = {
        {"Eq", "Equality"},       {"Ne", "Unequality"},        {"Ge", "GreaterThan"},
        {"Le", "LessThan"},       {"Gt", "StrictGreaterThan"}, {"Lt", "StrictLessThan"},
        {"CleanDiv", "FloorDiv"}, /* str() prints both as // */
    };
    for (size_t i = 0; i < SG_COUNT_OF(rows); i++) {
        if (sg_string_is(name, rows[i][0])) {
            return rows[i][1];
        }
    }
    return NULL;
}

/* The call of a function whose operands are the last ones. */
static bool build_call(struct parser *s, const struct op *o) {
    signet_string name = sg_string(s->p, o->name);
    const uint32_t *operands = s->operands.data + (s->operands.count - o->count);
    uint32_t result = 0;
    bool ok;
    if (sg_string_is(name, "Add") || sg_string_is(name, "Mul")) {
        ok = build(s, name.data[0] == 'A' ? SIGNET_EXPR_ADD : SIGNET_EXPR_MUL, NULL, operands,
                   o->count, &result);
    } else if (o->count == 1 && sg_string_is(name, "sqrt")) {
        uint32_t pair[2] = {operands[0], 0};
        ok = check(s, sg_expr_rational(s->p, 1, 2, &pair[1])) &&
             build(s, SIGNET_EXPR_FUNCTION, "Pow", pair, 2, &result);
    } else if (canonical_name(name) != NULL) {
        ok = build(s, SIGNET_EXPR_FUNCTION, canonical_name(name), operands, o->count, &result);
    } else {
        ok = check(s,
                   sg_expr_build(s->p, SIGNET_EXPR_FUNCTION, o->name, operands, o->count, &result));
    }
    return ok && replace(s, o->count, result);
}

/* Takes the operator on top of the stack and puts the result in place of its operands. */
static bool reduce(struct parser *s) {
    struct op o = s->ops.data[--s->ops.count];
    uint32_t *last = &s->operands.data[s->operands.count - 1];
    uint32_t result = 0;
    switch ((enum op_kind)o.kind) {
    case OP_CHAIN: {
        signet_expr_head head = o.precedence == PREC_SUM ? SIGNET_EXPR_ADD : SIGNET_EXPR_MUL;
        return build(s, o.function != NULL ? SIGNET_EXPR_FUNCTION : head, o.function,
                     last + 1 - o.count, o.count, &result) &&
               replace(s, o.count, result);
    }
    case OP_FUNCTION:
        return build(s, SIGNET_EXPR_FUNCTION, o.function, last - 1, 2, &result) &&
               replace(s, 2, result);
    case OP_POWER:
        return build(s, SIGNET_EXPR_FUNCTION, "Pow", last - 1, 2, &result) && replace(s, 2, result);
    case OP_NEGATE:
        return negate(s, *last, &result) && replace(s, 1, result);
    case OP_RECIPROCAL:
        return reciprocal(s, *last, &result) && replace(s, 1, result);
    case OP_NOT:
        return build(s, SIGNET_EXPR_FUNCTION, "Not", last, 1, &result) && replace(s, 1, result);
    case OP_CALL:
    case OP_GROUP:
        break;
    }
    return stop(s, o.at, "')'");
}

static const struct op *top(const struct parser *s) {
    return s->ops.count != 0 ? &s->ops.data[s->ops.count - 1] : NULL;
}

static bool is_bracket(const struct op *o) {
    return o->kind == OP_GROUP || o->kind == OP_CALL;
}

/* Finishes what binds tighter than an operator of that precedence. */
static bool reduce_above(struct parser *s, enum precedence precedence) {
    while (top(s) != NULL && !is_bracket(top(s)) && top(s)->precedence > precedence) {
        if (!reduce(s)) {
            return false;
        }
    }
    return true;
}

static bool push_op(struct parser *s, struct op o) {
    if (s->ops.count / PREC_COUNT > s->p->limits.expression_depth) { /* "-----s0" */
        return stop(s, o.at, "an expression that nests less");
    }
    if (!sg_vec_reserve(&s->p->allocator, &s->ops, 1)) {
        return stop_memory(s);
    }
    s->ops.data[s->ops.count++] = o;
    return true;
}

/* ---- Operands -------------------------------------------------------------------------------- */

static bool open_bracket(struct parser *s, enum op_kind kind, sg_strid name, size_t at) {
    if (++s->levels > s->p->limits.expression_depth) {
        return stop(s, at, "an expression that nests less");
    }
    return push_op(s, (struct op){.kind = (uint8_t)kind, .name = name, .at = at});
}

static bool parse_number(struct parser *s) {
    size_t from = s->at;
    bool is_real = false;
    while (is_digit(peek(s, 0)) || peek(s, 0) == '.') {
        is_real = is_real || peek(s, 0) == '.';
        s->at++;
    }
    char sign = peek(s, 1);
    size_t digits = sign == '+' || sign == '-' ? 2 : 1;
    if ((peek(s, 0) == 'e' || peek(s, 0) == 'E') && is_digit(peek(s, digits))) {
        is_real = true;
        s->at += digits;
        while (is_digit(peek(s, 0))) {
            s->at++;
        }
    }
    if (is_letter(peek(s, 0))) {
        return stop(s, s->at, "an operator");
    }
    signet_string text = {s->text.data + from, s->at - from};
    uint32_t id;
    if (is_real) {
        double value;
        if (!sg_parse_double(text, &value)) {
            return stop(s, from, "a number");
        }
        return make_float(s, value, &id) && push(s, id);
    }
    while (text.length > 1 && text.data[0] == '0') {
        text.data++;
        text.length--;
    }
    int64_t number;
    if (!sg_parse_int(text, &number)) { /* too large for 64 bits: kept as it is */
        return push_named(s, SIGNET_EXPR_FUNCTION, text);
    }
    return check(s, sg_expr_integer(s->p, number, &id)) && push(s, id);
}

static int hex_digit(char c) {
    if (is_digit(c)) {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One character of a quoted name, with Python's escapes for bytes. */
static bool unescape(struct parser *s, struct sg_text *out) {
    static const char from[] = "\\'\"ntr";
    static const char to[] = "\\'\"\n\t\r";
    char c = peek(s, 0);
    s->at++;
    if (c != '\\') {
        sg_text_putc(out, c);
        return true;
    }
    c = peek(s, 0);
    const char *simple = c != '\0' ? strchr(from, c) : NULL;
    if (simple != NULL) {
        s->at++;
        sg_text_putc(out, to[simple - from]);
        return true;
    }
    if (c == 'x' && hex_digit(peek(s, 1)) >= 0 && hex_digit(peek(s, 2)) >= 0) {
        sg_text_putc(out, (char)(hex_digit(peek(s, 1)) * 16 + hex_digit(peek(s, 2))));
        s->at += 3;
        return true;
    }
    return stop(s, s->at - 1, "a name without this escape");
}

static bool parse_quoted(struct parser *s, struct sg_text *out) {
    skip_spaces(s);
    char quote = peek(s, 0);
    size_t from = s->at;
    if (quote != '\'' && quote != '"') {
        return stop(s, s->at, "a quoted name");
    }
    s->at++;
    while (s->at < s->text.length && peek(s, 0) != quote) {
        if (!unescape(s, out)) {
            return false;
        }
    }
    if (s->at >= s->text.length) {
        return stop(s, from, "a closing quote");
    }
    s->at++;
    return true;
}

/* ", integer=True, positive=True)": assumptions do not change what the symbol is. */
static bool skip_assumptions(struct parser *s) {
    for (;;) {
        skip_spaces(s);
        if (take(s, ")")) {
            return true;
        }
        if (!take_char(s, ',', "',' or ')'")) {
            return false;
        }
        skip_spaces(s);
        if (take_word(s).length == 0) {
            return stop(s, s->at, "the name of an assumption");
        }
        if (!take_char(s, '=', "'='")) {
            return false;
        }
        skip_spaces(s);
        if (take_word(s).length == 0) {
            return stop(s, s->at, "True, False or a number");
        }
    }
}

/* Symbol('s0', integer=True) or Float('1.5', precision=53), behind the bracket. */
static bool parse_quoted_call(struct parser *s, bool is_symbol) {
    struct sg_text text;
    sg_text_init(&text, &s->p->allocator);
    size_t from = s->at;
    bool ok = parse_quoted(s, &text);
    if (ok && text.failed) {
        ok = stop_memory(s);
    }
    signet_string content = {text.length != 0 ? text.data : "", text.length};
    if (ok && is_symbol) {
        ok = push_named(s, SIGNET_EXPR_SYMBOL, content);
    } else if (ok) {
        double value;
        uint32_t id;
        ok = (sg_parse_double(content, &value) || stop(s, from, "a number")) &&
             make_float(s, value, &id) && push(s, id);
    }
    sg_text_free(&text);
    return ok && skip_assumptions(s);
}

static bool is_one_of(signet_string word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (sg_string_is(word, words[i])) {
            return true;
        }
    }
    return false;
}

static bool is_keyword(signet_string word) {
    static const char *const words[] = {
        "None",   "as",  "assert", "async",  "await", "break", "class", "continue",
        "def",    "del", "elif",   "except", "else",  "for",   "from",  "finally",
        "global", "if",  "import", "in",     "is",    "pass",  "raise", "lambda",
        "return", "try", "while",  "with",   "yield", "and",   "or",    "nonlocal",
    };
    return is_one_of(word, words, SG_COUNT_OF(words)) || sg_string_starts(word, "__");
}

bool sg_expr_is_constant(signet_string word) {
    static const char *const words[] = {"oo", "zoo", "nan", "int_oo", "true", "false"};
    return is_one_of(word, words, SG_COUNT_OF(words));
}

bool sg_expr_is_reserved(signet_string word) {
    return sg_string_is(word, "True") || sg_string_is(word, "False") || sg_string_is(word, "not") ||
           sg_expr_is_constant(word) || is_keyword(word);
}

/* A name without brackets behind it. */
static bool parse_bare_word(struct parser *s, signet_string word) {
    if (sg_string_is(word, "True") || sg_string_is(word, "False")) {
        word = signet_str(word.data[0] == 'T' ? "true" : "false");
    }
    return push_named(s, sg_expr_is_constant(word) ? SIGNET_EXPR_FUNCTION : SIGNET_EXPR_SYMBOL,
                      word);
}

/* A name, and the brackets of a call behind it. *operand false: an operand must follow. */
static bool parse_word(struct parser *s, bool *operand) {
    size_t from = s->at;
    signet_string word = take_word(s);
    if (sg_string_is(word, "not")) {
        *operand = false;
        return push_op(s, (struct op){.kind = OP_NOT, .precedence = PREC_NOT, .at = from});
    }
    if (is_keyword(word)) {
        return stop(s, from, "a number, a symbol, a function or '('");
    }
    skip_spaces(s);
    if (peek(s, 0) != '(') {
        return parse_bare_word(s, word);
    }
    s->at++;
    if (sg_string_is(word, "Symbol") || sg_string_is(word, "Float")) {
        return parse_quoted_call(s, word.data[0] == 'S');
    }
    if (sg_string_is(word, "Integer")) { /* Integer(-1) is the -1 inside */
        *operand = false;
        return open_bracket(s, OP_GROUP, 0, from);
    }
    sg_strid name = sg_intern(s->p, word);
    if (name == 0) {
        return stop_memory(s);
    }
    skip_spaces(s);
    if (peek(s, 0) == ')') {
        s->at++;
        struct op call = {.kind = OP_CALL, .name = name};
        return build_call(s, &call);
    }
    *operand = false;
    return open_bracket(s, OP_CALL, name, from);
}

/* Reads an operand, or something in front of one: *operand false then. */
static bool parse_operand(struct parser *s, bool *operand) {
    skip_spaces(s);
    *operand = true;
    size_t at = s->at;
    char c = peek(s, 0);
    if (is_digit(c) || (c == '.' && is_digit(peek(s, 1)))) {
        return parse_number(s);
    }
    if (is_letter(c)) {
        return parse_word(s, operand);
    }
    *operand = false;
    s->at++;
    switch (c) {
    case '(':
        return open_bracket(s, OP_GROUP, 0, at);
    case '-':
        return push_op(s, (struct op){.kind = OP_NEGATE, .precedence = PREC_UNARY, .at = at});
    case '~':
        return push_op(s, (struct op){.kind = OP_NOT, .precedence = PREC_UNARY, .at = at});
    case '+':
        return true;
    default:
        return stop(s, at, "a number, a symbol, a function or '('");
    }
}

/* ---- Operators ------------------------------------------------------------------------------- */

struct infix {
    const char *token; /* longer ones first */
    enum op_kind kind;
    enum precedence precedence;
    const char *function;
    enum op_kind before; /* what is put in front of the next operand; OP_GROUP: nothing */
};

static const struct infix infixes[] = {
    {"**", OP_POWER, PREC_POWER, NULL, OP_GROUP},
    {"//", OP_FUNCTION, PREC_PRODUCT, "FloorDiv", OP_GROUP},
    {"<<", OP_FUNCTION, PREC_SHIFT, "LShift", OP_GROUP},
    {">>", OP_FUNCTION, PREC_SHIFT, "RShift", OP_GROUP},
    {">=", OP_FUNCTION, PREC_COMPARE, "GreaterThan", OP_GROUP},
    {"<=", OP_FUNCTION, PREC_COMPARE, "LessThan", OP_GROUP},
    {"==", OP_FUNCTION, PREC_COMPARE, "Equality", OP_GROUP},
    {"!=", OP_FUNCTION, PREC_COMPARE, "Unequality", OP_GROUP},
    {">", OP_FUNCTION, PREC_COMPARE, "StrictGreaterThan", OP_GROUP},
    {"<", OP_FUNCTION, PREC_COMPARE, "StrictLessThan", OP_GROUP},
    {"+", OP_CHAIN, PREC_SUM, NULL, OP_GROUP},
    {"-", OP_CHAIN, PREC_SUM, NULL, OP_NEGATE},
    {"*", OP_CHAIN, PREC_PRODUCT, NULL, OP_GROUP},
    {"/", OP_CHAIN, PREC_PRODUCT, NULL, OP_RECIPROCAL},
    {"%", OP_FUNCTION, PREC_PRODUCT, "Mod", OP_GROUP},
    {"&", OP_CHAIN, PREC_BIT_AND, "And", OP_GROUP},
    {"|", OP_CHAIN, PREC_BIT_OR, "Or", OP_GROUP},
    {"^", OP_CHAIN, PREC_BIT_XOR, "Xor", OP_GROUP},
    {"and", OP_CHAIN, PREC_AND, "And", OP_GROUP},
    {"or", OP_CHAIN, PREC_OR, "Or", OP_GROUP},
};

static const struct infix *take_infix(struct parser *s) {
    for (size_t i = 0; i < SG_COUNT_OF(infixes); i++) {
        size_t from = s->at;
        if (!take(s, infixes[i].token)) {
            continue;
        }
        if (!is_letter(infixes[i].token[0]) || !(is_letter(peek(s, 0)) || is_digit(peek(s, 0)))) {
            return &infixes[i];
        }
        s->at = from; /* "order" is no "or" */
    }
    return NULL;
}

static bool push_infix(struct parser *s, const struct infix *in, size_t at) {
    if (!reduce_above(s, in->precedence)) {
        return false;
    }
    struct op *same = s->ops.count != 0 ? &s->ops.data[s->ops.count - 1] : NULL;
    if (same != NULL && (is_bracket(same) || same->precedence < in->precedence)) {
        same = NULL;
    }
    if (same != NULL && in->kind == OP_CHAIN && same->kind == OP_CHAIN) {
        same->count++;
    } else {
        if (same != NULL && in->precedence == PREC_COMPARE) {
            return stop(s, at, "no second comparison without brackets");
        }
        /* Left to right; only powers bind the other way. */
        if (same != NULL && in->kind != OP_POWER && !reduce(s)) {
            return false;
        }
        struct op o = {.kind = (uint8_t)in->kind,
                       .precedence = (uint8_t)in->precedence,
                       .function = in->function,
                       .count = 2,
                       .at = at};
        if (!push_op(s, o)) {
            return false;
        }
    }
    if (in->before == OP_NEGATE) {
        return push_op(s, (struct op){.kind = OP_NEGATE, .precedence = PREC_NEGATED, .at = at});
    }
    if (in->before == OP_RECIPROCAL) {
        return push_op(s,
                       (struct op){.kind = OP_RECIPROCAL, .precedence = PREC_RECIPROCAL, .at = at});
    }
    return true;
}

/* A pair in brackets is an operand of Piecewise: (value, condition). */
static bool close_group(struct parser *s, struct op group) {
    if (group.count == 1) {
        return true;
    }
    const struct op *around = top(s);
    if (group.count != 2 || around == NULL || around->kind != OP_CALL) {
        return stop(s, group.at, "an expression in place of a tuple");
    }
    uint32_t pair = 0;
    return build(s, SIGNET_EXPR_FUNCTION, "ExprCondPair", s->operands.data + s->operands.count - 2,
                 2, &pair) &&
           replace(s, 2, pair);
}

/* ")" or ",": *operand false when an operand must follow. */
static bool parse_close(struct parser *s, char c, bool *operand) {
    if (!reduce_above(s, PREC_NONE)) {
        return false;
    }
    if (s->ops.count == 0) {
        return stop(s, s->at, "an operator or the end");
    }
    s->at++;
    s->ops.data[s->ops.count - 1].count++;
    if (c == ',') {
        *operand = false;
        return true;
    }
    s->levels--;
    struct op o = s->ops.data[--s->ops.count];
    return o.kind == OP_CALL ? build_call(s, &o) : close_group(s, o);
}

static bool parse_all(struct parser *s) {
    bool operand = false; /* the last thing was an operand */
    for (;;) {
        if (!operand) {
            if (!parse_operand(s, &operand)) {
                return false;
            }
            continue;
        }
        skip_spaces(s);
        if (s->at >= s->text.length) {
            return reduce_above(s, PREC_NONE) && (s->ops.count == 0 || stop(s, s->at, "')'"));
        }
        size_t at = s->at;
        char c = peek(s, 0);
        if (c == ')' || c == ',') {
            if (!parse_close(s, c, &operand)) {
                return false;
            }
            continue;
        }
        const struct infix *in = take_infix(s);
        if (in == NULL) {
            return stop(s, at,
                        s->levels != 0 ? "an operator, ',' or ')'" : "an operator or the end");
        }
        operand = false;
        if (!push_infix(s, in, at)) {
            return false;
        }
    }
}

/* ---- Texts that were parsed before ----------------------------------------------------------- */

static uint64_t text_key(signet_package *p, signet_string text) {
    uint64_t id = sg_strings_find(p->strings, text);
    return id != 0 ? sg_intern_key(p, SG_INTERNED_TEXT, &id, 1) : 0;
}

/* Files repeat the same few sizes on thousands of values. */
static uint32_t recall(signet_package *p, signet_string text) {
    uint64_t key = text_key(p, text);
    return key != 0 ? sg_map_get(p->interned, key) : 0;
}

signet_expr sg_expr_parse(signet_package *p, signet_string text, size_t *byte,
                          const char **expected) {
    struct parser s = {.p = p, .text = text};
    uint32_t id = text.data != NULL ? recall(p, text) : 0;
    if (id != 0) {
        return (signet_expr){id};
    }
    s.dims_allowed = p->dims.count + 8 * (uint64_t)text.length + 64;
    bool ok = sg_vec_reserve(&p->allocator, &s.operands, 8) ? parse_all(&s) : stop_memory(&s);
    if (ok) {
        id = s.operands.data[0];
        sg_strid name = sg_intern(p, text);
        uint64_t word = name;
        if (name == 0 ||
            !sg_map_put(p->interned, sg_intern_key(p, SG_INTERNED_TEXT, &word, 1), id)) {
            ok = stop_memory(&s);
        }
    }
    if (s.no_memory) {
        sg_package_fail(p, SIGNET_E_NOMEM);
    }
    if (byte != NULL) {
        *byte = s.stopped_at;
    }
    if (expected != NULL) {
        *expected = s.expected;
    }
    sg_vec_free(&p->allocator, &s.operands);
    sg_vec_free(&p->allocator, &s.ops);
    return (signet_expr){ok ? id : 0};
}
