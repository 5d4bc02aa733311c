/* SPDX-License-Identifier: Apache-2.0 */
/* Verifies a program and says so: what a compiler does before it trusts one. */
#include <signet/signet.h>

#include <stdio.h>

static void on_finding(void *user, const signet_diag *diag) {
    (void)user;
    printf("%s[%s]: %s\n", signet_severity_name(diag->severity), diag->code_name, diag->message);
}

int main(int argc, char **argv) {
    signet_sink sink = {on_finding, NULL};
    signet_report report = SIGNET_REPORT_INIT;
    signet_package *package = NULL;

    signet_status status = signet_read_file(&package, argc > 1 ? argv[1] : "", NULL, &sink);
    if (status == SIGNET_OK) {
        status = signet_verify(package, NULL, &sink, &report);
    }
    if (status != SIGNET_OK) {
        printf("not decided: %s\n", signet_status_text(status));
    }
    signet_package_destroy(package);
    return status == SIGNET_OK && report.errors == 0 ? 0 : 1;
}
