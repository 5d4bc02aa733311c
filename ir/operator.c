/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: each distinct target is parsed once, into name space, name and overload. */

#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/text.h"
#include "ir/ir_internal.h"

/* A target in pieces; they point into its text. */
struct pieces {
    signet_operator_class op_class;
    signet_string name_space, name, overload;
};

/* ---- Words ----------------------------------------------------------------------------------- */

/*
 * Printed edge operators join name space, name and overload by underscores, which each of them may
 * hold. What cannot be told from the text is looked up here: the longest name space at the start
 * and the longest overload at the end win; else the first and the last underscore split.
 */
static const char *const edge_name_spaces[] = {
    "aten",         "cadence",    "cortex_m", "dim_order_ops", "et_vk",     "executorch_prim",
    "higher_order", "llama",      "prim",     "prims",         "quantized", "quantized_decomposed",
    "torchao",      "torchvision"};

/* Overload names of PyTorch's own operators that hold an underscore (one without needs no entry).
 */
static const char *const long_overloads[] = {"DimnameList_out",
                                             "Dimname_Scalar",
                                             "Dimname_Tensor",
                                             "IntList_out",
                                             "OutScalar_Self",
                                             "ScalarOpt_dim",
                                             "ScalarOpt_dim_dtype",
                                             "ScalarOpt_dtype",
                                             "Scalar_Self",
                                             "Scalar_Tensor",
                                             "Scalar_mode",
                                             "Scalar_out",
                                             "Tensor_Scalar",
                                             "Tensor_Tensor",
                                             "Tensor_float",
                                             "Tensor_hacked_twin",
                                             "Tensor_mode",
                                             "Tensor_out",
                                             "all_out",
                                             "correction_names",
                                             "correction_out",
                                             "dim_DimnameList",
                                             "dim_IntList",
                                             "dim_dtype",
                                             "dim_int",
                                             "dim_max",
                                             "dim_min",
                                             "dim_out",
                                             "dim_values",
                                             "dimname_values",
                                             "dimname_values_stable",
                                             "dtype_layout",
                                             "dtype_out",
                                             "float_Tensor",
                                             "float_float",
                                             "generator_out",
                                             "generator_with_names",
                                             "grad_input",
                                             "int_Scalar",
                                             "int_Tensor",
                                             "int_out",
                                             "low_generator",
                                             "low_out",
                                             "memory_format",
                                             "names_ScalarOpt_dim",
                                             "names_ScalarOpt_dim_dtype",
                                             "names_dim",
                                             "names_dim_max",
                                             "names_dim_min",
                                             "names_dtype",
                                             "names_out",
                                             "out_mode",
                                             "prim_Device",
                                             "prim_dtype",
                                             "prim_other",
                                             "reduce_out",
                                             "self_Tensor",
                                             "self_int",
                                             "self_out",
                                             "src_out",
                                             "start_out",
                                             "start_step",
                                             "tensor_indices_or_sections",
                                             "tensor_qparams",
                                             "unary_out",
                                             "value_out",
                                             "value_reduce",
                                             "values_stable"};

static signet_string part(signet_string s, size_t from, size_t length) {
    return (signet_string){s.data + from, length};
}

static bool cut_prefix(signet_string *s, const char *prefix) {
    if (!sg_string_starts(*s, prefix)) {
        return false;
    }
    size_t length = strlen(prefix);
    *s = part(*s, length, s->length - length);
    return true;
}

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* Splits at dots; false when a piece is no name or there are more than `most` of them. Names of
 * PyTorch's functions may hold "<locals>" and the like, operators' names may not. */
static bool split_dots(signet_string s, signet_string *out, size_t most, size_t *count) {
    *count = 0;
    size_t from = 0;
    for (size_t i = 0; i <= s.length; i++) {
        if (i < s.length && s.data[i] != '.') {
            if (!is_word_byte(s.data[i])) {
                return false;
            }
            continue;
        }
        if (i == from || *count == most) {
            return false;
        }
        out[(*count)++] = part(s, from, i - from);
        from = i + 1;
    }
    return true;
}

