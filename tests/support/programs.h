/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SUPPORT_PROGRAMS_H
#define TEST_SUPPORT_PROGRAMS_H

/* Small programs built by calls, for tests of what stands on the IR. */

#include "signet/signet.h"

/* f32 of that shape (rank 2), strided and contiguous on cpu. */
signet_type test_type(signet_package *p, int64_t rows, int64_t columns);

/* A spec with the common members set; target may be null. */
void test_spec(signet_package *p, signet_program program, signet_side side, int kind,
               const char *name, const char *target);

/*
 * The seed's program before lowering:
 *     b_b = BUFFER 'b', x = USER_INPUT
 *     add = aten.add.Tensor(b_b, x); add_1 = aten.add.Tensor(x, add)
 *     outputs: add (BUFFER_MUTATION 'b'), add_1 (USER_OUTPUT)
 * Null program id when memory runs out (signet_package_status says so).
 */
signet_program test_seed(signet_package *p);

/* A node with tensor arguments by name and one tensor result. */
signet_node test_call(signet_package *p, signet_graph graph, const char *target, const char *result,
                      const char *a, const char *b);

#endif
