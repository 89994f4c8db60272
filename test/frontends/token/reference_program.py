#===- reference_program.py - steps of programs become a graph of zones -----===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Section 7: the builder's words, its dangling edges, and the numbers of zones.
#
#===------------------------------------------------------------------------===#

from dataclasses import dataclass

from reference_diagnostics import Problem, is_integer, is_strings

WORDS = {"run": {"with"}, "feed": {"with"}, "capture": {"with", "tool"},
         "loop": {"with", "body"}, "when": {"with", "then", "else"},
         "subroutine": set(), "extract": {"tags", "forced", "patterns"}}


class Node:
    """A zone of one reference of a sequence; edges are nodes, None = END."""

    def __init__(self, sequence, reference, block, repetition, zone):
        self.sequence, self.reference = sequence, reference
        self.block, self.repetition, self.zone = block, repetition, zone
        self.next = self.jump = None
        self.has_jump = self.input = self.output = False
        self.tool = None


@dataclass(frozen=True)
class Extract:
    tags: tuple
    forced: bool = True
    patterns: bool = True


@dataclass
class Reference:
    """A use of a sequence in a step, with its `with` values as texts."""
    number: int
    sequence: str
    given: dict


class Builder:
    """Dangling edges are (node, "next" or "jump")."""

    def __init__(self):
        self.first = None
        self.dangling = []

    def resolve(self, node):
        for source, colour in self.dangling:
            setattr(source, colour, node)
        self.dangling = []
        self.first = self.first or node

    def extend(self, chain):
        self.resolve(chain[0])
        for node, following in zip(chain, chain[1:]):
            node.next = following
        self.dangling = [(chain[-1], "next")]

    def fork(self, chain):
        """The edges of the nominal and of the jump branch."""
        self.extend(chain)
        chain[-1].has_jump = True
        return self.dangling, [(chain[-1], "jump")]


class Compiler:
    """Builds the graph of one program of a workflow file."""

    def __init__(self, prompts, programs, resources, warnings, place):
        self.prompts, self.programs = prompts, programs
        self.resources, self.warnings, self.place = resources, warnings, place
        self.references, self.extracts, self.active = [], {}, []
        self.called, self.builder = set(), Builder()

    def fail(self, code, sentence):
        raise Problem(code, f"{sentence}, in {' > '.join(self.active)}", self.place)

    def compile(self, name):
        """The nodes in the order of their numbers."""
        self.program(name)
        if self.builder.first is None:
            raise Problem("S07", f"program {name!r} is empty", self.place)
        return number(self.builder.first)

    def program(self, name):
        if name in self.active:
            self.fail("S06", f"{name!r} calls itself")
        self.active.append(name)
        self.called.add(name)
        self.steps(self.programs[name], False)
        self.active.pop()

    def steps(self, steps, in_scope):
        if not isinstance(steps, list) or not all(isinstance(s, dict) for s in steps):
            self.fail("S01", "steps are no list of tables")
        for step in steps:
            self.step(step, in_scope)

    def step(self, step, in_scope):
        words = [key for key in step if key in WORDS]
        if len(words) != 1:
            self.fail("S01", f"a step has the words {words}")
        word, value = words[0], step[words[0]]
        for key in step:
            if key != word and key not in WORDS[word]:
                self.fail("S02", f"{key!r} is no key of {word}")
        if not isinstance(value, str):
            self.fail({"subroutine": "S09", "extract": "S11"}.get(word, "S03"),
                      f"{word} is no name")
        if word == "extract":
            self.extract(value, step, in_scope)
        elif word == "subroutine":
            self.subroutine(value)
        else:
            getattr(self, word)(step, self.chain(value, step.get("with", {})))

    def subroutine(self, name):
        if name not in self.programs:
            self.fail("S09", f"there is no program {name!r}")
        self.program(name)

    def extract(self, name, step, in_scope):
        if in_scope:
            self.fail("S08", f"extract {name!r} is in a scope")
        tags = step.get("tags")
        options = [step.get("forced", True), step.get("patterns", True)]
        if not name or not is_strings(tags) or not tags or not all(
                isinstance(option, bool) for option in options):
            self.fail("S11", f"extract {name!r} is malformed")
        for tag in tags:
            if tag not in self.prompts.config.valid_tags:
                self.fail("S12", f"{tag!r} is no tag")
        made = Extract(tuple(tags), *options)
        if self.extracts.setdefault(name, made) != made:
            self.fail("S13", f"extract {name!r} is there twice, differently")

    def run(self, _step, chain):
        self.builder.extend(chain)

    def feed(self, _step, chain):
        self.builder.extend(chain)
        chain[-1].input = True

    def capture(self, step, chain):
        tool = step.get("tool")
        if not isinstance(tool, str) or tool not in self.prompts.config.tools:
            self.fail("S10", f"there is no tool {tool!r}")
        self.builder.extend(chain)
        chain[-1].output, chain[-1].tool = True, tool

    def loop(self, step, chain):
        _, after = self.builder.fork(chain)
        self.steps(step.get("body", []), True)
        self.builder.resolve(chain[0])
        self.builder.dangling = after

    def when(self, step, chain):
        nominal, jump = self.builder.fork(chain)
        self.builder.dangling = nominal
        self.steps(step.get("then", []), True)
        ends = self.builder.dangling
        self.builder.dangling = jump
        self.steps(step.get("else", []), True)
        self.builder.dangling = ends + self.builder.dangling

    def chain(self, name, given):
        """Fresh nodes of a sequence: S03 to S05, P25, W10."""
        if name not in self.prompts.sequences:
            self.fail("S03", f"there is no sequence {name!r}")
        reference = Reference(len(self.references), name, self.given(name, given))
        self.references.append(reference)
        return [Node(name, reference, b, repetition, zone)
                for b, block in enumerate(self.prompts.sequences[name])
                for repetition in range(block.repeats)
                for zone in range(len(block.zones))]

    def given(self, name, given):
        if not isinstance(given, dict):
            self.fail("S04", f"with of {name!r} is no table")
        wanted = {p.name for block in self.prompts.sequences[name]
                  for p in block.placeholders.values() if p.type != "standard"}
        for key, value in given.items():
            if not isinstance(value, str) and not is_integer(value):
                self.fail("P25", f"{key!r} is no text or integer")
            if key not in wanted:
                self.fail("S05", f"no placeholder of {name!r} names {key!r}")
            if key in self.resources:
                self.warnings.add("W10", f"{key!r} hides a resource", self.place)
        return {key: str(value) for key, value in given.items()}


def number(first):
    """Nodes depth-first, next before jump, in preorder."""
    order, seen, stack = [], set(), [first]
    while stack:
        node = stack.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        order.append(node)
        stack += [node.jump, node.next]
    return order
