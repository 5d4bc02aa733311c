/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/allocator.h"
#include "tests/unit/formats/printed_case.h"

/* ---- Faults of the text ---------------------------------------------------------------------- */

static void check_said(const char *params, const char *statements, const char *expected) {
    struct printed_case c = printed_case_graph(params, statements);
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_str_eq(c.said.data != NULL ? c.said.data : "", expected, "got:\n%s",
                     c.said.data != NULL ? c.said.data : "");
    printed_case_free(&c);
}

Test(printed_robust, faults_have_a_place_and_the_rest_is_read) {
    check_said(", x",
               "        a = torch.ops.aten.neg.default(x\n"
               "        b = torch.ops.aten.neg.default('x)\n"
               "        ? = 3\n"
               "        c = 3\n"
               "        d: \"f32[2\" = torch.ops.aten.neg.default(x)\n"
               "        e: \"f99[2]\" = torch.ops.aten.neg.default(x)\n"
               "        f = torch.ops.aten.neg.default(x);  x = y\n"
               "        g = torch.ops.aten.neg.default(x) x = None\n"
               "        h: \"f32[s0 +]\" = torch.ops.aten.neg.default(x)\n"
               "        i + 1\n"
               "        j = torch.ops.aten.neg.default(x);  3 = None\n"
               "        return (x,)\n",
               "3:41 carrier.text-syntax expected ',' or ')', found the end of the line\n"
               "4:40 carrier.text-syntax expected the closing quote of a string, found \"'x)\"\n"
               "5:9 carrier.text-syntax expected a statement such as 'x = "
               "torch.ops.aten.add.Tensor(a, b)', a class or 'Graph signature:', found '? = 3'\n"
               "6:13 carrier.text-syntax expected a call of an operator, found '3'\n"
               "7:18 carrier.text-syntax expected ']', found '\"'\n"
               "8:13 carrier.text-syntax expected a type such as 'f32[2, 3]' or 'Sym(s0 + 1)', "
               "found 'f99[2]'\n"
               "9:50 carrier.text-syntax expected names to release, such as 'a = b = None', found "
               "the end of the line\n"
               "10:43 carrier.text-syntax expected the end of the expression, found 'x'\n"
               "11:21 carrier.expression expected a number, a symbol, a function or '(' in the "
               "expression 's0 +'\n"
               "12:9 carrier.text-syntax expected a statement such as 'x = "
               "torch.ops.aten.add.Tensor(a, b)', a class or 'Graph signature:', found 'i + 1'\n"
               "13:45 carrier.text-syntax expected names to release, such as 'a = b = None', found "
               "'3 = None'\n");
}

Test(printed_robust, faults_of_a_class) {
    check_said(", x", "        a = f(x)\n",
               "1:1 carrier.text-syntax class 'GraphModule' does not end with a return\n");
    check_said(", x", "        return (x,)\n        a = f(x)\n",
               "4:9 carrier.text-syntax a statement stands behind the return\n");
    check_said(", x, 3", "        return (x,)\n",
               "2:26 carrier.text-syntax expected a parameter or ')', found '3):'\n");
    check_said(", x", "        def forward(self, y):\n        return (x,)\n",
               "3:9 carrier.text-syntax expected a statement, found 'def forward(self, y):'\n");
    check_said(", x", "        \"\"\"\n        \"\"\"x\n        return (x,)\n",
               "3:9 carrier.text-syntax a block in triple quotes starts here and does not end\n");
}

Test(printed_robust, a_faulty_graph_is_marked) {
    struct printed_case c = printed_case_graph(", x", "        a = f(x\n        return (a,)\n");
    cr_assert_eq(c.findings, 1);
    cr_assert(c.p->graphs.data[printed_case_top(&c).id].faulty, "'a' is undefined by the fault");
    printed_case_free(&c);
}

Test(printed_robust, bytes_that_are_no_text) {
    static const char text[] = "class GraphModule(torch.nn.Module):\n"
                               "    def forward(self, x):\n"
                               "        a = f(x, '\xff')\n"
                               "        b = f(x, \0)\n"
                               "        return (a,)\n";
    struct printed_case c = printed_case_read_piece(text, sizeof(text) - 1, NULL);
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_str_eq(c.said.data, "3:19 carrier.not-utf8 byte 0xff is no UTF-8\n"
                                  "4:18 carrier.text-syntax expected a value, found '\\x00'\n");
    printed_case_free(&c);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

Test(printed_robust, brackets_nest_to_a_limit) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, "        a = f(");
    for (int i = 0; i < 100000; i++) {
        sg_text_putc(&t, '(');
    }
    sg_text_puts(&t, "x\n        return (x,)\n");
    struct printed_case c = printed_case_graph(", x", t.data);
    cr_assert_eq(c.findings, 1);
    cr_assert_not_null(
        strstr(c.said.data, "carrier.limit brackets are nested too deep, the limit is 256"));
    printed_case_free(&c);
    sg_text_free(&t);
}

