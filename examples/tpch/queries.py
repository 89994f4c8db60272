"""Answers to the TPC-H queries here: from what a program puts out, and from NumPy integers.

An answer is a list of rows as DuckDB gives them: decimals are decimal.Decimal (exact),
averages the float nearest to the exact one. ANSWERS makes one of the outputs
of a program; EXPECTED computes one from the columns, without anything in common with
the programs: words are looked up, and keys searched in sorted keys.
"""

import datetime
import pathlib
from decimal import Decimal

import numpy as np

import schema

EPOCH = datetime.date(1970, 1, 1)

HEADERS = {
    "q1": ("l_returnflag", "l_linestatus", "sum_qty", "sum_base_price", "sum_disc_price", "sum_charge", "avg_qty",
           "avg_price", "avg_disc", "count_order"),
    "q3": ("l_orderkey", "revenue", "o_orderdate", "o_shippriority"),
    "q5": ("n_name", "revenue"),
    "q6": ("revenue",),
    "q12": ("l_shipmode", "high_line_count", "low_line_count"),
    "q14": ("promo_revenue",),
}


# Rows of lineitem -> the answer that the specification publishes: its validation
# database is scale factor 1. (It prints the other answers with fewer digits.)
PUBLISHED = {("q6", 6_001_215): [(Decimal("123141078.2283"),)]}


def load(folder, names):
    """The columns of these names, by name."""
    return {name: np.load(pathlib.Path(folder) / f"{name}.npy", mmap_mode="r") for name in names}


def load_words(folder, names):
    """The dictionaries of those of these columns that have one."""
    return {name: (pathlib.Path(folder) / f"{name}.txt").read_text().splitlines()
            for name in names if schema.COLUMNS[name].form == "word"}


def decimal(number, places):
    return Decimal(int(number)).scaleb(-places)


def date(days):
    return EPOCH + datetime.timedelta(int(days))


def days(year, month, day):
    return (datetime.date(year, month, day) - EPOCH).days


# ------------------------------------------------- from the outputs of a program


def q1_row(flag, status, quantity, price, discounted, charge, discount, count):
    """A row of the answer to Q1, of exact sums."""
    quantity, price, discount, count = int(quantity), int(price), int(discount), int(count)
    return (flag, status, decimal(quantity, 0), decimal(price, 2), decimal(discounted, 4), decimal(charge, 6),
            quantity / count, price / (100 * count), discount / (100 * count), count)


