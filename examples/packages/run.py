"""The package graph of Debian: PageRank, and layers of a graph network over three types of edges.

    run.py --work DIR [--lists FOLDER] [--small] [--iterations N]

Reads the lists that apt keeps (lists.py says how), or with --small made-up ones; compiles rank.mlir and layers.mlir for their sizes, runs
them, and checks ranks against NumPy and networkx.pagerank, and layers against NumPy (reference.py). --small needs NumPy only, draws
nothing, and goes on with a graph without edges and one with edges and features that are none. gpuvm-compile and gpuvm-run are found by
name. Exits 1 if a check fails, 2 if there is no data.
"""

import argparse
import pathlib
import sys

import numpy as np

import lists
import reference

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402
from programs import check, say  # noqa: E402

FEATURES, LIMIT, RUN = 16, 0.05, 50
LAYERS, TIMES = 24, 150


def filled(arrays, size, value):
    """Arrays as rows of one length."""
    return np.stack([np.concatenate([a, np.full(size - a.size, value, a.dtype)]) for a in arrays])


class Program:
    """A program for a size, compiled."""

    def __init__(self, name, nodes, edges, options, times=TIMES):
        self.name, self.options, self.times = name, options, times
        say(f"Compiling {name}.mlir for {nodes} nodes and {edges} edges ...")
        sizes = {"nodes": nodes, "edges": edges} | ({"times": times} if name == "rank" else {})
        self.plan = programs.compiled(options.work / f"{name}.gvplan", HERE / f"{name}.mlir", **sizes)

    def run(self, inputs, outputs, iterations=1):
        """(outputs by name, statistics)"""
        return programs.execute(self.plan, inputs, outputs, f"--iterations={iterations}", f"--timeout={self.options.timeout}")


def show(name, stats):
    for key in ("stages", "kernels", "dispatches", "barriers", "submits"):
        print(f"{name}_{key} {stats[key]}")
    time = stats["device_us"]
    print(f"{name}_device_time {time['median'] / 1e3:.1f} ms ({time['p10'] / 1e3:.1f} to {time['p90'] / 1e3:.1f}), {stats['device']}")


def run_rank(program, nodes, source, target, weight, iterations=1):
    """Ranks and what is said about them, as NumPy has them."""
    edges = {"source": source, "target": target, "weight": weight}
    got, stats = program.run(edges, ["rank", "times", "change", "status", "first", "strays", "changes"], iterations)
    ranks, changes = reference.rank(nodes, source, target, weight, most=program.times)
    strays = reference.edges(nodes, source, target, weight)[3]
    # An iterate is within 0.85 / 0.15 times its last change of the fixed point, and rounding is far below that.
    off = np.abs(got["rank"] - ranks).sum()
    check(off <= 1e-11, f"ranks are off by {off:.1e} from NumPy's in all")
    check(int(got["times"]) == len(changes), f"it took {got['times']} times where NumPy takes {len(changes)}")
    wrong = np.abs(got["changes"][:len(changes)] - changes).max()
    check(wrong <= 1e-12, f"changes are off by {wrong:.1e}")
    check(int(got["strays"]) == strays, f"{got['strays']} edges were left out where {strays} are none")
    right = 2 if changes[-1] >= 1e-10 else int(strays > 0)
    check(int(got["status"]) == right, f"the status is {got['status']}, not {right}")
    order = got["rank"][got["first"]]
    check(np.all(np.diff(order) <= 0) and order[-1] >= np.sort(got["rank"])[-20], "the first 20 are not those of the highest ranks")
    return got, stats, off


def check_networkx(graph, ranks):
    """Whether networkx.pagerank gives the same, both within their tolerances."""
    import networkx

    say("Ranks by networkx.pagerank ...")
    whole = networkx.DiGraph()
    whole.add_nodes_from(range(len(graph.names)))
    whole.add_weighted_edges_from(zip(graph.source[0].tolist(), graph.target[0].tolist(), graph.weight[0].astype(float).tolist()))
    tolerance = 1e-10 / len(graph.names)  # Of each node: it stops at a change of 1e-10, as rank.mlir does.
    theirs = networkx.pagerank(whole, alpha=0.85, tol=tolerance, max_iter=TIMES)
    off = np.abs(ranks - np.array([theirs[node] for node in range(len(graph.names))])).sum()
    bound = 2 * 1e-10 * 0.85 / 0.15
    print(f"off_networkx {off:.1e} (in all; bound {bound:.1e})")
    check(off <= bound, f"ranks are off by {off:.1e} from those of networkx")


