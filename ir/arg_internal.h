/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_IR_ARG_INTERNAL_H
#define SG_IR_ARG_INTERNAL_H

/* Keeping uses and definitions right while arguments change; only for the files of ir/ and the
 * editing calls of signature/. */

#include "ir/ir_internal.h"

/* Ends the use or definition of an argument and of everything inside it; it becomes NONE. */
void sg_arg_clear(signet_package *p, uint32_t arg);
void sg_args_clear(signet_package *p, struct sg_list list);
/* Moves an argument into a cleared place of the same list; uses, definitions and children follow.
 */
void sg_arg_move(signet_package *p, uint32_t from, uint32_t to);

/* Links and unlinks a use of the value that arg.u.ref.value names. */
void sg_use_link(signet_package *p, uint32_t arg);
void sg_use_unlink(signet_package *p, uint32_t arg);
/* Makes arg the definition of a value of that name: of the undefined value when there is one, else
 * of a new value. 0: limit or no memory. */
uint32_t sg_value_define(signet_package *p, uint32_t graph, sg_strid name, signet_value_kind kind,
                         uint32_t arg);
/* The definition is gone: the value is undefined, and forgotten when nothing uses it. */
void sg_value_undefine(signet_package *p, uint32_t value);

/* A new undefined value, at the end of its graph; the first of its name is the one that look-ups
 * find. 0: limit or no memory. */
uint32_t sg_value_add(signet_package *p, uint32_t graph, sg_strid name);

#endif
