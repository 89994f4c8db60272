"""Operations on each element: NumPy's, in the type that NumPy gives them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from .array import Array, ArrayLike, as_array, as_operand
from .dtypes import DType, Scalar, as_dtype, as_float, as_real, element_of
from .emission import common_dtype, constant, current, emit_one, form_of
from .ir import Value, type_text

_BOOL: Final = np.dtype(np.bool_)


# --- Operands ---------------------------------------------------------------------


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """NumPy's rule."""
    try:
        return tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        raise TraceError(f"Arrays of the shapes {', '.join(map(str, shapes))} cannot be broadcast together.") from None


def _shape(items: list[Array | Scalar]) -> tuple[int, ...]:
    return broadcast_shapes(*(item.shape for item in items if isinstance(item, Array)))


def _form(values: Iterable[Value]) -> str:
    """Of the result of an operation on each element."""
    if any(value.form == "bounded" for value in values):
        return "bounded"
    return form_of(current().stage())


def bounded_of(items: Iterable[Any]) -> Array | None:
    """An operand whose rows are counted, whose count the result has."""
    return next((item for item in items if isinstance(item, Array) and item._value.form == "bounded"), None)


def value_of(item: Array | Scalar, dtype: DType, shape: tuple[int, ...], like: Array | None = None) -> Value:
    """An operand in the type and shape of the operation, and with the rows of `like`."""
    if like is not None and not (isinstance(item, Array) and item._value.form == "bounded"):
        return _in_rows(item, dtype, like)
    if not isinstance(item, Array):
        return constant(item, dtype, shape)
    from .shapes import broadcast_to

    item = scalar_of(item)
    cast = item if item.dtype == dtype else astype(item, dtype)
    return (cast if cast.shape == shape else broadcast_to(cast, shape))._value


def _in_rows(item: Array | Scalar, dtype: DType, like: Array) -> Value:
    """A number, or a row, in each row that is there."""
    array = Array(value_of(item, dtype, item.shape if isinstance(item, Array) else ()), dtype)
    if array.ndim == like.ndim and like.ndim and array.shape[0] != 1:
        raise TraceError(
            f"An array of {array.shape[0]} rows cannot be combined with one whose rows are counted: gpuvm.ops.filled(y) has all, "
            "gpuvm.ops.bounded(x, gpuvm.ops.count(y)) those of y."
        )
    from .shapes import reshaped

    into = astype(like, dtype)._value
    sizes = (1,) * (like.ndim - array.ndim) + array.shape
    added = [axis for axis, size in enumerate(sizes) if size == 1]
    value = reshaped(array._value, tuple(size for size in sizes if size != 1))
    outs = f" : {into.type}) dimensions = {added}"
    parts: list[Any] = ["linalg.broadcast ins(", value, f" : {value.type}) outs(", into, outs]
    return emit_one(parts, into.element, into.shape, "bounded")


def scalar_of(item: Array) -> Array:
    """In a body for an element, an operand without dimensions."""
    if form_of(current().stage()) == "scalar" and item.shape:
        name = f'"{item._value.hint}"' if item._value.hint else "An array"
        raise TraceError(
            f"{name} has the shape {item.shape} in a function of gpuvm.map, where each value is one number: take one by x[i]."
        )
    return item


def typed(items: tuple[ArrayLike, ...], dtype: DType | None = None) -> tuple[list[Value], DType, tuple[int, ...]]:
    """The operands in one type and shape."""
    operands = [as_operand(item) for item in items]
    found = common_dtype(operands) if dtype is None else dtype
    shape, like = _shape(operands), bounded_of(operands)
    return [value_of(item, found, shape, like) for item in operands], found, shape


def _emit(op: str, values: list[Value], dtype: DType, shape: tuple[int, ...]) -> Array:
    """`op %a, %b : type`"""
    element = element_of(dtype)
    parts: list[Any] = [op + " "]
    for index, value in enumerate(values):
        parts += [", ", value] if index else [value]
    form = _form(values)
    return Array(emit_one([*parts, f" : {type_text(shape, element, form)}"], element, shape, form), dtype)


# --- Conversions ------------------------------------------------------------------


def _conversion(source: DType, target: DType) -> str:
    """The operation of arith."""
    if target.kind == "f":
        if source.kind == "f":
            return "arith.extf" if target.itemsize > source.itemsize else "arith.truncf"
        return "arith.sitofp" if source.kind == "i" else "arith.uitofp"
    if source.kind == "f":
        return "arith.fptosi" if target.kind == "i" else "arith.fptoui"
    if source.kind == "b" or target.itemsize > source.itemsize:
        return "arith.extsi" if source.kind == "i" else "arith.extui"
    return "arith.trunci"


