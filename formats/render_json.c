/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "formats/render_internal.h"

/* Bytes of the line that are kept on each side of the focus; a line may be as long as the file. */
#define EXCERPT_SIDE 200
#define EXCERPT_FOCUS 400

struct json_out {
    struct sg_out out;
    bool first; /* no comma yet */
};

static void put_name(struct json_out *j, const char *name) {
    sg_out_puts(&j->out, j->first ? "\"" : ",\"");
    sg_out_puts(&j->out, name);
    sg_out_puts(&j->out, "\":");
    j->first = false;
}

static void member_text(struct json_out *j, const char *name, const char *text) {
    if (text != NULL) {
        put_name(j, name);
        sg_out_json(&j->out, text, strlen(text));
    }
}

static void member_number(struct json_out *j, const char *name, bool known, uint64_t number) {
    if (known) {
        put_name(j, name);
        sg_out_uint(&j->out, number);
    }
}

static void member_texts(struct json_out *j, const char *name, const char *const *texts,
                         size_t count) {
    if (count == 0) {
        return;
    }
    put_name(j, name);
    for (size_t i = 0; i < count; i++) {
        sg_out_puts(&j->out, i == 0 ? "[" : ",");
        sg_out_json(&j->out, texts[i], strlen(texts[i]));
    }
    sg_out_puts(&j->out, "]");
}

static void member_excerpt(struct json_out *j, const signet_location *l) {
    if (l->excerpt == NULL) {
        return;
    }
    size_t focus = l->focus_column != 0 ? l->focus_column : l->column;
    focus = focus > 0 ? focus - 1 : 0;
    size_t start = focus > EXCERPT_SIDE ? focus - EXCERPT_SIDE : 0;
    size_t end = focus < l->excerpt_length ? focus + EXCERPT_SIDE : l->excerpt_length;
    end += l->focus_length < EXCERPT_FOCUS ? l->focus_length : EXCERPT_FOCUS;
    start = start < l->excerpt_length ? sg_utf8_start(l->excerpt, l->excerpt_length, start) : 0;
    end = end < l->excerpt_length ? sg_utf8_start(l->excerpt, l->excerpt_length, end)
                                  : l->excerpt_length;
    put_name(j, "excerpt");
    sg_out_json(&j->out, l->excerpt + start, end - start);
    member_number(j, "excerpt_column", true, start + 1);
}

static void put_location(struct json_out *j, const signet_location *l) {
    sg_out_puts(&j->out, "{");
    j->first = true;
    member_text(j, "file", l->file);
    member_text(j, "entry", l->entry);
    member_number(j, "line", l->line != 0, l->line);
    member_number(j, "column", l->column != 0, l->column);
    member_number(j, "byte", l->has_byte, l->byte);
    member_text(j, "json_path", l->json_path);
    member_text(j, "program", l->program);
    member_text(j, "graph", l->graph);
    member_text(j, "node", l->node);
    member_text(j, "item", l->item);
    member_number(j, "graph_id", l->graph_id.id != 0, l->graph_id.id);
    member_number(j, "node_id", l->node_id.id != 0, l->node_id.id);
    member_text(j, "user_file", l->user_file);
    member_number(j, "user_line", l->user_line != 0, l->user_line);
    member_text(j, "user_function", l->user_function);
    member_text(j, "user_code", l->user_code);
    member_excerpt(j, l);
    member_number(j, "focus_column", l->focus_column != 0, l->focus_column);
    member_number(j, "focus_length", l->focus_length != 0, l->focus_length);
    member_text(j, "label", l->label);
    sg_out_puts(&j->out, "}");
    j->first = false;
}

signet_status signet_render_json(const signet_diag *diag, const signet_writer *writer) {
    if (diag == NULL || writer == NULL || writer->write == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    struct json_out j = {.first = true};
    sg_out_init(&j.out, writer);
    sg_out_puts(&j.out, "{");
    member_text(&j, "code", diag->code_name);
    member_text(&j, "severity", signet_severity_name(diag->severity));
    member_text(&j, "message", diag->message);
    put_name(&j, "location");
    put_location(&j, &diag->location);
    if (diag->related_count > 0) {
        put_name(&j, "related");
        for (size_t i = 0; i < diag->related_count; i++) {
            sg_out_puts(&j.out, i == 0 ? "[" : ",");
            put_location(&j, &diag->related[i]);
        }
        sg_out_puts(&j.out, "]");
    }
    member_texts(&j, "facts", diag->facts, diag->fact_count);
    member_texts(&j, "notes", diag->notes, diag->note_count);
    member_text(&j, "help", diag->help);
    member_text(&j, "also_known_as", diag->also_known_as);
    member_text(&j, "torch_check", diag->torch_check);
    sg_out_puts(&j.out, "}");
    return sg_out_done(&j.out);
}
