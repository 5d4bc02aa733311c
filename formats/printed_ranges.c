/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/printed_internal.h"

/* {s0: VR[2, int_oo], s1: ValueRanges(lower=2, upper=64, is_bool=False)}: what symbols can be. */

/* A bound; false: it is open, or no integer. */
static bool read_bound(const struct sg_pyx *x, uint32_t i, int64_t *out) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    if (n->kind == SG_PYX_TRUE || n->kind == SG_PYX_FALSE) {
        *out = n->kind == SG_PYX_TRUE;
        return true;
    }
    *out = n->kind == SG_PYX_INT ? n->u.integer : 0;
    return n->kind == SG_PYX_INT;
}

/* True for a bound of any spelling. */
static bool is_bound(const struct sg_pyx *x, uint32_t i) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    if (n->kind == SG_PYX_UNARY && n->op == SG_PYX_OP_NEG) {
        i = n->first;
        n = sg_pyx_node(x, i);
    }
    return n->kind == SG_PYX_INT || n->kind == SG_PYX_BIG_INT || n->kind == SG_PYX_FLOAT ||
           n->kind == SG_PYX_TRUE || n->kind == SG_PYX_FALSE || sg_pyx_is_name(x, i, "oo") ||
           sg_pyx_is_name(x, i, "int_oo");
}

/* The bounds of a range in any of its three spellings. false: it is none. */
static bool find_bounds(const struct sg_pyx *x, uint32_t i, uint32_t *low, uint32_t *high) {
    const struct sg_pyx_node *n = sg_pyx_node(x, i);
    if (n->kind == SG_PYX_INDEX && n->count == 3 && sg_pyx_is_name(x, n->first, "VR")) {
        *low = sg_pyx_child(x, i, 1);
        *high = sg_pyx_child(x, i, 2);
    } else if (n->kind == SG_PYX_CALL && sg_pyx_is_name(x, n->first, "ValueRanges")) {
        *low = sg_pyx_argument(x, i, "lower");
        *high = sg_pyx_argument(x, i, "upper");
    } else if (n->kind == SG_PYX_CALL && sg_pyx_is_name(x, n->first, "RangeConstraint")) {
        *low = sg_pyx_argument(x, i, "min_val");
        *high = sg_pyx_argument(x, i, "max_val");
    }
    return *low != 0 && *high != 0 && is_bound(x, *low) && is_bound(x, *high);
}

static void add_range(struct sg_printed *r, uint32_t symbol, uint32_t value) {
    const struct sg_pyx *x = &r->signature;
    uint32_t low = 0;
    uint32_t high = 0;
    const struct sg_pyx_node *n = sg_pyx_node(x, value);
    if (!find_bounds(x, value, &low, &high)) {
        sg_printed_expected(r, n->at, n->length, "a range such as VR[2, int_oo]");
        return;
    }
    signet_range range = {.symbol = sg_pyx_text(x, symbol)};
    range.has_min = read_bound(x, low, &range.min);
    range.has_max = read_bound(x, high, &range.max);
    signet_program_add_range(r->p, r->program, range);
    uint32_t at = sg_pyx_node(x, symbol)->at;
    sg_range_set_span(r->p, r->program, signet_program_range_count(r->p, r->program) - 1,
                      sg_span_make(at, n->at + n->length - at));
}

void sg_printed_read_ranges(struct sg_printed *r) {
    struct sg_pyx *x = &r->signature;
    const struct sg_printed_line *l = &r->lines.data[r->ranges_line];
    uint32_t at = l->at;
    while (r->text[at] != ':') { /* of "Range constraints:" */
        at++;
    }
    uint32_t next = 0;
    uint32_t end = sg_printed_statement_end(r, r->ranges_line, r->lines.count, &next);
    r->end_line = next;
    uint32_t stop = end;
    uint32_t map = sg_pyx_parse(x, at + 1, end, &stop);
    if (map == 0) {
        sg_printed_bad_expression(r, x);
        return;
    }
    const struct sg_pyx_node *n = sg_pyx_node(x, map);
    if (n->kind != SG_PYX_DICT) {
        sg_printed_expected(r, n->at, n->length, "ranges such as {s0: VR[2, 64]}");
        return;
    }
    for (uint32_t k = n->first; k != 0 && r->p->status == SIGNET_OK;) {
        uint32_t value = sg_pyx_node(x, k)->next;
        add_range(r, k, value);
        k = sg_pyx_node(x, value)->next;
    }
}
