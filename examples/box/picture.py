"""Draws a cut through the middle of the box, frame by frame, as one strip; and the books below it."""

import numpy as np

import reference


def cut(axes, places, one, colors):
    near = np.flatnonzero(np.abs(places[1] - one.size[1] / 2) < 0.6)
    near = near[np.argsort(-places[1][near])]
    from matplotlib.collections import EllipseCollection
    axes.add_collection(EllipseCollection(np.ones(near.size), np.ones(near.size), 0, units="xy", offsets=places[[0, 2]][:, near].T,
                                          transOffset=axes.transData, facecolors=colors[near], linewidths=0))
    axes.set_xlim(0, one.size[0])
    axes.set_ylim(0, one.size[2])
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])


def palette(one):
    """Layers of the bed in two greys, threads in colours of their own."""
    import matplotlib
    bound = (one.partners >= 0).any(axis=0)
    layer = np.floor(one.places[2] / 4).astype(int) % 2
    thread = np.floor(one.places[2] / 2.04).astype(int)
    grey = np.where(layer[:, None], [0.62, 0.55, 0.45, 1], [0.42, 0.38, 0.33, 1])
    return np.where(bound[:, None], matplotlib.colormaps["plasma"]((thread * 37 % 10) / 10), grey)


def curves(axes, diary):
    time = np.cumsum(diary[:, reference.TICKS]) * reference.TICK
    height = diary[:, reference.HEIGHT] - diary[:, reference.HEIGHT].min()
    for name, values, color in (("kinetic", diary[:, reference.KINETIC], "#1f77b4"), ("height", height, "#2ca02c"),
                                ("elastic", diary[:, reference.ELASTIC], "#ff7f0e"), ("heat", diary[:, reference.HEAT], "#d62728"),
                                ("taken by bonds", -diary[:, reference.WORK], "#9467bd")):
        axes[0].plot(time, values / 1e6, color=color, lw=1, label=name)
    axes[0].set_title("where the energy is, millions", fontsize=9)
    axes[0].legend(fontsize=7)
    axes[1].step(time, diary[:, reference.TICKS], where="pre", color="#1f77b4", lw=1)
    axes[1].set_ylim(0, 40)
    axes[1].set_title("ticks of a sub-step (the regulator)", fontsize=9)
    axes[2].plot(time, diary[:, reference.FASTEST], color="#2ca02c", lw=1)
    axes[2].set_title("largest speed", fontsize=9)
    for one in axes:
        one.tick_params(labelsize=7)
        one.set_xlabel("time", fontsize=7)


def draw(file, found, one, frame):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot
    from PIL import Image

    frames, colors = found["film"], palette(one)
    figure = plot.figure(figsize=(13, 5), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=[3, 2])
    for number, axes in enumerate(top.subplots(1, len(frames))):
        cut(axes, frames[number], one, colors)
        axes.set_title(f"{number * frame:.2f}", fontsize=8)
    curves(bottom.subplots(1, 3), found["diary"])
    figure.savefig(file, dpi=75)
    Image.open(file).convert("RGB").quantize(160).save(file, optimize=True)
