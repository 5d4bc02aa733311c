/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"

/* Faults of the JSON: one edit of a good program, and the one finding it must give. */
struct edit {
    const char *what;
    const char *from;
    uint32_t n; /* which occurrence */
    const char *to;
    const char *code;
    const char *path;
    const char *message; /* part of it */
    signet_status status;
};

#define GRAPH "$.graph_module.graph"
#define SIGNATURE "$.graph_module.signature"

static const struct edit edits[] = {
    {"nothing", "\"major\": 8", 1, "\"major\": 8", NULL, NULL, NULL, SIGNET_OK},
    /* What PyTorch reads as the same program. */
    {"other order of members", "\"dtype\": 7, \"sizes\": [{\"as_int\": 1}]", 1,
     "\"sizes\": [{\"as_int\": 1}], \"dtype\": 7", NULL, NULL, NULL, SIGNET_OK},
    {"no node name", "\"name\": \"add\"}, {\"target\"", 1, "\"name\": null}, {\"target\"", NULL,
     NULL, NULL, SIGNET_OK},
    {"nothing where null stands", "\"device\": {\"type\": \"cpu\", \"index\": null}", 1,
     "\"device\": {\"type\": \"cpu\"}", NULL, NULL, NULL, SIGNET_OK},
    {"an integer as float", "{\"as_int\": 1}, \"kind\"", 1, "{\"as_float\": 1}, \"kind\"", NULL,
     NULL, NULL, SIGNET_OK},
    {"NaN as a word", "{\"as_int\": 1}, \"kind\"", 1, "{\"as_float\": NaN}, \"kind\"", NULL, NULL,
     NULL, SIGNET_OK},
    {"infinity as text", "{\"as_int\": 1}, \"kind\"", 1, "{\"as_float\": \"-Infinity\"}, \"kind\"",
     NULL, NULL, NULL, SIGNET_OK},
    {"an older minor", "\"minor\": 20", 1, "\"minor\": 2", NULL, NULL, NULL, SIGNET_OK},
    {"no dialects", "\"verifiers\": [\"ATEN\"]", 1, "\"verifiers\": []", NULL, NULL, NULL,
     SIGNET_OK},
    {"an open range", "\"range_constraints\": {}", 1,
     "\"range_constraints\": {\"s0\": {\"min_val\": -Infinity, \"max_val\": null}}", NULL, NULL,
     NULL, SIGNET_OK},
    /* Records and unions. */
    {"member missing", "\"nodes\": [", 1, "\"nodez\": [", "carrier.field-missing", GRAPH,
     "Graph has no member 'nodes', expected a list", SIGNET_OK},
    {"signature missing", "\"signature\": {\"input_specs\"", 1, "\"sig\": {\"input_specs\"",
     "carrier.field-missing", "$.graph_module", "GraphModule has no member 'signature'", SIGNET_OK},
    {"table of another kind", "\"sym_int_values\": {}", 1, "\"sym_int_values\": []",
     "carrier.field-type", GRAPH ".sym_int_values",
     "'sym_int_values' of Graph is an empty list, expected an object", SIGNET_OK},
    {"name that is a number", "{\"as_tensor\": {\"name\": \"x\"}}, \"kind\"", 1,
     "{\"as_tensor\": {\"name\": 7}}, \"kind\"", "carrier.field-type",
     GRAPH ".nodes[1].inputs[0].arg.as_tensor.name",
     "'name' of TensorArgument is 7, expected a string", SIGNET_OK},
    {"flag that is a number", "\"requires_grad\": false", 2, "\"requires_grad\": 1",
     "carrier.field-type", GRAPH ".tensor_values.x.requires_grad",
     "'requires_grad' of TensorMeta is 1, expected true or false", SIGNET_OK},
    {"spec with two kinds", "{\"user_output\": {", 1, "{\"loss_output\": {}, \"user_output\": {",
     "carrier.union-tag", SIGNATURE ".output_specs[1]",
     "OutputSpec has 2 members ('loss_output', 'user_output'), expected one", SIGNET_OK},
    {"spec without a kind", "{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"x\"}}}}", 1,
     "{}", "carrier.union-tag", SIGNATURE ".input_specs[1]", "InputSpec is an empty object",
     SIGNET_OK},
    {"spec of an unknown kind", "\"buffer_mutation\"", 1, "\"buffer_mutations\"",
     "carrier.union-tag", SIGNATURE ".output_specs[0]",
     "OutputSpec has no kind 'buffer_mutations' in schema 8.20; the nearest is 'buffer_mutation'",
     SIGNET_OK},
    {"argument of an unknown kind", "{\"as_int\": 1}, \"kind\"", 1,
     "{\"as_quaternion\": [1]}, \"kind\"", "carrier.union-tag", GRAPH ".nodes[0].inputs[1].arg",
     "Argument has no kind 'as_quaternion'", SIGNET_OK},
    {"wrapped argument of a mutation", "{\"buffer_mutation\": {\"arg\": {\"name\": \"add\"}", 1,
     "{\"buffer_mutation\": {\"arg\": {\"as_tensor\": {\"name\": \"add\"}}",
     "carrier.field-missing", SIGNATURE ".output_specs[0].buffer_mutation.arg",
     "TensorArgument has no member 'name'", SIGNET_OK},
    {"target member missing", "\"arg\": {\"name\": \"add\"}, \"buffer_name\": \"counter\"", 1,
     "\"arg\": {\"name\": \"add\"}", "carrier.field-missing",
     SIGNATURE ".output_specs[0].buffer_mutation",
     "BufferMutationSpec has no member 'buffer_name', expected a string or null", SIGNET_OK},
    {"unknown dtype", "\"dtype\": 7", 3, "\"dtype\": 99", "carrier.enum-value",
     GRAPH ".tensor_values.add.dtype", "dtype 99 is no ScalarType of schema 8.20", SIGNET_OK},
    {"unknown layout", "\"layout\": 7", 1, "\"layout\": 70", "carrier.enum-value",
     GRAPH ".tensor_values.b_counter.layout", "layout 70 is no Layout", SIGNET_OK},
    {"unknown argument kind", "\"kind\": 1", 2, "\"kind\": 3", "carrier.enum-value",
     GRAPH ".nodes[0].inputs[1].kind", "argument kind 3", SIGNET_OK},
    {"member twice", "\"target\": \"torch", 1, "\"target\": \"x\", \"target\": \"torch",
     "carrier.json-duplicate-key", GRAPH ".nodes[0].target", "member 'target' stands twice",
     SIGNET_OK},
    {"description twice", "\"x\": {\"dtype\"", 1, "\"b_counter\": {\"dtype\"",
     "carrier.json-duplicate-key", GRAPH ".tensor_values.b_counter", "member 'b_counter'",
     SIGNET_OK},
    {"union member twice", "{\"as_int\": 1}, \"kind\"", 1,
     "{\"as_int\": 2, \"as_int\": 1}, \"kind\"", "carrier.json-duplicate-key",
     GRAPH ".nodes[0].inputs[1].arg.as_int", "member 'as_int'", SIGNET_OK},
    /* Numbers. */
    {"float for an integer", "{\"as_int\": 1}, \"kind\"", 1, "{\"as_int\": 1.0}, \"kind\"",
     "carrier.json-number", GRAPH ".nodes[0].inputs[1].arg.as_int",
     "'as_int' of Argument is 1.0, expected an integer of 64 bits", SIGNET_OK},
    {"2 to the 63", "{\"as_int\": 1}, \"kind\"", 1, "{\"as_int\": 9223372036854775808}, \"kind\"",
     "carrier.json-number", GRAPH ".nodes[0].inputs[1].arg.as_int", "9223372036854775808",
     SIGNET_OK},
    {"a size that is no integer", "\"sizes\": [{\"as_int\": 1}]", 1,
     "\"sizes\": [{\"as_int\": 1.5}]", "carrier.json-number",
     GRAPH ".tensor_values.b_counter.sizes[0].as_int", "'as_int' is 1.5", SIGNET_OK},
    {"text for a float", "{\"as_int\": 1}, \"kind\"", 1, "{\"as_float\": \"much\"}, \"kind\"",
     "carrier.field-type", GRAPH ".nodes[0].inputs[1].arg.as_float", "expected a number",
     SIGNET_OK},
    {"sizes that overflow", "\"sizes\": [{\"as_int\": 1}]", 1,
     "\"sizes\": [{\"as_int\": 1099511627776}, {\"as_int\": 1099511627776}]",
     "carrier.size-overflow", GRAPH ".tensor_values.b_counter.sizes", "does not fit 64 bits",
     SIGNET_OK},
    /* Text. */
    {"control character in a name", "\"name\": \"add_1\"}", 3, "\"name\": \"add\\u0000_1\"}",
     "carrier.control-character", GRAPH ".nodes[1].name", "holds a control character (0x00)",
     SIGNET_OK},
    {"expression that is Python", "\"sizes\": [{\"as_int\": 1}]", 1,
     "\"sizes\": [{\"as_expr\": {\"expr_str\": \"__import__('os').system('true')\", \"hint\": "
     "null}}]",
     "carrier.expression", GRAPH ".tensor_values.b_counter.sizes[0].as_expr.expr_str",
     "is no expression", SIGNET_OK},
    /* What is refused. */
    {"no program", "\"graph_module\"", 1, "\"graph\"", "carrier.field-missing", "$",
     "ExportedProgram has no member 'graph_module'", SIGNET_E_SYNTAX},
    {"a later major", "\"major\": 8", 1, "\"major\": 9", "carrier.schema-version",
     "$.schema_version", "schema version 9.20, but this reader knows 8.x (up to 8.20), 7.x and 5.x",
     SIGNET_E_VERSION},
    {"an early version", "\"schema_version\": {\"major\": 8, \"minor\": 20}", 1,
     "\"schema_version\": 2", "carrier.schema-version", "$.schema_version", "schema version 2, but",
     SIGNET_E_VERSION},
    {"text behind the value", "\"guards_code\": []}", 1, "\"guards_code\": []} x",
     "carrier.json-trailing", "", "more text follows", SIGNET_E_SYNTAX},
    {"a comma too many", "\"guards_code\": []}", 1, "\"guards_code\": [],}", "carrier.json-syntax",
     "", "the text is no JSON", SIGNET_E_SYNTAX},
    {"half of a surrogate pair", "\"name\": \"add_1\"}", 1, "\"name\": \"add\\ud800\"}",
     "carrier.not-utf8", "", "half of a surrogate pair", SIGNET_E_SYNTAX},
    {"a byte that is no UTF-8", "\"name\": \"add_1\"}", 1, "\"name\": \"add\xff\"}",
     "carrier.not-utf8", "", "no UTF-8", SIGNET_E_SYNTAX},
};

