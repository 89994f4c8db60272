"""graphs.py STAGES [SEED]: prints a program of so many random stages, for measuring the compiler.

Matrices and vectors go through elementwise stages, sums of rows, broadcasts and products; what a stage reads is mostly
recent, so some stages stand side by side and others after each other. All that has no reader is returned.
"""

import random
import sys

SIDE = 256
MATRIX, VECTOR = f"tensor<{SIDE}x{SIDE}xf32>", f"tensor<{SIDE}xf32>"
BINARY = ("arith.addf", "arith.subf", "arith.mulf", "arith.maximumf")
UNARY = ("math.exp", "math.absf", "arith.negf", "math.tanh", "math.sqrt")
RECENT = 12


class Graph:
    def __init__(self, stages, seed):
        self.random = random.Random(seed)
        self.made = {MATRIX: ["%x"], VECTOR: ["%v"]}  # messages, and inputs
        self.read = {"%x", "%v"}
        self.lines = []
        for number in range(stages):
            self.random.choice((self.elementwise, self.elementwise, self.sums, self.broadcast, self.product))(number)

    def pick(self, kind):
        """A recent value, which is read from now on."""
        value = self.random.choice(self.made[kind][-RECENT:])
        self.read.add(value)
        return value

    def stage(self, number, kinds, result, body):
        """Adds a stage of values of `kinds`, named %a, %b, that sends `%r`."""
        parameters = []
        for name, kind in zip("ab", kinds):
            source = self.pick(kind)
            received = kind if source in ("%x", "%v") else f"!gpuvm.message<{kind}>"
            parameters.append(f"%{name} = {source} : {received}")
        self.lines += [f"  %m{number} = gpuvm.stage @s{number}({', '.join(parameters)}) -> {result} {{",
                       *(f"    {line}" for line in body), f"    gpuvm.send %r : {result}", "  }"]
        self.made[result].append(f"%m{number}")

    def elementwise(self, number):
        kind = self.random.choice((MATRIX, MATRIX, VECTOR))
        body = [f"%u = {self.random.choice(UNARY)} %a : {kind}",
                f"%c = arith.constant dense<{self.random.uniform(0.5, 2):.3f}> : {kind}",
                f"%p = {self.random.choice(BINARY)} %u, %c : {kind}",
                f"%r = {self.random.choice(BINARY)} %p, %b : {kind}"]
        self.stage(number, (kind, kind), kind, body)

    def sums(self, number):
        dimension = self.random.choice((0, 1))
        combine = self.random.choice(("arith.addf", "arith.maximumf"))
        self.stage(number, (MATRIX,), VECTOR,
                   [f"%z = arith.constant dense<0.0> : {VECTOR}",
                    f"%r = linalg.reduce {{ {combine} }} ins(%a : {MATRIX}) outs(%z : {VECTOR}) dimensions = [{dimension}]"])

    def broadcast(self, number):
        self.stage(number, (MATRIX, VECTOR), MATRIX,
                   [f"%e = tensor.empty() : {MATRIX}",
                    f"%w = linalg.broadcast ins(%b : {VECTOR}) outs(%e : {MATRIX}) dimensions = [0]",
                    f"%r = {self.random.choice(BINARY)} %a, %w : {MATRIX}"])

    def product(self, number):
        second, result, op = self.random.choice(((MATRIX, MATRIX, "matmul"), (VECTOR, VECTOR, "matvec")))
        self.stage(number, (MATRIX, second), result,
                   [f"%z = arith.constant dense<0.0> : {result}",
                    f"%r = linalg.{op} ins(%a, %b : {MATRIX}, {second}) outs(%z : {result}) -> {result}"])

    def program(self):
        left = [(value, kind) for kind, values in self.made.items() for value in values if value not in self.read]
        results = ", ".join(f"y{i}: {kind}" for i, (_, kind) in enumerate(left))
        messages = ", ".join(f"!gpuvm.message<{kind}>" for _, kind in left)
        return "\n".join([f"gpuvm.program @graph(%x: {MATRIX}, %v: {VECTOR}) -> ({results}) {{", *self.lines,
                          f"  gpuvm.return {', '.join(value for value, _ in left)} : {messages}", "}", ""])


def program(stages, seed=1):
    return Graph(stages, seed).program()


if __name__ == "__main__":
    print(program(*map(int, sys.argv[1:])), end="")
