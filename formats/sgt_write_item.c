/* SPDX-License-Identifier: Apache-2.0 */
/* Writing arguments of the exact text. */

#include "formats/sgt_write.h"

static const struct sg_arg *arg_at(const struct sg_sgt_writer *w, uint32_t arg) {
    return &w->p->args.data[arg];
}

static sg_payload payload_of(const struct sg_arg *a) {
    return sg_arg_kind_payload((signet_arg_kind)a->kind);
}

static bool is_declared(sg_sgt_where where) {
    return where == SGT_WHERE_DECLARED || where == SGT_WHERE_ENTRY;
}

/* ---- Which value of a name ------------------------------------------------------------------- */

static uint64_t name_key(const struct sg_value *v) {
    return (uint64_t)v->graph << 32 | v->name;
}

static bool tell_ordinal(struct sg_sgt_writer *w, uint32_t value) {
    const struct sg_value *v = sg_value(w->p, value);
    uint32_t count = sg_map_get(w->ordinals, name_key(v)) + 1;
    if (!sg_map_put(w->ordinals, name_key(v), count)) {
        return sg_sgt_fail(w, SIGNET_E_NOMEM);
    }
    w->ordinal[value] = count;
    return true;
}

/* Definitions come first, in the order of the text; undefined values follow when they are met. */
void sg_sgt_put_ordinal(struct sg_sgt_writer *w, uint32_t value) {
    if (w->ordinal == NULL || (w->ordinal[value] == 0 && !tell_ordinal(w, value))) {
        return;
    }
    if (w->ordinal[value] > 1) {
        sg_text_printf(&w->text, "!%u", (unsigned)w->ordinal[value]);
    }
}

/* ---- Names of arguments ---------------------------------------------------------------------- */

static void put_short_name(struct sg_sgt_writer *w, const struct sg_arg *a) {
    const char *mark = "~ ";
    if (a->passing == SIGNET_PASSING_KEYWORD) {
        mark = "=";
    } else if (a->passing == SIGNET_PASSING_POSITIONAL) {
        mark = ": ";
    }
    sg_sgt_put_word(w, a->name);
    sg_text_puts(&w->text, mark);
}

static void put_long_name(struct sg_sgt_writer *w, const struct sg_arg *a, sg_strid name) {
    sg_text_puts(&w->text, "name(");
    sg_sgt_put_string(w, name);
    if (a->passing == SIGNET_PASSING_POSITIONAL) {
        sg_text_puts(&w->text, ", positional");
    } else if (a->passing == SIGNET_PASSING_KEYWORD) {
        sg_text_puts(&w->text, ", keyword");
    }
    sg_text_puts(&w->text, ") ");
}

/* A declared argument that would name a value says its name as that. */
static bool name_is_value(const struct sg_arg *a, sg_sgt_where where) {
    sg_payload payload = payload_of(a);
    return is_declared(where) && (payload == SG_PAYLOAD_VALUE || a->kind == SIGNET_ARG_UNKNOWN ||
                                  (payload == SG_PAYLOAD_SYMBOL && !a->literal));
}

