/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <string.h>

#include <yyjson.h>

/* ---- Numbers ----------------------------------------------------------------------------------
 */

bool sg_number_write(double v, char out[SG_NUMBER_TEXT]) {
    _Alignas(max_align_t) char pool[512];
    yyjson_alc alc;
    yyjson_write_err error;
    size_t length = 0;
    if (!yyjson_alc_pool_init(&alc, pool, sizeof(pool))) {
        return false;
    }
    yyjson_mut_val number = {0};
    unsafe_yyjson_set_real(&number, v);
    const char *text = yyjson_mut_val_write_opts(&number, 0, &alc, &length, &error);
    if (text == NULL || length >= SG_NUMBER_TEXT) {
        return false;
    }
    memcpy(out, text, length + 1);
    return true;
}

bool sg_number_read(signet_string text, double *out) {
    char copy[512];
    if (text.length > 0 && text.data[text.length - 1] == '.') {
        text.length--;
    }
    if (text.length == 0 || text.length >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text.data, text.length);
    copy[text.length] = '\0';
    yyjson_val number;
    const char *end = yyjson_read_number(copy, &number, YYJSON_READ_ALLOW_INF_AND_NAN, NULL, NULL);
    if (end != copy + text.length) {
        return false;
    }
    *out = yyjson_get_num(&number);
    return true;
}
