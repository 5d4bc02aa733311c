/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"

static signet_carrier detect_file(const char *name) {
    size_t size;
    char *bytes = data_bytes(name, &size);
    signet_carrier carrier = signet_detect(bytes, size);
    free(bytes);
    return carrier;
}

Test(detect, files) {
    cr_assert_eq(detect_file("counter_2.13.0.pt2"), SIGNET_CARRIER_PT2_ARCHIVE);
    cr_assert_eq(detect_file("counter_2.8.0.pt2"), SIGNET_CARRIER_PT2_ARCHIVE);
    cr_assert_eq(detect_file("deflated.pt2"), SIGNET_CARRIER_PT2_ARCHIVE);
    cr_assert_eq(detect_file("counter_2.7.1.pt2"), SIGNET_CARRIER_PT2_FLAT);
    cr_assert_eq(detect_file("counter_2.2.2.pt2"), SIGNET_CARRIER_PT2_FLAT);
    cr_assert_eq(detect_file("counter_kept.lowered.exir.zip"), SIGNET_CARRIER_EXIR_ARCHIVE);
    cr_assert_eq(detect_file("small.json"), SIGNET_CARRIER_JSON);
    cr_assert_eq(detect_file("accumulate.pte"), SIGNET_CARRIER_PTE);
    cr_assert_eq(detect_file("../seed/broken.txt"), SIGNET_CARRIER_PRINTED);
}

Test(detect, texts) {
    static const struct {
        const char *text;
        signet_carrier carrier;
    } rows[] = {
        {"  \n{\"graph_module\": 1}", SIGNET_CARRIER_JSON},
        {"\xef\xbb\xbf{}", SIGNET_CARRIER_JSON},
        {"ExportedProgram:\n", SIGNET_CARRIER_PRINTED},
        {"    class GraphModule(torch.nn.Module):\n", SIGNET_CARRIER_PRINTED},
        {"package\n", SIGNET_CARRIER_SGT},
        {"program @forward {", SIGNET_CARRIER_SGT},
        {"; a comment\npackage", SIGNET_CARRIER_SGT},
        {"packages\n", SIGNET_CARRIER_UNKNOWN},
        {"class GraphModules:\n", SIGNET_CARRIER_UNKNOWN},
        {"[1]", SIGNET_CARRIER_UNKNOWN},
        {"", SIGNET_CARRIER_UNKNOWN},
        {"hello\n", SIGNET_CARRIER_UNKNOWN},
        {"PK\3\4", SIGNET_CARRIER_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_expect_eq(signet_detect(rows[i].text, strlen(rows[i].text)), rows[i].carrier, "%s",
                     rows[i].text);
    }
    cr_assert_eq(signet_detect(NULL, 0), SIGNET_CARRIER_UNKNOWN);
}

/* What somebody gave by mistake is named. */
Test(detect, other_files) {
    static const struct {
        const char *bytes;
        size_t size;
        const char *message;
    } rows[] = {
        {"version https://git-lfs.github.com/spec/v1\n", 43, "Git LFS pointer"},
        {"<!DOCTYPE html><html>", 21, "HTML page"},
        {"\x1f\x8b\x08\x00\x00\x00\x00\x00", 8, "gzip"},
        {"\x80\x02}q\x00.", 6, "bare pickle"},
        {"GGUF\x03\x00\x00\x00", 8, "GGUF"},
        {"\x10\x00\x00\x00\x00\x00\x00\x00{\"a\": 1}      ", 22, "safetensors"},
        {"", 0, "the file is empty"},
        {"hello", 5, "text that does not begin like"},
        {"\x00\x01\x02", 3, "binary data"},
        {"[1, 2]", 6, "JSON that is no object"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct reading r;
        read_bytes(&r, rows[i].bytes, rows[i].size, NULL);
        cr_expect_eq(r.status, SIGNET_E_SYNTAX);
        cr_expect_eq(r.errors, 1);
        cr_expect_eq(r.seen[0].code, SIGNET_CODE_CARRIER_UNKNOWN_FORMAT);
        cr_expect_not_null(strstr(r.seen[0].message, rows[i].message), "%s", r.seen[0].message);
        reading_end(&r);
    }
}

Test(detect, kinds_of_a_later_version) {
    static const char *const names[] = {"counter_kept.lowered.exir.zip", "accumulate.pte"};
    for (size_t i = 0; i < 2; i++) {
        struct reading r;
        read_data(&r, names[i]);
        cr_assert_eq(r.status, SIGNET_E_UNSUPPORTED);
        cr_assert_eq(r.errors, 1, "%s", reading_text(&r));
        cr_assert_eq(r.seen[0].code, SIGNET_CODE_CARRIER_UNSUPPORTED);
        reading_end(&r);
    }
}

Test(detect, calls) {
    signet_package *p = NULL;
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    cr_assert_eq(signet_read_file(NULL, "x", NULL, NULL), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_read_file(&p, NULL, NULL, NULL), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_read_file(&p, "/nowhere/at/all", NULL, NULL), SIGNET_E_IO);
    cr_assert_eq(signet_read_file(&p, "/", NULL, NULL), SIGNET_E_IO);
    cr_assert_eq(signet_read_memory(&p, NULL, 1, "x", NULL, NULL), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_read_memory(&p, NULL, 0, NULL, NULL, NULL), SIGNET_E_SYNTAX);
    options.as = SIGNET_CARRIER_MEMORY;
    cr_assert_eq(signet_read_memory(&p, "{}", 2, "x", &options, NULL), SIGNET_E_INVALID_ARG);
    options.as = SIGNET_CARRIER_JSON; /* given, so not looked for */
    cr_assert_eq(signet_read_memory(&p, "PK\3\4", 4, "x", &options, NULL), SIGNET_E_SYNTAX);
    cr_assert_null(p);
}
