"""Language models: a GGUF file in, text out (docs/language-models.md).

model = gpuvm.llm.load("model.gguf")
print(model.generate("Once upon a time", max_tokens=32, temperature=0))
for text in model.stream([{"role": "user", "content": "Hello!"}]):
    print(text, end="", flush=True)
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import queue
import secrets
import threading
import weakref
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from . import _models, _native
from ._html import table
from ._interrupt import interruptible
from .errors import UsageError

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Answer", "Chat", "Message", "Model", "Sampling", "Stream", "Token", "load"]

_ENDS: Final = ("", "stop", "length", "length", "cancelled")
_FOREVER: Final = 2**32 - 1


class Message(TypedDict):
    """A turn of a conversation."""

    role: str
    """"system", "user" or "assistant"."""
    content: str


Prompt = str | Sequence[Message] | npt.NDArray[np.integer[Any]]
"""A text that is continued; messages, of which the last is answered; or tokens."""


class Sampling(TypedDict, total=False):
    """How tokens are drawn. Names and defaults are llama.cpp's."""

    max_tokens: int | None
    """None: until the answer or the context ends."""
    temperature: float
    """0.8; 0: always the likeliest token."""
    top_k: int
    """40: draw from so many of the likeliest tokens; 0: from all."""
    top_p: float
    """0.95: that have this share of the probability together; 1: off."""
    min_p: float
    """0.05: each with this share of the likeliest one's; 0: off."""
    seed: int | None
    """None: another one each time, which the answer has."""
    repeat_last_n: int
    """64: penalties are for what is among the last so many tokens; 0: off, -1: the whole context."""
    repeat_penalty: float
    """1: a factor."""
    presence_penalty: float
    """0: once for each."""
    frequency_penalty: float
    """0: each time."""
    logit_bias: Mapping[int, float]
    """What is added to the scores of tokens."""
    stop: str | Sequence[str]
    """The text ends before the first of them."""
    grammar: str
    """GBNF that the answer fits."""
    json_schema: Mapping[str, Any] | str
    """JSON that fits a schema; {}: any object."""
    logprobs: int
    """So many of the likeliest tokens at each step, of a model that was loaded with logprobs=True."""


@dataclass(frozen=True)
class Token:
    """A token of an answer with logprobs."""

    id: int
    text: str
    logprob: float
    """Natural, before bias, penalties, temperature and filters."""
    begin: int
    """The byte of the answer's text where it begins."""
    likeliest: tuple[tuple[int, float], ...]
    """Tokens and their logprobs, the likeliest first."""


@dataclass(frozen=True)
class Answer:
    """A text that a model made, and how."""

    text: str
    finish_reason: str
    """"stop" (the model ended it, or a stop string), "length" (max_tokens or the context) or "cancelled"."""
    seed: int
    """With which the same options give the same text."""
    prompt_tokens: int
    computed_tokens: int
    """Of the prompt, those that were not kept from an answer before."""
    tokens: int
    prompt_seconds: float
    seconds: float
    """From the end of the prompt."""
    logprobs: tuple[Token, ...] = ()

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        speed = self.tokens / self.seconds if self.seconds else 0.0
        row = (self.text, self.finish_reason, self.prompt_tokens, self.tokens, speed, str(self.seed))
        return table(("text", "finish", "prompt", "tokens", "tokens/s", "seed"), [row])


# --- Opening -------------------------------------------------------------------


def _find(model: str | os.PathLike[str]) -> Path:
    """The file, or that of an installed package that holds one."""
    path = Path(model)
    if path.is_file() or not isinstance(model, str) or not model.replace("-", "_").isidentifier():
        return path
    import importlib.util

    found = importlib.util.find_spec(model.replace("-", "_"))
    files = (
        sorted(file for folder in (found.submodule_search_locations or ()) for file in Path(folder).glob("*.gguf"))
        if found
        else []
    )
    return files[0] if len(files) == 1 else path


