"""Runs IREE's end-to-end tests of linalg through gpuvm, and writes docs/iree-tests.md.

Usage: iree_tests.py CHECKOUT [--write PAGE --commit HASH] [--only NAME] [--folder NAME]...

CHECKOUT is a checkout of IREE. Each function of tests/e2e/FOLDER/*.mlir that checks something becomes a program: what
IREE hides from its optimizer (util.unfoldable_constant) is the initial value of a global, what it expects
(check.expect_*) is sent beside what is computed. Calls are inlined and shapes that IREE pretends not to know are folded
by mlir-opt, as an importer would do it; which tests that is, the page says. All the rest is the compiler's: a program
that it refuses stands in the page with what it said. Needs gpuvm-compile, gpuvm-run and mlir-opt in PATH.
"""

import argparse
import glob
import math
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from differential import read_npy
from program_text import NUMPY, unpack

FOLDERS = ["linalg", "tensor_ops", "subbyte_types", "regression"]


def balanced(text, at):
    """The end of the brackets that begin at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([{<") - (text[i] in ")]}>" and text[i - 1] != "-")
        if depth == 0:
            return i + 1
    raise ValueError(f"no end of {text[at:at + 40]!r}")


def read_functions(path):
    """Aliases and (name, text, whether it is a test) of each function of a file."""
    with open(path) as file:
        text = re.sub(r"^\s*//.*$|\s//[^\"\n]*$", "", file.read(), flags=re.M)
    aliases = "\n".join(re.findall(r"^#.*$", text, re.M))
    functions = []
    for match in re.finditer(r"^func\.func (private |public )?@([\w.]+)", text, re.M):
        signature = balanced(text, text.index("(", match.end()))
        end = re.compile(r"^}", re.M).search(text, signature).end()
        functions.append((match[2], text[match.start():end], "private" not in (match[1] or "")))
    return aliases, functions


class Test:
    """A function in upstream's words: its inputs are arguments, what it is checked for are results."""

    def __init__(self, text):
        self.inputs, self.wants, self.results = [], [], []  # (value, type), (value, type) or None, (name, type)
        self.exact = []
        self.body = text[text.index("{") + 1:text.rindex("}")]
        self.take_constants()
        self.body = re.sub(r"util\.optimization_barrier (%[\w#]+) : (.*)", r"tensor.cast \1 : \2 to \2", self.body)
        self.body = re.sub(r"flow\.tensor\.tie_shape (%\w+) : (tensor<[^>]*>).*", r"tensor.cast \1 : \2 to \2", self.body)
        self.take_checks()
        self.body = re.sub(r"\breturn\b\s*$", "", self.body.rstrip())

    def take_constants(self):
        pattern = re.compile(r"(%\w+) = (?:util\.unfoldable_constant|flow\.tensor\.dynamic_constant)\s+")
        while match := pattern.search(self.body):
            at = match.end()
            if not self.body.startswith("dense", at):  # A scalar.
                self.body = self.body[:match.start()] + f"{match[1]} = arith.constant " + self.body[at:]
                continue
            end = balanced(self.body, self.body.index("<", at))
            type_end = balanced(self.body, self.body.index("<", end))
            type_ = self.body[end:type_end].strip(" :\n")
            name = f"%hidden{len(self.inputs)}"
            self.inputs.append((self.body[at:end], type_))
            target = re.match(r"\s*->\s*(tensor<[^>]*>)", self.body[type_end:])
            type_end += target.end() if target else 0
            cast = f"{match[1]} = tensor.cast {name} : {type_} to {target[1] if target else type_}"
            self.body = self.body[:match.start()] + cast + self.body[type_end:]

    def take_checks(self):
        while match := re.search(r"check\.expect_(almost_)?eq(_const)?", self.body):
            open_ = self.body.index("(", match.end())
            close = balanced(self.body, open_)
            type_ = re.match(r"\s*:\s*(tensor<[^>]*>)", self.body[close:])
            got, want = (re.sub(r", atol.*$", "", self.body[open_ + 1:close - 1]).split(",", 1))
            self.results.append((got.strip(), type_[1]))
            self.exact.append(not match[1])
            if match[2]:
                self.wants.append((want[:want.rindex(" : ")].strip(), type_[1]))
            else:
                self.results.append((want.strip(), type_[1]))
                self.wants.append(None)
            self.body = self.body[:match.start()] + self.body[close + type_.end():]

    def function(self):
        arguments = ", ".join(f"%hidden{i}: {type_}" for i, (_, type_) in enumerate(self.inputs))
        names, types = (", ".join(r[i] for r in self.results) for i in (0, 1))
        return f"func.func @test({arguments}) -> ({types}) {{\n{self.body}\n  return {names} : {types}\n}}\n"

    def program(self, function):
        """The program with the body of `function`, a text of this function."""
        arguments = re.search(r"func\.func @test\((.*?)\)", function)[1]
        names = re.findall(r"(%\w+): ", arguments)
        body = function[function.index("{", function.index("@test(")) + 1:]
        at = re.search(r"^ *return (.*?)( :|$)", body, re.M)
        sent, body = at[1], body[:at.start()]
        sent = ", ".join(self.static(body, i, name) for i, name in enumerate(sent.split(", ")))
        lines = [f"  gpuvm.global @input{i} : {t} = {v} : {t}" for i, (v, t) in enumerate(self.inputs)]
        wants = [(f"want{i}", *w) for i, w in enumerate(self.wants) if w]
        lines += [f"  gpuvm.global @{name} : {t} = {v} : {t}" for name, v, t in wants]
        for line in re.findall(r"^ *%[\w#]+ = tensor\.cast .* to tensor<[^>]*\?.*\n", body, flags=re.M):
            name = line.split()[0]
            if len(re.findall(rf"{name}\b", body + sent)) == 1:  # Only what is sent used it.
                body = body.replace(line, "")
        types = [t for _, t in self.results]
        loads = [f"    {n} = gpuvm.load @input{i} : {t}" for i, (n, (_, t)) in enumerate(zip(names, self.inputs))]
        stages = self.stage("got", types, loads + [body], sent)
        if wants:
            loads = [f"    %{name} = gpuvm.load @{name} : {t}" for name, _, t in wants]
            stages += self.stage("want", [t for *_, t in wants], loads, ", ".join(f"%{name}" for name, *_ in wants))
        outputs = [(f"got{i}", t) for i, t in enumerate(types)] + [(f"want{i}", t) for i, (*_, t) in enumerate(wants)]
        signature = ", ".join(f"{n}: {t}" for n, t in outputs)
        returned = ", ".join(f"%{n}" for n, _ in outputs)
        messages = ", ".join(f"!gpuvm.message<{t}>" for _, t in outputs)
        return "\n".join([f"gpuvm.program @test() -> ({signature}) {{", *lines, *stages,
                          f"  gpuvm.return {returned} : {messages}", "}", ""])

    def static(self, body, result, name):
        """The value of static shape that is sent as `name`."""
        cast = re.search(rf"{re.escape(name)} = tensor\.cast (%[\w#]+) : (\S+) to", body)
        if cast and "?" in self.results[result][1]:
            self.results[result] = (name, cast[2])
            return cast[1]
        return name

    @staticmethod
    def stage(name, types, lines, sent):
        results = ", ".join(f"%{name}{i}" for i in range(len(types)))
        list_ = ", ".join(types)
        return [f"  {results} = gpuvm.stage @{name}() -> ({list_}) {{", *lines, f"    gpuvm.send {sent} : {list_}", "  }"]

    def pairs(self):
        """The outputs to compare: (got, want, type, exact)."""
        got = want = 0
        for expected, exact in zip(self.wants, self.exact):
            type_ = self.results[got][1]
            yield (f"got{got}", f"want{want}" if expected else f"got{got + 1}", type_, exact)
            got, want = (got + 1, want + 1) if expected else (got + 2, want)


