#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets PyTorch load what Signet writes, and compares.

usage: load_written.py SIGNET FOLDER... [> tests/torch/load_written.result]

Needs torch (load_written.result says with which version it ran), so it is no part of the test suite.
FOLDERs are searched for archives (.pt2). Of each archive that PyTorch itself loads, Signet writes

    rewritten   all that it knows written anew, nothing changed
    by text     the program by way of the exact text, put into the archive again
    renamed     a value has another name
    inserted    a node more
    dropped     an output less

Edits are made here, in the tree of the JSON; Signet reads the edited JSON and writes it into the
archive. PyTorch loads the result and saves it again. What it saves must be what it saves of the
same program that did not go through Signet (the edited JSON in a plain zip), and the tensors must be
the same. Both times storage_offset of a description is left out: PyTorch saves 0 for it.
"""

import collections
import copy
import io
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import warnings
import zipfile

import torch
import torch.ao.quantization.fx._decomposed  # registers operators that some programs use

FLAT = "serialized_exported_program.json"


# ---- Archives ------------------------------------------------------------------------------------


def program_record(names):
    """The record of the program, or None where there is not just one."""
    found = [n for n in names if n == FLAT or ("/models/" in n and n.endswith(".json"))]
    return found[0] if len(found) == 1 else None


def replaced(path, record, data):
    """The archive as a plain zip, with other content in one record."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.infolist():
            new.writestr(entry.filename, data if entry.filename == record else old.read(entry))
    return out.getvalue()


def without_offsets(tree):
    """Every TensorMeta without its storage_offset."""
    if isinstance(tree, dict):
        return {k: without_offsets(v) for k, v in tree.items() if k != "storage_offset"}
    if isinstance(tree, list):
        return [without_offsets(v) for v in tree]
    return tree


class Loaded:
    """What PyTorch makes of an archive: what it saves, and the tensors."""

    def __init__(self, data):
        program = torch.export.load(io.BytesIO(data))
        saved = io.BytesIO()
        torch.export.save(program, saved)
        with zipfile.ZipFile(saved) as z:
            self.tree = without_offsets(json.loads(z.read(program_record(z.namelist()))))
        self.tensors = {k: v for k, v in program.state_dict.items()}
        self.tensors.update(
            (k, v) for k, v in program.constants.items() if isinstance(v, torch.Tensor)
        )

    def difference(self, other):
        """One line, or None."""
        if self.tree != other.tree:
            return "the saved JSON differs: " + first_difference(self.tree, other.tree, "$")
        if self.tensors.keys() != other.tensors.keys():
            return "the names of the tensors differ"
        for name, tensor in self.tensors.items():
            also = other.tensors[name]
            same = (tensor.dtype, tensor.shape, tensor.stride()) == (
                also.dtype,
                also.shape,
                also.stride(),
            )
            if not same or not torch.equal(raw(tensor), raw(also)):
                return f"tensor {name} differs"
        return None


def raw(tensor):
    """The bytes of a tensor: NaN is NaN."""
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)


def first_difference(a, b, path):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in list(a) + [k for k in b if k not in a]:
            if a.get(key) != b.get(key):
                return first_difference(a.get(key), b.get(key), f"{path}.{key}")
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return first_difference(x, y, f"{path}[{i}]")
    return f"{path}: {str(a)[:60]} and {str(b)[:60]}"


# ---- Edits: each returns the edited tree, or None where it does not apply ------------------------


def tensor_results(graph):
    """(position, name) of the nodes with one tensor result."""
    for i, node in enumerate(graph["nodes"]):
        if len(node["outputs"]) == 1 and "as_tensor" in node["outputs"][0]:
            yield i, node["outputs"][0]["as_tensor"]["name"]


