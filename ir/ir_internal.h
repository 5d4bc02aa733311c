/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_IR_INTERNAL_H
#define SG_IR_INTERNAL_H

/*
 * The records behind signet/ir.h, for readers and rules that walk fast. Records are small structs
 * in growing arrays, addressed by 1-based ids; element 0 of each array is an all-zero record, so
 * that reading through a null id is harmless. No record pointer survives a call that can add.
 */

#include "base/alloc.h"
#include "base/map.h"
#include "signet/diag.h"
#include "signet/ir.h"
#include "signet/signature.h"

/* ---- Sources: where things stood in the carrier ---------------------------------------------- */

typedef uint32_t sg_strid; /* interned string; 0 absent, 1 empty */

/* A text or record that positions refer to. */
struct sg_source {
    sg_strid file;  /* as the caller named it */
    sg_strid entry; /* record inside an archive; 0: the file itself */
    signet_carrier carrier;
    const char *text; /* text carriers: the whole text (owned by the package's arena); else null */
    size_t length;
    SG_VEC(uint32_t) lines; /* offsets of line starts, text carriers */
};

/* Bytes [at, at + length) of a source; at is offset + 1, so that 0 is "unknown". */
struct sg_span {
    uint32_t at;
    uint32_t length;
};

/* ---- Records --------------------------------------------------------------------------------- */

/*
 * `faulty` says that the reader has told about something it could not read here (a missing member,
 * an unknown tag, a name that is no string), so that what a record lacks is no second finding. A
 * faulty spec, node or graph is checked only as far as it is there: rules that miss something in it
 * stay silent. A program is faulty when its signature or call graph is not there as a whole; a
 * graph when any of its inputs, outputs, nodes or tables is not.
 */

struct sg_list { /* a run in one of the arrays */
    uint32_t first;
    uint32_t count;
};

/* An argument inside another one; its owner is an argument. */
#define SG_OWNER_ARG 5

struct sg_arg {
    uint8_t kind;       /* signet_arg_kind */
    uint8_t passing;    /* signet_passing */
    uint8_t literal;    /* SYM_*: holds a literal */
    uint8_t owner_kind; /* signet_owner_kind, or SG_OWNER_ARG */
    uint32_t owner;     /* node, graph, or the argument whose child this is */
    sg_strid name;      /* parameter name */
    uint32_t at;        /* source offset + 1 of the argument's token; 0: unknown */
    union {
        struct {
            uint32_t value;
            uint32_t extra; /* CUSTOM_OBJ: class name; a literal CUSTOM_OBJ of a spec too */
        } ref;
        struct sg_list list;
        int64_t integer;
        double real;
        sg_strid text; /* STRING, OPERATOR, ATTRIBUTE */
        struct {
            sg_strid type;
            int32_t index; /* INT32_MIN: none */
        } device;
        uint32_t id; /* GRAPH, DELEGATE */
        struct {
            sg_strid tag;
            sg_strid text;
        } raw;
    } u;
    uint32_t next_use, previous_use; /* arguments that name the same value */
};

struct sg_node {
    uint32_t graph; /* 0: removed */
    uint32_t next, previous;
    sg_strid target;
    sg_strid name;
    uint32_t op;                    /* operators */
    struct sg_list inputs, outputs; /* args */
    struct sg_list metadata;        /* pairs */
    struct sg_span span;            /* in the program's source */
    uint32_t index; /* place in its graph when it was appended, as in the carrier; UINT32_MAX:
                       inserted */
    uint8_t results_open;
    uint8_t faulty;
    int8_t hop_single_return; /* -1 absent, 0, 1 */
};

struct sg_value {
    sg_strid name;
    uint32_t graph;
    uint8_t kind;         /* signet_value_kind: as defined */
    uint8_t described_as; /* signet_value_kind: table of the description, 0 none */
    uint8_t redefined;
    uint8_t described_twice; /* more than one table describes the name */
    uint32_t def;            /* defining argument; 0 none */
    uint32_t next_in_graph;  /* next value of the same graph */
    uint32_t description;    /* type, sym or class name, by described_as */
    uint32_t first_use, last_use, use_count;
    uint32_t described_at; /* source offset + 1 */
};

