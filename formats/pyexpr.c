/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pyexpr.h"

#include <math.h>
#include <string.h>

#include "base/compiler.h"

enum token {
    T_END,
    T_NAME,
    T_NUMBER,
    T_STRING,
    T_BYTES,
    T_OPEN_PAREN,
    T_OPEN_LIST,
    T_OPEN_DICT,
    T_CLOSE_PAREN,
    T_CLOSE_LIST,
    T_CLOSE_DICT,
    T_COMMA,
    T_COLON,
    T_DOT,
    T_ASSIGN,
    T_SEMICOLON,
    T_OPERATOR,
    T_UNFINISHED_STRING,
    T_OTHER,
};

enum frame_kind { F_TOP, F_PAREN, F_LIST, F_DICT, F_CALL, F_INDEX };

/* One open bracket, and the operand that is being put together inside it. */
struct sg_pyx_frame {
    uint8_t kind;  /* frame_kind */
    uint8_t op;    /* binary operator behind `left` */
    uint8_t unary; /* sign in front of the operand */
    uint8_t after_comma;
    uint8_t has_comma;
    uint8_t has_key; /* F_DICT: the key is there, the value is not */
    uint32_t node;   /* the container; 0 for F_TOP */
    uint32_t last;   /* last child of the container */
    uint32_t left;   /* left operand */
    uint32_t unary_at;
    uint32_t keyword_at, keyword_length;
};

/* ---- Operators ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *sign;
    bool binary;
} operators[] = {
    [SG_PYX_OP_NONE] = {"", "", false},
    [SG_PYX_OP_ADD] = {"add", "+", true},
    [SG_PYX_OP_SUB] = {"sub", "-", true},
    [SG_PYX_OP_MUL] = {"mul", "*", true},
    [SG_PYX_OP_FLOORDIV] = {"floordiv", "//", true},
    [SG_PYX_OP_TRUEDIV] = {"truediv", "/", true},
    [SG_PYX_OP_MOD] = {"mod", "%", true},
    [SG_PYX_OP_POW] = {"pow", "**", true},
    [SG_PYX_OP_LSHIFT] = {"lshift", "<<", true},
    [SG_PYX_OP_RSHIFT] = {"rshift", ">>", true},
    [SG_PYX_OP_AND] = {"and_", "&", true},
    [SG_PYX_OP_OR] = {"or_", "|", true},
    [SG_PYX_OP_XOR] = {"xor", "^", true},
    [SG_PYX_OP_MATMUL] = {"matmul", "@", true},
    [SG_PYX_OP_EQ] = {"eq", "==", true},
    [SG_PYX_OP_NE] = {"ne", "!=", true},
    [SG_PYX_OP_LT] = {"lt", "<", true},
    [SG_PYX_OP_GT] = {"gt", ">", true},
    [SG_PYX_OP_LE] = {"le", "<=", true},
    [SG_PYX_OP_GE] = {"ge", ">=", true},
    [SG_PYX_OP_POS] = {"pos", "+", false},
    [SG_PYX_OP_NEG] = {"neg", "-", false},
    [SG_PYX_OP_INVERT] = {"invert", "~", false},
};

const char *sg_pyx_op_name(sg_pyx_op op) {
    return operators[op].name;
}

const char *sg_pyx_op_sign(sg_pyx_op op) {
    return operators[op].sign;
}

sg_pyx_op sg_pyx_op_find(signet_string name, bool *binary) {
    for (unsigned i = 1; i < SG_COUNT_OF(operators); i++) {
        if (sg_string_is(name, operators[i].name)) {
            *binary = operators[i].binary;
            return (sg_pyx_op)i;
        }
    }
    return SG_PYX_OP_NONE;
}

/* ---- Characters ------------------------------------------------------------------------------ */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* ---- The scanner ----------------------------------------------------------------------------- */

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static char peek(const struct sg_pyx *x, uint32_t at) {
    if (at >= x->end) {
        return '\0';
    }
    return x->text[at];
}

