/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2.h"

#include <string.h>

/* ---- Symbolic scalars ------------------------------------------------------------------------ */

/* A hint is a union of its own: as_int, as_bool, as_float. */
static void read_hint(struct sg_pt2 *r, sg_json v, signet_sym_info *info) {
    signet_string tag;
    sg_json payload;
    if (sg_json_get_kind(v) != SG_JSON_OBJECT ||
        !sg_pt2_union(r, v, "SymExprHint", &tag, &payload)) {
        return;
    }
    if (sg_string_is(tag, "as_int")) {
        if (sg_pt2_expect(r, payload, SG_PT2_INT, "'as_int' of SymExprHint")) {
            info->hint = SIGNET_SYM_INT;
            info->hint_number = sg_json_int(payload);
        }
    } else if (sg_string_is(tag, "as_bool")) {
        if (sg_pt2_expect(r, payload, SG_PT2_BOOL, "'as_bool' of SymExprHint")) {
            info->hint = SIGNET_SYM_BOOL;
            info->hint_number = sg_json_bool(payload);
        }
    } else if (sg_string_is(tag, "as_float")) {
        if (sg_pt2_float(r, payload, "'as_float' of SymExprHint", &info->hint_real)) {
            info->hint = SIGNET_SYM_FLOAT;
        }
    } else {
        sg_pt2_unknown_tag(r, v, "SymExprHint", tag, NULL, 0);
    }
}

static void bad_expression(struct sg_pt2 *r, sg_json v, size_t byte, const char *expected) {
    signet_string s = sg_json_string(v);
    struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_EXPRESSION, v);
    if (d->diag.location.has_byte) {
        d->diag.location.byte += 1 + byte; /* behind the quote */
    }
    sg_diag_message(d, "'%s' is no expression: expected %s at character %llu",
                    sg_log_name(r->log, s), expected != NULL ? expected : "something else",
                    (unsigned long long)byte);
    sg_diag_note(d, "PyTorch hands this text to sympy, which evaluates it as Python; Signet reads "
                    "it by a grammar and never runs it");
    sg_diag_help(d, "write it as sympy's srepr gives it, such as Symbol('s0', integer=True)");
    sg_diag_torch(d, "D-SYM");
    sg_diag_end(d);
}

/* One text is parsed once, and told about once. */
static signet_expr read_expr(struct sg_pt2 *r, sg_json v) {
    sg_strid id = sg_pt2_text(r, v);
    const struct sg_pt2_string *known = sg_pt2_string(r, id);
    if (known == NULL) {
        return (signet_expr){0};
    }
    uint32_t expr = known->expr;
    if (expr == 0) {
        size_t byte = 0;
        const char *expected = NULL;
        expr = sg_expr_parse(r->p, sg_json_string(v), &byte, &expected).id;
        if (expr == 0 && signet_package_status(r->p) == SIGNET_OK) {
            bad_expression(r, v, byte, expected);
        }
        r->strings.data[id].expr = expr != 0 ? expr : UINT32_MAX;
    }
    return (signet_expr){expr != UINT32_MAX ? expr : 0};
}

static bool read_sym_expr(struct sg_pt2 *r, sg_json v, signet_sym_info *info) {
    sg_json f[SG_PT2_SYM_EXPR_COUNT];
    if (!sg_pt2_record(r, v, &sg_pt2_SYM_EXPR, f) || f[SG_PT2_SYM_EXPR_EXPR_STR].value == NULL) {
        return false;
    }
    info->kind = SIGNET_SYM_EXPR;
    info->expr = read_expr(r, f[SG_PT2_SYM_EXPR_EXPR_STR]);
    info->text = sg_json_string(f[SG_PT2_SYM_EXPR_EXPR_STR]);
    read_hint(r, f[SG_PT2_SYM_EXPR_HINT], info);
    return true;
}

