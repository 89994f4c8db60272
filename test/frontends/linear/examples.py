"""Runs the programs of examples/linear, small, in each mode, and compares all that comes out with the reference.

    examples.py EXAMPLES FOLDER

It is the same byte by byte; but in compiled and fused mode the number of epochs may differ, and in fused mode numbers are within
FUSED of the largest one. Prints a line for each program: in which modes it ran by itself, not
faithfully; and in the end how many differ.
"""

import pathlib
import random
import re
import struct
import subprocess
import sys

EXAMPLES, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
FUSED = 1e-5
ALWAYS = ["state", "status", "fault", "counts"]
# What stands in place of constants, sizes and numbers of machines. Faithful mode takes its time for each epoch.
SMALL = {
    "count": {},
    "dataflow": {},
    "simd": {},
    "affine": {},
    "spawn": {},
    "pipeline": {"COUNT": "5", "sums": "5"},
    "tree": {"WIDTH": "10", "x": "1000", "partial": "100", "fewer": "10", "run sum 10000": "run sum 100", "run sum 100 ": "run sum 10 "},
    "mandelbrot": {"WIDTH": "12", "PIXELS": "96", "STEPS": "8", "PITCH": "0.25"},
    "ode": {"SYSTEMS": "20", "STEPS": "2", "H": "0.25", "HALF": "0.125", "SIXTH": "0.0416666667"},
    "network": {"WIDTH": "16", "PIXELS": "128", "SKIP": "12", "PARTS": "1024"},
}


def resized(text, sizes):
    for name, value in sizes.items():
        if name.startswith("run "):
            text = text.replace(name, value)
        text = re.sub(rf"^(\.(?:const|buffer) {name}) \S+", rf"\1 {value}", text, flags=re.MULTILINE)
    return text


def size(text, word):
    constants = dict(re.findall(r"^\.const (\w+) (\S+)", text, re.MULTILINE))
    return int(constants.get(word, word))


class Example:
    def __init__(self, name):
        self.name = name
        self.found = {}  # By plan.
        self.text = resized((EXAMPLES / f"{name}.lvm").read_text(), SMALL[name])
        self.source = FOLDER / f"{name}.lvm"
        self.source.write_text(self.text)
        buffers = re.findall(r"^\.buffer (\w+) (\w+) (\w+)", self.text, re.MULTILINE)
        self.inputs = [self.makeInput(b, size(self.text, words)) for b, words, kind in buffers if kind == "in"]
        self.outputs = [b for b, _, kind in buffers if kind == "out"] + ALWAYS

    def makeInput(self, buffer, count):
        draw = random.Random(f"{self.name}.{buffer}")
        file = FOLDER / f"{self.name}.{buffer}.bin"
        file.write_bytes(struct.pack(f"<{count}f", *(draw.uniform(1, 4) for _ in range(count))))
        return f"--input={buffer}={count}xf32=@{file}"

    def run(self, *command):
        """The files of its outputs by name."""
        files = {name: FOLDER / f"{self.name}.{name}.npy" for name in self.outputs}
        subprocess.run([*command, *self.inputs, *(f"--output={n}=@{f}" for n, f in files.items())], check=True)
        return {name: file.read_bytes() for name, file in files.items()}

    def runMode(self, mode):
        """(its outputs, whether the mode ran it); a plan that was run before has the outputs that it had."""
        plan = self.source.with_suffix(".gvplan")
        made = subprocess.run(["gpuvm-compile", self.source, f"--linear-mode={mode}", "-o", plan], capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"{self.name}: gpuvm-compile ends with {made.returncode}: {made.stderr}")
        content = plan.read_bytes()
        if content not in self.found:
            self.found[content] = self.run("gpuvm-run", plan)
        return self.found[content], "runs faithfully" not in made.stderr


def numbers(array, kind):
    """The elements of a .npy file."""
    begin = 10 + struct.unpack("<H", array[8:10])[0]
    return [number for number, in struct.iter_unpack(f"<{kind}", array[begin:])]


def withoutEpochs(counts):
    return [n for i, n in enumerate(numbers(counts, "q")) if i % 6]


def areClose(expected, found):
    one, other = numbers(expected, "f"), numbers(found, "f")
    bound = FUSED * max(map(abs, one))
    return len(one) == len(other) and all(abs(x - y) <= bound for x, y in zip(one, other))


def isSame(name, expected, found, mode):
    if name == "counts" and mode != "faithful":
        return withoutEpochs(expected) == withoutEpochs(found)
    if mode == "fused" and name not in ALWAYS[1:]:
        return areClose(expected, found)
    return expected == found


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    assert sorted(SMALL) == sorted(file.stem for file in EXAMPLES.glob("*.lvm")), "an example is not tested"
    failed = 0
    for name in SMALL:
        example = Example(name)
        expected = example.run("gpuvm-linear", "run", example.source)
        ends = struct.unpack("<q", expected["counts"][-8:])[0]
        own = []
        for mode in ("faithful", "compiled", "fused"):
            found, runs = example.runMode(mode)
            kind = mode if runs else "faithful"
            wrong = [output for output in expected if not isSame(output, expected[output], found[output], kind)]
            failed += bool(wrong)
            own += [mode] if runs else []
            if wrong:
                print(f"{name}: {mode} differs in {', '.join(wrong)}")
        print(f"{name}: {' '.join(own)}, the last phase ends with {ends}")
    print(f"{len(SMALL)} programs, {failed} differ")
    return failed != 0


sys.exit(main())
