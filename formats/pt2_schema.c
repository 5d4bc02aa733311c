/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2.h"

#include "base/compiler.h"

#include <string.h>

/* ---- The tables ------------------------------------------------------------------------------ */

enum {
    STRING = SG_PT2_STRING,
    INT = SG_PT2_INT,
    REAL = SG_PT2_REAL,
    BOOL = SG_PT2_BOOL,
    FLOAT = SG_PT2_FLOAT,
    ARRAY = SG_PT2_ARRAY,
    OBJECT = SG_PT2_OBJECT,
    OR_NULL = SG_PT2_NULL,
    OPTIONAL = 0,
    REQUIRED = 1,
};

#define F(record, id, member, kinds, need) {member, sizeof(member) - 1, kinds},
#define PT2_RECORD(id, name, fields) static const struct sg_pt2_field fields_##id[] = {fields};
#include "formats/pt2_schema.def"
#define F(record, id, member, kinds, need) | (uint32_t)(need) << SG_PT2_##record##_##id
/* fields is the rest of the sum: NOLINTBEGIN(bugprone-macro-parentheses) */
#define PT2_RECORD(id, name, fields)                                                               \
    const struct sg_pt2_schema sg_pt2_##id = {(name), fields_##id, SG_PT2_##id##_COUNT, 0U fields};
#include "formats/pt2_schema.def"
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- Findings -------------------------------------------------------------------------------- */

void sg_pt2_no_memory(struct sg_pt2 *r) {
    r->status = SIGNET_E_NOMEM;
    sg_package_fail(r->p, SIGNET_E_NOMEM);
}

/* Where a value stands takes a walk to find out, so it is done only for what will be shown. */
static bool will_show(const struct sg_log *log, signet_code code) {
    return !log->muted && log->sink != NULL && log->emitted[code] < log->per_code_limit &&
           (log->severity[code] > SIGNET_SEVERITY_NOTE ||
            (log->severity[code] == SIGNET_SEVERITY_NOTE && log->show_notes));
}

signet_location sg_pt2_at(struct sg_pt2 *r, sg_json at) {
    size_t byte = sg_json_byte(r->doc, at);
    struct sg_span span = {0, 0};
    signet_location location = sg_at_source(r->p, r->log, r->source, span);
    location.has_byte = byte != SIZE_MAX;
    location.byte = location.has_byte ? byte : 0;
    struct sg_text path;
    sg_text_init(&path, &r->p->allocator);
    sg_json_path(r->doc, at, &path);
    location.json_path = path.failed ? NULL : sg_log_text(r->log, "%s", path.data);
    sg_text_free(&path);
    if (r->program.id != 0) {
        location.program = sg_log_name(r->log, signet_program_name(r->p, r->program));
    }
    if (r->node.id != 0) {
        location.node = sg_log_name(r->log, signet_node_display_name(r->p, r->node));
        location.node_id = r->node;
    }
    if (r->part != NULL) {
        location.item = sg_log_text(r->log, "%s %u", r->part, (unsigned)r->part_index);
    }
    return location;
}

struct sg_diag *sg_pt2_finding(struct sg_pt2 *r, signet_code code, sg_json at) {
    static const signet_location nowhere = {0};
    r->faults += signet_code_get(code)->severity == SIGNET_SEVERITY_ERROR;
    return sg_diag_begin(r->log, code, will_show(r->log, code) ? sg_pt2_at(r, at) : nowhere);
}

