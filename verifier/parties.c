/* SPDX-License-Identifier: Apache-2.0 */
#include "base/compiler.h"
#include "verifier/verifier_internal.h"

void sg_parties_free(struct sg_verify *v) {
    struct sg_parties *p = &v->parties;
    for (uint32_t side = 0; side < 2; side++) {
        sg_free(&v->p->allocator, p->ports[side].first, p->ports[side].first_bytes);
        sg_free(&v->p->allocator, p->ports[side].list, p->ports[side].list_bytes);
        p->ports[side] = (struct sg_ports){NULL, NULL, 0, 0};
    }
    sg_holders_free(&p->holders, v->p);
    sg_vec_free(&v->p->allocator, &p->faults);
}

const char *sg_party_words(struct sg_verify *v, uint32_t program) {
    const struct sg_program *r = sg_program(v->p, program);
    if (r->delegate != 0) {
        return sg_log_text(&v->log, "delegate %s",
                           sg_quote(v, sg_delegate(v->p, r->delegate)->name));
    }
    return sg_log_text(&v->log, "program %s", sg_quote(v, r->name));
}

/* ---- Ports ----------------------------------------------------------------------------------- */

static bool is_port(const struct sg_spec *s, signet_side side) {
    return side == SIGNET_INPUT ? s->kind == SIGNET_INPUT_KIND_USER_INPUT
                                : !signet_output_kind_is_mutation((signet_output_kind)s->kind);
}

/* Two walks over the specs: how many ports, and which. */
static bool list_ports(struct sg_verify *v, signet_side side) {
    const signet_package *p = v->p;
    struct sg_ports *ports = &v->parties.ports[side];
    size_t count = 0;
    for (uint32_t i = 1; i < p->programs.count; i++) {
        const struct sg_program *r = sg_program(p, i);
        for (uint32_t j = 0; j < r->specs[side].count; j++) {
            count += is_port(&r->specs[side].data[j], side);
        }
    }
    if (count > UINT32_MAX - 1 ||
        !sg_mul_ok((size_t)p->programs.count + 1, sizeof(uint32_t), &ports->first_bytes) ||
        !sg_mul_ok(count + 1, sizeof(uint32_t), &ports->list_bytes)) {
        return false;
    }
    ports->first = sg_alloc(&p->allocator, ports->first_bytes);
    ports->list = sg_alloc(&p->allocator, ports->list_bytes);
    if (ports->first == NULL || ports->list == NULL) {
        return false;
    }
    uint32_t next = 0;
    for (uint32_t i = 1; i < p->programs.count; i++) {
        const struct sg_program *r = sg_program(p, i);
        ports->first[i] = next;
        for (uint32_t j = 0; j < r->specs[side].count; j++) {
            if (is_port(&r->specs[side].data[j], side)) {
                ports->list[next++] = j;
            }
        }
    }
    ports->first[p->programs.count] = next;
    return true;
}

bool sg_ports(struct sg_verify *v, uint32_t program, signet_side side, const uint32_t **positions,
              uint32_t *count) {
    struct sg_parties *p = &v->parties;
    if (!p->ports_made) {
        p->ports_made = true;
        p->ports_failed = !list_ports(v, SIGNET_INPUT) || !list_ports(v, SIGNET_OUTPUT);
    }
    if (p->ports_failed) {
        sg_no_memory(v);
        return false;
    }
    const struct sg_ports *ports = &p->ports[side];
    *positions = ports->list + ports->first[program];
    *count = ports->first[program + 1] - ports->first[program];
    return true;
}

/* ---- Owners ---------------------------------------------------------------------------------- */

/* What one method, with the bodies that it calls, has of one target: index + 1 of holders. */
struct family {
    uint32_t target_of;       /* head of the target's list, + 1: whose these are */
    uint32_t writer, writer2; /* the first two that update it */
    uint32_t inside;          /* the first that updates it and is a delegate */
    uint32_t reader, other;   /* the first that does not: one whose value is read, any */
    uint32_t holders;
};

struct judge {
    struct sg_verify *v;
    struct family *families;  /* by method */
    SG_VEC(uint32_t) methods; /* that have the target at hand, in order */
};

static const struct sg_holder *holder_at(const struct judge *j, uint32_t number) {
    return &j->v->parties.holders.list.data[number - 1];
}

static bool is_inside(const struct judge *j, uint32_t number) {
    return sg_program(j->v->p, holder_at(j, number)->program)->delegate != 0;
}

static bool is_read(const signet_package *p, const struct sg_holder *h) {
    const struct sg_list *inputs = &sg_graph(p, sg_program(p, h->program)->graph)->inputs;
    const struct sg_arg *a = sg_arg(p, h->input < inputs->count ? inputs->first + h->input : 0);
    return sg_arg_has_value(a) && sg_value(p, a->u.ref.value)->use_count != 0;
}

/* The holder stands for its program: a second input of the target is signature.duplicate-target. */
static bool counts(const struct judge *j, const struct sg_holder *h, uint32_t before) {
    const struct sg_program *r = sg_program(j->v->p, h->program);
    return !r->faulty && !r->specs[SIGNET_INPUT].data[h->input].faulty &&
           h->kind != SIGNET_INPUT_KIND_CUSTOM_OBJ &&
           (before == 0 || holder_at(j, before)->program != h->program);
}