signet_sym sg_pt2_sym(struct sg_pt2 *r, sg_json v, const char *of) {
    signet_sym none = {0};
    signet_string tag;
    sg_json payload;
    if (!sg_pt2_union(r, v, of, &tag, &payload)) {
        return none;
    }
    if (sg_string_is(tag, "as_int")) {
        return sg_pt2_expect(r, payload, SG_PT2_INT, "'as_int'")
                   ? signet_sym_int(r->p, sg_json_int(payload))
                   : none;
    }
    signet_sym_info info;
    memset(&info, 0, sizeof(info));
    bool good = false;
    if (sg_string_is(tag, "as_expr")) {
        good = read_sym_expr(r, payload, &info);
    } else if (sg_string_is(tag, "as_bool")) {
        info.kind = SIGNET_SYM_BOOL;
        info.number = sg_json_bool(payload);
        good = sg_pt2_expect(r, payload, SG_PT2_BOOL, "'as_bool'");
    } else if (sg_string_is(tag, "as_float")) {
        info.kind = SIGNET_SYM_FLOAT;
        good = sg_pt2_float(r, payload, "'as_float'", &info.real);
    } else {
        sg_pt2_unknown_tag(r, v, of, tag, NULL, 0);
    }
    return good ? signet_sym_make(r->p, &info) : none;
}

/* ---- Tensor descriptions --------------------------------------------------------------------- */

struct enumeration {
    const char *type;    /* of the schema */
    const char *what;    /* that holds the number */
    const char *numbers; /* that there are */
};

static const char *number_name(sg_pt2_enumeration of, uint32_t number) {
    switch (of) {
    case SG_PT2_SCALAR_TYPE:
        return signet_dtype_name((signet_dtype)number);
    case SG_PT2_LAYOUT:
        return signet_layout_name((signet_layout)number);
    case SG_PT2_MEMORY_FORMAT:
        return signet_memory_format_name((signet_memory_format)number);
    }
    return NULL;
}

void sg_pt2_enum(struct sg_pt2 *r, sg_json v, sg_pt2_enumeration of) {
    static const struct enumeration enumerations[] = {
        [SG_PT2_SCALAR_TYPE] = {"ScalarType", "dtype", "1 to 13 and 28 to 35, such as 7 for f32"},
        [SG_PT2_LAYOUT] = {"Layout", "layout", "1 to 7, such as 7 for strided"},
        [SG_PT2_MEMORY_FORMAT] = {"MemoryFormat", "memory format", "1 to 4"},
    };
    int64_t number = sg_json_int(v);
    if (v.value == NULL || number == 0 || /* which is "unknown" in the schema itself */
        (number > 0 && number < UINT16_MAX && number_name(of, (uint32_t)number) != NULL)) {
        return;
    }
    const struct enumeration *e = &enumerations[of];
    struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_ENUM_VALUE, v);
    sg_diag_message(d, "%s %lld is no %s of schema %d.%d", e->what, (long long)number, e->type,
                    SG_SCHEMA_MAJOR, SG_SCHEMA_MINOR);
    sg_diag_help(d, "write one of its numbers: %s", e->numbers);
    if (of == SG_PT2_SCALAR_TYPE) {
        sg_diag_torch(d, "D-TEN");
        sg_diag_known_as(d, "KeyError \"%lld\"", (long long)number);
    }
    sg_diag_end(d);
}

/* Appends the elements of a list of SymInts to r->sizes; false when the list cannot be used. */
static bool read_sizes(struct sg_pt2 *r, sg_json v, uint32_t *count) {
    *count = sg_json_count(v);
    if (*count > r->p->limits.rank) {
        struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_LIMIT, v);
        sg_diag_message(d, "a tensor of %u dimensions, the limit is %llu", (unsigned)*count,
                        (unsigned long long)r->p->limits.rank);
        sg_diag_help(d, "raise the limit: --limit rank=%u", (unsigned)*count);
        sg_diag_end(d);
        r->status = SIGNET_E_LIMIT;
        return false;
    }
    if (!sg_vec_reserve(&r->p->allocator, &r->sizes, *count)) {
        sg_pt2_no_memory(r);
        return false;
    }
    bool good = true;
    struct sg_json_iter it = sg_json_iter(v);
    while (sg_json_next(&it)) {
        signet_sym sym = sg_pt2_sym(r, it.value, "SymInt");
        r->sizes.data[r->sizes.count++] = sym;
        good = good && sym.id != 0;
    }
    return good;
}

