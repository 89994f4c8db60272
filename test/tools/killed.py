"""Kills gpuvm-run at many moments: an output file is there whole or not at all.

Usage: killed.py PLAN INPUT.npy FOLDER

The plan has an input x and an output y that equals it.
"""

import os
import subprocess
import sys
import time

KILLS = 40

plan, source, folder = sys.argv[1:]
target = os.path.join(folder, "y.npy")
command = ["gpuvm-run", plan, f"--input=x=@{source}", f"--output=y=@{target}"]
start = time.monotonic()
subprocess.run(command, check=True)
duration = time.monotonic() - start
with open(target, "rb") as file:
    whole = file.read()
missing = 0
for kill in range(KILLS):
    os.remove(target)
    process = subprocess.Popen(command)
    time.sleep(1.2 * duration * kill / KILLS)
    process.kill()
    process.wait()
    names = os.listdir(folder)
    if not names:
        missing += 1
        with open(target, "wb"):
            pass
        continue
    if names != ["y.npy"]:
        sys.exit(f"Kill {kill} leaves {names}.")
    with open(target, "rb") as file:
        if file.read() != whole:
            sys.exit(f"Kill {kill} leaves a part of the output.")
print(f"{missing} of {KILLS} runs were killed before the output was there")
if missing == 0:
    sys.exit("No run was killed in time.")
