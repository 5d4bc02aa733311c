/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNET_IR_H
#define SIGNET_IR_H

/*
 * The graph IR: a package (one file, or one compilation) owns programs (a method, or the body of a
 * delegate), a program has a top graph and subgraphs, a graph has nodes and values.
 *
 * The IR holds broken programs, so that the verifier can speak of them: an argument that names
 * nothing refers to a value of kind UNDEFINED, a second definition of a name is a second value that
 * is flagged redefined, and unknown enum numbers stay as they are.
 *
 * Results are folded: a node with several results has several output arguments; PyTorch's getitem
 * nodes and get_attr nodes exist only where they cannot be folded.
 *
 * Building: calls that return an id return the null id when memory or a limit runs out, every call
 * accepts null ids and then does nothing, and the first failure stays in the package
 * (signet_package_status). So a builder may ask once, at its end.
 *
 * Passing an id of another package, or a position that does not exist, is wrong use: readers return
 * null or zero, writers set SIGNET_E_INVALID_ARG.
 */

#include "signet/base.h"

SIGNET_BEGIN_DECLS

/* ---- Kinds (all from signet/kinds.def) ------------------------------------------------------- */

/** Element types; the numbers are those of torch.export's schema, unknown ones are kept. */
typedef enum signet_dtype {
    SIGNET_DTYPE_UNKNOWN = 0,
#define SIGNET_DTYPE(id, number, short_name, torch_name, bytes) SIGNET_DTYPE_##id = (number),
#include "signet/kinds.def"
    SIGNET_DTYPE_MAX_ = 0xffff
} signet_dtype;

typedef enum signet_layout {
    SIGNET_LAYOUT_UNKNOWN = 0,
#define SIGNET_LAYOUT(id, number, torch_name) SIGNET_LAYOUT_##id = (number),
#include "signet/kinds.def"
    SIGNET_LAYOUT_MAX_ = 0xffff
} signet_layout;

typedef enum signet_memory_format {
    SIGNET_MEMORY_FORMAT_UNKNOWN = 0,
#define SIGNET_MEMORY_FORMAT(id, number, torch_name) SIGNET_MEMORY_FORMAT_##id = (number),
#include "signet/kinds.def"
    SIGNET_MEMORY_FORMAT_MAX_ = 0xffff
} signet_memory_format;

typedef enum signet_arg_kind {
    SIGNET_ARG_UNKNOWN = 0,
#define SIGNET_ARG_KIND(id, json_tag, keyword, payload) SIGNET_ARG_##id,
#include "signet/kinds.def"
} signet_arg_kind;

typedef enum signet_value_kind {
    SIGNET_VALUE_UNKNOWN = 0,
#define SIGNET_VALUE_KIND(id, keyword, table) SIGNET_VALUE_##id,
#include "signet/kinds.def"
} signet_value_kind;

typedef enum signet_stage {
    SIGNET_STAGE_DETECT = 0,
#define SIGNET_STAGE(id, keyword, text) SIGNET_STAGE_##id,
#include "signet/kinds.def"
} signet_stage;

typedef enum signet_carrier {
    SIGNET_CARRIER_UNKNOWN = 0,
#define SIGNET_CARRIER(id, keyword, text) SIGNET_CARRIER_##id,
#include "signet/kinds.def"
} signet_carrier;

/** What a program of a package is. */
typedef enum signet_program_role {
    SIGNET_ROLE_METHOD = 0, /**< can be called from outside */
    SIGNET_ROLE_BODY = 1,   /**< the program inside a delegate */
} signet_program_role;

/** How an argument was given (schema.ArgumentKind). */
typedef enum signet_passing {
    SIGNET_PASSING_UNKNOWN = 0,
    SIGNET_PASSING_POSITIONAL = 1,
    SIGNET_PASSING_KEYWORD = 2,
} signet_passing;

/** What an argument, or a definition, is part of. */
typedef enum signet_owner_kind {
    SIGNET_OWNER_NONE = 0,
    SIGNET_OWNER_NODE_INPUT,
    SIGNET_OWNER_NODE_OUTPUT,
    SIGNET_OWNER_GRAPH_INPUT,
    SIGNET_OWNER_GRAPH_OUTPUT,
} signet_owner_kind;

/** Names of kinds as the exact text and messages spell them; dtypes by their short name ("f32").
 *  Never null for a number of the table, null for any other. Static. */
