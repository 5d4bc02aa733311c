/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "signet/base.h"
#include "signet/diag.h"

Test(status, every_status_has_a_text) {
    cr_assert_str_eq(signet_version(), SIGNET_VERSION_TEXT);
    cr_assert_str_eq(signet_status_text(SIGNET_OK), "ok");
    cr_assert_str_eq(signet_status_text(SIGNET_E_NOMEM), "out of memory");
    cr_assert_str_eq(signet_status_text((signet_status)-99), "unknown status");
    for (int i = 0; i >= -8; i--) {
        cr_assert_str_neq(signet_status_text((signet_status)i), "unknown status");
    }
}

Test(limits, are_set_by_their_option_name) {
    signet_limits limits = signet_limits_default();
    cr_assert_eq(limits.size, sizeof(limits));
    cr_assert_eq(limits.json_depth, 256);
    cr_assert_eq(limits.findings, 1000);
    cr_assert(signet_limits_set(&limits, "json-depth", 7));
    cr_assert_eq(limits.json_depth, 7);
    cr_assert(!signet_limits_set(&limits, "json_depth", 8));
    cr_assert(!signet_limits_set(&limits, "", 8));
    cr_assert_eq(limits.json_depth, 7);
    cr_assert_eq(limits.graph_depth, 64);
}

Test(limits, leave_a_shorter_struct_alone) {
    signet_limits limits = signet_limits_default();
    limits.size = offsetof(signet_limits, findings);
    cr_assert(!signet_limits_set(&limits, "findings", 1));
    cr_assert_eq(limits.findings, 1000);
    cr_assert(signet_limits_set(&limits, "file-bytes", 1));
}

Test(codes, every_code_is_found_by_its_name) {
    for (int i = 1; i < SIGNET_CODE_COUNT; i++) {
        const signet_code_info *info = signet_code_get((signet_code)i);
        cr_assert_not_null(info);
        cr_assert_not_null(info->title);
        cr_assert_neq(info->severity, SIGNET_SEVERITY_OFF);
        cr_assert_not_null(strchr(info->name, '.'), "%s has a family", info->name);
        cr_assert_eq(signet_code_find(signet_str(info->name)), (signet_code)i);
    }
    cr_assert_null(signet_code_get(SIGNET_CODE_NONE));
    cr_assert_null(signet_code_get(SIGNET_CODE_COUNT));
    cr_assert_null(signet_code_get(SIGNET_CODE_USER));
    cr_assert_eq(signet_code_find(signet_str("mutation")), SIGNET_CODE_NONE);
    cr_assert_eq(signet_code_find(signet_str(NULL)), SIGNET_CODE_NONE);
    cr_assert_eq(signet_code_find(signet_str("mutation.target-missing")),
                 SIGNET_CODE_MUTATION_TARGET_MISSING);
}

Test(codes, severities_have_names) {
    cr_assert_str_eq(signet_severity_name(SIGNET_SEVERITY_OFF), "off");
    cr_assert_str_eq(signet_severity_name(SIGNET_SEVERITY_NOTE), "note");
    cr_assert_str_eq(signet_severity_name(SIGNET_SEVERITY_WARNING), "warning");
    cr_assert_str_eq(signet_severity_name(SIGNET_SEVERITY_ERROR), "error");
}
