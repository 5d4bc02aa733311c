/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "formats/printed_internal.h"

/* The lines of one class: parameters, comments, statements. */

/* ---- Annotations ----------------------------------------------------------------------------- */

/* Reads what stands behind the ':' of a name. Unquoted text runs to " = ", or to a ',' or ')' of
 * the parameter list, outside of brackets. Returns the offset behind it. */
static uint32_t read_note(struct sg_printed *r, uint32_t at, uint32_t end, bool in_parameters,
                          struct sg_printed_piece *note, bool *quoted) {
    at = sg_printed_skip_blanks(r, at, end);
    *quoted = at < end && (r->text[at] == '"' || r->text[at] == '\'');
    if (*quoted) {
        const char *close = memchr(r->text + at + 1, r->text[at], end - at - 1);
        uint32_t stop = close != NULL ? (uint32_t)(close - r->text) : end;
        *note = (struct sg_printed_piece){at + 1, stop - at - 1};
        return stop < end ? stop + 1 : end;
    }
    uint32_t depth = 0;
    uint32_t i = at;
    for (; i < end; i++) {
        char c = r->text[i];
        if (c == '(' || c == '[' || c == '{') {
            depth++;
        } else if (depth > 0 && (c == ')' || c == ']' || c == '}')) {
            depth--;
        } else if (depth == 0 && ((in_parameters && (c == ',' || c == ')')) ||
                                  (c == '=' && i > at && r->text[i - 1] == ' '))) {
            break;
        }
    }
    uint32_t stop = i;
    while (stop > at && r->text[stop - 1] == ' ') {
        stop--;
    }
    *note = (struct sg_printed_piece){at, stop - at};
    return i;
}

/* ---- Parameters ------------------------------------------------------------------------------ */

static bool add_param(struct sg_printed *r, const struct sg_printed_param *param) {
    if (!sg_vec_reserve(&r->p->allocator, &r->params, 1)) {
        r->no_memory = true;
        return false;
    }
    r->params.data[r->params.count++] = *param;
    return true;
}

/* Skips " = value" of a parameter. */
static uint32_t skip_default(const struct sg_printed *r, uint32_t at, uint32_t end) {
    uint32_t depth = 0;
    for (; at < end; at++) {
        char c = r->text[at];
        if (c == '(' || c == '[' || c == '{') {
            depth++;
        } else if (depth > 0 && (c == ')' || c == ']' || c == '}')) {
            depth--;
        } else if (depth == 0 && (c == ',' || c == ')')) {
            break;
        }
    }
    return at;
}

/* Comments behind parameters that stand one a line. */
static uint32_t skip_comment(const struct sg_printed *r, uint32_t at, uint32_t end) {
    at = sg_printed_skip_blanks(r, at, end);
    while (at < end && r->text[at] == '#') {
        while (at < end && r->text[at] != '\n') {
            at++;
        }
        at = sg_printed_skip_blanks(r, at, end);
    }
    return at;
}

/* text[at, end) is what follows "def forward(". */
static void read_params(struct sg_printed *r, uint32_t at, uint32_t end) {
    for (bool first = true;; first = false) {
        at = skip_comment(r, at, end);
        if (at < end && r->text[at] == ')') {
            return;
        }
        while (at < end && r->text[at] == '*') {
            at++;
        }
        uint32_t length = (uint32_t)sg_py_name_length(r->text + at, end - at);
        if (length == 0) {
            sg_printed_expected(r, at, 0, "a parameter or ')'");
            return;
        }
        struct sg_printed_param param = {.text = {at, length}};
        bool is_self = first && sg_string_is(sg_printed_text(r, at, length), "self");
        at = sg_printed_skip_blanks(r, at + length, end);
        if (at < end && r->text[at] == ':') {
            at = read_note(r, at + 1, end, true, &param.note, &param.quoted);
            at = sg_printed_skip_blanks(r, at, end);
        }
        if (at < end && r->text[at] == '=') {
            at = skip_default(r, at + 1, end);
        }
        param.name = sg_printed_intern(r, param.text.at, param.text.length);
        sg_printed_describe(r, param.note, param.quoted, &param.described);
        if (!is_self && !add_param(r, &param)) {
            return;
        }
        at = skip_comment(r, at, end);
        if (at < end && r->text[at] == ',') {
            at++;
        } else if (at >= end || r->text[at] != ')') {
            sg_printed_expected(r, at < end ? at : end, 0, "',' or ')'");
            return;
        }
    }
}

/* ---- Comments -------------------------------------------------------------------------------- */

