/* SPDX-License-Identifier: Apache-2.0 */

/* mutation.*: every mutation points at a state that exists, once, with the state's type, by name
 * and by position. */

#include "base/compiler.h"
#include "base/text.h"
#include "verifier/verifier_internal.h"

/* The mutation at an output position; null when the spec there is none. Mutations are listed in
 * output order. */
static const struct sg_mutation *mutation_at(const struct sg_verify *v, uint32_t output) {
    uint32_t low = 0;
    uint32_t high = v->facts.mutations.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct sg_mutation *m = &v->facts.mutations.data[middle];
        if (m->output == output) {
            return m;
        }
        if (m->output < output) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static const char *kind_noun(signet_input_kind kind) {
    switch (kind) {
    case SIGNET_INPUT_KIND_PARAMETER:
        return "parameter";
    case SIGNET_INPUT_KIND_USER_INPUT:
        return "user input";
    case SIGNET_INPUT_KIND_BUFFER:
        return "buffer";
    case SIGNET_INPUT_KIND_CONSTANT_TENSOR:
        return "constant";
    case SIGNET_INPUT_KIND_CUSTOM_OBJ:
        return "custom object";
    case SIGNET_INPUT_KIND_TOKEN:
        return "token";
    case SIGNET_INPUT_KIND_UNKNOWN:
        break;
    }
    return "input";
}

/* ---- The target is missing ------------------------------------------------------------------- */

/* The delegate that a node calls; 0: it calls none. */
static uint32_t called_delegate(const struct sg_verify *v, const struct sg_node *n) {
    const struct sg_operator *o = sg_operator(v->p, n->op);
    const struct sg_arg *first = sg_arg(v->p, n->inputs.count != 0 ? n->inputs.first : 0);
    bool is_call = o->op_class == SIGNET_OPERATOR_DELEGATE_CALL;
    return is_call && first->kind == SIGNET_ARG_DELEGATE ? first->u.id : 0;
}

/* ", line 9" of the place where a value is defined; "" where the carrier has no lines. */
static const char *line_words(struct sg_verify *v, uint32_t value) {
    signet_location at = sg_at_value(v->p, &v->log, (signet_value){value});
    return at.line != 0 ? sg_log_text(&v->log, ", line %u", at.line) : "";
}

static void say_new_value(struct sg_verify *v, struct sg_diag *d, uint32_t value) {
    signet_value id = {value};
    const char *name = sg_log_name(&v->log, signet_value_name(v->p, id));
    signet_node node = signet_value_node(v->p, id);
    if (value == 0) {
        return;
    }
    if (signet_value_definition(v->p, id) == SIGNET_OWNER_GRAPH_INPUT) {
        sg_diag_fact(d, "new value: %s, input %u", name, signet_value_position(v->p, id));
        return;
    }
    if (node.id == 0) {
        sg_diag_fact(d, "new value: %s, which nothing defines", name);
        return;
    }
    uint32_t delegate = called_delegate(v, sg_node(v->p, node.id));
    const char *line = line_words(v, value);
    const char *caller = sg_log_name(&v->log, signet_node_display_name(v->p, node));
    if (delegate != 0) {
        const char *module =
            sg_log_name(&v->log, signet_delegate_name(v->p, (signet_delegate){delegate}));
        sg_diag_fact(d, "new value: %s, result %u of %s (%s)%s", name,
                     signet_value_position(v->p, id), caller, module, line);
    } else if (signet_node_output_count(v->p, node) > 1) {
        sg_diag_fact(d, "new value: %s, result %u of %s%s", name, signet_value_position(v->p, id),
                     caller, line);
    } else {
        sg_diag_fact(d, "new value: %s%s", name, line);
    }
}

/* Names of the values a delegate call takes: "'x'", "'x', 'y'", "nothing". */
static const char *call_arguments(struct sg_verify *v, const struct sg_node *n) {
    enum { SHOWN = 8 };
    const char *text = "";
    uint32_t count = 0;
    for (uint32_t i = 1; i < n->inputs.count; i++) {
        const struct sg_arg *a = sg_arg(v->p, n->inputs.first + i);
        if (sg_arg_has_value(a) && count++ < SHOWN) {
            text = sg_log_text(&v->log, "%s%s%s", text, count > 1 ? ", " : "",
                               sg_quote(v, sg_value(v->p, a->u.ref.value)->name));
        }
    }
    if (count == 0) {
        return "nothing";
    }
    return count > SHOWN ? sg_log_text(&v->log, "%s and %u more", text, count - SHOWN) : text;
}

/* Position + 1 of the input of that kind and target in a delegate's body. */
static uint32_t find_in_body(const struct sg_verify *v, uint32_t body, signet_input_kind kind,
                             sg_strid target) {
    const struct sg_program *r = sg_program(v->p, body);
    for (uint32_t i = 0; i < r->specs[SIGNET_INPUT].count; i++) {
        const struct sg_spec *s = &r->specs[SIGNET_INPUT].data[i];
        if (s->kind == kind && s->target == target) {
            return i + 1;
        }
    }
    return 0;
}

/* The new value comes out of a delegate: say what the delegate took, and what to do. */
static bool explain_delegate(struct sg_verify *v, struct sg_diag *d, const struct sg_mutation *m) {
    signet_node node = signet_value_node(v->p, (signet_value){m->value});
    const struct sg_node *n = sg_node(v->p, node.id);
    uint32_t delegate = node.id != 0 ? called_delegate(v, n) : 0;
    if (delegate == 0) {
        return false;
    }
    signet_input_kind kind = signet_output_kind_aims_at(m->kind);
    const char *noun = kind_noun(kind);
    const char *module =
        sg_log_name(&v->log, signet_delegate_name(v->p, (signet_delegate){delegate}));
    uint32_t body = sg_delegate(v->p, delegate)->body;
    if (body == 0) {
        sg_diag_note(d, "the call takes only %s: the %s went into %s, its mutation stayed outside",
                     call_arguments(v, n), noun, module);
        sg_diag_help(d,
                     "move the mutation into the delegate, or pass the %s as an argument; "
                     "--body %s=FILE shows which",
                     noun, module);
        return true;
    }
    uint32_t held = find_in_body(v, body, kind, m->target);
    if (held != 0) {
        sg_diag_related(d,
                        sg_at_spec(v->p, &v->log, (signet_program){body}, SIGNET_INPUT, held - 1,
                                   SG_SPEC_WHOLE),
                        "%s holds the %s", module, noun);
        sg_diag_note(d, "%s took %s %s over, but its mutation stayed outside", module, noun,
                     sg_quote(v, m->target));
        sg_diag_help(d, "make output %u a mutation of the body of %s, and drop it here", m->output,
                     module);
    } else {
        sg_diag_note(d, "the body of %s has no %s %s either: the lowering lost it", module, noun,
                     sg_quote(v, m->target));
        sg_diag_help(d, "keep the %s as an argument of the call, and its mutation outside", noun);
    }
    return true;
}

/* Does another kind of input have the target, or is it a placeholder's name? */
static bool explain_other_kind(struct sg_verify *v, struct sg_diag *d, const struct sg_mutation *m,
                               signet_input_kind wanted) {
    static const signet_input_kind kinds[] = {
        SIGNET_INPUT_KIND_PARAMETER, SIGNET_INPUT_KIND_BUFFER, SIGNET_INPUT_KIND_CONSTANT_TENSOR,
        SIGNET_INPUT_KIND_CUSTOM_OBJ, SIGNET_INPUT_KIND_USER_INPUT};
    for (size_t i = 0; i < SG_COUNT_OF(kinds); i++) {
        uint32_t at = kinds[i] != wanted ? sg_input_find(v, kinds[i], m->target) : 0;
        if (at != 0) {
            sg_diag_related(
                d, sg_at_spec(v->p, &v->log, v->program, SIGNET_INPUT, at - 1, SG_SPEC_WHOLE),
                "%s is a %s here", sg_quote(v, m->target), kind_noun(kinds[i]));
            sg_diag_help(d, "declare input %u as %s, or the output as a mutation of a %s", at - 1,
                         kind_noun(wanted), kind_noun(kinds[i]));
            return true;
        }
    }
    uint32_t at = sg_map_get(v->facts.input_of_name, sg_key(0, m->target));
    if (at != 0) {
        sg_strid target = sg_spec_at(v, SIGNET_INPUT, at - 1)->target;
        sg_diag_note(d, "%s is the name of a placeholder, not of a state", sg_quote(v, m->target));
        if (target != 0) {
            sg_diag_help(d, "use the target of input %u: %s", at - 1, sg_quote(v, target));
        }
        return true;
    }
    return false;
}

static void explain_missing(struct sg_verify *v, struct sg_diag *d, const struct sg_mutation *m) {
    signet_input_kind kind = signet_output_kind_aims_at(m->kind);
    const char *noun = kind_noun(kind);
    if (sg_input_kind_count(v, kind) != 0) {
        sg_diag_fact(d, "%ss of this program: %s", noun, sg_targets_words(v, kind));
    }
    if (explain_delegate(v, d, m) || explain_other_kind(v, d, m, kind)) {
        return;
    }
    sg_strid near = sg_target_near(v, kind, m->target);
    if (near != 0) {
        sg_diag_help(d, "did you mean %s?", sg_quote(v, near));
    } else {
        sg_diag_help(d, "give the program a %s input with that target, or drop the mutation", noun);
    }
}

/* PyTorch's own words, so that people who search for them find this. It does not look at every
 * mutation (see rules_torch.c). */
static void say_known_as(struct sg_verify *v, struct sg_diag *d, const struct sg_mutation *m) {
    sg_strid name =
        m->value != 0 ? sg_value(v->p, m->value)->name : sg_spec_name(v, SIGNET_OUTPUT, m->output);
    const char *output = sg_log_name(&v->log, sg_string(v->p, name));
    const char *check = NULL;
    if (sg_torch_outputs(v)->check == NULL) {
        return;
    }
    switch (signet_output_kind_aims_at(m->kind)) {
    case SIGNET_INPUT_KIND_BUFFER:
        check = "S-MBUF";
        sg_diag_known_as(
            d, "SpecViolationError \"Buffer output %s does not point to a buffer that exists\"",
            output);
        break;
    case SIGNET_INPUT_KIND_PARAMETER:
        check = "S-MPAR";
        sg_diag_known_as(
            d,
            "SpecViolationError \"Parameter output %s does not point to a parameter that exists\"",
            output);
        break;
    case SIGNET_INPUT_KIND_USER_INPUT:
        check = "S-MUSR";
        sg_diag_known_as(
            d,
            "SpecViolationError \"User input output %s does not point to a user input that "
            "exists\"",
            output);
        break;
    case SIGNET_INPUT_KIND_UNKNOWN:
    case SIGNET_INPUT_KIND_CONSTANT_TENSOR:
    case SIGNET_INPUT_KIND_CUSTOM_OBJ:
    case SIGNET_INPUT_KIND_TOKEN:
        break;
    }
    sg_diag_torch(d, check);
}

/* An input of that target exists, but a finding has told that its kind is wrong. */
static bool is_told_at_input(const struct sg_verify *v, const struct sg_mutation *m) {
    static const signet_input_kind kinds[] = {SIGNET_INPUT_KIND_PARAMETER, SIGNET_INPUT_KIND_BUFFER,
                                              SIGNET_INPUT_KIND_CONSTANT_TENSOR};
    for (size_t i = 0; i < SG_COUNT_OF(kinds); i++) {
        uint32_t input = sg_input_find(v, kinds[i], m->target);
        if (input != 0 &&
            (v->spec_marks[SIGNET_INPUT][input - 1] & (SG_CAUSE_KIND | SG_CAUSE_TARGET)) != 0) {
            return true;
        }
    }
    return false;
}

static void check_missing(struct sg_verify *v, const struct sg_thing *t, signet_code code,
                          signet_output_kind kind) {
    const struct sg_mutation *m = mutation_at(v, t->index);
    if (m == NULL || m->kind != kind || m->input != 0) {
        return;
    }
    const char *noun = kind_noun(signet_output_kind_aims_at(kind));
    bool muted = sg_fold(v, is_told_at_input(v, m) || sg_is_renamed_input(v, m->target));
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, t->index, SG_SPEC_TARGET);
    struct sg_diag *d = sg_diag_begin(&v->log, code, at);
    if (m->target == 0) {
        sg_diag_message(d, "output %u updates a %s, but does not say which", t->index, noun);
    } else if (sg_input_kind_count(v, signet_output_kind_aims_at(kind)) == 0) {
        sg_diag_message(d, "output %u updates %s %s, but the program has no %s", t->index, noun,
                        sg_quote(v, m->target), noun);
    } else {
        sg_diag_message(d, "output %u updates %s %s, which does not exist", t->index, noun,
                        sg_quote(v, m->target));
    }
    sg_diag_label(d, "no such %s", noun);
    if (d->shown) {
        say_new_value(v, d, m->value);
        explain_missing(v, d, m);
    }
    say_known_as(v, d, m);
    sg_diag_end(d);
    v->log.muted = muted;
    sg_mark_spec(v, SIGNET_OUTPUT, t->index, SG_CAUSE_TARGET);
    sg_mark_program(v, SG_CAUSE_CALLS);
}