static void take(struct sg_pyx *x, enum token token, uint32_t length) {
    x->token = (uint8_t)token;
    x->token_length = length;
    x->position = x->token_at + length;
}

static void take_operator(struct sg_pyx *x, sg_pyx_op op, uint32_t length) {
    x->token_op = (uint8_t)op;
    take(x, T_OPERATOR, length);
}

static void scan_string(struct sg_pyx *x, uint32_t quote_at, enum token token) {
    char quote = x->text[quote_at];
    uint32_t i = quote_at + 1;
    while (i < x->end && x->text[i] != quote && x->text[i] != '\n') {
        i += x->text[i] == '\\' && i + 1 < x->end ? 2 : 1;
    }
    if (peek(x, i) == quote) {
        take(x, token, i + 1 - x->token_at);
    } else {
        take(x, T_UNFINISHED_STRING, (i < x->end ? i : x->end) - x->token_at);
    }
}

static void scan_number(struct sg_pyx *x) {
    uint32_t i = x->token_at;
    while (is_digit(peek(x, i)) || peek(x, i) == '.' || sg_py_name_char(peek(x, i), false)) {
        bool exponent = peek(x, i) == 'e' || peek(x, i) == 'E';
        i++;
        if (exponent && (peek(x, i) == '-' || peek(x, i) == '+')) {
            i++;
        }
    }
    take(x, T_NUMBER, i - x->token_at);
}

static void scan_name(struct sg_pyx *x) {
    uint32_t i = x->token_at;
    i += (uint32_t)sg_py_name_length(x->text + i, x->end - i);
    if (i - x->token_at == 1 && x->text[x->token_at] == 'b' &&
        (peek(x, i) == '\'' || peek(x, i) == '"')) {
        scan_string(x, i, T_BYTES);
        return;
    }
    while (peek(x, i) == '.' && sg_py_name_char(peek(x, i + 1), true)) {
        i++;
        i += (uint32_t)sg_py_name_length(x->text + i, x->end - i);
    }
    take(x, T_NAME, i - x->token_at);
}

/* Operators of two characters, and signs. */
static void scan_operator(struct sg_pyx *x, char c) {
    char d = peek(x, x->token_at + 1);
    static const struct {
        char c, d;
        sg_pyx_op op;
    } table[] = {
        {'*', '*', SG_PYX_OP_POW},    {'/', '/', SG_PYX_OP_FLOORDIV}, {'<', '<', SG_PYX_OP_LSHIFT},
        {'>', '>', SG_PYX_OP_RSHIFT}, {'=', '=', SG_PYX_OP_EQ},       {'!', '=', SG_PYX_OP_NE},
        {'<', '=', SG_PYX_OP_LE},     {'>', '=', SG_PYX_OP_GE},       {'+', 0, SG_PYX_OP_ADD},
        {'-', 0, SG_PYX_OP_SUB},      {'*', 0, SG_PYX_OP_MUL},        {'/', 0, SG_PYX_OP_TRUEDIV},
        {'%', 0, SG_PYX_OP_MOD},      {'&', 0, SG_PYX_OP_AND},        {'|', 0, SG_PYX_OP_OR},
        {'^', 0, SG_PYX_OP_XOR},      {'@', 0, SG_PYX_OP_MATMUL},     {'<', 0, SG_PYX_OP_LT},
        {'>', 0, SG_PYX_OP_GT},       {'~', 0, SG_PYX_OP_INVERT},
    };
    for (size_t i = 0; i < SG_COUNT_OF(table); i++) {
        if (table[i].c == c && (table[i].d == 0 || table[i].d == d)) {
            take_operator(x, table[i].op, table[i].d == 0 ? 1 : 2);
            return;
        }
    }
    take(x, T_OTHER, 1);
}

