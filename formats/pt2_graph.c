/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2.h"

#include "base/compiler.h"

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void read_named_argument(struct sg_pt2 *r, sg_json v, signet_arg arg) {
    sg_json f[SG_PT2_NAMED_ARGUMENT_COUNT];
    if (!sg_pt2_record(r, v, &sg_pt2_NAMED_ARGUMENT, f)) {
        return;
    }
    sg_json kind = f[SG_PT2_NAMED_ARGUMENT_KIND];
    int64_t number = sg_json_int(kind);
    if (number < 0 || number > SIGNET_PASSING_KEYWORD) {
        struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_ENUM_VALUE, kind);
        sg_diag_message(d, "argument kind %lld is none of 0 (unknown), 1 (positional), 2 (keyword)",
                        (long long)number);
        sg_diag_end(d);
        number = 0;
    }
    sg_arg_set_name(r->p, arg, sg_pt2_name(r, f[SG_PT2_NAMED_ARGUMENT_NAME]),
                    (signet_passing)number);
    if (f[SG_PT2_NAMED_ARGUMENT_ARG].value != NULL) {
        sg_pt2_argument(r, f[SG_PT2_NAMED_ARGUMENT_ARG], arg);
    }
}

static void read_metadata(struct sg_pt2 *r, sg_json v, signet_node node) {
    uint32_t dictionary = sg_pt2_dictionary(r);
    struct sg_json_iter it = sg_json_iter(v);
    while (sg_json_next(&it)) {
        sg_strid key = sg_pt2_key(r, v, it.name_value, dictionary);
        if (sg_pt2_expect(r, it.value, SG_PT2_STRING, "node metadata")) {
            /* Stack traces are long: to hash and compare them would cost more than all names. */
            sg_node_add_metadata(r->p, node, key, sg_pt2_long_text(r, it.value));
        }
    }
}

static void read_node(struct sg_pt2 *r, sg_json v, signet_graph graph) {
    sg_json f[SG_PT2_NODE_COUNT];
    uint64_t faults = r->faults;
    if (!sg_pt2_record(r, v, &sg_pt2_NODE, f)) {
        return;
    }
    signet_node node = sg_node_append(r->p, graph, sg_pt2_name(r, f[SG_PT2_NODE_TARGET]));
    if (node.id == 0) {
        return;
    }
    r->node = node;
    sg_node_set_span(r->p, node, sg_pt2_span(r, f[SG_PT2_NODE_TARGET]));
    if (sg_json_get_kind(f[SG_PT2_NODE_NAME]) == SG_JSON_STRING) {
        sg_node_set_name(r->p, node, sg_pt2_name(r, f[SG_PT2_NODE_NAME]));
    }
    if (sg_json_get_kind(f[SG_PT2_NODE_HOP_SINGLE]) == SG_JSON_BOOL) {
        signet_node_set_hop_single_return(r->p, node, sg_json_bool(f[SG_PT2_NODE_HOP_SINGLE]));
    }
    signet_arg arg = signet_node_set_inputs(r->p, node, sg_json_count(f[SG_PT2_NODE_INPUTS]));
    struct sg_json_iter it = sg_json_iter(f[SG_PT2_NODE_INPUTS]);
    for (; arg.id != 0 && sg_json_next(&it); arg.id++) {
        read_named_argument(r, it.value, arg);
    }
    arg = signet_node_set_outputs(r->p, node, sg_json_count(f[SG_PT2_NODE_OUTPUTS]));
    it = sg_json_iter(f[SG_PT2_NODE_OUTPUTS]);
    for (; arg.id != 0 && sg_json_next(&it); arg.id++) {
        sg_pt2_argument(r, it.value, arg);
    }
    read_metadata(r, f[SG_PT2_NODE_METADATA], node);
    r->p->nodes.data[node.id].faulty = r->faults != faults;
    r->node.id = 0;
}

/* ---- Descriptions ---------------------------------------------------------------------------- */

/* What an entry of a table says; one that cannot be read says nothing. */
struct description {
    bool good;
    signet_type type;
    signet_sym sym;
    signet_string class_name;
};

static struct description read_description(struct sg_pt2 *r, sg_json v, signet_value_kind kind) {
    struct description d = {false, {0}, {0}, {NULL, 0}};
    if (kind == SIGNET_VALUE_TENSOR) {
        d.type = sg_pt2_type(r, v);
        d.good = d.type.id != 0;
    } else if (kind == SIGNET_VALUE_CUSTOM_OBJ) {
        sg_json f[SG_PT2_CUSTOM_OBJ_ARGUMENT_COUNT];
        d.good = sg_pt2_record(r, v, &sg_pt2_CUSTOM_OBJ_ARGUMENT, f);
        if (d.good) {
            d.class_name = sg_pt2_name_text(r, f[SG_PT2_CUSTOM_OBJ_ARGUMENT_CLASS]);
        }
    } else {
        d.sym = sg_pt2_sym(r, v,
                           kind == SIGNET_VALUE_SYM_INT     ? "SymInt"
                           : kind == SIGNET_VALUE_SYM_FLOAT ? "SymFloat"
                                                            : "SymBool");
        d.good = d.sym.id != 0;
    }
    return d;
}

