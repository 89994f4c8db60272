"""Conway's Game of Life on a torus."""

import gpuvm
import gpuvm.numpy as gnp


@gpuvm.program
def life(board, steps=100):
    """`board` holds 1 where a cell is alive, else 0, of int8."""

    def step(board):
        neighbours = sum(gnp.roll(board, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x)
        return ((neighbours == 3) | ((neighbours == 2) & (board == 1))).astype(board.dtype)

    return gpuvm.repeat(steps, step, board)


if __name__ == "__main__":
    import numpy as np

    board = np.zeros((12, 24), np.int8)
    board[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]  # A glider.
    for row in life(board, steps=20):
        print("".join(".#"[cell] for cell in row))