static void scan(struct sg_pyx *x) {
    while (x->position < x->end &&
           (is_space(x->text[x->position]) || x->text[x->position] == '#')) {
        if (x->text[x->position] == '#') { /* a comment behind a line of a longer statement */
            while (x->position < x->end && x->text[x->position] != '\n') {
                x->position++;
            }
        } else {
            x->position++;
        }
    }
    x->token_at = x->position;
    if (x->position >= x->end) {
        take(x, T_END, 0);
        return;
    }
    char c = x->text[x->position];
    static const char single[] = "()[]{},:;";
    static const uint8_t single_token[] = {T_OPEN_PAREN, T_CLOSE_PAREN, T_OPEN_LIST,
                                           T_CLOSE_LIST, T_OPEN_DICT,   T_CLOSE_DICT,
                                           T_COMMA,      T_COLON,       T_SEMICOLON};
    const char *found = c != '\0' ? strchr(single, c) : NULL;
    if (found != NULL) {
        take(x, (enum token)single_token[found - single], 1);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(x, x->position + 1)))) {
        scan_number(x);
    } else if (sg_py_name_char(c, true)) {
        scan_name(x);
    } else if (c == '\'' || c == '"') {
        scan_string(x, x->position, T_STRING);
    } else if (c == '.') {
        take(x, T_DOT, 1);
    } else if (c == '=' && peek(x, x->position + 1) != '=') {
        take(x, T_ASSIGN, 1);
    } else {
        scan_operator(x, c);
    }
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

void sg_pyx_init(struct sg_pyx *x, const signet_allocator *a, const char *text,
                 uint64_t depth_limit) {
    memset(x, 0, sizeof(*x));
    x->allocator = a;
    x->text = text;
    x->depth_limit = depth_limit;
}

void sg_pyx_free(struct sg_pyx *x) {
    sg_vec_free(x->allocator, &x->nodes);
    sg_vec_free(x->allocator, &x->stack);
}

void sg_pyx_clear(struct sg_pyx *x) {
    x->nodes.count = 0;
}

static uint32_t add_node(struct sg_pyx *x, sg_pyx_kind kind, uint32_t at, uint32_t length) {
    if (!sg_vec_reserve(x->allocator, &x->nodes, 2)) {
        x->no_memory = true;
        return 0;
    }
    if (x->nodes.count == 0) {
        memset(&x->nodes.data[x->nodes.count++], 0, sizeof(struct sg_pyx_node));
    }
    uint32_t i = x->nodes.count++;
    struct sg_pyx_node *n = &x->nodes.data[i];
    memset(n, 0, sizeof(*n));
    n->kind = (uint8_t)kind;
    n->at = at;
    n->length = length;
    return i;
}

static void add_child(struct sg_pyx *x, uint32_t parent, uint32_t last, uint32_t child) {
    if (last == 0) {
        x->nodes.data[parent].first = child;
    } else {
        x->nodes.data[last].next = child;
    }
    x->nodes.data[parent].count++;
}

static bool fail(struct sg_pyx *x, const char *expected) {
    x->error.at = x->token_at;
    x->error.length = x->token_length;
    x->error.expected = expected;
    x->error.unclosed = x->token == T_END && x->stack.count > 1;
    return false;
}

/* ---- Literals -------------------------------------------------------------------------------- */

static uint32_t make_number(struct sg_pyx *x) {
    signet_string s = {x->text + x->token_at, x->token_length};
    bool imaginary = s.data[s.length - 1] == 'j' || s.data[s.length - 1] == 'J';
    if (imaginary) {
        s.length--;
    }
    int64_t integer = 0;
    double real = 0;
    bool is_int = true;
    for (size_t i = 0; i < s.length; i++) {
        is_int = is_int && is_digit(s.data[i]);
    }
    sg_pyx_kind kind = SG_PYX_INT;
    if (is_int && !imaginary) {
        kind = sg_parse_int(s, &integer) ? SG_PYX_INT : SG_PYX_BIG_INT;
    } else if (sg_parse_double(s, &real)) {
        kind = imaginary ? SG_PYX_IMAGINARY : SG_PYX_FLOAT;
    } else {
        fail(x, "a number");
        return 0;
    }
    uint32_t i = add_node(x, kind, x->token_at, x->token_length);
    if (i != 0 && kind == SG_PYX_INT) {
        x->nodes.data[i].u.integer = integer;
    } else if (i != 0) {
        x->nodes.data[i].u.real = real;
    }
    return i;
}

