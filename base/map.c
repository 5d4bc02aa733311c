/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"

/*
 * uthash is macros, and they take what they need from the function around them: `table_allocator`,
 * `table_seed`, `table_log2` (buckets of a new table) and `table_full` (set when there is no
 * memory).
 */
#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION(key, length, hash)                                                           \
    ((hash) = (unsigned)sg_hash64_seeded((key), (length), table_seed))
#define uthash_malloc(size) sg_alloc(table_allocator, (size))
#define uthash_free(memory, size) sg_free(table_allocator, (memory), (size))
#define uthash_bzero(memory, size) ((void)(memory)) /* sg_alloc has done it */
#define uthash_nonfatal_oom(element) (table_full = true)
#include <uthash.h>

#undef HASH_INITIAL_NUM_BUCKETS
#undef HASH_INITIAL_NUM_BUCKETS_LOG2
#define HASH_INITIAL_NUM_BUCKETS (1U << table_log2)
#define HASH_INITIAL_NUM_BUCKETS_LOG2 table_log2

/* Entries lie in slabs: they never move, as uthash demands, and number -> entry is two loads. */
#define SLAB_LOG2 8
#define SLAB_COUNT (1U << SLAB_LOG2)
#define SLAB_MASK (SLAB_COUNT - 1)

/* Differs from run to run where the system places memory at random; nothing but time depends on
 * it, because tables are never walked in the order of their hashes. */
static uint64_t seed_of(const void *owner) {
    uintptr_t address = (uintptr_t)owner;
    return sg_hash64(&address, sizeof(address));
}

/* Buckets for a table of that many entries: about one each, as uthash itself ends up with. */
static unsigned log2_for(uint32_t count) {
    unsigned log2 = 5;
    while (log2 < 30 && (UINT32_C(1) << log2) < count) {
        log2++;
    }
    return log2;
}

/* ---- 64-bit key -> 32-bit number ------------------------------------------------------------- */

struct map_entry {
    UT_hash_handle hh;
    uint64_t key;
    uint32_t number;
    struct map_entry *next_free;
};

struct sg_map {
    signet_allocator allocator;
    uint64_t seed;
    struct map_entry *table;
    struct map_entry *free_entries;
    struct sg_arena arena; /* entries */
};

struct sg_map *sg_map_create(const signet_allocator *a) {
    struct sg_map *map = sg_alloc(a, sizeof(*map));
    if (map != NULL) {
        map->allocator = *a;
        map->seed = seed_of(map);
        sg_arena_init(&map->arena, &map->allocator);
    }
    return map;
}

void sg_map_destroy(struct sg_map *map) {
    if (map == NULL) {
        return;
    }
    signet_allocator allocator = map->allocator;
    const signet_allocator *table_allocator = &allocator;
    HASH_CLEAR(hh, map->table);
    sg_arena_free(&map->arena);
    sg_free(&allocator, map, sizeof(*map));
}

static struct map_entry *map_find(const struct sg_map *map, uint64_t key, unsigned hash) {
    struct map_entry *found = NULL;
    HASH_FIND_BYHASHVALUE(hh, map->table, &key, sizeof(key), hash, found);
    return found;
}

static unsigned map_hash(const struct sg_map *map, uint64_t key) {
    uint64_t table_seed = map->seed;
    unsigned hash;
    HASH_VALUE(&key, sizeof(key), hash);
    return hash;
}

uint32_t sg_map_get(const struct sg_map *map, uint64_t key) {
    const struct map_entry *found = map_find(map, key, map_hash(map, key));
    return found != NULL ? found->number : 0;
}

static bool map_add(struct sg_map *map, uint64_t key, unsigned hash, uint32_t number,
                    unsigned table_log2) {
    struct map_entry *entry = map->free_entries;
    if (entry != NULL) {
        map->free_entries = entry->next_free;
    } else {
        entry = sg_arena_alloc(&map->arena, sizeof(*entry));
        if (entry == NULL) {
            return false;
        }
    }
    entry->key = key;
    entry->number = number;
    const signet_allocator *table_allocator = &map->allocator;
    bool table_full = false;
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, map->table, &entry->key, sizeof(entry->key), hash, entry);
    if (table_full) {
        entry->next_free = map->free_entries;
        map->free_entries = entry;
    }
    return !table_full;
}

