"""Chunks of a stream."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import gpuvm
import numpy as np
import pytest
from conftest import ROOT

TOTALS = ROOT / "examples" / "streaming" / "totals.mlir"
CHUNK = 16384
Outputs = dict[str, Any]


@pytest.fixture(scope="module")
def totals() -> Iterator[gpuvm.Vm]:
    with gpuvm.compile(TOTALS, keep_metadata=True, cache=False).boot() as vm:
        yield vm


def chunks(rows: int) -> Iterator[dict[str, Any]]:
    values = (np.arange(rows, dtype=np.int32) * 7919) % 11
    for begin in range(0, rows, CHUNK):
        yield {"readings": values[begin : begin + CHUNK]}


@pytest.mark.parametrize("rows", [1, 5, CHUNK, CHUNK + 1, 3 * CHUNK + 100])
def test_all_chunks(totals: gpuvm.Vm, rows: int) -> None:
    totals.reload()
    totals.bind(wanted=10**9)
    taken: list[Outputs] = []
    count = totals.stream(chunks(rows), taken.append)
    assert count == len(taken) == -(-rows // CHUNK)
    values = (np.arange(rows, dtype=np.int32) * 7919) % 11
    kept = values[values > 5]
    np.testing.assert_array_equal(np.concatenate([each["kept"] for each in taken]), kept)
    assert sum(each["sums"] for each in taken).tolist() == [[kept.sum(), len(kept)]]
    assert totals.read("rows") == rows and totals.read("total").tolist() == [kept.sum(), len(kept)]


def test_some_outputs(totals: gpuvm.Vm) -> None:
    totals.reload()
    totals.bind(wanted=10**9)
    taken: list[Outputs] = []
    assert totals.stream(chunks(CHUNK), taken.append, outputs=["sums"]) == 1
    assert [list(each) for each in taken] == [["sums"]]
    assert totals.stream(iter(()), taken.append) == 0


def test_the_program_has_enough(totals: gpuvm.Vm) -> None:
    totals.reload()
    totals.bind(wanted=20000)  # 7,448 of a chunk are above 5.
    assert totals.stream(chunks(9 * CHUNK), lambda _: None) == 3


def test_lists_are_chunks(totals: gpuvm.Vm) -> None:
    totals.reload()
    totals.bind(wanted=10**9)
    taken: list[Outputs] = []
    totals.stream([{"readings": [1, 7, 3, 9]}], taken.append)
    assert taken[0]["kept"].tolist() == [7, 9]


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        ({"readings": np.zeros(CHUNK + 1, np.int32)}, "chunk 1 has 16385 rows, and 1 to 16384 are taken"),
        ({"readings": []}, "chunk 1 has 0 rows"),
        ({"readings": 7}, "chunk 1 is a int without rows"),
        ({"readings": np.zeros(4)}, "elements of float64"),
        ({"other": [1]}, "Chunk 1 has the inputs other, and the first one readings"),
    ],
)
def test_bad_chunks(totals: gpuvm.Vm, bad: dict[str, Any], text: str) -> None:
    totals.reload()
    totals.bind(wanted=10**9)
    with pytest.raises(gpuvm.InputError, match=text):
        totals.stream([{"readings": [6]}, bad], lambda _: None)
    taken: list[Outputs] = []
    assert totals.stream([{"readings": [6]}], taken.append) == 1  # The VM goes on.
    assert taken[0]["kept"].tolist() == [6]


def test_what_is_raised_comes_out(totals: gpuvm.Vm) -> None:
    totals.reload()
    totals.bind(wanted=10**9)

    def broken() -> Iterator[dict[str, Any]]:
        yield {"readings": [6]}
        raise ZeroDivisionError("of the iterator")

    def take(_: Outputs) -> None:
        raise LookupError("of the taker")

    with pytest.raises(ZeroDivisionError, match="of the iterator"):
        totals.stream(broken(), lambda _: None)
    with pytest.raises(LookupError, match="of the taker"):
        totals.stream(chunks(5 * CHUNK), take)
    with pytest.raises(gpuvm.InputError, match='no input "x"'):
        totals.stream([{"x": [1]}], take)
    with pytest.raises(gpuvm.InputError, match="has no rows: it cannot be streamed"):
        totals.stream([{"wanted": 1}], take)


def test_a_taker_does_not_execute(totals: gpuvm.Vm) -> None:
    totals.reload()
    totals.bind(wanted=10**9)
    for function in (lambda _: totals.bind(wanted=1), lambda _: totals.run(), lambda _: totals.stream([], print)):
        with pytest.raises(gpuvm.UsageError, match="The VM is streaming"):
            totals.stream(chunks(5), function)
    seen: list[int] = []
    totals.stream(chunks(3 * CHUNK), lambda _: seen.append(int(totals.read("stream.rows"))))
    assert seen[0] == CHUNK


def test_cancelled(totals: gpuvm.Vm) -> None:
    totals.reload()
    totals.bind(wanted=10**9)

    def endless() -> Iterator[dict[str, Any]]:
        while True:
            yield {"readings": [6] * 100}

    threading.Timer(0.2, totals.cancel, [60]).start()
    with pytest.raises(gpuvm.UsageError):
        totals.stream(endless(), lambda _: None)
