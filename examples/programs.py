"""Runs the programs of examples on NumPy arrays; for the run.py or check.py next to each of them.

gpuvm-compile and gpuvm-run, or with --interpret of a check.py gpuvm-interpret, are found by name.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


class Failed(Exception):
    """A sentence about what did not go as it should."""


class BadData(Exception):
    """A sentence about data that cannot be used."""


FAILED = []  # What `check` found.


def say(text):
    """A line for who waits."""
    print(text, file=sys.stderr, flush=True)


def check(holds, sentence):
    """Says what is wrong if it does not hold, and goes on."""
    if not holds:
        FAILED.append(sentence)
        print(f"check failed: {sentence}.")


def finish(main, bad=BadData):
    """Runs `main` and ends the program: with "check ok", with 1 if something is not as it should be, with 2 for data that is `bad`."""
    try:
        main()
    except bad as error:
        say(f"run.py: {error}")
        sys.exit(2)
    except Failed as error:
        say(f"run.py: {error}.")
        sys.exit(1)
    if FAILED:
        sys.exit(1)
    print("check ok")


def tool(*command):
    """What a program prints."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise Failed(f"{command[0]} ends with {done.returncode}")
    return done.stdout


def settings(parameters):
    """Options for the values of parameters."""
    return [f"--set={name}={value}" for name, value in parameters.items()]


def compiled(plan, program, *options, **parameters):
    """The plan of a program's file, with values of its parameters."""
    tool("gpuvm-compile", program, "-o", plan, *settings(parameters), *options)
    return plan


def bind(program, inputs, outputs):
    """(options for the inputs and outputs of a program or plan, files of the outputs by name)

    An input is an array, the file of one, or text as gpuvm-run takes it. Arrays go into files beside the program.
    """
    options, files = [], {name: program.with_name(f"{program.stem}.{name}.out.npy") for name in outputs}
    for name, value in inputs.items():
        if not isinstance(value, (str, pathlib.Path)):
            array, value = value, program.with_name(f"{program.stem}.{name}.npy")
            np.save(value, array)
        options.append(f"--input={name}={value}" if isinstance(value, str) else f"--input={name}=@{value}")
    return options + [f"--output={name}=@{file}" for name, file in files.items()], files


def execute(plan, inputs, outputs, *options):
    """(outputs by name, statistics) of a plan; inputs as in `bind`."""
    data, files = bind(plan, inputs, outputs)
    stats = json.loads(tool("gpuvm-run", plan, "--stats=json", *data, *options).splitlines()[-1])
    return {name: np.load(file) for name, file in files.items()}, stats


def argument_parser():
    """A parser that knows the options of `run`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--interpret", action="store_true", help="by gpuvm-interpret")
    parser.add_argument("--folder", type=pathlib.Path, help="for what is made, instead of a temporary one")
    return parser


def run(program, inputs, outputs, options, iterations=1, **parameters):
    """The outputs with these names, as arrays by name.

    `program` is a file, `inputs` are arrays by name, and `parameters` are the program's.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder, repeats = options.folder or pathlib.Path(temporary), f"--iterations={iterations}"
        folder.mkdir(parents=True, exist_ok=True)
        plan = folder / f"{program.stem}.gvplan"
        if not options.interpret:
            return execute(compiled(plan, program, **parameters), inputs, outputs, repeats)[0]
        data, files = bind(plan, inputs, outputs)
        tool("gpuvm-interpret", program, repeats, *settings(parameters), *data)
        return {name: np.load(file) for name, file in files.items()}
