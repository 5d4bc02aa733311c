/* SPDX-License-Identifier: Apache-2.0 */
/* How messages call the parts of a graph. */

#include "base/text.h"
#include "verifier/verifier_internal.h"

const char *sg_node_words(struct sg_verify *v, uint32_t node) {
    const struct sg_node *n = sg_node(v->p, node);
    const char *target = sg_log_name(&v->log, sg_string(v->p, n->target));
    signet_string name = signet_node_display_name(v->p, (signet_node){node});
    if (sg_string_equal(name, sg_string(v->p, n->target))) {
        return sg_log_text(&v->log, "node %u (%s)", v->facts.order[node], target);
    }
    return sg_log_text(&v->log, "node '%s' (%s)", sg_log_name(&v->log, name), target);
}

const char *sg_graph_words(struct sg_verify *v, uint32_t graph) {
    const struct sg_graph *g = sg_graph(v->p, graph);
    if (sg_program(v->p, g->program)->graph == graph) {
        return "the graph";
    }
    return sg_log_text(&v->log, "subgraph %s", sg_quote(v, g->name));
}

/* "argument 'self' of node ..."; by position where it has no name. */
static const char *node_argument(struct sg_verify *v, uint32_t outermost, uint32_t node) {
    const struct sg_arg *a = sg_arg(v->p, outermost);
    signet_string name = sg_string(v->p, a->name);
    if (name.length != 0) {
        return sg_log_text(&v->log, "argument %s of %s", sg_quote(v, a->name),
                           sg_node_words(v, node));
    }
    return sg_log_text(&v->log, "argument %u of %s", sg_arg_position(v->p, outermost),
                       sg_node_words(v, node));
}

const char *sg_arg_words(struct sg_verify *v, uint32_t arg) {
    uint32_t outermost = sg_arg_outermost(v->p, arg);
    const struct sg_arg *a = sg_arg(v->p, outermost);
    uint32_t position = sg_arg_position(v->p, outermost);
    switch ((signet_owner_kind)a->owner_kind) {
    case SIGNET_OWNER_NODE_INPUT:
        return node_argument(v, outermost, a->owner);
    case SIGNET_OWNER_NODE_OUTPUT:
        return sg_log_text(&v->log, "result %u of %s", position, sg_node_words(v, a->owner));
    case SIGNET_OWNER_GRAPH_INPUT:
        return sg_log_text(&v->log, "input %u of %s", position, sg_graph_words(v, a->owner));
    case SIGNET_OWNER_GRAPH_OUTPUT:
        return sg_log_text(&v->log, "output %u of %s", position, sg_graph_words(v, a->owner));
    case SIGNET_OWNER_NONE:
        break;
    }
    return "an argument";
}

sg_strid sg_value_near(struct sg_verify *v, uint32_t graph, sg_strid name) {
    struct sg_near near = sg_near_start(v, name);
    bool more = true;
    for (uint32_t id = sg_graph(v->p, graph)->first_value; id != 0 && more;
         id = sg_value(v->p, id)->next_in_graph) {
        const struct sg_value *w = sg_value(v->p, id);
        more = sg_near_offer(v, &near, w->def != 0 ? w->name : 0);
    }
    return near.name;
}
