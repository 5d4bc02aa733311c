/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNET_TESTS_CORPUS_JUDGE_H
#define SIGNET_TESTS_CORPUS_JUDGE_H

/* What Signet says to one program: every finding, and the verdict under PyTorch's profile. */

#include "signet/signet.h"
#include "tests/support/files.h"

#define JUDGE_TEXT 2048

struct judgement {
    signet_status status;      /* of reading */
    uint64_t errors, warnings; /* of reader and verifier */
    bool torch_refuses;
    char codes[JUDGE_TEXT];    /* codes of errors, each with a space on both sides */
    char text[JUDGE_TEXT * 2]; /* lines "severity code: message" of errors and warnings */
};

/* Reads a program from memory; the state tables come from `base` (null: the program's own, or
 * none). Fails the running test when something other than a verdict comes out. */
void judge_memory(const char *data, size_t size, const char *name, const signet_package *base,
                  struct judgement *out);
void judge_file(const char *path, struct judgement *out);

#endif
