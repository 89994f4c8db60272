"""What the programs of examples/linear do, in NumPy: operation by operation on f32, and in double precision."""

import numpy as np


def f32(known, *names):
    return [np.float32(known[name]) for name in names]


def mandelbrot(known):
    """Steps of each pixel, as mandelbrot.lvm counts them."""
    width, left, top, pitch = f32(known, "WIDTH", "LEFT", "TOP", "PITCH")
    number = np.arange(int(known["PIXELS"]), dtype=np.float32)
    column = np.fmod(number, width)
    cx, cy = column * pitch + left, (number - column) / width * pitch + top
    x, y, steps = (np.zeros_like(number) for _ in range(3))
    alive = np.arange(number.size)
    for _ in range(int(known["STEPS"])):
        xx, yy = x[alive] * x[alive], y[alive] * y[alive]
        stays = ~(xx + yy > 4)
        xx, yy, xy = xx[stays], yy[stays], (x[alive] * y[alive])[stays]
        alive = alive[stays]
        x[alive] = xx - yy + cx[alive]
        y[alive] = xy * np.float32(2) + cy[alive]
        steps[alive] += 1
    return steps


def slope(known, x, y):
    a, b, c, d = f32(known, "A", "B", "C", "D")
    xy = x * y
    return a * x - b * xy, d * xy - c * y


def runge_kutta(known, x, y):
    """Where ode.lvm ends."""
    h, half, sixth = f32(known, "H", "HALF", "SIXTH")
    for _ in range(int(known["STEPS"])):
        px, py = x, y
        sx, sy = np.zeros_like(x), np.zeros_like(y)
        for weight, far in ((1, half), (2, half), (2, h), (1, h)):
            kx, ky = slope(known, px, py)
            sx, sy = sx + kx * np.float32(weight), sy + ky * np.float32(weight)
            px, py = x + kx * far, y + ky * far
        x, y = x + sx * sixth, y + sy * sixth
    return x, y


def solved(known, x, y):
    """The same by SciPy's DOP853, in double precision."""
    from scipy.integrate import solve_ivp

    a, b, c, d = (known[name] for name in "ABCD")
    count = x.size

    def f(_, z):
        xy = z[:count] * z[count:]
        return np.concatenate([a * z[:count] - b * xy, d * xy - c * z[count:]])

    end = known["STEPS"] * known["H"]
    done = solve_ivp(f, (0, end), np.concatenate([x, y]).astype(float), method="DOP853", rtol=1e-9, atol=1e-9, t_eval=[end])
    return done.y[:count, 0], done.y[count:, 0]


def blocks(known):
    """The numbers of the pixels of each block."""
    pixels, width = int(known["PIXELS"]), int(known["WIDTH"])
    within = (np.arange(2)[:, None] * width + np.arange(4)).ravel()
    return (np.arange(pixels)[:, None] + within) % pixels


def transform(block):
    """As network.lvm does it: of a and b, a + b and a + b - 2 b."""
    rows = [block[:, k] for k in range(8)]

    def pair(i, j):
        rows[i] = rows[i] + rows[j]
        rows[j] = rows[i] + rows[j] * np.float32(-2)

    for row in (0, 4):
        for i, j in ((0, 1), (2, 3), (0, 2), (1, 3)):
            pair(row + i, row + j)
    for column in range(4):
        pair(column, column + 4)
    return np.stack(rows, axis=1)


def shrink(known, numbers):
    cut = numbers.dtype.type(known["CUT"])
    small = numbers - np.clip(numbers, -cut, cut)
    return np.concatenate([numbers[:, :1], small[:, 1:]], axis=1)


def mean(known, said):
    """Of each pixel, the mean of what blocks say, in the order in which network.lvm adds."""
    where, sums = blocks(known), np.zeros(said.shape[0], said.dtype)
    for k in range(8):
        part = np.empty_like(sums)
        part[where[:, k]] = said[:, k]
        sums = sums + part
    return sums * said.dtype.type(0.125)


def network(known, noisy):
    grey, eighth = np.float32(known["GREY"]), np.float32(0.125)
    numbers = shrink(known, transform(noisy[blocks(known)] - grey))
    return mean(known, transform(numbers) * eighth + grey)


def matrices(known, noisy):
    """The same as affine maps, in double precision."""
    pair = np.array([[1.0, 1.0], [1.0, -1.0]])
    layer = np.kron(pair, np.kron(pair, pair))
    numbers = shrink(known, (noisy.astype(float)[blocks(known)] - known["GREY"]) @ layer.T)
    return mean(known, numbers @ layer.T / 8 + known["GREY"])
