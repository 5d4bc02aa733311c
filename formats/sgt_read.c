/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the exact text: blocks and the statements of graphs. docs/text-format.md has the
 * grammar. */

#include "formats/sgt_internal.h"

#include <string.h>

/* ---- Blocks ---------------------------------------------------------------------------------- */

bool sg_sgt_push_frame(struct sg_sgt_reader *r, sg_sgt_frame_kind kind, uint32_t graph) {
    if (!SGT_ROOM(r, &r->frames)) {
        return false;
    }
    r->frames.data[r->frames.count++] = (struct sg_sgt_frame){.kind = (uint8_t)kind,
                                                              .graph = graph,
                                                              .first_item = r->items.count,
                                                              .first_port = r->ports.count,
                                                              .first_ref = r->refs.count,
                                                              .first_list = r->lists.count,
                                                              .first_body = r->bodies.count,
                                                              .next_body = r->bodies.count,
                                                              .at = r->tokens.data[0].at};
    if (kind == SGT_FRAME_GRAPH) {
        if (!SGT_ROOM(r, &r->graphs)) {
            return false;
        }
        r->graphs.data[r->graphs.count++] = graph;
        sg_graph_set_span(r->p, (signet_graph){graph}, sg_sgt_line_span(r));
    }
    return true;
}

static void pop_frame(struct sg_sgt_reader *r) {
    const struct sg_sgt_frame *frame = sg_sgt_top(r);
    r->items.count = frame->first_item;
    r->ports.count = frame->first_port;
    r->refs.count = frame->first_ref;
    r->lists.count = frame->first_list;
    r->bodies.count = frame->first_body;
    r->frames.count--;
}

struct sg_span sg_sgt_line_span(const struct sg_sgt_reader *r) {
    const struct sg_sgt_token *last = &r->tokens.data[r->tokens.count - 1];
    if (r->tokens.count > 1) {
        last--;
    }
    uint32_t at = r->tokens.data[0].at;
    return sg_span_make(at, last->at + last->length - at);
}

/* Every graph that an argument names has its block right below the line of the argument. */
static bool bodies_complete(struct sg_sgt_reader *r) {
    struct sg_sgt_frame *frame = sg_sgt_top(r);
    if (frame->next_body < r->bodies.count) {
        signet_graph missing = {r->bodies.data[frame->next_body]};
        frame->next_body = r->bodies.count;
        return sg_sgt_wrong(r, sg_sgt_peek(r)->at, sg_sgt_peek(r)->length,
                            "expected the block of graph @%s, found another statement",
                            sg_log_name(r->log, signet_graph_name(r->p, missing)));
    }
    r->bodies.count = frame->next_body = frame->first_body;
    return true;
}

/* graph @true_graph_0 bare { */
static bool graph_line(struct sg_sgt_reader *r) {
    const struct sg_sgt_token *token = sg_sgt_peek_second(r);
    sg_strid name = 0;
    r->t++;
    if (token->kind == SGT_SYMBOL) {
        r->t++;
        if (!sg_sgt_name_of(r, token, &name)) {
            return false;
        }
    } else if (!sg_sgt_take_mark(r, '?')) {
        return sg_sgt_expected(r, "the graph's name such as @true_graph_0");
    }
    bool bare = sg_sgt_take_word(r, "bare");
    bool loose = sg_sgt_take_word(r, "loose");
    if (!sg_sgt_expect_mark(r, '{', "'{'") || !sg_sgt_expect_end(r, "the end of the line")) {
        return false;
    }
    if (r->frames.count > r->p->limits.graph_depth) {
        return sg_sgt_limit(r, "graphs are nested deeper", "graph-depth", r->p->limits.graph_depth);
    }
    struct sg_sgt_frame *frame = sg_sgt_top(r);
    signet_graph graph = {0};
    if (loose) {
        graph = signet_graph_add(r->p, (signet_program){r->program}, sg_string(r->p, name));
    } else if (frame->next_body < r->bodies.count) {
        graph.id = r->bodies.data[frame->next_body++];
    } else {
        return sg_sgt_wrong(r, token->at, token->length,
                            "expected an argument above that names this graph, found none; a graph "
                            "that no argument holds is called loose");
    }
    if (graph.id == 0 || sg_graph(r->p, graph.id)->name != name) {
        return sg_sgt_wrong(r, token->at, token->length,
                            "expected the block of graph @%s, found another one",
                            sg_log_name(r->log, signet_graph_name(r->p, graph)));
    }
    signet_graph_set_returns_bare(r->p, graph, bare);
    return sg_sgt_push_frame(r, SGT_FRAME_GRAPH, graph.id);
}

