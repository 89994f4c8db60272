"""Stages, conditions, loops, symbols, and what a program is made for."""

from __future__ import annotations

import inspect
import linecache
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gpuvm
import gpuvm.numpy as gnp
import numpy as np
import numpy.typing as npt
import pytest

F32 = npt.NDArray[np.float32]
X = np.arange(8, dtype=np.float32)


# --- The text -----------------------------------------------------------------------


@gpuvm.stage
def scale(values: Any, factor: Any) -> Any:
    scaled = values * factor
    return scaled  # noqa: RET504 - it has a name in the text


@gpuvm.program
def scaled_sum(values, factor=2.0):  # type: ignore[no-untyped-def]
    total = gnp.sum(scale(values, factor))
    return total  # noqa: RET504


def test_text_has_the_names_and_lines_of_python() -> None:
    traced = scaled_sum.trace(X)
    assert "gpuvm.program @scaled_sum(%values: tensor<8xf32>) -> (total: tensor<f32>)" in traced.mlir
    assert "%scaled = arith.mulf %values, %c2 : tensor<8xf32>" in traced.mlir
    assert "// scaled = values * factor" in traced.mlir
    line = next(number for number in range(1, 99) if "scaled = values" in linecache.getline(__file__, number))
    assert re.search(rf'%scaled = arith.mulf %values, %c2 : tensor<8xf32> loc\(".*test_language.py":{line}:14\)', traced.located)
    assert "loc(" not in traced.mlir


def test_both_texts_are_the_program() -> None:
    traced = scaled_sum.trace(X)
    for text in (traced.mlir, traced.located):
        assert gpuvm.compile(text)(values=X) == {"total": 56}
    assert scaled_sum(X) == 56
    assert scaled_sum.mlir == traced.mlir


def test_stages_of_a_plan_are_at_the_lines_of_python() -> None:
    stages = scaled_sum.compile(X).vm.stages
    assert [stage.name for stage in stages] == ["scale", "scaled_sum"]
    assert all(re.fullmatch(r".*test_language.py:\d+:\d+", stage.location) for stage in stages)


def test_arithmetic_between_stages_is_one_stage() -> None:
    @gpuvm.program
    def between(x):  # type: ignore[no-untyped-def]
        y = x + 1
        z = y * y
        return scale(z, 2) - y

    assert re.findall(r"gpuvm.stage @(\w+)", between.trace(X).mlir) == ["between", "scale", "between_2"]
    np.testing.assert_array_equal(between(X), 2 * (X + 1) ** 2 - (X + 1))


# --- Results ------------------------------------------------------------------------


def test_results_are_what_the_function_returns() -> None:
    @gpuvm.program
    def tree(x):  # type: ignore[no-untyped-def]
        return {"twice": x * 2, "rest": (x, None, [x.sum()])}

    made = tree(X)
    np.testing.assert_array_equal(made["twice"], 2 * X)
    np.testing.assert_array_equal(made["rest"][0], X)
    assert made["rest"][1] is None
    assert made["rest"][2][0] == 28
    assert made["twice"].dtype == np.float32


def test_arguments_are_trees() -> None:
    @gpuvm.program
    def layers(params, x):  # type: ignore[no-untyped-def]
        return x @ params["w"] + params["b"]

    w = np.arange(16, dtype=np.float32).reshape(8, 2)
    np.testing.assert_array_equal(layers({"w": w, "b": np.ones(2, np.float32)}, X), X @ w + 1)
    assert "%params_w: tensor<8x2xf32>" in layers.mlir


def test_an_output_can_be_an_input_twice() -> None:
    @gpuvm.program
    def same(x):  # type: ignore[no-untyped-def]
        return x, x, x + 1, 7

    a, b, c, d = same(X)
    assert a is not b
    np.testing.assert_array_equal(a, X)
    np.testing.assert_array_equal(b, X)
    np.testing.assert_array_equal(c, X + 1)
    assert d == 7


