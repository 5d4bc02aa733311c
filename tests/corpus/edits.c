/* SPDX-License-Identifier: Apache-2.0 */
#include "edits.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>
#include <zip.h>

struct table table_read(const char *below) {
    char path[TEST_PATH];
    size_t size = 0;
    test_path(path, false, below);
    struct table t = {test_read(path, &size)};
    cr_assert_not_null(t.text, "no file %s", path);
    return t;
}

bool table_find(const struct table *t, const char *key, char *words, size_t capacity) {
    size_t length = strlen(key);
    for (const char *line = t->text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == ' ') {
            const char *start = line + length + 1;
            size_t end = strcspn(start, " #\n");
            snprintf(words, capacity, "%.*s", (int)end, start);
            return true;
        }
    }
    return false;
}

/* ---- Bases ----------------------------------------------------------------------------------- */

enum { BASES = 128, NAME = 96 };

struct base {
    char name[NAME];
    signet_package *package;
    yyjson_doc *model; /* only for the tree's own edits */
};

struct corpus {
    struct base bases[BASES];
    uint32_t base_count;
    bool shared;
    void (*visit)(const struct edit *e, void *user);
    void *user;
};

static yyjson_doc *model_of(const char *path) {
    int problem = 0;
    zip_t *archive = zip_open(path, ZIP_RDONLY, &problem);
    cr_assert_not_null(archive, "no archive %s", path);
    zip_int64_t at = zip_name_locate(archive, "model.json", ZIP_FL_NODIR);
    zip_stat_t stat;
    cr_assert_geq(at, 0, "%s has no model.json", path);
    cr_assert_eq(zip_stat_index(archive, (zip_uint64_t)at, 0, &stat), 0);
    char *text = malloc(stat.size);
    zip_file_t *file = zip_fopen_index(archive, (zip_uint64_t)at, 0);
    cr_assert(text != NULL && file != NULL);
    cr_assert_eq(zip_fread(file, text, stat.size), (zip_int64_t)stat.size);
    yyjson_doc *doc = yyjson_read(text, stat.size, YYJSON_READ_NUMBER_AS_RAW);
    cr_assert_not_null(doc);
    zip_fclose(file);
    zip_discard(archive);
    free(text);
    return doc;
}

static struct base *base_of(struct corpus *c, const char *name) {
    for (uint32_t i = 0; i < c->base_count; i++) {
        if (strcmp(c->bases[i].name, name) == 0) {
            return &c->bases[i];
        }
    }
    cr_assert_lt(c->base_count, BASES);
    struct base *b = &c->bases[c->base_count++];
    char below[256];
    char path[TEST_PATH];
    snprintf(b->name, sizeof(b->name), "%s", name);
    snprintf(below, sizeof(below),
             c->shared ? "fixtures/torch/valid/%s.pt2" : "tests/data/corpus/base/%s.pt2", name);
    test_path(path, c->shared, below);
    cr_assert_eq(signet_read_file(&b->package, path, NULL, NULL), SIGNET_OK, "%s", path);
    b->model = c->shared ? NULL : model_of(path);
    return b;
}

static void corpus_free(struct corpus *c) {
    for (uint32_t i = 0; i < c->base_count; i++) {
        signet_package_destroy(c->bases[i].package);
        yyjson_doc_free(c->bases[i].model);
    }
}

/* ---- Lines of edits -------------------------------------------------------------------------- */

static const char *text_of(yyjson_val *line, const char *member) {
    const char *text = yyjson_get_str(yyjson_obj_get(line, member));
    cr_assert_not_null(text, "a line without %s", member);
    return text;
}

static struct edit edit_of(yyjson_val *line, const char *name) {
    struct edit e = {.name = text_of(line, name),
                     .base = text_of(line, "base"),
                     .kind = text_of(line, "kind"),
                     .opinion = text_of(line, "opinion")};
    e.torch_refuses = strcmp(text_of(line, "torch_verdict"), "rejected") == 0;
    return e;
}

static void visit(struct corpus *c, struct edit *e, const char *text, size_t size) {
    e->text = text;
    e->size = size;
    e->from = base_of(c, e->base)->package;
    c->visit(e, c->user);
}

/* The tree's own edits are patches of the model.json in the base's archive. */
static void run_patch(struct corpus *c, yyjson_val *line) {
    struct edit e = edit_of(line, "name");
    yyjson_doc *model = base_of(c, e.base)->model;
    yyjson_patch_err error;
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *root =
        yyjson_patch(doc, yyjson_doc_get_root(model), yyjson_obj_get(line, "patch"), &error);
    cr_assert_not_null(root, "%s: %s", e.name, error.msg);
    yyjson_mut_doc_set_root(doc, root);
    size_t size = 0;
    char *text = yyjson_mut_write(doc, YYJSON_WRITE_ALLOW_INVALID_UNICODE, &size);
    cr_assert_not_null(text);
    visit(c, &e, text, size);
    free(text);
    yyjson_mut_doc_free(doc);
}

static void run_file(struct corpus *c, yyjson_val *line) {
    struct edit e = edit_of(line, "file");
    char below[512];
    char path[TEST_PATH];
    size_t size = 0;
    snprintf(below, sizeof(below), "fixtures/torch/invalid/%s", e.name);
    test_path(path, true, below);
    char *text = test_read(path, &size);
    cr_assert_not_null(text, "no file %s", path);
    visit(c, &e, text, size);
    free(text);
}

static void run_lines(struct corpus *c, char *lines, size_t size,
                      void (*run)(struct corpus *c, yyjson_val *line)) {
    for (char *at = lines; at < lines + size;) {
        size_t length = strcspn(at, "\n");
        yyjson_doc *doc = yyjson_read(at, length, YYJSON_READ_NUMBER_AS_RAW);
        cr_assert_not_null(doc, "a line that is no JSON: %.60s", at);
        run(c, yyjson_doc_get_root(doc));
        yyjson_doc_free(doc);
        at += length + 1;
    }
}

bool edits_each(bool shared, void (*visit_edit)(const struct edit *e, void *user), void *user) {
    char path[TEST_PATH];
    size_t size = 0;
    test_path(path, shared,
              shared ? "fixtures/torch/invalid/verdicts.jsonl" : "tests/data/corpus/edits.jsonl");
    char *lines = test_read(path, &size);
    if (lines == NULL) {
        return false;
    }
    struct corpus *c = calloc(1, sizeof(*c));
    cr_assert_not_null(c);
    c->shared = shared;
    c->visit = visit_edit;
    c->user = user;
    run_lines(c, lines, size, shared ? run_file : run_patch);
    corpus_free(c);
    free(c);
    free(lines);
    return true;
}
