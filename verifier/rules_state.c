/* SPDX-License-Identifier: Apache-2.0 */

/* state.*, and mutation.aliased: what the state tables hold against what the signature names. */

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "verifier/verifier_internal.h"

static bool tables_known(struct sg_verify *v, signet_code code) {
    if (sg_program(v->p, v->program.id)->has_state_tables) {
        return true;
    }
    sg_not_checked(v, code);
    return false;
}

static bool is_lifted(const struct sg_spec *s) {
    return s->target != 0 &&
           (s->kind == SIGNET_INPUT_KIND_PARAMETER || s->kind == SIGNET_INPUT_KIND_BUFFER ||
            s->kind == SIGNET_INPUT_KIND_CONSTANT_TENSOR ||
            s->kind == SIGNET_INPUT_KIND_CUSTOM_OBJ);
}

/* Where the value of a lifted input belongs. */
static signet_table home_of(const struct sg_spec *s) {
    bool persistent =
        s->kind == SIGNET_INPUT_KIND_PARAMETER ||
        (s->kind == SIGNET_INPUT_KIND_BUFFER && s->persistent != SIGNET_PERSISTENT_NO);
    return persistent ? SIGNET_TABLE_STATE_DICT : SIGNET_TABLE_CONSTANTS;
}

static signet_table other_table(signet_table table) {
    return table == SIGNET_TABLE_STATE_DICT ? SIGNET_TABLE_CONSTANTS : SIGNET_TABLE_STATE_DICT;
}

static const char *table_words(signet_table table) {
    return table == SIGNET_TABLE_STATE_DICT ? "state dict" : "constants";
}

/* A flag that says nothing leaves both tables open; signature.flag speaks of it. */
static bool flag_is_odd(const struct sg_spec *s) {
    return s->kind == SIGNET_INPUT_KIND_BUFFER && s->persistent != SIGNET_PERSISTENT_YES &&
           s->persistent != SIGNET_PERSISTENT_NO;
}

/* Index + 1 of the entry that holds an input's value, wherever it lies; 0: nowhere. */
static uint32_t entry_of(const struct sg_verify *v, const struct sg_spec *s) {
    signet_table home = home_of(s);
    uint32_t entry = sg_state_find(v, home, s->target);
    return entry != 0 ? entry : sg_state_find(v, other_table(home), s->target);
}

/* The input that an entry belongs to, as position + 1; 0: none names it. */
static uint32_t input_of(const struct sg_verify *v, const struct sg_state *state) {
    static const signet_input_kind kinds[] = {SIGNET_INPUT_KIND_PARAMETER, SIGNET_INPUT_KIND_BUFFER,
                                              SIGNET_INPUT_KIND_CONSTANT_TENSOR,
                                              SIGNET_INPUT_KIND_CUSTOM_OBJ};
    for (size_t i = 0; i < SG_COUNT_OF(kinds); i++) {
        uint32_t input = sg_input_find(v, kinds[i], state->name);
        if (input != 0) {
            return input;
        }
    }
    return 0;
}

/* ---- Missing, misplaced ---------------------------------------------------------------------- */

static sg_strid near_state(struct sg_verify *v, sg_strid target) {
    const struct sg_program *r = sg_program(v->p, v->program.id);
    struct sg_near near = sg_near_start(v, target);
    bool more = true;
    for (uint32_t i = 0; i < r->states.count && more; i++) {
        bool is_free = input_of(v, &r->states.data[i]) == 0;
        more = sg_near_offer(v, &near, is_free ? r->states.data[i].name : 0);
    }
    return near.name;
}

/* PyTorch's words; it does not look for non-persistent buffers. */
static void say_missing_known_as(struct sg_verify *v, struct sg_diag *d, const struct sg_spec *s) {
    const char *target = sg_log_name(&v->log, sg_string(v->p, s->target));
    if (s->kind == SIGNET_INPUT_KIND_PARAMETER) {
        sg_diag_torch(d, "S-PAR");
        sg_diag_known_as(d, "SpecViolationError \"Parameter %s is not in the state dict.\"",
                         target);
    } else if (s->kind == SIGNET_INPUT_KIND_BUFFER && s->persistent == SIGNET_PERSISTENT_YES) {
        sg_diag_torch(d, "S-BST");
        sg_diag_known_as(d, "SpecViolationError \"Buffer %s is not in the state dict.\"", target);
    } else if (s->kind == SIGNET_INPUT_KIND_CONSTANT_TENSOR) {
        sg_diag_torch(d, "S-CON");
        sg_diag_known_as(
            d, "SpecViolationError \"Constant tensor %s is not in the constants dictionary.\"",
            target);
    } else if (s->kind == SIGNET_INPUT_KIND_CUSTOM_OBJ) {
        sg_diag_torch(d, "S-OBJ");
        sg_diag_known_as(
            d, "SpecViolationError \"Custom object %s is not in the constants dictionary.\"",
            target);
    }
}