static void check_target_missing(struct sg_verify *v, const struct sg_thing *t) {
    check_missing(v, t, SIGNET_CODE_MUTATION_TARGET_MISSING, SIGNET_OUTPUT_KIND_BUFFER_MUTATION);
}

static void check_parameter_missing(struct sg_verify *v, const struct sg_thing *t) {
    check_missing(v, t, SIGNET_CODE_MUTATION_PARAMETER_MISSING,
                  SIGNET_OUTPUT_KIND_PARAMETER_MUTATION);
}

static void check_user_input_missing(struct sg_verify *v, const struct sg_thing *t) {
    check_missing(v, t, SIGNET_CODE_MUTATION_USER_INPUT_MISSING,
                  SIGNET_OUTPUT_KIND_USER_INPUT_MUTATION);
}

/* ---- One state, one update ------------------------------------------------------------------- */

static bool has_type(const struct sg_verify *v, uint32_t value) {
    return value != 0 && sg_value(v->p, value)->described_as == SIGNET_VALUE_TENSOR;
}

/* A buffer of the new value's type that nothing updates: perhaps the one that was meant. 0: none.
 */
static sg_strid unwritten_of_type(struct sg_verify *v, const struct sg_mutation *m) {
    uint32_t inputs = sg_program(v->p, v->program.id)->specs[SIGNET_INPUT].count;
    signet_input_kind kind = signet_output_kind_aims_at(m->kind);
    for (uint32_t i = 0; has_type(v, m->value) && i < inputs && i < SG_HINT_LOOKS; i++) {
        const struct sg_spec *s = sg_spec_at(v, SIGNET_INPUT, i);
        uint32_t value = sg_input_value(v, i);
        if (++v->hint_looks > SG_HINT_LOOKS_OF_RUN) {
            break;
        }
        if (s->kind == kind && s->target != 0 && sg_input_mutated_by(v, i) == 0 &&
            has_type(v, value) &&
            sg_value(v->p, value)->description == sg_value(v->p, m->value)->description) {
            return s->target;
        }
    }
    return 0;
}

