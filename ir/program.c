/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_internal.h"

/* The record to change, or null for a null id. */
static struct sg_program *edit(signet_package *p, signet_program program) {
    if (program.id == 0 || program.id >= p->programs.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return NULL;
    }
    return &p->programs.data[program.id];
}

/* Room for one more element of a program's vector; false is noted in the package. */
#define ROOM(p, vec) (sg_vec_reserve(&(p)->allocator, (vec), 1) || no_memory(p))

static bool no_memory(signet_package *p) {
    sg_package_fail(p, SIGNET_E_NOMEM);
    return false;
}

signet_program signet_program_add(signet_package *p, signet_string name, signet_program_role role) {
    sg_strid id = sg_intern(p, name);
    if (!ROOM(p, &p->programs) || !ROOM(p, &p->graphs)) {
        return (signet_program){0};
    }
    signet_program program = {p->programs.count++};
    p->programs.data[program.id] =
        (struct sg_program){.name = id, .role = (uint8_t)role, .graph = p->graphs.count};
    p->graphs.data[p->graphs.count++] = (struct sg_graph){.program = program.id};
    return program;
}

uint32_t signet_program_count(const signet_package *p) {
    return p->programs.count - 1;
}

signet_program signet_program_at(const signet_package *p, uint32_t i) {
    return (signet_program){i < p->programs.count - 1 ? i + 1 : 0};
}

signet_program signet_program_find(const signet_package *p, signet_string name) {
    uint32_t id = sg_strings_find(p->strings, name);
    for (uint32_t i = 1; id != 0 && i < p->programs.count; i++) {
        if (p->programs.data[i].name == id) {
            return (signet_program){i};
        }
    }
    return (signet_program){0};
}

signet_string signet_program_name(const signet_package *p, signet_program program) {
    return sg_string(p, sg_program(p, program.id)->name);
}

signet_program_role signet_program_get_role(const signet_package *p, signet_program program) {
    return (signet_program_role)sg_program(p, program.id)->role;
}

signet_graph signet_program_graph(const signet_package *p, signet_program program) {
    return (signet_graph){sg_program(p, program.id)->graph};
}

signet_delegate signet_program_delegate(const signet_package *p, signet_program program) {
    return (signet_delegate){sg_program(p, program.id)->delegate};
}

bool signet_program_is_lossy(const signet_package *p, signet_program program) {
    return sg_program(p, program.id)->lossy;
}

void signet_program_set_lossy(signet_package *p, signet_program program, bool lossy) {
    struct sg_program *r = edit(p, program);
    if (r != NULL) {
        r->lossy = lossy;
    }
}

bool signet_program_has_state_tables(const signet_package *p, signet_program program) {
    return sg_program(p, program.id)->has_state_tables;
}

void signet_program_set_state_tables(signet_package *p, signet_program program, bool known) {
    struct sg_program *r = edit(p, program);
    if (r != NULL) {
        r->has_state_tables = known;
    }
}

signet_stage signet_program_stage(const signet_package *p, signet_program program) {
    return (signet_stage)sg_program(p, program.id)->stage;
}

void signet_program_set_stage(signet_package *p, signet_program program, signet_stage stage) {
    struct sg_program *r = edit(p, program);
    if (r != NULL) {
        r->stage = (uint8_t)stage;
    }
}

void sg_program_set_source(signet_package *p, signet_program program, uint32_t source) {
    struct sg_program *r = edit(p, program);
    if (r != NULL) {
        r->source = source;
    }
}

/* ---- Version facts --------------------------------------------------------------------------- */

void signet_program_get_info(const signet_package *p, signet_program program,
                             signet_program_info *info) {
    const struct sg_program *r = sg_program(p, program.id);
    info->schema_major = r->schema_major;
    info->schema_minor = r->schema_minor;
    info->torch_version = sg_string(p, r->torch_version);
    info->has_dialects = r->has_dialects;
}

void signet_program_set_info(signet_package *p, signet_program program,
                             const signet_program_info *info) {
    sg_strid version = sg_intern(p, info->torch_version);
    struct sg_program *r = edit(p, program);
    if (r != NULL) {
        r->schema_major = info->schema_major;
        r->schema_minor = info->schema_minor;
        r->torch_version = version;
        r->has_dialects = info->has_dialects;
    }
}

/* ---- Lists: dialects, operator sets, ranges, guards, metadata -------------------------------- */

uint32_t signet_program_dialect_count(const signet_package *p, signet_program program) {
    return sg_program(p, program.id)->dialects.count;
}

signet_string signet_program_dialect(const signet_package *p, signet_program program, uint32_t i) {
    const struct sg_program *r = sg_program(p, program.id);
    return sg_string(p, i < r->dialects.count ? r->dialects.data[i] : 0);
}

void signet_program_add_dialect(signet_package *p, signet_program program, signet_string dialect) {
    sg_strid id = sg_intern(p, dialect);
    struct sg_program *r = edit(p, program);
    if (r != NULL && ROOM(p, &r->dialects)) {
        r->dialects.data[r->dialects.count++] = id;
        r->has_dialects = true;
    }
}

uint32_t signet_program_opset_count(const signet_package *p, signet_program program) {
    return sg_program(p, program.id)->opsets.count;
}

signet_string signet_program_opset(const signet_package *p, signet_program program, uint32_t i,
                                   int64_t *version) {
    const struct sg_program *r = sg_program(p, program.id);
    struct sg_opset none = {0, 0};
    const struct sg_opset *o = i < r->opsets.count ? &r->opsets.data[i] : &none;
    if (version != NULL) {
        *version = o->version;
    }
    return sg_string(p, o->name);
}

