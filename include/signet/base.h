/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNET_BASE_H
#define SIGNET_BASE_H

/*
 * What every other header stands on: export macros, status codes, strings, ids, the allocator and
 * the limits. Including it pulls in nothing but freestanding C headers.
 *
 * Rules that hold for the whole library and are not repeated per function:
 *  - No globals, no output, no exit, no abort, no locale, no errno.
 *  - A function that takes `const signet_package *` only reads; any number of threads may call such
 *    functions on one package at the same time. A function that takes `signet_package *` needs the
 *    package for itself. Different packages never share anything.
 *  - Strings that come back are borrowed: they live as long as the package.
 *  - Counts, positions and indices are 0-based; ids are 1-based and 0 is null.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#    define SIGNET_BEGIN_DECLS extern "C" {
#    define SIGNET_END_DECLS }
#else
#    define SIGNET_BEGIN_DECLS
#    define SIGNET_END_DECLS
#endif

#if defined(SIGNET_STATIC)
#    define SIGNET_API
#elif defined(_WIN32) && defined(SIGNET_BUILDING)
#    define SIGNET_API __declspec(dllexport)
#elif defined(_WIN32)
#    define SIGNET_API __declspec(dllimport)
#elif defined(__GNUC__)
#    define SIGNET_API __attribute__((visibility("default")))
#else
#    define SIGNET_API
#endif

#if defined(__GNUC__)
#    define SIGNET_PRINTF(format_at, first_arg)                                                    \
        __attribute__((format(printf, format_at, first_arg)))
#    define SIGNET_NODISCARD __attribute__((warn_unused_result))
#else
#    define SIGNET_PRINTF(format_at, first_arg)
#    define SIGNET_NODISCARD
#endif

#define SIGNET_VERSION_MAJOR 0
#define SIGNET_VERSION_MINOR 1
#define SIGNET_VERSION_PATCH 0
#define SIGNET_VERSION_TEXT "0.1.0"

SIGNET_BEGIN_DECLS

/** The version of the library that is linked, as "MAJOR.MINOR.PATCH". Never null, static. */
SIGNET_API const char *signet_version(void);

/* ---- Status ---------------------------------------------------------------------------------- */

/** What a call says about itself. Zero is success, failures are negative. "The program is broken"
 *  is no failure of a call: it is a finding (signet/diag.h). */
typedef enum signet_status {
#define SIGNET_STATUS(id, number, text) SIGNET_##id = (number),
#include "signet/status.def"
#undef SIGNET_STATUS
} signet_status;

/** One line of text for a status, such as "out of memory". Never null, static; unknown numbers give
 *  "unknown status". */
SIGNET_API const char *signet_status_text(signet_status status);

/* ---- Strings --------------------------------------------------------------------------------- */

/** Text by pointer and length in bytes. Text that comes from the library is also NUL-terminated (it
 *  may contain further NULs: file content is not trusted); text that is passed in need not be.
 *  `data` is null where something is absent, which differs from empty. */
typedef struct signet_string {
    const char *data;
    size_t length;
} signet_string;

/** A view of a NUL-terminated string; null gives the absent string. */
static inline signet_string signet_str(const char *text) {
    signet_string s = {text, 0};
    if (text != NULL) {
        while (text[s.length] != '\0') {
            s.length++;
        }
    }
    return s;
}

/* ---- Ids ------------------------------------------------------------------------------------- */

/* Everything inside a package is named by a 32-bit id, wrapped so that a node cannot be passed
 * where a value is wanted. Ids are package-wide, stay valid for the life of the package, and 0 is
 * null. */

typedef struct signet_program {
    uint32_t id;
} signet_program;
typedef struct signet_graph {
    uint32_t id;
} signet_graph;
typedef struct signet_node {
    uint32_t id;
} signet_node;
typedef struct signet_value {
    uint32_t id;
} signet_value;
typedef struct signet_arg {
    uint32_t id;
} signet_arg;
typedef struct signet_type {
    uint32_t id;
} signet_type;
typedef struct signet_sym {
    uint32_t id;
} signet_sym;
typedef struct signet_expr {
    uint32_t id;
} signet_expr;
typedef struct signet_delegate {
    uint32_t id;
} signet_delegate;

/** Owner of everything that belongs to one file, or to one compilation. Opaque; see signet/ir.h. */
typedef struct signet_package signet_package;

/* ---- Allocator ------------------------------------------------------------------------------- */

/** Where memory comes from. All three members are set, or the struct is not used at all.
 *  `allocate` and `reallocate` return null when there is no memory; `reallocate` and `release` get
 *  the size that was asked for. Memory must be aligned for max_align_t. `context` is passed
 * through. Calls come from the thread that called the library. */
typedef struct signet_allocator {
    void *(*allocate)(void *context, size_t size);
    void *(*reallocate)(void *context, void *memory, size_t old_size, size_t new_size);
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} signet_allocator;

/* ---- Limits ---------------------------------------------------------------------------------- */

/** Upper bounds that keep a hostile file from costing more than it may. Reaching one is a finding
 *  (carrier.limit) and the status SIGNET_E_LIMIT, never a crash. */
typedef struct signet_limits {
    size_t size; /**< sizeof(signet_limits), filled by signet_limits_default() */
#define SIGNET_LIMIT(id, option, value, text) uint64_t id;
#include "signet/limits.def"
#undef SIGNET_LIMIT
} signet_limits;

/** The limits that hold when none are given. */
SIGNET_API signet_limits signet_limits_default(void);

/** Sets the limit whose option name (as in `--limit json-depth=512`) is @p option.
 *  @return false when no limit has that name. */
SIGNET_API bool signet_limits_set(signet_limits *limits, const char *option, uint64_t value);

SIGNET_END_DECLS

#endif
