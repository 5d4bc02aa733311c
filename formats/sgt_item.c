/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of the exact text, as trees of items. */

#include "formats/sgt_internal.h"

static struct sg_sgt_item *item_at(struct sg_sgt_reader *r, uint32_t i) {
    return &r->items.data[i];
}

/* ---- Names of arguments ---------------------------------------------------------------------- */

/* self: %x, alpha=1, "a b"~ 1, ?= 1 */
static bool take_short_name(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    const struct sg_sgt_token *mark = sg_sgt_peek_second(r);
    bool is_name =
        token->kind == SGT_WORD || token->kind == SGT_STRING || sg_sgt_is_mark(token, '?');
    if (!is_name || mark->kind != SGT_MARK) {
        return true;
    }
    if (mark->mark == '=') {
        item->passing = SIGNET_PASSING_KEYWORD;
    } else if (mark->mark == ':') {
        item->passing = SIGNET_PASSING_POSITIONAL;
    } else if (mark->mark == '~') {
        item->passing = SIGNET_PASSING_UNKNOWN;
    } else {
        return true;
    }
    item->has_prefix = true;
    if (!sg_sgt_take_word_or_text(r, &item->name, "the name of an argument")) {
        return false;
    }
    r->t++;
    return true;
}

/* name("self", keyword): where the short form would read as something else. */
static bool take_long_name(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    if (!sg_sgt_is_word(r, sg_sgt_peek(r), "name") || !sg_sgt_is_mark(sg_sgt_peek_second(r), '(')) {
        return true;
    }
    r->t += 2;
    item->has_prefix = true;
    if (!sg_sgt_take_text(r, &item->name, "the name of an argument")) {
        return false;
    }
    if (sg_sgt_take_mark(r, ',')) {
        if (sg_sgt_take_word(r, "positional")) {
            item->passing = SIGNET_PASSING_POSITIONAL;
        } else if (sg_sgt_take_word(r, "keyword")) {
            item->passing = SIGNET_PASSING_KEYWORD;
        } else {
            return sg_sgt_expected(r, "positional or keyword");
        }
    }
    return sg_sgt_expect_mark(r, ')', "')'");
}

/* ---- Values ---------------------------------------------------------------------------------- */

static signet_arg_kind known_kind(struct sg_sgt_reader *r, sg_sgt_place place,
                                  const struct sg_sgt_item *item) {
    if (place == SGT_PLACE_RESULT) {
        return sg_sgt_natural_kind((signet_value_kind)item->described);
    }
    if (place == SGT_PLACE_DECLARED) {
        return SIGNET_ARG_TENSOR;
    }
    signet_graph graph = {r->frames.data[r->frames.count - 1].graph};
    const struct sg_value *v = sg_value(r->p, sg_value_lookup(r->p, graph, item->u.ref.value).id);
    return item->u.ref.ordinal == 1 && v->def != 0 ? sg_sgt_natural_kind((signet_value_kind)v->kind)
                                                   : SIGNET_ARG_UNKNOWN;
}

bool sg_sgt_ordinal(struct sg_sgt_reader *r, uint32_t *ordinal) {
    *ordinal = 1;
    if (!sg_sgt_take_mark(r, '!')) {
        return true;
    }
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    if (!sg_sgt_take_uint32(r, ordinal, "which of the values of that name")) {
        return false;
    }
    return *ordinal > 0 ||
           sg_sgt_wrong(r, token->at, token->length,
                        "expected which of the values of that name, from 1, found 0");
}

/* %x, %x!2, %obj class "a.B"; where values are defined, a description may follow. */
static bool take_value(struct sg_sgt_reader *r, sg_sgt_place place, struct sg_sgt_item *item) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    item->names_value = true;
    item->u.ref.ordinal = 1;
    item->u.ref.class_name = 0;
    r->t++;
    if (!sg_sgt_name_of(r, token, &item->u.ref.value)) {
        return false;
    }
    bool is_use = place == SGT_PLACE_ARGUMENT || place == SGT_PLACE_OUTPUT;
    if (is_use && !sg_sgt_ordinal(r, &item->u.ref.ordinal)) {
        return false;
    }
    if (sg_sgt_take_word(r, "class")) {
        item->has_class = true;
        if (!sg_sgt_take_text(r, &item->u.ref.class_name, "the name of a class")) {
            return false;
        }
    }
    if (place == SGT_PLACE_RESULT && sg_sgt_take_mark(r, ':')) {
        item->described_at = sg_sgt_peek(r)->at + 1;
        if (!sg_sgt_description(r, &item->described, &item->description, &item->described_twice)) {
            return false;
        }
    }
    if (!item->is_explicit) {
        item->kind = (uint8_t)known_kind(r, place, item);
    }
    return true;
}

