/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2_write.h"

#include <string.h>

static double real_of(int64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* ---- Symbolic scalars ------------------------------------------------------------------------ */

static void put_hint(struct sg_pt2_writer *w, const struct sg_sym *s) {
    struct sg_text *t = &w->text;
    if (s->hint == SIGNET_SYM_NONE && !w->nulls) {
        return;
    }
    sg_pt2_put_member(w, &sg_pt2_SYM_EXPR, SG_PT2_SYM_EXPR_HINT);
    if (s->hint == SIGNET_SYM_INT) {
        sg_text_puts(t, "{\"as_int\": ");
        sg_text_int(t, s->hint_number);
    } else if (s->hint == SIGNET_SYM_BOOL) {
        sg_text_puts(t, s->hint_number != 0 ? "{\"as_bool\": true" : "{\"as_bool\": false");
    } else if (s->hint == SIGNET_SYM_FLOAT) {
        sg_text_puts(t, "{\"as_float\": ");
        sg_pt2_put_real(w, real_of(s->hint_number));
    } else {
        sg_text_puts(t, "null");
        return;
    }
    sg_text_putc(t, '}');
}

static void put_sym_expr(struct sg_pt2_writer *w, const struct sg_sym *s) {
    sg_text_puts(&w->text, "{\"as_expr\": {");
    if (s->text != 0) {
        sg_pt2_put_string_member(w, &sg_pt2_SYM_EXPR, SG_PT2_SYM_EXPR_EXPR_STR, s->text);
    } else {
        struct sg_text expr;
        sg_text_init(&expr, &w->p->allocator);
        if (sg_pt2_since(w, 0)) {
            sg_expr_srepr(w->p, (signet_expr){s->expr}, &expr);
        } else {
            sg_expr_infix(w->p, (signet_expr){s->expr}, &expr);
        }
        sg_pt2_put_member(w, &sg_pt2_SYM_EXPR, SG_PT2_SYM_EXPR_EXPR_STR);
        sg_json_put_string(&w->text, (signet_string){expr.data, expr.length});
        w->text.failed |= expr.failed;
        sg_text_free(&expr);
    }
    put_hint(w, s);
    sg_text_puts(&w->text, "}}");
}

void sg_pt2_put_sym(struct sg_pt2_writer *w, uint32_t sym) {
    const struct sg_sym *s = sg_sym(w->p, sym);
    struct sg_text *t = &w->text;
    switch ((signet_sym_kind)s->kind) {
    case SIGNET_SYM_INT:
        sg_text_puts(t, "{\"as_int\": ");
        sg_text_int(t, s->number);
        break;
    case SIGNET_SYM_BOOL:
        sg_text_puts(t, s->number != 0 ? "{\"as_bool\": true" : "{\"as_bool\": false");
        break;
    case SIGNET_SYM_FLOAT:
        sg_text_puts(t, "{\"as_float\": ");
        sg_pt2_put_real(w, real_of(s->number));
        break;
    case SIGNET_SYM_EXPR:
        put_sym_expr(w, s);
        return;
    case SIGNET_SYM_NONE:
        sg_text_puts(t, "null");
        return;
    }
    sg_text_putc(t, '}');
}

/* ---- Tensor descriptions --------------------------------------------------------------------- */

void sg_pt2_put_device(struct sg_pt2_writer *w, sg_strid type, bool has_index, int64_t index) {
    sg_text_putc(&w->text, '{');
    if (type != 0) {
        sg_pt2_put_string_member(w, &sg_pt2_DEVICE, SG_PT2_DEVICE_TYPE, type);
    }
    if (has_index) {
        sg_pt2_put_int_member(w, &sg_pt2_DEVICE, SG_PT2_DEVICE_INDEX, index);
    } else if (w->nulls) {
        sg_pt2_put_member(w, &sg_pt2_DEVICE, SG_PT2_DEVICE_INDEX);
        sg_text_puts(&w->text, "null");
    }
    sg_text_putc(&w->text, '}');
}

static void put_sizes(struct sg_pt2_writer *w, uint32_t field, struct sg_list sizes) {
    sg_pt2_put_member(w, &sg_pt2_TENSOR_META, field);
    sg_text_putc(&w->text, '[');
    for (uint32_t i = 0; i < sizes.count; i++) {
        sg_text_puts(&w->text, i > 0 ? ", " : "");
        sg_pt2_put_sym(w, w->p->dims.data[sizes.first + i]);
    }
    sg_text_putc(&w->text, ']');
}

/* What the carrier did not tell is left out. */
void sg_pt2_put_type(struct sg_pt2_writer *w, uint32_t type) {
    const struct sg_type *t = sg_type(w->p, type);
    sg_text_putc(&w->text, '{');
    sg_pt2_put_int_member(w, &sg_pt2_TENSOR_META, SG_PT2_TENSOR_META_DTYPE, t->dtype);
    put_sizes(w, SG_PT2_TENSOR_META_SIZES, t->sizes);
    sg_pt2_put_bool_member(w, &sg_pt2_TENSOR_META, SG_PT2_TENSOR_META_REQUIRES_GRAD,
                           t->requires_grad);
    if (t->device != 0 || t->has_device_index) {
        sg_pt2_put_member(w, &sg_pt2_TENSOR_META, SG_PT2_TENSOR_META_DEVICE);
        sg_pt2_put_device(w, t->device, t->has_device_index, t->device_index);
    }
    if (t->has_strides) {
        put_sizes(w, SG_PT2_TENSOR_META_STRIDES, t->strides);
    }
    if (t->offset != 0) {
        sg_pt2_put_member(w, &sg_pt2_TENSOR_META, SG_PT2_TENSOR_META_STORAGE_OFFSET);
        sg_pt2_put_sym(w, t->offset);
    }
    sg_pt2_put_int_member(w, &sg_pt2_TENSOR_META, SG_PT2_TENSOR_META_LAYOUT, t->layout);
    sg_text_putc(&w->text, '}');
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void put_class(struct sg_pt2_writer *w, sg_strid name, sg_strid class_name) {
    sg_text_putc(&w->text, '{');
    sg_pt2_put_string_member(w, &sg_pt2_CUSTOM_OBJ_ARGUMENT, SG_PT2_CUSTOM_OBJ_ARGUMENT_NAME, name);
    sg_pt2_put_string_member(w, &sg_pt2_CUSTOM_OBJ_ARGUMENT, SG_PT2_CUSTOM_OBJ_ARGUMENT_CLASS,
                             class_name);
    sg_text_putc(&w->text, '}');
}

static void put_description(struct sg_pt2_writer *w, const struct sg_value *v) {
    sg_pt2_put_key(w, sg_string(w->p, v->name));
    if (v->described_as == SIGNET_VALUE_TENSOR) {
        sg_pt2_put_type(w, v->description);
    } else if (v->described_as == SIGNET_VALUE_CUSTOM_OBJ) {
        put_class(w, v->name, v->description);
    } else {
        sg_pt2_put_sym(w, v->description);
    }
}

/* Values stand in the order in which they were made, as in the files of PyTorch; what nothing
 * defines comes last, because that has no place in the order of the program. */
void sg_pt2_put_table(struct sg_pt2_writer *w, uint32_t graph, signet_value_kind table) {
    sg_text_putc(&w->text, '{');
    for (int pass = 0; pass < 2; pass++) {
        uint32_t id = sg_graph(w->p, graph)->first_value;
        for (; id != 0 && w->status == SIGNET_OK; id = sg_value(w->p, id)->next_in_graph) {
            const struct sg_value *v = sg_value(w->p, id);
            if (v->described_as == table && (v->def != 0) == (pass == 0)) {
                put_description(w, v);
                sg_pt2_write_flush(w, false);
            }
        }
    }
    sg_text_putc(&w->text, '}');
}
