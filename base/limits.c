/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "signet/base.h"

signet_limits signet_limits_default(void) {
    signet_limits limits = {
        .size = sizeof(signet_limits),
#define SIGNET_LIMIT(id, option, value, text) .id = (value),
#include "signet/limits.def"
#undef SIGNET_LIMIT
    };
    return limits;
}

bool signet_limits_set(signet_limits *limits, const char *option, uint64_t value) {
    /* A caller built against an older header has a shorter struct. */
#define SIGNET_LIMIT(id, name, default_value, text)                                                \
    if (strcmp(option, name) == 0 &&                                                               \
        limits->size >= offsetof(signet_limits, id) + sizeof(limits->id)) {                        \
        limits->id = value;                                                                        \
        return true;                                                                               \
    }
#include "signet/limits.def"
#undef SIGNET_LIMIT
    return false;
}