/* tensor ?: the kind of argument that names a value, without one. */
static bool take_no_value(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    item->names_value = true;
    item->u.ref.value = 0;
    item->u.ref.ordinal = 1;
    item->u.ref.class_name = 0;
    return sg_sgt_expect_mark(r, '?', "a value such as %x, or '?'");
}

/* ---- Literals -------------------------------------------------------------------------------- */

/* A number of an enumeration, or the word that the table has for it. */
static bool take_enum(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    signet_string word = sg_sgt_token_text(r, token);
    int number = 0;
    if (token->kind == SGT_INT) {
        return sg_sgt_take_int(r, &item->u.integer, "a number");
    }
    if (token->kind == SGT_WORD && item->kind == SIGNET_ARG_SCALAR_TYPE) {
        number = (int)sg_dtype_of_name(word);
    } else if (token->kind == SGT_WORD && item->kind == SIGNET_ARG_LAYOUT) {
        number = (int)sg_layout_of_torch_name(word);
    } else if (token->kind == SGT_WORD && item->kind == SIGNET_ARG_MEMORY_FORMAT) {
        number = (int)sg_memory_format_of_torch_name(word);
    }
    if (number == 0) {
        return sg_sgt_expected(r, "a number or a name of that kind");
    }
    item->u.integer = number;
    r->t++;
    return true;
}

static bool take_bool(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    item->u.integer = sg_sgt_is_word(r, sg_sgt_peek(r), "true");
    return sg_sgt_take_word(r, "true") || sg_sgt_take_word(r, "false") ||
           sg_sgt_expected(r, "true or false");
}

static bool take_device(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    bool has_index = false;
    int64_t index = 0;
    if (!sg_sgt_device(r, &item->u.device.type, &has_index, &index)) {
        return false;
    }
    if (index <= INT32_MIN || index > INT32_MAX) {
        return sg_sgt_wrong(r, token->at, token->length,
                            "expected the number of a device, found one out of range");
    }
    item->u.device.index = has_index ? (int32_t)index : INT32_MIN;
    return true;
}

static bool take_text_literal(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    if (token->kind == SGT_SYMBOL && item->kind == SIGNET_ARG_OPERATOR) {
        r->t++;
        item->u.text = sg_sgt_target_of(r, token);
        return item->u.text != 0;
    }
    return sg_sgt_take_text(r, &item->u.text, "a text between quotes");
}

/* graph @name: its block follows below. graph #3: the graph of another block. */
static bool take_graph(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    sg_strid name = 0;
    item->u.id = 0;
    if (sg_sgt_take_word(r, "none")) {
        return true;
    }
    if (sg_sgt_take_mark(r, '#')) {
        item->by_number = true;
        return sg_sgt_take_uint32(r, &item->u.id, "the number of a graph");
    }
    if (token->kind == SGT_SYMBOL) {
        r->t++;
        if (!sg_sgt_name_of(r, token, &name)) {
            return false;
        }
    } else if (!sg_sgt_take_mark(r, '?')) {
        return sg_sgt_expected(r, "the graph's name such as @true_graph_0");
    }
    if (!SGT_ROOM(r, &r->bodies)) {
        return false;
    }
    item->u.id = signet_graph_add(r->p, (signet_program){r->program}, sg_string(r->p, name)).id;
    r->bodies.data[r->bodies.count++] = item->u.id;
    return item->u.id != 0;
}

