"""Repeated, interleaved measurements and what becomes of them: medians and tables."""

import math
import sys


def percentile(ordered, fraction):
    """With linear interpolation between the two nearest of the sorted values."""
    position = fraction * (len(ordered) - 1)
    low, high = math.floor(position), math.ceil(position)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def spread(values):
    """The median, the 10th and the 90th percentile, and how many values there are."""
    ordered = sorted(values)
    return {"median": percentile(ordered, 0.5), "p10": percentile(ordered, 0.1),
            "p90": percentile(ordered, 0.9), "n": len(ordered)}


def interleave(subjects, repeats, what):
    """Calls every subject once, `repeats` times over: A B C A B C ...

    A subject is a function without arguments that returns a dict of numbers. The answer
    has, for each subject, one list per number.
    """
    print(f"{what}: {repeats} repeats of {', '.join(map(str, subjects))}", file=sys.stderr, flush=True)
    samples = {name: {} for name in subjects}
    for _ in range(repeats):
        for name, subject in subjects.items():
            for key, value in subject().items():
                samples[name].setdefault(key, []).append(value)
    return samples


def number(value):
    """Three significant digits, without an exponent where that is readable."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 6)}f}"


def cell(value):
    """A table cell: text, a number, or a spread as `median (p10-p90)`."""
    if value is None:
        return ""
    if isinstance(value, dict):
        return f"{number(value['median'])} ({number(value['p10'])}-{number(value['p90'])})"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def table(rows):
    """A markdown table of dicts; its columns are all keys there are, in order of appearance."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    if not keys:
        return ""
    lines = ["| " + " | ".join(keys) + " |", "|" + "---|" * len(keys)]
    lines += ["| " + " | ".join(cell(row.get(key)) for key in keys) + " |" for row in rows]
    return "\n".join(lines) + "\n"
