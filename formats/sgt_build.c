/* SPDX-License-Identifier: Apache-2.0 */
/* From items to arguments of the package. */

#include "formats/sgt_internal.h"

static struct sg_arg *arg_at(struct sg_sgt_reader *r, uint32_t arg) {
    return &r->p->args.data[arg];
}

static uint32_t current_graph(const struct sg_sgt_reader *r) {
    return r->frames.data[r->frames.count - 1].graph;
}

static bool alive(const struct sg_sgt_reader *r) {
    return r->p->status == SIGNET_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool push_ref(struct sg_sgt_reader *r, struct sg_sgt_ref ref) {
    if (!SGT_ROOM(r, &r->refs)) {
        return false;
    }
    r->refs.data[r->refs.count++] = ref;
    return true;
}

static void describe(struct sg_sgt_reader *r, signet_value value, uint8_t kind,
                     uint32_t description, bool twice, uint32_t at) {
    if (value.id == 0 || (kind == 0 && !twice)) {
        return;
    }
    struct sg_value *v = &r->p->values.data[value.id];
    v->described_as = kind;
    v->description = description;
    v->described_twice = twice;
    v->described_at = at;
}

static void define(struct sg_sgt_reader *r, const struct sg_sgt_item *item, uint32_t arg) {
    signet_value value = signet_arg_set_named(r->p, (signet_arg){arg}, (signet_arg_kind)item->kind,
                                              sg_string(r->p, item->u.ref.value));
    describe(r, value, item->described, item->description, item->described_twice,
             item->described_at);
    if (item->kind == SIGNET_ARG_CUSTOM_OBJ) {
        bool told = item->described == SIGNET_VALUE_CUSTOM_OBJ;
        arg_at(r, arg)->u.ref.extra = item->has_class ? item->u.ref.class_name
                                      : told          ? item->description
                                                      : 0;
    }
}

static void set_class(struct sg_sgt_reader *r, uint32_t arg, bool has_class, sg_strid class_name) {
    struct sg_arg *a = arg_at(r, arg);
    if (a->kind != SIGNET_ARG_CUSTOM_OBJ) {
        return;
    }
    const struct sg_value *v = sg_value(r->p, a->u.ref.value);
    bool told = v->described_as == SIGNET_VALUE_CUSTOM_OBJ;
    a->u.ref.extra = has_class ? class_name : told ? v->description : 0;
}

static bool use(struct sg_sgt_reader *r, const struct sg_sgt_item *item, uint32_t arg) {
    signet_arg_kind kind = (signet_arg_kind)item->kind;
    signet_value value = {0};
    struct sg_sgt_ref ref = {.arg = arg,
                             .name = item->u.ref.value,
                             .ordinal = item->u.ref.ordinal,
                             .kind = item->kind,
                             .has_class = item->has_class,
                             .at = item->at,
                             .description = item->u.ref.class_name};
    if (ref.ordinal > 1) {
        return push_ref(r, ref);
    }
    value = sg_value_refer(r->p, (signet_graph){current_graph(r)}, ref.name);
    signet_arg_set_value(r->p, (signet_arg){arg}, ref.kind != 0 ? kind : SIGNET_ARG_TENSOR, value);
    set_class(r, arg, item->has_class, item->u.ref.class_name);
    bool is_late = ref.kind == 0 ||
                   (kind == SIGNET_ARG_CUSTOM_OBJ && sg_value(r->p, value.id)->described_as == 0);
    return !is_late || push_ref(r, ref);
}

static bool build_value(struct sg_sgt_reader *r, sg_sgt_place place, const struct sg_sgt_item *item,
                        uint32_t arg) {
    struct sg_arg *a = arg_at(r, arg);
    if (item->u.ref.value == 0) {
        a->kind = item->kind;
        return true;
    }
    if (place == SGT_PLACE_DECLARED) {
        a->kind = item->kind;
        a->name = item->u.ref.value;
        if (item->kind == SIGNET_ARG_CUSTOM_OBJ) {
            a->u.ref.extra = item->u.ref.class_name;
        }
        return true;
    }
    if (place == SGT_PLACE_RESULT) {
        define(r, item, arg);
        return true;
    }
    return use(r, item, arg);
}

/* ---- Everything else ------------------------------------------------------------------------- */

static bool build_graph(struct sg_sgt_reader *r, const struct sg_sgt_item *item, uint32_t arg) {
    if (item->by_number) {
        if (!SGT_ROOM(r, &r->graph_refs)) {
            return false;
        }
        r->graph_refs.data[r->graph_refs.count++] =
            (struct sg_sgt_graph_ref){arg, item->u.id, item->at};
        return true;
    }
    if (item->u.id == 0) {
        arg_at(r, arg)->kind = SIGNET_ARG_GRAPH;
    } else {
        signet_arg_set_graph(r->p, (signet_arg){arg}, (signet_graph){item->u.id});
    }
    return true;
}

static bool build_literal(struct sg_sgt_reader *r, const struct sg_sgt_item *item, uint32_t arg) {
    struct sg_arg *a = arg_at(r, arg);
    if (item->kind == SIGNET_ARG_GRAPH) {
        return build_graph(r, item, arg);
    }
    if (item->kind == SIGNET_ARG_DELEGATE && item->u.id != 0) {
        signet_arg_set_delegate(r->p, (signet_arg){arg}, (signet_delegate){item->u.id});
        return true;
    }
    a->kind = item->kind;
    a->literal = item->literal;
    switch (sg_arg_kind_payload((signet_arg_kind)item->kind)) {
    case SG_PAYLOAD_INTEGER:
    case SG_PAYLOAD_BOOLEAN:
        a->u.integer = item->u.integer;
        break;
    case SG_PAYLOAD_REAL:
        a->u.real = item->u.real;
        break;
    case SG_PAYLOAD_SYMBOL:
        if (item->kind == SIGNET_ARG_SYM_FLOAT) {
            a->u.real = item->u.real;
        } else {
            a->u.integer = item->u.integer;
        }
        break;
    case SG_PAYLOAD_TEXT:
        a->u.text = item->u.text;
        break;
    case SG_PAYLOAD_DEVICE:
        a->u.device.type = item->u.device.type;
        a->u.device.index = item->u.device.index;
        break;
    case SG_PAYLOAD_RAW:
        a->u.raw.tag = item->u.raw.tag;
        a->u.raw.text = item->u.raw.text;
        break;
    case SG_PAYLOAD_NOTHING:
    case SG_PAYLOAD_VALUE:
    case SG_PAYLOAD_LIST:
    case SG_PAYLOAD_GRAPH:
    case SG_PAYLOAD_DELEGATE:
        break;
    }
    return true;
}

static bool push_late(struct sg_sgt_reader *r, uint32_t arg, uint32_t list) {
    if (!SGT_ROOM(r, &r->lists)) {
        return false;
    }
    r->lists.data[r->lists.count++] = (struct sg_sgt_late){arg, list};
    return true;
}

static bool push_level(struct sg_sgt_reader *r, struct sg_sgt_level level) {
    if (level.left == 0) {
        return true;
    }
    if (!SGT_ROOM(r, &r->levels)) {
        return false;
    }
    r->levels.data[r->levels.count++] = level;
    return true;
}

static bool build_list(struct sg_sgt_reader *r, const struct sg_sgt_item *item, uint32_t arg) {
    bool is_late = item->kind == SIGNET_ARG_UNKNOWN;
    signet_arg_kind kind = is_late ? SIGNET_ARG_LIST : (signet_arg_kind)item->kind;
    signet_arg first = signet_arg_set_list(r->p, (signet_arg){arg}, kind, item->u.list.count);
    if (!alive(r) || (is_late && !push_late(r, arg, 0))) {
        return false;
    }
    return push_level(
        r, (struct sg_sgt_level){item->u.list.first, first.id, item->u.list.count, is_late});
}

static bool build_one(struct sg_sgt_reader *r, sg_sgt_place place, const struct sg_sgt_item *item,
                      uint32_t arg, bool is_late) {
    struct sg_arg *a = arg_at(r, arg);
    a->name = item->name;
    a->passing = item->passing;
    a->at = item->at;
    if (item->is_list) {
        return build_list(r, item, arg);
    }
    if (item->names_value) {
        return build_value(r, place, item, arg);
    }
    if (is_late && !item->is_explicit && !push_late(r, arg, arg_at(r, arg)->owner)) {
        return false;
    }
    return build_literal(r, item, arg);
}

bool sg_sgt_build(struct sg_sgt_reader *r, sg_sgt_place place, uint32_t item, uint32_t arg) {
    uint32_t base = r->levels.count;
    bool ok = item == 0 || push_level(r, (struct sg_sgt_level){item, arg, 1, false});
    while (ok && r->levels.count > base) {
        struct sg_sgt_level *top = &r->levels.data[r->levels.count - 1];
        struct sg_sgt_level now = *top;
        struct sg_sgt_item copy = r->items.data[now.item];
        top->item = copy.next;
        top->arg++;
        if (copy.next == 0) {
            r->levels.count--;
        }
        ok = build_one(r, place, &copy, now.arg, now.is_late) && alive(r);
    }
    r->levels.count = base;
    return ok;
}

/* ---- At the end of a graph ------------------------------------------------------------------- */

static uint64_t ordinal_key(sg_strid name, uint32_t ordinal) {
    return (uint64_t)name << 32 | ordinal;
}

/* Numbers the values of a graph within their names. */
static bool number_values(struct sg_sgt_reader *r, uint32_t graph, struct sg_map *numbers) {
    for (uint32_t id = sg_graph(r->p, graph)->first_value; id != 0;
         id = sg_value(r->p, id)->next_in_graph) {
        const struct sg_value *v = sg_value(r->p, id);
        uint32_t count = sg_map_get(numbers, ordinal_key(v->name, 0)) + 1;
        if (!sg_map_put(numbers, ordinal_key(v->name, 0), count) ||
            !sg_map_put(numbers, ordinal_key(v->name, count), id)) {
            return sg_sgt_no_memory(r);
        }
    }
    return true;
}

/* The value, made as a further undefined one when it is the next. 0: a finding, or no memory. */
static uint32_t numbered_value(struct sg_sgt_reader *r, uint32_t graph, struct sg_map *numbers,
                               const struct sg_sgt_ref *ref) {
    uint32_t value = sg_map_get(numbers, ordinal_key(ref->name, ref->ordinal));
    uint32_t count = sg_map_get(numbers, ordinal_key(ref->name, 0));
    if (value != 0) {
        return value;
    }
    if (ref->ordinal != count + 1) {
        return sg_sgt_wrong(r, ref->at - 1, 1,
                            "expected a value called '%s' of number 1 to %u, found %u",
                            sg_log_name(r->log, sg_string(r->p, ref->name)), (unsigned)count,
                            (unsigned)ref->ordinal);
    }
    value = sg_value_add(r->p, graph, ref->name);
    if (value != 0 && (!sg_map_put(numbers, ordinal_key(ref->name, 0), count + 1) ||
                       !sg_map_put(numbers, ordinal_key(ref->name, ref->ordinal), value))) {
        return sg_sgt_no_memory(r);
    }
    return value;
}

/* A value line: a value is described once. */
static bool resolve_description(struct sg_sgt_reader *r, uint32_t value,
                                const struct sg_sgt_ref *ref) {
    if (sg_value(r->p, value)->described_as != 0) {
        r->failed = false;
        return sg_sgt_wrong(r, ref->at - 1, 1,
                            "expected a value without a description, found '%s', which has one",
                            sg_log_name(r->log, sg_string(r->p, ref->name)));
    }
    describe(r, (signet_value){value}, ref->described, ref->description, ref->described_twice,
             ref->at);
    return true;
}

static bool resolve_ref(struct sg_sgt_reader *r, uint32_t graph, struct sg_map *numbers,
                        const struct sg_sgt_ref *ref) {
    uint32_t value = ref->ordinal > 1 ? numbered_value(r, graph, numbers, ref)
                                      : sg_value_lookup(r->p, (signet_graph){graph}, ref->name).id;
    if (value == 0) {
        return false;
    }
    if (ref->arg == 0) {
        return resolve_description(r, value, ref);
    }
    signet_arg_kind kind = (signet_arg_kind)ref->kind;
    if (kind == SIGNET_ARG_UNKNOWN) {
        kind = sg_sgt_natural_kind((signet_value_kind)sg_value(r->p, value)->kind);
    }
    signet_arg_set_value(r->p, (signet_arg){ref->arg}, kind, (signet_value){value});
    set_class(r, ref->arg, ref->has_class, ref->description);
    return alive(r);
}

static bool resolve_refs(struct sg_sgt_reader *r, const struct sg_sgt_frame *frame,
                         struct sg_map *numbers) {
    for (uint32_t i = frame->first_ref; i < r->refs.count; i++) {
        struct sg_sgt_ref ref = r->refs.data[i];
        if (!resolve_ref(r, frame->graph, numbers, &ref)) {
            return false;
        }
    }
    /* A value line may stand behind the uses of its value. */
    for (uint32_t i = frame->first_ref; i < r->refs.count; i++) {
        const struct sg_sgt_ref *ref = &r->refs.data[i];
        if (ref->arg != 0) {
            set_class(r, ref->arg, ref->has_class, ref->description);
        }
    }
    return true;
}

/* Lists of lists were noted before the lists inside them, so kinds are told from the last one on;
 * literals follow their list. */
static void resolve_lists(struct sg_sgt_reader *r, const struct sg_sgt_frame *frame) {
    for (uint32_t i = r->lists.count; i-- > frame->first_list;) {
        if (r->lists.data[i].list == 0) {
            struct sg_arg *list = arg_at(r, r->lists.data[i].arg);
            uint64_t kinds = 0;
            for (uint32_t k = 0; k < list->u.list.count; k++) {
                kinds |= sg_sgt_kind_bit((signet_arg_kind)arg_at(r, list->u.list.first + k)->kind);
            }
            list->kind = (uint8_t)sg_sgt_list_kind(kinds);
        }
    }
    for (uint32_t i = frame->first_list; i < r->lists.count; i++) {
        if (r->lists.data[i].list != 0) {
            struct sg_arg *a = arg_at(r, r->lists.data[i].arg);
            signet_arg_kind list = (signet_arg_kind)arg_at(r, r->lists.data[i].list)->kind;
            signet_arg_kind kind = sg_sgt_literal_in(list, (signet_arg_kind)a->kind);
            a->literal = a->literal || kind != a->kind;
            a->kind = (uint8_t)kind;
        }
    }
}

bool sg_sgt_resolve(struct sg_sgt_reader *r, const struct sg_sgt_frame *frame) {
    struct sg_map *numbers = NULL;
    bool ok = true;
    for (uint32_t i = frame->first_ref; i < r->refs.count && numbers == NULL; i++) {
        if (r->refs.data[i].ordinal > 1) {
            numbers = sg_map_create(&r->p->allocator);
            ok = numbers != NULL ? number_values(r, frame->graph, numbers) : sg_sgt_no_memory(r);
            break;
        }
    }
    ok = ok && resolve_refs(r, frame, numbers);
    sg_map_destroy(numbers);
    if (ok) {
        resolve_lists(r, frame);
    }
    r->refs.count = frame->first_ref;
    r->lists.count = frame->first_list;
    return ok;
}

/* ---- Declared arguments ---------------------------------------------------------------------- */

/* One argument without its children. */
static bool declare_one(struct sg_sgt_reader *r, uint32_t from, uint32_t to) {
    struct sg_arg f = *arg_at(r, from);
    struct sg_arg *t = arg_at(r, to);
    t->name = f.name;
    t->at = f.at;
    if (sg_arg_kind_payload((signet_arg_kind)f.kind) == SG_PAYLOAD_LIST) {
        signet_arg first =
            signet_arg_set_list(r->p, (signet_arg){to}, (signet_arg_kind)f.kind, f.u.list.count);
        return alive(r) && push_level(r, (struct sg_sgt_level){f.u.list.first, first.id,
                                                               f.u.list.count, false});
    }
    t->kind = f.kind;
    if (sg_arg_has_value(&f)) {
        t->name = sg_value(r->p, f.u.ref.value)->name;
        t->u.ref.extra = f.kind == SIGNET_ARG_CUSTOM_OBJ ? f.u.ref.extra : 0;
    } else if (f.kind != SIGNET_ARG_GRAPH && f.kind != SIGNET_ARG_DELEGATE) {
        t->literal = f.literal;
        t->u = f.u;
    }
    return true;
}

bool sg_sgt_declare_like(struct sg_sgt_reader *r, uint32_t graph_arg, uint32_t declared) {
    uint32_t base = r->levels.count;
    bool ok = push_level(r, (struct sg_sgt_level){graph_arg, declared, 1, false});
    while (ok && r->levels.count > base) {
        struct sg_sgt_level *top = &r->levels.data[r->levels.count - 1];
        struct sg_sgt_level now = *top;
        top->item++;
        top->arg++;
        top->left--;
        if (top->left == 0) {
            r->levels.count--;
        }
        ok = declare_one(r, now.item, now.arg);
    }
    r->levels.count = base;
    return ok;
}
