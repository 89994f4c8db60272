"""What an input takes, and what it refuses by name."""

from __future__ import annotations

import array as stdlib_array
from collections.abc import Callable
from typing import Any

import gpuvm
import numpy as np
import pytest

Echo = Callable[..., gpuvm.Program]
RNG = np.random.default_rng(1)
MASKED: Any = np.ma.masked_all


def same(program: gpuvm.Program, value: Any, expected: Any) -> None:
    result = program(x=value)["y"]
    assert result.dtype == program.inputs["x"].dtype
    np.testing.assert_array_equal(result, np.asarray(expected, dtype=result.dtype), strict=True)


@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64", "f16", "f32", "f64", "i1", "bf16"])
def test_every_element_type(echo: Echo, element: str) -> None:
    program = echo(element)
    dtype = program.inputs["x"].dtype
    values = (RNG.random((2, 3)) * 100).astype(dtype) if element != "i1" else RNG.random((2, 3)) > 0.5
    same(program, values, values)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.T.copy().T,
        lambda a: np.repeat(a, 2, axis=1)[:, ::2],
        lambda a: a[::-1][::-1],
        lambda a: np.broadcast_to(a[0], (2, 3)),
        lambda a: a.astype(a.dtype.newbyteorder(">")),
        lambda a: np.asfortranarray(a),
        lambda a: np.lib.stride_tricks.as_strided(np.pad(a, 4), (2, 3), (11 * 4, 4), writeable=False),
    ],
)
def test_arrays_that_are_not_contiguous(echo: Echo, view: Callable[[Any], Any]) -> None:
    """tinygrad 13361."""
    given = view(np.arange(6, dtype=np.float32).reshape(2, 3))
    same(echo("f32"), given, given)


def test_read_only(echo: Echo) -> None:
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    given.flags.writeable = False
    same(echo("f32"), given, given)


@pytest.mark.parametrize(
    ("element", "value"),
    [
        *(("f32", value) for value in (2.5, np.float32(2.5), np.float64(2.5), np.array(2.5), np.float16(2.5), 3, True)),
        *(("i32", value) for value in (7, np.int64(7), np.array(7), np.uint8(7), True)),
        *(("i1", value) for value in (True, np.bool_(True), 1)),
        *(("i64", -(2**63)), ("f64", 1e300), ("f16", 1), ("i8", -128)),
    ],
)
def test_scalars(echo: Echo, element: str, value: Any) -> None:
    """iree 12966 and 12967: Python's and NumPy's scalars and arrays without dimensions."""
    same(echo(element, ""), value, value)


@pytest.mark.parametrize("value", [[1, 2, 3], (1.0, 2.0, 3.0), range(1, 4), [np.float64(1), 2, True + 2]])
def test_lists(echo: Echo, value: Any) -> None:
    """tinygrad 10850: a list is data of this call, as an array is."""
    same(echo("f32", "3x"), value, [1, 2, 3])
    same(echo("f32", "3x"), [3 * each for each in value], [3, 6, 9])


def test_safe_types(echo: Echo) -> None:
    whole = np.arange(6, dtype=np.int16).reshape(2, 3)
    same(echo("i32"), whole, whole)
    same(echo("f32"), whole, whole)
    same(echo("f64"), whole.astype(np.float32) / 3, whole.astype(np.float32) / 3)
    same(echo("i32"), whole > 2, whole > 2)


def test_integers_have_no_sign(echo: Echo) -> None:
    bits = np.full((2, 3), 2**32 - 1, dtype=np.uint32)
    same(echo("i32"), bits, np.full((2, 3), -1))


