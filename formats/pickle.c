/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pickle.h"

#include "base/compiler.h"
#include "base/endian.h"
#include "base/text.h"
#include "signet/ir.h"

#include <string.h>

enum operand { NOTHING, BYTES1, BYTES2, BYTES4, BYTES8, LINE, LINES2, SIZED1, SIZED4, SIZED8 };
enum { MARKED = 0xff, MOST_NODES = 1 << 22, MOST_PICKLES = 16 };
enum action {
    UNKNOWN,
    MARK,
    STOP,
    POP,
    DROP,
    DUP,
    OTHER,
    INT,
    LONG,
    TRUE,
    FALSE,
    PERSISTENT,
    CALL,
    STRING,
    QUOTED,
    GLOBAL,
    STACK_GLOBAL,
    EXTENSION,
    DICT,
    SET_ITEMS,
    TUPLE,
    GET,
    PUT,
    MEMOIZE,
};

struct op {
    uint8_t operand, pops, action;
};
static const struct op ops[256] = {
#define PICKLE_OP(byte, operand, pops, result) [byte] = {operand, pops, result},
#include "formats/pickle.def"
};

/* ---- Which imports are harmless -------------------------------------------------------------- */

/* '*' stands for any text without a point, "**" at the end for any text. */
static bool matches(const char *pattern, const char *text, size_t length) {
    const char *star = strchr(pattern, '*');
    size_t before = star != NULL ? (size_t)(star - pattern) : strlen(pattern);
    size_t after = star != NULL ? strlen(star + 1) : 0;
    bool any = star != NULL && star[1] == '*';
    if (length < before || memcmp(pattern, text, before) != 0) {
        return false;
    }
    if (any || star == NULL) {
        return any || length == before;
    }
    return length - before >= after && memcmp(text + length - after, star + 1, after) == 0 &&
           memchr(text + before, '.', length - before) == NULL;
}

static bool is_trusted(signet_string module, signet_string name) {
    static const char *const trusted[] = {
#define PICKLE_TRUSTED(name) name,
#include "formats/pickle.def"
#define SIGNET_DTYPE(id, number, short_name, torch_name, bytes) "torch." torch_name,
#include "signet/kinds.def"
    };
    char full[128];
    if (module.data == NULL || name.data == NULL || module.length > 60 || name.length > 60) {
        return false;
    }
    memcpy(full, module.data, module.length);
    full[module.length] = '.';
    memcpy(full + module.length + 1, name.data, name.length);
    for (size_t i = 0; i < SG_COUNT_OF(trusted); i++) {
        if (matches(trusted[i], full, module.length + 1 + name.length)) {
            return true;
        }
    }
    return false;
}

/* ---- The machine ----------------------------------------------------------------------------- */

static bool stop_at(struct sg_pickle *p, const char *problem, size_t at) {
    p->problem = problem;
    p->problem_at = at;
    return false;
}

static bool no_memory(struct sg_pickle *p) {
    p->no_memory = true;
    return stop_at(p, "no memory", p->at);
}

/* Operand of an instruction: a number, or one or two texts. */
struct operand_value {
    uint64_t number;
    const char *text, *second;
    size_t length, second_length;
};

static bool read_line(struct sg_pickle *p, const char **text, size_t *length) {
    const unsigned char *from = p->data + p->at;
    const unsigned char *end = p->at < p->size ? memchr(from, '\n', p->size - p->at) : NULL;
    if (end == NULL) {
        return false;
    }
    *text = (const char *)from;
    *length = (size_t)(end - from);
    p->at += *length + 1;
    return true;
}

static bool read_number(struct sg_pickle *p, size_t bytes, uint64_t *number) {
    if (p->size - p->at < bytes) {
        return false;
    }
    *number = 0;
    for (size_t i = bytes; i-- > 0;) {
        *number = *number << 8 | p->data[p->at + i];
    }
    p->at += bytes;
    return true;
}

static bool read_sized(struct sg_pickle *p, size_t bytes, struct operand_value *v) {
    if (!read_number(p, bytes, &v->number) || v->number > p->size - p->at) {
        return false;
    }
    v->text = (const char *)p->data + p->at;
    v->length = (size_t)v->number;
    p->at += v->length;
    return true;
}