def width(dtype):
    return int(re.search(r"\d+", dtype)[0])


def differs(folder, got, want, type_, exact):
    dtype = type_[type_.rindex("x") + 1 if "x" in type_ else type_.index("<") + 1:-1]
    sides = [read_elements(os.path.join(folder, f"{n}.npy"), dtype) for n in (got, want)]
    relative = 1e-3 if width(dtype) <= 16 else 1e-5
    for a, b in zip(*sides, strict=True):
        if a == b or (a != a and b != b):
            continue
        if exact or not math.isfinite(b) or abs(a - b) > 1e-4 + relative * abs(b):
            return f"{a} instead of {b}"
    return ""


def read_elements(path, dtype):
    if dtype in NUMPY:
        return unpack(dtype, read_npy(path, dtype))
    small = unpack("i8", read_npy(path, "i8"))  # Types that are stored as bytes.
    return [decode(b & 0xff, dtype) for b in small] if dtype.startswith("f8") else small


def decode(byte, dtype):
    """The number that a byte is as a float f8ExMy."""
    exponent, mantissa = int(dtype[3]), int(dtype[5])
    unsigned_zero = dtype.endswith("FNUZ")
    bias = 2 ** (exponent - 1) - (0 if unsigned_zero else 1)
    magnitude = byte & 0x7f
    if byte == 0x80 and unsigned_zero or magnitude == 0x7f and dtype.endswith("FN"):
        return math.nan
    if not dtype.endswith(("FN", "FNUZ")) and magnitude >> mantissa == 2 ** exponent - 1:
        return math.nan if magnitude & (2 ** mantissa - 1) else (-math.inf if byte & 0x80 else math.inf)
    low, high = magnitude & (2 ** mantissa - 1), magnitude >> mantissa
    number = math.ldexp(low + (2 ** mantissa if high else 0), max(high, 1) - bias - mantissa)
    return -number if byte & 0x80 else number


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=240, **options)


