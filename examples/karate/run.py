"""A GCN and a GAT on Zachary's karate club: trained by NumPy, used on the GPU.

    run.py --work DIR [--small] [--weights FOLDER] [--iterations N]

Trains both (model.py), or takes the weights NAME.WEIGHT.npy of FOLDER; compiles gcn.mlir and gat.mlir, runs them, and compares what they
say with the same networks in NumPy and float64. --small needs NumPy only, draws nothing, and goes on with derivatives of the training
by differences, with features that are no numbers, and with ties that are none. gpuvm-compile and gpuvm-run are found by name. Exits 1 if
a check fails, 2 if there are no weights.
"""

import argparse
import pathlib
import sys

import numpy as np

import club
import model

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import programs  # noqa: E402
from programs import check  # noqa: E402

TOLERANCE = 1e-5
KINDS = {"gcn": model.Gcn, "gat": model.Gat}


def load(folder):
    """The models with the weights of a folder."""
    models = {}
    for name, kind in KINDS.items():
        models[name] = kind(club.MEMBERS, np.random.default_rng(0))
        for weight, like in models[name].weights.items():
            file = folder / f"{name}.{weight}.npy"
            try:
                array = np.load(file)
            except (OSError, ValueError) as error:
                raise programs.BadData(f"The weights \"{file}\" cannot be read: {error}.") from error
            if array.shape != like.shape or array.dtype != np.float32:
                raise programs.BadData(f"The weights \"{file}\" are {array.dtype} of shape {array.shape}, not float32 of shape {like.shape}.")
            if not np.isfinite(array).all():
                raise programs.BadData(f"The weights \"{file}\" hold what is no finite number.")
            models[name].weights[weight] = array.astype(float)
    return models


def run(name, inputs, outputs, options, iterations=1):
    """(outputs by name, statistics) of a program that is compiled."""
    folder = options.weights or options.work
    weights = {one: folder / f"{name}.{one}.npy" for one in options.models[name].weights}
    got, stats = programs.execute(options.work / f"{name}.gvplan", inputs | weights, outputs, f"--iterations={iterations}")
    check(stats["submits"] == 1, f"an execution of {name} takes {stats['submits']} submits, not 1")
    return got, stats


def compare(name, x, first, second, options, iterations=1):
    """What a network says, which is what it says in NumPy: (outputs, logits in NumPy, statistics)"""
    own = ["sure", "norm"] if name == "gcn" else ["heads", "flatness"]
    got, stats = run(name, {"x": x, "first": first, "second": second}, ["logits", "side", "status", "strays", *own], options, iterations)
    ties, strays = model.adjacency(club.MEMBERS, first, second)
    network = options.models[name]
    logits = network.forward(x.astype(float), ties)
    off = np.abs(got["logits"] - logits).max()
    check(off <= TOLERANCE, f"the logits of {name} are off by {off:.1e}")
    check(np.array_equal(got["side"], logits.argmax(axis=1)), f"sides by {name} are not NumPy's")
    check(int(got["strays"]) == strays, f"{name} left out {got['strays']} ties, of which {strays} are none")
    if name == "gcn":
        sure = model.softmax(logits).max(axis=1)
        check(np.abs(got["sure"] - sure).max() <= TOLERANCE, "probabilities of gcn are not NumPy's")
        right = 2 if sure.min() < 0.6 else 0
    else:
        flatness = network.flatness(ties)
        check(np.abs(got["flatness"] - flatness).max() <= TOLERANCE, "the flatness of heads is not NumPy's")
        check(np.array_equal(got["heads"], np.where(flatness > 0.99, 2, 0)), f"heads have the statuses {got['heads'].tolist()}")
        right = int(got["heads"].max())
    check(int(got["status"]) == right, f"the status of {name} is {got['status']}, not {right}")
    return got, off, stats


