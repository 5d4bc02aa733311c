/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2_archive.h"

#include "base/endian.h"
#include "base/hash.h"
#include "formats/pt2_write.h"
#include "formats/zip_write.h"

#include <string.h>

/*
 * An archive is written in two steps. The first makes a list of the records that come out different
 * from the base, each with its new content: a program's record is different when the writer would
 * write something else for it than for the base's own program. The second copies the base with
 * these records in their places; when there are none, byte by byte.
 */

/* A record with new content. */
struct changed {
    uint32_t entry;
    struct sg_text text;
    uint32_t crc;
};

struct writing {
    const signet_package *p;
    const signet_writer *out;
    const signet_sink *sink;
    bool rewrite;
    struct sg_pt2_archive base; /* its package is the base's own */
    struct sg_log log;
    SG_VEC(struct changed) changed;
    uint32_t *changed_of; /* by entry: 1 + its number among them, or 0 */
    signet_program only;  /* the base's program, where each side has only one */
};

/* ---- Pieces ---------------------------------------------------------------------------------- */

static bool gather(void *user, const char *text, size_t length) {
    struct sg_text *t = user;
    sg_text_put(t, text, length);
    return !t->failed;
}

/* Compares what is written with a text, and stops at the first difference. */
struct compared {
    signet_string rest;
};

static bool compare(void *user, const char *text, size_t length) {
    struct compared *c = user;
    if (length > c->rest.length || memcmp(text, c->rest.data, length) != 0) {
        return false;
    }
    c->rest.data += length;
    c->rest.length -= length;
    return true;
}

static signet_status written(signet_status status, const struct sg_text *t) {
    return t->failed ? SIGNET_E_NOMEM : status;
}

static signet_status cannot(struct writing *w, signet_program program, const char *what) {
    signet_location location = sg_at_input(w->base.input, 0);
    location.has_byte = false;
    struct sg_diag *d = sg_diag_begin(&w->log, SIGNET_CODE_CARRIER_UNSUPPORTED, location);
    sg_diag_message(d, "program '%s' cannot be written into the archive: %s",
                    sg_log_name(&w->log, signet_program_name(w->p, program)), what);
    sg_diag_end(d);
    return SIGNET_E_UNSUPPORTED;
}

/* ---- Changed records ------------------------------------------------------------------------- */

/* Takes the text over. */
static signet_status add_changed(struct writing *w, uint32_t entry, struct sg_text *text) {
    if (text->failed || !sg_vec_reserve(&w->base.p->allocator, &w->changed, 1)) {
        sg_text_free(text);
        return SIGNET_E_NOMEM;
    }
    struct changed c = {entry, *text, sg_crc32(text->data, text->length)};
    w->changed.data[w->changed.count++] = c;
    w->changed_of[entry] = w->changed.count;
    return SIGNET_OK;
}

static const struct changed *find_changed(const struct writing *w, uint32_t entry) {
    uint32_t number = w->changed_of[entry];
    return number != 0 ? &w->changed.data[number - 1] : NULL;
}

/* sg_pt2_find, where it matters why there is none. */
static signet_status find_record(struct writing *w, const char *first, signet_string middle,
                                 const char *last, uint32_t *entry) {
    *entry = sg_pt2_find(&w->base, first, middle, last);
    return w->base.name.failed ? SIGNET_E_NOMEM : SIGNET_OK;
}

/* The record of a program of the base. */
static signet_status find_program(struct writing *w, signet_program own, uint32_t *entry) {
    if (w->base.layout.carrier == SIGNET_CARRIER_PT2_FLAT) {
        *entry = sg_zip_find(w->base.zip, signet_str(SG_PT2_FLAT_JSON));
        return SIGNET_OK;
    }
    return find_record(w, "models/", signet_program_name(w->base.p, own), ".json", entry);
}

/* The version of a flat zip stands in a record of its own, too. */
static signet_status change_version(struct writing *w, signet_program program, signet_program own) {
    const struct sg_program *r = sg_program(w->p, program.id), *o = sg_program(w->base.p, own.id);
    uint32_t entry = sg_zip_find(w->base.zip, signet_str("version"));
    bool same = r->schema_major == o->schema_major && r->schema_minor == o->schema_minor;
    if (w->base.layout.carrier != SIGNET_CARRIER_PT2_FLAT || same || entry == SG_ZIP_NONE) {
        return SIGNET_OK;
    }
    struct sg_text text;
    sg_text_init(&text, &w->base.p->allocator);
    sg_text_printf(&text, "%u.%u", (unsigned)r->schema_major, (unsigned)r->schema_minor);
    return add_changed(w, entry, &text);
}

