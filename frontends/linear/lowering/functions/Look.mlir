// What the machines are, then what becomes of the phase: `mode` is 0 if an epoch is
// executed, 1 if the phase is over, 2 if its budget is.
func.func private @look(%status_: !machines, %ip_: !machines, %x_: !registers, %memory_: !shared, %phase_: !word, %epoch_: !word)
    -> (!word, !word, !machines, !machines) {
  %code = gpuvm.load @linear.code : !code
  %phases = gpuvm.load @linear.phases : !phases
  %em = tensor.empty() : !machines
  // 1 where the machine may go on: a condition that holds; 2 at a SPAWN.
  %holds = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
      ins(%status_, %ip_ : !machines, !machines) outs(%em : !machines) {
  ^bb0(%s: i32, %i: i32, %o: i32):
    %vi = linalg.index 0 : index
    %none = arith.constant 0 : i32
    %one = arith.constant 1 : i32
//@if wait or spawn
    %isBlocked = arith.cmpi eq, %s, %one : i32
    %r = scf.if %isBlocked -> i32 {
      %two = arith.constant 2 : i32
      %wait = arith.constant 35 : i32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %ii = arith.index_cast %i : i32 to index
      %op = tensor.extract %code[%ii, %c0] : !code
      %isWait = arith.cmpi eq, %op, %wait : i32
      %w = scf.if %isWait -> i32 {
        %ra = tensor.extract %code[%ii, %c1] : !code
        %rb = tensor.extract %code[%ii, %c2] : !code
        %rai = arith.index_cast %ra : i32 to index
        %rbi = arith.index_cast %rb : i32 to index
        %a = tensor.extract %x_[%vi, %rai] : !registers
        %b = tensor.extract %x_[%vi, %rbi] : !registers
        %at = arith.fptosi %a : f32 to i32
        %ati = arith.index_cast %at : i32 to index
        %bits = tensor.extract %memory_[%ati] : !shared
        %value = func.call @flushed(%bits) : (i32) -> f32
        %fits = arith.cmpf oge, %value, %b : f32
        %h = arith.extui %fits : i1 to i32
        scf.yield %h : i32
      } else {
        scf.yield %two : i32
      }
      scf.yield %w : i32
    } else {
      scf.yield %none : i32
    }
//@else
    %r = arith.andi %none, %one : i32
//@end
    linalg.yield %r : i32
  } -> !machines
  %u:7 = linalg.generic {indexing_maps = [#v, #v, #all, #v, #v, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%status_, %holds, %phase_ : !machines, !machines, !word)
      outs(%em, %em, %em, %em, %em, %em, %em : !machines, !machines, !machines, !machines, !machines, !machines, !machines) {
  ^bb0(%s: i32, %h: i32, %p: i32, %o0: i32, %o1: i32, %o2: i32, %o3: i32, %o4: i32, %o5: i32, %o6: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c5 = arith.constant 5 : i32
    %c3i = arith.constant 3 : index
    %pi = arith.index_cast %p : i32 to index
    %size = tensor.extract %phases[%pi, %c3i] : !phases
    %vi = linalg.index 0 : index
    %vm = arith.index_cast %vi : index to i32
    %isIn = arith.cmpi slt, %vm, %size : i32
    %isRunning = arith.cmpi eq, %s, %c0 : i32
    %isBlocked = arith.cmpi eq, %s, %c1 : i32
    %isYielded = arith.cmpi eq, %s, %c2 : i32
    %isFaulted = arith.cmpi eq, %s, %c4 : i32
    %isEmpty = arith.cmpi eq, %s, %c5 : i32
    %isFree = arith.andi %isEmpty, %isIn : i1
    %isHeld = arith.cmpi eq, %h, %c1 : i32
    %isSpawning = arith.cmpi eq, %h, %c2 : i32
    %u0 = arith.extui %isRunning : i1 to i32
    %u1 = arith.extui %isFree : i1 to i32
    %u2 = arith.extui %isHeld : i1 to i32
    %u3 = arith.extui %isSpawning : i1 to i32
    %u4 = arith.extui %isBlocked : i1 to i32
    %u5 = arith.extui %isYielded : i1 to i32
    %u6 = arith.extui %isFaulted : i1 to i32
    linalg.yield %u0, %u1, %u2, %u3, %u4, %u5, %u6 : i32, i32, i32, i32, i32, i32, i32
  } -> (!machines, !machines, !machines, !machines, !machines, !machines, !machines)
  %z = arith.constant dense<0> : !word
  %n:7 = linalg.reduce ins(%u#0, %u#1, %u#2, %u#3, %u#4, %u#5, %u#6 : !machines, !machines, !machines, !machines, !machines, !machines, !machines)
      outs(%z, %z, %z, %z, %z, %z, %z : !word, !word, !word, !word, !word, !word, !word) dimensions = [0]
    (%a0: i32, %a1: i32, %a2: i32, %a3: i32, %a4: i32, %a5: i32, %a6: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32, %b4: i32, %b5: i32, %b6: i32) {
      %s0 = arith.addi %b0, %a0 : i32
      %s1 = arith.addi %b1, %a1 : i32
      %s2 = arith.addi %b2, %a2 : i32
      %s3 = arith.addi %b3, %a3 : i32
      %s4 = arith.addi %b4, %a4 : i32
      %s5 = arith.addi %b5, %a5 : i32
      %s6 = arith.addi %b6, %a6 : i32
      linalg.yield %s0, %s1, %s2, %s3, %s4, %s5, %s6 : i32, i32, i32, i32, i32, i32, i32
    }
  %ew = tensor.empty() : !word
  %ef = tensor.empty() : !flag
  %mode, %end, %any = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar, #scalar,
      #scalar, #scalar, #scalar, #scalar, #scalar, #scalar,
      #scalar, #scalar], iterator_types = []}
      ins(%n#0, %n#1, %n#2, %n#3, %n#4, %n#5, %n#6, %phase_, %epoch_ : !word, !word, !word, !word, !word, !word, !word, !word, !word)
      outs(%ew, %ew, %ef : !word, !word, !flag) {
  ^bb0(%running: i32, %free: i32, %held: i32, %spawning: i32, %blocked: i32, %yielded: i32, %faulted: i32, %p: i32, %e: i32, %o0: i32, %o1: i32, %o2: i1):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4i = arith.constant 4 : index
    %anyFree = arith.cmpi sgt, %free, %c0 : i32
    %freed = arith.select %anyFree, %spawning, %c0 : i32
    %woken = arith.addi %held, %freed : i32
    %awake = arith.addi %running, %woken : i32
    %able = arith.addi %awake, %yielded : i32
    %isAlive = arith.cmpi sgt, %able, %c0 : i32
    %pi = arith.index_cast %p : i32 to index
    %budget = tensor.extract %phases[%pi, %c4i] : !phases
    %isOver = arith.cmpi sge, %e, %budget : i32
    %m0 = arith.select %isOver, %c2, %c0 : i32
    %m = arith.select %isAlive, %m0, %c1 : i32
    %anyFaulted = arith.cmpi sgt, %faulted, %c0 : i32
    %anyBlocked = arith.cmpi sgt, %blocked, %c0 : i32
    %d0 = arith.select %anyBlocked, %c2, %c0 : i32
    %d1 = arith.select %anyFaulted, %c1, %d0 : i32
    %d = arith.select %isAlive, %c3, %d1 : i32
    linalg.yield %m, %d, %anyFree : i32, i32, i1
  } -> (!word, !word, !flag)
  // YIELDED machines go on when no other can: then there is nothing to release
  // them from but `running` and `woken`.
  %released = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar, #scalar, #scalar], iterator_types = []}
      ins(%n#0, %n#1, %n#2, %n#3 : !word, !word, !word, !word) outs(%ew : !word) {
  ^bb0(%running: i32, %free: i32, %held: i32, %spawning: i32, %o: i32):
    %c0 = arith.constant 0 : i32
    %anyFree = arith.cmpi sgt, %free, %c0 : i32
    %freed = arith.select %anyFree, %spawning, %c0 : i32
    %woken = arith.addi %held, %freed : i32
    %awake = arith.addi %running, %woken : i32
    %isNone = arith.cmpi eq, %awake, %c0 : i32
    %r = arith.extui %isNone : i1 to i32
    linalg.yield %r : i32
  } -> !word
  // The list a machine belongs to, or -1; 4 if it woke up, but the budget is over. And
  // its instruction.
  %class, %at = linalg.generic {indexing_maps = [#v, #v, #v, #all, #all, #all, #v, #v], iterator_types = ["parallel"]}
      ins(%status_, %ip_, %holds, %mode, %any, %released : !machines, !machines, !machines, !word, !flag, !word) outs(%em, %em : !machines, !machines) {
  ^bb0(%s: i32, %i: i32, %h: i32, %m: i32, %f: i1, %rel: i32, %o0: i32, %o1: i32):
    %c4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c10 = arith.constant 10 : i32
    %c30 = arith.constant 30 : i32
    %c50 = arith.constant 50 : i32
    %not = arith.constant -1 : i32
    %isRunning = arith.cmpi eq, %s, %c0 : i32
    %isYielded = arith.cmpi eq, %s, %c2 : i32
    %isReleased = arith.cmpi eq, %rel, %c1 : i32
    %resumes = arith.andi %isYielded, %isReleased : i1
    %isHeld = arith.cmpi eq, %h, %c1 : i32
    %isSpawning = arith.cmpi eq, %h, %c2 : i32
    %spawns = arith.andi %isSpawning, %f : i1
    %w0 = arith.ori %isHeld, %spawns : i1
    %wakes = arith.ori %w0, %resumes : i1
    %runs = arith.ori %isRunning, %wakes : i1
    %step = arith.extui %isYielded : i1 to i32
    %at = arith.addi %i, %step : i32
    %r = scf.if %runs -> i32 {
      %c0i = arith.constant 0 : index
      %ii = arith.index_cast %at : i32 to index
      %op = tensor.extract %code[%ii, %c0i] : !code
      %isLinear = arith.cmpi slt, %op, %c10 : i32
      %isOracle = arith.cmpi slt, %op, %c30 : i32
      %isIo = arith.cmpi slt, %op, %c50 : i32
      %k0 = arith.select %isIo, %c3, %c2 : i32
      %k1 = arith.select %isOracle, %c1, %k0 : i32
      %k = arith.select %isLinear, %c0, %k1 : i32
      // Nothing is executed when the budget is over; who woke up, did.
      %stays = arith.select %wakes, %c4, %not : i32
      %isOver = arith.cmpi eq, %m, %c2 : i32
      %kept = arith.select %isOver, %stays, %k : i32
      %isEnd = arith.cmpi eq, %m, %c1 : i32
      %class = arith.select %isEnd, %not, %kept : i32
      scf.yield %class : i32
    } else {
      scf.yield %not : i32
    }
    linalg.yield %r, %at : i32, i32
  } -> (!machines, !machines)
  func.return %mode, %end, %class, %at : !word, !word, !machines, !machines
}
