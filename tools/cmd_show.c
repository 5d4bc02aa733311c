/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"
#include "source.h"
#include "table.h"

#include <inttypes.h>
#include <string.h>

static const struct option_row form_options[] = {
    {KEY_OPERATORS, "operators", NULL, "also: which operators, and how often each"},
    {KEY_JSON, "json", NULL, "everything, as one JSON object"},
    {0, NULL, NULL, NULL},
};

static const struct option_group groups[] = {{"Form", form_options},
                                             {"Reading", options_of_reading},
                                             {"Output", options_of_output},
                                             {NULL, options_as_from},
                                             {NULL, NULL}};

static enum status run(int argc, char **argv);

const struct command command_show = {
    .name = "show",
    .usage = "[OPTION...] FILE",
    .title = "Gives an overview: inputs, outputs, state, delegates.",
    .about = "Positions count from 0. Where the signature names another value than stands at\n"
             "the position, both are shown. Kinds are called as PyTorch calls them.\n"
             "\n"
             "Exit status: 0 shown; 1 shown as far as FILE could be read, or not at all, and\n"
             "the errors are on standard error; 2 to 4 as for signet lint.\n",
    .examples = "  signet show model.pt2\n"
                "  signet show --operators model.pt2\n"
                "  signet show --json model.pt2 | jq '.programs[].outputs'\n",
    .groups = groups,
    .run = run,
};

struct show_options {
    struct output_options output;
    struct source_options source;
    bool operators, json, color;
};

