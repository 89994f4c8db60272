"""The programs of examples/python give what NumPy gives."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import ROOT, clean_environment

FOLDER = ROOT / "examples" / "python"
MOST_LINES = 25
Array = npt.NDArray[Any]


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(11)


def test_life(random: np.random.Generator) -> None:
    board = (random.random((40, 56)) < 0.3).astype(np.int8)
    got = example("life").life(board, steps=50)
    for _ in range(50):
        around = sum(np.roll(board, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x)
        board = ((around == 3) | ((board == 1) & (around == 2))).astype(np.int8)
    np.testing.assert_array_equal(got, board)


def test_mandelbrot() -> None:
    x, y = np.linspace(-2.2, 0.8, 90, dtype=np.float32), np.linspace(-1.2, 1.2, 40, dtype=np.float32)
    got = example("mandelbrot").mandelbrot(x, y, most=60)
    expected = np.zeros((40, 90), np.int32)
    zx, zy = np.zeros((40, 90), np.float32), np.zeros((40, 90), np.float32)
    for _ in range(60):
        live = zx * zx + zy * zy <= 4
        expected += live
        zx, zy = np.where(live, zx * zx - zy * zy + x, zx), np.where(live, 2 * zx * zy + y[:, None], zy)
    np.testing.assert_array_equal(got, expected)


def test_kmeans(random: np.random.Generator) -> None:
    middles = random.standard_normal((5, 3)) * 9
    points = (middles[random.integers(0, 5, 700)] + random.standard_normal((700, 3))).astype(np.float32)
    got, groups, times = example("kmeans").kmeans(points, points[:5])
    centres = points[:5]
    count = 0
    while True:
        count += 1
        nearest = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
        better = np.stack([points[nearest == k].mean(0) if (nearest == k).any() else centres[k] for k in range(5)])
        if np.allclose(better, centres, rtol=0, atol=1e-6):
            break
        centres = better
    assert times == pytest.approx(count, abs=1)
    np.testing.assert_allclose(got, centres, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(groups, nearest)


def test_lattice_boltzmann(random: np.random.Generator) -> None:
    module = example("lattice_boltzmann")
    parts = (np.array(module.WEIGHTS, np.float32)[:, None, None] * (1 + 0.1 * random.random((9, 20, 33)))).astype(np.float32)
    walls = random.random((20, 33)) < 0.1
    got = module.flow(parts, walls, steps=30, relaxation=1.2)
    ways, weights = np.array(module.WAYS), np.array(module.WEIGHTS)
    wide = parts.astype(np.float64)
    for _ in range(30):
        moved = np.stack([np.roll(part, tuple(way), (0, 1)) for part, way in zip(wide, ways, strict=True)])
        density = moved.sum(0)
        speed = np.einsum("ka,kyx->ayx", ways, moved) / density
        along = 3 * np.einsum("ka,ayx->kyx", ways, speed)
        balance = weights[:, None, None] * density * (1 + along + along**2 / 2 - 1.5 * (speed**2).sum(0))
        wide = np.where(walls, moved[module.BACK], moved + 1.2 * (balance - moved))
    np.testing.assert_allclose(got, wide, rtol=2e-5)
    np.testing.assert_allclose(got.sum(), parts.sum(), rtol=1e-5)  # Nothing is lost.


def test_mlp(random: np.random.Generator) -> None:
    module = example("mlp")
    x = random.standard_normal((64, 6)).astype(np.float32)
    labels = random.integers(0, 3, 64).astype(np.int32)
    start = module.new_network(6, 10, 3)
    got, loss = module.train(start, x, labels, steps=20, rate=0.3)
    network = {name: value.astype(np.float64) for name, value in start.items()}
    wanted = np.eye(3)[labels]
    for _ in range(20):
        hidden = np.tanh(x @ network["w1"] + network["b1"])
        powers = np.exp(hidden @ network["w2"] + network["b2"])
        chance = powers / powers.sum(1, keepdims=True)
        expected = -np.log((chance * wanted).sum(1)).mean()
        off = (chance - wanted) / 64
        back = off @ network["w2"].T * (1 - hidden**2)
        slopes = {"w1": x.T @ back, "b1": back.sum(0), "w2": hidden.T @ off, "b2": off.sum(0)}
        network = {name: value - 0.3 * slopes[name] for name, value in network.items()}
    assert loss == pytest.approx(expected, rel=1e-5)
    for name, value in network.items():
        np.testing.assert_allclose(got[name], value, rtol=1e-4, atol=1e-6, err_msg=name)
    hidden = np.tanh(x @ network["w1"] + network["b1"])
    np.testing.assert_array_equal(module.classify(got, x), (hidden @ network["w2"] + network["b2"]).argmax(1))


def test_tpch_q6() -> None:
    module = example("tpch_q6")
    columns = module.lines(50_000)
    revenue, count = module.q6(**columns)
    shipped, discount = columns["shipped"], columns["discount"]
    kept = (shipped >= 8766) & (shipped < 9131) & (discount >= 5) & (discount <= 7) & (columns["quantity"] < 24)
    assert revenue == sum(int(a) * int(b) for a, b in zip(columns["price"][kept], discount[kept], strict=True))
    assert count == kept.sum()


def test_pagerank(random: np.random.Generator) -> None:
    pages = 60
    sources, targets = random.integers(0, pages - 3, 300).astype(np.int32), random.integers(0, pages, 300).astype(np.int32)
    got, times = example("pagerank").pagerank(sources, targets, pages=pages)
    matrix = np.zeros((pages, pages))
    np.add.at(matrix, (targets, sources), 1)
    links = matrix.sum(0)
    matrix = np.where(links > 0, matrix / np.maximum(links, 1), 1 / pages)
    exact = np.linalg.solve(np.eye(pages) - 0.85 * matrix, np.full(pages, 0.15 / pages))
    np.testing.assert_allclose(got, exact, atol=2e-6)
    assert 5 < times < 100
    assert got.sum() == pytest.approx(1, rel=1e-5)


def test_a_program_is_short() -> None:
    for path in sorted(FOLDER.glob("*.py")):
        tree = ast.parse(path.read_text())
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list]
        assert functions, path
        for function in functions:
            assert function.end_lineno is not None
            assert function.end_lineno - function.lineno + 1 <= MOST_LINES, (path, function.name)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_it_runs_by_itself(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=clean_environment(), check=True)
    assert done.stdout.count("\n") >= 1
