#===- reference_workflow.py - a workflow file becomes sampled zones --------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Section 7.1 and the factory call of section 6: what comes out is the SZCP.
#
#===------------------------------------------------------------------------===#

import glob
import os
from dataclasses import dataclass, field

from reference_diagnostics import Problem, find_place, is_integer, is_strings
from reference_program import Compiler, Extract
from reference_prompts import read_prompts, read_toml
from reference_resources import read_resource, resolve
from reference_scan import is_balanced

END = -1


@dataclass
class SampledZone:
    sequence: str
    block: int
    repetition: int
    text: str
    advance: str         # The pattern that ends the zone.
    tags: list
    timeout: int
    input: bool = False
    output: bool = False
    tool: str = None
    jump_pattern: str = None
    next: int = END
    jump: int = None     # None = no jump.


@dataclass
class TestModelTexts:
    weight: int = 64
    phrases: list = None
    fillers: str = "abcdefghijklmnop"


@dataclass
class SampledWorkflow:
    name: str
    config: object
    live: bool
    zones: list
    extracts: dict
    test_model: TestModelTexts = field(default_factory=TestModelTexts)
    tokenizer: str = "bytes"


class WorkflowFile:
    """The tables of a workflow file, checked as far as they go alone."""

    TABLES = {"workflow", "resources", "program", "test_model"}
    KEYS = {"name", "udpl", "main", "tokenizer", "answers"}

    def __init__(self, path):
        self.path = path
        self.text, self.tables = read_toml(path, "P02", "U01")
        for key, value in self.tables.items():
            if key not in self.TABLES or not isinstance(value, dict):
                raise Problem("P01", f"{key!r} is no table of a workflow", self.at(key))
        self.head = self.tables.get("workflow", {})
        self.check_head()

    def at(self, key):
        return find_place(self.path, self.text, key)

    def table(self, name):
        return self.tables.get(name, {})

    def check_head(self):
        for key, value in self.head.items():
            if key not in self.KEYS:
                raise Problem("P01", f"{key!r} is no key of [workflow]", self.at(key))
            if not isinstance(value, str):
                code = {"tokenizer": "P03", "answers": "P05", "main": "P06"}.get(key, "P04")
                raise Problem(code, f"{key!r} is no string", self.at(key))
        for key in ("name", "udpl"):
            if not self.head.get(key):
                raise Problem("P04", f"[workflow] has no {key!r}", self.at("workflow"))
        name = self.head.get("tokenizer", "bytes")
        if name != "bytes" and (not name.startswith("greedy:") or name == "greedy:"):
            raise Problem("P03", f"tokenizer is {name!r}", self.at("tokenizer"))
        if self.answers not in ("inert", "live"):
            raise Problem("P05", f"answers is {self.answers!r}", self.at("answers"))
        for name, steps in self.table("program").items():
            if not isinstance(steps, list):
                raise Problem("P06", f"program {name!r} is no list", self.at(name))
        if self.main not in self.table("program"):
            raise Problem("P06", f"there is no program {self.main!r}", self.at("main"))

    @property
    def main(self):
        return self.head.get("main", "main")

    @property
    def answers(self):
        return self.head.get("answers", "inert")

    def beside(self, name):
        """A path that is relative to the workflow's folder and does not lead out of it: P07."""
        folder = os.path.dirname(self.path)
        path = os.path.join(folder, name)
        top = os.path.realpath(folder)
        for found in [path, *glob.glob(f"{glob.escape(path)}/*.toml")]:
            if os.path.commonpath([top, os.path.realpath(found)]) != top:
                raise Problem("P07", f"{name!r} leads out of the folder", (found, 0, 0))
        return path

    def tokenizer(self):
        name = self.head.get("tokenizer", "bytes")
        if name.startswith("greedy:"):
            return "greedy:" + self.beside(name[len("greedy:"):])
        return name

    def test_model(self):
        table = self.table("test_model")
        for key in table:
            if key not in ("weight", "phrases", "fillers"):
                raise Problem("P01", f"{key!r} is no key of [test_model]", self.at(key))
        model = TestModelTexts(**table)
        weight_fits = is_integer(model.weight) and 0 <= model.weight <= 256
        phrases_fit = model.phrases is None or (
            is_strings(model.phrases) and model.phrases and all(model.phrases))
        fillers_fit = isinstance(model.fillers, str) and model.fillers
        if not (weight_fits and phrases_fit and fillers_fit):
            raise Problem("P15", "[test_model] has a value of no use", self.at("test_model"))
        return model


