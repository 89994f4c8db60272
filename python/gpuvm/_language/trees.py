"""Arrays in tuples, lists, dictionaries and dataclasses, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

Rebuild = Callable[[Iterator[Any]], Any]


def flatten(tree: Any, name: str) -> tuple[list[tuple[str, Any]], Rebuild]:
    """The leaves with names, and what makes such a tree of others."""
    children = _children(tree)
    if children is None:
        return [(name, tree)], lambda leaves: next(leaves)
    parts = [flatten(child, f"{name}_{key}" if name else str(key)) for key, child in children]
    leaves = [leaf for found, _ in parts for leaf in found]
    rebuilds = [rebuild for _, rebuild in parts]
    keys = [key for key, _ in children]
    return leaves, lambda values: _assembled(tree, keys, [rebuild(values) for rebuild in rebuilds])


def _children(tree: Any) -> list[tuple[Any, Any]] | None:
    if isinstance(tree, dict):
        return list(tree.items())
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return list(zip(tree._fields, tree, strict=True))
    if isinstance(tree, (tuple, list)):
        return list(enumerate(tree))
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [(field.name, getattr(tree, field.name)) for field in dataclasses.fields(tree)]
    return None


def _assembled(tree: Any, keys: list[Any], values: list[Any]) -> Any:
    if isinstance(tree, dict):
        return dict(zip(keys, values, strict=True))
    if isinstance(tree, tuple):
        return type(tree)(*values) if hasattr(tree, "_fields") else tuple(values)
    if isinstance(tree, list):
        return values
    return dataclasses.replace(tree, **dict(zip(keys, values, strict=True)))
