/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2_archive.h"

#include <string.h>

/* ---- Layouts --------------------------------------------------------------------------------- */

static bool has_entry(const struct sg_zip *z, const char *name) {
    return sg_zip_find(z, signet_str(name)) != SG_ZIP_NONE;
}

/* Content of a small record; *length is 0 when it cannot be read. False: no memory. */
static bool read_small(struct sg_zip *z, uint32_t entry, char *out, size_t most, size_t *length) {
    char *text = NULL;
    size_t size = 0;
    *length = 0;
    if (entry == SG_ZIP_NONE || z->entries.data[entry].size > most) {
        return true;
    }
    signet_status status = sg_zip_read(z, entry, 1, &text, &size);
    if (status == SIGNET_OK) {
        memcpy(out, text, size);
        *length = size;
        sg_free(z->allocator, text, size + 1);
    }
    return status != SIGNET_E_NOMEM;
}

/* exir.save writes the flat layout too, with a version that torch.export never had. */
static bool flat_carrier(struct sg_zip *z, signet_carrier *carrier) {
    char version[16];
    size_t length;
    if (!read_small(z, sg_zip_find(z, signet_str("version")), version, sizeof(version), &length)) {
        return false;
    }
    bool exir = length >= 3 && memcmp(version, "5.", 2) == 0 && version[2] >= '4';
    *carrier = exir ? SIGNET_CARRIER_EXIR_ARCHIVE : SIGNET_CARRIER_PT2_FLAT;
    return true;
}

static const char *other_zip(const struct sg_zip *z, signet_string root) {
    bool pickle = false, code = false;
    for (uint32_t i = 0; i < z->entries.count; i++) {
        signet_string name = z->entries.data[i].name;
        if (name.length <= root.length || memcmp(name.data, root.data, root.length) != 0) {
            continue;
        }
        signet_string rest = {name.data + root.length, name.length - root.length};
        pickle = pickle || sg_string_is(rest, "data.pkl");
        code = code || sg_string_starts(rest, "code/");
    }
    return code     ? "it is a TorchScript archive (torch.jit.save), not an exported program"
           : pickle ? "it is a file of torch.save, which holds tensors and no program"
                    : "it is a zip archive without a record 'archive_format' or '" SG_PT2_FLAT_JSON
                      "'";
}

struct sg_pt2_layout sg_pt2_layout(struct sg_zip *z) {
    struct sg_pt2_layout layout = {
        SIGNET_CARRIER_UNKNOWN, {"", 0}, "it is an empty zip archive", false};
    if (z->entries.count == 0) {
        return layout;
    }
    if (has_entry(z, SG_PT2_FLAT_JSON)) {
        layout.no_memory = !flat_carrier(z, &layout.carrier);
        return layout;
    }
    signet_string first = z->entries.data[0].name;
    const char *slash = memchr(first.data, '/', first.length);
    if (slash != NULL) {
        layout.root = (signet_string){first.data, (size_t)(slash - first.data) + 1};
    }
    for (uint32_t i = 0; i < z->entries.count; i++) {
        signet_string name = z->entries.data[i].name;
        if (name.length <= layout.root.length ||
            memcmp(name.data, first.data, layout.root.length) != 0) {
            continue;
        }
        signet_string rest = {name.data + layout.root.length, name.length - layout.root.length};
        if (sg_string_is(rest, "archive_format") ||
            (sg_string_starts(rest, "models/") && sg_string_ends(rest, ".json"))) {
            layout.carrier = SIGNET_CARRIER_PT2_ARCHIVE;
            return layout;
        }
    }
    layout.why = other_zip(z, layout.root);
    return layout;
}

/* ---- Records --------------------------------------------------------------------------------- */