static bool inputs_done(struct sg_sgt_reader *r) {
    if (sg_sgt_top(r)->inputs_done) {
        return true;
    }
    sg_sgt_top(r)->inputs_done = true;
    return sg_sgt_ports_build(r, SIGNET_INPUT) && sg_sgt_ports_end(r, SIGNET_INPUT);
}

static bool graph_end(struct sg_sgt_reader *r) {
    struct sg_sgt_frame frame = *sg_sgt_top(r);
    bool ok = bodies_complete(r) && inputs_done(r) && sg_sgt_ports_build(r, SIGNET_OUTPUT) &&
              sg_sgt_resolve(r, &frame) && sg_sgt_ports_end(r, SIGNET_OUTPUT);
    if (frame.is_top) {
        sg_sgt_program_end(r);
    }
    return ok;
}

/* ---- Statements of graphs -------------------------------------------------------------------- */

/* value %x : f32[3]: describes a value that nothing defines */
static bool value_line(struct sg_sgt_reader *r) {
    const struct sg_sgt_token *token = sg_sgt_peek_second(r);
    struct sg_sgt_ref ref = {.ordinal = 1, .at = token->at + 1};
    r->t++;
    if (token->kind != SGT_VALUE) {
        return sg_sgt_expected(r, "a value such as %x");
    }
    r->t++;
    if (!sg_sgt_name_of(r, token, &ref.name) || !sg_sgt_ordinal(r, &ref.ordinal) ||
        !sg_sgt_expect_mark(r, ':', "':' and a description such as f32[3]") ||
        !sg_sgt_description(r, &ref.described, &ref.description, &ref.described_twice) ||
        !sg_sgt_expect_end(r, "the end of the line") || !SGT_ROOM(r, &r->refs)) {
        return false;
    }
    if (ref.ordinal == 1) { /* made now, so that it keeps its place among the graph's values */
        sg_value_refer(r->p, (signet_graph){sg_sgt_top(r)->graph}, ref.name);
    }
    r->refs.data[r->refs.count++] = ref;
    return true;
}

/* meta key "value": of the node above, or of the program before its first node */
static bool meta_line(struct sg_sgt_reader *r) {
    sg_strid key = 0;
    sg_strid value = 0;
    signet_node node = {sg_sgt_top(r)->node};
    r->t++;
    if (!sg_sgt_take_word_or_text(r, &key, "a key") ||
        !sg_sgt_take_text(r, &value, "a text between quotes") ||
        !sg_sgt_expect_end(r, "the end of the line")) {
        return false;
    }
    if (node.id != 0) {
        signet_node_add_metadata(r->p, node, sg_string(r->p, key), sg_string(r->p, value));
    } else if (sg_sgt_top(r)->is_top) {
        signet_program_add_metadata(r->p, (signet_program){r->program}, sg_string(r->p, key),
                                    sg_string(r->p, value));
    } else {
        return sg_sgt_wrong(r, r->tokens.data[0].at, r->tokens.data[0].length,
                            "expected a node above that the metadata belongs to, found none");
    }
    return true;
}

/* A node as it is written. */
struct node_line {
    uint32_t outputs, output_count; /* items */
    uint32_t inputs, input_count;
    sg_strid target, name;
    bool has_name;
    bool open;
    int single_return;
};

/* %a : f32[3], none, ... = */
static bool take_results(struct sg_sgt_reader *r, struct node_line *node) {
    uint32_t last = 0;
    if (sg_sgt_is_word(r, sg_sgt_peek(r), "call")) {
        return true;
    }
    do {
        uint32_t i = 0;
        if (sg_sgt_peek(r)->kind == SGT_OPEN) {
            r->t++;
            node->open = true;
            break;
        }
        if (!sg_sgt_item(r, SGT_PLACE_RESULT, &i)) {
            return false;
        }
        if (last != 0) {
            r->items.data[last].next = i;
        } else {
            node->outputs = i;
        }
        last = i;
        node->output_count++;
    } while (sg_sgt_take_mark(r, ','));
    return sg_sgt_expect_mark(r, '=', node->open ? "'='" : "',' or '='");
}

/* Arguments that are given by position have no name, but those of higher-order operators have an
 * empty one. */
