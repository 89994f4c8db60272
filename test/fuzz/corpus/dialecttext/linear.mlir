
linear.program @count stack 4 budget 500 f16 tolerance 0.001 threshold 0.2 {
  linear.buffer @x in 100
  linear.buffer @y inout 8
  linear.routine @main {
    linear.do SETI r0, -2.5
    linear.do SETI r1, 0x7FC00000
    linear.do STORE r0, m15
    linear.do COPY m1, m15
    linear.do BRANCH_LE r0, 2
    linear.do CALL 7
    linear.do HALT
  }
  linear.routine @part {
    linear.do VMID r3
    linear.do RETURN r0, r3
    linear.do RETURN
  }
  linear.phase @first spawn 3 budget 7 independent {
    linear.run @main 10 elements [1, 5] bits [1065353216, 0] reads [@x] writes [@y]
  }
}
