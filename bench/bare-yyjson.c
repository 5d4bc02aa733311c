/* SPDX-License-Identifier: Apache-2.0 */

/* The peer: reads a JSON file with yyjson and nothing else. bare-yyjson FILE */

#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

static yyjson_doc *read_once(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return NULL;
    }
    yyjson_doc *doc = NULL;
    long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    char *data = size > 0 && fseek(f, 0, SEEK_SET) == 0 ? malloc((size_t)size) : NULL;
    if (data != NULL && fread(data, 1, (size_t)size, f) == (size_t)size) {
        doc = yyjson_read(data, (size_t)size, 0);
    }
    free(data);
    (void)fclose(f); /* it was only read */
    return doc;
}

int main(int argc, char **argv) {
    yyjson_doc *doc = argc == 2 ? read_once(argv[1]) : NULL;
    if (doc == NULL) {
        fprintf(stderr, "usage: bare-yyjson FILE\n");
        return 2;
    }
    yyjson_doc_free(doc);
    return 0;
}
