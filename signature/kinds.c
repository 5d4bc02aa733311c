/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of specs are called, and what they aim at. */

#include "ir/ir_internal.h"
#include "signet/signature.h"

const char *signet_input_kind_name(signet_input_kind kind) {
    return sg_input_kind_name(kind);
}

const char *signet_output_kind_name(signet_output_kind kind) {
    return sg_output_kind_name(kind);
}

bool signet_output_kind_is_mutation(signet_output_kind kind) {
    return kind == SIGNET_OUTPUT_KIND_BUFFER_MUTATION ||
           kind == SIGNET_OUTPUT_KIND_PARAMETER_MUTATION ||
           kind == SIGNET_OUTPUT_KIND_USER_INPUT_MUTATION;
}

signet_input_kind signet_output_kind_aims_at(signet_output_kind kind) {
    switch (kind) {
    case SIGNET_OUTPUT_KIND_BUFFER_MUTATION:
        return SIGNET_INPUT_KIND_BUFFER;
    case SIGNET_OUTPUT_KIND_PARAMETER_MUTATION:
    case SIGNET_OUTPUT_KIND_GRADIENT_TO_PARAMETER:
        return SIGNET_INPUT_KIND_PARAMETER;
    case SIGNET_OUTPUT_KIND_USER_INPUT_MUTATION:
    case SIGNET_OUTPUT_KIND_GRADIENT_TO_USER_INPUT:
        return SIGNET_INPUT_KIND_USER_INPUT;
    case SIGNET_OUTPUT_KIND_UNKNOWN:
    case SIGNET_OUTPUT_KIND_USER_OUTPUT:
    case SIGNET_OUTPUT_KIND_LOSS_OUTPUT:
    case SIGNET_OUTPUT_KIND_TOKEN:
        break;
    }
    return SIGNET_INPUT_KIND_UNKNOWN;
}
