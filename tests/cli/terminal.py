#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command whose standard error is a terminal, and prints what it says there."""

import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
env = {**os.environ, "TERM": "xterm"}
with subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=slave, env=env) as child:
    os.close(slave)
    said = b""
    try:
        while piece := os.read(master, 4096):
            said += piece
    except OSError:  # the other side is closed
        pass
print(repr(said.decode()))
sys.exit(child.returncode)
