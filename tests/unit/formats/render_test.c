/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "signet/formats.h"

/* ---- What the writer got --------------------------------------------------------------------- */

static bool take(void *user, const char *text, size_t length) {
    sg_text_put(user, text, length);
    return true;
}

static bool refuse(void *user, const char *text, size_t length) {
    (void)text;
    (void)length;
    ++*(int *)user;
    return false;
}

static void check_full(const signet_diag *d, uint32_t width, bool color, const char *expected) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    signet_writer writer = {take, &t};
    signet_render_options options = SIGNET_RENDER_OPTIONS_INIT;
    options.width = width;
    options.color = color;
    cr_assert_eq(signet_render_full(d, &options, &writer), SIGNET_OK);
    cr_assert_str_eq(t.data, expected, "got:\n%s\nexpected:\n%s", t.data, expected);
    sg_text_free(&t);
}

static void check_json(const signet_diag *d, const char *expected) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    signet_writer writer = {take, &t};
    cr_assert_eq(signet_render_json(d, &writer), SIGNET_OK);
    cr_assert_str_eq(t.data, expected, "got:\n%s\nexpected:\n%s", t.data, expected);
    cr_assert_eq(sg_utf8_check(t.data, t.length), t.length);
    sg_text_free(&t);
}

/* ---- The seed's finding ---------------------------------------------------------------------- */

static const char specs[] =
    "Graph signature: ExportGraphSignature(input_specs=[InputSpec(kind=<InputKind.USER_INPUT: 1>, "
    "arg=TensorArgument(name='x'), target=None, persistent=None)], "
    "output_specs=[OutputSpec(kind=<OutputKind.BUFFER_MUTATION: 3>, "
    "arg=TensorArgument(name='getitem'), target='state_1'), "
    "OutputSpec(kind=<OutputKind.USER_OUTPUT: 1>, arg=TensorArgument(name='getitem_1'), "
    "target=None)])";

static const char *const seed_facts[] = {
    "new value: getitem, result 0 of executorch_call_delegate (lowered_module_0), line 9"};
static const char *const seed_notes[] = {
    "the call takes only 'x': the buffer went into lowered_module_0, its mutation stayed outside"};

static signet_location at_text(const char *line, uint32_t number, const char *place,
                               const char *focus, const char *label) {
    signet_location l = {.file = "broken.txt", .line = number, .program = "forward"};
    l.excerpt = line;
    l.excerpt_length = (uint32_t)strlen(line);
    l.column = (uint32_t)(strstr(line, place) - line) + 1;
    l.focus_column = (uint32_t)(strstr(line, focus) - line) + 1;
    l.focus_length = (uint32_t)strlen(focus);
    l.label = label;
    return l;
}

static signet_diag seed(void) {
    signet_diag d = {
        .size = sizeof(d),
        .code = SIGNET_CODE_MUTATION_TARGET_MISSING,
        .code_name = "mutation.target-missing",
        .severity = SIGNET_SEVERITY_ERROR,
        .message = "output 0 updates buffer 'state_1', but the program has no buffer",
        .facts = seed_facts,
        .fact_count = 1,
        .notes = seed_notes,
        .note_count = 1,
        .help = "move the mutation into the delegate, or pass the buffer as an argument; "
                "--body lowered_module_0=FILE shows which",
        .also_known_as = "SpecViolationError \"Buffer output getitem does not point to a buffer "
                         "that exists\"",
    };
    d.location = at_text(specs, 13, "OutputSpec(", "target='state_1'", "no such buffer");
    d.location.item = "output 0";
    return d;
}

/* clang-format off */
static const char seed_full[] =
    "error[mutation.target-missing]: output 0 updates buffer 'state_1', but the program has no buffer\n"
    "  --> broken.txt:13:170  forward, output 0\n"
    "   |\n"
    "13 | ...OutputSpec(kind=<OutputKind.BUFFER_MUTATION: 3>, arg=TensorArgument(name='getitem'), target='state_1'), ...\n"
    "   |                                                                                         ^^^^^^^^^^^^^^^^ no such buffer\n"
    "   = new value: getitem, result 0 of executorch_call_delegate (lowered_module_0), line 9\n"
    "   = note: the call takes only 'x': the buffer went into lowered_module_0, its mutation stayed outside\n"
    "   = help: move the mutation into the delegate, or pass the buffer as an argument; --body lowered_module_0=FILE shows which\n"
    "   = also known as: SpecViolationError \"Buffer output getitem does not point to a buffer that exists\"\n";
