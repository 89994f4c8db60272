"""k-means: groups of points, and their centres (Lloyd's algorithm)."""

import gpuvm
import gpuvm.numpy as gnp
import numpy as np


@gpuvm.program
def kmeans(points, centres, most=100):
    """Centres, the group of each point, and in how many iterations; it ends when no centre moves."""

    def nearest(centres):
        return gnp.argmin(gnp.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2), axis=1)

    def improve(centres, times):
        groups = nearest(centres)
        sizes = gnp.zeros(len(centres), points.dtype).at[groups].add(1)
        sums = gnp.zeros_like(centres).at[groups].add(points)
        better = gnp.where(sizes[:, None] > 0, sums / gnp.maximum(sizes, 1)[:, None], centres)
        return gpuvm.until(gnp.all(better == centres), better, times + 1)

    centres, times = gpuvm.repeat(most, improve, centres, np.int32(0))
    return centres, nearest(centres), times


if __name__ == "__main__":
    random = np.random.default_rng(1)
    middles = np.array([[0, 0], [8, 0], [4, 7]], np.float32)
    points = (middles[random.integers(0, 3, 600)] + random.standard_normal((600, 2))).astype(np.float32)
    centres, groups, times = kmeans(points, points[:3])
    print(times, "iterations:", *(f"{np.sum(groups == k)} around ({x:.1f}, {y:.1f})" for k, (x, y) in enumerate(centres)))
