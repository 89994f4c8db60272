"""Columns like those of TPC-H query 6, and what the query must answer.

Usage: q6.py FOLDER ROWS writes the columns as .npy, and prints the sum and the count as a plain loop finds them.
"""

import os
import random
import sys

sys.dont_write_bytecode = True
from differential import write_npy

folder, rows = sys.argv[1], int(sys.argv[2])
rng = random.Random(rows)
ship = [rng.randint(8036, 10561) for _ in range(rows)]
discount = [rng.randint(0, 10) for _ in range(rows)]
quantity = [rng.randint(1, 50) for _ in range(rows)]
price = [rng.randint(90000, 10494950) for _ in range(rows)]

os.makedirs(folder, exist_ok=True)
for name, dtype, values in [("l_shipdate", "i32", ship), ("l_discount", "i8", discount), ("l_quantity", "i8", quantity),
                            ("l_extendedprice", "i64", price)]:
    write_npy(os.path.join(folder, name + ".npy"), (rows,), dtype, values)

kept = [p * d for s, d, q, p in zip(ship, discount, quantity, price) if 8766 <= s < 9131 and 5 <= d <= 7 and q < 24]
assert kept
with open(os.path.join(folder, "expected.txt"), "w") as file:
    file.write(f"CHECK: revenue: i64={sum(kept)}{{{{$}}}}\nCHECK: SUM: i64={sum(kept)}{{{{$}}}}\n"
               f"CHECK: COUNT: i64={len(kept)}{{{{$}}}}\n")
