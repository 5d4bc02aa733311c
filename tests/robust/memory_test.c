/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out at each call of the allocator in turn, alone and from there on, while a
 * program is read, copied, verified, hashed, compared and written: the status says so, nothing is
 * left behind, nothing crashes. One program of each carrier, and the example of every code, so that
 * every rule runs out of memory while it speaks.
 */

#include "tests/support/allocator.h"
#include "tests/support/files.h"

#include "signet/signet.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sample {
    const char *name;
    const void *bytes;
    size_t size;
    signet_profile profile;
    bool writes_json, writes_printed, writes_pt2;
    size_t findings; /* of the last run */
};

static bool discard(void *user, const char *text, size_t length) {
    (void)user;
    (void)text;
    (void)length;
    return true;
}

static const signet_writer nowhere = {discard, NULL};

static bool ignore_row(void *user, const signet_state_row *row) {
    (void)user;
    (void)row;
    return true;
}

static void render(void *user, const signet_diag *d) {
    struct sample *s = user;
    signet_render_options options = SIGNET_RENDER_OPTIONS_INIT;
    cr_assert_eq(signet_render_full(d, &options, &nowhere), SIGNET_OK);
    cr_assert_eq(signet_render_json(d, &nowhere), SIGNET_OK);
    cr_assert_eq(signet_render_concise(d, &nowhere), SIGNET_OK);
    cr_assert_eq(signet_render_sarif(d, &nowhere), SIGNET_OK);
    s->findings++;
}

static signet_status write_all(const struct sample *s, const signet_package *p) {
    signet_status status = signet_write_sgt(p, &nowhere);
    signet_program first = signet_program_at(p, 0);
    if (status == SIGNET_OK) {
        status = signet_state_report(p, ignore_row, NULL);
    }
    if (status == SIGNET_OK && s->writes_printed) {
        status = signet_write_printed(p, first, &nowhere);
    }
    if (status == SIGNET_OK && s->writes_json) {
        status = signet_write_json(p, first, &nowhere);
    }
    if (status == SIGNET_OK && s->writes_pt2) {
        signet_write_options options = SIGNET_WRITE_OPTIONS_INIT;
        options.rewrite = true;
        status = signet_write_pt2_memory(p, s->bytes, s->size, s->name, &options, &nowhere, NULL);
    }
    return status;
}

static signet_status compare_all(const signet_package *p, const signet_package *q) {
    signet_status status = SIGNET_OK;
    for (int mode = SIGNET_EQUAL_EXACT; status == SIGNET_OK && mode <= SIGNET_EQUAL_TOLD; mode++) {
        bool equal = false;
        signet_difference d = SIGNET_DIFFERENCE_INIT;
        status = signet_package_equal(p, q, (signet_equal_mode)mode, &equal, &d);
        cr_assert(status != SIGNET_OK || equal, "%s", d.what);
    }
    signet_hash hash;
    if (status == SIGNET_OK) {
        status = signet_package_hash(p, SIGNET_HASH_EXACT, &hash);
    }
    if (status == SIGNET_OK) {
        status = signet_package_hash(q, SIGNET_HASH_STRUCTURAL, &hash);
    }
    return status;
}

static signet_status all_of_it(const signet_allocator *a, void *user) {
    struct sample *s = user;
    signet_package *p = NULL;
    signet_package *q = NULL;
    signet_sink sink = {render, s};
    signet_read_options reading = SIGNET_READ_OPTIONS_INIT;
    signet_verify_options verifying = SIGNET_VERIFY_OPTIONS_INIT;
    reading.allocator = a;
    reading.deep = true;
    verifying.show_notes = true;
    verifying.profile = s->profile;
    s->findings = 0;
    signet_status status = signet_read_memory(&p, s->bytes, s->size, s->name, &reading, &sink);
    if (status == SIGNET_OK) {
        status = signet_package_clone(&q, p, NULL);
    }
    if (status == SIGNET_OK) {
        status = signet_verify(q, &verifying, &sink, NULL);
    }
    if (status == SIGNET_OK) {
        status = compare_all(p, q);
    }
    if (status == SIGNET_OK) {
        status = write_all(s, q);
    }
    signet_package_destroy(p);
    signet_package_destroy(q);
    return status;
}

static void check_file(const char *below, struct sample s, bool broken) {
    char path[TEST_PATH];
    test_path(path, false, below);
    char *bytes = test_read(path, &s.size);
    cr_assert_not_null(bytes, "no file %s", path);
    s.name = below;
    s.bytes = bytes;
    uint64_t calls = test_each_failure(all_of_it, &s);
    printf("%s: %llu calls of the allocator, each failed alone and with all that follow\n", below,
           (unsigned long long)calls);
    fflush(stdout);
    cr_expect_gt(calls, 50);
    cr_expect(!broken || s.findings > 0, "%s", below);
    free(bytes);
}

Test(memory, archive) {
    struct sample s = {.writes_json = true, .writes_printed = true, .writes_pt2 = true};
    check_file("tests/data/pt2/custom_object_token.pt2", s, false);
}

Test(memory, json) {
    struct sample s = {.writes_json = true, .writes_printed = true};
    check_file("tests/data/pt2/small.json", s, false);
}

Test(memory, printed) {
    struct sample s = {.writes_printed = true};
    check_file("tests/data/seed/broken.txt", s, true);
    check_file("tests/data/printed/2.13-cond_fn.txt", s, false);
}

Test(memory, exact_text) {
    struct sample s = {.writes_printed = false};
    check_file("tests/data/sgt/broken.sgt", s, true);
}

/* ---- Every rule ------------------------------------------------------------------------------ */

Test(memory, every_code) {
    static const signet_profile profiles[] = {SIGNET_PROFILE_DEFAULT, SIGNET_PROFILE_TORCH};
    size_t codes = 0;
    uint64_t calls = 0;
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        const signet_code_info *info = signet_code_get((signet_code)code);
        if (info->example == NULL) {
            continue;
        }
        struct sample s = {.name = info->name, .bytes = info->example};
        s.size = strlen(info->example);
        bool torch = strncmp(info->name, "torch.", 6) == 0;
        s.profile = profiles[torch];
        calls += test_each_failure(all_of_it, &s);
        cr_expect_gt(s.findings, 0, "%s", info->name);
        codes++;
    }
    printf("examples of %zu codes: %llu calls of the allocator\n", codes,
           (unsigned long long)calls);
    fflush(stdout);
    cr_expect_gt(codes, 40);
}