static bool take_delegate(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    item->u.id = 0;
    if (sg_sgt_take_word(r, "none")) {
        return true;
    }
    if (sg_sgt_take_mark(r, '#')) {
        uint32_t number = 0;
        token = sg_sgt_peek(r);
        if (!sg_sgt_take_uint32(r, &number, "the number of a delegate")) {
            return false;
        }
        item->u.id = signet_delegate_at(r->p, number).id;
        return item->u.id != 0 ||
               sg_sgt_wrong(r, token->at, token->length,
                            "expected the number of a delegate that is declared above, found %u",
                            (unsigned)number);
    }
    if (token->kind != SGT_SYMBOL) {
        return sg_sgt_expected(r, "the delegate's name such as @lowered_module_0");
    }
    r->t++;
    return sg_sgt_delegate_of(r, token, &item->u.id);
}

static bool take_raw(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    return sg_sgt_take_text(r, &item->u.raw.tag, "the tag") &&
           sg_sgt_take_text(r, &item->u.raw.text, "the text");
}

static bool open_list(struct sg_sgt_reader *r, struct sg_sgt_item *item, bool *opened) {
    item->is_list = true;
    item->u.list.first = item->u.list.last = item->u.list.count = 0;
    item->closer = sg_sgt_is_mark(sg_sgt_peek(r), '{') ? '}' : ']';
    if (!sg_sgt_take_mark(r, '{') && !sg_sgt_take_mark(r, '[')) {
        return sg_sgt_expected(r, "'['");
    }
    *opened = true;
    return true;
}

/* The literal of sym_int, sym_float, sym_bool. */
static bool take_sym_literal(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    item->literal = true;
    if (item->kind == SIGNET_ARG_SYM_INT) {
        return sg_sgt_take_int(r, &item->u.integer, "a value such as %s, or an integer");
    }
    if (item->kind == SIGNET_ARG_SYM_FLOAT) {
        return sg_sgt_take_real(r, &item->u.real);
    }
    return take_bool(r, item);
}

/* What stands behind the word of a kind. */
static bool take_payload(struct sg_sgt_reader *r, sg_sgt_place place, struct sg_sgt_item *item,
                         bool *opened) {
    bool value = sg_sgt_peek(r)->kind == SGT_VALUE;
    switch (sg_arg_kind_payload((signet_arg_kind)item->kind)) {
    case SG_PAYLOAD_NOTHING:
        return true;
    case SG_PAYLOAD_VALUE:
        return value ? take_value(r, place, item) : take_no_value(r, item);
    case SG_PAYLOAD_SYMBOL:
        if (sg_sgt_is_mark(sg_sgt_peek(r), '?')) {
            return take_no_value(r, item);
        }
        return value ? take_value(r, place, item) : take_sym_literal(r, item);
    case SG_PAYLOAD_INTEGER:
        if (item->kind == SIGNET_ARG_INT) {
            return sg_sgt_take_int(r, &item->u.integer, "an integer");
        }
        return take_enum(r, item);
    case SG_PAYLOAD_REAL:
        return sg_sgt_take_real(r, &item->u.real);
    case SG_PAYLOAD_BOOLEAN:
        return take_bool(r, item);
    case SG_PAYLOAD_TEXT:
        return take_text_literal(r, item);
    case SG_PAYLOAD_LIST:
        return open_list(r, item, opened);
    case SG_PAYLOAD_DEVICE:
        return take_device(r, item);
    case SG_PAYLOAD_GRAPH:
        return take_graph(r, item);
    case SG_PAYLOAD_DELEGATE:
        return take_delegate(r, item);
    case SG_PAYLOAD_RAW:
        return take_raw(r, item);
    }
    return false;
}

/* ---- Kinds that need no word ----------------------------------------------------------------- */

