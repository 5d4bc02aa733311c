/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "formats/printed_internal.h"

/* The signature as the repr of a dataclass: up to 2.1 with maps by name, from 2.2 to 2.7 with
 * specs. */

static const struct sg_pyx_node *node_of(const struct sg_printed *r, uint32_t i) {
    return sg_pyx_node(&r->signature, i);
}

static bool is_kind(const struct sg_printed *r, uint32_t i, sg_pyx_kind kind) {
    return i != 0 && node_of(r, i)->kind == kind;
}

static void expected(struct sg_printed *r, uint32_t i, const char *what) {
    sg_printed_expected(r, node_of(r, i)->at, node_of(r, i)->length, what);
}

/* The text of a string; 0: it is none, which is told. */
static sg_strid string_of(struct sg_printed *r, uint32_t i, const char *what) {
    if (!is_kind(r, i, SG_PYX_STRING)) {
        expected(r, i, what);
        return 0;
    }
    sg_pyx_string(&r->signature, i, sg_printed_scratch(r));
    return sg_printed_intern_scratched(r);
}

static struct sg_span span_of(const struct sg_printed *r, uint32_t i) {
    return sg_span_make(node_of(r, i)->at, node_of(r, i)->length);
}

/* Without the quotes. */
static struct sg_span inner_span(const struct sg_printed *r, uint32_t string) {
    return sg_span_make(node_of(r, string)->at + 1, node_of(r, string)->length - 2);
}

/* ---- 2.2 to 2.7 ------------------------------------------------------------------------------ */

/* TensorArgument(name='x'), ConstantArgument(name='n', value=2), CustomObjArgument(...) */
static bool read_argument(struct sg_printed *r, struct sg_printed_spec *s, uint32_t i) {
    static const struct {
        const char *name;
        signet_arg_kind kind;
    } kinds[] = {
        {"TensorArgument", SIGNET_ARG_TENSOR},      {"SymIntArgument", SIGNET_ARG_SYM_INT},
        {"SymFloatArgument", SIGNET_ARG_SYM_FLOAT}, {"SymBoolArgument", SIGNET_ARG_SYM_BOOL},
        {"TokenArgument", SIGNET_ARG_TOKEN},        {"CustomObjArgument", SIGNET_ARG_CUSTOM_OBJ},
        {"ConstantArgument", SIGNET_ARG_UNKNOWN},
    };
    const struct sg_pyx *x = &r->signature;
    size_t count = sizeof(kinds) / sizeof(kinds[0]);
    size_t k = 0;
    while (is_kind(r, i, SG_PYX_CALL) && k < count &&
           !sg_pyx_is_name(x, node_of(r, i)->first, kinds[k].name)) {
        k++;
    }
    if (!is_kind(r, i, SG_PYX_CALL) || k == count) {
        expected(r, i, "an argument such as TensorArgument(name='x')");
        return false;
    }
    s->arg_kind = kinds[k].kind;
    s->is_constant = kinds[k].kind == SIGNET_ARG_UNKNOWN;
    uint32_t name = sg_pyx_argument(x, i, "name");
    if (name == 0 && !s->is_constant) {
        expected(r, i, "an argument with a name");
        return false;
    }
    if (name != 0) {
        s->name = string_of(r, name, "a name in quotes");
        s->name_span = inner_span(r, name);
        if (s->name == 0) {
            return false;
        }
        s->name = sg_string(r->p, s->name).length != 0 ? s->name : 0;
    }
    if (s->is_constant) {
        s->literal = sg_pyx_argument(x, i, "value");
    }
    uint32_t class_name = sg_pyx_argument(x, i, "class_fqn");
    if (class_name != 0) {
        s->class_name = string_of(r, class_name, "a class name in quotes");
    }
    return true;
}

/* target='t' or target=None */
static bool read_target(struct sg_printed *r, struct sg_printed_spec *s, uint32_t spec) {
    uint32_t target = sg_pyx_argument(&r->signature, spec, "target");
    if (target == 0 || is_kind(r, target, SG_PYX_NONE)) {
        return true;
    }
    s->target = string_of(r, target, "a target in quotes, or None");
    s->has_target = s->target != 0;
    const struct sg_pyx_node *n = node_of(r, target);
    s->target_span = sg_span_make(n->keyword_at, n->at + n->length - n->keyword_at);
    return s->has_target;
}

static void read_persistent(struct sg_printed *r, struct sg_printed_spec *s, uint32_t spec) {
    uint32_t flag = sg_pyx_argument(&r->signature, spec, "persistent");
    if (flag == 0 || s->kind != SIGNET_INPUT_KIND_BUFFER) {
        return; /* 2.2 does not print it, and other kinds have none */
    }
    s->persistent = is_kind(r, flag, SG_PYX_TRUE)    ? SIGNET_PERSISTENT_YES
                    : is_kind(r, flag, SG_PYX_FALSE) ? SIGNET_PERSISTENT_NO
                    : is_kind(r, flag, SG_PYX_NONE)  ? SIGNET_PERSISTENT_NULL
                                                     : SIGNET_PERSISTENT_ODD;
}

