/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/formats_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool sg_input_read(const struct sg_input *input, uint64_t at, void *buffer, size_t length) {
    if (at > input->size || length > input->size - at) {
        return false;
    }
    if (input->data != NULL) {
        memcpy(buffer, input->data + input->start + at, length);
        return true;
    }
    unsigned char *out = buffer;
    while (length > 0) {
        ssize_t n = pread(input->file, out, length, (off_t)(input->start + at));
        if (n <= 0) {
            if (n < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        out += n;
        at += (uint64_t)n;
        length -= (size_t)n;
    }
    return true;
}

signet_location sg_at_input(const struct sg_input *input, uint64_t byte) {
    signet_location location = {
        .file = input->name, .entry = input->entry, .has_byte = true, .byte = byte};
    return location;
}

char *sg_input_take(const struct sg_input *input, signet_package *p, size_t padding,
                    signet_status *status) {
    size_t size;
    *status = SIGNET_E_NOMEM;
    if (input->size > SIZE_MAX || !sg_add_ok((size_t)input->size, padding, &size)) {
        return NULL;
    }
    char *block = p->allocator.allocate(p->allocator.context, size);
    if (block == NULL) {
        return NULL;
    }
    if (!sg_input_read(input, 0, block, (size_t)input->size)) {
        sg_free(&p->allocator, block, size);
        *status = SIGNET_E_IO;
        return NULL;
    }
    memset(block + input->size, 0, padding);
    if (!sg_package_adopt(p, block, size)) {
        sg_free(&p->allocator, block, size);
        return NULL;
    }
    *status = SIGNET_OK;
    return block;
}
