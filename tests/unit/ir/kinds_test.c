/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/ir_internal.h"

#include <criterion/criterion.h>
#include <string.h>

Test(kinds, every_name_leads_back_to_its_number) {
    uint32_t seen = 0;
    for (int i = 0; i < 64; i++) {
        const char *name = signet_dtype_name((signet_dtype)i);
        const char *torch = signet_dtype_torch_name((signet_dtype)i);
        cr_assert_eq(name == NULL, torch == NULL);
        if (name != NULL) {
            cr_assert_eq((int)sg_dtype_of_name(signet_str(name)), i);
            cr_assert_eq((int)sg_dtype_of_torch_name(signet_str(torch)), i);
            cr_assert_gt(signet_dtype_bytes((signet_dtype)i), 0);
            seen++;
        }
    }
    cr_assert_eq(seen, 21);
    for (int i = 1; signet_arg_kind_name((signet_arg_kind)i) != NULL; i++) {
        signet_arg_kind kind = (signet_arg_kind)i;
        cr_assert_eq(sg_arg_kind_of_keyword(signet_str(signet_arg_kind_name(kind))), kind);
        if (sg_arg_kind_tag(kind) != NULL) {
            cr_assert_eq(sg_arg_kind_of_tag(signet_str(sg_arg_kind_tag(kind))), kind);
        }
    }
    for (int i = 1; sg_output_kind_name((signet_output_kind)i) != NULL; i++) {
        signet_output_kind kind = (signet_output_kind)i;
        cr_assert_eq(sg_output_kind_of_name(signet_str(signet_output_kind_name(kind))), kind);
        cr_assert_eq(sg_output_kind_of_tag(signet_str(sg_output_kind_tag(kind))), kind);
        cr_assert_eq(sg_output_kind_of_keyword(signet_str(sg_output_kind_keyword(kind))), kind);
    }
    for (int i = 1; sg_input_kind_name((signet_input_kind)i) != NULL; i++) {
        signet_input_kind kind = (signet_input_kind)i;
        cr_assert_eq(sg_input_kind_of_name(signet_str(signet_input_kind_name(kind))), kind);
        cr_assert_eq(sg_input_kind_of_tag(signet_str(sg_input_kind_tag(kind))), kind);
        cr_assert_eq(sg_input_kind_of_keyword(signet_str(sg_input_kind_keyword(kind))), kind);
    }
}

Test(kinds, numbers_of_the_schema) {
    cr_assert_str_eq(signet_dtype_torch_name((signet_dtype)12), "bool");
    cr_assert_str_eq(signet_dtype_name((signet_dtype)35), "u64");
    cr_assert_eq(signet_dtype_bytes(SIGNET_DTYPE_C128), 16);
    cr_assert_str_eq(signet_layout_name((signet_layout)7), "strided");
    cr_assert_str_eq(signet_memory_format_name((signet_memory_format)4), "preserve_format");
    cr_assert_str_eq(signet_stage_name(SIGNET_STAGE_EDGE), "edge");
    cr_assert_str_eq(signet_carrier_name(SIGNET_CARRIER_PT2_FLAT), "pt2-flat");
    cr_assert_str_eq(signet_value_kind_name(SIGNET_VALUE_SYM_INT), "sym_int");
    cr_assert_str_eq(sg_value_kind_table(SIGNET_VALUE_TENSOR), "tensor_values");
}

Test(kinds, unknown_numbers_and_words) {
    cr_assert_null(signet_dtype_name((signet_dtype)0));
    cr_assert_null(signet_dtype_name((signet_dtype)14));
    cr_assert_null(signet_dtype_name((signet_dtype)0xffff));
    cr_assert_null(signet_layout_name((signet_layout)-1));
    cr_assert_null(signet_arg_kind_name((signet_arg_kind)1000));
    cr_assert_eq(signet_dtype_bytes((signet_dtype)-5), 0);
    cr_assert_eq(sg_arg_kind_payload((signet_arg_kind)1000), SG_PAYLOAD_NOTHING);
    cr_assert_eq(sg_arg_kind_of_tag(signet_str("as_tenso")), SIGNET_ARG_UNKNOWN);
    cr_assert_eq(sg_arg_kind_of_tag(signet_str("")), SIGNET_ARG_UNKNOWN);
    cr_assert_eq(sg_arg_kind_of_tag(signet_str(NULL)), SIGNET_ARG_UNKNOWN);
    cr_assert_eq(sg_output_kind_group((signet_output_kind)99), 2);
    cr_assert_null(sg_output_kind_target_member(SIGNET_OUTPUT_KIND_USER_OUTPUT));
}

