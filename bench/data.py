"""The four columns of TPC-H Q6: real rows where they have been made, else rows of the
same shapes and value ranges from a fixed seed (the answer then is NumPy's)."""

import sys

import numpy as np

from gpuvm import ROOT

sys.path.insert(0, str(ROOT / "examples" / "tpch"))
import queries  # noqa: E402  (examples/tpch/queries.py)

Q6 = ("l_shipdate", "l_discount", "l_quantity", "l_extendedprice")

# Rows of lineitem (TPC-H specification, 4.2.5.1).
ROWS = {"1": 6_001_215, "10": 59_986_052, "30": 179_998_372, "100": 600_037_902}

# Days since 1970-01-01 of the first and last l_shipdate (1992-01-02 and 1998-12-01).
FIRST_SHIPDATE, LAST_SHIPDATE = 8036, 10561


def rows_of(scale):
    """How many rows lineitem has at this scale factor (a number as text)."""
    return ROWS.get(scale) or round(6_000_000 * float(scale))


def synthetic(rows):
    """Columns with the value ranges and widths of lineitem's, uniformly distributed."""
    random = np.random.default_rng(19940101)
    return {
        "l_shipdate": random.integers(FIRST_SHIPDATE, LAST_SHIPDATE + 1, rows, np.int32),
        "l_discount": random.integers(0, 11, rows, np.int8),
        "l_quantity": random.integers(1, 51, rows, np.int8),
        "l_extendedprice": random.integers(90_100, 10_494_950 + 1, rows, np.int64),
    }


def columns(scale, cache):
    """(folder of the .npy files, what they are), made if they are not there."""
    real = cache / "tpch" / f"scale-{scale}"
    if all((real / f"{name}.npy").exists() for name in Q6):
        return real, "TPC-H rows"
    folder = cache / "synthetic" / f"scale-{scale}"
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name, values in synthetic(rows_of(scale)).items():
            np.save(folder / f"{name}.npy", values)
        (folder / "done").touch()
    return folder, "synthetic rows of TPC-H's shapes and ranges"


def load(folder):
    return queries.load(folder, Q6)


def revenue(loaded):
    return queries.q6_sum(loaded)


Q6_PROGRAM = ROOT / "examples" / "tpch" / "q6.mlir"


def q6_options(rows):
    """For this many rows."""
    return (f"--set=lines={rows}",)
