/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_VERIFIER_INTERNAL_H
#define SG_VERIFIER_INTERNAL_H

/*
 * The verifier's own: rules, facts, causes.
 *
 * A rule is one function for one code, called for each thing of its scope by the engine's single
 * walk. It looks things up in the facts, never walks the graph on its own, and emits through the
 * log:
 *
 *     static void check_getitem_range(struct sg_verify *v, const struct sg_thing *t)
 *     {
 *         ...
 *         struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_GRAPH_GETITEM_RANGE, where);
 *         sg_diag_message(d, ...);
 *         sg_diag_end(d);
 *     }
 *
 * One fault, one finding: a rule that has found a cause marks the thing (sg_mark_*), and a rule
 * whose finding would only follow from that cause names it in silenced_by; it then runs muted and
 * its findings are counted as folded. Rules run in the order of the families below, scope by scope.
 */

#include "base/diag.h"
#include "ir/ir_internal.h"
#include "signet/verify.h"
#include "verifier/gathered.h"
#include "verifier/parties.h"

/* In the order in which the engine gets to them, per program; the last one is of the package. */
typedef enum sg_scope {
    SG_SCOPE_PROGRAM,
    SG_SCOPE_INPUT,  /* each input spec */
    SG_SCOPE_OUTPUT, /* each output spec */
    SG_SCOPE_GRAPH,  /* each graph of the program: the graph, its values, then its nodes */
    SG_SCOPE_VALUE,
    SG_SCOPE_NODE,
    SG_SCOPE_DELEGATE_CALL, /* each node that calls a delegate, after the node's own rules */
    SG_SCOPE_STATE,         /* each entry of the state tables */
    SG_SCOPE_CALL,          /* each entry of the call graph */
    SG_SCOPE_RANGE,         /* each range constraint */
    SG_SCOPE_END,           /* the program, after everything else */
    SG_SCOPE_PACKAGE,       /* once, after all programs: there is no program at hand */
    SG_SCOPE_COUNT
} sg_scope;

/* What a rule is called for. Members that do not belong to the scope are null. */
struct sg_thing {
    signet_program program;
    signet_graph graph;
    signet_node node;
    signet_value value;
    uint32_t index; /* of the spec, state, call or range */
};

/* Causes that silence what follows from them. */
enum {
    /* of a program */
    SG_CAUSE_INPUT_COUNT = 1u << 0,  /* inputs and input specs differ in number */
    SG_CAUSE_OUTPUT_COUNT = 1u << 1, /* outputs and output specs differ in number */
    SG_CAUSE_INPUT_ORDER = 1u << 2,
    SG_CAUSE_OUTPUT_ORDER = 1u << 3,
    SG_CAUSE_CALLS = 1u << 4, /* the signature's kinds are wrong, so leaf counts cannot fit */
    SG_CAUSE_WRITTEN_BACK = 1u << 5, /* no fault: stage final has no mutation outputs any more */
    SG_CAUSE_NESTING = 1u << 6,      /* a graph is inside itself */
    SG_CAUSE_TARGET_TAKEN = 1u << 7, /* two inputs have one target, so another may have none */
    /* of a spec */
    SG_CAUSE_NAME = 1u << 8,     /* name and position disagree */
    SG_CAUSE_KIND = 1u << 9,     /* its kind cannot be right */
    SG_CAUSE_TARGET = 1u << 10,  /* its target names nothing, or something wrong */
    SG_CAUSE_TYPE = 1u << 11,    /* its value's type is wrong */
    SG_CAUSE_COUNTED = 1u << 12, /* the call graph counts it as what it is not */
    /* of a program */
    SG_CAUSE_TOKENS = 1u << 13, /* input and output tokens differ in number */
    /* of a value */
    SG_CAUSE_UNDEFINED = 1u << 16, /* nothing defines it */
    SG_CAUSE_REDEFINED = 1u << 17,
    SG_CAUSE_META = 1u << 18,     /* its description is missing or wrong */
    SG_CAUSE_NO_INPUT = 1u << 19, /* the input that would define it is missing or no value */
};

/* An output spec that is a mutation, bound by position. */
struct sg_mutation {
    uint32_t output; /* position */
    signet_output_kind kind;
    sg_strid target;
    uint32_t input; /* position + 1 of the input it aims at; 0: there is none */
    uint32_t value; /* value that stands at the position; 0: none */
};

