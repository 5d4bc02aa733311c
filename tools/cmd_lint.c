/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"
#include "lint.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct option_row findings_options[] = {
    {KEY_SELECT, "select", "CODE,...", "only these; CODE is family.name, family or all"},
    {KEY_IGNORE, "ignore", "CODE,...", "not these"},
    {KEY_ERROR, "error", "CODE,...", "these are errors"},
    {KEY_WARN, "warn", "CODE,...", "these are warnings"},
    {KEY_NOTE, "note", "CODE,...", "these are notes"},
    {KEY_NOTES, "notes", NULL, "show notes as well"},
    {KEY_FAIL_ON, "fail-on", "SEVERITY", "error, warning or never: what makes the exit status 1"},
    {KEY_PROFILE, "profile", "NAME", "default, strict (warnings are errors) or torch"},
    {KEY_STAGE, "stage", "STAGE", "training, aten, edge, lowered or final; else detected"},
    {KEY_BASELINE, "baseline", "FILE", "findings that are known; they are counted, not shown"},
    {KEY_WRITE_BASELINE, "write-baseline", "FILE", "make such a file of all that is found"},
    {KEY_CONFIG, "config", "FILE", "severities and ignores; else signet.toml, looked for upward"},
    {KEY_ISOLATED, "isolated", NULL, "look for no signet.toml"},
    {0, NULL, NULL, NULL},
};

static const struct option_row showing_options[] = {
    {KEY_FORMAT, "format", "FORM", "full, concise, json, sarif, github or junit"},
    {KEY_STATISTICS, "statistics", NULL, "end with how many findings each code has"},
    {KEY_QUIET, "quiet", NULL, "findings only, no closing line"},
    {KEY_JOBS, "jobs", "N", "files at a time; normally as many as processors"},
    {0, NULL, NULL, NULL},
};

static const struct option_group groups[] = {
    {"Findings", findings_options}, {"Reading", options_of_reading}, {"Showing", showing_options},
    {"Output", options_of_output},  {NULL, options_as_from},         {NULL, NULL}};

static enum status run(int argc, char **argv);

const struct command command_lint = {
    .name = "lint",
    .usage = "[OPTION...] FILE...",
    .title = "Finds what is wrong with exported PyTorch programs.",
    .about = "FILE is a .pt2 archive, a bare model.json, an ExportedProgram as PyTorch prints\n"
             "it, or Signet's exact text (.sgt); its content tells which, its name does not\n"
             "matter. '-' is standard input. `signet FILE...` is the same as `signet lint\n"
             "FILE...`. Nothing in a file is ever executed.\n"
             "\n"
             "Each finding names a code; `signet explain CODE` says what it is about and how\n"
             "to repair it. Severities are set from left to right, the last one wins; --select\n"
             "comes before them all. A finding that leaves nothing to lint is shown whatever\n"
             "the options say. The profile torch shows only what PyTorch 2.13 refuses, its\n"
             "mistakes included.\n"
             "\n"
             "Exit status: 0 nothing at or above --fail-on; 1 findings, a damaged file is one;\n"
             "2 wrong use, or a file that cannot be read; 3 a limit was reached or memory ran\n"
             "out; 4 a fault in Signet. Of several files the worst counts, in the order 4, 2,\n"
             "3, 1, 0.\n",
    .examples = "  signet lint model.pt2\n"
                "  signet lint --fail-on warning --ignore signature.order-unusual *.pt2\n"
                "  signet lint --select mutation,state model.pt2\n"
                "  signet lint --with model.pt2 edited.json\n"
                "  signet lint --body lowered_module_0=delegate.txt lowered.txt\n"
                "  python3 -c 'print(exported_program)' | signet lint -\n"
                "  signet lint --format json *.pt2 | jq '.findings[] | .code'\n",
    .groups = groups,
    .run = run,
};

/* ---- Options --------------------------------------------------------------------------------- */

bool lint_matches(const char *pattern, const char *code) {
    size_t family = strcspn(code, ".");
    if (strcmp(pattern, "all") == 0 || strcmp(pattern, code) == 0) {
        return true;
    }
    return strncmp(pattern, code, family) == 0 &&
           (pattern[family] == '\0' || strcmp(pattern + family, ".*") == 0);
}

