/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbolic expressions: each distinct one is one record. Sums and products are kept flat, their
 * numbers put together and their operands in one order, so that every spelling of a sum is the same
 * expression; nothing else is simplified, and nothing is evaluated.
 */

#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/text.h"
#include "ir/intern_internal.h"

/* ---- Records --------------------------------------------------------------------------------- */

static uint64_t structural_hash(const signet_package *p, const struct sg_expr *e,
                                const uint32_t *operands) {
    signet_string name = sg_string(p, e->name);
    struct sg_hasher h;
    sg_hasher_init(&h);
    sg_hasher_u64(&h, e->head);
    sg_hasher_u64(&h, (uint64_t)e->number);
    sg_hasher_bytes(&h, name.data, name.length);
    for (uint32_t i = 0; i < e->operands.count; i++) {
        sg_hasher_u64(&h, sg_expr(p, operands[i])->hash);
    }
    signet_hash done = sg_hasher_done(&h);
    uint64_t hash = 0;
    for (int i = 0; i < 8; i++) {
        hash = hash << 8 | done.bytes[i];
    }
    return hash;
}

static bool same_record(const signet_package *p, const struct sg_expr *a, const struct sg_expr *b,
                        const uint32_t *operands) {
    return a->head == b->head && a->name == b->name && a->number == b->number &&
           a->operands.count == b->operands.count &&
           (a->operands.count == 0 || memcmp(&p->dims.data[a->operands.first], operands,
                                             a->operands.count * sizeof(*operands)) == 0);
}

/* operands: not part of p->dims */
static sg_expr_problem intern(signet_package *p, struct sg_expr e, const uint32_t *operands,
                              uint32_t *out) {
    uint64_t words[3] = {(uint64_t)e.head << 32 | e.name, (uint64_t)e.number, e.operands.count};
    uint64_t key = sg_intern_key_ids(p, SG_INTERNED_EXPR, words, 3, operands, e.operands.count);
    uint32_t newest = sg_map_get(p->interned, key);
    for (uint32_t id = newest; id != 0; id = p->expr_chain.data[id]) {
        if (same_record(p, &p->exprs.data[id], &e, operands)) {
            *out = id;
            return SG_EXPR_OK;
        }
    }
    const signet_allocator *a = &p->allocator;
    if (!sg_vec_reserve(a, &p->dims, e.operands.count) || !sg_vec_reserve(a, &p->exprs, 1) ||
        !sg_vec_reserve(a, &p->expr_chain, 1) || !sg_map_put(p->interned, key, p->exprs.count)) {
        return SG_EXPR_NO_MEMORY;
    }
    e.hash = structural_hash(p, &e, operands);
    e.operands.first = p->dims.count;
    for (uint32_t i = 0; i < e.operands.count; i++) {
        p->dims.data[p->dims.count++] = operands[i];
    }
    p->exprs.data[p->exprs.count] = e;
    p->expr_chain.data[p->expr_chain.count++] = newest;
    *out = p->exprs.count++;
    return SG_EXPR_OK;
}

sg_expr_problem sg_expr_integer(signet_package *p, int64_t number, uint32_t *out) {
    struct sg_expr e = {.head = SIGNET_EXPR_INTEGER, .number = number, .depth = 1, .size = 1};
    return intern(p, e, NULL, out);
}

sg_expr_problem sg_expr_named(signet_package *p, signet_expr_head head, sg_strid name,
                              uint32_t *out) {
    if (name == 0) {
        return SG_EXPR_NO_MEMORY;
    }
    struct sg_expr e = {.head = (uint8_t)head, .name = name, .depth = 1, .size = 1};
    return intern(p, e, NULL, out);
}

