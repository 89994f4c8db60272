"""Two graph networks in NumPy and float64: a GCN and a GAT of two layers each, and how they are trained.

    model.py FOLDER      trains both on Zachary's karate club and writes their weights, in f32, to FOLDER

Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017, and Velickovic and others, Graph
Attention Networks, ICLR 2018. A member has no features but who it is (the unit matrix), and the sides of two members are known: those
of the two men who fell out. Training is gradient descent on all members at once, with momentum, from a fixed seed.
"""

import pathlib
import sys

import numpy as np

import club

HIDDEN, HEADS, WIDE, CLASSES = 16, 4, 8, 2
SLOPE = 0.2  # of the leaky ReLU


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def adjacency(nodes, first, second):
    """How often each member is tied to each other one, itself once; ties with an end that is no member are left out, and counted."""
    good = (first >= 0) & (first < nodes) & (second >= 0) & (second < nodes)
    a = np.eye(nodes)
    np.add.at(a, (first[good], second[good]), 1)
    np.add.at(a, (second[good], first[good]), 1)
    return a, int(np.sum(~good))


class Gcn:
    """softmax(A relu(A X W1 + b1) W2 + b2) with A = D^-1/2 (ties and loops) D^-1/2"""

    rate, decay, steps = 0.2, 5e-4, 300

    def __init__(self, nodes, draw):
        glorot = [np.sqrt(6 / (a + b)) for a, b in ((nodes, HIDDEN), (HIDDEN, CLASSES))]
        self.weights = {"w1": draw.uniform(-1, 1, (nodes, HIDDEN)) * glorot[0], "b1": np.zeros(HIDDEN),
                        "w2": draw.uniform(-1, 1, (HIDDEN, CLASSES)) * glorot[1], "b2": np.zeros(CLASSES)}

    def forward(self, x, ties):
        w = self.weights
        root = 1 / np.sqrt(ties.sum(axis=1))
        a = ties * root[:, None] * root
        self.a, self.x, self.before = a, x, a @ x @ w["w1"] + w["b1"]
        self.hidden = np.maximum(self.before, 0)
        return a @ self.hidden @ w["w2"] + w["b2"]

    def backward(self, d):
        """The gradients of the weights, from that of what `forward` gave."""
        w, right = self.weights, self.a.T @ d
        below = (right @ w["w2"].T) * (self.before > 0)
        return {"w1": self.x.T @ (self.a.T @ below), "b1": below.sum(axis=0), "w2": self.hidden.T @ right, "b2": d.sum(axis=0)}


class Attention:
    """One layer of heads; w [heads, in, out], a and c [heads, out], without biases."""

    def __init__(self, w, a, c):
        self.w, self.a, self.c = w, a, c

    def forward(self, x, ties):
        """[heads, nodes, out]"""
        self.x, self.h = x, x @ self.w
        self.raw = (self.h @ self.a[:, :, None]) + (self.h @ self.c[:, :, None]).transpose(0, 2, 1)
        score = np.where(self.raw > 0, self.raw, SLOPE * self.raw)
        self.alpha = softmax(np.where(ties > 0, score, -np.inf))
        return self.alpha @ self.h

    def backward(self, d):
        """(gradients of w, a, c and x)"""
        by = d @ self.h.transpose(0, 2, 1)
        h = self.alpha.transpose(0, 2, 1) @ d
        score = self.alpha * (by - (self.alpha * by).sum(axis=2, keepdims=True))
        raw = score * np.where(self.raw > 0, 1, SLOPE)
        s, t = raw.sum(axis=2), raw.sum(axis=1)
        h = h + s[:, :, None] * self.a[:, None] + t[:, :, None] * self.c[:, None]
        a, c = ((self.h * v[:, :, None]).sum(axis=1) for v in (s, t))
        return self.x.T @ h, a, c, (h @ self.w.transpose(0, 2, 1)).sum(axis=0)


