"""A query, a graph network and a table in one submit, over the packages of Debian.

    run.py --work DIR [--lists FOLDER] [--small] [--section NAME] [--least N]

Nodes are packages, edges what they name as Depends, Recommends or Suggests (../packages/lists.py reads apt's lists; --small
makes some up). The query keeps the packages of a section that at least N others name, the network scores exactly these, and the
ten best go into a table. Checked: the whole against its three programs run one behind the other, and against NumPy in float64,
for several queries, among them one that keeps nothing. Exits 1 if they differ, 2 if there is no data or no such section.
"""

import argparse
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "packages")]
import lists  # noqa: E402
import programs  # noqa: E402

PARTS = ("select", "network", "best")
TOP = 10


# The tables.

def tables(graph):
    """Columns of the nodes and edges: numbers of sections, of what names a node, of ends, and eight features of each node."""
    count = len(graph.names)
    source, target = np.concatenate(graph.source), np.concatenate(graph.target)
    names = sorted(set(graph.sections))
    number = {name: i for i, name in enumerate(names)}
    out = [np.bincount(ends, minlength=count) for ends in graph.source]
    into = [np.bincount(ends, minlength=count) for ends in graph.target]
    isLibrary = np.array([name.startswith("lib") for name in graph.names])
    features = np.stack([np.log1p(column) for column in out + into] + [isLibrary, np.ones(count)], axis=1)
    columns = {"section": np.array([number[name] for name in graph.sections], np.int32),
               "size": sum(into).astype(np.int32),
               "source": source.astype(np.int32), "target": target.astype(np.int32), "features": features.astype(np.float32)}
    return columns, names


def ranks(source, target, count):
    """PageRank by 50 steps of a power iteration."""
    out = np.bincount(source, minlength=count)
    rank = np.full(count, 1 / count)
    for _ in range(50):
        share = np.bincount(target, rank[source] / out[source], minlength=count)
        rank = 0.15 / count + 0.85 * (share + rank[out == 0].sum() / count)
    return rank


# The same in NumPy.

def hidden(features, first, source, target):
    return np.maximum(mean(features, source, target) @ first, 0)


def mean(rows, source, target):
    """Of each row and those that are sent to it."""
    sums = rows.copy()
    np.add.at(sums, target, rows[source])
    degree = np.bincount(target, minlength=len(rows))
    return sums / (1 + degree).reshape((-1,) + (1,) * (rows.ndim - 1))


def train(columns):
    """Weights: a first layer at random, and a second one with which scores of all packages come near the logarithms of their ranks."""
    first = np.random.default_rng(4).normal(size=(8, 16)) / 4
    count, source, target = len(columns["section"]), columns["source"], columns["target"]
    rows = mean(hidden(columns["features"].astype(np.float64), first, source, target), source, target)
    second = np.linalg.lstsq(rows, np.log10(ranks(source, target, count) * count), rcond=None)[0]
    return first.astype(np.float32), second.astype(np.float32)


def reference(columns, weights, wanted, least):
    """(nodes that are kept, their scores, number of edges)"""
    keep = (columns["section"] == wanted) & (columns["size"] >= least)
    nodes = np.flatnonzero(keep)
    number = np.full(keep.size, -1)
    number[nodes] = np.arange(nodes.size)
    source, target = number[columns["source"]], number[columns["target"]]
    inside = (source >= 0) & (target >= 0)
    source, target = source[inside], target[inside]
    first, second = (layer.astype(np.float64) for layer in weights)
    rows = hidden(columns["features"][nodes].astype(np.float64), first, source, target)
    return nodes, mean(rows @ second, source, target), source.size


# On the device.

class Device:
    def __init__(self, columns, weights, work):
        self.work, self.columns = work, columns
        self.sizes = {"nodes": columns["section"].size, "edges": columns["source"].size}
        for name, array in {**columns, "first": weights[0], "second": weights[1]}.items():
            np.save(work / f"{name}.npy", array)
        for name in PARTS:
            self.compile(name)
        parts = [f"--link={HERE / name}.mlir" for name in PARTS]
        parts += [option for name in PARTS for option in programs.settings({f"{name}.{key}": size for key, size in self.sizes_of(name).items()})]
        self.compile("whole", *parts)

    def sizes_of(self, name):
        return {key: size for key, size in self.sizes.items() if name != "best" or key == "nodes"}

    def compile(self, name, *options):
        programs.compiled(self.work / f"{name}.gvplan", HERE / f"{name}.mlir", *options, **self.sizes_of(name))

    def run(self, name, files, outputs, *options, **inputs):
        """(outputs by name, statistics) of a program; `files` names files of the folder for inputs."""
        given = {key: self.work / f"{file}.npy" for key, file in files.items()} | inputs
        return programs.execute(self.work / f"{name}.gvplan", given, outputs, "--timeout=600", *options)

    def whole(self, wanted, least, *options):
        files = {name: name for name in self.columns} | {"network.first": "first", "network.second": "second"}
        return self.run("whole", files, ("node", "score", "rows", "numNodes", "numEdges"), *options, wanted=np.int32(wanted), least=np.int32(least))

    def parts(self, wanted, least, *options):
        """The three programs one after the other, with files between them."""
        files = {name: name for name in self.columns if name != "features"}
        kept, _ = self.run("select", files, ("nodes", "numNodes", "from", "to", "numEdges"), *options, wanted=np.int32(wanted), least=np.int32(least))
        files = {name: f"select.{name}.out" for name in kept} | {name: name for name in ("features", "first", "second")}
        self.run("network", files, ("scores",), *options)
        files = {"nodes": "select.nodes.out", "numNodes": "select.numNodes.out", "scores": "network.scores.out"}
        return self.run("best", files, ("node", "score", "rows"), *options)[0]


