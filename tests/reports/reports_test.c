/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs made after public bug reports (tests/data/reports/README.md): each gets the verdict of
 * its line of the index, by the right code and at the right place. Where the shared fixtures are at
 * hand, the lines of their index are checked as well.
 */

#include "tests/support/files.h"

#include "signet/signet.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

enum { FINDINGS = 16, TEXT = 8192, CODES = 256 };

struct finding {
    char code[64];
    signet_severity severity;
    char items[512]; /* what it is about and what it relates to, each between commas */
    char text[TEXT]; /* all that it says, in lower case, each piece between newlines */
};

struct program {
    signet_package *package;
    struct finding findings[FINDINGS];
    size_t count, errors, warnings;
};

struct reports {
    bool shared;
    char *codes, *waits;
    size_t rejected, accepted, linted, mutations, owned, waiting;
};

/* ---- Findings -------------------------------------------------------------------------------- */

static void add(char *out, size_t capacity, const char *text) {
    size_t used = strlen(out);
    if (text != NULL) {
        snprintf(out + used, capacity - used, "%s", text);
    }
}

static void add_place(struct finding *f, const signet_location *l) {
    add(f->items, sizeof(f->items), l->item);
    add(f->items, sizeof(f->items), ",");
    const char *const texts[] = {l->item, l->node, l->json_path, l->label, l->program};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        add(f->text, sizeof(f->text), texts[i]);
        add(f->text, sizeof(f->text), "\n");
    }
}

static void hear(void *user, const signet_diag *d) {
    struct program *p = user;
    if (d->severity < SIGNET_SEVERITY_WARNING) {
        return;
    }
    cr_assert_lt(p->count, FINDINGS);
    struct finding *f = &p->findings[p->count++];
    p->errors += d->severity == SIGNET_SEVERITY_ERROR;
    p->warnings += d->severity == SIGNET_SEVERITY_WARNING;
    snprintf(f->code, sizeof(f->code), "%s", d->code_name);
    f->severity = d->severity;
    add(f->items, sizeof(f->items), ",");
    add(f->text, sizeof(f->text), d->message);
    add(f->text, sizeof(f->text), "\n");
    add_place(f, &d->location);
    for (size_t i = 0; i < d->related_count; i++) {
        add_place(f, &d->related[i]);
    }
    for (size_t i = 0; i < d->fact_count; i++) {
        add(f->text, sizeof(f->text), d->facts[i]);
        add(f->text, sizeof(f->text), "\n");
    }
    for (char *c = f->text; *c != '\0'; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
}

static const char *said(const struct program *p) {
    static char text[FINDINGS * 256];
    text[0] = '\0';
    for (size_t i = 0; i < p->count; i++) {
        char line[256];
        snprintf(line, sizeof(line), "%s: %.*s\n", p->findings[i].code,
                 (int)strcspn(p->findings[i].text, "\n"), p->findings[i].text);
        add(text, sizeof(text), line);
    }
    return text;
}

/* ---- The index ------------------------------------------------------------------------------- */

static const char *text_of(yyjson_val *row, const char *member) {
    const char *text = yyjson_get_str(yyjson_obj_get(row, member));
    cr_assert_not_null(text, "a line without %s", member);
    return text;
}

static void path_of(const struct reports *r, char out[TEST_PATH], const char *file) {
    char below[TEST_PATH];
    snprintf(below, sizeof(below), r->shared ? "fixtures/reports/%s" : "tests/data/reports/%s",
             file);
    test_path(out, r->shared, below);
}

/* What stands behind a key, up to the reason; null when there is no such line. */
static const char *look_up(const char *table, const char *key, char out[CODES]) {
    size_t length = strlen(key);
    for (const char *line = table; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == ' ') {
            snprintf(out, CODES, "%.*s ", (int)strcspn(line + length, "#\n"), line + length);
            return out;
        }
    }
    return NULL;
}