bool sg_map_put(struct sg_map *map, uint64_t key, uint32_t number) {
    unsigned hash = map_hash(map, key);
    struct map_entry *found = map_find(map, key, hash);
    if (found != NULL) {
        found->number = number;
        return true;
    }
    return map_add(map, key, hash, number, log2_for(0));
}

void sg_map_remove(struct sg_map *map, uint64_t key) {
    struct map_entry *found = map_find(map, key, map_hash(map, key));
    if (found == NULL) {
        return;
    }
    const signet_allocator *table_allocator = &map->allocator;
    HASH_DELETE(hh, map->table, found);
    found->next_free = map->free_entries;
    map->free_entries = found;
}

struct sg_map *sg_map_clone(const struct sg_map *map, const signet_allocator *a) {
    struct sg_map *copy = sg_map_create(a);
    if (copy == NULL) {
        return NULL;
    }
    copy->seed = map->seed;
    unsigned log2 = log2_for(HASH_COUNT(map->table));
    for (const struct map_entry *e = map->table; e != NULL; e = e->hh.next) {
        if (!map_add(copy, e->key, e->hh.hashv, e->number, log2)) {
            sg_map_destroy(copy);
            return NULL;
        }
    }
    return copy;
}

/* ---- Interned strings ------------------------------------------------------------------------ */

struct string_entry { /* one cache line; the text is the key of hh */
    UT_hash_handle hh;
    uint32_t number;
};

struct slab {
    struct string_entry *entries;
};

struct sg_strings {
    signet_allocator allocator;
    uint64_t seed;
    struct string_entry *table;
    SG_VEC(struct slab) slabs;
    uint32_t count;        /* string `number` is entry number - 1 */
    struct sg_arena arena; /* copied texts */
};

struct sg_strings *sg_strings_create(const signet_allocator *a) {
    struct sg_strings *strings = sg_alloc(a, sizeof(*strings));
    if (strings == NULL) {
        return NULL;
    }
    strings->allocator = *a;
    strings->seed = seed_of(strings);
    sg_arena_init(&strings->arena, &strings->allocator);
    if (sg_strings_intern_borrowed(strings, signet_str("")) == 0) {
        sg_strings_destroy(strings);
        return NULL;
    }
    return strings;
}

void sg_strings_destroy(struct sg_strings *strings) {
    if (strings == NULL) {
        return;
    }
    signet_allocator allocator = strings->allocator;
    const signet_allocator *table_allocator = &allocator;
    HASH_CLEAR(hh, strings->table);
    for (uint32_t i = 0; i < strings->slabs.count; i++) {
        sg_free(&allocator, strings->slabs.data[i].entries,
                SLAB_COUNT * sizeof(struct string_entry));
    }
    sg_vec_free(&allocator, &strings->slabs);
    sg_arena_free(&strings->arena);
    sg_free(&allocator, strings, sizeof(*strings));
}

static struct string_entry *entry_at(const struct sg_strings *strings, uint32_t i) {
    return &strings->slabs.data[i >> SLAB_LOG2].entries[i & SLAB_MASK];
}

static struct string_entry *strings_lookup(const struct sg_strings *strings, signet_string text,
                                           unsigned hash) {
    struct string_entry *found = NULL;
    HASH_FIND_BYHASHVALUE(hh, strings->table, text.data, (unsigned)text.length, hash, found);
    return found;
}

static unsigned strings_hash(const struct sg_strings *strings, signet_string text) {
    uint64_t table_seed = strings->seed;
    unsigned hash;
    HASH_VALUE(text.data, text.length, hash);
    return hash;
}