SIGNET_API const char *signet_dtype_name(signet_dtype dtype);
SIGNET_API const char *signet_dtype_torch_name(signet_dtype dtype); /**< "float32" */
SIGNET_API uint32_t signet_dtype_bytes(signet_dtype dtype);         /**< 0: unknown dtype */
SIGNET_API const char *signet_layout_name(signet_layout layout);
SIGNET_API const char *signet_memory_format_name(signet_memory_format format);
SIGNET_API const char *signet_arg_kind_name(signet_arg_kind kind);
SIGNET_API const char *signet_value_kind_name(signet_value_kind kind);
SIGNET_API const char *signet_stage_name(signet_stage stage);
SIGNET_API const char *signet_carrier_name(signet_carrier carrier);

/* ---- Package --------------------------------------------------------------------------------- */

/** Makes an empty package. @param allocator null: malloc and friends; copied. @param limits null:
 *  the defaults; copied. The caller owns *out and ends it with signet_package_destroy.
 *  Errors: SIGNET_E_NOMEM, SIGNET_E_INVALID_ARG (out is null); *out is null then. */
SIGNET_API signet_status signet_package_create(signet_package **out,
                                               const signet_allocator *allocator,
                                               const signet_limits *limits);

/** Frees the package and everything in it. Null is fine. */
SIGNET_API void signet_package_destroy(signet_package *package);

/** The first failure of any building call since the package was made, or SIGNET_OK. */
SIGNET_API signet_status signet_package_status(const signet_package *package);

/** A deep copy: same ids, same everything, sharing nothing. Linear, one pass over the arrays.
 *  @param allocator null: the one of @p package. Errors as signet_package_create. */
SIGNET_API signet_status signet_package_clone(signet_package **out, const signet_package *package,
                                              const signet_allocator *allocator);

/** Copies one program into a package (the same one, or another): graphs, signature, state tables,
 * call graph, and the delegates it calls with their bodies, recursively. @param name of the copy;
 * absent: as it was. @return the copy, or null; what was begun stays in @p to then. Linear in @p
 * from. */
SIGNET_API signet_program signet_program_clone_into(signet_package *to, const signet_package *from,
                                                    signet_program program, signet_string name);

/** What the package was read from; MEMORY for one that was built by calls. */
SIGNET_API signet_carrier signet_package_carrier(const signet_package *package);

/* ---- Programs -------------------------------------------------------------------------------- */

/** Adds a program with an empty top graph. @param name copied; "forward" for a single program. */
SIGNET_API signet_program signet_program_add(signet_package *package, signet_string name,
                                             signet_program_role role);
SIGNET_API uint32_t signet_program_count(const signet_package *package);
/** @return the i-th program in the order of the carrier, or null. */
SIGNET_API signet_program signet_program_at(const signet_package *package, uint32_t i);
/** @return the first program of that name, or null. Linear in the number of programs. */
SIGNET_API signet_program signet_program_find(const signet_package *package, signet_string name);
SIGNET_API signet_string signet_program_name(const signet_package *package, signet_program program);
SIGNET_API signet_program_role signet_program_get_role(const signet_package *package,
                                                       signet_program program);
/** The top graph. */
SIGNET_API signet_graph signet_program_graph(const signet_package *package, signet_program program);
/** The delegate whose body this program is, or null. */
SIGNET_API signet_delegate signet_program_delegate(const signet_package *package,
                                                   signet_program program);
/** True when the carrier tells less than the program (printed text): strides, devices, state tables
 *  and argument names may be missing, and rules that need them say "not checked". */
SIGNET_API bool signet_program_is_lossy(const signet_package *package, signet_program program);
/** False when the carrier has no state tables at all; state rules are not checked then. */
SIGNET_API bool signet_program_has_state_tables(const signet_package *package,
                                                signet_program program);
SIGNET_API void signet_program_set_lossy(signet_package *package, signet_program program,
                                         bool lossy);
SIGNET_API void signet_program_set_state_tables(signet_package *package, signet_program program,
                                                bool known);
/** The stage the carrier claims (DETECT when it claims none). */
SIGNET_API signet_stage signet_program_stage(const signet_package *package, signet_program program);
SIGNET_API void signet_program_set_stage(signet_package *package, signet_program program,
                                         signet_stage stage);

/** Version facts of the carrier; zero and absent where it has none. */
typedef struct signet_program_info {
    size_t size; /**< sizeof(signet_program_info) */
    uint32_t schema_major;
    uint32_t schema_minor;
    signet_string torch_version;
    bool has_dialects; /**< the carrier has a list of dialects (it may be empty) */
} signet_program_info;
#define SIGNET_PROGRAM_INFO_INIT                                                                   \
    { sizeof(signet_program_info), 0, 0, {NULL, 0}, false }
SIGNET_API void signet_program_get_info(const signet_package *package, signet_program program,
                                        signet_program_info *info);
SIGNET_API void signet_program_set_info(signet_package *package, signet_program program,
                                        const signet_program_info *info);

