#===- generate_tensors.py - random files of instruction tensors ------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Machines that are valid by section 2.3 and that no workflow compiles to: masks
# of several classes, an address anywhere, zones that are fed and jump, escapes
# that open and close by one class, prompts anywhere in the data.
#
#===------------------------------------------------------------------------===#

from reference_graph import check_graph
from reference_tensors import TENSORS


class Form:
    """A random machine; `table` is the object of the file."""

    def __init__(self, random):
        self.random = random
        self.tokens = random.choice([[97, 98], [97, 98, 99], [97, 98, 257, 195, 169]])
        self.vocabulary = random.choice([257, 258, 300]) if 257 not in self.tokens else 259
        self.sizes = [random.randint(1, 7) for _ in range(random.choice([1, 1, 2, 3]))]
        self.classes = [random.choice([1, 2, 4, 6, 40]) for _ in self.sizes]
        self.tags = random.choice([1, 3, 40, 70])
        self.tools = random.randint(1, 3)
        self.rows = self.some_rows()
        self.data = self.some_tokens(random.randint(0, 40))
        self.zones = self.some_zones()

    def chance(self, probability):
        return self.random.random() < probability

    def some_tokens(self, count):
        return [self.random.choice(self.tokens) for _ in range(count)]

    def some_rows(self):
        """(class, tokens), at least one a class, no two alike."""
        total = sum(self.classes)
        wanted = list(range(total)) + [self.random.randrange(total) for _ in range(
            self.random.choice([0, 1, 3]))]
        rows, taken = [], set()
        for c in sorted(wanted) if self.chance(0.7) else wanted:
            row = ()
            while not row or row in taken:
                longest = self.random.choice([2, 3, 5, 6 if total < 30 else 8, 32])
                row = tuple(self.some_tokens(self.random.randint(1, longest)))
            taken.add(row)
            rows.append((c, list(row)))
        return rows

    def mask(self, first, count, probability):
        return [c for c in range(first, first + count) if self.chance(probability)]

    def some_zones(self):
        zones, at = [], 0
        for size, count, first in zip(self.sizes, self.classes, self.first_classes()):
            zones += self.some_workflow(at, size, first, count)
            at += size
        return zones

    def some_workflow(self, entry, size, first, count):
        """Zones of which each is reached and reaches the end."""
        while True:
            zones = [self.some_zone(entry, size, first, count) for _ in range(size)]
            if self.is_connected(zones, entry):
                return zones

    def first_classes(self):
        return [sum(self.classes[:w]) for w in range(len(self.classes))]

    def address(self, entry, size):
        if self.chance(0.3):
            return sum(self.sizes)
        return entry + self.random.randrange(size)

    def some_zone(self, entry, size, first, count):
        own = [r for r, (c, _) in enumerate(self.rows) if first <= c < first + count]
        row = self.random.choice(own)
        start, end = sorted(self.random.randint(0, len(self.data)) for _ in range(2))
        few = 0.4 if count < 10 else 0.1
        output = self.chance(0.4)
        zone = {
            "token_start_pointer": start,
            "token_end_pointer": self.random.choice([start, start, min(end, start + 9)]),
            "zone_advance_active": self.chance(0.8),
            "zone_advance_mask": self.mask(first, count, few),
            "jump_advance_active": self.chance(0.5),
            "jump_advance_mask": self.mask(first, count, few),
            "jump_address": self.address(entry, size),
            "next_address": self.address(entry, size), "advance_pattern": row,
            "escape_open_mask": self.mask(first, count, 0.12),
            "escape_close_mask": self.mask(first, count, 0.25),
            "input": self.chance(0.35), "output": output,
            "output_callback": self.random.randrange(self.tools) if output else -1,
            "inert": self.chance(0.5), "timeout": self.limit(row),
            "tags": self.mask(0, self.tags, 0.3)}
        if zone["input"] or zone["timeout"]:
            zone["zone_advance_active"] = True
            listened = {*zone["zone_advance_mask"], self.rows[row][0]}
            zone["zone_advance_mask"] = sorted(listened)
        return zone

    def limit(self, row):
        if self.chance(0.25):
            return 0
        return len(self.rows[row][1]) + self.random.choice([0, 0, 1, 2, 5, 9, 30])

    def is_connected(self, zones, entry):
        """By the active edges, also those that no pattern takes."""
        end = sum(self.sizes)
        place = lambda address: len(zones) if address == end else address - entry
        edges = [[place(z[f"{to}_address"]) for way, to in (("zone", "next"), ("jump", "jump"))
                  if z[f"{way}_advance_active"]] for z in zones]
        return check_graph(edges, [0], len(edges)) is None

    def names(self, w):
        tags = [f"t{i}" for i in range(self.tags)]
        picked = self.random.sample(tags, self.random.randint(1, min(3, len(tags))))
        extracts = {"all": {"tags": tags, "forced": self.chance(0.5),
                            "patterns": self.chance(0.5)},
                    "some": {"tags": picked, "forced": True, "patterns": True}}
        match = {"match": "text"} if self.chance(0.3) else {}
        return {"name": f"flow{w}", "entry": sum(self.sizes[:w]), "size": self.sizes[w], **match,
                "patterns": [f"class {i}" for i in range(self.classes[w])], "tags": tags,
                "tools": [f"tool{i}" for i in range(self.tools)], "extracts": extracts,
                "zones": [["s", 0, i] for i in range(self.sizes[w])]}

    def test_model(self):
        rows = [list(row) for _, row in self.rows]
        more = [self.some_tokens(self.random.randint(1, 6)) for _ in range(3)]
        return {"weight": self.random.choice([0, 20, 64, 128, 256]),
                "phrases": self.random.sample(rows + more, min(len(rows), 6)),
                "fillers": self.some_tokens(self.random.randint(1, 5))}

    def table(self):
        tensors = {name: [z[name] for z in self.zones] for name in self.zones[0]}
        longest = max(len(row) for _, row in self.rows)
        tensors.update(
            token_data=self.data, pattern_class=[c for c, _ in self.rows],
            pattern_length=[len(row) for _, row in self.rows],
            pattern_tokens=[[-1] * (longest - len(row)) + row for _, row in self.rows])
        workflows = range(len(self.sizes))
        return {"format": "gpuvm-token/1", "vocabulary": self.vocabulary, "padding": 256,
                "workflows": [self.names(w) for w in workflows],
                "tensors": {name: tensors[name] for name in TENSORS},
                "test_models": [self.test_model() for _ in workflows]}
