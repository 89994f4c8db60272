// Quotient, remainder, root, sine and cosine, to the bit (docs/linear-vm.md), of
// integers and of steps that every device rounds alike. No operand is subnormal.

// The sign, and of m 2^(exponent - 150) with 2^23 <= m < 2^24 what is nearest to it:
// `more` has the two bits of m after the last one and whether anything follows.
func.func private @round(%sign: i32, %exponent: i32, %m: i32, %more: i32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 4 : i32
  %hidden = arith.constant 0x800000 : i32
  %infinity = arith.constant 0x7F800000 : i32
  %last = arith.constant 0xFFFFFF : i32
  %places = arith.constant 23 : i32
  %odd = arith.andi %m, %one : i32
  %above = arith.ori %more, %odd : i32
  %up = arith.cmpi ugt, %above, %half : i32
  %add = arith.extui %up : i1 to i32
  %fraction = arith.subi %m, %hidden : i32
  %scaled = arith.shli %exponent, %places : i32
  %sum = arith.addi %scaled, %fraction : i32
  %near = arith.addi %sum, %add : i32
  %large = arith.constant 255 : i32
  %past = arith.cmpi sge, %exponent, %large : i32
  %bounded = arith.select %past, %infinity, %near : i32
  // With one bit less, this is the one that is not subnormal.
  %below = arith.cmpi slt, %exponent, %one : i32
  %next = arith.cmpi eq, %exponent, %zero : i32
  %full = arith.cmpi eq, %m, %last : i32
  %least = arith.andi %next, %full : i1
  %tiny = arith.select %least, %hidden, %zero : i32
  %magnitude = arith.select %below, %tiny, %bounded : i32
  %bits = arith.ori %magnitude, %sign : i32
  %r = arith.bitcast %bits : i32 to f32
  func.return %r : f32
}