static void name_arguments(struct sg_sgt_reader *r, const struct node_line *node) {
    bool empty = !sg_program(r->p, r->program)->lossy &&
                 sg_sgt_is_higher_order(sg_string(r->p, node->target));
    sg_strid name = empty ? sg_intern_text(r->p, "") : 0;
    for (uint32_t i = node->inputs; i != 0 && empty; i = r->items.data[i].next) {
        if (!r->items.data[i].has_prefix) {
            r->items.data[i].name = name;
        }
    }
}

/* call @aten.add.Tensor(%x, %y, alpha=1) */
static bool take_call(struct sg_sgt_reader *r, struct node_line *node) {
    const struct sg_sgt_token *token;
    if (!sg_sgt_take_word(r, "call")) {
        return sg_sgt_expected(r, "call");
    }
    token = sg_sgt_peek(r);
    if (token->kind == SGT_SYMBOL) {
        r->t++;
        node->target = sg_sgt_target_of(r, token);
        if (node->target == 0) {
            return false;
        }
    } else if (!sg_sgt_take_mark(r, '?')) {
        return sg_sgt_expected(r, "an operator such as @aten.add.Tensor");
    }
    if (!sg_sgt_expect_mark(r, '(', "'(' and arguments") ||
        !sg_sgt_items(r, SGT_PLACE_ARGUMENT, ')', &node->inputs, &node->input_count)) {
        return false;
    }
    name_arguments(r, node);
    return true;
}

/* name split, single_return=true */
static bool take_node_words(struct sg_sgt_reader *r, struct node_line *node) {
    if (sg_sgt_take_word(r, "name")) {
        node->has_name = true;
        if (!sg_sgt_take_word_or_text(r, &node->name, "the node's name")) {
            return false;
        }
    }
    if (sg_sgt_take_word(r, "single_return")) {
        if (!sg_sgt_expect_mark(r, '=', "'='")) {
            return false;
        }
        node->single_return = sg_sgt_is_word(r, sg_sgt_peek(r), "true");
        if (!sg_sgt_take_word(r, "true") && !sg_sgt_take_word(r, "false")) {
            return sg_sgt_expected(r, "true or false");
        }
    }
    return sg_sgt_expect_end(r, "the end of the line, name or single_return");
}

/* A node with one result that is a value is called like it. */
static sg_strid node_name(const struct sg_sgt_reader *r, const struct node_line *node) {
    const struct sg_sgt_item *result = &r->items.data[node->outputs];
    if (node->has_name || r->nodes_unnamed) {
        return node->name;
    }
    return node->output_count == 1 && result->names_value ? result->u.ref.value : 0;
}

static bool build_node(struct sg_sgt_reader *r, const struct node_line *node) {
    signet_graph graph = {sg_sgt_top(r)->graph};
    signet_node id = signet_node_append(r->p, graph, sg_string(r->p, node->target));
    if (id.id == 0) {
        return false;
    }
    sg_sgt_top(r)->node = id.id;
    sg_node_set_span(r->p, id, sg_sgt_line_span(r));
    sg_strid name = node_name(r, node);
    if (name != 0) {
        signet_node_set_name(r->p, id, sg_string(r->p, name));
    }
    signet_node_set_results_open(r->p, id, node->open);
    signet_node_set_hop_single_return(r->p, id, node->single_return);
    signet_arg first = signet_node_set_outputs(r->p, id, node->output_count);
    if (r->p->status != SIGNET_OK || !sg_sgt_build(r, SGT_PLACE_RESULT, node->outputs, first.id)) {
        return false;
    }
    first = signet_node_set_inputs(r->p, id, node->input_count);
    return r->p->status == SIGNET_OK && sg_sgt_build(r, SGT_PLACE_ARGUMENT, node->inputs, first.id);
}

/* False for a word that begins nothing: what stands there is then no node either. */
static bool may_begin_node(struct sg_sgt_reader *r) {
    signet_string word = sg_sgt_token_text(r, sg_sgt_peek(r));
    return sg_sgt_peek(r)->kind != SGT_WORD || sg_sgt_is_mark(sg_sgt_peek_second(r), '=') ||
           sg_sgt_is_mark(sg_sgt_peek_second(r), ',') ||
           sg_sgt_is_word(r, sg_sgt_peek(r), "call") || sg_sgt_is_word(r, sg_sgt_peek(r), "name") ||
           sg_arg_kind_of_keyword(word) != 0;
}

static bool node_line(struct sg_sgt_reader *r) {
    struct node_line node = {.single_return = -1};
    uint32_t first_item = r->items.count;
    if (!may_begin_node(r)) {
        return sg_sgt_expected(r, "a statement such as input, output or %x = call");
    }
    bool ok = take_results(r, &node) && take_call(r, &node) && take_node_words(r, &node) &&
              build_node(r, &node);
    r->items.count = first_item;
    return ok;
}

