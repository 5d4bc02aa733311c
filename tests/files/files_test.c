/* SPDX-License-Identifier: Apache-2.0 */
/* One test per case of tests/rules and tests/programs: its findings are those it expects; written,
 * read again and cloned it is the same program. */

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

/* ---- Text ------------------------------------------------------------------------------------ */

struct text {
    char *data;
    size_t length, capacity;
};

static bool append(void *user, const char *data, size_t length) {
    struct text *t = user;
    if (t->length + length + 1 > t->capacity) {
        t->capacity = (t->length + length + 1) * 2;
        t->data = realloc(t->data, t->capacity);
        cr_assert_not_null(t->data);
    }
    memcpy(t->data + t->length, data, length);
    t->length += length;
    t->data[t->length] = '\0';
    return true;
}

static void say(struct text *t, const char *format, ...) SIGNET_PRINTF(2, 3);
static void say(struct text *t, const char *format, ...) {
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    append(t, line, strlen(line));
}

/* ---- Findings -------------------------------------------------------------------------------- */

struct run {
    struct test_case *c;
    struct text found;      /* all findings */
    struct text unexpected; /* those that nothing expects */
};

static struct expectation *expectation_of(struct test_case *c, const signet_diag *d) {
    for (unsigned i = 0; i < c->expected_count; i++) {
        struct expectation *e = &c->expected[i];
        if (!e->met && e->line == d->location.line && e->severity == d->severity &&
            strcmp(e->code, d->code_name) == 0 && strstr(d->message, e->text) != NULL) {
            return e;
        }
    }
    return NULL;
}

static void say_finding(struct text *t, const signet_diag *d) {
    say(t, "    line %u: %s: %s: %s\n", (unsigned)d->location.line,
        signet_severity_name(d->severity), d->code_name, d->message);
}

static void take_finding(void *user, const signet_diag *d) {
    struct run *run = user;
    struct expectation *e = expectation_of(run->c, d);
    say_finding(&run->found, d);
    if (e != NULL) {
        e->met = true;
    } else {
        say_finding(&run->unexpected, d);
    }
}

static void compare_findings(struct run *run) {
    const struct test_case *c = run->c;
    struct text missing = {NULL, 0, 0};
    for (unsigned i = 0; i < c->expected_count; i++) {
        const struct expectation *e = &c->expected[i];
        if (!e->met) {
            say(&missing, "    line %u: %s: %s \"%s\"\n", e->line,
                signet_severity_name(e->severity), e->code, e->text);
        }
    }
    cr_expect(missing.length == 0 && run->unexpected.length == 0,
              "%s, case %u (line %u)\n  missing:\n%s  unexpected:\n%s  all that was found:\n%s",
              c->path, c->index + 1, c->line, missing.data != NULL ? missing.data : "    none\n",
              run->unexpected.data != NULL ? run->unexpected.data : "    none\n",
              run->found.data != NULL ? run->found.data : "    nothing\n");
    free(missing.data);
}

/* ---- The same again -------------------------------------------------------------------------- */

static void check_same(const struct test_case *c, const char *what, const signet_package *a,
                       const signet_package *b) {
    bool equal = false;
    signet_difference difference = SIGNET_DIFFERENCE_INIT;
    cr_assert_eq(signet_package_equal(a, b, SIGNET_EQUAL_EXACT, &equal, &difference), SIGNET_OK);
    cr_expect(equal, "%s, case %u: %s differs: %s", c->path, c->index + 1, what, difference.what);
    static const signet_hash_mode modes[] = {SIGNET_HASH_EXACT, SIGNET_HASH_STRUCTURAL};
    for (size_t i = 0; i < 2; i++) {
        signet_hash x;
        signet_hash y;
        cr_assert_eq(signet_package_hash(a, modes[i], &x), SIGNET_OK);
        cr_assert_eq(signet_package_hash(b, modes[i], &y), SIGNET_OK);
        cr_expect_arr_eq(x.bytes, y.bytes, sizeof(x.bytes), "%s, case %u: %s has another %s hash",
                         c->path, c->index + 1, what, i == 0 ? "exact" : "structural");
    }
}

static void check_round_trips(const struct test_case *c, const signet_package *p) {
    struct text written = {NULL, 0, 0};
    struct run run = {.c = &(struct test_case){.index = 0}};
    signet_writer writer = {append, &written};
    signet_sink sink = {take_finding, &run};
    signet_package *again = NULL;
    signet_package *clone = NULL;
    cr_assert_eq(signet_write_sgt(p, &writer), SIGNET_OK);
    signet_status status =
        signet_read_memory(&again, written.data, written.length, "written", NULL, &sink);
    cr_assert(status == SIGNET_OK && run.found.length == 0,
              "%s, case %u: what is written does not read:\n%s%s", c->path, c->index + 1,
              run.found.data != NULL ? run.found.data : "", written.data);
    check_same(c, "written and read again, it", p, again);
    cr_assert_eq(signet_package_clone(&clone, p, NULL), SIGNET_OK);
    check_same(c, "its clone", p, clone);
    signet_package_destroy(clone);
    signet_package_destroy(again);
    free(run.found.data);
    free(run.unexpected.data);
    free(written.data);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* A case, by its place among all cases: what a test gets must be small. */
static const char *const folders[] = {"tests/rules", "tests/programs"};

/* Goes through all cases; stops at case `wanted`, with a copy of its file's path. Returns how many
 * were passed. */
static unsigned walk_cases(unsigned wanted, char *path, size_t size, unsigned *index) {
    unsigned passed = 0;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        unsigned files = 0;
        char **paths = list_files(folders[i], &files);
        for (unsigned k = 0; k < files; k++) {
            char *text = read_source(paths[k]);
            unsigned cases = text != NULL ? count_cases(text) : 0;
            free(text);
            if (wanted >= passed && wanted - passed < cases) {
                snprintf(path, size, "%s", paths[k]);
                *index = wanted - passed;
            }
            passed += cases;
        }
        free_paths(paths, files);
    }
    return passed;
}

