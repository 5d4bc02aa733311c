/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Options --------------------------------------------------------------------------------- */

struct source_options source_options_default(void) {
    return (struct source_options){.from = SIGNET_CARRIER_UNKNOWN,
                                   .limits = signet_limits_default()};
}

void source_options_free(struct source_options *o) {
    free(o->bodies);
    o->bodies = NULL;
}

/* "4096", "64K", "2M", "4G". */
static bool parse_number(const char *text, uint64_t *number) {
    static const char units[] = "KMG";
    char *end = NULL;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    unsigned shift = 0;
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit != NULL) {
        shift = 10 * ((unsigned)(unit - units) + 1);
        end++;
    }
    *number = (uint64_t)n << shift;
    return *text >= '0' && *text <= '9' && errno == 0 && *end == '\0' && *number >> shift == n;
}

static bool take_limit(struct source_options *o, const char *argument) {
    static const char *const names[] = {
#define SIGNET_LIMIT(id, option, value, text) option,
#include <signet/limits.def>
#undef SIGNET_LIMIT
    };
    if (strcmp(argument, "help") == 0) {
        o->list_limits = true;
        return true;
    }
    size_t length = strcspn(argument, "=");
    struct text name = {0};
    text_add(&name, argument, length);
    uint64_t number = 0;
    struct text hint = {0};
    bool ok = argument[length] == '=' && parse_number(argument + length + 1, &number);
    if (!ok) {
        trouble("--limit: '%s' is not of the form NAME=NUMBER, such as json-depth=512", argument);
    } else if (!signet_limits_set(&o->limits, name.data, number)) {
        struct near near = {name.data, NULL, 0};
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
            near_try(&near, names[i]);
        }
        near_hint(&hint, &near);
        trouble("--limit: no limit is called '%s'%s", name.data,
                hint.data != NULL ? hint.data : "; --limit help lists them");
        ok = false;
    }
    text_free(&hint);
    text_free(&name);
    return ok;
}

static bool take_body(struct source_options *o, const char *argument) {
    const char *equals = strchr(argument, '=');
    if (equals == NULL || equals == argument || equals[1] == '\0') {
        trouble("--body: '%s' is not of the form NAME=FILE, such as lowered_module_0=body.txt",
                argument);
        return false;
    }
    o->bodies = memory(o->bodies, o->body_count + 1, sizeof(*o->bodies));
    o->bodies[o->body_count++] =
        (struct body_option){argument, (size_t)(equals - argument), equals + 1};
    return true;
}

bool source_options_take(struct source_options *o, int key, const char *argument) {
    static const struct word carriers[] = {
#define SIGNET_CARRIER(id, keyword, text) {keyword, SIGNET_CARRIER_##id},
#include <signet/kinds.def>
        {NULL, 0},
    };
    int carrier = SIGNET_CARRIER_UNKNOWN;
    switch (key) {
    case KEY_FROM:
        /* the first row is "memory", which no file is */
        if (!option_word("from", argument, carriers + 1, &carrier)) {
            return false;
        }
        o->from = (signet_carrier)carrier;
        return true;
    case KEY_DEEP:
        o->deep = true;
        return true;
    case KEY_WITH:
        o->with = argument;
        return true;
    case KEY_BODY:
        return take_body(o, argument);
    case KEY_LIMIT:
        return take_limit(o, argument);
    default:
        return false;
    }
}