@pytest.mark.parametrize(
    ("element", "value", "text"),
    [
        ("f32", np.zeros((2, 3)), r"the ndarray has elements of float64, .* lose something as f32; pass x.astype\(np.float32\)"),
        ("i32", np.zeros((2, 3), np.int64), "elements of int64"),
        ("i32", np.zeros((2, 3), np.float32), "elements of float32"),
        ("f32", np.zeros((2, 3), np.int32), "elements of int32"),
        ("i8", np.zeros((2, 3), np.int32), "elements of int32"),
        ("i1", np.zeros((2, 3), np.uint16), "elements of uint16"),
        ("f16", np.zeros((2, 3), np.float32), "elements of float32"),
        ("bf16", np.zeros((2, 3), np.float32), r"pass gpuvm.bfloat16_bits\(x\)"),
        ("f32", np.zeros((2, 3), np.complex64), "elements of complex64, which are no numbers that gpuvm has: f32 is wanted"),
        ("f32", np.array([["a"] * 3] * 2), "elements of <U1"),
        ("f32", np.zeros((2, 3), "datetime64[s]"), "elements of datetime64"),
        ("f32", np.zeros((2, 3), object), "elements of object"),
        ("f32", np.zeros((3, 2), np.float32), r"the ndarray has the shape \(3, 2\), and \(2, 3\) is wanted"),
        ("f32", np.zeros(6, np.float32), r"the shape \(6,\)"),
        ("f32", np.float32(1), r"1.0 has the shape \(\)"),
        ("f32", 1, r"1 has the shape \(\), and \(2, 3\) is wanted"),
        ("f32", [[1, 2, 3], [4, 5]], "the list is no rectangular array of numbers"),
        ("f32", [[1, 2, 3], [4, 5, None]], "elements of object"),
        ("i32", [[1, 2, 3], [4, 5, 2**31]], "the list has 2147483648, and i32 holds -2147483648 to 2147483647"),
        ("i32", [[1, 2, 3], [4, 5, 6.5]], "the list has numbers of float64, and i32 is wanted"),
        ("i1", [[1, 0, 1], [0, 1, 2]], "has 2, and i1 holds 0 to 1"),
        ("f32", [[1, 2, 3], [4, 5, 2**24 + 1]], "has 16777217, which f32 does not hold exactly"),
        ("f32", [[1, 2, 3], [4, 5, 1e39]], r"has 1e\+39, and the largest f32 is 3.4028"),
        ("f16", [[1, 2, 3], [4, 5, 70000]], "has 70000.0, and the largest f16 is 65504.0"),
        ("f32", MASKED((2, 3), np.float32), "masked array"),
        ("f32", None, "the NoneType is not an array, a list or a number"),
        ("f32", "six", "the str is not an array"),
        ("f32", {"a": 1}, "the dict is not an array"),
        ("f32", b"six", "the bytes is bytes, which is an array of i8, not f32"),
    ],
)
def test_refused(echo: Echo, element: str, value: Any, text: str) -> None:
    with pytest.raises(gpuvm.InputError, match=text) as caught:
        echo(element)(x=value)
    assert caught.value.argument == "x"
    assert str(caught.value).startswith(f'Input "x" (2x3x{element}): ')


@pytest.mark.parametrize("value", [2**31, 2.5, np.float64(2.5), float("nan"), 1 << 70])
def test_refused_scalars(echo: Echo, value: Any) -> None:
    with pytest.raises(gpuvm.InputError, match='Input "x"'):
        echo("i32", "")(x=value)


def test_numbers_that_are_none_stay(echo: Echo) -> None:
    same(echo("f32", "3x"), [float("inf"), float("-inf"), 0.0], [np.inf, -np.inf, 0])
    assert np.isnan(echo("f32", "")(x=float("nan"))["y"])


def test_bytes_and_buffers(echo: Echo) -> None:
    same(echo("i8", "3x"), b"\x01\x02\xff", [1, 2, -1])
    same(echo("i8", "3x"), bytearray(b"abc"), [97, 98, 99])
    same(echo("f32", "3x"), stdlib_array.array("f", [1, 2, 3]), [1, 2, 3])
    same(echo("f32", "3x"), memoryview(stdlib_array.array("f", [1, 2, 3])), [1, 2, 3])


def test_bfloat16(echo: Echo) -> None:
    numbers = np.array([1.0, -2.5, 3.140625, 0.1, np.inf, 1e-40], dtype=np.float32).reshape(2, 3)
    bits = gpuvm.bfloat16_bits(numbers)
    same(echo("bf16"), bits, bits)
    same(echo("bf16"), numbers.tolist(), bits)
    assert gpuvm.bfloat16_values(bits)[0].tolist() == [1.0, -2.5, 3.140625]
    assert gpuvm.bfloat16_values(bits)[1, 0] == np.float32(0.10009765625)
    assert np.isnan(gpuvm.bfloat16_values(gpuvm.bfloat16_bits([np.nan, -np.nan]))).all()
    # Ties to even: half of the last bit above 1 and above 1 + 2^-7.
    assert gpuvm.bfloat16_bits([1 + 2**-8, 1 + 2**-7 + 2**-8]).tolist() == [0x3F80, 0x3F82]


class OnlyDlpack:
    """A CPU tensor of another library."""

    def __init__(self, array: Any, device: tuple[int, int] = (1, 0)) -> None:
        self.array, self.device, self.asked = array, device, 0

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **options: Any) -> Any:
        self.asked += 1
        return self.array.__dlpack__(**options)


class RefusesDlpack(OnlyDlpack):
    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("bfloat16 is not supported")


def test_dlpack(echo: Echo) -> None:
    given = OnlyDlpack(np.arange(6, dtype=np.float32).reshape(2, 3))
    same(echo("f32"), given, given.array)
    assert given.asked == 1
    with pytest.raises(gpuvm.InputError, match=r'Input "x".* is on device \(2, 0\) of DLPack'):
        echo("f32")(x=OnlyDlpack(given.array, (2, 0)))
    with pytest.raises(
        gpuvm.InputError, match=r'Input "x".* cannot be had through DLPack \(bfloat16 is not supported\)'
    ) as caught:
        echo("f32")(x=RefusesDlpack(given.array))
    assert isinstance(caught.value.__cause__, BufferError)
    result = echo("f32")(x=given)["y"]
    again = np.from_dlpack(result)
    assert np.shares_memory(again, result)


