#===- generate_prompts.py - random prompts (UDPL) --------------------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Patterns, blocks and placeholders that are valid by sections 5 and 6, with as
# many of their features as chance gives.
#
#===------------------------------------------------------------------------===#

import os

from generate_toml import table_text

# Zone patterns, control, open, close: some share parts, some are many bytes.
STYLES = [
    (["[P]", "[A]", "[E]"], "[J]", "<", ">"),
    (["[Prompt]", "[Answer]"], "[Jump]", "[Esc]", "[EndEsc]"),
    (["ab", "abc", "ca", "d"], "jj", "((", "))"),
    (["\n", "|", "\n\n"], "!", "<<", ">>"),
    (["«", "»", "é€", "𝄞"], "§", "‹", "›"),
    (["<user>", "<bot>", "</end of this turn of it>"], "<go>", "`", "´"),
    (["q", "qq", "qqq"], "zz", "o", "c"),
]
WORDS = ["say", " it", "a", "b", "[", "]", "ab", " é", "€", "q", "\n", "x y", "12", "é€𝄞", "<"]


class Prompts:
    """A random UDPL: its tables, and what the programs need to know of it."""

    def __init__(self, random, argument_names):
        self.random = random
        self.argument_names = argument_names
        style = random.choice(STYLES)
        self.zone_patterns = style[0][:random.randint(2, len(style[0]))]
        self.control, self.opening, self.closing = style[1:]
        self.alternatives = self.some_alternatives()
        self.tags = [f"T{i}" for i in range(random.choice([1, 3, 3, 5, 40]))]
        self.tools = ["calc", "find"][:random.randint(1, 2)]
        self.sequences = [f"seq_{i}" for i in range(random.randint(2, 5))]
        self.least = random.randint(1, len(self.zone_patterns))
        self.resources = self.some_resources()
        self.needed = {}     # sequence -> names that `with` may or must give
        self.blocks = {name: self.some_blocks(name) for name in self.sequences}

    def classes(self):
        return [*self.zone_patterns, self.control, self.opening, self.closing]

    def spellings(self):
        return self.classes() + [t for ts in self.alternatives.values() for t in ts]

    def chance(self, probability):
        return self.random.random() < probability

    def some_alternatives(self):
        taken, made = set(self.classes()), {}
        for pattern in self.classes():
            choices = [f"({pattern})", pattern.upper() + "~", f" {pattern}"]
            if not self.chance(0.25):
                continue
            new = [t for t in self.random.sample(choices, self.random.randint(1, 2))
                   if t not in taken]
            taken |= set(new)
            made[pattern] = new
        return made

    def plain(self, most=5):
        """Words without a brace, an escape or a whole pattern."""
        while True:
            text = "".join(self.random.choice(WORDS)
                           for _ in range(self.random.randint(0, most)))
            if not any(pattern in text for pattern in self.classes()):
                return text

    def escaped(self, depth=0):
        inner = [self.plain(2), self.random.choice(self.zone_patterns + [self.control])]
        if depth < 2 and self.chance(0.3):
            inner.append(self.escaped(depth + 1))
        self.random.shuffle(inner)
        return self.opening + "".join(inner) + self.closing

    def fragment(self, keys):
        """A zone's text, placeholders of `keys` in it."""
        parts = [self.plain()]
        if self.chance(0.25):
            parts.append(self.escaped())
        if self.chance(0.12):
            parts.append(self.control)
        if self.chance(0.1):
            parts.append(self.random.choice(["{{", "}}", "{{a}}", "{{{{"]))
        if self.alternatives and self.chance(0.1):
            zones = [t for p, ts in self.alternatives.items() for t in ts if p not in t]
            parts += [t for t in zones[:1] if not any(c in t for c in self.classes())]
        parts += ["{" + key + "}" for key in keys]
        parts.append(self.plain())
        return "".join(parts)

    def safe_text(self, keys, count):
        """A block's text with `count` zone patterns, cut just there."""
        text = self.zone_patterns[0]
        for pattern in self.zone_patterns[1:count]:
            text += self.fragment(keys) + pattern
        return text + (self.fragment(keys) if self.chance(0.6) else "")

    def some_resources(self):
        items = lambda: [self.item() for _ in range(self.random.randint(1, 4))]
        made = {"plain": self.item(), "fixed": {"kind": "static", "text": self.item()},
                "items": {"kind": "list", "items": items()},
                "recent": {"kind": "lru", "size": self.random.randint(1, 3),
                           "items": items()}}
        if self.chance(0.2):
            made["recent"] = {"kind": "lru", "size": 2} | self.random.choice([{}, {"items": []}])
        return made

    def item(self):
        if self.chance(0.08):
            return self.random.choice(self.zone_patterns + [self.control])
        if self.chance(0.08):
            return self.escaped()
        return self.plain(3) or "one"

    def placeholder(self):
        """(table, resource it names, type)."""
        kind = self.random.choice(["standard", "standard", "custom", "argument"])
        names = ["plain", "fixed", "items", "recent"]
        if kind == "custom":
            names = ["given", "given", "plain", "items"]
        if kind == "argument":
            names = [*self.argument_names, *self.argument_names, "fixed", "recent"]
        table = {"name": self.random.choice(names)}
        if kind != "standard" or self.chance(0.3):
            table["type"] = kind
        if table["name"] in ("items", "recent"):
            count = self.random.choice([1, 1, 2, 3, 9, "all"])
            table["arguments"] = {"num_samples": count}
        return table

    def some_tags(self):
        return [self.random.sample(self.tags, self.random.randint(0, min(3, len(self.tags))))
                for _ in self.zone_patterns[1:]]

    def shortest_limit(self):
        return max(len(p.encode()) for p in self.zone_patterns)

    def some_blocks(self, name):
        self.needed[name] = {}
        return [self.some_block(name) for _ in range(self.random.choice([1, 1, 1, 2]))]

    def some_block(self, name):
        keys = [f"k{i}" for i in range(self.random.choice([0, 0, 1, 2]))]
        count = self.random.randint(self.least, len(self.zone_patterns))
        block = {"text": self.block_text(keys, count)}
        if self.chance(0.3):
            sets = [self.some_tags() for _ in range(self.random.randint(1, 3))]
            block["tagset"] = sets
        else:
            block["tags"] = self.some_tags()
            if self.chance(0.3):
                block["repeats"] = self.random.randint(1, 3)
        if self.chance(0.7):
            block["max_gen_tokens"] = self.shortest_limit() + self.random.choice(
                [0, 1, 3, 8, 8, 20, 60])
        used = [key for key in keys if "{" + key + "}" in block["text"]]
        for key in used + (["unused"] if self.chance(0.03) else []):
            block[key] = self.placeholder()
            if key in used and block[key].get("type", "standard") != "standard":
                self.needed[name][block[key]["name"]] = block[key]["type"]
        return block

    def block_text(self, keys, count):
        """Text that is cut where it is meant to, whatever words adjoin."""
        while True:
            text = self.safe_text(keys, count)
            if self.is_cut_well(text, count):
                return text

    def is_cut_well(self, text, count):
        from reference_diagnostics import Problem, Warnings
        from reference_prompts import Config
        from reference_scan import cut_zones
        config = Config(self.zone_patterns, self.zone_patterns[:self.least], [], 1, [],
                        self.control, [self.opening, self.closing])
        try:
            cut_zones(text, config, "", ("", 0, 0), Warnings())
        except Problem:
            return False
        return True

    def config(self):
        made = {"zone_patterns": self.zone_patterns,
                "required_patterns": self.zone_patterns[:self.least],
                "valid_tags": self.tags,
                "default_max_token_length": self.shortest_limit() + 10,
                "sequences": self.sequences, "control_pattern": self.control,
                "escape_patterns": [self.opening, self.closing], "tools": self.tools}
        if self.alternatives:
            made["alternatives"] = self.alternatives
        if self.chance(0.4):
            made["match"] = "text" if self.chance(0.8) else "tokens"
        if self.chance(0.3):
            made["misc"] = {"b": [1, -200, 70000, True], "a": {"x": 0.5, "w": 0.1},
                            "n": "é" * self.random.randint(0, 40)}
        return made

    def texts(self):
        """The file's parts: [config], then one a sequence."""
        parts = [table_text("[config]", self.config())]
        return parts + ["".join(table_text(f"[[{name}]]", block) for block in blocks)
                        for name, blocks in self.blocks.items()]

    def write(self, folder, name):
        """One file or a folder of them; the path that a workflow names."""
        parts = self.texts()
        if self.chance(0.7):
            with open(os.path.join(folder, name + ".toml"), "w", encoding="utf-8") as file:
                file.write("".join(parts))
            return name + ".toml"
        os.makedirs(os.path.join(folder, name))
        self.random.shuffle(parts)
        for i, part in enumerate(parts):
            with open(os.path.join(folder, name, f"{i}.toml"), "w", encoding="utf-8") as file:
                file.write(part)
        return name
