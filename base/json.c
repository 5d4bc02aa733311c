/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/text.h"

#include <yyjson.h>

/* ---- Memory: yyjson's release does not tell the size, ours wants it -------------------------- */

#define BLOCK_HEAD                                                                                 \
    ((sizeof(size_t) + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t))

static void *block_store(void *block, size_t size) {
    if (block == NULL) {
        return NULL;
    }
    memcpy(block, &size, sizeof(size));
    return (char *)block + BLOCK_HEAD;
}

static void *block_of(void *memory, size_t *size) {
    void *block = (char *)memory - BLOCK_HEAD;
    memcpy(size, block, sizeof(*size));
    return block;
}

static void *json_malloc(void *context, size_t size) {
    const signet_allocator *a = context;
    if (!sg_add_ok(size, BLOCK_HEAD, &size)) {
        return NULL;
    }
    return block_store(a->allocate(a->context, size), size);
}

static void *json_realloc(void *context, void *memory, size_t old_size, size_t size) {
    const signet_allocator *a = context;
    if (!sg_add_ok(size, BLOCK_HEAD, &size)) {
        return NULL;
    }
    void *block = block_of(memory, &old_size);
    return block_store(a->reallocate(a->context, block, old_size, size), size);
}

static void json_free(void *context, void *memory) {
    const signet_allocator *a = context;
    size_t size;
    void *block = block_of(memory, &size);
    a->release(a->context, block, size);
}

static yyjson_alc alc_of(signet_allocator *a) {
    return (yyjson_alc){json_malloc, json_realloc, json_free, a};
}

/* ---- Parsing --------------------------------------------------------------------------------- */

_Static_assert(SG_JSON_PADDING == YYJSON_PADDING_SIZE, "what yyjson wants behind the text");

#define PATH_MARKS 8

/* How far the last path came in a container: everything before `before` ends before its value. */
struct path_mark {
    const yyjson_val *container;
    struct sg_json_iter before;
    uint32_t index;
};

struct sg_json_doc {
    signet_allocator allocator;
    yyjson_doc *doc;
    const char *text;
    size_t length;
    struct path_mark marks[PATH_MARKS]; /* by depth */
};

/* yyjson's own getters want values that are not const. */
static yyjson_type type_of(const yyjson_val *v) {
    return (yyjson_type)(v->tag & YYJSON_TYPE_MASK);
}

static yyjson_subtype subtype_of(const yyjson_val *v) {
    return (yyjson_subtype)(v->tag & YYJSON_SUBTYPE_MASK);
}

static size_t length_of(const yyjson_val *v) /* of strings, arrays and objects */
{
    return (size_t)(v->tag >> YYJSON_TAG_BIT);
}

static bool is_container(const yyjson_val *v) {
    return type_of(v) == YYJSON_TYPE_ARR || type_of(v) == YYJSON_TYPE_OBJ;
}

static bool is_string(const yyjson_val *v) {
    return type_of(v) == YYJSON_TYPE_STR;
}

/* yyjson keeps all values of a document in one array, parents before their children. */
static const yyjson_val *values_begin(const struct sg_json_doc *doc) {
    return doc->doc->root;
}

static const yyjson_val *values_end(const struct sg_json_doc *doc) {
    return values_begin(doc) + doc->doc->val_read;
}

static const yyjson_val *value_after(const yyjson_val *v) {
    return v + (is_container(v) ? v->uni.ofs / sizeof(*v) : 1);
}

/* True when an escape of half a surrogate pair, \ud800 to \udfff, starts there. */
static bool is_surrogate(const char *text, size_t length, size_t at) {
    if (at > length || length - at < 6) {
        return false;
    }
    const char *s = text + at;
    return s[0] == '\\' && s[1] == 'u' && (s[2] == 'd' || s[2] == 'D') &&
           strchr("89abcdefABCDEF", s[3]) != NULL && s[3] != '\0';
}

