"""Checks the figures of a table that links to results of bench/: figures.py PAGE.

The text of a row's link is the name of a row there; its numbers, and the ratio in the last column, are of that row.
"""

import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1])
LINE = re.compile(r"^\| \[([^\]]+)\]\(([^)]*bench/results/[^)]+\.md)\)[^|]*\| ([\d,.]+) \| ([\d,.]+) [^|]*\| ([\d.]+) \|$", re.M)

wrong, rows = [], LINE.findall(page.read_text())
for name, path, ours, peers, ratio in rows:
    found = [line.split(" | ") for line in (page.parent / path).read_text().splitlines() if line.startswith(f"| {name} |")]
    numbers = [{cell.split(" (")[0].strip("| ") for cell in cells} for cells in found]
    if not any({ours, peers, ratio} <= each for each in numbers):
        wrong.append(f"{path} has no row \"{name}\" with {ours}, {peers} and {ratio}.")
    elif abs(float(peers.replace(",", "")) / float(ours.replace(",", "")) - float(ratio)) > 0.015 * float(ratio):
        wrong.append(f"{name}: {peers} / {ours} is not {ratio}.")
if wrong or len(rows) < 3:
    sys.exit("\n".join(wrong) or f"{page} has {len(rows)} rows with figures.")
print(f"{len(rows)} rows of figures are those of bench/results.")
