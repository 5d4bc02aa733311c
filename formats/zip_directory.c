/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/zip.h"

#include "base/endian.h"

#include <string.h>

/* Sizes and signatures of the zip format (APPNOTE.TXT 6.3.9). */
enum {
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    CENTRAL_SIZE = 46,
    LOCAL_SIZE = 30,
    COMMENT_MAX = 0xffff,
    WINDOW_SIZE = CENTRAL_SIZE + 3 * 0xffff, /* the longest central header */
    LOCAL_AHEAD = 512,                       /* local headers may lie far apart */
};
static const uint32_t end_signature = 0x06054b50, end64_signature = 0x06064b50;
static const uint32_t locator_signature = 0x07064b50, central_signature = 0x02014b50;
static const uint32_t local_signature = 0x04034b50;

static const uint16_t flag_encrypted = 1U << 0, flag_descriptor = 1U << 3;

static signet_location at(const struct sg_zip *z, uint64_t byte) {
    return sg_at_input(z->input, byte);
}

signet_location sg_at_entry(const struct sg_zip *z, uint32_t entry, uint64_t byte) {
    signet_location location = at(z, byte);
    location.item =
        sg_log_text(z->log, "entry '%s'", sg_log_name(z->log, z->entries.data[entry].name));
    return location;
}

/* Bytes of the input, borrowed until the next call; null when they are not there. */
static const unsigned char *peek(struct sg_zip *z, uint64_t offset, size_t length) {
    if (offset > z->input->size || length > z->input->size - offset || length > z->window_size) {
        return NULL;
    }
    if (offset < z->window_at || offset - z->window_at > z->window_length ||
        length > z->window_length - (offset - z->window_at)) {
        uint64_t left = z->input->size - offset;
        size_t n = length > z->read_ahead ? length : z->read_ahead;
        n = left < n ? (size_t)left : n;
        z->window_length = 0;
        if (!sg_input_read(z->input, offset, z->window, n)) {
            return NULL;
        }
        z->window_at = offset;
        z->window_length = n;
    }
    return z->window + (offset - z->window_at);
}

/* Where the end record stands: the last one whose comment fits. */
static bool find_end(struct sg_zip *z) {
    uint64_t size = z->input->size;
    size_t tail = size < END_SIZE + COMMENT_MAX ? (size_t)size : END_SIZE + COMMENT_MAX;
    const unsigned char *bytes = size >= END_SIZE ? peek(z, size - tail, tail) : NULL;
    for (size_t i = bytes != NULL ? tail - END_SIZE + 1 : 0; i-- > 0;) {
        if (sg_load_le32(bytes + i) == end_signature &&
            sg_load_le16(bytes + i + 20) <= tail - i - END_SIZE) {
            z->end_at = size - tail + i;
            return true;
        }
    }
    struct sg_diag *d = sg_diag_begin(z->log, SIGNET_CODE_CARRIER_TRUNCATED, at(z, size));
    sg_diag_message(
        d,
        "the archive ends at byte %llu without an end record, so its list of entries is "
        "missing",
        (unsigned long long)size);
    sg_diag_help(d, "copy or download the file again; it is cut off");
    sg_diag_end(d);
    return false;
}

static signet_status damaged(struct sg_zip *z, uint64_t byte, const char *what) {
    struct sg_diag *d = sg_diag_begin(z->log, SIGNET_CODE_CARRIER_ZIP_DAMAGED, at(z, byte));
    sg_diag_message(d, "%s", what);
    sg_diag_help(d, "copy or download the file again, or save the program again");
    sg_diag_end(d);
    return SIGNET_E_SYNTAX;
}

