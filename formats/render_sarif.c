/* SPDX-License-Identifier: Apache-2.0 */

/* SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */

#include <string.h>

#include "formats/render_internal.h"

static void put_text(struct sg_out *out, const char *name, const char *text) {
    sg_out_json(out, name, strlen(name));
    sg_out_puts(out, ":");
    sg_out_json(out, text, strlen(text));
}

static const char *level_of(signet_severity severity) {
    switch (severity) {
    case SIGNET_SEVERITY_ERROR:
        return "error";
    case SIGNET_SEVERITY_WARNING:
        return "warning";
    case SIGNET_SEVERITY_NOTE:
        return "note";
    case SIGNET_SEVERITY_OFF:
        break;
    }
    return "none";
}

/* ---- The catalogue --------------------------------------------------------------------------- */

static void put_rule(struct sg_out *out, const signet_code_info *info, bool first) {
    sg_out_puts(out, first ? "\n" : ",\n");
    sg_out_puts(out, "{");
    put_text(out, "id", info->name);
    sg_out_puts(out, ",\"shortDescription\":{");
    put_text(out, "text", info->title);
    sg_out_puts(out, "}");
    if (info->why != NULL) {
        sg_out_puts(out, ",\"fullDescription\":{");
        put_text(out, "text", info->why);
        sg_out_puts(out, "}");
    }
    if (info->fix != NULL) {
        sg_out_puts(out, ",\"help\":{");
        put_text(out, "text", info->fix);
        sg_out_puts(out, "}");
    }
    sg_out_puts(out, ",\"defaultConfiguration\":{");
    put_text(out, "level", level_of(info->severity));
    sg_out_puts(out, "}}");
}

signet_status signet_render_sarif_head(const signet_writer *writer) {
    if (writer == NULL || writer->write == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    struct sg_out out;
    sg_out_init(&out, writer);
    sg_out_puts(&out,
                "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
                "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"signet\",");
    put_text(&out, "version", signet_version());
    sg_out_puts(&out, ",\"rules\":[");
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        put_rule(&out, signet_code_get((signet_code)code), code == 1);
    }
    sg_out_puts(&out, "\n]}},\"columnKind\":\"unicodeCodePoints\",\"results\":[");
    return sg_out_done(&out);
}

signet_status signet_render_sarif_tail(const signet_writer *writer) {
    if (writer == NULL || writer->write == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    struct sg_out out;
    sg_out_init(&out, writer);
    sg_out_puts(&out, "]}]}\n");
    return sg_out_done(&out);
}

/* ---- Locations ------------------------------------------------------------------------------- */

/* A relative or absolute path as a URI reference. */
static void put_uri(struct sg_out *out, const char *path) {
    static const char hex[] = "0123456789ABCDEF";
    sg_out_puts(out, "\"");
    for (const char *at = path; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     strchr("-._~/", (int)c) != NULL;
        if (plain) {
            sg_out_put(out, at, 1);
        } else {
            const char escaped[] = {'%', hex[c >> 4], hex[c & 0xf]};
            sg_out_put(out, escaped, sizeof(escaped));
        }
    }
    sg_out_puts(out, "\"");
}

/* A column in characters; it is known in bytes. */
static uint32_t character_column(const signet_location *l, uint32_t column) {
    uint32_t characters = 1;
    for (size_t at = 0; at + 1 < column && at < l->excerpt_length;) {
        uint32_t c;
        size_t size = sg_utf8_next(l->excerpt + at, l->excerpt_length - at, &c);
        at += size != 0 ? size : 1;
        characters++;
    }
    return characters;
}

static void put_region(struct sg_out *out, const signet_location *l) {
    if (l->line != 0) {
        uint32_t column = l->focus_column != 0 ? l->focus_column : l->column;
        sg_out_puts(out, ",\"region\":{\"startLine\":");
        sg_out_uint(out, l->line);
        if (column != 0 && l->excerpt != NULL) {
            sg_out_puts(out, ",\"startColumn\":");
            sg_out_uint(out, character_column(l, column));
            sg_out_puts(out, ",\"endColumn\":");
            sg_out_uint(out,
                        character_column(l, column + (l->focus_length != 0 ? l->focus_length : 1)));
        }
        sg_out_puts(out, "}");
    } else if (l->has_byte && l->entry == NULL) { /* an offset in an entry is none in the file */
        sg_out_puts(out, ",\"region\":{\"byteOffset\":");
        sg_out_uint(out, l->byte);
        sg_out_puts(out, ",\"byteLength\":0}");
    }
}

/* "forward/true_graph_0/output 0", or the JSON path. */
static void put_logical(struct sg_out *out, const signet_location *l) {
    const char *const parts[] = {l->graph != NULL ? l->graph : l->program, l->node, l->item};
    const char *separator = "";
    sg_out_puts(out, ",\"logicalLocations\":[{\"fullyQualifiedName\":\"");
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i] != NULL) {
            sg_out_puts(out, separator);
            sg_out_json_inside(out, parts[i], strlen(parts[i]));
            separator = "/";
        }
    }
    sg_out_puts(out, "\"");
    if (l->json_path != NULL) {
        sg_out_puts(out, ",");
        put_text(out, "decoratedName", l->json_path);
    }
    sg_out_puts(out, "}]");
}