static void explain(const yyjson_read_err *e, const char *text, size_t length,
                    struct sg_json_error *error) {
    error->byte = e->pos;
    error->message = e->msg;
    bool high = e->pos < length && ((unsigned char)text[e->pos] & 0x80) != 0;
    uint32_t character;
    if (e->code == YYJSON_READ_ERROR_MEMORY_ALLOCATION) {
        error->problem = SG_JSON_NO_MEMORY;
    } else if (e->code == YYJSON_READ_ERROR_EMPTY_CONTENT || length == 0) {
        error->problem = SG_JSON_TRUNCATED;
        error->message = "the text is empty";
    } else if (e->code == YYJSON_READ_ERROR_UNEXPECTED_END) {
        error->problem = SG_JSON_TRUNCATED;
    } else if (high && sg_utf8_next(text + e->pos, length - e->pos, &character) == 0) {
        error->problem = SG_JSON_NOT_UTF8;
        error->message = "a byte that is no UTF-8";
    } else if (e->code == YYJSON_READ_ERROR_UNEXPECTED_CONTENT) {
        error->problem = SG_JSON_TRAILING;
    } else {
        error->problem = SG_JSON_SYNTAX;
    }
    if (e->code == YYJSON_READ_ERROR_INVALID_STRING && error->problem == SG_JSON_SYNTAX) {
        bool behind = e->pos >= 6 && is_surrogate(text, length, e->pos - 6);
        if (behind || is_surrogate(text, length, e->pos)) {
            error->problem = SG_JSON_NOT_UTF8;
            error->byte = e->pos - (behind ? 6 : 0);
            error->message = "an escape that is half of a surrogate pair";
        }
    }
}

static size_t byte_of(const struct sg_json_doc *doc, const yyjson_val *v, size_t most);

/* The first container nested deeper than the limit. Nearly free beside the parsing: one look at
 * each value, in order of memory. */
static bool find_too_deep(const struct sg_json_doc *doc, uint64_t limit, const yyjson_val **found) {
    SG_VEC(size_t) open = {NULL, 0, 0}; /* where each open container ends */
    const yyjson_val *begin = values_begin(doc);
    const yyjson_val *end = values_end(doc);
    bool ok = true;
    *found = NULL;
    for (const yyjson_val *v = begin; v < end; v++) {
        while (open.count > 0 && v == begin + open.data[open.count - 1]) {
            open.count--;
        }
        if (!is_container(v)) {
            continue;
        }
        if (open.count >= limit) {
            *found = v;
            break;
        }
        if (!sg_vec_reserve(&doc->allocator, &open, 1)) {
            ok = false;
            break;
        }
        open.data[open.count++] = (size_t)(value_after(v) - begin);
    }
    sg_vec_free(&doc->allocator, &open);
    return ok;
}

struct sg_json_doc *sg_json_parse(const signet_allocator *a, char *text, size_t length,
                                  uint64_t depth_limit, struct sg_json_error *error) {
    *error = (struct sg_json_error){SG_JSON_NO_MEMORY, 0, "out of memory"};
    struct sg_json_doc *doc = sg_alloc(a, sizeof(*doc));
    if (doc == NULL) {
        return NULL;
    }
    doc->allocator = *a;
    doc->text = text;
    doc->length = length;
    yyjson_alc alc = alc_of(&doc->allocator);
    yyjson_read_err e;
    doc->doc = yyjson_read_opts(text, length, YYJSON_READ_INSITU | YYJSON_READ_ALLOW_INF_AND_NAN,
                                &alc, &e);
    if (doc->doc == NULL) {
        explain(&e, text, length, error);
        sg_json_free(doc);
        return NULL;
    }
    const yyjson_val *deep;
    if (!find_too_deep(doc, depth_limit, &deep)) {
        sg_json_free(doc);
        return NULL;
    }
    if (deep != NULL) {
        error->problem = SG_JSON_TOO_DEEP;
        error->byte = byte_of(doc, deep, SIZE_MAX); /* asked for once */
        error->message = "nested deeper than the limit";
        sg_json_free(doc);
        return NULL;
    }
    *error = (struct sg_json_error){SG_JSON_OK, 0, "no error"};
    return doc;
}

void sg_json_free(struct sg_json_doc *doc) {
    if (doc != NULL) {
        yyjson_doc_free(doc->doc);
        signet_allocator allocator = doc->allocator;
        sg_free(&allocator, doc, sizeof(*doc));
    }
}

sg_json sg_json_root(const struct sg_json_doc *doc) {
    return (sg_json){values_begin(doc)};
}

/* ---- Values ---------------------------------------------------------------------------------- */

static const yyjson_val *val(sg_json v) {
    return v.value;
}