struct sg_graph {
    uint32_t program;
    sg_strid name;
    uint32_t parent; /* argument that holds it; 0: top graph, or held by none */
    uint32_t first, last;
    uint32_t node_count;
    struct sg_list inputs, outputs; /* args */
    uint8_t returns_bare;
    uint8_t faulty;
    uint32_t first_value, last_value; /* values of the graph in order of creation */
    struct sg_span span;
};

struct sg_pair {
    sg_strid key;
    sg_strid value;
};

struct sg_opset {
    sg_strid name;
    int64_t version;
};

struct sg_range {
    sg_strid symbol;
    bool has_min, has_max;
    int64_t min, max;
    struct sg_span span;
};

struct sg_spec {
    uint8_t kind; /* signet_input_kind or signet_output_kind; 0 unknown */
    uint8_t persistent;
    uint8_t faulty;
    sg_strid raw_tag;
    uint32_t arg; /* declared argument: an argument record that names no value; its `name` is the
                     declared name */
    sg_strid target;
    struct sg_span span, name_span, target_span;
};

struct sg_state {
    uint8_t table;
    bool is_parameter;
    bool is_pickled;
    bool has_bytes;
    sg_strid name;
    sg_strid record;
    uint32_t type;
    uint64_t record_bytes;
    uint32_t source; /* may differ from the program's: the config record */
    struct sg_span span;
};

struct sg_call {
    sg_strid fqn;
    bool has_signature;
    bool has_arg_names;
    sg_strid in_spec, out_spec;
    struct sg_list inputs, outputs; /* args that name no value; `name` is the declared name */
    struct sg_list arg_names;       /* pairs: key only */
    struct sg_span span;
};

struct sg_program {
    sg_strid name;
    uint8_t role;
    uint8_t stage; /* signet_stage as the carrier claims */
    bool lossy;
    bool has_state_tables;
    bool has_calls;
    bool has_dialects;
    bool faulty;
    uint32_t graph;
    uint32_t delegate; /* whose body it is */
    uint32_t source;
    uint32_t schema_major, schema_minor;
    sg_strid torch_version;
    sg_strid namedtuples; /* fields of the named tuples in pytree specs: JSON text; 0: none */
    SG_VEC(struct sg_spec) specs[2]; /* by signet_side */
    SG_VEC(struct sg_state) states;
    SG_VEC(struct sg_call) calls;
    SG_VEC(struct sg_range) ranges;
    SG_VEC(sg_strid) dialects;
    SG_VEC(sg_strid) guards;
    SG_VEC(struct sg_opset) opsets;
    SG_VEC(struct sg_pair) metadata;
};

struct sg_delegate {
    sg_strid name;
    sg_strid backend;
    uint32_t body;
    uint32_t caller; /* program whose graph first named the delegate in an argument; 0: none yet */
    struct sg_span span;
};

struct sg_operator {
    sg_strid target; /* as spelled */
    sg_strid name_space, name, overload;
    uint8_t op_class; /* signet_operator_class */
    bool in_place;
};

struct sg_expr {
    uint8_t head;
    sg_strid name;
    int64_t number;
    struct sg_list operands; /* dims */
    uint64_t hash;           /* of the structure: equal in every package */
    uint32_t depth, size;    /* levels, and nodes when it is written out */
};

struct sg_sym {
    uint8_t kind, hint;
    uint32_t expr;
    sg_strid text;
    int64_t number, hint_number; /* doubles by their bits */
};

struct sg_type {
    uint16_t dtype, layout;
    bool requires_grad, has_strides, has_device_index;
    sg_strid device;
    int64_t device_index;
    struct sg_list sizes, strides; /* dims: syms */
    uint32_t offset;               /* sym */
};

struct sg_block {
    void *memory;
    size_t size;
};