static void check_edit(const char *text, const struct edit *e) {
    struct reading r;
    char *changed = replaced(text, e->from, e->n, e->to);
    read_bytes(&r, changed, strlen(changed), NULL);
    cr_expect_eq(r.status, e->status, "%s: status %d", e->what, (int)r.status);
    cr_expect_eq(r.errors + r.warnings, e->code != NULL ? 1 : 0, "%s: %s", e->what,
                 reading_text(&r));
    if (e->code != NULL) {
        const struct seen *s = reading_find(&r, signet_code_find(signet_str(e->code)));
        cr_expect_not_null(s, "%s: no %s, but: %s", e->what, e->code, reading_text(&r));
        if (s != NULL) {
            cr_expect_str_eq(s->path, e->path, "%s: path %s", e->what, s->path);
            cr_expect_not_null(strstr(s->message, e->message), "%s: message %s", e->what,
                               s->message);
            cr_expect(s->has_byte && s->byte < strlen(changed), "%s: byte", e->what);
        }
    }
    reading_end(&r);
    free(changed);
}

Test(pt2_json, one_fault_one_finding) {
    size_t size;
    char *text = data_bytes("small.json", &size);
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        check_edit(text, &edits[i]);
    }
    free(text);
}

/* Where a finding points to: the byte of the value, and the text there is what the message says. */
Test(pt2_json, bytes_of_findings) {
    size_t size;
    struct reading r;
    char *text = data_bytes("small.json", &size);
    char *changed = replaced(text, "\"dtype\": 7", 3, "\"dtype\": 99");
    read_bytes(&r, changed, strlen(changed), NULL);
    const struct seen *s = reading_find(&r, SIGNET_CODE_CARRIER_ENUM_VALUE);
    cr_assert_not_null(s);
    cr_assert_eq(strncmp(changed + s->byte, "99", 2), 0);
    reading_end(&r);
    free(changed);
    free(text);
}

