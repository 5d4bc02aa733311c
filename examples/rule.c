/* SPDX-License-Identifier: Apache-2.0 */
/* Verifies a program by the built-in rules and by one of its own: no float64 on the device. */
#include <signet/signet.h>

#include <stdio.h>

static void no_float64(signet_rule_run *run, const signet_package *package,
                       const signet_subject *subject, void *user) {
    signet_type_info type = SIGNET_TYPE_INFO_INIT;
    (void)user;
    signet_type_get(package, signet_value_type(package, subject->value), &type);
    if (type.dtype == SIGNET_DTYPE_F64) {
        signet_rule_report(run, subject, "a float64 value, which the device computes in software",
                           "convert the model to float32 before exporting it");
    }
}

static bool print(void *user, const char *text, size_t length) {
    return fwrite(text, 1, length, (FILE *)user) == length;
}

static void on_finding(void *user, const signet_diag *diag) {
    signet_writer writer = {print, user};
    (void)signet_render_full(diag, NULL, &writer);
}

int main(int argc, char **argv) {
    signet_sink sink = {on_finding, stdout};
    signet_report report = SIGNET_REPORT_INIT;
    signet_rule rule = SIGNET_RULE_INIT;
    rule.name = "acme.no-float64";
    rule.scope = SIGNET_SCOPE_VALUE;
    rule.check = no_float64;
    signet_verify_options options = SIGNET_VERIFY_OPTIONS_INIT;
    options.rules = &rule;
    options.rule_count = 1;

    signet_package *package = NULL;
    signet_status status = signet_read_file(&package, argc > 1 ? argv[1] : "", NULL, &sink);
    if (status == SIGNET_OK) {
        status = signet_verify(package, &options, &sink, &report);
    }
    signet_package_destroy(package);
    return status == SIGNET_OK && report.errors == 0 ? 0 : 1;
}