static void check_duplicate(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_mutation *m = mutation_at(v, t->index);
    uint32_t first = m != NULL && m->input != 0 ? sg_input_mutated_by(v, m->input - 1) : 0;
    if (first == 0 || first == t->index + 1) {
        return;
    }
    const char *noun = kind_noun(signet_output_kind_aims_at(m->kind));
    bool counted = sg_claims_user_output(v, t->index);
    bool muted = sg_fold(v, counted);
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, t->index, SG_SPEC_TARGET);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_MUTATION_DUPLICATE, at);
    sg_diag_message(d, "output %u updates %s %s, which output %u updates already", t->index, noun,
                    sg_quote(v, m->target), first - 1);
    sg_diag_label(d, "second update");
    sg_diag_related(d,
                    sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, first - 1, SG_SPEC_TARGET),
                    "first update");
    say_new_value(v, d, m->value);
    sg_strid other = d->shown ? unwritten_of_type(v, m) : 0;
    if (other != 0) {
        sg_diag_help(d,
                     "one of the two updates is lost; nothing updates %s, which has the same "
                     "type: is that one meant?",
                     sg_quote(v, other));
    } else {
        sg_diag_help(d, "one of the two updates is lost: drop one of them");
    }
    sg_diag_torch(d, sg_torch_outputs(v)->check);
    sg_diag_end(d);
    v->log.muted = muted;
    if (!counted) {
        sg_mark_spec(v, SIGNET_OUTPUT, t->index, SG_CAUSE_TARGET);
        sg_mark_program(v, SG_CAUSE_CALLS);
    }
}

