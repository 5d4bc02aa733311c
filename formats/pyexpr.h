/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_PYEXPR_H
#define SG_FORMATS_PYEXPR_H

/*
 * The small part of Python's expressions that PyTorch prints: names, literals, calls, indexing, one
 * operator between two operands, and the `<Kind.NAME: 3>` of enumerations. Nothing is evaluated but
 * signs of numbers. An explicit stack bounds the nesting.
 */

#include "base/alloc.h"
#include "base/text.h"

typedef enum sg_pyx_kind {
    SG_PYX_NOTHING = 0,
    SG_PYX_NAME, /* also dotted: a.b.c is one node */
    SG_PYX_INT,
    SG_PYX_BIG_INT, /* does not fit int64_t; only its text is known */
    SG_PYX_FLOAT,
    SG_PYX_IMAGINARY, /* 2j: the number before the j */
    SG_PYX_STRING,
    SG_PYX_BYTES,
    SG_PYX_NONE,
    SG_PYX_TRUE,
    SG_PYX_FALSE,
    SG_PYX_LIST,
    SG_PYX_TUPLE,
    SG_PYX_DICT,      /* key, value, key, value, ... */
    SG_PYX_CALL,      /* callee, arguments */
    SG_PYX_INDEX,     /* base, index, and more of them behind commas */
    SG_PYX_ATTRIBUTE, /* base; u.name is the attribute's name */
    SG_PYX_UNARY,     /* operand */
    SG_PYX_BINARY,    /* left, right */
    SG_PYX_ENUM,      /* <A.B: 3>; u.name is the dotted name */
} sg_pyx_kind;

typedef enum sg_pyx_op {
    SG_PYX_OP_NONE = 0,
    SG_PYX_OP_ADD,
    SG_PYX_OP_SUB,
    SG_PYX_OP_MUL,
    SG_PYX_OP_FLOORDIV,
    SG_PYX_OP_TRUEDIV,
    SG_PYX_OP_MOD,
    SG_PYX_OP_POW,
    SG_PYX_OP_LSHIFT,
    SG_PYX_OP_RSHIFT,
    SG_PYX_OP_AND,
    SG_PYX_OP_OR,
    SG_PYX_OP_XOR,
    SG_PYX_OP_MATMUL,
    SG_PYX_OP_EQ,
    SG_PYX_OP_NE,
    SG_PYX_OP_LT,
    SG_PYX_OP_GT,
    SG_PYX_OP_LE,
    SG_PYX_OP_GE,
    SG_PYX_OP_POS,
    SG_PYX_OP_NEG,
    SG_PYX_OP_INVERT,
} sg_pyx_op;

/* Name in Python's module operator ("add", "ge", ...), and the spelling between its operands. */
const char *sg_pyx_op_name(sg_pyx_op op);
const char *sg_pyx_op_sign(sg_pyx_op op);
/* The operator of that name; binary tells which kind ("neg" is unary). NONE: there is none. */
sg_pyx_op sg_pyx_op_find(signet_string name, bool *binary);

/* A node of an expression tree; children are a chain. Positions are offsets in the text. */
struct sg_pyx_node {
    uint8_t kind; /* sg_pyx_kind */
    uint8_t op;   /* sg_pyx_op */
    uint8_t is_callee;
    uint32_t at, length;
    uint32_t first, next;                /* first child, next sibling; 0: none */
    uint32_t count;                      /* children */
    uint32_t keyword_at, keyword_length; /* "name =" before an argument; 0: none */
    union {
        int64_t integer;
        double real;
        struct {
            uint32_t at, length;
        } name;
    } u;
};

struct sg_pyx_error {
    size_t at;
    size_t length;
    const char *expected; /* static */
    bool unclosed;        /* the text ended inside brackets */
    bool too_deep;
};

struct sg_pyx_frame;

struct sg_pyx {
    const signet_allocator *allocator;
    const char *text;
    uint64_t depth_limit;
    SG_VEC(struct sg_pyx_node) nodes; /* element 0 is unused */
    SG_VEC(struct sg_pyx_frame) stack;
    struct sg_pyx_error error;
    bool no_memory;
    /* the scanner */
    uint32_t position, end;
    uint8_t token;    /* what stands at token_at */
    uint8_t token_op; /* its operator */
    uint32_t token_at, token_length;
};

void sg_pyx_init(struct sg_pyx *x, const signet_allocator *a, const char *text,
                 uint64_t depth_limit);
void sg_pyx_free(struct sg_pyx *x);
/* Forgets every tree. */
void sg_pyx_clear(struct sg_pyx *x);

/*
 * Parses one expression of text[at, end). It ends at the end or at a ';' outside of brackets, and
 * *stop says where. 0: error says why, or no_memory is set.
 */
uint32_t sg_pyx_parse(struct sg_pyx *x, uint32_t at, uint32_t end, uint32_t *stop);

static inline const struct sg_pyx_node *sg_pyx_node(const struct sg_pyx *x, uint32_t i) {
    return &x->nodes.data[i];
}
/* The text of a node, and of its keyword (absent: it has none). */
signet_string sg_pyx_text(const struct sg_pyx *x, uint32_t i);
signet_string sg_pyx_keyword(const struct sg_pyx *x, uint32_t i);
/* The name of an ATTRIBUTE or ENUM. */
signet_string sg_pyx_own_name(const struct sg_pyx *x, uint32_t i);
/* True when the node is a name, dotted or not, and spelled so. */
bool sg_pyx_is_name(const struct sg_pyx *x, uint32_t i, const char *name);
bool sg_pyx_is_simple_name(const struct sg_pyx *x, uint32_t i);
/* Child of that number, or of that keyword; 0: none. */
uint32_t sg_pyx_child(const struct sg_pyx *x, uint32_t i, uint32_t number);
uint32_t sg_pyx_argument(const struct sg_pyx *x, uint32_t call, const char *keyword);
/* Appends the text that a STRING stands for. false: it holds an escape that Python does not have.
 */
bool sg_pyx_string(const struct sg_pyx *x, uint32_t i, struct sg_text *out);

/* Characters of names: letters, digits, underscore, and every byte from 0x80 on. */
bool sg_py_name_char(char c, bool first);
/* Length of the name that starts at data; 0: none does. */
size_t sg_py_name_length(const char *data, size_t length);
/* Appends text as Python's repr of a string. */
void sg_py_repr(struct sg_text *out, signet_string s);

#endif
