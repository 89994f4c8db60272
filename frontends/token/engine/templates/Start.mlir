
// All streams at their entries. Those that there are too many of have no budget.
gpuvm.program @start() {
@functions@
  gpuvm.stage @token.start() {
    %tables = gpuvm.load @token.tables : !tables
    %e = tensor.empty() : !streams
    %pc, %status, %hash, %padding = linalg.generic {indexing_maps = [#s, #s, #s, #s], iterator_types = ["parallel"]}
        outs(%e, %e, %e, %e : !streams, !streams, !streams, !streams) {
    ^bb0(%o0: i32, %o1: i32, %o2: i32, %o3: i32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %none = arith.constant 0 : i32
      %over = arith.constant 7 : i32
      %golden = arith.constant 0x9E3779B9 : i32
      %end = func.call @limits(%tables, %c0) : (!tables, index) -> i32
      %budget = func.call @limits(%tables, %c1) : (!tables, index) -> i32
      %all = func.call @limits(%tables, %c4) : (!tables, index) -> i32
      %streams = func.call @limits(%tables, %c5) : (!tables, index) -> i32
      %seed = func.call @limits(%tables, %c6) : (!tables, index) -> i32
      %padding = func.call @limits(%tables, %c7) : (!tables, index) -> i32
      %bi = linalg.index 0 : index
      %b = arith.index_cast %bi : index to i32
      %w = arith.remui %b, %all : i32
      %wi = arith.index_cast %w : i32 to index
      %pc = func.call @workflows(%tables, %wi, %c0) : (!tables, index, index) -> i32
      %s0 = func.call @afterwards(%pc, %none, %end, %budget) : (i32, i32, i32, i32) -> i32
      %is = arith.cmpi slt, %b, %streams : i32
      %s = arith.select %is, %s0, %over : i32
      %b1 = arith.addi %b, %golden : i32
      %b2 = func.call @fmix(%b1) : (i32) -> i32
      %b3 = arith.xori %seed, %b2 : i32
      %h = func.call @fmix(%b3) : (i32) -> i32
      linalg.yield %pc, %s, %h, %padding : i32, i32, i32, i32
    } -> (!streams, !streams, !streams, !streams)
    %zero = arith.constant dense<0> : !streams
    %not = arith.constant dense<-1> : !streams
//@if text
    %textRoot = linalg.generic {indexing_maps = [#s], iterator_types = ["parallel"]} outs(%e : !streams) {
    ^bb0(%o: i32):
      %c4 = arith.constant 4 : index
      %c6 = arith.constant 6 : index
      %all = func.call @limits(%tables, %c4) : (!tables, index) -> i32
      %bi = linalg.index 0 : index
      %b = arith.index_cast %bi : index to i32
      %w = arith.remui %b, %all : i32
      %wi = arith.index_cast %w : i32 to index
      %root = func.call @workflows(%tables, %wi, %c6) : (!tables, index, index) -> i32
      linalg.yield %root : i32
    } -> !streams
//@end
//@if modules
@initials@
//@end
@starts@
    gpuvm.store %zero, @token.answer : !streams
  }
  gpuvm.return
}
