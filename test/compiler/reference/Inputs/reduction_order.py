"""Sums of f32 numbers in the order of docs/reduction-order.md, a second time.

usage: reduction_order.py P K DATA EXPECTED [--columns] [--norm] [--vector=FILE]

Writes P * K numbers whose sum depends on the order of the additions to DATA (raw f32) and the P sums to
EXPECTED. The numbers of a result are neighbours, or P apart with --columns. With --norm, P is 1 and the
result is the L2 norm. With --vector, K more numbers go to FILE, and the sums are those of the products with
them, as of a matrix times a vector.
"""

import array
import math
import sys

CELL = array.array("f", [0])


def f32(x):
    """x rounded to f32. The f64 sum or product of two f32 numbers, rounded, is their f32 sum or product."""
    CELL[0] = x
    return CELL[0]


def fold(values):
    total = values[0]
    for value in values[1:]:
        total = f32(total + value)
    return total


def fold_lanes(lanes):
    return fold([fold(lanes[first:first + 16]) for first in range(0, len(lanes), 16)])


def at_once(count, results, widest):
    """E: elements that a lane takes at a time."""
    e = widest
    while results > 1 and count % e:
        e //= 2
    return e


def fold_part(elements, part, parts, results, widest):
    count = len(elements)
    e = at_once(count, results, widest)
    rows = count // (16 * widest)
    many = rows >= 64 * parts or results >= 4096 and rows <= 32 and widest == 4
    per_group = widest // e * (4 if many else 1)
    turn = 16 * per_group * 16 * e
    lanes = [[] for _ in range(256)]
    for first in range(part * turn, count, parts * turn):
        for at in range(first, min(first + turn, count), e):
            row, lane = divmod((at - first) // e, 16)
            lanes[row // per_group * 16 + lane] += elements[at:at + e]
    return fold_lanes([fold(lane) for lane in lanes if lane])


def fold_columns(elements, parts):
    """Lane k mod 8 of part k // 8 mod parts has element k."""
    totals = [fold([fold(elements[8 * part + lane::8 * parts]) for lane in range(8)]) for part in range(parts)]
    return fold([fold(totals[lane::8]) for lane in range(min(8, parts))])


def is_sequential(count, results, innermost_is_parallel):
    if innermost_is_parallel and results >= 32:  # all of them in the last loop
        return count <= 64
    return count <= 16 or (innermost_is_parallel and count <= 64)


def reduce(elements, results, innermost_is_parallel, widest=4):
    count = len(elements)
    if is_sequential(count, results, innermost_is_parallel):
        return fold([0.0] + elements)
    if innermost_is_parallel and results >= 32:
        return f32(0.0 + fold_columns(elements, max(1, min(65536 // results, count // 128, 256))))
    parts = min(-(-count // (256 * widest)), max(1, 256 // results))
    totals = [fold_part(elements, part, parts, results, widest) for part in range(parts)]
    return f32(0.0 + fold_lanes(totals))


def number(i):
    """Of either sign, with 24 significant bits and an exponent that varies."""
    h = (i * 2654435761 + 12345) % 2**32
    h = (h ^ h >> 15) * 2246822519 % 2**32
    return f32((h % 2**24 - 2**23) * 2.0**-(h >> 28))


def solve(data, results, columns, norm, vector):
    """The results, and whether they would be others in two simpler orders."""
    sums, differ = [], [False, False]
    for result in range(results):
        count = len(data) // results
        elements = data[result::results] if columns else data[result * count:(result + 1) * count]
        if norm:
            elements = [f32(x * x) for x in elements]
        if vector:
            elements = [f32(x * y) for x, y in zip(elements, vector)]
        sums.append(reduce(elements, results, columns, 8 if vector else 4))
        differ[0] = differ[0] or sums[-1] != fold([0.0] + elements)
        differ[1] = differ[1] or sums[-1] != fold_lanes(elements)
    return sums, differ


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    results, count = int(arguments[0]), int(arguments[1])
    columns, norm = "--columns" in sys.argv, "--norm" in sys.argv
    sequential = is_sequential(count, results, columns)
    files = [a.removeprefix("--vector=") for a in sys.argv if a.startswith("--vector=")]
    # Data whose sum is the same in another order would test nothing.
    for seed in range(10):
        data = [number(seed + i) for i in range(results * count)]
        vector = [number(1000 + seed + i) for i in range(count)] if files else []
        sums, differ = solve(data, results, columns, norm, vector)
        if differ == [not sequential, count > 16]:
            break
    else:
        sys.exit("found no data whose sums depend on the order")
    if norm:
        sums = [f32(math.sqrt(s)) for s in sums]
    if files:
        with open(files[0], "wb") as out:
            array.array("f", vector).tofile(out)
    with open(arguments[2], "wb") as out:
        array.array("f", data).tofile(out)
    with open(arguments[3], "wb") as out:
        array.array("f", sums).tofile(out)


main()
