/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNET_TESTS_CORPUS_EDITS_H
#define SIGNET_TESTS_CORPUS_EDITS_H

/* The corpus of edits: one after the other, as text of a model.json. */

#include "signet/signet.h"
#include "tests/support/files.h"

/* ---- Tables: "KEY WORD... # reason" ---------------------------------------------------------- */

struct table {
    char *text; /* free() ends it */
};
struct table table_read(const char *below);
/* The words behind a key, up to the reason or the end of the line; false: no such key. */
bool table_find(const struct table *t, const char *key, char *words, size_t capacity);

/* ---- Edits ----------------------------------------------------------------------------------- */

struct edit {
    const char *name, *base, *kind, *opinion;
    bool torch_refuses;
    const char *text; /* the edited model.json */
    size_t size;
    const signet_package *from; /* the base, as PyTorch wrote it */
};

/* Calls visit for every edit of the tree, or of the shared fixtures; false: there are none. */
bool edits_each(bool shared, void (*visit)(const struct edit *e, void *user), void *user);

#endif
