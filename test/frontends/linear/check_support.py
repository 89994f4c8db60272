"""What the checks of reference.py share (reference_check.py)."""

import numpy as np

import reference

F32, NAN, INF = np.float32, float("nan"), float("inf")
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def same(got, want):
    """Equal bit for bit; a NaN is a NaN."""
    got, want = np.asarray(got), np.asarray(want, np.asarray(got).dtype)
    assert got.shape == want.shape, f"{got} instead of {want}"
    equal = (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want)
    assert equal.all(), f"{got} instead of {want}"


def straight(lines, buffers="", options="", phase="", head="", **inputs):
    """Runs a routine of one machine."""
    body = "\n".join([*lines, "HALT"])
    return reference.run(f"{head}\n{buffers}\n.routine main\n{body}\n.phase p {phase}\nrun main 1 {options}\n", inputs)


def registers(lines, **options):
    return straight(lines, **options)["state"][0, 1:5]


def operation(text, *values, head=""):
    """r0 after an instruction with r0, r1 as given."""
    options = " ".join(f"r{k}={value!r}" for k, value in enumerate(values))
    return registers([text], options=options, head=head)[0]
