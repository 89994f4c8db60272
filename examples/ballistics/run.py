"""Duels: a gunner who learns from where shots come down, and physics that flies them, in one submit.

    run.py --work DIR [--small] [--duels N] [--ground FILE.npy]

Draws hills, wind and targets from fixed seeds (or takes the heights of 256 metres of ground from a file), and checks each duel: whole.mlir,
one submit, against aim.mlir, flight.mlir and judge.mlir run one behind the other, bit for bit; flights against the same steps in
NumPy's float64; what the gunner learns against NumPy. Exits 1 if something differs or no target is hit, 2 if the ground is none.
"""

import argparse
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402

PARTS = ("aim", "flight", "judge")
ROUNDS, SHOTS, FIELD = 30, 64, 256
DT, GRAVITY, DRAG, STEPS = 0.01, 9.81, 0.002, 4000


def hills(draw):
    """Heights of the ground, every metre."""
    x = np.arange(FIELD)
    waves = sum(draw.uniform(1, 4) * np.sin(x / draw.uniform(8, 40) + draw.uniform(0, 6)) for _ in range(4))
    return (waves - waves.min()).astype(np.float32)


def read_ground(path):
    try:
        ground = np.load(path)
    except (OSError, ValueError) as error:
        raise programs.BadData(f"The ground \"{path}\" cannot be read: {error}.") from error
    if ground.shape != (FIELD,) or ground.dtype.kind not in "fiu":
        raise programs.BadData(f"The ground has to be {FIELD} heights, not {ground.shape} of {ground.dtype}.")
    if not np.isfinite(ground).all():
        raise programs.BadData(f"{np.sum(~np.isfinite(ground))} heights of the ground are no numbers.")
    return ground.astype(np.float32)


# The same in NumPy.

def fly(angle, speed, wind, ground):
    """(path, energy where it ends, status) of one shot."""
    x, y = 2.0, float(ground[2]) + 2.0
    u, v = speed * np.cos(angle), speed * np.sin(angle)
    path = [(x, y)]
    while 0 <= x < FIELD and y >= ground[int(x)] and len(path) <= STEPS:
        k = DRAG * np.hypot(u - wind, v)
        u, v = u - k * (u - wind) * DT, v - (k * v + GRAVITY) * DT
        x, y = x + u * DT, y + v * DT
        path.append((x, y))
    return np.array(path), (u * u + v * v) / 2 + GRAVITY * y, int(not 0 <= x < FIELD or len(path) > STEPS)


def check_flights(shots, found, wind, ground):
    """How far ends are apart (m). A shot that grazes the ground may meet it a step sooner or later, so most have to agree."""
    apart = []
    for i in range(SHOTS):
        path, energy, status = fly(float(shots["angle"][i]), float(shots["speed"][i]), wind, ground)
        if status == found["status"][i] == 0:
            apart.append(abs(path[-1][0] - found["x"][i]))
            if apart[-1] < 0.01 and abs(energy - found["energy"][i]) > 1e-3 * abs(energy):
                raise programs.Failed(f"a shot comes down with {found['energy'][i]} J/kg, in NumPy with {energy}")
    if len(apart) < 0.9 * np.sum(found["status"] == 0) or (apart and (np.quantile(apart, 0.9) > 0.02 or max(apart) > 3)):
        raise programs.Failed(f"shots come down up to {max(apart):.2f} m from where they do in NumPy")
    return apart


def check_learning(shots, found, verdict, target, width, record):
    away = np.where(found["status"] == 0, np.abs(found["x"].astype(float) - target), 1e6)
    score = np.where(found["status"] == 0, found["energy"] * 1e-4 - away, -1e6)
    best = np.argsort(-score, kind="stable")[:8]
    both = np.stack([shots["angle"][best], shots["speed"][best]]).astype(float)
    wide = np.maximum(both.std(axis=1), (0.002, 0.05)) if verdict["distance"] < record else 1.5 * width
    for name, wanted in (("centre", both.mean(axis=1)), ("next", wide), ("distance", away[best[0]])):
        if not np.allclose(verdict[name], wanted, rtol=1e-3, atol=1e-4):
            raise programs.Failed(f"the gunner has {name} {verdict[name]}, in NumPy {wanted}")


# On the device.

class Device:
    def __init__(self, work, options):
        self.work, self.options = work, options
        for name in PARTS:
            self.compile(name)
        self.compile("whole", *(f"--link={HERE / name}.mlir" for name in PARTS))

    def compile(self, name, *options):
        programs.compiled(self.work / f"{name}.gvplan", HERE / f"{name}.mlir", *options)

    def run(self, name, inputs, outputs, *options):
        """(outputs by name, statistics) of a program."""
        return programs.execute(self.work / f"{name}.gvplan", inputs, outputs, *self.options, *options)


