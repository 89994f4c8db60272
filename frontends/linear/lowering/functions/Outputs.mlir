// What a program gives of its machines at the end: `where` has of each of them in bits 0
// to 23 its IP, 24 to 26 its status, 27 to 29 its fault.
func.func private @outputs(%x: !registers, %w: !machines) -> (tensor<@machines@x22xf32>, !machines, !machines) {
  %es = tensor.empty() : tensor<@machines@x22xf32>
  %em = tensor.empty() : !machines
  %s = linalg.generic {indexing_maps = [#row, #vw], iterator_types = ["parallel", "parallel"]}
      ins(%w : !machines) outs(%es : tensor<@machines@x22xf32>) {
  ^bb0(%where: i32, %o: f32):
    %none = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 21 : i32
    %most = arith.constant 19 : i32
    %mask = arith.constant 0xFFFFFF : i32
    %onef = arith.constant 1.0 : f32
    %vi = linalg.index 0 : index
    %ki = linalg.index 1 : index
    %k = arith.index_cast %ki : index to i32
    %isIp = arith.cmpi eq, %k, %none : i32
    %isOne = arith.cmpi eq, %k, %last : i32
    %a0 = arith.subi %k, %one : i32
    %a1 = arith.maxsi %a0, %none : i32
    %a2 = arith.minsi %a1, %most : i32
    %ai = arith.index_cast %a2 : i32 to index
    %value = tensor.extract %x[%vi, %ai] : !registers
    %i = arith.andi %where, %mask : i32
    %f = arith.sitofp %i : i32 to f32
    %r0 = arith.select %isIp, %f, %value : f32
    %r = arith.select %isOne, %onef, %r0 : f32
    linalg.yield %r : f32
  } -> tensor<@machines@x22xf32>
  %status, %fault = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
      ins(%w : !machines) outs(%em, %em : !machines, !machines) {
  ^bb0(%where: i32, %o0: i32, %o1: i32):
    %by = arith.constant 24 : i32
    %more = arith.constant 27 : i32
    %mask = arith.constant 7 : i32
    %h = arith.shrui %where, %by : i32
    %status = arith.andi %h, %mask : i32
    %fault = arith.shrui %where, %more : i32
    linalg.yield %status, %fault : i32, i32
  } -> (!machines, !machines)
  func.return %s, %status, %fault : tensor<@machines@x22xf32>, !machines, !machines
}

// Of where a machine of a compiled launch is: 1 if it faulted, 2^32 if it still runs.
func.func private @standing(%where: i32) -> i64 {
  %places = arith.constant 24 : i32
  %mask = arith.constant 7 : i32
  %none = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %by = arith.constant 32 : i64
  %high = arith.shrui %where, %places : i32
  %status = arith.andi %high, %mask : i32
  %isFaulted = arith.cmpi eq, %status, %four : i32
  %isRunning = arith.cmpi eq, %status, %none : i32
  %f = arith.extui %isFaulted : i1 to i64
  %g = arith.extui %isRunning : i1 to i64
  %g1 = arith.shli %g, %by : i64
  %h = arith.ori %f, %g1 : i64
  func.return %h : i64
}

// The instructions that it executed.
func.func private @executed(%a: i32, %b: i32, %c: i32, %d: i32) -> i32 {
  %s0 = arith.addi %a, %b : i32
  %s1 = arith.addi %c, %d : i32
  %s = arith.addi %s0, %s1 : i32
  func.return %s : i32
}

// How a phase ended, of the sum of what @standing says, and whether it ended well.
func.func private @ended(%sum: i64) -> (i64, i1) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %places = arith.constant 32 : i64
  %mask = arith.constant 0xFFFFFFFF : i64
  %running = arith.shrui %sum, %places : i64
  %faulted = arith.andi %sum, %mask : i64
  %isRunning = arith.cmpi ne, %running, %c0 : i64
  %isFaulted = arith.cmpi ne, %faulted, %c0 : i64
  %e0 = arith.select %isFaulted, %c1, %c0 : i64
  %e1 = arith.select %isRunning, %c3, %e0 : i64
  %isGood = arith.cmpi eq, %e1, %c0 : i64
  func.return %e1, %isGood : i64, i1
}

// ... of one that ran if `ran`.
func.func private @ended_if(%ran: i1, %end: i64, %isGood: i1) -> (i64, i1) {
  %not = arith.constant -1 : i64
  %e = arith.select %ran, %end, %not : i64
  %goes = arith.andi %isGood, %ran : i1
  func.return %e, %goes : i64, i1
}

// Word `w` of a phase's row of counts, which says that nothing ran where nothing did.
func.func private @count_if(%n: i64, %ran: i1, %w: index) -> i64 {
  %at = arith.constant 5 : index
  %zero = arith.constant 0 : i64
  %not = arith.constant -1 : i64
  %isEnd = arith.cmpi eq, %w, %at : index
  %nothing = arith.select %isEnd, %not, %zero : i64
  %v = arith.select %ran, %n, %nothing : i64
  func.return %v : i64
}