static signet_status change_program(struct writing *w, signet_program program, signet_program own) {
    const char *why = "something that model.json has no form for";
    struct sg_text text;
    sg_text_init(&text, &w->base.p->allocator);
    signet_writer to_text = {gather, &text};
    signet_status status = written(sg_pt2_write_program(w->p, program, &to_text, &why), &text);
    if (status == SIGNET_E_UNSUPPORTED) {
        status = cannot(w, program, sg_log_text(&w->log, "it has %s", why));
    }
    if (status == SIGNET_OK && !w->rewrite) {
        struct compared c = {{text.data, text.length}};
        signet_writer to_compare = {compare, &c};
        status = sg_pt2_write_program(w->base.p, own, &to_compare, NULL);
        if (status == SIGNET_OK && c.rest.length == 0) {
            sg_text_free(&text);
            return SIGNET_OK;
        }
    }
    uint32_t entry = SG_ZIP_NONE;
    if (status == SIGNET_OK || status == SIGNET_E_STOPPED) {
        status = find_program(w, own, &entry);
    }
    if (status == SIGNET_OK && entry == SG_ZIP_NONE) {
        status = cannot(w, program, "the base has no record of it");
    }
    if (status != SIGNET_OK) {
        sg_text_free(&text);
        return status;
    }
    status = add_changed(w, entry, &text);
    return status == SIGNET_OK ? change_version(w, program, own) : status;
}

/* ---- Changed tables -------------------------------------------------------------------------- */

static signet_status same_states(struct writing *w, signet_program program, signet_program own,
                                 bool *same) {
    struct sg_text text;
    sg_text_init(&text, &w->base.p->allocator);
    signet_writer to_text = {gather, &text};
    signet_status status = written(sg_pt2_write_states(w->p, program, &to_text), &text);
    struct compared c = {{text.data, text.length}};
    signet_writer to_compare = {compare, &c};
    if (status == SIGNET_OK) {
        status = sg_pt2_write_states(w->base.p, own, &to_compare);
        *same = status == SIGNET_OK && c.rest.length == 0;
    }
    sg_text_free(&text);
    return status == SIGNET_E_STOPPED ? SIGNET_OK : status;
}

/* Every state must have its data in the base. */
static signet_status check_records(struct writing *w, signet_program program) {
    const struct sg_program *r = sg_program(w->p, program.id);
    for (uint32_t i = 0; i < r->states.count; i++) {
        const struct sg_state *s = &r->states.data[i];
        signet_table table = (signet_table)s->table;
        signet_string path = sg_pt2_below(sg_string(w->p, s->record), table);
        uint32_t entry = SG_ZIP_NONE;
        if (path.data != NULL &&
            find_record(w, sg_pt2_table_folder(table), path, "", &entry) != SIGNET_OK) {
            return SIGNET_E_NOMEM;
        }
        if (entry == SG_ZIP_NONE) {
            return cannot(w, program,
                          sg_log_text(&w->log, "the base has no record with the data of state '%s'",
                                      sg_log_name(&w->log, sg_string(w->p, s->name))));
        }
    }
    return SIGNET_OK;
}

static signet_status change_table(struct writing *w, signet_program program, uint32_t entry,
                                  signet_table table) {
    struct sg_text text;
    sg_text_init(&text, &w->base.p->allocator);
    signet_writer to_text = {gather, &text};
    signet_status status = written(sg_pt2_write_config(w->p, program, table, &to_text), &text);
    if (status != SIGNET_OK) {
        sg_text_free(&text);
        return status;
    }
    return add_changed(w, entry, &text);
}

