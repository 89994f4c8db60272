"""IREE, from Python's package index: the same Q6 through Vulkan on the same device, and on
the CPU. A peer that cannot be had raises Missing with the reason."""

import hashlib
import json
import os
import pathlib
import signal
import string
import subprocess
import sys
import tempfile

import numpy as np

from gpuvm import ROOT, Missing

# For one process of a peer, and for a compilation: some programs keep iree-compile busy for many minutes.
TIMEOUT_S = 120
COMPILE_S = 600

WANTED = ROOT / "bench" / "requirements-peers.txt"

# Rows in one run of IREE's program (see q6_iree.mlir.in).
RUN = 512


def vulkan_forms(*targets):
    """Options of iree-compile for Vulkan, by form. Its executables take their buffers as descriptors, which is the
    default, or as addresses (bda), with which its runtime records a command buffer once and replays it."""
    return {f"{name} {abi}": ("--iree-hal-target-device=vulkan", f"--iree-vulkan-target={target}",
                              f"--iree-vulkan-dispatch-abi={abi}")
            for name, target in targets for abi in ("descriptors", "bda")}


# Options of iree-compile next to lavapipe, by device and form. Of the Vulkan targets rdna3's code is the
# fastest on lavapipe, but wrong where it counts on the size of a subgroup; the baseline's
# never does.
FORMS = {
    "vulkan": vulkan_forms(("rdna3", "rdna3"), ("baseline", "vp_android_baseline_2022")),
    "llvm-cpu": {"host": ("--iree-hal-target-device=local",
                          "--iree-hal-local-target-device-backends=llvm-cpu",
                          "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3")},
}
# And on a GPU of NVIDIA's; it knows none newer.
GPU_FORMS = vulkan_forms(("ampere", "ampere"))
DEVICES = {"vulkan": "vulkan", "llvm-cpu": "local-task"}

# What runs modules: one file each, which needs neither Python nor another library.
PROGRAMS = ("iree-run-module", "iree-benchmark-module")


def install(cache):
    """The folder of IREE's programs, installed once."""
    venv = cache / "peers"
    stamp = venv / WANTED.name
    if stamp.exists() and stamp.read_bytes() == WANTED.read_bytes():
        return venv / "bin"
    print("installing IREE ...", file=sys.stderr, flush=True)
    for command in ([sys.executable, "-m", "venv", venv],
                    [venv / "bin" / "python", "-m", "pip", "install", "--quiet",
                     "--disable-pip-version-check", "--require-hashes", "-r", WANTED]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Missing(f"IREE cannot be installed here ({reason})")
    stamp.write_bytes(WANTED.read_bytes())
    return venv / "bin"


def call(path, *arguments, timeout=TIMEOUT_S):
    """Standard output of a program; a failure, also to end in time, is a RuntimeError. The package's
    scripts start the programs, so that all of a session of their own is ended."""
    with subprocess.Popen([str(path), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True) as started:
        try:
            output, errors = started.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            raise RuntimeError(f"{path.name} has not ended after {timeout} s") from None
    if started.returncode:
        raise RuntimeError(f"{path.name} exits with {started.returncode}: {errors.strip()[:400]}")
    return output


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


def programs_of(cache):
    """The files of PROGRAMS: what the package's scripts of these names start."""
    libraries = next((install(cache).parent / "lib").glob("python*/site-packages/iree/_runtime_libs"))
    return [libraries / name for name in PROGRAMS]


def compiled(cache, text, options):
    """The module of a program, compiled once for each version of IREE."""
    programs = install(cache)
    key = hashlib.sha256("\0".join((WANTED.read_text(), *options, text)).encode()).hexdigest()[:24]
    module = cache / "modules" / f"{key}.vmfb"
    if not module.exists():
        module.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=module.parent) as folder:
            source, made = pathlib.Path(folder) / "program.mlir", pathlib.Path(folder) / "program.vmfb"
            source.write_text(text)
            call(programs / "iree-compile", source, "-o", made, *options, timeout=COMPILE_S)
            made.rename(module)
    return module


def module_name(plan, form):
    """The file of a bundle with the module of a plan's case."""
    return f"{plan}.{form.replace(' ', '-')}.vmfb"


def best_q6(target, *arguments):
    """Q6 in the fastest form for a target."""
    made = [IreeQ6(target, form, options, *arguments) for form, options in FORMS[target].items()]
    return min(made, key=lambda one: one.sample()["wall_us"])


class IreeQ6:
    """Q6 on one of IREE's targets, compiled and checked."""

    def __init__(self, target, form, options, columns, expected, cache, scratch):
        self.programs = install(cache)
        self.form = form
        rows = len(columns["l_shipdate"])
        folder = pathlib.Path(scratch)
        module = compiled(cache, program(rows), options)
        self.arguments = [f"--device={DEVICES[target]}", f"--module={module}",
                          "--function=q6"]
        for name in ("l_shipdate", "l_discount", "l_quantity", "l_extendedprice"):
            self.arguments.append(f"--input=@{self.padded(folder, name, columns[name])}")
        self.result = folder / "iree_output.npy"
        got = int(self.output())
        if got != expected:
            raise RuntimeError(f"IREE ({target}, {form}) answers {got} where {expected} is right")

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
