/* SPDX-License-Identifier: Apache-2.0 */
/* Writing texts, numbers, types and symbolic sizes of the exact text. */

#include <string.h>

#include "formats/sgt_write.h"

/* ---- Texts and numbers ----------------------------------------------------------------------- */

static void put_quoted(struct sg_sgt_writer *w, signet_string s) {
    sg_text_putc(&w->text, '"');
    sg_text_escaped(&w->text, s, '"');
    sg_text_putc(&w->text, '"');
}

void sg_sgt_put_string(struct sg_sgt_writer *w, sg_strid id) {
    if (id == 0) {
        sg_text_putc(&w->text, '?');
    } else {
        put_quoted(w, sg_string(w->p, id));
    }
}

void sg_sgt_put_word(struct sg_sgt_writer *w, sg_strid id) {
    signet_string s = sg_string(w->p, id);
    if (id != 0 && sg_sgt_is_plain_word(s)) {
        sg_text_string(&w->text, s);
    } else {
        sg_sgt_put_string(w, id);
    }
}

void sg_sgt_put_symbol(struct sg_sgt_writer *w, sg_strid id) {
    signet_string s = sg_string(w->p, id);
    if (id == 0) {
        sg_text_putc(&w->text, '?');
        return;
    }
    sg_text_putc(&w->text, '@');
    if (sg_sgt_is_plain_symbol(s)) {
        sg_text_string(&w->text, s);
    } else {
        put_quoted(w, s);
    }
}

void sg_sgt_put_value_name(struct sg_sgt_writer *w, sg_strid id) {
    signet_string s = sg_string(w->p, id);
    sg_text_putc(&w->text, '%');
    if (sg_sgt_is_plain_value(s)) {
        sg_text_string(&w->text, s);
    } else {
        put_quoted(w, s);
    }
}

void sg_sgt_put_real(struct sg_sgt_writer *w, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    if (v == v || bits == SGT_PLAIN_NAN) {
        sg_text_double(&w->text, v);
    } else {
        sg_text_printf(&w->text, "nan(\"%016llx\")", (unsigned long long)bits);
    }
}

void sg_sgt_put_device(struct sg_sgt_writer *w, sg_strid type, bool has_index, int64_t index,
                       bool keyword) {
    bool known = sg_is_device_type(sg_string(w->p, type));
    if (keyword || !known) {
        sg_text_puts(&w->text, "device ");
    }
    if (known) {
        sg_text_string(&w->text, sg_string(w->p, type));
    } else {
        sg_sgt_put_string(w, type);
    }
    if (has_index) {
        sg_text_putc(&w->text, ':');
        sg_text_int(&w->text, index);
    }
}

static void put_literal(struct sg_sgt_writer *w, signet_sym_kind kind, int64_t number,
                        double real) {
    switch (kind) {
    case SIGNET_SYM_INT:
        sg_text_int(&w->text, number);
        break;
    case SIGNET_SYM_BOOL:
        sg_text_puts(&w->text, number != 0 ? "true" : "false");
        break;
    case SIGNET_SYM_FLOAT:
        sg_sgt_put_real(w, real);
        break;
    case SIGNET_SYM_NONE:
    case SIGNET_SYM_EXPR:
        break;
    }
}

/* ---- Expressions: which form says exactly this ----------------------------------------------- */

enum {
    FORM_KNOWN = 1,   /* the others mean something */
    FORM_SHORT = 2,   /* the infix text reads back as the expression */
    FORM_TEXT = 4,    /* the carrier's text reads back as the expression */
    FORM_SPELLED = 8, /* shifted by the spelling: the carrier's text is that one */
};

static signet_package *scratch(struct sg_sgt_writer *w) {
    if (w->scratch == NULL) {
        signet_status status = signet_package_create(&w->scratch, &w->p->allocator, &w->p->limits);
        if (status != SIGNET_OK) {
            sg_sgt_fail(w, status);
        }
    }
    return w->scratch;
}

