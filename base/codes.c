/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/compiler.h"
#include "signet/diag.h"

static const signet_code_info catalogue[] = {
    {NULL, SIGNET_SEVERITY_OFF, NULL, NULL, NULL, NULL, NULL}, /* SIGNET_CODE_NONE */
#define SIGNET_CODE(id, name, severity, title, why, fix, torch, example)                           \
    {name, SIGNET_SEVERITY_##severity, title, why, fix, torch, example},
#include "signet/codes.def"
#undef SIGNET_CODE
};

_Static_assert(SG_COUNT_OF(catalogue) == SIGNET_CODE_COUNT, "one row per code");

const signet_code_info *signet_code_get(signet_code code) {
    return code > SIGNET_CODE_NONE && code < SIGNET_CODE_COUNT ? &catalogue[code] : NULL;
}

signet_code signet_code_find(signet_string name) {
    for (int i = 1; i < SIGNET_CODE_COUNT && name.data != NULL; i++) {
        size_t length = strlen(catalogue[i].name);
        if (length == name.length && memcmp(catalogue[i].name, name.data, length) == 0) {
            return (signet_code)i;
        }
    }
    return SIGNET_CODE_NONE;
}

const char *signet_severity_name(signet_severity severity) {
    switch (severity) {
    case SIGNET_SEVERITY_OFF:
        return "off";
    case SIGNET_SEVERITY_NOTE:
        return "note";
    case SIGNET_SEVERITY_WARNING:
        return "warning";
    case SIGNET_SEVERITY_ERROR:
        return "error";
    }
    return "off";
}
