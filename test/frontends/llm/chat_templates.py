#!/usr/bin/env python3
"""Compares chat templates with Jinja's renderings of them, on a machine that has jinja2.

chat_templates.py FOLDER...   folders of .jinja files, as models/templates of llama.cpp, which the sdist of llama-cpp-python has

Prints the family of each template that is known, and exits 1 if one is rendered otherwise than by Jinja. A conversation may be
refused where Jinja renders it (a default system message that depends on the day), not the other way around.
"""

import json
import pathlib
import subprocess
import sys

import jinja2.sandbox

THOUGHT = "<think>\nr\n</think>\n\nB"
CONVERSATIONS = [
    [("user", "A")],
    [("system", "S"), ("user", "A")],
    [("user", "A"), ("assistant", "B"), ("user", "C")],
    [("system", "S"), ("user", "A"), ("assistant", "B"), ("user", "C")],
    [("system", " S "), ("user", " A "), ("assistant", " B "), ("user", " C ")],
    [("user", "A"), ("assistant", THOUGHT), ("user", "C")],
]
NAMES = {"bos_token": "<BOS>", "eos_token": "<EOS>"}


def refuse(message):
    raise ValueError(message)


def rendered(template, messages):
    """As transformers sets Jinja up, but without a clock; None where the template refuses."""
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    environment.globals["raise_exception"] = refuse
    if "set default_system_message" in template or "strftime_now(" in template and "strftime_now is defined" not in template:
        environment.globals["strftime_now"] = lambda form: "today"
    environment.filters["tojson"] = json.dumps
    try:
        return environment.from_string(template).render(messages=messages, add_generation_prompt=True, tools=None, **NAMES)
    except (ValueError, TypeError, jinja2.TemplateError):
        return None


templates = {path.name: path.read_text() for folder in sys.argv[1:] for path in sorted(pathlib.Path(folder).glob("*.jinja"))}
cases = [(name, [{"role": role, "content": content} for role, content in talk]) for name in templates for talk in CONVERSATIONS]
requests = [json.dumps({"template": templates[name], "bos": "<BOS>", "eos": "<EOS>", "messages": talk}) for name, talk in cases]
run = subprocess.run(["gpuvm_llm_render_chat"], input="\n".join(requests) + "\n", capture_output=True, text=True, check=True)
families, wrong = {}, []
for (name, talk), line in zip(cases, run.stdout.splitlines(), strict=True):
    answer = json.loads(line)
    if isinstance(answer, str):
        continue
    families[name] = answer[0]
    if isinstance(answer[1], list) and "".join(text for text, _ in answer[1]) != rendered(templates[name], talk):
        wrong.append(name)
for name, family in families.items():
    print(f"{name}: {family}{' differs' if name in wrong else ''}")
print(f"{len(templates)} templates, {len(families)} known, {len(set(wrong))} differ")
if wrong:
    sys.exit(1)
