/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"
#include "source.h"
#include "table.h"

#include <stdlib.h>

static const struct option_row form_options[] = {
    {KEY_ALL, "all", NULL, "also parameters and constants that nothing updates"},
    {KEY_JSON, "json", NULL, "everything, as one JSON object"},
    {0, NULL, NULL, NULL},
};

static const struct option_group groups[] = {{"Form", form_options},
                                             {"Reading", options_of_reading},
                                             {"Output", options_of_output},
                                             {NULL, options_as_from},
                                             {NULL, NULL}};

static enum status run(int argc, char **argv);

const struct command command_state = {
    .name = "state",
    .usage = "[OPTION...] FILE...",
    .title = "Says who holds which state, who updates it and who reads it.",
    .about =
        "For each method, with the delegates that it calls (--body adds the programs inside):\n"
        "its buffers, and whatever else is updated. \"held by\" is the program that has the\n"
        "state as an input; a state that stands there twice has two copies. \"read by\" counts\n"
        "the nodes that take the old value: before the new one is made, and after.\n"
        "\"first value\" is kept when the file has one in its state tables, and ? when the\n"
        "file has no such tables. Shared is what another method holds too.\n"
        "\n"
        "Exit status: 0 shown; 1 a file has errors that were met in reading (they are on\n"
        "standard error); 2 to 4 as for signet lint.\n",
    .examples = "  signet state model.pt2\n"
                "  signet state --body lowered_module_0=delegate.txt lowered.txt\n"
                "  signet state --json model.pt2 | jq '.files[].states[] | select(.mutated)'\n",
    .groups = groups,
    .run = run,
};

struct state_options {
    struct output_options output;
    struct source_options source;
    bool all, json;
};

