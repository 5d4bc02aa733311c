/* SPDX-License-Identifier: Apache-2.0 */
#include "verifier/gathered.h"

#include "base/compiler.h"
#include "base/text.h"
#include "verifier/verifier_internal.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

void sg_no_memory(struct sg_verify *v) {
    v->log.status = v->log.status == SIGNET_OK ? SIGNET_E_NOMEM : v->log.status;
}

/* Makes an array on first use; false: no memory. */
static bool make(struct sg_verify *v, uint32_t **numbers, uint32_t count) {
    size_t bytes = 0;
    if (*numbers == NULL && sg_mul_ok(count, sizeof(uint32_t), &bytes)) {
        *numbers = sg_alloc(&v->p->allocator, bytes);
    }
    if (*numbers == NULL) {
        sg_no_memory(v);
    }
    return *numbers != NULL;
}

static void release(struct sg_verify *v, uint32_t *numbers, uint32_t count) {
    sg_free(&v->p->allocator, numbers, (size_t)count * sizeof(uint32_t));
}

static uint32_t string_count(const struct sg_verify *v) {
    return sg_strings_count(v->p->strings) + 1;
}

void sg_gathered_free(struct sg_verify *v) {
    const signet_package *p = v->p;
    struct sg_gathered *g = &v->gathered;
    sg_free(&p->allocator, g->op_marks, p->operators.count);
    release(v, g->name_node, string_count(v));
    release(v, g->symbol_of, string_count(v));
    release(v, g->type_seen, p->types.count);
    release(v, g->sym_seen, p->syms.count);
    release(v, g->expr_seen, p->exprs.count);
    sg_vec_free(&p->allocator, &g->symbols);
    sg_vec_free(&p->allocator, &g->stack);
    sg_map_destroy(g->gradients);
    *g = (struct sg_gathered){0};
}

/* ---- Operators ------------------------------------------------------------------------------- */

static bool is_one_of(signet_string s, const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (sg_string_is(s, texts[i])) {
            return true;
        }
    }
    return false;
}

static uint32_t marks_of_function(signet_string target) {
    static const char *const allowed[] = {
#define SG_PYTHON_TARGET(text) text,
#include "verifier/operators.def"
    };
    static const char *const exir[] = {
#define SG_EXIR_TARGET(text) text,
#include "verifier/operators.def"
    };
    uint32_t marks = 0;
    marks |= is_one_of(target, allowed, SG_COUNT_OF(allowed)) ? SG_OP_ALLOWED : 0;
    marks |= is_one_of(target, exir, SG_COUNT_OF(exir)) ? SG_OP_EXIR : 0;
    return marks;
}

static uint32_t marks_of_operator(const signet_package *p, const struct sg_operator *o) {
    static const char *const pure[] = {
#define SG_PURE_NAME_SPACE(name) name,
#include "verifier/operators.def"
    };
    static const char *const effects[] = {
#define SG_EFFECT_OPERATOR(name) name,
#include "verifier/operators.def"
    };
    static const char *const transfers[] = {
#define SG_TRANSFER_OPERATOR(name) name,
#include "verifier/operators.def"
    };
    signet_string name = sg_string(p, o->name);
    uint32_t marks = 0;
    if (!o->in_place && is_one_of(sg_string(p, o->name_space), pure, SG_COUNT_OF(pure)) &&
        !is_one_of(name, effects, SG_COUNT_OF(effects))) {
        marks |= SG_OP_PURE;
    }
    marks |= is_one_of(name, transfers, SG_COUNT_OF(transfers)) ? SG_OP_TRANSFER : 0;
    marks |= sg_string_is(name, "_assert_scalar") ? SG_OP_ASSERT : 0;
    return marks;
}

static uint32_t marks_of(const signet_package *p, const struct sg_operator *o) {
    switch ((signet_operator_class)o->op_class) {
    case SIGNET_OPERATOR_OVERLOAD:
    case SIGNET_OPERATOR_EDGE:
        return marks_of_operator(p, o);
    case SIGNET_OPERATOR_GETITEM:
        return SG_OP_ALLOWED | SG_OP_PURE;
    case SIGNET_OPERATOR_BUILTIN:
        return marks_of_function(sg_string(p, o->target)) | SG_OP_PURE;
    case SIGNET_OPERATOR_FUNCTION:
        return marks_of_function(sg_string(p, o->target));
    case SIGNET_OPERATOR_MALFORMED:
    case SIGNET_OPERATOR_PACKET:
    case SIGNET_OPERATOR_HIGHER_ORDER:
    case SIGNET_OPERATOR_DELEGATE_CALL:
    case SIGNET_OPERATOR_EXTENSION:
        break;
    }
    return 0;
}

