"""gpuvm.numpy gives what NumPy gives: the same values, shapes and types."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gpuvm
import gpuvm.numpy as gnp
import numpy as np
import pytest

Case = Callable[..., Any]
IS_NUMPY_2 = np.lib.NumpyVersion(np.__version__) >= "2.0.0"
RANDOM = np.random.default_rng(7)

F = RANDOM.standard_normal((3, 4)).astype(np.float32)
G = RANDOM.standard_normal((3, 4)).astype(np.float32)
V = RANDOM.standard_normal(4).astype(np.float32)
P = np.abs(F) + np.float32(0.25)
I = RANDOM.integers(-50, 50, (3, 4)).astype(np.int32)  # noqa: E741
J = np.where(I % 7 == 0, 3, I % 7 - 8).astype(np.int32)
S = RANDOM.integers(-100, 100, (3, 4)).astype(np.int8)
U = RANDOM.integers(0, 200, (3, 4)).astype(np.uint8)
B = F > 0
D = F.astype(np.float64)
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -2.5, 0.5], dtype=np.float32)

CONSTANT = np.array([1, 2, 3, 4], dtype=np.float32)

ARITHMETIC: dict[str, Case] = {
    "add": lambda np, x: x.F + x.G,
    "row": lambda np, x: x.F + x.V,
    "column": lambda np, x: x.F * x.F[:, :1],
    "subtract": lambda np, x: x.I - x.J,
    "weak": lambda np, x: 2 * x.F - 1.5,
    "weak int": lambda np, x: x.I * 2 + 1,
    "int and float": lambda np, x: x.I * 0.5,
    "mixed": lambda np, x: x.I + x.F,
    "bytes": lambda np, x: x.S + x.U,
    "wraps": lambda np, x: x.S * x.S,
    "unsigned": lambda np, x: x.U + x.U,
    "divide": lambda np, x: x.I / x.J,
    "divide floats": lambda np, x: x.F / x.P,
    "floor_divide": lambda np, x: x.I // x.J,
    "floor_divide floats": lambda np, x: x.F // x.P,
    "floor_divide unsigned": lambda np, x: x.U // 7,
    "remainder": lambda np, x: x.I % x.J,
    "remainder by a number": lambda np, x: x.I % 7,
    "remainder by a negative number": lambda np, x: x.I % -7,
    "remainder by a power of two": lambda np, x: x.I % 8,
    "remainder floats": lambda np, x: x.F % x.P,
    "remainder unsigned": lambda np, x: x.U % 7,
    "fmod": lambda np, x: np.fmod(x.I, x.J),
    "square": lambda np, x: x.F**2,
    "cube": lambda np, x: x.I**3,
    "root": lambda np, x: x.P**0.5,
    "power": lambda np, x: x.P**x.G,
    "negative": lambda np, x: -x.F,
    "negative int": lambda np, x: -x.I,
    "absolute": lambda np, x: abs(x.I) + np.absolute(x.S),
    "invert": lambda np, x: ~x.I,
    "invert unsigned": lambda np, x: ~x.U,
    "invert bool": lambda np, x: ~x.B,
    "and": lambda np, x: x.I & 12,
    "or": lambda np, x: x.I | x.J,
    "xor": lambda np, x: x.U ^ 255,
    "shift": lambda np, x: (x.I << 3) >> 1,
    "shift unsigned": lambda np, x: x.U >> 2,
    "bool or": lambda np, x: x.B | (x.F < -1),
    "bool add": lambda np, x: x.B + x.B,
    "bool and int": lambda np, x: x.B & x.I,
    "sign": lambda np, x: np.sign(x.F),
    "sign int": lambda np, x: np.sign(x.I),
    "maximum": lambda np, x: np.maximum(x.F, x.G),
    "minimum": lambda np, x: np.minimum(x.U, 99),
    "fmax": lambda np, x: np.fmax(x.X, 0.25),
    "maximum of nan": lambda np, x: np.maximum(x.X, 0.25),
    "clip": lambda np, x: np.clip(x.F, -0.5, 0.5),
    "where": lambda np, x: np.where(x.B, x.F, 0),
    "where numbers": lambda np, x: np.where(x.B, 1.0, 0.0),
    "where types": lambda np, x: np.where(x.B, x.I, x.F),
    "scalars": lambda np, x: x.F * np.float32(2),
    "constant array": lambda np, x: x.F + CONSTANT,
    "float64": lambda np, x: x.D * x.F,
    "reflected": lambda np, x: 1 - x.F + 1 / x.P,
}
FUNCTIONS: dict[str, Case] = {
    name: (lambda np, x, name=name: getattr(np, name)(x.F))
    for name in "exp exp2 expm1 cbrt sin cos tan arctan sinh cosh tanh arcsinh floor ceil trunc rint square deg2rad".split()
}
FUNCTIONS |= {name: (lambda np, x, name=name: getattr(np, name)(x.P)) for name in "log log2 log10 log1p sqrt reciprocal".split()}
FUNCTIONS |= {
    "arccosh": lambda np, x: np.arccosh(x.P + 1),
    "arcsin": lambda np, x: np.arcsin(x.F / 4),
    "arctanh": lambda np, x: np.arctanh(x.F / 4),
    "arctan2": lambda np, x: np.arctan2(x.F, x.G),
    "hypot": lambda np, x: np.hypot(x.F, x.G),
    "copysign": lambda np, x: np.copysign(x.F, x.G),
    "sqrt of int": lambda np, x: np.sqrt(abs(x.I)),
    "exp of bytes": lambda np, x: np.exp(x.S / 100),
    "isnan": lambda np, x: np.isnan(x.X),
    "isinf": lambda np, x: np.isinf(x.X),
    "isfinite": lambda np, x: np.isfinite(x.X),
    "signbit": lambda np, x: np.signbit(x.X),
    "logical": lambda np, x: np.logical_and(x.F, x.B) | np.logical_not(x.I) | np.logical_xor(x.B, True),
    "comparisons": lambda np, x: (x.F < x.G) & (x.I >= x.J) | (x.U != 3) & (x.F == x.F) & (x.S <= 5) & (x.D > 0),
    "comparison of bytes": lambda np, x: x.U > 100,
    "astype": lambda np, x: x.F.astype(np.int32),
    "astype wide": lambda np, x: x.S.astype(np.int64) + x.U.astype(np.uint16),
    "astype narrow": lambda np, x: x.I.astype(np.uint8),
    "astype float": lambda np, x: x.U.astype(np.float32) + x.S.astype(np.float64),
    "astype bool": lambda np, x: x.F.astype(bool),
    "astype half": lambda np, x: x.F.astype(np.float16) * 2,
    "bool to float": lambda np, x: x.B.astype(np.float32),
    "view": lambda np, x: x.F.view(np.int32),
    "select": lambda np, x: np.select([x.F > 1, x.F > 0], [x.F, -x.F], 5),
    "round": lambda np, x: np.round(x.F * 3),
}
SHAPES: dict[str, Case] = {
    "reshape": lambda np, x: x.F.reshape(4, 3),
    "reshape -1": lambda np, x: x.F.reshape(2, -1),
    "reshape more": lambda np, x: x.F.reshape((3, 2, 2, 1)),
    "ravel": lambda np, x: x.F.ravel(),
    "transpose": lambda np, x: x.F.T,
    "transpose axes": lambda np, x: np.transpose(x.F.reshape(3, 2, 2), (2, 0, 1)),
    "swapaxes": lambda np, x: np.swapaxes(x.F, 0, 1),
    "moveaxis": lambda np, x: np.moveaxis(x.F.reshape(3, 2, 2), 0, 2),
    "expand_dims": lambda np, x: np.expand_dims(x.F, 1),
    "squeeze": lambda np, x: np.squeeze(x.F[:, None, :1]),
    "broadcast_to": lambda np, x: np.broadcast_to(x.V, (2, 4)),
    "broadcast columns": lambda np, x: np.broadcast_to(x.F[:, :1], (3, 5)),
    "concatenate": lambda np, x: np.concatenate([x.F, x.I]),
    "concatenate columns": lambda np, x: np.concatenate((x.F, x.G, x.F[:, :1]), axis=1),
    "stack": lambda np, x: np.stack([x.V, x.V * 2], axis=1),
    "stack rows": lambda np, x: np.stack([x.V, x.V * 2]),
    "vstack": lambda np, x: np.vstack([x.V, x.F]),
    "hstack": lambda np, x: np.hstack([x.V, x.V]),
    "split": lambda np, x: np.split(x.F, 2, axis=1)[1],
    "repeat": lambda np, x: np.repeat(x.F, 2, axis=1),
    "tile": lambda np, x: np.tile(x.V, (2, 2)),
    "flip": lambda np, x: np.flip(x.F, 1),
    "flip all": lambda np, x: np.flip(x.F),
    "roll": lambda np, x: np.roll(x.F, 1),
    "roll rows": lambda np, x: np.roll(x.F, -1, 0),
    "roll both": lambda np, x: np.roll(x.F, (2, 3), (0, 1)),
    "pad": lambda np, x: np.pad(x.F, 1),
    "pad more": lambda np, x: np.pad(x.I, ((1, 0), (2, 1)), constant_values=7),
    "pad edge": lambda np, x: np.pad(x.F, 2, mode="edge"),
    "pad wrap": lambda np, x: np.pad(x.F, ((1, 1), (0, 0)), mode="wrap"),
    "zeros": lambda np, x: np.zeros((2, 3), np.float32) + np.ones(3, np.float32),
    "full": lambda np, x: np.full((2, 2), 7),
    "like": lambda np, x: np.zeros_like(x.F) + np.ones_like(x.I) + np.full_like(x.S, 3),
    "arange": lambda np, x: np.arange(7),
    "arange step": lambda np, x: np.arange(1, 8, 2, dtype=np.int32) * 2,
    "arange float": lambda np, x: np.arange(0, 1, 0.25),
    "linspace": lambda np, x: np.linspace(-1, 1, 9),
    "eye": lambda np, x: np.eye(3, 4, 1),
    "tri": lambda np, x: np.tril(x.F) + np.triu(x.F, 1),
    "meshgrid": lambda np, x: np.meshgrid(x.V, x.V[:3])[0] * np.meshgrid(x.V, x.V[:3])[1],
    "slice": lambda np, x: x.F[1:, ::2],
    "slice backwards": lambda np, x: x.F[::-1, 3:0:-1],
    "index": lambda np, x: x.F[1],
    "index both": lambda np, x: x.F[-1, 2],
    "column": lambda np, x: x.F[:, 1],
    "new axis": lambda np, x: x.V[:, None] * x.V[None, :],
    "ellipsis": lambda np, x: x.F[..., 0],
    "take": lambda np, x: np.take(x.F, x.N, axis=0),
    "take columns": lambda np, x: np.take(x.F, x.N, axis=1),
    "take flat": lambda np, x: np.take(x.F, x.N),
    "rows": lambda np, x: x.F[x.N],
    "columns": lambda np, x: x.F[:, x.N],
    "pairs": lambda np, x: x.F[x.N, x.N],
    "fixed rows": lambda np, x: x.F[[2, 0, -1]],
    "take_along_axis": lambda np, x: np.take_along_axis(x.F, np.argsort(x.F, axis=1), axis=1),
}
SUMS: dict[str, Case] = {
    "sum": lambda np, x: x.F.sum(),
    "sum rows": lambda np, x: np.sum(x.F, axis=1),
    "sum int": lambda np, x: x.I.sum(axis=0),
    "sum bytes": lambda np, x: x.U.sum() + x.S.sum(),
    "sum bool": lambda np, x: (x.F > 0).sum(axis=1, keepdims=True),
    "sum dtype": lambda np, x: x.I.sum(dtype=np.int32),
    "prod": lambda np, x: np.prod(x.P, axis=0),
    "max": lambda np, x: x.F.max(axis=1),
    "min": lambda np, x: np.min(x.I),
    "max bytes": lambda np, x: x.U.max(0),
    "any": lambda np, x: np.any(x.F > 1, axis=0),
    "all": lambda np, x: np.all(x.F < 9),
    "mean": lambda np, x: x.F.mean(axis=0),
    "mean int": lambda np, x: x.I.mean(),
    "var": lambda np, x: np.var(x.F, axis=1),
    "std": lambda np, x: x.F.std(ddof=1),
    "ptp": lambda np, x: np.ptp(x.F, axis=1),
    "average": lambda np, x: np.average(x.F, axis=0, weights=x.P),
    "argmax": lambda np, x: x.F.argmax(axis=1).astype(np.int32),
    "argmin": lambda np, x: np.argmin(x.I, axis=0).astype(np.int32),
    "argmax flat": lambda np, x: np.argmax(x.F).astype(np.int32),
    "argmax of nan": lambda np, x: np.argmax(x.X).astype(np.int32),
    "count_nonzero": lambda np, x: np.asarray(np.count_nonzero(x.B)),
    "cumsum": lambda np, x: np.cumsum(x.I, axis=1),
    "cumsum floats": lambda np, x: np.cumsum(x.F),
    "cumprod": lambda np, x: np.cumprod(x.P, axis=0),
    "diff": lambda np, x: np.diff(x.F, axis=0),
    "norm": lambda np, x: np.linalg.norm(x.F, axis=1),
    "two axes": lambda np, x: x.F.reshape(3, 2, 2).sum(axis=(0, 2)),
    "matmul": lambda np, x: x.F @ x.G.T,
    "matvec": lambda np, x: x.F @ x.V,
    "vecmat": lambda np, x: x.V @ x.F.T,
    "dot": lambda np, x: x.V @ x.V,
    "matmul int": lambda np, x: x.I @ x.J.T,
    "batch": lambda np, x: np.matmul(x.F.reshape(3, 2, 2), x.G.reshape(3, 2, 2)),
    "batch broadcast": lambda np, x: np.matmul(x.F.reshape(3, 2, 2), x.G[:2, :2]),
    "outer": lambda np, x: np.outer(x.V, x.V),
    "inner": lambda np, x: np.inner(x.F, x.G),
    "tensordot": lambda np, x: np.tensordot(x.F, x.G, ([1], [1])),
    "einsum": lambda np, x: np.einsum("ij,kj->ik", x.F, x.G),
    "einsum three": lambda np, x: np.einsum("ij,kj,j->i", x.F, x.G, x.V),
    "einsum sum": lambda np, x: np.einsum("ij->j", x.F),
    "einsum implicit": lambda np, x: np.einsum("ij,jk", x.F, x.G.T),
    "trace": lambda np, x: np.trace(x.F[:, :3]),
    "sort": lambda np, x: np.sort(x.F, axis=1),
    "sort rows": lambda np, x: np.sort(x.U, axis=0),
    "sort nan": lambda np, x: np.sort(x.X),
    "argsort": lambda np, x: np.argsort(x.F, axis=1).astype(np.int32),
    "lexsort": lambda np, x: np.lexsort((x.V, x.V > 0)).astype(np.int32),
    "median": lambda np, x: np.median(x.F, axis=1),
    "searchsorted": lambda np, x: np.searchsorted(np.sort(x.V), x.F, side="right").astype(np.int32),
    "digitize": lambda np, x: np.digitize(x.V, np.sort(x.V)).astype(np.int32),
    "bincount": lambda np, x: np.bincount(x.N, minlength=5),
    "bincount weights": lambda np, x: np.bincount(x.N, weights=x.N * 0.5, minlength=4),
}
MORE: dict[str, Case] = {
    "bits": lambda np, x: (
        np.bitwise_and(x.I, 7)
        | np.bitwise_xor(np.left_shift(x.I, 2), np.bitwise_not(x.J)) ^ np.right_shift(x.I, 1) ^ np.bitwise_or(x.I, x.J)
    ),
    "comparing": lambda np, x: np.equal(x.I, x.J) | np.less(x.F, x.G) & np.greater_equal(x.F, 0) | np.less_equal(x.I, 3),
    "not equal": lambda np, x: np.not_equal(x.F, x.F[0]) & np.greater(x.F, -1) | np.logical_or(x.B, x.B),
    "divmod": lambda np, x: np.divmod(x.I, x.J)[0] + np.divmod(x.I, x.J)[1] * np.mod(x.I, 5),
    "float_power": lambda np, x: np.float_power(x.P, x.G).astype(np.float32),
    "fmin": lambda np, x: np.fmin(x.X, x.X[::-1]),
    "fabs": lambda np, x: np.fabs(x.F) + np.true_divide(x.F, 2) + np.multiply(x.F, np.pi) + np.rad2deg(x.F),
    "arccos": lambda np, x: np.arccos(x.F / 4),
    "isclose": lambda np, x: np.isclose(x.F, x.F + np.float32(1e-9)) & ~np.isclose(x.F, x.G),
    "allclose": lambda np, x: np.stack([np.allclose(x.F, x.F), np.allclose(x.F, x.G), np.array_equal(x.I, x.I)]),
    "amax": lambda np, x: np.amax(x.F, axis=0) - np.amin(x.F, axis=0),
    "broadcast_arrays": lambda np, x: np.broadcast_arrays(x.V, x.F)[0],
    "diagonal": lambda np, x: np.diagonal(x.F[:, :3]),
    "identity": lambda np, x: np.identity(3, np.float32),
    "indices": lambda np, x: np.indices((3, 4))[1].astype(np.int32),
    "vdot": lambda np, x: np.vdot(x.F, x.G),
    "newaxis": lambda np, x: x.V[np.newaxis, :, np.newaxis] * 1,
    "ravel axes": lambda np, x: np.transpose(x.F, (1, 0)).ravel()[3:],
    "half": lambda np, x: (x.F.astype(np.float16) * x.G.astype(np.float16)).sum(axis=0, dtype=np.float32),
    "wide": lambda np, x: (x.I.astype(np.int64) << 33) + x.U.astype(np.uint8),
    "uint64": lambda np, x: x.U.astype(np.uint64) * np.uint64(1 << 40) // 7,
    "sqrt of bytes": lambda np, x: np.sqrt(x.U),
    "sin of shorts": lambda np, x: np.sin(x.S.astype(np.int16)),
    "square of bool": lambda np, x: np.square(x.B) + x.B**2,
    "numbers beyond": lambda np, x: np.stack([x.U < -1, x.U >= -1, x.S != 300, x.S > 300, -200 < x.S, 256 == x.U]),  # noqa: SIM300
    "axes of a number": lambda np, x: x.F[0, 0].sum(axis=0) + np.max(x.F[1, 1], axis=-1),
    "places of a number": lambda np, x: np.roll(x.F[0, 0], 1) + np.flip(x.F[1, 1]),
    "weak bool": lambda np, x: x.I + True,
    "0-d": lambda np, x: x.F[0, 0] + x.I.sum() * 2,
}
NEWER: dict[str, Case] = {  # Names of NumPy 2.
    "bitwise_count": lambda np, x: np.bitwise_count(x.U),
    "concat": lambda np, x: np.concat([x.V, x.V]),
    "inverse": lambda np, x: np.asin(x.F / 4) + np.acos(x.F / 4) + np.atan(x.F) + np.atan2(x.F, x.G),
    "hyperbolic": lambda np, x: np.asinh(x.F) + np.acosh(x.P + 1) + np.atanh(x.F / 4),
    "pow": lambda np, x: np.pow(x.F, 2) + np.permute_dims(x.F, (1, 0)).T,
    "bits": lambda np, x: np.bitwise_left_shift(x.I, 1) ^ np.bitwise_right_shift(x.I, 1) ^ np.bitwise_invert(x.I),
}
N = np.array([2, 0, 1, 2], dtype=np.int32)

INPUTS = {"F": F, "G": G, "V": V, "P": P, "I": I, "J": J, "S": S, "U": U, "B": B, "D": D, "X": SPECIAL, "N": N}


def _evaluate(cases: dict[str, Case], module: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Each case, which takes the module of functions and the inputs."""
    return {f"case{index}": case(module, SimpleNamespace(**values)) for index, case in enumerate(cases.values())}


