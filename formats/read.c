/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/formats_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Options --------------------------------------------------------------------------------- */

struct request {
    const signet_allocator *allocator;
    signet_limits limits;
    signet_carrier as;
    bool deep;
};

/* Options of a caller that was built against an older header are shorter; what is not there has its
 * default. */
#define HAS(options, member)                                                                       \
    ((options) != NULL && (options)->size > offsetof(signet_read_options, member))

static struct request request_of(const signet_read_options *options) {
    struct request r = {.limits = signet_limits_default(), .as = SIGNET_CARRIER_UNKNOWN};
    r.allocator = HAS(options, allocator) ? options->allocator : NULL;
    if (HAS(options, limits) && options->limits != NULL) {
        size_t size =
            options->limits->size < sizeof(r.limits) ? options->limits->size : sizeof(r.limits);
        memcpy(&r.limits, options->limits, size);
        r.limits.size = sizeof(r.limits);
    }
    r.as = HAS(options, as) ? options->as : SIGNET_CARRIER_UNKNOWN;
    r.deep = HAS(options, deep) && options->deep;
    return r;
}

/* ---- Carriers -------------------------------------------------------------------------------- */

static signet_status refuse_input(struct sg_log *log, const struct sg_input *input,
                                  signet_code code, const char *what, const char *help) {
    struct sg_diag *d = sg_diag_begin(log, code, sg_at_input(input, 0));
    sg_diag_message(d, "%s", what);
    sg_diag_help(d, "%s", help);
    sg_diag_end(d);
    return code == SIGNET_CODE_CARRIER_UNSUPPORTED ? SIGNET_E_UNSUPPORTED : SIGNET_E_SYNTAX;
}

static signet_status unknown_format(struct sg_log *log, const struct sg_input *input,
                                    const char *why) {
    return refuse_input(
        log, input, SIGNET_CODE_CARRIER_UNKNOWN_FORMAT,
        sg_log_text(log, "no program that Signet reads: %s", why),
        "give a .pt2 archive, a model.json, a printed ExportedProgram or a .sgt file");
}

/* Bytes that are no UTF-8 stay in the names and comments they are in. */
static void check_utf8(const signet_package *p, struct sg_log *log, uint32_t source) {
    const struct sg_source *s = &p->sources.data[source];
    size_t bad = sg_utf8_check(s->text, s->length);
    if (bad == s->length) {
        return;
    }
    struct sg_diag *d = sg_diag_begin(log, SIGNET_CODE_CARRIER_NOT_UTF8,
                                      sg_at_source(p, log, source, sg_span_make(bad, 1)));
    sg_diag_message(d, "byte 0x%02x is no UTF-8", (unsigned)(unsigned char)s->text[bad]);
    sg_diag_help(d, "save the text as UTF-8");
    sg_diag_end(d);
}

/* A text carrier: the whole text becomes a source of the package. */
static signet_status read_text(signet_package *p, struct sg_log *log, const struct sg_input *input,
                               signet_carrier carrier,
                               signet_status (*read)(signet_package *p, struct sg_log *log,
                                                     uint32_t source)) {
    signet_status status = SIGNET_OK;
    const char *text = sg_input_take(input, p, 1, &status);
    if (text == NULL) {
        return status;
    }
    uint32_t source = sg_source_add(p, carrier, signet_str(input->name), signet_str(input->entry),
                                    text, (size_t)input->size);
    if (source == 0) {
        return signet_package_status(p);
    }
    p->carrier = carrier;
    check_utf8(p, log, source);
    return read(p, log, source);
}

/* Adds the programs of the input to the package. */
static signet_status read_carrier(signet_package *p, struct sg_log *log,
                                  const struct sg_input *input, const struct request *request) {
    signet_carrier carrier = request->as;
    const char *why = "";
    if (carrier == SIGNET_CARRIER_UNKNOWN && !sg_input_sniff(input, &carrier, &why)) {
        return SIGNET_E_IO;
    }
    switch (carrier) {
    case SIGNET_CARRIER_PT2_ARCHIVE:
    case SIGNET_CARRIER_PT2_FLAT:
    case SIGNET_CARRIER_EXIR_ARCHIVE:
        return sg_pt2_read(p, log, input, request->deep);
    case SIGNET_CARRIER_JSON:
        return sg_model_json_read(p, log, input);
    case SIGNET_CARRIER_PRINTED:
        return read_text(p, log, input, carrier, sg_printed_read);
    case SIGNET_CARRIER_SGT:
        return read_text(p, log, input, carrier, sg_sgt_read);
    case SIGNET_CARRIER_PTE:
        return refuse_input(
            log, input, SIGNET_CODE_CARRIER_UNSUPPORTED,
            "an ExecuTorch program (.pte), which this version of Signet does not read",
            "lint the program that it was made from");
    case SIGNET_CARRIER_MEMORY:
        return SIGNET_E_INVALID_ARG;
    case SIGNET_CARRIER_UNKNOWN:
        break;
    }
    return unknown_format(log, input, why);
}

/* A limit that the package itself ran into has no finding yet. */
static void tell_limit(const signet_package *p, struct sg_log *log, const struct sg_input *input) {
    if (log->emitted[SIGNET_CODE_CARRIER_LIMIT] != 0 ||
        log->emitted[SIGNET_CODE_CARRIER_JSON_TOO_DEEP] != 0) {
        return;
    }
    bool nodes = p->nodes.count >= p->limits.nodes;
    struct sg_diag *d = sg_diag_begin(log, SIGNET_CODE_CARRIER_LIMIT, sg_at_input(input, 0));
    sg_diag_message(d, "the program has more %s than the limit of %llu",
                    nodes ? "nodes" : "values and arguments",
                    (unsigned long long)(nodes ? p->limits.nodes : p->limits.values));
    sg_diag_help(d, "raise the limit: --limit %s=%llu", nodes ? "nodes" : "values",
                 (unsigned long long)(nodes ? p->limits.nodes : p->limits.values) * 4);
    sg_diag_end(d);
}