static signet_status change_states(struct writing *w, signet_program program, signet_program own) {
    bool same = false;
    if (!signet_program_has_state_tables(w->p, program) ||
        !signet_program_has_state_tables(w->base.p, own)) {
        return SIGNET_OK;
    }
    signet_status status = same_states(w, program, own, &same);
    if (status != SIGNET_OK || (same && !w->rewrite)) {
        return status;
    }
    signet_string name = signet_program_name(w->base.p, own);
    uint32_t weights = SG_ZIP_NONE, constants = SG_ZIP_NONE;
    status = find_record(w, "data/weights/", name, "_weights_config.json", &weights);
    if (status == SIGNET_OK) {
        status = find_record(w, "data/constants/", name, "_constants_config.json", &constants);
    }
    if (status != SIGNET_OK) {
        return status;
    }
    if (weights == SG_ZIP_NONE || constants == SG_ZIP_NONE) {
        return same ? SIGNET_OK
                    : cannot(w, program,
                             "its state tables were changed, and those of the base are pickles, "
                             "which Signet does not write");
    }
    status = check_records(w, program);
    if (status == SIGNET_OK) {
        status = change_table(w, program, weights, SIGNET_TABLE_STATE_DICT);
    }
    return status == SIGNET_OK ? change_table(w, program, constants, SIGNET_TABLE_CONSTANTS)
                               : status;
}

/* The program of the base in whose place number i goes, or null. Mostly both are in one order. */
static signet_program own_of(const struct writing *w, uint32_t i) {
    signet_string name = signet_program_name(w->p, signet_program_at(w->p, i));
    signet_program own = signet_program_at(w->base.p, i);
    if (w->only.id != 0) {
        return w->only;
    }
    return own.id != 0 && sg_string_equal(signet_program_name(w->base.p, own), name)
               ? own
               : signet_program_find(w->base.p, name);
}

static signet_status find_changes(struct writing *w) {
    signet_status status = SIGNET_OK;
    w->only = sg_only_method(w->base.p);
    w->only.id = sg_only_method(w->p).id != 0 ? w->only.id : 0;
    for (uint32_t i = 0; i < signet_program_count(w->p) && status == SIGNET_OK; i++) {
        signet_program program = signet_program_at(w->p, i);
        if (signet_program_get_role(w->p, program) != SIGNET_ROLE_METHOD) {
            continue; /* a call of it says that it cannot be written */
        }
        signet_program own = own_of(w, i);
        if (own.id == 0) {
            return cannot(w, program, "the base has no program of that name");
        }
        status = change_program(w, program, own);
        status = status == SIGNET_OK ? change_states(w, program, own) : status;
    }
    return status;
}

/* ---- Copying --------------------------------------------------------------------------------- */

enum { PIECE = 1 << 16, CENTRAL_HEADER = 46, ID_DIGITS = 40 };

/* Bytes of an input, piece by piece. */
static signet_status copy_bytes(const struct sg_input *input, const signet_allocator *a,
                                bool (*put)(void *user, const char *data, size_t length),
                                void *user) {
    char *piece = sg_alloc(a, PIECE);
    signet_status status = piece != NULL ? SIGNET_OK : SIGNET_E_NOMEM;
    for (uint64_t at = 0; at < input->size && status == SIGNET_OK;) {
        size_t length = input->size - at < PIECE ? (size_t)(input->size - at) : PIECE;
        if (!sg_input_read(input, at, piece, length)) {
            status = SIGNET_E_IO;
        } else if (!put(user, piece, length)) {
            status = SIGNET_E_STOPPED;
        }
        at += length;
    }
    sg_free(a, piece, PIECE);
    return status;
}

static bool put_piece(void *user, const char *data, size_t length) {
    struct sg_zip_writer *z = user;
    sg_zip_put(z, data, length);
    return z->status == SIGNET_OK;
}

/* What the directory of the base says of a record. */
static signet_status record_of(const struct writing *w, uint32_t entry, struct sg_zip_record *out) {
    const struct sg_zip_entry *e = &w->base.zip->entries.data[entry];
    unsigned char header[CENTRAL_HEADER];
    memset(out, 0, sizeof(*out));
    out->name = e->name;
    out->size = e->size;
    out->crc = e->crc;
    if (!sg_input_read(w->base.input, e->header_at, header, sizeof(header))) {
        return SIGNET_E_IO;
    }
    out->made_by = sg_load_le16(header + 4);
    out->time = sg_load_le16(header + 12);
    out->date = sg_load_le16(header + 14);
    out->attributes = sg_load_le32(header + 38);
    return SIGNET_OK;
}

