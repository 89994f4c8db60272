"""Queries 1 and 6 over a table in chunks, with less device memory than the table has bytes.

    chunks.py --columns FOLDER --work FOLDER [--rows N] [--budget BYTES] [--parquet FILE ...]

FOLDER holds the columns of query 1 (columns.py and load.py make them). Packs them into files
of bits, streams these through chunks.mlir, N lines at a time (1,048,576 if nothing is said),
and has gpuvm-run take no more device memory than the budget. Answers are checked against
NumPy integers, or DuckDB's of the Parquet files that the columns came from. Exits 1 if
one differs.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

import duckdb_tables
import packing
import queries
import schema
from columns import write

HERE = pathlib.Path(__file__).resolve().parent
ROWS = 1_048_576
WIDTHS = {"l_shipdate": 14, "l_returnflag": 2, "l_linestatus": 1, "l_quantity": 6, "l_discount": 4, "l_tax": 4,
          "l_extendedprice": 24}
STATE = ["sum_qty", "sum_base_price", "sum_disc_price", "sum_charge", "sum_discount", "count_order"]


def pack_column(folder, name, values):
    """FOLDER/NAME.bits: the column as bits of its width."""
    path = folder / f"{name}.bits"
    if not path.exists():
        if values.min() < 0 or int(values.max()).bit_length() > WIDTHS[name]:
            raise ValueError(f"column {name} has a value that is not in {WIDTHS[name]} bits")
        write(path, lambda file: [file.write(packing.pack_bits(piece, WIDTHS[name])) for piece in packing.pieces(values)])
    return path


def expected(columns, words, parquet):
    """(rows of query 1, revenue of query 6)"""
    if not parquet:
        return queries.EXPECTED["q1"](columns, words), queries.q6_expected(columns, words)
    import duckdb

    connection = duckdb.connect(config={"memory_limit": "2GB", "threads": 1})
    connection.execute(f"CREATE VIEW lineitem AS SELECT * FROM read_parquet({[str(file) for file in parquet]})")
    return tuple(duckdb_tables.answer(connection, HERE / f"{query}.mlir") for query in ("q1", "q6"))


def stream(columns, options):
    """(outputs by name, statistics, bytes of the packed columns) of the run over all chunks."""
    folder, work = options.columns / "bits", options.work
    folder.mkdir(exist_ok=True)
    work.mkdir(parents=True, exist_ok=True)
    files = {name: pack_column(folder, name, columns[name]) for name in WIDTHS}
    plan = work / "chunks.gvplan"
    subprocess.run(["gpuvm-compile", HERE / "chunks.mlir", f"--set=lines={options.rows}", "-o", plan], check=True)
    stats = subprocess.run(
        ["gpuvm-run", plan, "--stats=json", f"--vram-budget={options.budget}", "--timeout=600",
         f"--input=total=i64={len(columns['l_tax'])}", *(f"--stream={name}={file}" for name, file in files.items()),
         *(f"--output={name}=@{work}/chunks.{name}.npy" for name in (*STATE, "revenue"))],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    out = {name: np.load(work / f"chunks.{name}.npy") for name in (*STATE, "revenue")}
    return out, json.loads(stats), sum(file.stat().st_size for file in files.values())


def check_all(options):
    names = list(WIDTHS)
    columns, words = queries.load(options.columns, names), queries.load_words(options.columns, names)
    out, stats, packed = stream(columns, options)
    plain = sum(columns[name].nbytes for name in names)
    print(f"lines {len(columns['l_tax'])}")
    print(f"bytes {plain}")
    print(f"packed_bytes {packed}")
    print(f"vram_budget {options.budget}")
    print(f"chunks {stats['stream']['chunks']}")
    for key in ("submits", "kernels", "barriers", "device"):
        print(f"{key} {stats[key]}")
    for key in ("wall", "read", "device"):
        print(f"{key}_time {stats['stream'][f'{key}_us'] / 1e6:.1f} s")
    got = queries.q1_answer(out, columns, words), queries.q6_answer(out, columns, words)
    right = expected(columns, words, options.parquet)
    for query, answer, other in zip(("q1", "q6"), got, right):
        print(f"query {query}")
        for row in answer:
            print(*row)
        if answer != other:
            print(f"check failed: the answer to {query} is {other}.")
    return got == right


def parser():
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("--columns", type=pathlib.Path, required=True)
    made.add_argument("--work", type=pathlib.Path, required=True)
    made.add_argument("--rows", type=int, default=ROWS, help="lines in a chunk, a multiple of 8")
    made.add_argument("--budget", type=int, default=64 << 20)
    made.add_argument("--parquet", type=pathlib.Path, nargs="*", default=[])
    return made


def main():
    try:
        good = check_all(parser().parse_args())
    except subprocess.CalledProcessError as error:  # The program has said why.
        return error.returncode
    if good:
        print("check ok")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
