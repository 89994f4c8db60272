"""gpuvm's programs as the benchmarks use them.

Programs and plans come from a build folder, or from a bundle (bench/bundle) on a machine
that has neither compiler nor packages.
"""

import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

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
        done = subprocess.run([self.program(name), *map(str, arguments)], text=True,
                              capture_output=True, env=self.environment, check=False)
        if done.returncode:
            raise RuntimeError(f"{name} exits with {done.returncode}: {done.stderr.strip()[-800:]}")
        return done.stdout

    def plan(self, name, text, *options):
        """(path of the plan, its manifest), compiled here or taken from the bundle."""
        folder = self.bundle / "plans" if self.bundle else pathlib.Path(self.scratch.name)
        plan, manifest = folder / f"{name}.gvplan", folder / f"{name}.json"
        if not self.bundle and not plan.exists():
            source = folder / f"{name}.mlir"
            source.write_text(text)
            self.call("gpuvm-compile", source, "-o", plan, *options)
            manifest.write_text(self.call("gpuvm-plan", "show", "--format=json", plan))
        if not plan.exists():
            raise Missing(f"the bundle has no plan {name}; make it with bench/bundle")
        return plan, json.loads(manifest.read_text())

    def run(self, plan, manifest, inputs, iterations, warmup):
        """(statistics, first output) of one process; inputs are paths of .npy files."""
        output = manifest["outputs"][0]["name"]
        file = pathlib.Path(self.scratch.name) / "output.npy"
        arguments = [f"--input={name}=@{path}" for name, path in inputs.items()]
        if self.device:
            arguments.append(f"--device={self.device}")
        text = self.call("gpuvm-run", plan, *arguments, f"--output={output}=@{file}",
                         f"--iterations={iterations}", f"--warmup={warmup}", "--copy-speed",
                         "--stats=json")
        return json.loads(text), np.load(file)


def bytes_moved(manifest):
    """Bytes the commands read and write, each window of each command once.

    A window that a command both reads and writes counts twice.
    """
    total = 0
    for command in manifest["commands"]:
        if command["op"] in ("dispatch", "dispatch_indirect"):
            bindings = {binding["binding"]: binding
                        for binding in manifest["kernels"][command["kernel"]]["bindings"]}
            for window in command["windows"]:
                binding = bindings[window["binding"]]
                total += window["length"] * (binding["reads"] + binding["writes"])
        elif command["op"] == "copy":
            total += 2 * command["source"]["length"]
        elif command["op"] == "fill":
            total += command["window"]["length"]
    return total
