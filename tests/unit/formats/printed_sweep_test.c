/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/formats/printed_case.h"

/* The fixtures that lie outside of the project; skipped, and counted so, where they are not. */

/* ---- Files ----------------------------------------------------------------------------------- */

struct files {
    char (*paths)[512];
    size_t count;
};

static void add_folder(struct files *f, const char *path, const char *ending, unsigned depth) {
    DIR *dir = opendir(path);
    if (dir == NULL) {
        return;
    }
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        char name[512];
        struct stat info;
        int n = snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
        if (e->d_name[0] == '.' || n >= (int)sizeof(name) || stat(name, &info) != 0) {
            continue;
        }
        if (S_ISDIR(info.st_mode) && depth > 0) {
            add_folder(f, name, ending, depth - 1);
        } else if (sg_string_ends(signet_str(name), ending)) {
            f->paths = realloc(f->paths, (f->count + 1) * sizeof(f->paths[0]));
            cr_assert_not_null(f->paths);
            memcpy(f->paths[f->count++], name, sizeof(name));
        }
    }
    closedir(dir);
}

static const char *fixtures(void) {
    static char path[512];
    const char *shared = getenv("SIGNET_SHARED");
    const char *root = getenv("SIGNET_SOURCE_ROOT");
    if (shared != NULL) {
        snprintf(path, sizeof(path), "%s/fixtures", shared);
    } else {
        snprintf(path, sizeof(path), "%s/../shared/fixtures", root != NULL ? root : ".");
    }
    DIR *dir = opendir(path);
    if (dir == NULL) {
        cr_skip_test("no fixtures at %s", path);
    } else {
        closedir(dir);
    }
    return path;
}

/* Every file of that ending below the folders. */
static struct files find_files(const char *const *folders, size_t count, const char *ending) {
    struct files f = {NULL, 0};
    const char *root = fixtures();
    for (size_t i = 0; i < count; i++) {
        char path[4096];
        int length = snprintf(path, sizeof(path), "%s/%s", root, folders[i]);
        cr_assert(length > 0 && (size_t)length < sizeof(path));
        add_folder(&f, path, ending, 2);
    }
    return f;
}

static const char *short_name(const char *path) {
    const char *at = strstr(path, "/fixtures/");
    return at != NULL ? at + 10 : path;
}

