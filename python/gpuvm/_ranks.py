"""The processes of one run: vm_mpi_open of gpuvm.h."""

from __future__ import annotations

import ctypes
import weakref
from types import TracebackType

from . import _native
from ._time import milliseconds
from .errors import UsageError


class Ranks:
    """The processes that mpirun or srun has started, through Open MPI, which is opened when this is made.

    Each makes one, gives it to its VMs, `program.boot(ranks=ranks)`, and closes it after them: `with` does. Both wait for
    the others. If MPI is initialized already (mpi4py does that), it is that one.
    """

    rank: int
    """The number of this process, 0 to size - 1."""
    size: int
    """How many processes there are."""
    local_rank: int
    """The number of this one among those of its host."""
    name: str
    """What carries messages, such as "MPI (Open MPI v4.1.4)"."""

    def __init__(self, *, timeout: float | None = 60.0) -> None:
        """timeout: seconds for the messages by which the processes meet, and part."""
        library = _native.runtime()
        pointer = ctypes.POINTER(_native.Communicator)()
        status = library.vm_mpi_open(milliseconds(timeout), ctypes.byref(pointer))
        if status:
            raise _native.error_of(status, library.vm_last_error(None).decode(errors="replace"))
        found = pointer.contents
        self.rank, self.size, self.local_rank = found.rank, found.ranks, found.local_rank
        self.name = found.name.decode()
        self._pointer = pointer
        self._close = weakref.finalize(self, library.vm_mpi_close, pointer)

    def __repr__(self) -> str:
        return f"<gpuvm.Ranks: {self.rank} of {self.size}, {self.name}{'' if self._close.alive else ', closed'}>"

    def __enter__(self) -> Ranks:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Waits for the others, and finalizes MPI if this has initialized it. VMs that use it are closed before."""
        self._close()

    def _address(self) -> int:
        if not self._close.alive:
            raise UsageError("The ranks are closed.")
        return ctypes.addressof(self._pointer.contents)