static bool take(void *user, int key, char *argument) {
    struct show_options *o = user;
    switch (key) {
    case KEY_OPERATORS:
        o->operators = true;
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

/* ---- Pieces ---------------------------------------------------------------------------------- */

static void add_bold(struct text *t, const char *text, bool color) {
    text_format(t, "%s%s%s", color ? "\033[1m" : "", text, color ? "\033[0m" : "");
}

static void add_number(struct text *t, uint64_t number, const char *what) {
    text_format(t, "%" PRIu64 " %s%s", number, what, number == 1 ? "" : "s");
}

/* The first row: what the columns hold. */
static void add_titles(struct table *table, const char *const *titles) {
    for (size_t i = 0, columns = table->columns; i < columns; i++) {
        table_cell(table, titles[i]);
    }
}

/* ": 1 BUFFER, 2 USER_INPUT", in order of the first of each. */
static void add_kinds(struct text *t, const signet_package *package, signet_program program,
                      signet_side side) {
    enum { KINDS = 16 };
    struct {
        const char *name;
        uint64_t count;
    } kinds[KINDS] = {{NULL, 0}};
    size_t kind_count = 0;
    for (uint32_t i = 0; i < signet_spec_count(package, program, side); i++) {
        struct show_slot slot = show_slot_at(package, program, side, i);
        const char *name = slot.spec.kind == 0 ? "of unknown kind" : slot.kind;
        size_t k = 0;
        while (k < kind_count && strcmp(kinds[k].name, name) != 0) {
            k++;
        }
        if (k == kind_count && k < KINDS) {
            kinds[k].name = name;
            kinds[k].count = 0;
            kind_count++;
        }
        kinds[k < KINDS ? k : KINDS - 1].count++;
    }
    for (size_t k = 0; k < kind_count; k++) {
        text_format(t, "%s%" PRIu64 " %s", k == 0 ? ": " : ", ", kinds[k].count, kinds[k].name);
    }
}

static void add_versions(struct text *t, const signet_package *package, signet_program program) {
    signet_program_info info = SIGNET_PROGRAM_INFO_INIT;
    signet_program_get_info(package, program, &info);
    if (info.schema_major > 0) {
        text_format(t, ", schema %u.%u", (unsigned)info.schema_major, (unsigned)info.schema_minor);
    }
    if (info.torch_version.data != NULL) {
        text_put(t, ", PyTorch ");
        text_escaped(t, info.torch_version);
    }
    for (uint32_t i = 0; i < signet_program_dialect_count(package, program); i++) {
        text_put(t, i == 0 ? ", dialect " : " ");
        text_escaped(t, signet_program_dialect(package, program, i));
    }
    const char *stage = signet_stage_name(signet_program_detect_stage(package, program));
    if (stage != NULL) {
        text_format(t, ", stage %s", stage);
    }
}

static void add_name_cell(struct table *table, const signet_package *package,
                          const struct show_slot *slot) {
    if (slot->name.data == NULL && slot->is_literal) {
        show_literal(&table->cells, package, slot->literal);
    } else {
        text_escaped(&table->cells, slot->name);
    }
    if (slot->at.data != NULL) {
        text_put(&table->cells, " (here: ");
        text_escaped(&table->cells, slot->at);
        text_put(&table->cells, ")");
    }
    table_end_cell(table);
}

static void add_slots(struct text *t, const signet_package *package, signet_program program,
                      signet_side side) {
    static const char *const titles[] = {"#", "kind", "name", "type", "target"};
    struct table table = {.columns = 5, .indent = 4, .right = {true}};
    uint32_t count = show_slot_count(package, program, side);
    text_put(t, "\n  ");
    add_number(t, count, side == SIGNET_INPUT ? "input" : "output");
    add_kinds(t, package, program, side);
    text_put(t, "\n");
    if (count == 0) {
        return;
    }
    add_titles(&table, titles);
    for (uint32_t i = 0; i < count; i++) {
        struct show_slot slot = show_slot_at(package, program, side, i);
        table_number(&table, i);
        table_string(&table, signet_str(slot.kind != NULL ? slot.kind : "no spec"));
        add_name_cell(&table, package, &slot);
        show_value_type(&table.cells, package, slot.value);
        table_end_cell(&table);
        if (slot.spec.target.data != NULL) {
            text_escaped(&table.cells, slot.spec.target);
        }
        if (slot.spec.persistent == SIGNET_PERSISTENT_NO) {
            text_put(&table.cells, " (not persistent)");
        }
        table_end_cell(&table);
    }
    table_print(&table, t);
}

static void add_state(struct text *t, const signet_package *package, signet_program program) {
    static const char *const titles[] = {"name", "type", "table", "record", "bytes"};
    struct table table = {.columns = 5, .indent = 4, .right = {[4] = true}};
    uint32_t count = signet_state_count(package, program);
    if (count == 0) {
        return;
    }
    text_put(t, "\n  ");
    add_number(t, count, "stored value");
    text_put(t, "\n");
    add_titles(&table, titles);
    for (uint32_t i = 0; i < count; i++) {
        signet_state state = SIGNET_STATE_INIT;
        (void)signet_state_get(package, program, i, &state);
        table_string(&table, state.name);
        show_type(&table.cells, package, state.type);
        text_put(&table.cells, state.type.id == 0 ? "object" : "");
        table_end_cell(&table);
        text_put(&table.cells, show_table_name(state.table));
        text_put(&table.cells, state.is_parameter ? ", parameter" : "");
        text_put(&table.cells, state.is_pickled ? ", pickled" : "");
        table_end_cell(&table);
        table_string(&table, state.record);
        if (state.has_bytes) {
            table_number(&table, state.record_bytes);
        } else {
            table_cell(&table, "-");
        }
    }
    table_print(&table, t);
}

static void add_ranges(struct text *t, const signet_package *package, signet_program program) {
    static const char *const titles[] = {"symbol", "from", "to"};
    struct table table = {.columns = 3, .indent = 4, .right = {[1] = true, [2] = true}};
    uint32_t count = signet_program_range_count(package, program);
    if (count == 0) {
        return;
    }
    text_put(t, "\n  ");
    add_number(t, count, "range");
    text_put(t, "\n");
    add_titles(&table, titles);
    for (uint32_t i = 0; i < count; i++) {
        signet_range range = signet_program_range(package, program, i);
        table_string(&table, range.symbol);
        text_format(&table.cells, range.has_min ? "%" PRId64 : "-", range.min);
        table_end_cell(&table);
        text_format(&table.cells, range.has_max ? "%" PRId64 : "-", range.max);
        table_end_cell(&table);
    }
    table_print(&table, t);
}

static void add_delegates(struct text *t, const signet_package *package,
                          const struct show_facts *facts) {
    static const char *const titles[] = {"name", "backend", "calls", "program inside"};
    struct table table = {.columns = 4, .indent = 4, .right = {[2] = true}};
    if (facts->call_count == 0) {
        return;
    }
    text_put(t, "\n  ");
    add_number(t, facts->call_count, "delegate");
    text_put(t, "\n");
    add_titles(&table, titles);
    for (size_t i = 0; i < facts->call_count; i++) {
        signet_delegate delegate = facts->calls[i].delegate;
        signet_program body = signet_delegate_body(package, delegate);
        table_string(&table, signet_delegate_name(package, delegate));
        table_string(&table, signet_delegate_backend(package, delegate));
        table_number(&table, facts->calls[i].count);
        table_string(&table, signet_program_name(package, body));
    }
    table_print(&table, t);
}

static void add_operators(struct text *t, const struct show_facts *facts) {
    static const char *const titles[] = {"times", "operator"};
    struct table table = {.columns = 2, .indent = 4, .right = {true}};
    if (facts->operator_count == 0) {
        return;
    }
    text_put(t, "\n  ");
    add_number(t, facts->operator_count, "operator");
    text_put(t, "\n");
    add_titles(&table, titles);
    for (size_t i = 0; i < facts->operator_count; i++) {
        table_number(&table, facts->operators[i].count);
        table_string(&table, facts->operators[i].name);
    }
    table_print(&table, t);
}

static void add_program(struct text *t, const signet_package *package, signet_program program,
                        const struct show_options *o) {
    struct show_facts facts;
    struct text name = {0};
    show_facts(&facts, package, program);
    text_escaped(&name, signet_program_name(package, program));
    text_put(t, "\n");
    add_bold(t, name.length > 0 ? name.data : "(no name)", o->color);
    text_free(&name);
    text_put(t, ": ");
    if (signet_program_get_role(package, program) == SIGNET_ROLE_BODY) {
        text_put(t, "inside delegate ");
        text_escaped(t, signet_delegate_name(package, signet_program_delegate(package, program)));
        text_put(t, ", ");
    }
    add_number(t, facts.nodes, "node");
    if (facts.subgraphs > 0) {
        text_put(t, " with ");
        add_number(t, facts.subgraphs, "subgraph");
    }
    add_versions(t, package, program);
    text_put(t, "\n");
    add_slots(t, package, program, SIGNET_INPUT);
    add_slots(t, package, program, SIGNET_OUTPUT);
    add_state(t, package, program);
    add_ranges(t, package, program);
    add_delegates(t, package, &facts);
    if (o->operators) {
        add_operators(t, &facts);
    }
    show_facts_free(&facts);
}

static const char *carrier_text(signet_carrier carrier) {
    switch (carrier) {
    case SIGNET_CARRIER_UNKNOWN:
        break;
#define SIGNET_CARRIER(id, keyword, text)                                                          \
    case SIGNET_CARRIER_##id:                                                                      \
        return text;
#include <signet/kinds.def>
    }
    return "unknown";
}

static void show(struct show_options *o, const signet_package *package, const char *path) {
    struct out *out = &o->output.out;
    if (o->json) {
        show_json(&out->text, package, source_name(path));
        return;
    }
    o->color = output_options_color(&o->output);
    text_escaped(&out->text, signet_str(source_name(path)));
    text_format(&out->text, ": %s, ", carrier_text(signet_package_carrier(package)));
    uint32_t count = signet_program_count(package);
    add_number(&out->text, count, "program");
    text_put(&out->text, "\n");
    for (uint32_t i = 0; i < count; i++) {
        add_program(&out->text, package, signet_program_at(package, i), o);
        out_flush(out);
    }
}

static enum status run(int argc, char **argv) {
    struct show_options o = {.source = source_options_default()};
    int first = 0;
    enum status status = STATUS_OK;
    if (options_parse(&command_show, argc, argv, take, &o, &first, &status) == PARSED &&
        !source_options_help(&o.source, &status)) {
        const char *path = source_one_file(&command_show, argc - first, argv + first);
        status = STATUS_USE;
        signet_package *package = path != NULL ? source_read_one(&o.source, path, &status) : NULL;
        if (package != NULL) {
            show(&o, package, path);
            status = status_worse(status, out_close(&o.output.out));
        }
        signet_package_destroy(package);
    }
    source_options_free(&o.source);
    return status;
}
