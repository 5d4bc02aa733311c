/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct option_row options_of_reading[] = {
    {KEY_FROM, "from", "FORMAT", "what FILE is; normally its content tells"},
    {KEY_WITH, "with", "ARCHIVE", "has the state tables of a bare model.json"},
    {KEY_BODY, "body", "NAME=FILE", "the program inside a delegate; may be repeated"},
    {KEY_DEEP, "deep", NULL, "check every record's checksum, weights included"},
    {KEY_LIMIT, "limit", "NAME=NUMBER", "change a limit; --limit help lists them"},
    {0, NULL, NULL, NULL},
};

const struct option_row options_as_from[] = {
    {KEY_FROM, "as", "FORMAT", NULL},
    {0, NULL, NULL, NULL},
};

const struct option_row options_of_output[] = {
    {KEY_OUTPUT, "output", "FILE", "write to FILE, not to standard output"},
    {KEY_COLOR, "color", "WHEN", "auto, always or never; auto obeys NO_COLOR"},
    {KEY_HELP, NULL, NULL, "the options in short"},
    {KEY_LONG_HELP, "help", NULL, "all about the command, with examples"},
    {0, NULL, NULL, NULL},
};

static bool row_ends(const struct option_row *row) {
    return row->key == 0;
}

/* ---- Help ------------------------------------------------------------------------------------ */

static void help_row(struct text *t, const struct option_row *row) {
    size_t from = t->length;
    text_put(t, "  ");
    if (row->key < KEY_LONG_HELP) {
        text_format(t, "-%c%s", row->key, row->name != NULL ? ", " : "");
    }
    if (row->name != NULL) {
        text_format(t, "--%s", row->name);
    }
    if (row->argument != NULL) {
        text_format(t, " %s", row->argument);
    }
    text_format(t, "%*s%s\n", (int)(26 - (t->length - from)), "", row->text);
}

static void help_groups(struct text *t, const struct command *command) {
    for (const struct option_group *g = command->groups; g->rows != NULL; g++) {
        if (g->title == NULL) {
            continue;
        }
        text_format(t, "\n%s:\n", g->title);
        for (const struct option_row *row = g->rows; !row_ends(row); row++) {
            help_row(t, row);
        }
    }
}

void help_command(struct text *t, const struct command *command, bool full) {
    text_format(t, "usage: signet %s %s\n%s\n", command->name, command->usage, command->title);
    if (full) {
        text_format(t, "\n%s", command->about);
    }
    help_groups(t, command);
    if (full) {
        text_format(t, "\nExamples:\n%s", command->examples);
    } else {
        text_format(t, "\nMore, with examples: signet %s --help\n", command->name);
    }
}

/* ---- Parsing --------------------------------------------------------------------------------- */

enum { MOST_OPTIONS = 48 };

/* getopt's view of the tables. */
struct getopt_tables {
    char letters[2 * MOST_OPTIONS + 2];
    struct option words[MOST_OPTIONS + 1];
};

static void make_tables(const struct command *command, struct getopt_tables *tables) {
    char *letter = tables->letters;
    struct option *word = tables->words;
    *letter++ = ':'; /* tell a missing argument from an unknown option */
    for (const struct option_group *g = command->groups; g->rows != NULL; g++) {
        for (const struct option_row *row = g->rows; !row_ends(row); row++) {
            if (row->key < KEY_LONG_HELP) {
                *letter++ = (char)row->key;
                if (row->argument != NULL) {
                    *letter++ = ':';
                }
            }
            if (row->name != NULL) {
                word->name = row->name;
                word->has_arg = row->argument != NULL ? required_argument : no_argument;
                word->flag = NULL;
                word->val = row->key;
                word++;
            }
        }
    }
    *letter = '\0';
    *word = (struct option){NULL, 0, NULL, 0};
}

