/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "base/text.h"
#include "formats/pickle.h"

#define BYTES(text) (text), sizeof(text) - 1

/* The imports of a pickle: "module.name" each, with '!' in front of those that nobody trusts. */
static void check_imports(const char *data, size_t size, const char *expected) {
    struct sg_pickle p;
    struct sg_text t;
    sg_text_init(&t, &sg_default_allocator);
    cr_assert(sg_pickle_scan(&p, &sg_default_allocator, data, size));
    for (uint32_t i = 0; i < p.imports.count; i++) {
        const struct sg_pickle_import *import = &p.imports.data[i];
        sg_text_printf(&t, "%s%s", i > 0 ? " " : "", import->trusted ? "" : "!");
        if (import->name.data == NULL) {
            sg_text_puts(&t, "?");
        } else {
            sg_text_string(&t, import->module);
            sg_text_putc(&t, '.');
            sg_text_string(&t, import->name);
        }
    }
    if (p.problem != NULL) {
        sg_text_printf(&t, "%s(%s)", t.length > 0 ? " " : "", p.problem);
    }
    cr_expect_str_eq(t.data != NULL ? t.data : "", expected, "got: %s\nexpected: %s",
                     t.data != NULL ? t.data : "", expected);
    sg_text_free(&t);
    sg_pickle_free(&p);
}

Test(pickle, names_that_stand_there) {
    check_imports(BYTES("cos\nsystem\n(S'true'\ntR."), "!os.system");
    check_imports(BYTES("\x80\x02"
                        "cposix\nsystem\nq\x00X\x04\x00\x00\x00trueq\x01\x85q\x02Rq\x03."),
                  "!posix.system");
    check_imports(BYTES("(S'true'\nios\nsystem\n."), "!os.system");
    check_imports(BYTES("ccollections\nOrderedDict\n)R."), "collections.OrderedDict");
    check_imports(BYTES("}."), "");
}

Test(pickle, names_from_the_stack) {
    check_imports(BYTES("\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R."), "!os.system");
    /* over the memo, in both forms */
    check_imports(BYTES("\x80\x04\x8c\x02os\x94\x8c\x06system\x94"
                        "00h\x00h\x01\x93."),
                  "!os.system");
    check_imports(BYTES("S'os'\np7\nS'system'\np8\n00g7\ng8\n\x93."), "!os.system");
    /* doubled, and popped away again */
    check_imports(BYTES("\x8c\x02os2"
                        "0\x8c\x06system\x93."),
                  "!os.system");
    /* a name that is computed */
    check_imports(BYTES("\x8c\x02os]\x93."), "!?");
    /* a name of the extension registry */
    check_imports(BYTES("\x82\x05."), "!?");
}

Test(pickle, what_is_trusted) {
    check_imports(BYTES("ctorch._utils\n_rebuild_tensor_v2\n."), "torch._utils._rebuild_tensor_v2");
    check_imports(BYTES("ctorch\nFloatStorage\n."), "torch.FloatStorage");
    check_imports(BYTES("ctorch\nbfloat16\n."), "torch.bfloat16");
    check_imports(BYTES("c__builtin__\nset\n."), "__builtin__.set");
    check_imports(BYTES("c__torch__.torch.classes.a\n_Foo\n."), "__torch__.torch.classes.a._Foo");
    /* near misses */
    check_imports(BYTES("ctorch\nload\n."), "!torch.load");
    check_imports(BYTES("ctorch\nos.system.Storage\n."), "!torch.os.system.Storage");
    check_imports(BYTES("ctorch.os\nFloatStorage\n."), "!torch.os.FloatStorage");
    check_imports(BYTES("c__builtin__\neval\n."), "!__builtin__.eval");
    check_imports(BYTES("ctorch._utils\n_rebuild_tensor_v9\n."),
                  "!torch._utils._rebuild_tensor_v9");
    check_imports(BYTES("ctorch.jit._pickle\nsys.modules\n."), "!torch.jit._pickle.sys.modules");
    check_imports(BYTES("ccollections\nOrderedDictX\n."), "!collections.OrderedDictX");
}

