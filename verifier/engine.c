/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/compiler.h"
#include "verifier/verifier_internal.h"

/* Families in catalogue order. */
static const struct sg_rule_family *const families[] = {
    &sg_rules_graph,    &sg_rules_meta,    &sg_rules_symbol,   &sg_rules_signature,
    &sg_rules_mutation, &sg_rules_state,   &sg_rules_token,    &sg_rules_gradient,
    &sg_rules_call,     &sg_rules_dialect, &sg_rules_delegate, &sg_rules_owner,
    &sg_rules_torch,
};

/* The enabled rules of each scope, in family order: a disabled rule costs nothing. */
#define RULES_PER_SCOPE 64
struct plan {
    const struct sg_rule *rules[SG_SCOPE_COUNT][RULES_PER_SCOPE];
    uint32_t count[SG_SCOPE_COUNT];
};

/* ---- Causes ---------------------------------------------------------------------------------- */

void sg_mark_program(struct sg_verify *v, uint32_t causes) {
    v->program_marks |= causes;
}

void sg_mark_spec(struct sg_verify *v, signet_side side, uint32_t i, uint32_t causes) {
    if (i < sg_program(v->p, v->program.id)->specs[side].count) {
        v->spec_marks[side][i] |= causes;
    }
}

void sg_mark_value(struct sg_verify *v, uint32_t value, uint32_t causes) {
    if (value < v->p->values.count) {
        v->value_marks[value] |= causes;
    }
}

uint32_t sg_spec_causes(const struct sg_verify *v, signet_side side, uint32_t i) {
    bool there = i < sg_program(v->p, v->program.id)->specs[side].count;
    return v->program_marks | (there ? v->spec_marks[side][i] : 0);
}

uint32_t sg_value_causes(const struct sg_verify *v, uint32_t value) {
    return value < v->p->values.count ? v->value_marks[value] : 0;
}

bool sg_fold(struct sg_verify *v, bool follows) {
    bool before = v->log.muted;
    v->log.muted = before || (follows && !v->log.torch_only);
    return before;
}

void sg_not_checked(struct sg_verify *v, signet_code code) {
    v->not_checked[code] = true;
}

static uint32_t causes_of(const struct sg_verify *v, sg_scope scope, const struct sg_thing *t) {
    switch (scope) {
    case SG_SCOPE_INPUT:
        return sg_spec_causes(v, SIGNET_INPUT, t->index);
    case SG_SCOPE_OUTPUT:
        return sg_spec_causes(v, SIGNET_OUTPUT, t->index);
    case SG_SCOPE_VALUE:
        return v->program_marks | sg_value_causes(v, t->value.id);
    case SG_SCOPE_PROGRAM:
    case SG_SCOPE_GRAPH:
    case SG_SCOPE_NODE:
    case SG_SCOPE_DELEGATE_CALL:
    case SG_SCOPE_STATE:
    case SG_SCOPE_CALL:
    case SG_SCOPE_RANGE:
    case SG_SCOPE_END:
    case SG_SCOPE_PACKAGE:
    case SG_SCOPE_COUNT:
        break;
    }
    return v->program_marks;
}

/* The reader has told about the thing: what it lacks is no second finding. */
static bool is_faulty(const struct sg_verify *v, sg_scope scope, const struct sg_thing *t) {
    const struct sg_program *r = sg_program(v->p, t->program.id);
    switch (scope) {
    case SG_SCOPE_INPUT:
        return r->faulty || sg_spec_at(v, SIGNET_INPUT, t->index)->faulty;
    case SG_SCOPE_OUTPUT:
        return r->faulty || sg_spec_at(v, SIGNET_OUTPUT, t->index)->faulty;
    case SG_SCOPE_GRAPH:
    case SG_SCOPE_VALUE:
        return sg_graph(v->p, t->graph.id)->faulty;
    case SG_SCOPE_NODE:
    case SG_SCOPE_DELEGATE_CALL:
        return sg_node(v->p, t->node.id)->faulty;
    case SG_SCOPE_PROGRAM:
    case SG_SCOPE_CALL:
    case SG_SCOPE_END:
        return r->faulty;
    case SG_SCOPE_STATE:
    case SG_SCOPE_RANGE:
    case SG_SCOPE_PACKAGE:
    case SG_SCOPE_COUNT:
        break;
    }
    return false;
}