static signet_string view(const struct sg_text *t) {
    return (signet_string){t->data != NULL ? t->data : "", t->length};
}

/* Does the text read back as the expression whose srepr is given? */
static bool reads_as(struct sg_sgt_writer *w, signet_string text, signet_string srepr) {
    signet_package *s = scratch(w);
    if (s == NULL) {
        return false;
    }
    signet_expr expr = sg_expr_parse(s, text, NULL, NULL);
    struct sg_text again;
    sg_text_init(&again, &w->p->allocator);
    if (expr.id != 0) {
        sg_expr_srepr(s, expr, &again);
    }
    bool same = expr.id != 0 && sg_string_equal(view(&again), srepr);
    if (again.failed) {
        sg_sgt_fail(w, SIGNET_E_NOMEM);
    }
    sg_text_free(&again);
    return same;
}

/* True when a reader that looks for ',', ']' or '~' takes the text as a whole, and as nothing
 * else. */
static bool stands_alone(signet_string s) {
    static const char marks[] = " +-*/<>=.,&|^()";
    int depth = 0;
    for (size_t i = 0; i < s.length; i++) {
        char c = s.data[i];
        bool is_word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
        if (!is_word && (c == '\0' || strchr(marks, c) == NULL)) {
            return false;
        }
        depth += (c == '(') - (c == ')');
        if (depth < 0 || (c == ',' && depth == 0)) {
            return false;
        }
    }
    return s.length > 0 && depth == 0 && !sg_string_starts(s, "nan") &&
           !sg_string_starts(s, "inf") && !sg_string_starts(s, "-inf") &&
           !sg_string_is(s, "true") && !sg_string_is(s, "false");
}

static uint8_t find_form(struct sg_sgt_writer *w, const struct sg_sym *sym) {
    const signet_expr expr = {sym->expr};
    signet_string text = sg_string(w->p, sym->text);
    uint8_t form = FORM_KNOWN;
    struct sg_text infix;
    struct sg_text srepr;
    sg_text_init(&infix, &w->p->allocator);
    sg_text_init(&srepr, &w->p->allocator);
    sg_expr_infix(w->p, expr, &infix);
    sg_expr_srepr(w->p, expr, &srepr);
    if (infix.failed || srepr.failed) {
        sg_sgt_fail(w, SIGNET_E_NOMEM);
    }
    if (sg_expr(w->p, expr.id)->head != SIGNET_EXPR_INTEGER && stands_alone(view(&infix)) &&
        reads_as(w, view(&infix), view(&srepr))) {
        form |= FORM_SHORT;
    }
    if (text.data != NULL && reads_as(w, text, view(&srepr))) {
        form |= FORM_TEXT;
    }
    if (text.data == NULL) {
        form |= FORM_SPELLED << SGT_SPELLED_BARE;
    } else if (sg_string_equal(text, view(&srepr))) {
        form |= FORM_SPELLED << SGT_SPELLED_SREPR;
    } else if (sg_string_equal(text, view(&infix))) {
        form |= FORM_SPELLED << SGT_SPELLED_INFIX;
    }
    sg_text_free(&infix);
    sg_text_free(&srepr);
    return form;
}

/* A text that fits the grammar would be read as an expression. */
static uint8_t find_textual_form(struct sg_sgt_writer *w, const struct sg_sym *sym) {
    signet_package *s = scratch(w);
    signet_string text = sg_string(w->p, sym->text);
    bool fits = s != NULL && text.data != NULL && sg_expr_parse(s, text, NULL, NULL).id != 0;
    return text.data != NULL && !fits ? FORM_KNOWN | FORM_TEXT : FORM_KNOWN;
}

static uint8_t form_of(struct sg_sgt_writer *w, uint32_t id) {
    if (w->sym_form[id] == 0) {
        const struct sg_sym *sym = sg_sym(w->p, id);
        w->sym_form[id] = sym->expr != 0 ? find_form(w, sym) : find_textual_form(w, sym);
    }
    return w->sym_form[id];
}

