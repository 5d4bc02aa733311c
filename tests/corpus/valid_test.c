/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that PyTorch wrote get neither errors nor warnings, and PyTorch's profile accepts them.
 */

#include <criterion/criterion.h>
#include <stdio.h>

#include "judge.h"

static void judge_valid(const char *path, void *user) {
    (void)user;
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
static size_t judge_folder(bool shared, const char *below) {
    return test_each_file(shared, below, ".pt2", judge_valid, NULL) +
           test_each_file(shared, below, ".txt", judge_valid, NULL);
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
    size_t count = 0;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        count += judge_folder(true, folders[i]);
    }
    if (count == 0) {
        cr_skip_test("no shared fixtures");
    }
    printf("%zu programs of PyTorch without a finding\n", count);
    cr_expect_gt(count, 200);
}