uint32_t sg_op_marks(struct sg_verify *v, uint32_t op) {
    struct sg_gathered *g = &v->gathered;
    if (g->op_marks == NULL) {
        g->op_marks = sg_alloc(&v->p->allocator, v->p->operators.count);
        if (g->op_marks == NULL) {
            sg_no_memory(v);
            return 0;
        }
    }
    if (op >= v->p->operators.count) {
        return 0;
    }
    if ((g->op_marks[op] & SG_OP_KNOWN) == 0) {
        g->op_marks[op] = (uint8_t)(marks_of(v->p, sg_operator(v->p, op)) | SG_OP_KNOWN);
    }
    return g->op_marks[op];
}

/* ---- Names of nodes -------------------------------------------------------------------------- */

uint32_t sg_node_meet(struct sg_verify *v, uint32_t node) {
    const struct sg_node *n = sg_node(v->p, node);
    struct sg_gathered *g = &v->gathered;
    if (n->name == 0 || !make(v, &g->name_node, string_count(v))) {
        return 0;
    }
    uint32_t before = g->name_node[n->name];
    if (before != 0 && before != node && sg_node(v->p, before)->graph == n->graph) {
        return before;
    }
    g->name_node[n->name] = node;
    g->names_program = 0;
    return 0;
}

bool sg_node_named(struct sg_verify *v, sg_strid name) {
    struct sg_gathered *g = &v->gathered;
    uint32_t graph = sg_program(v->p, v->program.id)->graph;
    if (!make(v, &g->name_node, string_count(v))) {
        return false;
    }
    if (g->names_program != v->program.id) {
        for (uint32_t id = sg_graph(v->p, graph)->first; id != 0; id = sg_node(v->p, id)->next) {
            g->name_node[sg_node(v->p, id)->name] = id;
        }
        g->names_program = v->program.id;
    }
    return name != 0 && sg_node(v->p, g->name_node[name])->graph == graph;
}

/* ---- Specs ----------------------------------------------------------------------------------- */

const struct sg_kinds *sg_kinds(struct sg_verify *v) {
    struct sg_kinds *k = &v->gathered.kinds;
    const struct sg_program *r = sg_program(v->p, v->program.id);
    if (k->program == v->program.id) {
        return k;
    }
    *k = (struct sg_kinds){.program = v->program.id};
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < r->specs[side].count; i++) {
            const struct sg_spec *s = &r->specs[side].data[i];
            uint32_t kind = s->faulty || s->kind >= SG_KINDS ? 0 : s->kind;
            if (k->count[side][kind]++ == 0) {
                k->first[side][kind] = i + 1;
            }
        }
    }
    return k;
}

uint32_t sg_gradient_meet(struct sg_verify *v, uint32_t position) {
    struct sg_gathered *g = &v->gathered;
    const struct sg_spec *s = sg_spec_at(v, SIGNET_OUTPUT, position);
    if (g->gradients_program != v->program.id) {
        sg_map_destroy(g->gradients);
        g->gradients = sg_map_create(&v->p->allocator);
        g->gradients_program = v->program.id;
    }
    if (g->gradients == NULL) {
        sg_no_memory(v);
        return 0;
    }
    uint32_t before = sg_map_get(g->gradients, sg_key(s->kind, s->target));
    if (before == 0 && !sg_map_put(g->gradients, sg_key(s->kind, s->target), position + 1)) {
        sg_no_memory(v);
    }
    return before;
}

/* ---- Symbols --------------------------------------------------------------------------------- */

uint32_t sg_symbol_find(const struct sg_verify *v, sg_strid name) {
    const struct sg_gathered *g = &v->gathered;
    uint32_t at = g->symbol_of != NULL ? g->symbol_of[name] : 0;
    return at != 0 && at <= g->symbols.count && g->symbols.data[at - 1].name == name ? at : 0;
}