static void check_missing(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_INPUT, t->index);
    if (!is_lifted(s) || !tables_known(v, SIGNET_CODE_STATE_MISSING) || entry_of(v, s) != 0) {
        return;
    }
    /* A mutation still has the old target, and the tables too: it tells that the input lost it. */
    bool told = s->kind == SIGNET_INPUT_KIND_BUFFER && v->facts.unbound_stored != 0;
    v->facts.unbound_stored -= told;
    bool muted = sg_fold(v, told);
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, t->index, SG_SPEC_TARGET);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_STATE_MISSING, at);
    sg_diag_message(d, "input %u is %s %s, but the file has no value for it", t->index,
                    sg_spec_kind_words(v, SIGNET_INPUT, t->index), sg_quote(v, s->target));
    sg_diag_label(d, "not in the %s", table_words(home_of(s)));
    sg_strid near = d->shown ? near_state(v, s->target) : 0;
    if (near != 0) {
        sg_diag_help(d, "did you mean %s? No input names it", sg_quote(v, near));
    } else {
        sg_diag_help(d, "store the value in the %s, or make the input a user input",
                     table_words(home_of(s)));
    }
    say_missing_known_as(v, d, s);
    sg_diag_end(d);
    v->log.muted = muted;
    if (!told) {
        sg_mark_spec(v, SIGNET_INPUT, t->index, SG_CAUSE_TARGET);
        sg_mark_program(v, SG_CAUSE_CALLS);
    }
}

/* PyTorch looks for persistent buffers among the constants too. */
static void say_placement_known_as(struct sg_verify *v, struct sg_diag *d,
                                   const struct sg_spec *s) {
    const char *target = sg_log_name(&v->log, sg_string(v->p, s->target));
    if (s->kind == SIGNET_INPUT_KIND_BUFFER && s->persistent == SIGNET_PERSISTENT_NO) {
        sg_diag_torch(d, "S-BNP");
        sg_diag_known_as(d,
                         "SpecViolationError \"Non-persistent buffer %s is in the state dict, it "
                         "should not be.\"",
                         target);
    } else if (s->kind != SIGNET_INPUT_KIND_BUFFER) {
        say_missing_known_as(v, d, s);
    }
}

/* A mutation looks for this target among inputs of another kind: it tells that the kind is wrong.
 */
static bool is_told_by_mutation(const struct sg_verify *v, const struct sg_spec *s) {
    return sg_map_get(v->facts.unbound, sg_key(0, s->target)) != 0;
}

static void check_placement(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_INPUT, t->index);
    signet_table home = home_of(s);
    if (!is_lifted(s) || flag_is_odd(s) || !tables_known(v, SIGNET_CODE_STATE_PLACEMENT) ||
        sg_state_find(v, home, s->target) != 0) {
        return;
    }
    uint32_t entry = sg_state_find(v, other_table(home), s->target);
    if (entry == 0) {
        return;
    }
    const char *flag = s->kind == SIGNET_INPUT_KIND_BUFFER
                           ? (home == SIGNET_TABLE_STATE_DICT ? "persistent " : "non-persistent ")
                           : "";
    bool told = is_told_by_mutation(v, s);
    bool muted = sg_fold(v, told);
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, t->index, SG_SPEC_WHOLE);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_STATE_PLACEMENT, at);
    sg_diag_message(d, "input %u is %s%s %s, but its value lies in the %s", t->index, flag,
                    sg_spec_kind_words(v, SIGNET_INPUT, t->index), sg_quote(v, s->target),
                    table_words(other_table(home)));
    sg_diag_related(d, sg_at_state(v->p, &v->log, t->program, entry - 1), "the value is here");
    sg_diag_help(d, s->kind == SIGNET_INPUT_KIND_BUFFER
                        ? "correct the persistent flag, or move the value"
                        : "correct the kind of the input, or move the value");
    say_placement_known_as(v, d, s);
    sg_diag_end(d);
    v->log.muted = muted;
    if (!told) {
        sg_mark_spec(v, SIGNET_INPUT, t->index, SG_CAUSE_KIND);
    }
}