/* The 64-bit end record, where there is one, holds where the directory is. */
static signet_status read_end64(struct sg_zip *z) {
    const unsigned char *locator =
        z->end_at >= LOCATOR_SIZE ? peek(z, z->end_at - LOCATOR_SIZE, LOCATOR_SIZE) : NULL;
    if (locator == NULL || sg_load_le32(locator) != locator_signature) {
        return SIGNET_OK;
    }
    uint64_t offset = sg_load_le64(locator + 8);
    const unsigned char *end = peek(z, offset, END64_SIZE);
    if (end == NULL || sg_load_le32(end) != end64_signature) {
        return damaged(z, z->end_at - LOCATOR_SIZE + 8,
                       "the 64-bit end record is not where its locator says");
    }
    uint64_t count = sg_load_le64(end + 32), size = sg_load_le64(end + 40);
    uint64_t start = sg_load_le64(end + 48);
    if ((z->declared != 0xffff && z->declared != count) ||
        (z->directory_size != UINT32_MAX && z->directory_size != size) ||
        (z->directory_at != UINT32_MAX && z->directory_at != start)) {
        return damaged(z, offset, "the two end records disagree about the central directory");
    }
    z->declared = count;
    z->directory_size = size;
    z->directory_at = start;
    return SIGNET_OK;
}

static signet_status read_end(struct sg_zip *z) {
    const unsigned char *end = peek(z, z->end_at, END_SIZE);
    if (end == NULL) {
        return SIGNET_E_IO;
    }
    if (sg_load_le16(end + 4) != 0 || sg_load_le16(end + 6) != 0) {
        return damaged(z, z->end_at + 4, "the archive is one of several parts");
    }
    z->declared = sg_load_le16(end + 10);
    z->directory_size = sg_load_le32(end + 12);
    z->directory_at = sg_load_le32(end + 16);
    signet_status status = read_end64(z);
    if (status != SIGNET_OK) {
        return status;
    }
    if (z->directory_at > z->end_at || z->directory_size > z->end_at - z->directory_at) {
        return damaged(z, z->end_at + 12,
                       sg_log_text(z->log,
                                   "the central directory should be %llu bytes at byte %llu, but "
                                   "the end record stands at byte %llu",
                                   (unsigned long long)z->directory_size,
                                   (unsigned long long)z->directory_at,
                                   (unsigned long long)z->end_at));
    }
    if (z->declared > z->directory_size / CENTRAL_SIZE) {
        return damaged(z, z->end_at + 10,
                       sg_log_text(z->log,
                                   "the end record counts %llu entries, but the central directory "
                                   "has room for at most %llu",
                                   (unsigned long long)z->declared,
                                   (unsigned long long)(z->directory_size / CENTRAL_SIZE)));
    }
    return SIGNET_OK;
}

/* 64-bit sizes of a header's extra field stand in the order of the members that are all ones. */
static void read_extra64(const unsigned char *extra, size_t length, uint64_t *fields[3]) {
    for (size_t i = 0; length - i >= 4;) {
        size_t id = sg_load_le16(extra + i), n = sg_load_le16(extra + i + 2);
        i += 4;
        if (n > length - i) {
            return;
        }
        for (size_t k = 0, used = 0; id == 1 && k < 3; k++) {
            if (fields[k] != NULL && *fields[k] == UINT32_MAX && n - used >= 8) {
                *fields[k] = sg_load_le64(extra + i + used);
                used += 8;
            }
        }
        i += n;
    }
}

const char *sg_zip_name_problem(signet_string name) {
    if (name.length == 0) {
        return "is empty";
    }
    if (name.data[0] == '/') {
        return "is absolute";
    }
    if (name.length >= 2 && name.data[1] == ':') {
        return "begins with a drive";
    }
    size_t start = 0;
    for (size_t i = 0; i <= name.length; i++) {
        if (i == name.length || name.data[i] == '/') {
            if (i - start == 2 && name.data[start] == '.' && name.data[start + 1] == '.') {
                return "leaves the archive by '..'";
            }
            start = i + 1;
        } else if (name.data[i] == '\\') {
            return "holds a backslash";
        } else if ((unsigned char)name.data[i] < 0x20 || name.data[i] == 0x7f) {
            return "holds a control character";
        }
    }
    return NULL;
}

