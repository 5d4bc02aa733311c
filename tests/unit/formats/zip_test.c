/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"

static void expect_only(struct reading *r, signet_code code, const char *message) {
    const struct seen *s = reading_find(r, code);
    cr_assert_eq(r->errors + r->warnings, 1, "%s", reading_text(r));
    cr_assert_not_null(s, "%s", reading_text(r));
    cr_assert_not_null(strstr(s->message, message), "%s", s->message);
    cr_assert(s->has_byte);
}

Test(zip, a_sound_archive) {
    struct archive a;
    struct reading r;
    archive_init(&a);
    archive_read(&a, &r, true);
    cr_assert_eq(r.status, SIGNET_OK);
    cr_assert_eq(r.count, 0, "%s", reading_text(&r));
    cr_assert_eq(signet_package_carrier(r.p), SIGNET_CARRIER_PT2_ARCHIVE);
    reading_end(&r);
}

Test(zip, bytes_changed_under_a_crc) {
    struct archive a;
    struct reading r;
    archive_init(&a);
    a.program->local.crc = a.program->central.crc ^= 1;
    archive_read(&a, &r, false);
    cr_assert_eq(r.status, SIGNET_OK); /* the program is read all the same */
    expect_only(&r, SIGNET_CODE_CARRIER_CRC_MISMATCH, "'r/models/model.json'");
    reading_end(&r);
}

/* A weight is not read, so its CRC is compared only when asked for. */
Test(zip, bytes_of_a_weight_changed) {
    for (int deep = 0; deep < 2; deep++) {
        struct archive a;
        struct reading r;
        archive_init(&a);
        a.weight->local.crc = a.weight->central.crc ^= 1;
        archive_read(&a, &r, deep != 0);
        cr_assert_eq(r.status, SIGNET_OK);
        cr_assert_eq(r.errors, (uint32_t)deep);
        cr_assert_eq(reading_count(&r, SIGNET_CODE_CARRIER_CRC_MISMATCH), (uint32_t)deep);
        reading_end(&r);
    }
}

Test(zip, two_entries_of_one_name) {
    struct archive a;
    struct reading r;
    archive_init(&a);
    char *other = replaced(a.model, "\"name\": \"add_1\"}]", 1, "\"name\": \"sum\"}]");
    zip_maker_text(&a.zip, "r/models/model.json", other);
    archive_read(&a, &r, false);
    cr_assert_eq(r.status, SIGNET_OK);
    expect_only(&r, SIGNET_CODE_CARRIER_DUPLICATE_ENTRY, "has entry 'r/models/model.json' twice");
    /* the second one is read, as PyTorch does */
    cr_assert_eq(signet_program_count(r.p), 1);
    signet_graph graph = signet_program_graph(r.p, signet_program_at(r.p, 0));
    cr_assert_str_eq(signet_node_name(r.p, signet_graph_last(r.p, graph)).data, "sum");
    reading_end(&r);
    free(other);
}

Test(zip, headers_that_disagree) {
    for (int i = 0; i < 5; i++) {
        static const char *const messages[] = {
            "is called 'r/models/Model.json' in its local header", "says size 3", "says CRC",
            "says packed size 4", "says method 8"};
        struct archive a;
        struct reading r;
        archive_init(&a);
        if (i == 0) {
            a.program->local.name[9] = 'M';
        } else if (i == 1) {
            a.version->local.size = 3;
        } else if (i == 2) {
            a.version->local.crc ^= 1;
        } else if (i == 3) {
            a.version->local.packed = 4;
        } else {
            a.version->local.method = 8;
        }
        archive_read(&a, &r, false);
        cr_assert_eq(r.status, SIGNET_OK);
        expect_only(&r, SIGNET_CODE_CARRIER_HEADER_MISMATCH, messages[i]);
        reading_end(&r);
    }
}

/* With a data descriptor behind the data a local header may leave them at zero. */
Test(zip, sizes_in_a_descriptor) {
    struct archive a;
    struct reading r;
    archive_init(&a);
    a.program->local.flags = a.program->central.flags = 8;
    a.program->local.crc = a.program->local.size = a.program->local.packed = 0;
    archive_read(&a, &r, true);
    cr_assert_eq(r.status, SIGNET_OK);
    cr_assert_eq(r.count, 0, "%s", reading_text(&r));
    reading_end(&r);
}