/* f32, strided, channels_last, cpu: the tables' own words. */
static bool take_table_word(struct sg_sgt_reader *r, struct sg_sgt_item *item) {
    signet_string word = sg_sgt_token_text(r, sg_sgt_peek(r));
    if (sg_dtype_of_name(word) != SIGNET_DTYPE_UNKNOWN) {
        item->kind = SIGNET_ARG_SCALAR_TYPE;
        return take_enum(r, item);
    }
    if (sg_layout_of_torch_name(word) != SIGNET_LAYOUT_UNKNOWN) {
        item->kind = SIGNET_ARG_LAYOUT;
        return take_enum(r, item);
    }
    if (sg_memory_format_of_torch_name(word) != SIGNET_MEMORY_FORMAT_UNKNOWN) {
        item->kind = SIGNET_ARG_MEMORY_FORMAT;
        return take_enum(r, item);
    }
    if (sg_is_device_type(word)) {
        item->kind = SIGNET_ARG_DEVICE;
        return take_device(r, item);
    }
    return sg_sgt_expected(r, "an argument such as %x, 1, \"text\" or [1, 2]");
}

static bool take_word(struct sg_sgt_reader *r, sg_sgt_place place, struct sg_sgt_item *item,
                      bool *opened) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    if (sg_sgt_is_real(r)) {
        item->kind = SIGNET_ARG_FLOAT;
        return sg_sgt_take_real(r, &item->u.real);
    }
    if (sg_sgt_is_word(r, token, "true") || sg_sgt_is_word(r, token, "false")) {
        item->kind = SIGNET_ARG_BOOL;
        return take_bool(r, item);
    }
    if (place == SGT_PLACE_DECLARED && sg_sgt_take_word(r, "unknown")) {
        item->is_explicit = true;
        return sg_sgt_peek(r)->kind != SGT_VALUE || take_value(r, place, item);
    }
    signet_arg_kind kind = sg_arg_kind_of_keyword(sg_sgt_token_text(r, token));
    if (kind == SIGNET_ARG_UNKNOWN) {
        return take_table_word(r, item);
    }
    r->t++;
    item->kind = (uint8_t)kind;
    item->is_explicit = kind != SIGNET_ARG_NONE;
    return take_payload(r, place, item, opened);
}

static bool take_core(struct sg_sgt_reader *r, sg_sgt_place place, struct sg_sgt_item *item,
                      bool *opened) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    switch ((sg_sgt_token_kind)token->kind) {
    case SGT_VALUE:
        return take_value(r, place, item);
    case SGT_INT:
        item->kind = SIGNET_ARG_INT;
        return sg_sgt_take_int(r, &item->u.integer, "an integer");
    case SGT_REAL:
        item->kind = SIGNET_ARG_FLOAT;
        return sg_sgt_take_real(r, &item->u.real);
    case SGT_STRING:
        item->kind = SIGNET_ARG_STRING;
        return take_text_literal(r, item);
    case SGT_SYMBOL:
        item->kind = SIGNET_ARG_OPERATOR;
        return take_text_literal(r, item);
    case SGT_WORD:
        return take_word(r, place, item, opened);
    case SGT_MARK:
        if (token->mark == '{') {
            item->kind = SIGNET_ARG_STRING_MAP;
            item->is_explicit = true;
        }
        if (token->mark == '{' || token->mark == '[') {
            return open_list(r, item, opened);
        }
        break;
    case SGT_END:
    case SGT_DOTS:
    case SGT_OPEN:
    case SGT_BAD:
        break;
    }
    return sg_sgt_expected(r, "an argument such as %x, 1, \"text\" or [1, 2]");
}

/* ---- Whole items ----------------------------------------------------------------------------- */

static bool is_resolved(const struct sg_sgt_item *item) {
    return item->kind != SIGNET_ARG_UNKNOWN || item->is_explicit;
}

/* All children are there: tells the kind of the list, and of literals among symbols. */
static void close_list(struct sg_sgt_reader *r, uint32_t list) {
    struct sg_sgt_item *l = item_at(r, list);
    uint64_t kinds = 0;
    for (uint32_t i = l->u.list.first; i != 0; i = item_at(r, i)->next) {
        if (!is_resolved(item_at(r, i)) && !l->is_explicit) {
            return;
        }
        kinds |= sg_sgt_kind_bit((signet_arg_kind)item_at(r, i)->kind);
    }
    if (!l->is_explicit) {
        l->kind = (uint8_t)sg_sgt_list_kind(kinds);
    }
    for (uint32_t i = l->u.list.first; i != 0; i = item_at(r, i)->next) {
        struct sg_sgt_item *child = item_at(r, i);
        uint8_t kind =
            (uint8_t)sg_sgt_literal_in((signet_arg_kind)l->kind, (signet_arg_kind)child->kind);
        if (!child->is_explicit && kind != child->kind) {
            child->kind = kind;
            child->literal = true;
        }
    }
}

