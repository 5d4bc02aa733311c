/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "formats/pyexpr.h"

/* Names and strings as Python spells them. */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool sg_py_name_char(char c, bool first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 0x80 || (!first && is_digit(c));
}

size_t sg_py_name_length(const char *data, size_t length) {
    size_t n = 0;
    while (n < length && sg_py_name_char(data[n], n == 0)) {
        n++;
    }
    return n;
}

static void put_utf8(struct sg_text *out, uint32_t code) {
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        code = 0xfffd; /* half of a surrogate pair has no UTF-8 */
    }
    if (code < 0x80) {
        sg_text_putc(out, (char)code);
    } else if (code < 0x800) {
        sg_text_putc(out, (char)(0xc0 | (code >> 6)));
        sg_text_putc(out, (char)(0x80 | (code & 0x3f)));
    } else if (code < 0x10000) {
        sg_text_putc(out, (char)(0xe0 | (code >> 12)));
        sg_text_putc(out, (char)(0x80 | ((code >> 6) & 0x3f)));
        sg_text_putc(out, (char)(0x80 | (code & 0x3f)));
    } else {
        sg_text_putc(out, (char)(0xf0 | (code >> 18)));
        sg_text_putc(out, (char)(0x80 | ((code >> 12) & 0x3f)));
        sg_text_putc(out, (char)(0x80 | ((code >> 6) & 0x3f)));
        sg_text_putc(out, (char)(0x80 | (code & 0x3f)));
    }
}

static int hex_digit(char c) {
    if (is_digit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* An escape of fixed width behind its letter. false: too few digits. */
static bool put_hex(struct sg_text *out, const char *digits, size_t left, size_t width) {
    uint32_t code = 0;
    for (size_t i = 0; i < width; i++) {
        int d = i < left ? hex_digit(digits[i]) : -1;
        if (d < 0) {
            return false;
        }
        code = code << 4 | (uint32_t)d;
    }
    put_utf8(out, code);
    return true;
}

bool sg_pyx_string(const struct sg_pyx *x, uint32_t i, struct sg_text *out) {
    signet_string s = sg_pyx_text(x, i);
    static const char letters[] = "\\'\"ntrabfv0";
    static const char stands_for[] = "\\'\"\n\t\r\a\b\f\v";
    bool good = true;
    for (size_t at = 1; at + 1 < s.length; at++) {
        if (s.data[at] != '\\') {
            sg_text_putc(out, s.data[at]);
            continue;
        }
        char c = s.data[++at];
        const char *letter = c != '\0' ? strchr(letters, c) : NULL;
        size_t width = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        if (letter != NULL) {
            sg_text_putc(out, stands_for[letter - letters]);
        } else if (width > 0 && put_hex(out, s.data + at + 1, s.length - 2 - at, width)) {
            at += width;
        } else {
            sg_text_putc(out, '\\'); /* Python keeps an escape that it does not know */
            sg_text_putc(out, c);
            good = false;
        }
    }
    return good;
}

/* True for characters that repr escapes: controls, and the few blanks that print as nothing. */
static bool is_hidden(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0xad ||
           (code >= 0x2028 && code <= 0x202f) || (code >= 0x2000 && code <= 0x200f) ||
           code == 0xfeff;
}

void sg_py_repr(struct sg_text *out, signet_string s) {
    bool has_single = s.length > 0 && memchr(s.data, '\'', s.length) != NULL;
    bool has_double = s.length > 0 && memchr(s.data, '"', s.length) != NULL;
    char quote = has_single && !has_double ? '"' : '\'';
    sg_text_putc(out, quote);
    for (size_t i = 0; i < s.length; i++) {
        unsigned char c = (unsigned char)s.data[i];
        size_t width = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        bool whole =
            c < 0x80 || (i + width <= s.length && sg_utf8_check(s.data + i, width) == width);
        uint32_t code = c;
        if (whole && width > 1) {
            code = c & (0x7fU >> width);
            for (size_t k = 1; k < width; k++) {
                code = code << 6 | ((unsigned char)s.data[i + k] & 0x3fU);
            }
        }
        if (c == '\\' || c == (unsigned char)quote) {
            sg_text_putc(out, '\\');
            sg_text_putc(out, (char)c);
        } else if (c == '\n' || c == '\t' || c == '\r') {
            sg_text_putc(out, '\\');
            sg_text_puts(out, c == '\n' ? "n" : c == '\t' ? "t" : "r");
        } else if (!whole || is_hidden(code)) {
            sg_text_printf(out, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
            i += whole ? width - 1 : 0;
        } else {
            sg_text_put(out, s.data + i, width);
            i += width - 1;
        }
    }
    sg_text_putc(out, quote);
}
