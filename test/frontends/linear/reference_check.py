"""Checks reference.py by small programs whose answers follow from the specification by hand.

Prints the checks that fail and how many there were; exit code 1 if one fails.
"""

import decimal
import fractions
import random
import sys

import numpy as np

import reference
import reference_numbers as numbers
from reference_text import Error

F32, NAN, INF = np.float32, float("nan"), float("inf")
CHECKS = []
decimal.getcontext().prec = 100
# From the integer of section 4: right to 77 digits, of which the largest x takes 39.
HALF_PI = decimal.Decimal(2) ** 256 / numbers.TWO_OVER_PI


def check(function):
    CHECKS.append(function)
    return function


def same(got, want):
    """Equal bit for bit; a NaN is a NaN."""
    got, want = np.asarray(got), np.asarray(want, np.asarray(got).dtype)
    assert got.shape == want.shape, f"{got} instead of {want}"
    equal = (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want)
    assert equal.all(), f"{got} instead of {want}"


def straight(lines, buffers="", options="", phase="", head="", **inputs):
    """Runs a routine of one machine."""
    body = "\n".join([*lines, "HALT"])
    return reference.run(f"{head}\n{buffers}\n.routine main\n{body}\n.phase p {phase}\nrun main 1 {options}\n", inputs)


def registers(lines, **options):
    return straight(lines, **options)["state"][0, 1:5]


def operation(text, *values, head=""):
    """r0 after an instruction with r0, r1 as given."""
    options = " ".join(f"r{k}={value!r}" for k, value in enumerate(values))
    return registers([text], options=options, head=head)[0]


def rounded(value):
    """fl of section 1 of a finite Fraction that does not overflow, in whole numbers."""
    size, e = abs(value), -149
    while size >= fractions.Fraction(2) ** (e + 24):
        e += 1
    result = round(size / fractions.Fraction(2) ** e) * fractions.Fraction(2) ** e
    return F32(0) if result < fractions.Fraction(2) ** -126 else F32(float(result if value > 0 else -result))


def random_float(source):
    bits = source.choice([0x80000000, 0]) | source.randrange(0x00800000, 0x7F800000)
    if source.random() < 0.5:
        bits = bits & 0x81FFFFFF | 0x3E000000
    return numbers.from_bits(bits)


@check
def arithmetic_is_rounded_once():
    source, compared = random.Random(0), 0
    for _ in range(1500):
        a, b = random_float(source), random_float(source)
        x, y = fractions.Fraction(float(a)), fractions.Fraction(float(b))
        whole = abs(x) // abs(y)
        exact = {"add": x + y, "subtract": x - y, "multiply": x * y, "divide": x / y,
                 "remainder": (abs(x) - abs(y) * whole) * (1 if x > 0 else -1)}
        for name, value in exact.items():
            got = getattr(numbers, name)(np.array([a]), np.array([b]))[0]
            if abs(value) < 2**127:
                compared += 1
                assert got == rounded(value), f"{name} {a!r} {b!r}: {got!r}"
    assert compared > 5000


@check
def roots_are_rounded_once():
    source = random.Random(1)
    for _ in range(3000):
        a = abs(random_float(source))
        root = fractions.Fraction(float(numbers.sqrt(np.array([a]))[0]))
        unit = fractions.Fraction(float(np.spacing(F32(float(root))))) / 2
        assert (root - unit) ** 2 < fractions.Fraction(float(a)) < (root + unit) ** 2


@check
def special_numbers():
    for text, values, want in [
            ("DIV r0, r0, r1", (1, 0), INF), ("DIV r0, r0, r1", (1, -0.0), -INF), ("DIV r0, r0, r1", (0, 0), NAN),
            ("MOD r0, r0, r1", (-6, 3), -0.0), ("MOD r0, r0, r1", (5.5, -2), 1.5), ("MOD r0, r0, r1", (5, 0), NAN),
            ("MOD r0, r0, r1", (INF, 2), NAN), ("MOD r0, r0, r1", (-5, INF), -5), ("MODI r0, r0, 3e38", (1e38,), 1e38),
            ("MIN r0, r0, r1", (0.0, -0.0), -0.0), ("MIN r0, r0, r1", (-0.0, 0.0), -0.0),
            ("MAX r0, r0, r1", (-0.0, 0.0), 0.0), ("MAX r0, r0, r1", (NAN, 1), NAN), ("MIN r0, r0, r1", (1, NAN), NAN),
            ("MIN r0, r1, r0", (3, -INF), -INF), ("ABS r0, r0", (-0.0,), 0.0), ("SQRT r0, r0", (-0.0,), -0.0),
            ("SQRT r0, r0", (-1,), NAN), ("SIN r0, r0", (-0.0,), -0.0),
            ("COS r0, r0", (0,), 1), ("SIN r0, r0", (INF,), NAN),
            ("MUL r0, r0, r1", (-1e-20, 1e-20), -0.0), ("MULI r0, r0, 0.5", (2.0**-126,), 0.0),
            ("CMP r0, r0, r1", (1.5 * 2.0**-126, 2.0**-126), 0.0), ("CMP r0, r0, r0", (INF,), NAN),
            ("SUB r0, r0, r0", (NAN,), 0.0), ("SCALE r0, r0, 0", (INF,), 0.0), ("SETI r0, -0.0", (1,), 0.0),
            ("ADD r0, r0, r0", (3e38,), INF), ("ADD r0, r0, r1", (-0.0, -0.0), -0.0), ("NEG r0, r0", (0.0,), -0.0),
            ("SCALE r0, r0, -1e-30", (1e-10,), -0.0), ("MOV r0, r1", (1, -0.0), -0.0)]:
        same(operation(text, *values), want)


