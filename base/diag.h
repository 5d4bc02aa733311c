/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_BASE_DIAG_H
#define SG_BASE_DIAG_H

/*
 * Building findings. A finding is filled piece by piece; its texts live in the log's arena until it
 * is emitted. Usage:
 *
 *     struct sg_diag *d = sg_diag_begin(log, SIGNET_CODE_GRAPH_GETITEM_RANGE, location);
 *     sg_diag_message(d, "item %u of '%s', which has %u results", ...);
 *     sg_diag_help(d, "...");
 *     sg_diag_end(d);
 *
 * sg_diag_begin never returns null. A finding that is not shown (switched off, muted, beyond the
 * limit of its code) costs nothing but a count: its texts are not made, and sg_diag_is_shown lets a
 * rule leave out what is costly. Without memory for its texts a finding is not emitted, and the
 * log's status says so. More related places, facts or notes than fit are left out.
 *
 * The location is made first, in the same arena, so the arena is emptied by sg_diag_end: no text
 * outlives the finding.
 */

#include "base/alloc.h"
#include "base/text.h"
#include "signet/diag.h"
#include "signet/verify.h"

#define SG_DIAG_RELATED 8
#define SG_DIAG_LINES 8

struct sg_log;

struct sg_diag {
    struct sg_log *log;
    signet_diag diag;
    signet_location related[SG_DIAG_RELATED];
    const char *facts[SG_DIAG_LINES];
    const char *notes[SG_DIAG_LINES];
    bool shown;        /* will be emitted, so its texts are wanted */
    uint64_t *emitted; /* count of its code */
};

/* Where findings of one run go: counts, limits per code, severities, then the sink. The report's
 * errors, warnings and notes count what is suppressed or hidden too, but not what is folded. */
struct sg_log {
    const signet_allocator *allocator;
    const signet_sink *sink; /* may be null */
    signet_report *report;   /* may be null */
    uint64_t per_code_limit;
    struct sg_arena arena;  /* texts of the finding that is being built */
    struct sg_text scratch; /* a text before it moves into the arena */
    struct sg_diag current;
    signet_status status; /* first failure */
    bool show_notes;
    bool torch_only; /* drop findings without a check of PyTorch, make the others errors */
    bool muted;      /* findings follow from another one: count them as folded, do not emit */
    uint8_t severity[SIGNET_CODE_COUNT]; /* signet_severity per code */
    uint64_t emitted[SIGNET_CODE_COUNT];
};

void sg_log_init(struct sg_log *log, const signet_allocator *a, const signet_sink *sink,
                 signet_report *report, uint64_t per_code_limit);
void sg_log_free(struct sg_log *log);
/* Sets the severity of every code that matches the pattern (a code, a family "mutation" or
 * "mutation.*", or "all"); false when none does. */
bool sg_log_set_severity(struct sg_log *log, const char *pattern, signet_severity severity);
/* Does "all", a family ("mutation", "mutation.*") or a code's name match the code? */
bool sg_code_matches(const char *pattern, const char *name);

struct sg_diag *sg_diag_begin(struct sg_log *log, signet_code code, signet_location location);
static inline bool sg_diag_is_shown(const struct sg_diag *d) {
    return d->shown;
}
/* The same for a code that is not of the catalogue; *emitted counts its findings. */
struct sg_diag *sg_diag_begin_own(struct sg_log *log, uint32_t code, const char *name,
                                  signet_severity severity, uint64_t *emitted,
                                  signet_location location);
void sg_diag_message(struct sg_diag *d, const char *format, ...) SIGNET_PRINTF(2, 3);
/* "new value: ..." */
void sg_diag_fact(struct sg_diag *d, const char *format, ...) SIGNET_PRINTF(2, 3);
void sg_diag_note(struct sg_diag *d, const char *format, ...) SIGNET_PRINTF(2, 3);
void sg_diag_help(struct sg_diag *d, const char *format, ...) SIGNET_PRINTF(2, 3);
/* PyTorch's check that refuses the same (a literal such as "S-MBUF"). */
void sg_diag_torch(struct sg_diag *d, const char *check);
/* PyTorch's own words. */
void sg_diag_known_as(struct sg_diag *d, const char *format, ...) SIGNET_PRINTF(2, 3);
void sg_diag_label(struct sg_diag *d, const char *format, ...) SIGNET_PRINTF(2, 3);
void sg_diag_related(struct sg_diag *d, signet_location location, const char *format, ...)
    SIGNET_PRINTF(3, 4);
/* Emits the finding, or only counts it. */
void sg_diag_end(struct sg_diag *d);

/* A text of the log's arena; never null ("" without memory). Lives until the finding ends. */
const char *sg_log_text(struct sg_log *log, const char *format, ...) SIGNET_PRINTF(2, 3);
/* A NUL-terminated, escaped copy of a name of the file, at most about 200 bytes of it; "" when the
 * string is absent. */
const char *sg_log_name(struct sg_log *log, signet_string name);

#endif
