/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t sg_hash64(const void *data, size_t length) {
    return XXH3_64bits(data, length);
}

uint64_t sg_hash64_seeded(const void *data, size_t length, uint64_t seed) {
    return XXH3_64bits_withSeed(data, length, seed);
}

/*
 * The running hash is a chain: each piece is hashed together with the hash so far. The three kinds
 * of piece make inputs of three lengths (24, 32, 40 bytes), so one never passes for another.
 */

/* Little-endian on every machine: a stored hash means the same everywhere. */
static void put_u64(unsigned char *out, uint64_t v) {
    for (int i = 0; i < 8; i++) {
        out[i] = (unsigned char)(v >> (8 * i));
    }
}

static void chain(struct sg_hasher *h, unsigned char *buffer, size_t size) {
    put_u64(buffer, h->lo);
    put_u64(buffer + 8, h->hi);
    XXH128_hash_t hash = XXH3_128bits(buffer, size);
    h->lo = hash.low64;
    h->hi = hash.high64;
}

void sg_hasher_init(struct sg_hasher *h) {
    h->lo = 0;
    h->hi = 0;
}

void sg_hasher_u64(struct sg_hasher *h, uint64_t v) {
    unsigned char buffer[24];
    put_u64(buffer + 16, v);
    chain(h, buffer, sizeof(buffer));
}

void sg_hasher_hash(struct sg_hasher *h, const struct sg_hasher *other) {
    unsigned char buffer[32];
    put_u64(buffer + 16, other->lo);
    put_u64(buffer + 24, other->hi);
    chain(h, buffer, sizeof(buffer));
}

void sg_hasher_bytes(struct sg_hasher *h, const void *data, size_t length) {
    unsigned char buffer[40];
    XXH128_hash_t hash = XXH3_128bits(data, length);
    put_u64(buffer + 16, hash.low64);
    put_u64(buffer + 24, hash.high64);
    put_u64(buffer + 32, length);
    chain(h, buffer, sizeof(buffer));
}

signet_hash sg_hasher_done(const struct sg_hasher *h) {
    XXH128_hash_t hash = {h->lo, h->hi};
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    signet_hash out;
    memcpy(out.bytes, canonical.digest, sizeof(out.bytes));
    return out;
}
