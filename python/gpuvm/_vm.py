"""A machine with memory: vm_boot to vm_shutdown of gpuvm.h."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from . import _native
from ._description import Stage, describe
from ._html import Results, table
from ._interrupt import interruptible
from ._profile import Profile
from ._ranks import Ranks
from ._tensors import Array, Tensor, convert, suggest
from ._time import milliseconds
from .errors import DeviceError, DeviceLostError, Error, InputError, UsageError

if TYPE_CHECKING:
    from types import TracebackType

    from ._program import Program

_SLICE_MS: Final = 50
"""Of a wait, after which handlers of signals run."""
_GRACE_MS: Final = 250
"""For a program that is interrupted to end by itself."""
_DEVICE_LOST: Final = 5
_LIVE: Final = ("metrics", "control")
"""Regions that can be read while something executes."""

_state = {"booted": False, "forked": False}


def _after_fork() -> None:
    _state["forked"] = _state["booted"]


os.register_at_fork(after_in_child=_after_fork)


@dataclass(frozen=True)
class Stats:
    """Counters since the program was loaded, and times of the last execution in microseconds."""

    recordings: int
    executions: int
    submits: int
    host_submits: int
    stages: int
    kernels: int
    dispatches: int
    barriers: int
    upload_bytes: int
    download_bytes: int
    wall_us: float
    submit_us: float
    device_us: float
    upload_us: float
    download_us: float
    compile_us: float
    robust: bool
    host_bytes: int
    """Of the program's memory that lie in host memory, because the device or vram_budget has no room."""
    exchanges: int
    exchange_us: float


@dataclass(frozen=True)
class FileRange:
    """Some bytes of an input, and where they are in a file."""

    input: str
    file_offset: int
    size: int | None = None
    """None: all of the input from `offset` on."""
    offset: int = 0


def _shut_down(handle: ctypes.c_void_p, process: int, at_work: threading.Lock) -> None:
    """After a call that was interrupted, whose thread goes on."""
    if os.getpid() == process:
        library = _native.runtime()
        library.vm_cancel(handle, _GRACE_MS)
        with at_work:
            library.vm_shutdown(handle)


