"""Plans of the token-stream VM as the benchmarks use them.

Such a plan has two programs, `start` and `run`, and beside it is a file with the workflow. An execution of `run` has room for so many records;
streams that emit more tokens than that need several.
"""

import json

import machine


def sidecar(plan):
    """The file next to a plan that has the workflow; other plans have none."""
    return plan.with_name(f"{plan.name}.token.json")


def records_of(manifest):
    """The symbols that streams record in. A row is a step of all streams."""
    return [symbol for symbol in manifest["symbols"] if symbol["name"].startswith("token.records")]


def executions(plan, manifest):
    """How often `run` is executed until the budget of streams is over."""
    rows = sum(symbol["shape"][0] for symbol in records_of(manifest))
    return -(-json.loads(sidecar(plan).read_text())["budget"] // rows)


def by_row(command, records):
    """The command with a row of the records where its window is all of them: no dispatch writes more."""
    rows = {(symbol["window"]["region"], symbol["window"]["offset"], symbol["window"]["length"]): symbol["shape"][0] for symbol in records}
    windows = [{**window, "length": window["length"] // rows.get((window["region"], window["offset"], window["length"]), 1)}
               for window in command.get("windows", ())]
    return {**command, "windows": windows}


def all_of(plan, manifest):
    """The manifest with the commands of what a Machine executes."""
    if not sidecar(plan).exists():
        return manifest
    records, commands, first = records_of(manifest), [], 0
    for program in manifest["programs"]:
        own = manifest["commands"][first:first + program["commands"]]
        first += len(own)
        if program["name"] == "run":
            commands.append({"op": "repeat", "commands": len(own), "times": executions(plan, manifest)})
        commands += [by_row(command, records) for command in own]
    return {**manifest, "commands": commands}


class Machine(machine.Machine):
    """A VM that executes all of a workflow: `start`, then `run` as often as it takes. Other plans have one program."""

    def load(self, plan):
        super().load(plan)
        self.programs = []
        if sidecar(plan).exists():
            self.programs = ["start"] + ["run"] * executions(plan, json.loads(plan.with_suffix(".json").read_text()))

    def execute(self, program=None):
        if program or not self.programs:
            return super().execute(program)
        times = [super(Machine, self).execute(name) for name in self.programs]
        return {key: sum(one[key] for one in times) for key in times[0]}
