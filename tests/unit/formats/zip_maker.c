/* SPDX-License-Identifier: Apache-2.0 */
#include "zip_maker.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

uint32_t zip_maker_crc(const void *data, size_t length) {
    const unsigned char *bytes = data;
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (UINT32_C(0xedb88320) & (0 - (crc & 1)));
        }
    }
    return ~crc;
}

void zip_maker_init(struct zip_maker *z) {
    memset(z, 0, sizeof(*z));
    z->count_said = -1;
    z->directory_at = -1;
}

struct zip_maker_entry *zip_maker_add(struct zip_maker *z, const char *name, const char *data,
                                      size_t length) {
    cr_assert_lt(z->count, ZIP_MAKER_MOST);
    struct zip_maker_entry *e = &z->entries[z->count++];
    cr_assert_lt(strlen(name), sizeof(e->local.name));
    strcpy(e->local.name, name);
    e->local.name_length = (uint16_t)strlen(name);
    e->local.packed = e->local.size = (uint32_t)length;
    e->local.crc = zip_maker_crc(data, length);
    e->central = e->local;
    e->data = data;
    e->data_length = length;
    e->offset = -1;
    return e;
}

struct zip_maker_entry *zip_maker_text(struct zip_maker *z, const char *name, const char *text) {
    return zip_maker_add(z, name, text, strlen(text));
}

static void put(struct zip_maker *z, const void *data, size_t length) {
    memcpy(z->bytes + z->size, data, length);
    z->size += length;
}

static void put16(struct zip_maker *z, uint32_t v) {
    unsigned char b[2] = {(unsigned char)v, (unsigned char)(v >> 8)};
    put(z, b, 2);
}

static void put32(struct zip_maker *z, uint32_t v) {
    put16(z, v & 0xffff);
    put16(z, v >> 16);
}

/* What both headers of an entry have in common. */
static void put_header(struct zip_maker *z, const struct zip_maker_header *h) {
    put16(z, h->flags);
    put16(z, h->method);
    put32(z, 0); /* time and date */
    put32(z, h->crc);
    put32(z, h->packed);
    put32(z, h->size);
    put16(z, h->name_length);
    put16(z, 0); /* extra */
}

void zip_maker_make(struct zip_maker *z) {
    size_t room = 64;
    for (uint32_t i = 0; i < z->count; i++) {
        room += z->entries[i].data_length + 512;
    }
    room += z->prefix != NULL ? strlen(z->prefix) : 0;
    z->bytes = malloc(room);
    cr_assert_not_null(z->bytes);
    put(z, z->prefix != NULL ? z->prefix : "", z->prefix != NULL ? strlen(z->prefix) : 0);
    uint32_t at[ZIP_MAKER_MOST];
    for (uint32_t i = 0; i < z->count; i++) {
        const struct zip_maker_entry *e = &z->entries[i];
        at[i] = (uint32_t)z->size;
        put(z, "PK\3\4", 4);
        put16(z, 20);
        put_header(z, &e->local);
        put(z, e->local.name, e->local.name_length);
        put(z, e->data, e->data_length);
    }
    uint32_t directory = (uint32_t)z->size;
    for (uint32_t i = 0; i < z->count; i++) {
        const struct zip_maker_entry *e = &z->entries[i];
        put(z, "PK\1\2", 4);
        put16(z, 20);
        put16(z, 20);
        put_header(z, &e->central);
        put16(z, 0); /* comment */
        put16(z, 0); /* disk */
        put16(z, 0);
        put32(z, 0);
        put32(z, e->offset >= 0 ? (uint32_t)e->offset : at[i]);
        put(z, e->central.name, e->central.name_length);
    }
    uint32_t size = (uint32_t)z->size - directory;
    uint32_t count = z->count_said >= 0 ? (uint32_t)z->count_said : z->count;
    put(z, "PK\5\6", 4);
    put32(z, 0);
    put16(z, count);
    put16(z, count);
    put32(z, size);
    put32(z, z->directory_at >= 0 ? (uint32_t)z->directory_at : directory);
    put16(z, 0);
}

void zip_maker_free(struct zip_maker *z) {
    free(z->bytes);
    z->bytes = NULL;
    z->size = 0;
}