/* A near name, and what to do about it. */
Test(pt2_json, near_member) {
    size_t size;
    struct reading r;
    char *text = data_bytes("small.json", &size);
    char *changed = replaced(text, "\"nodes\": [", 1, "\"node\": [");
    read_bytes(&r, changed, strlen(changed), NULL);
    const struct seen *s = reading_find(&r, SIGNET_CODE_CARRIER_FIELD_MISSING);
    cr_assert_not_null(s);
    cr_assert_str_eq(s->help, "rename 'node' to 'nodes'");
    cr_assert_eq(reading_count(&r, SIGNET_CODE_CARRIER_FIELD_UNKNOWN), 1);
    reading_end(&r);
    free(changed);
    free(text);
}

/* Everything in one run, and the rest of the program is there. */
Test(pt2_json, reading_goes_on) {
    size_t size;
    struct reading r;
    char *text = data_bytes("small.json", &size);
    char *one = replaced(text, "\"dtype\": 7", 1, "\"dtype\": 77");
    char *two = replaced(one, "\"requires_grad\": false", 3, "\"requires_grad\": null");
    char *three = replaced(two, "{\"as_int\": 1}, \"kind\"", 1, "{\"as_x\": 1}, \"kind\"");
    char *four = replaced(three, "{\"user_output\": {", 1, "{\"user_outputs\": {");
    read_bytes(&r, four, strlen(four), NULL);
    cr_assert_eq(r.status, SIGNET_OK);
    cr_assert_eq(r.errors, 4, "%s", reading_text(&r));
    signet_program program = signet_program_at(r.p, 0);
    signet_graph graph = signet_program_graph(r.p, program);
    cr_assert_eq(signet_graph_node_count(r.p, graph), 2);
    signet_arg arg = signet_node_input(r.p, signet_graph_first(r.p, graph), 1);
    signet_string raw;
    signet_string tag = signet_arg_raw(r.p, arg, &raw);
    cr_assert_eq(signet_arg_get_kind(r.p, arg), SIGNET_ARG_RAW);
    cr_assert_str_eq(tag.data, "as_x");
    cr_assert_str_eq(raw.data, "1");
    signet_spec spec = SIGNET_SPEC_INIT;
    cr_assert(signet_spec_get(r.p, program, SIGNET_OUTPUT, 1, &spec));
    cr_assert_eq(spec.kind, 0);
    cr_assert_str_eq(spec.raw_tag.data, "user_outputs");
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    signet_value value = signet_graph_find(r.p, graph, signet_str("b_counter"));
    signet_type_get(r.p, signet_value_type(r.p, value), &info);
    cr_assert_eq((int)info.dtype, 77); /* unknown numbers are kept */
    reading_end(&r);
    free(four);
    free(three);
    free(two);
    free(one);
    free(text);
}

