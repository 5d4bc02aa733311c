/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "base/text.h"
#include "signet/signet.h"

static const char *data_file(struct sg_text *t, const char *name) {
    const char *root = getenv("SIGNET_SOURCE_ROOT");
    sg_text_init(t, &sg_default_allocator);
    sg_text_printf(t, "%s/tests/data/pt2/%s", root != NULL ? root : ".", name);
    return t->data;
}

static void count_errors(void *user, const signet_diag *d) {
    *(uint32_t *)user += d->severity == SIGNET_SEVERITY_ERROR;
}

Test(pt2, archive) {
    struct sg_text path;
    uint32_t errors = 0;
    signet_sink sink = {count_errors, &errors};
    signet_package *p = NULL;
    cr_assert_eq(signet_read_file(&p, data_file(&path, "counter_2.13.pt2"), NULL, &sink),
                 SIGNET_OK);
    cr_assert_eq(errors, 0);
    cr_assert_eq(signet_program_count(p), 1);
    signet_program program = signet_program_at(p, 0);
    cr_assert_eq(signet_graph_node_count(p, signet_program_graph(p, program)), 7);
    cr_assert_eq(signet_spec_count(p, program, SIGNET_INPUT), 5);
    cr_assert_eq(signet_state_count(p, program), 4);
    signet_package_destroy(p);
    sg_text_free(&path);
}
