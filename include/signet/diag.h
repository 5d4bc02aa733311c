/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNET_DIAG_H
#define SIGNET_DIAG_H

/*
 * Findings: what readers, the verifier and the lowering have to say about a program, as data. Text
 * for people is made by the renderers (signet/formats.h).
 */

#include "signet/base.h"

SIGNET_BEGIN_DECLS

/** Every code of the catalogue (signet/codes.def). Numbers are not stable between releases; the
 *  names ("mutation.target-missing") are. Codes of an embedder's own rules start at
 *  SIGNET_CODE_USER. */
typedef enum signet_code {
    SIGNET_CODE_NONE = 0,
#define SIGNET_CODE(id, ...) SIGNET_CODE_##id,
#include "signet/codes.def"
#undef SIGNET_CODE
    SIGNET_CODE_COUNT,
    SIGNET_CODE_USER = 0x10000
} signet_code;

typedef enum signet_severity {
    SIGNET_SEVERITY_OFF = 0,
    SIGNET_SEVERITY_NOTE = 1,
    SIGNET_SEVERITY_WARNING = 2,
    SIGNET_SEVERITY_ERROR = 3,
} signet_severity;

/** "note", "warning", "error"; "off". Static. */
SIGNET_API const char *signet_severity_name(signet_severity severity);

/** What the catalogue says about a code. All text is static; absent text is null. */
typedef struct signet_code_info {
    const char *name; /**< "mutation.target-missing" */
    signet_severity severity;
    const char *title;   /**< one line: what is wrong */
    const char *why;     /**< what goes wrong at run time */
    const char *fix;     /**< what to do */
    const char *torch;   /**< what PyTorch 2.13 does with such a program */
    const char *example; /**< smallest broken program, in the exact text (null for carrier codes) */
} signet_code_info;
/** @return null for a number that is no code of the catalogue. */
SIGNET_API const signet_code_info *signet_code_get(signet_code code);
/** The code of that name, or SIGNET_CODE_NONE. */
SIGNET_API signet_code signet_code_find(signet_string name);

/** A place. Members that are not known are null, zero or absent. Everything is borrowed. */
typedef struct signet_location {
    const char *file;  /**< as the caller named it */
    const char *entry; /**< record inside an archive */
    uint32_t line;     /**< 1-based, text carriers */
    uint32_t column;   /**< 1-based, in bytes */
    bool has_byte;
    uint64_t byte;         /**< offset in the file, or in the entry when there is one */
    const char *json_path; /**< "$.graph_module.graph.nodes[3].target" */
    const char *program;   /**< program name */
    const char *graph;     /**< path of the graph: "forward/true_graph_0" */
    const char *node;      /**< display name of the node */
    const char *item;      /**< what of it: "output 0", "argument 'self'", "state 'k'" */
    signet_graph graph_id;
    signet_node node_id;
    const char *user_file; /**< the model's own source line, from the stack trace */
    uint32_t user_line;
    const char *user_function;
    const char *user_code;
    const char *excerpt;     /**< the line of text at line, without its newline */
    uint32_t excerpt_length; /**< bytes */
    uint32_t focus_column;   /**< 1-based column that the label is about; 0: column */
    uint32_t focus_length;   /**< bytes to underline; 0: one character */
    const char *label;       /**< what to say there, such as "no such buffer" */
} signet_location;

/** A finding. Valid only during the call of the sink; copy what you keep. */
typedef struct signet_diag {
    size_t size; /**< sizeof(signet_diag) */
    signet_code code;
    const char *code_name;
    signet_severity severity;
    const char *message; /**< one line, starts lower case, no full stop */
    signet_location location;
    const signet_location *related; /**< further places, each with its label */
    size_t related_count;
    const char *const *facts; /**< lines "what: text", such as "new value: getitem, ..." */
    size_t fact_count;
    const char *const *notes;
    size_t note_count;
    const char *help;          /**< one action, or null */
    const char *also_known_as; /**< PyTorch's own words for it, or null */
    const char *torch_check;   /**< PyTorch's check that refuses the same ("S-MBUF"), or null */
} signet_diag;

/** Receives findings, one call each, in order, from the thread that called the library. A null
 * sink, or a null emit, throws them away. */
typedef struct signet_sink {
    void (*emit)(void *user, const signet_diag *diag);
    void *user;
} signet_sink;

SIGNET_END_DECLS

#endif