static bool read_operand(struct sg_pickle *p, enum operand operand, struct operand_value *v) {
    switch (operand) {
    case NOTHING:
        return true;
    case BYTES1:
        return read_number(p, 1, &v->number);
    case BYTES2:
        return read_number(p, 2, &v->number);
    case BYTES4:
        return read_number(p, 4, &v->number);
    case BYTES8:
        return read_number(p, 8, &v->number);
    case LINE:
        return read_line(p, &v->text, &v->length);
    case LINES2:
        return read_line(p, &v->text, &v->length) && read_line(p, &v->second, &v->second_length);
    case SIZED1:
        return read_sized(p, 1, v);
    case SIZED4:
        return read_sized(p, 4, v);
    case SIZED8:
        return read_sized(p, 8, v);
    }
    return false;
}

static bool push(struct sg_pickle *p, uint32_t node) {
    if (!sg_vec_reserve(p->allocator, &p->stack, 1)) {
        return no_memory(p);
    }
    p->stack.data[p->stack.count++] = node;
    return true;
}

static bool push_node(struct sg_pickle *p, struct sg_pickle_node node) {
    if (p->nodes.count >= MOST_NODES) {
        return stop_at(p, "it holds more values than Signet looks at", p->at);
    }
    if (!sg_vec_reserve(p->allocator, &p->nodes, 1)) {
        return no_memory(p);
    }
    p->nodes.data[p->nodes.count] = node;
    return push(p, p->nodes.count++);
}

static uint32_t floor_of(const struct sg_pickle *p) {
    return p->marks.count > 0 ? p->marks.data[p->marks.count - 1] : 0;
}

/* Values that an instruction takes: the stack above *first. */
static bool take(struct sg_pickle *p, uint8_t pops, uint32_t *first, size_t at) {
    if (pops == MARKED) {
        if (p->marks.count == 0) {
            return stop_at(p, "an instruction wants a mark, and there is none", at);
        }
        *first = p->marks.data[--p->marks.count];
        return true;
    }
    if (p->stack.count - floor_of(p) < pops) {
        return stop_at(p, "an instruction takes more values than there are", at);
    }
    *first = p->stack.count - pops;
    return true;
}

static signet_string text_of(const struct sg_pickle *p, uint32_t node) {
    const struct sg_pickle_node *n = &p->nodes.data[node];
    signet_string s = {n->kind == SG_PICKLE_STRING ? n->text : NULL, n->length};
    return s;
}

static bool import(struct sg_pickle *p, signet_string module, signet_string name, size_t at) {
    uint32_t i = 0;
    while (i < p->imports.count && !(sg_string_equal(p->imports.data[i].module, module) &&
                                     sg_string_equal(p->imports.data[i].name, name))) {
        i++;
    }
    if (i == p->imports.count) {
        if (i >= 256) { /* distinct names; a list that long is no state dict */
            return stop_at(p, "it imports more names than Signet looks at", at);
        }
        if (!sg_vec_reserve(p->allocator, &p->imports, 1)) {
            return no_memory(p);
        }
        p->imports.data[p->imports.count++] =
            (struct sg_pickle_import){module, name, at, is_trusted(module, name)};
    }
    return push_node(p, (struct sg_pickle_node){.kind = SG_PICKLE_GLOBAL, .a = i});
}

static bool push_tuple(struct sg_pickle *p, uint32_t first) {
    uint32_t count = p->stack.count - first;
    struct sg_pickle_node node = {.kind = SG_PICKLE_TUPLE, .a = p->pool.count, .b = count};
    if (!sg_vec_reserve(p->allocator, &p->pool, count)) {
        return no_memory(p);
    }
    for (uint32_t i = 0; i < count; i++) {
        p->pool.data[p->pool.count++] = p->stack.data[first + i];
    }
    p->stack.count = first;
    return push_node(p, node);
}

