/* SPDX-License-Identifier: Apache-2.0 */
/* meta: descriptions of values. */

#include "base/compiler.h"
#include "base/text.h"
#include "verifier/verifier_internal.h"

/* Kinds that some table of the graph describes. */
static bool needs_description(signet_value_kind kind) {
    switch (kind) {
    case SIGNET_VALUE_TENSOR:
    case SIGNET_VALUE_SYM_INT:
    case SIGNET_VALUE_SYM_FLOAT:
    case SIGNET_VALUE_SYM_BOOL:
    case SIGNET_VALUE_CUSTOM_OBJ:
        return true;
    case SIGNET_VALUE_UNKNOWN:
    case SIGNET_VALUE_UNDEFINED:
    case SIGNET_VALUE_TOKEN:
    case SIGNET_VALUE_CONSTANT:
        break;
    }
    return false;
}

static const char *table_words(signet_value_kind kind) {
    const char *table = sg_value_kind_table(kind);
    return table != NULL ? table : "no table";
}

static const char *kind_words(signet_value_kind kind) {
    switch (kind) {
    case SIGNET_VALUE_TENSOR:
        return "a tensor";
    case SIGNET_VALUE_SYM_INT:
        return "a symbolic integer";
    case SIGNET_VALUE_SYM_FLOAT:
        return "a symbolic float";
    case SIGNET_VALUE_SYM_BOOL:
        return "a symbolic bool";
    case SIGNET_VALUE_CUSTOM_OBJ:
        return "a custom object";
    case SIGNET_VALUE_TOKEN:
        return "a token";
    case SIGNET_VALUE_CONSTANT:
        return "a constant";
    case SIGNET_VALUE_UNKNOWN:
    case SIGNET_VALUE_UNDEFINED:
        break;
    }
    return "nothing";
}

/* ---- meta.missing ---------------------------------------------------------------------------- */

static void check_missing(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_value *w = sg_value(v->p, t->value.id);
    if (w->def == 0 || w->described_as != 0 || w->redefined ||
        !needs_description((signet_value_kind)w->kind) || sg_graph(v->p, w->graph)->faulty) {
        return;
    }
    if (sg_program(v->p, v->program.id)->lossy) {
        sg_not_checked(v, SIGNET_CODE_META_MISSING);
        return;
    }
    struct sg_diag *d =
        sg_diag_begin(&v->log, SIGNET_CODE_META_MISSING, sg_at_value(v->p, &v->log, t->value));
    sg_diag_message(d, "%s has no description: %s, %s", sg_quote(v, w->name),
                    kind_words((signet_value_kind)w->kind), sg_arg_words(v, w->def));
    sg_diag_label(d, "not described");
    sg_diag_help(d, "describe it in %s", table_words((signet_value_kind)w->kind));
    sg_diag_known_as(d, "KeyError: %s", sg_quote(v, w->name));
    sg_diag_torch(d, "D-META");
    sg_diag_end(d);
    sg_mark_value(v, t->value.id, SG_CAUSE_META);
}

/* ---- meta.kind ------------------------------------------------------------------------------- */

static void check_described_kind(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_value *w = sg_value(v->p, t->value.id);
    bool other = w->described_as != 0 && w->described_as != w->kind &&
                 needs_description((signet_value_kind)w->kind);
    if (w->def == 0 || (!other && !w->described_twice)) {
        return;
    }
    struct sg_diag *d =
        sg_diag_begin(&v->log, SIGNET_CODE_META_KIND, sg_at_description(v->p, &v->log, t->value));
    if (other) {
        sg_diag_message(d, "%s is described as %s, but defined as %s", sg_quote(v, w->name),
                        kind_words((signet_value_kind)w->described_as),
                        kind_words((signet_value_kind)w->kind));
        sg_diag_help(d, "describe it in %s", table_words((signet_value_kind)w->kind));
    } else {
        sg_diag_message(d, "%s is described twice: in %s and in another table",
                        sg_quote(v, w->name), table_words((signet_value_kind)w->described_as));
        sg_diag_help(d, "keep only its description in %s", table_words((signet_value_kind)w->kind));
    }
    sg_diag_related(d, sg_at_arg(v->p, &v->log, (signet_arg){w->def}), "defined here");
    sg_diag_end(d);
    sg_mark_value(v, t->value.id, SG_CAUSE_META);
}

/* A use as one of these where the other is defined is wrong; how tokens, objects and constants are
 * spelled differs between carriers. */
