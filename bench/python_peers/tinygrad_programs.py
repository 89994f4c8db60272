"""tinygrad's: one step is what TinyJit captures. What it gives is overwritten by the next call, hence the copies."""

from tinygrad import Tensor, TinyJit, dtypes


@TinyJit
def life_step(board):
    around = sum(board.roll((y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x)
    return ((around == 3) | ((around == 2) & (board == 1))).cast(board.dtype).realize()


def life(board, steps):
    board = Tensor(board)
    for _ in range(steps):
        board = life_step(board).clone().realize()
    return board.numpy()


@TinyJit
def mandelbrot_step(cx, cy, zx, zy, steps):
    inside = zx * zx + zy * zy <= 4
    new_x, new_y = inside.where(zx * zx - zy * zy + cx, zx), inside.where(2 * zx * zy + cy, zy)
    return new_x.realize(), new_y.realize(), (steps + inside).realize()


def mandelbrot(x, y, most):
    shape = len(y), len(x)
    cx, cy = Tensor(x).unsqueeze(0).expand(shape), Tensor(y).unsqueeze(1).expand(shape)
    cx, cy = cx.contiguous().realize(), cy.contiguous().realize()
    zx, zy = cx.zeros_like().contiguous().realize(), cy.zeros_like().contiguous().realize()
    steps = Tensor.zeros(*shape, dtype=dtypes.int32).contiguous().realize()
    for _ in range(most):
        zx, zy, steps = (each.clone().realize() for each in mandelbrot_step(cx, cy, zx, zy, steps))
    return steps.numpy()


@TinyJit
def kmeans_step(points, centres):
    groups = ((points.unsqueeze(1) - centres) ** 2).sum(2).argmin(1)
    member = (groups.unsqueeze(1) == Tensor.arange(centres.shape[0])).float()
    sizes = member.sum(0).unsqueeze(1)
    better = (sizes > 0).where(member.T @ points / sizes.maximum(1), centres).realize()
    return better, (better == centres).all().realize()


def kmeans(points, centres, most):
    points, centres = Tensor(points), Tensor(centres)
    for _ in range(most):
        better, same = kmeans_step(points, centres)
        if same.item():
            break
        centres = better.clone().realize()
    return centres.numpy()
