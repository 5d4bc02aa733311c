/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "tests/support/allocator.h"

/* ---- Releases of PyTorch --------------------------------------------------------------------- */

static void expect_state(const struct reading *r, signet_program program, const char *name,
                         signet_table table, bool is_parameter, uint32_t rank, uint64_t bytes) {
    for (uint32_t i = 0; i < signet_state_count(r->p, program); i++) {
        signet_state state = SIGNET_STATE_INIT;
        signet_type_info info = SIGNET_TYPE_INFO_INIT;
        cr_assert(signet_state_get(r->p, program, i, &state));
        if (strcmp(state.name.data, name) != 0) {
            continue;
        }
        signet_type_get(r->p, state.type, &info);
        cr_expect_eq(state.table, table, "%s", name);
        cr_expect_eq(state.is_parameter, is_parameter, "%s", name);
        cr_expect_eq(info.rank, rank, "%s", name);
        cr_expect_eq(info.dtype, SIGNET_DTYPE_F32, "%s", name);
        cr_expect(state.has_bytes, "%s", name);
        cr_expect_eq(state.record_bytes, bytes, "%s: %llu bytes", name,
                     (unsigned long long)state.record_bytes);
        return;
    }
    cr_expect_fail("no state '%s'", name);
}

/* One program, written by ten releases: two layouts, three ways to store the weights. */
Test(pt2, releases) {
    static const struct {
        const char *file;
        uint32_t major, minor;
        signet_carrier carrier;
        signet_stage stage;
        uint32_t nodes, outputs;
        const char *torch_version;
    } rows[] = {
        {"counter_2.3.1.pt2", 5, 1, SIGNET_CARRIER_PT2_FLAT, SIGNET_STAGE_ATEN, 10, 3, NULL},
        {"counter_2.4.1.pt2", 5, 3, SIGNET_CARRIER_PT2_FLAT, SIGNET_STAGE_ATEN, 7, 3, NULL},
        {"counter_2.5.1.pt2", 7, 3, SIGNET_CARRIER_PT2_FLAT, SIGNET_STAGE_ATEN, 7, 3, "2.5.1+"},
        {"counter_2.6.0.pt2", 8, 2, SIGNET_CARRIER_PT2_FLAT, SIGNET_STAGE_TRAINING, 7, 1, "2.6.0+"},
        {"counter_2.7.1.pt2", 8, 7, SIGNET_CARRIER_PT2_FLAT, SIGNET_STAGE_TRAINING, 7, 1, "2.7.1+"},
        {"counter_2.8.0.pt2", 8, 8, SIGNET_CARRIER_PT2_ARCHIVE, SIGNET_STAGE_TRAINING, 7, 1,
         "2.8.0+"},
        {"counter_2.9.1.pt2", 8, 14, SIGNET_CARRIER_PT2_ARCHIVE, SIGNET_STAGE_TRAINING, 7, 1,
         "2.9.1+"},
        {"counter_2.13.0.pt2", 8, 20, SIGNET_CARRIER_PT2_ARCHIVE, SIGNET_STAGE_TRAINING, 7, 1,
         "2.13.0+"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct reading r;
        signet_program_info info = SIGNET_PROGRAM_INFO_INIT;
        read_data(&r, rows[i].file);
        cr_assert_eq(r.status, SIGNET_OK, "%s", rows[i].file);
        cr_expect_eq(r.errors + r.warnings, 0, "%s: %s", rows[i].file, reading_text(&r));
        cr_expect_eq(signet_package_carrier(r.p), rows[i].carrier);
        cr_assert_eq(signet_program_count(r.p), 1);
        signet_program program = signet_program_at(r.p, 0);
        signet_graph graph = signet_program_graph(r.p, program);
        signet_program_get_info(r.p, program, &info);
        cr_expect_str_eq(signet_program_name(r.p, program).data, "model");
        cr_expect(info.schema_major == rows[i].major && info.schema_minor == rows[i].minor);
        cr_expect_eq(info.torch_version.data == NULL, rows[i].torch_version == NULL);
        cr_expect(rows[i].torch_version == NULL ||
                      strncmp(info.torch_version.data, rows[i].torch_version,
                              strlen(rows[i].torch_version)) == 0,
                  "%s: %s", rows[i].file, info.torch_version.data);
        cr_expect_eq(signet_program_stage(r.p, program), rows[i].stage, "%s", rows[i].file);
        cr_expect_eq(signet_graph_node_count(r.p, graph), rows[i].nodes, "%s", rows[i].file);
        cr_expect_eq(signet_graph_output_count(r.p, graph), rows[i].outputs);
        cr_expect_eq(signet_spec_count(r.p, program, SIGNET_INPUT), 5);
        cr_expect_eq(signet_spec_count(r.p, program, SIGNET_OUTPUT), rows[i].outputs);
        cr_expect(signet_program_has_calls(r.p, program));
        cr_expect(!signet_program_is_lossy(r.p, program));
        cr_expect(signet_program_has_state_tables(r.p, program), "%s", rows[i].file);
        cr_expect_eq(signet_state_count(r.p, program), 4);
        expect_state(&r, program, "lin.weight", SIGNET_TABLE_STATE_DICT, true, 2, 24);
        expect_state(&r, program, "lin.bias", SIGNET_TABLE_STATE_DICT, true, 1, 8);
        expect_state(&r, program, "count", SIGNET_TABLE_STATE_DICT, false, 1, 4);
        expect_state(&r, program, "total", SIGNET_TABLE_CONSTANTS, false, 1, 8);
        reading_end(&r);
    }
}

Test(pt2, a_release_that_is_too_old) {
    struct reading r;
    read_data(&r, "counter_2.2.2.pt2");
    cr_assert_eq(r.status, SIGNET_E_VERSION);
    cr_assert_eq(r.errors, 1, "%s", reading_text(&r));
    cr_assert_eq(r.seen[0].code, SIGNET_CODE_CARRIER_SCHEMA_VERSION);
    cr_assert_str_eq(r.seen[0].entry, "serialized_exported_program.json");
    cr_assert_not_null(strstr(r.seen[0].help, "PyTorch 2.6"));
    reading_end(&r);
}

Test(pt2, several_programs) {
    static const char *const names[] = {"forward", "put", "get"};
    static const uint32_t mutations[] = {1, 1, 0};
    struct reading r;
    read_data(&r, "three_methods.pt2");
    cr_assert_eq(r.errors + r.warnings, 0, "%s", reading_text(&r));
    cr_assert_eq(signet_program_count(r.p), 3);
    for (uint32_t i = 0; i < 3; i++) {
        signet_program program = signet_program_at(r.p, i);
        cr_assert_str_eq(signet_program_name(r.p, program).data, names[i]);
        cr_assert_eq(
            signet_program_is_mutated(r.p, program, SIGNET_INPUT_KIND_BUFFER, signet_str("cell")),
            mutations[i]);
        cr_assert_eq(signet_state_count(r.p, program), 1);
    }
    reading_end(&r);
}

/* ---- What a program holds -------------------------------------------------------------------- */

static signet_node node_named(const struct reading *r, signet_graph graph, const char *name) {
    signet_node node = signet_graph_first(r->p, graph);
    while (node.id != 0 && strcmp(signet_node_display_name(r->p, node).data, name) != 0) {
        node = signet_node_next(r->p, node);
    }
    cr_assert_neq(node.id, 0, "no node '%s'", name);
    return node;
}

/* The argument of that name. */
static signet_arg input_named(const struct reading *r, signet_node node, const char *name) {
    for (uint32_t i = 0; i < signet_node_input_count(r->p, node); i++) {
        signet_arg arg = signet_node_input(r->p, node, i);
        if (strcmp(signet_arg_name(r->p, arg).data, name) == 0) {
            return arg;
        }
    }
    cr_assert_fail("no argument '%s'", name);
    return (signet_arg){0};
}

Test(pt2, arguments) {
    struct reading r;
    read_data(&r, "args_2.13.0.pt2");
    cr_assert_eq(r.errors + r.warnings, 0, "%s", reading_text(&r));
    signet_package *p = r.p;
    signet_graph graph = signet_program_graph(p, signet_program_at(p, 0));
    signet_node full = node_named(&r, graph, "full");
    signet_arg arg = input_named(&r, full, "size");
    cr_assert_eq(signet_arg_get_kind(p, arg), SIGNET_ARG_INTS);
    cr_assert_eq(signet_arg_child_count(p, arg), 2);
    cr_assert_eq(signet_arg_int(p, signet_arg_child(p, arg, 1)), 3);
    cr_assert(isinf(signet_arg_float(p, input_named(&r, full, "fill_value"))));
    arg = input_named(&r, full, "dtype");
    cr_assert_eq(signet_arg_get_kind(p, arg), SIGNET_ARG_SCALAR_TYPE);
    cr_assert_eq(signet_arg_int(p, arg), SIGNET_DTYPE_F64);
    cr_assert_eq(signet_arg_passing(p, arg), SIGNET_PASSING_KEYWORD);
    bool has_index = true;
    int64_t index;
    arg = input_named(&r, full, "device");
    cr_assert_str_eq(signet_arg_device(p, arg, &has_index, &index).data, "cpu");
    cr_assert_not(has_index);
    cr_assert_eq(signet_arg_get_kind(p, input_named(&r, full, "pin_memory")), SIGNET_ARG_BOOL);
    arg = input_named(&r, node_named(&r, graph, "mul"), "other");
    cr_assert_eq(signet_arg_get_kind(p, arg), SIGNET_ARG_COMPLEX);
    cr_assert_eq(signet_arg_float(p, signet_arg_child(p, arg, 0)), 1.5);
    cr_assert_eq(signet_arg_float(p, signet_arg_child(p, arg, 1)), -2.0);
    arg = input_named(&r, node_named(&r, graph, "index"), "indices");
    cr_assert_eq(signet_arg_get_kind(p, arg), SIGNET_ARG_OPTIONAL_TENSORS);
    cr_assert_eq(signet_arg_get_kind(p, signet_arg_child(p, arg, 0)), SIGNET_ARG_NONE);
    cr_assert_eq(signet_arg_get_kind(p, signet_arg_child(p, arg, 2)), SIGNET_ARG_TENSOR);
    cr_assert_neq(signet_arg_value(p, signet_arg_child(p, arg, 2)).id, 0);
    arg = input_named(&r, node_named(&r, graph, "narrow"), "length");
    cr_assert_eq(signet_arg_get_kind(p, arg), SIGNET_ARG_SYM_INT);
    cr_assert_not(signet_arg_is_literal(p, arg));
    signet_value item = signet_arg_value(p, arg);
    cr_assert_eq(signet_value_get_kind(p, item), SIGNET_VALUE_SYM_INT);
    signet_sym_info sym = signet_sym_get(p, signet_value_sym(p, item));
    cr_assert_eq(sym.kind, SIGNET_SYM_EXPR);
    cr_assert_str_eq(sym.text.data, "Symbol('u0', integer=True)");
    cr_assert_eq(signet_expr_get_head(p, sym.expr), SIGNET_EXPR_SYMBOL);
    cr_assert_eq(sym.hint, SIGNET_SYM_NONE);
    reading_end(&r);
}

Test(pt2, subgraphs) {
    struct reading r;
    read_data(&r, "cond_nested.pt2");
    cr_assert_eq(r.errors + r.warnings, 0, "%s", reading_text(&r));
    signet_graph graph = signet_program_graph(r.p, signet_program_at(r.p, 0));
    signet_node cond = signet_graph_first(r.p, graph);
    while (signet_node_operator(r.p, cond).op_class != SIGNET_OPERATOR_HIGHER_ORDER) {
        cond = signet_node_next(r.p, cond);
    }
    signet_arg arg = signet_node_input(r.p, cond, 1);
    cr_assert_eq(signet_arg_get_kind(r.p, arg), SIGNET_ARG_GRAPH);
    signet_graph inner = signet_arg_graph(r.p, arg);
    cr_assert_eq(signet_graph_parent(r.p, inner).id, cond.id);
    cr_assert_str_eq(signet_graph_name(r.p, inner).data, "true_graph_0");
    cr_assert_gt(signet_graph_node_count(r.p, inner), 0);
    /* names of one graph are none of the other */
    signet_value value = signet_arg_value(r.p, signet_graph_input(r.p, inner, 0));
    cr_assert_eq(signet_value_graph(r.p, value).id, inner.id);
    cr_assert_eq(signet_value_described_as(r.p, value), SIGNET_VALUE_TENSOR);
    reading_end(&r);
}

/* Constant inputs are literals with a declared name; so are constant outputs, without one. */
Test(pt2, constants) {
    static const signet_arg_kind kinds[] = {SIGNET_ARG_TENSOR, SIGNET_ARG_NONE,   SIGNET_ARG_INT,
                                            SIGNET_ARG_FLOAT,  SIGNET_ARG_STRING, SIGNET_ARG_BOOL};
    static const char *const names[] = {"x", "n", "i", "f", "s", "b"};
    struct reading r;
    read_data(&r, "scalar_inputs_outputs.pt2");
    cr_assert_eq(r.errors + r.warnings, 0, "%s", reading_text(&r));
    signet_program program = signet_program_at(r.p, 0);
    signet_graph graph = signet_program_graph(r.p, program);
    for (uint32_t i = 0; i < 6; i++) {
        signet_spec spec = SIGNET_SPEC_INIT;
        signet_arg input = signet_graph_input(r.p, graph, i);
        cr_assert(signet_spec_get(r.p, program, SIGNET_INPUT, i, &spec));
        cr_expect_eq(spec.kind, SIGNET_INPUT_KIND_USER_INPUT);
        cr_expect_eq(spec.arg_kind, kinds[i]);
        cr_expect_str_eq(spec.name.data, names[i]);
        cr_expect_eq(signet_arg_get_kind(r.p, input), kinds[i]);
        cr_expect_eq(signet_arg_value(r.p, input).id != 0, i == 0);
        cr_expect_eq(signet_arg_value(r.p, spec.arg).id, 0);
    }
    signet_spec spec = SIGNET_SPEC_INIT;
    cr_assert(signet_spec_get(r.p, program, SIGNET_INPUT, 2, &spec));
    cr_assert_eq(signet_arg_int(r.p, spec.arg), 3);
    cr_assert(signet_spec_get(r.p, program, SIGNET_OUTPUT, 3, &spec));
    cr_assert_eq(spec.kind, SIGNET_OUTPUT_KIND_USER_OUTPUT);
    cr_assert_null(spec.name.data);
    cr_assert_eq(signet_arg_float(r.p, spec.arg), 2.5);
    reading_end(&r);
}

/* Files of early 2024 have no name for a None input. */
Test(pt2, nameless_none) {
    struct reading r;
    signet_spec spec = SIGNET_SPEC_INIT;
    read_data(&r, "old_style_none_input.pt2");
    cr_assert_eq(r.errors + r.warnings, 0, "%s", reading_text(&r));
    cr_assert(signet_spec_get(r.p, signet_program_at(r.p, 0), SIGNET_INPUT, 1, &spec));
    cr_assert_null(spec.name.data);
    cr_assert_eq(spec.arg_kind, SIGNET_ARG_NONE);
    reading_end(&r);
}

Test(pt2, tokens_and_objects) {
    struct reading r;
    signet_spec spec = SIGNET_SPEC_INIT;
    read_data(&r, "custom_object_token.pt2");
    cr_assert_eq(r.errors + r.warnings, 0, "%s", reading_text(&r));
    signet_program program = signet_program_at(r.p, 0);
    cr_assert(signet_spec_get(r.p, program, SIGNET_INPUT, 0, &spec));
    cr_assert(spec.kind == SIGNET_INPUT_KIND_TOKEN && spec.arg_kind == SIGNET_ARG_TOKEN);
    cr_assert_str_eq(spec.name.data, "token");
    cr_assert(signet_spec_get(r.p, program, SIGNET_INPUT, 1, &spec));
    cr_assert(spec.kind == SIGNET_INPUT_KIND_CUSTOM_OBJ && spec.arg_kind == SIGNET_ARG_CUSTOM_OBJ);
    cr_assert_str_eq(spec.target.data, "attr");
    cr_assert_str_eq(signet_arg_class(r.p, spec.arg).data,
                     "__torch__.torch.classes._TorchScriptTesting._Foo");
    signet_value value =
        signet_graph_find(r.p, signet_program_graph(r.p, program), signet_str("obj_attr"));
    cr_assert_eq(signet_value_described_as(r.p, value), SIGNET_VALUE_CUSTOM_OBJ);
    signet_state state = SIGNET_STATE_INIT;
    cr_assert(signet_state_get(r.p, program, 0, &state));
    cr_assert(state.is_pickled && state.type.id == 0);
    reading_end(&r);
}

/* ---- Records --------------------------------------------------------------------------------- */

struct config_edit {
    const char *from, *to;
    const char *code;
    const char *message;
};

static void set_data(struct zip_maker_entry *e, const char *text) {
    e->data = text;
    e->data_length = strlen(text);
    e->local.crc = zip_maker_crc(text, strlen(text));
    e->local.size = e->local.packed = (uint32_t)strlen(text);
    e->central = e->local;
}

Test(pt2, weights_and_their_records) {
    static const struct config_edit edits[] = {
        {"weight_0", "weight_0", NULL, NULL},
        {"{\"as_int\": 1}], \"requires", "{\"as_int\": 0}], \"requires", NULL, NULL},
        {"weight_0", "weight_9", "carrier.record-missing",
         "the data of 'counter' should lie in record 'r/data/weights/weight_9'"},
        {"weight_0", "../weights/weight_0", "carrier.path-escape", "leaves the archive by '..'"},
        {"weight_0", "/etc/passwd", "carrier.path-escape", "is absolute"},
        {"weight_0", "C:weight_0", "carrier.path-escape", "begins with a drive"},
        {"weight_0", "..\\\\weight_0", "carrier.path-escape", "holds a backslash"},
        {"{\"as_int\": 1}], \"requires", "{\"as_int\": 2}], \"requires",
         "carrier.data-out-of-range", "it needs 8 bytes, record 'r/data/weights/weight_0' has 4"},
        {"\"storage_offset\": {\"as_int\": 0}", "\"storage_offset\": {\"as_int\": 1}",
         "carrier.data-out-of-range", "it needs 8 bytes"},
        {"\"storage_offset\": {\"as_int\": 0}", "\"storage_offset\": {\"as_int\": -1}",
         "carrier.data-out-of-range", "its offset or a stride is negative"},
        {"\"storage_offset\": {\"as_int\": 0}",
         "\"storage_offset\": {\"as_int\": 9223372036854775807}", "carrier.size-overflow",
         "do not fit 64 bits"},
        {"{\"as_int\": 1}], \"requires", "{\"as_int\": 4611686018427387904}], \"requires",
         "carrier.size-overflow", "does not fit 64 bits"},
        {"{\"as_int\": 1}], \"requires",
         "{\"as_expr\": {\"expr_str\": \"Symbol('s0', integer=True)\", \"hint\": null}}], "
         "\"requires",
         "carrier.field-type", "a stored tensor has a symbolic size"},
        {"\"is_param\": false", "\"is_param\": 0", "carrier.field-type",
         "'is_param' of PayloadMeta"},
        {"\"use_pickle\": false, ", "", "carrier.field-missing",
         "PayloadMeta has no member 'use_pickle'"},
        {"\"dtype\": 7", "\"dtype\": 66", "carrier.enum-value", "dtype 66"},
        {"{\"config\"", "{\"configs\"", "carrier.field-missing",
         "PayloadConfig has no member 'config'"},
        {"{\"config\"", "{\"config\"]", "carrier.json-syntax", "the text is no JSON"},
    };
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        struct archive a;
        struct reading r;
        archive_init(&a);
        char *changed = replaced(archive_config, edits[i].from, 1, edits[i].to);
        set_data(a.weights, changed);
        archive_read(&a, &r, false);
        cr_assert_eq(r.status, SIGNET_OK);
        cr_expect_eq(r.errors + r.warnings, edits[i].code != NULL ? 1 : 0, "%s: %s", edits[i].to,
                     reading_text(&r));
        if (edits[i].code != NULL) {
            const struct seen *s = reading_find(&r, signet_code_find(signet_str(edits[i].code)));
            cr_assert_not_null(s, "%s: %s", edits[i].to, reading_text(&r));
            cr_expect_not_null(strstr(s->message, edits[i].message), "%s", s->message);
            cr_expect_str_eq(s->entry, "r/data/weights/model_weights_config.json");
            cr_expect(s->has_byte);
        }
        reading_end(&r);
        free(changed);
    }
}

