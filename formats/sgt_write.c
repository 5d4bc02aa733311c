/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the exact text: docs/text-format.md has the grammar. */

#include "formats/sgt_write.h"

#include <string.h>

#define FLUSH_AT 32768

typedef enum sg_sgt_phase {
    SGT_PHASE_START = 0,
    SGT_PHASE_INPUTS,
    SGT_PHASE_NODES,
    SGT_PHASE_VALUES,
    SGT_PHASE_OUTPUTS,
    SGT_PHASE_TABLES,
    SGT_PHASE_LOOSE,   /* graphs that no argument holds */
    SGT_PHASE_CIRCLES, /* graphs that only hold each other */
    SGT_PHASE_END,
} sg_sgt_phase;

bool sg_sgt_fail(struct sg_sgt_writer *w, signet_status status) {
    if (w->status == SIGNET_OK) {
        w->status = status;
    }
    return false;
}

static void flush(struct sg_sgt_writer *w) {
    if (w->out != NULL && w->status == SIGNET_OK && w->text.length > 0 && !w->text.failed &&
        !w->out->write(w->out->user, w->text.data, w->text.length)) {
        sg_sgt_fail(w, SIGNET_E_STOPPED);
    }
    sg_text_clear(&w->text);
}

static void end_line(struct sg_sgt_writer *w) {
    sg_text_putc(&w->text, '\n');
    if (w->text.failed) {
        sg_sgt_fail(w, SIGNET_E_NOMEM);
    }
    if (w->text.length >= FLUSH_AT || w->out == NULL) {
        flush(w);
    }
}

static void puts_text(struct sg_sgt_writer *w, const char *text) {
    sg_text_puts(&w->text, text);
}

/* Starts a statement inside of `extra` blocks more than those that are open. */
static void start_line(struct sg_sgt_writer *w, const char *word, uint32_t extra) {
    for (uint32_t i = 0; i < w->depth + extra; i++) {
        puts_text(w, "  ");
    }
    puts_text(w, word);
}

static const struct sg_program *program(const struct sg_sgt_writer *w) {
    return sg_program(w->p, w->program);
}

static const struct sg_arg *arg_at(const struct sg_sgt_writer *w, uint32_t arg) {
    return sg_arg(w->p, arg);
}

/* ---- Programs: the first line ---------------------------------------------------------------- */

static sg_strid result_name(const struct sg_sgt_writer *w, const struct sg_node *n) {
    const struct sg_arg *a = arg_at(w, n->outputs.first);
    return n->outputs.count == 1 && sg_arg_has_value(a) ? sg_value(w->p, a->u.ref.value)->name : 0;
}

/* The carrier names no node, and there is one that would have a name otherwise. */
static bool nodes_are_unnamed(const struct sg_sgt_writer *w) {
    bool matters = false;
    for (uint32_t g = w->first_graph[w->program]; g != 0; g = w->next_graph[g]) {
        for (uint32_t id = sg_graph(w->p, g)->first; id != 0; id = sg_node(w->p, id)->next) {
            const struct sg_node *n = sg_node(w->p, id);
            if (n->name != 0) {
                return false;
            }
            matters = matters || result_name(w, n) != 0;
        }
    }
    return matters;
}

static bool kinds_are_unknown(const struct sg_sgt_writer *w) {
    uint32_t count = 0;
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < program(w)->specs[side].count; i++) {
            if (arg_at(w, program(w)->specs[side].data[i].arg)->kind != SIGNET_ARG_UNKNOWN) {
                return false;
            }
            count++;
        }
    }
    return count > 0;
}

static void put_told(struct sg_sgt_writer *w, const char *word, bool has, uint32_t lines) {
    if (has != (lines > 0)) {
        sg_text_printf(&w->text, " %s=%s", word, has ? "none" : "?");
    }
}

