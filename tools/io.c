/* SPDX-License-Identifier: Apache-2.0 */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { READ_PIECE = 1 << 16 };

enum status status_worse(enum status a, enum status b) {
    static const int rank[] = {[STATUS_OK] = 0,
                               [STATUS_FINDINGS] = 1,
                               [STATUS_LIMIT] = 2,
                               [STATUS_USE] = 3,
                               [STATUS_FAULT] = 4};
    return rank[a] >= rank[b] ? a : b;
}

enum status status_of(signet_status status) {
    switch (status) {
    case SIGNET_OK:
        return STATUS_OK;
    case SIGNET_E_SYNTAX:
    case SIGNET_E_VERSION:
    case SIGNET_E_UNSUPPORTED:
        return STATUS_FINDINGS;
    case SIGNET_E_IO:
        return STATUS_USE;
    case SIGNET_E_NOMEM:
    case SIGNET_E_LIMIT:
        return STATUS_LIMIT;
    case SIGNET_E_STOPPED: /* our writers never stop */
    case SIGNET_E_INVALID_ARG:
        break;
    }
    return STATUS_FAULT;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static _Noreturn void no_memory(void) {
    static const char message[] = "signet: out of memory\n";
    ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);
    (void)written;
    _exit(STATUS_LIMIT);
}

void *memory(void *old, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        no_memory();
    }
    void *new = realloc(old, count * size == 0 ? 1 : count * size);
    if (new == NULL) {
        no_memory();
    }
    return new;
}

void *zeros(size_t count, size_t size) {
    void *block = memory(NULL, count + 1, size);
    memset(block, 0, (count + 1) * size);
    return block;
}

/* Room for that many bytes more and a NUL. */
static void text_reserve(struct text *t, size_t more) {
    if (more >= SIZE_MAX / 2 - t->length) {
        no_memory();
    }
    size_t need = t->length + more + 1;
    if (t->data == NULL || need > t->capacity) {
        size_t capacity = t->capacity < 128 ? 128 : t->capacity * 2;
        t->capacity = capacity > need ? capacity : need;
        t->data = memory(t->data, t->capacity, 1);
    }
}

void text_add(struct text *t, const char *data, size_t length) {
    text_reserve(t, length);
    if (length > 0) {
        memcpy(t->data + t->length, data, length);
    }
    t->length += length;
    t->data[t->length] = '\0';
}

void text_put(struct text *t, const char *string) {
    text_add(t, string, strlen(string));
}

static void text_vformat(struct text *t, const char *format, va_list args) SIGNET_PRINTF(2, 0);

static void text_vformat(struct text *t, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    text_reserve(t, 0);
    size_t room = t->capacity - t->length;
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang 14 loses it in va_copy */
    int length = vsnprintf(t->data + t->length, room, format, again);
    va_end(again);
    if (length > 0 && (size_t)length >= room) {
        text_reserve(t, (size_t)length);
        (void)vsnprintf(t->data + t->length, (size_t)length + 1, format, args);
    }
    t->length += length > 0 ? (size_t)length : 0;
}

void text_format(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vformat(t, format, args);
    va_end(args);
}

void text_free(struct text *t) {
    free(t->data);
    *t = (struct text){0};
}

static bool write_text(void *user, const char *data, size_t length) {
    text_add(user, data, length);
    return true;
}

signet_writer text_writer(struct text *t) {
    return (signet_writer){write_text, t};
}

