"""TPC-H queries (examples/tpch), plain and packed, against DuckDB, NumPy and torch on the same columns; all rows of the answers have to be equal.

Torch's forms are what one writes with its operations: masks, tables that keys index, and sums; they do without hash tables.
"""

import dataclasses
import datetime
import functools
import zlib
from decimal import Decimal

import numpy as np

import examples
import host
from gpuvm import Missing
from model import Case, Tensor, wanted

duckdb_tables, packing = examples.load("tpch/duckdb_tables"), examples.load("tpch/packing")
queries, schema = examples.load("tpch/queries"), examples.load("tpch/schema")

# Rows at a scale factor (TPC-H specification, 4.2.5.1); its lines are not quite in proportion.
LINES = {"1": 6_001_215, "10": 59_986_052}
ROWS = {"orders": 1_500_000, "customer": 150_000, "part": 200_000, "supplier": 10_000, "nation": 25, "region": 5}
KEYS = 6_000_000  # Order keys count up to this, with gaps.


def rows_of(table, scale):
    if table == "lineitem":
        return LINES[scale]
    return ROWS[table] if table in ("nation", "region") else ROWS[table] * int(scale)


def largest_key(scale):
    return KEYS * int(scale)


def sizes(query, scale):
    """As schema.sizes, without columns."""
    return {name: largest_key(scale) + 1 if name == "keys" else rows_of(schema.TABLES[name], scale) for name in schema.PARAMETERS[query]}


#===--- Answers as numbers ---===#

def number(value):
    """A whole number of its own for each value of a column: of exact decimals in millionths, of floats their bits."""
    if isinstance(value, Decimal):
        return int(value * 10 ** 6)
    if isinstance(value, float):
        return int(np.float64(value).view(np.int64))
    if isinstance(value, datetime.date):
        return value.toordinal()
    return zlib.crc32(value.encode()) if isinstance(value, str) else int(value)


def numbers(rows):
    return np.array([[number(value) for value in row] for row in rows], np.int64)


class Tables:
    """The columns of a folder, read when they are needed."""

    def __init__(self, folder, scale):
        self.folder, self.scale = folder, scale

    def file(self, name):
        return self.folder / f"{name}.npy"

    def load(self, name):
        if not self.file(name).exists():
            raise Missing(f"tools/quickstart --scale {self.scale} {' '.join(schema.QUERIES)} makes the columns")
        return np.load(self.file(name))

    @functools.cache
    def column(self, name):
        """A column, the same Tensor for all queries."""
        column = schema.COLUMNS[name]
        return Tensor((rows_of(column.table, self.scale),), column.dtype.replace("int", "i"), make=lambda: self.load(name))

    def read(self, query):
        names = schema.QUERIES[query]
        return queries.load(self.folder, names), queries.load_words(self.folder, names)

    def compared(self, query):
        return lambda out: numbers(queries.ANSWERS[query](out, *self.read(query)))

    def numpy(self, query):
        return lambda arrays: numbers(queries.EXPECTED[query](*self.read(query)))

    def duckdb(self, query):
        def prepare(arrays):
            connection = duckdb_tables.given(*self.read(query))
            connection.execute(f"SET threads = {host.THREADS}")
            text = duckdb_tables.query_text(examples.FOLDER / "tpch" / f"{query}.mlir")
            return lambda: numbers(connection.execute(text).fetchall())
        return prepare


#===--- Torch ---===#

def left(d):
    """What discounts leave of prices, in ten-thousandths."""
    return d["l_extendedprice"] * (100 - d["l_discount"].long())


def table(d, size, keys, values, nothing=0):
    """values at their keys, in a table that keys index."""
    torch = d["torch"]
    return torch.full((size,), nothing, dtype=values.dtype, device=values.device).index_copy_(0, keys.long(), values)


def torch_q1(d, _):
    torch = d["torch"]
    group = torch.where(d["l_shipdate"] <= queries.days(1998, 9, 2), d["l_returnflag"] * 2 + d["l_linestatus"], -1)
    price = left(d)
    columns = {"sum_qty": d["l_quantity"].long(), "sum_base_price": d["l_extendedprice"], "sum_disc_price": price,
               "sum_charge": price * (100 + d["l_tax"].long()), "sum_discount": d["l_discount"].long()}
    own = [group == number for number in range(6)]
    sums = {name: torch.stack([(column * mask).sum() for mask in own]) for name, column in columns.items()}
    return sums | {"count_order": torch.stack([mask.sum() for mask in own])}


