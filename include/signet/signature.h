/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNET_SIGNATURE_H
#define SIGNET_SIGNATURE_H

/*
 * The graph signature, the state tables and the calling convention of a program.
 *
 * A spec belongs to a position: input spec i to graph input i, output spec i to graph output i. It
 * also declares a name, and the two can disagree (that is what the verifier looks for), so nothing
 * here is keyed by name: mutations are an ordered list of (position, declared name, target).
 *
 * Source of the kinds: torch/export/graph_signature.py (PyTorch 2.13).
 */

#include "signet/base.h"
#include "signet/ir.h"

SIGNET_BEGIN_DECLS

typedef enum signet_side { SIGNET_INPUT = 0, SIGNET_OUTPUT = 1 } signet_side;

typedef enum signet_input_kind {
    SIGNET_INPUT_KIND_UNKNOWN = 0,
#define SIGNET_INPUT_KIND(id, json_tag, keyword, target_member) SIGNET_INPUT_KIND_##id,
#include "signet/kinds.def"
} signet_input_kind;

typedef enum signet_output_kind {
    SIGNET_OUTPUT_KIND_UNKNOWN = 0,
#define SIGNET_OUTPUT_KIND(id, json_tag, keyword, target_member, group) SIGNET_OUTPUT_KIND_##id,
#include "signet/kinds.def"
} signet_output_kind;

/** Names as PyTorch spells them ("BUFFER_MUTATION"); null for unknown numbers. Static. */
SIGNET_API const char *signet_input_kind_name(signet_input_kind kind);
SIGNET_API const char *signet_output_kind_name(signet_output_kind kind);
/** True for the three kinds of mutation. */
SIGNET_API bool signet_output_kind_is_mutation(signet_output_kind kind);
/** The kind of input that a mutation or gradient aims at; UNKNOWN for other kinds. */
SIGNET_API signet_input_kind signet_output_kind_aims_at(signet_output_kind kind);

/** Whether a BUFFER belongs to the state dict. */
typedef enum signet_persistence {
    SIGNET_PERSISTENT_ABSENT = 0, /**< not stated: other kinds, or missing from the file */
    SIGNET_PERSISTENT_YES,
    SIGNET_PERSISTENT_NO,
    SIGNET_PERSISTENT_NULL, /**< stated as null */
    SIGNET_PERSISTENT_ODD,  /**< stated as something that is no boolean */
} signet_persistence;

/** One spec. `kind` is a signet_input_kind or a signet_output_kind, by side. */
typedef struct signet_spec {
    size_t size; /**< sizeof(signet_spec) */
    signet_side side;
    uint32_t index;
    int kind;                 /**< 0: a tag that is not known, see raw_tag */
    signet_string raw_tag;    /**< the unknown tag */
    signet_string name;       /**< declared argument name; absent for a bare constant */
    signet_arg_kind arg_kind; /**< declared argument kind: TENSOR, SYM_*, TOKEN, CUSTOM_OBJ, or the
                                   kind of a constant; UNKNOWN where the carrier does not tell */
    signet_arg arg;           /**< the declared argument itself (literals, class name); it names no
                                   value and is no use. RAW where the tag is not known: all that the
                                   file has under it */
    signet_string target;     /**< fully qualified name of the state; absent where there is none */
    signet_persistence persistent;
} signet_spec;
#define SIGNET_SPEC_INIT                                                                           \
    {                                                                                              \
        sizeof(signet_spec), SIGNET_INPUT, 0, 0, {NULL, 0}, {NULL, 0}, SIGNET_ARG_UNKNOWN, {0},    \
            {NULL, 0}, SIGNET_PERSISTENT_ABSENT                                                    \
    }

SIGNET_API uint32_t signet_spec_count(const signet_package *package, signet_program program,
                                      signet_side side);
/** Fills @p spec (size must be set). @return false when there is no such spec; *spec is as
 *  SIGNET_SPEC_INIT then. */
SIGNET_API bool signet_spec_get(const signet_package *package, signet_program program,
                                signet_side side, uint32_t i, signet_spec *spec);
/** Adds a spec at the end of its side. Of @p spec, size, side, kind, raw_tag, name, arg_kind,
 * target and persistent are read. @return its declared argument, of kind arg_kind, still without
 * literal (signet_arg_set_int and the like), or null. */
SIGNET_API signet_arg signet_spec_add(signet_package *package, signet_program program,
                                      const signet_spec *spec);
/** Changes one thing of a spec and nothing else: name and position may then disagree. */
SIGNET_API void signet_spec_set_name(signet_package *package, signet_program program,
                                     signet_side side, uint32_t i, signet_string name);
