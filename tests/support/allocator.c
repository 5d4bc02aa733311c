/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/allocator.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAD _Alignof(max_align_t)

_Static_assert(HEAD >= sizeof(size_t), "the size of a block fits before it");

static bool fails(struct test_allocator *t) {
    t->calls++;
    bool now =
        t->fail_at != 0 && (t->keeps_failing ? t->calls >= t->fail_at : t->calls == t->fail_at);
    t->failures += now ? 1 : 0;
    return now;
}

static void *block_new(struct test_allocator *t, size_t size) {
    char *block = malloc(HEAD + size);
    if (block == NULL) {
        return NULL;
    }
    memcpy(block, &size, sizeof(size));
    memset(block + HEAD, 0xa5, size); /* nobody may count on zeros */
    t->blocks++;
    t->bytes += size;
    t->most_bytes = t->bytes > t->most_bytes ? t->bytes : t->most_bytes;
    return block + HEAD;
}

static size_t block_size(const void *memory) {
    size_t size;
    memcpy(&size, (const char *)memory - HEAD, sizeof(size));
    return size;
}

static void *allocate(void *context, size_t size) {
    struct test_allocator *t = context;
    return fails(t) ? NULL : block_new(t, size);
}

static void release(void *context, void *memory, size_t size) {
    struct test_allocator *t = context;
    size_t real = block_size(memory);
    t->wrong_sizes += real != size ? 1 : 0;
    t->blocks--;
    t->bytes -= real;
    free((char *)memory - HEAD);
}

static void *reallocate(void *context, void *memory, size_t old_size, size_t new_size) {
    struct test_allocator *t = context;
    void *moved = fails(t) ? NULL : block_new(t, new_size);
    if (moved != NULL) {
        size_t real = block_size(memory);
        memcpy(moved, memory, real < new_size ? real : new_size);
        release(context, memory, old_size);
    }
    return moved;
}

void test_allocator_init(struct test_allocator *t) {
    memset(t, 0, sizeof(*t));
    t->allocator = (signet_allocator){allocate, reallocate, release, t};
}

static uint64_t each_failure(test_body body, void *user, bool keeps_failing) {
    for (uint64_t n = 1;; n++) {
        struct test_allocator t;
        test_allocator_init(&t);
        t.fail_at = n;
        t.keeps_failing = keeps_failing;
        signet_status status = body(&t.allocator, user);
        cr_assert_eq(status, t.failures > 0 ? SIGNET_E_NOMEM : SIGNET_OK,
                     "call %" PRIu64 " fails%s: status is %d", n,
                     keeps_failing ? " and all later ones" : "", (int)status);
        cr_assert_eq(t.blocks, 0, "call %" PRIu64 " fails: %zu blocks are left", n, t.blocks);
        cr_assert_eq(t.wrong_sizes, 0, "call %" PRIu64 " fails: wrong size given back", n);
        if (t.failures == 0) {
            return t.calls;
        }
    }
}

uint64_t test_each_failure(test_body body, void *user) {
    (void)each_failure(body, user, true);
    return each_failure(body, user, false);
}
