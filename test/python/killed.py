"""Kills processes at random moments while they compile with a cache, save a plan, run, and save a state: killed.py FOLDER KILLS.

Python's and gpuvm-compile's, in each phase of theirs. After each kill all files are whole under their names; a file without its name may
be there that is whole, too, and is gone when the next process has written. A process that is not killed works in the same folder, after every tenth kill and at the end, and soon.
"""

import hashlib
import os
import pathlib
import random
import signal
import sys
import time

import gpuvm

TEXT = """
gpuvm.global @total : tensor<65536xf32>
gpuvm.program @add(%amount: tensor<f32>) -> (sum: tensor<f32>) {
  %m = gpuvm.stage @step(%a = %amount : tensor<f32>) -> tensor<f32> {
    %old = gpuvm.load @total : tensor<65536xf32>
    %empty = tensor.empty() : tensor<65536xf32>
    %new = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%old, %a : tensor<65536xf32>, tensor<f32>) outs(%empty : tensor<65536xf32>) {
    ^bb0(%o: f32, %b: f32, %unused: f32):
      %c = arith.constant NUMBER.0 : f32
      %p = arith.mulf %b, %c : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<65536xf32>
    gpuvm.store %new, @total : tensor<65536xf32>
    %z = arith.constant dense<0.0> : tensor<f32>
    %t = linalg.reduce { arith.addf } ins(%new : tensor<65536xf32>) outs(%z : tensor<f32>) dimensions = [0]
    gpuvm.send %t : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}
"""
PHASES = ("compile", "save", "boot", "run", "save the state")
LONGEST_S = 120  # Of a process that is not killed; a lock that is held would keep it for ever.

folder, kills = pathlib.Path(sys.argv[1]), int(sys.argv[2])
source, cache, plan, state = folder / "source.mlir", folder / "cache", folder / "p.gvplan", folder / "state"
other = folder / "q.gvplan"


def use_python(number, tell):
    """All of it once; `tell` says which phase begins."""
    tell()
    program = gpuvm.compile(TEXT.replace("NUMBER", str(number)), cache=cache)
    tell()
    program.save(plan)
    tell()
    vm = program.boot(device="cpu", cache=str(folder / "kernels"))
    tell()
    if vm.run(amount=1)["sum"] != 65536 * number:
        raise SystemExit("The sum is wrong.")
    tell()
    vm.save(state)
    tell()


def use_compiler(number, tell):
    del number
    tell()
    os.execvp("gpuvm-compile", ["gpuvm-compile", str(source), "-o", str(other)])


def start(use, number):
    """A process, and where it tells its phases."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        os.set_inheritable(writing, False)
        status = 1
        try:
            use(number, lambda: os.write(writing, b"."))
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    return process, reading


def complete(use, number):
    """Seconds of each phase of a process that is not killed."""
    signal.alarm(LONGEST_S)
    process, reading = start(use, number)
    times = []
    while os.read(reading, 1):
        times.append(time.monotonic())
    times.append(time.monotonic())
    os.close(reading)
    _, status = os.waitpid(process, 0)
    signal.alarm(0)
    if status:
        raise SystemExit(f"{use.__name__} ended with status {status}.")
    return [after - before for before, after in zip(times, times[1:], strict=False)]


def kill(use, number, phase, delay):
    """Whether a process was killed `delay` after the begin of the phase, and not at its end already."""
    process, reading = start(use, number)
    for _ in range(phase + 1):
        os.read(reading, 1)
    time.sleep(delay)
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    os.close(reading)
    return os.WIFSIGNALED(status)


def check_whole(path):
    """A file of any of these kinds, by its content."""
    data = path.read_bytes()
    if path.parent == cache:
        if hashlib.sha256(data[32:]).digest() != data[:32]:
            raise SystemExit(f"{path} is half-written ({len(data)} bytes).")
    elif ".gvplan" in path.name:
        gpuvm.load(path).describe()
    elif "state" in path.name:
        states.add(len(data))
        if len(states) > 1:
            raise SystemExit(f"{path} has {len(data)} bytes; states have {states}.")


states = set()


def check_files():
    """The files without their names, but for those of the driver, which has a cache of its own."""
    files = [path for path in folder.rglob("*") if path.is_file() and "mesa_shader_cache" not in path.parts]
    for path in files:
        check_whole(path)
    return [path for path in files if path.name.startswith(".") or path.suffix not in ("", ".plan", ".gvplan", ".bin", ".mlir")]


def main():
    random.seed(49)
    source.write_text(TEXT.replace("NUMBER", "1"))
    took = {use: complete(use, 1) for use in (use_python, use_compiler)}
    check_files()
    killed, left = [0] * len(PHASES), 0
    for index in range(kills):
        use = use_compiler if index % 5 == 4 else use_python
        phase = index % min(len(PHASES), len(took[use]))
        delay = random.random() * took[use][phase]
        killed[phase] += kill(use, 2 + index, phase, delay)
        left += len(check_files())
        if index % 10 == 9:
            complete(use_python, 2 + index)
    complete(use_python, 1)
    complete(use_compiler, 1)
    if not_named := check_files():
        raise SystemExit(f"This is left: {not_named}.")
    gpuvm.load(plan).boot(device="cpu").restore(state)
    by_phase = ", ".join(f"{phase} {count}" for phase, count in zip(PHASES, killed, strict=True))
    print(f"{sum(killed)} of {kills} processes were killed ({by_phase}), {left} files were without their names.")
    if sum(killed) < kills / 2:
        raise SystemExit("Too few processes were killed in time.")


main()
