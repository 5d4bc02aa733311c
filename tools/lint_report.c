/* SPDX-License-Identifier: Apache-2.0 */
#include "lint.h"

#include <inttypes.h>
#include <string.h>

/* ---- Sums ------------------------------------------------------------------------------------ */

static void sum_codes(struct lint_total *total, const struct lint_job *job) {
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        total->of_code[code] += job->of_code[code];
        if (job->worst_of_code[code] > total->worst_of_code[code]) {
            total->worst_of_code[code] = job->worst_of_code[code];
        }
    }
}

static uint64_t findings_of(const uint64_t *count) {
    return count[SIGNET_SEVERITY_ERROR] + count[SIGNET_SEVERITY_WARNING] +
           count[SIGNET_SEVERITY_NOTE];
}

/* A file that is given twice has its rows of the baseline twice; the larger number counts. */
static void sum_taken_out(struct lint_total *total, const struct lint_job *job) {
    const struct lint_options *o = total->options;
    for (size_t i = 0; i < o->baseline.count; i++) {
        uint64_t found = job->known_found[i];
        if (strcmp(o->baseline.rows[i].file, source_name(job->path)) == 0 &&
            found + 1 > total->known_found[i]) {
            total->known_found[i] = found + 1; /* 0: the file was not looked at */
        }
    }
    for (size_t i = 0; i < o->config.ignore_count; i++) {
        total->ignore_used[i] = total->ignore_used[i] || job->ignore_used[i];
        total->ignore_has_file[i] =
            total->ignore_has_file[i] ||
            config_has_file(&o->config, &o->config.ignores[i], source_name(job->path));
    }
}

