"""The workflow that part_token.py runs, and what is right for a number of streams of it."""

import collections.abc
import functools
import json
import pathlib

import numpy as np

import host
import token_machine
import token_step
from gpuvm import Gpuvm
from model import Case

PART = "token"
TOKENS = 512  # of each stream
PROMPTS = pathlib.Path(__file__).with_name("token_prompts.toml")
# The loop goes on, so each stream ends with its budget.
WORKFLOW = f"""[workflow]
name = "bench"
udpl = "{PROMPTS}"

[program]
main = [ {{ loop = "again", body = [ {{ run = "question" }}, {{ when = "check", then = [ {{ run = "short" }} ], else = [ {{ run = "long" }} ] }} ] }},
         {{ extract = "said", tags = ["Said"], forced = false, patterns = false }} ]

[test_model]
weight = 24
phrases = [" yes", " no", "[End]", "[End]", "[Other]", "[(]", "[)]", "[(]so[)]"]
"""
BUDGET = 7  # the status of a stream that has emitted all its tokens
# Steps that the reference takes to be compared.
COMPARED = 2 ** 18


class Tool:
    """gpuvm-token, of the build or of the bundle."""

    def __init__(self, options):
        self.options = options

    @functools.cached_property
    def vm(self):
        bundle = self.options.bundle and self.options.bundle.resolve()
        return Gpuvm(self.options.bin.resolve(), self.options.device, bundle)

    @functools.cached_property
    def folder(self):
        return pathlib.Path(self.vm.scratch.name)

    def on_device(self, command, plan, *more):
        device = [f"--device={self.options.device}"] if self.options.device else []
        return self.vm.call("gpuvm-token", command, plan, *device, *more)

    def reference(self, machine, streams, *more):
        """What it prints. `machine` is a workflow in the tensor form."""
        source = self.folder / "bench.token.json"
        source.write_text(json.dumps(machine))
        return self.vm.call("gpuvm-token", "reference", source, f"--threads={host.THREADS}", f"--streams={streams}", f"--budget={TOKENS}", *more)


class Arrays(collections.abc.Mapping):
    """{name: array} that is made when it is asked."""

    def __init__(self, make):
        self.make = make

    @functools.cached_property
    def arrays(self):
        return self.make()

    def __getitem__(self, name):
        return self.arrays[name]

    def __iter__(self):
        return iter(self.arrays)

    def __len__(self):
        return len(self.arrays)


def words(report, machine):
    """What a report says of each step, as token_step.py records it: [step][stream]."""
    tensors = machine["tensors"]
    lengths = dict(zip(tensors["pattern_class"], tensors["pattern_length"]))
    masks = {1: tensors["zone_advance_mask"], 2: tensors["jump_advance_mask"]}

    def word(token, forced, event, zone, triggers):
        closing = max(lengths[number] for number in triggers if number in masks[event][zone]) if event else 0
        return token | forced << token_step.FORCED | event << token_step.EVENT | closing << token_step.CLOSING

    keys = ("tokens", "forced", "event", "zones", "triggers")
    return np.array([[word(*step) for step in zip(*(stream[key] for key in keys))] for stream in report["streams"]], np.int32).T


class Work:
    """Streams of the workflow, each until it has emitted its tokens. `positions` are where they end: [zone, number, depth][stream]."""

    def __init__(self, tool, streams):
        self.tool, self.streams = tool, streams
        self.first = min(streams, COMPARED // TOKENS)  # streams that are compared with the reference
        self.case = Case(f"{streams:,} streams", WORKFLOW, Arrays(self.inputs), language="workflow.toml",
                         options=(f"--streams={streams}", f"--budget={TOKENS}", "--allow-outside"), compared=self.compared, bound=0.0,
                         counts=(streams * TOKENS, "stream-steps"), stages=TOKENS, extra={"streams": streams, "tokens": TOKENS})

    @functools.cached_property
    def plan(self):
        return self.tool.vm.plan(self.case.plan_name(PART), self.case.program, *self.case.options, language=self.case.language)[0]

    @functools.cached_property
    def machine(self):
        """The workflow in the tensor form."""
        return json.loads(token_machine.sidecar(self.plan).read_text())["machine"]

    def file(self, name):
        return self.tool.folder / f"{self.case.plan_name(PART)}-{name}"

    def inputs(self):
        """Those of the plan."""
        folder = self.file("tables")
        folder.mkdir(exist_ok=True)
        self.tool.on_device("tables", self.plan, "-o", folder)
        return {path.stem: np.load(path) for path in folder.glob("*.npy")}

    #===--- What is right ---===#

    @functools.cached_property
    def report(self):
        """Of the first streams, by the reference."""
        self.tool.reference(self.machine, self.first, f"--report={self.file('reference')}")
        return json.loads(self.file("reference").read_text())

    @functools.cached_property
    def positions(self):
        """Of the first streams."""
        ends = [stream["final"] for stream in self.report["streams"]]
        return np.array([[end[key] for end in ends] for key in ("zone", "token_num", "depth")], np.int32)

    def compared(self, outputs):
        """The positions of all streams. Of ours, what the first ones did is checked."""
        if "run.pc" not in outputs:
            return outputs["positions"]
        if np.any(outputs["run.status"] != BUDGET):
            raise RuntimeError("a stream has not run to its budget")
        positions = np.stack([outputs[f"run.{name}"] for name in ("pc", "number", "depth")])
        if not np.array_equal(positions[:, :self.first], self.positions):
            raise RuntimeError("a stream does not end where the reference's does")
        self.compare()
        return positions

    def compare(self):
        """All of what the first streams do, bit for bit."""
        self.tool.on_device("run", self.plan, f"--streams={self.first}", f"--report={self.file('device')}")
        try:
            self.tool.vm.call("gpuvm-token", "compare", self.file("device"), self.file("reference"))
        except RuntimeError as reason:
            raise RuntimeError(f"a stream differs from the reference's ({reason})") from None

    def check(self, recorded):
        """Of a peer's words those of the first streams, bit for bit."""
        if not np.array_equal(recorded[:, :self.first], words(self.report, self.machine)):
            raise RuntimeError("a stream differs from the reference's")