/* clang-format on */

Test(render_full, the_finding_of_the_seed) {
    signet_diag d = seed();
    check_full(&d, 0, false, seed_full);
    check_full(&d, 120, false, seed_full);
}

Test(render_full, colors) {
    signet_diag d = seed();
    d.location = at_text("  return (x,)", 7, "return", "x", "here");
    d.fact_count = d.note_count = 0;
    d.also_known_as = NULL;
    d.help = "help";
    check_full(&d, 0, true,
               "\x1b[1;31merror[mutation.target-missing]\x1b[0m\x1b[1m: output 0 updates buffer "
               "'state_1', but the program has no buffer\x1b[0m\n"
               " \x1b[1;34m-->\x1b[0m broken.txt:7:3  forward\n"
               "\x1b[1;34m  |\x1b[0m\n"
               "\x1b[1;34m7 |\x1b[0m   return (x,)\n"
               "\x1b[1;34m  |\x1b[0m           \x1b[1;31m^ here\x1b[0m\n"
               "  \x1b[1;34m=\x1b[0m \x1b[1mhelp\x1b[0m: help\n");
}

/* A finding of one line, to look at the excerpt alone. */
static signet_diag plain(signet_location location) {
    return (signet_diag){.size = sizeof(signet_diag),
                         .code_name = "graph.dead-node",
                         .severity = SIGNET_SEVERITY_NOTE,
                         .message = "m",
                         .location = location};
}

Test(render_full, related_places_share_the_gutter) {
    signet_diag d = plain(at_text("    return (a, b)", 104, "return", "b", "used here"));
    signet_location related = at_text("  b = f(x)", 9, "b", "b", "defined here");
    related.node = "f";
    d.related = &related;
    d.related_count = 1;
    check_full(&d, 0, false,
               "note[graph.dead-node]: m\n"
               "   --> broken.txt:104:5  forward\n"
               "    |\n"
               "104 |     return (a, b)\n"
               "    |                ^ used here\n"
               "   --> broken.txt:9:3  forward, node 'f'\n"
               "    |\n"
               "  9 |   b = f(x)\n"
               "    |   - defined here\n");
}

Test(render_full, archives_show_a_path_and_a_byte) {
    signet_location l = {.file = "model.pt2",
                         .entry = "models/model.json",
                         .json_path = "$.graph_module.signature.output_specs[1]",
                         .has_byte = true,
                         .byte = 18422,
                         .program = "forward",
                         .graph = "forward/true_graph_0",
                         .node = "index_put",
                         .item = "argument 'values'",
                         .user_file = "model.py",
                         .user_line = 43,
                         .user_function = "forward",
                         .user_code = "self.k[:, 2:3] = x"};
    signet_diag d = plain(l);
    d.severity = SIGNET_SEVERITY_WARNING;
    d.help = "did you mean 'k'?\nsignet fix model.pt2";
    check_full(&d, 0, false,
               "warning[graph.dead-node]: m\n"
               "  --> model.pt2!models/model.json  $.graph_module.signature.output_specs[1]  "
               "(byte 18422)\n"
               "   = in: forward/true_graph_0, node 'index_put', argument 'values'\n"
               "   = source: model.py:43 in forward: self.k[:, 2:3] = x\n"
               "   = help: did you mean 'k'?\n"
               "           signet fix model.pt2\n");
    signet_location related = {.file = "model.pt2", .entry = "weights", .label = "the record"};
    d.location = (signet_location){.program = "forward"};
    d.help = NULL;
    d.related = &related;
    d.related_count = 1;
    check_full(&d, 0, false,
               "warning[graph.dead-node]: m\n"
               "  --> forward\n"
               "  --> model.pt2!weights: the record\n");
    d.location = (signet_location){.file = "x.bin", .has_byte = true};
    d.related_count = 0;
    check_full(&d, 0, false, "warning[graph.dead-node]: m\n  --> x.bin  (byte 0)\n");
    d.location = (signet_location){0};
    check_full(&d, 0, false, "warning[graph.dead-node]: m\n");
}

