/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/allocator.h"

/* What the sink saw; texts are copied because they end with the finding. */
struct seen {
    uint32_t count;
    signet_diag last;
    char message[400], help[100], label[100];
    char facts[8][100], notes[8][100], related[8][100];
};

static void copy(char *to, size_t size, const char *from) {
    (void)snprintf(to, size, "%s", from != NULL ? from : "(none)");
}

static void on_finding(void *user, const signet_diag *d) {
    struct seen *seen = user;
    seen->count++;
    seen->last = *d;
    copy(seen->message, sizeof(seen->message), d->message);
    copy(seen->help, sizeof(seen->help), d->help);
    copy(seen->label, sizeof(seen->label), d->location.label);
    for (size_t i = 0; i < d->fact_count; i++) {
        copy(seen->facts[i], sizeof(seen->facts[i]), d->facts[i]);
    }
    for (size_t i = 0; i < d->note_count; i++) {
        copy(seen->notes[i], sizeof(seen->notes[i]), d->notes[i]);
    }
    for (size_t i = 0; i < d->related_count; i++) {
        copy(seen->related[i], sizeof(seen->related[i]), d->related[i].label);
    }
}

struct fixture {
    struct seen seen;
    signet_sink sink;
    signet_report report;
    struct sg_log log;
};

static void setup(struct fixture *f, uint64_t limit) {
    memset(f, 0, sizeof(*f));
    f->sink = (signet_sink){on_finding, &f->seen};
    f->report = (signet_report)SIGNET_REPORT_INIT;
    sg_log_init(&f->log, &sg_default_allocator, &f->sink, &f->report, limit);
}

static void emit(struct sg_log *log, signet_code code) {
    signet_location nowhere = {0};
    struct sg_diag *d = sg_diag_begin(log, code, nowhere);
    sg_diag_message(d, "message %d", (int)code);
    sg_diag_end(d);
}

#define AN_ERROR SIGNET_CODE_MUTATION_TARGET_MISSING
#define A_WARNING SIGNET_CODE_MUTATION_NO_OP
#define A_NOTE SIGNET_CODE_GRAPH_DEAD_NODE

Test(diag, carries_every_part) {
    struct fixture f;
    setup(&f, 10);
    signet_location where = {.file = "a.txt", .line = 3};
    struct sg_diag *d = sg_diag_begin(&f.log, AN_ERROR, where);
    cr_assert(sg_diag_is_shown(d));
    sg_diag_message(d, "output %d updates buffer '%s'", 0, "b");
    sg_diag_fact(d, "fact %d", 1);
    sg_diag_fact(d, "fact %d", 2);
    sg_diag_note(d, "note %s", "x");
    sg_diag_help(d, "do %s", "it");
    sg_diag_torch(d, "S-MBUF");
    sg_diag_known_as(d, "SpecViolationError %d", 5);
    sg_diag_label(d, "no such %s", "buffer");
    sg_diag_related(d, where, "here %d", 9);
    sg_diag_end(d);
    cr_assert_eq(f.seen.count, 1);
    cr_assert_eq(f.seen.last.size, sizeof(signet_diag));
    cr_assert_eq(f.seen.last.code, AN_ERROR);
    cr_assert_str_eq(f.seen.last.code_name, "mutation.target-missing");
    cr_assert_eq(f.seen.last.severity, SIGNET_SEVERITY_ERROR);
    cr_assert_str_eq(f.seen.message, "output 0 updates buffer 'b'");
    cr_assert_str_eq(f.seen.last.location.file, "a.txt");
    cr_assert_eq(f.seen.last.fact_count, 2);
    cr_assert_str_eq(f.seen.facts[1], "fact 2");
    cr_assert_str_eq(f.seen.notes[0], "note x");
    cr_assert_str_eq(f.seen.help, "do it");
    cr_assert_str_eq(f.seen.last.torch_check, "S-MBUF");
    cr_assert_str_eq(f.seen.label, "no such buffer");
    cr_assert_eq(f.seen.last.related_count, 1);
    cr_assert_str_eq(f.seen.related[0], "here 9");
    cr_assert_eq(f.report.errors, 1);
    cr_assert_eq(f.log.status, SIGNET_OK);
    sg_log_free(&f.log);
}

