/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "ir/ir_internal.h"

static struct sg_program *edit(signet_package *p, signet_program program) {
    if (program.id == 0 || program.id >= p->programs.count) {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
        return NULL;
    }
    return &p->programs.data[program.id];
}

static const struct sg_call *call_at(const signet_package *p, signet_program program, uint32_t i) {
    static const struct sg_call none;
    const struct sg_program *r = sg_program(p, program.id);
    return i < r->calls.count ? &r->calls.data[i] : &none;
}

bool signet_program_has_calls(const signet_package *p, signet_program program) {
    return sg_program(p, program.id)->has_calls;
}

void signet_program_set_calls(signet_package *p, signet_program program, bool known) {
    struct sg_program *r = edit(p, program);
    if (r != NULL) {
        r->has_calls = known;
    }
}

signet_string signet_program_namedtuples(const signet_package *p, signet_program program) {
    return sg_string(p, sg_program(p, program.id)->namedtuples);
}

void signet_program_set_namedtuples(signet_package *p, signet_program program, signet_string json) {
    sg_strid id = sg_intern(p, json);
    struct sg_program *r = edit(p, program);
    if (r != NULL) {
        r->namedtuples = id;
    }
}

uint32_t signet_call_count(const signet_package *p, signet_program program) {
    return sg_program(p, program.id)->calls.count;
}

bool signet_call_get(const signet_package *p, signet_program program, uint32_t i,
                     signet_call *call) {
    const struct sg_call *c = call_at(p, program, i);
    *call = (signet_call){sizeof(*call),
                          sg_string(p, c->fqn),
                          c->has_signature,
                          sg_string(p, c->in_spec),
                          sg_string(p, c->out_spec),
                          c->inputs.count,
                          c->outputs.count,
                          c->has_arg_names,
                          c->arg_names.count};
    return i < sg_program(p, program.id)->calls.count;
}

signet_arg signet_call_argument(const signet_package *p, signet_program program, uint32_t i,
                                signet_side side, uint32_t j) {
    const struct sg_call *c = call_at(p, program, i);
    const struct sg_list *list = side == SIGNET_INPUT ? &c->inputs : &c->outputs;
    return (signet_arg){j < list->count ? list->first + j : 0};
}

signet_string signet_call_arg_name(const signet_package *p, signet_program program, uint32_t i,
                                   uint32_t j) {
    const struct sg_call *c = call_at(p, program, i);
    return sg_string(p, j < c->arg_names.count ? p->pairs.data[c->arg_names.first + j].key : 0);
}

void signet_call_add(signet_package *p, signet_program program, const signet_call *call) {
    struct sg_call c = {.fqn = sg_intern(p, call->fqn),
                        .has_signature = call->has_signature,
                        .has_arg_names = call->has_arg_names,
                        .in_spec = sg_intern(p, call->in_spec),
                        .out_spec = sg_intern(p, call->out_spec)};
    struct sg_program *r = edit(p, program);
    if (r == NULL) {
        return;
    }
    if (!sg_vec_reserve(&p->allocator, &r->calls, 1) ||
        !sg_vec_reserve(&p->allocator, &p->pairs, call->arg_name_count)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return;
    }
    uint32_t first = sg_arg_alloc(p, call->input_count, SIGNET_OWNER_NONE, 0);
    c.inputs = (struct sg_list){first, first != 0 ? call->input_count : 0};
    first = sg_arg_alloc(p, call->output_count, SIGNET_OWNER_NONE, 0);
    c.outputs = (struct sg_list){first, first != 0 ? call->output_count : 0};
    c.arg_names = (struct sg_list){p->pairs.count, call->arg_name_count};
    for (uint32_t j = 0; j < call->arg_name_count; j++) {
        p->pairs.data[p->pairs.count++] = (struct sg_pair){0, 0};
    }
    r->calls.data[r->calls.count++] = c;
    r->has_calls = true;
}

void signet_call_set_arg_name(signet_package *p, signet_program program, uint32_t i, uint32_t j,
                              signet_string name) {
    const struct sg_call *c = call_at(p, program, i);
    sg_strid id = sg_intern(p, name);
    if (j < c->arg_names.count) {
        p->pairs.data[c->arg_names.first + j].key = id;
    } else {
        sg_package_fail(p, SIGNET_E_INVALID_ARG);
    }
}

/* ---- Pytree specs ------------------------------------------------------------------------------
 *
 * [protocol, {"type": name or null, "context": text or null, "children_spec": [...]}]; a leaf has
 * type null and no children (torch/utils/_pytree.py, protocol 1). */

