/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/arg_internal.h"
#include "ir/ir_internal.h"

/* ---- Records --------------------------------------------------------------------------------- */

uint32_t sg_arg_alloc(signet_package *p, uint32_t count, uint32_t owner_kind, uint32_t owner) {
    if (count == 0) {
        return 0;
    }
    if (count > p->limits.values || p->args.count > p->limits.values - count) {
        sg_package_fail(p, SIGNET_E_LIMIT);
        return 0;
    }
    if (!sg_vec_reserve(&p->allocator, &p->args, count)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return 0;
    }
    uint32_t first = p->args.count;
    p->args.count += count;
    for (uint32_t i = 0; i < count; i++) {
        p->args.data[first + i] = (struct sg_arg){
            .kind = SIGNET_ARG_NONE, .owner_kind = (uint8_t)owner_kind, .owner = owner};
    }
    return first;
}

static struct sg_arg *edit(signet_package *p, signet_arg arg) {
    if (arg.id == 0 || arg.id >= p->args.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return NULL;
    }
    return &p->args.data[arg.id];
}

uint32_t sg_arg_outermost(const signet_package *p, uint32_t arg) {
    while (sg_arg(p, arg)->owner_kind == SG_OWNER_ARG) {
        arg = sg_arg(p, arg)->owner;
    }
    return arg;
}

/* The list that an outermost argument stands in. */
static struct sg_list owner_list(const signet_package *p, uint32_t outermost) {
    const struct sg_arg *a = sg_arg(p, outermost);
    switch ((signet_owner_kind)a->owner_kind) {
    case SIGNET_OWNER_NODE_INPUT:
        return sg_node(p, a->owner)->inputs;
    case SIGNET_OWNER_NODE_OUTPUT:
        return sg_node(p, a->owner)->outputs;
    case SIGNET_OWNER_GRAPH_INPUT:
        return sg_graph(p, a->owner)->inputs;
    case SIGNET_OWNER_GRAPH_OUTPUT:
        return sg_graph(p, a->owner)->outputs;
    case SIGNET_OWNER_NONE:
        break;
    }
    return (struct sg_list){outermost, 1};
}

uint32_t sg_arg_position(const signet_package *p, uint32_t arg) {
    uint32_t outermost = sg_arg_outermost(p, arg);
    return outermost - owner_list(p, outermost).first;
}

uint32_t sg_arg_scope(const signet_package *p, uint32_t arg) {
    const struct sg_arg *a = sg_arg(p, sg_arg_outermost(p, arg));
    switch ((signet_owner_kind)a->owner_kind) {
    case SIGNET_OWNER_NODE_INPUT:
    case SIGNET_OWNER_NODE_OUTPUT:
        return sg_node(p, a->owner)->graph;
    case SIGNET_OWNER_GRAPH_INPUT:
    case SIGNET_OWNER_GRAPH_OUTPUT:
        return a->owner;
    case SIGNET_OWNER_NONE:
        break;
    }
    return 0;
}

bool sg_arg_has_value(const struct sg_arg *a) {
    sg_payload payload = sg_arg_kind_payload((signet_arg_kind)a->kind);
    return (payload == SG_PAYLOAD_VALUE || (payload == SG_PAYLOAD_SYMBOL && !a->literal)) &&
           a->u.ref.value != 0;
}

static bool is_definition(const signet_package *p, uint32_t arg) {
    uint8_t kind = sg_arg(p, sg_arg_outermost(p, arg))->owner_kind;
    return kind == SIGNET_OWNER_NODE_OUTPUT || kind == SIGNET_OWNER_GRAPH_INPUT;
}

/* ---- Clearing and moving --------------------------------------------------------------------- */

/* Ends the use or definition of one record, without looking inside it. */
static void detach(signet_package *p, uint32_t arg) {
    struct sg_arg *a = &p->args.data[arg];
    if (sg_arg_has_value(a)) {
        uint32_t value = a->u.ref.value;
        if (is_definition(p, arg)) {
            if (p->values.data[value].def == arg) {
                sg_value_undefine(p, value);
            }
        } else {
            sg_use_unlink(p, arg);
        }
    } else if (a->kind == SIGNET_ARG_GRAPH && sg_graph(p, a->u.id)->parent == arg) {
        p->graphs.data[a->u.id].parent = 0;
    }
    a->kind = SIGNET_ARG_NONE;
    a->literal = 0;
    a->u.integer = 0;
}

