"""The numbers of section 13 about a program of the linear-algebra VM: instructions and bytes of matrices."""

import fractions
import math

import numpy as np

from reference_machine import WIDTH, class_of, matrix

DENSE_BYTES = 4 * WIDTH**2


def csr_bytes(nonzeros):
    return 8 * nonzeros + 4 * (WIDTH + 1)


def blocked_bytes(coefficients, b):
    rows = math.ceil(WIDTH / b)
    padded = np.zeros((rows * b, rows * b), np.float32)
    padded[:WIDTH, :WIDTH] = coefficients
    blocks = np.count_nonzero((padded.reshape(rows, b, rows, b) != 0).any(axis=(1, 3)))
    return int(blocks) * (4 * b * b + 4) + 4 * (rows + 1)


def dictionary_bytes(matrices):
    values = {value.tobytes() for coefficients in matrices for value in coefficients[coefficients != 0]}
    return sum(4 * nonzeros(m) + 4 * (WIDTH + 1) for m in matrices) + 4 * len(values)


def runlength_bytes(count):
    return 4 * count + math.ceil(2 * count / 4) * 4 + 4


def nonzeros(coefficients):
    return int(np.count_nonzero(coefficients))


def first_dense(threshold):
    return math.ceil(484.0 * threshold)


def chosen_bytes(counts, threshold):
    return sum(DENSE_BYTES if count >= first_dense(threshold) else csr_bytes(count) for count in counts)


def best_threshold(counts):
    """`auto` of section 5."""
    return min(range(10, 21), key=lambda k: (chosen_bytes(counts, k / 100), abs(k - 15), k)) / 100


def one_decimal(value):
    return math.floor(value * 10 + fractions.Fraction(1, 2)) / 10


def ratio(numerator, denominator):
    return fractions.Fraction(numerator, denominator) if denominator else fractions.Fraction(0)


def instruction_numbers(program):
    classes = [class_of(instruction.opcode) for instruction in program.instructions]
    return {"instructions": len(classes), "linear": classes.count(0), "oracle": classes.count(1),
            "branch": classes.count(2), "io": classes.count(3)}


def program_numbers(program):
    return {"routines": len(program.routines), "phases": len(program.phases), "max_machines": program.most_machines(),
            "state_bytes": 128 * program.most_machines(), "shared_words": program.shared_words()}


def hypothetical_bytes(matrices, counts):
    return {"all_dense_bytes": DENSE_BYTES * len(counts), "all_csr_bytes": sum(map(csr_bytes, counts)),
            "all_bsr2_bytes": sum(blocked_bytes(m, 2) for m in matrices),
            "all_bsr4_bytes": sum(blocked_bytes(m, 4) for m in matrices),
            "all_dictionary_bytes": dictionary_bytes(matrices),
            "all_runlength_bytes": sum(map(runlength_bytes, counts))}


def statistics(program, threshold=None):
    """The object of section 13; `threshold` is a number, "auto" or what the program says."""
    numbers = [k for k, instruction in enumerate(program.instructions) if class_of(instruction.opcode) == 0]
    matrices = [matrix(program.instructions[k]) for k in numbers]
    counts = [nonzeros(coefficients) for coefficients in matrices]
    if threshold is None:
        threshold = program.threshold
    if threshold == "auto":
        threshold = best_threshold(counts)
    dense = [count for count in counts if count >= first_dense(threshold)]
    csr = [count for count in counts if count < first_dense(threshold)]
    total = chosen_bytes(counts, threshold)
    saved = 100 - 100 * ratio(total, DENSE_BYTES * len(counts)) if counts else 0
    return instruction_numbers(program) | program_numbers(program) | {
        "matrices": len(counts), "csr": len(csr), "dense": len(dense), "nonzeros": sum(counts),
        "csr_bytes": sum(map(csr_bytes, csr)), "dense_bytes": DENSE_BYTES * len(dense), "matrix_bytes": total,
        "threshold": threshold, "first_dense_nonzeros": first_dense(threshold), "saved_percent": one_decimal(saved),
        "mean_nonzeros": one_decimal(ratio(sum(counts), len(counts))),
        "formats": [[k, count, "dense" if count >= first_dense(threshold) else "csr"]
                    for k, count in zip(numbers, counts)],
    } | hypothetical_bytes(matrices, counts)