static signet_status copy_record(struct writing *w, struct sg_zip_writer *z, uint32_t entry,
                                 const struct sg_zip_record *record) {
    const signet_allocator *a = &w->base.p->allocator;
    struct sg_input window;
    if (sg_zip_window(w->base.zip, entry, &window)) {
        sg_zip_begin(z, record);
        signet_status status = copy_bytes(&window, a, put_piece, z);
        sg_zip_end(z, record);
        return z->status != SIGNET_OK ? z->status : status;
    }
    char *data = NULL;
    size_t size = 0;
    signet_status status = sg_zip_read(w->base.zip, entry, 0, &data, &size);
    if (status == SIGNET_OK) {
        sg_zip_begin(z, record);
        sg_zip_put(z, data, size);
        sg_zip_end(z, record);
        sg_free(a, data, size);
    }
    return status == SIGNET_OK ? z->status : status;
}

static bool is_id(const struct writing *w, signet_string name) {
    signet_string root = w->base.layout.root;
    signet_string rest = {name.data + root.length, name.length - root.length};
    return name.length > root.length && sg_string_is(rest, ".data/serialization_id");
}

/* PyTorch's id of an archive is two numbers of 20 digits, made from names and content in an order
 * that is its own; nothing checks them. Ours are made the same way, from the order of the records.
 * It stays when the content did. */
static bool new_id(const struct writing *w, char id[ID_DIGITS + 1]) {
    struct sg_hasher names, content;
    bool changed = false;
    sg_hasher_init(&names);
    sg_hasher_init(&content);
    for (uint32_t i = 0; i < w->base.zip->entries.count; i++) {
        const struct sg_zip_entry *e = &w->base.zip->entries.data[i];
        const struct changed *c = find_changed(w, i);
        if (is_id(w, e->name)) {
            continue;
        }
        changed = changed || (c != NULL && (c->crc != e->crc || c->text.length != e->size));
        sg_hasher_bytes(&names, e->name.data, e->name.length);
        sg_hasher_u64(&content, c != NULL ? c->crc : e->crc);
        sg_hasher_u64(&content, c != NULL ? c->text.length : e->size);
    }
    uint64_t halves[] = {names.lo, content.lo};
    for (int i = 0; i < ID_DIGITS; i++) {
        uint64_t *half = &halves[i < ID_DIGITS / 2 ? 1 : 0];
        id[ID_DIGITS - 1 - i] = (char)('0' + *half % 10);
        *half /= 10;
    }
    id[ID_DIGITS] = '\0';
    return changed;
}

static signet_status write_record(struct writing *w, struct sg_zip_writer *z, uint32_t entry,
                                  const char *id) {
    struct sg_zip_record record;
    signet_status status = record_of(w, entry, &record);
    const struct changed *c = find_changed(w, entry);
    bool is_new_id = id != NULL && is_id(w, record.name);
    if (status != SIGNET_OK || (c == NULL && !is_new_id)) {
        return status == SIGNET_OK ? copy_record(w, z, entry, &record) : status;
    }
    const char *data = is_new_id ? id : c->text.data;
    record.size = is_new_id ? ID_DIGITS : c->text.length;
    record.crc = is_new_id ? sg_crc32(id, ID_DIGITS) : c->crc;
    sg_zip_begin(z, &record);
    sg_zip_put(z, data, (size_t)record.size);
    sg_zip_end(z, &record);
    return z->status;
}

/* Every record that is copied can be read. What is wrong with the others was told with the base. */
static bool is_sound(const struct writing *w) {
    for (uint32_t i = 0; i < w->base.zip->entries.count; i++) {
        if (!w->base.zip->entries.data[i].sound && find_changed(w, i) == NULL) {
            return false;
        }
    }
    return true;
}

/* The framing of the base: only PyTorch's says that no version is needed to read it. */
static signet_status framing_of(const struct writing *w, sg_zip_framing *out) {
    unsigned char version[2] = {0, 0};
    bool good = w->base.zip->entries.count == 0 ||
                sg_input_read(w->base.input, w->base.zip->entries.data[0].header_at + 6, version,
                              sizeof(version));
    *out = sg_load_le16(version) == 0 ? SG_ZIP_TORCH : SG_ZIP_PLAIN;
    return good ? SIGNET_OK : SIGNET_E_IO;
}

static signet_status write_records(struct writing *w) {
    struct sg_zip_writer z;
    sg_zip_framing framing;
    char id[ID_DIGITS + 1];
    bool changed = new_id(w, id);
    signet_status status = framing_of(w, &framing);
    sg_zip_writer_init(&z, &w->base.p->allocator, w->out, framing);
    for (uint32_t i = 0; i < w->base.zip->entries.count && status == SIGNET_OK; i++) {
        status = write_record(w, &z, i, changed ? id : NULL);
    }
    if (status == SIGNET_OK) {
        status = sg_zip_finish(&z);
    }
    sg_zip_writer_free(&z);
    return status;
}

