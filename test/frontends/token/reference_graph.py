#===- reference_graph.py - each zone lies between an entry and END ---------===#
#
# Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The rule of section 7 that the wire and the tensor form are checked for.
#
#===------------------------------------------------------------------------===#


def reached(edges, starts):
    seen, stack = set(starts), list(starts)
    while stack:
        for target in edges.get(stack.pop(), ()):
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


def check_graph(edges, entries, end):
    """The first zone that no entry reaches or that does not reach END; None."""
    forward = dict(enumerate(edges))
    backward = {}
    for zone, targets in forward.items():
        for target in targets:
            backward.setdefault(target, []).append(zone)
    between = reached(forward, entries) & reached(backward, [end])
    return next((zone for zone in forward if zone not in between), None)