bool lint_is_pattern(const char *pattern, struct text *hint) {
    struct near near = {pattern, NULL, 0};
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        const char *name = signet_code_get((signet_code)code)->name;
        if (lint_matches(pattern, name)) {
            return true;
        }
        near_try(&near, name);
    }
    near_hint(hint, &near);
    if (near.best == NULL) {
        text_put(hint, "; signet explain lists them");
    }
    return false;
}

static bool is_pattern(const char *option, const char *pattern) {
    struct text hint = {0};
    bool ok = lint_is_pattern(pattern, &hint);
    if (!ok) {
        trouble("--%s: no rule is called '%s'%s", option, pattern, hint.data);
    }
    text_free(&hint);
    return ok;
}

static void add_rule(struct lint_options *o, const char *pattern, signet_severity severity) {
    o->rules = memory(o->rules, o->rule_count + 1, sizeof(*o->rules));
    o->rules[o->rule_count++] = (signet_severity_rule){pattern, severity};
}

/* argv is ours: the commas in the list become its ends. */
static bool take_codes(struct lint_options *o, const char *option, char *list, bool select,
                       signet_severity severity) {
    char *rest = NULL;
    for (char *pattern = strtok_r(list, ",", &rest); pattern != NULL;
         pattern = strtok_r(NULL, ",", &rest)) {
        if (!is_pattern(option, pattern)) {
            return false;
        }
        if (select) {
            o->selected = memory(o->selected, o->selected_count + 1, sizeof(*o->selected));
            o->selected[o->selected_count++] = pattern;
        } else {
            add_rule(o, pattern, severity);
        }
    }
    return true;
}

static bool take_jobs(struct lint_options *o, const char *argument) {
    char *end = NULL;
    errno = 0;
    o->jobs = strtol(argument, &end, 10);
    if (errno != 0 || *end != '\0' || o->jobs < 1 || o->jobs > 1024) {
        trouble("--jobs: '%s' is no number from 1 to 1024", argument);
        return false;
    }
    return true;
}

static bool take_word(struct lint_options *o, int key, const char *argument) {
    static const struct word formats[] = {{"full", LINT_FULL},
                                          {"concise", LINT_CONCISE},
                                          {"json", LINT_JSON},
                                          {"sarif", LINT_SARIF},
                                          {"github", LINT_GITHUB},
                                          {"junit", LINT_JUNIT},
                                          {NULL, 0}};
    static const struct word severities[] = {{"error", SIGNET_SEVERITY_ERROR},
                                             {"warning", SIGNET_SEVERITY_WARNING},
                                             {"never", SEVERITY_NEVER},
                                             {NULL, 0}};
    static const struct word profiles[] = {{"default", SIGNET_PROFILE_DEFAULT},
                                           {"strict", SIGNET_PROFILE_STRICT},
                                           {"torch", SIGNET_PROFILE_TORCH},
                                           {NULL, 0}};
    static const struct word stages[] = {
#define SIGNET_STAGE(id, keyword, text) {keyword, SIGNET_STAGE_##id},
#include <signet/kinds.def>
        {NULL, 0},
    };
    int value = 0;
    switch (key) {
    case KEY_FORMAT:
        return option_word("format", argument, formats, &o->format);
    case KEY_FAIL_ON:
        return option_word("fail-on", argument, severities, &o->fail_on);
    case KEY_PROFILE:
        if (!option_word("profile", argument, profiles, &value)) {
            return false;
        }
        o->verify.profile = (signet_profile)value;
        return true;
    default: /* KEY_STAGE */
        if (!option_word("stage", argument, stages, &value)) {
            return false;
        }
        o->verify.stage = (signet_stage)value;
        return true;
    }
}