def _address(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _count(value: int, what: str, bits: int = 64) -> int:
    """A number as C takes it, which would cut it silently."""
    if not 0 <= value < 1 << bits:
        raise UsageError(f"The {what} {value} is no number from 0 to {(1 << bits) - 1}.")
    return value


def _boot(
    plan: bytes,
    device: str,
    cache: str | os.PathLike[str] | bool | None,
    timeout: float | None,
    validate: bool,
    vram_budget: int,
    trace: bool,
    profile: bool,
    ranks: Ranks | None,
    share_device: bool,
) -> ctypes.c_void_p:
    """A VM with the plan."""
    library = _native.runtime()
    if _state["forked"]:
        raise DeviceError(
            "This process was forked from one that had a VM, whose driver does not work here: "
            'start it by "spawn" or "forkserver" (multiprocessing.set_start_method), or boot the first VM after the fork.'
        )
    options = _native.Options()
    library.vm_options_init(ctypes.byref(options))
    options.device = _native.text_bytes(device)
    if cache is False:
        options.cache_dir = b""
    elif cache is not None and cache is not True:
        options.cache_dir = _native.path_bytes(cache, "cache folder")
    options.timeout_ms = milliseconds(timeout)
    options.validate = validate
    options.trace = trace
    options.profile = profile
    options.vram_budget_bytes = _count(vram_budget, "vram_budget")
    options.ranks = None if ranks is None else ranks._address()
    options.share_device = share_device
    handle = ctypes.c_void_p()
    _state["booted"] = True
    status = library.vm_boot(ctypes.byref(options), ctypes.byref(handle))
    if status:
        raise _native.error_of(status, library.vm_last_error(None).decode(errors="replace"))
    status = library.vm_program(handle, plan, len(plan))
    if status:
        sentence = library.vm_last_error(handle).decode(errors="replace")
        library.vm_shutdown(handle)
        raise _native.error_of(status, sentence)
    return handle


class Vm:
    """A VM with the programs of a plan over one memory, which keeps what executions leave in it.

    Any thread may call it: a call that binds and executes goes before or after another one. `with` closes it.
    """

    plan: bytes
    """The bytes of the plan file."""

    def __init__(
        self,
        program: Program | bytes | str | os.PathLike[str],
        /,
        *,
        device: str = "",
        cache: str | os.PathLike[str] | bool | None = None,
        timeout: float | None = 60.0,
        validate: bool = False,
        vram_budget: int = 0,
        trace: bool = False,
        profile: bool = False,
        ranks: Ranks | None = None,
        share_device: bool = False,
    ) -> None:
        """Boots a VM and loads a program: one that is compiled, the bytes of a plan, or the path of a plan file.

        device: "" (a GPU if there is one), "gpu", "cpu", "lavapipe", an index, or a part of the device's name.
        cache: the folder of compiled kernels; None or True: the user's, False: none.
        timeout: seconds that an execution may take; None: any time.
        vram_budget: bytes of device memory that the program may take; what kernels only read can lie in host memory instead.
            0: what the device has.
        profile: time each command, at some cost, so that `profile` can say where the time goes.
        ranks: the processes that run the program together. Each makes a VM of it, which compares programs and devices;
            save, restore and executions with exchanges are calls of all of them, too.
        share_device: ranks may have the same GPU.
        """
        from ._program import plan_bytes  # It boots VMs.

        plan = plan_bytes(program)
        at_work = threading.Lock()
        process = os.getpid()
        handle = interruptible(
            lambda: _boot(plan, device, cache, timeout, validate, vram_budget, trace, profile, ranks, share_device),
            undo=lambda handle: _shut_down(handle, process, at_work),
        )
        self.plan = plan
        self._ranks = ranks  # As long as the VM.
        self._handle = handle
        self._process = process
        self._library = _native.runtime()
        self._lock = threading.RLock()
        self._at_work = at_work
        self._streaming = 0
        """The thread that calls back, or 0."""
        self._close = weakref.finalize(self, _shut_down, handle, process, at_work)
        self._describe_all()

    def __repr__(self) -> str:
        if not self._close.alive:
            return "<gpuvm.Vm: closed>"
        return f"<gpuvm.Vm on {self.device}: {', '.join(self.programs)}>"

    def _repr_html_(self) -> str:
        """Counters and times, and what symbols hold that can be read now."""
        if not self._close.alive:
            return table((), (), caption=repr(self))
        stats = self.stats()
        names = ("executions", "submits", "dispatches", "barriers", "wall_us", "device_us", "upload_bytes", "download_bytes")
        rows: list[tuple[object, ...]] = [(name, getattr(stats, name)) for name in names]
        for name, tensor in self.symbols.items():
            if tensor.region in _LIVE and not tensor.shape:
                rows.append((name, self.read(name).item()))
        return table(("", "now"), rows, caption=repr(self))

    def __enter__(self) -> Vm:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Frees everything; an execution in flight is cancelled."""
        self._close()

    def reload(self) -> None:
        """Loads the plan again, with empty memory and nothing bound, as a VM that has lost its device needs it."""
        with self._alone():
            self._is_lost = False
            self._call_long("vm_program", self.plan, len(self.plan))
            self._describe_all()

    def _describe_all(self) -> None:
        self._is_lost = False
        self._bound: set[str] = set()
        self._prepared: set[str] = set()
        self._last: Run | None = None
        self._description = describe(self._call)
        self.inputs: Mapping[str, Tensor] = self._description.inputs
        """By name; in a plan of several programs with the program and a dot before it."""
        self.outputs: Mapping[str, Tensor] = self._description.outputs
        self.symbols: Mapping[str, Tensor] = self._description.symbols
        """Metrics, globals, control words and constants."""
        self.parameters: Mapping[str, int | float] = self._description.parameters
        """The values that the plan was compiled for, by name."""
        self.programs: tuple[str, ...] = self._description.programs
        self.stages: tuple[Stage, ...] = self._description.stages

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """What binds and executes goes one after the other; a callback of a stream would wait for its own end."""
        if self._streaming == threading.get_ident():
            raise UsageError(
                "The VM is streaming: chunks and takers may read and write metrics and control words, and nothing else."
            )
        with self._lock:
            yield

    # --- Calls ---------------------------------------------------------------

    def _check_open(self) -> None:
        if not self._close.alive:
            raise UsageError("The VM is closed.")
        if os.getpid() != self._process:
            raise DeviceError("The VM belongs to the process that this one was forked from: boot it in the process that uses it.")
        if self._is_lost:
            raise DeviceLostError("The VM has given its device up, and its memory with it: reload() loads the plan again.")

    @property
    def is_lost(self) -> bool:
        """Whether the device was given up, so that `reload` must come first."""
        return self._is_lost

    def _raise(self, status: int) -> NoReturn:
        self._is_lost = self._is_lost or status == _DEVICE_LOST
        raise _native.error_of(status, self._library.vm_last_error(self._handle).decode(errors="replace"))

    def _call(self, name: str, *arguments: Any) -> None:
        self._check_open()
        status = getattr(self._library, name)(self._handle, *arguments)
        if status:
            self._raise(status)

    def _call_long(self, name: str, *arguments: Any) -> None:
        """The same, without keeping Ctrl-C waiting."""

        def call() -> None:
            with self._at_work:
                self._call(name, *arguments)

        interruptible(call)

    # --- Names ---------------------------------------------------------------

    def _program(self, program: str | None) -> str:
        return self._description.check_program(program)

    def _names_of(self, program: str, all_of_plan: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The tensors of a program, and those that belong to none, by their names in it."""
        if len(self.programs) == 1:
            return dict(all_of_plan)
        own: dict[str, Tensor] = {}
        for name, tensor in all_of_plan.items():
            owner, _, short = name.partition(".")
            if owner == program:
                own[short] = tensor
            elif owner not in self.programs:
                own.setdefault(name, tensor)
        return own

    def _find(self, name: str, known: Mapping[str, Tensor], what: str) -> Tensor:
        """By its whole name, or by that without its program's."""
        if name in known:
            return known[name]
        owned = [(*full.partition("."), tensor) for full, tensor in known.items()]
        short = [tensor for owner, _, rest, tensor in owned if rest == name and owner in self.programs]
        if len(short) == 1:
            return short[0]
        names = ", ".join(known) or "none"
        why = f"several programs have one: {', '.join(t.name for t in short)}" if short else f"{what}s: {names}"
        raise InputError(name, f'There is no {what} "{name}"{"" if short else suggest(name, known)} ({why}).')

    # --- Data ----------------------------------------------------------------

    def _bind_array(self, tensor: Tensor, array: Array) -> None:
        self._call("vm_bind_input", _native.text_bytes(tensor.name), _address(array), array.nbytes)

    def bind(self, arrays: Mapping[str, object] | None = None, /, **more: object) -> None:
        """Gives inputs their data, for all executions until they are bound again. All are checked first."""
        with self._alone():
            given = {**(arrays or {}), **more}
            found = [(self._find(name, self.inputs, "input"), value) for name, value in given.items()]
            converted = [(tensor, convert(value, tensor)) for tensor, value in found]
            for tensor, array in converted:
                self._bind_array(tensor, array)
                self._bound.add(tensor.name)

    def bind_file(self, name: str, path: str | os.PathLike[str], offset: int = 0) -> None:
        """Binds an input to bytes of a file, which are copied piece by piece: to the end if its rows are counted."""
        with self._alone():
            tensor = self._find(name, self.inputs, "input")
            start = _count(offset, "offset in the file")
            self._bound.discard(tensor.name)  # If it fails, it is not bound.
            self._call_long("vm_bind_file", _native.text_bytes(tensor.name), _native.path_bytes(path), start)
            self._bound.add(tensor.name)

    def bind_file_ranges(self, path: str | os.PathLike[str], ranges: Sequence[FileRange]) -> None:
        """Binds inputs, or parts of them, to ranges of one file."""
        with self._alone():
            structs = (_native.Range * len(ranges))()
            names = set()
            for struct, part in zip(structs, ranges, strict=True):
                tensor = self._find(part.input, self.inputs, "input")
                offset = _count(part.offset, f'offset in "{tensor.name}"')
                size = max(0, tensor.nbytes - offset) if part.size is None else part.size
                struct.struct_bytes = ctypes.sizeof(_native.Range)
                struct.input = _native.text_bytes(tensor.name)
                struct.offset = offset
                struct.size_bytes = _count(size, f'size of "{tensor.name}"')
                struct.file_offset = _count(part.file_offset, "offset in the file")
                names.add(tensor.name)
            self._bound -= names  # If it fails, none of them is bound.
            self._call_long("vm_bind_file_ranges", _native.path_bytes(path), structs, len(ranges))
            self._bound |= names

    def read(self, name: str) -> Array:
        """An output as the last execution left it, cut to its real rows, or what a symbol holds."""
        if name not in self.outputs and name in self.symbols:
            return self._read_symbol(self.symbols[name])
        known = {**self.symbols, **self.outputs}
        tensor = self._find(name, known, "output or symbol")
        return self._read_output(tensor) if tensor.name in self.outputs else self._read_symbol(tensor)

    def _read_symbol(self, tensor: Tensor) -> Array:
        array: Array = np.empty(tensor.shape, dtype=tensor.dtype)
        self._call("vm_read_symbol", _native.text_bytes(tensor.name), _address(array), array.nbytes)
        return array

    def _read_output(self, tensor: Tensor) -> Array:
        array: Array = np.empty(tensor.shape, dtype=tensor.dtype)
        self._call("vm_read_output", _native.text_bytes(tensor.name), _address(array), array.nbytes)
        if tensor.rows and tensor.rows in self.symbols:
            return array[: int(self._read_symbol(self.symbols[tensor.rows]))]
        return array

    def write(self, name: str, value: object) -> None:
        """Gives a symbol a value: while an execution is in flight only those in Metrics and Control."""
        tensor = self._find(name, self.symbols, "symbol")
        array = convert(value, tensor, "Symbol")
        self._call("vm_write_symbol", _native.text_bytes(tensor.name), _address(array), array.nbytes)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes what executions remember to a file, in one step."""
        with self._alone():
            self._call_long("vm_save", _native.path_bytes(path))

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Reads it again, into a VM with the same symbols."""
        with self._alone():
            self._call_long("vm_restore", _native.path_bytes(path))

    # --- Execution -----------------------------------------------------------

    def _arguments(self, program: str, given: Mapping[str, object]) -> list[tuple[Tensor, Array]]:
        known = self._names_of(program, self.inputs)
        unknown = [name for name in given if name not in known]
        if unknown:
            names = ", ".join(known) or "none"
            raise InputError(
                unknown[0], f'Program "{program}" has no input "{unknown[0]}"{suggest(unknown[0], known)} (inputs: {names}).'
            )
        missing = [name for name, tensor in known.items() if name not in given and self._is_missing(tensor)]
        if missing:
            lacking = ", ".join(f"{name} ({known[name].type})" for name in missing)
            raise InputError(missing[0], f'Program "{program}" lacks {len(missing)} of its inputs: {lacking}.')
        arguments = [(known[name], convert(value, known[name])) for name, value in given.items()]
        first: dict[str, tuple[Tensor, Array]] = {}
        for tensor, array in arguments:
            if not tensor.rows:
                continue
            other, same = first.setdefault(tensor.rows, (tensor, array))
            if len(array) != len(same):
                raise InputError(
                    tensor.name,
                    f'Input "{tensor.name}" has {len(array)} rows, and input "{other.name}", which has the same ones, has '
                    f"{len(same)}.",
                )
        return arguments

    def _is_missing(self, tensor: Tensor) -> bool:
        """What several programs share need not be what this one reads: the runtime knows."""
        is_own = len(self.programs) == 1 or tensor.name.partition(".")[0] in self.programs
        return is_own and tensor.name not in self._bound

    def prepare(self, program: str | None = None) -> None:
        """Compiles the kernels of a program, as its first execution would do."""
        with self._alone():
            name = self._program(program)
            if name not in self._prepared:
                self._call_long("vm_prepare", _native.text_bytes(name))
                self._prepared.add(name)

    def start(self, program: str | None = None, /, **inputs: object) -> Run:
        """Starts a program with inputs for this execution, besides those that are bound, and returns.

        One execution of a VM can be in flight.
        """
        with self._alone():
            name = self._program(program)
            arguments = self._arguments(name, inputs)
            if self._last:
                self._last._look()
            self.prepare(name)
            for tensor, array in arguments:
                self._bind_array(tensor, array)
                self._bound.discard(tensor.name)  # What it had is gone.
            self._call("vm_execute_async", _native.text_bytes(name))
            self._last = Run(self, name)
            return self._last

    def execute(self, program: str | None = None, /, **inputs: object) -> None:
        """Runs a program and waits; `read` has its outputs. Ctrl-C ends it."""
        with self._alone():
            self.start(program, **inputs).wait()

    def run(self, program: str | None = None, /, **inputs: object) -> dict[str, Array]:
        """Runs a program and waits; its outputs by name. Ctrl-C ends it."""
        with self._alone():
            return self.start(program, **inputs).result()

    def _outputs(self, program: str) -> dict[str, Array]:
        return Results((name, self._read_output(tensor)) for name, tensor in self._names_of(program, self.outputs).items())

    def _settle(self, run: Run, status: int) -> bool:
        """Whether an execution has ended with this status; what went wrong is raised, and kept for who asks again."""
        if status == _native.NOT_READY:
            return False
        run._has_ended = True
        if status:
            self._is_lost = self._is_lost or status == _DEVICE_LOST
            run._error = _native.error_of(status, self._library.vm_last_error(self._handle).decode(errors="replace"))
            raise run._error
        return True

    def _interrupt(self) -> None:
        """After a handler of a signal has raised between two waits."""
        self._is_lost = self._library.vm_cancel(self._handle, _GRACE_MS) == _DEVICE_LOST

    def _wait(self, run: Run, timeout: float | None) -> bool:
        """Whether the execution has ended."""
        if run._error:
            raise run._error
        if run._has_ended or run is not self._last:
            return True
        self._check_open()
        end = None if timeout is None else time.monotonic() + timeout
        status = _native.NOT_READY
        try:
            while status == _native.NOT_READY:
                left = _SLICE_MS if end is None else max(0, min(_SLICE_MS, int((end - time.monotonic()) * 1000)))
                status = self._library.vm_wait(self._handle, left)
                if end is not None and time.monotonic() >= end:
                    break
        except BaseException:
            self._interrupt()
            raise
        return self._settle(run, status)

    def stream(
        self,
        chunks: Iterable[Mapping[str, object]],
        take: Callable[[dict[str, Array]], object],
        *,
        outputs: Iterable[str] | None = None,
    ) -> int:
        """Executes a program for each chunk, and says how many there were.

        chunks: inputs with their rows, of which the last chunk may have fewer. What is not in the first chunk must be bound.
        take: called with the outputs of each chunk, cut to the rows that are real, while the device works on the next one.
        outputs: those that are wanted; None: all that have rows. The others can be read when the stream has ended.

        It ends with the chunks, or as soon as a program that asks for more (NEED_IO) no longer asks. What `chunks` or `take`
        raise ends it, too, and is raised here. Both run on another thread than the caller's.
        """
        from ._stream import Stream

        with self._alone():
            stream = Stream(self, chunks, take, outputs)
            if not stream.inputs:
                return 0
            struct = stream.struct()
            count = ctypes.c_uint64()
            self._last = None  # Outputs of earlier executions are gone.

            def run() -> int:
                with self._at_work:
                    self._check_open()
                    self._streaming = threading.get_ident()
                    status: int = self._library.vm_stream(self._handle, ctypes.byref(struct), ctypes.byref(count))
                    self._streaming = 0
                    sentence = self._library.vm_last_error(self._handle).decode(errors="replace")
                if stream.error is not None:
                    raise stream.error
                if status:
                    self._is_lost = self._is_lost or status == _DEVICE_LOST
                    raise _native.error_of(status, sentence)
                return count.value

            try:
                return interruptible(run)
            except KeyboardInterrupt:
                stream.is_stopped = True
                self._interrupt()
                raise

    def profile(self, program: str | None = None, /, *, executions: int = 10, warmup: int = 1, **inputs: object) -> Profile:
        """Executes a program `warmup` + `executions` times, and says where the device's time went in the latter.

        Of a VM that was booted with profile=True. What the program remembers goes on as with any execution; `read` has the
        outputs of the last one. Ctrl-C ends it.
        """
        with self._alone():
            name = self._program(program)
            for tensor, array in self._arguments(name, inputs):
                self._bind_array(tensor, array)
                self._bound.discard(tensor.name)
            self.prepare(name)
            for _ in range(warmup):
                self.start(name, **inputs).wait()
            text = ctypes.c_char_p()
            count = _count(executions, "executions")
            self._last = None  # Outputs of earlier executions are gone.

            def run() -> bytes:
                with self._at_work:
                    self._call("vm_profile", _native.text_bytes(name), count, ctypes.byref(text))
                    return text.value or b""

            try:
                return Profile.of(interruptible(run))
            except KeyboardInterrupt:
                self._interrupt()
                raise

    def cancel(self, grace: float = _GRACE_MS / 1000) -> None:
        """Ends the execution in flight. A program that does not end within `grace` seconds is given up (DeviceLostError).

        A program can look at its control word "cancel", which is 1 from here on.
        """
        self._call("vm_cancel", milliseconds(grace))

    def watch(self, name: str) -> Generator[Array, None, None]:
        """What a metric or control word becomes while an execution is in flight, until that has ended."""
        tensor = self._find(name, self.symbols, "symbol")
        value = self._read_symbol(tensor)
        yield value.copy()
        has_ended = self._last is None or self._last._has_ended
        while not has_ended and self._last:
            self._check_open()
            before = value.tobytes()
            try:
                status = self._library.vm_wait_change(
                    self._handle, _native.text_bytes(tensor.name), _address(value), value.nbytes, _SLICE_MS
                )
            except BaseException:
                self._interrupt()
                raise
            has_ended = self._settle(self._last, status)
            if value.tobytes() != before:
                yield value.copy()

    # --- What is known -------------------------------------------------------

    @property
    def device(self) -> str:
        """The device's name."""
        self._check_open()
        return str(self._library.vm_device_name(self._handle).decode(errors="replace"))

    @property
    def device_kind(self) -> str:
        """ "gpu" or "cpu"."""
        self._check_open()
        return str(self._library.vm_device_kind(self._handle).decode())

    def stats(self) -> Stats:
        """Counters, and times of the last execution."""
        struct = _native.StatsStruct(struct_bytes=ctypes.sizeof(_native.StatsStruct))
        self._call("vm_stats", ctypes.byref(struct))
        values = {field[0]: getattr(struct, field[0]) for field in _native.StatsStruct._fields_[1:]}
        return Stats(**{**values, "robust": bool(struct.robust)})

    def message_status(self, instance: int = 0) -> int:
        """The status word of the message that an instance sent last."""
        status = ctypes.c_uint32()
        self._call("vm_poll_status", _count(instance, "instance", 32), ctypes.byref(status))
        return status.value

    def set_timeout(self, seconds: float | None) -> None:
        """The time that an execution has from now on; None: any time."""
        self._call("vm_set_timeout", milliseconds(seconds))

    def describe(self) -> str:
        """Programs, parameters, inputs, outputs and symbols, one a line."""
        return str(self._description)


class Run:
    """An execution in flight."""

    def __init__(self, vm: Vm, program: str) -> None:
        self._vm = vm
        self._name = program
        self._has_ended = False
        self._error: Error | None = None

    def __repr__(self) -> str:
        state = "failed" if self._error else "ended" if self._has_ended else "in flight"
        return f"<gpuvm.Run of {self._name}: {state}>"

    def _look(self) -> None:
        """Finds out whether it has ended; what went wrong is for who asks."""
        with contextlib.suppress(Error):
            self._vm._wait(self, 0)

    @property
    def done(self) -> bool:
        """Whether it has ended; raises what went wrong."""
        return self._vm._wait(self, 0)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits at most `timeout` seconds; whether it has ended. Ctrl-C ends it."""
        return self._vm._wait(self, timeout)

    def cancel(self, grace: float = _GRACE_MS / 1000) -> None:
        """As Vm.cancel; nothing, if it has ended."""
        if not self._has_ended and self._vm._last is self:
            self._vm.cancel(grace)

    def _outputs(self) -> dict[str, Array]:
        if self._vm._last is not self:
            raise UsageError(
                f'The outputs of this execution of program "{self._name}" are those of a later one now: take them first.'
            )
        return self._vm._outputs(self._name)

    def result(self, timeout: float | None = None) -> dict[str, Array]:
        """Waits; the outputs by name."""
        if not self._vm._wait(self, timeout):
            raise TimeoutError(f'Program "{self._name}" still runs after {timeout} s.')
        return self._outputs()

    def __await__(self) -> Generator[Any, None, dict[str, Array]]:
        return self._poll().__await__()

    async def _poll(self) -> dict[str, Array]:
        import asyncio  # Only here: it takes long to load.

        pause = 20e-6
        try:
            while not self.done:
                await asyncio.sleep(pause)
                pause = min(2 * pause, 5e-3)
        except asyncio.CancelledError:
            self.cancel()
            raise
        return self._outputs()