/* The entry of the next number, not yet counted; null: no memory. */
static struct string_entry *strings_next_entry(struct sg_strings *strings) {
    if (strings->count == UINT32_MAX) {
        return NULL;
    }
    if (strings->count >> SLAB_LOG2 == strings->slabs.count) {
        if (!sg_vec_reserve(&strings->allocator, &strings->slabs, 1)) {
            return NULL;
        }
        struct string_entry *entries = strings->allocator.allocate(
            strings->allocator.context, SLAB_COUNT * sizeof(struct string_entry));
        if (entries == NULL) {
            return NULL;
        }
        strings->slabs.data[strings->slabs.count++].entries = entries;
    }
    return entry_at(strings, strings->count);
}

/* text: NUL-terminated, not there yet, and lives long enough */
static uint32_t strings_add(struct sg_strings *strings, signet_string text, unsigned hash,
                            unsigned table_log2) {
    struct string_entry *entry = strings_next_entry(strings);
    if (entry == NULL) {
        return 0;
    }
    entry->number = strings->count + 1;
    const signet_allocator *table_allocator = &strings->allocator;
    bool table_full = false;
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, strings->table, text.data, (unsigned)text.length, hash, entry);
    if (table_full) {
        return 0;
    }
    return ++strings->count;
}

static uint32_t strings_intern(struct sg_strings *strings, signet_string text, bool copy) {
    if (text.data == NULL || text.length > UINT32_MAX - 1) {
        return 0;
    }
    unsigned hash = strings_hash(strings, text);
    const struct string_entry *found = strings_lookup(strings, text, hash);
    if (found != NULL) {
        return found->number;
    }
    if (copy) {
        text.data = sg_arena_text(&strings->arena, text.data, text.length);
        if (text.data == NULL) {
            return 0;
        }
    }
    return strings_add(strings, text, hash, log2_for(0));
}

uint32_t sg_strings_intern(struct sg_strings *strings, signet_string text) {
    return strings_intern(strings, text, true);
}

uint32_t sg_strings_intern_borrowed(struct sg_strings *strings, signet_string text) {
    return strings_intern(strings, text, false);
}

uint32_t sg_strings_add_borrowed(struct sg_strings *strings, signet_string text) {
    if (text.data == NULL || text.length > UINT32_MAX - 1) {
        return 0;
    }
    struct string_entry *entry = strings_next_entry(strings);
    if (entry == NULL) {
        return 0;
    }
    entry->number = strings->count + 1;
    entry->hh.tbl = NULL; /* not in the table */
    entry->hh.key = text.data;
    entry->hh.keylen = (unsigned)text.length;
    return ++strings->count;
}

uint32_t sg_strings_find(const struct sg_strings *strings, signet_string text) {
    if (text.data == NULL || text.length > UINT32_MAX - 1) {
        return 0;
    }
    const struct string_entry *found = strings_lookup(strings, text, strings_hash(strings, text));
    return found != NULL ? found->number : 0;
}

signet_string sg_strings_get(const struct sg_strings *strings, uint32_t number) {
    if (number == 0 || number > strings->count) {
        return (signet_string){NULL, 0};
    }
    const struct string_entry *entry = entry_at(strings, number - 1);
    return (signet_string){entry->hh.key, entry->hh.keylen};
}

uint32_t sg_strings_count(const struct sg_strings *strings) {
    return strings->count;
}

struct sg_strings *sg_strings_clone(const struct sg_strings *strings, const signet_allocator *a) {
    struct sg_strings *copy = sg_alloc(a, sizeof(*copy));
    if (copy == NULL) {
        return NULL;
    }
    copy->allocator = *a;
    copy->seed = strings->seed;
    sg_arena_init(&copy->arena, &copy->allocator);
    unsigned log2 = log2_for(strings->count);
    for (uint32_t i = 0; i < strings->count; i++) {
        const struct string_entry *entry = entry_at(strings, i);
        signet_string text = {NULL, entry->hh.keylen};
        text.data = sg_arena_text(&copy->arena, entry->hh.key, text.length);
        uint32_t number = text.data == NULL       ? 0
                          : entry->hh.tbl == NULL ? sg_strings_add_borrowed(copy, text)
                                                  : strings_add(copy, text, entry->hh.hashv, log2);
        if (number == 0) {
            sg_strings_destroy(copy);
            return NULL;
        }
    }
    return copy;
}