struct signet_package {
    signet_allocator allocator;
    signet_limits limits;
    signet_status status; /* first failure */
    signet_carrier carrier;
    struct sg_arena arena; /* texts of sources, blocks handed over by readers */
    struct sg_strings *strings;
    SG_VEC(uint32_t) value_of_name; /* by string: first value of that name in one graph */
    struct sg_map *names;           /* (graph, name) -> the same in other graphs; see value.c */
    SG_VEC(struct sg_source) sources;
    SG_VEC(struct sg_program) programs;
    SG_VEC(struct sg_graph) graphs;
    SG_VEC(struct sg_node) nodes;
    SG_VEC(struct sg_value) values;
    uint32_t redefined_count;
    SG_VEC(struct sg_arg) args;
    SG_VEC(struct sg_pair) pairs;
    SG_VEC(struct sg_delegate) delegates;
    SG_VEC(struct sg_operator) operators;
    SG_VEC(uint32_t) operator_of; /* operator by string id of the target; 0 not yet parsed */
    SG_VEC(struct sg_expr) exprs;
    SG_VEC(struct sg_sym) syms;
    SG_VEC(struct sg_type) types;
    SG_VEC(uint32_t) dims;   /* operand and size lists: ids */
    struct sg_map *interned; /* hash of an expr, sym or type record -> newest record, see type.c */
    uint64_t interned_seed;
    SG_VEC(uint32_t) expr_chain, sym_chain, type_chain; /* older record of the same hash */
    SG_VEC(struct sg_block) blocks; /* memory that borrowed strings point into */
};

/* ---- Access (null ids are fine) -------------------------------------------------------------- */

static inline const struct sg_program *sg_program(const signet_package *p, uint32_t id) {
    return &p->programs.data[id < p->programs.count ? id : 0];
}
static inline const struct sg_graph *sg_graph(const signet_package *p, uint32_t id) {
    return &p->graphs.data[id < p->graphs.count ? id : 0];
}
static inline const struct sg_node *sg_node(const signet_package *p, uint32_t id) {
    return &p->nodes.data[id < p->nodes.count ? id : 0];
}
static inline const struct sg_value *sg_value(const signet_package *p, uint32_t id) {
    return &p->values.data[id < p->values.count ? id : 0];
}
static inline const struct sg_arg *sg_arg(const signet_package *p, uint32_t id) {
    return &p->args.data[id < p->args.count ? id : 0];
}
static inline const struct sg_delegate *sg_delegate(const signet_package *p, uint32_t id) {
    return &p->delegates.data[id < p->delegates.count ? id : 0];
}
static inline const struct sg_operator *sg_operator(const signet_package *p, uint32_t id) {
    return &p->operators.data[id < p->operators.count ? id : 0];
}
static inline const struct sg_expr *sg_expr(const signet_package *p, uint32_t id) {
    return &p->exprs.data[id < p->exprs.count ? id : 0];
}
static inline const struct sg_sym *sg_sym(const signet_package *p, uint32_t id) {
    return &p->syms.data[id < p->syms.count ? id : 0];
}
static inline const struct sg_type *sg_type(const signet_package *p, uint32_t id) {
    return &p->types.data[id < p->types.count ? id : 0];
}
static inline signet_string sg_string(const signet_package *p, sg_strid id) {
    return sg_strings_get(p->strings, id);
}

/* How an argument kind holds what it holds. */
typedef enum sg_payload {
    SG_PAYLOAD_NOTHING,
    SG_PAYLOAD_VALUE,
    SG_PAYLOAD_SYMBOL,
    SG_PAYLOAD_INTEGER,
    SG_PAYLOAD_REAL,
    SG_PAYLOAD_BOOLEAN,
    SG_PAYLOAD_TEXT,
    SG_PAYLOAD_LIST,
    SG_PAYLOAD_DEVICE,
    SG_PAYLOAD_GRAPH,
    SG_PAYLOAD_DELEGATE,
    SG_PAYLOAD_RAW,
} sg_payload;
sg_payload sg_arg_kind_payload(signet_arg_kind kind);
/* True when the argument names (or defines) a value right now. */
bool sg_arg_has_value(const struct sg_arg *arg);
/* Kind of value that an argument of this kind defines or expects. */
signet_value_kind sg_arg_kind_value_kind(signet_arg_kind kind);

/* ---- Names of kinds (tables of signet/kinds.def) --------------------------------------------- */

/* By number: static text, null where the table has none. */
const char *sg_arg_kind_tag(signet_arg_kind kind);         /* "as_tensor" */
const char *sg_value_kind_table(signet_value_kind kind);   /* "tensor_values" */
const char *sg_input_kind_tag(signet_input_kind kind);     /* "buffer" */
const char *sg_input_kind_name(signet_input_kind kind);    /* "BUFFER" */
const char *sg_input_kind_keyword(signet_input_kind kind); /* exact text */
const char *sg_input_kind_target_member(signet_input_kind kind);
const char *sg_output_kind_tag(signet_output_kind kind);
const char *sg_output_kind_name(signet_output_kind kind);
const char *sg_output_kind_keyword(signet_output_kind kind);
const char *sg_output_kind_target_member(signet_output_kind kind);
uint32_t
sg_output_kind_group(signet_output_kind kind); /* PyTorch's order of outputs; 2 if unknown */

