/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2_write.h"

#include "base/compiler.h"

/* ---- Specs ----------------------------------------------------------------------------------- */

/* The kind of argument that a spec holds, by its kind; UNKNOWN: a union of any. */
enum { SIGNET_ARG_ANY = SIGNET_ARG_UNKNOWN };
static const uint8_t input_args[] = {
#define PT2_SPEC(side, kind, class_name, arg) SPEC_##side##_IN(kind, arg)
#define SPEC_INPUT_IN(kind, arg) [SIGNET_INPUT_KIND_##kind] = SIGNET_ARG_##arg,
#define SPEC_OUTPUT_IN(kind, arg)
#include "formats/pt2_schema.def"
};
static const uint8_t output_args[] = {
#define PT2_SPEC(side, kind, class_name, arg) SPEC_##side##_OUT(kind, arg)
#define SPEC_INPUT_OUT(kind, arg)
#define SPEC_OUTPUT_OUT(kind, arg) [SIGNET_OUTPUT_KIND_##kind] = SIGNET_ARG_##arg,
#include "formats/pt2_schema.def"
};

static const struct sg_spec *spec_at(const struct sg_pt2_writer *w, uint32_t side, uint32_t i) {
    return &sg_program(w->p, w->program)->specs[side].data[i];
}

static signet_string tag_of(const struct sg_pt2_writer *w, uint32_t side, const struct sg_spec *s) {
    const char *tag = side == SIGNET_INPUT ? sg_input_kind_tag((signet_input_kind)s->kind)
                                           : sg_output_kind_tag((signet_output_kind)s->kind);
    return tag != NULL ? signet_str(tag) : sg_string(w->p, s->raw_tag);
}

static bool holds_any(uint32_t side, const struct sg_spec *s) {
    const uint8_t *args = side == SIGNET_INPUT ? input_args : output_args;
    size_t count = side == SIGNET_INPUT ? SG_COUNT_OF(input_args) : SG_COUNT_OF(output_args);
    return s->kind < count && args[s->kind] == SIGNET_ARG_ANY;
}

/* A user input whose value is part of the program. */
static bool is_constant_input(const struct sg_pt2_writer *w, uint32_t side,
                              const struct sg_spec *s) {
    const struct sg_arg *a = sg_arg(w->p, s->arg);
    sg_payload payload = sg_arg_kind_payload((signet_arg_kind)a->kind);
    return side == SIGNET_INPUT && s->kind == SIGNET_INPUT_KIND_USER_INPUT && a->name != 0 &&
           payload != SG_PAYLOAD_VALUE && payload != SG_PAYLOAD_SYMBOL;
}

/* The reader keeps a declared argument that is missing as one of no kind, or without a name. */
static bool is_missing(const struct sg_arg *a) {
    return a->kind == SIGNET_ARG_UNKNOWN ||
           (a->name == 0 && a->literal == 0 &&
            sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_VALUE);
}

/* The reader keeps what an unknown tag holds, and all of a union that is none. */
static void put_unknown_spec(struct sg_pt2_writer *w, const struct sg_spec *s, signet_string tag) {
    const struct sg_arg *a = sg_arg(w->p, s->arg);
    sg_pt2_puts(w, tag.data != NULL ? "{" : "");
    if (tag.data != NULL) {
        sg_pt2_put_key(w, tag);
    }
    if (a->kind == SIGNET_ARG_RAW) {
        sg_pt2_put_raw(w, a->u.raw.text);
    } else {
        sg_pt2_puts(w, "{}");
    }
    sg_pt2_puts(w, tag.data != NULL ? "}" : "");
}

static void put_spec(struct sg_pt2_writer *w, struct sg_pt2_item item) {
    if (item.count == 0) {
        return;
    }
    const struct sg_spec *s = spec_at(w, item.side, item.id);
    struct sg_pt2_item rest = item;
    rest.id++;
    rest.count--;
    rest.later = true;
    sg_pt2_push(w, rest);
    signet_string tag = tag_of(w, item.side, s);
    sg_pt2_puts(w, item.later ? ", " : "");
    if (s->kind == 0) {
        put_unknown_spec(w, s, tag);
        return;
    }
    sg_pt2_puts(w, "{");
    rest = item;
    rest.kind = SG_PT2_ITEM_SPEC_REST;
    sg_pt2_push(w, rest);
    const struct sg_arg *a = sg_arg(w->p, s->arg);
    bool constant = is_constant_input(w, item.side, s);
    sg_pt2_put_key(w, constant ? signet_str("constant_input") : tag);
    sg_pt2_puts(w, "{");
    if (constant) {
        sg_pt2_put_string_member(w, &sg_pt2_CONSTANT_INPUT, SG_PT2_CONSTANT_INPUT_NAME, a->name);
    }
    if (is_missing(a)) {
        return;
    }
    if (constant) {
        sg_pt2_put_member(w, &sg_pt2_CONSTANT_INPUT, SG_PT2_CONSTANT_INPUT_VALUE);
    } else {
        sg_pt2_put_member(w, &sg_pt2_NAMED_ARGUMENT, SG_PT2_NAMED_ARGUMENT_ARG);
    }
    if (holds_any(item.side, s)) {
        sg_pt2_put_union(w, s->arg);
    } else {
        sg_pt2_put_payload(w, s->arg);
    }
}

