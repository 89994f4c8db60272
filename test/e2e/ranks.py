"""Compares several ranks with single runs: ranks.py FOLDER RANKS [CHECK...], all checks unless some are named."""

import json
import os
import re
import subprocess
import sys

import mpirun
import numpy

FOLDER, RANKS = sys.argv[1], int(sys.argv[2])
PI, DOUBLE = f"{FOLDER}/pi.gvplan", f"{FOLDER}/double.gvplan"


def alone(*arguments):
    return subprocess.run(["gpuvm-run", *arguments], check=True, capture_output=True, text=True).stdout


def lines(ranks, outputs):
    """What rank 0 prints for all."""
    return "".join(f"rank {rank}: {line}\n" for rank in range(ranks) for line in outputs[rank].splitlines())


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def refused(code, sentence, command, ranks=RANKS):
    done = subprocess.run([*mpirun.MPIRUN, "-n", str(ranks), *command], capture_output=True, text=True, timeout=mpirun.SECONDS)
    # The code of the rank that ends first, which may be one that was told.
    check(done.returncode in (code, 8), f"{command}: exit code {done.returncode} instead of {code}\n{done.stderr}")
    check(re.search(sentence, done.stderr), f"{command}: no sentence \"{sentence}\":\n{done.stderr}")


def seeds():
    """Each rank has a seed of its own, and several executions."""
    printed = mpirun.run(RANKS, ["gpuvm-run", PI, "--input=seed=2xi32={rank},7", "--iterations=3", "--output=inside", "--output=total"])
    single = [alone(PI, f"--input=seed=2xi32={rank},7", "--iterations=3", "--output=inside", "--output=total") for rank in range(RANKS)]
    check(len(set(single)) == RANKS, "seeds give the same points")
    check(printed == lines(RANKS, single), f"seeds: {printed} instead of {single}")
    print("seeds: equal to single runs")


def parts():
    """Each rank takes its part of one file, and writes a file of its own."""
    x = numpy.random.default_rng(5).standard_normal((4 * RANKS, 2), dtype=numpy.float32)
    numpy.save(f"{FOLDER}/x.npy", x)
    mpirun.run(RANKS, ["gpuvm-run", DOUBLE, f"--input=x=@{FOLDER}/x.npy[{{rank}}/{{ranks}}]", f"--output=y=@{FOLDER}/y.{{rank}}.npy"])
    y = numpy.concatenate([numpy.load(f"{FOLDER}/y.{rank}.npy") for rank in range(RANKS)])
    check(numpy.array_equal(y, x + x), "parts of a file")
    print("parts of a file: equal to NumPy")


def without_mpi():
    """--ranks=off under mpirun, and parts without it."""
    for rank in range(RANKS):
        alone(DOUBLE, f"--input=x=@{FOLDER}/x.npy[{rank}/{RANKS}]", f"--output=y=@{FOLDER}/z.npy")
        check(numpy.array_equal(numpy.load(f"{FOLDER}/z.npy"), numpy.load(f"{FOLDER}/y.{rank}.npy")), "a part alone")
    printed = mpirun.run(RANKS, ["gpuvm-run", PI, "--ranks=off", "--input=seed=2xi32={rank},7"])
    check(printed == alone(PI, "--input=seed=2xi32=0,7") * RANKS, f"--ranks=off: {printed}")
    print("the same without MPI")


