"""What happens to processes: Ctrl-C, fork, the end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import gpuvm
import numpy as np
import pytest
from conftest import HELLO, clean_environment, loop_text

PATIENCE = 120


def large_text(stages: int = 200) -> str:
    """A program that takes seconds to compile."""
    kind, given, lines = "tensor<4096xi32>", "%x : tensor<4096xi32>", []
    for i in range(stages):
        lines.append(f"""  %m{i} = gpuvm.stage @s{i}(%a = {given}) -> {kind} {{
    %c = arith.constant dense<{i + 1}> : {kind}
    %b = arith.xori %a, %c : {kind}
    %s = gpuvm.sort %b : {kind}
    gpuvm.send %s : {kind}
  }}""")
        given = f"%m{i} : !gpuvm.message<{kind}>"
    body = "\n".join(lines)
    return (
        f"gpuvm.program @large(%x: {kind}) -> (y: {kind}) {{\n{body}\n  gpuvm.return %m{stages - 1} : !gpuvm.message<{kind}>\n}}"
    )


def start(tmp_path: Path, text: str) -> subprocess.Popen[str]:
    """A process that runs `text` and has said `ready`."""
    script = tmp_path / "script.py"
    handler = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"  # A shell's background job has none.
    script.write_text(handler + text)
    process = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment()
    )
    assert process.stdout and process.stdout.readline() == "ready\n", process.communicate()[1]
    return process


LOOP = f"""
import threading, time
import gpuvm
program = gpuvm.compile({loop_text()!r})
program.vm.prepare()
"""


@pytest.mark.parametrize("program", [LOOP, LOOP.replace("arith.ori", "arith.andi")], ids=["agrees", "never ends"])
def test_interrupted(tmp_path: Path, program: str) -> None:
    """Ctrl-C ends an execution within 0.5 s, whether the program looks at `cancel` or not."""
    text = f"""{program}
threading.Timer(1, print, ["ready"], dict(flush=True)).start()
try:
    program(most=2**31 - 1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = start(tmp_path, text)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout and process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - sent < 0.5
    assert process.wait(PATIENCE) == 0


def test_goes_on_after_an_interrupt(tmp_path: Path) -> None:
    text = f"""{LOOP}
threading.Timer(0.5, print, ["ready"], dict(flush=True)).start()
try:
    program(most=2**31 - 1)
except KeyboardInterrupt:
    print(program(most=3)["times"], flush=True)
"""
    process = start(tmp_path, text)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (out, process.returncode) == ("3\n", 0), err


def test_a_compilation_that_is_interrupted(tmp_path: Path) -> None:
    """Ctrl-C ends the work of the compiler, not only the wait for it."""
    text = f"""
import threading, time
import gpuvm
gpuvm.compile("gpuvm.program @p() -> () {{\\n  gpuvm.return\\n}}", cache=False)  # The libraries are loaded.
threading.Timer(0.3, print, ["ready"], dict(flush=True)).start()
try:
    gpuvm.compile({large_text()!r}, cache=False)
    print("compiled", flush=True)
except KeyboardInterrupt:
    start = time.monotonic()
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join()
    print(time.monotonic() - start, flush=True)
"""
    process = start(tmp_path, text)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert float(out) < 2, err


def test_killed(tmp_path: Path) -> None:
    """A process that is killed while it runs takes nothing from the next."""
    process = start(tmp_path, f"{LOOP}\nprint('ready', flush=True)\nprogram(most=2**31 - 1)\n")
    process.kill()
    process.wait(PATIENCE)
    assert gpuvm.compile(HELLO)(x=np.ones(8, np.float32))["sum"] == 8


def test_ends_with_an_execution_in_flight(tmp_path: Path) -> None:
    process = start(tmp_path, f"{LOOP}\nrun = program.vm.start(most=2**31 - 1)\nprint('ready', flush=True)\n")
    assert process.wait(PATIENCE) == 0


def child_of_fork(program: gpuvm.Program) -> None:
    code = 1
    try:
        program(x=np.ones(8, np.float32))
    except gpuvm.DeviceError as error:
        code = 7 if "forked" in str(error) else 2
    os._exit(code)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork(hello: gpuvm.Program) -> None:
    """A child of a process with a VM is told so; the parent goes on."""
    assert hello(x=np.ones(8, np.float32))["sum"] == 8
    child = os.fork()
    if child == 0:
        child_of_fork(hello)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert hello(x=np.ones(8, np.float32))["sum"] == 8


def test_fork_before_the_first_vm(tmp_path: Path) -> None:
    text = f"""
import os, gpuvm, numpy as np
program = gpuvm.compile({str(HELLO)!r})
child = os.fork()
sum = program(x=np.ones(8, np.float32))["sum"]
print("ready" if sum == 8 else sum, flush=True) if child else None
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    assert start(tmp_path, text).wait(PATIENCE) == 0


def work(program: gpuvm.Program, value: float) -> float:
    return float(program(x=np.full(8, value, np.float32))["sum"])


def test_spawned_workers(hello: gpuvm.Program) -> None:
    """Programs are pickled as their plans."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.starmap(work, [(hello, 1.0), (hello, 2.0)]) == [8, 32]


def test_import_loads_no_library() -> None:
    text = (
        "import sys, gpuvm\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert not any(name in maps for name in ('libgpuvm', 'libLLVM', 'libvulkan')), maps\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True, env=clean_environment())


def test_cached_programs_load_no_compiler(tmp_path: Path) -> None:
    text = f"""
import gpuvm, numpy as np
assert gpuvm.compile({str(HELLO)!r}, cache={str(tmp_path)!r})(x=np.ones(8, np.float32))["sum"] == 8
print("compiler" if "libgpuvm-compiler" in open("/proc/self/maps").read() else "none")
"""
    said = [
        subprocess.run([sys.executable, "-c", text], check=True, env=clean_environment(), capture_output=True, text=True).stdout
        for _ in range(2)
    ]
    assert said == ["compiler\n", "none\n"]


def test_a_library_that_is_not_there(tmp_path: Path) -> None:
    text = "import gpuvm\ntry: gpuvm.compile('{')\nexcept gpuvm.Error as e: print(e)"
    environment = {**clean_environment(), "GPUVM_LIBRARY_DIR": str(tmp_path)}
    said = subprocess.run([sys.executable, "-c", text], check=True, env=environment, capture_output=True, text=True).stdout
    assert said.startswith(f"The library {tmp_path}/libgpuvm-compiler.so.1 cannot be loaded (")
