"""Ranks on two hosts: ranks_hosts.py FOLDER."""

import os
import re
import signal
import subprocess
import sys

import mpirun
import numpy

FOLDER = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
RANKS = 4


def compiled(ranks):
    plan = f"{FOLDER}/heat.{ranks}.gvplan"
    sizes = [part for size in (f"ranks={ranks}", "n=256", "deep=4", "rounds=25") for part in ("--set", size)]
    subprocess.run(["gpuvm-compile", f"{ROOT}/examples/ranks/heat.mlir", *sizes, "-o", plan], check=True)
    return plan


start = f"{FOLDER}/start.npy"
numpy.save(start, numpy.random.default_rng(1).random((256, 256), dtype=numpy.float32))
subprocess.run(["gpuvm-run", compiled(1), f"--input=start=@{start}", f"--output=end=@{FOLDER}/end.npy", "--quiet"], check=True)
plan, hosts = compiled(RANKS), mpirun.two_hosts(FOLDER, RANKS)
names = mpirun.run(RANKS, ["hostname"], hosts).split()
for apart in (False, True):
    # Those of one host share memory, and MPI is between the hosts.
    start_apart = mpirun.two_hosts(FOLDER, RANKS, processes=apart)
    printed = mpirun.run(RANKS, ["gpuvm-run", plan, f"--input=start=@{start}[{{rank}}/{{ranks}}]", f"--output=end=@{FOLDER}/end.{{rank}}.npy", "--quiet",
                                 "--shared-bytes=1", "--stats"], start_apart)
    if len(re.findall("exchanges +25 by shared memory and MPI", printed)) != RANKS:
        sys.exit(f"FAILED: not by shared memory:\n{printed}")
    blocks = [numpy.load(f"{FOLDER}/end.{rank}.npy") for rank in range(RANKS)]
    if not numpy.array_equal(numpy.concatenate(blocks), numpy.load(f"{FOLDER}/end.npy")):
        sys.exit("FAILED: other numbers than on one rank")
print("ranks on", *sorted(names), "have the bits of one")

running = mpirun.Ranks(RANKS, f"gpuvm-run {plan} --input=start=@{start}[{{rank}}/{{ranks}}] --iterations=100000 --watch=0.01", FOLDER, start=hosts)
running.wait_for(" executions")
running.kill(RANKS - 1, signal.SIGKILL)
output, codes = running.end()
said = re.findall(rf"^gpuvm-run: error: rank \d: Rank {RANKS - 1} \(process \d+ of host node2\) has ended.* - while [^-]*$", output, re.M)
if len(said) != RANKS - 1 or list(codes.values()) != [8] * (RANKS - 1) + [137]:
    sys.exit(f"FAILED: exit codes {codes}:\n{output}")
print("a rank that is killed is named, with its host")
