#===- reference_form.py - a file of tensors, read and checked --------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Section 2.3. Which of T10 to T20 a fault has is not said there: T10 stands for
# the form, T11 for shapes, T12 for values, T13 for zones, T14 for the graph.
#
#===------------------------------------------------------------------------===#

import json

from reference_diagnostics import Problem, is_integer, is_strings
from reference_graph import check_graph
from reference_tensors import LONGEST, TENSORS, ZONE_TENSORS

BOOLS = ("zone_advance_active", "jump_advance_active", "input", "output", "inert")
MASKS = ("zone_advance_mask", "jump_advance_mask", "escape_open_mask",
         "escape_close_mask", "tags")


def check(holds, code, sentence):
    if not holds:
        raise Problem(code, sentence)


def is_in(values, low, high):
    return all(is_integer(value) and low <= value < high for value in values)


def check_shapes(form):
    check(form.get("format") == "gpuvm-token/1", "T10", "the format is another")
    for key in ("vocabulary", "padding", "workflows", "tensors", "test_models"):
        check(key in form, "T10", f"{key!r} is missing")
    tensors, zones = form["tensors"], len(form["tensors"]["timeout"])
    check(set(tensors) == set(TENSORS), "T11", "a tensor is missing or unknown")
    for name in ZONE_TENSORS:
        check(len(tensors[name]) == zones, "T11", f"{name} has not {zones} zones")
    rows = len(tensors["pattern_class"])
    check(zones and rows, "T11", "there is no zone or no pattern")
    for name in ("pattern_length", "pattern_tokens"):
        check(len(tensors[name]) == rows, "T11", f"{name} has not {rows} rows")
    check(len(form["test_models"]) == len(form["workflows"]), "T11", "test models")


def check_names(names):
    """Types of what a workflow says of itself."""
    check(isinstance(names["name"], str), "T12", "a name is no text")
    for key in ("patterns", "tags", "tools"):
        check(is_strings(names[key]), "T12", f"{key} of a workflow are no texts")
    check(names.get("match", "text") == "text", "T12", "match")
    for options in names["extracts"].values():
        check(is_strings(options["tags"]) and all(isinstance(options[key], bool) for key in (
            "forced", "patterns")), "T12", "an extract")
        check(set(options["tags"]) <= set(names["tags"]), "T12", "a tag of an extract")
    for sequence, block, repetition in names["zones"]:
        check(isinstance(sequence, str) and is_in([block, repetition], 0, 1 << 31), "T12",
              "the name of a zone")


def check_workflows(form):
    entry = 0
    for names in form["workflows"]:
        check_names(names)
        check(names["entry"] == entry and names["size"] >= 1, "T12", "entry and size")
        check(len(names["zones"]) == names["size"], "T11", "zones of a workflow")
        entry += names["size"]
    check(entry == len(form["tensors"]["timeout"]), "T12", "workflows cover no zones")


def check_rows(form, classes):
    tensors = form["tensors"]
    width = len(tensors["pattern_tokens"][0])
    check(1 <= width <= LONGEST, "T12", f"rows of {width} tokens")
    check(is_in(tensors["pattern_class"], 0, classes), "T12", "pattern_class")
    check(len(set(tensors["pattern_class"])) == classes, "T12", "a class without a row")
    for length, row in zip(tensors["pattern_length"], tensors["pattern_tokens"]):
        check(len(row) == width and is_in([length], 1, width + 1), "T12", "pattern_length")
        front, tokens = row[:width - length], row[width - length:]
        check(set(front) <= {-1}, "T12", "a row is not filled with -1")
        check(is_in(tokens, 0, form["vocabulary"]), "T12", "a token of a row")


def check_values(form, classes):
    tensors, zones = form["tensors"], len(form["tensors"]["timeout"])
    tags = max(len(w["tags"]) for w in form["workflows"])
    tools = max(len(w["tools"]) for w in form["workflows"])
    ranges = {"jump_address": (0, zones + 1), "next_address": (0, zones + 1),
              "advance_pattern": (0, len(tensors["pattern_class"])),
              "output_callback": (-1, tools), "timeout": (0, 1 << 31),
              "token_data": (0, form["vocabulary"])}
    for name, (low, high) in ranges.items():
        check(is_in(tensors[name], low, high), "T12", f"{name} is out of range")
    for name in BOOLS:
        check(all(isinstance(v, bool) for v in tensors[name]), "T12", f"{name} is no bool")
    for name in MASKS:
        high = tags if name == "tags" else classes
        for mask in tensors[name]:
            check(is_in(mask, 0, high) and mask == sorted(set(mask)), "T12", name)
    check(is_in([form["vocabulary"]], 257, (1 << 20) + 1), "T12", "vocabulary")
    check(is_in([form["padding"]], 0, form["vocabulary"]), "T12", "padding")
    for model in form["test_models"]:
        check(is_in([model["weight"]], 0, 257), "T12", "a weight")
        texts = [model["fillers"], *model["phrases"]]
        check(model["phrases"] and all(texts), "T12", "a test model is empty")
        check(all(is_in(t, 0, form["vocabulary"]) for t in texts), "T12", "a test model")


def check_zone(t, z):
    data, row = len(t["token_data"]), t["advance_pattern"][z]
    prompt = t["token_start_pointer"][z], t["token_end_pointer"][z]
    check(is_in(prompt, 0, data + 1) and prompt[0] <= prompt[1], "T13", f"prompt of {z}")
    limit = t["timeout"][z]
    if t["input"][z] or limit:
        listened = t["pattern_class"][row] in t["zone_advance_mask"][z]
        check(t["zone_advance_active"][z] and listened, "T13", f"zone {z} never closes")
    check(limit == 0 or limit >= t["pattern_length"][row], "T13", f"timeout of {z}")
    check(t["output"][z] == (t["output_callback"][z] >= 0), "T13", f"callback of {z}")


def check_form(form):
    """Raises the first problem of a machine that came from a file."""
    try:
        check_shapes(form)
        check_workflows(form)
        classes = sum(len(w["patterns"]) for w in form["workflows"])
        check_rows(form, classes)
        check_values(form, classes)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise Problem("T10", f"the form is broken: {error}") from error
    t, zones = form["tensors"], len(form["tensors"]["timeout"])
    for z in range(zones):
        check_zone(t, z)
    edges = [[t["next_address"][z]] * t["zone_advance_active"][z]
             + [t["jump_address"][z]] * t["jump_advance_active"][z] for z in range(zones)]
    lost = check_graph(edges, [w["entry"] for w in form["workflows"]], zones)
    check(lost is None, "T14", f"zone {lost} is not between an entry and END")


def read_form(path):
    try:
        with open(path, encoding="utf-8") as file:
            form = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise Problem("T10", str(error), (path, 0, 0)) from error
    check(isinstance(form, dict), "T10", "the file is no object")
    check_form(form)
    return form
