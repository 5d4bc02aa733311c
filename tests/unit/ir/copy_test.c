/* SPDX-License-Identifier: Apache-2.0 */

/* A program copied into a package says the same in the exact text. */

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/allocator.h"
#include "tests/support/programs.h"

struct text {
    char *data;
    size_t length;
};

static bool append(void *user, const char *data, size_t length) {
    struct text *t = user;
    t->data = realloc(t->data, t->length + length + 1);
    memcpy(t->data + t->length, data, length);
    t->length += length;
    t->data[t->length] = '\0';
    return true;
}

static struct text written(const signet_package *p) {
    struct text t = {NULL, 0};
    signet_writer writer = {append, &t};
    cr_assert_eq(signet_write_sgt(p, &writer), SIGNET_OK);
    return t;
}

static void copy_all_methods(const char *file) {
    const char *root = getenv("SIGNET_SOURCE_ROOT");
    char path[1024];
    signet_package *p = NULL;
    signet_package *q = NULL;
    snprintf(path, sizeof(path), "%s/tests/data/%s", root != NULL ? root : ".", file);
    cr_assert_eq(signet_read_file(&p, path, NULL, NULL), SIGNET_OK, "%s", path);
    cr_assert_eq(signet_package_create(&q, NULL, NULL), SIGNET_OK);
    for (uint32_t i = 0; i < signet_program_count(p); i++) {
        signet_program f = signet_program_at(p, i);
        if (signet_program_get_role(p, f) == SIGNET_ROLE_METHOD) {
            cr_assert_neq(signet_program_clone_into(q, p, f, (signet_string){NULL, 0}).id, 0);
        }
    }
    struct text before = written(p);
    signet_package_destroy(p);
    struct text after = written(q);
    signet_package_destroy(q);
    cr_assert_str_eq(after.data, before.data, "%s", file);
    free(before.data);
    free(after.data);
}

Test(copy, says_the_same) {
    copy_all_methods("seed/broken.txt");
    copy_all_methods("seed/edge.txt");
    copy_all_methods("printed/2.13-args.txt");
    copy_all_methods("printed/2.13-cond_fn.txt");
    copy_all_methods("pt2/counter_2.13.0.pt2");
    copy_all_methods("pt2/three_methods.pt2");
    copy_all_methods("sgt/everything.sgt");
}

Test(copy, in_the_same_package) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program f = test_seed(p);
    signet_program g = signet_program_clone_into(p, p, f, signet_str("again"));
    cr_assert_neq(g.id, 0);
    cr_assert_eq(signet_program_count(p), 2);
    signet_value a = signet_graph_find(p, signet_program_graph(p, f), signet_str("x"));
    signet_value b = signet_graph_find(p, signet_program_graph(p, g), signet_str("x"));
    cr_assert_neq(a.id, b.id);
    cr_assert_eq(signet_value_use_count(p, a), signet_value_use_count(p, b));
    signet_report report = SIGNET_REPORT_INIT;
    cr_assert_eq(signet_verify(p, NULL, NULL, &report), SIGNET_OK);
    cr_assert_eq(report.errors, 0);
    signet_package_destroy(p);
}

Test(copy, takes_delegates_and_their_bodies) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    signet_program f = test_seed(p);
    signet_delegate d = signet_delegate_add(p, signet_str("lowered_module_0"));
    signet_program body = signet_program_clone_into(p, p, f, signet_str("body"));
    signet_delegate_set_body(p, d, body);
    signet_node call =
        signet_node_append(p, signet_program_graph(p, f),
                           signet_str("torch.ops.higher_order.executorch_call_delegate"));
    signet_arg_set_delegate(p, signet_node_set_inputs(p, call, 1), d);
    signet_package *q = NULL;
    cr_assert_eq(signet_package_create(&q, NULL, NULL), SIGNET_OK);
    cr_assert_neq(signet_program_clone_into(q, p, f, (signet_string){NULL, 0}).id, 0);
    signet_delegate copy = signet_delegate_find(q, signet_str("lowered_module_0"));
    cr_assert_neq(copy.id, 0);
    signet_program copied_body = signet_delegate_body(q, copy);
    cr_assert_eq(signet_program_get_role(q, copied_body), SIGNET_ROLE_BODY);
    cr_assert_eq(signet_graph_node_count(q, signet_program_graph(q, copied_body)), 2);
    cr_assert(signet_program_is_mutated(q, signet_program_at(q, 0), SIGNET_INPUT_KIND_BUFFER,
                                        signet_str("b")));
    signet_package_destroy(p);
    signet_package_destroy(q);
}

static signet_status copy_once(const signet_allocator *a, void *from) {
    signet_package *q = NULL;
    signet_status rc = signet_package_create(&q, a, NULL);
    if (rc == SIGNET_OK) {
        const signet_package *p = from;
        signet_program_clone_into(q, p, signet_program_at(p, 0), (signet_string){NULL, 0});
        rc = signet_package_status(q);
    }
    signet_package_destroy(q);
    return rc;
}

Test(copy, survives_every_failed_allocation) {
    signet_package *p = NULL;
    cr_assert_eq(signet_package_create(&p, NULL, NULL), SIGNET_OK);
    test_seed(p);
    cr_assert_gt(test_each_failure(copy_once, p), 30);
    signet_package_destroy(p);
}
