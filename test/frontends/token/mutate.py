#===- mutate.py - spoils an input of a case --------------------------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A case that was valid gets a fault of the kinds that section 12 lists: a line
# is gone or there twice, a key or a name is another, a value has another type.
#
#===------------------------------------------------------------------------===#

import json
import os
import random
import re


def without_line(rng, text):
    lines = text.split("\n")
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines)


def renamed_key(rng, text):
    keys = list(re.finditer(r"\b(\w+) = ", text))
    if not keys:
        return without_line(rng, text)
    key = rng.choice(keys)
    return text[:key.start(1)] + "other" + text[key.end(1):]


def other_value(rng, text):
    values = list(re.finditer(r" = (\"[^\"\n]*\"|-?\d+|true|false|\[\])", text))
    if not values:
        return without_line(rng, text)
    value = rng.choice(values)
    new = rng.choice(["0", "-1", "\"\"", "\"other\"", "true", "[]", "{}", "7"])
    return text[:value.start(1)] + new + text[value.end(1):]


def without_piece(rng, text):
    """A text loses a pattern, an escape or a brace."""
    pieces = list(re.finditer(r"[\[<(«‹`].{0,6}[\])>»›´]|[{}]{1,2}", text))
    if not pieces:
        return without_line(rng, text)
    piece = rng.choice(pieces)
    return text[:piece.start()] + text[piece.end():]


def spoil_text(rng, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    change = rng.choice([without_line, renamed_key, other_value, other_value, without_piece])
    with open(path, "w", encoding="utf-8") as file:
        file.write(change(rng, text))


def spoil_form(rng, path):
    """A value of a tensor, or of the object around it, is another."""
    with open(path, encoding="utf-8") as file:
        form = json.load(file)
    table = rng.choice([form["tensors"]] * 6 + [form, form["workflows"][0],
                                               form["test_models"][0]])
    key = rng.choice(sorted(table))
    if isinstance(table[key], list) and table[key] and rng.random() < 0.8:
        table, key = table[key], rng.randrange(len(table[key]))
    table[key] = rng.choice([-2, -1, 0, 1, 5, 1 << 31, 1 << 40, True, [], [0], [-1],
                             [1, 0], "x", None, 0.5])
    with open(path, "w", encoding="utf-8") as file:
        json.dump(form, file, ensure_ascii=False)


def mutate(folder, seed):
    """Spoils one file of a case; the same for the same seed."""
    rng = random.Random(seed * 2 + 1)
    files = sorted(os.path.join(base, name) for base, _, names in os.walk(folder)
                   for name in names if name != "arguments.json")
    path = rng.choice(files)
    if path.endswith(".json"):
        spoil_form(rng, path)
    else:
        spoil_text(rng, path)
