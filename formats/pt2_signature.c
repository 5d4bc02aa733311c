/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2.h"

#include "base/compiler.h"

#include <string.h>

/* ---- Specs ----------------------------------------------------------------------------------- */

enum { SPEC_ARG, SPEC_TARGET, SPEC_PERSISTENT, SPEC_COUNT };

struct spec_row {
    const char *class_name;
    uint8_t arg; /* signet_arg_kind of member "arg"; UNKNOWN: a union */
};
enum { SIGNET_ARG_ANY = SIGNET_ARG_UNKNOWN };
#define INPUT_ROW(kind, name, arg_kind) [SIGNET_INPUT_KIND_##kind] = {name, SIGNET_ARG_##arg_kind},
#define OUTPUT_ROW(kind, name, arg_kind)                                                           \
    [SIGNET_OUTPUT_KIND_##kind] = {name, SIGNET_ARG_##arg_kind},
static const struct spec_row input_rows[] = {
#define PT2_SPEC(side, kind, class_name, arg) SPEC_ROW_##side##_IN(kind, class_name, arg)
#define SPEC_ROW_INPUT_IN(kind, name, arg) INPUT_ROW(kind, name, arg)
#define SPEC_ROW_OUTPUT_IN(kind, name, arg)
#include "formats/pt2_schema.def"
};
static const struct spec_row output_rows[] = {
#define PT2_SPEC(side, kind, class_name, arg) SPEC_ROW_##side##_OUT(kind, class_name, arg)
#define SPEC_ROW_INPUT_OUT(kind, name, arg)
#define SPEC_ROW_OUTPUT_OUT(kind, name, arg) OUTPUT_ROW(kind, name, arg)
#include "formats/pt2_schema.def"
};

static const char *input_tag(uint32_t i) {
    return sg_input_kind_tag((signet_input_kind)(i + 1));
}

static const char *output_tag(uint32_t i) {
    return sg_output_kind_tag((signet_output_kind)(i + 1));
}

static signet_persistence persistence(sg_json v) {
    switch (sg_json_get_kind(v)) {
    case SG_JSON_MISSING:
        return SIGNET_PERSISTENT_ABSENT;
    case SG_JSON_NULL:
        return SIGNET_PERSISTENT_NULL;
    case SG_JSON_BOOL:
        return sg_json_bool(v) ? SIGNET_PERSISTENT_YES : SIGNET_PERSISTENT_NO;
    case SG_JSON_INT:
    case SG_JSON_REAL:
    case SG_JSON_STRING:
    case SG_JSON_ARRAY:
    case SG_JSON_OBJECT:
        break;
    }
    return SIGNET_PERSISTENT_ODD;
}

/* The members of a spec by its kind: arg, the target (where the kind has one), persistent (buffers;
 * whether it is there and what it holds is for the rules to say). */
static bool read_members(struct sg_pt2 *r, sg_json v, const struct spec_row *row,
                         const char *target_member, bool is_buffer, sg_json *out) {
    struct sg_pt2_field fields[SPEC_COUNT] = {
        [SPEC_ARG] = {"arg", 3, SG_PT2_OBJECT},
        [SPEC_TARGET] = {"", 0, SG_PT2_STRING | SG_PT2_NULL},
        [SPEC_PERSISTENT] = {"persistent", 10, UINT16_MAX},
    };
    struct sg_pt2_schema schema = {row->class_name, fields, 1, 1U << SPEC_ARG};
    if (target_member != NULL) {
        fields[SPEC_TARGET].member = target_member;
        fields[SPEC_TARGET].length = (uint8_t)strlen(target_member);
        schema.count = is_buffer ? SPEC_COUNT : SPEC_PERSISTENT;
        schema.required |= 1U << SPEC_TARGET;
    }
    memset(out, 0, SPEC_COUNT * sizeof(*out));
    return sg_pt2_record(r, v, &schema, out);
}

/* constant_input: a user input whose value is part of the program. */
static void read_constant_input(struct sg_pt2 *r, sg_json v, signet_spec *spec, sg_json *value,
                                sg_json *name) {
    sg_json f[SG_PT2_CONSTANT_INPUT_COUNT];
    spec->kind = SIGNET_INPUT_KIND_USER_INPUT;
    if (sg_pt2_record(r, v, &sg_pt2_CONSTANT_INPUT, f)) {
        *name = f[SG_PT2_CONSTANT_INPUT_NAME];
        spec->name = sg_pt2_name_text(r, *name);
        *value = f[SG_PT2_CONSTANT_INPUT_VALUE];
    }
}

/* The string that names a declared argument, for its span. */
static sg_json name_of(sg_json arg) {
    while (sg_json_get_kind(arg) == SG_JSON_OBJECT) {
        struct sg_json_iter it = sg_json_iter(arg);
        if (!sg_json_next(&it)) {
            break;
        }
        arg = it.value;
    }
    return arg;
}

/* A spec by its tag; false when the tag is not known. */
static bool read_kind(struct sg_pt2 *r, signet_side side, signet_string tag, sg_json payload,
                      signet_spec *spec, sg_json *f, struct spec_row *row) {
    const char *target_member;
    bool is_buffer = false;
    if (side == SIGNET_INPUT) {
        signet_input_kind kind = sg_input_kind_of_tag(tag);
        spec->kind = (int)kind;
        *row = input_rows[kind];
        target_member = sg_input_kind_target_member(kind);
        is_buffer = kind == SIGNET_INPUT_KIND_BUFFER;
    } else {
        signet_output_kind kind = sg_output_kind_of_tag(tag);
        spec->kind = (int)kind;
        *row = output_rows[kind];
        target_member = sg_output_kind_target_member(kind);
    }
    if (spec->kind == 0) {
        return false;
    }
    if (read_members(r, payload, row, target_member, is_buffer, f)) {
        spec->target = sg_pt2_name_text(r, f[SPEC_TARGET]);
        spec->persistent = is_buffer ? persistence(f[SPEC_PERSISTENT]) : SIGNET_PERSISTENT_ABSENT;
    }
    return true;
}

static void read_spec(struct sg_pt2 *r, sg_json v, signet_side side, uint32_t i) {
    const char *of = side == SIGNET_INPUT ? "InputSpec" : "OutputSpec";
    signet_spec spec = SIGNET_SPEC_INIT;
    sg_json f[SPEC_COUNT] = {{NULL}}, name = {NULL}, payload = {NULL};
    struct spec_row row = {of, SIGNET_ARG_ANY};
    uint64_t faults = r->faults;
    signet_string tag = {NULL, 0};
    spec.side = side;
    r->part = side == SIGNET_INPUT ? "input spec" : "output spec";
    r->part_index = i;
    if (sg_pt2_union(r, v, of, &tag, &payload)) {
        if (side == SIGNET_INPUT && sg_string_is(tag, "constant_input")) {
            read_constant_input(r, payload, &spec, &f[SPEC_ARG], &name);
        } else if (!read_kind(r, side, tag, payload, &spec, f, &row)) {
            spec.raw_tag = tag;
            sg_pt2_unknown_tag(r, v, of, tag, side == SIGNET_INPUT ? input_tag : output_tag,
                               side == SIGNET_INPUT ? (int)SIGNET_INPUT_KIND_TOKEN
                                                    : (int)SIGNET_OUTPUT_KIND_TOKEN);
        }
    }
    if (row.arg != SIGNET_ARG_ANY) {
        spec.arg_kind = (signet_arg_kind)row.arg;
    }
    signet_arg arg = signet_spec_add(r->p, r->program, &spec);
    if (arg.id == 0) {
        return;
    }
    if (f[SPEC_ARG].value != NULL && row.arg == SIGNET_ARG_ANY) {
        sg_pt2_argument(r, f[SPEC_ARG], arg);
    } else if (f[SPEC_ARG].value != NULL) {
        sg_pt2_payload(r, f[SPEC_ARG], arg, (signet_arg_kind)row.arg);
    }
    if (spec.kind == 0) { /* kept for the writer: what the tag holds, or what should be a union */
        sg_json kept = spec.raw_tag.data != NULL ? payload : v;
        signet_arg_set_raw(r->p, arg, signet_str(""), sg_pt2_raw(r, kept));
    }
    name = name.value != NULL ? name : name_of(f[SPEC_ARG]);
    struct sg_json_iter it = sg_json_iter(v);
    bool has_tag = it.object && sg_json_next(&it);
    sg_spec_set_spans(r->p, r->program, side, i,
                      sg_pt2_span(r, has_tag ? it.name_value : (sg_json){NULL}),
                      sg_pt2_span(r, name), sg_pt2_span(r, f[SPEC_TARGET]));
    r->p->programs.data[r->program.id].specs[side].data[i].faulty = r->faults != faults;
    r->part = NULL;
}

void sg_pt2_signature(struct sg_pt2 *r, sg_json v) {
    sg_json f[SG_PT2_SIGNATURE_COUNT];
    if (!sg_pt2_record(r, v, &sg_pt2_SIGNATURE, f)) {
        return;
    }
    for (uint32_t side = 0; side < 2; side++) {
        struct sg_json_iter it = sg_json_iter(
            f[side == SIGNET_INPUT ? SG_PT2_SIGNATURE_INPUT_SPECS : SG_PT2_SIGNATURE_OUTPUT_SPECS]);
        for (uint32_t i = 0; sg_json_next(&it) && r->p->status == SIGNET_OK; i++) {
            read_spec(r, it.value, (signet_side)side, i);
        }
    }
    sg_pt2_pending(r);
    if (f[SG_PT2_SIGNATURE_INPUT_SPECS].value == NULL ||
        f[SG_PT2_SIGNATURE_OUTPUT_SPECS].value == NULL) {
        r->p->programs.data[r->program.id].faulty = true;
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void read_call_arguments(struct sg_pt2 *r, sg_json v, uint32_t call, signet_side side) {
    struct sg_json_iter it = sg_json_iter(v);
    for (uint32_t j = 0; sg_json_next(&it); j++) {
        signet_arg arg = signet_call_argument(r->p, r->program, call, side, j);
        if (arg.id == 0) {
            return;
        }
        sg_pt2_argument(r, it.value, arg);
    }
}

static void read_call(struct sg_pt2 *r, sg_json v, uint32_t i) {
    sg_json f[SG_PT2_CALL_ENTRY_COUNT], s[SG_PT2_CALL_SIGNATURE_COUNT];
    signet_call call = SIGNET_CALL_INIT;
    memset(s, 0, sizeof(s));
    r->part = "call entry";
    r->part_index = i;
    if (sg_pt2_record(r, v, &sg_pt2_CALL_ENTRY, f)) {
        call.fqn = sg_pt2_name_text(r, f[SG_PT2_CALL_ENTRY_FQN]);
        call.has_signature =
            sg_json_get_kind(f[SG_PT2_CALL_ENTRY_SIGNATURE]) == SG_JSON_OBJECT &&
            sg_pt2_record(r, f[SG_PT2_CALL_ENTRY_SIGNATURE], &sg_pt2_CALL_SIGNATURE, s) &&
            s[SG_PT2_CALL_SIGNATURE_IN_SPEC].value != NULL &&
            s[SG_PT2_CALL_SIGNATURE_OUT_SPEC].value != NULL;
        call.in_spec = sg_json_string(s[SG_PT2_CALL_SIGNATURE_IN_SPEC]);
        call.out_spec = sg_json_string(s[SG_PT2_CALL_SIGNATURE_OUT_SPEC]);
        (void)sg_pt2_text(r, s[SG_PT2_CALL_SIGNATURE_IN_SPEC]);
        (void)sg_pt2_text(r, s[SG_PT2_CALL_SIGNATURE_OUT_SPEC]);
        call.input_count = sg_json_count(s[SG_PT2_CALL_SIGNATURE_INPUTS]);
        call.output_count = sg_json_count(s[SG_PT2_CALL_SIGNATURE_OUTPUTS]);
        call.has_arg_names = sg_json_get_kind(s[SG_PT2_CALL_SIGNATURE_ARG_NAMES]) == SG_JSON_ARRAY;
        call.arg_name_count = sg_json_count(s[SG_PT2_CALL_SIGNATURE_ARG_NAMES]);
    }
    signet_call_add(r->p, r->program, &call);
    if (r->p->status != SIGNET_OK) {
        return;
    }
    read_call_arguments(r, s[SG_PT2_CALL_SIGNATURE_INPUTS], i, SIGNET_INPUT);
    read_call_arguments(r, s[SG_PT2_CALL_SIGNATURE_OUTPUTS], i, SIGNET_OUTPUT);
    struct sg_json_iter it = sg_json_iter(s[SG_PT2_CALL_SIGNATURE_ARG_NAMES]);
    for (uint32_t j = 0; sg_json_next(&it); j++) {
        if (sg_pt2_expect(r, it.value, SG_PT2_STRING, "an element of 'forward_arg_names'")) {
            signet_call_set_arg_name(r->p, r->program, i, j, sg_pt2_name_text(r, it.value));
        }
    }
    r->p->programs.data[r->program.id].calls.data[i].span =
        sg_pt2_span(r, f[SG_PT2_CALL_ENTRY_FQN]);
}

void sg_pt2_calls(struct sg_pt2 *r, sg_json v) {
    signet_program_set_calls(r->p, r->program, true);
    struct sg_json_iter it = sg_json_iter(v);
    for (uint32_t i = 0; sg_json_next(&it) && r->p->status == SIGNET_OK; i++) {
        read_call(r, it.value, i);
    }
    r->part = NULL;
    sg_pt2_pending(r);
}
