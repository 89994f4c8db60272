"""An array that is not there yet: what a traced function computes with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from .dtypes import DType, Scalar
from .emission import current, host_array, is_tracing
from .frames import place
from .ir import Value

ArrayLike = Any
"""An Array, an array of NumPy, a number, or a list of numbers."""


class Array:
    """An array, or within gpuvm.map a number, that the device computes.

    It has NumPy's operators, indices, and methods; functions are in gpuvm.numpy. What it holds is known when the program
    runs, so Python cannot branch on it.
    """

    __slots__ = ("_dtype", "_value")
    __array_priority__ = 1000

    def __init__(self, value: Value, dtype: DType) -> None:
        """Made by gpuvm only."""
        self._value = value
        self._dtype = dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a bounded array, with as many rows as it may have."""
        return self._value.shape

    @property
    def dtype(self) -> DType:
        """NumPy's."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """Dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    def __repr__(self) -> str:
        name = f'"{self._value.hint}", ' if self._value.hint else ""
        return f"<gpuvm.Array {name}{self.dtype}, shape {self.shape}: known when the program runs>"

    # --- What Python would need to know now -------------------------------------

    def _refuse(self, what: str, advice: str) -> NoReturn:
        name = f'"{self._value.hint}"' if self._value.hint else "This value"
        raise TraceError(f"{name} is known when the program runs, not while it is traced ({place()}): {what}; {advice}.")

    def __bool__(self) -> bool:
        self._refuse(
            "Python cannot branch on it (if, while, and, or, not)",
            "use gnp.where(c, a, b), gpuvm.when(c, stage, x), gpuvm.repeat(n, body, x) with gpuvm.until, or & | ~",
        )

    def __iter__(self) -> Iterator[Array]:
        self._refuse("Python cannot loop over it", "use x[i] for a fixed i, gpuvm.repeat, or an operation on all of it")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no len()")
        return self.shape[0]

    def __int__(self) -> int:
        self._refuse("there is no int() of it", "use x.astype(np.int32)")

    def __index__(self) -> int:
        self._refuse("it is no size, index or range() of Python", "give sizes as arguments with a default; x[i] takes arrays")

    def __float__(self) -> float:
        self._refuse("there is no float() of it", "use x.astype(np.float32), and gpuvm.numpy in the place of math")

    def __complex__(self) -> complex:
        self._refuse("there is no complex() of it", "a complex number is two floats (gpuvm.numpy.fft)")

    def __array__(self, *_: object, **__: object) -> npt.NDArray[Any]:
        self._refuse("NumPy cannot have it", "use the function of that name in gpuvm.numpy")

    def __contains__(self, item: object) -> bool:
        self._refuse("there is no `in`", "use gnp.any(x == item)")

    def __hash__(self) -> int:
        return id(self)

    def __reduce__(self) -> NoReturn:
        self._refuse("it cannot be pickled or copied", "return it from the program")

    # --- NumPy's own functions ---------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        return _numpy_function(name)(*inputs, **options)

    def __array_function__(
        self, function: Callable[..., Any], types: Sequence[type], inputs: Sequence[Any], options: dict[str, Any]
    ) -> Any:
        module = getattr(function, "__module__", "") or ""
        inner = module.removeprefix("numpy").lstrip(".")
        prefix = f"{inner}." if inner in ("fft", "linalg", "random") else ""
        return _numpy_function(prefix + function.__name__)(*inputs, **options)

    # --- Operators ------------------------------------------------------------------

    def __add__(self, other: ArrayLike) -> Array:
        return elementwise.add(self, other)

    def __radd__(self, other: ArrayLike) -> Array:
        return elementwise.add(other, self)

    def __sub__(self, other: ArrayLike) -> Array:
        return elementwise.subtract(self, other)

    def __rsub__(self, other: ArrayLike) -> Array:
        return elementwise.subtract(other, self)

    def __mul__(self, other: ArrayLike) -> Array:
        return elementwise.multiply(self, other)

    def __rmul__(self, other: ArrayLike) -> Array:
        return elementwise.multiply(other, self)

    def __truediv__(self, other: ArrayLike) -> Array:
        return elementwise.divide(self, other)

    def __rtruediv__(self, other: ArrayLike) -> Array:
        return elementwise.divide(other, self)

    def __floordiv__(self, other: ArrayLike) -> Array:
        return elementwise.floor_divide(self, other)

    def __rfloordiv__(self, other: ArrayLike) -> Array:
        return elementwise.floor_divide(other, self)

    def __mod__(self, other: ArrayLike) -> Array:
        return elementwise.remainder(self, other)

    def __rmod__(self, other: ArrayLike) -> Array:
        return elementwise.remainder(other, self)

    def __pow__(self, other: ArrayLike) -> Array:
        return elementwise.power(self, other)

    def __rpow__(self, other: ArrayLike) -> Array:
        return elementwise.power(other, self)

    def __matmul__(self, other: ArrayLike) -> Array:
        return products.matmul(self, other)

    def __rmatmul__(self, other: ArrayLike) -> Array:
        return products.matmul(other, self)

    def __and__(self, other: ArrayLike) -> Array:
        return elementwise.bitwise_and(self, other)

    def __rand__(self, other: ArrayLike) -> Array:
        return elementwise.bitwise_and(other, self)

    def __or__(self, other: ArrayLike) -> Array:
        return elementwise.bitwise_or(self, other)

    def __ror__(self, other: ArrayLike) -> Array:
        return elementwise.bitwise_or(other, self)

    def __xor__(self, other: ArrayLike) -> Array:
        return elementwise.bitwise_xor(self, other)

    def __rxor__(self, other: ArrayLike) -> Array:
        return elementwise.bitwise_xor(other, self)

    def __lshift__(self, other: ArrayLike) -> Array:
        return elementwise.left_shift(self, other)

    def __rlshift__(self, other: ArrayLike) -> Array:
        return elementwise.left_shift(other, self)

    def __rshift__(self, other: ArrayLike) -> Array:
        return elementwise.right_shift(self, other)

    def __rrshift__(self, other: ArrayLike) -> Array:
        return elementwise.right_shift(other, self)

    def __eq__(self, other: ArrayLike) -> Array:  # type: ignore[override]
        return elementwise.equal(self, other)

    def __ne__(self, other: ArrayLike) -> Array:  # type: ignore[override]
        return elementwise.not_equal(self, other)

    def __lt__(self, other: ArrayLike) -> Array:
        return elementwise.less(self, other)

    def __le__(self, other: ArrayLike) -> Array:
        return elementwise.less_equal(self, other)

    def __gt__(self, other: ArrayLike) -> Array:
        return elementwise.greater(self, other)

    def __ge__(self, other: ArrayLike) -> Array:
        return elementwise.greater_equal(self, other)

    def __neg__(self) -> Array:
        return elementwise.negative(self)

    def __pos__(self) -> Array:
        return elementwise.positive(self)

    def __abs__(self) -> Array:
        return elementwise.absolute(self)

    def __invert__(self) -> Array:
        return elementwise.invert(self)

    def __getitem__(self, index: Any) -> Array:
        return indexing.get(self, index)

    def __setitem__(self, index: Any, value: ArrayLike) -> None:
        self._refuse("an array of a program does not change", "x = x.at[i].set(y) is a new one")

    @property
    def at(self) -> indexing.At:
        """`x.at[i].add(y)`: an array with other elements in some places; set, add, min, max, and, or, xor."""
        return indexing.At(self)

    # --- Methods ------------------------------------------------------------------

    @property
    def T(self) -> Array:  # noqa: N802 - as in NumPy
        """gpuvm.numpy.transpose."""
        return shapes.transpose(self)

    def astype(self, dtype: npt.DTypeLike) -> Array:
        """Its numbers in another type; floats that an integer cannot hold become its nearest."""
        return elementwise.astype(self, dtype)

    def view(self, dtype: npt.DTypeLike) -> Array:
        """Its bits as another type of the same width."""
        return elementwise.view(self, dtype)

    def reshape(self, *shape: Any) -> Array:
        """gpuvm.numpy.reshape."""
        return shapes.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Array:
        """gpuvm.numpy.transpose."""
        return shapes.transpose(self, (axes[0] if len(axes) == 1 else axes) if axes else None)

    def ravel(self) -> Array:
        """gpuvm.numpy.ravel."""
        return shapes.reshape(self, (-1,))

    flatten = ravel

    def squeeze(self, axis: int | tuple[int, ...] | None = None) -> Array:
        """gpuvm.numpy.squeeze."""
        return shapes.squeeze(self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> Array:
        """gpuvm.numpy.swapaxes."""
        return shapes.swapaxes(self, axis1, axis2)

    def clip(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:  # noqa: A002
        """gpuvm.numpy.clip."""
        return elementwise.clip(self, min, max)

    def round(self) -> Array:
        """gpuvm.numpy.rint."""
        return elementwise.rint(self)

    def dot(self, other: ArrayLike) -> Array:
        """gpuvm.numpy.dot."""
        return products.dot(self, other)

    def sum(self, axis: reductions.Axis = None, dtype: npt.DTypeLike = None, keepdims: bool = False) -> Array:
        """gpuvm.numpy.sum."""
        return reductions.sum(self, axis, dtype=dtype, keepdims=keepdims)

    def prod(self, axis: reductions.Axis = None, dtype: npt.DTypeLike = None, keepdims: bool = False) -> Array:
        """gpuvm.numpy.prod."""
        return reductions.prod(self, axis, dtype=dtype, keepdims=keepdims)

    def mean(self, axis: reductions.Axis = None, dtype: npt.DTypeLike = None, keepdims: bool = False) -> Array:
        """gpuvm.numpy.mean."""
        return reductions.mean(self, axis, dtype=dtype, keepdims=keepdims)

    def max(self, axis: reductions.Axis = None, keepdims: bool = False) -> Array:
        """gpuvm.numpy.max."""
        return reductions.max(self, axis, keepdims=keepdims)

    def min(self, axis: reductions.Axis = None, keepdims: bool = False) -> Array:
        """gpuvm.numpy.min."""
        return reductions.min(self, axis, keepdims=keepdims)

    def any(self, axis: reductions.Axis = None, keepdims: bool = False) -> Array:
        """gpuvm.numpy.any."""
        return reductions.any(self, axis, keepdims=keepdims)

    def all(self, axis: reductions.Axis = None, keepdims: bool = False) -> Array:
        """gpuvm.numpy.all."""
        return reductions.all(self, axis, keepdims=keepdims)

    def var(self, axis: reductions.Axis = None, ddof: float = 0, keepdims: bool = False) -> Array:
        """gpuvm.numpy.var."""
        return reductions.var(self, axis, ddof=ddof, keepdims=keepdims)

    def std(self, axis: reductions.Axis = None, ddof: float = 0, keepdims: bool = False) -> Array:
        """gpuvm.numpy.std."""
        return reductions.std(self, axis, ddof=ddof, keepdims=keepdims)

    def argmax(self, axis: int | None = None) -> Array:
        """gpuvm.numpy.argmax."""
        return reductions.argmax(self, axis)

    def argmin(self, axis: int | None = None) -> Array:
        """gpuvm.numpy.argmin."""
        return reductions.argmin(self, axis)

    def cumsum(self, axis: int | None = None, dtype: npt.DTypeLike = None) -> Array:
        """gpuvm.numpy.cumsum."""
        return reductions.cumsum(self, axis, dtype)

    def cumprod(self, axis: int | None = None, dtype: npt.DTypeLike = None) -> Array:
        """gpuvm.numpy.cumprod."""
        return reductions.cumprod(self, axis, dtype)

    def take(self, indices: ArrayLike, axis: int | None = None) -> Array:
        """gpuvm.numpy.take."""
        return indexing.take(self, indices, axis)


def _numpy_function(name: str) -> Callable[..., Any]:
    from .. import numpy as gnp

    target: Any = gnp
    for part in name.split("."):
        target = getattr(target, part)
    found: Callable[..., Any] = target
    return found


def as_array(value: ArrayLike) -> Array:
    """An operand that has a type."""
    if isinstance(value, Array):
        return _checked(value)
    if isinstance(value, (list, tuple)):
        if any(isinstance(each, Array) for each in value):
            from .shapes import stack

            return stack(value)
        made = np.array(value)
        return Array(host_array(made, what=value), made.dtype)
    found = np.asarray(value)
    return Array(host_array(found), found.dtype.newbyteorder("="))


def _checked(array: Array) -> Array:
    """One of the program that is being made."""
    if not is_tracing():
        raise TraceError(
            f"The program of {array!r} has been made: an array of a program must not be kept outside of it; return it instead."
        )
    block = array._value.block
    while block.parent is not None:
        block = block.parent
    if block is not current().program:
        raise TraceError(f'{array!r} belongs to another call of the program "{block.name}": return it from there.')
    return array


def as_operand(value: ArrayLike) -> Array | Scalar:
    """An array, or a number without a type of its own."""
    if isinstance(value, (bool, int, float, np.generic)):
        if isinstance(value, (complex, np.complexfloating)):
            raise TraceError(f"{value} is complex: a complex number is two floats (gpuvm.numpy.fft).")
        return value
    return as_array(value)


from . import elementwise, indexing, products, reductions, shapes  # noqa: E402 - they make Arrays
