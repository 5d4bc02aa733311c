/* SPDX-License-Identifier: Apache-2.0 */
/* graph: names, definitions, uses and targets. */

#include "base/compiler.h"
#include "base/text.h"
#include "verifier/verifier_internal.h"

static bool is_top(const struct sg_verify *v, uint32_t graph) {
    return sg_program(v->p, v->program.id)->graph == graph;
}

static bool defined_by_node(const struct sg_verify *v, const struct sg_value *w) {
    return signet_arg_owner(v->p, (signet_arg){w->def}) == SIGNET_OWNER_NODE_OUTPUT;
}

/* Has the result before this one of the same node been found with that cause? */
static bool follows_sibling(const struct sg_verify *v, const struct sg_value *w, uint32_t cause) {
    const struct sg_arg *a = sg_arg(v->p, w->def);
    const struct sg_arg *before = sg_arg(v->p, w->def - 1);
    return defined_by_node(v, w) && before->owner == a->owner &&
           before->owner_kind == a->owner_kind && sg_arg_has_value(before) &&
           (sg_value_causes(v, before->u.ref.value) & cause) != 0;
}

/* ---- graph.undefined-value ------------------------------------------------------------------- */

/* The nearest graph around this one that defines the name; 0: none does. */
static uint32_t outer_graph_with(const struct sg_verify *v, uint32_t graph, sg_strid name) {
    for (uint64_t depth = 0; depth < v->p->limits.graph_depth; depth++) {
        uint32_t holder = sg_graph(v->p, graph)->parent;
        graph = holder != 0 ? sg_arg_scope(v->p, holder) : 0;
        if (graph == 0) {
            return 0;
        }
        uint32_t value = sg_value_lookup(v->p, (signet_graph){graph}, name).id;
        if (sg_value(v->p, value)->def != 0) {
            return graph;
        }
    }
    return 0;
}

/* A custom object may be read from the constants by its name (torch/_export/serde/serialize.py:
 * deserialize_input). */
static bool is_constant_object(const struct sg_verify *v, const struct sg_value *w) {
    return sg_arg(v->p, w->first_use)->kind == SIGNET_ARG_CUSTOM_OBJ &&
           (!sg_program(v->p, v->program.id)->has_state_tables ||
            sg_state_find(v, SIGNET_TABLE_CONSTANTS, w->name) != 0);
}

static void help_undefined(struct sg_verify *v, struct sg_diag *d, const struct sg_thing *t) {
    sg_strid name = sg_value(v->p, t->value.id)->name;
    uint32_t outer = outer_graph_with(v, t->graph.id, name);
    if (outer != 0) {
        sg_diag_note(d, "%s around it has %s, but a subgraph sees only its own inputs",
                     sg_graph_words(v, outer), sg_quote(v, name));
        sg_diag_help(d, "pass %s to %s as an operand and make it an input of the subgraph",
                     sg_quote(v, name), sg_node_words(v, signet_graph_parent(v->p, t->graph).id));
        return;
    }
    sg_strid near = sg_value_near(v, t->graph.id, name);
    if (near != 0) {
        sg_diag_help(d, "did you mean %s?", sg_quote(v, near));
    } else {
        sg_diag_help(d, "add the node or input that defines it, or read another value");
    }
}

static void check_undefined_value(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_value *w = sg_value(v->p, t->value.id);
    if (w->def != 0 || w->use_count == 0 || sg_graph(v->p, w->graph)->faulty ||
        is_constant_object(v, w)) {
        return;
    }
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_UNDEFINED_VALUE,
                                      sg_at_arg(v->p, &v->log, (signet_arg){w->first_use}));
    bool is_output =
        signet_arg_owner(v->p, (signet_arg){w->first_use}) == SIGNET_OWNER_GRAPH_OUTPUT;
    sg_diag_message(d, "%s %s %s, which nothing in %s defines", sg_arg_words(v, w->first_use),
                    is_output ? "returns" : "reads", sg_quote(v, w->name),
                    sg_graph_words(v, w->graph));
    if (w->use_count > 1) {
        sg_diag_fact(d, "uses: %u", w->use_count);
    }
    sg_diag_label(d, "not defined");
    if (d->shown) {
        help_undefined(v, d, t);
    }
    sg_diag_known_as(d, "KeyError: %s", sg_quote(v, w->name));
    sg_diag_torch(d, "D-USE");
    sg_diag_end(d);
    sg_mark_value(v, t->value.id, SG_CAUSE_UNDEFINED);
}

