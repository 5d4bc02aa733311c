/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "formats/printed_internal.h"
#include "formats/printed_write.h"

/* Annotations of nodes: JSON in the file, a Python dictionary in the printed text. */

enum { DEPTH = 32 };

/* ---- JSON to Python -------------------------------------------------------------------------- */

static void put_scalar(struct sg_text *t, sg_json v) {
    switch (sg_json_get_kind(v)) {
    case SG_JSON_BOOL:
        sg_text_puts(t, sg_json_bool(v) ? "True" : "False");
        break;
    case SG_JSON_INT:
        sg_text_int(t, sg_json_int(v));
        break;
    case SG_JSON_REAL:
        sg_text_double(t, sg_json_real(v));
        break;
    case SG_JSON_STRING:
        sg_py_repr(t, sg_json_string(v));
        break;
    case SG_JSON_MISSING:
    case SG_JSON_NULL:
    case SG_JSON_ARRAY:
    case SG_JSON_OBJECT:
        sg_text_puts(t, "None");
        break;
    }
}

static bool is_open(sg_json v) {
    sg_json_kind kind = sg_json_get_kind(v);
    return kind == SG_JSON_ARRAY || kind == SG_JSON_OBJECT;
}

static void put_python(struct sg_text *t, sg_json root) {
    struct sg_json_iter stack[DEPTH];
    bool first[DEPTH];
    unsigned depth = 0;
    stack[depth] = sg_json_iter(root);
    first[depth++] = true;
    sg_text_putc(t, '{');
    while (depth > 0) {
        struct sg_json_iter *it = &stack[depth - 1];
        if (!sg_json_next(it)) {
            sg_text_putc(t, it->object ? '}' : ']');
            depth--;
            continue;
        }
        sg_text_puts(t, first[depth - 1] ? "" : ", ");
        first[depth - 1] = false;
        if (it->object) {
            sg_py_repr(t, it->name);
            sg_text_puts(t, ": ");
        }
        if (is_open(it->value) && depth < DEPTH) {
            stack[depth] = sg_json_iter(it->value);
            first[depth] = true;
            sg_text_putc(t, stack[depth].object ? '{' : '[');
            depth++;
        } else {
            put_scalar(t, it->value);
        }
    }
}

void sg_write_custom(struct sg_printed_writer *w, signet_string json) {
    const signet_allocator *a = &w->p->allocator;
    size_t size = json.length + SG_JSON_PADDING;
    char *text = json.length != 0 ? sg_alloc(a, size) : NULL;
    if (text == NULL) {
        w->no_memory = w->no_memory || json.length != 0;
        return;
    }
    memcpy(text, json.data, json.length);
    struct sg_json_error error;
    struct sg_json_doc *doc = sg_json_parse(a, text, json.length, DEPTH, &error);
    sg_json root = {NULL};
    if (doc != NULL) {
        root = sg_json_root(doc);
    } else {
        w->no_memory = w->no_memory || error.problem == SG_JSON_NO_MEMORY;
    }
    if (sg_json_get_kind(root) == SG_JSON_OBJECT && sg_json_count(root) > 0) {
        sg_text_puts(&w->t, " Annotation: ");
        put_python(&w->t, root);
    }
    sg_json_free(doc);
    sg_free(a, text, size);
}

/* ---- Python to JSON -------------------------------------------------------------------------- */

static void put_json_string(struct sg_text *t, signet_string s) {
    sg_text_putc(t, '"');
    for (size_t i = 0; i < s.length; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c == '"' || c == '\\') {
            sg_text_putc(t, '\\');
            sg_text_putc(t, (char)c);
        } else if (c < 0x20) {
            sg_text_printf(t, "\\u%04x", c);
        } else {
            sg_text_putc(t, (char)c);
        }
    }
    sg_text_putc(t, '"');
}

