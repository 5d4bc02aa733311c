/* SPDX-License-Identifier: Apache-2.0 */

/* signature.*: specs against the graph, by position and by name. */

#include <string.h>

#include "base/compiler.h"
#include "verifier/verifier_internal.h"

static const struct sg_graph *top(const struct sg_verify *v) {
    return sg_graph(v->p, sg_program(v->p, v->program.id)->graph);
}

static const struct sg_list *positions(const struct sg_verify *v, signet_side side) {
    return side == SIGNET_INPUT ? &top(v)->inputs : &top(v)->outputs;
}

static uint32_t spec_count(const struct sg_verify *v, signet_side side) {
    return sg_program(v->p, v->program.id)->specs[side].count;
}

/* The name that stands at a position: of the value the graph has there; 0: a literal, or nothing.
 */
static sg_strid position_name(const struct sg_verify *v, signet_side side, uint32_t i) {
    const struct sg_arg *a = sg_spec_position_arg(v, side, i);
    return a != NULL && sg_arg_has_value(a) ? sg_value(v->p, a->u.ref.value)->name : 0;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

/* The first position where names stop agreeing; the smaller count when they all agree. */
static uint32_t first_disagreement(const struct sg_verify *v, signet_side side) {
    uint32_t specs = spec_count(v, side);
    uint32_t graph = positions(v, side)->count;
    uint32_t i = 0;
    while (i < specs && i < graph && sg_spec_name(v, side, i) == position_name(v, side, i)) {
        i++;
    }
    return i;
}

/* Values whose input is missing are undefined because of that. */
static void mark_missing_inputs(struct sg_verify *v) {
    signet_graph graph = {sg_program(v->p, v->program.id)->graph};
    for (uint32_t i = 0; i < spec_count(v, SIGNET_INPUT); i++) {
        uint32_t value = sg_value_lookup(v->p, graph, sg_spec_name(v, SIGNET_INPUT, i)).id;
        if (value != 0 && sg_value(v->p, value)->def == 0) {
            sg_mark_value(v, value, SG_CAUSE_NO_INPUT);
        }
    }
}

static signet_location at_count(struct sg_verify *v, signet_side side, uint32_t i) {
    if (i < spec_count(v, side)) {
        return sg_at_spec(v->p, &v->log, v->program, side, i, SG_SPEC_WHOLE);
    }
    const struct sg_list *list = positions(v, side);
    if (i < list->count) {
        return sg_at_arg(v->p, &v->log, (signet_arg){list->first + i});
    }
    return sg_at_program(v->p, &v->log, v->program);
}

/* Says which one is too many, where shifting by one makes the names agree again. */
static void say_surplus(struct sg_verify *v, struct sg_diag *d, signet_side side, uint32_t i) {
    const char *what = side == SIGNET_INPUT ? "input" : "output";
    sg_strid declared = sg_spec_name(v, side, i);
    sg_strid found = position_name(v, side, i);
    bool spec_is_extra = i < spec_count(v, side) && spec_count(v, side) > positions(v, side)->count;
    bool graph_is_extra =
        i < positions(v, side)->count && spec_count(v, side) < positions(v, side)->count;
    if (spec_is_extra && i + 1 <= spec_count(v, side) &&
        (i >= positions(v, side)->count || sg_spec_name(v, side, i + 1) == found)) {
        sg_diag_fact(d, "%s spec %u (%s %s) has no graph %s", what, i,
                     sg_spec_kind_words(v, side, i), sg_quote(v, declared), what);
        sg_diag_help(d, "remove the spec, or put the graph %s back", what);
    } else if (graph_is_extra &&
               (i >= spec_count(v, side) || position_name(v, side, i + 1) == declared)) {
        sg_diag_fact(d, "graph %s %u (%s) has no spec", what, i, sg_quote(v, found));
        sg_diag_help(d, "describe it in the signature, or remove it from the graph");
    } else {
        sg_diag_fact(d, "they stop agreeing at %s %u: the spec says %s, the graph has %s", what, i,
                     sg_quote(v, declared), sg_quote(v, found));
        sg_diag_help(d, "whatever changed the graph must change the signature with it");
    }
}

static void check_count(struct sg_verify *v, signet_side side, signet_code code,
                        const char *torch) {
    uint32_t specs = spec_count(v, side);
    uint32_t graph = positions(v, side)->count;
    if (specs == graph || sg_program(v->p, v->program.id)->faulty) {
        return;
    }
    const char *what = side == SIGNET_INPUT ? "input" : "output";
    uint32_t i = first_disagreement(v, side);
    struct sg_diag *d = sg_diag_begin(&v->log, code, at_count(v, side, i));
    sg_diag_message(d, "the graph has %u %s%s, but the signature describes %u", graph, what,
                    graph == 1 ? "" : "s", specs);
    say_surplus(v, d, side, i);
    sg_diag_torch(d, torch);
    if (side == SIGNET_INPUT) {
        sg_diag_known_as(d,
                         "SpecViolationError \"Number of graph inputs (%u) does not match number "
                         "of inputs in the graph signature (%u)\"",
                         graph, specs);
    } else {
        sg_diag_known_as(d,
                         "SpecViolationError \"Number of output nodes %u is different Than the "
                         "number of outputs specified by the graph signature: %u\"",
                         graph, specs);
    }
    sg_diag_end(d);
    sg_mark_program(v, (side == SIGNET_INPUT ? SG_CAUSE_INPUT_COUNT : SG_CAUSE_OUTPUT_COUNT) |
                           SG_CAUSE_CALLS);
}

static void check_input_count(struct sg_verify *v, const struct sg_thing *t) {
    (void)t;
    check_count(v, SIGNET_INPUT, SIGNET_CODE_SIGNATURE_INPUT_COUNT, "S-NIN");
    if (spec_count(v, SIGNET_INPUT) > positions(v, SIGNET_INPUT)->count) {
        mark_missing_inputs(v);
    }
}

/* After write-back the mutations are copies, and the outputs are the others alone. */
static bool outputs_are_written_back(const struct sg_verify *v) {
    return v->stage == SIGNET_STAGE_FINAL &&
           positions(v, SIGNET_OUTPUT)->count + v->facts.mutations.count ==
               spec_count(v, SIGNET_OUTPUT);
}

static void check_output_count(struct sg_verify *v, const struct sg_thing *t) {
    if (outputs_are_written_back(v)) {
        sg_mark_program(v, SG_CAUSE_WRITTEN_BACK);
        return;
    }
    if (!top(v)->returns_bare) {
        check_count(v, SIGNET_OUTPUT, SIGNET_CODE_SIGNATURE_OUTPUT_COUNT, "S-NOUT");
        return;
    }
    struct sg_diag *d = sg_diag_begin(
        &v->log, SIGNET_CODE_SIGNATURE_OUTPUT_COUNT,
        sg_at_graph(v->p, &v->log, (signet_graph){sg_program(v->p, t->program.id)->graph}));
    sg_diag_message(d, "the top graph returns a bare tensor, where a tuple of %u outputs is needed",
                    spec_count(v, SIGNET_OUTPUT));
    sg_diag_help(d, "return a tuple (is_single_tensor_return false)");
    sg_diag_torch(d, "S-NOUT");
    sg_diag_known_as(d, "TypeError \"'Node' object is not iterable\"");
    sg_diag_end(d);
}

/* ---- Names and kinds by position ------------------------------------------------------------- */

/* A constant as a spec declares it and as the graph has it: the same literal? */
static bool same_literal(const struct sg_arg *a, const struct sg_arg *b) {
    if (a->kind != b->kind) {
        return false;
    }
    switch (sg_arg_kind_payload((signet_arg_kind)a->kind)) {
    case SG_PAYLOAD_INTEGER:
    case SG_PAYLOAD_BOOLEAN:
    case SG_PAYLOAD_REAL: /* by bits: NaN equals itself */
        return a->u.integer == b->u.integer;
    case SG_PAYLOAD_TEXT:
        return a->u.text == b->u.text;
    case SG_PAYLOAD_NOTHING:
    case SG_PAYLOAD_VALUE:
    case SG_PAYLOAD_SYMBOL:
    case SG_PAYLOAD_LIST:
    case SG_PAYLOAD_DEVICE:
    case SG_PAYLOAD_GRAPH:
    case SG_PAYLOAD_DELEGATE:
    case SG_PAYLOAD_RAW:
        break;
    }
    return true; /* lists and the like are not compared */
}

static bool is_constant(const struct sg_arg *a) {
    switch (sg_arg_kind_payload((signet_arg_kind)a->kind)) {
    case SG_PAYLOAD_NOTHING:
    case SG_PAYLOAD_INTEGER:
    case SG_PAYLOAD_BOOLEAN:
    case SG_PAYLOAD_REAL:
    case SG_PAYLOAD_TEXT:
        return a->kind != SIGNET_ARG_UNKNOWN;
    case SG_PAYLOAD_SYMBOL:
        return a->literal;
    case SG_PAYLOAD_VALUE:
    case SG_PAYLOAD_LIST:
    case SG_PAYLOAD_DEVICE:
    case SG_PAYLOAD_GRAPH:
    case SG_PAYLOAD_DELEGATE:
    case SG_PAYLOAD_RAW:
        break;
    }
    return false;
}

/* "the integer 3", "'x'", "nothing". */
static const char *arg_words(struct sg_verify *v, const struct sg_arg *a) {
    if (sg_arg_has_value(a)) {
        return sg_quote(v, sg_value(v->p, a->u.ref.value)->name);
    }
    sg_payload payload = sg_arg_kind_payload((signet_arg_kind)a->kind);
    if (a->kind == SIGNET_ARG_NONE) {
        return "None";
    }
    if (a->kind == SIGNET_ARG_INT || a->kind == SIGNET_ARG_SYM_INT) {
        return sg_log_text(&v->log, "the integer %lld", (long long)a->u.integer);
    }
    if (payload == SG_PAYLOAD_BOOLEAN) {
        return a->u.integer != 0 ? "True" : "False";
    }
    if (payload == SG_PAYLOAD_TEXT) {
        return sg_log_text(&v->log, "the text %s", sg_quote(v, a->u.text));
    }
    const char *kind = signet_arg_kind_name((signet_arg_kind)a->kind);
    return sg_log_text(&v->log, "a constant of kind %s", kind != NULL ? kind : "unknown");
}

/* The spec's argument as messages call it: its declared name, or its constant. */
static const char *declared_words(struct sg_verify *v, signet_side side, uint32_t i) {
    const struct sg_arg *declared = sg_arg(v->p, sg_spec_at(v, side, i)->arg);
    return is_constant(declared) && side == SIGNET_OUTPUT ? arg_words(v, declared)
                                                          : sg_quote(v, declared->name);
}

/* A declared constant whose value the carrier does not tell fits any literal. */
static bool constants_agree(const struct sg_arg *declared, const struct sg_arg *found) {
    return declared->kind == SIGNET_ARG_CONSTANT || found->kind == SIGNET_ARG_CONSTANT ||
           same_literal(declared, found);
}

static void report_kind_at_position(struct sg_verify *v, signet_side side, uint32_t i,
                                    const struct sg_arg *declared, const struct sg_arg *found) {
    const char *what = side == SIGNET_INPUT ? "input" : "output";
    signet_location at = sg_at_spec(v->p, &v->log, v->program, side, i, SG_SPEC_NAME);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_META_KIND, at);
    sg_diag_message(d, "%s %u is declared as %s %s, but the graph has %s there", what, i,
                    signet_arg_kind_name((signet_arg_kind)declared->kind),
                    declared_words(v, side, i), arg_words(v, found));
    sg_diag_help(d, "whatever changed the graph must change the signature with it");
    signet_graph graph = {sg_program(v->p, v->program.id)->graph};
    uint32_t value = sg_value_lookup(v->p, graph, declared->name).id;
    bool lost = side == SIGNET_INPUT && value != 0 && sg_value(v->p, value)->def == 0;
    if (side == SIGNET_OUTPUT) {
        sg_diag_torch(d, sg_torch_outputs(v)->check);
    } else if (lost) { /* PyTorch does not compare a literal with its spec */
        sg_diag_torch(d, "D-USE");
        sg_diag_known_as(d, "KeyError: %s", sg_quote(v, declared->name));
    }
    sg_diag_end(d);
    sg_mark_spec(v, side, i, SG_CAUSE_KIND | SG_CAUSE_NAME);
    if (side == SIGNET_OUTPUT) { /* the other half of an exchange is the same fault */
        sg_strid there = position_name(v, side, i);
        uint32_t other = there != 0 ? sg_map_get(v->facts.output_of_name, sg_key(0, there))
                                    : sg_output_of_value(v, value);
        if (other != 0 && other != i + 1) {
            sg_mark_spec(v, side, other - 1, SG_CAUSE_KIND | SG_CAUSE_NAME);
        }
    }
    if (lost) {
        sg_mark_value(v, value, SG_CAUSE_NO_INPUT);
    }
}

