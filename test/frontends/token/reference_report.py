#===- reference_report.py - runs the streams, and what the wrapper shows ---===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sections 10 and 11. Streams are independent, so each runs to its end by itself.
# `workflow` and `status` of a stream are names.
#
#===------------------------------------------------------------------------===#

import json
import subprocess

from reference_diagnostics import Problem
from reference_machine import RUNNING, WAITING, Machine, Stream

LONGEST_LINE = 1 << 20
STATUS = ("RUNNING", "DONE", "WAITING", "TOOL_FAILED", "TOOL_TIMEOUT",
          "ANSWER_TOO_LONG", "CAPTURE_FULL", "BUDGET")


class Tool:
    """A program on a pipe that speaks the line protocol."""

    def __init__(self, name, command):
        self.name, self.command = name, command
        self.process, self.broken, self.next = None, False, 0

    def start(self):
        self.process = subprocess.Popen(["/bin/sh", "-c", self.command],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, stream, text):
        """The answer's text; None where the tool said error, or broke."""
        if self.process is None:
            self.start()
        request = {"id": self.next, "stream": stream, "tool": self.name, "text": text}
        self.next += 1
        if self.broken:
            return None
        try:
            line = json.dumps(request, ensure_ascii=False) + "\n"
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
            return self.answer(request["id"], self.process.stdout.readline())
        except BrokenPipeError:
            self.broken = True
            return None

    def answer(self, number, line):
        try:
            answer = json.loads(line.decode())
        except ValueError:
            answer = None
        fits = isinstance(answer, dict) and answer.get("id") == number and \
            len(line) <= LONGEST_LINE
        if fits and isinstance(answer.get("error"), str):
            return None
        if fits and isinstance(answer.get("text"), str):
            return answer["text"]
        self.broken = True
        return None

    def end(self):
        if self.process is None:
            return
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def tool_name(form, callback):
    return form["workflows"][0]["tools"][callback]


def check_tools(form, tools):
    """C01: a tool that a workflow uses and nobody gave."""
    for callback in form["tensors"]["output_callback"]:
        if callback >= 0 and tool_name(form, callback) not in tools:
            raise Problem("C01", f"tool {tool_name(form, callback)!r} is not given")


def run_stream(stream, tools, tokenizer):
    while stream.status in (RUNNING, WAITING):
        if stream.status == RUNNING:
            stream.step()
            continue
        name = tool_name(stream.machine.form, stream.pending)
        text = tokenizer.decode_parts(stream.capture)
        stream.requests.append({"tool": name, "text": text})
        answer = tools[name].ask(stream.number, text)
        if answer is None:
            stream.fail()
        else:
            stream.resolve(tokenizer.encode(answer))


def run(form, options, tokenizer):
    """The streams after all their steps."""
    check_tools(form, options.tools)
    machine = Machine(form, options.budget, options.capture_tokens, options.answer_tokens,
                      tokenizer)
    tools = {name: Tool(name, command) for name, command in options.tools.items()}
    streams = []
    try:
        for number in range(options.streams):
            stream = Stream(machine, number, options.model_seed)
            stream.number = number
            run_stream(stream, tools, tokenizer)
            streams.append(stream)
    finally:
        for tool in tools.values():
            tool.end()
    return streams


def extract(stream, names, options, tokenizer):
    """Section 11: the text of one extract of a stream."""
    wanted = {names["tags"].index(tag) for tag in options["tags"]}
    records, left = stream.records, {}
    for i, record in enumerate(records):
        if record.event and not options["patterns"]:
            first = i - record.m + 1
            left |= {j: record.before if j == first else 0 for j in range(first, i + 1)}
    kept = [(r.token, left.get(i)) for i, r in enumerate(records)
            if wanted & set(r.tags) and not (r.forced and not options["forced"])]
    return tokenizer.decode_parts(kept)


def decisions(records):
    return [record.zone for i, record in enumerate(records)
            if i == 0 or records[i - 1].event]


def stream_report(stream, tokenizer):
    names, records = stream.machine.form["workflows"][stream.workflow], stream.records
    tokens = [record.token for record in records]
    return {
        "workflow": names["name"], "status": STATUS[stream.status], "tokens": tokens,
        "zones": [record.zone for record in records],
        "token_num": [record.tn for record in records],
        "triggers": [record.triggers for record in records],
        "tags": [record.tags for record in records],
        "forced": [int(record.forced) for record in records],
        "event": [record.event for record in records],
        "decisions": decisions(records), "requests": stream.requests,
        "final": {"zone": stream.pc, "token_num": stream.tn, "depth": stream.depth},
        "text": tokenizer.decode(tokens),
        "extract": {name: extract(stream, names, options, tokenizer)
                    for name, options in names["extracts"].items()}}


def report(streams, tokenizer):
    done = all(stream.status not in (RUNNING, WAITING) for stream in streams)
    return {"format": "gpuvm-token-report/1", "done": done,
            "streams": [stream_report(stream, tokenizer) for stream in streams]}


def summary(streams):
    """How many streams have each status, a line each."""
    counts = [(STATUS[status], sum(stream.status == status for stream in streams))
              for status in range(len(STATUS))]
    lines = [f"{name:<22} {count}" for name, count in counts if count]
    return "\n".join([*lines, f"{'streams':<22} {len(streams)}"])