class _Compiler:
    """Compiles a model in this process when the library asks for it."""

    def __init__(self) -> None:
        self.cancel = ctypes.c_int()
        self.error: BaseException | None = None
        self.callback = _models.Compile(self._call)
        library = _native.library_path(_native.COMPILER_LIBRARY)
        with contextlib.suppress(OSError):
            status = library.stat()
            self.identity = f"{library.name} {status.st_size} {status.st_mtime_ns}".encode()
            return
        self.identity = b"none"

    def _call(self, _user: object, arguments: Any, count: int) -> int:
        from ._compile import compile_to_file

        words = [arguments[i] for i in range(count)]
        try:
            compile_to_file(words[0], words[2], words[3:], self.cancel)
        except BaseException as error:  # noqa: BLE001 - raised where the model is loaded
            self.error = error
            return 3
        return 0


def _open(options: _models.LlmOptions, compiler: _Compiler) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    status = _models.models().vml_open(ctypes.byref(options), ctypes.byref(handle))
    if compiler.error is not None:
        raise compiler.error
    _models.check(status)
    return handle


def _close(handle: ctypes.c_void_p, process: int) -> None:
    if os.getpid() == process:
        _models.models().vml_close(handle)


def load(
    model: str | os.PathLike[str],
    *,
    context: int = 0,
    parallel: int = 1,
    cache_type: str = "f16",
    plan: str | os.PathLike[str] | None = None,
    raw: bool = False,
    logprobs: bool = False,
    embeddings: bool = False,
    positions: int = 0,
    regulate: tuple[float, float] | None = None,
    device: str = "",
    timeout: float | None = None,
    validate: bool = False,
    vram_budget: int = 0,
) -> Model:
    """Opens a model. One that is new is compiled first, which takes seconds; its plan is kept in the user's cache.

    model: a GGUF file, or the name of an installed Python package that holds one.
    context: tokens of a whole conversation; 0: what the model was trained with, at most 2048.
    parallel: so many answers at once, of several threads or of `batch`.
    cache_type: what keys and values are kept as, "f16", "f32" or "q8_0".
    plan: a plan of the model, instead of one that is compiled.
    raw: without the file's chat template.
    logprobs, embeddings: a plan that is compiled can tell log probabilities, or make vectors of texts.
    positions: of all answers together; 0: a context for each.
    regulate: a band that keeps the norm of attention in each layer.
    device, validate, vram_budget: as of gpuvm.Vm.
    timeout: seconds of an execution.
    """
    library = _models.models()
    compiler = _Compiler()
    options = _models.LlmOptions()
    library.vml_options_init(ctypes.byref(options))
    path = _find(model)
    options.model = _native.path_bytes(path, "model")
    options.plan = _native.path_bytes(plan) if plan is not None else None
    options.context = _whole(context, "context", 1 << 24)
    options.parallel = _whole(parallel, "parallel", 1024, least=1)
    options.positions = _whole(positions, "positions", 1 << 31)
    options.cache_type = _native.text_bytes(cache_type)
    options.raw, options.logprobs, options.embeddings = raw, logprobs, embeddings
    if regulate is not None:
        options.regulate = f"{regulate[0]!r},{regulate[1]!r}".encode()
    options.place = _models.Place(
        _native.text_bytes(device), _models.milliseconds(timeout), _whole(vram_budget, "vram_budget", 1 << 63), validate
    )
    options.compile, options.compiler = compiler.callback, compiler.identity
    process = os.getpid()

    def stop() -> None:
        compiler.cancel.value = 1

    handle = interruptible(lambda: _open(options, compiler), undo=lambda handle: _close(handle, process), stop=stop)
    return Model(handle, path)


def _whole(value: int, what: str, most: int, least: int = 0) -> int:
    if not least <= value <= most:
        raise UsageError(f"{what} is {value} ({least} to {most} is possible).")
    return value


# --- A model -------------------------------------------------------------------


