/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs with very many of one thing, once with n and once with 4 n: what is linear takes four
 * times as long. Prints the nanoseconds per thing, and fails where one of them grew more than
 * threefold. SIGNET_SLOW=1 in the environment: fifty times as many.
 */

#include "signet/signet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Lines of the exact text; "*" begins those that are repeated, with $ for the number from 1, < for
 * the one before and > for the one behind (round about, from 1). */
enum { LINES = 8 };
struct bomb {
    const char *name;
    const char *lines[LINES];
};

#define PROGRAM "package\nprogram @f {\n  input %y0 : f32[3] = user\n"

static const struct bomb bombs[] = {
    {"nodes", {PROGRAM, "*%y$ : f32[3] = call @aten.neg.default(self: %y<)\n", "}\n"}},
    {"diamonds", {PROGRAM, "*%y$ : f32[3] = call @aten.add.Tensor(%y<, %y<)\n", "}\n"}},
    {"values of one name", {PROGRAM, "*%y : f32[3] = call @aten.neg.default(%y0)\n", "}\n"}},
    {"uses in one list", {PROGRAM, "call @a.b.c([%y0", "*, %y0", "])\n}\n"}},
    {"uses by nodes", {PROGRAM, "*%z$ : f32[3] = call @aten.neg.default(%y0)\n", "}\n"}},
    {"uses before", {PROGRAM, "*%z$ : f32[3] = call @aten.neg.default(%z>)\n", "}\n"}},
    {"undefined", {PROGRAM, "*%z$ : f32[3] = call @aten.neg.default(%nope$)\n", "}\n"}},
    {"undefined, one", {PROGRAM, "*%z$ : f32[3] = call @aten.neg.default(%nope)\n", "}\n"}},
    {"results", {PROGRAM, "%r0 : f32[3]", "*, %r$ : f32[3]", " = call @a.b.c(%y0)\n}\n"}},
    {"views", {PROGRAM, "*%y$ : f32[3] = call @aten.view.default(%y<, [3])\n", "}\n"}},
    {"writes in place", {PROGRAM, "*%y$ : f32[3] = call @aten.add_.Tensor(%y<, %y0)\n", "}\n"}},
    {"reads and writes",
     {PROGRAM,
      "*%v$ : f32[3] = call @aten.view.default(%y0, [3])\n"
      "%w$ : f32[3] = call @aten.add_.Tensor(%v$, 1)\n",
      "}\n"}},
    {"random numbers", {PROGRAM, "*%y$ : f32[3] = call @aten.rand_like.default(%y<)\n", "}\n"}},
    {"unknown operators", {PROGRAM, "*%y$ : f32[3] = call @higher_order.odd(%y<)\n", "}\n"}},
    {"malformed operators", {PROGRAM, "*%y$ : f32[3] = call @bad(%y<)\n", "}\n"}},
    {"subgraphs",
     {PROGRAM,
      "*%y$ : f32[3] = call @higher_order.invoke_subgraph(graph @g$, \"g$\", [%y<])\n"
      "graph @g$ {\ninput %x : f32[3]\noutput %x\n}\n",
      "}\n"}},
    {"metadata",
     {PROGRAM, "%z : f32[3] = call @aten.neg.default(%y0)\n", "*meta k$ \"v\"\n", "}\n"}},
    {"outputs of one value", {PROGRAM, "*output %y0 = user\n", "}\n"}},
    {"outputs misnamed", {PROGRAM, "*output %y0 named \"z$\" = user\n", "}\n"}},
    {"losses", {PROGRAM, "*output %y0 = loss\n", "}\n"}},
    {"mutations of one buffer",
     {PROGRAM, "input %k : f32[3] = buffer \"k\" persistent\n",
      "*output %y0 = buffer_mutation \"k\"\n", "}\n"}},
    {"mutations of no buffer",
     {PROGRAM, "*input %b$ : f32[3] = buffer \"layer.$.state\" persistent\n",
      "*output %y0 = buffer_mutation \"layer.$.stat\"\n", "}\n"}},
    {"a delay line",
     {PROGRAM, "*input %b$ : f32[3] = buffer \"z.$\" persistent\n",
      "*output %b> = buffer_mutation \"z.$\"\n", "}\n"}},
    {"names exchanged",
     {PROGRAM, "*%z$ : f32[3] = call @aten.neg.default(%y0)\n", "*output %z$ named \"z>\" = user\n",
      "}\n"}},
    {"inputs of one target", {PROGRAM, "*input %b$ : f32[3] = buffer \"k\" persistent\n", "}\n"}},
    {"inputs renamed", {PROGRAM, "*input %b$ : f32[3] named \"b>\" = user\n", "}\n"}},
    {"states",
     {PROGRAM, "*input %b$ : f32[3] = buffer \"z.$\" persistent\n", "*state \"z.$\" : f32[3]\n",
      "}\n"}},
    {"states missing",
     {PROGRAM, "*input %b$ : f32[3] = buffer \"z.$\" persistent\n", "*state \"a.$\" : f32[3]\n",
      "}\n"}},
    {"states of one name", {PROGRAM, "*state \"a\" : f32[3]\n", "}\n"}},
    {"tokens",
     {"package\nprogram @f {\n", "*input token %t$ = token\n", "*output token %t$ = token\n",
      "}\n"}},
    {"symbols",
     {"package\nprogram @f {\n", "*range s$ : 2..64\n", "*input %x$ : f32[s$ + s>] = user\n",
      "}\n"}},
    {"symbols without range", {"package\nprogram @f {\n", "*input %x$ : f32[s$] = user\n", "}\n"}},
    {"sizes of one rank", {"package\nprogram @f {\n", "*input %x$ : f32[$, 3] = user\n", "}\n"}},
    {"delegates",
     {"package\n", "*delegate @d$ backend \"x\"\n", "program @f {\n  input %y0 : f32[3] = user\n",
      "*%y$ : f32[3] = call @higher_order.executorch_call_delegate(delegate @d$, %y<)\n", "}\n"}},
    {"calls of one delegate",
     {"package\ndelegate @d backend \"x\"\n", "program @f {\n  input %y0 : f32[3] = user\n",
      "*%y$ : f32[3] = call @higher_order.executorch_call_delegate(delegate @d, %y<)\n", "}\n"}},
    {"programs",
     {"package\n", "*program @f$ {\n  input %x : f32[3] = user\n"
                   "  output %x = user\n}\n"}},
    {"programs of one name",
     {"package\n", "*program @f {\n  input %x : f32[3] = user\n"
                   "  output %x = user\n}\n"}},
    {"entries", {PROGRAM, "*entry \"m.$\"\n", "}\n"}},
    {"arguments of an entry",
     {PROGRAM, "entry \"\" {\nin_spec \"[1, {}]\"\ninputs %y0", "*, %z$", "\n}\n}\n"}},
    {"dialects", {PROGRAM, "*dialect D$\n", "}\n"}},
};

