/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/allocator.h"
#include "tests/support/programs.h"
#include "write_case.h"

/* Has every kind of argument, spec, table and number, spelled as Python's json.dumps does. */
#define EVERYTHING "tests/data/json/everything.json"

Test(write_json, everything_keeps_its_bytes) {
    struct sg_text in, out;
    case_load(&in, EVERYTHING);
    signet_package *p = case_read(&in, EVERYTHING);
    signet_writer writer = case_writer(&out);
    cr_assert_eq(signet_write_json(p, signet_program_at(p, 0), &writer), SIGNET_OK);
    cr_assert_str_eq(out.data, in.data);
    cr_assert_eq(out.length, in.length);
    signet_package_destroy(p);
    sg_text_free(&in);
    sg_text_free(&out);
}

/* The exact text takes everything along. */
Test(write_json, by_way_of_the_exact_text) {
    struct sg_text in, sgt, out;
    case_load(&in, EVERYTHING);
    signet_package *p = case_read(&in, EVERYTHING);
    signet_writer to_sgt = case_writer(&sgt), to_out = case_writer(&out);
    cr_assert_eq(signet_write_sgt(p, &to_sgt), SIGNET_OK);
    signet_package *q = case_read(&sgt, "everything.sgt");
    cr_assert_eq(signet_write_json(q, signet_program_at(q, 0), &to_out), SIGNET_OK);
    cr_assert_str_eq(out.data, in.data);
    signet_package_destroy(p);
    signet_package_destroy(q);
    sg_text_free(&in);
    sg_text_free(&sgt);
    sg_text_free(&out);
}

/* Edits the text of everything.json, reads it and writes it again. */
static void expect(const char *from, const char *to, const char *written) {
    struct sg_text in, edited, out;
    case_load(&in, EVERYTHING);
    char *at = strstr(in.data, from);
    cr_assert_not_null(at, "%s", from);
    sg_text_init(&edited, &sg_default_allocator);
    sg_text_put(&edited, in.data, (size_t)(at - in.data));
    sg_text_puts(&edited, to);
    sg_text_puts(&edited, at + strlen(from));
    signet_package *p = case_read(&edited, "edited.json");
    signet_writer writer = case_writer(&out);
    cr_assert_eq(signet_write_json(p, signet_program_at(p, 0), &writer), SIGNET_OK);
    cr_assert_not_null(strstr(out.data, written), "no %s after %s -> %s", written, from, to);
    signet_package *q = case_read(&out, "written.json");
    case_equal(p, q, to);
    signet_package_destroy(p);
    signet_package_destroy(q);
    sg_text_free(&in);
    sg_text_free(&edited);
    sg_text_free(&out);
}

Test(write_json, other_spellings_become_pythons) {
    expect("{\"as_float\": 1e-05}", "{ \"as_float\":0.00001 }", "{\"as_float\": 1e-05}");
    expect("{\"as_float\": 0.0001}", "{\"as_float\":1}", "{\"as_float\": 1.0}");
    expect("{\"as_float\": \"NaN\"}", "{\"as_float\": NaN}", "{\"as_float\": \"NaN\"}");
    expect("\\u20ac", "\xe2\x82\xac\xf0\x9f\x98\x80", "\\u20ac\\ud83d\\ude00");
    expect("del \\u007f /", "del \x7f \\/", "del \\u007f /");
}

