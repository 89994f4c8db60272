"""From a program's text or file to a plan, by gpuvm-compiler.h, or from the cache."""

from __future__ import annotations

import ctypes
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from . import _native
from ._files import write_atomically
from ._interrupt import interruptible
from ._program import Program
from .errors import CompileError, CompileWarning, Diagnostic, Error, OutOfMemoryError, UsageError

if TYPE_CHECKING:
    from ._language.traced import Traced

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
TracedSource: TypeAlias = "Traced | Sequence[Traced]"
Option = str | int | float | bool | os.PathLike[str] | Sequence[str] | Mapping[str, str | int | float] | None

_SEVERITIES: Final = ("error", "warning", "remark", "note")
# Options that change the plan and nothing else: no other file is read or written.
_PURE: Final = frozenset(
    "program fusion disable-fusion target chains park size disable-reuse barrier-price max-window-bytes spins subgroup-lanes "
    "keep-metadata keep-module exact set linear-mode linear-format linear-threshold linear-budget linear-engine".split()
)
_PURE_SUFFIXES: Final = (".mlir", ".lvm")
_DIGEST_BYTES: Final = 32


def cache_dir() -> Path:
    """The folder of compiled programs: GPUVM_CACHE_DIR, or `plans` in gpuvm's folder of the user's cache."""
    if own := os.environ.get("GPUVM_CACHE_DIR"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gpuvm" / "plans"


# --- The command line ----------------------------------------------------------


def _option(name: str, value: Option) -> list[str]:
    flag = "--" + name.strip("_").replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, (str, int, float, os.PathLike)):
        return [f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}"]
    if isinstance(value, Mapping):
        return [f"{flag}={name}={each}" for name, each in value.items()]
    return [f"{flag}={each}" for each in value]


def _is_text(source: str) -> bool:
    """A text has a line break or a brace, and a path has none."""
    return "\n" in source or "{" in source


class _Job:
    """What is compiled, how, and what its plan is kept as."""

    def __init__(self, source: Source, name: str | None, options: dict[str, Option]) -> None:
        self.paths: list[bytes] = []
        self.text: bytes | None = None
        if isinstance(source, str) and _is_text(source):
            self.text = source.encode()
        elif isinstance(source, (str, os.PathLike)):
            self.paths = [_native.path_bytes(source)]
        else:
            self.paths = [_native.path_bytes(path) for path in source]
        if name is not None and self.text is None:
            raise UsageError(f'A name ("{name}") is for a text: files have theirs.')
        self.name = name or "<text>"
        self.options = [each for key, value in options.items() for each in _option(key, value)]

    def key(self) -> str | None:
        """What a plan is made of, as one word; None where that is more than is known here."""
        import hashlib

        suffix = Path(self.name if self.text is not None else os.fsdecode(self.paths[0]) if self.paths else "").suffix
        is_pure = all(option[2:].partition("=")[0] in _PURE for option in self.options)
        if not is_pure or (self.text is None and (len(self.paths) != 1 or suffix not in _PURE_SUFFIXES)):
            return None
        library = _native.library_path(_native.COMPILER_LIBRARY)
        try:
            text = self.text if self.text is not None else Path(os.fsdecode(self.paths[0])).read_bytes()
            compiler = library.stat()
        except OSError:
            return None  # The compiler says what is wrong.
        name = self.name.encode() if self.text is not None else self.paths[0]
        identity = f"{compiler.st_size} {compiler.st_mtime_ns}".encode()
        digest = hashlib.sha256()
        for part in (identity, name, text, *(option.encode() for option in self.options)):
            digest.update(len(part).to_bytes(8, "little") + part)
        return digest.hexdigest()

    def request(self) -> tuple[_native.Request, Any]:
        """With what it points to."""
        request = _native.Request(struct_bytes=ctypes.sizeof(_native.Request))
        paths = _native.strings(self.paths)
        options = _native.strings([option.encode() for option in self.options])
        request.options, request.num_options = options, len(self.options)
        if self.text is None:
            request.paths, request.num_paths = paths, len(self.paths)
        else:
            request.text, request.text_bytes = self.text, len(self.text)
            request.name = _native.text_bytes(self.name)
        return request, (paths, options)


# --- The cache -------------------------------------------------------------------


def _read_cached(path: Path) -> bytes | None:
    """What was kept, unless its bytes have changed."""
    import hashlib

    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, plan = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    return plan if digest == hashlib.sha256(plan).digest() else None


