/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

enum { VERSION = 1 };

static char *copy(const char *s) {
    size_t size = strlen(s) + 1;
    return memcpy(memory(NULL, size, 1), s, size);
}

static int compare(const void *x, const void *y) {
    const struct known *a = x, *b = y;
    int order = strcmp(a->file, b->file);
    if (order == 0) {
        order = strcmp(a->code, b->code);
    }
    if (order == 0) {
        order = a->fingerprint < b->fingerprint ? -1 : a->fingerprint > b->fingerprint;
    }
    return order;
}

static int compare_keys(const struct known *row, const char *file, uint64_t fingerprint) {
    int order = strcmp(row->file, file);
    return order != 0                       ? order
           : row->fingerprint < fingerprint ? -1
                                            : row->fingerprint > fingerprint;
}

static int compare_for_look_up(const void *x, const void *y) {
    const struct known *b = y;
    return compare_keys(x, b->file, b->fingerprint);
}

static void add_row(struct baseline *b, const struct known *row) {
    if ((b->count & (b->count - 1)) == 0) { /* room doubles */
        b->rows = memory(b->rows, b->count > 0 ? 2 * b->count : 1, sizeof(*b->rows));
    }
    b->rows[b->count++] = *row;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool read_fingerprint(const char *text, uint64_t *out) {
    char *end = NULL;
    if (text == NULL || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) {
        return false;
    }
    errno = 0;
    *out = strtoull(text, &end, 16);
    return errno == 0 && *end == '\0';
}

static bool read_row(struct baseline *b, yyjson_val *value) {
    struct known row = {.file = yyjson_get_str(yyjson_obj_get(value, "file")),
                        .code = yyjson_get_str(yyjson_obj_get(value, "code")),
                        .message = yyjson_get_str(yyjson_obj_get(value, "message"))};
    yyjson_val *count = yyjson_obj_get(value, "count");
    row.count = yyjson_get_uint(count);
    if (row.file == NULL || row.code == NULL || row.count == 0 ||
        !read_fingerprint(yyjson_get_str(yyjson_obj_get(value, "fingerprint")), &row.fingerprint)) {
        return false;
    }
    add_row(b, &row);
    return true;
}

bool baseline_read(struct baseline *b, const char *path) {
    yyjson_read_err error = {0};
    yyjson_doc *document = yyjson_read_file(path, YYJSON_READ_NOFLAG, NULL, &error);
    *b = (struct baseline){.document = document};
    if (document == NULL) {
        if (error.code == YYJSON_READ_ERROR_FILE_OPEN) {
            trouble("cannot read %s: %s", path, strerror(errno));
        } else {
            trouble("%s is no baseline: %s at byte %zu", path, error.msg, error.pos);
        }
        return false;
    }
    yyjson_val *root = yyjson_doc_get_root(document);
    yyjson_val *rows = yyjson_obj_get(root, "findings");
    if (yyjson_get_uint(yyjson_obj_get(root, "signet_baseline")) != VERSION ||
        !yyjson_is_arr(rows)) {
        trouble("%s is no baseline of this version; --write-baseline %s makes one", path, path);
        return false;
    }
    size_t i, count;
    yyjson_val *value;
    yyjson_arr_foreach(rows, i, count, value) {
        if (!read_row(b, value)) {
            trouble("%s: finding %zu needs file, code, fingerprint (16 hexadecimal digits) and "
                    "count",
                    path, i);
            return false;
        }
    }
    if (b->count > 0) {
        qsort(b->rows, b->count, sizeof(*b->rows), compare_for_look_up);
    }
    return true;
}

size_t baseline_find(const struct baseline *b, const char *file, uint64_t fingerprint) {
    size_t low = 0, high = b->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_keys(&b->rows[middle], file, fingerprint) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < b->count && compare_keys(&b->rows[low], file, fingerprint) == 0;
    return found ? low : b->count;
}

/* ---- Writing --------------------------------------------------------------------------------- */

void baseline_add(struct baseline *b, const char *file, const signet_diag *diag) {
    struct known row = {copy(file), signet_diag_fingerprint(diag), copy(diag->code_name),
                        copy(diag->message), 1};
    add_row(b, &row);
}

void baseline_take(struct baseline *b, struct baseline *from) {
    for (size_t i = 0; i < from->count; i++) {
        add_row(b, &from->rows[i]);
    }
    free(from->rows);
    *from = (struct baseline){0};
}

enum status baseline_write(struct baseline *b, const char *path) {
    struct out out = {.path = path};
    const char *between = "\n";
    if (b->count > 0) {
        qsort(b->rows, b->count, sizeof(*b->rows), compare);
    }
    text_format(&out.text, "{\"signet_baseline\":%d,\n\"findings\":[", VERSION);
    for (size_t i = 0, next; i < b->count; i = next) {
        const struct known *row = &b->rows[i];
        for (next = i + 1; next < b->count && compare(row, &b->rows[next]) == 0; next++) {
        }
        text_format(&out.text, "%s{\"file\":", between);
        text_json(&out.text, signet_str(row->file));
        text_put(&out.text, ",\"code\":");
        text_json(&out.text, signet_str(row->code));
        text_format(&out.text, ",\"fingerprint\":\"%016" PRIx64 "\",\"count\":%zu,\"message\":",
                    row->fingerprint, next - i);
        text_json(&out.text, signet_str(row->message));
        text_put(&out.text, "}");
        between = ",\n";
    }
    text_put(&out.text, b->count > 0 ? "\n]}\n" : "]}\n");
    return out_close(&out);
}

/* Texts that were read belong to the document; those that were added belong to their row. */
static void free_text(const char *text) {
    union {
        const char *shown;
        void *owned;
    } u = {text};
    free(u.owned);
}

void baseline_free(struct baseline *b) {
    for (size_t i = 0; i < b->count && b->document == NULL; i++) {
        free_text(b->rows[i].file);
        free_text(b->rows[i].code);
        free_text(b->rows[i].message);
    }
    free(b->rows);
    yyjson_doc_free(b->document);
    *b = (struct baseline){0};
}
