"""Compiles and runs TPC-H queries, and checks their answers to the last digit.

    run.py q1 q3 --columns FOLDER --work FOLDER [--packed] [--check duckdb|columns|numpy] [--scale N]
    run.py --work FOLDER [--small] [--scale N] [QUERY ...]

FOLDER holds the columns that columns.py makes; the programs' parameters, whose defaults
are scale factor 1, get the sizes of these, and with --packed the columns' packed types (packing.py). Without
--columns it makes them, and shows and checks everything there is here (showcase.py), at scale
factor 1, or 0.01 with --small. An answer is checked against

    duckdb   DuckDB's answer on the rows of its own generator, at scale factor N
    columns  DuckDB's answer on the columns
    numpy    what queries.py computes from the columns in NumPy integers

with the query in the comment that the program begins with. Exits 1 if one differs.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np

import duckdb_tables
import packing
import queries
import schema

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402


def tool(options, name, *arguments):
    return subprocess.run([options.bin / name, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def inputs_of(query, columns, options):
    """(the program of a query, a file for each of its inputs)"""
    source = HERE / f"{query}.mlir"
    if options.packed:
        codecs, files = packing.pack_query(options.columns, query)
        packed = options.work / f"{query}-packed.mlir"
        packed.write_text(packing.packed_program(source.read_text(), codecs))
        return packed, files
    return source, {name: options.columns / f"{name}.npy" for name in columns}


def execute(query, columns, options):
    """(outputs by name, plan, statistics) of a query on the device; the plan's inputs have their bytes."""
    source, sources = inputs_of(query, columns, options)
    work, name = options.work, source.stem
    plan_file = work / f"{name}.gvplan"
    tool(options, "gpuvm-compile", source, "-o", plan_file, *programs.settings(schema.sizes(query, columns)), *options.compile_options)
    plan = json.loads(tool(options, "gpuvm-plan", "show", "--format=json", plan_file))
    for i in plan["inputs"]:
        i["bytes"] = np.load(sources[i["name"]], mmap_mode="r").nbytes
    files = {output["name"]: work / f"{name}.{output['name']}.npy" for output in plan["outputs"]}
    # A single execution measures nothing.
    stats = tool(options, "gpuvm-run", plan_file, "--stats=json", *(["--copy-speed"] if options.iterations > 1 else []),
                 f"--iterations={options.iterations}", f"--warmup={options.iterations // 6}", f"--timeout={options.timeout}",
                 *(f"--input={i['name']}=@{sources[i['name']]}" for i in plan["inputs"]),
                 *(f"--output={name}=@{file}" for name, file in files.items()))
    out = {name: np.load(file) for name, file in files.items()}
    return out, plan, json.loads(stats)


def expected(query, columns, words, connection):
    if connection is None:
        return queries.EXPECTED[query](columns, words)
    return duckdb_tables.answer(connection, HERE / f"{query}.mlir")


def show_answer(header, rows):
    for row in [header, *rows] if len(header) > 1 else [(*header, *rows[0])]:
        print(*row)


def problems(query, got, answers, stats):
    """What is wrong with a run, as sentences; none if all is right."""
    for whose, answer in answers.items():
        if got != answer:
            yield f"the answer of {whose} to {query} is {answer}"
    if stats["submits"] != 1:
        yield f"one execution takes {stats['submits']} submits, not 1"


def report(query, options, connection):
    """Runs a query and prints its answer and how it ran; (whether all is right, bytes read, statistics)."""
    names = schema.QUERIES[query]
    columns, words = queries.load(options.columns, names), queries.load_words(options.columns, names)
    out, plan, stats = execute(query, columns, options)
    got, right = queries.ANSWERS[query](out, columns, words), expected(query, columns, words, connection)
    show_answer(queries.HEADERS[query], got)
    device_us = stats["device_us"]["median"]
    size = sum(i["bytes"] for i in plan["inputs"])
    print(f"stages {len(plan['stages'])}")
    for key in ("kernels", "barriers", "submits", "device"):
        print(f"{key} {stats[key]}")
    print(f"device_time {device_us:.1f} us")
    if "copy_gbps" in stats:
        # GB/s of one read of every column, against the speed of a copy
        # (its reads and writes together) measured in the same run.
        print(f"copy_fraction {100 * size / device_us / 1e3 / stats['copy_gbps']:.1f} %")
    published = queries.PUBLISHED.get((query, schema.line_count(columns)), got)
    found = list(problems(query, got, {options.check: right, "the specification": published}, stats))
    for problem in found:
        print(f"check failed: {problem}.")
    if not found:
        print("check ok")
    return not found, size, stats


def connect(options):
    """Where DuckDB has the tables; None without DuckDB."""
    if options.check == "duckdb":
        return duckdb_tables.generated(options.scale)
    if options.check == "columns":
        names = schema.columns_of(options.queries)
        return duckdb_tables.given(queries.load(options.columns, names), queries.load_words(options.columns, names))
    return None


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queries", nargs="*", metavar="QUERY", help=", ".join(schema.QUERIES))
    parser.add_argument("--columns", type=pathlib.Path, help="the folder of the columns")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for programs, plans and outputs")
    parser.add_argument("--packed", action="store_true", help="columns packed, and decoded in flight")
    parser.add_argument("--small", action="store_true", help="without --columns: scale factor 0.01")
    parser.add_argument("--check", choices=["duckdb", "columns", "numpy"])
    parser.add_argument("--scale", type=float, default=1, help="of the rows, and of DuckDB's generator")
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parents[1] / "build" / "bin")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--timeout", type=int, default=60, help="seconds for one execution (without --columns 600)")
    parser.add_argument("--compile-options", nargs="*", default=[], metavar="OPTION")
    options = parser.parse_args()
    for query in options.queries:
        if query not in schema.QUERIES:
            parser.error(f"there is no query {query} ({', '.join(schema.QUERIES)})")
    if options.columns and not options.queries:
        parser.error("which queries? (QUERY ...)")
    if not options.columns:  # lavapipe compiles kernels when it first runs them, on a busy machine for minutes.
        options.timeout = max(options.timeout, 600)
    options.check = options.check or ("numpy" if options.columns else "columns")
    if not options.bin.is_dir():  # An example is run with the programs in PATH.
        options.bin = pathlib.Path(shutil.which("gpuvm-run") or "gpuvm-run").parent
    return options


def main():
    options = parse_arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    if not options.columns:
        import showcase

        good = showcase.show(sys.modules[__name__], options)
        print("check ok" if good else "check failed")
        return 0 if good else 1
    connection = connect(options)
    good = True
    for query in options.queries:
        if len(options.queries) > 1:
            print(f"query {query}")
        good &= report(query, options, connection)[0]
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