Test(printed_robust, classes_nest_to_a_limit) {
    enum { DEPTH = 200 };
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    for (int i = 0; i < DEPTH; i++) {
        sg_text_printf(&t, "%*sclass %s(torch.nn.Module):\n", i, "", i == 0 ? "Graph" : "g");
        sg_text_printf(&t, "%*sdef forward(self, x):\n", i + 1, "");
        sg_text_printf(&t, "%*sg = self.g\n", i + 2, "");
        sg_text_printf(&t, "%*sn = torch.ops.higher_order.invoke_subgraph(g, x)\n", i + 2, "");
        sg_text_printf(&t, "%*sreturn (x,)\n", i + 2, "");
    }
    struct printed_case c = printed_case_read(t.data);
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_eq(c.findings, 1, "%s", c.said.data);
    cr_assert_not_null(
        strstr(c.said.data, "carrier.limit subgraphs are nested too deep, the limit is 64"));
    printed_case_free(&c);
    sg_text_free(&t);
}

Test(printed_robust, many_classes) {
    enum { MANY = 100000 };
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, "class Graph(torch.nn.Module):\n    def forward(self, x):\n");
    for (int i = 0; i < MANY; i++) {
        sg_text_printf(&t, "        g%d = self.g%d\n", i, i);
    }
    sg_text_puts(&t, "        n = torch.ops.higher_order.invoke_subgraph(g7, x)\n"
                     "        return (x,)\n");
    for (int i = 0; i < MANY; i++) {
        sg_text_printf(&t,
                       "    class g%d(torch.nn.Module):\n"
                       "        def forward(self, x):\n"
                       "            return (x,)\n",
                       i);
    }
    struct printed_case c = printed_case_read(t.data);
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_eq(c.findings, 0, "%s", c.said.data);
    signet_node n = printed_case_node(&c, printed_case_top(&c), 0);
    cr_assert_neq(signet_arg_graph(c.p, signet_node_input(c.p, n, 0)).id, 0);
    printed_case_free(&c);
    sg_text_free(&t);
}

/* Each class uses the next twice: read without a bound, the last would be read 2^40 times. */
Test(printed_robust, classes_that_double) {
    enum { DEPTH = 40 };
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    for (int i = 0; i < DEPTH; i++) {
        sg_text_printf(&t, "%*sclass %s(torch.nn.Module):\n", i, "", i == 0 ? "Graph" : "g");
        sg_text_printf(&t, "%*sdef forward(self, x):\n", i + 1, "");
        if (i + 1 < DEPTH) {
            sg_text_printf(&t, "%*sg = self.g\n%*sn = f(g, x)\n%*sm = f(g, x)\n", i + 2, "", i + 2,
                           "", i + 2, "");
        }
        sg_text_printf(&t, "%*sreturn (x,)\n", i + 2, "");
    }
    struct printed_case c = printed_case_read(t.data);
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_gt(c.findings, 0);
    cr_assert_not_null(strstr(c.said.data, "class 'g' is used too often"));
    cr_assert_lt(c.p->graphs.count, 20000);
    printed_case_free(&c);
    sg_text_free(&t);
}

Test(printed_robust, absurd_numbers) {
    struct printed_case c = printed_case_graph(", x: \"f32[99999999999999999999, 2]\"",
                                               "        n = f(x)\n"
                                               "        a = n[4294967295]\n"
                                               "        b = n[99999999999999999999]\n"
                                               "        c = n[-1]\n"
                                               "        return (a, b, c)\n");
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_eq(signet_graph_node_count(c.p, printed_case_top(&c)), 4);
    cr_assert_lt(c.p->args.count, 100);
    printed_case_free(&c);
}

Test(printed_robust, rank_has_a_limit) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, ", x: \"f32[1");
    for (int i = 0; i < 100000; i++) {
        sg_text_puts(&t, ", 1");
    }
    sg_text_puts(&t, "]\"");
    struct printed_case c = printed_case_graph(t.data, "        return (x,)\n");
    cr_assert_eq(c.findings, 1);
    cr_assert_not_null(
        strstr(c.said.data, "carrier.limit a tensor has too many sizes, the limit is 1024"));
    printed_case_free(&c);
    sg_text_free(&t);
}

Test(printed_robust, nodes_have_a_limit) {
    signet_limits limits = signet_limits_default();
    cr_assert(signet_limits_set(&limits, "nodes", 4));
    size_t length = 0;
    char *text = printed_case_load("printed/2.1-counter.txt", &length);
    struct printed_case c = printed_case_read_piece(text, length, &limits);
    cr_assert_eq(c.status, SIGNET_E_LIMIT); /* told by who reads the file */
    printed_case_free(&c);
    free(text);
}