static void check_name(struct sg_zip *z, uint32_t i) {
    const struct sg_zip_entry *e = &z->entries.data[i];
    const char *problem = sg_zip_name_problem(e->name);
    if (problem != NULL) {
        struct sg_diag *d = sg_diag_begin(z->log, SIGNET_CODE_CARRIER_ENTRY_NAME,
                                          sg_at_entry(z, i, e->header_at + CENTRAL_SIZE));
        sg_diag_message(d, "the name of entry '%s' %s", sg_log_name(z->log, e->name), problem);
        sg_diag_help(d, "name entries by relative paths with '/' between their parts");
        sg_diag_end(d);
    }
    size_t bad = sg_utf8_check(e->name.data, e->name.length);
    if (bad < e->name.length) {
        struct sg_diag *d = sg_diag_begin(z->log, SIGNET_CODE_CARRIER_NOT_UTF8,
                                          sg_at_entry(z, i, e->header_at + CENTRAL_SIZE + bad));
        sg_diag_message(d, "the name of entry '%s' is no UTF-8", sg_log_name(z->log, e->name));
        sg_diag_help(d, "name entries in UTF-8");
        sg_diag_end(d);
    }
}

static void check_method(struct sg_zip *z, uint32_t i) {
    struct sg_zip_entry *e = &z->entries.data[i];
    bool encrypted = (e->flags & flag_encrypted) != 0;
    if (!encrypted && (e->method == 0 || e->method == 8)) {
        return;
    }
    e->sound = false;
    struct sg_diag *d = sg_diag_begin(z->log, SIGNET_CODE_CARRIER_ENTRY_METHOD,
                                      sg_at_entry(z, i, e->header_at + (encrypted ? 8 : 10)));
    if (encrypted) {
        sg_diag_message(d, "entry '%s' is encrypted", sg_log_name(z->log, e->name));
    } else {
        sg_diag_message(d,
                        "entry '%s' is packed by method %u; PyTorch reads stored (0) and "
                        "deflated (8) entries only",
                        sg_log_name(z->log, e->name), (unsigned)e->method);
    }
    sg_diag_help(d, "pack the archive again without compression");
    sg_diag_end(d);
}

static void header_differs(struct sg_zip *z, uint32_t i, uint64_t byte, const char *what,
                           uint64_t local, uint64_t central) {
    struct sg_diag *d =
        sg_diag_begin(z->log, SIGNET_CODE_CARRIER_HEADER_MISMATCH, sg_at_entry(z, i, byte));
    sg_diag_message(d, "entry '%s': its local header says %s %llu, the central directory %llu",
                    sg_log_name(z->log, z->entries.data[i].name), what, (unsigned long long)local,
                    (unsigned long long)central);
    sg_diag_note(d, "readers that go by the one or by the other see different archives");
    sg_diag_help(d, "write the archive again");
    sg_diag_end(d);
}

/* Sizes and CRC of a local header count only where no data descriptor follows the data. */
static void check_local_sizes(struct sg_zip *z, uint32_t i, const unsigned char *local) {
    const struct sg_zip_entry *e = &z->entries.data[i];
    size_t name_length = sg_load_le16(local + 26), extra_length = sg_load_le16(local + 28);
    uint32_t crc = sg_load_le32(local + 14);
    uint64_t packed = sg_load_le32(local + 18), size = sg_load_le32(local + 22);
    if ((sg_load_le16(local + 6) & flag_descriptor) != 0) {
        return;
    }
    if (packed == UINT32_MAX || size == UINT32_MAX) {
        const unsigned char *extra = peek(z, e->local_at + LOCAL_SIZE + name_length, extra_length);
        uint64_t *fields[3] = {&size, &packed, NULL};
        if (extra != NULL) {
            read_extra64(extra, extra_length, fields);
        }
    }
    if (packed != e->packed) {
        header_differs(z, i, e->local_at + 18, "packed size", packed, e->packed);
    } else if (size != e->size) {
        header_differs(z, i, e->local_at + 22, "size", size, e->size);
    } else if (crc != e->crc) {
        header_differs(z, i, e->local_at + 14, "CRC", crc, e->crc);
    }
}

static void out_of_range(struct sg_zip *z, uint32_t i, uint64_t byte, const char *what) {
    struct sg_zip_entry *e = &z->entries.data[i];
    e->sound = false;
    struct sg_diag *d =
        sg_diag_begin(z->log, SIGNET_CODE_CARRIER_ZIP_DAMAGED, sg_at_entry(z, i, byte));
    sg_diag_message(d, "entry '%s': %s", sg_log_name(z->log, e->name), what);
    sg_diag_help(d, "copy or download the file again, or save the program again");
    sg_diag_end(d);
}