def test_unsigned_and_bool() -> None:
    @gpuvm.program
    def both(x, mask):  # type: ignore[no-untyped-def]
        return x + 200, ~mask, x > 100

    x = np.array([1, 100, 255], np.uint8)
    a, b, c = both(x, x > 50)
    np.testing.assert_array_equal(a, x + np.uint8(200))
    assert (a.dtype, b.dtype) == (np.uint8, np.bool_)
    np.testing.assert_array_equal(b, x <= 50)
    np.testing.assert_array_equal(c, x > 100)


# --- Control --------------------------------------------------------------------------


def test_repeat_until() -> None:
    @gpuvm.program
    def newton(x):  # type: ignore[no-untyped-def]
        def step(root, count):  # type: ignore[no-untyped-def]
            better = (root + x / root) * 0.5
            return gpuvm.until(gnp.all(abs(better - root) < 1e-6 * better), better, count + 1)

        return gpuvm.repeat(40, step, x, np.int32(0))

    roots, count = newton(X + 1)
    np.testing.assert_allclose(roots, np.sqrt(X + 1), rtol=1e-6)
    assert 3 < count < 40
    assert "gpuvm.repeat @repeat_step up_to 40" in newton.mlir


def test_repeat_with_its_number_and_swapped_state() -> None:
    @gpuvm.program
    def swap(x, y):  # type: ignore[no-untyped-def]
        return gpuvm.repeat(3, lambda i, a, b: (b, a + i), x, y, iteration=True)

    a, b = X.astype(np.int32), X.astype(np.int32) * 10
    expected = a, b
    for i in range(3):
        expected = expected[1], expected[0] + i
    for got, wanted in zip(swap(a, b), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("loud", [True, False])
def test_when(loud: bool) -> None:
    @gpuvm.program
    def limit(x, is_loud):  # type: ignore[no-untyped-def]
        return gpuvm.when(is_loud, scale, x, 0.5, otherwise=x)

    np.testing.assert_array_equal(limit(X, np.bool_(loud)), X / 2 if loud else X)
    assert "gpuvm.stage @scale when(%is_loud : tensor<i1>)" in limit.mlir
    assert "else %x" in limit.mlir


def test_instances() -> None:
    agents = gpuvm.Global("agents", np.arange(12, dtype=np.float32).reshape(4, 3))

    @gpuvm.stage(instances=4)
    def walk(by: Any, field: Any) -> Any:
        place = agents.load(own=True) + by
        agents.store(place, own=True)
        return gpuvm.send(place @ field, status=gnp.where(by > 2, 1, 0))

    @gpuvm.program
    def move(by, field):  # type: ignore[no-untyped-def]
        moved = walk(by, gpuvm.shared(field))
        return moved, gpuvm.status(moved), gpuvm.status(moved, each=True)

    by, field = np.arange(4, dtype=np.float32), np.ones(3, np.float32)
    start = np.arange(12, dtype=np.float32).reshape(4, 3)
    for step in (1, 2):
        moved, status, each = move(by, field)
        np.testing.assert_array_equal(moved, (start + step * by[:, None]).sum(1))
        assert status == 1
        np.testing.assert_array_equal(each, by > 2)
    np.testing.assert_array_equal(move.compile(by, field).vm.read("agents"), start + 2 * by[:, None])


def test_metadata() -> None:
    @gpuvm.program
    def normalized(x):  # type: ignore[no-untyped-def]
        y = x + 1
        return y / gpuvm.norm(y), gpuvm.max_abs(y)

    y, most = normalized(X)
    np.testing.assert_allclose(y, (X + 1) / np.linalg.norm(X + 1), rtol=1e-6)
    assert most == 8


def test_map() -> None:
    @gpuvm.program
    def escape(x, y, most=50):  # type: ignore[no-untyped-def]
        def count(cx, cy):  # type: ignore[no-untyped-def]
            def inside(zx, zy, n):  # type: ignore[no-untyped-def]
                return (zx * zx + zy * zy <= 4) & (n < most)

            def step(zx, zy, n):  # type: ignore[no-untyped-def]
                return zx * zx - zy * zy + cx, 2 * zx * zy + cy, n + 1

            return gpuvm.while_loop(inside, step, cx * 0, cy * 0, np.int32(0))[2]

        return gpuvm.map(count, x[None, :], y[:, None])

    x, y = np.linspace(-2, 1, 12, dtype=np.float32), np.linspace(-1, 1, 7, dtype=np.float32)
    expected = np.zeros((7, 12), np.int32)
    with np.errstate(all="ignore"):
        zx, zy = np.zeros((7, 12), np.float32), np.zeros((7, 12), np.float32)
        for _ in range(50):
            live = zx * zx + zy * zy <= 4
            zx, zy = np.where(live, zx * zx - zy * zy + x, zx), np.where(live, 2 * zx * zy + y[:, None], zy)
            expected += live
    np.testing.assert_array_equal(escape(x, y), expected)


def test_map_of_places_reads_tables_and_loops() -> None:
    @gpuvm.program
    def product(a, b):  # type: ignore[no-untyped-def]
        def element(i, j):  # type: ignore[no-untyped-def]
            return gpuvm.repeat(4, lambda k, total: total + a[i, k] * b[k, j], np.int32(0), iteration=True)

        return gpuvm.map(element, shape=(3, 2))

    a, b = np.arange(12, dtype=np.int32).reshape(3, 4), np.arange(8, dtype=np.int32).reshape(4, 2)
    np.testing.assert_array_equal(product(a, b), a @ b)


def test_a_loop_in_a_body_ends_by_itself() -> None:
    @gpuvm.program
    def doublings(x):  # type: ignore[no-untyped-def]
        def double(i, value, last):  # type: ignore[no-untyped-def]
            return gpuvm.until(value * 2 > 50, value * 2, i)

        return gpuvm.map(lambda value: gpuvm.repeat(5, double, value, np.int32(0), iteration=True), x)

    values, lasts = doublings(X)
    for start, value, last in zip(X, values, lasts, strict=True):
        count = next((k for k in range(1, 5) if start * 2**k > 50), 5)
        assert (value, last) == (start * 2**count, count - 1)


def test_a_stage_may_be_called_as_a_symbol() -> None:
    scale_ = gpuvm.Global("scale", np.float32(3))

    @gpuvm.program
    def scaled(x):  # type: ignore[no-untyped-def]
        return scale(x, scale_.load())

    np.testing.assert_array_equal(scaled(X), 3 * X)


# --- Symbols --------------------------------------------------------------------------


def test_symbols() -> None:
    total = gpuvm.Global("total", dtype=np.float32)
    count = gpuvm.Metric("count", dtype=np.int64)
    factor = gpuvm.Control("factor", 3)

    @gpuvm.program
    def add(amount):  # type: ignore[no-untyped-def]
        total.store(total.load() + amount * factor.load().astype(np.float32))
        count.store(count.load() + 1)
        return total.load()

    amount = np.float32(2)
    assert add(amount) == 6
    vm = add.compile(amount).vm
    vm.write("factor", 1)
    assert add(amount) == 8
    assert vm.read("count") == 2
    assert vm.read("total") == 8


def test_several_programs_over_one_memory() -> None:
    total = gpuvm.Global("total", dtype=np.float32)

    @gpuvm.program
    def add(amount):  # type: ignore[no-untyped-def]
        total.store(total.load() + amount)

    @gpuvm.program
    def get():  # type: ignore[no-untyped-def]
        return total.load()

    both = gpuvm.compile([add.trace(np.float32(0)), get.trace()])
    for amount in (2, 0.5):
        assert both["add"](amount=amount) == {}
    assert both["get"]() == {"result": 2.5}
    assert gpuvm.compile(get.trace())() == {"result": 0}
    with pytest.raises(gpuvm.UsageError, match='There are two programs "get"'):
        gpuvm.compile([get.trace(), get.trace()])


def test_rows_at_a_place_of_the_device() -> None:
    rows = gpuvm.Global("rows", np.zeros((4, 2), np.float32))
    used = gpuvm.Global("used", dtype=np.int32)

    @gpuvm.program
    def append(row):  # type: ignore[no-untyped-def]
        rows.store(row[None, :], at=used.load())
        used.store(used.load() + 1)
        return rows.load()

    append(np.array([1, 2], np.float32))
    np.testing.assert_array_equal(append(np.array([3, 4], np.float32)), [[1, 2], [3, 4], [0, 0], [0, 0]])


# --- What a program is made for ----------------------------------------------------------


def test_a_program_is_compiled_once_for_a_shape_and_static_arguments() -> None:
    made = []

    @gpuvm.program
    def counted(x, *, times=1):  # type: ignore[no-untyped-def]
        made.append((x.shape, times))
        return x.sum() * times

    for shape in (3, 4, 3):
        assert counted(np.ones(shape, np.float32)) == shape
    assert counted(np.ones(3, np.float32), times=2) == 6
    assert counted(np.ones(3, np.int32)) == 3
    assert made == [((3,), 1), ((4,), 1), ((3,), 2), ((3,), 1)]


def test_threads_trace_at_once() -> None:
    @gpuvm.program
    def times(x, factor=1):  # type: ignore[no-untyped-def]
        time.sleep(0.001)
        return x * factor + gnp.arange(len(x), dtype=np.float32)

    plain = inspect.unwrap(times)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda k: gpuvm.program(plain)(X, factor=k) + times(X, factor=k % 2), range(1, 7)))
    for k, result in enumerate(results, 1):
        np.testing.assert_array_equal(result, X * k + X + X * (k % 2) + X)


