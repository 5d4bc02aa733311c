#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The exported symbols: what the public headers declare with SIGNET_API, what signet.map lists per
release, and what the built libraries hold must be the same.

usage: symbols.py [--shared LIBRARY] [--static ARCHIVE] [--nm NM]
       symbols.py --update    brings signet.map in line with the headers
"""

import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|"(?:\\.|[^"\\\n])*"', re.S | re.M)
INLINE_BODY = re.compile(r"static\s+inline\s[^;{]*\{")
FUNCTION = re.compile(r"\b(signet_\w+)\s*\(")
NODE = re.compile(r"(\w+(?:\.\w+)*)\s*\{(.*?)\}\s*(\w+(?:\.\w+)*)?\s*;", re.S)
NEW_NODE = "SIGNET_0"


def without_inline_functions(text):
    """Cuts out static inline functions, whose bodies call what they like."""
    while match := INLINE_BODY.search(text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[: match.start()] + text[end:]
    return text


def declared(header):
    """(names declared with SIGNET_API, names declared without) of a header's text."""
    exported, hidden = set(), set()
    text = without_inline_functions(NOT_CODE.sub(" ", header))
    for declaration in text.split(";"):
        match = FUNCTION.search(declaration)
        if match:
            (exported if "SIGNET_API" in declaration else hidden).add(match.group(1))
    return exported, hidden


def read_headers(include):
    exported, hidden = set(), set()
    for name in sorted(os.listdir(include)):
        if name.endswith(".h"):
            with open(os.path.join(include, name), encoding="utf-8") as handle:
                some, without = declared(handle.read())
            exported |= some
            hidden |= without
    return exported, hidden


def parse_map(text):
    """Version nodes, oldest first: list of (node, its names)."""
    nodes = []
    for node, body, _ in NODE.findall(re.sub(r"/\*.*?\*/", " ", text, flags=re.S)):
        names = body.partition("global:")[2].partition("local:")[0]
        nodes.append((node, {name.strip() for name in names.split(";") if name.strip()}))
    return nodes


def write_map(nodes):
    parts = ["/* Exported symbols per release: tests/symbols/symbols.py --update writes it. */\n"]
    before = ""
    for i, (node, names) in enumerate(nodes):
        listed = "".join(f"        {name};\n" for name in sorted(names))
        local = "" if i else "    local:\n        *;\n"
        parts.append(f"{node} {{\n    global:\n{listed}{local}}}{before};\n")
        before = f" {node}"
    return "\n".join(parts)


def update(nodes, exported):
    """The nodes with new names in the newest one. What an older release exported stays for good."""
    nodes = nodes or [(NEW_NODE, set())]
    older = set().union(*(names for _, names in nodes[:-1]))
    gone = sorted(older - exported)
    if gone:
        raise ValueError("released, and no longer declared: " + ", ".join(gone))
    return nodes[:-1] + [(nodes[-1][0], exported - older)]


def compare_map(nodes, exported, hidden):
    complaints = [f"{name}: declared without SIGNET_API" for name in sorted(hidden)]
    seen = set()
    for node, names in nodes:
        complaints += [f"{name}: in signet.map twice" for name in sorted(names & seen)]
        complaints += [
            f"{name}: in signet.map ({node}), but no header declares it"
            for name in sorted(names - exported)
        ]
        seen |= names
    complaints += [
        f"{name}: declared, but not in signet.map; tests/symbols/symbols.py --update adds it"
        for name in sorted(exported - seen)
    ]
    return complaints


def parse_nm(text):
    """Name -> version node (or "") of the global symbols that nm -P --defined-only prints."""
    symbols = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= 2 and len(fields[1]) == 1 and (fields[1].isupper() or fields[1] in "uvw"):
            name, _, version = fields[0].partition("@")
            symbols[name] = version.lstrip("@")
    return symbols


def compare_shared(nodes, symbols):
    complaints = []
    expected = {name: node for node, names in nodes for name in names}
    versions = {node for node, _ in nodes}  # each is an absolute symbol of its own
    for name, node in sorted(expected.items()):
        if name not in symbols:
            complaints.append(f"{name}: the shared library does not export it")
        elif symbols[name] != node:
            found = symbols[name] or "no version"
            complaints.append(f"{name}: exported as {found}, signet.map says {node}")
    for name in sorted(set(symbols) - set(expected) - versions):
        complaints.append(f"{name}: exported by the shared library, but not in signet.map")
    return complaints


def compare_static(nodes, symbols):
    """An archive hides nothing: all its names must have one of our prefixes, and the public one
    only where a name is public."""
    expected = set().union(*(names for _, names in nodes))
    complaints = [
        f"{name}: the static library does not hold it" for name in sorted(expected - set(symbols))
    ]
    for name in sorted(set(symbols) - expected):
        if name.startswith("signet_"):
            complaints.append(f"{name}: in the static library, but no header declares it")
        elif not name.startswith(("sg_", "_")):  # _: the compiler's own, of sanitizers above all
            complaints.append(f"{name}: a global name of the static library that is not ours")
    return complaints


def nm(program, *arguments):
    return parse_nm(subprocess.run(
        [*program.split(), "-P", "--defined-only", "-g", *arguments],
        check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared")
    parser.add_argument("--static")
    parser.add_argument("--nm", default=os.environ.get("NM", "nm"))
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()

    path = os.path.join(ROOT, "signet.map")
    exported, hidden = read_headers(os.path.join(ROOT, "include/signet"))
    if options.update:
        old = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as handle:
                old = handle.read()
        new = write_map(update(parse_map(old), exported))
        if new != old:
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(new)
        print(f"signet.map: {len(exported)} symbols, {'the same' if new == old else 'updated'}")
        return 0

    with open(path, encoding="utf-8") as handle:
        nodes = parse_map(handle.read())
    complaints = compare_map(nodes, exported, hidden)
    if options.shared:
        complaints += compare_shared(nodes, nm(options.nm, "-D", options.shared))
    if options.static:
        complaints += compare_static(nodes, nm(options.nm, options.static))
    for complaint in complaints:
        print(complaint)
    print(f"{len(exported)} symbols declared, {len(complaints)} complaints")
    return 1 if complaints or not exported else 0


if __name__ == "__main__":
    sys.exit(main())
