/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FILES_CASE_H
#define TESTS_FILES_CASE_H

/*
 * Tests that are programs in the exact text, with the findings they expect in comments
 * (docs/text-format.md, "Expectations in tests"). A file holds cases, separated by lines that start
 * with "; -----".
 */

#include <signet/signet.h>

#define CASE_EXPECTATIONS 64
#define CASE_SEVERITIES 8
#define CASE_NEAR 8

struct expectation {
    unsigned line;
    signet_severity severity;
    char code[64];
    char text[256]; /* part of the message; may be empty */
    bool met;
};

struct test_case {
    char path[512];    /* below the source tree */
    unsigned index;    /* in its file, from 0 */
    unsigned line;     /* where it starts */
    char problem[256]; /* what is wrong with the test itself; empty: nothing */
    char *text;        /* the file with the lines of the other cases left empty */
    signet_verify_options options;
    signet_severity_rule severities[CASE_SEVERITIES];
    char patterns[CASE_SEVERITIES][64];
    struct expectation expected[CASE_EXPECTATIONS];
    unsigned expected_count;
    char near[CASE_NEAR][64]; /* codes that the case comes close to */
    unsigned near_count;
};

/* The root of the source tree; fails the test when SIGNET_SOURCE_ROOT is not set. */
const char *source_root(void);
/* A whole file of the source tree, to be freed; null when there is none. */
char *read_source(const char *path);
/* How many cases a file's text has. */
unsigned count_cases(const char *text);
/* Reads case `index` of the file; the caller frees it with free_case. */
struct test_case *load_case(const char *path, unsigned index);
void free_case(struct test_case *c);
bool expects(const struct test_case *c, const char *code);
bool comes_near(const struct test_case *c, const char *code);

/* Paths of all files NAME.sgt below a folder of the source tree, sorted; freed with free_paths. */
char **list_files(const char *folder, unsigned *count);
void free_paths(char **paths, unsigned count);

#endif
