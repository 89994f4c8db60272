"""Changes a table on the device between queries, and checks every batch against SQLite.

    changes.py --work FOLDER [--columns FOLDER] [--commands N]

Makes a log of commands (insert, update and delete, some of which find nothing to do, and
many with the same keys), of the values of lineitem's columns in FOLDER or of made-up
ones, and streams it through changes.mlir: 256 commands, one submit and one answer of
query 6 at a time. SQLite gets the same commands one by one. Answers, rows, what each
batch has changed and the table in the end must be the same. Then a log of more rows than
there is room for must end with EXCESS. Exits 1 if something differs.
"""

import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys

import numpy as np

import queries

HERE = pathlib.Path(__file__).resolve().parent
BATCH, ROOM = 256, 4096  # As in changes.mlir.
TYPES = {"kind": "i1", "key": "<i4", "shipdate": "<i4", "discount": "i1", "quantity": "i1", "price": "<i8"}
SOURCES = {"shipdate": "l_shipdate", "discount": "l_discount", "quantity": "l_quantity", "price": "l_extendedprice"}
RANGES = {"shipdate": (8036, 10562), "discount": (0, 11), "quantity": (1, 51), "price": (90_000, 10_494_951)}
QUERY = """select coalesce(sum(price * discount), 0), (select count(*) from lines) from lines where shipdate >= 8766
    and shipdate < 9131 and discount between 5 and 7 and quantity < 24"""


def make_log(commands, keys, folder, random):
    """Columns of commands by name: 6 in 10 insert, half of the rest update, and keys repeat."""
    rows = random.permutation(commands)
    log = {"kind": random.choice([0, 0, 0, 1, 2], commands), "key": random.integers(0, keys, commands)}
    for name, (low, high) in RANGES.items():
        log[name] = (np.load(folder / f"{SOURCES[name]}.npy", mmap_mode="r")[:commands][rows] if folder
                     else random.integers(low, high, commands))
    return {name: log[name].astype(dtype) for name, dtype in TYPES.items()}


def replay(log):
    """What SQLite answers behind each batch, and its table: ([(revenue, rows, changes)], rows)"""
    connection = sqlite3.connect(":memory:")
    connection.execute("create table lines (key integer primary key, shipdate, discount, quantity, price)")
    answers, changed = [], [0, 0, 0, 0]
    commands = list(zip(*(column.tolist() for column in log.values())))
    for number, (kind, key, shipdate, discount, quantity, price) in enumerate(commands, 1):
        if kind == 0:
            text, values = "insert or ignore into lines values (?, ?, ?, ?, ?)", (key, shipdate, discount, quantity, price)
        elif kind == 1:
            text = "update lines set discount = ?, quantity = ?, price = ? where key = ?"
            values = (discount, quantity, price, key)
        else:
            text, values = "delete from lines where key = ?", (key,)
        changed[kind if connection.execute(text, values).rowcount else 3] += 1
        if number % BATCH == 0 or number == len(commands):
            answers.append((*connection.execute(QUERY).fetchone(), changed))
            changed = [0, 0, 0, 0]
    return answers, connection.execute("select * from lines order by key").fetchall()


def stream(plan, log, work):
    """The run of a log, whose outputs are files in `work`."""
    for name, column in log.items():
        np.save(work / f"log-{name}.npy", column)
    return subprocess.run(
        ["gpuvm-run", plan, "--stats=json", "--timeout=600",
         *(f"--stream={name}={work}/log-{name}.npy" for name in log),
         *(f"--stream-output={name}={work}/{name}.bin" for name in ("revenue", "rows", "changed")),
         *(f"--output={name}=@{work}/table-{name}.npy" for name in ("count", "keys", "shipdates", "discounts", "quantities",
                                                                    "prices"))],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def found(work):
    """(answers, table) as `replay` gives them, from the files of a run."""
    read = lambda name, dtype: np.fromfile(work / f"{name}.bin", dtype)
    answers = list(zip(read("revenue", "<i8").tolist(), read("rows", "<i4").tolist(),
                       read("changed", "<i8").reshape(-1, 4).tolist()))
    rows = int(np.load(work / "table-count.npy"))
    columns = [np.load(work / f"table-{name}.npy")[:rows].tolist()
               for name in ("keys", "shipdates", "discounts", "quantities", "prices")]
    return answers, sorted(zip(*columns))


def check_all(work, folder=None, commands=8000):
    work.mkdir(parents=True, exist_ok=True)
    plan = work / "changes.gvplan"
    subprocess.run(["gpuvm-compile", HERE / "changes.mlir", "-o", plan], check=True)
    random = np.random.default_rng(11)
    log = make_log(commands, 3000, folder, random)
    done = stream(plan, log, work)
    if done.returncode:
        print(f"check failed: {done.stderr}")
        return False
    answers, table = found(work)
    expected, rows = replay(log)
    for number, (got, right) in enumerate(zip(answers, expected)):
        if got != right:
            print(f"check failed: batch {number}: {got}, not {right}")
            return False
    if len(answers) != len(expected) or table != rows:
        print(f"check failed: {len(answers)} answers and {len(table)} rows, not {len(expected)} and {len(rows)}")
        return False
    totals = np.sum([changed for _, _, changed in answers], axis=0)
    stats = json.loads(done.stdout[done.stdout.index("{"):])
    print(f"{len(answers)} batches: {totals[0]} rows inserted, {totals[1]} updated, {totals[2]} deleted, "
          f"{totals[3]} commands without effect; {len(table)} rows, revenue {queries.decimal(answers[-1][0], 4)}")
    print(f"kernels {stats['kernels']}, barriers {stats['barriers']}, submits a batch {stats['submits']}")
    full = make_log(20 * BATCH, 10**6, None, random)
    full["kind"][:] = 0
    done = stream(plan, full, work)
    print(f"too many rows: exit code {done.returncode}: {done.stderr.strip()}")
    return done.returncode == 7 and f"room for {ROOM} only" in done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--columns", type=pathlib.Path)
    parser.add_argument("--commands", type=int, default=8000)
    args = parser.parse_args()
    good = check_all(args.work, args.columns, args.commands)
    if good:
        print("check ok")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
