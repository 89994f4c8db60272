#===- reference_prompts.py - UDPL, read and checked ------------------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Section 5: a TOML file or folder of prompts becomes blocks of zone templates.
#
#===------------------------------------------------------------------------===#

import os
import tomllib
from dataclasses import dataclass, field

from reference_diagnostics import Problem, find_place, is_integer, is_strings
from reference_scan import cut_zones, parse_template

REQUIRED = {"zone_patterns": "list", "required_patterns": "list",
            "valid_tags": "list", "default_max_token_length": "integer",
            "sequences": "list", "control_pattern": "string",
            "escape_patterns": "list"}
OPTIONAL = {"tools": "list", "alternatives": "alternatives", "misc": "misc", "match": "match"}
BLOCK_KEYS = {"text", "tags", "tagset", "repeats", "max_gen_tokens"}


@dataclass
class Config:
    zone_patterns: list
    required_patterns: list
    valid_tags: list
    default_max_token_length: int
    sequences: list
    control_pattern: str
    escape_patterns: list
    tools: list = field(default_factory=list)
    misc: dict = field(default_factory=dict)
    alternatives: dict = field(default_factory=dict)
    match: str = "tokens"

    def classes(self):
        """The pattern of each class, in the order of section 8."""
        return [*self.zone_patterns, self.control_pattern, *self.escape_patterns]

    def all_patterns(self):
        """Patterns and their alternatives, as (class order) texts."""
        return [text for pattern in self.classes()
                for text in [pattern, *self.alternatives.get(pattern, [])]]


@dataclass
class Placeholder:
    name: str
    type: str
    arguments: dict


@dataclass
class Block:
    zones: list          # Parts of each zone's template.
    tags: list           # tags[repetition][zone - 1]
    repeats: int
    max_gen_tokens: int
    placeholders: dict   # key -> Placeholder


@dataclass
class Prompts:
    config: Config
    sequences: dict      # name -> [Block]

    def argument_names(self):
        return {p.name for blocks in self.sequences.values() for b in blocks
                for p in b.placeholders.values() if p.type == "argument"}


def is_misc(value):
    if isinstance(value, list):
        return all(is_misc(x) for x in value)
    if isinstance(value, dict):
        return all(is_misc(x) for x in value.values())
    return isinstance(value, (str, int, float, bool))


def has_type(value, wanted):
    if wanted == "list":
        return is_strings(value)
    if wanted == "integer":
        return is_integer(value)
    if wanted == "string":
        return isinstance(value, str)
    if wanted == "match":
        return value in ("tokens", "text")
    if wanted == "misc":
        return isinstance(value, dict) and is_misc(value)
    return isinstance(value, dict) and all(is_strings(x) for x in value.values())


def read_toml(path, unreadable="U02", malformed="U01"):
    """(text, table) of a file."""
    try:
        with open(path, "rb") as file:
            text = file.read().decode()
    except OSError as error:
        raise Problem(unreadable, str(error), (path, 0, 0)) from error
    except UnicodeDecodeError as error:
        raise Problem(malformed, str(error), (path, 0, 0)) from error
    try:
        return text, tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Problem(malformed, str(error), (path, 0, 0)) from error


def prompt_files(path):
    """The files of a UDPL path, folders in byte order of names."""
    if not os.path.isdir(path):
        return [path]
    names = [n for n in os.listdir(path) if n.endswith(".toml")]
    files = [os.path.join(path, n) for n in sorted(names, key=os.fsencode)]
    if not files:
        raise Problem("U50", f"no *.toml file is in {path}", (path, 0, 0))
    return files


def read_tables(path):
    """Top-level key -> (value, place) over all the files."""
    merged = {}
    for file in prompt_files(path):
        text, table = read_toml(file)
        for key, value in table.items():
            place = find_place(file, text, key)
            if key in merged:
                raise Problem("U51", f"{key!r} is also in {merged[key][1][0]}", place)
            merged[key] = (value, place)
    return merged


def check_keys(table, place):
    """U03 to U08: the keys of [config] and their types."""
    if not isinstance(table, dict):
        raise Problem("U04", "config is no table", place)
    known = REQUIRED | OPTIONAL
    for key in table:
        if key not in known:
            raise Problem("U05", f"{key!r} is no key of config", place)
    for key in REQUIRED:
        if key not in table:
            raise Problem("U06", f"config has no {key!r}", place)
    for key, value in table.items():
        if not has_type(value, known[key]):
            raise Problem("U07", f"{key!r} is no {known[key]}", place)
    if table["default_max_token_length"] <= 0:
        raise Problem("U08", "default_max_token_length is not positive", place)


def check_lists(config, place):
    """U09 to U12, U17, U18: lengths of lists, and names."""
    if len(config.zone_patterns) < 2:
        raise Problem("U09", "fewer than 2 zone patterns", place)
    if not config.required_patterns:
        raise Problem("U10", "required_patterns is empty", place)
    if not config.sequences:
        raise Problem("U11", "sequences is empty", place)
    if len(config.escape_patterns) != 2:
        raise Problem("U12", "escape_patterns are not 2", place)
    for names in (config.valid_tags, config.tools, config.sequences):
        if "" in names or len(set(names)) != len(names):
            raise Problem("U18", f"a name of {names} is empty or twice", place)
    if "config" in config.sequences:
        raise Problem("U18", "a sequence is called config", place)