sg_json_kind sg_json_get_kind(sg_json v) {
    if (v.value == NULL) {
        return SG_JSON_MISSING;
    }
    switch (type_of(val(v))) {
    case YYJSON_TYPE_NULL:
        return SG_JSON_NULL;
    case YYJSON_TYPE_BOOL:
        return SG_JSON_BOOL;
    case YYJSON_TYPE_STR:
        return SG_JSON_STRING;
    case YYJSON_TYPE_ARR:
        return SG_JSON_ARRAY;
    case YYJSON_TYPE_OBJ:
        return SG_JSON_OBJECT;
    default: /* a number */
        break;
    }
    switch (subtype_of(val(v))) {
    case YYJSON_SUBTYPE_REAL:
        return SG_JSON_REAL;
    case YYJSON_SUBTYPE_UINT:
        return val(v)->uni.u64 <= (uint64_t)INT64_MAX ? SG_JSON_INT : SG_JSON_REAL;
    default:
        return SG_JSON_INT;
    }
}

const char *sg_json_kind_name(sg_json v) {
    switch (sg_json_get_kind(v)) {
    case SG_JSON_MISSING:
        return "nothing";
    case SG_JSON_NULL:
        return "null";
    case SG_JSON_BOOL:
        return "boolean";
    case SG_JSON_INT:
        return "integer";
    case SG_JSON_REAL:
        return "number";
    case SG_JSON_STRING:
        return "string";
    case SG_JSON_ARRAY:
        return "array";
    case SG_JSON_OBJECT:
        return "object";
    }
    return "nothing";
}

int64_t sg_json_int(sg_json v) {
    return sg_json_get_kind(v) == SG_JSON_INT ? val(v)->uni.i64 : 0;
}

double sg_json_real(sg_json v) {
    if (v.value == NULL || type_of(val(v)) != YYJSON_TYPE_NUM) {
        return 0;
    }
    switch (subtype_of(val(v))) {
    case YYJSON_SUBTYPE_REAL:
        return val(v)->uni.f64;
    case YYJSON_SUBTYPE_UINT:
        return (double)val(v)->uni.u64;
    default:
        return (double)val(v)->uni.i64;
    }
}

bool sg_json_bool(sg_json v) {
    return sg_json_get_kind(v) == SG_JSON_BOOL && subtype_of(val(v)) == YYJSON_SUBTYPE_TRUE;
}

static signet_string string_of(const yyjson_val *v) {
    return (signet_string){v->uni.str, length_of(v)};
}

signet_string sg_json_string(sg_json v) {
    if (v.value == NULL || !is_string(val(v))) {
        return (signet_string){NULL, 0};
    }
    return string_of(val(v));
}

uint32_t sg_json_count(sg_json v) {
    if (v.value == NULL || !is_container(val(v))) {
        return 0;
    }
    size_t count = length_of(val(v));
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

struct sg_json_iter sg_json_iter(sg_json v) {
    struct sg_json_iter it = {0};
    it.left = sg_json_count(v);
    if (it.left > 0) {
        it.next = val(v) + 1;
        it.object = type_of(val(v)) == YYJSON_TYPE_OBJ;
    }
    return it;
}

bool sg_json_next(struct sg_json_iter *it) {
    if (it->left == 0) {
        return false;
    }
    it->left--;
    const yyjson_val *v = it->next;
    if (it->object) {
        it->name = string_of(v);
        it->name_value.value = v;
        v++;
    }
    it->value.value = v;
    it->next = value_after(v);
    return true;
}

sg_json sg_json_member(sg_json object, const char *name) {
    size_t length = strlen(name);
    struct sg_json_iter it = sg_json_iter(object);
    while (it.object && sg_json_next(&it)) {
        if (it.name.length == length && memcmp(it.name.data, name, length) == 0) {
            return it.value;
        }
    }
    return (sg_json){NULL};
}

bool sg_json_write(const signet_allocator *a, sg_json v, struct sg_text *out) {
    signet_allocator copy = *a;
    yyjson_alc alc = alc_of(&copy);
    size_t length;
    char *text = yyjson_val_write_opts(val(v), YYJSON_WRITE_ALLOW_INF_AND_NAN, &alc, &length, NULL);
    if (text == NULL) {
        return false;
    }
    sg_text_put(out, text, length);
    json_free(&copy, text);
    return !out->failed;
}

/* ---- Where a value stands -------------------------------------------------------------------- */

size_t sg_json_string_byte(const struct sg_json_doc *doc, sg_json v) {
    if (v.value == NULL || !is_string(val(v))) {
        return SIZE_MAX;
    }
    return (size_t)(val(v)->uni.str - doc->text);
}

static bool is_mark(char c) /* what stands between values */
{
    return c == ',' || c == ':' || c == ']' || c == '}' || c == ' ' || c == '\t' || c == '\n' ||
           c == '\r';
}

/* The start of the value that is `count` values before byte `at`; there is no string between. */
static size_t values_back(const char *text, size_t at, size_t count) {
    while (at > 0) {
        char c = text[at - 1];
        at--;
        if (is_mark(c)) {
            continue;
        }
        while (c != '[' && c != '{' && at > 0 && !is_mark(text[at - 1]) && text[at - 1] != '[' &&
               text[at - 1] != '{') {
            at--; /* a number or a word */
        }
        if (--count == 0) {
            return at;
        }
    }
    return SIZE_MAX;
}

/* Only strings remember their byte. But between a value and the next string of the document the
 * text is as it was, so counting values backwards from there finds the others. */
#define BYTE_SEARCH 4096

static size_t byte_of(const struct sg_json_doc *doc, const yyjson_val *v, size_t most) {
    const yyjson_val *end = values_end(doc);
    const yyjson_val *next = v;
    while (next < end && !is_string(next)) {
        next++;
        if ((size_t)(next - v) > most) {
            return SIZE_MAX;
        }
    }
    /* a string's text starts behind its quote */
    size_t at = next < end ? (size_t)(next->uni.str - doc->text) - 1 : doc->length;
    return next == v ? at : values_back(doc->text, at, (size_t)(next - v));
}

size_t sg_json_byte(const struct sg_json_doc *doc, sg_json v) {
    return v.value != NULL ? byte_of(doc, val(v), BYTE_SEARCH) : SIZE_MAX;
}

static bool is_plain_name(signet_string s) {
    for (size_t i = 0; i < s.length; i++) {
        char c = s.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) {
            return false;
        }
    }
    return s.length > 0;
}