/** The dialects ("verifiers" in the file) the program claims, such as "ATEN", "TRAINING". */
SIGNET_API uint32_t signet_program_dialect_count(const signet_package *package,
                                                 signet_program program);
SIGNET_API signet_string signet_program_dialect(const signet_package *package,
                                                signet_program program, uint32_t i);
SIGNET_API void signet_program_add_dialect(signet_package *package, signet_program program,
                                           signet_string dialect);

/** Operator set versions: name space and version. */
SIGNET_API uint32_t signet_program_opset_count(const signet_package *package,
                                               signet_program program);
SIGNET_API signet_string signet_program_opset(const signet_package *package, signet_program program,
                                              uint32_t i, int64_t *version);
SIGNET_API void signet_program_add_opset(signet_package *package, signet_program program,
                                         signet_string name, int64_t version);

/** A range of a symbol; an absent bound is open. */
typedef struct signet_range {
    signet_string symbol;
    bool has_min, has_max;
    int64_t min, max;
} signet_range;
SIGNET_API uint32_t signet_program_range_count(const signet_package *package,
                                               signet_program program);
SIGNET_API signet_range signet_program_range(const signet_package *package, signet_program program,
                                             uint32_t i);
SIGNET_API void signet_program_add_range(signet_package *package, signet_program program,
                                         signet_range range);

/** Lines of guards_code (opaque text) and key/value metadata of the program. */
SIGNET_API uint32_t signet_program_guard_count(const signet_package *package,
                                               signet_program program);
SIGNET_API signet_string signet_program_guard(const signet_package *package, signet_program program,
                                              uint32_t i);
SIGNET_API void signet_program_add_guard(signet_package *package, signet_program program,
                                         signet_string line);
SIGNET_API uint32_t signet_program_metadata_count(const signet_package *package,
                                                  signet_program program);
SIGNET_API signet_string signet_program_metadata(const signet_package *package,
                                                 signet_program program, uint32_t i,
                                                 signet_string *value);
SIGNET_API void signet_program_add_metadata(signet_package *package, signet_program program,
                                            signet_string key, signet_string value);

/* ---- Graphs ---------------------------------------------------------------------------------- */

/** Adds a subgraph to a program. It belongs nowhere until an argument holds it
 *  (signet_arg_set_graph). @param name the attribute name, such as "true_graph_0". */
SIGNET_API signet_graph signet_graph_add(signet_package *package, signet_program program,
                                         signet_string name);
/** Removes the subgraphs of a program that no argument holds (any more), with everything in them:
 * what is left when a node that held them is removed. Linear in the graphs of the package, times
 * their depth. */
SIGNET_API void signet_program_remove_loose_graphs(signet_package *package, signet_program program);
SIGNET_API signet_program signet_graph_program(const signet_package *package, signet_graph graph);
SIGNET_API signet_string signet_graph_name(const signet_package *package, signet_graph graph);
/** The node whose argument holds this subgraph; null for a top graph. */
SIGNET_API signet_node signet_graph_parent(const signet_package *package, signet_graph graph);
/** True when the graph returns a bare tensor and no tuple (schema: is_single_tensor_return). */
SIGNET_API bool signet_graph_returns_bare(const signet_package *package, signet_graph graph);
SIGNET_API void signet_graph_set_returns_bare(signet_package *package, signet_graph graph,
                                              bool bare);

/** Graph inputs and outputs are arguments: inputs define values (or are literals: constant inputs),
 *  outputs use them. `set` replaces the whole list by @p count arguments of kind NONE and returns
 *  the first; argument i is {first.id + i}. */
SIGNET_API uint32_t signet_graph_input_count(const signet_package *package, signet_graph graph);
SIGNET_API signet_arg signet_graph_input(const signet_package *package, signet_graph graph,
                                         uint32_t i);
SIGNET_API signet_arg signet_graph_set_inputs(signet_package *package, signet_graph graph,
                                              uint32_t count);
SIGNET_API uint32_t signet_graph_output_count(const signet_package *package, signet_graph graph);
SIGNET_API signet_arg signet_graph_output(const signet_package *package, signet_graph graph,
                                          uint32_t i);
SIGNET_API signet_arg signet_graph_set_outputs(signet_package *package, signet_graph graph,
                                               uint32_t count);

/** Inserts an argument of kind NONE at position i, or removes the one there. All arguments of the
 * list get new ids when one is inserted; uses and definitions follow. These change the graph alone:
 * for the top graph, whose specs go by position, see signet_program_insert_input and its like
 *  (signet/signature.h). Linear in the list. */
SIGNET_API signet_arg signet_graph_insert_input(signet_package *package, signet_graph graph,
                                                uint32_t i);
