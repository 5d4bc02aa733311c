/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/files.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void test_path(char out[TEST_PATH], bool shared, const char *below) {
    const char *root = getenv("SIGNET_SOURCE_ROOT");
    const char *given = getenv("SIGNET_SHARED");
    root = root != NULL ? root : ".";
    int length;
    if (!shared) {
        length = snprintf(out, TEST_PATH, "%s/%s", root, below);
    } else if (given != NULL && given[0] != '\0') {
        length = snprintf(out, TEST_PATH, "%s/%s", given, below);
    } else {
        length = snprintf(out, TEST_PATH, "%s/../shared/%s", root, below);
    }
    cr_assert(length > 0 && length < TEST_PATH);
}

char *test_read(const char *path, size_t *size) {
    enum { PADDING = 8 };
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *text = length >= 0 ? calloc(1, (size_t)length + PADDING) : NULL;
    *size = text != NULL ? fread(text, 1, (size_t)length, file) : 0;
    fclose(file);
    return text;
}

bool test_ends_with(const char *text, const char *end) {
    size_t length = strlen(text);
    size_t want = strlen(end);
    return length >= want && strcmp(text + length - want, end) == 0;
}

size_t test_each_file(bool shared, const char *folder, const char *end, test_visit visit,
                      void *user) {
    char path[TEST_PATH];
    struct dirent **entries = NULL;
    size_t count = 0;
    test_path(path, shared, folder);
    int found = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < found; i++) {
        if (entries[i]->d_name[0] != '.' && test_ends_with(entries[i]->d_name, end)) {
            char below[TEST_PATH];
            snprintf(below, sizeof(below), "%s/%s", folder, entries[i]->d_name);
            test_path(path, shared, below);
            visit(path, user);
            count++;
        }
        free(entries[i]);
    }
    free(entries);
    return count;
}
