/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_PRINTED_INTERNAL_H
#define SG_FORMATS_PRINTED_INTERNAL_H

/*
 * Reading the text that PyTorch prints for an ExportedProgram (2.1 to 2.14), or for a bare graph
 * module. printed_layout.c finds the parts of the text, printed_signature*.c and printed_ranges.c
 * read what stands below the classes, printed_class.c reads the lines of one class, printed_names.c
 * says what its names are, and printed_graph.c and printed_values.c make the graph.
 *
 * Positions are byte offsets in the text.
 */

#include "base/map.h"
#include "formats/formats_internal.h"
#include "formats/pyexpr.h"

/* A line without its indentation and trailing blanks; at == end: blank, or not part of the text. */
struct sg_printed_line {
    uint32_t at, end;
    uint32_t indent;
};

/* "class NAME(torch.nn.Module):" and the lines up to the next class. */
struct sg_printed_class {
    sg_strid name; /* 0: <lambda> */
    uint32_t name_at, name_length;
    uint32_t line, end_line;
    uint32_t parent, depth;
    uint32_t first_child, last_child, next_sibling;
    uint32_t times_read;
};

struct sg_printed_piece { /* of the text; length 0: absent, unless at says otherwise */
    uint32_t at, length;
};

/* What the annotation of a name says. */
struct sg_printed_described {
    uint8_t kind; /* signet_arg_kind of such a value; 0: not told */
    uint32_t id;  /* signet_type or signet_sym */
    uint32_t at;  /* where it stands */
};

struct sg_printed_param {
    sg_strid name; /* of the value: differs from the parameter's where a line renames it */
    struct sg_printed_piece text;
    struct sg_printed_piece note; /* annotation, without its quotes */
    bool quoted;
    bool renamed;
    bool used;
    struct sg_printed_described described;
};

/* What the comment in front of a statement says; 0: nothing. */
struct sg_printed_origin {
    sg_strid trace;  /* stack trace */
    sg_strid custom; /* annotation, as JSON */
};

typedef enum sg_printed_what {
    SG_PRINTED_NODE = 0,
    SG_PRINTED_ITEM,      /* name = base[index], where index is a plain number */
    SG_PRINTED_ATTRIBUTE, /* name = self.path */
    SG_PRINTED_ALIAS,     /* name = name */
    SG_PRINTED_RETURN,
    SG_PRINTED_SKIP, /* an alias that is done, or a statement that is no operation */
} sg_printed_what;

struct sg_printed_statement {
    uint8_t what;
    bool quoted;
    bool folded;      /* NODE: its items are its results; ITEM: it is a result of its base */
    bool is_value;    /* NODE: something uses it as a whole */
    bool is_delegate; /* ATTRIBUTE: a lowered module */
    sg_strid name;
    struct sg_printed_piece text; /* the name */
    struct sg_printed_piece note;
    uint32_t end; /* of the right-hand side */
    uint32_t rhs; /* expression; 0: none */
    struct sg_printed_origin origin;
    sg_strid path;     /* ATTRIBUTE */
    uint32_t class_id; /* ATTRIBUTE: the class behind it; 0: none */
    struct sg_printed_described described;
    uint32_t base;                                        /* ITEM: statement it indexes */
    uint32_t index;                                       /* ITEM */
    uint32_t first_item, next_item, item_count, item_end; /* items of a NODE */
};

typedef enum sg_printed_is {
    SG_PRINTED_IS_NOTHING = 0,
    SG_PRINTED_IS_VALUE,
    SG_PRINTED_IS_ATTRIBUTE, /* of: statement */
    SG_PRINTED_IS_ALIAS,     /* of: the name it stands for */
} sg_printed_is;

struct sg_printed_name {
    uint8_t is;
    uint8_t kind; /* VALUE: signet_arg_kind of its uses */
    uint32_t of;
    uint32_t statement; /* that defines it; 0: a parameter */
};

/* A spec before it is added to the program. */
struct sg_printed_spec {
    int kind;
    bool faulty;
    bool has_target;
    bool is_constant; /* a ConstantArgument */
    signet_persistence persistent;
    signet_arg_kind arg_kind;
    sg_strid raw_tag, name, target, class_name;
    uint32_t literal; /* expression of a constant's value; 0: none */
    struct sg_span span, name_span, target_span;
};

/* A graph that waits for its class to be read. */
struct sg_printed_job {
    uint32_t class_id;
    signet_graph graph;
    sg_strid prefix; /* of the names of its delegates: "" or "true_graph_0." */
};

struct sg_printed {
    signet_package *p;
    struct sg_log *log;
    uint32_t source;
    const char *text;
    uint32_t length;
    signet_program program;
    bool no_memory;

    SG_VEC(struct sg_printed_line) lines;
    SG_VEC(struct sg_printed_class) classes; /* element 0 is unused, 1 is the root */
    uint32_t root_indent, body_indent;       /* of the root class, and of the line behind it */
    bool meta_never_ends;
    bool has_heading;        /* "ExportedProgram:" */
    uint32_t signature_line; /* 0: none */
    uint32_t ranges_line;    /* 0: none */
    uint32_t end_line;       /* behind the program */

    struct sg_map *class_names; /* (parent, name) -> class; (0, name) -> delegate */
    struct sg_pyx signature;
    SG_VEC(struct sg_printed_spec) specs[2];

