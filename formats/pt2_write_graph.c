/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2_write.h"

/* ---- Payloads: what stands under the tag of an argument -------------------------------------- */

/* The name of what an argument is about; declared arguments have it as their own. */
static sg_strid value_name(const struct sg_pt2_writer *w, const struct sg_arg *a) {
    return sg_arg_has_value(a) ? sg_value(w->p, a->u.ref.value)->name : a->name;
}

static void put_named(struct sg_pt2_writer *w, const struct sg_arg *a) {
    sg_text_putc(&w->text, '{');
    sg_pt2_put_string_member(w, &sg_pt2_TENSOR_ARGUMENT, SG_PT2_TENSOR_ARGUMENT_NAME,
                             value_name(w, a));
    sg_text_putc(&w->text, '}');
}

static void put_custom_obj(struct sg_pt2_writer *w, const struct sg_arg *a) {
    sg_text_putc(&w->text, '{');
    sg_pt2_put_string_member(w, &sg_pt2_CUSTOM_OBJ_ARGUMENT, SG_PT2_CUSTOM_OBJ_ARGUMENT_NAME,
                             value_name(w, a));
    sg_pt2_put_string_member(w, &sg_pt2_CUSTOM_OBJ_ARGUMENT, SG_PT2_CUSTOM_OBJ_ARGUMENT_CLASS,
                             a->u.ref.extra);
    sg_text_putc(&w->text, '}');
}

/* A literal under the tag of its own type, or the name of a value. */
static void put_symbol(struct sg_pt2_writer *w, const struct sg_arg *a) {
    struct sg_text *t = &w->text;
    if (a->literal == 0) {
        sg_text_puts(t, "{\"as_name\": ");
        sg_pt2_put_string(w, value_name(w, a));
    } else if (a->kind == SIGNET_ARG_SYM_INT) {
        sg_text_puts(t, "{\"as_int\": ");
        sg_text_int(t, a->u.integer);
    } else if (a->kind == SIGNET_ARG_SYM_FLOAT) {
        sg_text_puts(t, "{\"as_float\": ");
        sg_pt2_put_real(w, a->u.real);
    } else {
        sg_text_puts(t, a->u.integer != 0 ? "{\"as_bool\": true" : "{\"as_bool\": false");
    }
    sg_text_putc(t, '}');
}

static void put_complex(struct sg_pt2_writer *w, const struct sg_arg *a) {
    sg_text_putc(&w->text, '{');
    for (uint32_t i = 0; i < a->u.list.count && i < SG_PT2_COMPLEX_COUNT; i++) {
        const struct sg_arg *part = sg_arg(w->p, a->u.list.first + i);
        if (part->kind == SIGNET_ARG_FLOAT) {
            sg_pt2_put_member(w, &sg_pt2_COMPLEX, i);
            sg_pt2_put_real(w, part->u.real);
        } else if (part->kind == SIGNET_ARG_RAW) {
            sg_pt2_put_member(w, &sg_pt2_COMPLEX, i);
            sg_pt2_put_raw(w, part->u.raw.text);
        }
    }
    sg_text_putc(&w->text, '}');
}

static void put_graph(struct sg_pt2_writer *w, const struct sg_arg *a) {
    sg_text_putc(&w->text, '{');
    sg_pt2_put_string_member(w, &sg_pt2_GRAPH_ARGUMENT, SG_PT2_GRAPH_ARGUMENT_NAME,
                             sg_graph(w->p, a->u.id)->name);
    sg_pt2_put_member(w, &sg_pt2_GRAPH_ARGUMENT, SG_PT2_GRAPH_ARGUMENT_GRAPH);
    sg_pt2_push_text(w, "}");
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_GRAPH, .id = a->u.id});
}

/* What schema.Argument does not have. */
static void refuse(struct sg_pt2_writer *w, signet_arg_kind kind) {
    sg_pt2_write_refuse(w, kind == SIGNET_ARG_DELEGATE    ? "a call of a delegate"
                           : kind == SIGNET_ARG_ATTRIBUTE ? "an attribute whose value is not known"
                           : kind == SIGNET_ARG_CONSTANT  ? "a constant whose value is not known"
                           : kind == SIGNET_ARG_LIST      ? "a list of mixed kinds"
                                                          : "an argument of no known kind");
}