/* Spec against position for constants: a literal on one side only, or two different ones. True when
 * there is nothing left to compare by name. */
static bool check_constant(struct sg_verify *v, signet_side side, uint32_t i, signet_code code,
                           const struct sg_arg *declared, const struct sg_arg *found) {
    bool literal = !sg_arg_has_value(found) && is_constant(found);
    bool wants_literal = is_constant(declared) || declared->kind == SIGNET_ARG_CONSTANT;
    if (!literal &&
        !(wants_literal && sg_arg_has_value(found) && found->kind != SIGNET_ARG_CONSTANT)) {
        return false;
    }
    if (declared->kind == SIGNET_ARG_UNKNOWN) {
        return literal;
    }
    if (literal != wants_literal) {
        report_kind_at_position(v, side, i, declared, found);
    } else if (!constants_agree(declared, found)) {
        signet_location at = sg_at_spec(v->p, &v->log, v->program, side, i, SG_SPEC_NAME);
        struct sg_diag *d = sg_diag_begin(&v->log, code, at);
        sg_diag_message(d, "%s %u is declared as %s, but the graph has %s there",
                        side == SIGNET_INPUT ? "input" : "output", i, arg_words(v, declared),
                        arg_words(v, found));
        sg_diag_help(d, "state the same constant in the graph and in the signature");
        if (side == SIGNET_OUTPUT) {
            sg_diag_torch(d, sg_torch_outputs(v)->check);
        }
        sg_diag_end(d);
        sg_mark_spec(v, side, i, SG_CAUSE_NAME);
    }
    return true;
}

