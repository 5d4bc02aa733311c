/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_BASE_COMPILER_H
#define SG_BASE_COMPILER_H

/* The only place for what is no plain C11. */

#if defined(__GNUC__)
#    define SG_LIKELY(x) __builtin_expect(!!(x), 1)
#    define SG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#    define SG_LIKELY(x) (x)
#    define SG_UNLIKELY(x) (x)
#endif

#define SG_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
