/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash and equality on programs that PyTorch wrote.
 *
 * 1. A clone, and what comes back from the exact text, is equal and has the same hashes.
 * 2. Other names, and another order of nodes that do not depend on each other, leave the structural
 *    hash as it is.
 * 3. An edit that makes another program changes it, one that does not leaves it (but see
 *    hashes.txt).
 */

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edits.h"

struct figures {
    struct table exceptions;
    const char *path;
    size_t programs, lossy, renamed, swapped;
    size_t changed, told_apart, equivalent, alike, listed;
};

/* Do hash and walk say the same, and what they should? */
static bool alike(const signet_package *a, const signet_package *b, signet_hash_mode mode,
                  const char *what, char said[256]) {
    signet_hash x;
    signet_hash y;
    bool equal = false;
    signet_difference d = SIGNET_DIFFERENCE_INIT;
    signet_equal_mode walk =
        mode == SIGNET_HASH_EXACT ? SIGNET_EQUAL_EXACT : SIGNET_EQUAL_STRUCTURAL;
    cr_assert_eq(signet_package_hash(a, mode, &x), SIGNET_OK);
    cr_assert_eq(signet_package_hash(b, mode, &y), SIGNET_OK);
    cr_assert_eq(signet_package_equal(a, b, walk, &equal, &d), SIGNET_OK);
    bool same = memcmp(&x, &y, sizeof(x)) == 0;
    cr_expect_eq(same, equal, "%s: the hash says %s, the walk says: %s", what,
                 same ? "equal" : "different", equal ? "equal" : d.what);
    memcpy(said, d.what, sizeof(d.what));
    return same && equal;
}