/* True when every piece between dots is a Python name, or a "<lambda>" of one. */
static bool is_dotted_name(signet_string s) {
    size_t from = 0;
    for (size_t i = 0; i <= s.length; i++) {
        if (i < s.length && s.data[i] != '.') {
            if (!is_word_byte(s.data[i]) && s.data[i] != '<' && s.data[i] != '>') {
                return false;
            }
            continue;
        }
        if (i == from || (s.data[from] >= '0' && s.data[from] <= '9')) {
            return false;
        }
        from = i + 1;
    }
    return true;
}

/* ---- Spellings ------------------------------------------------------------------------------- */

/* "aten.add.Tensor" behind the prefix of its class. */
static bool parse_overload(signet_string rest, signet_operator_class op_class, struct pieces *out) {
    signet_string names[3];
    size_t count;
    if (!split_dots(rest, names, SG_COUNT_OF(names), &count) || count < 2) {
        return false;
    }
    out->name_space = names[0];
    out->name = names[1];
    if (sg_string_is(names[0], "higher_order") && count == 2) {
        out->op_class = sg_string_is(names[1], "executorch_call_delegate")
                            ? SIGNET_OPERATOR_DELEGATE_CALL
                            : SIGNET_OPERATOR_HIGHER_ORDER;
        return true;
    }
    out->op_class = count == 3 ? op_class : SIGNET_OPERATOR_PACKET;
    if (count == 3) {
        out->overload = names[2];
    }
    return true;
}

/* Length of the longest name space that the text starts with, or of its first word. */
static size_t name_space_length(signet_string s) {
    size_t longest = 0;
    for (size_t i = 0; i < SG_COUNT_OF(edge_name_spaces); i++) {
        size_t length = strlen(edge_name_spaces[i]);
        if (length > longest && length < s.length && s.data[length] == '_' &&
            sg_string_starts(s, edge_name_spaces[i])) {
            longest = length;
        }
    }
    for (size_t i = 1; longest == 0 && i < s.length; i++) {
        longest = s.data[i] == '_' ? i : 0;
    }
    return longest;
}

/* Length of the longest overload that the text ends with, or of its last word. */
static size_t overload_length(signet_string s) {
    size_t longest = 0;
    for (size_t i = 0; i < SG_COUNT_OF(long_overloads); i++) {
        size_t length = strlen(long_overloads[i]);
        if (length > longest && length + 1 < s.length && s.data[s.length - length - 1] == '_' &&
            sg_string_ends(s, long_overloads[i])) {
            longest = length;
        }
    }
    for (size_t i = 1; longest == 0 && i + 1 < s.length; i++) {
        longest = s.data[s.length - i - 1] == '_' ? i : 0;
    }
    return longest;
}

/* "aten_add_Tensor": what printed programs make of an edge operator. */
static bool parse_mangled(signet_string rest, struct pieces *out) {
    for (size_t i = 0; i < rest.length; i++) {
        if (!is_word_byte(rest.data[i])) {
            return false;
        }
    }
    size_t space = name_space_length(rest);
    if (space == 0 || space + 1 >= rest.length) {
        return false;
    }
    signet_string operation = part(rest, space + 1, rest.length - space - 1);
    size_t overload = overload_length(operation);
    if (overload == 0) {
        return false;
    }
    out->op_class = SIGNET_OPERATOR_EDGE;
    out->name_space = part(rest, 0, space);
    out->name = part(operation, 0, operation.length - overload - 1);
    out->overload = part(operation, operation.length - overload, overload);
    return true;
}

/* "#name_space:name" */
static bool parse_extension(signet_string rest, struct pieces *out) {
    for (size_t i = 1; i + 1 < rest.length; i++) {
        if (rest.data[i] == ':') {
            out->op_class = SIGNET_OPERATOR_EXTENSION;
            out->name_space = part(rest, 0, i);
            out->name = part(rest, i + 1, rest.length - i - 1);
            return true;
        }
    }
    return false;
}

