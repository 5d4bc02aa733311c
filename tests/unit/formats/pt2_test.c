/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "reading.h"

Test(pt2, placeholder) {
    struct reading r;
    read_data(&r, "counter_2.13.0.pt2");
    cr_assert_eq(r.status, SIGNET_OK);
    reading_end(&r);
}