class Outcome:
    """What became of a test: its error, empty if it works, and whether mlir-opt folded it first."""

    def __init__(self, error, folded):
        self.error, self.folded = error, folded

    def __str__(self):
        return (self.error or "works") + (" (folded first)" if self.folded else "")


def fold(aliases, helpers, function):
    """The function with its calls inlined and its shapes folded; as it is if mlir-opt cannot read it."""
    helpers = "\n".join(h[:h.index("{") + 1] + Test(h).body + "}\n" for h in helpers)
    folded = run(["mlir-opt", "--inline", "--canonicalize", "--cse", "--symbol-dce", "--mlir-print-local-scope"],
                 input=aliases + "\n" + helpers + function)
    return folded.stdout if folded.returncode == 0 else function


def try_test(aliases, helpers, text):
    """The outcome of a function; None if it checks nothing."""
    test = Test(text)
    if not test.results:
        return None
    written = function = test.function()
    if "?" in written or "call @" in written:
        function = fold(aliases, helpers, written)
    return Outcome(find_error(aliases, test, function), function != written)


def find_error(aliases, test, function):
    """Why the program of a test does not compile, run or agree; empty if it does."""
    program = test.program(function)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "test.mlir"), "w") as file:
            file.write(aliases + "\n" + program)
        compiled = run(["gpuvm-compile", "test.mlir", "-o", "test.gvplan"], cwd=folder)
        if compiled.returncode != 0:
            message = next((line for line in compiled.stderr.splitlines() if "error:" in line), compiled.stderr.strip())
            return re.sub(r"^.*?error: ", "", message)
        outputs = sorted({n for got, want, *_ in test.pairs() for n in (got, want)})
        ran = run(["gpuvm-run", "test.gvplan", *(f"--output={n}=@{n}.npy" for n in outputs)], cwd=folder)
        if ran.returncode != 0:
            return "it compiles, and does not run: " + ran.stderr.strip().splitlines()[-1]
        wrong = [d for pair in test.pairs() if (d := differs(folder, *pair))]
        return "WRONG: " + "; ".join(wrong) if wrong else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout")
    parser.add_argument("--write", metavar="PAGE")
    parser.add_argument("--commit", metavar="HASH", help="of the checkout, for the page")
    parser.add_argument("--only", default="")
    parser.add_argument("--folder", action="append")
    options = parser.parse_args()
    rows, functions_in = [], {}
    for folder in options.folder or FOLDERS:
        for path in sorted(glob.glob(os.path.join(options.checkout, "tests", "e2e", folder, "*.mlir"))):
            aliases, functions = read_functions(path)
            functions_in[folder] = functions_in.get(folder, 0) + len(functions)
            helpers = [text for _, text, is_test in functions if not is_test]
            for name, text, is_test in functions:
                if not is_test or options.only not in name:
                    continue
                try:
                    outcome = try_test(aliases, helpers, text)
                except subprocess.TimeoutExpired as late:
                    outcome = Outcome(f"{late.cmd[0]} takes longer than {late.timeout} s", False)
                if outcome is None:
                    continue
                file = f"{folder}/{os.path.basename(path)}"
                rows.append((file, name, outcome))
                print(f"{file} {name}: {outcome}", flush=True)
    works = sum(not outcome.error for *_, outcome in rows)
    print(f"{works} of {len(rows)} work")
    if options.write:
        write_page(options.write, options.commit, functions_in, rows)
    sys.exit(any(outcome.error.startswith("WRONG") for *_, outcome in rows))


def write_page(path, commit, functions_in, rows):
    lines = ["# IREE's tests of linalg", "",
             "Written by `test/e2e/iree_tests.py`, which says how: each function of a checkout of",
             f"[IREE](https://github.com/iree-org/iree){f' (commit {commit})' if commit else ''} that checks something",
             "becomes a program, and what it computes on lavapipe is compared with what the test expects. Of a program that",
             "is refused, the table has what `gpuvm-compile` said. *Folded first*: calls were inlined and shapes that the",
             "test hides were made constants by `mlir-opt`, before gpuvm saw the program. Functions that are no tests are",
             "called by others, or check nothing.", "",
             "| folder | functions | tests | work | of these folded first |", "|---|---|---|---|---|"]
    for folder in functions_in:
        own = [outcome for file, _, outcome in rows if file.startswith(folder + "/")]
        works = [outcome for outcome in own if not outcome.error]
        lines.append(f"| `tests/e2e/{folder}` | {functions_in[folder]} | {len(own)} | {len(works)} | "
                     f"{sum(outcome.folded for outcome in works)} |")
    lines += ["", "| file | test | |", "|---|---|---|"]
    lines += [f"| {file} | {name} | {str(outcome).replace('|', '')} |" for file, name, outcome in rows]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
