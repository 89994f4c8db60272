"""Small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

_MAX_SHOWN = 8
"""Elements of an array."""


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td style="text-align:right">{value:,.2f}</td>'
    if isinstance(value, int):
        return f'<td style="text-align:right">{value:,}</td>'
    return f'<td style="text-align:left">{escape(str(value))}</td>'


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Numbers to the right, texts to the left; everything is escaped."""
    head = "".join(f'<th style="text-align:left">{escape(each)}</th>' for each in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    title = f'<caption style="text-align:left">{escape(caption)}</caption>' if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Results(dict[str, npt.NDArray[Any]]):
    """Arrays by name, which show themselves in a notebook."""

    def _repr_html_(self) -> str:
        rows = []
        for name, array in self.items():
            flat = array.reshape(-1)
            shown = np.array2string(flat[:_MAX_SHOWN], separator=", ", max_line_width=1000)
            more = "" if len(flat) <= _MAX_SHOWN else f"{shown[:-1]}, ...]"
            rows.append((name, str(array.dtype), " x ".join(map(str, array.shape)), more or shown))
        return table(("name", "dtype", "shape", "values"), rows)