/* By text: the kind, or its UNKNOWN (DETECT for stages). */
signet_arg_kind sg_arg_kind_of_tag(signet_string tag);
signet_arg_kind sg_arg_kind_of_keyword(signet_string keyword);
signet_value_kind sg_value_kind_of_keyword(signet_string keyword);
signet_dtype sg_dtype_of_name(signet_string short_name);
signet_dtype sg_dtype_of_torch_name(signet_string name); /* without "torch." */
signet_layout sg_layout_of_torch_name(signet_string name);
signet_memory_format sg_memory_format_of_torch_name(signet_string name);
signet_stage sg_stage_of_keyword(signet_string keyword);
signet_carrier sg_carrier_of_keyword(signet_string keyword);
signet_input_kind sg_input_kind_of_tag(signet_string tag);
signet_input_kind sg_input_kind_of_name(signet_string name); /* PyTorch's: "BUFFER" */
signet_output_kind sg_output_kind_of_tag(signet_string tag);
signet_output_kind sg_output_kind_of_name(signet_string name);
signet_input_kind sg_input_kind_of_keyword(signet_string keyword);
signet_output_kind sg_output_kind_of_keyword(signet_string keyword);
bool sg_is_device_type(signet_string name); /* PyTorch knows it */

/* ---- For readers ----------------------------------------------------------------------------- */

void sg_package_fail(signet_package *p, signet_status status);
/* Interns; copies. 0 for an absent string. */
sg_strid sg_intern(signet_package *p, signet_string s);
sg_strid sg_intern_text(signet_package *p, const char *text);
/* Interns without copying: s must be NUL-terminated and lie in a block of the package. */
sg_strid sg_intern_borrowed(signet_package *p, signet_string s);
/* The same without a look: equal texts get different ids, so this is for long texts that nothing
 * compares by id (values of metadata). */
sg_strid sg_intern_single(signet_package *p, signet_string s);
/* The package frees the block (from its allocator) when it is destroyed. false: not taken. */
bool sg_package_adopt(signet_package *p, void *block, size_t size);

/* What the public calls of these names do, for strings that are interned already. */
signet_node sg_node_append(signet_package *p, signet_graph graph, sg_strid target);
void sg_node_set_name(signet_package *p, signet_node node, sg_strid name);
void sg_node_add_metadata(signet_package *p, signet_node node, sg_strid key, sg_strid value);
void sg_arg_set_name(signet_package *p, signet_arg arg, sg_strid name, signet_passing passing);
signet_value sg_arg_set_named(signet_package *p, signet_arg arg, signet_arg_kind kind,
                              sg_strid name);

/* A source; text (may be null) is borrowed from a block or the arena. 0: no memory. */
uint32_t sg_source_add(signet_package *p, signet_carrier carrier, signet_string file,
                       signet_string entry, const char *text, size_t length);
void sg_program_set_source(signet_package *p, signet_program program, uint32_t source);
void sg_node_set_span(signet_package *p, signet_node node, struct sg_span span);
void sg_graph_set_span(signet_package *p, signet_graph graph, struct sg_span span);
void sg_arg_set_at(signet_package *p, signet_arg arg, uint32_t at);
void sg_spec_set_spans(signet_package *p, signet_program program, signet_side side, uint32_t i,
                       struct sg_span span, struct sg_span name_span, struct sg_span target_span);
void sg_state_set_span(signet_package *p, signet_program program, uint32_t i, uint32_t source,
                       struct sg_span span);
void sg_range_set_span(signet_package *p, signet_program program, uint32_t i, struct sg_span span);
void sg_value_set_described_at(signet_package *p, signet_value value, uint32_t at);
static inline struct sg_span sg_span_make(size_t offset, size_t length) {
    struct sg_span s = {0, 0};
    if (offset < UINT32_MAX) {
        s.at = (uint32_t)offset + 1;
        s.length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
    }
    return s;
}