/* Bytes of the character at data and its code point; 0 where there is no UTF-8. */
static size_t next_character(const unsigned char *data, size_t length, uint32_t *code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = data[0] < 0x80   ? 1
                   : data[0] < 0xc0 ? 0
                   : data[0] < 0xe0 ? 2
                   : data[0] < 0xf0 ? 3
                   : data[0] < 0xf8 ? 4
                                    : 0;
    if (bytes == 0 || bytes > length) {
        return 0;
    }
    *code = bytes == 1 ? data[0] : data[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((data[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (data[i] & 0x3fu);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code >= least[bytes] && *code <= 0x10ffff && !surrogate ? bytes : 0;
}

/* Controls, and format characters that hide or reorder what stands around them. */
static bool is_invisible(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
           (code >= 0xfff9 && code <= 0xfffb);
}

static void escape(struct text *t, uint32_t code, bool byte, bool json) {
    if (code == '\n' || code == '\r' || code == '\t') {
        text_put(t, code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t");
    } else if (json) {
        text_format(t, "\\u%04x", (unsigned)(byte ? 0xfffd : code));
    } else {
        text_format(t, byte || code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    }
}

static void add_escaped(struct text *t, signet_string s, bool json) {
    const unsigned char *data = (const unsigned char *)s.data;
    for (size_t i = 0; i < s.length;) {
        uint32_t code = 0;
        size_t bytes = next_character(data + i, s.length - i, &code);
        if (bytes == 0) {
            escape(t, data[i], true, json);
            bytes = 1;
        } else if (is_invisible(code)) {
            escape(t, code, false, json);
        } else if (json && (code == '"' || code == '\\')) {
            text_format(t, "\\%c", (int)code);
        } else {
            text_add(t, s.data + i, bytes);
        }
        i += bytes;
    }
}

void text_escaped(struct text *t, signet_string s) {
    add_escaped(t, s, false);
}

void text_json(struct text *t, signet_string s) {
    if (s.data == NULL) {
        text_put(t, "null");
        return;
    }
    text_put(t, "\"");
    add_escaped(t, s, true);
    text_put(t, "\"");
}

void text_xml(struct text *t, const char *string) {
    struct text shown = {0};
    text_escaped(&shown, signet_str(string)); /* leaves nothing that XML cannot hold */
    text_put(t, "\"");
    for (size_t i = 0; i < shown.length; i++) {
        char c = shown.data[i];
        if (c == '&' || c == '<' || c == '>' || c == '"') {
            text_put(t, c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;");
        } else {
            text_add(t, &c, 1);
        }
    }
    text_put(t, "\"");
    text_free(&shown);
}

size_t text_columns(const char *data, size_t length) {
    size_t columns = 0;
    for (size_t i = 0; i < length; i++) {
        columns += ((unsigned char)data[i] & 0xc0) != 0x80;
    }
    return columns;
}

/* ---- Output ---------------------------------------------------------------------------------- */

/* false: errno says why. */
static bool write_all(int fd, const char *data, size_t length) {
    while (length > 0) {
        ssize_t written = write(fd, data, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return false;
        }
        data += written;
        length -= (size_t)written;
    }
    return true;
}

static void write_failed(struct out *out) {
    int error = errno;
    if (!out->failed && error != EPIPE) { /* `| head` has what it wanted */
        trouble("cannot write to %s: %s", out->path != NULL ? out->path : "standard output",
                strerror(error));
    }
    out->failed = true;
}

void out_flush(struct out *out) {
    if (out->path == NULL && out->text.length > 0) {
        if (!out->failed && !write_all(STDOUT_FILENO, out->text.data, out->text.length)) {
            write_failed(out);
        }
        out->text.length = 0;
    }
}

static void write_file(struct out *out) {
    int fd = open(out->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok = fd >= 0 && write_all(fd, out->text.data, out->text.length);
    if (fd >= 0 && close(fd) != 0) {
        ok = false;
    }
    if (!ok) {
        write_failed(out);
    }
}

enum status out_close(struct out *out) {
    if (out->path != NULL) {
        write_file(out);
    } else {
        out_flush(out);
    }
    text_free(&out->text);
    return out->failed ? STATUS_USE : STATUS_OK;
}

bool out_is_terminal(const struct out *out) {
    return out->path == NULL && isatty(STDOUT_FILENO) == 1;
}

uint32_t out_width(const struct out *out) {
    struct winsize size = {0};
    if (out_is_terminal(out) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        return size.ws_col;
    }
    return 0;
}

/* ---- Trouble --------------------------------------------------------------------------------- */

void trouble_flush(struct text *t) {
    if (t->length > 0) {
        /* Nowhere is left to say that it failed. */
        (void)write_all(STDERR_FILENO, t->data, t->length);
    }
    text_free(t);
}

static void trouble_vadd(struct text *t, const char *format, va_list args) SIGNET_PRINTF(2, 0);

static void trouble_vadd(struct text *t, const char *format, va_list args) {
    struct text line = {0};
    text_vformat(&line, format, args);
    text_put(t, "signet: ");
    text_escaped(t, (signet_string){line.data, line.length});
    text_put(t, "\n");
    text_free(&line);
}

void trouble_add(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    trouble_vadd(t, format, args);
    va_end(args);
}

void trouble(const char *format, ...) {
    struct text t = {0};
    va_list args;
    va_start(args, format);
    trouble_vadd(&t, format, args);
    va_end(args);
    trouble_flush(&t);
}

/* ---- Input ----------------------------------------------------------------------------------- */

void io_init(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            /* Open the wrong way round: using it is an error, as with a closed one. */
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
    (void)signal(SIGPIPE, SIG_IGN);
}

bool read_all(int fd, uint64_t most, struct text *t) {
    while (t->length <= most) {
        text_reserve(t, READ_PIECE);
        uint64_t left = most - t->length + 1;
        ssize_t got = read(fd, t->data + t->length, left < READ_PIECE ? (size_t)left : READ_PIECE);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            t->data[t->length] = '\0';
            return got == 0;
        }
        t->length += (size_t)got;
    }
    return true;
}
