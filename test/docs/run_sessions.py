"""Runs the sessions of a page: run_sessions.py PAGE. What follows `>>>` in blocks marked python is run by doctest, in the root of
the repository, and must print what stands there. Exits 1 if something else is printed, or there is no session."""

import doctest
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = pathlib.Path(sys.argv[1]).resolve()


def main():
    os.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```\n", PAGE.read_text(), re.DOTALL)
    session = "\n".join(block for block in blocks if block.startswith(">>>"))
    test = doctest.DocTestParser().get_doctest(session, {}, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    failed, tried = runner.run(test)
    print(f"{tried} statements")
    sys.exit(failed != 0 or tried == 0)


main()
