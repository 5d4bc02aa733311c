/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_INTERNAL_H
#define SG_FORMATS_INTERNAL_H

/*
 * What the readers of the carriers share. read.c opens the input, tells the format and calls one of
 * them; each adds its programs to the package and says in the log what is wrong with the content.
 *
 * A reader returns SIGNET_OK when it added a program, whatever findings there are. It returns
 * SIGNET_E_SYNTAX, _VERSION, _LIMIT or _UNSUPPORTED, after at least one finding, when the content
 * is no program at all, and SIGNET_E_NOMEM without one. It must not add a program before it knows
 * that there is one.
 */

#include "base/diag.h"
#include "ir/ir_internal.h"
#include "signet/formats.h"

/* Bytes to read from: memory, or a file that is read piece by piece and never mapped, so that a
 * file that shrinks meanwhile is an error and no signal. */
struct sg_input {
    const char *name;          /* as the caller named it */
    const char *entry;         /* of an archive, where this is the content of one */
    const unsigned char *data; /* null: read from the file */
    int file;
    uint64_t start; /* where this input begins in the memory or file */
    uint64_t size;
};

/* False when the input does not have these bytes (any more). */
bool sg_input_read(const struct sg_input *input, uint64_t at, void *buffer, size_t length);
/* The whole input as a block of the package, followed by `padding` zero bytes. Null: see *status.
 */
char *sg_input_take(const struct sg_input *input, signet_package *p, size_t padding,
                    signet_status *status);
/* The format, told by content; every zip is PT2_ARCHIVE here. *why gets a static text that says
 * what the bytes look like when they are UNKNOWN. False: the input cannot be read. */
bool sg_input_sniff(const struct sg_input *input, signet_carrier *carrier, const char **why);
/* A position in the input. */
signet_location sg_at_input(const struct sg_input *input, uint64_t byte);

/* Opens a file, or reads what is none (a pipe) to its end, at most `most` bytes and one piece more,
 * and hands it to `use`. SIGNET_E_IO: it cannot be opened or read. */
typedef signet_status sg_input_user(void *user, const struct sg_input *input);
signet_status sg_input_open(const char *path, const signet_allocator *a, uint64_t most,
                            sg_input_user *use, void *user);
/* Adds the programs of an input to a package. */
signet_status sg_read_input(signet_package *p, const struct sg_input *input,
                            const signet_read_options *options, const signet_sink *sink);
/* The only method of a package, or null. */
signet_program sg_only_method(const signet_package *p);

/* Adds the programs of a file to a package that has others; findings are thrown away. */
signet_status sg_read_into(signet_package *p, const char *path, const signet_read_options *options);

/* Text carriers: the whole text lies in the source. */
signet_status sg_sgt_read(signet_package *p, struct sg_log *log, uint32_t source);
/* True when a line of the text starts a printed program; other text may stand before it. */
bool sg_printed_looks(const char *text, size_t length);
signet_status sg_printed_read(signet_package *p, struct sg_log *log, uint32_t source);

/* torch.export's archives, both layouts. `deep`: check the CRC of every record. */
signet_status sg_pt2_read(signet_package *p, struct sg_log *log, const struct sg_input *input,
                          bool deep);
/* A bare model.json. */
signet_status sg_model_json_read(signet_package *p, struct sg_log *log,
                                 const struct sg_input *input);

#endif
