/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_BASE_MAP_H
#define SG_BASE_MAP_H

/*
 * A map from 64-bit keys to 32-bit numbers, and a set of strings with numbers: uthash with XXH3 as
 * its hash function and a non-fatal out-of-memory mode. map.c is the only file that includes
 * uthash. Nothing ever iterates over a map: output must not depend on hash order.
 */

#include "base/alloc.h"

struct sg_map;

struct sg_map *sg_map_create(const signet_allocator *a);
void sg_map_destroy(struct sg_map *map);                            /* null is fine */
uint32_t sg_map_get(const struct sg_map *map, uint64_t key);        /* 0: not there */
bool sg_map_put(struct sg_map *map, uint64_t key, uint32_t number); /* false: no memory */
void sg_map_remove(struct sg_map *map, uint64_t key);
struct sg_map *sg_map_clone(const struct sg_map *map, const signet_allocator *a); /* null: none */

/* Interned strings: text <-> 32-bit number (0 is the absent string, 1 the empty one). Texts are
 * NUL-terminated and never move. */
struct sg_strings;

struct sg_strings *sg_strings_create(const signet_allocator *a);
void sg_strings_destroy(struct sg_strings *strings);
/* Copies the text. 0: no memory (or text.data is null). */
uint32_t sg_strings_intern(struct sg_strings *strings, signet_string text);
/* Keeps the pointer: the text must be NUL-terminated and outlive the strings. */
uint32_t sg_strings_intern_borrowed(struct sg_strings *strings, signet_string text);
/* The same without a look: equal texts get different numbers, and none of them is found. For long
 * texts that nothing compares by number. */
uint32_t sg_strings_add_borrowed(struct sg_strings *strings, signet_string text);
uint32_t sg_strings_find(const struct sg_strings *strings, signet_string text); /* 0: not there */
signet_string sg_strings_get(const struct sg_strings *strings, uint32_t number);
uint32_t sg_strings_count(const struct sg_strings *strings); /* numbers are 1 .. count */
/* A copy with the same numbers that borrows nothing. */
struct sg_strings *sg_strings_clone(const struct sg_strings *strings, const signet_allocator *a);

#endif
