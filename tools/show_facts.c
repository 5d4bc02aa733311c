/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The walk -------------------------------------------------------------------------------- */

struct walk {
    const signet_package *package;
    struct show_facts *facts;
    signet_graph *stack; /* graphs still to be walked */
    size_t depth, depth_capacity;
    bool *seen; /* by graph id */
    size_t seen_count;
    size_t *starts; /* of operator names in facts->names */
    size_t start_count, start_capacity;
};

/* A graph may be inside itself. */
static void push(struct walk *w, signet_graph graph) {
    if (graph.id == 0) {
        return;
    }
    if (graph.id >= w->seen_count) {
        size_t count = (size_t)graph.id * 2 + 16;
        w->seen = memory(w->seen, count, sizeof(*w->seen));
        memset(w->seen + w->seen_count, 0, (count - w->seen_count) * sizeof(*w->seen));
        w->seen_count = count;
    }
    if (w->seen[graph.id]) {
        return;
    }
    w->seen[graph.id] = true;
    if (w->depth == w->depth_capacity) {
        w->depth_capacity = w->depth_capacity * 2 + 8;
        w->stack = memory(w->stack, w->depth_capacity, sizeof(*w->stack));
    }
    w->stack[w->depth++] = graph;
}

static void add_call(struct show_facts *facts, signet_delegate delegate) {
    for (size_t i = 0; i < facts->call_count; i++) {
        if (facts->calls[i].delegate.id == delegate.id) {
            facts->calls[i].count++;
            return;
        }
    }
    facts->calls = memory(facts->calls, facts->call_count + 1, sizeof(*facts->calls));
    facts->calls[facts->call_count++] = (struct show_count){{NULL, 0}, delegate, 1};
}

/* All spellings of one operator count as one. */
static void add_operator(struct walk *w, signet_node node) {
    signet_operator o = signet_node_operator(w->package, node);
    struct text *names = &w->facts->names;
    if (w->start_count == w->start_capacity) {
        w->start_capacity = w->start_capacity * 2 + 64;
        w->starts = memory(w->starts, w->start_capacity, sizeof(*w->starts));
    }
    w->starts[w->start_count++] = names->length;
    if (o.op_class == SIGNET_OPERATOR_OVERLOAD || o.op_class == SIGNET_OPERATOR_EDGE) {
        text_put(names, o.op_class == SIGNET_OPERATOR_EDGE ? "edge " : "");
        text_escaped(names, o.name_space);
        text_put(names, ".");
        text_escaped(names, o.name);
        text_put(names, ".");
        text_escaped(names, o.overload);
    } else {
        text_escaped(names, signet_node_target(w->package, node));
    }
    text_add(names, "", 1); /* ends it */
}

static void walk_node(struct walk *w, signet_node node) {
    w->facts->nodes++;
    add_operator(w, node);
    for (uint32_t i = 0; i < signet_node_input_count(w->package, node); i++) {
        signet_arg arg = signet_node_input(w->package, node, i);
        push(w, signet_arg_graph(w->package, arg));
        if (signet_arg_get_kind(w->package, arg) == SIGNET_ARG_DELEGATE) {
            add_call(w->facts, signet_arg_delegate(w->package, arg));
        }
        for (uint32_t c = 0; c < signet_arg_child_count(w->package, arg); c++) {
            push(w, signet_arg_graph(w->package, signet_arg_child(w->package, arg, c)));
        }
    }
}

static int by_name(const void *a, const void *b) {
    const struct show_count *left = a, *right = b;
    return strcmp(left->name.data, right->name.data);
}

static int by_count(const void *a, const void *b) {
    const struct show_count *left = a, *right = b;
    if (left->count != right->count) {
        return left->count > right->count ? -1 : 1;
    }
    return by_name(a, b);
}

static void count_operators(struct walk *w) {
    struct show_facts *facts = w->facts;
    struct show_count *rows = memory(NULL, w->start_count, sizeof(*rows));
    for (size_t i = 0; i < w->start_count; i++) {
        rows[i] = (struct show_count){signet_str(facts->names.data + w->starts[i]), {0}, 1};
    }
    size_t count = 0;
    if (w->start_count > 0) {
        qsort(rows, w->start_count, sizeof(*rows), by_name);
        count = 1;
    }
    for (size_t i = 1; i < w->start_count; i++) {
        if (by_name(&rows[i], &rows[count - 1]) == 0) {
            rows[count - 1].count++;
        } else {
            rows[count++] = rows[i];
        }
    }
    qsort(rows, count, sizeof(*rows), by_count);
    facts->operators = rows;
    facts->operator_count = count;
}