ParameterizedTestParameters(files, cases) {
    char path[512];
    unsigned index = 0;
    /* Without it there are no cases; there_are_cases fails then. */
    bool ready = getenv("SIGNET_SOURCE_ROOT") != NULL;
    size_t count = ready ? walk_cases(UINT32_MAX, path, sizeof(path), &index) : 0;
    int *numbers = cr_malloc((count + 1) * sizeof(*numbers));
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (int)i;
    }
    return cr_make_param_array(int, numbers, count, NULL);
}

ParameterizedTest(int *number, files, cases) {
    char path[512] = "";
    unsigned index = 0;
    walk_cases((unsigned)*number, path, sizeof(path), &index);
    struct test_case *c = load_case(path, index);
    struct run run = {.c = c};
    signet_sink sink = {take_finding, &run};
    signet_package *p = NULL;
    cr_assert_str_empty(c->problem, "%s, case %u: %s", c->path, c->index + 1, c->problem);
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.as = SIGNET_CARRIER_SGT;
    signet_status status =
        signet_read_memory(&p, c->text, strlen(c->text), c->path, &options, &sink);
    if (status == SIGNET_OK) {
        status = signet_verify(p, &c->options, &sink, NULL);
        cr_assert_eq(status, SIGNET_OK, "%s, case %u: %s", c->path, c->index + 1,
                     signet_status_text(status));
    }
    compare_findings(&run);
    if (p != NULL) {
        check_round_trips(c, p);
    }
    signet_package_destroy(p);
    free(run.found.data);
    free(run.unexpected.data);
    free_case(c);
}

/* ---- Damaged programs ------------------------------------------------------------------------ */

/* The same numbers on every machine. */
static unsigned next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33);
}

/* What can be read can be verified, and comes back; nothing else may happen but findings. */
static bool check_damaged(const struct test_case *c, const char *text, size_t length) {
    signet_package *p = NULL;
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.as = SIGNET_CARRIER_SGT;
    signet_status status = signet_read_memory(&p, text, length, c->path, &options, NULL);
    if (status == SIGNET_OK) {
        cr_assert_eq(signet_verify(p, &c->options, NULL, NULL), SIGNET_OK);
        check_round_trips(c, p);
    } else {
        cr_assert_eq(status, SIGNET_E_SYNTAX, "%s: %s", c->path, signet_status_text(status));
    }
    signet_package_destroy(p);
    return status == SIGNET_OK;
}

static unsigned damage(const struct test_case *c, uint64_t *state, unsigned round, char *text,
                       size_t length) {
    static const char bytes[] = "\n\"\\%@#{}[]()=:;,.~!?-01a ";
    memcpy(text, c->text, length);
    if (round % 4 == 0) {
        return next_random(state) % (unsigned)length;
    }
    for (unsigned k = 0; k < 1 + round % 3; k++) {
        unsigned to = next_random(state) % (unsigned)length;
        unsigned from = next_random(state) % (unsigned)length;
        size_t size = 1 + next_random(state) % 12;
        if (round % 4 == 1) {
            text[to] = bytes[from % (sizeof(bytes) - 1)];
        } else if (from + size < length && to + size < length) {
            memmove(text + to, text + from, size);
        }
    }
    return (unsigned)length;
}

Test(files, damaged_programs) {
    unsigned read = 0;
    unsigned tried = 0;
    unsigned count = 0;
    uint64_t state = 1;
    char **paths = list_files("tests/programs", &count);
    for (unsigned i = 0; i < count; i++) {
        struct test_case *c = load_case(paths[i], 0);
        size_t length = strlen(c->text);
        char *text = malloc(length);
        cr_assert_not_null(text);
        for (unsigned round = 0; round < 60; round++) {
            unsigned left = damage(c, &state, round, text, length);
            read += check_damaged(c, text, left);
            tried++;
        }
        free(text);
        free_case(c);
    }
    free_paths(paths, count);
    cr_assert_gt(read, tried / 20, "%u of %u are read", read, tried);
    cr_assert_lt(read, tried);
}

/* No file is left out by mistake: the folders hold what the rules need. */
Test(files, there_are_cases) {
    unsigned rules = 0;
    unsigned programs = 0;
    char **paths = list_files("tests/rules", &rules);
    free_paths(paths, rules);
    cr_assert_gt(rules, 0);
    paths = list_files("tests/programs", &programs);
    free_paths(paths, programs);
    cr_assert_gt(programs, 0);
}
