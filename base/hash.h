/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_BASE_HASH_H
#define SG_BASE_HASH_H

/* Hashes: XXH3. hash.c is the only file that includes xxhash. */

#include "signet/ir.h"

uint64_t sg_hash64(const void *data, size_t length);
/* For tables: a seed that a file cannot know keeps it from choosing names that collide. */
uint64_t sg_hash64_seeded(const void *data, size_t length, uint64_t seed);

/* A 128-bit running hash over pieces. Fixed-size: no allocation. */
struct sg_hasher {
    uint64_t lo, hi;
};
void sg_hasher_init(struct sg_hasher *h);
void sg_hasher_u64(struct sg_hasher *h, uint64_t v);
void sg_hasher_bytes(struct sg_hasher *h, const void *data, size_t length); /* length included */
void sg_hasher_hash(struct sg_hasher *h, const struct sg_hasher *other);
signet_hash sg_hasher_done(const struct sg_hasher *h);

#endif