/* ---- Rules of the embedder ------------------------------------------------------------------- */

/* What the public name stands for while a rule of the embedder runs. */
struct signet_rule_run {
    struct sg_verify *v;
    size_t rule;
};

static signet_rule_scope public_scope(sg_scope scope) {
    switch (scope) {
    case SG_SCOPE_PROGRAM:
        return SIGNET_SCOPE_PROGRAM;
    case SG_SCOPE_INPUT:
        return SIGNET_SCOPE_INPUT;
    case SG_SCOPE_OUTPUT:
        return SIGNET_SCOPE_OUTPUT;
    case SG_SCOPE_GRAPH:
        return SIGNET_SCOPE_GRAPH;
    case SG_SCOPE_VALUE:
        return SIGNET_SCOPE_VALUE;
    case SG_SCOPE_NODE:
        return SIGNET_SCOPE_NODE;
    case SG_SCOPE_STATE:
        return SIGNET_SCOPE_STATE;
    case SG_SCOPE_DELEGATE_CALL:
    case SG_SCOPE_CALL:
    case SG_SCOPE_RANGE:
    case SG_SCOPE_END:
    case SG_SCOPE_PACKAGE:
    case SG_SCOPE_COUNT:
        break;
    }
    return (signet_rule_scope)0;
}

static signet_location at_subject(struct sg_verify *v, const signet_subject *s) {
    switch (s->scope) {
    case SIGNET_SCOPE_PROGRAM:
        break;
    case SIGNET_SCOPE_INPUT:
    case SIGNET_SCOPE_OUTPUT:
        return sg_at_spec(v->p, &v->log, s->program,
                          s->scope == SIGNET_SCOPE_INPUT ? SIGNET_INPUT : SIGNET_OUTPUT, s->index,
                          SG_SPEC_WHOLE);
    case SIGNET_SCOPE_GRAPH:
        return sg_at_graph(v->p, &v->log, s->graph);
    case SIGNET_SCOPE_VALUE:
        return sg_at_value(v->p, &v->log, s->value);
    case SIGNET_SCOPE_NODE:
        return sg_at_node(v->p, &v->log, s->node);
    case SIGNET_SCOPE_STATE:
        return sg_at_state(v->p, &v->log, s->program, s->index);
    }
    return sg_at_program(v->p, &v->log, s->program);
}

void signet_rule_report(signet_rule_run *run, const signet_subject *subject, const char *message,
                        const char *help) {
    struct sg_verify *v = run->v;
    const signet_rule *rule = &v->options->rules[run->rule];
    struct sg_diag *d = sg_diag_begin_own(&v->log, SIGNET_CODE_USER + (uint32_t)run->rule,
                                          rule->name, (signet_severity)v->own_severity[run->rule],
                                          &v->own_emitted[run->rule], at_subject(v, subject));
    sg_diag_message(d, "%s", message);
    if (help != NULL) {
        sg_diag_help(d, "%s", help);
    }
    sg_diag_end(d);
}

static void run_own(struct sg_verify *v, sg_scope scope, const struct sg_thing *t) {
    signet_subject subject = {
        sizeof(subject), public_scope(scope), t->program, t->graph, t->node, t->value, t->index,
        v->stage};
    for (size_t i = 0; i < v->options->rule_count; i++) {
        const signet_rule *rule = &v->options->rules[i];
        if (rule->scope == subject.scope && rule->check != NULL) {
            struct signet_rule_run run = {v, i};
            rule->check(&run, v->p, &subject, rule->user);
        }
    }
}

