#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up a meson test run: shows what failed, and ends in "N passed, N failed[, N skipped]".

usage: summary.py TESTLOG.json REPORTS STATUS
(REPORTS: the folder sanitizers write their reports to; STATUS: how meson test ended)

Counts test cases: those of a Criterion program one by one, any other test as one. Fails on a failed
test, on any report of a sanitizer wherever it stands (Criterion does not see a leak that is found
at the end of its worker, and a child's fate may be ignored), and if no test ran at all.
"""

import json
import os
import re
import sys

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SYNTHESIS = re.compile(
    r"Synthesis: Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)"
)
SANITIZER = re.compile(r"ERROR: \w*Sanitizer|runtime error: ")
SHOWN_LINES = 60


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0


def heading(text):
    print(f"---- {text}")


def show(text):
    lines = text.rstrip().splitlines()
    if len(lines) > SHOWN_LINES:
        print(f"({len(lines) - SHOWN_LINES} lines left out)")
    print("\n".join(lines[-SHOWN_LINES:]), flush=True)


def count_test(test, output, count):
    """Adds the cases of one meson test; returns what is wrong with it, or None."""
    result = test["result"]
    cases = [tuple(map(int, found)) for found in SYNTHESIS.findall(output)]
    tested, passed, failed, crashed = (sum(column) for column in zip(*cases)) if cases else (0,) * 4
    good = result in ("OK", "EXPECTEDFAIL")

    count.passed += passed
    count.failed += failed + crashed
    count.skipped += max(0, tested - passed - failed - crashed)

    if result == "SKIP":
        count.skipped += 1
        return None
    if cases and good and tested == 0:
        count.failed += 1
        return "ran no test"
    if not cases and good:
        count.passed += 1
    elif not good and failed + crashed == 0:
        count.failed += 1
    if not good or failed + crashed > 0:
        return f"{result.lower()}, exit status {test.get('returncode')}"
    return None


def count_tests(log, count):
    """Returns the number of sanitizer reports in the output of tests."""
    reports = 0
    with open(log, encoding="utf-8", errors="replace") as handle:
        for line in handle:
            test = json.loads(line)
            output = (test.get("stdout") or "") + (test.get("stderr") or "")
            output = COLOUR.sub("", output)
            wrong = count_test(test, output, count)
            if SANITIZER.search(output):
                reports += 1
                wrong = (wrong + ", " if wrong else "") + "sanitizer report"
            if wrong:
                heading(f"{test['name']}: {wrong}")
                show(output)
    return reports


def show_reports(folder):
    """Shows the sanitizer reports that were written to files; returns their number."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
        heading(f"sanitizer report {name}")
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as handle:
            show("".join(handle.readlines()[:SHOWN_LINES]))
    return len(names)


def main():
    log, folder, status = sys.argv[1:4]
    count = Count()
    reports = count_tests(log, count) if os.path.exists(log) else 0
    reports += show_reports(folder)

    # A report spoils the case it came from, also where the runner took that case for passed.
    spoilt = min(max(0, reports - count.failed), count.passed)
    count.passed -= spoilt
    count.failed += spoilt

    if count.passed + count.failed == 0:
        print("no test ran")
    elif count.failed == 0 and status != "0":
        print(f"meson test ended with exit status {status}")
        count.failed += 1
    skipped = f", {count.skipped} skipped" if count.skipped else ""
    print(f"{count.passed} passed, {count.failed} failed{skipped}")
    return 1 if count.failed or reports or count.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
