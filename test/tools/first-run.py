"""The first run of a plan on lavapipe, which compiles kernels when they are first dispatched.

Compilation is told apart from the execution, shown on a terminal, not counted against the
time limit, and found in the driver's cache by the next process.

  first-run.py PLAN WORK_FOLDER [arguments of gpuvm-run...]
"""

import json
import os
import pty
import subprocess
import sys

plan, folder, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
environment = dict(os.environ, MESA_SHADER_CACHE_DIR=os.path.join(folder, "mesa"),
                   XDG_CACHE_HOME=os.path.join(folder, "cache"))
environment.pop("MESA_SHADER_CACHE_DISABLE", None)
command = ["gpuvm-run", plan, *arguments, "--output=", "--stats=json"]


def on_terminal(extra):
    """Statistics, and what the terminal that is standard error shows."""
    master, slave = pty.openpty()
    process = subprocess.Popen(command + extra, stdout=subprocess.PIPE, stderr=slave, env=environment)
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    out = process.communicate()[0]
    assert process.returncode == 0, (process.returncode, shown)
    return json.loads(out), shown.decode()


first, shown = on_terminal(["--timeout=0.2"])
assert first["compile_us"] > 4 * first["wall_us"]["median"], first
kernels = first["kernels"]
assert f"\rcompiling kernels {kernels - 1}/{kernels}" in shown, shown
assert shown.endswith("\r\x1b[K"), shown

second = subprocess.run(command, check=True, capture_output=True, env=environment)
assert second.stderr == b"", second.stderr
stats = json.loads(second.stdout)
assert stats["compile_us"] < first["compile_us"] / 2, (first, stats)
print("compiled before the first execution, once")
