/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"

/* Every file of the fixtures that lie outside of the project; skipped where they are not there. */
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

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Reads every .pt2 of a folder; returns how many there were. */
static uint32_t sweep(const char *root, const char *folder, const char *except) {
    char path[1024];
    uint32_t count = 0;
    snprintf(path, sizeof(path), "%s/%s", root, folder);
    DIR *dir = opendir(path);
    cr_assert_not_null(dir, "no folder %s", path);
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (!ends_with(e->d_name, ".pt2") || (except != NULL && strcmp(e->d_name, except) == 0)) {
            continue;
        }
        struct reading r;
        signet_read_options options = SIGNET_READ_OPTIONS_INIT;
        options.deep = true;
        snprintf(path, sizeof(path), "%s/%s/%s", root, folder, e->d_name);
        read_path(&r, path, &options);
        cr_expect_eq(r.status, SIGNET_OK, "%s", path);
        cr_expect_eq(r.errors + r.warnings, 0, "%s: %s", path, reading_text(&r));
        cr_expect_eq(reading_count(&r, SIGNET_CODE_CARRIER_FIELD_UNKNOWN), 0, "%s", path);
        for (uint32_t i = 0; i < signet_program_count(r.p); i++) {
            signet_program program = signet_program_at(r.p, i);
            cr_expect(signet_program_has_state_tables(r.p, program), "%s", path);
        }
        reading_end(&r);
        count++;
    }
    closedir(dir);
    return count;
}

Test(sweep, programs_of_torch) {
    const char *root = shared();
    if (root != NULL) {
        cr_assert_eq(sweep(root, "torch/valid", NULL), 64);
    }
}

Test(sweep, releases) {
    static const char *const folders[] = {"2.3.1", "2.4.1", "2.5.1",  "2.6.0",  "2.7.1",
                                          "2.8.0", "2.9.1", "2.10.0", "2.13.0", "2.14.1"};
    const char *root = shared();
    for (size_t i = 0; root != NULL && i < sizeof(folders) / sizeof(folders[0]); i++) {
        char folder[32];
        snprintf(folder, sizeof(folder), "versions/%s", folders[i]);
        cr_assert_gt(sweep(root, folder, NULL), 5, "%s", folder);
    }
}

Test(sweep, reports_models_executorch) {
    const char *root = shared();
    if (root != NULL) {
        cr_assert_gt(sweep(root, "reports", "schema_from_the_future.pt2"), 15);
        cr_assert_gt(sweep(root, "models", NULL), 5);
        cr_assert_gt(sweep(root, "large", NULL), 1);
        cr_assert_gt(sweep(root, "executorch", NULL), 50);
    }
}

/* ---- Edits of programs ----------------------------------------------------------------------- */

/* The kinds of edits that are the reader's to tell. */
static const struct {
    const char *kind;
    signet_code code;
} told[] = {
    {"schema_major_other", SIGNET_CODE_CARRIER_SCHEMA_VERSION},
    {"field_missing_nodes", SIGNET_CODE_CARRIER_FIELD_MISSING},
    {"field_missing_signature", SIGNET_CODE_CARRIER_FIELD_MISSING},
    {"field_wrong_json_type", SIGNET_CODE_CARRIER_FIELD_TYPE},
    {"name_not_a_string", SIGNET_CODE_CARRIER_FIELD_TYPE},
    {"spec_unknown_tag", SIGNET_CODE_CARRIER_UNION_TAG},
    {"spec_with_two_tags", SIGNET_CODE_CARRIER_UNION_TAG},
    {"dtype_number_unknown", SIGNET_CODE_CARRIER_ENUM_VALUE},
    {"symbol_expression_malformed", SIGNET_CODE_CARRIER_EXPRESSION},
};

/* The text of a member of a line of JSON, such as "kind". */
static void member(const char *line, const char *name, char *out, size_t size) {
    char key[64];
    snprintf(key, sizeof(key), "\"%s\": \"", name);
    const char *at = strstr(line, key);
    cr_assert_not_null(at, "no %s in %s", name, line);
    at += strlen(key);
    size_t length = strcspn(at, "\"");
    cr_assert_lt(length, size);
    memcpy(out, at, length);
    out[length] = '\0';
}

static void check_edit(const char *root, const char *line) {
    char file[256], kind[128], path[1300];
    struct reading r;
    signet_code code = SIGNET_CODE_NONE;
    member(line, "file", file, sizeof(file));
    member(line, "kind", kind, sizeof(kind));
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        code = strcmp(told[i].kind, kind) == 0 ? told[i].code : code;
    }
    snprintf(path, sizeof(path), "%s/torch/invalid/%s", root, file);
    read_path(&r, path, NULL);
    cr_expect_eq(r.errors, code != SIGNET_CODE_NONE ? 1 : 0, "%s: %s", file, reading_text(&r));
    if (code != SIGNET_CODE_NONE) {
        cr_expect_eq(reading_count(&r, code), 1, "%s: %s", file, reading_text(&r));
    }
    reading_end(&r);
}

Test(sweep, edits_of_programs) {
    const char *root = shared();
    char path[1300];
    static char line[16384];
    if (root == NULL) {
        return;
    }
    snprintf(path, sizeof(path), "%s/torch/invalid/verdicts.jsonl", root);
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f);
    uint32_t count = 0;
    while (fgets(line, sizeof(line), f) != NULL) {
        check_edit(root, line);
        count++;
    }
    fclose(f);
    cr_assert_gt(count, 300);
}