/* The symbol of that name, made when it is new; null: no memory. */
static struct sg_symbol *symbol(struct sg_verify *v, sg_strid name) {
    struct sg_gathered *g = &v->gathered;
    uint32_t at = sg_symbol_find(v, name);
    if (at == 0) {
        if (!sg_vec_reserve(&v->p->allocator, &g->symbols, 1)) {
            return NULL;
        }
        g->symbols.data[g->symbols.count++] = (struct sg_symbol){.name = name};
        at = g->symbol_of[name] = g->symbols.count;
    }
    return &g->symbols.data[at - 1];
}

/* What to do with a symbol: it occurs in the description of this value, or in an assertion. */
static bool note_symbol(struct sg_verify *v, sg_strid name, uint32_t value, bool asserted) {
    struct sg_symbol *s = symbol(v, name);
    if (s == NULL) {
        return false;
    }
    s->value = s->value != 0 ? s->value : value;
    s->asserted |= asserted;
    return true;
}

/* Looks at every symbol inside an expression, and once at each part of it per stamp. */
static bool look_into_expr(struct sg_verify *v, uint32_t expr, uint32_t value, bool asserted) {
    struct sg_gathered *g = &v->gathered;
    uint32_t stamp = asserted ? v->p->programs.count + v->program.id : v->program.id;
    g->stack.count = 0;
    if (!sg_vec_reserve(&v->p->allocator, &g->stack, 1)) {
        return false;
    }
    g->stack.data[g->stack.count++] = expr;
    while (g->stack.count != 0) {
        uint32_t id = g->stack.data[--g->stack.count];
        if (id == 0 || g->expr_seen[id] == stamp) {
            continue;
        }
        g->expr_seen[id] = stamp;
        const struct sg_expr *e = sg_expr(v->p, id);
        if (e->head == SIGNET_EXPR_SYMBOL && !note_symbol(v, e->name, value, asserted)) {
            return false;
        }
        if (!sg_vec_reserve(&v->p->allocator, &g->stack, e->operands.count)) {
            return false;
        }
        for (uint32_t i = e->operands.count; i > 0; i--) {
            g->stack.data[g->stack.count++] = v->p->dims.data[e->operands.first + i - 1];
        }
    }
    return true;
}

static bool look_into_sym(struct sg_verify *v, uint32_t sym, uint32_t value) {
    struct sg_gathered *g = &v->gathered;
    const struct sg_sym *s = sg_sym(v->p, sym);
    if (s->kind != SIGNET_SYM_EXPR || g->sym_seen[sym] == v->program.id) {
        return true;
    }
    g->sym_seen[sym] = v->program.id;
    if (!look_into_expr(v, s->expr, value, false)) {
        return false;
    }
    const struct sg_expr *e = sg_expr(v->p, s->expr);
    uint32_t at = e->head == SIGNET_EXPR_SYMBOL ? sg_symbol_find(v, e->name) : 0;
    if (at != 0 && s->hint == SIGNET_SYM_INT && g->symbols.data[at - 1].hint_value == 0) {
        g->symbols.data[at - 1].hint_value = value;
        g->symbols.data[at - 1].hint = s->hint_number;
    }
    return true;
}

static bool look_into_list(struct sg_verify *v, struct sg_list list, uint32_t value) {
    for (uint32_t i = 0; i < list.count; i++) {
        if (!look_into_sym(v, v->p->dims.data[list.first + i], value)) {
            return false;
        }
    }
    return true;
}

static bool look_into_value(struct sg_verify *v, uint32_t value) {
    struct sg_gathered *g = &v->gathered;
    const struct sg_value *w = sg_value(v->p, value);
    if (w->description == 0 || w->def == 0) {
        return true;
    }
    switch ((signet_value_kind)w->described_as) {
    case SIGNET_VALUE_SYM_INT:
    case SIGNET_VALUE_SYM_FLOAT:
    case SIGNET_VALUE_SYM_BOOL:
        return look_into_sym(v, w->description, value);
    case SIGNET_VALUE_TENSOR:
        break;
    case SIGNET_VALUE_UNKNOWN:
    case SIGNET_VALUE_UNDEFINED:
    case SIGNET_VALUE_CUSTOM_OBJ:
    case SIGNET_VALUE_TOKEN:
    case SIGNET_VALUE_CONSTANT:
        return true;
    }
    if (g->type_seen[w->description] == v->program.id) {
        return true;
    }
    g->type_seen[w->description] = v->program.id;
    const struct sg_type *t = sg_type(v->p, w->description);
    return look_into_list(v, t->sizes, value) && look_into_list(v, t->strides, value) &&
           look_into_sym(v, t->offset, value);
}