Test(kinds, payloads_and_values) {
    cr_assert_eq(sg_arg_kind_payload(SIGNET_ARG_TENSOR), SG_PAYLOAD_VALUE);
    cr_assert_eq(sg_arg_kind_payload(SIGNET_ARG_SYM_INT), SG_PAYLOAD_SYMBOL);
    cr_assert_eq(sg_arg_kind_payload(SIGNET_ARG_STRING_MAP), SG_PAYLOAD_LIST);
    cr_assert_eq(sg_arg_kind_payload(SIGNET_ARG_RAW), SG_PAYLOAD_RAW);
    cr_assert_eq(sg_arg_kind_value_kind(SIGNET_ARG_SYM_BOOL), SIGNET_VALUE_SYM_BOOL);
    cr_assert_eq(sg_arg_kind_value_kind(SIGNET_ARG_TENSORS), SIGNET_VALUE_UNKNOWN);
    /* Every kind that can name a value says which kind of value that is. */
    for (int i = 1; signet_arg_kind_name((signet_arg_kind)i) != NULL; i++) {
        sg_payload payload = sg_arg_kind_payload((signet_arg_kind)i);
        bool names = payload == SG_PAYLOAD_VALUE || payload == SG_PAYLOAD_SYMBOL;
        cr_assert_eq(names, sg_arg_kind_value_kind((signet_arg_kind)i) != SIGNET_VALUE_UNKNOWN);
    }
}

Test(kinds, what_outputs_aim_at) {
    cr_assert(signet_output_kind_is_mutation(SIGNET_OUTPUT_KIND_BUFFER_MUTATION));
    cr_assert(signet_output_kind_is_mutation(SIGNET_OUTPUT_KIND_PARAMETER_MUTATION));
    cr_assert(signet_output_kind_is_mutation(SIGNET_OUTPUT_KIND_USER_INPUT_MUTATION));
    cr_assert_not(signet_output_kind_is_mutation(SIGNET_OUTPUT_KIND_GRADIENT_TO_PARAMETER));
    cr_assert_not(signet_output_kind_is_mutation(SIGNET_OUTPUT_KIND_UNKNOWN));
    cr_assert_eq(signet_output_kind_aims_at(SIGNET_OUTPUT_KIND_GRADIENT_TO_USER_INPUT),
                 SIGNET_INPUT_KIND_USER_INPUT);
    cr_assert_eq(signet_output_kind_aims_at(SIGNET_OUTPUT_KIND_BUFFER_MUTATION),
                 SIGNET_INPUT_KIND_BUFFER);
    cr_assert_eq(signet_output_kind_aims_at(SIGNET_OUTPUT_KIND_TOKEN), SIGNET_INPUT_KIND_UNKNOWN);
    cr_assert_str_eq(sg_output_kind_target_member(SIGNET_OUTPUT_KIND_BUFFER_MUTATION),
                     "buffer_name");
    cr_assert_str_eq(sg_input_kind_target_member(SIGNET_INPUT_KIND_CONSTANT_TENSOR),
                     "tensor_constant_name");
    cr_assert_eq(sg_output_kind_group(SIGNET_OUTPUT_KIND_TOKEN), 0);
}

Test(kinds, device_types) {
    cr_assert(sg_is_device_type(signet_str("cpu")));
    cr_assert(sg_is_device_type(signet_str("privateuseone")));
    cr_assert_not(sg_is_device_type(signet_str("cp")));
    cr_assert_not(sg_is_device_type(signet_str("")));
    cr_assert_not(sg_is_device_type(signet_str(NULL)));
}
