"""Runs four programs of the token-stream VM, on a device and on the reference, and checks what their streams say.

    run.py --work DIR [--reference] [--streams N] [--model-seed N]

constitution drafts, criticises and revises until the critic is content; calculator asks a tool; vote has one question answered by
all streams and counts; card fills in an object of JSON. Each is compiled and run on the device, and its report is the one of the
reference, token for token; its picture is the one that is shown; checks.py then reads the texts. --reference runs it on the
reference only.

Results are lines "name value"; the last one is "check ok". Exits 1 if a check fails.
"""

import argparse
import pathlib
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import checks  # noqa: E402
import programs  # noqa: E402
from programs import check, say  # noqa: E402

BUDGET = 16384
TOOL = f"--tool=calculator={shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'calculator.py'))}"

# The argument of each program, its tools, and who checks it.
PROGRAMS = {
    "constitution": ("topic", "whales", [], checks.constitution),
    "calculator": ("question", "What do 17 pounds at 23.50 each cost?", [TOOL], checks.calculator),
    "vote": ("question", "What is six times seven?", [], checks.the_vote),
    "card": ("book", "Moby-Dick; or, The Whale. By Herman Melville, 1851.", [], checks.card),
}


def run(name, options):
    """The report of a program."""
    key, value, tools, _ = PROGRAMS[name]
    source, plan = HERE / f"{name}.workflow.toml", options.work / f"{name}.gvplan"
    report, reference = options.work / f"{name}.json", options.work / f"{name}.reference.json"
    argument = f"--arg={key}={value}"
    sizes = [f"--streams={options.streams}", f"--budget={BUDGET}"]
    seed = f"--model-seed={options.model_seed}"
    say(f"{name} ...")
    programs.tool("gpuvm-token", "reference", source, argument, *sizes, seed, *tools, f"--report={reference}")
    if options.reference:
        return reference
    programs.tool("gpuvm-compile", source, "-o", plan, argument, *sizes)
    programs.tool("gpuvm-token", "run", plan, seed, *tools, f"--report={report}")
    programs.tool("gpuvm-token", "compare", report, reference)
    print(f"{name}_report the reference's")
    picture = options.work / f"{name}.svg"
    programs.tool("gpuvm-compile", source, argument, "--emit=svg", "-o", picture)
    shown = HERE / picture.name
    check(picture.read_bytes() == shown.read_bytes(), f"{shown.name} of the examples is not {picture}; copy it there")
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for plans, reports and pictures")
    parser.add_argument("--reference", action="store_true", help="on the reference only, without a device")
    parser.add_argument("--streams", type=int, default=64)
    parser.add_argument("--model-seed", type=int, default=0)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    for name, (_, value, _, checked) in PROGRAMS.items():
        checked(run(name, options), value)


programs.finish(main)
