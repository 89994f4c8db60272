"""Operations that NumPy does not have (gpuvm.ops), random numbers and transforms, against NumPy."""

from __future__ import annotations

import itertools
from typing import Annotated, Any

import gpuvm
import gpuvm.numpy as gnp
import numpy as np
import pytest
from gpuvm import ops

RANDOM = np.random.default_rng(3)
V = RANDOM.standard_normal(100).astype(np.float32)
K = RANDOM.integers(0, 12, 100).astype(np.int32)


def run(function: Any, *arguments: Any) -> Any:
    return gpuvm.program(function)(*arguments)


def test_compact() -> None:
    def kept(v: Any) -> Any:
        return ops.compact(v, v * 2, where=v > 0)

    values, twice, count = run(kept, V)
    np.testing.assert_array_equal(values[:count], V[V > 0])
    np.testing.assert_array_equal(twice[:count], 2 * V[V > 0])


def test_bounded_rows_between_stages() -> None:
    @gpuvm.stage
    def positive(v: Any) -> Any:
        values, count = ops.compact(v, where=v > 0)
        return ops.bounded(values, count)

    def sums(v: Any) -> Any:
        rows = positive(v)
        return rows * 2 + 1, gnp.sum(rows), ops.count(rows), ops.filled(rows, -1), gnp.where(rows > 1, rows, 0)

    doubled, total, count, filled, large = run(sums, V)
    kept = V[V > 0]
    np.testing.assert_allclose(doubled, kept * 2 + 1, rtol=1e-6)
    np.testing.assert_allclose(total, kept.sum(), rtol=1e-5)
    assert count == len(kept)
    np.testing.assert_array_equal(filled, np.concatenate([kept, np.full(100 - len(kept), -1, np.float32)]))
    np.testing.assert_array_equal(large, np.where(kept > 1, kept, 0))


def test_scan() -> None:
    def scans(v: Any, k: Any) -> Any:
        heads = gnp.concatenate([gnp.ones(1, bool), k[1:] != k[:-1]])
        return (
            ops.scan(gnp.maximum, v),
            ops.scan(gnp.add, k, exclusive=0, reverse=True),
            ops.scan(gnp.add, k, segments=heads),
            ops.scan(lambda a, b, c, d: (gnp.maximum(a, c), b + d), v, k)[1],
        )

    most, rest, inner, both = run(scans, V, np.sort(K))
    ordered = np.sort(K)
    np.testing.assert_array_equal(most, np.maximum.accumulate(V))
    np.testing.assert_array_equal(rest, ordered[::-1].cumsum()[::-1] - ordered)
    np.testing.assert_array_equal(inner, np.concatenate([ordered[ordered == k].cumsum() for k in np.unique(ordered)]))
    np.testing.assert_array_equal(both, ordered.cumsum())


def test_sort_by_several_keys() -> None:
    keys, values, places = run(lambda k, v: ops.sort(-k, v, descending=[False, True], places=True), K, V)
    order = np.lexsort((-V, -K))
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(keys, -K[order])
    np.testing.assert_array_equal(values, V[order])


def test_groups() -> None:
    def groups(k: Any) -> Any:
        numbers, rows, count = ops.distinct(k, size=20)
        return numbers, gnp.take(k, rows), count, gnp.zeros(20, np.int32).at[numbers].add(1)

    numbers, keys, count, sizes = run(groups, K * 7)
    unique, inverse, counts = np.unique(K * 7, return_inverse=True, return_counts=True)
    assert count == len(unique)
    np.testing.assert_array_equal(numbers, inverse)
    np.testing.assert_array_equal(keys[:count], unique)
    np.testing.assert_array_equal(sizes[:count], counts)


def test_join() -> None:
    table = RANDOM.permutation(30).astype(np.int32)

    def join(k: Any, t: Any) -> Any:
        first, counts, order = ops.match(k, t)
        rows, ordinals, total = ops.expand(counts, 100)
        return rows, gnp.take(order, gnp.take(first, rows) + ordinals), total

    rows, partners, total = run(join, K, table)
    assert total == 100
    np.testing.assert_array_equal(table[partners[:total]], K[rows[:total]])


