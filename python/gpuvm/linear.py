"""The linear-algebra VM: thousands of small machines that run one assembler program (docs/linear-vm.md).

>>> import gpuvm.linear
>>> program = gpuvm.linear.assemble('''
... .buffer y 4 out
... .routine main
...   VMID r0
...   SETI r1, 0.5
...   ADD r2, r0, r1
...   WRITE r0, r2
...   HALT
... .phase all
... run main 4
... ''')
>>> run = program.run()
>>> run["y"].tolist(), run.registers[3].tolist(), run.status_names
([0.5, 1.5, 2.5, 3.5], [3.0, 0.5, 3.5, 0.0], ('HALTED', 'HALTED', 'HALTED', 'HALTED'))
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ._compile import Option
from ._compile import compile as compile_program
from ._html import table
from .errors import PlanError, UsageError

if TYPE_CHECKING:
    from ._program import Program as Plan
    from ._tensors import Array, Tensor
    from ._vm import Vm

__all__ = ["FAULTS", "STATUSES", "Phase", "Program", "Run", "assemble", "load"]

STATUSES: Final = ("RUNNING", "BLOCKED", "YIELDED", "HALTED", "FAULTED", "FREE")
"""Of a machine, by its number."""
FAULTS: Final = ("", "ADDRESS", "FORBIDDEN", "OVERFLOW", "UNDERFLOW")
"""Of a machine, by its number."""
ENDS: Final = ("stopped", "faulted", "deadlock", "budget", "did not run")
"""Of a phase, by its number; the last one is -1."""
_OWN: Final = ("state", "status", "fault", "counts")
"""What every program gives besides its buffers."""
_REGISTERS: Final = slice(1, 5)
_MEMORY: Final = slice(5, 21)


@dataclass(frozen=True)
class Phase:
    """What a phase took."""

    epochs: int
    linear: int
    """Instructions that are matrices, of all machines together; and so on."""
    oracle: int
    branch: int
    io: int
    end: str
    """"stopped" (all machines), "faulted", "deadlock", "budget" or "did not run"."""


class Run(Mapping[str, "Array"]):
    """What an execution left: the buffers `out` and `inout` by name, and the machines of the last phase."""

    state: npt.NDArray[np.float32]
    """A row for each machine: the instruction's number, r0 to r3, m0 to m15, and 1."""
    status: npt.NDArray[np.int32]
    """An index of STATUSES for each machine."""
    fault: npt.NDArray[np.int32]
    """An index of FAULTS for each machine; 0: none."""
    phases: tuple[Phase, ...]

    def __init__(self, outputs: Mapping[str, Array]) -> None:
        self._buffers = {name: array for name, array in outputs.items() if name not in _OWN}
        self.state, self.status, self.fault = outputs["state"], outputs["status"], outputs["fault"]
        self.phases = tuple(
            Phase(epochs, linear, oracle, branch, io, ENDS[end])
            for epochs, linear, oracle, branch, io, end in outputs["counts"].tolist()
        )

    def __getitem__(self, name: str) -> Array:
        if name not in self._buffers:
            raise UsageError(
                f'The program has no buffer "{name}" that comes out (buffers: {", ".join(self._buffers) or "none"}).'
            )
        return self._buffers[name]

    def __iter__(self) -> Any:
        return iter(self._buffers)

    def __len__(self) -> int:
        return len(self._buffers)

    @property
    def machines(self) -> int:
        """Of the last phase."""
        return len(self.state)

    @property
    def ip(self) -> npt.NDArray[np.int64]:
        """The number of the instruction that each machine is at."""
        return self.state[:, 0].astype(np.int64)

    @property
    def registers(self) -> npt.NDArray[np.float32]:
        """r0 to r3 of each machine."""
        return self.state[:, _REGISTERS]

    @property
    def memory(self) -> npt.NDArray[np.float32]:
        """m0 to m15 of each machine."""
        return self.state[:, _MEMORY]

    @property
    def status_names(self) -> tuple[str, ...]:
        """ "HALTED" and so on, of each machine."""
        return tuple(STATUSES[number] for number in self.status)

    @property
    def fault_names(self) -> tuple[str, ...]:
        """ "ADDRESS" and so on, of each machine; "" of one without a fault."""
        return tuple(FAULTS[number] for number in self.fault)

    def __repr__(self) -> str:
        ends = ", ".join(phase.end for phase in self.phases)
        return f"<gpuvm.linear.Run of {self.machines} machines: {ends}; buffers: {', '.join(self._buffers) or 'none'}>"

    def _repr_html_(self) -> str:
        rows = [(each.epochs, each.linear, each.oracle, each.branch, each.io, each.end) for each in self.phases]
        return table(("epochs", "linear", "oracle", "branch", "I/O", "end"), rows, caption=repr(self))


