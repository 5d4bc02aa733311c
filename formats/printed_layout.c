/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "formats/printed_internal.h"

/*
 * The parts of the text. People paste programs out of logs, so that every line may carry one more
 * prefix ("I0731 12:00:00 file.py:3] ", "# ", more indentation), and other text may stand before
 * and behind the program.
 */

static const char class_end[] = "(torch.nn.Module):";
static const char heading[] = "ExportedProgram:";

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A line of the file, without its trailing blanks. */
struct raw_line {
    uint32_t start, end;
};

static struct raw_line raw_line(const struct sg_printed *r, uint32_t i) {
    const struct sg_source *s = &r->p->sources.data[r->source];
    struct raw_line l = {s->lines.data[i],
                         i + 1 < s->lines.count ? s->lines.data[i + 1] : r->length};
    while (l.end > l.start && is_blank(r->text[l.end - 1])) {
        l.end--;
    }
    return l;
}

static uint32_t raw_line_count(const struct sg_printed *r) {
    return r->p->sources.data[r->source].lines.count;
}

/* ---- The first line -------------------------------------------------------------------------- */

/* Where "class NAME(torch.nn.Module):" starts that ends the line; UINT32_MAX: it does not. */
static uint32_t find_class(const struct sg_printed *r, uint32_t start, uint32_t end,
                           struct sg_printed_piece *name) {
    uint32_t tail = (uint32_t)sizeof(class_end) - 1;
    if (end - start < tail || !sg_printed_starts(r, end - tail, end, class_end)) {
        return UINT32_MAX;
    }
    uint32_t name_end = end - tail;
    uint32_t at = name_end;
    static const char lambda[] = "<lambda>";
    if (at - start >= sizeof(lambda) - 1 &&
        sg_printed_starts(r, at - (uint32_t)sizeof(lambda) + 1, at, lambda)) {
        at -= (uint32_t)sizeof(lambda) - 1;
    } else {
        while (at > start && sg_py_name_char(r->text[at - 1], false)) {
            at--;
        }
    }
    static const char word[] = "class ";
    if (at == name_end || at - start < sizeof(word) - 1 ||
        !sg_printed_starts(r, at - (uint32_t)sizeof(word) + 1, at, word)) {
        return UINT32_MAX;
    }
    *name = (struct sg_printed_piece){at, name_end - at};
    return at - (uint32_t)sizeof(word) + 1;
}

/* Where "ExportedProgram:" starts that ends the line; UINT32_MAX: it does not. */
static uint32_t find_heading(const struct sg_printed *r, uint32_t start, uint32_t end) {
    uint32_t length = (uint32_t)sizeof(heading) - 1;
    if (end - start < length || !sg_printed_starts(r, end - length, end, heading) ||
        (end - length > start && sg_py_name_char(r->text[end - length - 1], false))) {
        return UINT32_MAX;
    }
    return end - length;
}

/* Length of the prefix of a line whose text starts at `at`. */
static uint32_t prefix_length(const struct sg_printed *r, uint32_t start, uint32_t at) {
    while (at > start && (r->text[at - 1] == ' ' || r->text[at - 1] == '\t')) {
        at--;
    }
    return at - start;
}

/* True when the line starts with that prefix; digits (times, line numbers) need not be equal. */
static bool has_prefix(const struct sg_printed *r, struct raw_line line, uint32_t prefix_at,
                       uint32_t length) {
    if (line.end - line.start < length) {
        return false;
    }
    for (uint32_t i = 0; i < length; i++) {
        char a = r->text[prefix_at + i];
        char b = r->text[line.start + i];
        if (a != b && !(a >= '0' && a <= '9' && b >= '0' && b <= '9')) {
            return false;
        }
    }
    return true;
}

static uint32_t next_filled(const struct sg_printed *r, uint32_t i) {
    uint32_t count = raw_line_count(r);
    for (i++; i < count; i++) {
        struct raw_line l = raw_line(r, i);
        if (l.end > l.start) {
            break;
        }
    }
    return i;
}

struct start {
    uint32_t line;
    uint32_t prefix_at, prefix_length;
    bool has_heading;
};

/* True when text of the wanted kind follows in the next filled line, with or without the prefix;
 * the prefix is dropped where it does not go on. */