/* ---- The new value has the state's type ------------------------------------------------------ */

struct type_pair {
    const struct sg_mutation *m;
    const struct sg_type *state, *value; /* null: not both are told */
    uint32_t state_type, value_type;
};

static struct type_pair types_of(const struct sg_verify *v, uint32_t output) {
    struct type_pair pair = {mutation_at(v, output), NULL, NULL, 0, 0};
    uint32_t input = pair.m != NULL ? pair.m->input : 0;
    /* What stands at the input's position must be what its spec means. */
    bool bound = input != 0 && (v->spec_marks[SIGNET_INPUT][input - 1] & SG_CAUSE_NAME) == 0;
    uint32_t state = bound ? sg_input_value(v, input - 1) : 0;
    if (has_type(v, state) && has_type(v, pair.m->value)) {
        pair.state_type = sg_value(v->p, state)->description;
        pair.value_type = sg_value(v->p, pair.m->value)->description;
        pair.state = sg_type(v->p, pair.state_type);
        pair.value = sg_type(v->p, pair.value_type);
    }
    return pair;
}

static void report_type(struct sg_verify *v, const struct sg_thing *t, signet_code code,
                        const struct type_pair *pair, const char *what) {
    const struct sg_mutation *m = pair->m;
    const char *noun = kind_noun(signet_output_kind_aims_at(m->kind));
    bool counted = sg_claims_user_output(v, t->index);
    bool muted = sg_fold(v, counted);
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, t->index, SG_SPEC_NAME);
    struct sg_diag *d = sg_diag_begin(&v->log, code, at);
    sg_diag_message(d, "output %u updates %s %s with a value of another %s: expected %s, found %s",
                    t->index, noun, sg_quote(v, m->target), what,
                    sg_type_words(v, pair->state_type), sg_type_words(v, pair->value_type));
    sg_diag_label(d, "%s", sg_type_words(v, pair->value_type));
    sg_diag_related(
        d, sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, m->input - 1, SG_SPEC_WHOLE),
        "the %s is %s", noun, sg_type_words(v, pair->state_type));
    say_new_value(v, d, m->value);
    sg_diag_help(d, "give the %s a value of its own %s, or change the %s", noun, what, noun);
    sg_diag_end(d);
    v->log.muted = muted;
    if (!counted) {
        sg_mark_spec(v, SIGNET_OUTPUT, t->index, SG_CAUSE_TYPE);
        sg_mark_spec(v, SIGNET_INPUT, m->input - 1, SG_CAUSE_TYPE);
    }
}

/* The stored tensor has the new value's shape: the input's description is wrong, and state.shape
 * tells it. (A dtype proves nothing: state is often stored in another one.) */