static sg_expr_problem intern_compound(signet_package *p, signet_expr_head head, sg_strid name,
                                       const uint32_t *operands, uint32_t count, uint32_t *out) {
    uint64_t depth = 0;
    uint64_t size = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct sg_expr *operand = sg_expr(p, operands[i]);
        depth = operand->depth > depth ? operand->depth : depth;
        size += operand->size;
    }
    if (depth >= SG_EXPR_DEPTH || depth >= p->limits.expression_depth) {
        return SG_EXPR_TOO_DEEP;
    }
    if (size > SG_EXPR_SIZE) {
        return SG_EXPR_TOO_LARGE;
    }
    struct sg_expr e = {.head = (uint8_t)head,
                        .name = name,
                        .operands = {0, count},
                        .depth = (uint32_t)depth + 1,
                        .size = (uint32_t)size};
    return intern(p, e, operands, out);
}

/* ---- Order ----------------------------------------------------------------------------------- */

static int order(uint64_t x, uint64_t y) {
    return x < y ? -1 : x > y;
}

/* Without looking at operands. */
static int compare_heads(const signet_package *a, const struct sg_expr *x, const signet_package *b,
                         const struct sg_expr *y) {
    if (x->hash != y->hash) {
        return order(x->hash, y->hash);
    }
    if (x->head != y->head) {
        return order(x->head, y->head);
    }
    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    if (x->operands.count != y->operands.count) {
        return order(x->operands.count, y->operands.count);
    }
    signet_string m = sg_string(a, x->name);
    signet_string n = sg_string(b, y->name);
    if (m.length != n.length) {
        return order(m.length, n.length);
    }
    return m.length != 0 ? memcmp(m.data, n.data, m.length) : 0;
}

int sg_expr_compare(const signet_package *a, uint32_t x, const signet_package *b, uint32_t y) {
    struct {
        uint32_t x, y, left; /* runs in dims */
    } stack[SG_EXPR_DEPTH];
    uint32_t depth = 0;
    for (;;) {
        if (a != b || x != y) {
            const struct sg_expr *e = sg_expr(a, x);
            const struct sg_expr *f = sg_expr(b, y);
            int c = compare_heads(a, e, b, f);
            if (c != 0) {
                return c;
            }
            if (e->operands.count != 0) {
                stack[depth].x = e->operands.first;
                stack[depth].y = f->operands.first;
                stack[depth++].left = e->operands.count;
            }
        }
        while (depth != 0 && stack[depth - 1].left == 0) {
            depth--;
        }
        if (depth == 0) {
            return 0;
        }
        stack[depth - 1].left--;
        x = a->dims.data[stack[depth - 1].x++];
        y = b->dims.data[stack[depth - 1].y++];
    }
}

static bool before(const signet_package *p, uint32_t x, uint32_t y) {
    return sg_expr_compare(p, x, p, y) < 0;
}

static void sift_down(const signet_package *p, uint32_t *ids, uint32_t at, uint32_t count) {
    while (at < count / 2) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count && before(p, ids[child], ids[child + 1])) {
            child++;
        }
        if (!before(p, ids[at], ids[child])) {
            return;
        }
        uint32_t swap = ids[at];
        ids[at] = ids[child];
        ids[child] = swap;
        at = child;
    }
}

