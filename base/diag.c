/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"

#include <string.h>

/* ---- The log --------------------------------------------------------------------------------- */

void sg_log_init(struct sg_log *log, const signet_allocator *a, const signet_sink *sink,
                 signet_report *report, uint64_t per_code_limit) {
    memset(log, 0, sizeof(*log));
    log->allocator = a;
    log->sink = sink;
    log->report = report;
    log->per_code_limit = per_code_limit;
    sg_arena_init(&log->arena, a);
    sg_text_init(&log->scratch, a);
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        log->severity[code] = (uint8_t)signet_code_get((signet_code)code)->severity;
    }
}

void sg_log_free(struct sg_log *log) {
    sg_arena_free(&log->arena);
    sg_text_free(&log->scratch);
}

bool sg_code_matches(const char *pattern, const char *name) {
    if (strcmp(pattern, "all") == 0 || strcmp(pattern, name) == 0) {
        return true;
    }
    size_t family = strcspn(name, ".");
    return strncmp(pattern, name, family) == 0 &&
           (pattern[family] == '\0' || strcmp(pattern + family, ".*") == 0);
}

bool sg_log_set_severity(struct sg_log *log, const char *pattern, signet_severity severity) {
    bool any = false;
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        if (sg_code_matches(pattern, signet_code_get((signet_code)code)->name)) {
            log->severity[code] = (uint8_t)severity;
            any = true;
        }
    }
    return any;
}

static void log_fail(struct sg_log *log) {
    if (log->status == SIGNET_OK) {
        log->status = SIGNET_E_NOMEM;
    }
}

/* Moves the scratch text into the arena; null: no memory. */
static const char *log_keep(struct sg_log *log) {
    const char *text = NULL;
    if (!log->scratch.failed) {
        text = sg_arena_text(&log->arena, log->scratch.data, log->scratch.length);
    }
    if (text == NULL) {
        log_fail(log);
    }
    return text;
}

static const char *log_vtext(struct sg_log *log, const char *format, va_list args)
    SIGNET_PRINTF(2, 0);

static const char *log_vtext(struct sg_log *log, const char *format, va_list args) {
    sg_text_clear(&log->scratch);
    sg_text_vprintf(&log->scratch, format, args);
    return log_keep(log);
}

const char *sg_log_text(struct sg_log *log, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = log_vtext(log, format, args);
    va_end(args);
    return text != NULL ? text : "";
}

#define NAME_MOST 200

const char *sg_log_name(struct sg_log *log, signet_string name) {
    if (name.data == NULL || name.length == 0) {
        return "";
    }
    bool cut = name.length > NAME_MOST;
    if (cut) {
        name.length = sg_utf8_start(name.data, name.length, NAME_MOST);
    }
    sg_text_clear(&log->scratch);
    sg_text_escaped(&log->scratch, name, '\'');
    if (cut) {
        sg_text_puts(&log->scratch, "...");
    }
    const char *text = log_keep(log);
    return text != NULL ? text : "";
}

/* ---- A finding ------------------------------------------------------------------------------- */

static bool is_hidden(const struct sg_log *log, signet_severity severity) {
    return severity == SIGNET_SEVERITY_OFF ||
           (severity == SIGNET_SEVERITY_NOTE && !log->show_notes);
}

/* Could the finding reach the sink? If not, its texts need not be made. */
static bool may_show(const struct sg_diag *d) {
    const struct sg_log *log = d->log;
    if (log->sink == NULL || log->sink->emit == NULL || log->muted ||
        *d->emitted >= log->per_code_limit) {
        return false;
    }
    return log->torch_only || !is_hidden(log, d->diag.severity);
}

/* Counts the finding; true when it is to be emitted. */
static bool counts(const struct sg_diag *d) {
    const struct sg_log *log = d->log;
    signet_severity severity = d->diag.severity;
    signet_report none = SIGNET_REPORT_INIT;
    signet_report *report = log->report != NULL ? log->report : &none;
    bool hidden = is_hidden(log, severity);
    if (severity == SIGNET_SEVERITY_OFF) {
        return false;
    }
    if (log->muted) {
        report->folded += hidden ? 0 : 1;
        return false;
    }
    report->errors += severity == SIGNET_SEVERITY_ERROR ? 1 : 0;
    report->warnings += severity == SIGNET_SEVERITY_WARNING ? 1 : 0;
    report->notes += severity == SIGNET_SEVERITY_NOTE ? 1 : 0;
    if (hidden) {
        return false;
    }
    if (*d->emitted >= log->per_code_limit) {
        report->suppressed++;
        return false;
    }
    (*d->emitted)++;
    return true;
}

