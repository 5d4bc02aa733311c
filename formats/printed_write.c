/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/printed_write.h"

#include <string.h>

/* The parts of a printed program. */

static void flush(struct sg_printed_writer *w, size_t above) {
    if (w->t.length > above && !w->stopped && !w->t.failed) {
        w->stopped = !w->out->write(w->out->user, w->t.data, w->t.length);
    }
    if (w->t.length > above) {
        sg_text_clear(&w->t);
    }
}

static bool goes_on(const struct sg_printed_writer *w) {
    return !w->no_memory && !w->stopped && !w->t.failed;
}

static void put_indent(struct sg_printed_writer *w, uint32_t depth, uint32_t extra) {
    for (uint32_t i = 0; i < 4 * (depth + 1) + extra; i++) {
        sg_text_putc(&w->t, ' ');
    }
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* : "f32[2, 3]" */
static void put_annotation(struct sg_printed_writer *w, uint32_t arg) {
    const struct sg_arg *a = sg_arg(w->p, arg);
    if (!sg_arg_has_value(a)) {
        return;
    }
    const struct sg_value *v = sg_value(w->p, a->u.ref.value);
    struct sg_text *t = &w->t;
    switch ((signet_value_kind)v->described_as) {
    case SIGNET_VALUE_TENSOR:
        sg_text_puts(t, ": \"");
        sg_type_text(w->p, (signet_type){v->description}, t);
        sg_text_putc(t, '"');
        break;
    case SIGNET_VALUE_SYM_INT:
    case SIGNET_VALUE_SYM_FLOAT:
    case SIGNET_VALUE_SYM_BOOL:
        sg_text_puts(t, ": \"Sym(");
        sg_sym_text(w->p, (signet_sym){v->description}, t);
        sg_text_puts(t, ")\"");
        break;
    case SIGNET_VALUE_UNKNOWN:
    case SIGNET_VALUE_UNDEFINED:
    case SIGNET_VALUE_CUSTOM_OBJ:
    case SIGNET_VALUE_TOKEN:
    case SIGNET_VALUE_CONSTANT:
        break;
    }
}

/* ---- Classes --------------------------------------------------------------------------------- */

static void put_param(struct sg_printed_writer *w, uint32_t i) {
    uint32_t arg = sg_graph(w->p, w->graph.id)->inputs.first + i;
    const struct sg_arg *a = sg_arg(w->p, arg);
    signet_spec spec = SIGNET_SPEC_INIT;
    bool top = w->graph.id == signet_program_graph(w->p, w->program).id;
    sg_text_puts(&w->t, ", ");
    if (sg_arg_has_value(a)) {
        sg_write_name(&w->t, sg_string(w->p, sg_value(w->p, a->u.ref.value)->name));
    } else if (top && signet_spec_get(w->p, w->program, SIGNET_INPUT, i, &spec) &&
               spec.name.length > 0) {
        sg_write_name(&w->t, spec.name); /* a constant: only the signature has its name */
    } else {
        sg_text_puts(&w->t, "arg");
        sg_text_uint(&w->t, i);
        sg_text_puts(&w->t, "_1");
    }
    put_annotation(w, arg);
}

/* ---- Comments -------------------------------------------------------------------------------- */

/* What a comment says of a line. */
struct comment {
    signet_string custom; /* JSON: the node's annotation */
    signet_string file, line, function, code;
};

static signet_string strip(signet_string s) {
    while (s.length > 0 && (unsigned char)s.data[s.length - 1] <= ' ') {
        s.length--;
    }
    while (s.length > 0 && (unsigned char)s.data[0] <= ' ') {
        s.data++;
        s.length--;
    }
    return s;
}

/* The last place of a word in a text; null: none. */
static const char *find_last(signet_string s, const char *word) {
    size_t length = strlen(word);
    for (size_t i = s.length; i >= length; i--) {
        if (memcmp(s.data + i - length, word, length) == 0) {
            return s.data + i - length;
        }
    }
    return NULL;
}

/* File "f.py", line 43, in forward */
static bool read_frame(signet_string line, struct comment *out) {
    static const char head[] = "File \"";
    static const char middle[] = "\", line ";
    line = strip(line);
    const char *number = find_last(line, middle);
    if (!sg_string_starts(line, head) || number == NULL || number < line.data + sizeof(head) - 1) {
        return false;
    }
    out->file = (signet_string){line.data + sizeof(head) - 1, 0};
    out->file.length = (size_t)(number - out->file.data);
    number += sizeof(middle) - 1;
    const char *end = line.data + line.length;
    const char *digit = number;
    while (digit < end && *digit >= '0' && *digit <= '9') {
        digit++;
    }
    out->line = (signet_string){number, (size_t)(digit - number)};
    out->function = (signet_string){digit, (size_t)(end - digit)};
    if (out->line.length == 0 || !sg_string_starts(out->function, ", in ")) {
        return false;
    }
    out->function.data += 5;
    out->function.length -= 5;
    return out->function.length > 0;
}

/* The innermost frame that has its code in the line behind it, as PyTorch looks for it. */
static void read_trace(signet_string trace, struct comment *out) {
    trace = strip(trace);
    const char *end = trace.data + trace.length;
    struct comment frame = *out;
    for (const char *at = trace.data; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL) {
            return;
        }
        if (read_frame((signet_string){at, (size_t)(stop - at)}, &frame)) {
            const char *next = memchr(stop + 1, '\n', (size_t)(end - stop - 1));
            frame.code =
                strip((signet_string){stop + 1, (size_t)((next != NULL ? next : end) - stop - 1)});
            *out = frame;
        }
        at = stop + 1;
    }
}

