// The epochs of the linear-algebra VM, for any program of a size class: what it does
// is in tables. docs/linear-vm.md describes the machine, and docs/rationale/linear-vm.md
// what is where here.
//
// A turn of the loop is an epoch. Each part of the machines' state is an array with a
// row a machine. An epoch makes one list of the machines that run: those at a linear
// instruction, then those at one of the oracle, a branch, input and output, each in
// the order of their numbers. What a machine of the list computes stands at its place in the list, and the
// next state of each machine is taken from there.

// In front of it: the macros, what is only in this text.
//
// {l} is the number of the launch that machine {v} of phase {phase} belongs to, -1 if it is free.
//@define find phase v l
            %c0_ = arith.constant 0 : index
            %c1_ = arith.constant 1 : index
            %c2_ = arith.constant 2 : index
            %zero_ = arith.constant 0 : i32
            %one_ = arith.constant 1 : i32
            %not_ = arith.constant -1 : i32
            %pi_ = arith.index_cast {phase} : i32 to index
            %first_ = tensor.extract %phases[%pi_, %c0_] : !phases
            %count_ = tensor.extract %phases[%pi_, %c1_] : !phases
            %launched_ = tensor.extract %phases[%pi_, %c2_] : !phases
            %high_ = arith.addi %first_, %count_ : i32
            %steps_ = arith.constant @launchSteps@ : i32
            // The last launch whose first machine is not behind this one.
            %found_:2 = scf.for %k_ = %zero_ to %steps_ step %one_ iter_args(%low_ = %first_, %up_ = %high_) -> (i32, i32) : i32 {
              %sum_ = arith.addi %low_, %up_ : i32
              %middle_ = arith.shrui %sum_, %one_ : i32
              %mi_ = arith.index_cast %middle_ : i32 to index
              %begin_ = tensor.extract %launches[%mi_, %c0_] : !launches
              %isBehind_ = arith.cmpi sgt, %begin_, {v} : i32
              %low1_ = arith.select %isBehind_, %low_, %middle_ : i32
              %up1_ = arith.select %isBehind_, %middle_, %up_ : i32
              scf.yield %low1_, %up1_ : i32, i32
            }
            %isLaunched_ = arith.cmpi slt, {v}, %launched_ : i32
            {l} = arith.select %isLaunched_, %found_#0, %not_ : i32
//@end
// Its first instruction and its status at first; behind `find`.
//@define begin l ip status
            %free_ = arith.constant 5 : i32
            %own_ = arith.maxsi {l}, %zero_ : i32
            %owni_ = arith.index_cast %own_ : i32 to index
            %from_ = tensor.extract %launches[%owni_, %c1_] : !launches
            {ip} = arith.select %isLaunched_, %from_, %zero_ : i32
            {status} = arith.select %isLaunched_, %zero_, %free_ : i32
//@end
// Its register or memory {w} at first; behind `find`.
//@define initial l w r
            %own_ = arith.maxsi {l}, %zero_ : i32
            %owni_ = arith.index_cast %own_ : i32 to index
            %column_ = arith.addi {w}, %c2_ : index
            %bits_ = tensor.extract %launches[%owni_, %column_] : !launches
            %kept_ = arith.select %isLaunched_, %bits_, %zero_ : i32
            {r} = arith.bitcast %kept_ : i32 to f32
//@end
// {r} is the sum {s}, of which {any} is 0 if it has no terms yet, and the coefficient {c}
// times the element {col} of machine %vi, whose instruction is %i.
//@define term c col any s r
                %is0_ = arith.cmpi eq, {col}, %none : i32
                %last_ = arith.constant 21 : i32
                %is21_ = arith.cmpi eq, {col}, %last_ : i32
                %below_ = arith.subi {col}, %one : i32
                %up_ = arith.maxsi %below_, %none : i32
                %most_ = arith.constant 19 : i32
                %in_ = arith.minsi %up_, %most_ : i32
                %ji_ = arith.index_cast %in_ : i32 to index
                %xj_ = tensor.extract %x_[%vi, %ji_] : !registers
                %ipf_ = arith.sitofp %i : i32 to f32
                %y0_ = arith.select %is21_, %onef, %xj_ : f32
                %y_ = arith.select %is0_, %ipf_, %y0_ : f32
                %term_ = arith.mulf {c}, %y_ : f32
                %isFirst_ = arith.cmpi eq, {any}, %none : i32
                %more_ = arith.addf {s}, %term_ : f32
                {r} = arith.select %isFirst_, %term_, %more_ : f32
//@end
// {r} is {x} as the state keeps it.
//@if f16
//@define rounded x r
            {r} = func.call @half({x}) : (f32) -> f32
//@end
//@else
//@define rounded x r
            {r} = arith.select %isListed, {x}, %zero : f32
//@end
//@end

!machines = tensor<@machines@xi32>
!floats = tensor<@machines@xf32>
!registers = tensor<@machines@x20xf32>
!frames = tensor<@frames@x5xi32>
!pushed = tensor<@machines@x5xi32>
!shared = tensor<@words@xi32>
!counts = tensor<@phases@x6xi64>
!sizes = tensor<4xi32>
!word = tensor<i32>
!flag = tensor<i1>
!code = tensor<@instructions@x5xi32>
!metadata = tensor<@instructions@x4xi32>
!dense = tensor<@denseElements@xf32>
!values = tensor<@nonzeros@xf32>
!columns = tensor<@nonzeros@xi32>
!pointers = tensor<@rowPointers@xi32>
!packed = tensor<@packedWords@xi32>
!dictionary = tensor<@differentValues@xf32>
!phases = tensor<@phases@x5xi32>      // first launch, launches, launched machines, machines, budget
!launches = tensor<@launches@x22xi32> // first machine, first instruction, r0 .. m15
!buffers = tensor<@buffers@xi32>      // bases
!access = tensor<@launches@x@buffers@xi32> // 1: may be read, 2: may be written
#v = affine_map<(v) -> (v)>
#vw = affine_map<(v, w) -> (v, w)>
#row = affine_map<(v, w) -> (v)>
#row0 = affine_map<(v, w) -> ()>
#all = affine_map<(v) -> ()>
#scalar = affine_map<() -> ()>

