/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <string.h>

static const struct option_row diff_options[] = {
    {KEY_STRUCTURAL, "structural", NULL, "names and order do not count (the default)"},
    {KEY_EXACT, "exact", NULL, "everything counts"},
    {KEY_TOLD, "told", NULL, "as far as both tell; the default with printed text"},
    {KEY_QUIET, "quiet", NULL, "say nothing, by the exit status alone"},
    {0, NULL, NULL, NULL},
};

static const struct option_group groups[] = {{"Comparing", diff_options},
                                             {"Reading", options_of_reading},
                                             {"Output", options_of_output},
                                             {NULL, NULL}};

static enum status run(int argc, char **argv);

const struct command command_diff = {
    .name = "diff",
    .usage = "[OPTION...] A B",
    .title = "Says whether two programs are the same, and where they part.",
    .about = "Structural: the two compute the same in the same way. Operators, literals, types,\n"
             "targets and positions count; names, the order of independent nodes, dead nodes\n"
             "and stack traces do not. Exact: everything counts. Told: printed text tells less\n"
             "than an archive, so names, order, operators, literals, types and signature are\n"
             "compared as far as both sides tell them.\n"
             "\n"
             "Only the first difference is shown, with its place on both sides. Weights are not\n"
             "looked at. What --with and --body give is given to both sides.\n"
             "\n"
             "Exit status: 0 the same; 1 different; 2 trouble: wrong use, or a file that cannot\n"
             "be read; also when two files agree that could only be read in part.\n",
    .examples = "  signet diff before.pt2 after.pt2\n"
                "  signet diff --exact model.pt2 copy.sgt\n"
                "  signet diff -q a.pt2 b.pt2 || echo changed\n",
    .groups = groups,
    .run = run,
};

enum { MODE_CHOOSE = -1 };

struct diff_options {
    struct output_options output;
    struct source_options source;
    int mode; /* signet_equal_mode, or MODE_CHOOSE */
    bool quiet;
};

static bool take_mode(struct diff_options *o, signet_equal_mode mode) {
    if (o->mode != MODE_CHOOSE && o->mode != (int)mode) {
        trouble("diff: --exact, --structural and --told exclude each other");
        return false;
    }
    o->mode = (int)mode;
    return true;
}

static bool take(void *user, int key, char *argument) {
    struct diff_options *o = user;
    switch (key) {
    case KEY_STRUCTURAL:
        return take_mode(o, SIGNET_EQUAL_STRUCTURAL);
    case KEY_EXACT:
        return take_mode(o, SIGNET_EQUAL_EXACT);
    case KEY_TOLD:
        return take_mode(o, SIGNET_EQUAL_TOLD);
    case KEY_QUIET:
        o->quiet = true;
        return true;
    case KEY_OUTPUT:
    case KEY_COLOR:
        return output_options_take(&o->output, key, argument);
    default:
        return source_options_take(&o->source, key, argument);
    }
}

/* ---- What differs ---------------------------------------------------------------------------- */

struct side {
    const char *path;
    signet_package *package;
    bool in_part; /* there were errors in reading */
};

enum { PATH_DEPTH = 16 }; /* graphs of a path that are shown */

/* "forward/true_graph_0" */
static void add_path(struct text *t, const signet_package *p, signet_program program,
                     signet_graph graph) {
    signet_graph path[PATH_DEPTH];
    size_t depth = 0;
    signet_graph top = signet_program_graph(p, program);
    while (graph.id != 0 && graph.id != top.id && depth < PATH_DEPTH) {
        path[depth++] = graph;
        signet_node holder = signet_graph_parent(p, graph);
        graph = holder.id != 0 ? signet_node_graph(p, holder) : (signet_graph){0};
    }
    text_escaped(t, signet_program_name(p, program));
    while (depth > 0) {
        text_put(t, "/");
        text_escaped(t, signet_graph_name(p, path[--depth]));
    }
}

static uint32_t place_of(const signet_package *p, signet_node node) {
    uint32_t place = 0;
    for (signet_node n = signet_graph_first(p, signet_node_graph(p, node));
         n.id != 0 && n.id != node.id; n = signet_node_next(p, n)) {
        place++;
    }
    return place;
}

static void add_node(struct text *t, const signet_package *p, signet_node node) {
    signet_graph graph = signet_node_graph(p, node);
    signet_user_source source = signet_node_user_source(p, node);
    text_format(t, ", node %u of %u: ", (unsigned)place_of(p, node) + 1,
                (unsigned)signet_graph_node_count(p, graph));
    text_escaped(t, signet_node_display_name(p, node));
    text_put(t, ", ");
    text_escaped(t, signet_node_target(p, node));
    if (source.line > 0) {
        text_put(t, ", ");
        text_escaped(t, source.file);
        text_format(t, ":%u", (unsigned)source.line);
    }
}

