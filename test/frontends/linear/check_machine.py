"""Checks of machines: instructions, faults, and what happens in an epoch."""

import numpy as np

import reference
from check_support import F32, check, registers, same, straight


@check
def linear_instructions_move():
    state = straight(["STORE r1, m3", "COPY 4, m3", "LOAD r2, 4", "CLEAR r1", "SUB r3, r2, r0", "VMID r0"],
                     options="r0=2 r1=7 m15=-1")["state"][0]
    same(state, [6, 0, 0, 7, 5, 0, 0, 0, 7, 7, *[0] * 10, -1, 1])


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