void sg_arg_clear(signet_package *p, uint32_t arg) {
    /* Children first, depth first without a stack: walk down to a leaf, end it, step to its next
     * sibling or back up. */
    uint32_t at = arg;
    for (;;) {
        struct sg_arg *a = &p->args.data[at];
        if (sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_LIST &&
            a->u.list.count != 0) {
            /* Count down, so that the list itself remembers how far it is. */
            a->u.list.count--;
            at = a->u.list.first + a->u.list.count;
            continue;
        }
        detach(p, at);
        if (at == arg) {
            return;
        }
        at = p->args.data[at].owner;
    }
}

void sg_args_clear(signet_package *p, struct sg_list list) {
    for (uint32_t i = 0; i < list.count; i++) {
        sg_arg_clear(p, list.first + i);
    }
}

void sg_arg_move(signet_package *p, uint32_t from, uint32_t to) {
    struct sg_arg *f = &p->args.data[from];
    struct sg_arg *t = &p->args.data[to];
    *t = *f;
    if (sg_arg_has_value(f)) {
        struct sg_value *v = &p->values.data[f->u.ref.value];
        if (v->def == from) {
            v->def = to;
        } else if (!is_definition(p, from)) {
            *(f->previous_use != 0 ? &p->args.data[f->previous_use].next_use : &v->first_use) = to;
            *(f->next_use != 0 ? &p->args.data[f->next_use].previous_use : &v->last_use) = to;
        }
    } else if (sg_arg_kind_payload((signet_arg_kind)f->kind) == SG_PAYLOAD_LIST) {
        for (uint32_t i = 0; i < f->u.list.count; i++) {
            p->args.data[f->u.list.first + i].owner = to;
        }
    } else if (f->kind == SIGNET_ARG_GRAPH && sg_graph(p, f->u.id)->parent == from) {
        p->graphs.data[f->u.id].parent = to;
    }
    *f = (struct sg_arg){.kind = SIGNET_ARG_NONE, .owner_kind = t->owner_kind, .owner = t->owner};
}

/* ---- Setting --------------------------------------------------------------------------------- */

/* The cleared record, or null; the kind must hold what is about to be put in. */
static struct sg_arg *reset(signet_package *p, signet_arg arg, signet_arg_kind kind, bool fits) {
    if (edit(p, arg) == NULL) {
        return NULL;
    }
    if (!fits) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return NULL;
    }
    sg_arg_clear(p, arg.id);
    struct sg_arg *a = &p->args.data[arg.id];
    a->kind = (uint8_t)kind;
    return a;
}

void sg_arg_set_name(signet_package *p, signet_arg arg, sg_strid name, signet_passing passing) {
    struct sg_arg *a = edit(p, arg);
    if (a != NULL) {
        a->name = name;
        a->passing = (uint8_t)passing;
    }
}

void signet_arg_set_name(signet_package *p, signet_arg arg, signet_string name,
                         signet_passing passing) {
    sg_arg_set_name(p, arg, sg_intern(p, name), passing);
}

void sg_arg_set_at(signet_package *p, signet_arg arg, uint32_t at) {
    struct sg_arg *a = edit(p, arg);
    if (a != NULL) {
        a->at = at;
    }
}

void signet_arg_set_none(signet_package *p, signet_arg arg) {
    reset(p, arg, SIGNET_ARG_NONE, true);
}

static bool names_values(signet_arg_kind kind) {
    sg_payload payload = sg_arg_kind_payload(kind);
    return payload == SG_PAYLOAD_VALUE || payload == SG_PAYLOAD_SYMBOL;
}

void signet_arg_set_value(signet_package *p, signet_arg arg, signet_arg_kind kind,
                          signet_value value) {
    bool fits = names_values(kind) && value.id != 0 && value.id < p->values.count &&
                !is_definition(p, arg.id) &&
                sg_arg_scope(p, arg.id) == p->values.data[value.id].graph;
    struct sg_arg *a = reset(p, arg, kind, fits);
    if (a != NULL) {
        a->u.ref.value = value.id;
        a->u.ref.extra = 0;
        sg_use_link(p, arg.id);
    }
}

signet_value sg_arg_set_named(signet_package *p, signet_arg arg, signet_arg_kind kind,
                              sg_strid id) {
    struct sg_arg *a = reset(p, arg, kind, names_values(kind) && id != 0);
    uint32_t scope = sg_arg_scope(p, arg.id);
    if (a == NULL) {
        return (signet_value){0};
    }
    if (scope == 0) { /* a declared argument: it only says a name */
        a->name = id;
        return (signet_value){0};
    }
    a->u.ref.extra = 0;
    if (is_definition(p, arg.id)) {
        a->u.ref.value = sg_value_define(p, scope, id, sg_arg_kind_value_kind(kind), arg.id);
    } else {
        a->u.ref.value = sg_value_refer(p, (signet_graph){scope}, id).id;
        if (a->u.ref.value != 0) {
            sg_use_link(p, arg.id);
        }
    }
    return (signet_value){a->u.ref.value};
}

