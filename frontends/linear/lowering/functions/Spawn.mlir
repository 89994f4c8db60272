// The k-th machine that asks gets the k-th that is free.
func.func private @spawn(%l: !machines, %asked: !machines, %old: !registers, %at_: !machines, %phase_: !word, %x_: !registers, %ip_: !machines,
    %status_: !machines, %fault_: !machines, %sp_: !machines, %launch_: !machines)
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
  %xs = gpuvm.scatter last %begin at %child into %x_ {distinct} : (!registers, !machines, !registers) -> !registers
  %ipc, %statusc, %faults, %sps, %launchs = gpuvm.scatter last, last, last, last, last %at, %zeros, %zeros, %zeros, %its at %child
      into %ip_, %status_, %fault_, %sp_, %launch_ {distinct}
      : (!machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines)
      -> (!machines, !machines, !machines, !machines, !machines)
  %ips, %statuses = gpuvm.scatter last, last %at, %ones at %blocked into %ipc, %statusc {distinct}
      : (!machines, !machines, !machines, !machines, !machines) -> (!machines, !machines)
  func.return %xs, %ips, %statuses, %faults, %sps, %launchs : !registers, !machines, !machines, !machines, !machines, !machines
}