/* ---- Excerpts */

static void check_excerpt(signet_location l, uint32_t width, const char *line, const char *marks) {
    struct sg_text expected;
    sg_text_init(&expected, &sg_default_allocator);
    sg_text_printf(&expected,
                   "note[graph.dead-node]: m\n --> broken.txt:1:%u  forward\n"
                   "  |\n1 | %s\n  | %s\n",
                   (unsigned)l.column, line, marks);
    signet_diag d = plain(l);
    check_full(&d, width, false, expected.data);
    sg_text_free(&expected);
}

Test(render_full, a_line_that_fits_is_whole) {
    static const char line[] = "0123456789 123456789 123456789 123456789"; /* 40 columns */
    signet_location l = at_text(line, 1, "0123", "345678", NULL);
    check_excerpt(l, 44, line, "   ^^^^^^");
    l.focus_length = 0; /* one character, at the column */
    l.focus_column = 0;
    check_excerpt(l, 44, line, "^");
}

Test(render_full, long_lines_are_cut_at_words) {
    static const char line[] = "0123456789 123456789 123456789 123456789 end";
    /* right only: the focus is near the start */
    check_excerpt(at_text(line, 1, "0123", "345678", "x"), 44, "0123456789 123456789 123456789 ...",
                  "   ^^^^^^ x");
    /* left only, from the column on */
    check_excerpt(at_text(line, 1, "9 end", "end", NULL), 44, "...9 end", "     ^^^");
    /* the place begins too far before its focus */
    check_excerpt(at_text(line, 1, "0123", "end", NULL), 44, "...123456789 end",
                  "             ^^^");
}

Test(render_full, words_without_end_are_cut_anywhere) {
    char line[400];
    memset(line, 'a', sizeof(line));
    memset(line + 200, 'b', 5);
    signet_location l = {.file = "broken.txt",
                         .program = "forward",
                         .line = 1,
                         .column = 201,
                         .excerpt = line,
                         .excerpt_length = sizeof(line),
                         .focus_length = 5};
    check_excerpt(l, 34, "...bbbbbaaaaaaaaaaaaaaaaaaa...", "   ^^^^^");
    l.column = 1;
    l.focus_column = 201;
    check_excerpt(l, 34, "...aaaaaaaaabbbbbaaaaaaaaaa...", "            ^^^^^");
    l.focus_length = 150; /* longer than the width */
    check_excerpt(l, 34, "...bbbbbaaaaaaaaaaaaaaaaaaa...", "   ^^^^^^^^^^^^^^^^^^^^^^^^");
    check_excerpt(l, 1, "...bbbbbaaaaaaaaaaaaa...", "   ^^^^^^^^^^^^^^^^^^");
}

Test(render_full, counts_characters_not_bytes) {
    static const char line[] = "caf\xc3\xa9 \xe2\x82\xac = f(x)";
    check_excerpt(at_text(line, 1, "f(x)", "f(x)", NULL), 0, line, "         ^^^^");
    check_excerpt(at_text(line, 1, "caf", "\xe2\x82\xac", NULL), 0, line, "     ^");
    /* cut between characters, never inside one */
    static const char euro[3] = {'\xe2', '\x82', '\xac'};
    char euros[sizeof(euro) * 100];
    for (size_t i = 0; i < sizeof(euros); i += 3) {
        memcpy(euros + i, euro, sizeof(euro));
    }
    signet_location l = {.file = "broken.txt",
                         .program = "forward",
                         .line = 1,
                         .column = 1,
                         .excerpt = euros,
                         .excerpt_length = sizeof(euros),
                         .focus_column = 151,
                         .focus_length = 3};
#define E "\xe2\x82\xac"
    check_excerpt(l, 34, "..." E E E E E E E E E E E E E E E E E E E E E E E E "...",
                  "             ^");
#undef E
}