static void sum(struct lint_total *total, const struct lint_job *job) {
    total->files++;
    total->status = status_worse(total->status, job->status);
    for (int s = SIGNET_SEVERITY_NOTE; s <= SIGNET_SEVERITY_ERROR; s++) {
        total->count[s] += job->count[s];
    }
    total->shown += job->shown;
    total->folded += job->report.folded;
    total->suppressed += job->report.suppressed;
    total->known += job->known;
    total->ignored += job->ignored;
    sum_taken_out(total, job);
    sum_codes(total, job);
    if (findings_of(job->count) > 0) {
        total->with_findings++;
        total->one_file = job->path;
    } else if (!job->was_read) {
        total->unread++;
    }
    if (job->report.rules > total->rules) {
        total->rules = job->report.rules;
    }
    if (job->report.not_checked > 0) {
        total->files_not_checked++;
        total->lossy = total->lossy || job->lossy;
        total->stateless = total->stateless || (job->stateless && !job->lossy);
        if (job->report.not_checked > total->not_checked) {
            total->not_checked = job->report.not_checked;
        }
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_counts(struct text *t, const uint64_t *count, uint64_t folded, uint64_t suppressed,
                        uint64_t known, uint64_t ignored) {
    text_format(t,
                "\"errors\":%" PRIu64 ",\"warnings\":%" PRIu64 ",\"notes\":%" PRIu64
                ",\"folded\":%" PRIu64 ",\"suppressed\":%" PRIu64 ",\"known\":%" PRIu64
                ",\"ignored\":%" PRIu64,
                count[SIGNET_SEVERITY_ERROR], count[SIGNET_SEVERITY_WARNING],
                count[SIGNET_SEVERITY_NOTE], folded, suppressed, known, ignored);
}

static void json_file(struct text *t, const struct lint_job *job) {
    text_put(t, t->length > 0 ? ",\n{\"file\":" : "\n{\"file\":");
    text_json(t, signet_str(source_name(job->path)));
    text_put(t, ",\"format\":");
    text_json(t, signet_str(signet_carrier_name(job->carrier)));
    text_format(t, ",\"read\":%s,", job->was_read ? "true" : "false");
    json_counts(t, job->count, job->report.folded, job->report.suppressed, job->known,
                job->ignored);
    text_format(t, ",\"rules\":%u,\"not_checked\":%u,\"status\":%d}", (unsigned)job->report.rules,
                (unsigned)job->report.not_checked, (int)job->status);
}

static void json_end(struct lint_total *total, struct text *out) {
    text_put(out, total->shown > 0 ? "\n],\n\"files\":[" : "],\n\"files\":[");
    text_put(out, total->file_rows.data);
    text_format(out, "\n],\n\"summary\":{\"files\":%" PRIu64 ",\"unread\":%" PRIu64 ",",
                total->files, total->unread);
    json_counts(out, total->count, total->folded, total->suppressed, total->known, total->ignored);
    text_put(out, ",\"codes\":{");
    const char *comma = "";
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        if (total->of_code[code] > 0) {
            text_format(out, "%s\"%s\":%" PRIu64, comma, signet_code_get((signet_code)code)->name,
                        total->of_code[code]);
            comma = ",";
        }
    }
    text_format(out, "},\"status\":%d}}\n", (int)total->status);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void add_count(struct text *t, const char *before, uint64_t number, const char *one) {
    text_format(t, "%s%" PRIu64 " %s%s", before, number, one, number == 1 ? "" : "s");
}

static void add_counts(struct text *t, const struct lint_total *total) {
    const char *between = "";
    for (int s = SIGNET_SEVERITY_ERROR; s >= SIGNET_SEVERITY_NOTE; s--) {
        if (total->count[s] > 0) {
            add_count(t, between, total->count[s], signet_severity_name((signet_severity)s));
            between = ", ";
        }
    }
}

/* The code to explain: the first of the worst severity. */
static const char *first_code(const struct lint_total *total) {
    int best = 0;
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        if (total->worst_of_code[code] > (best > 0 ? total->worst_of_code[best] : 0)) {
            best = code;
        }
    }
    return best > 0 ? signet_code_get((signet_code)best)->name : NULL;
}

static void add_taken_out(const struct lint_total *total, struct text *out) {
    if (total->known > 0) {
        text_format(out, ", %" PRIu64 " known", total->known);
    }
    if (total->ignored > 0) {
        text_format(out, ", %" PRIu64 " ignored", total->ignored);
    }
}

static void sum_up_findings(const struct lint_total *total, struct text *out) {
    uint64_t all = findings_of(total->count);
    add_counts(out, total);
    text_put(out, " in ");
    if (total->files == 1) {
        text_escaped(out, signet_str(source_name(total->one_file)));
    } else {
        text_format(out, "%" PRIu64 " of %" PRIu64 " files", total->with_findings, total->files);
    }
    if (total->folded > 0) {
        text_format(out, " (%" PRIu64 " more follow from %s)", total->folded,
                    all == 1 ? "it" : "them");
    }
    if (total->suppressed > 0) {
        text_format(out, " (%" PRIu64 " of them not shown)", total->suppressed);
    }
    add_taken_out(total, out);
    if (total->unread > 0) {
        text_format(out, ", %" PRIu64 " not read", total->unread);
    }
    const char *code = first_code(total);
    if (code != NULL) {
        text_format(out, "; explain %s with: signet explain %s", all == 1 ? "it" : "one", code);
    }
    text_put(out, "\n");
}

static void sum_up_clean(const struct lint_total *total, struct text *out) {
    uint64_t read = total->files - total->unread;
    if (read == 0) {
        return; /* nothing was decided, and trouble has said why */
    }
    text_put(out, total->unread == 0 ? "ok: " : "");
    add_count(out, "", read, "file");
    text_put(out, ", 0 errors, 0 warnings");
    add_taken_out(total, out);
    if (total->unread > 0) {
        text_format(out, ", %" PRIu64 " not read", total->unread);
    }
    add_count(out, "; ", total->rules, "rule");
    if (total->not_checked > 0) {
        text_format(out, ", %s%u not checked", total->files_not_checked > 1 ? "up to " : "",
                    (unsigned)total->not_checked);
        if (total->files > 1 && total->files_not_checked < read) {
            text_format(out, " in %u of them", (unsigned)total->files_not_checked);
        }
        text_format(out, " (%s%s%s)", total->lossy ? "printed text" : "",
                    total->lossy && total->stateless ? ", " : "",
                    total->stateless ? "no state tables: see --with" : "");
    }
    text_put(out, "\n");
}

static void add_statistics(const struct lint_total *total, struct text *out) {
    bool done[SIGNET_CODE_COUNT] = {false};
    text_put(out, total->shown > 0 ? "\n" : "");
    for (;;) { /* the most frequent first, then by place in the catalogue */
        int best = 0;
        for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
            if (!done[code] && total->of_code[code] > total->of_code[best]) {
                best = code;
            }
        }
        if (best == 0) {
            return;
        }
        done[best] = true;
        const signet_code_info *info = signet_code_get((signet_code)best);
        text_format(out, "%6" PRIu64 "  %-7s  %s: %s\n", total->of_code[best],
                    signet_severity_name((signet_severity)total->worst_of_code[best]), info->name,
                    info->title);
    }
}

/* ---- SARIF, JUnit ---------------------------------------------------------------------------- */

static void sarif_envelope(struct text *out, signet_status (*part)(const signet_writer *writer)) {
    signet_writer writer = text_writer(out);
    (void)part(&writer); /* a text takes everything */
}

