/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2.h"

#include "base/compiler.h"

static signet_arg_kind element_kind(signet_arg_kind list) {
    static const uint8_t elements[] = {
#define PT2_LIST(kind, element) [SIGNET_ARG_##kind] = SIGNET_ARG_##element,
#include "formats/pt2_schema.def"
    };
    return (size_t)list < SG_COUNT_OF(elements) ? (signet_arg_kind)elements[list]
                                                : SIGNET_ARG_UNKNOWN;
}

static const char *tag_text(uint32_t i) {
    return sg_arg_kind_tag((signet_arg_kind)(i + 1));
}

/* ---- What cannot be read --------------------------------------------------------------------- */

static void set_raw(struct sg_pt2 *r, signet_arg arg, const char *tag, sg_json v) {
    signet_arg_set_raw(r->p, arg, signet_str(tag), sg_pt2_raw(r, v));
}

/* "'as_int' of Argument is ..., an integer expected", and the argument becomes RAW. */
static bool expect(struct sg_pt2 *r, sg_json v, unsigned kinds, signet_arg arg,
                   signet_arg_kind kind) {
    if (SG_LIKELY((kinds >> sg_json_get_kind(v) & 1) != 0)) {
        return true;
    }
    const char *tag = sg_arg_kind_tag(kind);
    (void)sg_pt2_expect(r, v, kinds, sg_log_text(r->log, "'%s' of Argument", tag));
    set_raw(r, arg, tag, v);
    return false;
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

static void set_named(struct sg_pt2 *r, signet_arg arg, signet_arg_kind kind, sg_json name) {
    (void)sg_arg_set_named(r->p, arg, kind, sg_pt2_name(r, name));
    size_t byte = sg_json_string_byte(r->doc, name);
    if (byte < UINT32_MAX) {
        sg_arg_set_at(r->p, arg, (uint32_t)byte + 1);
    }
}

static void read_tensor(struct sg_pt2 *r, sg_json v, signet_arg arg, signet_arg_kind kind) {
    sg_json f[SG_PT2_TENSOR_ARGUMENT_COUNT];
    const struct sg_pt2_schema *schema =
        kind == SIGNET_ARG_TOKEN ? &sg_pt2_TOKEN_ARGUMENT : &sg_pt2_TENSOR_ARGUMENT;
    if (r->major <= 5 && sg_json_get_kind(v) == SG_JSON_STRING) {
        set_named(r, arg, kind, v); /* inside an OptionalTensorArgument, up to schema 5 */
    } else if (sg_pt2_record(r, v, schema, f) && f[0].value != NULL) {
        set_named(r, arg, kind, f[0]);
    } else {
        set_raw(r, arg, kind == SIGNET_ARG_TOKEN ? "as_token" : "as_tensor", v);
    }
}

static void read_custom_obj(struct sg_pt2 *r, sg_json v, signet_arg arg) {
    sg_json f[SG_PT2_CUSTOM_OBJ_ARGUMENT_COUNT];
    if (!sg_pt2_record(r, v, &sg_pt2_CUSTOM_OBJ_ARGUMENT, f) ||
        f[SG_PT2_CUSTOM_OBJ_ARGUMENT_NAME].value == NULL) {
        set_raw(r, arg, "as_custom_obj", v);
        return;
    }
    set_named(r, arg, SIGNET_ARG_CUSTOM_OBJ, f[SG_PT2_CUSTOM_OBJ_ARGUMENT_NAME]);
    signet_arg_set_class(r->p, arg, sg_pt2_name_text(r, f[SG_PT2_CUSTOM_OBJ_ARGUMENT_CLASS]));
}

static void set_int(struct sg_pt2 *r, sg_json v, signet_arg arg, signet_arg_kind kind) {
    if (expect(r, v, SG_PT2_INT, arg, kind)) {
        signet_arg_set_int(r->p, arg, kind, sg_json_int(v));
    }
}

static void set_float(struct sg_pt2 *r, sg_json v, signet_arg arg, signet_arg_kind kind) {
    double number;
    if (sg_pt2_float(r, v, "'as_float' of Argument", &number)) {
        signet_arg_set_float(r->p, arg, kind, number);
    } else {
        set_raw(r, arg, sg_arg_kind_tag(kind), v);
    }
}

static void set_bool(struct sg_pt2 *r, sg_json v, signet_arg arg, signet_arg_kind kind) {
    if (expect(r, v, SG_PT2_BOOL, arg, kind)) {
        signet_arg_set_bool(r->p, arg, kind, sg_json_bool(v));
    }
}

/* A symbolic scalar: {as_name}, or a literal under a tag that fits the kind. */
static void read_symbol(struct sg_pt2 *r, sg_json v, signet_arg arg, signet_arg_kind kind) {
    const char *of = kind == SIGNET_ARG_SYM_INT     ? "SymIntArgument"
                     : kind == SIGNET_ARG_SYM_FLOAT ? "SymFloatArgument"
                                                    : "SymBoolArgument";
    signet_string tag;
    sg_json payload;
    if (!sg_pt2_union(r, v, of, &tag, &payload)) {
        set_raw(r, arg, "", v);
    } else if (sg_string_is(tag, "as_name")) {
        if (expect(r, payload, SG_PT2_STRING, arg, kind)) {
            set_named(r, arg, kind, payload);
        }
    } else if (kind == SIGNET_ARG_SYM_INT && sg_string_is(tag, "as_int")) {
        set_int(r, payload, arg, kind);
    } else if (kind == SIGNET_ARG_SYM_FLOAT && sg_string_is(tag, "as_float")) {
        set_float(r, payload, arg, kind);
    } else if (kind == SIGNET_ARG_SYM_BOOL && sg_string_is(tag, "as_bool")) {
        set_bool(r, payload, arg, kind);
    } else {
        sg_pt2_unknown_tag(r, v, of, tag, NULL, 0);
        set_raw(r, arg, "", v);
    }
    if (SG_UNLIKELY(signet_arg_get_kind(r->p, arg) == SIGNET_ARG_RAW)) {
        set_raw(r, arg, sg_arg_kind_tag(kind), v); /* with the tag inside */
    }
}

static void read_enum(struct sg_pt2 *r, sg_json v, signet_arg arg, signet_arg_kind kind) {
    if (!expect(r, v, SG_PT2_INT, arg, kind)) {
        return;
    }
    sg_pt2_enum(r, v,
                kind == SIGNET_ARG_SCALAR_TYPE ? SG_PT2_SCALAR_TYPE
                : kind == SIGNET_ARG_LAYOUT    ? SG_PT2_LAYOUT
                                               : SG_PT2_MEMORY_FORMAT);
    signet_arg_set_int(r->p, arg, kind, sg_json_int(v));
}

static void read_device(struct sg_pt2 *r, sg_json v, signet_arg arg) {
    sg_json f[SG_PT2_DEVICE_COUNT];
    if (!sg_pt2_record(r, v, &sg_pt2_DEVICE, f)) {
        set_raw(r, arg, "as_device", v);
        return;
    }
    sg_json index = f[SG_PT2_DEVICE_INDEX];
    bool has_index = sg_json_get_kind(index) == SG_JSON_INT;
    int64_t number = sg_json_int(index);
    if (has_index && (number <= INT32_MIN || number > INT32_MAX)) {
        struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_JSON_NUMBER, index);
        sg_diag_message(d, "device index %lld does not fit 32 bits", (long long)number);
        sg_diag_end(d);
        set_raw(r, arg, "as_device", v);
        return;
    }
    signet_arg_set_device(r->p, arg, sg_pt2_name_text(r, f[SG_PT2_DEVICE_TYPE]), has_index, number);
}

