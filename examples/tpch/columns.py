"""Makes the columns that TPC-H Q6 reads, as .npy files, from a TPC-H generator.

    columns.py --scale 1 --out FOLDER --generator tpchgen-cli|duckdb

Decimals stay exact: prices become whole cents and discounts whole hundredths
without passing through floating point.

    shipdate.npy       i32  days since 1970-01-01
    discount.npy       i8   hundredths (0..10)
    quantity.npy       i8   units (1..50)
    extendedprice.npy  i64  cents

FOLDER appears when all of it is written, and not before.
"""

import argparse
import contextlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

DTYPES = {"shipdate": np.int32, "discount": np.int8, "quantity": np.int8, "extendedprice": np.int64}

# Rows per unit of scale factor, for the progress bar only (the specification, 4.2.5.1).
ROWS_PER_SCALE = 6_000_000

CHUNK_BYTES = 32 << 20


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


def digits(chunk, positions):
    """The digits at these positions, as i64; anything else is an error."""
    values = chunk[positions].astype(np.int64) - ord("0")
    if values.size and (values.min() < 0 or values.max() > 9):
        raise ValueError("a number in the generator's output has a character that is no digit")
    return values


def parse_integers(chunk, starts, ends):
    """The decimal integers in chunk[starts[i]:ends[i]]."""
    values = np.zeros(len(starts), np.int64)
    lengths = ends - starts
    if lengths.min() < 1 or lengths.max() > 15:
        raise ValueError("a number in the generator's output has no digits or more than 15")
    for place in range(int(lengths.max())):
        rows = np.flatnonzero(lengths > place)
        values[rows] += digits(chunk, ends[rows] - 1 - place) * 10**place
    return values


def parse_hundredths(chunk, starts, ends):
    """The decimals with two places in chunk[starts[i]:ends[i]], times 100."""
    if (chunk[ends - 3] != ord(".")).any():
        raise ValueError("a decimal in the generator's output has not two places")
    whole = parse_integers(chunk, starts, ends - 3)
    return whole * 100 + digits(chunk, ends - 2) * 10 + digits(chunk, ends - 1)


def parse_dates(chunk, starts, ends):
    """The dates YYYY-MM-DD in chunk[starts[i]:ends[i]], as days since 1970-01-01."""
    if (ends - starts != 10).any():
        raise ValueError("a date in the generator's output is not of the form YYYY-MM-DD")
    year = parse_integers(chunk, starts, starts + 4)
    month = parse_integers(chunk, starts + 5, starts + 7)
    day = parse_integers(chunk, starts + 8, ends)
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int64) + day - 1


def parse_lines(chunk):
    """The four columns of whole lineitem lines (16 fields, each closed by a bar)."""
    bars = np.flatnonzero(chunk == ord("|"))
    if len(bars) % 16 or (chunk[bars[15::16] + 1] != ord("\n")).any():
        raise ValueError("a line of the generator's output has not 16 fields")
    bars = bars.reshape(-1, 16)

    def field(index):
        return bars[:, index - 1] + 1, bars[:, index]

    return {
        "quantity": parse_integers(chunk, *field(4)),
        "extendedprice": parse_hundredths(chunk, *field(5)),
        "discount": parse_hundredths(chunk, *field(6)),
        "shipdate": parse_dates(chunk, *field(10)),
    }


def read_chunks(stream):
    """Yields arrays of whole lines."""
    rest = b""
    while block := stream.read(CHUNK_BYTES):
        block = rest + block
        cut = block.rfind(b"\n") + 1
        rest = block[cut:]
        if cut:
            yield np.frombuffer(block, np.uint8, cut)
    if rest:
        raise ValueError("the generator's output ends inside a line")


def from_tpchgen(scale):
    """Yields the columns in pieces, from tpchgen-cli's text on a pipe."""
    tool = pathlib.Path(sys.executable).with_name("tpchgen-cli")
    command = [tool, "tbl", "--quiet", "--stdout", "--tables=lineitem", f"--scale-factor={scale}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        for chunk in read_chunks(process.stdout):
            yield parse_lines(chunk)
    if process.returncode:
        raise RuntimeError(f"tpchgen-cli failed with exit code {process.returncode}")


def from_duckdb(scale):
    """Yields the columns in pieces, from DuckDB's tpch extension."""
    import duckdb
    import duckdb_extension_tpch

    folder = pathlib.Path(duckdb_extension_tpch.__file__).parent
    extension = next(folder.glob("extensions/*/tpch.duckdb_extension"))
    connection = duckdb.connect()
    connection.load_extension(str(extension))
    connection.execute(f"CALL dbgen(sf={scale})")
    query = connection.execute(
        "SELECT (l_shipdate - DATE '1970-01-01')::INTEGER AS shipdate,"
        " (l_discount * 100)::TINYINT AS discount, l_quantity::TINYINT AS quantity,"
        " (l_extendedprice * 100)::BIGINT AS extendedprice FROM lineitem")
    while rows := query.fetchmany(1 << 18):
        columns = zip(*rows)
        yield {name: np.array(column, np.int64)
               for name, column in zip(DTYPES, columns)}


def narrow(name, values):
    """values in the column's type; a value that does not fit is an error."""
    narrowed = values.astype(DTYPES[name])
    if (narrowed != values).any():
        raise ValueError(f"a value of column {name} does not fit {DTYPES[name].__name__}")
    return narrowed


def collect(pieces, scale):
    """The whole columns, with a bar that follows the rows."""
    progress = Progress(f"lineitem at scale factor {scale:g}", scale * ROWS_PER_SCALE)
    progress.show(0)
    parts = {name: [] for name in DTYPES}
    rows = 0
    for piece in pieces:
        for name, values in piece.items():
            parts[name].append(narrow(name, values))
        rows += len(piece["shipdate"])
        progress.show(rows)
    progress.finish()
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}


@contextlib.contextmanager
def whole_folder(out):
    """A temporary sibling of `out` that takes its place when all went well."""
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = pathlib.Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        yield temporary
        temporary.chmod(0o755)
        temporary.rename(out)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--generator", choices=["tpchgen-cli", "duckdb"], default="tpchgen-cli")
    args = parser.parse_args()
    source = from_tpchgen if args.generator == "tpchgen-cli" else from_duckdb
    columns = collect(source(args.scale), args.scale)
    with whole_folder(args.out) as folder:
        for name, values in columns.items():
            np.save(folder / f"{name}.npy", values)


if __name__ == "__main__":
    main()
