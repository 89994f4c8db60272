"""Draws the club, coloured by what a network says."""

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import networkx  # noqa: E402

import club  # noqa: E402


def draw(file, answers):
    """`answers`: (title, probability of side 1 by member) of each network."""
    graph = networkx.Graph(list(zip(*(ends.tolist() for ends in club.ties()))))
    where = networkx.kamada_kawai_layout(graph)
    nodes, sides = np.arange(club.MEMBERS), club.sides()
    figure, all_axes = plt.subplots(1, len(answers), figsize=(13, 5.6), layout="constrained")
    for axes, (title, chance) in zip(all_axes, answers):
        networkx.draw_networkx_edges(graph, where, ax=axes, alpha=0.25)
        for side, shape in enumerate("os"):
            some = nodes[sides == side]
            wrong = (chance[some] > 0.5) != side
            drawn = networkx.draw_networkx_nodes(
                graph, where, nodelist=some.tolist(), ax=axes, node_shape=shape, node_color=chance[some], cmap="coolwarm", vmin=0, vmax=1,
                node_size=[560 if node in club.KNOWN else 300 for node in some], edgecolors=np.where(wrong, "black", "white"),
                linewidths=np.where(wrong, 2.2, 0.6))
        networkx.draw_networkx_labels(graph, where, ax=axes, font_size=8)
        axes.set_title(title)
        axes.axis("off")
    figure.colorbar(drawn, ax=all_axes, label=f"probability of {club.SIDES[1]}", shrink=0.7)
    figure.suptitle(f"Circles went with {club.SIDES[0]}, squares with the {club.SIDES[1]}; the two large ones were known, black rims are wrong")
    figure.savefig(file, dpi=72)
