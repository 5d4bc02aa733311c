/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "lint.h"
#include "toml.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

static char *copy(const char *s) {
    size_t size = strlen(s) + 1;
    return memcpy(memory(NULL, size, 1), s, size);
}

/* ---- What it says ---------------------------------------------------------------------------- */

struct building {
    struct config *c;
    enum { IN_NOTHING, IN_SEVERITY, IN_IGNORE } in;
    bool had_severity;
};

static bool check_code(const struct config *c, uint32_t line, const char *pattern) {
    struct text hint = {0};
    bool ok = lint_is_pattern(pattern, &hint);
    if (!ok) {
        trouble("%s:%u: no rule is called '%s'%s", c->path, (unsigned)line, pattern,
                hint.data != NULL ? hint.data : "");
    }
    text_free(&hint);
    return ok;
}

/* The ignore that ends here is whole. */
static bool end_ignore(const struct building *b) {
    const struct config *c = b->c;
    const struct ignore *i = c->ignore_count > 0 ? &c->ignores[c->ignore_count - 1] : NULL;
    if (b->in != IN_IGNORE || i == NULL || (i->code != NULL && i->reason != NULL)) {
        return true;
    }
    trouble("%s:%u: this ignore has no %s", c->path, (unsigned)i->line,
            i->code == NULL ? "code" : "reason; say why it is right to ignore it");
    return false;
}

static bool take_header(struct building *b, const struct toml_item *item) {
    struct config *c = b->c;
    bool severity = strcmp(item->table, "severity") == 0 && !item->is_array;
    if (!end_ignore(b)) {
        return false;
    }
    if (severity && b->had_severity) {
        trouble("%s:%u: [severity] is there twice", c->path, (unsigned)item->line);
        return false;
    }
    if (severity) {
        b->in = IN_SEVERITY;
        b->had_severity = true;
        return true;
    }
    if (strcmp(item->table, "ignore") == 0 && item->is_array) {
        b->in = IN_IGNORE;
        c->ignores = memory(c->ignores, c->ignore_count + 1, sizeof(*c->ignores));
        c->ignores[c->ignore_count++] = (struct ignore){.line = item->line};
        return true;
    }
    trouble("%s:%u: no table is called '%s'; there are [severity] and [[ignore]]", c->path,
            (unsigned)item->line, item->table);
    return false;
}

static bool take_severity(struct config *c, const struct toml_item *item) {
    int severity = SIGNET_SEVERITY_OFF;
    while (severity <= SIGNET_SEVERITY_ERROR &&
           strcmp(item->value, signet_severity_name((signet_severity)severity)) != 0) {
        severity++;
    }
    if (severity > SIGNET_SEVERITY_ERROR) {
        trouble("%s:%u: '%s' is none of error, warning, note, off", c->path, (unsigned)item->line,
                item->value);
        return false;
    }
    for (size_t i = 0; i < c->severity_count; i++) {
        if (strcmp(c->severities[i].pattern, item->key) == 0) {
            trouble("%s:%u: '%s' is there twice", c->path, (unsigned)item->line, item->key);
            return false;
        }
    }
    c->severities = memory(c->severities, c->severity_count + 1, sizeof(*c->severities));
    c->severities[c->severity_count].pattern = copy(item->key);
    c->severities[c->severity_count++].severity = (signet_severity)severity;
    return check_code(c, item->line, item->key);
}

static bool take_ignore(struct config *c, const struct toml_item *item) {
    struct ignore *i = &c->ignores[c->ignore_count - 1];
    char **place = strcmp(item->key, "code") == 0     ? &i->code
                   : strcmp(item->key, "file") == 0   ? &i->file
                   : strcmp(item->key, "target") == 0 ? &i->target
                   : strcmp(item->key, "reason") == 0 ? &i->reason
                                                      : NULL;
    if (place == NULL) {
        trouble("%s:%u: an ignore has no '%s'; it has code, file, target and reason", c->path,
                (unsigned)item->line, item->key);
        return false;
    }
    if (*place != NULL || *item->value == '\0') {
        trouble("%s:%u: '%s' is %s", c->path, (unsigned)item->line, item->key,
                *place != NULL ? "there twice" : "empty");
        return false;
    }
    *place = copy(item->value);
    return place != &i->code || check_code(c, item->line, item->value);
}

static bool take(void *user, const struct toml_item *item) {
    struct building *b = user;
    if (item->table != NULL) {
        return take_header(b, item);
    }
    switch (b->in) {
    case IN_SEVERITY:
        return take_severity(b->c, item);
    case IN_IGNORE:
        return take_ignore(b->c, item);
    case IN_NOTHING:
        break;
    }
    trouble("%s:%u: '%s' stands outside of [severity] and [[ignore]]", b->c->path,
            (unsigned)item->line, item->key);
    return false;
}

