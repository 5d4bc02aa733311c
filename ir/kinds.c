/* SPDX-License-Identifier: Apache-2.0 */
/* Names, tags and numbers of kinds, all from signet/kinds.def. */

#include "ir/ir_internal.h"

#include <string.h>

#include "base/compiler.h"

/* One column of a table. The length is that of the literal, and means nothing where text is null.
 */
struct word {
    const char *text;
    size_t length;
};
#define WORD(text)                                                                                 \
    { (text), sizeof(text) - 1 }

static const struct word dtype_words[] = {
#define SIGNET_DTYPE(id, number, short_name, torch_name, bytes) [number] = WORD(short_name),
#include "signet/kinds.def"
};
static const struct word dtype_torch_words[] = {
#define SIGNET_DTYPE(id, number, short_name, torch_name, bytes) [number] = WORD(torch_name),
#include "signet/kinds.def"
};
static const uint8_t dtype_bytes[] = {
#define SIGNET_DTYPE(id, number, short_name, torch_name, bytes) [number] = (bytes),
#include "signet/kinds.def"
};
static const struct word layout_words[] = {
#define SIGNET_LAYOUT(id, number, torch_name) [number] = WORD(torch_name),
#include "signet/kinds.def"
};
static const struct word memory_format_words[] = {
#define SIGNET_MEMORY_FORMAT(id, number, torch_name) [number] = WORD(torch_name),
#include "signet/kinds.def"
};
static const struct word arg_keywords[] = {
#define SIGNET_ARG_KIND(id, json_tag, keyword, payload) [SIGNET_ARG_##id] = WORD(keyword),
#include "signet/kinds.def"
};
static const struct word arg_tags[] = {
#define SIGNET_ARG_KIND(id, json_tag, keyword, payload) [SIGNET_ARG_##id] = WORD(json_tag),
#include "signet/kinds.def"
};
static const uint8_t arg_payloads[] = {
#define SIGNET_ARG_KIND(id, json_tag, keyword, payload) [SIGNET_ARG_##id] = SG_PAYLOAD_##payload,
#include "signet/kinds.def"
};
static const struct word value_keywords[] = {
#define SIGNET_VALUE_KIND(id, keyword, table) [SIGNET_VALUE_##id] = WORD(keyword),
#include "signet/kinds.def"
};
static const char *const value_tables[] = {
#define SIGNET_VALUE_KIND(id, keyword, table) [SIGNET_VALUE_##id] = (table),
#include "signet/kinds.def"
};
static const struct word stage_words[] = {
#define SIGNET_STAGE(id, keyword, text) [SIGNET_STAGE_##id] = WORD(keyword),
#include "signet/kinds.def"
};
static const struct word carrier_words[] = {
#define SIGNET_CARRIER(id, keyword, text) [SIGNET_CARRIER_##id] = WORD(keyword),
#include "signet/kinds.def"
};
static const struct word input_tags[] = {
#define SIGNET_INPUT_KIND(id, json_tag, keyword, target_member)                                    \
    [SIGNET_INPUT_KIND_##id] = WORD(json_tag),
#include "signet/kinds.def"
};
static const struct word input_keywords[] = {
#define SIGNET_INPUT_KIND(id, json_tag, keyword, target_member)                                    \
    [SIGNET_INPUT_KIND_##id] = WORD(keyword),
#include "signet/kinds.def"
};
static const struct word input_names[] = {
#define SIGNET_INPUT_KIND(id, json_tag, keyword, target_member)                                    \
    [SIGNET_INPUT_KIND_##id] = WORD(#id),
#include "signet/kinds.def"
};
static const char *const input_targets[] = {
#define SIGNET_INPUT_KIND(id, json_tag, keyword, target_member)                                    \
    [SIGNET_INPUT_KIND_##id] = (target_member),
#include "signet/kinds.def"
};
static const struct word output_tags[] = {
#define SIGNET_OUTPUT_KIND(id, json_tag, keyword, target_member, group)                            \
    [SIGNET_OUTPUT_KIND_##id] = WORD(json_tag),
#include "signet/kinds.def"
};
static const struct word output_keywords[] = {
#define SIGNET_OUTPUT_KIND(id, json_tag, keyword, target_member, group)                            \
    [SIGNET_OUTPUT_KIND_##id] = WORD(keyword),
#include "signet/kinds.def"
};
static const struct word output_names[] = {
#define SIGNET_OUTPUT_KIND(id, json_tag, keyword, target_member, group)                            \
    [SIGNET_OUTPUT_KIND_##id] = WORD(#id),
#include "signet/kinds.def"
};
static const struct word devices[] = {
#define SIGNET_DEVICE(name) WORD(name),
#include "signet/kinds.def"
};
static const char *const output_targets[] = {
#define SIGNET_OUTPUT_KIND(id, json_tag, keyword, target_member, group)                            \
    [SIGNET_OUTPUT_KIND_##id] = (target_member),
#include "signet/kinds.def"
};
static const uint8_t output_groups[] = {
#define SIGNET_OUTPUT_KIND(id, json_tag, keyword, target_member, group)                            \
    [SIGNET_OUTPUT_KIND_##id] = (group),
#include "signet/kinds.def"
};

/* Kinds come from files as numbers, so any number may be asked for. */
#define TEXT_AT(words, number)                                                                     \
    ((size_t)(number) < SG_COUNT_OF(words) ? (words)[(size_t)(number)].text : NULL)
#define ITEM_AT(array, number, otherwise)                                                          \
    ((size_t)(number) < SG_COUNT_OF(array) ? (array)[(size_t)(number)] : (otherwise))

/* The row that has the text, or 0. */
static size_t find(const struct word *words, size_t count, signet_string s) {
    if (s.data == NULL || s.length == 0) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (words[i].length == s.length && words[i].text != NULL &&
            memcmp(words[i].text, s.data, s.length) == 0) {
            return i;
        }
    }
    return 0;
}
#define FIND(words, s) find((words), SG_COUNT_OF(words), (s))

/* ---- By number ------------------------------------------------------------------------------- */

const char *signet_dtype_name(signet_dtype dtype) {
    return TEXT_AT(dtype_words, dtype);
}

const char *signet_dtype_torch_name(signet_dtype dtype) {
    return TEXT_AT(dtype_torch_words, dtype);
}

uint32_t signet_dtype_bytes(signet_dtype dtype) {
    return ITEM_AT(dtype_bytes, dtype, 0);
}

const char *signet_layout_name(signet_layout layout) {
    return TEXT_AT(layout_words, layout);
}

const char *signet_memory_format_name(signet_memory_format format) {
    return TEXT_AT(memory_format_words, format);
}

const char *signet_arg_kind_name(signet_arg_kind kind) {
    return TEXT_AT(arg_keywords, kind);
}

const char *signet_value_kind_name(signet_value_kind kind) {
    return TEXT_AT(value_keywords, kind);
}

const char *signet_stage_name(signet_stage stage) {
    return TEXT_AT(stage_words, stage);
}

const char *signet_carrier_name(signet_carrier carrier) {
    return TEXT_AT(carrier_words, carrier);
}

const char *sg_arg_kind_tag(signet_arg_kind kind) {
    return TEXT_AT(arg_tags, kind);
}

const char *sg_value_kind_table(signet_value_kind kind) {
    return ITEM_AT(value_tables, kind, NULL);
}

const char *sg_input_kind_tag(signet_input_kind kind) {
    return TEXT_AT(input_tags, kind);
}

const char *sg_input_kind_keyword(signet_input_kind kind) {
    return TEXT_AT(input_keywords, kind);
}

const char *sg_input_kind_target_member(signet_input_kind kind) {
    return ITEM_AT(input_targets, kind, NULL);
}

const char *sg_output_kind_tag(signet_output_kind kind) {
    return TEXT_AT(output_tags, kind);
}

const char *sg_output_kind_keyword(signet_output_kind kind) {
    return TEXT_AT(output_keywords, kind);
}

const char *sg_output_kind_target_member(signet_output_kind kind) {
    return ITEM_AT(output_targets, kind, NULL);
}

uint32_t sg_output_kind_group(signet_output_kind kind) {
    return kind == SIGNET_OUTPUT_KIND_UNKNOWN ? 2 : ITEM_AT(output_groups, kind, 2);
}

const char *sg_input_kind_name(signet_input_kind kind) {
    return TEXT_AT(input_names, kind);
}

const char *sg_output_kind_name(signet_output_kind kind) {
    return TEXT_AT(output_names, kind);
}

sg_payload sg_arg_kind_payload(signet_arg_kind kind) {
    return (sg_payload)ITEM_AT(arg_payloads, kind, SG_PAYLOAD_NOTHING);
}

signet_value_kind sg_arg_kind_value_kind(signet_arg_kind kind) {
    if (kind == SIGNET_ARG_TENSOR) {
        return SIGNET_VALUE_TENSOR;
    }
    if (kind == SIGNET_ARG_SYM_INT) {
        return SIGNET_VALUE_SYM_INT;
    }
    if (kind == SIGNET_ARG_SYM_FLOAT) {
        return SIGNET_VALUE_SYM_FLOAT;
    }
    if (kind == SIGNET_ARG_SYM_BOOL) {
        return SIGNET_VALUE_SYM_BOOL;
    }
    if (kind == SIGNET_ARG_CUSTOM_OBJ) {
        return SIGNET_VALUE_CUSTOM_OBJ;
    }
    if (kind == SIGNET_ARG_TOKEN) {
        return SIGNET_VALUE_TOKEN;
    }
    if (kind == SIGNET_ARG_CONSTANT) {
        return SIGNET_VALUE_CONSTANT;
    }
    return SIGNET_VALUE_UNKNOWN;
}

/* ---- By text --------------------------------------------------------------------------------- */

signet_arg_kind sg_arg_kind_of_tag(signet_string tag) {
    return (signet_arg_kind)FIND(arg_tags, tag);
}

signet_arg_kind sg_arg_kind_of_keyword(signet_string keyword) {
    return (signet_arg_kind)FIND(arg_keywords, keyword);
}

signet_value_kind sg_value_kind_of_keyword(signet_string keyword) {
    return (signet_value_kind)FIND(value_keywords, keyword);
}

signet_dtype sg_dtype_of_name(signet_string short_name) {
    return (signet_dtype)FIND(dtype_words, short_name);
}

signet_dtype sg_dtype_of_torch_name(signet_string name) {
    return (signet_dtype)FIND(dtype_torch_words, name);
}

signet_layout sg_layout_of_torch_name(signet_string name) {
    return (signet_layout)FIND(layout_words, name);
}

signet_memory_format sg_memory_format_of_torch_name(signet_string name) {
    return (signet_memory_format)FIND(memory_format_words, name);
}

signet_stage sg_stage_of_keyword(signet_string keyword) {
    return (signet_stage)FIND(stage_words, keyword);
}

signet_carrier sg_carrier_of_keyword(signet_string keyword) {
    return (signet_carrier)FIND(carrier_words, keyword);
}

signet_input_kind sg_input_kind_of_tag(signet_string tag) {
    return (signet_input_kind)FIND(input_tags, tag);
}

signet_input_kind sg_input_kind_of_keyword(signet_string keyword) {
    return (signet_input_kind)FIND(input_keywords, keyword);
}

signet_input_kind sg_input_kind_of_name(signet_string name) {
    return (signet_input_kind)FIND(input_names, name);
}

signet_output_kind sg_output_kind_of_tag(signet_string tag) {
    return (signet_output_kind)FIND(output_tags, tag);
}

signet_output_kind sg_output_kind_of_keyword(signet_string keyword) {
    return (signet_output_kind)FIND(output_keywords, keyword);
}

signet_output_kind sg_output_kind_of_name(signet_string name) {
    return (signet_output_kind)FIND(output_names, name);
}

bool sg_is_device_type(signet_string name) {
    for (size_t i = 0; i < SG_COUNT_OF(devices); i++) {
        if (name.data != NULL && devices[i].length == name.length &&
            memcmp(devices[i].text, name.data, name.length) == 0) {
            return true;
        }
    }
    return false;
}
