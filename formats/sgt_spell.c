/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/sgt_spell.h"

#include "base/compiler.h"

const char *sg_sgt_spelling_word(sg_sgt_spelling spelling) {
    static const char *const words[SGT_SPELLINGS] = {"bare", "srepr", "infix"};
    return words[spelling];
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool sg_sgt_is_plain_value(signet_string s) {
    for (size_t i = 0; i < s.length; i++) {
        if (!is_letter(s.data[i]) && !is_digit(s.data[i])) {
            return false;
        }
    }
    return s.length > 0;
}

bool sg_sgt_is_plain_word(signet_string s) {
    return sg_sgt_is_plain_value(s) && is_letter(s.data[0]);
}

bool sg_sgt_is_plain_symbol(signet_string s) {
    for (size_t i = 0; i < s.length; i++) {
        if (!is_letter(s.data[i]) && !is_digit(s.data[i]) && s.data[i] != '.') {
            return false;
        }
    }
    return s.length > 0;
}

bool sg_sgt_target_is_whole(signet_string s) {
    static const char *const starts[] = {"torch.", "executorch.", "_operator.", "math."};
    for (size_t i = 0; i < SG_COUNT_OF(starts); i++) {
        if (sg_string_starts(s, starts[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < s.length; i++) {
        if (s.data[i] == '.') {
            return false;
        }
    }
    return true;
}

bool sg_sgt_is_higher_order(signet_string target) {
    return sg_string_starts(target, SGT_TARGET_PREFIX "higher_order.");
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

#define BIT(kind) (UINT64_C(1) << (kind))

static const struct {
    uint64_t children;
    signet_arg_kind list;
} lists[] = {
    {0, SIGNET_ARG_INTS},
    {BIT(SIGNET_ARG_INT), SIGNET_ARG_INTS},
    {BIT(SIGNET_ARG_FLOAT), SIGNET_ARG_FLOATS},
    {BIT(SIGNET_ARG_BOOL), SIGNET_ARG_BOOLS},
    {BIT(SIGNET_ARG_STRING), SIGNET_ARG_STRINGS},
    {BIT(SIGNET_ARG_TENSOR), SIGNET_ARG_TENSORS},
    {BIT(SIGNET_ARG_NONE), SIGNET_ARG_OPTIONAL_TENSORS},
    {BIT(SIGNET_ARG_NONE) | BIT(SIGNET_ARG_TENSOR), SIGNET_ARG_OPTIONAL_TENSORS},
    {BIT(SIGNET_ARG_SYM_INT), SIGNET_ARG_SYM_INTS},
    {BIT(SIGNET_ARG_SYM_INT) | BIT(SIGNET_ARG_INT), SIGNET_ARG_SYM_INTS},
    {BIT(SIGNET_ARG_SYM_FLOAT), SIGNET_ARG_SYM_FLOATS},
    {BIT(SIGNET_ARG_SYM_FLOAT) | BIT(SIGNET_ARG_FLOAT), SIGNET_ARG_SYM_FLOATS},
    {BIT(SIGNET_ARG_SYM_BOOL), SIGNET_ARG_SYM_BOOLS},
    {BIT(SIGNET_ARG_SYM_BOOL) | BIT(SIGNET_ARG_BOOL), SIGNET_ARG_SYM_BOOLS},
    {BIT(SIGNET_ARG_INTS), SIGNET_ARG_INT_LISTS},
    {BIT(SIGNET_ARG_FLOATS), SIGNET_ARG_FLOAT_LISTS},
    {BIT(SIGNET_ARG_TENSORS), SIGNET_ARG_NESTED_TENSORS},
};

uint64_t sg_sgt_kind_bit(signet_arg_kind kind) {
    return BIT(kind);
}

signet_arg_kind sg_sgt_list_kind(uint64_t children) {
    for (size_t i = 0; i < SG_COUNT_OF(lists); i++) {
        if (lists[i].children == children) {
            return lists[i].list;
        }
    }
    return SIGNET_ARG_LIST;
}

signet_arg_kind sg_sgt_literal_in(signet_arg_kind list, signet_arg_kind literal) {
    if (list == SIGNET_ARG_SYM_INTS && literal == SIGNET_ARG_INT) {
        return SIGNET_ARG_SYM_INT;
    }
    if (list == SIGNET_ARG_SYM_FLOATS && literal == SIGNET_ARG_FLOAT) {
        return SIGNET_ARG_SYM_FLOAT;
    }
    if (list == SIGNET_ARG_SYM_BOOLS && literal == SIGNET_ARG_BOOL) {
        return SIGNET_ARG_SYM_BOOL;
    }
    return literal;
}

signet_arg_kind sg_sgt_natural_kind(signet_value_kind kind) {
    switch (kind) {
    case SIGNET_VALUE_SYM_INT:
        return SIGNET_ARG_SYM_INT;
    case SIGNET_VALUE_SYM_FLOAT:
        return SIGNET_ARG_SYM_FLOAT;
    case SIGNET_VALUE_SYM_BOOL:
        return SIGNET_ARG_SYM_BOOL;
    case SIGNET_VALUE_CUSTOM_OBJ:
        return SIGNET_ARG_CUSTOM_OBJ;
    case SIGNET_VALUE_TOKEN:
        return SIGNET_ARG_TOKEN;
    case SIGNET_VALUE_CONSTANT:
        return SIGNET_ARG_CONSTANT;
    case SIGNET_VALUE_UNKNOWN:
    case SIGNET_VALUE_UNDEFINED:
    case SIGNET_VALUE_TENSOR:
        break;
    }
    return SIGNET_ARG_TENSOR;
}

/* ---- Symbols and strides --------------------------------------------------------------------- */

signet_sym sg_sgt_make_sym(signet_package *p, signet_expr expr, sg_sgt_spelling spelling,
                           signet_sym_info info) {
    struct sg_text text;
    sg_text_init(&text, &p->allocator);
    if (spelling == SGT_SPELLED_SREPR) {
        sg_expr_srepr(p, expr, &text);
    } else if (spelling == SGT_SPELLED_INFIX) {
        sg_expr_infix(p, expr, &text);
    }
    if (text.failed) {
        sg_package_fail(p, SIGNET_E_NOMEM);
    }
    info.kind = SIGNET_SYM_EXPR;
    info.expr = expr;
    info.text = (signet_string){spelling == SGT_SPELLED_BARE ? NULL : text.data, text.length};
    signet_sym sym = signet_sym_make(p, &info);
    sg_text_free(&text);
    return sym;
}

/* The product of the sizes behind a dimension. */
struct product {
    int64_t number;
    signet_expr factors[SGT_SYMBOLIC_FACTORS];
    uint32_t count;
    bool has_hint; /* of all factors */
    int64_t hint;
};

static bool times(int64_t *a, int64_t b) {
    if (b != 0 && *a > INT64_MAX / b) {
        return false;
    }
    *a *= b;
    return true;
}

/* PyTorch takes a size of 0 as 1 here. */
static bool multiply(struct product *x, const signet_sym_info *size) {
    if (size->kind == SIGNET_SYM_INT) {
        return times(&x->number, size->number > 1 ? size->number : 1);
    }
    if (size->kind != SIGNET_SYM_EXPR || size->expr.id == 0 || x->count == SGT_SYMBOLIC_FACTORS) {
        return false;
    }
    x->factors[x->count++] = size->expr;
    x->has_hint = x->has_hint && size->hint == SIGNET_SYM_INT && size->hint_number > 0 &&
                  times(&x->hint, size->hint_number);
    return true;
}

static signet_sym product_sym(signet_package *p, const struct product *x,
                              sg_sgt_spelling spelling) {
    if (x->count == 0) {
        return signet_sym_int(p, x->number);
    }
    signet_expr operands[SGT_SYMBOLIC_FACTORS + 1];
    uint32_t count = 0;
    if (x->number != 1) {
        operands[count++] = signet_expr_integer(p, x->number);
    }
    for (uint32_t i = 0; i < x->count; i++) {
        operands[count++] = x->factors[i];
    }
    signet_expr expr = operands[0];
    if (count > 1) {
        expr = signet_expr_make(p, SIGNET_EXPR_MUL, (signet_string){NULL, 0}, operands, count);
    }
    signet_sym_info info = {.hint = SIGNET_SYM_NONE};
    int64_t hint = x->hint;
    if (x->has_hint && times(&hint, x->number)) {
        info.hint = SIGNET_SYM_INT;
        info.hint_number = hint;
    }
    return sg_sgt_make_sym(p, expr, spelling, info);
}

bool sg_sgt_contiguous(signet_package *p, const signet_sym *sizes, uint32_t rank,
                       sg_sgt_spelling spelling, signet_sym *strides) {
    struct product x = {.number = 1, .has_hint = true, .hint = 1};
    for (uint32_t i = rank; i-- > 0;) {
        strides[i] = product_sym(p, &x, spelling);
        signet_sym_info size = signet_sym_get(p, sizes[i]);
        if (i > 0 && !multiply(&x, &size)) {
            return false;
        }
    }
    return true;
}
