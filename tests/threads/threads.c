/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight threads that verify, hash, compare and print one package, then eight that read files: all
 * say the same. Meant for ThreadSanitizer as well (-Db_sanitize=thread).
 */

#include "signet/signet.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 5, PATH = 4096 };

static const char *const files[] = {
    "tests/data/pt2/counter_2.13.0.pt2",   "tests/data/pt2/deflated.pt2",
    "tests/data/pt2/counter_2.5.1.pt2",    "tests/data/pt2/small.json",
    "tests/data/printed/2.2-kv_cache.txt", "tests/data/seed/broken.txt",
    "tests/data/sgt/everything.sgt",       "tests/data/sgt/broken.sgt",
};
enum { FILES = sizeof(files) / sizeof(files[0]) };

/* What a thread found out. */
struct answer {
    bool failed;
    uint64_t errors, findings, printed; /* summed over the rounds */
    signet_hash exact, structural;
};

struct job {
    pthread_t thread;
    const signet_package *package; /* null: reads the files */
    struct answer answer;
};

static void hear(void *user, const signet_diag *d) {
    struct answer *a = user;
    a->errors += d->severity == SIGNET_SEVERITY_ERROR;
    a->findings += strlen(d->message);
}

static bool count(void *user, const char *text, size_t length) {
    struct answer *a = user;
    (void)text;
    a->printed += length;
    return true;
}

static bool ask(struct answer *a, const signet_package *p) {
    signet_verify_options options = SIGNET_VERIFY_OPTIONS_INIT;
    signet_sink sink = {hear, a};
    signet_writer writer = {count, a};
    signet_package *copy = NULL;
    bool equal = false;
    options.show_notes = true;
    bool ok = signet_verify(p, &options, &sink, NULL) == SIGNET_OK;
    ok = ok && signet_package_hash(p, SIGNET_HASH_EXACT, &a->exact) == SIGNET_OK;
    ok = ok && signet_package_hash(p, SIGNET_HASH_STRUCTURAL, &a->structural) == SIGNET_OK;
    ok = ok && signet_write_sgt(p, &writer) == SIGNET_OK;
    ok = ok && signet_write_printed(p, signet_program_at(p, 0), &writer) == SIGNET_OK;
    ok = ok && signet_package_clone(&copy, p, NULL) == SIGNET_OK;
    ok = ok && signet_package_equal(p, copy, SIGNET_EQUAL_EXACT, &equal, NULL) == SIGNET_OK;
    signet_package_destroy(copy);
    return ok && equal;
}

static signet_package *open_file(const char *below, struct answer *a) {
    const char *root = getenv("SIGNET_SOURCE_ROOT");
    char path[PATH];
    signet_package *p = NULL;
    signet_sink sink = {hear, a};
    snprintf(path, sizeof(path), "%s/%s", root != NULL ? root : ".", below);
    if (signet_read_file(&p, path, NULL, &sink) != SIGNET_OK) {
        fprintf(stderr, "%s is not read\n", path);
    }
    return p;
}

static void *work(void *user) {
    struct job *j = user;
    for (int round = 0; round < ROUNDS && !j->answer.failed; round++) {
        if (j->package != NULL) {
            j->answer.failed = !ask(&j->answer, j->package);
            continue;
        }
        for (size_t f = 0; f < FILES && !j->answer.failed; f++) {
            signet_package *p = open_file(files[f], &j->answer);
            j->answer.failed = p == NULL || !ask(&j->answer, p);
            signet_package_destroy(p);
        }
    }
    return NULL;
}

static bool same(const struct answer *a, const struct answer *b) {
    return a->errors == b->errors && a->findings == b->findings && a->printed == b->printed &&
           memcmp(&a->exact, &b->exact, sizeof(a->exact)) == 0 &&
           memcmp(&a->structural, &b->structural, sizeof(a->structural)) == 0;
}

/* Runs the threads; true when all succeed and agree. */
static bool run(const char *what, const signet_package *package) {
    struct job jobs[THREADS];
    bool ok = true;
    int started = 0;
    memset(jobs, 0, sizeof(jobs));
    for (; ok && started < THREADS; started++) {
        jobs[started].package = package;
        ok = pthread_create(&jobs[started].thread, NULL, work, &jobs[started]) == 0;
    }
    for (int i = 0; i < started; i++) {
        ok = pthread_join(jobs[i].thread, NULL) == 0 && ok;
        ok = ok && !jobs[i].answer.failed && same(&jobs[0].answer, &jobs[i].answer);
    }
    printf("%s: %d threads %s (%llu errors, %llu bytes printed each)\n", what, started,
           ok ? "agree" : "DISAGREE", (unsigned long long)jobs[0].answer.errors,
           (unsigned long long)jobs[0].answer.printed);
    return ok;
}

int main(void) {
    bool ok = run("reading files", NULL);
    for (size_t f = 0; f < FILES; f++) {
        struct answer unused = {0};
        signet_package *p = open_file(files[f], &unused);
        ok = p != NULL && run(files[f], p) && ok;
        signet_package_destroy(p);
    }
    return ok ? 0 : 1;
}
