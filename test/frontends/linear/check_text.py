"""Checks of programs as texts: mistakes and flows."""

import reference
from check_support import check, same
from reference_text import Error


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
