"""Spectrograms of a recording before and after, and what the regulator did."""

import io

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402
from scipy import signal  # noqa: E402

import reference  # noqa: E402


def spectrogram(axes, samples, rate, title):
    frequencies, times, power = signal.spectrogram(samples, rate, "hann", 1024, 0, scaling="spectrum")
    axes.imshow(10 * np.log10(power + 1e-12), origin="lower", aspect="auto", cmap="magma", vmin=-90, vmax=-35,
                extent=(0, len(samples) / rate, 0, frequencies[-1] / 1000), interpolation="nearest")
    axes.set_ylim(0, min(10, rate / 2000))
    axes.set_ylabel("kHz")
    axes.set_title(title, loc="left", fontsize=10)


def draw(before, after, outputs, rate, path):
    """The first channel; the file has 32 colours, to be small."""
    figure, (top, middle, bottom) = plt.subplots(3, 1, figsize=(8, 6.4), sharex=True, height_ratios=(3, 3, 2), layout="constrained")
    spectrogram(top, before[:, 0], rate, "before, first channel")
    spectrogram(middle, after[:, 0], rate, "after the gate, the equaliser, the regulator and the limiter")
    times = np.arange(len(outputs["report"])) * reference.CHUNK / rate
    bottom.step(times, outputs["report"][:, 1], where="post", color="0.6", label="peak the regulator reads")
    bottom.step(times, outputs["report"][:, 3], where="post", color="tab:red", label="gain it sets")
    bottom.step(times, outputs["report"][:, 2], where="post", color="tab:blue", lw=0.9, label="peak that leaves")
    bottom.axhline(reference.CEILING, color="black", lw=0.6, ls=":")
    bottom.set_xlabel("s")
    bottom.set_ylim(0, 2.1)
    bottom.legend(fontsize=8, loc="upper center", ncols=3, frameon=False)
    file = io.BytesIO()
    figure.savefig(file, dpi=80)
    plt.close(figure)
    Image.open(file).convert("RGB").quantize(32, dither=Image.Dither.NONE).save(path, optimize=True)
