#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may include whom: reads every #include of the tree and fails on an arrow that is not listed.

usage: arrows.py [ROOT]
"""

import os
import re
import sys

LIBRARY = ["base", "ir", "signature", "formats", "verifier", "lowering"]

# Folder -> folders it may include from, besides itself and include/signet. The longest folder name
# that a path starts with counts. A folder that is not listed here must not hold C files.
ARROWS = {
    "include": [],
    "base": [],
    "ir": ["base"],
    "signature": ["base", "ir"],
    "formats": ["base", "ir", "signature"],
    "verifier": ["base", "ir", "signature"],
    "lowering": ["base", "ir", "signature", "verifier"],
    "fuzz": LIBRARY,
    # Public headers only:
    "fuzz/targets": [],
    "tools": [],
    "bench": [],
    "examples": [],
    "tests": [],
    # A unit test sees the internal headers of its own module and of base.
    "tests/unit/base": ["tests", "base"],
    **{f"tests/unit/{m}": ["tests", "base", m] for m in LIBRARY[1:] + ["fuzz"]},
}

# Library header -> the files that may include it.
THIRD_PARTY = {
    r"xxhash\.h": r"base/hash\.[ch]",
    r"ut(hash|list|array|string|ringbuffer)\.h": r"base/map(_\w+)?\.[ch]",
    r"yyjson\.h": r"base/json\.c|tools/baseline\.c|bench/bare-yyjson\.c|tests/(corpus|reports)/\w+\.c",
    r"zip(conf)?\.h": r"formats/zip\.c|tests/corpus/\w+\.c",
    r"getopt\.h": r"tools/.*",
    r"criterion/.*": r"tests/.*",
}

# What a public header may ask of the system: nothing an embedder could trip over.
PUBLIC_SYSTEM = {"limits.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h"}

SOURCE = re.compile(r"\.(c|h|def|cc|cpp|cxx|hpp)$")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:<([^>\n]+)>|"([^"\n]+)"|(\S+))', re.MULTILINE)


def folder_of(path):
    """The listed folder that path lies in, or None."""
    parts = path.split("/")[:-1]
    while parts:
        if "/".join(parts) in ARROWS:
            return "/".join(parts)
        parts.pop()
    return None


def sources(root):
    """Every C file of the tree, as a path from root; build folders and recorded input left out."""
    for where, folders, files in os.walk(root):
        here = os.path.relpath(where, root).replace(os.sep, "/")
        if "meson-private" in folders or here == "tests/data":
            folders[:] = []
            continue
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(files):
            if SOURCE.search(name):
                yield name if here == "." else f"{here}/{name}"


def includes(text):
    """(line, name, form) of each include; form is '<', '"' or '?' for a computed one."""
    text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        system, quoted, computed = match.groups()
        if system is not None:
            yield line, system, "<"
        elif quoted is not None:
            yield line, quoted, '"'
        else:
            yield line, computed, "?"


def resolve(root, path, name, form):
    """The file of the tree that is meant, as a path from root, or None."""
    places = ["include", "."]
    if form == '"':
        places = [os.path.dirname(path) or ".", ".", "include"]
    for place in places:
        found = os.path.normpath(os.path.join(place, name))
        if os.path.isfile(os.path.join(root, found)):
            return found.replace(os.sep, "/")
    return None


def judge(root, path, name, form):
    """What is wrong with this include, or None."""
    here = folder_of(path)
    if here is None:
        return "this folder is in no arrow; add it to ARROWS in tests/arrows/arrows.py"
    if form == "?":
        return "a computed include cannot be judged"

    target = resolve(root, path, name, form)
    if target is None:
        if form == '"' or name.startswith("signet/"):
            return "no such file in the tree"
        for header, allowed in THIRD_PARTY.items():
            if re.fullmatch(header, name) and not re.fullmatch(allowed, path):
                return f"only {allowed} may include this library"
        if here == "include" and name not in PUBLIC_SYSTEM:
            return "a public header may include only " + ", ".join(sorted(PUBLIC_SYSTEM))
        return None

    there = folder_of(target)
    if there is None:
        return f"{target} lies in a folder that is in no arrow"
    if there in (here, "include") or there in ARROWS[here]:
        return None
    allowed = ", ".join(["include", here] + ARROWS[here])
    return f"{here} may include from: {allowed}; not from {there}"


def check(root):
    """(number of files, number of includes, list of complaints)."""
    files = arrows = 0
    complaints = []
    for path in sources(root):
        files += 1
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as handle:
            text = handle.read()
        for line, name, form in includes(text):
            arrows += 1
            wrong = judge(root, path, name, form)
            if wrong:
                complaints.append(f"{path}:{line}: {name}: {wrong}")
    return files, arrows, complaints


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../..")
    files, arrows, complaints = check(root)
    for complaint in complaints:
        print(complaint)
    print(f"{files} files, {arrows} includes, {len(complaints)} forbidden")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
