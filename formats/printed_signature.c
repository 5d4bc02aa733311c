/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/compiler.h"
#include "formats/printed_internal.h"

/* The signature as lines (2.8 and newer), and the specs of all three forms. */

struct sg_printed_spec *sg_printed_add_spec(struct sg_printed *r, signet_side side) {
    if (!sg_vec_reserve(&r->p->allocator, &r->specs[side], 1)) {
        r->no_memory = true;
        return NULL;
    }
    struct sg_printed_spec *s = &r->specs[side].data[r->specs[side].count++];
    memset(s, 0, sizeof(*s));
    return s;
}

void sg_printed_set_kind(struct sg_printed *r, struct sg_printed_spec *s, signet_side side,
                         signet_string name) {
    static const struct {
        const char *name;
        signet_side side;
        int kind;
    } kinds[] = {
#define SIGNET_INPUT_KIND(id, json_tag, keyword, target_member)                                    \
    {#id, SIGNET_INPUT, SIGNET_INPUT_KIND_##id},
#define SIGNET_OUTPUT_KIND(id, json_tag, keyword, target_member, group)                            \
    {#id, SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_##id},
#include "signet/kinds.def"
    };
    for (size_t i = 0; i < SG_COUNT_OF(kinds); i++) {
        if (kinds[i].side == side && sg_string_is(name, kinds[i].name)) {
            s->kind = kinds[i].kind;
            break;
        }
    }
    if (s->kind == 0) {
        s->raw_tag = sg_intern(r->p, name);
    }
    bool token = side == SIGNET_INPUT ? s->kind == SIGNET_INPUT_KIND_TOKEN
                                      : s->kind == SIGNET_OUTPUT_KIND_TOKEN;
    if (token) {
        s->arg_kind = SIGNET_ARG_TOKEN;
    } else if (side == SIGNET_INPUT && s->kind == SIGNET_INPUT_KIND_CUSTOM_OBJ) {
        s->arg_kind = SIGNET_ARG_CUSTOM_OBJ;
    }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* " target='...'": the text is not escaped, so it runs to the last quote. Returns the offset
 * behind it, or `at` when there is none; UINT32_MAX: told. */
static uint32_t read_target(struct sg_printed *r, struct sg_printed_spec *s, uint32_t at,
                            uint32_t end) {
    static const char word[] = "target=";
    uint32_t from = sg_printed_skip_blanks(r, at, end);
    if (!sg_printed_starts(r, from, end, word)) {
        return at;
    }
    uint32_t open = from + (uint32_t)sizeof(word) - 1;
    uint32_t close = end;
    while (close > open && r->text[close - 1] != '\'') {
        close--;
    }
    if (open >= end || r->text[open] != '\'' || close < open + 2) {
        sg_printed_expected(r, open < end ? open : end, 0, "a target in quotes");
        return UINT32_MAX;
    }
    s->target = sg_printed_intern(r, open + 1, close - open - 2);
    s->has_target = true;
    s->target_span = sg_span_make(from, close - from);
    return close;
}

/* " persistent=True" */
static bool read_persistent(struct sg_printed *r, struct sg_printed_spec *s, uint32_t at,
                            uint32_t end) {
    static const char word[] = "persistent=";
    at = sg_printed_skip_blanks(r, at, end);
    bool stated = sg_printed_starts(r, at, end, word);
    bool buffer = s->kind == SIGNET_INPUT_KIND_BUFFER;
    if (!stated && at < end) {
        sg_printed_expected(r, at, 0, "target='...', persistent=... or the end of the line");
        return false;
    }
    /* These releases leave out only the None that no buffer may have. */
    signet_persistence flag = SIGNET_PERSISTENT_NULL;
    if (stated) {
        at += (uint32_t)sizeof(word) - 1;
        signet_string value = sg_printed_text(r, at, end - at);
        if (sg_string_is(value, "True")) {
            flag = SIGNET_PERSISTENT_YES;
        } else if (sg_string_is(value, "False")) {
            flag = SIGNET_PERSISTENT_NO;
        } else if (!sg_string_is(value, "None")) {
            sg_printed_expected(r, at, 0, "True, False or None");
            flag = SIGNET_PERSISTENT_ODD;
        }
    }
    s->persistent = buffer ? flag : SIGNET_PERSISTENT_ABSENT;
    return true;
}

/* "name: KIND target='t' persistent=True" */
static bool read_spec_line(struct sg_printed *r, struct sg_printed_spec *s, signet_side side,
                           const struct sg_printed_line *l) {
    const char *colon = memchr(r->text + l->at, ':', l->end - l->at);
    if (colon == NULL) {
        sg_printed_expected(r, l->at, 0, "a line such as 'x: USER_INPUT'");
        return false;
    }
    uint32_t name_end = (uint32_t)(colon - r->text);
    if (name_end > l->at) { /* a constant output has no name */
        s->name = sg_printed_intern(r, l->at, name_end - l->at);
        s->name_span = sg_span_make(l->at, name_end - l->at);
    }
    uint32_t at = sg_printed_skip_blanks(r, name_end + 1, l->end);
    uint32_t length = (uint32_t)sg_py_name_length(r->text + at, l->end - at);
    if (length == 0) {
        sg_printed_expected(r, at, 0, "a kind such as USER_INPUT");
        return false;
    }
    sg_printed_set_kind(r, s, side, sg_printed_text(r, at, length));
    at = read_target(r, s, at + length, l->end);
    if (at == UINT32_MAX) {
        return false;
    }
    if (side == SIGNET_OUTPUT) {
        at = sg_printed_skip_blanks(r, at, l->end);
        if (at < l->end) {
            sg_printed_expected(r, at, 0, "target='...' or the end of the line");
        }
        return at == l->end;
    }
    return read_persistent(r, s, at, l->end);
}

static void read_lines(struct sg_printed *r, uint32_t first) {
    uint32_t end = r->ranges_line != 0 ? r->ranges_line : r->end_line;
    int side = -1;
    for (uint32_t i = first; i < end && !r->no_memory; i++) {
        const struct sg_printed_line *l = &r->lines.data[i];
        signet_string text = sg_printed_text(r, l->at, l->end - l->at);
        if (l->at == l->end) {
            continue;
        }
        if (sg_string_is(text, "# inputs") || sg_string_is(text, "# outputs")) {
            side = sg_string_is(text, "# inputs") ? SIGNET_INPUT : SIGNET_OUTPUT;
            continue;
        }
        if (side < 0) {
            sg_printed_expected(r, l->at, 0, "'# inputs'");
            side = SIGNET_INPUT;
        }
        struct sg_printed_spec *s = sg_printed_add_spec(r, (signet_side)side);
        if (s != NULL) {
            s->span = sg_span_make(l->at, l->end - l->at);
            s->faulty = !read_spec_line(r, s, (signet_side)side, l);
        }
    }
    if (side != SIGNET_OUTPUT && !r->no_memory) {
        r->p->programs.data[r->program.id].faulty = true;
        if (r->ranges_line != 0) { /* else the text ends here, which is told */
            sg_printed_expected(r, r->lines.data[end - 1].end, 0, "'# outputs'");
        }
    }
}

void sg_printed_read_signature(struct sg_printed *r) {
    const struct sg_printed_line *l = &r->lines.data[r->signature_line];
    uint32_t at =
        sg_printed_skip_blanks(r, l->at + (uint32_t)sizeof("Graph signature:") - 1, l->end);
    if (at == l->end) {
        read_lines(r, r->signature_line + 1);
        return;
    }
    uint32_t last = r->ranges_line != 0 ? r->ranges_line : r->end_line;
    uint32_t next = 0;
    uint32_t end = sg_printed_statement_end(r, r->signature_line, last, &next);
    sg_printed_read_signature_repr(r, at, end);
}

/* ---- Specs of the program -------------------------------------------------------------------- */

/* The name a spec declares: where a line of the graph says that a name stands for another, the
 * graph has the other. A constant of 2.2 and 2.3 is declared by its place alone. */
static sg_strid declared_name(struct sg_printed *r, signet_side side, uint32_t i) {
    sg_strid name = r->specs[side].data[i].name;
    if (name == 0 && r->specs[side].data[i].is_constant && side == SIGNET_INPUT &&
        i < r->params.count) {
        return r->params.data[i].name;
    }
    if (name != 0) {
        sg_printed_name(r, &name);
    }
    return name;
}

/* A constant output is declared by its place too: what it is stands only in the return. */
static void copy_literal(struct sg_printed *r, signet_side side, uint32_t i, signet_arg to) {
    signet_graph graph = signet_program_graph(r->p, r->program);
    if (side != SIGNET_OUTPUT || i >= signet_graph_output_count(r->p, graph)) {
        return;
    }
    signet_arg from = signet_graph_output(r->p, graph, i);
    switch ((int)signet_arg_get_kind(r->p, from)) {
    case SIGNET_ARG_NONE:
        signet_arg_set_none(r->p, to);
        break;
    case SIGNET_ARG_INT:
        signet_arg_set_int(r->p, to, SIGNET_ARG_INT, signet_arg_int(r->p, from));
        break;
    case SIGNET_ARG_FLOAT:
        signet_arg_set_float(r->p, to, SIGNET_ARG_FLOAT, signet_arg_float(r->p, from));
        break;
    case SIGNET_ARG_BOOL:
        signet_arg_set_bool(r->p, to, SIGNET_ARG_BOOL, signet_arg_bool(r->p, from));
        break;
    case SIGNET_ARG_STRING:
        signet_arg_set_string(r->p, to, SIGNET_ARG_STRING, signet_arg_string(r->p, from));
        break;
    default:
        break;
    }
}

static void put_spec(struct sg_printed *r, signet_side side, uint32_t i) {
    const struct sg_printed_spec *s = &r->specs[side].data[i];
    signet_spec spec = SIGNET_SPEC_INIT;
    spec.side = side;
    spec.kind = s->kind;
    spec.raw_tag = sg_string(r->p, s->raw_tag);
    spec.name = sg_string(r->p, declared_name(r, side, i));
    spec.arg_kind = s->arg_kind;
    spec.persistent = s->persistent;
    if (s->has_target) {
        spec.target = sg_string(r->p, s->target);
    }
    signet_arg arg = signet_spec_add(r->p, r->program, &spec);
    if (arg.id == 0) {
        return;
    }
    if (s->literal != 0) {
        sg_printed_set_literal(r, &r->signature, arg, s->literal);
    } else if (s->name == 0) {
        copy_literal(r, side, i, arg);
    }
    if (s->class_name != 0) {
        signet_arg_set_class(r->p, arg, sg_string(r->p, s->class_name));
    }
    sg_spec_set_spans(r->p, r->program, side, i, s->span, s->name_span, s->target_span);
    struct sg_program *program = &r->p->programs.data[r->program.id];
    program->specs[side].data[i].faulty = s->faulty;
}

void sg_printed_put_specs(struct sg_printed *r) {
    for (int side = SIGNET_INPUT; side <= SIGNET_OUTPUT; side++) {
        for (uint32_t i = 0; i < r->specs[side].count && r->p->status == SIGNET_OK; i++) {
            put_spec(r, (signet_side)side, i);
        }
    }
}
