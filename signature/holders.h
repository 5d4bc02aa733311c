/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_SIGNATURE_HOLDERS_H
#define SG_SIGNATURE_HOLDERS_H

/* Who holds which state, over all programs of a package: gathered in one pass over the specs. */

#include "ir/ir_internal.h"

/* An input spec with a target; for a USER_INPUT the declared name is the target. */
struct sg_holder {
    uint32_t program;
    uint32_t input; /* position */
    sg_strid target;
    uint32_t output; /* position + 1 of the program's first output that updates it; 0: none does */
    uint32_t next;   /* index + 1 of the next holder of the target, of any kind; user inputs are in
                        no such list */
    uint8_t kind;    /* signet_input_kind */
    bool first;      /* no holder before has the target */
    bool shared;     /* another method holds the same kind and target */
};

struct sg_holders {
    SG_VEC(struct sg_holder) list; /* in program and input order */
    uint32_t *method; /* by program: the method it belongs to, through the delegates that it is
                         the body of; itself when no method calls it */
};

/* false: no memory. sg_holders_free is due in any case. */
bool sg_holders_gather(struct sg_holders *h, const signet_package *p);
void sg_holders_free(struct sg_holders *h, const signet_package *p);

#endif