/* The ':' before the line number in "f.py:43 in forward": the last that digits follow, which end
 * or have " in " behind them. */
static const char *find_number(const char *head, const char *end) {
    for (const char *c = end; c > head;) {
        c--;
        if (*c != ':') {
            continue;
        }
        const char *d = c + 1;
        while (d < end && *d >= '0' && *d <= '9') {
            d++;
        }
        if (d > c + 1 && (d == end || (end - d >= 4 && memcmp(d, " in ", 4) == 0))) {
            return c;
        }
    }
    return NULL;
}

static const char *find_text(const char *data, const char *end, const char *word) {
    size_t length = strlen(word);
    for (const char *c = data; (size_t)(end - c) >= length; c++) {
        if (memcmp(c, word, length) == 0) {
            return c;
        }
    }
    return NULL;
}

/* Turns "File: f.py:43 in forward, code: c" into the frame of a stack trace. false: it is none. */
static bool put_frame(struct sg_printed *r, const char *head, const char *end) {
    static const char code_word[] = ", code: ";
    const char *code = find_text(head, end, code_word);
    const char *head_end = code != NULL ? code : end;
    const char *number = find_number(head, head_end);
    if (number == NULL) {
        return false;
    }
    const char *digits_end = number + 1;
    while (digits_end < head_end && *digits_end != ' ') {
        digits_end++;
    }
    struct sg_text *t = sg_printed_scratch(r);
    sg_text_puts(t, "File \"");
    sg_text_put(t, head, (size_t)(number - head));
    sg_text_puts(t, "\", line ");
    sg_text_put(t, number + 1, (size_t)(digits_end - number - 1));
    if (digits_end < head_end) {
        sg_text_puts(t, ",");
        sg_text_put(t, digits_end, (size_t)(head_end - digits_end));
    } else {
        sg_text_puts(t, ", in <unknown>"); /* 2.1 and 2.2 do not say the function */
    }
    sg_text_puts(t, "\n    ");
    if (code != NULL) {
        code += sizeof(code_word) - 1;
        sg_text_put(t, code, (size_t)(end - code));
    }
    return true;
}

/* What a comment says of the statements behind it; comments of other kinds change nothing. */
static void read_comment(struct sg_printed *r, const struct sg_printed_line *l,
                         struct sg_printed_origin *origin) {
    const char *text = r->text + l->at + 1;
    const char *end = r->text + l->end;
    const char *file = find_text(text, end, " File: ");
    if (file != NULL && put_frame(r, file + 7, end)) {
        origin->trace = sg_printed_intern_scratched(r);
    } else if (text == end ||
               find_text(text, end, "No stacktrace found for following nodes") != NULL) {
        origin->trace = 0;
    } else {
        return;
    }
    origin->custom = sg_printed_read_custom(r, l->at, l->end);
}

/* ---- Statements ------------------------------------------------------------------------------ */

static void add_statement(struct sg_printed *r, const struct sg_printed_statement *s) {
    if (!sg_vec_reserve(&r->p->allocator, &r->statements, 1)) {
        r->no_memory = true;
        return;
    }
    r->statements.data[r->statements.count++] = *s;
}

/* "a = b = None" behind a ';'. */
static void check_release(struct sg_printed *r, uint32_t at, uint32_t end) {
    static const char expected[] = "names to release, such as 'a = b = None'";
    bool none = false;
    at = sg_printed_skip_blanks(r, at, end);
    while (at < end) {
        uint32_t length = (uint32_t)sg_py_name_length(r->text + at, end - at);
        none = sg_string_is(sg_printed_text(r, at, length), "None");
        if (length == 0) {
            sg_printed_expected(r, at, 0, expected);
            return;
        }
        at = sg_printed_skip_blanks(r, at + length, end);
        if (at < end && (r->text[at] != '=' || none)) {
            sg_printed_expected(r, at, 0, none ? "the end of the line" : expected);
            return;
        }
        at = sg_printed_skip_blanks(r, at + (at < end), end);
    }
    if (!none) {
        sg_printed_expected(r, end, 0, expected);
    }
}

/* The right-hand side, and what follows it. false: told. */
static bool read_value(struct sg_printed *r, struct sg_printed_statement *s, uint32_t at,
                       uint32_t end) {
    uint32_t stop = end;
    s->rhs = sg_pyx_parse(&r->body, at, end, &stop);
    if (s->rhs == 0) {
        sg_printed_bad_expression(r, &r->body);
        return false;
    }
    const struct sg_pyx_node *n = sg_pyx_node(&r->body, s->rhs);
    s->end = n->at + n->length;
    if (stop < end) {
        check_release(r, stop + 1, end);
    }
    return true;
}

