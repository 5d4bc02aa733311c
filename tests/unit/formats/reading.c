/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy(char *out, size_t size, const char *text) {
    size_t length = text != NULL ? strlen(text) : 0;
    length = length < size ? length : size - 1;
    memcpy(out, text != NULL ? text : "", length);
    out[length] = '\0';
}

static void keep(void *user, const signet_diag *d) {
    struct reading *r = user;
    r->errors += d->severity == SIGNET_SEVERITY_ERROR;
    r->warnings += d->severity == SIGNET_SEVERITY_WARNING;
    r->notes += d->severity == SIGNET_SEVERITY_NOTE;
    cr_expect(d->message[0] != '\0' && strchr(d->message, '\n') == NULL, "message '%s'",
              d->message);
    if (r->count < READING_MOST) {
        struct seen *s = &r->seen[r->count];
        s->code = d->code;
        s->severity = d->severity;
        copy(s->message, sizeof(s->message), d->message);
        copy(s->path, sizeof(s->path), d->location.json_path);
        copy(s->entry, sizeof(s->entry), d->location.entry);
        copy(s->item, sizeof(s->item), d->location.item);
        copy(s->help, sizeof(s->help), d->help);
        copy(s->fact, sizeof(s->fact), d->fact_count > 0 ? d->facts[0] : NULL);
        s->has_byte = d->location.has_byte;
        s->byte = d->location.byte;
    }
    r->count++;
}

static void done(struct reading *r) {
    cr_assert_eq(r->p != NULL, r->status == SIGNET_OK);
    bool told = r->errors > 0;
    cr_assert(r->status == SIGNET_OK || r->status == SIGNET_E_IO || r->status == SIGNET_E_NOMEM ||
                  told,
              "status %d without a finding", (int)r->status);
}

void read_bytes(struct reading *r, const void *data, size_t size,
                const signet_read_options *options) {
    memset(r, 0, sizeof(*r));
    signet_sink sink = {keep, r};
    r->status = signet_read_memory(&r->p, data, size, "in memory", options, &sink);
    done(r);
}

void read_path(struct reading *r, const char *path, const signet_read_options *options) {
    memset(r, 0, sizeof(*r));
    signet_sink sink = {keep, r};
    r->status = signet_read_file(&r->p, path, options, &sink);
    done(r);
}

void data_path(char *out, size_t size, const char *name) {
    const char *root = getenv("SIGNET_SOURCE_ROOT");
    snprintf(out, size, "%s/tests/data/pt2/%s", root != NULL ? root : ".", name);
}

void read_data(struct reading *r, const char *name) {
    char path[1024];
    data_path(path, sizeof(path), name);
    read_path(r, path, NULL);
}

void reading_end(struct reading *r) {
    signet_package_destroy(r->p);
    r->p = NULL;
}

const struct seen *reading_find(const struct reading *r, signet_code code) {
    for (uint32_t i = 0; i < r->count && i < READING_MOST; i++) {
        if (r->seen[i].code == code) {
            return &r->seen[i];
        }
    }
    return NULL;
}

uint32_t reading_count(const struct reading *r, signet_code code) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->count && i < READING_MOST; i++) {
        count += r->seen[i].code == code;
    }
    return count;
}

const char *reading_text(const struct reading *r) {
    static char text[8192];
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < r->count && i < READING_MOST && at < sizeof(text) - 600; i++) {
        const struct seen *s = &r->seen[i];
        if (s->severity > SIGNET_SEVERITY_NOTE) {
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s: %s (%s%s%s)\n",
                                   signet_code_get(s->code)->name, s->message, s->entry,
                                   s->entry[0] != '\0' ? ", " : "", s->path);
        }
    }
    return text;
}

char *data_bytes(const char *name, size_t *size) {
    char path[1024];
    data_path(path, sizeof(path), name);
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "no file %s", path);
    fseek(f, 0, SEEK_END);
    long length = ftell(f);
    rewind(f);
    char *bytes = malloc((size_t)length + 1);
    cr_assert(length >= 0 && bytes != NULL);
    cr_assert_eq(fread(bytes, 1, (size_t)length, f), (size_t)length);
    fclose(f);
    bytes[length] = '\0';
    *size = (size_t)length;
    return bytes;
}

char *replaced(const char *text, const char *from, uint32_t n, const char *to) {
    const char *at = strstr(text, from);
    for (; n > 1 && at != NULL; n--) {
        at = strstr(at + 1, from);
    }
    cr_assert_not_null(at, "the text has no '%s'", from);
    size_t before = (size_t)(at - text), length = strlen(text) - strlen(from) + strlen(to);
    char *copy = malloc(length + 1);
    cr_assert_not_null(copy);
    memcpy(copy, text, before);
    memcpy(copy + before, to, strlen(to));
    memcpy(copy + before + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    return copy;
}
