"""The token-stream VM: workflows with tools in Python; the reference is in the library, too."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import gpuvm
import gpuvm.token
import pytest

PROMPTS = """
[config]
zone_patterns = ["[Prompt]", "[Answer]", "[End]"]
required_patterns = ["[Prompt]", "[Answer]"]
valid_tags = ["Idea", "Best", "Count"]
default_max_token_length = 40
sequences = ["idea", "more", "best", "count"]
control_pattern = "[Enough]"
escape_patterns = ["[Escape]", "[EndEscape]"]
tools = ["letters"]

[[idea]]
text = "[Prompt]Find a name for {what}.[Answer]"
tags = [[], ["Idea"]]
[idea.what]
name = "what"
type = "argument"

[[more]]
text = "[Prompt]Is another name wanted? If not, say [Escape][Enough][EndEscape].[Answer]"
tags = [[], []]

[[best]]
text = "[Prompt]Which name is the best?[Answer]I take"
tags = [[], ["Best"]]

[[count]]
text = "[Prompt]How many letters has it?[Answer]"
tags = [[], ["Count"]]
"""
WORKFLOW = """
[workflow]
name = "ask"
udpl = "prompts.toml"

[program]
main = [ { run = "idea" },
         { capture = "best", tool = "letters" },
         { feed = "count" },
         { when = "more", then = [ { run = "idea" } ], else = [ ] },
         { extract = "best", tags = ["Best"], patterns = false },
         { extract = "letters", tags = ["Count"], patterns = false } ]

[test_model]
weight = 256
phrases = [" Pequod", " Argo", " Fram", "[End]", "[End]", "[Enough]"]
"""
ARGUMENTS = {"what": "a boat"}


@pytest.fixture
def workflow(tmp_path: Path) -> Path:
    (tmp_path / "prompts.toml").write_text(PROMPTS)
    path = tmp_path / "ask.workflow.toml"
    path.write_text(WORKFLOW)
    return path


def letters(text: str) -> str:
    return str(sum(map(str.isalpha, text)))


def test_a_device_does_what_the_reference_does(workflow: Path, tmp_path: Path) -> None:
    plan = tmp_path / "ask.gvplan"
    with gpuvm.token.compile(workflow, streams=4, arguments=ARGUMENTS, plan=plan) as flow:
        assert flow.tools == ("letters",)
        run = flow.run({"letters": letters})
        again = flow.run()
    assert run.counts == {"DONE": 4} and len(run) == 4 and not run.failures
    assert [each.text for each in again] == [each.text for each in run]
    for each in run:
        asked = each.requests[0]
        assert asked.tool == "letters" and each.extract["letters"] == letters(asked.text)
        assert each.extract["best"] == "I take" + asked.text
        assert len(each.tokens) == len(each.zones) == len(each.forced) and each.workflow == "ask"
        assert each.text.startswith("[Prompt]Find a name for a boat.[Answer]")
    with gpuvm.token.reference(workflow, streams=4, arguments=ARGUMENTS) as flow:
        flow.tool(letters)
        wanted = flow.run()
    assert [each.report for each in run] == [each.report for each in wanted]
    with gpuvm.token.load(plan, streams=2) as flow:
        fewer = flow.run({"letters": letters})
    assert [each.report for each in fewer] == [each.report for each in wanted[:2]]
    assert "4 DONE" in repr(run) and "<table>" in run._repr_html_() and "letters" in repr(flow)


def test_a_tool_that_raises_ends_its_stream(workflow: Path) -> None:
    asked: list[str] = []
    names: set[str] = set()

    def fails(text: str) -> str:
        names.add(threading.current_thread().name)
        asked.append(text)
        if len(asked) == 1:
            raise ValueError("no letters here")
        return letters(text)

    with gpuvm.token.reference(workflow, streams=3, arguments=ARGUMENTS) as flow:
        run = flow.run({"letters": fails})
        assert run.counts == {"TOOL_FAILED": 1, "DONE": 2}
        assert len(run.failures) == 1 and run.failures[0].endswith("ValueError: no letters here")
        assert threading.main_thread().name not in names
        assert flow.run({"letters": lambda text: 3}).counts == {"TOOL_FAILED": 3}  # type: ignore[dict-item, return-value]
        assert flow.run({"letters": letters}).counts == {"DONE": 3}


def test_a_command_as_a_tool(workflow: Path, tmp_path: Path) -> None:
    script = tmp_path / "letters.py"
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n"
        "    print(json.dumps({'id': request['id'], 'text': str(sum(map(str.isalpha, request['text'])))}), flush=True)\n"
    )
    with gpuvm.token.reference(workflow, streams=2, arguments=ARGUMENTS) as flow:
        command = flow.run({"letters": f"{sys.executable} {script}"})
        assert [each.report for each in command] == [each.report for each in flow.run({"letters": letters})]


def test_looking_and_ending(workflow: Path) -> None:
    seen: list[str] = []

    def look(flow: gpuvm.token.Workflows) -> bool:
        state = flow.stream(0)
        seen.append(state.status)
        return False

    with gpuvm.token.compile(workflow, streams=2, arguments=ARGUMENTS) as flow:
        run = flow.run({"letters": letters}, look=look)
        assert seen == ["WAITING"] and run.counts == {"WAITING": 2}
        assert flow.stream(1).text == run[1].text
        with pytest.raises(gpuvm.UsageError, match=r"no stream 2 \(there are 2"):
            flow.stream(2)
        with pytest.raises(ZeroDivisionError):
            flow.run(look=lambda flow: 1 / 0)
        assert flow.run().counts == {"DONE": 2}


def test_what_is_wrong(workflow: Path, tmp_path: Path) -> None:
    with pytest.raises(gpuvm.CompileError, match="what"):
        gpuvm.token.compile(workflow)
    with pytest.raises(gpuvm.PlanError, match="what"):
        gpuvm.token.reference(workflow)
    with pytest.raises(gpuvm.UsageError, match="streams is -1"):
        gpuvm.token.reference(workflow, streams=-1, arguments=ARGUMENTS)
    with pytest.raises(gpuvm.PlanError):
        gpuvm.token.load(tmp_path / "no.gvplan")
    with gpuvm.token.reference(workflow, arguments=ARGUMENTS) as flow:
        with pytest.raises(gpuvm.PlanError, match="letters"):
            flow.run()
        with pytest.raises(gpuvm.UsageError, match=r'No zone asks a tool "leters" \(tools: letters'):
            flow.run({"leters": letters})
        with pytest.raises(gpuvm.UsageError, match="have not run"):
            flow.stream(0)
    with pytest.raises(gpuvm.UsageError, match="closed"):
        flow.run({"letters": letters})
