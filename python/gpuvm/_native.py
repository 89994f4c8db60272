"""The two C interfaces through ctypes: gpuvm.h and gpuvm-compiler.h.

Each library is loaded when it is needed: a program that is cached or loaded needs no compiler.
"""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_uint,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path
from typing import Any, Final

from .errors import (
    DeviceError,
    DeviceLostError,
    Error,
    ExcessError,
    OutOfMemoryError,
    PlanError,
    RankError,
    UsageError,
    ValidationError,
)

RUNTIME_ABI: Final = 3  # GPUVM_ABI_VERSION
COMPILER_ABI: Final = 1  # GPUVM_COMPILER_ABI_VERSION
NOT_READY: Final = 100

PAGE_GLSL, PAGE_SPIRV = 1, 2
INPUT, OUTPUT, SYMBOL, STAGE, PROGRAM, PARAMETER = range(6)
REGIONS: Final = ("registers", "metrics", "globals", "control", "heap")


class Layout(Structure):
    """gpuvm_layout"""

    _fields_ = [
        ("instances", c_uint32),
        ("register_bytes", c_uint64),
        ("globals_bytes", c_uint64),
        ("metrics_bytes", c_uint64),
        ("control_bytes", c_uint64),
        ("heap_bytes", c_uint64),
    ]


class Options(Structure):
    """gpuvm_options"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("device", c_char_p),
        ("cache_dir", c_char_p),
        ("timeout_ms", c_uint64),
        ("validate", c_int),
        ("robust", c_int),
        ("trace", c_int),
        ("layout", Layout),
        ("vram_budget_bytes", c_uint64),
        ("trust_kernels", c_int),
        ("profile", c_int),
        ("ranks", c_void_p),
        ("share_device", c_int),
        ("link_bytes", c_uint64),
        ("shared_bytes", c_uint64),
        ("reserved", c_uint64 * 1),
    ]


class Communicator(Structure):
    """gpuvm_communicator"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("name", c_char_p),
        ("rank", c_uint32),
        ("ranks", c_uint32),
        ("local_rank", c_uint32),
        ("user", c_void_p),
        ("start", c_void_p),
        ("finish", c_void_p),
        ("abort", c_void_p),
        ("error", c_void_p),
    ]


class StatsStruct(Structure):
    """gpuvm_stats"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        *(
            (name, c_uint64)
            for name in (
                "recordings",
                "executions",
                "submits",
                "host_submits",
                "stages",
                "kernels",
                "dispatches",
                "barriers",
                "upload_bytes",
                "download_bytes",
            )
        ),
        *((name, c_double) for name in ("wall_us", "submit_us", "device_us", "upload_us", "download_us", "compile_us")),
        ("robust", c_uint64),
        ("host_bytes", c_uint64),
        ("exchanges", c_uint64),
        ("exchange_us", c_double),
    ]


class Item(Structure):
    """gpuvm_item"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("name", c_char_p),
        ("element", c_char_p),
        ("rank", c_size_t),
        ("shape", POINTER(c_int64)),
        ("size_bytes", c_uint64),
        ("region", c_int),
        ("offset", c_uint64),
        ("rows", c_char_p),
        ("bound", c_uint64),
        ("instance", c_uint32),
        ("location", c_char_p),
        ("value", c_char_p),
    ]


class Range(Structure):
    """gpuvm_file_range"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("input", c_char_p),
        ("offset", c_uint64),
        ("size_bytes", c_uint64),
        ("file_offset", c_uint64),
    ]


Refill = CFUNCTYPE(c_int, c_void_p, c_char_p, c_uint64, c_void_p, c_size_t, POINTER(c_uint64), POINTER(c_int))
Drain = CFUNCTYPE(c_int, c_void_p, c_char_p, c_uint64, c_void_p, c_size_t)


class StreamStruct(Structure):
    """gpuvm_stream"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("user", c_void_p),
        ("inputs", POINTER(c_char_p)),
        ("num_inputs", c_size_t),
        ("refill", Refill),
        ("outputs", POINTER(c_char_p)),
        ("num_outputs", c_size_t),
        ("drain", Drain),
    ]


class Request(Structure):
    """gpuvm_compile_request"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("paths", POINTER(c_char_p)),
        ("num_paths", c_size_t),
        ("text", c_char_p),
        ("text_bytes", c_size_t),
        ("name", c_char_p),
        ("options", POINTER(c_char_p)),
        ("num_options", c_size_t),
        ("progress", c_void_p),
        ("user", c_void_p),
        ("cancel", POINTER(c_int)),
    ]


class DiagnosticStruct(Structure):
    """gpuvm_diagnostic"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("severity", c_int),
        ("file", c_char_p),
        ("line", c_uint),
        ("column", c_uint),
        ("message", c_char_p),
        ("text", c_char_p),
    ]


def strings(texts: list[bytes]) -> Any:
    """An array of C strings."""
    return (c_char_p * len(texts))(*texts)