static bool check_next(const struct sg_printed *r, struct start *s, bool wants_class) {
    uint32_t i = next_filled(r, s->line);
    if (i >= raw_line_count(r)) {
        return false;
    }
    struct raw_line l = raw_line(r, i);
    uint32_t at = l.start;
    if (s->prefix_length > 0 && has_prefix(r, l, s->prefix_at, s->prefix_length)) {
        at += s->prefix_length;
    } else {
        s->prefix_length = 0;
    }
    at = sg_printed_skip_blanks(r, at, l.end);
    struct sg_printed_piece name;
    return wants_class ? find_class(r, at, l.end, &name) == at
                       : sg_printed_starts(r, at, l.end, "def forward(");
}

/* The line the program starts in. */
static bool find_start(const struct sg_printed *r, struct start *out) {
    uint32_t count = raw_line_count(r);
    for (uint32_t i = 0; i < count; i++) {
        struct raw_line l = raw_line(r, i);
        if (l.end == l.start || r->text[l.end - 1] != ':') {
            continue;
        }
        struct sg_printed_piece name;
        uint32_t at = find_heading(r, l.start, l.end);
        bool is_heading = at != UINT32_MAX;
        if (!is_heading) {
            at = find_class(r, l.start, l.end, &name);
        }
        if (at == UINT32_MAX) {
            continue;
        }
        *out = (struct start){i, l.start, prefix_length(r, l.start, at), is_heading};
        if (check_next(r, out, is_heading)) {
            return true;
        }
    }
    return false;
}

/* Strips prefix and indentation of every line from the start on. */
static void split_lines(struct sg_printed *r, const struct start *s) {
    uint32_t count = raw_line_count(r) - s->line;
    if (!sg_vec_reserve(&r->p->allocator, &r->lines, count)) {
        r->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct raw_line l = raw_line(r, s->line + i);
        struct sg_printed_line *out = &r->lines.data[r->lines.count++];
        if (i == 0) { /* what stands in front of the program need not be its prefix */
            struct sg_printed_piece name;
            uint32_t at = s->has_heading ? find_heading(r, l.start, l.end)
                                         : find_class(r, l.start, l.end, &name);
            uint32_t blanks = sg_printed_skip_blanks(r, l.start, at) - l.start;
            bool whole = s->prefix_length > 0 || l.start + blanks == at;
            *out = (struct sg_printed_line){at, l.end, whole ? at - l.start - s->prefix_length : 0};
            continue;
        }
        if (!has_prefix(r, l, s->prefix_at, s->prefix_length)) {
            *out = (struct sg_printed_line){l.end, l.end, 0};
            continue;
        }
        uint32_t at = sg_printed_skip_blanks(r, l.start + s->prefix_length, l.end);
        *out = (struct sg_printed_line){at, l.end, at - l.start - s->prefix_length};
    }
}

/* ---- Classes --------------------------------------------------------------------------------- */

uint32_t sg_printed_class_find(const struct sg_printed *r, uint32_t parent, sg_strid name) {
    return name == 0 ? 0 : sg_map_get(r->class_names, (uint64_t)parent << 32 | name);
}

static void add_class(struct sg_printed *r, uint32_t line, uint32_t parent,
                      struct sg_printed_piece name) {
    if (!sg_vec_reserve(&r->p->allocator, &r->classes, 1)) {
        r->no_memory = true;
        return;
    }
    uint32_t id = r->classes.count++;
    struct sg_printed_class *c = &r->classes.data[id];
    *c = (struct sg_printed_class){.line = line,
                                   .parent = parent,
                                   .name_at = name.at,
                                   .name_length = name.length,
                                   .depth = r->classes.data[parent].depth + 1};
    if (parent == 0) {
        return;
    }
    struct sg_printed_class *owner = &r->classes.data[parent];
    if (owner->last_child == 0) {
        owner->first_child = id;
    } else {
        r->classes.data[owner->last_child].next_sibling = id;
    }
    owner->last_child = id;
    if (r->text[name.at] == '<') {
        return;
    }
    c->name = sg_printed_intern(r, name.at, name.length);
    if (sg_printed_class_find(r, parent, c->name) != 0) {
        sg_printed_syntax(r, name.at, name.length, "class '%s' stands here twice",
                          sg_log_name(r->log, sg_string(r->p, c->name)));
    } else if (!sg_map_put(r->class_names, (uint64_t)parent << 32 | c->name, id)) {
        r->no_memory = true;
    }
}

