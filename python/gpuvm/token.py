"""The token-stream VM: workflows of prompts that any number of streams run side by side (docs/token-vm.md).

flow = gpuvm.token.compile("chat.workflow.toml", streams=8, arguments={"what": "a boat"})
run = flow.run(tools={"letters": lambda text: str(sum(map(str.isalpha, text)))})
print(run.counts, run[0].text, run[0].extract)
"""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from . import _models, _native
from ._compile import Option
from ._compile import compile as compile_program
from ._html import table
from ._interrupt import interruptible
from .errors import CompileWarning, UsageError

__all__ = ["Request", "Run", "State", "Stream", "Tool", "Workflows", "compile", "load", "reference"]

Path_ = str | os.PathLike[str]
Tool = Callable[[str], str] | str
"""A function of what the model said, whose text is fed; or a command that reads and writes lines of JSON."""

_FAILED: Final = 1


@dataclass(frozen=True)
class Request:
    """What a stream asked a tool."""

    tool: str
    text: str


@dataclass(frozen=True)
class State:
    """What a stream has done so far."""

    status: str
    zone: int
    token_number: int
    """Of tokens since the zone began."""
    text: str


@dataclass(frozen=True)
class Stream:
    """What a stream did."""

    workflow: str
    status: str
    """"DONE", "BUDGET", "TOOL_FAILED", "TOOL_TIMEOUT", "ANSWER_TOO_LONG", "CAPTURE_FULL"; or "RUNNING", "WAITING"."""
    text: str
    """All that was fed and said."""
    extract: Mapping[str, str]
    requests: tuple[Request, ...]
    decisions: tuple[int, ...]
    """The zones that it went through."""
    tokens: tuple[int, ...]
    zones: tuple[int, ...]
    """Of each token; and so on."""
    forced: tuple[bool, ...]
    """Whether the model was not asked."""
    report: Mapping[str, Any]
    """All of the report: triggers, tags, events, states of modules."""


class Run(Sequence[Stream]):
    """What all streams did, in their order."""

    counts: Mapping[str, int]
    """How many streams have each status."""
    failures: tuple[str, ...]
    """Why streams are TOOL_FAILED: of the first 20."""
    report: str
    """JSON, as gpuvm-token --report writes it."""

    def __init__(self, report: str, failures: Sequence[str]) -> None:
        self.report, self.failures = report, tuple(failures)
        self._streams = [_stream(each) for each in json.loads(report)["streams"]]
        self.counts = dict(Counter(each.status for each in self._streams))

    def __getitem__(self, index: Any) -> Any:
        return self._streams[index]

    def __len__(self) -> int:
        return len(self._streams)

    def __repr__(self) -> str:
        return f"<gpuvm.token.Run of {len(self)} streams: {', '.join(f'{count} {name}' for name, count in self.counts.items())}>"

    def _repr_html_(self) -> str:
        shown = self._streams[:20]
        rows = [(i, each.workflow, each.status, len(each.tokens), each.text[-200:]) for i, each in enumerate(shown)]
        return table(("stream", "workflow", "status", "tokens", "text"), rows, caption=repr(self))


def _stream(found: Mapping[str, Any]) -> Stream:
    return Stream(
        workflow=found["workflow"],
        status=found["status"],
        text=found["text"],
        extract=found["extract"],
        requests=tuple(Request(each["tool"], each["text"]) for each in found["requests"]),
        decisions=tuple(found["decisions"]),
        tokens=tuple(found["tokens"]),
        zones=tuple(found["zones"]),
        forced=tuple(map(bool, found["forced"])),
        report=found,
    )


def _check(status: int) -> None:
    _models.check(status, "vmt_last_error")


def _close(handle: ctypes.c_void_p, process: int) -> None:
    if os.getpid() == process:
        library = _models.models()
        library.vmt_cancel(handle)
        library.vmt_close(handle)


class _ToolCall:
    """A function as C calls it, on threads of its own."""

    def __init__(self, function: Callable[[str], str]) -> None:
        self.function = function
        self.callback = _models.ToolFunction(self._call)

    def _call(self, _user: object, text: int | None, size: int, reply: int) -> int:
        try:
            answer = self.function(_models.text_at(text, size))
            if not isinstance(answer, str):
                raise TypeError(f"the tool gives {type(answer).__name__}, not str")
        except BaseException as error:  # noqa: BLE001 - it ends the stream that asked
            self._reply(reply, f"{type(error).__name__}: {error}")
            return _FAILED
        self._reply(reply, answer)
        return 0

    @staticmethod
    def _reply(reply: int, text: str) -> None:
        encoded = text.encode(errors="replace")
        _models.models().vmt_reply(reply, encoded, len(encoded))