static bool take(void *user, int key, char *argument) {
    struct state_options *o = user;
    switch (key) {
    case KEY_ALL:
        o->all = true;
        return true;
    case KEY_JSON:
        o->json = true;
        return true;
    case KEY_OUTPUT:
    case KEY_COLOR:
        return output_options_take(&o->output, key, argument);
    default:
        return source_options_take(&o->source, key, argument);
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

struct rows {
    struct row {
        signet_state_row state;
        size_t index; /* as told */
    } * data;
    size_t count, capacity;
};

static bool add_row(void *user, const signet_state_row *state) {
    struct rows *rows = user;
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity * 2 + 64;
        rows->data = memory(rows->data, rows->capacity, sizeof(*rows->data));
    }
    rows->data[rows->count] = (struct row){*state, rows->count};
    rows->count++;
    return true;
}

/* By method, as told within one. */
static int by_method(const void *a, const void *b) {
    const struct row *left = a, *right = b;
    if (left->state.method.id != right->state.method.id) {
        return left->state.method.id < right->state.method.id ? -1 : 1;
    }
    return left->index < right->index ? -1 : 1;
}

static bool is_wanted(const struct state_options *o, const signet_state_row *row) {
    return o->all || row->mutated || row->kind == SIGNET_INPUT_KIND_BUFFER;
}

/* ---- For people ------------------------------------------------------------------------------ */

static void add_holder(struct table *table, const signet_package *package,
                       const signet_state_row *row) {
    bool inside = row->delegate.id != 0;
    text_put(&table->cells, inside ? "delegate " : "");
    table_string(table, inside ? signet_delegate_name(package, row->delegate)
                               : signet_program_name(package, row->owner));
}

static void add_writer(struct table *table, const signet_package *package,
                       const signet_state_row *row) {
    if (!row->mutated) {
        table_cell(table, "nothing");
        return;
    }
    if (row->writer.id != 0) {
        text_escaped(&table->cells, signet_node_display_name(package, row->writer));
    } else {
        text_put(&table->cells, "an input");
    }
    text_format(&table->cells, ", output %u", (unsigned)row->writer_output);
    table_end_cell(table);
}

static void add_readers(struct table *table, const signet_state_row *row) {
    unsigned before = row->readers_before, after = row->readers_after;
    if (row->writer.id != 0) {
        text_format(&table->cells, "%u before, %u after", before, after);
    } else {
        text_format(&table->cells, "%u", before);
    }
    table_end_cell(table);
}

static const char *first_value(const signet_package *package, const signet_state_row *row) {
    if (row->kind == SIGNET_INPUT_KIND_USER_INPUT) {
        return "the caller's";
    }
    if (!signet_program_has_state_tables(package, row->owner)) {
        return "?";
    }
    return row->has_initial_value ? "kept" : "none";
}

static void add_state(struct table *table, const signet_package *package,
                      const signet_state_row *row) {
    const char *kind = signet_input_kind_name(row->kind);
    table_string(table, row->target);
    table_cell(table, kind != NULL ? kind : "-");
    show_type(&table->cells, package, row->type);
    text_put(&table->cells, row->type.id == 0 ? "?" : "");
    table_end_cell(table);
    add_holder(table, package, row);
    add_writer(table, package, row);
    add_readers(table, row);
    table_cell(table, first_value(package, row));
    table_cell(table, row->shared ? "yes" : "no");
}

/* The rows of one method. Returns how many. */
static size_t add_method(struct text *t, const signet_package *package, const struct row *rows,
                         size_t count, const struct state_options *o) {
    static const char *const titles[] = {"target",     "kind",    "type",        "held by",
                                         "updated by", "read by", "first value", "shared"};
    struct table table = {.columns = 8, .indent = 2};
    size_t end = 0, shown = 0;
    while (end < count && rows[end].state.method.id == rows[0].state.method.id) {
        shown += is_wanted(o, &rows[end].state);
        end++;
    }
    text_put(t, "\n");
    text_escaped(t, signet_program_name(package, rows[0].state.method));
    text_format(t, ": %zu state%s", shown, shown == 1 ? "" : "s");
    if (shown < end) {
        text_format(t, " (and %zu that nothing updates: --all)", end - shown);
    }
    text_put(t, "\n");
    for (size_t i = 0; i < 8 && shown > 0; i++) {
        table_cell(&table, titles[i]);
    }
    for (size_t i = 0; i < end; i++) {
        if (is_wanted(o, &rows[i].state)) {
            add_state(&table, package, &rows[i].state);
        }
    }
    table_print(&table, t);
    return end;
}

/* States may be inside of delegates whose program the file does not hold. */
static void add_unknown(struct text *t, const signet_package *package) {
    for (uint32_t i = 0; i < signet_delegate_count(package); i++) {
        signet_delegate delegate = signet_delegate_at(package, i);
        if (signet_delegate_body(package, delegate).id == 0) {
            text_put(t, "\nnot known: the program inside delegate ");
            text_escaped(t, signet_delegate_name(package, delegate));
            text_put(t, " (--body NAME=FILE adds it)\n");
        }
    }
}

static void add_table(struct text *t, const signet_package *package, const char *path,
                      struct rows *rows, const struct state_options *o) {
    text_escaped(t, signet_str(source_name(path)));
    text_put(t, rows->count == 0 ? ": no state\n" : "\n");
    if (rows->count > 0) {
        qsort(rows->data, rows->count, sizeof(*rows->data), by_method);
    }
    for (size_t i = 0; i < rows->count;) {
        i += add_method(t, package, rows->data + i, rows->count - i, o);
    }
    add_unknown(t, package);
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void add_member(struct text *t, const char *key, signet_string value) {
    text_format(t, ",\"%s\":", key);
    text_json(t, value);
}

static void add_json_row(struct text *t, const signet_package *package,
                         const signet_state_row *row) {
    struct text type = {0};
    bool told = signet_program_has_state_tables(package, row->owner) &&
                row->kind != SIGNET_INPUT_KIND_USER_INPUT;
    text_put(t, "{\"target\":");
    text_json(t, row->target);
    add_member(t, "kind", signet_str(signet_input_kind_name(row->kind)));
    show_type(&type, package, row->type);
    add_member(t, "type", (signet_string){type.data, type.length});
    text_free(&type);
    add_member(t, "method", signet_program_name(package, row->method));
    add_member(t, "owner", signet_program_name(package, row->owner));
    add_member(t, "delegate", signet_delegate_name(package, row->delegate));
    text_format(t, ",\"input\":%u,\"mutated\":%s", (unsigned)row->input,
                row->mutated ? "true" : "false");
    add_member(t, "writer", signet_node_display_name(package, row->writer));
    if (row->mutated) {
        text_format(t, ",\"output\":%u", (unsigned)row->writer_output);
    } else {
        text_put(t, ",\"output\":null");
    }
    text_format(
        t, ",\"readers_before\":%u,\"readers_after\":%u,\"shared\":%s,\"initial_value\":%s}",
        (unsigned)row->readers_before, (unsigned)row->readers_after, row->shared ? "true" : "false",
        !told                    ? "null"
        : row->has_initial_value ? "true"
                                 : "false");
}

static void add_json(struct text *t, const signet_package *package, const char *path,
                     const struct rows *rows, bool first) {
    text_put(t, first ? "\n{\"file\":" : ",\n{\"file\":");
    text_json(t, signet_str(path));
    add_member(t, "format", signet_str(signet_carrier_name(signet_package_carrier(package))));
    text_put(t, ",\"states\":[");
    for (size_t i = 0; i < rows->count; i++) {
        text_put(t, i > 0 ? ",\n" : "\n");
        add_json_row(t, package, &rows->data[i].state);
    }
    text_put(t, "\n],\"unknown_delegates\":[");
    bool any = false;
    for (uint32_t i = 0; i < signet_delegate_count(package); i++) {
        signet_delegate delegate = signet_delegate_at(package, i);
        if (signet_delegate_body(package, delegate).id == 0) {
            text_put(t, any ? "," : "");
            text_json(t, signet_delegate_name(package, delegate));
            any = true;
        }
    }
    text_put(t, "]}");
}

/* ---- Files ----------------------------------------------------------------------------------- */

static enum status show_file(struct state_options *o, const char *path, bool *first) {
    enum status status = STATUS_OK;
    struct out *out = &o->output.out;
    struct rows rows = {NULL, 0, 0};
    signet_package *package = source_read_one(&o->source, path, &status);
    if (package == NULL) {
        return status;
    }
    signet_status told = signet_state_report(package, add_row, &rows);
    if (told != SIGNET_OK) {
        trouble("%s: %s", source_name(path), signet_status_text(told));
        status = status_worse(status, status_of(told));
    } else if (o->json) {
        add_json(&out->text, package, source_name(path), &rows, *first);
        *first = false;
    } else {
        text_put(&out->text, *first ? "" : "\n");
        add_table(&out->text, package, path, &rows, o);
        *first = false;
    }
    out_flush(out);
    free(rows.data);
    signet_package_destroy(package);
    return status;
}

static enum status show_files(struct state_options *o, int count, char **files) {
    struct text *t = &o->output.out.text;
    enum status status = STATUS_OK;
    bool first = true;
    if (o->json) {
        text_format(t, "{\"signet\":\"%s\",\"files\":[", signet_version());
    }
    for (int i = 0; i < count; i++) {
        status = status_worse(status, show_file(o, files[i], &first));
    }
    text_put(t, o->json ? "\n]}\n" : "");
    return status_worse(status, out_close(&o->output.out));
}

static enum status run(int argc, char **argv) {
    struct state_options o = {.source = source_options_default()};
    int first = 0;
    enum status status = STATUS_OK;
    if (options_parse(&command_state, argc, argv, take, &o, &first, &status) == PARSED &&
        !source_options_help(&o.source, &status)) {
        status = source_files_are_right(&o.source, "state", argc - first, argv + first)
                     ? show_files(&o, argc - first, argv + first)
                     : STATUS_USE;
    }
    source_options_free(&o.source);
    return status;
}
