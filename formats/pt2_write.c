/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2_write.h"

#include <string.h>

#define FLUSH_AT 65536

/* ---- The writer ------------------------------------------------------------------------------ */

void sg_pt2_writer_init(struct sg_pt2_writer *w, const signet_package *p, signet_program program,
                        const signet_writer *out) {
    const struct sg_program *r = sg_program(p, program.id);
    memset(w, 0, sizeof(*w));
    w->p = p;
    w->out = out;
    w->program = program.id;
    w->major = r->schema_major;
    w->minor = r->schema_minor;
    if (r->schema_major == 0) { /* made by calls, or in a text */
        w->major = SG_SCHEMA_MAJOR;
        w->minor = SG_SCHEMA_MINOR;
    }
    w->nulls = sg_pt2_since(w, 7);
    w->bare = !sg_pt2_since(w, 7);
    sg_text_init(&w->text, &p->allocator);
}

void sg_pt2_writer_free(struct sg_pt2_writer *w) {
    sg_text_free(&w->text);
    sg_vec_free(&w->p->allocator, &w->items);
}

void sg_pt2_write_fail(struct sg_pt2_writer *w, signet_status status) {
    if (w->status == SIGNET_OK) {
        w->status = status;
    }
}

void sg_pt2_write_refuse(struct sg_pt2_writer *w, const char *what) {
    if (w->status == SIGNET_OK) {
        w->status = SIGNET_E_UNSUPPORTED;
        w->why = what;
    }
}

/* The last character stays: it says whether an object has just begun. */
void sg_pt2_write_flush(struct sg_pt2_writer *w, bool all) {
    struct sg_text *t = &w->text;
    if (t->failed) {
        sg_pt2_write_fail(w, SIGNET_E_NOMEM);
    }
    size_t length = all || t->length == 0 ? t->length : t->length - 1;
    if (w->status != SIGNET_OK || length == 0 || (!all && length < FLUSH_AT)) {
        return;
    }
    if (!w->out->write(w->out->user, t->data, length)) {
        sg_pt2_write_fail(w, SIGNET_E_STOPPED);
    }
    char last = t->data[t->length - 1];
    sg_text_clear(t);
    if (!all) {
        sg_text_putc(t, last);
    }
}

void sg_pt2_push(struct sg_pt2_writer *w, struct sg_pt2_item item) {
    if (!sg_vec_reserve(&w->p->allocator, &w->items, 1)) {
        sg_pt2_write_fail(w, SIGNET_E_NOMEM);
        return;
    }
    w->items.data[w->items.count++] = item;
}

void sg_pt2_push_text(struct sg_pt2_writer *w, const char *text) {
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_TEXT, .text = text});
}

void sg_pt2_push_next_list(struct sg_pt2_writer *w, const struct sg_pt2_schema *schema,
                           uint32_t field) {
    sg_pt2_push(w,
                (struct sg_pt2_item){.kind = SG_PT2_ITEM_NEXT_LIST, .schema = schema, .id = field});
}

