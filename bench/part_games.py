"""Games at random: Connect Four, the lanes of examples/connect4/playouts.mlir.

Operations are those of 32 bits that the body has for a draw of a column: 43 on 64 bits,
which take two each, and 8 on 32. A game takes DRAWS of them on average, as NumPy counts.
"""

import pathlib
import re

import numpy as np

from model import PEAK, Case, Target, Tensor

TITLE = "Games at random"
NOTES = ("A draw of a column counts as 94 operations of 32 bits.",)
EXAMPLE = pathlib.Path(__file__).resolve().parents[1] / "examples" / "connect4" / "playouts.mlir"
GAMES = 16          # of a lane
DRAWS = 25.8        # of a game
OPERATIONS = 94     # of a draw
WANTED = 1e9        # games per second of one H200
BOARD = 0xFDFBF7EFDFBF
FACTOR = 0x2545F4914F6CDD1D - 2**64 * (0x2545F4914F6CDD1D >> 63)


def program(starts, counts):
    """The body of the example with the lanes' states as an input."""
    body = re.search(r" *\^bb0\(%start.*?linalg\.yield %end#4[^\n]*\n", EXAMPLE.read_text(), re.S)[0]
    lanes = Tensor(starts.shape, "i32")
    return f"""gpuvm.program @bench() {{
  gpuvm.heap @starts : {starts}
  gpuvm.global @counts : {counts}
  gpuvm.stage @bench() {{
    %starts = gpuvm.load @starts : {starts}
    %init = tensor.empty() : {lanes}
    %n:3 = linalg.generic {{indexing_maps = [{", ".join(["affine_map<(lane) -> (lane)>"] * 4)}],
                            iterator_types = ["parallel"]}}
        ins(%starts : {starts}) outs(%init, %init, %init : {lanes}, {lanes}, {lanes}) {{
{body}    }} -> ({lanes}, {lanes}, {lanes})
    %zero = arith.constant dense<0> : tensor<i32>
    %s:3 = linalg.reduce ins(%n#0, %n#1, %n#2 : {lanes}, {lanes}, {lanes})
        outs(%zero, %zero, %zero : tensor<i32>, tensor<i32>, tensor<i32>) dimensions = [0]
      (%a1: i32, %a2: i32, %a0: i32, %t1: i32, %t2: i32, %t0: i32) {{
        %r1 = arith.addi %t1, %a1 : i32
        %r2 = arith.addi %t2, %a2 : i32
        %r0 = arith.addi %t0, %a0 : i32
        linalg.yield %r1, %r2, %r0 : i32, i32, i32
      }}
    %c1 = tensor.expand_shape %s#0 [] output_shape [1] : tensor<i32> into tensor<1xi32>
    %c2 = tensor.expand_shape %s#1 [] output_shape [1] : tensor<i32> into tensor<1xi32>
    %c0 = tensor.expand_shape %s#2 [] output_shape [1] : tensor<i32> into tensor<1xi32>
    %c = tensor.concat dim(0) %c1, %c2, %c0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> {counts}
    gpuvm.store %c, @counts : {counts}
  }}
  gpuvm.return
}}
"""


def shifted(x, bits):
    """As unsigned numbers."""
    return (x >> bits) & ((1 << (64 - bits)) - 1)


def draw(mine, board, state):
    """One draw of each game: the new position, state, and whether there was a move, four in a row, an end."""
    x = state ^ shifted(state, 12)
    x = x ^ (x << 25)
    x = x ^ shifted(x, 27)
    column = shifted(x * FACTOR, 61)
    stone = (board + (1 << (column * 7))) & (board ^ BOARD)
    stones, own = board | stone, mine | stone
    four = 0
    for near, far in ((1, 2), (7, 14), (6, 12), (8, 16)):
        two = own & (own >> near)
        four = four | (two & (two >> far))
    wins = four != 0
    return own, stones, x, stone != 0, wins, wins | (stones == BOARD)


def parity(x):
    """The lowest bit of how many there are."""
    for bits in (32, 16, 8, 4, 2, 1):
        x = x ^ shifted(x, bits)
    return x & 1


def play(states, where, zeros, step=draw):
    """(first, second, nobody) of GAMES games of each lane; a lane whose games are over plays on, and the result is discarded."""
    mine, board, state, over = zeros, zeros, states | 1, zeros
    first = second = 0
    while True:
        own, stones, state, moves, wins, ends = step(mine, board, state)
        counts = over < GAMES
        odd = parity(stones) == 1
        first = first + int((wins & counts & odd).sum())
        second = second + int((wins & counts & ~odd).sum())
        over = over + ends
        mine, board = where(ends, zeros, where(moves, board ^ mine, own)), where(ends, zeros, stones)
        if int(over.min()) >= GAMES:
            return first, second, GAMES * states.shape[0] - first - second


def playouts(lanes, target=None):
    starts, counts = Tensor((lanes,), "i64", 1, 2**62), Tensor((3,), "i32")

    def numpy(d):
        with np.errstate(over="ignore"):
            return np.array(play(d["starts"], np.where, np.zeros_like(d["starts"])), np.int32)

    def torch(compiled):
        def call(d):
            t = d["torch"]
            step = t.compile(draw) if compiled else draw
            answer = play(d["starts"], t.where, t.zeros_like(d["starts"]), step)
            return t.tensor(answer, dtype=t.int32, device=d["starts"].device)
        return call

    games = GAMES * lanes
    return Case(f"{games:,} games", program(starts, counts), {"starts": starts}, "counts", counts, reference=numpy,
                torch={"a draw at a time": torch(False), "compiled draws": torch(True)}, bytes=starts.bytes,
                operations=round(OPERATIONS * DRAWS * games), arithmetic="i32", target=target, bound=0,
                counts=(games, "games"))


def cases(device, _):
    if device == "cpu":
        yield playouts(1 << 13)
        return
    share = round(WANTED * OPERATIONS * DRAWS / PEAK["H200"]["i32"], 3)
    for lanes in (1 << 17, 1 << 19):
        yield playouts(lanes, Target(share))
