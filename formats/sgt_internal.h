/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_SGT_INTERNAL_H
#define SG_FORMATS_SGT_INTERNAL_H

/*
 * Reading the exact text (docs/text-format.md). A line is cut into tokens (sg_sgt_lex.c), its
 * arguments become a tree of items (sg_sgt_item.c, types and sizes in sg_sgt_type.c), and items
 * become arguments of the package (sg_sgt_build.c), because the package wants to know how many
 * there are before it makes them. sg_sgt_read.c holds the statements, sg_sgt_program.c those that
 * say something about a program.
 *
 * Functions that parse return false when the line is wrong; it has its finding then, and reading
 * goes on with the next line.
 */

#include "formats/formats_internal.h"
#include "formats/sgt_spell.h"

/* ---- Tokens ---------------------------------------------------------------------------------- */

typedef enum sg_sgt_token_kind {
    SGT_END = 0, /* of the line */
    SGT_WORD,    /* input */
    SGT_VALUE,   /* %x, %"a b" */
    SGT_SYMBOL,  /* @aten.add.Tensor, @"a b" */
    SGT_STRING,  /* "text" */
    SGT_INT,
    SGT_REAL,
    SGT_DOTS, /* .. */
    SGT_OPEN, /* ... */
    SGT_MARK, /* any other single character */
    SGT_BAD,
} sg_sgt_token_kind;

struct sg_sgt_token {
    uint8_t kind;
    char mark; /* SGT_MARK: the character */
    uint32_t at;
    uint32_t length;
};

/* ---- Items: arguments as they are written ---------------------------------------------------- */

struct sg_sgt_item {
    uint8_t kind;     /* signet_arg_kind; 0 and not explicit: told by the values it names */
    uint8_t passing;  /* signet_passing */
    bool is_explicit; /* the kind is written */
    bool has_prefix;  /* the name and passing are written */
    bool literal;     /* a symbol's literal */
    bool names_value; /* u.ref */
    bool is_list;     /* u.list */
    bool has_class;   /* u.ref.class_name is written */
    bool by_number;   /* u.id is the number of a graph block */
    bool described_twice;
    uint8_t described; /* signet_value_kind of the description, 0 none */
    char closer;       /* of a list */
    sg_strid name;
    uint32_t description, described_at;
    uint32_t at;
    uint32_t next; /* next item of the same list, 0 none */
    union {
        struct {
            sg_strid value; /* 0: none */
            uint32_t ordinal;
            sg_strid class_name;
        } ref;
        struct {
            uint32_t first, last, count;
        } list;
        int64_t integer;
        double real;
        sg_strid text;
        struct {
            sg_strid type;
            int32_t index;
        } device;
        uint32_t id; /* graph, delegate */
        struct {
            sg_strid tag, text;
        } raw;
    } u;
};

/* Where an item stands, which decides what may be left out. */
typedef enum sg_sgt_place {
    SGT_PLACE_RESULT,   /* of a node, or graph input: defines values */
    SGT_PLACE_ARGUMENT, /* of a call: may have a name */
    SGT_PLACE_OUTPUT,   /* of a graph */
    SGT_PLACE_DECLARED, /* of a spec or call entry: names no value */
} sg_sgt_place;

/* ---- The reader ------------------------------------------------------------------------------ */

/* An input or output line: waits until the graph knows how many there are. */
struct sg_sgt_port {
    uint32_t item;     /* 0: none ("?") */
    uint32_t arg;      /* the argument it became */
    uint32_t declared; /* item of the declared argument; 0: like the graph's */
    bool has_name;     /* `name` is declared, all else like the graph's */
    bool has_spec;
    uint8_t kind, persistent;
    sg_strid name, raw_tag, target;
    struct sg_span span, name_span, target_span;
};

typedef enum sg_sgt_frame_kind {
    SGT_FRAME_PACKAGE,
    SGT_FRAME_GRAPH,
    SGT_FRAME_ENTRY,
    SGT_FRAME_SKIPPED, /* its first line is wrong */
} sg_sgt_frame_kind;

/* A block that is open. What it gathers lies above what outer blocks have gathered. */
struct sg_sgt_frame {
    uint8_t kind;
    bool is_top;      /* top graph of a program */
    bool inputs_done; /* the graph has its inputs */
    uint32_t graph;   /* the graph that is read */
    uint32_t node;    /* last node of it */
    uint32_t first_item, first_port, first_ref, first_list;
    uint32_t first_body, next_body; /* graphs whose blocks are awaited */
    uint32_t at;                    /* of the line that opens the block */
};

/* What the end of the graph tells about an argument: the value it names (the second one of that
 * name may not have been there), its kind, and its class. */
struct sg_sgt_ref {
    uint32_t arg; /* 0: a description of the value */
    sg_strid name;
    uint32_t ordinal; /* 1: the argument names its value already */
    uint8_t kind;     /* 0: that of the value */
    bool has_class;
    uint8_t described;
    bool described_twice;
    uint32_t description, at;
};