def exact_sine_cosine(x):
    """SIN and COS of a float to 40 digits, by the series."""
    turns = int((decimal.Decimal(x) / HALF_PI).to_integral_value())
    r = decimal.Decimal(x) - turns * HALF_PI
    parts, term = [decimal.Decimal(0), decimal.Decimal(0)], decimal.Decimal(1)
    for k in range(1, 42):
        parts[(k + 1) % 2] += term * (-1) ** ((k - 1) // 2)
        term *= r / k
    c, s = parts
    return [(s, c), (c, -s), (-s, -c), (-c, s)][turns % 4]


@check
def sines_are_near():
    # Half an ulp of r is one of S just below 1/2, where cos r is 0.87; 0.5 of the last sum, 0.2 of the others.
    source = random.Random(2)
    x = np.array([source.randrange(0x39800000, 0x7F800000) for _ in range(2000)], np.uint32).view(F32)
    x[::2] *= -1
    for value, *pair in zip(x, *numbers.sine_cosine(x)):
        for got, want in zip(pair, exact_sine_cosine(float(value))):
            unit = decimal.Decimal(float(np.spacing(F32(abs(float(want))))))
            assert abs(decimal.Decimal(float(got)) - want) < unit * decimal.Decimal("1.6"), (value, got, want)


@check
def linear_instructions_move():
    state = straight(["STORE r1, m3", "COPY 4, m3", "LOAD r2, 4", "CLEAR r1", "SUB r3, r2, r0", "VMID r0"],
                     options="r0=2 r1=7 m15=-1")["state"][0]
    same(state, [6, 0, 0, 7, 5, 0, 0, 0, 7, 7, *[0] * 10, -1, 1])


@check
def half_precision_state():
    same(operation("MULI r0, r0, 1", 2049, head=".state f16"), 2048)
    same(operation("MULI r0, r0, 2", 65504, head=".state f16"), INF)
    same(operation("MULI r0, r0, 0.5", 2.0**-23, head=".state f16"), 2.0**-24)
    same(operation("SETI r0, 65520", 0, head=".state f16"), INF)
    same(straight([], options="m0=0.1", head=".state f16")["state"][0, 5], float(np.float16(0.1)))


@check
def branches():
    def taken(name, value, head=""):
        return bool(registers([f"BRANCH_{name} r0, there", "SETI r1, 1", "HALT", "there: SETI r1, 2"],
                              options=f"r0={value}", head=head)[1] == 2)
    for value, names in [("0", "EQ LE GE"), ("-0.0", "EQ LE GE"), ("nan", "NE"), ("2", "NE GT GE"),
                         ("-inf", "NE LT LE")]:
        for name in "EQ NE LT GT LE GE".split():
            assert taken(name, value) == (name in names.split()), (name, value)
    assert taken("EQ", "-0.4", ".tolerance 0.5") and not taken("NE", "-0.4", ".tolerance 0.5")
    assert not taken("EQ", "0.5", ".tolerance 0.5") and taken("LT", "-0.4", ".tolerance 0.5")
    assert taken("NE", "nan", ".tolerance 0.5")


@check
def calls_and_returns():
    lines = ["CALL f", "HALT", "f: SETI r0, 1", "SETI r1, 2", "CALL g", "RETURN r1, r3", "g: SETI r2, 9", "RETURN"]
    same(registers(lines, options="r0=5 r1=6 r2=7 r3=8", head=".stack 2"), [1, 6, 9, 8])
    full = straight(lines, head=".stack 1")
    same([full["fault"][0], full["state"][0, 0], full["status"][0]], [3, 4, 4])
    same(full["counts"], [[4, 2, 0, 2, 0, 1]])
    empty = straight(["CLEAR r0", "RETURN r0"], options="r0=3")
    same([empty["fault"][0], empty["state"][0, 0], empty["state"][0, 1]], [4, 1, 0])


@check
def addresses_and_faults():
    buffers = ".buffer o 2 out\n.buffer a 2 in"
    data = np.array([7, 1e-40], F32)

    def read(value):
        return straight(["READ r1, r0"], buffers, f"r0={value}", a=data)
    same(read("-0.5")["state"][0, 2], 7)
    same(read("1.9")["state"][0, 2], 0.0)
    same(read("3.99")["state"][0, 2], 0)
    for value in ("-1", "4", "nan", "inf", "-inf"):
        same([read(value)["fault"][0], read(value)["state"][0, 0]], [1, 0])
    same(straight(["WRITE r0, r1"], buffers, "r0=1", a=data)["fault"], [2])
    result = straight(["WRITE r0, r1"], buffers, "r0=base(o) r1=3", a=data)
    same(result["o"], [3, 0])
    same(straight(["WRITE r0, r1"], buffers, "r0=2 reads=o", a=data)["fault"], [2])
    same(straight(["READ r1, r0"], buffers, "r0=2 writes=o", a=data)["fault"], [0])
    same(straight(["WAIT r0, r1"], buffers, "r0=0 r1=1 reads=o", a=data)["fault"], [2])
    same(straight(["READ r1, r0"], "", "r0=0")["fault"], [1])


@check
def shared_memory_keeps_bits():
    data = np.array([1e-40, -0.0], F32)
    same(straight([], ".buffer a 2 inout", a=data)["a"], data)
    same(registers(["READ r1, r0"], buffers=".buffer a 2 inout", a=-data)[1], -0.0)


@check
def highest_machine_writes_last():
    result = reference.run(""".buffer o 1 out
.routine main
VMID r0
READ r3, r2
WRITE r1, r0
READ r2, r1
HALT
.phase p
run main 5
""")
    same(result["o"], [4])
    same(result["state"][:, 3], [4] * 5)
    same(result["state"][:, 4], [0] * 5)


@check
def reads_see_the_start_of_the_epoch():
    result = reference.run(""".buffer o 1 out
.routine reader
READ r1, r0
HALT
.routine writer
WRITE r0, r1
HALT
.phase p
run writer 1 r1=5
run reader 1
""")
    same(result["state"][:, 2], [5, 0])


WAITING = """.buffer o 1 out
.routine waiter
WAIT r0, r1
HALT
.routine writer
SETI r1, 4
WRITE r0, r1
HALT
.phase p
run waiter 1 r1={}
run writer 1
"""


@check
def waits():
    # Epochs: WAIT, SETI; WRITE; WAIT again, HALT; HALT.
    same(reference.run(WAITING.format("3.5"))["counts"], [[4, 1, 0, 0, 5, 0]])
    for value in ("4.5", "nan"):
        result = reference.run(WAITING.format(value))
        same(result["counts"], [[3, 1, 0, 0, 3, 2]])
        same(result["status"], [1, 3])


@check
def yields_are_a_barrier():
    text = """.buffer o 1 out
.routine early
YIELD
READ r1, r0
HALT
.routine late
CLEAR r0
CLEAR r0
SETI r1, 6
WRITE r0, r1
{}
.phase p
run early 2
run late 1
"""
    result = reference.run(text.format("HALT"))
    same(result["state"][:2, 2], [6, 6])
    same(result["counts"], [[7, 3, 0, 0, 8, 0]])
    # A BLOCKED machine does not hold the barrier up.
    result = reference.run(text.format("WAIT r0, r1\nSETI r1, 7\nWAIT r0, r1\nHALT"))
    same(result["status"], [3, 3, 1])
    same(result["counts"][0, 5], 2)


SPAWNING = """.routine main
SPAWN child, r0
SETI r1, 1
SPAWN child, r1
HALT
child: {}
.phase p spawn={}
run main {} r0=9 m0=3
"""


@check
def spawns_take_free_machines():
    result = reference.run(SPAWNING.format("STORE r0, m1\nHALT", 2, 1))
    same(result["status"], [3, 3, 3])
    same(result["state"][:, 6], [0, 9, 1])
    same(result["state"][:, 5], [3, 0, 0])
    blocked = reference.run(SPAWNING.format("HALT", 1, 1))
    same(blocked["status"], [1, 3])
    # SPAWN; SETI, HALT; SPAWN fails.
    same(blocked["counts"], [[3, 1, 0, 0, 3, 2]])
    reused = reference.run(SPAWNING.format("KILL", 1, 2))
    same(reused["status"], [3, 3, 5])
    same(reused["counts"][0, 5], 0)


@check
def killed_machines_are_free_in_the_same_epoch():
    result = reference.run(""".routine victim
CLEAR r0
KILL
.routine parent
SETI r1, 5
SPAWN child, r1
HALT
child: HALT
.phase p
run victim 1 m3=1
run parent 1
""")
    same(result["status"], [3, 3])
    same(result["counts"], [[3, 2, 0, 0, 4, 0]])
    same(result["state"][0], [5, 5, *[0] * 19, 1])


@check
def spawned_machines_start_with_no_calls():
    result = reference.run(""".routine first
CALL inner
HALT
inner: KILL
.routine parent
CLEAR r1
CLEAR r1
SPAWN child, r0
HALT
child: RETURN
.phase p
run first 1
run parent 1 r0=7
""")
    same(result["status"], [4, 3])
    same(result["fault"], [4, 0])
    same(result["state"][0, :2], [7, 7])


@check
def budgets_end_phases():
    text = ".budget 7\n.routine main\nagain: CLEAR r0\nJUMP again\n.phase a{}\nrun main 2\n"
    text += ".phase b spawn=5\nrun main 1\n"
    result = reference.run(text.format(""))
    same(result["counts"], [[7, 8, 0, 6, 0, 3], [0, 0, 0, 0, 0, -1]])
    same(result["status"], [0, 0, 5, 5, 5, 5])
    same(result["state"][:3, [0, 21]], [[1, 1], [1, 1], [0, 1]])
    same(reference.run(text.format(" budget=3"))["counts"][0, 0], 3)
    same(reference.run(text.format(" budget=3"), budget=5)["counts"][0, 0], 5)


@check
def flows_have_levels():
    result = reference.run(""".buffer a 1 temp
.buffer b 1 temp
.buffer c 1 out
.routine put
WRITE r0, r1
HALT
.routine pass
READ r2, r0
ADD r2, r2, r1
WRITE r3, r2
HALT
.flow f
run put 1 r0=base(a) r1=4 writes=a
run pass 1 r0=base(a) r1=1 r3=base(b) reads=a writes=b
run put 1 r0=base(c) r1=100 writes=c
run pass 1 r0=base(b) r1=1 r3=base(c) reads=b writes=c
run put 1 r0=base(a) r1=8 writes=a
""")
    same(result["c"], [6])
    same(result["counts"][:, 0], [2, 4, 4])
    same(result["counts"][:, 4], [4, 3, 5])


@check
def errors_have_places():
    head, tail = ".routine m\n", "\nHALT\n.phase p\nrun m 1\n"
    for text, want in [(" FOO r0", (2, 2, "mnemonic")), ("ADD r0, r1", (2, 1, "operands")),
                       ("MOV r0, r4", (2, 9, "register")),
                       ("LOAD r0, m16", (2, 10, "memory")), ("SETI r0, 1e39", (2, 10, "range")),
                       ("SETI r0, 1e-40", (2, 10, "range")), ("SETI r0, K", (2, 10, "constant")),
                       ("JUMP 9", (2, 6, "target")), (".foo", (2, 1, "directive")), ("a:\na: HALT", (3, 1, "defined")),
                       ("SETI r0, 1x", (2, 10, "expected")), ("CALL q", (2, 6, "target")),
                       ("r0: HALT", (2, 1, "reserved"))]:
        try:
            reference.run(head + text + tail)
            raise AssertionError(f"{text!r} is taken")
        except Error as error:
            assert (error.line, error.column, error.word) == want, f"{text!r}: {error}"


@check
def literals_are_rounded_once():
    for text, bits in [("16777217", 0x4B800000), ("16777219", 0x4B800002), ("1.00000005960464477540", 0x3F800001),
                       ("1.17549435e-38", 0x00800000), ("3.4028235677973366e38", 0x7F7FFFFF),
                       ("3.4028235677973367e38", None), ("3.4028235e38", 0x7F7FFFFF),
                       (".5", 0x3F000000), ("1.e1", 0x41200000), ("-0", 0x80000000), ("0e999999999", 0),
                       ("1e-999999999", None)]:
        try:
            assert numbers.literal(text).view(np.uint32) == bits, text
        except numbers.OutOfRange:
            assert bits is None, text


def main():
    failed = 0
    for function in CHECKS:
        try:
            with np.errstate(all="ignore"):
                function()
        except Exception as problem:  # Every kind of failure is one line.
            failed += 1
            print(f"{function.__name__}: {type(problem).__name__} {problem}")
    print(f"{len(CHECKS)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