/* What no schema knows stays, and what cannot be read comes back as it was. */
Test(write_json, broken_things_come_back) {
    expect("{\"as_int\": -7}", "{\"as_new\": {\"b\":[1,2.50,true],\"c\":\"\\u00E9\"}}",
           "{\"as_new\": {\"b\": [1, 2.5, true], \"c\": \"\\u00e9\"}}");
    expect("{\"as_int\": -7}", "{\"as_int\": \"seven\"}", "{\"as_int\": \"seven\"}");
    expect("{\"as_int\": -7}", "{}", "\"arg\": {}");
    expect("{\"as_ints\": [1, 2, -3]}", "{\"as_ints\": [1, \"two\", -3]}",
           "{\"as_ints\": [1, \"two\", -3]}");
    expect("{\"user_output\": {\"arg\": {\"as_int\": 5}}}",
           "{\"new_output\": {\"arg\":[5,{}],\"to\":null}}",
           "{\"new_output\": {\"arg\": [5, {}], \"to\": null}}");
    expect("{\"user_output\": {\"arg\": {\"as_int\": 5}}}", "{\"a\":1,\"b\":{}}",
           "{\"a\": 1, \"b\": {}}");
    expect("\"persistent\": false", "\"persistent\": null", "\"persistent\": null");
    expect("{\"as_sym_int\": {\"as_int\": 3}}", "{\"as_sym_int\": {\"as_name\": 3}}",
           "{\"as_sym_int\": {\"as_name\": 3}}");
}

/* Where the value ends that begins at `at`. */
static size_t value_end(const char *text, size_t at) {
    size_t depth = 0;
    for (;; at++) {
        char c = text[at];
        if (c == '"') {
            for (at++; text[at] != '"'; at++) {
                at += text[at] == '\\' ? 1 : 0;
            }
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            depth -= depth > 0 ? 1 : 0;
        } else if (depth == 0 && (c == ',' || c == '\0')) {
            return at;
        }
        if (depth == 0 && strchr("]},", text[at + 1]) != NULL) {
            return at + 1;
        }
    }
}

/* Reads, writes, reads again: equal, unless it cannot be read. */
static uint32_t comes_back(const struct sg_text *in, const char *what) {
    signet_package *p = NULL;
    if (signet_read_memory(&p, in->data, in->length, "x", NULL, NULL) != SIGNET_OK) {
        return 0;
    }
    struct sg_text out;
    signet_writer writer = case_writer(&out);
    cr_assert_eq(signet_write_json(p, signet_program_at(p, 0), &writer), SIGNET_OK);
    signet_package *q = case_read(&out, "written.json");
    case_equal(p, q, what);
    signet_package_destroy(p);
    signet_package_destroy(q);
    sg_text_free(&out);
    return 1;
}

/* Each member of each object in turn holds something else. */
Test(write_json, whatever_can_be_read_comes_back) {
    static const char *const others[] = {"null", "7", "{}"};
    struct sg_text in, edited;
    uint32_t count = 0;
    case_load(&in, EVERYTHING);
    sg_text_init(&edited, &sg_default_allocator);
    for (size_t at = 0; at + 3 < in.length; at++) {
        if (memcmp(in.data + at, "\": ", 3) != 0 || in.data[at - 1] == '\\') {
            continue;
        }
        size_t begin = at + 3, end = value_end(in.data, begin);
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
            sg_text_clear(&edited);
            sg_text_put(&edited, in.data, begin);
            sg_text_puts(&edited, others[i]);
            sg_text_put(&edited, in.data + end, in.length - end);
            char what[128]; /* the member, and what it holds now */
            snprintf(what, sizeof(what), "%.*s -> %s", 60, edited.data + (at > 40 ? at - 40 : 0),
                     others[i]);
            count += comes_back(&edited, what);
        }
    }
    cr_assert_gt(count, 1000);
    sg_text_free(&in);
    sg_text_free(&edited);
}

Test(write_json, schema_decides_which_members_there_are) {
    expect("\"minor\": 20", "\"minor\": 7", "\"torch_version\": \"2.13.0+cpu\", \"guards_code\"");
    expect("\"minor\": 20", "\"minor\": 2", "{\"as_float\": NaN}");
    expect("\"minor\": 20", "\"minor\": 2", "{\"as_device\": {\"type\": \"cpu\"}}");
}

