/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/formats/printed_case.h"

static void note(void *user, const signet_diag *d) {
    struct printed_case *c = user;
    c->findings++;
    sg_text_printf(&c->said, "%u:%u %s %s\n", d->location.line, d->location.column, d->code_name,
                   d->message);
}

struct printed_case printed_case_read_piece(const char *text, size_t length,
                                            const signet_limits *limits) {
    struct printed_case c = {.status = SIGNET_OK};
    sg_text_init(&c.said, &sg_default_allocator);
    cr_assert_eq(signet_package_create(&c.p, NULL, limits), SIGNET_OK);
    char *block = sg_alloc(&c.p->allocator, length + 1);
    cr_assert_not_null(block);
    memcpy(block, text, length);
    cr_assert(sg_package_adopt(c.p, block, length + 1));
    uint32_t source = sg_source_add(c.p, SIGNET_CARRIER_PRINTED, signet_str("case.txt"),
                                    (signet_string){NULL, 0}, block, length);
    cr_assert_neq(source, 0);
    struct sg_log log;
    signet_sink sink = {note, &c};
    sg_log_init(&log, &sg_default_allocator, &sink, NULL, 1000);
    c.status = sg_printed_read(c.p, &log, source);
    cr_assert_eq(log.status, SIGNET_OK);
    sg_log_free(&log);
    return c;
}

struct printed_case printed_case_read(const char *text) {
    return printed_case_read_piece(text, strlen(text), NULL);
}

struct printed_case printed_case_graph(const char *params, const char *statements) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    sg_text_puts(&t, "class GraphModule(torch.nn.Module):\n    def forward(self");
    sg_text_puts(&t, params);
    sg_text_puts(&t, "):\n");
    sg_text_puts(&t, statements);
    struct printed_case c = printed_case_read(t.data);
    sg_text_free(&t);
    return c;
}

char *printed_case_load(const char *name, size_t *length) {
    char path[1024];
    const char *root = getenv("SIGNET_SOURCE_ROOT");
    snprintf(path, sizeof(path), name[0] == '/' ? "%s%s" : "%s/tests/data/%s",
             name[0] == '/' ? ""
             : root != NULL ? root
                            : ".",
             name);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return NULL;
    }
    cr_assert_eq(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    cr_assert_geq(size, 0);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    cr_assert_not_null(text);
    *length = fread(text, 1, (size_t)size, f);
    text[*length] = '\0';
    fclose(f);
    return text;
}

struct printed_case printed_case_read_file(const char *name) {
    size_t length = 0;
    char *text = printed_case_load(name, &length);
    cr_assert_not_null(text, "%s is not there", name);
    struct printed_case c = printed_case_read_piece(text, length, NULL);
    free(text);
    return c;
}

void printed_case_free(struct printed_case *c) {
    signet_package_destroy(c->p);
    sg_text_free(&c->said);
}

static bool take(void *user, const char *text, size_t length) {
    sg_text_put(user, text, length);
    return true;
}

struct sg_text printed_case_print(const signet_package *p) {
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    signet_writer writer = {take, &t};
    cr_assert_eq(signet_write_printed(p, signet_program_at(p, 0), &writer), SIGNET_OK);
    return t;
}

signet_graph printed_case_top(const struct printed_case *c) {
    return signet_program_graph(c->p, signet_program_at(c->p, 0));
}

signet_node printed_case_node(const struct printed_case *c, signet_graph graph, uint32_t i) {
    signet_node n = signet_graph_first(c->p, graph);
    while (i > 0 && n.id != 0) {
        n = signet_node_next(c->p, n);
        i--;
    }
    return n;
}