def report(name, options):
    """The title of its picture, and the probability of side 1 for each member."""
    got, off, stats = compare(name, np.eye(club.MEMBERS, dtype=np.float32), *club.ties(), options, options.iterations)
    wrong = np.flatnonzero(got["side"] != club.sides())
    right = club.MEMBERS - wrong.size
    print(f"{name}_right {right} of {club.MEMBERS}" + (f", wrong: member {' '.join(map(str, wrong))}" if wrong.size else ""))
    print(f"{name}_off {off:.1e}\n{name}_status {got['status']}")
    if name == "gcn":
        least = got["sure"].argmin()
        print(f"gcn_least_sure member {least} ({100 * got['sure'][least]:.1f} %)")
    else:
        print(f"gat_heads {' '.join(map(str, got['heads']))}\ngat_flatness {' '.join(f'{one:.3f}' for one in got['flatness'])}")
    for key in ("stages", "kernels", "dispatches", "barriers", "submits"):
        print(f"{name}_{key} {stats[key]}")
    time = stats["device_us"]
    print(f"{name}_device_time {time['median']:.0f} us ({time['p10']:.0f} to {time['p90']:.0f}), {stats['device']}")
    return f"{name.upper()}: {right} of {club.MEMBERS}", model.softmax(got["logits"].astype(float))[:, 1]


def check_networkx():
    import networkx

    graph = networkx.karate_club_graph()
    theirs = {tuple(sorted(edge)) for edge in graph.edges()}
    check(theirs == set(zip(*(ends.tolist() for ends in club.ties()))), "the ties are not those of networkx")
    sides = [club.SIDES.index(graph.nodes[node]["club"]) for node in range(club.MEMBERS)]
    check(sides == club.sides().tolist(), "the sides are not those of networkx")
    print("networkx the same club")


def check_training(models):
    """Derivatives by differences, and the same weights again."""
    ties, _ = model.adjacency(club.MEMBERS, *club.ties())
    known = np.array([0, 5, 9, 33])
    for name, kind in KINDS.items():
        draw = np.random.default_rng(3)
        network, x, step = kind(club.MEMBERS, draw), draw.random((club.MEMBERS, club.MEMBERS)), 1e-6
        gradients = model.loss(network, x, ties, club.sides(), known)[1]
        for weight, array in network.weights.items():
            place = tuple(draw.integers(0, size) for size in array.shape)
            values, middle = [], array[place]
            for end in (middle + step, middle - step):
                array[place] = end
                values.append(model.loss(network, x, ties, club.sides(), known)[0])
            array[place] = middle
            off = abs((values[0] - values[1]) / (2 * step) - gradients[weight][place])
            check(off <= 1e-7, f"the derivative of {name} by {weight} is off by {off:.1e}")
        again = model.train(kind)[0].weights
        check(all(np.array_equal(again[one], w) for one, w in models[name].weights.items()), f"{name} has other weights the second time")
    print("training ok")


def run_bad(options):
    """Features that are no numbers or far too large leave a network dormant; ties that are none are left out."""
    unit, (first, second) = np.eye(club.MEMBERS, dtype=np.float32), club.ties()
    nothing = np.full(first.size, -1, np.int32)
    for name in KINDS:
        for what, value in (("nan", np.nan), ("infinite", -np.inf), ("huge", 3e6)):
            x = unit.copy()
            x[12, 3] = value
            got = run(name, {"x": x, "first": first, "second": second}, ["logits", "side", "status"], options)[0]
            check(np.all(got["side"] == -1) and not got["logits"].any() and int(got["status"]) == 1, f"{name} takes {what} features")
        spoiled = [ends.copy() for ends in (first, second)]
        spoiled[0][:4], spoiled[1][10:13] = [34, -1, 2 ** 31 - 1, -2 ** 31], [-5, 10 ** 9, 34]
        print(f"{name}_strays {compare(name, unit, *spoiled, options)[0]['strays']}")
        print(f"{name}_strays_of_none {compare(name, unit, nothing, nothing, options)[0]['strays']}")
    print("bad_data ok")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for weights, plans, results and the picture")
    parser.add_argument("--small", action="store_true", help="training and bad data as well, no picture")
    parser.add_argument("--weights", type=pathlib.Path, help="a folder with weights, instead of training")
    parser.add_argument("--iterations", type=int, default=20)
    return parser.parse_args()


def main():
    options = parse()
    options.work.mkdir(parents=True, exist_ok=True)
    options.models = load(options.weights) if options.weights else model.write(options.work)
    for name in KINDS:
        programs.say(f"Compiling {name}.mlir ...")
        programs.compiled(options.work / f"{name}.gvplan", HERE / f"{name}.mlir")
    answers = [report(name, options) for name in KINDS]
    if options.small:
        if not options.weights:
            check_training(options.models)
        run_bad(options)
    else:
        import picture
        check_networkx()
        picture.draw(options.work / "karate.png", answers)
        print(f"picture {options.work / 'karate.png'}")


programs.finish(main)
