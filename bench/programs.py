"""Programs around a stage body: as gpuvm takes them and as IREE takes them.

A body is lines of upstream MLIR over tensors. It sees each input as a value of its name and
defines the output as a value of its name.
"""


def gpuvm(inputs, output, result, body):
    """Inputs stay in the heap and the output in a global, so that an execution moves
    nothing between host and device; peers keep theirs on the device, too."""
    lines = ["gpuvm.program @bench() {"]
    lines += [f"  gpuvm.heap @{name} : {tensor}" for name, tensor in inputs.items()]
    lines += [f"  gpuvm.global @{output} : {result}", "  gpuvm.stage @bench() {"]
    lines += [f"    %{name} = gpuvm.load @{name} : {tensor}" for name, tensor in inputs.items()]
    lines += ["    " + line.strip() for line in body.strip().splitlines()]
    lines += [f"    gpuvm.store %{output}, @{output} : {result}", "  }", "  gpuvm.return", "}"]
    return "\n".join(lines) + "\n"


def iree(inputs, output, result, body):
    arguments = ", ".join(f"%{name}: {tensor}" for name, tensor in inputs.items())
    lines = [f"func.func @bench({arguments}) -> {result} {{"]
    lines += ["  " + line.strip() for line in body.strip().splitlines()]
    lines += [f"  return %{output} : {result}", "}"]
    return "\n".join(lines) + "\n"


def both(inputs, output, result, body):
    """The fields of a Case that a body gives."""
    return {"inputs": inputs, "output": output, "result": result,
            "program": gpuvm(inputs, output, result, body),
            "iree": iree(inputs, output, result, body)}
