"""Runs a workflow with a small language model by gpuvm.token and by gpuvm-token: token_streams.py FOLDER. Exits 1 if they differ."""

import json
import pathlib
import subprocess
import sys

import gpuvm.token
from chat_model import Chatty

ROOT = pathlib.Path(__file__).resolve().parents[2]
STREAMS = 3
TOOL = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "text": request["text"][::-1]}), flush=True)
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    Chatty("llama", seed=11).write(folder / "model.gguf")
    (folder / "tool.py").write_text(TOOL)
    workflow, plan = ROOT / "examples/token/calculator.workflow.toml", folder / "calculator.gvplan"
    with gpuvm.token.compile(workflow, model=folder / "model.gguf", streams=STREAMS, budget=160, arguments={"question": "Q"}, plan=plan,
                             model_products="f32") as flow:
        run = flow.run({"calculator": lambda text: text[::-1]})
    command = ["gpuvm-token", "run", plan, f"--model={folder / 'model.gguf'}", f"--tool=calculator={sys.executable} {folder / 'tool.py'}",
               f"--report={folder / 'report.json'}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wanted = json.loads((folder / "report.json").read_text())["streams"]
    if [each.report for each in run] != wanted:
        sys.exit(f"{run.report}\nand not\n{wanted}")
    if not any(not forced for each in run for forced in each.forced):
        sys.exit("the model says nothing")
    print(f"{STREAMS} streams of a language model are those of gpuvm-token")


main()