Test(zip, names_that_leave_the_archive) {
    static const struct {
        const char *name;
        uint16_t length;
        const char *message;
    } rows[] = {
        {"/etc/passwd", 11, "is absolute"},         {"r/../../x", 9, "leaves the archive by '..'"},
        {"..", 2, "leaves the archive by '..'"},    {"r\\x", 3, "holds a backslash"},
        {"C:x", 3, "begins with a drive"},          {"r/a\0b", 5, "holds a control character"},
        {"r/a\nb", 5, "holds a control character"}, {"", 0, "is empty"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct archive a;
        struct reading r;
        archive_init(&a);
        struct zip_maker_entry *e = zip_maker_text(&a.zip, "name", "content");
        memcpy(e->local.name, rows[i].name, rows[i].length);
        e->local.name_length = rows[i].length;
        e->central = e->local;
        archive_read(&a, &r, false);
        cr_assert_eq(r.status, SIGNET_OK, "%s", rows[i].message);
        expect_only(&r, SIGNET_CODE_CARRIER_ENTRY_NAME, rows[i].message);
        reading_end(&r);
    }
}

/* Near misses: points and colons that mean nothing. */
Test(zip, odd_names_that_are_fine) {
    static const char *const names[] = {"r/...", "r/..x/y", "r/x..", "r/a:b", "r/.data/x", "r/d/"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct archive a;
        struct reading r;
        archive_init(&a);
        zip_maker_text(&a.zip, names[i], "");
        archive_read(&a, &r, false);
        cr_assert_eq(r.count, 0, "%s: %s", names[i], reading_text(&r));
        reading_end(&r);
    }
}

Test(zip, a_name_that_is_no_utf8) {
    struct archive a;
    struct reading r;
    archive_init(&a);
    zip_maker_text(&a.zip, "r/extra/\xff", "");
    archive_read(&a, &r, false);
    cr_assert_eq(r.status, SIGNET_OK);
    expect_only(&r, SIGNET_CODE_CARRIER_NOT_UTF8, "is no UTF-8");
    reading_end(&r);
}

Test(zip, methods_and_encryption) {
    for (int i = 0; i < 2; i++) {
        struct archive a;
        struct reading r;
        archive_init(&a);
        struct zip_maker_entry *e = zip_maker_text(&a.zip, "r/extra/x", "content");
        if (i == 0) {
            e->local.method = e->central.method = 12;
        } else {
            e->local.flags = e->central.flags = 1;
        }
        archive_read(&a, &r, true);
        cr_assert_eq(r.status, SIGNET_OK);
        expect_only(&r, SIGNET_CODE_CARRIER_ENTRY_METHOD, i == 0 ? "method 12" : "is encrypted");
        reading_end(&r);
    }
}

Test(zip, data_out_of_range) {
    for (int i = 0; i < 3; i++) {
        static const char *const messages[] = {"no local header at byte 7",
                                               "reach into the central directory",
                                               "it is stored, but 7 bytes should hold 6"};
        struct archive a;
        struct reading r;
        archive_init(&a);
        struct zip_maker_entry *e = zip_maker_text(&a.zip, "r/extra/x", "content");
        if (i == 0) {
            e->offset = 7;
        } else if (i == 1) {
            e->local.packed = e->local.size = e->central.packed = e->central.size = 100000;
        } else {
            e->local.size = e->central.size = 6;
        }
        archive_read(&a, &r, true);
        cr_assert_eq(r.status, SIGNET_OK);
        expect_only(&r, SIGNET_CODE_CARRIER_ZIP_DAMAGED, messages[i]);
        reading_end(&r);
    }
}

Test(zip, directory_out_of_range) {
    for (int i = 0; i < 3; i++) {
        static const char *const messages[] = {"the central directory should be",
                                               "has room for at most",
                                               "no header of entry 0 (of 8)"};
        struct archive a;
        struct reading r;
        archive_init(&a);
        if (i == 0) {
            a.zip.directory_at = 1 << 24;
        } else if (i == 1) {
            a.zip.count_said = 4000;
        } else {
            a.zip.directory_at = 1;
        }
        archive_read(&a, &r, false);
        cr_assert_eq(r.status, SIGNET_E_SYNTAX);
        expect_only(&r, SIGNET_CODE_CARRIER_ZIP_DAMAGED, messages[i]);
        reading_end(&r);
    }
}

/* Two entries that hold the same bytes: to read each of many such would take for ever. */
Test(zip, entries_that_overlap) {
    struct archive a;
    struct reading r;
    archive_init(&a);
    for (int i = 0; i < 6; i++) {
        struct zip_maker_entry *e = zip_maker_text(&a.zip, "r/models/model.json", "");
        e->local.name[14] = (char)('0' + i);
        e->local.packed = e->local.size = a.program->central.size;
        e->central = e->local;
        e->central.crc = a.program->central.crc;
    }
    zip_maker_make(&a.zip);
    size_t at = 0;
    while (memcmp(a.zip.bytes + at, "r/models/model.json", 19) != 0) {
        at++;
    }
    for (uint32_t i = a.zip.count - 6; i < a.zip.count; i++) {
        a.zip.entries[i].offset = (int64_t)at - 30;
    }
    zip_maker_free(&a.zip);
    archive_read(&a, &r, true);
    cr_assert_eq(r.status, SIGNET_E_SYNTAX);
    cr_assert_not_null(reading_find(&r, SIGNET_CODE_CARRIER_ZIP_DAMAGED), "%s", reading_text(&r));
    reading_end(&r);
}

Test(zip, more_entries_than_the_limit) {
    struct archive a;
    struct reading r;
    signet_limits limits = signet_limits_default();
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    archive_init(&a);
    zip_maker_make(&a.zip);
    limits.zip_entries = 7;
    options.limits = &limits;
    read_bytes(&r, a.zip.bytes, a.zip.size, &options);
    cr_assert_eq(r.status, SIGNET_E_LIMIT);
    expect_only(&r, SIGNET_CODE_CARRIER_LIMIT, "has 8 entries, the limit is 7");
    cr_assert_str_eq(r.seen[0].help, "raise the limit: --limit zip-entries=8");
    reading_end(&r);
    zip_maker_free(&a.zip);
    free(a.model);
}

/* Bytes behind the archive are what PyTorch accepts too; bytes before it shift every offset. */
Test(zip, bytes_around_the_archive) {
    struct archive a;
    struct reading r;
    archive_init(&a);
    zip_maker_make(&a.zip);
    unsigned char *more = malloc(a.zip.size + 100);
    cr_assert_not_null(more);
    memcpy(more, a.zip.bytes, a.zip.size);
    memset(more + a.zip.size, 'x', 100);
    read_bytes(&r, more, a.zip.size + 100, NULL);
    cr_assert_eq(r.status, SIGNET_OK, "%s", reading_text(&r));
    reading_end(&r);
    memset(more, 'x', 100);
    memcpy(more + 100, a.zip.bytes, a.zip.size);
    read_bytes(&r, more, a.zip.size + 100, NULL);
    cr_assert_eq(r.status, SIGNET_E_SYNTAX);
    reading_end(&r);
    free(more);
    zip_maker_free(&a.zip);
    free(a.model);
}

/* ---- Unpacking ------------------------------------------------------------------------------- */

/* A deflated archive, written by Python's zipfile. */
Test(zip, deflated_entries) {
    struct reading r;
    read_data(&r, "deflated.pt2");
    cr_assert_eq(r.status, SIGNET_OK);
    cr_assert_eq(r.errors + r.warnings, 0, "%s", reading_text(&r));
    cr_assert_eq(signet_state_count(r.p, signet_program_at(r.p, 0)), 4);
    reading_end(&r);
}

/* 4 MB of spaces in front of a program, packed into 4 KB. */
Test(zip, an_entry_that_grows_a_thousand_times) {
    struct reading r;
    signet_limits limits = signet_limits_default();
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    size_t size;
    char *bytes = data_bytes("bomb.pt2", &size);
    read_bytes(&r, bytes, size, NULL);
    cr_assert_eq(r.status, SIGNET_E_LIMIT);
    expect_only(&r, SIGNET_CODE_CARRIER_LIMIT, "more than 200 times as much");
    cr_assert_not_null(strstr(r.seen[0].help, "--limit inflate-ratio="));
    reading_end(&r);
    limits.inflate_ratio = 5000;
    options.limits = &limits;
    read_bytes(&r, bytes, size, &options);
    cr_assert_eq(r.status, SIGNET_OK, "%s", reading_text(&r));
    reading_end(&r);
    free(bytes);
}

Test(zip, packed_bytes_that_are_damaged) {
    struct reading r;
    size_t size;
    char *bytes = data_bytes("deflated.pt2", &size);
    char *name = NULL;
    for (size_t i = 0; i + 20 < size && name == NULL; i++) {
        name = memcmp(bytes + i, "models/model.json", 17) == 0 ? bytes + i : NULL;
    }
    cr_assert_not_null(name);
    memset(name + 17 + 40, 0xff, 64);
    read_bytes(&r, bytes, size, NULL);
    cr_assert_eq(r.status, SIGNET_E_SYNTAX);
    cr_assert_eq(r.errors, 1, "%s", reading_text(&r));
    reading_end(&r);
    free(bytes);
}
