"""Programs of the linear-algebra VM in its three modes, next to the reference on two threads and torch's batched step.

A machine's state on the device is 20 f32 and 5 i32, and the list of those that run an i32 more.
"""

import dataclasses
import json
import pathlib

import numpy as np

import growth
import host
from gpuvm import Gpuvm
import linear_programs as programs
from model import Case, Target

TITLE = "The linear-algebra VM"
NOTES = ("Instructions are those that all machines execute. A stage is an epoch in faithful mode, else a turn of the loop.",
         "Bytes: in faithful mode each state and list read once and written once in each epoch, in the others the state written "
         "once. An arithmetic instruction may not be fused with the next one, so it takes the place of a multiply-add: 2 operations.",
         "Statuses and counts of all machines are checked, and the states of the first ones against the reference: bit for bit, "
         "in fused mode within 1e-5. The error is that from the first peer.",
         "reference: `gpuvm-linear run --threads=2`; where it would take long it gets fewer machines or turns, and its time is "
         "multiplied by the ratio of instructions.",
         "The paper's column is its estimate for one GPU.")
PAPER = 16.7e6  # instructions/s
STATE, LIST = 20 * 4 + 5 * 4, 4  # bytes a machine
HALTED = 3
# Instructions that the reference executes for a sample, and to be compared.
SAMPLED, COMPARED = 10_000_000, 5_000_000
FEWEST = 10_000  # machines of a sample, with fewer iterations instead


def error(got, wanted):
    """That of subjects.py, which needs all of NumPy: not where programs are only written."""
    import subjects
    return subjects.error(got, wanted)


class Tool:
    """gpuvm-linear, of the build or of the bundle."""

    def __init__(self, options):
        self.options, self.vm = options, None

    def run(self, name, text, outputs=()):
        """({output: array}, what it measured)"""
        if self.vm is None:
            bundle = self.options.bundle and self.options.bundle.resolve()
            self.vm = Gpuvm(self.options.bin.resolve(), self.options.device, bundle)
        folder = pathlib.Path(self.vm.scratch.name)
        source = folder / f"{name}.lvm"
        source.write_text(text)
        files = {output: folder / f"{name}-{output}.npy" for output in outputs}
        asked = [f"--output={output}=@{file}" for output, file in files.items()] or ["--output=counts", "--quiet"]
        printed = self.vm.call("gpuvm-linear", "run", source, f"--threads={host.THREADS}", "--stats=json", *asked)
        return {output: np.load(file) for output, file in files.items()}, json.loads(printed.splitlines()[-1])