func.func private @quotient(%a: f32, %b: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %ab = arith.bitcast %a : f32 to i32
  %bb = arith.bitcast %b : f32 to i32
  %signBit = arith.constant 0x80000000 : i32
  %both = arith.xori %ab, %bb : i32
  %sign = arith.andi %both, %signBit : i32
  %absA = math.absf %a : f32
  %absB = math.absf %b : f32
  %a0 = arith.cmpf oeq, %absA, %zero : f32
  %b0 = arith.cmpf oeq, %absB, %zero : f32
  %aInf = arith.cmpf oeq, %absA, %infinity : f32
  %bInf = arith.cmpf oeq, %absB, %infinity : f32
  %unordered = arith.cmpf uno, %a, %b : f32
  %zeros = arith.andi %a0, %b0 : i1
  %infinities = arith.andi %aInf, %bInf : i1
  %n0 = arith.ori %zeros, %infinities : i1
  %isNan = arith.ori %unordered, %n0 : i1
  %isInf = arith.ori %aInf, %b0 : i1
  %isZero = arith.ori %a0, %bInf : i1
  %s0 = arith.ori %isNan, %isInf : i1
  %special = arith.ori %s0, %isZero : i1
  %r = scf.if %special -> f32 {
    %infBits = arith.constant 0x7F800000 : i32
    %none = arith.constant 0 : i32
    %m = arith.select %isInf, %infBits, %none : i32
    %bits = arith.ori %m, %sign : i32
    %x = arith.bitcast %bits : i32 to f32
    %y = arith.select %isNan, %nan, %x : f32
    scf.yield %y : f32
  } else {
    %places = arith.constant 23 : i32
    %exponents = arith.constant 255 : i32
    %fractions = arith.constant 0x7FFFFF : i32
    %hidden = arith.constant 0x800000 : i32
    %wide = arith.constant 25 : i64
    %one = arith.constant 1 : i32
    %one64 = arith.constant 1 : i64
    %none64 = arith.constant 0 : i64
    %limit = arith.constant 0x2000000 : i64
    %three = arith.constant 3 : i64
    %two64 = arith.constant 2 : i64
    %bias = arith.constant 127 : i32
    %ae = arith.shrui %ab, %places : i32
    %ea = arith.andi %ae, %exponents : i32
    %be = arith.shrui %bb, %places : i32
    %eb = arith.andi %be, %exponents : i32
    %af = arith.andi %ab, %fractions : i32
    %am = arith.ori %af, %hidden : i32
    %bf = arith.andi %bb, %fractions : i32
    %bm = arith.ori %bf, %hidden : i32
    %ma = arith.extui %am : i32 to i64
    %mb = arith.extui %bm : i32 to i64
    %n = arith.shli %ma, %wide : i64
    %q0 = arith.divui %n, %mb : i64
    %qm = arith.muli %q0, %mb : i64
    %r0 = arith.subi %n, %qm : i64
    %short = arith.cmpi ult, %q0, %limit : i64
    // One bit more where the quotient is less than 1.
    %r1 = arith.shli %r0, %one64 : i64
    %bit = arith.cmpi uge, %r1, %mb : i64
    %bit64 = arith.extui %bit : i1 to i64
    %q1 = arith.shli %q0, %one64 : i64
    %q2 = arith.ori %q1, %bit64 : i64
    %mbBit = arith.select %bit, %mb, %none64 : i64
    %r2 = arith.subi %r1, %mbBit : i64
    %q = arith.select %short, %q2, %q0 : i64
    %rest = arith.select %short, %r2, %r0 : i64
    %down = arith.extui %short : i1 to i32
    %d = arith.subi %ea, %eb : i32
    %e0 = arith.addi %d, %bias : i32
    %e = arith.subi %e0, %down : i32
    %m64 = arith.shrui %q, %two64 : i64
    %m = arith.trunci %m64 : i64 to i32
    %low64 = arith.andi %q, %three : i64
    %low = arith.trunci %low64 : i64 to i32
    %low2 = arith.shli %low, %one : i32
    %inexact = arith.cmpi ne, %rest, %none64 : i64
    %sticky = arith.extui %inexact : i1 to i32
    %more = arith.ori %low2, %sticky : i32
    %x = func.call @round(%sign, %e, %m, %more) : (i32, i32, i32, i32) -> f32
    scf.yield %x : f32
  }
  func.return %r : f32
}