/* Returns whether a name is written. */
static bool put_name(struct sg_sgt_writer *w, sg_sgt_where where, const struct sg_arg *a,
                     bool inside, sg_strid default_name) {
    sg_strid name = name_is_value(a, where) ? 0 : a->name;
    bool is_argument = where == SGT_WHERE_ARGUMENT && !inside;
    uint8_t passing = is_argument ? SIGNET_PASSING_POSITIONAL : SIGNET_PASSING_UNKNOWN;
    if (name == (is_argument ? default_name : 0) && a->passing == passing) {
        return false;
    }
    if (inside || is_argument) {
        put_short_name(w, a);
    } else {
        put_long_name(w, a, name);
    }
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void put_kind(struct sg_sgt_writer *w, const struct sg_arg *a) {
    const char *name = signet_arg_kind_name((signet_arg_kind)a->kind);
    sg_text_printf(&w->text, "%s ", name != NULL ? name : "none");
}

static void put_class(struct sg_sgt_writer *w, const struct sg_arg *a, sg_strid default_class) {
    if (a->kind == SIGNET_ARG_CUSTOM_OBJ && a->u.ref.extra != default_class) {
        sg_text_puts(&w->text, " class ");
        sg_sgt_put_string(w, a->u.ref.extra);
    }
}

static void put_value(struct sg_sgt_writer *w, sg_sgt_where where, const struct sg_arg *a) {
    const struct sg_value *v = sg_value(w->p, a->u.ref.value);
    bool defines = where == SGT_WHERE_RESULT;
    signet_value_kind told = (signet_value_kind)(defines ? v->described_as : v->kind);
    if (a->u.ref.value == 0) {
        put_kind(w, a);
        sg_text_putc(&w->text, '?');
        return;
    }
    if (a->kind != sg_sgt_natural_kind(told)) {
        put_kind(w, a);
    }
    sg_sgt_put_value_name(w, v->name);
    if (!defines) {
        sg_sgt_put_ordinal(w, a->u.ref.value);
    }
    put_class(w, a, v->described_as == SIGNET_VALUE_CUSTOM_OBJ ? v->description : 0);
    if (defines) {
        sg_sgt_put_description(w, v);
    }
}

static void put_declared_value(struct sg_sgt_writer *w, const struct sg_arg *a) {
    if (a->kind == SIGNET_ARG_UNKNOWN) {
        sg_text_puts(&w->text, a->name != 0 ? "unknown " : "unknown");
    } else if (a->kind != SIGNET_ARG_TENSOR || a->name == 0) {
        put_kind(w, a);
        sg_text_puts(&w->text, a->name == 0 ? "?" : "");
    }
    if (a->name != 0) {
        sg_sgt_put_value_name(w, a->name);
        put_class(w, a, 0);
    }
}

/* ---- Literals -------------------------------------------------------------------------------- */

static void put_enum(struct sg_sgt_writer *w, const struct sg_arg *a) {
    const char *name = NULL;
    if (a->u.integer > 0 && a->u.integer <= UINT16_MAX) {
        if (a->kind == SIGNET_ARG_SCALAR_TYPE) {
            name = signet_dtype_name((signet_dtype)a->u.integer);
        } else if (a->kind == SIGNET_ARG_LAYOUT) {
            name = signet_layout_name((signet_layout)a->u.integer);
        } else {
            name = signet_memory_format_name((signet_memory_format)a->u.integer);
        }
    }
    if (name != NULL) {
        sg_text_puts(&w->text, name);
    } else {
        put_kind(w, a);
        sg_text_int(&w->text, a->u.integer);
    }
}

void sg_sgt_put_target(struct sg_sgt_writer *w, sg_strid id) {
    signet_string s = sg_string(w->p, id);
    signet_string rest = s;
    if (sg_string_starts(s, SGT_TARGET_PREFIX)) {
        rest.data += sizeof(SGT_TARGET_PREFIX) - 1;
        rest.length -= sizeof(SGT_TARGET_PREFIX) - 1;
    }
    if (rest.length < s.length && sg_sgt_is_plain_symbol(rest) && !sg_sgt_target_is_whole(rest)) {
        sg_text_putc(&w->text, '@');
        sg_text_string(&w->text, rest);
    } else if (id == 0 || sg_sgt_target_is_whole(s)) {
        sg_sgt_put_symbol(w, id);
    } else {
        sg_text_putc(&w->text, '@');
        sg_sgt_put_string(w, id);
    }
}

static void put_text_literal(struct sg_sgt_writer *w, const struct sg_arg *a) {
    if (a->kind == SIGNET_ARG_OPERATOR && a->u.text != 0) {
        sg_sgt_put_target(w, a->u.text);
        return;
    }
    if (a->kind != SIGNET_ARG_STRING || a->u.text == 0) {
        put_kind(w, a);
    }
    sg_sgt_put_string(w, a->u.text);
}

/* The block follows where the argument holds the graph; all others say its number. */
static void put_graph(struct sg_sgt_writer *w, sg_sgt_where where, uint32_t arg) {
    const struct sg_arg *a = arg_at(w, arg);
    const struct sg_graph *g = sg_graph(w->p, a->u.id);
    put_kind(w, a);
    if (a->u.id == 0) {
        sg_text_puts(&w->text, "none");
        return;
    }
    bool holds = g->parent == arg && g->program == w->program && where != SGT_WHERE_ENTRY &&
                 !w->graph_written[a->u.id];
    if (!holds || !sg_vec_reserve(&w->p->allocator, &w->bodies, 1)) {
        if (holds) {
            sg_sgt_fail(w, SIGNET_E_NOMEM);
        }
        sg_text_printf(&w->text, "#%u", (unsigned)(w->graph_number[a->u.id] - 1));
        return;
    }
    w->bodies.data[w->bodies.count++] = a->u.id;
    sg_sgt_put_symbol(w, g->name);
}

static void put_delegate(struct sg_sgt_writer *w, const struct sg_arg *a) {
    const struct sg_delegate *d = sg_delegate(w->p, a->u.id);
    put_kind(w, a);
    if (a->u.id == 0) {
        sg_text_puts(&w->text, "none");
    } else if (d->name != 0 && sg_map_get(w->delegates, d->name) == a->u.id) {
        sg_sgt_put_symbol(w, d->name);
    } else {
        sg_text_printf(&w->text, "#%u", (unsigned)(a->u.id - 1));
    }
}

static void put_sym_literal(struct sg_sgt_writer *w, const struct sg_arg *a) {
    if (a->kind == SIGNET_ARG_SYM_FLOAT) {
        sg_sgt_put_real(w, a->u.real);
    } else if (a->kind == SIGNET_ARG_SYM_BOOL) {
        sg_text_puts(&w->text, a->u.integer != 0 ? "true" : "false");
    } else {
        sg_text_int(&w->text, a->u.integer);
    }
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static signet_arg_kind plain_kind(const struct sg_arg *a) {
    return a->kind == SIGNET_ARG_SYM_FLOAT  ? SIGNET_ARG_FLOAT
           : a->kind == SIGNET_ARG_SYM_BOOL ? SIGNET_ARG_BOOL
                                            : SIGNET_ARG_INT;
}

/* A symbol's literal in a list of symbols is written as a plain number. */
static bool is_plain_in(const struct sg_arg *a, const struct sg_arg *list) {
    return list != NULL && a->literal && payload_of(a) == SG_PAYLOAD_SYMBOL &&
           sg_sgt_literal_in((signet_arg_kind)list->kind, plain_kind(a)) == a->kind;
}

/* A plain number in a list of symbols would become a symbol's literal. */
static bool is_taken_in(const struct sg_arg *a, const struct sg_arg *list) {
    return list != NULL &&
           sg_sgt_literal_in((signet_arg_kind)list->kind, (signet_arg_kind)a->kind) != a->kind;
}

static bool tells_kind(struct sg_sgt_writer *w, const struct sg_arg *list) {
    uint64_t kinds = 0;
    for (uint32_t i = 0; i < list->u.list.count; i++) {
        const struct sg_arg *a = arg_at(w, list->u.list.first + i);
        signet_arg_kind kind = is_plain_in(a, list) ? plain_kind(a) : (signet_arg_kind)a->kind;
        kinds |= sg_sgt_kind_bit(kind);
    }
    return sg_sgt_list_kind(kinds) == list->kind;
}

static void open_list(struct sg_sgt_writer *w, uint32_t arg) {
    const struct sg_arg *a = arg_at(w, arg);
    if (a->kind == SIGNET_ARG_STRING_MAP) {
        sg_text_putc(&w->text, '{');
    } else {
        if (!tells_kind(w, a)) {
            put_kind(w, a);
        }
        sg_text_putc(&w->text, '[');
    }
    if (!sg_vec_reserve(&w->p->allocator, &w->lists, 2)) {
        sg_sgt_fail(w, SIGNET_E_NOMEM);
        return;
    }
    w->lists.data[w->lists.count++] = arg;
    w->lists.data[w->lists.count++] = 0;
}

/* ---- Whole arguments ------------------------------------------------------------------------- */

static void put_scalar(struct sg_sgt_writer *w, sg_sgt_where where, uint32_t arg,
                       const struct sg_arg *list, bool named) {
    const struct sg_arg *a = arg_at(w, arg);
    if (is_taken_in(a, list)) {
        put_kind(w, a);
    }
    switch (payload_of(a)) {
    case SG_PAYLOAD_NOTHING:
        sg_text_puts(&w->text, "none");
        break;
    case SG_PAYLOAD_VALUE:
        put_value(w, where, a);
        break;
    case SG_PAYLOAD_SYMBOL:
        if (!a->literal) {
            put_value(w, where, a);
            break;
        }
        if (!is_plain_in(a, list)) {
            put_kind(w, a);
        }
        put_sym_literal(w, a);
        break;
    case SG_PAYLOAD_INTEGER:
        if (a->kind == SIGNET_ARG_INT) {
            sg_text_int(&w->text, a->u.integer);
        } else {
            put_enum(w, a);
        }
        break;
    case SG_PAYLOAD_REAL:
        sg_sgt_put_real(w, a->u.real);
        break;
    case SG_PAYLOAD_BOOLEAN:
        sg_text_puts(&w->text, a->u.integer != 0 ? "true" : "false");
        break;
    case SG_PAYLOAD_TEXT:
        put_text_literal(w, a);
        break;
    case SG_PAYLOAD_DEVICE: {
        bool has_index = a->u.device.index != INT32_MIN;
        sg_sgt_put_device(w, a->u.device.type, has_index, a->u.device.index, has_index && !named);
        break;
    }
    case SG_PAYLOAD_GRAPH:
        put_graph(w, where, arg);
        break;
    case SG_PAYLOAD_DELEGATE:
        put_delegate(w, a);
        break;
    case SG_PAYLOAD_RAW:
        put_kind(w, a);
        sg_sgt_put_string(w, a->u.raw.tag);
        sg_text_putc(&w->text, ' ');
        sg_sgt_put_string(w, a->u.raw.text);
        break;
    case SG_PAYLOAD_LIST:
        open_list(w, arg);
        break;
    }
}

static void put_one(struct sg_sgt_writer *w, sg_sgt_where where, uint32_t arg,
                    const struct sg_arg *list, sg_strid default_name) {
    const struct sg_arg *a = arg_at(w, arg);
    bool named = put_name(w, where, a, list != NULL, default_name);
    if (name_is_value(a, where)) {
        put_declared_value(w, a);
    } else {
        put_scalar(w, where, arg, list, named);
    }
}

void sg_sgt_put_item(struct sg_sgt_writer *w, sg_sgt_where where, uint32_t arg,
                     sg_strid default_name) {
    uint32_t base = w->lists.count;
    put_one(w, where, arg, NULL, default_name);
    while (w->lists.count > base && w->status == SIGNET_OK) {
        uint32_t *child = &w->lists.data[w->lists.count - 1];
        const struct sg_arg *list = arg_at(w, child[-1]);
        if (*child == list->u.list.count) {
            sg_text_putc(&w->text, list->kind == SIGNET_ARG_STRING_MAP ? '}' : ']');
            w->lists.count -= 2;
            continue;
        }
        if (*child > 0) {
            sg_text_puts(&w->text, ", ");
        }
        put_one(w, where, list->u.list.first + (*child)++, list, 0);
    }
    w->lists.count = base;
}

/* ---- Walks over arguments -------------------------------------------------------------------- */

/* Visits an argument and all that is in it, in the order of the text: the next one after `at`, 0
 * at the end. */
static uint32_t next_arg(const struct sg_sgt_writer *w, uint32_t root, uint32_t at) {
    const struct sg_arg *a = arg_at(w, at);
    if (payload_of(a) == SG_PAYLOAD_LIST && a->u.list.count > 0) {
        return a->u.list.first;
    }
    while (at != root) {
        const struct sg_arg *list = arg_at(w, arg_at(w, at)->owner);
        if (at + 1 < list->u.list.first + list->u.list.count) {
            return at + 1;
        }
        at = arg_at(w, at)->owner;
    }
    return 0;
}

bool sg_sgt_number_definitions(struct sg_sgt_writer *w, uint32_t arg) {
    for (uint32_t at = arg; at != 0; at = next_arg(w, arg, at)) {
        if (sg_arg_has_value(arg_at(w, at)) && !tell_ordinal(w, arg_at(w, at)->u.ref.value)) {
            return false;
        }
    }
    return true;
}

static bool same_payload(const struct sg_arg *a, const struct sg_arg *d) {
    switch (sg_arg_kind_payload((signet_arg_kind)a->kind)) {
    case SG_PAYLOAD_NOTHING:
        return true;
    case SG_PAYLOAD_VALUE:
    case SG_PAYLOAD_SYMBOL:
        if (a->literal || d->literal) {
            return a->literal == d->literal && a->u.integer == d->u.integer;
        }
        return a->kind != SIGNET_ARG_CUSTOM_OBJ || a->u.ref.extra == d->u.ref.extra;
    case SG_PAYLOAD_INTEGER:
    case SG_PAYLOAD_REAL: /* by its bits */
    case SG_PAYLOAD_BOOLEAN:
        return a->u.integer == d->u.integer;
    case SG_PAYLOAD_TEXT:
        return a->u.text == d->u.text;
    case SG_PAYLOAD_LIST:
        return a->u.list.count == d->u.list.count;
    case SG_PAYLOAD_DEVICE:
        return a->u.device.type == d->u.device.type && a->u.device.index == d->u.device.index;
    case SG_PAYLOAD_GRAPH:
    case SG_PAYLOAD_DELEGATE:
        return d->u.id == 0;
    case SG_PAYLOAD_RAW:
        return a->u.raw.tag == d->u.raw.tag && a->u.raw.text == d->u.raw.text;
    }
    return false;
}

bool sg_sgt_is_declared_like(struct sg_sgt_writer *w, uint32_t graph_arg, uint32_t declared) {
    uint32_t at = graph_arg;
    uint32_t other = declared;
    while (at != 0 && other != 0) {
        const struct sg_arg *a = arg_at(w, at);
        const struct sg_arg *d = arg_at(w, other);
        sg_strid name = sg_arg_has_value(a) ? sg_value(w->p, a->u.ref.value)->name : a->name;
        if (a->kind != d->kind || d->passing != SIGNET_PASSING_UNKNOWN || !same_payload(a, d) ||
            (at != graph_arg && d->name != name)) {
            return false;
        }
        at = next_arg(w, graph_arg, at);
        other = next_arg(w, declared, other);
    }
    return at == other;
}