static struct comment comment_of(const struct sg_printed_writer *w, uint32_t node) {
    struct comment c = {.custom = {NULL, 0}};
    struct sg_list list = sg_node(w->p, node)->metadata;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct sg_pair *m = &w->p->pairs.data[list.first + i];
        if (sg_string_is(sg_string(w->p, m->key), "stack_trace")) {
            read_trace(sg_string(w->p, m->value), &c);
        } else if (sg_string_is(sg_string(w->p, m->key), "custom")) {
            c.custom = sg_string(w->p, m->value);
        }
    }
    return c;
}

static bool same_comment(const struct comment *a, const struct comment *b) {
    return sg_string_equal(a->file, b->file) && sg_string_equal(a->line, b->line) &&
           sg_string_equal(a->function, b->function) && sg_string_equal(a->code, b->code) &&
           sg_string_equal(a->custom, b->custom);
}

/* A comment stands where it differs from that of the line before. */
static void put_comment(struct sg_printed_writer *w, uint32_t line, uint32_t depth,
                        struct comment *before, bool *first) {
    struct comment c = comment_of(w, w->lines.data[line].node);
    if (!*first && same_comment(&c, before)) {
        return;
    }
    if (!*first) {
        sg_text_puts(&w->t, "    \n");
    }
    *first = false;
    *before = c;
    put_indent(w, depth, 8);
    sg_text_putc(&w->t, '#');
    sg_write_custom(w, c.custom);
    if (c.file.data == NULL) {
        sg_text_puts(&w->t, " No stacktrace found for following nodes\n");
        return;
    }
    sg_text_puts(&w->t, " File: ");
    sg_write_name(&w->t, c.file);
    sg_text_putc(&w->t, ':');
    sg_text_string(&w->t, c.line);
    sg_text_puts(&w->t, " in ");
    sg_write_name(&w->t, c.function);
    sg_text_puts(&w->t, ", code: ");
    sg_write_name(&w->t, c.code);
    sg_text_putc(&w->t, '\n');
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* ;  a = b = None */
static void put_release(struct sg_printed_writer *w, uint32_t line) {
    const struct sg_write_line *l = &w->lines.data[line];
    if (l->released == 0 && l->users != 0) {
        return;
    }
    sg_text_puts(&w->t, ";  ");
    uint32_t i = l->released != 0 ? w->lines.data[l->released].next_released : 0;
    while (i != 0) {
        sg_write_name(&w->t, sg_write_line_name(w, i));
        sg_text_puts(&w->t, " = ");
        i = i != l->released ? w->lines.data[i].next_released : 0;
    }
    if (l->users == 0) {
        sg_write_name(&w->t, sg_write_line_name(w, line));
        sg_text_puts(&w->t, " = ");
    }
    sg_text_puts(&w->t, "None");
}

static bool is_identifier(signet_string s) {
    for (size_t i = 0; i < s.length; i++) {
        char c = s.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (i > 0 && c >= '0' && c <= '9') || (unsigned char)c >= 0x80)) {
            return false;
        }
    }
    return s.length > 0;
}