/* The persistent flag is kept as it is: saying what is wrong with it is for the rules. */
Test(pt2_json, persistent_flags) {
    static const struct {
        const char *to;
        signet_persistence persistent;
    } rows[] = {
        {"\"persistent\": true", SIGNET_PERSISTENT_YES},
        {"\"persistent\": false", SIGNET_PERSISTENT_NO},
        {"\"persistent\": null", SIGNET_PERSISTENT_NULL},
        {"\"persistent\": \"true\"", SIGNET_PERSISTENT_ODD},
        {"\"note\": 1", SIGNET_PERSISTENT_ABSENT},
    };
    size_t size;
    char *text = data_bytes("small.json", &size);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct reading r;
        char *changed = replaced(text, "\"persistent\": true", 1, rows[i].to);
        read_bytes(&r, changed, strlen(changed), NULL);
        signet_spec spec = SIGNET_SPEC_INIT;
        cr_assert_eq(r.errors, 0, "%s", reading_text(&r));
        cr_assert(signet_spec_get(r.p, signet_program_at(r.p, 0), SIGNET_INPUT, 0, &spec));
        cr_assert_eq(spec.persistent, rows[i].persistent, "%s", rows[i].to);
        reading_end(&r);
        free(changed);
    }
    free(text);
}

Test(pt2_json, a_newer_minor_and_unknown_members_are_notes) {
    size_t size;
    struct reading r;
    char *text = data_bytes("small.json", &size);
    char *newer = replaced(text, "\"minor\": 20", 1, "\"minor\": 21");
    char *more =
        replaced(newer, "\"guards_code\"", 1, "\"colour\": [1, {\"a\": 2}], \"guards_code\"");
    read_bytes(&r, more, strlen(more), NULL);
    cr_assert_eq(r.errors + r.warnings, 0, "%s", reading_text(&r));
    cr_assert_eq(reading_count(&r, SIGNET_CODE_CARRIER_SCHEMA_NEWER), 1);
    cr_assert_eq(reading_count(&r, SIGNET_CODE_CARRIER_FIELD_UNKNOWN), 1);
    cr_assert_str_eq(reading_find(&r, SIGNET_CODE_CARRIER_FIELD_UNKNOWN)->path, "$.colour");
    reading_end(&r);
    free(more);
    free(newer);
    free(text);
}

