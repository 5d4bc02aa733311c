/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "base/endian.h"
#include "formats/zip_write.h"
#include "tests/support/allocator.h"
#include "write_case.h"

static const signet_write_options rewriting = {sizeof(signet_write_options), true};

/* A file of tests/data/pt2 as bytes and as what was read from it. */
struct base {
    char *bytes;
    size_t size;
    signet_package *p;
    signet_program program;
};

static void base_open(struct base *b, const char *name) {
    struct reading r;
    b->bytes = data_bytes(name, &b->size);
    read_bytes(&r, b->bytes, b->size, NULL);
    cr_assert_eq(r.status, SIGNET_OK, "%s: %s", name, reading_text(&r));
    b->p = r.p;
    b->program = signet_program_at(b->p, 0);
}

static void base_close(struct base *b) {
    signet_package_destroy(b->p);
    free(b->bytes);
}

static signet_status write_over(const struct base *b, const signet_package *p,
                                const signet_write_options *options, struct sg_text *out) {
    signet_writer writer = case_writer(out);
    return signet_write_pt2_memory(p, b->bytes, b->size, "base.pt2", options, &writer, NULL);
}

static void assert_same_bytes(const struct base *b, const struct sg_text *out, const char *what) {
    cr_assert_eq(out->length, b->size, "%s: %zu bytes, not %zu", what, out->length, b->size);
    cr_assert_eq(memcmp(out->data, b->bytes, b->size), 0, "%s", what);
}

/* ---- Nothing changed ------------------------------------------------------------------------- */

/* Both ways: by copying what is as it was, and by writing all of it anew. */
Test(write_pt2, untouched_archives_keep_their_bytes) {
    static const char *const names[] = {
        "counter_2.13.0.pt2", "args_2.13.0.pt2",           "counter_2.9.1.pt2",
        "counter_2.8.0.pt2",  "three_methods.pt2",         "custom_object_token.pt2",
        "cond_nested.pt2",    "scalar_inputs_outputs.pt2", "counter_2.7.1.pt2",
        "counter_2.6.0.pt2",  "counter_2.5.1.pt2",         "counter_2.4.1.pt2",
        "counter_2.3.1.pt2"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct base b;
        struct sg_text out;
        base_open(&b, names[i]);
        cr_assert_eq(write_over(&b, b.p, NULL, &out), SIGNET_OK, "%s", names[i]);
        assert_same_bytes(&b, &out, names[i]);
        sg_text_free(&out);
        cr_assert_eq(write_over(&b, b.p, &rewriting, &out), SIGNET_OK, "%s", names[i]);
        assert_same_bytes(&b, &out, names[i]);
        sg_text_free(&out);
        base_close(&b);
    }
}

/* Packed records are unpacked where the archive is written anew. */
Test(write_pt2, packed_archives) {
    struct base b;
    struct sg_text out;
    base_open(&b, "deflated.pt2");
    cr_assert_eq(write_over(&b, b.p, NULL, &out), SIGNET_OK);
    assert_same_bytes(&b, &out, "deflated.pt2");
    sg_text_free(&out);
    cr_assert_eq(write_over(&b, b.p, &rewriting, &out), SIGNET_OK);
    cr_assert_gt(out.length, b.size);
    signet_package *q = case_read(&out, "stored.pt2");
    case_equal(b.p, q, "deflated.pt2");
    signet_package_destroy(q);
    sg_text_free(&out);
    base_close(&b);
}

Test(write_pt2, from_a_path) {
    char path[1024];
    struct base b;
    struct sg_text out;
    base_open(&b, "counter_2.13.0.pt2");
    data_path(path, sizeof(path), "counter_2.13.0.pt2");
    signet_writer writer = case_writer(&out);
    cr_assert_eq(signet_write_pt2(b.p, path, &rewriting, &writer, NULL), SIGNET_OK);
    assert_same_bytes(&b, &out, path);
    data_path(path, sizeof(path), "no_such_file.pt2");
    cr_assert_eq(signet_write_pt2(b.p, path, NULL, &writer, NULL), SIGNET_E_IO);
    sg_text_free(&out);
    base_close(&b);
}