static bool take(void *user, int key, char *argument) {
    struct lint_options *o = user;
    switch (key) {
    case KEY_SELECT:
        return take_codes(o, "select", argument, true, SIGNET_SEVERITY_OFF);
    case KEY_IGNORE:
        return take_codes(o, "ignore", argument, false, SIGNET_SEVERITY_OFF);
    case KEY_ERROR:
        return take_codes(o, "error", argument, false, SIGNET_SEVERITY_ERROR);
    case KEY_WARN:
        return take_codes(o, "warn", argument, false, SIGNET_SEVERITY_WARNING);
    case KEY_NOTE:
        return take_codes(o, "note", argument, false, SIGNET_SEVERITY_NOTE);
    case KEY_NOTES:
        o->verify.show_notes = true;
        return true;
    case KEY_STATISTICS:
        o->statistics = true;
        return true;
    case KEY_QUIET:
        o->quiet = true;
        return true;
    case KEY_JOBS:
        return take_jobs(o, argument);
    case KEY_BASELINE:
        o->baseline_path = argument;
        return true;
    case KEY_WRITE_BASELINE:
        o->write_baseline = argument;
        return true;
    case KEY_CONFIG:
        o->config_path = argument;
        return true;
    case KEY_ISOLATED:
        o->isolated = true;
        return true;
    case KEY_FORMAT:
    case KEY_FAIL_ON:
    case KEY_PROFILE:
    case KEY_STAGE:
        return take_word(o, key, argument);
    case KEY_OUTPUT:
    case KEY_COLOR:
        return output_options_take(&o->output, key, argument);
    default:
        return source_options_take(&o->source, key, argument);
    }
}

/* Moves the rules from @p given on before the others. */
static void put_first(struct lint_options *o, size_t given) {
    size_t off = o->rule_count - given;
    signet_severity_rule *sorted = memory(NULL, o->rule_count + 1, sizeof(*sorted));
    for (size_t i = 0; i < o->rule_count; i++) {
        sorted[i < given ? i + off : i - given] = o->rules[i];
    }
    free(o->rules);
    o->rules = sorted;
}

static bool is_selected(const struct lint_options *o, const char *code) {
    for (size_t i = 0; i < o->selected_count; i++) {
        if (lint_matches(o->selected[i], code)) {
            return true;
        }
    }
    return false;
}

/* The row of signet.toml for a code: a code says more than its family, and that more than all. */
static const struct config_severity *find_severity(const struct config *c, const char *code) {
    const struct config_severity *best = NULL;
    int best_rank = 0;
    for (size_t i = 0; i < c->severity_count; i++) {
        const struct config_severity *row = &c->severities[i];
        int rank = strcmp(row->pattern, "all") == 0 ? 1 : strcmp(row->pattern, code) == 0 ? 3 : 2;
        if (lint_matches(row->pattern, code) && rank > best_rank) {
            best = row;
            best_rank = rank;
        }
    }
    return best;
}

/* What signet.toml says comes before the options; --select has what it has switched off, too. */
static void apply_config(struct lint_options *o) {
    size_t given = o->rule_count;
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        const char *name = signet_code_get((signet_code)code)->name;
        const struct config_severity *row = find_severity(&o->config, name);
        if (row != NULL && (row->severity != SIGNET_SEVERITY_OFF || !is_selected(o, name))) {
            add_rule(o, name, row->severity);
        }
    }
    put_first(o, given);
}

/* --select switches off what it does not name, before the other options speak. */
static void apply_select(struct lint_options *o) {
    size_t given = o->rule_count;
    for (int code = 1; code < SIGNET_CODE_COUNT && o->selected_count > 0; code++) {
        const char *name = signet_code_get((signet_code)code)->name;
        if (!is_selected(o, name)) {
            add_rule(o, name, SIGNET_SEVERITY_OFF);
        }
    }
    put_first(o, given);
}

static void finish_options(struct lint_options *o) {
    apply_select(o);
    apply_config(o);
    o->shown_per_code = o->source.limits.findings;
    if (o->baseline.count + o->config.ignore_count > 0 || o->write_baseline != NULL) {
        o->source.limits.findings = UINT32_MAX;
    }
    o->verify.severities = o->rules;
    o->verify.severity_count = o->rule_count;
    o->color = o->format == LINT_FULL && output_options_color(&o->output);
    o->width = out_width(&o->output.out);
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        const signet_code_info *info = signet_code_get((signet_code)code);
        uint8_t *severity = &o->severity[code];
        *severity = (uint8_t)info->severity;
        if (o->verify.profile == SIGNET_PROFILE_STRICT && *severity == SIGNET_SEVERITY_WARNING) {
            *severity = SIGNET_SEVERITY_ERROR;
        }
        for (size_t i = 0; i < o->rule_count; i++) {
            if (lint_matches(o->rules[i].pattern, info->name)) {
                *severity = (uint8_t)o->rules[i].severity;
            }
        }
    }
}

