"""IREE, from Python's package index: the same Q6 through Vulkan on the same device, and on
the CPU. A peer that cannot be had raises Missing with the reason."""

import json
import pathlib
import string
import subprocess
import sys

import numpy as np

from gpuvm import ROOT, Missing

# Rows in one run of IREE's program (see q6_iree.mlir.in).
RUN = 512

TARGETS = {
    # The Vulkan target whose code was fastest on lavapipe; it needs nothing special.
    "vulkan": ["--iree-hal-target-device=vulkan", "--iree-vulkan-target=rdna3"],
    "llvm-cpu": ["--iree-hal-target-device=local",
                 "--iree-hal-local-target-device-backends=llvm-cpu",
                 "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"],
}
DEVICES = {"vulkan": "vulkan", "llvm-cpu": "local-task"}


def install(cache):
    """The folder of IREE's programs, installed once."""
    venv = cache / "peers"
    wanted = ROOT / "bench" / "requirements-peers.txt"
    stamp = venv / wanted.name
    if stamp.exists() and stamp.read_bytes() == wanted.read_bytes():
        return venv / "bin"
    print("installing IREE ...", file=sys.stderr, flush=True)
    for command in ([sys.executable, "-m", "venv", venv],
                    [venv / "bin" / "python", "-m", "pip", "install", "--quiet",
                     "--disable-pip-version-check", "-r", wanted]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Missing(f"IREE cannot be installed here ({reason})")
    stamp.write_bytes(wanted.read_bytes())
    return venv / "bin"


def call(path, *arguments):
    done = subprocess.run([str(path), *map(str, arguments)], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise RuntimeError(f"{path.name} exits with {done.returncode}: {done.stderr.strip()[:400]}")
    return done.stdout


def program(rows):
    """The text of Q6 for IREE."""
    template = string.Template((ROOT / "bench" / "q6_iree.mlir.in").read_text())
    return template.substitute(K=-(-rows // RUN), M=RUN)


class IreeQ6:
    """Q6 on one of IREE's targets, compiled and checked."""

    def __init__(self, target, columns, expected, cache, scratch):
        self.programs = install(cache)
        self.target = target
        rows = len(columns["shipdate"])
        folder = pathlib.Path(scratch)
        source, self.module = folder / "q6_iree.mlir", folder / f"q6_{target}.vmfb"
        source.write_text(program(rows))
        call(self.programs / "iree-compile", source, "-o", self.module, *TARGETS[target])
        self.arguments = [f"--device={DEVICES[target]}", f"--module={self.module}",
                          "--function=q6"]
        for name in ("shipdate", "discount", "quantity", "extendedprice"):
            self.arguments.append(f"--input=@{self.padded(folder, name, columns[name])}")
        got = self.answer(folder)
        if got != expected:
            raise RuntimeError(f"IREE ({target}) answers {got} where {expected} is right")

    @staticmethod
    def padded(folder, name, values):
        """The column as whole runs; rows of zeros add nothing to the revenue."""
        path = folder / f"iree_{name}.npy"
        if not path.exists():
            runs = -(-len(values) // RUN)
            whole = np.zeros(runs * RUN, values.dtype)
            whole[:len(values)] = values
            np.save(path, whole.reshape(runs, RUN))
        return path

    def answer(self, folder):
        output = folder / "iree_output.npy"
        call(self.programs / "iree-run-module", *self.arguments, f"--output=@{output}")
        return int(np.load(output))

    def measure(self):
        """One sample: the time of a call, inputs already on the device."""
        text = call(self.programs / "iree-benchmark-module", *self.arguments,
                    "--benchmark_format=json", "--benchmark_min_time=0.1s")
        benchmark = json.loads(text)["benchmarks"][0]
        to_us = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}[benchmark["time_unit"]]
        return {"wall_us": benchmark["real_time"] * to_us}