Test(diag, more_lines_than_fit_are_left_out) {
    struct fixture f;
    setup(&f, 10);
    signet_location nowhere = {0};
    struct sg_diag *d = sg_diag_begin(&f.log, AN_ERROR, nowhere);
    for (int i = 0; i < 20; i++) {
        sg_diag_fact(d, "fact %d", i);
        sg_diag_note(d, "note %d", i);
        sg_diag_related(d, nowhere, "place %d", i);
    }
    sg_diag_end(d);
    cr_assert_eq(f.seen.last.fact_count, SG_DIAG_LINES);
    cr_assert_eq(f.seen.last.note_count, SG_DIAG_LINES);
    cr_assert_eq(f.seen.last.related_count, SG_DIAG_RELATED);
    cr_assert_str_eq(f.seen.facts[7], "fact 7");
    emit(&f.log, AN_ERROR); /* the next one starts empty */
    cr_assert_eq(f.seen.last.fact_count, 0);
    cr_assert_eq(f.seen.last.related_count, 0);
    cr_assert_null(f.seen.last.help);
    sg_log_free(&f.log);
}

Test(diag, counts_by_severity_and_caps_per_code) {
    struct fixture f;
    setup(&f, 3);
    for (int i = 0; i < 10; i++) {
        emit(&f.log, AN_ERROR);
    }
    emit(&f.log, A_WARNING);
    emit(&f.log, A_NOTE);
    cr_assert_eq(f.seen.count, 4);
    cr_assert_eq(f.report.errors, 10);
    cr_assert_eq(f.report.suppressed, 7);
    cr_assert_eq(f.report.warnings, 1);
    cr_assert_eq(f.report.notes, 1);
    f.log.show_notes = true;
    emit(&f.log, A_NOTE);
    cr_assert_eq(f.seen.count, 5);
    cr_assert_eq(f.report.notes, 2);
    sg_log_free(&f.log);
}

Test(diag, muted_findings_are_folded) {
    struct fixture f;
    setup(&f, 10);
    f.log.muted = true;
    emit(&f.log, AN_ERROR);
    emit(&f.log, A_WARNING);
    emit(&f.log, A_NOTE); /* would not be shown anyway */
    cr_assert_eq(f.seen.count, 0);
    cr_assert_eq(f.report.folded, 2);
    cr_assert_eq(f.report.errors + f.report.warnings + f.report.notes, 0);
    f.log.muted = false;
    emit(&f.log, AN_ERROR);
    cr_assert_eq(f.seen.count, 1);
    sg_log_free(&f.log);
}

Test(diag, a_finding_that_is_not_shown_makes_no_texts) {
    struct fixture f;
    setup(&f, 0);
    struct test_allocator t;
    test_allocator_init(&t);
    f.log.allocator = &t.allocator;
    sg_arena_init(&f.log.arena, &t.allocator);
    signet_location nowhere = {0};
    struct sg_diag *d = sg_diag_begin(&f.log, AN_ERROR, nowhere);
    cr_assert(!sg_diag_is_shown(d));
    sg_diag_message(d, "%s", "text");
    sg_diag_fact(d, "%s", "text");
    sg_diag_end(d);
    cr_assert_eq(t.calls, 0);
    cr_assert_eq(f.report.suppressed, 1);
    sg_log_free(&f.log);
}