/* Both of these share one record, which both know by its name. */
Test(pt2, states_that_share_a_record) {
    struct archive a;
    struct reading r;
    signet_state one = SIGNET_STATE_INIT, two = SIGNET_STATE_INIT;
    archive_init(&a);
    char *twice = malloc(2 * strlen(archive_config) + 16);
    cr_assert_not_null(twice);
    strcpy(twice, archive_config);
    twice[strlen(twice) - 2] = '\0';
    strcat(strcat(twice, ", \"other\""), strstr(archive_config, ": {\"path_name\""));
    set_data(a.weights, twice);
    archive_read(&a, &r, false);
    cr_assert_eq(r.errors, 0, "%s", reading_text(&r));
    signet_program program = signet_program_at(r.p, 0);
    cr_assert(signet_state_get(r.p, program, 0, &one) && signet_state_get(r.p, program, 1, &two));
    cr_assert_str_eq(one.record.data, "r/data/weights/weight_0");
    cr_assert_str_eq(one.record.data, two.record.data);
    cr_assert_eq(one.type.id, two.type.id);
    reading_end(&r);
    free(twice);
}

Test(pt2, missing_records) {
    static const char *const messages[] = {
        "no record 'r/data/weights/model_weights_config.json'",
        "no record 'r/data/constants/model_constants_config.json'",
        "no record 'r/data/sample_inputs/model.pt'",
        "no record 'r/archive_format'",
        "no record 'r/archive_version'",
        "no record 'r/.data/version'",
        "the archive has no program",
    };
    for (int i = 0; i < 7; i++) {
        struct archive a;
        struct reading r;
        archive_init(&a);
        struct zip_maker_entry *gone[] = {a.weights, a.constants, a.inputs, a.format,
                                          a.version, a.framing,   a.program};
        strcpy(gone[i]->local.name, "r/extra/x");
        gone[i]->local.name_length = 9;
        gone[i]->central = gone[i]->local;
        archive_read(&a, &r, false);
        cr_assert_eq(r.status, i == 6 ? SIGNET_E_SYNTAX : SIGNET_OK, "%d", i);
        cr_assert_eq(r.errors, 1, "%s", reading_text(&r));
        cr_assert_eq(r.seen[0].code, SIGNET_CODE_CARRIER_RECORD_MISSING);
        cr_assert_not_null(strstr(r.seen[0].message, messages[i]), "%s", r.seen[0].message);
        if (i < 2) { /* a table that is not known is not an empty table */
            cr_assert_not(signet_program_has_state_tables(r.p, signet_program_at(r.p, 0)));
        }
        reading_end(&r);
    }
}