static bool is_number_or_tensor(signet_value_kind kind) {
    return kind == SIGNET_VALUE_TENSOR || kind == SIGNET_VALUE_SYM_INT ||
           kind == SIGNET_VALUE_SYM_FLOAT || kind == SIGNET_VALUE_SYM_BOOL;
}

/* The first use that takes the value for another kind; 0: none. *count gets how many do. */
static uint32_t odd_use(const struct sg_verify *v, const struct sg_value *w, uint32_t *count) {
    uint32_t found = 0;
    *count = 0;
    for (uint32_t use = w->first_use; use != 0; use = sg_arg(v->p, use)->next_use) {
        signet_value_kind as = sg_arg_kind_value_kind((signet_arg_kind)sg_arg(v->p, use)->kind);
        if (is_number_or_tensor(as) && as != (signet_value_kind)w->kind) {
            found = found != 0 ? found : use;
            ++*count;
        }
    }
    return found;
}

static void check_used_kind(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_value *w = sg_value(v->p, t->value.id);
    uint32_t count;
    if (w->def == 0 || !is_number_or_tensor((signet_value_kind)w->kind) ||
        sg_program(v->p, v->program.id)->lossy) { /* printed text does not tell kinds of uses */
        return;
    }
    uint32_t use = odd_use(v, w, &count);
    if (use == 0) {
        return;
    }
    signet_value_kind as = sg_arg_kind_value_kind((signet_arg_kind)sg_arg(v->p, use)->kind);
    struct sg_diag *d =
        sg_diag_begin(&v->log, SIGNET_CODE_META_KIND, sg_at_arg(v->p, &v->log, (signet_arg){use}));
    sg_diag_message(d, "%s takes %s for %s, but it is %s", sg_arg_words(v, use),
                    sg_quote(v, w->name), kind_words(as), kind_words((signet_value_kind)w->kind));
    if (count > 1) {
        sg_diag_fact(d, "such uses: %u", count);
    }
    sg_diag_related(d, sg_at_arg(v->p, &v->log, (signet_arg){w->def}), "defined here");
    sg_diag_label(d, "is %s", kind_words((signet_value_kind)w->kind));
    sg_diag_help(d, "use it as %s", kind_words((signet_value_kind)w->kind));
    sg_diag_end(d);
}

/* The class that the specs or a use gives to an object against the one it is described by. */
static void report_class(struct sg_verify *v, signet_location where, const char *whose,
                         uint32_t value, sg_strid class_name) {
    const struct sg_value *w = sg_value(v->p, value);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_META_KIND, where);
    sg_diag_message(d, "%s takes %s for a %s, but it is described as a %s", whose,
                    sg_quote(v, w->name), sg_quote(v, class_name), sg_quote(v, w->description));
    sg_diag_related(d, sg_at_description(v->p, &v->log, (signet_value){value}), "described here");
    sg_diag_help(d, "name the same class everywhere");
    sg_diag_end(d);
    sg_mark_value(v, value, SG_CAUSE_META);
}

static void check_declared_class(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_arg *declared = sg_arg(v->p, sg_spec_at(v, SIGNET_INPUT, t->index)->arg);
    uint32_t value = sg_input_value(v, t->index);
    const struct sg_value *w = sg_value(v->p, value);
    if (declared->kind == SIGNET_ARG_CUSTOM_OBJ && declared->name == w->name &&
        declared->u.ref.extra != 0 && w->described_as == SIGNET_VALUE_CUSTOM_OBJ &&
        w->description != 0 && w->description != declared->u.ref.extra) {
        report_class(
            v, sg_at_spec(v->p, &v->log, v->program, SIGNET_INPUT, t->index, SG_SPEC_WHOLE),
            sg_log_text(&v->log, "the spec of input %u", t->index), value, declared->u.ref.extra);
    }
}

static void check_used_class(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_value *w = sg_value(v->p, t->value.id);
    if (w->described_as != SIGNET_VALUE_CUSTOM_OBJ || w->description == 0) {
        return;
    }
    for (uint32_t use = w->first_use; use != 0; use = sg_arg(v->p, use)->next_use) {
        const struct sg_arg *a = sg_arg(v->p, use);
        if (a->kind == SIGNET_ARG_CUSTOM_OBJ && a->u.ref.extra != 0 &&
            a->u.ref.extra != w->description) {
            report_class(v, sg_at_arg(v->p, &v->log, (signet_arg){use}), sg_arg_words(v, use),
                         t->value.id, a->u.ref.extra);
            return;
        }
    }
}

