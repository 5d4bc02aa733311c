/* SPDX-License-Identifier: Apache-2.0 */
#include "signet/base.h"

const char *signet_version(void) {
    return SIGNET_VERSION_TEXT;
}

const char *signet_status_text(signet_status status) {
    switch (status) {
#define SIGNET_STATUS(id, number, text)                                                            \
    case SIGNET_##id:                                                                              \
        return text;
#include "signet/status.def"
#undef SIGNET_STATUS
    }
    return "unknown status";
}
