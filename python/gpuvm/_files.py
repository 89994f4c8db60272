"""Files that are whole or absent, whenever the process ends: as runtime/base/AtomicFile.cpp writes them."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import threading
from pathlib import Path

from .errors import UsageError


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """A file without a name, which vanishes with its process, gets the name when it is whole.

    One that replaces another file has a temporary name for a moment, and on file systems without nameless files all the while.
    A process that is killed then leaves it; the next writer of the same file removes it.
    """
    target = Path(path)
    temporary = target.parent / f".{target.name}.{os.getpid()}.{threading.get_ident()}"
    try:
        descriptor, is_nameless = _open(target.parent, temporary)
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
            if is_nameless:
                try:
                    _link(descriptor, target)
                    return
                except FileExistsError:
                    _link(descriptor, temporary)
            temporary.replace(target)
            _remove_leftovers(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise UsageError(f"The file {target} cannot be written ({error.strerror}).") from error
        raise


def _open(folder: Path, temporary: Path) -> tuple[int, bool]:
    """A locked file to write, and whether it has no name."""
    if os.path.exists("/proc/self/fd"):
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            return descriptor, True
    while True:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, False
        os.close(descriptor)  # Removed as a leftover before it was locked.


def _link(descriptor: int, path: Path) -> None:
    # With a folder (not used: the path is absolute) os.link is linkat(2), which follows the link of /proc.
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor, follow_symlinks=True)


def _remove_leftovers(target: Path) -> None:
    """Temporary files of the same name whose writers have ended: their locks have ended with them."""
    for path in target.parent.glob(f".{glob.escape(target.name)}.*.*"):
        with contextlib.suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