class _Question:
    """An answer that is made: what C is given, and what has come."""

    def __init__(self, model: Model, prompt: Prompt, options: Sampling) -> None:
        unknown = [name for name in options if name not in Sampling.__annotations__]
        if unknown:
            from ._tensors import suggest

            raise UsageError(f'There is no option "{unknown[0]}"{suggest(unknown[0], Sampling.__annotations__)}.')
        self.model = model
        self.tokens = model.prompt_of(prompt)
        self.cancel = ctypes.c_int()
        self.pieces: list[str] = []
        self.logprobs: list[Token] = []
        self.take: Any = None
        self.error: BaseException | None = None
        struct = _models.LlmQuestion()
        _models.models().vml_question_init(ctypes.byref(struct))
        seed = options.get("seed")
        self.seed = secrets.randbits(32) if seed is None else _whole(seed, "seed", (1 << 64) - 1)
        most = options.get("max_tokens")
        struct.most = _FOREVER if most is None else _whole(most, "max_tokens", _FOREVER, least=1)
        struct.seed = self.seed
        struct.top_k = _whole(options.get("top_k", struct.top_k), "top_k", _FOREVER)
        struct.repeat_last_n = _whole(options.get("repeat_last_n", struct.repeat_last_n), "repeat_last_n", 2**31 - 1, least=-1)
        for name in ("temperature", "top_p", "min_p", "repeat_penalty", "presence_penalty", "frequency_penalty"):
            if name in options:
                setattr(struct, name, float(options[name]))
        self._set_texts(struct, options)
        self.num_likeliest = _whole(options.get("logprobs", 0), "logprobs", 1 << 16)
        struct.logprobs = self.num_likeliest > 0
        struct.prompt, struct.prompt_tokens = self.tokens.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)), len(self.tokens)
        self.show = _models.Show(self._show)
        struct.show, struct.cancel = self.show, ctypes.pointer(self.cancel)
        self.struct = struct

    def _set_texts(self, struct: _models.LlmQuestion, options: Sampling) -> None:
        biases = options.get("logit_bias", {})
        self.biases = (_models.LlmBias * len(biases))(*(_models.LlmBias(token, bias) for token, bias in biases.items()))
        struct.biases, struct.num_biases = self.biases, len(biases)
        stop = options.get("stop", ())
        stops = [stop] if isinstance(stop, str) else list(stop)
        if "" in stops:
            raise UsageError("A stop string is empty.")
        self.stops = _native.strings([_native.text_bytes(each) for each in stops])
        struct.stops, struct.num_stops = self.stops, len(stops)
        if "grammar" in options:
            struct.grammar = _native.text_bytes(options["grammar"])
        if "json_schema" in options:
            schema = options["json_schema"]
            struct.schema = _native.text_bytes(schema if isinstance(schema, str) else json.dumps(schema))

    def _show(self, _user: object, piece: Any) -> int:
        try:
            found = piece.contents
            self.logprobs += [self._token(found.tokens[i]) for i in range(found.num_tokens)]
            text = _models.text_at(found.text, found.text_bytes)
            self.pieces.append(text)
            if self.take is not None:
                self.take(text)
        except BaseException as error:  # noqa: BLE001 - raised where the answer is taken
            self.error = error
            return 1
        return 0

    def _token(self, found: _models.LlmToken) -> Token:
        count = min(found.num_likeliest, self.num_likeliest)
        likeliest = tuple((found.likeliest[i], found.likeliest_logprobs[i]) for i in range(count))
        text = self.model.token_text(found.token)
        return Token(found.token, text, found.logprob, found.begin, likeliest)

    def stop(self) -> None:
        self.cancel.value = 1

    def run(self) -> Answer:
        """On any thread, which waits for the whole answer."""
        made = _models.LlmAnswer(struct_bytes=ctypes.sizeof(_models.LlmAnswer))
        status = _models.models().vml_answer(self.model._handle, ctypes.byref(self.struct), ctypes.byref(made))
        if self.error is not None:
            raise self.error
        _models.check(status)
        return Answer(
            text="".join(self.pieces),
            finish_reason=_ENDS[made.end] if 0 <= made.end < len(_ENDS) else "stop",
            seed=self.seed,
            prompt_tokens=made.prompt_tokens,
            computed_tokens=made.computed_tokens,
            tokens=made.tokens,
            prompt_seconds=made.prompt_seconds,
            seconds=made.seconds,
            logprobs=tuple(self.logprobs),
        )


