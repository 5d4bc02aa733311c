#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests symbols.py: each way in which headers, map and libraries can disagree must be seen."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import symbols  # noqa: E402

HEADER = """
#define SIGNET_X(a) signet_in_macro(a) \\
    signet_in_macro_too(a);
/* SIGNET_API void signet_in_comment(void); */
extern "C" {
typedef struct signet_sink {
    void (*emit)(void *user);
} signet_sink;
SIGNET_API const char *signet_one(void);
SIGNET_API SIGNET_NODISCARD signet_status
signet_two(const signet_one_type *p, void (*f)(int),
           int n);
static inline int signet_inline(int n) {
    if (n) { return signet_one_more(n); }
    return 0;
}
int signet_bare(int);
SIGNET_API void signet_three(void) SIGNET_PRINTF(1, 2);
}
"""

MAP = """/* signet_no; */
SIGNET_0 {
    global:
        signet_one;
        signet_two;
    local:
        *;
};

SIGNET_0.2 {
    global:
        signet_three;
} SIGNET_0;
"""

NODES = [("SIGNET_0", {"signet_one", "signet_two"}), ("SIGNET_0.2", {"signet_three"})]
ALL = {"signet_one", "signet_two", "signet_three"}
SHARED = {
    "signet_one": "SIGNET_0",
    "signet_two": "SIGNET_0",
    "signet_three": "SIGNET_0.2",
    "SIGNET_0": "SIGNET_0",
    "SIGNET_0.2": "SIGNET_0.2",
}
STATIC = {"signet_one": "", "signet_two": "", "signet_three": "", "sg_map_get": "", "__odr_asan": ""}


class Symbols(unittest.TestCase):
    def one(self, complaints, *words):
        self.assertEqual(len(complaints), 1, complaints)
        for word in words:
            self.assertIn(word, complaints[0])

    def test_header(self):
        self.assertEqual(symbols.declared(HEADER), (ALL, {"signet_bare"}))

    def test_map(self):
        self.assertEqual(symbols.parse_map(MAP), NODES)
        self.assertEqual(symbols.parse_map(symbols.write_map(NODES)), NODES)

    def test_map_against_headers(self):
        self.assertEqual(symbols.compare_map(NODES, ALL, set()), [])
        self.one(symbols.compare_map(NODES, ALL | {"signet_new"}, set()), "signet_new", "--update")
        self.one(symbols.compare_map(NODES, ALL - {"signet_two"}, set()), "signet_two", "no header")
        self.one(symbols.compare_map(NODES, ALL, {"signet_bare"}), "signet_bare", "SIGNET_API")
        self.one(symbols.compare_map(NODES + NODES[1:], ALL, set()), "signet_three", "twice")

    def test_update(self):
        self.assertEqual(symbols.update([], ALL), [("SIGNET_0", ALL)])
        self.assertEqual(
            symbols.update(NODES, ALL - {"signet_three"} | {"signet_new"}),
            [NODES[0], ("SIGNET_0.2", {"signet_new"})],
        )
        with self.assertRaisesRegex(ValueError, "signet_two"):
            symbols.update(NODES, ALL - {"signet_two"})

    def test_nm(self):
        text = (
            "libsignet.a[status.c.o]:\n"
            "signet_one T 10 20\n"
            "signet_two@@SIGNET_0 T 10 20\n"
            "sg_weak W 10\n"
            "sg_unique u 10\n"
            "sg_local t 10 20\n"
        )
        expected = {"signet_one": "", "signet_two": "SIGNET_0", "sg_weak": "", "sg_unique": ""}
        self.assertEqual(symbols.parse_nm(text), expected)

    def test_shared(self):
        def without(name):
            return {k: v for k, v in SHARED.items() if k != name}

        self.assertEqual(symbols.compare_shared(NODES, SHARED), [])
        self.one(symbols.compare_shared(NODES, without("signet_one")), "signet_one", "not export")
        self.one(symbols.compare_shared(NODES, {**SHARED, "sg_a": ""}), "sg_a", "not in signet.map")
        self.one(symbols.compare_shared(NODES, {**SHARED, "signet_one": ""}), "signet_one", "no version")

    def test_static(self):
        self.assertEqual(symbols.compare_static(NODES, STATIC), [])
        lacking = {k: v for k, v in STATIC.items() if k != "signet_one"}
        self.one(symbols.compare_static(NODES, lacking), "signet_one", "not hold")
        self.one(symbols.compare_static(NODES, {**STATIC, "signet_odd": ""}), "signet_odd", "no header")
        self.one(symbols.compare_static(NODES, {**STATIC, "helper": ""}), "helper", "not ours")


if __name__ == "__main__":
    unittest.main()
