/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2.h"

#include <string.h>

/* ---- The document ---------------------------------------------------------------------------- */

static signet_status json_problem(struct sg_pt2 *r, const struct sg_json_error *e) {
    static const signet_code codes[] = {
        [SG_JSON_SYNTAX] = SIGNET_CODE_CARRIER_JSON_SYNTAX,
        [SG_JSON_TRUNCATED] = SIGNET_CODE_CARRIER_TRUNCATED,
        [SG_JSON_TRAILING] = SIGNET_CODE_CARRIER_JSON_TRAILING,
        [SG_JSON_NOT_UTF8] = SIGNET_CODE_CARRIER_NOT_UTF8,
        [SG_JSON_TOO_DEEP] = SIGNET_CODE_CARRIER_JSON_TOO_DEEP,
    };
    struct sg_span nowhere = {0, 0};
    signet_location location = sg_at_source(r->p, r->log, r->source, nowhere);
    location.has_byte = true;
    location.byte = e->byte;
    struct sg_diag *d = sg_diag_begin(r->log, codes[e->problem], location);
    if (e->problem == SG_JSON_TOO_DEEP) {
        sg_diag_message(d, "the JSON is nested deeper than the limit of %llu",
                        (unsigned long long)r->p->limits.json_depth);
        sg_diag_help(d, "raise the limit if you trust the file: --limit json-depth=%llu",
                     (unsigned long long)r->p->limits.json_depth * 4);
    } else if (e->problem == SG_JSON_TRAILING) {
        sg_diag_message(d, "the JSON value ends before byte %llu, and more text follows",
                        (unsigned long long)e->byte);
        sg_diag_help(d, "remove what follows the value");
    } else {
        sg_diag_message(d, "the text is no JSON at byte %llu: %s", (unsigned long long)e->byte,
                        e->message);
        sg_diag_help(d, "mend the text there, or save the program again");
    }
    sg_diag_torch(d, "J-JSON");
    sg_diag_end(d);
    return e->problem == SG_JSON_TOO_DEEP ? SIGNET_E_LIMIT : SIGNET_E_SYNTAX;
}

bool sg_pt2_open(struct sg_pt2 *r, signet_package *p, struct sg_log *log, uint32_t source,
                 char *text, size_t length, signet_status *status) {
    memset(r, 0, sizeof(*r));
    r->p = p;
    r->log = log;
    r->source = source;
    r->major = SG_SCHEMA_MAJOR;
    r->minor = SG_SCHEMA_MINOR;
    struct sg_json_error e;
    r->doc = sg_json_parse(&p->allocator, text, length, p->limits.json_depth, &e);
    if (r->doc == NULL) {
        *status = e.problem == SG_JSON_NO_MEMORY ? SIGNET_E_NOMEM : json_problem(r, &e);
        return false;
    }
    return true;
}

void sg_pt2_close(struct sg_pt2 *r) {
    const signet_allocator *a = &r->p->allocator;
    sg_json_free(r->doc);
    r->doc = NULL;
    sg_vec_free(a, &r->pending);
    sg_vec_free(a, &r->strings);
    sg_vec_free(a, &r->sizes);
}

/* ---- Versions -------------------------------------------------------------------------------- */

/* Majors that are close enough to 8: 7 (PyTorch 2.5) and 5 (2.3, 2.4). */
static bool is_known_major(uint32_t major) {
    return major == SG_SCHEMA_MAJOR || major == 7 || major == 5;
}