SIGNET_API signet_arg signet_graph_insert_output(signet_package *package, signet_graph graph,
                                                 uint32_t i);
SIGNET_API void signet_graph_remove_input(signet_package *package, signet_graph graph, uint32_t i);
SIGNET_API void signet_graph_remove_output(signet_package *package, signet_graph graph, uint32_t i);

/** Nodes in execution order; null at the end. */
SIGNET_API signet_node signet_graph_first(const signet_package *package, signet_graph graph);
SIGNET_API signet_node signet_graph_last(const signet_package *package, signet_graph graph);
SIGNET_API uint32_t signet_graph_node_count(const signet_package *package, signet_graph graph);

/** The value of that name in this graph (the first definition when there are several; undefined
 *  values count), or null. A subgraph does not see the values around it. */
SIGNET_API signet_value signet_graph_find(const signet_package *package, signet_graph graph,
                                          signet_string name);

/* ---- Nodes ----------------------------------------------------------------------------------- */

/** Adds a node at the end of the graph. @param target the operator as the carrier spells it, such
 *  as "torch.ops.aten.add.Tensor". */
SIGNET_API signet_node signet_node_append(signet_package *package, signet_graph graph,
                                          signet_string target);
/** Adds a node before @p before, in the same graph. */
SIGNET_API signet_node signet_node_insert(signet_package *package, signet_node before,
                                          signet_string target);
/** Moves a node before @p before (null: to the end) of the same graph. */
SIGNET_API void signet_node_move(signet_package *package, signet_node node, signet_node before);
/** Takes a node out of its graph and ends its uses. Its results become undefined values where
 *  something still uses them. */
SIGNET_API void signet_node_remove(signet_package *package, signet_node node);

SIGNET_API signet_node signet_node_next(const signet_package *package, signet_node node);
SIGNET_API signet_node signet_node_previous(const signet_package *package, signet_node node);
SIGNET_API signet_graph signet_node_graph(const signet_package *package, signet_node node);
/** The operator as the carrier spelled it. */
SIGNET_API signet_string signet_node_target(const signet_package *package, signet_node node);
SIGNET_API void signet_node_set_target(signet_package *package, signet_node node,
                                       signet_string target);
/** The node's own name; absent when the carrier gives none (schema before 8.17). A node with one
 *  result usually has the result's name. */
SIGNET_API signet_string signet_node_name(const signet_package *package, signet_node node);
SIGNET_API void signet_node_set_name(signet_package *package, signet_node node, signet_string name);
/** A name to call the node by in messages: its own, else its first result's, else its operator. */
SIGNET_API signet_string signet_node_display_name(const signet_package *package, signet_node node);

/** Node inputs and outputs, as for graphs. Outputs define values. */
SIGNET_API uint32_t signet_node_input_count(const signet_package *package, signet_node node);
SIGNET_API signet_arg signet_node_input(const signet_package *package, signet_node node,
                                        uint32_t i);
SIGNET_API signet_arg signet_node_set_inputs(signet_package *package, signet_node node,
                                             uint32_t count);
SIGNET_API uint32_t signet_node_output_count(const signet_package *package, signet_node node);
SIGNET_API signet_arg signet_node_output(const signet_package *package, signet_node node,
                                         uint32_t i);
SIGNET_API signet_arg signet_node_set_outputs(signet_package *package, signet_node node,
                                              uint32_t count);
/** Inserts or removes one argument, as signet_graph_insert_input does. */
SIGNET_API signet_arg signet_node_insert_input(signet_package *package, signet_node node,
                                               uint32_t i);
SIGNET_API signet_arg signet_node_insert_output(signet_package *package, signet_node node,
                                                uint32_t i);
SIGNET_API void signet_node_remove_input(signet_package *package, signet_node node, uint32_t i);
SIGNET_API void signet_node_remove_output(signet_package *package, signet_node node, uint32_t i);
/** True when the carrier shows only those results that are read (printed text), so that there may
 * be more results than outputs. */
SIGNET_API bool signet_node_results_open(const signet_package *package, signet_node node);
SIGNET_API void signet_node_set_results_open(signet_package *package, signet_node node, bool open);
/** schema.Node.is_hop_single_tensor_return: -1 absent, 0 false, 1 true. */
SIGNET_API int signet_node_hop_single_return(const signet_package *package, signet_node node);
SIGNET_API void signet_node_set_hop_single_return(signet_package *package, signet_node node,
                                                  int state);

/** Key/value metadata, such as "stack_trace" (opaque text, kept in order). */
SIGNET_API uint32_t signet_node_metadata_count(const signet_package *package, signet_node node);
SIGNET_API signet_string signet_node_metadata(const signet_package *package, signet_node node,
                                              uint32_t i, signet_string *value);
