"""examples/signal on the device: signals.py ROOT FOLDER. Exits 1 if a result is not what it should be.

A filter gives the same by spectra as tap by tap; a single tap gives the signal, delayed.
"""

import os
import random
import sys

from differential import call, read_npy, write_npy
from program_text import unpack

ROOT, FOLDER = sys.argv[1:]


def run(name, inputs, outputs):
    path = lambda file: os.path.join(FOLDER, file)
    call(["gpuvm-compile", os.path.join(ROOT, "examples", "signal", name + ".mlir"), "-o", path(name + ".gvplan")])
    options = []
    for key, values in inputs.items():
        write_npy(path(key + ".npy"), (len(values),), "f32", values)
        options.append(f"--input={key}=@{path(key + '.npy')}")
    options += [f"--output={key}=@{path(key + '.npy')}" for key in outputs]
    call(["gpuvm-run", path(name + ".gvplan"), "--validate", *options])
    return [unpack("f32", read_npy(path(key + ".npy"), "f32")) for key in outputs]


def check(what, actual, expected, bound):
    off = max(abs(a - e) for a, e in zip(actual, expected, strict=True))
    print(f"{what}: off by {off:.2g}")
    if not off <= bound:
        sys.exit(f"signals.py: {what} is off by {off:.3g} (at most {bound:.3g})")


def main():
    os.makedirs(FOLDER, exist_ok=True)
    rng = random.Random(1)
    signal = [rng.gauss(0, 1) for _ in range(49408)]
    taps = [rng.gauss(0, 1) / 16 for _ in range(257)]
    direct, fast = run("filter", {"signal": signal, "taps": taps}, ["direct", "fast"])
    check("filtering by spectra", fast, direct, 2e-5)
    delay = [1.0 if k == 100 else 0.0 for k in range(257)]
    direct, fast = run("filter", {"signal": signal, "taps": delay}, ["direct", "fast"])
    check("a delay tap by tap", direct, signal[156:156 + 49152], 1e-6)
    check("a delay by spectra", fast, signal[156:156 + 49152], 1e-5)


main()