/* The value of that name in the graph; made as an undefined value when there is none. */
signet_value sg_value_refer(signet_package *p, signet_graph graph, sg_strid name);
/* A further, undefined value of that name. 0: limit or no memory. */
uint32_t sg_value_add(signet_package *p, uint32_t graph, sg_strid name);
/* sg_value_refer without making one. */
signet_value sg_value_lookup(const signet_package *p, signet_graph graph, sg_strid name);
/* A run of argument records of kind NONE. Owner kind NONE: outside of any node or graph (declared
 * arguments of specs and call entries), where arguments name no value. 0: limit or no memory. */
uint32_t sg_arg_alloc(signet_package *p, uint32_t count, uint32_t owner_kind, uint32_t owner);
/* The argument of the owner's own list that this argument is, or is inside of. */
uint32_t sg_arg_outermost(const signet_package *p, uint32_t arg);
/* Position of the outermost argument in its owner's list. */
uint32_t sg_arg_position(const signet_package *p, uint32_t arg);
/* The graph whose values the argument can name. */
uint32_t sg_arg_scope(const signet_package *p, uint32_t arg);
/* The operator record of a target, parsed on first sight. 0: no memory. */
uint32_t sg_operator_of(signet_package *p, sg_strid target);
/* The same operator, however each side spells it. Edge operators are compared by their joined name,
 * because printed text does not tell where the name ends and the overload begins. */
bool sg_operator_same(const signet_package *a, uint32_t x, const signet_package *b, uint32_t y);
/* Equal for operators that are the same. */
struct sg_hasher;
void sg_operator_hash(const signet_package *p, uint32_t op, struct sg_hasher *h);

/* ---- Locations ------------------------------------------------------------------------------- */

/* Texts of a location live in the arena (of the log). Nothing here fails: what does not fit in
 * memory is left out. */
struct sg_log;
signet_location sg_at_source(const signet_package *p, struct sg_log *log, uint32_t source,
                             struct sg_span span);
signet_location sg_at_program(const signet_package *p, struct sg_log *log, signet_program program);
signet_location sg_at_graph(const signet_package *p, struct sg_log *log, signet_graph graph);
signet_location sg_at_node(const signet_package *p, struct sg_log *log, signet_node node);
/* An argument of a node, or a graph input or output: item and JSON path say which. */
signet_location sg_at_arg(const signet_package *p, struct sg_log *log, signet_arg arg);
/* Where a value is defined (undefined values: their first use). */
signet_location sg_at_value(const signet_package *p, struct sg_log *log, signet_value value);
/* The description of a value. */
signet_location sg_at_description(const signet_package *p, struct sg_log *log, signet_value value);
/* What of a spec the label is about. */
typedef enum sg_spec_part { SG_SPEC_WHOLE, SG_SPEC_NAME, SG_SPEC_TARGET } sg_spec_part;
signet_location sg_at_spec(const signet_package *p, struct sg_log *log, signet_program program,
                           signet_side side, uint32_t i, sg_spec_part part);
signet_location sg_at_state(const signet_package *p, struct sg_log *log, signet_program program,
                            uint32_t i);
signet_location sg_at_call(const signet_package *p, struct sg_log *log, signet_program program,
                           uint32_t i);
signet_location sg_at_range(const signet_package *p, struct sg_log *log, signet_program program,
                            uint32_t i);
/* Line and column (1-based) of a byte of a text source. */
void sg_source_line(const struct sg_source *s, size_t offset, uint32_t *line, uint32_t *column);

/* ---- Expressions and types as text ----------------------------------------------------------- */

struct sg_text;
/* Python's infix form: "2*s0 + 1", "Max(1, u0)". */
void sg_expr_infix(const signet_package *p, signet_expr expr, struct sg_text *out);
/* sympy's srepr form: "Add(Symbol('s0', ...), Integer(1))". */
void sg_expr_srepr(const signet_package *p, signet_expr expr, struct sg_text *out);
/* Parses either form by a small grammar. Null when the text does not fit; *byte (may be null) gets
 * the offset where it stops fitting, *expected a static text. */
signet_expr sg_expr_parse(signet_package *p, signet_string text, size_t *byte,
                          const char **expected);
void sg_sym_text(const signet_package *p, signet_sym sym, struct sg_text *out);
/* "f32[3, s0 + 1]". */
void sg_type_text(const signet_package *p, signet_type type, struct sg_text *out);
/* Same size as far as both are told: equal integers, or equal expressions. Across packages too. */
bool sg_sym_same(const signet_package *a, signet_sym x, const signet_package *b, signet_sym y);

#endif
