/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/zip_write.h"

#include <string.h>

/* Numbers of the format (APPNOTE.TXT 6.3). */
enum {
    FLAG_SIZES_BEHIND = 1 << 3, /* sizes and CRC stand behind the data */
    FLAG_UTF8 = 1 << 11,
    VERSION_STORED = 20,
    VERSION_ZIP64 = 45,
    MADE_BY_MINIZ = 0x031e,
    EXTRA_ZIP64 = 1,
    ALIGNMENT = 64,
    LOCAL_HEADER = 30,
};

#define ZIP64_FROM UINT64_C(0xffffffff)

/* ---- CRC ------------------------------------------------------------------------------------- */

uint32_t sg_crc32(const void *data, size_t length) {
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) {
            c = (c & 1) != 0 ? c >> 1 ^ UINT32_C(0xedb88320) : c >> 1;
        }
        table[i] = c;
    }
    const unsigned char *p = data;
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        crc = crc >> 8 ^ table[(crc ^ p[i]) & 255];
    }
    return ~crc;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static void put_le(struct sg_text *t, uint64_t v, int bytes) {
    char text[8];
    for (int i = 0; i < bytes; i++) {
        text[i] = (char)(v >> (8 * i) & 255);
    }
    sg_text_put(t, text, (size_t)bytes);
}

static void put16(struct sg_text *t, uint32_t v) {
    put_le(t, v, 2);
}

static void put32(struct sg_text *t, uint64_t v) {
    put_le(t, v < ZIP64_FROM ? v : ZIP64_FROM, 4);
}

static void put64(struct sg_text *t, uint64_t v) {
    put_le(t, v, 8);
}

/* ---- The writer ------------------------------------------------------------------------------ */

void sg_zip_writer_init(struct sg_zip_writer *z, const signet_allocator *a,
                        const signet_writer *out, sg_zip_framing framing) {
    memset(z, 0, sizeof(*z));
    z->allocator = a;
    z->out = out;
    z->framing = framing;
    sg_text_init(&z->directory, a);
}

void sg_zip_writer_free(struct sg_zip_writer *z) {
    sg_text_free(&z->directory);
}

void sg_zip_put(struct sg_zip_writer *z, const void *data, size_t length) {
    if (z->status != SIGNET_OK || length == 0) {
        return;
    }
    if (!z->out->write(z->out->user, data, length)) {
        z->status = SIGNET_E_STOPPED;
    }
    z->at += length;
}

static void put_text(struct sg_zip_writer *z, struct sg_text *t) {
    if (t->failed && z->status == SIGNET_OK) {
        z->status = SIGNET_E_NOMEM;
    }
    sg_zip_put(z, t->data, t->length);
    sg_text_free(t);
}

/* ---- Extra fields ---------------------------------------------------------------------------- */

/* How many bytes the numbers take that do not fit their fields of 32 bits. */
static uint32_t zip64_length(uint64_t size, uint64_t at) {
    return (size >= ZIP64_FROM ? 16U : 0) + (at >= ZIP64_FROM ? 8U : 0);
}

static void put_zip64(struct sg_text *t, uint64_t size, uint64_t packed, uint64_t at) {
    uint32_t length = zip64_length(size, at);
    if (length == 0) {
        return;
    }
    put16(t, EXTRA_ZIP64);
    put16(t, length);
    if (size >= ZIP64_FROM) {
        put64(t, size);
        put64(t, packed);
    }
    if (at >= ZIP64_FROM) {
        put64(t, at);
    }
}

/* PyTorch's: 'F' 'B', a length, and so many 'Z' that the data is aligned. */
static void put_padding(struct sg_text *t, uint64_t start) {
    uint32_t length = (uint32_t)((ALIGNMENT - (start + 4) % ALIGNMENT) % ALIGNMENT);
    sg_text_puts(t, "FB");
    put16(t, length);
    for (uint32_t i = 0; i < length; i++) {
        sg_text_putc(t, 'Z');
    }
}

/* ---- Records --------------------------------------------------------------------------------- */

