/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"

size_t sg_utf8_next(const char *data, size_t length, uint32_t *code_point) {
    const unsigned char *s = (const unsigned char *)data;
    *code_point = s[0];
    if (s[0] < 0x80) {
        return 1;
    }
    size_t size = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] < 0xc2 || s[0] > 0xf4 || size > length) {
        return 0;
    }
    uint32_t c = s[0] & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
        c = c << 6 | (s[i] & 0x3fU);
    }
    /* too long, half of a surrogate pair, or beyond Unicode */
    if ((size == 3 && c < 0x800) || (size == 4 && c < 0x10000) || (c >= 0xd800 && c < 0xe000) ||
        c > 0x10ffff) {
        return 0;
    }
    *code_point = c;
    return size;
}

size_t sg_utf8_start(const char *data, size_t length, size_t at) {
    for (size_t back = 1; at < length && back <= 3 && back <= at; back++) {
        uint32_t code_point;
        if (sg_utf8_next(data + at - back, length - at + back, &code_point) > back) {
            return at - back;
        }
    }
    return at;
}

size_t sg_utf8_check(const char *data, size_t length) {
    size_t at = 0;
    while (at < length) {
        uint64_t eight;
        if (length - at >= sizeof(eight)) {
            memcpy(&eight, data + at, sizeof(eight));
            if ((eight & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof(eight);
                continue;
            }
        }
        uint32_t code_point;
        size_t size = sg_utf8_next(data + at, length - at, &code_point);
        if (size == 0) {
            return at;
        }
        at += size;
    }
    return length;
}

/* Shows nothing, breaks the line, or turns the direction of what follows. */
static bool is_invisible(uint32_t c) {
    return (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x2069) || c == 0xfeff;
}

static void escape(struct sg_shown *shown, uint32_t c, bool is_byte) {
    static const char hex[] = "0123456789abcdef";
    const char *name = c == '\n' ? "n" : c == '\r' ? "r" : c == '\t' ? "t" : NULL;
    size_t digits = name != NULL ? 0 : is_byte || c < 0x80 ? 2 : 4;
    char *out = shown->text;
    *out++ = '\\';
    *out++ = (char)(name != NULL ? name[0] : digits == 2 ? 'x' : 'u');
    for (size_t i = digits; i > 0; i--) {
        *out++ = hex[c >> (4 * (i - 1)) & 0xf];
    }
    shown->length = shown->columns = 2 + digits;
}

struct sg_shown sg_utf8_shown(const char *data, size_t length) {
    struct sg_shown shown = {.columns = 1};
    uint32_t c;
    shown.bytes = sg_utf8_next(data, length, &c);
    if (shown.bytes == 0) {
        shown.bytes = 1;
        escape(&shown, c, true);
    } else if (c < 0x20 || is_invisible(c)) {
        escape(&shown, c, false);
    } else {
        shown.length = shown.bytes;
        memcpy(shown.text, data, shown.length);
    }
    return shown;
}

void sg_text_escaped(struct sg_text *t, signet_string s, char quote) {
    size_t at = 0;
    while (at < s.length) {
        char c = s.data[at];
        struct sg_shown shown = sg_utf8_shown(s.data + at, s.length - at);
        if (c == '\\' || (c == quote && quote != '\0')) {
            sg_text_putc(t, '\\');
        }
        sg_text_put(t, shown.text, shown.length);
        at += shown.bytes;
    }
}
