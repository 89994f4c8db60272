"""IREE, from Python's package index: the same Q6 through Vulkan on the same device, and on
the CPU. A peer that cannot be had raises Missing with the reason."""

import json
import pathlib
import string
import subprocess
import sys

import numpy as np

from gpuvm import ROOT, Missing

# For one process of a peer: some programs keep iree-compile busy for many minutes.
TIMEOUT_S = 120

# Rows in one run of IREE's program (see q6_iree.mlir.in).
RUN = 512

VULKAN = "--iree-hal-target-device=vulkan"
# Options of iree-compile, by device and form. Of the Vulkan targets rdna3's code is the
# fastest on lavapipe, but wrong where it counts on the size of a subgroup; the baseline's
# never does.
FORMS = {
    "vulkan": {"rdna3": (VULKAN, "--iree-vulkan-target=rdna3"),
               "baseline": (VULKAN, "--iree-vulkan-target=vp_android_baseline_2022")},
    "llvm-cpu": {"host": ("--iree-hal-target-device=local",
                          "--iree-hal-local-target-device-backends=llvm-cpu",
                          "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3")},
}
# What Q6, whose form is fixed, is compiled with.
TARGETS = {"vulkan": FORMS["vulkan"]["rdna3"], "llvm-cpu": FORMS["llvm-cpu"]["host"]}
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
    """Standard output of a program; a failure, also to end in time, is a RuntimeError."""
    try:
        done = subprocess.run([str(path), *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{path.name} has not ended after {TIMEOUT_S} s") from None
    if done.returncode:
        raise RuntimeError(f"{path.name} exits with {done.returncode}: {done.stderr.strip()[:400]}")
    return done.stdout


def benchmark(programs, arguments):
    """The time of one call, inputs already on the device; a process of its own measures it."""
    text = call(programs / "iree-benchmark-module", *arguments, "--benchmark_format=json",
                "--benchmark_min_time=0.1s")
    result = json.loads(text)["benchmarks"][0]
    to_us = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}[result["time_unit"]]
    return {"wall_us": result["real_time"] * to_us}


def program(rows):
    """The text of Q6 for IREE."""
    template = string.Template((ROOT / "bench" / "q6_iree.mlir.in").read_text())
    return template.substitute(K=-(-rows // RUN), M=RUN)


class IreeQ6:
    """Q6 on one of IREE's targets, compiled and checked."""

    def __init__(self, target, columns, expected, cache, scratch):
        self.programs = install(cache)
        self.target = target
        rows = len(columns["l_shipdate"])
        folder = pathlib.Path(scratch)
        source, self.module = folder / "q6_iree.mlir", folder / f"q6_{target}.vmfb"
        source.write_text(program(rows))
        call(self.programs / "iree-compile", source, "-o", self.module, *TARGETS[target])
        self.arguments = [f"--device={DEVICES[target]}", f"--module={self.module}",
                          "--function=q6"]
        for name in ("l_shipdate", "l_discount", "l_quantity", "l_extendedprice"):
            self.arguments.append(f"--input=@{self.padded(folder, name, columns[name])}")
        self.result = folder / "iree_output.npy"
        got = int(self.output())
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

    def output(self):
        call(self.programs / "iree-run-module", *self.arguments, f"--output=@{self.result}")
        return np.load(self.result)

    def sample(self):
        return benchmark(self.programs, self.arguments)

    def close(self):
        pass
