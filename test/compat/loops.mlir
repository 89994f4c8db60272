// How often a number is halved, or else tripled and increased, until it is 1: a loop whose trip count is not known.
#identity = affine_map<(i) -> (i)>

gpuvm.program @loops(%x: tensor<4xi32>) -> (steps: tensor<4xi32>) {
  %steps = gpuvm.stage @count(%v = %x : tensor<4xi32>) -> tensor<4xi32> {
    %e = tensor.empty() : tensor<4xi32>
    %r = linalg.generic {indexing_maps = [#identity, #identity], iterator_types = ["parallel"]}
        ins(%v : tensor<4xi32>) outs(%e : tensor<4xi32>) {
    ^bb0(%n: i32, %u: i32):
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %q:2 = scf.while (%a = %n, %s = %zero) : (i32, i32) -> (i32, i32) {
        %go = arith.cmpi sgt, %a, %one : i32
        scf.condition(%go) %a, %s : i32, i32
      } do {
      ^bb0(%a: i32, %s: i32):
        %half = arith.shrui %a, %one : i32
        %bit = arith.andi %a, %one : i32
        %is_odd = arith.cmpi eq, %bit, %one : i32
        %triple = arith.muli %a, %three : i32
        %odd = arith.addi %triple, %one : i32
        %next = arith.select %is_odd, %odd, %half : i32
        %more = arith.addi %s, %one : i32
        scf.yield %next, %more : i32, i32
      }
      linalg.yield %q#1 : i32
    } -> tensor<4xi32>
    gpuvm.send %r : tensor<4xi32>
  }
  gpuvm.return %steps : !gpuvm.message<tensor<4xi32>>
}
