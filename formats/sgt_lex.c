/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and tokens of the exact text. */

#include <stdarg.h>
#include <string.h>

#include "formats/sgt_internal.h"

/* ---- Characters (no ctype: its tables follow the locale) ------------------------------------- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(char c) {
    return is_word_start(c) || is_digit(c);
}

/* A byte of the text; NUL behind its end. */
static char at(const struct sg_sgt_reader *r, size_t i) {
    if (i >= r->length) {
        return '\0';
    }
    return r->text[i];
}

/* ---- Findings -------------------------------------------------------------------------------- */

bool sg_sgt_no_memory(struct sg_sgt_reader *r) {
    sg_package_fail(r->p, SIGNET_E_NOMEM);
    r->failed = true;
    return false;
}

bool sg_sgt_limit(struct sg_sgt_reader *r, const char *what, const char *option, uint64_t limit) {
    struct sg_span span = sg_span_make(r->tokens.count > 0 ? r->tokens.data[0].at : 0, 1);
    r->failed = true;
    sg_package_fail(r->p, SIGNET_E_LIMIT);
    if (!r->limit_told) {
        r->limit_told = true;
        struct sg_diag *d = sg_diag_begin(r->log, SIGNET_CODE_CARRIER_LIMIT,
                                          sg_at_source(r->p, r->log, r->source, span));
        sg_diag_message(d, "%s than %llu", what, (unsigned long long)limit);
        sg_diag_help(d, "raise the limit with --limit %s=NUMBER if the file is to be trusted",
                     option);
        sg_diag_end(d);
    }
    return false;
}

bool sg_sgt_wrong(struct sg_sgt_reader *r, size_t offset, size_t length, const char *format, ...) {
    if (r->failed) { /* one line, one finding */
        return false;
    }
    r->failed = true;
    r->errors++;
    struct sg_span span = sg_span_make(offset, length);
    struct sg_diag *d = sg_diag_begin(r->log, SIGNET_CODE_CARRIER_TEXT_SYNTAX,
                                      sg_at_source(r->p, r->log, r->source, span));
    struct sg_text message;
    sg_text_init(&message, &r->p->allocator);
    va_list args;
    va_start(args, format);
    sg_text_vprintf(&message, format, args);
    va_end(args);
    sg_diag_message(d, "%s", message.failed || message.data == NULL ? format : message.data);
    sg_diag_end(d);
    sg_text_free(&message);
    return false;
}

bool sg_sgt_expected(struct sg_sgt_reader *r, const char *what) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    if (token->kind == SGT_BAD) {
        return sg_sgt_wrong(r, token->at, token->length, "%s", r->bad);
    }
    if (token->kind == SGT_END) {
        return sg_sgt_wrong(r, token->at, 0, "expected %s, found the end of the line", what);
    }
    return sg_sgt_wrong(r, token->at, token->length, "expected %s, found '%s'", what,
                        sg_log_name(r->log, sg_sgt_token_text(r, token)));
}

/* ---- Cutting a line -------------------------------------------------------------------------- */

static size_t bad(struct sg_sgt_reader *r, struct sg_sgt_token *token, size_t i, const char *why) {
    if (r->bad == NULL) { /* only the first one is ever reported */
        r->bad = why;
    }
    token->kind = SGT_BAD;
    return i;
}

/* From behind the opening quote to behind the closing one. */
static size_t skip_string(struct sg_sgt_reader *r, struct sg_sgt_token *token, size_t i) {
    while (at(r, i) != '"') {
        if (i >= r->length || r->text[i] == '\n' || r->text[i] == '\r') {
            return bad(r, token, i,
                       "expected '\"' at the end of the string, found the end of the "
                       "line; a line break inside of a string is written \\n");
        }
        i += at(r, i) == '\\' && i + 1 < r->length && r->text[i + 1] != '\n' ? 2 : 1;
    }
    return i + 1;
}

static size_t skip_digits(const struct sg_sgt_reader *r, size_t i) {
    while (is_digit(at(r, i))) {
        i++;
    }
    return i;
}

