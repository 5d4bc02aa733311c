/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "formats/printed_internal.h"

/*
 * What the names of a class stand for. PyTorch prints results of a node that has several as lines
 * of their own, `getitem = node[0]`; the graph has them as results of the node, wherever the node
 * is only indexed. Lines `true_graph_0 = self.true_graph_0` are no nodes either: the name stands
 * for what the attribute holds.
 */

sg_strid sg_printed_name_id(struct sg_printed *r, const struct sg_pyx *x, uint32_t name) {
    const struct sg_pyx_node *n = sg_pyx_node(x, name);
    return sg_printed_intern(r, n->at, n->length);
}

static uint64_t key_of(const struct sg_printed *r, sg_strid name) {
    return (uint64_t)r->epoch << 32 | name;
}

const struct sg_printed_name *sg_printed_name(const struct sg_printed *r, sg_strid *name) {
    uint32_t i = sg_map_get(r->name_map, key_of(r, *name));
    /* Aliases of aliases are put together when they are defined, but for a late one. */
    for (int hops = 0; hops < 4 && i != 0 && r->names.data[i].is == SG_PRINTED_IS_ALIAS; hops++) {
        *name = r->names.data[i].of;
        i = sg_map_get(r->name_map, key_of(r, *name));
    }
    return i != 0 ? &r->names.data[i] : NULL;
}

/* The first definition of a name holds. */
static void define(struct sg_printed *r, sg_strid name, struct sg_printed_name entry) {
    if (r->no_memory || sg_map_get(r->name_map, key_of(r, name)) != 0) {
        return;
    }
    if (!sg_vec_reserve(&r->p->allocator, &r->names, 1) ||
        !sg_map_put(r->name_map, key_of(r, name), r->names.count)) {
        r->no_memory = true;
        return;
    }
    r->names.data[r->names.count++] = entry;
}

/* ---- Kinds of statements --------------------------------------------------------------------- */

/* What an attribute is of: the a in a.b and in getattr(a, "b"); 0: it is no attribute. */
static uint32_t attribute_of(const struct sg_pyx *x, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    if (n->kind == SG_PYX_ATTRIBUTE) {
        return n->first;
    }
    if (n->kind == SG_PYX_CALL && n->count == 3 && sg_pyx_is_name(x, n->first, "getattr") &&
        sg_pyx_node(x, sg_pyx_child(x, i, 2))->kind == SG_PYX_STRING) {
        return sg_pyx_child(x, i, 1);
    }
    return 0;
}

/* self.a.b, getattr(self.a, "0").b */
static bool is_path(const struct sg_pyx *x, uint32_t i) {
    bool attribute = false;
    for (uint32_t of = attribute_of(x, i); of != 0; of = attribute_of(x, i)) {
        attribute = true;
        i = of;
    }
    signet_string s = sg_pyx_text(x, i);
    return sg_pyx_node(x, i)->kind == SG_PYX_NAME &&
           (sg_string_starts(s, "self.") || (attribute && sg_string_is(s, "self")));
}

/* "a.b" of self.a.b */
static sg_strid path_of(struct sg_printed *r, uint32_t i) {
    const struct sg_pyx *x = &r->body;
    r->work.count = 0;
    for (; i != 0; i = attribute_of(x, i)) { /* outside in, and then back */
        if (!sg_vec_reserve(&r->p->allocator, &r->work, 1)) {
            r->no_memory = true;
            return 0;
        }
        r->work.data[r->work.count++] = i;
    }
    struct sg_text *t = sg_printed_scratch(r);
    for (uint32_t k = r->work.count; k > 0; k--) {
        const struct sg_pyx_node *n = sg_pyx_node(x, r->work.data[k - 1]);
        signet_string s = sg_pyx_text(x, r->work.data[k - 1]);
        sg_text_puts(t, t->length > 0 ? "." : "");
        if (n->kind == SG_PYX_NAME) {
            size_t self = s.length > 4 ? 5 : 4;
            sg_text_put(t, s.data + self, s.length - self);
        } else if (n->kind == SG_PYX_ATTRIBUTE) {
            sg_text_string(t, sg_pyx_own_name(x, r->work.data[k - 1]));
        } else {
            sg_pyx_string(x, sg_pyx_child(x, r->work.data[k - 1], 2), t);
        }
    }
    return sg_printed_intern_scratched(r);
}

