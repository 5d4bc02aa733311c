#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the documents and the code the same.

usage: docs.py rules SIGNET      docs/rules.md is what `signet explain --markdown` says
       docs.py catalogue SIGNET  each code has its page, and each example shows its code alone
       docs.py examples PAGE...  each C block of a page is a program of examples/
       docs.py links PAGE...     each link leads to a file of the tree

With SIGNET_BLESS=1 the pages are rewritten.
"""

import difflib
import json
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
BLOCK = re.compile(r"^```c\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LICENCE = re.compile(r"\A/\* SPDX[^\n]*\*/\n")
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


def read(path):
    with open(path, encoding="utf-8") as handle:
        return handle.read()


def settle(path, found):
    """True when the page says that already, or now does."""
    expected = read(path) if os.path.exists(path) else ""
    if expected == found:
        return True
    if os.environ.get("SIGNET_BLESS") == "1":
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(found)
        print(f"{path}: rewritten")
        return True
    name = os.path.relpath(path, ROOT)
    sys.stdout.writelines(
        difflib.unified_diff(
            expected.splitlines(True), found.splitlines(True), f"{name}", f"{name}: should be"
        )
    )
    return False


def rules(signet):
    done = subprocess.run(
        [signet, "explain", "--markdown"], stdout=subprocess.PIPE, timeout=60, check=True
    )
    if settle(os.path.join(ROOT, "docs/rules.md"), done.stdout.decode("utf-8")):
        return True
    print("Out of date: signet explain --markdown -o docs/rules.md")
    return False


def codes_of(signet, page):
    """What a lint of the example finds."""
    command = [signet, "lint", "--format", "json", "-"]
    if page["code"].startswith("torch."):
        command += ["--profile", "torch"]
    if page["severity"] == "note":
        command += ["--notes"]
    done = subprocess.run(
        command, input=page["example"].encode(), stdout=subprocess.PIPE, timeout=60, check=False
    )
    return [finding["code"] for finding in json.loads(done.stdout)["findings"]]


def catalogue(signet):
    done = subprocess.run(
        [signet, "explain", "--json"], stdout=subprocess.PIPE, timeout=60, check=True
    )
    fine = True
    for page in json.loads(done.stdout):
        code = page["code"]
        missing = [part for part in ("title", "why", "fix", "torch") if not page[part]]
        if not page["example"] and not code.startswith("carrier."):
            missing.append("example")
        if missing:
            print(f"{code}: its page lacks {', '.join(missing)}")
            fine = False
        if page["example"] and codes_of(signet, page) != [code]:
            print(f"{code}: its example shows {codes_of(signet, page)}")
            fine = False
    return fine


def program(block, page):
    """The program of examples/ that begins with the same line."""
    folder = os.path.join(ROOT, "examples")
    for name in sorted(os.listdir(folder)):
        text = LICENCE.sub("", read(os.path.join(folder, name)))
        if name.endswith(".c") and block.split("\n", 1)[0] == text.split("\n", 1)[0]:
            return text
    raise SystemExit(f"{page}: a block of C is no program of examples/:\n{block}")


def examples(pages):
    fine = True
    for page in pages:
        text = read(page)
        if not BLOCK.search(text):
            raise SystemExit(f"{page}: no block of C")
        found = BLOCK.sub(lambda m, page=page: f"```c\n{program(m.group(1), page)}```", text)
        fine = settle(page, found) and fine
    return fine


def links(pages):
    fine = True
    count = 0
    for page in pages:
        for target in LINK.findall(read(page)):
            count += 1
            place = os.path.join(os.path.dirname(page), target)
            if not re.match(r"[a-z]+:", target) and not os.path.exists(place):
                print(f"{page}: leads nowhere: {target}")
                fine = False
    if count == 0:
        raise SystemExit("no links found")
    return fine


def main():
    tasks = {
        "rules": lambda: rules(sys.argv[2]),
        "catalogue": lambda: catalogue(sys.argv[2]),
        "examples": lambda: examples(sys.argv[2:]),
        "links": lambda: links(sys.argv[2:]),
    }
    if len(sys.argv) < 3 or sys.argv[1] not in tasks:
        raise SystemExit(__doc__)
    return 0 if tasks[sys.argv[1]]() else 1


if __name__ == "__main__":
    sys.exit(main())
