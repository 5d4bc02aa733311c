/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "ir/arg_internal.h"
#include "ir/ir_internal.h"

static struct sg_node *edit(signet_package *p, signet_node node) {
    if (node.id == 0 || node.id >= p->nodes.count || p->nodes.data[node.id].graph == 0) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return NULL;
    }
    return &p->nodes.data[node.id];
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* Puts an unlinked node before `before` (0: at the end) of its graph. */
static void link_node(signet_package *p, uint32_t id, uint32_t before) {
    struct sg_node *n = &p->nodes.data[id];
    struct sg_graph *g = &p->graphs.data[n->graph];
    n->next = before;
    n->previous = before != 0 ? p->nodes.data[before].previous : g->last;
    if (n->previous != 0) {
        p->nodes.data[n->previous].next = id;
    } else {
        g->first = id;
    }
    if (before != 0) {
        p->nodes.data[before].previous = id;
    } else {
        g->last = id;
    }
    g->node_count++;
}

static void unlink_node(signet_package *p, uint32_t id) {
    struct sg_node *n = &p->nodes.data[id];
    struct sg_graph *g = &p->graphs.data[n->graph];
    if (n->previous != 0) {
        p->nodes.data[n->previous].next = n->next;
    } else {
        g->first = n->next;
    }
    if (n->next != 0) {
        p->nodes.data[n->next].previous = n->previous;
    } else {
        g->last = n->previous;
    }
    n->next = n->previous = 0;
    g->node_count--;
}

static signet_node add_node(signet_package *p, uint32_t graph, uint32_t before, sg_strid target) {
    uint32_t op = sg_operator_of(p, target);
    if (p->nodes.count > p->limits.nodes) {
        sg_package_fail(p, SIGNET_E_LIMIT);
        return (signet_node){0};
    }
    if (!sg_vec_reserve(&p->allocator, &p->nodes, 1)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return (signet_node){0};
    }
    signet_node node = {p->nodes.count++};
    p->nodes.data[node.id] =
        (struct sg_node){.graph = graph,
                         .target = target,
                         .op = op,
                         .hop_single_return = -1,
                         .index = before == 0 ? sg_graph(p, graph)->node_count : UINT32_MAX};
    link_node(p, node.id, before);
    return node;
}

signet_node sg_node_append(signet_package *p, signet_graph graph, sg_strid target) {
    if (graph.id == 0 || graph.id >= p->graphs.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return (signet_node){0};
    }
    return add_node(p, graph.id, 0, target);
}

signet_node signet_node_append(signet_package *p, signet_graph graph, signet_string target) {
    return sg_node_append(p, graph, sg_intern(p, target));
}

signet_node signet_node_insert(signet_package *p, signet_node before, signet_string target) {
    sg_strid text = sg_intern(p, target);
    const struct sg_node *b = edit(p, before);
    return b != NULL ? add_node(p, b->graph, before.id, text) : (signet_node){0};
}

void signet_node_move(signet_package *p, signet_node node, signet_node before) {
    struct sg_node *n = edit(p, node);
    if (n == NULL || node.id == before.id) {
        return;
    }
    if (before.id != 0 && sg_node(p, before.id)->graph != n->graph) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return;
    }
    unlink_node(p, node.id);
    link_node(p, node.id, before.id);
}

void signet_node_remove(signet_package *p, signet_node node) {
    struct sg_node *n = edit(p, node);
    if (n == NULL) {
        return;
    }
    sg_args_clear(p, n->inputs);
    sg_args_clear(p, n->outputs);
    unlink_node(p, node.id);
    n->graph = 0;
}

signet_node signet_node_next(const signet_package *p, signet_node node) {
    return (signet_node){sg_node(p, node.id)->next};
}

signet_node signet_node_previous(const signet_package *p, signet_node node) {
    return (signet_node){sg_node(p, node.id)->previous};
}

signet_graph signet_node_graph(const signet_package *p, signet_node node) {
    return (signet_graph){sg_node(p, node.id)->graph};
}

/* ---- Target and name ------------------------------------------------------------------------- */

signet_string signet_node_target(const signet_package *p, signet_node node) {
    return sg_string(p, sg_node(p, node.id)->target);
}

void signet_node_set_target(signet_package *p, signet_node node, signet_string target) {
    sg_strid text = sg_intern(p, target);
    uint32_t op = sg_operator_of(p, text);
    struct sg_node *n = edit(p, node);
    if (n != NULL) {
        n->target = text;
        n->op = op;
    }
}

