"""Does what a page of the documentation says, as it stands there: run_page.py PAGE FOLDER SUB.

Files are what a code block behind a line that ends with "`NAME`:" has; they go to FOLDER/SUB, the folder that the page makes with its
first commands. Blocks marked sh are run one after the other by one bash, in FOLDER, that stops at what fails; what a block marked text has
must be in what the commands before it printed, line by line. Beside SUB is a folder called gpuvm, the root of the repository.

Two kinds of lines are not run again here: tools/..., with which tools/test itself has begun, must be there, and what apt-get installs
must be installed. Exits 1 with what is wrong.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
FILES = FOLDER / sys.argv[3]
BLOCK = re.compile(r"(?:`(?P<name>[\w.]+)`:\n\n)?```(?P<kind>\w+)\n(?P<text>.*?)```\n", re.DOTALL)


def fail(text):
    sys.exit(f"{PAGE.name}: {text}")


def command(line):
    """What is run for a line of the page."""
    words = line.split()
    if words[0].startswith("tools/"):
        if not (ROOT / words[0]).is_file():
            fail(f"there is no {words[0]}.")
        return ":"
    if words[:4] == ["sudo", "apt-get", "install", "-y"]:
        return f"dpkg-query -W {' '.join(words[4:])}"
    # bash -e does not stop at a command behind "!".
    return f"if {words[1]} {' '.join(words[2:])}; then exit 1; fi" if words[0] == "!" else line


def main():
    page = PAGE.read_text()
    FILES.mkdir(parents=True)
    (FOLDER / "gpuvm").symlink_to(ROOT)
    script, wanted, files = [], [], 0
    for block in BLOCK.finditer(page):
        lines = block["text"].splitlines()
        if block["kind"] == "sh":
            script += [command(line) for line in lines]
        elif block["kind"] == "text":
            script.append(f"echo 'end of part {len(wanted)}'")
            wanted.append(lines)
        else:
            if not block["name"]:
                fail(f"a block of {block['kind']} has no name: {lines[0]}")
            (FILES / block["name"]).write_text(block["text"])
            files += 1
    # The page's python3 is this one.
    python = FOLDER / "python3"
    python.write_text(f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
    python.chmod(0o755)
    script.insert(0, "export PATH=$PWD:$PATH")
    done = subprocess.run(["bash", "-e", "-c", "\n".join(script)], cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        fail(f"a command fails:\n{done.stdout}")
    rest = done.stdout
    for part, lines in enumerate(wanted):
        printed, rest = rest.split(f"end of part {part}\n")
        for line in lines:
            if line not in printed:
                fail(f"\"{line}\" is not in what is printed:\n{printed}")
    print(f"{len(script) - len(wanted) - 1} commands, {files} files, {len(wanted)} results")


main()
