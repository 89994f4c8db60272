"""Does what a page of the documentation says: makes its files and runs its commands.

    run_page.py PAGE FOLDER

Blocks of code whose first line is ```LANGUAGE file=NAME are files; the lines of ```sh blocks are commands, run one behind the
other in FOLDER/work, beside a folder called gpuvm, the root of the repository. A ```text block behind commands is what they
print together: each of its lines must occur, in this order; "..." stands for any number of lines. Exits 1 if a command fails
or prints something else.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(text):
    """(language, attributes, body) of each block of code."""
    return [(found[1], found[2].strip(), found[3]) for found in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```$", text, re.M | re.S)]


def check(expected, printed, command):
    """Whether the expected lines occur in what was printed, one behind the other."""
    rest = iter(printed.splitlines())
    for line in expected.splitlines():
        if line.strip() == "..." or not line.strip():
            continue
        if not any(line.strip() == other.strip() for other in rest):
            sys.exit(f"{command}\nprints\n{printed}\nand not\n{line}")


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    work = folder / "work"
    work.mkdir(parents=True)
    (folder / "gpuvm").symlink_to(ROOT)
    printed, last, count = "", "", 0
    for language, attributes, body in blocks(page.read_text()):
        if attributes.startswith("file="):
            (work / attributes[len("file="):]).write_text(body)
        elif language == "sh":
            last, count = body, count + 1
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, env=dict(os.environ))
            printed = done.stdout
            if done.returncode != 0:
                sys.exit(f"{body}\nexits with {done.returncode}:\n{printed}")
        elif language == "text":
            check(body, printed, last)
    if not count:
        sys.exit(f"{page} has no commands.")


main()
