/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNET_FORMATS_H
#define SIGNET_FORMATS_H

/*
 * Reading and writing programs, and rendering findings. The format of a file is told by its
 * content, never by its name. Nothing in a file is ever executed, and no file that a file names is
 * opened.
 */

#include "signet/base.h"
#include "signet/diag.h"
#include "signet/ir.h"

SIGNET_BEGIN_DECLS

typedef struct signet_read_options {
    size_t size;                       /**< sizeof(signet_read_options) */
    const signet_allocator *allocator; /**< null: malloc and friends */
    const signet_limits *limits;       /**< null: the defaults */
    signet_carrier as;                 /**< UNKNOWN: told by content */
    bool deep;                         /**< check the CRC of every archive record, not only of those
                                            that are read */
} signet_read_options;
#define SIGNET_READ_OPTIONS_INIT                                                                   \
    { sizeof(signet_read_options), NULL, NULL, SIGNET_CARRIER_UNKNOWN, false }

/**
 * Reads a file into a new package.
 * @param out receives the package, owned by the caller; null when the content is no program at all.
 *        A program with faults is a package all the same, and the faults go to the sink.
 * @param path named in findings as given. @param options null: the defaults.
 * @param sink receives findings of the family carrier; null: thrown away.
 * @return SIGNET_OK when *out is set (there may be findings); SIGNET_E_SYNTAX, _VERSION, _LIMIT,
 *         _UNSUPPORTED with at least one finding; SIGNET_E_IO (nothing was read), SIGNET_E_NOMEM,
 *         SIGNET_E_INVALID_ARG without.
 * Thread-safe: calls share nothing.
 */
SIGNET_API signet_status signet_read_file(signet_package **out, const char *path,
                                          const signet_read_options *options,
                                          const signet_sink *sink);

/** The same from memory. @param data is only read during the call. @param name is used in findings
 *  ("<stdin>"). */
SIGNET_API signet_status signet_read_memory(signet_package **out, const void *data, size_t size,
                                            const char *name, const signet_read_options *options,
                                            const signet_sink *sink);

/** Tells the format by content. UNKNOWN when it is none. */
SIGNET_API signet_carrier signet_detect(const void *data, size_t size);

/** Takes the state tables of @p base for the program of @p package that has none (a bare model.json
 *  and the archive it belongs to). Programs are paired by name, or one to one when each package has
 *  one program. Errors: SIGNET_E_INVALID_ARG when no program pairs. */
SIGNET_API signet_status signet_package_take_state(signet_package *package,
                                                   const signet_package *base);

/** Reads a program from a file and makes it the body of the delegate of that name.
 *  Errors as signet_read_file; SIGNET_E_INVALID_ARG when there is no such delegate. */
SIGNET_API signet_status signet_package_attach_body(signet_package *package, const char *delegate,
                                                    const char *path,
                                                    const signet_read_options *options,
                                                    const signet_sink *sink);

/** Receives text piece by piece. @return false to stop (SIGNET_E_STOPPED). */
typedef struct signet_writer {
    bool (*write)(void *user, const char *text, size_t length);
    void *user;
} signet_writer;

/** Writes the package as Signet's exact text: reading it back gives an equal package
 *  (SIGNET_EQUAL_EXACT). Errors: SIGNET_E_NOMEM, SIGNET_E_STOPPED. */
SIGNET_API signet_status signet_write_sgt(const signet_package *package,
                                          const signet_writer *writer);
/** Writes a program as the model.json of its schema version (8.20 where it has none), spelled as
 *  PyTorch spells it: what PyTorch 2.8 or newer wrote comes out with the same bytes. Reading it
 * back gives an equal program (SIGNET_EQUAL_EXACT), but without state tables, which lie elsewhere
 * in an archive. What the program does not tell (strides of a type that was built without) is left
 * out. Errors: SIGNET_E_UNSUPPORTED when the program is lossy, or has something that the schema has
 * no form for (delegates, attributes, mixed lists, raw text that is no JSON); SIGNET_E_NOMEM,
 *  SIGNET_E_STOPPED, SIGNET_E_INVALID_ARG. */
SIGNET_API signet_status signet_write_json(const signet_package *package, signet_program program,
                                           const signet_writer *writer);
typedef struct signet_write_options {
    size_t size;  /**< sizeof(signet_write_options) */
    bool rewrite; /**< write anew what nobody changed, too */
} signet_write_options;
#define SIGNET_WRITE_OPTIONS_INIT                                                                  \
    { sizeof(signet_write_options), false }

