/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void hex(signet_hash h, char out[33]) {
    for (size_t i = 0; i < sizeof(h.bytes); i++) {
        (void)snprintf(out + 2 * i, 3, "%02x", h.bytes[i]);
    }
}

Test(hash, is_xxh3) {
    /* values of the reference implementation */
    cr_assert_eq(sg_hash64("", 0), UINT64_C(0x2d06800538d394c2));
    cr_assert_eq(sg_hash64("a", 1), UINT64_C(0xe6c632b61e964e1f));
    cr_assert_eq(sg_hash64_seeded("a", 1, 0), sg_hash64("a", 1));
    cr_assert_neq(sg_hash64_seeded("a", 1, 1), sg_hash64("a", 1));
}

Test(hasher, tells_pieces_apart) {
    struct sg_hasher h[6];
    for (int i = 0; i < 6; i++) {
        sg_hasher_init(&h[i]);
    }
    sg_hasher_bytes(&h[0], "ab", 2);
    sg_hasher_bytes(&h[0], "c", 1);
    sg_hasher_bytes(&h[1], "a", 1);
    sg_hasher_bytes(&h[1], "bc", 2);
    sg_hasher_u64(&h[2], 1);
    sg_hasher_u64(&h[2], 2);
    sg_hasher_u64(&h[3], 2);
    sg_hasher_u64(&h[3], 1);
    sg_hasher_hash(&h[4], &h[5]);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            signet_hash a = sg_hasher_done(&h[i]);
            signet_hash b = sg_hasher_done(&h[j]);
            cr_assert_neq(memcmp(&a, &b, sizeof(a)), 0, "%d and %d", i, j);
        }
    }
}

Test(hasher, means_the_same_on_every_machine) {
    struct sg_hasher h;
    sg_hasher_init(&h);
    sg_hasher_u64(&h, UINT64_C(0x0123456789abcdef));
    sg_hasher_bytes(&h, "signet", 6);
    struct sg_hasher other = h;
    sg_hasher_hash(&h, &other);
    char text[33];
    hex(sg_hasher_done(&h), text);
    cr_assert_str_eq(text, "19fb8f4aac75ea4fc622707fab665fd3");
}