void sg_pt2_push_list(struct sg_pt2_writer *w, sg_pt2_item_kind kind, struct sg_list list) {
    sg_pt2_push(w,
                (struct sg_pt2_item){.kind = (uint8_t)kind, .id = list.first, .count = list.count});
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

void sg_pt2_puts(struct sg_pt2_writer *w, const char *text) {
    sg_text_puts(&w->text, text);
}

void sg_pt2_put_string(struct sg_pt2_writer *w, sg_strid id) {
    sg_json_put_string(&w->text, sg_string(w->p, id));
}

static void separate(struct sg_pt2_writer *w) {
    const struct sg_text *t = &w->text;
    if (t->length > 0 && t->data[t->length - 1] != '{') {
        sg_text_put(&w->text, ", ", 2);
    }
}

void sg_pt2_put_key(struct sg_pt2_writer *w, signet_string name) {
    separate(w);
    sg_json_put_string(&w->text, name.data != NULL ? name : signet_str(""));
    sg_text_put(&w->text, ": ", 2);
}

void sg_pt2_put_member(struct sg_pt2_writer *w, const struct sg_pt2_schema *schema,
                       uint32_t field) {
    separate(w);
    sg_text_putc(&w->text, '"');
    sg_text_put(&w->text, schema->fields[field].member, schema->fields[field].length);
    sg_text_put(&w->text, "\": ", 3);
}

void sg_pt2_put_int_member(struct sg_pt2_writer *w, const struct sg_pt2_schema *schema,
                           uint32_t field, int64_t number) {
    sg_pt2_put_member(w, schema, field);
    sg_text_int(&w->text, number);
}

void sg_pt2_put_bool_member(struct sg_pt2_writer *w, const struct sg_pt2_schema *schema,
                            uint32_t field, bool truth) {
    sg_pt2_put_member(w, schema, field);
    sg_pt2_puts(w, truth ? "true" : "false");
}

void sg_pt2_put_string_member(struct sg_pt2_writer *w, const struct sg_pt2_schema *schema,
                              uint32_t field, sg_strid id) {
    sg_pt2_put_member(w, schema, field);
    sg_pt2_put_string(w, id);
}

void sg_pt2_put_real(struct sg_pt2_writer *w, double v) {
    sg_json_put_real(&w->text, v, w->bare);
}

void sg_pt2_put_pairs(struct sg_pt2_writer *w, const struct sg_pair *pairs, uint32_t count) {
    sg_pt2_puts(w, "{");
    for (uint32_t i = 0; i < count; i++) {
        sg_pt2_put_key(w, sg_string(w->p, pairs[i].key));
        sg_pt2_put_string(w, pairs[i].value);
    }
    sg_pt2_puts(w, "}");
}

/* Embedders may have put anything there. */
static bool is_json(struct sg_pt2_writer *w, signet_string s) {
    const signet_allocator *a = &w->p->allocator;
    struct sg_json_error error = {SG_JSON_SYNTAX, 0, NULL};
    size_t size = s.length + SG_JSON_PADDING;
    char *copy = s.data != NULL ? sg_alloc(a, size) : NULL;
    if (copy != NULL) {
        memcpy(copy, s.data, s.length);
        struct sg_json_doc *doc = sg_json_parse(a, copy, s.length, w->p->limits.json_depth, &error);
        bool good = doc != NULL;
        sg_json_free(doc);
        sg_free(a, copy, size);
        if (good) {
            return true;
        }
    }
    bool no_memory = s.data != NULL && (copy == NULL || error.problem == SG_JSON_NO_MEMORY);
    if (no_memory) {
        sg_pt2_write_fail(w, SIGNET_E_NOMEM);
    } else {
        sg_pt2_write_refuse(w, "raw text that is no JSON");
    }
    return false;
}

void sg_pt2_put_raw(struct sg_pt2_writer *w, sg_strid id) {
    signet_string s = sg_string(w->p, id);
    if (is_json(w, s)) {
        sg_json_put_respelled(&w->text, s);
    }
}

/* ---- What is no graph ------------------------------------------------------------------------ */

/* An open bound has been null since schema 8; before, it was an infinity, and in schema 5.3 the
 * largest number but one. */
static void put_bound(struct sg_pt2_writer *w, uint32_t field, bool has, int64_t bound) {
    sg_pt2_put_member(w, &sg_pt2_RANGE, field);
    bool low = field == SG_PT2_RANGE_MIN;
    if (has) {
        sg_text_int(&w->text, bound);
    } else if (sg_pt2_since(w, 0)) {
        sg_pt2_puts(w, "null");
    } else if (w->major == 7 || w->minor < 3) {
        sg_pt2_puts(w, low ? "-Infinity" : "Infinity");
    } else {
        sg_text_int(&w->text, low ? -INT64_MAX : INT64_MAX - 1);
    }
}

static void put_ranges(struct sg_pt2_writer *w, const struct sg_program *r) {
    sg_pt2_put_member(w, &sg_pt2_PROGRAM, SG_PT2_PROGRAM_RANGE_CONSTRAINTS);
    sg_pt2_puts(w, "{");
    for (uint32_t i = 0; i < r->ranges.count; i++) {
        const struct sg_range *range = &r->ranges.data[i];
        sg_pt2_put_key(w, sg_string(w->p, range->symbol));
        sg_pt2_puts(w, "{");
        put_bound(w, SG_PT2_RANGE_MIN, range->has_min, range->min);
        put_bound(w, SG_PT2_RANGE_MAX, range->has_max, range->max);
        sg_pt2_puts(w, "}");
    }
    sg_pt2_puts(w, "}");
}

static void put_strings(struct sg_pt2_writer *w, uint32_t field, const sg_strid *strings,
                        uint32_t count) {
    sg_pt2_put_member(w, &sg_pt2_PROGRAM, field);
    sg_pt2_puts(w, "[");
    for (uint32_t i = 0; i < count; i++) {
        sg_pt2_puts(w, i > 0 ? ", " : "");
        sg_pt2_put_string(w, strings[i]);
    }
    sg_pt2_puts(w, "]");
}

static void put_versions(struct sg_pt2_writer *w, const struct sg_program *r) {
    sg_pt2_put_member(w, &sg_pt2_PROGRAM, SG_PT2_PROGRAM_SCHEMA_VERSION);
    sg_pt2_puts(w, "{");
    sg_pt2_put_int_member(w, &sg_pt2_SCHEMA_VERSION, SG_PT2_SCHEMA_VERSION_MAJOR, w->major);
    sg_pt2_put_int_member(w, &sg_pt2_SCHEMA_VERSION, SG_PT2_SCHEMA_VERSION_MINOR, w->minor);
    sg_pt2_puts(w, "}");
    if (w->major < 7 && r->dialects.count == 1) {
        sg_pt2_put_string_member(w, &sg_pt2_PROGRAM, SG_PT2_PROGRAM_DIALECT, r->dialects.data[0]);
    } else if (r->has_dialects) {
        put_strings(w, SG_PT2_PROGRAM_VERIFIERS, r->dialects.data, r->dialects.count);
    }
    if (r->torch_version != 0) {
        sg_pt2_put_string_member(w, &sg_pt2_PROGRAM, SG_PT2_PROGRAM_TORCH_VERSION,
                                 r->torch_version);
    }
    if (r->guards.count > 0 || sg_pt2_since(w, 14)) {
        put_strings(w, SG_PT2_PROGRAM_GUARDS_CODE, r->guards.data, r->guards.count);
    }
}

/* What follows the call graph. */
static void put_program_rest(struct sg_pt2_writer *w) {
    const struct sg_program *r = sg_program(w->p, w->program);
    if (r->metadata.count > 0 || w->major >= 7) {
        sg_pt2_put_member(w, &sg_pt2_GRAPH_MODULE, SG_PT2_GRAPH_MODULE_METADATA);
        sg_pt2_put_pairs(w, r->metadata.data, r->metadata.count);
    }
    if (r->namedtuples != 0 || sg_pt2_since(w, 7)) {
        sg_pt2_put_member(w, &sg_pt2_GRAPH_MODULE, SG_PT2_GRAPH_MODULE_NAMEDTUPLES);
    }
    if (r->namedtuples != 0) {
        sg_pt2_put_raw(w, r->namedtuples);
    } else if (sg_pt2_since(w, 7)) {
        sg_pt2_puts(w, "{}");
    }
    sg_pt2_puts(w, "}");
    sg_pt2_put_member(w, &sg_pt2_PROGRAM, SG_PT2_PROGRAM_OPSET_VERSION);
    sg_pt2_puts(w, "{");
    for (uint32_t i = 0; i < r->opsets.count; i++) {
        sg_pt2_put_key(w, sg_string(w->p, r->opsets.data[i].name));
        sg_text_int(&w->text, r->opsets.data[i].version);
    }
    sg_pt2_puts(w, "}");
    put_ranges(w, r);
    put_versions(w, r);
    sg_pt2_puts(w, "}");
}

/* ---- Programs -------------------------------------------------------------------------------- */

static void put_item(struct sg_pt2_writer *w, struct sg_pt2_item item) {
    if (item.kind == SG_PT2_ITEM_PROGRAM) {
        put_program_rest(w);
    } else if (item.kind < SG_PT2_ITEM_SPECS) {
        sg_pt2_put_graph_item(w, item);
    } else {
        sg_pt2_put_signature_item(w, item);
    }
}

/* Writes what lies on the stack, to its end. */
static void put_items(struct sg_pt2_writer *w) {
    while (w->items.count > 0 && w->status == SIGNET_OK) {
        put_item(w, w->items.data[--w->items.count]);
        sg_pt2_write_flush(w, false);
    }
    sg_pt2_write_flush(w, true);
}

static void push_specs(struct sg_pt2_writer *w, const struct sg_program *r, signet_side side) {
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_SPECS,
                                        .side = (uint8_t)side,
                                        .count = r->specs[side].count});
}