static uint32_t make_name(struct sg_pyx *x) {
    signet_string s = {x->text + x->token_at, x->token_length};
    sg_pyx_kind kind = SG_PYX_NAME;
    double real = 0;
    if (sg_string_is(s, "None")) {
        kind = SG_PYX_NONE;
    } else if (sg_string_is(s, "True")) {
        kind = SG_PYX_TRUE;
    } else if (sg_string_is(s, "False")) {
        kind = SG_PYX_FALSE;
    } else if (sg_string_is(s, "inf") || sg_string_is(s, "infj")) {
        kind = s.length == 3 ? SG_PYX_FLOAT : SG_PYX_IMAGINARY;
        real = (double)INFINITY;
    } else if (sg_string_is(s, "nan") || sg_string_is(s, "nanj")) {
        kind = s.length == 3 ? SG_PYX_FLOAT : SG_PYX_IMAGINARY;
        real = (double)NAN;
    }
    uint32_t i = add_node(x, kind, x->token_at, x->token_length);
    if (i != 0) {
        x->nodes.data[i].u.real = real;
    }
    return i;
}

/* <Kind.NAME: 3>; the scanner stands on the "<". */
static uint32_t make_enum(struct sg_pyx *x) {
    uint32_t at = x->token_at;
    scan(x);
    if (x->token != T_NAME) {
        fail(x, "the name of an enumeration");
        return 0;
    }
    uint32_t name_at = x->token_at;
    uint32_t name_length = x->token_length;
    scan(x);
    if (x->token != T_COLON) {
        fail(x, "':'");
        return 0;
    }
    scan(x);
    if (x->token != T_NUMBER && x->token != T_STRING && x->token != T_NAME) {
        fail(x, "the number of an enumerator");
        return 0;
    }
    scan(x);
    if (x->token != T_OPERATOR || x->token_op != SG_PYX_OP_GT) {
        fail(x, "'>'");
        return 0;
    }
    uint32_t i = add_node(x, SG_PYX_ENUM, at, x->token_at + 1 - at);
    if (i != 0) {
        x->nodes.data[i].u.name.at = name_at;
        x->nodes.data[i].u.name.length = name_length;
    }
    return i;
}

/* A sign before a number is part of the number. */
static uint32_t put_sign(struct sg_pyx *x, sg_pyx_op op, uint32_t at, uint32_t operand) {
    struct sg_pyx_node *n = &x->nodes.data[operand];
    uint32_t length = n->at + n->length - at;
    bool negative = op == SG_PYX_OP_SUB;
    bool number = n->kind == SG_PYX_INT || n->kind == SG_PYX_BIG_INT || n->kind == SG_PYX_FLOAT ||
                  n->kind == SG_PYX_IMAGINARY;
    if (number && op != SG_PYX_OP_INVERT) {
        int64_t integer = 0;
        signet_string whole = {x->text + at, length};
        if (n->kind == SG_PYX_INT) {
            n->u.integer = negative ? -n->u.integer : n->u.integer;
        } else if (n->kind == SG_PYX_BIG_INT && negative && sg_parse_int(whole, &integer)) {
            n->kind = SG_PYX_INT;
            n->u.integer = integer;
        } else if (n->kind != SG_PYX_BIG_INT) {
            n->u.real = negative ? -n->u.real : n->u.real;
        }
        n->at = at;
        n->length = length;
        return operand;
    }
    uint32_t i = add_node(x, SG_PYX_UNARY, at, length);
    if (i != 0) {
        x->nodes.data[i].op = (uint8_t)(op == SG_PYX_OP_SUB   ? SG_PYX_OP_NEG
                                        : op == SG_PYX_OP_ADD ? SG_PYX_OP_POS
                                                              : SG_PYX_OP_INVERT);
        add_child(x, i, 0, operand);
    }
    return i;
}

/* ---- The parser ------------------------------------------------------------------------------ */

static struct sg_pyx_frame *top(struct sg_pyx *x) {
    return &x->stack.data[x->stack.count - 1];
}

