/* SPDX-License-Identifier: Apache-2.0 */
/* dialect: what a program claims to be. */

#include <inttypes.h>

#include "base/compiler.h"
#include "base/text.h"
#include "verifier/verifier_internal.h"

/* What torch.export has always written as the version of aten. */
#define ATEN_OPSET 10

static const struct {
    const char *name;
    bool in_torch;
} dialects[] = {
#define SIGNET_DIALECT(name, in_torch) {name, in_torch},
#include "signet/kinds.def"
};

bool sg_is_dialect(signet_string name, bool *in_torch) {
    for (size_t i = 0; i < SG_COUNT_OF(dialects); i++) {
        if (sg_string_is(name, dialects[i].name)) {
            *in_torch = dialects[i].in_torch;
            return true;
        }
    }
    return false;
}

static bool same_letter(char a, char b) {
    if (a >= 'a' && a <= 'z') {
        a = (char)(a - 'a' + 'A');
    }
    return a == b;
}

/* A dialect that is spelled like it, upper or lower case; null: none. */
static const char *dialect_near(signet_string name) {
    for (size_t i = 0; i < SG_COUNT_OF(dialects); i++) {
        signet_string d = signet_str(dialects[i].name);
        bool same = d.length == name.length;
        for (size_t j = 0; same && j < d.length; j++) {
            same = same_letter(name.data[j], d.data[j]);
        }
        if (same || sg_edit_distance(name, d, 2) <= 2) {
            return dialects[i].name;
        }
    }
    return NULL;
}

static struct sg_diag *begin_at_program(struct sg_verify *v, signet_code code,
                                        const struct sg_thing *t) {
    return sg_diag_begin(&v->log, code, sg_at_program(v->p, &v->log, t->program));
}

static void check_unknown(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_program *r = sg_program(v->p, t->program.id);
    for (uint32_t i = 0; i < r->dialects.count; i++) {
        signet_string name = sg_string(v->p, r->dialects.data[i]);
        bool in_torch;
        if (name.length == 0 || sg_is_dialect(name, &in_torch)) {
            continue;
        }
        struct sg_diag *d = begin_at_program(v, SIGNET_CODE_DIALECT_UNKNOWN, t);
        sg_diag_message(d, "the program claims the dialect %s, which PyTorch does not know",
                        sg_quote(v, r->dialects.data[i]));
        const char *near = dialect_near(name);
        if (near != NULL) {
            sg_diag_help(d, "did you mean '%s'?", near);
        } else {
            sg_diag_help(d, "claim ATEN, or TRAINING when operators write in place");
        }
        sg_diag_known_as(d, "KeyError: %s", sg_quote(v, r->dialects.data[i]));
        sg_diag_torch(d, "D-DIA");
        sg_diag_end(d);
    }
}

static void check_missing(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_program *r = sg_program(v->p, t->program.id);
    bool any = false;
    for (uint32_t i = 0; i < r->dialects.count; i++) {
        any |= sg_string(v->p, r->dialects.data[i]).length != 0;
    }
    if (any || !r->has_dialects || r->faulty) {
        return;
    }
    struct sg_diag *d = begin_at_program(v, SIGNET_CODE_DIALECT_MISSING, t);
    sg_diag_message(d, "the program claims no dialect, so PyTorch takes it for ATEN");
    sg_diag_help(d, "claim the dialect that was meant");
    sg_diag_end(d);
}

static void check_opset(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_program *r = sg_program(v->p, t->program.id);
    for (uint32_t i = 0; i < r->opsets.count; i++) {
        const struct sg_opset *o = &r->opsets.data[i];
        if (!sg_string_is(sg_string(v->p, o->name), "aten") || o->version == ATEN_OPSET) {
            continue;
        }
        struct sg_diag *d = begin_at_program(v, SIGNET_CODE_DIALECT_OPSET, t);
        sg_diag_message(d,
                        "the program was written for version %" PRId64
                        " of the operator set aten; PyTorch has only written %d",
                        o->version, ATEN_OPSET);
        sg_diag_help(d, "check which PyTorch wrote the program");
        sg_diag_end(d);
    }
}

static const struct sg_rule rules[] = {
    {SIGNET_CODE_DIALECT_UNKNOWN, SG_SCOPE_PROGRAM, 0, check_unknown},
    {SIGNET_CODE_DIALECT_MISSING, SG_SCOPE_PROGRAM, 0, check_missing},
    {SIGNET_CODE_DIALECT_OPSET, SG_SCOPE_PROGRAM, 0, check_opset},
};
const struct sg_rule_family sg_rules_dialect = {rules, SG_COUNT_OF(rules)};