/* Position + 1 of the argument that has that name; 0: none has. */
static uint32_t position_of(const struct sg_verify *v, signet_side side, sg_strid name) {
    signet_graph graph = {sg_program(v->p, v->program.id)->graph};
    signet_value value = sg_value_lookup(v->p, graph, name);
    if (side == SIGNET_OUTPUT) {
        return sg_output_of_value(v, value.id);
    }
    bool is_input = signet_value_definition(v->p, value) == SIGNET_OWNER_GRAPH_INPUT;
    return is_input ? signet_value_position(v->p, value) + 1 : 0;
}

/* The other half of an exchange is the same fault, reported here. */
static void mark_exchange(struct sg_verify *v, signet_side side, uint32_t i, uint32_t elsewhere) {
    if (elsewhere != 0 && sg_spec_name(v, side, elsewhere - 1) == position_name(v, side, i)) {
        sg_mark_spec(v, side, elsewhere - 1, SG_CAUSE_NAME);
    }
}

/* mutation.name-position speaks of this spec, or of the mutation it was exchanged with. */
static bool left_to_mutation(const struct sg_verify *v, uint32_t i, uint32_t elsewhere) {
    signet_output_kind kind = (signet_output_kind)sg_spec_at(v, SIGNET_OUTPUT, i)->kind;
    if (elsewhere == 0) {
        return false;
    }
    if (signet_output_kind_is_mutation(kind)) {
        return true;
    }
    signet_output_kind other =
        (signet_output_kind)sg_spec_at(v, SIGNET_OUTPUT, elsewhere - 1)->kind;
    return signet_output_kind_is_mutation(other) &&
           sg_spec_name(v, SIGNET_OUTPUT, elsewhere - 1) == position_name(v, SIGNET_OUTPUT, i);
}

