"""compile_all.py LIST: compiles each program of the list; fails on the first that does not.

Cases of bench/ that differ in data or in options alone have one program, which is compiled once.
"""

import pathlib
import subprocess
import sys

compiled = set()
for path in map(pathlib.Path, pathlib.Path(sys.argv[1]).read_text().split()):
    program = path.suffix, path.read_bytes()
    if program in compiled:
        continue
    compiled.add(program)
    # A workflow names the prompts of bench/.
    outside = ["--allow-outside"] if path.name.endswith(".workflow.toml") else []
    subprocess.run(["gpuvm-compile", path, "-o", f"{path}.gvplan", *outside], check=True)