class Workflows:
    """Workflows on a device, or on the reference. One thread runs them at a time."""

    tools: tuple[str, ...]
    """The names of those that the workflows ask."""

    def __init__(self, options: _models.WorkflowOptions, kept: object = None) -> None:
        """`kept` lives as long as this."""
        handle = ctypes.c_void_p()
        library = _models.models()
        process = os.getpid()

        def open_() -> ctypes.c_void_p:
            _check(library.vmt_open(ctypes.byref(options), ctypes.byref(handle)))
            return handle

        self._handle = interruptible(open_, undo=lambda handle: _close(handle, process))
        self._close = weakref.finalize(self, _close, self._handle, process)
        self._kept = kept
        self._calls: dict[str, _ToolCall] = {}
        names: list[str] = []
        while (name := library.vmt_tool(self._handle, len(names))) is not None:
            names.append(name.decode(errors="replace"))
        self.tools = tuple(names)
        if warned := library.vmt_warnings(self._handle).decode(errors="replace"):
            warnings.warn(warned, CompileWarning, stacklevel=3)

    def __repr__(self) -> str:
        return f"<gpuvm.token.Workflows: tools {', '.join(self.tools) or 'none'}>"

    def close(self) -> None:
        """Frees everything; a run of another thread is ended."""
        self._close()

    def __enter__(self) -> Workflows:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def tool(self, function: Callable[[str], str]) -> Callable[[str], str]:
        """A decorator: the function is the tool of its name, in all runs that follow."""
        self._add(function.__name__, function)
        return function

    def _add(self, name: str, tool: Tool) -> None:
        self._check_open()
        library = _models.models()
        if isinstance(tool, str):
            _check(library.vmt_add_command(self._handle, _native.text_bytes(name), _native.text_bytes(tool)))
            return
        call = _ToolCall(tool)
        _check(library.vmt_add_tool(self._handle, _native.text_bytes(name), call.callback, None))
        self._calls[name] = call  # The one before is no longer called.

    def _check_open(self) -> None:
        if not self._close.alive:
            raise UsageError("The workflows are closed.")

    def run(self, tools: Mapping[str, Tool] | None = None, *, look: Callable[[Workflows], object] | None = None) -> Run:
        """Runs all streams from their beginnings to their ends. Ctrl-C ends it.

        tools: what answers streams that ask, by name, besides those of `tool`: functions, which are called on other threads,
            several at once, or commands. What a function raises ends the stream that asked (TOOL_FAILED).
        look: called between executions, where `stream` says how far each is; False ends the run.
        """
        self._check_open()
        for name, tool in (tools or {}).items():
            self._add(name, tool)
        library = _models.models()
        errors: list[BaseException] = []

        def call(_user: object) -> int:
            try:
                return int(look is not None and look(self) is False)
            except BaseException as error:  # noqa: BLE001 - raised by `run`
                errors.append(error)
                return 1

        callback = _models.Look(call)
        report = ctypes.c_char_p()
        handle = self._handle

        def run() -> Run:
            status = library.vmt_run(handle, callback, None, ctypes.byref(report))
            if errors:
                raise errors[0]
            _check(status)
            failures: list[str] = []
            while (why := library.vmt_failure(handle, len(failures))) is not None:
                failures.append(why.decode(errors="replace"))
            return Run((report.value or b"").decode(errors="replace"), failures)

        return interruptible(run, stop=lambda: library.vmt_cancel(handle))

    def stream(self, number: int) -> State:
        """How far a stream is: within `look`, or after a run."""
        self._check_open()
        state = _models.StreamState(struct_bytes=ctypes.sizeof(_models.StreamState))
        _check(_models.models().vmt_stream(self._handle, number, ctypes.byref(state)))
        return State(state.status.decode(), state.zone, state.token_number, _models.text_at(state.text, state.text_bytes))


# --- From files ----------------------------------------------------------------


def _options(
    *,
    plan: Path_ | None = None,
    inputs: Sequence[Path_] = (),
    arguments: Mapping[str, object] | None = None,
    model: Path_ | None = None,
    streams: int = 0,
    budget: int = 0,
    seed: int = 0,
    model_seed: int = 0,
    tokenizer: str = "",
    allow_outside: bool = False,
    tool_timeout: float = 30.0,
    device: str = "",
    timeout: float | None = None,
    vram_budget: int = 0,
    validate: bool = False,
) -> _models.WorkflowOptions:
    options = _models.WorkflowOptions()
    _models.models().vmt_options_init(ctypes.byref(options))
    if plan is not None:
        options.plan = _native.path_bytes(plan, "plan")
    paths = _native.strings([_native.path_bytes(each, "workflow") for each in inputs])
    options.inputs, options.num_inputs = paths, len(paths)
    pairs = _native.strings([_native.text_bytes(f"{name}={value}") for name, value in (arguments or {}).items()])
    options.arguments, options.num_arguments = pairs, len(pairs)
    if model is not None:
        options.model = _native.path_bytes(model, "model")
    for name, value, most in (
        ("streams", streams, 2**31),
        ("budget", budget, 2**31),
        ("seed", seed, 2**64),
        ("model_seed", model_seed, 2**32),
    ):
        if not 0 <= value < most:
            raise UsageError(f"{name} is {value} (0 to {most - 1} is possible).")
        setattr(options, name, value)
    options.tokenizer = _native.text_bytes(tokenizer)
    options.allow_outside = allow_outside
    options.tool_timeout_ms = _models.milliseconds(tool_timeout)
    options.place = _models.Place(_native.text_bytes(device), _models.milliseconds(timeout), vram_budget, validate)
    return options