static bool graph_statement(struct sg_sgt_reader *r) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    bool known = false;
    if (sg_sgt_is_word(r, token, "meta")) {
        return meta_line(r);
    }
    if (sg_sgt_is_word(r, token, "graph") &&
        sg_sgt_is_mark(&r->tokens.data[r->tokens.count - 2], '{')) {
        return graph_line(r);
    }
    if (!bodies_complete(r)) {
        return false;
    }
    if (sg_sgt_is_word(r, token, "input")) {
        return sg_sgt_port_line(r, SIGNET_INPUT);
    }
    if (sg_sgt_top(r)->is_top) {
        bool ok = sg_sgt_program_statement(r, &known);
        if (!ok || known) {
            return ok;
        }
    }
    if (!inputs_done(r)) {
        return false;
    }
    if (sg_sgt_is_word(r, token, "output")) {
        return sg_sgt_port_line(r, SIGNET_OUTPUT);
    }
    if (sg_sgt_is_word(r, token, "value")) {
        return value_line(r);
    }
    return node_line(r);
}

/* ---- Statements of the package --------------------------------------------------------------- */

bool sg_sgt_delegate_of(struct sg_sgt_reader *r, const struct sg_sgt_token *symbol,
                        uint32_t *delegate) {
    sg_strid name = 0;
    if (!sg_sgt_name_of(r, symbol, &name)) {
        return false;
    }
    *delegate = sg_map_get(r->delegates, name);
    if (*delegate == 0) {
        *delegate = signet_delegate_add(r->p, sg_string(r->p, name)).id;
        if (*delegate != 0 && !sg_map_put(r->delegates, name, *delegate)) {
            return sg_sgt_no_memory(r);
        }
    }
    return *delegate != 0;
}

/* The record that a declaration fills: one that arguments have named, or a new one. */
static bool declare_delegate(struct sg_sgt_reader *r, uint32_t *delegate) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    sg_strid name = 0;
    if (token->kind == SGT_SYMBOL) {
        r->t++;
        if (!sg_sgt_name_of(r, token, &name)) {
            return false;
        }
    } else if (!sg_sgt_take_mark(r, '?')) {
        return sg_sgt_expected(r, "the delegate's name such as @lowered_module_0");
    }
    *delegate = name != 0 ? sg_map_get(r->delegates, name) : 0;
    if (*delegate != 0 && sg_delegate(r->p, *delegate)->span.at == 0) {
        return true;
    }
    bool first = *delegate == 0 && name != 0;
    *delegate = signet_delegate_add(r->p, sg_string(r->p, name)).id;
    if (*delegate != 0 && first && !sg_map_put(r->delegates, name, *delegate)) {
        return sg_sgt_no_memory(r);
    }
    return *delegate != 0;
}

static bool take_body(struct sg_sgt_reader *r, uint32_t delegate) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    struct sg_sgt_body_ref ref = {.delegate = delegate, .at = token->at};
    if (token->kind == SGT_SYMBOL) {
        r->t++;
        if (!sg_sgt_name_of(r, token, &ref.name)) {
            return false;
        }
    } else if (!sg_sgt_take_mark(r, '#')) {
        return sg_sgt_expected(r, "a program such as @body");
    } else if (!sg_sgt_take_uint32(r, &ref.number, "the number of a program")) {
        return false;
    }
    if (!SGT_ROOM(r, &r->body_refs)) {
        return false;
    }
    r->body_refs.data[r->body_refs.count++] = ref;
    return true;
}

/* delegate @lowered_module_0 backend "XnnpackBackend" body @forward_0 */
static bool delegate_line(struct sg_sgt_reader *r) {
    uint32_t delegate = 0;
    sg_strid backend = 0;
    r->t++;
    if (!declare_delegate(r, &delegate)) {
        return false;
    }
    r->p->delegates.data[delegate].span = sg_sgt_line_span(r);
    if (sg_sgt_take_word(r, "backend")) {
        if (!sg_sgt_take_text(r, &backend, "the name of a backend between quotes")) {
            return false;
        }
        signet_delegate_set_backend(r->p, (signet_delegate){delegate}, sg_string(r->p, backend));
    }
    if (sg_sgt_take_word(r, "body") && !take_body(r, delegate)) {
        return false;
    }
    return sg_sgt_expect_end(r, "backend, body or the end of the line");
}