/* Severities and counts of the embedder's rules. false: no memory. */
static bool prepare_own(struct sg_verify *v) {
    const signet_verify_options *o = v->options;
    size_t bytes = 0;
    if (!sg_mul_ok(o->rule_count + 1, sizeof(uint64_t), &bytes)) {
        return false;
    }
    v->own_severity = sg_alloc(&v->p->allocator, o->rule_count + 1);
    v->own_emitted = sg_alloc(&v->p->allocator, bytes);
    for (size_t i = 0; v->own_severity != NULL && i < o->rule_count; i++) {
        signet_severity severity = o->rules[i].severity;
        if (o->profile == SIGNET_PROFILE_STRICT && severity == SIGNET_SEVERITY_WARNING) {
            severity = SIGNET_SEVERITY_ERROR;
        }
        for (size_t j = 0; j < o->severity_count; j++) {
            if (sg_code_matches(o->severities[j].pattern, o->rules[i].name)) {
                severity = o->severities[j].severity;
            }
        }
        v->own_severity[i] = (uint8_t)severity;
    }
    return v->own_severity != NULL && v->own_emitted != NULL;
}

static void free_own(struct sg_verify *v) {
    sg_free(&v->p->allocator, v->own_severity, v->options->rule_count + 1);
    sg_free(&v->p->allocator, v->own_emitted, (v->options->rule_count + 1) * sizeof(uint64_t));
}

/* ---- The walk -------------------------------------------------------------------------------- */

static void run(struct sg_verify *v, const struct plan *plan, sg_scope scope,
                const struct sg_thing *t) {
    bool faulty = is_faulty(v, scope, t);
    for (uint32_t i = 0; i < plan->count[scope]; i++) {
        const struct sg_rule *r = plan->rules[scope][i];
        uint32_t causes = r->silenced_by & causes_of(v, scope, t);
        if ((causes & SG_CAUSE_WRITTEN_BACK) != 0) {
            continue; /* the rule does not apply, and nothing follows from anything */
        }
        /* PyTorch does not fold: under its profile every finding of its checks counts. */
        v->log.muted = (faulty || causes != 0) && !v->log.torch_only;
        r->check(v, t);
    }
    v->log.muted = false;
    if (v->options->rule_count != 0 && public_scope(scope) != 0) {
        run_own(v, scope, t);
    }
}

static bool is_delegate_call(const struct sg_verify *v, uint32_t node) {
    const struct sg_operator *o = sg_operator(v->p, sg_node(v->p, node)->op);
    return o->op_class == SIGNET_OPERATOR_DELEGATE_CALL;
}

static void run_graph(struct sg_verify *v, const struct plan *plan, uint32_t graph) {
    struct sg_thing t = {.program = v->program, .graph = {graph}};
    run(v, plan, SG_SCOPE_GRAPH, &t);
    bool own = v->options->rule_count != 0;
    if (plan->count[SG_SCOPE_VALUE] != 0 || own) {
        for (uint32_t id = sg_graph(v->p, graph)->first_value; id != 0;
             id = sg_value(v->p, id)->next_in_graph) {
            if (sg_value(v->p, id)->kind != SIGNET_VALUE_UNKNOWN) {
                t.value.id = id;
                run(v, plan, SG_SCOPE_VALUE, &t);
            }
        }
        t.value.id = 0;
    }
    bool calls = v->calls_delegates && plan->count[SG_SCOPE_DELEGATE_CALL] != 0;
    if (plan->count[SG_SCOPE_NODE] != 0 || own || calls) {
        for (uint32_t id = sg_graph(v->p, graph)->first; id != 0; id = sg_node(v->p, id)->next) {
            t.node.id = id;
            run(v, plan, SG_SCOPE_NODE, &t);
            if (calls && is_delegate_call(v, id)) {
                run(v, plan, SG_SCOPE_DELEGATE_CALL, &t);
            }
        }
    }
}