def _paths(workflows: Path_ | Sequence[Path_]) -> list[Path_]:
    return [workflows] if isinstance(workflows, (str, os.PathLike)) else list(workflows)


def compile(  # noqa: A001 - as gpuvm.compile
    workflows: Path_ | Sequence[Path_],
    *,
    streams: int | None = None,
    budget: int | None = None,
    arguments: Mapping[str, object] | None = None,
    model: Path_ | None = None,
    plan: Path_ | None = None,
    model_seed: int = 0,
    tool_timeout: float = 30.0,
    device: str = "",
    timeout: float | None = None,
    vram_budget: int = 0,
    validate: bool = False,
    **options: Option,
) -> Workflows:
    """Compiles workflows (`.workflow.toml`, or another form) and opens them on a device.

    streams: that run side by side; None: one a workflow. Stream b runs workflow b mod their number.
    budget: tokens of a stream; None: 4,096.
    arguments: texts for the placeholders of type `argument`.
    model: a GGUF file, or a program as docs/token-vm.md says; None: the model for tests that the workflow has.
    plan: the file to write, with PLAN.token.json next to it; None: in a folder that is removed with the workflows.
    model_seed: of the model for tests. timeout: seconds of an execution. tool_timeout: seconds of an answer.
    device, vram_budget, validate: as of gpuvm.Vm.
    options: of gpuvm-compile.
    """
    folder = None
    if plan is None:
        folder = tempfile.TemporaryDirectory(prefix="gpuvm-")
        plan = Path(folder.name) / "workflows.gvplan"
    given: dict[str, Option] = {"streams": streams, "budget": budget, "output": plan}
    if arguments:
        given["arg"] = [f"{name}={value}" for name, value in arguments.items()]
    if model is not None:
        given["model"] = model
    given |= options
    compile_program(_paths(workflows), cache=False, **given)  # type: ignore[arg-type]
    is_file = model is not None and os.fspath(model).endswith(".gguf")
    struct = _options(
        plan=plan,
        model=model if is_file else None,
        model_seed=model_seed,
        tool_timeout=tool_timeout,
        device=device,
        timeout=timeout,
        vram_budget=vram_budget,
        validate=validate,
    )
    return Workflows(struct, folder)


def load(
    plan: Path_,
    workflows: Path_ | Sequence[Path_] = (),
    *,
    streams: int | None = None,
    budget: int | None = None,
    arguments: Mapping[str, object] | None = None,
    model: Path_ | None = None,
    seed: int = 0,
    model_seed: int = 0,
    tokenizer: str = "",
    allow_outside: bool = False,
    tool_timeout: float = 30.0,
    device: str = "",
    timeout: float | None = None,
    vram_budget: int = 0,
    validate: bool = False,
) -> Workflows:
    """Opens a plan of workflows, with PLAN.token.json next to it; or other workflows that fit the plan, with arguments."""
    return Workflows(
        _options(
            plan=plan,
            inputs=_paths(workflows),
            arguments=arguments,
            model=model,
            streams=streams or 0,
            budget=budget or 0,
            seed=seed,
            model_seed=model_seed,
            tokenizer=tokenizer,
            allow_outside=allow_outside,
            tool_timeout=tool_timeout,
            device=device,
            timeout=timeout,
            vram_budget=vram_budget,
            validate=validate,
        )
    )


def reference(
    workflows: Path_ | Sequence[Path_],
    *,
    streams: int | None = None,
    budget: int | None = None,
    arguments: Mapping[str, object] | None = None,
    seed: int = 0,
    model_seed: int = 0,
    tokenizer: str = "",
    allow_outside: bool = False,
    tool_timeout: float = 30.0,
) -> Workflows:
    """Opens workflows on the reference, which runs them on the processor with the model for tests: no compiler, no device."""
    return Workflows(
        _options(
            inputs=_paths(workflows),
            arguments=arguments,
            streams=streams or 0,
            budget=budget or 0,
            seed=seed,
            model_seed=model_seed,
            tokenizer=tokenizer,
            allow_outside=allow_outside,
            tool_timeout=tool_timeout,
        )
    )