/* True when the expression is the item of a name by a plain number. */
static bool is_item(const struct sg_pyx *x, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    if (n->kind != SG_PYX_INDEX || n->count != 2 || !sg_pyx_is_simple_name(x, n->first)) {
        return false;
    }
    const struct sg_pyx_node *index = sg_pyx_node(x, sg_pyx_node(x, n->first)->next);
    return index->kind == SG_PYX_INT && index->u.integer >= 0 && index->u.integer < INT32_MAX;
}

void sg_printed_find_what(struct sg_printed *r, struct sg_printed_statement *s) {
    const struct sg_pyx *x = &r->body;
    if (s->what == SG_PRINTED_RETURN) {
        return;
    }
    const struct sg_pyx_node *n = sg_pyx_node(x, s->rhs);
    if (sg_pyx_is_simple_name(x, s->rhs)) {
        s->what = SG_PRINTED_ALIAS;
    } else if (is_path(x, s->rhs)) {
        s->what = SG_PRINTED_ATTRIBUTE;
        s->path = path_of(r, s->rhs);
    } else if (is_item(x, s->rhs)) {
        s->what = SG_PRINTED_ITEM;
        s->index = (uint32_t)sg_pyx_node(x, sg_pyx_node(x, n->first)->next)->u.integer;
    } else if (n->kind != SG_PYX_CALL && n->kind != SG_PYX_INDEX && n->kind != SG_PYX_BINARY &&
               n->kind != SG_PYX_UNARY && n->kind != SG_PYX_NAME) {
        sg_printed_expected(r, n->at, n->length, "a call of an operator");
        s->what = SG_PRINTED_SKIP;
    }
}

/* ---- Definitions ----------------------------------------------------------------------------- */

static uint8_t kind_of_value(const struct sg_printed_described *d) {
    return d->kind != 0 ? d->kind : SIGNET_ARG_CONSTANT;
}

static void define_params(struct sg_printed *r) {
    const struct sg_printed_spec *specs = r->specs[SIGNET_INPUT].data;
    bool root = r->job.class_id == 1;
    for (uint32_t i = 0; i < r->params.count; i++) {
        struct sg_printed_param *param = &r->params.data[i];
        if (param->described.kind == 0 && root && i < r->specs[SIGNET_INPUT].count) {
            signet_arg_kind told = specs[i].arg_kind;
            bool by_name = told == SIGNET_ARG_TOKEN || told == SIGNET_ARG_CUSTOM_OBJ;
            param->described.kind = by_name ? (uint8_t)told : 0;
        }
        struct sg_printed_name entry = {SG_PRINTED_IS_VALUE, kind_of_value(&param->described), i,
                                        0};
        define(r, param->name, entry);
    }
}

/* `node = parameter`: the value has the node's name. `entry` is what the parameter's name is. */
static bool rename_param(struct sg_printed *r, const struct sg_printed_statement *s, uint32_t index,
                         uint32_t entry) {
    sg_strid name = s->name;
    struct sg_printed_name param = r->names.data[entry];
    if (param.is != SG_PRINTED_IS_VALUE || param.statement != 0 ||
        r->params.data[param.of].renamed || sg_printed_name(r, &name) != NULL) {
        return false;
    }
    r->params.data[param.of].renamed = true;
    r->params.data[param.of].name = s->name;
    r->names.data[entry] = (struct sg_printed_name){SG_PRINTED_IS_ALIAS, 0, s->name, index};
    define(r, s->name, param);
    return true;
}

static void define_alias(struct sg_printed *r, struct sg_printed_statement *s, uint32_t index) {
    sg_strid of = sg_printed_name_id(r, &r->body, s->rhs);
    const struct sg_printed_name *known = sg_printed_name(r, &of);
    s->what = SG_PRINTED_SKIP;
    if (known != NULL && rename_param(r, s, index, (uint32_t)(known - r->names.data))) {
        return;
    }
    if (known != NULL && known->is == SG_PRINTED_IS_ATTRIBUTE) {
        define(r, s->name, *known);
    } else {
        define(r, s->name, (struct sg_printed_name){SG_PRINTED_IS_ALIAS, 0, of, index});
    }
}