/* Heap sort: in place, and never slow on any order. */
static void sort(const signet_package *p, uint32_t *ids, uint32_t count) {
    for (uint32_t i = count / 2; i-- > 0;) {
        sift_down(p, ids, i, count);
    }
    for (uint32_t end = count; end > 1;) {
        end--;
        uint32_t swap = ids[0];
        ids[0] = ids[end];
        ids[end] = swap;
        sift_down(p, ids, 0, end);
    }
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static uint64_t magnitude(int64_t v) {
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static bool to_signed(bool negative, uint64_t magnitude_, int64_t *out) {
    if (magnitude_ > (uint64_t)INT64_MAX + negative) {
        return false;
    }
    *out = negative ? (int64_t)(0 - magnitude_) : (int64_t)magnitude_;
    return true;
}

static bool multiply(int64_t x, int64_t y, int64_t *out) {
    uint64_t m = magnitude(x);
    uint64_t n = magnitude(y);
    return (n == 0 || m <= UINT64_MAX / n) && to_signed((x < 0) != (y < 0), m * n, out);
}

static bool add(int64_t x, int64_t y, int64_t *out) {
    if ((y > 0 && x > INT64_MAX - y) || (y < 0 && x < INT64_MIN - y)) {
        return false;
    }
    *out = x + y;
    return true;
}

static uint64_t gcd(uint64_t x, uint64_t y) {
    while (y != 0) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

/* Lowest terms, the sign in the numerator; false: does not fit. */
static bool reduce(struct sg_fraction *f) {
    uint64_t m = magnitude(f->numerator);
    uint64_t n = magnitude(f->denominator);
    uint64_t g = gcd(m, n);
    bool negative = (f->numerator < 0) != (f->denominator < 0);
    return to_signed(negative, m / g, &f->numerator) && to_signed(false, n / g, &f->denominator);
}

static bool times(struct sg_fraction *f, struct sg_fraction g) {
    return multiply(f->numerator, g.numerator, &f->numerator) &&
           multiply(f->denominator, g.denominator, &f->denominator) && reduce(f);
}

static bool plus(struct sg_fraction *f, struct sg_fraction g) {
    int64_t x, y;
    return multiply(f->numerator, g.denominator, &x) && multiply(g.numerator, f->denominator, &y) &&
           add(x, y, &f->numerator) && multiply(f->denominator, g.denominator, &f->denominator) &&
           reduce(f);
}

static bool is_named(const signet_package *p, const struct sg_expr *e, const char *name) {
    return e->head == SIGNET_EXPR_FUNCTION && sg_string_is(sg_string(p, e->name), name);
}

bool sg_expr_fraction(const signet_package *p, uint32_t expr, struct sg_fraction *out) {
    const struct sg_expr *e = sg_expr(p, expr);
    if (e->head == SIGNET_EXPR_INTEGER) {
        *out = (struct sg_fraction){e->number, 1};
        return true;
    }
    if (e->operands.count != 2 || !is_named(p, e, "Rational")) {
        return false;
    }
    const struct sg_expr *m = sg_expr(p, p->dims.data[e->operands.first]);
    const struct sg_expr *n = sg_expr(p, p->dims.data[e->operands.first + 1]);
    *out = (struct sg_fraction){m->number, n->number};
    return m->head == SIGNET_EXPR_INTEGER && n->head == SIGNET_EXPR_INTEGER && n->number > 0;
}

sg_expr_problem sg_expr_rational(signet_package *p, int64_t numerator, int64_t denominator,
                                 uint32_t *out) {
    struct sg_fraction f = {numerator, denominator};
    if (!reduce(&f)) {
        f = (struct sg_fraction){numerator, denominator};
    } else if (f.denominator == 1) {
        return sg_expr_integer(p, f.numerator, out);
    }
    uint32_t parts[2];
    sg_strid name = sg_intern_text(p, "Rational");
    if (name == 0 || sg_expr_integer(p, f.numerator, &parts[0]) != SG_EXPR_OK ||
        sg_expr_integer(p, f.denominator, &parts[1]) != SG_EXPR_OK) {
        return SG_EXPR_NO_MEMORY;
    }
    return intern_compound(p, SIGNET_EXPR_FUNCTION, name, parts, 2, out);
}

/* ---- Sums and products ----------------------------------------------------------------------- */

/* Operands of a sum or product while it is made. */
struct terms {
    uint32_t *ids;
    uint32_t count;
};

/* Operands, with those of operands of the same head in their place. */
static void flatten(const signet_package *p, signet_expr_head head, const uint32_t *operands,
                    uint32_t count, struct terms *t) {
    for (uint32_t i = 0; i < count; i++) {
        const struct sg_expr *e = sg_expr(p, operands[i]);
        if (e->head != head) {
            t->ids[t->count++] = operands[i];
            continue;
        }
        for (uint32_t k = 0; k < e->operands.count; k++) {
            t->ids[t->count++] = p->dims.data[e->operands.first + k];
        }
    }
}

/* Puts the numbers among the terms together, unless the result does not fit. The terms are sorted
 * before and after. */
static sg_expr_problem fold(signet_package *p, signet_expr_head head, struct terms *t) {
    bool is_sum = head == SIGNET_EXPR_ADD;
    struct sg_fraction total = {is_sum ? 0 : 1, 1};
    struct sg_fraction f;
    for (uint32_t i = 0; i < t->count; i++) {
        if (sg_expr_fraction(p, t->ids[i], &f) && !(is_sum ? plus(&total, f) : times(&total, f))) {
            return SG_EXPR_OK;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!sg_expr_fraction(p, t->ids[i], &f)) {
            t->ids[kept++] = t->ids[i];
        }
    }
    bool neutral = total.numerator == (is_sum ? 0 : 1) && total.denominator == 1;
    if (kept == 0 || !neutral) { /* there was a number, so there is room for one */
        uint32_t id;
        sg_expr_problem problem = sg_expr_rational(p, total.numerator, total.denominator, &id);
        if (problem != SG_EXPR_OK) {
            return problem;
        }
        uint32_t at = kept++;
        for (; at != 0 && before(p, id, t->ids[at - 1]); at--) {
            t->ids[at] = t->ids[at - 1];
        }
        t->ids[at] = id;
    }
    t->count = kept;
    return SG_EXPR_OK;
}

static sg_expr_problem build_terms(signet_package *p, signet_expr_head head,
                                   const uint32_t *operands, uint32_t count, struct terms *t,
                                   uint32_t *out) {
    flatten(p, head, operands, count, t);
    sort(p, t->ids, t->count);
    sg_expr_problem problem = fold(p, head, t);
    if (problem != SG_EXPR_OK) {
        return problem;
    }
    if (t->count == 1) {
        *out = t->ids[0];
        return SG_EXPR_OK;
    }
    return intern_compound(p, head, 0, t->ids, t->count, out);
}

static sg_expr_problem build_nary(signet_package *p, signet_expr_head head,
                                  const uint32_t *operands, uint32_t count, uint32_t *out) {
    uint64_t flat = 1; /* for the number of an empty sum */
    for (uint32_t i = 0; i < count; i++) {
        const struct sg_expr *e = sg_expr(p, operands[i]);
        flat += e->head == head ? e->operands.count : 1;
    }
    if (flat > SG_EXPR_SIZE) {
        return SG_EXPR_TOO_LARGE;
    }
    uint32_t few[16];
    struct terms t = {few, 0};
    if (flat > SG_COUNT_OF(few)) {
        t.ids = sg_alloc(&p->allocator, (size_t)flat * sizeof(*t.ids));
        if (t.ids == NULL) {
            return SG_EXPR_NO_MEMORY;
        }
    }
    sg_expr_problem problem = build_terms(p, head, operands, count, &t, out);
    if (t.ids != few) {
        sg_free(&p->allocator, t.ids, (size_t)flat * sizeof(*t.ids));
    }
    return problem;
}

bool sg_expr_is_commutative(signet_string name) {
    static const char *const names[] = {"Max", "Min", "And", "Or", "Xor"};
    for (size_t i = 0; i < SG_COUNT_OF(names); i++) {
        if (sg_string_is(name, names[i])) {
            return true;
        }
    }
    return false;
}

static sg_expr_problem build_function(signet_package *p, sg_strid name, const uint32_t *operands,
                                      uint32_t count, uint32_t *out) {
    signet_string text = sg_string(p, name);
    if (count == 2 && sg_string_is(text, "Rational")) {
        const struct sg_expr *m = sg_expr(p, operands[0]);
        const struct sg_expr *n = sg_expr(p, operands[1]);
        if (m->head == SIGNET_EXPR_INTEGER && n->head == SIGNET_EXPR_INTEGER && n->number != 0) {
            return sg_expr_rational(p, m->number, n->number, out);
        }
    }
    if (count == 0) {
        return sg_expr_named(p, SIGNET_EXPR_FUNCTION, name, out);
    }
    size_t bytes;
    uint32_t *ids = sg_mul_ok(count, sizeof(*ids), &bytes) ? sg_alloc(&p->allocator, bytes) : NULL;
    if (ids == NULL) {
        return SG_EXPR_NO_MEMORY;
    }
    memcpy(ids, operands, bytes);
    if (sg_expr_is_commutative(text)) {
        sort(p, ids, count);
    }
    sg_expr_problem problem = intern_compound(p, SIGNET_EXPR_FUNCTION, name, ids, count, out);
    sg_free(&p->allocator, ids, bytes);
    return problem;
}

sg_expr_problem sg_expr_build(signet_package *p, signet_expr_head head, sg_strid name,
                              const uint32_t *operands, uint32_t count, uint32_t *out) {
    if (head == SIGNET_EXPR_FUNCTION) {
        return build_function(p, name, operands, count, out);
    }
    return build_nary(p, head, operands, count, out);
}

/* ---- Public ---------------------------------------------------------------------------------- */

static signet_expr answer(signet_package *p, sg_expr_problem problem, const uint32_t *id) {
    switch (problem) {
    case SG_EXPR_OK:
        return (signet_expr){*id};
    case SG_EXPR_NO_MEMORY:
        sg_package_fail(p, SIGNET_E_NOMEM);
        break;
    case SG_EXPR_TOO_DEEP:
    case SG_EXPR_TOO_LARGE:
        sg_package_fail(p, SIGNET_E_LIMIT);
        break;
    }
    return (signet_expr){0};
}

signet_expr signet_expr_integer(signet_package *p, int64_t number) {
    uint32_t id = 0;
    return answer(p, sg_expr_integer(p, number, &id), &id);
}

signet_expr signet_expr_symbol(signet_package *p, signet_string name) {
    if (name.data == NULL) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return (signet_expr){0};
    }
    uint32_t id = 0;
    return answer(p, sg_expr_named(p, SIGNET_EXPR_SYMBOL, sg_intern(p, name), &id), &id);
}

signet_expr signet_expr_make(signet_package *p, signet_expr_head head, signet_string function,
                             const signet_expr *operands, uint32_t count) {
    bool is_function = head == SIGNET_EXPR_FUNCTION;
    bool fits =
        is_function ? function.data != NULL : head == SIGNET_EXPR_ADD || head == SIGNET_EXPR_MUL;
    bool complete = true;
    for (uint32_t i = 0; i < count; i++) {
        fits = fits && operands[i].id < p->exprs.count;
        complete = complete && operands[i].id != 0;
    }
    if (!fits) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
    }
    if (!fits || !complete) {
        return (signet_expr){0};
    }
    sg_strid name = is_function ? sg_intern(p, function) : 0;
    if (is_function && name == 0) {
        return (signet_expr){0};
    }
    uint32_t id = 0;
    /* signet_expr is a struct of one uint32_t. */
    return answer(p, sg_expr_build(p, head, name, (const uint32_t *)operands, count, &id), &id);
}

signet_expr_head signet_expr_get_head(const signet_package *p, signet_expr expr) {
    return (signet_expr_head)sg_expr(p, expr.id)->head;
}

int64_t signet_expr_number(const signet_package *p, signet_expr expr) {
    return sg_expr(p, expr.id)->number;
}

signet_string signet_expr_name(const signet_package *p, signet_expr expr) {
    return sg_string(p, sg_expr(p, expr.id)->name);
}

uint32_t signet_expr_operand_count(const signet_package *p, signet_expr expr) {
    return sg_expr(p, expr.id)->operands.count;
}

signet_expr signet_expr_operand(const signet_package *p, signet_expr expr, uint32_t i) {
    const struct sg_expr *e = sg_expr(p, expr.id);
    return (signet_expr){i < e->operands.count ? p->dims.data[e->operands.first + i] : 0};
}