/* A value that is no list and no dictionary; false: JSON has none such. */
static bool put_json_scalar(struct sg_printed *r, const struct sg_pyx *x, uint32_t i,
                            struct sg_text *t) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    switch (n->kind) {
    case SG_PYX_TRUE:
    case SG_PYX_FALSE:
        sg_text_puts(t, n->kind == SG_PYX_TRUE ? "true" : "false");
        return true;
    case SG_PYX_NONE:
        sg_text_puts(t, "null");
        return true;
    case SG_PYX_INT:
    case SG_PYX_FLOAT:
        sg_text_string(t, sg_pyx_text(x, i));
        return true;
    case SG_PYX_STRING:
        sg_pyx_string(x, i, sg_printed_scratch(r));
        put_json_string(t, sg_printed_scratched(r));
        return true;
    default:
        return false;
    }
}

static bool opens(const struct sg_pyx *x, uint32_t i) {
    uint8_t kind = sg_pyx_node(x, i)->kind;
    return kind == SG_PYX_DICT || kind == SG_PYX_LIST || kind == SG_PYX_TUPLE;
}

static bool put_json(struct sg_printed *r, const struct sg_pyx *x, uint32_t root,
                     struct sg_text *t) {
    struct {
        uint32_t node, next, count;
    } stack[DEPTH];
    unsigned depth = 0;
    stack[depth].node = root;
    stack[depth].next = sg_pyx_node(x, root)->first;
    stack[depth++].count = 0;
    sg_text_putc(t, '{');
    while (depth > 0) {
        bool dict = sg_pyx_node(x, stack[depth - 1].node)->kind == SG_PYX_DICT;
        uint32_t i = stack[depth - 1].next;
        if (i == 0) {
            sg_text_putc(t, dict ? '}' : ']');
            depth--;
            continue;
        }
        uint32_t count = stack[depth - 1].count++;
        stack[depth - 1].next = sg_pyx_node(x, i)->next;
        bool value = dict && count % 2 == 1;
        sg_text_puts(t, count == 0 ? "" : value ? ": " : ", ");
        if (dict && !value && sg_pyx_node(x, i)->kind != SG_PYX_STRING) {
            return false;
        }
        if (opens(x, i)) {
            if (depth == DEPTH) {
                return false;
            }
            stack[depth].node = i;
            stack[depth].next = sg_pyx_node(x, i)->first;
            stack[depth++].count = 0;
            sg_text_putc(t, sg_pyx_node(x, i)->kind == SG_PYX_DICT ? '{' : '[');
        } else if (!put_json_scalar(r, x, i, t)) {
            return false;
        }
    }
    return true;
}

/* Where the dictionary that starts at `at` ends. */
static uint32_t dict_end(const struct sg_printed *r, uint32_t at, uint32_t end) {
    uint32_t open = 0;
    char quote = '\0';
    for (uint32_t i = at; i < end; i++) {
        char c = r->text[i];
        if (quote != '\0') {
            i += c == '\\';
            if (c == quote) {
                quote = '\0';
            }
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '{') {
            open++;
        } else if (c == '}' && --open == 0) {
            return i + 1;
        }
    }
    return end;
}

sg_strid sg_printed_read_custom(struct sg_printed *r, uint32_t at, uint32_t end) {
    static const char word[] = "# Annotation: {";
    if (!sg_printed_starts(r, at, end, word)) {
        return 0;
    }
    at += (uint32_t)sizeof(word) - 2;
    uint32_t stop = 0;
    struct sg_pyx *x = &r->signature; /* a tree that the class does not use */
    uint32_t root = sg_pyx_parse(x, at, dict_end(r, at, end), &stop);
    r->no_memory = r->no_memory || x->no_memory;
    struct sg_text t;
    sg_text_init(&t, &r->p->allocator);
    sg_strid id = 0;
    if (root != 0 && sg_pyx_node(x, root)->kind == SG_PYX_DICT && put_json(r, x, root, &t)) {
        id = t.failed ? 0 : sg_intern(r->p, (signet_string){t.data, t.length});
        r->no_memory = r->no_memory || id == 0;
    }
    sg_text_free(&t);
    return id;
}
