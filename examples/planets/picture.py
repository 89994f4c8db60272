"""Draws a year: the orbits, how far places are from the ephemeris, and what the regulator did."""

import numpy as np

import ephemeris

SHOWN = {"mercury": "#8c564b", "venus": "#ff9e1b", "earth": "#1f77b4", "moon": "#7f7f7f", "mars": "#d62728", "jupiter": "#2ca02c"}


def orbits(axes, days):
    axes.set_title("a year from 1 January 2000, seen from the north")
    for name, color in SHOWN.items():
        if name in ("moon", "jupiter"):
            continue
        body = ephemeris.BODIES.index(name)
        # From the sun, in the plane of the ecliptic (obliquity of J2000).
        x, y, z = (days[:, :, body] - days[:, :, 0]).T
        tilt = np.radians(23.4392911)
        along = y * np.cos(tilt) + z * np.sin(tilt)
        axes.plot(x, along, color=color, lw=1)
        axes.plot(x[-1], along[-1], "o", color=color, ms=5, label=name)
    axes.plot(0, 0, "o", color="gold", ms=9)
    axes.set_aspect("equal")
    axes.set_xlabel("au")
    axes.legend(fontsize=7, loc="lower left")


def distances(axes, off):
    axes.set_title("distance from DE421: what Newton does not know")
    for name, color in SHOWN.items():
        axes.plot(off[:, ephemeris.BODIES.index(name)], color=color, lw=1, label=name)
    axes.set_xlabel("days")
    axes.set_ylabel("km")
    axes.legend(fontsize=7)


def regulator(axes, found, free, ticks):
    time, drift = np.cumsum(found["lengths"]) / ticks, np.abs(found["energies"] / found["energies"][0] - 1)
    free_time, free_drift = np.cumsum(free["lengths"]) / ticks, np.abs(free["energies"] / free["energies"][0] - 1)
    axes.set_title("energy: how far from that at the beginning")
    axes.semilogy(free_time[1:], np.maximum(free_drift[1:], 1e-17), color="#d62728", lw=0.7, label="steps of a day")
    axes.semilogy(time[1:], np.maximum(drift[1:], 1e-17), color="#1f77b4", lw=0.5, label="with the regulator")
    axes.set_xlabel("days")
    axes.legend(fontsize=7, loc="center right")


def lengths(axes, found, ticks):
    time, hours = np.cumsum(found["lengths"]) / ticks, found["lengths"] / ticks * 24
    axes.set_title("length of steps, first days")
    axes.step(time[1:], hours[1:], where="pre", color="#1f77b4", lw=1.2)
    axes.set_xlim(0, 60)
    axes.set_yscale("log", base=2)
    axes.set_yticks(np.unique(hours[1:]), [f"{one:g}" for one in np.unique(hours[1:])])
    axes.set_xlabel("days")
    axes.set_ylabel("hours")


def draw(file, found, free, off, ticks):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot

    figure, axes = plot.subplots(2, 2, figsize=(10, 8), layout="constrained")
    orbits(axes[0, 0], found["days"][:len(off)])
    distances(axes[0, 1], off)
    regulator(axes[1, 0], found, free, ticks)
    lengths(axes[1, 1], found, ticks)
    figure.savefig(file, dpi=80)
