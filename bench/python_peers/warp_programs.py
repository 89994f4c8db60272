"""Warp's: a kernel for each step, one thread an element."""

import warp as wp

wp.config.quiet = True


@wp.kernel
def life_step(board: wp.array2d(dtype=wp.int32), result: wp.array2d(dtype=wp.int32)):
    y, x = wp.tid()
    rows, columns = board.shape[0], board.shape[1]
    around = int(0)
    for dy in range(3):
        for dx in range(3):
            around += board[(y + dy + rows - 1) % rows, (x + dx + columns - 1) % columns]
    around -= board[y, x]
    result[y, x] = int(around == 3 or (around == 2 and board[y, x] == 1))


def life(board, steps):
    board = wp.array(board)
    result = wp.empty_like(board)
    for _ in range(steps):
        wp.launch(life_step, dim=board.shape, inputs=[board], outputs=[result])
        board, result = result, board
    return board.numpy()


@wp.kernel
def mandelbrot_all(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float), steps: int, count: wp.array2d(dtype=wp.int32)):
    i, j = wp.tid()
    zx, zy, n = float(0.0), float(0.0), int(0)
    for _ in range(steps):
        if zx * zx + zy * zy <= 4.0:
            n += 1
            new = zx * zx - zy * zy + x[i, j]
            zy = 2.0 * zx * zy + y[i, j]
            zx = new
    count[i, j] = n


def mandelbrot(x, y, steps):
    count = wp.empty(x.shape, dtype=wp.int32)
    wp.launch(mandelbrot_all, dim=x.shape, inputs=[wp.array(x), wp.array(y), steps], outputs=[count])
    return count.numpy()


@wp.kernel
def kmeans_assign(points: wp.array2d(dtype=float), centers: wp.array2d(dtype=float), sums: wp.array2d(dtype=float),
                  sizes: wp.array(dtype=float)):
    i = wp.tid()
    best, nearest = float(1e30), int(0)
    for k in range(centers.shape[0]):
        distance = float(0.0)
        for d in range(centers.shape[1]):
            distance += (points[i, d] - centers[k, d]) * (points[i, d] - centers[k, d])
        if distance < best:
            best, nearest = distance, k
    for d in range(centers.shape[1]):
        wp.atomic_add(sums, nearest, d, points[i, d])
    wp.atomic_add(sizes, nearest, 1.0)


@wp.kernel
def kmeans_move(sums: wp.array2d(dtype=float), sizes: wp.array(dtype=float), centers: wp.array2d(dtype=float)):
    k, d = wp.tid()
    centers[k, d] = sums[k, d] / wp.max(sizes[k], 1.0)


def kmeans(points, centers, steps):
    points, centers = wp.array(points), wp.array(centers)
    sums, sizes = wp.empty_like(centers), wp.empty(centers.shape[0], dtype=float)
    for _ in range(steps):
        sums.zero_()
        sizes.zero_()
        wp.launch(kmeans_assign, dim=points.shape[0], inputs=[points, centers], outputs=[sums, sizes])
        wp.launch(kmeans_move, dim=centers.shape, inputs=[sums, sizes], outputs=[centers])
    return centers.numpy()