static void run_indexed(struct sg_verify *v, const struct plan *plan, sg_scope scope,
                        uint32_t count) {
    struct sg_thing t = {.program = v->program, .graph = {sg_program(v->p, v->program.id)->graph}};
    for (; t.index < count; t.index++) {
        run(v, plan, scope, &t);
    }
}

static void run_program(struct sg_verify *v, const struct plan *plan) {
    const struct sg_program *r = sg_program(v->p, v->program.id);
    struct sg_thing t = {.program = v->program, .graph = {r->graph}};
    run(v, plan, SG_SCOPE_PROGRAM, &t);
    run_indexed(v, plan, SG_SCOPE_INPUT, r->specs[SIGNET_INPUT].count);
    run_indexed(v, plan, SG_SCOPE_OUTPUT, r->specs[SIGNET_OUTPUT].count);
    for (uint32_t i = v->facts.graph_first[v->program.id];
         i < v->facts.graph_first[v->program.id + 1]; i++) {
        run_graph(v, plan, v->facts.graph_list[i]);
    }
    run_indexed(v, plan, SG_SCOPE_STATE, r->states.count);
    run_indexed(v, plan, SG_SCOPE_CALL, r->calls.count);
    run_indexed(v, plan, SG_SCOPE_RANGE, r->ranges.count);
    run(v, plan, SG_SCOPE_END, &t);
}

/* ---- Setting up ------------------------------------------------------------------------------ */

static void apply_options(struct sg_verify *v) {
    const signet_verify_options *o = v->options;
    v->log.show_notes = o->show_notes;
    v->log.torch_only = o->profile == SIGNET_PROFILE_TORCH;
    for (uint32_t code = 0; code < SIGNET_CODE_COUNT; code++) {
        uint8_t *severity = &v->log.severity[code];
        if (o->profile == SIGNET_PROFILE_STRICT && *severity == SIGNET_SEVERITY_WARNING) {
            *severity = SIGNET_SEVERITY_ERROR;
        }
    }
    for (size_t i = 0; i < o->severity_count; i++) {
        sg_log_set_severity(&v->log, o->severities[i].pattern, o->severities[i].severity);
    }
}

/* A rule can be left out when nobody would hear of it and it is no cause of another's silence;
 * which rules mark causes is not stated, so only notes are left out. */
static bool is_enabled(const struct sg_verify *v, const struct sg_rule *r) {
    uint8_t severity = v->log.severity[r->code];
    if (severity == SIGNET_SEVERITY_OFF) {
        return false;
    }
    return severity != SIGNET_SEVERITY_NOTE || v->log.show_notes || v->log.torch_only;
}

static void make_plan(const struct sg_verify *v, struct plan *plan) {
    memset(plan, 0, sizeof(*plan));
    for (size_t f = 0; f < SG_COUNT_OF(families); f++) {
        if (families[f] == &sg_rules_torch && !v->log.torch_only) {
            continue;
        }
        for (size_t i = 0; i < families[f]->count; i++) {
            const struct sg_rule *r = &families[f]->rules[i];
            if (is_enabled(v, r) && plan->count[r->scope] < RULES_PER_SCOPE) {
                plan->rules[r->scope][plan->count[r->scope]++] = r;
            }
        }
    }
}

static uint32_t count_rules(const struct plan *plan) {
    bool seen[SIGNET_CODE_COUNT] = {false};
    uint32_t count = 0;
    for (uint32_t scope = 0; scope < SG_SCOPE_COUNT; scope++) {
        for (uint32_t i = 0; i < plan->count[scope]; i++) {
            bool *s = &seen[plan->rules[scope][i]->code];
            count += !*s;
            *s = true;
        }
    }
    return count;
}