/* ---- graph.use-before-def -------------------------------------------------------------------- */

/* The first use that stands at or before the definition; 0: none. *count gets how many do. */
static uint32_t early_use(const struct sg_verify *v, const struct sg_value *w, uint32_t definer,
                          uint32_t *count) {
    uint32_t found = 0;
    *count = 0;
    for (uint32_t use = w->first_use; use != 0; use = sg_arg(v->p, use)->next_use) {
        uint32_t reader = signet_arg_node(v->p, (signet_arg){use}).id;
        if (reader != 0 && v->facts.order[reader] <= v->facts.order[definer]) {
            found = found != 0 ? found : use;
            ++*count;
        }
    }
    return found;
}

static void check_use_before_def(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_value *w = sg_value(v->p, t->value.id);
    if (w->use_count == 0 || !defined_by_node(v, w)) {
        return;
    }
    uint32_t definer = signet_arg_node(v->p, (signet_arg){w->def}).id;
    uint32_t count;
    uint32_t use = early_use(v, w, definer, &count);
    if (use == 0) {
        return;
    }
    uint32_t reader = signet_arg_node(v->p, (signet_arg){use}).id;
    bool muted = sg_fold(v, follows_sibling(v, w, SG_CAUSE_UNDEFINED));
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_USE_BEFORE_DEF,
                                      sg_at_arg(v->p, &v->log, (signet_arg){use}));
    if (reader == definer) {
        sg_diag_message(d, "%s reads %s, the node's own result", sg_arg_words(v, use),
                        sg_quote(v, w->name));
        sg_diag_help(d, "read a value that is defined before the node");
    } else {
        sg_diag_message(d, "%s reads %s, which is defined only later", sg_arg_words(v, use),
                        sg_quote(v, w->name));
        sg_diag_related(d, sg_at_arg(v->p, &v->log, (signet_arg){w->def}), "defined here, by %s",
                        sg_node_words(v, definer));
        sg_diag_help(d, "move %s in front of %s", sg_node_words(v, definer),
                     sg_node_words(v, reader));
    }
    if (count > 1) {
        sg_diag_fact(d, "uses before the definition: %u", count);
    }
    sg_diag_label(d, "not defined yet");
    sg_diag_known_as(d, "KeyError: %s", sg_quote(v, w->name));
    sg_diag_torch(d, "D-USE");
    sg_diag_end(d);
    v->log.muted = muted;
    sg_mark_value(v, t->value.id, SG_CAUSE_UNDEFINED);
}

/* ---- graph.duplicate-value ------------------------------------------------------------------- */

/* The node, when it defines nothing else. */
static const char *definer_words(struct sg_verify *v, uint32_t def) {
    uint32_t node = signet_arg_node(v->p, (signet_arg){def}).id;
    return sg_node(v->p, node)->outputs.count == 1 ? sg_node_words(v, node) : sg_arg_words(v, def);
}

static void report_duplicate(struct sg_verify *v, uint32_t value) {
    const struct sg_value *w = sg_value(v->p, value);
    uint32_t first = sg_value_lookup(v->p, (signet_graph){w->graph}, w->name).id;
    uint32_t first_def = sg_value(v->p, first)->def;
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_DUPLICATE_VALUE,
                                      sg_at_arg(v->p, &v->log, (signet_arg){w->def}));
    sg_diag_message(d, "%s defines %s, which %s already defines", definer_words(v, w->def),
                    sg_quote(v, w->name), definer_words(v, first_def));
    sg_diag_label(d, "defined again");
    sg_diag_related(d, sg_at_arg(v->p, &v->log, (signet_arg){first_def}), "first defined here");
    sg_diag_help(d, "give one of them another name");
    sg_diag_known_as(d, "SerializeError \"Node %s has already been deserialized before\"",
                     sg_log_name(&v->log, sg_string(v->p, w->name)));
    sg_diag_torch(d, "D-DUP");
    sg_diag_end(d);
    sg_mark_value(v, value, SG_CAUSE_REDEFINED);
}