def test_segments() -> None:
    offsets = np.array([0, 10, 10, 57, 100], np.int32)
    totals = run(lambda v, o: ops.segment_reduce(gnp.add, v, offsets=o, initial=0), V, offsets)
    np.testing.assert_allclose(totals, [V[a:b].sum() for a, b in itertools.pairwise(offsets)], rtol=1e-5, atol=1e-6)


def test_scatter() -> None:
    def rules(v: Any, k: Any) -> Any:
        sums, least = ops.scatter(k, ("add", k, gnp.zeros(12, np.int32)), ("min", v, gnp.full(12, np.inf, np.float32)))
        return sums, least, v.at[1:4].set(0), v.at[2].add(5), v.at[gnp.array([5, 5, 200], np.int32)].set([1, 2, 3])

    sums, least, cleared, added, last = run(rules, V, K)
    np.testing.assert_array_equal(sums, np.bincount(K, weights=K, minlength=12))
    np.testing.assert_array_equal(least, [V[k == K].min(initial=np.inf) for k in range(12)])
    expected = V.copy()
    expected[1:4] = 0
    np.testing.assert_array_equal(cleared, expected)
    assert added[2] == V[2] + np.float32(5)
    assert last[5] == 2


def test_histogram2d() -> None:
    counts = run(lambda k, j: ops.histogram2d(k, j, (12, 4)), K, K % 4)
    np.testing.assert_array_equal(counts, np.histogram2d(K, K % 4, bins=[np.arange(13), np.arange(5)])[0])


def test_top_k() -> None:
    values, places = run(lambda v: ops.top_k(v, 5), V)
    order = np.argsort(-V)[:5]
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(values, V[order])


def test_attention() -> None:
    q, k, v = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((4, 3, 8), (2, 6, 8), (2, 6, 5)))
    got = run(lambda q, k, v: ops.attention(q, k, v, causal=True), q, k, v)
    scores = np.einsum("hqd,hkd->hqk", q, k.repeat(2, 0)) / np.sqrt(8)
    scores[:, np.arange(6)[None, :] > 3 + np.arange(3)[:, None]] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = weights / weights.sum(-1, keepdims=True) @ v.repeat(2, 0)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_regulators() -> None:
    def regulate(x: Any, n: Any) -> Any:
        factor, stable = ops.regulate(x, towards=10, between=(5, 20))
        return factor, stable, *ops.running_mean(x, n, x + 1)

    x, n = np.array([2, 6, 40], np.float32), np.array([0, 1, 3], np.int32)
    factor, stable, mean, seen = run(regulate, x, n)
    np.testing.assert_array_equal(factor, [5, 1, 0.25])
    np.testing.assert_array_equal(stable, [0, 1, 0])
    np.testing.assert_allclose(mean, x + 1 / (n + 1), rtol=1e-6)
    np.testing.assert_array_equal(seen, n + 1)


def test_random() -> None:
    def draw(seed: Any) -> Any:
        random = gnp.random
        return (
            random.uniform(seed, (1000, 4)),
            random.normal(seed, 4000, stream=1),
            random.integers(seed, 6, 4000, stream=(2, 0)),
            random.permutation(seed, 500),
            random.bits(seed, 3),
            random.uniform((1, 2), 3),
        )

    seed = np.array([1, 2], np.int32)
    uniform, normal, dice, order, bits, fixed = run(draw, seed)
    np.testing.assert_array_equal(uniform, run(draw, seed)[0])
    np.testing.assert_array_equal(uniform.ravel()[:3], fixed)
    assert uniform.shape == (1000, 4)
    assert abs(uniform.mean() - 0.5) < 0.02
    assert abs(normal.mean()) < 0.06
    assert abs(normal.std() - 1) < 0.05
    assert set(dice.tolist()) == set(range(6))
    np.testing.assert_array_equal(np.sort(order), np.arange(500))
    assert bits.dtype == np.uint32


