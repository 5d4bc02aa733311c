/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/compiler.h"
#include "formats/printed_internal.h"

/* What annotations say: "f32[2, s0 + 1]", "f32[2][1]cpu", "Sym(u0 >= 2)", "DTensor(f32[2], ...)".
 */

/* Element types that PyTorch prints and torch.export's schema has no number for. */
static const char *const other_dtypes[] = {
    "f4e2m1fnx2", "b1x8", "b2x4", "b4x2", "b8x1", "b16x1", "i1", "i2", "i3",  "i4",  "i5",  "i6",
    "i7",         "u1",   "u2",   "u3",   "u4",   "u5",    "u6", "u7", "qi8", "qu8", "qi32"};

static bool find_dtype(signet_string name, signet_dtype *out) {
    static const struct {
        const char *name;
        signet_dtype dtype;
    } dtypes[] = {
#define SIGNET_DTYPE(id, number, short_name, torch_name, bytes) {short_name, SIGNET_DTYPE_##id},
#include "signet/kinds.def"
    };
    *out = SIGNET_DTYPE_UNKNOWN;
    for (size_t i = 0; i < SG_COUNT_OF(dtypes); i++) {
        if (sg_string_is(name, dtypes[i].name)) {
            *out = dtypes[i].dtype;
            return true;
        }
    }
    for (size_t i = 0; i < SG_COUNT_OF(other_dtypes); i++) {
        if (sg_string_is(name, other_dtypes[i])) {
            return true;
        }
    }
    return false;
}

/* ---- Symbolic scalars ------------------------------------------------------------------------ */

static bool is_one_of(signet_string name, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (sg_string_is(name, list[i])) {
            return true;
        }
    }
    return false;
}

/* Functions whose result is no integer, whatever their operands are. */
static const char *const truths[] = {
    "GreaterThan",
    "LessThan",
    "StrictGreaterThan",
    "StrictLessThan",
    "Equality",
    "Unequality",
    "Eq",
    "Ne",
    "And",
    "Or",
    "Not",
    "Ge",
    "Le",
    "Gt",
    "Lt",
    "true",
    "false",
    "True",
    "False",
    "Xor",
    "is_non_overlapping_and_dense_indicator",
};
static const char *const reals[] = {
    "FloatTrueDiv", "IntTrueDiv", "FloatPow", "ToFloat", "TruncToFloat", "RoundDecimal", "Float",
};
static const char *const integers[] = {
    "FloorDiv",  "Mod",     "PythonMod",    "ModularIndexing", "CleanDiv",
    "CeilToInt", "CeilDiv", "FloorToInt",   "TruncToInt",      "RoundToInt",
    "LShift",    "RShift",  "PowByNatural",
};

/* Floats carry their kind in the name: zf3, zuf0. */
static bool is_float_symbol(signet_string name) {
    return sg_string_starts(name, "zf") || sg_string_starts(name, "zuf");
}

/* The kind of scalar an expression is: a truth by its head, a float when one of its operands is. */
static signet_arg_kind kind_of(struct sg_printed *r, signet_expr root) {
    const struct sg_expr *head = sg_expr(r->p, root.id);
    if (head->head == SIGNET_EXPR_FUNCTION &&
        is_one_of(sg_string(r->p, head->name), truths, SG_COUNT_OF(truths))) {
        return SIGNET_ARG_SYM_BOOL;
    }
    uint32_t budget = 4096; /* shared operands could be met again and again */
    r->work.count = 0;
    if (!sg_vec_reserve(&r->p->allocator, &r->work, 1)) {
        r->no_memory = true;
        return SIGNET_ARG_SYM_INT;
    }
    r->work.data[r->work.count++] = root.id;
    while (r->work.count > 0 && budget-- > 0) {
        const struct sg_expr *e = sg_expr(r->p, r->work.data[--r->work.count]);
        signet_string name = sg_string(r->p, e->name);
        bool function = e->head == SIGNET_EXPR_FUNCTION;
        if ((function && (is_one_of(name, reals, SG_COUNT_OF(reals)) ||
                          sg_string_starts(name, "OpaqueUnaryFn_"))) ||
            (e->head == SIGNET_EXPR_SYMBOL && is_float_symbol(name))) {
            return SIGNET_ARG_SYM_FLOAT;
        }
        if ((function && is_one_of(name, integers, SG_COUNT_OF(integers))) ||
            e->operands.count == 0) {
            continue;
        }
        if (!sg_vec_reserve(&r->p->allocator, &r->work, e->operands.count)) {
            r->no_memory = true;
            return SIGNET_ARG_SYM_INT;
        }
        for (uint32_t i = 0; i < e->operands.count; i++) {
            r->work.data[r->work.count++] = r->p->dims.data[e->operands.first + i];
        }
    }
    return SIGNET_ARG_SYM_INT;
}

