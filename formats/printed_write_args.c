/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "formats/printed_write.h"
#include "formats/pyexpr.h"

/* Arguments and calls, as PyTorch prints them. */

void sg_write_name(struct sg_text *t, signet_string name) {
    for (size_t i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (c < 0x20 || c == 0x7f) {
            sg_text_printf(t, "\\x%02x", c);
        } else {
            sg_text_putc(t, (char)c);
        }
    }
}

/* ---- Scalars --------------------------------------------------------------------------------- */

/* A part of a complex number: Python drops the ".0" there. */
static void write_part(struct sg_text *t, double v) {
    size_t before = t->length;
    sg_text_double(t, v);
    if (!t->failed && t->length > before + 2 && memcmp(t->data + t->length - 2, ".0", 2) == 0) {
        t->length -= 2;
        t->data[t->length] = '\0';
    }
}

static void write_complex(const struct sg_printed_writer *w, struct sg_text *t,
                          const struct sg_arg *a) {
    const struct sg_arg *parts = &w->p->args.data[a->u.list.first];
    double real = a->u.list.count == 2 ? parts[0].u.real : 0.0;
    double imaginary = a->u.list.count == 2 ? parts[1].u.real : 0.0;
    if (real == 0.0 && !signbit(real)) {
        write_part(t, imaginary);
        sg_text_putc(t, 'j');
        return;
    }
    sg_text_putc(t, '(');
    write_part(t, real);
    if (!signbit(imaginary) || isnan(imaginary)) {
        sg_text_putc(t, '+');
    }
    write_part(t, imaginary);
    sg_text_puts(t, "j)");
}

static void write_torch_number(struct sg_text *t, const char *what, const char *name,
                               int64_t number) {
    sg_text_puts(t, "torch.");
    if (name != NULL) {
        sg_text_puts(t, name);
    } else {
        sg_text_puts(t, what);
        sg_text_putc(t, '_');
        sg_text_int(t, number);
    }
}

static void write_device(const struct sg_printed_writer *w, struct sg_text *t,
                         const struct sg_arg *a) {
    sg_text_puts(t, "device(type=");
    sg_py_repr(t, sg_string(w->p, a->u.device.type));
    if (a->u.device.index != INT32_MIN) {
        sg_text_puts(t, ", index=");
        sg_text_int(t, a->u.device.index);
    }
    sg_text_putc(t, ')');
}

/* ExecuTorch's operators print with every dot as '_', and so does what is no part of torch. */
static void write_target(struct sg_printed_writer *w, signet_string target) {
    bool whole = sg_string_starts(target, "torch.") || sg_string_starts(target, "self.") ||
                 sg_string_starts(target, "#");
    struct sg_text *t = &w->t;
    size_t before = t->length;
    sg_write_name(t, target);
    for (size_t i = before; !whole && !t->failed && i < t->length; i++) {
        if (t->data[i] == '.') {
            t->data[i] = '_';
        }
    }
}

static void write_literal(struct sg_printed_writer *w, const struct sg_arg *a) {
    struct sg_text *t = &w->t;
    switch (a->kind) {
    case SIGNET_ARG_BOOL:
    case SIGNET_ARG_SYM_BOOL:
        sg_text_puts(t, a->u.integer != 0 ? "True" : "False");
        break;
    case SIGNET_ARG_FLOAT:
    case SIGNET_ARG_SYM_FLOAT:
        sg_text_double(t, a->u.real);
        break;
    case SIGNET_ARG_SCALAR_TYPE: {
        signet_dtype dtype = a->u.integer > 0 && a->u.integer < 0xffff ? (signet_dtype)a->u.integer
                                                                       : SIGNET_DTYPE_UNKNOWN;
        write_torch_number(t, "dtype", signet_dtype_torch_name(dtype), a->u.integer);
        break;
    }
    case SIGNET_ARG_LAYOUT: {
        signet_layout layout = a->u.integer > 0 && a->u.integer < 0xffff
                                   ? (signet_layout)a->u.integer
                                   : SIGNET_LAYOUT_UNKNOWN;
        write_torch_number(t, "layout", signet_layout_name(layout), a->u.integer);
        break;
    }
    case SIGNET_ARG_MEMORY_FORMAT: {
        signet_memory_format format = a->u.integer > 0 && a->u.integer < 0xffff
                                          ? (signet_memory_format)a->u.integer
                                          : SIGNET_MEMORY_FORMAT_UNKNOWN;
        write_torch_number(t, "memory_format", signet_memory_format_name(format), a->u.integer);
        break;
    }
    default:
        sg_text_int(t, a->u.integer);
        break;
    }
}

