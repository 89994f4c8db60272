"""Programs by chance: what gpuvm.numpy makes of them is what NumPy does, with its types and shapes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import gpuvm
import gpuvm.numpy as gnp
import numpy as np
import numpy.typing as npt
import pytest

Array = npt.NDArray[Any]
Step = Callable[[Any, list[Any]], Any]

IS_NUMPY_2 = np.lib.NumpyVersion(np.__version__) >= "2.0.0"
TYPES = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float32, np.float64]
SHAPES: list[tuple[int, ...]] = [(3, 4), (4,), (1, 4), (3, 1), (), (2, 3, 4)]
BINARY = "add subtract multiply maximum minimum bitwise_and bitwise_or bitwise_xor equal less greater_equal divide".split()
UNARY = "negative absolute sqrt sin exp floor invert square sign logical_not isnan".split()
REDUCTIONS = "sum max min mean any prod argmax cumsum".split()
MOVES: list[Callable[[Any, Any], Any]] = [
    lambda np, x: x.T,
    lambda np, x: np.ravel(x),
    lambda np, x: np.flip(x),
    lambda np, x: np.roll(x, 1),
    lambda np, x: x[None],
    lambda np, x: x[..., 1:],
]
MOST_ELEMENTS = 400


def array(chance: random.Random) -> Array:
    dtype, shape = np.dtype(chance.choice(TYPES)), chance.choice(SHAPES)
    numbers = np.random.default_rng(chance.randrange(1 << 30))
    if dtype.kind == "b":
        return np.asarray(numbers.random(shape) < 0.5)
    if dtype.kind == "f":
        return np.asarray(numbers.standard_normal(shape) * 3).astype(dtype)
    return np.asarray(numbers.integers(0 if dtype.kind == "u" else -60, 100, shape)).astype(dtype)


def step(chance: random.Random) -> Step:
    """One operation on values that are there."""
    kind, a, b, c = chance.random(), chance.random(), chance.random(), chance.random()

    def pick(values: list[Any], where: float) -> Any:
        return values[int(where * len(values))]

    if kind < 0.4:
        name = chance.choice(BINARY)
        return lambda np, v: getattr(np, name)(pick(v, a), pick(v, b))
    if kind < 0.5:
        name, number = chance.choice(BINARY[:5]), chance.choice([2, 3, 0.5, True, -1])
        return lambda np, v: getattr(np, name)(pick(v, a), number)
    if kind < 0.65:
        name = chance.choice(UNARY)
        return lambda np, v: getattr(np, name)(pick(v, a))
    if kind < 0.75:
        name, axis = chance.choice(REDUCTIONS), chance.choice([None, -1, 0])
        return lambda np, v: _as_place(name, getattr(np, name)(pick(v, a), axis=axis))
    if kind < 0.85:
        dtype = chance.choice(TYPES)
        return lambda np, v: _cast(pick(v, a), np_dtype=dtype)
    if kind < 0.92:
        return lambda np, v: np.where(pick(v, a), pick(v, b), pick(v, c))
    move = chance.choice(MOVES)
    return lambda np, v: move(np, pick(v, a))


def _as_place(name: str, value: Any) -> Any:
    return value.astype(np.int32) if name == "argmax" else value


def _cast(value: Any, np_dtype: Any) -> Any:
    """What NumPy makes of floats that an integer does not hold is not defined."""
    if value.dtype.kind == "f" and np.dtype(np_dtype).kind in "iu":
        return value
    return value.astype(np_dtype)


def evaluate(steps: list[Step], arrays: list[Array]) -> list[Any]:
    """The value of each step; None where NumPy refuses it, or it is too large."""
    values: list[Any] = list(arrays)
    results: list[Any] = []
    for each in steps:
        try:
            made = np.asarray(each(np, values))
        except (TypeError, ValueError, IndexError, OverflowError):
            made = np.zeros(0)
        results.append(None if made.size == 0 or made.size > MOST_ELEMENTS or made.dtype == np.float16 else made)
        values.append(values[0] if results[-1] is None else made)
    return results


@pytest.mark.skipif(not IS_NUMPY_2, reason="the types of results are those of NumPy 2")
@pytest.mark.parametrize("seed", range(16))
def test_as_numpy(seed: int) -> None:
    chance = random.Random(seed)
    arrays = [array(chance) for _ in range(chance.randint(2, 4))]
    steps = [step(chance) for _ in range(14)]
    with np.errstate(all="ignore"):
        expected = evaluate(steps, arrays)

    @gpuvm.program(cache=False)
    def traced(given):  # type: ignore[no-untyped-def]
        values = list(given)
        for each, wanted in zip(steps, expected, strict=True):
            values.append(values[0] if wanted is None else each(gnp, values))
        return tuple(values[len(arrays) :])

    for index, (got, wanted) in enumerate(zip(traced(tuple(arrays)), expected, strict=True)):
        if wanted is not None:
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), index
            np.testing.assert_allclose(got, wanted, rtol=1e-4 if wanted.dtype.kind == "f" else 0, atol=1e-5)
