"""What rank.mlir and layers.mlir compute, in NumPy and float64."""

import numpy as np

ROUTING = (1.0, 0.5, 0.25, 1.0)  # @routing of layers.mlir


def edges(nodes, source, target, weight):
    """The edges that are some, and how many are none and do not fill up either."""
    source, target = np.asarray(source), np.asarray(target)
    good = (source >= 0) & (source < nodes) & (target >= 0) & (target < nodes) & (weight > 0) & np.isfinite(weight)
    strays = int(np.sum(~good & ~((source == -1) & (target == -1))))
    return source[good], target[good], weight[good].astype(float), strays


def rank(nodes, source, target, weight, tolerance=1e-10, most=150):
    """(ranks, how far they moved each time)"""
    source, target, weight, _ = edges(nodes, source, target, weight)
    together = np.bincount(source, weight, nodes)
    share, isEnd = weight / together[source], together == 0
    ranks, changes = np.full(nodes, 1 / nodes), []
    while len(changes) < most and (not changes or changes[-1] >= tolerance):
        flow = np.bincount(target, ranks[source] * share, nodes) + ranks[isEnd].sum() / nodes
        new = 0.15 / nodes + 0.85 * flow
        changes.append(np.abs(new - ranks).sum())
        ranks = new
    return ranks, np.array(changes)


class Relation:
    """One type of edges, in both directions."""

    def __init__(self, nodes, source, target, weight):
        source, target, weight, self.strays = edges(nodes, source, target, weight)
        self.end, self.other = np.r_[source, target], np.r_[target, source]
        self.weight = np.r_[weight, weight]
        self.degree = np.bincount(self.end, self.weight, nodes)

    def means(self, h):
        sums = [np.bincount(self.end, self.weight * column[self.other], len(h)) for column in h.T]
        return np.stack(sums, axis=1) / np.maximum(self.degree, 1e-30)[:, None]

    def energy(self, h):
        """Of the edges, one by one; the program sums over nodes."""
        squares = ((h[self.end] - h[self.other]) ** 2).sum(axis=1)
        return (self.weight * squares).sum() / max(self.weight.sum(), 1e-30)


def clean(x):
    """Features without the rows that are not finite, and how many those are."""
    bad = ~np.isfinite(x).all(axis=1)
    return np.where(bad[:, None], 0, x).astype(float), int(bad.sum())


def layers(x, relations, limit, most=24):
    """(features after each layer, the first without any, energies of each layer [n, 3], the layer in which each type was deactivated or -1)"""
    h = clean(x)[0]
    all_h, energies, awake, parked = [h], [], [True] * 3, [-1] * 3
    for layer in range(most):
        now = [relation.energy(h) if runs else 0.0 for relation, runs in zip(relations, awake)]
        energies.append(now)
        for t in range(3):
            if awake[t] and (now[t] < limit * energies[0][t] or now[t] <= 0):
                awake[t], parked[t] = False, layer
        if not any(awake):
            break
        above, below = ROUTING[3] * h, np.full(len(h), ROUTING[3])
        for t in np.flatnonzero(awake):
            above = above + ROUTING[t] * relations[t].means(h)
            below = below + ROUTING[t] * (relations[t].degree > 0)
        h = above / below[:, None]
        all_h.append(h)
    return all_h, np.array(energies), parked
