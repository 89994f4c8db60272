"""Runs the commands of a table of a page, in a folder that has what they need: run_table.py PAGE FOLDER.

The table is the one whose columns are row, what, command, prints. What a command prints must have what the last column says, blanks
counting as one. Exits 1 with what is wrong.
"""

import pathlib
import re
import subprocess
import sys

PAGE, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
ROW = re.compile(r"\| ([LM]\d+) \| [^|]* \| `([^|`]+)` \| `([^|`]+)` \|")


def complaint(command, wanted):
    done = subprocess.run(["bash", "-e", "-c", command], cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return f"{command} ends with {done.returncode}:\n{done.stdout}"
    if " ".join(wanted.split()) not in " ".join(done.stdout.split()):
        return f"\"{wanted}\" is not in what {command} prints:\n{done.stdout}"
    return None


def main():
    text = PAGE.read_text()
    rows = ROW.findall(text)
    lines = len(re.findall(r"^\| [LM]\d", text, re.MULTILINE))
    if len(rows) != lines:
        sys.exit(f"{PAGE.name}: {lines - len(rows)} rows of the table have no command.")
    wrong = [found for _, command, wanted in rows if (found := complaint(command, wanted))]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"rows {' '.join(dict.fromkeys(row for row, _, _ in rows))}")


main()