static bool look_into_ranges(struct sg_verify *v, const struct sg_program *r) {
    for (uint32_t i = 0; i < r->ranges.count; i++) {
        struct sg_symbol *s = symbol(v, r->ranges.data[i].symbol);
        if (s == NULL) {
            return false;
        }
        s->range = s->range != 0 ? s->range : i + 1;
    }
    return true;
}

static bool look_into_graphs(struct sg_verify *v) {
    const signet_package *p = v->p;
    struct sg_gathered *g = &v->gathered;
    if (p->exprs.count <= 1) { /* no description is symbolic */
        return true;
    }
    if (!make(v, &g->type_seen, p->types.count) || !make(v, &g->sym_seen, p->syms.count) ||
        !make(v, &g->expr_seen, p->exprs.count)) {
        return false;
    }
    for (uint32_t i = v->facts.graph_first[v->program.id];
         i < v->facts.graph_first[v->program.id + 1]; i++) {
        for (uint32_t id = sg_graph(p, v->facts.graph_list[i])->first_value; id != 0;
             id = sg_value(p, id)->next_in_graph) {
            if (!look_into_value(v, id)) {
                return false;
            }
        }
    }
    return true;
}

static bool has_open_symbol(const struct sg_verify *v) {
    for (uint32_t i = 0; i < v->gathered.symbols.count; i++) {
        if (v->gathered.symbols.data[i].range == 0) {
            return true;
        }
    }
    return false;
}

/* Symbols that assertions check. */
static bool look_into_asserts(struct sg_verify *v) {
    const signet_package *p = v->p;
    for (uint32_t i = v->facts.graph_first[v->program.id];
         i < v->facts.graph_first[v->program.id + 1]; i++) {
        for (uint32_t id = sg_graph(p, v->facts.graph_list[i])->first; id != 0;
             id = sg_node(p, id)->next) {
            const struct sg_node *n = sg_node(p, id);
            if ((sg_op_marks(v, n->op) & SG_OP_ASSERT) == 0 || n->inputs.count == 0) {
                continue;
            }
            signet_value checked = signet_arg_value(p, (signet_arg){n->inputs.first});
            const struct sg_sym *s = sg_sym(p, signet_value_sym(p, checked).id);
            if (s->kind == SIGNET_SYM_EXPR && !look_into_expr(v, s->expr, checked.id, true)) {
                return false;
            }
        }
    }
    return true;
}

bool sg_symbols(struct sg_verify *v) {
    struct sg_gathered *g = &v->gathered;
    if (g->program == v->program.id) {
        return true;
    }
    if (!make(v, &g->symbol_of, string_count(v))) {
        return false;
    }
    g->symbols.count = 0;
    g->program = v->program.id;
    if (look_into_ranges(v, sg_program(v->p, v->program.id)) && look_into_graphs(v) &&
        (!v->log.torch_only || !has_open_symbol(v) || look_into_asserts(v))) {
        return true;
    }
    sg_no_memory(v);
    return false;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

uint32_t sg_arg_next_inside(const signet_package *p, uint32_t outermost, uint32_t arg) {
    const struct sg_arg *a = sg_arg(p, arg);
    if (sg_arg_kind_payload((signet_arg_kind)a->kind) == SG_PAYLOAD_LIST && a->u.list.count != 0) {
        return a->u.list.first;
    }
    while (arg != outermost) {
        uint32_t parent = sg_arg(p, arg)->owner;
        struct sg_list list = sg_arg(p, parent)->u.list;
        if (arg + 1 < list.first + list.count) {
            return arg + 1;
        }
        arg = parent;
    }
    return 0;
}