static void add_side(struct text *t, const struct side *side, signet_program program,
                     signet_graph graph, signet_node node) {
    const signet_package *p = side->package;
    text_put(t, "  ");
    text_escaped(t, signet_str(source_name(side->path)));
    text_put(t, ": ");
    if (program.id == 0) {
        text_put(t, "nothing there\n");
        return;
    }
    if (graph.id == 0 && node.id != 0) {
        graph = signet_node_graph(p, node);
    }
    add_path(t, p, program, graph);
    if (node.id != 0) {
        add_node(t, p, node);
    }
    text_put(t, "\n");
}

static void add_names(struct text *t, const struct side *sides) {
    text_escaped(t, signet_str(source_name(sides[0].path)));
    text_put(t, " and ");
    text_escaped(t, signet_str(source_name(sides[1].path)));
}

static const char *mode_text(int mode) {
    return mode == SIGNET_EQUAL_EXACT        ? "exactly the same"
           : mode == SIGNET_EQUAL_STRUCTURAL ? "the same structure"
                                             : "the same as far as both tell";
}

static bool is_lossy(const signet_package *package) {
    for (uint32_t i = 0; i < signet_program_count(package); i++) {
        if (signet_program_is_lossy(package, signet_program_at(package, i))) {
            return true;
        }
    }
    return false;
}

static enum status say_same(const struct diff_options *o, const struct side *sides, int mode,
                            struct text *t) {
    bool in_part = sides[0].in_part || sides[1].in_part;
    if (!o->quiet) {
        text_put(t, mode_text(mode));
        text_put(t, in_part ? " in what could be read: " : ": ");
        add_names(t, sides);
        text_put(t, "\n");
    }
    return in_part ? STATUS_USE : STATUS_OK;
}

static enum status compare(struct diff_options *o, const struct side *sides) {
    const signet_package *a = sides[0].package, *b = sides[1].package;
    struct text *t = &o->output.out.text;
    signet_difference difference = SIGNET_DIFFERENCE_INIT;
    bool equal = false;
    int mode = o->mode;
    if (mode == MODE_CHOOSE) {
        mode = is_lossy(a) || is_lossy(b) ? SIGNET_EQUAL_TOLD : SIGNET_EQUAL_STRUCTURAL;
    }
    signet_status status = signet_package_equal(a, b, (signet_equal_mode)mode, &equal, &difference);
    if (status != SIGNET_OK) {
        trouble("diff: cannot compare: %s", signet_status_text(status));
        return status_of(status);
    }
    if (equal) {
        return say_same(o, sides, mode, t);
    }
    if (!o->quiet) {
        add_names(t, sides);
        text_put(t, " differ: ");
        text_escaped(t, signet_str(difference.what));
        text_put(t, "\n");
        add_side(t, &sides[0], difference.a_program, difference.a_graph, difference.a_node);
        add_side(t, &sides[1], difference.b_program, difference.b_graph, difference.b_node);
        if (o->mode == MODE_CHOOSE && mode == SIGNET_EQUAL_TOLD) {
            text_put(t, "compared as far as both tell: printed text tells less than an archive\n");
        }
    }
    return STATUS_FINDINGS;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Status 1 means different here, so errors of a file are trouble. */
static enum status read_sides(const struct diff_options *o, struct side *sides) {
    for (int i = 0; i < 2; i++) {
        enum status status = STATUS_OK;
        sides[i].package = source_read_one(&o->source, sides[i].path, &status);
        sides[i].in_part = status == STATUS_FINDINGS;
        if (sides[i].package == NULL) {
            return status == STATUS_FINDINGS ? STATUS_USE : status;
        }
    }
    return STATUS_OK;
}

static enum status diff(struct diff_options *o, char **files) {
    struct side sides[2] = {{.path = files[0]}, {.path = files[1]}};
    enum status status = read_sides(o, sides);
    if (status == STATUS_OK) {
        status = compare(o, sides);
        status = status_worse(status, out_close(&o->output.out));
    }
    signet_package_destroy(sides[0].package);
    signet_package_destroy(sides[1].package);
    return status;
}

static enum status run(int argc, char **argv) {
    struct diff_options o = {.source = source_options_default(), .mode = MODE_CHOOSE};
    int first = 0;
    enum status status = STATUS_OK;
    if (options_parse(&command_diff, argc, argv, take, &o, &first, &status) == PARSED &&
        !source_options_help(&o.source, &status)) {
        status = STATUS_USE;
        if (argc - first != 2) {
            trouble("diff takes two files, A and B, not %d", argc - first);
        } else if (strcmp(argv[first], "-") == 0 && strcmp(argv[first + 1], "-") == 0) {
            trouble("diff: standard input can be read once, '-' is given 2 times");
        } else {
            status = diff(&o, argv + first);
        }
    }
    source_options_free(&o.source);
    return status;
}