def torch_q3(d, keys):
    torch, day = d["torch"], queries.days(1995, 3, 15)
    builds = (d["c_mktsegment"] == 1)[d["o_custkey"].long() - 1] & (d["o_orderdate"] < day)
    revenue = torch.zeros(keys, dtype=torch.int64, device=builds.device)
    revenue.index_add_(0, d["l_orderkey"].long(), left(d) * (d["l_shipdate"] > day))
    rank = (revenue[d["o_orderkey"].long()] << 16 | 65535 - d["o_orderdate"]) * builds
    best, rows = rank.topk(10)
    return {"orderkey": d["o_orderkey"][rows], "revenue": best >> 16, "orderdate": d["o_orderdate"][rows],
            "shippriority": d["o_shippriority"][rows]}


def torch_q5(d, keys):
    torch = d["torch"]
    in_asia = ((d["r_name"] == 2)[d["n_regionkey"].long()])[d["c_nationkey"].long()]
    nation = torch.where(in_asia, d["c_nationkey"], -1)[d["o_custkey"].long() - 1]
    dates = (d["o_orderdate"] >= queries.days(1994, 1, 1)) & (d["o_orderdate"] < queries.days(1995, 1, 1))
    of_line = table(d, keys, d["o_orderkey"], torch.where(dates, nation, -1), -1)[d["l_orderkey"].long()]
    group = torch.where(of_line == d["s_nationkey"][d["l_suppkey"].long() - 1], of_line, -1)
    price = left(d)
    revenue, order = torch.stack([(price * (group == number)).sum() for number in range(25)]).sort(descending=True)
    return {"nation": order, "revenue": revenue}


def torch_q6(d, _):
    first, end = queries.days(1994, 1, 1), queries.days(1995, 1, 1)
    keep = (d["l_shipdate"] >= first) & (d["l_shipdate"] < end)
    keep &= (d["l_discount"] >= 5) & (d["l_discount"] <= 7) & (d["l_quantity"] < 24)
    return {"revenue": (d["l_extendedprice"] * d["l_discount"].long() * keep).sum()}


def torch_q12(d, keys):
    torch = d["torch"]
    keep = (d["l_shipdate"] < d["l_commitdate"]) & (d["l_commitdate"] < d["l_receiptdate"])
    keep &= (d["l_receiptdate"] >= queries.days(1994, 1, 1)) & (d["l_receiptdate"] < queries.days(1995, 1, 1))
    high = table(d, keys, d["o_orderkey"], d["o_orderpriority"] <= 1)[d["l_orderkey"].long()]
    modes = [keep & (d["l_shipmode"] == mode) if mode in (2, 5) else None for mode in range(7)]
    none = torch.zeros((), dtype=torch.int64, device=keep.device)
    return {"high_line_count": torch.stack([none if mode is None else (mode & high).sum() for mode in modes]),
            "low_line_count": torch.stack([none if mode is None else (mode & ~high).sum() for mode in modes])}


def torch_q14(d, _):
    keep = (d["l_shipdate"] >= queries.days(1995, 9, 1)) & (d["l_shipdate"] < queries.days(1995, 10, 1))
    promoted = (d["p_type"] >= 75) & (d["p_type"] < 100)
    is_promo = table(d, len(promoted) + 1, d["p_partkey"], promoted)[d["l_partkey"].long()]
    price = left(d) * keep
    return {"promo": (price * is_promo).sum(), "revenue": price.sum()}


TORCH = {"q1": torch_q1, "q3": torch_q3, "q5": torch_q5, "q6": torch_q6, "q12": torch_q12, "q14": torch_q14}


#===--- Cases ---===#

def case(query, tables, device):
    program = examples.text(f"tpch/{query}")
    inputs = {name: tables.column(name) for name in schema.QUERIES[query] if f"@{name} :" in program}
    keys = largest_key(tables.scale) + 1
    return Case(f"{query.upper()}, scale factor {tables.scale}", program, inputs, compared=tables.compared(query),
                reference=tables.numpy(query), host={"DuckDB": tables.duckdb(query)},
                torch={"masks and tables": lambda d: TORCH[query](d, keys)}, compiled=True,
                options=examples.settings(**sizes(query, tables.scale)), bytes=sum(tensor.bytes for tensor in inputs.values()),
                target=wanted(device), bound=0.0)


def packed(query, tables, device):
    """The same with packed columns; DuckDB has the plain ones."""
    plain = case(query, tables, device)
    codecs, files = packing.pack_query(tables.folder, query)
    return dataclasses.replace(plain, what=f"{plain.what}, packed", program=packing.packed_program(plain.program, codecs),
                               inputs={name: functools.partial(np.load, files[name]) for name in plain.inputs},
                               bytes=sum(files[name].stat().st_size for name in plain.inputs), reference=None, torch={},
                               answer=tables.numpy(query))


def cases(device, options):
    """Packed ones where there are columns: what they are packed as is theirs."""
    tables = Tables(options.cache / "tpch" / f"scale-{options.scale}", options.scale)
    for query in schema.QUERIES:
        yield case(query, tables, device)
        if all(tables.file(name).exists() for name in schema.QUERIES[query]):
            yield packed(query, tables, device)