/* ---- Parameter or not ------------------------------------------------------------------------ */

static void check_parameter(struct sg_verify *v, const struct sg_thing *t, signet_code code,
                            signet_input_kind kind, bool is_parameter) {
    const struct sg_spec *s = sg_spec_at(v, SIGNET_INPUT, t->index);
    if (s->kind != kind || s->target == 0 || !tables_known(v, code)) {
        return;
    }
    uint32_t entry = sg_state_find(v, SIGNET_TABLE_STATE_DICT, s->target);
    if (entry == 0 ||
        sg_program(v->p, t->program.id)->states.data[entry - 1].is_parameter == is_parameter) {
        return;
    }
    bool told = is_told_by_mutation(v, s);
    bool muted = sg_fold(v, told);
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, t->index, SG_SPEC_WHOLE);
    struct sg_diag *d = sg_diag_begin(&v->log, code, at);
    sg_diag_message(d, "input %u is %s %s, but the stored value is %s", t->index,
                    sg_spec_kind_words(v, SIGNET_INPUT, t->index), sg_quote(v, s->target),
                    is_parameter ? "no parameter" : "a parameter");
    sg_diag_related(d, sg_at_state(v->p, &v->log, t->program, entry - 1), "the value is here");
    sg_diag_help(d, "declare the input as %s, or store the value as %s",
                 is_parameter ? "a BUFFER" : "a PARAMETER",
                 is_parameter ? "a parameter" : "a buffer");
    if (is_parameter) {
        sg_diag_torch(d, "S-PAR");
        sg_diag_known_as(d,
                         "SpecViolationError \"State dict entry for parameter %s is not an "
                         "instance of torch.nn.Parameter.\"",
                         sg_log_name(&v->log, sg_string(v->p, s->target)));
    }
    sg_diag_end(d);
    v->log.muted = muted;
    if (!told) {
        sg_mark_spec(v, SIGNET_INPUT, t->index, SG_CAUSE_KIND);
    }
}

static void check_not_parameter(struct sg_verify *v, const struct sg_thing *t) {
    check_parameter(v, t, SIGNET_CODE_STATE_NOT_PARAMETER, SIGNET_INPUT_KIND_PARAMETER, true);
}

static void check_is_parameter(struct sg_verify *v, const struct sg_thing *t) {
    check_parameter(v, t, SIGNET_CODE_STATE_IS_PARAMETER, SIGNET_INPUT_KIND_BUFFER, false);
}

/* ---- Stored type against described type ------------------------------------------------------ */

struct stored {
    uint32_t input; /* position + 1; 0: not both are told */
    uint32_t declared, found;
};

static struct stored types_of(const struct sg_verify *v, uint32_t entry) {
    const struct sg_state *state = &sg_program(v->p, v->program.id)->states.data[entry];
    struct stored out = {input_of(v, state), 0, state->type};
    uint32_t value = out.input != 0 ? sg_input_value(v, out.input - 1) : 0;
    if (value == 0 || out.found == 0 ||
        sg_value(v->p, value)->described_as != SIGNET_VALUE_TENSOR) {
        out.input = 0;
        return out;
    }
    out.declared = sg_value(v->p, value)->description;
    return out;
}

static void report_type(struct sg_verify *v, const struct sg_thing *t, signet_code code,
                        const struct stored *s, const char *what) {
    const struct sg_spec *spec = sg_spec_at(v, SIGNET_INPUT, s->input - 1);
    /* A mutation of another type has told that this input is described wrongly. */
    bool told = (sg_spec_causes(v, SIGNET_INPUT, s->input - 1) &
                 (SG_CAUSE_TYPE | SG_CAUSE_NAME | SG_CAUSE_TARGET | SG_CAUSE_KIND |
                  SG_CAUSE_INPUT_COUNT)) != 0;
    v->log.muted = v->log.muted || told;
    signet_location at =
        sg_at_spec(v->p, &v->log, t->program, SIGNET_INPUT, s->input - 1, SG_SPEC_NAME);
    struct sg_diag *d = sg_diag_begin(&v->log, code, at);
    sg_diag_message(d, "input %u is %s %s of %s, but the stored tensor has another %s: %s",
                    s->input - 1, sg_spec_kind_words(v, SIGNET_INPUT, s->input - 1),
                    sg_quote(v, spec->target), sg_type_words(v, s->declared), what,
                    sg_type_words(v, s->found));
    sg_diag_related(d, sg_at_state(v->p, &v->log, t->program, t->index), "stored as %s",
                    sg_type_words(v, s->found));
    sg_diag_help(d, "describe the input as it is stored, or store what is described");
    sg_diag_end(d);
    sg_mark_spec(v, SIGNET_INPUT, s->input - 1, SG_CAUSE_TYPE);
}