def astype(x: ArrayLike, dtype: npt.DTypeLike) -> Array:
    """The numbers in another type. Floats that an integer cannot hold become its nearest, NaN 0."""
    array, target = as_array(x), as_dtype(dtype)
    source = array.dtype
    if source == target:
        return array
    if target.kind == "b":
        return not_equal(array, False if source.kind == "b" else source.type(0))
    if source.kind in "iu" and target.kind in "iu" and source.itemsize == target.itemsize:
        return Array(array._value, target)
    return _converted(_conversion(source, target), array, target)


def _converted(op: str, array: Array, target: DType) -> Array:
    element, shape, form = element_of(target), array.shape, _form([array._value])
    types = f" : {type_text(shape, element_of(array.dtype), form)} to {type_text(shape, element, form)}"
    return Array(emit_one([f"{op} ", array._value, types], element, shape, form), target)


def view(x: ArrayLike, dtype: npt.DTypeLike) -> Array:
    """The bits as another type of the same width."""
    array, target = as_array(x), as_dtype(dtype)
    if target.itemsize != array.dtype.itemsize or "b" in (target.kind, array.dtype.kind) != (target.kind, array.dtype.kind):
        raise TraceError(f"The bits of {array.dtype} are not those of a {target}: only types of the same width can be viewed.")
    if element_of(target) == element_of(array.dtype):
        return Array(array._value, target)
    return _converted("arith.bitcast", array, target)


# --- Arithmetic -------------------------------------------------------------------


def _by_kind(name: str, signed: str, unsigned: str, real: str, boolean: str) -> Callable[[ArrayLike, ArrayLike], Array]:
    """A function with an operation for each kind of number, which is "" where there is none."""

    def function(x1: ArrayLike, x2: ArrayLike) -> Array:
        values, dtype, shape = typed((x1, x2))
        op = {"i": signed, "u": unsigned, "f": real, "b": boolean}[dtype.kind]
        if not op:
            raise TraceError(f"There is no {name} of {dtype}.")
        return _emit(op, values, dtype, shape)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"numpy.{name}"
    return function


_add = _by_kind("add", "arith.addi", "arith.addi", "arith.addf", "arith.ori")
subtract = _by_kind("subtract", "arith.subi", "arith.subi", "arith.subf", "")
multiply = _by_kind("multiply", "arith.muli", "arith.muli", "arith.mulf", "arith.andi")
maximum = _by_kind("maximum", "arith.maxsi", "arith.maxui", "arith.maximumf", "arith.ori")
minimum = _by_kind("minimum", "arith.minsi", "arith.minui", "arith.minimumf", "arith.andi")
fmax = _by_kind("fmax", "arith.maxsi", "arith.maxui", "arith.maxnumf", "arith.ori")
fmin = _by_kind("fmin", "arith.minsi", "arith.minui", "arith.minnumf", "arith.andi")
bitwise_and = _by_kind("bitwise_and", "arith.andi", "arith.andi", "", "arith.andi")
bitwise_or = _by_kind("bitwise_or", "arith.ori", "arith.ori", "", "arith.ori")
bitwise_xor = _by_kind("bitwise_xor", "arith.xori", "arith.xori", "", "arith.xori")
left_shift = _by_kind("left_shift", "arith.shli", "arith.shli", "", "")
right_shift = _by_kind("right_shift", "arith.shrsi", "arith.shrui", "", "")
_remainder = _by_kind("remainder", "arith.remsi", "arith.remui", "arith.remf", "")
fmod = _by_kind("fmod", "arith.remsi", "arith.remui", "arith.remf", "")


def add(x1: ArrayLike, x2: ArrayLike) -> Array:
    """numpy.add"""
    for number, array in ((x1, x2), (x2, x1)):
        if type(number) is int and number == 0 and isinstance(array, Array) and array.dtype.kind in "iu":
            return as_array(array)  # As sum() of Python begins.
    return _add(x1, x2)


def divide(x1: ArrayLike, x2: ArrayLike) -> Array:
    """numpy.divide: of integers, in float64."""
    dtype = as_float(common_dtype([as_operand(x1), as_operand(x2)]))
    values, _, shape = typed((x1, x2), dtype)
    return _emit("arith.divf", values, dtype, shape)


true_divide = divide