/* The local header: where the data lies, and whether it tells the same as the directory. */
static void check_local(struct sg_zip *z, uint32_t i) {
    struct sg_zip_entry *e = &z->entries.data[i];
    const unsigned char *local = peek(z, e->local_at, LOCAL_SIZE);
    if (local == NULL || sg_load_le32(local) != local_signature) {
        out_of_range(
            z, i, e->header_at + 42,
            sg_log_text(z->log, "no local header at byte %llu", (unsigned long long)e->local_at));
        return;
    }
    size_t name_length = sg_load_le16(local + 26), extra_length = sg_load_le16(local + 28);
    unsigned char copy[LOCAL_SIZE];
    memcpy(copy, local, LOCAL_SIZE);
    e->data_at = e->local_at + LOCAL_SIZE + name_length + extra_length;
    if (e->data_at > z->directory_at || e->packed > z->directory_at - e->data_at) {
        out_of_range(z, i, e->header_at + 20,
                     sg_log_text(z->log,
                                 "%llu bytes at byte %llu reach into the central directory at byte "
                                 "%llu",
                                 (unsigned long long)e->packed, (unsigned long long)e->data_at,
                                 (unsigned long long)z->directory_at));
        return;
    }
    if (e->method == 0 && e->packed != e->size) {
        out_of_range(z, i, e->header_at + 20,
                     sg_log_text(z->log, "it is stored, but %llu bytes should hold %llu",
                                 (unsigned long long)e->packed, (unsigned long long)e->size));
        return;
    }
    const unsigned char *name = peek(z, e->local_at + LOCAL_SIZE, name_length);
    if (name == NULL || name_length != e->name.length ||
        memcmp(name, e->name.data, name_length) != 0) {
        signet_string other = {(const char *)name, name != NULL ? name_length : 0};
        struct sg_diag *d = sg_diag_begin(z->log, SIGNET_CODE_CARRIER_HEADER_MISMATCH,
                                          sg_at_entry(z, i, e->local_at + LOCAL_SIZE));
        sg_diag_message(d, "entry '%s' is called '%s' in its local header",
                        sg_log_name(z->log, e->name), sg_log_name(z->log, other));
        sg_diag_note(d, "readers that go by the one or by the other see different archives");
        sg_diag_help(d, "write the archive again");
        sg_diag_end(d);
    } else if (sg_load_le16(copy + 8) != e->method) {
        header_differs(z, i, e->local_at + 8, "method", sg_load_le16(copy + 8), e->method);
    } else {
        check_local_sizes(z, i, copy);
    }
}

/* Enters the name; a second entry of one name takes the place of the first, as in PyTorch. */
static bool enter_name(struct sg_zip *z, uint32_t i) {
    struct sg_zip_entry *e = &z->entries.data[i];
    uint32_t number = sg_strings_intern(z->names, e->name);
    if (number == 0 ||
        (number >= z->by_name.count &&
         !sg_vec_reserve(z->allocator, &z->by_name, number + 1 - z->by_name.count))) {
        return false;
    }
    while (z->by_name.count <= number) {
        z->by_name.data[z->by_name.count++] = 0;
    }
    e->name = sg_strings_get(z->names, number);
    uint32_t first = z->by_name.data[number];
    z->by_name.data[number] = i + 1;
    if (first != 0) {
        struct sg_diag *d = sg_diag_begin(z->log, SIGNET_CODE_CARRIER_DUPLICATE_ENTRY,
                                          sg_at_entry(z, i, e->header_at));
        sg_diag_message(d, "the archive has entry '%s' twice; PyTorch reads the second",
                        sg_log_name(z->log, e->name));
        sg_diag_related(d, at(z, z->entries.data[first - 1].header_at), "the first one");
        sg_diag_help(d, "keep one of the two entries");
        sg_diag_end(d);
    }
    return true;
}

