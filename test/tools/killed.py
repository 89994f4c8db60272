"""Kills gpuvm-run at many moments: an output file is there whole or not at all.

Usage: killed.py PLAN INPUT.npy FOLDER

The plan has an input x and an output y that equals it. Where the file system
has no nameless files (O_TMPFILE), a temporary file may stay behind; a part of
the output under its own name never does.
"""

import os
import subprocess
import sys
import time

KILLS = 40

plan, source, folder = sys.argv[1:]


def nameless_files():
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        return False
    return True


tidy = nameless_files()
target = os.path.join(folder, "y.npy")
command = ["gpuvm-run", plan, f"--input=x=@{source}", f"--output=y=@{target}"]
start = time.monotonic()
subprocess.run(command, check=True)
duration = time.monotonic() - start
with open(target, "rb") as file:
    whole = file.read()
missing = 0
for kill in range(KILLS):
    if os.path.exists(target):
        os.remove(target)
    process = subprocess.Popen(command)
    time.sleep(1.2 * duration * kill / KILLS)
    process.kill()
    process.wait()
    others = [name for name in os.listdir(folder) if name != "y.npy"]
    if others and (tidy or len(others) > 1):
        sys.exit(f"Kill {kill} leaves {others}.")
    for name in others:
        os.remove(os.path.join(folder, name))
    if not os.path.exists(target):
        missing += 1
        continue
    with open(target, "rb") as file:
        if file.read() != whole:
            sys.exit(f"Kill {kill} leaves a part of the output.")
print(f"{missing} of {KILLS} runs were killed before the output was there")
if missing == 0:
    sys.exit("No run was killed in time.")
