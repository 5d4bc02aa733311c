/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/compiler.h"
#include "formats/printed_internal.h"

/* Expressions as arguments, with the kinds that torch.export's schema gives them. */

/* ---- Scalars --------------------------------------------------------------------------------- */

/* A number between the brackets of PyTorch's names: torch.float32, torch.strided. */
static bool set_torch_name(struct sg_printed *r, signet_arg arg, signet_string name) {
    static const struct {
        const char *name;
        uint8_t kind;
        uint16_t number;
    } table[] = {
#define SIGNET_DTYPE(id, number, short_name, torch_name, bytes)                                    \
    {"torch." torch_name, SIGNET_ARG_SCALAR_TYPE, number},
#define SIGNET_LAYOUT(id, number, torch_name) {"torch." torch_name, SIGNET_ARG_LAYOUT, number},
#define SIGNET_MEMORY_FORMAT(id, number, torch_name)                                               \
    {"torch." torch_name, SIGNET_ARG_MEMORY_FORMAT, number},
#include "signet/kinds.def"
    };
    for (size_t i = 0; i < SG_COUNT_OF(table); i++) {
        if (sg_string_is(name, table[i].name)) {
            signet_arg_set_int(r->p, arg, (signet_arg_kind)table[i].kind, table[i].number);
            return true;
        }
    }
    return false;
}

static void set_raw(struct sg_printed *r, const struct sg_pyx *x, signet_arg arg, uint32_t i) {
    signet_arg_set_raw(r->p, arg, signet_str("python"), sg_pyx_text(x, i));
}

/* The text of a STRING; told when it holds an escape that no repr writes. Valid until the next. */
static signet_string string_of(struct sg_printed *r, const struct sg_pyx *x, uint32_t i) {
    if (!sg_pyx_string(x, i, sg_printed_scratch(r))) {
        const struct sg_pyx_node *n = sg_pyx_node(x, i);
        sg_printed_syntax(r, n->at, n->length,
                          "a string holds an escape that Python does not have");
        sg_pyx_string(x, i, sg_printed_scratch(r));
    }
    return sg_printed_scratched(r);
}

static double real_of(const struct sg_pyx *x, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    double real = n->u.real;
    if (n->kind == SG_PYX_INT && !sg_parse_double(sg_pyx_text(x, i), &real)) {
        real = (double)n->u.integer; /* by its text, because "-0" has a sign */
    }
    return real;
}

static bool is_real(const struct sg_pyx *x, uint32_t i) {
    uint8_t kind = sg_pyx_node(x, i)->kind;
    return kind == SG_PYX_INT || kind == SG_PYX_FLOAT;
}

static void set_complex(struct sg_printed *r, signet_arg arg, double real, double imaginary) {
    signet_arg part = signet_arg_set_list(r->p, arg, SIGNET_ARG_COMPLEX, 2);
    if (part.id != 0) {
        signet_arg_set_float(r->p, part, SIGNET_ARG_FLOAT, real);
        signet_arg_set_float(r->p, (signet_arg){part.id + 1}, SIGNET_ARG_FLOAT, imaginary);
    }
}

/* 2j, (1-2j), complex(0.0, 1.0) */
static bool set_if_complex(struct sg_printed *r, const struct sg_pyx *x, signet_arg arg,
                           uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    if (n->kind == SG_PYX_IMAGINARY) {
        set_complex(r, arg, 0.0, n->u.real);
        return true;
    }
    uint32_t second = sg_pyx_child(x, i, 1);
    if (n->kind == SG_PYX_BINARY && (n->op == SG_PYX_OP_ADD || n->op == SG_PYX_OP_SUB) &&
        is_real(x, n->first) && sg_pyx_node(x, second)->kind == SG_PYX_IMAGINARY) {
        double imaginary = sg_pyx_node(x, second)->u.real;
        set_complex(r, arg, real_of(x, n->first), n->op == SG_PYX_OP_SUB ? -imaginary : imaginary);
        return true;
    }
    if (n->kind == SG_PYX_CALL && n->count == 3 && sg_pyx_is_name(x, n->first, "complex") &&
        is_real(x, second) && is_real(x, sg_pyx_node(x, second)->next)) {
        set_complex(r, arg, real_of(x, second), real_of(x, sg_pyx_node(x, second)->next));
        return true;
    }
    return false;
}

