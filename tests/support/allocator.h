/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SUPPORT_ALLOCATOR_H
#define TEST_SUPPORT_ALLOCATOR_H

/*
 * An allocator for tests. It fails where it is told to, moves every block that is reallocated, and
 * notices blocks that are not freed, or given back with another size than was asked for.
 *
 *     static signet_status body(const signet_allocator *a, void *user)
 *     {
 *         ... something that allocates; frees everything before it returns ...
 *     }
 *     Test(thing, survives_every_failure) {
 *         cr_assert_gt(test_each_failure(body, NULL), 3);
 *     }
 */

#include "signet/base.h"

struct test_allocator {
    signet_allocator allocator; /* hand this on */
    uint64_t calls;             /* of allocate and reallocate */
    uint64_t fail_at;           /* number of the call that fails, from 1; 0: none */
    bool keeps_failing;         /* and every later call too */
    uint64_t failures;
    uint64_t wrong_sizes; /* blocks given back with another size than they have */
    size_t blocks, bytes; /* live */
    size_t most_bytes;    /* live at one time */
};

void test_allocator_init(struct test_allocator *t);

/*
 * Runs body with an allocator that fails at call 1, 2, 3, ... until nothing fails any more; then
 * again with allocators that go on failing from that call on. Asserts that body returns
 * SIGNET_E_NOMEM when a call failed and SIGNET_OK when none did, and that it leaves nothing behind.
 * Returns the number of calls that body makes when all is well. (It may differ a little from run to
 * run: when a table grows depends on its seed.)
 */
typedef signet_status (*test_body)(const signet_allocator *a, void *user);
uint64_t test_each_failure(test_body body, void *user);

#endif