/* ---- Finding and reading it ------------------------------------------------------------------ */

/* "signet.toml", "../signet.toml", ...; null: none is there. */
static char *search(void) {
    struct text up = {0};
    char *found = NULL;
    struct stat here, above;
    for (;;) {
        struct text name = {0};
        text_format(&name, "%ssignet.toml", up.data != NULL ? up.data : "");
        if (access(name.data, F_OK) == 0) {
            found = copy(name.data);
        }
        text_free(&name);
        if (found != NULL || stat(up.data != NULL ? up.data : ".", &here) != 0) {
            break;
        }
        text_put(&up, "../");
        if (stat(up.data, &above) != 0 ||
            (above.st_ino == here.st_ino && above.st_dev == here.st_dev)) {
            break;
        }
    }
    text_free(&up);
    return found;
}

static char *folder_of(const char *path) {
    char *real = realpath(path, NULL);
    char *slash = real != NULL ? strrchr(real, '/') : NULL;
    if (slash != NULL) {
        slash[1] = '\0';
    }
    return real;
}

bool config_read(struct config *c, const char *path) {
    struct text text = {0};
    struct building building = {.c = c};
    *c = (struct config){.path = path != NULL ? copy(path) : search()};
    if (c->path == NULL) {
        return true;
    }
    int fd = open(c->path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && read_all(fd, MOST_BYTES, &text);
    int error = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (!ok) {
        trouble("cannot read %s: %s", c->path, strerror(error));
    } else if (text.length > MOST_BYTES) {
        trouble("%s is larger than a megabyte", c->path);
        ok = false;
    } else {
        text_put(&text, "");
        c->folder = folder_of(c->path);
        ok = toml_read(c->path, &text, take, &building) && end_ignore(&building);
    }
    text_free(&text);
    return ok;
}

void config_free(struct config *c) {
    for (size_t i = 0; i < c->severity_count; i++) {
        free(c->severities[i].pattern);
    }
    for (size_t i = 0; i < c->ignore_count; i++) {
        free(c->ignores[i].code);
        free(c->ignores[i].file);
        free(c->ignores[i].target);
        free(c->ignores[i].reason);
    }
    free(c->severities);
    free(c->ignores);
    free(c->path);
    free(c->folder);
    *c = (struct config){0};
}

/* ---- Matching -------------------------------------------------------------------------------- */

static bool matches(const char *glob, const char *data, size_t length) {
    struct text word = {0};
    text_add(&word, data, length);
    text_put(&word, "");
    bool result = fnmatch(glob, word.data, 0) == 0;
    text_free(&word);
    return result;
}

bool config_has_file(const struct config *c, const struct ignore *ignore, const char *path) {
    if (ignore->file == NULL) {
        return true;
    }
    if (strchr(ignore->file, '/') == NULL) {
        const char *slash = strrchr(path, '/');
        return fnmatch(ignore->file, slash != NULL ? slash + 1 : path, 0) == 0;
    }
    char *real = c->folder != NULL ? realpath(path, NULL) : NULL;
    size_t length = c->folder != NULL ? strlen(c->folder) : 0;
    bool inside = real != NULL && strncmp(real, c->folder, length) == 0;
    bool result = fnmatch(ignore->file, inside ? real + length : path, 0) == 0;
    free(real);
    return result;
}

/* Does the glob match a name that the text quotes? */
static bool quotes(const char *text, const char *glob) {
    while (text != NULL && (text = strchr(text, '\'')) != NULL) {
        const char *end = strchr(++text, '\'');
        if (end == NULL) {
            return false;
        }
        if (matches(glob, text, (size_t)(end - text))) {
            return true;
        }
        text = end + 1;
    }
    return false;
}

static bool is_about(const signet_diag *diag, const char *glob) {
    const char *node = diag->location.node;
    return (node != NULL && matches(glob, node, strlen(node))) || quotes(diag->message, glob) ||
           quotes(diag->location.item, glob);
}

size_t config_find_ignore(const struct config *c, const signet_diag *diag, const char *path) {
    size_t i = 0;
    for (; i < c->ignore_count; i++) {
        const struct ignore *ignore = &c->ignores[i];
        if (lint_matches(ignore->code, diag->code_name) &&
            (ignore->target == NULL || is_about(diag, ignore->target)) &&
            config_has_file(c, ignore, path)) {
            break;
        }
    }
    return i;
}