/* package exprs=srepr */
static bool package_line(struct sg_sgt_reader *r) {
    if (!sg_sgt_take_word(r, "package")) {
        return sg_sgt_expected(r, "the line 'package'");
    }
    if (!sg_sgt_take_word(r, "exprs")) {
        return sg_sgt_expect_end(r, "the end of the line, or exprs=");
    }
    if (!sg_sgt_expect_mark(r, '=', "'='")) {
        return false;
    }
    for (int i = 0; i < SGT_SPELLINGS; i++) {
        if (sg_sgt_take_word(r, sg_sgt_spelling_word((sg_sgt_spelling)i))) {
            r->spelling = (sg_sgt_spelling)i;
            return sg_sgt_expect_end(r, "the end of the line");
        }
    }
    return sg_sgt_expected(r, "bare, srepr or infix");
}

static bool package_statement(struct sg_sgt_reader *r) {
    if (sg_sgt_is_word(r, sg_sgt_peek(r), "program")) {
        return sg_sgt_program_line(r);
    }
    if (sg_sgt_is_word(r, sg_sgt_peek(r), "delegate")) {
        return delegate_line(r);
    }
    return sg_sgt_expected(r, "program or delegate");
}

/* ---- The end of the text --------------------------------------------------------------------- */

/* Programs by name, the first one of each. */
static struct sg_map *map_programs(struct sg_sgt_reader *r) {
    struct sg_map *map = sg_map_create(&r->p->allocator);
    for (uint32_t i = 1; map != NULL && i < r->p->programs.count; i++) {
        sg_strid name = sg_program(r->p, i)->name;
        if (name != 0 && sg_map_get(map, name) == 0 && !sg_map_put(map, name, i)) {
            sg_map_destroy(map);
            map = NULL;
        }
    }
    if (map == NULL) {
        sg_sgt_no_memory(r);
    }
    return map;
}

static void set_bodies(struct sg_sgt_reader *r) {
    struct sg_map *programs = r->body_refs.count != 0 ? map_programs(r) : NULL;
    for (uint32_t i = 0; programs != NULL && i < r->body_refs.count; i++) {
        struct sg_sgt_body_ref ref = r->body_refs.data[i];
        signet_program body = signet_program_at(r->p, ref.number);
        if (ref.name != 0) {
            body.id = sg_map_get(programs, ref.name);
        }
        r->failed = false;
        if (body.id == 0) {
            sg_sgt_wrong(r, ref.at, 1,
                         "expected the name of a program of this file, found another");
            continue;
        }
        signet_delegate_set_body(r->p, (signet_delegate){ref.delegate}, body);
    }
    sg_map_destroy(programs);
}

static void set_graphs(struct sg_sgt_reader *r) {
    for (uint32_t i = 0; i < r->graph_refs.count; i++) {
        struct sg_sgt_graph_ref ref = r->graph_refs.data[i];
        r->failed = false;
        if (ref.number >= r->graphs.count) {
            sg_sgt_wrong(r, ref.at - 1, 1, "expected the number of a graph, 0 to %u, found %u",
                         (unsigned)(r->graphs.count - 1), (unsigned)ref.number);
            continue;
        }
        signet_arg_set_graph(r->p, (signet_arg){ref.arg},
                             (signet_graph){r->graphs.data[ref.number]});
    }
}

