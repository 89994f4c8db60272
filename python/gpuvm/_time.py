"""Seconds, as C takes them."""

from __future__ import annotations

from .errors import UsageError


def milliseconds(seconds: float | None) -> int:
    if seconds is None:
        return 2**64 - 1
    if not seconds >= 0:
        raise UsageError(f"{seconds} is no number of seconds.")
    return int(min(seconds * 1000, 2.0**63))
