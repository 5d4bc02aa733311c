/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SG_FORMATS_SGT_SPELL_H
#define SG_FORMATS_SGT_SPELL_H

/* What the reader and the writer of the exact text must agree on: what is meant where nothing is
 * written. docs/text-format.md says the same in words. */

#include "base/text.h"
#include "ir/ir_internal.h"

/* Stands in front of a target that is written short: @aten.add.Tensor. */
#define SGT_TARGET_PREFIX "torch.ops."
/* The bits of "nan". */
#define SGT_PLAIN_NAN UINT64_C(0x7ff8000000000000)

/* How expressions that only have their short form were spelled in the carrier. */
typedef enum sg_sgt_spelling {
    SGT_SPELLED_BARE = 0, /* not at all: the text is absent */
    SGT_SPELLED_SREPR,
    SGT_SPELLED_INFIX,
} sg_sgt_spelling;
#define SGT_SPELLINGS 3
/* "bare", "srepr", "infix". */
const char *sg_sgt_spelling_word(sg_sgt_spelling spelling);

/* [A-Za-z_][A-Za-z0-9_]*: may stand without quotes as a word; behind % digits may come first. */
bool sg_sgt_is_plain_word(signet_string s);
bool sg_sgt_is_plain_value(signet_string s);
/* [A-Za-z0-9_.]+: may stand without quotes behind @. */
bool sg_sgt_is_plain_symbol(signet_string s);
/* An unquoted target that stands for itself and gets no prefix: torch.x, _operator.x, x. */
bool sg_sgt_target_is_whole(signet_string s);
/* Arguments of a higher-order operator that are given by position have an empty name. */
bool sg_sgt_is_higher_order(signet_string target);

/* The kind of a list that is written without one, told by the set of its children's kinds. */
uint64_t sg_sgt_kind_bit(signet_arg_kind kind);
signet_arg_kind sg_sgt_list_kind(uint64_t children);
/* What a literal that is written without its kind is in such a list: 3 among symbols is a
 * SYM_INT. */
signet_arg_kind sg_sgt_literal_in(signet_arg_kind list, signet_arg_kind literal);
/* The kind of argument that names a value of that kind, where nothing else is written. */
signet_arg_kind sg_sgt_natural_kind(signet_value_kind kind);

/* The symbol of an expression in its short form: text by `spelling`, hint from `info`. */
signet_sym sg_sgt_make_sym(signet_package *p, signet_expr expr, sg_sgt_spelling spelling,
                           signet_sym_info info);
/* Strides of a contiguous tensor of these sizes. false: they cannot be told (overflow, sizes that
 * are no expressions, more than SGT_SYMBOLIC_FACTORS symbolic sizes). */
#define SGT_SYMBOLIC_FACTORS 8
bool sg_sgt_contiguous(signet_package *p, const signet_sym *sizes, uint32_t rank,
                       sg_sgt_spelling spelling, signet_sym *strides);

#endif
