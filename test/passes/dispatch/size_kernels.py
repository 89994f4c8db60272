"""Runs two plans on as many rows as there may be, on none, and on numbers around those of whole workgroups."""

import struct
import subprocess
import sys

run, sized, full, path, *outputs = sys.argv[1:]
N = 100003
KEPT = struct.pack(f"<{N}f", *((i % 97 + 1) / 97 for i in range(N)))


def result(plan):
    """The bytes of all outputs."""
    files = [f"{path}.{name}.npy" for name in outputs]
    command = [run, plan, f"--input=x={N}xf32=@{path}", "--input=limit=f32=0", "--validate",
               *(f"--output={name}=@{file}" for name, file in zip(outputs, files))]
    subprocess.run(command, check=True)
    return [open(file, "rb").read() for file in files]


for count in (0, 1, 255, 256, 257, 1023, 1024, 1025, 4096, 65536, N - 1, N):
    with open(path, "wb") as file:
        file.write(KEPT[:4 * count] + struct.pack("<f", -1) * (N - count))
    if result(sized) != result(full):
        sys.exit(f"{count} rows differ.")