/* The innermost open class that a class line of that indentation lies in; 0: none, it is a second
 * program. Text that lost all of its indentation has every class below the root. */
static uint32_t find_parent(const struct sg_printed *r, uint32_t newest, uint32_t indent) {
    uint32_t c = newest;
    while (c > 1 && r->lines.data[r->classes.data[c].line].indent >= indent) {
        c = r->classes.data[c].parent;
    }
    if (indent > r->root_indent || r->has_heading) {
        return c;
    }
    return 0;
}

/* Blanks the lines of a block between triple quotes (FX_GRAPH_SHOW_META prints such). */
static uint32_t skip_meta(struct sg_printed *r, uint32_t line) {
    static const char quotes[] = "\"\"\"";
    uint32_t first = r->lines.data[line].end - r->lines.data[line].at >= 6 ? line : line + 1;
    for (uint32_t i = first; i < r->lines.count && !r->meta_never_ends; i++) {
        const struct sg_printed_line *l = &r->lines.data[i];
        if (l->end - l->at >= 3 && sg_printed_starts(r, l->end - 3, l->end, quotes)) {
            for (uint32_t k = line; k <= i; k++) {
                r->lines.data[k].at = r->lines.data[k].end;
            }
            return i;
        }
    }
    struct sg_printed_line *l = &r->lines.data[line];
    if (!r->meta_never_ends) {
        sg_printed_syntax(r, l->at, l->end - l->at,
                          "a block in triple quotes starts here and does not end");
    }
    r->meta_never_ends = true;
    l->at = l->end;
    return line;
}

enum line_is { LINE_OTHER, LINE_CLASS, LINE_META, LINE_SIGNATURE, LINE_RANGES, LINE_HEADING };

static enum line_is classify(const struct sg_printed *r, const struct sg_printed_line *l,
                             struct sg_printed_piece *name) {
    switch (r->text[l->at]) {
    case 'c':
        return find_class(r, l->at, l->end, name) == l->at ? LINE_CLASS : LINE_OTHER;
    case 'G':
        return sg_printed_starts(r, l->at, l->end, "Graph signature:") ||
                       sg_printed_starts(r, l->at, l->end, "Graph Signature:")
                   ? LINE_SIGNATURE
                   : LINE_OTHER;
    case 'R':
        return sg_printed_starts(r, l->at, l->end, "Range constraints:") ? LINE_RANGES : LINE_OTHER;
    case 'S':
        return sg_printed_starts(r, l->at, l->end, "Symbol to range:") ? LINE_RANGES : LINE_OTHER;
    case 'E':
        return find_heading(r, l->at, l->end) == l->at ? LINE_HEADING : LINE_OTHER;
    case '"':
        return sg_printed_starts(r, l->at, l->end, "\"\"\"") ? LINE_META : LINE_OTHER;
    default:
        return LINE_OTHER;
    }
}

/* True for a line that no longer belongs to a bare graph: it stands left of the class. Text that
 * lost all of its indentation has no such line. */
static bool is_behind(const struct sg_printed *r, const struct sg_printed_line *l) {
    return !r->has_heading && l->indent <= r->root_indent && r->body_indent > r->root_indent &&
           r->text[l->at] != '#';
}