// C's fmod; a result that would be subnormal is a zero.
func.func private @remainder(%a: f32, %b: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %absA = math.absf %a : f32
  %absB = math.absf %b : f32
  %unordered = arith.cmpf uno, %a, %b : f32
  %aInf = arith.cmpf oeq, %absA, %infinity : f32
  %b0 = arith.cmpf oeq, %absB, %zero : f32
  %n0 = arith.ori %unordered, %aInf : i1
  %isNan = arith.ori %n0, %b0 : i1
  %less = arith.cmpf olt, %absA, %absB : f32
  %special = arith.ori %isNan, %less : i1
  %r = scf.if %special -> f32 {
    %x = arith.select %isNan, %nan, %a : f32
    scf.yield %x : f32
  } else {
    %none = arith.constant 0 : i32
    %none64 = arith.constant 0 : i64
    %places = arith.constant 23 : i32
    %exponents = arith.constant 255 : i32
    %fractions = arith.constant 0x7FFFFF : i32
    %hidden = arith.constant 0x800000 : i32
    %most = arith.constant 39 : i32
    %eight = arith.constant 8 : i32
    %one = arith.constant 1 : i32
    %signBit = arith.constant 0x80000000 : i32
    %ab = arith.bitcast %a : f32 to i32
    %bb = arith.bitcast %b : f32 to i32
    %sign = arith.andi %ab, %signBit : i32
    %ae = arith.shrui %ab, %places : i32
    %ea = arith.andi %ae, %exponents : i32
    %be = arith.shrui %bb, %places : i32
    %eb = arith.andi %be, %exponents : i32
    %af = arith.andi %ab, %fractions : i32
    %am = arith.ori %af, %hidden : i32
    %bf = arith.andi %bb, %fractions : i32
    %bm = arith.ori %bf, %hidden : i32
    %ma = arith.extui %am : i32 to i64
    %mb = arith.extui %bm : i32 to i64
    %first = arith.remui %ma, %mb : i64
    %distance = arith.subi %ea, %eb : i32
    // A distance is at most 253, seven steps.
    %steps = arith.constant 7 : i32
    %end:2 = scf.for %k = %none to %steps step %one iter_args(%rest = %first, %d = %distance) -> (i64, i32) : i32 {
      %by = arith.minsi %d, %most : i32
      %by64 = arith.extui %by : i32 to i64
      %shifted = arith.shli %rest, %by64 : i64
      %next = arith.remui %shifted, %mb : i64
      %left = arith.subi %d, %by : i32
      scf.yield %next, %left : i64, i32
    }
    %m = arith.trunci %end#0 : i64 to i32
    %zeros = math.ctlz %m : i32
    %up = arith.subi %zeros, %eight : i32
    %e = arith.subi %eb, %up : i32
    %isZero = arith.cmpi eq, %m, %none : i32
    %isTiny = arith.cmpi slt, %e, %one : i32
    %none1 = arith.ori %isZero, %isTiny : i1
    %normal = arith.shli %m, %up : i32
    %fraction = arith.andi %normal, %fractions : i32
    %scaled = arith.shli %e, %places : i32
    %magnitude = arith.ori %scaled, %fraction : i32
    %kept = arith.select %none1, %none, %magnitude : i32
    %bits = arith.ori %kept, %sign : i32
    %x = arith.bitcast %bits : i32 to f32
    scf.yield %x : f32
  }
  func.return %r : f32
}

func.func private @root(%a: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %isZero = arith.cmpf oeq, %a, %zero : f32
  %isInf = arith.cmpf oeq, %a, %infinity : f32
  %least = arith.cmpf uge, %a, %zero : f32
  %isNumber = arith.cmpf ord, %a, %a : f32
  %fits = arith.andi %least, %isNumber : i1
  %kept = arith.ori %isZero, %isInf : i1
  %true = arith.constant true
  %isNan = arith.xori %fits, %true : i1
  %special = arith.ori %kept, %isNan : i1
  %r = scf.if %special -> f32 {
    %x = arith.select %isNan, %nan, %a : f32
    scf.yield %x : f32
  } else {
    %places = arith.constant 23 : i32
    %fractions = arith.constant 0x7FFFFF : i32
    %hidden = arith.constant 0x800000 : i32
    %bias = arith.constant 127 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant 0 : i32
    %none64 = arith.constant 0 : i64
    %one64 = arith.constant 1 : i64
    %two64 = arith.constant 2 : i64
    %three = arith.constant 3 : i64
    %up = arith.constant 27 : i64
    %bits26 = arith.constant 26 : i32
    %highest = arith.constant 0x2000000 : i64
    %ab = arith.bitcast %a : f32 to i32
    %be = arith.shrui %ab, %places : i32
    %e0 = arith.subi %be, %bias : i32
    %odd = arith.andi %e0, %one : i32
    %even = arith.subi %e0, %odd : i32
    %af = arith.andi %ab, %fractions : i32
    %am = arith.ori %af, %hidden : i32
    %m0 = arith.shli %am, %odd : i32
    %m1 = arith.extui %m0 : i32 to i64
    %square = arith.shli %m1, %up : i64
    %end:2 = scf.for %i = %none to %bits26 step %one iter_args(%s = %none64, %bit = %highest) -> (i64, i64) : i32 {
      %t = arith.ori %s, %bit : i64
      %tt = arith.muli %t, %t : i64
      %fitsIn = arith.cmpi ule, %tt, %square : i64
      %next = arith.select %fitsIn, %t, %s : i64
      %lower = arith.shrui %bit, %one64 : i64
      scf.yield %next, %lower : i64, i64
    }
    %exact = arith.muli %end#0, %end#0 : i64
    %inexact = arith.cmpi ne, %exact, %square : i64
    %sticky = arith.extui %inexact : i1 to i32
    %m64 = arith.shrui %end#0, %two64 : i64
    %m = arith.trunci %m64 : i64 to i32
    %low64 = arith.andi %end#0, %three : i64
    %low = arith.trunci %low64 : i64 to i32
    %low2 = arith.shli %low, %one : i32
    %more = arith.ori %low2, %sticky : i32
    %half = arith.shrsi %even, %one : i32
    %e = arith.addi %half, %bias : i32
    %x = func.call @round(%none, %e, %m, %more) : (i32, i32, i32, i32) -> f32
    scf.yield %x : f32
  }
  func.return %r : f32
}

