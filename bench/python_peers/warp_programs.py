"""Warp's: a kernel for each step, one thread an element."""

import warp as wp

wp.config.quiet = True


@wp.kernel
def life_step(board: wp.array2d(dtype=wp.int8), result: wp.array2d(dtype=wp.int8)):
    y, x = wp.tid()
    rows, columns = board.shape[0], board.shape[1]
    around = int(0)
    for dy in range(3):
        for dx in range(3):
            around += int(board[(y + dy + rows - 1) % rows, (x + dx + columns - 1) % columns])
    around -= int(board[y, x])
    result[y, x] = wp.int8(around == 3 or (around == 2 and board[y, x] == wp.int8(1)))


def life(board, steps):
    board = wp.array(board)
    result = wp.empty_like(board)
    for _ in range(steps):
        wp.launch(life_step, dim=board.shape, inputs=[board], outputs=[result])
        board, result = result, board
    return board.numpy()


@wp.kernel
def escape(x: wp.array(dtype=float), y: wp.array(dtype=float), most: int, steps: wp.array2d(dtype=wp.int32)):
    i, j = wp.tid()
    zx, zy, n = float(0.0), float(0.0), int(0)
    while zx * zx + zy * zy <= 4.0 and n < most:
        new = zx * zx - zy * zy + x[j]
        zy = 2.0 * zx * zy + y[i]
        zx = new
        n += 1
    steps[i, j] = n


def mandelbrot(x, y, most):
    steps = wp.empty((len(y), len(x)), dtype=wp.int32)
    wp.launch(escape, dim=steps.shape, inputs=[wp.array(x), wp.array(y), most], outputs=[steps])
    return steps.numpy()


@wp.kernel
def assign(points: wp.array2d(dtype=float), centres: wp.array2d(dtype=float), sums: wp.array2d(dtype=float),
           sizes: wp.array(dtype=float)):
    i = wp.tid()
    best, nearest = float(1e30), int(0)
    for k in range(centres.shape[0]):
        distance = float(0.0)
        for d in range(centres.shape[1]):
            distance += (points[i, d] - centres[k, d]) * (points[i, d] - centres[k, d])
        if distance < best:
            best, nearest = distance, k
    for d in range(centres.shape[1]):
        wp.atomic_add(sums, nearest, d, points[i, d])
    wp.atomic_add(sizes, nearest, 1.0)


@wp.kernel
def move(sums: wp.array2d(dtype=float), sizes: wp.array(dtype=float), centres: wp.array2d(dtype=float),
         moved: wp.array(dtype=int)):
    k, d = wp.tid()
    if sizes[k] > 0.0:
        better = sums[k, d] / sizes[k]
        if better != centres[k, d]:
            moved[0] = 1
        centres[k, d] = better


def kmeans(points, centres, most):
    points, centres = wp.array(points), wp.array(centres)
    sums, sizes, moved = wp.empty_like(centres), wp.empty(centres.shape[0], dtype=float), wp.empty(1, dtype=int)
    for _ in range(most):
        for each in (sums, sizes, moved):
            each.zero_()
        wp.launch(assign, dim=points.shape[0], inputs=[points, centres], outputs=[sums, sizes])
        wp.launch(move, dim=centres.shape, inputs=[sums, sizes], outputs=[centres, moved])
        if not moved.numpy()[0]:
            break
    return centres.numpy()