/* Gives the pairs of the stack above first to the value below them. */
static bool set_items(struct sg_pickle *p, uint32_t first, size_t at) {
    if (first == 0) {
        return stop_at(p, "items are set on nothing", at);
    }
    uint32_t object = p->stack.data[first - 1];
    for (uint32_t i = first; i + 1 < p->stack.count; i += 2) {
        if (p->pairs.count == 0 && !sg_vec_reserve(p->allocator, &p->pairs, 1)) {
            return no_memory(p);
        }
        p->pairs.count += p->pairs.count == 0; /* pair 0 is none */
        if (!sg_vec_reserve(p->allocator, &p->pairs, 1)) {
            return no_memory(p);
        }
        uint32_t pair = p->pairs.count++;
        p->pairs.data[pair] = (struct sg_pickle_pair){p->stack.data[i], p->stack.data[i + 1], 0};
        struct sg_pickle_node *node = &p->nodes.data[object];
        if (object == 0) {
            continue; /* not an object that anybody asks for */
        }
        if (node->last_pair != 0) {
            p->pairs.data[node->last_pair].next = pair;
        } else {
            node->first_pair = pair;
        }
        node->last_pair = pair;
    }
    p->stack.count = first;
    return true;
}

static bool memo_put(struct sg_pickle *p, uint64_t key, size_t at) {
    if (p->stack.count == floor_of(p)) {
        return stop_at(p, "it remembers a value that is not there", at);
    }
    p->memo_count++;
    return sg_map_put(p->memo, key, p->stack.data[p->stack.count - 1] + 1) || no_memory(p);
}

static bool memo_get(struct sg_pickle *p, uint64_t key, size_t at) {
    uint32_t node = sg_map_get(p->memo, key);
    if (node == 0) {
        return stop_at(p, "it recalls a value that was never remembered", at);
    }
    return push(p, node - 1);
}

/* Keys of the memo are numbers, also where they are written as text. */
static uint64_t memo_key(const struct operand_value *v) {
    int64_t number;
    signet_string text = {v->text, v->length};
    return v->text != NULL && sg_parse_int(text, &number) ? (uint64_t)number : v->number;
}

/* A string of protocol 0 stands in quotes. */
static struct sg_pickle_node quoted(const struct operand_value *v) {
    struct sg_pickle_node node = {.kind = SG_PICKLE_STRING, .text = v->text, .length = v->length};
    if (v->length < 2 || memchr(v->text, '\\', v->length) != NULL) {
        node.kind = SG_PICKLE_OTHER;
    } else {
        node.text++;
        node.length -= 2;
    }
    return node;
}

/* A little-endian two's complement number of up to 8 bytes. */
static struct sg_pickle_node long_number(const struct operand_value *v) {
    struct sg_pickle_node node = {.kind = v->length <= 8 ? SG_PICKLE_INT : SG_PICKLE_OTHER};
    uint64_t number = 0;
    for (size_t i = v->length <= 8 ? v->length : 0; i-- > 0;) {
        number = number << 8 | (unsigned char)v->text[i];
    }
    if (v->length > 0 && v->length < 8 && ((unsigned char)v->text[v->length - 1] & 0x80) != 0) {
        number |= UINT64_MAX << (8 * v->length);
    }
    node.number = (int64_t)number;
    return node;
}

static bool pop(struct sg_pickle *p, size_t at) {
    if (p->stack.count > floor_of(p)) {
        p->stack.count--;
    } else if (p->marks.count > 0) {
        p->marks.count--;
    } else {
        return stop_at(p, "it takes a value off an empty stack", at);
    }
    return true;
}

static bool push_mark(struct sg_pickle *p) {
    if (!sg_vec_reserve(p->allocator, &p->marks, 1)) {
        return no_memory(p);
    }
    p->marks.data[p->marks.count++] = p->stack.count;
    return true;
}

