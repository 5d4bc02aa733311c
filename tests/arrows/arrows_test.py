#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests arrows.py on small trees: each forbidden arrow must be seen, each allowed one pass."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import arrows  # noqa: E402

HEADERS = [
    "include/signet/base.h",
    "base/map.h",
    "ir/ir_internal.h",
    "signature/signature_internal.h",
    "formats/formats_internal.h",
    "verifier/facts.h",
    "lowering/plan.h",
    "fuzz/fuzz_internal.h",
    "tools/command.h",
    "tests/support.h",
    "misc/odd.h",
]

ALLOWED = [
    ("base/map.c", '"base/map.h"'),
    ("base/map.c", '"map.h"'),
    ("base/map.h", "<uthash.h>"),
    ("base/hash.c", "<xxhash.h>"),
    ("base/json.c", "<yyjson.h>"),
    ("ir/graph.c", '"base/map.h"'),
    ("ir/graph.c", "<signet/base.h>"),
    ("ir/graph.c", "<stdio.h>"),
    ("signature/bind.c", '"ir/ir_internal.h"'),
    ("formats/zip.c", "<zip.h>"),
    ("formats/json.c", '"signature/signature_internal.h"'),
    ("verifier/engine.c", '"signature/signature_internal.h"'),
    ("lowering/compare.c", '"verifier/facts.h"'),
    ("lowering/coreml/mil.c", '"lowering/plan.h"'),
    ("fuzz/mutate.c", '"formats/formats_internal.h"'),
    ("fuzz/mutate.c", '"lowering/plan.h"'),
    ("fuzz/targets/json.c", "<signet/base.h>"),
    ("tools/main.c", '"command.h"'),
    ("tools/main.c", "<getopt.h>"),
    ("tests/cli/run.c", '"tests/support.h"'),
    ("tests/cli/run.c", "<criterion/criterion.h>"),
    ("tests/unit/ir/a.c", '"ir/ir_internal.h"'),
    ("tests/unit/ir/a.c", '"base/map.h"'),
    ("tests/unit/ir/a.c", '"tests/support.h"'),
    ("include/signet/ir.h", "<signet/base.h>"),
    ("include/signet/ir.h", '"base.h"'),
    ("include/signet/ir.h", "<stdint.h>"),
]

FORBIDDEN = [
    ("base/map.c", '"ir/ir_internal.h"'),
    ("base/map.c", '"../ir/ir_internal.h"'),
    ("ir/graph.c", '"signature/signature_internal.h"'),
    ("signature/bind.c", '"verifier/facts.h"'),
    ("formats/json.c", '"verifier/facts.h"'),
    ("verifier/engine.c", '"formats/formats_internal.h"'),
    ("verifier/engine.c", '"lowering/plan.h"'),
    ("lowering/plan.c", '"formats/formats_internal.h"'),
    ("lowering/plan.c", '"fuzz/fuzz_internal.h"'),
    ("fuzz/targets/json.c", '"fuzz/fuzz_internal.h"'),
    ("fuzz/targets/json.c", '"base/map.h"'),
    ("tools/main.c", '"base/map.h"'),
    ("bench/main.c", '"ir/ir_internal.h"'),
    ("tests/cli/run.c", '"base/map.h"'),
    ("tests/unit/ir/a.c", '"signature/signature_internal.h"'),
    ("tests/unit/base/a.c", '"ir/ir_internal.h"'),
    ("include/signet/ir.h", '"base/map.h"'),
    ("include/signet/ir.h", "<stdio.h>"),
    ("ir/graph.c", "<xxhash.h>"),
    ("ir/graph.c", "<uthash.h>"),
    ("base/hash.c", "<uthash.h>"),
    ("formats/json.c", "<yyjson.h>"),
    ("formats/pt2.c", "<zip.h>"),
    ("base/text.c", "<getopt.h>"),
    ("ir/graph.c", "<criterion/criterion.h>"),
    ("ir/graph.c", '"no/such.h"'),
    ("ir/graph.c", "<signet/no_such.h>"),
    ("ir/graph.c", "SOME_MACRO"),
    ("ir/graph.c", '"misc/odd.h"'),
    ("misc/odd.c", "<stdint.h>"),
]


def put(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text)


def complaints_of(path, text):
    with tempfile.TemporaryDirectory() as root:
        for header in HEADERS:
            put(root, header, "")
        put(root, path, text)
        return arrows.check(root)[2]


class Arrows(unittest.TestCase):
    def test_allowed(self):
        for path, name in ALLOWED:
            with self.subTest(path=path, name=name):
                self.assertEqual(complaints_of(path, f"#include {name}\n"), [])

    def test_forbidden(self):
        for path, name in FORBIDDEN:
            with self.subTest(path=path, name=name):
                found = complaints_of(path, f"\n  #  include {name}\n")
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"{path}:2: "), found)

    def test_comments_do_not_count(self):
        text = '/* #include "ir/ir_internal.h"\n#include "ir/ir_internal.h" */\n// #include <zip.h>\n'
        self.assertEqual(complaints_of("base/map.c", text), [])

    def test_build_folders_and_recorded_input_do_not_count(self):
        with tempfile.TemporaryDirectory() as root:
            put(root, "build/meson-private/x", "")
            put(root, "build/gen.c", "#include <zip.h>\n")
            put(root, "tests/data/seed/x.c", "#include <zip.h>\n")
            self.assertEqual(arrows.check(root), (0, 0, []))

    def test_the_list_is_acyclic(self):
        def reach(folder, path):
            self.assertNotIn(folder, path)
            for other in arrows.ARROWS[folder]:
                reach(other, path + [folder])

        for folder in arrows.ARROWS:
            reach(folder, [])


if __name__ == "__main__":
    unittest.main()