/* ---- meta.rank, meta.size-negative, meta.device-unknown -------------------------------------- */

static struct sg_diag *begin_at_type(struct sg_verify *v, signet_code code,
                                     const struct sg_thing *t) {
    return sg_diag_begin(&v->log, code, sg_at_description(v->p, &v->log, t->value));
}

/* PyTorch makes a tensor of a description only when something defines the value. */
static void end_at_type(struct sg_verify *v, struct sg_diag *d, const struct sg_thing *t) {
    if (sg_value(v->p, t->value.id)->def != 0) {
        sg_diag_torch(d, "D-TEN");
    }
    sg_diag_end(d);
    sg_mark_value(v, t->value.id, SG_CAUSE_META);
}

/* The description of a tensor value; null: it has none. */
static const struct sg_type *type_of(const struct sg_verify *v, const struct sg_thing *t) {
    uint32_t type = signet_value_type(v->p, t->value).id;
    return type != 0 ? sg_type(v->p, type) : NULL;
}

static void check_rank(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_type *type = type_of(v, t);
    if (type == NULL || !type->has_strides || type->sizes.count == type->strides.count) {
        return;
    }
    struct sg_diag *d = begin_at_type(v, SIGNET_CODE_META_RANK, t);
    sg_diag_message(d, "%s has %u sizes, but %u strides",
                    sg_quote(v, sg_value(v->p, t->value.id)->name), type->sizes.count,
                    type->strides.count);
    sg_diag_label(d, "%u and %u", type->sizes.count, type->strides.count);
    sg_diag_help(d, "give as many strides as sizes");
    sg_diag_known_as(d,
                     "RuntimeError \"dimensionality of sizes (%u) must match dimensionality of "
                     "strides (%u)\"",
                     type->sizes.count, type->strides.count);
    end_at_type(v, d, t);
}

/* The number that a size is, if it is one. */
static bool size_number(const signet_package *p, uint32_t sym, int64_t *number) {
    const struct sg_sym *s = sg_sym(p, sym);
    const struct sg_expr *e = sg_expr(p, s->expr);
    if (s->kind == SIGNET_SYM_INT) {
        *number = s->number;
        return true;
    }
    *number = e->number;
    return s->kind == SIGNET_SYM_EXPR && e->head == SIGNET_EXPR_INTEGER;
}

static void check_size_negative(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_type *type = type_of(v, t);
    for (uint32_t i = 0; type != NULL && i < type->sizes.count; i++) {
        int64_t size;
        if (!size_number(v->p, v->p->dims.data[type->sizes.first + i], &size) || size >= 0) {
            continue;
        }
        struct sg_diag *d = begin_at_type(v, SIGNET_CODE_META_SIZE_NEGATIVE, t);
        sg_diag_message(d, "size %u of %s is %lld", i,
                        sg_quote(v, sg_value(v->p, t->value.id)->name), (long long)size);
        sg_diag_label(d, "size %u is negative", i);
        sg_diag_help(d, "give the size that the operator computes, 0 or more");
        sg_diag_known_as(d, "RuntimeError \"Trying to create tensor with negative dimension %lld\"",
                         (long long)size);
        end_at_type(v, d, t);
        return;
    }
}

/* The device type of PyTorch's that is spelled like it, or null. */
static const char *device_near(const struct sg_verify *v, sg_strid device) {
    static const char *const devices[] = {
#define SIGNET_DEVICE(name) name,
#include "signet/kinds.def"
    };
    signet_string wanted = sg_string(v->p, device);
    const char *near = NULL;
    uint32_t best = 2;
    for (size_t i = 0; i < SG_COUNT_OF(devices); i++) {
        uint32_t distance = sg_edit_distance(wanted, signet_str(devices[i]), best);
        if (distance <= best && (near == NULL || distance < best)) {
            near = devices[i];
            best = distance;
        }
    }
    return near;
}

static void say_device(struct sg_verify *v, struct sg_diag *d, const char *whose, sg_strid device) {
    sg_diag_message(d, "%s is %s, a device type that PyTorch does not have", whose,
                    sg_quote(v, device));
    sg_diag_label(d, "no such device");
    const char *near = device_near(v, device);
    if (near != NULL) {
        sg_diag_help(d, "did you mean '%s'?", near);
    } else {
        sg_diag_help(d, "name a device type of PyTorch, such as 'cpu' or 'cuda'");
    }
    sg_diag_known_as(d,
                     "RuntimeError \"Expected one of cpu, cuda, ... device type at start of "
                     "device string: %s\"",
                     sg_log_name(&v->log, sg_string(v->p, device)));
}

