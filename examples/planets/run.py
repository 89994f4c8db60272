"""Moves the planets for a year on the device, and compares with JPL's ephemeris DE421.

    run.py --work DIR [--small] [--date JD] [--table FILE] [--tolerance X] [--write-table FILE]

It takes places, speeds and masses at a date (J2000) from DE421, runs year.mlir for 365.25 days in one submit, and checks

  - that NumPy, given the lengths of the device's steps, comes to the same places within SAME km;
  - that the regulator did what it says: lengths only halve and add up to the year, and between halvings
    the energy, as NumPy computes it, stays within the tolerance;
  - that places are within EXACT km of Newton's laws, as SciPy solves them, at the end;
  - that they are within OFF km of DE421 on every day: that is what Newton's laws themselves are off by;
  - that with relativity and the earth's flattening SciPy is within REAL km of DE421, so that these are why.

--small runs 30 days from the table january-2000.csv and needs NumPy only; --table does so from another one. Results are
lines "name value"; the last one is "check ok". Exits 1 if a check fails, 2 for data or arguments that are no good.
"""

import argparse
import pathlib
import sys

import numpy as np

import ephemeris
import newton

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402
from programs import check, say  # noqa: E402

TABLE = HERE / "january-2000.csv"
TICKS = 256  # a day
YEAR, MONTH = 365.25, 30.0  # days
SAME, EXACT, REAL = 0.001, 10.0, 1.0  # km
OFF = {YEAR: 200.0, MONTH: 12.0}  # km
OUTPUTS = ["places", "days", "energies", "lengths", "time", "taken", "halvings", "worst_drift", "condition"]


def execute(work, name, gm, state, days, tolerance, first=TICKS, room=12000):
    """(outputs by name, what gpuvm-run says of the run) with room for so many steps."""
    work.mkdir(parents=True, exist_ok=True)
    plan = programs.compiled(work / f"{name}.gvplan", HERE / "year.mlir", steps=room)
    inputs = {"q": state[0], "v": state[1], "gm": gm, "tolerance": np.float64(tolerance), "year": np.int32(round(days * TICKS)), "first": np.int32(first)}
    found, stats = programs.execute(plan, inputs, OUTPUTS, "--timeout=600")
    taken = int(found["taken"])
    return {**found, "lengths": found["lengths"][:taken], "energies": found["energies"][:taken]}, stats


def km(q):
    return np.linalg.norm(q, axis=-2) * ephemeris.AU


def stretches(lengths):
    """Slices of steps of one length; each begins with the step before, whose energy is the one that it is compared with."""
    cuts = [0, *(np.flatnonzero(np.diff(lengths[1:])) + 1), len(lengths) - 1]
    return [slice(first, last + 1) for first, last in zip(cuts, cuts[1:])]


def check_regulator(found, energies, days, tolerance):
    """The lengths of steps, given the energies by NumPy after each of them."""
    lengths, end = found["lengths"], round(days * TICKS)
    check(found["time"] == end == lengths.sum(), f"steps add up to {lengths.sum()} ticks, and the time is {found['time']}, not {end}")
    check(lengths[0] == 0, f"the first step has the length {lengths[0]}, not 0")
    steps = lengths[1:-1]
    check(np.all(np.isin(steps[:-1] / steps[1:], [1, 2])), "a step is neither as long as the one before nor half as long")
    check(TICKS >> int(found["halvings"]) == steps[-1], f"{found['halvings']} halvings end with {steps[-1]} ticks")
    worst = max(np.max(np.abs(energies[part] / energies[part.start] - 1)) for part in stretches(lengths[:-1]))
    check(worst <= tolerance * 1.02, f"the energy drifts by {worst:.2e}, more than {tolerance:.0e}")


def report_bodies(title, off):
    for name, one in zip(ephemeris.BODIES, off):
        print(f"{title}_{name}_km {one:.3f}")


def check_end(found, source, options, days):
    """The places in the end against NumPy and the ephemeris."""
    q, v = source.state(options.date)
    say(f"The same {len(found['lengths'])} steps in NumPy ...")
    replayed, _, energies = newton.replay(source.gm, q, v, found["lengths"], TICKS)
    check_regulator(found, energies, days, options.tolerance)
    off = float(km(found["places"] - replayed).max())
    print(f"numpy_off_km {off:.1e}")
    print(f"numpy_energy_off {np.max(np.abs(found['energies'] / energies - 1)):.1e}")
    check(off <= SAME, f"places are {off} km from NumPy's (bound {SAME})")
    off = km(found["places"] - source.state(options.date, days)[0])
    report_bodies("ephemeris_off", off)
    check(np.all(off <= OFF[days]), f"places are {off.max():.1f} km from the ephemeris (bound {OFF[days]})")