class Right:
    """What is right: states of as many first machines as the reference runs fast."""

    def __init__(self, tool, program, machines, bound):
        self.tool, self.program, self.machines, self.bound = tool, program, machines, bound
        self.count = min(machines, max(64, COMPARED // program.executed()))
        self.known = None

    def states(self):
        if self.known is None:
            outputs, _ = self.tool.run(self.program.name, self.program.text(self.count), ("state",))
            self.known = outputs["state"]
        return self.known

    def compared(self, outputs):
        """The states of those machines. What is ours, with counts, is checked."""
        state = outputs["state"][:self.count]
        if "counts" in outputs:
            self.check(outputs, state)
        return state

    def check(self, outputs, state):
        counts = outputs["counts"][0]
        wanted = self.machines * self.program.executed()
        if counts[1:5].sum() != wanted or counts[5] != 0:
            raise RuntimeError(f"{counts[1:5].sum()} instructions are executed and the end is {counts[5]}, where {wanted} and 0 are right")
        if np.any(outputs["status"] != HALTED) or np.any(outputs["fault"] != 0):
            raise RuntimeError("a machine has not halted")
        if self.bound == 0 and not np.array_equal(state.view(np.uint32), self.states().view(np.uint32)):
            raise RuntimeError("a state differs from the reference's")
        worst = error(state, self.states())
        if not worst <= self.bound:
            raise RuntimeError(f"the states are wrong, error {worst:.1e} (bound {self.bound})")


class Reference:
    """The interpreter in C++; it says itself what it takes."""

    def __init__(self, right):
        self.right, program = right, right.program
        machines = min(right.machines, max(FEWEST, SAMPLED // program.executed()))
        if program.turns:
            most = max(1, SAMPLED // machines // (len(program.body) + 2))
            program = dataclasses.replace(program, turns=min(program.turns, most))
        self.name, self.text = f"{program.name}-timed", program.text(machines)
        self.scale = right.machines * right.program.executed() / (machines * program.executed())
        self.form = f"{host.THREADS} threads"
        if self.scale > 1:
            self.form += f", {machines:,} machines" + f", {program.turns:,} turns" * bool(program.turns)

    def sample(self):
        _, stats = self.right.tool.run(self.name, self.text)
        return {"wall_us": stats["wall_us"]["median"] * self.scale}

    def output(self):
        return self.right.states()

    def error(self, got):
        return error(got, self.right.states())

    def close(self):
        pass


#===--- torch ---===#

# Machines whose matrices, 1,936 bytes each, are gathered in a step.
MOST_MATRICES = 1_000_000


def stepped(torch, step, state, turns):
    for _ in range(turns):
        state, = step(state)
    return {"state": state}


def batched(program, machines):
    """Steps of all machines, each at its instruction: by cases, compiled, or by matrices."""
    def form(compiled, method):
        def call(d):
            torch = d["torch"]
            if not made:
                torch._dynamo.reset()  # compiles for these machines only
                made.append(programs.Interpreter(torch, program, machines, d["device"]))
            interpreter = made[0]
            step = getattr(interpreter, method)
            return stepped(torch, torch.compile(step, dynamic=False) if compiled else step, interpreter.state, interpreter.steps)
        made = []
        return call

    forms = {"cases, compiled step": form(True, "step")}
    if machines <= MOST_MATRICES:
        forms["matrices, bmm"] = form(False, "matrix_step")
    return forms


def whole(torch, machines, elements, device):
    """States of which these elements are computed."""
    _, state = programs.machines_of(torch, machines, device)
    for number, column in elements.items():
        state[:, number] = column
    return {"state": state}


UNROLLED = 10  # iterations that torch compiles at once


def rotated(program, machines):
    def call(d):
        torch, device = d["torch"], d["device"]
        if not begun:
            torch._dynamo.reset()
            begun.append(True)
        end = float(len(program.instructions()) - 1)

        def step(x, y, by):
            for _ in range(UNROLLED):
                for _, _, other, factor in program.body[::2]:
                    if other == "r1":
                        by = y * float(factor)
                        x = x + by
                    else:
                        by = x * float(factor)
                        y = y + by
            return x, y, by

        compiled = torch.compile(step, dynamic=False)
        x = torch.arange(machines, device=device, dtype=torch.float32) * float(programs.SMALL)
        state = (x, torch.full_like(x, 0.5), torch.zeros_like(x))
        for _ in range(program.turns // UNROLLED):
            state = compiled(*state)
        return whole(torch, machines, {0: end, 1: state[0], 2: state[1], 3: state[2]}, device)
    begun = []
    return {"compiled step": call}


def multiplied(program, machines):
    """The run as one matrix, made before."""
    def call(d):
        torch, device = d["torch"], d["device"]
        if not made:
            product = np.eye(programs.ELEMENTS)
            for words in program.body:
                product = np.array(programs.matrix(words)) @ product
            made.append(torch.tensor(product.T.astype(np.float32), device=device))
        numbers, state = programs.machines_of(torch, machines, device)
        r0 = numbers * float(programs.SMALL)
        r1 = r0 * r0
        state[:, 0], state[:, 1], state[:, 2], state[:, 3] = len(program.start), r0, r1, r1 * r0
        for _ in range(max(program.turns, 1)):
            state = state @ made[0]
        state[:, 0] = len(program.instructions()) - 1
        return {"state": state}
    made = []
    return {"product": call}


#===--- Cases ---===#

def case(tool, mode, program, machines, what, torch, target=None, **more):
    right = Right(tool, program, machines, 1e-5 if mode == "fused" else 0)
    executed = program.executed()
    faithful = mode == "faithful"
    bytes_ = 2 * (STATE + LIST) * executed if faithful else (programs.ELEMENTS + 2) * 4
    arithmetic = 0 if faithful else max(program.turns, 1) * len(program.body)
    return Case(f"{mode}: {what}", program.text(machines), {}, language="lvm", options=(f"--linear-mode={mode}",),
                compared=right.compared, torch=torch(program, machines),
                peers={"reference": lambda session, case, arrays: Reference(right)},
                counts=(machines * executed, "instructions"), bytes=machines * bytes_, operations=2 * machines * arithmetic,
                stages=executed if faithful else program.turns, target=target,
                extra={"mode": mode, "machines": machines, "instructions of a program": len(program.instructions()),
                       "bytes of a state": STATE + LIST, "the paper's instructions/s": f"{PAPER:.3g}"}, **more)


@dataclasses.dataclass(frozen=True)
class Sizes:
    faithful: tuple = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    lengths: tuple = (16, 64, 256, 1024)
    length: int = 64
    middle: int = 100_000  # machines of programs of different lengths
    compiled: tuple = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    turns: int = 1000
    fused: int = 100_000  # machines
    runs: tuple = (0, 100)  # iterations of fused programs; 0 is a run without a loop


SIZES = {"gpu": Sizes(),
         "cpu": Sizes((100, 1_000, 10_000), (16, 64, 256), 64, 1_000, (1_000, 10_000, 100_000), 100, 10_000, (0, 10))}


def faithful(tool, sizes, targets):
    grown = [(machines, sizes.length) for machines in sizes.faithful]
    for machines, length in dict.fromkeys(grown + [(sizes.middle, length) for length in sizes.lengths]):
        yield case(tool, "faithful", programs.mixed(length), machines, f"{machines:,} machines, {length:,} instructions", batched,
                   targets.get((machines, length)), bound=1e-5)


def cases(device, options):
    tool, sizes = Tool(options), SIZES[device]
    isGpu = device == "gpu"
    yield from faithful(tool, sizes, {(100_000, 64): Target(1e9, "rate")} if isGpu else {})
    for machines in sizes.compiled:
        target = (Target(1e12, "rate") if machines == 1_000_000 else None) if isGpu else Target(5.0, "reference")
        yield case(tool, "compiled", programs.rotation(sizes.turns), machines, f"{machines:,} machines, {sizes.turns:,} turns of 32",
                   rotated, target, bound=1e-3)
    for turns in sizes.runs:
        what = f"{sizes.fused:,} machines, " + (f"{turns:,} turns of 32" if turns else "a run of 32")
        yield case(tool, "fused", programs.linear_run(turns), sizes.fused, what, multiplied,
                   Target(1e11, "rate") if isGpu and not turns else None, bound=1e-5)


#===--- What limits a row ---===#

def microseconds(row):
    return row["ours"].get("device_us", row["ours"]["wall_us"])["median"]


def epoch_us(row):
    return microseconds(row) / row["extra"]["instructions of a program"]


def share(row, what, copy_gbps):
    """What of the time the copy of so many bytes takes."""
    return what / copy_gbps / 1e3 / microseconds(row)


def waiting_us(rows):
    """What an epoch of no machines would take, so commands and barriers, by the two rows with the fewest; 0 without two."""
    first = min(rows, key=lambda row: row["extra"]["machines"])
    more = [row for row in rows if row["extra"]["machines"] > first["extra"]["machines"]]
    if not more:
        return 0.0
    second = min(more, key=lambda row: row["extra"]["machines"])
    ratio = second["extra"]["machines"] / first["extra"]["machines"]
    return max(0.0, (ratio * epoch_us(first) - epoch_us(second)) / (ratio - 1))


def faithful_limit(row, waiting, copy_gbps):
    epochs, plan = row["extra"]["instructions of a program"], row["plan"]
    waits = min(1.0, waiting / epoch_us(row))
    moved = share(row, plan["bytes_moved"], copy_gbps)
    limit = "barriers" if waits > 0.5 else "bytes" if moved > 0.5 else "the kernels' own work"
    return (f"{epoch_us(row):.3g} us an epoch ({plan['dispatches'] / epochs:.0f} dispatches, {plan['barriers'] / epochs:.0f} barriers: "
            f"{100 * waits:.0f} % of that by the rows with the fewest machines); the bytes of its state take {100 * share(row, row['bytes'], copy_gbps):.1f} % "
            f"of the time at the copy speed, those that the plan moves {100 * moved:.0f} %: {limit}")


def other_limit(row, copy_gbps):
    moved = share(row, row["bytes"], copy_gbps)
    text = f"the state takes {100 * moved:.1f} % of the time at the copy speed"
    if row["limit"] == "arithmetic":
        text += f", its arithmetic {100 * (row['fraction'] or 0):.1f} % at the peak"
    return f"{text}: {'bytes' if moved > 0.5 else 'arithmetic' if row['stages'] else 'what is done around the run'}"


def remarks(result):
    """What limits each row, with its fraction."""
    rows = [row for row in result["rows"] if "ours" in row]
    epochs = [row for row in rows if row["extra"]["mode"] == "faithful"]
    waiting, copy = waiting_us(epochs) if epochs else 0.0, result["copy_gbps"]["median"]
    for row in rows:
        limit = faithful_limit(row, waiting, copy) if row in epochs else other_limit(row, copy)
        memory = row["plan"]["memory_bytes"] / row["extra"]["machines"]
        yield f"{row['what']}: {limit}. Memory on the device: {memory:,.0f} bytes a machine, with what an execution needs in between."


def series(rows, axis):
    """{name: [(x, instructions/s)]} of ours and of each peer."""
    lines = {}
    for row in rows:
        for name, times in {"gpuvm": row["ours"], **row["peers"]}.items():
            us = times.get("device_us", times["wall_us"])["median"]
            lines.setdefault(f"{row['extra']['mode']}, {name}", []).append((row["extra"][axis], row["counts"][0] / us * 1e6))
    return {name: sorted(points) for name, points in lines.items()}


def picture(where, result):
    """Growth with machines and with the length of a program."""
    rows = [row for row in result["rows"] if "ours" in row and row["extra"]["mode"] != "fused"]
    usual = [row for row in rows if row["extra"]["mode"] == "compiled" or row["extra"]["instructions of a program"] == Sizes.length]
    middle = {sizes.middle for sizes in SIZES.values()}
    lengths = [row for row in rows if row["extra"]["mode"] == "faithful" and row["extra"]["machines"] in middle]
    panels = {"machines": series(usual, "machines"), "instructions of a program": series(lengths, "instructions of a program")}
    return growth.svg(f"{TITLE}, instructions a second: {where['device']}", panels)