const char *sg_pt2_shown(struct sg_pt2 *r, sg_json v) {
    sg_json_kind kind = sg_json_get_kind(v);
    if (kind == SG_JSON_STRING) {
        return sg_log_text(r->log, "'%s'", sg_log_name(r->log, sg_json_string(v)));
    }
    if (kind == SG_JSON_ARRAY || kind == SG_JSON_OBJECT) {
        return sg_json_count(v) == 0 ? (kind == SG_JSON_ARRAY ? "an empty list" : "an empty object")
                                     : (kind == SG_JSON_ARRAY ? "a list" : "an object");
    }
    struct sg_text text;
    sg_text_init(&text, &r->p->allocator);
    const char *shown = "something";
    if (v.value != NULL && sg_json_write(&r->p->allocator, v, &text)) {
        shown = sg_log_text(r->log, "%.*s", 40, text.data);
    }
    sg_text_free(&text);
    return shown;
}

/* "a string", "an integer or null", ... */
static const char *kinds_text(struct sg_pt2 *r, unsigned kinds) {
    const char *what = "something else";
    if ((kinds & FLOAT) == FLOAT) {
        what = "a number";
    } else if ((kinds & (ARRAY | OBJECT)) != 0) {
        what = (kinds & ARRAY) != 0 ? "a list" : "an object";
    } else if ((kinds & STRING) != 0) {
        what = "a string";
    } else if ((kinds & INT) != 0) {
        what = (kinds & REAL) != 0 ? "a number" : "an integer";
    } else if ((kinds & BOOL) != 0) {
        what = "true or false";
    }
    return (kinds & OR_NULL) != 0 ? sg_log_text(r->log, "%s or null", what) : what;
}

static void wrong_kind(struct sg_pt2 *r, sg_json v, unsigned kinds, const char *what) {
    bool number = (kinds & INT) != 0 && sg_json_get_kind(v) == SG_JSON_REAL;
    struct sg_diag *d = sg_pt2_finding(
        r, number ? SIGNET_CODE_CARRIER_JSON_NUMBER : SIGNET_CODE_CARRIER_FIELD_TYPE, v);
    sg_diag_message(d, "%s is %s, expected %s%s", what, sg_pt2_shown(r, v), kinds_text(r, kinds),
                    number ? " of 64 bits" : "");
    sg_diag_help(d, "write %s%s there", kinds_text(r, kinds), number ? " of 64 bits" : "");
    if (!number) {
        sg_diag_torch(d, "J-JSON");
    }
    sg_diag_end(d);
}

bool sg_pt2_expect(struct sg_pt2 *r, sg_json v, unsigned kinds, const char *what) {
    if ((kinds >> sg_json_get_kind(v) & 1) != 0) {
        return true;
    }
    wrong_kind(r, v, kinds, what);
    return false;
}

static void duplicate(struct sg_pt2 *r, sg_json object, sg_json name);

/* ---- Records --------------------------------------------------------------------------------- */

static bool is_field(const struct sg_pt2_field *field, signet_string name) {
    return field->length == name.length && memcmp(field->member, name.data, name.length) == 0;
}

static uint32_t find_field(const struct sg_pt2_schema *schema, signet_string name) {
    uint32_t i = 0;
    while (i < schema->count && !is_field(&schema->fields[i], name)) {
        i++;
    }
    return i;
}

static void unknown_member(struct sg_pt2 *r, const struct sg_pt2_schema *schema, sg_json name) {
    struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_FIELD_UNKNOWN, name);
    sg_diag_message(d, "%s has no member '%s' in schema %d.%d; it is not read", schema->name,
                    sg_log_name(r->log, sg_json_string(name)), SG_SCHEMA_MAJOR, SG_SCHEMA_MINOR);
    sg_diag_end(d);
}

static void member_of_wrong_kind(struct sg_pt2 *r, const struct sg_pt2_schema *schema, uint32_t i,
                                 sg_json v) {
    const char *what = sg_log_text(r->log, "'%s' of %s", schema->fields[i].member, schema->name);
    wrong_kind(r, v, schema->fields[i].kinds, what);
}

