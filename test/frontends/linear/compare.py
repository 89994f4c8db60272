"""Runs random programs on the reference in all its ways, which must agree bit for bit (a NaN is
a NaN): straight, by matrices in each format, and in random schedules where the program is
timing-free, which `run --check` must find too.

    compare.py FOLDER [--kind any] [--seed 0] [--count 100] [--first 0] [--size 16]
               [--independent | --other PROGRAM]

With --independent a straight run is compared with reference.py (which needs numpy), and nothing
else is done. PROGRAM is another implementation of the machine: it takes FILE.lvm and FILE.json
(the data, as generate.py writes it) and prints an object {output: list of words, as unsigned bits;
counts as numbers}. gpuvm-linear is taken from PATH. Prints how many programs differ, and leaves
their files in FOLDER.
"""

import argparse
import collections
import json
import os
import re
import struct
import subprocess
import sys

import generate

FORMATS = ["csr", "dense", "bsr2", "bsr4", "dictionary", "runlength"]
MACHINES = ["state", "status", "fault"]
INTEGERS = ["status", "fault", "counts"]
ELEMENTS, COUNTS, EPOCHS, END, BUDGET = 22, 6, 0, 5, 3


def canonical(word):
    return 0x7fc00000 if word & 0x7fffffff > 0x7f800000 else word


def canonical_result(result):
    """With one NaN."""
    return {name: [canonical(word) for word in words] if name not in INTEGERS else words
            for name, words in result.items()}


def read_words(path, is_float, is_wide):
    with open(path, "rb") as file:
        data = file.read()
    body = data[10 + struct.unpack_from("<H", data, 8)[0]:]
    words = struct.unpack(f"<{len(body) // (8 if is_wide else 4)}{'q' if is_wide else 'I'}", body)
    return [canonical(word) for word in words] if is_float else list(words)


class Case:
    def __init__(self, folder, options, index):
        self.text, self.data = generate.make(options.seed, index, options.kind, options.size)
        self.kind = options.kind
        self.stem = os.path.join(folder, f"{options.kind}-{index}")
        self.files = [self.stem + ".lvm", self.stem + ".json"]
        for path, content in zip(self.files, (self.text, json.dumps(self.data))):
            with open(path, "w") as file:
                file.write(content)
        self.inputs = []
        for name, words in self.data.items():
            self.files.append(f"{self.stem}.{name}.bin")
            with open(self.files[-1], "wb") as file:
                file.write(struct.pack(f"<{len(words)}I", *words))
            self.inputs.append(f"--input={name}={len(words)}xf32=@{self.files[-1]}")
        self.outputs = re.findall(r"^\.buffer (\w+) \d+ (?:out|inout)$", self.text, re.M)
        self.outputs += MACHINES + ["counts"]

    def run(self, *flags):
        """What comes out, by name; a text if it fails."""
        paths = {name: f"{self.stem}.{name}.npy" for name in self.outputs}
        done = subprocess.run(["gpuvm-linear", "run", self.files[0], "--quiet", *flags, *self.inputs]
                              + [f"--output={name}=@{path}" for name, path in paths.items()],
                              capture_output=True, text=True)
        if done.returncode:
            return done.stderr
        if done.stderr:
            print(f"{self.files[0]}: {' '.join(flags)}: {done.stderr}", end="")
        result = {name: read_words(path, name not in INTEGERS, name == "counts")
                  for name, path in paths.items()}
        for path in paths.values():
            os.remove(path)
        return result

    def run_other(self, program):
        done = subprocess.run(program.split() + self.files[:2], capture_output=True, text=True)
        if done.returncode:
            return done.stderr
        return canonical_result(json.loads(done.stdout))

    def run_independently(self):
        import reference  # Needs numpy.
        return canonical_result(reference.words(self.text, self.data))

    def remove(self):
        for path in self.files:
            os.remove(path)


def machines(result):
    """As a multiset: which slot a SPAWN gets may differ."""
    vectors = [tuple(result["state"][at:at + ELEMENTS]) for at in range(0, len(result["state"]), ELEMENTS)]
    return collections.Counter(zip(vectors, result["status"], result["fault"]))


def differences(expected, actual, kind, jittered):
    if isinstance(expected, str) or isinstance(actual, str):
        return [] if expected == actual else [f"{expected!r} and {actual!r}"]
    wrong = [] if expected.keys() == actual.keys() else [f"{list(expected)} and {list(actual)}"]
    for name in expected.keys() & actual.keys():
        one, other = expected[name], actual[name]
        if jittered and name == "counts":  # Of WAIT and of SPAWN attempts depend on timing.
            one, other = one[END::COUNTS], other[END::COUNTS]
        if jittered and kind == "spawning" and name in MACHINES:
            continue
        if one != other:
            at = next((i for i, pair in enumerate(zip(one, other)) if pair[0] != pair[1]), -1)
            wrong.append(f"{name}[{at}]: {one[at]:#x} and {other[at]:#x}")
    if jittered and kind == "spawning" and machines(expected) != machines(actual):
        wrong.append("machines")
    return wrong


def check(case, options, index):
    """What differs from a straight run, as lines, and whether it comes to its end."""
    expected = case.run()
    ended = not isinstance(expected, str) and BUDGET not in expected["counts"][END::COUNTS]
    if options.independent:
        return differences(expected, case.run_independently(), case.kind, False), ended
    ways = [(f"--linear-format={name}",) for name in FORMATS] + [("--linear-threshold=0.048",)]
    wrong = []
    for flags in ways:
        wrong += [f"{flags[0]}: {line}" for line in differences(expected, case.run(*flags), case.kind, False)]
    if options.other:
        wrong += [f"{options.other}: {line}"
                  for line in differences(expected, case.run_other(options.other), case.kind, False)]
    if case.kind in ("any", "mixed", "mixed-whole") or not ended:
        return wrong, ended
    if case.run("--check") != expected:
        wrong.append("--check finds a race")
    for seed in range(3):
        flags = (f"--jitter={index * 3 + seed}",)
        wrong += [f"{flags[0]}: {line}" for line in differences(expected, case.run(*flags), case.kind, True)]
    return wrong, ended


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--kind", choices=generate.KINDS, default="any")
    parser.add_argument("--size", type=int, default=generate.BATCH, help="of a batch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--independent", action="store_true")
    parser.add_argument("--other")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    failed = ended = 0
    for index in range(options.first, options.first + options.count):
        case = Case(options.folder, options, index)
        wrong, has_ended = check(case, options, index)
        ended += has_ended
        failed += bool(wrong)
        if wrong:
            print(case.files[0] + ":", *wrong, sep="\n  ", flush=True)
        else:
            case.remove()
    print(f"{options.count} programs ({options.kind}), {ended} of them within their budget: {failed} differ")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