Test(pt2, records_that_hold_something_else) {
    for (int i = 0; i < 3; i++) {
        static const char *const messages[] = {
            "record 'archive_version' holds '1', expected '0'",
            "record 'r/.data/version' holds '11', expected a number from 1 to 10",
            "record 'archive_format' holds 'pt3', expected 'pt2'",
        };
        struct archive a;
        struct reading r;
        archive_init(&a);
        set_data(i == 0   ? a.version
                 : i == 1 ? a.framing
                          : a.format,
                 i == 0   ? "1"
                 : i == 1 ? "11"
                          : "pt3");
        archive_read(&a, &r, false);
        cr_assert_eq(r.status, SIGNET_OK);
        cr_assert_eq(r.errors, 1, "%s", reading_text(&r));
        cr_assert_str_eq(r.seen[0].message, messages[i]);
        reading_end(&r);
    }
}

Test(pt2, records_where_none_belongs) {
    static const char *const names[] = {"r/models/notes.txt", "r/models/d/", "other/x", "x"};
    for (size_t i = 0; i < 4; i++) {
        struct archive a;
        struct reading r;
        archive_init(&a);
        zip_maker_text(&a.zip, names[i], "");
        archive_read(&a, &r, false);
        cr_assert_eq(r.status, SIGNET_OK);
        cr_assert_eq(r.errors, 1, "%s", reading_text(&r));
        cr_assert_eq(r.seen[0].code, SIGNET_CODE_CARRIER_RECORD_UNEXPECTED);
        cr_assert_str_eq(r.seen[0].help, "move it below 'r/extra/'");
        reading_end(&r);
    }
}

