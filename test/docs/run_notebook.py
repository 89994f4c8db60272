"""Runs the cells of notebooks: run_notebook.py [--write] NOTEBOOK... Each notebook is a process with one namespace, as in Jupyter.

What a cell prints, and what its last expression is (repr and _repr_html_), must be what the notebook has; of a cell with the
tag `varies`, whose numbers are times, only that it runs. --write puts it into the notebook instead. Exits 1 with the first
difference.
"""

import ast
import contextlib
import io
import json
import linecache
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def lines(text):
    return text.splitlines(keepends=True)


def outputs_of(source, number, names):
    """Runs a cell. Its outputs as the notebook format (nbformat 4) has them."""
    file = f"<cell {number}>"
    linecache.cache[file] = (len(source), None, lines(source), file)  # For tracebacks, and what asks for the text of functions.
    tree = ast.parse(source, file)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, file, "exec"), names)
        value = eval(compile(last, file, "eval"), names) if last else None
    found = [{"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())}] if printed.getvalue() else []
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        found.append({"data": dict(sorted(data.items())), "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return found


def run(path, write):
    notebook = json.loads(path.read_text())
    names, number = {"__name__": "__main__"}, 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        number += 1
        found = outputs_of("".join(cell["source"]), number, names)
        if write:
            cell["outputs"], cell["execution_count"] = found, number
        elif "varies" not in cell["metadata"].get("tags", []) and found != cell["outputs"]:
            sys.exit(f"{path.name}, cell {number}:\n{json.dumps(found, indent=1)}\nand not\n{json.dumps(cell['outputs'], indent=1)}")
    if write:
        path.write_text(json.dumps(notebook, indent=1) + "\n")
    print(f"{path.name}: {number} cells")


def main():
    arguments = sys.argv[1:]
    write = arguments[:1] == ["--write"]
    paths = [pathlib.Path(each).resolve() for each in arguments[write:]]
    if len(paths) == 1:
        os.chdir(ROOT)
        return run(paths[0], write)
    for path in paths:
        subprocess.run([sys.executable, "-B", __file__, *(["--write"] if write else []), path], check=True)


main()