static void put_program_line(struct sg_sgt_writer *w) {
    const struct sg_program *r = program(w);
    puts_text(w, "program ");
    sg_sgt_put_symbol(w, r->name);
    if (r->role == SIGNET_ROLE_BODY) {
        puts_text(w, " body");
    }
    if (signet_stage_name((signet_stage)r->stage) != NULL) {
        sg_text_printf(&w->text, " stage=%s", signet_stage_name((signet_stage)r->stage));
    }
    puts_text(w, r->lossy ? " lossy" : "");
    puts_text(w, sg_graph(w->p, r->graph)->returns_bare ? " bare" : "");
    puts_text(w, w->nodes_unnamed ? " names=?" : "");
    puts_text(w, w->kinds_unknown ? " kinds=?" : "");
    put_told(w, "dialects", r->has_dialects, r->dialects.count);
    put_told(w, "states", r->has_state_tables, r->states.count);
    put_told(w, "calls", r->has_calls, r->calls.count);
    puts_text(w, " {");
    end_line(w);
}

/* ---- Programs: what is no graph -------------------------------------------------------------- */

static void put_ranges(struct sg_sgt_writer *w) {
    for (uint32_t i = 0; i < program(w)->ranges.count; i++) {
        const struct sg_range *range = &program(w)->ranges.data[i];
        start_line(w, "range ", 0);
        sg_sgt_put_word(w, range->symbol);
        puts_text(w, " : ");
        if (range->has_min) {
            sg_text_int(&w->text, range->min);
        }
        puts_text(w, "..");
        if (range->has_max) {
            sg_text_int(&w->text, range->max);
        }
        end_line(w);
    }
}

static void put_versions(struct sg_sgt_writer *w) {
    const struct sg_program *r = program(w);
    if (r->schema_major != 0 || r->schema_minor != 0) {
        start_line(w, "schema ", 0);
        sg_text_printf(&w->text, "%u.%u", (unsigned)r->schema_major, (unsigned)r->schema_minor);
        end_line(w);
    }
    if (r->torch_version != 0) {
        start_line(w, "torch ", 0);
        sg_sgt_put_string(w, r->torch_version);
        end_line(w);
    }
    for (uint32_t i = 0; i < r->dialects.count; i++) {
        start_line(w, "dialect ", 0);
        sg_sgt_put_word(w, r->dialects.data[i]);
        end_line(w);
    }
    for (uint32_t i = 0; i < r->opsets.count; i++) {
        start_line(w, "opset ", 0);
        sg_sgt_put_word(w, r->opsets.data[i].name);
        sg_text_putc(&w->text, ' ');
        sg_text_int(&w->text, r->opsets.data[i].version);
        end_line(w);
    }
}

static void put_meta(struct sg_sgt_writer *w, const struct sg_pair *pair, uint32_t extra) {
    start_line(w, "meta ", extra);
    sg_sgt_put_word(w, pair->key);
    sg_text_putc(&w->text, ' ');
    sg_sgt_put_string(w, pair->value);
    end_line(w);
}

static void put_program_facts(struct sg_sgt_writer *w) {
    const struct sg_program *r = program(w);
    put_versions(w);
    put_ranges(w);
    for (uint32_t i = 0; i < r->guards.count; i++) {
        start_line(w, "guard ", 0);
        sg_sgt_put_string(w, r->guards.data[i]);
        end_line(w);
    }
    if (r->namedtuples != 0) {
        start_line(w, "namedtuples ", 0);
        sg_sgt_put_string(w, r->namedtuples);
        end_line(w);
    }
    for (uint32_t i = 0; i < r->metadata.count; i++) {
        put_meta(w, &r->metadata.data[i], 0);
    }
}

static void put_states(struct sg_sgt_writer *w) {
    for (uint32_t i = 0; i < program(w)->states.count; i++) {
        const struct sg_state *s = &program(w)->states.data[i];
        start_line(w, s->table == SIGNET_TABLE_CONSTANTS ? "constant " : "state ", 0);
        sg_sgt_put_string(w, s->name);
        if (s->type != 0) {
            puts_text(w, " : ");
            sg_sgt_put_type(w, s->type);
        }
        puts_text(w, s->is_parameter ? " parameter" : "");
        puts_text(w, s->is_pickled ? " pickled" : "");
        if (s->record != 0) {
            puts_text(w, " record ");
            sg_sgt_put_string(w, s->record);
        }
        if (s->has_bytes) {
            puts_text(w, " bytes ");
            sg_text_uint(&w->text, s->record_bytes);
        }
        end_line(w);
    }
}