signet_value signet_arg_set_named(signet_package *p, signet_arg arg, signet_arg_kind kind,
                                  signet_string name) {
    return sg_arg_set_named(p, arg, kind, sg_intern(p, name));
}

void signet_arg_set_int(signet_package *p, signet_arg arg, signet_arg_kind kind, int64_t number) {
    bool fits = sg_arg_kind_payload(kind) == SG_PAYLOAD_INTEGER || kind == SIGNET_ARG_SYM_INT;
    struct sg_arg *a = reset(p, arg, kind, fits);
    if (a != NULL) {
        a->literal = kind == SIGNET_ARG_SYM_INT;
        a->u.integer = number;
    }
}

void signet_arg_set_float(signet_package *p, signet_arg arg, signet_arg_kind kind, double number) {
    bool fits = kind == SIGNET_ARG_FLOAT || kind == SIGNET_ARG_SYM_FLOAT;
    struct sg_arg *a = reset(p, arg, kind, fits);
    if (a != NULL) {
        a->literal = kind == SIGNET_ARG_SYM_FLOAT;
        a->u.real = number;
    }
}

void signet_arg_set_bool(signet_package *p, signet_arg arg, signet_arg_kind kind, bool truth) {
    bool fits = kind == SIGNET_ARG_BOOL || kind == SIGNET_ARG_SYM_BOOL;
    struct sg_arg *a = reset(p, arg, kind, fits);
    if (a != NULL) {
        a->literal = kind == SIGNET_ARG_SYM_BOOL;
        a->u.integer = truth;
    }
}

void signet_arg_set_string(signet_package *p, signet_arg arg, signet_arg_kind kind,
                           signet_string text) {
    sg_strid id = sg_intern(p, text);
    struct sg_arg *a = reset(p, arg, kind, sg_arg_kind_payload(kind) == SG_PAYLOAD_TEXT);
    if (a != NULL) {
        a->u.text = id;
    }
}

void signet_arg_set_device(signet_package *p, signet_arg arg, signet_string type, bool has_index,
                           int64_t index) {
    sg_strid id = sg_intern(p, type);
    bool fits = !has_index || (index > INT32_MIN && index <= INT32_MAX);
    struct sg_arg *a = reset(p, arg, SIGNET_ARG_DEVICE, fits);
    if (a != NULL) {
        a->u.device.type = id;
        a->u.device.index = has_index ? (int32_t)index : INT32_MIN;
    }
}

void signet_arg_set_graph(signet_package *p, signet_arg arg, signet_graph graph) {
    bool fits = graph.id != 0 && graph.id < p->graphs.count;
    struct sg_arg *a = reset(p, arg, SIGNET_ARG_GRAPH, fits);
    if (a != NULL) {
        a->u.id = graph.id;
        if (p->graphs.data[graph.id].parent == 0) {
            p->graphs.data[graph.id].parent = arg.id;
        }
    }
}

void signet_arg_set_delegate(signet_package *p, signet_arg arg, signet_delegate delegate) {
    bool fits = delegate.id != 0 && delegate.id < p->delegates.count;
    struct sg_arg *a = reset(p, arg, SIGNET_ARG_DELEGATE, fits);
    if (a != NULL) {
        struct sg_delegate *d = &p->delegates.data[delegate.id];
        a->u.id = delegate.id;
        if (d->caller == 0) {
            d->caller = sg_graph(p, sg_arg_scope(p, arg.id))->program;
        }
    }
}

void signet_arg_set_class(signet_package *p, signet_arg arg, signet_string class_name) {
    sg_strid id = sg_intern(p, class_name);
    struct sg_arg *a = edit(p, arg);
    if (a != NULL && a->kind == SIGNET_ARG_CUSTOM_OBJ) {
        a->u.ref.extra = id;
    } else {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
    }
}

void signet_arg_set_raw(signet_package *p, signet_arg arg, signet_string tag, signet_string text) {
    sg_strid tag_id = sg_intern(p, tag);
    sg_strid text_id = sg_intern(p, text);
    struct sg_arg *a = reset(p, arg, SIGNET_ARG_RAW, true);
    if (a != NULL) {
        a->u.raw.tag = tag_id;
        a->u.raw.text = text_id;
    }
}

signet_arg signet_arg_set_list(signet_package *p, signet_arg arg, signet_arg_kind kind,
                               uint32_t count) {
    struct sg_arg *a = reset(p, arg, kind, sg_arg_kind_payload(kind) == SG_PAYLOAD_LIST);
    if (a == NULL) {
        return (signet_arg){0};
    }
    uint32_t first = sg_arg_alloc(p, count, SG_OWNER_ARG, arg.id);
    p->args.data[arg.id].u.list = (struct sg_list){first, first != 0 ? count : 0};
    return (signet_arg){first};
}

