"""PageRank (examples/packages) of a graph that part_graph.py draws, from a list of its edges to ranks that move by less than 1e-10:
sorting, weighing and the loop, which the device ends. Peers do the same from the same list, and end their loops on the host.
"""

import numpy as np

import examples
from model import Case, Tensor, wanted
from part_graph import Graph

programs = examples.load("programs")

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


def page_rank(device, nodes, edges):
    graph = Graph(nodes, edges)
    inputs = {"source": Tensor((edges,), "i32", make=lambda: graph.ends[1]), "target": Tensor((edges,), "i32", make=lambda: graph.ends[0]),
              "weight": Tensor((edges,), "f32", 0.5, 1.0)}
    return Case(f"PageRank, {edges:,} edges between {nodes:,} nodes",
                programs.renumbered(examples.text("packages/rank"), {1000: nodes, 1001: nodes + 1, 2500: edges}), inputs, "rank",
                Tensor((nodes,), "f64"), reference=numpy_ranks(nodes), torch={"CSR, a loop of the host": torch_ranks(nodes)},
                host={"SciPy": scipy_ranks(nodes)}, target=wanted(device), bound=1e-7)


def cases(device, _):
    yield page_rank(device, 2 ** 16, 2 ** 18)
    if device == "gpu":
        yield page_rank(device, 2 ** 20, 2 ** 24)