/* PyTorch's check that refuses a wrong name of this spec; null: it does not compare it. */
static const char *torch_name_check(struct sg_verify *v, signet_side side, uint32_t i) {
    if (side == SIGNET_OUTPUT) {
        return sg_torch_outputs(v)->check;
    }
    signet_arg_kind kind = (signet_arg_kind)sg_arg(v->p, sg_spec_at(v, side, i)->arg)->kind;
    bool compared = kind == SIGNET_ARG_TENSOR || kind == SIGNET_ARG_SYM_INT ||
                    kind == SIGNET_ARG_SYM_FLOAT || kind == SIGNET_ARG_SYM_BOOL;
    return compared ? "S-INN" : NULL;
}

static void say_known_as(struct sg_verify *v, struct sg_diag *d, signet_side side, uint32_t i) {
    const char *check = torch_name_check(v, side, i);
    const char *declared = sg_log_name(&v->log, sg_string(v->p, sg_spec_name(v, side, i)));
    const char *found = sg_log_name(&v->log, sg_string(v->p, position_name(v, side, i)));
    sg_diag_torch(d, check);
    if (check == NULL) {
        return;
    }
    if (side == SIGNET_INPUT) {
        sg_diag_known_as(d, "SpecViolationError \"Input spec name %s does not match node name %s\"",
                         declared, found);
    } else if (strcmp(check, "S-USR") == 0) {
        sg_diag_known_as(d,
                         "SpecViolationError \"User output %s is not in the correct order or is "
                         "not found in the exported program's user_output list\"",
                         found);
    } else if (strcmp(check, "S-MNONE") == 0) {
        sg_diag_known_as(
            d, "SpecViolationError \"Mutation node %s is neither a buffer nor a user input\"",
            found);
    }
}

/* The declared name is defined by nothing, and what stands there has the description of nobody. */
static void mark_lost_input(struct sg_verify *v, signet_side side, uint32_t i,
                            const struct sg_arg *found) {
    signet_graph graph = {sg_program(v->p, v->program.id)->graph};
    uint32_t lost = sg_value_lookup(v->p, graph, sg_spec_name(v, side, i)).id;
    if (side == SIGNET_INPUT && lost != 0 && sg_value(v->p, lost)->def == 0) {
        sg_mark_value(v, lost, SG_CAUSE_NO_INPUT);
        sg_mark_value(v, found->u.ref.value, SG_CAUSE_NO_INPUT);
    }
}