/* A list whose kind its children tell at the end of the graph (list 0), or a literal in such a
 * list. */
struct sg_sgt_late {
    uint32_t arg;
    uint32_t list;
};

/* An entry of the call graph whose block is open. */
struct sg_sgt_entry {
    signet_call call;
    sg_strid in_spec, out_spec;
    uint32_t first[2]; /* items, by side */
    struct sg_span span;
};

struct sg_sgt_body_ref {
    uint32_t delegate;
    sg_strid name; /* of the program; 0: by number */
    uint32_t number;
    uint32_t at;
};

/* A list of items on its way to a run of arguments. */
struct sg_sgt_level {
    uint32_t item; /* the next one; or an argument, when arguments are copied */
    uint32_t arg;
    uint32_t left; /* arguments */
    bool is_late;  /* the kind of the list is not known yet */
};

struct sg_sgt_graph_ref {
    uint32_t arg;
    uint32_t number;
    uint32_t at;
};

/* Whether a program's line says that the carrier has a table. */
typedef enum sg_sgt_told { SGT_TOLD_BY_LINES = 0, SGT_TOLD_EMPTY, SGT_TOLD_UNKNOWN } sg_sgt_told;

struct sg_sgt_reader {
    signet_package *p;
    struct sg_log *log;
    uint32_t source;
    const char *text;
    size_t length;
    size_t line_end; /* where the next line starts */
    bool failed;     /* the line has its finding */
    uint64_t errors;
    bool limit_told;        /* a limit was reached, and has its finding */
    struct sg_text decoded; /* of the last string */

    SG_VEC(struct sg_sgt_token) tokens; /* of the line; the last one is SGT_END */
    uint32_t t;                         /* the next token */
    const char *bad;                    /* what is wrong with a SGT_BAD token */

    SG_VEC(struct sg_sgt_item) items;   /* element 0 is none */
    SG_VEC(uint32_t) open;              /* lists that are open while an item is read */
    SG_VEC(struct sg_sgt_level) levels; /* the same while it is built, or copied */
    SG_VEC(signet_sym) syms;            /* sizes and strides of the type that is read */
    SG_VEC(struct sg_sgt_port) ports;
    SG_VEC(struct sg_sgt_frame) frames;
    SG_VEC(struct sg_sgt_ref) refs;
    SG_VEC(struct sg_sgt_late) lists;
    SG_VEC(uint32_t) bodies; /* graphs named by arguments, in order */
    SG_VEC(uint32_t) graphs; /* graphs by the order of their blocks */
    SG_VEC(struct sg_sgt_graph_ref) graph_refs;
    SG_VEC(struct sg_sgt_body_ref) body_refs;
    SG_VEC(sg_strid) names;   /* argument names of the entry that is open */
    struct sg_map *delegates; /* by string id of the name */
    SG_VEC(uint8_t) delegate_declared;
    struct sg_sgt_entry entry;

    sg_sgt_spelling spelling;
    uint32_t program;
    sg_sgt_told states, calls, dialects;
    bool nodes_unnamed; /* names=? */
    bool kinds_unknown; /* kinds=? */
};

/* ---- sg_sgt_lex.c
 * --------------------------------------------------------------------------------
 */

/* Cuts the next line into tokens. false: the text is over, or no memory. */
bool sg_sgt_next_line(struct sg_sgt_reader *r);
static inline const struct sg_sgt_token *sg_sgt_peek(const struct sg_sgt_reader *r) {
    return &r->tokens.data[r->t];
}
/* The token behind the next one; SGT_END stays. */
const struct sg_sgt_token *sg_sgt_peek_second(const struct sg_sgt_reader *r);
bool sg_sgt_is_mark(const struct sg_sgt_token *token, char mark);
bool sg_sgt_is_word(const struct sg_sgt_reader *r, const struct sg_sgt_token *token,
                    const char *word);
signet_string sg_sgt_token_text(const struct sg_sgt_reader *r, const struct sg_sgt_token *token);
bool sg_sgt_take_mark(struct sg_sgt_reader *r, char mark);
bool sg_sgt_take_word(struct sg_sgt_reader *r, const char *word);
/* Finding "expected ..., found ..." at the next token. Always false. */
bool sg_sgt_expected(struct sg_sgt_reader *r, const char *what);
/* A finding of another kind at a position of the text. Always false. */
bool sg_sgt_wrong(struct sg_sgt_reader *r, size_t at, size_t length, const char *format, ...)
    SIGNET_PRINTF(4, 5);