static bool push(struct sg_pyx *x, enum frame_kind kind, uint32_t node, uint32_t last) {
    if (x->stack.count > x->depth_limit) {
        fail(x, "less nesting");
        x->error.too_deep = true;
        return false;
    }
    if (!sg_vec_reserve(x->allocator, &x->stack, 1)) {
        x->no_memory = true;
        return false;
    }
    struct sg_pyx_frame *f = &x->stack.data[x->stack.count++];
    memset(f, 0, sizeof(*f));
    f->kind = (uint8_t)kind;
    f->node = node;
    f->last = last;
    return true;
}

/* Puts sign and left operand around a finished operand. 0: no memory. */
static uint32_t close_operand(struct sg_pyx *x, uint32_t operand) {
    struct sg_pyx_frame *f = top(x);
    if (f->unary != 0) {
        operand = put_sign(x, (sg_pyx_op)f->unary, f->unary_at, operand);
        f->unary = 0;
    }
    if (f->op != 0 && operand != 0) {
        uint32_t at = x->nodes.data[f->left].at;
        const struct sg_pyx_node *right = &x->nodes.data[operand];
        uint32_t i = add_node(x, SG_PYX_BINARY, at, right->at + right->length - at);
        if (i != 0) {
            x->nodes.data[i].op = f->op;
            add_child(x, i, 0, f->left);
            add_child(x, i, f->left, operand);
        }
        f->op = 0;
        f->left = 0;
        operand = i;
    }
    return operand;
}

/* Appends a finished element to the innermost open bracket. */
static void add_element(struct sg_pyx *x, uint32_t element) {
    struct sg_pyx_frame *f = top(x);
    x->nodes.data[element].keyword_at = f->keyword_at;
    x->nodes.data[element].keyword_length = f->keyword_length;
    f->keyword_at = f->keyword_length = 0;
    add_child(x, f->node, f->last, element);
    f->last = element;
    f->after_comma = 0;
}

/* Closes the innermost bracket, whose closing token stands at the scanner. The result is an
 * operand. */
static uint32_t close_bracket(struct sg_pyx *x) {
    struct sg_pyx_frame f = *top(x);
    x->stack.count--;
    struct sg_pyx_node *n = &x->nodes.data[f.node];
    n->length = x->token_at + 1 - n->at;
    if (f.kind == F_PAREN && n->count == 1 && !f.has_comma) {
        uint32_t inner = n->first; /* only grouping */
        return inner;
    }
    return f.node;
}

static bool closes(const struct sg_pyx *x, uint8_t kind) {
    switch ((enum frame_kind)kind) {
    case F_TOP:
        return x->token == T_END || x->token == T_SEMICOLON;
    case F_PAREN:
    case F_CALL:
        return x->token == T_CLOSE_PAREN;
    case F_LIST:
    case F_INDEX:
        return x->token == T_CLOSE_LIST;
    case F_DICT:
        return x->token == T_CLOSE_DICT;
    }
    return false;
}

static const char *what_closes(uint8_t kind) {
    switch ((enum frame_kind)kind) {
    case F_TOP:
        return "the end of the expression";
    case F_PAREN:
    case F_CALL:
        return "',' or ')'";
    case F_LIST:
    case F_INDEX:
        return "',' or ']'";
    case F_DICT:
        return "',' or '}'";
    }
    return "";
}

/* True when no operand is due: the bracket is empty, or a comma was the last. */
static bool may_close(const struct sg_pyx *x, const struct sg_pyx_frame *f) {
    if (f->op != 0 || f->unary != 0 || f->has_key || f->keyword_length != 0) {
        return false;
    }
    switch ((enum frame_kind)f->kind) {
    case F_TOP:
    case F_INDEX:
        return false;
    case F_CALL:
        return f->after_comma || f->last == x->nodes.data[f->node].first;
    case F_PAREN:
    case F_LIST:
    case F_DICT:
        break;
    }
    return f->after_comma || f->last == 0;
}

/* Where an operand may start. Sets *operand when one is complete; leaves it 0 when a bracket or a
 * sign was taken. */