static bool problem(signet_treespec *out, const char *what) {
    out->well_formed = false;
    size_t length = strlen(what);
    length = length < sizeof(out->problem) ? length : sizeof(out->problem) - 1;
    memcpy(out->problem, what, length);
    out->problem[length] = '\0';
    return false;
}

/* Levels of the walk: the children of a spec that are still to be looked at. */
struct walk_stack {
    struct sg_json_iter *data;
    uint32_t count;
    uint32_t capacity;
};

static bool check_spec(const signet_package *p, struct walk_stack *stack, sg_json spec,
                       signet_treespec *out) {
    if (sg_json_get_kind(spec) != SG_JSON_OBJECT) {
        return problem(out, "a spec that is no object");
    }
    sg_json type = sg_json_member(spec, "type");
    sg_json children = sg_json_member(spec, "children_spec");
    sg_json_kind type_kind = sg_json_get_kind(type);
    sg_json_kind context_kind = sg_json_get_kind(sg_json_member(spec, "context"));
    if (type_kind != SG_JSON_NULL && type_kind != SG_JSON_STRING) {
        return problem(out, "a spec whose type is neither text nor null");
    }
    if (context_kind == SG_JSON_MISSING) {
        return problem(out, "a spec without context");
    }
    if (sg_json_get_kind(children) != SG_JSON_ARRAY) {
        return problem(out, "a spec without the list children_spec");
    }
    if (type_kind == SG_JSON_NULL) {
        out->leaves++;
        return sg_json_count(children) == 0 || problem(out, "a leaf with children");
    }
    if (!sg_vec_reserve(&p->allocator, stack, 1)) {
        return false;
    }
    stack->data[stack->count++] = sg_json_iter(children);
    return true;
}

/* Depth first with a stack of its own. false: malformed, or no memory (well_formed stays true). */
static bool walk_specs(const signet_package *p, sg_json root, signet_treespec *out) {
    struct walk_stack stack = {NULL, 0, 0};
    bool ok = check_spec(p, &stack, root, out);
    while (ok && stack.count != 0) {
        struct sg_json_iter *top = &stack.data[stack.count - 1];
        if (sg_json_next(top)) {
            ok = check_spec(p, &stack, top->value, out);
        } else {
            stack.count--;
        }
    }
    sg_vec_free(&p->allocator, &stack);
    return ok;
}

static signet_status parse_document(const signet_package *p, const struct sg_json_doc *doc,
                                    signet_treespec *out) {
    sg_json root = sg_json_root(doc);
    struct sg_json_iter it = sg_json_iter(root);
    if (sg_json_get_kind(root) != SG_JSON_ARRAY || sg_json_count(root) != 2) {
        problem(out, "not a list of protocol and spec");
        return SIGNET_OK;
    }
    sg_json_next(&it);
    if (sg_json_get_kind(it.value) != SG_JSON_INT || sg_json_int(it.value) != 1) {
        problem(out, "a protocol other than 1");
        return SIGNET_OK;
    }
    sg_json_next(&it);
    if (walk_specs(p, it.value, out) || !out->well_formed) {
        return SIGNET_OK;
    }
    return SIGNET_E_NOMEM;
}

signet_status signet_treespec_parse(const signet_package *p, signet_string text,
                                    signet_treespec *out) {
    *out = (signet_treespec){.well_formed = true};
    if (text.data == NULL) {
        problem(out, "missing");
        return SIGNET_OK;
    }
    size_t size = 0;
    if (!sg_add_ok(text.length, SG_JSON_PADDING, &size)) {
        return SIGNET_E_NOMEM;
    }
    char *copy = sg_alloc(&p->allocator, size);
    if (copy == NULL) {
        return SIGNET_E_NOMEM;
    }
    memcpy(copy, text.data, text.length);
    struct sg_json_error error = {SG_JSON_OK, 0, NULL};
    struct sg_json_doc *doc =
        sg_json_parse(&p->allocator, copy, text.length, p->limits.json_depth, &error);
    signet_status rc = SIGNET_OK;
    if (doc != NULL) {
        rc = parse_document(p, doc, out);
    } else if (error.problem == SG_JSON_NO_MEMORY) {
        rc = SIGNET_E_NOMEM;
    } else {
        problem(out, error.message);
    }
    sg_json_free(doc);
    sg_free(&p->allocator, copy, size);
    return rc;
}