/* An expression with its text. Null: told. */
static signet_sym read_expression(struct sg_printed *r, struct sg_printed_piece s,
                                  signet_expr *expr) {
    signet_string text = sg_printed_piece(r, s);
    size_t byte = 0;
    const char *expected = NULL;
    *expr = sg_expr_parse(r->p, text, &byte, &expected);
    if (expr->id == 0) {
        if (r->p->status == SIGNET_OK) {
            struct sg_span span = sg_span_make(s.at + byte, s.length > byte ? s.length - byte : 0);
            struct sg_diag *d = sg_diag_begin(r->log, SIGNET_CODE_CARRIER_EXPRESSION,
                                              sg_at_source(r->p, r->log, r->source, span));
            sg_diag_message(d, "expected %s in the expression '%s'",
                            expected != NULL ? expected : "a symbolic size",
                            sg_log_name(r->log, text));
            sg_diag_end(d);
        }
        return (signet_sym){0};
    }
    signet_sym_info info = {.kind = SIGNET_SYM_EXPR, .expr = *expr, .text = text};
    return signet_sym_make(r->p, &info);
}

/* What stands between the brackets of "Sym(...)". Null: told. */
static signet_sym read_scalar(struct sg_printed *r, struct sg_printed_piece s, uint8_t *kind) {
    signet_string text = sg_printed_piece(r, s);
    signet_sym_info info = {.kind = SIGNET_SYM_INT};
    if (sg_parse_int(text, &info.number)) {
        *kind = SIGNET_ARG_SYM_INT;
        return signet_sym_make(r->p, &info);
    }
    if (sg_string_is(text, "True") || sg_string_is(text, "False")) {
        *kind = SIGNET_ARG_SYM_BOOL;
        info = (signet_sym_info){.kind = SIGNET_SYM_BOOL, .number = text.length == 4};
        return signet_sym_make(r->p, &info);
    }
    if (sg_parse_double(text, &info.real)) {
        *kind = SIGNET_ARG_SYM_FLOAT;
        info = (signet_sym_info){.kind = SIGNET_SYM_FLOAT, .real = info.real};
        return signet_sym_make(r->p, &info);
    }
    signet_expr expr;
    signet_sym sym = read_expression(r, s, &expr);
    *kind = expr.id != 0 ? (uint8_t)kind_of(r, expr) : SIGNET_ARG_SYM_INT;
    return sym;
}

/* ---- Tensors --------------------------------------------------------------------------------- */

/* Appends the size in text[at, end) to r->sizes. false: told. */
static bool add_size(struct sg_printed *r, uint32_t at, uint32_t end) {
    if (at == end) {
        sg_printed_expected(r, at, 0, "a size");
        return false;
    }
    int64_t number = 0;
    signet_expr expr;
    signet_sym sym = sg_parse_int(sg_printed_text(r, at, end - at), &number)
                         ? signet_sym_int(r->p, number)
                         : read_expression(r, (struct sg_printed_piece){at, end - at}, &expr);
    if (sym.id == 0) {
        return false;
    }
    if (!sg_vec_reserve(&r->p->allocator, &r->sizes, 1)) {
        r->no_memory = true;
        return false;
    }
    r->sizes.data[r->sizes.count++] = sym;
    return true;
}

/* Reads "[a, b]" at *at. Sizes are expressions: a ',' inside of their brackets separates nothing.
 * false: told. */
