"""Ranks of which the last one fails: ranks_faults.py FOLDER RANKS [CHECK...], all checks unless some are named."""

import os
import re
import signal
import subprocess
import sys

import mpirun
import numpy

FOLDER, RANKS = sys.argv[1], int(sys.argv[2])
LAST = RANKS - 1
PI, DOUBLE = f"{FOLDER}/pi.gvplan", f"{FOLDER}/double.gvplan"
NAMED = rf"Rank {LAST} \(process \d+"


def check(name, output, codes, last, sentence, others=8):
    """Exit codes, and a sentence of each rank that ends because of another."""
    wanted = {rank: others for rank in range(LAST)} | {LAST: last}
    if codes != wanted:
        sys.exit(f"FAILED: {name}: exit codes {codes} instead of {wanted}\n{output}")
    said = re.findall(rf"^gpuvm-run: error: (?:rank \d+: )?{sentence}", output, re.M)
    if len(said) != list(codes.values()).count(others):
        sys.exit(f"FAILED: {name}: {len(said)} of {RANKS} ranks name it:\n{output}")
    codes = f"{others}" if last in (137, others) else f"{last} and {others}"
    print(f"{name}: exit code {codes}, named", flush=True)


def ranks(command, **options):
    return mpirun.Ranks(RANKS, command, FOLDER, **options)


def long_run(iterations, timeout, **options):
    """Of many executions, which has begun; the ranks write files in the end."""
    started = ranks(f"gpuvm-run {PI} --input=seed=2xi32=$R,7 --iterations={iterations} --timeout={timeout} --watch=0.01 "
                    f"--output=inside=@{FOLDER}/left.{{rank}}.npy --save={FOLDER}/left.{{rank}}.state", **options)
    started.wait_for(" executions")
    return started


def killed():
    started = long_run(2000, 600)
    started.kill(LAST, signal.SIGKILL)
    check("killed", *started.end(), 137, rf"{NAMED} of host .*\) has ended")


def killed_under_launcher():
    """mpirun asks the others to end at once."""
    started = long_run(10_000_000, 600, launcher_ends=True)
    started.kill(LAST, signal.SIGKILL)
    code = started.wait_until_ended()
    said = re.findall(rf"^gpuvm-run: error: rank \d+: {NAMED}\) has ended", started.output(), re.M)
    if len(said) != LAST or code == 0:
        sys.exit(f"FAILED: killed under a launcher: exit code {code}:\n{started.output()}")
    print("killed, and ended by the launcher: named")


def stopped():
    started = long_run(300, 3)
    started.kill(LAST, signal.SIGSTOP)
    check("stopped", *started.end(stopped=LAST), 137, rf"{NAMED} of host .*\) is stopped and does not answer within the timeout \(\d+ ms\)")


def stopped_while_loading():
    pipe = f"{FOLDER}/pipe"
    if not os.path.exists(pipe):
        os.mkfifo(pipe)
    # Opening it waits for a writer.
    started = ranks(f"gpuvm-run {PI} --stream=seed=$([ $R = {LAST} ] && echo {pipe} || echo {FOLDER}/seed.bin) --timeout=1")
    check("stopped while loading", *started.end(stopped=LAST), 137, rf"{NAMED} of host .*\) does not answer within the timeout \(\d+ ms\)")


AROUND = """plan.module @around regions [512, 0, 0, 0, 0] instances 0 ranks RANKS {
  plan.program @around {
    plan.output "before" : tensor<i32> at <registers, 0, 4>
    plan.fill <registers, 256, 4> with 7 for []
    plan.repeat 1000000000 times {
      plan.exchange [#plan.transfer<shift_up, <registers, 256, 4> to <registers, 0, 4> offset 1 rotate true>] for []
      plan.await
    }
  }
}
"""


def in_exchanges():
    """In the middle of a loop of exchanges, each with one rank only: all name the one that does not answer."""
    around = f"{FOLDER}/around.gvplan"
    subprocess.run(["gpuvm-compile", "-", "-o", around], input=AROUND.replace("RANKS", str(RANKS)), text=True, check=True)
    stopped = r"\) is stopped and does not answer within the timeout"
    for name, shared, which, timeout, sentence in (("killed in an exchange", 1 << 62, signal.SIGKILL, 600, r"\) has ended"),
                                                   ("killed in an exchange through shared memory", 1, signal.SIGKILL, 600, r"\) has ended"),
                                                   ("stopped in an exchange", 1, signal.SIGSTOP, 4, stopped)):
        started = ranks(f"gpuvm-run {around} --shared-bytes={shared} --timeout={timeout} --watch=0.01 --output=before=@{FOLDER}/left.{{rank}}.npy")
        started.wait_for(" executions")
        started.kill(LAST, which)
        check(name, *started.end(stopped=LAST if which == signal.SIGSTOP else None), 137, rf"{NAMED} of host .*{sentence}")


def never_starts():
    """MPI waits for all ranks, and does not say for which."""
    started = ranks(f"$([ $R = {LAST} ] && echo sleep 1000 || echo gpuvm-run {PI} --input=seed=2xi32=1,2 --timeout=2)")
    check("never started", *started.end(stopped=LAST), 137, r"Not all ranks start within the timeout \(2000 ms\)")


def fails():
    """By itself, with a sentence."""
    numpy.save(f"{FOLDER}/x.npy", numpy.ones((4, 2), dtype=numpy.float32))
    files = f"--output=y=@{FOLDER}/left.{{rank}}.npy"
    for name, command, code, sentence in (
            ("without memory", f"gpuvm-run {DOUBLE} --input=x=@{FOLDER}/x.npy {files} $([ $R = {LAST} ] && echo --vram-budget=1)", 6, f"Rank {LAST} fails: "),
            ("another plan", f"gpuvm-run $([ $R = {LAST} ] && echo {PI} || echo {DOUBLE}) --input=$([ $R = {LAST} ] && echo seed=2xi32=1,2 || echo x=4x2xf32=1)", 8,
             rf'Rank {LAST} has the plan "pi" \([0-9a-f]{{16}}\) and rank 0 has "double"'),
            ("bad input", f"gpuvm-run {DOUBLE} --input=x=@{FOLDER}/$([ $R = {LAST} ] && echo no)x.npy {files}", 3, f"Rank {LAST} fails: The file cannot be opened"),
            ("wrong result", f"gpuvm-run {DOUBLE} --input=x=@{FOLDER}/x.npy {files} --expected_output=y=4x2xf32=$([ $R = {LAST} ] && echo 3 || echo 2)", 1,
             f"Rank {LAST} fails: Its outputs do not match")):
        check(name, *ranks(command).end(), code, sentence)


numpy.array([1, 2], dtype=numpy.int32).tofile(f"{FOLDER}/seed.bin")
CHECKS = [killed, killed_under_launcher, stopped, stopped_while_loading, in_exchanges, never_starts, fails]
for one in CHECKS:
    if one.__name__ in (sys.argv[3:] or [known.__name__ for known in CHECKS]):
        one()
left = [name for name in os.listdir(FOLDER) if "left" in name] + [name for name in os.listdir("/dev/shm") if "gpuvm" in name]
if left:
    sys.exit(f"FAILED: files are left: {left}")
print("no file is left")
