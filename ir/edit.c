/* SPDX-License-Identifier: Apache-2.0 */

/* Inserting and removing single arguments of nodes and graphs; removing graphs. */

#include "ir/arg_internal.h"
#include "ir/ir_internal.h"

/* The list of an owner; null for an owner that is not there. */
static struct sg_list *list_of(signet_package *p, signet_owner_kind kind, uint32_t owner) {
    bool of_node = kind == SIGNET_OWNER_NODE_INPUT || kind == SIGNET_OWNER_NODE_OUTPUT;
    if (owner == 0 || owner >= (of_node ? p->nodes.count : p->graphs.count) ||
        (of_node && p->nodes.data[owner].graph == 0)) {
        return NULL;
    }
    switch (kind) {
    case SIGNET_OWNER_NODE_INPUT:
        return &p->nodes.data[owner].inputs;
    case SIGNET_OWNER_NODE_OUTPUT:
        return &p->nodes.data[owner].outputs;
    case SIGNET_OWNER_GRAPH_INPUT:
        return &p->graphs.data[owner].inputs;
    case SIGNET_OWNER_GRAPH_OUTPUT:
        return &p->graphs.data[owner].outputs;
    case SIGNET_OWNER_NONE:
        break;
    }
    return NULL;
}

/* A run has no room behind it, so the list moves to a new one. */
static signet_arg insert(signet_package *p, signet_owner_kind kind, uint32_t owner, uint32_t i) {
    struct sg_list *list = list_of(p, kind, owner);
    if (list == NULL || i > list->count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return (signet_arg){0};
    }
    uint32_t first = sg_arg_alloc(p, list->count + 1, kind, owner);
    if (first == 0) {
        return (signet_arg){0};
    }
    for (uint32_t j = 0; j < list->count; j++) {
        sg_arg_move(p, list->first + j, first + j + (j >= i));
    }
    *list = (struct sg_list){first, list->count + 1};
    return (signet_arg){first + i};
}

static void remove_at(signet_package *p, signet_owner_kind kind, uint32_t owner, uint32_t i) {
    struct sg_list *list = list_of(p, kind, owner);
    if (list == NULL || i >= list->count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return;
    }
    sg_arg_clear(p, list->first + i);
    for (uint32_t j = i + 1; j < list->count; j++) {
        sg_arg_move(p, list->first + j, list->first + j - 1);
    }
    list->count--;
}

signet_arg signet_node_insert_input(signet_package *p, signet_node node, uint32_t i) {
    return insert(p, SIGNET_OWNER_NODE_INPUT, node.id, i);
}

signet_arg signet_node_insert_output(signet_package *p, signet_node node, uint32_t i) {
    return insert(p, SIGNET_OWNER_NODE_OUTPUT, node.id, i);
}

void signet_node_remove_input(signet_package *p, signet_node node, uint32_t i) {
    remove_at(p, SIGNET_OWNER_NODE_INPUT, node.id, i);
}

void signet_node_remove_output(signet_package *p, signet_node node, uint32_t i) {
    remove_at(p, SIGNET_OWNER_NODE_OUTPUT, node.id, i);
}

signet_arg signet_graph_insert_input(signet_package *p, signet_graph graph, uint32_t i) {
    return insert(p, SIGNET_OWNER_GRAPH_INPUT, graph.id, i);
}

signet_arg signet_graph_insert_output(signet_package *p, signet_graph graph, uint32_t i) {
    return insert(p, SIGNET_OWNER_GRAPH_OUTPUT, graph.id, i);
}

void signet_graph_remove_input(signet_package *p, signet_graph graph, uint32_t i) {
    remove_at(p, SIGNET_OWNER_GRAPH_INPUT, graph.id, i);
}

void signet_graph_remove_output(signet_package *p, signet_graph graph, uint32_t i) {
    remove_at(p, SIGNET_OWNER_GRAPH_OUTPUT, graph.id, i);
}

static void remove_graph(signet_package *p, uint32_t graph) {
    while (p->graphs.data[graph].last != 0) {
        signet_node_remove(p, (signet_node){p->graphs.data[graph].last});
    }
    sg_args_clear(p, p->graphs.data[graph].outputs);
    sg_args_clear(p, p->graphs.data[graph].inputs);
    p->graphs.data[graph].outputs.count = p->graphs.data[graph].inputs.count = 0;
    p->graphs.data[graph].program = 0;
}

void signet_program_remove_loose_graphs(signet_package *p, signet_program program) {
    uint32_t top = sg_program(p, program.id)->graph;
    bool found = program.id != 0;
    while (found) { /* what a removed graph held is loose then; it is usually younger */
        found = false;
        for (uint32_t id = 1; id < p->graphs.count; id++) {
            const struct sg_graph *g = &p->graphs.data[id];
            if (g->program == program.id && g->parent == 0 && id != top) {
                remove_graph(p, id);
                found = true;
            }
        }
    }
}