/* Optional tensors keep their tags, members of a map their names. */
static void put_elements(struct sg_pt2_writer *w, const struct sg_arg *a) {
    bool keyed = a->kind == SIGNET_ARG_STRING_MAP;
    sg_text_putc(&w->text, keyed ? '{' : '[');
    sg_pt2_push_text(w, keyed ? "}" : "]");
    sg_pt2_push_list(w,
                     keyed                                    ? SG_PT2_ITEM_KEYED
                     : a->kind == SIGNET_ARG_OPTIONAL_TENSORS ? SG_PT2_ITEM_UNIONS
                                                              : SG_PT2_ITEM_PAYLOADS,
                     a->u.list);
}

static void put_list(struct sg_pt2_writer *w, const struct sg_arg *a) {
    if (a->kind == SIGNET_ARG_LIST) {
        refuse(w, SIGNET_ARG_LIST);
    } else if (a->kind == SIGNET_ARG_COMPLEX) {
        put_complex(w, a);
    } else if (a->kind != SIGNET_ARG_OPTIONAL_TENSOR) {
        put_elements(w, a);
    } else if (a->u.list.count > 0) {
        /* By the stack: by calls such an optional can hold another, to any depth. */
        struct sg_list held = {a->u.list.first, 1};
        sg_pt2_push_list(w, SG_PT2_ITEM_UNIONS, held);
    } else {
        sg_pt2_puts(w, "{}");
    }
}

void sg_pt2_put_payload(struct sg_pt2_writer *w, uint32_t arg) {
    const struct sg_arg *a = sg_arg(w->p, arg);
    switch (sg_arg_kind_payload((signet_arg_kind)a->kind)) {
    case SG_PAYLOAD_NOTHING:
        if (a->kind == SIGNET_ARG_NONE) {
            sg_pt2_puts(w, sg_pt2_since(w, 0) ? "true" : "[]");
        } else {
            refuse(w, SIGNET_ARG_UNKNOWN);
        }
        return;
    case SG_PAYLOAD_VALUE:
        if (a->kind == SIGNET_ARG_CONSTANT) {
            refuse(w, SIGNET_ARG_CONSTANT);
        } else if (a->kind == SIGNET_ARG_CUSTOM_OBJ) {
            put_custom_obj(w, a);
        } else {
            put_named(w, a);
        }
        return;
    case SG_PAYLOAD_SYMBOL:
        put_symbol(w, a);
        return;
    case SG_PAYLOAD_INTEGER:
        sg_text_int(&w->text, a->u.integer);
        return;
    case SG_PAYLOAD_REAL:
        sg_pt2_put_real(w, a->u.real);
        return;
    case SG_PAYLOAD_BOOLEAN:
        sg_pt2_puts(w, a->u.integer != 0 ? "true" : "false");
        return;
    case SG_PAYLOAD_TEXT:
        if (a->kind == SIGNET_ARG_ATTRIBUTE) {
            refuse(w, SIGNET_ARG_ATTRIBUTE);
        } else {
            sg_pt2_put_string(w, a->u.text);
        }
        return;
    case SG_PAYLOAD_LIST:
        put_list(w, a);
        return;
    case SG_PAYLOAD_DEVICE:
        sg_pt2_put_device(w, a->u.device.type, a->u.device.index != INT32_MIN, a->u.device.index);
        return;
    case SG_PAYLOAD_GRAPH:
        put_graph(w, a);
        return;
    case SG_PAYLOAD_DELEGATE:
        refuse(w, SIGNET_ARG_DELEGATE);
        return;
    case SG_PAYLOAD_RAW:
        sg_pt2_put_raw(w, a->u.raw.text);
        return;
    }
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* In the schema a token is a tensor everywhere but in the signature. */
static signet_string tag_of(const struct sg_pt2_writer *w, const struct sg_arg *a) {
    if (a->kind == SIGNET_ARG_RAW) {
        return sg_string(w->p, a->u.raw.tag);
    }
    return signet_str(sg_arg_kind_tag(a->kind == SIGNET_ARG_TOKEN ? SIGNET_ARG_TENSOR
                                                                  : (signet_arg_kind)a->kind));
}

static bool is_name_alone(const struct sg_pt2_writer *w, const struct sg_arg *a) {
    return w->major == 5 && w->minor <= 1 && a->kind == SIGNET_ARG_TENSOR &&
           a->owner_kind == SG_OWNER_ARG &&
           sg_arg(w->p, a->owner)->kind == SIGNET_ARG_OPTIONAL_TENSORS;
}

void sg_pt2_put_union(struct sg_pt2_writer *w, uint32_t arg) {
    const struct sg_arg *a = sg_arg(w->p, arg);
    signet_string tag = tag_of(w, a);
    if (a->kind == SIGNET_ARG_RAW && tag.length == 0) {
        sg_pt2_put_raw(w, a->u.raw.text); /* the union itself was none */
        return;
    }
    sg_text_putc(&w->text, '{');
    sg_pt2_put_key(w, tag);
    if (is_name_alone(w, a)) {
        sg_pt2_put_string(w, value_name(w, a));
        sg_text_putc(&w->text, '}');
        return;
    }
    sg_pt2_push_text(w, "}");
    sg_pt2_put_payload(w, arg);
}

static void put_named_argument(struct sg_pt2_writer *w, uint32_t arg) {
    const struct sg_arg *a = sg_arg(w->p, arg);
    sg_text_putc(&w->text, '{');
    if (a->name != 0) {
        sg_pt2_put_string_member(w, &sg_pt2_NAMED_ARGUMENT, SG_PT2_NAMED_ARGUMENT_NAME, a->name);
    }
    sg_pt2_put_member(w, &sg_pt2_NAMED_ARGUMENT, SG_PT2_NAMED_ARGUMENT_ARG);
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_PASSING, .id = arg});
    sg_pt2_put_union(w, arg);
}