/* Gathered once, so that no rule has to walk. */
struct sg_facts {
    /* of the package */
    uint32_t *order;       /* by node id: 1-based place in its graph; 0: removed */
    uint32_t *graph_first; /* by program id: index of its first graph in graph_list */
    uint32_t *graph_list;  /* graph ids, program by program, in order of creation */
    uint32_t *view_of;     /* by value id: the value it is a view of, or itself */
    uint32_t *is_view;     /* by operator id: its first result is a view of its first argument */
    /* of the program at hand */
    uint32_t *input_value;  /* by graph input: value it defines; 0: literal */
    uint32_t *output_value; /* by graph output: value it uses; 0: literal */
    size_t input_bytes, output_bytes, aim_bytes;
    uint32_t *mutated_by; /* by input spec: position + 1 of the first mutation that aims at it */
    struct sg_map *input_of_target; /* sg_key(input kind, target) -> position + 1 of the first; for
                                       USER_INPUT the declared name is the target */
    struct sg_map *input_of_name;   /* sg_key(0, declared name) -> position + 1 of the first */
    struct sg_map *output_of_name;  /* sg_key(0, declared name) -> position + 1 of the first */
    struct sg_map *output_of_value; /* sg_key(0, value) -> position + 1 of the first */
    struct sg_map *state_of_name;   /* sg_key(table, name) -> index + 1 of the first */
    struct sg_map *unbound;         /* sg_key(0, target) -> index + 1 of a mutation without input */
    uint32_t unbound_stored;        /* mutations without input whose target has a stored value */
    uint32_t input_kinds[8];        /* by signet_input_kind: how many inputs */
    SG_VEC(struct sg_mutation) mutations; /* in output order */
};

struct sg_verify {
    const signet_package *p;
    struct sg_log log;
    const signet_verify_options *options;
    struct sg_facts facts;
    struct sg_gathered gathered;
    struct sg_parties parties;
    bool calls_delegates; /* some node may call one */
    /* the program at hand */
    signet_program program;
    signet_stage stage;
    uint64_t errors_before; /* of the report, when the program's turn came */
    uint32_t program_marks;
    uint32_t *spec_marks[2]; /* by position */
    uint32_t *value_marks;   /* by value id, whole package */
    uint32_t hint_looks;     /* taken so far */
    bool not_checked[SIGNET_CODE_COUNT];
    uint8_t *own_severity; /* of the embedder's rules, by index */
    uint64_t *own_emitted;
};

struct sg_rule {
    signet_code code;
    sg_scope scope;
    uint32_t silenced_by; /* causes of the program, or of the thing */
    void (*check)(struct sg_verify *v, const struct sg_thing *t);
};

struct sg_rule_family {
    const struct sg_rule *rules;
    size_t count;
};
extern const struct sg_rule_family sg_rules_graph, sg_rules_meta, sg_rules_symbol,
    sg_rules_signature, sg_rules_mutation, sg_rules_state, sg_rules_token, sg_rules_gradient,
    sg_rules_call, sg_rules_dialect, sg_rules_delegate, sg_rules_owner, sg_rules_torch;

/* ---- Facts ----------------------------------------------------------------------------------- */

static inline uint64_t sg_key(uint32_t kind, sg_strid name) {
    return (uint64_t)kind << 32 | name;
}

bool sg_facts_init(struct sg_verify *v);
void sg_facts_free(struct sg_verify *v);
/* Gathers the facts of v->program; false: no memory. */
bool sg_facts_program(struct sg_verify *v);

/* Position + 1 of the input of that kind and target; 0: there is none. */
uint32_t sg_input_find(const struct sg_verify *v, signet_input_kind kind, sg_strid target);
/* Index + 1 of the state; 0: there is none. */
uint32_t sg_state_find(const struct sg_verify *v, signet_table table, sg_strid name);
uint32_t sg_input_kind_count(const struct sg_verify *v, signet_input_kind kind);
/* The value that the graph input at that position defines; 0: literal, or no such input. */
uint32_t sg_input_value(const struct sg_verify *v, uint32_t position);
/* Position + 1 of the first output that mutates the input at that position; 0: none does. */
uint32_t sg_input_mutated_by(const struct sg_verify *v, uint32_t position);
const struct sg_spec *sg_spec_at(const struct sg_verify *v, signet_side side, uint32_t i);
/* Position + 1 of the first graph output that is this value; 0: none is. */
uint32_t sg_output_of_value(const struct sg_verify *v, uint32_t value);
/* The value whose storage a value shares as far as operators tell: through views and in-place
 * operators, which are known by name. */