bool sg_sgt_expect_mark(struct sg_sgt_reader *r, char mark, const char *what);
bool sg_sgt_expect_end(struct sg_sgt_reader *r, const char *what);
/* The name of a VALUE or SYMBOL, or the content of a STRING: interned. */
bool sg_sgt_name_of(struct sg_sgt_reader *r, const struct sg_sgt_token *token, sg_strid *out);
/* STRING or "?" (absent), and the same with a WORD too. */
bool sg_sgt_take_text(struct sg_sgt_reader *r, sg_strid *out, const char *what);
bool sg_sgt_take_word_or_text(struct sg_sgt_reader *r, sg_strid *out, const char *what);
bool sg_sgt_take_int(struct sg_sgt_reader *r, int64_t *out, const char *what);
bool sg_sgt_take_uint32(struct sg_sgt_reader *r, uint32_t *out, const char *what);
/* REAL, inf, -inf, nan, nan("bits"). */
bool sg_sgt_is_real(const struct sg_sgt_reader *r);
bool sg_sgt_take_real(struct sg_sgt_reader *r, double *out);
/* Text of a target as it is written without quotes. */
sg_strid sg_sgt_target_of(struct sg_sgt_reader *r, const struct sg_sgt_token *symbol);
/* Room for one more element; false is noted in the package. */
#define SGT_ROOM(r, vec) (sg_vec_reserve(&(r)->p->allocator, (vec), 1) || sg_sgt_no_memory(r))
bool sg_sgt_no_memory(struct sg_sgt_reader *r);
/* A limit is reached: its finding, and the status of the package. Always false. */
bool sg_sgt_limit(struct sg_sgt_reader *r, const char *what, const char *option, uint64_t limit);

/* ---- sg_sgt_type.c
 * -------------------------------------------------------------------------------
 */

/* The description behind the colon: "f32[3]", "sym_int[s0]", "custom_obj[\"a.B\"]". */
bool sg_sgt_description(struct sg_sgt_reader *r, uint8_t *kind, uint32_t *description, bool *twice);
bool sg_sgt_type(struct sg_sgt_reader *r, signet_type *out);
/* A device type and its index: cuda:0, "npu":1. */
bool sg_sgt_device(struct sg_sgt_reader *r, sg_strid *type, bool *has_index, int64_t *index);

/* ---- sg_sgt_item.c
 * -------------------------------------------------------------------------------
 */

/* One item with all that is in it; *item is its index. */
bool sg_sgt_item(struct sg_sgt_reader *r, sg_sgt_place place, uint32_t *item);
/* Items separated by commas until `end`; the first one and how many. */
bool sg_sgt_items(struct sg_sgt_reader *r, sg_sgt_place place, char end, uint32_t *first,
                  uint32_t *count);

/* !2 behind a name: the second value called so. */
bool sg_sgt_ordinal(struct sg_sgt_reader *r, uint32_t *ordinal);

/* ---- sg_sgt_read.c
 * -------------------------------------------------------------------------------
 */

static inline struct sg_sgt_frame *sg_sgt_top(struct sg_sgt_reader *r) {
    return &r->frames.data[r->frames.count - 1];
}
bool sg_sgt_push_frame(struct sg_sgt_reader *r, sg_sgt_frame_kind kind, uint32_t graph);
/* The line from its first token on. */
struct sg_span sg_sgt_line_span(const struct sg_sgt_reader *r);
/* The delegate of that name, made when there is none. */
bool sg_sgt_delegate_of(struct sg_sgt_reader *r, const struct sg_sgt_token *symbol,
                        uint32_t *delegate);

/* ---- sg_sgt_build.c
 * ------------------------------------------------------------------------------
 */

/* Makes consecutive arguments, of kind NONE before, what the items say that hang together by
 * `next`. */
bool sg_sgt_build(struct sg_sgt_reader *r, sg_sgt_place place, uint32_t item, uint32_t arg);
/* At the end of a graph: tells values and kinds that were not known when their use was read. */
bool sg_sgt_resolve(struct sg_sgt_reader *r, const struct sg_sgt_frame *frame);
/* Makes a declared argument like the graph's: same kind and literals, a name for each value. */
bool sg_sgt_declare_like(struct sg_sgt_reader *r, uint32_t graph_arg, uint32_t declared);

/* ---- sg_sgt_program.c: what belongs to a program
 * ---------------------------------------------------
 */

/* "program @forward stage=edge {" opens a block. */
bool sg_sgt_program_line(struct sg_sgt_reader *r);
void sg_sgt_program_end(struct sg_sgt_reader *r);
/* schema, torch, dialect, ..., state, entry. *known is false for other lines. */
bool sg_sgt_program_statement(struct sg_sgt_reader *r, bool *known);
bool sg_sgt_entry_statement(struct sg_sgt_reader *r);
bool sg_sgt_entry_end(struct sg_sgt_reader *r);

/* ---- sg_sgt_port.c: inputs and outputs of graphs, and their specs ---------------------------- */

bool sg_sgt_port_line(struct sg_sgt_reader *r, signet_side side);
/* Gives the graph the inputs, or outputs, of the lines that wait. */
bool sg_sgt_ports_build(struct sg_sgt_reader *r, signet_side side);
/* Gives the program their specs; forgets the lines. */
bool sg_sgt_ports_end(struct sg_sgt_reader *r, signet_side side);

#endif
