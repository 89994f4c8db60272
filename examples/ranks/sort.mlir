// A sort of numbers that ranks have in blocks. Each sorts its own, samples of
// all say which numbers go to which rank, and each sorts what it gets: rank 0
// has the least ones. A rank gets at most `room` numbers of each: if that is
// too little for what the samples say, the execution ends with EXCESS.
//
//   gpuvm-compile sort.mlir --set ranks=4 --set block=1048576 -o sort.gvplan
//   mpirun -n 4 gpuvm-run sort.gvplan --input=x=@x.npy[{rank}/{ranks}] --output=sorted=@sorted.{rank}.npy --output=count=@count.{rank}.npy

gpuvm.parameter @block = 4096 in 64 to 1073741824 "numbers of each rank, a multiple of the samples"
gpuvm.parameter @ranks = 2 in 1 to 64
gpuvm.parameter @samples = 64 in 1 to 4096 "of each rank"
gpuvm.parameter @spare = 4 in 1 to 1024 "a part of a block, one in so many, is room for what samples do not say"
gpuvm.parameter @room = @(block ceildiv ranks) + (block ceildiv spare)@
gpuvm.parameter @all = @ranks * room@
gpuvm.parameter @last = @block - 1@

!block = tensor<@block@xi32>
!samples = tensor<@samples@xi32>
!parts = tensor<@ranks@xi32>
!table = tensor<@ranks@x@room@xi32>
!rows = tensor<@all@xi32>

gpuvm.program @sort(%x: !block) -> (sorted: !rows, count: tensor<i32>) ranks(@ranks@) {
  %own, %some = gpuvm.stage @own(%v = %x : !block) -> (!block, !samples) {
    %s = gpuvm.sort %v : !block
    %sample = tensor.extract_slice %s[0] [@samples@] [@block / samples@] : !block to !samples
    gpuvm.send %s, %sample : !block, !samples
  }
  %every = gpuvm.all_gather %some axis(0) : !gpuvm.message<!samples> -> tensor<@ranks * samples@xi32>
  %rows, %counts = gpuvm.stage @split(%s = %own : !gpuvm.message<!block>, %e = %every : tensor<@ranks * samples@xi32>) -> (!rows, !parts) {
    %order = gpuvm.sort %e : tensor<@ranks * samples@xi32>
    %first = tensor.extract_slice %order[0] [@ranks@] [@samples@] : tensor<@ranks * samples@xi32> to !parts
    %found = gpuvm.search_sorted %s, %first : !block, !parts -> !parts
    // The numbers of rank r begin at begins[r], those of the first one at 0.
    %empty = tensor.empty() : !parts
    %begins = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
        ins(%found : !parts) outs(%empty : !parts) {
    ^bb0(%f: i32, %o: i32):
      %r = linalg.index 0 : index
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %isFirst = arith.cmpi eq, %r, %c0 : index
      %b = arith.select %isFirst, %zero, %f : i32
      linalg.yield %b : i32
    } -> !parts
    %n = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>], iterator_types = ["parallel"]}
        ins(%begins : !parts) outs(%empty : !parts) {
    ^bb0(%b: i32, %o: i32):
      %r = linalg.index 0 : index
      %c1 = arith.constant 1 : index
      %most = arith.constant @ranks - 1@ : index
      %next = arith.addi %r, %c1 : index
      %at = arith.minsi %next, %most : index
      %isLast = arith.cmpi eq, %r, %most : index
      %e1 = tensor.extract %begins[%at] : !parts
      %all = arith.constant @block@ : i32
      %end = arith.select %isLast, %all, %e1 : i32
      %c = arith.subi %end, %b : i32
      linalg.yield %c : i32
    } -> !parts
    %places = tensor.empty() : !table
    %t = linalg.generic {indexing_maps = [affine_map<(r, i) -> (r)>, affine_map<(r, i) -> (r, i)>], iterator_types = ["parallel", "parallel"]}
        ins(%begins : !parts) outs(%places : !table) {
    ^bb0(%b: i32, %o: i32):
      %i = linalg.index 1 : index
      %begin = arith.index_cast %b : i32 to index
      %j = arith.addi %begin, %i : index
      %most = arith.constant @last@ : index
      %at = arith.minsi %j, %most : index
      %v = tensor.extract %s[%at] : !block
      linalg.yield %v : i32
    } -> !table
    %flat = tensor.collapse_shape %t [[0, 1]] : !table into !rows
    gpuvm.send %flat, %n : !rows, !parts
  }
  %got, %came = gpuvm.all_to_all %rows split(0) concat(0) counts(%counts : !gpuvm.message<!parts>)
      : !gpuvm.message<!rows> -> !rows, !parts
  %sorted, %count = gpuvm.stage @merge(%g = %got : !rows, %c = %came : !parts) -> (!rows, tensor<i32>) {
    %table = tensor.expand_shape %g [[0, 1]] output_shape [@ranks@, @room@] : !rows into !table
    %empty = tensor.empty() : !table
    // What was not sent comes last.
    %filled = linalg.generic {indexing_maps = [affine_map<(r, i) -> (r, i)>, affine_map<(r, i) -> (r)>, affine_map<(r, i) -> (r, i)>],
                              iterator_types = ["parallel", "parallel"]}
        ins(%table, %c : !table, !parts) outs(%empty : !table) {
    ^bb0(%v: i32, %n: i32, %o: i32):
      %i = linalg.index 1 : index
      %end = arith.index_cast %n : i32 to index
      %is = arith.cmpi slt, %i, %end : index
      %most = arith.constant 2147483647 : i32
      %k = arith.select %is, %v, %most : i32
      linalg.yield %k : i32
    } -> !table
    %flat = tensor.collapse_shape %filled [[0, 1]] : !table into !rows
    %s = gpuvm.sort %flat : !rows
    %zero = arith.constant dense<0> : tensor<i32>
    %n = linalg.reduce { arith.addi } ins(%c : !parts) outs(%zero : tensor<i32>) dimensions = [0]
    gpuvm.send %s, %n : !rows, tensor<i32>
  }
  gpuvm.return %sorted, %count : !gpuvm.message<!rows>, !gpuvm.message<tensor<i32>>
}