def duel_in_parts(device, place):
    """(what whole.mlir should say, the rounds: shots and what came of them)"""
    centre, width, record, shot, rounds = place["centre"], place["width"], np.float32(1e6), np.zeros(2, np.float32), []
    while len(rounds) < ROUNDS:
        shots, _ = device.run("aim", {"centre": centre, "width": width, "seed": place["seed"], "round": np.int32(len(rounds))}, ("angle", "speed"))
        found, _ = device.run("flight", {**shots, "wind": place["wind"], "ground": place["ground"]}, ("x", "energy", "status"))
        verdict, _ = device.run("judge", {**shots, **found, "target": place["target"], "width": width, "record": record},
                                ("centre", "next", "shot", "distance", "hit"))
        check_learning(shots, found, verdict, float(place["target"]), width, record)
        rounds.append((shots, found, verdict))
        if verdict["distance"] < record:
            record, shot = verdict["distance"], verdict["shot"]
        centre, width = verdict["centre"], verdict["next"]
        if verdict["hit"]:
            break
    return {"shot": shot, "distance": record, "rounds": np.int32(len(rounds)), "centre": centre, "width": width}, rounds


def duel(device, place):
    whole, _ = device.run("whole", place, ("shot", "distance", "rounds", "centre", "width"))
    parts, rounds = duel_in_parts(device, place)
    for name, value in parts.items():
        if not np.array_equal(whole[name], value):
            raise programs.Failed(f"{name} of the whole is {whole[name]}, of the parts {value}")
    apart = []
    for shots, found, _ in rounds:
        apart += check_flights(shots, found, float(place["wind"]), place["ground"])
    return whole, rounds, apart


def draw(place, rounds, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(8, 3.4), layout="constrained")
    axes.fill_between(np.arange(FIELD), place["ground"], color="#997700", step="post")
    for i, (shots, _, verdict) in enumerate(rounds):
        shade = str(round(0.8 * (1 - (i + 1) / len(rounds)), 3))
        for k in range(0, SHOTS, 8):
            way = fly(float(shots["angle"][k]), float(shots["speed"][k]), float(place["wind"]), place["ground"])[0]
            axes.plot(way[:, 0], way[:, 1], color=shade, linewidth=0.4)
        way = fly(*map(float, verdict["shot"]), float(place["wind"]), place["ground"])[0]
        axes.plot(way[:, 0], way[:, 1], color=shade, linewidth=1.6, label=f"best of round {i + 1}: {float(verdict['distance']):.2f} m off")
    goal = float(place["target"])
    axes.plot(goal, place["ground"][int(goal)], "v", color="#cc3311", markersize=9)
    axes.set(xlim=(0, FIELD - 1), ylim=(0, None), xlabel="m", ylabel="m", title=f"wind {float(place['wind']):.1f} m/s")
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=100)
    programs.say(f"The picture is {path}.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--duels", type=int)
    parser.add_argument("--ground", type=pathlib.Path)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    given = read_ground(options.ground) if options.ground else None
    device = Device(options.work, ["--validate"] if options.small else [])
    hits, rounds, apart, last = 0, [], [], None
    count = options.duels or (2 if options.small else 12)
    for number in range(count):
        dice = np.random.default_rng(number)
        place = {"ground": hills(dice) if given is None else given, "wind": np.float32(dice.uniform(-8, 8)),
                 "target": np.float32(dice.uniform(80, 240)), "centre": np.array([0.8, 35], np.float32),
                 "width": np.array([0.3, 12], np.float32), "seed": np.array([number, 7], np.int32)}
        whole, played, off = duel(device, place)
        hits += whole["distance"] < 0.25
        rounds.append(int(whole["rounds"]))
        apart += off
        last = place, played
        print(f"duel {number} wind {float(place['wind']):.1f} target {float(place['target']):.1f} rounds {rounds[-1]} off {float(whole['distance']):.2f}")
    if not hits:
        raise programs.Failed("no target is hit")
    stats = device.run("whole", last[0], ("rounds",), "--iterations=5", "--warmup=1")[1]
    for name, value in (("hits", f"{hits} of {count}"), ("rounds", f"{np.median(rounds):.0f} ({min(rounds)} to {max(rounds)})"),
                        ("ends_apart", f"{np.median(apart):.1e} m from NumPy's (90 %: {np.quantile(apart, 0.9):.1e}, most {max(apart):.2f})"),
                        *((key, stats[key]) for key in ("stages", "kernels", "dispatches", "barriers", "submits")),
                        ("device_ms", f"{stats['device_us']['median'] / 1000:.2f}")):
        print(name, value)
    if not options.small:
        draw(*last, options.work / "duel.png")


programs.finish(main)