static signet_status refuse_version(struct sg_pt2 *r, sg_json at, int64_t major, int64_t minor) {
    struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_SCHEMA_VERSION, at);
    const char *found = sg_json_get_kind(at) == SG_JSON_INT
                            ? sg_log_text(r->log, "%lld", (long long)major)
                            : sg_log_text(r->log, "%lld.%lld", (long long)major, (long long)minor);
    sg_diag_message(d,
                    "the program has schema version %s, but this reader knows %d.x (up to "
                    "%d.%d), 7.x and 5.x",
                    found, SG_SCHEMA_MAJOR, SG_SCHEMA_MAJOR, SG_SCHEMA_MINOR);
    if (major < SG_SCHEMA_MAJOR) {
        sg_diag_help(d, "export the program again with PyTorch 2.6 or newer");
    } else {
        sg_diag_help(d, "use a newer Signet, or export with a PyTorch that writes schema %d",
                     SG_SCHEMA_MAJOR);
    }
    sg_diag_torch(d, "J-MAJ");
    sg_diag_known_as(d,
                     "SerializeError \"Serialized schema version SchemaVersion(major=%lld, "
                     "minor=%lld) does not match our current schema version (%d, %d).\"",
                     (long long)major, (long long)minor, SG_SCHEMA_MAJOR, SG_SCHEMA_MINOR);
    sg_diag_end(d);
    return SIGNET_E_VERSION;
}

/* Majors 1 and 2 wrote a plain number. A missing version is told when the record is read. */
static signet_status read_version(struct sg_pt2 *r, sg_json root) {
    sg_json v = sg_json_member(root, "schema_version");
    sg_json f[SG_PT2_SCHEMA_VERSION_COUNT] = {{NULL}, {NULL}};
    int64_t major = sg_json_int(v), minor = 0;
    if (sg_json_get_kind(v) == SG_JSON_OBJECT) {
        (void)sg_pt2_record(r, v, &sg_pt2_SCHEMA_VERSION, f);
        if (f[SG_PT2_SCHEMA_VERSION_MAJOR].value == NULL) {
            return SIGNET_OK;
        }
        major = sg_json_int(f[SG_PT2_SCHEMA_VERSION_MAJOR]);
        minor = sg_json_int(f[SG_PT2_SCHEMA_VERSION_MINOR]);
    } else if (sg_json_get_kind(v) != SG_JSON_INT) {
        return SIGNET_OK;
    }
    if (major < 0 || major > UINT16_MAX || minor < 0 || minor > UINT16_MAX ||
        !is_known_major((uint32_t)major)) {
        return refuse_version(r, v, major, minor);
    }
    r->major = (uint32_t)major;
    r->minor = (uint32_t)minor;
    if (r->major == SG_SCHEMA_MAJOR && r->minor > SG_SCHEMA_MINOR) {
        struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_SCHEMA_NEWER, v);
        sg_diag_message(d, "schema %lld.%lld is newer than %d.%d, the newest this reader knows",
                        (long long)major, (long long)minor, SG_SCHEMA_MAJOR, SG_SCHEMA_MINOR);
        sg_diag_note(d, "members it does not know are left out");
        sg_diag_end(d);
    }
    return SIGNET_OK;
}

/* ---- The program ----------------------------------------------------------------------------- */

static signet_status refuse(struct sg_pt2 *r, sg_json root) {
    if (sg_json_member(root, "schema_version").value != NULL) {
        sg_json f[SG_PT2_PROGRAM_COUNT];
        (void)sg_pt2_record(r, root, &sg_pt2_PROGRAM, f); /* says what is missing, or wrong */
        return SIGNET_E_SYNTAX;
    }
    struct sg_json_iter it = sg_json_iter(root);
    struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_UNKNOWN_FORMAT, root);
    if (!it.object || !sg_json_next(&it)) {
        sg_diag_message(d,
                        "the JSON is no exported program: it is %s, expected an object with "
                        "member 'graph_module'",
                        sg_pt2_shown(r, root));
    } else {
        sg_diag_message(d,
                        "the JSON is no exported program: it has '%s'%s, but no member "
                        "'graph_module'",
                        sg_log_name(r->log, it.name), it.left > 0 ? " and others" : "");
    }
    sg_diag_torch(d, "J-JSON");
    sg_diag_end(d);
    return SIGNET_E_SYNTAX;
}

static signet_status refuse_exir(struct sg_pt2 *r, sg_json root) {
    struct sg_diag *d =
        sg_pt2_finding(r, SIGNET_CODE_CARRIER_UNSUPPORTED, sg_json_member(root, "dialect"));
    sg_diag_message(d, "the program was written by ExecuTorch's exir.save, which this version of "
                       "Signet does not read");
    sg_diag_help(d, "print the program to a text file, str(exported_program), and lint that");
    sg_diag_end(d);
    return SIGNET_E_UNSUPPORTED;
}