static void define_statements(struct sg_printed *r) {
    for (uint32_t i = 1; i < r->statements.count && !r->no_memory; i++) {
        struct sg_printed_statement *s = &r->statements.data[i];
        struct sg_printed_name entry = {SG_PRINTED_IS_VALUE, 0, i, i};
        switch ((sg_printed_what)s->what) {
        case SG_PRINTED_RETURN:
            if (i + 1 < r->statements.count) {
                sg_printed_syntax(r, r->statements.data[i + 1].text.at, 0,
                                  "a statement stands behind the return");
                r->statements.count = i + 1;
            }
            break;
        case SG_PRINTED_ALIAS:
            define_alias(r, s, i);
            break;
        case SG_PRINTED_ATTRIBUTE:
            entry.is = SG_PRINTED_IS_ATTRIBUTE;
            define(r, s->name, entry);
            break;
        case SG_PRINTED_NODE:
        case SG_PRINTED_ITEM:
            entry.kind = kind_of_value(&s->described);
            define(r, s->name, entry);
            break;
        case SG_PRINTED_SKIP:
            break;
        }
    }
}

/* ---- Items ----------------------------------------------------------------------------------- */

/* The statement of the node that an item indexes; 0: none before it. */
static uint32_t base_of(struct sg_printed *r, uint32_t item) {
    const struct sg_pyx *x = &r->body;
    sg_strid name = sg_printed_name_id(r, x, sg_pyx_node(x, r->statements.data[item].rhs)->first);
    const struct sg_printed_name *known = r->no_memory ? NULL : sg_printed_name(r, &name);
    uint32_t base = known != NULL && known->is == SG_PRINTED_IS_VALUE ? known->statement : 0;
    const struct sg_printed_statement *s = &r->statements.data[base];
    bool call = s->rhs != 0 && sg_pyx_node(x, s->rhs)->kind == SG_PYX_CALL;
    return base < item && call && s->what == SG_PRINTED_NODE && s->described.kind == 0 ? base : 0;
}

static void find_items(struct sg_printed *r) {
    for (uint32_t i = r->statements.count - 1; i > 0; i--) { /* so that the chains run forward */
        struct sg_printed_statement *s = &r->statements.data[i];
        if (s->what != SG_PRINTED_ITEM) {
            continue;
        }
        s->base = base_of(r, i);
        struct sg_printed_statement *base = &r->statements.data[s->base];
        if (s->base != 0) {
            s->next_item = base->first_item;
            base->first_item = i;
            base->item_count++;
            base->item_end = s->index >= base->item_end ? s->index + 1 : base->item_end;
        }
    }
}

/* A name is used as a whole wherever it stands, but for the base of an item. */
static void find_whole_uses(struct sg_printed *r) {
    const struct sg_pyx *x = &r->body;
    for (uint32_t i = 1; i < x->nodes.count && !r->no_memory; i++) {
        const struct sg_pyx_node *n = sg_pyx_node(x, i);
        if (n->kind != SG_PYX_NAME) {
            continue;
        }
        const char *dot = memchr(r->text + n->at, '.', n->length);
        uint32_t length = dot != NULL ? (uint32_t)(dot - r->text) - n->at : n->length;
        sg_strid name = sg_strings_find(r->p->strings, sg_printed_text(r, n->at, length));
        const struct sg_printed_name *known = name != 0 ? sg_printed_name(r, &name) : NULL;
        if (known == NULL || known->is != SG_PRINTED_IS_VALUE) {
            continue;
        }
        if (known->statement != 0) {
            r->statements.data[known->statement].is_value = true;
        } else {
            r->params.data[known->of].used = true;
        }
    }
}

/* Marks the base of an item as used only by items; is undone where it is not. */
static void hide_item_bases(struct sg_printed *r, bool hide) {
    for (uint32_t i = 1; i < r->statements.count; i++) {
        const struct sg_printed_statement *s = &r->statements.data[i];
        if (s->what == SG_PRINTED_ITEM && s->base != 0) {
            uint32_t name = r->body.nodes.data[s->rhs].first;
            r->body.nodes.data[name].kind = hide ? SG_PYX_NOTHING : SG_PYX_NAME;
        }
    }
}

