/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The text of a program is megabytes: in pages of the usual size, to touch them first costs as much
 * as to parse them. */
#if defined(MADV_HUGEPAGE)
enum { LARGE_PAGE = 2 << 20 };

static void *allocate_large(size_t size) {
    void *memory = NULL;
    if (posix_memalign(&memory, LARGE_PAGE, size) != 0) {
        return NULL;
    }
    (void)madvise(memory, size - size % LARGE_PAGE, MADV_HUGEPAGE); /* a wish; refusing is fine */
    return memory;
}
#else
enum { LARGE_PAGE = 2 << 20 };

static void *allocate_large(size_t size) {
    return malloc(size);
}
#endif

static void *default_allocate(void *context, size_t size) {
    (void)context;
    return size < (size_t)2 * LARGE_PAGE ? malloc(size) : allocate_large(size);
}

static void *default_reallocate(void *context, void *memory, size_t old_size, size_t new_size) {
    (void)context;
    (void)old_size;
    return realloc(memory, new_size);
}

static void default_release(void *context, void *memory, size_t size) {
    (void)context;
    (void)size;
    free(memory);
}

const signet_allocator sg_default_allocator = {default_allocate, default_reallocate,
                                               default_release, NULL};

void *sg_alloc(const signet_allocator *a, size_t size) {
    void *memory = a->allocate(a->context, size > 0 ? size : 1);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

void sg_free(const signet_allocator *a, void *memory, size_t size) {
    if (memory != NULL) {
        a->release(a->context, memory, size > 0 ? size : 1);
    }
}

/* ---- Growing arrays -------------------------------------------------------------------------- */

#define VEC_FIRST 8

#define VEC_LARGE (UINT32_C(1) << 16)

void *sg_vec_grow(const signet_allocator *a, void *data, uint32_t *capacity, uint32_t need,
                  size_t element_size) {
    uint32_t had = *capacity;
    if (need <= had && data != NULL) {
        return data;
    }
    /* Small ones double; large ones grow by a quarter, mostly in place, so that little lies idle.
     */
    uint32_t more = had < VEC_LARGE ? had : had / 4;
    uint32_t wanted = more <= UINT32_MAX - had ? had + more : UINT32_MAX;
    if (wanted < VEC_FIRST) {
        wanted = VEC_FIRST;
    }
    if (wanted < need) {
        wanted = need;
    }
    size_t size;
    if (!sg_mul_ok(wanted, element_size, &size)) {
        return NULL;
    }
    size_t old_size = (size_t)had * element_size;
    void *grown = data == NULL ? a->allocate(a->context, size)
                               : a->reallocate(a->context, data, old_size, size);
    if (grown == NULL) {
        return NULL;
    }
    if (data == NULL) {
        old_size = 0;
    }
    memset((char *)grown + old_size, 0, size - old_size);
    *capacity = wanted;
    return grown;
}

bool sg_vec_grow_into(const signet_allocator *a, void *data_member, uint32_t *capacity,
                      uint32_t need, size_t element_size) {
    void *data; /* copied, not cast: the member is a pointer of another type */
    memcpy(&data, data_member, sizeof(data));
    data = sg_vec_grow(a, data, capacity, need, element_size);
    if (data != NULL) {
        memcpy(data_member, &data, sizeof(data));
    }
    return data != NULL;
}

/* ---- Arena ----------------------------------------------------------------------------------- */

#define ARENA_FIRST ((size_t)4 << 10)
#define ARENA_LARGEST ((size_t)1 << 20)

struct sg_arena_chunk {
    struct sg_arena_chunk *next;
    size_t size; /* of the whole block */
    size_t used; /* head included */
};

#define ARENA_ALIGN _Alignof(max_align_t)
#define ARENA_HEAD ((sizeof(struct sg_arena_chunk) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN)

void sg_arena_init(struct sg_arena *arena, const signet_allocator *a) {
    arena->allocator = a;
    arena->chunks = NULL;
}

/* A chunk for `size` bytes; a request that would waste much of a chunk gets one of its own, behind
 * the newest, so that the newest goes on being filled. */
static struct sg_arena_chunk *arena_add_chunk(struct sg_arena *arena, size_t size) {
    struct sg_arena_chunk *newest = arena->chunks;
    size_t block = newest == NULL ? ARENA_FIRST : newest->size * 2;
    if (block > ARENA_LARGEST) {
        block = ARENA_LARGEST;
    }
    bool own = size > (block - ARENA_HEAD) / 4;
    if (own && !sg_add_ok(size, ARENA_HEAD, &block)) {
        return NULL;
    }
    struct sg_arena_chunk *chunk = arena->allocator->allocate(arena->allocator->context, block);
    if (chunk == NULL) {
        return NULL;
    }
    chunk->size = block;
    chunk->used = ARENA_HEAD;
    if (own && newest != NULL) {
        chunk->next = newest->next;
        newest->next = chunk;
    } else {
        chunk->next = newest;
        arena->chunks = chunk;
    }
    return chunk;
}

/* align: a power of two, at most ARENA_ALIGN */
static void *arena_take(struct sg_arena *arena, size_t size, size_t align) {
    struct sg_arena_chunk *chunk = arena->chunks;
    size_t at = 0;
    if (chunk != NULL) {
        at = (chunk->used + align - 1) & ~(align - 1); /* cannot overflow: a block is there */
    }
    if (chunk == NULL || at > chunk->size || size > chunk->size - at) {
        chunk = arena_add_chunk(arena, size);
        if (chunk == NULL) {
            return NULL;
        }
        at = ARENA_HEAD;
    }
    chunk->used = at + size;
    return (char *)chunk + at;
}

void *sg_arena_alloc(struct sg_arena *arena, size_t size) {
    return arena_take(arena, size, ARENA_ALIGN);
}

char *sg_arena_text(struct sg_arena *arena, const char *data, size_t length) {
    size_t size;
    if (!sg_add_ok(length, 1, &size)) {
        return NULL;
    }
    char *text = arena_take(arena, size, 1);
    if (text == NULL) {
        return NULL;
    }
    if (length > 0) {
        memcpy(text, data, length);
    }
    text[length] = '\0';
    return text;
}

static void arena_free_from(struct sg_arena *arena, struct sg_arena_chunk *chunk) {
    while (chunk != NULL) {
        struct sg_arena_chunk *next = chunk->next;
        arena->allocator->release(arena->allocator->context, chunk, chunk->size);
        chunk = next;
    }
}

void sg_arena_reset(struct sg_arena *arena) {
    struct sg_arena_chunk *kept = arena->chunks;
    if (kept == NULL) {
        return;
    }
    arena_free_from(arena, kept->next);
    kept->next = NULL;
    kept->used = ARENA_HEAD;
}

void sg_arena_free(struct sg_arena *arena) {
    arena_free_from(arena, arena->chunks);
    arena->chunks = NULL;
}
