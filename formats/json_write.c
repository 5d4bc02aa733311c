/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/json_write.h"

#include <string.h>

/* ---- Strings --------------------------------------------------------------------------------- */

static void put_unit(struct sg_text *t, uint32_t unit) {
    static const char digits[] = "0123456789abcdef";
    char text[] = {'\\',
                   'u',
                   digits[unit >> 12 & 15],
                   digits[unit >> 8 & 15],
                   digits[unit >> 4 & 15],
                   digits[unit & 15]};
    sg_text_put(t, text, sizeof(text));
}

static void put_code_point(struct sg_text *t, uint32_t c) {
    if (c < 0x10000) {
        put_unit(t, c);
        return;
    }
    put_unit(t, 0xd800 + ((c - 0x10000) >> 10));
    put_unit(t, 0xdc00 + ((c - 0x10000) & 0x3ff));
}

/* The letter behind the backslash; 0: the character has none. */
static char short_escape(char c) {
    switch (c) {
    case '"':
    case '\\':
        return c;
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static bool is_plain(char c) {
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f && c != '"' && c != '\\';
}

static size_t plain_length(const char *data, size_t length) {
    size_t n = 0;
    while (n < length && is_plain(data[n])) {
        n++;
    }
    return n;
}

/* Writes the first character, which is not plain, and returns how many bytes it has. */
static size_t put_escape(struct sg_text *t, const char *data, size_t length) {
    char letter = short_escape(data[0]);
    if (letter != 0) {
        char text[] = {'\\', letter};
        sg_text_put(t, text, sizeof(text));
        return 1;
    }
    uint32_t c = 0;
    size_t bytes = sg_utf8_next(data, length, &c);
    put_code_point(t, bytes > 0 ? c : 0xdc00U + (unsigned char)data[0]);
    return bytes > 0 ? bytes : 1;
}

void sg_json_put_string(struct sg_text *t, signet_string s) {
    if (s.data == NULL) {
        sg_text_puts(t, "null");
        return;
    }
    sg_text_putc(t, '"');
    for (size_t at = 0; at < s.length;) {
        size_t plain = plain_length(s.data + at, s.length - at);
        sg_text_put(t, s.data + at, plain);
        at += plain;
        if (at < s.length) {
            at += put_escape(t, s.data + at, s.length - at);
        }
    }
    sg_text_putc(t, '"');
}

/* ---- Numbers --------------------------------------------------------------------------------- */

void sg_json_put_real(struct sg_text *t, double v, bool bare) {
    double zero = v - v; /* 0, or NaN where v is not finite */
    if (zero == 0) {
        sg_text_double(t, v);
        return;
    }
    const char *word = v > 0 ? "Infinity" : v < 0 ? "-Infinity" : "NaN";
    sg_text_puts(t, bare ? "" : "\"");
    sg_text_puts(t, word);
    sg_text_puts(t, bare ? "" : "\"");
}

/* ---- Other JSON ------------------------------------------------------------------------------ */

/* A string of JSON text that starts behind its quote; returns its length with the second quote.
 * Escapes stay, but for the case of their digits. */
static size_t respell_string(struct sg_text *t, const char *data, size_t length) {
    size_t at = 0;
    sg_text_putc(t, '"');
    while (at < length && data[at] != '"') {
        size_t plain = plain_length(data + at, length - at);
        sg_text_put(t, data + at, plain);
        at += plain;
        if (at < length && data[at] == '\\') {
            sg_text_put(t, data + at, length - at < 2 ? 1 : 2);
            bool digits = length - at > 1 && data[at + 1] == 'u';
            at += 2;
            for (int i = 0; digits && i < 4 && at < length; i++, at++) {
                sg_text_putc(t, (char)(data[at] | (data[at] >= 'A' ? 0x20 : 0)));
            }
        } else if (at < length && data[at] != '"') {
            at += put_escape(t, data + at, length - at);
        }
    }
    sg_text_putc(t, '"');
    return at < length ? at + 1 : length;
}

/* A number or a word. Integers keep their digits, whatever their size. */
static size_t respell_word(struct sg_text *t, const char *data, size_t length) {
    size_t n = 0;
    bool real = false;
    while (n < length && strchr(",:[]{}\" \t\n\r", data[n]) == NULL) {
        real = real || data[n] == '.' || data[n] == 'e' || data[n] == 'E';
        n++;
    }
    double v;
    bool number = n > 0 && (data[0] == '-' || (data[0] >= '0' && data[0] <= '9'));
    if (number && real && sg_parse_double((signet_string){data, n}, &v)) {
        sg_json_put_real(t, v, true);
    } else {
        sg_text_put(t, data, n);
    }
    return n;
}

void sg_json_put_respelled(struct sg_text *t, signet_string json) {
    for (size_t at = 0; at < json.length;) {
        char c = json.data[at];
        if (c == '"') {
            at++;
            at += respell_string(t, json.data + at, json.length - at);
        } else if (c == ',' || c == ':') {
            sg_text_putc(t, c);
            sg_text_putc(t, ' ');
            at++;
        } else if (c == '\0' || strchr("[]{} \t\n\r", c) != NULL) {
            sg_text_put(t, &c, strchr("[]{}", c) != NULL && c != '\0' ? 1 : 0);
            at++;
        } else {
            at += respell_word(t, json.data + at, json.length - at);
        }
    }
}