/* ---- One argument ---------------------------------------------------------------------------- */

static void write_leaf(struct sg_printed_writer *w, uint32_t arg) {
    const struct sg_arg *a = sg_arg(w->p, arg);
    struct sg_text *t = &w->t;
    if (sg_arg_has_value(a)) {
        uint32_t line = w->line_of_value[a->u.ref.value];
        bool here = sg_value(w->p, a->u.ref.value)->graph == w->graph.id && line != 0;
        sg_write_name(t, here ? sg_write_line_name(w, line)
                              : sg_string(w->p, sg_value(w->p, a->u.ref.value)->name));
        return;
    }
    switch (sg_arg_kind_payload((signet_arg_kind)a->kind)) {
    case SG_PAYLOAD_NOTHING:
        sg_text_puts(t, "None");
        break;
    case SG_PAYLOAD_VALUE:
    case SG_PAYLOAD_SYMBOL:
    case SG_PAYLOAD_INTEGER:
    case SG_PAYLOAD_REAL:
    case SG_PAYLOAD_BOOLEAN:
        write_literal(w, a);
        break;
    case SG_PAYLOAD_TEXT:
        if (a->kind == SIGNET_ARG_STRING) {
            sg_py_repr(t, sg_string(w->p, a->u.text));
            break;
        }
        if (a->kind == SIGNET_ARG_OPERATOR) {
            write_target(w, sg_string(w->p, a->u.text));
            break;
        }
        /* fall through */
    case SG_PAYLOAD_GRAPH:
    case SG_PAYLOAD_DELEGATE: {
        uint32_t line = sg_map_get(w->line_of_arg, arg);
        if (line == 0) {
            sg_text_puts(t, "self.");
        }
        sg_write_name(t, line != 0 ? sg_write_line_name(w, line) : sg_write_path(w->p, a));
        break;
    }
    case SG_PAYLOAD_DEVICE:
        write_device(w, t, a);
        break;
    case SG_PAYLOAD_RAW:
        sg_write_name(t, sg_string(w->p, a->u.raw.text));
        break;
    case SG_PAYLOAD_LIST:
        break;
    }
}

static bool is_list(const struct sg_arg *a) {
    return sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_LIST &&
           a->kind != SIGNET_ARG_COMPLEX;
}

static void put_frame(struct sg_printed_writer *w, uint32_t arg) {
    if (!sg_vec_reserve(&w->p->allocator, &w->stack, 1)) {
        w->no_memory = true;
        return;
    }
    w->stack.data[w->stack.count++] = (struct sg_write_frame){arg, 0};
}

/* Opening and closing of a list; an optional tensor is a list of one without brackets. */
static char bracket(const struct sg_arg *a, bool as_tuple, bool open) {
    if (a->kind == SIGNET_ARG_OPTIONAL_TENSOR) {
        return '\0';
    }
    if (a->kind == SIGNET_ARG_STRING_MAP) {
        return open ? '{' : '}';
    }
    if (as_tuple) {
        return open ? '(' : ')';
    }
    return open ? '[' : ']';
}