def run_layers(program, x, source, target, weight, limit, iterations=1):
    """Layers and what the monitor did, as NumPy has them."""
    inputs = {"x": x, "source": source, "target": target, "weight": weight, "limit": np.float32(limit)}
    got, stats = program.run(inputs, ["y", "layers", "parked", "status", "energies", "strays", "unfit"], iterations)
    relations = [reference.Relation(len(x), *rows) for rows in zip(source, target, weight)]
    h, energies, parked = reference.layers(x, relations, limit, LAYERS)
    off = np.abs(got["y"] - h[-1]).max()
    check(off <= 1e-5, f"features are off by {off:.1e} from NumPy's")
    check(int(got["layers"]) == len(h) - 1, f"{got['layers']} layers were done where NumPy does {len(h) - 1}")
    check(got["parked"].tolist() == parked, f"types were parked in layers {got['parked'].tolist()}, and {parked} by NumPy")
    wrong = np.abs(got["energies"][:len(energies)] - energies).max()
    check(wrong <= 1e-5, f"energies are off by {wrong:.1e} from NumPy's")
    strays, unfit = [relation.strays for relation in relations], reference.clean(x)[1]
    check(got["strays"].tolist() == strays, f"{got['strays'].tolist()} edges were left out where {strays} are none")
    check(int(got["unfit"]) == unfit, f"features of {got['unfit']} nodes were left out where those of {unfit} are none")
    right = 2 if min(parked) >= 0 else int(sum(strays) + unfit > 0)
    check(int(got["status"]) == right, f"the status is {got['status']}, not {right}")
    return got, stats, off, h, energies


def features(sections):
    """(the section of each package as one of FEATURES, 1 there; which are hidden)"""
    names, counts = np.unique(sections, return_counts=True)
    common = {name: i for i, name in enumerate(names[np.argsort(-counts, kind="stable")][:FEATURES - 1])}
    label = np.array([common.get(section, FEATURES - 1) for section in sections])
    hidden = np.random.default_rng(6).random(label.size) < 0.25
    x = np.zeros((label.size, FEATURES), np.float32)
    x[np.arange(label.size), label] = ~hidden
    return x, label, hidden


def report_ranks(program, graph, size, iterations):
    rows = [filled([array], size, value)[0] for array, value in ((graph.source[0], -1), (graph.target[0], -1), (graph.weight[0], 0))]
    say("Ranks ...")
    got, stats, off = run_rank(program, len(graph.names), *rows, iterations)
    print(f"times {got['times']}\nchange {got['change']:.1e}\nsum {got['rank'].sum():.15f}\noff_numpy {off:.1e} (in all)")
    named = np.bincount(graph.target[0], minlength=len(graph.names))
    for place, node in enumerate(got["first"], 1):
        print(f"rank {place} {graph.names[node]} {got['rank'][node]:.6f} named by {named[node]}")
    show("rank", stats)
    return got["rank"]


def report_layers(program, graph, size, iterations):
    """What the picture shows of it."""
    x, label, hidden = features(graph.sections)
    rows = [filled(arrays, size, value) for arrays, value in ((graph.source, -1), (graph.target, -1), (graph.weight, 0))]
    say("Layers until the monitor stops ...")
    got, stats, off, _, energies = run_layers(program, x, *rows, LIMIT, iterations)
    say("All layers ...")
    everything = run_layers(program, x, *rows, 0.0)
    hits = [np.mean((h.argmax(axis=1) == label)[hidden]) for h in everything[3]]
    stop = int(got["layers"])
    print(f"layers {stop} of {LAYERS}\nstatus {got['status']}\noff_numpy_layers {off:.1e}")
    for kind, layer, energy in zip(lists.TYPES, got["parked"], energies.T):
        print(f"parked {kind} in layer {layer}, at {energy[layer] / energy[0]:.3f} of its first energy {energy[0]:.4f}")
    found = np.mean((got["y"].argmax(axis=1) == label)[hidden])
    without = np.mean((everything[0]["y"].argmax(axis=1) == label)[hidden])
    print(f"hidden_sections {hidden.sum()}\nfound {100 * found:.1f} %\nfound_without_monitor {100 * without:.1f} %")
    show("layers", stats)
    return energies, everything[4], got["parked"], hits, stop


