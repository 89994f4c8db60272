"""Checks that `gpuvm-linear check` refuses each program of a folder as its first line says.

The line is `# error: LINE:COLUMN: WORD`. The tool must exit with 3 and print one error, at this place, with this word;
each word of the specification's table must be in one file at least.
"""

import pathlib
import re
import subprocess
import sys

WORDS = set("""mnemonic directive operands register memory target constant integer range expected buffer defined
reserved outside end empty routine kind state depends reads twice option""".split())
LEAST = 60


def complaint(path):
    """What is wrong with the answer to one file, or None; and the word that was asked for."""
    line, column, word = re.match(rb"# error: (\d+):(\d+): (\w+)\n", path.read_bytes()).groups()
    word = word.decode()
    command = ["gpuvm-linear", "check", path.name]
    result = subprocess.run(command, cwd=path.parent, capture_output=True, timeout=60)
    errors = result.stderr.decode().splitlines()
    start = f"{path.name}:{int(line)}:{int(column)}: error: "
    if result.returncode != 3 or result.stdout:
        return f"exit code {result.returncode}, {result.stdout!r}", word
    if len(errors) != 1 or not errors[0].startswith(start):
        return f"{errors} instead of one that begins with {start!r}", word
    if word not in re.findall(r"[a-z]+", errors[0][len(start):]):
        return f"no {word!r} in {errors[0]!r}", word
    return None, word


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.lvm"))
    seen, wrong = set(), []
    for path in files:
        problem, word = complaint(path)
        seen.add(word)
        if problem:
            wrong.append(f"{path.name}: {problem}")
    if seen != WORDS:
        wrong.append(f"words without a file: {WORDS - seen}; unknown words: {seen - WORDS}")
    if len(files) < LEAST:
        wrong.append(f"{len(files)} files are fewer than {LEAST}")
    print("\n".join(wrong) or f"{len(files)} programs are refused as they say.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
