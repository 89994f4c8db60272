"""Checks that test/compat has a plan of every minor version, which its header states."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
newest = int(re.search(r"kPlanFormatMinor = (\d+)", (root / "runtime/plan/PlanVersion.h").read_text())[1])
versions = set()
for plan in (root / "test/compat").glob("*.gvplan"):
    stated = int(re.fullmatch(r".*-1\.(\d+)\.gvplan", plan.name)[1])
    header = int.from_bytes(plan.read_bytes()[10:12], "little")
    assert header == stated, f"{plan.name} states version 1.{header}"
    versions.add(stated)
assert versions == set(range(newest + 1)), f"there are plans of the minor versions {sorted(versions)}, not 0 to {newest}"
