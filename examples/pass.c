/* SPDX-License-Identifier: Apache-2.0 */
/* A pass that puts the taken branch in place of a cond whose predicate is known, and verifies. */
#include <signet/signet.h>

#include <stdio.h>
#include <string.h>

/* The program, in the exact text (docs/text-format.md). */
static const char source[] = "package\n"
                             "program @forward stage=aten {\n"
                             "  input %b_n : f32[2] = buffer \"n\" persistent\n"
                             "  input %x : f32[2] = user\n"
                             "  %cond : f32[2] = call @higher_order.cond(true, graph @yes, "
                             "graph @no, [%x, %b_n])\n"
                             "    graph @yes {\n"
                             "      input %x : f32[2]\n"
                             "      input %n : f32[2]\n"
                             "      %mul : f32[2] = call @aten.mul.Tensor(%x, 2)\n"
                             "      %add : f32[2] = call @aten.add.Tensor(%mul, %n)\n"
                             "      output %add\n"
                             "    }\n"
                             "    graph @no {\n"
                             "      input %x : f32[2]\n"
                             "      input %n : f32[2]\n"
                             "      output %x\n"
                             "    }\n"
                             "  output %cond = buffer_mutation \"n\"\n"
                             "  output %x = user\n"
                             "}\n";

/* Which value outside stands for a value of the branch. */
enum { MOST_VALUES = 64 };
struct value_map {
    signet_value inside[MOST_VALUES], outside[MOST_VALUES];
    uint32_t count;
};

static void map_add(struct value_map *map, signet_value inside, signet_value outside) {
    if (map->count < MOST_VALUES) {
        map->inside[map->count] = inside;
        map->outside[map->count++] = outside;
    }
}

static signet_value map_get(const struct value_map *map, signet_value inside) {
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->inside[i].id == inside.id) {
            return map->outside[i];
        }
    }
    signet_value none = {0};
    return none;
}

/* Copies an argument of the branch; the kinds that this example knows. */
static bool copy_argument(signet_package *p, signet_arg from, signet_arg to,
                          const struct value_map *map) {
    signet_arg_kind kind = signet_arg_get_kind(p, from);
    signet_arg_set_name(p, to, signet_arg_name(p, from), signet_arg_passing(p, from));
    if (kind == SIGNET_ARG_TENSOR) {
        signet_arg_set_value(p, to, kind, map_get(map, signet_arg_value(p, from)));
    } else if (kind == SIGNET_ARG_INT) {
        signet_arg_set_int(p, to, kind, signet_arg_int(p, from));
    } else {
        return false;
    }
    return true;
}

/* A copy of a node of the branch before the cond; its results get names of their own. */
static bool copy_node(signet_package *p, signet_node from, signet_node before,
                      struct value_map *map) {
    signet_node to = signet_node_insert(p, before, signet_node_target(p, from));
    bool fine = true;
    signet_node_set_inputs(p, to, signet_node_input_count(p, from));
    for (uint32_t i = 0; i < signet_node_input_count(p, from); i++) {
        fine = copy_argument(p, signet_node_input(p, from, i), signet_node_input(p, to, i), map) &&
               fine;
    }
    signet_node_set_outputs(p, to, signet_node_output_count(p, from));
    for (uint32_t i = 0; i < signet_node_output_count(p, from); i++) {
        signet_value inside = signet_arg_value(p, signet_node_output(p, from, i));
        char name[64];
        snprintf(name, sizeof(name), "yes_%s", signet_value_name(p, inside).data);
        signet_value outside = signet_arg_set_named(p, signet_node_output(p, to, i),
                                                    SIGNET_ARG_TENSOR, signet_str(name));
        signet_value_describe_tensor(p, outside, signet_value_type(p, inside));
        map_add(map, inside, outside);
    }
    return fine;
}

/* Replaces `cond(literal, yes, no, operands)` by the nodes of the branch that is taken. */
static bool fold_cond(signet_package *p, signet_node cond) {
    signet_arg predicate = signet_node_input(p, cond, 0);
    signet_arg operands = signet_node_input(p, cond, 3);
    signet_graph branch =
        signet_arg_graph(p, signet_node_input(p, cond, signet_arg_bool(p, predicate) ? 1 : 2));
    struct value_map map;
    map.count = 0;
    for (uint32_t i = 0; i < signet_graph_input_count(p, branch); i++) {
        map_add(&map, signet_arg_value(p, signet_graph_input(p, branch, i)),
                signet_arg_value(p, signet_arg_child(p, operands, i)));
    }
    bool fine = true;
    for (signet_node n = signet_graph_first(p, branch); n.id != 0; n = signet_node_next(p, n)) {
        fine = copy_node(p, n, cond, &map) && fine;
    }
    for (uint32_t i = 0; i < signet_node_output_count(p, cond); i++) {
        signet_value inside = signet_arg_value(p, signet_graph_output(p, branch, i));
        signet_value_replace_uses(p, signet_arg_value(p, signet_node_output(p, cond, i)),
                                  map_get(&map, inside)); /* declared names of specs follow */
    }
    signet_node_remove(p, cond); /* its branches are held by nobody now */
    signet_program_remove_loose_graphs(p, signet_graph_program(p, branch));
    return fine && signet_package_status(p) == SIGNET_OK;
}

/* The pass: every cond of the program whose predicate is a literal. */
static bool fold_constant_branches(signet_package *p, signet_program program) {
    bool fine = true;
    signet_node next;
    for (signet_node n = signet_graph_first(p, signet_program_graph(p, program)); n.id != 0;
         n = next) {
        next = signet_node_next(p, n);
        signet_operator o = signet_node_operator(p, n);
        if (o.op_class == SIGNET_OPERATOR_HIGHER_ORDER && strcmp(o.name.data, "cond") == 0 &&
            signet_arg_get_kind(p, signet_node_input(p, n, 0)) == SIGNET_ARG_BOOL) {
            fine = fold_cond(p, n) && fine;
        }
    }
    return fine;
}

static bool to_stdout(void *user, const char *text, size_t length) {
    (void)user;
    return fwrite(text, 1, length, stdout) == length;
}

int main(void) {
    signet_package *package = NULL;
    signet_report report = SIGNET_REPORT_INIT;
    signet_writer writer = {to_stdout, NULL};
    signet_status status =
        signet_read_memory(&package, source, sizeof(source) - 1, "example", NULL, NULL);
    if (status != SIGNET_OK) {
        return 1;
    }
    bool fine = fold_constant_branches(package, signet_program_at(package, 0));
    status = signet_verify(package, NULL, NULL, &report); /* after every pass: it costs little */
    if (status == SIGNET_OK) {
        status = signet_write_sgt(package, &writer);
    }
    signet_package_destroy(package);
    return fine && status == SIGNET_OK && report.errors == 0 ? 0 : 1;
}
