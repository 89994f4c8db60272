"""The columns of TPC-H that the queries here read, and what their numbers mean."""

import dataclasses

import numpy as np

# Tables and how many fields their lines have (the specification, 1.4.1).
FIELDS = {"lineitem": 16, "orders": 9, "customer": 8, "part": 9, "supplier": 7, "nation": 4, "region": 3}


@dataclasses.dataclass(frozen=True)
class Column:
    table: str
    name: str
    field: int  # from 1
    form: str   # integer, hundredths, date or word
    dtype: str
    first: int | None = None  # Row i has the number first + i: a key that is its row.


def _columns():
    yield Column("lineitem", "l_orderkey", 1, "integer", "int32")
    yield Column("lineitem", "l_partkey", 2, "integer", "int32")
    yield Column("lineitem", "l_suppkey", 3, "integer", "int32")
    yield Column("lineitem", "l_quantity", 5, "integer", "int8")
    yield Column("lineitem", "l_extendedprice", 6, "hundredths", "int64")
    yield Column("lineitem", "l_discount", 7, "hundredths", "int8")
    yield Column("lineitem", "l_tax", 8, "hundredths", "int8")
    yield Column("lineitem", "l_returnflag", 9, "word", "int8")
    yield Column("lineitem", "l_linestatus", 10, "word", "int8")
    yield Column("lineitem", "l_shipdate", 11, "date", "int32")
    yield Column("lineitem", "l_commitdate", 12, "date", "int32")
    yield Column("lineitem", "l_receiptdate", 13, "date", "int32")
    yield Column("lineitem", "l_shipmode", 15, "word", "int8")
    yield Column("orders", "o_orderkey", 1, "integer", "int32")
    yield Column("orders", "o_custkey", 2, "integer", "int32")
    yield Column("orders", "o_orderdate", 5, "date", "int32")
    yield Column("orders", "o_orderpriority", 6, "word", "int8")
    yield Column("orders", "o_shippriority", 8, "integer", "int32")
    yield Column("customer", "c_custkey", 1, "integer", "int32", first=1)
    yield Column("customer", "c_nationkey", 4, "integer", "int8")
    yield Column("customer", "c_mktsegment", 7, "word", "int8")
    yield Column("part", "p_partkey", 1, "integer", "int32")
    yield Column("part", "p_type", 5, "word", "int16")
    yield Column("supplier", "s_suppkey", 1, "integer", "int32", first=1)
    yield Column("supplier", "s_nationkey", 4, "integer", "int8")
    yield Column("nation", "n_nationkey", 1, "integer", "int8", first=0)
    yield Column("nation", "n_name", 2, "word", "int8")
    yield Column("nation", "n_regionkey", 3, "integer", "int8")
    yield Column("region", "r_regionkey", 1, "integer", "int8", first=0)
    yield Column("region", "r_name", 2, "word", "int8")


COLUMNS = {column.name: column for column in _columns()}


def check(column, values):
    """Keys that programs take for rows must be rows."""
    if column.first is not None and (values != column.first + np.arange(len(values))).any():
        raise ValueError(f"column {column.name} does not count up from {column.first}")


# What each query reads, and what its answer needs. (QUERIES names programs: q1 is q1.mlir.)
QUERIES = {
    "q1": ["l_shipdate", "l_returnflag", "l_linestatus", "l_quantity", "l_discount", "l_tax", "l_extendedprice"],
    "q3": ["l_orderkey", "l_shipdate", "l_discount", "l_extendedprice", "o_orderkey", "o_custkey", "o_orderdate",
           "o_shippriority", "c_custkey", "c_mktsegment"],
    "q5": ["l_orderkey", "l_suppkey", "l_discount", "l_extendedprice", "o_orderkey", "o_custkey", "o_orderdate",
           "c_custkey", "c_nationkey", "s_suppkey", "s_nationkey", "n_nationkey", "n_name", "n_regionkey", "r_regionkey",
           "r_name"],
    "q6": ["l_shipdate", "l_discount", "l_quantity", "l_extendedprice"],
    "q12": ["l_orderkey", "l_shipmode", "l_shipdate", "l_commitdate", "l_receiptdate", "o_orderkey", "o_orderpriority"],
    "q14": ["l_partkey", "l_shipdate", "l_discount", "l_extendedprice", "p_partkey", "p_type"],
}

# Columns that a query reads at rows that it computes: delta, which adds up neighbours, is a long way there.
LOOKED_UP = {"q3": ["o_orderkey"], "q12": ["l_orderkey"]}

# What side.mlir reads.
SIDE = ["l_orderkey", "l_shipdate", "l_discount", "l_extendedprice", "o_orderkey", "o_orderdate", "o_orderpriority"]


def columns_of(queries):
    """The names of the columns that these queries need, each once."""
    return list(dict.fromkeys(name for query in queries for name in QUERIES[query]))


def line_count(columns):
    return next(len(values) for name, values in columns.items() if COLUMNS[name].table == "lineitem")


# The parameters of each program; those of chunks.mlir are no table's.
PARAMETERS = {"q1": ["lines"], "q3": ["lines", "keys", "orders", "customers"], "q5": ["lines", "keys", "orders", "customers", "suppliers"],
              "q6": ["lines"], "q12": ["lines", "orders"], "q14": ["lines", "parts"], "side": ["lines", "orders"]}
TABLES = {"lines": "lineitem", "orders": "orders", "customers": "customer", "parts": "part", "suppliers": "supplier"}


def sizes(program, columns):
    """{parameter of the program: its value for these columns}"""
    rows = {COLUMNS[name].table: len(values) for name, values in columns.items()}
    return {name: int(columns["o_orderkey"].max()) + 1 if name == "keys" else rows[TABLES[name]] for name in PARAMETERS[program]}
