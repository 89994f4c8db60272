"""A year of the planets (examples/planets): 366 steps of fourth order of eleven bodies in f64, the regulator asked for nothing.
Peers take the same steps, and do not look at the energy.
"""

import numpy as np

import examples
from model import Case, Tensor, wanted

ephemeris, newton = examples.load("planets/ephemeris"), examples.load("planets/newton")

TICKS = 256  # a day
LENGTHS = [TICKS] * 365 + [TICKS // 4]


def numpy_year(d):
    return newton.replay(d["gm"], d["q"], d["v"], LENGTHS, TICKS)[0]


def torch_year(d):
    torch, gm, q, v = d["torch"], d["gm"], d["q"], d["v"]
    alone = torch.diag(torch.full((q.shape[1],), float("inf"), dtype=q.dtype, device=q.device))
    for length in LENGTHS:
        for weight in (newton.OUTER, 1 - 2 * newton.OUTER, newton.OUTER):
            h = length / TICKS * weight
            q = q + v * (h / 2)
            apart = q[:, None, :] - q[:, :, None]
            r = (apart * apart).sum(0).sqrt() + alone
            v = v + (gm / r ** 3 * apart).sum(2) * h
            q = q + v * (h / 2)
    return q


def begin(index):
    """Masses, places or speeds on the first day of the table."""
    table = ephemeris.Table(examples.FOLDER / "planets" / "january-2000.csv")
    return table.of(min(date for date, _ in table.rows))[index]


def cases(device, _):
    bodies = len(ephemeris.BODIES)
    inputs = {"q": Tensor((3, bodies), "f64", make=lambda: begin(1)), "v": Tensor((3, bodies), "f64", make=lambda: begin(2)),
              "gm": Tensor((bodies,), "f64", make=lambda: begin(0)),
              "tolerance": Tensor((), "f64", make=lambda: np.array(np.inf)),
              "year": Tensor((), "i32", make=lambda: np.array(sum(LENGTHS), np.int32)),
              "first": Tensor((), "i32", make=lambda: np.array(TICKS, np.int32))}
    yield Case("planets, 366 steps", examples.text("planets/year"), inputs, "places",
               Tensor((3, bodies), "f64"), reference=numpy_year, torch={"a loop of the host": torch_year},
               options=examples.settings(steps=400), target=wanted(device), bound=1e-9)