/* A number starts at i, maybe with its sign. */
static size_t skip_number(struct sg_sgt_reader *r, struct sg_sgt_token *token, size_t i) {
    token->kind = SGT_INT;
    i = skip_digits(r, i + (at(r, i) == '-'));
    if (at(r, i) == '.' && is_digit(at(r, i + 1))) {
        token->kind = SGT_REAL;
        i = skip_digits(r, i + 1);
    }
    if (at(r, i) == 'e' || at(r, i) == 'E') {
        size_t exponent = i + 1 + (at(r, i + 1) == '-' || at(r, i + 1) == '+');
        if (is_digit(at(r, exponent))) {
            token->kind = SGT_REAL;
            i = skip_digits(r, exponent);
        }
    }
    if (is_word(at(r, i))) {
        return bad(r, token, i + 1, "expected a number, found one that runs into a word");
    }
    return i;
}

/* "%name" or "%\"name\"", from the mark on; symbols may hold dots. */
static size_t skip_name(struct sg_sgt_reader *r, struct sg_sgt_token *token, size_t i) {
    bool dots = r->text[i] == '@';
    token->kind = dots ? SGT_SYMBOL : SGT_VALUE;
    if (at(r, ++i) == '"') {
        return skip_string(r, token, i + 1);
    }
    size_t start = i;
    while (is_word(at(r, i)) || (dots && at(r, i) == '.')) {
        i++;
    }
    if (i == start) {
        /* An operator of expressions, or a name without quotes. */
        token->kind = SGT_MARK;
        token->mark = r->text[start - 1];
    }
    return i;
}

static size_t skip_dots(const struct sg_sgt_reader *r, struct sg_sgt_token *token, size_t i) {
    if (at(r, i + 1) != '.') {
        token->kind = SGT_MARK;
        token->mark = '.';
        return i + 1;
    }
    token->kind = at(r, i + 2) == '.' ? SGT_OPEN : SGT_DOTS;
    return i + (token->kind == SGT_OPEN ? 3 : 2);
}