static bool defer(struct sg_pt2 *r, struct sg_pt2_pending item) {
    if (!sg_vec_reserve(&r->p->allocator, &r->pending, 1)) {
        sg_pt2_no_memory(r);
        return false;
    }
    r->pending.data[r->pending.count++] = item;
    return true;
}

static void read_graph(struct sg_pt2 *r, sg_json v, signet_arg arg) {
    sg_json f[SG_PT2_GRAPH_ARGUMENT_COUNT];
    if (!sg_pt2_record(r, v, &sg_pt2_GRAPH_ARGUMENT, f) ||
        f[SG_PT2_GRAPH_ARGUMENT_GRAPH].value == NULL || sg_arg_scope(r->p, arg.id) == 0) {
        set_raw(r, arg, "as_graph", v);
        return;
    }
    if (r->depth >= r->p->limits.graph_depth) {
        struct sg_diag *d = sg_pt2_finding(r, SIGNET_CODE_CARRIER_LIMIT, v);
        sg_diag_message(d, "subgraphs are nested deeper than the limit of %llu",
                        (unsigned long long)r->p->limits.graph_depth);
        sg_diag_help(d, "raise the limit: --limit graph-depth=%llu",
                     (unsigned long long)r->p->limits.graph_depth * 2);
        sg_diag_end(d);
        r->status = SIGNET_E_LIMIT;
        return;
    }
    signet_string name = sg_pt2_name_text(r, f[SG_PT2_GRAPH_ARGUMENT_NAME]);
    signet_graph graph = signet_graph_add(r->p, r->program, name);
    if (graph.id == 0) {
        return;
    }
    sg_graph_set_span(r->p, graph, sg_pt2_span(r, f[SG_PT2_GRAPH_ARGUMENT_NAME]));
    signet_arg_set_graph(r->p, arg, graph);
    (void)defer(r, (struct sg_pt2_pending){f[SG_PT2_GRAPH_ARGUMENT_GRAPH], graph.id, 0,
                                           r->depth + 1, SIGNET_ARG_UNKNOWN});
}