@pytest.mark.parametrize(
    "cases", [ARITHMETIC, FUNCTIONS, SHAPES, SUMS, MORE], ids=["arithmetic", "functions", "shapes", "sums", "more"]
)
def test_as_numpy(cases: dict[str, Case]) -> None:
    compare(cases)


@pytest.mark.skipif(not IS_NUMPY_2, reason="NumPy 1 does not have these names")
def test_as_numpy_2() -> None:
    compare(NEWER)


def compare(cases: dict[str, Case]) -> None:
    """Values, shapes and types of each case."""

    @gpuvm.program
    def all_of(values):  # type: ignore[no-untyped-def]
        return _evaluate(cases, gnp, values)

    with np.errstate(all="ignore"):
        expected = _evaluate(cases, np, INPUTS)
    got = all_of(INPUTS)
    for name, key in zip(cases, got, strict=True):
        wanted = np.asarray(expected[key])
        assert got[key].shape == wanted.shape, name
        assert got[key].dtype == wanted.dtype or not IS_NUMPY_2, name
        np.testing.assert_allclose(got[key], wanted, rtol=2e-6 if got[key].dtype != np.float16 else 1e-3, atol=1e-6, err_msg=name)


def test_what_numpy_does_not_have() -> None:
    @gpuvm.program
    def extra(x):  # type: ignore[no-untyped-def]
        return gnp.erf(x), gnp.erfc(x), gnp.sigmoid(x), gnp.rsqrt(abs(x))

    erf, erfc, sigmoid, rsqrt = extra(F)
    np.testing.assert_allclose(erf, np.vectorize(math.erf)(F), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(erf + erfc, 1, rtol=1e-6)
    np.testing.assert_allclose(sigmoid, 1 / (1 + np.exp(-F)), rtol=1e-6)
    np.testing.assert_allclose(rsqrt, 1 / np.sqrt(np.abs(F)), rtol=1e-6)


def test_each_name_is_tested() -> None:
    text = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    assert [name for name in gnp.__all__ if not re.search(rf"\b{name}\b", text)] == []