/* The name that the input should have had is defined by nothing then. */
static void mark_lost_name(struct sg_verify *v, uint32_t position) {
    sg_strid declared = sg_spec_name(v, SIGNET_INPUT, position);
    signet_graph graph = {sg_program(v->p, v->program.id)->graph};
    uint32_t lost = declared != 0 ? sg_value_lookup(v->p, graph, declared).id : 0;
    if (lost != 0 && sg_value(v->p, lost)->def == 0) {
        sg_mark_value(v, lost, SG_CAUSE_NO_INPUT);
    }
}

/* Inputs that have specs come before the specs' own rules, for those follow from it. */
static void check_duplicate_input(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_arg *a = sg_spec_position_arg(v, SIGNET_INPUT, t->index);
    if (a == NULL || !sg_arg_has_value(a) || !sg_value(v->p, a->u.ref.value)->redefined) {
        return;
    }
    report_duplicate(v, a->u.ref.value);
    if (sg_spec_name(v, SIGNET_INPUT, t->index) != sg_value(v->p, a->u.ref.value)->name) {
        mark_lost_name(v, t->index);
        sg_mark_spec(v, SIGNET_INPUT, t->index, SG_CAUSE_NAME);
    }
}

static void check_duplicate_value(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_value *w = sg_value(v->p, t->value.id);
    if (!w->redefined || w->def == 0 ||
        (sg_value_causes(v, t->value.id) & SG_CAUSE_REDEFINED) != 0) {
        return;
    }
    /* A node that stands there twice defines all its results twice: one finding. */
    bool muted = sg_fold(v, follows_sibling(v, w, SG_CAUSE_REDEFINED));
    report_duplicate(v, t->value.id);
    v->log.muted = muted;
}

/* ---- graph.target-invalid -------------------------------------------------------------------- */

/* What is wrong with a target, and PyTorch's check that refuses it. */
struct target_fault {
    const char *what, *help, *torch;
};

static struct target_fault python_fault(struct sg_verify *v, const struct sg_node *n,
                                        uint32_t marks) {
    signet_string target = sg_string(v->p, n->target);
    struct target_fault f = {
        NULL, "use an operator of torch.ops, or a function that PyTorch allows", "D-OP"};
    if ((marks & SG_OP_ALLOWED) != 0 ||
        ((marks & SG_OP_EXIR) != 0 && v->stage != SIGNET_STAGE_ATEN &&
         v->stage != SIGNET_STAGE_TRAINING)) {
        return f;
    }
    if (sg_string_starts(target, "self.")) {
        f.what = "calls a module, which an exported program cannot";
        f.help = "export the module again, or put its operators in place of the call";
        f.torch = "G-CALL";
        return f;
    }
    f.what = "is a Python function that an exported program cannot call";
    if (sg_string_starts(target, "torch") || sg_string_starts(target, "math") ||
        sg_string_starts(target, "_operator")) {
        f.torch = "G-OPT"; /* PyTorch finds the function and refuses it */
    }
    return f;
}

static struct target_fault target_fault(struct sg_verify *v, const struct sg_node *n) {
    const struct sg_operator *o = sg_operator(v->p, n->op);
    switch ((signet_operator_class)o->op_class) {
    case SIGNET_OPERATOR_OVERLOAD:
    case SIGNET_OPERATOR_EDGE:
    case SIGNET_OPERATOR_HIGHER_ORDER:
    case SIGNET_OPERATOR_DELEGATE_CALL:
    case SIGNET_OPERATOR_GETITEM:
    case SIGNET_OPERATOR_EXTENSION:
        break;
    case SIGNET_OPERATOR_PACKET:
        return (struct target_fault){"names an operator without its overload",
                                     sg_log_text(&v->log, "name the overload, such as %s.default",
                                                 sg_log_name(&v->log, sg_string(v->p, n->target))),
                                     "G-OPT"};
    case SIGNET_OPERATOR_BUILTIN:
    case SIGNET_OPERATOR_FUNCTION:
        return python_fault(v, n, sg_op_marks(v, n->op));
    case SIGNET_OPERATOR_MALFORMED:
        return (struct target_fault){"is not spelled like an operator",
                                     "spell it torch.ops.<name space>.<name>.<overload>", "D-OP"};
    }
    return (struct target_fault){NULL, NULL, NULL};
}