static bool read_sizes(struct sg_printed *r, uint32_t *at, uint32_t end) {
    uint32_t depth = 0;
    uint32_t from = *at + 1;
    uint32_t first = r->sizes.count;
    for (uint32_t i = from; i < end; i++) {
        char c = r->text[i];
        if (c == '(' || c == '[') {
            depth++;
        } else if (depth > 0 && (c == ')' || c == ']')) {
            depth--;
        } else if (depth == 0 && (c == ',' || c == ']')) {
            uint32_t start = sg_printed_skip_blanks(r, from, i);
            bool empty = c == ']' && start == i && r->sizes.count == first;
            if (r->sizes.count - first >= r->p->limits.rank) {
                sg_printed_limit(r, start, i - start, "rank", r->p->limits.rank,
                                 "a tensor has too many sizes");
                return false;
            }
            if (!empty && !add_size(r, start, i)) {
                return false;
            }
            from = i + 1;
            if (c == ']') {
                *at = from;
                return true;
            }
        }
    }
    sg_printed_expected(r, end, 1, "']'");
    return false;
}

/* "cpu", "cuda:0" behind the brackets (FX_GRAPH_SHOW_DEVICE). */
static void read_device(const struct sg_printed *r, uint32_t at, uint32_t end,
                        signet_type_info *info) {
    uint32_t length = (uint32_t)sg_py_name_length(r->text + at, end - at);
    info->device = sg_printed_text(r, at, length);
    if (at + length < end && r->text[at + length] == ':') {
        uint32_t number = at + length + 1;
        info->has_device_index =
            sg_parse_int(sg_printed_text(r, number, end - number), &info->device_index);
    }
}

/* dtype[sizes][strides]device, where text[at] is '[' behind the dtype. */
static void read_tensor(struct sg_printed *r, uint32_t at, uint32_t end, signet_dtype dtype,
                        struct sg_printed_described *out) {
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    info.dtype = dtype;
    r->sizes.count = 0;
    if (!read_sizes(r, &at, end)) {
        return;
    }
    info.rank = r->sizes.count;
    if (at < end && r->text[at] == '[') {
        if (!read_sizes(r, &at, end)) {
            return;
        }
        info.has_strides = true;
        info.stride_count = r->sizes.count - info.rank;
    }
    if (at < end) {
        read_device(r, at, end, &info);
    }
    info.sizes = r->sizes.data;
    info.strides = r->sizes.data != NULL ? r->sizes.data + info.rank : NULL;
    out->kind = SIGNET_ARG_TENSOR;
    out->id = signet_type_make(r->p, &info).id;
}

/* ---- Annotations ----------------------------------------------------------------------------- */

/* "f32[2], S(0))", inside the bracket of a subclass of tensor: where the tensor ends. */
static uint32_t subclass_end(const struct sg_printed *r, uint32_t at, uint32_t end) {
    uint32_t depth = 0;
    for (uint32_t i = at; i < end; i++) {
        char c = r->text[i];
        if (c == '(' || c == '[') {
            depth++;
        } else if (depth > 0 && (c == ')' || c == ']')) {
            depth--;
        } else if (depth == 0 && (c == ',' || c == ')')) {
            return i;
        }
    }
    return end;
}

void sg_printed_describe(struct sg_printed *r, struct sg_printed_piece note, bool quoted,
                         struct sg_printed_described *out) {
    uint32_t at = note.at;
    uint32_t end = note.at + note.length;
    *out = (struct sg_printed_described){0, 0, note.at};
    if (note.length == 0) {
        return;
    }
    for (;;) {
        uint32_t length = (uint32_t)sg_py_name_length(r->text + at, end - at);
        signet_string name = sg_printed_text(r, at, length);
        char next = '\0';
        if (at + length < end) {
            next = r->text[at + length];
        }
        signet_dtype dtype = SIGNET_DTYPE_UNKNOWN;
        if (next == '[' && find_dtype(name, &dtype)) {
            read_tensor(r, at + length, end, dtype, out);
            return;
        }
        if (next == '(' && r->text[end - 1] == ')' && sg_string_is(name, "Sym")) {
            struct sg_printed_piece inner = {at + length + 1, end - at - length - 2};
            out->id = read_scalar(r, inner, &out->kind).id;
            return;
        }
        if (next != '(' || length == 0) {
            break;
        }
        at += length + 1;
        end = subclass_end(r, at, end);
    }
    if (quoted) { /* unquoted ones can be any Python type */
        sg_printed_expected(r, note.at, note.length, "a type such as 'f32[2, 3]' or 'Sym(s0 + 1)'");
    }
}
