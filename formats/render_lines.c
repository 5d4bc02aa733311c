/* SPDX-License-Identifier: Apache-2.0 */

/* Findings as single lines, and as parts of reports that other tools read. */

#include <string.h>

#include "base/hash.h"
#include "formats/render_internal.h"

static bool is_usable(const signet_diag *diag, const signet_writer *writer) {
    return diag != NULL && writer != NULL && writer->write != NULL;
}

/* "model.pt2!models/model.json", or the file alone; "" when neither is known. */
static void put_file(struct sg_out *out, const signet_location *l) {
    if (l->file != NULL) {
        sg_out_shown(out, l->file);
    }
    if (l->entry != NULL) {
        sg_out_puts(out, "!");
        sg_out_shown(out, l->entry);
    }
}

static void put_line(struct sg_out *out, const signet_location *l) {
    if (l->line != 0) {
        sg_out_puts(out, ":");
        sg_out_uint(out, l->line);
        if (l->column != 0) {
            sg_out_puts(out, ":");
            sg_out_uint(out, l->column);
        }
    }
}

signet_status signet_render_concise(const signet_diag *diag, const signet_writer *writer) {
    if (!is_usable(diag, writer)) {
        return SIGNET_E_INVALID_ARG;
    }
    struct sg_out out;
    sg_out_init(&out, writer);
    put_file(&out, &diag->location);
    put_line(&out, &diag->location);
    sg_out_puts(&out, ": ");
    sg_out_puts(&out, signet_severity_name(diag->severity));
    sg_out_puts(&out, "[");
    sg_out_shown(&out, diag->code_name);
    sg_out_puts(&out, "]: ");
    sg_out_shown(&out, diag->message);
    return sg_out_done(&out);
}

/* ---- GitHub ---------------------------------------------------------------------------------- */

/* Percent-encodes what ends a command, or (in properties) a property. */
static void put_command_text(struct sg_out *out, const char *text, bool property) {
    for (const char *at = text; *at != '\0'; at++) {
        const char *escape = *at == '%'               ? "%25"
                             : *at == '\r'            ? "%0D"
                             : *at == '\n'            ? "%0A"
                             : property && *at == ':' ? "%3A"
                             : property && *at == ',' ? "%2C"
                                                      : NULL;
        if (escape != NULL) {
            sg_out_puts(out, escape);
        } else {
            sg_out_put(out, at, 1);
        }
    }
}

static const char *command_of(signet_severity severity) {
    switch (severity) {
    case SIGNET_SEVERITY_ERROR:
        return "::error title=signet (";
    case SIGNET_SEVERITY_WARNING:
        return "::warning title=signet (";
    case SIGNET_SEVERITY_NOTE:
    case SIGNET_SEVERITY_OFF:
        break;
    }
    return "::notice title=signet (";
}

signet_status signet_render_github(const signet_diag *diag, const signet_writer *writer) {
    if (!is_usable(diag, writer)) {
        return SIGNET_E_INVALID_ARG;
    }
    const signet_location *l = &diag->location;
    struct sg_out out;
    sg_out_init(&out, writer);
    sg_out_puts(&out, command_of(diag->severity));
    put_command_text(&out, diag->code_name, true);
    sg_out_puts(&out, ")");
    if (l->file != NULL) {
        sg_out_puts(&out, ",file=");
        put_command_text(&out, l->file, true);
    }
    if (l->line != 0) {
        sg_out_puts(&out, ",line=");
        sg_out_uint(&out, l->line);
        sg_out_puts(&out, ",col=");
        sg_out_uint(&out, l->column != 0 ? l->column : 1);
    }
    sg_out_puts(&out, "::");
    put_command_text(&out, diag->message, false);
    for (size_t i = 0; i < diag->note_count; i++) {
        sg_out_puts(&out, "%0Anote: ");
        put_command_text(&out, diag->notes[i], false);
    }
    if (diag->help != NULL) {
        sg_out_puts(&out, "%0Ahelp: ");
        put_command_text(&out, diag->help, false);
    }
    return sg_out_done(&out);
}

/* ---- JUnit ----------------------------------------------------------------------------------- */

