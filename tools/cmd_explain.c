/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"
#include "table.h"

#include <string.h>

static const struct option_row form_options[] = {
    {KEY_JSON, "json", NULL, "as one JSON array, an object for each code"},
    {KEY_MARKDOWN, "markdown", NULL, "as the page docs/rules.md"},
    {0, NULL, NULL, NULL},
};

static const struct option_group groups[] = {
    {"Form", form_options}, {"Output", options_of_output}, {NULL, NULL}};

static enum status run(int argc, char **argv);

const struct command command_explain = {
    .name = "explain",
    .usage = "[OPTION...] [CODE...]",
    .title = "Says what a finding is about, and how to repair it.",
    .about = "CODE is what stands in brackets in a finding, such as mutation.target-missing,\n"
             "or a family of codes, such as mutation. Without CODE: a list of all.\n"
             "\n"
             "Exit status: 0; 2 when no code is called like that.\n",
    .examples =
        "  signet explain mutation.target-missing\n"
        "  signet explain mutation\n"
        "  signet explain --json | jq -r '.[] | select(.severity == \"warning\") | .code'\n",
    .groups = groups,
    .run = run,
};

enum form { FORM_TEXT, FORM_JSON, FORM_MARKDOWN };

struct explain_options {
    struct output_options output;
    enum form form;
    bool color;
};

static bool take(void *user, int key, char *argument) {
    struct explain_options *o = user;
    switch (key) {
    case KEY_JSON:
        o->form = FORM_JSON;
        return true;
    case KEY_MARKDOWN:
        o->form = FORM_MARKDOWN;
        return true;
    default:
        return output_options_take(&o->output, key, argument);
    }
}

/* ---- One page -------------------------------------------------------------------------------- */

enum { PAGE_WIDTH = 80 };

/* Paragraphs, broken between words. */
static void add_wrapped(struct text *t, const char *text, const char *indent) {
    size_t column = 0;
    while (*text != '\0') {
        size_t word = strcspn(text, " \n");
        if (column > 0 && column + 1 + word > PAGE_WIDTH) {
            text_put(t, "\n");
            column = 0;
        }
        if (word > 0) {
            text_put(t, column == 0 ? indent : " ");
            text_add(t, text, word);
            column += (column == 0 ? strlen(indent) : 1) + word;
        }
        text += word;
        if (*text == '\n') {
            text_put(t, "\n");
            column = 0;
        }
        text += *text != '\0';
    }
    text_put(t, "\n");
}

/* Lines as they are. */
static void add_indented(struct text *t, const char *lines, const char *indent) {
    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");
        text_put(t, length > 0 ? indent : "");
        text_add(t, lines, length);
        text_put(t, "\n");
        lines += length + (lines[length] == '\n');
    }
}

static void add_heading(struct text *t, const char *heading, bool color) {
    text_format(t, "\n%s%s%s\n", color ? "\033[1m" : "", heading, color ? "\033[0m" : "");
}

static void add_section(struct text *t, const char *heading, const char *text, bool color) {
    if (text != NULL) {
        add_heading(t, heading, color);
        add_wrapped(t, text, "  ");
    }
}

static void add_page(struct text *t, const signet_code_info *info, bool color) {
    text_format(t, "%s%s%s (%s)\n%s\n", color ? "\033[1m" : "", info->name, color ? "\033[0m" : "",
                signet_severity_name(info->severity), info->title);
    add_section(t, "Why it matters", info->why, color);
    if (info->example != NULL) {
        add_heading(t, "Smallest example", color);
        add_indented(t, info->example, "  ");
    }
    add_section(t, "How to repair it", info->fix, color);
    add_section(t, "What PyTorch 2.13 does with it", info->torch, color);
}

static void add_json(struct text *t, const signet_code_info *info) {
    const struct {
        const char *key, *text;
    } members[] = {
        {"code", info->name},       {"severity", signet_severity_name(info->severity)},
        {"title", info->title},     {"why", info->why},
        {"fix", info->fix},         {"torch", info->torch},
        {"example", info->example},
    };
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
        text_format(t, "%s\"%s\":", i == 0 ? "{" : ",", members[i].key);
        text_json(t, signet_str(members[i].text));
    }
    text_put(t, "}");
}

/* ---- Families -------------------------------------------------------------------------------- */

static size_t family_length(const signet_code_info *info) {
    return strcspn(info->name, ".");
}

static bool is_in_family(const signet_code_info *info, const char *family) {
    size_t length = family_length(info);
    return strncmp(info->name, family, length) == 0 && family[length] == '\0';
}

/* Does another family begin with that code? */
static bool begins_family(int code) {
    const signet_code_info *info = signet_code_get((signet_code)code);
    const signet_code_info *before = signet_code_get((signet_code)(code - 1));
    size_t length = family_length(info) + 1;
    return before == NULL || strncmp(info->name, before->name, length) != 0;
}

static void add_list(struct text *t, const char *family) {
    struct table table = {.columns = 3, .indent = 2};
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        const signet_code_info *info = signet_code_get((signet_code)code);
        if (family != NULL && !is_in_family(info, family)) {
            continue;
        }
        if (family == NULL && begins_family(code) && code > 1) {
            table_print(&table, t);
            table = (struct table){.columns = 3, .indent = 2};
            text_put(t, "\n");
        }
        table_cell(&table, info->name);
        table_cell(&table, signet_severity_name(info->severity));
        table_cell(&table, info->title);
    }
    table_print(&table, t);
}

