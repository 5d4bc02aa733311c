/* SPDX-License-Identifier: Apache-2.0 */
/* Statements about a program: versions, ranges, states, the calling convention. */

#include "formats/sgt_internal.h"

static struct sg_program *record(struct sg_sgt_reader *r) {
    return &r->p->programs.data[r->program];
}

/* ---- The line that opens it ------------------------------------------------------------------ */

/* none or ?, behind "states=" and the like. */
static bool take_told(struct sg_sgt_reader *r, sg_sgt_told *told) {
    *told = sg_sgt_is_mark(sg_sgt_peek(r), '?') ? SGT_TOLD_UNKNOWN : SGT_TOLD_EMPTY;
    return sg_sgt_take_mark(r, '?') || sg_sgt_take_word(r, "none") ||
           sg_sgt_expected(r, "none or ?");
}

static bool take_stage(struct sg_sgt_reader *r) {
    signet_stage stage = sg_stage_of_keyword(sg_sgt_token_text(r, sg_sgt_peek(r)));
    if (stage == SIGNET_STAGE_DETECT) {
        return sg_sgt_expected(r, "training, aten, edge, lowered or final");
    }
    r->t++;
    signet_program_set_stage(r->p, (signet_program){r->program}, stage);
    return true;
}

/* A word with '=' behind it. */
static bool take_key(struct sg_sgt_reader *r, const char *key) {
    bool is = sg_sgt_is_word(r, sg_sgt_peek(r), key) && sg_sgt_is_mark(sg_sgt_peek_second(r), '=');
    r->t += is ? 2 : 0;
    return is;
}

static bool take_program_word(struct sg_sgt_reader *r) {
    if (sg_sgt_take_word(r, "body")) {
        record(r)->role = SIGNET_ROLE_BODY;
        return true;
    }
    if (sg_sgt_take_word(r, "lossy")) {
        record(r)->lossy = true;
        return true;
    }
    if (sg_sgt_take_word(r, "bare")) {
        signet_graph_set_returns_bare(r->p, (signet_graph){record(r)->graph}, true);
        return true;
    }
    if (take_key(r, "stage")) {
        return take_stage(r);
    }
    if (take_key(r, "names")) {
        r->nodes_unnamed = true;
        return sg_sgt_expect_mark(r, '?', "'?'");
    }
    if (take_key(r, "kinds")) {
        r->kinds_unknown = true;
        return sg_sgt_expect_mark(r, '?', "'?'");
    }
    if (take_key(r, "states")) {
        return take_told(r, &r->states);
    }
    if (take_key(r, "calls")) {
        return take_told(r, &r->calls);
    }
    if (take_key(r, "dialects")) {
        return take_told(r, &r->dialects);
    }
    return sg_sgt_expected(r, "'{', or a word about the program such as stage=aten");
}

bool sg_sgt_program_line(struct sg_sgt_reader *r) {
    const struct sg_sgt_token *token = sg_sgt_peek_second(r);
    sg_strid name = 0;
    bool ok = true;
    r->t++;
    if (token->kind == SGT_SYMBOL) {
        r->t++;
        ok = sg_sgt_name_of(r, token, &name);
    } else if (!sg_sgt_take_mark(r, '?')) {
        ok = sg_sgt_expected(r, "the program's name such as @forward");
    }
    /* The block is read even if its first line is wrong: there may be more to find. */
    signet_program program = signet_program_add(r->p, sg_string(r->p, name), SIGNET_ROLE_METHOD);
    uint32_t graph = signet_program_graph(r->p, program).id;
    if (program.id == 0 || !sg_sgt_push_frame(r, SGT_FRAME_GRAPH, graph)) {
        return false;
    }
    sg_sgt_top(r)->is_top = true;
    sg_program_set_source(r->p, program, r->source);
    r->program = program.id;
    r->states = r->calls = r->dialects = SGT_TOLD_BY_LINES;
    r->nodes_unnamed = r->kinds_unknown = false;
    while (ok && !sg_sgt_take_mark(r, '{')) {
        ok = take_program_word(r);
    }
    return ok && sg_sgt_expect_end(r, "the end of the line");
}