SIGNET_API void signet_node_add_metadata(signet_package *package, signet_node node,
                                         signet_string key, signet_string value);

/** The innermost frame of the node's stack trace. Absent strings and line 0 where there is none. */
typedef struct signet_user_source {
    signet_string file;
    uint32_t line; /**< 1-based */
    signet_string function;
    signet_string code;
} signet_user_source;
SIGNET_API signet_user_source signet_node_user_source(const signet_package *package,
                                                      signet_node node);

/* ---- Operators ------------------------------------------------------------------------------- */

/** What kind of target a node has. */
typedef enum signet_operator_class {
    SIGNET_OPERATOR_MALFORMED = 0, /**< fits no known spelling */
    SIGNET_OPERATOR_OVERLOAD,      /**< name space, name, overload: aten.add.Tensor */
    SIGNET_OPERATOR_EDGE,          /**< the same in ExecuTorch's edge dialect */
    SIGNET_OPERATOR_PACKET,        /**< name space and name without an overload */
    SIGNET_OPERATOR_HIGHER_ORDER,  /**< torch.ops.higher_order.cond */
    SIGNET_OPERATOR_DELEGATE_CALL, /**< torch.ops.higher_order.executorch_call_delegate */
    SIGNET_OPERATOR_GETITEM,       /**< _operator.getitem that could not be folded */
    SIGNET_OPERATOR_BUILTIN,       /**< _operator.add, math.trunc, torch.sym_max, ... */
    SIGNET_OPERATOR_EXTENSION,     /**< "#namespace:name" */
    SIGNET_OPERATOR_FUNCTION,      /**< any other dotted Python name */
} signet_operator_class;

/** An operator, parsed from its spelling. All spellings of one operator (torch.ops.aten.add.Tensor,
 *  aten.add.Tensor; the three edge spellings) give the same name space, name and overload. */
typedef struct signet_operator {
    signet_operator_class op_class;
    signet_string name_space; /**< "aten"; absent where the class has none */
    signet_string name;       /**< "add"; the whole spelling for MALFORMED and FUNCTION */
    signet_string overload;   /**< "Tensor" */
    bool in_place;            /**< writes its first argument by PyTorch's spelling: name ends in one
                                   underscore (and is not dunder), or the overload is "out" or ends
                                   in "_out" */
} signet_operator;
SIGNET_API signet_operator signet_node_operator(const signet_package *package, signet_node node);

/* ---- Values and uses ------------------------------------------------------------------------- */

SIGNET_API signet_string signet_value_name(const signet_package *package, signet_value value);
/** As it is defined; UNDEFINED when nothing defines it. */
SIGNET_API signet_value_kind signet_value_get_kind(const signet_package *package,
                                                   signet_value value);
SIGNET_API signet_graph signet_value_graph(const signet_package *package, signet_value value);
/** What defines it: GRAPH_INPUT, NODE_OUTPUT, or NONE. */
SIGNET_API signet_owner_kind signet_value_definition(const signet_package *package,
                                                     signet_value value);
/** The defining node; null for graph inputs and undefined values. */
SIGNET_API signet_node signet_value_node(const signet_package *package, signet_value value);
/** Position among the graph inputs, or among the node's outputs (of the outermost argument). */
SIGNET_API uint32_t signet_value_position(const signet_package *package, signet_value value);
/** The argument that defines it; null for undefined values. */
SIGNET_API signet_arg signet_value_def(const signet_package *package, signet_value value);
/** True for a second definition of a name. */
SIGNET_API bool signet_value_is_redefined(const signet_package *package, signet_value value);
/** Gives another name. Declared names of specs that agreed are renamed with it. */
SIGNET_API void signet_value_rename(signet_package *package, signet_value value,
                                    signet_string name);

/** Uses, in no promised order: each argument that names the value, graph outputs included. */
SIGNET_API signet_arg signet_value_first_use(const signet_package *package, signet_value value);
SIGNET_API signet_arg signet_use_next(const signet_package *package, signet_arg use);
SIGNET_API uint32_t signet_value_use_count(const signet_package *package, signet_value value);
/** Points every use of @p from at @p to; declared names of output specs that agreed follow. */
SIGNET_API void signet_value_replace_uses(signet_package *package, signet_value from,
                                          signet_value to);

/** The description of a value (the carrier's tables). A tensor has a type; symbolic values have a
 *  sym; custom objects a class name. Which table described it: signet_value_described_as, UNKNOWN
 *  when none did. */
SIGNET_API signet_value_kind signet_value_described_as(const signet_package *package,
                                                       signet_value value);
