#===- reference_wire.py - the wire form of sampled workflows ---------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Section 8: base64 of msgpack {config, nodes, extractions, gpuvm}.
#
#===------------------------------------------------------------------------===#

import base64
import binascii

from reference_diagnostics import Problem, is_integer, is_strings
from reference_graph import check_graph
from reference_msgpack import Unpacker, pack
from reference_program import Extract
from reference_prompts import Config
from reference_workflow import END, SampledWorkflow, SampledZone

CONFIG = ("zone_patterns", "required_patterns", "valid_tags",
          "default_max_token_length", "sequences", "control_pattern",
          "escape_patterns", "tools", "misc", "alternatives")
DATA = {"sequence": str, "block": int, "text": str, "zone_advance_str": str,
        "tags": list, "timeout": int, "input": bool, "output": bool,
        "jump_advance_str": (str, type(None)), "escape_strs": list,
        "tool_name": (str, type(None))}


def node_form(zone, config):
    return {
        "data": {"sequence": zone.sequence, "block": zone.block, "text": zone.text,
                 "zone_advance_str": zone.advance, "tags": zone.tags,
                 "timeout": zone.timeout, "input": zone.input, "output": zone.output,
                 "jump_advance_str": zone.jump_pattern,
                 "escape_strs": config.escape_patterns, "tool_name": zone.tool},
        "links": {"next_zone_index": None if zone.next == END else zone.next,
                  "jump_zone_index": zone.jump}}


def wire_form(workflow):
    extracts = dict(sorted(workflow.extracts.items()))
    config = {key: getattr(workflow.config, key) for key in CONFIG}
    config["alternatives"] = dict(sorted(config["alternatives"].items()))
    match = {} if workflow.config.match == "tokens" else {"match": workflow.config.match}
    return {
        "config": config,
        "nodes": {i: node_form(zone, workflow.config)
                  for i, zone in enumerate(workflow.zones)},
        "extractions": {name: list(e.tags) for name, e in extracts.items()},
        "gpuvm": {"name": workflow.name, "answers": "live" if workflow.live else "inert",
                  "repetitions": [zone.repetition for zone in workflow.zones],
                  "extract_options": {name: [e.forced, e.patterns]
                                      for name, e in extracts.items()}, **match}}


def write_wire(workflow):
    return base64.b64encode(pack(wire_form(workflow))).decode()


def decode(text):
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Problem("X01", str(error)) from error
    return Unpacker(data).all()


def member(table, key, kind, where):
    if not isinstance(table, dict):
        raise Problem("X04", f"{where} is no map")
    if key not in table:
        raise Problem("X03", f"{where} has no {key!r}")
    value = table[key]
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise Problem("X04", f"{key!r} of {where} has a wrong type")
    return value


def read_config(table):
    kinds = {"default_max_token_length": int, "control_pattern": str,
             "misc": dict, "alternatives": dict}
    values = {}
    for key in CONFIG:
        if key == "alternatives" and key not in table:
            continue
        values[key] = member(table, key, kinds.get(key, list), "config")
        if kinds.get(key, list) is list and not is_strings(values[key]):
            raise Problem("X04", f"{key!r} of config is no list of strings")
    return Config(**values)


def read_links(links, where):
    following = member(links, "next_zone_index", (int, type(None)), where)
    jump = member(links, "jump_zone_index", (int, type(None)), where)
    return END if following is None else following, jump


def check_values(data, config, where):
    """X06: what a node's texts may be."""
    wrong = [
        data["zone_advance_str"] not in config.zone_patterns,
        not is_strings(data["tags"]) or any(t not in config.valid_tags for t in data["tags"]),
        data["timeout"] <= 0,
        data["jump_advance_str"] not in (None, config.control_pattern),
        data["escape_strs"] != config.escape_patterns,
        data["output"] != (data["tool_name"] is not None),
        data["tool_name"] is not None and data["tool_name"] not in config.tools]
    if any(wrong):
        raise Problem("X06", f"{where} has a value of no use")


def read_node(number, node, repetition, config):
    where = f"node {number}"
    table = member(node, "data", dict, where)
    data = {key: member(table, key, kind, where) for key, kind in DATA.items()}
    following, jump = read_links(member(node, "links", dict, where), where)
    check_values(data, config, where)
    if (jump is None) != (data["jump_advance_str"] is None):
        raise Problem("X08", f"{where} has half a jump")
    return SampledZone(data["sequence"], data["block"], repetition, data["text"],
                       data["zone_advance_str"], data["tags"], data["timeout"],
                       data["input"], data["output"], data["tool_name"],
                       data["jump_advance_str"], following, jump)


def check_links(zones):
    for i, zone in enumerate(zones):
        if not -1 <= zone.next < len(zones) or not -1 <= (zone.jump or 0) < len(zones):
            raise Problem("X07", f"a link of node {i} leads nowhere")
    edges = [[e for e in (z.next, z.jump) if e is not None] for z in zones]
    unreached = check_graph(edges, [0], END)
    if unreached is not None:
        raise Problem("X09", f"node {unreached} is not between the source and END")


def read_extracts(form, options):
    names = member(form, "extractions", dict, "the file")
    return {name: Extract(tuple(tags), *options.get(name, [True, True]))
            for name, tags in names.items()}


def read_wire(text):
    """The SampledWorkflow of a wire file; the test model is the default."""
    form = decode(text)
    config = read_config(member(form, "config", dict, "the file"))
    nodes = member(form, "nodes", dict, "the file")
    ours = form.get("gpuvm", {})
    if list(nodes) != list(range(len(nodes))) or not nodes or not all(
            is_integer(key) for key in nodes):
        raise Problem("X05", "ids of nodes are not 0, 1, ..")
    repetitions = ours.get("repetitions", [0] * len(nodes))
    zones = [read_node(i, nodes[i], repetitions[i], config) for i in nodes]
    check_links(zones)
    config.match = ours.get("match", "tokens")
    return SampledWorkflow(ours.get("name", ""), config, ours.get("answers") == "live",
                           zones, read_extracts(form, ours.get("extract_options", {})))
