/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option_row form_options[] = {
    {KEY_TO, "to", "FORM", "pt2, json, sgt or text; else the end of OUT tells"},
    {KEY_BASE, "base", "ARCHIVE", "has the weights, for pt2; else FILE itself"},
    {KEY_PROGRAM, "program", "NAME", "only that program (for json and text)"},
    {KEY_REWRITE, "rewrite", NULL, "write anew what is as it was, too (for pt2)"},
    {0, NULL, NULL, NULL},
};

static const struct option_group groups[] = {{"Form", form_options},
                                             {"Reading", options_of_reading},
                                             {"Output", options_of_output},
                                             {NULL, NULL}};

static enum status run(int argc, char **argv);

const struct command command_convert = {
    .name = "convert",
    .usage = "[OPTION...] FILE -o OUT",
    .title = "Writes a program in another form.",
    .about = "The forms, and the ends of OUT that mean them:\n"
             "  pt2   .pt2   an archive as torch.export.load reads it\n"
             "  json  .json  its model.json alone, spelled as PyTorch spells it\n"
             "  sgt   .sgt   Signet's exact text, see signet print\n"
             "  text  .txt   as PyTorch prints an ExportedProgram\n"
             "\n"
             "An archive holds weights, which Signet does not read. They are copied from the\n"
             "archive of --base, or from FILE when it is one. What is as it was keeps its\n"
             "bytes: from an archive to an archive nothing changes at all, except where\n"
             "--rewrite asks for it. Printed programs do not tell enough for pt2 and json.\n"
             "\n"
             "Exit status: 0 written; 1 written as far as FILE could be read, or not at all,\n"
             "and the errors are on standard error; 2 to 4 as for signet lint.\n",
    .examples = "  signet convert model.pt2 -o model.sgt\n"
                "  signet convert model.sgt --base model.pt2 -o edited.pt2\n"
                "  signet convert model.pt2 --to json | python3 -m json.tool\n",
    .groups = groups,
    .run = run,
};

enum form { FORM_NONE, FORM_PT2, FORM_JSON, FORM_SGT, FORM_TEXT };

struct convert_options {
    struct output_options output;
    struct source_options source;
    int form;
    const char *base;
    const char *program;
    bool rewrite;
};

static const struct word forms[] = {
    {"pt2", FORM_PT2}, {"json", FORM_JSON}, {"sgt", FORM_SGT}, {"text", FORM_TEXT}, {NULL, 0}};

static bool take(void *user, int key, char *argument) {
    struct convert_options *o = user;
    switch (key) {
    case KEY_TO:
        return option_word("to", argument, forms, &o->form);
    case KEY_BASE:
        o->base = argument;
        return true;
    case KEY_PROGRAM:
        o->program = argument;
        return true;
    case KEY_REWRITE:
        o->rewrite = true;
        return true;
    case KEY_OUTPUT:
    case KEY_COLOR:
        return output_options_take(&o->output, key, argument);
    default:
        return source_options_take(&o->source, key, argument);
    }
}

/* ---- What was asked for ---------------------------------------------------------------------- */

static int form_of_name(const char *name) {
    static const struct word ends[] = {{".pt2", FORM_PT2},
                                       {".json", FORM_JSON},
                                       {".sgt", FORM_SGT},
                                       {".txt", FORM_TEXT},
                                       {NULL, 0}};
    size_t length = strlen(name);
    for (const struct word *end = ends; end->name != NULL; end++) {
        size_t n = strlen(end->name);
        if (length > n && strcmp(name + length - n, end->name) == 0) {
            return end->value;
        }
    }
    return FORM_NONE;
}