/* Elements times bytes must fit 64 bits; symbolic and negative sizes are left to the rules. */
static void check_overflow(struct sg_pt2 *r, sg_json sizes, signet_dtype dtype) {
    uint64_t product = signet_dtype_bytes(dtype);
    bool overflow = false;
    struct sg_json_iter it = sg_json_iter(sizes);
    for (uint32_t i = 0; sg_json_next(&it); i++) {
        signet_sym_info size = signet_sym_get(r->p, r->sizes.data[i]);
        if (size.kind != SIGNET_SYM_INT || size.number <= 0) {
            return;
        }
        overflow = overflow || product > (uint64_t)INT64_MAX / (uint64_t)size.number;
        product *= (uint64_t)size.number;
    }
    if (overflow) {
        struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_SIZE_OVERFLOW, sizes);
        sg_diag_message(d, "the product of the sizes, in bytes, does not fit 64 bits");
        sg_diag_help(d, "correct the sizes");
        sg_diag_end(d);
    }
}

static void read_device(struct sg_pt2 *r, sg_json v, signet_type_info *info) {
    sg_json f[SG_PT2_DEVICE_COUNT];
    if (v.value == NULL || !sg_pt2_record(r, v, &sg_pt2_DEVICE, f)) {
        return;
    }
    info->device = sg_pt2_name_text(r, f[SG_PT2_DEVICE_TYPE]);
    info->has_device_index = sg_json_get_kind(f[SG_PT2_DEVICE_INDEX]) == SG_JSON_INT;
    info->device_index = sg_json_int(f[SG_PT2_DEVICE_INDEX]);
}

signet_type sg_pt2_type(struct sg_pt2 *r, sg_json v) {
    sg_json f[SG_PT2_TENSOR_META_COUNT];
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    if (!sg_pt2_record(r, v, &sg_pt2_TENSOR_META, f)) {
        return (signet_type){0};
    }
    sg_pt2_enum(r, f[SG_PT2_TENSOR_META_DTYPE], SG_PT2_SCALAR_TYPE);
    sg_pt2_enum(r, f[SG_PT2_TENSOR_META_LAYOUT], SG_PT2_LAYOUT);
    int64_t dtype = sg_json_int(f[SG_PT2_TENSOR_META_DTYPE]);
    int64_t layout = sg_json_int(f[SG_PT2_TENSOR_META_LAYOUT]);
    info.dtype = (signet_dtype)(dtype >= 0 && dtype < UINT16_MAX ? dtype : 0);
    info.layout = (signet_layout)(layout >= 0 && layout < UINT16_MAX ? layout : 0);
    info.requires_grad = sg_json_bool(f[SG_PT2_TENSOR_META_REQUIRES_GRAD]);
    read_device(r, f[SG_PT2_TENSOR_META_DEVICE], &info);
    r->sizes.count = 0;
    if (f[SG_PT2_TENSOR_META_SIZES].value == NULL ||
        !read_sizes(r, f[SG_PT2_TENSOR_META_SIZES], &info.rank)) {
        return (signet_type){0};
    }
    check_overflow(r, f[SG_PT2_TENSOR_META_SIZES], info.dtype);
    info.has_strides = f[SG_PT2_TENSOR_META_STRIDES].value != NULL &&
                       read_sizes(r, f[SG_PT2_TENSOR_META_STRIDES], &info.stride_count);
    if (f[SG_PT2_TENSOR_META_STORAGE_OFFSET].value != NULL) {
        info.storage_offset = sg_pt2_sym(r, f[SG_PT2_TENSOR_META_STORAGE_OFFSET], "SymInt");
    }
    info.sizes = r->sizes.data;
    info.strides = info.has_strides ? r->sizes.data + info.rank : NULL;
    info.stride_count = info.has_strides ? info.stride_count : 0;
    return signet_type_make(r->p, &info);
}