/* What lies in files of its own: the config and the baseline. */
static bool read_settings(struct lint_options *o) {
    if (o->isolated && o->config_path != NULL) {
        trouble("lint: --isolated and --config exclude each other");
        return false;
    }
    if (o->baseline_path != NULL && o->write_baseline != NULL) {
        trouble(
            "lint: --baseline and --write-baseline exclude each other; the new one has all that "
            "is found");
        return false;
    }
    return (o->isolated || config_read(&o->config, o->config_path)) &&
           (o->baseline_path == NULL || baseline_read(&o->baseline, o->baseline_path));
}

static bool files_are_right(const struct lint_options *o, int count, char **files) {
    int streams = 0;
    for (int i = 0; i < count; i++) {
        streams += strcmp(files[i], "-") == 0;
    }
    if (count == 0) {
        trouble("lint: no FILE is given; '-' reads standard input");
    } else if (streams > 1) {
        trouble("lint: standard input can be read once, '-' is given %d times", streams);
    } else if (o->source.body_count > 0 && count > 1) {
        trouble("lint: --body belongs to one FILE, not to %d", count);
    } else {
        return true;
    }
    return false;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* How far a run is, on a terminal, when it takes longer than a second. */
struct progress {
    bool wanted, shown;
    struct timespec start;
};

static void progress_begin(struct progress *p, const struct lint_options *o, size_t files) {
    const char *terminal = getenv("TERM");
    p->wanted = files > 1 && !o->quiet && isatty(STDERR_FILENO) == 1 && terminal != NULL &&
                strcmp(terminal, "dumb") != 0 && clock_gettime(CLOCK_MONOTONIC, &p->start) == 0;
}

static void progress_show(struct progress *p, size_t done, size_t files) {
    struct timespec now;
    if (p->wanted && clock_gettime(CLOCK_MONOTONIC, &now) == 0 &&
        (now.tv_sec - p->start.tv_sec) * 1000 + (now.tv_nsec - p->start.tv_nsec) / 1000000 > 1000) {
        struct text t = {0};
        text_format(&t, "\r\033[K%zu of %zu files", done, files);
        trouble_flush(&t);
        p->shown = true;
    }
}

/* Before anything else is written. */
static void progress_clear(struct progress *p) {
    if (p->shown) {
        struct text t = {0};
        text_put(&t, "\r\033[K");
        trouble_flush(&t);
        p->shown = false;
    }
}

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct lint_job *jobs;
    size_t count, next, done;
};

static void *work(void *user) {
    struct pool *pool = user;
    struct fault_room room;
    faults_catch_in_thread(&room);
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        size_t i = pool->next < pool->count ? pool->next++ : pool->count;
        pthread_mutex_unlock(&pool->lock);
        if (i == pool->count) {
            return NULL;
        }
        lint_job_run(&pool->jobs[i]);
        pthread_mutex_lock(&pool->lock);
        pool->jobs[i].done = true;
        pool->done++;
        pthread_cond_signal(&pool->changed);
        pthread_mutex_unlock(&pool->lock);
    }
}

static size_t start(struct pool *pool, const struct lint_options *o, pthread_t *threads) {
    long wanted = o->jobs > 0 ? o->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = 0;
    while (wanted > 1 && count < (size_t)wanted && count < pool->count) {
        if (pthread_create(&threads[count], NULL, work, pool) != 0) {
            break; /* those that run do it all */
        }
        count++;
    }
    return count;
}

static void show_job(struct lint_total *total, struct lint_job *job, struct out *out) {
    lint_add(total, job, &out->text);
    out_flush(out); /* findings before the trouble of the same file */
    trouble_flush(&job->trouble);
    baseline_take(&total->found, &job->found);
    lint_job_free(job);
}