/* The next part of a path between dots. */
static signet_string next_part(signet_string path, size_t *at) {
    size_t end = *at;
    while (end < path.length && path.data[end] != '.') {
        end++;
    }
    signet_string part = {path.data + *at, end - *at};
    *at = end + 1;
    return part;
}

/* self.a.b, getattr(self.a, "0") */
static void put_path(struct sg_printed_writer *w, signet_string path) {
    for (size_t at = 0; at <= path.length;) {
        if (!is_identifier(next_part(path, &at))) {
            sg_text_puts(&w->t, "getattr(");
        }
    }
    sg_text_puts(&w->t, "self");
    for (size_t at = 0; at <= path.length;) {
        signet_string part = next_part(path, &at);
        bool plain = is_identifier(part);
        sg_text_puts(&w->t, plain ? "." : ", \"");
        sg_write_name(&w->t, part);
        sg_text_puts(&w->t, plain ? "" : "\")");
    }
}

static void put_line(struct sg_printed_writer *w, uint32_t line, uint32_t depth) {
    const struct sg_write_line *l = &w->lines.data[line];
    put_indent(w, depth, 8);
    sg_write_name(&w->t, sg_write_line_name(w, line));
    switch ((sg_line_kind)l->kind) {
    case SG_LINE_ATTRIBUTE:
        sg_text_puts(&w->t, " = ");
        put_path(w, sg_write_path(w->p, sg_arg(w->p, l->arg)));
        break;
    case SG_LINE_ITEM:
        if (l->arg != 0) {
            put_annotation(w, l->arg);
        }
        sg_text_puts(&w->t, " = ");
        sg_write_name(&w->t, sg_write_line_name(w, l->base));
        sg_text_putc(&w->t, '[');
        sg_text_uint(&w->t, l->index);
        sg_text_putc(&w->t, ']');
        break;
    case SG_LINE_NODE:
        if (l->arg != 0) {
            put_annotation(w, l->arg);
        }
        sg_text_puts(&w->t, " = ");
        sg_write_call(w, l->node);
        break;
    }
    put_release(w, line);
    sg_text_putc(&w->t, '\n');
}

static void put_return(struct sg_printed_writer *w, uint32_t depth) {
    const struct sg_graph *g = sg_graph(w->p, w->graph.id);
    bool bare = g->returns_bare && g->outputs.count == 1;
    put_indent(w, depth, 8);
    sg_text_puts(&w->t, bare ? "return " : "return (");
    for (uint32_t i = 0; i < g->outputs.count && !w->no_memory; i++) {
        sg_text_puts(&w->t, i > 0 ? ", " : "");
        sg_write_arg(w, g->outputs.first + i, false);
    }
    sg_text_puts(&w->t, bare ? "\n" : g->outputs.count == 1 ? ",)\n" : ")\n");
}

