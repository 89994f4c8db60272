"""What gpuvm-chat's answers must be, with a small random model: answers.py FOLDER. Exits 1 with a sentence where it is wrong."""

import json
import os
import subprocess
import sys

from chat_model import Chatty

SCHEMA = {"type": "object",
          "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 6},
                         "age": {"type": "integer", "minimum": -7, "maximum": 120},
                         "kind": {"enum": ["cat", "a \"dog\"", None, 3.5]},
                         "tags": {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3},
                         "inner": {"$ref": "#/$defs/pair"}},
          "required": ["name", "age", "tags"], "additionalProperties": False,
          "$defs": {"pair": {"type": "array", "prefixItems": [{"type": "null"}, {"anyOf": [{"const": 1}, {"const": "é"}]}]}}}
LINES = 5


def fits(value):
    """As the schema says, written by hand."""
    return (set(value) <= set(SCHEMA["properties"]) and {"name", "age", "tags"} <= set(value)
            and 1 <= len(value["name"]) <= 6 and type(value["age"]) is int and -7 <= value["age"] <= 120
            and value.get("kind") in SCHEMA["properties"]["kind"]["enum"] and 1 <= len(value["tags"]) <= 3
            and all(type(tag) is bool for tag in value["tags"])
            and value.get("inner", [None, 1]) in ([None, 1], [None, "é"]))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, "model.gguf")
    Chatty("llama", seed=11).write(file)
    environment = os.environ | {"XDG_CACHE_HOME": os.path.abspath(folder)}

    def chat(*arguments, text="", code=0):
        done = subprocess.run(["gpuvm-chat", file, "-c", "2048", *arguments], input=text.encode(), capture_output=True, env=environment)
        if done.returncode != code:
            sys.exit(f"{arguments}: exit code {done.returncode}, not {code}\n{done.stderr.decode()}")
        return done.stdout.decode(), done.stderr.decode()

    # Each line is a turn of one conversation.
    said, _ = chat("--json-schema", json.dumps(SCHEMA), "-s", "4", "--temp", "1.5", "--top-k", "0", "--min-p", "0", text="Hi\n" * LINES)
    decoder, at, values = json.JSONDecoder(), 0, []
    while said[at:].strip():
        at += len(said[at:]) - len(said[at:].lstrip())
        value, at = decoder.raw_decode(said, at)
        values.append(value)
    if len(values) != LINES or not all(map(fits, values)):
        sys.exit(f"answers do not fit the schema: {values}")
    print("answers are JSON that fits the schema")

    grammar = os.path.join(folder, "g.gbnf")
    with open(grammar, "w") as out:
        out.write('root ::= "<" body ">"\nbody ::= [a-c] body [x-z] | "!"{1,3}\n')
    said, _ = chat("--grammar-file", grammar, "-s", "2", "-p", "Hi", "-l", f"{ord('!')}-2", "-l", f"{ord('a')}-inf")
    body = said.strip()[1:-1]
    depth = (len(body) - body.count("!")) // 2
    if not (said[0] == "<" and said.strip()[-1] == ">" and set(body[:depth]) <= set("bc") and set(body[-depth:] if depth else "") <= set("xyz")
            and 1 <= body.count("!") <= 3):
        sys.exit(f"not of the grammar: {said!r}")
    print("an answer is of a recursive grammar, without a token of bias -inf")

    # A penalty that no token survives twice, over all tokens: each byte once.
    said, _ = chat("-p", "Hi", "-n", "40", "-s", "3", "--temp", "1", "--top-k", "0", "--top-p", "1", "--min-p", "0", "--no-template",
                   "--presence-penalty", "100", "--repeat-last-n", "-1")
    kept = [c for c in said.strip("\n") if c.isascii() and c not in "zq"]
    if len(kept) != len(set(kept)):
        sys.exit(f"a token comes twice: {said!r}")
    print("a large presence penalty lets each token come once")

    deep = os.path.join(folder, "deep.gbnf")
    with open(deep, "w") as out:
        out.write("root ::= " + "(" * 60000 + '"a"' + ")" * 60000)
    for arguments, why in [(("--grammar", "root ::= x"), 'The grammar has no rule "x".'),
                           (("--grammar", 'root ::= root "a"'), 'Rule "root" of the grammar may begin with itself.'),
                           (("--grammar-file", deep), "Line 1 of the grammar: more than 256 groups are nested."),
                           (("--json-schema", '{"not": {"type": "string"}}'),
                            'The JSON schema at #: "not" is not supported there.'),
                           (("-l", "5"), '--logit-bias: "5" is neither TOKEN+BIAS nor TOKEN-BIAS.'),
                           (("-l", "9999+1"), "Token 9999 of the logit bias is none (0 to 259)."),
                           (("--grammar", "root ::= root"), "The grammar allows no token of the vocabulary at its begin.")]:
        errors = chat("-p", "Hi", *arguments, code=2)[1].strip().splitlines()
        if errors[-1] != f"gpuvm-chat: error: {why}":
            sys.exit(f"{arguments}: {errors}")
    chat("-p", "Hi", "--grammar", "root ::=", "--json-schema", "{}", code=2)
    print("what is wrong is one sentence")


main()
