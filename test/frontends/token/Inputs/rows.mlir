// A model whose batch has a row for each stream that it is shown something of, or asked for: it says how many those
// are, "a" for none, "e" for four.

!streams = tensor<4xi32>
!chunks = tensor<4x4xi32>
!rows = tensor<?xi32, #gpuvm.bound<4>>
#s = affine_map<(s) -> (s)>
#one = affine_map<(s) -> ()>

gpuvm.program private @rows(%tokens: !chunks, %count: !streams, %asked: !streams, %clock: !streams) -> (proposal: !streams) {
  %batch = gpuvm.stage @choose(%count_ = %count : !streams, %asked_ = %asked : !streams) -> !rows {
    %e = tensor.empty() : !streams
    %ek = tensor.empty() : tensor<4xi1>
    %stream, %keep = linalg.generic {indexing_maps = [#s, #s, #s, #s], iterator_types = ["parallel"]}
        ins(%count_, %asked_ : !streams, !streams) outs(%e, %ek : !streams, tensor<4xi1>) {
    ^bb0(%n: i32, %a: i32, %o0: i32, %o1: i1):
      %i = linalg.index 0 : index
      %number = arith.index_cast %i : index to i32
      %none = arith.constant 0 : i32
      %both = arith.ori %n, %a : i32
      %is = arith.cmpi ne, %both, %none : i32
      linalg.yield %number, %is : i32, i1
    } -> (!streams, tensor<4xi1>)
    %v, %n = gpuvm.compact %stream where %keep : (!streams, tensor<4xi1>) -> (!streams, tensor<i32>)
    %b = gpuvm.bounded %v[%n] : !streams -> !rows
    gpuvm.send %b : !rows
  }
  // What has a row for each of them: here one number.
  %p = gpuvm.stage @decode(%batch_ = %batch : !gpuvm.message<!rows>) -> !streams {
    %n = gpuvm.count %batch_ : !rows
    %said = linalg.generic {indexing_maps = [#s, #one, #s], iterator_types = ["parallel"]}
        ins(%batch_, %n : !rows, tensor<i32>) outs(%batch_ : !rows) {
    ^bb0(%stream: i32, %many: i32, %o: i32):
      %a = arith.constant 97 : i32
      %letter = arith.addi %many, %a : i32
      linalg.yield %letter : i32
    } -> !rows
    %none = arith.constant dense<0> : !streams
    %all = gpuvm.scatter last %said at %batch_ into %none : (!rows, !rows, !streams) -> !streams
    gpuvm.send %all : !streams
  }
  gpuvm.return %p : !gpuvm.message<!streams>
}