static bool is_printed(const char *text) {
    return strncmp(text, "ExportedProgram:", 16) == 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static const char *const all[] = {"seed", "torch", "versions", "reports", "executorch", "models"};

/* Text that comes from a file and goes back, read again, is the same. */
static void check_stable(const struct printed_case *c, const char *path) {
    struct sg_text once = printed_case_print(c->p);
    struct printed_case again = printed_case_read_piece(once.data, once.length, NULL);
    cr_assert_eq(again.findings, 0, "%s: %s", path, again.said.data);
    struct sg_text twice = printed_case_print(again.p);
    cr_assert(once.length == twice.length && memcmp(once.data, twice.data, once.length) == 0,
              "%s prints differently the second time", path);
    printed_case_free(&again);
    sg_text_free(&once);
    sg_text_free(&twice);
}

Test(printed_sweep, every_text_is_read) {
    struct files f = find_files(all, sizeof(all) / sizeof(all[0]), ".txt");
    unsigned read = 0;
    for (size_t i = 0; i < f.count; i++) {
        size_t length = 0;
        char *text = printed_case_load(f.paths[i], &length);
        cr_assert_not_null(text);
        if (is_printed(text)) {
            struct printed_case c = printed_case_read_piece(text, length, NULL);
            cr_expect_eq(c.status, SIGNET_OK, "%s", f.paths[i]);
            cr_expect_eq(c.findings, 0, "%s: %s", f.paths[i], c.said.data);
            check_stable(&c, f.paths[i]);
            printed_case_free(&c);
            read++;
        }
        free(text);
    }
    free(f.paths);
    printf("%u printed programs read, each without a finding\n", read);
    cr_assert_gt(read, 200);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* What the file does not have, so that it cannot be printed the same. */
static const struct {
    const char *name;
    const char *why;
} exceptions[] = {
    {"torch/valid/hop_scan.txt", "a list that a subgraph returns is a tuple in the file"},
    {"torch/valid/wrap_autocast_training.txt", "the name of a get_attr node is not in the file"},
    {"torch/valid/wrap_set_grad_training.txt", "the name of a get_attr node is not in the file"},
};

static const char *exception(const char *path) {
    for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++) {
        if (strcmp(short_name(path), exceptions[i].name) == 0) {
            return exceptions[i].why;
        }
    }
    return NULL;
}

/* The text that the fixtures have for an archive, without the newline that print() adds. Null: they
 * have none. */
static char *text_of(const char *archive, char *path, size_t size, size_t *length) {
    snprintf(path, size, "%s", archive);
    memcpy(path + strlen(path) - 4, ".txt", 5);
    char *text = printed_case_load(path, length);
    while (text != NULL && *length > 1 && text[*length - 2] == '\n') {
        text[--*length] = '\0';
    }
    return text;
}

static signet_package *read_archive(const char *path) {
    signet_package *p = NULL;
    cr_assert_eq(signet_read_file(&p, path, NULL, NULL), SIGNET_OK, "%s", path);
    return p;
}

Test(printed_sweep, archives_print_as_pytorch_prints_them) {
    static const char *const folders[] = {"torch/valid", "versions/2.13.0"};
    struct files f = find_files(folders, 2, ".pt2");
    unsigned same = 0;
    unsigned excepted = 0;
    for (size_t i = 0; i < f.count; i++) {
        char path[512];
        size_t length = 0;
        char *text = text_of(f.paths[i], path, sizeof(path), &length);
        cr_assert_not_null(text, "%s", path);
        signet_package *p = read_archive(f.paths[i]);
        struct sg_text printed = printed_case_print(p);
        bool equal = printed.length == length && memcmp(printed.data, text, length) == 0;
        same += equal;
        excepted += !equal && exception(path) != NULL;
        cr_expect(equal || exception(path) != NULL, "%s prints differently", short_name(path));
        cr_expect(!equal || exception(path) == NULL, "%s is no exception", short_name(path));
        sg_text_free(&printed);
        signet_package_destroy(p);
        free(text);
    }
    free(f.paths);
    printf("%u archives print as PyTorch prints them, %u differ for a listed reason\n", same,
           excepted);
    cr_assert_gt(same, 50);
    cr_assert_eq(excepted, sizeof(exceptions) / sizeof(exceptions[0]));
}

/* ---- Archive and text ------------------------------------------------------------------------ */

/* A program's archive and its printed form are one program, as far as the text tells. */
Test(printed_sweep, archive_and_text_are_equal) {
    struct files f = find_files(all, sizeof(all) / sizeof(all[0]), ".pt2");
    unsigned equals = 0;
    for (size_t i = 0; i < f.count; i++) {
        char path[512];
        size_t length = 0;
        char *text = text_of(f.paths[i], path, sizeof(path), &length);
        signet_package *p = NULL;
        if (text != NULL && signet_read_file(&p, f.paths[i], NULL, NULL) == SIGNET_OK) {
            struct printed_case c = printed_case_read_piece(text, length, NULL);
            signet_difference difference = SIGNET_DIFFERENCE_INIT;
            bool equal = false;
            cr_assert_eq(signet_package_equal(p, c.p, SIGNET_EQUAL_TOLD, &equal, &difference),
                         SIGNET_OK);
            cr_expect(equal, "%s: %s", short_name(path), difference.what);
            equals += equal;
            printed_case_free(&c);
            signet_package_destroy(p);
        }
        free(text);
    }
    free(f.paths);
    printf("%u archives are equal to their printed form\n", equals);
    cr_assert_gt(equals, 100);
}
