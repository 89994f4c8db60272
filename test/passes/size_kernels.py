"""Runs two plans on as many rows as there may be, on none, and on numbers around those of whole workgroups."""

import struct
import subprocess
import sys

run, sized, full, path = sys.argv[1:]
N = 100003


def result(plan):
    command = [run, plan, f"--input=x={N}xf32=@{path}", "--input=limit=f32=0", "--validate",
               "--output_max_element_count=200000"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


for count in (0, 1, 255, 256, 257, 1023, 1024, 1025, 4096, 4097, 65536, 99999, N - 1, N):
    with open(path, "wb") as file:
        file.write(struct.pack(f"<{N}f", *((i % 97 + 1) / 97 if i < count else -1 for i in range(N))))
    if result(sized) != result(full):
        sys.exit(f"{count} rows differ.")
