/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"

#include <inttypes.h>

static void add_member(struct text *t, const char *key, signet_string value) {
    text_format(t, ",\"%s\":", key);
    text_json(t, value);
}

/* A text that was made for people, as a string; null where it is empty. */
static void add_made(struct text *t, const char *key, struct text *made) {
    add_member(t, key,
               made->length > 0 ? (signet_string){made->data, made->length}
                                : (signet_string){NULL, 0});
    text_free(made);
}

static void add_persistent(struct text *t, signet_persistence persistent) {
    switch (persistent) {
    case SIGNET_PERSISTENT_YES:
        text_put(t, ",\"persistent\":true");
        break;
    case SIGNET_PERSISTENT_NO:
        text_put(t, ",\"persistent\":false");
        break;
    case SIGNET_PERSISTENT_ABSENT:
    case SIGNET_PERSISTENT_NULL:
    case SIGNET_PERSISTENT_ODD:
        break;
    }
}

static void add_side(struct text *t, const signet_package *package, signet_program program,
                     signet_side side) {
    text_format(t, ",\n\"%s\":[", side == SIGNET_INPUT ? "inputs" : "outputs");
    for (uint32_t i = 0; i < show_slot_count(package, program, side); i++) {
        struct show_slot slot = show_slot_at(package, program, side, i);
        struct text type = {0}, literal = {0};
        text_format(t, "%s{\"position\":%u", i > 0 ? ",\n" : "\n", (unsigned)i);
        add_member(t, "kind", signet_str(slot.kind));
        add_member(t, "name", slot.name);
        if (slot.at.data != NULL) {
            add_member(t, "value", slot.at);
        }
        if (slot.is_literal) {
            show_literal(&literal, package, slot.literal);
            add_made(t, "literal", &literal);
        } else {
            show_value_type(&type, package, slot.value);
            add_made(t, "type", &type);
        }
        add_member(t, "target", slot.spec.target);
        add_persistent(t, slot.spec.persistent);
        text_put(t, "}");
    }
    text_put(t, "]");
}

static void add_state(struct text *t, const signet_package *package, signet_program program) {
    if (!signet_program_has_state_tables(package, program)) {
        text_put(t, ",\n\"state\":null");
        return;
    }
    text_put(t, ",\n\"state\":[");
    for (uint32_t i = 0; i < signet_state_count(package, program); i++) {
        signet_state state = SIGNET_STATE_INIT;
        struct text type = {0};
        (void)signet_state_get(package, program, i, &state);
        text_put(t, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
        text_json(t, state.name);
        add_member(t, "table", signet_str(show_table_name(state.table)));
        show_type(&type, package, state.type);
        add_made(t, "type", &type);
        text_format(t, ",\"parameter\":%s,\"pickled\":%s", state.is_parameter ? "true" : "false",
                    state.is_pickled ? "true" : "false");
        add_member(t, "record", state.record);
        if (state.has_bytes) {
            text_format(t, ",\"bytes\":%" PRIu64, state.record_bytes);
        }
        text_put(t, "}");
    }
    text_put(t, "]");
}

static void add_ranges(struct text *t, const signet_package *package, signet_program program) {
    text_put(t, ",\n\"ranges\":[");
    for (uint32_t i = 0; i < signet_program_range_count(package, program); i++) {
        signet_range range = signet_program_range(package, program, i);
        text_put(t, i > 0 ? ",\n{\"symbol\":" : "\n{\"symbol\":");
        text_json(t, range.symbol);
        if (range.has_min) {
            text_format(t, ",\"min\":%" PRId64, range.min);
        }
        if (range.has_max) {
            text_format(t, ",\"max\":%" PRId64, range.max);
        }
        text_put(t, "}");
    }
    text_put(t, "]");
}

static void add_calls(struct text *t, const signet_package *package,
                      const struct show_facts *facts) {
    text_put(t, ",\n\"delegates\":[");
    for (size_t i = 0; i < facts->call_count; i++) {
        signet_delegate delegate = facts->calls[i].delegate;
        text_put(t, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
        text_json(t, signet_delegate_name(package, delegate));
        add_member(t, "backend", signet_delegate_backend(package, delegate));
        text_format(t, ",\"calls\":%" PRIu64, facts->calls[i].count);
        add_member(t, "program",
                   signet_program_name(package, signet_delegate_body(package, delegate)));
        text_put(t, "}");
    }
    text_put(t, "],\n\"operators\":{");
    for (size_t i = 0; i < facts->operator_count; i++) {
        text_put(t, i > 0 ? ",\n" : "\n");
        text_json(t, facts->operators[i].name);
        text_format(t, ":%" PRIu64, facts->operators[i].count);
    }
    text_put(t, "}");
}

static void add_versions(struct text *t, const signet_package *package, signet_program program) {
    signet_program_info info = SIGNET_PROGRAM_INFO_INIT;
    signet_program_get_info(package, program, &info);
    struct text schema = {0};
    if (info.schema_major > 0) {
        text_format(&schema, "%u.%u", (unsigned)info.schema_major, (unsigned)info.schema_minor);
    }
    add_made(t, "schema", &schema);
    add_member(t, "torch", info.torch_version);
    text_put(t, ",\"dialects\":[");
    for (uint32_t i = 0; i < signet_program_dialect_count(package, program); i++) {
        text_put(t, i > 0 ? "," : "");
        text_json(t, signet_program_dialect(package, program, i));
    }
    text_put(t, "]");
    add_member(t, "stage",
               signet_str(signet_stage_name(signet_program_detect_stage(package, program))));
}

static void add_program(struct text *t, const signet_package *package, signet_program program) {
    struct show_facts facts;
    show_facts(&facts, package, program);
    text_put(t, "{\"name\":");
    text_json(t, signet_program_name(package, program));
    add_member(t, "inside",
               signet_delegate_name(package, signet_program_delegate(package, program)));
    add_versions(t, package, program);
    text_format(t, ",\"lossy\":%s,\"nodes\":%" PRIu64 ",\"subgraphs\":%" PRIu64,
                signet_program_is_lossy(package, program) ? "true" : "false", facts.nodes,
                facts.subgraphs);
    add_side(t, package, program, SIGNET_INPUT);
    add_side(t, package, program, SIGNET_OUTPUT);
    add_state(t, package, program);
    add_ranges(t, package, program);
    add_calls(t, package, &facts);
    text_put(t, "}");
    show_facts_free(&facts);
}

void show_json(struct text *t, const signet_package *package, const char *path) {
    text_format(t, "{\"signet\":\"%s\",\"file\":", signet_version());
    text_json(t, signet_str(path));
    add_member(t, "format", signet_str(signet_carrier_name(signet_package_carrier(package))));
    text_put(t, ",\n\"programs\":[");
    for (uint32_t i = 0; i < signet_program_count(package); i++) {
        text_put(t, i > 0 ? ",\n" : "\n");
        add_program(t, package, signet_program_at(package, i));
    }
    text_put(t, "\n]}\n");
}