void show_facts(struct show_facts *facts, const signet_package *package, signet_program program) {
    struct walk w = {.package = package, .facts = facts};
    *facts = (struct show_facts){0};
    push(&w, signet_program_graph(package, program));
    uint64_t graphs = 0;
    while (w.depth > 0) {
        signet_graph graph = w.stack[--w.depth];
        graphs++;
        for (signet_node node = signet_graph_first(package, graph); node.id != 0;
             node = signet_node_next(package, node)) {
            walk_node(&w, node);
        }
    }
    facts->subgraphs = graphs > 0 ? graphs - 1 : 0;
    count_operators(&w);
    free(w.stack);
    free(w.seen);
    free(w.starts);
}

void show_facts_free(struct show_facts *facts) {
    free(facts->operators);
    free(facts->calls);
    text_free(&facts->names);
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

static uint32_t graph_side_count(const signet_package *package, signet_graph graph,
                                 signet_side side) {
    return side == SIGNET_INPUT ? signet_graph_input_count(package, graph)
                                : signet_graph_output_count(package, graph);
}

uint32_t show_slot_count(const signet_package *package, signet_program program, signet_side side) {
    uint32_t specs = signet_spec_count(package, program, side);
    uint32_t places = graph_side_count(package, signet_program_graph(package, program), side);
    return specs > places ? specs : places;
}

static bool same(signet_string a, signet_string b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

struct show_slot show_slot_at(const signet_package *package, signet_program program,
                              signet_side side, uint32_t i) {
    signet_graph graph = signet_program_graph(package, program);
    struct show_slot slot = {.spec = SIGNET_SPEC_INIT};
    if (signet_spec_get(package, program, side, i, &slot.spec)) {
        slot.kind = side == SIGNET_INPUT
                        ? signet_input_kind_name((signet_input_kind)slot.spec.kind)
                        : signet_output_kind_name((signet_output_kind)slot.spec.kind);
        if (slot.kind == NULL) {
            slot.kind = slot.spec.raw_tag.data != NULL ? slot.spec.raw_tag.data : "?";
        }
        slot.name = slot.spec.name;
    }
    if (i < graph_side_count(package, graph, side)) {
        signet_arg arg = side == SIGNET_INPUT ? signet_graph_input(package, graph, i)
                                              : signet_graph_output(package, graph, i);
        slot.value = signet_arg_value(package, arg);
        slot.is_literal = slot.value.id == 0;
        slot.literal = arg;
        signet_string at = signet_value_name(package, slot.value);
        if (slot.name.data == NULL) {
            slot.name = at;
        } else if (slot.value.id != 0 && !same(at, slot.name)) {
            slot.at = at;
        }
    }
    return slot;
}

/* ---- Types and literals ---------------------------------------------------------------------- */

/* A compound expression that is being shown; only so many inside one another. */
struct expr_frame {
    signet_expr expr;
    uint32_t next; /* operand */
};
enum { EXPR_DEPTH = 8 };

static const char *between_operands(signet_expr_head head) {
    return head == SIGNET_EXPR_ADD ? " + " : head == SIGNET_EXPR_MUL ? "*" : ", ";
}

/* Shows a leaf, or begins a compound; true: its operands are to follow. */
static bool begin_expr(struct text *t, const signet_package *package, signet_expr expr,
                       bool too_deep) {
    switch (signet_expr_get_head(package, expr)) {
    case SIGNET_EXPR_INTEGER:
        text_format(t, "%" PRId64, signet_expr_number(package, expr));
        return false;
    case SIGNET_EXPR_SYMBOL:
        text_escaped(t, signet_expr_name(package, expr));
        return false;
    case SIGNET_EXPR_NULL:
        break;
    case SIGNET_EXPR_FUNCTION:
    case SIGNET_EXPR_ADD:
    case SIGNET_EXPR_MUL:
        if (!too_deep) {
            text_escaped(t, signet_expr_name(package, expr));
            text_put(t, "(");
            return true;
        }
        break;
    }
    text_put(t, "...");
    return false;
}

static void show_expr(struct text *t, const signet_package *package, signet_expr expr) {
    struct expr_frame stack[EXPR_DEPTH];
    size_t depth = 0;
    if (begin_expr(t, package, expr, false)) {
        stack[depth++] = (struct expr_frame){expr, 0};
    }
    while (depth > 0) {
        struct expr_frame *top = &stack[depth - 1];
        if (top->next == signet_expr_operand_count(package, top->expr)) {
            text_put(t, ")");
            depth--;
            continue;
        }
        text_put(t,
                 top->next == 0 ? "" : between_operands(signet_expr_get_head(package, top->expr)));
        signet_expr operand = signet_expr_operand(package, top->expr, top->next++);
        if (begin_expr(t, package, operand, depth == EXPR_DEPTH)) {
            stack[depth++] = (struct expr_frame){operand, 0};
        }
    }
}

static void show_sym(struct text *t, const signet_package *package, signet_sym sym) {
    signet_sym_info info = signet_sym_get(package, sym);
    switch (info.kind) {
    case SIGNET_SYM_NONE:
        text_put(t, "?");
        break;
    case SIGNET_SYM_INT:
        text_format(t, "%" PRId64, info.number);
        break;
    case SIGNET_SYM_FLOAT:
        text_format(t, "%.17g", info.real);
        break;
    case SIGNET_SYM_BOOL:
        text_put(t, info.number != 0 ? "True" : "False");
        break;
    case SIGNET_SYM_EXPR:
        if (info.expr.id != 0) {
            show_expr(t, package, info.expr);
        } else {
            text_escaped(t, info.text);
        }
        break;
    }
}

void show_type(struct text *t, const signet_package *package, signet_type type) {
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    if (type.id == 0) {
        return;
    }
    signet_type_get(package, type, &info);
    const char *dtype = signet_dtype_name(info.dtype);
    if (dtype != NULL) {
        text_put(t, dtype);
    } else {
        text_format(t, "dtype(%d)", (int)info.dtype);
    }
    text_put(t, "[");
    for (uint32_t i = 0; i < info.rank; i++) {
        text_put(t, i > 0 ? "," : "");
        show_sym(t, package, info.sizes[i]);
    }
    text_put(t, "]");
}

void show_value_type(struct text *t, const signet_package *package, signet_value value) {
    signet_type type = signet_value_type(package, value);
    signet_sym sym = signet_value_sym(package, value);
    if (type.id != 0) {
        show_type(t, package, type);
    } else if (value.id != 0) {
        const char *kind = signet_value_kind_name(signet_value_get_kind(package, value));
        text_put(t, kind != NULL ? kind : "?");
        if (sym.id != 0) {
            text_put(t, " ");
            show_sym(t, package, sym);
        }
    }
}

void show_literal(struct text *t, const signet_package *package, signet_arg arg) {
    signet_arg_kind kind = signet_arg_get_kind(package, arg);
    if (kind == SIGNET_ARG_NONE) {
        text_put(t, "None");
    } else if (kind == SIGNET_ARG_INT || kind == SIGNET_ARG_SYM_INT) {
        text_format(t, "%" PRId64, signet_arg_int(package, arg));
    } else if (kind == SIGNET_ARG_FLOAT || kind == SIGNET_ARG_SYM_FLOAT) {
        text_format(t, "%.17g", signet_arg_float(package, arg));
    } else if (kind == SIGNET_ARG_BOOL || kind == SIGNET_ARG_SYM_BOOL) {
        text_put(t, signet_arg_bool(package, arg) ? "True" : "False");
    } else if (kind == SIGNET_ARG_STRING) {
        text_put(t, "'");
        text_escaped(t, signet_arg_string(package, arg));
        text_put(t, "'");
    } else {
        const char *name = signet_arg_kind_name(kind);
        text_put(t, name != NULL ? name : "?");
    }
}

const char *show_table_name(signet_table table) {
    switch (table) {
    case SIGNET_TABLE_STATE_DICT:
        return "state_dict";
    case SIGNET_TABLE_CONSTANTS:
        break;
    }
    return "constants";
}
