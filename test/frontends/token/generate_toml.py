#===- generate_toml.py - writes values as TOML -----------------------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The standard library reads TOML but does not write it.
#
#===------------------------------------------------------------------------===#

import json


def value_text(value):
    if isinstance(value, dict):
        pairs = [f"{key_text(k)} = {value_text(v)}" for k, v in value.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def key_text(key):
    bare = key and all(c.isascii() and (c.isalnum() or c in "_-") for c in key)
    return key if bare else json.dumps(key, ensure_ascii=False)


def table_text(head, table):
    lines = [f"{key_text(key)} = {value_text(value)}" for key, value in table.items()]
    return "\n".join([head, *lines]) + "\n\n"