/* InputSpec(kind=<InputKind.BUFFER: 3>, arg=..., target=..., persistent=...). The number of the
 * kind has changed its meaning between releases; the name has not. */
static bool read_spec(struct sg_printed *r, struct sg_printed_spec *s, signet_side side,
                      uint32_t spec) {
    const struct sg_pyx *x = &r->signature;
    const char *name = side == SIGNET_INPUT ? "InputSpec" : "OutputSpec";
    if (!is_kind(r, spec, SG_PYX_CALL) || !sg_pyx_is_name(x, node_of(r, spec)->first, name)) {
        expected(r, spec, side == SIGNET_INPUT ? "InputSpec(...)" : "OutputSpec(...)");
        return false;
    }
    uint32_t kind = sg_pyx_argument(x, spec, "kind");
    uint32_t argument = sg_pyx_argument(x, spec, "arg");
    if (!is_kind(r, kind, SG_PYX_ENUM) || argument == 0) {
        expected(r, kind != 0 && argument != 0 ? kind : spec,
                 kind != 0 && argument != 0 ? "a kind such as <InputKind.USER_INPUT: 1>"
                                            : "a spec with kind= and arg=");
        return false;
    }
    signet_string kind_name = sg_pyx_own_name(x, kind);
    for (size_t i = kind_name.length; i > 0; i--) {
        if (kind_name.data[i - 1] == '.') {
            kind_name.data += i;
            kind_name.length -= i;
            break;
        }
    }
    bool good = read_argument(r, s, argument);
    signet_arg_kind arg_kind = s->arg_kind;
    sg_printed_set_kind(r, s, side, kind_name);
    s->arg_kind = good ? arg_kind : s->arg_kind;
    good = read_target(r, s, spec) && good;
    if (side == SIGNET_INPUT) {
        read_persistent(r, s, spec);
    }
    return good;
}

static void read_specs(struct sg_printed *r, uint32_t list, signet_side side) {
    if (!is_kind(r, list, SG_PYX_LIST)) {
        expected(r, list, "a list of specs");
        return;
    }
    for (uint32_t i = node_of(r, list)->first; i != 0 && !r->no_memory; i = node_of(r, i)->next) {
        struct sg_printed_spec *s = sg_printed_add_spec(r, side);
        if (s != NULL) {
            s->span = span_of(r, i);
            s->faulty = !read_spec(r, s, side, i);
        }
    }
}

/* ---- 2.1 ------------------------------------------------------------------------------------- */

static void add_named(struct sg_printed *r, signet_side side, int kind, uint32_t name,
                      uint32_t target) {
    struct sg_printed_spec *s = sg_printed_add_spec(r, side);
    if (s == NULL) {
        return;
    }
    s->kind = kind;
    s->span = span_of(r, name);
    if (is_kind(r, name, SG_PYX_STRING)) {
        s->name = string_of(r, name, "");
        s->name_span = inner_span(r, name);
    } else { /* a constant among the outputs */
        s->is_constant = true;
        s->literal = name;
    }
    if (target != 0) {
        s->target = string_of(r, target, "a name in quotes");
        s->has_target = s->target != 0;
        s->faulty = !s->has_target;
        s->target_span = span_of(r, target);
        size_t end = (size_t)node_of(r, target)->at + node_of(r, target)->length;
        s->span = sg_span_make(node_of(r, name)->at, end - node_of(r, name)->at);
    }
}

/* One spec for each pair of a dictionary {name: target}. */
static void add_pairs(struct sg_printed *r, uint32_t dict, signet_side side, int kind) {
    if (!is_kind(r, dict, SG_PYX_DICT)) {
        return;
    }
    for (uint32_t k = node_of(r, dict)->first; k != 0 && !r->no_memory;) {
        uint32_t target = node_of(r, k)->next;
        add_named(r, side, kind, k, target);
        k = node_of(r, target)->next;
    }
}

/* Which output a gradient is, by its name: the dictionary's values by their keys. */
static void put_pairs(struct sg_printed *r, struct sg_map *map, uint32_t which, uint32_t dict) {
    if (!is_kind(r, dict, SG_PYX_DICT)) {
        return;
    }
    for (uint32_t k = node_of(r, dict)->first; k != 0 && !r->no_memory;) {
        uint32_t value = node_of(r, k)->next;
        sg_strid name = sg_printed_intern(r, node_of(r, k)->at, node_of(r, k)->length);
        r->no_memory = r->no_memory || !sg_map_put(map, (uint64_t)which << 32 | name, value);
        k = node_of(r, value)->next;
    }
}

