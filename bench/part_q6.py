"""TPC-H Q6: fused against unfused, against the copy speed, and against peers."""

import numpy as np

import data
import peers
from model import Case, Tensor, goal

TITLE = "TPC-H Q6"
FORMS = {"fused": (), "unfused": ("--disable-fusion",)}
TYPES = {"shipdate": "i32", "discount": "i8", "quantity": "i8", "extendedprice": "i64"}


def iree(target):
    def make(session, case, arrays):
        return peers.IreeQ6(target, arrays, data.revenue(arrays), session.options.cache,
                            session.vm.scratch.name)
    return make


def torch_revenue(d):
    keep = (d["shipdate"] >= data.q6.FIRST_DAY) & (d["shipdate"] < data.q6.LAST_DAY)
    keep &= (d["discount"] >= 5) & (d["discount"] <= 7) & (d["quantity"] < 24)
    product = d["extendedprice"] * d["discount"].to(d["torch"].int64)
    return (product * keep).sum()


def case(form, scale, columns, target):
    rows = data.rows_of(scale)
    moved = sum(Tensor((rows,), dtype).bytes for dtype in TYPES.values())
    return Case(f"{form}, scale factor {scale}", data.q6_program(rows), columns, "revenue",
                Tensor((), "i64"), reference=lambda d: np.int64(data.revenue(d)),
                torch={"sum": torch_revenue}, compiled=form == "fused",
                peers={f"IREE {name}": iree(name) for name in peers.TARGETS}
                if target else {}, options=FORMS[form], bytes=moved, target=target, bound=0.0)


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
    return [f"{len(columns['shipdate']):,} {kind}; every answer is "
            f"{data.q6.text(data.revenue(columns))}."]