def test_transforms() -> None:
    signal = RANDOM.standard_normal((3, 20)).astype(np.float32)

    def transform(x: Any) -> Any:
        spectrum = gnp.fft.rfft(x)
        return spectrum, gnp.fft.irfft(spectrum), gnp.fft.ifft(gnp.fft.fft(gnp.stack([x, 2 * x], axis=-1)))

    spectrum, back, both = run(transform, signal)
    expected = np.fft.rfft(signal)
    np.testing.assert_allclose(spectrum[..., 0] + 1j * spectrum[..., 1], expected, atol=1e-4)
    np.testing.assert_allclose(back, signal, atol=1e-5)
    np.testing.assert_allclose(both[..., 1], 2 * signal, atol=1e-5)


def test_packed_columns() -> None:
    days = RANDOM.integers(0, 1 << 14, 64).astype(np.int32)
    bits = np.unpackbits(days[:, None].astype("<i4").view(np.uint8), axis=1, bitorder="little")[:, :14]
    packed = np.packbits(bits.ravel(), bitorder="little")

    @gpuvm.program
    def total(column: Annotated[ops.PackedArray, gpuvm.Packed("bits<14>", 64, np.int32)]):  # type: ignore[no-untyped-def]
        return gnp.sum(ops.decode(column))

    assert total(packed) == days.sum()
    assert "%column: !gpuvm.packed<bits<14>, 64xi32>" in total.mlir
    with pytest.raises(gpuvm.InputError, match='Argument "column" of total'):
        total(np.zeros(3, np.float32))


def test_columns_that_stay_on_the_device() -> None:
    price = gpuvm.Heap("price", shape=64, dtype=np.int64)
    days = gpuvm.Heap("days", packed=gpuvm.Packed("bits<8>", 64, np.int32))

    @gpuvm.program
    def before(day):  # type: ignore[no-untyped-def]
        return gnp.sum(gnp.where(ops.decode(days.load_packed()) < day, price.load(), 0))

    prices, when = RANDOM.integers(0, 1 << 40, 64), RANDOM.integers(0, 256, 64).astype(np.uint8)
    before.compile(np.int32(0)).vm.bind(price=prices, days=when)
    for day in (0, 100, 300):
        assert before(np.int32(day)) == prices[when < day].sum()


def test_inputs_with_a_bound() -> None:
    made = []

    @gpuvm.program
    def total(points: Annotated[gpuvm.Array, gpuvm.Bounded(50)]):  # type: ignore[no-untyped-def]
        made.append(points.shape)
        return gnp.sum(points * 2, axis=0), points + 1, ops.count(points)

    for rows in (7, 50, 0, 1):
        points = RANDOM.standard_normal((rows, 3)).astype(np.float32)
        sums, more, count = total(points)
        np.testing.assert_allclose(sums, 2 * points.sum(0), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(more, points + 1)
        assert count == rows
    assert made == [(50, 3)]
    with pytest.raises(gpuvm.InputError, match="points"):
        total(np.zeros((51, 3), np.float32))


def test_inputs_with_the_same_rows() -> None:
    @gpuvm.program
    def revenue(
        price: Annotated[gpuvm.Array, gpuvm.Bounded(30)],
        amount: Annotated[gpuvm.Array, gpuvm.Bounded(30, rows_of="price")],
    ) -> Any:
        return gnp.sum(price * amount), gnp.mean(price)

    for rows in (4, 30):
        price, amount = V[:rows], V[30 : 30 + rows]
        total, mean = revenue(price, amount)
        np.testing.assert_allclose(total, np.sum(price * amount), rtol=1e-5)
        np.testing.assert_allclose(mean, np.mean(price), rtol=1e-5)
    with pytest.raises(gpuvm.InputError, match="amount"):
        revenue(V[:4], V[:5])
    with pytest.raises(gpuvm.TraceError, match="cannot be combined with one whose rows are counted"):
        run(lambda v: ops.bounded(v, 3) + v, V)
    with pytest.raises(gpuvm.TraceError, match="This is not of an array whose rows are counted"):
        run(lambda v: ops.bounded(v, 3).reshape(50, 2), V)
