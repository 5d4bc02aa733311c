/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "formats/render_internal.h"

void sg_out_init(struct sg_out *out, const signet_writer *writer) {
    out->writer = writer;
    out->stopped = false;
    out->length = 0;
}

static void flush(struct sg_out *out) {
    if (out->length > 0 && !out->stopped) {
        out->stopped = !out->writer->write(out->writer->user, out->buffer, out->length);
    }
    out->length = 0;
}

void sg_out_put(struct sg_out *out, const char *data, size_t length) {
    while (length > 0) {
        size_t room = sizeof(out->buffer) - out->length;
        size_t piece = length < room ? length : room;
        memcpy(out->buffer + out->length, data, piece);
        out->length += piece;
        data += piece;
        length -= piece;
        if (out->length == sizeof(out->buffer)) {
            flush(out);
        }
    }
}

void sg_out_puts(struct sg_out *out, const char *text) {
    sg_out_put(out, text, strlen(text));
}

void sg_out_repeat(struct sg_out *out, char c, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sg_out_put(out, &c, 1);
    }
}

void sg_out_uint(struct sg_out *out, uint64_t v) {
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v > 0);
    sg_out_put(out, digits + at, sizeof(digits) - at);
}

void sg_out_shown(struct sg_out *out, const char *text) {
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        struct sg_shown shown = sg_utf8_shown(text + at, length - at);
        sg_out_put(out, shown.text, shown.length);
        at += shown.bytes;
    }
}

signet_status sg_out_done(struct sg_out *out) {
    flush(out);
    return out->stopped ? SIGNET_E_STOPPED : SIGNET_OK;
}

void sg_out_json_inside(struct sg_out *out, const char *data, size_t length) {
    for (size_t at = 0; at < length;) {
        uint32_t c;
        size_t size = sg_utf8_next(data + at, length - at, &c);
        if (size == 0) {
            sg_out_puts(out, "\xef\xbf\xbd"); /* U+FFFD stands for a byte that is no UTF-8 */
            size = 1;
        } else if (c == '"' || c == '\\') {
            sg_out_puts(out, "\\");
            sg_out_put(out, data + at, 1);
        } else if (c == '\n') {
            sg_out_puts(out, "\\n");
        } else if (c == '\t') {
            sg_out_puts(out, "\\t");
        } else if (c < 0x20 || c == 0x7f) {
            static const char hex[] = "0123456789abcdef";
            const char escaped[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 0xf]};
            sg_out_put(out, escaped, sizeof(escaped));
        } else {
            sg_out_put(out, data + at, size);
        }
        at += size;
    }
}

void sg_out_json(struct sg_out *out, const char *data, size_t length) {
    sg_out_puts(out, "\"");
    sg_out_json_inside(out, data, length);
    sg_out_puts(out, "\"");
}