/* ---- docs/rules.md --------------------------------------------------------------------------- */

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Text in which < would begin a tag, | a cell, and * or _ around a word another type. */
static void add_markdown(struct text *t, const char *text) {
    for (const char *c = text; *c != '\0'; c++) {
        bool inside = *c == '_' && c > text && is_word(c[-1]) && is_word(c[1]);
        if (strchr("<|*_", *c) != NULL && !inside) {
            text_put(t, "\\");
        }
        text_add(t, c, 1);
    }
}

static void add_markdown_section(struct text *t, const char *heading, const char *text) {
    if (text != NULL) {
        text_format(t, "\n**%s** ", heading);
        add_markdown(t, text);
        text_put(t, "\n");
    }
}

static void add_markdown_page(struct text *t, const signet_code_info *info) {
    text_format(t, "\n### %s\n\n%s: ", info->name, signet_severity_name(info->severity));
    add_markdown(t, info->title);
    text_put(t, "\n");
    add_markdown_section(t, "Why it matters.", info->why);
    if (info->example != NULL) {
        text_put(t, "\n```\n");
        add_indented(t, info->example, "");
        text_put(t, "```\n");
    }
    add_markdown_section(t, "How to repair it.", info->fix);
    add_markdown_section(t, "PyTorch 2.13.", info->torch);
}

static void add_markdown_all(struct text *t) {
    text_put(
        t, "# Rules\n\n"
           "Made from the catalogue, include/signet/codes.def, by `signet explain --markdown`.\n"
           "An error means that the program is wrong; a warning, that it is well-formed and very\n"
           "likely a mistake; notes are shown when asked for (`--notes`).\n\n"
           "| code | severity | what |\n|---|---|---|\n");
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        const signet_code_info *info = signet_code_get((signet_code)code);
        text_format(t, "| [%s](#", info->name);
        for (const char *c = info->name; *c != '\0'; c++) { /* as GitHub makes anchors */
            text_add(t, c, *c == '.' ? 0 : 1);
        }
        text_format(t, ") | %s | ", signet_severity_name(info->severity));
        add_markdown(t, info->title);
        text_put(t, " |\n");
    }
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        const signet_code_info *info = signet_code_get((signet_code)code);
        if (begins_family(code)) {
            text_format(t, "\n## %.*s\n", (int)family_length(info), info->name);
        }
        add_markdown_page(t, info);
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool is_family(const char *word) {
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        if (is_in_family(signet_code_get((signet_code)code), word)) {
            return true;
        }
    }
    return false;
}

static void say_unknown(const char *word) {
    struct near near = {word, NULL, 0};
    struct text hint = {0};
    for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
        near_try(&near, signet_code_get((signet_code)code)->name);
    }
    near_hint(&hint, &near);
    trouble("no code is called '%s'%s", word,
            hint.data != NULL ? hint.data : "; signet explain lists them");
    text_free(&hint);
}

static bool explain_words(const struct explain_options *o, struct text *t, int count,
                          char **words) {
    for (int i = 0; i < count; i++) {
        signet_code code = signet_code_find(signet_str(words[i]));
        text_put(t, i > 0 ? "\n" : "");
        if (code != SIGNET_CODE_NONE) {
            add_page(t, signet_code_get(code), o->color);
        } else if (is_family(words[i])) {
            add_list(t, words[i]);
        } else {
            say_unknown(words[i]);
            return false;
        }
    }
    return true;
}

static bool explain_json(struct text *t, int count, char **words) {
    const char *between = "[\n";
    for (int i = 0; i < count || (i == 0 && count == 0); i++) {
        bool any = false;
        for (int code = 1; code < SIGNET_CODE_COUNT; code++) {
            const signet_code_info *info = signet_code_get((signet_code)code);
            if (count == 0 || strcmp(info->name, words[i]) == 0 || is_in_family(info, words[i])) {
                text_put(t, between);
                add_json(t, info);
                between = ",\n";
                any = true;
            }
        }
        if (!any) {
            say_unknown(words[i]);
            return false;
        }
    }
    text_put(t, "\n]\n");
    return true;
}

static bool explain(const struct explain_options *o, struct text *t, int count, char **words) {
    switch (o->form) {
    case FORM_JSON:
        return explain_json(t, count, words);
    case FORM_MARKDOWN:
        if (count > 0) {
            trouble("explain: --markdown writes all codes; it takes no CODE");
            return false;
        }
        add_markdown_all(t);
        return true;
    case FORM_TEXT:
        break;
    }
    if (count == 0) {
        add_list(t, NULL);
        text_put(t, "\nMore about one of them: signet explain CODE\n");
        return true;
    }
    return explain_words(o, t, count, words);
}

static enum status run(int argc, char **argv) {
    struct explain_options o = {.form = FORM_TEXT};
    int first = 0;
    enum status status = STATUS_OK;
    if (options_parse(&command_explain, argc, argv, take, &o, &first, &status) != PARSED) {
        return status;
    }
    o.color = output_options_color(&o.output);
    if (!explain(&o, &o.output.out.text, argc - first, argv + first)) {
        text_free(&o.output.out.text);
        return STATUS_USE;
    }
    return out_close(&o.output.out);
}
