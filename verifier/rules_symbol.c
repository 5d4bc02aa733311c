/* SPDX-License-Identifier: Apache-2.0 */
/* symbol: symbolic sizes and their ranges. */

#include <inttypes.h>

#include "base/compiler.h"
#include "base/text.h"
#include "verifier/verifier_internal.h"

static const struct sg_range *range_at(const struct sg_verify *v, uint32_t i) {
    return &sg_program(v->p, v->program.id)->ranges.data[i];
}

/* "2 to 64", "at least 2", "at most 64" */
static const char *range_words(struct sg_verify *v, const struct sg_range *r) {
    if (r->has_min && r->has_max) {
        return sg_log_text(&v->log, "%" PRId64 " to %" PRId64, r->min, r->max);
    }
    if (r->has_min) {
        return sg_log_text(&v->log, "at least %" PRId64, r->min);
    }
    return r->has_max ? sg_log_text(&v->log, "at most %" PRId64, r->max) : "any integer";
}

static bool is_empty(const struct sg_range *r) {
    return r->has_min && r->has_max && r->min > r->max;
}

static struct sg_diag *begin_at_range(struct sg_verify *v, signet_code code, uint32_t i) {
    return sg_diag_begin(&v->log, code, sg_at_range(v->p, &v->log, v->program, i));
}

/* ---- symbol.range-empty ---------------------------------------------------------------------- */

static void check_range_empty(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_range *r = range_at(v, t->index);
    if (!is_empty(r)) {
        return;
    }
    struct sg_diag *d = begin_at_range(v, SIGNET_CODE_SYMBOL_RANGE_EMPTY, t->index);
    sg_diag_message(d, "symbol %s has the range %s, which holds no number", sg_quote(v, r->symbol),
                    range_words(v, r));
    sg_diag_label(d, "holds no number");
    sg_diag_help(d, "exchange the bounds, or correct one of them");
    sg_diag_known_as(d, "ValueRangeError \"Invalid ranges [%" PRId64 ":%" PRId64 "]\"", r->min,
                     r->max);
    sg_diag_torch(d, "D-RNG");
    sg_diag_end(d);
}

/* ---- symbol.hint-out-of-range ---------------------------------------------------------------- */

static void check_hint(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_range *r = range_at(v, t->index);
    uint32_t at = sg_symbols(v) ? sg_symbol_find(v, r->symbol) : 0;
    if (at == 0 || is_empty(r)) {
        return;
    }
    const struct sg_symbol *s = &v->gathered.symbols.data[at - 1];
    bool inside = (!r->has_min || s->hint >= r->min) && (!r->has_max || s->hint <= r->max);
    if (s->hint_value == 0 || s->range != t->index + 1 || inside) {
        return;
    }
    struct sg_diag *d = begin_at_range(v, SIGNET_CODE_SYMBOL_HINT_OUT_OF_RANGE, t->index);
    sg_diag_message(d, "symbol %s was %" PRId64 " when it was traced, but its range is %s",
                    sg_quote(v, r->symbol), s->hint, range_words(v, r));
    sg_diag_label(d, "does not hold %" PRId64, s->hint);
    sg_diag_related(d, sg_at_description(v->p, &v->log, (signet_value){s->hint_value}),
                    "the hint stands here");
    sg_diag_help(d, "widen the range so that it holds %" PRId64, s->hint);
    sg_diag_known_as(d, "AssertionError \"%" PRId64 " not in VR[...]\"", s->hint);
    sg_diag_torch(d, "D-RNG");
    sg_diag_end(d);
}

/* ---- symbol.range-missing -------------------------------------------------------------------- */

static void check_range_missing(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_program *r = sg_program(v->p, t->program.id);
    if (!sg_symbols(v)) {
        return;
    }
    for (uint32_t i = 0; i < v->gathered.symbols.count; i++) {
        const struct sg_symbol *s = &v->gathered.symbols.data[i];
        if (s->range != 0 || s->value == 0) {
            continue;
        }
        if (r->lossy && r->ranges.count == 0) { /* the text may end in front of the ranges */
            sg_not_checked(v, SIGNET_CODE_SYMBOL_RANGE_MISSING);
            return;
        }
        struct sg_diag *d =
            sg_diag_begin(&v->log, SIGNET_CODE_SYMBOL_RANGE_MISSING,
                          sg_at_description(v->p, &v->log, (signet_value){s->value}));
        sg_diag_message(d, "symbol %s has no range; the description of %s needs one",
                        sg_quote(v, s->name), sg_quote(v, sg_value(v->p, s->value)->name));
        sg_diag_label(d, "needs the range of %s", sg_quote(v, s->name));
        sg_diag_help(d, "state its range, for example 0 and no upper bound");
        if (s->asserted) {
            sg_diag_known_as(d, "AssertionError \"vr must not be None for symbol %s\"",
                             sg_log_name(&v->log, sg_string(v->p, s->name)));
            sg_diag_torch(d, "D-RNG");
        }
        sg_diag_end(d);
    }
}

/* ---- symbol.unknown -------------------------------------------------------------------------- */

/* PyTorch also writes ranges of expressions ("s77 + 1"). */
static bool is_name(signet_string s) {
    for (size_t i = 0; i < s.length; i++) {
        char c = s.data[i];
        bool word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
        if (!word) {
            return false;
        }
    }
    return s.length != 0;
}

static void check_unknown(struct sg_verify *v, const struct sg_thing *t) {
    const struct sg_program *r = sg_program(v->p, t->program.id);
    sg_strid name = range_at(v, t->index)->symbol;
    uint32_t at = sg_symbols(v) ? sg_symbol_find(v, name) : 0;
    if (at == 0 || v->gathered.symbols.data[at - 1].value != 0 || !is_name(sg_string(v->p, name)) ||
        sg_graph(v->p, r->graph)->faulty) {
        return;
    }
    if (r->lossy) { /* strides and descriptions of tuples are not printed */
        sg_not_checked(v, SIGNET_CODE_SYMBOL_UNKNOWN);
        return;
    }
    struct sg_diag *d = begin_at_range(v, SIGNET_CODE_SYMBOL_UNKNOWN, t->index);
    sg_diag_message(d, "symbol %s has a range, but occurs in no size or symbolic value",
                    sg_quote(v, name));
    sg_diag_label(d, "no such symbol");
    sg_diag_help(d, "remove the range, or correct the symbol's name");
    sg_diag_end(d);
}

static const struct sg_rule rules[] = {
    {SIGNET_CODE_SYMBOL_RANGE_MISSING, SG_SCOPE_PROGRAM, 0, check_range_missing},
    {SIGNET_CODE_SYMBOL_RANGE_EMPTY, SG_SCOPE_RANGE, 0, check_range_empty},
    {SIGNET_CODE_SYMBOL_HINT_OUT_OF_RANGE, SG_SCOPE_RANGE, 0, check_hint},
    {SIGNET_CODE_SYMBOL_UNKNOWN, SG_SCOPE_RANGE, 0, check_unknown},
};
const struct sg_rule_family sg_rules_symbol = {rules, SG_COUNT_OF(rules)};
