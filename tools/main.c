/* SPDX-License-Identifier: Apache-2.0 */
/* The command signet: tells subcommands apart and hands over to them. */
#include "faults.h"
#include "options.h"

#include <string.h>
#include <unistd.h>

const struct command *const commands[] = {
    &command_lint, &command_show, &command_state, &command_print,   &command_convert,
    &command_hash, &command_diff, &command_dot,   &command_explain, &command_completion,
    NULL};

static void add_commands(struct text *t) {
    text_put(t, "usage: signet COMMAND [OPTION...] [FILE...]\n"
                "       signet FILE...      the same as: signet lint FILE...\n"
                "\n"
                "Reads exported PyTorch programs and says what is wrong with them.\n"
                "\n"
                "Commands:\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        text_format(t, "  %-10s %s\n", commands[i]->name, commands[i]->title);
    }
    text_put(t, "  help       The same as --help, of a command too.\n"
                "\n"
                "Options:\n"
                "  -h, --help  this text; of a command: signet COMMAND -h, or --help\n"
                "  --version   the version, and what it reads\n");
}

static void add_long_help(struct text *t) {
    add_commands(t);
    text_put(t, "\n"
                "Exit status: 0 nothing found at or above the threshold; 1 findings, a damaged\n"
                "file is one; 2 wrong use, or a file that cannot be read; 3 a limit was reached\n"
                "or memory ran out; 4 a fault in Signet.\n"
                "\n"
                "Examples:\n"
                "  signet lint model.pt2\n"
                "  signet show model.pt2\n"
                "  signet print model.pt2 -o model.sgt\n"
                "  signet convert model.sgt --base model.pt2 -o edited.pt2\n"
                "  signet explain mutation.target-missing\n");
}

static enum status print_help(bool full) {
    struct out out = {0};
    if (full) {
        add_long_help(&out.text);
    } else {
        add_commands(&out.text);
    }
    return out_close(&out);
}

static enum status print_version(void) {
    struct out out = {0};
    text_format(&out.text,
                "signet %s\n"
                "reads pt2 and json of schema 8.x (5.x and 7.x where they are the same),\n"
                "printed programs of PyTorch 2.1 to 2.14, and sgt\n",
                signet_version());
    return out_close(&out);
}

static const struct command *find(const char *name) {
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static void say_unknown(const char *word) {
    struct near near = {word, NULL, 0};
    struct text hint = {0};
    for (size_t i = 0; commands[i] != NULL; i++) {
        near_try(&near, commands[i]->name);
    }
    near_try(&near, "help");
    near_hint(&hint, &near);
    trouble("no command and no file is called '%s'%s", word,
            hint.data != NULL ? hint.data : "; signet --help lists the commands");
    text_free(&hint);
}

static enum status print_man(void) {
    struct out out = {0};
    help_man(&out.text);
    return out_close(&out);
}

static enum status help(int argc, char **argv) {
    const struct command *command = argc > 1 ? find(argv[1]) : NULL;
    if (argc <= 1) {
        return print_help(true);
    }
    if (strcmp(argv[1], "--man") == 0) {
        return print_man();
    }
    if (command == NULL) {
        say_unknown(argv[1]);
        return STATUS_USE;
    }
    struct out out = {0};
    help_command(&out.text, command, true);
    return out_close(&out);
}

/* A word that can only be meant as a file, there or not. */
static bool looks_like_file(const char *word) {
    return strcmp(word, "-") == 0 || strpbrk(word, "./") != NULL || access(word, F_OK) == 0;
}

static enum status dispatch(int argc, char **argv) {
    if (argc < 2) {
        struct text t = {0};
        add_commands(&t);
        trouble_flush(&t);
        return STATUS_USE;
    }
    const char *word = argv[1];
    const struct command *command = find(word);
    if (command != NULL) {
        return command->run(argc - 1, argv + 1);
    }
    if (strcmp(word, "help") == 0) {
        return help(argc - 1, argv + 1);
    }
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
        return print_help(word[1] == '-');
    }
    if (strcmp(word, "--version") == 0) {
        return print_version();
    }
    if (word[0] == '-' || looks_like_file(word)) {
        return command_lint.run(argc, argv);
    }
    say_unknown(word);
    return STATUS_USE;
}

int main(int argc, char **argv) {
    io_init();
    struct fault_room room;
    faults_catch(&room);
    return (int)dispatch(argc, argv);
}
