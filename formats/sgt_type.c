/* SPDX-License-Identifier: Apache-2.0 */
/* Reading types, symbolic sizes and descriptions of the exact text. */

#include "formats/sgt_internal.h"

/* ---- Symbols: what stands between brackets --------------------------------------------------- */

static bool ends_sym(const struct sg_sgt_token *token) {
    return sg_sgt_is_mark(token, ',') || sg_sgt_is_mark(token, ']') || sg_sgt_is_mark(token, '~');
}

/* An integer, real or boolean, alone. */
static bool take_literal(struct sg_sgt_reader *r, signet_sym_kind *kind, int64_t *number,
                         double *real) {
    if (sg_sgt_is_real(r)) {
        *kind = SIGNET_SYM_FLOAT;
        return sg_sgt_take_real(r, real);
    }
    bool truth = sg_sgt_is_word(r, sg_sgt_peek(r), "true");
    if (truth || sg_sgt_is_word(r, sg_sgt_peek(r), "false")) {
        r->t++;
        *kind = SIGNET_SYM_BOOL;
        *number = truth;
        return true;
    }
    *kind = SIGNET_SYM_INT;
    return sg_sgt_take_int(r, number, "a number, true or false");
}

static bool is_literal(const struct sg_sgt_reader *r) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    const struct sg_sgt_token *second = sg_sgt_peek_second(r);
    if (sg_sgt_is_word(r, token, "nan")) {
        return ends_sym(second) || sg_sgt_is_mark(second, '(');
    }
    return ends_sym(second) &&
           (token->kind == SGT_INT || sg_sgt_is_real(r) || sg_sgt_is_word(r, token, "true") ||
            sg_sgt_is_word(r, token, "false"));
}

static bool parse_expr(struct sg_sgt_reader *r, signet_string text, size_t offset,
                       signet_expr *out) {
    size_t byte = 0;
    const char *expected = NULL;
    *out = sg_expr_parse(r->p, text, &byte, &expected);
    if (out->id == 0 && r->p->status == SIGNET_OK) {
        return sg_sgt_wrong(r, offset + byte, 1, "expected %s in the expression '%s'",
                            expected != NULL ? expected : "another text",
                            sg_log_name(r->log, text));
    }
    return out->id != 0;
}

/* s0 + 1: everything until the list goes on or ends. */
static bool take_infix(struct sg_sgt_reader *r, signet_expr *out) {
    uint32_t start = sg_sgt_peek(r)->at;
    uint32_t end = start;
    uint32_t depth = 0;
    while (depth > 0 || !ends_sym(sg_sgt_peek(r))) {
        const struct sg_sgt_token *token = sg_sgt_peek(r);
        bool is_over = sg_sgt_is_mark(token, '=') &&
                       sg_sgt_is_word(r, sg_sgt_peek_second(r), "call"); /* no closing bracket */
        if (is_over || token->kind == SGT_END || token->kind == SGT_BAD ||
            token->kind == SGT_STRING) {
            return sg_sgt_expected(r, "',' or ']'");
        }
        depth += sg_sgt_is_mark(token, '(');
        depth -= depth > 0 && sg_sgt_is_mark(token, ')');
        end = token->at + token->length;
        r->t++;
    }
    if (end == start) {
        return sg_sgt_expected(r, "a size");
    }
    return parse_expr(r, (signet_string){r->text + start, end - start}, start, out);
}

/* "srepr" behind the word expr. */
static bool take_expr_text(struct sg_sgt_reader *r, signet_expr *out) {
    uint32_t offset = sg_sgt_peek(r)->at + 1; /* behind the quote */
    sg_strid text = 0;
    if (sg_sgt_peek(r)->kind != SGT_STRING) {
        return sg_sgt_expected(r, "the text of an expression between quotes");
    }
    return sg_sgt_take_text(r, &text, "") && parse_expr(r, sg_string(r->p, text), offset, out);
}

/* "text" [expr "srepr"], "text" expr none */
static bool take_spelled(struct sg_sgt_reader *r, signet_sym_info *info) {
    sg_strid text = 0;
    if (!sg_sgt_take_text(r, &text, "the text of an expression")) {
        return false;
    }
    info->kind = SIGNET_SYM_EXPR;
    if (sg_sgt_take_word(r, "expr")) {
        if (!sg_sgt_take_word(r, "none") && !take_expr_text(r, &info->expr)) {
            return false;
        }
    } else {
        info->expr = sg_expr_parse(r->p, sg_string(r->p, text), NULL, NULL);
    }
    info->text = sg_string(r->p, text);
    return true;
}