bool source_options_help(const struct source_options *o, enum status *status) {
    if (!o->list_limits) {
        return false;
    }
    struct out out = {0};
    text_put(&out.text, "Limits, for --limit NAME=NUMBER (K, M and G may follow the number):\n");
#define SIGNET_LIMIT(id, option, value, words)                                                     \
    text_format(&out.text, "  %-18s %10llu  %s\n", option, (unsigned long long)(value), words);
#include <signet/limits.def>
#undef SIGNET_LIMIT
    *status = out_close(&out);
    return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

const char *source_name(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static void fail(struct source *s, enum status status) {
    s->status = status_worse(s->status, status);
}

/* Opens what is not standard input; -1 after saying why not. */
static int open_file(struct source *s, const char *path, struct stat *info) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const char *why = NULL;
    if (fd < 0 || fstat(fd, info) != 0) {
        why = strerror(errno);
    } else if (S_ISDIR(info->st_mode)) {
        why = "it is a directory";
    } else if (S_ISBLK(info->st_mode) || S_ISCHR(info->st_mode)) {
        why = "it is a device; '-' reads standard input";
    } else {
        return fd;
    }
    trouble_add(&s->trouble, "cannot read %s: %s", path, why);
    fail(s, STATUS_USE);
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

/* Standard input, a pipe: no library call reads those. */
static void read_stream(struct source *s, int fd, const char *name,
                        const signet_read_options *options, const signet_sink *sink) {
    struct text data = {0};
    if (read_all(fd, options->limits->file_bytes, &data)) {
        s->read = signet_read_memory(&s->package, data.data, data.length, name, options, sink);
    } else {
        trouble_add(&s->trouble, "cannot read %s: %s", name, strerror(errno));
        fail(s, STATUS_USE);
        s->read = SIGNET_E_IO;
    }
    text_free(&data);
}

static void read_program(struct source *s, const struct source_options *o, const char *path,
                         const signet_sink *sink) {
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.limits = &o->limits;
    options.as = o->from;
    options.deep = o->deep;
    if (strcmp(path, "-") == 0) {
        read_stream(s, STDIN_FILENO, source_name(path), &options, sink);
        return;
    }
    struct stat info;
    int fd = open_file(s, path, &info);
    if (fd < 0) {
        s->read = SIGNET_E_IO;
        return;
    }
    if (S_ISREG(info.st_mode)) {
        s->read = signet_read_file(&s->package, path, &options, sink);
        if (s->read == SIGNET_E_IO) {
            trouble_add(&s->trouble, "cannot read %s", path);
        }
    } else {
        read_stream(s, fd, path, &options, sink);
    }
    close(fd);
}

/* Does any program of the package have state tables, or lack them? */
static bool any_program(const signet_package *package, bool with_state) {
    for (uint32_t i = 0; i < signet_program_count(package); i++) {
        signet_program program = signet_program_at(package, i);
        if (signet_program_has_state_tables(package, program) == with_state) {
            return true;
        }
    }
    return false;
}

static void take_state(struct source *s, const struct source_options *o, const char *path,
                       const signet_package *base) {
    if (base == NULL || !any_program(s->package, false)) {
        return;
    }
    signet_status status = signet_package_take_state(s->package, base);
    if (status == SIGNET_E_INVALID_ARG) {
        trouble_add(&s->trouble, "--with: no program of %s belongs to one of %s", o->with,
                    source_name(path));
        fail(s, STATUS_USE);
    } else if (status != SIGNET_OK) {
        trouble_add(&s->trouble, "--with: %s: %s", o->with, signet_status_text(status));
        fail(s, status_of(status));
    }
}

static void say_no_delegate(struct source *s, const char *path, const char *name) {
    struct near near = {name, NULL, 0};
    struct text hint = {0};
    uint32_t count = signet_delegate_count(s->package);
    for (uint32_t i = 0; i < count; i++) {
        near_try(&near, signet_delegate_name(s->package, signet_delegate_at(s->package, i)).data);
    }
    near_hint(&hint, &near);
    trouble_add(&s->trouble, "--body: %s has no delegate '%s' (it has %u)%s", source_name(path),
                name, (unsigned)count, hint.data != NULL ? hint.data : "");
    text_free(&hint);
    fail(s, STATUS_USE);
}

static void attach_body(struct source *s, const struct source_options *o,
                        const struct body_option *body, const char *path, const signet_sink *sink) {
    signet_read_options options = SIGNET_READ_OPTIONS_INIT;
    options.limits = &o->limits;
    options.deep = o->deep;
    struct text name = {0};
    text_add(&name, body->delegate, body->delegate_length);
    signet_string key = {name.data, name.length};
    struct stat info;
    int fd = open_file(s, body->path, &info);
    if (fd >= 0) {
        close(fd);
        if (signet_delegate_find(s->package, key).id == 0) {
            say_no_delegate(s, path, name.data);
        } else {
            signet_status status =
                signet_package_attach_body(s->package, name.data, body->path, &options, sink);
            if (status != SIGNET_OK) {
                trouble_add(&s->trouble, "--body: cannot take %s as the program inside '%s': %s",
                            body->path, name.data, signet_status_text(status));
                fail(s, status_of(status));
            }
        }
    }
    text_free(&name);
}

void source_read(struct source *source, const struct source_options *o, const char *path,
                 const signet_package *base, const signet_sink *sink) {
    read_program(source, o, path, sink);
    if (source->package == NULL) {
        if (source->read == SIGNET_E_NOMEM) {
            trouble_add(&source->trouble, "%s: %s", source_name(path),
                        signet_status_text(source->read));
        }
        /* No package and no reason: something is wrong with the library. */
        fail(source, source->read == SIGNET_OK ? STATUS_FAULT : status_of(source->read));
        return;
    }
    take_state(source, o, path, base);
    for (size_t i = 0; i < o->body_count && source->status == STATUS_OK; i++) {
        attach_body(source, o, &o->bodies[i], path, sink);
    }
}

/* The errors of a file that is not linted, as text. */
struct errors {
    struct text text;
    uint64_t count;
};

static void on_error(void *user, const signet_diag *diag) {
    struct errors *errors = user;
    signet_render_options options = SIGNET_RENDER_OPTIONS_INIT;
    signet_writer writer = text_writer(&errors->text);
    if (diag->severity == SIGNET_SEVERITY_ERROR) {
        errors->count++;
        if (signet_render_full(diag, &options, &writer) != SIGNET_OK) {
            trouble_add(&errors->text, "%s", diag->code_name);
        }
    }
}

static enum status read_with(const struct source_options *o, struct source *base) {
    struct source_options options = *o;
    options.from = SIGNET_CARRIER_UNKNOWN;
    options.body_count = 0;
    source_read(base, &options, o->with, NULL, NULL);
    if (base->package != NULL && any_program(base->package, true)) {
        return STATUS_OK;
    }
    if (base->package != NULL) {
        trouble_add(&base->trouble, "--with: %s has no state tables; give the archive", o->with);
    } else if (base->trouble.length == 0) {
        trouble_add(&base->trouble, "--with: %s: %s; signet lint %s says more", o->with,
                    signet_status_text(base->read), o->with);
    }
    return status_worse(STATUS_USE, base->status);
}

enum status source_read_base(const struct source_options *o, struct source *base) {
    enum status status = o->with != NULL ? read_with(o, base) : STATUS_OK;
    trouble_flush(&base->trouble);
    return status;
}

signet_package *source_read_one(const struct source_options *o, const char *path,
                                enum status *status) {
    struct source base = {0}, source = {0};
    struct errors errors = {0};
    signet_sink sink = {on_error, &errors};
    signet_package *package = NULL;
    *status = source_read_base(o, &base);
    if (*status == STATUS_OK) {
        source_read(&source, o, path, base.package, &sink);
        *status = status_worse(source.status, errors.count > 0 ? STATUS_FINDINGS : STATUS_OK);
        if (source.status == STATUS_OK) {
            package = source.package;
            source.package = NULL;
        }
    }
    trouble_flush(&errors.text);
    trouble_flush(&source.trouble);
    source_free(&source);
    source_free(&base);
    return package;
}

void source_free(struct source *source) {
    signet_package_destroy(source->package);
    source->package = NULL;
    text_free(&source->trouble);
}

const char *source_one_file(const struct command *command, int count, char **files) {
    if (count == 1) {
        return files[0];
    }
    if (count > 1) {
        trouble("%s takes one FILE, not %d", command->name, count);
        return NULL;
    }
    if (isatty(STDIN_FILENO) == 1) {
        trouble("%s: no FILE is given; '-' reads standard input", command->name);
        return NULL;
    }
    return "-";
}

bool source_files_are_right(const struct source_options *o, const char *command, int count,
                            char **files) {
    int streams = 0;
    for (int i = 0; i < count; i++) {
        streams += strcmp(files[i], "-") == 0;
    }
    if (count == 0) {
        trouble("%s: no FILE is given; '-' reads standard input", command);
    } else if (streams > 1) {
        trouble("%s: standard input can be read once, '-' is given %d times", command, streams);
    } else if (o->body_count > 0 && count > 1) {
        trouble("%s: --body belongs to one FILE, not to %d", command, count);
    } else {
        return true;
    }
    return false;
}
