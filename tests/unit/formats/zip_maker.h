/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_FORMATS_ZIP_MAKER_H
#define TEST_FORMATS_ZIP_MAKER_H

/* Makes zips of stored entries for tests, sound ones and broken ones: every number of a header can
 * be changed before the bytes are taken. */

#include <stddef.h>
#include <stdint.h>

#define ZIP_MAKER_MOST 32

struct zip_maker_header {
    char name[128];
    uint16_t name_length;
    uint16_t flags, method;
    uint32_t crc, packed, size;
};

struct zip_maker_entry {
    struct zip_maker_header local, central;
    const char *data;
    size_t data_length;
    int64_t offset; /* what the central directory says; -1: where it is */
};

struct zip_maker {
    struct zip_maker_entry entries[ZIP_MAKER_MOST];
    uint32_t count;
    int32_t count_said;   /* -1: count */
    int64_t directory_at; /* -1: where it is */
    const char *prefix;   /* bytes before the archive; null: none */
    unsigned char *bytes; /* the archive, once made */
    size_t size;
};

void zip_maker_init(struct zip_maker *z);
/* Adds a stored entry; data is borrowed. Returns it for changes. */
struct zip_maker_entry *zip_maker_add(struct zip_maker *z, const char *name, const char *data,
                                      size_t length);
struct zip_maker_entry *zip_maker_text(struct zip_maker *z, const char *name, const char *text);
void zip_maker_make(struct zip_maker *z);
void zip_maker_free(struct zip_maker *z);
uint32_t zip_maker_crc(const void *data, size_t length);

#endif
