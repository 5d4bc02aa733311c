/* SPDX-License-Identifier: Apache-2.0 */
#include "case.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SEPARATOR "; -----"

/* ---- Files ----------------------------------------------------------------------------------- */

const char *source_root(void) {
    const char *root = getenv("SIGNET_SOURCE_ROOT");
    cr_assert_not_null(root, "SIGNET_SOURCE_ROOT must name the source tree");
    return root;
}

static FILE *open_source(const char *path) {
    char full[2048];
    snprintf(full, sizeof(full), "%s/%s", source_root(), path);
    return fopen(full, "rb");
}

char *read_source(const char *path) {
    FILE *file = open_source(path);
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    cr_assert(size >= 0);
    char *text = malloc((size_t)size + 1);
    cr_assert_not_null(text);
    size_t length = fread(text, 1, (size_t)size, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

struct paths {
    char **data;
    unsigned count, capacity;
};

static void add_path(struct paths *p, const char *path) {
    if (p->count == p->capacity) {
        p->capacity = p->capacity * 2 + 16;
        p->data = realloc(p->data, p->capacity * sizeof(*p->data));
        cr_assert_not_null(p->data);
    }
    p->data[p->count] = strdup(path);
    cr_assert_not_null(p->data[p->count]);
    p->count++;
}

static bool is_folder(const char *path) {
    char full[4096];
    struct stat info;
    int length = snprintf(full, sizeof(full), "%s/%s", source_root(), path);
    return length > 0 && (size_t)length < sizeof(full) && stat(full, &info) == 0 &&
           S_ISDIR(info.st_mode);
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **list_files(const char *folder, unsigned *count) {
    struct paths found = {NULL, 0, 0};
    struct paths folders = {NULL, 0, 0};
    add_path(&folders, folder);
    for (unsigned i = 0; i < folders.count; i++) {
        char path[2048];
        snprintf(path, sizeof(path), "%s/%s", source_root(), folders.data[i]);
        DIR *dir = opendir(path);
        if (dir == NULL) {
            continue;
        }
        for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
            size_t length = strlen(e->d_name);
            snprintf(path, sizeof(path), "%s/%s", folders.data[i], e->d_name);
            if (e->d_name[0] != '.' && is_folder(path)) {
                add_path(&folders, path);
            } else if (length > 4 && strcmp(e->d_name + length - 4, ".sgt") == 0) {
                add_path(&found, path);
            }
        }
        closedir(dir);
    }
    free_paths(folders.data, folders.count);
    if (found.count > 0) {
        qsort(found.data, found.count, sizeof(*found.data), compare_paths);
    }
    *count = found.count;
    return found.data;
}

void free_paths(char **paths, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        free(paths[i]);
    }
    free(paths);
}

/* ---- What the comments say ------------------------------------------------------------------- */

static void wrong(struct test_case *c, unsigned line, const char *what) {
    if (c->problem[0] == '\0') {
        snprintf(c->problem, sizeof(c->problem), "line %u: %s", line, what);
    }
}

static const char *skip_spaces(const char *s) {
    while (*s == ' ' || *s == '\t') {
        s++;
    }
    return s;
}

/* Copies up to the next space or one of `ends`; returns where it stopped. */
static const char *take_word(const char *s, const char *ends, char *out, size_t size) {
    size_t length = 0;
    while (*s != '\0' && *s != ' ' && *s != '\t' && *s != '\r' && strchr(ends, *s) == NULL) {
        if (length + 1 < size) {
            out[length++] = *s;
        }
        s++;
    }
    out[length] = '\0';
    return s;
}

static const char *take_string(const char *s, char *out, size_t size) {
    size_t length = 0;
    for (s++; *s != '"' && *s != '\0'; s++) {
        s += *s == '\\' && s[1] != '\0';
        if (length + 1 < size) {
            out[length++] = *s;
        }
    }
    out[length] = '\0';
    return *s == '"' ? s + 1 : NULL;
}

static const char *take_severity(const char *s, signet_severity *severity) {
    for (int i = SIGNET_SEVERITY_NOTE; i <= SIGNET_SEVERITY_ERROR; i++) {
        const char *name = signet_severity_name((signet_severity)i);
        size_t length = strlen(name);
        if (strncmp(s, name, length) == 0 && s[length] == ':') {
            *severity = (signet_severity)i;
            return s + length + 1;
        }
    }
    return NULL;
}

static bool is_code(const char *name) {
    return signet_code_find(signet_str(name)) != SIGNET_CODE_NONE;
}

/* error: mutation.shape "text"; warning: ... */
static void read_expectations(struct test_case *c, unsigned line, const char *s) {
    signet_severity severity = SIGNET_SEVERITY_OFF;
    const char *next = take_severity(s, &severity);
    while (next != NULL) {
        if (c->expected_count == CASE_EXPECTATIONS) {
            wrong(c, line, "too many expectations");
            return;
        }
        struct expectation *e = &c->expected[c->expected_count++];
        *e = (struct expectation){.line = line, .severity = severity};
        s = skip_spaces(take_word(skip_spaces(next), ";", e->code, sizeof(e->code)));
        if (!is_code(e->code)) {
            wrong(c, line, "an expectation of a code that does not exist");
        }
        if (*s == '"') {
            s = take_string(s, e->text, sizeof(e->text));
        }
        if (s == NULL) {
            wrong(c, line, "a text without closing quote");
            return;
        }
        s = skip_spaces(s);
        s = skip_spaces(*s == ';' ? s + 1 : s);
        next = take_severity(s, &severity);
        if (next == NULL && *s != '\0' && *s != '\r') {
            wrong(c, line, "an expectation that does not end: CODE \"text\"; CODE ...");
        }
    }
}

static void read_severity(struct test_case *c, unsigned line, const char *word) {
    const char *value = strchr(word, '=');
    if (value == NULL || c->options.severity_count == CASE_SEVERITIES) {
        wrong(c, line, "--severity needs CODE=SEVERITY");
        return;
    }
    size_t i = c->options.severity_count++;
    snprintf(c->patterns[i], sizeof(c->patterns[i]), "%.*s", (int)(value - word), word);
    c->severities[i].pattern = c->patterns[i];
    for (int s = SIGNET_SEVERITY_OFF; s <= SIGNET_SEVERITY_ERROR; s++) {
        if (strcmp(value + 1, signet_severity_name((signet_severity)s)) == 0) {
            c->severities[i].severity = (signet_severity)s;
            return;
        }
    }
    wrong(c, line, "--severity with an unknown severity");
}

static void read_stage(struct test_case *c, unsigned line, const char *name) {
    for (int s = SIGNET_STAGE_TRAINING; signet_stage_name((signet_stage)s) != NULL; s++) {
        if (strcmp(name, signet_stage_name((signet_stage)s)) == 0) {
            c->options.stage = (signet_stage)s;
            return;
        }
    }
    wrong(c, line, "--stage with an unknown stage");
}

static void read_profile(struct test_case *c, unsigned line, const char *name) {
    static const char *const names[] = {"default", "strict", "torch"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            c->options.profile = (signet_profile)i;
            return;
        }
    }
    wrong(c, line, "--profile with an unknown profile");
}

