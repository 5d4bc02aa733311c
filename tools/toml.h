/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TOML_H
#define TOOLS_TOML_H

/* A strict reader for the part of TOML that signet.toml needs: [tables], [[arrays of tables]], and
 * keys whose values are strings on one line. What it takes means the same to every TOML reader. */

#include "io.h"

struct toml_item {
    uint32_t line;
    const char *table; /* a header: its name; else null */
    bool is_array;     /* [[table]] */
    const char *key;   /* a pair */
    const char *value;
};

/* Takes one item; false: it was wrong, and a message has said so. */
typedef bool toml_taker(void *user, const struct toml_item *item);

/* Hands the items to @p take in order. false: after a message that begins with PATH:LINE. */
bool toml_read(const char *path, const struct text *text, toml_taker *take, void *user);

#endif
