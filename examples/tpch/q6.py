"""TPC-H Q6 in plain NumPy integers, and the report of tools/quickstart.

    q6.py rows COLUMNS          how many rows the columns in this folder have
    q6.py output PLAN_JSON      the name of the plan's output
    q6.py report COLUMNS WORK   the result of a run, checked; WORK holds plan.json,
                                stats.json and revenue.npy

The query:

    select sum(l_extendedprice * l_discount) from lineitem
    where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
      and l_discount between 0.05 and 0.07 and l_quantity < 24
"""

import datetime
import json
import pathlib
import sys

import numpy as np

COLUMNS = ("shipdate", "discount", "quantity", "extendedprice")

# Rows -> revenue in ten-thousandths: the answer set of the TPC-H specification
# (its validation database is scale factor 1, which has 6,001,215 rows).
PUBLISHED = {6_001_215: 1231410782283}

EPOCH = datetime.date(1970, 1, 1)
FIRST_DAY = (datetime.date(1994, 1, 1) - EPOCH).days
LAST_DAY = (datetime.date(1995, 1, 1) - EPOCH).days


def load(folder):
    return {name: np.load(pathlib.Path(folder) / f"{name}.npy", mmap_mode="r")
            for name in COLUMNS}


def revenue(columns):
    """(sum of cents x hundredths, number of rows that passed), exactly."""
    ship, disc, qty, price = (columns[name] for name in COLUMNS)
    keep = (ship >= FIRST_DAY) & (ship < LAST_DAY)
    keep &= (disc >= 5) & (disc <= 7) & (qty < 24)
    products = price[keep] * disc[keep].astype(np.int64)
    return int(products.sum()), int(keep.sum())


def text(ten_thousandths):
    """1231410782283 -> "123141078.2283"."""
    sign = "-" if ten_thousandths < 0 else ""
    whole, part = divmod(abs(ten_thousandths), 10_000)
    return f"{sign}{whole}.{part:04d}"


def problems(columns, got, stats):
    """What is wrong with this run, as sentences; none if all is right."""
    expected, _ = revenue(columns)
    rows = len(columns["shipdate"])
    if got != expected:
        yield f"the revenue {text(got)} is not NumPy's {text(expected)}"
    if got != PUBLISHED.get(rows, got):
        yield f"the revenue {text(got)} is not the published {text(PUBLISHED[rows])}"
    if stats["submits"] != 1:
        yield f"one execution takes {stats['submits']} submits, not 1"


def report(folder, work):
    """Prints the result one a line; the exit code."""
    columns = load(folder)
    stats = json.loads((work / "stats.json").read_text())
    plan = json.loads((work / "plan.json").read_text())
    got = int(np.load(work / "revenue.npy"))
    device_us = stats["device_us"]["median"]
    # GB/s of one read of every column, against the speed of a copy
    # (its reads and writes together) measured in the same run.
    read = sum(column.nbytes for column in columns.values()) / device_us / 1e3
    print(f"revenue {text(got)}")
    print(f"stages {len(plan['stages'])}")
    for key in ("kernels", "barriers", "submits", "device"):
        print(f"{key} {stats[key]}")
    print(f"device_time {device_us:.1f} us")
    print(f"copy_fraction {100 * read / stats['copy_gbps']:.1f} %")
    found = list(problems(columns, got, stats))
    for problem in found:
        print(f"check failed: {problem}.")
    if not found:
        print("check ok")
    return 1 if found else 0


def main(arguments):
    command, *paths = arguments or [None]
    paths = [pathlib.Path(path) for path in paths]
    if command == "rows" and len(paths) == 1:
        print(len(load(paths[0])["shipdate"]))
    elif command == "output" and len(paths) == 1:
        print(json.loads(paths[0].read_text())["outputs"][0]["name"])
    elif command == "report" and len(paths) == 2:
        return report(*paths)
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
