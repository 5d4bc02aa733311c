/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "formats/render_internal.h"

#define DEFAULT_WIDTH 120
#define LEAST_EXCERPT 24 /* columns, however narrow the terminal */
#define CUT "..."
#define CUT_COLUMNS 3
/* A cut moves up to this many columns so that it does not split a word. */
#define WORD_COLUMNS 24

struct full {
    struct sg_out out;
    bool color;
    uint32_t width;
    size_t gutter; /* columns of the line number */
    signet_severity severity;
};

/* ---- Colours: those of rustc ----------------------------------------------------------------- */

#define BOLD "\x1b[1m"
#define RED "\x1b[1;31m"
#define YELLOW "\x1b[1;33m"
#define GREEN "\x1b[1;32m"
#define BLUE "\x1b[1;34m"
#define PLAIN "\x1b[0m"

static const char *severity_color(signet_severity severity) {
    switch (severity) {
    case SIGNET_SEVERITY_ERROR:
        return RED;
    case SIGNET_SEVERITY_WARNING:
        return YELLOW;
    case SIGNET_SEVERITY_NOTE:
        return GREEN;
    case SIGNET_SEVERITY_OFF:
        return BOLD;
    }
    return BOLD;
}

static void color(struct full *f, const char *code) {
    if (f->color) {
        sg_out_puts(&f->out, code);
    }
}

static void colored(struct full *f, const char *code, const char *text) {
    color(f, code);
    sg_out_shown(&f->out, text);
    color(f, PLAIN);
}

/* ---- The excerpt ----------------------------------------------------------------------------- */

/* Columns of text[from..to), but no more counting than `most` + 1. */
static size_t columns_of(const char *text, size_t from, size_t to, size_t most) {
    size_t columns = 0;
    while (from < to && columns <= most) {
        struct sg_shown shown = sg_utf8_shown(text + from, to - from);
        columns += shown.columns;
        from += shown.bytes;
    }
    return columns;
}

/* The part of a line that is shown: line[start..end); the rest is cut. */
struct window {
    const char *line;
    size_t length;
    size_t focus, focus_end;
    size_t start, end;
};

static size_t clamp(size_t v, size_t most) {
    return v < most ? v : most;
}

/* The start of the characters before `at` that take at most `room` columns. */
static size_t step_back(const struct window *w, size_t at, size_t room) {
    while (at > 0) {
        size_t before = sg_utf8_start(w->line, w->length, at - 1);
        size_t columns = columns_of(w->line, before, at, room);
        if (columns > room) {
            break;
        }
        room -= columns;
        at = before;
    }
    return at;
}

static size_t window_start(const struct window *w, size_t column, size_t room) {
    size_t cuts = CUT_COLUMNS + (w->focus_end < w->length ? CUT_COLUMNS : 0);
    if (columns_of(w->line, 0, w->focus_end, room) + (cuts - CUT_COLUMNS) <= room) {
        return 0;
    }
    /* from where the place begins, if the focus still fits */
    if (column <= w->focus && columns_of(w->line, column, w->focus_end, room) + cuts <= room) {
        return column;
    }
    size_t focus = columns_of(w->line, w->focus, w->focus_end, room);
    size_t before = room > focus + cuts ? (room - focus - cuts) / 2 : 0;
    size_t start = step_back(w, w->focus, clamp(before, room / 3));
    for (size_t at = start; at < w->focus && at - start < WORD_COLUMNS; at++) {
        if (at > 0 && w->line[at - 1] == ' ') {
            return at;
        }
    }
    return start;
}