static void check_name(struct sg_verify *v, signet_side side, uint32_t i, signet_code code) {
    const struct sg_arg *found = sg_spec_position_arg(v, side, i);
    const struct sg_arg *declared = sg_arg(v->p, sg_spec_at(v, side, i)->arg);
    if (found == NULL || found->kind == SIGNET_ARG_RAW || sg_spec_at(v, side, i)->faulty ||
        check_constant(v, side, i, code, declared, found)) {
        return;
    }
    sg_strid name = position_name(v, side, i);
    if (name == declared->name) {
        return;
    }
    const char *what = side == SIGNET_INPUT ? "input" : "output";
    uint32_t elsewhere = position_of(v, side, declared->name);
    if (side == SIGNET_OUTPUT && left_to_mutation(v, i, elsewhere)) {
        return;
    }
    signet_location at = sg_at_spec(v->p, &v->log, v->program, side, i, SG_SPEC_NAME);
    struct sg_diag *d = sg_diag_begin(&v->log, code, at);
    sg_diag_message(d, "%s %u is declared as %s %s, but the graph has %s there", what, i,
                    sg_spec_kind_words(v, side, i), declared_words(v, side, i),
                    arg_words(v, found));
    if (elsewhere != 0) {
        sg_diag_label(d, "stands at %s %u", what, elsewhere - 1);
    } else {
        sg_diag_label(d, "no %s has this name", what);
    }
    sg_strid target = sg_spec_at(v, side, i)->target;
    if (target != 0) {
        sg_diag_fact(d, "target: %s", sg_quote(v, target));
    }
    sg_diag_note(d, "programs run by position: whoever goes by the name takes the wrong value");
    if (elsewhere != 0) {
        sg_diag_help(d, "list specs and graph %ss in the same order", what);
    } else {
        sg_diag_help(d, "rename the spec's argument to %s, or put the old %s back",
                     arg_words(v, found), what);
    }
    say_known_as(v, d, side, i);
    sg_diag_end(d);
    sg_mark_spec(v, side, i, SG_CAUSE_NAME);
    mark_exchange(v, side, i, elsewhere);
    mark_lost_input(v, side, i, found);
}

static void check_input_name(struct sg_verify *v, const struct sg_thing *t) {
    check_name(v, SIGNET_INPUT, t->index, SIGNET_CODE_SIGNATURE_INPUT_NAME);
}

static void check_output_name(struct sg_verify *v, const struct sg_thing *t) {
    check_name(v, SIGNET_OUTPUT, t->index, SIGNET_CODE_SIGNATURE_OUTPUT_NAME);
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* The argument kind a spec kind needs; UNKNOWN: any. */
static signet_arg_kind wanted_kind(signet_side side, const struct sg_spec *s) {
    if (side == SIGNET_OUTPUT) {
        switch ((signet_output_kind)s->kind) {
        case SIGNET_OUTPUT_KIND_TOKEN:
            return SIGNET_ARG_TOKEN;
        case SIGNET_OUTPUT_KIND_LOSS_OUTPUT:
        case SIGNET_OUTPUT_KIND_BUFFER_MUTATION:
        case SIGNET_OUTPUT_KIND_PARAMETER_MUTATION:
        case SIGNET_OUTPUT_KIND_GRADIENT_TO_PARAMETER:
        case SIGNET_OUTPUT_KIND_GRADIENT_TO_USER_INPUT:
            return SIGNET_ARG_TENSOR;
        case SIGNET_OUTPUT_KIND_UNKNOWN:
        case SIGNET_OUTPUT_KIND_USER_OUTPUT:
        case SIGNET_OUTPUT_KIND_USER_INPUT_MUTATION:
            break;
        }
        return SIGNET_ARG_UNKNOWN;
    }
    switch ((signet_input_kind)s->kind) {
    case SIGNET_INPUT_KIND_PARAMETER:
    case SIGNET_INPUT_KIND_BUFFER:
    case SIGNET_INPUT_KIND_CONSTANT_TENSOR:
        return SIGNET_ARG_TENSOR;
    case SIGNET_INPUT_KIND_CUSTOM_OBJ:
        return SIGNET_ARG_CUSTOM_OBJ;
    case SIGNET_INPUT_KIND_TOKEN:
        return SIGNET_ARG_TOKEN;
    case SIGNET_INPUT_KIND_UNKNOWN:
    case SIGNET_INPUT_KIND_USER_INPUT:
        break;
    }
    return SIGNET_ARG_UNKNOWN;
}

/* A tensor may stand for a token in the graph: PyTorch's tokens are empty tensors there. */
static bool fits(signet_arg_kind wanted, signet_arg_kind found) {
    return wanted == found || (wanted == SIGNET_ARG_TOKEN && found == SIGNET_ARG_TENSOR);
}

static void check_kind(struct sg_verify *v, signet_side side, uint32_t i) {
    const struct sg_spec *s = sg_spec_at(v, side, i);
    signet_arg_kind wanted = wanted_kind(side, s);
    signet_arg_kind declared = (signet_arg_kind)sg_arg(v->p, s->arg)->kind;
    const struct sg_arg *there = sg_spec_position_arg(v, side, i);
    signet_arg_kind found = there != NULL ? (signet_arg_kind)there->kind : SIGNET_ARG_UNKNOWN;
    bool declared_bad =
        declared != SIGNET_ARG_UNKNOWN && declared != SIGNET_ARG_RAW && !fits(wanted, declared);
    bool found_bad = found != SIGNET_ARG_UNKNOWN && found != SIGNET_ARG_RAW &&
                     found != SIGNET_ARG_CONSTANT && !fits(wanted, found);
    if (wanted == SIGNET_ARG_UNKNOWN || (!declared_bad && !found_bad)) {
        return;
    }
    signet_location at = sg_at_spec(v->p, &v->log, v->program, side, i, SG_SPEC_WHOLE);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_SIGNATURE_KIND, at);
    sg_diag_message(d, "%s is a %s, which must be a %s, but it is a %s", sg_spec_words(v, side, i),
                    sg_spec_kind_words(v, side, i), signet_arg_kind_name(wanted),
                    signet_arg_kind_name(declared_bad ? declared : found));
    sg_diag_help(d, "correct the kind of the spec, or its argument");
    if (declared_bad && side == SIGNET_INPUT) {
        sg_diag_torch(d, "S-ARG");
    }
    sg_diag_end(d);
    sg_mark_spec(v, side, i, SG_CAUSE_KIND);
}

