"""compile_all.py LIST: compiles each program of the list; fails on the first that does not."""

import pathlib
import subprocess
import sys

for path in pathlib.Path(sys.argv[1]).read_text().split():
    # A workflow names the prompts of bench/.
    outside = ["--allow-outside"] if path.endswith(".workflow.toml") else []
    subprocess.run(["gpuvm-compile", path, "-o", path + ".gvplan", *outside], check=True)