uint32_t sg_view_root(const struct sg_verify *v, uint32_t value);
/* The declared name of a spec; 0: it has none. */
sg_strid sg_spec_name(const struct sg_verify *v, signet_side side, uint32_t i);
/* The graph argument at the spec's position; null: there is none. */
const struct sg_arg *sg_spec_position_arg(const struct sg_verify *v, signet_side side, uint32_t i);

/* Does the graph have another value at the spec's position than it declares? */
bool sg_name_disagrees(const struct sg_verify *v, signet_side side, uint32_t i);
/* Is the target the name of a graph input whose spec has lost it? */
bool sg_is_renamed_input(const struct sg_verify *v, sg_strid target);

/* Same number of sizes, each the same as far as told (sg_sym_same). */
bool sg_sizes_same(const signet_package *p, const struct sg_type *a, const struct sg_type *b);

/* ---- Causes ---------------------------------------------------------------------------------- */

void sg_mark_program(struct sg_verify *v, uint32_t causes);
void sg_mark_spec(struct sg_verify *v, signet_side side, uint32_t i, uint32_t causes);
void sg_mark_value(struct sg_verify *v, uint32_t value, uint32_t causes);
uint32_t sg_spec_causes(const struct sg_verify *v, signet_side side, uint32_t i);
uint32_t sg_value_causes(const struct sg_verify *v, uint32_t value);

/* The code could not be decided on this program (the carrier does not tell). */
void sg_not_checked(struct sg_verify *v, signet_code code);

/* Mutes the log for a finding that follows from another one of the same rule; PyTorch's profile
 * does not fold. Returns what v->log.muted must be set back to. */
bool sg_fold(struct sg_verify *v, bool follows);

/* Memory ran out: the run fails with that status. */
void sg_no_memory(struct sg_verify *v);

/* ---- Stages ---------------------------------------------------------------------------------- */

/* Mutations are outputs, so operators must not write: aten, edge, lowered. */
bool sg_stage_is_functional(signet_stage stage);

/* Is it a dialect that PyTorch (*in_torch) or ExecuTorch registers? */
bool sg_is_dialect(signet_string name, bool *in_torch);

/* What a hint may cost: how many things it is looked for in, and all hints of a run together. */
#define SG_HINT_LOOKS 4096
#define SG_HINT_LOOKS_OF_RUN (64 * SG_HINT_LOOKS)

/* ---- Wording --------------------------------------------------------------------------------- */

/* The name in quotes and escaped, or "nothing"; in the log's arena. */
const char *sg_quote(struct sg_verify *v, sg_strid name);
/* "input 2 'x'" or "output 0 'getitem'" by position and declared name. */
const char *sg_spec_words(struct sg_verify *v, signet_side side, uint32_t i);
/* "BUFFER", "USER_OUTPUT"; the raw tag when unknown. */
const char *sg_spec_kind_words(struct sg_verify *v, signet_side side, uint32_t i);
/* Quoted targets of all inputs of that kind, at most eight: "'k', 'v' and 3 more"; "none". */
const char *sg_targets_words(struct sg_verify *v, signet_input_kind kind);
/* Looking for the nearest name: at an edit distance of at most max(1, length / 3). */
struct sg_near {
    signet_string wanted;
    sg_strid not ; /* the name itself */
    sg_strid name; /* the nearest so far; 0: none is near */
    uint32_t distance, looks;
};
struct sg_near sg_near_start(const struct sg_verify *v, sg_strid wanted);
/* False when nothing nearer can come, or the hint has cost enough. */
bool sg_near_offer(struct sg_verify *v, struct sg_near *near, sg_strid name);
/* The nearest target of that kind, by edit distance at most max(1, length / 3); 0: none is near. */
sg_strid sg_target_near(struct sg_verify *v, signet_input_kind kind, sg_strid target);
const char *sg_type_words(struct sg_verify *v, uint32_t type); /* "f32[1, 3]" */
/* "node 'add' (torch.ops.aten.add.Tensor)" */
const char *sg_node_words(struct sg_verify *v, uint32_t node);
/* "the graph" of the program, or "subgraph 'true_graph_0'" */
const char *sg_graph_words(struct sg_verify *v, uint32_t graph);
/* "argument 'self' of node ...", "result 1 of node ...", "output 0 of the graph" */
const char *sg_arg_words(struct sg_verify *v, uint32_t arg);
/* The nearest defined name of the graph, as sg_target_near. */
sg_strid sg_value_near(struct sg_verify *v, uint32_t graph, sg_strid name);

#endif