/* RUN: verify --stage=edge --profile=torch --notes --severity CODE=SEVERITY */
static void read_run(struct test_case *c, unsigned line, const char *s) {
    char word[128];
    s = skip_spaces(take_word(skip_spaces(s), "", word, sizeof(word)));
    if (strcmp(word, "verify") != 0) {
        wrong(c, line, "RUN: verify is the only one there is");
    }
    while (*s != '\0' && *s != '\r') {
        s = skip_spaces(take_word(s, "", word, sizeof(word)));
        if (strcmp(word, "--notes") == 0) {
            c->options.show_notes = true;
        } else if (strncmp(word, "--stage=", 8) == 0) {
            read_stage(c, line, word + 8);
        } else if (strncmp(word, "--profile=", 10) == 0) {
            read_profile(c, line, word + 10);
        } else if (strcmp(word, "--severity") == 0) {
            s = skip_spaces(take_word(s, "", word, sizeof(word)));
            read_severity(c, line, word);
        } else {
            wrong(c, line, "an unknown option");
        }
    }
}

static void read_near(struct test_case *c, unsigned line, const char *s) {
    s = skip_spaces(s);
    while (*s != '\0' && *s != '\r') {
        if (c->near_count == CASE_NEAR) {
            wrong(c, line, "too many codes");
            return;
        }
        char *code = c->near[c->near_count++];
        s = skip_spaces(take_word(s, ",", code, sizeof(c->near[0])));
        s = skip_spaces(*s == ',' ? s + 1 : s);
        if (!is_code(code)) {
            wrong(c, line, "NEAR: a code that does not exist");
        }
    }
}

