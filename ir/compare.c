/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/compare.h"

#include <string.h>

#include "base/text.h"
#include "ir/intern_internal.h"

/* Copies as much as fits, never half a character. */
static void copy_cut(char *out, size_t size, const char *text, size_t length) {
    if (length >= size) {
        length = size - 1;
        while (length != 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
            length--;
        }
    }
    if (length != 0) {
        memcpy(out, text, length);
    }
    out[length] = '\0';
}

bool sg_differ(struct sg_compare *c, const char *format, ...) {
    if (c->differs) {
        return false;
    }
    c->differs = true;
    signet_difference *d = c->difference;
    if (d == NULL || d->size < sizeof(*d)) {
        return false;
    }
    d->a_program.id = c->a_program;
    d->b_program.id = c->b_program;
    d->a_graph.id = c->a_graph;
    d->b_graph.id = c->b_graph;
    d->a_node.id = c->a_node;
    d->b_node.id = c->b_node;
    struct sg_text text;
    va_list args;
    sg_text_init(&text, &c->a->allocator);
    va_start(args, format);
    sg_text_vprintf(&text, format, args);
    va_end(args);
    copy_cut(d->what, sizeof(d->what), text.failed ? "" : text.data, text.failed ? 0 : text.length);
    sg_text_free(&text);
    return false;
}

/* ---- Words ---------------------------------------------------------------------------------- */

/* Moves a text into the buffer, and frees it. */
static const char *into(char buffer[SG_WORDS], struct sg_text *text) {
    bool has = !text->failed && text->length != 0;
    copy_cut(buffer, SG_WORDS, has ? text->data : "", has ? text->length : 0);
    sg_text_free(text);
    return buffer;
}

const char *sg_say_name(const signet_package *p, sg_strid name, char buffer[SG_WORDS]) {
    struct sg_text t;
    signet_string s = sg_string(p, name);
    sg_text_init(&t, &p->allocator);
    if (s.data == NULL) {
        sg_text_puts(&t, "absent");
    } else {
        s.length = s.length > 60 ? 60 : s.length;
        sg_text_putc(&t, '\'');
        sg_text_escaped(&t, s, '\'');
        sg_text_putc(&t, '\'');
    }
    return into(buffer, &t);
}

const char *sg_say_node(const signet_package *p, uint32_t node, char buffer[SG_WORDS]) {
    char name[SG_WORDS];
    struct sg_text t;
    signet_string s = signet_node_display_name(p, (signet_node){node});
    sg_text_init(&t, &p->allocator);
    if (node == 0) {
        sg_text_puts(&t, "nothing");
    } else {
        sg_text_printf(&t, "node %s", sg_say_name(p, sg_strings_find(p->strings, s), name));
    }
    return into(buffer, &t);
}

static void put_list(const struct sg_arg *a, struct sg_text *t) {
    sg_text_printf(t, "%s of %u", signet_arg_kind_name((signet_arg_kind)a->kind), a->u.list.count);
}

static void put_number(const struct sg_arg *a, struct sg_text *t) {
    const char *name = NULL;
    if (a->kind == SIGNET_ARG_SCALAR_TYPE) {
        name = signet_dtype_torch_name((signet_dtype)a->u.integer);
    } else if (a->kind == SIGNET_ARG_LAYOUT) {
        name = signet_layout_name((signet_layout)a->u.integer);
    } else if (a->kind == SIGNET_ARG_MEMORY_FORMAT) {
        name = signet_memory_format_name((signet_memory_format)a->u.integer);
    }
    const char *kind = signet_arg_kind_name((signet_arg_kind)a->kind);
    sg_text_printf(t, "the %s ", a->kind == SIGNET_ARG_INT ? "integer" : kind);
    if (name != NULL) {
        sg_text_puts(t, name);
    } else {
        sg_text_int(t, a->u.integer);
    }
}

static void put_literal(const struct sg_arg *a, struct sg_text *t) {
    if (a->kind == SIGNET_ARG_FLOAT || a->kind == SIGNET_ARG_SYM_FLOAT) {
        sg_text_puts(t, "the float ");
        sg_text_double(t, a->u.real);
    } else if (a->kind == SIGNET_ARG_BOOL || a->kind == SIGNET_ARG_SYM_BOOL) {
        sg_text_puts(t, a->u.integer != 0 ? "True" : "False");
    } else {
        sg_text_puts(t, "the integer ");
        sg_text_int(t, a->u.integer);
    }
}