static size_t window_end(const struct window *w, size_t room) {
    room -= w->start > 0 ? CUT_COLUMNS : 0;
    if (columns_of(w->line, w->start, w->length, room) <= room) {
        return w->length;
    }
    room -= CUT_COLUMNS;
    size_t at = w->start;
    size_t columns = 0;
    size_t word = 0, word_columns = 0; /* behind the last space */
    for (;;) {
        struct sg_shown shown = sg_utf8_shown(w->line + at, w->length - at);
        if (columns + shown.columns > room) {
            break;
        }
        columns += shown.columns;
        at += shown.bytes;
        if (w->line[at - 1] == ' ') {
            word = at;
            word_columns = columns;
        }
    }
    return word >= w->focus_end && columns - word_columns < WORD_COLUMNS ? word : at;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t character_at(const struct window *w, size_t at) {
    return sg_utf8_start(w->line, w->length, clamp(at, w->length));
}

static struct window window_of(const signet_location *l, size_t room) {
    struct window w = {.line = l->excerpt, .length = l->excerpt_length};
    while (w.length > 0 && is_blank(w.line[w.length - 1])) {
        w.length--;
    }
    size_t column = l->column > 0 ? l->column - 1 : 0;
    size_t length = l->focus_length > 0 ? l->focus_length : 1;
    column = character_at(&w, column);
    w.focus = l->focus_column > 0 ? character_at(&w, l->focus_column - 1) : column;
    w.focus_end = w.focus + clamp(length, w.length - w.focus);
    size_t cut = sg_utf8_start(w.line, w.length, w.focus_end);
    if (cut < w.focus_end) { /* mark the whole character */
        w.focus_end = cut + sg_utf8_shown(w.line + cut, w.length - cut).bytes;
    }
    w.start = window_start(&w, column, room);
    w.end = window_end(&w, room);
    return w;
}

static void put_part(struct full *f, const char *text, size_t from, size_t to) {
    while (from < to) {
        struct sg_shown shown = sg_utf8_shown(text + from, to - from);
        sg_out_put(&f->out, shown.text, shown.length);
        from += shown.bytes;
    }
}

/* "   |" */
static void put_gutter(struct full *f) {
    color(f, BLUE);
    sg_out_repeat(&f->out, ' ', f->gutter);
    sg_out_puts(&f->out, " |");
    color(f, PLAIN);
}

static size_t digits_of(uint32_t v) {
    size_t digits = 1;
    for (; v >= 10; v /= 10) {
        digits++;
    }
    return digits;
}

static void put_excerpt(struct full *f, const signet_location *l, bool is_primary) {
    size_t taken = f->gutter + 3;
    size_t room = f->width > taken + LEAST_EXCERPT ? f->width - taken : LEAST_EXCERPT;
    struct window w = window_of(l, room);
    put_gutter(f);
    sg_out_puts(&f->out, "\n");
    color(f, BLUE);
    sg_out_repeat(&f->out, ' ', f->gutter - digits_of(l->line));
    sg_out_uint(&f->out, l->line);
    sg_out_puts(&f->out, " |");
    color(f, PLAIN);
    sg_out_puts(&f->out, w.length > 0 ? " " : "");
    sg_out_puts(&f->out, w.start > 0 ? CUT : "");
    put_part(f, w.line, w.start, w.end);
    sg_out_puts(&f->out, w.end < w.length ? CUT : "");
    sg_out_puts(&f->out, "\n");

    size_t before = (w.start > 0 ? CUT_COLUMNS : 0) + columns_of(w.line, w.start, w.focus, room);
    size_t marks = columns_of(w.line, w.focus, clamp(w.focus_end, w.end), room);
    put_gutter(f);
    sg_out_repeat(&f->out, ' ', 1 + before);
    color(f, is_primary ? severity_color(f->severity) : BLUE);
    sg_out_repeat(&f->out, is_primary ? '^' : '-', marks > 0 ? marks : 1);
    if (l->label != NULL) {
        sg_out_puts(&f->out, " ");
        sg_out_shown(&f->out, l->label);
    }
    color(f, PLAIN);
    sg_out_puts(&f->out, "\n");
}

/* ---- Places ---------------------------------------------------------------------------------- */

static bool has_excerpt(const signet_location *l) {
    return l->excerpt != NULL && l->line != 0;
}

/* "forward, node 'add', argument 'self'"; false: nothing is known. */
static bool put_where(struct full *f, const signet_location *l, const char *before) {
    const char *scope = l->graph != NULL ? l->graph : l->program;
    const char *separator = before;
    if (scope != NULL) {
        sg_out_puts(&f->out, separator);
        sg_out_shown(&f->out, scope);
        separator = ", ";
    }
    if (l->node != NULL) {
        sg_out_puts(&f->out, separator);
        sg_out_puts(&f->out, "node '");
        sg_out_shown(&f->out, l->node);
        sg_out_puts(&f->out, "'");
        separator = ", ";
    }
    if (l->item != NULL) {
        sg_out_puts(&f->out, separator);
        sg_out_shown(&f->out, l->item);
        separator = ", ";
    }
    return separator != before;
}

/* "  --> file:13:170  forward, output 0", or, where there is no text to show,
 * "  --> model.pt2!models/model.json  $.path  (byte 18422)" */
static void put_place(struct full *f, const signet_location *l) {
    sg_out_repeat(&f->out, ' ', f->gutter);
    colored(f, BLUE, "-->");
    const char *separator = " ";
    if (l->file != NULL) {
        sg_out_puts(&f->out, separator);
        sg_out_shown(&f->out, l->file);
        separator = "  ";
    }
    if (l->entry != NULL) {
        sg_out_puts(&f->out, l->file != NULL ? "!" : separator);
        sg_out_shown(&f->out, l->entry);
        separator = "  ";
    }
    if (l->line != 0) {
        sg_out_puts(&f->out, ":");
        sg_out_uint(&f->out, l->line);
        if (l->column != 0) {
            sg_out_puts(&f->out, ":");
            sg_out_uint(&f->out, l->column);
        }
        (void)put_where(f, l, separator);
    }
    if (l->json_path != NULL) {
        sg_out_puts(&f->out, separator);
        sg_out_shown(&f->out, l->json_path);
        separator = "  ";
    }
    if (l->line == 0 && l->has_byte) {
        sg_out_puts(&f->out, separator);
        sg_out_puts(&f->out, "(byte ");
        sg_out_uint(&f->out, l->byte);
        sg_out_puts(&f->out, ")");
        separator = "  ";
    }
    if (l->line == 0 && l->json_path == NULL && !l->has_byte) {
        (void)put_where(f, l, separator);
    }
    if (!has_excerpt(l) && l->label != NULL) {
        sg_out_puts(&f->out, ": ");
        sg_out_shown(&f->out, l->label);
    }
    sg_out_puts(&f->out, "\n");
}

static bool is_known(const signet_location *l) {
    return l->file != NULL || l->entry != NULL || l->program != NULL || l->graph != NULL ||
           l->node != NULL || l->item != NULL;
}

static void put_location(struct full *f, const signet_location *l, bool is_primary) {
    if (!is_known(l)) {
        return;
    }
    put_place(f, l);
    if (has_excerpt(l)) {
        put_excerpt(f, l, is_primary);
    }
}

/* ---- Lines below ----------------------------------------------------------------------------- */

/* "   = word: "; later lines of the text stand below its first. */
static void put_line(struct full *f, const char *word, const char *text) {
    size_t indent = f->gutter + 3 + (word != NULL ? strlen(word) + 2 : 0);
    sg_out_repeat(&f->out, ' ', f->gutter + 1);
    colored(f, BLUE, "=");
    sg_out_puts(&f->out, " ");
    if (word != NULL) {
        colored(f, BOLD, word);
        sg_out_puts(&f->out, ": ");
    }
    for (;;) {
        size_t length = strcspn(text, "\n");
        put_part(f, text, 0, length);
        sg_out_puts(&f->out, "\n");
        if (text[length] == '\0') {
            return;
        }
        sg_out_repeat(&f->out, ' ', indent);
        text += length + 1;
    }
}

/* The names behind a path: "   = in: forward, node 'add'" */
static void put_in(struct full *f, const signet_location *l) {
    bool has_names = l->program != NULL || l->graph != NULL || l->node != NULL || l->item != NULL;
    if (l->line != 0 || !has_names || (l->json_path == NULL && !l->has_byte)) {
        return;
    }
    sg_out_repeat(&f->out, ' ', f->gutter + 1);
    colored(f, BLUE, "=");
    sg_out_puts(&f->out, " ");
    colored(f, BOLD, "in");
    (void)put_where(f, l, ": ");
    sg_out_puts(&f->out, "\n");
}

/* "   = source: model.py:43 in forward: self.k[:, 2:3] = x" */
static void put_source(struct full *f, const signet_location *l) {
    if (l->user_file == NULL) {
        return;
    }
    sg_out_repeat(&f->out, ' ', f->gutter + 1);
    colored(f, BLUE, "=");
    sg_out_puts(&f->out, " ");
    colored(f, BOLD, "source");
    sg_out_puts(&f->out, ": ");
    sg_out_shown(&f->out, l->user_file);
    if (l->user_line != 0) {
        sg_out_puts(&f->out, ":");
        sg_out_uint(&f->out, l->user_line);
    }
    if (l->user_function != NULL) {
        sg_out_puts(&f->out, " in ");
        sg_out_shown(&f->out, l->user_function);
    }
    if (l->user_code != NULL) {
        sg_out_puts(&f->out, ": ");
        sg_out_shown(&f->out, l->user_code);
    }
    sg_out_puts(&f->out, "\n");
}

static void put_header(struct full *f, const signet_diag *diag) {
    color(f, severity_color(diag->severity));
    sg_out_puts(&f->out, signet_severity_name(diag->severity));
    sg_out_puts(&f->out, "[");
    sg_out_shown(&f->out, diag->code_name != NULL ? diag->code_name : "");
    sg_out_puts(&f->out, "]");
    color(f, PLAIN);
    color(f, BOLD);
    sg_out_puts(&f->out, ": ");
    sg_out_shown(&f->out, diag->message != NULL ? diag->message : "");
    color(f, PLAIN);
    sg_out_puts(&f->out, "\n");
}

/* Columns of the longest line number; 2 where there is none. */
static size_t gutter_of(const signet_diag *diag) {
    uint32_t line = has_excerpt(&diag->location) ? diag->location.line : 0;
    for (size_t i = 0; i < diag->related_count; i++) {
        const signet_location *l = &diag->related[i];
        line = has_excerpt(l) && l->line > line ? l->line : line;
    }
    return line > 0 ? digits_of(line) : 2;
}

signet_status signet_render_full(const signet_diag *diag, const signet_render_options *options,
                                 const signet_writer *writer) {
    if (diag == NULL || writer == NULL || writer->write == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    struct full f = {.width = DEFAULT_WIDTH};
    sg_out_init(&f.out, writer);
    if (options != NULL) {
        f.color = options->color;
        f.width = options->width > 0 ? options->width : DEFAULT_WIDTH;
    }
    f.gutter = gutter_of(diag);
    f.severity = diag->severity;
    put_header(&f, diag);
    put_location(&f, &diag->location, true);
    for (size_t i = 0; i < diag->related_count; i++) {
        put_location(&f, &diag->related[i], false);
    }
    put_in(&f, &diag->location);
    for (size_t i = 0; i < diag->fact_count; i++) {
        put_line(&f, NULL, diag->facts[i]);
    }
    put_source(&f, &diag->location);
    for (size_t i = 0; i < diag->note_count; i++) {
        put_line(&f, "note", diag->notes[i]);
    }
    if (diag->help != NULL) {
        put_line(&f, "help", diag->help);
    }
    if (diag->also_known_as != NULL) {
        put_line(&f, "also known as", diag->also_known_as);
    }
    return sg_out_done(&f.out);
}
