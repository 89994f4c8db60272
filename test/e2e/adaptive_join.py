"""Joins tables of which a filter leaves few rows, many, one and none: adaptive-join.mlir against an outside program."""

import re
import subprocess
import sys

import numpy as np

prefix, program, *plans = sys.argv[1:]
rng = np.random.default_rng(5)
tables = {"orderKey": rng.integers(0, 1000, 5000, np.int32), "quantity": rng.integers(1, 50, 5000, np.int64),
          "itemKey": rng.integers(0, 1000, 3000, np.int32), "price": rng.permutation(3000).astype(np.int64)}
for name, column in tables.items():
    np.save(f"{prefix}.{name}.npy", column)


def by_numpy(least):
    kept = tables["price"] >= least
    sums = np.zeros(1000, np.int64)
    np.add.at(sums, tables["itemKey"][kept], tables["price"][kept])
    return int((sums[tables["orderKey"]] * tables["quantity"]).sum())


def by_duckdb(least):
    import duckdb
    import pandas
    orders = pandas.DataFrame({"k": tables["orderKey"], "q": tables["quantity"]})  # noqa: F841 (the query names it)
    items = pandas.DataFrame({"k": tables["itemKey"], "p": tables["price"]})  # noqa: F841
    query = f"select coalesce(sum(q * p), 0) from orders join items using (k) where p >= {least}"
    return int(duckdb.sql(query).fetchone()[0])


try:
    by_duckdb(0)
    outside = by_duckdb
except ImportError:
    outside = by_numpy

ways = set()
for least in (0, 2935, 2936, 2999, 3000):
    count = int((tables["price"] >= least).sum())
    inputs = [f"--input={name}=@{prefix}.{name}.npy" for name in tables] + [f"--input=least=i64={least}"]
    want = {"revenue": outside(least), "rows": count, "way": int(count > 64)}
    for command in [["gpuvm-interpret", program]] + [["gpuvm-run", plan, "--validate", "--iterations=2"] for plan in plans]:
        text = subprocess.run(command + inputs, check=True, capture_output=True, text=True).stdout
        found = {name: int(number) for name, number in re.findall(r"(\w+): i\d+=(-?\d+)", text)}
        if found != want:
            sys.exit(f"{' '.join(command)}, least {least}: {found}, not {want}")
    ways.add(want["way"])
assert ways == {0, 1}
