/* SPDX-License-Identifier: Apache-2.0 */
#include "signature/holders.h"

/* ---- Methods --------------------------------------------------------------------------------- */

/* The program that calls the delegate whose body this is; 0: there is none. */
static uint32_t caller_of(const signet_package *p, uint32_t program) {
    uint32_t delegate = sg_program(p, program)->delegate;
    return delegate != 0 ? sg_delegate(p, delegate)->caller : 0;
}

/* Up to a program whose method is known, or that nobody calls; bodies may call each other in a
 * circle, which ends at the program it began with. Then the same way again, so that no step is
 * taken for a second program. */
static void find_method(const signet_package *p, uint32_t *method, uint32_t program) {
    uint32_t top = program;
    while (method[top] == 0 && caller_of(p, top) != 0) {
        method[top] = program; /* being walked */
        top = caller_of(p, top);
    }
    uint32_t found = method[top] != 0 ? method[top] : top;
    method[top] = found;
    for (uint32_t i = program; i != top; i = caller_of(p, i)) {
        method[i] = found;
    }
}

static bool find_methods(struct sg_holders *h, const signet_package *p) {
    size_t bytes = (size_t)p->programs.count * sizeof(uint32_t);
    h->method = sg_alloc(&p->allocator, bytes);
    for (uint32_t i = 1; h->method != NULL && i < p->programs.count; i++) {
        if (h->method[i] == 0) {
            find_method(p, h->method, i);
        }
    }
    return h->method != NULL;
}

/* ---- Holders --------------------------------------------------------------------------------- */

/* The maps of one gathering: index + 1 of a holder. */
struct gathering {
    struct sg_holders *h;
    const signet_package *p;
    struct sg_map *of_kind; /* (kind, target): the first of the program met last */
    struct sg_map *last;    /* target: the last */
    struct sg_map *leader;  /* (kind, target): the first of all */
};

static uint64_t key_of(uint32_t kind, sg_strid target) {
    return (uint64_t)kind << 32 | target;
}

static bool chain(struct gathering *g, uint32_t number) {
    struct sg_holder *holder = &g->h->list.data[number - 1];
    if (holder->kind == SIGNET_INPUT_KIND_USER_INPUT) {
        return true;
    }
    uint32_t last = sg_map_get(g->last, holder->target);
    holder->first = last == 0;
    if (last != 0) {
        g->h->list.data[last - 1].next = number;
    }
    return sg_map_put(g->last, holder->target, number);
}

static bool add_input(struct gathering *g, uint32_t program, uint32_t input) {
    const struct sg_spec *s = &sg_program(g->p, program)->specs[SIGNET_INPUT].data[input];
    bool user = s->kind == SIGNET_INPUT_KIND_USER_INPUT;
    sg_strid target = user ? sg_arg(g->p, s->arg)->name : s->target;
    struct sg_holders *h = g->h;
    if (target == 0) {
        return true;
    }
    if (!sg_vec_reserve(&g->p->allocator, &h->list, 1)) {
        return false;
    }
    h->list.data[h->list.count++] =
        (struct sg_holder){.program = program, .input = input, .target = target, .kind = s->kind};
    uint32_t before = sg_map_get(g->of_kind, key_of(s->kind, target));
    bool again = before != 0 && h->list.data[before - 1].program == program;
    return (again || sg_map_put(g->of_kind, key_of(s->kind, target), h->list.count)) &&
           chain(g, h->list.count);
}

static void add_output(struct gathering *g, uint32_t program, uint32_t output) {
    const struct sg_spec *s = &sg_program(g->p, program)->specs[SIGNET_OUTPUT].data[output];
    signet_output_kind kind = (signet_output_kind)s->kind;
    if (!signet_output_kind_is_mutation(kind) || s->target == 0) {
        return;
    }
    uint32_t aim = (uint32_t)signet_output_kind_aims_at(kind);
    uint32_t number = sg_map_get(g->of_kind, key_of(aim, s->target));
    struct sg_holder *holder = number != 0 ? &g->h->list.data[number - 1] : NULL;
    if (holder != NULL && holder->program == program && holder->output == 0) {
        holder->output = output + 1;
    }
}

/* Two passes: the first holder of each kind and target, whose flag says whether another method has
 * one; then all the others take it over. */
static bool mark_shared(struct gathering *g) {
    struct sg_holders *h = g->h;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < h->list.count; i++) {
            struct sg_holder *holder = &h->list.data[i];
            uint64_t key = key_of(holder->kind, holder->target);
            uint32_t first = sg_map_get(g->leader, key);
            if (holder->kind == SIGNET_INPUT_KIND_USER_INPUT) {
                continue;
            }
            if (first == 0) {
                if (!sg_map_put(g->leader, key, i + 1)) {
                    return false;
                }
                continue;
            }
            struct sg_holder *leader = &h->list.data[first - 1];
            if (pass == 0) {
                leader->shared =
                    leader->shared || h->method[leader->program] != h->method[holder->program];
            } else {
                holder->shared = leader->shared;
            }
        }
    }
    return true;
}

static bool gather(struct gathering *g) {
    const signet_package *p = g->p;
    for (uint32_t i = 1; i < p->programs.count; i++) {
        const struct sg_program *r = sg_program(p, i);
        for (uint32_t j = 0; j < r->specs[SIGNET_INPUT].count; j++) {
            if (!add_input(g, i, j)) {
                return false;
            }
        }
        for (uint32_t j = 0; j < r->specs[SIGNET_OUTPUT].count; j++) {
            add_output(g, i, j);
        }
    }
    return mark_shared(g);
}

bool sg_holders_gather(struct sg_holders *h, const signet_package *p) {
    struct gathering g = {.h = h, .p = p};
    g.of_kind = sg_map_create(&p->allocator);
    g.last = sg_map_create(&p->allocator);
    g.leader = sg_map_create(&p->allocator);
    bool ok =
        g.of_kind != NULL && g.last != NULL && g.leader != NULL && find_methods(h, p) && gather(&g);
    sg_map_destroy(g.of_kind);
    sg_map_destroy(g.last);
    sg_map_destroy(g.leader);
    return ok;
}

void sg_holders_free(struct sg_holders *h, const signet_package *p) {
    sg_vec_free(&p->allocator, &h->list);
    sg_free(&p->allocator, h->method, (size_t)p->programs.count * sizeof(uint32_t));
    h->method = NULL;
}