/* A member that the object has, the schema does not, and that is spelled nearly so. */
static signet_string near_member(const struct sg_pt2_schema *schema, sg_json object,
                                 const char *wanted) {
    signet_string near = {NULL, 0};
    uint32_t best = 3;
    struct sg_json_iter it = sg_json_iter(object);
    for (uint32_t looked = 0; looked < 64 && sg_json_next(&it); looked++) {
        uint32_t distance = sg_edit_distance(it.name, signet_str(wanted), best);
        if (distance < best && find_field(schema, it.name) == schema->count) {
            best = distance;
            near = it.name;
        }
    }
    return near;
}

static void missing_members(struct sg_pt2 *r, const struct sg_pt2_schema *schema, sg_json v,
                            uint32_t missing) {
    for (uint32_t i = 0; i < schema->count; i++) {
        if ((missing >> i & 1) == 0) {
            continue;
        }
        const char *member = schema->fields[i].member;
        signet_string near = near_member(schema, v, member);
        struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_FIELD_MISSING, v);
        sg_diag_message(d, "%s has no member '%s', expected %s", schema->name, member,
                        kinds_text(r, schema->fields[i].kinds));
        sg_diag_help(d, "put the member back");
        if (near.data != NULL) {
            sg_diag_help(d, "rename '%s' to '%s'", sg_log_name(r->log, near), member);
        } else if (schema == &sg_pt2_TENSOR_ARGUMENT &&
                   sg_json_member(v, "as_tensor").value != NULL) {
            sg_diag_help(d,
                         "take the argument out of 'as_tensor': only user inputs and outputs are "
                         "wrapped");
        }
        sg_diag_torch(d, "J-JSON");
        sg_diag_known_as(d,
                         "TypeError \"%s.__init__() missing 1 required positional argument: '%s'\"",
                         schema->name, member);
        sg_diag_end(d);
    }
}

bool sg_pt2_record(struct sg_pt2 *r, sg_json v, const struct sg_pt2_schema *schema, sg_json *out) {
    memset(out, 0, schema->count * sizeof(*out));
    if (SG_UNLIKELY(sg_json_get_kind(v) != SG_JSON_OBJECT)) {
        wrong_kind(r, v, OBJECT, schema->name);
        return false;
    }
    uint32_t seen = 0, next = 0;
    struct sg_json_iter it = sg_json_iter(v);
    while (sg_json_next(&it)) {
        /* Members nearly always stand in the order of the schema. */
        uint32_t i = next;
        if (i >= schema->count || !is_field(&schema->fields[i], it.name)) {
            i = find_field(schema, it.name);
            if (i == schema->count) {
                unknown_member(r, schema, it.name_value);
                continue;
            }
        }
        next = i + 1;
        if (SG_UNLIKELY((seen >> i & 1) != 0)) {
            duplicate(r, v, it.name_value);
        }
        seen |= 1U << i;
        out[i] = it.value;
        if (SG_UNLIKELY((schema->fields[i].kinds >> sg_json_get_kind(it.value) & 1) == 0)) {
            out[i].value = NULL;
            member_of_wrong_kind(r, schema, i, it.value);
        }
    }
    if (SG_UNLIKELY((schema->required & ~seen) != 0)) {
        missing_members(r, schema, v, schema->required & ~seen);
    }
    return true;
}

/* ---- Unions ---------------------------------------------------------------------------------- */

/* One member several times is one member for PyTorch: the last. */
static bool last_of_equals(struct sg_pt2 *r, sg_json v, signet_string *tag, sg_json *payload) {
    struct sg_json_iter it = sg_json_iter(v);
    signet_string first = {NULL, 0};
    while (sg_json_next(&it)) {
        if (first.data != NULL && !sg_string_equal(first, it.name)) {
            return false;
        }
        first = it.name;
    }
    if (first.data != NULL) {
        duplicate(r, v, it.name_value);
        *tag = it.name;
        *payload = it.value;
    }
    return first.data != NULL;
}

