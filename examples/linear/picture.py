"""Draws the Mandelbrot set, where the systems begin and end, and the photo with and without noise."""

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from PIL import Image  # noqa: E402


def scatter(axes, begin, found):
    """What begins in one colour ends in it."""
    some = np.random.default_rng(1).permutation(begin["x"].size)[:20000]
    x, y = begin["x"][some], begin["y"][some]
    colors = np.stack([(x - x.min()) / np.ptp(x), (y - y.min()) / np.ptp(y), np.full_like(x, 0.6)], axis=1)
    for one in ((x, y), (found["x1"][some], found["y1"][some])):
        axes.scatter(*one, c=colors, s=5, marker=".", linewidths=0)
    axes.set_xlabel("prey")
    axes.set_ylabel("predators")
    axes.set_title("100,000 systems: the square, and where it goes", fontsize=10)


def draw(file, image, begin, found, data):
    figure = plt.figure(figsize=(13, 3.6), layout="constrained")
    left, middle, *right = figure.subplots(1, 4, width_ratios=[1.5, 1.4, 1, 1])
    left.imshow(np.log2(image), cmap="inferno")
    left.set_title("mandelbrot.lvm: 768 x 512 machines", fontsize=10)
    left.axis("off")
    scatter(middle, begin, found)
    part = np.s_[40:296, 120:376]
    for axes, name, title in zip(right, ("noisy", "picture"), ("a photo with noise", "after network.lvm")):
        axes.imshow(data[name][part], cmap="gray", vmin=0, vmax=255)
        axes.set_title(title, fontsize=10)
        axes.axis("off")
    figure.savefig(file, dpi=72)
    Image.open(file).convert("RGB").quantize(96).save(file, optimize=True)
