/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_ZIP_WRITE_H
#define SG_FORMATS_ZIP_WRITE_H

/*
 * Writing zip archives of stored records, in one of two framings that readers can tell apart only
 * by their bytes: PyTorch's own (caffe2/serialize over miniz: data aligned to 64 bytes, sizes
 * behind the data) and that of Python's zipfile (sizes before the data), which PyTorch used up
 * to 2.7.
 */

#include "base/text.h"
#include "signet/formats.h"

typedef enum sg_zip_framing { SG_ZIP_TORCH, SG_ZIP_PLAIN } sg_zip_framing;

/* What the directory says of a record. Of the last line, PyTorch's framing writes nothing. */
struct sg_zip_record {
    signet_string name;
    uint64_t size;
    uint32_t crc;
    uint16_t made_by, date, time;
    uint32_t attributes;
};

struct sg_zip_writer {
    const signet_allocator *allocator;
    const signet_writer *out;
    sg_zip_framing framing;
    uint64_t at;              /* bytes written */
    struct sg_text directory; /* as far as it is known */
    uint64_t count;
    signet_status status; /* the first failure; nothing is written after it */
};

void sg_zip_writer_init(struct sg_zip_writer *z, const signet_allocator *a,
                        const signet_writer *out, sg_zip_framing framing);
void sg_zip_writer_free(struct sg_zip_writer *z);
/* A record: begin, `size` bytes in pieces, end. */
void sg_zip_begin(struct sg_zip_writer *z, const struct sg_zip_record *record);
void sg_zip_put(struct sg_zip_writer *z, const void *data, size_t length);
void sg_zip_end(struct sg_zip_writer *z, const struct sg_zip_record *record);
/* The directory and the archive's end. */
signet_status sg_zip_finish(struct sg_zip_writer *z);

uint32_t sg_crc32(const void *data, size_t length);

#endif