bool sg_pt2_union(struct sg_pt2 *r, sg_json v, const char *of, signet_string *tag,
                  sg_json *payload) {
    if (SG_UNLIKELY(sg_json_get_kind(v) != SG_JSON_OBJECT)) {
        wrong_kind(r, v, OBJECT, of);
        return false;
    }
    struct sg_json_iter it = sg_json_iter(v);
    if (SG_LIKELY(it.left == 1)) {
        (void)sg_json_next(&it);
        *tag = it.name;
        *payload = it.value;
        return true;
    }
    if (last_of_equals(r, v, tag, payload)) {
        return true;
    }
    struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_UNION_TAG, v);
    if (it.left == 0) {
        sg_diag_message(d, "%s is an empty object, expected one member that says its kind", of);
        sg_diag_help(d, "write the member that is meant");
    } else {
        sg_diag_help(d, "keep the one that is meant, and remove the others");
        uint32_t count = it.left;
        (void)sg_json_next(&it);
        const char *first = sg_log_name(r->log, it.name);
        (void)sg_json_next(&it);
        sg_diag_message(d, "%s has %u members ('%s', '%s'%s), expected one that says its kind", of,
                        (unsigned)count, first, sg_log_name(r->log, it.name),
                        count > 2 ? ", ..." : "");
    }
    sg_diag_torch(d, "J-JSON");
    sg_diag_known_as(d, "AssertionError \"expected dict with 1 key, got %u\"",
                     (unsigned)sg_json_count(v));
    sg_diag_end(d);
    return false;
}

void sg_pt2_unknown_tag(struct sg_pt2 *r, sg_json at, const char *of, signet_string tag,
                        const char *(*known)(uint32_t i), uint32_t count) {
    const char *near = NULL;
    uint32_t best = 4;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = known(i);
        uint32_t distance = name != NULL ? sg_edit_distance(tag, signet_str(name), best) : best;
        if (distance < best) {
            best = distance;
            near = name;
        }
    }
    struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_UNION_TAG, at);
    sg_diag_message(d, "%s has no kind '%s' in schema %d.%d%s%s%s", of, sg_log_name(r->log, tag),
                    SG_SCHEMA_MAJOR, SG_SCHEMA_MINOR, near != NULL ? "; the nearest is '" : "",
                    near != NULL ? near : "", near != NULL ? "'" : "");
    if (near != NULL) {
        sg_diag_help(d, "write '%s'", near);
    }
    sg_diag_torch(d, "J-JSON");
    sg_diag_known_as(d, "KeyError \"'%s'\"", sg_log_name(r->log, tag));
    sg_diag_end(d);
}

/* ---- Scalars --------------------------------------------------------------------------------- */

struct sg_span sg_pt2_span(const struct sg_pt2 *r, sg_json string) {
    size_t byte = sg_json_string_byte(r->doc, string);
    struct sg_span none = {0, 0};
    return byte != SIZE_MAX ? sg_span_make(byte, sg_json_string(string).length) : none;
}

/* True when the string is as long as it may be. */
static bool fits(struct sg_pt2 *r, sg_json v, signet_string s) {
    if (SG_LIKELY(s.length <= r->p->limits.string_bytes)) {
        return true;
    }
    struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_LIMIT, v);
    sg_diag_message(d, "a string of %llu bytes, the limit is %llu", (unsigned long long)s.length,
                    (unsigned long long)r->p->limits.string_bytes);
    sg_diag_help(d, "raise the limit: --limit string-bytes=%llu", (unsigned long long)s.length);
    sg_diag_end(d);
    r->status = SIGNET_E_LIMIT;
    return false;
}

sg_strid sg_pt2_text(struct sg_pt2 *r, sg_json v) {
    signet_string s = sg_json_string(v);
    return fits(r, v, s) ? sg_intern_borrowed(r->p, s) : 0;
}

sg_strid sg_pt2_long_text(struct sg_pt2 *r, sg_json v) {
    signet_string s = sg_json_string(v);
    return fits(r, v, s) ? sg_intern_single(r->p, s) : 0;
}