static bool take_sym(struct sg_sgt_reader *r, signet_sym *out) {
    signet_sym_info info = {.kind = SIGNET_SYM_NONE};
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    bool is_short = false;
    bool ok;
    if (sg_sgt_take_mark(r, '?')) {
        *out = (signet_sym){0};
        return true;
    }
    if (is_literal(r)) {
        ok = take_literal(r, &info.kind, &info.number, &info.real);
    } else if (token->kind == SGT_STRING) {
        ok = take_spelled(r, &info);
    } else if (sg_sgt_is_word(r, token, "expr") && sg_sgt_peek_second(r)->kind == SGT_STRING) {
        r->t++;
        info.kind = SIGNET_SYM_EXPR;
        ok = take_expr_text(r, &info.expr);
    } else {
        is_short = true;
        ok = take_infix(r, &info.expr);
    }
    bool is_expr = info.kind == SIGNET_SYM_EXPR || is_short;
    if (!ok || (is_expr && sg_sgt_take_mark(r, '~') &&
                !take_literal(r, &info.hint, &info.hint_number, &info.hint_real))) {
        return false;
    }
    *out = is_short ? sg_sgt_make_sym(r->p, info.expr, r->spelling, info)
                    : signet_sym_make(r->p, &info);
    return out->id != 0;
}

/* The symbols of a list, its opening bracket taken; appended to r->syms. */
static bool take_syms(struct sg_sgt_reader *r, uint32_t *count) {
    *count = 0;
    if (sg_sgt_take_mark(r, ']')) {
        return true;
    }
    do {
        signet_sym sym;
        if (!take_sym(r, &sym) || !SGT_ROOM(r, &r->syms)) {
            return false;
        }
        r->syms.data[r->syms.count++] = sym;
        (*count)++;
    } while (sg_sgt_take_mark(r, ','));
    return sg_sgt_expect_mark(r, ']', "',' or ']'");
}

/* One symbol between brackets. */
static bool take_one_sym(struct sg_sgt_reader *r, signet_sym *out) {
    return sg_sgt_expect_mark(r, '[', "'['") && take_sym(r, out) &&
           sg_sgt_expect_mark(r, ']', "']'");
}

/* ---- Types ----------------------------------------------------------------------------------- */

static bool take_number16(struct sg_sgt_reader *r, int *out) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    uint32_t number = 0;
    if (!sg_sgt_take_uint32(r, &number, "a number")) {
        return false;
    }
    if (number > UINT16_MAX) {
        return sg_sgt_wrong(r, token->at, token->length,
                            "expected a number up to 65535, found a larger one");
    }
    *out = (int)number;
    return true;
}

static bool take_dtype(struct sg_sgt_reader *r, signet_type_info *info) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    int number = 0;
    if (sg_sgt_take_mark(r, '?')) {
        return true;
    }
    if (sg_sgt_take_word(r, "dtype")) {
        bool ok = sg_sgt_expect_mark(r, '(', "'('") && take_number16(r, &number) &&
                  sg_sgt_expect_mark(r, ')', "')'");
        info->dtype = (signet_dtype)number;
        return ok;
    }
    if (token->kind == SGT_WORD) {
        info->dtype = sg_dtype_of_name(sg_sgt_token_text(r, token));
    }
    if (info->dtype == SIGNET_DTYPE_UNKNOWN) {
        return sg_sgt_expected(r, "a type such as f32[3]");
    }
    r->t++;
    return true;
}

bool sg_sgt_device(struct sg_sgt_reader *r, sg_strid *type, bool *has_index, int64_t *index) {
    *has_index = false;
    *index = 0;
    if (!sg_sgt_take_word_or_text(r, type, "a device such as cpu or cuda:0")) {
        return false;
    }
    if (!sg_sgt_take_mark(r, ':')) {
        return true;
    }
    *has_index = true;
    return sg_sgt_take_int(r, index, "the number of a device");
}

static bool take_type_device(struct sg_sgt_reader *r, signet_type_info *info) {
    sg_strid type = 0;
    if (!sg_sgt_device(r, &type, &info->has_device_index, &info->device_index)) {
        return false;
    }
    info->device = sg_string(r->p, type);
    return true;
}

static bool take_strides(struct sg_sgt_reader *r, signet_type_info *info) {
    info->has_strides = false;
    if (sg_sgt_take_mark(r, '?')) {
        return true;
    }
    info->has_strides = true;
    r->syms.count = info->rank; /* the later one of two lists holds */
    return sg_sgt_expect_mark(r, '[', "'[' or '?'") && take_syms(r, &info->stride_count);
}

static bool take_layout(struct sg_sgt_reader *r, signet_type_info *info) {
    int number = 0;
    bool ok = sg_sgt_take_mark(r, '?') || take_number16(r, &number);
    info->layout = (signet_layout)number;
    return ok;
}