static void check_input_kind(struct sg_verify *v, const struct sg_thing *t) {
    check_kind(v, SIGNET_INPUT, t->index);
}

static void check_output_kind(struct sg_verify *v, const struct sg_thing *t) {
    check_kind(v, SIGNET_OUTPUT, t->index);
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* Outputs come in groups: 0 tokens, 1 mutations, 2 user outputs and loss, 3 gradients. */
static uint32_t group_of(const struct sg_verify *v, uint32_t i) {
    return sg_output_kind_group((signet_output_kind)sg_spec_at(v, SIGNET_OUTPUT, i)->kind);
}

/* token.order speaks of tokens; a mutation or gradient of nothing has a kind that is wrong. */
static bool is_ordered_kind(const struct sg_verify *v, uint32_t i) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_OUTPUT, i);
    signet_input_kind aim = signet_output_kind_aims_at((signet_output_kind)s->kind);
    return s->kind != SIGNET_OUTPUT_KIND_TOKEN && s->kind != 0 &&
           (aim == SIGNET_INPUT_KIND_UNKNOWN || sg_input_find(v, aim, s->target) != 0);
}

/* A user output that the call graph does not count: its kind is wrong, and call.leaf-count tells
 * it.
 */
static bool is_uncounted_output(struct sg_verify *v, uint32_t i) {
    const struct sg_leaves *l = sg_leaves(v);
    const uint32_t *count = sg_kinds(v)->count[SIGNET_OUTPUT];
    return sg_spec_at(v, SIGNET_OUTPUT, i)->kind == SIGNET_OUTPUT_KIND_USER_OUTPUT &&
           l->known[SIGNET_OUTPUT] &&
           count[SIGNET_OUTPUT_KIND_USER_OUTPUT] + count[SIGNET_OUTPUT_KIND_LOSS_OUTPUT] >
               l->count[SIGNET_OUTPUT];
}

/* A mutation that the call graph counts as a user output. */
static bool is_counted_mutation(struct sg_verify *v, uint32_t i) {
    signet_output_kind kind = (signet_output_kind)sg_spec_at(v, SIGNET_OUTPUT, i)->kind;
    return signet_output_kind_is_mutation(kind) && sg_claims_user_output(v, i);
}

