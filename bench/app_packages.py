"""PageRank and a graph network (examples/packages) of graphs that part_graph.py draws, from lists of edges.

PageRank goes on until ranks move by less than 1e-10: sorting, weighing and the loop, which the device ends. Peers end theirs on the
host. The graph network has eight layers over three types of edges, and the energies of each in each layer; none is parked.
"""

import numpy as np

import examples
from model import Case, Tensor, wanted
from part_graph import Graph

packages = examples.load("packages/reference")

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
    return Case(f"PageRank, {edges:,} edges between {nodes:,} nodes", examples.text("packages/rank"), inputs, "rank", Tensor((nodes,), "f64"),
                options=examples.settings(nodes=nodes, edges=edges), reference=numpy_ranks(nodes), torch={"CSR, a loop of the host": torch_ranks(nodes)},
                host={"SciPy": scipy_ranks(nodes)}, target=wanted(device), bound=1e-7)


#===--- Layers ---===#

LAYERS, FEATURES = 8, 16


def numpy_layers(nodes):
    def call(d):
        relations = [packages.Relation(nodes, *(d[name][kind] for name in ("source", "target", "weight"))) for kind in range(3)]
        return packages.layers(d["x"], relations, 0.0, LAYERS)[0][-1].astype(np.float32)
    return call


def scipy_layers(nodes):
    """As torch_layers, in single precision."""
    def prepare(d):
        from scipy import sparse

        def call():
            relations = []
            for source, target, weight in zip(d["source"], d["target"], d["weight"]):
                half = sparse.coo_array((weight, (source, target)), shape=(nodes, nodes))
                matrix = (half + half.T).tocsr()
                relations.append((matrix, np.asarray(matrix.sum(axis=1))))
            return layers(relations, d["x"], np.maximum)[0]
        return call
    return prepare


def torch_layers(nodes):
    def call(d):
        torch = d["torch"]
        relations = []
        for source, target, weight in zip(d["source"].long(), d["target"].long(), d["weight"]):
            ends, weights = torch.cat([source, target]), torch.cat([weight, weight])
            where = torch.stack([ends, torch.cat([target, source])])
            matrix = torch.sparse_coo_tensor(where, weights, (nodes, nodes)).to_sparse_csr()
            relations.append((matrix, torch.zeros(nodes, device=weights.device).index_add_(0, ends, weights)))
        return layers(relations, d["x"], lambda a, least: a.clamp(min=least))[0]
    return call


def layers(relations, h, at_least):
    """(features after all layers, energies) of matrices and the sums of their rows."""
    below = sum(worth * (degree > 0) for worth, (_, degree) in zip(packages.ROUTING, relations)) + packages.ROUTING[3]
    energies = []
    for _ in range(LAYERS):
        above = packages.ROUTING[3] * h
        for worth, (matrix, degree) in zip(packages.ROUTING, relations):
            flow = matrix @ h
            # Over nodes: the sum over edges of w |h[u] - h[v]|^2.
            energies.append((degree[:, None] * h * h - flow * h).sum() / degree.sum() * 2)
            above = above + worth * flow / at_least(degree, 1e-30)[:, None]
        h = above / below[:, None]
    return h, energies


def graph_network(device, nodes, edges):
    graphs = [Graph(nodes, edges, seed) for seed in range(3)]
    sizes = examples.settings(nodes=nodes, edges=edges, layers=LAYERS)
    inputs = {"x": Tensor((nodes, FEATURES), "f32"), "weight": Tensor((3, edges), "f32", 0.5, 1.0),
              "source": Tensor((3, edges), "i32", make=lambda: np.stack([graph.ends[1] for graph in graphs])),
              "target": Tensor((3, edges), "i32", make=lambda: np.stack([graph.ends[0] for graph in graphs])),
              "limit": Tensor((), "f32", make=lambda: np.array(0, np.float32))}
    return Case(f"{LAYERS} layers of {FEATURES} features, 3 x {edges:,} edges between {nodes:,} nodes", examples.text("packages/layers"), inputs, "y",
                Tensor((nodes, FEATURES), "f32"), reference=numpy_layers(nodes), torch={"CSR": torch_layers(nodes)},
                host={"SciPy": scipy_layers(nodes)}, options=sizes, target=wanted(device), bound=1e-4)


def cases(device, _):
    yield page_rank(device, 2 ** 16, 2 ** 18)
    yield graph_network(device, 2 ** 14, 50_000)
    if device == "gpu":
        yield graph_network(device, 2 ** 18, 1_000_000)
        yield page_rank(device, 2 ** 20, 2 ** 24)
