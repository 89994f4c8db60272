"""tinygrad's: one step is what TinyJit captures."""

from tinygrad import Tensor, TinyJit, dtypes


@TinyJit
def life_step(board):
    around = sum(board.roll((dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) - board
    return ((around == 3) | ((around == 2) & (board == 1))).cast(dtypes.int32).realize()


def life(board, steps):
    board = Tensor(board)
    for _ in range(steps):
        board = life_step(board).clone().realize()
    return board.numpy()


@TinyJit
def mandelbrot_step(x, y, zx, zy, count):
    inside = zx * zx + zy * zy <= 4
    new = zx * zx - zy * zy + x
    zy, zx = inside.where(2 * zx * zy + y, zy), inside.where(new, zx)
    return zx.realize(), zy.realize(), (count + inside).realize()


def mandelbrot(x, y, steps):
    x, y = Tensor(x), Tensor(y)
    zx, zy, count = x.zeros_like().contiguous(), y.zeros_like().contiguous(), Tensor.zeros(*x.shape, dtype=dtypes.int32).contiguous()
    for _ in range(steps):
        zx, zy, count = (each.clone().realize() for each in mandelbrot_step(x, y, zx, zy, count))
    return count.numpy()


@TinyJit
def kmeans_step(points, centers):
    distance = ((points.unsqueeze(1) - centers) ** 2).sum(2)
    member = (distance.argmin(1).unsqueeze(1) == Tensor.arange(centers.shape[0])).float()
    return (member.T @ points / member.sum(0).maximum(1).unsqueeze(1)).realize()


def kmeans(points, centers, steps):
    points, centers = Tensor(points), Tensor(centers)
    for _ in range(steps):
        centers = kmeans_step(points, centers).clone().realize()
    return centers.numpy()
