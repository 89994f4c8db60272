"""A network of two layers that learns to tell classes apart: training steps with gradients by hand."""

import gpuvm
import gpuvm.numpy as gnp
import numpy as np


def forward(network, x):
    """What the layer between sees, and the probability of each class."""
    hidden = gnp.tanh(x @ network["w1"] + network["b1"])
    scores = hidden @ network["w2"] + network["b2"]
    powers = gnp.exp(scores - scores.max(axis=1, keepdims=True))
    return hidden, powers / powers.sum(axis=1, keepdims=True)


@gpuvm.program
def train(network, x, labels, steps=100, rate=0.5):
    """The network after some steps down the gradient of the cross-entropy, and the last loss."""
    wanted = (labels[:, None] == gnp.arange(network["b2"].shape[0], dtype=labels.dtype)).astype(x.dtype)

    def step(network, loss):
        hidden, chance = forward(network, x)
        d_scores = (chance - wanted) / len(x)
        d_hidden = (d_scores @ network["w2"].T) * (1 - hidden**2)
        slopes = {"w1": x.T @ d_hidden, "b1": d_hidden.sum(axis=0), "w2": hidden.T @ d_scores, "b2": d_scores.sum(axis=0)}
        loss = -gnp.mean(gnp.log(gnp.sum(chance * wanted, axis=1)))
        return {name: value - rate * slopes[name] for name, value in network.items()}, loss

    return gpuvm.repeat(steps, step, network, np.float32(0))


@gpuvm.program
def classify(network, x):
    """The class of each row."""
    return gnp.argmax(forward(network, x)[1], axis=1)


def new_network(inputs, hidden, classes, seed=0):
    """Weights by chance."""
    random = np.random.default_rng(seed)
    w1, w2 = random.standard_normal((inputs, hidden)) / inputs**0.5, random.standard_normal((hidden, classes)) / hidden**0.5
    return {"w1": np.float32(w1), "b1": np.zeros(hidden, np.float32), "w2": np.float32(w2), "b2": np.zeros(classes, np.float32)}


if __name__ == "__main__":
    turns = np.random.default_rng(0).random(300)
    labels = np.arange(300, dtype=np.int32) % 3
    angles = 5 * turns + labels * 2.1
    x = np.float32(np.stack([turns * np.cos(angles), turns * np.sin(angles)], axis=1) * 3)  # Three arms of a spiral.
    network, loss = train(new_network(2, 32, 3), x, labels, steps=150, rate=1.5)
    print(f"loss {loss:.4f}, {np.mean(classify(network, x) == labels):.1%} right")
