"""compile_all.py LIST: compiles each program of the list; fails on the first that does not."""

import pathlib
import subprocess
import sys

for path in pathlib.Path(sys.argv[1]).read_text().split():
    subprocess.run(["gpuvm-compile", path, "-o", path + ".gvplan"], check=True)