Test(write_json, built_by_calls) {
    struct sg_text out;
    signet_package *p = NULL;
    signet_writer writer = case_writer(&out);
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program program = test_seed(p);
    cr_assert_eq(signet_write_json(p, program, &writer), SIGNET_OK);
    signet_package *q = case_read(&out, "built.json");
    signet_program_info info = SIGNET_PROGRAM_INFO_INIT;
    signet_program_get_info(q, signet_program_at(q, 0), &info);
    cr_assert_eq(info.schema_major, 8);
    cr_assert_eq(signet_graph_node_count(q, signet_program_graph(q, signet_program_at(q, 0))), 2);
    signet_package_destroy(p);
    signet_package_destroy(q);
    sg_text_free(&out);
}

Test(write_json, refuses_what_it_has_no_form_for) {
    struct sg_text out;
    signet_package *p = NULL;
    signet_writer writer = case_writer(&out);
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program program = test_seed(p);
    signet_arg arg =
        signet_node_input(p, signet_graph_first(p, signet_program_graph(p, program)), 0);
    signet_arg_set_raw(p, arg, signet_str("as_x"), signet_str("no JSON"));
    cr_assert_eq(signet_write_json(p, program, &writer), SIGNET_E_UNSUPPORTED);
    signet_arg_set_string(p, arg, SIGNET_ARG_ATTRIBUTE, signet_str("lowered"));
    cr_assert_eq(signet_write_json(p, program, &writer), SIGNET_E_UNSUPPORTED);
    signet_arg_set_none(p, arg);
    cr_assert_eq(signet_write_json(p, program, &writer), SIGNET_OK);
    signet_program_set_lossy(p, program, true);
    cr_assert_eq(signet_write_json(p, program, &writer), SIGNET_E_UNSUPPORTED);
    cr_assert_eq(signet_write_json(p, (signet_program){0}, &writer), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_write_json(NULL, program, &writer), SIGNET_E_INVALID_ARG);
    signet_package_destroy(p);
    sg_text_free(&out);
}

/* Deeper than any stack of calls. */
Test(write_json, depth_costs_no_recursion) {
    struct sg_text out;
    signet_package *p = NULL;
    signet_writer writer = case_writer(&out);
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program program = test_seed(p);
    signet_arg arg =
        signet_node_input(p, signet_graph_first(p, signet_program_graph(p, program)), 0);
    for (int i = 0; i < 200000; i++) {
        arg = signet_arg_set_list(p, arg, SIGNET_ARG_STRING_MAP, 1);
    }
    cr_assert_eq(signet_package_status(p), SIGNET_OK);
    cr_assert_eq(signet_write_json(p, program, &writer), SIGNET_OK);
    cr_assert_gt(out.length, 200000 * strlen("{\"as_string_to_argument\": {}}"));
    signet_package_destroy(p);
    sg_text_free(&out);
}

Test(write_json, a_writer_that_stops) {
    struct sg_text in;
    case_load(&in, EVERYTHING);
    signet_package *p = case_read(&in, EVERYTHING);
    size_t left = 100;
    signet_writer writer = case_stopper(&left);
    cr_assert_eq(signet_write_json(p, signet_program_at(p, 0), &writer), SIGNET_E_STOPPED);
    signet_package_destroy(p);
    sg_text_free(&in);
}

static signet_status write_once(const signet_allocator *a, void *user) {
    size_t left = SIZE_MAX;
    signet_writer writer = case_stopper(&left);
    signet_package *p = NULL;
    signet_status status = signet_package_clone(&p, user, a);
    if (status == SIGNET_OK) {
        status = signet_write_json(p, signet_program_at(p, 0), &writer);
    }
    signet_package_destroy(p);
    return status;
}

Test(write_json, survives_every_failure) {
    struct sg_text in;
    case_load(&in, EVERYTHING);
    signet_package *p = case_read(&in, EVERYTHING);
    cr_assert_gt(test_each_failure(write_once, p), 10);
    signet_package_destroy(p);
    sg_text_free(&in);
}
