"""Calls of C that take long, on the main thread: Ctrl-C ends waiting for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class _Call(Generic[T]):
    def __init__(self, function: Callable[[], T], undo: Callable[[T], None] | None) -> None:
        self.function = function
        self.undo = undo
        self.results: list[T] = []
        self.error: BaseException | None = None
        self.done = threading.Event()
        self.lock = threading.Lock()
        self.is_abandoned = False

    def run(self) -> None:
        try:
            result = self.function()
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self.error = error
        else:
            with self.lock:
                self.results.append(result)
                is_abandoned = self.is_abandoned
            if is_abandoned and self.undo:
                self.undo(result)
        finally:
            self.done.set()

    def abandon(self) -> None:
        with self.lock:
            self.is_abandoned = True
            results = list(self.results)
        if results and self.undo:
            self.undo(results[0])


def interruptible(
    function: Callable[[], T], undo: Callable[[T], None] | None = None, stop: Callable[[], None] | None = None
) -> T:
    """The result of `function`, which runs on a thread of its own where signals have a meaning.

    Python runs handlers of signals on the main thread and between its own instructions only, not
    within a call of C. After Ctrl-C `stop` is called, and the call goes on to its end, which the
    process waits for when it exits; `undo` gets the result then.
    """
    if threading.current_thread() is not threading.main_thread():
        return function()
    call = _Call(function, undo)
    try:
        threading.Thread(target=call.run, name="gpuvm").start()
        call.done.wait()
    except BaseException:
        if stop:
            stop()
        call.abandon()
        raise
    if call.error is not None:
        raise call.error
    return call.results[0]
