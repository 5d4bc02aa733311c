/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write_case.h"

/* Every archive of the fixtures that lie outside of the project; skipped where they are not there.
 */
static const char *shared(void) {
    static char path[1024];
    const char *given = getenv("SIGNET_SHARED"), *root = getenv("SIGNET_SOURCE_ROOT");
    if (given != NULL) {
        snprintf(path, sizeof(path), "%s/fixtures", given);
    } else {
        snprintf(path, sizeof(path), "%s/../shared/fixtures", root != NULL ? root : ".");
    }
    DIR *dir = opendir(path);
    if (dir == NULL) {
        cr_skip_test("no fixtures at %s", path);
        return NULL;
    }
    closedir(dir);
    return path;
}

static void load(struct sg_text *t, const char *path) {
    FILE *f = fopen(path, "rb");
    char piece[65536];
    cr_assert_not_null(f, "%s", path);
    sg_text_init(t, &sg_default_allocator);
    for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;) {
        sg_text_put(t, piece, n);
    }
    cr_assert_eq(fclose(f), 0);
}

static bool is_same(const struct sg_text *a, const struct sg_text *b) {
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

/* Archive to archive, once copied and once with every known record written anew. */
static void check_archive(const char *path, const signet_package *p, const struct sg_text *in,
                          bool same_bytes) {
    for (int rewrite = 0; rewrite < 2; rewrite++) {
        signet_write_options options = SIGNET_WRITE_OPTIONS_INIT;
        struct sg_text out;
        signet_writer writer = case_writer(&out);
        options.rewrite = rewrite != 0;
        cr_expect_eq(
            signet_write_pt2_memory(p, in->data, in->length, path, &options, &writer, NULL),
            SIGNET_OK, "%s", path);
        cr_expect(is_same(in, &out) || (rewrite != 0 && !same_bytes), "%s", path);
        signet_package *q = case_read(&out, path);
        case_equal(p, q, path);
        signet_package_destroy(q);
        sg_text_free(&out);
    }
}

/* To JSON and back, with the tables of the archive. */
static void check_json(const char *path, const signet_package *p) {
    for (uint32_t i = 0; i < signet_program_count(p); i++) {
        struct sg_text json, again;
        signet_writer to_json = case_writer(&json), to_again = case_writer(&again);
        cr_expect_eq(signet_write_json(p, signet_program_at(p, i), &to_json), SIGNET_OK, "%s",
                     path);
        signet_package *q = case_read(&json, path);
        if (signet_program_count(p) == 1) {
            cr_expect_eq(signet_package_take_state(q, p), SIGNET_OK);
            case_equal(p, q, path);
        }
        cr_expect_eq(signet_write_json(q, signet_program_at(q, 0), &to_again), SIGNET_OK);
        cr_expect(is_same(&json, &again), "%s", path);
        signet_package_destroy(q);
        sg_text_free(&json);
        sg_text_free(&again);
    }
}

/* To the exact text, and from there into the archive again. */
static void check_sgt(const char *path, const signet_package *p, const struct sg_text *in) {
    struct sg_text sgt, out;
    signet_writer to_sgt = case_writer(&sgt), to_out = case_writer(&out);
    cr_expect_eq(signet_write_sgt(p, &to_sgt), SIGNET_OK, "%s", path);
    signet_package *q = case_read(&sgt, path);
    cr_expect_eq(signet_write_pt2_memory(q, in->data, in->length, path, NULL, &to_out, NULL),
                 SIGNET_OK, "%s", path);
    cr_expect(is_same(in, &out), "%s", path);
    signet_package_destroy(q);
    sg_text_free(&sgt);
    sg_text_free(&out);
}

/* Everything of a folder; returns how many archives there were. */
static uint32_t sweep(const char *folder, bool same_bytes, const char *except) {
    char path[1024];
    uint32_t count = 0;
    const char *root = shared();
    if (root == NULL) {
        return 0;
    }
    snprintf(path, sizeof(path), "%s/%s", root, folder);
    DIR *dir = opendir(path);
    cr_assert_not_null(dir, "no folder %s", path);
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 4, ".pt2") != 0 ||
            (except != NULL && strcmp(e->d_name, except) == 0)) {
            continue;
        }
        struct sg_text in;
        snprintf(path, sizeof(path), "%s/%s/%s", root, folder, e->d_name);
        load(&in, path);
        signet_package *p = case_read(&in, path);
        check_archive(path, p, &in, same_bytes);
        check_json(path, p);
        check_sgt(path, p, &in);
        signet_package_destroy(p);
        sg_text_free(&in);
        count++;
    }
    closedir(dir);
    return count;
}

Test(write_sweep, programs_of_torch) {
    if (shared() != NULL) {
        cr_assert_eq(sweep("torch/valid", true, NULL), 64);
    }
}

Test(write_sweep, releases) {
    static const char *const folders[] = {"2.3.1", "2.4.1", "2.5.1",  "2.6.0",  "2.7.1",
                                          "2.8.0", "2.9.1", "2.10.0", "2.13.0", "2.14.1"};
    for (size_t i = 0; shared() != NULL && i < sizeof(folders) / sizeof(folders[0]); i++) {
        char folder[32];
        snprintf(folder, sizeof(folder), "versions/%s", folders[i]);
        cr_assert_gt(sweep(folder, true, NULL), 5, "%s", folder);
    }
}

Test(write_sweep, models) {
    if (shared() != NULL) {
        cr_assert_gt(sweep("models", true, NULL), 5);
        cr_assert_gt(sweep("large", true, NULL), 1);
    }
}

/* Programs that somebody broke by hand: equal, but their tables are in another order. */
Test(write_sweep, reports_and_lowered) {
    if (shared() != NULL) {
        cr_assert_gt(sweep("executorch", true, NULL), 50);
        cr_assert_gt(sweep("reports", false, "schema_from_the_future.pt2"), 15);
    }
}
