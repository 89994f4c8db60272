"""Dataflow programs on any Vulkan device.

>>> import gpuvm, numpy as np
>>> program = gpuvm.compile("examples/hello.mlir")
>>> program(x=np.arange(8, dtype=np.float32))
{'sum': array(140., dtype=float32)}

docs/python.md says what arrays are taken, what is kept where, and what can go wrong.
"""

from typing import Any

from . import ops
from ._compile import cache_dir, compile
from ._description import Stage
from ._language.arguments import Bounded, Packed
from ._language.array import Array
from ._language.control import Stage as StageFunction
from ._language.control import at, map, max_abs, norm, repeat, send, shared, stage, status, ticks, until, when, while_loop
from ._language.missing import MissingError
from ._language.program import TracedProgram, program
from ._language.symbols import Control, Global, Heap, Metric, Register
from ._language.traced import Traced
from ._profile import KernelTime, Profile, Spread, StageTime
from ._program import Program, load
from ._ranks import Ranks
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
    RankError,
    TraceError,
    UsageError,
    ValidationError,
)

__all__ = [
    "Array",
    "Bounded",
    "CompileError",
    "CompileWarning",
    "Control",
    "DeviceError",
    "DeviceLostError",
    "Diagnostic",
    "Error",
    "ExcessError",
    "FileRange",
    "Global",
    "Heap",
    "InputError",
    "KernelTime",
    "Metric",
    "MissingError",
    "OutOfMemoryError",
    "Packed",
    "PlanError",
    "Profile",
    "Program",
    "RankError",
    "Ranks",
    "Register",
    "Run",
    "Spread",
    "Stage",
    "StageFunction",
    "StageTime",
    "Stats",
    "Tensor",
    "TraceError",
    "Traced",
    "TracedProgram",
    "UsageError",
    "ValidationError",
    "Vm",
    "at",
    "bfloat16_bits",
    "bfloat16_values",
    "cache_dir",
    "compile",
    "load",
    "map",
    "max_abs",
    "norm",
    "ops",
    "program",
    "repeat",
    "send",
    "shared",
    "stage",
    "status",
    "ticks",
    "until",
    "when",
    "while_loop",
]

for _name in __all__:  # Where users find them, in tracebacks and pickles.
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__


def __getattr__(name: str) -> Any:
    if name in ("linear", "llm", "token"):  # Which take time to load.
        import importlib

        return importlib.import_module(f".{name}", __name__)
    if name == "__version__":
        from ._native import runtime

        return str(runtime().vm_version().decode())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