void sg_write_arg(struct sg_printed_writer *w, uint32_t arg, bool as_tuple) {
    uint32_t base = w->stack.count;
    put_frame(w, arg);
    while (w->stack.count > base && !w->no_memory) {
        struct sg_write_frame *f = &w->stack.data[w->stack.count - 1];
        const struct sg_arg *a = sg_arg(w->p, f->arg);
        bool outer = w->stack.count == base + 1 && as_tuple;
        if (a->kind == SIGNET_ARG_COMPLEX) {
            write_complex(w, &w->t, a);
            w->stack.count--;
            continue;
        }
        if (!is_list(a)) {
            write_leaf(w, f->arg);
            w->stack.count--;
            continue;
        }
        char c = bracket(a, outer, f->next == 0);
        if (f->next == 0 && c != '\0') {
            sg_text_putc(&w->t, c);
        }
        if (f->next >= a->u.list.count) {
            if (outer && a->u.list.count == 1) {
                sg_text_putc(&w->t, ',');
            }
            char close = bracket(a, outer, false);
            if (close != '\0') {
                sg_text_putc(&w->t, close);
            }
            w->stack.count--;
            continue;
        }
        if (f->next > 0) {
            sg_text_puts(&w->t, ", ");
        }
        uint32_t child = a->u.list.first + f->next++;
        if (a->kind == SIGNET_ARG_STRING_MAP) {
            sg_py_repr(&w->t, sg_string(w->p, sg_arg(w->p, child)->name));
            sg_text_puts(&w->t, ": ");
        }
        put_frame(w, child);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Lists that PyTorch 2.13 passes as tuples; the file does not tell lists from tuples. */
static bool is_tuple(signet_string target, uint32_t argument) {
    static const struct {
        const char *name;
        uint32_t argument;
    } tuples[] = {
        {"torch.ops.higher_order.cond", 3},
        {"torch.ops.higher_order.while_loop", 2},
        {"torch.ops.higher_order.while_loop", 3},
        {"torch.ops.higher_order.scan", 3},
        {"torch.ops.higher_order.associative_scan", 2},
    };
    for (size_t i = 0; i < sizeof(tuples) / sizeof(tuples[0]); i++) {
        if (tuples[i].argument == argument && sg_string_is(target, tuples[i].name)) {
            return true;
        }
    }
    return false;
}

/* a + b, -a, a[b]; false: the function prints as a call. */
static bool write_operator(struct sg_printed_writer *w, const struct sg_node *n,
                           signet_string target) {
    static const char module[] = "_operator.";
    if (!sg_string_starts(target, module)) {
        return false;
    }
    signet_string name = {target.data + sizeof(module) - 1, target.length - sizeof(module) + 1};
    bool binary = false;
    sg_pyx_op op = sg_pyx_op_find(name, &binary);
    bool item = sg_string_is(name, "getitem");
    if ((op == SG_PYX_OP_NONE && !item) || n->inputs.count != (binary || item ? 2 : 1)) {
        return false;
    }
    if (!binary && !item) {
        sg_text_puts(&w->t, sg_pyx_op_sign(op));
        sg_write_arg(w, n->inputs.first, false);
        return true;
    }
    sg_write_arg(w, n->inputs.first, false);
    if (item) {
        sg_text_putc(&w->t, '[');
        sg_write_arg(w, n->inputs.first + 1, true);
        sg_text_putc(&w->t, ']');
    } else {
        sg_text_putc(&w->t, ' ');
        sg_text_puts(&w->t, sg_pyx_op_sign(op));
        sg_text_putc(&w->t, ' ');
        sg_write_arg(w, n->inputs.first + 1, false);
    }
    return true;
}

void sg_write_call(struct sg_printed_writer *w, uint32_t node) {
    const struct sg_node *n = sg_node(w->p, node);
    signet_string target = sg_string(w->p, n->target);
    if (write_operator(w, n, target)) {
        return;
    }
    write_target(w, target);
    sg_text_putc(&w->t, '(');
    for (uint32_t i = 0; i < n->inputs.count && !w->no_memory; i++) {
        const struct sg_arg *a = sg_arg(w->p, n->inputs.first + i);
        if (i > 0) {
            sg_text_puts(&w->t, ", ");
        }
        if (a->passing == SIGNET_PASSING_KEYWORD && a->name != 0) {
            sg_write_name(&w->t, sg_string(w->p, a->name));
            sg_text_puts(&w->t, " = ");
        }
        sg_write_arg(w, n->inputs.first + i, is_tuple(target, i));
    }
    sg_text_putc(&w->t, ')');
}