/* Finds classes, signature and ranges. */
static void find_parts(struct sg_printed *r) {
    uint32_t i = r->has_heading ? 1 : 0;
    while (i < r->lines.count && r->lines.data[i].at == r->lines.data[i].end) {
        i++;
    }
    struct sg_printed_piece name = {0, 0};
    find_class(r, r->lines.data[i].at, r->lines.data[i].end, &name);
    add_class(r, i, 0, name);
    r->root_indent = r->lines.data[i].indent;
    r->body_indent = UINT32_MAX;
    r->end_line = r->lines.count;
    for (i++; i < r->end_line && !r->no_memory; i++) {
        const struct sg_printed_line *l = &r->lines.data[i];
        if (l->at == l->end) {
            continue;
        }
        if (r->body_indent == UINT32_MAX) {
            r->body_indent = l->indent;
        }
        enum line_is is = classify(r, l, &name);
        uint32_t newest = r->classes.count - 1;
        uint32_t parent = is == LINE_CLASS ? find_parent(r, newest, l->indent) : 0;
        if (is == LINE_META) {
            i = skip_meta(r, i);
        } else if (is == LINE_CLASS && parent != 0 && r->signature_line == 0) {
            r->classes.data[newest].end_line = i;
            add_class(r, i, parent, name);
        } else if (is == LINE_SIGNATURE && r->signature_line == 0) {
            r->signature_line = i;
        } else if (is == LINE_RANGES) {
            r->ranges_line = i;
            r->end_line = i + 1;
        } else if (is == LINE_HEADING || (is == LINE_CLASS && parent == 0) ||
                   (r->signature_line == 0 && is_behind(r, l))) {
            r->end_line = i;
        }
    }
    uint32_t classes_end = r->signature_line != 0 ? r->signature_line
                           : r->ranges_line != 0  ? r->ranges_line
                                                  : r->end_line;
    r->classes.data[r->classes.count - 1].end_line = classes_end;
}

/* One file holds one program: another one behind it is told, not dropped in silence. */
static void find_second(struct sg_printed *r) {
    for (uint32_t i = r->end_line; i < r->lines.count; i++) {
        const struct sg_printed_line *l = &r->lines.data[i];
        struct sg_printed_piece name;
        enum line_is is = l->at < l->end ? classify(r, l, &name) : LINE_OTHER;
        if (is == LINE_HEADING || is == LINE_CLASS) {
            sg_printed_syntax(r, l->at, l->end - l->at,
                              "a second program starts here, and only the first is read; put each "
                              "program into a file of its own");
            return;
        }
    }
}

/* ---- Detection ------------------------------------------------------------------------------- */

bool sg_printed_looks(const char *text, size_t length) {
    struct sg_printed r = {.text = text};
    r.length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX - 1;
    bool class_before = false;
    for (uint32_t at = 0; at < r.length;) {
        const char *newline = memchr(text + at, '\n', r.length - at);
        uint32_t end = newline != NULL ? (uint32_t)(newline - text) : r.length;
        uint32_t next = end + 1;
        while (end > at && is_blank(text[end - 1])) {
            end--;
        }
        struct sg_printed_piece name;
        if (find_heading(&r, at, end) != UINT32_MAX) {
            return true;
        }
        for (uint32_t i = at; class_before && i < end; i++) {
            if (sg_printed_starts(&r, i, end, "def forward(")) {
                return true;
            }
        }
        class_before = find_class(&r, at, end, &name) != UINT32_MAX || (class_before && at == end);
        at = next;
    }
    return false;
}

/* ---- The program ----------------------------------------------------------------------------- */

static void build_graphs(struct sg_printed *r) {
    struct sg_printed_job first = {1, signet_program_graph(r->p, r->program), 1};
    if (!sg_vec_reserve(&r->p->allocator, &r->jobs, 1)) {
        r->no_memory = true;
        return;
    }
    r->jobs.data[r->jobs.count++] = first;
    while (r->jobs.count > 0 && !r->no_memory && r->p->status == SIGNET_OK) {
        r->job = r->jobs.data[--r->jobs.count];
        r->class_faulty = false;
        sg_printed_read_class(r);
        if (!r->no_memory) {
            sg_printed_find_names(r);
        }
        if (!r->no_memory) {
            sg_printed_build(r);
        }
        if (!r->no_memory && r->job.class_id == 1) {
            sg_printed_put_specs(r);
        }
    }
}

