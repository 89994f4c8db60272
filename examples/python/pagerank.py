"""PageRank: how often one comes to each page who follows links by chance."""

import gpuvm
import gpuvm.numpy as gnp
import numpy as np


@gpuvm.program
def pagerank(sources, targets, pages=0, damping=0.85, most=100, tolerance=1e-6):
    """The rank of each page, and in how many iterations; a link leads from a source to a target."""
    links = gnp.zeros(pages, np.float32).at[sources].add(1)

    def follow(ranks, times):
        shares = ranks / gnp.maximum(links, 1)
        arrived = gnp.zeros(pages, np.float32).at[targets].add(shares[sources])
        lost = gnp.sum(gnp.where(links == 0, ranks, 0))
        new = (1 - damping) / pages + damping * (arrived + lost / pages)
        return gpuvm.until(gnp.sum(abs(new - ranks)) < tolerance, new, times + 1)

    return gpuvm.repeat(most, follow, gnp.full(pages, 1 / pages, np.float32), np.int32(0))


if __name__ == "__main__":
    links = np.array([(0, 1), (0, 2), (1, 2), (2, 0), (3, 2), (3, 4), (5, 2)], np.int32)
    ranks, times = pagerank(links[:, 0], links[:, 1], pages=6)
    print(times, "iterations:", *(f"{page}: {rank:.3f}" for page, rank in enumerate(ranks)))