def compare(device, columns, weights, wanted, least, options):
    """The table of a query, which must be what the parts and NumPy say."""
    table, _ = device.whole(wanted, least, *options)
    for name, value in device.parts(wanted, least, *options).items():
        if not np.array_equal(table[name], value):
            raise programs.Failed(f"{name} of the whole is {table[name]}, of the parts {value}")
    nodes, scores, edges = reference(columns, weights, wanted, least)
    if (table["numNodes"], table["numEdges"], table["rows"]) != (nodes.size, edges, min(nodes.size, TOP)):
        raise programs.Failed(f"there are {nodes.size} nodes and {edges} edges, not {table['numNodes']} and {table['numEdges']}")
    rows = int(table["rows"])
    own = dict(zip(nodes.tolist(), scores.tolist()))
    best = np.sort(scores)[::-1][:rows]
    error = max([abs(own[node] - score) for node, score in zip(table["node"][:rows].tolist(), table["score"][:rows].tolist())] +
                np.abs(best - table["score"][:rows]).tolist(), default=0)
    if error > 1e-4:
        raise programs.Failed(f"scores differ by {error} from NumPy's")
    return table, error


def draw(names, table, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    rows = int(table["rows"])
    figure, axes = pyplot.subplots(figsize=(7, 3.2), layout="constrained")
    axes.barh([names[node] for node in table["node"][:rows]][::-1], table["score"][:rows][::-1], color="#4477aa")
    axes.set_xlabel("score: estimate of log10 of the rank, 0 is the mean")
    axes.set_title(f"the best {rows} of {int(table['numNodes'])} packages that the query keeps")
    figure.savefig(path, dpi=100)
    programs.say(f"The picture is {path}.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--lists", type=pathlib.Path, default=lists.LISTS)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--section")
    parser.add_argument("--least", type=int)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    programs.say("Reading package lists ...")
    texts = lists.made_up(300) if options.small else [lists.read(path) for path in lists.find(options.lists)]
    graph = lists.graph(texts)
    columns, sections = tables(graph)
    section = options.section or ("s3" if options.small else "python")
    if section not in sections:
        raise lists.BadData(f"There is no section \"{section}\"; there are {', '.join(sections)}.")
    weights = train(columns)
    least = options.least if options.least is not None else 0 if options.small else 5
    programs.say(f"Compiling for {columns['section'].size} packages and {columns['source'].size} edges ...")
    device = Device(columns, weights, options.work)
    validate = ["--validate"] if options.small else []
    wanted = sections.index(section)
    queries = [(wanted, least), (wanted, 2**31 - 1)] + ([] if options.small else [(wanted, least + 1)])
    programs.say(f"Running {len(queries)} queries, whole and in parts ...")
    results = [compare(device, columns, weights, *query, validate) for query in queries]
    table = results[0][0]
    for row in range(int(table["rows"])):
        print(graph.names[table["node"][row]], f"{table['score'][row]:.3f}")
    stats = device.whole(wanted, least, "--iterations=5", "--warmup=1")[1]
    for name, value in (("packages", columns["section"].size), ("edges", columns["source"].size), ("kept_packages", int(table["numNodes"])),
                        ("kept_edges", int(table["numEdges"])), ("error", f"{max(error for _, error in results):.1e}"),
                        ("stages", stats["stages"]), ("kernels", stats["kernels"]), ("dispatches", stats["dispatches"]),
                        ("barriers", stats["barriers"]), ("submits", stats["submits"]),
                        ("device_ms", f"{stats['device_us']['median'] / 1000:.2f}")):
        print(name, value)
    if not options.small:
        draw(graph.names, table, options.work / "table.png")


programs.finish(main, lists.BadData)
