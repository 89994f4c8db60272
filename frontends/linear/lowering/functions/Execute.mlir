// The others, a machine each: what it writes to which register (or -1; -2 - mask if it
// returns), its next instruction, status and fault, its frames and where it writes one (or -2 -
// where it reads it; -1), address (or -1) and bits that it writes to shared memory,
// and what it starts (or -1). All read shared memory as it was at the start of the epoch.
func.func private @execute(%l: !machines, %n: !sizes, %at_: !machines, %x_: !registers, %sp_: !machines, %stack_: !frames, %launch_: !machines,
    %memory_: !shared) -> (!floats, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines) {
  %code = gpuvm.load @linear.code : !code
//@if access
  %buffers = gpuvm.load @linear.buffers : !buffers
  %access = gpuvm.load @linear.access : !access
//@end
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %not = arith.constant -1 : i32
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %zero = arith.constant 0.0 : f32
  %ten = arith.constant 10 : i32
  %unary = arith.constant 16 : i32
  %first20 = arith.constant 20 : i32
//@if room
  %limits = gpuvm.load @linear.limits : !limits
//@else
  %addresses = arith.constant @addressEnd@ : i32
  %depth = arith.constant @stack@ : i32
  %tolerance = arith.constant @tolerance@ : f32
//@end
  %read = arith.constant 30 : i32
  %write = arith.constant 31 : i32
  %vmid = arith.constant 32 : i32
  %yield = arith.constant 33 : i32
  %halt = arith.constant 34 : i32
  %wait = arith.constant 35 : i32
  %spawn = arith.constant 36 : i32
  %kill = arith.constant 37 : i32
  %io = arith.constant 50 : i32
  %jump = arith.constant 56 : i32
  %call = arith.constant 60 : i32
  %return = arith.constant 61 : i32
  %em = tensor.empty() : !machines
  %ef = tensor.empty() : !floats
  %r:10 = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v, #v, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%l : !machines)
      outs(%ef, %em, %em, %em, %em, %em, %em, %em, %em, %em : !floats, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines) {
  ^bb0(%v: i32, %o0: f32, %o1: i32, %o2: i32, %o3: i32, %o4: i32, %o5: i32, %o6: i32, %o7: i32, %o8: i32, %o9: i32):
    %ki = linalg.index 0 : index
    %k = arith.index_cast %ki : index to i32
//@if room
    %addresses = tensor.extract %limits[%c0] : !limits
    %depth = tensor.extract %limits[%c1] : !limits
    %toleranceBits = tensor.extract %limits[%c2] : !limits
    %tolerance = arith.bitcast %toleranceBits : i32 to f32
//@end
    %n0 = tensor.extract %n[%c0] : !sizes
    %n1 = tensor.extract %n[%c1] : !sizes
    %n2 = tensor.extract %n[%c2] : !sizes
    %n3 = tensor.extract %n[%c3] : !sizes
    %e1 = arith.addi %n0, %n1 : i32
    %e2 = arith.addi %e1, %n2 : i32
    %e3 = arith.addi %e2, %n3 : i32
    %isOther = arith.cmpi sge, %k, %n0 : i32
    %isBefore = arith.cmpi slt, %k, %e3 : i32
    %isListed = arith.andi %isOther, %isBefore : i1
    %r:10 = scf.if %isListed -> (f32, i32, i32, i32, i32, i32, i32, i32, i32, i32) {
      %vi = arith.index_cast %v : i32 to index
      %i = tensor.extract %at_[%vi] : !machines
      %ii = arith.index_cast %i : i32 to index
      %op = tensor.extract %code[%ii, %c0] : !code
      %first = tensor.extract %code[%ii, %c1] : !code
      %second = tensor.extract %code[%ii, %c2] : !code
      %third = tensor.extract %code[%ii, %c3] : !code
      %depth0 = tensor.extract %sp_[%vi] : !machines
      %isOracle = arith.cmpi slt, %k, %e1 : i32
      %isBranch = arith.cmpi slt, %k, %e2 : i32
      %a:10 = scf.if %isOracle -> (f32, i32, i32, i32, i32, i32, i32, i32, i32, i32) {
                  %isImmediate = arith.cmpi sge, %op, %first20 : i32
        %small = arith.subi %op, %ten : i32
        %op1 = arith.select %isImmediate, %small, %op : i32
        // CMPI is 23, CMP 13; the others follow.
        %rai = arith.index_cast %second : i32 to index
        %a = tensor.extract %x_[%vi, %rai] : !registers
        %isUnary = arith.cmpi sge, %op1, %unary : i32
        %noRegister = arith.ori %isImmediate, %isUnary : i1
        %rb = arith.select %noRegister, %none, %third : i32
        %rbi = arith.index_cast %rb : i32 to index
        %b0 = tensor.extract %x_[%vi, %rbi] : !registers
        %literal = arith.bitcast %third : i32 to f32
        %b = arith.select %isImmediate, %literal, %b0 : f32
        %mul = arith.mulf %a, %b : f32
        %sub = arith.subf %a, %b : f32
        %min = arith.minimumf %a, %b : f32
        %max = arith.maximumf %a, %b : f32
        %abs = math.absf %a : f32
        %k13 = arith.constant 13 : i32
        %k14 = arith.constant 14 : i32
        %k15 = arith.constant 15 : i32
        %k16 = arith.constant 16 : i32
        %is13 = arith.cmpi eq, %op1, %k13 : i32
        %is14 = arith.cmpi eq, %op1, %k14 : i32
        %is15 = arith.cmpi eq, %op1, %k15 : i32
        %is16 = arith.cmpi eq, %op1, %k16 : i32
        %e13 = arith.select %is13, %sub, %mul : f32
        %e14 = arith.select %is14, %min, %e13 : f32
        %e15 = arith.select %is15, %max, %e14 : f32
        %e16 = arith.select %is16, %abs, %e15 : f32
//@if divide
        %k11 = arith.constant 11 : i32
        %is11 = arith.cmpi eq, %op1, %k11 : i32
        %e11 = scf.if %is11 -> f32 {
          %q = func.call @quotient(%a, %b) : (f32, f32) -> f32
          scf.yield %q : f32
        } else {
          scf.yield %e16 : f32
        }
//@else
        %e11 = arith.select %isListed, %e16, %e16 : f32
//@end
//@if modulo
        %k12 = arith.constant 12 : i32
        %is12 = arith.cmpi eq, %op1, %k12 : i32
        %e12 = scf.if %is12 -> f32 {
          %q = func.call @remainder(%a, %b) : (f32, f32) -> f32
          scf.yield %q : f32
        } else {
          scf.yield %e11 : f32
        }
//@else
        %e12 = arith.select %isListed, %e11, %e11 : f32
//@end
//@if root
        %k17 = arith.constant 17 : i32
        %is17 = arith.cmpi eq, %op1, %k17 : i32
        %e17 = scf.if %is17 -> f32 {
          %q = func.call @root(%a) : (f32) -> f32
          scf.yield %q : f32
        } else {
          scf.yield %e12 : f32
        }
//@else
        %e17 = arith.select %isListed, %e12, %e12 : f32
//@end
//@if sine
        %k18 = arith.constant 18 : i32
        %k19 = arith.constant 19 : i32
        %is18 = arith.cmpi sge, %op1, %k18 : i32
        %isCosine = arith.cmpi eq, %op1, %k19 : i32
        %e18 = scf.if %is18 -> f32 {
          %q = func.call @sine(%a, %isCosine) : (f32, i1) -> f32
          scf.yield %q : f32
        } else {
          scf.yield %e17 : f32
        }
//@else
        %e18 = arith.select %isListed, %e17, %e17 : f32
//@end
//@if room
        %rr = func.call @rounded_as(%e18, %limits) : (f32, !limits) -> f32
//@else
        %rr = func.call @rounded(%e18, %isListed) : (f32, i1) -> f32
//@end
        %i1 = arith.addi %i, %one : i32
        scf.yield %rr, %first, %i1, %none, %none, %depth0, %not, %not, %none, %not : f32, i32, i32, i32, i32, i32, i32, i32, i32, i32
      } else {
        %b:10 = scf.if %isBranch -> (f32, i32, i32, i32, i32, i32, i32, i32, i32, i32) {
          %isJump = arith.cmpi sge, %op, %jump : i32
          %isCall = arith.cmpi eq, %op, %call : i32
          %isReturn = arith.cmpi eq, %op, %return : i32
          %ra = arith.select %isJump, %none, %first : i32
          %target = arith.select %isJump, %first, %second : i32
          %rai = arith.index_cast %ra : i32 to index
          %a = tensor.extract %x_[%vi, %rai] : !registers
          %abs = math.absf %a : f32
          %is0 = arith.cmpf oeq, %a, %zero : f32
          %isNear = arith.cmpf olt, %abs, %tolerance : f32
          %isZero = arith.ori %is0, %isNear : i1
          %true = arith.constant true
          %isNot = arith.xori %isZero, %true : i1
          %isLess = arith.cmpf olt, %a, %zero : f32
          %isMore = arith.cmpf ogt, %a, %zero : f32
          %isAtMost = arith.cmpf ole, %a, %zero : f32
          %isAtLeast = arith.cmpf oge, %a, %zero : f32
          %k51 = arith.constant 51 : i32
          %k52 = arith.constant 52 : i32
          %k53 = arith.constant 53 : i32
          %k54 = arith.constant 54 : i32
          %k55 = arith.constant 55 : i32
          %e51 = arith.cmpi eq, %op, %k51 : i32
          %e52 = arith.cmpi eq, %op, %k52 : i32
          %e53 = arith.cmpi eq, %op, %k53 : i32
          %e54 = arith.cmpi eq, %op, %k54 : i32
          %e55 = arith.cmpi eq, %op, %k55 : i32
          %t51 = arith.select %e51, %isNot, %isZero : i1
          %t52 = arith.select %e52, %isLess, %t51 : i1
          %t53 = arith.select %e53, %isMore, %t52 : i1
          %t54 = arith.select %e54, %isAtMost, %t53 : i1
          %t55 = arith.select %e55, %isAtLeast, %t54 : i1
          %taken = arith.ori %t55, %isJump : i1
          %after = arith.addi %i, %one : i32
          %n0_ = arith.select %taken, %target, %after : i32
//@if call
          %s = tensor.extract %sp_[%vi] : !machines
          %isFull = arith.cmpi sge, %s, %depth : i32
          %isEmpty = arith.cmpi sle, %s, %none : i32
          %overflows = arith.andi %isCall, %isFull : i1
          %underflows = arith.andi %isReturn, %isEmpty : i1
          %fails = arith.ori %overflows, %underflows : i1
          %base = arith.muli %v, %depth : i32
          %top = arith.addi %base, %s : i32
          %below = arith.subi %top, %one : i32
          %isBack = arith.xori %underflows, %true : i1
          %pops = arith.andi %isReturn, %isBack : i1
          %back_ = scf.if %pops -> i32 {
            %bi = arith.index_cast %below : i32 to index
            %back = tensor.extract %stack_[%bi, %c0] : !frames
            scf.yield %back : i32
          } else {
            scf.yield %n0_ : i32
          }
          %to_ = arith.select %fails, %i, %back_ : i32
          %q = arith.select %fails, %four, %none : i32
          %f0 = arith.select %overflows, %three, %none : i32
          %f = arith.select %underflows, %four, %f0 : i32
          %more = arith.addi %s, %one : i32
          %less = arith.subi %s, %one : i32
          %d0 = arith.select %isCall, %more, %s : i32
          %d1 = arith.select %isReturn, %less, %d0 : i32
          %d = arith.select %fails, %s, %d1 : i32
          %free = arith.xori %overflows, %true : i1
          %pushes = arith.andi %isCall, %free : i1
          // Where a frame is written, or -2 - the one that is read, or -1.
          %minus = arith.constant -2 : i32
          %popped = arith.subi %minus, %below : i32
          %g0 = arith.select %pushes, %top, %not : i32
          %g = arith.select %pops, %popped, %g0 : i32
          %keeps = arith.subi %minus, %first : i32
          %what = arith.select %pops, %keeps, %not : i32
          scf.yield %zero, %what, %to_, %q, %f, %d, %g, %not, %none, %not : f32, i32, i32, i32, i32, i32, i32, i32, i32, i32
//@else
          scf.yield %zero, %not, %n0_, %none, %none, %none, %not, %not, %none, %not : f32, i32, i32, i32, i32, i32, i32, i32, i32, i32
//@end
        } else {
          %isRead = arith.cmpi eq, %op, %read : i32
          %isWrite = arith.cmpi eq, %op, %write : i32
          %isVmid = arith.cmpi eq, %op, %vmid : i32
          %isYield = arith.cmpi eq, %op, %yield : i32
          %isHalt = arith.cmpi eq, %op, %halt : i32
          %isWait = arith.cmpi eq, %op, %wait : i32
          %isSpawn = arith.cmpi eq, %op, %spawn : i32
          %isKill = arith.cmpi eq, %op, %kill : i32
          // The register with the address: o1 of READ, o0 of WRITE and WAIT; and the value.
          %rw = arith.ori %isWrite, %isWait : i1
          %accesses = arith.ori %rw, %isRead : i1
          %p0 = arith.select %rw, %first, %none : i32
          %ra = arith.select %isRead, %second, %p0 : i32
          %q0 = arith.select %rw, %second, %none : i32
          %rb = arith.select %isSpawn, %second, %q0 : i32
          %rai = arith.index_cast %ra : i32 to index
          %rbi = arith.index_cast %rb : i32 to index
          %a = tensor.extract %x_[%vi, %rai] : !registers
          %b = tensor.extract %x_[%vi, %rbi] : !registers
          %isAddress = func.call @is_address(%a, %addresses) : (f32, i32) -> i1
          %reaches = arith.andi %accesses, %isAddress : i1
          %got:2 = scf.if %reaches -> (i32, i32) {
            %at = arith.fptosi %a : f32 to i32
            %ati = arith.index_cast %at : i32 to index
            %bits = tensor.extract %memory_[%ati] : !shared
//@if access
            %launched = tensor.extract %launch_[%vi] : !machines
            %li = arith.index_cast %launched : i32 to index
            %count = arith.constant @buffers@ : i32
            %in:2 = scf.while (%low = %none, %high = %count) : (i32, i32) -> (i32, i32) {
              %span = arith.subi %high, %low : i32
              %goes = arith.cmpi sgt, %span, %one : i32
              scf.condition(%goes) %low, %high : i32, i32
            } do {
            ^bb0(%low: i32, %high: i32):
              %sum = arith.addi %low, %high : i32
              %middle = arith.shrui %sum, %one : i32
              %mi = arith.index_cast %middle : i32 to index
              %base = tensor.extract %buffers[%mi] : !buffers
              %isAfter = arith.cmpi sgt, %base, %at : i32
              %low1 = arith.select %isAfter, %low, %middle : i32
              %high1 = arith.select %isAfter, %middle, %high : i32
              scf.yield %low1, %high1 : i32, i32
            }
            %bi = arith.index_cast %in#0 : i32 to index
            %may = tensor.extract %access[%li, %bi] : !access
            %needs = arith.select %isWrite, %two, %one : i32
            %has = arith.andi %may, %needs : i32
            %isForbidden = arith.cmpi eq, %has, %none : i32
            %f = arith.select %isForbidden, %two, %none : i32
            scf.yield %bits, %f : i32, i32
//@else
            scf.yield %bits, %none : i32, i32
//@end
          } else {
            %f = arith.select %accesses, %one, %none : i32
            scf.yield %none, %f : i32, i32
          }
          %isFaulted = arith.cmpi ne, %got#1, %none : i32
          %true = arith.constant true
          %isFine = arith.xori %isFaulted, %true : i1
          %cell = func.call @flushed(%got#0) : (i32) -> f32
          %holds = arith.cmpf oge, %cell, %b : f32
          %misses = arith.xori %holds, %true : i1
          %blocks = arith.andi %isWait, %misses : i1
          // What is written into a register.
          %id = arith.sitofp %v : i32 to f32
          %value = arith.select %isVmid, %id, %cell : f32
//@if room
          %rr = func.call @rounded_as(%value, %limits) : (f32, !limits) -> f32
//@else
          %rr = func.call @rounded(%value, %isListed) : (f32, i1) -> f32
//@end
          %sets0 = arith.ori %isRead, %isVmid : i1
          %sets = arith.andi %sets0, %isFine : i1
          %place = arith.select %sets, %first, %not : i32
          %s0 = arith.select %isYield, %two, %none : i32
          %s1 = arith.select %isHalt, %three, %s0 : i32
          %s2 = arith.select %isKill, %five, %s1 : i32
          %s3 = arith.select %blocks, %one, %s2 : i32
          %s = arith.select %isFaulted, %four, %s3 : i32
          %stays = arith.cmpi ne, %s, %none : i32
          %after = arith.addi %i, %one : i32
          %to_ = arith.select %stays, %i, %after : i32
          %writes = arith.andi %isWrite, %isFine : i1
          %at = arith.fptosi %a : f32 to i32
          %wa = arith.select %writes, %at, %not : i32
          %wb = arith.bitcast %b : f32 to i32
          %asks = arith.select %isSpawn, %first, %not : i32
          scf.yield %rr, %place, %to_, %s, %got#1, %depth0, %not, %wa, %wb, %asks : f32, i32, i32, i32, i32, i32, i32, i32, i32, i32
        }
        scf.yield %b#0, %b#1, %b#2, %b#3, %b#4, %b#5, %b#6, %b#7, %b#8, %b#9 : f32, i32, i32, i32, i32, i32, i32, i32, i32, i32
      }
      scf.yield %a#0, %a#1, %a#2, %a#3, %a#4, %a#5, %a#6, %a#7, %a#8, %a#9 : f32, i32, i32, i32, i32, i32, i32, i32, i32, i32
    } else {
      scf.yield %zero, %not, %none, %none, %none, %none, %not, %not, %none, %not : f32, i32, i32, i32, i32, i32, i32, i32, i32, i32
    }
    linalg.yield %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9 : f32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  } -> (!floats, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines)
  func.return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9
      : !floats, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines
}
