/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_BASE_JSON_H
#define SG_BASE_JSON_H

/*
 * Reading JSON: a thin cover over yyjson (json.c is the only file that includes it), read in place,
 * so that every string can be traced back to its byte in the text. Depth, UTF-8 and what
 * follows the value are checked here.
 */

#include "base/alloc.h"

typedef enum sg_json_kind {
    SG_JSON_MISSING = 0,
    SG_JSON_NULL,
    SG_JSON_BOOL,
    SG_JSON_INT,  /* fits int64_t */
    SG_JSON_REAL, /* also integers that do not fit, and the bare words NaN and Infinity */
    SG_JSON_STRING,
    SG_JSON_ARRAY,
    SG_JSON_OBJECT,
} sg_json_kind;

/* A value inside a document; {NULL} is "not there". */
typedef struct sg_json {
    const void *value;
} sg_json;

struct sg_json_doc;

typedef enum sg_json_problem {
    SG_JSON_OK = 0,
    SG_JSON_NO_MEMORY,
    SG_JSON_SYNTAX,
    SG_JSON_TRUNCATED, /* the text ends inside the value */
    SG_JSON_TRAILING,
    SG_JSON_NOT_UTF8,
    SG_JSON_TOO_DEEP,
} sg_json_problem;

struct sg_json_error {
    sg_json_problem problem;
    size_t byte;
    const char *message; /* static */
};

/* How many bytes of zero the text must be followed by in its buffer. */
#define SG_JSON_PADDING 4

/*
 * Parses text[0..length) in place; text is changed, must have SG_JSON_PADDING writable bytes behind
 * it, and must outlive the document. Bare NaN and Infinity are taken (PyTorch up to 2.6 writes
 * them). null: see error.
 */
struct sg_json_doc *sg_json_parse(const signet_allocator *a, char *text, size_t length,
                                  uint64_t depth_limit, struct sg_json_error *error);
void sg_json_free(struct sg_json_doc *doc); /* null is fine */
sg_json sg_json_root(const struct sg_json_doc *doc);
/* Byte of the text where a string value (or member name) starts, behind its quote; SIZE_MAX for
 * values of other kinds. */
size_t sg_json_string_byte(const struct sg_json_doc *doc, sg_json v);
/* Byte of the text where any value starts (strings: their quote). SIZE_MAX: too far from the next
 * string of the document to be found cheaply. */
size_t sg_json_byte(const struct sg_json_doc *doc, sg_json v);
/* "$.graph.nodes[3]['odd name']"; a member name gives the path of its value. Linear in the siblings
 * along the path, so only for findings. */
struct sg_text;
void sg_json_path(struct sg_json_doc *doc, sg_json v, struct sg_text *out);

sg_json_kind sg_json_get_kind(sg_json v);
const char *sg_json_kind_name(sg_json v); /* "object", "integer", ...; static */
int64_t sg_json_int(sg_json v);           /* 0 unless INT */
double sg_json_real(sg_json v);           /* INT and REAL */
bool sg_json_bool(sg_json v);
signet_string sg_json_string(sg_json v); /* absent unless STRING; NUL-terminated */

uint32_t sg_json_count(sg_json v); /* elements or members; 0 for others */

/* Iteration over elements or members, in order: for (it = sg_json_iter(v); sg_json_next(&it);) */
struct sg_json_iter {
    const void *next;
    uint32_t left;
    bool object;
    signet_string name; /* member name; absent in arrays */
    sg_json name_value;
    sg_json value;
};
struct sg_json_iter sg_json_iter(sg_json v);
bool sg_json_next(struct sg_json_iter *it);

/* The first member of that name, or {NULL}. Linear in the members of the object. */
sg_json sg_json_member(sg_json object, const char *name);
/* Writes the value as compact JSON text. false: no memory. */
bool sg_json_write(const signet_allocator *a, sg_json v, struct sg_text *out);

/* Numbers for base/text.c, which gives them Python's form; nothing here depends on the locale.
 * Shortest digits of a finite number, in some form that JSON has. */
#define SG_NUMBER_TEXT 40
bool sg_number_write(double v, char out[SG_NUMBER_TEXT]);
/* Reads a JSON number that fills the whole text, which may end in a bare point ("2."). */
bool sg_number_read(signet_string text, double *out);

#endif