static void read_complex(struct sg_pt2 *r, sg_json v, signet_arg arg) {
    sg_json f[SG_PT2_COMPLEX_COUNT];
    if (!sg_pt2_record(r, v, &sg_pt2_COMPLEX, f)) {
        set_raw(r, arg, "as_complex", v);
        return;
    }
    signet_arg first = signet_arg_set_list(r->p, arg, SIGNET_ARG_COMPLEX, 2);
    for (uint32_t i = 0; i < 2 && first.id != 0; i++) {
        if (f[i].value != NULL) {
            set_float(r, f[i], (signet_arg){first.id + i}, SIGNET_ARG_FLOAT);
        }
    }
}

/* {as_tensor} or {as_none}. */
static void read_optional(struct sg_pt2 *r, sg_json v, signet_arg arg) {
    signet_string tag;
    sg_json payload;
    if (!sg_pt2_union(r, v, "OptionalTensorArgument", &tag, &payload)) {
        set_raw(r, arg, "", v);
    } else if (sg_string_is(tag, "as_tensor")) {
        read_tensor(r, payload, arg, SIGNET_ARG_TENSOR);
    } else if (sg_string_is(tag, "as_none")) {
        signet_arg_set_none(r->p, arg);
    } else {
        sg_pt2_unknown_tag(r, v, "OptionalTensorArgument", tag, NULL, 0);
        set_raw(r, arg, "", v);
    }
}

/* The kinds that lists are made of. */
static void read_leaf(struct sg_pt2 *r, sg_json v, signet_arg arg, signet_arg_kind kind) {
    if (kind == SIGNET_ARG_TENSOR || kind == SIGNET_ARG_TOKEN) {
        read_tensor(r, v, arg, kind);
    } else if (kind == SIGNET_ARG_INT) {
        set_int(r, v, arg, kind);
    } else if (kind == SIGNET_ARG_FLOAT) {
        set_float(r, v, arg, kind);
    } else if (kind == SIGNET_ARG_BOOL) {
        set_bool(r, v, arg, kind);
    } else if (kind == SIGNET_ARG_STRING || kind == SIGNET_ARG_OPERATOR) {
        if (expect(r, v, SG_PT2_STRING, arg, kind)) {
            (void)sg_pt2_text(r, v);
            signet_arg_set_string(r->p, arg, kind, sg_json_string(v));
        }
    } else {
        read_symbol(r, v, arg, kind);
    }
}

static void read_list(struct sg_pt2 *r, sg_json v, signet_arg arg, signet_arg_kind kind) {
    if (!expect(r, v, SG_PT2_ARRAY, arg, kind)) {
        return;
    }
    signet_arg_kind element = element_kind(kind);
    signet_arg child = signet_arg_set_list(r->p, arg, kind, sg_json_count(v));
    struct sg_json_iter it = sg_json_iter(v);
    for (; child.id != 0 && sg_json_next(&it); child.id++) {
        if (element == SIGNET_ARG_OPTIONAL_TENSOR) {
            read_optional(r, it.value, child);
        } else if (element_kind(element) == SIGNET_ARG_UNKNOWN) {
            read_leaf(r, it.value, child, element);
        } else if (!defer(r, (struct sg_pt2_pending){it.value, 0, child.id, r->depth, element})) {
            return;
        }
    }
}