static bool is_stored_like(const struct sg_verify *v, const struct type_pair *pair) {
    const struct sg_program *r = sg_program(v->p, v->program.id);
    uint32_t entry = sg_state_find(v, SIGNET_TABLE_STATE_DICT, pair->m->target);
    entry = entry != 0 ? entry : sg_state_find(v, SIGNET_TABLE_CONSTANTS, pair->m->target);
    uint32_t type = entry != 0 ? r->states.data[entry - 1].type : 0;
    return type != 0 && sg_sizes_same(v->p, sg_type(v->p, type), pair->value);
}

static void check_shape(struct sg_verify *v, const struct sg_thing *t) {
    struct type_pair pair = types_of(v, t->index);
    if (pair.state != NULL && !sg_sizes_same(v->p, pair.state, pair.value) &&
        !is_stored_like(v, &pair)) {
        report_type(v, t, SIGNET_CODE_MUTATION_SHAPE, &pair, "shape");
    }
}

static void check_dtype(struct sg_verify *v, const struct sg_thing *t) {
    struct type_pair pair = types_of(v, t->index);
    if (pair.state != NULL && pair.state->dtype != pair.value->dtype &&
        pair.state->dtype != SIGNET_DTYPE_UNKNOWN && pair.value->dtype != SIGNET_DTYPE_UNKNOWN) {
        report_type(v, t, SIGNET_CODE_MUTATION_DTYPE, &pair, "dtype");
    }
}

/* "cuda" and "cuda:0" may be one device: an index counts only when both have one. */
static bool devices_differ(const signet_package *p, const struct sg_type *a,
                           const struct sg_type *b) {
    if (a->device == 0 || b->device == 0) {
        return false;
    }
    if (!sg_is_device_type(sg_string(p, a->device)) ||
        !sg_is_device_type(sg_string(p, b->device))) {
        return false; /* meta.device-unknown tells it */
    }
    return a->device != b->device ||
           (a->has_device_index && b->has_device_index && a->device_index != b->device_index);
}

static void check_device(struct sg_verify *v, const struct sg_thing *t) {
    struct type_pair pair = types_of(v, t->index);
    if (pair.m == NULL || pair.m->input == 0) {
        return;
    }
    if (pair.state != NULL && devices_differ(v->p, pair.state, pair.value)) {
        const struct sg_mutation *m = pair.m;
        signet_location at =
            sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, t->index, SG_SPEC_NAME);
        struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_MUTATION_DEVICE, at);
        sg_diag_message(d, "output %u updates %s %s on device %s with a value on device %s",
                        t->index, kind_noun(signet_output_kind_aims_at(m->kind)),
                        sg_quote(v, m->target), sg_quote(v, pair.state->device),
                        sg_quote(v, pair.value->device));
        say_new_value(v, d, m->value);
        sg_diag_help(d, "move the value to the state's device before it is written back");
        sg_diag_end(d);
    } else if (sg_program(v->p, t->program.id)->lossy) {
        sg_not_checked(v, SIGNET_CODE_MUTATION_DEVICE);
    }
}

/* ---- Name against position ------------------------------------------------------------------- */

static void check_name_position(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_mutation *m = mutation_at(v, t->index);
    sg_strid name = sg_spec_name(v, SIGNET_OUTPUT, t->index);
    if (m == NULL || m->value == 0 || name == 0 || sg_value(v->p, m->value)->name == name) {
        return;
    }
    signet_graph graph = {sg_program(v->p, t->program.id)->graph};
    uint32_t named = sg_value_lookup(v->p, graph, name).id;
    uint32_t elsewhere = sg_output_of_value(v, named);
    if (elsewhere == 0) {
        return; /* signature.output-name: the name is nowhere among the outputs */
    }
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, t->index, SG_SPEC_NAME);
    const char *noun = kind_noun(signet_output_kind_aims_at(m->kind));
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_MUTATION_NAME_POSITION, at);
    sg_diag_message(d, "output %u updates %s %s by %s, but the graph returns %s there", t->index,
                    noun, sg_quote(v, m->target), sg_quote(v, name),
                    sg_quote(v, sg_value(v->p, m->value)->name));
    sg_diag_label(d, "stands at output %u", elsewhere - 1);
    sg_diag_note(d,
                 "PyTorch verifies mutations by name and runs them by position: %s would be "
                 "written into %s",
                 sg_quote(v, sg_value(v->p, m->value)->name), sg_quote(v, m->target));
    sg_diag_help(d, "list specs and graph outputs in the same order");
    sg_diag_torch(d, sg_torch_outputs(v)->check);
    sg_diag_end(d);
    sg_mark_spec(v, SIGNET_OUTPUT, t->index, SG_CAUSE_NAME);
    /* The other half of an exchange is the same fault. */
    if (sg_spec_name(v, SIGNET_OUTPUT, elsewhere - 1) == sg_value(v->p, m->value)->name) {
        sg_mark_spec(v, SIGNET_OUTPUT, elsewhere - 1, SG_CAUSE_NAME);
    }
}