class Stream(Iterator[str]):
    """Pieces of an answer's text as they come; `answer` has all of it after the last one. `close` ends it early."""

    def __init__(self, question: _Question) -> None:
        self._question = question
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._answer: Answer | None = None
        self._error: BaseException | None = None
        question.take = self._queue.put
        self._thread = threading.Thread(target=self._run, name="gpuvm", daemon=True)
        self._close = weakref.finalize(self, question.stop)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._answer = self._question.run()
        except BaseException as error:  # noqa: BLE001 - raised where it is taken
            self._error = error
        finally:
            self._queue.put(None)

    def __next__(self) -> str:
        while True:
            try:
                piece = self._queue.get(timeout=0.2)  # So that signals have their handlers run.
            except queue.Empty:
                continue
            except BaseException:
                self.close()
                raise
            if piece is None:
                self._queue.put(None)
                if self._error is not None:
                    raise self._error
                raise StopIteration
            if piece:
                return piece

    @property
    def answer(self) -> Answer:
        """All of it; waits for the end."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._answer is not None
        return self._answer

    def close(self) -> None:
        """Ends the answer with the step that the device is at."""
        self._question.stop()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Model:
    """A language model on a device. Any thread may use it."""

    path: Path
    """The GGUF file."""
    architecture: str
    """"llama", "qwen2", "qwen3" or "gemma3"."""
    device: str
    context: int
    """Tokens of a whole conversation."""
    vocabulary: int
    layers: int
    width: int
    """Of the residual stream."""
    parallel: int
    """Answers at once."""
    has_template: bool
    """Whether messages become a prompt by a chat template of the file."""
    has_logprobs: bool

    def __init__(self, handle: ctypes.c_void_p, path: Path) -> None:
        self._handle = handle
        self._close = weakref.finalize(self, _close, handle, os.getpid())
        self.path = path
        info = _models.LlmInfo(struct_bytes=ctypes.sizeof(_models.LlmInfo))
        _models.check(_models.models().vml_describe(handle, ctypes.byref(info)))
        self.architecture, self.device = info.architecture.decode(), info.device.decode(errors="replace")
        self.context, self.vocabulary, self.layers, self.width = info.context, info.vocabulary, info.layers, info.width
        self.parallel = info.parallel
        self.has_template, self.has_logprobs = bool(info.has_template), bool(info.has_logprobs)

    def __repr__(self) -> str:
        if not self._close.alive:
            return "<gpuvm.llm.Model: closed>"
        size = f"{self.architecture}, {self.layers} layers, context {self.context}"
        return f"<gpuvm.llm.Model {self.path.name}: {size}, on {self.device}>"

    def _repr_html_(self) -> str:
        row = (self.path.name, self.architecture, self.layers, self.width, self.vocabulary, self.context, self.device)
        return table(("model", "architecture", "layers", "width", "tokens", "context", "device"), [row])

    def __enter__(self) -> Model:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Frees everything. No answer is under way."""
        self._close()

    def _check_open(self) -> None:
        if not self._close.alive:
            raise UsageError("The model is closed.")

    # --- Tokens --------------------------------------------------------------

    def _tokens(self, name: str, *arguments: Any) -> npt.NDArray[np.int32]:
        self._check_open()
        tokens, count = ctypes.POINTER(ctypes.c_int32)(), ctypes.c_size_t()
        _models.check(getattr(_models.models(), name)(self._handle, *arguments, ctypes.byref(tokens), ctypes.byref(count)))
        return np.array(tokens[: count.value], dtype=np.int32)

    def encode(self, text: str) -> npt.NDArray[np.int32]:
        """The tokens of a text that is to be continued; names of control tokens in it are text."""
        encoded = text.encode(errors="replace")
        return self._tokens("vml_encode", encoded, len(encoded))

    def encode_chat(self, messages: Sequence[Message]) -> npt.NDArray[np.int32]:
        """The prompt that asks for an answer to the last message, by the file's chat template."""
        roles = _native.strings([_native.text_bytes(each["role"]) for each in messages])
        contents = _native.strings([_native.text_bytes(each["content"]) for each in messages])
        return self._tokens("vml_chat", roles, contents, len(messages))

    def prompt_of(self, prompt: Prompt) -> npt.NDArray[np.int32]:
        """The tokens of a text, of messages, or of tokens."""
        if isinstance(prompt, str):
            return self.encode(prompt)
        if len(prompt) and isinstance(prompt[0], Mapping):
            return self.encode_chat(prompt)  # type: ignore[arg-type]
        return np.ascontiguousarray(prompt, dtype=np.int32)

    def decode(self, tokens: npt.ArrayLike) -> str:
        """The text that tokens say."""
        self._check_open()
        array = np.ascontiguousarray(tokens, dtype=np.int32).reshape(-1)
        text, size = ctypes.c_void_p(), ctypes.c_size_t()
        address = array.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
        _models.check(_models.models().vml_decode(self._handle, address, len(array), ctypes.byref(text), ctypes.byref(size)))
        return _models.text_at(text.value, size.value)

    def token_text(self, token: int) -> str:
        """What a token says, or how the file spells one that is no text."""
        text, size, name = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_char_p()
        self._check_open()
        status = _models.models().vml_token(self._handle, token, ctypes.byref(text), ctypes.byref(size), ctypes.byref(name))
        _models.check(status)
        return _models.text_at(text.value, size.value) or (name.value or b"").decode(errors="replace")

    # --- Answers -------------------------------------------------------------

    def generate(self, prompt: Prompt, **sampling: Unpack[Sampling]) -> Answer:
        """Continues a text or tokens, or answers messages. Ctrl-C ends it."""
        self._check_open()
        question = _Question(self, prompt, sampling)
        return interruptible(question.run, stop=question.stop)

    def stream(self, prompt: Prompt, **sampling: Unpack[Sampling]) -> Stream:
        """The same piece by piece, as soon as each is sure."""
        self._check_open()
        return Stream(_Question(self, prompt, sampling))

    def batch(self, prompts: Sequence[Prompt], **sampling: Unpack[Sampling]) -> list[Answer]:
        """An answer to each, `parallel` at a time. With a seed, the n-th has seed + n."""
        self._check_open()
        seed = sampling.get("seed")
        questions = []
        for number, prompt in enumerate(prompts):
            own: Sampling = {**sampling, "seed": None if seed is None else seed + number}
            questions.append(_Question(self, prompt, own))

        def stop() -> None:
            for question in questions:
                question.stop()

        def run() -> list[Answer]:
            with ThreadPoolExecutor(max(1, self.parallel), "gpuvm") as pool:
                return list(pool.map(_Question.run, questions))

        return interruptible(run, stop=stop)

    def chat(self, system: str | None = None, **sampling: Unpack[Sampling]) -> Chat:
        """A conversation. What is computed of it is kept while nothing else is asked."""
        self._check_open()
        return Chat(self, [{"role": "system", "content": system}] if system else [], sampling)

    def embed(self, text: str | npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float32]:
        """A vector of length 1 for a text, of a model that was loaded with embeddings=True."""
        tokens = self.prompt_of(text)
        vector, width = ctypes.POINTER(ctypes.c_float)(), ctypes.c_size_t()
        address = tokens.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))

        def run() -> npt.NDArray[np.float32]:
            status = _models.models().vml_embed(self._handle, address, len(tokens), ctypes.byref(vector), ctypes.byref(width))
            _models.check(status)
            return np.array(vector[: width.value], dtype=np.float32)

        return interruptible(run)