static void add_user_output(struct sg_printed *r, const struct sg_map *map, uint32_t i,
                            uint32_t loss) {
    sg_strid name = sg_printed_intern(r, node_of(r, i)->at, node_of(r, i)->length);
    uint32_t parameter = sg_map_get(map, (uint64_t)1 << 32 | name);
    uint32_t input = sg_map_get(map, (uint64_t)2 << 32 | name);
    const struct sg_pyx *x = &r->signature;
    bool is_loss = loss != 0 && sg_string_equal(sg_pyx_text(x, i), sg_pyx_text(x, loss));
    int kind = parameter != 0 ? SIGNET_OUTPUT_KIND_GRADIENT_TO_PARAMETER
               : input != 0   ? SIGNET_OUTPUT_KIND_GRADIENT_TO_USER_INPUT
               : is_loss      ? SIGNET_OUTPUT_KIND_LOSS_OUTPUT
                              : SIGNET_OUTPUT_KIND_USER_OUTPUT;
    add_named(r, SIGNET_OUTPUT, kind, i, parameter != 0 ? parameter : input);
}

static void add_user_outputs(struct sg_printed *r, uint32_t signature) {
    const struct sg_pyx *x = &r->signature;
    struct sg_map *map = sg_map_create(&r->p->allocator);
    if (map == NULL) {
        r->no_memory = true;
        return;
    }
    uint32_t outputs = sg_pyx_argument(x, signature, "user_outputs");
    uint32_t backward = sg_pyx_argument(x, signature, "backward_signature");
    uint32_t loss = 0;
    if (is_kind(r, backward, SG_PYX_CALL)) {
        loss = sg_pyx_argument(x, backward, "loss_output");
        put_pairs(r, map, 1, sg_pyx_argument(x, backward, "gradients_to_parameters"));
        put_pairs(r, map, 2, sg_pyx_argument(x, backward, "gradients_to_user_inputs"));
    }
    uint32_t i = is_kind(r, outputs, SG_PYX_LIST) ? node_of(r, outputs)->first : 0;
    for (; i != 0 && !r->no_memory; i = node_of(r, i)->next) {
        add_user_output(r, map, i, loss);
    }
    sg_map_destroy(map);
}

/* Inputs are parameters, buffers, user inputs; outputs are the mutated buffers and the rest. */
static void read_maps(struct sg_printed *r, uint32_t signature) {
    const struct sg_pyx *x = &r->signature;
    add_pairs(r, sg_pyx_argument(x, signature, "inputs_to_parameters"), SIGNET_INPUT,
              SIGNET_INPUT_KIND_PARAMETER);
    add_pairs(r, sg_pyx_argument(x, signature, "inputs_to_buffers"), SIGNET_INPUT,
              SIGNET_INPUT_KIND_BUFFER);
    uint32_t inputs = sg_pyx_argument(x, signature, "user_inputs");
    uint32_t i = is_kind(r, inputs, SG_PYX_LIST) ? node_of(r, inputs)->first : 0;
    for (; i != 0 && !r->no_memory; i = node_of(r, i)->next) {
        add_named(r, SIGNET_INPUT, SIGNET_INPUT_KIND_USER_INPUT, i, 0);
    }
    add_pairs(r, sg_pyx_argument(x, signature, "buffers_to_mutate"), SIGNET_OUTPUT,
              SIGNET_OUTPUT_KIND_BUFFER_MUTATION);
    add_user_outputs(r, signature);
    /* A token that orders assertions is one more output, behind the others. */
    uint32_t token = sg_pyx_argument(x, signature, "assertion_dep_token");
    if (is_kind(r, token, SG_PYX_DICT) && node_of(r, token)->count == 2) {
        add_named(r, SIGNET_OUTPUT, SIGNET_OUTPUT_KIND_USER_OUTPUT, sg_pyx_child(x, token, 1), 0);
    }
}

/* ---- The signature --------------------------------------------------------------------------- */

void sg_printed_read_signature_repr(struct sg_printed *r, uint32_t at, uint32_t end) {
    struct sg_pyx *x = &r->signature;
    struct sg_program *program = &r->p->programs.data[r->program.id];
    uint32_t stop = end;
    uint32_t signature = sg_pyx_parse(x, at, end, &stop);
    if (signature == 0) {
        sg_printed_bad_expression(r, x);
        program->faulty = true;
        return;
    }
    if (!is_kind(r, signature, SG_PYX_CALL) ||
        !sg_pyx_is_name(x, node_of(r, signature)->first, "ExportGraphSignature")) {
        expected(r, signature, "ExportGraphSignature(...)");
        program->faulty = true;
        return;
    }
    uint32_t inputs = sg_pyx_argument(x, signature, "input_specs");
    uint32_t outputs = sg_pyx_argument(x, signature, "output_specs");
    if (inputs != 0 && outputs != 0) {
        read_specs(r, inputs, SIGNET_INPUT);
        read_specs(r, outputs, SIGNET_OUTPUT);
    } else if (sg_pyx_argument(x, signature, "user_inputs") != 0) {
        read_maps(r, signature);
    } else {
        expected(r, signature, "input_specs=[...] and output_specs=[...]");
        program->faulty = true;
    }
}