/* ---- Updates that do nothing, or do harm ----------------------------------------------------- */

static void check_no_op(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_mutation *m = mutation_at(v, t->index);
    if (m == NULL || m->input == 0 || m->value == 0 ||
        sg_input_value(v, m->input - 1) != m->value) {
        return;
    }
    const char *noun = kind_noun(signet_output_kind_aims_at(m->kind));
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, t->index, SG_SPEC_NAME);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_MUTATION_NO_OP, at);
    sg_diag_message(d, "output %u updates %s %s with its own old value", t->index, noun,
                    sg_quote(v, m->target));
    sg_diag_label(d, "the placeholder itself");
    sg_diag_help(d, "drop the mutation, or return the value that was meant to be written");
    sg_diag_end(d);
}

static void check_order_hazard(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_mutation *m = mutation_at(v, t->index);
    if (m == NULL || m->input == 0 || m->value == 0) {
        return;
    }
    uint32_t root = sg_view_root(v, m->value);
    if (signet_value_definition(v->p, (signet_value){root}) != SIGNET_OWNER_GRAPH_INPUT ||
        sg_value(v->p, root)->graph != sg_program(v->p, t->program.id)->graph) {
        return;
    }
    uint32_t source = signet_value_position(v->p, (signet_value){root});
    uint32_t first = sg_input_mutated_by(v, source);
    if (source + 1 == m->input || first == 0 || first > t->index) {
        return; /* its own old value, or read before it is overwritten */
    }
    const struct sg_spec *overwritten = sg_spec_at(v, SIGNET_OUTPUT, first - 1);
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, t->index, SG_SPEC_NAME);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_MUTATION_ORDER_HAZARD, at);
    sg_diag_message(d,
                    "output %u writes the old value of %s into %s, but output %u overwrites %s "
                    "first",
                    t->index, sg_quote(v, overwritten->target), sg_quote(v, m->target), first - 1,
                    sg_quote(v, overwritten->target));
    sg_diag_label(d, "needs the old value");
    sg_diag_related(d,
                    sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, first - 1, SG_SPEC_TARGET),
                    "overwritten here");
    sg_diag_note(d,
                 "PyTorch 2.13 and ExecuTorch 1.5.1 write updates back one after the other, in "
                 "this order, so %s would receive the new value of %s",
                 sg_quote(v, m->target), sg_quote(v, overwritten->target));
    sg_diag_help(d,
                 "list the update of %s before that of %s; where updates go round in a circle, "
                 "return a copy of the old value",
                 sg_quote(v, m->target), sg_quote(v, overwritten->target));
    sg_diag_end(d);
}

static bool is_towards_executorch(const struct sg_verify *v) {
    return v->stage == SIGNET_STAGE_EDGE || v->stage == SIGNET_STAGE_LOWERED;
}

static void check_name_collision(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_mutation *m = mutation_at(v, t->index);
    if (m == NULL || m->kind != SIGNET_OUTPUT_KIND_BUFFER_MUTATION || m->input == 0) {
        return;
    }
    uint32_t user = sg_input_find(v, SIGNET_INPUT_KIND_USER_INPUT, m->target);
    if (user == 0 || !is_towards_executorch(v)) {
        return;
    }
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, t->index, SG_SPEC_TARGET);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_MUTATION_NAME_COLLISION, at);
    sg_diag_message(d, "mutated buffer %s is called like user input %u", sg_quote(v, m->target),
                    user - 1);
    sg_diag_related(d, sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, user - 1, SG_SPEC_NAME),
                    "the user input");
    sg_diag_note(d, "ExecuTorch 1.5.1 looks both up in one table: the update is written into the "
                    "user's tensor, and the buffer never changes");
    sg_diag_help(d, "rename the buffer or the argument of forward");
    sg_diag_end(d);
}

static void check_parameter_kept(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_mutation *m = mutation_at(v, t->index);
    if (m == NULL || m->kind != SIGNET_OUTPUT_KIND_PARAMETER_MUTATION || m->input == 0 ||
        !is_towards_executorch(v)) {
        return;
    }
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_OUTPUT, t->index, SG_SPEC_TARGET);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_MUTATION_PARAMETER_KEPT, at);
    sg_diag_message(d, "output %u updates parameter %s, which ExecuTorch does not write back",
                    t->index, sg_quote(v, m->target));
    sg_diag_note(d, "ExecuTorch 1.5.1 stores the parameter as a constant and returns the new value "
                    "as one more output");
    sg_diag_help(d, "register %s as a buffer", sg_quote(v, m->target));
    sg_diag_end(d);
}

/* ---- Writes that no output declares ---------------------------------------------------------- */