@dataclass
class Chat:
    """A conversation with a model: its messages so far, and options for its answers."""

    model: Model
    messages: list[Message] = field(default_factory=list)
    sampling: Sampling = field(default_factory=lambda: Sampling())

    def ask(self, content: str, **sampling: Unpack[Sampling]) -> Answer:
        """Says something and gets the answer, which becomes a message as well. What fails or is interrupted is not said."""
        said: Message = {"role": "user", "content": content}
        own: Sampling = {**self.sampling, **sampling}
        answer = self.model.generate([*self.messages, said], **own)
        self._add(said, answer.text)
        return answer

    def stream(self, content: str, **sampling: Unpack[Sampling]) -> Generator[str, None, Answer]:
        """The same piece by piece; one that is closed early is a message as far as it came."""
        said: Message = {"role": "user", "content": content}
        own: Sampling = {**self.sampling, **sampling}
        stream = self.model.stream([*self.messages, said], **own)
        pieces = []
        with stream:
            for piece in stream:
                pieces.append(piece)
                try:
                    yield piece
                except GeneratorExit:
                    self._add(said, "".join(pieces))
                    raise
        self._add(said, stream.answer.text)
        return stream.answer

    def _add(self, said: Message, text: str) -> None:
        self.messages += [said, {"role": "assistant", "content": text}]

    def _repr_html_(self) -> str:
        return table(("role", "content"), [(each["role"], each["content"]) for each in self.messages])