sg_sgt_spelling sg_sgt_choose_spelling(struct sg_sgt_writer *w) {
    uint32_t counts[SGT_SPELLINGS] = {0};
    sg_sgt_spelling best = SGT_SPELLED_BARE;
    for (uint32_t id = 1; id < w->p->syms.count; id++) {
        if (sg_sym(w->p, id)->kind == SIGNET_SYM_EXPR) {
            uint8_t form = form_of(w, id);
            for (int i = 0; i < SGT_SPELLINGS; i++) {
                bool is = (form & FORM_SHORT) != 0 && (form & FORM_SPELLED << i) != 0;
                counts[i] += is;
            }
        }
    }
    for (int i = 0; i < SGT_SPELLINGS; i++) {
        if (counts[i] > counts[best]) {
            best = (sg_sgt_spelling)i;
        }
    }
    return best;
}

/* ---- Symbols --------------------------------------------------------------------------------- */

static void put_srepr(struct sg_sgt_writer *w, uint32_t expr) {
    struct sg_text srepr;
    if (expr == 0) { /* the text would read as an expression, and is none here */
        sg_text_puts(&w->text, "none");
        return;
    }
    sg_text_init(&srepr, &w->p->allocator);
    sg_expr_srepr(w->p, (signet_expr){expr}, &srepr);
    put_quoted(w, view(&srepr));
    if (srepr.failed) {
        sg_sgt_fail(w, SIGNET_E_NOMEM);
    }
    sg_text_free(&srepr);
}

static void put_expr(struct sg_sgt_writer *w, uint32_t id, const struct sg_sym *sym) {
    uint8_t form = form_of(w, id);
    if ((form & FORM_SHORT) != 0 && (form & FORM_SPELLED << w->spelling) != 0) {
        sg_expr_infix(w->p, (signet_expr){sym->expr}, &w->text);
        return;
    }
    if (sym->text != 0) {
        sg_sgt_put_string(w, sym->text);
        if ((form & FORM_TEXT) != 0) {
            return;
        }
        sg_text_putc(&w->text, ' ');
    }
    sg_text_puts(&w->text, "expr ");
    put_srepr(w, sym->expr);
}

static void put_sym(struct sg_sgt_writer *w, uint32_t id) {
    const struct sg_sym *sym = sg_sym(w->p, id);
    signet_sym_info info = signet_sym_get(w->p, (signet_sym){id});
    if (sym->kind == SIGNET_SYM_NONE) {
        sg_text_putc(&w->text, '?');
        return;
    }
    if (sym->kind == SIGNET_SYM_EXPR) {
        put_expr(w, id, sym);
    } else {
        put_literal(w, info.kind, info.number, info.real);
    }
    if (info.hint != SIGNET_SYM_NONE) {
        sg_text_putc(&w->text, '~');
        put_literal(w, info.hint, info.hint_number, info.hint_real);
    }
}

static void put_syms(struct sg_sgt_writer *w, struct sg_list list) {
    sg_text_putc(&w->text, '[');
    for (uint32_t i = 0; i < list.count; i++) {
        if (i > 0) {
            sg_text_putc(&w->text, ',');
        }
        put_sym(w, w->p->dims.data[list.first + i]);
    }
    sg_text_putc(&w->text, ']');
}

/* ---- Strides that need not be written -------------------------------------------------------- */

enum { STRIDES_TELL = 1, STRIDES_ARE_DEFAULT = 2 };

static bool sizes_are_numbers(struct sg_sgt_writer *w, const struct sg_type *t) {
    for (uint32_t i = 0; i < t->sizes.count; i++) {
        if (sg_sym(w->p, w->p->dims.data[t->sizes.first + i])->kind != SIGNET_SYM_INT) {
            return false;
        }
    }
    return true;
}