static bool join(struct judge *j, uint32_t head, uint32_t number) {
    const struct sg_holder *h = holder_at(j, number);
    uint32_t method = j->v->parties.holders.method[h->program];
    struct family *f = &j->families[method];
    if (f->target_of != head) {
        *f = (struct family){.target_of = head};
        if (!sg_vec_reserve(&j->v->p->allocator, &j->methods, 1)) {
            return false;
        }
        j->methods.data[j->methods.count++] = method;
    }
    f->holders++;
    if (h->output != 0) {
        f->writer2 = f->writer != 0 && f->writer2 == 0 ? number : f->writer2;
        f->writer = f->writer == 0 ? number : f->writer;
        f->inside = f->inside == 0 && is_inside(j, number) ? number : f->inside;
    } else {
        f->other = f->other == 0 ? number : f->other;
        f->reader = f->reader == 0 && is_read(j->v->p, h) ? number : f->reader;
    }
    return true;
}

static bool add_fault(struct judge *j, signet_code code, uint32_t at, uint32_t other,
                      uint32_t holders) {
    struct sg_parties *p = &j->v->parties;
    if (!sg_vec_reserve(&j->v->p->allocator, &p->faults, 1)) {
        return false;
    }
    p->faults.data[p->faults.count++] = (struct sg_owner_fault){code, at - 1, other - 1, holders};
    return true;
}

/* Within one method. *found: there is a fault; one for a method and a target. */
static bool judge_family(struct judge *j, const struct family *f, bool *found) {
    if (f->writer2 != 0) {
        *found = true;
        return add_fault(j, SIGNET_CODE_OWNER_SEVERAL, f->writer2, f->writer, f->holders);
    }
    if (f->writer == 0 || f->other == 0) {
        return true;
    }
    *found = true;
    uint32_t at = f->reader != 0 ? f->reader : f->other;
    bool reads = f->reader != 0 && is_inside(j, f->writer) &&
                 holder_at(j, at)->kind == holder_at(j, f->writer)->kind;
    return add_fault(j, reads ? SIGNET_CODE_OWNER_OUTSIDE_READER : SIGNET_CODE_OWNER_FROZEN, at,
                     f->writer, f->holders);
}

/* Between methods. Where no delegate has the state, methods of one package may share it or not. */
static bool judge_methods(struct judge *j, bool any_inside) {
    uint32_t writers[2] = {0, 0}, other = 0, holders = 0;
    bool kept = false; /* a delegate of one of the two updates it */
    for (uint32_t i = 0; i < j->methods.count; i++) {
        uint32_t method = j->methods.data[i];
        const struct family *f = &j->families[method];
        if (sg_program(j->v->p, method)->role != SIGNET_ROLE_METHOD) {
            continue;
        }
        holders += f->holders;
        if (f->writer == 0) {
            other = other == 0 ? f->other : other;
        } else if (writers[0] == 0) {
            writers[0] = f->writer;
            kept = f->inside != 0;
        } else if (writers[1] == 0 || (!kept && f->inside != 0)) {
            writers[1] = f->writer;
            kept = kept || f->inside != 0;
        }
    }
    if (writers[1] != 0 && kept) {
        return add_fault(j, SIGNET_CODE_OWNER_SEVERAL_METHODS, writers[1], writers[0], holders);
    }
    if (writers[0] != 0 && other != 0 && any_inside) {
        return add_fault(j, SIGNET_CODE_OWNER_SHARED_METHODS, other, writers[0], holders);
    }
    return true;
}

static bool judge_target(struct judge *j, uint32_t head) {
    uint32_t before = 0;
    bool ok = true, found = false, mutated = false, any_inside = false;
    j->methods.count = 0;
    for (uint32_t n = head; ok && n != 0; n = holder_at(j, n)->next) {
        const struct sg_holder *h = holder_at(j, n);
        if (counts(j, h, before)) {
            ok = join(j, head, n);
            mutated = mutated || h->output != 0;
            any_inside = any_inside || is_inside(j, n);
            before = n;
        }
    }
    for (uint32_t i = 0; ok && mutated && i < j->methods.count; i++) {
        ok = judge_family(j, &j->families[j->methods.data[i]], &found);
    }
    return ok && (found || !mutated || judge_methods(j, any_inside));
}

static bool judge_all(struct judge *j) {
    struct sg_verify *v = j->v;
    size_t bytes = 0;
    if (!sg_mul_ok(v->p->programs.count, sizeof(*j->families), &bytes)) {
        return false;
    }
    j->families = sg_alloc(&v->p->allocator, bytes);
    bool ok = j->families != NULL && sg_holders_gather(&v->parties.holders, v->p);
    for (uint32_t i = 0; ok && i < v->parties.holders.list.count; i++) {
        ok = !v->parties.holders.list.data[i].first || judge_target(j, i + 1);
    }
    sg_free(&v->p->allocator, j->families, bytes);
    sg_vec_free(&v->p->allocator, &j->methods);
    return ok;
}

bool sg_owner_faults(struct sg_verify *v) {
    enum { SINGLE = 2 }; /* records of a package with one program */
    struct sg_parties *p = &v->parties;
    struct judge j = {.v = v};
    if (!p->faults_made) {
        p->faults_made = true;
        p->faults_failed = v->p->programs.count > SINGLE && !judge_all(&j);
    }
    if (p->faults_failed) {
        sg_no_memory(v);
    }
    return !p->faults_failed;
}
