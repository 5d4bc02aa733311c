/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of programs that PyTorch wrote, each with a recorded verdict of PyTorch: the tree's own
 * copy (tests/data/corpus), and all of them where the shared fixtures are at hand.
 *
 * 1. An edit that breaks a program is refused with the code of its kind (kinds.txt), once.
 * 2. An edit that leaves a well-formed program gets no error.
 * 3. Under PyTorch's profile the verdict is PyTorch's (but see torch.txt).
 */

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edits.h"
#include "judge.h"

struct figures {
    struct table kinds, torch;
    /* the three figures, and how many edits each is about */
    uint32_t refused, broken, silent, sound, agreed, all, operators, outside;
};

static void count_broken(struct figures *c, const struct edit *e, const struct judgement *j) {
    char codes[256];
    char code[280];
    cr_assert(table_find(&c->kinds, e->kind, codes, sizeof(codes)), "kinds.txt lacks %s", e->kind);
    if (strcmp(codes, "operator") == 0) {
        c->operators++;
        return;
    }
    c->broken++;
    bool found = false;
    for (char *next = codes; next != NULL && !found;) {
        char *word = next;
        next = strchr(word, '|');
        if (next != NULL) {
            *next++ = '\0';
        }
        snprintf(code, sizeof(code), " %s ", word);
        found = strstr(j->codes, code) != NULL;
    }
    cr_expect(found, "%s: expected %s, found%s\n%s", e->name, codes, j->codes, j->text);
    cr_expect_eq(j->errors, 1, "%s: one fault, but\n%s", e->name, j->text);
    c->refused += found && j->errors == 1;
}

static void count_sound(struct figures *c, const struct edit *e, const struct judgement *j) {
    c->sound++;
    c->silent += j->errors == 0;
    cr_expect_eq(j->errors, 0, "%s is %s, but\n%s", e->name, e->opinion, j->text);
}

static void count_torch(struct figures *c, const struct edit *e, const struct judgement *j) {
    char unused[8];
    bool listed = table_find(&c->torch, e->kind, unused, sizeof(unused));
    bool agrees = j->torch_refuses == e->torch_refuses;
    c->all++;
    c->agreed += agrees;
    c->outside += listed;
    cr_expect(agrees != listed, "%s: PyTorch %s it, Signet's profile %s it%s\n%s", e->name,
              e->torch_refuses ? "refuses" : "accepts", j->torch_refuses ? "refuses" : "accepts",
              listed ? ", and torch.txt lists it" : "", j->text);
}

static void judge_edit(const struct edit *e, void *user) {
    struct figures *c = user;
    struct judgement j;
    judge_memory(e->text, e->size, e->name, e->from, &j);
    if (strcmp(e->opinion, "broken") == 0) {
        count_broken(c, e, &j);
    } else if (strcmp(e->opinion, "suspicious") != 0) {
        count_sound(c, e, &j);
    }
    count_torch(c, e, &j);
}

static void print_figures(const struct figures *c) {
    printf("%u of %u broken edits refused by the code of their kind, once (%u more need the "
           "operator table)\n",
           c->refused, c->broken, c->operators);
    printf("%u of %u well-formed edits without an error\n", c->silent, c->sound);
    printf("%u of %u edits with PyTorch's verdict (%u listed)\n", c->agreed, c->all, c->outside);
    fflush(stdout);
}

static void run_corpus(bool shared) {
    struct figures c = {.kinds = table_read("tests/data/corpus/kinds.txt"),
                        .torch = table_read("tests/data/corpus/torch.txt")};
    bool there = edits_each(shared, judge_edit, &c);
    free(c.kinds.text);
    free(c.torch.text);
    if (!there && shared) {
        cr_skip_test("no shared fixtures");
    }
    print_figures(&c);
    cr_expect_gt(c.broken, 100);
    cr_expect_gt(c.sound, 20);
}

Test(corpus, own_edits) {
    run_corpus(false);
}

Test(corpus, all_edits) {
    run_corpus(true);
}