/* ---- Archives -------------------------------------------------------------------------------- */

static bool put_out(void *user, const char *data, size_t length) {
    const signet_writer *out = user;
    return out->write(out->user, data, length);
}

static signet_status write_out(struct writing *w) {
    signet_writer out = *w->out;
    if (w->changed.count == 0 && !w->rewrite) {
        return copy_bytes(w->base.input, &w->base.p->allocator, put_out, &out);
    }
    return is_sound(w) ? write_records(w) : SIGNET_E_SYNTAX;
}

static signet_status write_into(struct writing *w) {
    if (w->base.layout.carrier != SIGNET_CARRIER_PT2_ARCHIVE &&
        w->base.layout.carrier != SIGNET_CARRIER_PT2_FLAT) {
        return SIGNET_E_UNSUPPORTED;
    }
    size_t size = ((size_t)w->base.zip->entries.count + 1) * sizeof(*w->changed_of);
    w->changed_of = sg_alloc(&w->base.p->allocator, size);
    signet_status status = w->changed_of != NULL ? find_changes(w) : SIGNET_E_NOMEM;
    if (status == SIGNET_OK) {
        status = write_out(w);
    }
    sg_free(&w->base.p->allocator, w->changed_of, size);
    return status;
}

/* The base is read twice: as a package, to compare with, and as the records that it is made of. */
static signet_status write_over(void *user, const struct sg_input *input) {
    struct writing *w = user;
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.as = SIGNET_CARRIER_PT2_ARCHIVE;
    signet_status status = sg_read_input(w->base.p, input, &options, w->sink);
    if (status != SIGNET_OK) {
        return status;
    }
    struct sg_log silent;
    sg_log_init(&silent, &w->base.p->allocator, NULL, NULL, w->base.p->limits.findings);
    sg_log_init(&w->log, &w->base.p->allocator, w->sink, NULL, w->base.p->limits.findings);
    w->base.log = &silent;
    w->base.input = input;
    w->base.zip = sg_zip_open(&w->base.p->allocator, &w->base.p->limits, &silent, input, &status);
    if (w->base.zip != NULL) {
        sg_text_init(&w->base.name, &w->base.p->allocator);
        w->base.layout = sg_pt2_layout(w->base.zip);
        status = write_into(w);
        sg_text_free(&w->base.name);
    }
    for (uint32_t i = 0; i < w->changed.count; i++) {
        sg_text_free(&w->changed.data[i].text);
    }
    sg_vec_free(&w->base.p->allocator, &w->changed);
    sg_zip_close(w->base.zip);
    status = status == SIGNET_OK ? w->log.status : status;
    sg_log_free(&w->log);
    sg_log_free(&silent);
    return status;
}

static signet_status begin(struct writing *w, const signet_package *package,
                           const signet_write_options *options, const signet_writer *writer,
                           const signet_sink *sink) {
    size_t whole = offsetof(signet_write_options, rewrite) + sizeof(options->rewrite);
    memset(w, 0, sizeof(*w));
    w->p = package;
    w->out = writer;
    w->sink = sink;
    w->rewrite = options != NULL && options->size >= whole && options->rewrite;
    return signet_package_create(&w->base.p, &package->allocator, &package->limits);
}

signet_status signet_write_pt2(const signet_package *package, const char *base,
                               const signet_write_options *options, const signet_writer *writer,
                               const signet_sink *sink) {
    struct writing w;
    if (package == NULL || base == NULL || writer == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    signet_status status = begin(&w, package, options, writer, sink);
    if (status == SIGNET_OK) {
        status =
            sg_input_open(base, &package->allocator, package->limits.file_bytes, write_over, &w);
    }
    signet_package_destroy(w.base.p);
    return status;
}

signet_status signet_write_pt2_memory(const signet_package *package, const void *base,
                                      size_t base_size, const char *name,
                                      const signet_write_options *options,
                                      const signet_writer *writer, const signet_sink *sink) {
    struct writing w;
    struct sg_input input = {.name = name != NULL ? name : "", .data = base, .size = base_size};
    if (package == NULL || base == NULL || writer == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    signet_status status = begin(&w, package, options, writer, sink);
    if (status == SIGNET_OK) {
        status = write_over(&w, &input);
    }
    signet_package_destroy(w.base.p);
    return status;
}