SIGNET_API void signet_spec_set_target(signet_package *package, signet_program program,
                                       signet_side side, uint32_t i, signet_string target);
SIGNET_API void signet_spec_set_kind(signet_package *package, signet_program program,
                                     signet_side side, uint32_t i, int kind);
/** Removes the spec alone; the graph keeps its input or output. */
SIGNET_API void signet_spec_remove(signet_package *package, signet_program program,
                                   signet_side side, uint32_t i);
/** Inserts a spec alone, at position i; otherwise as signet_spec_add. */
SIGNET_API signet_arg signet_spec_insert(signet_package *package, signet_program program,
                                         uint32_t i, const signet_spec *spec);
/** Inserts an input or output (by @p spec->side) at position i of the top graph and its spec
 * together.
 *  @return the graph's argument, of kind NONE: define the input's value, or use a value, there
 *  (signet_arg_set_named and the like); null on failure. Arguments of that side get new ids. */
SIGNET_API signet_arg signet_program_insert(signet_package *package, signet_program program,
                                            uint32_t i, const signet_spec *spec);
/** Removes input i of the top graph and its spec together; its value becomes undefined where it is
 * still used. */
SIGNET_API void signet_program_remove_input(signet_package *package, signet_program program,
                                            uint32_t i);
/** Removes output i of the top graph and its spec together. */
SIGNET_API void signet_program_remove_output(signet_package *package, signet_program program,
                                             uint32_t i);

/* ---- State tables ---------------------------------------------------------------------------- */

typedef enum signet_table {
    SIGNET_TABLE_STATE_DICT = 0, /**< parameters and persistent buffers */
    SIGNET_TABLE_CONSTANTS = 1,  /**< non-persistent buffers, constant tensors, custom objects */
} signet_table;

/** One stored value. The data itself is never read. */
typedef struct signet_state {
    size_t size; /**< sizeof(signet_state) */
    signet_table table;
    signet_string name;
    bool is_parameter;
    bool is_pickled;
    signet_type type;      /**< null for objects, and where the carrier does not tell */
    signet_string record;  /**< the archive record that holds the data; absent: unknown */
    bool has_bytes;        /**< record_bytes is known */
    uint64_t record_bytes; /**< size of that record */
} signet_state;
#define SIGNET_STATE_INIT                                                                          \
    {                                                                                              \
        sizeof(signet_state), SIGNET_TABLE_STATE_DICT, {NULL, 0}, false, false, {0}, {NULL, 0},    \
            false, 0                                                                               \
    }

SIGNET_API uint32_t signet_state_count(const signet_package *package, signet_program program);
SIGNET_API bool signet_state_get(const signet_package *package, signet_program program, uint32_t i,
                                 signet_state *state);
SIGNET_API void signet_state_add(signet_package *package, signet_program program,
                                 const signet_state *state);

/** Removes entry i. */
SIGNET_API void signet_state_remove(signet_package *package, signet_program program, uint32_t i);

/* ---- Queries --------------------------------------------------------------------------------- */

/** Is the state of that kind and target updated by this program, or by the body of a delegate that
 *  it calls (recursively)? Decided from output specs alone, never from users of the placeholder.
 *  @param kind BUFFER, PARAMETER or USER_INPUT. Linear in the specs. */
SIGNET_API bool signet_program_is_mutated(const signet_package *package, signet_program program,
                                          signet_input_kind kind, signet_string target);

/** Who holds a state: one row per program that has an input spec of that kind and target. */
typedef struct signet_owner {
    signet_program program;
    signet_delegate delegate; /**< null when the program is a method */
    uint32_t input;           /**< position of the input spec */
    bool mutates;             /**< an output spec of the same program updates it */
} signet_owner;
/** Fills up to @p capacity rows and returns how many there are, over all programs of the package in
 *  order. @param owners may be null when capacity is 0. Linear in the specs of the package. */
SIGNET_API uint32_t signet_state_owners(const signet_package *package, signet_input_kind kind,
                                        signet_string target, signet_owner *owners,
                                        uint32_t capacity);

/** One state, as one program holds it: an input of kind PARAMETER, BUFFER, CONSTANT_TENSOR or
 *  CUSTOM_OBJ with a target, or a USER_INPUT that the program updates. Strings are borrowed from
 * the package. */