def remainder(x1: ArrayLike, x2: ArrayLike) -> Array:
    """numpy.remainder: with the sign of the divisor. Integers by 0 have no result."""
    dtype = common_dtype([as_operand(x1), as_operand(x2)])
    if dtype.kind == "i" and _is_power_of_two(x2):
        return bitwise_and(astype(x1, dtype), int(x2) - 1)
    rest = _remainder(x1, x2)
    if dtype.kind == "u":
        return rest
    divisor = astype(x2, rest.dtype) if isinstance(x2, Array) else x2
    differs = less(multiply(sign(rest), sign(divisor)), 0) if isinstance(divisor, Array) else _has_other_sign(rest, divisor)
    return where(differs, add(rest, divisor), rest)


mod = remainder


def _is_power_of_two(divisor: ArrayLike) -> bool:
    """By which a remainder is the low bits."""
    if not isinstance(divisor, (int, np.integer)):
        return False
    return int(divisor) > 0 and int(divisor) & (int(divisor) - 1) == 0


def _has_other_sign(rest: Array, divisor: Scalar) -> Array:
    return less(rest, 0) if float(divisor) > 0 else greater(rest, 0)


def floor_divide(x1: ArrayLike, x2: ArrayLike) -> Array:
    """numpy.floor_divide. Integers by 0 have no result."""
    values, dtype, shape = typed((x1, x2))
    if dtype.kind == "u":
        return _emit("arith.divui", values, dtype, shape)
    if dtype.kind == "f":
        rest = remainder(x1, x2)
        return rint(divide(subtract(x1, rest), x2))
    if dtype.kind == "b":
        raise TraceError("There is no floor_divide of bool.")
    return _emit("arith.floordivsi", values, dtype, shape)


def divmod(x1: ArrayLike, x2: ArrayLike) -> tuple[Array, Array]:  # noqa: A001
    """numpy.divmod"""
    return floor_divide(x1, x2), remainder(x1, x2)


def power(x1: ArrayLike, x2: ArrayLike) -> Array:
    """numpy.power: of whole exponents up to 8, as a product."""
    if isinstance(x2, (int, np.integer)) and not isinstance(x2, bool) and 0 < int(x2) <= 8:
        base = as_array(x1)
        return _product(astype(base, np.int8) if base.dtype.kind == "b" else base, int(x2))
    if not isinstance(x2, (Array, list, np.ndarray)) and x2 == 0.5:
        return sqrt(x1)
    values, dtype, shape = typed((x1, x2))
    if dtype.kind != "f":
        raise TraceError("There is no power of integers with this exponent: multiply, shift, or take floats.")
    return _emit("math.powf", values, dtype, shape)


