/* SPDX-License-Identifier: Apache-2.0 */
#include "write_case.h"

#include <criterion/criterion.h>
#include <stdio.h>

void case_load(struct sg_text *t, const char *path) {
    const char *root = getenv("SIGNET_SOURCE_ROOT");
    struct sg_text full;
    sg_text_init(&full, &sg_default_allocator);
    sg_text_printf(&full, "%s/%s", root != NULL ? root : ".", path);
    FILE *f = fopen(full.data, "rb");
    cr_assert_not_null(f, "%s", full.data);
    sg_text_init(t, &sg_default_allocator);
    char piece[65536];
    for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;) {
        sg_text_put(t, piece, n);
    }
    cr_assert_eq(fclose(f), 0);
    sg_text_free(&full);
}

static bool gather(void *user, const char *data, size_t length) {
    struct sg_text *t = user;
    sg_text_put(t, data, length);
    return !t->failed;
}

signet_writer case_writer(struct sg_text *t) {
    sg_text_init(t, &sg_default_allocator);
    return (signet_writer){gather, t};
}

static bool stop(void *user, const char *data, size_t length) {
    size_t *left = user;
    (void)data;
    if (length > *left) {
        return false;
    }
    *left -= length;
    return true;
}

signet_writer case_stopper(size_t *left) {
    return (signet_writer){stop, left};
}

signet_package *case_read(const struct sg_text *t, const char *name) {
    signet_package *p = NULL;
    signet_status status = signet_read_memory(&p, t->data, t->length, name, NULL, NULL);
    cr_assert_eq(status, SIGNET_OK, "%s: %s", name, signet_status_text(status));
    return p;
}

void case_equal(const signet_package *a, const signet_package *b, const char *what) {
    signet_difference d = SIGNET_DIFFERENCE_INIT;
    bool equal = false;
    cr_assert_eq(signet_package_equal(a, b, SIGNET_EQUAL_EXACT, &equal, &d), SIGNET_OK);
    cr_assert(equal, "%s: %s", what, d.what);
}
