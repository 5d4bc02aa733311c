/* SPDX-License-Identifier: Apache-2.0 */

/* Where things stand: file, line or JSON path, and what to call them. Locations are made only for
 * findings, and cost as much as what they say. */

#include "base/diag.h"
#include "ir/ir_internal.h"

/* ---- Carriers -------------------------------------------------------------------------------- */

static const struct sg_source *source_at(const signet_package *p, uint32_t source) {
    return &p->sources.data[source < p->sources.count ? source : 0];
}

/* Carriers whose content is JSON of torch.export's schema. */
static bool is_json(const signet_package *p, uint32_t source) {
    signet_carrier carrier = source_at(p, source)->carrier;
    return carrier == SIGNET_CARRIER_PT2_ARCHIVE || carrier == SIGNET_CARRIER_PT2_FLAT ||
           carrier == SIGNET_CARRIER_JSON;
}

static const char *text_or_null(const signet_package *p, struct sg_log *log, sg_strid id) {
    return id != 0 ? sg_log_name(log, sg_string(p, id)) : NULL;
}

/* Shows the line of a byte, and the focus inside it. */
static void add_excerpt(signet_location *l, const struct sg_source *s, struct sg_span focus) {
    size_t offset = focus.at - 1;
    if (offset > s->length) {
        return;
    }
    sg_source_line(s, offset, &l->line, &l->focus_column);
    size_t begin = offset - (l->focus_column - 1);
    size_t end = begin;
    while (end < s->length && s->text[end] != '\n' && s->text[end] != '\r') {
        end++;
    }
    size_t room = end > offset ? end - offset : 0;
    l->excerpt = s->text + begin;
    l->excerpt_length = (uint32_t)(end - begin);
    l->focus_length = focus.length < room ? focus.length : (uint32_t)room;
}

/* The place of `span`, with `focus` (a part of it, or the span itself) underlined. */
static signet_location at_spans(const signet_package *p, struct sg_log *log, uint32_t source,
                                struct sg_span span, struct sg_span focus) {
    const struct sg_source *s = source_at(p, source);
    signet_location l = {.file = text_or_null(p, log, s->file),
                         .entry = text_or_null(p, log, s->entry)};
    focus = focus.at != 0 ? focus : span;
    span = span.at != 0 ? span : focus;
    if (span.at == 0) {
        return l;
    }
    l.has_byte = true;
    l.byte = span.at - 1;
    if (s->text == NULL) {
        return l;
    }
    add_excerpt(&l, s, focus);
    uint32_t line = 0;
    uint32_t column = 0;
    sg_source_line(s, span.at - 1, &line, &column);
    /* A thing over several lines is placed where its focus is. */
    l.column = line == l.line ? column : l.focus_column;
    return l;
}

signet_location sg_at_source(const signet_package *p, struct sg_log *log, uint32_t source,
                             struct sg_span span) {
    return at_spans(p, log, source, span, span);
}

/* The token that starts at a byte of a text carrier: a quoted string, or a name or number. */
static struct sg_span token_at(const struct sg_source *s, uint32_t at) {
    size_t begin = at - 1;
    size_t end = begin;
    if (s->text == NULL || at == 0 || begin >= s->length) {
        return (struct sg_span){at, 0};
    }
    char first = s->text[begin];
    if (first == '"' || first == '\'') {
        for (end++; end < s->length && s->text[end] != first && s->text[end] != '\n'; end++) {
            end += s->text[end] == '\\' && end + 1 < s->length;
        }
        end += end < s->length;
    } else {
        end += first == '%' || first == '@' || first == '-';
        while (end < s->length && ((s->text[end] >= '0' && s->text[end] <= '9') ||
                                   s->text[end] == '_' || s->text[end] == '.' ||
                                   ((s->text[end] | 32) >= 'a' && (s->text[end] | 32) <= 'z'))) {
            end++;
        }
    }
    end = end > begin ? end : begin + 1;
    return (struct sg_span){at, (uint32_t)(end - begin)};
}

/* ---- Programs and graphs --------------------------------------------------------------------- */

static void add_program(const signet_package *p, struct sg_log *log, uint32_t program,
                        signet_location *l) {
    l->program = text_or_null(p, log, sg_program(p, program)->name);
}

/* Graphs from the top one down to this one, as an explicit path; deeper ones than the limit of the
 * text are left out at the top. */
enum { PATH_GRAPHS = 64 };

static uint32_t path_to(const signet_package *p, uint32_t graph, uint32_t *path) {
    uint32_t count = 0;
    while (graph != 0 && count < PATH_GRAPHS) {
        path[count++] = graph;
        uint32_t arg = sg_graph(p, graph)->parent;
        graph = arg != 0 ? sg_arg_scope(p, arg) : 0;
    }
    return count;
}