SIGNET_API signet_type signet_value_type(const signet_package *package, signet_value value);
SIGNET_API signet_sym signet_value_sym(const signet_package *package, signet_value value);
SIGNET_API signet_string signet_value_class(const signet_package *package, signet_value value);
SIGNET_API void signet_value_describe_tensor(signet_package *package, signet_value value,
                                             signet_type type);
SIGNET_API void signet_value_describe_sym(signet_package *package, signet_value value,
                                          signet_value_kind table, signet_sym sym);
SIGNET_API void signet_value_describe_custom(signet_package *package, signet_value value,
                                             signet_string class_name);

/* ---- Arguments ------------------------------------------------------------------------------- */

SIGNET_API signet_arg_kind signet_arg_get_kind(const signet_package *package, signet_arg arg);
/** The parameter's name; absent where the carrier has none, empty where it says "". */
SIGNET_API signet_string signet_arg_name(const signet_package *package, signet_arg arg);
SIGNET_API signet_passing signet_arg_passing(const signet_package *package, signet_arg arg);
/** True when a SYM_* argument holds a literal in place of a value. */
SIGNET_API bool signet_arg_is_literal(const signet_package *package, signet_arg arg);
/** The value it names or defines; null when it names none. */
SIGNET_API signet_value signet_arg_value(const signet_package *package, signet_arg arg);
SIGNET_API int64_t signet_arg_int(const signet_package *package, signet_arg arg);
SIGNET_API double signet_arg_float(const signet_package *package, signet_arg arg);
SIGNET_API bool signet_arg_bool(const signet_package *package, signet_arg arg);
SIGNET_API signet_string signet_arg_string(const signet_package *package, signet_arg arg);
/** DEVICE: type name, and index (has_index false: none). */
SIGNET_API signet_string signet_arg_device(const signet_package *package, signet_arg arg,
                                           bool *has_index, int64_t *index);
SIGNET_API signet_graph signet_arg_graph(const signet_package *package, signet_arg arg);
SIGNET_API signet_delegate signet_arg_delegate(const signet_package *package, signet_arg arg);
/** CUSTOM_OBJ: the class name given with the reference. */
SIGNET_API signet_string signet_arg_class(const signet_package *package, signet_arg arg);
/** RAW: the tag, and the text of what it holds. */
SIGNET_API signet_string signet_arg_raw(const signet_package *package, signet_arg arg,
                                        signet_string *text);
SIGNET_API uint32_t signet_arg_child_count(const signet_package *package, signet_arg arg);
SIGNET_API signet_arg signet_arg_child(const signet_package *package, signet_arg arg, uint32_t i);
/** Whose argument it is; children have the owner of their outermost argument. NONE for declared
 *  arguments of specs and call entries. */
SIGNET_API signet_owner_kind signet_arg_owner(const signet_package *package, signet_arg arg);
SIGNET_API signet_node signet_arg_node(const signet_package *package, signet_arg arg);
/** The graph the argument stands in. */
SIGNET_API signet_graph signet_arg_owner_graph(const signet_package *package, signet_arg arg);
/** Position of its outermost argument in the list it belongs to. */
SIGNET_API uint32_t signet_arg_position(const signet_package *package, signet_arg arg);

/* Setting an argument ends the use or definition that it held before. */
SIGNET_API void signet_arg_set_name(signet_package *package, signet_arg arg, signet_string name,
                                    signet_passing passing);
SIGNET_API void signet_arg_set_none(signet_package *package, signet_arg arg);
/** Kinds with payload VALUE or SYMBOL: a use of @p value. */
SIGNET_API void signet_arg_set_value(signet_package *package, signet_arg arg, signet_arg_kind kind,
                                     signet_value value);
/** The same by name: in results and graph inputs it defines a value of that name, elsewhere it uses
 *  the value of that name in the argument's graph, which becomes an undefined value where there is
 *  none (yet). @return the value. */
SIGNET_API signet_value signet_arg_set_named(signet_package *package, signet_arg arg,
                                             signet_arg_kind kind, signet_string name);
/** INT, SCALAR_TYPE, MEMORY_FORMAT, LAYOUT, or a literal SYM_INT. */
SIGNET_API void signet_arg_set_int(signet_package *package, signet_arg arg, signet_arg_kind kind,
                                   int64_t number);
/** FLOAT or a literal SYM_FLOAT. */
SIGNET_API void signet_arg_set_float(signet_package *package, signet_arg arg, signet_arg_kind kind,
                                     double number);
/** BOOL or a literal SYM_BOOL. */
SIGNET_API void signet_arg_set_bool(signet_package *package, signet_arg arg, signet_arg_kind kind,
                                    bool truth);
