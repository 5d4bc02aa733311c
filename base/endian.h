/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_BASE_ENDIAN_H
#define SG_BASE_ENDIAN_H

/* Little-endian numbers of unaligned bytes, on any machine. */

#include <stdint.h>

static inline uint16_t sg_load_le16(const unsigned char *p) {
    return (uint16_t)(p[0] | (uint32_t)p[1] << 8);
}

static inline uint32_t sg_load_le32(const unsigned char *p) {
    return (uint32_t)sg_load_le16(p) | (uint32_t)sg_load_le16(p + 2) << 16;
}

static inline uint64_t sg_load_le64(const unsigned char *p) {
    return (uint64_t)sg_load_le32(p) | (uint64_t)sg_load_le32(p + 4) << 32;
}

#endif
