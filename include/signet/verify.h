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

/* ---- Rules of an embedder's own -------------------------------------------------------------- */

/** What a rule is called for. */
typedef enum signet_rule_scope {
    SIGNET_SCOPE_PROGRAM = 1, /**< each program */
    SIGNET_SCOPE_INPUT,       /**< each input spec */
    SIGNET_SCOPE_OUTPUT,      /**< each output spec */
    SIGNET_SCOPE_GRAPH,       /**< each graph, subgraphs included */
    SIGNET_SCOPE_VALUE,       /**< each value */
    SIGNET_SCOPE_NODE,        /**< each node, in execution order */
    SIGNET_SCOPE_STATE,       /**< each entry of the state tables */
} signet_rule_scope;

/** The thing a rule is called for; members that do not belong to the scope are null. */
typedef struct signet_subject {
    size_t size; /**< sizeof(signet_subject) */
    signet_rule_scope scope;
    signet_program program;
    signet_graph graph;
    signet_node node;
    signet_value value;
    uint32_t index;     /**< of the spec or state */
    signet_stage stage; /**< that the program is verified as */
} signet_subject;

/** The verifier while it runs a rule. Opaque; valid only during the call of the rule. */
typedef struct signet_rule_run signet_rule_run;

/** A rule, registered by handing it to a verify call (signet_verify_options): it runs in the same
 * walk, after the built-in rules of its scope, and its findings go through the same counts, limits,
 *  severities and sink. */
typedef struct signet_rule {
    size_t size;      /**< sizeof(signet_rule) */
    const char *name; /**< with a prefix of the embedder's own: "acme.no-float64" */
    signet_severity severity;
    signet_rule_scope scope;
    /** Looks at one thing; may read the package, and report. Must not keep @p run. */
    void (*check)(signet_rule_run *run, const signet_package *package,
                  const signet_subject *subject, void *user);
    void *user;
} signet_rule;
#define SIGNET_RULE_INIT                                                                           \
    { sizeof(signet_rule), NULL, SIGNET_SEVERITY_ERROR, SIGNET_SCOPE_NODE, NULL, NULL }

/** Reports a finding of the rule that is running, at @p subject. Texts are copied. @param message
 * one line, starts lower case. @param help one action, or null. */
SIGNET_API void signet_rule_report(signet_rule_run *run, const signet_subject *subject,
                                   const char *message, const char *help);

/* ---- Verifying ------------------------------------------------------------------------------- */

typedef struct signet_verify_options {
    size_t size;        /**< sizeof(signet_verify_options) */
    signet_stage stage; /**< DETECT: from each program */
    signet_profile profile;
    const signet_severity_rule *severities; /**< later rows win */
    size_t severity_count;
    bool show_notes;          /**< report findings of severity note too */
    const signet_rule *rules; /**< the embedder's own; a rule's code is SIGNET_CODE_USER + index */
    size_t rule_count;
} signet_verify_options;
#define SIGNET_VERIFY_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(signet_verify_options), SIGNET_STAGE_DETECT, SIGNET_PROFILE_DEFAULT, NULL, 0,       \
            false, NULL, 0                                                                         \
    }

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
