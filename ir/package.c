/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ir/ir_internal.h"

/* Element 0 of every record array is all zero: the record behind a null id. */
#define RESERVE_NULL(p, vec) (sg_vec_reserve(&(p)->allocator, &(p)->vec, 1) && ((p)->vec.count = 1))

static bool reserve_null_records(signet_package *p) {
    if (!(RESERVE_NULL(p, sources) && RESERVE_NULL(p, programs) && RESERVE_NULL(p, graphs) &&
          RESERVE_NULL(p, nodes) && RESERVE_NULL(p, values) && RESERVE_NULL(p, args) &&
          RESERVE_NULL(p, delegates) && RESERVE_NULL(p, operators) && RESERVE_NULL(p, exprs) &&
          RESERVE_NULL(p, syms) && RESERVE_NULL(p, types) && RESERVE_NULL(p, expr_chain) &&
          RESERVE_NULL(p, sym_chain) && RESERVE_NULL(p, type_chain))) {
        return false;
    }
    p->nodes.data[0].hop_single_return = -1;
    return true;
}

/* The package itself comes from its own allocator. */
static signet_package *allocate_package(const signet_allocator *allocator) {
    const signet_allocator *a = allocator != NULL ? allocator : &sg_default_allocator;
    signet_package *p = sg_alloc(a, sizeof(*p));
    if (p != NULL) {
        p->allocator = *a;
        sg_arena_init(&p->arena, &p->allocator);
    }
    return p;
}