struct sg_diag *sg_diag_begin_own(struct sg_log *log, uint32_t code, const char *name,
                                  signet_severity severity, uint64_t *emitted,
                                  signet_location location) {
    struct sg_diag *d = &log->current;
    d->log = log;
    d->emitted = emitted;
    d->diag = (signet_diag){
        .size = sizeof(signet_diag),
        .code = (signet_code)code,
        .code_name = name,
        .severity = severity,
        .message = "",
        .location = location,
    };
    d->shown = may_show(d);
    return d;
}

struct sg_diag *sg_diag_begin(struct sg_log *log, signet_code code, signet_location location) {
    const signet_code_info *info = signet_code_get(code);
    if (info == NULL) { /* wrong use; nothing to say about it */
        return sg_diag_begin_own(log, SIGNET_CODE_NONE, "", SIGNET_SEVERITY_OFF,
                                 &log->emitted[SIGNET_CODE_NONE], location);
    }
    return sg_diag_begin_own(log, code, info->name, (signet_severity)log->severity[code],
                             &log->emitted[code], location);
}

/* A text of the finding; null when it is not wanted, or has no memory. */
static const char *diag_vtext(struct sg_diag *d, const char *format, va_list args)
    SIGNET_PRINTF(2, 0);

static const char *diag_vtext(struct sg_diag *d, const char *format, va_list args) {
    if (!d->shown) {
        return NULL;
    }
    const char *text = log_vtext(d->log, format, args);
    d->shown = text != NULL;
    return text;
}

void sg_diag_message(struct sg_diag *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = diag_vtext(d, format, args);
    va_end(args);
    d->diag.message = text != NULL ? text : "";
}

void sg_diag_fact(struct sg_diag *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = diag_vtext(d, format, args);
    va_end(args);
    if (text != NULL && d->diag.fact_count < SG_DIAG_LINES) {
        d->facts[d->diag.fact_count++] = text;
    }
}

void sg_diag_note(struct sg_diag *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = diag_vtext(d, format, args);
    va_end(args);
    if (text != NULL && d->diag.note_count < SG_DIAG_LINES) {
        d->notes[d->diag.note_count++] = text;
    }
}

void sg_diag_help(struct sg_diag *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    d->diag.help = diag_vtext(d, format, args);
    va_end(args);
}

void sg_diag_torch(struct sg_diag *d, const char *check) {
    d->diag.torch_check = check;
}

void sg_diag_known_as(struct sg_diag *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    d->diag.also_known_as = diag_vtext(d, format, args);
    va_end(args);
}

void sg_diag_label(struct sg_diag *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    d->diag.location.label = diag_vtext(d, format, args);
    va_end(args);
}

void sg_diag_related(struct sg_diag *d, signet_location location, const char *format, ...) {
    va_list args;
    va_start(args, format);
    location.label = diag_vtext(d, format, args);
    va_end(args);
    if (location.label != NULL && d->diag.related_count < SG_DIAG_RELATED) {
        d->related[d->diag.related_count++] = location;
    }
}

void sg_diag_end(struct sg_diag *d) {
    struct sg_log *log = d->log;
    if (log->torch_only && d->diag.severity != SIGNET_SEVERITY_OFF) {
        d->diag.severity =
            d->diag.torch_check != NULL ? SIGNET_SEVERITY_ERROR : SIGNET_SEVERITY_OFF;
    }
    if (counts(d) && d->shown) {
        d->diag.related = d->related;
        d->diag.facts = d->facts;
        d->diag.notes = d->notes;
        log->sink->emit(log->sink->user, &d->diag);
    }
    d->shown = false;
    sg_arena_reset(&log->arena);
}