void signet_program_add_opset(signet_package *p, signet_program program, signet_string name,
                              int64_t version) {
    sg_strid id = sg_intern(p, name);
    struct sg_program *r = edit(p, program);
    if (r != NULL && ROOM(p, &r->opsets)) {
        r->opsets.data[r->opsets.count++] = (struct sg_opset){id, version};
    }
}

uint32_t signet_program_range_count(const signet_package *p, signet_program program) {
    return sg_program(p, program.id)->ranges.count;
}

signet_range signet_program_range(const signet_package *p, signet_program program, uint32_t i) {
    const struct sg_program *r = sg_program(p, program.id);
    if (i >= r->ranges.count) {
        return (signet_range){{NULL, 0}, false, false, 0, 0};
    }
    const struct sg_range *x = &r->ranges.data[i];
    return (signet_range){sg_string(p, x->symbol), x->has_min, x->has_max, x->min, x->max};
}

void signet_program_add_range(signet_package *p, signet_program program, signet_range range) {
    sg_strid id = sg_intern(p, range.symbol);
    struct sg_program *r = edit(p, program);
    if (r != NULL && ROOM(p, &r->ranges)) {
        r->ranges.data[r->ranges.count++] =
            (struct sg_range){id, range.has_min, range.has_max, range.min, range.max, {0, 0}};
    }
}

void sg_range_set_span(signet_package *p, signet_program program, uint32_t i, struct sg_span span) {
    struct sg_program *r = edit(p, program);
    if (r != NULL && i < r->ranges.count) {
        r->ranges.data[i].span = span;
    }
}

uint32_t signet_program_guard_count(const signet_package *p, signet_program program) {
    return sg_program(p, program.id)->guards.count;
}

signet_string signet_program_guard(const signet_package *p, signet_program program, uint32_t i) {
    const struct sg_program *r = sg_program(p, program.id);
    return sg_string(p, i < r->guards.count ? r->guards.data[i] : 0);
}

void signet_program_add_guard(signet_package *p, signet_program program, signet_string line) {
    sg_strid id = sg_intern(p, line);
    struct sg_program *r = edit(p, program);
    if (r != NULL && ROOM(p, &r->guards)) {
        r->guards.data[r->guards.count++] = id;
    }
}

uint32_t signet_program_metadata_count(const signet_package *p, signet_program program) {
    return sg_program(p, program.id)->metadata.count;
}

signet_string signet_program_metadata(const signet_package *p, signet_program program, uint32_t i,
                                      signet_string *value) {
    const struct sg_program *r = sg_program(p, program.id);
    struct sg_pair none = {0, 0};
    const struct sg_pair *m = i < r->metadata.count ? &r->metadata.data[i] : &none;
    if (value != NULL) {
        *value = sg_string(p, m->value);
    }
    return sg_string(p, m->key);
}

void signet_program_add_metadata(signet_package *p, signet_program program, signet_string key,
                                 signet_string value) {
    struct sg_pair m = {sg_intern(p, key), sg_intern(p, value)};
    struct sg_program *r = edit(p, program);
    if (r != NULL && ROOM(p, &r->metadata)) {
        r->metadata.data[r->metadata.count++] = m;
    }
}

/* ---- Delegates ------------------------------------------------------------------------------- */

signet_delegate signet_delegate_add(signet_package *p, signet_string name) {
    sg_strid id = sg_intern(p, name);
    if (!ROOM(p, &p->delegates)) {
        return (signet_delegate){0};
    }
    p->delegates.data[p->delegates.count] = (struct sg_delegate){.name = id};
    return (signet_delegate){p->delegates.count++};
}

uint32_t signet_delegate_count(const signet_package *p) {
    return p->delegates.count - 1;
}

signet_delegate signet_delegate_at(const signet_package *p, uint32_t i) {
    return (signet_delegate){i < p->delegates.count - 1 ? i + 1 : 0};
}

signet_delegate signet_delegate_find(const signet_package *p, signet_string name) {
    uint32_t id = sg_strings_find(p->strings, name);
    for (uint32_t i = 1; id != 0 && i < p->delegates.count; i++) {
        if (p->delegates.data[i].name == id) {
            return (signet_delegate){i};
        }
    }
    return (signet_delegate){0};
}

signet_string signet_delegate_name(const signet_package *p, signet_delegate delegate) {
    return sg_string(p, sg_delegate(p, delegate.id)->name);
}

signet_string signet_delegate_backend(const signet_package *p, signet_delegate delegate) {
    return sg_string(p, sg_delegate(p, delegate.id)->backend);
}

signet_program signet_delegate_body(const signet_package *p, signet_delegate delegate) {
    return (signet_program){sg_delegate(p, delegate.id)->body};
}

static struct sg_delegate *edit_delegate(signet_package *p, signet_delegate delegate) {
    if (delegate.id == 0 || delegate.id >= p->delegates.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return NULL;
    }
    return &p->delegates.data[delegate.id];
}

void signet_delegate_set_backend(signet_package *p, signet_delegate delegate,
                                 signet_string backend) {
    sg_strid id = sg_intern(p, backend);
    struct sg_delegate *d = edit_delegate(p, delegate);
    if (d != NULL) {
        d->backend = id;
    }
}

void signet_delegate_set_body(signet_package *p, signet_delegate delegate, signet_program body) {
    struct sg_delegate *d = edit_delegate(p, delegate);
    struct sg_program *b = body.id != 0 ? edit(p, body) : NULL;
    if (d == NULL || (body.id != 0 && b == NULL)) {
        return;
    }
    d->body = body.id;
    if (b != NULL) {
        b->delegate = delegate.id;
        b->role = SIGNET_ROLE_BODY;
    }
}
