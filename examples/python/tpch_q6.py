"""TPC-H query 6: the revenue that would have come in without certain discounts of a year. Money is whole numbers, and exact."""

import gpuvm
import gpuvm.numpy as gnp
import numpy as np


@gpuvm.program
def q6(shipped, discount, quantity, price, since=8766, until=9131):
    """Days since 1970, hundredths, pieces and cents of each line; the sum is in ten-thousandths."""
    is_counted = (shipped >= since) & (shipped < until) & (discount >= 5) & (discount <= 7) & (quantity < 24)
    revenue = gnp.sum(gnp.where(is_counted, price * discount, 0))
    return revenue, gnp.sum(is_counted)


def lines(count, seed=0):
    """Columns by chance, as dbgen spreads them."""
    random = np.random.default_rng(seed)
    return {
        "shipped": random.integers(8036, 10562, count).astype(np.int32),
        "discount": random.integers(0, 11, count).astype(np.int8),
        "quantity": random.integers(1, 51, count).astype(np.int8),
        "price": random.integers(90_000, 10_500_000, count).astype(np.int64),
    }


if __name__ == "__main__":
    revenue, count = q6(**lines(100_000))
    print(f"{count} lines, revenue {int(revenue) // 10_000}.{int(revenue) % 10_000:04}")
