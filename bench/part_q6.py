"""TPC-H Q6: fused against unfused, against the copy speed, and against peers."""

import numpy as np

import data
import peers
from model import Case, Tensor, goal

TITLE = "TPC-H Q6"
FORMS = {"fused": (), "unfused": ("--fusion=stages", "--chains=never")}
TYPES = {"l_shipdate": "i32", "l_discount": "i8", "l_quantity": "i8", "l_extendedprice": "i64"}


def iree(target):
    def make(session, case, arrays):
        return peers.best_q6(target, arrays, data.revenue(arrays), session.options.cache,
                             session.vm.scratch.name)
    return make


def torch_revenue(d):
    first, end = data.queries.days(1994, 1, 1), data.queries.days(1995, 1, 1)
    keep = (d["l_shipdate"] >= first) & (d["l_shipdate"] < end)
    keep &= (d["l_discount"] >= 5) & (d["l_discount"] <= 7) & (d["l_quantity"] < 24)
    product = d["l_extendedprice"] * d["l_discount"].to(d["torch"].int64)
    return (product * keep).sum()


def case(form, scale, columns, target):
    rows = data.rows_of(scale)
    moved = sum(Tensor((rows,), dtype).bytes for dtype in TYPES.values())
    return Case(f"{form}, scale factor {scale}", data.Q6_PROGRAM.read_text(), columns, "revenue",
                Tensor((), "i64"), reference=lambda d: np.int64(data.revenue(d)),
                torch={"sum": torch_revenue}, compiled=form == "fused",
                peers={f"IREE {name}": iree(name) for name in peers.FORMS}
                if target else {}, options=FORMS[form] + data.q6_options(rows), bytes=moved, target=target, bound=0.0)


def plans(options):
    """The cases, without their columns."""
    return [case(form, options.scale, {}, None) for form in FORMS]


def cases(device, options):
    folder, _ = data.columns(options.scale, options.cache)
    columns = data.load(folder)
    for form in FORMS:
        yield case(form, options.scale, columns, goal(device) if form == "fused" else None)


def notes(options):
    folder, kind = data.columns(options.scale, options.cache)
    columns = data.load(folder)
    return [f"{len(columns['l_shipdate']):,} {kind}; every answer is "
            f"{data.queries.decimal(data.revenue(columns), 4)}."]
