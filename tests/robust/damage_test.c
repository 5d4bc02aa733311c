/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every file of the tests' data, cut off at each 64th byte and with changed bytes: what can be read
 * is verified, hashed, written and read again; what is refused is refused with a finding that says
 * where. Nothing crashes. SIGNET_SLOW=1 in the environment makes many more changes.
 */

#include "tests/support/damage.h"
#include "tests/support/files.h"

#include "signet/signet.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct damage {
    const char *path;
    size_t files, cut, changed, read, refused;
    /* of one file */
    uint32_t errors, placed;
};

static void hear(void *user, const signet_diag *d) {
    struct damage *c = user;
    const signet_location *l = &d->location;
    cr_expect(d->message[0] != '\0' && strchr(d->message, '\n') == NULL, "%s", c->path);
    c->errors += d->severity == SIGNET_SEVERITY_ERROR;
    c->placed += l->has_byte || l->line > 0;
}

static void ignore(void *user, const signet_diag *d) {
    (void)user;
    cr_expect(d->message[0] != '\0' && strchr(d->message, '\n') == NULL);
}

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

static void check_text(struct damage *c, const char *what, const signet_package *p) {
    struct text text = {NULL, 0, 0};
    signet_writer writer = {gather, &text};
    signet_package *back = NULL;
    bool equal = false;
    signet_difference d = SIGNET_DIFFERENCE_INIT;
    cr_assert_eq(signet_write_sgt(p, &writer), SIGNET_OK, "%s, %s", c->path, what);
    signet_status status = signet_read_memory(&back, text.data, text.length, "text", NULL, NULL);
    cr_expect_eq(status, SIGNET_OK, "%s, %s: the exact text is not read", c->path, what);
    if (status == SIGNET_OK) {
        cr_assert_eq(signet_package_equal(p, back, SIGNET_EQUAL_EXACT, &equal, &d), SIGNET_OK);
        cr_expect(equal, "%s, %s: after the exact text: %s", c->path, what, d.what);
        signet_hash x, y;
        cr_assert_eq(signet_package_hash(p, SIGNET_HASH_EXACT, &x), SIGNET_OK);
        cr_assert_eq(signet_package_hash(back, SIGNET_HASH_EXACT, &y), SIGNET_OK);
        cr_expect_arr_eq(&x, &y, sizeof(x), "%s, %s: another hash", c->path, what);
    }
    signet_package_destroy(back);
    free(text.data);
}

/* What else is done with a package that was read. */
static void use(struct damage *c, const char *what, const signet_package *p) {
    signet_verify_options options = SIGNET_VERIFY_OPTIONS_INIT;
    signet_sink sink = {ignore, c};
    signet_hash hash;
    options.show_notes = true;
    cr_assert_eq(signet_verify(p, &options, &sink, NULL), SIGNET_OK, "%s, %s", c->path, what);
    cr_assert_eq(signet_package_hash(p, SIGNET_HASH_STRUCTURAL, &hash), SIGNET_OK);
    bool equal = false;
    cr_assert_eq(signet_package_equal(p, p, SIGNET_EQUAL_STRUCTURAL, &equal, NULL), SIGNET_OK);
    cr_expect(equal, "%s, %s: not equal to itself", c->path, what);
    check_text(c, what, p);
}

static void check(const char *what, const char *bytes, size_t size, void *user) {
    struct damage *c = user;
    signet_package *p = NULL;
    signet_sink sink = {hear, c};
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.deep = true;
    c->errors = 0;
    c->placed = 0;
    signet_status status = signet_read_memory(&p, bytes, size, c->path, &options, &sink);
    cr_expect_eq(p != NULL, status == SIGNET_OK, "%s, %s", c->path, what);
    if (p != NULL) {
        c->read++;
        use(c, what, p);
    } else {
        c->refused++;
        cr_expect(status == SIGNET_E_SYNTAX || status == SIGNET_E_VERSION ||
                      status == SIGNET_E_LIMIT || status == SIGNET_E_UNSUPPORTED,
                  "%s, %s: status %d", c->path, what, status);
        cr_expect_gt(c->errors, 0, "%s, %s: refused without an error", c->path, what);
        cr_expect(c->placed > 0 || status == SIGNET_E_VERSION, "%s, %s: refused, but where?",
                  c->path, what);
    }
    signet_package_destroy(p);
}

static void damage_bytes(struct damage *c, const char *bytes, size_t size) {
    enum { STEP = 64, NORMAL = 60, SLOW = 2000 };
    size_t rounds = getenv("SIGNET_SLOW") != NULL ? SLOW : NORMAL;
    c->files++;
    c->cut += test_cut_off(bytes, size, STEP, check, c);
    c->changed += test_changed(bytes, size, rounds, size, check, c);
}

static void damage(const char *path, void *user) {
    struct damage *c = user;
    size_t size = 0;
    char *bytes = test_read(path, &size);
    cr_assert_not_null(bytes, "no file %s", path);
    c->path = path;
    damage_bytes(c, bytes, size);
    free(bytes);
}

/* The model.json of an archive, whose damage no checksum catches. */
static void damage_json(const char *path, void *user) {
    struct damage *c = user;
    struct text text = {NULL, 0, 0};
    signet_writer writer = {gather, &text};
    signet_package *p = NULL;
    c->path = path;
    cr_assert_eq(signet_read_file(&p, path, NULL, NULL), SIGNET_OK, "%s", path);
    cr_assert_eq(signet_write_json(p, signet_program_at(p, 0), &writer), SIGNET_OK, "%s", path);
    damage_bytes(c, text.data, text.length);
    signet_package_destroy(p);
    free(text.data);
}

static void print_figures(const char *folder, const struct damage *c) {
    printf("%s: %zu files, %zu cut off, %zu changed: %zu read, %zu refused with a place\n", folder,
           c->files, c->cut, c->changed, c->read, c->refused);
    fflush(stdout);
    cr_expect_gt(c->refused, 0);
    cr_expect_gt(c->read, 0);
}

static void damage_folder(const char *folder, size_t least) {
    struct damage c = {0};
    test_each_file(false, folder, "", damage, &c);
    print_figures(folder, &c);
    cr_expect_geq(c.files, least);
}

Test(damage, archives) {
    damage_folder("tests/data/pt2", 20);
}

Test(damage, json) {
    damage_folder("tests/data/json", 1);
}

Test(damage, printed) {
    damage_folder("tests/data/printed", 16);
}

Test(damage, seed) {
    damage_folder("tests/data/seed", 4);
}

Test(damage, exact_text) {
    damage_folder("tests/data/sgt", 3);
}

Test(damage, json_of_archives) {
    static const char folder[] = "tests/data/corpus/base";
    struct damage c = {0};
    cr_expect_gt(test_each_file(false, folder, ".pt2", damage_json, &c), 30);
    print_figures(folder, &c);
}