/** STRING, OPERATOR, ATTRIBUTE. */
SIGNET_API void signet_arg_set_string(signet_package *package, signet_arg arg, signet_arg_kind kind,
                                      signet_string text);
SIGNET_API void signet_arg_set_device(signet_package *package, signet_arg arg, signet_string type,
                                      bool has_index, int64_t index);
SIGNET_API void signet_arg_set_graph(signet_package *package, signet_arg arg, signet_graph graph);
SIGNET_API void signet_arg_set_delegate(signet_package *package, signet_arg arg,
                                        signet_delegate delegate);
SIGNET_API void signet_arg_set_class(signet_package *package, signet_arg arg,
                                     signet_string class_name);
SIGNET_API void signet_arg_set_raw(signet_package *package, signet_arg arg, signet_string tag,
                                   signet_string text);
/** A kind with payload LIST and @p count children of kind NONE. @return the first child (null when
 *  count is 0); child i is {first.id + i}. */
SIGNET_API signet_arg signet_arg_set_list(signet_package *package, signet_arg arg,
                                          signet_arg_kind kind, uint32_t count);

/* ---- Types and symbolic expressions ---------------------------------------------------------- */

/** Head of an expression. Unknown functions stay opaque; nothing is ever evaluated as code. */
typedef enum signet_expr_head {
    SIGNET_EXPR_NULL = 0,
    SIGNET_EXPR_INTEGER,
    SIGNET_EXPR_SYMBOL,
    SIGNET_EXPR_ADD,      /**< operands in canonical order */
    SIGNET_EXPR_MUL,      /**< operands in canonical order */
    SIGNET_EXPR_FUNCTION, /**< named: Pow, FloorDiv, Max, GreaterThan, Rational, ... */
} signet_expr_head;

/** Expressions are hash-consed per package: equal expressions have equal ids. Sums and products are
 *  kept in one form, so that a + b and b + a are one expression: operands in canonical order, sums
 *  inside sums and products inside products in the place of their operands, integers (and Rational)
 *  put together as long as they fit 64 bits. So the result of signet_expr_make may have another
 * head and other operands than were asked for; nothing else is simplified. Max, Min, And, Or and
 * Xor have their operands in canonical order too. Errors: SIGNET_E_LIMIT when it nests too deep or
 * grows too large. */
SIGNET_API signet_expr signet_expr_integer(signet_package *package, int64_t number);
SIGNET_API signet_expr signet_expr_symbol(signet_package *package, signet_string name);
SIGNET_API signet_expr signet_expr_make(signet_package *package, signet_expr_head head,
                                        signet_string function, const signet_expr *operands,
                                        uint32_t count);
SIGNET_API signet_expr_head signet_expr_get_head(const signet_package *package, signet_expr expr);
SIGNET_API int64_t signet_expr_number(const signet_package *package, signet_expr expr);
/** The symbol's or function's name. */
SIGNET_API signet_string signet_expr_name(const signet_package *package, signet_expr expr);
SIGNET_API uint32_t signet_expr_operand_count(const signet_package *package, signet_expr expr);
SIGNET_API signet_expr signet_expr_operand(const signet_package *package, signet_expr expr,
                                           uint32_t i);

/** A symbolic scalar as files have it: a literal, or an expression with the text it came as and a
 *  hint (the value that tracing saw). Hash-consed. */
typedef enum signet_sym_kind {
    SIGNET_SYM_NONE = 0,
    SIGNET_SYM_INT,
    SIGNET_SYM_FLOAT,
    SIGNET_SYM_BOOL,
    SIGNET_SYM_EXPR,
} signet_sym_kind;
typedef struct signet_sym_info {
    signet_sym_kind kind;
    int64_t number;       /**< INT and BOOL */
    double real;          /**< FLOAT */
    signet_expr expr;     /**< EXPR; null when the text fits no grammar */
    signet_string text;   /**< EXPR: as the carrier spells it; absent: spelled from expr */
    signet_sym_kind hint; /**< NONE, INT, FLOAT or BOOL */
    int64_t hint_number;
    double hint_real;
} signet_sym_info;
SIGNET_API signet_sym signet_sym_make(signet_package *package, const signet_sym_info *info);
SIGNET_API signet_sym signet_sym_int(signet_package *package, int64_t number);
SIGNET_API signet_sym_info signet_sym_get(const signet_package *package, signet_sym sym);

/** A tensor description. `sizes`, `strides` are borrowed arrays of signet_sym.
 *  What the carrier does not tell: dtype UNKNOWN, layout UNKNOWN, device absent, has_strides false.
 */