/* False, after a message, when the options do not fit together. */
static bool check_options(struct convert_options *o) {
    const char *path = o->output.out.path;
    if (o->form == FORM_NONE && path != NULL) {
        o->form = form_of_name(path);
    }
    if (o->form == FORM_NONE) {
        trouble("convert: %s; say it by --to pt2, json, sgt or text",
                path != NULL ? "the end of OUT does not tell a form" : "no form is asked for");
    } else if (o->form == FORM_PT2 && out_is_terminal(&o->output.out)) {
        trouble("convert: an archive is not for a terminal; give -o OUT");
    } else if (o->form != FORM_PT2 && (o->base != NULL || o->rewrite)) {
        trouble("convert: %s belongs to --to pt2", o->base != NULL ? "--base" : "--rewrite");
    } else if ((o->form == FORM_PT2 || o->form == FORM_SGT) && o->program != NULL) {
        trouble("convert: --program belongs to --to json and --to text");
    } else {
        return true;
    }
    return false;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static bool is_wanted(const struct convert_options *o, signet_string name) {
    return o->program == NULL ||
           (name.length == strlen(o->program) && memcmp(name.data, o->program, name.length) == 0);
}

static uint32_t count_wanted(const struct convert_options *o, const signet_package *package) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < signet_program_count(package); i++) {
        count += is_wanted(o, signet_program_name(package, signet_program_at(package, i))) ? 1 : 0;
    }
    return count;
}

static signet_status write_programs(struct convert_options *o, const signet_package *package) {
    struct out *out = &o->output.out;
    signet_writer writer = text_writer(&out->text);
    signet_status status = SIGNET_OK;
    for (uint32_t i = 0; i < signet_program_count(package) && status == SIGNET_OK; i++) {
        signet_program program = signet_program_at(package, i);
        if (!is_wanted(o, signet_program_name(package, program))) {
            continue;
        }
        status = o->form == FORM_JSON ? signet_write_json(package, program, &writer)
                                      : signet_write_printed(package, program, &writer);
    }
    return status;
}

static const char *why_not_json(const signet_package *package) {
    for (uint32_t i = 0; i < signet_program_count(package); i++) {
        if (signet_program_is_lossy(package, signet_program_at(package, i))) {
            return "printed text does not tell strides, devices and names of arguments, which "
                   "model.json needs";
        }
    }
    return "it has something that model.json has no form for (a delegate, an attribute, a mixed "
           "list)";
}

static enum status convert_text(struct convert_options *o, const signet_package *package,
                                const char *path) {
    struct out *out = &o->output.out;
    uint32_t count = count_wanted(o, package);
    if (o->program != NULL && count == 0) {
        trouble("%s has no program '%s'", source_name(path), o->program);
        return STATUS_USE;
    }
    if (o->form == FORM_JSON && count > 1) {
        trouble("%s has %u programs, and model.json is one; say which by --program",
                source_name(path), (unsigned)count);
        return STATUS_USE;
    }
    signet_writer writer = text_writer(&out->text);
    signet_status status =
        o->form == FORM_SGT ? signet_write_sgt(package, &writer) : write_programs(o, package);
    if (status == SIGNET_OK) {
        return out_close(out);
    }
    text_free(&out->text);
    trouble("%s: cannot convert: %s", source_name(path),
            status == SIGNET_E_UNSUPPORTED ? why_not_json(package) : signet_status_text(status));
    return status == SIGNET_E_UNSUPPORTED ? STATUS_USE : status_of(status);
}

/* ---- Archives -------------------------------------------------------------------------------- */

/* Archives may be larger than memory: they are written as they come, into a file beside OUT that
 * takes its place when all is well. So OUT may be the base, too. */
struct file {
    int fd;
    int error; /* of the write that failed; 0: none */
};

static bool write_piece(void *user, const char *data, size_t length) {
    struct file *f = user;
    while (length > 0) {
        ssize_t n = write(f->fd, data, length);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            f->error = errno;
            return false;
        }
        data += n;
        length -= (size_t)n;
    }
    return true;
}

static void say_error(void *user, const signet_diag *diag) {
    (void)user;
    if (diag->severity == SIGNET_SEVERITY_ERROR) {
        trouble("%s: %s", diag->location.file != NULL ? diag->location.file : "convert",
                diag->message);
    }
}

