"""gpuvm's programs as the benchmarks use them.

Programs and plans come from a build folder, or from a bundle (bench/bundle) on a machine
that has neither compiler nor packages.
"""

import json
import math
import os
import pathlib
import re
import subprocess
import tempfile

import machine
import token_machine

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Missing(Exception):
    """Something this machine does not have; its text says what."""


class Gpuvm:
    def __init__(self, programs, device, bundle=None):
        self.bundle = bundle
        self.programs = bundle / "bin" if bundle else programs
        self.device = device
        self.scratch = tempfile.TemporaryDirectory(prefix="gpuvm-bench-")
        self.environment = dict(os.environ)
        self.environment.pop("GPUVM_VALIDATE", None)
        if bundle:
            self.environment["LD_LIBRARY_PATH"] = str(bundle / "lib")

    def commit(self):
        """The commit of the programs in use."""
        if self.bundle:
            return (self.bundle / "commit").read_text().strip()
        done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"],
                              capture_output=True, text=True, check=False)
        return done.stdout.strip() or "unknown"

    def program(self, name):
        path = self.programs / name
        if not path.is_file():
            raise Missing(f"{name} is not in {self.programs.name}/")
        return str(path)

    def call(self, name, *arguments):
        """Standard output of one of our programs; its message if it fails."""
        return self.run(name, *arguments).stdout

    def run(self, name, *arguments):
        """What subprocess.run says of it."""
        done = subprocess.run([self.program(name), *map(str, arguments)], text=True,
                              capture_output=True, env=self.environment, check=False)
        if done.returncode:
            raise RuntimeError(f"{name} exits with {done.returncode}: {done.stderr.strip()[-800:]}")
        return done

    def compile(self, source, plan, *options):
        """A program of the linear-algebra VM that runs in another mode than it is asked to is a failure."""
        said = self.run("gpuvm-compile", source, "-o", plan, *options).stderr
        if other := re.search(r"remark: (phase .* runs faithfully.*)", said):
            plan.unlink()
            raise RuntimeError(other[1])

    def plan(self, name, program, *options, language="mlir"):
        """(path of the plan, its manifest), compiled here or taken from the bundle. A program is a text, or folder -> its file."""
        folder = self.bundle / "plans" if self.bundle else pathlib.Path(self.scratch.name)
        plan, manifest = folder / f"{name}.gvplan", folder / f"{name}.json"
        if not self.bundle and not plan.exists():
            source = program(folder) if callable(program) else folder / f"{name}.{language}"
            if not callable(program):
                source.write_text(program)
            self.compile(source, plan, *options)
            manifest.write_text(self.call("gpuvm-plan", "show", "--format=json", plan))
        reason = plan.with_suffix(".reason")
        if not plan.exists() and reason.exists():
            raise Missing(reason.read_text())
        if not plan.exists():
            raise Missing(f"the bundle has no plan {name}; make it with bench/bundle")
        return plan, token_machine.all_of(plan, json.loads(manifest.read_text()))

    def library(self):
        path = self.programs.parent / "lib" / "libgpuvm.so"
        if not path.is_file():
            raise Missing(f"{path.name} is not in {path.parent.name}/")
        return path

    def machine(self):
        """A booted machine in this process."""
        return token_machine.Machine(machine.load_library(self.library()), self.device)

    def copy_speed(self):
        """(device, GB/s it copies at, reads and writes together)."""
        arguments = [f"--device={self.device}"] if self.device else []
        text = self.call("gpuvm-run", "--measure-copy-speed=0", "--stats=json", *arguments)
        measured = json.loads(text)
        return measured["device"], measured["copy_gbps"]


def bytes_moved(manifest):
    """Bytes the commands read and write, each window of each command once.

    A window that a command both reads and writes counts twice, and what is repeated as often as it is at most.
    """
    total, ends = 0, []  # ends: of the repeats that a command is in, (number of the command after it, times)
    for number, command in enumerate(manifest["commands"]):
        ends = [end for end in ends if end[0] > number]
        times = math.prod(end[1] for end in ends)
        if command["op"] == "repeat":
            ends.append((number + 1 + command["commands"], command["times"]))
        total += times * bytes_of(manifest, command)
    return total


def bytes_of(manifest, command):
    """Those of a command by itself."""
    if command["op"] in ("dispatch", "dispatch_indirect"):
        bindings = {binding["binding"]: binding
                    for binding in manifest["kernels"][command["kernel"]]["bindings"]}
        return sum(window["length"] * (bindings[window["binding"]]["reads"] + bindings[window["binding"]]["writes"])
                   for window in command["windows"])
    if command["op"] == "copy":
        return 2 * command["source"]["length"]
    return command["window"]["length"] if command["op"] == "fill" else 0
