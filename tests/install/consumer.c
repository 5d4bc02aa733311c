/* SPDX-License-Identifier: Apache-2.0 */
/* A program outside the tree that uses the installed headers and library; as C11 and as C++17. */
#include <signet/signet.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    if (strcmp(signet_version(), SIGNET_VERSION_TEXT) != 0) {
        printf("headers of %s, library %s\n", SIGNET_VERSION_TEXT, signet_version());
        return 1;
    }

    signet_package *package = NULL;
    signet_status status = signet_package_create(&package, NULL, NULL);
    signet_program program = signet_program_add(package, signet_str("forward"), SIGNET_ROLE_METHOD);
    signet_graph graph = signet_program_graph(package, program);
    signet_arg input = signet_graph_set_inputs(package, graph, 1);
    signet_value x = signet_arg_set_named(package, input, SIGNET_ARG_TENSOR, signet_str("x"));
    signet_arg output = signet_graph_set_outputs(package, graph, 1);
    signet_arg_set_value(package, output, SIGNET_ARG_TENSOR, x);
    if (status == SIGNET_OK) {
        status = signet_package_status(package);
    }
    uint32_t uses = signet_value_use_count(package, x);
    signet_package_destroy(package);

    printf("signet %s: %s, %u use\n", signet_version(), signet_status_text(status), uses);
    return status == SIGNET_OK && uses == 1 ? 0 : 1;
}