/* Functions of Python and of torch that symbolic numbers go through. */
static bool parse_builtin(signet_string target, struct pieces *out) {
    static const struct {
        const char *prefix;
        size_t name_at;
    } rows[] = {
        {"_operator.", 10}, {"math.", 5}, {"torch.sym_", 6}, {"torch._sym_", 6}, {"builtins.", 9},
    };
    for (size_t i = 0; i < SG_COUNT_OF(rows); i++) {
        if (!sg_string_starts(target, rows[i].prefix)) {
            continue;
        }
        signet_string name = part(target, rows[i].name_at, target.length - rows[i].name_at);
        if (name.length == 0 || memchr(name.data, '.', name.length) != NULL) {
            return false;
        }
        out->name_space = part(target, 0, rows[i].name_at - 1);
        out->name = name;
        bool getitem = i == 0 && sg_string_is(name, "getitem");
        out->op_class = getitem ? SIGNET_OPERATOR_GETITEM : SIGNET_OPERATOR_BUILTIN;
        return true;
    }
    return false;
}

/* Modules whose dotted names are functions, also where they look like an operator without its
 * prefix. */
static bool is_module(signet_string s) {
    static const char *const modules[] = {"torch",    "_operator",  "operator",  "math",
                                          "builtins", "executorch", "functorch", "numpy"};
    for (size_t i = 0; i < SG_COUNT_OF(modules); i++) {
        if (sg_string_is(s, modules[i])) {
            return true;
        }
    }
    return false;
}

/* "aten.add.Tensor": an operator as the exact text and people write it. */
static bool parse_bare(signet_string target, struct pieces *out) {
    signet_string names[3];
    size_t count;
    if (!split_dots(target, names, SG_COUNT_OF(names), &count) || count < 2 ||
        is_module(names[0])) {
        return false;
    }
    bool known = sg_string_is(names[0], "aten") || sg_string_is(names[0], "prims") ||
                 sg_string_is(names[0], "higher_order");
    return (count == 3 || known) && parse_overload(target, SIGNET_OPERATOR_OVERLOAD, out);
}

static bool parse_target(signet_string target, struct pieces *out) {
    signet_string rest = target;
    if (cut_prefix(&rest, "torch.ops.")) {
        return parse_overload(rest, SIGNET_OPERATOR_OVERLOAD, out);
    }
    if (cut_prefix(&rest, "executorch.exir.dialects.edge._ops.") ||
        cut_prefix(&rest, "executorch.exir.dialects.edge.ops.")) {
        return parse_overload(rest, SIGNET_OPERATOR_EDGE, out);
    }
    if (cut_prefix(&rest, "executorch_exir_dialects_edge__ops_") ||
        cut_prefix(&rest, "executorch_exir_dialects_edge_ops_")) {
        return parse_mangled(rest, out);
    }
    if (cut_prefix(&rest, "#")) {
        return parse_extension(rest, out);
    }
    if (parse_builtin(target, out) || parse_bare(target, out)) {
        return true;
    }
    if (is_dotted_name(target)) {
        out->op_class = SIGNET_OPERATOR_FUNCTION;
        out->name = target;
        return true;
    }
    return false;
}

/* By PyTorch's spelling alone; see signet_operator. */
static bool is_in_place(const struct pieces *o) {
    if (o->op_class != SIGNET_OPERATOR_OVERLOAD && o->op_class != SIGNET_OPERATOR_EDGE &&
        o->op_class != SIGNET_OPERATOR_PACKET) {
        return false;
    }
    return (sg_string_ends(o->name, "_") && !sg_string_ends(o->name, "__")) ||
           sg_string_is(o->overload, "out") || sg_string_ends(o->overload, "_out");
}

/* ---- Table ----------------------------------------------------------------------------------- */

/* One slot per interned string, so that a target is parsed once however many nodes have it. */
static bool make_slot(signet_package *p, sg_strid target) {
    if (target < p->operator_of.count) {
        return true;
    }
    uint32_t missing = target + 1 - p->operator_of.count;
    if (!sg_vec_reserve(&p->allocator, &p->operator_of, missing)) {
        return false;
    }
    memset(p->operator_of.data + p->operator_of.count, 0, missing * sizeof(uint32_t));
    p->operator_of.count = target + 1;
    return true;
}

