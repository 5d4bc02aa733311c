/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_FORMATS_ARCHIVE_H
#define TEST_FORMATS_ARCHIVE_H

/* A sound archive of PyTorch's layout around small.json, for tests to break. */

#include "reading.h"
#include "zip_maker.h"

struct archive {
    struct zip_maker zip;
    char *model;
    struct zip_maker_entry *weight, *weights, *constants, *program, *inputs, *format, *version,
        *framing;
};

void archive_init(struct archive *a);
/* Makes the zip, reads it, frees it all but the reading. */
void archive_read(struct archive *a, struct reading *r, bool deep);

/* The config of the weights; one entry of it. */
extern const char archive_config[];

#endif