def test_plans_are_kept_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUVM_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        gpuvm.program(inspect.unwrap(scaled_sum))(X)
    assert len(list(tmp_path.iterdir())) == 1


FACTOR = 2


def test_numbers_from_around_are_a_part_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    @gpuvm.program
    def times(x):  # type: ignore[no-untyped-def]
        return x * FACTOR

    assert times(X)[1] == 2
    monkeypatch.setitem(globals(), "FACTOR", 3)
    assert times(X)[1] == 3


def test_arrays_and_lists_from_around_are_not_frozen() -> None:
    table, numbers = np.arange(8, dtype=np.float32), [1.0] * 8

    @gpuvm.program
    def shifted(x):  # type: ignore[no-untyped-def]
        return x + table + gnp.array(numbers, np.float32)

    np.testing.assert_array_equal(shifted(X), X + table + np.float32(1))
    table[0] = 5
    np.testing.assert_array_equal(shifted(X), X + table + 1)
    numbers[0] = 9
    np.testing.assert_array_equal(shifted(X), X + table + np.array(numbers, np.float32))


def test_a_large_array_from_around_is_a_symbol_and_a_larger_one_an_error() -> None:
    table = np.arange(2000, dtype=np.float32)

    @gpuvm.program
    def looked_up(x):  # type: ignore[no-untyped-def]
        return table[::-1][x] if isinstance(x, np.ndarray) else gnp.take(table, x)

    places = np.array([5, 1999, -1], np.int32)
    np.testing.assert_array_equal(looked_up(places), table[places])
    assert "gpuvm.heap @" in looked_up.mlir
    huge = np.zeros(1 << 19, np.float32)
    with pytest.raises(gpuvm.TraceError, match=r"An array of 2097152 bytes would become a constant .* pass it as an argument"):
        gpuvm.program(lambda x: x + gnp.sum(huge))(X)


