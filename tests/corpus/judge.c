/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_text(char *out, size_t capacity, const char *text) {
    size_t used = strlen(out);
    snprintf(out + used, capacity - used, "%s", text);
}

static void hear(void *user, const signet_diag *d) {
    struct judgement *j = user;
    if (d->severity == SIGNET_SEVERITY_ERROR) {
        j->errors++;
        add_text(j->codes, sizeof(j->codes), d->code_name);
        add_text(j->codes, sizeof(j->codes), " ");
    } else if (d->severity == SIGNET_SEVERITY_WARNING) {
        j->warnings++;
    } else {
        return;
    }
    char line[512];
    snprintf(line, sizeof(line), "  %s %s: %s\n", signet_severity_name(d->severity), d->code_name,
             d->message);
    add_text(j->text, sizeof(j->text), line);
}

/* PyTorch refuses a file for what its reader finds, too. */
static void hear_reader(void *user, const signet_diag *d) {
    struct judgement *j = user;
    j->torch_refuses |= d->torch_check != NULL && d->severity >= SIGNET_SEVERITY_WARNING;
    hear(user, d);
}

static void verify(const signet_package *package, struct judgement *out) {
    signet_verify_options options = SIGNET_VERIFY_OPTIONS_INIT;
    signet_sink sink = {hear, out};
    cr_assert_eq(signet_verify(package, &options, &sink, NULL), SIGNET_OK);
    signet_report report = SIGNET_REPORT_INIT;
    options.profile = SIGNET_PROFILE_TORCH;
    cr_assert_eq(signet_verify(package, &options, NULL, &report), SIGNET_OK);
    cr_assert_eq(report.warnings, 0, "PyTorch has no warnings");
    out->torch_refuses |= report.errors != 0;
}

static void finish(signet_package *package, const signet_package *base, struct judgement *out) {
    if (package == NULL) {
        cr_assert_gt(out->errors, 0, "refused without saying why");
        return;
    }
    if (base != NULL) {
        cr_assert_eq(signet_package_take_state(package, base), SIGNET_OK);
    }
    verify(package, out);
    signet_package_destroy(package);
}

static void start(struct judgement *out) {
    memset(out, 0, sizeof(*out));
    strcpy(out->codes, " ");
}

void judge_memory(const char *data, size_t size, const char *name, const signet_package *base,
                  struct judgement *out) {
    signet_package *package = NULL;
    signet_sink sink = {hear_reader, out};
    start(out);
    out->status = signet_read_memory(&package, data, size, name, NULL, &sink);
    finish(package, base, out);
}

void judge_file(const char *path, struct judgement *out) {
    signet_package *package = NULL;
    signet_sink sink = {hear_reader, out};
    start(out);
    out->status = signet_read_file(&package, path, NULL, &sink);
    finish(package, NULL, out);
}