def path_bytes(path: str | os.PathLike[str], what: str = "path") -> bytes:
    """A path as C takes it."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise UsageError(f"The {what} {os.fspath(path)!r} has a null character.")
    return encoded


def text_bytes(text: str) -> bytes:
    """A name as C takes it; what has a null character names nothing."""
    return text.replace("\0", "\ufffd").encode()


def library_path(name: str) -> Path:
    """GPUVM_LIBRARY_DIR, for builds of the tree, or the folder of the installed package."""
    folder = os.environ.get("GPUVM_LIBRARY_DIR")
    return (Path(folder) if folder else Path(__file__).with_name("lib")) / name


def _load(name: str) -> ctypes.CDLL:
    path = library_path(name)
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise Error(f"The library {path} cannot be loaded ({error}).") from None


_VM = c_void_p
_SIGNATURES: Final[dict[str, tuple[Any, list[Any]]]] = {
    "vm_version": (c_char_p, []),
    "vm_abi_version": (c_uint32, []),
    "vm_options_init": (None, [POINTER(Options)]),
    "vm_boot": (c_int, [POINTER(Options), POINTER(_VM)]),
    "vm_mpi_open": (c_int, [c_uint64, POINTER(POINTER(Communicator))]),
    "vm_mpi_close": (None, [POINTER(Communicator)]),
    "vm_shutdown": (c_int, [_VM]),
    "vm_last_error": (c_char_p, [_VM]),
    "vm_device_name": (c_char_p, [_VM]),
    "vm_device_kind": (c_char_p, [_VM]),
    "vm_program": (c_int, [_VM, c_void_p, c_size_t]),
    "vm_prepare": (c_int, [_VM, c_char_p]),
    "vm_bind_input": (c_int, [_VM, c_char_p, c_void_p, c_size_t]),
    "vm_bind_file": (c_int, [_VM, c_char_p, c_char_p, c_uint64]),
    "vm_bind_file_ranges": (c_int, [_VM, c_char_p, POINTER(Range), c_size_t]),
    "vm_save": (c_int, [_VM, c_char_p]),
    "vm_restore": (c_int, [_VM, c_char_p]),
    "vm_read_output": (c_int, [_VM, c_char_p, c_void_p, c_size_t]),
    "vm_count": (c_int, [_VM, c_int, POINTER(c_size_t)]),
    "vm_describe": (c_int, [_VM, c_int, c_size_t, POINTER(Item)]),
    "vm_plan_read": (c_int, [c_void_p, c_size_t, POINTER(c_void_p)]),
    "vm_plan_count": (c_int, [c_void_p, c_int, POINTER(c_size_t)]),
    "vm_plan_describe": (c_int, [c_void_p, c_int, c_size_t, POINTER(Item)]),
    "vm_plan_free": (None, [c_void_p]),
    "vm_plan_page": (c_int, [c_void_p, c_size_t, c_char_p, c_char_p, c_int, POINTER(c_void_p), POINTER(c_size_t)]),
    "vm_page_free": (None, [c_void_p]),
    "vm_execute_async": (c_int, [_VM, c_char_p]),
    "vm_wait": (c_int, [_VM, c_uint64]),
    "vm_wait_change": (c_int, [_VM, c_char_p, c_void_p, c_size_t, c_uint64]),
    "vm_set_timeout": (c_int, [_VM, c_uint64]),
    "vm_cancel": (c_int, [_VM, c_uint64]),
    "vm_stream": (c_int, [_VM, POINTER(StreamStruct), POINTER(c_uint64)]),
    "vm_write_symbol": (c_int, [_VM, c_char_p, c_void_p, c_size_t]),
    "vm_read_symbol": (c_int, [_VM, c_char_p, c_void_p, c_size_t]),
    "vm_poll_status": (c_int, [_VM, c_uint32, POINTER(c_uint32)]),
    "vm_stats": (c_int, [_VM, POINTER(StatsStruct)]),
    "vm_profile": (c_int, [_VM, c_char_p, c_uint64, POINTER(c_char_p)]),
}
_COMPILER_SIGNATURES: Final[dict[str, tuple[Any, list[Any]]]] = {
    "vmc_version": (c_char_p, []),
    "vmc_abi_version": (c_uint32, []),
    "vmc_compile": (c_int, [POINTER(Request), POINTER(c_void_p)]),
    "vmc_plan": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "vmc_diagnostic_count": (c_size_t, [c_void_p]),
    "vmc_diagnostic": (c_int, [c_void_p, c_size_t, POINTER(DiagnosticStruct)]),
    "vmc_messages": (c_char_p, [c_void_p]),
    "vmc_free": (None, [c_void_p]),
}


def _declare(library: ctypes.CDLL, signatures: dict[str, tuple[Any, list[Any]]], version: str, abi: int) -> ctypes.CDLL:
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    found = getattr(library, version)()
    if found != abi:
        raise Error(f"The library has interface {found}, and this package takes {abi}.")
    return library


def load_library(name: str, signatures: dict[str, tuple[Any, list[Any]]], version: str, abi: int) -> ctypes.CDLL:
    """A library of the package, with what its functions take."""
    return _declare(_load(name), signatures, version, abi)


@functools.cache
def runtime() -> ctypes.CDLL:
    """libgpuvm"""
    return load_library(f"libgpuvm.so.{RUNTIME_ABI}", _SIGNATURES, "vm_abi_version", RUNTIME_ABI)


COMPILER_LIBRARY: Final = f"libgpuvm-compiler.so.{COMPILER_ABI}"


@functools.cache
def compiler() -> ctypes.CDLL:
    """libgpuvm-compiler"""
    return load_library(COMPILER_LIBRARY, _COMPILER_SIGNATURES, "vmc_abi_version", COMPILER_ABI)


_ERRORS: Final[dict[int, type[Error]]] = {
    1: ValidationError,
    2: UsageError,
    3: PlanError,
    4: DeviceError,
    5: DeviceLostError,
    6: OutOfMemoryError,
    7: ExcessError,
    8: RankError,
}


def error_of(status: int, sentence: str) -> Error:
    """The exception for a gpuvm_status."""
    return _ERRORS.get(status, Error)(sentence)
