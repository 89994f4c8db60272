"""The token-stream VM with the model for tests, next to the reference on two threads and torch's form of the same step."""

import dataclasses
import json

import numpy as np

import growth
import host
from model import Target
from token_step import Automaton, NumpyArrays, Ring, Streams, TorchArrays
from token_work import TOKENS, Tool, Work

TITLE = "The token-stream VM"
STATE, TURN = 13 * 4, 8  # bytes of a stream; steps of it that a dispatch takes
OPERATIONS = 120  # of a step, about: the instructions of frontends/token/engine/templates/Step.mlir without those of an event
NOTES = (f"An execution is all of it: {TOKENS} tokens of each stream, by `start` and as often `run` as records have room for. A stage is a step. "
         "There are three zone patterns, a jump, escapes and two tags; 4 of 10 tokens are the model's, the rest is forced.",
         f"Bytes: a word recorded of each step, and a state of {STATE} bytes read and written once in {TURN} steps. A step counts as {OPERATIONS} "
         "integer operations.",
         "What the first streams do is compared with the reference bit for bit, where all streams end with torch's: what a stream says depends on "
         "all of its tokens before. The error is that from the first peer.",
         "reference: `gpuvm-token reference --threads=2`; where it would take long it gets fewer streams, and its time is multiplied by the ratio.",
         "Peers' step is that of streams without tools. Zones are looked up; the last tokens of each stream are compared with all patterns (ring), "
         "or are a number that is looked up (automaton).")
# Steps that the reference takes for a sample.
SAMPLED = 2 ** 21
# Of more streams a form of the peers takes long.
MOST_EAGER, MOST_NUMPY = 65_536, 4_096


#===--- Peers ---===#

class Reference:
    """The interpreter in C++; it says itself what it takes."""

    def __init__(self, work):
        self.work, self.streams = work, min(work.streams, SAMPLED // TOKENS)
        self.form = f"{host.THREADS} threads" + f", {self.streams:,} streams" * (self.streams < work.streams)

    def sample(self):
        printed = self.work.tool.reference(self.work.machine, self.streams, "--stats=json")
        return {"wall_us": json.loads(printed.splitlines()[-1])["wall_us"]["median"] * self.work.streams / self.streams}

    def output(self):
        return self.work.positions

    def error(self, got):
        from subjects import error
        return error(got[:, :self.work.first], self.work.positions)

    def close(self):
        pass


def numpy_peer(work):
    from subjects import Host
    streams = Streams(NumpyArrays(np), work.machine, Automaton)
    work.check(streams.run(work.first, TOKENS, TOKENS, streams.steps)[0])
    subject = Host(work.case, lambda: streams.run(work.streams, TOKENS, TOKENS, streams.steps)[1])
    subject.form = "automaton"
    return subject


class TorchForms:
    """Ways to take all steps in a call, and so in a CUDA graph. Steps that are compiled together are a few kernels, the same for all cases."""

    def __init__(self):
        self.made = {}

    def streams(self, torch, device, machine, patterns, together):
        """(streams, what takes steps of them)"""
        if not self.made:
            torch._dynamo.reset()
        if (patterns, together) not in self.made:
            streams = Streams(TorchArrays(torch, device), machine, patterns)
            self.made[patterns, together] = streams, torch.compile(streams.steps) if together else streams.steps
        return self.made[patterns, together]

    def form(self, work, patterns, together=0):
        def call(d):
            streams, steps = self.streams(d["torch"], d["device"], work.machine, patterns, together)
            return {"positions": streams.run(work.streams, TOKENS, together or TOKENS, steps)[1]}
        return call

    def of(self, work):
        forms = {"ring, compiled step": self.form(work, Ring, 1), f"automaton, {TURN} compiled steps": self.form(work, Automaton, TURN)}
        if work.streams <= MOST_EAGER:
            forms["ring"] = self.form(work, Ring)
        return forms


#===--- Cases ---===#

SIZES = {"gpu": (1_000, 10_000, 65_536, 262_144, 1_000_000), "cpu": (256, 4_096, 65_536)}
TARGETS = {"gpu": {65_536: Target(1e9, "rate")}, "cpu": {size: Target(2.0, "reference") for size in SIZES["cpu"][1:]}}


def with_test_model(work, device, forms):
    """The model is a part of the step."""
    streams = work.streams
    peers = {"reference": lambda session, case, arrays: Reference(work)}
    if device == "cpu" and streams <= MOST_NUMPY:
        peers["NumPy"] = lambda session, case, arrays: numpy_peer(work)
    return dataclasses.replace(work.case, torch=forms.of(work), peers=peers, target=TARGETS[device].get(streams),
                               bytes=streams * TOKENS * (4 + 2 * STATE // TURN), operations=streams * TOKENS * OPERATIONS, arithmetic="i32")


def cases(device, options):
    tool, forms = Tool(options), TorchForms()
    for streams in SIZES[device]:
        yield with_test_model(Work(tool, streams), device, forms)


#===--- What limits a row ---===#

def microseconds(times):
    return times.get("device_us", times["wall_us"])["median"]


def turn_us(row):
    return microseconds(row["ours"]) * TURN / row["stages"]


def waiting_us(rows):
    """What an iteration of no streams would take, so commands and barriers, by the two rows with the fewest; 0 without two."""
    if len(rows) < 2:
        return 0.0
    first, second = sorted(rows, key=lambda row: row["extra"]["streams"])[:2]
    ratio = second["extra"]["streams"] / first["extra"]["streams"]
    return max(0.0, (ratio * turn_us(first) - turn_us(second)) / (ratio - 1))


def limit_text(row, waiting, copy_gbps):
    waits = min(1.0, waiting / turn_us(row))
    needed, moved = (what / copy_gbps / 1e3 / microseconds(row["ours"]) for what in (row["bytes"], row["plan"]["bytes_moved"]))
    parts = [f"{turn_us(row):.3g} us for {TURN} steps, of which {100 * waits:.0f} % are those of no streams, by the rows with the fewest",
             f"its bytes take {100 * needed:.1f} % of the time at the copy speed, those that the plan moves {100 * moved:.0f} %"]
    computed = 0.0
    if row["limit"] == "arithmetic":
        computed = row["fraction"] or 0.0
        parts.append(f"its operations {100 * computed:.1f} % at the peak")
    limits = {"commands and barriers": waits, "bytes": moved, "arithmetic": computed}
    limit = next((name for name, part in limits.items() if part > 0.5), "look-ups that wait for each other")
    return f"{'; '.join(parts)}: {limit}"


def remarks(result):
    """What limits each row, with its fraction."""
    rows = [row for row in result["rows"] if "ours" in row]
    waiting, copy = waiting_us(rows), result["copy_gbps"]["median"]
    for row in rows:
        memory = row["plan"]["memory_bytes"] / row["extra"]["streams"]
        yield f"{row['what']}: {limit_text(row, waiting, copy)}. Memory on the device: {memory:,.0f} bytes a stream, with what is recorded."


def picture(where, result):
    """Growth with streams."""
    lines = {}
    for row in result["rows"]:
        for name, times in {"gpuvm": row["ours"], **row["peers"]}.items():
            lines.setdefault(name, []).append((row["extra"]["streams"], row["counts"][0] / microseconds(times) * 1e6))
    return growth.svg(f"Stream-steps a second: {where['device']}", {"streams": {name: sorted(points) for name, points in lines.items()}})
