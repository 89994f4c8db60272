#!/usr/bin/env python3
#===- reference.py - the token-stream VM in Python, from the specification -===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# An oracle that shares no code with frontends/token. Its command line is that
# of `gpuvm-token reference`. Exit 0, 2 (usage), or 3 (bad input).
#
#===------------------------------------------------------------------------===#

import argparse
import json
import sys

from reference_diagnostics import Problem, Warnings
from reference_form import read_form
from reference_report import report, run, summary
from reference_tensors import concatenate, lower
from reference_tokenizers import Tokenizer, read_tokenizer
from reference_wire import read_wire, write_wire
from reference_workflow import check_arguments, read_workflow


def pair(text):
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def parse(arguments):
    parser = argparse.ArgumentParser(prog="reference.py", allow_abbrev=False)
    parser.add_argument("inputs", nargs="+", metavar="INPUT")
    parser.add_argument("--streams", type=int, help="default: one a workflow")
    parser.add_argument("--budget", type=int, default=4096)
    parser.add_argument("--arg", type=pair, action="append", default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model-seed", type=int, default=0)
    parser.add_argument("--capture-tokens", type=int)
    parser.add_argument("--answer-tokens", type=int)
    parser.add_argument("--tool", type=pair, action="append", default=[])
    parser.add_argument("--tokenizer", default="bytes")
    parser.add_argument("--emit", choices=["tensors", "wire"])
    parser.add_argument("--report")
    options = parser.parse_args(arguments)
    options.tools, options.arguments = dict(options.tool), dict(options.arg)
    return options


def read_workflows(options, warnings):
    """The SampledWorkflows of workflow and wire files."""
    made, names, factories = [], set(), 0
    for path in options.inputs:
        if path.endswith(".wire"):
            with open(path, encoding="utf-8") as file:
                workflow = read_wire(file.read())
            workflow.tokenizer = options.tokenizer
            made.append(workflow)
            continue
        workflow, wanted = read_workflow(path, options.arguments, options.seed, warnings)
        made.append(workflow)
        names, factories = names | wanted, factories + 1
    check_arguments(options.arguments, names)
    return made


def machine_of(workflows, warnings):
    """(tensor form, tokenizer) of workflows: P16."""
    if len({workflow.tokenizer for workflow in workflows}) != 1:
        raise Problem("P16", "the workflows have different tokenizers")
    tokenizer = read_tokenizer(workflows[0].tokenizer)
    return concatenate([lower(w, tokenizer, warnings) for w in workflows]), tokenizer


class Compiled:
    """What the inputs of a command line are: wire texts, tensors, a tokenizer."""

    def __init__(self, options):
        self.warnings, self.workflows = Warnings(), []
        if len(options.inputs) == 1 and options.inputs[0].endswith(".token.json"):
            self.form, self.tokenizer = read_form(options.inputs[0]), Tokenizer()
            return
        self.workflows = read_workflows(options, self.warnings)
        self.form, self.tokenizer = machine_of(self.workflows, self.warnings)

    def emitted(self, kind):
        if kind == "tensors":
            return json.dumps(self.form, ensure_ascii=False) + "\n"
        return "\n".join(write_wire(workflow) for workflow in self.workflows)


def main(arguments):
    options = parse(arguments)
    try:
        compiled = Compiled(options)
        if options.emit:
            sys.stdout.write(compiled.emitted(options.emit))
            return 0
        if options.streams is None:
            options.streams = len(compiled.form["workflows"])
        streams = run(compiled.form, options, compiled.tokenizer)
    except Problem as problem:
        print(problem.text(), file=sys.stderr)
        return 3
    for line in compiled.warnings.lines():
        print(line, file=sys.stderr)
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump(report(streams, compiled.tokenizer), file, ensure_ascii=False)
    print(summary(streams))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
