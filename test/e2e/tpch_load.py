"""Loads made-up orders from CSV and Parquet (where Python has pyarrow), and files with one thing wrong.

    tpch_load.py FOLDER LOAD.PY

The columns must be those written; what is wrong must be said, with exit code 2 and without
a file written.
"""

import pathlib
import subprocess
import sys

import numpy as np

folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
folder.mkdir(parents=True, exist_ok=True)
NAMES = ["o_comment", "o_orderkey", "o_custkey", "o_orderdate", "o_orderpriority", "o_shippriority"]
ROWS = [["plain", "7", "3", "1995-03-15", "5-LOW", "0"], ['a "quoted", one', "1", "4", "1970-01-01", "1-URGENT", "2"],
        ["", "2147483647", "3", "1969-12-31", "5-LOW", "-1"]]
EXPECTED = {"o_orderkey": [7, 1, 2147483647], "o_custkey": [3, 4, 3], "o_orderdate": [9204, 0, -1],
            "o_orderpriority": [1, 0, 1], "o_shippriority": [0, 2, -1]}


def csv_text(names, rows):
    quoted = lambda field: '"' + field.replace('"', '""') + '"' if "," in field or '"' in field else field
    return "".join(",".join(map(quoted, row)) + "\r\n" for row in [names, *rows])


def load(table, *arguments):
    out = folder / "out"
    for file in out.glob("*"):
        file.unlink()
    done = subprocess.run([sys.executable, "-B", program, table, *map(str, arguments), "--out", str(out)],
                          capture_output=True, text=True)
    return done, out


def good(table, expected, *files):
    done, out = load(table, *files)
    if done.returncode:
        sys.exit(f"{files}: {done.stderr}")
    for name, values in expected.items():
        if np.load(out / f"{name}.npy").tolist() != values:
            sys.exit(f"{files}: {name} is {np.load(out / f'{name}.npy')}")
    print("good", *(pathlib.Path(file).name for file in files))


def bad(table, *arguments):
    done, out = load(table, *arguments)
    last = done.stderr.strip().splitlines()[-1].replace(f"{folder}/", "")
    if done.returncode != 2 or not last.startswith("load.py: ") or list(out.glob("*")):
        sys.exit(f"{arguments}: exit code {done.returncode}, {list(out.glob('*'))}, {done.stderr}")
    print(last)


def write(name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def changed(row, name, value):
    rows = [list(fields) for fields in ROWS]
    rows[row][NAMES.index(name)] = value
    return write("bad.csv", csv_text(NAMES, rows))


def check_csv():
    whole = write("orders.csv", csv_text(NAMES, ROWS))
    good("orders", EXPECTED, whole)
    good("orders", {name: values * 2 for name, values in EXPECTED.items()}, whole, whole)
    good("part", {"p_partkey": [5, 6], "p_type": [1, 0]}, write("part.csv", "p_type,p_partkey\nb c,5\na,6.00\n"))
    bad("orders", folder / "none.csv")
    bad("orders", write("bad.csv", ""))
    bad("orders", write("bad.csv", csv_text(NAMES, [])))
    bad("orders", write("bad.csv", csv_text(NAMES[:-1], [row[:-1] for row in ROWS])))
    bad("orders", write("bad.csv", csv_text(NAMES + NAMES[1:2], [row + ["1"] for row in ROWS])))
    bad("orders", write("bad.csv", csv_text(NAMES, ROWS + [["short", "1"]])))
    bad("orders", changed(1, "o_orderkey", ""))
    bad("orders", changed(1, "o_orderkey", "12x"))
    bad("orders", changed(2, "o_orderkey", "2147483648"))
    bad("orders", changed(2, "o_orderdate", "1995-02-30"))
    bad("orders", changed(0, "o_orderpriority", ""))
    bad("orders", write("bad.csv", csv_text(NAMES, ROWS).replace("5-LOW", '"5-LOW"x')))
    bad("orders", write("bad.csv", b"\xff\xfe\x00"))
    bad("customer", write("bad.csv", "c_custkey,c_nationkey,c_mktsegment\n2,1,BUILDING\n"))
    bad("lineitem", write("bad.csv", "l_discount\n0.045\n"), "--columns=l_discount")
    bad("lineitem", write("bad.csv", "l_discount\nnan\n"), "--columns=l_discount")
    bad("orders", whole, "--columns=o_nothing")


def check_parquet():
    import pyarrow as pa
    import pyarrow.parquet as parquet

    def table(name, columns):
        parquet.write_table(pa.table(columns), folder / name)
        return folder / name

    import datetime
    import decimal
    dates = [datetime.date(1970, 1, 1) + datetime.timedelta(days) for days in EXPECTED["o_orderdate"]]
    words = pa.array(["5-LOW", "1-URGENT", "5-LOW"])
    columns = {name: pa.array(EXPECTED[name], pa.int64()) for name in ("o_orderkey", "o_custkey", "o_shippriority")}
    columns |= {"o_orderdate": pa.array(dates), "o_orderpriority": words.dictionary_encode()}
    good("orders", EXPECTED, table("orders.parquet", columns))
    prices = {"l_extendedprice": [1, 12345, 10494950]}
    for name, values in (("decimal", pa.array([decimal.Decimal(cents).scaleb(-2) for cents in (1, 12345, 10494950)],
                                              pa.decimal128(15, 2))), ("float", pa.array([0.01, 123.45, 104949.5]))):
        file = table(f"{name}.parquet", {"l_extendedprice": values})
        good("lineitem", prices, file, "--columns=l_extendedprice")
    bad("lineitem", table("bad.parquet", {"l_extendedprice": pa.array([0.01, 0.015])}), "--columns=l_extendedprice")
    bad("lineitem", table("bad.parquet", {"l_extendedprice": pa.array([0.01, float("nan")])}), "--columns=l_extendedprice")
    bad("lineitem", table("bad.parquet", {"l_extendedprice": pa.array([1.0, None])}), "--columns=l_extendedprice")
    bad("lineitem", table("bad.parquet", {"l_quantity": pa.array([1, 128])}), "--columns=l_quantity")
    bad("lineitem", table("bad.parquet", {"l_shipdate": pa.array([1, 128])}), "--columns=l_shipdate")
    bad("lineitem", table("bad.parquet", {"l_tax": pa.array([1, 2])}), "--columns=l_quantity")
    bad("orders", write("bad.parquet", "PAR1 no"))


check_csv()
try:
    import pyarrow  # noqa: F401
except ImportError:
    bad("orders", write("orders.parquet", "PAR1"))
else:
    check_parquet()