def test_a_list_argument_is_an_input_or_refused() -> None:
    @gpuvm.program
    def total(x: np.float32):  # type: ignore[no-untyped-def]
        return gnp.sum(x)

    assert total([1, 2, 3]) == 6
    assert total([1, 2, 4]) == 7
    assert total(0.5) == 0.5
    with pytest.raises(gpuvm.InputError, match=r'Argument "x" of plain: the list of numbers has no type; pass np.array'):
        plain([1, 2, 3])
    with pytest.raises(gpuvm.InputError, match=r'Argument "x" of plain: 2.5 has no type; pass np.float32\(2.5\)'):
        plain(2.5)
    with pytest.raises(gpuvm.InputError, match=r'Argument "times" of plain: .*a list may change; pass a tuple'):
        plain(X, [1])


@gpuvm.program
def plain(x, times=1):  # type: ignore[no-untyped-def]
    return gnp.sum(x) * times


def test_a_result_does_not_depend_on_whether_it_is_kept() -> None:
    @gpuvm.program
    def successor(x):  # type: ignore[no-untyped-def]
        return x + 1

    kept = [successor(X + i) for i in range(4)]
    for i, each in enumerate(kept):
        np.testing.assert_array_equal(each, X + i + 1)
    assert successor(successor(X))[0] == 2