/**
 * Writes a package as a torch.export archive: the archive @p base with the programs of the package
 * in the place of its own. What Signet does not read (weights, constants, example inputs) is taken
 * from the base, bytes and order; so the base is the archive that the package was read from, or
 * that its model.json belongs to.
 *
 * Nothing was changed: the same bytes as the base. A program was changed: its record is written as
 * by signet_write_json, its state tables as PyTorch writes them, everything else as in the base, in
 * the framing of the base (PyTorch's, or a plain zip of stored records), with a new
 * serialization_id. Programs are paired by name, or one to one when each side has one; programs of
 * the base that the package does not have stay. A program without state tables keeps those of the
 * base.
 * @param base path of the archive; read while writing, so it must not be what is written to.
 * @param options null: the defaults. @param sink receives findings about the base, and
 *        carrier.unsupported for what cannot be written; null: thrown away.
 * Errors: SIGNET_E_UNSUPPORTED (lossy programs; what model.json has no form for; programs and
 * records that the base does not have), as signet_read_file for the base, SIGNET_E_STOPPED.
 * Memory: the JSON of the changed programs; linear in the base.
 */
SIGNET_API signet_status signet_write_pt2(const signet_package *package, const char *base,
                                          const signet_write_options *options,
                                          const signet_writer *writer, const signet_sink *sink);
/** The same with a base in memory. @param name is used in findings. */
SIGNET_API signet_status signet_write_pt2_memory(const signet_package *package, const void *base,
                                                 size_t base_size, const char *name,
                                                 const signet_write_options *options,
                                                 const signet_writer *writer,
                                                 const signet_sink *sink);

/** Writes a program the way PyTorch 2.13 prints an ExportedProgram. Errors as above. */
SIGNET_API signet_status signet_write_printed(const signet_package *package, signet_program program,
                                              const signet_writer *writer);

/** Writes a picture of the package for Graphviz's dot: states and the mutations that lead back to
 *  them, user inputs and outputs, delegates with the programs inside, subgraphs as clusters. A node
 *  shows its name, operator and type. The same package gives the same text.
 *  @param program only this one, with the bodies of the delegates it calls; null: all.
 *  Linear. Errors: SIGNET_E_NOMEM, SIGNET_E_STOPPED, SIGNET_E_INVALID_ARG. */
SIGNET_API signet_status signet_write_dot(const signet_package *package, signet_program program,
                                          const signet_writer *writer);

/** How a finding is shown to a person. */
typedef struct signet_render_options {
    size_t size;    /**< sizeof(signet_render_options) */
    bool color;     /**< ANSI colours */
    uint32_t width; /**< columns of the terminal; 0: 120 */
} signet_render_options;
#define SIGNET_RENDER_OPTIONS_INIT                                                                 \
    { sizeof(signet_render_options), false, 0 }

/** Renders one finding as text over several lines, with excerpt and caret where the carrier is
 * text. Control characters of the file are escaped. Errors: SIGNET_E_NOMEM, SIGNET_E_STOPPED. */
SIGNET_API signet_status signet_render_full(const signet_diag *diag,
                                            const signet_render_options *options,
                                            const signet_writer *writer);
/** Renders one finding as one JSON object without line breaks. Errors as above. */
SIGNET_API signet_status signet_render_json(const signet_diag *diag, const signet_writer *writer);

/** Renders one finding as one line: "file:13:170: error[code]: message". Errors as above. */
SIGNET_API signet_status signet_render_concise(const signet_diag *diag,
                                               const signet_writer *writer);
/** Renders one finding as a workflow command of GitHub Actions ("::error title=...,file=...::...").
 *  Errors as above. */
SIGNET_API signet_status signet_render_github(const signet_diag *diag, const signet_writer *writer);
/** Renders one finding as a failed <testcase> of a JUnit report. Errors as above. */
SIGNET_API signet_status signet_render_junit(const signet_diag *diag, const signet_writer *writer);
/** Renders one finding as a result of a SARIF 2.1.0 log. Results stand between what
 *  signet_render_sarif_head and _tail write, parted by commas. Errors as above. */
SIGNET_API signet_status signet_render_sarif(const signet_diag *diag, const signet_writer *writer);
/** The start of a SARIF log with one run: the tool and every rule of the catalogue. */
SIGNET_API signet_status signet_render_sarif_head(const signet_writer *writer);
SIGNET_API signet_status signet_render_sarif_tail(const signet_writer *writer);
/** A number that names a finding over time: from its code, where it is by name, and what it says;
 * not from lines, bytes or positions, so it survives edits elsewhere. For baselines. */
SIGNET_API uint64_t signet_diag_fingerprint(const signet_diag *diag);

SIGNET_END_DECLS

#endif
