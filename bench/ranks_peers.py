"""What bench/ranks compares with: torch.distributed on NCCL, and mpi4py on NumPy. Run under mpirun; rank 0 prints JSON.

    mpirun -n 2 ranks_peers.py torch|numpy SIZE...
"""

import json
import os
import statistics
import sys
import time


def measured(call, times, repeat=10):
    call()
    samples = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        samples.append((time.perf_counter() - start) * 1e6 / times)
    samples.sort()
    return {"median": statistics.median(samples), "p10": samples[len(samples) // 10], "p90": samples[-1 - len(samples) // 10]}


def times_of(size):
    return 200 if size < 1 << 24 else 20 if size < 1 << 28 else 4


def numpy_rows(sizes):
    import numpy as np
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    before, after = (world.rank - 1) % world.size, (world.rank + 1) % world.size

    def exchange(size):
        source, target = np.ones(size, np.uint8), np.empty(size, np.uint8)

        def call():
            for _ in range(times_of(size)):
                world.Sendrecv(source, after, recvbuf=target, source=before)
        return measured(call, times_of(size))
    rows = {f"exchange {size}": exchange(size) for size in sizes}
    if world.rank == 0:
        print(json.dumps(rows))


def torch_rows(sizes):
    import torch
    import torch.distributed as dist
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK=str(world.rank), WORLD_SIZE=str(world.size))
    torch.cuda.set_device(world.rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", world.rank))
    before, after = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    rows = {}

    def trade(pairs):
        works = dist.batch_isend_irecv([dist.P2POp(dist.isend, source, to) for source, to, _, _ in pairs] +
                                       [dist.P2POp(dist.irecv, target, of) for _, _, target, of in pairs])
        for work in works:
            work.wait()

    def exchange(size):
        source = torch.ones(size, dtype=torch.uint8, device="cuda")
        target = torch.empty_like(source)

        def call():
            for _ in range(times_of(size)):
                trade([(source, after, target, before)])
                torch.cuda.synchronize()
        return measured(call, times_of(size))
    for size in sizes:
        rows[f"exchange {size}"] = exchange(size)

    def step(u):
        y = slice(1, -1)
        around = (u[:-2] + u[2:]) + (u[y].roll(1, 1) + u[y].roll(-1, 1))
        return u[y] + (around - u[y] * 4) * 0.125
    compiled = torch.compile(step, dynamic=False)

    def heat(ranks, size, iterations):
        """A row of each neighbour in each iteration."""
        own = size // ranks
        state = [torch.rand(own + 2, size, device="cuda"), torch.empty(own + 2, size, device="cuda")]

        def call():
            for i in range(iterations):
                u, new = state[i % 2], state[1 - i % 2]
                if ranks > 1:
                    trade([(u[own], after, u[0], before), (u[1], before, u[own + 1], after)])
                else:
                    u[0], u[own + 1] = u[own], u[1]
                new[1:-1] = compiled(u)
            torch.cuda.synchronize()
        return measured(call, 1)
    rows["heat on one"] = heat(1, 16384, 64)
    rows["heat on all"] = heat(world.size, 16384, 64)

    n = 600_000_000
    columns = None

    def q6(ranks):
        nonlocal columns
        rows_of = n // ranks
        columns = [torch.randint(low, high, (rows_of,), dtype=torch.int32, device="cuda")
                   for low, high in ((8036, 10562), (0, 11), (1, 51), (90091, 10494951))]

        def total(date, percent, number, cents):
            keep = (date >= 8766) & (date < 9131) & (percent >= 5) & (percent <= 7) & (number < 24)
            return torch.where(keep, cents.long() * percent, 0).sum()
        summed = torch.compile(total, dynamic=False)

        def call():
            result = summed(*columns)
            if ranks > 1:
                dist.all_reduce(result)
            torch.cuda.synchronize()
        return measured(call, 1)
    rows["q6 on one"] = q6(1)
    rows["q6 on all"] = q6(world.size)
    columns = None

    def sort_alone():
        x = torch.randint(-2**31, 2**31 - 1, (1 << 29,), dtype=torch.int32, device="cuda")

        def call():
            torch.sort(x)
            torch.cuda.synchronize()
        return measured(call, 1, repeat=3)
    rows["sort on one"] = sort_alone()
    if world.rank == 0:
        print(json.dumps(rows))
    dist.destroy_process_group()


if __name__ == "__main__":
    {"torch": torch_rows, "numpy": numpy_rows}[sys.argv[1]]([int(size) for size in sys.argv[2:]])