/* A program that cannot be read does not keep the others from it. */
Test(pt2, one_broken_program_of_two) {
    struct archive a;
    struct reading r;
    archive_init(&a);
    zip_maker_text(&a.zip, "r/models/other.json", "{\"graph_module\": ");
    archive_read(&a, &r, false);
    cr_assert_eq(r.status, SIGNET_OK);
    cr_assert_eq(signet_program_count(r.p), 1);
    cr_assert_eq(r.errors, 1, "%s", reading_text(&r));
    cr_assert_eq(r.seen[0].code, SIGNET_CODE_CARRIER_TRUNCATED);
    cr_assert_str_eq(r.seen[0].entry, "r/models/other.json");
    reading_end(&r);
}

/* ---- Other ways in --------------------------------------------------------------------------- */

Test(pt2, bare_json_takes_the_states_of_an_archive) {
    struct reading json, base;
    struct archive a;
    read_data(&json, "small.json");
    cr_assert_eq(json.status, SIGNET_OK);
    signet_program program = signet_program_at(json.p, 0);
    cr_assert_eq(signet_package_carrier(json.p), SIGNET_CARRIER_JSON);
    cr_assert_not(signet_program_has_state_tables(json.p, program));
    archive_init(&a);
    archive_read(&a, &base, false);
    cr_assert_eq(signet_package_take_state(json.p, base.p), SIGNET_OK);
    reading_end(&base); /* nothing of it is borrowed */
    signet_state state = SIGNET_STATE_INIT;
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    cr_assert(signet_program_has_state_tables(json.p, program));
    cr_assert_eq(signet_state_count(json.p, program), 1);
    cr_assert(signet_state_get(json.p, program, 0, &state));
    cr_assert_str_eq(state.name.data, "counter");
    cr_assert_str_eq(state.record.data, "r/data/weights/weight_0");
    signet_type_get(json.p, state.type, &info);
    cr_assert(info.rank == 1 && info.stride_count == 1 && info.dtype == SIGNET_DTYPE_F32);
    cr_assert_eq(signet_sym_get(json.p, info.sizes[0]).number, 1);
    /* a second time there is nothing left to fill */
    cr_assert_eq(signet_package_take_state(json.p, json.p), SIGNET_E_INVALID_ARG);
    reading_end(&json);
}

