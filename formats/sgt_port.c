/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs and outputs of graphs, and their specs. */

#include "formats/sgt_internal.h"

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool take_kind(struct sg_sgt_reader *r, signet_side side, struct sg_sgt_port *port) {
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    if (sg_sgt_take_word(r, "unknown")) {
        return true;
    }
    if (sg_sgt_take_word(r, "kind")) {
        uint32_t number = 0;
        token = sg_sgt_peek(r);
        if (!sg_sgt_take_uint32(r, &number, "the number of a kind")) {
            return false;
        }
        port->kind = (uint8_t)number;
        return number <= UINT8_MAX ||
               sg_sgt_wrong(r, token->at, token->length,
                            "expected the number of a kind up to 255, found %u", (unsigned)number);
    }
    if (token->kind == SGT_WORD) {
        signet_string word = sg_sgt_token_text(r, token);
        port->kind = side == SIGNET_INPUT ? (uint8_t)sg_input_kind_of_keyword(word)
                                          : (uint8_t)sg_output_kind_of_keyword(word);
    }
    if (port->kind == 0) {
        return sg_sgt_expected(r, side == SIGNET_INPUT
                                      ? "a kind of input such as user, parameter or buffer"
                                      : "a kind of output such as user or buffer_mutation");
    }
    r->t++;
    return true;
}

/* persistent, non_persistent, persistent=null, persistent=odd */
static bool take_persistence(struct sg_sgt_reader *r, struct sg_sgt_port *port) {
    if (sg_sgt_take_word(r, "non_persistent")) {
        port->persistent = SIGNET_PERSISTENT_NO;
    } else if (sg_sgt_take_word(r, "persistent")) {
        port->persistent = SIGNET_PERSISTENT_YES;
        if (sg_sgt_take_mark(r, '=')) {
            bool is_null = sg_sgt_is_word(r, sg_sgt_peek(r), "null");
            port->persistent = is_null ? SIGNET_PERSISTENT_NULL : SIGNET_PERSISTENT_ODD;
            return sg_sgt_take_word(r, is_null ? "null" : "odd") ||
                   sg_sgt_expected(r, "null or odd");
        }
    }
    return true;
}

/* buffer "b" persistent tag "x" */
static bool take_spec(struct sg_sgt_reader *r, signet_side side, struct sg_sgt_port *port) {
    uint32_t start = sg_sgt_peek(r)->at;
    port->has_spec = true;
    if (!take_kind(r, side, port)) {
        return false;
    }
    const struct sg_sgt_token *target = sg_sgt_peek(r);
    if (target->kind == SGT_STRING) {
        port->target_span = sg_span_make(target->at, target->length);
        r->t++;
        if (!sg_sgt_name_of(r, target, &port->target)) {
            return false;
        }
    }
    if (!take_persistence(r, port) ||
        (sg_sgt_take_word(r, "tag") &&
         !sg_sgt_take_text(r, &port->raw_tag, "the tag of the kind"))) {
        return false;
    }
    port->span = sg_span_make(start, sg_sgt_peek(r)->at - start);
    return true;
}

/* named "c", declared sym_int %s: where the spec says another argument than the graph has. */
static bool take_declared(struct sg_sgt_reader *r, struct sg_sgt_port *port) {
    const struct sg_sgt_token *token = sg_sgt_peek_second(r);
    if (sg_sgt_take_word(r, "declared")) {
        port->name_span = sg_span_make(token->at, token->length);
        if (!sg_sgt_item(r, SGT_PLACE_DECLARED, &port->declared)) {
            return false;
        }
        token = sg_sgt_peek_second(r);
    }
    if (sg_sgt_take_word(r, "named")) {
        port->has_name = true;
        port->name_span = sg_span_make(token->at, token->length);
        return sg_sgt_take_text(r, &port->name, "the declared name");
    }
    return true;
}

static bool take_port(struct sg_sgt_reader *r, signet_side side, struct sg_sgt_port *port) {
    sg_sgt_place place = side == SIGNET_INPUT ? SGT_PLACE_RESULT : SGT_PLACE_OUTPUT;
    const struct sg_sgt_token *token = sg_sgt_peek(r);
    if (!sg_sgt_take_mark(r, '?')) {
        if (!sg_sgt_item(r, place, &port->item)) {
            return false;
        }
        port->name_span = sg_span_make(token->at, token->length);
    }
    if (!take_declared(r, port)) {
        return false;
    }
    bool must = port->item == 0 || port->declared != 0 || port->has_name;
    if (!sg_sgt_take_mark(r, '=')) {
        return must ? sg_sgt_expected(r, "'=' and a kind") : sg_sgt_expect_end(r, "'=' and a kind");
    }
    if (!sg_sgt_top(r)->is_top) {
        return sg_sgt_wrong(
            r, sg_sgt_peek(r)->at, sg_sgt_peek(r)->length,
            "expected the end of the line, found a kind; only inputs and outputs of "
            "a program have one");
    }
    return take_spec(r, side, port) && sg_sgt_expect_end(r, "the end of the line");
}