static bool start_operand(struct sg_pyx *x, uint32_t *operand) {
    struct sg_pyx_frame *f = top(x);
    if (may_close(x, f) && closes(x, f->kind)) {
        *operand = close_bracket(x);
        scan(x);
        return true;
    }
    uint32_t at = x->token_at;
    enum frame_kind kind = F_PAREN;
    sg_pyx_kind container = SG_PYX_TUPLE;
    switch ((enum token)x->token) {
    case T_NAME:
        *operand = make_name(x);
        break;
    case T_NUMBER:
        *operand = make_number(x);
        break;
    case T_STRING:
        *operand = add_node(x, SG_PYX_STRING, at, x->token_length);
        break;
    case T_BYTES:
        *operand = add_node(x, SG_PYX_BYTES, at, x->token_length);
        break;
    case T_OPERATOR:
        if (x->token_op == SG_PYX_OP_LT) {
            *operand = make_enum(x);
            break;
        }
        if (f->unary != 0 || (x->token_op != SG_PYX_OP_ADD && x->token_op != SG_PYX_OP_SUB &&
                              x->token_op != SG_PYX_OP_INVERT)) {
            return fail(x, "a value");
        }
        f->unary = x->token_op;
        f->unary_at = at;
        scan(x);
        return true;
    case T_OPEN_LIST:
        kind = F_LIST;
        container = SG_PYX_LIST;
        break;
    case T_OPEN_DICT:
        kind = F_DICT;
        container = SG_PYX_DICT;
        break;
    case T_OPEN_PAREN:
        break;
    case T_UNFINISHED_STRING:
        return fail(x, "the closing quote of a string");
    case T_END:
    case T_CLOSE_PAREN:
    case T_CLOSE_LIST:
    case T_CLOSE_DICT:
    case T_COMMA:
    case T_COLON:
    case T_DOT:
    case T_ASSIGN:
    case T_SEMICOLON:
    case T_OTHER:
        return fail(x, "a value");
    }
    if (*operand != 0) {
        scan(x);
        return true;
    }
    if (x->no_memory || x->error.expected != NULL) {
        return false;
    }
    uint32_t node = add_node(x, container, at, 0);
    if (node == 0 || !push(x, kind, node, 0)) {
        return false;
    }
    scan(x);
    return true;
}

/* "(", "[" or ".name" behind an operand. *taken says whether there was one. */
static bool take_postfix(struct sg_pyx *x, uint32_t *operand, bool *taken) {
    bool call = x->token == T_OPEN_PAREN;
    uint32_t at = x->nodes.data[*operand].at;
    *taken = true;
    if (call || x->token == T_OPEN_LIST) {
        uint32_t node = add_node(x, call ? SG_PYX_CALL : SG_PYX_INDEX, at, 0);
        if (node == 0 || !push(x, call ? F_CALL : F_INDEX, node, *operand)) {
            return false;
        }
        add_child(x, node, 0, *operand);
        x->nodes.data[*operand].is_callee = call;
        *operand = 0;
        scan(x);
        return true;
    }
    if (x->token == T_DOT) {
        scan(x);
        if (x->token != T_NAME) {
            return fail(x, "the name of an attribute");
        }
        uint32_t node = add_node(x, SG_PYX_ATTRIBUTE, at, x->token_at + x->token_length - at);
        if (node == 0) {
            return false;
        }
        x->nodes.data[node].u.name.at = x->token_at;
        x->nodes.data[node].u.name.length = x->token_length;
        add_child(x, node, 0, *operand);
        *operand = node;
        scan(x);
        return true;
    }
    *taken = false;
    return true;
}

