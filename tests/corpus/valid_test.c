/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that PyTorch wrote get neither errors nor warnings, and PyTorch's profile accepts them.
 */

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static bool ends(const char *name, const char *suffix) {
    size_t length = strlen(name);
    size_t end = strlen(suffix);
    return length >= end && strcmp(name + length - end, suffix) == 0;
}

static void judge_valid(const char *path) {
    struct judgement j;
    judge_file(path, &j);
    if (j.status == SIGNET_E_VERSION) { /* the formats' tests say which versions are read */
        return;
    }
    cr_expect_eq(j.status, SIGNET_OK, "%s\n%s", path, j.text);
    cr_expect_eq(j.errors + j.warnings, 0, "%s\n%s", path, j.text);
    cr_expect_not(j.torch_refuses, "PyTorch's profile refuses %s", path);
}

/* Every program of a folder; how many there were. */
static uint32_t judge_folder(bool shared, const char *below) {
    char folder[4096];
    corpus_path(folder, shared, below);
    DIR *dir = opendir(folder);
    uint32_t count = 0;
    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        if (ends(e->d_name, ".pt2") || ends(e->d_name, ".txt")) {
            char path[8192];
            snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
            judge_valid(path);
            count++;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return count;
}

Test(valid, own_programs) {
    cr_expect_gt(judge_folder(false, "tests/data/corpus/base"), 30);
}

Test(valid, shared_programs) {
    static const char *const folders[] = {
        "fixtures/torch/valid",     "fixtures/models",          "fixtures/large",
        "fixtures/versions/2.1.2",  "fixtures/versions/2.2.2",  "fixtures/versions/2.3.1",
        "fixtures/versions/2.4.1",  "fixtures/versions/2.5.1",  "fixtures/versions/2.6.0",
        "fixtures/versions/2.7.1",  "fixtures/versions/2.8.0",  "fixtures/versions/2.9.1",
        "fixtures/versions/2.10.0", "fixtures/versions/2.13.0", "fixtures/versions/2.14.1"};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        count += judge_folder(true, folders[i]);
    }
    if (count == 0) {
        cr_skip_test("no shared fixtures");
    }
    printf("%u programs of PyTorch without a finding\n", count);
    cr_expect_gt(count, 200);
}
