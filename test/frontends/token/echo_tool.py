#!/usr/bin/env python3
#===- echo_tool.py - a tool whose answers depend on the text only ----------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Speaks the line protocol of tools (JSON, a line a request). The arguments are
# texts that some answers contain, such as patterns; of 8 texts about one is
# answered with an error, and none with `--no-errors` first.
#
#===------------------------------------------------------------------------===#

import json
import sys
import zlib


def answer(text, words, errors):
    """{"text"} or {"error"}."""
    choice = zlib.crc32(text.encode()) % 8
    word = words[zlib.crc32(text.encode() + b"?") % len(words)]
    if choice == 0 and errors:
        return {"error": f"no answer to {text!r}"}
    texts = ["", text[::-1], f"{word}", f"so {word} it", f"{word[:-1]}{word}", "é€𝄞 " + text,
             "long " * 12, f"{len(text)} letters"]
    return {"text": texts[choice]}


def main(arguments):
    errors = arguments[:1] != ["--no-errors"]
    words = arguments[0 if errors else 1:] or ["word"]
    for line in sys.stdin.buffer:
        request = json.loads(line.decode())
        made = {"id": request["id"], **answer(request["text"], words, errors)}
        sys.stdout.buffer.write((json.dumps(made) + "\n").encode())
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