static void describe(struct sg_pt2 *r, signet_value value, signet_value_kind kind,
                     const struct description *d) {
    if (kind == SIGNET_VALUE_TENSOR) {
        signet_value_describe_tensor(r->p, value, d->type);
    } else if (kind == SIGNET_VALUE_CUSTOM_OBJ) {
        signet_value_describe_custom(r->p, value, d->class_name);
    } else {
        signet_value_describe_sym(r->p, value, kind, d->sym);
    }
}

static void read_table(struct sg_pt2 *r, sg_json v, signet_graph graph, signet_value_kind kind) {
    uint32_t dictionary = sg_pt2_dictionary(r);
    struct sg_json_iter it = sg_json_iter(v);
    while (sg_json_next(&it) && r->p->status == SIGNET_OK && r->status == SIGNET_OK) {
        sg_strid name = sg_pt2_key(r, v, it.name_value, dictionary);
        struct description d = read_description(r, it.value, kind);
        /* Of a value that there is not, only a description makes one. */
        signet_value value =
            d.good ? sg_value_refer(r->p, graph, name) : sg_value_lookup(r->p, graph, name);
        if (value.id == 0) {
            continue;
        }
        size_t byte = sg_json_string_byte(r->doc, it.name_value);
        sg_value_set_described_at(r->p, value, byte < UINT32_MAX ? (uint32_t)byte + 1 : 0);
        if (d.good) {
            describe(r, value, kind, &d);
        }
    }
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

static void read_arguments(struct sg_pt2 *r, sg_json v, signet_arg first) {
    struct sg_json_iter it = sg_json_iter(v);
    for (; first.id != 0 && sg_json_next(&it); first.id++) {
        sg_pt2_argument(r, it.value, first);
    }
}

static void read_graph(struct sg_pt2 *r, sg_json v, signet_graph graph) {
    sg_json f[SG_PT2_GRAPH_COUNT];
    uint64_t faults = r->faults;
    if (sg_pt2_record(r, v, &sg_pt2_GRAPH, f)) {
        sg_json list = f[SG_PT2_GRAPH_INPUTS];
        read_arguments(r, list, signet_graph_set_inputs(r->p, graph, sg_json_count(list)));
        struct sg_json_iter it = sg_json_iter(f[SG_PT2_GRAPH_NODES]);
        while (sg_json_next(&it) && r->p->status == SIGNET_OK && r->status == SIGNET_OK) {
            read_node(r, it.value, graph);
        }
        list = f[SG_PT2_GRAPH_OUTPUTS];
        read_arguments(r, list, signet_graph_set_outputs(r->p, graph, sg_json_count(list)));
        read_table(r, f[SG_PT2_GRAPH_TENSOR_VALUES], graph, SIGNET_VALUE_TENSOR);
        read_table(r, f[SG_PT2_GRAPH_SYM_INT_VALUES], graph, SIGNET_VALUE_SYM_INT);
        read_table(r, f[SG_PT2_GRAPH_SYM_FLOAT_VALUES], graph, SIGNET_VALUE_SYM_FLOAT);
        read_table(r, f[SG_PT2_GRAPH_SYM_BOOL_VALUES], graph, SIGNET_VALUE_SYM_BOOL);
        read_table(r, f[SG_PT2_GRAPH_CUSTOM_OBJ_VALUES], graph, SIGNET_VALUE_CUSTOM_OBJ);
        signet_graph_set_returns_bare(r->p, graph, sg_json_bool(f[SG_PT2_GRAPH_BARE]));
    }
    r->p->graphs.data[graph.id].faulty |= r->faults != faults;
}

void sg_pt2_graph(struct sg_pt2 *r, sg_json v, signet_graph graph) {
    read_graph(r, v, graph);
    sg_pt2_pending(r);
}

void sg_pt2_pending(struct sg_pt2 *r) {
    for (uint32_t i = 0; i < r->pending.count; i++) {
        if (r->p->status != SIGNET_OK || r->status != SIGNET_OK) {
            break;
        }
        struct sg_pt2_pending item = r->pending.data[i];
        uint64_t faults = r->faults;
        r->depth = item.depth;
        r->node = signet_arg_node(r->p, (signet_arg){item.arg});
        if (item.graph != 0) {
            read_graph(r, item.value, (signet_graph){item.graph});
        } else if (item.kind != SIGNET_ARG_UNKNOWN) {
            sg_pt2_payload(r, item.value, (signet_arg){item.arg}, item.kind);
        } else {
            sg_pt2_argument(r, item.value, (signet_arg){item.arg});
        }
        uint32_t graph = item.graph == 0 ? sg_arg_scope(r->p, item.arg) : 0;
        if (graph != 0 && r->faults != faults) {
            r->p->graphs.data[graph].faulty = 1;
        }
    }
    r->pending.count = 0;
    r->depth = 0;
    r->node.id = 0;
}