static signet_stage stage_of(signet_string dialect) {
    return sg_string_is(dialect, "TRAINING") ? SIGNET_STAGE_TRAINING
           : sg_string_is(dialect, "ATEN")   ? SIGNET_STAGE_ATEN
           : sg_string_is(dialect, "EDGE")   ? SIGNET_STAGE_EDGE
                                             : SIGNET_STAGE_DETECT;
}

static void add_dialect(struct sg_pt2 *r, sg_json v) {
    if (!sg_pt2_expect(r, v, SG_PT2_STRING, "a dialect")) {
        return;
    }
    signet_string dialect = sg_pt2_name_text(r, v);
    signet_program_add_dialect(r->p, r->program, dialect);
    if (signet_program_stage(r->p, r->program) == SIGNET_STAGE_DETECT) {
        signet_program_set_stage(r->p, r->program, stage_of(dialect));
    }
}

static void read_info(struct sg_pt2 *r, const sg_json *f) {
    signet_program_info info = SIGNET_PROGRAM_INFO_INIT;
    info.schema_major = r->major;
    info.schema_minor = r->minor;
    info.torch_version = sg_pt2_name_text(r, f[SG_PT2_PROGRAM_TORCH_VERSION]);
    info.has_dialects =
        f[SG_PT2_PROGRAM_VERIFIERS].value != NULL || f[SG_PT2_PROGRAM_DIALECT].value != NULL;
    signet_program_set_info(r->p, r->program, &info);
    struct sg_json_iter it = sg_json_iter(f[SG_PT2_PROGRAM_VERIFIERS]);
    while (sg_json_next(&it)) {
        add_dialect(r, it.value);
    }
    if (f[SG_PT2_PROGRAM_DIALECT].value != NULL) {
        add_dialect(r, f[SG_PT2_PROGRAM_DIALECT]);
    }
    uint32_t dictionary = sg_pt2_dictionary(r);
    it = sg_json_iter(f[SG_PT2_PROGRAM_OPSET_VERSION]);
    while (sg_json_next(&it)) {
        (void)sg_pt2_key(r, f[SG_PT2_PROGRAM_OPSET_VERSION], it.name_value, dictionary);
        if (sg_pt2_expect(r, it.value, SG_PT2_INT, "an operator set version")) {
            signet_program_add_opset(r->p, r->program, it.name, sg_json_int(it.value));
        }
    }
    it = sg_json_iter(f[SG_PT2_PROGRAM_GUARDS_CODE]);
    while (sg_json_next(&it)) {
        if (sg_pt2_expect(r, it.value, SG_PT2_STRING, "a line of 'guards_code'")) {
            (void)sg_pt2_text(r, it.value);
            signet_program_add_guard(r->p, r->program, sg_json_string(it.value));
        }
    }
}

/* A bound: null and infinities are open; PyTorch 2.4 wrote its largest number for an open one. */
static bool read_bound(struct sg_pt2 *r, sg_json v, int64_t *bound) {
    sg_json_kind kind = sg_json_get_kind(v);
    *bound = sg_json_int(v);
    if (kind == SG_JSON_INT) {
        return r->major != 5 || (*bound < INT64_MAX - 1 && *bound > -INT64_MAX);
    }
    if (kind == SG_JSON_REAL) {
        double number = sg_json_real(v);
        if (number - number == 0) { /* finite */
            (void)sg_pt2_expect(r, v, SG_PT2_INT | SG_PT2_NULL, "a bound of RangeConstraint");
        }
    }
    return false;
}

