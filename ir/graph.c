/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/arg_internal.h"
#include "ir/ir_internal.h"

static struct sg_graph *edit(signet_package *p, signet_graph graph) {
    if (graph.id == 0 || graph.id >= p->graphs.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return NULL;
    }
    return &p->graphs.data[graph.id];
}

signet_graph signet_graph_add(signet_package *p, signet_program program, signet_string name) {
    sg_strid id = sg_intern(p, name);
    if (program.id == 0 || program.id >= p->programs.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return (signet_graph){0};
    }
    if (!sg_vec_reserve(&p->allocator, &p->graphs, 1)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return (signet_graph){0};
    }
    p->graphs.data[p->graphs.count] = (struct sg_graph){.program = program.id, .name = id};
    return (signet_graph){p->graphs.count++};
}

signet_program signet_graph_program(const signet_package *p, signet_graph graph) {
    return (signet_program){sg_graph(p, graph.id)->program};
}

signet_string signet_graph_name(const signet_package *p, signet_graph graph) {
    return sg_string(p, sg_graph(p, graph.id)->name);
}

signet_node signet_graph_parent(const signet_package *p, signet_graph graph) {
    return signet_arg_node(p, (signet_arg){sg_graph(p, graph.id)->parent});
}

bool signet_graph_returns_bare(const signet_package *p, signet_graph graph) {
    return sg_graph(p, graph.id)->returns_bare;
}

void signet_graph_set_returns_bare(signet_package *p, signet_graph graph, bool bare) {
    struct sg_graph *g = edit(p, graph);
    if (g != NULL) {
        g->returns_bare = bare;
    }
}

void sg_graph_set_span(signet_package *p, signet_graph graph, struct sg_span span) {
    struct sg_graph *g = edit(p, graph);
    if (g != NULL) {
        g->span = span;
    }
}

signet_node signet_graph_first(const signet_package *p, signet_graph graph) {
    return (signet_node){sg_graph(p, graph.id)->first};
}

signet_node signet_graph_last(const signet_package *p, signet_graph graph) {
    return (signet_node){sg_graph(p, graph.id)->last};
}

uint32_t signet_graph_node_count(const signet_package *p, signet_graph graph) {
    return sg_graph(p, graph.id)->node_count;
}

static signet_arg list_at(struct sg_list list, uint32_t i) {
    return (signet_arg){i < list.count ? list.first + i : 0};
}

uint32_t signet_graph_input_count(const signet_package *p, signet_graph graph) {
    return sg_graph(p, graph.id)->inputs.count;
}

signet_arg signet_graph_input(const signet_package *p, signet_graph graph, uint32_t i) {
    return list_at(sg_graph(p, graph.id)->inputs, i);
}

uint32_t signet_graph_output_count(const signet_package *p, signet_graph graph) {
    return sg_graph(p, graph.id)->outputs.count;
}

signet_arg signet_graph_output(const signet_package *p, signet_graph graph, uint32_t i) {
    return list_at(sg_graph(p, graph.id)->outputs, i);
}

static signet_arg set_list(signet_package *p, signet_graph graph, uint32_t count,
                           signet_owner_kind kind) {
    if (edit(p, graph) == NULL) {
        return (signet_arg){0};
    }
    uint32_t first = sg_arg_alloc(p, count, kind, graph.id);
    if (first == 0 && count != 0) {
        return (signet_arg){0};
    }
    struct sg_graph *g = &p->graphs.data[graph.id];
    struct sg_list *list = kind == SIGNET_OWNER_GRAPH_INPUT ? &g->inputs : &g->outputs;
    struct sg_list old = *list;
    *list = (struct sg_list){first, count};
    sg_args_clear(p, old);
    return (signet_arg){first};
}

signet_arg signet_graph_set_inputs(signet_package *p, signet_graph graph, uint32_t count) {
    return set_list(p, graph, count, SIGNET_OWNER_GRAPH_INPUT);
}

signet_arg signet_graph_set_outputs(signet_package *p, signet_graph graph, uint32_t count) {
    return set_list(p, graph, count, SIGNET_OWNER_GRAPH_OUTPUT);
}

signet_value signet_graph_find(const signet_package *p, signet_graph graph, signet_string name) {
    return sg_value_lookup(p, graph, sg_strings_find(p->strings, name));
}
