"""TPC-H queries over tables in shards: each rank has a part of lineitem and orders, and the answers are those of one rank.

    shards.py q1 q3 q5 q6 --columns FOLDER --work FOLDER --ranks 2 [--check numpy|columns]

FOLDER holds the columns that ../tpch/columns.py makes. Q1 and Q6 split lineitem anywhere; Q3 and Q5 split lineitem and
orders by ranges of order keys, so that an order and its lines are on one rank; the small tables are on all of them. Shards that
are shorter than the longest are filled up with rows that no query counts. Checked are the answers of all ranks, to the last
digit, against NumPy or (columns) DuckDB. Exits 1 if one differs.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "tpch")]
import queries  # noqa: E402
import schema  # noqa: E402

# What fills up a shard: lines of a day that no query asks for, of an order that is not there.
FILLED = {"l_shipdate": {"q1": 84_000, "q6": 84_000}}
BY_KEY = ("q3", "q5")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


class Shards:
    """Which rows each rank has, and as how many: all ranks have as many of a table."""

    def __init__(self, query, columns, ranks):
        self.query, self.columns, self.ranks = query, columns, ranks
        self.keys, self.owners, self.rows = 0, {}, {}
        if query in BY_KEY:
            self.keys = -(-int(columns["o_orderkey"].max()) // ranks)
            for table, key in (("lineitem", "l_orderkey"), ("orders", "o_orderkey")):
                self.owners[table] = ((columns[key] - 1) // self.keys).astype(np.uint16)
                self.rows[table] = int(np.bincount(self.owners[table], minlength=ranks).max())
        else:
            self.rows["lineitem"] = -(-schema.line_count(columns) // ranks)

    def sizes(self):
        """The values of the query's parameters."""
        rows = {schema.COLUMNS[name].table: len(values) for name, values in self.columns.items()} | self.rows
        return {name: self.keys + 1 if name == "keys" else rows[schema.TABLES[name]] for name in schema.PARAMETERS[self.query]}

    def cut(self, name):
        """Whether ranks have parts of a column, and not all of it."""
        return schema.COLUMNS[name].table in self.rows

    def part(self, name, rank):
        values, table = self.columns[name], schema.COLUMNS[name].table
        if table in self.owners:
            values = values[self.owners[table] == rank]
        else:
            values = values[rank * self.rows[table]:(rank + 1) * self.rows[table]]
        # Order keys count from 1 on each rank; 0 is no order.
        return values - np.int32(rank * self.keys) if name in ("l_orderkey", "o_orderkey") else values

    def write(self, name, rank, path):
        """A column of one rank as a file, the only part of it that is in memory."""
        own = self.part(name, rank)
        out = np.lib.format.open_memmap(path, "w+", own.dtype, (self.rows[schema.COLUMNS[name].table],))
        out[: len(own)] = own
        out[len(own):] = 1 if name in ("o_custkey", "l_suppkey") else FILLED.get(name, {}).get(self.query, 0)


def tool(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def compile_shards(query, shards, work):
    """The plan of all ranks: the query, as it is, in a program that puts its answers together."""
    settings = [f"--set={query}.{name}={value}" for name, value in shards.sizes().items()] + [f"--set=ranks={shards.ranks}"]
    settings += [f"--set=keys_of_rank={shards.keys}"] if query == "q3" else []
    plan = work / f"{query}.{shards.ranks}.gvplan"
    # The part's file has the name that its parameters have before theirs.
    tool("gpuvm-compile", HERE / f"{query}.mlir", f"--link={HERE.parent / 'tpch' / query}.mlir", "-o", plan, *settings)
    return plan


def run(query, columns, options):
    """(outputs by name of each rank, statistics, bytes of a rank's columns) of a query."""
    work, ranks = options.work, options.ranks
    shards = Shards(query, columns, ranks)
    plan_file = compile_shards(query, shards, work)
    plan = json.loads(tool("gpuvm-plan", "show", "--format=json", plan_file))
    arguments, written, size = [], [], 0
    for slot in plan["inputs"]:
        name = slot["name"].removeprefix("shard.")
        if not shards.cut(name):
            arguments.append(f"--input={slot['name']}=@{options.columns}/{name}.npy")
            size += columns[name].nbytes
            continue
        for rank in range(ranks):
            written.append(work / f"{name}.{rank}.npy")
            shards.write(name, rank, written[-1])
        size += written[-1].stat().st_size
        arguments.append(f"--input={slot['name']}=@{work}/{name}.{{rank}}.npy")
    outputs = [output["name"] for output in plan["outputs"]]
    arguments += [f"--output={name}=@{work}/{query}.{name}.{{rank}}.npy" for name in outputs]
    stats = tool(*MPIRUN, "-n", ranks, "gpuvm-run", plan_file, *arguments, "--stats=json", f"--iterations={options.iterations}",
                 f"--timeout={options.timeout}")
    for path in written:
        path.unlink()
    answers = [{name: np.load(work / f"{query}.{name}.{rank}.npy") for name in outputs} for rank in range(ranks)]
    return answers, json.loads(stats), size


def answer(query, out, columns, words):
    if query == "q3":  # Orders that are not there have no revenue.
        out = {name: values[out["revenue"] > 0] for name, values in out.items()}
    return queries.ANSWERS[query](out, columns, words)


def check(query, options):
    names = schema.QUERIES[query]
    columns, words = queries.load(options.columns, names), queries.load_words(options.columns, names)
    if options.check == "columns":
        import duckdb_tables

        right = duckdb_tables.answer(duckdb_tables.given(columns, words), HERE.parent / "tpch" / f"{query}.mlir")
    else:
        right = queries.EXPECTED[query](columns, words)
    answers, stats, size = run(query, columns, options)
    good = [rank for rank, out in enumerate(answers) if answer(query, out, columns, words) == right]
    time = stats["wall_us"]["slowest"] if options.ranks > 1 else stats["wall_us"]["median"]
    print(f"{query} on {options.ranks} ranks: {len(right)} rows, {len(good)} of {options.ranks} right, {time:.0f} us, "
          f"{size} bytes of columns on a rank")
    if len(good) < options.ranks:
        wrong = next(rank for rank in range(options.ranks) if rank not in good)
        print(f"check failed: rank {wrong} has {answer(query, answers[wrong], columns, words)}, not {right}.")
    return len(good) == options.ranks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queries", nargs="*", default=["q1", "q3", "q5"])
    parser.add_argument("--columns", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--check", choices=["numpy", "columns"], default="numpy")
    parser.add_argument("--iterations", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=600)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    good = all([check(query, options) for query in options.queries])
    print("check ok" if good else "check failed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
