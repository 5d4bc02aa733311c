/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_PT2_H
#define SG_FORMATS_PT2_H

/*
 * Reading torch.export's JSON into the IR. One sg_pt2 reads one document: a model.json, or a config
 * of an archive. Reading goes on after every fault; what cannot be read is left out, marked faulty,
 * or kept as a RAW argument.
 */

#include "base/json.h"
#include "formats/formats_internal.h"

/* The schema that the reader knows; PyTorch 2.12 to 2.14 write it. */
#define SG_SCHEMA_MAJOR 8
#define SG_SCHEMA_MINOR 20

/* Something that is read after the list it stands in, so that nesting needs no recursion. */
struct sg_pt2_pending {
    sg_json value;
    uint32_t graph; /* a subgraph to fill; 0: an argument */
    uint32_t arg;
    uint32_t depth;
    signet_arg_kind kind; /* of an argument: UNKNOWN, a union tells */
};

/* What is known of a string, by its number. */
struct sg_pt2_string {
    uint32_t dictionary; /* the last one that had it as a key */
    uint32_t expr;       /* the expression it was parsed into; UINT32_MAX: it is none */
    bool checked;        /* as a name */
};

struct sg_pt2 {
    signet_package *p;
    struct sg_log *log;
    struct sg_json_doc *doc;
    uint32_t source;
    signet_program program;
    uint32_t major, minor;
    uint32_t depth;   /* of the graph that is being read */
    signet_node node; /* that is being read; null: none */
    const char *part; /* "input spec", ...; null: none */
    uint32_t part_index;
    uint64_t faults; /* findings of errors so far */
    SG_VEC(struct sg_pt2_pending) pending;
    SG_VEC(struct sg_pt2_string) strings;
    uint32_t dictionaries;    /* so far */
    SG_VEC(signet_sym) sizes; /* of the tensor that is being read: sizes, then strides */
    signet_status status;
};

/* Parses the text in place and adds a source for it. False: see *status; what is no JSON has its
 * finding. The text must be a block of the package with SG_JSON_PADDING bytes behind it. */
bool sg_pt2_open(struct sg_pt2 *r, signet_package *p, struct sg_log *log, uint32_t source,
                 char *text, size_t length, signet_status *status);
void sg_pt2_close(struct sg_pt2 *r);

/* ---- pt2_schema.c: records, unions, names ---------------------------------------------------- */

struct sg_pt2_field {
    const char *member;
    uint8_t length;
    uint16_t kinds; /* bit k: JSON of sg_json_kind k */
};
struct sg_pt2_schema {
    const char *name;
    const struct sg_pt2_field *fields;
    uint32_t count;
    uint32_t required; /* bit i: field i must be there */
};

#define F(record, id, member, kinds, need) SG_PT2_##record##_##id,
#define PT2_RECORD(id, name, fields) enum { fields SG_PT2_##id##_COUNT };
#include "formats/pt2_schema.def"
#define F(record, id, member, kinds, need)
#define PT2_RECORD(id, name, fields) extern const struct sg_pt2_schema sg_pt2_##id;
#include "formats/pt2_schema.def"

/* Takes the members of an object apart: out[i] is the value of field i, {NULL} where it is not
 * there or of a wrong kind. Everything wrong has its finding. False: v is no object. */
bool sg_pt2_record(struct sg_pt2 *r, sg_json v, const struct sg_pt2_schema *schema, sg_json *out);
/* The one member of a union; `of` names the union in findings. False: it has none or several. */
bool sg_pt2_union(struct sg_pt2 *r, sg_json v, const char *of, signet_string *tag,
                  sg_json *payload);
/* True when v is of one of the kinds (bits), else a finding: "<what> is ..., <expected> expected".
 */
bool sg_pt2_expect(struct sg_pt2 *r, sg_json v, unsigned kinds, const char *what);

enum {
    SG_PT2_NULL = 1U << SG_JSON_NULL,
    SG_PT2_BOOL = 1U << SG_JSON_BOOL,
    SG_PT2_INT = 1U << SG_JSON_INT,
    SG_PT2_REAL = 1U << SG_JSON_REAL,
    SG_PT2_STRING = 1U << SG_JSON_STRING,
    SG_PT2_ARRAY = 1U << SG_JSON_ARRAY,
    SG_PT2_OBJECT = 1U << SG_JSON_OBJECT,
    /* PyTorch reads all of these as floats. */
    SG_PT2_FLOAT = SG_PT2_INT | SG_PT2_REAL | SG_PT2_STRING | SG_PT2_BOOL,
};