Test(render_full, escapes_what_a_terminal_would_obey) {
    check_excerpt(at_text("\ta\x1b[0m\xff"
                          "b\r\n",
                          1, "a", "b", "l\x07"),
                  0, "\\ta\\x1b[0m\\xffb", "              ^ l\\x07");
    signet_location l = {.file = "a\nb",
                         .node = "\xe2\x80\xae"
                                 "x\xe2\x80\xac"};
    signet_diag d = plain(l);
    d.message = "one\ntwo\x1b";
    static const char *const facts[] = {"a: \x1b[2J"};
    d.facts = facts;
    d.fact_count = 1;
    check_full(&d, 0, false,
               "note[graph.dead-node]: one\\ntwo\\x1b\n"
               "  --> a\\nb  node '\\u202ex\\u202c'\n"
               "   = a: \\x1b[2J\n");
}

Test(render_full, a_focus_beyond_the_line_is_at_its_end) {
    signet_location l = at_text("abc", 1, "a", "a", NULL);
    l.focus_column = 4;
    check_excerpt(l, 0, "abc", "   ^");
    l.focus_column = 400;
    l.focus_length = UINT32_MAX;
    check_excerpt(l, 0, "abc", "   ^");
    l.column = UINT32_MAX;
    check_excerpt(l, 0, "abc", "   ^");
    l.excerpt_length = 0;
    signet_diag d = plain(l);
    check_full(&d, 0, false,
               "note[graph.dead-node]: m\n --> broken.txt:1:4294967295  forward\n"
               "  |\n1 |\n  | ^\n");
}

/* Lines of random bytes, places and widths: no line of the excerpt is wider than asked for, and the
 * marks stand below what they mark. */
Test(render_full, any_place_of_any_line) {
    uint32_t random = 1;
    char line[300];
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    signet_writer writer = {take, &t};
    for (uint32_t round = 0; round < 20000; round++) {
        uint32_t r[6];
        for (size_t i = 0; i < 6; i++) {
            random = random * 1664525 + 1013904223;
            r[i] = random >> 8;
        }
        uint32_t length = r[0] % sizeof(line);
        for (uint32_t i = 0; i < length; i++) {
            random = random * 1664525 + 1013904223;
            static const char some[] = "abc   \xe2\x82\xac\xc3\xa9\xff\t()";
            line[i] = (char)(round % 4 == 0 ? (int)(random >> 24)
                                            : some[(random >> 16) % (sizeof(some) - 1)]);
        }
        signet_location l = {.file = "f", .line = 1 + r[1] % 2000, .excerpt_length = length};
        l.excerpt = line;
        l.column = r[2] % (length + 5);
        l.focus_column = r[3] % 3 == 0 ? 0 : r[3] % (length + 5);
        l.focus_length = r[4] % 50;
        signet_diag d = plain(l);
        signet_render_options options = SIGNET_RENDER_OPTIONS_INIT;
        options.width = 31 + r[5] % 100;
        sg_text_clear(&t);
        cr_assert_eq(signet_render_full(&d, &options, &writer), SIGNET_OK);
        cr_assert_eq(sg_utf8_check(t.data, t.length), t.length);
        size_t lines = 0, columns = 0;
        for (size_t i = 0; i < t.length; i++) {
            lines += t.data[i] == '\n' ? 1 : 0;
            columns = t.data[i] == '\n' ? 0 : columns + (((unsigned char)t.data[i] >> 6) != 2);
            /* one column more for a mark behind the last character */
            cr_assert_leq(columns, options.width + 1, "round %u:\n%s", (unsigned)round, t.data);
        }
        cr_assert_eq(lines, 5);
        cr_assert_not_null(strchr(t.data, '^'));
    }
    sg_text_free(&t);
}

