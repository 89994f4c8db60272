"""start.py PEER PROGRAM RESULT.npy CALLS: runs a program as a new process does, and prints how long each part took, in seconds."""

import importlib
import json
import sys
import time

BEGIN = time.perf_counter()


def arguments(program):
    """The same for all peers."""
    import numpy as np
    random = np.random.default_rng(7)
    if program == "life":
        return random.integers(0, 2, (1024, 1024), np.int8), 100
    if program == "mandelbrot":
        return np.linspace(-2, 0.5, 1024, dtype=np.float32), np.linspace(-1.25, 1.25, 1024, dtype=np.float32), 200
    points = random.normal(size=(100_000, 8)).astype(np.float32) + random.integers(0, 4, (100_000, 1)).astype(np.float32) * 3
    return points, points[:16].copy(), 20


def main():
    peer, program, path, calls = sys.argv[1:]
    given = arguments(program)
    made = time.perf_counter()
    function = getattr(importlib.import_module(f"{peer}_programs"), program)
    imported = time.perf_counter()
    result = function(*given)
    first = time.perf_counter()
    times = []
    for _ in range(int(calls)):
        start = time.perf_counter()
        function(*given)
        times.append(time.perf_counter() - start)
    import numpy as np
    np.save(path, result)
    print(json.dumps({"numpy": made - BEGIN, "import": imported - made, "first": first - imported, "calls": times}))


if __name__ == "__main__":
    main()