/* Numbers only: the product is counted here. */
static bool numbers_are_default(struct sg_sgt_writer *w, const struct sg_type *t) {
    int64_t product = 1;
    for (uint32_t i = t->sizes.count; i-- > 0;) {
        const struct sg_sym *stride = sg_sym(w->p, w->p->dims.data[t->strides.first + i]);
        int64_t size = sg_sym(w->p, w->p->dims.data[t->sizes.first + i])->number;
        if (stride->kind != SIGNET_SYM_INT || stride->hint != SIGNET_SYM_NONE ||
            stride->number != product) {
            return false;
        }
        if (size > 1 && product > INT64_MAX / size) {
            return i == 0;
        }
        product *= size > 1 ? size : 1;
    }
    return true;
}

/* The same symbol in another package, its expression read from its text. */
static signet_sym copy_sym(struct sg_sgt_writer *w, signet_package *s, uint32_t id) {
    signet_sym_info info = signet_sym_get(w->p, (signet_sym){id});
    if (info.expr.id != 0) {
        struct sg_text srepr;
        sg_text_init(&srepr, &w->p->allocator);
        sg_expr_srepr(w->p, info.expr, &srepr);
        info.expr = sg_expr_parse(s, view(&srepr), NULL, NULL);
        if (srepr.failed) {
            sg_sgt_fail(w, SIGNET_E_NOMEM);
        }
        sg_text_free(&srepr);
    }
    return info.kind != SIGNET_SYM_NONE ? signet_sym_make(s, &info) : (signet_sym){0};
}

static bool same_sym(struct sg_sgt_writer *w, signet_package *s, signet_sym copy, uint32_t id) {
    return copy_sym(w, s, id).id == copy.id && copy.id != 0;
}

static bool strides_match(struct sg_sgt_writer *w, const struct sg_type *t, signet_sym *syms) {
    signet_package *s = scratch(w);
    uint32_t rank = t->sizes.count;
    for (uint32_t i = 0; s != NULL && i < rank; i++) {
        syms[i] = copy_sym(w, s, w->p->dims.data[t->sizes.first + i]);
    }
    if (s == NULL || !sg_sgt_contiguous(s, syms, rank, w->spelling, syms + rank)) {
        return s != NULL && !t->has_strides;
    }
    bool same = t->has_strides && t->strides.count == rank;
    for (uint32_t i = 0; same && i < rank; i++) {
        same = same_sym(w, s, syms[rank + i], w->p->dims.data[t->strides.first + i]);
    }
    return same;
}

static bool find_default(struct sg_sgt_writer *w, const struct sg_type *t) {
    if (t->has_strides && t->strides.count != t->sizes.count) {
        return false;
    }
    if (t->has_strides && sizes_are_numbers(w, t)) {
        return numbers_are_default(w, t);
    }
    size_t size = 0;
    if (!sg_mul_ok((size_t)t->sizes.count * 2, sizeof(signet_sym), &size)) {
        return false;
    }
    signet_sym *syms = sg_alloc(&w->p->allocator, size + sizeof(signet_sym));
    if (syms == NULL) {
        return sg_sgt_fail(w, SIGNET_E_NOMEM);
    }
    bool same = strides_match(w, t, syms);
    sg_free(&w->p->allocator, syms, size + sizeof(signet_sym));
    return same;
}

static bool strides_are_default(struct sg_sgt_writer *w, uint32_t id, const struct sg_type *t) {
    if (sg_program(w->p, w->program)->lossy) {
        return !t->has_strides;
    }
    if (w->type_form[id] == 0) {
        w->type_form[id] = find_default(w, t) ? STRIDES_ARE_DEFAULT : STRIDES_TELL;
    }
    return w->type_form[id] == STRIDES_ARE_DEFAULT;
}

/* ---- Types ----------------------------------------------------------------------------------- */