/* A file is a suite, its findings are the tests that failed; a file without any passes one. */
static void junit_file(struct text *t, const struct lint_job *job) {
    uint64_t failed = job->shown + (job->trouble.length > 0 && job->shown == 0);
    text_put(t, "<testsuite name=");
    text_xml(t, source_name(job->path));
    text_format(t, " tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"%d\">\n",
                failed > 0 ? failed : 1, job->shown, failed > job->shown);
    if (failed > job->shown) {
        struct text why = {0};
        text_add(&why, job->trouble.data, strcspn(job->trouble.data, "\n"));
        text_put(t, "<testcase name=\"read\" classname=\"signet\"><error message=");
        text_xml(t, why.data);
        text_put(t, "/></testcase>\n");
        text_free(&why);
    } else if (failed == 0) {
        text_put(t, "<testcase name=\"verify\" classname=\"signet\"/>\n");
    }
    text_add(t, job->findings.data, job->findings.length);
    text_put(t, "</testsuite>\n");
}

/* ---- What was of no use ---------------------------------------------------------------------- */

void lint_say_unused(const struct lint_total *total) {
    const struct lint_options *o = total->options;
    uint64_t rows = 0;
    for (size_t i = 0; i < o->baseline.count; i++) {
        uint64_t found = total->known_found[i];
        rows += found > 0 && found - 1 < o->baseline.rows[i].count ? 1 : 0;
    }
    if (rows > 0) {
        trouble("note: %" PRIu64 " finding%s of %s %s gone; --write-baseline %s makes it anew",
                rows, rows == 1 ? "" : "s", o->baseline_path, rows == 1 ? "is" : "are",
                o->baseline_path);
    }
    for (size_t i = 0; i < o->config.ignore_count; i++) {
        const struct ignore *ignore = &o->config.ignores[i];
        if (!total->ignore_used[i] && total->ignore_has_file[i]) {
            trouble("note: %s:%u: this ignore of '%s' has nothing to ignore; take it out",
                    o->config.path, (unsigned)ignore->line, ignore->code);
        }
    }
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* Is a finding led by what parts it from the one before? */
static bool leads(int format) {
    return format == LINT_FULL || format == LINT_JSON || format == LINT_SARIF;
}

void lint_begin(struct lint_total *total, struct text *out) {
    switch ((enum lint_format)total->options->format) {
    case LINT_JSON:
        text_format(out, "{\"signet\":\"%s\",\n\"findings\":[", signet_version());
        break;
    case LINT_SARIF:
        sarif_envelope(out, signet_render_sarif_head);
        break;
    case LINT_JUNIT:
        text_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"signet\">\n");
        break;
    case LINT_FULL:
    case LINT_CONCISE:
    case LINT_GITHUB:
        break;
    }
}

void lint_add(struct lint_total *total, const struct lint_job *job, struct text *out) {
    const char *findings = job->findings.data;
    size_t length = job->findings.length;
    if (total->options->format == LINT_JSON) {
        json_file(&total->file_rows, job);
    }
    if (total->shown == 0 && length > 0 && leads(total->options->format)) {
        findings++; /* nothing parts the first from what is before it */
        length--;
    }
    sum(total, job);
    if (total->options->format == LINT_JUNIT) {
        junit_file(out, job);
    } else {
        text_add(out, findings, length);
    }
}

static void end_text(struct lint_total *total, struct text *out) {
    if (total->options->statistics) {
        add_statistics(total, out);
    }
    if (total->options->quiet) {
        return;
    }
    text_put(out, total->shown > 0 && total->options->format == LINT_FULL ? "\n" : "");
    if (total->options->write_baseline != NULL) {
        add_count(out, "", total->found.count, "finding");
        text_put(out, " for ");
        text_escaped(out, signet_str(total->options->write_baseline));
        text_put(out, "\n");
    }
    if (findings_of(total->count) > 0) {
        sum_up_findings(total, out);
    } else if (total->options->write_baseline == NULL) {
        sum_up_clean(total, out);
    }
}

void lint_end(struct lint_total *total, struct text *out) {
    switch ((enum lint_format)total->options->format) {
    case LINT_JSON:
        json_end(total, out);
        break;
    case LINT_SARIF:
        sarif_envelope(out, signet_render_sarif_tail);
        break;
    case LINT_JUNIT:
        text_put(out, "</testsuites>\n");
        break;
    case LINT_FULL:
    case LINT_CONCISE:
        end_text(total, out);
        break;
    case LINT_GITHUB: /* every line there is a command */
        break;
    }
}