/* "forward/true_graph_0"; null for a top graph. */
static const char *graph_words(const signet_package *p, struct sg_log *log, uint32_t graph) {
    uint32_t path[PATH_GRAPHS];
    uint32_t count = path_to(p, graph, path);
    if (graph == 0 || sg_program(p, sg_graph(p, graph)->program)->graph == graph) {
        return NULL;
    }
    const char *words =
        sg_log_name(log, sg_string(p, sg_program(p, sg_graph(p, graph)->program)->name));
    for (uint32_t i = count; i-- > 0;) {
        if (sg_graph(p, path[i])->name != 0) {
            words = sg_log_text(log, "%s/%s", words,
                                sg_log_name(log, sg_string(p, sg_graph(p, path[i])->name)));
        }
    }
    return words;
}

static void add_graph(const signet_package *p, struct sg_log *log, uint32_t graph,
                      signet_location *l) {
    add_program(p, log, sg_graph(p, graph)->program, l);
    l->graph = graph_words(p, log, graph);
    l->graph_id.id = graph;
}

/* ---- JSON paths ------------------------------------------------------------------------------ */

/* The argument inside its owner: ".inputs[1].arg", ".outputs[0]", with the way to a child. */
static const char *arg_path_in_owner(const signet_package *p, struct sg_log *log, uint32_t arg) {
    uint32_t outermost = sg_arg_outermost(p, arg);
    signet_owner_kind kind = (signet_owner_kind)sg_arg(p, outermost)->owner_kind;
    uint32_t position = sg_arg_position(p, arg);
    bool input = kind == SIGNET_OWNER_NODE_INPUT || kind == SIGNET_OWNER_GRAPH_INPUT;
    const char *tail = "";
    for (uint32_t at = arg; at != outermost; at = sg_arg(p, at)->owner) { /* from the inside out */
        const struct sg_arg *list = sg_arg(p, sg_arg(p, at)->owner);
        const char *tag = sg_arg_kind_tag((signet_arg_kind)list->kind);
        tail = sg_log_text(log, ".%s[%u]%s", tag != NULL ? tag : "list", at - list->u.list.first,
                           tail);
    }
    return sg_log_text(log, ".%s[%u]%s%s", input ? "inputs" : "outputs", position,
                       kind == SIGNET_OWNER_NODE_INPUT ? ".arg" : "", tail);
}

/* "$.graph_module.graph", then node by node down to the graph. */
static const char *graph_json_path(const signet_package *p, struct sg_log *log, uint32_t graph) {
    uint32_t path[PATH_GRAPHS];
    uint32_t count = path_to(p, graph, path);
    const char *text = "$.graph_module.graph";
    for (uint32_t i = count; i-- > 1;) {
        uint32_t arg = sg_graph(p, path[i - 1])->parent;
        signet_node node = signet_arg_node(p, (signet_arg){arg});
        text = sg_log_text(log, "%s.nodes[%u]%s.as_graph.graph", text, sg_node(p, node.id)->index,
                           arg_path_in_owner(p, log, arg));
    }
    return text;
}

static const char *node_json_path(const signet_package *p, struct sg_log *log, uint32_t node) {
    const struct sg_node *n = sg_node(p, node);
    if (n->index == UINT32_MAX) {
        return NULL; /* it is not in the file */
    }
    return sg_log_text(log, "%s.nodes[%u]", graph_json_path(p, log, n->graph), n->index);
}

static uint32_t source_of_graph(const signet_package *p, uint32_t graph) {
    return sg_program(p, sg_graph(p, graph)->program)->source;
}

/* ---- Things ---------------------------------------------------------------------------------- */

signet_location sg_at_program(const signet_package *p, struct sg_log *log, signet_program program) {
    struct sg_span nowhere = {0, 0};
    const struct sg_program *r = sg_program(p, program.id);
    signet_location l = at_spans(p, log, r->source, sg_graph(p, r->graph)->span, nowhere);
    add_program(p, log, program.id, &l);
    l.json_path = is_json(p, r->source) ? "$" : NULL;
    return l;
}

signet_location sg_at_graph(const signet_package *p, struct sg_log *log, signet_graph graph) {
    uint32_t source = source_of_graph(p, graph.id);
    struct sg_span span = sg_graph(p, graph.id)->span;
    signet_location l = at_spans(p, log, source, span, span);
    add_graph(p, log, graph.id, &l);
    l.json_path = is_json(p, source) ? graph_json_path(p, log, graph.id) : NULL;
    return l;
}