def _keep(path: Path, plan: bytes) -> None:
    """A cache that cannot be written is none."""
    import hashlib

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, hashlib.sha256(plan).digest() + plan)
    except (OSError, UsageError):
        return


# --- The compiler ----------------------------------------------------------------


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


def _diagnostics(library: ctypes.CDLL, made: ctypes.c_void_p) -> list[Diagnostic]:
    found = []
    for index in range(library.vmc_diagnostic_count(made)):
        each = _native.DiagnosticStruct(struct_bytes=ctypes.sizeof(_native.DiagnosticStruct))
        library.vmc_diagnostic(made, index, ctypes.byref(each))
        severity = _SEVERITIES[each.severity] if each.severity < len(_SEVERITIES) else "note"
        found.append(Diagnostic(severity, _text(each.file), each.line, each.column, _text(each.message), _text(each.text)))
    return found


_STATUSES: Final[dict[int, Callable[[str], Error]]] = {2: UsageError, 6: OutOfMemoryError, 8: UsageError}


def _compile(job: _Job, cancel: ctypes.c_int) -> tuple[bytes, str]:
    """The plan, and warnings. It gives up soon after `cancel` is no longer 0."""
    library = _native.compiler()
    request, kept = job.request()
    request.cancel = ctypes.pointer(cancel)
    made = ctypes.c_void_p()
    status = library.vmc_compile(ctypes.byref(request), ctypes.byref(made))
    del kept
    try:
        messages = _text(library.vmc_messages(made)).rstrip("\n")
        if status in _STATUSES:
            raise _STATUSES[status](messages or "There is not enough memory to compile.")
        if status:
            raise CompileError(_diagnostics(library, made), messages)
        size = ctypes.c_size_t()
        return ctypes.string_at(library.vmc_plan(made, ctypes.byref(size)), size.value), messages
    finally:
        library.vmc_free(made)


def compile_to_file(source: bytes, plan: bytes, words: list[bytes], cancel: ctypes.c_int) -> None:
    """Compiles a file with options of gpuvm-compile to a plan file, which is whole or absent, with what belongs to it."""
    job = _Job(os.fsdecode(source), None, {"output": os.fsdecode(plan)})
    job.options += [os.fsdecode(word) for word in words]
    _compile(job, cancel)


def _traced(source: object) -> list[Traced]:
    """Programs in Python, or none."""
    if isinstance(source, (str, os.PathLike)):
        return []
    from ._language.traced import Traced  # It compiles texts.

    each = list(source) if isinstance(source, Sequence) else [source]
    return [one for one in each if isinstance(one, Traced)]


def compile(  # noqa: A001 - as re.compile
    source: Source | TracedSource,
    *,
    name: str | None = None,
    cache: str | os.PathLike[str] | bool | None = None,
    device: str = "",
    **options: Option,
) -> Program:
    """Compiles a program. Nothing is run, and no device is needed.

    source: a text of MLIR (what has a line break or a brace), the path of anything that gpuvm-compile takes, or several
        paths of files that are one program; or what `trace` of a program in Python gives, or several of these, which are
        programs over one memory.
    name: of a text, for messages and as its suffix says: "x.lvm" is one of the linear-algebra VM.
    cache: the folder where plans of texts, .mlir and .lvm files are kept; None or True: `cache_dir()`, False: none.
        A compilation that fails is not kept.
    device: where the program runs, as of Vm.
    options: of gpuvm-compile: `fusion="never"` is --fusion=never, `keep_metadata=True` is --keep-metadata, a list is an
        option for each, and `set={"lanes": 8}` is --set=lanes=8, the value of a parameter of the program.

    CompileError has what is wrong with the program; UsageError what is wrong with an option.
    """
    if traced := _traced(source):
        from ._language.traced import compile_traced

        return compile_traced(traced, {"cache": cache, "device": device, **options})
    job = _Job(cast(Source, source), name, options)
    key = job.key() if cache is not False else None
    folder = cache_dir() if cache is None or isinstance(cache, bool) else Path(cache)
    kept = folder / f"{key}.plan" if key else None
    if kept and (plan := _read_cached(kept)):
        return Program(plan, device=device)
    cancel = ctypes.c_int()

    def stop() -> None:
        cancel.value = 1

    plan, messages = interruptible(lambda: _compile(job, cancel), stop=stop)
    if messages:
        warnings.warn(messages, CompileWarning, stacklevel=2)
    elif kept:
        _keep(kept, plan)
    return Program(plan, device=device)
