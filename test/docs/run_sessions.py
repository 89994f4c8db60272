"""Runs the sessions of a page: run_sessions.py PAGE... What follows `>>>` in blocks marked python is run by doctest, in the root of
the repository, and must print what stands there. Exits 1 if something else is printed, or a page has no session."""

import doctest
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(page):
    blocks = re.findall(r"```python\n(.*?)```\n", page.read_text(), re.DOTALL)
    session = "\n".join(block for block in blocks if block.startswith(">>>"))
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    failed, tried = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(test)
    print(f"{page.name}: {tried} statements")
    return failed == 0 and tried > 0


def main():
    pages = [pathlib.Path(page).resolve() for page in sys.argv[1:]]
    os.chdir(ROOT)
    sys.exit(not all([run(page) for page in pages]))


main()