static bool is_unknown_device(const struct sg_verify *v, sg_strid device) {
    return device != 0 && !sg_is_device_type(sg_string(v->p, device));
}

static void check_device_unknown(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_type *type = type_of(v, t);
    if (type == NULL || !is_unknown_device(v, type->device)) {
        return;
    }
    struct sg_diag *d = begin_at_type(v, SIGNET_CODE_META_DEVICE_UNKNOWN, t);
    say_device(
        v, d,
        sg_log_text(&v->log, "the device of %s", sg_quote(v, sg_value(v->p, t->value.id)->name)),
        type->device);
    end_at_type(v, d, t);
}

static void check_device_argument(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_node *n = sg_node(v->p, t->node.id);
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        uint32_t id = n->inputs.first + i;
        const struct sg_arg *a = sg_arg(v->p, id);
        if (a->kind != SIGNET_ARG_DEVICE || !is_unknown_device(v, a->u.device.type)) {
            continue;
        }
        struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_META_DEVICE_UNKNOWN,
                                          sg_at_arg(v->p, &v->log, (signet_arg){id}));
        say_device(v, d, sg_arg_words(v, id), a->u.device.type);
        sg_diag_torch(d, "D-TEN");
        sg_diag_end(d);
    }
}

/* ---- meta.device-disagrees ------------------------------------------------------------------- */

/* The devices of one node, as its operands are looked at. */
struct devices {
    uint32_t value; /* first operand with a device; 0: none yet */
    uint32_t other; /* first operand on another one; 0: none */
    bool explained; /* a finding tells of one of them already */
};

static sg_strid device_of(const struct sg_verify *v, uint32_t value) {
    return sg_type(v->p, signet_value_type(v->p, (signet_value){value}).id)->device;
}

static void look_at(struct sg_verify *v, struct devices *d, uint32_t value) {
    const struct sg_type *type = sg_type(v->p, signet_value_type(v->p, (signet_value){value}).id);
    if (type->device == 0) {
        return;
    }
    d->explained |= (sg_value_causes(v, value) & SG_CAUSE_META) != 0;
    if (d->value == 0) {
        d->value = value;
    } else if (d->other == 0 && type->device != device_of(v, d->value)) {
        d->other = value;
    }
}

/* Operands of rank 0 may come from anywhere: operators take them for numbers. */
static void look_at_operands(struct sg_verify *v, struct devices *d, const struct sg_node *n,
                             sg_strid *made_on) {
    for (uint32_t i = 0; i < n->inputs.count; i++) {
        uint32_t outermost = n->inputs.first + i;
        for (uint32_t id = outermost; id != 0; id = sg_arg_next_inside(v->p, outermost, id)) {
            const struct sg_arg *a = sg_arg(v->p, id);
            if (a->kind == SIGNET_ARG_DEVICE) {
                *made_on = a->u.device.type;
            }
            if (a->kind == SIGNET_ARG_TENSOR && sg_arg_has_value(a) &&
                sg_type(v->p, signet_value_type(v->p, (signet_value){a->u.ref.value}).id)
                        ->sizes.count != 0) {
                look_at(v, d, a->u.ref.value);
            }
        }
    }
}

/* A device argument says where the result lies. */
static bool check_made_on(struct sg_verify *v, const struct sg_thing *t, const struct sg_node *n,
                          sg_strid made_on) {
    const struct sg_arg *result = sg_arg(v->p, n->outputs.count != 0 ? n->outputs.first : 0);
    uint32_t value = sg_arg_has_value(result) ? result->u.ref.value : 0;
    sg_strid described = device_of(v, value);
    if (made_on == 0 || described == 0 || described == made_on || is_unknown_device(v, made_on)) {
        return false;
    }
    bool muted = sg_fold(v, (sg_value_causes(v, value) & SG_CAUSE_META) != 0);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_META_DEVICE_DISAGREES,
                                      sg_at_description(v->p, &v->log, (signet_value){value}));
    sg_diag_message(d, "%s makes its result on %s, but %s is described on %s",
                    sg_node_words(v, t->node.id), sg_quote(v, made_on),
                    sg_quote(v, sg_value(v->p, value)->name), sg_quote(v, described));
    sg_diag_label(d, "on %s", sg_quote(v, described));
    sg_diag_related(d, sg_at_node(v->p, &v->log, t->node), "made on %s", sg_quote(v, made_on));
    sg_diag_help(d, "describe the result on the device that the node names");
    sg_diag_end(d);
    v->log.muted = muted;
    sg_mark_value(v, value, SG_CAUSE_META);
    return true;
}