/* XML 1.0 has no way to write most control characters, nor bytes that are no UTF-8. */
static void put_xml(struct sg_out *out, const char *text) {
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t c;
        size_t size = sg_utf8_next(text + at, length - at, &c);
        bool allowed = size != 0 && (c >= 0x20 || c == '\t' || c == '\n' || c == '\r') &&
                       c != 0xfffe && c != 0xffff;
        if (!allowed) {
            sg_out_puts(out, "\xef\xbf\xbd");
        } else if (c == '&') {
            sg_out_puts(out, "&amp;");
        } else if (c == '<') {
            sg_out_puts(out, "&lt;");
        } else if (c == '>') {
            sg_out_puts(out, "&gt;");
        } else if (c == '"') {
            sg_out_puts(out, "&quot;");
        } else if (c == '\n' || c == '\r' || c == '\t') {
            sg_out_puts(out, c == '\n' ? "&#10;" : c == '\r' ? "&#13;" : "&#9;");
        } else {
            sg_out_put(out, text + at, size);
        }
        at += size != 0 ? size : 1;
    }
}

static bool write_xml(void *user, const char *text, size_t length) {
    struct sg_out *out = user;
    char piece[256];
    while (length != 0) { /* put_xml wants whole characters and an end */
        size_t part = length < sizeof(piece) - 1 ? length : sizeof(piece) - 1;
        part = part < length ? sg_utf8_start(text, length, part) : part;
        memcpy(piece, text, part);
        piece[part] = '\0';
        put_xml(out, piece);
        text += part;
        length -= part;
    }
    return !out->stopped;
}

signet_status signet_render_junit(const signet_diag *diag, const signet_writer *writer) {
    if (!is_usable(diag, writer)) {
        return SIGNET_E_INVALID_ARG;
    }
    const signet_location *l = &diag->location;
    struct sg_out out;
    sg_out_init(&out, writer);
    sg_out_puts(&out, "<testcase name=\"");
    put_xml(&out, diag->code_name);
    if (l->item != NULL || l->node != NULL) {
        sg_out_puts(&out, ": ");
        put_xml(&out, l->item != NULL ? l->item : l->node);
    }
    sg_out_puts(&out, "\" classname=\"");
    put_xml(&out, l->program != NULL ? l->program : "signet");
    sg_out_puts(&out, "\"><failure type=\"");
    put_xml(&out, signet_severity_name(diag->severity));
    sg_out_puts(&out, "\" message=\"");
    put_xml(&out, diag->message);
    sg_out_puts(&out, "\">");
    signet_writer inner = {write_xml, &out};
    signet_status status = signet_render_full(diag, NULL, &inner);
    sg_out_puts(&out, "</failure></testcase>");
    signet_status end = sg_out_done(&out);
    return status != SIGNET_OK ? status : end;
}

/* ---- Fingerprints ---------------------------------------------------------------------------- */

/* Digits of a message are positions and sizes, which change when something else does. */
static void hash_words(struct sg_hasher *h, const char *text) {
    const char *start = text != NULL ? text : "";
    sg_hasher_u64(h, text != NULL);
    for (const char *at = start;; at++) {
        bool digit = *at >= '0' && *at <= '9';
        if (digit || *at == '\0') {
            sg_hasher_bytes(h, start, (size_t)(at - start));
            start = at + 1;
        }
        if (*at == '\0') {
            return;
        }
    }
}

uint64_t signet_diag_fingerprint(const signet_diag *diag) {
    struct sg_hasher h;
    sg_hasher_init(&h);
    sg_hasher_bytes(&h, diag->code_name, strlen(diag->code_name));
    hash_words(&h, diag->location.program);
    hash_words(&h, diag->location.graph);
    hash_words(&h, diag->location.item);
    /* Names count with their digits; a message quotes the names it is about. */
    sg_hasher_bytes(&h, diag->location.node != NULL ? diag->location.node : "",
                    diag->location.node != NULL ? strlen(diag->location.node) : 0);
    bool quoted = false;
    const char *start = diag->message;
    for (const char *at = diag->message; *at != '\0'; at++) {
        if (*at == '\'') {
            if (quoted) {
                sg_hasher_bytes(&h, start, (size_t)(at - start));
            }
            quoted = !quoted;
            start = at + 1;
        }
    }
    signet_hash hash = sg_hasher_done(&h);
    uint64_t out = 0;
    for (size_t i = 0; i < sizeof(out); i++) {
        out = out << 8 | hash.bytes[i];
    }
    return out;
}
