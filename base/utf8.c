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

static void put_escape(struct sg_text *t, uint32_t c) {
    switch (c) {
    case '\n':
        sg_text_puts(t, "\\n");
        break;
    case '\r':
        sg_text_puts(t, "\\r");
        break;
    case '\t':
        sg_text_puts(t, "\\t");
        break;
    default:
        sg_text_printf(t, c < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)c);
        break;
    }
}

void sg_text_escaped(struct sg_text *t, signet_string s, char quote) {
    size_t plain = 0; /* start of what needs no escape */
    size_t at = 0;
    while (at < s.length) {
        uint32_t c;
        size_t size = sg_utf8_next(s.data + at, s.length - at, &c);
        bool special = c == '\\' || (quote != '\0' && c == (unsigned char)quote);
        if (size > 0 && !special && c >= 0x20 && !is_invisible(c)) {
            at += size;
            continue;
        }
        sg_text_put(t, s.data + plain, at - plain);
        if (size == 0) {
            sg_text_printf(t, "\\x%02x", (unsigned)(unsigned char)s.data[at]);
            size = 1;
        } else if (special) {
            sg_text_putc(t, '\\');
            sg_text_putc(t, (char)c);
        } else {
            put_escape(t, c);
        }
        at += size;
        plain = at;
    }
    if (s.length > plain) {
        sg_text_put(t, s.data + plain, s.length - plain);
    }
}