static void wait_for_job(struct pool *pool, size_t i, struct progress *progress) {
    pthread_mutex_lock(&pool->lock);
    while (!pool->jobs[i].done) {
        struct timespec until;
        if (!progress->wanted || clock_gettime(CLOCK_REALTIME, &until) != 0) {
            pthread_cond_wait(&pool->changed, &pool->lock);
            continue;
        }
        until.tv_sec += until.tv_nsec >= 750000000 ? 1 : 0; /* a quarter of a second later */
        until.tv_nsec = (until.tv_nsec + 250000000) % 1000000000;
        (void)pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
        progress_show(progress, pool->done, pool->count);
    }
    pthread_mutex_unlock(&pool->lock);
}

static void run_jobs(struct lint_options *o, struct pool *pool, struct lint_total *total) {
    struct out *out = &o->output.out;
    pthread_t *threads = memory(NULL, pool->count, sizeof(*threads));
    size_t thread_count = pool->count > 1 ? start(pool, o, threads) : 0;
    struct progress progress = {0};
    progress_begin(&progress, o, pool->count);
    for (size_t i = 0; i < pool->count; i++) {
        if (thread_count == 0) {
            progress_show(&progress, i, pool->count);
            lint_job_run(&pool->jobs[i]);
        } else {
            wait_for_job(pool, i, &progress);
        }
        progress_clear(&progress);
        show_job(total, &pool->jobs[i], out);
    }
    for (size_t i = 0; i < thread_count; i++) {
        pthread_join(threads[i], NULL);
    }
    free(threads);
}

static enum status lint_files(struct lint_options *o, const signet_package *base, int count,
                              char **files) {
    struct out *out = &o->output.out;
    struct lint_total *total = memory(NULL, 1, sizeof(*total));
    memset(total, 0, sizeof(*total));
    total->options = o;
    total->known_found = zeros(o->baseline.count, sizeof(*total->known_found));
    total->ignore_used = zeros(o->config.ignore_count, sizeof(*total->ignore_used));
    total->ignore_has_file = zeros(o->config.ignore_count, sizeof(*total->ignore_has_file));
    struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pool.count = (size_t)count;
    pool.jobs = memory(NULL, pool.count, sizeof(*pool.jobs));
    memset(pool.jobs, 0, pool.count * sizeof(*pool.jobs));
    for (size_t i = 0; i < pool.count; i++) {
        pool.jobs[i].options = o;
        pool.jobs[i].base = base;
        pool.jobs[i].path = files[i];
    }
    lint_begin(total, &out->text);
    run_jobs(o, &pool, total);
    lint_end(total, &out->text);
    out_flush(out);
    enum status status = total->status;
    if (o->write_baseline != NULL) {
        status = status_worse(status, baseline_write(&total->found, o->write_baseline));
    } else if (!o->quiet) {
        lint_say_unused(total);
    }
    text_free(&total->file_rows);
    free(total->known_found);
    free(total->ignore_used);
    free(total->ignore_has_file);
    baseline_free(&total->found);
    free(total);
    free(pool.jobs);
    return status;
}

static enum status run(int argc, char **argv) {
    struct lint_options *o = memory(NULL, 1, sizeof(*o));
    memset(o, 0, sizeof(*o));
    o->source = source_options_default();
    o->verify = (signet_verify_options)SIGNET_VERIFY_OPTIONS_INIT;
    o->fail_on = SIGNET_SEVERITY_ERROR;
    int first = 0;
    enum status status = STATUS_OK;
    struct source base = {0};
    if (options_parse(&command_lint, argc, argv, take, o, &first, &status) == PARSED &&
        !source_options_help(&o->source, &status)) {
        status = STATUS_USE;
        if (files_are_right(o, argc - first, argv + first) && read_settings(o)) {
            finish_options(o);
            status = source_read_base(&o->source, &base);
            if (status == STATUS_OK) {
                status = lint_files(o, base.package, argc - first, argv + first);
                status = status_worse(status, out_close(&o->output.out));
            }
        }
    }
    source_free(&base);
    source_options_free(&o->source);
    free(o->rules);
    free(o->selected);
    config_free(&o->config);
    baseline_free(&o->baseline);
    free(o);
    return status;
}
