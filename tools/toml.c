/* SPDX-License-Identifier: Apache-2.0 */
#include "toml.h"

#include <string.h>

struct reader {
    const char *path;
    const char *at, *end; /* end: of the line */
    uint32_t line;
    struct text key, value;
};

static bool wrong(const struct reader *r, const char *what) {
    trouble("%s:%u: %s", r->path, (unsigned)r->line, what);
    return false;
}

static void skip_blanks(struct reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) {
        r->at++;
    }
}

static bool at_end(struct reader *r) {
    skip_blanks(r);
    return r->at == r->end || *r->at == '#';
}

static bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static void put_utf8(struct text *t, uint32_t c) {
    char bytes[4];
    size_t n = 0;
    if (c < 0x80) {
        bytes[n++] = (char)c;
    } else if (c < 0x800) {
        bytes[n++] = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            bytes[n++] = (char)(0xe0 | c >> 12);
        } else {
            bytes[n++] = (char)(0xf0 | c >> 18);
            bytes[n++] = (char)(0x80 | (c >> 12 & 0x3f));
        }
        bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
    }
    if (c >= 0x80) {
        bytes[n++] = (char)(0x80 | (c & 0x3f));
    }
    text_add(t, bytes, n);
}

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* \u0041, \U00000041; r->at is behind the letter. */
static bool read_code_point(struct reader *r, int digits, struct text *t) {
    uint32_t c = 0;
    for (int i = 0; i < digits; i++) {
        int digit = r->at < r->end ? hex_digit(*r->at++) : -1;
        if (digit < 0) {
            return wrong(r, "an escape has too few hexadecimal digits");
        }
        c = c << 4 | (uint32_t)digit;
    }
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
        return wrong(r, "an escape is no character that a name can have");
    }
    put_utf8(t, c);
    return true;
}

static bool read_escape(struct reader *r, struct text *t) {
    static const char letters[] = "btnfr\"\\", means[] = "\b\t\n\f\r\"\\";
    char c = '\0';
    if (r->at < r->end) {
        c = *r->at++;
    }
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    if (letter != NULL) {
        text_add(t, &means[letter - letters], 1);
        return true;
    }
    if (c == 'u' || c == 'U') {
        return read_code_point(r, c == 'u' ? 4 : 8, t);
    }
    return wrong(r, "TOML has no such escape; write a backslash twice, or use '...'");
}

/* "..." or '...'; r->at is on the quote. */
static bool read_string(struct reader *r, struct text *t) {
    char quote = *r->at++;
    t->length = 0;
    text_put(t, "");
    if (r->end - r->at >= 2 && r->at[0] == quote && r->at[1] == quote) {
        return wrong(r, "strings over several lines are not taken here");
    }
    while (r->at < r->end && *r->at != quote) {
        char c = *r->at++;
        if ((unsigned char)c < ' ' && c != '\t') {
            return wrong(r, "a string holds a control character");
        }
        if (c != '\\' || quote == '\'') {
            text_add(t, &c, 1);
        } else if (!read_escape(r, t)) {
            return false;
        }
    }
    if (r->at == r->end) {
        return wrong(r, "a string is not ended");
    }
    r->at++;
    return true;
}

static bool read_key(struct reader *r, struct text *t) {
    if (r->at < r->end && (*r->at == '"' || *r->at == '\'')) {
        return read_string(r, t);
    }
    const char *start = r->at;
    while (r->at < r->end && is_bare(*r->at)) {
        r->at++;
    }
    t->length = 0;
    text_add(t, start, (size_t)(r->at - start));
    if (t->length == 0) {
        return wrong(r, "expected a key, [table] or [[table]]");
    }
    if (r->at < r->end && *r->at == '.') {
        return wrong(r, "a key with a dot stands in quotes: \"family.name\" = \"...\"");
    }
    return true;
}

static bool read_header(struct reader *r, struct toml_item *item) {
    item->is_array = r->end - r->at >= 2 && r->at[1] == '[';
    r->at += item->is_array ? 2 : 1;
    skip_blanks(r);
    if (!read_key(r, &r->key)) {
        return false;
    }
    skip_blanks(r);
    for (int i = 0; i < (item->is_array ? 2 : 1); i++) {
        if (r->at == r->end || *r->at++ != ']') {
            return wrong(r, item->is_array ? "expected ]] behind the name of the table"
                                           : "expected ] behind the name of the table");
        }
    }
    item->table = r->key.data;
    return true;
}

static bool read_pair(struct reader *r, struct toml_item *item) {
    if (!read_key(r, &r->key)) {
        return false;
    }
    skip_blanks(r);
    if (r->at == r->end || *r->at++ != '=') {
        return wrong(r, "expected = behind the key");
    }
    skip_blanks(r);
    if (r->at == r->end || (*r->at != '"' && *r->at != '\'')) {
        return wrong(r, "a value is a string here, in quotes");
    }
    if (!read_string(r, &r->value)) {
        return false;
    }
    item->key = r->key.data;
    item->value = r->value.data;
    return true;
}

static bool read_line(struct reader *r, toml_taker *take, void *user) {
    struct toml_item item = {.line = r->line};
    if (at_end(r)) {
        return true;
    }
    if (*r->at == '[' ? !read_header(r, &item) : !read_pair(r, &item)) {
        return false;
    }
    if (!at_end(r)) {
        return wrong(r, "something follows that does not belong to the line");
    }
    return take(user, &item);
}

bool toml_read(const char *path, const struct text *text, toml_taker *take, void *user) {
    struct reader r = {.path = path, .line = 0};
    const char *at = text->data, *end = text->data + text->length;
    bool ok = true;
    while (ok && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        r.at = at;
        r.end = newline != NULL ? newline : end;
        at = newline != NULL ? newline + 1 : end;
        r.line++;
        if (r.end > r.at && r.end[-1] == '\r') {
            r.end--;
        }
        ok = read_line(&r, take, user);
    }
    text_free(&r.key);
    text_free(&r.value);
    return ok;
}
