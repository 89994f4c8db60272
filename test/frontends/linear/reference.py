#!/usr/bin/env python3
"""A second reference of the linear-algebra VM, made from its specification alone.

    reference.py run FILE [--input=NAME=file.npy].. --out=FOLDER [--budget=N]
    reference.py statistics FILE [--threshold=T|auto]
    reference.py words FILE DATA          (as `--other` of compare.py: data and outputs as JSON, by bits)

It shares nothing with the reference of `gpuvm-linear`; programs run on both must agree bit for bit (a
NaN is a NaN). `run` here is the same for other tests. Exit code 3: the program or an input is refused.
"""

import argparse
import json
import pathlib
import sys

import numpy as np

import reference_assembler
import reference_machine
import reference_statistics
from reference_text import Error


def run(text, inputs=(), budget=None):
    """The outputs of a program (section 11) by name; `inputs` are float32 arrays by the buffer's name."""
    program = reference_assembler.assemble(text)
    with np.errstate(all="ignore"):
        return reference_machine.execute(program, dict(inputs), budget)


def statistics(text, threshold=None):
    """The numbers of section 13 by name."""
    return reference_statistics.statistics(reference_assembler.assemble(text), threshold)


def named_array(argument):
    name, _, path = argument.partition("=")
    return name, np.load(path.removeprefix("@"))


def words(text, data):
    """The outputs as lists of unsigned words, `counts` as numbers; `data` are the words of the inputs."""
    outputs = run(text, {name: np.array(bits, np.uint32).view(np.float32) for name, bits in data.items()})
    return {name: array.view(np.int64 if name == "counts" else np.uint32).ravel().tolist()
            for name, array in outputs.items()}


def command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run_command = commands.add_parser("run")
    run_command.add_argument("file", type=pathlib.Path)
    run_command.add_argument("--input", action="append", default=[], type=named_array)
    run_command.add_argument("--out", required=True, type=pathlib.Path)
    run_command.add_argument("--budget", type=int)
    words_command = commands.add_parser("words")
    words_command.add_argument("file", type=pathlib.Path)
    words_command.add_argument("data", type=pathlib.Path)
    statistics_command = commands.add_parser("statistics")
    statistics_command.add_argument("file", type=pathlib.Path)
    statistics_command.add_argument("--threshold", type=lambda text: text if text == "auto" else float(text))
    return parser.parse_args()


def do(options):
    text = options.file.read_bytes().decode("latin-1")
    if options.command == "statistics":
        print(json.dumps(statistics(text, options.threshold)))
        return
    if options.command == "words":
        print(json.dumps(words(text, json.loads(options.data.read_text()))))
        return
    outputs = run(text, options.input, options.budget)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, array in outputs.items():
        np.save(options.out / f"{name}.npy", array)


def main():
    options = command_line()
    try:
        do(options)
    except Error as error:
        print(f"{options.file}:{error}", file=sys.stderr)
        return 3
    except ValueError as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
