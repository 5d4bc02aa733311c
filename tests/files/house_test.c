/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the house: every code of the catalogue is explained, has an example that shows it, a
 * case that triggers it and a near miss that does not. */

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

static bool is_carrier(const char *code) {
    return strncmp(code, "carrier.", 8) == 0;
}

/* ---- Codes as parameters --------------------------------------------------------------------- */

static struct criterion_test_params all_codes(void) {
    size_t count = SIGNET_CODE_COUNT - 1;
    int *codes = cr_malloc(count * sizeof(*codes));
    for (size_t i = 0; i < count; i++) {
        codes[i] = (int)i + 1;
    }
    return cr_make_param_array(int, codes, count, NULL);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static void check_text(const char *code, const char *member, const char *text) {
    cr_expect(text != NULL && text[0] != '\0', "%s: the catalogue has no %s", code, member);
}

ParameterizedTestParameters(house, codes_are_explained) {
    return all_codes();
}

ParameterizedTest(int *code, house, codes_are_explained) {
    const signet_code_info *info = signet_code_get((signet_code)*code);
    cr_assert_not_null(info);
    check_text(info->name, "title", info->title);
    check_text(info->name, "why", info->why);
    check_text(info->name, "fix", info->fix);
    check_text(info->name, "torch", info->torch);
    cr_expect_eq(info->example == NULL, is_carrier(info->name), "%s: %s", info->name,
                 is_carrier(info->name) ? "an example of a damaged file" : "no example");
}

/* ---- Cases ----------------------------------------------------------------------------------- */

struct coverage {
    unsigned triggers, near_misses;
};

static struct coverage cover(const char *path, const char *code) {
    struct coverage covered = {0, 0};
    char *text = read_source(path);
    unsigned count = text != NULL ? count_cases(text) : 0;
    for (unsigned i = 0; i < count; i++) {
        struct test_case *c = load_case(path, i);
        covered.triggers += expects(c, code);
        covered.near_misses += comes_near(c, code) && !expects(c, code);
        cr_expect_not(comes_near(c, code) && expects(c, code),
                      "%s, case %u: NEAR: %s, and it expects it", path, i + 1, code);
        free_case(c);
    }
    free(text);
    return covered;
}

/* "mutation.shape" -> tests/rules/mutation/shape.sgt */
static void path_of(const char *code, char *path, size_t size) {
    const char *dot = strchr(code, '.');
    cr_assert_not_null(dot);
    snprintf(path, size, "tests/rules/%.*s/%s.sgt", (int)(dot - code), code, dot + 1);
}

ParameterizedTestParameters(house, codes_have_cases) {
    return all_codes();
}

ParameterizedTest(int *code, house, codes_have_cases) {
    const signet_code_info *info = signet_code_get((signet_code)*code);
    char path[512];
    cr_assert_not_null(info);
    if (is_carrier(info->name)) { /* no program shows it: readers have their own tests */
        cr_assert_null(info->example);
        return;
    }
    path_of(info->name, path, sizeof(path));
    struct coverage covered = cover(path, info->name);
    cr_assert(covered.triggers > 0 && covered.near_misses > 0,
              "%s has %u cases that expect %s, and %u near misses", path, covered.triggers,
              info->name, covered.near_misses);
}

static bool is_family(const char *name, size_t length) {
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        const char *other = signet_code_get((signet_code)code)->name;
        if (strncmp(other, name, length) == 0 && other[length] == '.') {
            return true;
        }
    }
    return false;
}

/* Files that belong to no single code, such as graph/one-fault.sgt, have a family still. */
Test(house, files_lie_in_families) {
    unsigned count = 0;
    char **paths = list_files("tests/rules", &count);
    cr_assert_gt(count, 0);
    for (unsigned i = 0; i < count; i++) {
        const char *family = paths[i] + strlen("tests/rules/");
        cr_expect(is_family(family, strcspn(family, "/")), "%s lies in no family", paths[i]);
    }
    free_paths(paths, count);
}

/* ---- Examples -------------------------------------------------------------------------------- */

struct example {
    signet_code code;
    unsigned found;
    unsigned others; /* errors and warnings */
    char first_other[1024];
};

static void take(void *user, const signet_diag *d) {
    struct example *e = user;
    if (d->code == e->code) {
        e->found++;
    } else if (d->severity > SIGNET_SEVERITY_NOTE) {
        if (e->others++ == 0) {
            snprintf(e->first_other, sizeof(e->first_other), "line %u: %s: %s",
                     (unsigned)d->location.line, d->code_name, d->message);
        }
    }
}

ParameterizedTestParameters(house, examples_show_their_code) {
    return all_codes();
}

ParameterizedTest(int *code, house, examples_show_their_code) {
    const signet_code_info *info = signet_code_get((signet_code)*code);
    cr_assert_not_null(info);
    if (info->example == NULL) {
        cr_assert(is_carrier(info->name));
        return;
    }
    struct example e = {.code = (signet_code)*code};
    signet_sink sink = {take, &e};
    signet_package *p = NULL;
    signet_verify_options options = SIGNET_VERIFY_OPTIONS_INIT;
    options.show_notes = info->severity == SIGNET_SEVERITY_NOTE;
    if (strncmp(info->name, "torch.", 6) == 0) {
        options.profile = SIGNET_PROFILE_TORCH;
    }
    signet_status status =
        signet_read_memory(&p, info->example, strlen(info->example), "example", NULL, &sink);
    cr_assert_eq(status, SIGNET_OK, "%s: its example cannot be read: %s", info->name,
                 e.first_other);
    cr_assert_eq(signet_verify(p, &options, &sink, NULL), SIGNET_OK);
    cr_expect_eq(e.found, 1, "%s: its example has %u findings of it", info->name, e.found);
    cr_expect_eq(e.others, 0, "%s: its example has another finding: %s", info->name, e.first_other);
    signet_package_destroy(p);
}
