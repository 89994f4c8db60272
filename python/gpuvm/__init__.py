"""Dataflow programs on any Vulkan device.

>>> import gpuvm, numpy as np
>>> program = gpuvm.compile("examples/hello.mlir")
>>> program(x=np.arange(8, dtype=np.float32))
{'sum': array(140., dtype=float32)}

docs/python.md says what arrays are taken, what is kept where, and what can go wrong.
"""

from ._compile import cache_dir, compile
from ._description import Stage
from ._profile import KernelTime, Profile, Spread, StageTime
from ._program import Program, load
from ._tensors import Tensor, bfloat16_bits, bfloat16_values
from ._vm import FileRange, Run, Stats, Vm
from .errors import (
    CompileError,
    CompileWarning,
    DeviceError,
    DeviceLostError,
    Diagnostic,
    Error,
    ExcessError,
    InputError,
    OutOfMemoryError,
    PlanError,
    UsageError,
    ValidationError,
)

__all__ = [
    "CompileError",
    "CompileWarning",
    "DeviceError",
    "DeviceLostError",
    "Diagnostic",
    "Error",
    "ExcessError",
    "FileRange",
    "InputError",
    "KernelTime",
    "OutOfMemoryError",
    "PlanError",
    "Profile",
    "Program",
    "Run",
    "Spread",
    "Stage",
    "StageTime",
    "Stats",
    "Tensor",
    "UsageError",
    "ValidationError",
    "Vm",
    "bfloat16_bits",
    "bfloat16_values",
    "cache_dir",
    "compile",
    "load",
]

for _name in __all__:  # Where users find them, in tracebacks and pickles.
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__


def __getattr__(name: str) -> str:
    if name == "__version__":
        from ._native import runtime

        return str(runtime().vm_version().decode())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