/* PyTorch wants a list, even an empty one; it is left out where the reader told that it is missing.
 */
static void push_calls(struct sg_pt2_writer *w, const struct sg_program *r) {
    if (!r->has_calls && r->faulty) {
        return;
    }
    sg_pt2_push_text(w, "]");
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_CALLS, .count = r->calls.count});
    sg_pt2_push_text(w, "[");
    sg_pt2_push(w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_MEMBER,
                                        .schema = &sg_pt2_GRAPH_MODULE,
                                        .id = SG_PT2_GRAPH_MODULE_MODULE_CALL_GRAPH});
}

signet_status sg_pt2_write_program(const signet_package *p, signet_program program,
                                   const signet_writer *out, const char **why) {
    struct sg_pt2_writer w;
    const struct sg_program *r = sg_program(p, program.id);
    if (r->graph == 0) {
        return SIGNET_E_INVALID_ARG;
    }
    if (r->lossy) {
        if (why != NULL) {
            *why = "no strides, devices and argument names (printed text does not tell them)";
        }
        return SIGNET_E_UNSUPPORTED;
    }
    sg_pt2_writer_init(&w, p, program, out);
    sg_pt2_push(&w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_PROGRAM});
    push_calls(&w, r);
    sg_pt2_push_text(&w, "]}");
    push_specs(&w, r, SIGNET_OUTPUT);
    sg_pt2_push_next_list(&w, &sg_pt2_SIGNATURE, SG_PT2_SIGNATURE_OUTPUT_SPECS);
    push_specs(&w, r, SIGNET_INPUT);
    sg_pt2_push_text(&w, "[");
    sg_pt2_push(&w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_MEMBER,
                                         .schema = &sg_pt2_SIGNATURE,
                                         .id = SG_PT2_SIGNATURE_INPUT_SPECS});
    sg_pt2_push_text(&w, "{");
    sg_pt2_push(&w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_MEMBER,
                                         .schema = &sg_pt2_GRAPH_MODULE,
                                         .id = SG_PT2_GRAPH_MODULE_SIGNATURE});
    sg_pt2_push(&w, (struct sg_pt2_item){.kind = SG_PT2_ITEM_GRAPH, .id = r->graph});
    sg_pt2_puts(&w, "{");
    sg_pt2_put_member(&w, &sg_pt2_PROGRAM, SG_PT2_PROGRAM_GRAPH_MODULE);
    sg_pt2_puts(&w, "{");
    sg_pt2_put_member(&w, &sg_pt2_GRAPH_MODULE, SG_PT2_GRAPH_MODULE_GRAPH);
    put_items(&w);
    if (why != NULL && w.why != NULL) {
        *why = w.why;
    }
    signet_status status = w.status;
    sg_pt2_writer_free(&w);
    return status;
}

