/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/zip.h"

#include <string.h>
#include <zip.h>

/* libzip reads through these, from memory and from files alike. */
struct sg_zip_reader {
    zip_t *zip;
    const struct sg_input *input;
    uint64_t position;
    zip_error_t error;
};

static zip_int64_t source_read(struct sg_zip_reader *r, void *data, zip_uint64_t length) {
    uint64_t left = r->input->size - r->position;
    size_t n = (size_t)(length < left ? length : left);
    if (!sg_input_read(r->input, r->position, data, n)) {
        zip_error_set(&r->error, ZIP_ER_READ, 0);
        return -1;
    }
    r->position += n;
    return (zip_int64_t)n;
}

static zip_int64_t source_seek(struct sg_zip_reader *r, void *data, zip_uint64_t length) {
    zip_int64_t position =
        zip_source_seek_compute_offset(r->position, r->input->size, data, length, &r->error);
    if (position < 0) {
        return -1;
    }
    r->position = (uint64_t)position;
    return 0;
}

static zip_int64_t source_stat(struct sg_zip_reader *r, void *data, zip_uint64_t length) {
    zip_stat_t *st = ZIP_SOURCE_GET_ARGS(zip_stat_t, data, length, &r->error);
    if (st == NULL) {
        return -1;
    }
    zip_stat_init(st);
    st->size = r->input->size;
    st->valid |= ZIP_STAT_SIZE;
    return (zip_int64_t)sizeof(*st);
}

static zip_int64_t source(void *user, void *data, zip_uint64_t length, zip_source_cmd_t command) {
    struct sg_zip_reader *r = user;
    /* Not a switch: the enumeration is libzip's, and it grows. */
    if (command == ZIP_SOURCE_OPEN) {
        r->position = 0;
        return 0;
    }
    if (command == ZIP_SOURCE_READ) {
        return source_read(r, data, length);
    }
    if (command == ZIP_SOURCE_SEEK) {
        return source_seek(r, data, length);
    }
    if (command == ZIP_SOURCE_TELL) {
        return (zip_int64_t)r->position;
    }
    if (command == ZIP_SOURCE_STAT) {
        return source_stat(r, data, length);
    }
    if (command == ZIP_SOURCE_ERROR) {
        return zip_error_to_data(&r->error, data, length);
    }
    if (command == ZIP_SOURCE_SUPPORTS) {
        return ZIP_SOURCE_SUPPORTS_SEEKABLE;
    }
    if (command == ZIP_SOURCE_CLOSE || command == ZIP_SOURCE_FREE) {
        return 0;
    }
    zip_error_set(&r->error, ZIP_ER_OPNOTSUPP, 0);
    return -1;
}

/* The walk has found nothing that stops it, and libzip sees something else. */
static signet_status disagree(struct sg_zip *z, const char *what) {
    struct sg_diag *d = sg_diag_begin(z->log, SIGNET_CODE_CARRIER_ZIP_DAMAGED,
                                      sg_at_input(z->input, z->directory_at));
    sg_diag_message(d, "libzip cannot read the archive: %s", what);
    sg_diag_help(d, "copy or download the file again, or save the program again");
    sg_diag_end(d);
    return SIGNET_E_SYNTAX;
}

static signet_status open_reader(struct sg_zip *z) {
    struct sg_zip_reader *r = sg_alloc(z->allocator, sizeof(*r));
    if (r == NULL) {
        return SIGNET_E_NOMEM;
    }
    z->reader = r;
    r->input = z->input;
    zip_error_init(&r->error);
    zip_error_t error;
    zip_error_init(&error);
    signet_status status = SIGNET_OK;
    zip_source_t *s = zip_source_function_create(source, r, &error);
    r->zip = s != NULL ? zip_open_from_source(s, ZIP_RDONLY, &error) : NULL;
    if (r->zip == NULL) {
        status = zip_error_code_zip(&error) == ZIP_ER_MEMORY
                     ? SIGNET_E_NOMEM
                     : disagree(z, zip_error_strerror(&error));
        zip_source_free(s);
    } else if (zip_get_num_entries(r->zip, 0) != (zip_int64_t)z->entries.count) {
        status = disagree(z, "it counts another number of entries");
    }
    zip_error_fini(&error);
    return status;
}

