/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>

#if !defined(CASE_NONE)
Test(sample, fine) {
    cr_assert(1);
}
#endif

#if defined(CASE_ASSERT)
Test(sample, assertion) {
    cr_assert(0);
}
#elif defined(CASE_LEAK)
Test(sample, leak) {
    char *volatile lost = malloc(17);
    cr_assert(lost != NULL);
    lost = NULL;
}
#elif defined(CASE_UNDEFINED)
Test(sample, undefined) {
    volatile int most = INT_MAX;
    volatile int sum = most + 1;
    (void)sum;
}
#elif defined(CASE_OVERFLOW)
Test(sample, overflow) {
    char *bytes = malloc(17);
    volatile size_t past = 17;
    bytes[past] = 1;
    free(bytes);
}
#endif