def check_patterns(config, place):
    """U13 to U17: what a pattern may be."""
    for pattern in config.alternatives:
        if pattern not in config.classes():
            raise Problem("U13", f"{pattern!r} is no pattern", place)
    texts = config.all_patterns()
    for text in texts:
        if not text:
            raise Problem("U14", "a pattern is empty", place)
        if "{" in text or "}" in text:
            raise Problem("U15", f"{text!r} has a brace", place)
    for text in [config.control_pattern, *config.escape_patterns]:
        if not text.strip():
            raise Problem("U14", f"{text!r} is white space", place)
    if len(set(texts)) != len(texts):
        raise Problem("U16", "a pattern is there twice", place)
    for pattern in config.required_patterns:
        if pattern not in config.zone_patterns:
            raise Problem("U17", f"{pattern!r} is no zone pattern", place)


def warn_patterns(config, place, warnings):
    if not config.valid_tags:
        warnings.add("W01", "valid_tags is empty", place)
    spellings = [(c, t) for c in config.classes()
                 for t in [c, *config.alternatives.get(c, [])]]
    for one, part in spellings:
        for other, whole in spellings:
            if one != other and part in whole:
                warnings.add("W02", f"{part!r} is part of {whole!r}", place)


def read_config(tables, path, warnings):
    if "config" not in tables:
        raise Problem("U03", "there is no [config]", (path, 0, 0))
    table, place = tables["config"]
    check_keys(table, place)
    config = Config(**table)
    check_lists(config, place)
    check_patterns(config, place)
    warn_patterns(config, place, warnings)
    return config


def check_tags(lists, config, where, place):
    """The tags of one repetition: U24 to U26."""
    if not isinstance(lists, list) or not all(is_strings(x) for x in lists):
        raise Problem("U24", f"tags of {where} are no lists of strings", place)
    if len(lists) != len(config.zone_patterns) - 1:
        raise Problem("U25", f"{len(lists)} lists of tags in {where}", place)
    for tag in (tag for tags in lists for tag in tags):
        if tag not in config.valid_tags:
            raise Problem("U26", f"{tag!r} is no tag, in {where}", place)


def read_tags(table, config, where, place):
    """(tags of each repetition, number of repetitions)."""
    if ("tags" in table) == ("tagset" in table):
        raise Problem("U23", f"{where} needs one of tags and tagset", place)
    repeats = table.get("repeats", 1)
    if "tags" in table:
        check_tags(table["tags"], config, where, place)
        return [table["tags"]] * repeats, repeats
    if "repeats" in table:
        raise Problem("U23", f"{where} has tagset and repeats", place)
    sets = table["tagset"]
    if not isinstance(sets, list) or not sets:
        raise Problem("U24", f"tagset of {where} is no list of tags", place)
    for tags in sets:
        check_tags(tags, config, where, place)
    return sets, len(sets)


def read_placeholder(table, key, where, place):
    if not isinstance(table, dict):
        raise Problem("U41", f"{key!r} is no table in {where}", place)
    for other in table:
        if other not in ("name", "type", "arguments"):
            raise Problem("U42", f"{other!r} of {key!r} in {where}", place)
    if not isinstance(table.get("name"), str) or not table["name"]:
        raise Problem("U43", f"{key!r} has no name in {where}", place)
    kind = table.get("type", "standard")
    if kind not in ("standard", "custom", "argument"):
        raise Problem("U44", f"{kind!r} is no type, {key!r} in {where}", place)
    arguments = table.get("arguments", {})
    if not isinstance(arguments, dict):
        raise Problem("U45", f"arguments of {key!r} in {where}", place)
    return Placeholder(table["name"], kind, arguments)


def read_placeholders(table, zones, where, place, warnings):
    used = [name for parts in zones for kind, name in parts if kind == "placeholder"]
    for key, value in table.items():
        if key in BLOCK_KEYS or key in used:
            continue
        if not isinstance(value, dict):
            raise Problem("U28", f"{key!r} is no key of {where}", place)
        read_placeholder(value, key, where, place)
        warnings.add("W07", f"{key!r} of {where} is not used", place)
    found = {}
    for key in used:
        if key not in table or key in BLOCK_KEYS:
            raise Problem("U40", f"{key!r} has no table in {where}", place)
        found[key] = read_placeholder(table[key], key, where, place)
    return found


def read_block(table, config, where, place, warnings):
    if not isinstance(table.get("text"), str):
        raise Problem("U22", f"{where} has no text", place)
    for key in ("repeats", "max_gen_tokens"):
        value = table.get(key, 1)
        if not is_integer(value) or value <= 0:
            raise Problem("U27", f"{key} of {where} is {value!r}", place)
    tags, repeats = read_tags(table, config, where, place)
    if table.get("repeats", 1) > 100:
        warnings.add("W03", f"{where} repeats {repeats} times", place)
    texts = cut_zones(table["text"], config, where, place, warnings)
    zones = [parse_template(text, where, place) for text in texts]
    placeholders = read_placeholders(table, zones, where, place, warnings)
    limit = table.get("max_gen_tokens", config.default_max_token_length)
    return Block(zones, tags, repeats, limit, placeholders)


def read_sequence(name, tables, config, warnings):
    if name not in tables:
        raise Problem("U20", f"there is no sequence {name!r}", tables["config"][1])
    blocks, place = tables[name]
    if not isinstance(blocks, list) or not blocks or not all(
            isinstance(b, dict) for b in blocks):
        raise Problem("U21", f"{name!r} is no array of tables", place)
    return [read_block(block, config, f"block {i} of {name!r}", place, warnings)
            for i, block in enumerate(blocks)]


def read_prompts(path, warnings):
    """Prompts of a UDPL file or folder."""
    tables = read_tables(path)
    config = read_config(tables, path, warnings)
    for key, (_, place) in tables.items():
        if key != "config" and key not in config.sequences:
            warnings.add("W08", f"{key!r} is no sequence", place)
    return Prompts(config, {name: read_sequence(name, tables, config, warnings)
                            for name in config.sequences})