static void fold_items(struct sg_printed *r) {
    for (uint32_t i = 1; i < r->statements.count; i++) {
        struct sg_printed_statement *s = &r->statements.data[i];
        if (s->what != SG_PRINTED_NODE || s->first_item == 0) {
            continue;
        }
        /* An absurd number is no position of a result, and must not cost memory. */
        s->folded = !s->is_value && s->item_end < 64 + 4 * (uint64_t)s->item_count;
        s->is_value = s->is_value || !s->folded;
        for (uint32_t k = s->first_item; s->folded && k != 0; k = r->statements.data[k].next_item) {
            r->statements.data[k].folded = true;
        }
    }
}

/* Two items of one result: uses of the second mean the first. */
static void join_equal_items(struct sg_printed *r) {
    for (uint32_t i = 1; i < r->statements.count && !r->no_memory; i++) {
        const struct sg_printed_statement *s = &r->statements.data[i];
        if (!s->folded || s->what != SG_PRINTED_NODE) {
            continue;
        }
        r->work.count = 0;
        if (!sg_vec_reserve(&r->p->allocator, &r->work, s->item_end)) {
            r->no_memory = true;
            return;
        }
        memset(r->work.data, 0, s->item_end * sizeof(r->work.data[0]));
        for (uint32_t k = s->first_item; k != 0; k = r->statements.data[k].next_item) {
            struct sg_printed_statement *item = &r->statements.data[k];
            uint32_t first = r->work.data[item->index];
            if (first == 0) {
                r->work.data[item->index] = k;
                continue;
            }
            sg_strid name = item->name;
            uint32_t entry = sg_map_get(r->name_map, key_of(r, name));
            if (entry != 0 && r->names.data[entry].statement == k) {
                r->names.data[entry].is = SG_PRINTED_IS_ALIAS;
                r->names.data[entry].of = r->statements.data[first].name;
            }
            item->what = SG_PRINTED_SKIP;
        }
    }
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static void find_delegates(struct sg_printed *r) {
    const struct sg_pyx *x = &r->body;
    for (uint32_t i = 1; i < r->statements.count && !r->no_memory; i++) {
        const struct sg_printed_statement *s = &r->statements.data[i];
        uint32_t module = s->what == SG_PRINTED_NODE && sg_printed_calls_delegate(r, s->rhs)
                              ? sg_pyx_child(x, s->rhs, 1)
                              : 0;
        if (module == 0 || !sg_pyx_is_simple_name(x, module)) {
            continue;
        }
        sg_strid name = sg_printed_name_id(r, x, module);
        const struct sg_printed_name *known = r->no_memory ? NULL : sg_printed_name(r, &name);
        if (known != NULL && known->is == SG_PRINTED_IS_ATTRIBUTE) {
            r->statements.data[known->of].is_delegate = true;
        }
    }
}

static uint32_t next_lambda(const struct sg_printed *r, uint32_t class_id) {
    while (class_id != 0 && r->classes.data[class_id].name != 0) {
        class_id = r->classes.data[class_id].next_sibling;
    }
    return class_id;
}

/* The class behind each attribute: by name, or (2.2 to 2.4, where all are called <lambda>) in the
 * order of the lines. */
static void find_classes(struct sg_printed *r) {
    uint32_t owner = r->job.class_id;
    uint32_t lambda = next_lambda(r, r->classes.data[owner].first_child);
    for (uint32_t i = 1; i < r->statements.count && !r->no_memory; i++) {
        struct sg_printed_statement *s = &r->statements.data[i];
        if (s->what != SG_PRINTED_ATTRIBUTE || s->is_delegate) {
            continue;
        }
        s->class_id = sg_printed_class_find(r, owner, s->path);
        if (s->class_id == 0 && lambda != 0 && s->note.length == 0) {
            s->class_id = lambda;
            lambda = next_lambda(r, r->classes.data[lambda].next_sibling);
            r->no_memory =
                !sg_map_put(r->class_names, (uint64_t)owner << 32 | s->path, s->class_id);
        }
    }
}

void sg_printed_find_names(struct sg_printed *r) {
    r->epoch++;
    r->names.count = 1;
    define_params(r);
    define_statements(r);
    if (r->no_memory) {
        return;
    }
    find_delegates(r);
    find_classes(r);
    find_items(r);
    hide_item_bases(r, true);
    find_whole_uses(r);
    hide_item_bases(r, false);
    fold_items(r);
    join_equal_items(r);
}