/* ---- Hostile sizes --------------------------------------------------------------------------- */

static char *repeated(const char *text, size_t count) {
    size_t length = strlen(text);
    char *out = malloc(length * count + 1);
    cr_assert_not_null(out);
    for (size_t i = 0; i < count; i++) {
        memcpy(out + i * length, text, length);
    }
    out[length * count] = '\0';
    return out;
}

Test(pt2_json, nesting_beyond_the_limit) {
    struct reading r;
    char *deep = repeated("[", 200000);
    char text[32] = "{\"graph_module\": ";
    size_t head = strlen(text);
    char *all = malloc(head + 200001);
    cr_assert_not_null(all);
    memcpy(all, text, head);
    memcpy(all + head, deep, 200001);
    read_bytes(&r, all, head + 200000, NULL);
    cr_assert_neq(r.status, SIGNET_OK);
    cr_assert_eq(r.errors, 1, "%s", reading_text(&r));
    reading_end(&r);
    free(all);
    free(deep);
}

Test(pt2_json, nesting_that_closes) {
    struct reading r;
    size_t size;
    char *text = data_bytes("small.json", &size);
    char *open = repeated("[", 300), *close = repeated("]", 300);
    char *nested = malloc(700);
    cr_assert_not_null(nested);
    strcpy(nested, "\"guards_code\": ");
    strcat(strcat(nested, open), close);
    char *changed = replaced(text, "\"guards_code\": []", 1, nested);
    read_bytes(&r, changed, strlen(changed), NULL);
    cr_assert_eq(r.status, SIGNET_E_LIMIT);
    const struct seen *s = reading_find(&r, SIGNET_CODE_CARRIER_JSON_TOO_DEEP);
    cr_assert_not_null(s, "%s", reading_text(&r));
    cr_assert_not_null(strstr(s->message, "limit of 256"));
    cr_assert(s->has_byte);
    reading_end(&r);
    signet_limits limits = signet_limits_default();
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    limits.json_depth = 1000;
    options.limits = &limits;
    read_bytes(&r, changed, strlen(changed), &options);
    cr_assert_eq(r.status, SIGNET_OK); /* one finding: a list where a line of code is expected */
    cr_assert_eq(reading_count(&r, SIGNET_CODE_CARRIER_FIELD_TYPE), 1);
    reading_end(&r);
    free(changed);
    free(nested);
    free(close);
    free(open);
    free(text);
}