static void append_child(struct sg_sgt_reader *r, uint32_t list, uint32_t child) {
    struct sg_sgt_item *l = item_at(r, list);
    if (l->u.list.last != 0) {
        item_at(r, l->u.list.last)->next = child;
    } else {
        l->u.list.first = child;
    }
    l->u.list.last = child;
    l->u.list.count++;
}

/* The item up to its end, or up to the opening bracket of a list. */
static bool start_item(struct sg_sgt_reader *r, sg_sgt_place place, bool inside, uint32_t *out,
                       bool *opened) {
    if (!SGT_ROOM(r, &r->items)) {
        return false;
    }
    struct sg_sgt_item item = {.at = sg_sgt_peek(r)->at + 1};
    bool has_short_name = inside || place == SGT_PLACE_ARGUMENT;
    *opened = false;
    if (!(has_short_name ? take_short_name(r, &item) : take_long_name(r, &item))) {
        return false;
    }
    if (!item.has_prefix && !inside && place == SGT_PLACE_ARGUMENT) {
        item.passing = SIGNET_PASSING_POSITIONAL;
    }
    if (!take_core(r, place, &item, opened)) {
        return false;
    }
    *out = r->items.count++;
    r->items.data[*out] = item;
    return true;
}

static bool push_open(struct sg_sgt_reader *r, uint32_t base, uint32_t list) {
    uint64_t limit = r->p->limits.expression_depth;
    if (r->open.count - base >= limit) {
        return sg_sgt_limit(r, "lists are nested deeper", "expression-depth", limit);
    }
    if (!SGT_ROOM(r, &r->open)) {
        return false;
    }
    r->open.data[r->open.count++] = list;
    return true;
}

/* Ends lists for as long as closing brackets come. */
static bool close_lists(struct sg_sgt_reader *r, uint32_t base, bool fresh) {
    while (r->open.count > base) {
        uint32_t list = r->open.data[r->open.count - 1];
        char closer = item_at(r, list)->closer;
        if (!sg_sgt_take_mark(r, closer)) {
            if (fresh || sg_sgt_take_mark(r, ',')) {
                return true;
            }
            return sg_sgt_expected(r, closer == ']' ? "',' or ']'" : "',' or '}'");
        }
        close_list(r, list);
        r->open.count--;
        fresh = false;
    }
    return true;
}

bool sg_sgt_item(struct sg_sgt_reader *r, sg_sgt_place place, uint32_t *item) {
    uint32_t base = r->open.count;
    bool ok;
    do {
        uint32_t i = 0;
        bool opened = false;
        bool inside = r->open.count > base;
        ok = start_item(r, place, inside, &i, &opened);
        if (ok && inside) {
            append_child(r, r->open.data[r->open.count - 1], i);
        } else if (ok) {
            *item = i;
        }
        ok = ok && (!opened || push_open(r, base, i)) && close_lists(r, base, opened);
    } while (ok && r->open.count > base);
    r->open.count = base;
    return ok;
}

bool sg_sgt_items(struct sg_sgt_reader *r, sg_sgt_place place, char end, uint32_t *first,
                  uint32_t *count) {
    uint32_t last = 0;
    *first = *count = 0;
    if (end != '\0' ? sg_sgt_take_mark(r, end) : sg_sgt_peek(r)->kind == SGT_END) {
        return true;
    }
    do {
        uint32_t i = 0;
        if (!sg_sgt_item(r, place, &i)) {
            return false;
        }
        if (last != 0) {
            item_at(r, last)->next = i;
        } else {
            *first = i;
        }
        last = i;
        (*count)++;
    } while (sg_sgt_take_mark(r, ','));
    return end != '\0' ? sg_sgt_expect_mark(r, end, "',' or ')'")
                       : sg_sgt_expect_end(r, "',' or the end of the line");
}