class Factory:
    """Samples the texts of a graph, zones in the order of their numbers."""

    def __init__(self, prompts, resources, arguments, warnings, place):
        self.prompts, self.resources, self.arguments = prompts, resources, arguments
        self.warnings, self.place = warnings, place
        self.drawn = {}

    def value(self, node, key):
        """One draw for each reference, block, repetition and placeholder."""
        draw = (node.reference.number, node.block, node.repetition, key)
        if draw not in self.drawn:
            self.drawn[draw] = self.draw(node, key)
        return self.drawn[draw]

    def resource(self, node, key):
        """The resource and the arguments of a placeholder: R01 to R05."""
        where = f"{{{key}}} of block {node.block} of {node.sequence!r}"
        placeholder = self.prompts.sequences[node.sequence][node.block].placeholders[key]
        resource = resolve(placeholder, node.reference.given, self.arguments,
                           self.resources, where)
        resource.check(placeholder.arguments, where)
        return resource, placeholder.arguments, where

    def check(self, node):
        for key in self.prompts.sequences[node.sequence][node.block].placeholders:
            self.resource(node, key)

    def draw(self, node, key):
        resource, arguments, where = self.resource(node, key)
        text = resource.sample(arguments)
        config = self.prompts.config
        for pattern in [*config.zone_patterns, config.control_pattern]:
            if pattern in text:
                self.warnings.add("W11", f"{where} has {pattern!r}", self.place)
        return text

    def text(self, node):
        block = self.prompts.sequences[node.sequence][node.block]
        text = "".join(words if kind == "text" else self.value(node, words)
                       for kind, words in block.zones[node.zone])
        if not is_balanced(text, self.prompts.config):
            raise Problem("R06", f"escapes of block {node.block} of {node.sequence!r} "
                          "are unbalanced", self.place)
        return text

    def zone(self, node, numbers):
        config = self.prompts.config
        block = self.prompts.sequences[node.sequence][node.block]
        tags = block.tags[node.repetition][node.zone - 1] if node.zone else []
        link = lambda target: END if target is None else numbers[id(target)]
        return SampledZone(
            node.sequence, node.block, node.repetition, self.text(node),
            config.zone_patterns[node.zone], tags, block.max_gen_tokens,
            node.input, node.output, node.tool,
            config.control_pattern if node.has_jump else None, link(node.next),
            link(node.jump) if node.has_jump else None)


def read_resources(file, seed):
    return {name: read_resource(name, value, seed, file.at(name))
            for name, value in file.table("resources").items()}


def warn_uncalled(file, called, warnings):
    for name in file.table("program"):
        if name not in called:
            warnings.add("W12", f"program {name!r} is never called", file.at(name))


def read_workflow(path, arguments, seed, warnings):
    """(SampledWorkflow, names of the UDPL's argument placeholders)."""
    file = WorkflowFile(path)
    prompts = read_prompts(file.beside(file.head["udpl"]), warnings)
    resources = read_resources(file, seed)
    model = file.test_model()
    compiler = Compiler(prompts, file.table("program"), resources, warnings,
                        file.at(file.main))
    nodes = compiler.compile(file.main)
    warn_uncalled(file, compiler.called, warnings)
    factory = Factory(prompts, resources, arguments, warnings, (path, 0, 0))
    numbers = {id(node): i for i, node in enumerate(nodes)}
    for node in nodes:
        factory.check(node)
    zones = [factory.zone(node, numbers) for node in nodes]
    made = SampledWorkflow(file.head["name"], prompts.config, file.answers == "live",
                           zones, compiler.extracts, model, file.tokenizer())
    return made, prompts.argument_names()


def check_arguments(arguments, names):
    """R07: an argument that no argument placeholder names."""
    for name in arguments:
        if name not in names:
            raise Problem("R07", f"no argument placeholder names {name!r}")


__all__ = ["END", "Extract", "SampledWorkflow", "SampledZone", "TestModelTexts",
           "check_arguments", "read_workflow"]
