/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/hash.h"
#include "formats/printed_write.h"

/*
 * The lines that PyTorch has for a graph: one for each attribute that a node takes, one for the
 * node, and one for each of its results where it has several. And where each name is used last.
 */

bool sg_write_is_path(const struct sg_arg *arg) {
    return arg->kind == SIGNET_ARG_GRAPH || arg->kind == SIGNET_ARG_DELEGATE ||
           arg->kind == SIGNET_ARG_ATTRIBUTE;
}

signet_string sg_write_path(const signet_package *p, const struct sg_arg *arg) {
    if (arg->kind == SIGNET_ARG_GRAPH) {
        return sg_string(p, sg_graph(p, arg->u.id)->name);
    }
    if (arg->kind == SIGNET_ARG_ATTRIBUTE) {
        return sg_string(p, arg->u.text);
    }
    /* A delegate of a subgraph is called by its path from the top. */
    signet_string name = sg_string(p, sg_delegate(p, arg->u.id)->name);
    for (size_t i = name.length; i > 0; i--) {
        if (name.data[i - 1] == '.') {
            return (signet_string){name.data + i, name.length - i};
        }
    }
    return name;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static uint32_t add_line(struct sg_printed_writer *w, struct sg_write_line line) {
    if (!sg_vec_reserve(&w->p->allocator, &w->lines, 1)) {
        w->no_memory = true;
        return 0;
    }
    w->lines.data[w->lines.count] = line;
    return w->lines.count++;
}

signet_string sg_write_line_name(const struct sg_printed_writer *w, uint32_t line) {
    const struct sg_write_line *l = &w->lines.data[line];
    return l->name != 0 ? sg_string(w->p, l->name) : sg_strings_get(w->names, l->made_name);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void take_name(struct sg_printed_writer *w, sg_strid name) {
    if (name != 0 && sg_strings_intern(w->names, sg_string(w->p, name)) == 0) {
        w->no_memory = true;
    }
}

/* Names of values and nodes are given; others are made up so that they differ from all of them. */
static void fill_names(struct sg_printed_writer *w) {
    sg_strings_destroy(w->names);
    sg_map_destroy(w->name_counts);
    w->names = sg_strings_create(&w->p->allocator);
    w->name_counts = sg_map_create(&w->p->allocator);
    w->names_filled = w->names != NULL && w->name_counts != NULL;
    w->no_memory = w->no_memory || !w->names_filled;
    if (w->no_memory) {
        return;
    }
    const struct sg_graph *g = sg_graph(w->p, w->graph.id);
    for (uint32_t v = g->first_value; v != 0 && !w->no_memory;
         v = sg_value(w->p, v)->next_in_graph) {
        take_name(w, sg_value(w->p, v)->name);
    }
    for (uint32_t n = g->first; n != 0 && !w->no_memory; n = sg_node(w->p, n)->next) {
        take_name(w, sg_node(w->p, n)->name);
    }
}

/* The number behind the last '_' of a name, as torch.fx splits it; *base is what stands before. */
static void split_number(signet_string name, signet_string *base, uint32_t *number) {
    size_t i = name.length;
    *number = 0;
    while (i > 0 && name.data[i - 1] >= '0' && name.data[i - 1] <= '9') {
        i--;
    }
    *base = name;
    if (i == name.length || i < 2 || name.data[i - 1] != '_' || name.length - i > 8) {
        return;
    }
    for (size_t k = i; k < name.length; k++) {
        *number = *number * 10 + (uint32_t)(name.data[k] - '0');
    }
    base->length = i - 1;
}

/* A free name near the wanted one, by torch.fx's rule: the next number behind its base. */
static uint32_t make_name(struct sg_printed_writer *w, signet_string wanted) {
    if (!w->names_filled) {
        fill_names(w);
    }
    if (w->no_memory) {
        return 0;
    }
    struct sg_text t;
    sg_text_init(&t, &w->p->allocator);
    for (size_t i = 0; i < wanted.length; i++) {
        char c = wanted.data[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                    (i > 0 && c >= '0' && c <= '9');
        if (!good) {
            c = '_';
        }
        sg_text_putc(&t, c);
    }
    uint32_t number = 0;
    signet_string base = {NULL, 0};
    signet_string name = {t.data, t.length};
    if (t.length == 0) {
        name = signet_str("_unnamed");
    }
    split_number(name, &base, &number);
    /* Many lines can want one name: go on where the last of them stopped. */
    uint64_t key = sg_hash64(base.data, base.length);
    uint32_t count = sg_map_get(w->name_counts, key);
    number = count > number + 1 ? count - 1 : number;
    struct sg_text next;
    sg_text_init(&next, &w->p->allocator);
    while (!w->no_memory && sg_strings_find(w->names, name) != 0) {
        sg_text_clear(&next);
        sg_text_string(&next, base);
        sg_text_putc(&next, '_');
        sg_text_uint(&next, ++number);
        name = (signet_string){next.data, next.length};
        w->no_memory = w->no_memory || next.failed;
    }
    uint32_t made = w->no_memory || t.failed ? 0 : sg_strings_intern(w->names, name);
    w->no_memory = w->no_memory || made == 0 || !sg_map_put(w->name_counts, key, number + 1);
    sg_text_free(&t);
    sg_text_free(&next);
    return made;
}

/* ---- Walking arguments ----------------------------------------------------------------------- */

static void push(struct sg_printed_writer *w, uint32_t arg) {
    if (!sg_vec_reserve(&w->p->allocator, &w->stack, 1)) {
        w->no_memory = true;
        return;
    }
    w->stack.data[w->stack.count++] = (struct sg_write_frame){arg, 0};
}

/* The next argument that is no list, depth first in order; 0: none is left. */
static uint32_t next_leaf(struct sg_printed_writer *w) {
    while (w->stack.count > 0 && !w->no_memory) {
        struct sg_write_frame *f = &w->stack.data[w->stack.count - 1];
        const struct sg_arg *a = sg_arg(w->p, f->arg);
        if (sg_arg_kind_payload((signet_arg_kind)a->kind) != SG_PAYLOAD_LIST) {
            w->stack.count--;
            return (uint32_t)(a - w->p->args.data);
        }
        if (f->next >= a->u.list.count) {
            w->stack.count--;
        } else {
            push(w, a->u.list.first + f->next++);
        }
    }
    return 0;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* Lines of the attributes among arguments, which are a node's or (node 0) those of the return. */
static void add_attributes(struct sg_printed_writer *w, uint32_t node, struct sg_list args) {
    for (uint32_t i = 0; i < args.count && !w->no_memory; i++) {
        push(w, args.first + i);
        for (uint32_t a = next_leaf(w); a != 0 && !w->no_memory; a = next_leaf(w)) {
            const struct sg_arg *arg = sg_arg(w->p, a);
            if (!sg_write_is_path(arg)) {
                continue;
            }
            struct sg_write_line line = {.kind = SG_LINE_ATTRIBUTE, .node = node, .arg = a};
            line.made_name = make_name(w, sg_write_path(w->p, arg));
            uint32_t id = add_line(w, line);
            w->no_memory = w->no_memory || !sg_map_put(w->line_of_arg, a, id);
        }
    }
}

/* A result that PyTorch has no line for: torch.export calls it "<node>_unused_<i>", and nothing
 * reads it. */
static bool is_left_out(const struct sg_printed_writer *w, const struct sg_node *n,
                        const struct sg_value *v) {
    signet_string name = sg_string(w->p, v->name);
    signet_string node = sg_string(w->p, n->name);
    static const char infix[] = "_unused_";
    size_t at = node.length;
    if (v->use_count != 0) {
        return false;
    }
    if (node.data == NULL) { /* up to 8.16 the node's own name is lost */
        at = 0;
        while (at + sizeof(infix) - 1 < name.length &&
               memcmp(name.data + at, infix, sizeof(infix) - 1) != 0) {
            at++;
        }
    }
    return name.length > at + sizeof(infix) - 1 &&
           (node.data == NULL || memcmp(name.data, node.data, at) == 0) &&
           memcmp(name.data + at, infix, sizeof(infix) - 1) == 0;
}

static void add_result(struct sg_printed_writer *w, uint32_t node, uint32_t arg, uint32_t base,
                       uint32_t index) {
    const struct sg_arg *a = sg_arg(w->p, arg);
    if (!sg_arg_has_value(a)) {
        return;
    }
    uint32_t value = a->u.ref.value;
    const struct sg_value *v = sg_value(w->p, value);
    if (is_left_out(w, sg_node(w->p, node), v)) {
        return;
    }
    struct sg_write_line line = {.kind = SG_LINE_ITEM,
                                 .node = node,
                                 .arg = arg,
                                 .base = base,
                                 .index = index,
                                 .name = v->name};
    w->line_of_value[value] = add_line(w, line);
}

/* A list of results among others: one line for the list, one for each of its items. */
static void add_result_list(struct sg_printed_writer *w, uint32_t node, uint32_t arg, uint32_t base,
                            uint32_t index, bool only) {
    struct sg_list list = sg_arg(w->p, arg)->u.list;
    uint32_t of = base;
    if (!only) {
        struct sg_write_line line = {
            .kind = SG_LINE_ITEM, .node = node, .base = base, .index = index};
        line.made_name = make_name(w, signet_str("getitem"));
        of = add_line(w, line);
    }
    for (uint32_t i = 0; i < list.count && !w->no_memory; i++) {
        add_result(w, node, list.first + i, of, i);
    }
}

/* The only result of a node that prints as the node itself; 0: it has none, or prints its results
 * one by one. */
static uint32_t single_result(const signet_package *p, const struct sg_node *n) {
    const struct sg_arg *a = sg_arg(p, n->outputs.count == 1 ? n->outputs.first : 0);
    if (n->outputs.count != 1 || !sg_arg_has_value(a) || n->hop_single_return == 0) {
        return 0;
    }
    sg_strid name = sg_value(p, a->u.ref.value)->name;
    return n->name == 0 || n->name == name ? n->outputs.first : 0;
}

/* A name for a node that the carrier has none for, as torch.fx makes it: "topk_default". */
static signet_string wanted_name(const struct sg_printed_writer *w, const struct sg_node *n) {
    signet_string target = sg_string(w->p, n->target);
    unsigned dots = 0;
    for (size_t i = target.length; i > 0; i--) {
        if (target.data[i - 1] == '.' && ++dots == 2) {
            return (signet_string){target.data + i, target.length - i};
        }
    }
    return target;
}

static void add_node(struct sg_printed_writer *w, uint32_t node) {
    const struct sg_node *n = sg_node(w->p, node);
    add_attributes(w, node, n->inputs);
    struct sg_write_line line = {.kind = SG_LINE_NODE, .node = node};
    line.arg = single_result(w->p, n);
    line.name = n->name;
    if (line.arg != 0) {
        line.name = sg_value(w->p, sg_arg(w->p, line.arg)->u.ref.value)->name;
    }
    if (line.name == 0) {
        line.made_name = make_name(w, wanted_name(w, n));
    }
    uint32_t id = add_line(w, line);
    if (w->no_memory) {
        return;
    }
    if (line.arg != 0) {
        w->line_of_value[sg_arg(w->p, line.arg)->u.ref.value] = id;
        return;
    }
    for (uint32_t i = 0; i < n->outputs.count && !w->no_memory; i++) {
        uint32_t arg = n->outputs.first + i;
        if (sg_arg_kind_payload((signet_arg_kind)sg_arg(w->p, arg)->kind) == SG_PAYLOAD_LIST) {
            add_result_list(w, node, arg, id, i, n->outputs.count == 1);
        } else {
            add_result(w, node, arg, id, i);
        }
    }
}

static void add_inputs(struct sg_printed_writer *w) {
    struct sg_list inputs = sg_graph(w->p, w->graph.id)->inputs;
    for (uint32_t i = 0; i < inputs.count && !w->no_memory; i++) {
        const struct sg_arg *a = sg_arg(w->p, inputs.first + i);
        if (sg_arg_has_value(a)) {
            uint32_t value = a->u.ref.value;
            struct sg_write_line line = {.is_input = true, .name = sg_value(w->p, value)->name};
            w->line_of_value[value] = add_line(w, line);
        }
    }
}

/* ---- Uses ------------------------------------------------------------------------------------ */

static void add_use(struct sg_printed_writer *w, uint32_t user, uint32_t used) {
    struct sg_write_line *l = &w->lines.data[used];
    if (used == 0 || l->seen_by == user || w->no_memory) {
        return;
    }
    l->seen_by = user;
    l->users++;
    if (!sg_vec_reserve(&w->p->allocator, &w->uses, 1)) {
        w->no_memory = true;
        return;
    }
    w->uses.data[w->uses.count++] = used;
    w->lines.data[user].use_count++;
}

static void add_uses(struct sg_printed_writer *w, uint32_t user, struct sg_list args) {
    for (uint32_t i = 0; i < args.count && !w->no_memory; i++) {
        push(w, args.first + i);
        for (uint32_t a = next_leaf(w); a != 0 && !w->no_memory; a = next_leaf(w)) {
            const struct sg_arg *arg = sg_arg(w->p, a);
            if (sg_arg_has_value(arg)) {
                add_use(w, user, w->line_of_value[arg->u.ref.value]);
            } else if (sg_write_is_path(arg)) {
                add_use(w, user, sg_map_get(w->line_of_arg, a));
            }
        }
    }
}

static void find_uses(struct sg_printed_writer *w) {
    w->uses.count = 0;
    for (uint32_t i = 1; i < w->lines.count && !w->no_memory; i++) {
        struct sg_write_line *l = &w->lines.data[i];
        l->first_use = w->uses.count;
        if (i == w->return_line) {
            add_uses(w, i, sg_graph(w->p, w->graph.id)->outputs);
        } else if (l->kind == SG_LINE_ITEM) {
            add_use(w, i, l->base);
        } else if (l->kind == SG_LINE_NODE && !l->is_input) {
            add_uses(w, i, sg_node(w->p, l->node)->inputs);
        }
    }
}

/* PyTorch walks the lines backwards: the first user it meets is the last one of a name. */
static void find_last_uses(struct sg_printed_writer *w) {
    for (uint32_t i = w->lines.count - 1; i > 0; i--) {
        struct sg_write_line *l = &w->lines.data[i];
        for (uint32_t k = 0; k < l->use_count; k++) {
            uint32_t used = w->uses.data[l->first_use + k];
            struct sg_write_line *u = &w->lines.data[used];
            if (u->last_use != 0) {
                continue;
            }
            u->last_use = i;
            /* a ring, so that appending needs no second pointer: released is the newest */
            if (l->released == 0) {
                u->next_released = used;
            } else {
                u->next_released = w->lines.data[l->released].next_released;
                w->lines.data[l->released].next_released = used;
            }
            l->released = used;
        }
    }
}

void sg_write_find_lines(struct sg_printed_writer *w) {
    w->lines.count = 0;
    w->names_filled = false;
    w->stack.count = 0;
    sg_map_destroy(w->line_of_arg);
    w->line_of_arg = sg_map_create(&w->p->allocator);
    w->no_memory = w->no_memory || w->line_of_arg == NULL;
    if (w->no_memory) {
        return;
    }
    add_line(w, (struct sg_write_line){.is_input = true});
    add_inputs(w);
    const struct sg_graph *g = sg_graph(w->p, w->graph.id);
    for (uint32_t n = g->first; n != 0 && !w->no_memory; n = sg_node(w->p, n)->next) {
        add_node(w, n);
    }
    add_attributes(w, 0, g->outputs);
    w->return_line = add_line(w, (struct sg_write_line){.kind = SG_LINE_NODE});
    if (!w->no_memory) {
        find_uses(w);
    }
    if (!w->no_memory) {
        find_last_uses(w);
    }
}