static void check_order(struct sg_verify *v, const struct sg_thing *t) {
    uint32_t lowest = UINT32_MAX; /* position of the lowest group behind i */
    uint32_t early = UINT32_MAX;
    uint32_t late = UINT32_MAX;
    for (uint32_t i = spec_count(v, SIGNET_OUTPUT); i-- > 0;) {
        if (!is_ordered_kind(v, i)) {
            continue;
        }
        if (lowest != UINT32_MAX && group_of(v, lowest) < group_of(v, i)) {
            early = i;
            late = lowest;
        }
        if (lowest == UINT32_MAX || group_of(v, i) <= group_of(v, lowest)) {
            lowest = i;
        }
    }
    if (early == UINT32_MAX) {
        return;
    }
    bool counted = is_uncounted_output(v, early) || is_counted_mutation(v, late);
    /* Specs that were exchanged are told by their names. */
    bool exchanged =
        sg_name_disagrees(v, SIGNET_OUTPUT, early) || sg_name_disagrees(v, SIGNET_OUTPUT, late);
    bool muted = sg_fold(v, counted || exchanged);
    signet_location at = sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, early, SG_SPEC_WHOLE);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_SIGNATURE_ORDER, at);
    sg_diag_message(
        d, "output %u (%s %s) stands before output %u (%s %s)", early,
        sg_spec_kind_words(v, SIGNET_OUTPUT, early), declared_words(v, SIGNET_OUTPUT, early), late,
        sg_spec_kind_words(v, SIGNET_OUTPUT, late), declared_words(v, SIGNET_OUTPUT, late));
    sg_diag_related(d, sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, late, SG_SPEC_WHOLE),
                    "belongs before it");
    sg_diag_note(d, "readers take the first outputs for tokens and mutations by their number, so "
                    "another value is written into the state");
    sg_diag_help(d, "order outputs and specs together: tokens, mutations, user outputs and loss, "
                    "gradients");
    sg_diag_torch(d, sg_torch_outputs(v)->check);
    sg_diag_end(d);
    v->log.muted = muted;
    if (counted) {
        sg_mark_spec(v, SIGNET_OUTPUT, early, SG_CAUSE_COUNTED);
    } else if (!exchanged) {
        sg_mark_program(v, SG_CAUSE_OUTPUT_ORDER);
    }
}

static void check_order_unusual(struct sg_verify *v, const struct sg_thing *t) {
    uint32_t user = UINT32_MAX;
    for (uint32_t i = 0; i < spec_count(v, SIGNET_INPUT); i++) {
        bool is_user = sg_spec_at(v, SIGNET_INPUT, i)->kind == SIGNET_INPUT_KIND_USER_INPUT;
        if (is_user && user == UINT32_MAX) {
            user = i;
        } else if (!is_user && user != UINT32_MAX) {
            signet_location at =
                sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, user, SG_SPEC_WHOLE);
            struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_SIGNATURE_ORDER_UNUSUAL, at);
            sg_diag_message(d, "%s (USER_INPUT) stands before lifted %s (%s)",
                            sg_spec_words(v, SIGNET_INPUT, user), sg_spec_words(v, SIGNET_INPUT, i),
                            sg_spec_kind_words(v, SIGNET_INPUT, i));
            sg_diag_note(d, "PyTorch writes lifted inputs first; readers that count them go wrong");
            sg_diag_help(d, "list parameters, buffers and constants before user inputs");
            sg_diag_end(d);
            return;
        }
    }
}

/* ---- Targets --------------------------------------------------------------------------------- */

static bool is_lifted(signet_input_kind kind) {
    return kind == SIGNET_INPUT_KIND_PARAMETER || kind == SIGNET_INPUT_KIND_BUFFER ||
           kind == SIGNET_INPUT_KIND_CONSTANT_TENSOR || kind == SIGNET_INPUT_KIND_CUSTOM_OBJ;
}

static void check_duplicates(struct sg_verify *v, const struct sg_thing *t, signet_code code,
                             bool mutated) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_INPUT, t->index);
    signet_input_kind kind = (signet_input_kind)s->kind;
    uint32_t first = is_lifted(kind) ? sg_input_find(v, kind, s->target) : 0;
    if (first == 0 || first == t->index + 1 ||
        (sg_input_mutated_by(v, first - 1) != 0) != mutated) {
        return;
    }
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, t->index, SG_SPEC_TARGET);
    struct sg_diag *d = sg_diag_begin(&v->log, code, at);
    sg_diag_message(d, "input %u names %s %s, which input %u names already%s", t->index,
                    sg_spec_kind_words(v, SIGNET_INPUT, t->index), sg_quote(v, s->target),
                    first - 1, mutated ? ", and it is updated" : "");
    sg_diag_label(d, "second input of one target");
    sg_diag_related(d,
                    sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, first - 1, SG_SPEC_TARGET),
                    "first input");
    if (mutated) {
        sg_diag_note(d, "which of the two receives the update is not said");
    }
    sg_diag_help(d, "use one input for both, or give this one the target it is meant for");
    sg_diag_end(d);
    sg_mark_spec(v, SIGNET_INPUT, t->index, SG_CAUSE_TARGET);
    sg_mark_program(v, SG_CAUSE_TARGET_TAKEN);
}

static void check_duplicate_target(struct sg_verify *v, const struct sg_thing *t) {
    check_duplicates(v, t, SIGNET_CODE_SIGNATURE_DUPLICATE_TARGET, true);
}

static void check_shared_target(struct sg_verify *v, const struct sg_thing *t) {
    check_duplicates(v, t, SIGNET_CODE_SIGNATURE_SHARED_TARGET, false);
}

