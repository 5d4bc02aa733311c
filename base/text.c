/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

/* ---- Growing buffer -------------------------------------------------------------------------- */

void sg_text_init(struct sg_text *t, const signet_allocator *a) {
    *t = (struct sg_text){.allocator = a};
}

void sg_text_free(struct sg_text *t) {
    sg_free(t->allocator, t->data, t->capacity);
    sg_text_init(t, t->allocator);
}

void sg_text_clear(struct sg_text *t) {
    t->length = 0;
    t->failed = false;
    if (t->data != NULL) {
        t->data[0] = '\0';
    }
}

/* Room for `extra` more bytes and the NUL. */
static bool text_reserve(struct sg_text *t, size_t extra) {
    size_t need;
    if (t->failed || !sg_add_ok(t->length, extra, &need) || !sg_add_ok(need, 1, &need)) {
        t->failed = true;
        return false;
    }
    if (need <= t->capacity) {
        return true;
    }
    size_t capacity = t->capacity < 64 ? 64 : t->capacity;
    while (capacity < need) {
        capacity = capacity <= SIZE_MAX / 2 ? capacity * 2 : need;
    }
    const signet_allocator *a = t->allocator;
    char *grown = t->data == NULL ? a->allocate(a->context, capacity)
                                  : a->reallocate(a->context, t->data, t->capacity, capacity);
    if (grown == NULL) {
        t->failed = true;
        return false;
    }
    t->data = grown;
    t->capacity = capacity;
    return true;
}

void sg_text_put(struct sg_text *t, const char *data, size_t length) {
    if (!text_reserve(t, length)) {
        return;
    }
    if (length > 0) {
        memcpy(t->data + t->length, data, length);
    }
    t->length += length;
    t->data[t->length] = '\0';
}

void sg_text_puts(struct sg_text *t, const char *text) {
    sg_text_put(t, text, strlen(text));
}

void sg_text_putc(struct sg_text *t, char c) {
    sg_text_put(t, &c, 1);
}

void sg_text_string(struct sg_text *t, signet_string s) {
    sg_text_put(t, s.data, s.length);
}

void sg_text_uint(struct sg_text *t, uint64_t v) {
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v > 0);
    sg_text_put(t, digits + at, sizeof(digits) - at);
}

void sg_text_int(struct sg_text *t, int64_t v) {
    if (v < 0) {
        sg_text_putc(t, '-');
    }
    sg_text_uint(t, v < 0 ? UINT64_C(0) - (uint64_t)v : (uint64_t)v);
}

void sg_text_vprintf(struct sg_text *t, const char *format, va_list args) {
    if (!text_reserve(t, 0)) {
        return;
    }
    va_list first;
    va_copy(first, args);
    size_t room = t->capacity - t->length;
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang 14 loses it in va_copy */
    int n = vsnprintf(t->data + t->length, room, format, first);
    va_end(first);
    if (n >= 0 && (size_t)n >= room && text_reserve(t, (size_t)n)) {
        n = vsnprintf(t->data + t->length, t->capacity - t->length, format, args);
    }
    if (n < 0 || t->failed) {
        t->failed = true;
        t->data[t->length] = '\0';
        return;
    }
    t->length += (size_t)n;
}

void sg_text_printf(struct sg_text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sg_text_vprintf(t, format, args);
    va_end(args);
}

/* ---- Doubles --------------------------------------------------------------------------------- */

/* Digits d1 d2 ... of a number 0.d1d2... * 10^point, without zeros at either end. */
struct decimal {
    char digits[SG_NUMBER_TEXT];
    int count;
    int point;
};

/* Takes apart "123.45e-6", which has no sign. */
static struct decimal decimal_of(const char *text) {
    struct decimal d = {{0}, 0, 0};
    bool fraction = false;
    for (; *text == '.' || (*text >= '0' && *text <= '9'); text++) {
        if (*text == '.') {
            fraction = true;
        } else if (*text == '0' && d.count == 0) {
            d.point -= fraction ? 1 : 0;
        } else {
            d.digits[d.count++] = *text;
            d.point += fraction ? 0 : 1;
        }
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        bool negative = *text == '-';
        text += negative || *text == '+' ? 1 : 0;
        int exponent = 0;
        for (; *text >= '0' && *text <= '9'; text++) {
            exponent = exponent * 10 + (*text - '0');
        }
        d.point += negative ? -exponent : exponent;
    }
    while (d.count > 0 && d.digits[d.count - 1] == '0') {
        d.count--;
    }
    return d;
}

static void put_zeros(struct sg_text *t, int count) {
    for (int i = 0; i < count; i++) {
        sg_text_putc(t, '0');
    }
}

