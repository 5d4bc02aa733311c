/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic scalars and tensor descriptions: each distinct one is one record. */

#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "ir/intern_internal.h"

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Differs from package to package, so that a file cannot choose records of one key. */
static uint64_t seed_of(signet_package *p) {
    if (p->interned_seed == 0) {
        uintptr_t address = (uintptr_t)p;
        p->interned_seed = sg_hash64(&address, sizeof(address)) | 1;
    }
    return p->interned_seed;
}

uint64_t sg_intern_key(signet_package *p, sg_interned what, const uint64_t *words, size_t count) {
    uint64_t hash = sg_hash64_seeded(words, count * sizeof(*words), seed_of(p));
    return hash << 2 | (uint64_t)what;
}

uint64_t sg_intern_key_ids(signet_package *p, sg_interned what, uint64_t *words, size_t count,
                           const uint32_t *ids, size_t id_count) {
    uint64_t hash = sg_hash64_seeded(words, count * sizeof(*words), seed_of(p));
    if (id_count != 0) {
        hash = sg_hash64_seeded(ids, id_count * sizeof(*ids), hash);
    }
    return hash << 2 | (uint64_t)what;
}

static uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static double double_of(int64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* ---- Syms ------------------------------------------------------------------------------------ */

static bool same_record(const struct sg_sym *a, const struct sg_sym *b) {
    return a->kind == b->kind && a->hint == b->hint && a->expr == b->expr && a->text == b->text &&
           a->number == b->number && a->hint_number == b->hint_number;
}

static uint32_t intern_sym(signet_package *p, const struct sg_sym *s) {
    uint64_t words[4] = {(uint64_t)s->kind << 8 | s->hint, (uint64_t)s->expr << 32 | s->text,
                         (uint64_t)s->number, (uint64_t)s->hint_number};
    uint64_t key = sg_intern_key(p, SG_INTERNED_SYM, words, 4);
    uint32_t newest = sg_map_get(p->interned, key);
    for (uint32_t id = newest; id != 0; id = p->sym_chain.data[id]) {
        if (same_record(&p->syms.data[id], s)) {
            return id;
        }
    }
    const signet_allocator *a = &p->allocator;
    if (!sg_vec_reserve(a, &p->syms, 1) || !sg_vec_reserve(a, &p->sym_chain, 1) ||
        !sg_map_put(p->interned, key, p->syms.count)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return 0;
    }
    p->syms.data[p->syms.count] = *s;
    p->sym_chain.data[p->sym_chain.count++] = newest;
    return p->syms.count++;
}

signet_sym signet_sym_int(signet_package *p, int64_t number) {
    struct sg_sym s = {.kind = SIGNET_SYM_INT, .number = number};
    return (signet_sym){intern_sym(p, &s)};
}

/* The one member that belongs to the kind, as 64 bits. */
static int64_t number_of(signet_sym_kind kind, int64_t number, double real) {
    switch (kind) {
    case SIGNET_SYM_INT:
        return number;
    case SIGNET_SYM_BOOL:
        return number != 0;
    case SIGNET_SYM_FLOAT:
        return (int64_t)bits_of(real);
    case SIGNET_SYM_NONE:
    case SIGNET_SYM_EXPR:
        break;
    }
    return 0;
}

signet_sym signet_sym_make(signet_package *p, const signet_sym_info *info) {
    bool is_expr = info->kind == SIGNET_SYM_EXPR;
    if (info->kind == SIGNET_SYM_NONE || info->kind > SIGNET_SYM_EXPR ||
        info->hint >= SIGNET_SYM_EXPR || (is_expr && info->expr.id >= p->exprs.count)) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return (signet_sym){0};
    }
    struct sg_sym s = {.kind = (uint8_t)info->kind,
                       .number = number_of(info->kind, info->number, info->real)};
    if (is_expr) {
        s.expr = info->expr.id;
        s.text = sg_intern(p, info->text);
        s.hint = (uint8_t)info->hint;
        s.hint_number = number_of(info->hint, info->hint_number, info->hint_real);
        if ((s.text == 0 && info->text.data != NULL) || (s.text == 0 && s.expr == 0)) {
            return (signet_sym){0}; /* no memory, or made of a null expression */
        }
    }
    return (signet_sym){intern_sym(p, &s)};
}

signet_sym_info signet_sym_get(const signet_package *p, signet_sym sym) {
    const struct sg_sym *s = sg_sym(p, sym.id);
    signet_sym_info info = {.kind = (signet_sym_kind)s->kind,
                            .expr = {s->expr},
                            .text = sg_string(p, s->text),
                            .hint = (signet_sym_kind)s->hint};
    if (info.kind == SIGNET_SYM_FLOAT) {
        info.real = double_of(s->number);
    } else {
        info.number = s->number;
    }
    if (info.hint == SIGNET_SYM_FLOAT) {
        info.hint_real = double_of(s->hint_number);
    } else {
        info.hint_number = s->hint_number;
    }
    return info;
}

