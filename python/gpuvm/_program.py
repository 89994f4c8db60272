"""A compiled program, which can be called."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from ._description import Description, Stage, describe_plan
from ._files import write_atomically
from ._profile import Profile
from ._ranks import Ranks
from ._tensors import Array, Tensor
from ._vm import Vm
from .errors import Error, PlanError

_MAGIC: Final = b"\x89GVP\r\n\x1a\n"


class Program:
    """A plan, and a VM that is booted when it is first called.

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
        profile: bool = False,
        ranks: Ranks | None = None,
        share_device: bool = False,
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
            profile=profile,
            ranks=ranks,
            share_device=share_device,
        )

    def __call__(self, /, **inputs: object) -> dict[str, Array]:
        """Runs the only program of the plan; its outputs by name. Ctrl-C ends it."""
        return self._run(None, inputs)

    def __getitem__(self, name: str) -> Callable[..., dict[str, Array]]:
        """One of several programs of the plan, over the same memory."""
        self._description.check_program(name)
        return lambda **inputs: self._run(name, inputs)

    def _run(self, name: str | None, inputs: Mapping[str, object]) -> dict[str, Array]:
        with self._lock:
            if self._vm is not None and self._vm.is_lost:
                self._vm = None  # A device that was lost takes the VM with it.
        return self.vm.run(name, **inputs)

    @functools.cached_property
    def _description(self) -> Description:
        """Of the plan alone: no device is opened."""
        return describe_plan(self.plan)

    @property
    def inputs(self) -> Mapping[str, Tensor]:
        """By name; in a plan of several programs with the program and a dot before it."""
        return self._description.inputs

    @property
    def outputs(self) -> Mapping[str, Tensor]:
        """By name."""
        return self._description.outputs

    @property
    def symbols(self) -> Mapping[str, Tensor]:
        """Metrics, globals, control words and constants, by name."""
        return self._description.symbols

    @property
    def parameters(self) -> Mapping[str, int | float]:
        """The values that the plan was compiled for, by name."""
        return self._description.parameters

    @property
    def programs(self) -> tuple[str, ...]:
        """The names of what can be run."""
        return self._description.programs

    @property
    def stages(self) -> tuple[Stage, ...]:
        """In the order of the source."""
        return self._description.stages

    def describe(self) -> str:
        """Programs, parameters, inputs, outputs and symbols, one a line."""
        return str(self._description)

    def profile(self, program: str | None = None, /, *, executions: int = 10, warmup: int = 1, **inputs: object) -> Profile:
        """Where the device's time goes, measured in a VM of its own with empty memory (Vm.profile)."""
        with self.boot(profile=True) as vm:
            return vm.profile(program, executions=executions, warmup=warmup, **inputs)

    def page(self, *, title: str | None = None, profile: Profile | None = None, code: Sequence[str] = ("glsl",)) -> str:
        """The plan as one page of HTML that needs nothing from outside (docs/looking-at-plans.md): graph, commands, memory.

        title: None: the program's name.
        profile: one of this program, whose times the page shows.
        code: which texts of kernels it has, of "glsl" and "spirv".
        """
        from ._description import plan_page

        return plan_page(self.plan, title, profile.text if profile else None, code)

    def html(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        profile: Profile | None = None,
        code: Sequence[str] = ("glsl", "spirv"),
    ) -> None:
        """Writes that page to a file, in one step."""
        write_atomically(path, self.page(title=title, profile=profile, code=code).encode())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plan file."""
        write_atomically(path, self.plan)

    def __repr__(self) -> str:
        with contextlib.suppress(Error):
            return f"<gpuvm.Program: {'; '.join(self.describe().splitlines())}>"
        return f"<gpuvm.Program: {len(self.plan)} bytes>"

    def _repr_html_(self) -> str:
        return self._description._repr_html_()

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
