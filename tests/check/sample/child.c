/* SPDX-License-Identifier: Apache-2.0 */
/* Its child overflows, and nobody looks at how the child ended. */
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    pid_t child = fork();
    if (child == 0) {
        volatile int most = INT_MAX;
        volatile int sum = most + 1;
        _exit(sum == 0);
    }
    waitpid(child, NULL, 0);
    return 0;
}