static void tell(sg_sgt_told told, bool *has) {
    if (told != SGT_TOLD_BY_LINES) {
        *has = told == SGT_TOLD_EMPTY;
    }
}

void sg_sgt_program_end(struct sg_sgt_reader *r) {
    tell(r->states, &record(r)->has_state_tables);
    tell(r->calls, &record(r)->has_calls);
    tell(r->dialects, &record(r)->has_dialects);
    r->program = 0;
}

/* ---- Versions, ranges, guards ---------------------------------------------------------------- */

/* schema 8.20 */
static bool schema_statement(struct sg_sgt_reader *r) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    signet_string s = sg_sgt_token_text(r, token);
    size_t dot = 0;
    int64_t numbers[2] = {-1, -1};
    while (dot < s.length && s.data[dot] != '.') {
        dot++;
    }
    bool ok = token->kind == SGT_REAL && dot < s.length &&
              sg_parse_int((signet_string){s.data, dot}, &numbers[0]) &&
              sg_parse_int((signet_string){s.data + dot + 1, s.length - dot - 1}, &numbers[1]);
    if (!ok || numbers[0] < 0 || numbers[0] > UINT32_MAX || numbers[1] < 0 ||
        numbers[1] > UINT32_MAX) {
        return sg_sgt_expected(r, "the two numbers of a schema such as 8.20");
    }
    r->t++;
    record(r)->schema_major = (uint32_t)numbers[0];
    record(r)->schema_minor = (uint32_t)numbers[1];
    return true;
}

static bool torch_statement(struct sg_sgt_reader *r) {
    return sg_sgt_take_text(r, &record(r)->torch_version, "a version of PyTorch between quotes");
}

static bool dialect_statement(struct sg_sgt_reader *r) {
    sg_strid name = 0;
    if (!sg_sgt_take_word_or_text(r, &name, "a dialect such as ATEN")) {
        return false;
    }
    signet_program_add_dialect(r->p, (signet_program){r->program}, sg_string(r->p, name));
    return true;
}

static bool opset_statement(struct sg_sgt_reader *r) {
    sg_strid name = 0;
    int64_t version = 0;
    if (!sg_sgt_take_word_or_text(r, &name, "a name space such as aten") ||
        !sg_sgt_take_int(r, &version, "the version of the operator set")) {
        return false;
    }
    signet_program_add_opset(r->p, (signet_program){r->program}, sg_string(r->p, name), version);
    return true;
}

/* range s0 : 2..64, either bound may be missing */
static bool range_statement(struct sg_sgt_reader *r) {
    sg_strid symbol = 0;
    signet_range range = {.has_min = false};
    if (!sg_sgt_take_word_or_text(r, &symbol, "a symbol such as s0") ||
        !sg_sgt_expect_mark(r, ':', "':' and a range such as 2..64")) {
        return false;
    }
    range.has_min = sg_sgt_peek(r)->kind == SGT_INT;
    if (range.has_min && !sg_sgt_take_int(r, &range.min, "the least value")) {
        return false;
    }
    if (sg_sgt_peek(r)->kind != SGT_DOTS) {
        return sg_sgt_expected(r, "'..' and the greatest value");
    }
    r->t++;
    range.has_max = sg_sgt_peek(r)->kind == SGT_INT;
    if (range.has_max && !sg_sgt_take_int(r, &range.max, "the greatest value")) {
        return false;
    }
    range.symbol = sg_string(r->p, symbol);
    signet_program program = {r->program};
    signet_program_add_range(r->p, program, range);
    if (r->p->status == SIGNET_OK) {
        sg_range_set_span(r->p, program, signet_program_range_count(r->p, program) - 1,
                          sg_sgt_line_span(r));
    }
    return true;
}

static bool guard_statement(struct sg_sgt_reader *r) {
    sg_strid line = 0;
    if (!sg_sgt_take_text(r, &line, "a guard between quotes")) {
        return false;
    }
    signet_program_add_guard(r->p, (signet_program){r->program}, sg_string(r->p, line));
    return true;
}

