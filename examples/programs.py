"""Runs the programs of examples on NumPy arrays; for the check.py beside each of them.

gpuvm-compile and gpuvm-run, or with --interpret gpuvm-interpret, are found by name; files go
to a temporary folder, or with --folder=FOLDER to that.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np


class Failed(Exception):
    """A sentence about what did not go as it should."""


def say(text):
    """A line for who waits."""
    print(text, file=sys.stderr, flush=True)


def tool(*command):
    """What a program prints; its own message is what is said if it fails."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Failed(f"{command[0]} ends with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def argument_parser():
    """A parser that knows the options of `run`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--interpret", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path)
    return parser


def resized(text, sizes):
    """A program whose tensors have sizes[n] rows where they had n."""
    return re.sub(r"(?<=tensor<)\d+(?=x)|(?<=bound<)\d+(?=>)", lambda n: str(sizes.get(int(n[0]), n[0])), text)


def renumbered(text, sizes):
    """A program that has sizes[n] wherever it had the number n, but for comments."""
    lines = [line.partition("//") for line in text.splitlines(keepends=True)]
    return "".join(re.sub(r"(?<![\d.])\d+", lambda n: str(sizes.get(int(n[0]), n[0])), code) + slashes + comment
                   for code, slashes, comment in lines)


def run(program, inputs, outputs, options, sizes=None, iterations=1):
    """The outputs with these names, as arrays by name.

    `program` is a file, `inputs` are arrays by name, and `sizes` are as in `resized`.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        source, plan = folder / program.name, folder / f"{program.stem}.gvplan"
        source.write_text(resized(program.read_text(), sizes or {}))
        for name, array in inputs.items():
            np.save(folder / f"{name}.npy", array)
        data = [f"--iterations={iterations}"]
        data += [f"--input={name}=@{folder / name}.npy" for name in inputs]
        data += [f"--output={name}=@{folder / name}.npy" for name in outputs]
        if options.interpret:
            subprocess.run(["gpuvm-interpret", source, *data], check=True)
        else:
            subprocess.run(["gpuvm-compile", source, "-o", plan], check=True)
            subprocess.run(["gpuvm-run", plan, *data], check=True)
        return {name: np.load(folder / f"{name}.npy") for name in outputs}