enum stage { READ, VERIFY, HASH, EQUAL, WRITE, STAGES };
static const char *const stage_names[STAGES] = {"read", "verify", "hash", "equal", "write"};

/* ---- Texts ----------------------------------------------------------------------------------- */

struct text {
    char *data;
    size_t length, capacity;
};

static bool put(void *user, const char *data, size_t length) {
    struct text *t = user;
    if (t->length + length > t->capacity) {
        size_t capacity = 2 * (t->length + length);
        char *grown = realloc(t->data, capacity);
        if (grown == NULL) {
            return false;
        }
        t->data = grown;
        t->capacity = capacity;
    }
    memcpy(t->data + t->length, data, length);
    t->length += length;
    return true;
}

static bool put_line(struct text *t, const char *line, uint32_t i, uint32_t n) {
    bool ok = true;
    for (const char *c = line; ok && *c != '\0'; c++) {
        char digits[16];
        uint32_t number = *c == '$' ? i : *c == '<' ? i - 1 : i % n + 1;
        bool is_number = *c == '$' || *c == '<' || *c == '>';
        int length = is_number ? snprintf(digits, sizeof(digits), "%u", number) : 1;
        ok = put(t, is_number ? digits : c, (size_t)length);
    }
    return ok;
}

static bool make(struct text *t, const struct bomb *b, uint32_t n) {
    bool ok = true;
    for (size_t k = 0; k < LINES && b->lines[k] != NULL; k++) {
        bool each = b->lines[k][0] == '*';
        for (uint32_t i = 1; ok && i <= (each ? n : 1); i++) {
            ok = put_line(t, b->lines[k] + each, i, n);
        }
    }
    return ok;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static bool discard(void *user, const char *text, size_t length) {
    (void)user;
    (void)text;
    (void)length;
    return true;
}

static void ignore(void *user, const signet_diag *d) {
    (void)user;
    (void)d;
}

static double seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool write_all(const signet_package *p) {
    signet_writer nowhere = {discard, NULL};
    signet_program first = signet_program_at(p, 0);
    signet_status json = signet_write_json(p, first, &nowhere);
    signet_status printed = signet_write_printed(p, first, &nowhere);
    return signet_write_sgt(p, &nowhere) == SIGNET_OK &&
           (json == SIGNET_OK || json == SIGNET_E_UNSUPPORTED) &&
           (printed == SIGNET_OK || printed == SIGNET_E_UNSUPPORTED);
}

/* The first finding. */
static void say(void *user, const signet_diag *d) {
    bool *said = user;
    if (!*said) {
        fprintf(stderr, "  %u:%u %s\n", d->location.line, d->location.column, d->message);
    }
    *said = true;
}

static bool stage(enum stage s, const struct text *t, signet_package **p) {
    signet_verify_options options = SIGNET_VERIFY_OPTIONS_INIT;
    signet_sink sink = {ignore, NULL};
    bool said = false;
    signet_sink loud = {say, &said};
    signet_hash hash;
    bool equal = false;
    options.show_notes = true;
    switch (s) {
    case READ:
        return signet_read_memory(p, t->data, t->length, "text", NULL, &loud) == SIGNET_OK;
    case VERIFY:
        return signet_verify(*p, &options, &sink, NULL) == SIGNET_OK;
    case HASH:
        return signet_package_hash(*p, SIGNET_HASH_EXACT, &hash) == SIGNET_OK &&
               signet_package_hash(*p, SIGNET_HASH_STRUCTURAL, &hash) == SIGNET_OK;
    case EQUAL:
        return signet_package_equal(*p, *p, SIGNET_EQUAL_EXACT, &equal, NULL) == SIGNET_OK &&
               equal &&
               signet_package_equal(*p, *p, SIGNET_EQUAL_STRUCTURAL, &equal, NULL) == SIGNET_OK &&
               equal;
    case WRITE:
        return write_all(*p);
    case STAGES:
        break;
    }
    return false;
}

/* Seconds of each stage; false: something failed. */
static bool measure(const struct bomb *b, uint32_t n, double took[STAGES]) {
    struct text t = {NULL, 0, 0};
    signet_package *p = NULL;
    bool ok = make(&t, b, n);
    for (int s = READ; ok && s < STAGES; s++) {
        double start = seconds();
        ok = stage((enum stage)s, &t, &p);
        took[s] = seconds() - start;
        if (!ok) {
            printf("%s: %s fails\n", b->name, stage_names[s]);
        }
    }
    signet_package_destroy(p);
    free(t.data);
    return ok;
}

static bool compare(const struct bomb *b, uint32_t n) {
    static const double most = 3.0;   /* times as long for each */
    static const double least = 0.05; /* seconds that are worth a look */
    double few[STAGES], many[STAGES];
    if (!measure(b, n, few) || !measure(b, 4 * n, many)) {
        return false;
    }
    bool ok = true;
    printf("%-24s", b->name);
    for (int s = READ; s < STAGES; s++) {
        bool grows = many[s] > least && many[s] > 4.0 * most * few[s];
        printf(" %6.0f %6.0f%s", few[s] * 1e9 / n, many[s] * 1e9 / (4.0 * n), grows ? "!" : " ");
        ok = ok && !grows;
    }
    printf("\n");
    fflush(stdout);
    return ok;
}

int main(int argc, char **argv) {
    uint32_t n = getenv("SIGNET_SLOW") != NULL ? 50000 : 1000;
    bool ok = true;
    printf("nanoseconds for each of %u and of %u\n%-24s", n, 4 * n, "");
    for (int s = READ; s < STAGES; s++) {
        printf(" %14s", stage_names[s]);
    }
    printf("\n");
    for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
        if (argc < 2 || strcmp(argv[1], bombs[i].name) == 0) {
            ok = compare(&bombs[i], n) && ok;
        }
    }
    return ok ? 0 : 1;
}
