/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2_archive.h"

#include <string.h>

struct config {
    struct sg_pt2_archive *a;
    struct sg_pt2 *r;
    signet_table table;
    const char *folder; /* of the records, below the root */
    sg_json config;
    uint32_t dictionary;
};

/* ---- Does a record hold what its tensor needs ------------------------------------------------ */

static void out_of_range(struct config *c, sg_json at, signet_string name, const char *what) {
    struct sg_diag *d = sg_pt2_finding(c->r, SIGNET_CODE_CARRIER_DATA_OUT_OF_RANGE, at);
    sg_diag_message(d, "'%s': %s", sg_log_name(c->r->log, name), what);
    sg_diag_help(d, "save the program again, or correct the description");
    sg_diag_torch(d, "Z-CFG");
    sg_diag_end(d);
}

static void overflow(struct config *c, sg_json at, signet_string name) {
    struct sg_diag *d = sg_pt2_finding(c->r, SIGNET_CODE_CARRIER_SIZE_OVERFLOW, at);
    sg_diag_message(d,
                    "'%s': the bytes that its offset, sizes and strides reach do not fit 64 bits",
                    sg_log_name(c->r->log, name));
    sg_diag_torch(d, "Z-CFG");
    sg_diag_end(d);
}

/* The number of a stored size; symbols have no place in a config. */
static bool plain(struct config *c, sg_json at, signet_string name, signet_sym sym, int64_t *out) {
    signet_sym_info info = signet_sym_get(c->r->p, sym);
    *out = info.number;
    if (info.kind == SIGNET_SYM_INT) {
        return true;
    }
    struct sg_diag *d = sg_pt2_finding(c->r, SIGNET_CODE_CARRIER_FIELD_TYPE, at);
    sg_diag_message(d, "'%s': a stored tensor has a symbolic size, expected integers",
                    sg_log_name(c->r->log, name));
    sg_diag_torch(d, "Z-CFG");
    sg_diag_end(d);
    return false;
}

/* Bytes from the start of the storage to the end of the last element. False: told, or nothing to
 * check. */
static bool bytes_needed(struct config *c, sg_json at, signet_string name,
                         const signet_type_info *info, uint64_t *need) {
    int64_t reach = 0;
    uint32_t element = signet_dtype_bytes(info->dtype);
    if (!plain(c, at, name, info->storage_offset, &reach) || info->rank != info->stride_count) {
        return false; /* another number of strides is for the rules to tell */
    }
    bool negative = reach < 0;
    for (uint32_t i = 0; i < info->rank; i++) {
        int64_t size, stride, step;
        if (!plain(c, at, name, info->sizes[i], &size) ||
            !plain(c, at, name, info->strides[i], &stride)) {
            return false;
        }
        if (size <= 0) {
            return false; /* empty; a negative size is for the rules */
        }
        negative = negative || stride < 0;
        if (negative) {
            continue;
        }
        if (stride != 0 && size - 1 > INT64_MAX / stride) {
            overflow(c, at, name);
            return false;
        }
        step = (size - 1) * stride;
        if (reach > INT64_MAX - step) {
            overflow(c, at, name);
            return false;
        }
        reach += step;
    }
    if (negative) {
        out_of_range(c, at, name, "its offset or a stride is negative");
        return false;
    }
    if (element == 0 || (uint64_t)reach > (uint64_t)INT64_MAX / element - 1) {
        if (element != 0) {
            overflow(c, at, name);
        }
        return false;
    }
    *need = ((uint64_t)reach + 1) * element;
    return true;
}