static bool is_ascii(signet_string s) {
    for (size_t i = 0; i < s.length; i++) {
        if ((unsigned char)s.data[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

static uint32_t flags_of(const struct sg_zip_writer *z, const struct sg_zip_record *r) {
    if (z->framing == SG_ZIP_TORCH) {
        return FLAG_UTF8 | (r->size > 0 ? FLAG_SIZES_BEHIND : 0U);
    }
    return is_ascii(r->name) ? 0 : FLAG_UTF8;
}

static bool is_zip64(const struct sg_zip_record *r, uint64_t at) {
    return r->size >= ZIP64_FROM || at >= ZIP64_FROM;
}

/* The directory's entry; `at` is where the record begins. */
static void put_entry(struct sg_zip_writer *z, const struct sg_zip_record *r, uint64_t at) {
    struct sg_text *t = &z->directory;
    bool torch = z->framing == SG_ZIP_TORCH;
    uint32_t extra = zip64_length(r->size, at);
    sg_text_puts(t, "PK\1\2");
    put16(t, torch ? 0 : r->made_by);
    put16(t, torch ? 0U : is_zip64(r, at) ? VERSION_ZIP64 : VERSION_STORED);
    put16(t, flags_of(z, r));
    put16(t, 0); /* stored */
    put16(t, torch ? 0 : r->time);
    put16(t, torch ? 0 : r->date);
    put_le(t, r->crc, 4);
    put32(t, r->size);
    put32(t, r->size);
    put16(t, (uint32_t)r->name.length);
    put16(t, extra > 0 ? extra + 4 : 0);
    put16(t, 0); /* comment */
    put16(t, 0); /* disk */
    put16(t, 0); /* internal attributes */
    put_le(t, torch ? 0 : r->attributes, 4);
    put32(t, at);
    sg_text_string(t, r->name);
    put_zip64(t, r->size, r->size, at);
    z->count++;
}

void sg_zip_begin(struct sg_zip_writer *z, const struct sg_zip_record *r) {
    bool torch = z->framing == SG_ZIP_TORCH;
    struct sg_text header, extra;
    if (r->name.length > UINT16_MAX) {
        z->status = z->status == SIGNET_OK ? SIGNET_E_INVALID_ARG : z->status;
        return;
    }
    put_entry(z, r, z->at);
    sg_text_init(&header, z->allocator);
    sg_text_init(&extra, z->allocator);
    if (torch) { /* miniz does not know the packed size yet */
        put_zip64(&extra, r->size, 0, z->at);
        put_padding(&extra, z->at + LOCAL_HEADER + r->name.length + extra.length);
    } else {
        put_zip64(&extra, r->size, r->size, 0);
    }
    sg_text_puts(&header, "PK\3\4");
    put16(&header, torch ? 0U : r->size >= ZIP64_FROM ? VERSION_ZIP64 : VERSION_STORED);
    put16(&header, flags_of(z, r));
    put16(&header, 0);
    put16(&header, torch ? 0 : r->time);
    put16(&header, torch ? 0 : r->date);
    put_le(&header, torch ? 0 : r->crc, 4);
    put32(&header, torch ? 0 : r->size);
    put32(&header, torch ? 0 : r->size);
    put16(&header, (uint32_t)r->name.length);
    put16(&header, (uint32_t)extra.length);
    sg_text_string(&header, r->name);
    put_text(z, &header);
    put_text(z, &extra);
}

void sg_zip_end(struct sg_zip_writer *z, const struct sg_zip_record *r) {
    struct sg_text t;
    if (z->framing != SG_ZIP_TORCH || r->size == 0) {
        return;
    }
    bool wide = is_zip64(r, z->at - r->size);
    sg_text_init(&t, z->allocator);
    sg_text_puts(&t, "PK\7\10");
    put_le(&t, r->crc, 4);
    put_le(&t, r->size, wide ? 8 : 4);
    put_le(&t, r->size, wide ? 8 : 4);
    put_text(z, &t);
}

/* ---- The end --------------------------------------------------------------------------------- */

static void put_zip64_end(struct sg_text *t, const struct sg_zip_writer *z, uint64_t directory_at,
                          uint64_t directory_size) {
    sg_text_puts(t, "PK\6\6");
    put64(t, 44);
    put16(t, z->framing == SG_ZIP_TORCH ? MADE_BY_MINIZ : VERSION_ZIP64);
    put16(t, VERSION_ZIP64);
    put_le(t, 0, 4);
    put_le(t, 0, 4);
    put64(t, z->count);
    put64(t, z->count);
    put64(t, directory_size);
    put64(t, directory_at);
    sg_text_puts(t, "PK\6\7");
    put_le(t, 0, 4);
    put64(t, directory_at + directory_size);
    put_le(t, 1, 4);
}

/* PyTorch writes the end of a zip64 always. */
signet_status sg_zip_finish(struct sg_zip_writer *z) {
    struct sg_text t;
    uint64_t at = z->at, size = z->directory.length;
    put_text(z, &z->directory);
    sg_text_init(&t, z->allocator);
    if (z->framing == SG_ZIP_TORCH || at >= ZIP64_FROM || size >= ZIP64_FROM ||
        z->count >= UINT16_MAX) {
        put_zip64_end(&t, z, at, size);
    }
    sg_text_puts(&t, "PK\5\6");
    put16(&t, 0);
    put16(&t, 0);
    put16(&t, z->count < UINT16_MAX ? (uint32_t)z->count : UINT16_MAX);
    put16(&t, z->count < UINT16_MAX ? (uint32_t)z->count : UINT16_MAX);
    put32(&t, size);
    put32(&t, at);
    put16(&t, 0);
    put_text(z, &t);
    return z->status;
}
