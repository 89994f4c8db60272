"""Applications of examples/, whole: from the data that a user has to the answer.

A year of the planets (examples/planets): 366 steps of fourth order of eleven bodies in f64, the regulator asked for nothing. Peers take the
same steps, and do not look at the energy.

PageRank of a graph (part_graph.py draws it), from a list of its edges to ranks that move by less than 1e-10: sorting, weighing
and the loop, which the device ends. Peers do the same from the same list, and end their loops on the host.
"""

import importlib.util
import sys

import numpy as np

from gpuvm import ROOT
from model import Case, Target, Tensor
from part_graph import Graph

# A module of this folder has that name, too.
_SPEC = importlib.util.spec_from_file_location("examples_programs", ROOT / "examples" / "programs.py")
examples = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(examples)

sys.path.append(str(ROOT / "examples" / "planets"))
import ephemeris  # noqa: E402
import newton  # noqa: E402

TITLE = "Applications"
TIMES, LEAST = 200, 1e-10


def ranks(multiply, together, source, xp, count):
    """The power iteration of examples/packages/rank.mlir; `multiply` is by the matrix of shares."""
    isEnd = together == 0
    rank = xp.full((count,), 1 / count, dtype=xp.float64)
    for _ in range(TIMES):
        new = 0.15 / count + 0.85 * (multiply(rank) + rank[isEnd].sum() / count)
        change = float(abs(new - rank).sum())
        rank = new
        if change < LEAST:
            break
    return rank


def numpy_ranks(count):
    def call(d):
        together = np.bincount(d["source"], d["weight"], count)
        share = d["weight"] / together[d["source"]]
        return ranks(lambda r: np.bincount(d["target"], r[d["source"]] * share, count), together, d["source"], np, count)
    return call


def scipy_ranks(count):
    def prepare(d):
        from scipy import sparse

        def call():
            together = np.bincount(d["source"], d["weight"], count)
            share = d["weight"] / together[d["source"]]
            matrix = sparse.csr_array((share, (d["target"], d["source"])), shape=(count, count))
            return ranks(lambda r: matrix @ r, together, d["source"], np, count)
        return call
    return prepare


def torch_ranks(count):
    """cuSPARSE."""
    def call(d):
        torch = d["torch"]
        source, target = d["source"].long(), d["target"].long()
        weight = d["weight"].double()
        together = torch.zeros(count, dtype=torch.float64, device=weight.device).index_add_(0, source, weight)
        share = weight / together[source]
        matrix = torch.sparse_coo_tensor(torch.stack([target, source]), share, (count, count)).to_sparse_csr()

        class On:
            float64 = torch.float64

            @staticmethod
            def full(shape, value, dtype):
                return torch.full(shape, value, dtype=dtype, device=weight.device)
        return ranks(lambda r: matrix @ r, together, source, On, count)
    return call


def page_rank(nodes, edges):
    graph = Graph(nodes, edges)
    text = (ROOT / "examples" / "packages" / "rank.mlir").read_text()
    inputs = {"source": Tensor((edges,), "i32", make=lambda: graph.ends[1]), "target": Tensor((edges,), "i32", make=lambda: graph.ends[0]),
              "weight": Tensor((edges,), "f32", 0.5, 1.0)}
    return Case(f"PageRank, {edges:,} edges between {nodes:,} nodes",
                examples.renumbered(text, {1000: nodes, 1001: nodes + 1, 2500: edges}), inputs, "rank", Tensor((nodes,), "f64"),
                reference=numpy_ranks(nodes), torch={"CSR, a loop of the host": torch_ranks(nodes)}, host={"SciPy": scipy_ranks(nodes)},
                target=Target(1.0, "torch"), bound=1e-7)


TICKS = 256  # a day
LENGTHS = [TICKS] * 365 + [TICKS // 4]


def numpy_year(d):
    return newton.replay(d["gm"], d["q"], d["v"], LENGTHS, TICKS)[0]


def torch_year(d):
    torch, gm, q, v = d["torch"], d["gm"], d["q"], d["v"]
    alone = torch.diag(torch.full((q.shape[1],), float("inf"), dtype=q.dtype, device=q.device))
    for length in LENGTHS:
        for weight in (newton.OUTER, 1 - 2 * newton.OUTER, newton.OUTER):
            h = length / TICKS * weight
            q = q + v * (h / 2)
            apart = q[:, None, :] - q[:, :, None]
            r = (apart * apart).sum(0).sqrt() + alone
            v = v + (gm / r ** 3 * apart).sum(2) * h
            q = q + v * (h / 2)
    return q


def begin(index):
    """Masses, places or speeds on the first day of the table."""
    table = ephemeris.Table(ROOT / "examples" / "planets" / "january-2000.csv")
    return table.of(min(date for date, _ in table.rows))[index]


def planets():
    text = (ROOT / "examples" / "planets" / "year.mlir").read_text()
    bodies = len(ephemeris.BODIES)
    inputs = {"q": Tensor((3, bodies), "f64", make=lambda: begin(1)), "v": Tensor((3, bodies), "f64", make=lambda: begin(2)),
              "gm": Tensor((bodies,), "f64", make=lambda: begin(0)),
              "tolerance": Tensor((), "f64", make=lambda: np.array(np.inf)),
              "year": Tensor((), "i32", make=lambda: np.array(sum(LENGTHS), np.int32)),
              "first": Tensor((), "i32", make=lambda: np.array(TICKS, np.int32))}
    return Case("planets, 366 steps", examples.renumbered(text, {12000: 400}), inputs, "places", Tensor((3, bodies), "f64"),
                reference=numpy_year, torch={"a loop of the host": torch_year}, target=Target(1.0, "torch"), bound=1e-9)


def cases(device, _):
    yield planets()
    yield page_rank(2 ** 16, 2 ** 18)
    if device == "gpu":
        yield page_rank(2 ** 20, 2 ** 24)
