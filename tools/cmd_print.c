/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <string.h>

static const struct option_row form_options[] = {
    {KEY_AS, "as", "FORM", "sgt: Signet's exact text; torch: as PyTorch prints it"},
    {KEY_PROGRAM, "program", "NAME", "only that program (with --as torch)"},
    {0, NULL, NULL, NULL},
};

static const struct option_group groups[] = {{"Form", form_options},
                                             {"Reading", options_of_reading},
                                             {"Output", options_of_output},
                                             {NULL, NULL}};

static enum status run(int argc, char **argv);

const struct command command_print = {
    .name = "print",
    .usage = "[OPTION...] FILE",
    .title = "Writes a program as text.",
    .about = "The exact text (--as sgt, which is the default) holds everything that Signet\n"
             "knows about the program: reading it back gives an equal one, whatever it was\n"
             "read from, and however broken it is. The other form is how PyTorch 2.13 prints\n"
             "an ExportedProgram.\n"
             "\n"
             "Exit status: 0 written; 1 written as far as FILE could be read, or not at all,\n"
             "and the errors are on standard error; 2 to 4 as for signet lint.\n",
    .examples = "  signet print model.pt2\n"
                "  signet print model.pt2 -o model.sgt\n"
                "  signet print --as torch model.sgt\n",
    .groups = groups,
    .run = run,
};

enum form { FORM_SGT, FORM_TORCH };

struct print_options {
    struct output_options output;
    struct source_options source;
    int form;
    const char *program;
};

static bool take(void *user, int key, char *argument) {
    static const struct word forms[] = {{"sgt", FORM_SGT}, {"torch", FORM_TORCH}, {NULL, 0}};
    struct print_options *o = user;
    switch (key) {
    case KEY_AS:
        return option_word("as", argument, forms, &o->form);
    case KEY_PROGRAM:
        o->program = argument;
        return true;
    case KEY_OUTPUT:
    case KEY_COLOR:
        return output_options_take(&o->output, key, argument);
    default:
        return source_options_take(&o->source, key, argument);
    }
}

static signet_status print_torch(const struct print_options *o, const signet_package *package,
                                 struct out *out) {
    signet_writer writer = text_writer(&out->text);
    signet_status status = SIGNET_OK;
    bool any = false;
    for (uint32_t i = 0; i < signet_program_count(package) && status == SIGNET_OK; i++) {
        signet_program program = signet_program_at(package, i);
        signet_string name = signet_program_name(package, program);
        if (o->program == NULL || (name.length == strlen(o->program) &&
                                   memcmp(name.data, o->program, name.length) == 0)) {
            status = signet_write_printed(package, program, &writer);
            out_flush(out);
            any = true;
        }
    }
    return any || o->program == NULL ? status : SIGNET_E_INVALID_ARG;
}

static enum status print(struct print_options *o, const signet_package *package, const char *path) {
    struct out *out = &o->output.out;
    signet_writer writer = text_writer(&out->text);
    signet_status status =
        o->form == FORM_SGT ? signet_write_sgt(package, &writer) : print_torch(o, package, out);
    if (status == SIGNET_OK) {
        return out_close(out);
    }
    text_free(&out->text);
    if (status == SIGNET_E_INVALID_ARG && o->program != NULL) {
        trouble("%s has no program '%s'", source_name(path), o->program);
        return STATUS_USE;
    }
    trouble("%s: cannot print: %s", source_name(path), signet_status_text(status));
    return status_of(status);
}

static enum status run(int argc, char **argv) {
    struct print_options o = {.source = source_options_default()};
    int first = 0;
    enum status status = STATUS_OK;
    if (options_parse(&command_print, argc, argv, take, &o, &first, &status) == PARSED &&
        !source_options_help(&o.source, &status)) {
        const char *path = source_one_file(&command_print, argc - first, argv + first);
        status = STATUS_USE;
        if (path != NULL && o.program != NULL && o.form == FORM_SGT) {
            trouble("print: --program belongs to --as torch");
        } else if (path != NULL) {
            signet_package *package = source_read_one(&o.source, path, &status);
            if (package != NULL) {
                status = status_worse(status, print(&o, package, path));
            }
            signet_package_destroy(package);
        }
    }
    source_options_free(&o.source);
    return status;
}