/* The program comes back by way of its other forms, and finds itself unchanged. */
Test(write_pt2, from_other_forms) {
    struct base b;
    struct sg_text json, sgt, out;
    base_open(&b, "args_2.13.0.pt2");
    signet_writer to_json = case_writer(&json), to_sgt = case_writer(&sgt);
    cr_assert_eq(signet_write_json(b.p, b.program, &to_json), SIGNET_OK);
    cr_assert_eq(signet_write_sgt(b.p, &to_sgt), SIGNET_OK);
    signet_package *j = case_read(&json, "args.json"), *s = case_read(&sgt, "args.sgt");
    cr_assert_eq(write_over(&b, j, NULL, &out), SIGNET_OK);
    assert_same_bytes(&b, &out, "by way of JSON");
    sg_text_free(&out);
    cr_assert_eq(write_over(&b, s, &rewriting, &out), SIGNET_OK);
    assert_same_bytes(&b, &out, "by way of the exact text");
    signet_package_destroy(j);
    signet_package_destroy(s);
    sg_text_free(&out);
    sg_text_free(&json);
    sg_text_free(&sgt);
    base_close(&b);
}

/* ---- Edits ----------------------------------------------------------------------------------- */

/* Writes the edited program and reads it again: equal, and not the base. */
static void check_edited(const struct base *b, struct sg_text *out) {
    struct reading r;
    cr_assert_eq(signet_package_status(b->p), SIGNET_OK);
    cr_assert_eq(write_over(b, b->p, NULL, out), SIGNET_OK);
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.deep = true; /* every CRC is right */
    read_bytes(&r, out->data, out->length, &options);
    cr_assert_eq(r.status, SIGNET_OK);
    cr_assert_eq(r.errors + r.warnings, 0, "%s", reading_text(&r));
    case_equal(b->p, r.p, "edited");
    cr_assert(out->length != b->size || memcmp(out->data, b->bytes, b->size) != 0);
    reading_end(&r);
}

/* Content of the last record, which is the id. The data of every record is aligned. */
static const char *id_of(const char *data, size_t size) {
    const unsigned char *bytes = (const unsigned char *)data;
    size_t directory = sg_load_le32(bytes + size - 22 + 16);
    for (size_t at = directory; memcmp(data + at, "PK\1\2", 4) == 0;) {
        const unsigned char *local = bytes + sg_load_le32(bytes + at + 42);
        size_t begin =
            (size_t)(local - bytes) + 30 + sg_load_le16(local + 26) + sg_load_le16(local + 28);
        cr_assert_eq(begin % 64, 0);
        at += 46 + (size_t)sg_load_le16(bytes + at + 28);
    }
    return data + directory - 16 - 40; /* the sizes stand behind the data */
}

Test(write_pt2, a_renamed_value) {
    struct base b;
    struct sg_text out, again;
    base_open(&b, "counter_2.13.0.pt2");
    signet_graph graph = signet_program_graph(b.p, b.program);
    signet_value value = signet_arg_value(b.p, signet_graph_output(b.p, graph, 0));
    signet_value_rename(b.p, value, signet_str("renamed \xe2\x82\xac"));
    check_edited(&b, &out);
    const char *old_id = id_of(b.bytes, b.size), *id = id_of(out.data, out.length);
    cr_assert_neq(memcmp(id, old_id, 40), 0);
    cr_assert_eq(strspn(id, "0123456789"), 40);
    cr_assert_eq(write_over(&b, b.p, NULL, &again), SIGNET_OK);
    cr_assert_eq(again.length, out.length);
    cr_assert_eq(memcmp(again.data, out.data, out.length), 0, "the same edit, the same bytes");
    sg_text_free(&out);
    sg_text_free(&again);
    base_close(&b);
}

