"""Draws ranks, the packages around the top, and what layers do."""

import collections

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import networkx  # noqa: E402

NAMED, AROUND = 40, 60
COLORS = ("#1f77b4", "#ff7f0e", "#2ca02c")


def draw_ranks(axes, ranks):
    axes.loglog(np.arange(1, ranks.size + 1), np.sort(ranks)[::-1], color=COLORS[0])
    axes.set(title="Rank of a package by its place", xlabel="place", ylabel="PageRank")
    axes.grid(alpha=0.3)


def draw_graph(axes, names, ranks, source, target):
    """The packages of the highest ranks that hang together, and the edges among them."""
    place = {int(node): i for i, node in enumerate(np.argsort(-ranks)[:AROUND])}
    whole = networkx.DiGraph((int(s), int(t)) for s, t in zip(source, target) if int(s) in place and int(t) in place)
    graph = whole.subgraph(sorted(max(networkx.weakly_connected_components(whole), key=len), key=place.get))
    where = networkx.kamada_kawai_layout(graph.to_undirected())
    size = [40 + 900 * np.sqrt(ranks[node] / ranks.max()) for node in graph]
    networkx.draw_networkx_edges(graph, where, ax=axes, alpha=0.2, arrowsize=6, width=0.6, node_size=size)
    networkx.draw_networkx_nodes(graph, where, ax=axes, node_size=size, node_color=[-np.log(ranks[n]) for n in graph],
                                 cmap="viridis", alpha=0.75)
    networkx.draw_networkx_labels(graph, where, {n: names[n] for n in graph if place[n] < NAMED}, ax=axes, font_size=7)
    axes.set_title(f"{len(graph)} of the {AROUND} packages of the highest ranks, and who depends on whom")
    axes.axis("off")


def draw_layers(axes, types, energies, everything, parked, hits, stop):
    """Energies of the types with the monitor, and pale those without it."""
    counts = np.arange(len(hits))
    for kind, energy, rest, layer, color in zip(types, energies.T, everything.T, parked, COLORS):
        axes.semilogy(counts[:rest.size], rest / rest[0], color=color, alpha=0.3)
        axes.semilogy(counts[:layer + 1], energy[:layer + 1] / energy[0], color=color, label=f"energy of {kind}")
        axes.plot(layer, energy[layer] / energy[0], "v", color=color)
    axes.axhline(0.05, color="gray", linewidth=0.7, linestyle=":")
    axes.axvline(stop, color="black", linewidth=0.8, linestyle="--")
    axes.set(title=f"Layers; the monitor stops after {stop}", xlabel="layer", ylabel="Dirichlet energy (of the first)")
    other = axes.twinx()
    other.plot(counts, 100 * np.array(hits), color="black", marker=".", label="hidden sections found")
    other.set_ylabel("% of hidden sections found")
    lines = collections.ChainMap(*(dict(zip(*reversed(a.get_legend_handles_labels()))) for a in (other, axes)))
    axes.legend(lines.values(), lines.keys(), fontsize=7, loc="lower left")


def draw(file, names, ranks, source, target, types, energies, everything, parked, hits, stop):
    figure = plt.figure(figsize=(13, 6.4), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.7))
    draw_ranks(figure.add_subplot(grid[0, 0]), ranks)
    draw_layers(figure.add_subplot(grid[1, 0]), types, energies, everything, parked, hits, stop)
    draw_graph(figure.add_subplot(grid[:, 1]), names, ranks, source, target)
    figure.savefig(file, dpi=72)