def test_array_interfaces(echo: Echo) -> None:
    class Interface:
        def __init__(self, array: Any) -> None:
            self.array = array
            self.__array_interface__ = array.__array_interface__

    class Array:
        def __array__(self, *_: Any, **__: Any) -> Any:
            return np.ones((2, 3), np.float32)

    same(echo("f32"), Interface(np.ones((2, 3), np.float32)), np.ones((2, 3)))
    same(echo("f32"), Array(), np.ones((2, 3)))


@pytest.mark.parametrize("package", ["torch", "jax"])
def test_tensors_of_others(echo: Echo, package: str) -> None:
    other = pytest.importorskip(package)
    ones = other.ones((2, 3)) if package == "torch" else other.numpy.ones((2, 3))
    same(echo("f32"), ones, np.ones((2, 3)))
    if package == "jax":
        half = ones.astype(other.numpy.bfloat16)
        same(echo("bf16"), half, np.full((2, 3), 0x3F80))
        with pytest.raises(gpuvm.InputError, match="elements of bfloat16"):
            echo("f32")(x=half)
    if package == "torch":
        result = echo("f32")(x=ones)["y"]
        tensor = other.from_dlpack(result)
        tensor += 1
        assert result.tolist() == [[2] * 3] * 2


def test_an_output_that_is_an_input(echo: Echo, hello: gpuvm.Program) -> None:
    """tinygrad 14278."""
    program = gpuvm.compile(
        """
gpuvm.program @twice(%x: tensor<4xf32>) -> (x2: tensor<4xf32>) {
  %m = gpuvm.stage @add(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %s = arith.addf %v, %v : tensor<4xf32>
    gpuvm.send %s : tensor<4xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4xf32>>
}
"""
    )
    x = first = np.arange(4, dtype=np.float32)
    for _ in range(5):
        x = program(x=x)["x2"]
    assert x.tolist() == [0, 32, 64, 96]
    assert first.tolist() == [0, 1, 2, 3]


def test_results_are_kept_apart(hello: gpuvm.Program) -> None:
    """tinygrad 7637: what is done with a result does not change the next."""
    results = [hello(x=np.full(8, i, np.float32))["sum"] for i in range(4)]
    for _ in range(3):
        hello(x=np.zeros(8, np.float32))
    assert [float(each) for each in results] == [0, 8, 32, 72]
    assert all(each.flags.owndata and each.flags.writeable for each in results)


def test_the_input_may_change_after_the_call(hello: gpuvm.Program) -> None:
    x = np.ones(8, np.float32)
    run = hello.vm.start(x=x)
    x[:] = 9
    assert run.result()["sum"] == 8


def test_names(hello: gpuvm.Program) -> None:
    x = np.zeros(8, np.float32)
    with pytest.raises(gpuvm.InputError, match=r'Program "hello" lacks 1 of its inputs: x \(8xf32\)') as caught:
        hello()
    assert caught.value.argument == "x"
    with pytest.raises(gpuvm.InputError, match=r'has no input "xs"; did you mean "x"\? \(inputs: x\)') as caught:
        hello(x=x, xs=1)
    assert caught.value.argument == "xs"
    with pytest.raises(TypeError):
        hello(x)  # type: ignore[call-arg]
    hello.vm.bind(x=x)
    assert hello()["sum"] == 0
    assert hello(x=x + 1)["sum"] == 8
    with pytest.raises(gpuvm.InputError, match="lacks 1 of its inputs"):
        hello()  # What was bound is gone.


def test_nothing_is_bound_when_one_is_refused() -> None:
    program = gpuvm.compile(
        """
gpuvm.program @two(%a: tensor<f32>, %b: tensor<f32>) -> (c: tensor<f32>) {
  %m = gpuvm.stage @add(%x = %a : tensor<f32>, %y = %b : tensor<f32>) -> tensor<f32> {
    %s = arith.addf %x, %y : tensor<f32>
    gpuvm.send %s : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}
"""
    )
    program.vm.bind(a=1, b=2)
    with pytest.raises(gpuvm.InputError, match='Input "b"'):
        program.vm.bind({"a": 5, "b": "no"})
    assert program()["c"] == 3


def test_no_elements(echo: Echo) -> None:
    result = echo("f32", "0x3x")(x=[[], []][:0] or np.empty((0, 3), np.float32))["y"]
    assert result.shape == (0, 3)
    assert echo("f32", "0x")(x=[])["y"].shape == (0,)
