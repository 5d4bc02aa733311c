/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_LINT_H
#define TOOLS_LINT_H

/* What the parts of `signet lint` share: cmd_lint.c reads the options and runs the jobs, lint_job.c
 * looks at one file, lint_report.c shows what came out. */

#include "baseline.h"
#include "config.h"
#include "source.h"

enum lint_format { LINT_FULL, LINT_JSON, LINT_CONCISE, LINT_SARIF, LINT_GITHUB, LINT_JUNIT };

struct lint_options {
    struct output_options output;
    struct source_options source;
    int format;  /* enum lint_format */
    int fail_on; /* the least severity that fails; SEVERITY_NEVER */
    signet_verify_options verify;
    signet_severity_rule *rules; /* of --select first, then the others as given */
    size_t rule_count;
    const char **selected;
    size_t selected_count;
    long jobs; /* 0: as many as there are processors */
    bool quiet, statistics;
    bool color;
    uint32_t width;
    uint8_t severity[SIGNET_CODE_COUNT]; /* what the options make of each code, for reading */
    const char *config_path;             /* null: searched for */
    bool isolated;
    struct config config;
    const char *baseline_path, *write_baseline;
    struct baseline baseline;
    uint64_t shown_per_code; /* the limit, which is raised for readers and verifier where findings
                                are taken out behind them */
};
enum { SEVERITY_NEVER = SIGNET_SEVERITY_ERROR + 1 };

/* The codes that a pattern names: "family.name", "family", "family.*", "all". */
bool lint_matches(const char *pattern, const char *code);
/* Does it name any? If not, a near one is added to the hint. */
bool lint_is_pattern(const char *pattern, struct text *hint);

/* One file. Filled by a worker, shown by the main thread. */
struct lint_job {
    const struct lint_options *options;
    const signet_package *base;
    const char *path;
    bool done;
    /* results */
    struct text findings; /* each led by an empty line; JSON: by a comma */
    struct text held;     /* the first finding that is switched off, while reading */
    struct text trouble;
    enum status status; /* with the findings */
    signet_carrier carrier;
    bool was_read, reading, lossy, stateless;
    bool limit;                                /* a limit was reached */
    uint64_t count[SIGNET_SEVERITY_ERROR + 1]; /* by severity, those that are not shown too */
    uint64_t shown;
    uint64_t of_code[SIGNET_CODE_COUNT]; /* shown */
    uint8_t worst_of_code[SIGNET_CODE_COUNT];
    signet_report report;
    /* findings that are taken out */
    uint64_t known, ignored;
    uint64_t taken_out[SIGNET_SEVERITY_ERROR + 1]; /* of the verifier's */
    uint64_t *known_found;                         /* by row of the baseline; null: none is read */
    bool *ignore_used;                             /* by ignore of the config */
    struct baseline found;                         /* for --write-baseline */
};
void lint_job_run(struct lint_job *job);
void lint_job_free(struct lint_job *job);

/* What comes out of all files. */
struct lint_total {
    const struct lint_options *options;
    uint64_t files, unread, with_findings;
    uint64_t count[SIGNET_SEVERITY_ERROR + 1];
    uint64_t shown, folded, suppressed, known, ignored;
    uint64_t of_code[SIGNET_CODE_COUNT];
    uint8_t worst_of_code[SIGNET_CODE_COUNT];
    uint32_t rules, not_checked, files_not_checked;
    bool lossy, stateless;
    const char *one_file; /* the one with findings */
    enum status status;
    struct text file_rows; /* JSON */
    uint64_t *known_found; /* as in the jobs */
    bool *ignore_used, *ignore_has_file;
    struct baseline found;
};
void lint_begin(struct lint_total *total, struct text *out);
void lint_add(struct lint_total *total, const struct lint_job *job, struct text *out);
void lint_end(struct lint_total *total, struct text *out);
/* Says on standard error which rows of the baseline and which ignores were of no use. */
void lint_say_unused(const struct lint_total *total);

#endif