typedef struct signet_type_info {
    size_t size; /**< sizeof(signet_type_info) */
    signet_dtype dtype;
    signet_layout layout;
    bool requires_grad;
    bool has_strides;
    bool has_device_index;
    signet_string device;
    int64_t device_index;
    const signet_sym *sizes;
    uint32_t rank;
    const signet_sym *strides;
    uint32_t stride_count;
    signet_sym storage_offset; /**< in elements; null where the carrier has none */
} signet_type_info;
/* clang-format off */
#define SIGNET_TYPE_INFO_INIT                                                                      \
    {                                                                                              \
        sizeof(signet_type_info), SIGNET_DTYPE_UNKNOWN, SIGNET_LAYOUT_UNKNOWN, false, false,       \
        false, {NULL, 0}, 0, NULL, 0, NULL, 0, {0}                                                 \
    }
/* clang-format on */
/** Types are hash-consed per package: equal descriptions have equal ids. Arrays are copied. */
SIGNET_API signet_type signet_type_make(signet_package *package, const signet_type_info *info);
/** Fills @p info; its arrays are borrowed until the package changes. */
SIGNET_API void signet_type_get(const signet_package *package, signet_type type,
                                signet_type_info *info);

/* ---- Delegates ------------------------------------------------------------------------------- */

/** A lowered module that nodes of class DELEGATE_CALL call. */
SIGNET_API signet_delegate signet_delegate_add(signet_package *package, signet_string name);
SIGNET_API uint32_t signet_delegate_count(const signet_package *package);
SIGNET_API signet_delegate signet_delegate_at(const signet_package *package, uint32_t i);
SIGNET_API signet_delegate signet_delegate_find(const signet_package *package, signet_string name);
SIGNET_API signet_string signet_delegate_name(const signet_package *package,
                                              signet_delegate delegate);
SIGNET_API signet_string signet_delegate_backend(const signet_package *package,
                                                 signet_delegate delegate);
SIGNET_API void signet_delegate_set_backend(signet_package *package, signet_delegate delegate,
                                            signet_string backend);
/** The program inside, or null when it is not known. */
SIGNET_API signet_program signet_delegate_body(const signet_package *package,
                                               signet_delegate delegate);
SIGNET_API void signet_delegate_set_body(signet_package *package, signet_delegate delegate,
                                         signet_program body);

/* ---- Hash and equality ----------------------------------------------------------------------- */

/** 128 bits in canonical order (the same on every machine). */
typedef struct signet_hash {
    uint8_t bytes[16];
} signet_hash;

typedef enum signet_hash_mode {
    SIGNET_HASH_EXACT,      /**< everything, names, order and metadata included */
    SIGNET_HASH_STRUCTURAL, /**< names, order of independent nodes, dead pure nodes, debug metadata
                                 do not matter; operators, literals, types, targets, positions do */
} signet_hash_mode;

/** Hash of a package. Linear. Errors: SIGNET_E_NOMEM. */
SIGNET_API signet_status signet_package_hash(const signet_package *package, signet_hash_mode mode,
                                             signet_hash *out);
/** Hash of one program, with the bodies of the delegates it calls. Linear. */
SIGNET_API signet_status signet_program_hash(const signet_package *package, signet_program program,
                                             signet_hash_mode mode, signet_hash *out);

typedef enum signet_equal_mode {
    SIGNET_EQUAL_EXACT,      /**< everything */
    SIGNET_EQUAL_STRUCTURAL, /**< what SIGNET_HASH_STRUCTURAL hashes */
    SIGNET_EQUAL_TOLD,       /**< names, order, operators, literals, types and signature as far as
                                  both carriers tell them: a lossy program against a full one */
} signet_equal_mode;

/** The first difference of a paired walk; ids are null where a side has nothing there. */
typedef struct signet_difference {
    size_t size; /**< sizeof(signet_difference) */
    signet_program a_program, b_program;
    signet_graph a_graph, b_graph;
    signet_node a_node, b_node;
    char what[256]; /**< one line: what differs, NUL-terminated */
} signet_difference;
/* clang-format off */
#define SIGNET_DIFFERENCE_INIT                                                                     \
    { sizeof(signet_difference), {0}, {0}, {0}, {0}, {0}, {0}, {0} }
/* clang-format on */

/** Compares two packages. @param equal receives the answer. @param difference may be null; filled
 *  when they differ. Linear. Errors: SIGNET_E_NOMEM. */
SIGNET_API signet_status signet_package_equal(const signet_package *a, const signet_package *b,
                                              signet_equal_mode mode, bool *equal,
                                              signet_difference *difference);
/** The same for one program of each. */
SIGNET_API signet_status signet_program_equal(const signet_package *a, signet_program a_program,
                                              const signet_package *b, signet_program b_program,
                                              signet_equal_mode mode, bool *equal,
                                              signet_difference *difference);

SIGNET_END_DECLS

#endif