static void put_name(struct sg_text *out, signet_string name) {
    if (is_plain_name(name)) {
        sg_text_putc(out, '.');
        sg_text_string(out, name);
    } else {
        sg_text_puts(out, "['");
        sg_text_escaped(out, name, '\'');
        sg_text_puts(out, "']");
    }
}

/* A container of the path goes on from where the last look into it ended, so that the paths of
 * many values, asked for in order, cost one walk together. */
static struct path_mark *resume(struct sg_json_doc *doc, const yyjson_val *container,
                                const yyjson_val *wanted, uint32_t depth) {
    struct path_mark *mark = &doc->marks[depth % PATH_MARKS];
    if (mark->container != container || (const yyjson_val *)mark->before.next > wanted) {
        mark->container = container;
        mark->before = sg_json_iter((sg_json){container});
        mark->index = 0;
    }
    return mark;
}

void sg_json_path(struct sg_json_doc *doc, sg_json v, struct sg_text *out) {
    sg_text_putc(out, '$');
    const yyjson_val *wanted = val(v);
    const yyjson_val *at = values_begin(doc);
    for (uint32_t depth = 0; at != NULL && at < wanted && wanted < value_after(at); depth++) {
        struct path_mark *mark = resume(doc, at, wanted, depth);
        struct sg_json_iter it = mark->before;
        while (sg_json_next(&it) && (const yyjson_val *)it.next <= wanted) {
            mark->before = it;
            mark->index++;
        }
        if (it.object) {
            put_name(out, it.name);
        } else {
            sg_text_printf(out, "[%u]", (unsigned)mark->index);
        }
        at = it.value.value;
    }
}

/* ---- Numbers --------------------------------------------------------------------------------- */

bool sg_number_write(double v, char out[SG_NUMBER_TEXT]) {
    _Alignas(max_align_t) char pool[512];
    yyjson_alc alc;
    size_t length = 0;
    if (!yyjson_alc_pool_init(&alc, pool, sizeof(pool))) {
        return false;
    }
    yyjson_mut_val number = {0};
    unsafe_yyjson_set_real(&number, v);
    const char *text = yyjson_mut_val_write_opts(&number, 0, &alc, &length, NULL);
    if (text == NULL || length >= SG_NUMBER_TEXT) {
        return false;
    }
    memcpy(out, text, length + 1);
    return true;
}

bool sg_number_read(signet_string text, double *out) {
    char copy[512];
    if (text.length > 0 && text.data[text.length - 1] == '.') {
        text.length--;
    }
    if (text.length == 0 || text.length >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text.data, text.length);
    copy[text.length] = '\0';
    yyjson_val number;
    const char *end = yyjson_read_number(copy, &number, YYJSON_READ_ALLOW_INF_AND_NAN, NULL, NULL);
    if (end != copy + text.length) {
        return false;
    }
    *out = sg_json_real((sg_json){&number});
    return true;
}