static void read_return(struct sg_printed *r, uint32_t at, uint32_t end) {
    struct sg_printed_statement s = {.what = SG_PRINTED_RETURN, .text = {at, 6}, .end = at + 6};
    at = sg_printed_skip_blanks(r, at + 6, end);
    if (at == end || read_value(r, &s, at, end)) {
        add_statement(r, &s);
    }
}

static void read_assignment(struct sg_printed *r, uint32_t at, uint32_t end,
                            struct sg_printed_origin origin) {
    uint32_t length = (uint32_t)sg_py_name_length(r->text + at, end - at);
    uint32_t next = sg_printed_skip_blanks(r, at + length, end);
    bool note = next < end && r->text[next] == ':';
    bool assign = next + 1 < end && r->text[next] == '=' && r->text[next + 1] != '=';
    if (length == 0 || (!note && !assign)) {
        sg_printed_expected(r, at, 0,
                            "a statement such as 'x = torch.ops.aten.add.Tensor(a, b)', a class or "
                            "'Graph signature:'");
        return;
    }
    struct sg_printed_statement s = {.text = {at, length}, .origin = origin};
    if (note) {
        next = read_note(r, next + 1, end, false, &s.note, &s.quoted);
        next = sg_printed_skip_blanks(r, next, end);
        if (next >= end || r->text[next] != '=') {
            sg_printed_expected(r, next < end ? next : end, 0, "'='");
            return;
        }
    }
    s.name = sg_printed_intern(r, at, length);
    sg_printed_describe(r, s.note, s.quoted, &s.described);
    if (read_value(r, &s, next + 1, end)) {
        sg_printed_find_what(r, &s);
        add_statement(r, &s);
    }
}

static bool is_word(const struct sg_printed *r, uint32_t at, uint32_t end, const char *word) {
    uint32_t length = (uint32_t)strlen(word);
    return sg_printed_starts(r, at, end, word) &&
           (at + length == end || !sg_py_name_char(r->text[at + length], false));
}

/* "def forward(self, ...):"; may run over several lines. */
static void read_def(struct sg_printed *r, uint32_t at, uint32_t end, bool *seen) {
    static const char def[] = "def forward(";
    if (*seen || !sg_printed_starts(r, at, end, def)) {
        sg_printed_expected(r, at, 0, *seen ? "a statement" : "'def forward(self, ...):'");
        return;
    }
    *seen = true;
    read_params(r, at + (uint32_t)sizeof(def) - 1, end);
}

static void read_line(struct sg_printed *r, uint32_t at, uint32_t end,
                      struct sg_printed_origin origin, bool *has_def) {
    if (is_word(r, at, end, "def")) {
        read_def(r, at, end, has_def);
    } else if (is_word(r, at, end, "return")) {
        read_return(r, at, end);
    } else if (!(is_word(r, at, end, "pass") && end - at == 4)) {
        read_assignment(r, at, end, origin);
    }
}

void sg_printed_read_class(struct sg_printed *r) {
    const struct sg_printed_class *c = &r->classes.data[r->job.class_id];
    r->params.count = 0;
    r->statements.count = 1;
    sg_pyx_clear(&r->body);
    struct sg_printed_origin origin = {0, 0};
    bool has_def = false;
    for (uint32_t i = c->line + 1; i < c->end_line && !r->no_memory;) {
        const struct sg_printed_line *l = &r->lines.data[i];
        uint32_t next = i + 1;
        if (l->at == l->end) {
            i++;
            continue;
        }
        if (r->text[l->at] == '#') {
            read_comment(r, l, &origin);
        } else {
            uint32_t at = l->at;
            uint32_t end = sg_printed_statement_end(r, i, c->end_line, &next);
            read_line(r, at, end, origin, &has_def);
        }
        i = next;
    }
    bool returns = false;
    for (uint32_t i = 1; i < r->statements.count; i++) {
        returns = returns || r->statements.data[i].what == SG_PRINTED_RETURN;
    }
    bool cut = r->has_heading && r->signature_line == 0; /* which is told */
    r->class_faulty = r->class_faulty || (cut && !returns);
    if (!r->no_memory && !r->class_faulty && !returns) {
        const struct sg_printed_line *l = &r->lines.data[c->line];
        sg_printed_syntax(r, l->at, l->end - l->at, "class '%s' does not end with a return",
                          sg_log_name(r->log, sg_printed_text(r, c->name_at, c->name_length)));
    }
}