def _product(x: Array, exponent: int) -> Array:
    if exponent == 1:
        return x
    half = _product(x, exponent // 2)
    square = multiply(half, half)
    return multiply(square, x) if exponent % 2 else square


def negative(x: ArrayLike) -> Array:
    """numpy.negative"""
    values, dtype, shape = typed((x,))
    if dtype.kind == "b":
        raise TraceError("There is no negative of bool: use ~ (logical_not).")
    return _emit("arith.negf", values, dtype, shape) if dtype.kind == "f" else subtract(dtype.type(0), Array(values[0], dtype))


def positive(x: ArrayLike) -> Array:
    """numpy.positive"""
    return as_array(x)


def absolute(x: ArrayLike) -> Array:
    """numpy.absolute"""
    values, dtype, shape = typed((x,))
    if dtype.kind in "ub":
        return Array(values[0], dtype)
    return _emit("math.absf" if dtype.kind == "f" else "math.absi", values, dtype, shape)


abs = absolute  # noqa: A001
fabs = absolute


def invert(x: ArrayLike) -> Array:
    """numpy.invert"""
    array = as_array(x)
    if array.dtype.kind == "f":
        raise TraceError(f"There is no invert of {array.dtype}.")
    return bitwise_xor(
        array, True if array.dtype.kind == "b" else array.dtype.type(-1 if array.dtype.kind == "i" else np.iinfo(array.dtype).max)
    )


bitwise_not = invert


def bitwise_count(x: ArrayLike) -> Array:
    """numpy.bitwise_count: how many bits are 1, as uint8; of negative numbers, of their two's complement."""
    array = as_array(x)
    if array.dtype.kind not in "iu":
        raise TraceError(f"There is no bitwise_count of {array.dtype}.")
    return astype(_emit("math.ctpop", [array._value], array.dtype, array.shape), np.uint8)


def sign(x: ArrayLike) -> Array:
    """numpy.sign"""
    array = as_array(x)
    if array.dtype.kind != "f":
        return subtract(astype(greater(array, 0), array.dtype), astype(less(array, 0), array.dtype))
    one = copysign(array.dtype.type(1), array)
    return where(equal(array, 0), array.dtype.type(0), where(isnan(array), array, one))


# --- Comparisons -------------------------------------------------------------------


def _beyond(number: Any, array: Any) -> int:
    """Whether a number is more (1) or less (-1) than all that an array of integers can hold."""
    if not isinstance(number, (int, np.integer)) or not isinstance(array, Array) or array.dtype.kind not in "iu":
        return 0
    limits = np.iinfo(array.dtype)
    return int(int(number) > limits.max) - int(int(number) < limits.min)


_HOST: Final[dict[str, Callable[[int, int], bool]]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
}


def _comparison(name: str, signed: str, unsigned: str, real: str) -> Callable[[ArrayLike, ArrayLike], Array]:
    def function(x1: ArrayLike, x2: ArrayLike) -> Array:
        if side := _beyond(x2, x1) - _beyond(x1, x2):
            shape = as_array(x1 if isinstance(x1, Array) else x2).shape
            return Array(constant(_HOST[signed](0, side), _BOOL, shape), _BOOL)
        values, dtype, shape = typed((x1, x2))
        op, predicate = ("arith.cmpf", real) if dtype.kind == "f" else ("arith.cmpi", signed if dtype.kind == "i" else unsigned)
        parts: list[Any] = [
            f"{op} {predicate}, ",
            values[0],
            ", ",
            values[1],
            f" : {type_text(shape, element_of(dtype), _form(values))}",
        ]
        return Array(emit_one(parts, "i1", shape, _form(values)), _BOOL)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"numpy.{name}"
    return function


equal = _comparison("equal", "eq", "eq", "oeq")
not_equal = _comparison("not_equal", "ne", "ne", "une")
less = _comparison("less", "slt", "ult", "olt")
less_equal = _comparison("less_equal", "sle", "ule", "ole")
greater = _comparison("greater", "sgt", "ugt", "ogt")
greater_equal = _comparison("greater_equal", "sge", "uge", "oge")


def _logical(name: str, op: str) -> Callable[[ArrayLike, ArrayLike], Array]:
    def function(x1: ArrayLike, x2: ArrayLike) -> Array:
        values, _, shape = typed((x1, x2), _BOOL)
        return _emit(op, values, _BOOL, shape)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"numpy.{name}"
    return function


logical_and = _logical("logical_and", "arith.andi")
logical_or = _logical("logical_or", "arith.ori")
logical_xor = _logical("logical_xor", "arith.xori")


def logical_not(x: ArrayLike) -> Array:
    """numpy.logical_not"""
    return invert(astype(x, np.bool_))


def isnan(x: ArrayLike) -> Array:
    """numpy.isnan"""
    array = as_array(x)
    return not_equal(array, array)


def isinf(x: ArrayLike) -> Array:
    """numpy.isinf"""
    array = as_array(x)
    return equal(absolute(array), np.inf) if array.dtype.kind == "f" else not_equal(array, array)


def isfinite(x: ArrayLike) -> Array:
    """numpy.isfinite"""
    array = as_array(x)
    return less(absolute(array), np.inf) if array.dtype.kind == "f" else equal(array, array)


def signbit(x: ArrayLike) -> Array:
    """numpy.signbit"""
    array = as_array(x)
    return less(view(array, f"i{array.dtype.itemsize}"), 0) if array.dtype.kind == "f" else less(array, 0)


def isclose(a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08) -> Array:
    """numpy.isclose, of finite numbers."""
    return less_equal(absolute(subtract(a, b)), add(atol, multiply(rtol, absolute(b))))


# --- Choices -----------------------------------------------------------------------


def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike) -> Array:
    """numpy.where"""
    chosen, test = [as_operand(x), as_operand(y)], as_operand(condition)
    dtype = common_dtype(chosen)
    shape, like = _shape([test, *chosen]), bounded_of([test, *chosen])
    values = [value_of(item, dtype, shape, like) for item in chosen]
    mask = value_of(astype(test, _BOOL) if isinstance(test, Array) else bool(test), _BOOL, shape, like)
    element, form = element_of(dtype), _form(values)
    types = element if form == "scalar" else f"{type_text(shape, 'i1', form)}, {type_text(shape, element, form)}"
    parts: list[Any] = ["arith.select ", mask, ", ", values[0], ", ", values[1], f" : {types}"]
    return Array(emit_one(parts, element, shape, form), dtype)


