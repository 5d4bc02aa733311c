/* SPDX-License-Identifier: Apache-2.0 */
#include "lint.h"

#include <stdlib.h>
#include <string.h>

static void render(struct lint_job *job, const signet_diag *diag, struct text *t) {
    const struct lint_options *o = job->options;
    signet_writer writer = text_writer(t);
    signet_status status = SIGNET_OK;
    switch ((enum lint_format)o->format) {
    case LINT_FULL: {
        signet_render_options options = SIGNET_RENDER_OPTIONS_INIT;
        options.color = o->color;
        options.width = o->width;
        text_put(t, "\n");
        status = signet_render_full(diag, &options, &writer);
        break;
    }
    case LINT_JSON:
        text_put(t, ",\n");
        status = signet_render_json(diag, &writer);
        break;
    case LINT_SARIF:
        text_put(t, ",\n");
        status = signet_render_sarif(diag, &writer);
        break;
    case LINT_CONCISE:
        status = signet_render_concise(diag, &writer);
        text_put(t, "\n");
        break;
    case LINT_GITHUB:
        status = signet_render_github(diag, &writer);
        text_put(t, "\n");
        break;
    case LINT_JUNIT:
        status = signet_render_junit(diag, &writer);
        text_put(t, "\n");
        break;
    }
    if (status != SIGNET_OK) {
        trouble_add(&job->trouble, "%s: cannot show a finding: %s", source_name(job->path),
                    signet_status_text(status));
        job->status = status_worse(job->status, status_of(status));
    }
}

/* ---- Taking findings out --------------------------------------------------------------------- */

/* Is it as often in the baseline? */
static bool is_known(struct lint_job *job, const signet_diag *diag) {
    const struct baseline *b = &job->options->baseline;
    size_t row = b->count;
    if (b->count > 0) {
        row = baseline_find(b, source_name(job->path), signet_diag_fingerprint(diag));
    }
    return row < b->count && job->known_found[row]++ < b->rows[row].count;
}

static bool is_ignored(struct lint_job *job, const signet_diag *diag) {
    const struct config *c = &job->options->config;
    size_t i = config_find_ignore(c, diag, source_name(job->path));
    if (i < c->ignore_count) {
        job->ignore_used[i] = true;
    }
    return i < c->ignore_count;
}

/* Known, ignored, or written to a baseline: counted, not shown. */
static bool take_out(struct lint_job *job, const signet_diag *diag) {
    if (is_ignored(job, diag)) {
        job->ignored++;
        return true;
    }
    if (job->options->write_baseline != NULL) {
        baseline_add(&job->found, source_name(job->path), diag);
        return true;
    }
    if (is_known(job, diag)) {
        job->known++;
        return true;
    }
    return false;
}

static bool is_beyond_limit(struct lint_job *job, const signet_diag *diag) {
    return diag->code < SIGNET_CODE_COUNT &&
           job->of_code[diag->code] >= job->options->shown_per_code;
}

/* ---- Showing them ---------------------------------------------------------------------------- */

static void show(struct lint_job *job, const signet_diag *diag) {
    if (is_beyond_limit(job, diag)) {
        job->report.suppressed++;
        return;
    }
    render(job, diag, &job->findings);
    job->shown++;
    job->limit = job->limit || diag->code == SIGNET_CODE_CARRIER_LIMIT;
    if (diag->code < SIGNET_CODE_COUNT) {
        uint8_t *worst = &job->worst_of_code[diag->code];
        job->of_code[diag->code]++;
        *worst = diag->severity > *worst ? (uint8_t)diag->severity : *worst;
    }
}

/* Readers know nothing of the options; the verifier has applied them. */
static signet_severity severity_in_reading(const struct lint_options *o, const signet_diag *diag) {
    signet_severity severity =
        diag->code < SIGNET_CODE_COUNT ? (signet_severity)o->severity[diag->code] : diag->severity;
    if (o->verify.profile == SIGNET_PROFILE_TORCH && severity != SIGNET_SEVERITY_OFF) {
        return diag->torch_check != NULL ? SIGNET_SEVERITY_ERROR : SIGNET_SEVERITY_OFF;
    }
    return severity;
}

