"""The tool of calculator.workflow.toml: a request is a line of JSON, and so is its answer.

What it is asked is never run as Python: only numbers, + - * / and parentheses are evaluated.
"""

import ast
import json
import math
import operator
import re
import sys

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.UAdd: operator.pos, ast.USub: operator.neg}
LONGEST = 200


def value(node):
    if isinstance(node, ast.Constant):
        return float(node.value)
    operation = OPERATORS[type(getattr(node, "op", None))]
    if isinstance(node, ast.UnaryOp):
        return operation(value(node.operand))
    return operation(value(node.left), value(node.right))


def answer(text):
    """What an expression is worth, or what is wrong with it: a mistake is an answer, too, and the model may try again."""
    text = text.strip()
    if len(text) > LONGEST or not re.fullmatch(r"[0-9.+*/() -]+", text):
        return "no expression"
    try:
        number = value(ast.parse(text, mode="eval").body)
    except ZeroDivisionError:
        return "division by zero"
    except (SyntaxError, KeyError, OverflowError, RecursionError, MemoryError):
        return "no expression"
    return f"{number:.10g}" if math.isfinite(number) else "too large"


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], "text": answer(request["text"])}), flush=True)