static enum status write_archive(const struct convert_options *o, const signet_package *package,
                                 const char *base, struct file *f, const char *name) {
    signet_write_options options = SIGNET_WRITE_OPTIONS_INIT;
    signet_writer writer = {write_piece, f};
    signet_sink sink = {say_error, NULL};
    options.rewrite = o->rewrite;
    signet_status status = signet_write_pt2(package, base, &options, &writer, &sink);
    if (status == SIGNET_OK) {
        return STATUS_OK;
    }
    if (f->error != 0) {
        if (f->error != EPIPE) {
            trouble("cannot write to %s: %s", name, strerror(f->error));
        }
        return STATUS_USE;
    }
    if (status == SIGNET_E_IO || status == SIGNET_E_NOMEM) {
        trouble("cannot read %s: %s", base, signet_status_text(status));
    }
    return status == SIGNET_E_LIMIT || status == SIGNET_E_NOMEM ? STATUS_LIMIT : STATUS_USE;
}

static enum status write_beside(const struct convert_options *o, const signet_package *package,
                                const char *base, const char *path) {
    struct text name = {0};
    struct file f = {-1, 0};
    text_format(&name, "%s.%ld.tmp", path, (long)getpid());
    f.fd = open(name.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f.fd < 0) {
        trouble("cannot write to %s: %s", name.data, strerror(errno));
        text_free(&name);
        return STATUS_USE;
    }
    enum status status = write_archive(o, package, base, &f, path);
    if ((close(f.fd) != 0 || (status == STATUS_OK && rename(name.data, path) != 0)) &&
        status == STATUS_OK) {
        trouble("cannot write to %s: %s", path, strerror(errno));
        status = STATUS_USE;
    }
    if (status != STATUS_OK) {
        (void)unlink(name.data);
    }
    text_free(&name);
    return status;
}

/* Standard output, a device, a pipe. */
static enum status write_through(const struct convert_options *o, const signet_package *package,
                                 const char *base, const char *path) {
    struct file f = {STDOUT_FILENO, 0};
    if (path != NULL) {
        f.fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    }
    if (f.fd < 0) {
        trouble("cannot write to %s: %s", path, strerror(errno));
        return STATUS_USE;
    }
    enum status status =
        write_archive(o, package, base, &f, path != NULL ? path : "standard output");
    if (path != NULL && close(f.fd) != 0 && status == STATUS_OK) {
        trouble("cannot write to %s: %s", path, strerror(errno));
        status = STATUS_USE;
    }
    return status;
}

static bool is_archive(const signet_package *package) {
    signet_carrier carrier = signet_package_carrier(package);
    return carrier == SIGNET_CARRIER_PT2_ARCHIVE || carrier == SIGNET_CARRIER_PT2_FLAT;
}

static enum status convert_pt2(const struct convert_options *o, const signet_package *package,
                               const char *path) {
    const char *base = o->base != NULL ? o->base : is_archive(package) ? path : NULL;
    const char *to = o->output.out.path;
    struct stat info;
    if (base == NULL) {
        trouble("%s has no weights to put into an archive; --base ARCHIVE says where they are",
                source_name(path));
        return STATUS_USE;
    }
    if (strcmp(base, "-") == 0) {
        trouble("convert: an archive is read twice, so it cannot be standard input");
        return STATUS_USE;
    }
    bool beside = to != NULL && (stat(to, &info) != 0 || S_ISREG(info.st_mode));
    return beside ? write_beside(o, package, base, to) : write_through(o, package, base, to);
}

/* ---- The command ----------------------------------------------------------------------------- */

static enum status run(int argc, char **argv) {
    struct convert_options o = {.source = source_options_default()};
    int first = 0;
    enum status status = STATUS_OK;
    if (options_parse(&command_convert, argc, argv, take, &o, &first, &status) == PARSED &&
        !source_options_help(&o.source, &status)) {
        const char *path = source_one_file(&command_convert, argc - first, argv + first);
        status = STATUS_USE;
        if (path != NULL && check_options(&o)) {
            signet_package *package = source_read_one(&o.source, path, &status);
            if (package != NULL) {
                status = status_worse(status, o.form == FORM_PT2 ? convert_pt2(&o, package, path)
                                                                 : convert_text(&o, package, path));
            }
            signet_package_destroy(package);
        }
    }
    source_options_free(&o.source);
    return status;
}
