#!/usr/bin/env python3
#===- compare.py - random cases, here and on another implementation --------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `compare.py FOLDER --count N --seed A --reference CMD` generates cases, runs
# the Python reference and `CMD INPUT.. ARGUMENTS --report=FILE`, and compares
# exit codes, codes of diagnostics and reports. The tensors and the wire form
# that Python writes are inputs of further runs. With `--emit CMD` also the forms
# that `CMD INPUT.. --emit=FORM` prints are compared. A case that differs stays in
# FOLDER. Exit 1 if any did.
#
#===------------------------------------------------------------------------===#

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import generate
import mutate
import reference

# Codes that section 12 lists together, with fewer meanings than codes.
GROUPS = [("U01", "U02", "P02"), ("U03", "U04"), ("U09", "U10", "U11", "U12"),
          ("U13", "U14", "U15", "U16", "U17"), ("U18", "U19", "U20", "U21"),
          ("U28", "U40", "U41"), tuple(f"U{i}" for i in range(30, 37)), ("P01", "P04"), ("P10", "P11", "P12"),
          ("S04", "P25"), ("S01", "S02")]
GROUPS += [tuple(f"T{i}" for i in range(10, 21)), tuple(f"X0{i}" for i in range(1, 10))]


def group(code):
    return next((g[0] for g in GROUPS if code in g), code)


def first_difference(ours, theirs, path="$"):
    """The path and both values where two JSON values differ first; None."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in [*ours, *(k for k in theirs if k not in ours)]:
            if key not in ours or key not in theirs:
                return f"{path}.{key} is missing {'here' if key not in ours else 'there'}"
            found = first_difference(ours[key], theirs[key], f"{path}.{key}")
            if found:
                return found
        return None
    if isinstance(ours, list) and isinstance(theirs, list):
        for i, (a, b) in enumerate(zip(ours, theirs)):
            found = first_difference(a, b, f"{path}[{i}]")
            if found:
                return found
        if len(ours) != len(theirs):
            return f"{path}: {len(ours)} items here, {len(theirs)} there"
        return None
    same = ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool)
    return None if same else f"{path}: {ours!r:.200} here, {theirs!r:.200} there"


class Result:
    """What a run of either implementation came to."""

    def __init__(self, exit_code, errors, output=""):
        self.exit, self.output = exit_code, output
        self.codes = set(re.findall(r"error: [^\n]*\[([A-Z]\d\d)\]", errors))
        self.warnings = set(re.findall(r"warning: [^\n]*\[([A-Z]\d\d)\]", errors))
        self.errors = errors


def run_here(arguments, folder):
    out, errors, before = io.StringIO(), io.StringIO(), os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = reference.main(arguments)
    finally:
        os.chdir(before)
    return Result(code, errors.getvalue(), out.getvalue())


def run_there(command, arguments, folder, limit):
    try:
        ran = subprocess.run(shlex.split(command) + arguments, cwd=folder, timeout=limit,
                             capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return Result(-1, "timed out")
    return Result(ran.returncode, ran.stderr.decode("utf-8", "replace"),
                  ran.stdout.decode("utf-8", "replace"))


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        return {"unreadable": str(error)}


class Comparison:
    """One case in its folder, on both implementations."""

    def __init__(self, options, folder, case):
        self.options, self.folder = options, folder
        self.inputs, self.arguments = case["inputs"], case["arguments"]
        self.statuses = {}

    def results(self, here, there):
        """The difference of two exits and their diagnostics."""
        if here.exit != there.exit:
            said = (here.errors + there.errors).strip()
            return f"exit {here.exit} here, {there.exit} there: {said:.600}"
        if here.exit and not {group(c) for c in here.codes} & {group(c) for c in there.codes}:
            return f"codes {here.codes} here, {there.codes} there: {here.errors}{there.errors}"
        if not here.exit and here.warnings != there.warnings:
            return f"warnings {here.warnings} here, {there.warnings} there"
        return None

    def reports(self, inputs, more=()):
        """Runs the inputs and compares the reports."""
        arguments = [*inputs, *self.arguments, *more]
        here = run_here(arguments + ["--report=here.json"], self.folder)
        there = run_there(self.options.reference, arguments + ["--report=there.json"],
                          self.folder, self.options.limit)
        found = self.results(here, there)
        if found or here.exit:
            return found
        ours, theirs = (load(os.path.join(self.folder, f"{name}.json"))
                        for name in ("here", "there"))
        for stream in ours["streams"]:
            status = stream["status"]
            self.statuses[status] = self.statuses.get(status, 0) + 1
        return first_difference(ours, theirs)

    def emit(self, kind, name):
        """Writes the form that Python makes; compares it if asked to."""
        arguments = [*self.inputs, *self.compiler_arguments(), f"--emit={kind}"]
        here = run_here(arguments, self.folder)
        if here.exit:
            return None
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(here.output)
        if not self.options.emit:
            return None
        there = run_there(self.options.emit, arguments, self.folder, self.options.limit)
        if there.exit:
            return f"--emit={kind} exits {there.exit}: {there.errors:.300}"
        if kind == "wire":
            return first_difference(here.output.split(), there.output.split(), kind)
        return first_difference(json.loads(here.output), json.loads(there.output), kind)

    def compiler_arguments(self):
        return [a for a in self.arguments if re.match(r"--(arg|seed|tokenizer)=", a)]

    def forms(self):
        """The tensors and the wire form, compared, then as inputs in turn."""
        if self.inputs[0].endswith(".token.json"):
            return None
        found = self.emit("tensors", "made.token.json")
        if not found and len(self.inputs) == 1:
            found = self.emit("wire", "made.wire")
        self.drop_arguments()
        greedy = os.path.exists(os.path.join(self.folder, "pieces.toml"))
        if not found and not greedy:
            found = self.reports(["made.token.json"])
        if found or len(self.inputs) != 1:
            return found
        more = ["--tokenizer=greedy:pieces.toml"] if greedy else []
        return self.reports(["made.wire"], more)

    def drop_arguments(self):
        """What a form that is compiled already does not take."""
        self.arguments = [a for a in self.arguments if not a.startswith("--arg=")]

    def all(self):
        found = self.reports(self.inputs)
        compiled = self.statuses
        if found or not compiled:
            return found
        return self.forms()


def parse(arguments):
    parser = argparse.ArgumentParser(prog="compare.py")
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reference", required=True, help="the command to compare with")
    parser.add_argument("--emit", help="a command that prints forms")
    parser.add_argument("--mutate", action="store_true", help="spoil an input of each case")
    parser.add_argument("--limit", type=float, default=120, help="seconds of a run")
    return parser.parse_args(arguments)


def compare(options, seed):
    """(difference or None, number of streams by status) of a seed."""
    folder = os.path.join(options.folder, f"case-{seed}")
    shutil.rmtree(folder, ignore_errors=True)
    case = generate.generate(folder, seed)
    if options.mutate:
        mutate.mutate(folder, seed)
    comparison = Comparison(options, folder, case)
    found = comparison.all()
    if not found:
        shutil.rmtree(folder)
    return found, comparison.statuses


def main(arguments):
    options = parse(arguments)
    os.makedirs(options.folder, exist_ok=True)
    totals, differing, refused = {}, 0, 0
    for seed in range(options.seed, options.seed + options.count):
        found, statuses = compare(options, seed)
        refused += not statuses
        for status, count in statuses.items():
            totals[status] = totals.get(status, 0) + count
        if found:
            differing += 1
            print(f"case-{seed}: {found}", flush=True)
    print(f"{options.count} cases, {differing} differ, {refused} refused; "
          f"streams {dict(sorted(totals.items()))}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
