"""A compiled program, which can be called."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ._tensors import Array, Tensor
from ._vm import Vm
from .errors import PlanError, UsageError

_MAGIC: Final = b"\x89GVP\r\n\x1a\n"


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """A file that is whole or absent, whenever the process ends."""
    target = Path(path)
    temporary = target.parent / f".{target.name}.{os.getpid()}.{threading.get_ident()}"
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise UsageError(f"The file {target} cannot be written ({error.strerror}).") from error
        raise


class Program:
    """A plan, and a VM that is booted when it is first called or asked for its inputs.

    What a program remembers stays in that VM from call to call; `boot` makes others with memory of their own.
    """

    plan: bytes
    """The bytes of the plan file."""

    def __init__(self, plan: bytes, *, device: str = "") -> None:
        """`device` as of Vm."""
        if not plan.startswith(_MAGIC):
            raise PlanError(f"{len(plan)} bytes that begin with {plan[:8]!r} are no plan.")
        self.plan = plan
        self._device = device
        self._vm: Vm | None = None
        self._lock = threading.Lock()

    @property
    def vm(self) -> Vm:
        """The VM of calls."""
        with self._lock:
            if self._vm is None or self._vm._process != os.getpid():
                self._vm = Vm(self, device=self._device)
            return self._vm

    def boot(
        self,
        *,
        device: str | None = None,
        cache: str | os.PathLike[str] | bool | None = None,
        timeout: float | None = 60.0,
        validate: bool = False,
        vram_budget: int = 0,
        trace: bool = False,
    ) -> Vm:
        """A new VM with this program; arguments as of Vm."""
        return Vm(
            self,
            device=self._device if device is None else device,
            cache=cache,
            timeout=timeout,
            validate=validate,
            vram_budget=vram_budget,
            trace=trace,
        )

    def __call__(self, /, **inputs: object) -> dict[str, Array]:
        """Runs the only program of the plan; its outputs by name. Ctrl-C ends it."""
        return self._run(None, inputs)

    def __getitem__(self, name: str) -> Callable[..., dict[str, Array]]:
        """One of several programs of the plan, over the same memory."""
        self.vm._program(name)
        return lambda **inputs: self._run(name, inputs)

    def _run(self, name: str | None, inputs: Mapping[str, object]) -> dict[str, Array]:
        with self._lock:
            if self._vm is not None and self._vm.is_lost:
                self._vm = None  # A device that was lost takes the VM with it.
        return self.vm.run(name, **inputs)

    @property
    def inputs(self) -> Mapping[str, Tensor]:
        """By name."""
        return self.vm.inputs

    @property
    def outputs(self) -> Mapping[str, Tensor]:
        """By name."""
        return self.vm.outputs

    @property
    def symbols(self) -> Mapping[str, Tensor]:
        """Metrics, globals, control words and constants, by name."""
        return self.vm.symbols

    @property
    def programs(self) -> tuple[str, ...]:
        """The names of what can be run."""
        return self.vm.programs

    def describe(self) -> str:
        """Programs, inputs, outputs and symbols, one a line."""
        return self.vm.describe()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plan file."""
        write_atomically(path, self.plan)

    def __repr__(self) -> str:
        if self._vm is None:
            return f"<gpuvm.Program: {len(self.plan)} bytes>"
        return f"<gpuvm.Program: {'; '.join(self.describe().splitlines())}>"

    def __reduce__(self) -> tuple[Callable[[bytes, str], Program], tuple[bytes, str]]:
        return _program_of, (self.plan, self._device)


def _program_of(plan: bytes, device: str) -> Program:
    return Program(plan, device=device)


def plan_bytes(program: Program | bytes | str | os.PathLike[str]) -> bytes:
    """The plan of a program, of bytes, or of a file."""
    if isinstance(program, Program):
        return program.plan
    if isinstance(program, bytes):
        return Program(program).plan
    return load(program).plan


def load(path: str | os.PathLike[str], *, device: str = "") -> Program:
    """The program of a plan file."""
    try:
        plan = Path(path).read_bytes()
    except OSError as error:
        raise PlanError(f"The plan {os.fspath(path)} cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise PlanError(f"The plan {os.fspath(path)!r} cannot be read ({error}).") from error
    if not plan.startswith(_MAGIC):
        raise PlanError(f"The file {os.fspath(path)} is no plan: gpuvm.compile makes one of a program.")
    return Program(plan, device=device)
