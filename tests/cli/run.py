#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the command as a user would and compares what it says with what is written down.

usage: run.py SIGNET FILE...

A FILE is a test as tests/cli/readme.test explains it, or a Markdown page: its ```console blocks are
run from the root of the source. With SIGNET_BLESS=1 the expectations are rewritten.
"""

import difflib
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
DATA = os.path.join(ROOT, "tests/data")
TIMEOUT = 60  # seconds a command may take


# For sed: how many rules there are is told in seed.test alone, so that a new rule changes one file.
COUNTS = 's/[0-9]* rules.*/N rules/; s/"rules":[0-9]*,"not_checked":[0-9]*/"rules":N,"not_checked":N/'


def environment(signet):
    """What commands see: nothing of the machine's habits."""
    keep = ("PATH", "HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
    env = {name: os.environ[name] for name in keep if name in os.environ}
    env["PATH"] = os.path.dirname(os.path.abspath(signet)) + os.pathsep + env.get("PATH", "")
    env["LC_ALL"] = "C"
    env["TERM"] = "dumb"
    env["COUNTS"] = COUNTS
    env["TERMINAL"] = f"{sys.executable} {os.path.dirname(os.path.abspath(__file__))}/terminal.py"
    return env


def run(command, env, where, merge=False):
    """(status, standard output, standard error) of a line of shell."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=where,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merge else subprocess.PIPE,
        timeout=TIMEOUT,
        check=False,
    )
    out = done.stdout.decode("utf-8", "backslashreplace")
    err = "" if merge else done.stderr.decode("utf-8", "backslashreplace")
    return done.returncode, out, err


def marked(text, mark):
    """Each line behind its mark."""
    lines = text.split("\n")
    end = lines.pop()
    lines = [f"{mark} {line}" if line else mark for line in lines]
    return lines + ([f"{mark}\\{end}"] if end else [])  # the last line is not ended


def redo_test(lines, env):
    """The lines of a .test with the expectations that hold."""
    result = []
    runs = 0
    with tempfile.TemporaryDirectory(prefix="signet-cli-") as where:
        for name in os.listdir(DATA):
            os.symlink(os.path.join(DATA, name), os.path.join(where, name))
        for line in lines:
            if line.startswith("RUN: "):
                runs += 1
                result.append(line)
                status, out, err = run(line[5:], env, where)
                result += marked(out, ">") + marked(err, "!")
                result += [f"exit {status}"] if status != 0 else []
            elif not line.startswith((">", "!", "exit ")):
                if line and not line.startswith("#"):
                    raise SystemExit(f"neither comment, command nor expectation: {line}")
                result.append(line)
    return result, runs


def redo_page(lines, env):
    """The lines of a Markdown page with the output that its commands have."""
    result = []
    runs = 0
    inside = asked = False
    for line in lines:
        if line.startswith("```"):
            inside = line == "```console"
            asked = False
        if inside and line.startswith("$ "):
            asked = True
            runs += 1
            result.append(line)
            result += run(line[2:], env, ROOT, merge=True)[1].split("\n")[:-1]
        elif not asked:
            result.append(line)
    return result, runs


def check(path, env):
    """Compares one file; what is wrong with it, as text."""
    with open(path, encoding="utf-8") as handle:
        lines = handle.read().split("\n")
    redo = redo_page if path.endswith(".md") else redo_test
    result, runs = redo(lines, env)
    if runs == 0:
        return f"{path}: no command in it\n"
    if result == lines:
        return ""
    if os.environ.get("SIGNET_BLESS") == "1":
        with open(path, "w", encoding="utf-8") as handle:
            handle.write("\n".join(result))
        print(f"{path}: rewritten")
        return ""
    return "\n".join(
        difflib.unified_diff(lines, result, f"{path}: expected", f"{path}: found", lineterm="")
    )


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    env = environment(sys.argv[1])
    wrong = [text for text in (check(path, env) for path in sys.argv[2:]) if text]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
