/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_IR_INTERN_INTERNAL_H
#define SG_IR_INTERN_INTERNAL_H

/*
 * Hash-consing of expressions, syms and types: one map from keys to the newest record of that key,
 * and from each record a chain to the older ones. Only for type.c and the files of expressions.
 */

#include "ir/ir_internal.h"

/* What a key leads to. It is part of the key, so a record of one kind is never taken for another.
 */
typedef enum sg_interned {
    SG_INTERNED_EXPR,
    SG_INTERNED_SYM,
    SG_INTERNED_TYPE,
    SG_INTERNED_TEXT, /* string id -> expression that was parsed from it */
} sg_interned;

/* The key of some words. */
uint64_t sg_intern_key(signet_package *p, sg_interned what, const uint64_t *words, size_t count);
/* The key of words and a list of ids behind them. */
uint64_t sg_intern_key_ids(signet_package *p, sg_interned what, uint64_t *words, size_t count,
                           const uint32_t *ids, size_t id_count);

/* ---- Expressions ----------------------------------------------------------------------------- */

/* No expression nests deeper, or has more nodes when it is written out, whatever the limits say, so
 * that walks need no memory of their own and end. */
#define SG_EXPR_DEPTH 1024
#define SG_EXPR_SIZE (UINT32_C(1) << 20)

typedef enum sg_expr_problem {
    SG_EXPR_OK,
    SG_EXPR_NO_MEMORY,
    SG_EXPR_TOO_DEEP,
    SG_EXPR_TOO_LARGE,
} sg_expr_problem;

/* As the public calls, but a limit that is reached is no failure of the package. Operands are
 * expressions of the package. */
sg_expr_problem sg_expr_integer(signet_package *p, int64_t number, uint32_t *out);
sg_expr_problem sg_expr_rational(signet_package *p, int64_t numerator, int64_t denominator,
                                 uint32_t *out); /* denominator not 0 */
sg_expr_problem sg_expr_named(signet_package *p, signet_expr_head head, sg_strid name,
                              uint32_t *out); /* a symbol, or a function of nothing */
sg_expr_problem sg_expr_build(signet_package *p, signet_expr_head head, sg_strid name,
                              const uint32_t *operands, uint32_t count, uint32_t *out);

/* A constant as a fraction in lowest terms; false when the expression is none. */
struct sg_fraction {
    int64_t numerator, denominator; /* denominator > 0 */
};
bool sg_expr_fraction(const signet_package *p, uint32_t expr, struct sg_fraction *out);

/* Words that mean themselves ("oo"), and words that are no symbol when they stand alone. */
bool sg_expr_is_constant(signet_string word);
bool sg_expr_is_reserved(signet_string word);

/* True for functions whose operands are kept in canonical order. */
bool sg_expr_is_commutative(signet_string function);

/* A total order of structures: < 0, 0 (the same) or > 0. */
int sg_expr_compare(const signet_package *a, uint32_t x, const signet_package *b, uint32_t y);

#endif
