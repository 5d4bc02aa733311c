/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_ZIP_H
#define SG_FORMATS_ZIP_H

/*
 * Reading zip archives. zip_directory.c walks the central directory itself, because findings need
 * the byte where something stands; zip.c (the only file that includes libzip) unpacks and checks
 * CRCs. Sizes come from the central directory, never from local headers, where PyTorch writes
 * zeros.
 */

#include "base/map.h"
#include "formats/formats_internal.h"

struct sg_zip_entry {
    signet_string name;
    uint64_t header_at; /* central header */
    uint64_t local_at;  /* local header */
    uint64_t data_at;
    uint64_t packed, size;
    uint32_t crc;
    uint16_t method, flags;
    bool sound;   /* its data can be read */
    bool checked; /* its CRC was compared */
    bool scanned; /* for pickles */
};

struct sg_zip {
    const signet_allocator *allocator;
    const signet_limits *limits;
    struct sg_log *log;
    const struct sg_input *input;
    uint64_t end_at; /* end of central directory record */
    uint64_t directory_at, directory_size, declared;
    SG_VEC(struct sg_zip_entry) entries;
    struct sg_strings *names;
    SG_VEC(uint32_t) by_name; /* number of a name -> 1 + its last entry, the one PyTorch reads */
    unsigned char *window;    /* a piece of the input */
    size_t window_size, window_length, read_ahead;
    uint64_t window_at;
    struct sg_zip_reader *reader; /* libzip's, opened when first needed */
    signet_status reader_status;
};

#define SG_ZIP_NONE UINT32_MAX

/* Reads the central directory. Null: see *status; SIGNET_E_SYNTAX and _LIMIT come with a finding.
 * The input must outlive the archive. */
struct sg_zip *sg_zip_open(const signet_allocator *a, const signet_limits *limits,
                           struct sg_log *log, const struct sg_input *input, signet_status *status);
void sg_zip_close(struct sg_zip *zip); /* null is fine */

/* The entry of that name (SG_ZIP_NONE: there is none). */
uint32_t sg_zip_find(const struct sg_zip *zip, signet_string name);
/* The place of an entry in the archive, for findings. */
signet_location sg_at_entry(const struct sg_zip *zip, uint32_t entry, uint64_t byte);

/* Unpacks an entry into memory of the allocator, `size + padding` bytes of it, the last ones zero.
 * A wrong CRC is a finding and no failure. Anything but SIGNET_OK and _NOMEM comes with a finding.
 */
signet_status sg_zip_read(struct sg_zip *zip, uint32_t entry, size_t padding, char **out,
                          size_t *size);
/* Unpacks an entry for its CRC alone. */
signet_status sg_zip_check(struct sg_zip *zip, uint32_t entry);
/* The data of a stored entry as an input of its own. False: it is packed, or cannot be read. */
bool sg_zip_window(const struct sg_zip *zip, uint32_t entry, struct sg_input *out);

/* What is wrong with the name of an entry, or with a path that should name one; null: nothing. */
const char *sg_zip_name_problem(signet_string name);
/* zip_directory.c */
signet_status sg_zip_walk(struct sg_zip *zip);

#endif