static void read_program(struct sg_printed *r) {
    find_parts(r);
    if (r->no_memory) {
        return;
    }
    r->program = signet_program_add(r->p, signet_str("forward"), SIGNET_ROLE_METHOD);
    signet_program_set_lossy(r->p, r->program, true);
    signet_program_set_state_tables(r->p, r->program, false);
    signet_program_set_calls(r->p, r->program, false);
    sg_program_set_source(r->p, r->program, r->source);
    if (r->p->status != SIGNET_OK) {
        return;
    }
    if (r->signature_line != 0) {
        sg_printed_read_signature(r);
    }
    build_graphs(r);
    if (r->no_memory || r->p->status != SIGNET_OK) {
        return;
    }
    struct sg_program *program = &r->p->programs.data[r->program.id];
    if (r->signature_line == 0) {
        program->faulty = true; /* a graph alone: there is nothing to compare it with */
        if (r->has_heading) {
            sg_printed_truncated(r, "the graph signature");
        }
        return;
    }
    if (r->ranges_line != 0) {
        sg_printed_read_ranges(r);
    } else {
        sg_printed_truncated(r, "the range constraints");
    }
    find_second(r);
}

static signet_status refuse(struct sg_printed *r) {
    uint32_t at = sg_printed_skip_blanks(r, 0, r->length);
    sg_printed_expected(r, at, 0, "'ExportedProgram:' and 'class GraphModule(torch.nn.Module):'");
    return SIGNET_E_SYNTAX;
}

static bool start_reading(struct sg_printed *r) {
    const signet_allocator *a = &r->p->allocator;
    sg_pyx_init(&r->signature, a, r->text, r->p->limits.expression_depth);
    sg_pyx_init(&r->body, a, r->text, r->p->limits.expression_depth);
    sg_text_init(&r->scratch, a);
    r->class_names = sg_map_create(a);
    r->name_map = sg_map_create(a);
    r->join_budget = 4 * (uint64_t)r->length;
    bool good = r->class_names != NULL && r->name_map != NULL &&
                sg_vec_reserve(a, &r->classes, 2) && sg_vec_reserve(a, &r->statements, 1) &&
                sg_vec_reserve(a, &r->names, 1);
    if (good) {
        memset(&r->classes.data[0], 0, sizeof(r->classes.data[0]));
        memset(&r->statements.data[0], 0, sizeof(r->statements.data[0]));
        memset(&r->names.data[0], 0, sizeof(r->names.data[0]));
        r->classes.count = r->statements.count = r->names.count = 1;
    }
    return good;
}

static void end_reading(struct sg_printed *r) {
    const signet_allocator *a = &r->p->allocator;
    sg_pyx_free(&r->signature);
    sg_pyx_free(&r->body);
    sg_text_free(&r->scratch);
    sg_map_destroy(r->class_names);
    sg_map_destroy(r->name_map);
    sg_vec_free(a, &r->lines);
    sg_vec_free(a, &r->classes);
    sg_vec_free(a, &r->specs[0]);
    sg_vec_free(a, &r->specs[1]);
    sg_vec_free(a, &r->params);
    sg_vec_free(a, &r->statements);
    sg_vec_free(a, &r->names);
    sg_vec_free(a, &r->work);
    sg_vec_free(a, &r->sizes);
    sg_vec_free(a, &r->jobs);
}

static void check_utf8(struct sg_printed *r) {
    size_t at = sg_utf8_check(r->text, r->length);
    if (at < r->length) {
        struct sg_diag *d =
            sg_diag_begin(r->log, SIGNET_CODE_CARRIER_NOT_UTF8,
                          sg_at_source(r->p, r->log, r->source, sg_span_make(at, 1)));
        sg_diag_message(d, "byte 0x%02x is no UTF-8", (unsigned)(unsigned char)r->text[at]);
        sg_diag_end(d);
    }
}

signet_status sg_printed_read(signet_package *p, struct sg_log *log, uint32_t source) {
    const struct sg_source *s = &p->sources.data[source];
    struct sg_printed r = {.p = p, .log = log, .source = source, .text = s->text};
    r.length = (uint32_t)s->length; /* a source is shorter than 4 GiB */
    struct start start;
    signet_status status = SIGNET_OK;
    if (!start_reading(&r)) {
        status = SIGNET_E_NOMEM;
    } else if (!find_start(&r, &start)) {
        status = refuse(&r);
    } else {
        r.has_heading = start.has_heading;
        split_lines(&r, &start);
        r.copy_budget = 64 * (uint64_t)r.lines.count + 4096;
        if (!r.no_memory) {
            check_utf8(&r);
            read_program(&r);
        }
        status = p->status;
    }
    if (r.no_memory) {
        status = SIGNET_E_NOMEM;
    }
    end_reading(&r);
    return status;
}
