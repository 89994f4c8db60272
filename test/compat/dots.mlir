gpuvm.program @dots(%a: tensor<64x8x16xi8>, %b: tensor<8x16xi8>) -> (c: tensor<64xi32>) {
  %c = gpuvm.stage @multiply(%x = %a : tensor<64x8x16xi8>, %y = %b : tensor<8x16xi8>) -> tensor<64xi32> {
    %none = arith.constant dense<0> : tensor<64x8xi32>
    %dots = linalg.generic {indexing_maps = [affine_map<(n, b, e) -> (n, b, e)>, affine_map<(n, b, e) -> (b, e)>, affine_map<(n, b, e) -> (n, b)>],
                            iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<64x8x16xi8>, tensor<8x16xi8>) outs(%none : tensor<64x8xi32>) {
    ^bb0(%u: i8, %s: i8, %sum: i32):
      %uw = arith.extui %u : i8 to i32
      %sw = arith.extsi %s : i8 to i32
      %p = arith.muli %uw, %sw : i32
      %r = arith.addi %sum, %p : i32
      linalg.yield %r : i32
    } -> tensor<64x8xi32>
    %low = arith.constant dense<0> : tensor<64xi32>
    %r = linalg.reduce { arith.maxsi } ins(%dots : tensor<64x8xi32>) outs(%low : tensor<64xi32>) dimensions = [1]
    gpuvm.send %r : tensor<64xi32>
  }
  gpuvm.return %c : !gpuvm.message<tensor<64xi32>>
}