struct sg_zip *sg_zip_open(const signet_allocator *a, const signet_limits *limits,
                           struct sg_log *log, const struct sg_input *input,
                           signet_status *status) {
    struct sg_zip *z = sg_alloc(a, sizeof(*z));
    if (z == NULL) {
        *status = SIGNET_E_NOMEM;
        return NULL;
    }
    z->allocator = a;
    z->limits = limits;
    z->log = log;
    z->input = input;
    *status = sg_zip_walk(z);
    sg_free(a, z->window, z->window_size + 1);
    z->window = NULL;
    if (*status != SIGNET_OK) {
        sg_zip_close(z);
        return NULL;
    }
    return z;
}

void sg_zip_close(struct sg_zip *z) {
    if (z == NULL) {
        return;
    }
    if (z->reader != NULL) {
        if (z->reader->zip != NULL) {
            zip_discard(z->reader->zip);
        }
        zip_error_fini(&z->reader->error);
        sg_free(z->allocator, z->reader, sizeof(*z->reader));
    }
    sg_strings_destroy(z->names);
    sg_vec_free(z->allocator, &z->entries);
    sg_vec_free(z->allocator, &z->by_name);
    sg_free(z->allocator, z, sizeof(*z));
}

uint32_t sg_zip_find(const struct sg_zip *z, signet_string name) {
    uint32_t number = sg_strings_find(z->names, name);
    uint32_t entry = number != 0 && number < z->by_name.count ? z->by_name.data[number] : 0;
    return entry != 0 ? entry - 1 : SG_ZIP_NONE;
}

bool sg_zip_window(const struct sg_zip *z, uint32_t entry, struct sg_input *out) {
    const struct sg_zip_entry *e = &z->entries.data[entry];
    if (!e->sound || e->method != 0) {
        return false;
    }
    *out = *z->input;
    out->start += e->data_at;
    out->size = e->size;
    return true;
}

static signet_status unreadable(struct sg_zip *z, uint32_t entry, const char *what) {
    const struct sg_zip_entry *e = &z->entries.data[entry];
    struct sg_diag *d =
        sg_diag_begin(z->log, SIGNET_CODE_CARRIER_ZIP_DAMAGED, sg_at_entry(z, entry, e->data_at));
    sg_diag_message(d, "entry '%s' cannot be unpacked: %s", sg_log_name(z->log, e->name), what);
    sg_diag_help(d, "copy or download the file again, or save the program again");
    sg_diag_end(d);
    return SIGNET_E_SYNTAX;
}

static void crc_differs(struct sg_zip *z, uint32_t entry) {
    const struct sg_zip_entry *e = &z->entries.data[entry];
    struct sg_diag *d =
        sg_diag_begin(z->log, SIGNET_CODE_CARRIER_CRC_MISMATCH, sg_at_entry(z, entry, e->data_at));
    sg_diag_message(d,
                    "the content of entry '%s' does not have the CRC %08lx that the archive states",
                    sg_log_name(z->log, e->name), (unsigned long)e->crc);
    sg_diag_note(d, "the entry was changed or damaged after the archive was written; PyTorch does "
                    "not check this");
    sg_diag_help(d, "take the file from its source again, or save the program again");
    sg_diag_end(d);
}

/* A small packed entry that unpacks into gigabytes. */
static signet_status check_ratio(struct sg_zip *z, uint32_t entry) {
    const uint64_t harmless = UINT64_C(1) << 20;
    const struct sg_zip_entry *e = &z->entries.data[entry];
    uint64_t limit = z->limits->inflate_ratio;
    if (e->method == 0 || e->size <= harmless || limit == 0 || e->size / limit <= e->packed) {
        return SIGNET_OK;
    }
    struct sg_diag *d =
        sg_diag_begin(z->log, SIGNET_CODE_CARRIER_LIMIT, sg_at_entry(z, entry, e->header_at + 20));
    sg_diag_message(d, "entry '%s' unpacks from %llu bytes to %llu, more than %llu times as much",
                    sg_log_name(z->log, e->name), (unsigned long long)e->packed,
                    (unsigned long long)e->size, (unsigned long long)limit);
    uint64_t ratio = e->size / (e->packed != 0 ? e->packed : 1) + 1;
    sg_diag_help(d, "raise the limit if you trust the file: --limit inflate-ratio=%llu",
                 (unsigned long long)ratio);
    sg_diag_end(d);
    return SIGNET_E_LIMIT;
}

