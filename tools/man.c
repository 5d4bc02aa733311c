/* SPDX-License-Identifier: Apache-2.0 */
/* The page of the manual, made from the tables that --help is made from. */
#include "options.h"

#include <string.h>

/* Text of one line, or a part of one; nothing in it is a request of roff. */
static void add_line(struct text *t, const char *s, size_t length) {
    if (length > 0 && (s[0] == '.' || s[0] == '\'')) {
        text_put(t, "\\&");
    }
    for (size_t i = 0; i < length; i++) {
        switch (s[i]) {
        case '\\':
            text_put(t, "\\e");
            break;
        case '-':
            text_put(t, "\\-");
            break;
        case '\'':
            text_put(t, "\\(aq");
            break;
        case '`':
            text_put(t, "\\(ga");
            break;
        case '^':
            text_put(t, "\\(ha");
            break;
        case '~':
            text_put(t, "\\(ti");
            break;
        default:
            text_add(t, s + i, 1);
            break;
        }
    }
}

static void add_string(struct text *t, const char *s) {
    add_line(t, s, strlen(s));
}

/* Paragraphs; lines that begin with blanks stay as they are. */
static void add_paragraphs(struct text *t, const char *s) {
    bool as_is = false, parted = false;
    while (*s != '\0') {
        size_t length = strcspn(s, "\n");
        if (length > 0) {
            if ((*s == ' ') != as_is) {
                as_is = !as_is;
                text_put(t, as_is ? ".nf\n" : ".fi\n");
            }
            text_put(t, parted ? ".PP\n" : "");
            add_line(t, s, length);
            text_put(t, "\n");
        }
        parted = length == 0;
        s += length + (s[length] == '\n' ? 1 : 0);
    }
    text_put(t, as_is ? ".fi\n" : "");
}

static void add_row(struct text *t, const struct option_row *row) {
    text_put(t, ".TP\n");
    if (row->key < KEY_LONG_HELP) {
        text_format(t, "\\fB\\-%c\\fR%s", row->key, row->name != NULL ? ", " : "");
    }
    if (row->name != NULL) {
        text_put(t, "\\fB\\-\\-");
        add_string(t, row->name);
        text_put(t, "\\fR");
    }
    if (row->argument != NULL) {
        text_put(t, " \\fI");
        add_string(t, row->argument);
        text_put(t, "\\fR");
    }
    text_put(t, "\n");
    add_string(t, row->text);
    text_put(t, "\n");
}

static void add_command(struct text *t, const struct command *command) {
    text_format(t, ".SS \"signet %s ", command->name);
    add_string(t, command->usage);
    text_put(t, "\"\n");
    add_string(t, command->title);
    text_put(t, "\n.PP\n");
    add_paragraphs(t, command->about);
    for (const struct option_group *g = command->groups; g->rows != NULL; g++) {
        for (const struct option_row *row = g->rows; g->title != NULL && row->key != 0; row++) {
            add_row(t, row);
        }
    }
    text_put(t, ".PP\nExamples:\n.PP\n");
    add_paragraphs(t, command->examples);
}

void help_man(struct text *t) {
    text_format(t,
                ".\\\" Made by signet help --man.\n"
                ".TH SIGNET 1 \"\" \"signet %s\" \"User Commands\"\n",
                signet_version());
    text_put(
        t, ".SH NAME\n"
           "signet \\- find what is wrong with exported PyTorch programs\n"
           ".SH SYNOPSIS\n"
           "\\fBsignet\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n"
           ".br\n"
           "\\fBsignet\\fR \\fIFILE\\fR...\n"
           ".SH DESCRIPTION\n"
           "Signet reads programs that torch.export has made (archives, bare model.json, printed\n"
           "programs) and its own exact text, and says what is wrong with them, before and after\n"
           "they are lowered into delegates. It looks at no weights, and executes nothing that a\n"
           "file holds. \\fBsignet\\fR \\fIFILE\\fR... is the same as \\fBsignet lint\\fR "
           "\\fIFILE\\fR...\n"
           ".SH COMMANDS\n");
    for (const struct command *const *c = commands; *c != NULL; c++) {
        add_command(t, *c);
    }
    text_put(
        t, ".SH EXIT STATUS\n"
           ".TP\n0\nNothing was found at or above the threshold.\n"
           ".TP\n1\nThere are findings; a damaged file is one.\n"
           ".TP\n2\nWrong use, a file that cannot be read, output that cannot be written.\n"
           ".TP\n3\nA limit was reached, or memory ran out: nothing was decided.\n"
           ".TP\n4\nA fault in Signet.\n"
           ".PP\n"
           "Of several files the worst counts, in the order 4, 2, 3, 1, 0.\n"
           ".SH FILES\n"
           ".TP\n\\fIsignet.toml\\fR\n"
           "Severities and ignores for \\fBsignet lint\\fR, looked for in the current folder and\n"
           "those around it.\n"
           ".SH ENVIRONMENT\n"
           ".TP\n\\fBNO_COLOR\\fR\nIf it is set and not empty, there are no colours.\n");
}