static void put_dtype(struct sg_sgt_writer *w, uint16_t dtype) {
    const char *name = signet_dtype_name((signet_dtype)dtype);
    if (name != NULL) {
        sg_text_puts(&w->text, name);
    } else if (dtype == SIGNET_DTYPE_UNKNOWN) {
        sg_text_putc(&w->text, '?');
    } else {
        sg_text_printf(&w->text, "dtype(%u)", (unsigned)dtype);
    }
}

static void put_strides(struct sg_sgt_writer *w, uint32_t id, const struct sg_type *t) {
    if (strides_are_default(w, id, t)) {
        return;
    }
    sg_text_puts(&w->text, " strides ");
    if (t->has_strides) {
        put_syms(w, t->strides);
    } else {
        sg_text_putc(&w->text, '?');
    }
}

static void put_offset(struct sg_sgt_writer *w, const struct sg_type *t) {
    const struct sg_sym *sym = sg_sym(w->p, t->offset);
    bool is_zero = sym->kind == SIGNET_SYM_INT && sym->number == 0 && sym->hint == 0;
    if (sg_program(w->p, w->program)->lossy ? t->offset == 0 : is_zero) {
        return;
    }
    sg_text_puts(&w->text, " offset ");
    if (t->offset == 0) {
        sg_text_putc(&w->text, '?');
        return;
    }
    sg_text_putc(&w->text, '[');
    put_sym(w, t->offset);
    sg_text_putc(&w->text, ']');
}

static void put_layout(struct sg_sgt_writer *w, const struct sg_type *t) {
    bool lossy = sg_program(w->p, w->program)->lossy;
    const char *name = signet_layout_name((signet_layout)t->layout);
    if (t->layout == (lossy ? SIGNET_LAYOUT_UNKNOWN : SIGNET_LAYOUT_STRIDED)) {
        return;
    }
    if (name != NULL) {
        sg_text_printf(&w->text, " %s", name);
    } else if (t->layout == SIGNET_LAYOUT_UNKNOWN) {
        sg_text_puts(&w->text, " layout ?");
    } else {
        sg_text_printf(&w->text, " layout %u", (unsigned)t->layout);
    }
}

static void put_type_device(struct sg_sgt_writer *w, const struct sg_type *t) {
    signet_string device = sg_string(w->p, t->device);
    bool lossy = sg_program(w->p, w->program)->lossy;
    if (!t->has_device_index && (lossy ? t->device == 0 : sg_string_is(device, "cpu"))) {
        return;
    }
    sg_text_putc(&w->text, ' ');
    sg_sgt_put_device(w, t->device, t->has_device_index, t->device_index, false);
}

void sg_sgt_put_type(struct sg_sgt_writer *w, uint32_t id) {
    const struct sg_type *t = sg_type(w->p, id);
    put_dtype(w, t->dtype);
    put_syms(w, t->sizes);
    put_strides(w, id, t);
    put_offset(w, t);
    put_layout(w, t);
    put_type_device(w, t);
    if (t->requires_grad) {
        sg_text_puts(&w->text, " grad");
    }
}

void sg_sgt_put_description(struct sg_sgt_writer *w, const struct sg_value *v) {
    if (v->described_as == SIGNET_VALUE_UNKNOWN) {
        return;
    }
    sg_text_puts(&w->text, " : ");
    if (v->described_as == SIGNET_VALUE_TENSOR) {
        if (v->description == 0) {
            sg_text_puts(&w->text, "tensor ?");
        } else {
            sg_sgt_put_type(w, v->description);
        }
    } else {
        sg_text_puts(&w->text, signet_value_kind_name((signet_value_kind)v->described_as));
        sg_text_putc(&w->text, '[');
        if (v->described_as == SIGNET_VALUE_CUSTOM_OBJ) {
            sg_sgt_put_string(w, v->description);
        } else {
            put_sym(w, v->description);
        }
        sg_text_putc(&w->text, ']');
    }
    if (v->described_twice) {
        sg_text_puts(&w->text, " twice");
    }
}