signet_status signet_package_create(signet_package **out, const signet_allocator *allocator,
                                    const signet_limits *limits) {
    if (out == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    *out = NULL;
    signet_package *p = allocate_package(allocator);
    if (p == NULL) {
        return SIGNET_E_NOMEM;
    }
    p->limits = limits != NULL ? *limits : signet_limits_default();
    p->carrier = SIGNET_CARRIER_MEMORY;
    p->strings = sg_strings_create(&p->allocator);
    p->names = sg_map_create(&p->allocator);
    p->interned = sg_map_create(&p->allocator);
    if (p->strings == NULL || p->names == NULL || p->interned == NULL || !reserve_null_records(p)) {
        signet_package_destroy(p);
        return SIGNET_E_NOMEM;
    }
    *out = p;
    return SIGNET_OK;
}

static void free_program(const signet_allocator *a, struct sg_program *r) {
    sg_vec_free(a, &r->specs[SIGNET_INPUT]);
    sg_vec_free(a, &r->specs[SIGNET_OUTPUT]);
    sg_vec_free(a, &r->states);
    sg_vec_free(a, &r->calls);
    sg_vec_free(a, &r->ranges);
    sg_vec_free(a, &r->dialects);
    sg_vec_free(a, &r->guards);
    sg_vec_free(a, &r->opsets);
    sg_vec_free(a, &r->metadata);
}

static void free_records(signet_package *p) {
    const signet_allocator *a = &p->allocator;
    for (uint32_t i = 0; i < p->programs.count; i++) {
        free_program(a, &p->programs.data[i]);
    }
    for (uint32_t i = 0; i < p->sources.count; i++) {
        sg_vec_free(a, &p->sources.data[i].lines);
    }
    sg_vec_free(a, &p->sources);
    sg_vec_free(a, &p->programs);
    sg_vec_free(a, &p->graphs);
    sg_vec_free(a, &p->nodes);
    sg_vec_free(a, &p->values);
    sg_vec_free(a, &p->value_of_name);
    sg_vec_free(a, &p->args);
    sg_vec_free(a, &p->pairs);
    sg_vec_free(a, &p->delegates);
    sg_vec_free(a, &p->operators);
    sg_vec_free(a, &p->operator_of);
    sg_vec_free(a, &p->exprs);
    sg_vec_free(a, &p->syms);
    sg_vec_free(a, &p->types);
    sg_vec_free(a, &p->dims);
    sg_vec_free(a, &p->expr_chain);
    sg_vec_free(a, &p->sym_chain);
    sg_vec_free(a, &p->type_chain);
}

void signet_package_destroy(signet_package *p) {
    if (p == NULL) {
        return;
    }
    free_records(p);
    sg_strings_destroy(p->strings);
    sg_map_destroy(p->names);
    sg_map_destroy(p->interned);
    for (uint32_t i = 0; i < p->blocks.count; i++) {
        sg_free(&p->allocator, p->blocks.data[i].memory, p->blocks.data[i].size);
    }
    sg_vec_free(&p->allocator, &p->blocks);
    sg_arena_free(&p->arena);
    signet_allocator a = p->allocator;
    sg_free(&a, p, sizeof(*p));
}

signet_status signet_package_status(const signet_package *p) {
    return p != NULL ? p->status : SIGNET_E_INVALID_ARG;
}

void sg_package_fail(signet_package *p, signet_status status) {
    if (p->status == SIGNET_OK) {
        p->status = status;
    }
}

signet_carrier signet_package_carrier(const signet_package *p) {
    return p->carrier;
}

bool sg_package_adopt(signet_package *p, void *block, size_t size) {
    if (!sg_vec_reserve(&p->allocator, &p->blocks, 1)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return false;
    }
    p->blocks.data[p->blocks.count++] = (struct sg_block){block, size};
    return true;
}

/* ---- Strings and sources --------------------------------------------------------------------- */

static sg_strid checked(signet_package *p, signet_string s, uint32_t id) {
    if (id == 0 && s.data != NULL) {
        sg_package_fail(p, SIGNET_E_NOMEM);
    }
    return id;
}

sg_strid sg_intern(signet_package *p, signet_string s) {
    return checked(p, s, sg_strings_intern(p->strings, s));
}

sg_strid sg_intern_text(signet_package *p, const char *text) {
    return sg_intern(p, signet_str(text));
}

sg_strid sg_intern_borrowed(signet_package *p, signet_string s) {
    return checked(p, s, sg_strings_intern_borrowed(p->strings, s));
}

sg_strid sg_intern_single(signet_package *p, signet_string s) {
    return checked(p, s, sg_strings_add_borrowed(p->strings, s));
}

static bool find_lines(signet_package *p, struct sg_source *s) {
    uint32_t count = 1;
    for (size_t i = 0; i < s->length; i++) {
        count += s->text[i] == '\n';
    }
    if (!sg_vec_reserve(&p->allocator, &s->lines, count) || s->lines.data == NULL) {
        return false;
    }
    s->lines.data[s->lines.count++] = 0;
    for (size_t i = 0; i < s->length; i++) {
        if (s->text[i] == '\n') {
            s->lines.data[s->lines.count++] = (uint32_t)(i + 1);
        }
    }
    return true;
}

uint32_t sg_source_add(signet_package *p, signet_carrier carrier, signet_string file,
                       signet_string entry, const char *text, size_t length) {
    struct sg_source s = {.file = sg_intern(p, file),
                          .entry = sg_intern(p, entry),
                          .carrier = carrier,
                          .text = text,
                          .length = length};
    if (text != NULL && length >= UINT32_MAX) {
        sg_package_fail(p, SIGNET_E_LIMIT);
        return 0;
    }
    if ((text != NULL && !find_lines(p, &s)) || !sg_vec_reserve(&p->allocator, &p->sources, 1)) {
        sg_vec_free(&p->allocator, &s.lines);
        sg_package_fail(p, SIGNET_E_NOMEM);
        return 0;
    }
    p->sources.data[p->sources.count++] = s;
    return p->sources.count - 1;
}

void sg_source_line(const struct sg_source *s, size_t offset, uint32_t *line, uint32_t *column) {
    uint32_t low = 0;
    uint32_t high = s->lines.count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->lines.data[middle] <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *line = low + 1;
    *column = high > 0 ? (uint32_t)(offset - s->lines.data[low]) + 1 : 0;
}