gpuvm.program @@name@(@inputs@) -> (@outputs@) {
  gpuvm.heap @linear.code : !code@codeValue@
  gpuvm.heap @linear.metadata : !metadata@metadataValue@
//@if packed
  gpuvm.heap @linear.packed : !packed@packedValue@
//@else
  gpuvm.heap @linear.dense : !dense@denseValue@
  gpuvm.heap @linear.values : !values@valuesValue@
  gpuvm.heap @linear.columns : !columns@columnsValue@
  gpuvm.heap @linear.pointers : !pointers@pointersValue@
//@end
//@if dictionary
  gpuvm.heap @linear.dictionary : !dictionary@dictionaryValue@
//@end
  gpuvm.heap @linear.phases : !phases@phasesValue@
  gpuvm.heap @linear.launches : !launches@launchesValue@
//@if access
  gpuvm.heap @linear.buffers : !buffers@buffersValue@
  gpuvm.heap @linear.access : !access@accessValue@
//@end

@functions@
  // Whether `a` is an address: not a NaN, more than -1, less than the size.
  func.func private @is_address(%a: f32) -> i1 {
    %below = arith.constant -1.0 : f32
    %size = arith.constant @words@.0 : f32
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

  %l.shared0 = gpuvm.stage @linear.shared(@sharedOperands@) -> !shared {
@sharedBody@
    gpuvm.send %s : !shared
  }
  // The machines of the first phase.
  %l.first:6 = gpuvm.stage @linear.first() -> (!machines, !machines, !machines, !registers, !frames, !counts) {
    %phases = gpuvm.load @linear.phases : !phases
    %launches = gpuvm.load @linear.launches : !launches
    %phase = arith.constant 0 : i32
    %em = tensor.empty() : !machines
    %er = tensor.empty() : !registers
    %ip, %status, %launch = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
        outs(%em, %em, %em : !machines, !machines, !machines) {
    ^bb0(%o0: i32, %o1: i32, %o2: i32):
      %vi = linalg.index 0 : index
      %v = arith.index_cast %vi : index to i32
@find %phase %v %l@
@begin %l %i %s@
      linalg.yield %i, %s, %l : i32, i32, i32
    } -> (!machines, !machines, !machines)
    %x = linalg.generic {indexing_maps = [#vw], iterator_types = ["parallel", "parallel"]} outs(%er : !registers) {
    ^bb0(%o: f32):
      %vi = linalg.index 0 : index
      %wi = linalg.index 1 : index
      %v = arith.index_cast %vi : index to i32
@find %phase %v %l@
@initial %l %wi %r@
      linalg.yield %r : f32
    } -> !registers
    %f = arith.constant dense<0> : !frames
    %empty = tensor.empty() : !counts
    %c = linalg.generic {indexing_maps = [#vw], iterator_types = ["parallel", "parallel"]} outs(%empty : !counts) {
    ^bb0(%o: i64):
      %w = linalg.index 1 : index
      %five = arith.constant 5 : index
      %none = arith.constant 0 : i64
      %not = arith.constant -1 : i64
      %isEnd = arith.cmpi eq, %w, %five : index
      %r = arith.select %isEnd, %not, %none : i64
      linalg.yield %r : i64
    } -> !counts
    gpuvm.send %ip, %status, %launch, %x, %f, %c : !machines, !machines, !machines, !registers, !frames, !counts
  }
  %l.none, %l.noWord = gpuvm.stage @linear.none() -> (!machines, !word) {
    %m = arith.constant dense<0> : !machines
    %w = arith.constant dense<0> : !word
    gpuvm.send %m, %w : !machines, !word
  }

  %l.end:12 = gpuvm.repeat @linear.epochs up_to @epochs@
      (%l.ip = %l.first#0 : !gpuvm.message<!machines>, %l.status = %l.first#1 : !gpuvm.message<!machines>,
       %l.fault = %l.none : !gpuvm.message<!machines>, %l.sp = %l.none : !gpuvm.message<!machines>,
       %l.launch = %l.first#2 : !gpuvm.message<!machines>, %l.x = %l.first#3 : !gpuvm.message<!registers>,
       %l.stack = %l.first#4 : !gpuvm.message<!frames>, %l.memory = %l.shared0 : !gpuvm.message<!shared>,
       %l.counts = %l.first#5 : !gpuvm.message<!counts>, %l.phase = %l.noWord : !gpuvm.message<!word>,
       %l.epoch = %l.noWord : !gpuvm.message<!word>, %l.order = %l.none : !gpuvm.message<!machines>) {

    // What the machines are, then what becomes of the phase: `mode` is 0 if an epoch is
    // executed, 1 if the phase is over, 2 if its budget is.
    %l.mode, %l.how, %l.class, %l.at = gpuvm.stage @linear.look
        (%status_ = %l.status : !gpuvm.message<!machines>, %ip_ = %l.ip : !gpuvm.message<!machines>,
         %x_ = %l.x : !gpuvm.message<!registers>, %memory_ = %l.memory : !gpuvm.message<!shared>,
         %phase_ = %l.phase : !gpuvm.message<!word>, %epoch_ = %l.epoch : !gpuvm.message<!word>)
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
      gpuvm.send %mode, %end, %class, %at : !word, !word, !machines, !machines
    }

    // How many of each list there are, and each machine's place in the one list.
    %l.sizes, %l.place, %l.order1 = gpuvm.stage @linear.list
        (%class_ = %l.class : !gpuvm.message<!machines>, %old = %l.order : !gpuvm.message<!machines>) -> (!sizes, !machines, !machines) {
      %em = tensor.empty() : !machines
      %is:4 = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v], iterator_types = ["parallel"]}
          ins(%class_ : !machines) outs(%em, %em, %em, %em : !machines, !machines, !machines, !machines) {
      ^bb0(%k: i32, %o0: i32, %o1: i32, %o2: i32, %o3: i32):
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %c3 = arith.constant 3 : i32
        %b0 = arith.cmpi eq, %k, %c0 : i32
        %b1 = arith.cmpi eq, %k, %c1 : i32
        %b2 = arith.cmpi eq, %k, %c2 : i32
        %b3 = arith.cmpi eq, %k, %c3 : i32
        %r0 = arith.extui %b0 : i1 to i32
        %r1 = arith.extui %b1 : i1 to i32
        %r2 = arith.extui %b2 : i1 to i32
        %r3 = arith.extui %b3 : i1 to i32
        linalg.yield %r0, %r1, %r2, %r3 : i32, i32, i32, i32
      } -> (!machines, !machines, !machines, !machines)
      %n:4 = gpuvm.scan %is#0, %is#1, %is#2, %is#3 dimension 0 : (!machines, !machines, !machines, !machines) -> (!machines, !machines, !machines, !machines) {
      ^bb0(%a0: i32, %a1: i32, %a2: i32, %a3: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32):
        %s0 = arith.addi %a0, %b0 : i32
        %s1 = arith.addi %a1, %b1 : i32
        %s2 = arith.addi %a2, %b2 : i32
        %s3 = arith.addi %a3, %b3 : i32
        gpuvm.yield %s0, %s1, %s2, %s3 : i32, i32, i32, i32
      }
      %last = arith.constant @lastMachine@ : index
      %n0 = tensor.extract %n#0[%last] : !machines
      %n1 = tensor.extract %n#1[%last] : !machines
      %n2 = tensor.extract %n#2[%last] : !machines
      %n3 = tensor.extract %n#3[%last] : !machines
      %sizes = tensor.from_elements %n0, %n1, %n2, %n3 : !sizes
      %place, %id = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
          ins(%class_, %n#0, %n#1, %n#2, %n#3 : !machines, !machines, !machines, !machines, !machines) outs(%em, %em : !machines, !machines) {
      ^bb0(%k: i32, %p0: i32, %p1: i32, %p2: i32, %p3: i32, %o0: i32, %o1: i32):
        %not = arith.constant -1 : i32
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c2 = arith.constant 2 : i32
        %c3 = arith.constant 3 : i32
        %vi = linalg.index 0 : index
        %v = arith.index_cast %vi : index to i32
        %begin1 = tensor.extract %n#0[%last] : !machines
        %size1 = tensor.extract %n#1[%last] : !machines
        %size2 = tensor.extract %n#2[%last] : !machines
        %begin2 = arith.addi %begin1, %size1 : i32
        %begin3 = arith.addi %begin2, %size2 : i32
        %q1 = arith.addi %p1, %begin1 : i32
        %q2 = arith.addi %p2, %begin2 : i32
        %q3 = arith.addi %p3, %begin3 : i32
        %is0 = arith.cmpi eq, %k, %c0 : i32
        %is1 = arith.cmpi eq, %k, %c1 : i32
        %is2 = arith.cmpi eq, %k, %c2 : i32
        %is3 = arith.cmpi eq, %k, %c3 : i32
        %r3 = arith.select %is3, %q3, %c0 : i32
        %r2 = arith.select %is2, %q2, %r3 : i32
        %r1 = arith.select %is1, %q1, %r2 : i32
        %r0 = arith.select %is0, %p0, %r1 : i32
        %r = arith.addi %r0, %not : i32
        linalg.yield %r, %v : i32, i32
      } -> (!machines, !machines)
      %order = gpuvm.scatter last %id at %place into %old {gpuvm.distinct} : (!machines, !machines, !machines) -> !machines
      gpuvm.send %sizes, %place, %order : !sizes, !machines, !machines
    }

    // Linear: the rows of the matrix of its instruction times the state of its machine.
    %l.product = gpuvm.stage @linear.linear
        (%l = %l.order1 : !gpuvm.message<!machines>, %n = %l.sizes : !gpuvm.message<!sizes>,
         %at_ = %l.at : !gpuvm.message<!machines>, %x_ = %l.x : !gpuvm.message<!registers>) -> !registers {
      %metadata = gpuvm.load @linear.metadata : !metadata
//@if packed
      %packed = gpuvm.load @linear.packed : !packed
//@else
      %dense = gpuvm.load @linear.dense : !dense
      %values = gpuvm.load @linear.values : !values
      %columns = gpuvm.load @linear.columns : !columns
      %pointers = gpuvm.load @linear.pointers : !pointers
//@end
//@if dictionary
      %dictionary = gpuvm.load @linear.dictionary : !dictionary
//@end
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i32
      %none = arith.constant 0 : i32
      %zero = arith.constant 0.0 : f32
      %onef = arith.constant 1.0 : f32
      %four = arith.constant 4 : i32
      %columns22 = arith.constant 22 : i32
      %er = tensor.empty() : !registers
      %product = linalg.generic {indexing_maps = [#row, #vw], iterator_types = ["parallel", "parallel"]}
          ins(%l : !machines) outs(%er : !registers) {
      ^bb0(%v: i32, %o: f32):
        %ki = linalg.index 0 : index
        %k = arith.index_cast %ki : index to i32
        %wi = linalg.index 1 : index
        %size = tensor.extract %n[%c0] : !sizes
        %isListed = arith.cmpi slt, %k, %size : i32
        %r = scf.if %isListed -> f32 {
          %vi = arith.index_cast %v : i32 to index
          %i = tensor.extract %at_[%vi] : !machines
          %ii = arith.index_cast %i : i32 to index
          %w = arith.index_cast %wi : index to i32
          %number = arith.addi %w, %one : i32
//@if tables
          %format = tensor.extract %metadata[%ii, %c0] : !metadata
//@end
          %offset = tensor.extract %metadata[%ii, %c1] : !metadata
          %first = arith.divui %offset, %four : i32
//@if tables
          %isDense = arith.cmpi eq, %format, %one : i32
          %sum = scf.if %isDense -> f32 {
            %rowAt = arith.muli %number, %columns22 : i32
            %begin = arith.addi %first, %rowAt : i32
            %all:2 = scf.for %j = %none to %columns22 step %one iter_args(%s = %zero, %any = %none) -> (f32, i32) : i32 {
              %e = arith.addi %begin, %j : i32
              %ei = arith.index_cast %e : i32 to index
              %c = tensor.extract %dense[%ei] : !dense
              %isThere = arith.cmpf une, %c, %zero : f32
              %next:2 = scf.if %isThere -> (f32, i32) {
@term %c %j %any %s %b@
                scf.yield %b, %one : f32, i32
              } else {
                scf.yield %s, %any : f32, i32
              }
              scf.yield %next#0, %next#1 : f32, i32
            }
            scf.yield %all#0 : f32
          } else {
            %p = arith.addi %first, %number : i32
            %p1 = arith.addi %p, %one : i32
            %pi = arith.index_cast %p : i32 to index
            %p1i = arith.index_cast %p1 : i32 to index
            %begin = tensor.extract %pointers[%pi] : !pointers
            %end = tensor.extract %pointers[%p1i] : !pointers
            %count = arith.subi %end, %begin : i32
            %all = scf.for %t_ = %none to %columns22 step %one iter_args(%s = %zero) -> f32 : i32 {
              %isThere = arith.cmpi slt, %t_, %count : i32
              %b = scf.if %isThere -> f32 {
                %j = arith.addi %begin, %t_ : i32
                %je = arith.index_cast %j : i32 to index
                %c = tensor.extract %values[%je] : !values
                %col = tensor.extract %columns[%je] : !columns
@term %c %col %t_ %s %a@
                scf.yield %a : f32
              } else {
                scf.yield %s : f32
              }
              scf.yield %b : f32
            }
            scf.yield %all : f32
          }
//@end
//@if blocks
          // Pointers of the rows of blocks, the blocks' columns, their values by rows.
          %side = arith.constant @blockSide@ : i32
          %across = arith.constant @blocksAcross@ : i32
          %places = arith.constant @blockPlaces@ : i32
          %blockRow = arith.divui %number, %side : i32
          %inBlock = arith.remui %number, %side : i32
          %p = arith.addi %first, %blockRow : i32
          %p1 = arith.addi %p, %one : i32
          %last = arith.addi %first, %across : i32
          %pi = arith.index_cast %p : i32 to index
          %p1i = arith.index_cast %p1 : i32 to index
          %lasti = arith.index_cast %last : i32 to index
          %begin = tensor.extract %packed[%pi] : !packed
          %end = tensor.extract %packed[%p1i] : !packed
          %blocks = tensor.extract %packed[%lasti] : !packed
          %columnsAt = arith.addi %last, %one : i32
          %valuesAt = arith.addi %columnsAt, %blocks : i32
          %sum, %terms = scf.for %t_ = %none to %places step %one iter_args(%s = %zero, %any = %none) -> (f32, i32) : i32 {
            %before = arith.divui %t_, %side : i32
            %block = arith.addi %begin, %before : i32
            %isIn = arith.cmpi slt, %block, %end : i32
            %next:2 = scf.if %isIn -> (f32, i32) {
              %j = arith.remui %t_, %side : i32
              %top = arith.muli %block, %side : i32
              %row = arith.addi %top, %inBlock : i32
              %rowAt = arith.muli %row, %side : i32
              %at = arith.addi %rowAt, %j : i32
              %e = arith.addi %valuesAt, %at : i32
              %ei = arith.index_cast %e : i32 to index
              %bits = tensor.extract %packed[%ei] : !packed
              %c = arith.bitcast %bits : i32 to f32
              %isThere = arith.cmpf une, %c, %zero : f32
              %more:2 = scf.if %isThere -> (f32, i32) {
                %columnAt = arith.addi %columnsAt, %block : i32
                %ci = arith.index_cast %columnAt : i32 to index
                %blockColumn = tensor.extract %packed[%ci] : !packed
                %left = arith.muli %blockColumn, %side : i32
                %col = arith.addi %left, %j : i32
@term %c %col %any %s %a@
                scf.yield %a, %one : f32, i32
              } else {
                scf.yield %s, %any : f32, i32
              }
              scf.yield %more#0, %more#1 : f32, i32
            } else {
              scf.yield %s, %any : f32, i32
            }
            scf.yield %next#0, %next#1 : f32, i32
          }
//@end
//@if dictionary
          // Pointers of the rows; of each coefficient its column in five bits, and its value's number.
          %p = arith.addi %first, %number : i32
          %p1 = arith.addi %p, %one : i32
          %pi = arith.index_cast %p : i32 to index
          %p1i = arith.index_cast %p1 : i32 to index
          %begin = tensor.extract %packed[%pi] : !packed
          %end = tensor.extract %packed[%p1i] : !packed
          %count = arith.subi %end, %begin : i32
          %pointers = arith.constant 23 : i32
          %five = arith.constant 5 : i32
          %mask = arith.constant 31 : i32
          %behind = arith.addi %first, %pointers : i32
          %own = arith.addi %behind, %begin : i32
          %sum = scf.for %t_ = %none to %columns22 step %one iter_args(%s = %zero) -> f32 : i32 {
            %isIn = arith.cmpi slt, %t_, %count : i32
            %next = scf.if %isIn -> f32 {
              %e = arith.addi %own, %t_ : i32
              %ei = arith.index_cast %e : i32 to index
              %word = tensor.extract %packed[%ei] : !packed
              %col = arith.andi %word, %mask : i32
              %value = arith.shrui %word, %five : i32
              %ci = arith.index_cast %value : i32 to index
              %c = tensor.extract %dictionary[%ci] : !dictionary
@term %c %col %t_ %s %a@
              scf.yield %a : f32
            } else {
              scf.yield %s : f32
            }
            scf.yield %next : f32
          }
//@end
//@if runlength
          // The number of coefficients, their values, and two to a word the zeros before each:
          // all rows up to the machine's own are walked. No instruction has more than 24 of them.
          %firsti = arith.index_cast %first : i32 to index
          %count = tensor.extract %packed[%firsti] : !packed
          %valuesAt = arith.addi %first, %one : i32
          %gapsAt = arith.addi %valuesAt, %count : i32
          %most = arith.constant 24 : i32
          %mask = arith.constant 0xFFFF : i32
          %sum, %terms, %places = scf.for %t_ = %none to %most step %one
              iter_args(%s = %zero, %any = %none, %place = %none) -> (f32, i32, i32) : i32 {
            %isIn = arith.cmpi slt, %t_, %count : i32
            %next:3 = scf.if %isIn -> (f32, i32, i32) {
              %half = arith.shrui %t_, %one : i32
              %g = arith.addi %gapsAt, %half : i32
              %gi = arith.index_cast %g : i32 to index
              %word = tensor.extract %packed[%gi] : !packed
              %odd = arith.andi %t_, %one : i32
              %by = arith.shli %odd, %four : i32
              %shifted = arith.shrui %word, %by : i32
              %gap = arith.andi %shifted, %mask : i32
              %at = arith.addi %place, %gap : i32
              %behind = arith.addi %at, %one : i32
              %row = arith.divui %at, %columns22 : i32
              %isOwn = arith.cmpi eq, %row, %number : i32
              %more:2 = scf.if %isOwn -> (f32, i32) {
                %e = arith.addi %valuesAt, %t_ : i32
                %ei = arith.index_cast %e : i32 to index
                %bits = tensor.extract %packed[%ei] : !packed
                %c = arith.bitcast %bits : i32 to f32
                %col = arith.remui %at, %columns22 : i32
@term %c %col %any %s %a@
                scf.yield %a, %one : f32, i32
              } else {
                scf.yield %s, %any : f32, i32
              }
              scf.yield %more#0, %more#1, %behind : f32, i32, i32
            } else {
              scf.yield %s, %any, %place : f32, i32, i32
            }
            scf.yield %next#0, %next#1, %next#2 : f32, i32, i32
          }
//@end
          scf.yield %sum : f32
        } else {
          scf.yield %zero : f32
        }
@rounded %r %rr@
        linalg.yield %rr : f32
      } -> !registers
      gpuvm.send %product : !registers
    }

    // The others, a machine each: what it writes to which register (or -1; -2 - mask if it
    // returns), its next instruction, status and fault, its frames and where it writes one (or -2 -
    // where it reads it; -1), address (or -1) and bits that it writes to shared memory,
    // and what it starts (or -1). All read shared memory as it was at the start of the epoch.
    %l.value, %l.register, %l.next, %l.state, %l.why, %l.level, %l.frame, %l.address, %l.written, %l.started = gpuvm.stage @linear.execute
        (%l = %l.order1 : !gpuvm.message<!machines>, %n = %l.sizes : !gpuvm.message<!sizes>, %at_ = %l.at : !gpuvm.message<!machines>,
         %x_ = %l.x : !gpuvm.message<!registers>, %sp_ = %l.sp : !gpuvm.message<!machines>, %stack_ = %l.stack : !gpuvm.message<!frames>,
         %launch_ = %l.launch : !gpuvm.message<!machines>, %memory_ = %l.memory : !gpuvm.message<!shared>)
        -> (!floats, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines) {
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
      %depth = arith.constant @depth@ : i32
      %tolerance = arith.constant @tolerance@ : f32
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
@rounded %e18 %rr@
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
              %isAddress = func.call @is_address(%a) : (f32) -> i1
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
                  %isBehind = arith.cmpi sgt, %base, %at : i32
                  %low1 = arith.select %isBehind, %low, %middle : i32
                  %high1 = arith.select %isBehind, %middle, %high : i32
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
@rounded %value %rr@
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
      gpuvm.send %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9
          : !floats, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines
    }

    // The next state. When a phase is over the next one begins: its launches, then its free machines.
    %l.phase1, %l.fresh = gpuvm.stage @linear.advance
        (%phase_ = %l.phase : !gpuvm.message<!word>, %mode_ = %l.mode : !gpuvm.message<!word>, %how_ = %l.how : !gpuvm.message<!word>) -> (!word, !flag) {
      %ew = tensor.empty() : !word
      %ef = tensor.empty() : !flag
      %p1, %f1 = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar, #scalar, #scalar], iterator_types = []}
          ins(%phase_, %mode_, %how_ : !word, !word, !word) outs(%ew, %ef : !word, !flag) {
      ^bb0(%p: i32, %m: i32, %h: i32, %o0: i32, %o1: i1):
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %last = arith.constant @lastPhase@ : i32
        %isOver = arith.cmpi eq, %m, %one : i32
        %isGood = arith.cmpi eq, %h, %none : i32
        %isMore = arith.cmpi slt, %p, %last : i32
        %goes = arith.andi %isGood, %isMore : i1
        %isFresh = arith.andi %isOver, %goes : i1
        %step = arith.extui %isFresh : i1 to i32
        %p1 = arith.addi %p, %step : i32
        linalg.yield %p1, %isFresh : i32, i1
      } -> (!word, !flag)
      gpuvm.send %p1, %f1 : !word, !flag
    }
    %l.ip1, %l.status1, %l.fault1, %l.sp1, %l.launch1 = gpuvm.stage @linear.words
        (%ip_ = %l.ip : !gpuvm.message<!machines>, %status_ = %l.status : !gpuvm.message<!machines>, %fault_ = %l.fault : !gpuvm.message<!machines>,
         %sp_ = %l.sp : !gpuvm.message<!machines>, %launch_ = %l.launch : !gpuvm.message<!machines>, %class_ = %l.class : !gpuvm.message<!machines>,
         %at_ = %l.at : !gpuvm.message<!machines>, %place_ = %l.place : !gpuvm.message<!machines>, %next_ = %l.next : !gpuvm.message<!machines>,
         %state_ = %l.state : !gpuvm.message<!machines>, %why_ = %l.why : !gpuvm.message<!machines>, %level_ = %l.level : !gpuvm.message<!machines>,
         %phase_ = %l.phase1 : !gpuvm.message<!word>, %fresh_ = %l.fresh : !gpuvm.message<!flag>)
        -> (!machines, !machines, !machines, !machines, !machines) {
      %phases = gpuvm.load @linear.phases : !phases
      %launches = gpuvm.load @linear.launches : !launches
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %four = arith.constant 4 : i32
      %em = tensor.empty() : !machines
      %r:5 = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v, #v, #v, #v, #all, #all, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
          ins(%ip_, %status_, %fault_, %sp_, %launch_, %class_, %at_, %place_, %phase_, %fresh_
              : !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !word, !flag)
          outs(%em, %em, %em, %em, %em : !machines, !machines, !machines, !machines, !machines) {
      ^bb0(%i: i32, %s: i32, %f: i32, %d: i32, %own: i32, %c: i32, %now: i32, %k: i32, %phase: i32, %isFresh: i1,
           %o0: i32, %o1: i32, %o2: i32, %o3: i32, %o4: i32):
        %vi = linalg.index 0 : index
        %v = arith.index_cast %vi : index to i32
        %r:5 = scf.if %isFresh -> (i32, i32, i32, i32, i32) {
@find %phase %v %l@
@begin %l %ib %sb@
          scf.yield %ib, %sb, %none, %none, %l : i32, i32, i32, i32, i32
        } else {
          %isListed = arith.cmpi sge, %k, %none : i32
          %e:4 = scf.if %isListed -> (i32, i32, i32, i32) {
            %isLinear = arith.cmpi eq, %c, %none : i32
            %g:4 = scf.if %isLinear -> (i32, i32, i32, i32) {
              %i1 = arith.addi %now, %one : i32
              scf.yield %i1, %none, %f, %d : i32, i32, i32, i32
            } else {
              %ki = arith.index_cast %k : i32 to index
              %i1 = tensor.extract %next_[%ki] : !machines
              %s1 = tensor.extract %state_[%ki] : !machines
              %f1 = tensor.extract %why_[%ki] : !machines
              %d1 = tensor.extract %level_[%ki] : !machines
              scf.yield %i1, %s1, %f1, %d1 : i32, i32, i32, i32
            }
            scf.yield %g#0, %g#1, %g#2, %g#3 : i32, i32, i32, i32
          } else {
            // It woke up, but the budget is over.
            %isAwake = arith.cmpi eq, %c, %four : i32
            %i1 = arith.select %isAwake, %now, %i : i32
            %s1 = arith.select %isAwake, %none, %s : i32
            scf.yield %i1, %s1, %f, %d : i32, i32, i32, i32
          }
          scf.yield %e#0, %e#1, %e#2, %e#3, %own : i32, i32, i32, i32, i32
        }
        linalg.yield %r#0, %r#1, %r#2, %r#3, %r#4 : i32, i32, i32, i32, i32
      } -> (!machines, !machines, !machines, !machines, !machines)
      gpuvm.send %r#0, %r#1, %r#2, %r#3, %r#4 : !machines, !machines, !machines, !machines, !machines
    }
    %l.x1 = gpuvm.stage @linear.registers
        (%x_ = %l.x : !gpuvm.message<!registers>, %class_ = %l.class : !gpuvm.message<!machines>, %place_ = %l.place : !gpuvm.message<!machines>,
         %product_ = %l.product : !gpuvm.message<!registers>, %value_ = %l.value : !gpuvm.message<!floats>, %register_ = %l.register : !gpuvm.message<!machines>,
         %frame_ = %l.frame : !gpuvm.message<!machines>, %stack_ = %l.stack : !gpuvm.message<!frames>,
         %phase_ = %l.phase1 : !gpuvm.message<!word>, %fresh_ = %l.fresh : !gpuvm.message<!flag>) -> !registers {
      %phases = gpuvm.load @linear.phases : !phases
      %launches = gpuvm.load @linear.launches : !launches
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %four = arith.constant 4 : i32
      %not = arith.constant -1 : i32
      %minus = arith.constant -2 : i32
      %c1 = arith.constant 1 : index
      %er = tensor.empty() : !registers
      %r = linalg.generic {indexing_maps = [#vw, #row, #row, #row0, #row0, #vw], iterator_types = ["parallel", "parallel"]}
          ins(%x_, %class_, %place_, %phase_, %fresh_ : !registers, !machines, !machines, !word, !flag) outs(%er : !registers) {
      ^bb0(%old: f32, %c: i32, %k: i32, %phase: i32, %isFresh: i1, %o: f32):
        %vi = linalg.index 0 : index
        %v = arith.index_cast %vi : index to i32
        %wi = linalg.index 1 : index
        %w = arith.index_cast %wi : index to i32
        %r = scf.if %isFresh -> f32 {
@find %phase %v %l@
@initial %l %wi %begin@
          scf.yield %begin : f32
        } else {
          %isListed = arith.cmpi sge, %k, %none : i32
          %e = scf.if %isListed -> f32 {
            %ki = arith.index_cast %k : i32 to index
            %isLinear = arith.cmpi eq, %c, %none : i32
            %g = scf.if %isLinear -> f32 {
              %p = tensor.extract %product_[%ki, %wi] : !registers
              scf.yield %p : f32
            } else {
              %to = tensor.extract %register_[%ki] : !machines
              %is = arith.cmpi eq, %to, %w : i32
//@if call
              %pops = arith.cmpi slt, %to, %not : i32
              %p = scf.if %pops -> f32 {
                %mask = arith.subi %minus, %to : i32
                %bit0 = arith.shrui %mask, %w : i32
                %bit = arith.andi %bit0, %one : i32
                %isKept = arith.cmpi ne, %bit, %none : i32
                %back = scf.if %isKept -> f32 {
                  %g = tensor.extract %frame_[%ki] : !machines
                  %from = arith.subi %minus, %g : i32
                  %fi = arith.index_cast %from : i32 to index
                  %w1 = arith.addi %wi, %c1 : index
                  %bits = tensor.extract %stack_[%fi, %w1] : !frames
                  %saved = arith.bitcast %bits : i32 to f32
                  scf.yield %saved : f32
                } else {
                  scf.yield %old : f32
                }
                scf.yield %back : f32
              } else {
                %new = tensor.extract %value_[%ki] : !floats
                %q = arith.select %is, %new, %old : f32
                scf.yield %q : f32
              }
//@else
              %new = tensor.extract %value_[%ki] : !floats
              %p = arith.select %is, %new, %old : f32
//@end
              scf.yield %p : f32
            }
            scf.yield %g : f32
          } else {
            scf.yield %old : f32
          }
          scf.yield %e : f32
        }
        linalg.yield %r : f32
      } -> !registers
      gpuvm.send %r : !registers
    }
//@if call
    %l.stack1 = gpuvm.stage @linear.push
        (%l = %l.order1 : !gpuvm.message<!machines>, %frame_ = %l.frame : !gpuvm.message<!machines>, %at_ = %l.at : !gpuvm.message<!machines>,
         %x_ = %l.x : !gpuvm.message<!registers>, %stack_ = %l.stack : !gpuvm.message<!frames>) -> !frames {
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %not = arith.constant -1 : i32
      %em = tensor.empty() : !machines
      %eu = tensor.empty() : !pushed
      %pushed = linalg.generic {indexing_maps = [#row, #row, #vw], iterator_types = ["parallel", "parallel"]}
          ins(%l, %frame_ : !machines, !machines) outs(%eu : !pushed) {
      ^bb0(%v: i32, %g: i32, %o: i32):
        %wi = linalg.index 1 : index
        %w = arith.index_cast %wi : index to i32
        %pushes = arith.cmpi sge, %g, %none : i32
        %r = scf.if %pushes -> i32 {
          %vi = arith.index_cast %v : i32 to index
          %isIp = arith.cmpi eq, %w, %none : i32
          %k0 = arith.subi %w, %one : i32
          %k = arith.maxsi %k0, %none : i32
          %ki = arith.index_cast %k : i32 to index
          %register = tensor.extract %x_[%vi, %ki] : !registers
          %bits = arith.bitcast %register : f32 to i32
          %i = tensor.extract %at_[%vi] : !machines
          %after = arith.addi %i, %one : i32
          %e = arith.select %isIp, %after, %bits : i32
          scf.yield %e : i32
        } else {
          scf.yield %none : i32
        }
        linalg.yield %r : i32
      } -> !pushed
      %to = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%frame_ : !machines) outs(%em : !machines) {
      ^bb0(%g: i32, %o: i32):
        %r = arith.maxsi %g, %not : i32
        linalg.yield %r : i32
      } -> !machines
      %s = gpuvm.scatter last %pushed at %to into %stack_ {gpuvm.distinct} : (!pushed, !machines, !frames) -> !frames
      gpuvm.send %s : !frames
    }
//@end

    // Writes take effect; of several to one address that of the highest number, which is
    // the last one of the list.
//@if write
    %l.any = gpuvm.stage @linear.writes(%a = %l.address : !gpuvm.message<!machines>) -> !flag {
      %no = arith.constant dense<false> : !flag
      %not = arith.constant dense<-1> : !machines
      %is = arith.cmpi ne, %a, %not : !machines
      %any = linalg.reduce { arith.ori } ins(%is : tensor<@machines@xi1>) outs(%no : !flag) dimensions = [0]
      gpuvm.send %any : !flag
    }
    %l.memory1 = gpuvm.stage @linear.commit when(%l.any : !gpuvm.message<!flag>)
        (%a = %l.address : !gpuvm.message<!machines>, %w = %l.written : !gpuvm.message<!machines>, %memory_ = %l.memory : !gpuvm.message<!shared>) -> !shared {
      %s = gpuvm.scatter last %w at %a into %memory_ : (!machines, !machines, !shared) -> !shared
      gpuvm.send %s : !shared else %memory_ : !shared
    }
//@end

//@if spawn
    // The k-th machine that asks gets the k-th that is free.
    %l.x2, %l.ip2, %l.status2, %l.fault2, %l.sp2, %l.launch2 = gpuvm.stage @linear.spawn
        (%l = %l.order1 : !gpuvm.message<!machines>, %asked = %l.started : !gpuvm.message<!machines>, %old = %l.x : !gpuvm.message<!registers>,
         %at_ = %l.at : !gpuvm.message<!machines>, %phase_ = %l.phase : !gpuvm.message<!word>,
         %x_ = %l.x1 : !gpuvm.message<!registers>, %ip_ = %l.ip1 : !gpuvm.message<!machines>, %status_ = %l.status1 : !gpuvm.message<!machines>,
         %fault_ = %l.fault1 : !gpuvm.message<!machines>, %sp_ = %l.sp1 : !gpuvm.message<!machines>, %launch_ = %l.launch1 : !gpuvm.message<!machines>)
        -> (!registers, !machines, !machines, !machines, !machines, !machines) {
      %code = gpuvm.load @linear.code : !code
      %phases = gpuvm.load @linear.phases : !phases
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %none = arith.constant 0 : i32
      %not = arith.constant -1 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %five = arith.constant 5 : i32
      %em = tensor.empty() : !machines
      %er = tensor.empty() : !registers
      %ei = tensor.empty() : tensor<@machines@xi1>
      %id, %isFree = linalg.generic {indexing_maps = [#v, #all, #v, #v], iterator_types = ["parallel"]}
          ins(%status_, %phase_ : !machines, !word) outs(%em, %ei : !machines, tensor<@machines@xi1>) {
      ^bb0(%s: i32, %p: i32, %o0: i32, %o1: i1):
        %pi = arith.index_cast %p : i32 to index
        %size = tensor.extract %phases[%pi, %c3] : !phases
        %vi = linalg.index 0 : index
        %vm = arith.index_cast %vi : index to i32
        %isIn = arith.cmpi slt, %vm, %size : i32
        %isEmpty = arith.cmpi eq, %s, %five : i32
        %b = arith.andi %isEmpty, %isIn : i1
        linalg.yield %vm, %b : i32, i1
      } -> (!machines, tensor<@machines@xi1>)
      %asks = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%asked : !machines) outs(%ei : tensor<@machines@xi1>) {
      ^bb0(%t: i32, %o: i1):
        %b = arith.cmpi sge, %t, %none : i32
        linalg.yield %b : i1
      } -> tensor<@machines@xi1>
      %free, %freeCount = gpuvm.compact %id where %isFree : (!machines, tensor<@machines@xi1>) -> (!machines, !word)
      %spawners, %targets, %spawnCount = gpuvm.compact %l, %asked where %asks
          : (!machines, !machines, tensor<@machines@xi1>) -> (!machines, !machines, !word)
      // Whom each of them starts, or -1; and itself where it does not.
      %child, %blocked, %at, %its, %argument = linalg.generic
          {indexing_maps = [#v, #v, #v, #all, #all, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
          ins(%free, %spawners, %targets, %freeCount, %spawnCount : !machines, !machines, !machines, !word, !word)
          outs(%em, %em, %em, %em, %em : !machines, !machines, !machines, !machines, !machines) {
      ^bb0(%f: i32, %v: i32, %t: i32, %nf: i32, %ns: i32, %o0: i32, %o1: i32, %o2: i32, %o3: i32, %o4: i32):
        %ki = linalg.index 0 : index
        %k = arith.index_cast %ki : index to i32
        %isSpawner = arith.cmpi slt, %k, %ns : i32
        %isMatched = arith.cmpi slt, %k, %nf : i32
        %r:5 = scf.if %isSpawner -> (i32, i32, i32, i32, i32) {
          %vi = arith.index_cast %v : i32 to index
          %i = tensor.extract %at_[%vi] : !machines
          %ii = arith.index_cast %i : i32 to index
          %ra = tensor.extract %code[%ii, %c2] : !code
          %rai = arith.index_cast %ra : i32 to index
          %a = tensor.extract %old[%vi, %rai] : !registers
          %bits = arith.bitcast %a : f32 to i32
          %own = tensor.extract %launch_[%vi] : !machines
          %c = arith.select %isMatched, %f, %not : i32
          %b = arith.select %isMatched, %not, %v : i32
          %n = arith.select %isMatched, %t, %i : i32
          scf.yield %c, %b, %n, %own, %bits : i32, i32, i32, i32, i32
        } else {
          scf.yield %not, %not, %none, %none, %none : i32, i32, i32, i32, i32
        }
        linalg.yield %r#0, %r#1, %r#2, %r#3, %r#4 : i32, i32, i32, i32, i32
      } -> (!machines, !machines, !machines, !machines, !machines)
      %zeros = arith.constant dense<0> : !machines
      %ones = arith.constant dense<1> : !machines
      %begin = linalg.generic {indexing_maps = [#row, #vw], iterator_types = ["parallel", "parallel"]}
          ins(%argument : !machines) outs(%er : !registers) {
      ^bb0(%bits: i32, %o: f32):
        %w = linalg.index 1 : index
        %c0 = arith.constant 0 : index
        %zero = arith.constant 0.0 : f32
        %is0 = arith.cmpi eq, %w, %c0 : index
        %a = arith.bitcast %bits : i32 to f32
        %r = arith.select %is0, %a, %zero : f32
        linalg.yield %r : f32
      } -> !registers
      %xs = gpuvm.scatter last %begin at %child into %x_ {gpuvm.distinct} : (!registers, !machines, !registers) -> !registers
      %ipc, %statusc, %faults, %sps, %launchs = gpuvm.scatter last, last, last, last, last %at, %zeros, %zeros, %zeros, %its at %child
          into %ip_, %status_, %fault_, %sp_, %launch_ {gpuvm.distinct}
          : (!machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines)
          -> (!machines, !machines, !machines, !machines, !machines)
      %ips, %statuses = gpuvm.scatter last, last %at, %ones at %blocked into %ipc, %statusc {gpuvm.distinct}
          : (!machines, !machines, !machines, !machines, !machines) -> (!machines, !machines)
      gpuvm.send %xs, %ips, %statuses, %faults, %sps, %launchs : !registers, !machines, !machines, !machines, !machines, !machines
    }
//@end

    %l.counts1, %l.epoch1, %l.done = gpuvm.stage @linear.count
        (%counts_ = %l.counts : !gpuvm.message<!counts>, %n = %l.sizes : !gpuvm.message<tensor<4xi32>>, %phase_ = %l.phase : !gpuvm.message<!word>,
         %epoch_ = %l.epoch : !gpuvm.message<!word>, %mode_ = %l.mode : !gpuvm.message<!word>, %how_ = %l.how : !gpuvm.message<!word>)
        -> (!counts, !word, !flag) {
      %ec = tensor.empty() : !counts
      %ew = tensor.empty() : !word
      %ef = tensor.empty() : !flag
      %c = linalg.generic {indexing_maps = [#vw, #row0, #row0, #row0, #vw],
          iterator_types = ["parallel", "parallel"]}
          ins(%counts_, %phase_, %mode_, %how_ : !counts, !word, !word, !word) outs(%ec : !counts) {
      ^bb0(%old: i64, %p: i32, %m: i32, %h: i32, %o: i64):
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %four = arith.constant 4 : i32
        %five = arith.constant 5 : i32
        %three = arith.constant 3 : i32
        %ki = linalg.index 0 : index
        %k = arith.index_cast %ki : index to i32
        %wi = linalg.index 1 : index
        %w = arith.index_cast %wi : index to i32
        %isOwn = arith.cmpi eq, %k, %p : i32
        %isRun = arith.cmpi eq, %m, %none : i32
        %isEpochs = arith.cmpi eq, %w, %none : i32
        %isEnd = arith.cmpi eq, %w, %five : i32
        %at0 = arith.subi %w, %one : i32
        %at1 = arith.maxsi %at0, %none : i32
        %at2 = arith.minsi %at1, %three : i32
        %ai = arith.index_cast %at2 : i32 to index
        %size = tensor.extract %n[%ai] : tensor<4xi32>
        %b0 = arith.select %isEpochs, %one, %size : i32
        %b1 = arith.select %isRun, %b0, %none : i32
        %by = arith.extsi %b1 : i32 to i64
        %sum = arith.addi %old, %by : i64
        %ending = arith.extsi %h : i32 to i64
        %e = arith.select %isRun, %old, %ending : i64
        %v = arith.select %isEnd, %e, %sum : i64
        %r = arith.select %isOwn, %v, %old : i64
        linalg.yield %r : i64
      } -> !counts
      %e1, %d1 = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar, #scalar, #scalar, #scalar], iterator_types = []}
          ins(%phase_, %epoch_, %mode_, %how_ : !word, !word, !word, !word) outs(%ew, %ef : !word, !flag) {
      ^bb0(%p: i32, %e: i32, %m: i32, %h: i32, %o0: i32, %o1: i1):
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %last = arith.constant @lastPhase@ : i32
        %isOver = arith.cmpi ne, %m, %none : i32
        %isBad = arith.cmpi ne, %h, %none : i32
        %isLast = arith.cmpi sge, %p, %last : i32
        %ends = arith.ori %isBad, %isLast : i1
        %isDone = arith.andi %isOver, %ends : i1
        %more = arith.addi %e, %one : i32
        %e1 = arith.select %isOver, %none, %more : i32
        linalg.yield %e1, %isDone : i32, i1
      } -> (!word, !flag)
      gpuvm.send %c, %e1, %d1 : !counts, !word, !flag
    }
    gpuvm.next %l.ip@spawned@, %l.status@spawned@, %l.fault@spawned@, %l.sp@spawned@, %l.launch@spawned@, %l.x@spawned@, %l.stack@pushed@, %l.memory@committed@, %l.counts1, %l.phase1, %l.epoch1, %l.order1
        : !gpuvm.message<!machines>, !gpuvm.message<!machines>, !gpuvm.message<!machines>, !gpuvm.message<!machines>, !gpuvm.message<!machines>,
          !gpuvm.message<!registers>, !gpuvm.message<!frames>, !gpuvm.message<!shared>, !gpuvm.message<!counts>, !gpuvm.message<!word>,
          !gpuvm.message<!word>, !gpuvm.message<!machines>
        until %l.done : !gpuvm.message<!flag>
  }

  %l.state = gpuvm.stage @linear.state(%ip = %l.end#0 : !gpuvm.message<!machines>, %x = %l.end#5 : !gpuvm.message<!registers>) -> tensor<@machines@x22xf32> {
    %es = tensor.empty() : tensor<@machines@x22xf32>
    %s = linalg.generic {indexing_maps = [#row, #vw], iterator_types = ["parallel", "parallel"]}
        ins(%ip : !machines) outs(%es : tensor<@machines@x22xf32>) {
    ^bb0(%i: i32, %o: f32):
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %last = arith.constant 21 : i32
      %most = arith.constant 19 : i32
      %onef = arith.constant 1.0 : f32
      %vi = linalg.index 0 : index
      %wi = linalg.index 1 : index
      %w = arith.index_cast %wi : index to i32
      %isIp = arith.cmpi eq, %w, %none : i32
      %isOne = arith.cmpi eq, %w, %last : i32
      %a0 = arith.subi %w, %one : i32
      %a1 = arith.maxsi %a0, %none : i32
      %a2 = arith.minsi %a1, %most : i32
      %ai = arith.index_cast %a2 : i32 to index
      %value = tensor.extract %x[%vi, %ai] : !registers
      %f = arith.sitofp %i : i32 to f32
      %r0 = arith.select %isIp, %f, %value : f32
      %r = arith.select %isOne, %onef, %r0 : f32
      linalg.yield %r : f32
    } -> tensor<@machines@x22xf32>
    gpuvm.send %s : tensor<@machines@x22xf32>
  }
@outputStages@
  gpuvm.return @returned@
}