static bool namedtuples_statement(struct sg_sgt_reader *r) {
    sg_strid json = 0;
    if (!sg_sgt_take_text(r, &json, "JSON between quotes")) {
        return false;
    }
    signet_program_set_namedtuples(r->p, (signet_program){r->program}, sg_string(r->p, json));
    return true;
}

/* ---- State tables ---------------------------------------------------------------------------- */

static bool take_bytes(struct sg_sgt_reader *r, uint64_t *out) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    signet_string s = sg_sgt_token_text(r, token);
    uint64_t bytes = 0;
    if (token->kind != SGT_INT || s.data[0] == '-') {
        return sg_sgt_expected(r, "a number of bytes");
    }
    for (size_t i = 0; i < s.length; i++) {
        uint64_t digit = (uint64_t)(s.data[i] - '0');
        if (bytes > (UINT64_MAX - digit) / 10) {
            return sg_sgt_wrong(r, token->at, token->length,
                                "expected a number of bytes of 64 bits, found a larger one");
        }
        bytes = bytes * 10 + digit;
    }
    *out = bytes;
    r->t++;
    return true;
}

/* parameter, pickled, record "weight_0", bytes 36 */
static bool take_state_words(struct sg_sgt_reader *r, signet_state *state, sg_strid *record_name) {
    while (sg_sgt_peek(r)->kind != SGT_END) {
        if (sg_sgt_take_word(r, "parameter")) {
            state->is_parameter = true;
        } else if (sg_sgt_take_word(r, "pickled")) {
            state->is_pickled = true;
        } else if (sg_sgt_take_word(r, "record")) {
            if (!sg_sgt_take_text(r, record_name, "the name of a record")) {
                return false;
            }
        } else if (sg_sgt_take_word(r, "bytes")) {
            state->has_bytes = true;
            if (!take_bytes(r, &state->record_bytes)) {
                return false;
            }
        } else {
            return sg_sgt_expected(r, "parameter, pickled, record or bytes");
        }
    }
    return true;
}

/* state "b" : f32[3], constant "c" : i64[] */
static bool state_statement(struct sg_sgt_reader *r, signet_table table) {
    signet_program program = {r->program};
    signet_state state = SIGNET_STATE_INIT;
    sg_strid name = 0;
    sg_strid record_name = 0;
    state.table = table;
    if (!sg_sgt_take_text(r, &name, "the name of a state between quotes") ||
        (sg_sgt_take_mark(r, ':') && !sg_sgt_type(r, &state.type)) ||
        !take_state_words(r, &state, &record_name)) {
        return false;
    }
    state.name = sg_string(r->p, name);
    state.record = sg_string(r->p, record_name);
    signet_state_add(r->p, program, &state);
    if (r->p->status == SIGNET_OK) {
        sg_state_set_span(r->p, program, signet_state_count(r->p, program) - 1, r->source,
                          sg_sgt_line_span(r));
    }
    return true;
}

static bool state_dict_statement(struct sg_sgt_reader *r) {
    return state_statement(r, SIGNET_TABLE_STATE_DICT);
}

static bool constant_statement(struct sg_sgt_reader *r) {
    return state_statement(r, SIGNET_TABLE_CONSTANTS);
}

/* ---- The calling convention ------------------------------------------------------------------ */

static bool entry_line(struct sg_sgt_reader *r) {
    sg_strid fqn = 0;
    r->entry = (struct sg_sgt_entry){.call = SIGNET_CALL_INIT};
    r->names.count = 0;
    bool ok = sg_sgt_take_text(r, &fqn, "the path of a module between quotes");
    bool is_unsigned = ok && sg_sgt_take_word(r, "unsigned");
    bool opens = sg_sgt_take_mark(r, '{');
    r->entry.span = sg_sgt_line_span(r);
    r->entry.call.has_signature = opens && !is_unsigned;
    r->entry.call.fqn = sg_string(r->p, fqn);
    if (!ok) {
        return false;
    }
    return opens ? sg_sgt_push_frame(r, SGT_FRAME_ENTRY, 0) : sg_sgt_entry_end(r);
}