struct sg_pt2_string *sg_pt2_string(struct sg_pt2 *r, sg_strid id) {
    if (id >= r->strings.count) {
        uint32_t more = id + 1 - r->strings.count;
        if (!sg_vec_reserve(&r->p->allocator, &r->strings, more)) {
            sg_pt2_no_memory(r);
            return NULL;
        }
        r->strings.count += more; /* new elements are zero */
    }
    return &r->strings.data[id];
}

static void check_name(struct sg_pt2 *r, sg_json v, signet_string s) {
    for (size_t i = 0; i < s.length; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c < 0x20 || c == 0x7f) {
            struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_CONTROL_CHARACTER, v);
            sg_diag_message(d, "the name '%s' holds a control character (0x%02x)",
                            sg_log_name(r->log, s), (unsigned)c);
            sg_diag_help(d, "use names of printable characters");
            sg_diag_end(d);
            return;
        }
    }
}

sg_strid sg_pt2_name(struct sg_pt2 *r, sg_json v) {
    sg_strid id = sg_pt2_text(r, v);
    struct sg_pt2_string *known = id != 0 ? sg_pt2_string(r, id) : NULL;
    if (known != NULL && !known->checked) { /* once, however often the name occurs */
        known->checked = true;
        check_name(r, v, sg_json_string(v));
    }
    return id;
}

signet_string sg_pt2_name_text(struct sg_pt2 *r, sg_json v) {
    (void)sg_pt2_name(r, v);
    return sg_json_string(v);
}

static void duplicate(struct sg_pt2 *r, sg_json object, sg_json name) {
    struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_JSON_DUPLICATE_KEY, name);
    sg_diag_message(d, "member '%s' stands twice in one object; PyTorch takes the last",
                    sg_log_name(r->log, sg_json_string(name)));
    if (d->shown) {
        sg_json first = sg_json_member(object, sg_json_string(name).data);
        sg_diag_related(d, sg_pt2_at(r, first), "the first one");
    }
    sg_diag_help(d, "keep one of the two");
    sg_diag_end(d);
}

sg_strid sg_pt2_key(struct sg_pt2 *r, sg_json object, sg_json name, uint32_t dictionary) {
    sg_strid id = sg_pt2_name(r, name);
    struct sg_pt2_string *known = id != 0 ? sg_pt2_string(r, id) : NULL;
    if (known != NULL) {
        if (known->dictionary == dictionary) {
            duplicate(r, object, name);
        }
        known->dictionary = dictionary;
    }
    return id;
}

bool sg_pt2_float(struct sg_pt2 *r, sg_json v, const char *what, double *out) {
    switch (sg_json_get_kind(v)) {
    case SG_JSON_INT:
    case SG_JSON_REAL:
        *out = sg_json_real(v);
        return true;
    case SG_JSON_BOOL:
        *out = sg_json_bool(v) ? 1.0 : 0.0;
        return true;
    case SG_JSON_STRING: /* "Infinity", "-Infinity", "NaN", and what else Python's float() reads */
        if (sg_parse_double(sg_json_string(v), out)) {
            return true;
        }
        break;
    case SG_JSON_MISSING:
    case SG_JSON_NULL:
    case SG_JSON_ARRAY:
    case SG_JSON_OBJECT:
        break;
    }
    wrong_kind(r, v, FLOAT, what);
    return false;
}

signet_string sg_pt2_raw(struct sg_pt2 *r, sg_json v) {
    struct sg_text text;
    sg_text_init(&text, &r->p->allocator);
    signet_string s = {NULL, 0};
    if (sg_json_write(&r->p->allocator, v, &text)) {
        sg_strid id = sg_intern(r->p, (signet_string){text.data, text.length});
        s = sg_string(r->p, id);
    } else {
        sg_pt2_no_memory(r);
    }
    sg_text_free(&text);
    return s;
}