bool sg_sgt_port_line(struct sg_sgt_reader *r, signet_side side) {
    if (side == SIGNET_INPUT && sg_sgt_top(r)->inputs_done) {
        return sg_sgt_wrong(r, sg_sgt_peek(r)->at, sg_sgt_peek(r)->length,
                            "expected inputs before nodes and outputs, found one behind them");
    }
    struct sg_sgt_port port = {.item = 0};
    r->t++;
    if (!take_port(r, side, &port) || !SGT_ROOM(r, &r->ports)) {
        return false;
    }
    r->ports.data[r->ports.count++] = port;
    return true;
}

/* ---- Arguments and specs --------------------------------------------------------------------- */

bool sg_sgt_ports_build(struct sg_sgt_reader *r, signet_side side) {
    signet_graph graph = {sg_sgt_top(r)->graph};
    uint32_t first = sg_sgt_top(r)->first_port;
    sg_sgt_place place = side == SIGNET_INPUT ? SGT_PLACE_RESULT : SGT_PLACE_OUTPUT;
    uint32_t count = 0;
    for (uint32_t i = first; i < r->ports.count; i++) {
        count += r->ports.data[i].item != 0;
    }
    signet_arg arg = side == SIGNET_INPUT ? signet_graph_set_inputs(r->p, graph, count)
                                          : signet_graph_set_outputs(r->p, graph, count);
    for (uint32_t i = first; i < r->ports.count; i++) {
        if (r->ports.data[i].item == 0) {
            continue;
        }
        if (r->p->status != SIGNET_OK || !sg_sgt_build(r, place, r->ports.data[i].item, arg.id)) {
            return false;
        }
        r->ports.data[i].arg = arg.id++;
    }
    return r->p->status == SIGNET_OK;
}

static bool declare(struct sg_sgt_reader *r, const struct sg_sgt_port *port, uint32_t declared) {
    struct sg_arg *d = &r->p->args.data[declared];
    if (port->declared != 0) {
        return sg_sgt_build(r, SGT_PLACE_DECLARED, port->declared, declared);
    }
    if (r->kinds_unknown) {
        const struct sg_arg *a = sg_arg(r->p, port->arg);
        d->kind = SIGNET_ARG_UNKNOWN;
        d->name = sg_arg_has_value(a) ? sg_value(r->p, a->u.ref.value)->name : 0;
        return true;
    }
    if (port->arg == 0) {
        d->kind = SIGNET_ARG_TENSOR;
        return true;
    }
    return sg_sgt_declare_like(r, port->arg, declared);
}

static bool add_spec(struct sg_sgt_reader *r, signet_side side, const struct sg_sgt_port *port) {
    signet_program program = {r->program};
    signet_spec spec = SIGNET_SPEC_INIT;
    spec.side = side;
    spec.kind = port->kind;
    spec.raw_tag = sg_string(r->p, port->raw_tag);
    spec.target = sg_string(r->p, port->target);
    spec.persistent = (signet_persistence)port->persistent;
    spec.arg_kind = SIGNET_ARG_NONE;
    signet_arg declared = signet_spec_add(r->p, program, &spec);
    if (declared.id == 0 || !declare(r, port, declared.id)) {
        return false;
    }
    if (port->has_name) {
        r->p->args.data[declared.id].name = port->name;
    }
    sg_spec_set_spans(r->p, program, side, signet_spec_count(r->p, program, side) - 1, port->span,
                      port->name_span, port->target_span);
    return r->p->status == SIGNET_OK;
}

bool sg_sgt_ports_end(struct sg_sgt_reader *r, signet_side side) {
    uint32_t first = sg_sgt_top(r)->first_port;
    for (uint32_t i = first; i < r->ports.count; i++) {
        struct sg_sgt_port port = r->ports.data[i];
        if (port.has_spec && !add_spec(r, side, &port)) {
            return false;
        }
    }
    r->ports.count = first;
    return true;
}