def test_an_output_that_becomes_the_input() -> None:
    @gpuvm.program
    def rotated(x):  # type: ignore[no-untyped-def]
        return gnp.roll(x, 1)

    x = X
    for _ in range(8):
        x = rotated(x)
    np.testing.assert_array_equal(x, X)


def test_inputs_with_gaps() -> None:
    np.testing.assert_array_equal(plain(np.arange(24, dtype=np.float32).reshape(4, 6)[::2, ::3]), 0 + 3 + 12 + 15)


# --- Errors ---------------------------------------------------------------------------


def _raised(function: Any, *arguments: Any) -> pytest.ExceptionInfo[gpuvm.Error]:
    with pytest.raises(gpuvm.Error) as caught:
        gpuvm.program(function)(*arguments)
    return caught


def _branches(x: Any) -> Any:
    n = x.sum()
    if n > 3:
        return x
    return -x


def test_branch_on_a_value_of_the_device() -> None:
    caught = _raised(_branches, X)
    assert re.match(
        r"This value is known when the program runs, .* \(test_language.py, line \d+\): Python cannot branch", str(caught.value)
    )
    assert caught.traceback[-1].name == "_branches"
    assert str(caught.traceback[-1].statement).strip() == "if n > 3:"
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: [row for row in x], "Python cannot loop over it"),  # noqa: C416
        (lambda x: range(x.astype(np.int32)[0]), "it is no size, index or range"),
        (lambda x: float(x[0]), r"there is no float\(\) of it; use x.astype"),
        (lambda x: np.array([x]), "NumPy cannot have it"),
        (lambda x: x[x > 0], "A mask picks as many elements as the device finds: use gpuvm.ops.compact"),
        (lambda x: gnp.nonzero(x), 'gpuvm.numpy has no "nonzero"; instead: gpuvm.ops.compact'),  # type: ignore[attr-defined]
        (lambda x: gnp.arcsine(x), r'gpuvm.numpy has no "arcsine"; did you mean "arcsin"\?'),  # type: ignore[attr-defined]
        (lambda x: np.linalg.svd(x), 'gpuvm.numpy.linalg has no "svd"'),
        (lambda x: x + np.ones(3, np.float32), r"Arrays of the shapes \(8,\), \(3,\) cannot be broadcast"),
        (lambda x: x.reshape(3, 3), r"An array of the shape \(8,\) cannot be reshaped to \(3, 3\)"),
        (lambda x: x[9], "Index 9 is out of bounds for a dimension of 8"),
        (lambda x: x.astype(np.complex64), "There are no arrays of complex64"),
        (lambda x: x.astype(np.int8) + 300, r"300 is out of bounds for int8 \(-128 to 127\)"),
        (lambda x: x & 1, "There is no bitwise_and of float32"),
        (lambda x: x @ x[:3], "cannot be multiplied"),
        (lambda x: gpuvm.repeat(x[0], lambda y: y, x), "gpuvm.repeat takes a number of Python"),
        (lambda x: gpuvm.repeat(0, lambda y: y, x), "1 to 2147483647 iterations, not 0"),
        (lambda x: gpuvm.repeat(2, lambda y: y[:2], x), r"begins as float32 of the shape \(8,\), and its body returns"),
        (lambda x: gpuvm.while_loop(lambda y: y < 1, lambda y: y, x), "gpuvm.while_loop is of functions of gpuvm.map"),
        (lambda x: gpuvm.map(lambda y: x + y, x), "where each value is one number"),
        (lambda x: gpuvm.norm(gpuvm.repeat(2, lambda y: y, x)), "is of what another stage has sent"),
        (lambda x: scaled_sum(x), '"scaled_sum" is a program, which cannot be called while another one is traced'),
        (lambda x: x.__setitem__(0, 1), r"an array of a program does not change; x = x.at\[i\].set"),
    ],
)
def test_one_sentence(function: Any, message: str) -> None:
    caught = _raised(function, X)
    assert re.search(message, str(caught.value)), caught.value
    assert str(caught.value).count("\n") == 0
    assert Path(caught.traceback[-1].path) == Path(__file__)