/* Cuts the token that starts at i; returns where it ends. */
static size_t cut(struct sg_sgt_reader *r, struct sg_sgt_token *token, size_t i) {
    char c = r->text[i];
    if (is_word_start(c)) {
        token->kind = SGT_WORD;
        while (is_word(at(r, i))) {
            i++;
        }
        return i;
    }
    if (is_digit(c) || (c == '-' && is_digit(at(r, i + 1)))) {
        return skip_number(r, token, i);
    }
    if (c == '-' && strncmp(r->text + i, "-inf", 4) == 0 && !is_word(at(r, i + 4))) {
        token->kind = SGT_REAL;
        return i + 4;
    }
    if (c == '"') {
        token->kind = SGT_STRING;
        return skip_string(r, token, i + 1);
    }
    if (c == '%' || c == '@') {
        return skip_name(r, token, i);
    }
    if (c == '.') {
        return skip_dots(r, token, i);
    }
    token->kind = SGT_MARK;
    token->mark = c;
    if (strchr("()[]{},:=?~!#+-*/<>&|^", c) == NULL || c == '\0') {
        return bad(r, token, i + 1, "a character that has no meaning here");
    }
    return i + 1;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool add_token(struct sg_sgt_reader *r, struct sg_sgt_token token) {
    if (!SGT_ROOM(r, &r->tokens)) {
        return false;
    }
    r->tokens.data[r->tokens.count++] = token;
    return true;
}

bool sg_sgt_next_line(struct sg_sgt_reader *r) {
    size_t i = r->line_end;
    if (i >= r->length) {
        return false;
    }
    r->tokens.count = 0;
    r->t = 0;
    r->bad = NULL;
    r->failed = false;
    for (;;) {
        while (is_space(at(r, i))) {
            i++;
        }
        struct sg_sgt_token token = {SGT_END, '\0', (uint32_t)i, 0};
        if (i >= r->length || r->text[i] == '\n' || r->text[i] == ';') {
            const char *end = i < r->length ? memchr(r->text + i, '\n', r->length - i) : NULL;
            r->line_end = end != NULL ? (size_t)(end - r->text) + 1 : r->length;
            return add_token(r, token);
        }
        size_t end = cut(r, &token, i);
        token.length = (uint32_t)(end - i);
        i = end;
        if (!add_token(r, token)) {
            return false;
        }
    }
}

/* ---- Looking at tokens ----------------------------------------------------------------------- */

const struct sg_sgt_token *sg_sgt_peek_second(const struct sg_sgt_reader *r) {
    return &r->tokens.data[r->t + (r->t + 1 < r->tokens.count)];
}

signet_string sg_sgt_token_text(const struct sg_sgt_reader *r, const struct sg_sgt_token *token) {
    return (signet_string){r->text + token->at, token->length};
}

bool sg_sgt_is_mark(const struct sg_sgt_token *token, char mark) {
    return token->kind == SGT_MARK && token->mark == mark;
}

bool sg_sgt_is_word(const struct sg_sgt_reader *r, const struct sg_sgt_token *token,
                    const char *word) {
    return token->kind == SGT_WORD && sg_string_is(sg_sgt_token_text(r, token), word);
}

bool sg_sgt_take_mark(struct sg_sgt_reader *r, char mark) {
    bool is = sg_sgt_is_mark(sg_sgt_peek(r), mark);
    r->t += is;
    return is;
}

bool sg_sgt_take_word(struct sg_sgt_reader *r, const char *word) {
    bool is = sg_sgt_is_word(r, sg_sgt_peek(r), word);
    r->t += is;
    return is;
}

bool sg_sgt_expect_mark(struct sg_sgt_reader *r, char mark, const char *what) {
    return sg_sgt_take_mark(r, mark) || sg_sgt_expected(r, what);
}

bool sg_sgt_expect_end(struct sg_sgt_reader *r, const char *what) {
    return sg_sgt_peek(r)->kind == SGT_END || sg_sgt_expected(r, what);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static int hex_digit(char c) {
    if (is_digit(c)) {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* `count` hexadecimal digits; -1 when they are none. */
static int64_t hex(signet_string s, size_t i, size_t count) {
    int64_t number = 0;
    if (count > s.length - i) {
        return -1;
    }
    for (size_t k = 0; k < count; k++) {
        int digit = hex_digit(s.data[i + k]);
        if (digit < 0) {
            return -1;
        }
        number = number * 16 + digit;
    }
    return number;
}

static void put_utf8(struct sg_text *t, uint32_t c) {
    if (c < 0x80) {
        sg_text_putc(t, (char)c);
        return;
    }
    if (c < 0x800) {
        sg_text_putc(t, (char)(0xc0 | c >> 6));
    } else {
        sg_text_putc(t, (char)(0xe0 | c >> 12));
        sg_text_putc(t, (char)(0x80 | (c >> 6 & 0x3f)));
    }
    sg_text_putc(t, (char)(0x80 | (c & 0x3f)));
}

/* Decodes the escape whose backslash is at i; returns where it ends, 0 when it is none. */
static size_t decode_escape(struct sg_text *t, signet_string s, size_t i) {
    static const char letters[] = "\\\"nrt";
    static const char meanings[] = "\\\"\n\r\t";
    char c = '\0';
    if (i + 1 < s.length) {
        c = s.data[i + 1];
    }
    const char *found = c != '\0' ? strchr(letters, c) : NULL;
    if (found != NULL) {
        sg_text_putc(t, meanings[found - letters]);
        return i + 2;
    }
    int64_t number = c == 'x' ? hex(s, i + 2, 2) : c == 'u' ? hex(s, i + 2, 4) : -1;
    if (number < 0 || (c == 'u' && number >= 0xd800 && number < 0xe000)) {
        return 0;
    }
    if (c == 'x') {
        sg_text_putc(t, (char)(unsigned char)number);
        return i + 4;
    }
    put_utf8(t, (uint32_t)number);
    return i + 6;
}

/* Decodes what stands between the quotes into r->decoded. */
static bool decode(struct sg_sgt_reader *r, signet_string s) {
    size_t base = (size_t)(s.data - r->text);
    sg_text_clear(&r->decoded);
    size_t i = 0;
    while (i < s.length) {
        const char *next = memchr(s.data + i, '\\', s.length - i);
        size_t plain = next != NULL ? (size_t)(next - s.data) : s.length;
        sg_text_put(&r->decoded, s.data + i, plain - i);
        i = plain;
        if (next != NULL) {
            i = decode_escape(&r->decoded, s, plain);
            if (i == 0) {
                return sg_sgt_wrong(
                    r, base + plain, 2,
                    "expected an escape (\\\\ \\\" \\n \\r \\t \\xNN \\uNNNN), found "
                    "another one");
            }
        }
    }
    return !r->decoded.failed || sg_sgt_no_memory(r);
}

bool sg_sgt_name_of(struct sg_sgt_reader *r, const struct sg_sgt_token *token, sg_strid *out) {
    signet_string s = sg_sgt_token_text(r, token);
    bool marked = token->kind == SGT_VALUE || token->kind == SGT_SYMBOL;
    s.data += marked;
    s.length -= marked;
    if (s.data[0] == '"') {
        s.data++;
        s.length -= 2;
        if (!decode(r, s)) {
            return false;
        }
        s = (signet_string){r->decoded.data != NULL ? r->decoded.data : "", r->decoded.length};
    }
    if (s.length > r->p->limits.string_bytes) {
        return sg_sgt_limit(r, "a string is longer", "string-bytes", r->p->limits.string_bytes);
    }
    *out = sg_intern(r->p, s);
    return *out != 0;
}

static bool take_text(struct sg_sgt_reader *r, bool word, sg_strid *out, const char *what) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    if (sg_sgt_take_mark(r, '?')) {
        *out = 0;
        return true;
    }
    if (token->kind != SGT_STRING && !(word && token->kind == SGT_WORD)) {
        return sg_sgt_expected(r, what);
    }
    r->t++;
    return sg_sgt_name_of(r, token, out);
}

bool sg_sgt_take_text(struct sg_sgt_reader *r, sg_strid *out, const char *what) {
    return take_text(r, false, out, what);
}

bool sg_sgt_take_word_or_text(struct sg_sgt_reader *r, sg_strid *out, const char *what) {
    return take_text(r, true, out, what);
}

sg_strid sg_sgt_target_of(struct sg_sgt_reader *r, const struct sg_sgt_token *symbol) {
    signet_string s = sg_sgt_token_text(r, symbol);
    sg_strid id = 0;
    s.data++;
    s.length--;
    if (s.data[0] == '"' || sg_sgt_target_is_whole(s)) {
        return sg_sgt_name_of(r, symbol, &id) ? id : 0;
    }
    sg_text_clear(&r->decoded);
    sg_text_puts(&r->decoded, SGT_TARGET_PREFIX);
    sg_text_string(&r->decoded, s);
    if (r->decoded.failed) {
        return sg_sgt_no_memory(r);
    }
    return sg_intern(r->p, (signet_string){r->decoded.data, r->decoded.length});
}

/* ---- Numbers --------------------------------------------------------------------------------- */

bool sg_sgt_take_int(struct sg_sgt_reader *r, int64_t *out, const char *what) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    if (token->kind != SGT_INT) {
        return sg_sgt_expected(r, what);
    }
    if (!sg_parse_int(sg_sgt_token_text(r, token), out)) {
        return sg_sgt_wrong(r, token->at, token->length,
                            "expected an integer of 64 bits, found a larger one");
    }
    r->t++;
    return true;
}

bool sg_sgt_take_uint32(struct sg_sgt_reader *r, uint32_t *out, const char *what) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    int64_t number = 0;
    if (!sg_sgt_take_int(r, &number, what)) {
        return false;
    }
    if (number < 0 || number > UINT32_MAX) {
        return sg_sgt_wrong(r, token->at, token->length, "expected %s, found one out of range",
                            what);
    }
    *out = (uint32_t)number;
    return true;
}

bool sg_sgt_is_real(const struct sg_sgt_reader *r) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    return token->kind == SGT_REAL || sg_sgt_is_word(r, token, "inf") ||
           sg_sgt_is_word(r, token, "nan");
}