static void check_target_invalid(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_node *n = sg_node(v->p, t->node.id);
    if (n->faulty) {
        return;
    }
    struct target_fault f = target_fault(v, n);
    if (f.what == NULL) {
        return;
    }
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_TARGET_INVALID,
                                      sg_at_node(v->p, &v->log, t->node));
    sg_diag_message(d, "%s: its target %s", sg_node_words(v, t->node.id), f.what);
    sg_diag_label(d, "no operator");
    sg_diag_help(d, "%s", f.help);
    sg_diag_torch(d, f.torch);
    sg_diag_end(d);
}

/* ---- graph.getitem-range --------------------------------------------------------------------- */

/* How many items the indexed argument has; false: that cannot be told. *what says what it is. */
static bool items_of(struct sg_verify *v, const struct sg_arg *a, uint32_t *count,
                     const char **what) {
    if (sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_LIST) {
        *count = a->u.list.count;
        *what = "the list";
        return true;
    }
    if (!sg_arg_has_value(a)) {
        return false;
    }
    const struct sg_value *w = sg_value(v->p, a->u.ref.value);
    uint32_t definer = signet_arg_node(v->p, (signet_arg){w->def}).id;
    if (w->kind != SIGNET_VALUE_TENSOR || sg_node(v->p, definer)->results_open ||
        (sg_value_causes(v, a->u.ref.value) & SG_CAUSE_UNDEFINED) != 0) {
        return false;
    }
    *count = 0;
    *what = sg_log_text(&v->log, "the plain tensor %s", sg_quote(v, w->name));
    return true;
}

static void check_getitem_range(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_node *n = sg_node(v->p, t->node.id);
    if (sg_operator(v->p, n->op)->op_class != SIGNET_OPERATOR_GETITEM || n->faulty) {
        return;
    }
    struct sg_diag *d = NULL;
    signet_location where = sg_at_node(v->p, &v->log, t->node);
    if (n->inputs.count != 2) {
        d = sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_GETITEM_RANGE, where);
        sg_diag_message(d, "%s has %u arguments, but takes a value and an index",
                        sg_node_words(v, t->node.id), n->inputs.count);
        sg_diag_help(d, "give it the value and the index");
        sg_diag_torch(d, "D-GI");
        sg_diag_end(d);
        return;
    }
    const struct sg_arg *index = sg_arg(v->p, n->inputs.first + 1);
    uint32_t count;
    const char *what;
    if (index->kind != SIGNET_ARG_INT ||
        !items_of(v, sg_arg(v->p, n->inputs.first), &count, &what) ||
        (index->u.integer >= -(int64_t)count && index->u.integer < (int64_t)count)) {
        return;
    }
    d = sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_GETITEM_RANGE, where);
    if (count == 0) {
        sg_diag_message(d, "%s takes item %lld of %s, which has none", sg_node_words(v, t->node.id),
                        (long long)index->u.integer, what);
        sg_diag_help(d, "read the value itself");
    } else {
        sg_diag_message(d, "%s takes item %lld of %s, which has %u", sg_node_words(v, t->node.id),
                        (long long)index->u.integer, what, count);
        sg_diag_help(d, "take an item from 0 to %u", count - 1);
    }
    sg_diag_label(d, "no such item");
    sg_diag_end(d);
}

/* ---- graph.name-clash ------------------------------------------------------------------------ */

static void check_name_clash(struct sg_verify *v, const struct sg_thing *t) {
    uint32_t before = sg_node_meet(v, t->node.id);
    if (before == 0) {
        return;
    }
    const struct sg_node *n = sg_node(v->p, t->node.id);
    uint32_t first = n->outputs.count != 0 ? n->outputs.first : 0;
    bool repeated = sg_arg_has_value(sg_arg(v->p, first)) &&
                    sg_value(v->p, sg_arg(v->p, first)->u.ref.value)->redefined;
    bool muted = sg_fold(v, repeated);
    struct sg_diag *d =
        sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_NAME_CLASH, sg_at_node(v->p, &v->log, t->node));
    sg_diag_message(d, "%s has the name of an earlier node", sg_node_words(v, t->node.id));
    sg_diag_label(d, "the same name");
    sg_diag_related(d, sg_at_node(v->p, &v->log, (signet_node){before}), "the earlier node");
    sg_diag_help(d, "give one of them another name; results keep theirs");
    sg_diag_end(d);
    v->log.muted = muted;
}