static void check_shape(struct sg_verify *v, const struct sg_thing *t) {
    struct stored s = types_of(v, t->index);
    if (s.input != 0 && !sg_sizes_same(v->p, sg_type(v->p, s.declared), sg_type(v->p, s.found))) {
        report_type(v, t, SIGNET_CODE_STATE_SHAPE, &s, "shape");
    }
}

static void check_dtype(struct sg_verify *v, const struct sg_thing *t) {
    struct stored s = types_of(v, t->index);
    uint16_t declared = sg_type(v->p, s.declared)->dtype;
    uint16_t found = sg_type(v->p, s.found)->dtype;
    if (s.input != 0 && declared != found && declared != SIGNET_DTYPE_UNKNOWN &&
        found != SIGNET_DTYPE_UNKNOWN) {
        report_type(v, t, SIGNET_CODE_STATE_DTYPE, &s, "dtype");
    }
}

static void check_unused(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_state *state = &sg_program(v->p, t->program.id)->states.data[t->index];
    if (input_of(v, state) != 0) {
        return;
    }
    signet_location at = sg_at_state(v->p, &v->log, t->program, t->index);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_STATE_UNUSED, at);
    sg_diag_message(d, "%s in the %s is named by no input", sg_quote(v, state->name),
                    table_words((signet_table)state->table));
    sg_diag_help(d, "drop it, or add the input that was lost");
    sg_diag_end(d);
}

/* ---- Shared storage -------------------------------------------------------------------------- */

/* The bytes of a record that a stored tensor covers. */
struct extent {
    uint64_t begin, end;
    sg_strid record;
    uint32_t entry;
    bool mutated;
};

static bool literal_size(const signet_package *p, uint32_t sym, uint64_t *out) {
    const struct sg_sym *s = sg_sym(p, sym);
    *out = (uint64_t)s->number;
    return s->kind == SIGNET_SYM_INT && s->number >= 0 && s->number < INT64_C(1) << 40;
}

/* false: sizes are symbolic or absurd, or the type tells too little. */
static bool extent_of(const struct sg_verify *v, uint32_t entry, struct extent *out) {
    const struct sg_state *state = &sg_program(v->p, v->program.id)->states.data[entry];
    const struct sg_type *type = sg_type(v->p, state->type);
    uint64_t element = signet_dtype_bytes((signet_dtype)type->dtype);
    uint64_t offset = 0;
    uint64_t last = 0; /* offset of the last element, in elements */
    if (state->record == 0 || state->is_pickled || state->type == 0 || element == 0 ||
        !type->has_strides || type->strides.count != type->sizes.count ||
        (type->offset != 0 && !literal_size(v->p, type->offset, &offset))) {
        return false;
    }
    bool empty = false;
    for (uint32_t i = 0; i < type->sizes.count; i++) {
        uint64_t size = 0;
        uint64_t stride = 0;
        if (!literal_size(v->p, v->p->dims.data[type->sizes.first + i], &size) ||
            !literal_size(v->p, v->p->dims.data[type->strides.first + i], &stride)) {
            return false;
        }
        empty = empty || size == 0;
        uint64_t steps = size != 0 ? size - 1 : 0;
        if (steps != 0 && stride > (UINT64_MAX >> 8) / steps) {
            return false;
        }
        last += steps * stride;
        if (last > UINT64_MAX >> 8) {
            return false;
        }
    }
    uint32_t input = input_of(v, state);
    out->record = state->record;
    out->begin = offset * element;
    out->end = (offset + last + 1) * element;
    out->entry = entry;
    out->mutated = input != 0 && sg_input_mutated_by(v, input - 1) != 0;
    return !empty && input != 0;
}