/* ---- State tables ---------------------------------------------------------------------------- */

const char *sg_pt2_table_folder(signet_table table) {
    return table == SIGNET_TABLE_STATE_DICT ? "data/weights/" : "data/constants/";
}

/* Without the root folder, which every archive may call as it likes. */
static signet_string below_root(signet_string record) {
    const char *slash = record.data != NULL ? memchr(record.data, '/', record.length) : NULL;
    signet_string none = {NULL, 0};
    return slash != NULL
               ? (signet_string){slash + 1, record.length - (size_t)(slash + 1 - record.data)}
               : none;
}

signet_string sg_pt2_below(signet_string record, signet_table table) {
    signet_string rest = below_root(record);
    signet_string folder = signet_str(sg_pt2_table_folder(table));
    if (rest.length <= folder.length || memcmp(rest.data, folder.data, folder.length) != 0) {
        return (signet_string){NULL, 0};
    }
    return (signet_string){rest.data + folder.length, rest.length - folder.length};
}

static void put_state(struct sg_pt2_writer *w, const struct sg_state *s, signet_string path) {
    sg_pt2_put_key(w, sg_string(w->p, s->name));
    sg_pt2_puts(w, "{");
    sg_pt2_put_member(w, &sg_pt2_PAYLOAD, SG_PT2_PAYLOAD_PATH);
    sg_json_put_string(&w->text, path);
    sg_pt2_put_bool_member(w, &sg_pt2_PAYLOAD, SG_PT2_PAYLOAD_IS_PARAM, s->is_parameter);
    sg_pt2_put_bool_member(w, &sg_pt2_PAYLOAD, SG_PT2_PAYLOAD_USE_PICKLE, s->is_pickled);
    sg_pt2_put_member(w, &sg_pt2_PAYLOAD, SG_PT2_PAYLOAD_META);
    if (s->type != 0) {
        sg_pt2_put_type(w, s->type);
    } else {
        sg_pt2_puts(w, "null");
    }
    sg_pt2_puts(w, "}");
}

