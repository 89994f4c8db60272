"""A program under every address-space limit: exit code 0 or 6, and a sentence with 6.

  memory-ladder.py [--step=MEGABYTES] COMMAND...
  memory-ladder.py --refused PLAN [arguments of gpuvm-run...]

The limits go from where the command's program can say its version (below that, the system's program loader or a
constructor of a library fails, before any code of ours runs) to where the command works as it does without a limit,
in steps of 4 MB unless --step says otherwise.

With --refused, 1 GB is not enough for the plan, nor is a budget of 1 GB, and it is refused before it takes any of that.
"""

import resource
import subprocess
import sys

MEGABYTE = 1_000_000


def run(command, limit=None):
    def confine():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return subprocess.run(command, capture_output=True, text=True, preexec_fn=confine)


def climb(command, step=4):
    """The exit codes from limit to limit."""
    program, expected = command[0], run(command)
    assert expected.returncode == 0, expected.stderr
    limit = 16 * MEGABYTE
    while run([program, "--version"], limit).returncode != 0:
        limit += MEGABYTE
    codes = []
    # Drivers map what they do for each of up to 16 processors: they need more on some machines.
    while codes[-3:] != [0, 0, 0] or limit < 400 * MEGABYTE:
        assert limit < 4000 * MEGABYTE, codes
        done = run(command, limit)
        assert done.returncode in (0, 6), (limit, done.returncode, done.stderr)
        assert done.returncode == 0 or f"{program}: error: " in done.stderr, (limit, done.stderr)
        assert done.stdout == (expected.stdout if done.returncode == 0 else ""), (limit, done.stdout)
        codes.append(done.returncode)
        limit += step * MEGABYTE if codes[-1] else 30 * MEGABYTE
    return codes


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


def loops(number):
    """A program of so many loops of 8,000 turns, a kernel and a barrier each."""
    lines = ["!v = tensor<4xf32>", "gpuvm.program @loops(%x: !v) -> (y: !v) {"]
    for i in range(number):
        lines += [f"  %v{i} = gpuvm.repeat @r{i} up_to 8000 (%o = {f'%v{i - 1} : !gpuvm.message<!v>' if i else '%x : !v'}) {{",
                  f"    %n = gpuvm.stage @s{i}(%a = %o : !gpuvm.message<!v>) -> !v {{",
                  "      %b = arith.addf %a, %a : !v",
                  "      gpuvm.send %b : !v",
                  "    }",
                  "    gpuvm.next %n : !gpuvm.message<!v>",
                  "  }"]
    return "\n".join([*lines, f"  gpuvm.return %v{number - 1} : !gpuvm.message<!v>", "}"])


if sys.argv[1].startswith("--loops="):
    print(loops(int(sys.argv[1].removeprefix("--loops="))))
    sys.exit()
if sys.argv[1] == "--refused":
    print(refused(sys.argv[2:], limit=1_000_000_000))
    print(refused([*sys.argv[2:], "--vram-budget=1000000000"]))
    sys.exit()
steps = [int(sys.argv.pop(1).removeprefix("--step="))] if sys.argv[1].startswith("--step=") else []
codes = climb(sys.argv[1:], *steps)
assert codes[0] == 6, codes
print("exit codes 0 and 6 only")
