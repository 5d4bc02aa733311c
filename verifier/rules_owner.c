/* SPDX-License-Identifier: Apache-2.0 */
/* owner.*: which program holds a mutable state, told from the specs of all programs of a package
 * (see parties.c). */

#include "base/compiler.h"
#include "verifier/verifier_internal.h"

static const struct sg_holder *holder_at(const struct sg_verify *v, uint32_t index) {
    return &v->parties.holders.list.data[index];
}

static const char *kind_words(const struct sg_holder *h) {
    const char *name = signet_input_kind_name((signet_input_kind)h->kind);
    return name != NULL ? name : "state";
}

static signet_location at_input(struct sg_verify *v, const struct sg_holder *h) {
    return sg_at_spec(v->p, &v->log, (signet_program){h->program}, SIGNET_INPUT, h->input,
                      SG_SPEC_WHOLE);
}

static void relate(struct sg_verify *v, struct sg_diag *d, const struct sg_owner_fault *f) {
    const struct sg_holder *other = holder_at(v, f->other);
    sg_diag_related(d, at_input(v, other), "%s holds it too", sg_party_words(v, other->program));
    if (other->output != 0) {
        sg_diag_related(d,
                        sg_at_spec(v->p, &v->log, (signet_program){other->program}, SIGNET_OUTPUT,
                                   other->output - 1, SG_SPEC_WHOLE),
                        "and updates it");
    }
    if (f->holders > 2) {
        sg_diag_fact(d, "programs that hold %s: %u", sg_quote(v, other->target), f->holders);
    }
}

/* A package with a delegate whose program is not known may have more holders. */
static void note_unknown_bodies(struct sg_verify *v, signet_code code) {
    bool known = true;
    for (uint32_t i = 1; i < v->p->delegates.count; i++) {
        const struct sg_delegate *d = sg_delegate(v->p, i);
        known = known && (d->body != 0 || d->caller == 0);
    }
    if (!known) {
        sg_not_checked(v, code);
    }
}

static void check(struct sg_verify *v, signet_code code,
                  void (*tell)(struct sg_verify *v, const struct sg_owner_fault *f)) {
    note_unknown_bodies(v, code);
    if (!sg_owner_faults(v)) {
        return;
    }
    for (uint32_t i = 0; i < v->parties.faults.count; i++) {
        if (v->parties.faults.data[i].code == code) {
            tell(v, &v->parties.faults.data[i]);
        }
    }
}

/* ---- Within one method ----------------------------------------------------------------------- */

static void tell_several(struct sg_verify *v, const struct sg_owner_fault *f) {
    const struct sg_holder *h = holder_at(v, f->at);
    const struct sg_holder *other = holder_at(v, f->other);
    struct sg_diag *d = sg_diag_begin(&v->log, f->code, at_input(v, h));
    sg_diag_message(d, "%s %s is held and updated by %s and by %s, each in a copy of its own",
                    kind_words(h), sg_quote(v, h->target), sg_party_words(v, other->program),
                    sg_party_words(v, h->program));
    sg_diag_label(d, "the second owner");
    relate(v, d, f);
    sg_diag_help(d, "keep it in one of them; pass it to the other as an argument");
    sg_diag_end(d);
}

static void check_several(struct sg_verify *v, const struct sg_thing *t) {
    (void)t;
    check(v, SIGNET_CODE_OWNER_SEVERAL, tell_several);
}

static void tell_outside_reader(struct sg_verify *v, const struct sg_owner_fault *f) {
    const struct sg_holder *h = holder_at(v, f->at);
    const struct sg_holder *other = holder_at(v, f->other);
    struct sg_diag *d = sg_diag_begin(&v->log, f->code, at_input(v, h));
    sg_diag_message(d, "%s reads %s %s, but %s has taken it over and updates a copy of its own",
                    sg_party_words(v, h->program), kind_words(h), sg_quote(v, h->target),
                    sg_party_words(v, other->program));
    sg_diag_label(d, "never updated");
    relate(v, d, f);
    sg_diag_note(d, "what is read here is the first value, for ever");
    sg_diag_help(d,
                 "move every reader of %s into the delegate, or leave it outside: pass it as an "
                 "argument and return its new value",
                 sg_quote(v, h->target));
    sg_diag_end(d);
}

