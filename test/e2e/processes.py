"""Runs programs with a limit of CPU time: seconds of a clock say little where a machine is busy with other things."""

import resource
import subprocess

CPU_SECONDS = 600  # The longest runs of the tests take twenty.


def run(command, input=None, **options):
    """subprocess.run, but a program that takes CPU_SECONDS of CPU time is ended by the system (SIGXCPU)."""
    with subprocess.Popen(command, stdin=None if input is None else subprocess.PIPE, **options) as process:
        try:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        except ProcessLookupError:
            pass  # It has ended.
        out, error = process.communicate(input)
    return subprocess.CompletedProcess(command, process.returncode, out, error)