static void end_of_text(struct sg_sgt_reader *r) {
    r->failed = false;
    if (r->frames.count == 0) {
        sg_sgt_wrong(r, r->length, 0, "expected the line 'package', found the end of the text");
    } else if (r->frames.count > 1) {
        uint32_t line = 0;
        uint32_t column = 0;
        sg_source_line(&r->p->sources.data[r->source], sg_sgt_top(r)->at, &line, &column);
        sg_sgt_wrong(r, r->length, 0,
                     "expected '}' for the block that opens in line %u, found the end of the text",
                     (unsigned)line);
    } else if (r->p->programs.count <= 1) {
        sg_sgt_wrong(r, r->length, 0, "expected a program, found the end of the text");
    }
    if (r->errors == 0) {
        set_bodies(r);
        set_graphs(r);
    }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* A block whose first line is wrong is left out, without further findings. */
static void skip_block(struct sg_sgt_reader *r) {
    const struct sg_sgt_token *last = &r->tokens.data[r->tokens.count - 1];
    if (r->tokens.count > 1 && sg_sgt_is_mark(last - 1, '{')) {
        sg_sgt_push_frame(r, SGT_FRAME_SKIPPED, 0);
    }
}

static bool is_end_line(const struct sg_sgt_reader *r) {
    return r->tokens.count == 2 && sg_sgt_is_mark(&r->tokens.data[0], '}');
}

static bool end_block(struct sg_sgt_reader *r) {
    bool ok = true;
    switch ((sg_sgt_frame_kind)sg_sgt_top(r)->kind) {
    case SGT_FRAME_PACKAGE:
        return sg_sgt_expected(r, "program or delegate");
    case SGT_FRAME_GRAPH:
        ok = graph_end(r);
        break;
    case SGT_FRAME_ENTRY:
        ok = sg_sgt_entry_end(r);
        break;
    case SGT_FRAME_SKIPPED:
        break;
    }
    pop_frame(r);
    return ok;
}

static bool read_line(struct sg_sgt_reader *r) {
    if (r->frames.count == 0) {
        bool ok = package_line(r);
        if (!sg_sgt_push_frame(r, SGT_FRAME_PACKAGE, 0) || ok || r->t > 0) {
            return ok;
        } /* no package line: what stands there may open a block */
    }
    if (is_end_line(r)) {
        return end_block(r);
    }
    uint32_t depth = r->frames.count;
    bool ok = true;
    switch ((sg_sgt_frame_kind)sg_sgt_top(r)->kind) {
    case SGT_FRAME_PACKAGE:
        ok = package_statement(r);
        break;
    case SGT_FRAME_GRAPH:
        ok = graph_statement(r);
        break;
    case SGT_FRAME_ENTRY:
        ok = sg_sgt_entry_statement(r);
        break;
    case SGT_FRAME_SKIPPED:
        skip_block(r);
        break;
    }
    if (!ok && r->frames.count == depth) {
        skip_block(r);
    }
    return ok;
}

static void read_lines(struct sg_sgt_reader *r) {
    while (r->p->status == SIGNET_OK && sg_sgt_next_line(r)) {
        if (r->tokens.count > 1 && !read_line(r) && r->p->status == SIGNET_OK && !r->failed) {
            /* Nothing may be left out without a word. */
            sg_sgt_wrong(r, r->tokens.data[0].at, 1,
                         "expected a statement, found one that says what no package can hold");
        }
    }
}

/* ---- The reader ------------------------------------------------------------------------------ */

static bool start(struct sg_sgt_reader *r) {
    sg_text_init(&r->decoded, &r->p->allocator);
    r->delegates = sg_map_create(&r->p->allocator);
    if (r->delegates == NULL || !SGT_ROOM(r, &r->items)) {
        return sg_sgt_no_memory(r);
    }
    r->items.data[0] = (struct sg_sgt_item){.kind = 0};
    r->items.count = 1;
    return true;
}

static void finish(struct sg_sgt_reader *r) {
    const signet_allocator *a = &r->p->allocator;
    sg_vec_free(a, &r->tokens);
    sg_vec_free(a, &r->items);
    sg_vec_free(a, &r->open);
    sg_vec_free(a, &r->levels);
    sg_vec_free(a, &r->syms);
    sg_vec_free(a, &r->ports);
    sg_vec_free(a, &r->frames);
    sg_vec_free(a, &r->refs);
    sg_vec_free(a, &r->lists);
    sg_vec_free(a, &r->bodies);
    sg_vec_free(a, &r->graphs);
    sg_vec_free(a, &r->graph_refs);
    sg_vec_free(a, &r->body_refs);
    sg_vec_free(a, &r->names);
    sg_map_destroy(r->delegates);
    sg_text_free(&r->decoded);
}

signet_status sg_sgt_read(signet_package *p, struct sg_log *log, uint32_t source) {
    struct sg_sgt_reader r = {.p = p,
                              .log = log,
                              .source = source,
                              .text = p->sources.data[source].text,
                              .length = p->sources.data[source].length};
    if (start(&r)) {
        read_lines(&r);
        if (p->status == SIGNET_OK) {
            end_of_text(&r);
        }
    }
    if (p->status == SIGNET_E_LIMIT) {
        bool nodes = p->nodes.count > p->limits.nodes;
        sg_sgt_limit(&r, nodes ? "the package has more nodes" : "the package has more values",
                     nodes ? "nodes" : "values", nodes ? p->limits.nodes : p->limits.values);
    }
    finish(&r);
    if (p->status != SIGNET_OK) {
        return p->status;
    }
    return r.errors != 0 ? SIGNET_E_SYNTAX : SIGNET_OK;
}