class Program:
    """A program of the linear-algebra VM, compiled."""

    plan: Plan
    """Which is a program like any other: `plan.save`, `plan.boot`, `plan.profile`."""

    def __init__(self, plan: Plan) -> None:
        missing = [name for name in _OWN if name not in plan.outputs]
        if missing:
            raise PlanError(f"The plan is none of the linear-algebra VM: it has no output {', '.join(missing)}.")
        self.plan = plan

    @property
    def buffers(self) -> Mapping[str, Tensor]:
        """`in`, `out`, `inout` and `temp` that the plan has as inputs or outputs, by name."""
        outputs = {name: tensor for name, tensor in self.plan.outputs.items() if name not in _OWN}
        return {**self.plan.inputs, **outputs}

    @property
    def machines(self) -> int:
        """Of the last phase."""
        return self.plan.outputs["state"].shape[0]

    def run(self, /, *, vm: Vm | None = None, **inputs: object) -> Run:
        """Runs all phases with these buffers `in` and `inout`, arrays of float32. A machine that faults is no exception.

        vm: that runs it, one of `plan.boot()`; None: that of `plan`.
        """
        return Run(self.plan(**inputs) if vm is None else vm.run(**inputs))

    __call__ = run

    def __repr__(self) -> str:
        return f"<gpuvm.linear.Program of {self.machines} machines: {', '.join(map(str, self.buffers.values())) or 'no buffers'}>"


def _compile(
    source: str | os.PathLike[str], name: str | None, options: dict[str, Option], given: Mapping[str, Option]
) -> Program:
    linear = {f"linear_{key}": value for key, value in given.items() if value is not None}
    return Program(compile_program(source, name=name, **{**linear, **options}))  # type: ignore[arg-type]


def assemble(
    text: str,
    *,
    name: str = "<text>.lvm",
    mode: str | None = None,
    budget: int | None = None,
    format: str | None = None,  # noqa: A002 - the word of --linear-format
    threshold: float | str | None = None,
    **options: Option,
) -> Program:
    """Compiles a text in the assembler's language.

    mode: "auto", "faithful" (epoch by epoch), "compiled" or "fused".
    budget: epochs of a phase, whatever it says.
    format: of matrices, "hybrid", "csr", "dense", "bsr2", "bsr4", "dictionary" or "runlength"; never visible in a result.
    threshold: the share of non-zeros from which on a matrix is dense, or "auto".
    options: of gpuvm.compile, `device`, `cache` and so on.

    CompileError names the line of what is wrong. What the compiler remarks is a CompileWarning.
    """
    if not name.endswith(".lvm"):
        raise UsageError(f'The name of a program of the linear-algebra VM ends with ".lvm", and "{name}" does not.')
    text = text if "\n" in text else f"{text}\n"
    return _compile(text, name, options, {"mode": mode, "budget": budget, "format": format, "threshold": threshold})


def load(
    path: str | os.PathLike[str],
    *,
    mode: str | None = None,
    budget: int | None = None,
    format: str | None = None,  # noqa: A002 - the word of --linear-format
    threshold: float | str | None = None,
    **options: Option,
) -> Program:
    """Compiles a file of such a text (`.lvm`), or reads a plan that was made of one (`.gvplan`); options as of assemble."""
    given = {"mode": mode, "budget": budget, "format": format, "threshold": threshold}
    if os.fspath(path).endswith(".gvplan"):
        from ._program import load as load_plan

        named = [key for key, value in (given | options).items() if value is not None and key != "device"]
        if named:
            raise UsageError(f"{os.fspath(path)} is compiled already: {', '.join(named)} would change nothing.")
        device = options.get("device", "")
        return Program(load_plan(path, device=str(device)))
    return _compile(path, None, options, given)