/* If it ends the reading it must be seen whatever takes it out. */
static void hold(struct lint_job *job, const signet_diag *diag) {
    if (job->held.length == 0 && diag->severity == SIGNET_SEVERITY_ERROR) {
        render(job, diag, &job->held);
    }
}

static void on_finding(void *user, const signet_diag *diag) {
    struct lint_job *job = user;
    if (!job->reading) {
        if (take_out(job, diag)) {
            job->taken_out[diag->severity]++;
        } else {
            show(job, diag);
        }
        return;
    }
    signet_diag changed = *diag;
    changed.severity = severity_in_reading(job->options, diag);
    if (changed.severity == SIGNET_SEVERITY_OFF) {
        hold(job, diag);
        return;
    }
    if (changed.severity == SIGNET_SEVERITY_NOTE && !job->options->verify.show_notes) {
        return;
    }
    if (take_out(job, &changed)) {
        hold(job, diag);
    } else {
        job->count[changed.severity]++;
        show(job, &changed);
    }
}

static void verify(struct lint_job *job, const signet_package *package, const signet_sink *sink) {
    signet_status status = signet_verify(package, &job->options->verify, sink, &job->report);
    if (status != SIGNET_OK) {
        trouble_add(&job->trouble, "%s: cannot verify: %s", source_name(job->path),
                    signet_status_text(status));
        job->status = status_worse(job->status, status_of(status));
    }
    job->count[SIGNET_SEVERITY_ERROR] += job->report.errors;
    job->count[SIGNET_SEVERITY_WARNING] += job->report.warnings;
    job->count[SIGNET_SEVERITY_NOTE] += job->options->verify.show_notes ? job->report.notes : 0;
    for (int s = SIGNET_SEVERITY_NOTE; s <= SIGNET_SEVERITY_ERROR; s++) {
        job->count[s] -= job->taken_out[s];
    }
    for (uint32_t i = 0; i < signet_program_count(package); i++) {
        signet_program program = signet_program_at(package, i);
        job->lossy = job->lossy || signet_program_is_lossy(package, program);
        job->stateless = job->stateless || !signet_program_has_state_tables(package, program);
    }
    job->carrier = signet_package_carrier(package);
}

/* Something is no program: a finding must say why, whatever the options hide. */
static void keep_held(struct lint_job *job) {
    if (job->shown == 0 && job->held.length > 0) {
        text_add(&job->findings, job->held.data, job->held.length);
        job->count[SIGNET_SEVERITY_ERROR]++;
        job->shown++;
    }
}

/* The exit status of this file; findings make it by the threshold alone. */
static enum status decide(const struct lint_job *job, enum status source) {
    const struct lint_options *o = job->options;
    enum status status = source == STATUS_FINDINGS ? STATUS_OK : source;
    for (int s = o->fail_on; s <= SIGNET_SEVERITY_ERROR; s++) {
        if (job->count[s] > 0) {
            status = status_worse(status, STATUS_FINDINGS);
        }
    }
    return job->limit ? status_worse(status, STATUS_LIMIT) : status;
}

void lint_job_run(struct lint_job *job) {
    signet_sink sink = {on_finding, job};
    struct source source = {0};
    job->report = (signet_report)SIGNET_REPORT_INIT;
    job->known_found = zeros(job->options->baseline.count, sizeof(*job->known_found));
    job->ignore_used = zeros(job->options->config.ignore_count, sizeof(*job->ignore_used));
    job->reading = true;
    source_read(&source, &job->options->source, job->path, job->base, &sink);
    job->reading = false;
    if (source.trouble.length > 0) {
        text_add(&job->trouble, source.trouble.data, source.trouble.length);
    }
    job->was_read = source.package != NULL && source.status != STATUS_USE;
    if (source.status == STATUS_FINDINGS) {
        keep_held(job);
        if (job->shown == 0) {
            trouble_add(&job->trouble, "%s: no finding says why it cannot be read",
                        source_name(job->path));
            source.status = STATUS_FAULT;
        }
    }
    if (job->was_read) {
        verify(job, source.package, &sink);
    }
    job->status = status_worse(job->status, decide(job, source.status));
    source_free(&source);
}

void lint_job_free(struct lint_job *job) {
    text_free(&job->findings);
    text_free(&job->held);
    text_free(&job->trouble);
    free(job->known_found);
    free(job->ignore_used);
    baseline_free(&job->found);
}