/* ---- graph.dead-node, graph.unused-input ----------------------------------------------------- */

static bool has_used_result(const struct sg_verify *v, const struct sg_node *n) {
    for (uint32_t i = 0; i < n->outputs.count; i++) {
        uint32_t outermost = n->outputs.first + i;
        for (uint32_t a = outermost; a != 0; a = sg_arg_next_inside(v->p, outermost, a)) {
            const struct sg_arg *r = sg_arg(v->p, a);
            if (sg_arg_has_value(r) && sg_value(v->p, r->u.ref.value)->use_count != 0) {
                return true;
            }
        }
    }
    return false;
}

static void check_dead_node(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_node *n = sg_node(v->p, t->node.id);
    if (n->faulty || n->outputs.count == 0 || (sg_op_marks(v, n->op) & SG_OP_PURE) == 0 ||
        has_used_result(v, n)) {
        return;
    }
    struct sg_diag *d =
        sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_DEAD_NODE, sg_at_node(v->p, &v->log, t->node));
    sg_diag_message(d, "nothing reads a result of %s", sg_node_words(v, t->node.id));
    sg_diag_help(d, "remove the node");
    sg_diag_end(d);
}

static void check_unused_input(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_value *w = sg_value(v->p, t->value.id);
    if (w->use_count != 0 || w->kind == SIGNET_VALUE_TOKEN || w->def == 0 ||
        defined_by_node(v, w)) {
        return;
    }
    uint32_t position = sg_arg_position(v->p, w->def);
    if (is_top(v, w->graph) &&
        (sg_input_mutated_by(v, position) != 0 ||
         sg_spec_at(v, SIGNET_INPUT, position)->kind == SIGNET_INPUT_KIND_TOKEN)) {
        return;
    }
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_UNUSED_INPUT,
                                      sg_at_arg(v->p, &v->log, (signet_arg){w->def}));
    sg_diag_message(d, "nothing reads %s, %s", sg_quote(v, w->name), sg_arg_words(v, w->def));
    sg_diag_help(d, "remove the input together with its spec, if no caller needs it");
    sg_diag_end(d);
}

/* ---- graph.limits ---------------------------------------------------------------------------- */

static void report_limits(struct sg_verify *v, uint32_t graph, const char *what, const char *help) {
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_LIMITS,
                                      sg_at_graph(v->p, &v->log, (signet_graph){graph}));
    sg_diag_message(d, "%s %s", sg_graph_words(v, graph), what);
    sg_diag_help(d, "%s", help);
    sg_diag_end(d);
}

/* Tells only the first graph that is too deep, not what is nested in it. */
static void check_depth(struct sg_verify *v, const struct sg_thing *t) {
    uint64_t most = v->p->limits.graph_depth;
    uint64_t depth = 0;
    for (uint32_t graph = t->graph.id; graph != 0 && depth <= most + 2; depth++) {
        uint32_t holder = sg_graph(v->p, graph)->parent;
        graph = holder != 0 ? sg_arg_scope(v->p, holder) : 0;
    }
    if (depth == most + 2) {
        report_limits(
            v, t->graph.id,
            sg_log_text(&v->log, "is nested deeper than %llu levels", (unsigned long long)most),
            "raise the limit graph-depth, if the program is meant to be like that");
    }
}

/* A walk over which graph holds which, depth first. */
struct nesting {
    struct place {
        uint32_t graph, node, outermost, arg; /* how far the walk of this graph is */
    } * data;
    uint32_t count, capacity;
    uint8_t *state; /* by graph: 0 not seen, 1 on the way down, 2 done */
};