/* Its values are arguments again, as deep as somebody likes. */
static void read_map(struct sg_pt2 *r, sg_json v, signet_arg arg) {
    if (!expect(r, v, SG_PT2_OBJECT, arg, SIGNET_ARG_STRING_MAP)) {
        return;
    }
    uint32_t dictionary = sg_pt2_dictionary(r);
    signet_arg child = signet_arg_set_list(r->p, arg, SIGNET_ARG_STRING_MAP, sg_json_count(v));
    struct sg_json_iter it = sg_json_iter(v);
    for (; child.id != 0 && sg_json_next(&it); child.id++) {
        sg_arg_set_name(r->p, child, sg_pt2_key(r, v, it.name_value, dictionary),
                        SIGNET_PASSING_UNKNOWN);
        if (!defer(r,
                   (struct sg_pt2_pending){it.value, 0, child.id, r->depth, SIGNET_ARG_UNKNOWN})) {
            return;
        }
    }
}

void sg_pt2_payload(struct sg_pt2 *r, sg_json v, signet_arg arg, signet_arg_kind kind) {
    switch (kind) {
    case SIGNET_ARG_NONE:
        signet_arg_set_none(r->p, arg);
        return;
    case SIGNET_ARG_TENSOR:
    case SIGNET_ARG_TOKEN:
    case SIGNET_ARG_INT:
    case SIGNET_ARG_FLOAT:
    case SIGNET_ARG_BOOL:
    case SIGNET_ARG_STRING:
    case SIGNET_ARG_OPERATOR:
    case SIGNET_ARG_SYM_INT:
    case SIGNET_ARG_SYM_FLOAT:
    case SIGNET_ARG_SYM_BOOL:
        read_leaf(r, v, arg, kind);
        return;
    case SIGNET_ARG_SCALAR_TYPE:
    case SIGNET_ARG_MEMORY_FORMAT:
    case SIGNET_ARG_LAYOUT:
        read_enum(r, v, arg, kind);
        return;
    case SIGNET_ARG_DEVICE:
        read_device(r, v, arg);
        return;
    case SIGNET_ARG_GRAPH:
        read_graph(r, v, arg);
        return;
    case SIGNET_ARG_CUSTOM_OBJ:
        read_custom_obj(r, v, arg);
        return;
    case SIGNET_ARG_COMPLEX:
        read_complex(r, v, arg);
        return;
    case SIGNET_ARG_STRING_MAP:
        read_map(r, v, arg);
        return;
    case SIGNET_ARG_OPTIONAL_TENSOR: {
        signet_arg child = signet_arg_set_list(r->p, arg, kind, 1);
        if (child.id != 0) {
            read_optional(r, v, child);
        }
        return;
    }
    case SIGNET_ARG_TENSORS:
    case SIGNET_ARG_OPTIONAL_TENSORS:
    case SIGNET_ARG_NESTED_TENSORS:
    case SIGNET_ARG_INTS:
    case SIGNET_ARG_INT_LISTS:
    case SIGNET_ARG_FLOATS:
    case SIGNET_ARG_FLOAT_LISTS:
    case SIGNET_ARG_BOOLS:
    case SIGNET_ARG_STRINGS:
    case SIGNET_ARG_SYM_INTS:
    case SIGNET_ARG_SYM_FLOATS:
    case SIGNET_ARG_SYM_BOOLS:
        read_list(r, v, arg, kind);
        return;
    case SIGNET_ARG_UNKNOWN: /* these have no tag */
    case SIGNET_ARG_DELEGATE:
    case SIGNET_ARG_ATTRIBUTE:
    case SIGNET_ARG_CONSTANT:
    case SIGNET_ARG_LIST:
    case SIGNET_ARG_RAW:
        return;
    }
}

void sg_pt2_argument(struct sg_pt2 *r, sg_json v, signet_arg arg) {
    signet_string tag;
    sg_json payload;
    if (!sg_pt2_union(r, v, "Argument", &tag, &payload)) {
        set_raw(r, arg, "", v);
        return;
    }
    signet_arg_kind kind = sg_arg_kind_of_tag(tag);
    if (kind == SIGNET_ARG_UNKNOWN) {
        sg_pt2_unknown_tag(r, v, "Argument", tag, tag_text, SIGNET_ARG_STRING_MAP);
        signet_arg_set_raw(r->p, arg, tag, sg_pt2_raw(r, payload));
        return;
    }
    sg_pt2_payload(r, payload, arg, kind);
}