// Word i of 2 / pi 2^256, from the least; zeros beyond.
func.func private @two_by_pi(%i: i32) -> i64 {
  %w0 = arith.constant 0xdebbc561 : i64
  %w1 = arith.constant 0xfe5163ab : i64
  %w2 = arith.constant 0x3c439041 : i64
  %w3 = arith.constant 0xdb629599 : i64
  %w4 = arith.constant 0xf534ddc0 : i64
  %w5 = arith.constant 0xfc2757d1 : i64
  %w6 = arith.constant 0x4e441529 : i64
  %w7 = arith.constant 0xa2f9836e : i64
  %none = arith.constant 0 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %c7 = arith.constant 7 : i32
  %is0 = arith.cmpi eq, %i, %c0 : i32
  %is1 = arith.cmpi eq, %i, %c1 : i32
  %is2 = arith.cmpi eq, %i, %c2 : i32
  %is3 = arith.cmpi eq, %i, %c3 : i32
  %is4 = arith.cmpi eq, %i, %c4 : i32
  %is5 = arith.cmpi eq, %i, %c5 : i32
  %is6 = arith.cmpi eq, %i, %c6 : i32
  %is7 = arith.cmpi eq, %i, %c7 : i32
  %v0 = arith.select %is0, %w0, %none : i64
  %v1 = arith.select %is1, %w1, %v0 : i64
  %v2 = arith.select %is2, %w2, %v1 : i64
  %v3 = arith.select %is3, %w3, %v2 : i64
  %v4 = arith.select %is4, %w4, %v3 : i64
  %v5 = arith.select %is5, %w5, %v4 : i64
  %v6 = arith.select %is6, %w6, %v5 : i64
  %v7 = arith.select %is7, %w7, %v6 : i64
  func.return %v7 : i64
}