static void put_persistent(struct sg_pt2_writer *w, const struct sg_spec *s) {
    switch ((signet_persistence)s->persistent) {
    case SIGNET_PERSISTENT_ABSENT:
        return;
    case SIGNET_PERSISTENT_YES:
    case SIGNET_PERSISTENT_NO:
        sg_pt2_put_key(w, signet_str("persistent"));
        sg_pt2_puts(w, s->persistent == SIGNET_PERSISTENT_YES ? "true" : "false");
        return;
    case SIGNET_PERSISTENT_NULL:
        sg_pt2_put_key(w, signet_str("persistent"));
        sg_pt2_puts(w, "null");
        return;
    case SIGNET_PERSISTENT_ODD: /* what it was is not kept; this is odd too */
        sg_pt2_put_key(w, signet_str("persistent"));
        sg_pt2_puts(w, "1");
        return;
    }
}

static void put_spec_rest(struct sg_pt2_writer *w, struct sg_pt2_item item) {
    const struct sg_spec *s = spec_at(w, item.side, item.id);
    const char *target = item.side == SIGNET_INPUT
                             ? sg_input_kind_target_member((signet_input_kind)s->kind)
                             : sg_output_kind_target_member((signet_output_kind)s->kind);
    if (target != NULL) {
        sg_pt2_put_key(w, signet_str(target));
        sg_pt2_put_string(w, s->target);
    }
    put_persistent(w, s);
    sg_pt2_puts(w, "}}");
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static const struct sg_call *call_at(const struct sg_pt2_writer *w, uint32_t i) {
    return &sg_program(w->p, w->program)->calls.data[i];
}

/* Also what the reader has left of a signature that it could not take for one. */
static bool tells_signature(const struct sg_call *c) {
    return c->has_signature || c->in_spec != 0 || c->out_spec != 0 || c->has_arg_names ||
           c->inputs.count > 0 || c->outputs.count > 0;
}

static void put_call(struct sg_pt2_writer *w, struct sg_pt2_item item) {
    if (item.count == 0) {
        return;
    }
    const struct sg_call *c = call_at(w, item.id);
    struct sg_pt2_item rest = item;
    rest.id++;
    rest.count--;
    rest.later = true;
    sg_pt2_push(w, rest);
    sg_pt2_puts(w, item.later ? ", {" : "{");
    if (c->fqn != 0) {
        sg_pt2_put_string_member(w, &sg_pt2_CALL_ENTRY, SG_PT2_CALL_ENTRY_FQN, c->fqn);
    }
    if (!tells_signature(c)) {
        if (w->nulls) {
            sg_pt2_put_member(w, &sg_pt2_CALL_ENTRY, SG_PT2_CALL_ENTRY_SIGNATURE);
            sg_pt2_puts(w, "null");
        }
        sg_pt2_puts(w, "}");
        return;
    }
    sg_pt2_put_member(w, &sg_pt2_CALL_ENTRY, SG_PT2_CALL_ENTRY_SIGNATURE);
    sg_pt2_puts(w, "{");
    sg_pt2_put_member(w, &sg_pt2_CALL_SIGNATURE, SG_PT2_CALL_SIGNATURE_INPUTS);
    sg_pt2_puts(w, "[");
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_CALL_REST, .id = item.id});
    sg_pt2_push_list(w, SG_PT2_ITEM_UNIONS, c->outputs);
    sg_pt2_push_next_list(w, &sg_pt2_CALL_SIGNATURE, SG_PT2_CALL_SIGNATURE_OUTPUTS);
    sg_pt2_push_list(w, SG_PT2_ITEM_UNIONS, c->inputs);
}

static void put_call_rest(struct sg_pt2_writer *w, uint32_t i) {
    const struct sg_call *c = call_at(w, i);
    sg_pt2_puts(w, "]");
    if (c->in_spec != 0) {
        sg_pt2_put_string_member(w, &sg_pt2_CALL_SIGNATURE, SG_PT2_CALL_SIGNATURE_IN_SPEC,
                                 c->in_spec);
    }
    if (c->out_spec != 0) {
        sg_pt2_put_string_member(w, &sg_pt2_CALL_SIGNATURE, SG_PT2_CALL_SIGNATURE_OUT_SPEC,
                                 c->out_spec);
    }
    if (c->has_arg_names) {
        sg_pt2_put_member(w, &sg_pt2_CALL_SIGNATURE, SG_PT2_CALL_SIGNATURE_ARG_NAMES);
        sg_pt2_puts(w, "[");
        for (uint32_t j = 0; j < c->arg_names.count; j++) {
            sg_pt2_puts(w, j > 0 ? ", " : "");
            sg_pt2_put_string(w, w->p->pairs.data[c->arg_names.first + j].key);
        }
        sg_pt2_puts(w, "]");
    } else if (w->nulls) {
        sg_pt2_put_member(w, &sg_pt2_CALL_SIGNATURE, SG_PT2_CALL_SIGNATURE_ARG_NAMES);
        sg_pt2_puts(w, "null");
    }
    sg_pt2_puts(w, "}}");
}

void sg_pt2_put_signature_item(struct sg_pt2_writer *w, struct sg_pt2_item item) {
    if (item.kind == SG_PT2_ITEM_SPECS) {
        put_spec(w, item);
    } else if (item.kind == SG_PT2_ITEM_SPEC_REST) {
        put_spec_rest(w, item);
    } else if (item.kind == SG_PT2_ITEM_CALLS) {
        put_call(w, item);
    } else {
        put_call_rest(w, item.id);
    }
}