signet_operator signet_node_operator(const signet_package *p, signet_node node) {
    const struct sg_operator *o = sg_operator(p, sg_node(p, node.id)->op);
    return (signet_operator){(signet_operator_class)o->op_class, sg_string(p, o->name_space),
                             sg_string(p, o->name), sg_string(p, o->overload), o->in_place};
}

signet_string signet_node_name(const signet_package *p, signet_node node) {
    return sg_string(p, sg_node(p, node.id)->name);
}

void sg_node_set_name(signet_package *p, signet_node node, sg_strid name) {
    struct sg_node *n = edit(p, node);
    if (n != NULL) {
        n->name = name;
    }
}

void signet_node_set_name(signet_package *p, signet_node node, signet_string name) {
    sg_node_set_name(p, node, sg_intern(p, name));
}

/* The first value an argument of the list defines, looking into lists; 0 when it defines none. */
static uint32_t first_defined(const signet_package *p, struct sg_list list) {
    for (uint32_t i = 0; i < list.count; i++) {
        const struct sg_arg *a = sg_arg(p, list.first + i);
        if (sg_arg_has_value(a)) {
            return a->u.ref.value;
        }
        if (sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_LIST &&
            a->u.list.count != 0 && sg_arg_has_value(sg_arg(p, a->u.list.first))) {
            return sg_arg(p, a->u.list.first)->u.ref.value;
        }
    }
    return 0;
}