static void put_passing(struct sg_pt2_writer *w, uint32_t arg) {
    uint8_t passing = sg_arg(w->p, arg)->passing;
    if (passing != SIGNET_PASSING_UNKNOWN) {
        sg_pt2_put_int_member(w, &sg_pt2_NAMED_ARGUMENT, SG_PT2_NAMED_ARGUMENT_KIND, passing);
    } else if (sg_pt2_since(w, 7)) {
        sg_pt2_put_member(w, &sg_pt2_NAMED_ARGUMENT, SG_PT2_NAMED_ARGUMENT_KIND);
        sg_pt2_puts(w, "null");
    }
    sg_text_putc(&w->text, '}');
}

static void put_arguments(struct sg_pt2_writer *w, struct sg_pt2_item item) {
    if (item.count == 0) {
        return;
    }
    struct sg_pt2_item rest = item;
    rest.id++;
    rest.count--;
    rest.later = true;
    sg_pt2_push(w, rest);
    if (item.kind == SG_PT2_ITEM_KEYED) {
        sg_pt2_put_key(w, sg_string(w->p, sg_arg(w->p, item.id)->name));
        sg_pt2_put_union(w, item.id);
        return;
    }
    sg_pt2_puts(w, item.later ? ", " : "");
    if (item.kind == SG_PT2_ITEM_NAMED) {
        put_named_argument(w, item.id);
    } else if (item.kind == SG_PT2_ITEM_UNIONS) {
        sg_pt2_put_union(w, item.id);
    } else {
        sg_pt2_put_payload(w, item.id);
    }
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void put_node(struct sg_pt2_writer *w, struct sg_pt2_item item) {
    if (item.id == 0) {
        sg_pt2_puts(w, "]");
        return;
    }
    const struct sg_node *n = sg_node(w->p, item.id);
    sg_pt2_puts(w, item.later ? ", {" : "{");
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_NODES, .id = n->next, .later = true});
    sg_pt2_put_string_member(w, &sg_pt2_NODE, SG_PT2_NODE_TARGET, n->target);
    sg_pt2_put_member(w, &sg_pt2_NODE, SG_PT2_NODE_INPUTS);
    sg_pt2_puts(w, "[");
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_NODE_REST, .id = item.id});
    sg_pt2_push_list(w, SG_PT2_ITEM_UNIONS, n->outputs);
    sg_pt2_push_next_list(w, &sg_pt2_NODE, SG_PT2_NODE_OUTPUTS);
    sg_pt2_push_list(w, SG_PT2_ITEM_NAMED, n->inputs);
}

static void put_node_rest(struct sg_pt2_writer *w, uint32_t id) {
    const struct sg_node *n = sg_node(w->p, id);
    sg_pt2_puts(w, "]");
    sg_pt2_put_member(w, &sg_pt2_NODE, SG_PT2_NODE_METADATA);
    sg_pt2_put_pairs(w, &w->p->pairs.data[n->metadata.first], n->metadata.count);
    if (n->hop_single_return >= 0) {
        sg_pt2_put_bool_member(w, &sg_pt2_NODE, SG_PT2_NODE_HOP_SINGLE, n->hop_single_return != 0);
    } else if (sg_pt2_since(w, 7)) {
        sg_pt2_put_member(w, &sg_pt2_NODE, SG_PT2_NODE_HOP_SINGLE);
        sg_pt2_puts(w, "null");
    }
    if (n->name != 0 || sg_pt2_since(w, 17)) {
        sg_pt2_put_string_member(w, &sg_pt2_NODE, SG_PT2_NODE_NAME, n->name);
    }
    sg_text_putc(&w->text, '}');
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

static void put_graph_start(struct sg_pt2_writer *w, uint32_t id) {
    const struct sg_graph *g = sg_graph(w->p, id);
    sg_text_putc(&w->text, '{');
    sg_pt2_put_member(w, &sg_pt2_GRAPH, SG_PT2_GRAPH_INPUTS);
    sg_pt2_puts(w, "[");
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_TABLES, .id = id});
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_NODES, .id = g->first});
    sg_pt2_push_next_list(w, &sg_pt2_GRAPH, SG_PT2_GRAPH_NODES);
    sg_pt2_push_list(w, SG_PT2_ITEM_UNIONS, g->outputs);
    sg_pt2_push_next_list(w, &sg_pt2_GRAPH, SG_PT2_GRAPH_OUTPUTS);
    sg_pt2_push_list(w, SG_PT2_ITEM_UNIONS, g->inputs);
}