static uint32_t add_operator(signet_package *p, sg_strid target) {
    struct pieces o = {SIGNET_OPERATOR_MALFORMED, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    signet_string text = sg_string(p, target);
    if (!parse_target(text, &o)) {
        o = (struct pieces){SIGNET_OPERATOR_MALFORMED, {NULL, 0}, text, {NULL, 0}};
    }
    struct sg_operator record = {.target = target,
                                 .name_space = sg_intern(p, o.name_space),
                                 .name = sg_intern(p, o.name),
                                 .overload = sg_intern(p, o.overload),
                                 .op_class = (uint8_t)o.op_class,
                                 .in_place = is_in_place(&o)};
    bool missing = (record.name_space == 0 && o.name_space.data != NULL) || record.name == 0 ||
                   (record.overload == 0 && o.overload.data != NULL);
    if (missing || !sg_vec_reserve(&p->allocator, &p->operators, 1)) {
        return 0;
    }
    p->operators.data[p->operators.count] = record;
    return p->operators.count++;
}

uint32_t sg_operator_of(signet_package *p, sg_strid target) {
    if (target == 0) {
        return 0;
    }
    if (target < p->operator_of.count && p->operator_of.data[target] != 0) {
        return p->operator_of.data[target];
    }
    uint32_t id = add_operator(p, target);
    if (id == 0 || !make_slot(p, target)) {
        sg_package_fail(p, SIGNET_E_NOMEM);
        return 0;
    }
    p->operator_of.data[target] = id;
    return id;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Bytes of "name_space_name_overload", one after the other. */
struct joined {
    signet_string parts[3];
    size_t part, at;
};

static struct joined join(const signet_package *p, const struct sg_operator *o) {
    return (struct joined){
        {sg_string(p, o->name_space), sg_string(p, o->name), sg_string(p, o->overload)}, 0, 0};
}

/* The next byte, or -1 at the end. */
static int next_byte(struct joined *j) {
    if (j->at < j->parts[j->part].length) {
        return (unsigned char)j->parts[j->part].data[j->at++];
    }
    if (j->part == 2) {
        return -1;
    }
    j->part++;
    j->at = 0;
    return '_';
}

bool sg_operator_same(const signet_package *a, uint32_t x, const signet_package *b, uint32_t y) {
    const struct sg_operator *o = sg_operator(a, x);
    const struct sg_operator *q = sg_operator(b, y);
    if (o->op_class != q->op_class) {
        return false;
    }
    if (o->op_class == SIGNET_OPERATOR_EDGE) {
        struct joined j = join(a, o);
        struct joined k = join(b, q);
        int c;
        do {
            c = next_byte(&j);
            if (c != next_byte(&k)) {
                return false;
            }
        } while (c >= 0);
        return true;
    }
    return sg_string_equal(sg_string(a, o->name_space), sg_string(b, q->name_space)) &&
           sg_string_equal(sg_string(a, o->name), sg_string(b, q->name)) &&
           sg_string_equal(sg_string(a, o->overload), sg_string(b, q->overload));
}

void sg_operator_hash(const signet_package *p, uint32_t op, struct sg_hasher *h) {
    const struct sg_operator *o = sg_operator(p, op);
    sg_hasher_u64(h, o->op_class);
    if (o->op_class != SIGNET_OPERATOR_EDGE) {
        sg_hasher_bytes(h, sg_string(p, o->name_space).data, sg_string(p, o->name_space).length);
        sg_hasher_bytes(h, sg_string(p, o->name).data, sg_string(p, o->name).length);
        sg_hasher_bytes(h, sg_string(p, o->overload).data, sg_string(p, o->overload).length);
        return;
    }
    struct joined j = join(p, o);
    for (int c = next_byte(&j); c >= 0;) {
        unsigned char block[32] = {0};
        size_t length = 0;
        for (; c >= 0 && length < sizeof(block); c = next_byte(&j)) {
            block[length++] = (unsigned char)c;
        }
        sg_hasher_bytes(h, block, length);
    }
}