def state():
    """What is saved by all is what one long run has."""
    run = ["gpuvm-run", PI, "--input=seed=2xi32={rank},7"]
    show = ["--output=inside", "--output=total"]
    whole = mpirun.run(RANKS, [*run, "--iterations=5", *show])
    mpirun.run(RANKS, [*run, "--iterations=2", f"--save={FOLDER}/a.{{rank}}", "--output="])
    restored = mpirun.run(RANKS, [*run, "--iterations=3", f"--restore={FOLDER}/a.{{rank}}", *show])
    check(restored == whole, f"state: {restored} instead of {whole}")
    print("state: goes on on all ranks")
    mpirun.run(RANKS, [*run, f"--save={FOLDER}/b.{{rank}}", "--output="])
    for rank in range(RANKS):  # The last one is of the other save.
        os.link(f"{FOLDER}/{'a' if rank + 1 < RANKS else 'b'}.{rank}", f"{FOLDER}/mixed.{rank}.{RANKS}")
    refused(8, f"Rank {RANKS - 1} has a state of the save [0-9a-f]{{16}} and rank 0 has [0-9a-f]{{16}}", [*run, f"--restore={FOLDER}/mixed.{{rank}}.{{ranks}}"])
    refused(3, f'The state file ".*/a.0" is of rank 0 of {RANKS} \\(this is rank 1 of {RANKS}\\)', [*run, f"--restore={FOLDER}/a.0"])
    refused(3, f'The state file ".*/a.0" is of rank 0 of {RANKS} \\(this is rank 0 of 1\\)', [*run, f"--restore={FOLDER}/a.0"], ranks=1)
    print("state: files of two saves, of another rank, of another number of ranks are refused")


def resharded():
    """A state of RANKS goes on on more ranks, on fewer, and on one: the sums are in shards, and the same however many there are."""
    rows = 12
    x = numpy.random.default_rng(8).integers(-9, 9, (rows, 3), dtype=numpy.int32)
    numpy.save(f"{FOLDER}/rows.npy", x)
    run, show = {}, "--output=sum=@" + FOLDER + "/sum.{rank}.npy"
    for ranks in {RANKS, 1, 2, 3, 4}:
        plan = f"{FOLDER}/sums{ranks}.gvplan"
        subprocess.run(["gpuvm-compile", f"{os.path.dirname(__file__)}/Inputs/ranks-sums.mlir", "-o", plan, f"--set=ranks={ranks}"], check=True)
        run[ranks] = ["gpuvm-run", plan, f"--input=x=@{FOLDER}/rows.npy[{{rank}}/{{ranks}}]", show, "--output=times"]
    mpirun.run(RANKS, [*run[RANKS], "--iterations=2", f"--save={FOLDER}/shards.{{rank}}"])
    for ranks in (1, 2, 3, 4):
        times = mpirun.run(ranks, [*run[ranks], f"--restore={FOLDER}/shards.{{rank}}", "--iterations=2"])
        check(times.count("times: i32=4\n") == ranks, f"{times} on {ranks}")
        found = numpy.concatenate([numpy.load(f"{FOLDER}/sum.{rank}.npy") for rank in range(ranks)])
        check(numpy.array_equal(found, x * (1 + 3 + 9 + 27)), f"sums of {RANKS} on {ranks} ranks: {found}")
    print("state: goes on on 1 to 4 ranks")
    refused(3, r'The state file ".*/a.1" has another "total" \(i64\) than that of rank 0, which cannot go to another number of ranks',
            ["gpuvm-run", PI, "--input=seed=2xi32={rank},7", f"--restore={FOLDER}/a.{{rank}}"], ranks=RANKS + 1)
    os.rename(f"{FOLDER}/shards.1", f"{FOLDER}/shards.x")
    refused(3, "The file cannot be opened .* while reading \".*/shards.1\"", [*run[1], f"--restore={FOLDER}/shards.{{rank}}"], ranks=1)
    os.link(f"{FOLDER}/shards.0", f"{FOLDER}/shards.1")
    refused(3, f"shards.1\" is of rank 0 of {RANKS} and of the save", [*run[1], f"--restore={FOLDER}/shards.{{rank}}"], ranks=1)
    print("state: what is each rank's own, and files that are missing, are refused")