/* The next argument that holds a graph; 0: the graph has no more. */
static uint32_t next_held(const signet_package *p, struct place *at) {
    while (at->node != 0) {
        if (at->arg != 0) {
            at->arg = sg_arg_next_inside(p, at->outermost, at->arg);
        } else {
            const struct sg_node *n = sg_node(p, at->node);
            at->outermost = at->outermost != 0 ? at->outermost + 1 : n->inputs.first;
            if (at->outermost >= n->inputs.first + n->inputs.count) {
                at->node = n->next;
                at->outermost = 0;
                continue;
            }
            at->arg = at->outermost;
        }
        if (sg_arg(p, at->arg)->kind == SIGNET_ARG_GRAPH) {
            return at->arg;
        }
    }
    return 0;
}

static bool enter(struct sg_verify *v, struct nesting *w, uint32_t graph) {
    if (!sg_vec_reserve(&v->p->allocator, w, 1)) {
        sg_no_memory(v);
        return false;
    }
    w->state[graph] = 1;
    w->data[w->count++] = (struct place){.graph = graph, .node = sg_graph(v->p, graph)->first};
    return true;
}

/* Walks everything below the graph; each graph once. */
static void walk_nesting(struct sg_verify *v, struct nesting *w, uint32_t graph) {
    if (w->state[graph] != 0 || !enter(v, w, graph)) {
        return;
    }
    while (w->count != 0) {
        uint32_t arg = next_held(v->p, &w->data[w->count - 1]);
        uint32_t held = sg_arg(v->p, arg)->u.id;
        if (arg == 0) {
            w->state[w->data[--w->count].graph] = 2;
        } else if (w->state[held] == 1) {
            report_limits(v, held, "is inside itself", "give each call a subgraph of its own");
            sg_mark_program(v, SG_CAUSE_NESTING);
        } else if (w->state[held] == 0 && !enter(v, w, held)) {
            return;
        }
    }
}

static void check_nesting(struct sg_verify *v, const struct sg_thing *t) {
    const uint32_t *first = &v->facts.graph_first[t->program.id];
    if (first[1] - first[0] <= 1 &&
        sg_graph(v->p, sg_program(v->p, t->program.id)->graph)->parent == 0) {
        return; /* no subgraphs */
    }
    struct nesting w = {NULL, 0, 0, sg_alloc(&v->p->allocator, v->p->graphs.count)};
    if (w.state == NULL) {
        sg_no_memory(v);
        return;
    }
    for (uint32_t i = first[0]; i < first[1]; i++) {
        walk_nesting(v, &w, v->facts.graph_list[i]);
    }
    sg_vec_free(&v->p->allocator, &w);
    sg_free(&v->p->allocator, w.state, v->p->graphs.count);
}

static const struct sg_rule rules[] = {
    {SIGNET_CODE_GRAPH_LIMITS, SG_SCOPE_PROGRAM, 0, check_nesting},
    {SIGNET_CODE_GRAPH_DUPLICATE_VALUE, SG_SCOPE_INPUT, 0, check_duplicate_input},
    {SIGNET_CODE_GRAPH_LIMITS, SG_SCOPE_GRAPH, SG_CAUSE_NESTING, check_depth},
    {SIGNET_CODE_GRAPH_UNDEFINED_VALUE, SG_SCOPE_VALUE, SG_CAUSE_NO_INPUT, check_undefined_value},
    {SIGNET_CODE_GRAPH_USE_BEFORE_DEF, SG_SCOPE_VALUE, 0, check_use_before_def},
    {SIGNET_CODE_GRAPH_DUPLICATE_VALUE, SG_SCOPE_VALUE, 0, check_duplicate_value},
    {SIGNET_CODE_GRAPH_UNUSED_INPUT, SG_SCOPE_VALUE, 0, check_unused_input},
    {SIGNET_CODE_GRAPH_TARGET_INVALID, SG_SCOPE_NODE, 0, check_target_invalid},
    {SIGNET_CODE_GRAPH_GETITEM_RANGE, SG_SCOPE_NODE, 0, check_getitem_range},
    {SIGNET_CODE_GRAPH_NAME_CLASH, SG_SCOPE_NODE, 0, check_name_clash},
    {SIGNET_CODE_GRAPH_DEAD_NODE, SG_SCOPE_NODE, 0, check_dead_node},
};
const struct sg_rule_family sg_rules_graph = {rules, SG_COUNT_OF(rules)};
