#===- reference_scan.py - patterns and placeholders in a text --------------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Section 5: a block's text is cut at the zone patterns outside of escapes, and
# each piece is parsed as a template. Section 8 cuts texts with `occurrences`.
#
#===------------------------------------------------------------------------===#

import re

from reference_diagnostics import Problem

NAME = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def occurrences(text, patterns):
    """(start, pattern) of each, leftmost then longest, not overlapping."""
    at, found = 0, []
    while at < len(text):
        here = [p for p in patterns if p and text.startswith(p, at)]
        if not here:
            at += 1
            continue
        longest = max(here, key=lambda p: len(p.encode()))
        found.append((at, longest))
        at += len(longest)
    return found


def at_depth_zero(text, config, where, place):
    """Occurrences of zone patterns outside of escapes; U30, U31."""
    opening, closing = config.escape_patterns
    depth, found = 0, []
    for start, pattern in occurrences(text, config.zone_patterns + [opening, closing]):
        if pattern == opening:
            depth += 1
        elif pattern == closing:
            if depth == 0:
                raise Problem("U30", f"{closing!r} closes nothing in {where}", place)
            depth -= 1
        elif depth == 0:
            found.append((start, pattern))
    if depth:
        raise Problem("U31", f"{opening!r} is not closed in {where}", place)
    return found


def is_balanced(text, config):
    """Whether no escape of a filled-in zone text is left open or stray."""
    try:
        at_depth_zero(text, config, "", ("", 0, 0))
    except Problem:
        return False
    return True


def has_bare_control(text, begin, end, config):
    """Whether the part that is kept has the control pattern outside of escapes (W06)."""
    opening, closing = config.escape_patterns
    control = config.control_pattern
    depth = 0
    for start, pattern in occurrences(text, config.all_patterns()):
        if pattern == opening:
            depth += 1
        elif pattern == closing:
            depth = max(0, depth - 1)
        elif pattern == control and depth == 0 and begin <= start < end:
            return True
    return False


def check_order(found, config, where, place):
    """U33..U36: the i-th found pattern is the i-th zone pattern."""
    if not found:
        raise Problem("U33", f"no zone pattern in {where}", place)
    wanted = config.zone_patterns
    for i, (_, pattern) in enumerate(found):
        if i >= len(wanted):
            raise Problem("U34", f"{pattern!r} is one too many in {where}", place)
        if pattern != wanted[i]:
            raise Problem("U35", f"{pattern!r}, not {wanted[i]!r}, in {where}", place)
    present = {pattern for _, pattern in found}
    for pattern in config.required_patterns:
        if pattern not in present:
            raise Problem("U36", f"{pattern!r} is missing in {where}", place)


def cut_zones(text, config, where, place, warnings):
    """The texts of the len(zone_patterns) zones of a block, not filled in."""
    found = at_depth_zero(text, config, where, place)
    check_order(found, config, where, place)
    first = found[0][0]
    if text[:first].strip():
        warnings.add("W04", f"text before the first pattern of {where}", place)
    is_whole = len(found) == len(config.zone_patterns)
    end = found[-1][0] + len(found[-1][1]) if is_whole else len(text)
    if has_bare_control(text, first, end, config):
        warnings.add("W06", f"an unescaped control pattern in {where}", place)
    texts, at = [config.zone_patterns[0]], first + len(found[0][1])
    for start, pattern in found[1:]:
        texts.append(text[at:start + len(pattern)])
        at = start + len(pattern)
    missing = len(config.zone_patterns) - len(texts)
    if missing:
        return texts + [text[at:]] + [""] * (missing - 1)
    if text[at:].strip():
        warnings.add("W05", f"text after the last pattern of {where}", place)
    return texts


def parse_template(text, where, place):
    """Parts of a text: ("text", words) and ("placeholder", name)."""
    parts, words, at = [], "", 0
    while at < len(text):
        two, name = text[at:at + 2], NAME.match(text, at)
        if text[at] not in "{}":
            words, at = words + text[at], at + 1
        elif two in ("{{", "}}"):
            words, at = words + two[0], at + 2
        elif name:
            parts += [("text", words), ("placeholder", name.group(1))]
            words, at = "", name.end()
        else:
            raise Problem("U32", f"{text[at:at + 16]!r} is no placeholder in {where}", place)
    parts.append(("text", words))
    return [part for part in parts if part != ("text", "")]