static void put_text_line(struct sg_sgt_writer *w, const char *word, sg_strid text) {
    if (text != 0) {
        start_line(w, word, 1);
        sg_sgt_put_string(w, text);
        end_line(w);
    }
}

static void put_entry_args(struct sg_sgt_writer *w, const char *word, struct sg_list list) {
    if (list.count == 0) {
        return;
    }
    start_line(w, word, 1);
    for (uint32_t j = 0; j < list.count; j++) {
        puts_text(w, j > 0 ? ", " : "");
        sg_sgt_put_item(w, SGT_WHERE_ENTRY, list.first + j, 0);
    }
    end_line(w);
}

static void put_arg_names(struct sg_sgt_writer *w, const struct sg_call *c) {
    if (!c->has_arg_names) {
        return;
    }
    start_line(w, "arg_names", 1);
    for (uint32_t j = 0; j < c->arg_names.count; j++) {
        puts_text(w, j > 0 ? ", " : " ");
        sg_sgt_put_string(w, w->p->pairs.data[c->arg_names.first + j].key);
    }
    end_line(w);
}

static void put_entries(struct sg_sgt_writer *w) {
    for (uint32_t i = 0; i < program(w)->calls.count; i++) {
        const struct sg_call *c = &program(w)->calls.data[i];
        bool empty = c->in_spec == 0 && c->out_spec == 0 && c->inputs.count == 0 &&
                     c->outputs.count == 0 && !c->has_arg_names;
        start_line(w, "entry ", 0);
        sg_sgt_put_string(w, c->fqn);
        if (!c->has_signature && empty) {
            end_line(w);
            continue;
        }
        puts_text(w, c->has_signature ? " {" : " unsigned {");
        end_line(w);
        put_text_line(w, "in_spec ", c->in_spec);
        put_text_line(w, "out_spec ", c->out_spec);
        put_entry_args(w, "inputs ", c->inputs);
        put_entry_args(w, "outputs ", c->outputs);
        put_arg_names(w, c);
        start_line(w, "}", 0);
        end_line(w);
    }
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

/* What the spec declares that the graph's argument (0: none) does not say. */
static void put_declared(struct sg_sgt_writer *w, uint32_t arg, uint32_t declared) {
    const struct sg_arg *a = arg_at(w, arg);
    const struct sg_arg *d = arg_at(w, declared);
    sg_strid value = sg_arg_has_value(a) ? sg_value(w->p, a->u.ref.value)->name : 0;
    sg_strid name = value != 0 ? value : a->name;
    bool like;
    if (w->kinds_unknown) {
        like = d->passing == SIGNET_PASSING_UNKNOWN;
        name = value;
    } else if (arg != 0) {
        like = sg_sgt_is_declared_like(w, arg, declared);
    } else {
        like = d->kind == SIGNET_ARG_TENSOR && d->passing == SIGNET_PASSING_UNKNOWN;
    }
    if (!like) {
        puts_text(w, " declared ");
        sg_sgt_put_item(w, SGT_WHERE_DECLARED, declared, 0);
    } else if (d->name != name) {
        puts_text(w, " named ");
        sg_sgt_put_string(w, d->name);
    }
}

static void put_persistence(struct sg_sgt_writer *w, uint8_t persistent) {
    switch ((signet_persistence)persistent) {
    case SIGNET_PERSISTENT_ABSENT:
        break;
    case SIGNET_PERSISTENT_YES:
        puts_text(w, " persistent");
        break;
    case SIGNET_PERSISTENT_NO:
        puts_text(w, " non_persistent");
        break;
    case SIGNET_PERSISTENT_NULL:
        puts_text(w, " persistent=null");
        break;
    case SIGNET_PERSISTENT_ODD:
        puts_text(w, " persistent=odd");
        break;
    }
}

static void put_spec(struct sg_sgt_writer *w, signet_side side, const struct sg_spec *spec) {
    const char *kind = side == SIGNET_INPUT
                           ? sg_input_kind_keyword((signet_input_kind)spec->kind)
                           : sg_output_kind_keyword((signet_output_kind)spec->kind);
    if (kind != NULL) {
        puts_text(w, kind);
    } else if (spec->kind == 0) {
        puts_text(w, "unknown");
    } else {
        sg_text_printf(&w->text, "kind %u", (unsigned)spec->kind);
    }
    if (spec->target != 0) {
        sg_text_putc(&w->text, ' ');
        sg_sgt_put_string(w, spec->target);
    }
    put_persistence(w, spec->persistent);
    if (spec->raw_tag != 0) {
        puts_text(w, " tag ");
        sg_sgt_put_string(w, spec->raw_tag);
    }
}

/* Line i of a side of a graph: its argument, its spec, or both. */
static void put_port(struct sg_sgt_writer *w, uint32_t graph, signet_side side, uint32_t i) {
    const struct sg_graph *g = sg_graph(w->p, graph);
    const struct sg_list list = side == SIGNET_INPUT ? g->inputs : g->outputs;
    uint32_t arg = i < list.count ? list.first + i : 0;
    start_line(w, side == SIGNET_INPUT ? "input " : "output ", 0);
    if (arg != 0) {
        sg_sgt_put_item(w, side == SIGNET_INPUT ? SGT_WHERE_RESULT : SGT_WHERE_OUTPUT, arg, 0);
    } else {
        sg_text_putc(&w->text, '?');
    }
    if (program(w)->graph == graph && i < program(w)->specs[side].count) {
        const struct sg_spec *spec = &program(w)->specs[side].data[i];
        put_declared(w, arg, spec->arg);
        puts_text(w, " = ");
        put_spec(w, side, spec);
    }
    end_line(w);
}

static uint32_t port_count(const struct sg_sgt_writer *w, uint32_t graph, signet_side side) {
    const struct sg_graph *g = sg_graph(w->p, graph);
    uint32_t count = side == SIGNET_INPUT ? g->inputs.count : g->outputs.count;
    uint32_t specs = program(w)->graph == graph ? program(w)->specs[side].count : 0;
    return count > specs ? count : specs;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void put_results(struct sg_sgt_writer *w, const struct sg_node *n) {
    for (uint32_t i = 0; i < n->outputs.count; i++) {
        puts_text(w, i > 0 ? ", " : "");
        sg_sgt_put_item(w, SGT_WHERE_RESULT, n->outputs.first + i, 0);
    }
    if (n->results_open) {
        puts_text(w, n->outputs.count > 0 ? ", ..." : "...");
    }
    puts_text(w, n->outputs.count > 0 || n->results_open ? " = " : "");
}

static void put_node(struct sg_sgt_writer *w, uint32_t id) {
    const struct sg_node *n = sg_node(w->p, id);
    bool empty = !program(w)->lossy && sg_sgt_is_higher_order(sg_string(w->p, n->target));
    sg_strid name = w->nodes_unnamed ? 0 : result_name(w, n);
    start_line(w, "", 0);
    put_results(w, n);
    puts_text(w, "call ");
    sg_sgt_put_target(w, n->target);
    sg_text_putc(&w->text, '(');
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        puts_text(w, i > 0 ? ", " : "");
        sg_sgt_put_item(w, SGT_WHERE_ARGUMENT, n->inputs.first + i, empty ? 1 : 0);
    }
    sg_text_putc(&w->text, ')');
    if (n->name != name) {
        puts_text(w, " name ");
        sg_sgt_put_word(w, n->name);
    }
    if (n->hop_single_return >= 0) {
        puts_text(w, n->hop_single_return ? " single_return=true" : " single_return=false");
    }
    end_line(w);
    for (uint32_t i = 0; i < n->metadata.count; i++) {
        put_meta(w, &w->p->pairs.data[n->metadata.first + i], 1);
    }
}

static void put_value_line(struct sg_sgt_writer *w, uint32_t id) {
    const struct sg_value *v = sg_value(w->p, id);
    if (v->def == 0 && v->described_as != 0) {
        start_line(w, "value ", 0);
        sg_sgt_put_value_name(w, v->name);
        sg_sgt_put_ordinal(w, id);
        sg_sgt_put_description(w, v);
        end_line(w);
    }
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static void push_block(struct sg_sgt_writer *w, uint32_t graph, uint32_t depth, bool loose) {
    if (!sg_vec_reserve(&w->p->allocator, &w->blocks, 1)) {
        sg_sgt_fail(w, SIGNET_E_NOMEM);
        return;
    }
    w->blocks.data[w->blocks.count++] =
        (struct sg_sgt_block){.graph = graph, .depth = depth, .loose = loose};
}

/* The blocks of the graphs that the last line named, below it; the first one is written first. */
static void push_bodies(struct sg_sgt_writer *w) {
    while (w->bodies.count > 0) {
        push_block(w, w->bodies.data[--w->bodies.count], w->depth + 2, false);
    }
}

static bool number_list(struct sg_sgt_writer *w, struct sg_list list) {
    for (uint32_t i = 0; i < list.count; i++) {
        if (!sg_sgt_number_definitions(w, list.first + i)) {
            return false;
        }
    }
    return true;
}

/* Tells which definition of a name each value is. */
static void number_values(struct sg_sgt_writer *w, uint32_t graph) {
    const struct sg_graph *g = sg_graph(w->p, graph);
    if (w->ordinal == NULL || !number_list(w, g->inputs)) {
        return;
    }
    for (uint32_t id = g->first; id != 0; id = sg_node(w->p, id)->next) {
        if (!number_list(w, sg_node(w->p, id)->outputs)) {
            return;
        }
    }
}

static void start_block(struct sg_sgt_writer *w, struct sg_sgt_block block) {
    const struct sg_graph *g = sg_graph(w->p, block.graph);
    w->graph_number[block.graph] = ++w->graphs_written;
    w->graph_written[block.graph] = 1;
    number_values(w, block.graph);
    if (block.graph == program(w)->graph) {
        put_program_line(w);
        put_program_facts(w);
        return;
    }
    w->depth--; /* the line belongs to the block around it */
    start_line(w, "graph ", 0);
    w->depth++;
    sg_sgt_put_symbol(w, g->name);
    puts_text(w, g->returns_bare ? " bare" : "");
    puts_text(w, block.loose ? " loose {" : " {");
    end_line(w);
}

/* A graph of the program that is not written yet and that nothing holds, or (circles) that is held
 * by another one of these. Returns where to go on. */
static uint32_t put_loose(struct sg_sgt_writer *w, uint32_t graph, bool circles) {
    while (graph != 0 &&
           (w->graph_written[graph] || (!circles && sg_graph(w->p, graph)->parent != 0))) {
        graph = w->next_graph[graph];
    }
    if (graph != 0) {
        push_block(w, graph, w->depth + 1, true);
    }
    return graph;
}

/* Where a phase begins. */
static uint32_t first_of(const struct sg_sgt_writer *w, uint32_t graph, uint8_t phase) {
    const struct sg_graph *g = sg_graph(w->p, graph);
    switch ((sg_sgt_phase)phase) {
    case SGT_PHASE_NODES:
        return g->first;
    case SGT_PHASE_VALUES:
        return g->first_value;
    case SGT_PHASE_LOOSE:
    case SGT_PHASE_CIRCLES:
        return program(w)->graph == graph ? w->first_graph[w->program] : 0;
    case SGT_PHASE_START:
    case SGT_PHASE_INPUTS:
    case SGT_PHASE_OUTPUTS:
    case SGT_PHASE_TABLES:
    case SGT_PHASE_END:
        break;
    }
    return 0;
}

/* Writes one statement of the block's phase. false: the phase is over. */
static bool put_next(struct sg_sgt_writer *w, struct sg_sgt_block *block) {
    uint32_t next = block->next;
    bool is_top = program(w)->graph == block->graph;
    switch ((sg_sgt_phase)block->phase) {
    case SGT_PHASE_START:
        start_block(w, *block);
        return false;
    case SGT_PHASE_INPUTS:
    case SGT_PHASE_OUTPUTS: {
        signet_side side = block->phase == SGT_PHASE_INPUTS ? SIGNET_INPUT : SIGNET_OUTPUT;
        if (next == port_count(w, block->graph, side)) {
            return false;
        }
        block->next++;
        put_port(w, block->graph, side, next);
        return true;
    }
    case SGT_PHASE_NODES:
        if (next != 0) {
            block->next = sg_node(w->p, next)->next;
            put_node(w, next);
        }
        return next != 0;
    case SGT_PHASE_VALUES:
        if (next != 0) {
            block->next = sg_value(w->p, next)->next_in_graph;
            put_value_line(w, next);
        }
        return next != 0;
    case SGT_PHASE_TABLES:
        if (is_top) {
            put_states(w);
            put_entries(w);
        }
        return false;
    case SGT_PHASE_LOOSE:
    case SGT_PHASE_CIRCLES: {
        uint32_t index = w->blocks.count - 1; /* the block moves when another one is pushed */
        uint32_t graph = put_loose(w, next, block->phase == SGT_PHASE_CIRCLES);
        w->blocks.data[index].next = w->next_graph[graph];
        return graph != 0;
    }
    case SGT_PHASE_END:
        w->depth--;
        start_line(w, "}", 0);
        end_line(w);
        w->blocks.count--;
        return true;
    }
    return true;
}

static void put_program(struct sg_sgt_writer *w, uint32_t id) {
    w->program = id;
    w->nodes_unnamed = nodes_are_unnamed(w);
    w->kinds_unknown = kinds_are_unknown(w);
    push_block(w, program(w)->graph, 1, false);
    while (w->blocks.count > 0 && w->status == SIGNET_OK) {
        uint32_t index = w->blocks.count - 1;
        w->depth = w->blocks.data[index].depth;
        if (!put_next(w, &w->blocks.data[index])) {
            struct sg_sgt_block *block = &w->blocks.data[index];
            block->phase++;
            block->next = first_of(w, block->graph, block->phase);
        }
        push_bodies(w);
    }
}

/* ---- The package ----------------------------------------------------------------------------- */

static void put_program_ref(struct sg_sgt_writer *w, uint32_t id) {
    sg_strid name = sg_program(w->p, id)->name;
    if (name != 0 && sg_map_get(w->programs, name) == id) {
        sg_sgt_put_symbol(w, name);
    } else {
        sg_text_printf(&w->text, "#%u", (unsigned)(id - 1));
    }
}

static void put_delegates(struct sg_sgt_writer *w) {
    for (uint32_t id = 1; id < w->p->delegates.count; id++) {
        const struct sg_delegate *d = sg_delegate(w->p, id);
        puts_text(w, "delegate ");
        sg_sgt_put_symbol(w, d->name);
        if (d->backend != 0) {
            puts_text(w, " backend ");
            sg_sgt_put_string(w, d->backend);
        }
        if (d->body != 0) {
            puts_text(w, " body ");
            put_program_ref(w, d->body);
        }
        end_line(w);
    }
}

static void put_package(struct sg_sgt_writer *w) {
    puts_text(w, "package");
    if (w->spelling != SGT_SPELLED_BARE) {
        sg_text_printf(&w->text, " exprs=%s", sg_sgt_spelling_word(w->spelling));
    }
    end_line(w);
    put_delegates(w);
    for (uint32_t id = 1; id < w->p->programs.count && w->status == SIGNET_OK; id++) {
        put_program(w, id);
    }
    flush(w);
}

/* ---- Tables of the writer -------------------------------------------------------------------- */

/* An array with an element for each id; null: no memory. */
static void *table(struct sg_sgt_writer *w, uint32_t count, size_t element) {
    size_t size = 0;
    void *data = sg_mul_ok(count, element, &size) ? sg_alloc(&w->p->allocator, size) : NULL;
    if (data == NULL) {
        sg_sgt_fail(w, SIGNET_E_NOMEM);
    }
    return data;
}

static void free_table(struct sg_sgt_writer *w, void *data, uint32_t count, size_t element) {
    sg_free(&w->p->allocator, data, (size_t)count * element);
}

/* Puts the name where it is not there yet. */
static void map_first(struct sg_sgt_writer *w, struct sg_map *map, sg_strid name, uint32_t id) {
    if (name != 0 && sg_map_get(map, name) == 0 && !sg_map_put(map, name, id)) {
        sg_sgt_fail(w, SIGNET_E_NOMEM);
    }
}

static bool map_names(struct sg_sgt_writer *w) {
    const signet_package *p = w->p;
    w->programs = sg_map_create(&p->allocator);
    w->delegates = sg_map_create(&p->allocator);
    if (w->programs == NULL || w->delegates == NULL) {
        return sg_sgt_fail(w, SIGNET_E_NOMEM);
    }
    for (uint32_t id = 1; id < p->programs.count; id++) {
        map_first(w, w->programs, sg_program(p, id)->name, id);
    }
    for (uint32_t id = 1; id < p->delegates.count; id++) {
        map_first(w, w->delegates, sg_delegate(p, id)->name, id);
    }
    return w->status == SIGNET_OK;
}

static void chain_graphs(struct sg_sgt_writer *w) {
    for (uint32_t id = w->p->graphs.count; id-- > 1;) {
        uint32_t owner = sg_graph(w->p, id)->program;
        w->next_graph[id] = w->first_graph[owner];
        w->first_graph[owner] = id;
    }
}

static bool start(struct sg_sgt_writer *w) {
    const signet_package *p = w->p;
    sg_text_init(&w->text, &p->allocator);
    w->graph_number = table(w, p->graphs.count, sizeof(uint32_t));
    w->graph_written = table(w, p->graphs.count, 1);
    w->next_graph = table(w, p->graphs.count, sizeof(uint32_t));
    w->first_graph = table(w, p->programs.count, sizeof(uint32_t));
    w->sym_form = table(w, p->syms.count, 1);
    w->type_form = table(w, p->types.count, 1);
    if (p->redefined_count > 0) {
        w->ordinal = table(w, p->values.count, sizeof(uint32_t));
    }
    if (w->status != SIGNET_OK || !map_names(w)) {
        return false;
    }
    chain_graphs(w);
    w->spelling = sg_sgt_choose_spelling(w);
    return w->status == SIGNET_OK;
}

static void finish(struct sg_sgt_writer *w) {
    const signet_package *p = w->p;
    free_table(w, w->graph_number, p->graphs.count, sizeof(uint32_t));
    free_table(w, w->graph_written, p->graphs.count, 1);
    free_table(w, w->next_graph, p->graphs.count, sizeof(uint32_t));
    free_table(w, w->first_graph, p->programs.count, sizeof(uint32_t));
    free_table(w, w->sym_form, p->syms.count, 1);
    free_table(w, w->type_form, p->types.count, 1);
    free_table(w, w->ordinal, p->values.count, sizeof(uint32_t));
    sg_map_destroy(w->programs);
    sg_map_destroy(w->delegates);
    sg_map_destroy(w->ordinals);
    sg_vec_free(&p->allocator, &w->blocks);
    sg_vec_free(&p->allocator, &w->bodies);
    sg_vec_free(&p->allocator, &w->lists);
    sg_text_free(&w->text);
    signet_package_destroy(w->scratch);
}

/* Some argument names a graph whose block stands elsewhere, so numbers must be known before. */
static bool needs_numbers(const signet_package *p) {
    for (uint32_t id = 1; id < p->args.count; id++) {
        const struct sg_arg *a = sg_arg(p, id);
        if (a->kind == SIGNET_ARG_GRAPH && a->u.id != 0 &&
            (sg_graph(p, a->u.id)->parent != id || a->owner_kind == SIGNET_OWNER_NONE)) {
            return true;
        }
    }
    return false;
}

static void run(struct sg_sgt_writer *w, const signet_writer *out) {
    w->out = out;
    w->graphs_written = 0;
    memset(w->graph_written, 0, w->p->graphs.count);
    if (w->ordinal != NULL) {
        memset(w->ordinal, 0, (size_t)w->p->values.count * sizeof(uint32_t));
        sg_map_destroy(w->ordinals);
        w->ordinals = sg_map_create(&w->p->allocator);
        if (w->ordinals == NULL) {
            sg_sgt_fail(w, SIGNET_E_NOMEM);
            return;
        }
    }
    put_package(w);
}

signet_status signet_write_sgt(const signet_package *p, const signet_writer *writer) {
    if (p == NULL || writer == NULL || writer->write == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    struct sg_sgt_writer w = {.p = p};
    if (start(&w)) {
        if (needs_numbers(p)) {
            run(&w, NULL);
        }
        if (w.status == SIGNET_OK) {
            run(&w, writer);
        }
    }
    if (w.scratch != NULL && signet_package_status(w.scratch) == SIGNET_E_NOMEM) {
        sg_sgt_fail(&w, SIGNET_E_NOMEM); /* a form was not tried out */
    }
    finish(&w);
    return w.status;
}
