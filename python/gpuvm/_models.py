"""gpuvm-models.h through ctypes: language models, and workflows that run them."""

from __future__ import annotations

import ctypes
import functools
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Final

from . import _native

MODELS_ABI: Final = 1  # GPUVM_MODELS_ABI_VERSION


class Place(Structure):
    """gpuvm_place"""

    _fields_ = [("device", c_char_p), ("timeout_ms", c_uint64), ("vram_budget_bytes", c_uint64), ("validate", c_int)]


Compile = CFUNCTYPE(c_int, c_void_p, POINTER(c_char_p), c_size_t)


class LlmOptions(Structure):
    """gpuvm_llm_options"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("model", c_char_p),
        ("plan", c_char_p),
        ("context", c_uint32),
        ("parallel", c_uint32),
        ("positions", c_uint32),
        ("cache_type", c_char_p),
        ("raw", c_int),
        ("regulate", c_char_p),
        ("logprobs", c_int),
        ("embeddings", c_int),
        ("place", Place),
        ("compile", Compile),
        ("user", c_void_p),
        ("compiler", c_char_p),
    ]


class LlmInfo(Structure):
    """gpuvm_llm_info"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("architecture", c_char_p),
        ("device", c_char_p),
        ("context", c_uint32),
        ("vocabulary", c_uint32),
        ("layers", c_uint32),
        ("width", c_uint32),
        ("parallel", c_uint32),
        ("has_template", c_int),
        ("has_logprobs", c_int),
    ]


class LlmToken(Structure):
    """gpuvm_llm_token"""

    _fields_ = [
        ("token", c_int32),
        ("logprob", c_float),
        ("begin", c_size_t),
        ("likeliest", POINTER(c_int32)),
        ("likeliest_logprobs", POINTER(c_float)),
        ("num_likeliest", c_size_t),
    ]


class LlmPiece(Structure):
    """gpuvm_llm_piece"""

    _fields_ = [("text", c_void_p), ("text_bytes", c_size_t), ("tokens", POINTER(LlmToken)), ("num_tokens", c_size_t)]


class LlmBias(Structure):
    """gpuvm_llm_bias"""

    _fields_ = [("token", c_int32), ("bias", c_float)]


Show = CFUNCTYPE(c_int, c_void_p, POINTER(LlmPiece))


class LlmQuestion(Structure):
    """gpuvm_llm_question"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("prompt", POINTER(c_int32)),
        ("prompt_tokens", c_size_t),
        ("most", c_uint32),
        ("temperature", c_float),
        ("top_k", c_uint32),
        ("top_p", c_float),
        ("min_p", c_float),
        ("seed", c_uint64),
        ("repeat_last_n", c_int32),
        ("repeat_penalty", c_float),
        ("presence_penalty", c_float),
        ("frequency_penalty", c_float),
        ("biases", POINTER(LlmBias)),
        ("num_biases", c_size_t),
        ("stops", POINTER(c_char_p)),
        ("num_stops", c_size_t),
        ("grammar", c_char_p),
        ("schema", c_char_p),
        ("logprobs", c_int),
        ("show", Show),
        ("user", c_void_p),
        ("cancel", POINTER(c_int)),
    ]


class LlmAnswer(Structure):
    """gpuvm_llm_answer"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("end", c_int),
        ("prompt_tokens", c_uint64),
        ("computed_tokens", c_uint64),
        ("tokens", c_uint64),
        ("prompt_seconds", c_double),
        ("seconds", c_double),
    ]


