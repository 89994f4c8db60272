"""Reads the example of every operation of pages of docs/reference with gpuvm-opt: run_examples.py PAGE...

An example is what follows the word "Example" in the section of an operation: blocks marked mlir, or code in the paragraph. It stands there
without what is around it. Here it is put into the first of these in which the parser and the verifier take it: a file, a program, the body of a
stage, a program of a plan, a plan. Names that it uses and does not define are given to it; of what type says the parser, which knows it from the use. What one
stage is given of another is a message. Exits 1 with the sections that have no example, and with what gpuvm-opt says of those that are wrong.
"""

import pathlib
import re
import subprocess
import sys

NAME = re.compile(r"%[A-Za-z_]\w*")
TYPE = re.compile(r"use of value '(%\w+)' expects different type than prior uses: '(.*)' vs 'none'")


def examples(page):
    """Of each operation of the page, its name and the text of its example, which is empty if it has none."""
    for section in re.split(r"\n(?=#+ )", page.read_text()):
        heading = re.match(r"### `([\w.]+)`", section)
        if not heading:
            continue
        begin = re.search(r"^Examples?\b.*", section, re.MULTILINE | re.DOTALL)
        text = begin[0] if begin else ""
        blocks = re.findall(r"```mlir\n(.*?)```", text, re.DOTALL)
        paragraph = text.split("\n\n")[0]
        yield heading[1], "".join(blocks) or "\n".join(re.findall(r"`([^`]+)`", paragraph))


def undefined(text):
    """The names that the text uses outside of a definition of them: `%a, %b:2 = ...`, `(%a: f32, ...)`."""
    defined = set()
    for line in text.splitlines():
        left = re.match(r"\s*((?:%\w+(?::\d+)?,? ?)+)=", line)
        defined.update(NAME.findall(left[1]) if left else ())
    defined.update(re.findall(r"(%\w+) = (?:shared )?%", text))
    defined.update(re.findall(r"[(,] ?(%\w+): ", text))
    return [name for name in dict.fromkeys(NAME.findall(text)) if name not in defined]


class Try:
    """An example in one of the places where it may stand."""

    PLACES = ("file", "program", "stage", "plan", "plan module")

    def __init__(self, text, place):
        self.text, self.place = text, place
        self.types = dict.fromkeys(undefined(text), "none")

    def source(self):
        if self.place == "file":
            return self.text
        if self.place.startswith("plan"):
            stage = 'plan.stage "example" instance 0 kernels []'
            text = f"plan.program @example {{\n{stage}\n{self.text}\n}}" if self.place == "plan" else f"{self.text}\nplan.program @other {{\n}}"
            return f"plan.module @example regions [1024, 1024, 1024, 1024, 1024] instances 4 {{\n{text}\n}}"
        if "none" in self.types.values():  # Only read as far as the first of these.
            given = "\n".join(f'{name} = "example.value"() : () -> {type}' for name, type in self.types.items())
            return f"gpuvm.program @example() ranks(4) {{\n{given}\n{self.text}\ngpuvm.return\n}}"
        return self.program()

    def program(self):
        inputs, before, given = [], [], []
        for name, type in self.types.items():
            payload = re.fullmatch(r"!gpuvm\.message<(.*)>", type)
            if not type.startswith(("tensor", "!")):
                before.append(f"{name} = arith.constant {'1' if type[0] == 'i' else '1.0'} : {type}")
                continue
            isMessage = payload or (self.place == "stage" and type.startswith("tensor"))
            inner = payload[1] if payload else type
            inputs.append(f"{name}{'_in' if isMessage else ''}: {inner}")
            if isMessage:
                before.append(f"{name} = gpuvm.stage @make_{name[1:]}(%v = {name}_in : {inner}) -> {inner} {{\n"
                              f"gpuvm.send %v : {inner}\n}}")
            given.append(f"{name} = {name} : {f'!gpuvm.message<{inner}>' if isMessage else inner}")
        body = self.text
        if self.place == "stage":
            body = f"gpuvm.stage @example({', '.join(given)}) {{\n{self.text}\n}}"
        lines = "\n".join([*before, body])
        return f"gpuvm.program @example({', '.join(inputs)}) ranks(4) {{\n{lines}\ngpuvm.return\n}}"


def run(tries):
    """What gpuvm-opt says first of each of them; nothing if it takes it."""
    sources = [each.source() for each in tries]
    begins, line = [], 1
    for source in sources:
        begins.append(line)
        line += source.count("\n") + 2
    ran = subprocess.run(["gpuvm-opt", "--split-input-file", "--allow-unregistered-dialect", "-o", "/dev/null"],
                         input="\n// -----\n".join(sources), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    said = [None] * len(tries)
    for error in re.finditer(r"<stdin>:(\d+):\d+: error: (.*)", ran.stderr):
        which = max(i for i, begin in enumerate(begins) if begin <= int(error[1]))
        said[which] = said[which] or error[2]
    if ran.returncode and not any(said):
        sys.exit(f"gpuvm-opt: {ran.stderr[-1000:]}")
    return said


def check(tries):
    """Gives names their types until gpuvm-opt asks for no more; what it says then."""
    said, asking = [None] * len(tries), list(range(len(tries)))
    while asking:
        more = []
        for which, error in zip(asking, run([tries[i] for i in asking])):
            said[which] = error
            known = TYPE.match(error or "")
            if known and tries[which].types.get(known[1]) == "none":
                tries[which].types[known[1]] = known[2]
                more.append(which)
        asking = more
    return said


def main():
    found = [(page, name, text) for path in sys.argv[1:] for page in [pathlib.Path(path)] for name, text in examples(page)]
    tries = [Try(text, place) for _, _, text in found for place in Try.PLACES]
    said = check(tries)
    wrong = 0
    for i, (page, name, text) in enumerate(found):
        answers = said[i * len(Try.PLACES):(i + 1) * len(Try.PLACES)]
        if text and None in answers:
            continue
        wrong += 1
        print(f"{page.name}: {name}: " + ("\n".join(f"in a {p}: {a}" for p, a in zip(Try.PLACES, answers)) if text else "no example"))
    print(f"{len(found) - wrong} examples are right, {wrong} are wrong.")
    sys.exit(wrong != 0)


main()
