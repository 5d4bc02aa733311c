/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <string.h>

static const struct option_group groups[] = {{"Output", options_of_output}, {NULL, NULL}};

static enum status run(int argc, char **argv);

const struct command command_completion = {
    .name = "completion",
    .usage = "[OPTION...] SHELL",
    .title = "Prints what makes a shell complete signet's words.",
    .about = "SHELL is bash, zsh or fish. Commands, their options and the codes of `signet\n"
             "explain` are completed. An installed signet has put these files into their\n"
             "places already.\n"
             "\n"
             "Exit status: 0, or 2 for wrong use.\n",
    .examples = "  signet completion bash >~/.local/share/bash-completion/completions/signet\n"
                "  signet completion zsh >~/.zfunc/_signet\n"
                "  signet completion fish >~/.config/fish/completions/signet.fish\n",
    .groups = groups,
    .run = run,
};

enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH };

static const struct word shells[] = {
    {"bash", SHELL_BASH}, {"zsh", SHELL_ZSH}, {"fish", SHELL_FISH}, {NULL, 0}};

static bool take(void *user, int key, char *argument) {
    return output_options_take(user, key, argument);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static bool is_command(const struct command *command, const char *name) {
    return strcmp(command->name, name) == 0;
}

static void add_codes(struct text *t) {
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        text_format(t, "%s%s", code > 1 ? " " : "", signet_code_get((signet_code)code)->name);
    }
}

static void add_shells(struct text *t) {
    for (const struct word *w = shells; w->name != NULL; w++) {
        text_format(t, "%s%s", w > shells ? " " : "", w->name);
    }
}

/* The words that a command takes in the place of files; false: it takes files. */
static bool add_words(struct text *t, const struct command *command) {
    if (is_command(command, "explain")) {
        add_codes(t);
    } else if (is_command(command, "completion")) {
        add_shells(t);
    } else {
        return false;
    }
    return true;
}

static bool wants_file(const struct option_row *row) {
    return row->argument != NULL &&
           (strcmp(row->argument, "FILE") == 0 || strcmp(row->argument, "ARCHIVE") == 0);
}

/* Calls @p put for every option that help shows. */
typedef void row_putter(struct text *t, const struct command *command,
                        const struct option_row *row);

static void each_row(struct text *t, const struct command *command, row_putter *put) {
    for (const struct option_group *g = command->groups; g->rows != NULL; g++) {
        for (const struct option_row *row = g->rows; g->title != NULL && row->key != 0; row++) {
            put(t, command, row);
        }
    }
}

/* A text between '...', where a quote is written as @p quote and some letters are led by a
 * backslash. */
static void add_quoted(struct text *t, const char *s, const char *quote, const char *special) {
    for (; *s != '\0'; s++) {
        if (*s == '\'') {
            text_put(t, quote);
            continue;
        }
        if (strchr(special, *s) != NULL) {
            text_put(t, "\\");
        }
        text_add(t, s, 1);
    }
}

/* ---- Bash ------------------------------------------------------------------------------------ */

static void bash_row(struct text *t, const struct command *command, const struct option_row *row) {
    (void)command;
    if (row->key < KEY_LONG_HELP) {
        text_format(t, " -%c", row->key);
    }
    if (row->name != NULL) {
        text_format(t, " --%s", row->name);
    }
}

static void bash(struct text *t) {
    text_put(t, "# Completion of signet for bash: made by signet completion bash.\n"
                "_signet() {\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
                "    if ((COMP_CWORD == 1)); then\n"
                "        words='");
    for (const struct command *const *c = commands; *c != NULL; c++) {
        text_format(t, "%s ", (*c)->name);
    }
    text_put(t, "help --help --version'\n"
                "    else\n"
                "        case ${COMP_WORDS[1]} in\n");
    for (const struct command *const *c = commands; *c != NULL; c++) {
        text_format(t, "        %s) words='", (*c)->name);
        (void)add_words(t, *c);
        each_row(t, *c, bash_row);
        text_put(t, "' ;;\n");
    }
    text_put(t, "        help) words='");
    for (const struct command *const *c = commands; *c != NULL; c++) {
        text_format(t, "%s%s", c > commands ? " " : "", (*c)->name);
    }
    text_put(t, "' ;;\n"
                "        esac\n"
                "    fi\n"
                "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                "}\n"
                "complete -o default -F _signet signet\n");
}

/* ---- Zsh ------------------------------------------------------------------------------------- */

static void zsh_spec(struct text *t, const struct option_row *row) {
    text_put(t, "[");
    add_quoted(t, row->text, "'\\''", "[]:\\");
    text_put(t, "]");
    if (row->argument != NULL) {
        text_format(t, ":%s:%s", row->argument, wants_file(row) ? "_files" : " ");
    }
    text_put(t, "'");
}