static bool act(struct sg_pickle *p, enum action action, const struct operand_value *v,
                uint32_t first, size_t at) {
    const uint32_t *taken = p->stack.data + first;
    struct sg_pickle_node node = {.kind = SG_PICKLE_OTHER};
    switch (action) {
    case UNKNOWN:
        return stop_at(p, "no instruction of pickle", at);
    case MARK:
        return push_mark(p);
    case STOP:
        p->root = taken[0];
        return true;
    case POP:
        return pop(p, at);
    case DROP:
        p->stack.count = first;
        return true;
    case DUP:
        return p->stack.count > floor_of(p)
                   ? push(p, p->stack.data[p->stack.count - 1])
                   : stop_at(p, "it doubles a value of an empty stack", at);
    case OTHER:
        p->stack.count = first;
        return push(p, 0);
    case INT:
        node.kind = SG_PICKLE_INT;
        node.number = p->data[at] == 'J' ? (int32_t)(uint32_t)v->number : (int64_t)v->number;
        return push_node(p, node);
    case LONG:
        return push_node(p, long_number(v));
    case TRUE:
    case FALSE:
        node.kind = SG_PICKLE_BOOL;
        node.number = action == TRUE;
        return push_node(p, node);
    case PERSISTENT:
        node = (struct sg_pickle_node){.kind = SG_PICKLE_PERSISTENT, .a = taken[0]};
        p->stack.count = first;
        return push_node(p, node);
    case CALL:
        node = (struct sg_pickle_node){.kind = SG_PICKLE_CALL, .a = taken[0], .b = taken[1]};
        p->stack.count = first;
        return push_node(p, node);
    case STRING:
        node = (struct sg_pickle_node){SG_PICKLE_STRING, 0, 0, 0, 0, 0, v->text, v->length};
        return push_node(p, node);
    case QUOTED:
        return push_node(p, quoted(v));
    case GLOBAL:
        p->stack.count = first;
        return import(p, (signet_string){v->text, v->length},
                      (signet_string){v->second, v->second_length}, at);
    case STACK_GLOBAL: {
        signet_string module = text_of(p, taken[0]), name = text_of(p, taken[1]);
        p->stack.count = first;
        return import(p, module, name, at);
    }
    case EXTENSION:
        return import(p, (signet_string){NULL, 0}, (signet_string){NULL, 0}, at);
    case DICT:
        node.kind = SG_PICKLE_DICT;
        p->stack.count = first; /* pairs given at once come from protocol 0 only */
        return push_node(p, node);
    case SET_ITEMS:
        return set_items(p, first, at);
    case TUPLE:
        return push_tuple(p, first);
    case GET:
        return memo_get(p, memo_key(v), at);
    case PUT:
        return memo_put(p, memo_key(v), at);
    case MEMOIZE:
        return memo_put(p, p->memo_count, at);
    }
    return false;
}

/* One pickle, up to its end. */
static bool scan_one(struct sg_pickle *p) {
    p->stack.count = p->marks.count = p->memo_count = 0;
    while (p->at < p->size) {
        size_t at = p->at++;
        const struct op *op = &ops[p->data[at]];
        struct operand_value v = {0, NULL, NULL, 0, 0};
        uint32_t first = p->stack.count;
        if (!read_operand(p, (enum operand)op->operand, &v)) {
            return stop_at(p, "it ends inside an instruction", at);
        }
        if (op->pops != 0 && !take(p, op->pops, &first, at)) {
            return false;
        }
        if (!act(p, (enum action)op->action, &v, first, at)) {
            return false;
        }
        if (op->action == STOP) {
            return true;
        }
    }
    return stop_at(p, "it ends without its last instruction", p->size);
}

bool sg_pickle_scan(struct sg_pickle *p, const signet_allocator *a, const void *data, size_t size) {
    memset(p, 0, sizeof(*p));
    p->allocator = a;
    p->data = data;
    p->size = size;
    p->memo = sg_map_create(a);
    if (p->memo == NULL || !sg_vec_reserve(a, &p->nodes, 1) || !sg_vec_reserve(a, &p->stack, 1)) {
        return false;
    }
    p->nodes.data[p->nodes.count++] = (struct sg_pickle_node){.kind = SG_PICKLE_OTHER};
    /* Old files of torch.save are several pickles and then raw data. */
    for (int i = 0; i < MOST_PICKLES && scan_one(p); i++) {
        if (p->at >= size || p->data[p->at] != 0x80) {
            break;
        }
    }
    return !p->no_memory;
}

void sg_pickle_free(struct sg_pickle *p) {
    sg_map_destroy(p->memo);
    sg_vec_free(p->allocator, &p->nodes);
    sg_vec_free(p->allocator, &p->pairs);
    sg_vec_free(p->allocator, &p->pool);
    sg_vec_free(p->allocator, &p->imports);
    sg_vec_free(p->allocator, &p->stack);
    sg_vec_free(p->allocator, &p->marks);
}

bool sg_pickle_is(const struct sg_pickle *p, uint32_t node, const char *module, const char *name) {
    const struct sg_pickle_node *n = &p->nodes.data[node];
    return n->kind == SG_PICKLE_GLOBAL && sg_string_is(p->imports.data[n->a].module, module) &&
           sg_string_is(p->imports.data[n->a].name, name);
}