static int compare_extents(const void *a, const void *b) {
    const struct extent *x = a;
    const struct extent *y = b;
    if (x->record != y->record) {
        return x->record < y->record ? -1 : 1;
    }
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static void report_alias(struct sg_verify *v, const struct sg_thing *t, const struct extent *a,
                         const struct extent *b) {
    const struct extent *written = a->mutated ? a : b;
    const struct extent *other = a->mutated ? b : a;
    const struct sg_program *r = sg_program(v->p, t->program.id);
    const struct sg_state *ws = &r->states.data[written->entry];
    const struct sg_state *os = &r->states.data[other->entry];
    uint32_t output = sg_input_mutated_by(v, input_of(v, ws) - 1) - 1;
    signet_location at = sg_at_state(v->p, &v->log, t->program, written->entry);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_MUTATION_ALIASED, at);
    sg_diag_message(d, "output %u updates %s, which shares its storage with %s", output,
                    sg_quote(v, ws->name), sg_quote(v, os->name));
    sg_diag_fact(d, "record: %s, bytes %llu to %llu and %llu to %llu", sg_quote(v, ws->record),
                 (unsigned long long)written->begin, (unsigned long long)written->end,
                 (unsigned long long)other->begin, (unsigned long long)other->end);
    sg_diag_related(d, sg_at_state(v->p, &v->log, t->program, other->entry), "shares the storage");
    sg_diag_note(d, "whether the other one changes with it depends on who runs the program");
    sg_diag_help(d, "store the two apart, or use one state for both");
    sg_diag_end(d);
}

/* Sorted by record and start, an extent overlaps an earlier one exactly when it starts before the
 * furthest end seen; the furthest of all and of the mutated ones are what matters. */
static void sweep(struct sg_verify *v, const struct sg_thing *t, const struct extent *extents,
                  uint32_t count) {
    const struct extent *furthest = NULL;
    const struct extent *furthest_mutated = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct extent *e = &extents[i];
        if (furthest != NULL && furthest->record != e->record) {
            furthest = furthest_mutated = NULL;
        }
        if (furthest_mutated != NULL && furthest_mutated->end > e->begin) {
            report_alias(v, t, furthest_mutated, e);
        } else if (e->mutated && furthest != NULL && furthest->end > e->begin) {
            report_alias(v, t, furthest, e);
        }
        if (furthest == NULL || e->end > furthest->end) {
            furthest = e;
        }
        if (e->mutated && (furthest_mutated == NULL || e->end > furthest_mutated->end)) {
            furthest_mutated = e;
        }
    }
}

static void check_aliased(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_program *r = sg_program(v->p, t->program.id);
    size_t bytes = 0;
    if (!tables_known(v, SIGNET_CODE_MUTATION_ALIASED) || v->facts.mutations.count == 0 ||
        r->states.count == 0 || !sg_mul_ok(r->states.count, sizeof(struct extent), &bytes)) {
        return;
    }
    struct extent *extents = sg_alloc(&v->p->allocator, bytes);
    uint32_t count = 0;
    if (extents == NULL) {
        v->log.status = SIGNET_E_NOMEM;
        return;
    }
    for (uint32_t i = 0; i < r->states.count; i++) {
        count += extent_of(v, i, &extents[count]);
    }
    qsort(extents, count, sizeof(*extents), compare_extents);
    sweep(v, t, extents, count);
    sg_free(&v->p->allocator, extents, bytes);
}

/* ---- Table
 * ------------------------------------------------------------------------------------------------
 */

static const struct sg_rule rules[] = {
    {SIGNET_CODE_MUTATION_ALIASED, SG_SCOPE_PROGRAM, 0, check_aliased},
    {SIGNET_CODE_STATE_PLACEMENT, SG_SCOPE_INPUT, SG_CAUSE_TARGET, check_placement},
    {SIGNET_CODE_STATE_MISSING, SG_SCOPE_INPUT, SG_CAUSE_TARGET, check_missing},
    {SIGNET_CODE_STATE_NOT_PARAMETER, SG_SCOPE_INPUT, SG_CAUSE_TARGET | SG_CAUSE_KIND,
     check_not_parameter},
    {SIGNET_CODE_STATE_IS_PARAMETER, SG_SCOPE_INPUT, SG_CAUSE_TARGET | SG_CAUSE_KIND,
     check_is_parameter},
    {SIGNET_CODE_STATE_SHAPE, SG_SCOPE_STATE, 0, check_shape},
    {SIGNET_CODE_STATE_DTYPE, SG_SCOPE_STATE, 0, check_dtype},
    {SIGNET_CODE_STATE_UNUSED, SG_SCOPE_STATE, 0, check_unused},
};

const struct sg_rule_family sg_rules_state = {rules, SG_COUNT_OF(rules)};