static void check_flag(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_INPUT, t->index);
    if (s->kind != SIGNET_INPUT_KIND_BUFFER || s->persistent == SIGNET_PERSISTENT_YES ||
        s->persistent == SIGNET_PERSISTENT_NO) {
        return;
    }
    if (sg_program(v->p, t->program.id)->lossy) {
        sg_not_checked(v, SIGNET_CODE_SIGNATURE_FLAG);
        return;
    }
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, t->index, SG_SPEC_WHOLE);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_SIGNATURE_FLAG, at);
    const char *found = s->persistent == SIGNET_PERSISTENT_ABSENT ? "missing"
                        : s->persistent == SIGNET_PERSISTENT_NULL ? "null"
                                                                  : "no boolean";
    sg_diag_message(d, "buffer %s (input %u): its persistent flag is %s", sg_quote(v, s->target),
                    t->index, found);
    sg_diag_note(d, "the flag says where the value lies: true in the state dict, false among the "
                    "constants");
    sg_diag_help(d, "set persistent to true or false");
    if (s->persistent != SIGNET_PERSISTENT_ODD) {
        sg_diag_torch(d, "S-BPF");
        sg_diag_known_as(d, "AssertionError \"Failed to specify persistent flag on BUFFER.\"");
    }
    sg_diag_end(d);
}

static void check_target_missing(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_INPUT, t->index);
    bool empty = s->target == 0 || sg_string(v->p, s->target).length == 0;
    if (!is_lifted((signet_input_kind)s->kind) || !empty) {
        return;
    }
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, t->index, SG_SPEC_TARGET);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_SIGNATURE_TARGET_MISSING, at);
    sg_diag_message(d, "%s is a %s without a target", sg_spec_words(v, SIGNET_INPUT, t->index),
                    sg_spec_kind_words(v, SIGNET_INPUT, t->index));
    sg_diag_help(d, "name the state that it is");
    if (s->target == 0) {
        sg_diag_torch(d, "S-TGT");
    }
    sg_diag_end(d);
    sg_mark_spec(v, SIGNET_INPUT, t->index, SG_CAUSE_TARGET);
}

/* ---- Table
 * ------------------------------------------------------------------------------------------------
 */

#define COUNT_OR_ORDER                                                                             \
    (SG_CAUSE_OUTPUT_COUNT | SG_CAUSE_OUTPUT_ORDER | SG_CAUSE_NAME | SG_CAUSE_WRITTEN_BACK)

static const struct sg_rule rules[] = {
    {SIGNET_CODE_SIGNATURE_INPUT_COUNT, SG_SCOPE_PROGRAM, 0, check_input_count},
    {SIGNET_CODE_SIGNATURE_OUTPUT_COUNT, SG_SCOPE_PROGRAM, 0, check_output_count},
    {SIGNET_CODE_SIGNATURE_ORDER, SG_SCOPE_PROGRAM, SG_CAUSE_OUTPUT_COUNT, check_order},
    {SIGNET_CODE_SIGNATURE_ORDER_UNUSUAL, SG_SCOPE_PROGRAM, SG_CAUSE_INPUT_COUNT,
     check_order_unusual},
    {SIGNET_CODE_SIGNATURE_INPUT_NAME, SG_SCOPE_INPUT, SG_CAUSE_INPUT_COUNT | SG_CAUSE_NAME,
     check_input_name},
    {SIGNET_CODE_SIGNATURE_KIND, SG_SCOPE_INPUT,
     SG_CAUSE_INPUT_COUNT | SG_CAUSE_NAME | SG_CAUSE_KIND, check_input_kind},
    {SIGNET_CODE_SIGNATURE_TARGET_MISSING, SG_SCOPE_INPUT, SG_CAUSE_KIND, check_target_missing},
    {SIGNET_CODE_SIGNATURE_DUPLICATE_TARGET, SG_SCOPE_INPUT, SG_CAUSE_TARGET | SG_CAUSE_INPUT_COUNT,
     check_duplicate_target},
    {SIGNET_CODE_SIGNATURE_SHARED_TARGET, SG_SCOPE_INPUT, SG_CAUSE_TARGET | SG_CAUSE_INPUT_COUNT,
     check_shared_target},
    {SIGNET_CODE_SIGNATURE_FLAG, SG_SCOPE_INPUT, 0, check_flag},
    {SIGNET_CODE_SIGNATURE_OUTPUT_NAME, SG_SCOPE_OUTPUT, COUNT_OR_ORDER, check_output_name},
    {SIGNET_CODE_SIGNATURE_KIND, SG_SCOPE_OUTPUT, COUNT_OR_ORDER | SG_CAUSE_KIND,
     check_output_kind},
};

const struct sg_rule_family sg_rules_signature = {rules, SG_COUNT_OF(rules)};