/* An integer, also one that came as an expression. */
static bool is_integer(const signet_package *p, const struct sg_sym *s, int64_t *out) {
    if (s->kind == SIGNET_SYM_INT) {
        *out = s->number;
        return true;
    }
    const struct sg_expr *e = sg_expr(p, s->expr);
    *out = e->number;
    return s->kind == SIGNET_SYM_EXPR && e->head == SIGNET_EXPR_INTEGER;
}

bool sg_sym_same(const signet_package *a, signet_sym x, const signet_package *b, signet_sym y) {
    const struct sg_sym *s = sg_sym(a, x.id);
    const struct sg_sym *t = sg_sym(b, y.id);
    if ((a == b && x.id == y.id) || s->kind == SIGNET_SYM_NONE || t->kind == SIGNET_SYM_NONE) {
        return true;
    }
    int64_t m, n;
    if (is_integer(a, s, &m) && is_integer(b, t, &n)) {
        return m == n;
    }
    if (s->kind != SIGNET_SYM_EXPR || t->kind != SIGNET_SYM_EXPR) {
        bool known = (s->kind != SIGNET_SYM_EXPR || s->expr != 0) &&
                     (t->kind != SIGNET_SYM_EXPR || t->expr != 0);
        return !known || (s->kind == t->kind && s->number == t->number);
    }
    /* A text that fits no grammar tells nothing. */
    return s->expr == 0 || t->expr == 0 || sg_expr_compare(a, s->expr, b, t->expr) == 0;
}

void sg_sym_text(const signet_package *p, signet_sym sym, struct sg_text *out) {
    const struct sg_sym *s = sg_sym(p, sym.id);
    switch ((signet_sym_kind)s->kind) {
    case SIGNET_SYM_NONE:
        sg_text_putc(out, '?');
        break;
    case SIGNET_SYM_INT:
        sg_text_int(out, s->number);
        break;
    case SIGNET_SYM_FLOAT:
        sg_text_double(out, double_of(s->number));
        break;
    case SIGNET_SYM_BOOL:
        sg_text_puts(out, s->number != 0 ? "True" : "False");
        break;
    case SIGNET_SYM_EXPR:
        if (s->expr != 0) {
            sg_expr_infix(p, (signet_expr){s->expr}, out);
        } else {
            sg_text_string(out, sg_string(p, s->text));
        }
        break;
    }
}

/* ---- Types ----------------------------------------------------------------------------------- */

static const uint32_t *ids_of(const signet_package *p, struct sg_list list) {
    return list.count != 0 ? &p->dims.data[list.first] : NULL;
}

static bool same_ids(const signet_package *p, struct sg_list list, const signet_sym *syms,
                     uint32_t count) {
    bool same = list.count == count;
    for (uint32_t i = 0; i < count && same; i++) {
        same = p->dims.data[list.first + i] == syms[i].id;
    }
    return same;
}

static bool same_type(const signet_package *p, const struct sg_type *a, const struct sg_type *b,
                      const signet_type_info *info) {
    return a->dtype == b->dtype && a->layout == b->layout && a->requires_grad == b->requires_grad &&
           a->has_strides == b->has_strides && a->has_device_index == b->has_device_index &&
           a->device == b->device && a->device_index == b->device_index && a->offset == b->offset &&
           same_ids(p, a->sizes, info->sizes, info->rank) &&
           same_ids(p, a->strides, info->strides, info->stride_count);
}

/* The caller's list may be one of the package's own (signet_type_get), which move when they grow.
 */
static uint32_t own_at(const signet_package *p, const signet_sym *syms) {
    uintptr_t at = (uintptr_t)syms;
    uintptr_t first = (uintptr_t)p->dims.data;
    bool own =
        p->dims.data != NULL && at >= first && at < (uintptr_t)(p->dims.data + p->dims.count);
    return own ? (uint32_t)((at - first) / sizeof(uint32_t)) : UINT32_MAX;
}

/* Adds ids that there is room for. */
static struct sg_list put_ids(signet_package *p, const signet_sym *syms, uint32_t own,
                              uint32_t count) {
    struct sg_list list = {p->dims.count, count};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = own != UINT32_MAX ? p->dims.data[own + i] : syms[i].id;
        p->dims.data[p->dims.count++] = id;
    }
    return list;
}

static bool are_syms(const signet_package *p, const signet_sym *syms, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (syms[i].id >= p->syms.count) {
            return false;
        }
    }
    return count == 0 || syms != NULL;
}

