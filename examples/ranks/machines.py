"""Machines and streams on several ranks, each with its part: nothing moves between them.

    machines.py --work FOLDER --ranks 2 [--systems N] [--steps N] [--streams N]

Machines of the linear-algebra VM solve systems of differential equations (../linear/ode.lvm), each rank its part of one file of
starts: the same bits as NumPy. (--systems 10000000 --streams 0 takes 1.6 GB a rank of two.) Streams of the token-stream VM vote
(../token/vote.workflow.toml), each rank with a seed of its own: the same reports as the reference. Exits 1 if one differs.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
LINEAR, TOKEN = HERE.parent / "linear", HERE.parent / "token"
sys.path += [str(HERE.parent), str(LINEAR)]
import reference  # noqa: E402

BLOCK = 1 << 18  # Machines that NumPy runs at a time: their numbers stay in the cache.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def tool(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def in_place(text):
    """ode.lvm with ends where the starts were: a program has at most 2^24 words in buffers, so 8,388,608 systems then."""
    text = re.sub(r"^\.buffer [xy]1 .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(\.buffer [xy] SYSTEMS) in$", r"\1 inout", text, flags=re.MULTILINE)
    return text.replace("x1", "x").replace("y1", "y")


def machines(options):
    """Whether the systems of all ranks end where they should."""
    work, ranks = options.work, options.ranks
    own = options.systems // ranks
    draw = np.random.default_rng(1925)
    x = draw.uniform(2, 4, own * ranks).astype(np.float32)
    y = draw.uniform(1, 2.5, own * ranks).astype(np.float32)
    np.save(work / "x.npy", x)
    np.save(work / "y.npy", y)
    sizes = {"SYSTEMS": own, "STEPS": options.steps}
    source, plan = work / "ode.lvm", work / "ode.gvplan"
    source.write_text(in_place((LINEAR / "ode.lvm").read_text()))
    tool("gpuvm-compile", source, "-o", plan, "--linear-mode=compiled", *(f"--set={name}={value}" for name, value in sizes.items()))
    stats = json.loads(tool(*MPIRUN, "-n", ranks, "gpuvm-run", plan, "--stats=json", "--timeout=3000",
                            *(f"--input={name}=@{work}/{name}.npy[{{rank}}/{{ranks}}]" for name in "xy"),
                            *(f"--output={name}=@{work}/{name}.{{rank}}.npy" for name in "xy")))
    known = {name: float(value) for name, value in re.findall(r"^\.const (\w+) (\S+)", source.read_text(), re.MULTILINE)} | sizes
    found = [np.concatenate([np.load(work / f"{name}.{rank}.npy") for rank in range(ranks)]) for name in "xy"]
    wrong = 0
    for begin in range(0, own * ranks, BLOCK):
        some = slice(begin, begin + BLOCK)
        right = reference.runge_kutta(known, x[some], y[some])
        differ = [a[some].view(np.uint32) != b.view(np.uint32) for a, b in zip(found, right)]
        wrong += np.count_nonzero(differ[0] | differ[1])
    device = stats["device_us"]["slowest"] if ranks > 1 else stats["device_us"]["median"]
    print(f"{own * ranks} machines on {ranks} ranks: {f'{wrong} differ' if wrong else 'the same bits as NumPy'}, {device / 1e3:.1f} ms")
    return not wrong


def streams(options):
    """Whether each rank reports what the reference does with its seeds."""
    work, ranks = options.work, options.ranks
    source, plan = TOKEN / "vote.workflow.toml", work / "vote.gvplan"
    sizes = ["--arg=question=What is six times seven?", f"--streams={options.streams}", "--budget=4096"]
    tool("gpuvm-compile", source, "-o", plan, *sizes)
    # gpuvm-token knows no ranks: the launcher's variable says which one this is.
    tool(*MPIRUN, "-n", ranks, "sh", "-c",
         f"gpuvm-token run {plan} --seed=$OMPI_COMM_WORLD_RANK --model-seed=$OMPI_COMM_WORLD_RANK --report={work}/vote.$OMPI_COMM_WORLD_RANK.json")
    same = 0
    for rank in range(ranks):
        right = work / "reference.json"
        tool("gpuvm-token", "reference", source, *sizes, f"--seed={rank}", f"--model-seed={rank}", f"--report={right}")
        same += subprocess.run(["gpuvm-token", "compare", work / f"vote.{rank}.json", right], stdout=subprocess.DEVNULL).returncode == 0
    print(f"{options.streams} streams on each of {ranks} ranks: {same} of {ranks} as the reference")
    return same == ranks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--systems", type=int, default=3000, help="machines of all ranks")
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--streams", type=int, default=16, help="of each rank")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    good = all([machines(options), not options.streams or streams(options)])
    print("check ok" if good else "check failed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
