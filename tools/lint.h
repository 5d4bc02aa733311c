/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_LINT_H
#define TOOLS_LINT_H

/* What the parts of `signet lint` share: cmd_lint.c reads the options and runs the jobs, lint_job.c
 * looks at one file, lint_report.c shows what came out. */

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
};
enum { SEVERITY_NEVER = SIGNET_SEVERITY_ERROR + 1 };

/* The codes that a pattern names: "family.name", "family", "family.*", "all". */
bool lint_matches(const char *pattern, const char *code);

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
};
void lint_job_run(struct lint_job *job);
void lint_job_free(struct lint_job *job);

/* What comes out of all files. */
struct lint_total {
    const struct lint_options *options;
    uint64_t files, unread, with_findings;
    uint64_t count[SIGNET_SEVERITY_ERROR + 1];
    uint64_t shown, folded, suppressed;
    uint64_t of_code[SIGNET_CODE_COUNT];
    uint8_t worst_of_code[SIGNET_CODE_COUNT];
    uint32_t rules, not_checked, files_not_checked;
    bool lossy, stateless;
    const char *one_file; /* the one with findings */
    enum status status;
    struct text file_rows; /* JSON */
};
void lint_begin(struct lint_total *total, struct text *out);
void lint_add(struct lint_total *total, const struct lint_job *job, struct text *out);
void lint_end(struct lint_total *total, struct text *out);

#endif
