"""Joins orders and lines of some days on the device, which builds its hash table from the smaller side.

    side.py --columns FOLDER --work FOLDER [--interpret]

FOLDER holds the columns of schema.SIDE. Runs side.mlir for days that leave fewer orders,
fewer lines, none, and more of both than there is room for; answers are checked against
SQLite (DuckDB where Python has it). Exits 1 if one differs, or a side is not the smaller.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import time

import queries
import schema

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402

# (what, first day and day behind the last of the orders, the same of the lines), in days since 1970-01-01:
# 1995-03-01 is 9190.
CASES = [("a month of orders, all lines", (9190, 9220), (8000, 11000)),
         ("all orders, a month of lines", (8000, 11000), (9190, 9220)),
         ("100 days of orders, a month of lines", (9110, 9210), (9190, 9220)),
         ("no orders", (9190, 9190), (8000, 11000)),
         ("no lines", (8000, 11000), (9190, 9190))]
TOO_MANY = ((8000, 11000), (8000, 11000))

QUERY = """select o_orderpriority, count(*), sum(l_extendedprice * (100 - l_discount))
    from orders, lineitem where o_orderkey = l_orderkey and o_orderdate >= {0} and o_orderdate < {1}
    and l_shipdate >= {2} and l_shipdate < {3} group by o_orderpriority order by o_orderpriority"""


def sqlite(columns):
    """A connection whose tables hold the numbers of these columns."""
    import sqlite3

    connection = sqlite3.connect(":memory:")
    for table in ("lineitem", "orders"):
        names = [name for name in columns if schema.COLUMNS[name].table == table]
        connection.execute(f"create table {table} ({', '.join(names)})")
        rows = zip(*(columns[name].tolist() for name in names))
        connection.executemany(f"insert into {table} values ({', '.join('?' * len(names))})", rows)
    return connection


def duckdb_numbers(columns):
    """The same in DuckDB."""
    import duckdb

    connection = duckdb.connect()
    for table in ("lineitem", "orders"):
        names = [name for name in columns if schema.COLUMNS[name].table == table]
        connection.register("numbers", {name: columns[name] for name in names})
        values = ", ".join(f"{name}::BIGINT AS {name}" for name in names)
        connection.execute(f"CREATE TABLE {table} AS SELECT {values} FROM numbers")
    return connection


def connect(columns):
    """(the outside program's name, a connection)"""
    try:
        return "DuckDB", duckdb_numbers(columns)
    except ImportError:
        return "SQLite", sqlite(columns)


def numbers(text, name):
    return [int(number) for number in re.search(rf"^{name}: \w+=(.*)$", text, re.MULTILINE)[1].split()]


def run(command, columns, days):
    (orders_from, orders_to), (lines_from, lines_to) = days
    inputs = {"orders_from": orders_from, "orders_to": orders_to, "lines_from": lines_from, "lines_to": lines_to}
    return subprocess.run([*command, *(f"--input={name}=i32={day}" for name, day in inputs.items()),
                           *(f"--input={name}=@{columns / name}.npy" for name in schema.SIDE)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check(what, done, expected, days):
    """Prints what a run found; whether it is right."""
    if done.returncode:
        print(f"check failed: {done.stderr}")
        return False
    counts, revenues = numbers(done.stdout, "count"), numbers(done.stdout, "revenue")
    (orders,), (lines,), (side,) = (numbers(done.stdout, name) for name in ("orders", "lines", "builds_lines"))
    print(f"{what}: {orders} orders, {lines} lines; the table is built from the {'lines' if side else 'orders'}; "
          f"{sum(counts)} pairs, revenue {queries.decimal(sum(revenues), 4)}")
    got = [(group, counts[group], revenues[group]) for group in range(5) if counts[group]]
    if got != [tuple(map(int, row)) for row in expected]:
        print(f"check failed: {got} is not {expected}")
        return False
    if side != (lines < orders):
        print("check failed: this is not the smaller side")
        return False
    return True


def check_all(columns_folder, work, interpret=False):
    columns = queries.load(columns_folder, schema.SIDE)
    whose, connection = connect(columns)
    print(f"answers are checked against {whose}", file=sys.stderr)
    work.mkdir(parents=True, exist_ok=True)
    source, sizes = HERE / "side.mlir", schema.sizes("side", columns)
    command = ["gpuvm-interpret", source, *programs.settings(sizes)]
    if not interpret:
        command = ["gpuvm-run", programs.compiled(work / "side.gvplan", source, **sizes), "--timeout=600"]
    good = True
    for what, *days in CASES:
        expected = connection.execute(QUERY.format(*days[0], *days[1])).fetchall()
        start = time.monotonic()
        good &= check(what, run(command, columns_folder, days), expected, days)
        print(f"{time.monotonic() - start:.1f} s", file=sys.stderr)
    if not interpret:
        done = run(command, columns_folder, TOO_MANY)
        print(f"all orders, all lines: exit code {done.returncode}: {done.stderr.strip()}")
        good &= done.returncode == 7 and "room for" in done.stderr
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--interpret", action="store_true")
    args = parser.parse_args()
    good = check_all(args.columns, args.work, args.interpret)
    if good:
        print("check ok")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
