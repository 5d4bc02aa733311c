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

static void sum(struct lint_total *total, const struct lint_job *job) {
    total->files++;
    total->status = status_worse(total->status, job->status);
    for (int s = SIGNET_SEVERITY_NOTE; s <= SIGNET_SEVERITY_ERROR; s++) {
        total->count[s] += job->count[s];
    }
    total->shown += job->shown;
    total->folded += job->report.folded;
    total->suppressed += job->report.suppressed;
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

static void json_counts(struct text *t, const uint64_t *count, uint64_t folded,
                        uint64_t suppressed) {
    text_format(t,
                "\"errors\":%" PRIu64 ",\"warnings\":%" PRIu64 ",\"notes\":%" PRIu64
                ",\"folded\":%" PRIu64 ",\"suppressed\":%" PRIu64,
                count[SIGNET_SEVERITY_ERROR], count[SIGNET_SEVERITY_WARNING],
                count[SIGNET_SEVERITY_NOTE], folded, suppressed);
}

static void json_file(struct text *t, const struct lint_job *job) {
    text_put(t, t->length > 0 ? ",\n{\"file\":" : "\n{\"file\":");
    text_json(t, signet_str(source_name(job->path)));
    text_put(t, ",\"format\":");
    text_json(t, signet_str(signet_carrier_name(job->carrier)));
    text_format(t, ",\"read\":%s,", job->was_read ? "true" : "false");
    json_counts(t, job->count, job->report.folded, job->report.suppressed);
    text_format(t, ",\"rules\":%u,\"not_checked\":%u,\"status\":%d}", (unsigned)job->report.rules,
                (unsigned)job->report.not_checked, (int)job->status);
}

static void json_end(struct lint_total *total, struct text *out) {
    text_put(out, total->shown > 0 ? "\n],\n\"files\":[" : "],\n\"files\":[");
    text_put(out, total->file_rows.data);
    text_format(out, "\n],\n\"summary\":{\"files\":%" PRIu64 ",\"unread\":%" PRIu64 ",",
                total->files, total->unread);
    json_counts(out, total->count, total->folded, total->suppressed);
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
    if (findings_of(total->count) > 0) {
        sum_up_findings(total, out);
    } else {
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