def renamed(tree):
    results = list(tensor_results(tree["graph_module"]["graph"]))
    if not results:
        return None
    name = results[len(results) // 2][1]
    text = json.dumps(tree)
    return json.loads(text.replace(json.dumps(name), json.dumps(name + "_by_another_name")))


def inserted(tree):
    tree = copy.deepcopy(tree)
    graph = tree["graph_module"]["graph"]
    for i, name in tensor_results(graph):
        if graph["tensor_values"][name]["dtype"] != 7:  # a float32 can be negated
            continue
        node = copy.deepcopy(graph["nodes"][i])
        node["target"] = "torch.ops.aten.neg.default"
        node["inputs"] = [dict(node["inputs"][0], name="self", arg={"as_tensor": {"name": name}})]
        if "kind" in node["inputs"][0]:
            node["inputs"][0]["kind"] = 1
        node["outputs"] = [{"as_tensor": {"name": "neg_inserted"}}]
        node["metadata"] = {}
        if "name" in node:
            node["name"] = "neg_inserted"
        graph["nodes"].insert(i + 1, node)
        graph["tensor_values"]["neg_inserted"] = copy.deepcopy(graph["tensor_values"][name])
        return tree
    return None


def dropped(tree):
    """The last output, where the results are a tuple of plain values."""
    tree = copy.deepcopy(tree)
    module = tree["graph_module"]
    specs = module["signature"]["output_specs"]
    users = [i for i, spec in enumerate(specs) if "user_output" in spec]
    calls = module["module_call_graph"]
    if len(users) < 2 or users[-1] != len(specs) - 1 or not calls[0].get("signature"):
        return None
    signature = calls[0]["signature"]
    protocol, spec = json.loads(signature["out_spec"])
    children = spec["children_spec"]
    if spec["type"] not in ("builtins.tuple", "builtins.list") or len(children) != len(users):
        return None
    if any(child["type"] is not None for child in children):
        return None
    children.pop()
    signature["out_spec"] = json.dumps([protocol, spec])
    for outputs in (signature["outputs"], specs, module["graph"]["outputs"]):
        del outputs[-1:]  # the signature's may be empty
    return tree


EDITS = (renamed, inserted, dropped)


# ---- The run -------------------------------------------------------------------------------------


class Run:
    def __init__(self, signet, folder):
        self.signet = signet
        self.folder = folder
        self.counts = collections.Counter()
        self.exceptions = []

    def convert(self, *args):
        """What signet convert writes."""
        out = os.path.join(self.folder, "out.pt2")
        done = subprocess.run(
            [self.signet, "convert", *args, "-o", out], capture_output=True, check=False
        )
        if done.returncode != 0:
            raise RuntimeError("signet: " + done.stderr.decode().strip())
        with open(out, "rb") as f:
            return f.read()

    def check(self, how, name, write, reference):
        """Loads what `write` writes and compares it with the reference."""
        try:
            wrong = reference.difference(Loaded(write()))
        except Exception as e:  # whatever PyTorch raises is the result
            wrong = reason(e)
        self.counts[how, "equal" if wrong is None else "not equal"] += 1
        if wrong is not None:
            self.exceptions.append(f"{how}: {name}: {wrong}")

    def by_text(self, path):
        text = os.path.join(self.folder, "out.sgt")
        subprocess.run([self.signet, "convert", path, "-o", text], check=True)
        return self.convert(text, "--rewrite", "--base", path)

    def edited(self, path, tree):
        edited = os.path.join(self.folder, "edited.json")
        with open(edited, "w", encoding="utf-8") as f:
            json.dump(tree, f, indent=1)  # not how Signet spells it
        return self.convert(edited, "--base", path)

    def edit(self, make, name, path, record, tree):
        how = make.__name__
        changed = make(tree)
        if changed is None:
            self.counts[how, "does not apply"] += 1
            return
        try:
            reference = Loaded(replaced(path, record, json.dumps(changed)))
        except Exception as e:
            self.counts[how, "not loaded without Signet either"] += 1
            self.exceptions.append(f"{how}: {name}: without Signet: {reason(e)}")
            return
        self.check(how, name, lambda: self.edited(path, changed), reference)

    def archive(self, name, path):
        with open(path, "rb") as f:
            data = f.read()
        with zipfile.ZipFile(path) as z:
            record = program_record(z.namelist())
            tree = json.loads(z.read(record)) if record else None
        if tree is None:
            self.counts["archives", "of several programs, which torch.export.load refuses"] += 1
            return
        version = tree["schema_version"]
        if not isinstance(version, dict) or version["major"] != 8:
            self.counts["archives", "of a schema that this PyTorch does not load"] += 1
            return
        try:
            reference = Loaded(data)
        except Exception as e:
            self.counts["archives", "not loaded as they are"] += 1
            self.exceptions.append(f"archives: {name}: {reason(e)}")
            return
        self.counts["archives", "loaded"] += 1
        rewritten = self.convert(path, "--rewrite")
        self.counts["rewritten", "same bytes" if rewritten == data else "other bytes"] += 1
        self.check("rewritten", name, lambda: rewritten, reference)
        self.check("by text", name, lambda: self.by_text(path), reference)
        for make in EDITS:
            self.edit(make, name, path, record, tree)

    def report(self, signet_version):
        print(f"PyTorch {torch.__version__}, {signet_version}")
        print()
        for how in ("archives", "rewritten", "by text", *(make.__name__ for make in EDITS)):
            for (which, what), count in sorted(self.counts.items()):
                if which == how:
                    print(f"{how + ':':<11} {count:>4} {what}")
        print()
        print("exceptions:" if self.exceptions else "exceptions: none")
        for line in self.exceptions:
            print("  " + line)


class Warned(logging.Handler):
    """torch.export.load puts a general exception in the place of some, which it only logs."""

    def __init__(self):
        super().__init__()
        self.last = None

    def emit(self, record):
        if record.exc_info:
            self.last = record.exc_info[1]


WARNED = Warned()


def reason(e):
    """An exception in one line: the cause, where its text tells of one."""
    if "check the warnings above" in str(e) and WARNED.last is not None:
        e = WARNED.last
    lines = str(e).splitlines() or [""]
    causes = [line for line in lines if re.match(r"[\w.]+Error: ", line)]
    return (causes[-1] if causes else f"{type(e).__name__}: {lines[0]}")[:160]


def archives(folders):
    for folder in folders:
        for root, dirs, files in os.walk(folder):
            dirs.sort()
            for name in sorted(files):
                if name.endswith(".pt2"):
                    path = os.path.join(root, name)
                    yield os.path.relpath(path, os.path.dirname(os.path.abspath(folder))), path


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    logger = logging.getLogger("torch.export")
    logger.addHandler(WARNED)
    logger.propagate = False
    version = subprocess.run([sys.argv[1], "--version"], capture_output=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(sys.argv[1], folder)
        for name, path in archives(sys.argv[2:]):
            if zipfile.is_zipfile(path):
                run.archive(name, path)
        run.report(version.stdout.decode().splitlines()[0])
    sys.exit(1 if any(what == "not equal" for _, what in run.counts) else 0)


if __name__ == "__main__":
    main()