def test_numpys_functions_take_arrays_of_programs() -> None:
    @gpuvm.program
    def numpys(x):  # type: ignore[no-untyped-def]
        return np.sin(x) + np.maximum(x, 2) + np.float32(1) * x, np.concatenate([x, x]), np.sum(x), np.where(x > 1, x, 0)

    a, b, c, d = numpys(X)
    np.testing.assert_allclose(a, np.sin(X) + np.maximum(X, 2) + X, rtol=1e-6)
    np.testing.assert_array_equal(b, np.concatenate([X, X]))
    assert c == 28
    np.testing.assert_array_equal(d, np.where(X > 1, X, 0))


def test_arrays_that_leak() -> None:
    leaked: list[Any] = []

    @gpuvm.program
    def leaks(x):  # type: ignore[no-untyped-def]
        leaked.append(x)
        return x + leaked[0]

    leaks(X)
    with pytest.raises(gpuvm.TraceError, match="must not be kept outside of it"):
        leaked[0] + 1
    with pytest.raises(gpuvm.TraceError, match='belongs to another call of the program "leaks"'):
        leaks(X[:4])
    with pytest.raises(gpuvm.TraceError, match=r"call it in a function with @gpuvm\.program"):
        gnp.zeros(3)


def test_an_error_of_the_compiler_shows_the_line_of_python() -> None:
    @gpuvm.program
    def too_long(x):  # type: ignore[no-untyped-def]
        values, _ = gpuvm.ops.top_k(gnp.zeros(4000, np.float32) + x[0], 3000)
        return values

    with pytest.raises(gpuvm.CompileError) as caught:
        too_long(X)
    head, line, caret, *_ = str(caught.value).splitlines()
    assert re.match(r".*test_language.py:\d+:21: error: .*2048", head)
    assert line.strip() == "values, _ = gpuvm.ops.top_k(gnp.zeros(4000, np.float32) + x[0], 3000)"
    assert caret.index("^") == line.index("gpuvm.ops")
    assert caught.value.diagnostics[0].file == __file__


def test_a_program_needs_arguments() -> None:
    with pytest.raises(TypeError, match=r"plain\(\): missing a required argument: 'x'"):
        plain()
    with pytest.raises(TypeError, match=r"plain\(\): got an unexpected keyword argument 'y'"):
        plain(X, y=1)
    with pytest.raises(gpuvm.InputError, match='Argument "x": the ndarray has elements of complex64'):
        plain(X.astype(np.complex64))
