/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <string.h>

#include "formats/printed_internal.h"

/* Findings of the reader of printed programs, and small steps through the text. */

/* ---- Findings -------------------------------------------------------------------------------- */

static struct sg_diag *begin(struct sg_printed *r, signet_code code, size_t at, size_t length) {
    struct sg_span span = sg_span_make(at, length);
    return sg_diag_begin(r->log, code, sg_at_source(r->p, r->log, r->source, span));
}

SIGNET_PRINTF(2, 0)
static const char *format_message(struct sg_printed *r, const char *format, va_list args) {
    sg_text_vprintf(sg_printed_scratch(r), format, args);
    return sg_printed_scratched(r).data;
}

void sg_printed_syntax(struct sg_printed *r, size_t at, size_t length, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *message = format_message(r, format, args);
    va_end(args);
    struct sg_diag *d = begin(r, SIGNET_CODE_CARRIER_TEXT_SYNTAX, at, length);
    sg_diag_message(d, "%s", message);
    sg_diag_help(d, "copy the printed text as a whole, or correct it here");
    sg_diag_end(d);
    r->class_faulty = true;
}

void sg_printed_limit(struct sg_printed *r, size_t at, size_t length, const char *option,
                      uint64_t limit, const char *what) {
    struct sg_diag *d = begin(r, SIGNET_CODE_CARRIER_LIMIT, at, length);
    sg_diag_message(d, "%s, the limit is %llu", what, (unsigned long long)limit);
    sg_diag_help(d, "raise the limit: --limit %s=%llu", option, (unsigned long long)limit * 4);
    sg_diag_end(d);
    r->class_faulty = true;
}

void sg_printed_truncated(struct sg_printed *r, const char *before) {
    struct sg_diag *d = begin(r, SIGNET_CODE_CARRIER_TRUNCATED, r->length, 0);
    sg_diag_message(d, "the text ends before %s", before);
    sg_diag_help(d, "print the program again, and copy it as a whole");
    sg_diag_end(d);
}

/* A few words of what stands there: a name or string as a whole, else the rest of the line. */
static signet_string found_at(const struct sg_printed *r, size_t at, size_t length) {
    size_t most = 60;
    size_t end = at;
    while (end < r->length && r->text[end] != '\n' && r->text[end] != '\r' && end - at < most &&
           (length == 0 || end - at < length)) {
        end++;
    }
    return (signet_string){r->text + at, end - at};
}

/* Where a program is cut off, that it is so is the one finding. */
static bool is_cut_here(const struct sg_printed *r, size_t at) {
    return r->has_heading && r->ranges_line == 0 &&
           sg_printed_skip_blanks(r, (uint32_t)at, r->length) == r->length;
}

void sg_printed_expected(struct sg_printed *r, size_t at, size_t length, const char *expected) {
    if (is_cut_here(r, at)) {
        r->class_faulty = true;
        return;
    }
    signet_string found = found_at(r, at, length);
    struct sg_diag *d = begin(r, SIGNET_CODE_CARRIER_TEXT_SYNTAX, at, found.length);
    if (found.length > 0) {
        bool has_single = memchr(found.data, '\'', found.length) != NULL;
        bool has_double = memchr(found.data, '"', found.length) != NULL;
        char quote = has_single && !has_double ? '"' : '\'';
        sg_text_escaped(sg_printed_scratch(r), found, quote);
        sg_diag_message(d, "expected %s, found %c%s%c", expected, quote,
                        sg_printed_scratched(r).data, quote);
    } else {
        sg_diag_message(d, "expected %s, found the end of the %s", expected,
                        at < r->length ? "line" : "text");
    }
    sg_diag_label(d, "expected %s", expected);
    sg_diag_help(d, "copy the printed text as a whole, or correct it here");
    sg_diag_end(d);
    r->class_faulty = true;
}

void sg_printed_bad_expression(struct sg_printed *r, const struct sg_pyx *x) {
    if (x->no_memory) {
        r->no_memory = true;
    } else if (x->error.too_deep) {
        sg_printed_limit(r, x->error.at, x->error.length, "expression-depth", x->depth_limit,
                         "brackets are nested too deep");
    } else {
        sg_printed_expected(r, x->error.at, x->error.length, x->error.expected);
    }
}

/* ---- Text ------------------------------------------------------------------------------------ */

sg_strid sg_printed_intern(struct sg_printed *r, uint32_t at, uint32_t length) {
    sg_strid id = sg_intern(r->p, sg_printed_text(r, at, length));
    r->no_memory = r->no_memory || id == 0;
    return id;
}

struct sg_text *sg_printed_scratch(struct sg_printed *r) {
    sg_text_clear(&r->scratch);
    return &r->scratch;
}

signet_string sg_printed_scratched(struct sg_printed *r) {
    r->no_memory = r->no_memory || r->scratch.failed;
    if (r->scratch.failed || r->scratch.data == NULL) {
        return (signet_string){"", 0};
    }
    return (signet_string){r->scratch.data, r->scratch.length};
}

sg_strid sg_printed_intern_scratched(struct sg_printed *r) {
    sg_strid id = sg_intern(r->p, sg_printed_scratched(r));
    r->no_memory = r->no_memory || id == 0;
    return id;
}

bool sg_printed_starts(const struct sg_printed *r, uint32_t at, uint32_t end, const char *word) {
    size_t length = strlen(word);
    return end - at >= length && memcmp(r->text + at, word, length) == 0;
}

uint32_t sg_printed_skip_blanks(const struct sg_printed *r, uint32_t at, uint32_t end) {
    while (at < end && (r->text[at] == ' ' || r->text[at] == '\t' || r->text[at] == '\r' ||
                        r->text[at] == '\n')) {
        at++;
    }
    return at;
}

/* How many brackets the line opens more than it closes. *quote is the string that runs. */
static int64_t balance(const struct sg_printed *r, const struct sg_printed_line *line) {
    int64_t open = 0;
    char quote = '\0';
    for (uint32_t i = line->at; i < line->end; i++) {
        char c = r->text[i];
        if (quote != '\0') {
            if (c == '\\') {
                i++;
            } else if (c == quote) {
                quote = '\0';
            }
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '#') {
            break;
        } else if (c == '(' || c == '[' || c == '{') {
            open++;
        } else if (c == ')' || c == ']' || c == '}') {
            open--;
        }
    }
    return open;
}

/* True when the line can go on with a statement that started in another line. */
static bool continues(const struct sg_printed *r, const struct sg_printed_line *first,
                      const struct sg_printed_line *line) {
    if (line->at == line->end || line->indent > first->indent) {
        return true;
    }
    char c = r->text[line->at];
    return c == ')' || c == ']' || c == '}';
}

uint32_t sg_printed_statement_end(struct sg_printed *r, uint32_t line, uint32_t last_line,
                                  uint32_t *next) {
    const struct sg_printed_line *first = &r->lines.data[line];
    *next = line + 1;
    int64_t open = balance(r, first);
    for (uint32_t i = line + 1; open > 0 && i < last_line; i++) {
        const struct sg_printed_line *l = &r->lines.data[i];
        uint64_t cost = (uint64_t)(l->end - l->at) + 1;
        if (!continues(r, first, l) || cost > r->join_budget) {
            break;
        }
        r->join_budget -= cost;
        open += balance(r, l);
        if (open <= 0) {
            *next = i + 1;
            return l->end;
        }
    }
    return first->end;
}