class WorkflowOptions(Structure):
    """gpuvm_workflow_options"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("plan", c_char_p),
        ("inputs", POINTER(c_char_p)),
        ("num_inputs", c_size_t),
        ("arguments", POINTER(c_char_p)),
        ("num_arguments", c_size_t),
        ("tokenizer", c_char_p),
        ("allow_outside", c_int),
        ("model", c_char_p),
        ("seed", c_uint64),
        ("model_seed", c_uint32),
        ("streams", c_int32),
        ("budget", c_int32),
        ("capture_tokens", c_int32),
        ("answer_tokens", c_int32),
        ("tool_timeout_ms", c_uint32),
        ("place", Place),
    ]


class StreamState(Structure):
    """gpuvm_stream_state"""

    _fields_ = [
        ("struct_bytes", c_size_t),
        ("status", c_char_p),
        ("zone", c_int32),
        ("token_number", c_int32),
        ("text", c_void_p),
        ("text_bytes", c_size_t),
    ]


ToolFunction = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p)
Look = CFUNCTYPE(c_int, c_void_p)

_LLM = c_void_p
_TOKENS = [POINTER(POINTER(c_int32)), POINTER(c_size_t)]
SIGNATURES: Final[dict[str, tuple[Any, list[Any]]]] = {
    "vml_abi_version": (c_uint32, []),
    "vml_last_error": (c_char_p, []),
    "vml_options_init": (None, [POINTER(LlmOptions)]),
    "vml_open": (c_int, [POINTER(LlmOptions), POINTER(_LLM)]),
    "vml_close": (None, [_LLM]),
    "vml_describe": (c_int, [_LLM, POINTER(LlmInfo)]),
    "vml_encode": (c_int, [_LLM, c_char_p, c_size_t, *_TOKENS]),
    "vml_chat": (c_int, [_LLM, POINTER(c_char_p), POINTER(c_char_p), c_size_t, *_TOKENS]),
    "vml_decode": (c_int, [_LLM, POINTER(c_int32), c_size_t, POINTER(c_void_p), POINTER(c_size_t)]),
    "vml_token": (c_int, [_LLM, c_int32, POINTER(c_void_p), POINTER(c_size_t), POINTER(c_char_p)]),
    "vml_question_init": (None, [POINTER(LlmQuestion)]),
    "vml_answer": (c_int, [_LLM, POINTER(LlmQuestion), POINTER(LlmAnswer)]),
    "vml_embed": (c_int, [_LLM, POINTER(c_int32), c_size_t, POINTER(POINTER(c_float)), POINTER(c_size_t)]),
    "vmt_options_init": (None, [POINTER(WorkflowOptions)]),
    "vmt_open": (c_int, [POINTER(WorkflowOptions), POINTER(c_void_p)]),
    "vmt_close": (None, [c_void_p]),
    "vmt_last_error": (c_char_p, []),
    "vmt_warnings": (c_char_p, [c_void_p]),
    "vmt_tool": (c_char_p, [c_void_p, c_size_t]),
    "vmt_reply": (None, [c_void_p, c_char_p, c_size_t]),
    "vmt_add_tool": (c_int, [c_void_p, c_char_p, ToolFunction, c_void_p]),
    "vmt_add_command": (c_int, [c_void_p, c_char_p, c_char_p]),
    "vmt_run": (c_int, [c_void_p, Look, c_void_p, POINTER(c_char_p)]),
    "vmt_cancel": (None, [c_void_p]),
    "vmt_stream": (c_int, [c_void_p, c_int32, POINTER(StreamState)]),
    "vmt_failure": (c_char_p, [c_void_p, c_size_t]),
}


@functools.cache
def models() -> ctypes.CDLL:
    """libgpuvm-models"""
    return _native.load_library(f"libgpuvm-models.so.{MODELS_ABI}", SIGNATURES, "vml_abi_version", MODELS_ABI)


def check(status: int, last_error: str = "vml_last_error") -> None:
    """Raises what a function says."""
    if status:
        sentence = getattr(models(), last_error)().decode(errors="replace")
        raise _native.error_of(status, sentence or "The host has no memory left.")


def milliseconds(seconds: float | None) -> int:
    """0 of None; else 1 at least."""
    return 0 if seconds is None else max(1, int(seconds * 1000))


def text_at(address: int | None, size: int) -> str:
    """Bytes of C as a text."""
    return ctypes.string_at(address, size).decode(errors="replace") if address and size else ""
