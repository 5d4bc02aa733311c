/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_BASE_ALLOC_H
#define SG_BASE_ALLOC_H

/* Memory: the allocator, checked sizes, growing arrays and an arena whose memory never moves. */

#include "signet/base.h"

/* malloc and friends. */
extern const signet_allocator sg_default_allocator;

void *sg_alloc(const signet_allocator *a, size_t size); /* zero-filled; null: no memory */
void sg_free(const signet_allocator *a, void *memory, size_t size); /* null is fine */

/* false when the result does not fit; *out is untouched then */
static inline bool sg_mul_ok(size_t a, size_t b, size_t *out) {
    if (b != 0 && a > SIZE_MAX / b) {
        return false;
    }
    *out = a * b;
    return true;
}

static inline bool sg_add_ok(size_t a, size_t b, size_t *out) {
    if (a > SIZE_MAX - b) {
        return false;
    }
    *out = a + b;
    return true;
}

/*
 * A growing array: SG_VEC(struct thing) things; things.data[i], things.count.
 * Elements move when the array grows, so no pointer into one survives a call that can add.
 */
#define SG_VEC(type)                                                                               \
    struct {                                                                                       \
        type *data;                                                                                \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

/* Returns the memory grown so that it holds at least `need` elements, or null (the old memory stays
 * valid). New elements are zero-filled. */
void *sg_vec_grow(const signet_allocator *a, void *data, uint32_t *capacity, uint32_t need,
                  size_t element_size);

/* True when the vector has room for `extra` more elements; count is not changed. */
#define sg_vec_reserve(a, vec, extra)                                                              \
    ((extra) <= (vec)->capacity - (vec)->count                                                     \
         ? true                                                                                    \
         : ((extra) > UINT32_MAX - (vec)->count                                                    \
                ? false                                                                            \
                : sg_vec_reserve_(a, vec, (vec)->count + (extra))))
#define sg_vec_reserve_(a, vec, need)                                                              \
    sg_vec_grow_into((a), &(vec)->data, &(vec)->capacity, (need), sizeof(*(vec)->data))
/* data_member points to the pointer; whatever its type, it is only copied. */
bool sg_vec_grow_into(const signet_allocator *a, void *data_member, uint32_t *capacity,
                      uint32_t need, size_t element_size);

#define sg_vec_free(a, vec)                                                                        \
    do {                                                                                           \
        sg_free((a), (vec)->data, (size_t)(vec)->capacity * sizeof(*(vec)->data));                 \
        (vec)->data = NULL;                                                                        \
        (vec)->count = (vec)->capacity = 0;                                                        \
    } while (0)

/* A bump allocator: one free for everything, nothing moves. */
struct sg_arena {
    const signet_allocator *allocator;
    struct sg_arena_chunk *chunks; /* newest first */
};

void sg_arena_init(struct sg_arena *arena, const signet_allocator *a);
void *sg_arena_alloc(struct sg_arena *arena, size_t size); /* max-aligned, not zeroed; null: none */
char *sg_arena_text(struct sg_arena *arena, const char *data, size_t length); /* NUL-terminated */
void sg_arena_reset(struct sg_arena *arena); /* forgets everything, keeps one chunk */
void sg_arena_free(struct sg_arena *arena);

#endif
