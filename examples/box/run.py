"""Drops a ball of threads on a bed of spheres, on the device, and keeps the books of momentum and energy.

    run.py --work DIR [--small] [--scene FILE] [--write-scene FILE]

100,000 spheres, or 500 with --small, or those of a FILE in the small box. It checks that

  - 500 spheres, f32 on the device, do what NumPy does with the same sub-steps in double precision: places within
    PLACE of a diameter, and every entry of the books within ENTRY of the largest energy or momentum;
  - momentum is what it was, what gravity gave and what walls gave, within MOMENTUM of the sum of all that moved;
  - energy is what it was, less heat, plus the work of bonds, within ENERGY of it;
  - frames end on time, all spheres are somewhere, and no sub-step is longer than the regulator allows.

Results are lines "name value"; the last one is "check ok". Exits 1 if a check fails, 2 for data or arguments that are no good.
"""

import argparse
import pathlib
import sys

import numpy as np

import reference
import scene

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402
from programs import check, say  # noqa: E402

GRAVITY = np.array([0.0, 0.0, -10.0])
PLACE, ENTRY, MOMENTUM = 1e-2, 1e-3, 1e-6
ENERGY, FEW_ENERGY = 0.02, 0.1  # the latter where a few impacts are all there is
FRAMES = 6
LARGE = {"n": 100000, "size": (50.0, 50.0, 75.0), "layers": 34, "speed": 18.0}
SMALL = {"n": 500, "size": (10.0, 10.0, 15.0), "layers": 4, "speed": 18.0}
LARGE_FRAME, SMALL_FRAME = 768, 128  # ticks of 1/4096
OUTPUTS = ["film", "speeds", "diary", "written", "state", "grids"]


def execute(work, one, frame, grids=80):
    """(outputs by name, what gpuvm-run says of the run)"""
    work.mkdir(parents=True, exist_ok=True)
    plan = programs.compiled(work / "box.gvplan", HERE / "box.mlir", "--park=always", n=one.n, cells=int(np.prod(one.cells)),
                             grids=grids, frames=FRAMES)
    inputs = {"start": one.places, "speed": one.speeds, "partners": one.partners, "size": one.size, "counts": one.cells,
              "gravity": GRAVITY.astype(np.float32), "frame": np.int32(frame)}
    found, stats = programs.execute(plan, inputs, OUTPUTS, "--timeout=3000")
    return {**found, "diary": found["diary"][:int(found["written"])]}, stats


def books(found, one):
    """Checks momentum and, at any time, energy."""
    diary, speeds = found["diary"], one.speeds.astype(np.float64)
    time = np.cumsum(diary[:, reference.TICKS]) * reference.TICK
    expected = speeds.sum(axis=1) + diary[:, reference.IMPULSE] + one.n * GRAVITY * time[:, None]
    moved = np.abs(speeds).sum() + np.abs(found["speeds"].astype(np.float64)).sum()
    momentum = float(np.abs(diary[:, reference.MOMENTUM] - expected).max() / moved)
    begin = (speeds ** 2).sum() / 2 - (GRAVITY[:, None] * one.places).sum()
    # Work is done after the middle in which energy is taken.
    work = np.concatenate([[0.0], diary[:-1, reference.WORK]])
    energy = diary[:, [reference.KINETIC, reference.HEIGHT, reference.ELASTIC, reference.HEAT]].sum(axis=1) - work
    floor = -(GRAVITY[2] * 0.5 * one.n)
    drift = float(np.abs(energy - begin).max() / (begin - floor))
    print(f"momentum_off {momentum:.1e}")
    print(f"energy_off {drift:.1e}")
    for name, column in (("kinetic", reference.KINETIC), ("elastic", reference.ELASTIC), ("heat", reference.HEAT), ("bond_work", reference.WORK)):
        print(f"{name} {diary[-1, column]:.1f}")
    check(momentum <= MOMENTUM, f"momentum is off by {momentum:.1e} (bound {MOMENTUM})")
    bound = ENERGY if one.n >= SMALL["n"] else FEW_ENERGY
    check(drift <= bound, f"energy is off by {drift:.1e} (bound {bound})")


def against_numpy(found, one):
    say(f"The same {len(found['diary'])} sub-steps in NumPy, in double precision ...")
    ticks = found["diary"][:, reference.TICKS].astype(int)
    q, v, diary = reference.run(one, GRAVITY, ticks)
    off = float(np.abs(found["film"][-1] - q).max())
    print(f"numpy_places_off {off:.1e}")
    largest = np.abs(diary).max(axis=0)
    scale = np.maximum(largest, 1e-30)
    for group in (slice(reference.KINETIC, reference.WORK + 1), reference.MOMENTUM, reference.IMPULSE):
        scale[group] = largest[group].max()
    entries = np.abs(found["diary"] - diary)[:, :14] / scale[:14]
    print(f"numpy_books_off {entries.max():.1e}")
    check(off <= PLACE, f"places are off by {off:.1e} (bound {PLACE})")
    check(entries.max() <= ENTRY, f"the books are off by {entries.max():.1e} (bound {ENTRY})")


def run(options):
    if options.scene:
        one = scene.read(options.scene, SMALL["size"])
    else:
        one = scene.make(**(SMALL if options.small else LARGE))
    if options.write_scene:
        scene.write(options.write_scene, one)
        sys.exit()
    problem = one.problem()
    if problem:
        raise scene.BadData(problem)
    small = options.small or options.scene is not None
    frame = SMALL_FRAME if small else LARGE_FRAME
    say(f"{one.n} spheres, {FRAMES} frames of {frame} ticks ...")
    found, stats = execute(options.work, one, frame, 20 if small else 80)
    diary = found["diary"]
    lengths = diary[:, reference.TICKS]
    print(f"spheres {one.n}")
    print(f"bonds {int((one.partners >= 0).sum()) // 2}")
    print(f"sub_steps {len(diary)}")
    print(f"grids {found['grids']}")
    print(f"ticks {' '.join(f'{n:.0f}x{c}' for n, c in zip(*np.unique(lengths, return_counts=True)))}")
    print(f"deepest_overlap {diary[:, reference.DEEPEST].max():.3f}")
    print(f"fastest {diary[:, reference.FASTEST].max():.2f}")
    print(f"condition {found['state']}")
    for name in ("stages", "kernels", "dispatches", "barriers", "submits", "device"):
        print(f"{name} {stats[name]}")
    print(f"device_time {stats['device_us']['median'] / 1e6:.1f} s")
    check(found["state"] != 1, "a sphere is nowhere")
    check(lengths.sum() == FRAMES * frame, f"sub-steps add up to {lengths.sum():.0f} ticks, not {FRAMES * frame}")
    books(found, one)
    if small:
        against_numpy(found, one)
    else:
        import picture
        picture.draw(options.work / "box.png", found, one, frame * reference.TICK)
        say(f"See {options.work / 'box.png'}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for programs, plans and results")
    parser.add_argument("--small", action="store_true", help="500 spheres, against NumPy")
    parser.add_argument("--scene", type=pathlib.Path, help="a scene for the small box")
    parser.add_argument("--write-scene", type=pathlib.Path, metavar="FILE", help="write the scene, and end")
    run(parser.parse_args())


programs.finish(main, scene.BadData)
