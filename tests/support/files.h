/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SUPPORT_FILES_H
#define TEST_SUPPORT_FILES_H

/* Files that tests read. */

#include <stdbool.h>
#include <stddef.h>

enum { TEST_PATH = 4096 };

/* A path below the source tree, or below the shared fixtures (SIGNET_SHARED, else ../shared). */
void test_path(char out[TEST_PATH], bool shared, const char *below);
/* The whole file, followed by zero bytes; null when there is none. The caller frees it. */
char *test_read(const char *path, size_t *size);
bool test_ends_with(const char *text, const char *end);

/* Calls visit for every file of a folder whose name ends so, in the order of names. Returns how
 * many there were; 0 where there is no such folder. */
typedef void (*test_visit)(const char *path, void *user);
size_t test_each_file(bool shared, const char *folder, const char *end, test_visit visit,
                      void *user);

#endif