    /* the class being read */
    struct sg_pyx body;
    struct sg_map *name_map; /* (epoch, name) -> names */
    uint32_t epoch;
    SG_VEC(struct sg_printed_param) params;
    SG_VEC(struct sg_printed_statement) statements; /* element 0 is unused */
    SG_VEC(struct sg_printed_name) names;           /* element 0 is unused */
    SG_VEC(uint32_t) work;
    SG_VEC(signet_sym) sizes; /* and strides behind them, of one annotation */
    struct sg_printed_job job;
    bool class_faulty;

    SG_VEC(struct sg_printed_job) jobs;
    uint64_t join_budget; /* bytes that may still be searched for the end of a statement */
    uint64_t copy_budget; /* lines that may still be read once more */
    struct sg_text scratch;
};

/* ---- Findings -------------------------------------------------------------------------------- */

/* carrier.text-syntax: "expected WHAT, found ...". */
void sg_printed_expected(struct sg_printed *r, size_t at, size_t length, const char *expected);
/* The same for the error of an expression; sets no_memory where that is the error. */
void sg_printed_bad_expression(struct sg_printed *r, const struct sg_pyx *x);
void sg_printed_syntax(struct sg_printed *r, size_t at, size_t length, const char *format, ...)
    SIGNET_PRINTF(4, 5);
/* carrier.limit: "WHAT, the limit is ...". */
void sg_printed_limit(struct sg_printed *r, size_t at, size_t length, const char *option,
                      uint64_t limit, const char *what);
void sg_printed_truncated(struct sg_printed *r, const char *before);

/* ---- Text ------------------------------------------------------------------------------------ */

static inline signet_string sg_printed_text(const struct sg_printed *r, uint32_t at,
                                            uint32_t length) {
    return (signet_string){r->text + at, length};
}
static inline signet_string sg_printed_piece(const struct sg_printed *r,
                                             struct sg_printed_piece s) {
    return (signet_string){r->text + s.at, s.length};
}
sg_strid sg_printed_intern(struct sg_printed *r, uint32_t at, uint32_t length);
/* What was put into r->scratch, which is cleared first and used for one thing at a time. Without
 * memory it is empty, and no_memory is set. */
struct sg_text *sg_printed_scratch(struct sg_printed *r);
signet_string sg_printed_scratched(struct sg_printed *r);
sg_strid sg_printed_intern_scratched(struct sg_printed *r);
/* True when text[at, end) starts with the word. */
bool sg_printed_starts(const struct sg_printed *r, uint32_t at, uint32_t end, const char *word);
uint32_t sg_printed_skip_blanks(const struct sg_printed *r, uint32_t at, uint32_t end);
/* Where the statement that starts in the line ends: further lines belong to it while a bracket is
 * open. *next gets the line behind it. */
uint32_t sg_printed_statement_end(struct sg_printed *r, uint32_t line, uint32_t last_line,
                                  uint32_t *next);

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The class of that name below another; 0: none. */
uint32_t sg_printed_class_find(const struct sg_printed *r, uint32_t parent, sg_strid name);

void sg_printed_read_signature(struct sg_printed *r);
void sg_printed_read_signature_repr(struct sg_printed *r, uint32_t at, uint32_t end);
struct sg_printed_spec *sg_printed_add_spec(struct sg_printed *r, signet_side side);
/* The kind of that name ("BUFFER"); an unknown one is kept as a tag. */
void sg_printed_set_kind(struct sg_printed *r, struct sg_printed_spec *s, signet_side side,
                         signet_string name);
/* Adds the specs to the program, while the names are those of the root. */
void sg_printed_put_specs(struct sg_printed *r);
void sg_printed_read_ranges(struct sg_printed *r);

/* The annotation in the comment text[at, end) as JSON; 0: none, or none that JSON can hold. */
sg_strid sg_printed_read_custom(struct sg_printed *r, uint32_t at, uint32_t end);
/* Says what kind of statement it is. */
void sg_printed_find_what(struct sg_printed *r, struct sg_printed_statement *s);
/* Fills params, statements and body from the lines of the job's class. */
void sg_printed_read_class(struct sg_printed *r);
/* Says what the names of the class are, and which items are results of their node. */
void sg_printed_find_names(struct sg_printed *r);
/* What a name is, aliases followed; null: nothing that the class knows. *name is replaced by the
 * name it stands for. */
const struct sg_printed_name *sg_printed_name(const struct sg_printed *r, sg_strid *name);
sg_strid sg_printed_name_id(struct sg_printed *r, const struct sg_pyx *x, uint32_t name);
void sg_printed_describe(struct sg_printed *r, struct sg_printed_piece note, bool quoted,
                         struct sg_printed_described *out);
/* The operator of a call; the names in it are no values. */
signet_string sg_printed_target(const struct sg_printed *r, uint32_t call);
bool sg_printed_calls_delegate(const struct sg_printed *r, uint32_t call);
/* Makes the graph of the job. */
void sg_printed_build(struct sg_printed *r);
/* Sets an argument to what the expression says. */
void sg_printed_set_argument(struct sg_printed *r, const struct sg_pyx *x, signet_arg arg,
                             uint32_t expression, bool of_higher_order, bool calls_delegate);
/* The same for a literal without names. false: it is none, and the argument stays as it is. */
bool sg_printed_set_literal(struct sg_printed *r, const struct sg_pyx *x, signet_arg arg,
                            uint32_t expression);

#endif
