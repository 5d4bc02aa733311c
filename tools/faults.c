/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include "io.h"

#include <signal.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define HAS_SANITIZER 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                     \
        __has_feature(thread_sanitizer)
#        define HAS_SANITIZER 1
#    endif
#endif

#ifdef HAS_SANITIZER

void faults_catch(struct fault_room *room) {
    (void)room;
}

void faults_catch_in_thread(struct fault_room *room) {
    (void)room;
}

#else

static void on_fault(int number) {
    static const char message[] =
        "signet: this is a fault in Signet, not in the file; please report it with the file\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);
    (void)written;
    _exit(STATUS_FAULT);
}

void faults_catch_in_thread(struct fault_room *room) {
    stack_t stack = {.ss_sp = room->bytes, .ss_size = sizeof(room->bytes)};
    (void)sigaltstack(&stack, NULL);
}

void faults_catch(struct fault_room *room) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    faults_catch_in_thread(room);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        (void)sigaction(signals[i], &action, NULL);
    }
}

#endif