Test(pickle, several_pickles_in_a_row) {
    check_imports(BYTES("\x80\x02K\x01.\x80\x02"
                        "cos\nsystem\n."),
                  "!os.system");
}

Test(pickle, what_cannot_be_followed) {
    check_imports(BYTES(""), "(it ends without its last instruction)");
    check_imports(BYTES("cos\nsys"), "(it ends inside an instruction)");
    check_imports(BYTES("X\xff\xff\xff\xff"), "(it ends inside an instruction)");
    check_imports(BYTES("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"), "(it ends inside an instruction)");
    check_imports(BYTES("R."), "(an instruction takes more values than there are)");
    check_imports(BYTES("t."), "(an instruction wants a mark, and there is none)");
    check_imports(BYTES("(K\x01R."), "(an instruction takes more values than there are)");
    check_imports(BYTES("0."), "(it takes a value off an empty stack)");
    check_imports(BYTES("h\x05."), "(it recalls a value that was never remembered)");
    check_imports(BYTES("q\x05."), "(it remembers a value that is not there)");
    check_imports(BYTES("2."), "(it doubles a value of an empty stack)");
    check_imports(BYTES("u."), "(an instruction wants a mark, and there is none)");
    check_imports(BYTES("(u."), "(items are set on nothing)");
    check_imports(BYTES("\xff."), "(no instruction of pickle)");
    check_imports(BYTES("cos\nsystem\n\xff"), "!os.system (no instruction of pickle)");
}

/* Any bytes at all: never a crash, always an end. */
Test(pickle, any_bytes) {
    uint32_t state = 1;
    unsigned char bytes[256];
    uint32_t followed = 0;
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < sizeof(bytes); i++) {
            state = state * 1664525U + 1013904223U;
            bytes[i] = (unsigned char)(state >> 24);
        }
        struct sg_pickle p;
        cr_assert(sg_pickle_scan(&p, &sg_default_allocator, bytes, 1 + state % 255));
        followed += p.problem == NULL;
        cr_assert_leq(p.at, sizeof(bytes));
        sg_pickle_free(&p);
    }
    cr_assert_gt(followed, 0);
    cr_assert_lt(followed, 20000);
}

/* ---- In archives ----------------------------------------------------------------------------- */

Test(pickle, sample_inputs_of_an_attacker) {
    struct archive a;
    struct reading r;
    archive_init(&a);
    const char evil[] = "\x80\x02"
                        "cos\nsystem\nX\x04\x00\x00\x00true\x85R.";
    a.inputs->local.crc = a.inputs->central.crc = zip_maker_crc(BYTES(evil));
    a.inputs->local.size = a.inputs->local.packed = sizeof(evil) - 1;
    a.inputs->central.size = a.inputs->central.packed = sizeof(evil) - 1;
    a.inputs->data = evil;
    a.inputs->data_length = sizeof(evil) - 1;
    archive_read(&a, &r, false);
    cr_assert_eq(r.status, SIGNET_OK);
    cr_assert_eq(r.errors, 0, "%s", reading_text(&r));
    cr_assert_eq(r.warnings, 1, "%s", reading_text(&r));
    const struct seen *note = reading_find(&r, SIGNET_CODE_CARRIER_CONTAINS_PICKLE);
    const struct seen *warning = reading_find(&r, SIGNET_CODE_CARRIER_PICKLE_IMPORTS);
    cr_assert(note != NULL && warning != NULL);
    cr_assert_str_eq(note->fact, "imports: os.system");
    cr_assert_str_eq(warning->message,
                     "loading record 'r/data/sample_inputs/model.pt' imports os.system, which is "
                     "not among the names that PyTorch trusts");
    cr_assert_str_eq(warning->entry, "r/data/sample_inputs/model.pt");
    cr_assert_eq(warning->byte, 2);
    reading_end(&r);
}

/* Pickles that PyTorch itself writes: a note, no warning. */
Test(pickle, pickles_of_torch) {
    struct reading r;
    read_data(&r, "custom_object_token.pt2");
    cr_assert_eq(r.errors + r.warnings, 0, "%s", reading_text(&r));
    cr_assert_eq(reading_count(&r, SIGNET_CODE_CARRIER_CONTAINS_PICKLE), 2);
    reading_end(&r);
}
