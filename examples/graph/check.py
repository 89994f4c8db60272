"""Searches a random graph with csr.mlir and search.mlir and compares with Python.

    check.py [--interpret] [--folder=FOLDER] [NODES [EDGES]]

NODES (1000) and EDGES (three for each node) of which one end and the other are drawn by a
power law, so that a few nodes have most of the edges; an eighth of the nodes has none, some
edges are loops and some stand twice. gpuvm-compile and gpuvm-run, or with --interpret
gpuvm-interpret, are found by name; files go to FOLDER (a temporary one). The offsets, the
targets, the level and the parent of each node, and how many nodes each level has, are those
that this program computes with queues. Exits 1 if not.
"""

import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402

LEVELS = 64  # elements of @counts


def graph(nodes, edges):
    """Both ends of each edge; the last eighth of some order of the nodes is no end."""
    draw = np.random.default_rng(nodes)
    name = draw.permutation(nodes).astype(np.int32)
    ends = [name[(draw.random(edges) ** 3 * (nodes - nodes // 8)).astype(np.int32)] for _ in range(2)]
    ends[1][::50] = ends[0][::50]
    return ends, int(name[0])


def rows(nodes, first, second):
    """(offsets, targets) as csr.mlir says."""
    sources, targets = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.argsort(sources, kind="stable")
    return np.searchsorted(sources[order], np.arange(nodes + 1)), targets[order]


def search(offsets, targets, source):
    """(level, parent, nodes by level)"""
    level, parent = np.full(offsets.size - 1, -1), np.full(offsets.size - 1, -1)
    level[source], parent[source] = 0, source
    frontier, counts = [source], []
    while frontier:
        counts.append(len(frontier))
        new = []
        for node in sorted(frontier):  # the least node that reaches another one is its parent
            for other in targets[offsets[node]:offsets[node + 1]]:
                if level[other] < 0:
                    level[other], parent[other] = len(counts), node
                    new.append(other)
        frontier = new
    return level, parent, counts


def compare(got, wanted):
    for name, array in wanted.items():
        if not np.array_equal(got[name], array):
            places = np.flatnonzero(got[name] != array)
            sys.exit(f"check.py: \"{name}\" is wrong at {places.size} places, the first of them {places[0]}: "
                     f"{got[name][places[0]]} where {array[places[0]]} is right")


def main():
    parser = programs.argument_parser()
    parser.add_argument("nodes", type=int, nargs="?", default=1000)
    parser.add_argument("edges", type=int, nargs="?")
    options = parser.parse_args()
    nodes, edges = options.nodes, options.edges or 3 * options.nodes
    (first, second), source = graph(nodes, edges)
    offsets, targets = rows(nodes, first, second)
    level, parent, counts = search(offsets, targets, source)
    if len(counts) >= LEVELS:
        sys.exit(f"check.py: the graph has {len(counts)} levels, but fewer than {LEVELS} are counted")
    sizes = {"nodes": nodes, "edges": edges}
    csr = programs.run(HERE / "csr.mlir", {"first": first, "second": second}, ["offsets", "targets"], options, **sizes)
    compare(csr, {"offsets": offsets, "targets": targets})
    found = programs.run(HERE / "search.mlir", {**csr, "source": np.int32(source)},
                         ["level", "parent", "counts", "count"], options, iterations=len(counts) + 1, **sizes)
    padded = counts + [0] * (LEVELS - len(counts))
    compare({**found, "count": found["count"].reshape(1)},
            {"level": level, "parent": parent, "counts": np.array(padded), "count": np.array([0])})
    print(f"{nodes} nodes, {edges} edges: {sum(counts)} nodes found, by level {' '.join(map(str, counts))}")


main()
