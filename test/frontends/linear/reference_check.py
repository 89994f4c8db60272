"""Checks reference.py by small programs whose answers follow from the specification by hand.

Prints the checks that fail and how many there were; exit code 1 if one fails.
"""

import sys

import numpy as np

import check_machine  # noqa: F401: each of these three adds its checks.
import check_numbers  # noqa: F401
import check_text  # noqa: F401
from check_support import CHECKS


def main():
    failed = 0
    for function in CHECKS:
        try:
            with np.errstate(all="ignore"):
                function()
        except Exception as problem:  # Every kind of failure is one line.
            failed += 1
            print(f"{function.__name__}: {type(problem).__name__} {problem}")
    print(f"{len(CHECKS)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
