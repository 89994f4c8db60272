"""Makes columns of TPC-H tables, as .npy files, from a TPC-H generator.

    columns.py --scale 1 --out FOLDER --generator tpchgen-cli|duckdb [QUERY ...]

Makes the columns that these queries read (all queries if none is named) and that
FOLDER does not hold yet, under the names that the specification gives them. Nothing
passes through floating point:

    decimals  i64 or i8, in hundredths (prices in cents, discounts and taxes in percent)
    dates     i32, days since 1970-01-01
    keys      i32; i8 for those of nations and regions
    words     i8 or i16, numbers in a dictionary: the lines of NAME.txt, in order

A column file appears when all of it is written, and not before.
"""

import argparse
import os
import pathlib
import subprocess
import sys

import numpy as np

import schema
from lines import parse_table

# Rows per unit of scale factor, for the progress bar only (the specification, 4.2.5.1).
ROWS_PER_SCALE = {"lineitem": 6_000_000, "orders": 1_500_000, "part": 200_000, "customer": 150_000, "supplier": 10_000}


class Progress:
    """A one-line bar on standard error; plain lines where that is no terminal."""

    def __init__(self, what, total):
        self.what, self.total, self.shown = what, max(total, 1), -1

    def show(self, done):
        percent = min(100, int(100 * done / self.total))
        step = 1 if sys.stderr.isatty() else 25
        if percent // step == self.shown // step and self.shown >= 0:
            return
        self.shown = percent
        if sys.stderr.isatty():
            bar = "#" * (percent // 4)
            print(f"\r{self.what} [{bar:<25}] {percent:3d} %", end="", file=sys.stderr, flush=True)
        else:
            print(f"{self.what} {percent} %", file=sys.stderr, flush=True)

    def finish(self):
        self.show(self.total)
        if sys.stderr.isatty():
            print(file=sys.stderr)


def from_tpchgen(table, columns, scale):
    """Yields the columns in pieces, from tpchgen-cli's text on a pipe."""
    tool = pathlib.Path(sys.executable).with_name("tpchgen-cli")
    command = [tool, "tbl", "--quiet", "--stdout", f"--tables={table}", f"--scale-factor={scale}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        yield from parse_table(process.stdout, schema.FIELDS[table], columns)
    if process.returncode:
        raise RuntimeError(f"tpchgen-cli failed with exit code {process.returncode}")


def from_duckdb(table, columns, scale):
    """Yields the columns in pieces, from DuckDB's tpch extension."""
    import duckdb_tables

    connection = duckdb_tables.generated(scale)
    forms = {"date": "({0} - DATE '1970-01-01')::BIGINT", "hundredths": "({0} * 100)::BIGINT", "word": "{0}"}
    chosen = ", ".join(forms.get(column.form, "{0}::BIGINT").format(column.name) for column in columns)
    query = connection.execute(f"SELECT {chosen} FROM {table}")
    while rows := query.fetchmany(1 << 18):
        yield {column.name: np.array(values, np.bytes_ if column.form == "word" else np.int64)
               for column, values in zip(columns, zip(*rows))}


class Words:
    """A column of words in pieces, each with a dictionary of its own."""

    def __init__(self):
        self.pieces = []

    def append(self, values):
        self.pieces.append(np.unique(values, return_inverse=True))

    def finish(self):
        """(the numbers, the words in order)"""
        words = np.unique(np.concatenate([words for words, _ in self.pieces]))
        return np.concatenate([np.searchsorted(words, own)[numbers] for own, numbers in self.pieces]), words


def narrow(column, values):
    """values in the column's type; a value that does not fit is an error."""
    narrowed = values.astype(column.dtype)
    if (narrowed != values).any():
        raise ValueError(f"a value of column {column.name} does not fit {column.dtype}")
    return narrowed


def write(path, save):
    """What `save` writes to a file takes the place `path` when all went well."""
    temporary = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        with open(temporary, "wb") as file:
            save(file)
        temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)


def make(table, columns, scale, source, folder):
    """Writes these columns of one table, with a bar that follows the rows."""
    parts = {column.name: Words() if column.form == "word" else [] for column in columns}
    progress = Progress(f"{table} at scale factor {scale:g}", scale * ROWS_PER_SCALE.get(table, 0))
    progress.show(0)
    rows = 0
    for piece in source(table, columns, scale):
        for column in columns:
            values = piece[column.name]
            parts[column.name].append(values if column.form == "word" else narrow(column, values))
        rows += len(piece[columns[0].name])
        progress.show(rows)
    progress.finish()
    for column in columns:
        if column.form == "word":
            numbers, words = parts[column.name].finish()
            write(folder / f"{column.name}.txt", lambda file: file.write(b"".join(word + b"\n" for word in words)))
            values = narrow(column, numbers)
        else:
            values = np.concatenate(parts[column.name])
        schema.check(column, values)
        write(folder / f"{column.name}.npy", lambda file: np.save(file, values))


def make_all(names, scale, generator, folder):
    """Writes the columns of these names that `folder` does not hold."""
    folder.mkdir(parents=True, exist_ok=True)
    source = from_tpchgen if generator == "tpchgen-cli" else from_duckdb
    for table in schema.FIELDS:
        columns = [schema.COLUMNS[name] for name in names
                   if schema.COLUMNS[name].table == table and not (folder / f"{name}.npy").exists()]
        if columns:
            make(table, columns, scale, source, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queries", nargs="*", metavar="QUERY")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--generator", choices=["tpchgen-cli", "duckdb"], default="tpchgen-cli")
    args = parser.parse_args()
    make_all(schema.columns_of(args.queries or schema.QUERIES), args.scale, args.generator, args.out)


if __name__ == "__main__":
    main()
