"""Sums over the edges of a graph: a sparse matrix (CSR) times a vector and times a dense matrix.

The ends of an edge are drawn by a power law: end number r of all nodes, the most wanted one
first, with a density of r^(-2/3), so how many nodes have more than d edges falls as d^(-3/2).
"""

import functools

import numpy as np

import host
import programs
from model import Case, Target, Tensor

TITLE = "Graph"
BOUND = 2e-5  # of the largest sum: long rows are added in different orders


class Graph:
    """Rows, columns and factors of `edges` edges between `nodes` nodes, in the order of the rows."""

    def __init__(self, nodes, edges, seed=0):
        self.nodes, self.edges, self.seed = nodes, edges, seed

    @functools.cached_property
    def ends(self):
        draw = np.random.default_rng(self.edges + self.seed)
        rank = lambda: (draw.random(self.edges) ** 3 * self.nodes).astype(np.int32)
        name = draw.permutation(self.nodes).astype(np.int32)
        rows, columns = np.sort(name[rank()]), name[rank()]
        return rows, columns

    def columns(self):
        return self.ends[1]

    def offsets(self):
        starts = np.zeros(self.nodes + 1, np.int32)
        np.cumsum(np.bincount(self.ends[0], minlength=self.nodes), out=starts[1:])
        return starts

    def inputs(self):
        """Made where they are used."""
        return {"c": Tensor((self.edges,), "i32", make=self.columns),
                "o": Tensor((self.nodes + 1,), "i32", make=self.offsets), "v": Tensor((self.edges,), "f32")}


def body(inputs, factor, products, result):
    """The products of the elements with rows of the factor, added up by row."""
    dims, inner = ("e, f", ", %f") if len(result.shape) > 1 else ("e", "")
    kinds = ", ".join(['"parallel"'] * len(result.shape))
    number = "%f = linalg.index 1 : index" if inner else ""
    return f"""
        %init = tensor.empty() : {products}
        %p = linalg.generic {{indexing_maps = [affine_map<({dims}) -> (e)>, affine_map<({dims}) -> (e)>,
            affine_map<({dims}) -> ({dims})>], iterator_types = [{kinds}]}}
            ins(%v, %c : {inputs["v"]}, {inputs["c"]}) outs(%init : {products}) {{
        ^bb0(%a: f32, %column: i32, %unused: f32):
          {number}
          %r = arith.index_cast %column : i32 to index
          %x = tensor.extract %b[%r{inner}] : {factor}
          %product = arith.mulf %a, %x : f32
          linalg.yield %product : f32
        }} -> {products}
        %zero = arith.constant dense<0.0> : tensor<f32>
        %y = gpuvm.segment_reduce %p by %o from %zero : ({products}, {inputs["o"]}, tensor<f32>) -> {result} {{
        ^bb0(%before: f32, %next: f32):
          %s = arith.addf %before, %next : f32
          gpuvm.yield %s : f32
        }}
    """


def numpy(d):
    """The sums of the rows that have elements; the others are zero."""
    factors = d["v"] if d["b"].ndim == 1 else d["v"][:, None]
    starts = d["o"][:-1]
    taken = np.flatnonzero(d["o"][1:] > starts)
    y = np.zeros(d["b"].shape, np.float32)
    y[taken] = np.add.reduceat(factors * d["b"][d["c"]], starts[taken], axis=0)
    return y


def torch(d):
    """cuSPARSE."""
    if "csr" not in d:
        n = d["b"].shape[0]
        d["csr"] = d["torch"].sparse_csr_tensor(d["o"], d["c"], d["v"], (n, n))
    return d["csr"] @ d["b"]


def product(graph, width, target=None):
    """With `width` columns, or with a vector."""
    inner = (width,) if width else ()
    result = Tensor((graph.nodes, *inner), "f32")
    inputs = {**graph.inputs(), "b": result}
    lines = body(inputs, result, Tensor((graph.edges, *inner), "f32"), result)
    dense = f"{graph.nodes:,}x{width}" if width else f"vector of {graph.nodes:,}"
    return Case(f"{graph.edges:,} elements, times {dense}", programs.gpuvm(inputs, "y", result, lines), inputs, "y",
                result, reference=numpy, torch={"CSR @ dense": torch}, host={"SciPy": host.scipy_csr},
                bytes=sum(tensor.bytes for tensor in inputs.values()) + result.bytes,
                operations=2 * graph.edges * max(width, 1), target=target, bound=BOUND)


def cases(device, _):
    gpu = device == "gpu"
    graph = Graph(2 ** 20, 2 ** 24) if gpu else Graph(2 ** 13, 2 ** 17)
    equal = Target(1.0, "torch") if gpu else None
    yield product(graph, 64, equal)
    yield product(graph, 0, equal)