Test(write_pt2, a_dropped_output) {
    struct base b;
    struct sg_text out;
    base_open(&b, "args_2.13.0.pt2");
    uint32_t count = signet_spec_count(b.p, b.program, SIGNET_OUTPUT);
    signet_program_remove_output(b.p, b.program, count - 1);
    check_edited(&b, &out);
    sg_text_free(&out);
    base_close(&b);
}

static void insert_node(const struct base *b) {
    signet_graph graph = signet_program_graph(b->p, b->program);
    signet_node node = signet_node_insert(b->p, signet_graph_first(b->p, graph),
                                          signet_str("torch.ops.aten.neg.default"));
    signet_arg input = signet_node_set_inputs(b->p, node, 1);
    signet_value of = signet_arg_value(b->p, signet_graph_input(b->p, graph, 0));
    signet_arg_set_name(b->p, input, signet_str("self"), SIGNET_PASSING_POSITIONAL);
    signet_arg_set_value(b->p, input, SIGNET_ARG_TENSOR, of);
    signet_value result = signet_arg_set_named(b->p, signet_node_set_outputs(b->p, node, 1),
                                               SIGNET_ARG_TENSOR, signet_str("inserted"));
    signet_value_describe_tensor(b->p, result, signet_value_type(b->p, of));
    signet_node_set_name(b->p, node, signet_str("inserted"));
}

Test(write_pt2, an_inserted_node) {
    static const char *const names[] = {"counter_2.13.0.pt2", "counter_2.8.0.pt2",
                                        "custom_object_token.pt2"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct base b;
        struct sg_text out;
        base_open(&b, names[i]);
        insert_node(&b);
        check_edited(&b, &out);
        sg_text_free(&out);
        base_close(&b);
    }
}

Test(write_pt2, an_inserted_node_in_a_flat_zip) {
    struct base b;
    struct sg_text out;
    base_open(&b, "counter_2.6.0.pt2");
    insert_node(&b);
    signet_program_info info = SIGNET_PROGRAM_INFO_INIT;
    signet_program_get_info(b.p, b.program, &info);
    info.schema_minor = 7; /* the record 'version' goes with it */
    signet_program_set_info(b.p, b.program, &info);
    check_edited(&b, &out);
    sg_text_free(&out);
    base_close(&b);
}

Test(write_pt2, only_the_edited_program_is_written) {
    struct base b;
    struct sg_text out;
    base_open(&b, "three_methods.pt2");
    b.program = signet_program_at(b.p, 1);
    insert_node(&b);
    check_edited(&b, &out);
    sg_text_free(&out);
    base_close(&b);
}