/* Lines that never close their bracket, each deeper than the one before: looking for the end of
 * every one of them in all that follow would cost their square. */
Test(printed_robust, statements_that_never_end) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    for (int i = 0; i < 3000; i++) {
        sg_text_printf(&t, "%*sn = f(x,\n", 8 + i, "");
    }
    sg_text_puts(&t, "        return (x,)\n");
    struct printed_case c = printed_case_graph(", x", t.data);
    cr_assert_eq(c.status, SIGNET_OK);
    cr_assert_eq(c.findings, 1000, "as many as the log lets through");
    printed_case_free(&c);
    sg_text_free(&t);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

/* Whatever happens to a text, it is read or refused, and printing what was read works. */
static void read_any(const char *text, size_t length) {
    struct printed_case c = printed_case_read_piece(text, length, NULL);
    cr_assert(c.status == SIGNET_OK || c.status == SIGNET_E_SYNTAX);
    cr_assert(c.status == SIGNET_OK || c.findings > 0);
    cr_assert_eq(signet_program_count(c.p), c.status == SIGNET_OK);
    if (c.status == SIGNET_OK) {
        struct sg_text printed = printed_case_print(c.p);
        cr_assert_gt(printed.length, 0);
        sg_text_free(&printed);
    }
    printed_case_free(&c);
}

static const char *const damaged[] = {"printed/2.1-dyn_shape.txt", "printed/2.2-cond.txt",
                                      "printed/2.14-cond.txt"};

Test(printed_robust, every_truncation) {
    for (size_t f = 0; f < sizeof(damaged) / sizeof(damaged[0]); f++) {
        size_t length = 0;
        char *text = printed_case_load(damaged[f], &length);
        for (size_t end = 0; end < length; end++) {
            char *piece = malloc(end + 1); /* so that one byte too far is noticed */
            memcpy(piece, text, end);
            read_any(piece, end);
            free(piece);
        }
        free(text);
    }
}

Test(printed_robust, changed_bytes) {
    static const char bytes[] = {'\0', '\n', '(', ')', '[', ']', '\'', '"',   ' ',
                                 ',',  '=',  ':', '9', 'x', '#', ';',  '\xff'};
    for (size_t f = 0; f < sizeof(damaged) / sizeof(damaged[0]); f++) {
        size_t length = 0;
        char *text = printed_case_load(damaged[f], &length);
        for (size_t at = 0; at < length; at++) {
            char before = text[at];
            text[at] = bytes[(at + f) % sizeof(bytes)];
            read_any(text, length);
            text[at] = before;
        }
        free(text);
    }
}

Test(printed_robust, lost_lines) {
    for (size_t f = 0; f < sizeof(damaged) / sizeof(damaged[0]); f++) {
        size_t length = 0;
        char *text = printed_case_load(damaged[f], &length);
        char *piece = malloc(length);
        for (size_t at = 0; at < length;) {
            const char *newline = memchr(text + at, '\n', length - at);
            size_t next = newline != NULL ? (size_t)(newline - text) + 1 : length;
            memcpy(piece, text, at);
            memcpy(piece + at, text + next, length - next);
            read_any(piece, length - (next - at));
            at = next;
        }
        free(piece);
        free(text);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool count_bytes(void *user, const char *text, size_t length) {
    (void)text;
    *(size_t *)user += length;
    return true;
}

static signet_status read_and_print(const signet_allocator *a, void *user) {
    const char *text = user;
    size_t length = strlen(text);
    signet_package *p = NULL;
    signet_status status = signet_package_create(&p, a, NULL);
    if (status != SIGNET_OK) {
        return status;
    }
    struct sg_log log;
    sg_log_init(&log, a, NULL, NULL, 10);
    uint32_t source = sg_source_add(p, SIGNET_CARRIER_PRINTED, signet_str("x"),
                                    (signet_string){NULL, 0}, text, length);
    status = source != 0 ? sg_printed_read(p, &log, source) : signet_package_status(p);
    if (status == SIGNET_OK) {
        size_t bytes = 0;
        signet_writer writer = {count_bytes, &bytes};
        status = signet_write_printed(p, signet_program_at(p, 0), &writer);
    }
    sg_log_free(&log);
    signet_package_destroy(p);
    return status;
}

Test(printed_robust, survives_every_failure) {
    for (size_t f = 0; f < sizeof(damaged) / sizeof(damaged[0]); f++) {
        size_t length = 0;
        char *text = printed_case_load(damaged[f], &length);
        cr_assert_gt(test_each_failure(read_and_print, text), 20);
        free(text);
    }
}
