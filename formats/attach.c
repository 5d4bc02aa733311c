/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/formats_internal.h"

#include <string.h>

/* ---- State tables of another package --------------------------------------------------------- */

/* A size of another package: numbers, and expressions by their text. */
static signet_sym copy_sym(signet_package *to, const signet_package *from, signet_sym sym) {
    signet_sym_info info = signet_sym_get(from, sym);
    if (sym.id == 0) {
        return sym;
    }
    if (info.kind == SIGNET_SYM_EXPR) {
        struct sg_text text;
        sg_text_init(&text, &to->allocator);
        if (info.text.data == NULL) {
            sg_expr_srepr(from, info.expr, &text);
            info.text = (signet_string){text.data, text.length};
        }
        info.expr = sg_expr_parse(to, info.text, NULL, NULL);
        sym = signet_sym_make(to, &info);
        if (text.failed) {
            sg_package_fail(to, SIGNET_E_NOMEM);
        }
        sg_text_free(&text);
        return sym;
    }
    return signet_sym_make(to, &info);
}

static signet_type copy_type(signet_package *to, const signet_package *from, signet_type type) {
    signet_type_info info = SIGNET_TYPE_INFO_INIT;
    signet_type none = {0};
    if (type.id == 0) {
        return none;
    }
    signet_type_get(from, type, &info);
    size_t count = (size_t)info.rank + info.stride_count + 1;
    signet_sym *syms = sg_alloc(&to->allocator, count * sizeof(*syms));
    if (syms == NULL) {
        sg_package_fail(to, SIGNET_E_NOMEM);
        return none;
    }
    for (uint32_t i = 0; i < info.rank; i++) {
        syms[i] = copy_sym(to, from, info.sizes[i]);
    }
    for (uint32_t i = 0; i < info.stride_count; i++) {
        syms[info.rank + i] = copy_sym(to, from, info.strides[i]);
    }
    info.storage_offset = copy_sym(to, from, info.storage_offset);
    info.sizes = syms;
    info.strides = syms + info.rank;
    signet_type copy = signet_type_make(to, &info);
    sg_free(&to->allocator, syms, count * sizeof(*syms));
    return copy;
}

static void copy_states(signet_package *to, signet_program into, const signet_package *from,
                        signet_program of) {
    uint32_t source = 0, source_of = 0;
    to->programs.data[into.id].states.count = 0;
    for (uint32_t i = 0; i < signet_state_count(from, of) && to->status == SIGNET_OK; i++) {
        signet_state state = SIGNET_STATE_INIT;
        (void)signet_state_get(from, of, i, &state);
        const struct sg_state *s = &from->programs.data[of.id].states.data[i];
        if (s->source != source_of) {
            const struct sg_source *x = &from->sources.data[s->source];
            source = sg_source_add(to, x->carrier, sg_string(from, x->file),
                                   sg_string(from, x->entry), NULL, x->length);
            source_of = s->source;
        }
        state.type = copy_type(to, from, state.type);
        signet_state_add(to, into, &state);
        sg_state_set_span(to, into, i, source, s->span);
    }
    signet_program_set_state_tables(to, into, signet_program_has_state_tables(from, of));
}

/* The only method of a package, or null. */
signet_program sg_only_method(const signet_package *p) {
    signet_program only = {0};
    for (uint32_t i = 0; i < signet_program_count(p); i++) {
        signet_program program = signet_program_at(p, i);
        if (signet_program_get_role(p, program) == SIGNET_ROLE_METHOD) {
            if (only.id != 0) {
                return (signet_program){0};
            }
            only = program;
        }
    }
    return only;
}

signet_status signet_package_take_state(signet_package *package, const signet_package *base) {
    bool paired = false;
    if (package == NULL || base == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    signet_program only = sg_only_method(package), base_only = sg_only_method(base);
    for (uint32_t i = 0; i < signet_program_count(package); i++) {
        signet_program program = signet_program_at(package, i);
        if (signet_program_get_role(package, program) != SIGNET_ROLE_METHOD ||
            signet_program_has_state_tables(package, program)) {
            continue;
        }
        signet_program match = signet_program_find(base, signet_program_name(package, program));
        if (only.id != 0 && base_only.id != 0) {
            match = base_only;
        }
        if (match.id != 0) {
            copy_states(package, program, base, match);
            paired = true;
        }
    }
    signet_status status = signet_package_status(package);
    return status == SIGNET_OK && !paired ? SIGNET_E_INVALID_ARG : status;
}

/* ---- Bodies of delegates --------------------------------------------------------------------- */

static signet_status several_programs(signet_package *p, const char *path, uint32_t count,
                                      const signet_sink *sink) {
    struct sg_log log;
    struct sg_input input = {.name = path};
    sg_log_init(&log, &p->allocator, sink, NULL, 1);
    struct sg_diag *d =
        sg_diag_begin(&log, SIGNET_CODE_CARRIER_UNSUPPORTED, sg_at_input(&input, 0));
    sg_diag_message(d, "the file holds %u programs, and the body of a delegate is one",
                    (unsigned)count);
    sg_diag_help(d, "give a file with the delegate's program alone");
    sg_diag_end(d);
    sg_log_free(&log);
    return SIGNET_E_UNSUPPORTED;
}

/* Reads the file twice: once into a package of its own, so that a file that cannot be read leaves
 * nothing behind, and then into the package. */
signet_status signet_package_attach_body(signet_package *package, const char *delegate,
                                         const char *path, const signet_read_options *options,
                                         const signet_sink *sink) {
    if (package == NULL || delegate == NULL || path == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    signet_delegate d = signet_delegate_find(package, signet_str(delegate));
    if (d.id == 0) {
        return SIGNET_E_INVALID_ARG;
    }
    signet_package *alone = NULL;
    signet_status status = signet_read_file(&alone, path, options, sink);
    if (status != SIGNET_OK) {
        return status;
    }
    signet_program method = sg_only_method(alone);
    uint32_t index = 0, count = signet_program_count(alone);
    while (method.id != 0 && signet_program_at(alone, index).id != method.id) {
        index++;
    }
    signet_package_destroy(alone);
    if (method.id == 0) {
        return several_programs(package, path, count, sink);
    }
    uint32_t before = signet_program_count(package);
    status = sg_read_into(package, path, options);
    if (status != SIGNET_OK) {
        sg_package_fail(package, status);
        return status;
    }
    signet_program body = signet_program_at(package, before + index);
    package->programs.data[body.id].name = sg_intern(package, signet_str(delegate));
    signet_delegate_set_body(package, d, body);
    return signet_package_status(package);
}