/* Opens an entry for reading; null: see *status. */
static zip_file_t *open_entry(struct sg_zip *z, uint32_t entry, signet_status *status) {
    *status = SIGNET_E_SYNTAX;
    if (!z->entries.data[entry].sound) {
        return NULL; /* which the walk has told */
    }
    *status = check_ratio(z, entry);
    if (*status != SIGNET_OK) {
        return NULL;
    }
    if (z->reader == NULL) {
        z->reader_status = open_reader(z);
    }
    *status = z->reader_status;
    if (*status != SIGNET_OK) {
        return NULL;
    }
    zip_file_t *file = zip_fopen_index(z->reader->zip, entry, 0);
    if (file == NULL) {
        zip_error_t *error = zip_get_error(z->reader->zip);
        *status = zip_error_code_zip(error) == ZIP_ER_MEMORY
                      ? SIGNET_E_NOMEM
                      : unreadable(z, entry, zip_error_strerror(error));
    }
    return file;
}

/* Pieces that stay in the cache between the copy and the look at the CRC. */
enum { PIECE = 128 << 10 };

/* Reads the rest of an open entry; libzip compares the CRC when it comes to the end. `step` is how
 * far the buffer moves per piece: 0 throws the content away. */
static signet_status read_all(struct sg_zip *z, uint32_t entry, zip_file_t *file, char *buffer,
                              size_t piece, size_t step) {
    uint64_t size = z->entries.data[entry].size;
    uint64_t done = 0;
    zip_int64_t n = 0;
    while (done < size) {
        uint64_t left = size - done;
        n = zip_fread(file, buffer + done * step, left < piece ? left : piece);
        if (n <= 0) {
            break;
        }
        done += (uint64_t)n;
    }
    char rest;
    z->entries.data[entry].checked = true;
    if (done == size) {
        n = zip_fread(file, &rest, 1);
        if (n == 0) {
            return SIGNET_OK;
        }
    }
    int code = zip_error_code_zip(zip_file_get_error(file));
    if (n < 0 && code == ZIP_ER_CRC) {
        crc_differs(z, entry);
        return SIGNET_OK;
    }
    if (n < 0 && code == ZIP_ER_MEMORY) {
        return SIGNET_E_NOMEM;
    }
    return unreadable(z, entry,
                      n < 0   ? zip_file_strerror(file)
                      : n > 0 ? "it holds more bytes than the archive states"
                              : "it holds fewer bytes than the archive states");
}

signet_status sg_zip_read(struct sg_zip *z, uint32_t entry, size_t padding, char **out,
                          size_t *size) {
    const struct sg_zip_entry *e = &z->entries.data[entry];
    signet_status status;
    zip_file_t *file = open_entry(z, entry, &status);
    if (file == NULL) {
        return status;
    }
    *size = (size_t)e->size;
    char *buffer = NULL;
    if (e->size <= SIZE_MAX - padding) {
        buffer = z->allocator->allocate(z->allocator->context, *size + padding);
    }
    status = buffer != NULL ? read_all(z, entry, file, buffer, PIECE, 1) : SIGNET_E_NOMEM;
    zip_fclose(file);
    if (status == SIGNET_OK) {
        memset(buffer + *size, 0, padding);
        *out = buffer;
    } else {
        sg_free(z->allocator, buffer, *size + padding);
    }
    return status;
}

signet_status sg_zip_check(struct sg_zip *z, uint32_t entry) {
    char chunk[16384];
    signet_status status;
    zip_file_t *file = open_entry(z, entry, &status);
    if (file == NULL) {
        return status;
    }
    status = read_all(z, entry, file, chunk, sizeof(chunk), 0);
    zip_fclose(file);
    return status;
}
