/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNET_VERIFY_H
#define SIGNET_VERIFY_H

/* The verifier: runs the rules of the catalogue over a package and reports every finding once. */

#include "signet/base.h"
#include "signet/diag.h"
#include "signet/ir.h"

SIGNET_BEGIN_DECLS

/** Which findings count. */
typedef enum signet_profile {
    SIGNET_PROFILE_DEFAULT = 0,
    SIGNET_PROFILE_STRICT, /**< warnings are errors */
    SIGNET_PROFILE_TORCH,  /**< only what PyTorch 2.13 refuses, as errors; includes what it refuses
                              by  mistake */
} signet_profile;

/** Overrides the severity of a code or of a family. */
typedef struct signet_severity_rule {
    const char *pattern; /**< "mutation.target-missing", "mutation", "mutation.*" or "all" */
    signet_severity severity;
} signet_severity_rule;

typedef struct signet_verify_options {
    size_t size;        /**< sizeof(signet_verify_options) */
    signet_stage stage; /**< DETECT: from each program */
    signet_profile profile;
    const signet_severity_rule *severities; /**< later rows win */
    size_t severity_count;
    bool show_notes; /**< report findings of severity note too */
} signet_verify_options;
#define SIGNET_VERIFY_OPTIONS_INIT                                                                 \
    { sizeof(signet_verify_options), SIGNET_STAGE_DETECT, SIGNET_PROFILE_DEFAULT, NULL, 0, false }

/** Counts. Calls add to it, so one report can sum a reader and the verifier. */
typedef struct signet_report {
    size_t size; /**< sizeof(signet_report) */
    uint64_t errors;
    uint64_t warnings;
    uint64_t notes;
    uint64_t suppressed;  /**< beyond the limit of findings per code: counted, not emitted */
    uint64_t folded;      /**< follow from an emitted finding: counted, not emitted */
    uint32_t rules;       /**< codes that were checked */
    uint32_t not_checked; /**< codes that could not be decided on some program of the package */
} signet_report;
#define SIGNET_REPORT_INIT                                                                         \
    { sizeof(signet_report), 0, 0, 0, 0, 0, 0, 0 }

/** Verifies every program of the package.
 *  @param options null: the defaults. @param sink null: only count. @param report may be null.
 *  @return SIGNET_OK also for a broken program; SIGNET_E_NOMEM, SIGNET_E_INVALID_ARG.
 *  Linear in the size of the package. Thread-safe: the package is only read. */
SIGNET_API signet_status signet_verify(const signet_package *package,
                                       const signet_verify_options *options,
                                       const signet_sink *sink, signet_report *report);

/** The stage that the verifier takes for a program when none is given: what the carrier claims,
 * else from its dialects and operators. */
SIGNET_API signet_stage signet_program_detect_stage(const signet_package *package,
                                                    signet_program program);

SIGNET_END_DECLS

#endif