static void check_range(struct config *c, sg_json at, signet_string name, signet_type type,
                        const struct sg_zip_entry *e) {
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    uint64_t need = 0;
    signet_type_get(c->r->p, type, &info);
    if (!info.has_strides || info.storage_offset.id == 0 ||
        !bytes_needed(c, at, name, &info, &need)) {
        return;
    }
    uint32_t element = signet_dtype_bytes(info.dtype);
    if (e->size == 0) {
        return; /* PyTorch fills it with zeros: the data of a fake tensor */
    }
    if (e->size < need) {
        out_of_range(c, at, name,
                     sg_log_text(c->r->log, "it needs %llu bytes, record '%s' has %llu",
                                 (unsigned long long)need, sg_log_name(c->r->log, e->name),
                                 (unsigned long long)e->size));
    } else if (e->size % element != 0) {
        out_of_range(c, at, name,
                     sg_log_text(c->r->log,
                                 "record '%s' has %llu bytes, no multiple of the %u of an "
                                 "element",
                                 sg_log_name(c->r->log, e->name), (unsigned long long)e->size,
                                 (unsigned)element));
    }
}

/* ---- Records --------------------------------------------------------------------------------- */

/* The record that a config names; SG_ZIP_NONE, after a finding, when there is none. */
static uint32_t find_record(struct config *c, sg_json path, signet_string name) {
    signet_string s = sg_json_string(path);
    const char *problem = sg_zip_name_problem(s);
    if (problem != NULL) {
        struct sg_diag *d = sg_pt2_finding(c->r, SIGNET_CODE_CARRIER_PATH_ESCAPE, path);
        sg_diag_message(d, "the data of '%s' should lie in '%s', a path that %s",
                        sg_log_name(c->r->log, name), sg_log_name(c->r->log, s), problem);
        sg_diag_note(d, "Signet looks for records in the archive alone and opens no file that a "
                        "program names");
        sg_diag_end(d);
        return SG_ZIP_NONE;
    }
    uint32_t entry = sg_pt2_find(c->a, c->folder, s, "");
    if (entry == SG_ZIP_NONE) {
        struct sg_diag *d = sg_pt2_finding(c->r, SIGNET_CODE_CARRIER_RECORD_MISSING, path);
        signet_string record = {c->a->name.data, c->a->name.length};
        sg_diag_message(d,
                        "the data of '%s' should lie in record '%s', which the archive does not "
                        "have",
                        sg_log_name(c->r->log, name), sg_log_name(c->r->log, record));
        sg_diag_torch(d, "Z-CFG");
        sg_diag_end(d);
    }
    return entry;
}

static signet_status read_payload(struct config *c, sg_json name_value, sg_json v) {
    sg_json f[SG_PT2_PAYLOAD_COUNT];
    signet_state state = SIGNET_STATE_INIT;
    struct sg_pt2 *r = c->r;
    state.table = c->table;
    state.name = sg_json_string(name_value);
    (void)sg_pt2_key(r, c->config, name_value, c->dictionary);
    uint32_t entry = SG_ZIP_NONE;
    if (sg_pt2_record(r, v, &sg_pt2_PAYLOAD, f)) {
        sg_json meta = f[SG_PT2_PAYLOAD_META];
        uint64_t faults = r->faults;
        bool described = false;
        state.is_parameter = sg_json_bool(f[SG_PT2_PAYLOAD_IS_PARAM]);
        state.is_pickled = sg_json_bool(f[SG_PT2_PAYLOAD_USE_PICKLE]);
        if (sg_json_get_kind(meta) == SG_JSON_OBJECT) {
            state.type = sg_pt2_type(r, meta);
            described = state.type.id != 0 && r->faults == faults;
        }
        if (f[SG_PT2_PAYLOAD_PATH].value != NULL) {
            entry = find_record(c, f[SG_PT2_PAYLOAD_PATH], state.name);
        }
        if (entry != SG_ZIP_NONE) {
            const struct sg_zip_entry *e = &c->a->zip->entries.data[entry];
            state.record = e->name;
            state.has_bytes = true;
            state.record_bytes = e->size;
            if (described && !state.is_pickled) {
                check_range(c, meta, state.name, state.type, e);
            }
        }
    }
    signet_state_add(r->p, r->program, &state);
    uint32_t i = signet_state_count(r->p, r->program);
    if (r->p->status != SIGNET_OK) {
        return r->p->status;
    }
    sg_state_set_span(r->p, r->program, i - 1, r->source, sg_pt2_span(r, name_value));
    return entry != SG_ZIP_NONE && state.is_pickled ? sg_pt2_pickle(c->a, entry) : SIGNET_OK;
}