static void zsh_row(struct text *t, const struct command *command, const struct option_row *row) {
    (void)command;
    if (row->key < KEY_LONG_HELP) {
        text_format(t, " \\\n            '*-%c", row->key);
        zsh_spec(t, row);
    }
    if (row->name != NULL) {
        text_format(t, " \\\n            '*--%s%s", row->name, row->argument != NULL ? "=" : "");
        zsh_spec(t, row);
    }
}

static void zsh(struct text *t) {
    text_put(t, "#compdef signet\n"
                "# Completion of signet for zsh: made by signet completion zsh.\n"
                "_signet() {\n"
                "    local -a commands=(\n");
    for (const struct command *const *c = commands; *c != NULL; c++) {
        text_format(t, "        '%s:", (*c)->name);
        add_quoted(t, (*c)->title, "'\\''", ":\\");
        text_put(t, "'\n");
    }
    text_put(t, "        'help:The same as --help, of a command too.'\n"
                "    )\n"
                "    if (( CURRENT == 2 )); then\n"
                "        _describe -t commands command commands\n"
                "        _files\n"
                "        return\n"
                "    fi\n"
                "    shift words\n"
                "    (( CURRENT-- ))\n"
                "    case $words[1] in\n");
    for (const struct command *const *c = commands; *c != NULL; c++) {
        struct text words = {0};
        text_format(t, "    %s)\n        _arguments -s", (*c)->name);
        each_row(t, *c, zsh_row);
        if (add_words(&words, *c)) {
            text_format(t, " \\\n            '*:word:(%s)' ;;\n", words.data);
        } else {
            text_put(t, " \\\n            '*:file:_files' ;;\n");
        }
        text_free(&words);
    }
    text_put(t, "    help) _describe -t commands command commands ;;\n"
                "    *) _files ;;\n"
                "    esac\n"
                "}\n"
                "if [ \"$funcstack[1]\" = _signet ]; then\n"
                "    _signet \"$@\"\n"
                "else\n"
                "    compdef _signet signet\n"
                "fi\n");
}

/* ---- Fish ------------------------------------------------------------------------------------ */

static void fish_row(struct text *t, const struct command *command, const struct option_row *row) {
    text_format(t, "complete -c signet -n '__fish_seen_subcommand_from %s'", command->name);
    if (row->key < KEY_LONG_HELP) {
        text_format(t, " -s %c", row->key);
    }
    if (row->name != NULL) {
        text_format(t, " -l %s", row->name);
    }
    if (row->argument != NULL) {
        text_put(t, wants_file(row) ? " -r -F" : " -x");
    }
    text_put(t, " -d '");
    add_quoted(t, row->text, "\\'", "\\");
    text_put(t, "'\n");
}

static void fish(struct text *t) {
    text_put(t, "# Completion of signet for fish: made by signet completion fish.\n");
    for (const struct command *const *c = commands; *c != NULL; c++) {
        struct text words = {0};
        text_format(t, "complete -c signet -n __fish_use_subcommand -a %s -d '", (*c)->name);
        add_quoted(t, (*c)->title, "\\'", "\\");
        text_put(t, "'\n");
        each_row(t, *c, fish_row);
        if (add_words(&words, *c)) {
            text_format(t, "complete -c signet -n '__fish_seen_subcommand_from %s' -f -a '%s'\n",
                        (*c)->name, words.data);
        }
        text_free(&words);
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

static enum status run(int argc, char **argv) {
    struct output_options o = {0};
    int first = 0, shell = SHELL_BASH;
    enum status status = STATUS_OK;
    if (options_parse(&command_completion, argc, argv, take, &o, &first, &status) != PARSED) {
        return status;
    }
    if (argc - first != 1) {
        trouble("completion takes one SHELL: bash, zsh or fish");
        return STATUS_USE;
    }
    struct near near = {argv[first], NULL, 0};
    const struct word *w = shells;
    for (; w->name != NULL && strcmp(w->name, argv[first]) != 0; w++) {
        near_try(&near, w->name);
    }
    if (w->name == NULL) {
        struct text hint = {0};
        near_hint(&hint, &near);
        trouble("completion: '%s' is none of bash, zsh, fish%s", argv[first],
                hint.data != NULL ? hint.data : "");
        text_free(&hint);
        return STATUS_USE;
    }
    shell = w->value;
    if (shell == SHELL_BASH) {
        bash(&o.out.text);
    } else if (shell == SHELL_ZSH) {
        zsh(&o.out.text);
    } else {
        fish(&o.out.text);
    }
    return out_close(&o.out);
}