/* ---- Reading --------------------------------------------------------------------------------- */

signet_arg_kind signet_arg_get_kind(const signet_package *p, signet_arg arg) {
    return (signet_arg_kind)sg_arg(p, arg.id)->kind;
}

signet_string signet_arg_name(const signet_package *p, signet_arg arg) {
    return sg_string(p, sg_arg(p, arg.id)->name);
}

signet_passing signet_arg_passing(const signet_package *p, signet_arg arg) {
    return (signet_passing)sg_arg(p, arg.id)->passing;
}

bool signet_arg_is_literal(const signet_package *p, signet_arg arg) {
    return sg_arg(p, arg.id)->literal;
}

signet_value signet_arg_value(const signet_package *p, signet_arg arg) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    return (signet_value){sg_arg_has_value(a) ? a->u.ref.value : 0};
}

int64_t signet_arg_int(const signet_package *p, signet_arg arg) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    bool holds = sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_INTEGER ||
                 (a->kind == SIGNET_ARG_SYM_INT && a->literal);
    return holds ? a->u.integer : 0;
}

double signet_arg_float(const signet_package *p, signet_arg arg) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    bool holds = a->kind == SIGNET_ARG_FLOAT || (a->kind == SIGNET_ARG_SYM_FLOAT && a->literal);
    return holds ? a->u.real : 0;
}

bool signet_arg_bool(const signet_package *p, signet_arg arg) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    bool holds = a->kind == SIGNET_ARG_BOOL || (a->kind == SIGNET_ARG_SYM_BOOL && a->literal);
    return holds && a->u.integer != 0;
}

signet_string signet_arg_string(const signet_package *p, signet_arg arg) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    bool holds = sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_TEXT;
    return sg_string(p, holds ? a->u.text : 0);
}

signet_string signet_arg_device(const signet_package *p, signet_arg arg, bool *has_index,
                                int64_t *index) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    bool is_device = a->kind == SIGNET_ARG_DEVICE;
    bool has = is_device && a->u.device.index != INT32_MIN;
    if (has_index != NULL) {
        *has_index = has;
    }
    if (index != NULL) {
        *index = has ? a->u.device.index : 0;
    }
    return sg_string(p, is_device ? a->u.device.type : 0);
}

signet_graph signet_arg_graph(const signet_package *p, signet_arg arg) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    return (signet_graph){a->kind == SIGNET_ARG_GRAPH ? a->u.id : 0};
}

signet_delegate signet_arg_delegate(const signet_package *p, signet_arg arg) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    return (signet_delegate){a->kind == SIGNET_ARG_DELEGATE ? a->u.id : 0};
}

signet_string signet_arg_class(const signet_package *p, signet_arg arg) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    return sg_string(p, a->kind == SIGNET_ARG_CUSTOM_OBJ ? a->u.ref.extra : 0);
}

signet_string signet_arg_raw(const signet_package *p, signet_arg arg, signet_string *text) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    bool is_raw = a->kind == SIGNET_ARG_RAW;
    if (text != NULL) {
        *text = sg_string(p, is_raw ? a->u.raw.text : 0);
    }
    return sg_string(p, is_raw ? a->u.raw.tag : 0);
}

uint32_t signet_arg_child_count(const signet_package *p, signet_arg arg) {
    const struct sg_arg *a = sg_arg(p, arg.id);
    bool is_list = sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_LIST;
    return is_list ? a->u.list.count : 0;
}

signet_arg signet_arg_child(const signet_package *p, signet_arg arg, uint32_t i) {
    return (signet_arg){i < signet_arg_child_count(p, arg) ? sg_arg(p, arg.id)->u.list.first + i
                                                           : 0};
}

signet_owner_kind signet_arg_owner(const signet_package *p, signet_arg arg) {
    return (signet_owner_kind)sg_arg(p, sg_arg_outermost(p, arg.id))->owner_kind;
}

signet_node signet_arg_node(const signet_package *p, signet_arg arg) {
    const struct sg_arg *a = sg_arg(p, sg_arg_outermost(p, arg.id));
    bool of_node =
        a->owner_kind == SIGNET_OWNER_NODE_INPUT || a->owner_kind == SIGNET_OWNER_NODE_OUTPUT;
    return (signet_node){of_node ? a->owner : 0};
}

signet_graph signet_arg_owner_graph(const signet_package *p, signet_arg arg) {
    return (signet_graph){sg_arg_scope(p, arg.id)};
}

uint32_t signet_arg_position(const signet_package *p, signet_arg arg) {
    return sg_arg_position(p, arg.id);
}