/* What may stand behind an operand that has no further postfix. */
static bool end_operand(struct sg_pyx *x, uint32_t *operand, uint32_t *root) {
    struct sg_pyx_frame *f = top(x);
    const struct sg_pyx_node *n = &x->nodes.data[*operand];
    if (x->token == T_ASSIGN && f->kind == F_CALL && n->kind == SG_PYX_NAME &&
        f->keyword_length == 0 && f->unary == 0 && f->op == 0) {
        f->keyword_at = n->at;
        f->keyword_length = n->length;
        *operand = 0;
        scan(x);
        return true;
    }
    if (x->token == T_OPERATOR && f->op == 0 && x->token_op != SG_PYX_OP_INVERT) {
        uint8_t op = x->token_op;
        *operand = close_operand(x, *operand);
        f = top(x);
        f->left = *operand;
        f->op = op;
        *operand = 0;
        scan(x);
        return f->left != 0;
    }
    if (x->token == T_COLON && f->kind == F_DICT && !f->has_key) {
        *operand = close_operand(x, *operand);
        if (*operand == 0) {
            return false;
        }
        add_element(x, *operand);
        top(x)->has_key = 1;
        *operand = 0;
        scan(x);
        return true;
    }
    if (f->kind == F_DICT && !f->has_key) {
        return fail(x, "':'");
    }
    bool comma = x->token == T_COMMA && f->kind != F_TOP;
    if (!comma && !closes(x, f->kind)) {
        return fail(x, what_closes(f->kind));
    }
    *operand = close_operand(x, *operand);
    if (*operand == 0) {
        return false;
    }
    f = top(x);
    if (f->kind == F_TOP) {
        *root = *operand;
        return true;
    }
    add_element(x, *operand);
    f->has_key = 0;
    if (comma) {
        f->after_comma = f->has_comma = 1;
        *operand = 0;
    } else {
        *operand = close_bracket(x);
    }
    scan(x);
    return true;
}

uint32_t sg_pyx_parse(struct sg_pyx *x, uint32_t at, uint32_t end, uint32_t *stop) {
    memset(&x->error, 0, sizeof(x->error));
    x->position = at;
    x->end = end;
    x->stack.count = 0;
    uint32_t before = x->nodes.count;
    uint32_t root = 0;
    uint32_t operand = 0;
    bool good = push(x, F_TOP, 0, 0);
    if (good) {
        scan(x);
    }
    while (good && root == 0) {
        if (operand == 0) {
            good = start_operand(x, &operand);
            continue;
        }
        bool taken = false;
        good = take_postfix(x, &operand, &taken);
        if (good && !taken) {
            good = end_operand(x, &operand, &root);
        }
    }
    if (!good) {
        x->nodes.count = before;
        return 0;
    }
    *stop = x->token_at;
    return root;
}

/* ---- Reading a tree -------------------------------------------------------------------------- */

signet_string sg_pyx_text(const struct sg_pyx *x, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    signet_string s = {x->text + n->at, n->length};
    return s;
}

signet_string sg_pyx_keyword(const struct sg_pyx *x, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    signet_string s = {n->keyword_length != 0 ? x->text + n->keyword_at : NULL, n->keyword_length};
    return s;
}

bool sg_pyx_is_name(const struct sg_pyx *x, uint32_t i, const char *name) {
    return sg_pyx_node(x, i)->kind == SG_PYX_NAME && sg_string_is(sg_pyx_text(x, i), name);
}

bool sg_pyx_is_simple_name(const struct sg_pyx *x, uint32_t i) {
    signet_string s = sg_pyx_text(x, i);
    return sg_pyx_node(x, i)->kind == SG_PYX_NAME && memchr(s.data, '.', s.length) == NULL;
}

uint32_t sg_pyx_child(const struct sg_pyx *x, uint32_t i, uint32_t number) {
    uint32_t child = sg_pyx_node(x, i)->first;
    while (child != 0 && number > 0) {
        child = sg_pyx_node(x, child)->next;
        number--;
    }
    return child;
}

uint32_t sg_pyx_argument(const struct sg_pyx *x, uint32_t call, const char *keyword) {
    uint32_t child = sg_pyx_child(x, call, 1);
    while (child != 0 && !sg_string_is(sg_pyx_keyword(x, child), keyword)) {
        child = sg_pyx_node(x, child)->next;
    }
    return child;
}

signet_string sg_pyx_own_name(const struct sg_pyx *x, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    signet_string s = {x->text + n->u.name.at, n->u.name.length};
    return s;
}