def q1_answer(out, columns, words):
    names = ("sum_qty", "sum_base_price", "sum_disc_price", "sum_charge", "sum_discount", "count_order")
    flags, states = words["l_returnflag"], words["l_linestatus"]
    return [q1_row(flags[group // 2], states[group % 2], *(out[name][group] for name in names))
            for group in range(6) if out["count_order"][group]]


def q3_answer(out, columns, words):
    rows = zip(out["orderkey"], out["revenue"], out["orderdate"], out["shippriority"])
    return [(int(key), decimal(revenue, 4), date(day), int(priority))
            for key, revenue, day, priority in rows]


def q5_answer(out, columns, words):
    names = [words["n_name"][number] for number in columns["n_name"]]
    return [(names[nation], decimal(revenue, 4))
            for nation, revenue in zip(out["nation"], out["revenue"]) if revenue]


def q6_answer(out, columns, words):
    return [(decimal(out["revenue"], 4),)]


def q12_answer(out, columns, words):
    counts = zip(words["l_shipmode"], out["high_line_count"], out["low_line_count"])
    return [(mode, int(high), int(low)) for mode, high, low in counts if high or low]


def q14_row(promo, revenue):
    """The ratio of exact sums in ten-thousandths, divided as DuckDB does: decimals become doubles, then divide."""
    return ((100 * int(promo) / 10**4) / (int(revenue) / 10**4),)


def q14_answer(out, columns, words):
    return [q14_row(out["promo"], out["revenue"])]


ANSWERS = {"q1": q1_answer, "q3": q3_answer, "q5": q5_answer, "q6": q6_answer, "q12": q12_answer, "q14": q14_answer}

# -------------------------------------------------------------- from the columns


def discounted(columns, rows):
    """Prices less discounts of these rows, in ten-thousandths."""
    return columns["l_extendedprice"][rows] * (100 - columns["l_discount"][rows].astype(np.int64))


def lookup(keys, table):
    """The row of `table` with each key; every key has one."""
    order = np.argsort(table, kind="stable")
    rows = order[np.searchsorted(table, keys, sorter=order)]
    if (table[rows] != keys).any():
        raise ValueError("a key refers to no row")
    return rows


def q1_expected(columns, words):
    kept = columns["l_shipdate"] <= days(1998, 12, 1) - 90
    result = []
    for f, flag in enumerate(words["l_returnflag"]):
        for s, state in enumerate(words["l_linestatus"]):
            rows = np.flatnonzero(kept & (columns["l_returnflag"] == f) & (columns["l_linestatus"] == s))
            if not len(rows):
                continue
            left = discounted(columns, rows)
            charge = left * (100 + columns["l_tax"][rows].astype(np.int64))
            quantity, discount = (columns[name][rows].sum(dtype=np.int64) for name in ("l_quantity", "l_discount"))
            result.append(q1_row(flag, state, quantity, columns["l_extendedprice"][rows].sum(), left.sum(),
                                 charge.sum(), discount, len(rows)))
    return result


def q3_expected(columns, words):
    day = days(1995, 3, 15)
    builders = columns["c_custkey"][columns["c_mktsegment"] == words["c_mktsegment"].index("BUILDING")]
    orders = np.flatnonzero((columns["o_orderdate"] < day) & np.isin(columns["o_custkey"], builders))
    lines = np.flatnonzero((columns["l_shipdate"] > day)
                           & np.isin(columns["l_orderkey"], columns["o_orderkey"][orders]))
    of = orders[lookup(columns["l_orderkey"][lines], columns["o_orderkey"][orders])]
    revenue = np.zeros(len(columns["o_orderkey"]), np.int64)
    np.add.at(revenue, of, discounted(columns, lines))
    groups = np.unique(of)
    first = groups[np.lexsort((columns["o_orderdate"][groups], -revenue[groups]))][:10]
    return [(int(columns["o_orderkey"][row]), decimal(revenue[row], 4), date(columns["o_orderdate"][row]),
             int(columns["o_shippriority"][row])) for row in first]


def q5_expected(columns, words):
    asia = columns["r_regionkey"][columns["r_name"] == words["r_name"].index("ASIA")]
    nations = columns["n_nationkey"][np.isin(columns["n_regionkey"], asia)]
    orders = np.flatnonzero((columns["o_orderdate"] >= days(1994, 1, 1)) & (columns["o_orderdate"] < days(1995, 1, 1)))
    lines = np.flatnonzero(np.isin(columns["l_orderkey"], columns["o_orderkey"][orders]))
    of = lookup(columns["l_orderkey"][lines], columns["o_orderkey"])
    customers = columns["c_nationkey"][lookup(columns["o_custkey"][of], columns["c_custkey"])]
    suppliers = columns["s_nationkey"][lookup(columns["l_suppkey"][lines], columns["s_suppkey"])]
    result = []
    for nation in nations:
        rows = lines[(customers == nation) & (suppliers == nation)]
        if len(rows):
            name = words["n_name"][int(columns["n_name"][columns["n_nationkey"] == nation][0])]
            result.append((name, decimal(discounted(columns, rows).sum(), 4)))
    return sorted(result, key=lambda row: -row[1])


def q6_sum(columns):
    """The revenue, in ten-thousandths."""
    ship, discount = columns["l_shipdate"], columns["l_discount"]
    keep = (ship >= days(1994, 1, 1)) & (ship < days(1995, 1, 1))
    keep &= (discount >= 5) & (discount <= 7) & (columns["l_quantity"] < 24)
    return int((columns["l_extendedprice"][keep] * discount[keep].astype(np.int64)).sum())


def q6_expected(columns, words):
    return [(decimal(q6_sum(columns), 4),)]


def q12_expected(columns, words):
    ship, commit, receipt = (columns[f"l_{what}date"] for what in ("ship", "commit", "receipt"))
    kept = (commit < receipt) & (ship < commit) & (receipt >= days(1994, 1, 1)) & (receipt < days(1995, 1, 1))
    urgent = [words["o_orderpriority"].index(name) for name in ("1-URGENT", "2-HIGH")]
    result = []
    for mode in ("MAIL", "SHIP"):
        rows = np.flatnonzero(kept & (columns["l_shipmode"] == words["l_shipmode"].index(mode)))
        priorities = columns["o_orderpriority"][lookup(columns["l_orderkey"][rows], columns["o_orderkey"])]
        high = int(np.isin(priorities, urgent).sum())
        if len(rows):
            result.append((mode, high, len(rows) - high))
    return result


def q14_expected(columns, words):
    ship = columns["l_shipdate"]
    rows = np.flatnonzero((ship >= days(1995, 9, 1)) & (ship < days(1995, 10, 1)))
    types = columns["p_type"][lookup(columns["l_partkey"][rows], columns["p_partkey"])]
    promoted = [number for number, word in enumerate(words["p_type"]) if word.startswith("PROMO")]
    revenue = discounted(columns, rows)
    return [q14_row(revenue[np.isin(types, promoted)].sum(), revenue.sum())]


EXPECTED = {"q1": q1_expected, "q3": q3_expected, "q5": q5_expected, "q6": q6_expected, "q12": q12_expected,
            "q14": q14_expected}
