"""Runs three programs of the linear-algebra VM on the device, and checks each of them.

    run.py --work DIR [--small] [--mode MODE] [--iterations N]

mandelbrot.lvm draws the Mandelbrot set, ode.lvm solves 100,000 systems of differential equations, network.lvm takes the noise
out of a photo. What comes out is, bit for bit, what NumPy makes of the same operations on f32; but for

  - --mode=fused, where rounding differs: numbers are within FUSED of it, and FEW of the counts differ;
  - SciPy, which solves the systems in double precision: within SOLVED of it, relative to the largest number;
  - the network as three matrices in double precision: within LAYERS of it.

Results are lines "name value"; the last one is "check ok". Exits 1 if a check fails.
"""

import argparse
import pathlib
import re
import sys

import numpy as np

import reference

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402
from programs import check, say  # noqa: E402

FUSED, FEW = 1e-4, 1e-3
SOLVED = 1e-4
LAYERS = 1e-3  # of 256 greys
NOISE = 25.0
DONE = 0  # How a phase ends: counts[phase, 5].

SIZES = {
    "mandelbrot": {"WIDTH": 768, "PIXELS": 768 * 512, "STEPS": 256, "PITCH": 1 / 256},
    "ode": {},
    "network": {"WIDTH": 512, "PIXELS": 512 * 512, "SKIP": 508, "PARTS": 8 * 512 * 512},
}
SMALL = {
    "mandelbrot": {},
    "ode": {"SYSTEMS": 500, "STEPS": 64, "H": 1 / 8, "HALF": 1 / 16, "SIXTH": 1 / 48},
    "network": {"WIDTH": 64, "PIXELS": 64 * 48, "SKIP": 60, "PARTS": 8 * 64 * 48},
}


def constants(text):
    return {name: float(value) for name, value in re.findall(r"^\.const (\w+) (\S+)", text, re.MULTILINE)}


def execute(name, inputs, output_names, options):
    """(outputs by name, the program's constants) of examples/linear/NAME.lvm; `inputs` takes the constants."""
    source, sizes = HERE / f"{name}.lvm", (SMALL if options.small else SIZES)[name]
    known = constants(source.read_text()) | sizes
    say(f"{name}.lvm ...")
    plan = programs.compiled(options.work / f"{name}.gvplan", source, f"--linear-mode={options.mode}", **sizes)
    found, stats = programs.execute(plan, inputs(known), [*output_names, "status", "counts"], f"--iterations={options.iterations}", "--timeout=3000")
    counts = found["counts"]
    instructions, time = int(counts[:, 1:5].sum()), stats["device_us"]["median"]
    print(f"{name}_machines {found['status'].size}")
    print(f"{name}_instructions {instructions}")
    print(f"{name}_linear {100 * counts[:, 1].sum() / instructions:.0f} %")
    print(f"{name}_device_time {time / 1e3:.2f} ms, {instructions / time / 1e3:.3g}e9 instructions/s, {stats['device']}")
    print(f"{name}_submits {stats['submits']}")
    check((counts[:, 5] == DONE).all(), f"{name} ends with {counts[:, 5].tolist()}")
    check(stats["submits"] == 1, f"{name} takes {stats['submits']} submits, not 1")
    return found, known


def compare(name, found, expected, options):
    if options.mode != "fused":
        same = np.array_equal(found.view(np.uint32), expected.view(np.uint32))
        check(same, f"{name}: {(found != expected).sum()} of {found.size} are not NumPy's")
        print(f"{name} {'the same bits as NumPy' if same else 'differs'}")
        return
    off = np.abs(found.astype(float) - expected) / max(1.0, float(np.abs(expected).max()))
    check((off > FUSED).mean() <= FEW, f"{name}: {(off > FUSED).mean():.1e} of the numbers are off by more than {FUSED}")
    print(f"{name} off by {off.max():.1e}")


def mandelbrot(options):
    found, known = execute("mandelbrot", lambda _: {}, ["image"], options)
    compare("mandelbrot_image", found["image"], reference.mandelbrot(known), options)
    print(f"mandelbrot_inside {100 * (found['image'] == known['STEPS']).mean():.1f} %")
    return found["image"].reshape(-1, int(known["WIDTH"]))


def ode(options):
    draw = np.random.default_rng(1925)

    def starts(known):
        count = int(known["SYSTEMS"])
        return {"x": draw.uniform(2, 4, count).astype(np.float32), "y": draw.uniform(1, 2.5, count).astype(np.float32)}

    begin = {}
    found, known = execute("ode", lambda known: begin.update(starts(known)) or begin, ["x1", "y1"], options)
    expected = reference.runge_kutta(known, begin["x"], begin["y"])
    for name, end in zip(("x1", "y1"), expected):
        compare(f"ode_{name}", found[name], end, options)
    if not options.small:
        say("The same systems in SciPy, in double precision ...")
        exact = reference.solved(known, begin["x"], begin["y"])
        off = max(np.abs(found[name] - end).max() / end.max() for name, end in zip(("x1", "y1"), exact))
        print(f"ode_off_from_scipy {off:.1e}")
        check(off <= SOLVED, f"ode is off by {off:.1e} from SciPy")
    return begin, found


def photo(known):
    """A photo in shades of grey; something drawn for --small."""
    width, height = int(known["WIDTH"]), int(known["PIXELS"] / known["WIDTH"])
    if width == SMALL["network"]["WIDTH"]:
        row, column = np.mgrid[:height, :width]
        return np.where((row - 20) ** 2 + (column - 24) ** 2 < 150, 210.0, 40 + 2 * column)
    from matplotlib import cbook
    from PIL import Image
    with cbook.get_sample_data("grace_hopper.jpg") as file:
        return np.asarray(Image.open(file).convert("L"), float)[:height, :width]


def psnr(picture, clean):
    return 10 * np.log10(255 ** 2 / ((picture.astype(float) - clean) ** 2).mean())


def network(options):
    data = {}

    def inputs(known):
        data["clean"] = photo(known)
        noise = np.random.default_rng(1893).normal(0, NOISE, data["clean"].shape)
        data["noisy"] = (data["clean"] + noise).astype(np.float32)
        return {"noisy": data["noisy"].ravel()}

    found, known = execute("network", inputs, ["picture"], options)
    compare("network_picture", found["picture"], reference.network(known, data["noisy"].ravel()), options)
    off = np.abs(found["picture"] - reference.matrices(known, data["noisy"].ravel())).max()
    print(f"network_off_from_matrices {off:.1e} greys")
    check(off <= LAYERS, f"the network is off by {off:.1e} from its matrices")
    data["picture"] = found["picture"].reshape(data["clean"].shape)
    before, after = (psnr(data[name], data["clean"]) for name in ("noisy", "picture"))
    print(f"network_noise {before:.1f} dB before, {after:.1f} dB after it")
    check(after > before + 3, f"the network gains {after - before:.1f} dB only")
    return data


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for programs, plans and results")
    parser.add_argument("--small", action="store_true", help="few machines, against NumPy only, no picture")
    parser.add_argument("--mode", default="auto", choices=["auto", "faithful", "compiled", "fused"])
    parser.add_argument("--iterations", type=int, default=5)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    image, systems, data = mandelbrot(options), ode(options), network(options)
    if not options.small:
        import picture
        picture.draw(options.work / "linear.png", image, *systems, data)
        print(f"picture {options.work / 'linear.png'}")


programs.finish(main)
