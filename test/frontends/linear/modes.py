"""Runs random programs of the linear-algebra VM in a mode and compares all that comes out
with the reference, bit for bit (a NaN is a NaN, and in fused mode a zero is a zero).

    modes.py FOLDER [--kind any] [--mode faithful] [--seed 0] [--count 100] [--first 0] [--size 16]

gpuvm-linear, gpuvm-compile and gpuvm-run are taken from PATH. The number of epochs of a phase
that is not faithful may differ. Prints how many programs differ, and leaves their files in
FOLDER.
"""

import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ALWAYS = ["state", "status", "fault", "counts"]


def read_npy(path):
    """The shape and the words, or pairs of words, of an array."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + length].decode()
    shape = tuple(int(n) for n in re.search(r"'shape': \(([^)]*)\)", header)[1].split(",") if n.strip())
    kind = re.search(r"'descr': '<(\w+)'", header)[1]
    body = data[10 + length:]
    words = struct.unpack(f"<{len(body) // int(kind[1])}{'Q' if kind[1] == '8' else 'I'}", body)
    if kind == "f4":  # One NaN.
        words = tuple(0x7FC00000 if w & 0x7FFFFFFF > 0x7F800000 else w for w in words)
    return shape, words


def buffers(text):
    return re.findall(r"^\s*\.buffer\s+(\w+)\s+\S+\s+(\w+)", text, re.M)


class Program:
    def __init__(self, folder, name):
        self.folder = folder
        self.path = folder / f"{name}.lvm"
        self.text = self.path.read_text()
        data = json.loads((folder / f"{name}.json").read_text())
        self.inputs = []
        for buffer, kind in buffers(self.text):
            if kind in ("in", "inout"):
                raw = folder / f"{name}.{buffer}.bin"
                raw.write_bytes(struct.pack(f"<{len(data[buffer])}I", *data[buffer]))
                self.inputs.append(f"--input={buffer}={len(data[buffer])}xf32=@{raw}")
        self.outputs = [b for b, kind in buffers(self.text) if kind in ("out", "inout")] + ALWAYS

    def run(self, command, suffix):
        """What comes out, by name; or the message it fails with."""
        files = {name: self.folder / f"{self.path.stem}.{name}.{suffix}.npy" for name in self.outputs}
        done = subprocess.run(command + self.inputs + [f"--output={n}=@{f}" for n, f in files.items()],
                              capture_output=True, text=True)
        if done.returncode:
            return (done.stderr or done.stdout).strip()
        return {name: read_npy(file) for name, file in files.items()}


def differences(expected, actual, modes):
    """`modes`: of each phase."""
    if isinstance(actual, str) or isinstance(expected, str):
        return [] if expected == actual else [f"{expected!r} and {actual!r}"]
    wrong = []
    for name in expected:
        one, other = expected[name], actual[name]
        if "fused" in modes and name not in ("status", "fault", "counts"):
            one, other = [(s, tuple(0 if v == 0x80000000 else v for v in w)) for s, w in (one, other)]
        if name == "counts":
            one, other = [(s, tuple(v for i, v in enumerate(w) if i % 6 or modes[i // 6] == "faithful"))
                          for s, w in (one, other)]
        if one != other:
            at = next((i for i, (a, b) in enumerate(zip(one[1], other[1])) if a != b), None)
            wrong.append(f"{name}: {one[0]} and {other[0]}, element {at}: "
                         + (f"{one[1][at]:#x} and {other[1][at]:#x}" if at is not None else ""))
    return wrong


def compile_program(program, plan, options):
    """The mode of each phase; or the message it fails with."""
    statistics = plan.with_suffix(".statistics.json")
    made = subprocess.run(["gpuvm-compile", program.path, f"--linear-mode={options.mode}",
                           f"--linear-format={options.format}", f"--linear-statistics={statistics}", "-o", plan],
                          capture_output=True, text=True)
    if made.returncode:
        return made.stderr.strip()
    return [phase["mode"] for phase in json.loads(statistics.read_text())["modes"].values()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kind", default="any")
    parser.add_argument("--mode", default="faithful")
    parser.add_argument("--format", default="hybrid")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--size", type=int, default=16, help="of a batch")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, HERE / "generate.py", options.folder, "--seed", str(options.seed), "--kind",
                    options.kind, "--size", str(options.size), "--count", str(options.first + options.count)], check=True)
    failed = own = mixed = 0
    for number in range(options.first, options.first + options.count):
        program = Program(options.folder, f"{options.kind}-{number}")
        plan = options.folder / f"{program.path.stem}.gvplan"
        modes = compile_program(program, plan, options)
        if isinstance(modes, str):
            wrong = [modes]
        else:
            own += options.mode != "faithful" and "faithful" not in modes
            mixed += len(set(modes)) > 1
            wrong = differences(program.run(["gpuvm-linear", "run", program.path], "reference"),
                                program.run(["gpuvm-run", plan], "plan"), modes)
        if wrong:
            failed += 1
            print(f"{program.path}:", *wrong, sep="\n  ", flush=True)
    print(f"{options.count} programs, {own} of them {options.mode} and not faithfully, {mixed} in several modes: "
          f"{failed} differ")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