class Gat:
    """HEADS heads side by side with ELU, then HEADS heads whose mean is taken."""

    rate, decay, steps = 0.1, 5e-4, 300

    def __init__(self, nodes, draw):
        self.weights = {}
        for layer, (rows, columns) in enumerate(((nodes, WIDE), (HEADS * WIDE, CLASSES)), 1):
            for name, shape in (("w", (HEADS, rows, columns)), ("a", (HEADS, columns)), ("c", (HEADS, columns))):
                self.weights[f"{name}{layer}"] = draw.uniform(-1, 1, shape) * np.sqrt(6 / sum(shape[-2:]))
        self.weights["b1"], self.weights["b2"] = np.zeros((HEADS, WIDE)), np.zeros(CLASSES)

    def layer(self, number):
        return Attention(*(self.weights[f"{name}{number}"] for name in "wac"))

    def forward(self, x, ties):
        self.first, self.second = self.layer(1), self.layer(2)
        z = self.first.forward(x, ties) + self.weights["b1"][:, None]
        self.slope = np.where(z > 0, 1, np.exp(np.minimum(z, 0)))
        wide = np.where(z > 0, z, np.exp(np.minimum(z, 0)) - 1).transpose(1, 0, 2).reshape(len(x), -1)
        return self.second.forward(wide, ties).mean(axis=0) + self.weights["b2"]

    def backward(self, d):
        w2, a2, c2, wide = self.second.backward(np.repeat(d[None] / HEADS, HEADS, axis=0))
        z = wide.reshape(len(d), HEADS, WIDE).transpose(1, 0, 2) * self.slope
        w1, a1, c1, _ = self.first.backward(z)
        return {"w1": w1, "a1": a1, "c1": c1, "b1": z.sum(axis=1), "w2": w2, "a2": a2, "c2": c2, "b2": d.sum(axis=0)}

    def flatness(self, ties):
        """Of each head of the first layer: the entropy of its attention, of what it is if all neighbours count alike."""
        alpha = self.first.alpha
        entropy = -(alpha * np.log(np.where(alpha > 0, alpha, 1))).sum(axis=(1, 2))
        return entropy / max(np.log((ties > 0).sum(axis=1)).sum(), 1e-30)


def loss(model, x, ties, label, known):
    """(cross entropy of the known members and the decay of weights, its gradients)"""
    p = softmax(model.forward(x, ties))
    value = -np.log(p[known, label[known]]).mean()
    d = np.zeros_like(p)
    d[known] = (p[known] - np.eye(CLASSES)[label[known]]) / len(known)
    gradients = model.backward(d)
    for name, weight in model.weights.items():
        value += model.decay / 2 * (weight ** 2).sum()
        gradients[name] = gradients[name] + model.decay * weight
    return value, gradients


def train(kind, seed=34):
    """A model with weights that f32 can hold, and the losses."""
    nodes, (first, second) = club.MEMBERS, club.ties()
    x, (ties, _) = np.eye(nodes), adjacency(nodes, first, second)
    model = kind(nodes, np.random.default_rng(seed))
    speed, losses = {name: np.zeros_like(w) for name, w in model.weights.items()}, []
    for _ in range(model.steps):
        value, gradients = loss(model, x, ties, club.sides(), np.array(club.KNOWN))
        losses.append(value)
        for name in speed:
            speed[name] = 0.9 * speed[name] - model.rate * gradients[name]
            model.weights[name] = model.weights[name] + speed[name]
    model.weights = {name: w.astype(np.float32).astype(float) for name, w in model.weights.items()}
    return model, losses


def write(folder):
    """The trained models by name; their weights are NAME.WEIGHT.npy."""
    models = {}
    for name, kind in (("gcn", Gcn), ("gat", Gat)):
        models[name], losses = train(kind)
        print(f"{name}: loss {losses[0]:.4f} -> {losses[-1]:.4f} in {len(losses)} steps", file=sys.stderr)
        for weight, array in models[name].weights.items():
            np.save(folder / f"{name}.{weight}.npy", array.astype(np.float32))
    return models


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    write(pathlib.Path(sys.argv[1]))