/* Behind the ';' that is outside of quotes; null when there is none. */
static const char *find_comment(const char *line) {
    bool quoted = false;
    for (const char *s = line; *s != '\0'; s++) {
        if (*s == '\\' && quoted && s[1] != '\0') {
            s++;
        } else if (*s == '"') {
            quoted = !quoted;
        } else if (*s == ';' && !quoted) {
            return skip_spaces(s + 1);
        }
    }
    return NULL;
}

static void read_line(struct test_case *c, unsigned number, const char *line) {
    const char *comment = find_comment(line);
    if (comment == NULL) {
        return;
    }
    if (strncmp(comment, "RUN:", 4) == 0) {
        read_run(c, number, comment + 4);
    } else if (strncmp(comment, "NEAR:", 5) == 0) {
        read_near(c, number, comment + 5);
    } else {
        read_expectations(c, number, comment);
    }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static bool is_separator(const char *line) {
    return strncmp(line, SEPARATOR, sizeof(SEPARATOR) - 1) == 0;
}

unsigned count_cases(const char *text) {
    unsigned count = 1;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        count += is_separator(line);
    }
    return count;
}

/* Reads the lines of the case, and leaves the others empty. */
static void cut_case(struct test_case *c) {
    unsigned index = 0;
    unsigned number = 0;
    char *out = c->text;
    for (char *line = c->text; *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        bool last = *end == '\0';
        *end = '\0';
        number++;
        index += is_separator(line);
        if (index == c->index) {
            c->line = c->line == 0 ? number : c->line;
            read_line(c, number, line);
            memmove(out, line, (size_t)(end - line));
            out += end - line;
        }
        *out++ = '\n';
        if (last) {
            break;
        }
        line = end + 1;
    }
    *out = '\0';
}

struct test_case *load_case(const char *path, unsigned index) {
    struct test_case *c = calloc(1, sizeof(*c));
    cr_assert_not_null(c);
    snprintf(c->path, sizeof(c->path), "%s", path);
    c->index = index;
    c->options = (signet_verify_options)SIGNET_VERIFY_OPTIONS_INIT;
    c->options.severities = c->severities;
    c->text = read_source(path);
    cr_assert_not_null(c->text, "%s cannot be read", path);
    size_t length = strlen(c->text);
    c->text = realloc(c->text, length + 2); /* room for a last newline */
    cr_assert_not_null(c->text);
    cut_case(c);
    return c;
}

void free_case(struct test_case *c) {
    free(c->text);
    free(c);
}

bool expects(const struct test_case *c, const char *code) {
    for (unsigned i = 0; i < c->expected_count; i++) {
        if (strcmp(c->expected[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

bool comes_near(const struct test_case *c, const char *code) {
    for (unsigned i = 0; i < c->near_count; i++) {
        if (strcmp(c->near[i], code) == 0) {
            return true;
        }
    }
    return false;
}