static void add_user_source(const signet_package *p, struct sg_log *log, signet_node node,
                            signet_location *l) {
    signet_user_source u = signet_node_user_source(p, node);
    if (u.line != 0) {
        l->user_file = sg_log_name(log, u.file);
        l->user_line = u.line;
        l->user_function = sg_log_name(log, u.function);
        l->user_code = sg_log_name(log, u.code);
    }
}

static signet_location at_node(const signet_package *p, struct sg_log *log, signet_node node,
                               struct sg_span focus) {
    const struct sg_node *n = sg_node(p, node.id);
    uint32_t source = source_of_graph(p, n->graph);
    signet_location l = at_spans(p, log, source, n->span, focus);
    add_graph(p, log, n->graph, &l);
    l.node = sg_log_name(log, signet_node_display_name(p, node));
    l.node_id = node;
    l.json_path = is_json(p, source) ? node_json_path(p, log, node.id) : NULL;
    add_user_source(p, log, node, &l);
    return l;
}

signet_location sg_at_node(const signet_package *p, struct sg_log *log, signet_node node) {
    return at_node(p, log, node, (struct sg_span){0, 0});
}

/* "argument 1 'self'", "result 0", "input 2", "output 0". */
static const char *arg_words(const signet_package *p, struct sg_log *log, uint32_t arg) {
    uint32_t outermost = sg_arg_outermost(p, arg);
    const struct sg_arg *a = sg_arg(p, outermost);
    uint32_t position = sg_arg_position(p, arg);
    switch ((signet_owner_kind)a->owner_kind) {
    case SIGNET_OWNER_NODE_INPUT:
        if (a->name != 0 && sg_string(p, a->name).length != 0) {
            return sg_log_text(log, "argument %u '%s'", position,
                               sg_log_name(log, sg_string(p, a->name)));
        }
        return sg_log_text(log, "argument %u", position);
    case SIGNET_OWNER_NODE_OUTPUT:
        return sg_log_text(log, "result %u", position);
    case SIGNET_OWNER_GRAPH_INPUT:
        return sg_log_text(log, "input %u", position);
    case SIGNET_OWNER_GRAPH_OUTPUT:
        return sg_log_text(log, "output %u", position);
    case SIGNET_OWNER_NONE:
        break;
    }
    return NULL;
}

signet_location sg_at_arg(const signet_package *p, struct sg_log *log, signet_arg arg) {
    signet_node node = signet_arg_node(p, arg);
    signet_graph graph = signet_arg_owner_graph(p, arg);
    uint32_t source = source_of_graph(p, graph.id);
    struct sg_span token = token_at(source_at(p, source), sg_arg(p, arg.id)->at);
    signet_location l;
    const char *owner = NULL;
    if (node.id != 0) {
        l = at_node(p, log, node, token);
        owner = l.json_path;
    } else {
        l = at_spans(p, log, source, token, token);
        add_graph(p, log, graph.id, &l);
        owner = is_json(p, source) ? graph_json_path(p, log, graph.id) : NULL;
    }
    l.item = arg_words(p, log, arg.id);
    l.json_path =
        owner != NULL ? sg_log_text(log, "%s%s", owner, arg_path_in_owner(p, log, arg.id)) : NULL;
    if (token.at != 0) { /* the token's own place is better than the node's */
        l.has_byte = true;
        l.byte = token.at - 1;
        l.column = l.focus_column != 0 ? l.focus_column : l.column;
    }
    return l;
}

signet_location sg_at_value(const signet_package *p, struct sg_log *log, signet_value value) {
    const struct sg_value *v = sg_value(p, value.id);
    uint32_t arg = v->def != 0 ? v->def : v->first_use;
    if (arg == 0) {
        return sg_at_description(p, log, value);
    }
    return sg_at_arg(p, log, (signet_arg){arg});
}

/* The member of schema.Graph that describes a value. */
static const char *table_of(uint8_t described_as) {
    const char *table = sg_value_kind_table((signet_value_kind)described_as);
    return table != NULL ? table : sg_value_kind_table(SIGNET_VALUE_TENSOR);
}

signet_location sg_at_description(const signet_package *p, struct sg_log *log, signet_value value) {
    const struct sg_value *v = sg_value(p, value.id);
    uint32_t source = source_of_graph(p, v->graph);
    if (!is_json(p, source) && v->def != 0) { /* text describes a value where it defines it */
        return sg_at_arg(p, log, (signet_arg){v->def});
    }
    struct sg_span span = token_at(source_at(p, source), v->described_at);
    signet_location l = at_spans(p, log, source, span, span);
    add_graph(p, log, v->graph, &l);
    const char *name = sg_log_name(log, sg_string(p, v->name));
    l.item = sg_log_text(log, "value '%s'", name);
    if (is_json(p, source)) {
        l.json_path = sg_log_text(log, "%s.%s[\"%s\"]", graph_json_path(p, log, v->graph),
                                  table_of(v->described_as), name);
    }
    return l;
}