static void check_in_place(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_operator *o = sg_operator(v->p, sg_node(v->p, t->node.id)->op);
    if (!o->in_place || !sg_stage_is_functional(v->stage)) {
        return;
    }
    signet_location at = sg_at_node(v->p, &v->log, t->node);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_MUTATION_IN_PLACE, at);
    sg_diag_message(d, "node '%s' writes its input in place, but the program is of stage %s",
                    sg_log_name(&v->log, signet_node_display_name(v->p, t->node)),
                    signet_stage_name(v->stage));
    sg_diag_fact(d, "operator: %s", sg_log_name(&v->log, signet_node_target(v->p, t->node)));
    sg_diag_note(d, "in a functional program every write is an output; this one is declared "
                    "nowhere, so the state may keep its old value");
    sg_diag_help(d, "use the functional operator and declare its result as a mutation "
                    "(run_decompositions does both)");
    if (o->op_class == SIGNET_OPERATOR_OVERLOAD) {
        sg_diag_torch(d, "G-FUN");
        sg_diag_known_as(d, "SpecViolationError \"operator '%s' is not functional\"",
                         sg_log_name(&v->log, signet_node_target(v->p, t->node)));
    }
    sg_diag_end(d);
}

/* Operators that update running statistics without saying so in their schema: where the statistics
 * and the flag that turns the update on stand. */
struct hidden_writer {
    const char *name;
    const char *flag;
    uint32_t mean, variance, on;
};
static const struct hidden_writer hidden_writers[] = {
    {"batch_norm", "training", 3, 4, 5},           {"native_batch_norm", "training", 3, 4, 5},
    {"cudnn_batch_norm", "training", 3, 4, 5},     {"miopen_batch_norm", "training", 3, 4, 5},
    {"instance_norm", "use_input_stats", 3, 4, 5},
};

/* The argument of that name, or at that place when it has no name. */
static const struct sg_arg *argument(const struct sg_verify *v, const struct sg_node *n,
                                     const char *name, uint32_t place) {
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        const struct sg_arg *a = sg_arg(v->p, n->inputs.first + i);
        if (a->name != 0 && sg_string_is(sg_string(v->p, a->name), name)) {
            return a;
        }
    }
    const struct sg_arg *a = sg_arg(v->p, place < n->inputs.count ? n->inputs.first + place : 0);
    return a->name == 0 ? a : sg_arg(v->p, 0);
}

static const struct hidden_writer *hidden_writer(const struct sg_verify *v,
                                                 const struct sg_node *n) {
    const struct sg_operator *o = sg_operator(v->p, n->op);
    bool aten = sg_string_is(sg_string(v->p, o->name_space), "aten");
    for (size_t i = 0; aten && i < SG_COUNT_OF(hidden_writers); i++) {
        const struct hidden_writer *w = &hidden_writers[i];
        if (sg_string_is(sg_string(v->p, o->name), w->name)) {
            const struct sg_arg *on = argument(v, n, w->flag, w->on);
            return on->kind == SIGNET_ARG_BOOL && on->u.integer != 0 ? w : NULL;
        }
    }
    return NULL;
}

/* In-place by name only: they change what a tensor is, not what it holds. */
static bool writes_no_data(const struct sg_verify *v, const struct sg_operator *o) {
    static const char *const names[] = {"detach_",    "requires_grad_", "rename_",
                                        "squeeze_",   "unsqueeze_",     "t_",
                                        "transpose_", "as_strided_"};
    for (size_t i = 0; i < SG_COUNT_OF(names); i++) {
        if (sg_string_is(sg_string(v->p, o->name), names[i])) {
            return true;
        }
    }
    return false;
}

/* The write to a value's storage is lost when it belongs to an input that the stage cannot update.
 */
static void report_undeclared(struct sg_verify *v, const struct sg_thing *t,
                              const struct sg_arg *written, bool hidden) {
    uint32_t root = sg_arg_has_value(written) ? sg_view_root(v, written->u.ref.value) : 0;
    if (root == 0 || sg_value(v->p, root)->graph != sg_program(v->p, t->program.id)->graph ||
        signet_value_definition(v->p, (signet_value){root}) != SIGNET_OWNER_GRAPH_INPUT) {
        return;
    }
    uint32_t input = signet_value_position(v->p, (signet_value){root});
    signet_input_kind kind = (signet_input_kind)sg_spec_at(v, SIGNET_INPUT, input)->kind;
    bool training_keeps = kind == SIGNET_INPUT_KIND_BUFFER || kind == SIGNET_INPUT_KIND_USER_INPUT;
    if (v->stage == SIGNET_STAGE_TRAINING && training_keeps) {
        return; /* becomes a mutation when the program is made functional */
    }
    signet_location at = sg_at_node(v->p, &v->log, t->node);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_MUTATION_UNDECLARED, at);
    sg_strid target = sg_spec_at(v, SIGNET_INPUT, input)->target;
    sg_diag_message(d, "node '%s' %s %s %s, and no output declares it",
                    sg_log_name(&v->log, signet_node_display_name(v->p, t->node)),
                    hidden ? "updates the running statistics in" : "writes into", kind_noun(kind),
                    sg_quote(v, target != 0 ? target : sg_spec_name(v, SIGNET_INPUT, input)));
    sg_diag_fact(d, "operator: %s", sg_log_name(&v->log, signet_node_target(v->p, t->node)));
    sg_diag_related(d, sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, input, SG_SPEC_WHOLE),
                    "written by '%s'",
                    sg_log_name(&v->log, signet_node_display_name(v->p, t->node)));
    sg_diag_help(d, "register the state as a buffer, so that its update can be declared");
    sg_diag_end(d);
}

