/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_VERIFIER_PARTIES_H
#define SG_VERIFIER_PARTIES_H

/* What rules about delegates share: programs that call, and programs that are called. Nothing here
 * is made before a rule asks for it. */

#include "ir/ir_internal.h"
#include "signature/holders.h"

struct sg_verify;

/* A state that has more homes than one. */
struct sg_owner_fault {
    signet_code code;
    uint32_t at;      /* index of the holder that the finding is about */
    uint32_t other;   /* index of the one that it contradicts */
    uint32_t holders; /* of the target, among those that the finding speaks of */
};

struct sg_ports {
    uint32_t *first; /* by program: index into list */
    uint32_t *list;  /* positions in its signature, program by program, in order */
    size_t first_bytes, list_bytes;
};

/* Kept in struct sg_verify. */
struct sg_parties {
    struct sg_ports ports[2]; /* by side: user inputs; outputs that are no mutations */
    struct sg_holders holders;
    SG_VEC(struct sg_owner_fault) faults;
    bool ports_made, ports_failed, faults_made, faults_failed; /* one attempt each */
    uint32_t misfit; /* the call met last whose arguments do not fit its body */
};

void sg_parties_free(struct sg_verify *v);

/* Positions of what a call of the program passes (USER_INPUT), and of what it returns (outputs
 * that are no mutations). false: no memory; the log's status says so. */
bool sg_ports(struct sg_verify *v, uint32_t program, signet_side side, const uint32_t **positions,
              uint32_t *count);

/* Finds the faults of owners, of the whole package. false: no memory. */
bool sg_owner_faults(struct sg_verify *v);

/* "delegate 'lowered_module_0'", or "program 'forward'" for a method. */
const char *sg_party_words(struct sg_verify *v, uint32_t program);

#endif