def statistics():
    run = ["gpuvm-run", PI, "--input=seed=2xi32={rank},7", "--iterations=3", "--output="]
    stats = json.loads(mpirun.run(RANKS, [*run, "--stats=json"]))
    each = stats["by_rank"]
    check(stats["ranks"] == len(each) == RANKS, "by_rank")
    check(stats["wall_us"]["slowest"] == max(one["wall_us"]["median"] for one in each), "slowest")
    check(each[stats["wall_us"]["rank"]]["wall_us"]["median"] == stats["wall_us"]["slowest"], "slowest rank")
    check(stats["upload_bytes"] == 8 * RANKS, "upload_bytes")
    text = mpirun.run(RANKS, [*run, "--stats"])
    check(re.search(rf"^rank {RANKS - 1}: device_us ", text, re.M) and re.search(r"^all ranks: wall_us .* \(rank \d+\)$", text, re.M), text)
    profile = json.loads(mpirun.run(RANKS, [*run, "--profile=json"]))
    check([one["executions"] for one in profile["ranks"]] == [3] * RANKS, "profile")
    print("statistics: of all ranks")


AROUND = """plan.module @around regions [256, 0, 0, 512, 0] instances 0 ranks RANKS {
  plan.program @around {
    plan.symbol "%rank" : tensor<i32> at <control, 0, 4>
    plan.symbol "%ranks" : tensor<i32> at <control, 256, 4>
    plan.output "before" : tensor<i32> at <registers, 0, 4>
    plan.exchange [#plan.transfer<shift_up, <control, 0, 4> to <registers, 0, 4> offset 1 rotate true>] for []
    plan.await
  }
}
"""


def exchange():
    """A program knows its rank, and gets that of the one before it."""
    for ranks in (RANKS, RANKS + 1):
        subprocess.run(["gpuvm-compile", "-", "-o", f"{FOLDER}/around{ranks}.gvplan"], input=AROUND.replace("RANKS", str(ranks)), text=True, check=True)
    around = f"{FOLDER}/around{RANKS}.gvplan"
    printed = mpirun.run(RANKS, ["gpuvm-run", around, "--output=before", "--output=%rank", "--output=%ranks"])
    wanted = lines(RANKS, [f"before: i32={(rank - 1) % RANKS}\n%rank: i32={rank}\n%ranks: i32={RANKS}" for rank in range(RANKS)])
    check(printed == wanted, f"{printed} instead of {wanted}")
    print("an exchange: each has the values of the rank before it")


def bad_input():
    refused(2, rf"{RANKS} ranks would write the file \"y.npy\" of --output", ["gpuvm-run", DOUBLE, f"--input=x=@{FOLDER}/x.npy[{{rank}}/{{ranks}}]", "--output=y=@y.npy"])
    refused(2, rf"{RANKS} ranks would write the file \"s\" of --save", ["gpuvm-run", PI, "--input=seed=2xi32=1,2", "--save=s"])
    refused(3, rf"The leading dimension of {4 * RANKS}x2xf32 does not divide by the number of parts \({4 * RANKS - 1}\)",
            ["gpuvm-run", DOUBLE, f"--input=x=@{FOLDER}/x.npy[{{rank}}/{4 * RANKS - 1}]"])
    refused(3, rf'The plan "around" is compiled for {RANKS + 1} ranks and {RANKS} run it', ["gpuvm-run", f"{FOLDER}/around{RANKS + 1}.gvplan"])
    refused(3, rf'The plan "around" is compiled for {RANKS} ranks and 1 runs it', ["gpuvm-run", f"{FOLDER}/around{RANKS}.gvplan"], ranks=1)
    os.makedirs(f"{FOLDER}/none", exist_ok=True)
    open(f"{FOLDER}/none/libmpi.so.40", "w").close()
    done = subprocess.run(["gpuvm-run", PI, "--ranks=mpi"], env={**os.environ, "LD_LIBRARY_PATH": f"{FOLDER}/none"}, capture_output=True, text=True)
    check(done.returncode == 2 and "Several ranks need Open MPI, and libmpi.so.40 cannot be opened" in done.stderr, done.stderr)
    print("bad input: one sentence each")


CHECKS = [seeds, parts, without_mpi, state, resharded, statistics, exchange, bad_input]
for one in CHECKS:
    if one.__name__ in (sys.argv[3:] or [known.__name__ for known in CHECKS]):
        one()
