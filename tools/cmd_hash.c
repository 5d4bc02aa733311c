/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

static const struct option_row hash_options[] = {
    {KEY_EXACT, "exact", NULL, "of everything; normally names and order do not count"},
    {0, NULL, NULL, NULL},
};

static const struct option_group groups[] = {{"Hash", hash_options},
                                             {"Reading", options_of_reading},
                                             {"Output", options_of_output},
                                             {NULL, NULL}};

static enum status run(int argc, char **argv);

const struct command command_hash = {
    .name = "hash",
    .usage = "[OPTION...] FILE...",
    .title = "Prints a number that equal programs share.",
    .about = "One line for each program, as sha256sum prints them: 32 hexadecimal digits, two\n"
             "spaces, FILE; and FILE:NAME where a file has several programs. The programs\n"
             "inside delegates count as part of the program that calls them.\n"
             "\n"
             "Names, the order of independent nodes, dead nodes and stack traces do not count;\n"
             "operators, literals, types, targets and positions do. With --exact everything\n"
             "counts. The hash is the same on every machine, and may change with the version\n"
             "of Signet. Weights are not looked at.\n"
             "\n"
             "Exit status: 0 all were hashed; 1 a file has errors that were met in reading (they\n"
             "are on standard error); 2 to 4 as for signet lint.\n",
    .examples = "  signet hash model.pt2\n"
                "  signet hash --exact before.pt2 after.pt2\n"
                "  signet hash *.pt2 | sort | uniq -w32 -D\n",
    .groups = groups,
    .run = run,
};

struct hash_options {
    struct output_options output;
    struct source_options source;
    signet_hash_mode mode;
};

static bool take(void *user, int key, char *argument) {
    struct hash_options *o = user;
    switch (key) {
    case KEY_EXACT:
        o->mode = SIGNET_HASH_EXACT;
        return true;
    case KEY_OUTPUT:
    case KEY_COLOR:
        return output_options_take(&o->output, key, argument);
    default:
        return source_options_take(&o->source, key, argument);
    }
}

static void add_row(struct text *t, const signet_hash *hash, const char *path, bool several,
                    signet_string name) {
    for (size_t i = 0; i < sizeof(hash->bytes); i++) {
        text_format(t, "%02x", hash->bytes[i]);
    }
    text_put(t, "  ");
    text_escaped(t, signet_str(path));
    if (several) {
        text_put(t, ":");
        text_escaped(t, name);
    }
    text_put(t, "\n");
}

/* A package without a method (bodies alone) is hashed body by body. */
static bool has_method(const signet_package *package) {
    for (uint32_t i = 0; i < signet_program_count(package); i++) {
        if (signet_program_get_role(package, signet_program_at(package, i)) == SIGNET_ROLE_METHOD) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const signet_package *package, signet_program program, bool methods) {
    return !methods || signet_program_get_role(package, program) == SIGNET_ROLE_METHOD;
}

static enum status hash_package(struct hash_options *o, const signet_package *package,
                                const char *path) {
    bool methods = has_method(package);
    uint32_t listed = 0;
    for (uint32_t i = 0; i < signet_program_count(package); i++) {
        listed += is_listed(package, signet_program_at(package, i), methods) ? 1 : 0;
    }
    for (uint32_t i = 0; i < signet_program_count(package); i++) {
        signet_program program = signet_program_at(package, i);
        signet_hash hash;
        if (!is_listed(package, program, methods)) {
            continue;
        }
        signet_status status = signet_program_hash(package, program, o->mode, &hash);
        if (status != SIGNET_OK) {
            trouble("%s: cannot hash: %s", source_name(path), signet_status_text(status));
            return status_of(status);
        }
        add_row(&o->output.out.text, &hash, path, listed > 1,
                signet_program_name(package, program));
    }
    return STATUS_OK;
}

static enum status hash_files(struct hash_options *o, int count, char **files) {
    enum status worst = STATUS_OK;
    for (int i = 0; i < count; i++) {
        enum status status = STATUS_OK;
        signet_package *package = source_read_one(&o->source, files[i], &status);
        if (package != NULL) {
            status = status_worse(status, hash_package(o, package, files[i]));
        }
        signet_package_destroy(package);
        out_flush(&o->output.out);
        worst = status_worse(worst, status);
    }
    return status_worse(worst, out_close(&o->output.out));
}

static enum status run(int argc, char **argv) {
    struct hash_options o = {.source = source_options_default(), .mode = SIGNET_HASH_STRUCTURAL};
    int first = 0;
    enum status status = STATUS_OK;
    if (options_parse(&command_hash, argc, argv, take, &o, &first, &status) == PARSED &&
        !source_options_help(&o.source, &status)) {
        status = source_files_are_right(&o.source, "hash", argc - first, argv + first)
                     ? hash_files(&o, argc - first, argv + first)
                     : STATUS_USE;
    }
    source_options_free(&o.source);
    return status;
}