static void put_fixed(struct sg_text *t, const struct decimal *d) {
    int whole = d->point < d->count ? d->point : d->count;
    if (d->point <= 0) {
        sg_text_puts(t, "0.");
        put_zeros(t, -d->point);
        sg_text_put(t, d->digits, (size_t)d->count);
        return;
    }
    sg_text_put(t, d->digits, (size_t)whole);
    put_zeros(t, d->point - whole);
    sg_text_putc(t, '.');
    if (whole < d->count) {
        sg_text_put(t, d->digits + whole, (size_t)(d->count - whole));
    } else {
        sg_text_putc(t, '0');
    }
}

static void put_exponent(struct sg_text *t, const struct decimal *d) {
    int exponent = d->point - 1;
    sg_text_putc(t, d->digits[0]);
    if (d->count > 1) {
        sg_text_putc(t, '.');
        sg_text_put(t, d->digits + 1, (size_t)(d->count - 1));
    }
    sg_text_printf(t, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

void sg_text_double(struct sg_text *t, double v) {
    if (v != v) {
        sg_text_puts(t, "nan");
        return;
    }
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    if (bits >> 63 != 0) {
        sg_text_putc(t, '-');
        v = -v;
    }
    char text[SG_NUMBER_TEXT];
    if (v > DBL_MAX) {
        sg_text_puts(t, "inf");
    } else if (v == 0) {
        sg_text_puts(t, "0.0");
    } else if (!sg_number_write(v, text)) {
        t->failed = true;
    } else {
        struct decimal d = decimal_of(text);
        if (d.point > -4 && d.point <= 16) {
            put_fixed(t, &d);
        } else {
            put_exponent(t, &d);
        }
    }
}

/* ---- Reading numbers ------------------------------------------------------------------------- */

bool sg_parse_int(signet_string s, int64_t *out) {
    size_t i = 0;
    bool negative = s.length > 0 && s.data[0] == '-';
    if (negative) {
        i++;
    }
    if (i == s.length) {
        return false;
    }
    uint64_t most = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t v = 0;
    for (; i < s.length; i++) {
        if (s.data[i] < '0' || s.data[i] > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(s.data[i] - '0');
        if (v > (most - digit) / 10) {
            return false;
        }
        v = v * 10 + digit;
    }
    if (negative) {
        *out = v == most ? INT64_MIN : -(int64_t)v;
    } else {
        *out = (int64_t)v;
    }
    return true;
}

static bool is_word(signet_string s, const char *lower) {
    size_t i = 0;
    for (; i < s.length && lower[i] != '\0'; i++) {
        char c = s.data[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != lower[i]) {
            return false;
        }
    }
    return i == s.length && lower[i] == '\0';
}

bool sg_parse_double(signet_string s, double *out) {
    signet_string rest = s;
    bool negative = rest.length > 0 && rest.data[0] == '-';
    if (negative || (rest.length > 0 && rest.data[0] == '+')) {
        rest.data++;
        rest.length--;
    }
    double v;
    if (is_word(rest, "inf") || is_word(rest, "infinity")) {
        v = HUGE_VAL;
    } else if (is_word(rest, "nan")) {
        v = (double)NAN;
    } else if (rest.length == 0 || rest.data[0] < '0' || rest.data[0] > '9' ||
               !sg_number_read(rest, &v)) {
        return false;
    }
    *out = negative ? -v : v;
    return true;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

bool sg_string_equal(signet_string a, signet_string b) {
    if (a.data == NULL || b.data == NULL) {
        return a.data == b.data;
    }
    return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

bool sg_string_is(signet_string a, const char *literal) {
    return sg_string_equal(a, signet_str(literal));
}

bool sg_string_starts(signet_string a, const char *prefix) {
    size_t length = strlen(prefix);
    return a.data != NULL && a.length >= length && memcmp(a.data, prefix, length) == 0;
}

bool sg_string_ends(signet_string a, const char *suffix) {
    size_t length = strlen(suffix);
    return a.data != NULL && a.length >= length &&
           memcmp(a.data + a.length - length, suffix, length) == 0;
}

#define DISTANCE_LONGEST 128

uint32_t sg_edit_distance(signet_string a, signet_string b, uint32_t most) {
    uint32_t over = most < UINT32_MAX ? most + 1 : most;
    if (a.length > DISTANCE_LONGEST || b.length > DISTANCE_LONGEST) {
        return over;
    }
    size_t longer = a.length > b.length ? a.length : b.length;
    if (longer - (a.length + b.length - longer) > most) {
        return over;
    }
    uint32_t row[DISTANCE_LONGEST + 1]; /* distances of a[0..i) to every prefix of b */
    for (size_t j = 0; j <= b.length; j++) {
        row[j] = (uint32_t)j;
    }
    for (size_t i = 1; i <= a.length; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i;
        uint32_t least = row[0];
        for (size_t j = 1; j <= b.length; j++) {
            uint32_t replaced = diagonal + (a.data[i - 1] != b.data[j - 1] ? 1 : 0);
            diagonal = row[j];
            uint32_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = replaced < other ? replaced : other;
            least = row[j] < least ? row[j] : least;
        }
        if (least > most) {
            return over;
        }
    }
    return row[b.length] > most ? over : row[b.length];
}