// The sine of a, or of a quarter of a turn more: the cosine.
func.func private @sine(%a: f32, %isCosine: i1) -> f32 {
  %small = arith.constant 0x39800000 : f32 // 2^-12
  %infinity = arith.constant 0x7F800000 : f32
  %one = arith.constant 1.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %abs = math.absf %a : f32
  %isSmall = arith.cmpf olt, %abs, %small : f32
  %isFinite = arith.cmpf olt, %abs, %infinity : f32
  %true = arith.constant true
  %isNone = arith.xori %isFinite, %true : i1
  %special = arith.ori %isSmall, %isNone : i1
  %r = scf.if %special -> f32 {
    %x = arith.select %isCosine, %one, %a : f32
    %y = arith.select %isNone, %nan, %x : f32
    scf.yield %y : f32
  } else {
    %places = arith.constant 23 : i32
    %exponents = arith.constant 255 : i32
    %fractions = arith.constant 0x7FFFFF : i32
    %hidden = arith.constant 0x800000 : i32
    %none = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c30 = arith.constant 30 : i32
    %c31 = arith.constant 31 : i32
    %none64 = arith.constant 0 : i64
    %one64 = arith.constant 1 : i64
    %c32 = arith.constant 32 : i64
    %word = arith.constant 0xFFFFFFFF : i64
    %ab = arith.bitcast %a : f32 to i32
    %be = arith.shrui %ab, %places : i32
    %ea = arith.andi %be, %exponents : i32
    %af = arith.andi %ab, %fractions : i32
    %am = arith.ori %af, %hidden : i32
    %m = arith.extui %am : i32 to i64
    // |a| = m 2^(ea - 150), so 162 - e is 312 - ea.
    %from = arith.constant 312 : i32
    %shift = arith.subi %from, %ea : i32
    %at = arith.shrui %shift, %c5 : i32
    %bit32 = arith.andi %shift, %c31 : i32
    %bit = arith.extui %bit32 : i32 to i64
    %at1 = arith.addi %at, %c1 : i32
    %at2 = arith.addi %at, %c2 : i32
    %at3 = arith.addi %at, %c3 : i32
    %t0 = func.call @two_by_pi(%at) : (i32) -> i64
    %t1 = func.call @two_by_pi(%at1) : (i32) -> i64
    %t2 = func.call @two_by_pi(%at2) : (i32) -> i64
    %t3 = func.call @two_by_pi(%at3) : (i32) -> i64
    %h0 = arith.shli %t1, %c32 : i64
    %d0 = arith.ori %h0, %t0 : i64
    %s0 = arith.shrui %d0, %bit : i64
    %w0 = arith.andi %s0, %word : i64
    %h1 = arith.shli %t2, %c32 : i64
    %d1 = arith.ori %h1, %t1 : i64
    %s1 = arith.shrui %d1, %bit : i64
    %w1 = arith.andi %s1, %word : i64
    %h2 = arith.shli %t3, %c32 : i64
    %d2 = arith.ori %h2, %t2 : i64
    %s2 = arith.shrui %d2, %bit : i64
    %w2 = arith.andi %s2, %word : i64
    // F, of three words.
    %p0 = arith.muli %m, %w0 : i64
    %carry0 = arith.shrui %p0, %c32 : i64
    %p1a = arith.muli %m, %w1 : i64
    %p1 = arith.addi %p1a, %carry0 : i64
    %carry1 = arith.shrui %p1, %c32 : i64
    %p2a = arith.muli %m, %w2 : i64
    %p2 = arith.addi %p2a, %carry1 : i64
    %f0 = arith.trunci %p0 : i64 to i32
    %f1 = arith.trunci %p1 : i64 to i32
    %f2 = arith.trunci %p2 : i64 to i32
    %eighth = arith.constant 0x20000000 : i32
    %sum = arith.addi %f2, %eighth : i32
    %q = arith.shrui %sum, %c30 : i32
    %q30 = arith.shli %q, %c30 : i32
    %g2 = arith.subi %f2, %q30 : i32
    %isNegative = arith.cmpi slt, %g2, %none : i32
    // A = |G|; of its least word only whether it is zero matters.
    %ones = arith.constant -1 : i32
    %isF0 = arith.cmpi eq, %f0, %none : i32
    %isF1 = arith.cmpi eq, %f1, %none : i32
    %k0 = arith.extui %isF0 : i1 to i32
    %k01 = arith.andi %isF0, %isF1 : i1
    %k1 = arith.extui %k01 : i1 to i32
    %not1 = arith.xori %f1, %ones : i32
    %n1 = arith.addi %not1, %k0 : i32
    %not2 = arith.xori %g2, %ones : i32
    %n2 = arith.addi %not2, %k1 : i32
    %a1 = arith.select %isNegative, %n1, %f1 : i32
    %a2 = arith.select %isNegative, %n2, %g2 : i32
    %a1w = arith.extui %a1 : i32 to i64
    %a2w = arith.extui %a2 : i32 to i64
    %a2h = arith.shli %a2w, %c32 : i64
    %top = arith.ori %a2h, %a1w : i64
    %isUpper = arith.cmpi ne, %a2, %none : i32
    %zeros2 = math.ctlz %a2 : i32
    %zeros1 = math.ctlz %a1 : i32
    %c32w = arith.constant 32 : i32
    %zeros1b = arith.addi %zeros1, %c32w : i32
    %zeros = arith.select %isUpper, %zeros2, %zeros1b : i32
    %zeros64 = arith.extui %zeros : i32 to i64
    %high = arith.shli %top, %zeros64 : i64
    %h = arith.shrui %high, %c32 : i64
    %c96 = arith.constant 96 : i32
    %s = arith.subi %c96, %zeros : i32
    %halfPi = arith.constant 0xC90FDAA2 : i64
    %p = arith.muli %h, %halfPi : i64
    // 63 or 64 bits of it, to 24.
    %isLong = arith.cmpi slt, %p, %none64 : i64
    %long = arith.extui %isLong : i1 to i32
    %c39 = arith.constant 39 : i32
    %drop = arith.addi %c39, %long : i32
    %drop64 = arith.extui %drop : i32 to i64
    %mant64 = arith.shrui %p, %drop64 : i64
    %back = arith.shli %mant64, %drop64 : i64
    %rest = arith.subi %p, %back : i64
    %before = arith.subi %drop64, %one64 : i64
    %half = arith.shli %one64, %before : i64
    %isMore = arith.cmpi ugt, %rest, %half : i64
    %isHalf = arith.cmpi eq, %rest, %half : i64
    %mant = arith.trunci %mant64 : i64 to i32
    %odd = arith.andi %mant, %c1 : i32
    %isOdd = arith.cmpi ne, %odd, %none : i32
    %ties = arith.andi %isHalf, %isOdd : i1
    %isUp = arith.ori %isMore, %ties : i1
    %up = arith.extui %isUp : i1 to i32
    %c7 = arith.constant 7 : i32
    %es = arith.addi %drop, %s : i32
    %e = arith.subi %es, %c7 : i32
    %scaled = arith.shli %e, %places : i32
    %fraction = arith.subi %mant, %hidden : i32
    %sumBits = arith.addi %scaled, %fraction : i32
    %bits = arith.addi %sumBits, %up : i32
    %signBit = arith.constant 0x80000000 : i32
    %sign = arith.select %isNegative, %signBit, %none : i32
    %signed = arith.ori %bits, %sign : i32
    %x = arith.bitcast %signed : i32 to f32
    // The two polynomials.
    %ps1 = arith.constant 0xbe2aaaa3 : f32
    %ps2 = arith.constant 0x3c0883a4 : f32
    %ps3 = arith.constant 0xb94ca3f3 : f32
    %pc1 = arith.constant 0x3d2aaaa5 : f32
    %pc2 = arith.constant 0xbab60634 : f32
    %pc3 = arith.constant 0x37ccfc88 : f32
    %halfF = arith.constant 0.5 : f32
    %z = arith.mulf %x, %x : f32
    %u0 = arith.mulf %z, %ps3 : f32
    %u1 = arith.addf %ps2, %u0 : f32
    %u2 = arith.mulf %z, %u1 : f32
    %u3 = arith.addf %ps1, %u2 : f32
    %u4 = arith.mulf %z, %u3 : f32
    %u5 = arith.mulf %x, %u4 : f32
    %sine = arith.addf %x, %u5 : f32
    %v0 = arith.mulf %z, %pc3 : f32
    %v1 = arith.addf %pc2, %v0 : f32
    %v2 = arith.mulf %z, %v1 : f32
    %v3 = arith.addf %pc1, %v2 : f32
    %zz = arith.mulf %z, %z : f32
    %v4 = arith.mulf %zz, %v3 : f32
    %hz = arith.mulf %halfF, %z : f32
    %v5 = arith.subf %v4, %hz : f32
    %cosine = arith.addf %v5, %one : f32
    %quarter = arith.extui %isCosine : i1 to i32
    %turned = arith.addi %q, %quarter : i32
    %oddTurn = arith.andi %turned, %c1 : i32
    %takesCosine = arith.cmpi ne, %oddTurn, %none : i32
    %value = arith.select %takesCosine, %cosine, %sine : f32
    %secondHalf = arith.andi %turned, %c2 : i32
    %turns = arith.cmpi ne, %secondHalf, %none : i32
    %isBelow = arith.cmpi slt, %ab, %none : i32
    %isSine = arith.xori %isCosine, %true : i1
    %mirrors = arith.andi %isBelow, %isSine : i1
    %negates = arith.xori %turns, %mirrors : i1
    %minus = arith.negf %value : f32
    %y = arith.select %negates, %minus, %value : f32
    scf.yield %y : f32
  }
  func.return %r : f32
}

