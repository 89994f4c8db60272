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
!limits = tensor<5xi32>               // addresses, frames of a machine, tolerance, phases, 1: binary16
!access = tensor<@launches@x@buffers@xi32> // 1: may be read, 2: may be written
#v = affine_map<(v) -> (v)>
#vw = affine_map<(v, w) -> (v, w)>
#row = affine_map<(v, w) -> (v)>
#row0 = affine_map<(v, w) -> ()>
#all = affine_map<(v) -> ()>
#scalar = affine_map<() -> ()>

//@if part
//@if gated
gpuvm.program private @@name@(%in.memory: !shared, %in.go: !flag) -> (memory: !shared, registers: !registers, where: !machines, counts: !counts) {
//@else
gpuvm.program private @@name@(%in.memory: !shared) -> (memory: !shared, registers: !registers, where: !machines, counts: !counts) {
//@end
//@else
gpuvm.program @@name@(@inputs@) -> (@outputs@) {
//@end
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
//@if room
  gpuvm.heap @linear.limits : !limits
  gpuvm.global @linear.stack : !word = dense<@stack@> : !word
//@end
//@if access
  gpuvm.heap @linear.buffers : !buffers@buffersValue@
  gpuvm.heap @linear.access : !access@accessValue@
//@end

@functions@
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

//@if part
//@else
  %l.shared0 = gpuvm.stage @linear.shared(@sharedOperands@) -> !shared {
@sharedBody@
    gpuvm.send %s : !shared
  }
//@end
  // The machines of the first phase; of a part that does not run none that runs.
//@if gated
  %l.first:6 = gpuvm.stage @linear.first(%go_ = %in.go : !flag) -> (!machines, !machines, !machines, !registers, !frames, !counts) {
//@else
  %l.first:6 = gpuvm.stage @linear.first() -> (!machines, !machines, !machines, !registers, !frames, !counts) {
//@end
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
//@if gated
      %go = tensor.extract %go_[] : !flag
      %kept = arith.select %go, %s, %free_ : i32
      linalg.yield %i, %kept, %l : i32, i32, i32
//@else
      linalg.yield %i, %s, %l : i32, i32, i32
//@end
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
//@if gated
  // The first phase; the last one of a part that does not run, which is over at once.
  %l.phase0 = gpuvm.stage @linear.begin(%go_ = %in.go : !flag) -> !word {
    %go = tensor.extract %go_[] : !flag
    %first = arith.constant 0 : i32
    %last = arith.constant @lastPhase@ : i32
    %p = arith.select %go, %first, %last : i32
    %w = tensor.from_elements %p : !word
    gpuvm.send %w : !word
  }
//@end

  %l.end:12 = gpuvm.repeat @linear.epochs up_to @epochs@
      (%l.ip = %l.first#0 : !gpuvm.message<!machines>, %l.status = %l.first#1 : !gpuvm.message<!machines>,
       %l.fault = %l.none : !gpuvm.message<!machines>, %l.sp = %l.none : !gpuvm.message<!machines>,
       %l.launch = %l.first#2 : !gpuvm.message<!machines>, %l.x = %l.first#3 : !gpuvm.message<!registers>,
       %l.stack = %l.first#4 : !gpuvm.message<!frames>, %l.memory = @memory0@,
       %l.counts = %l.first#5 : !gpuvm.message<!counts>, %l.phase = @phase0@ : !gpuvm.message<!word>,
       %l.epoch = %l.noWord : !gpuvm.message<!word>, %l.order = %l.none : !gpuvm.message<!machines>) {