Test(diag, severities_by_code_family_and_all) {
    struct fixture f;
    setup(&f, 10);
    cr_assert(sg_log_set_severity(&f.log, "all", SIGNET_SEVERITY_OFF));
    emit(&f.log, AN_ERROR);
    cr_assert_eq(f.report.errors, 0);
    cr_assert(sg_log_set_severity(&f.log, "mutation", SIGNET_SEVERITY_WARNING));
    emit(&f.log, AN_ERROR);
    emit(&f.log, A_NOTE);
    cr_assert_eq(f.report.warnings, 1);
    cr_assert_eq(f.seen.last.severity, SIGNET_SEVERITY_WARNING);
    cr_assert(sg_log_set_severity(&f.log, "graph.*", SIGNET_SEVERITY_ERROR));
    emit(&f.log, A_NOTE);
    cr_assert_eq(f.report.errors, 1);
    cr_assert(sg_log_set_severity(&f.log, "mutation.target-missing", SIGNET_SEVERITY_ERROR));
    emit(&f.log, AN_ERROR);
    emit(&f.log, A_WARNING);
    cr_assert_eq(f.report.errors, 2);
    cr_assert_eq(f.report.warnings, 2);
    static const char *const none[] = {"", "mutatio", "mutation.", "mutation.no", "nothing", "*"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        cr_assert(!sg_log_set_severity(&f.log, none[i], SIGNET_SEVERITY_OFF), "%s", none[i]);
    }
    sg_log_free(&f.log);
}

Test(diag, needs_neither_sink_nor_report) {
    struct sg_log log;
    signet_sink empty = {NULL, NULL};
    const signet_sink *sinks[] = {NULL, &empty};
    for (int i = 0; i < 2; i++) {
        sg_log_init(&log, &sg_default_allocator, sinks[i], NULL, 10);
        emit(&log, AN_ERROR);
        emit(&log, SIGNET_CODE_USER);
        cr_assert_eq(log.status, SIGNET_OK);
        sg_log_free(&log);
    }
}

Test(diag, names_are_escaped_and_bounded) {
    struct fixture f;
    setup(&f, 10);
    cr_assert_str_eq(sg_log_name(&f.log, signet_str(NULL)), "");
    cr_assert_str_eq(sg_log_name(&f.log, signet_str("")), "");
    cr_assert_str_eq(sg_log_name(&f.log, signet_str("it's\x1b[0m")), "it\\'s\\x1b[0m");
    char longer[1000];
    memset(longer, 'a', sizeof(longer));
    static const char euro[3] = {'\xe2', '\x82', '\xac'};
    memcpy(longer + 198, euro, sizeof(euro)); /* would be cut in the middle */
    const char *name = sg_log_name(&f.log, (signet_string){longer, sizeof(longer)});
    cr_assert_eq(strlen(name), 198 + 3);
    cr_assert_str_eq(name + 196, "aa...");
    const char *text = sg_log_text(&f.log, "%d %s", 5, name);
    cr_assert_eq(strlen(text), 2 + 198 + 3);
    sg_log_free(&f.log);
}

static signet_status diag_body(const signet_allocator *a, void *user) {
    (void)user;
    struct fixture f;
    memset(&f, 0, sizeof(f));
    f.sink = (signet_sink){on_finding, &f.seen};
    sg_log_init(&f.log, a, &f.sink, &f.report, 10);
    char longer[3000];
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    for (uint32_t i = 1; i <= 4; i++) {
        signet_location where = {.file = sg_log_text(&f.log, "file %s", longer)};
        cr_assert_not_null(where.file);
        struct sg_diag *d = sg_diag_begin(&f.log, AN_ERROR, where);
        sg_diag_message(d, "about '%s'", sg_log_name(&f.log, signet_str(longer)));
        sg_diag_fact(d, "%s", longer);
        sg_diag_note(d, "%s", longer);
        sg_diag_help(d, "%s", longer);
        sg_diag_related(d, where, "%s", longer);
        sg_diag_end(d);
    }
    cr_assert_leq(f.seen.count, 4);
    cr_assert(f.seen.count < 4 || f.log.status == SIGNET_OK || strcmp(f.seen.help, "") != 0);
    signet_status status = f.log.status;
    sg_log_free(&f.log);
    return status;
}

Test(diag, survives_every_failure) {
    cr_assert_gt(test_each_failure(diag_body, NULL), 5);
}
