"""The network of network.py: its memory, and that reuse does not change a bit of its result.

    network_check.py FOLDER [--layers N] [--rows N] [--width N] [--heads N] [--hidden N]

Compiled fused, with a kernel or more per stage, and both without any reuse of windows, it gives the same bits in two
executions; gpuvm-interpret agrees up to the rounding of exp, rsqrt and division. With reuse the values take at most 1.1
times the bytes that are alive at once, and there are as many barriers as without.
"""

import argparse
import math
import os
import random
import re
import struct
import subprocess
import sys

import network
from differential import call, read_npy, write_npy

VARIANTS = {"fused": [], "fused-apart": ["--disable-reuse"], "stages": ["--fusion=stages", "--chains=never"],
            "stages-apart": ["--fusion=stages", "--chains=never", "--disable-reuse"]}
COUNTERS = {"peak": "Bytes of Registers for values", "live": "Bytes of values alive at once",
            "inPlace": "Results made in place", "barriers": "Barriers placed"}
MOST_OVER_LIVE = 1.1
TOLERANCE = 1e-3  # Of the largest element; 26 layers of functions rounded in their last places.


def compile_plan(source, plan, options):
    output = subprocess.run(["gpuvm-compile", source, "-o", plan, "--statistics"] + options, check=True,
                            stderr=subprocess.PIPE, text=True).stderr
    return {key: sum(int(n) for n in re.findall(rf"(\d+) \S+ +- {re.escape(text)}", output))
            for key, text in COUNTERS.items()}


def check_memory(counts):
    for name in ("fused", "stages"):
        with_reuse, apart = counts[name], counts[name + "-apart"]
        print(f"{name}: {with_reuse['peak']} bytes, {with_reuse['live']} alive at once, {apart['peak']} without reuse; "
              f"{with_reuse['inPlace']} results in place; {with_reuse['barriers']} barriers")
        assert 0 < with_reuse["live"] <= with_reuse["peak"] <= MOST_OVER_LIVE * with_reuse["live"]
        assert with_reuse["peak"] < apart["peak"] and with_reuse["inPlace"] > 0
        assert 0 < with_reuse["barriers"] == apart["barriers"]


def check_values(reference, results):
    floats = lambda data: struct.unpack(f"<{len(data) // 4}f", data)
    largest = max(map(abs, floats(reference)))
    assert math.isfinite(largest) and largest > 0
    for name, data in results.items():
        assert data == results["fused"], f"{name} differs from fused"
    for expected, actual in zip(floats(reference), floats(results["fused"])):
        assert abs(expected - actual) <= TOLERANCE * largest, (expected, actual)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    network.add_arguments(parser)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    path = lambda name: os.path.join(arguments.folder, name)
    text, inputs = network.write(network.from_arguments(arguments))
    with open(path("network.mlir"), "w") as file:
        file.write(text)
    flags, rng = ["--iterations=2"], random.Random(1)
    for name, shape in inputs:
        spread = shape[0] ** -0.5 if name != "x" and len(shape) == 2 else 1.0
        write_npy(path(name + ".npy"), shape, "f32", [rng.uniform(-spread, spread) for _ in range(math.prod(shape))])
        flags.append(f"--input={name}=@{path(name + '.npy')}")
    output = lambda name: [f"--output=y=@{path(name + '-y.npy')}"]
    call(["gpuvm-interpret", path("network.mlir")] + flags + output("reference"))
    counts, results = {}, {}
    for name, options in VARIANTS.items():
        plan = path(name + ".gvplan")
        counts[name] = compile_plan(path("network.mlir"), plan, options)
        call(["gpuvm-run", plan, "--validate"] + flags + output(name))
        results[name] = read_npy(path(name + "-y.npy"), "f32")
    check_memory(counts)
    check_values(read_npy(path("reference-y.npy"), "f32"), results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