static signet_package *clone(const signet_package *p) {
    signet_package *copy = NULL;
    cr_assert_eq(signet_package_clone(&copy, p, NULL), SIGNET_OK);
    return copy;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

struct text {
    char *data;
    size_t length, capacity;
};

static bool gather(void *user, const char *text, size_t length) {
    struct text *t = user;
    if (t->length + length > t->capacity) {
        t->capacity = 2 * (t->length + length);
        t->data = realloc(t->data, t->capacity);
        cr_assert_not_null(t->data);
    }
    memcpy(t->data + t->length, text, length);
    t->length += length;
    return true;
}

static signet_package *through_text(const signet_package *p) {
    struct text text = {NULL, 0, 0};
    signet_writer writer = {gather, &text};
    signet_package *back = NULL;
    cr_assert_eq(signet_write_sgt(p, &writer), SIGNET_OK);
    cr_assert_eq(signet_read_memory(&back, text.data, text.length, "text", NULL, NULL), SIGNET_OK);
    free(text.data);
    return back;
}

static void check_copy(const signet_package *p, signet_package *copy, const char *what) {
    char said[256];
    cr_expect(alike(p, copy, SIGNET_HASH_EXACT, what, said), "%s: %s", what, said);
    cr_expect(alike(p, copy, SIGNET_HASH_STRUCTURAL, what, said), "%s: %s", what, said);
    signet_package_destroy(copy);
}

/* ---- Other names ----------------------------------------------------------------------------- */

static void check_renamed(const signet_package *p, struct figures *f) {
    char said[256];
    signet_package *other = clone(p);
    size_t count = 0;
    for (uint32_t id = 1; signet_value_name(other, (signet_value){id}).data != NULL; id++) {
        char name[32];
        snprintf(name, sizeof(name), "other_%u", id);
        signet_value_rename(other, (signet_value){id}, signet_str(name));
        count++;
    }
    cr_assert_eq(signet_package_status(other), SIGNET_OK, "%s", f->path);
    cr_expect(alike(p, other, SIGNET_HASH_STRUCTURAL, f->path, said), "%s, renamed: %s", f->path,
              said);
    cr_expect_not(alike(p, other, SIGNET_HASH_EXACT, f->path, said), "%s", f->path);
    f->renamed += count;
    signet_package_destroy(other);
}

/* ---- Another order --------------------------------------------------------------------------- */

/* Surely computes its results and nothing else: by name, and rather too few than too many. */
static bool is_pure(const signet_package *p, signet_node node) {
    static const char *const not_pure[] = {
        "rand",          "dropout",     "bernoulli",    "normal",    "multinomial",
        "poisson",       "exponential", "rrelu",        "attention", "assert",
        "sym_constrain", "is_all_true", "instance_norm"};
    signet_operator o = signet_node_operator(p, node);
    bool aten = o.name_space.length == 4 && memcmp(o.name_space.data, "aten", 4) == 0;
    bool pure = aten && o.op_class == SIGNET_OPERATOR_OVERLOAD && !o.in_place;
    for (size_t i = 0; pure && i < sizeof(not_pure) / sizeof(not_pure[0]); i++) {
        pure = strstr(o.name.data, not_pure[i]) == NULL;
    }
    return pure;
}

static bool names_result_of(const signet_package *p, signet_arg arg, signet_node node) {
    signet_value v = signet_arg_value(p, arg);
    bool does = v.id != 0 && signet_value_node(p, v).id == node.id;
    for (uint32_t i = 0; !does && i < signet_arg_child_count(p, arg); i++) {
        does = names_result_of(p, signet_arg_child(p, arg, i), node);
    }
    return does;
}

static bool reads(const signet_package *p, signet_node b, signet_node a) {
    bool does = false;
    for (uint32_t i = 0; !does && i < signet_node_input_count(p, b); i++) {
        does = names_result_of(p, signet_node_input(p, b, i), a);
    }
    return does;
}

/* Exchanges neighbours that do not depend on each other, from the first to the last. */
static size_t swap_neighbours(signet_package *p, signet_graph graph) {
    size_t count = 0;
    for (signet_node a = signet_graph_first(p, graph); a.id != 0;) {
        signet_node b = signet_node_next(p, a);
        bool swaps = b.id != 0 && is_pure(p, a) && is_pure(p, b) && !reads(p, b, a);
        if (swaps) {
            signet_node_move(p, b, a);
            count++;
        }
        a = swaps ? signet_node_next(p, a) : b;
    }
    return count;
}

static void check_swapped(const signet_package *p, struct figures *f) {
    char said[256];
    size_t count = 0;
    signet_package *other = clone(p);
    for (uint32_t id = 1; signet_graph_program(other, (signet_graph){id}).id != 0; id++) {
        count += swap_neighbours(other, (signet_graph){id});
    }
    cr_assert_eq(signet_package_status(other), SIGNET_OK, "%s", f->path);
    cr_expect(alike(p, other, SIGNET_HASH_STRUCTURAL, f->path, said), "%s, in another order: %s",
              f->path, said);
    cr_expect_eq(alike(p, other, SIGNET_HASH_EXACT, f->path, said), count == 0, "%s", f->path);
    f->swapped += count;
    signet_package_destroy(other);
}

/* ---- Programs -------------------------------------------------------------------------------- */

static void check_program(const char *path, void *user) {
    struct figures *f = user;
    signet_package *p = NULL;
    signet_status status = signet_read_file(&p, path, NULL, NULL);
    if (status == SIGNET_E_VERSION) { /* the formats' tests say which versions are read */
        return;
    }
    cr_assert_eq(status, SIGNET_OK, "%s", path);
    f->path = path;
    f->programs++;
    f->lossy += signet_program_is_lossy(p, signet_program_at(p, 0));
    check_copy(p, clone(p), path);
    check_copy(p, through_text(p), path);
    check_renamed(p, f);
    check_swapped(p, f);
    signet_package_destroy(p);
}

static void check_programs(bool shared, const char *const *folders, size_t count) {
    struct figures f = {0};
    for (size_t i = 0; i < count; i++) {
        size_t found = test_each_file(shared, folders[i], ".pt2", check_program, &f) +
                       test_each_file(shared, folders[i], ".txt", check_program, &f);
        if (shared && found == 0) {
            cr_skip_test("no shared fixtures");
        }
    }
    printf("%zu programs (%zu of them printed): equal after clone and exact text, the same after "
           "%zu new names and %zu exchanges of neighbours\n",
           f.programs, f.lossy, f.renamed, f.swapped);
    fflush(stdout);
    cr_expect_gt(f.programs, 30);
    cr_expect_gt(f.swapped, 20);
}

Test(hash, own_programs) {
    static const char *const folders[] = {"tests/data/corpus/base"};
    check_programs(false, folders, 1);
}

Test(hash, shared_programs) {
    static const char *const folders[] = {"fixtures/torch/valid", "fixtures/versions/2.13.0",
                                          "fixtures/versions/2.5.1", "fixtures/models"};
    check_programs(true, folders, sizeof(folders) / sizeof(folders[0]));
}

/* ---- Edits ----------------------------------------------------------------------------------- */

static void check_edit(const struct edit *e, void *user) {
    struct figures *f = user;
    bool changed = strcmp(e->opinion, "changed") == 0;
    char unused[8];
    char said[256];
    if (!changed && strcmp(e->opinion, "equivalent") != 0) {
        return;
    }
    signet_package *p = NULL;
    cr_assert_eq(signet_read_memory(&p, e->text, e->size, e->name, NULL, NULL), SIGNET_OK);
    cr_assert_eq(signet_package_take_state(p, e->from), SIGNET_OK);
    bool same = alike(e->from, p, SIGNET_HASH_STRUCTURAL, e->name, said);
    char key[256];
    snprintf(key, sizeof(key), "%s__%s", e->kind, e->base);
    bool listed = table_find(&f->exceptions, e->kind, unused, sizeof(unused)) ||
                  table_find(&f->exceptions, key, unused, sizeof(unused));
    bool right = same != changed;
    cr_expect(right != listed, "%s is %s, and the structural hash %s%s (%s)", e->name, e->opinion,
              same ? "the same" : "another", listed ? ", but hashes.txt lists it" : "", said);
    f->changed += changed;
    f->told_apart += changed && right;
    f->equivalent += !changed;
    f->alike += !changed && right;
    f->listed += listed;
    signet_package_destroy(p);
}

static void check_edits(bool shared) {
    struct figures f = {.exceptions = table_read("tests/data/corpus/hashes.txt")};
    bool there = edits_each(shared, check_edit, &f);
    free(f.exceptions.text);
    if (!there && shared) {
        cr_skip_test("no shared fixtures");
    }
    printf("%zu of %zu edits to another program change the structural hash, %zu of %zu to the same "
           "leave it (%zu listed)\n",
           f.told_apart, f.changed, f.alike, f.equivalent, f.listed);
    fflush(stdout);
    cr_expect_gt(f.changed, 15);
    cr_expect_gt(f.equivalent, 10);
}

Test(hash, own_edits) {
    check_edits(false);
}

Test(hash, all_edits) {
    check_edits(true);
}
