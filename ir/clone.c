/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ir/ir_internal.h"

/* Copies a vector; false: no memory (the copy is empty then). */
static bool copy_vec(const signet_allocator *a, void **data, uint32_t *count, uint32_t *capacity,
                     const void *from, uint32_t from_count, size_t element_size) {
    *data = NULL;
    *count = *capacity = 0;
    if (from_count == 0) {
        return true;
    }
    /* Just as large, and not zeroed first: memory that is touched twice costs twice. */
    size_t size = (size_t)from_count * element_size;
    *data = a->allocate(a->context, size);
    if (*data == NULL) {
        return false;
    }
    memcpy(*data, from, size);
    *count = *capacity = from_count;
    return true;
}

#define COPY(a, to, from)                                                                          \
    copy_vec((a), (void **)(void *)&(to)->data, &(to)->count, &(to)->capacity, (from)->data,       \
             (from)->count, sizeof(*(from)->data))

static bool copy_program(const signet_allocator *a, struct sg_program *to,
                         const struct sg_program *from) {
    /* Every vector is set, also after a failure: nothing may be shared with `from`. */
    bool ok = COPY(a, &to->specs[SIGNET_INPUT], &from->specs[SIGNET_INPUT]);
    ok &= COPY(a, &to->specs[SIGNET_OUTPUT], &from->specs[SIGNET_OUTPUT]);
    ok &= COPY(a, &to->states, &from->states);
    ok &= COPY(a, &to->calls, &from->calls);
    ok &= COPY(a, &to->ranges, &from->ranges);
    ok &= COPY(a, &to->dialects, &from->dialects);
    ok &= COPY(a, &to->guards, &from->guards);
    ok &= COPY(a, &to->opsets, &from->opsets);
    ok &= COPY(a, &to->metadata, &from->metadata);
    return ok;
}

static bool copy_programs(signet_package *to, const signet_package *from) {
    bool ok = COPY(&to->allocator, &to->programs, &from->programs);
    for (uint32_t i = 0; i < to->programs.count; i++) {
        ok &= copy_program(&to->allocator, &to->programs.data[i], &from->programs.data[i]);
    }
    return ok;
}

static bool copy_sources(signet_package *to, const signet_package *from) {
    bool ok = COPY(&to->allocator, &to->sources, &from->sources);
    for (uint32_t i = 0; i < to->sources.count; i++) {
        struct sg_source *s = &to->sources.data[i];
        ok &= COPY(&to->allocator, &s->lines, &from->sources.data[i].lines);
        if (s->text != NULL) {
            s->text = sg_arena_text(&to->arena, s->text, s->length);
            ok &= s->text != NULL;
        }
    }
    return ok;
}

static bool copy_records(signet_package *to, const signet_package *from) {
    const signet_allocator *a = &to->allocator;
    return COPY(a, &to->graphs, &from->graphs) && COPY(a, &to->nodes, &from->nodes) &&
           COPY(a, &to->values, &from->values) &&
           COPY(a, &to->value_of_name, &from->value_of_name) && COPY(a, &to->args, &from->args) &&
           COPY(a, &to->pairs, &from->pairs) && COPY(a, &to->delegates, &from->delegates) &&
           COPY(a, &to->operators, &from->operators) &&
           COPY(a, &to->operator_of, &from->operator_of) && COPY(a, &to->exprs, &from->exprs) &&
           COPY(a, &to->syms, &from->syms) && COPY(a, &to->types, &from->types) &&
           COPY(a, &to->dims, &from->dims) && COPY(a, &to->expr_chain, &from->expr_chain) &&
           COPY(a, &to->sym_chain, &from->sym_chain) && COPY(a, &to->type_chain, &from->type_chain);
}

static void free_vectors(signet_package *to) {
    const signet_allocator *a = &to->allocator;
    sg_vec_free(a, &to->sources);
    sg_vec_free(a, &to->programs);
    sg_vec_free(a, &to->graphs);
    sg_vec_free(a, &to->nodes);
    sg_vec_free(a, &to->values);
    sg_vec_free(a, &to->args);
    sg_vec_free(a, &to->delegates);
    sg_vec_free(a, &to->operators);
    sg_vec_free(a, &to->exprs);
    sg_vec_free(a, &to->syms);
    sg_vec_free(a, &to->types);
    sg_vec_free(a, &to->expr_chain);
    sg_vec_free(a, &to->sym_chain);
    sg_vec_free(a, &to->type_chain);
}

signet_status signet_package_clone(signet_package **out, const signet_package *from,
                                   const signet_allocator *allocator) {
    if (out == NULL || from == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    *out = NULL;
    signet_package *to = NULL;
    signet_status rc =
        signet_package_create(&to, allocator != NULL ? allocator : &from->allocator, &from->limits);
    if (rc != SIGNET_OK) {
        return rc;
    }
    to->status = from->status;
    to->carrier = from->carrier;
    to->redefined_count = from->redefined_count;
    to->interned_seed = from->interned_seed;
    free_vectors(to); /* the null records come with the copies */
    sg_strings_destroy(to->strings);
    sg_map_destroy(to->names);
    sg_map_destroy(to->interned);
    to->strings = sg_strings_clone(from->strings, &to->allocator);
    to->names = sg_map_clone(from->names, &to->allocator);
    to->interned = sg_map_clone(from->interned, &to->allocator);
    if (to->strings == NULL || to->names == NULL || to->interned == NULL ||
        !copy_programs(to, from) || !copy_sources(to, from) || !copy_records(to, from)) {
        signet_package_destroy(to);
        return SIGNET_E_NOMEM;
    }
    *out = to;
    return SIGNET_OK;
}