static void check_undeclared(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_node *n = sg_node(v->p, t->node.id);
    const struct sg_operator *o = sg_operator(v->p, n->op);
    if (o->in_place) {
        if (v->stage == SIGNET_STAGE_TRAINING && n->inputs.count != 0 && !writes_no_data(v, o)) {
            report_undeclared(v, t, sg_arg(v->p, n->inputs.first), false);
        }
        return; /* in a functional stage mutation.in-place speaks of it */
    }
    const struct hidden_writer *w = hidden_writer(v, n);
    if (w != NULL) {
        report_undeclared(v, t, argument(v, n, "running_mean", w->mean), true);
        report_undeclared(v, t, argument(v, n, "running_var", w->variance), true);
    }
}

/* ---- Table ----------------------------------------------------------------------------------- */

/* What stands at a mutation's position is not its value. */
#define NO_POSITION (SG_CAUSE_OUTPUT_COUNT | SG_CAUSE_WRITTEN_BACK)

/* The input that has the target may be the one that is missing, or that has another one's target.
 */
#define NO_TARGET (SG_CAUSE_INPUT_COUNT | SG_CAUSE_TARGET_TAKEN | SG_CAUSE_KIND)

static const struct sg_rule rules[] = {
    {SIGNET_CODE_MUTATION_NAME_POSITION, SG_SCOPE_OUTPUT,
     NO_POSITION | SG_CAUSE_OUTPUT_ORDER | SG_CAUSE_NAME, check_name_position},
    {SIGNET_CODE_MUTATION_TARGET_MISSING, SG_SCOPE_OUTPUT, NO_TARGET, check_target_missing},
    {SIGNET_CODE_MUTATION_PARAMETER_MISSING, SG_SCOPE_OUTPUT, NO_TARGET, check_parameter_missing},
    {SIGNET_CODE_MUTATION_USER_INPUT_MISSING, SG_SCOPE_OUTPUT, NO_TARGET, check_user_input_missing},
    {SIGNET_CODE_MUTATION_DUPLICATE, SG_SCOPE_OUTPUT,
     SG_CAUSE_OUTPUT_COUNT | SG_CAUSE_TARGET | SG_CAUSE_KIND, check_duplicate},
    {SIGNET_CODE_MUTATION_SHAPE, SG_SCOPE_OUTPUT,
     NO_POSITION | SG_CAUSE_INPUT_COUNT | SG_CAUSE_OUTPUT_ORDER | SG_CAUSE_NAME | SG_CAUSE_TARGET |
         SG_CAUSE_KIND,
     check_shape},
    {SIGNET_CODE_MUTATION_DTYPE, SG_SCOPE_OUTPUT,
     NO_POSITION | SG_CAUSE_INPUT_COUNT | SG_CAUSE_OUTPUT_ORDER | SG_CAUSE_NAME | SG_CAUSE_TARGET |
         SG_CAUSE_KIND | SG_CAUSE_TYPE,
     check_dtype},
    {SIGNET_CODE_MUTATION_DEVICE, SG_SCOPE_OUTPUT,
     NO_POSITION | SG_CAUSE_INPUT_COUNT | SG_CAUSE_OUTPUT_ORDER | SG_CAUSE_NAME | SG_CAUSE_TARGET |
         SG_CAUSE_KIND | SG_CAUSE_TYPE,
     check_device},
    {SIGNET_CODE_MUTATION_NO_OP, SG_SCOPE_OUTPUT,
     NO_POSITION | SG_CAUSE_INPUT_COUNT | SG_CAUSE_NAME | SG_CAUSE_TARGET, check_no_op},
    {SIGNET_CODE_MUTATION_ORDER_HAZARD, SG_SCOPE_OUTPUT,
     NO_POSITION | SG_CAUSE_INPUT_COUNT | SG_CAUSE_OUTPUT_ORDER | SG_CAUSE_NAME | SG_CAUSE_TARGET,
     check_order_hazard},
    {SIGNET_CODE_MUTATION_NAME_COLLISION, SG_SCOPE_OUTPUT, SG_CAUSE_TARGET, check_name_collision},
    {SIGNET_CODE_MUTATION_PARAMETER_KEPT, SG_SCOPE_OUTPUT, SG_CAUSE_TARGET, check_parameter_kept},
    {SIGNET_CODE_MUTATION_IN_PLACE, SG_SCOPE_NODE, 0, check_in_place},
    {SIGNET_CODE_MUTATION_UNDECLARED, SG_SCOPE_NODE, 0, check_undeclared},
};

const struct sg_rule_family sg_rules_mutation = {rules, SG_COUNT_OF(rules)};