/* A pipe has no size and no positions. */
Test(pt2, from_a_pipe) {
    struct reading r;
    char path[] = "/tmp/signet-test-XXXXXX", pipe_path[64];
    cr_assert_not_null(mkdtemp(path));
    snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", path);
    cr_assert_eq(mkfifo(pipe_path, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        size_t size;
        char *bytes = data_bytes("counter_2.13.0.pt2", &size);
        FILE *f = fopen(pipe_path, "wb");
        _exit(f != NULL && fwrite(bytes, 1, size, f) == size && fclose(f) == 0 ? 0 : 1);
    }
    read_path(&r, pipe_path, NULL);
    cr_assert_eq(r.status, SIGNET_OK);
    cr_assert_eq(r.errors, 0);
    cr_assert_eq(signet_program_count(r.p), 1);
    reading_end(&r);
    remove(pipe_path);
    remove(path);
}

/* ---- No memory ------------------------------------------------------------------------------- */

static signet_status read_once(const signet_allocator *a, void *user) {
    const struct archive *archive = user;
    signet_package *p = NULL;
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.allocator = a;
    options.deep = true;
    signet_status status =
        signet_read_memory(&p, archive->zip.bytes, archive->zip.size, "memory", &options, NULL);
    signet_package_destroy(p);
    return status;
}

Test(pt2, survives_every_failure_of_memory) {
    struct archive a;
    archive_init(&a);
    zip_maker_make(&a.zip);
    cr_assert_gt(test_each_failure(read_once, &a), 50);
    zip_maker_free(&a.zip);
    free(a.model);
}

static signet_status read_bytes_once(const signet_allocator *a, void *user) {
    const struct zip_maker *z = user;
    signet_package *p = NULL;
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.allocator = a;
    signet_status status = signet_read_memory(&p, z->bytes, z->size, "memory", &options, NULL);
    signet_package_destroy(p);
    return status;
}

/* Weights in pickles, deflated records. */
Test(pt2, survives_every_failure_of_memory_in_pickles) {
    static const char *const names[] = {"counter_2.8.0.pt2", "counter_2.5.1.pt2", "deflated.pt2"};
    for (size_t i = 0; i < 3; i++) {
        struct zip_maker z;
        zip_maker_init(&z);
        z.bytes = (unsigned char *)data_bytes(names[i], &z.size);
        cr_assert_gt(test_each_failure(read_bytes_once, &z), 50);
        zip_maker_free(&z);
    }
}

/* ---- Bodies of delegates --------------------------------------------------------------------- */

static uint32_t attach_errors;

static void count_error(void *user, const signet_diag *d) {
    (void)user;
    attach_errors += d->severity == SIGNET_SEVERITY_ERROR;
}

static signet_status attach(signet_package *p, const char *delegate, const char *file) {
    char path[1024];
    signet_sink sink = {count_error, NULL};
    attach_errors = 0;
    data_path(path, sizeof(path), file);
    return signet_package_attach_body(p, delegate, path, NULL, &sink);
}

Test(pt2, body_of_a_delegate) {
    struct reading r;
    read_data(&r, "../seed/broken.txt");
    cr_assert_eq(r.status, SIGNET_OK, "%s", reading_text(&r));
    signet_delegate d = signet_delegate_find(r.p, signet_str("lowered_module_0"));
    cr_assert_neq(d.id, 0);
    /* nothing is left behind by what cannot be a body */
    cr_assert_eq(attach(r.p, "lowered_module_9", "small.json"), SIGNET_E_INVALID_ARG);
    cr_assert_eq(attach(r.p, "lowered_module_0", "nothing.json"), SIGNET_E_IO);
    cr_assert_eq(attach(r.p, "lowered_module_0", "three_methods.pt2"), SIGNET_E_UNSUPPORTED);
    cr_assert_eq(attach_errors, 1);
    cr_assert_eq(attach(r.p, "lowered_module_0", "counter_2.2.2.pt2"), SIGNET_E_VERSION);
    cr_assert_eq(attach_errors, 1);
    cr_assert_eq(signet_package_status(r.p), SIGNET_OK);
    cr_assert_eq(signet_program_count(r.p), 1);
    cr_assert_eq(attach(r.p, "lowered_module_0", "small.json"), SIGNET_OK);
    cr_assert_eq(attach_errors, 0);
    cr_assert_eq(signet_program_count(r.p), 2);
    signet_program body = signet_delegate_body(r.p, d);
    cr_assert_eq(signet_program_get_role(r.p, body), SIGNET_ROLE_BODY);
    cr_assert_eq(signet_program_delegate(r.p, body).id, d.id);
    cr_assert_str_eq(signet_program_name(r.p, body).data, "lowered_module_0");
    cr_assert_eq(signet_graph_node_count(r.p, signet_program_graph(r.p, body)), 2);
    cr_assert_eq(signet_package_carrier(r.p), SIGNET_CARRIER_PRINTED);
    reading_end(&r);
}
