// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics

// C1 of linear.program
// expected-error@+1 {{has a stack of 300 frames, and may have 1 to 256}}
linear.program @p stack 300 budget 1 {
  linear.routine @r { linear.do HALT }
  linear.phase @f { linear.run @r 1 }
}

// -----

// expected-error@+1 {{has a budget of 0 epochs}}
linear.program @p stack 1 budget 0 {
  linear.routine @r { linear.do HALT }
  linear.phase @f { linear.run @r 1 }
}

// -----

// expected-error@+1 {{has a tolerance that is not a finite number of at least 0}}
linear.program @p stack 1 budget 1 tolerance -1.0 {
  linear.routine @r { linear.do HALT }
  linear.phase @f { linear.run @r 1 }
}

// -----

// C2
linear.program @p stack 1 budget 1 {
  linear.routine @q { linear.do HALT }
  linear.routine @r {
    // expected-error@+1 {{leads to instruction 0, and its routine has 1 to 1}}
    linear.do JUMP 0
  }
  linear.phase @f { linear.run @r 1 }
}

// -----

linear.program @p stack 1 budget 1 {
  linear.routine @r {
    // expected-error@+1 {{leads to instruction 9, and the program has 2}}
    linear.do CALL 9
    linear.do HALT
  }
  linear.phase @f { linear.run @r 1 }
}

// -----

// C3
// expected-error@+1 {{has no phase}}
linear.program @p stack 1 budget 1 {
  linear.routine @r { linear.do HALT }
}

// -----

linear.program @p stack 1 budget 1 {
  // expected-error@+1 {{has 0 elements, and it may have 1 to 16777216}}
  linear.buffer @b in 0
  linear.routine @r { linear.do HALT }
  linear.phase @f { linear.run @r 1 }
}

// -----

linear.program @p stack 1 budget 1 {
  // expected-error@+1 {{ends with MOV, not with JUMP, RETURN, HALT or KILL}}
  linear.routine @r { linear.do MOV r0, r1 }
  linear.phase @f { linear.run @r 1 }
}

// -----

linear.program @p stack 1 budget 1 {
  linear.routine @r {
    // expected-error@+1 {{there is no instruction FROB}}
    linear.do FROB r0
  }
}

// -----

linear.program @p stack 1 budget 1 {
  linear.routine @r {
    // expected-error@+1 {{has register 4, and the last one is 3}}
    linear.do MOV r4, r0
    linear.do HALT
  }
  linear.phase @f { linear.run @r 1 }
}

// -----

linear.program @p stack 1 budget 1 {
  linear.routine @r {
    // expected-error@+1 {{has number 99, which no instruction has}}
    "linear.do"() {opcode = 99 : i32, operands = array<i32>} : () -> ()
  }
  linear.phase @f { linear.run @r 1 }
}

// -----

linear.program @p stack 1 budget 1 {
  linear.routine @r { linear.do HALT }
  linear.phase @f {
    // expected-error@+1 {{begins at routine @q, which is not there}}
    linear.run @q 1
  }
}

// -----

linear.program @p stack 1 budget 1 {
  linear.routine @r { linear.do HALT }
  linear.phase @f {
    // expected-error@+1 {{has element 21; they are 1 to 20, and ascend}}
    linear.run @r 1 elements [21] bits [0]
  }
}

// -----

linear.program @p stack 1 budget 1 {
  linear.routine @r { linear.do HALT }
  // expected-error@+1 {{has 16777217 machines, and may have 16777216}}
  linear.phase @f spawn 16777216 {
    linear.run @r 1
  }
}