// The nearest number that binary16 has, ties to even, subnormal ones too.
func.func private @half(%x: f32) -> f32 {
  %signBit = arith.constant 0x80000000 : i32
  %rest = arith.constant 0x7FFFFFFF : i32
  %infinity = arith.constant 0x7F800000 : i32
  %beyond = arith.constant 0x47800000 : i32 // 65536
  %normal = arith.constant 0x38800000 : i32 // 2^-14
  %below = arith.constant 0xFFF : i32
  %mask = arith.constant 0xFFFFE000 : i32
  %places = arith.constant 13 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  %bits = arith.bitcast %x : f32 to i32
  %sign = arith.andi %bits, %signBit : i32
  %magnitude = arith.andi %bits, %rest : i32
  %shifted = arith.shrui %magnitude, %places : i32
  %odd = arith.andi %shifted, %one : i32
  %up0 = arith.addi %magnitude, %below : i32
  %up = arith.addi %up0, %odd : i32
  %near = arith.andi %up, %mask : i32
  %overflows = arith.cmpi uge, %near, %beyond : i32
  %large = arith.select %overflows, %infinity, %near : i32
  // Between 0.5 and 1 two numbers are 2^-24 apart, as subnormal ones of binary16 are.
  %abs = arith.bitcast %magnitude : i32 to f32
  %sum = arith.addf %abs, %half : f32
  %fixed = arith.subf %sum, %half : f32
  %small = arith.bitcast %fixed : f32 to i32
  %isNormal = arith.cmpi uge, %magnitude, %normal : i32
  %value = arith.select %isNormal, %large, %small : i32
  %isNan = arith.cmpi ugt, %magnitude, %infinity : i32
  %kept = arith.select %isNan, %magnitude, %value : i32
  %result = arith.ori %kept, %sign : i32
  %r = arith.bitcast %result : i32 to f32
  func.return %r : f32
}

// Whether `a` is an address: not a NaN, more than -1, less than `end`.
func.func private @is_address(%a: f32, %end: i32) -> i1 {
  %below = arith.constant -1.0 : f32
  %size = arith.sitofp %end : i32 to f32
  %c0 = arith.cmpf ogt, %a, %below : f32
  %c1 = arith.cmpf olt, %a, %size : f32
  %r = arith.andi %c0, %c1 : i1
  func.return %r : i1
}
// What a machine reads: a subnormal number is a zero.
func.func private @flushed(%bits: i32) -> f32 {
  %exponent = arith.constant 0x7F800000 : i32
  %sign = arith.constant 0x80000000 : i32
  %none = arith.constant 0 : i32
  %e = arith.andi %bits, %exponent : i32
  %isSmall = arith.cmpi eq, %e, %none : i32
  %zero = arith.andi %bits, %sign : i32
  %kept = arith.select %isSmall, %zero, %bits : i32
  %r = arith.bitcast %kept : i32 to f32
  func.return %r : f32
}