def run_bad(rank, layers, nodes, size):
    """Graphs without edges, and with edges and features that are none."""
    say("Bad data ...")
    none, nothing = np.full(size, -1, np.int32), np.zeros(size, np.float32)
    x = np.random.default_rng(1).random((nodes, FEATURES), np.float32)
    got = run_rank(rank, nodes, none, none, nothing)[0]
    check(np.all(np.abs(got["rank"] - 1 / nodes) < 1e-15), "ranks of a graph without edges are not all alike")
    got = run_layers(layers, x, *(np.stack([a] * 3) for a in (none, none, nothing)), LIMIT)[0]
    check(int(got["layers"]) == 0 and np.array_equal(got["y"], x), "a graph without edges has layers")
    print("without_edges ok")
    draw = np.random.default_rng(2)
    source = np.stack([np.arange(size, dtype=np.int32) % nodes] * 3)  # A ring, on which features last.
    target = (source + 1) % nodes
    weight = draw.choice([1, 0.5], (3, size)).astype(np.float32)
    source[:, :5], target[:, 5:9] = [-1, nodes, 2 ** 31 - 1, -2 ** 31, -7], [-1, nodes, 10 ** 6, -3]
    weight[:, 9:13] = [np.nan, np.inf, 0, -1]
    source[:, -3:] = target[:, -3:] = -1
    x[3, 5], x[7, 0], x[8, 15] = np.nan, np.inf, -np.inf
    got = run_rank(rank, nodes, source[0], target[0], weight[0])[0]
    print(f"strays {got['strays']}\nstatus {got['status']}")
    got = run_layers(layers, x, source, target, weight, 0.0)[0]
    print(f"unfit {got['unfit']}\nlayers_status {got['status']}")
    weight[:, :-3] = draw.random((3, size - 3)) + 0.5
    source[:, :-3] = draw.integers(0, nodes, (3, size - 3)) ** 2 // nodes
    got = run_rank(Program("rank", nodes, size, rank.options, times=5), nodes, source[0], target[0], weight[0])[0]
    print(f"times_of_5 {got['times']}\nstatus_of_5 {got['status']}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for plans, results and the picture")
    parser.add_argument("--lists", type=pathlib.Path, default=lists.LISTS, help="where apt keeps its package lists")
    parser.add_argument("--small", action="store_true", help="made-up packages and bad data, no picture")
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--timeout", type=int, default=120, help="seconds for one execution")
    return parser.parse_args()


def read(options):
    if options.small:
        return lists.graph(lists.made_up(400))
    files = lists.find(options.lists)
    say(f"Reading {', '.join(file.name for file in files)} ...")
    return lists.graph(map(lists.read, files))


def main():
    options = parse()
    options.work.mkdir(parents=True, exist_ok=True)
    graph = read(options)
    nodes = len(graph.names)
    print(f"packages {nodes}")
    for kind, edges, missing in zip(lists.TYPES, graph.source, graph.missing):
        print(f"{kind} {edges.size} edges, {missing} names that nobody has")
    size = -(-max(1, *(edges.size for edges in graph.source)) // (RUN // 2)) * (RUN // 2)  # Both directions are whole runs.
    rank, layers = Program("rank", nodes, size, options), Program("layers", nodes, size, options)
    ranks = report_ranks(rank, graph, size, options.iterations)
    if not options.small:
        check_networkx(graph, ranks)
    shown = report_layers(layers, graph, size, options.iterations)
    if options.small:
        run_bad(rank, layers, nodes, size)
    else:
        import picture
        file = options.work / "packages.png"
        picture.draw(file, graph.names, ranks, graph.source[0], graph.target[0], lists.TYPES, *shown)
        print(f"picture {file}")


programs.finish(main, lists.BadData)