uint32_t sg_pt2_find(struct sg_pt2_archive *a, const char *first, signet_string middle,
                     const char *last) {
    sg_text_clear(&a->name);
    sg_text_string(&a->name, a->layout.root);
    sg_text_puts(&a->name, first);
    sg_text_string(&a->name, middle);
    sg_text_puts(&a->name, last);
    if (a->name.failed) {
        sg_package_fail(a->p, SIGNET_E_NOMEM);
        return SG_ZIP_NONE;
    }
    return sg_zip_find(a->zip, (signet_string){a->name.data, a->name.length});
}

static void archive_finding(struct sg_pt2_archive *a, signet_code code, signet_program program,
                            const char *message) {
    signet_location location = sg_at_input(a->input, a->zip->directory_at);
    if (program.id != 0) {
        location.program = sg_log_name(a->log, signet_program_name(a->p, program));
    }
    struct sg_diag *d = sg_diag_begin(a->log, code, location);
    sg_diag_message(d, "%s", message);
    sg_diag_help(d, "save the program again, or put the record back");
    sg_diag_torch(d, "Z-CFG");
    sg_diag_end(d);
}

void sg_pt2_record_missing(struct sg_pt2_archive *a, signet_program program, const char *what) {
    signet_string name = {a->name.data, a->name.length};
    if (a->name.failed) {
        return; /* without memory for its name the record was not looked for */
    }
    archive_finding(a, SIGNET_CODE_CARRIER_RECORD_MISSING, program,
                    sg_log_text(a->log,
                                "the archive has no record '%s' (%s), which PyTorch requires",
                                sg_log_name(a->log, name), what));
}

/* Reads a program from a record, and names it. */
static signet_status read_program(struct sg_pt2_archive *a, uint32_t entry, signet_string name,
                                  signet_program *out) {
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
    uint32_t source = sg_source_add(a->p, a->layout.carrier, signet_str(a->input->name),
                                    a->zip->entries.data[entry].name, NULL, size);
    struct sg_pt2 r;
    if (source == 0) {
        return signet_package_status(a->p);
    }
    if (!sg_pt2_open(&r, a->p, a->log, source, text, size, &status)) {
        return status;
    }
    status = sg_pt2_program(&r, name, out);
    sg_pt2_close(&r);
    return status;
}

/* ---- Archives of PyTorch 2.8 and newer ------------------------------------------------------- */

static void read_record(struct sg_pt2_archive *a, uint32_t entry, char *out, size_t most,
                        size_t *length) {
    if (!read_small(a->zip, entry, out, most, length)) {
        sg_package_fail(a->p, SIGNET_E_NOMEM);
    }
}

static void check_content(struct sg_pt2_archive *a, const char *record, const char *content,
                          signet_code code) {
    char text[16];
    size_t length;
    signet_string none = {"", 0};
    uint32_t entry = sg_pt2_find(a, record, none, "");
    if (entry == SG_ZIP_NONE) {
        sg_pt2_record_missing(a, (signet_program){0}, content);
        return;
    }
    read_record(a, entry, text, sizeof(text), &length);
    if (length == strlen(content) && memcmp(text, content, length) == 0) {
        return;
    }
    const struct sg_zip_entry *e = &a->zip->entries.data[entry];
    signet_string found = {text, length};
    struct sg_diag *d = sg_diag_begin(a->log, code, sg_at_entry(a->zip, entry, e->data_at));
    sg_diag_message(d, "record '%s' holds '%s', expected '%s'", record, sg_log_name(a->log, found),
                    content);
    sg_diag_torch(d, "Z-VER");
    sg_diag_end(d);
}

/* The name of the program in a record below models/; false when it is none. */
static bool model_name(const struct sg_pt2_archive *a, signet_string record, signet_string *out) {
    static const char folder[] = "models/", suffix[] = ".json";
    size_t skip = a->layout.root.length + sizeof(folder) - 1;
    if (record.length < skip ||
        memcmp(record.data + a->layout.root.length, folder, sizeof(folder) - 1) != 0 ||
        memcmp(record.data, a->layout.root.data, a->layout.root.length) != 0) {
        out->data = NULL;
        return false;
    }
    *out = (signet_string){record.data + skip, record.length - skip};
    if (!sg_string_ends(*out, suffix) || out->length < sizeof(suffix)) {
        return false;
    }
    out->length -= sizeof(suffix) - 1;
    return true;
}

