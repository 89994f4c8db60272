func.func private @count(%counts_: !counts, %n: tensor<4xi32>, %phase_: !word, %epoch_: !word, %mode_: !word, %how_: !word)
    -> (!counts, !word, !flag) {
//@if room
  %limits = gpuvm.load @linear.limits : !limits
//@end
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
//@if room
    %three_ = arith.constant 3 : index
    %all = tensor.extract %limits[%three_] : !limits
    %last = arith.subi %all, %one : i32
//@else
    %last = arith.constant @lastPhase@ : i32
//@end
    %isOver = arith.cmpi ne, %m, %none : i32
    %isBad = arith.cmpi ne, %h, %none : i32
    %isLast = arith.cmpi sge, %p, %last : i32
    %ends = arith.ori %isBad, %isLast : i1
    %isDone = arith.andi %isOver, %ends : i1
    %more = arith.addi %e, %one : i32
    %e1 = arith.select %isOver, %none, %more : i32
    linalg.yield %e1, %isDone : i32, i1
  } -> (!word, !flag)
  func.return %c, %e1, %d1 : !counts, !word, !flag
}

// Of a machine: bits 0 to 23 its IP, 24 to 26 its status, 27 to 29 its fault.
func.func private @where(%ip_: !machines, %status_: !machines, %fault_: !machines) -> !machines {
  %em = tensor.empty() : !machines
  %w = linalg.generic {indexing_maps = [#v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%ip_, %status_, %fault_ : !machines, !machines, !machines) outs(%em : !machines) {
  ^bb0(%i: i32, %s: i32, %f: i32, %o: i32):
    %by = arith.constant 24 : i32
    %more = arith.constant 27 : i32
    %high = arith.shli %s, %by : i32
    %higher = arith.shli %f, %more : i32
    %both = arith.ori %high, %higher : i32
    %r = arith.ori %i, %both : i32
    linalg.yield %r : i32
  } -> !machines
  func.return %w : !machines
}

func.func private @state(%ip: !machines, %x: !registers) -> tensor<@machines@x22xf32> {
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
  func.return %s : tensor<@machines@x22xf32>
}