/* One central header at *offset, which moves behind it. */
static signet_status read_central(struct sg_zip *z, uint64_t *offset) {
    uint64_t end = z->directory_at + z->directory_size;
    const unsigned char *c = end - *offset >= CENTRAL_SIZE ? peek(z, *offset, CENTRAL_SIZE) : NULL;
    if (c == NULL || sg_load_le32(c) != central_signature) {
        return damaged(z, *offset,
                       sg_log_text(z->log,
                                   "no header of entry %u (of %llu) in the central directory",
                                   z->entries.count, (unsigned long long)z->declared));
    }
    size_t name_length = sg_load_le16(c + 28), extra_length = sg_load_le16(c + 30);
    size_t whole = CENTRAL_SIZE + name_length + extra_length + sg_load_le16(c + 32);
    c = whole <= end - *offset ? peek(z, *offset, whole) : NULL;
    if (c == NULL) {
        return damaged(z, *offset + 28,
                       sg_log_text(z->log,
                                   "the header of entry %u ends behind the central directory",
                                   z->entries.count));
    }
    if (!sg_vec_reserve(z->allocator, &z->entries, 1)) {
        return SIGNET_E_NOMEM;
    }
    struct sg_zip_entry *e = &z->entries.data[z->entries.count];
    *e = (struct sg_zip_entry){
        .name = {(const char *)c + CENTRAL_SIZE, name_length},
        .header_at = *offset,
        .local_at = sg_load_le32(c + 42),
        .packed = sg_load_le32(c + 20),
        .size = sg_load_le32(c + 24),
        .crc = sg_load_le32(c + 16),
        .method = sg_load_le16(c + 10),
        .flags = sg_load_le16(c + 8),
        .sound = true,
    };
    uint64_t *fields[3] = {&e->size, &e->packed, &e->local_at};
    read_extra64(c + CENTRAL_SIZE + name_length, extra_length, fields);
    *offset += whole;
    return enter_name(z, z->entries.count++) ? SIGNET_OK : SIGNET_E_NOMEM;
}

/* Entries that share bytes would make the work of reading them all unbounded. */
static signet_status check_overlap(struct sg_zip *z) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < z->entries.count; i++) {
        const struct sg_zip_entry *e = &z->entries.data[i];
        sum += e->sound ? e->packed : 0; /* each is below the file's size, so this cannot wrap */
        if (sum > z->directory_at) {
            return damaged(z, e->header_at,
                           "the entries overlap: together they hold more bytes than the file");
        }
    }
    return SIGNET_OK;
}

signet_status sg_zip_walk(struct sg_zip *z) {
    z->window_size = z->input->size < WINDOW_SIZE ? (size_t)z->input->size : WINDOW_SIZE;
    z->window = sg_alloc(z->allocator, z->window_size + 1);
    z->read_ahead = z->window_size;
    z->names = sg_strings_create(z->allocator);
    if (z->window == NULL || z->names == NULL) {
        return SIGNET_E_NOMEM;
    }
    if (!find_end(z)) {
        return SIGNET_E_SYNTAX;
    }
    signet_status status = read_end(z);
    if (status == SIGNET_OK && z->declared > z->limits->zip_entries) {
        struct sg_diag *d = sg_diag_begin(z->log, SIGNET_CODE_CARRIER_LIMIT, at(z, z->end_at + 10));
        sg_diag_message(d, "the archive has %llu entries, the limit is %llu",
                        (unsigned long long)z->declared,
                        (unsigned long long)z->limits->zip_entries);
        sg_diag_help(d, "raise the limit: --limit zip-entries=%llu",
                     (unsigned long long)z->declared);
        sg_diag_end(d);
        return SIGNET_E_LIMIT;
    }
    uint64_t offset = z->directory_at;
    for (uint64_t i = 0; status == SIGNET_OK && i < z->declared; i++) {
        status = read_central(z, &offset);
    }
    z->read_ahead = z->window_size < LOCAL_AHEAD ? z->window_size : LOCAL_AHEAD;
    for (uint32_t i = 0; status == SIGNET_OK && i < z->entries.count; i++) {
        check_name(z, i);
        check_method(z, i);
        check_local(z, i);
    }
    return status == SIGNET_OK ? check_overlap(z) : status;
}