/* One record under two names. */
Test(write_pt2, a_state_more) {
    struct base b;
    struct sg_text out;
    signet_state state = SIGNET_STATE_INIT;
    base_open(&b, "counter_2.13.0.pt2");
    cr_assert(signet_state_get(b.p, b.program, 0, &state));
    state.name = signet_str("alias");
    state.table = SIGNET_TABLE_STATE_DICT;
    signet_state_add(b.p, b.program, &state);
    cr_assert_eq(write_over(&b, b.p, NULL, &out), SIGNET_OK);
    signet_package *q = case_read(&out, "more.pt2");
    uint32_t count = signet_state_count(b.p, b.program);
    cr_assert_eq(signet_state_count(q, signet_program_at(q, 0)), count);
    signet_package_destroy(q);
    sg_text_free(&out);
    base_close(&b);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void keep_message(void *user, const signet_diag *d) {
    struct sg_text *t = user;
    if (d->severity == SIGNET_SEVERITY_ERROR) { /* not what the base has to say of itself */
        sg_text_puts(t, d->message);
    }
}

static void refused(const struct base *b, const char *message) {
    struct sg_text out, said;
    signet_writer writer = case_writer(&out);
    sg_text_init(&said, &sg_default_allocator);
    signet_sink sink = {keep_message, &said};
    cr_assert_eq(signet_write_pt2_memory(b->p, b->bytes, b->size, "base.pt2", NULL, &writer, &sink),
                 SIGNET_E_UNSUPPORTED);
    cr_assert_str_eq(said.data, message);
    cr_assert_eq(out.length, 0, "nothing is written before all is known");
    sg_text_free(&out);
    sg_text_free(&said);
}

Test(write_pt2, refusals_say_why) {
    struct base b;
    signet_state state = SIGNET_STATE_INIT;
    base_open(&b, "counter_2.13.0.pt2");
    signet_arg arg =
        signet_node_input(b.p, signet_graph_first(b.p, signet_program_graph(b.p, b.program)), 0);
    signet_arg_set_string(b.p, arg, SIGNET_ARG_ATTRIBUTE, signet_str("lowered"));
    refused(&b, "program 'model' cannot be written into the archive: it has an attribute whose "
                "value is not known");
    signet_arg_set_none(b.p, arg);
    state.name = signet_str("new");
    state.record = signet_str("archive/data/weights/weight_99");
    signet_state_add(b.p, b.program, &state);
    refused(&b, "program 'model' cannot be written into the archive: the base has no record with "
                "the data of state 'new'");
    signet_program_set_lossy(b.p, b.program, true);
    refused(&b, "program 'model' cannot be written into the archive: it has no strides, devices "
                "and argument names (printed text does not tell them)");
    base_close(&b);
}

Test(write_pt2, a_program_that_the_base_lacks) {
    struct base b;
    base_open(&b, "three_methods.pt2");
    (void)signet_program_add(b.p, signet_str("fourth"), SIGNET_ROLE_METHOD);
    refused(&b, "program 'fourth' cannot be written into the archive: the base has no program of "
                "that name");
    base_close(&b);
}

Test(write_pt2, pickled_tables_cannot_be_edited) {
    struct base b;
    signet_state state = SIGNET_STATE_INIT;
    base_open(&b, "counter_2.8.0.pt2");
    state.name = signet_str("new");
    signet_state_add(b.p, b.program, &state);
    refused(&b, "program 'model' cannot be written into the archive: its state tables were "
                "changed, and those of the base are pickles, which Signet does not write");
    base_close(&b);
}

Test(write_pt2, bases_that_are_none) {
    struct base b;
    struct sg_text out;
    signet_writer writer = case_writer(&out);
    base_open(&b, "counter_2.13.0.pt2");
    cr_assert_eq(signet_write_pt2_memory(b.p, "{}", 2, "x", NULL, &writer, NULL), SIGNET_E_SYNTAX);
    cr_assert_eq(signet_write_pt2_memory(b.p, "", 0, NULL, NULL, &writer, NULL), SIGNET_E_SYNTAX);
    cr_assert_eq(signet_write_pt2_memory(b.p, NULL, 0, NULL, NULL, &writer, NULL),
                 SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_write_pt2(b.p, NULL, NULL, &writer, NULL), SIGNET_E_INVALID_ARG);
    cr_assert_eq(out.length, 0);
    sg_text_free(&out);
    base_close(&b);
}

/* A damaged archive can be copied, but not be put together anew. */
Test(write_pt2, a_record_that_cannot_be_read) {
    struct archive a;
    struct reading r;
    struct base b;
    struct sg_text out;
    archive_init(&a);
    a.weight->offset = 1 << 20;
    zip_maker_make(&a.zip);
    read_bytes(&r, a.zip.bytes, a.zip.size, NULL);
    cr_assert_eq(r.status, SIGNET_OK);
    b = (struct base){(char *)a.zip.bytes, a.zip.size, r.p, signet_program_at(r.p, 0)};
    cr_assert_eq(write_over(&b, b.p, NULL, &out), SIGNET_OK);
    assert_same_bytes(&b, &out, "damaged");
    sg_text_free(&out);
    cr_assert_eq(write_over(&b, b.p, &rewriting, &out), SIGNET_E_SYNTAX);
    cr_assert_eq(out.length, 0);
    sg_text_free(&out);
    reading_end(&r);
    zip_maker_free(&a.zip);
    free(a.model);
}

/* ---- Trouble --------------------------------------------------------------------------------- */

Test(write_pt2, a_writer_that_stops_anywhere) {
    struct base b;
    base_open(&b, "counter_2.13.0.pt2");
    for (size_t most = 0; most < b.size; most += 509) {
        size_t left = most;
        signet_writer writer = case_stopper(&left);
        cr_assert_eq(signet_write_pt2_memory(b.p, b.bytes, b.size, "x", &rewriting, &writer, NULL),
                     SIGNET_E_STOPPED, "after %zu bytes", most);
    }
    base_close(&b);
}

static signet_status write_once(const signet_allocator *a, void *user) {
    const struct base *b = user;
    size_t left = SIZE_MAX;
    signet_writer writer = case_stopper(&left);
    signet_package *p = NULL;
    signet_status status = signet_package_clone(&p, b->p, a);
    if (status == SIGNET_OK) {
        status = signet_write_pt2_memory(p, b->bytes, b->size, "x", &rewriting, &writer, NULL);
    }
    signet_package_destroy(p);
    return status;
}

Test(write_pt2, survives_every_failure) {
    static const char *const names[] = {"custom_object_token.pt2", "deflated.pt2"};
    for (size_t i = 0; i < 2; i++) {
        struct base b;
        base_open(&b, names[i]);
        cr_assert_gt(test_each_failure(write_once, &b), 50);
        base_close(&b);
    }
}

/* ---- Large archives -------------------------------------------------------------------------- */

/* Numbers that do not fit 32 bits, without the bytes: what miniz writes for a record that begins
 * behind 4 GiB. */
Test(zip_write, a_record_behind_four_gigabytes) {
    static const unsigned char header[] = {
        'P', 'K', 3,   4,   0,   0,   8,   8,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
        0,   0,   0,   0,   0,   0,   0,   0,   1,   0, /* length of the name */
        33,  0,   'a', 1,   0,   8,   0,   0,   0,   0,   0,   1,   0,   0,   0,   'F', 'B', 17,
        0,   'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z', 'Z'};
    struct sg_text out;
    struct sg_zip_writer z;
    signet_writer writer = case_writer(&out);
    struct sg_zip_record record = {.name = {"a", 1}, .size = 2, .crc = sg_crc32("xy", 2)};
    sg_zip_writer_init(&z, &sg_default_allocator, &writer, SG_ZIP_TORCH);
    z.at = UINT64_C(1) << 32;
    sg_zip_begin(&z, &record);
    cr_assert_eq(out.length, sizeof(header));
    cr_assert_arr_eq(out.data, header, sizeof(header));
    sg_zip_put(&z, "xy", 2);
    sg_zip_end(&z, &record);
    const unsigned char *behind = (const unsigned char *)out.data + sizeof(header) + 2;
    cr_assert_arr_eq(behind, "PK\7\10", 4);
    cr_assert_eq(sg_load_le32(behind + 4), record.crc);
    cr_assert_eq(sg_load_le64(behind + 8), 2);
    cr_assert_eq(sg_load_le64(behind + 16), 2);
    uint64_t directory_at = z.at;
    cr_assert_eq(sg_zip_finish(&z), SIGNET_OK);
    const unsigned char *entry = (const unsigned char *)out.data + sizeof(header) + 2 + 24;
    cr_assert_arr_eq(entry, "PK\1\2", 4);
    cr_assert_eq(sg_load_le32(entry + 42), UINT32_MAX);
    cr_assert_eq(sg_load_le16(entry + 30), 12);
    cr_assert_eq(sg_load_le64(entry + 46 + 1 + 4), UINT64_C(1) << 32);
    const unsigned char *end64 = entry + 46 + 1 + 12;
    cr_assert_arr_eq(end64, "PK\6\6", 4);
    cr_assert_eq(sg_load_le64(end64 + 48), directory_at);
    sg_zip_writer_free(&z);
    sg_text_free(&out);
}

Test(zip_write, crc) {
    cr_assert_eq(sg_crc32("", 0), 0);
    cr_assert_eq(sg_crc32("123456789", 9), 0xcbf43926);
}