Test(pt2_json, ten_thousand_dimensions) {
    struct reading r;
    size_t size;
    char *text = data_bytes("small.json", &size);
    char *sizes = repeated("{\"as_int\": 1}, ", 10000);
    char *all = malloc(strlen(sizes) + 64);
    cr_assert_not_null(all);
    strcpy(all, "\"sizes\": [");
    strcat(strcat(all, sizes), "{\"as_int\": 1}]");
    char *changed = replaced(text, "\"sizes\": [{\"as_int\": 1}]", 1, all);
    read_bytes(&r, changed, strlen(changed), NULL);
    cr_assert_eq(r.status, SIGNET_E_LIMIT);
    cr_assert_not_null(reading_find(&r, SIGNET_CODE_CARRIER_LIMIT));
    cr_assert_not_null(strstr(reading_find(&r, SIGNET_CODE_CARRIER_LIMIT)->help, "--limit rank="));
    cr_assert_eq(r.errors, 1, "%s", reading_text(&r));
    reading_end(&r);
    free(changed);
    free(all);
    free(sizes);
    free(text);
}

Test(pt2_json, more_nodes_than_the_limit) {
    struct reading r;
    signet_limits limits = signet_limits_default();
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    size_t size;
    char *text = data_bytes("small.json", &size);
    options.limits = &limits;
    limits.nodes = 1;
    read_bytes(&r, text, size, &options);
    cr_assert_eq(r.status, SIGNET_E_LIMIT);
    cr_assert_eq(r.errors, 1, "%s", reading_text(&r));
    cr_assert_not_null(strstr(r.seen[0].help, "--limit nodes="));
    reading_end(&r);
    limits = signet_limits_default();
    limits.values = 3;
    read_bytes(&r, text, size, &options);
    cr_assert_eq(r.status, SIGNET_E_LIMIT);
    cr_assert_not_null(strstr(r.seen[0].help, "--limit values="));
    reading_end(&r);
    limits = signet_limits_default();
    limits.file_bytes = 100;
    read_bytes(&r, text, size, &options);
    cr_assert_eq(r.status, SIGNET_E_LIMIT);
    cr_assert_not_null(strstr(r.seen[0].help, "--limit file-bytes="));
    reading_end(&r);
    free(text);
}

/* Subgraphs nested deeper than the limit, and just as deep. */
Test(pt2_json, nested_subgraphs) {
    static const char open[] =
        "{\"inputs\": [], \"outputs\": [], \"nodes\": [{\"target\": \"torch.ops.higher_order.f\", "
        "\"inputs\": [{\"name\": \"\", \"arg\": {\"as_graph\": {\"name\": \"g\", \"graph\": ";
    static const char close[] = "}}}], \"outputs\": [], \"metadata\": {}}], \"tensor_values\": {}, "
                                "\"sym_int_values\": {}, \"sym_bool_values\": {}}";
    static const char leaf[] = "{\"inputs\": [], \"outputs\": [], \"nodes\": [], "
                               "\"tensor_values\": {}, \"sym_int_values\": {}, "
                               "\"sym_bool_values\": {}}";
    signet_limits limits = signet_limits_default();
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.limits = &limits;
    limits.json_depth = 4096;
    for (uint32_t depth = 64; depth <= 65; depth++) {
        struct reading r;
        char *head = repeated(open, depth), *tail = repeated(close, depth);
        char *text = malloc(strlen(head) + strlen(tail) + sizeof(leaf) + 512);
        cr_assert_not_null(text);
        strcpy(text, "{\"graph_module\": {\"graph\": ");
        strcat(strcat(strcat(text, head), leaf), tail);
        strcat(text,
               ", \"signature\": {\"input_specs\": [], \"output_specs\": []}, "
               "\"module_call_graph\": []}, \"opset_version\": {}, \"range_constraints\": {}, "
               "\"schema_version\": {\"major\": 8, \"minor\": 20}}");
        read_bytes(&r, text, strlen(text), &options);
        cr_assert_eq(r.status, depth == 64 ? SIGNET_OK : SIGNET_E_LIMIT, "%s", reading_text(&r));
        cr_assert_eq(r.errors, depth == 64 ? 0 : 1, "%s", reading_text(&r));
        reading_end(&r);
        free(text);
        free(tail);
        free(head);
    }
}