static void say_unknown(const struct command *command, const struct getopt_tables *tables,
                        const char *given) {
    struct text hint = {0};
    struct text word = {0};
    if (strncmp(given, "--", 2) == 0) {
        text_add(&word, given, strcspn(given, "="));
        struct near near = {word.data + 2, NULL, 0};
        for (const struct option *o = tables->words; o->name != NULL; o++) {
            near_try(&near, o->name);
        }
        if (near.best != NULL) {
            text_format(&hint, "; did you mean '--%s'?", near.best);
        }
    } else {
        text_put(&word, given);
    }
    trouble("%s has no option '%s'%s", command->name, word.data,
            hint.data != NULL ? hint.data : "; -h lists those it has");
    text_free(&word);
    text_free(&hint);
}

static bool has_key(const struct getopt_tables *tables, int key) {
    const char *letters = tables->letters + 1;
    bool found = key < KEY_LONG_HELP && strchr(letters, key) != NULL;
    for (const struct option *o = tables->words; o->name != NULL; o++) {
        found = found || o->val == key;
    }
    return found;
}

/* getopt leaves in optopt: 0 for an unknown word, an unknown letter, or the key of an option whose
 * value is missing or unwanted; that option is the word before optind then. */
static void say_wrong(const struct command *command, const struct getopt_tables *tables,
                      bool missing, char **argv) {
    char letter[3] = {'-', (char)optopt, '\0'};
    if (missing) {
        trouble("option '%s' needs a value", argv[optind - 1]);
    } else if (optopt == 0) {
        say_unknown(command, tables, argv[optind - 1]);
    } else if (has_key(tables, optopt)) {
        trouble("option '%s' takes no value", argv[optind - 1]);
    } else {
        say_unknown(command, tables, letter);
    }
}

static enum parsed help(const struct command *command, bool full, enum status *status) {
    struct out out = {0};
    help_command(&out.text, command, full);
    *status = out_close(&out);
    return PARSED_HELP;
}

enum parsed options_parse(const struct command *command, int argc, char **argv, option_taker *take,
                          void *user, int *first, enum status *status) {
    struct getopt_tables tables;
    make_tables(command, &tables);
    *status = STATUS_USE;
    opterr = 0;
    optind = 1;
    for (;;) {
        int key = getopt_long(argc, argv, tables.letters, tables.words, NULL);
        if (key == -1) {
            *first = optind;
            return PARSED;
        }
        if (key == '?' || key == ':') {
            say_wrong(command, &tables, key == ':', argv);
            return PARSED_WRONG;
        }
        if (key == KEY_HELP || key == KEY_LONG_HELP) {
            return help(command, key == KEY_LONG_HELP, status);
        }
        if (!take(user, key, optarg)) {
            return PARSED_WRONG;
        }
    }
}

bool option_word(const char *option, const char *argument, const struct word *words, int *value) {
    struct text list = {0};
    struct near near = {argument, NULL, 0};
    for (const struct word *w = words; w->name != NULL; w++) {
        if (strcmp(w->name, argument) == 0) {
            *value = w->value;
            text_free(&list);
            return true;
        }
        text_format(&list, "%s%s", list.length > 0 ? ", " : "", w->name);
        near_try(&near, w->name);
    }
    struct text hint = {0};
    near_hint(&hint, &near);
    trouble("--%s: '%s' is none of %s%s", option, argument, list.data,
            hint.data != NULL ? hint.data : "");
    text_free(&list);
    text_free(&hint);
    return false;
}

bool output_options_take(struct output_options *o, int key, const char *argument) {
    static const struct word whens[] = {
        {"auto", COLOR_AUTO}, {"always", COLOR_ALWAYS}, {"never", COLOR_NEVER}, {NULL, 0}};
    if (key == KEY_OUTPUT) {
        o->out.path = strcmp(argument, "-") == 0 ? NULL : argument;
        return true;
    }
    int when = COLOR_AUTO;
    if (!option_word("color", argument, whens, &when)) {
        return false;
    }
    o->color = (unsigned)when;
    return true;
}

bool output_options_color(const struct output_options *o) {
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    switch (o->color) {
    case COLOR_ALWAYS:
        return true;
    case COLOR_NEVER:
        return false;
    case COLOR_AUTO:
        break;
    }
    return (no_color == NULL || *no_color == '\0') && out_is_terminal(&o->out) &&
           terminal != NULL && strcmp(terminal, "dumb") != 0;
}
