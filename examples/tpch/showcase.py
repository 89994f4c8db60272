"""All that examples/tpch shows, on data made for it, and a picture; `run.py --work FOLDER` calls it.

Makes the columns with tpchgen-cli; runs each query on plain and on packed columns, against
DuckDB on the same columns; loads CSV and Parquet; joins from the smaller side; changes a
table between queries; streams a table in chunks. Draws bytes and times of the queries.
"""

import argparse
import filecmp
import pathlib
import subprocess
import sys

import changes
import chunks
import columns
import load
import schema
import side


def say(text):
    print(text, file=sys.stderr, flush=True)


def loads(work):
    """Whether CSV and Parquet from the generator become the same columns as its own text."""
    raw, made = work / "raw", work / "scale-0.01"
    columns.make_all(schema.COLUMNS, 0.01, "tpchgen-cli", made)
    generator = pathlib.Path(sys.executable).with_name("tpchgen-cli")
    good = True
    for kind in ("csv", "parquet"):
        subprocess.run([generator, kind, "--quiet", "--scale-factor=0.01", f"--output-dir={raw}"], check=True)
        for table in schema.FIELDS:
            load.load(table, [raw / f"{table}.{kind}"], work / f"loaded-{kind}")
        files = [path.name for path in made.iterdir() if path.is_file()]
        _, other, missing = filecmp.cmpfiles(made, work / f"loaded-{kind}", files, shallow=False)
        print(f"loaded_{kind} {len(files) - len(other) - len(missing)} of {len(files)} files are the generator's columns")
        good &= not other and not missing
    return good


def draw(figures, title, path):
    """Two groups of bars a query, plain and packed: bytes and times. `figures` are (query, packed, bytes, microseconds)."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot

    names = list(dict.fromkeys(query for query, *_ in figures))
    figure, (left, right) = plot.subplots(1, 2, figsize=(9, 3.4))
    for packed, colour in ((False, "#9aa5b1"), (True, "#1f6f8b")):
        own = [row for row in figures if row[1] == packed]
        places = [i + (0.2 if packed else -0.2) for i in range(len(names))]
        label = "packed" if packed else "plain"
        left.bar(places, [row[2] / 1e6 for row in own], 0.38, color=colour, label=label)
        right.bar(places, [row[3] / 1e3 for row in own], 0.38, color=colour, label=label)
    for axes, what in ((left, "columns in the Heap, MB"), (right, "device time, ms")):
        axes.set_xticks(range(len(names)), [name.upper() for name in names])
        axes.set_title(what, fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(*left.get_legend_handles_labels(), loc="upper right", ncols=2, frameon=False)
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    say(f"The picture is {path}.")


def show(run, options):
    """Runs everything; whether all was right. `run` is the module run.py."""
    small, work = options.small, options.work
    options.scale = 0.01 if small else options.scale
    options.columns = work / f"scale-{options.scale:g}"
    options.queries = options.queries or list(schema.QUERIES)
    say("Making the rows ...")
    columns.make_all(schema.columns_of(schema.QUERIES), options.scale, "tpchgen-cli", options.columns)
    connection = run.connect(options)
    good, figures, device = True, [], ""
    for query in options.queries:
        for options.packed in (False, True):
            say(f"{query}, {'packed' if options.packed else 'plain'} columns ...")
            print(f"query {query}{' packed' if options.packed else ''}")
            right, read, stats = run.report(query, options, connection)
            good &= right
            device = stats["device"]
            figures.append((query, options.packed, read, stats["device_us"]["median"]))
    for query, packed, read, us in figures:
        print(f"{query}{'_packed' if packed else ''} {read} bytes, {us / 1e3:.1f} ms")
    say("Loading CSV and Parquet ...")
    good &= loads(work)
    say("Joining from the smaller side ...")
    good &= side.check_all(options.columns, work)
    say("Changing a table between queries ...")
    good &= changes.check_all(work, options.columns)
    say("Streaming lineitem in chunks ...")
    rows, budget = (8192, 9_000_000) if small else (chunks.ROWS, 64 << 20)
    good &= chunks.check_all(argparse.Namespace(columns=options.columns, work=work, rows=rows, budget=budget, parquet=[]))
    draw(figures, f"TPC-H, scale factor {options.scale:g}, {device}", work / "tpch.png")
    return good