/* A string that names something: interned without a copy, checked for control characters. 0 unless
 * v is a string. */
sg_strid sg_pt2_name(struct sg_pt2 *r, sg_json v);
/* The same as text. */
signet_string sg_pt2_name_text(struct sg_pt2 *r, sg_json v);
/* The name of a member of a dictionary; one that the dictionary had before is a finding. */
sg_strid sg_pt2_key(struct sg_pt2 *r, sg_json object, sg_json name, uint32_t dictionary);
/* A number for a dictionary that is about to be read. */
static inline uint32_t sg_pt2_dictionary(struct sg_pt2 *r) {
    return ++r->dictionaries;
}
/* Text that may hold anything: interned without a copy. */
sg_strid sg_pt2_text(struct sg_pt2 *r, sg_json v);
/* The same for text that nothing compares by number: neither hashed nor compared. */
sg_strid sg_pt2_long_text(struct sg_pt2 *r, sg_json v);
/* What is known of a string; null: no memory. */
struct sg_pt2_string *sg_pt2_string(struct sg_pt2 *r, sg_strid id);
/* A float; false, after a finding, when it is none. */
bool sg_pt2_float(struct sg_pt2 *r, sg_json v, const char *what, double *out);
struct sg_span sg_pt2_span(const struct sg_pt2 *r, sg_json string);

/* A finding about a value of the document (a member's name stands for its value). */
struct sg_diag *sg_pt2_finding(struct sg_pt2 *r, signet_code code, sg_json at);
signet_location sg_pt2_at(struct sg_pt2 *r, sg_json at);
/* How a value looks in a message: "7", "'text'", "an object". */
const char *sg_pt2_shown(struct sg_pt2 *r, sg_json v);
/* A finding for an unknown tag of a union, with the near one of the `count` known tags if any. */
void sg_pt2_unknown_tag(struct sg_pt2 *r, sg_json at, const char *of, signet_string tag,
                        const char *(*known)(uint32_t i), uint32_t count);
/* The compact JSON text of a value, for RAW arguments. Absent: no memory. */
signet_string sg_pt2_raw(struct sg_pt2 *r, sg_json v);
void sg_pt2_no_memory(struct sg_pt2 *r);

/* ---- pt2_type.c, pt2_arg.c, pt2_graph.c, pt2_signature.c ------------------------------------- */

/* A TensorMeta; null when it is none. */
signet_type sg_pt2_type(struct sg_pt2 *r, sg_json v);
/* A symbolic scalar (SymInt, SymFloat, SymBool); null when it is none. */
signet_sym sg_pt2_sym(struct sg_pt2 *r, sg_json v, const char *of);
/* Checks a number against an enumeration of kinds.def. */
typedef enum sg_pt2_enumeration {
    SG_PT2_SCALAR_TYPE,
    SG_PT2_LAYOUT,
    SG_PT2_MEMORY_FORMAT,
} sg_pt2_enumeration;
void sg_pt2_enum(struct sg_pt2 *r, sg_json v, sg_pt2_enumeration of);

/* Reads a union of schema.Argument; what cannot be read becomes RAW. Declared arguments (of specs
 * and calls) get names in place of values. */
void sg_pt2_argument(struct sg_pt2 *r, sg_json v, signet_arg arg);
/* The same for what stands in the union under the tag of that kind. */
void sg_pt2_payload(struct sg_pt2 *r, sg_json v, signet_arg arg, signet_arg_kind kind);

/* Reads what was put off. */
void sg_pt2_pending(struct sg_pt2 *r);
/* Reads a graph and everything nested in it. */
void sg_pt2_graph(struct sg_pt2 *r, sg_json v, signet_graph graph);

void sg_pt2_signature(struct sg_pt2 *r, sg_json v);
void sg_pt2_calls(struct sg_pt2 *r, sg_json v);

/* ---- pt2_program.c --------------------------------------------------------------------------- */

/* Reads an ExportedProgram. Nothing is added unless there is one; then *out is set. */
signet_status sg_pt2_program(struct sg_pt2 *r, signet_string name, signet_program *out);

#endif
