#===- reference_resources.py - where the text of placeholders comes from ---===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Section 6: kinds of resources, and sampling without replacement by SplitMix64.
#
#===------------------------------------------------------------------------===#

from reference_diagnostics import Problem, is_integer, is_strings

MASK64 = (1 << 64) - 1


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & MASK64
    return value


class SplitMix64:
    def __init__(self, state):
        self.state = state & MASK64

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
        return z ^ (z >> 31)


class StaticText:
    def __init__(self, text):
        self.text = text

    def check(self, arguments, where):
        for key in arguments:
            raise Problem("R04", f"a static text takes no {key!r}, {where}")

    def sample(self, _arguments):
        return self.text


class Pool:
    """A list, or the items of an LRU buffer, newest first."""

    def __init__(self, name, items, seed):
        self.items = list(items)
        self.pool = list(items)
        self.random = SplitMix64(seed ^ fnv1a(name.encode()))

    def check(self, arguments, where):
        for key in arguments:
            if key != "num_samples":
                raise Problem("R04", f"a list takes no {key!r}, {where}")
        count = arguments.get("num_samples")
        if count != "all" and not (is_integer(count) and count >= 1):
            raise Problem("R05", f"num_samples is {count!r}, {where}")

    def sample(self, arguments):
        count = arguments["num_samples"]
        if count == "all":
            return "\n".join(self.items)
        if len(self.pool) < count:
            self.pool = list(self.items)
        drawn = [self.pool.pop(self.random.next() % len(self.pool))
                 for _ in range(min(count, len(self.pool)))]
        return "\n".join(drawn)


KEYS = {"static": {"text"}, "list": {"items"}, "lru": {"size", "items"}}


def read_pool(name, value, seed, place):
    kind, items = value["kind"], value.get("items", [])
    if not is_strings(items) or (kind == "list" and not items):
        raise Problem("P12", f"items of {name!r} are no texts", place)
    if kind == "list":
        return Pool(name, items, seed)
    size = value.get("size")
    if not is_integer(size) or size < 1:
        raise Problem("P12", f"size of {name!r} is {size!r}", place)
    return Pool(name, items[:size] or [""], seed)


def read_resource(name, value, seed, place):
    """A resource of the table [resources]: P10 to P12."""
    if isinstance(value, str):
        return StaticText(value)
    if not isinstance(value, dict) or str(value.get("kind")) not in KEYS:
        raise Problem("P10", f"{name!r} is of no known kind", place)
    for key in value:
        if key not in KEYS[value["kind"]] | {"kind"}:
            raise Problem("P11", f"{key!r} is no key of {name!r}", place)
    for key in KEYS[value["kind"]]:
        if key not in value and (value["kind"], key) != ("lru", "items"):
            raise Problem("P11", f"{name!r} has no key {key!r}", place)
    if value["kind"] != "static":
        return read_pool(name, value, seed, place)
    if not isinstance(value.get("text"), str):
        raise Problem("P12", f"{name!r} has no text", place)
    return StaticText(value["text"])


def resolve(placeholder, given, arguments, resources, where):
    """The resource of a placeholder by the tiers of section 6: R01 to R03."""
    name = placeholder.name
    tiers = {"standard": ("R01", [resources]), "custom": ("R02", [given, resources]),
             "argument": ("R03", [arguments, given, resources])}
    code, places = tiers[placeholder.type]
    for tier in places:
        if name not in tier:
            continue
        found = tier[name]
        return StaticText(found) if isinstance(found, str) else found
    raise Problem(code, f"there is no resource {name!r} for {where}")