/* device(type='cpu'), device(type='cuda', index=0), torch.device('cuda:0') */
static bool set_if_device(struct sg_printed *r, const struct sg_pyx *x, signet_arg arg,
                          uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    if (n->kind != SG_PYX_CALL ||
        (!sg_pyx_is_name(x, n->first, "device") && !sg_pyx_is_name(x, n->first, "torch.device"))) {
        return false;
    }
    uint32_t type = sg_pyx_argument(x, i, "type");
    uint32_t index = sg_pyx_argument(x, i, "index");
    type = type != 0 ? type : sg_pyx_child(x, i, 1);
    if (type == 0 || sg_pyx_node(x, type)->kind != SG_PYX_STRING) {
        return false;
    }
    signet_string name = string_of(r, x, type);
    bool has_index = index != 0 && sg_pyx_node(x, index)->kind == SG_PYX_INT;
    int64_t number = has_index ? sg_pyx_node(x, index)->u.integer : 0;
    const char *colon = memchr(name.data, ':', name.length);
    if (colon != NULL && !has_index) {
        signet_string digits = {colon + 1, name.length - (size_t)(colon + 1 - name.data)};
        has_index = sg_parse_int(digits, &number);
        name.length = has_index ? (size_t)(colon - name.data) : name.length;
    }
    signet_arg_set_device(r->p, arg, name, has_index, number);
    return true;
}