static bool take_names(struct sg_sgt_reader *r) {
    r->entry.call.has_arg_names = true;
    if (sg_sgt_peek(r)->kind == SGT_END) {
        return true;
    }
    do {
        sg_strid name = 0;
        if (!sg_sgt_take_text(r, &name, "the name of an argument between quotes") ||
            !SGT_ROOM(r, &r->names)) {
            return false;
        }
        r->names.data[r->names.count++] = name;
    } while (sg_sgt_take_mark(r, ','));
    return true;
}

bool sg_sgt_entry_statement(struct sg_sgt_reader *r) {
    signet_call *call = &r->entry.call;
    bool ok;
    if (sg_sgt_take_word(r, "in_spec")) {
        ok = sg_sgt_take_text(r, &r->entry.in_spec, "a tree spec between quotes");
    } else if (sg_sgt_take_word(r, "out_spec")) {
        ok = sg_sgt_take_text(r, &r->entry.out_spec, "a tree spec between quotes");
    } else if (sg_sgt_take_word(r, "inputs")) {
        ok = sg_sgt_items(r, SGT_PLACE_DECLARED, '\0', &r->entry.first[0], &call->input_count);
    } else if (sg_sgt_take_word(r, "outputs")) {
        ok = sg_sgt_items(r, SGT_PLACE_DECLARED, '\0', &r->entry.first[1], &call->output_count);
    } else if (sg_sgt_take_word(r, "arg_names")) {
        ok = take_names(r);
    } else {
        return sg_sgt_expected(r, "in_spec, out_spec, inputs, outputs, arg_names or '}'");
    }
    return ok && sg_sgt_expect_end(r, "',' or the end of the line");
}

bool sg_sgt_entry_end(struct sg_sgt_reader *r) {
    signet_program program = {r->program};
    signet_call *call = &r->entry.call;
    uint32_t i = signet_call_count(r->p, program);
    call->in_spec = sg_string(r->p, r->entry.in_spec);
    call->out_spec = sg_string(r->p, r->entry.out_spec);
    call->arg_name_count = r->names.count;
    signet_call_add(r->p, program, call);
    if (r->p->status != SIGNET_OK) {
        return false;
    }
    record(r)->calls.data[i].span = r->entry.span;
    for (uint32_t side = 0; side < 2; side++) {
        signet_arg first = signet_call_argument(r->p, program, i, (signet_side)side, 0);
        if (!sg_sgt_build(r, SGT_PLACE_DECLARED, r->entry.first[side], first.id)) {
            return false;
        }
    }
    for (uint32_t j = 0; j < r->names.count; j++) {
        signet_call_set_arg_name(r->p, program, i, j, sg_string(r->p, r->names.data[j]));
    }
    return r->p->status == SIGNET_OK;
}

/* ---- All of them ----------------------------------------------------------------------------- */

bool sg_sgt_program_statement(struct sg_sgt_reader *r, bool *known) {
    static const struct {
        const char *word;
        bool (*read)(struct sg_sgt_reader *r);
    } statements[] = {
        {"schema", schema_statement},
        {"torch", torch_statement},
        {"dialect", dialect_statement},
        {"opset", opset_statement},
        {"range", range_statement},
        {"guard", guard_statement},
        {"namedtuples", namedtuples_statement},
        {"state", state_dict_statement},
        {"entry", entry_line},
    };
    *known = true;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        if (sg_sgt_take_word(r, statements[i].word)) {
            return statements[i].read(r) && sg_sgt_expect_end(r, "the end of the line");
        }
    }
    const struct sg_sgt_token *second = sg_sgt_peek_second(r);
    if (sg_sgt_is_word(r, sg_sgt_peek(r), "constant") &&
        (second->kind == SGT_STRING || sg_sgt_is_mark(second, '?'))) {
        r->t++;
        return constant_statement(r) && sg_sgt_expect_end(r, "the end of the line");
    }
    *known = false;
    return true;
}
