"""Columns of made-up TPC-H tables, for tests of the programs in examples/tpch.

Usage: tpch.py FOLDER ORDERS writes the columns as columns.py does: ORDERS orders of one
to seven lines, in no order, with keys that have gaps as the specification's have, and
words and dates as it draws them (4.2.3). Every query has an answer with several rows,
and some keys that nothing refers to.
"""

import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "tpch"))
import schema  # noqa: E402

WORDS = {
    "l_returnflag": ["A", "N", "R"],
    "l_linestatus": ["F", "O"],
    "l_shipmode": ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"],
    "o_orderpriority": ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"],
    "c_mktsegment": ["AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"],
    "r_name": ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"],
    "n_name": [f"NATION {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXY"],
    "p_type": sorted(f"{size} {finish} {metal}"
                     for size in ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO")
                     for finish in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED")
                     for metal in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")),
}


def tables(orders, random):
    """Columns by name."""
    def integers(low, high, count):
        return random.integers(low, high + 1, count)

    customers, suppliers, parts = max(orders // 10, 5), max(orders // 150, 5), max(orders // 7, 5)
    numbers = random.permutation(orders)
    keys = numbers // 8 * 32 + numbers % 8 + 1
    made = {
        "o_orderkey": keys,
        "o_custkey": integers(1, customers, orders),
        "o_orderdate": integers(8035, 10440, orders),
        "o_orderpriority": integers(0, 4, orders),
        "o_shippriority": integers(0, 3, orders),
        "c_custkey": np.arange(1, customers + 1),
        "c_nationkey": integers(0, 24, customers),
        "c_mktsegment": integers(0, 4, customers),
        "s_suppkey": np.arange(1, suppliers + 1),
        "s_nationkey": integers(0, 24, suppliers),
        "p_partkey": random.permutation(parts) * 3 + 1,
        "p_type": integers(0, 149, parts),
        "n_nationkey": np.arange(25),
        "n_name": random.permutation(25),
        "n_regionkey": integers(0, 4, 25),
        "r_regionkey": np.arange(5),
        "r_name": random.permutation(5),
    }
    lines = random.permutation(np.repeat(np.arange(orders), integers(1, 7, orders)))
    rows = len(lines)
    ordered = made["o_orderdate"][lines]
    ship = ordered + integers(1, 121, rows)
    made |= {
        "l_orderkey": keys[lines],
        "l_partkey": random.choice(made["p_partkey"], rows),
        "l_suppkey": integers(1, suppliers, rows),
        "l_quantity": integers(1, 50, rows),
        "l_extendedprice": integers(90_000, 10_494_950, rows),
        "l_discount": integers(0, 10, rows),
        "l_tax": integers(0, 8, rows),
        "l_returnflag": integers(0, 2, rows),
        "l_linestatus": integers(0, 1, rows),
        "l_shipdate": ship,
        "l_commitdate": ordered + integers(30, 90, rows),
        "l_receiptdate": ship + integers(1, 30, rows),
        "l_shipmode": integers(0, 6, rows),
    }
    return made


def main():
    folder, orders = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in tables(orders, np.random.default_rng(orders)).items():
        np.save(folder / f"{name}.npy", values.astype(schema.COLUMNS[name].dtype))
    for name, words in WORDS.items():
        (folder / f"{name}.txt").write_text("".join(f"{word}\n" for word in words))


main()