Test(render_full, stops_when_told_and_checks_its_arguments) {
    signet_diag d = seed();
    int calls = 0;
    signet_writer writer = {refuse, &calls};
    cr_assert_eq(signet_render_full(&d, NULL, &writer), SIGNET_E_STOPPED);
    cr_assert_eq(calls, 1);
    cr_assert_eq(signet_render_json(&d, &writer), SIGNET_E_STOPPED);
    cr_assert_eq(calls, 2);
    cr_assert_eq(signet_render_full(NULL, NULL, &writer), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_render_full(&d, NULL, NULL), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_render_json(NULL, &writer), SIGNET_E_INVALID_ARG);
    cr_assert_eq(signet_render_json(&d, NULL), SIGNET_E_INVALID_ARG);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

Test(render_json, every_member) {
    signet_diag d = seed();
    signet_location related[2] = {
        {.file = "m.pt2",
         .entry = "models/m.json",
         .has_byte = true,
         .byte = 0,
         .json_path = "$.a[0]",
         .graph = "forward/true_graph_0",
         .graph_id = {4},
         .node_id = {5},
         .user_file = "model.py",
         .user_line = 43,
         .user_function = "forward",
         .user_code = "self.k = \"x\""},
        {.label = "l"},
    };
    d.location.excerpt = "target";
    d.location.excerpt_length = 6;
    d.location.column = d.location.focus_column = 1;
    d.location.focus_length = 3;
    d.location.node = "n";
    d.related = related;
    d.related_count = 2;
    d.torch_check = "S-MBUF";
    check_json(
        &d,
        "{\"code\":\"mutation.target-missing\",\"severity\":\"error\","
        "\"message\":\"output 0 updates buffer 'state_1', but the program has no buffer\","
        "\"location\":{\"file\":\"broken.txt\",\"line\":13,\"column\":1,\"program\":\"forward\","
        "\"node\":\"n\",\"item\":\"output 0\",\"excerpt\":\"target\",\"excerpt_column\":1,"
        "\"focus_column\":1,\"focus_length\":3,\"label\":\"no such buffer\"},"
        "\"related\":[{\"file\":\"m.pt2\",\"entry\":\"models/m.json\",\"byte\":0,"
        "\"json_path\":\"$.a[0]\",\"graph\":\"forward/true_graph_0\",\"graph_id\":4,"
        "\"node_id\":5,\"user_file\":\"model.py\",\"user_line\":43,\"user_function\":\"forward\","
        "\"user_code\":\"self.k = \\\"x\\\"\"},{\"label\":\"l\"}],"
        "\"facts\":[\"new value: getitem, result 0 of executorch_call_delegate "
        "(lowered_module_0), line 9\"],"
        "\"notes\":[\"the call takes only 'x': the buffer went into lowered_module_0, its "
        "mutation stayed outside\"],"
        "\"help\":\"move the mutation into the delegate, or pass the buffer as an argument; "
        "--body lowered_module_0=FILE shows which\","
        "\"also_known_as\":\"SpecViolationError \\\"Buffer output getitem does not point to a "
        "buffer that exists\\\"\",\"torch_check\":\"S-MBUF\"}");
}

Test(render_json, is_always_valid) {
    signet_diag d = plain((signet_location){0});
    d.message = "a\\\"\n\t\r\x01\x7f caf\xc3\xa9 \xff\xed\xa0\x80 \xf0\x9f\x98\x80";
    static const char *const facts[] = {"", "b"};
    d.facts = facts;
    d.fact_count = 2;
    check_json(&d, "{\"code\":\"graph.dead-node\",\"severity\":\"note\","
                   "\"message\":\"a\\\\\\\"\\n\\t\\u000d\\u0001\\u007f caf\xc3\xa9 "
                   "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xf0\x9f\x98\x80\","
                   "\"location\":{},\"facts\":[\"\",\"b\"]}");
}

Test(render_json, keeps_only_the_part_of_a_line_around_the_focus) {
    static char line[100000];
    memset(line, 'a', sizeof(line));
    static const char focus[5] = {'f', 'o', 'c', 'u', 's'};
    memcpy(line + 50000, focus, sizeof(focus));
    signet_location l = {.excerpt = line,
                         .excerpt_length = sizeof(line),
                         .line = 1,
                         .column = 50001,
                         .focus_length = 5};
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    signet_writer writer = {take, &t};
    signet_diag d = plain(l);
    cr_assert_eq(signet_render_json(&d, &writer), SIGNET_OK);
    cr_assert_lt(t.length, 700);
    cr_assert_not_null(strstr(t.data, "afocusa"));
    cr_assert_not_null(strstr(t.data, "\"excerpt_column\":49801,"));
    sg_text_clear(&t);
    d.location.column = UINT32_MAX; /* beyond the line */
    d.location.focus_length = UINT32_MAX;
    cr_assert_eq(signet_render_json(&d, &writer), SIGNET_OK);
    sg_text_free(&t);
}