/* ---- Configs --------------------------------------------------------------------------------- */

static signet_status read_config(struct config *c, uint32_t entry, signet_program program) {
    struct sg_pt2_archive *a = c->a;
    char *text = NULL;
    size_t size = 0;
    signet_status status = sg_zip_read(a->zip, entry, SG_JSON_PADDING, &text, &size);
    if (status != SIGNET_OK) {
        return status;
    }
    if (!sg_package_adopt(a->p, text, size + SG_JSON_PADDING)) {
        sg_free(&a->p->allocator, text, size + SG_JSON_PADDING);
        return SIGNET_E_NOMEM;
    }
    uint32_t source = sg_source_add(a->p, SIGNET_CARRIER_PT2_ARCHIVE, signet_str(a->input->name),
                                    a->zip->entries.data[entry].name, NULL, size);
    struct sg_pt2 r;
    if (source == 0 || !sg_pt2_open(&r, a->p, a->log, source, text, size, &status)) {
        return source == 0 ? signet_package_status(a->p) : status;
    }
    sg_json f[SG_PT2_PAYLOAD_CONFIG_COUNT] = {{NULL}};
    r.program = program;
    c->r = &r;
    if (!sg_pt2_record(&r, sg_json_root(r.doc), &sg_pt2_PAYLOAD_CONFIG, f) ||
        f[SG_PT2_PAYLOAD_CONFIG_CONFIG].value == NULL) {
        status = SIGNET_E_SYNTAX;
    }
    c->config = f[SG_PT2_PAYLOAD_CONFIG_CONFIG];
    c->dictionary = sg_pt2_dictionary(&r);
    struct sg_json_iter it = sg_json_iter(c->config);
    while (sg_json_next(&it) && status == SIGNET_OK) {
        status = read_payload(c, it.name_value, it.value);
        status = r.status != SIGNET_OK ? r.status : status;
    }
    sg_pt2_close(&r);
    c->r = NULL;
    return status;
}

/* One table: as PyTorch 2.8 wrote it, a torch.save file, or as a config and raw records. */
static signet_status read_table(struct sg_pt2_archive *a, signet_program program,
                                signet_string model, signet_table table, bool *known) {
    bool weights = table == SIGNET_TABLE_STATE_DICT;
    struct config c = {
        .a = a, .table = table, .folder = weights ? "data/weights/" : "data/constants/"};
    uint32_t entry = sg_pt2_find(a, c.folder, model, ".pt");
    if (entry != SG_ZIP_NONE) {
        return sg_pt2_pickled_state(a, entry, program, table, known);
    }
    entry = sg_pt2_find(a, c.folder, model,
                        weights ? "_weights_config.json" : "_constants_config.json");
    if (entry == SG_ZIP_NONE) {
        sg_pt2_record_missing(a, program, weights ? "the weights" : "the constants");
        return SIGNET_OK;
    }
    signet_status status = read_config(&c, entry, program);
    *known = status == SIGNET_OK;
    return status;
}

signet_status sg_pt2_state(struct sg_pt2_archive *a, signet_program program, signet_string model) {
    bool weights = false, constants = false;
    signet_status status = read_table(a, program, model, SIGNET_TABLE_STATE_DICT, &weights);
    if (status != SIGNET_E_NOMEM && status != SIGNET_E_LIMIT) {
        status = read_table(a, program, model, SIGNET_TABLE_CONSTANTS, &constants);
    }
    signet_program_set_state_tables(a->p, program, weights && constants);
    return status == SIGNET_E_SYNTAX ? SIGNET_OK : status; /* told; the program can be read */
}