static void unexpected_record(struct sg_pt2_archive *a, uint32_t entry, const char *where,
                              const char *why) {
    const struct sg_zip_entry *e = &a->zip->entries.data[entry];
    struct sg_diag *d = sg_diag_begin(a->log, SIGNET_CODE_CARRIER_RECORD_UNEXPECTED,
                                      sg_at_entry(a->zip, entry, e->header_at));
    sg_diag_message(d, "record '%s' lies %s", sg_log_name(a->log, e->name), where);
    sg_diag_note(d, "%s", why);
    sg_diag_help(d, "move it below '%sextra/'", sg_log_name(a->log, a->layout.root));
    sg_diag_end(d);
}

/* PyTorch's archive reader wants every record below one folder. */
static void check_folder(struct sg_pt2_archive *a, uint32_t entry) {
    signet_string name = a->zip->entries.data[entry].name;
    signet_string root = a->layout.root;
    if (sg_zip_name_problem(name) == NULL &&
        (name.length < root.length || memcmp(name.data, root.data, root.length) != 0)) {
        unexpected_record(
            a, entry,
            sg_log_text(a->log, "outside of the archive's folder '%s'", sg_log_name(a->log, root)),
            "PyTorch refuses an archive whose records have not one folder");
    }
}

/* The version of the zip's framing, in one of two places. */
static void check_framing(struct sg_pt2_archive *a) {
    char text[16];
    size_t length;
    int64_t version = 0;
    signet_string none = {"", 0};
    uint32_t entry = sg_pt2_find(a, "version", none, "");
    entry = entry == SG_ZIP_NONE ? sg_pt2_find(a, ".data/version", none, "") : entry;
    if (entry == SG_ZIP_NONE) {
        sg_pt2_record_missing(a, (signet_program){0}, "6, the version of the framing");
        return;
    }
    read_record(a, entry, text, sizeof(text), &length);
    while (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    signet_string found = {text, length};
    if (sg_parse_int(found, &version) && version >= 1 && version <= 10) {
        return;
    }
    const struct sg_zip_entry *e = &a->zip->entries.data[entry];
    struct sg_diag *d = sg_diag_begin(a->log, SIGNET_CODE_CARRIER_SCHEMA_VERSION,
                                      sg_at_entry(a->zip, entry, e->data_at));
    sg_diag_message(d, "record '%s' holds '%s', expected a number from 1 to 10",
                    sg_log_name(a->log, e->name), sg_log_name(a->log, found));
    sg_diag_help(d, "save the program again");
    sg_diag_torch(d, "Z-VER");
    sg_diag_end(d);
}

static signet_status read_sample_inputs(struct sg_pt2_archive *a, signet_program program,
                                        signet_string model) {
    uint32_t entry = sg_pt2_find(a, "data/sample_inputs/", model, ".pt");
    if (entry == SG_ZIP_NONE) {
        sg_pt2_record_missing(a, program, "the example inputs");
        return SIGNET_OK;
    }
    return sg_pt2_pickle(a, entry);
}

/* Every program of the archive; one that cannot be read does not keep the others from it. */
static signet_status read_models(struct sg_pt2_archive *a, uint32_t *read) {
    signet_status first = SIGNET_OK;
    for (uint32_t i = 0; i < a->zip->entries.count; i++) {
        signet_string record = a->zip->entries.data[i].name, model;
        if (sg_zip_find(a->zip, record) != i) {
            continue; /* a later entry of the same name */
        }
        check_folder(a, i);
        if (!model_name(a, record, &model)) {
            if (model.data != NULL) {
                unexpected_record(a, i, "among the programs and is none",
                                  "PyTorch reads every record below models/ as a program");
            }
            continue;
        }
        signet_program program = {0};
        signet_status status = read_program(a, i, model, &program);
        if (program.id != 0 && status == SIGNET_OK) {
            (*read)++;
            status = sg_pt2_state(a, program, model);
            status = status == SIGNET_OK ? read_sample_inputs(a, program, model) : status;
        }
        if (status == SIGNET_E_NOMEM || signet_package_status(a->p) != SIGNET_OK) {
            return status;
        }
        first = first == SIGNET_OK ? status : first;
    }
    return first;
}

static signet_status read_archive(struct sg_pt2_archive *a) {
    uint32_t read = 0;
    check_content(a, "archive_format", "pt2", SIGNET_CODE_CARRIER_UNKNOWN_FORMAT);
    check_content(a, "archive_version", "0", SIGNET_CODE_CARRIER_SCHEMA_VERSION);
    check_framing(a);
    signet_status status = read_models(a, &read);
    if (read == 0 && status == SIGNET_OK) {
        archive_finding(a, SIGNET_CODE_CARRIER_RECORD_MISSING, (signet_program){0},
                        "the archive has no program: no record 'models/NAME.json'");
        return SIGNET_E_SYNTAX;
    }
    /* Findings say what is wrong with the programs that could not be read. */
    return read > 0 && status != SIGNET_E_NOMEM && status != SIGNET_E_LIMIT ? SIGNET_OK : status;
}

/* ---- Flat zips of PyTorch 2.3 to 2.7 --------------------------------------------------------- */

/* The record says the version of the program once more. */
static void check_flat_version(struct sg_pt2_archive *a, signet_program program) {
    char text[16];
    size_t length;
    uint32_t entry = sg_pt2_find(a, "version", (signet_string){"", 0}, "");
    if (entry == SG_ZIP_NONE) {
        sg_pt2_record_missing(a, program, "the schema version");
        return;
    }
    signet_program_info info = SIGNET_PROGRAM_INFO_INIT;
    signet_program_get_info(a->p, program, &info);
    read_record(a, entry, text, sizeof(text), &length);
    const char *expected =
        sg_log_text(a->log, "%u.%u", (unsigned)info.schema_major, (unsigned)info.schema_minor);
    if (length == strlen(expected) && memcmp(text, expected, length) == 0) {
        return;
    }
    signet_string found = {text, length};
    struct sg_diag *d =
        sg_diag_begin(a->log, SIGNET_CODE_CARRIER_SCHEMA_VERSION,
                      sg_at_entry(a->zip, entry, a->zip->entries.data[entry].data_at));
    sg_diag_message(d, "record 'version' says '%s', the program says schema %s",
                    sg_log_name(a->log, found), expected);
    sg_diag_end(d);
}

/* A table in one of its two spellings. */
static signet_status read_flat_table(struct sg_pt2_archive *a, signet_program program,
                                     const char *name, signet_table table, bool *known) {
    signet_string none = {"", 0};
    uint32_t entry = sg_pt2_find(a, name, none, ".json");
    entry = entry == SG_ZIP_NONE ? sg_pt2_find(a, name, none, ".pt") : entry;
    if (entry == SG_ZIP_NONE) {
        sg_pt2_record_missing(a, program,
                              table == SIGNET_TABLE_STATE_DICT ? "the weights" : "the constants");
        return SIGNET_OK;
    }
    return sg_pt2_pickled_state(a, entry, program, table, known);
}

static signet_status read_flat(struct sg_pt2_archive *a) {
    signet_string none = {"", 0};
    signet_program program = {0};
    signet_status status = read_program(a, sg_zip_find(a->zip, signet_str(SG_PT2_FLAT_JSON)),
                                        signet_str("model"), &program);
    if (status != SIGNET_OK) {
        return status;
    }
    check_flat_version(a, program);
    bool weights = false, constants = false;
    status =
        read_flat_table(a, program, "serialized_state_dict", SIGNET_TABLE_STATE_DICT, &weights);
    if (status != SIGNET_E_NOMEM) {
        status =
            read_flat_table(a, program, "serialized_constants", SIGNET_TABLE_CONSTANTS, &constants);
    }
    signet_program_set_state_tables(a->p, program, weights && constants);
    uint32_t entry = sg_pt2_find(a, "serialized_example_inputs", none, ".pt");
    signet_program_info info = SIGNET_PROGRAM_INFO_INIT;
    signet_program_get_info(a->p, program, &info);
    if (entry != SG_ZIP_NONE && status != SIGNET_E_NOMEM) {
        status = sg_pt2_pickle(a, entry);
    } else if (entry == SG_ZIP_NONE && info.schema_major == SG_SCHEMA_MAJOR) {
        sg_pt2_record_missing(a, program, "the example inputs");
    }
    return status == SIGNET_E_NOMEM ? status : SIGNET_OK;
}

/* ---- Any archive ----------------------------------------------------------------------------- */

static signet_status refuse(struct sg_pt2_archive *a) {
    bool known = a->layout.carrier == SIGNET_CARRIER_EXIR_ARCHIVE;
    struct sg_diag *d = sg_diag_begin(
        a->log, known ? SIGNET_CODE_CARRIER_UNSUPPORTED : SIGNET_CODE_CARRIER_UNKNOWN_FORMAT,
        sg_at_input(a->input, a->zip->directory_at));
    if (known) {
        sg_diag_message(d,
                        "the archive was written by ExecuTorch's exir.save, which this version of "
                        "Signet does not read");
        sg_diag_help(d, "print the program to a text file, str(exported_program), and lint that");
    } else {
        sg_diag_message(d, "the archive holds no exported program: %s", a->layout.why);
    }
    sg_diag_end(d);
    return known ? SIGNET_E_UNSUPPORTED : SIGNET_E_SYNTAX;
}

static signet_status check_all(struct sg_pt2_archive *a) {
    for (uint32_t i = 0; i < a->zip->entries.count; i++) {
        const struct sg_zip_entry *e = &a->zip->entries.data[i];
        if (e->sound && !e->checked && sg_zip_check(a->zip, i) == SIGNET_E_NOMEM) {
            return SIGNET_E_NOMEM;
        }
    }
    return SIGNET_OK;
}

signet_status sg_pt2_read(signet_package *p, struct sg_log *log, const struct sg_input *input,
                          bool deep) {
    signet_status status;
    struct sg_pt2_archive a = {.p = p, .log = log, .input = input};
    a.zip = sg_zip_open(&p->allocator, &p->limits, log, input, &status);
    if (a.zip == NULL) {
        return status;
    }
    sg_text_init(&a.name, &p->allocator);
    a.layout = sg_pt2_layout(a.zip);
    p->carrier = a.layout.carrier;
    status = a.layout.no_memory                               ? SIGNET_E_NOMEM
             : a.layout.carrier == SIGNET_CARRIER_PT2_ARCHIVE ? read_archive(&a)
             : a.layout.carrier == SIGNET_CARRIER_PT2_FLAT    ? read_flat(&a)
                                                              : refuse(&a);
    if (deep && status == SIGNET_OK) {
        status = check_all(&a);
    }
    sg_text_free(&a.name);
    sg_zip_close(a.zip);
    return status;
}

signet_status sg_model_json_read(signet_package *p, struct sg_log *log,
                                 const struct sg_input *input) {
    signet_status status;
    char *text = sg_input_take(input, p, SG_JSON_PADDING, &status);
    if (text == NULL) {
        return status;
    }
    p->carrier = SIGNET_CARRIER_JSON;
    uint32_t source = sg_source_add(p, SIGNET_CARRIER_JSON, signet_str(input->name),
                                    (signet_string){NULL, 0}, NULL, (size_t)input->size);
    struct sg_pt2 r;
    signet_program program = {0};
    if (source == 0) {
        return signet_package_status(p);
    }
    if (!sg_pt2_open(&r, p, log, source, text, (size_t)input->size, &status)) {
        return status;
    }
    status = sg_pt2_program(&r, signet_str("model"), &program);
    sg_pt2_close(&r);
    return status;
}