static signet_status read_limited(signet_package *p, struct sg_log *log,
                                  const struct sg_input *input, const struct request *request) {
    if (input->size > p->limits.file_bytes) {
        struct sg_diag *d = sg_diag_begin(log, SIGNET_CODE_CARRIER_LIMIT, sg_at_input(input, 0));
        sg_diag_message(d, "the file has %llu bytes, the limit is %llu",
                        (unsigned long long)input->size, (unsigned long long)p->limits.file_bytes);
        sg_diag_help(d, "raise the limit: --limit file-bytes=%llu",
                     (unsigned long long)input->size);
        sg_diag_end(d);
        return SIGNET_E_LIMIT;
    }
    signet_status status = read_carrier(p, log, input, request);
    if (status == SIGNET_OK) {
        status = signet_package_status(p);
    }
    if (status == SIGNET_E_LIMIT) {
        tell_limit(p, log, input);
    }
    return status == SIGNET_OK ? log->status : status;
}

static signet_status read_input(signet_package *p, const struct sg_input *input,
                                const struct request *request, const signet_sink *sink) {
    struct sg_log log;
    sg_log_init(&log, &p->allocator, sink, NULL, p->limits.findings);
    log.show_notes = true; /* the sink decides */
    signet_status status = read_limited(p, &log, input, request);
    sg_log_free(&log);
    return status;
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* Reads what is no regular file (a pipe, a terminal) to its end. */
static signet_status read_stream(int file, const signet_allocator *a, uint64_t limit,
                                 struct sg_text *out) {
    char chunk[65536];
    sg_text_init(out, a);
    for (;;) {
        ssize_t n = read(file, chunk, sizeof(chunk));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? SIGNET_E_IO : out->failed ? SIGNET_E_NOMEM : SIGNET_OK;
        }
        sg_text_put(out, chunk, (size_t)n);
        if (out->failed || out->length > limit) { /* past the limit the rest does not matter */
            return out->failed ? SIGNET_E_NOMEM : SIGNET_OK;
        }
    }
}

static signet_status use_open_file(int file, struct sg_input *input, const signet_allocator *a,
                                   uint64_t most, sg_input_user *use, void *user) {
    struct stat st;
    if (fstat(file, &st) != 0 || S_ISDIR(st.st_mode)) {
        return SIGNET_E_IO;
    }
    if (S_ISREG(st.st_mode)) {
        input->file = file;
        input->size = (uint64_t)st.st_size;
        return use(user, input);
    }
    struct sg_text text;
    signet_status status = read_stream(file, a, most, &text);
    if (status == SIGNET_OK) {
        input->data =
            text.data != NULL ? (const unsigned char *)text.data : (const unsigned char *)"";
        input->size = text.length;
        status = use(user, input);
    }
    sg_text_free(&text);
    return status;
}

signet_status sg_input_open(const char *path, const signet_allocator *a, uint64_t most,
                            sg_input_user *use, void *user) {
    struct sg_input input = {.name = path};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return SIGNET_E_IO;
    }
    signet_status status = use_open_file(file, &input, a, most, use, user);
    close(file);
    return status;
}

struct reading {
    signet_package *p;
    const struct request *request;
    const signet_sink *sink;
};

static signet_status read_opened(void *user, const struct sg_input *input) {
    const struct reading *r = user;
    return read_input(r->p, input, r->request, r->sink);
}

static signet_status read_path(signet_package *p, const char *path, const struct request *request,
                               const signet_sink *sink) {
    struct reading r = {p, request, sink};
    return sg_input_open(path, &p->allocator, p->limits.file_bytes, read_opened, &r);
}

signet_status sg_read_input(signet_package *p, const struct sg_input *input,
                            const signet_read_options *options, const signet_sink *sink) {
    struct request request = request_of(options);
    return read_input(p, input, &request, sink);
}

signet_status sg_read_into(signet_package *p, const char *path,
                           const signet_read_options *options) {
    struct request request = request_of(options);
    signet_carrier carrier = p->carrier;
    signet_status status = read_path(p, path, &request, NULL);
    p->carrier = carrier;
    return status;
}

/* The package, if it could be read. */
static signet_status finish(signet_package **out, signet_package *p, signet_status status) {
    if (status == SIGNET_OK) {
        *out = p;
    } else {
        signet_package_destroy(p);
    }
    return status;
}

signet_status signet_read_file(signet_package **out, const char *path,
                               const signet_read_options *options, const signet_sink *sink) {
    signet_package *p = NULL;
    if (out == NULL || path == NULL) {
        return SIGNET_E_INVALID_ARG;
    }
    *out = NULL;
    struct request request = request_of(options);
    signet_status status = signet_package_create(&p, request.allocator, &request.limits);
    return status != SIGNET_OK ? status : finish(out, p, read_path(p, path, &request, sink));
}

signet_status signet_read_memory(signet_package **out, const void *data, size_t size,
                                 const char *name, const signet_read_options *options,
                                 const signet_sink *sink) {
    signet_package *p = NULL;
    if (out == NULL || (data == NULL && size > 0)) {
        return SIGNET_E_INVALID_ARG;
    }
    *out = NULL;
    struct request request = request_of(options);
    struct sg_input input = {.name = name != NULL ? name : "",
                             .data = data != NULL ? data : (const unsigned char *)"",
                             .size = size};
    signet_status status = signet_package_create(&p, request.allocator, &request.limits);
    return status != SIGNET_OK ? status : finish(out, p, read_input(p, &input, &request, sink));
}