static void check_outside_reader(struct sg_verify *v, const struct sg_thing *t) {
    (void)t;
    check(v, SIGNET_CODE_OWNER_OUTSIDE_READER, tell_outside_reader);
}

static void tell_frozen(struct sg_verify *v, const struct sg_owner_fault *f) {
    const struct sg_holder *h = holder_at(v, f->at);
    const struct sg_holder *other = holder_at(v, f->other);
    struct sg_diag *d = sg_diag_begin(&v->log, f->code, at_input(v, h));
    sg_diag_message(d, "%s holds %s %s and never updates it, but %s updates %s %s",
                    sg_party_words(v, h->program), kind_words(h), sg_quote(v, h->target),
                    sg_party_words(v, other->program), kind_words(other),
                    sg_quote(v, other->target));
    sg_diag_label(d, "a constant");
    relate(v, d, f);
    sg_diag_help(d, "drop this input, or pass the value from where it is updated");
    sg_diag_end(d);
}

static void check_frozen(struct sg_verify *v, const struct sg_thing *t) {
    (void)t;
    check(v, SIGNET_CODE_OWNER_FROZEN, tell_frozen);
}

/* ---- Between methods ------------------------------------------------------------------------- */

static const char *method_words(struct sg_verify *v, const struct sg_holder *h) {
    uint32_t method = v->parties.holders.method[h->program];
    return sg_quote(v, sg_program(v->p, method)->name);
}

static void tell_several_methods(struct sg_verify *v, const struct sg_owner_fault *f) {
    const struct sg_holder *h = holder_at(v, f->at);
    const struct sg_holder *other = holder_at(v, f->other);
    struct sg_diag *d = sg_diag_begin(&v->log, f->code, at_input(v, h));
    sg_diag_message(d, "methods %s and %s both update %s %s, each in a copy of its own",
                    method_words(v, other), method_words(v, h), kind_words(h),
                    sg_quote(v, h->target));
    sg_diag_label(d, "held by %s", sg_party_words(v, h->program));
    relate(v, d, f);
    sg_diag_note(d, "what one method writes into its delegate, the other method never sees");
    sg_diag_help(d, "leave %s outside of the delegates, so that the methods can share it",
                 sg_quote(v, h->target));
    sg_diag_end(d);
}

static void check_several_methods(struct sg_verify *v, const struct sg_thing *t) {
    (void)t;
    check(v, SIGNET_CODE_OWNER_SEVERAL_METHODS, tell_several_methods);
}

static void tell_shared_methods(struct sg_verify *v, const struct sg_owner_fault *f) {
    const struct sg_holder *h = holder_at(v, f->at);
    const struct sg_holder *other = holder_at(v, f->other);
    struct sg_diag *d = sg_diag_begin(&v->log, f->code, at_input(v, h));
    sg_diag_message(d, "method %s updates %s %s, and method %s holds it apart",
                    method_words(v, other), kind_words(other), sg_quote(v, h->target),
                    method_words(v, h));
    sg_diag_label(d, "held by %s", sg_party_words(v, h->program));
    relate(v, d, f);
    sg_diag_help(d, "leave %s outside of the delegates, if the methods are meant to share it",
                 sg_quote(v, h->target));
    sg_diag_end(d);
}

static void check_shared_methods(struct sg_verify *v, const struct sg_thing *t) {
    (void)t;
    check(v, SIGNET_CODE_OWNER_SHARED_METHODS, tell_shared_methods);
}

/* ---- Table ----------------------------------------------------------------------------------- */

static const struct sg_rule rules[] = {
    {SIGNET_CODE_OWNER_SEVERAL, SG_SCOPE_PACKAGE, 0, check_several},
    {SIGNET_CODE_OWNER_OUTSIDE_READER, SG_SCOPE_PACKAGE, 0, check_outside_reader},
    {SIGNET_CODE_OWNER_FROZEN, SG_SCOPE_PACKAGE, 0, check_frozen},
    {SIGNET_CODE_OWNER_SEVERAL_METHODS, SG_SCOPE_PACKAGE, 0, check_several_methods},
    {SIGNET_CODE_OWNER_SHARED_METHODS, SG_SCOPE_PACKAGE, 0, check_shared_methods},
};

const struct sg_rule_family sg_rules_owner = {rules, SG_COUNT_OF(rules)};
