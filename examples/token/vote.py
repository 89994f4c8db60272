"""Counts what the streams of vote.workflow.toml answer: vote.py REPORT. A stream votes for the last number that it says."""

import collections
import json
import re
import sys


def votes(streams):
    """(number, votes), the most first; of as many the one that was said first."""
    numbers = (re.findall(r"\d+", stream["extract"]["answer"]) for stream in streams)
    return collections.Counter(int(said[-1]) for said in numbers if said).most_common()


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        for number, count in votes(json.load(file)["streams"]):
            print(f"{number:>8} {count:>5}")