static void put_location(struct sg_out *out, const signet_location *l, bool with_message) {
    sg_out_puts(out, "{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    put_uri(out, l->file != NULL ? l->file : "");
    sg_out_puts(out, "}");
    put_region(out, l);
    sg_out_puts(out, "}");
    if (l->program != NULL || l->node != NULL || l->item != NULL) {
        put_logical(out, l);
    }
    if (with_message) {
        sg_out_puts(out, ",\"message\":{");
        put_text(out, "text", l->label != NULL ? l->label : "");
        sg_out_puts(out, "}");
    }
    sg_out_puts(out, "}");
}

/* ---- Results --------------------------------------------------------------------------------- */

static void put_paragraph(struct sg_out *out, const char *lead, const char *text) {
    sg_out_puts(out, "\\n");
    sg_out_puts(out, lead);
    sg_out_json_inside(out, text, strlen(text));
}

static void put_message(struct sg_out *out, const signet_diag *diag) {
    sg_out_puts(out, "\"message\":{\"text\":\"");
    sg_out_json_inside(out, diag->message, strlen(diag->message));
    for (size_t i = 0; i < diag->fact_count; i++) {
        put_paragraph(out, "", diag->facts[i]);
    }
    for (size_t i = 0; i < diag->note_count; i++) {
        put_paragraph(out, "note: ", diag->notes[i]);
    }
    if (diag->help != NULL) {
        put_paragraph(out, "help: ", diag->help);
    }
    sg_out_puts(out, "\"}");
}

static void put_fingerprint(struct sg_out *out, const signet_diag *diag) {
    static const char hex[] = "0123456789abcdef";
    uint64_t f = signet_diag_fingerprint(diag);
    char text[16];
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = hex[f >> (60 - 4 * i) & 0xf];
    }
    sg_out_puts(out, ",\"partialFingerprints\":{\"signet/v1\":\"");
    sg_out_put(out, text, sizeof(text));
    sg_out_puts(out, "\"}");
}

signet_status signet_render_sarif(const signet_diag *diag, const signet_writer *writer) {
    if (diag == NULL || writer == NULL || writer->write == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    struct sg_out out;
    sg_out_init(&out, writer);
    sg_out_puts(&out, "{");
    put_text(&out, "ruleId", diag->code_name);
    if (diag->code > SIGNET_CODE_NONE && diag->code < SIGNET_CODE_COUNT) {
        sg_out_puts(&out, ",\"ruleIndex\":");
        sg_out_uint(&out, (uint64_t)diag->code - 1);
    }
    sg_out_puts(&out, ",");
    put_text(&out, "level", level_of(diag->severity));
    sg_out_puts(&out, ",");
    put_message(&out, diag);
    sg_out_puts(&out, ",\"locations\":[");
    put_location(&out, &diag->location, false);
    sg_out_puts(&out, "]");
    for (size_t i = 0; i < diag->related_count; i++) {
        sg_out_puts(&out, i == 0 ? ",\"relatedLocations\":[" : ",");
        put_location(&out, &diag->related[i], true);
    }
    sg_out_puts(&out, diag->related_count != 0 ? "]" : "");
    put_fingerprint(&out, diag);
    sg_out_puts(&out, "}");
    return sg_out_done(&out);
}