signet_string signet_node_display_name(const signet_package *p, signet_node node) {
    const struct sg_node *n = sg_node(p, node.id);
    if (n->name != 0) {
        return sg_string(p, n->name);
    }
    uint32_t value = first_defined(p, n->outputs);
    return value != 0 ? sg_string(p, sg_value(p, value)->name) : sg_string(p, n->target);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

uint32_t signet_node_input_count(const signet_package *p, signet_node node) {
    return sg_node(p, node.id)->inputs.count;
}

signet_arg signet_node_input(const signet_package *p, signet_node node, uint32_t i) {
    struct sg_list list = sg_node(p, node.id)->inputs;
    return (signet_arg){i < list.count ? list.first + i : 0};
}

uint32_t signet_node_output_count(const signet_package *p, signet_node node) {
    return sg_node(p, node.id)->outputs.count;
}

signet_arg signet_node_output(const signet_package *p, signet_node node, uint32_t i) {
    struct sg_list list = sg_node(p, node.id)->outputs;
    return (signet_arg){i < list.count ? list.first + i : 0};
}

static signet_arg set_list(signet_package *p, signet_node node, uint32_t count,
                           signet_owner_kind kind) {
    if (edit(p, node) == NULL) {
        return (signet_arg){0};
    }
    uint32_t first = sg_arg_alloc(p, count, kind, node.id);
    if (first == 0 && count != 0) {
        return (signet_arg){0};
    }
    struct sg_node *n = &p->nodes.data[node.id];
    struct sg_list *list = kind == SIGNET_OWNER_NODE_INPUT ? &n->inputs : &n->outputs;
    struct sg_list old = *list;
    *list = (struct sg_list){first, count};
    sg_args_clear(p, old);
    return (signet_arg){first};
}

signet_arg signet_node_set_inputs(signet_package *p, signet_node node, uint32_t count) {
    return set_list(p, node, count, SIGNET_OWNER_NODE_INPUT);
}

signet_arg signet_node_set_outputs(signet_package *p, signet_node node, uint32_t count) {
    return set_list(p, node, count, SIGNET_OWNER_NODE_OUTPUT);
}

bool signet_node_results_open(const signet_package *p, signet_node node) {
    return sg_node(p, node.id)->results_open;
}

void signet_node_set_results_open(signet_package *p, signet_node node, bool open) {
    struct sg_node *n = edit(p, node);
    if (n != NULL) {
        n->results_open = open;
    }
}

int signet_node_hop_single_return(const signet_package *p, signet_node node) {
    return sg_node(p, node.id)->hop_single_return;
}

void signet_node_set_hop_single_return(signet_package *p, signet_node node, int state) {
    struct sg_node *n = edit(p, node);
    if (n != NULL) {
        n->hop_single_return = (int8_t)(state < 0 ? -1 : state != 0);
    }
}

void sg_node_set_span(signet_package *p, signet_node node, struct sg_span span) {
    struct sg_node *n = edit(p, node);
    if (n != NULL) {
        n->span = span;
    }
}

/* ---- Metadata -------------------------------------------------------------------------------- */

uint32_t signet_node_metadata_count(const signet_package *p, signet_node node) {
    return sg_node(p, node.id)->metadata.count;
}

signet_string signet_node_metadata(const signet_package *p, signet_node node, uint32_t i,
                                   signet_string *value) {
    struct sg_list list = sg_node(p, node.id)->metadata;
    struct sg_pair none = {0, 0};
    const struct sg_pair *m = i < list.count ? &p->pairs.data[list.first + i] : &none;
    if (value != NULL) {
        *value = sg_string(p, m->value);
    }
    return sg_string(p, m->key);
}

void sg_node_add_metadata(signet_package *p, signet_node node, sg_strid key, sg_strid value) {
    struct sg_node *n = edit(p, node);
    if (n == NULL) {
        return;
    }
    struct sg_list *list = &n->metadata;
    bool at_end = list->first + list->count == p->pairs.count;
    if (!sg_vec_reserve(&p->allocator, &p->pairs, at_end ? 1 : list->count + 1)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return;
    }
    if (!at_end) { /* the run moves to the end, where it can grow */
        uint32_t first = p->pairs.count;
        for (uint32_t i = 0; i < list->count; i++) {
            p->pairs.data[p->pairs.count++] = p->pairs.data[list->first + i];
        }
        list->first = first;
    }
    p->pairs.data[p->pairs.count++] = (struct sg_pair){key, value};
    list->count++;
}

void signet_node_add_metadata(signet_package *p, signet_node node, signet_string key,
                              signet_string value) {
    sg_strid key_id = sg_intern(p, key);
    sg_node_add_metadata(p, node, key_id, sg_intern(p, value));
}

/* Takes a piece of a stack frame line: the text between `from` and the next `stop`. */
static signet_string take_until(const char **at, const char *end, char stop) {
    signet_string s = {*at, 0};
    while (*at + s.length < end && s.data[s.length] != stop) {
        s.length++;
    }
    *at += s.length;
    return s;
}

static signet_string trimmed(signet_string s) {
    while (s.length != 0 && (*s.data == ' ' || *s.data == '\t')) {
        s.data++;
        s.length--;
    }
    return s;
}

/* Reads `File "model.py", line 43, in forward` and the code line behind it. */
static bool parse_frame(const char *at, const char *end, signet_user_source *out) {
    static const char head[] = "File \"";
    static const char middle[] = "\", line ";
    static const char tail[] = ", in ";
    signet_string line = trimmed((signet_string){at, (size_t)(end - at)});
    at = line.data;
    if (line.length < sizeof(head) || !sg_string_starts(line, head)) {
        return false;
    }
    at += sizeof(head) - 1;
    signet_string file = take_until(&at, end, '"');
    if (!sg_string_starts((signet_string){at, (size_t)(end - at)}, middle)) {
        return false;
    }
    at += sizeof(middle) - 1;
    uint32_t number = 0;
    while (at < end && *at >= '0' && *at <= '9' && number < UINT32_MAX / 10 - 1) {
        number = number * 10 + (uint32_t)(*at++ - '0');
    }
    if (!sg_string_starts((signet_string){at, (size_t)(end - at)}, tail)) {
        return false;
    }
    at += sizeof(tail) - 1;
    out->file = file;
    out->line = number;
    out->function = take_until(&at, end, '\n');
    at += at < end;
    out->code = trimmed(take_until(&at, end, '\n'));
    return true;
}

signet_user_source signet_node_user_source(const signet_package *p, signet_node node) {
    signet_user_source out = {{NULL, 0}, 0, {NULL, 0}, {NULL, 0}};
    struct sg_list list = sg_node(p, node.id)->metadata;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct sg_pair *m = &p->pairs.data[list.first + i];
        if (!sg_string_is(sg_string(p, m->key), "stack_trace")) {
            continue;
        }
        signet_string trace = sg_string(p, m->value);
        const char *end = trace.data + trace.length;
        for (const char *at = trace.data; at < end; at++) { /* the innermost frame is the last */
            if (at == trace.data || at[-1] == '\n') {
                parse_frame(at, end, &out);
            }
        }
        break;
    }
    return out;
}