/* nan("7ff8000000000001"): a NaN with these bits. */
static bool take_nan_bits(struct sg_sgt_reader *r, double *out) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    signet_string s = sg_sgt_token_text(r, token);
    int64_t high = -1;
    int64_t low = -1;
    if (token->kind == SGT_STRING && s.length == 18) {
        high = hex(s, 1, 8);
        low = hex(s, 9, 8);
    }
    if (high < 0 || low < 0) {
        return sg_sgt_expected(r, "the 16 hexadecimal digits of a NaN");
    }
    r->t++;
    uint64_t bits = (uint64_t)high << 32 | (uint64_t)low;
    memcpy(out, &bits, sizeof(bits));
    return sg_sgt_expect_mark(r, ')', "')'");
}

bool sg_sgt_take_real(struct sg_sgt_reader *r, double *out) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    if (!sg_sgt_is_real(r)) {
        return sg_sgt_expected(r, "a real number");
    }
    r->t++;
    if (sg_sgt_is_word(r, token, "nan")) {
        if (sg_sgt_take_mark(r, '(')) {
            return take_nan_bits(r, out);
        }
        uint64_t bits = SGT_PLAIN_NAN;
        memcpy(out, &bits, sizeof(bits));
        return true;
    }
    if (!sg_parse_double(sg_sgt_token_text(r, token), out)) {
        return sg_sgt_wrong(r, token->at, token->length,
                            "expected a real number, found one that is too long");
    }
    return true;
}