static void read_ranges(struct sg_pt2 *r, sg_json v) {
    uint32_t dictionary = sg_pt2_dictionary(r);
    struct sg_json_iter it = sg_json_iter(v);
    for (uint32_t i = 0; sg_json_next(&it) && r->p->status == SIGNET_OK; i++) {
        sg_json f[SG_PT2_RANGE_COUNT];
        signet_range range = {.symbol = it.name};
        (void)sg_pt2_key(r, v, it.name_value, dictionary);
        if (sg_pt2_record(r, it.value, &sg_pt2_RANGE, f)) {
            range.has_min = read_bound(r, f[SG_PT2_RANGE_MIN], &range.min);
            range.has_max = read_bound(r, f[SG_PT2_RANGE_MAX], &range.max);
        }
        signet_program_add_range(r->p, r->program, range);
        sg_range_set_span(r->p, r->program, i, sg_pt2_span(r, it.name_value));
    }
}

static void read_graph_module(struct sg_pt2 *r, sg_json v) {
    sg_json f[SG_PT2_GRAPH_MODULE_COUNT];
    signet_graph graph = signet_program_graph(r->p, r->program);
    if (!sg_pt2_record(r, v, &sg_pt2_GRAPH_MODULE, f)) {
        return;
    }
    if (f[SG_PT2_GRAPH_MODULE_GRAPH].value != NULL) {
        sg_pt2_graph(r, f[SG_PT2_GRAPH_MODULE_GRAPH], graph);
    } else {
        r->p->graphs.data[graph.id].faulty = 1;
    }
    if (f[SG_PT2_GRAPH_MODULE_SIGNATURE].value != NULL) {
        sg_pt2_signature(r, f[SG_PT2_GRAPH_MODULE_SIGNATURE]);
    }
    if (f[SG_PT2_GRAPH_MODULE_MODULE_CALL_GRAPH].value != NULL) {
        sg_pt2_calls(r, f[SG_PT2_GRAPH_MODULE_MODULE_CALL_GRAPH]);
    }
    if (f[SG_PT2_GRAPH_MODULE_SIGNATURE].value == NULL ||
        f[SG_PT2_GRAPH_MODULE_MODULE_CALL_GRAPH].value == NULL) {
        r->p->programs.data[r->program.id].faulty = true;
    }
    if (sg_json_count(f[SG_PT2_GRAPH_MODULE_NAMEDTUPLES]) > 0) {
        signet_program_set_namedtuples(r->p, r->program,
                                       sg_pt2_raw(r, f[SG_PT2_GRAPH_MODULE_NAMEDTUPLES]));
    }
    uint32_t dictionary = sg_pt2_dictionary(r);
    struct sg_json_iter it = sg_json_iter(f[SG_PT2_GRAPH_MODULE_METADATA]);
    while (sg_json_next(&it)) {
        (void)sg_pt2_key(r, f[SG_PT2_GRAPH_MODULE_METADATA], it.name_value, dictionary);
        if (sg_pt2_expect(r, it.value, SG_PT2_STRING, "program metadata")) {
            signet_program_add_metadata(r->p, r->program, it.name, sg_json_string(it.value));
        }
    }
}

signet_status sg_pt2_program(struct sg_pt2 *r, signet_string name, signet_program *out) {
    sg_json f[SG_PT2_PROGRAM_COUNT];
    sg_json root = sg_json_root(r->doc);
    if (sg_json_get_kind(sg_json_member(root, "graph_module")) != SG_JSON_OBJECT) {
        return refuse(r, root);
    }
    if (sg_json_member(root, "dialect").value != NULL &&
        sg_json_member(root, "verifiers").value != NULL) {
        return refuse_exir(r, root);
    }
    signet_status status = read_version(r, root);
    if (status != SIGNET_OK || !sg_pt2_record(r, root, &sg_pt2_PROGRAM, f)) {
        return status != SIGNET_OK ? status : SIGNET_E_SYNTAX;
    }
    r->program = signet_program_add(r->p, name, SIGNET_ROLE_METHOD);
    if (r->program.id == 0) {
        return signet_package_status(r->p);
    }
    sg_program_set_source(r->p, r->program, r->source);
    signet_program_set_state_tables(r->p, r->program, false);
    read_info(r, f);
    read_ranges(r, f[SG_PT2_PROGRAM_RANGE_CONSTRAINTS]);
    read_graph_module(r, f[SG_PT2_PROGRAM_GRAPH_MODULE]);
    *out = r->program;
    return r->p->status != SIGNET_OK ? r->p->status : r->status;
}
