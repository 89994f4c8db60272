"""gpuvm-run under every address-space limit: exit code 0 or 6, and a sentence with 6.

  memory-ladder.py PLAN [arguments of gpuvm-run...]
  memory-ladder.py --refused PLAN [arguments of gpuvm-run...]

With --refused, 1 GB is not enough for the plan, nor is a budget of 1 GB, and it is refused before it takes any of that.

Below 16 MB the system's program loader fails (127), before any of our code runs. The last
limit is enough on every machine: drivers map what they do for each of up to 16 processors.
"""

import resource
import subprocess
import sys

MEGABYTE = 1_000_000
LIMITS = [*range(16, 240, 32), *range(240, 400, 11), 1000]


def run(limit):
    def confine():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return subprocess.run(["gpuvm-run", *sys.argv[1:]], capture_output=True, text=True, preexec_fn=confine)


def refused(arguments, limit=None):
    """The sentence with which the plan is refused, after little CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["gpuvm-run", *arguments], capture_output=True, text=True,
                          preexec_fn=lambda: limit and resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 6, (done.returncode, done.stderr)
    assert after.ru_maxrss < 500_000, after.ru_maxrss
    assert after.ru_utime - before.ru_utime < 2, after
    return done.stderr


if sys.argv[1] == "--refused":
    print(refused(sys.argv[2:], limit=1_000_000_000))
    print(refused([*sys.argv[2:], "--vram-budget=1000000000"]))
    sys.exit()
codes = []
for megabytes in LIMITS:
    done = run(megabytes * MEGABYTE)
    assert done.returncode in (0, 6), (megabytes, done.returncode, done.stderr)
    assert done.returncode == 0 or "gpuvm-run: error: " in done.stderr, (megabytes, done.stderr)
    assert done.returncode == 6 or done.stdout == "sum: f32=8\n", (megabytes, done.stdout)
    codes.append(done.returncode)
assert codes[0] == 6 and codes[-1] == 0, codes
print("exit codes 0 and 6 only")
