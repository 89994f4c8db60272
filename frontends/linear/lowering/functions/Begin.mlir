// What an engine begins with: the machines of the first phase; of a part that does not
// run none that runs.
//@if gated
func.func private @first(%go_: !flag) -> (!machines, !machines, !machines, !registers, !frames, !counts) {
//@else
func.func private @first() -> (!machines, !machines, !machines, !registers, !frames, !counts) {
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
    %l, %isLaunched = func.call @find(%phase, %v, %phases, %launches) : (i32, i32, !phases, !launches) -> (i32, i1)
    %i, %s = func.call @first_of(%l, %isLaunched, %launches) : (i32, i1, !launches) -> (i32, i32)
//@if gated
    %go = tensor.extract %go_[] : !flag
    %free = arith.constant 5 : i32
    %kept = arith.select %go, %s, %free : i32
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
    %l, %isLaunched = func.call @find(%phase, %v, %phases, %launches) : (i32, i32, !phases, !launches) -> (i32, i1)
    %r = func.call @initial(%l, %isLaunched, %wi, %launches) : (i32, i1, index, !launches) -> f32
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
  func.return %ip, %status, %launch, %x, %f, %c : !machines, !machines, !machines, !registers, !frames, !counts
}

func.func private @none() -> (!machines, !word) {
  %m = arith.constant dense<0> : !machines
  %w = arith.constant dense<0> : !word
  func.return %m, %w : !machines, !word
}

// The first phase; the last one of a part that does not run, which is over at once.
func.func private @begin(%go_: !flag) -> !word {
  %go = tensor.extract %go_[] : !flag
  %first = arith.constant 0 : i32
  %last = arith.constant @lastPhase@ : i32
  %p = arith.select %go, %first, %last : i32
  %w = tensor.from_elements %p : !word
  func.return %w : !word
}
