"""What can go wrong, as exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class Error(Exception):
    """All failures of gpuvm."""


@dataclass(frozen=True)
class Diagnostic:
    """An error or warning of the compiler, or a note on the one before it."""

    severity: str
    """"error", "warning", "remark" or "note"."""
    file: str
    """"" if it has no place."""
    line: int
    """From 1; 0 if unknown."""
    column: int
    message: str
    text: str
    """As gpuvm-compile prints it, with the line of the source; "" of a note."""

    def __str__(self) -> str:
        return self.text.rstrip("\n") or self.message


class CompileError(Error):
    """A program that does not compile. `str()` is what gpuvm-compile prints."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, diagnostics: Sequence[Diagnostic], text: str) -> None:
        super().__init__(text)
        self.diagnostics = tuple(diagnostics)

    def __reduce__(self) -> tuple[type[CompileError], tuple[tuple[Diagnostic, ...], str]]:
        return type(self), (self.diagnostics, str(self))


class TraceError(Error, TypeError):
    """A function of a program asks for what the language does not have, or for what only the device knows."""


class CompileWarning(UserWarning):
    """What the compiler warns of; the program is compiled."""


class InputError(Error, ValueError):
    """A value that an input does not take, or an input that is not given or does not exist."""

    argument: str

    def __init__(self, argument: str, text: str) -> None:
        super().__init__(text)
        self.argument = argument

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str]]:
        return type(self), (self.argument, str(self))


class UsageError(Error):
    """A call that makes no sense here, or a file that cannot be written."""


class PlanError(Error):
    """A bad plan, or data that does not fit it."""


class DeviceError(Error):
    """No device has what is needed."""


class DeviceLostError(DeviceError):
    """The device is lost, or an execution was given up: past its deadline, or cancelled and not ended."""


class OutOfMemoryError(Error, MemoryError):
    """Host or device memory is exhausted."""


class ExcessError(Error):
    """The device found more than there is room for."""


class RankError(Error):
    """Another process of the same run has failed, is late, or has something else to run."""


class ValidationError(Error):
    """The Vulkan validation layer complains."""
