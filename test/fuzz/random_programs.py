"""Random programs: the interpreter, fused kernels and unfused kernels agree.

    random_programs.py FOLDER [--count 10000] [--seed 0] [--recipe state]

Program number i of seed s is a function of i and s alone (program_recipes.py): maps,
casts, moves of elements, reductions with several outputs, arg-reductions, row
patterns, contractions and metadata, on every element type and odd shapes; or, with
--recipe state, stages with symbols (programs_state.py). Several of
them at a time are put side by side into one program, since starting a process costs
more than a small program; they share nothing, but the compiler may fuse them. Bits are
compared where they are promised, numbers within the bounds of differential.py elsewhere.

If something differs, the programs of the batch are run one by one; those that fail stay
in FOLDER with their data, and a program that fails without any data of its own (the
compiler refuses it) is reduced by gpuvm-reduce. Exits 1 if anything failed.
"""

import argparse
import concurrent.futures
import os
import random
import shutil
import stat
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "e2e"))

import differential  # noqa: E402
import processes  # noqa: E402
from program_recipes import add_program  # noqa: E402
from program_text import Program  # noqa: E402
from programs_state import add_state  # noqa: E402


RECIPES = {"any": add_program, "state": add_state}


def make_program(name, numbers, arguments):
    program = Program(name)
    for number in numbers:
        RECIPES[arguments.recipe](random.Random(f"{arguments.seed}:{number}"), program)
    return program


def run_program(program, arguments):
    """What is wrong with it, or None."""
    try:
        base = differential.prepare(arguments.folder, program)
        differential.check(base, arguments.run_options.split())
        shutil.rmtree(base)
    except differential.Mismatch as failure:
        return f"{program.name}: {failure}"
    return None


def reduce_refused(folder, name):
    """A program that does not compile, made as small as gpuvm-reduce can: FOLDER/<name>/reduced.mlir."""
    base = os.path.join(folder, name)
    source = os.path.join(base, "program.mlir")
    plan = os.path.join(base, "reduced.gvplan")
    compiles = lambda: processes.run(["gpuvm-compile", source, "-o", plan], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
    if not os.path.exists(source) or compiles().returncode == 0:
        return
    script = os.path.join(base, "interesting.sh")
    with open(script, "w") as file:
        file.write(f"#!/bin/sh\ngpuvm-opt \"$1\" > /dev/null || exit 0\n"
                   f"gpuvm-compile \"$1\" -o '{plan}' && exit 0\nexit 1\n")
    os.chmod(script, os.stat(script).st_mode | stat.S_IXUSR)
    with open(os.path.join(base, "reduced.mlir"), "w") as file:
        processes.run(["gpuvm-reduce", source, f"-reduction-tree=traversal-mode=0 test={script}"], stdout=file,
                      stderr=subprocess.DEVNULL)


def run_batch(numbers, arguments):
    """The failures of a batch, one line or more each."""
    seed = arguments.seed
    batch = make_program(f"batch_{seed}_{numbers[0]}", numbers, arguments)
    together = run_program(batch, arguments)
    if not together:
        return []
    failures = []
    for number in numbers:
        name = f"program_{seed}_{number}"
        failure = run_program(make_program(name, [number], arguments), arguments)
        if failure:
            failures.append(failure)
            reduce_refused(arguments.folder, name)
    if failures:
        shutil.rmtree(os.path.join(arguments.folder, batch.name), ignore_errors=True)
    return failures or [together + "\n(none of its programs fails alone)"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--recipe", choices=RECIPES, default="any")
    parser.add_argument("--batch", type=int, default=12, help="programs side by side")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--run-options", default="--validate", help="of gpuvm-run")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    end = arguments.first + arguments.count
    batches = [range(n, min(n + arguments.batch, end)) for n in range(arguments.first, end, arguments.batch)]
    start, done, failed = time.monotonic(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for numbers, failures in zip(batches, pool.map(lambda b: run_batch(b, arguments), batches)):
            done += len(numbers)
            failed += len(failures)
            for failure in failures:
                print(failure, flush=True)
            if done % 1000 < arguments.batch:
                print(f"{done} programs, {failed} failed, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    print(f"{done} programs, {failed} failed")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
