/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_RENDER_INTERNAL_H
#define SG_FORMATS_RENDER_INTERNAL_H

/* What the renderers of findings share: output that needs no memory. */

#include "base/text.h"
#include "signet/formats.h"

/* Collects small pieces for the caller's writer. A writer that stops is not called again. */
struct sg_out {
    const signet_writer *writer;
    bool stopped;
    size_t length;
    char buffer[1000];
};

void sg_out_init(struct sg_out *out, const signet_writer *writer);
void sg_out_put(struct sg_out *out, const char *data, size_t length);
void sg_out_puts(struct sg_out *out, const char *text);
void sg_out_repeat(struct sg_out *out, char c, size_t count);
void sg_out_uint(struct sg_out *out, uint64_t v);
/* Text for a terminal: what would not be seen, or would upset it, is escaped. */
void sg_out_shown(struct sg_out *out, const char *text);
/* A JSON string with its quotes; bytes that are no UTF-8 are replaced. */
void sg_out_json_inside(struct sg_out *out, const char *data, size_t length); /* without quotes */
void sg_out_json(struct sg_out *out, const char *data, size_t length);
signet_status sg_out_done(struct sg_out *out);

#endif
