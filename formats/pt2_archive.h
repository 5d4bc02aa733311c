/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_PT2_ARCHIVE_H
#define SG_FORMATS_PT2_ARCHIVE_H

/* Reading torch.export's archives: which records there are, the programs, the state tables. */

#include "formats/pt2.h"
#include "formats/zip.h"

/* The program of a flat zip. */
#define SG_PT2_FLAT_JSON "serialized_exported_program.json"

/* What kind of archive a zip is. */
struct sg_pt2_layout {
    signet_carrier carrier; /* UNKNOWN: none of ours */
    signet_string root;     /* PT2_ARCHIVE: the folder of all records, with its '/' */
    const char *why;        /* UNKNOWN: what it looks like; static */
    bool no_memory;
};
struct sg_pt2_layout sg_pt2_layout(struct sg_zip *zip);

struct sg_pt2_archive {
    signet_package *p;
    struct sg_log *log;
    const struct sg_input *input;
    struct sg_zip *zip;
    struct sg_pt2_layout layout;
    struct sg_text name; /* a record's name, while it is looked up */
};

/* The record whose name is the root and these pieces (null ends them); SG_ZIP_NONE: not there. The
 * name stays in a->name. */
uint32_t sg_pt2_find(struct sg_pt2_archive *a, const char *first, signet_string middle,
                     const char *last);
/* The record of the last look-up is missing. */
void sg_pt2_record_missing(struct sg_pt2_archive *a, signet_program program, const char *what);

/* pt2_state.c: reads both tables of a program from the config records of its archive. */
signet_status sg_pt2_state(struct sg_pt2_archive *a, signet_program program, signet_string model);

/* pt2_pickle.c: tells what a pickle record would import. */
signet_status sg_pt2_pickle(struct sg_pt2_archive *a, uint32_t entry);
/* The same, and reads the state dict in it into a table of the program. *known is set when all of
 * it was understood. */
signet_status sg_pt2_pickled_state(struct sg_pt2_archive *a, uint32_t entry, signet_program program,
                                   signet_table table, bool *known);

#endif
