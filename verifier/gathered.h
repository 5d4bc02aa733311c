/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_VERIFIER_GATHERED_H
#define SG_VERIFIER_GATHERED_H

/* What rules about operators, node names and symbols share. Nothing here is made before a rule asks
 * for it. */

#include "ir/ir_internal.h"

struct sg_verify;
struct sg_map;

/* What is known of an operator by its name; by operator id. */
enum {
    SG_OP_KNOWN = 1u << 0,    /* the marks of this operator have been made */
    SG_OP_ALLOWED = 1u << 1,  /* a Python function that may be a target */
    SG_OP_EXIR = 1u << 2,     /* a function of ExecuTorch's last passes */
    SG_OP_PURE = 1u << 3,     /* nothing happens but its results */
    SG_OP_TRANSFER = 1u << 4, /* may work on several devices */
    SG_OP_ASSERT = 1u << 5,   /* aten._assert_scalar */
};
/* The marks; 0 without memory. */
uint32_t sg_op_marks(struct sg_verify *v, uint32_t op);

/* A symbol of the program at hand: it has a range, or occurs in the description of a value. */
struct sg_symbol {
    sg_strid name;
    uint32_t range;      /* index + 1 of its first range; 0: it has none */
    uint32_t value;      /* first value in whose description it occurs; 0: it occurs nowhere */
    uint32_t hint_value; /* value whose description gives the hint; 0: there is no hint */
    int64_t hint;        /* what tracing saw for it */
    bool asserted; /* aten._assert_scalar checks an expression of it; PyTorch's profile only */
};

#define SG_KINDS 16

/* How many specs of each kind there are; kind 0 counts those that were not read in full. */
struct sg_kinds {
    uint32_t program;
    uint32_t count[2][SG_KINDS]; /* by side and kind */
    uint32_t first[2][SG_KINDS]; /* position + 1 of the first */
};

/* What PyTorch says to the outputs of a program, see rules_torch.c. */
struct sg_torch_outputs {
    uint32_t program;
    const char *check; /* null: it accepts them */
    uint32_t position; /* of the output that it refuses */
    uint32_t shared;   /* position + 1 of a mutation whose value updates another target too */
};

/* What the program's own entry of the call graph says. */
struct sg_leaves {
    uint32_t program;
    bool known[2];     /* by side: there is an entry, and its spec is well-formed */
    uint32_t count[2]; /* values that its in_spec and out_spec have */
    uint32_t claimed;  /* outputs of other kinds that out_spec seems to count */
};

/* Kept in struct sg_verify. */
struct sg_gathered {
    uint8_t *op_marks;   /* by operator id */
    uint32_t *name_node; /* by string id: the node met last that has this name */
    uint32_t *symbol_of; /* by string id: index + 1, if that symbol has this name */
    uint32_t *type_seen; /* by type, sym and expr id: the program that has looked into it */
    uint32_t *sym_seen;
    uint32_t *expr_seen;
    uint32_t program;                 /* whose symbols these are; 0: none yet */
    uint32_t names_program;           /* whose node names are all in name_node */
    SG_VEC(struct sg_symbol) symbols; /* ranges first, then in order of values */
    SG_VEC(uint32_t) stack;           /* expressions still to be looked into */
    struct sg_kinds kinds;
    struct sg_leaves leaves;
    struct sg_torch_outputs torch_outputs;
    struct sg_map
        *gradients; /* sg_key(output kind, target) -> position + 1 of the first gradient */
    uint32_t gradients_program;
};

/* Frees everything. */
void sg_gathered_free(struct sg_verify *v);

/* Gathers the symbols of the program at hand. false: no memory; the log's status says so. */
bool sg_symbols(struct sg_verify *v);
/* Index + 1 of the symbol; 0: there is none. After sg_symbols. */
uint32_t sg_symbol_find(const struct sg_verify *v, sg_strid name);

/* The specs of the program at hand, counted. */
const struct sg_kinds *sg_kinds(struct sg_verify *v);

/* The calling convention of the program at hand. */
const struct sg_leaves *sg_leaves(struct sg_verify *v);
/* A mutation that cannot be one, in a program whose out_spec counts more values than there are user
 * outputs: it was meant as one, and call.leaf-count tells it. True when that explains the output.
 */
bool sg_claims_user_output(struct sg_verify *v, uint32_t output);

/* PyTorch's verdict on the outputs of the program at hand. */
const struct sg_torch_outputs *sg_torch_outputs(struct sg_verify *v);

/* Position + 1 of an earlier gradient of the same target; 0: there is none. Notes this one. */
uint32_t sg_gradient_meet(struct sg_verify *v, uint32_t position);

/* The node met before in the same graph that has this node's own name; 0: none has. Meets it. */
uint32_t sg_node_meet(struct sg_verify *v, uint32_t node);
/* Does a node of the program's top graph have this name of its own? Linear once per program. */
bool sg_node_named(struct sg_verify *v, sg_strid name);

/* The argument that follows in a walk over everything inside `outermost`, lists before what they
 * hold, in order; 0 at the end. */
uint32_t sg_arg_next_inside(const signet_package *p, uint32_t outermost, uint32_t arg);

#endif