/* The table is new in schema 8; what stands in one is never dropped. */
static bool describes_floats(const struct sg_pt2_writer *w, uint32_t graph) {
    uint32_t id = sg_graph(w->p, graph)->first_value;
    while (id != 0 && sg_value(w->p, id)->described_as != SIGNET_VALUE_SYM_FLOAT) {
        id = sg_value(w->p, id)->next_in_graph;
    }
    return id != 0;
}

static void put_tables(struct sg_pt2_writer *w, uint32_t id) {
    sg_pt2_put_member(w, &sg_pt2_GRAPH, SG_PT2_GRAPH_TENSOR_VALUES);
    sg_pt2_put_table(w, id, SIGNET_VALUE_TENSOR);
    sg_pt2_put_member(w, &sg_pt2_GRAPH, SG_PT2_GRAPH_SYM_INT_VALUES);
    sg_pt2_put_table(w, id, SIGNET_VALUE_SYM_INT);
    sg_pt2_put_member(w, &sg_pt2_GRAPH, SG_PT2_GRAPH_SYM_BOOL_VALUES);
    sg_pt2_put_table(w, id, SIGNET_VALUE_SYM_BOOL);
    sg_pt2_put_bool_member(w, &sg_pt2_GRAPH, SG_PT2_GRAPH_BARE, sg_graph(w->p, id)->returns_bare);
    sg_pt2_put_member(w, &sg_pt2_GRAPH, SG_PT2_GRAPH_CUSTOM_OBJ_VALUES);
    sg_pt2_put_table(w, id, SIGNET_VALUE_CUSTOM_OBJ);
    if (sg_pt2_since(w, 0) || describes_floats(w, id)) {
        sg_pt2_put_member(w, &sg_pt2_GRAPH, SG_PT2_GRAPH_SYM_FLOAT_VALUES);
        sg_pt2_put_table(w, id, SIGNET_VALUE_SYM_FLOAT);
    }
    sg_text_putc(&w->text, '}');
}

void sg_pt2_put_graph_item(struct sg_pt2_writer *w, struct sg_pt2_item item) {
    switch ((sg_pt2_item_kind)item.kind) {
    case SG_PT2_ITEM_TEXT:
        sg_pt2_puts(w, item.text);
        return;
    case SG_PT2_ITEM_MEMBER:
        sg_pt2_put_member(w, item.schema, item.id);
        return;
    case SG_PT2_ITEM_NEXT_LIST:
        sg_pt2_puts(w, "]");
        sg_pt2_put_member(w, item.schema, item.id);
        sg_pt2_puts(w, "[");
        return;
    case SG_PT2_ITEM_NODE_REST:
        put_node_rest(w, item.id);
        return;
    case SG_PT2_ITEM_PASSING:
        put_passing(w, item.id);
        return;
    case SG_PT2_ITEM_UNIONS:
    case SG_PT2_ITEM_NAMED:
    case SG_PT2_ITEM_KEYED:
    case SG_PT2_ITEM_PAYLOADS:
        put_arguments(w, item);
        return;
    case SG_PT2_ITEM_GRAPH:
        put_graph_start(w, item.id);
        return;
    case SG_PT2_ITEM_NODES:
        put_node(w, item);
        return;
    case SG_PT2_ITEM_TABLES:
        put_tables(w, item.id);
        return;
    case SG_PT2_ITEM_SPECS:
    case SG_PT2_ITEM_SPEC_REST:
    case SG_PT2_ITEM_CALLS:
    case SG_PT2_ITEM_CALL_REST:
    case SG_PT2_ITEM_PROGRAM:
        return;
    }
}