typedef struct signet_state_row {
    size_t size;           /**< sizeof(signet_state_row) */
    signet_program method; /**< it belongs to: the owner itself, or the method that calls the
                                owner's delegate, directly or through other bodies */
    signet_input_kind kind;
    signet_string target;     /**< the declared name of a USER_INPUT */
    signet_program owner;     /**< whose input it is; the body of a delegate that took it over */
    signet_delegate delegate; /**< null when the owner is a method */
    uint32_t input;           /**< position of that input */
    signet_type type;         /**< null where the carrier does not tell */
    bool mutated;             /**< an output of the owner updates it */
    uint32_t writer_output;   /**< position of the first such output */
    signet_node writer;       /**< node that makes the new value; null: none (an input's value is
                                   written, or nothing is) */
    /** Nodes that take the old value as an argument, each counted once: those that run before the
     *  writer (all, where there is none) and those after it. The writer itself is in neither. */
    uint32_t readers_before;
    uint32_t readers_after;
    bool shared;            /**< another method holds the same kind and target */
    bool has_initial_value; /**< the owner's state tables have a value for it; false too where the
                                 carrier has no tables (signet_program_has_state_tables) */
} signet_state_row;
/* clang-format off */
#define SIGNET_STATE_ROW_INIT                                                                      \
    {                                                                                              \
        sizeof(signet_state_row), {0}, SIGNET_INPUT_KIND_UNKNOWN, {NULL, 0}, {0}, {0}, 0, {0},     \
        false, 0, {0}, 0, 0, false, false                                                          \
    }
/* clang-format on */
/** Lists the states of a package, in program and input order: calls @p row for each; what it gets
 * is valid during the call, and false ends the report. Two inputs of one target are two rows.
 *  Errors: SIGNET_E_NOMEM, SIGNET_E_STOPPED, SIGNET_E_INVALID_ARG. Linear in the package. */
SIGNET_API signet_status signet_state_report(const signet_package *package,
                                             bool (*row)(void *user, const signet_state_row *row),
                                             void *user);

/* ---- Calling convention ---------------------------------------------------------------------- */

/** An entry of the module call graph; entry "" is the program itself. */
typedef struct signet_call {
    size_t size; /**< sizeof(signet_call) */
    signet_string fqn;
    bool has_signature;
    signet_string in_spec; /**< pytree spec, JSON as text */
    signet_string out_spec;
    uint32_t input_count;
    uint32_t output_count;
    bool has_arg_names;
    uint32_t arg_name_count;
} signet_call;
#define SIGNET_CALL_INIT                                                                           \
    { sizeof(signet_call), {NULL, 0}, false, {NULL, 0}, {NULL, 0}, 0, 0, false, 0 }

/** False when the carrier has no call graph at all (printed text): its rules are not checked. */
SIGNET_API bool signet_program_has_calls(const signet_package *package, signet_program program);
SIGNET_API void signet_program_set_calls(signet_package *package, signet_program program,
                                         bool known);
SIGNET_API uint32_t signet_call_count(const signet_package *package, signet_program program);
SIGNET_API bool signet_call_get(const signet_package *package, signet_program program, uint32_t i,
                                signet_call *call);
/** Argument j of the entry's inputs or outputs: its text is the argument name (which may name
 *  nothing), or it is a literal. It is no use. */
SIGNET_API signet_arg signet_call_argument(const signet_package *package, signet_program program,
                                           uint32_t i, signet_side side, uint32_t j);
SIGNET_API signet_string signet_call_arg_name(const signet_package *package, signet_program program,
                                              uint32_t i, uint32_t j);
/** Adds an entry; its arguments (kind NONE) and names (absent) are then set one by one. */
SIGNET_API void signet_call_add(signet_package *package, signet_program program,
                                const signet_call *call);
SIGNET_API void signet_call_set_arg_name(signet_package *package, signet_program program,
                                         uint32_t i, uint32_t j, signet_string name);

/** The fields of the named tuples that occur in the pytree specs: a JSON object as text, by type
 *  ({"mod.Point": {"field_names": ["x", "y"]}}); absent where there are none. */
SIGNET_API signet_string signet_program_namedtuples(const signet_package *package,
                                                    signet_program program);
SIGNET_API void signet_program_set_namedtuples(signet_package *package, signet_program program,
                                               signet_string json);

/** What a pytree spec says. */
typedef struct signet_treespec {
    bool well_formed;
    uint32_t leaves;
    char problem[128]; /**< when malformed: what and where, one line */
} signet_treespec;
/** Parses a pytree spec (torch.utils._pytree, protocol 1). Never runs anything. Errors:
 *  SIGNET_E_NOMEM. */
SIGNET_API signet_status signet_treespec_parse(const signet_package *package, signet_string text,
                                               signet_treespec *out);

SIGNET_END_DECLS

#endif