def check_laws(found, source, options, days):
    """What the laws of motion give, against the device and the ephemeris."""
    q, v = source.state(options.date)
    truth = source.state(options.date, days)[0]
    laws = {law: newton.solve(getattr(newton, law), source.gm, q, v, days) for law in progress("newton", "relativity", "relativity_and_figure")}
    for law, places in laws.items():
        report_bodies(law, km(places - truth))
    off, left = km(found["places"] - laws["newton"]).max(), km(laws["relativity_and_figure"] - truth).max()
    print(f"newton_solved_off_km {off:.2f}")
    check(off <= EXACT, f"places are {off:.2f} km from what Newton's laws give (bound {EXACT})")
    check(left <= REAL, f"with relativity and the earth's figure {left:.2f} km are left (bound {REAL})")


def progress(*names):
    for name in names:
        say(f"{name.replace('_', ' ')} in SciPy ...")
        yield name


def check_days(found, source, options, days):
    """Checks and returns distances from the ephemeris [day, body]."""
    truth = np.stack([source.state(options.date, float(day))[0] for day in range(int(days) + 1)])
    off = km(found["days"][:len(truth)] - truth)
    print(f"ephemeris_off_any_day_km {off.max():.1f}")
    bound = OFF[days]
    check(np.all(off <= bound), f"on a day a place is {off.max():.1f} km from the ephemeris (bound {bound})")
    return off


def run(options, source):
    small = options.small or options.table is not None
    days, room = (MONTH, 1000) if small else (YEAR, 12000)
    state = source.state(options.date)
    source.state(options.date, days)
    say(f"{days} days on the device, at most {room} steps ...")
    found, stats = execute(options.work, "year", source.gm, state, days, options.tolerance, room=room)
    if found["condition"] == 1:
        raise programs.Failed("the energy is no number")
    for name in ("taken", "halvings", "worst_drift", "condition"):
        print(f"{name} {found[name]}")
    for name in ("stages", "kernels", "dispatches", "barriers", "submits", "device"):
        print(f"{name} {stats[name]}")
    print(f"device_time {stats['device_us']['median'] / 1e6:.2f} s")
    check_end(found, source, options, days)
    if not small:
        check_laws(found, source, options, days)
        off = check_days(found, source, options, days)
        say("Steps of a day, without the regulator ...")
        free, _ = execute(options.work, "free", source.gm, state, days, 1.0, room=400)
        report_bodies("free_off", km(free["places"] - source.state(options.date, days)[0]))
        import picture
        picture.draw(options.work / "planets.png", found, free, off, TICKS)
        say(f"See {options.work / 'planets.png'}.")
        table = ephemeris.Table(TABLE)
        check(source.gm.tolist() == table.gm.tolist() and all(
            np.array_equal(a, b) for day in (0.0, MONTH)
            for a, b in zip(table.state(ephemeris.START, day), source.state(ephemeris.START, day))), f"{TABLE.name} is not what DE421 says")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for programs, plans and results")
    parser.add_argument("--small", action="store_true", help="30 days from a table")
    parser.add_argument("--date", type=float, default=ephemeris.START, help="where the year begins, a Julian date")
    parser.add_argument("--table", type=pathlib.Path, help="a table instead of DE421, for 30 days")
    parser.add_argument("--tolerance", type=float, default=1e-13, help="of the energy, relative")
    parser.add_argument("--write-table", type=pathlib.Path, metavar="FILE", help="write a table of the first and the last of 30 days, and end")
    options = parser.parse_args()
    if not options.tolerance > 0:
        parser.error(f"The tolerance is {options.tolerance}; it must be positive.")
    source = ephemeris.Table(options.table or TABLE) if options.small or options.table else ephemeris.De421()
    if options.write_table:
        ephemeris.write_table(options.write_table, source, [options.date, options.date + MONTH])
        sys.exit()
    run(options, source)


programs.finish(main, ephemeris.BadData)