static signet_status end_states(struct sg_pt2_writer *w) {
    sg_pt2_puts(w, "}}");
    sg_pt2_write_flush(w, true);
    signet_status status = w->status;
    sg_pt2_writer_free(w);
    return status;
}

static void begin_states(struct sg_pt2_writer *w) {
    sg_pt2_puts(w, "{");
    sg_pt2_put_member(w, &sg_pt2_PAYLOAD_CONFIG, SG_PT2_PAYLOAD_CONFIG_CONFIG);
    sg_pt2_puts(w, "{");
}

signet_status sg_pt2_write_config(const signet_package *p, signet_program program,
                                  signet_table table, const signet_writer *out) {
    struct sg_pt2_writer w;
    const struct sg_program *r = sg_program(p, program.id);
    sg_pt2_writer_init(&w, p, program, out);
    begin_states(&w);
    for (uint32_t i = 0; i < r->states.count && w.status == SIGNET_OK; i++) {
        const struct sg_state *s = &r->states.data[i];
        signet_string path = sg_pt2_below(sg_string(p, s->record), table);
        if (s->table != table) {
            continue;
        }
        if (path.data == NULL) {
            sg_pt2_write_refuse(&w, "a state without a record");
        }
        put_state(&w, s, path);
        sg_pt2_write_flush(&w, false);
    }
    return end_states(&w);
}

signet_status sg_pt2_write_states(const signet_package *p, signet_program program,
                                  const signet_writer *out) {
    struct sg_pt2_writer w;
    const struct sg_program *r = sg_program(p, program.id);
    sg_pt2_writer_init(&w, p, program, out);
    w.nulls = true; /* whatever the schema of the program is */
    w.bare = false;
    begin_states(&w);
    for (uint32_t i = 0; i < r->states.count && w.status == SIGNET_OK; i++) {
        const struct sg_state *s = &r->states.data[i];
        sg_pt2_put_key(&w, signet_str(sg_pt2_table_folder((signet_table)s->table)));
        sg_pt2_puts(&w, "{");
        put_state(&w, s, below_root(sg_string(p, s->record)));
        sg_pt2_puts(&w, "}");
        sg_pt2_write_flush(&w, false);
    }
    return end_states(&w);
}

/* ---- A bare model.json ----------------------------------------------------------------------- */

signet_status signet_write_json(const signet_package *package, signet_program program,
                                const signet_writer *writer) {
    if (package == NULL || writer == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    return sg_pt2_write_program(package, program, writer, NULL);
}