static void check_device_disagrees(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_node *n = sg_node(v->p, t->node.id);
    const struct sg_operator *o = sg_operator(v->p, n->op);
    if (o->op_class != SIGNET_OPERATOR_OVERLOAD && o->op_class != SIGNET_OPERATOR_EDGE) {
        return;
    }
    struct devices devices = {0, 0, false};
    sg_strid made_on = 0;
    look_at_operands(v, &devices, n, &made_on);
    if (check_made_on(v, t, n, made_on) || (sg_op_marks(v, n->op) & SG_OP_TRANSFER) != 0) {
        return;
    }
    const struct sg_arg *result = sg_arg(v->p, n->outputs.count != 0 ? n->outputs.first : 0);
    if (devices.other == 0 && devices.value != 0 && made_on == 0 && sg_arg_has_value(result)) {
        look_at(v, &devices, result->u.ref.value);
    }
    if (devices.other == 0) {
        return;
    }
    bool muted = sg_fold(v, devices.explained);
    sg_strid first = device_of(v, devices.value);
    sg_strid second = device_of(v, devices.other);
    struct sg_diag *d = sg_diag_begin(&v->log, SIGNET_CODE_META_DEVICE_DISAGREES,
                                      sg_at_node(v->p, &v->log, t->node));
    sg_diag_message(d, "%s has %s on %s, but %s on %s", sg_node_words(v, t->node.id),
                    sg_quote(v, sg_value(v->p, devices.value)->name), sg_quote(v, first),
                    sg_quote(v, sg_value(v->p, devices.other)->name), sg_quote(v, second));
    sg_diag_related(d, sg_at_description(v->p, &v->log, (signet_value){devices.other}),
                    "on %s by its description", sg_quote(v, second));
    sg_diag_help(d, "copy one of them to the other device first, or correct its description");
    sg_diag_end(d);
    v->log.muted = muted;
    sg_mark_value(v, devices.value, SG_CAUSE_META);
    sg_mark_value(v, devices.other, SG_CAUSE_META);
}

/* ---- meta.unused ----------------------------------------------------------------------------- */

static void check_unused(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_value *w = sg_value(v->p, t->value.id);
    if (w->def != 0 || w->use_count != 0 || w->described_as == 0) {
        return;
    }
    struct sg_diag *d =
        sg_diag_begin(&v->log, SIGNET_CODE_META_UNUSED, sg_at_description(v->p, &v->log, t->value));
    sg_diag_message(d, "%s is described in %s, but nothing in %s defines it", sg_quote(v, w->name),
                    table_words((signet_value_kind)w->described_as), sg_graph_words(v, w->graph));
    sg_diag_help(d, "remove the description");
    sg_diag_end(d);
}

static const struct sg_rule rules[] = {
    {SIGNET_CODE_META_KIND, SG_SCOPE_INPUT, SG_CAUSE_INPUT_COUNT, check_declared_class},
    {SIGNET_CODE_META_MISSING, SG_SCOPE_VALUE, SG_CAUSE_NO_INPUT, check_missing},
    {SIGNET_CODE_META_KIND, SG_SCOPE_VALUE, SG_CAUSE_REDEFINED, check_described_kind},
    {SIGNET_CODE_META_KIND, SG_SCOPE_VALUE, SG_CAUSE_META | SG_CAUSE_REDEFINED, check_used_kind},
    {SIGNET_CODE_META_KIND, SG_SCOPE_VALUE, SG_CAUSE_META | SG_CAUSE_REDEFINED, check_used_class},
    {SIGNET_CODE_META_RANK, SG_SCOPE_VALUE, 0, check_rank},
    {SIGNET_CODE_META_SIZE_NEGATIVE, SG_SCOPE_VALUE, 0, check_size_negative},
    {SIGNET_CODE_META_DEVICE_UNKNOWN, SG_SCOPE_VALUE, 0, check_device_unknown},
    {SIGNET_CODE_META_UNUSED, SG_SCOPE_VALUE, 0, check_unused},
    {SIGNET_CODE_META_DEVICE_UNKNOWN, SG_SCOPE_NODE, 0, check_device_argument},
    {SIGNET_CODE_META_DEVICE_DISAGREES, SG_SCOPE_NODE, 0, check_device_disagrees},
};
const struct sg_rule_family sg_rules_meta = {rules, SG_COUNT_OF(rules)};
