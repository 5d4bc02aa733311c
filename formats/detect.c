/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pt2_archive.h"

#include <string.h>

/* What other files look like, so that the message can say what somebody gave us. */
struct look {
    uint16_t offset;
    uint16_t length;
    const char *bytes;
    const char *text;
};
#define LOOK(offset, bytes, text) {offset, sizeof(bytes) - 1, bytes, text},
static const struct look looks[] = {
#include "formats/looks.def"
};
#undef LOOK

enum { HEAD = 16384 };

static bool starts(const char *head, size_t length, const char *word) {
    size_t n = strlen(word);
    return length >= n && memcmp(head, word, n) == 0;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A word of the exact text, and not the beginning of a longer one. */
static bool starts_word(const char *head, size_t length, const char *word) {
    size_t n = strlen(word);
    return starts(head, length, word) &&
           (length == n || is_space(head[n]) || head[n] == '@' || head[n] == '{' || head[n] == ';');
}

static signet_carrier detect_text(const char *head, size_t length) {
    size_t i = starts(head, length, "\xef\xbb\xbf") ? 3 : 0;
    while (i < length && is_space(head[i])) {
        i++;
    }
    head += i;
    length -= i;
    if (length == 0) {
        return SIGNET_CARRIER_UNKNOWN;
    }
    if (head[0] == '{') {
        return SIGNET_CARRIER_JSON;
    }
    if (starts(head, length, "ExportedProgram:") || starts(head, length, "class GraphModule(")) {
        return SIGNET_CARRIER_PRINTED;
    }
    if (head[0] == ';' || starts_word(head, length, "package") ||
        starts_word(head, length, "program")) {
        return SIGNET_CARRIER_SGT;
    }
    return sg_printed_looks(head, length) ? SIGNET_CARRIER_PRINTED : SIGNET_CARRIER_UNKNOWN;
}

static const char *describe(const char *head, size_t length) {
    if (length == 0) {
        return "the file is empty";
    }
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        if (length >= (size_t)looks[i].offset + looks[i].length &&
            memcmp(head + looks[i].offset, looks[i].bytes, looks[i].length) == 0) {
            return looks[i].text;
        }
    }
    size_t end = sg_utf8_check(head, length);
    if (memchr(head, '\0', length) == NULL && (end == length || length - end < 4)) {
        return "it is text that does not begin like a printed program, exact text or JSON";
    }
    return "it is binary data of no kind that Signet knows";
}

bool sg_input_sniff(const struct sg_input *input, signet_carrier *carrier, const char **why) {
    char head[HEAD];
    size_t length = input->size < HEAD ? (size_t)input->size : HEAD;
    *carrier = SIGNET_CARRIER_UNKNOWN;
    if (!sg_input_read(input, 0, head, length)) {
        return false;
    }
    if (starts(head, length, "PK\3\4") || starts(head, length, "PK\5\6")) {
        *carrier = SIGNET_CARRIER_PT2_ARCHIVE;
        return true;
    }
    if (length >= 8 && memcmp(head + 4, "ET12", 4) == 0) {
        *carrier = SIGNET_CARRIER_PTE;
        return true;
    }
    *carrier = detect_text(head, length);
    if (*carrier == SIGNET_CARRIER_UNKNOWN) {
        *why = describe(head, length);
    }
    return true;
}

signet_carrier signet_detect(const void *data, size_t size) {
    if (data == NULL) {
        return SIGNET_CARRIER_UNKNOWN;
    }
    struct sg_input input = {.name = "", .data = data, .size = size};
    signet_carrier carrier;
    const char *why;
    if (!sg_input_sniff(&input, &carrier, &why) || carrier != SIGNET_CARRIER_PT2_ARCHIVE) {
        return carrier;
    }
    struct sg_log log;
    sg_log_init(&log, &sg_default_allocator, NULL, NULL, 0);
    signet_limits limits = signet_limits_default();
    signet_status status;
    struct sg_zip *zip = sg_zip_open(&sg_default_allocator, &limits, &log, &input, &status);
    carrier = zip != NULL ? sg_pt2_layout(zip).carrier : SIGNET_CARRIER_UNKNOWN;
    sg_zip_close(zip);
    sg_log_free(&log);
    return carrier;
}