static void put_class(struct sg_printed_writer *w, uint32_t depth) {
    sg_write_find_lines(w);
    if (!goes_on(w)) {
        return;
    }
    put_indent(w, depth, 0);
    sg_text_puts(&w->t, "class ");
    if (depth == 0) {
        sg_text_puts(&w->t, "GraphModule");
    } else {
        sg_write_name(&w->t, signet_graph_name(w->p, w->graph));
    }
    sg_text_puts(&w->t, "(torch.nn.Module):\n");
    put_indent(w, depth, 4);
    sg_text_puts(&w->t, "def forward(self");
    uint32_t inputs = signet_graph_input_count(w->p, w->graph);
    for (uint32_t i = 0; i < inputs && goes_on(w); i++) {
        put_param(w, i);
    }
    sg_text_puts(&w->t, "):\n");
    struct comment before = {.custom = {NULL, 0}};
    bool first = true;
    for (uint32_t i = 1; i < w->return_line && goes_on(w); i++) {
        if (!w->lines.data[i].is_input) {
            put_comment(w, i, depth, &before, &first);
            put_line(w, i, depth);
            flush(w, 1 << 15);
        }
    }
    put_return(w, depth);
    sg_text_puts(&w->t, "    \n");
}

/* ---- Subgraphs ------------------------------------------------------------------------------- */

static void push_graph(struct sg_printed_writer *w, uint32_t graph, uint32_t depth) {
    if (!sg_vec_reserve(&w->p->allocator, &w->graphs, 2)) {
        w->no_memory = true;
        return;
    }
    w->graphs.data[w->graphs.count++] = graph;
    w->graphs.data[w->graphs.count++] = depth;
}

/* Puts the subgraphs of the graph just written on the list, each name once, first name first. */
static void push_children(struct sg_printed_writer *w, uint32_t depth) {
    struct sg_strings *seen = sg_strings_create(&w->p->allocator);
    uint32_t first = w->graphs.count;
    w->no_memory = w->no_memory || seen == NULL;
    for (uint32_t i = 1; i < w->lines.count && goes_on(w); i++) {
        const struct sg_write_line *l = &w->lines.data[i];
        const struct sg_arg *a = sg_arg(w->p, l->arg);
        if (l->kind != SG_LINE_ATTRIBUTE || a->kind != SIGNET_ARG_GRAPH ||
            sg_graph(w->p, a->u.id)->parent != l->arg ||
            a->u.id == signet_program_graph(w->p, w->program).id) {
            continue;
        }
        signet_string name = sg_string(w->p, sg_graph(w->p, a->u.id)->name);
        if (sg_strings_find(seen, name) == 0) {
            w->no_memory = sg_strings_intern(seen, name) == 0 && name.data != NULL;
            push_graph(w, a->u.id, depth + 1);
        }
    }
    /* The list is taken from its end. */
    for (uint32_t a = first, b = w->graphs.count; !w->no_memory && a + 2 < b; a += 2) {
        b -= 2;
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t swap = w->graphs.data[a + k];
            w->graphs.data[a + k] = w->graphs.data[b + k];
            w->graphs.data[b + k] = swap;
        }
    }
    sg_strings_destroy(seen);
}

/* ---- Signature and ranges -------------------------------------------------------------------- */

static void put_spec(struct sg_printed_writer *w, const signet_spec *spec) {
    struct sg_text *t = &w->t;
    const char *kind = spec->side == SIGNET_INPUT
                           ? signet_input_kind_name((signet_input_kind)spec->kind)
                           : signet_output_kind_name((signet_output_kind)spec->kind);
    sg_text_puts(t, "    ");
    sg_write_name(t, spec->name);
    sg_text_puts(t, ": ");
    if (kind != NULL) {
        sg_text_puts(t, kind);
    } else {
        sg_write_name(t, spec->raw_tag);
    }
    if (spec->target.data != NULL) {
        sg_text_puts(t, " target='");
        sg_write_name(t, spec->target);
        sg_text_putc(t, '\'');
    }
    if (spec->persistent == SIGNET_PERSISTENT_YES || spec->persistent == SIGNET_PERSISTENT_NO) {
        sg_text_puts(t, spec->persistent == SIGNET_PERSISTENT_YES ? " persistent=True"
                                                                  : " persistent=False");
    }
    sg_text_putc(t, '\n');
}

