"""Runs parts and writes what they found.

Parts run in a worker process, because a driver that crashes takes its process along: what
was measured until then is on disk, and a new worker goes on with the parts after it.
"""

import datetime
import importlib
import json
import os
import pathlib
import platform
import subprocess
import sys

import numpy

import plot
import report
from gpuvm import Gpuvm, Missing
from session import Session

STATE = "partial.json"
DIED = "the rest, because the process died"


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def machine(session):
    facts = {"device": session.device, "cpu": cpu(), "cores": os.cpu_count(),
             "commit": session.vm.commit(), "date": datetime.date.today().isoformat(),
             "python": platform.python_version(), "numpy": numpy.__version__}
    if session.torch:
        facts["torch"] = session.torch.__version__
    return facts


def write(path, text):
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text)
    temporary.replace(path)


def read_state(options):
    path = options.out / STATE
    return json.loads(path.read_text()) if path.exists() else {"parts": {}}


def deliver(options, state):
    """The tables and the plots of what there is."""
    where, parts = state["machine"], state["parts"]
    device = where["device"].lower()
    name = options.name or "".join(c if c.isalnum() else "-" for c in device).strip("-")
    write(options.out / f"{name}.md", report.markdown(where, parts))
    write(options.out / f"{name}.json", json.dumps(state, indent=1) + "\n")
    picture = plot.svg(where, parts)
    if picture:
        write(options.out / f"{name}.svg", picture)
    for part, result in parts.items():
        module = importlib.import_module(f"part_{part}")
        if growth := hasattr(module, "picture") and module.picture(where, result):
            write(options.out / f"{name}-{part}-growth.svg", growth)


def run_part(session, part, done):
    module = importlib.import_module(f"part_{part}")
    options = session.options
    if hasattr(module, "run"):
        return module.run(session.vm, options)
    cases = (case for case in module.cases(session.kind, options) if options.case in case.what)
    result = session.part(part, module.TITLE, cases, done)
    extra = getattr(module, "notes", None)
    result["notes"] += getattr(module, "NOTES", ()) if extra is None else extra(options)
    if hasattr(module, "remarks"):
        result["notes"] += module.remarks(result)
    return result


def work(options, parts):
    """Measures the parts that the state file does not have."""
    options.cache = options.cache.resolve()
    vm = Gpuvm(options.bin.resolve(), options.device, options.bundle and options.bundle.resolve())
    session = Session(vm, options)
    state = read_state(options)
    state["machine"] = machine(session)

    def keep(part, result, *missing):
        state["parts"][part] = {**result, "left_out": [*result.get("left_out", ()), *missing]}
        write(options.out / STATE, json.dumps(state))

    def so_far(part):
        return lambda result: keep(part, result, DIED)

    for part in parts:
        if part in state["parts"]:
            continue
        keep(part, {"title": part, "rows": [], "notes": []}, DIED)
        try:
            keep(part, run_part(session, part, so_far(part)))
        except Exception as reason:  # the other parts go on
            if not isinstance(reason, Missing):
                print(f"{part}: {reason!r}", file=sys.stderr, flush=True)
            keep(part, {"title": part, "rows": [], "notes": [], "left_out": [str(reason)]})
        deliver(options, state)
    return 0


def supervise(options, parts, worker):
    """Workers until every part has been tried; prints the tables."""
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / STATE).unlink(missing_ok=True)
    status = 0
    for _ in parts:
        status = subprocess.run(worker, check=False).returncode
        tried = read_state(options)["parts"]
        if status == 0 or len(tried) == len(parts) or not tried:
            break
    state = read_state(options)
    if not state["parts"]:
        return status or 1
    deliver(options, state)
    (options.out / STATE).unlink()
    print(report.markdown(state["machine"], state["parts"]))
    return 0
