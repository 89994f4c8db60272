"""Writes the golden .npy files next to this script with numpy's own writer.

NpyTest.cpp knows each file's type, shape and elements. Kept files: run this only
to add one, and commit what it writes.
"""

import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).parent
VALUES = [-3, -2, -1, 0, 1, 2]


def save(name, array, version=(1, 0)):
    with open(FOLDER / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)


for code in ("i1", "i2", "i4", "i8", "f2", "f4", "f8"):
    save(code, np.array(VALUES, dtype=code).reshape(2, 3))
for code in ("u1", "u2", "u4", "u8"):
    save(code, np.array(VALUES, dtype="i8").astype(code).reshape(2, 3))
# bf16, as ml_dtypes writes it, and as numpy writes it once more without ml_dtypes.
BRAIN = (np.array(VALUES, dtype="f4").view("u4") >> 16).astype("u2").reshape(2, 3)
save("v2", BRAIN.view("V2"))
with open(FOLDER / "bf16.npy", "wb") as file:
    np.lib.format.write_array_header_1_0(file, {"descr": "<V2", "fortran_order": False, "shape": (2, 3)})
    file.write(BRAIN.tobytes())
save("bool", np.array([True, False, True]))
save("scalar", np.array(42, dtype="i8"))
save("vector", np.array([1.5, -0.25], dtype="f4"))
save("empty", np.zeros((0, 4), dtype="i2"))
save("rank5", np.arange(24, dtype="i2").reshape(1, 2, 3, 4, 1))
save("version2", np.array([1.5, -0.25], dtype="f4"), version=(2, 0))
save("version3", np.array([1.5, -0.25], dtype="f4"), version=(3, 0))