def select(condlist: list[ArrayLike], choicelist: list[ArrayLike], default: ArrayLike = 0) -> Array:
    """numpy.select"""
    found = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        found = where(condition, choice, found)
    return as_array(found)


def clip(a: ArrayLike, a_min: ArrayLike | None = None, a_max: ArrayLike | None = None) -> Array:
    """numpy.clip"""
    found = as_array(a)
    if a_min is not None:
        found = maximum(found, a_min)
    return found if a_max is None else minimum(found, a_max)


# --- Functions of real numbers -----------------------------------------------------


def _real(name: str, op: str) -> Callable[[ArrayLike], Array]:
    def function(x: ArrayLike) -> Array:
        dtype = as_real(common_dtype([as_operand(x)]))
        values, _, shape = typed((x,), dtype)
        return _emit(op, values, dtype, shape)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"numpy.{name}; of integers, in floats of at least twice their width."
    return function


exp = _real("exp", "math.exp")
exp2 = _real("exp2", "math.exp2")
expm1 = _real("expm1", "math.expm1")
log = _real("log", "math.log")
log2 = _real("log2", "math.log2")
log10 = _real("log10", "math.log10")
log1p = _real("log1p", "math.log1p")
sqrt = _real("sqrt", "math.sqrt")
cbrt = _real("cbrt", "math.cbrt")
sin = _real("sin", "math.sin")
cos = _real("cos", "math.cos")
tan = _real("tan", "math.tan")
arcsin = _real("arcsin", "math.asin")
arccos = _real("arccos", "math.acos")
arctan = _real("arctan", "math.atan")
sinh = _real("sinh", "math.sinh")
cosh = _real("cosh", "math.cosh")
tanh = _real("tanh", "math.tanh")
arcsinh = _real("arcsinh", "math.asinh")
arccosh = _real("arccosh", "math.acosh")
arctanh = _real("arctanh", "math.atanh")
erf = _real("erf", "math.erf")
erfc = _real("erfc", "math.erfc")
rsqrt = _real("rsqrt", "math.rsqrt")


def _rounding(name: str, op: str) -> Callable[[ArrayLike], Array]:
    def function(x: ArrayLike) -> Array:
        array = as_array(x)
        return array if array.dtype.kind != "f" else _emit(op, [array._value], array.dtype, array.shape)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"numpy.{name}"
    return function


floor = _rounding("floor", "math.floor")
ceil = _rounding("ceil", "math.ceil")
trunc = _rounding("trunc", "math.trunc")
rint = _rounding("rint", "math.roundeven")


def round(a: ArrayLike, decimals: int = 0) -> Array:  # noqa: A001
    """numpy.round, to whole numbers."""
    if decimals:
        raise TraceError(f"gpuvm.numpy.round is to whole numbers, not to {decimals} decimals.")
    return rint(a)


def _real2(name: str, op: str, least: DType | None = None) -> Callable[[ArrayLike, ArrayLike], Array]:
    def function(x1: ArrayLike, x2: ArrayLike) -> Array:
        dtype = least or as_real(common_dtype([as_operand(x1), as_operand(x2)]))
        values, _, shape = typed((x1, x2), dtype)
        return _emit(op, values, dtype, shape)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"numpy.{name}; of integers, in floats of at least twice their width."
    return function


arctan2 = _real2("arctan2", "math.atan2")
copysign = _real2("copysign", "math.copysign")
float_power = _real2("float_power", "math.powf", np.dtype(np.float64))


def hypot(x1: ArrayLike, x2: ArrayLike) -> Array:
    """numpy.hypot, where the squares are numbers of the type."""
    return sqrt(add(square(x1), square(x2)))


def square(x: ArrayLike) -> Array:
    """numpy.square"""
    array = as_array(x)
    array = astype(array, np.int8) if array.dtype.kind == "b" else array
    return multiply(array, array)


def reciprocal(x: ArrayLike) -> Array:
    """numpy.reciprocal, of floats."""
    return divide(1, as_array(x))


def deg2rad(x: ArrayLike) -> Array:
    """numpy.deg2rad"""
    return multiply(x, float(np.pi / 180))


def rad2deg(x: ArrayLike) -> Array:
    """numpy.rad2deg"""
    return multiply(x, float(180 / np.pi))


def sigmoid(x: ArrayLike) -> Array:
    """1 / (1 + exp(-x))"""
    return divide(1, add(1, exp(negative(x))))