static uint32_t intern_type(signet_package *p, struct sg_type *t, const signet_type_info *info) {
    uint64_t words[5] = {(uint64_t)t->dtype << 32 | (uint64_t)t->layout << 8 |
                             (uint64_t)t->requires_grad << 2 | (uint64_t)t->has_strides << 1 |
                             t->has_device_index,
                         (uint64_t)t->device << 32 | t->offset, (uint64_t)t->device_index,
                         (uint64_t)info->rank << 32 | info->stride_count, 0};
    words[4] = sg_intern_key_ids(p, SG_INTERNED_TYPE, words, 4, (const uint32_t *)info->strides,
                                 info->stride_count);
    uint64_t key =
        sg_intern_key_ids(p, SG_INTERNED_TYPE, words, 5, (const uint32_t *)info->sizes, info->rank);
    uint32_t newest = sg_map_get(p->interned, key);
    for (uint32_t id = newest; id != 0; id = p->type_chain.data[id]) {
        if (same_type(p, &p->types.data[id], t, info)) {
            return id;
        }
    }
    uint32_t own_sizes = own_at(p, info->sizes);
    uint32_t own_strides = own_at(p, info->strides);
    const signet_allocator *a = &p->allocator;
    if (info->rank > UINT32_MAX - info->stride_count ||
        !sg_vec_reserve(a, &p->dims, info->rank + info->stride_count) ||
        !sg_vec_reserve(a, &p->types, 1) || !sg_vec_reserve(a, &p->type_chain, 1) ||
        !sg_map_put(p->interned, key, p->types.count)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return 0;
    }
    t->sizes = put_ids(p, info->sizes, own_sizes, info->rank);
    t->strides = put_ids(p, info->strides, own_strides, info->stride_count);
    p->types.data[p->types.count] = *t;
    p->type_chain.data[p->type_chain.count++] = newest;
    return p->types.count++;
}

/* Numbers that no table has are kept as far as the record holds them. */
static uint16_t narrow(int number) {
    return number >= 0 && number < UINT16_MAX ? (uint16_t)number : UINT16_MAX;
}

signet_type signet_type_make(signet_package *p, const signet_type_info *info) {
    if (info == NULL || info->size < sizeof(*info) || !are_syms(p, info->sizes, info->rank) ||
        !are_syms(p, info->strides, info->has_strides ? info->stride_count : 0) ||
        !are_syms(p, &info->storage_offset, 1)) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return (signet_type){0};
    }
    signet_type_info told = *info;
    if (!told.has_strides) {
        told.stride_count = 0;
    }
    struct sg_type t = {.dtype = narrow((int)told.dtype),
                        .layout = narrow((int)told.layout),
                        .requires_grad = told.requires_grad,
                        .has_strides = told.has_strides,
                        .has_device_index = told.has_device_index,
                        .device = sg_intern(p, told.device),
                        .device_index = told.has_device_index ? told.device_index : 0,
                        .offset = told.storage_offset.id};
    if (t.device == 0 && told.device.data != NULL) {
        return (signet_type){0};
    }
    return (signet_type){intern_type(p, &t, &told)};
}

void signet_type_get(const signet_package *p, signet_type type, signet_type_info *info) {
    if (info->size < sizeof(*info)) {
        return;
    }
    const struct sg_type *t = sg_type(p, type.id);
    /* signet_sym is a struct of one uint32_t, as dims hold them. */
    *info = (signet_type_info){.size = info->size,
                               .dtype = (signet_dtype)t->dtype,
                               .layout = (signet_layout)t->layout,
                               .requires_grad = t->requires_grad,
                               .has_strides = t->has_strides,
                               .has_device_index = t->has_device_index,
                               .device = sg_string(p, t->device),
                               .device_index = t->device_index,
                               .sizes = (const signet_sym *)ids_of(p, t->sizes),
                               .rank = t->sizes.count,
                               .strides = (const signet_sym *)ids_of(p, t->strides),
                               .stride_count = t->strides.count,
                               .storage_offset = {t->offset}};
}

void sg_type_text(const signet_package *p, signet_type type, struct sg_text *out) {
    const struct sg_type *t = sg_type(p, type.id);
    const char *name = signet_dtype_name((signet_dtype)t->dtype);
    if (name != NULL) {
        sg_text_puts(out, name);
    } else if (t->dtype != SIGNET_DTYPE_UNKNOWN) {
        sg_text_printf(out, "dtype %u ", t->dtype);
    } else {
        sg_text_putc(out, '?');
    }
    sg_text_putc(out, '[');
    for (uint32_t i = 0; i < t->sizes.count; i++) {
        sg_text_puts(out, i != 0 ? ", " : "");
        sg_sym_text(p, (signet_sym){p->dims.data[t->sizes.first + i]}, out);
    }
    sg_text_putc(out, ']');
}