/* One word behind the sizes; *more is false when there is none. */
static bool take_modifier(struct sg_sgt_reader *r, signet_type_info *info, bool *strides_told,
                          bool *more) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    signet_string word = sg_sgt_token_text(r, token);
    *more = true;
    if (sg_sgt_take_word(r, "strides")) {
        *strides_told = true;
        return take_strides(r, info);
    }
    if (sg_sgt_take_word(r, "offset")) {
        info->storage_offset = (signet_sym){0};
        return sg_sgt_take_mark(r, '?') || take_one_sym(r, &info->storage_offset);
    }
    if (sg_sgt_take_word(r, "layout")) {
        return take_layout(r, info);
    }
    if (sg_sgt_take_word(r, "grad")) {
        info->requires_grad = true;
        return true;
    }
    if (sg_sgt_take_word(r, "device") || (token->kind == SGT_WORD && sg_is_device_type(word))) {
        return take_type_device(r, info);
    }
    *more = false;
    if (token->kind == SGT_WORD && sg_layout_of_torch_name(word) != SIGNET_LAYOUT_UNKNOWN) {
        *more = true;
        info->layout = sg_layout_of_torch_name(word);
        r->t++;
    }
    return true;
}

/* What a type means that only says its dtype and sizes. */
static void start_type(struct sg_sgt_reader *r, signet_type_info *info) {
    if (!sg_program(r->p, r->program)->lossy) {
        info->layout = SIGNET_LAYOUT_STRIDED;
        info->device = signet_str("cpu");
        info->storage_offset = signet_sym_int(r->p, 0);
    }
}

static bool default_strides(struct sg_sgt_reader *r, signet_type_info *info) {
    if (sg_program(r->p, r->program)->lossy) {
        return true;
    }
    if (!sg_vec_reserve(&r->p->allocator, &r->syms, info->rank)) {
        return sg_sgt_no_memory(r);
    }
    info->has_strides =
        sg_sgt_contiguous(r->p, r->syms.data, info->rank, r->spelling, r->syms.data + info->rank);
    info->stride_count = info->has_strides ? info->rank : 0;
    return true;
}

bool sg_sgt_type(struct sg_sgt_reader *r, signet_type *out) {
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    bool strides_told = false;
    bool more = true;
    start_type(r, &info);
    r->syms.count = 0;
    if (!take_dtype(r, &info) || !sg_sgt_expect_mark(r, '[', "'[' and sizes") ||
        !take_syms(r, &info.rank)) {
        return false;
    }
    while (more) {
        if (!take_modifier(r, &info, &strides_told, &more)) {
            return false;
        }
    }
    if (!strides_told && !default_strides(r, &info)) {
        return false;
    }
    info.sizes = r->syms.data;
    info.strides = info.has_strides ? r->syms.data + info.rank : NULL;
    *out = signet_type_make(r->p, &info);
    return out->id != 0;
}

/* ---- Descriptions ---------------------------------------------------------------------------- */

/* sym_int[s0], sym_float[...], sym_bool[...]; *known is false for other words. */
static bool take_sym_description(struct sg_sgt_reader *r, uint8_t *kind, uint32_t *description,
                                 bool *known) {
    static const signet_value_kind kinds[] = {SIGNET_VALUE_SYM_INT, SIGNET_VALUE_SYM_FLOAT,
                                              SIGNET_VALUE_SYM_BOOL};
    *known = false;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (sg_sgt_take_word(r, signet_value_kind_name(kinds[i]))) {
            signet_sym sym = {0};
            bool ok = take_one_sym(r, &sym);
            *known = true;
            *kind = (uint8_t)kinds[i];
            *description = sym.id;
            return ok;
        }
    }
    return true;
}

bool sg_sgt_description(struct sg_sgt_reader *r, uint8_t *kind, uint32_t *description,
                        bool *twice) {
    bool known = false;
    bool ok = take_sym_description(r, kind, description, &known);
    if (ok && !known) {
        if (sg_sgt_take_word(r, "custom_obj")) {
            *kind = SIGNET_VALUE_CUSTOM_OBJ;
            ok = sg_sgt_expect_mark(r, '[', "'['") &&
                 sg_sgt_take_text(r, description, "the name of a class") &&
                 sg_sgt_expect_mark(r, ']', "']'");
        } else if (sg_sgt_take_word(r, "tensor")) {
            *kind = SIGNET_VALUE_TENSOR;
            *description = 0;
            ok = sg_sgt_expect_mark(r, '?', "'?'");
        } else {
            signet_type type = {0};
            *kind = SIGNET_VALUE_TENSOR;
            ok = sg_sgt_type(r, &type);
            *description = type.id;
        }
    }
    *twice = ok && sg_sgt_take_word(r, "twice");
    return ok;
}