const char *sg_say_arg(const signet_package *p, uint32_t arg, char buffer[SG_WORDS]) {
    const struct sg_arg *a = sg_arg(p, arg);
    char name[SG_WORDS];
    struct sg_text t;
    sg_text_init(&t, &p->allocator);
    switch (sg_arg_kind_payload((signet_arg_kind)a->kind)) {
    case SG_PAYLOAD_NOTHING:
        sg_text_puts(&t, arg == 0 ? "nothing" : "None");
        break;
    case SG_PAYLOAD_SYMBOL:
        if (a->literal) {
            put_literal(a, &t);
            break;
        }
        /* fall through */
    case SG_PAYLOAD_VALUE:
        sg_text_printf(
            &t, "the %s %s", signet_arg_kind_name((signet_arg_kind)a->kind),
            sg_say_name(p, sg_arg_has_value(a) ? sg_value(p, a->u.ref.value)->name : 0, name));
        break;
    case SG_PAYLOAD_INTEGER:
        put_number(a, &t);
        break;
    case SG_PAYLOAD_REAL:
    case SG_PAYLOAD_BOOLEAN:
        put_literal(a, &t);
        break;
    case SG_PAYLOAD_TEXT:
        sg_text_printf(&t, "the %s %s", signet_arg_kind_name((signet_arg_kind)a->kind),
                       sg_say_name(p, a->u.text, name));
        break;
    case SG_PAYLOAD_LIST:
        put_list(a, &t);
        break;
    case SG_PAYLOAD_DEVICE:
        sg_text_printf(&t, "the device %s", sg_say_name(p, a->u.device.type, name));
        if (a->u.device.index != INT32_MIN) {
            sg_text_printf(&t, " %d", a->u.device.index);
        }
        break;
    case SG_PAYLOAD_GRAPH:
        sg_text_printf(&t, "the graph %s", sg_say_name(p, sg_graph(p, a->u.id)->name, name));
        break;
    case SG_PAYLOAD_DELEGATE:
        sg_text_printf(&t, "the delegate %s", sg_say_name(p, sg_delegate(p, a->u.id)->name, name));
        break;
    case SG_PAYLOAD_RAW:
        sg_text_printf(&t, "the unknown %s", sg_say_name(p, a->u.raw.tag, name));
        break;
    }
    return into(buffer, &t);
}

const char *sg_say_place(const signet_package *p, uint32_t arg, char buffer[SG_WORDS]) {
    uint32_t outermost = sg_arg_outermost(p, arg);
    const struct sg_arg *a = sg_arg(p, outermost);
    char name[SG_WORDS];
    struct sg_text t;
    sg_text_init(&t, &p->allocator);
    if (arg != outermost) {
        const struct sg_arg *list = sg_arg(p, sg_arg(p, arg)->owner);
        sg_text_printf(&t, "element %u of ", arg - list->u.list.first);
    }
    uint32_t position = sg_arg_position(p, arg);
    switch ((signet_owner_kind)a->owner_kind) {
    case SIGNET_OWNER_NODE_INPUT:
        sg_text_printf(&t, "argument %u ", position);
        if (sg_string(p, a->name).length != 0) {
            sg_text_printf(&t, "%s ", sg_say_name(p, a->name, name));
        }
        sg_text_printf(&t, "of %s", sg_say_node(p, a->owner, name));
        break;
    case SIGNET_OWNER_NODE_OUTPUT:
        sg_text_printf(&t, "result %u of %s", position, sg_say_node(p, a->owner, name));
        break;
    case SIGNET_OWNER_GRAPH_INPUT:
        sg_text_printf(&t, "input %u", position);
        break;
    case SIGNET_OWNER_GRAPH_OUTPUT:
        sg_text_printf(&t, "output %u", position);
        break;
    case SIGNET_OWNER_NONE:
        sg_text_puts(&t, "the declared argument");
        break;
    }
    return into(buffer, &t);
}

const char *sg_say_type(const signet_package *p, uint32_t type, char buffer[SG_WORDS]) {
    struct sg_text t;
    sg_text_init(&t, &p->allocator);
    sg_type_text(p, (signet_type){type}, &t);
    return into(buffer, &t);
}

/* ---- Syms ----------------------------------------------------------------------------------- */

bool sg_sym_equal(const signet_package *a, uint32_t x, const signet_package *b, uint32_t y) {
    const struct sg_sym *s = sg_sym(a, x);
    const struct sg_sym *t = sg_sym(b, y);
    if (s->kind != t->kind || s->number != t->number || (s->expr == 0) != (t->expr == 0)) {
        return false;
    }
    if (s->expr == 0) {
        return sg_string_equal(sg_string(a, s->text), sg_string(b, t->text));
    }
    return sg_expr_compare(a, s->expr, b, t->expr) == 0;
}

static bool same_list(const signet_package *a, struct sg_list x, const signet_package *b,
                      struct sg_list y) {
    bool same = x.count == y.count;
    for (uint32_t i = 0; i < x.count && same; i++) {
        same = sg_sym_equal(a, a->dims.data[x.first + i], b, b->dims.data[y.first + i]);
    }
    return same;
}

const char *sg_type_difference(const signet_package *a, uint32_t x, const signet_package *b,
                               uint32_t y) {
    const struct sg_type *t = sg_type(a, x);
    const struct sg_type *u = sg_type(b, y);
    if (t->dtype != u->dtype) {
        return "dtype";
    }
    if (!same_list(a, t->sizes, b, u->sizes)) {
        return "sizes";
    }
    if (t->layout != u->layout) {
        return "layout";
    }
    if (t->has_device_index != u->has_device_index || t->device_index != u->device_index ||
        !sg_string_equal(sg_string(a, t->device), sg_string(b, u->device))) {
        return "device";
    }
    if (t->requires_grad != u->requires_grad) {
        return "requires_grad";
    }
    if (t->has_strides != u->has_strides || !same_list(a, t->strides, b, u->strides)) {
        return "strides";
    }
    return sg_sym_equal(a, t->offset, b, u->offset) ? "text or hint of a size" : "storage offset";
}