static void put_specs(struct sg_printed_writer *w, signet_side side) {
    uint32_t count = signet_spec_count(w->p, w->program, side);
    sg_text_puts(&w->t, side == SIGNET_INPUT ? "    # inputs\n" : "    # outputs\n");
    for (uint32_t i = 0; i < count && goes_on(w); i++) {
        signet_spec spec = SIGNET_SPEC_INIT;
        signet_spec_get(w->p, w->program, side, i, &spec);
        put_spec(w, &spec);
        flush(w, 1 << 15);
    }
    sg_text_puts(&w->t, count == 0 ? "    \n    \n" : "    \n");
}

static void put_bound(struct sg_printed_writer *w, bool has, int64_t bound, const char *open) {
    if (has) {
        sg_text_int(&w->t, bound);
    } else {
        sg_text_puts(&w->t, open);
    }
}

static void put_ranges(struct sg_printed_writer *w) {
    uint32_t count = signet_program_range_count(w->p, w->program);
    sg_text_puts(&w->t, "Range constraints: {");
    for (uint32_t i = 0; i < count && goes_on(w); i++) {
        signet_range range = signet_program_range(w->p, w->program, i);
        sg_text_puts(&w->t, i > 0 ? ", " : "");
        sg_write_name(&w->t, range.symbol);
        sg_text_puts(&w->t, ": VR[");
        put_bound(w, range.has_min, range.min, "-int_oo");
        sg_text_puts(&w->t, ", ");
        put_bound(w, range.has_max, range.max, "int_oo");
        sg_text_putc(&w->t, ']');
        flush(w, 1 << 15);
    }
    sg_text_puts(&w->t, "}\n");
}

/* ---- The program ----------------------------------------------------------------------------- */

static void put_program(struct sg_printed_writer *w) {
    sg_text_puts(&w->t, "ExportedProgram:\n");
    push_graph(w, signet_program_graph(w->p, w->program).id, 0);
    while (w->graphs.count > 0 && goes_on(w)) {
        w->graphs.count -= 2;
        uint32_t depth = w->graphs.data[w->graphs.count + 1];
        w->graph.id = w->graphs.data[w->graphs.count];
        put_class(w, depth);
        if (goes_on(w)) {
            push_children(w, depth);
        }
    }
    sg_text_puts(&w->t, "Graph signature: \n");
    put_specs(w, SIGNET_INPUT);
    put_specs(w, SIGNET_OUTPUT);
    put_ranges(w);
    if (goes_on(w)) {
        flush(w, 0);
    }
}

signet_status signet_write_printed(const signet_package *p, signet_program program,
                                   const signet_writer *out) {
    if (p == NULL || out == NULL || out->write == NULL || program.id == 0 ||
        program.id >= p->programs.count) {
        return SIGNET_E_INVALID_ARG;
    }
    const signet_allocator *a = &p->allocator;
    struct sg_printed_writer w = {.p = p, .program = program, .out = out};
    sg_text_init(&w.t, a);
    size_t size = ((size_t)p->values.count + 1) * sizeof(uint32_t);
    w.line_of_value = sg_alloc(a, size);
    w.no_memory = w.line_of_value == NULL;
    if (!w.no_memory) {
        put_program(&w);
    }
    signet_status status = w.no_memory || w.t.failed ? SIGNET_E_NOMEM
                           : w.stopped               ? SIGNET_E_STOPPED
                                                     : SIGNET_OK;
    sg_free(a, w.line_of_value, size);
    sg_text_free(&w.t);
    sg_map_destroy(w.line_of_arg);
    sg_map_destroy(w.name_counts);
    sg_strings_destroy(w.names);
    sg_vec_free(a, &w.lines);
    sg_vec_free(a, &w.uses);
    sg_vec_free(a, &w.stack);
    sg_vec_free(a, &w.graphs);
    return status;
}