static const char *codes_of(const struct reports *r, const char *name, char out[CODES]) {
    const char *codes = look_up(r->codes, name, out);
    cr_assert_not_null(codes, "codes.txt has no line for '%s'", name);
    return codes;
}

static bool is_code(const char *codes, const struct finding *f) {
    char word[80];
    snprintf(word, sizeof(word), " %s ", f->code);
    return strstr(codes, word) != NULL;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static bool has_item(const struct finding *f, const char *kind, int64_t index) {
    char item[64];
    snprintf(item, sizeof(item), ",%s %lld,", kind, (long long)index);
    return strstr(f->items, item) != NULL;
}

/* The number as a word of its own. */
static bool has_number(const struct finding *f, int64_t number) {
    char digits[32];
    snprintf(digits, sizeof(digits), "%lld", (long long)number);
    size_t length = strlen(digits);
    for (const char *at = strstr(f->text, digits); at != NULL; at = strstr(at + 1, digits)) {
        bool starts = at == f->text || !isdigit((unsigned char)at[-1]);
        if (starts && !isdigit((unsigned char)at[length])) {
            return true;
        }
    }
    return false;
}

static bool has_text(const struct finding *f, const char *text) {
    char lower[512];
    size_t length = strlen(text);
    cr_assert_lt(length, sizeof(lower));
    for (size_t i = 0; i <= length; i++) {
        lower[i] = (char)tolower((unsigned char)text[i]);
    }
    return strstr(f->text, lower) != NULL;
}

/* Does the finding tell one thing of "where"? */
static bool tells(const struct finding *f, const char *what, yyjson_val *v) {
    if (yyjson_is_str(v)) {
        return has_text(f, yyjson_get_str(v));
    }
    const char *kind = strncmp(what, "output_spec", 11) == 0 ? "output" : NULL;
    kind = strcmp(what, "input") == 0 || strcmp(what, "input_spec") == 0 ? "input" : kind;
    int64_t number = yyjson_get_sint(v);
    if (kind != NULL) {
        char spec[32];
        snprintf(spec, sizeof(spec), "%s spec", kind);
        return has_item(f, kind, number) || has_item(f, spec, number);
    }
    return has_number(f, number);
}

/* Each thing of "where" is told by a finding of the codes. */
static void check_where(const struct program *p, const char *file, const char *codes,
                        yyjson_val *where) {
    size_t i, j, most, count;
    yyjson_val *key, *value, *element;
    yyjson_obj_foreach(where, i, most, key, value) {
        yyjson_val *single = value;
        bool list = yyjson_is_arr(value);
        count = list ? yyjson_arr_size(value) : 1;
        for (j = 0; j < count; j++) {
            element = list ? yyjson_arr_get(value, j) : single;
            bool told = false;
            for (size_t k = 0; k < p->count; k++) {
                const struct finding *f = &p->findings[k];
                told |= is_code(codes, f) && tells(f, yyjson_get_str(key), element);
            }
            cr_expect(told, "%s: no finding tells %s %zu:\n%s", file, yyjson_get_str(key), j,
                      said(p));
        }
    }
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static void check_reject(struct reports *r, const struct program *p, const char *file,
                         yyjson_val *row) {
    char codes[CODES], other[CODES];
    size_t found = 0, i, most;
    yyjson_val *name;
    codes_of(r, text_of(row, "fault"), codes);
    for (size_t k = 0; k < p->count; k++) {
        const struct finding *f = &p->findings[k];
        bool meant = is_code(codes, f);
        found += meant;
        yyjson_arr_foreach(yyjson_obj_get(row, "also"), i, most, name) {
            meant |= is_code(codes_of(r, yyjson_get_str(name), other), f);
        }
        cr_expect(meant, "%s: not expected:\n%s", file, said(p));
    }
    cr_expect_gt(found, 0, "%s: expected%s, found\n%s", file, codes, said(p));
    check_where(p, file, codes, yyjson_obj_get(row, "where"));
    r->rejected++;
}

static void check_accept(struct reports *r, const struct program *p, const char *file,
                         yyjson_val *row) {
    char codes[CODES], all[CODES * 4] = " ";
    size_t i, most;
    yyjson_val *name;
    cr_expect_not_null(p->package, "%s: not read\n%s", file, said(p));
    yyjson_arr_foreach(yyjson_obj_get(row, "lint"), i, most, name) {
        bool found = codes_of(r, yyjson_get_str(name), codes)[strspn(codes, " ")] == '\0';
        for (size_t k = 0; k < p->count; k++) {
            found |= is_code(codes, &p->findings[k]);
        }
        cr_expect(found, "%s: no warning for %s\n%s", file, yyjson_get_str(name), said(p));
        add(all, sizeof(all), codes);
        r->linted++;
    }
    for (size_t k = 0; k < p->count; k++) {
        cr_expect(is_code(all, &p->findings[k]), "%s: not expected:\n%s", file, said(p));
    }
    cr_expect_eq(p->errors, 0, "%s\n%s", file, said(p));
    r->accepted++;
}

/* ---- State ----------------------------------------------------------------------------------- */

static bool lists(yyjson_val *names, signet_string name) {
    size_t i, most;
    yyjson_val *element;
    yyjson_arr_foreach(names, i, most, element) {
        if (yyjson_get_len(element) == name.length &&
            memcmp(yyjson_get_str(element), name.data, name.length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_mutated(const signet_package *p, signet_program program, signet_string target) {
    return signet_program_is_mutated(p, program, SIGNET_INPUT_KIND_BUFFER, target) ||
           signet_program_is_mutated(p, program, SIGNET_INPUT_KIND_PARAMETER, target) ||
           signet_program_is_mutated(p, program, SIGNET_INPUT_KIND_USER_INPUT, target);
}

/* Every listed state is mutated, and no other input; the outputs update these and no others. */
static void check_mutated(struct reports *r, const signet_package *p, signet_program program,
                          const char *file, yyjson_val *names) {
    size_t i, most;
    yyjson_val *element;
    signet_spec spec = SIGNET_SPEC_INIT;
    yyjson_arr_foreach(names, i, most, element) {
        signet_string name = {yyjson_get_str(element), yyjson_get_len(element)};
        cr_expect(is_mutated(p, program, name), "%s: '%s' is mutated", file, name.data);
        r->mutations++;
    }
    for (uint32_t k = 0; signet_spec_get(p, program, SIGNET_INPUT, k, &spec); k++) {
        signet_string target = spec.kind == SIGNET_INPUT_KIND_USER_INPUT ? spec.name : spec.target;
        if (target.data != NULL) {
            cr_expect_eq(is_mutated(p, program, target), lists(names, target), "%s: '%s'", file,
                         target.data);
        }
    }
    size_t updates = 0;
    for (uint32_t k = 0; signet_spec_get(p, program, SIGNET_OUTPUT, k, &spec); k++) {
        if (signet_output_kind_is_mutation((signet_output_kind)spec.kind)) {
            cr_expect(lists(names, spec.target), "%s: output %u updates '%s'", file, k,
                      spec.target.data);
            updates++;
        }
    }
    cr_expect_eq(updates, yyjson_arr_size(names), "%s", file);
}

static void check_states(struct reports *r, const signet_package *p, const char *file,
                         yyjson_val *row) {
    yyjson_val *mutated = yyjson_obj_get(row, "mutated");
    for (uint32_t i = 0; mutated != NULL && i < signet_program_count(p); i++) {
        signet_program program = signet_program_at(p, i);
        const char *name = signet_program_name(p, program).data;
        check_mutated(r, p, program, file,
                      yyjson_is_obj(mutated) ? yyjson_obj_get(mutated, name) : mutated);
    }
    size_t i, j, most, count;
    yyjson_val *delegate, *names, *name;
    yyjson_obj_foreach(yyjson_obj_get(row, "owned"), i, most, delegate, names) {
        signet_delegate d = signet_delegate_find(p, signet_str(yyjson_get_str(delegate)));
        cr_assert_neq(d.id, 0);
        yyjson_arr_foreach(names, j, count, name) {
            signet_owner owner;
            signet_string target = signet_str(yyjson_get_str(name));
            cr_assert_eq(signet_state_owners(p, SIGNET_INPUT_KIND_BUFFER, target, &owner, 1), 1);
            cr_expect_eq(owner.delegate.id, d.id, "%s: %s", file, target.data);
            cr_expect(owner.mutates, "%s: %s", file, target.data);
            cr_expect(is_mutated(p, signet_program_at(p, 0), target), "%s: by its delegate", file);
            r->owned++;
        }
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void load(struct reports *r, struct program *p, const char *file, yyjson_val *row) {
    char path[TEST_PATH];
    size_t i, most;
    yyjson_val *delegate, *body;
    signet_sink sink = {hear, p};
    path_of(r, path, file);
    signet_status status = signet_read_file(&p->package, path, NULL, &sink);
    cr_assert(status == SIGNET_OK || p->errors > 0, "%s: status %d and no finding", path, status);
    if (p->package == NULL) {
        return;
    }
    yyjson_obj_foreach(yyjson_obj_get(row, "delegates"), i, most, delegate, body) {
        path_of(r, path, yyjson_get_str(body));
        cr_assert_eq(
            signet_package_attach_body(p->package, yyjson_get_str(delegate), path, NULL, &sink),
            SIGNET_OK, "%s", path);
    }
    cr_assert_eq(signet_verify(p->package, NULL, &sink, NULL), SIGNET_OK);
}

static void run_row(struct reports *r, yyjson_val *row) {
    char unused[CODES];
    const char *file = text_of(row, "file");
    if (look_up(r->waits, file, unused) != NULL) {
        r->waiting++;
        return;
    }
    struct program *p = calloc(1, sizeof(*p));
    cr_assert_not_null(p);
    load(r, p, file, row);
    if (strcmp(text_of(row, "expect"), "reject") == 0) {
        check_reject(r, p, file, row);
    } else {
        check_accept(r, p, file, row);
    }
    if (p->package != NULL) {
        check_states(r, p->package, file, row);
    }
    signet_package_destroy(p->package);
    free(p);
}

static char *table(const char *below) {
    char path[TEST_PATH];
    size_t size = 0;
    test_path(path, false, below);
    char *text = test_read(path, &size);
    cr_assert_not_null(text, "no file %s", path);
    return text;
}

static void run(bool shared) {
    struct reports r = {.shared = shared};
    char path[TEST_PATH];
    size_t size = 0;
    path_of(&r, path, "index.jsonl");
    char *rows = test_read(path, &size);
    if (shared && rows == NULL) {
        cr_skip_test("no shared fixtures");
    }
    cr_assert_not_null(rows, "no file %s", path);
    r.codes = table("tests/data/reports/codes.txt");
    r.waits = table("tests/data/reports/waits.txt");
    for (char *at = rows; at < rows + size; at += strcspn(at, "\n") + 1) {
        yyjson_doc *doc = yyjson_read(at, strcspn(at, "\n"), 0);
        cr_assert_not_null(doc, "a line that is no JSON: %.60s", at);
        run_row(&r, yyjson_doc_get_root(doc));
        yyjson_doc_free(doc);
    }
    printf("%zu reports refused where the fault is, %zu accepted (%zu hints, %zu mutations, %zu "
           "states of delegates); %zu skipped, see waits.txt\n",
           r.rejected, r.accepted, r.linted, r.mutations, r.owned, r.waiting);
    fflush(stdout);
    cr_expect_gt(r.rejected, 10);
    cr_expect_gt(r.accepted, 10);
    free(r.codes);
    free(r.waits);
    free(rows);
}

Test(reports, own) {
    run(false);
}

Test(reports, all) {
    run(true);
}