static bool verify_program(struct sg_verify *v, const struct plan *plan) {
    const signet_allocator *a = &v->p->allocator;
    const struct sg_program *r = sg_program(v->p, v->program.id);
    size_t bytes[2] = {0, 0};
    v->program_marks = 0;
    v->errors_before = v->log.report->errors;
    v->stage = v->options->stage != SIGNET_STAGE_DETECT
                   ? v->options->stage
                   : signet_program_detect_stage(v->p, v->program);
    bool ok = true;
    for (uint32_t side = 0; side < 2; side++) {
        ok = ok && sg_mul_ok((size_t)r->specs[side].count + 1, sizeof(uint32_t), &bytes[side]);
        v->spec_marks[side] = ok ? sg_alloc(a, bytes[side]) : NULL;
        ok = ok && v->spec_marks[side] != NULL;
    }
    ok = ok && sg_facts_program(v);
    if (ok) {
        run_program(v, plan);
    }
    for (uint32_t side = 0; side < 2; side++) {
        sg_free(a, v->spec_marks[side], bytes[side]);
        v->spec_marks[side] = NULL;
    }
    return ok;
}

static signet_status verify_programs(struct sg_verify *v, const struct plan *plan) {
    for (uint32_t i = 1; i < v->p->programs.count; i++) {
        v->program.id = i;
        if (!verify_program(v, plan)) {
            return SIGNET_E_NOMEM;
        }
    }
    struct sg_thing package = {.index = 0};
    v->program.id = 0;
    v->program_marks = 0;
    run(v, plan, SG_SCOPE_PACKAGE, &package);
    return v->log.status;
}

/* Programs without delegates pay nothing for their rules. */
static bool calls_delegates(const signet_package *p) {
    bool calls = false;
    for (uint32_t i = 0; i < p->operators.count && !calls; i++) {
        calls = sg_operator(p, i)->op_class == SIGNET_OPERATOR_DELEGATE_CALL;
    }
    return calls;
}

static void close_report(const struct sg_verify *v, const struct plan *plan,
                         signet_report *report) {
    uint32_t rules = count_rules(plan);
    report->rules = rules > report->rules ? rules : report->rules;
    uint32_t not_checked = 0;
    for (uint32_t code = 0; code < SIGNET_CODE_COUNT; code++) {
        not_checked += v->not_checked[code];
    }
    report->not_checked = not_checked > report->not_checked ? not_checked : report->not_checked;
}

/* A caller that knows fewer options than this library has set only the first ones. */
static signet_verify_options complete(const signet_verify_options *options) {
    signet_verify_options o = SIGNET_VERIFY_OPTIONS_INIT;
    if (options != NULL) {
        size_t known = options->size < sizeof(o) ? options->size : sizeof(o);
        memcpy(&o, options, known);
    }
    return o;
}

signet_status signet_verify(const signet_package *package, const signet_verify_options *options,
                            const signet_sink *sink, signet_report *report) {
    signet_report unwanted = SIGNET_REPORT_INIT;
    if (package == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    if (report == NULL) { /* rules ask how many errors there are */
        report = &unwanted;
    }
    const signet_allocator *a = &package->allocator;
    signet_verify_options o = complete(options);
    struct sg_verify *v = sg_alloc(a, sizeof(*v));
    struct plan *plan = sg_alloc(a, sizeof(*plan));
    signet_status rc = SIGNET_E_NOMEM;
    if (v != NULL && plan != NULL) {
        v->p = package;
        v->options = &o;
        v->calls_delegates = calls_delegates(package);
        sg_log_init(&v->log, a, sink, report, package->limits.findings);
        apply_options(v);
        make_plan(v, plan);
        if (prepare_own(v) && sg_facts_init(v)) {
            rc = verify_programs(v, plan);
        }
        close_report(v, plan, report);
        sg_facts_free(v);
        sg_gathered_free(v);
        sg_parties_free(v);
        free_own(v);
        sg_log_free(&v->log);
    }
    sg_free(a, plan, sizeof(*plan));
    sg_free(a, v, sizeof(*v));
    return rc;
}