bool sg_printed_set_literal(struct sg_printed *r, const struct sg_pyx *x, signet_arg arg,
                            uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    switch ((sg_pyx_kind)n->kind) {
    case SG_PYX_NONE:
        signet_arg_set_none(r->p, arg);
        return true;
    case SG_PYX_TRUE:
    case SG_PYX_FALSE:
        signet_arg_set_bool(r->p, arg, SIGNET_ARG_BOOL, n->kind == SG_PYX_TRUE);
        return true;
    case SG_PYX_INT:
        signet_arg_set_int(r->p, arg, SIGNET_ARG_INT, n->u.integer);
        return true;
    case SG_PYX_FLOAT:
        signet_arg_set_float(r->p, arg, SIGNET_ARG_FLOAT, n->u.real);
        return true;
    case SG_PYX_STRING:
        signet_arg_set_string(r->p, arg, SIGNET_ARG_STRING, string_of(r, x, i));
        return true;
    case SG_PYX_NAME:
        return set_torch_name(r, arg, sg_pyx_text(x, i));
    case SG_PYX_IMAGINARY:
    case SG_PYX_BINARY:
        return set_if_complex(r, x, arg, i);
    case SG_PYX_CALL:
        return set_if_complex(r, x, arg, i) || set_if_device(r, x, arg, i);
    case SG_PYX_NOTHING:
    case SG_PYX_BIG_INT:
    case SG_PYX_BYTES:
    case SG_PYX_LIST:
    case SG_PYX_TUPLE:
    case SG_PYX_DICT:
    case SG_PYX_INDEX:
    case SG_PYX_ATTRIBUTE:
    case SG_PYX_UNARY:
    case SG_PYX_ENUM:
        return false;
    }
    return false;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Reads a class once more for a second graph of that name: as torch.export has it, each argument
 * holds a graph of its own. The budget keeps nested ones from growing beyond all bounds. */
static bool may_read(struct sg_printed *r, uint32_t class_id) {
    struct sg_printed_class *c = &r->classes.data[class_id];
    uint64_t cost = (uint64_t)(c->end_line - c->line) + 1;
    if (c->times_read++ == 0) {
        return true;
    }
    if (cost > r->copy_budget) {
        sg_printed_syntax(r, c->name_at, c->name_length,
                          "class '%s' is used too often, and its graph is left out there",
                          sg_log_name(r->log, sg_printed_text(r, c->name_at, c->name_length)));
        return false;
    }
    r->copy_budget -= cost;
    return true;
}

static bool set_graph(struct sg_printed *r, signet_arg arg, const struct sg_printed_statement *s) {
    if (s->class_id == 0 || !may_read(r, s->class_id)) {
        return false;
    }
    uint32_t depth = r->classes.data[s->class_id].depth;
    if (depth > r->p->limits.graph_depth) {
        sg_printed_limit(r, s->text.at, s->text.length, "graph-depth", r->p->limits.graph_depth,
                         "subgraphs are nested too deep");
        return false;
    }
    if (!sg_vec_reserve(&r->p->allocator, &r->jobs, 1)) {
        r->no_memory = true;
        return false;
    }
    struct sg_text *t = sg_printed_scratch(r);
    sg_text_string(t, sg_string(r->p, r->job.prefix));
    sg_text_string(t, sg_string(r->p, s->path));
    sg_text_putc(t, '.');
    struct sg_printed_job job = {.class_id = s->class_id};
    job.prefix = sg_printed_intern_scratched(r);
    job.graph = signet_graph_add(r->p, r->program, sg_string(r->p, s->path));
    signet_arg_set_graph(r->p, arg, job.graph);
    r->jobs.data[r->jobs.count++] = job;
    return true;
}

/* A lowered module; those of subgraphs are called by their path. */
static void set_delegate(struct sg_printed *r, signet_arg arg, sg_strid path) {
    struct sg_text *t = sg_printed_scratch(r);
    sg_text_string(t, sg_string(r->p, r->job.prefix));
    sg_text_string(t, sg_string(r->p, path));
    sg_strid name = sg_printed_intern_scratched(r);
    /* No class has parent 0, so that the map of classes can have the delegates there. */
    signet_delegate delegate = {sg_map_get(r->class_names, name)};
    if (delegate.id == 0 && !r->no_memory) {
        delegate = signet_delegate_add(r->p, sg_string(r->p, name));
        r->no_memory = delegate.id != 0 && !sg_map_put(r->class_names, name, delegate.id);
    }
    signet_arg_set_delegate(r->p, arg, delegate);
}

static void set_attribute(struct sg_printed *r, signet_arg arg, uint32_t statement,
                          bool calls_delegate) {
    const struct sg_printed_statement *s = &r->statements.data[statement];
    if (calls_delegate && s->class_id == 0) {
        set_delegate(r, arg, s->path);
    } else if (!set_graph(r, arg, s)) {
        signet_arg_set_string(r->p, arg, SIGNET_ARG_ATTRIBUTE, sg_string(r->p, s->path));
    }
}

static bool names_operator(signet_string s) {
    if (sg_string_starts(s, "executorch_exir_dialects_edge__ops_")) {
        return true;
    }
    unsigned dots = 0;
    for (size_t i = 0; i < s.length; i++) {
        dots += s.data[i] == '.';
    }
    return sg_string_starts(s, "torch.ops.") && dots >= 3;
}

/* `as`: the kind that the list around it has for names; UNKNOWN: that of the value. */
static void set_name(struct sg_printed *r, const struct sg_pyx *x, signet_arg arg, uint32_t i,
                     signet_arg_kind as, bool calls_delegate) {
    signet_string text = sg_pyx_text(x, i);
    sg_strid name = sg_printed_name_id(r, x, i);
    const struct sg_printed_name *known = r->no_memory ? NULL : sg_printed_name(r, &name);
    if (known != NULL && known->is == SG_PRINTED_IS_ATTRIBUTE) {
        set_attribute(r, arg, known->of, calls_delegate);
    } else if (known != NULL && known->is == SG_PRINTED_IS_VALUE) {
        signet_arg_kind kind = as != SIGNET_ARG_UNKNOWN ? as : (signet_arg_kind)known->kind;
        signet_arg_set_named(r->p, arg, kind, sg_string(r->p, name));
    } else if (names_operator(text)) {
        signet_arg_set_string(r->p, arg, SIGNET_ARG_OPERATOR, text);
    } else if (sg_pyx_is_simple_name(x, i)) {
        signet_arg_set_named(r->p, arg, SIGNET_ARG_TENSOR, text); /* undefined: the rules tell */
    } else if (!set_torch_name(r, arg, text)) {
        set_raw(r, x, arg, i);
    }
}

/* ---- Lists ----------------------------------------------------------------------------------- */

enum element { /* bits: what a list holds */
               E_BOOL = 1,
               E_INT = 2,
               E_FLOAT = 4,
               E_STRING = 8,
               E_NONE = 16,
               E_TENSOR = 32,
               E_SYM_INT = 64,
               E_SYM_FLOAT = 128,
               E_SYM_BOOL = 256,
               E_INTS = 512,
               E_FLOATS = 1024,
               E_TENSORS = 2048,
               E_OTHER = 4096,
               E_NAMES = E_TENSOR | E_SYM_INT | E_SYM_FLOAT | E_SYM_BOOL,
};

static unsigned element_of_name(struct sg_printed *r, const struct sg_pyx *x, uint32_t i) {
    if (!sg_pyx_is_simple_name(x, i)) {
        return E_OTHER;
    }
    sg_strid name = sg_printed_name_id(r, x, i);
    const struct sg_printed_name *known = r->no_memory ? NULL : sg_printed_name(r, &name);
    if (known != NULL && known->is == SG_PRINTED_IS_ATTRIBUTE) {
        return E_OTHER;
    }
    switch (known != NULL ? known->kind : SIGNET_ARG_TENSOR) {
    case SIGNET_ARG_SYM_INT:
        return E_SYM_INT;
    case SIGNET_ARG_SYM_FLOAT:
        return E_SYM_FLOAT;
    case SIGNET_ARG_SYM_BOOL:
        return E_SYM_BOOL;
    default:
        return E_TENSOR; /* PyTorch takes every other node of a list for a tensor */
    }
}

static unsigned element_of_scalar(struct sg_printed *r, const struct sg_pyx *x, uint32_t i) {
    switch ((sg_pyx_kind)sg_pyx_node(x, i)->kind) {
    case SG_PYX_TRUE:
    case SG_PYX_FALSE:
        return E_BOOL;
    case SG_PYX_INT:
        return E_INT;
    case SG_PYX_FLOAT:
        return E_FLOAT;
    case SG_PYX_STRING:
        return E_STRING;
    case SG_PYX_NONE:
        return E_NONE;
    case SG_PYX_NAME:
        return element_of_name(r, x, i);
    case SG_PYX_LIST:
    case SG_PYX_TUPLE:
    case SG_PYX_NOTHING:
    case SG_PYX_BIG_INT:
    case SG_PYX_IMAGINARY:
    case SG_PYX_BYTES:
    case SG_PYX_DICT:
    case SG_PYX_CALL:
    case SG_PYX_INDEX:
    case SG_PYX_ATTRIBUTE:
    case SG_PYX_UNARY:
    case SG_PYX_BINARY:
    case SG_PYX_ENUM:
        break;
    }
    return E_OTHER;
}

static unsigned element_of(struct sg_printed *r, const struct sg_pyx *x, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    if (n->kind != SG_PYX_LIST && n->kind != SG_PYX_TUPLE) {
        return element_of_scalar(r, x, i);
    }
    unsigned all = 0;
    for (uint32_t c = n->first; c != 0; c = sg_pyx_node(x, c)->next) {
        all |= element_of_scalar(r, x, c);
    }
    return all == E_INT      ? E_INTS
           : all == E_FLOAT  ? E_FLOATS
           : all == E_TENSOR ? E_TENSORS
                             : E_OTHER;
}

/* The kind of a list by what it holds, as PyTorch's serializer decides; *names gets the kind of the
 * names in it. */
static signet_arg_kind kind_of_list(unsigned all, bool of_higher_order, signet_arg_kind *names) {
    static const struct {
        unsigned holds; /* any of these */
        unsigned must;  /* at least one of these */
        uint8_t list, name;
    } table[] = {
        {E_BOOL, E_BOOL, SIGNET_ARG_BOOLS, 0},
        {E_INT, E_INT, SIGNET_ARG_INTS, 0},
        {E_FLOAT, E_FLOAT, SIGNET_ARG_FLOATS, 0},
        {E_STRING, E_STRING, SIGNET_ARG_STRINGS, 0},
        {E_INT | E_SYM_INT, E_SYM_INT, SIGNET_ARG_SYM_INTS, SIGNET_ARG_SYM_INT},
        {E_FLOAT | E_SYM_FLOAT, E_SYM_FLOAT, SIGNET_ARG_SYM_FLOATS, SIGNET_ARG_SYM_FLOAT},
        {E_BOOL | E_SYM_BOOL, E_SYM_BOOL, SIGNET_ARG_SYM_BOOLS, SIGNET_ARG_SYM_BOOL},
        {E_NAMES, E_NAMES, SIGNET_ARG_TENSORS, SIGNET_ARG_TENSOR},
        {E_NAMES | E_NONE, E_NAMES | E_NONE, SIGNET_ARG_OPTIONAL_TENSORS, SIGNET_ARG_TENSOR},
        {E_INTS, E_INTS, SIGNET_ARG_INT_LISTS, 0},
        {E_FLOATS, E_FLOATS, SIGNET_ARG_FLOAT_LISTS, 0},
        {E_TENSORS, E_TENSORS, SIGNET_ARG_NESTED_TENSORS, SIGNET_ARG_TENSOR},
    };
    *names = SIGNET_ARG_UNKNOWN;
    for (size_t i = 0; i < SG_COUNT_OF(table); i++) {
        if ((all & ~table[i].holds) == 0 && (all & table[i].must) != 0) {
            *names = (signet_arg_kind)table[i].name;
            return (signet_arg_kind)table[i].list;
        }
    }
    if (all == 0) { /* the schema decides, which the text does not have: most lists hold sizes */
        return of_higher_order ? SIGNET_ARG_TENSORS : SIGNET_ARG_INTS;
    }
    return SIGNET_ARG_LIST;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

struct context {
    struct sg_printed *r;
    const struct sg_pyx *x;
    bool of_higher_order;
    bool calls_delegate;
};

static bool push(struct sg_printed *r, uint32_t expression, signet_arg arg, signet_arg_kind names) {
    if (!sg_vec_reserve(&r->p->allocator, &r->work, 3)) {
        r->no_memory = true;
        return false;
    }
    r->work.data[r->work.count++] = expression;
    r->work.data[r->work.count++] = arg.id;
    r->work.data[r->work.count++] = (uint32_t)names;
    return true;
}

/* Makes the list and leaves its elements for later; `first` is the first of them, `step` how many
 * expressions make one (2 in a dictionary, where the second counts). */
static void set_list(const struct context *c, signet_arg arg, signet_arg_kind kind, uint32_t first,
                     uint32_t count, signet_arg_kind names) {
    signet_arg child = signet_arg_set_list(c->r->p, arg, kind, count);
    uint32_t i = first;
    for (uint32_t k = 0; k < count && child.id != 0; k++) {
        signet_arg at = {child.id + k};
        if (kind == SIGNET_ARG_STRING_MAP) {
            signet_arg_set_name(c->r->p, at, string_of(c->r, c->x, i), SIGNET_PASSING_UNKNOWN);
            i = sg_pyx_node(c->x, i)->next;
        }
        if (!push(c->r, i, at, names)) {
            return;
        }
        i = sg_pyx_node(c->x, i)->next;
    }
}

/* True when a name stands anywhere in the expression; its nodes are those made before it. */
static bool holds_names(const struct sg_pyx *x, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    for (uint32_t c = n->first; c != 0; c = sg_pyx_node(x, c)->next) {
        uint8_t kind = sg_pyx_node(x, c)->kind;
        if ((kind == SG_PYX_NAME && !sg_pyx_node(x, c)->is_callee) || kind == SG_PYX_LIST ||
            kind == SG_PYX_TUPLE || kind == SG_PYX_CALL || kind == SG_PYX_INDEX ||
            kind == SG_PYX_UNARY || kind == SG_PYX_BINARY || kind == SG_PYX_DICT) {
            return true;
        }
    }
    return false;
}

static void set_dict(const struct context *c, signet_arg arg, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(c->x, i);
    for (uint32_t k = n->first; k != 0; k = sg_pyx_node(c->x, sg_pyx_node(c->x, k)->next)->next) {
        if (sg_pyx_node(c->x, k)->kind != SG_PYX_STRING) {
            set_raw(c->r, c->x, arg, i);
            return;
        }
    }
    set_list(c, arg, SIGNET_ARG_STRING_MAP, n->first, n->count / 2, SIGNET_ARG_UNKNOWN);
}

static void set_sequence(const struct context *c, signet_arg arg, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(c->x, i);
    unsigned all = 0;
    for (uint32_t e = n->first; e != 0; e = sg_pyx_node(c->x, e)->next) {
        all |= element_of(c->r, c->x, e);
    }
    signet_arg_kind names = SIGNET_ARG_UNKNOWN;
    signet_arg_kind kind = kind_of_list(all, c->of_higher_order, &names);
    set_list(c, arg, kind, n->first, n->count, names);
}

/* Whatever has no kind of its own: slice(...), a named tuple, an enumerator. It is kept as text, or
 * as a list when it names values, so that their uses are known. */
static void set_other(const struct context *c, signet_arg arg, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(c->x, i);
    if (!holds_names(c->x, i)) {
        set_raw(c->r, c->x, arg, i);
        return;
    }
    bool call = n->kind == SG_PYX_CALL;
    uint32_t first = call ? sg_pyx_node(c->x, n->first)->next : n->first;
    set_list(c, arg, SIGNET_ARG_LIST, first, call ? n->count - 1 : n->count, SIGNET_ARG_UNKNOWN);
}

static void set_one(const struct context *c, signet_arg arg, uint32_t i, signet_arg_kind names) {
    struct sg_printed *r = c->r;
    const struct sg_pyx_node *n = sg_pyx_node(c->x, i);
    sg_arg_set_at(r->p, arg, n->at + 1);
    if (n->kind == SG_PYX_NAME) {
        set_name(r, c->x, arg, i, names, c->calls_delegate);
    } else if (n->kind == SG_PYX_INT && names == SIGNET_ARG_SYM_INT) {
        signet_arg_set_int(r->p, arg, names, n->u.integer);
    } else if (n->kind == SG_PYX_FLOAT && names == SIGNET_ARG_SYM_FLOAT) {
        signet_arg_set_float(r->p, arg, names, n->u.real);
    } else if ((n->kind == SG_PYX_TRUE || n->kind == SG_PYX_FALSE) &&
               names == SIGNET_ARG_SYM_BOOL) {
        signet_arg_set_bool(r->p, arg, names, n->kind == SG_PYX_TRUE);
    } else if (n->kind == SG_PYX_LIST || n->kind == SG_PYX_TUPLE) {
        set_sequence(c, arg, i);
    } else if (n->kind == SG_PYX_DICT) {
        set_dict(c, arg, i);
    } else if (!sg_printed_set_literal(r, c->x, arg, i)) {
        set_other(c, arg, i);
    }
}

void sg_printed_set_argument(struct sg_printed *r, const struct sg_pyx *x, signet_arg arg,
                             uint32_t expression, bool of_higher_order, bool calls_delegate) {
    struct context c = {r, x, of_higher_order, calls_delegate};
    uint32_t base = r->work.count;
    if (!push(r, expression, arg, SIGNET_ARG_UNKNOWN)) {
        return;
    }
    while (r->work.count > base && !r->no_memory && r->p->status == SIGNET_OK) {
        r->work.count -= 3;
        const uint32_t *w = &r->work.data[r->work.count];
        uint32_t i = w[0];
        signet_arg at = {w[1]};
        set_one(&c, at, i, (signet_arg_kind)w[2]);
    }
}