/* ---- Specs, states, calls, ranges ------------------------------------------------------------ */

/* The member of the spec's JSON that the label is about. */
static const char *spec_json_path(const signet_package *p, struct sg_log *log, signet_side side,
                                  uint32_t i, const struct sg_spec *s, sg_spec_part part) {
    const char *path = sg_log_text(log, "$.graph_module.signature.%s[%u]",
                                   side == SIGNET_INPUT ? "input_specs" : "output_specs", i);
    const char *tag = side == SIGNET_INPUT ? sg_input_kind_tag((signet_input_kind)s->kind)
                                           : sg_output_kind_tag((signet_output_kind)s->kind);
    const char *member = side == SIGNET_INPUT
                             ? sg_input_kind_target_member((signet_input_kind)s->kind)
                             : sg_output_kind_target_member((signet_output_kind)s->kind);
    if (part == SG_SPEC_WHOLE || tag == NULL || sg_arg(p, s->arg)->kind == SIGNET_ARG_UNKNOWN) {
        return path;
    }
    if (part == SG_SPEC_TARGET) {
        return member != NULL ? sg_log_text(log, "%s.%s.%s", path, tag, member) : path;
    }
    return sg_log_text(log, "%s.%s.arg", path, tag);
}

signet_location sg_at_spec(const signet_package *p, struct sg_log *log, signet_program program,
                           signet_side side, uint32_t i, sg_spec_part part) {
    static const struct sg_spec none;
    const struct sg_program *r = sg_program(p, program.id);
    const struct sg_spec *s = i < r->specs[side].count ? &r->specs[side].data[i] : &none;
    struct sg_span focus = part == SG_SPEC_NAME     ? s->name_span
                           : part == SG_SPEC_TARGET ? s->target_span
                                                    : s->span;
    signet_location l = at_spans(p, log, r->source, s->span, focus);
    add_graph(p, log, r->graph, &l);
    l.item = sg_log_text(log, "%s %u", side == SIGNET_INPUT ? "input" : "output", i);
    if (is_json(p, r->source)) {
        l.json_path = spec_json_path(p, log, side, i, s, part);
        if (focus.at != 0) {
            l.has_byte = true;
            l.byte = focus.at - 1;
        }
    }
    return l;
}

signet_location sg_at_state(const signet_package *p, struct sg_log *log, signet_program program,
                            uint32_t i) {
    static const struct sg_state none;
    const struct sg_program *r = sg_program(p, program.id);
    const struct sg_state *s = i < r->states.count ? &r->states.data[i] : &none;
    uint32_t source = s->source != 0 ? s->source : r->source;
    signet_location l = at_spans(p, log, source, s->span, s->span);
    add_program(p, log, program.id, &l);
    const char *name = sg_log_name(log, sg_string(p, s->name));
    l.item = sg_log_text(log, "state '%s'", name);
    if (is_json(p, source)) {
        l.json_path = sg_log_text(log, "$.config[\"%s\"]", name);
    }
    return l;
}

signet_location sg_at_call(const signet_package *p, struct sg_log *log, signet_program program,
                           uint32_t i) {
    const struct sg_program *r = sg_program(p, program.id);
    struct sg_span span = {0, 0};
    span = i < r->calls.count ? r->calls.data[i].span : span;
    signet_location l = at_spans(p, log, r->source, span, span);
    add_program(p, log, program.id, &l);
    l.item = sg_log_text(log, "call graph entry %u", i);
    if (is_json(p, r->source)) {
        l.json_path = sg_log_text(log, "$.graph_module.module_call_graph[%u]", i);
    }
    return l;
}

signet_location sg_at_range(const signet_package *p, struct sg_log *log, signet_program program,
                            uint32_t i) {
    const struct sg_program *r = sg_program(p, program.id);
    static const struct sg_range none;
    const struct sg_range *x = i < r->ranges.count ? &r->ranges.data[i] : &none;
    signet_location l = at_spans(p, log, r->source, x->span, x->span);
    add_program(p, log, program.id, &l);
    const char *symbol = sg_log_name(log, sg_string(p, x->symbol));
    l.item = sg_log_text(log, "range of '%s'", symbol);
    if (is_json(p, r->source)) {
        l.json_path = sg_log_text(log, "$.range_constraints[\"%s\"]", symbol);
    }
    return l;
}
