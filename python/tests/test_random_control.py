"""Programs of stages, loops, conditions and symbols by chance: they do what the same functions do with NumPy."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import gpuvm
import gpuvm.numpy as gnp
import numpy as np
import pytest

Statement = tuple[Any, ...]
VARIABLES, SIZE = 4, 8
ARITHMETIC: list[Callable[[Any, Any, Any], Any]] = [
    lambda np, x, y: x + y * np.float32(0.5),
    lambda np, x, y: x - y,
    lambda np, x, y: x * np.float32(0.5) + 1,
    lambda np, x, y: np.maximum(x, y),
    lambda np, x, y: np.roll(x, 1) + y,
    lambda np, x, y: np.where(x > y, x, y * np.float32(0.25)),
]


class HostSymbol:
    """What gpuvm.Global does, at once."""

    def __init__(self) -> None:
        self.value = np.zeros(SIZE, np.float32)

    def load(self) -> Any:
        return self.value.copy()

    def store(self, value: Any) -> None:
        self.value = value.copy()


class Host:
    """The functions of control, with arrays of NumPy."""

    numpy = np

    @staticmethod
    def stage(function: Callable[..., Any]) -> Callable[..., Any]:
        return function

    @staticmethod
    def until(condition: Any, *state: Any) -> Any:
        return bool(condition), state

    @staticmethod
    def repeat(times: int, body: Callable[..., Any], *state: Any) -> Any:
        for _ in range(times):
            made = body(*state)
            is_over, state = made if isinstance(made[0], bool) else (False, made)
            if is_over:
                break
        return state

    @staticmethod
    def when(condition: Any, function: Callable[..., Any], *arguments: Any, otherwise: Any) -> Any:
        return function(*arguments) if condition else otherwise


class Device:
    """The functions of control, traced."""

    numpy = gnp
    stage = staticmethod(gpuvm.stage)
    until = staticmethod(gpuvm.until)
    repeat = staticmethod(gpuvm.repeat)
    when = staticmethod(gpuvm.when)


def statements(chance: random.Random, depth: int) -> list[Statement]:
    """What a body does with its variables."""
    made: list[Statement] = []
    for _ in range(chance.randint(2, 5)):
        kind, a, b, c = chance.random(), *(chance.randrange(VARIABLES) for _ in range(3))
        if kind < 0.45:
            made.append(("arithmetic", chance.choice(ARITHMETIC), a, b, c))
        elif kind < 0.6:
            made.append(("stage", statements(chance, 9), a, b))
        elif kind < 0.72 and depth < 2 and a != b:
            made.append(("repeat", chance.randint(1, 4), statements(chance, depth + 1), a, b, chance.random() < 0.4))
        elif kind < 0.84 and depth < 3:
            made.append(("when", statements(chance, 9), a, b, c))
        elif kind < 0.92:
            made.append(("load", a))
        else:
            made.append(("store", a))
    return made


def run(language: Any, body: list[Statement], variables: list[Any], symbol: Any) -> list[Any]:
    """Variables after the statements of a body."""
    v = list(variables)
    for kind, *rest in body:
        if kind == "arithmetic":
            function, a, b, c = rest
            v[c] = function(language.numpy, v[a], v[b])
        elif kind == "stage":
            inner, a, b = rest
            v[b] = language.stage(_body(language, inner, v, symbol, a, b))(v[a])
        elif kind == "repeat":
            times, inner, a, b, ends = rest
            v[a], v[b] = language.repeat(times, _loop(language, inner, v, symbol, a, b, ends), v[a], v[b])
        elif kind == "when":
            inner, a, b, c = rest
            stage = language.stage(_body(language, inner, v, symbol, a, b))
            v[b] = language.when(language.numpy.sum(v[c]) > np.float32(3), stage, v[a], otherwise=v[b])
        elif kind == "load":
            v[rest[0]] = symbol.load()
        else:
            symbol.store(v[rest[0]] * np.float32(0.5))
    return v


def _body(language: Any, body: list[Statement], variables: list[Any], symbol: Any, a: int, b: int) -> Callable[[Any], Any]:
    outer = list(variables)

    def inner(value: Any) -> Any:
        return run(language, body, [value if at == a else each for at, each in enumerate(outer)], symbol)[b]

    return inner


def _loop(
    language: Any, body: list[Statement], variables: list[Any], symbol: Any, a: int, b: int, ends: bool
) -> Callable[..., Any]:
    outer = list(variables)

    def step(first: Any, second: Any) -> Any:
        start = [first if at == a else second if at == b else each for at, each in enumerate(outer)]
        made = run(language, body, start, symbol)
        state = made[a] * np.float32(0.5), made[b] * np.float32(0.5)
        return language.until(language.numpy.max(state[0]) > np.float32(2), *state) if ends else state

    return step


@pytest.mark.parametrize("seed", range(12))
def test_as_with_numpy(seed: int) -> None:
    body = statements(random.Random(seed), 0)
    arrays = [np.random.default_rng(seed * 7 + at).standard_normal(SIZE).astype(np.float32) for at in range(VARIABLES)]
    host, device = HostSymbol(), gpuvm.Global("s", np.zeros(SIZE, np.float32))

    @gpuvm.program(cache=False)
    def traced(a, b, c, d):  # type: ignore[no-untyped-def]
        return tuple(run(Device, body, [a, b, c, d], device))

    for _ in range(2):  # With what the first execution has left in the symbol.
        expected = run(Host, body, arrays, host)
        for got, wanted in zip(traced(*arrays), expected, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
