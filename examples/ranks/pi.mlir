// Points in a square, of which those in the circle are counted: pi is four
// times their part. Each execution draws others and adds to what is remembered.
// Ranks with seeds of their own draw points of their own: nothing moves between
// them.
//
//   gpuvm-compile pi.mlir -o pi.gvplan
//   mpirun -n 4 gpuvm-run pi.gvplan --input=seed=2xi32={rank},7 --iterations=100

gpuvm.program @pi(%seed: tensor<2xi32>) -> (inside: tensor<i32>) {
  gpuvm.global @executions : tensor<i32>
  gpuvm.global @total : tensor<i64>
  %m = gpuvm.stage @draw(%s = %seed : tensor<2xi32>) -> tensor<i32> {
    %n = gpuvm.load @executions : tensor<i32>
    %one = arith.constant dense<1> : tensor<i32>
    %next = arith.addi %n, %one : tensor<i32>
    gpuvm.store %next, @executions : tensor<i32>
    %first = arith.addi %n, %n : tensor<i32>
    %second = arith.addi %first, %one : tensor<i32>
    %x = gpuvm.random uniform seed(%s : tensor<2xi32>) stream(%first : tensor<i32>) -> tensor<65536xf32>
    %y = gpuvm.random uniform seed(%s : tensor<2xi32>) stream(%second : tensor<i32>) -> tensor<65536xf32>
    %xx = arith.mulf %x, %x : tensor<65536xf32>
    %yy = arith.mulf %y, %y : tensor<65536xf32>
    %square = arith.addf %xx, %yy : tensor<65536xf32>
    %radius = arith.constant dense<1.0> : tensor<65536xf32>
    %in = arith.cmpf olt, %square, %radius : tensor<65536xf32>
    %each = arith.extui %in : tensor<65536xi1> to tensor<65536xi32>
    %zero = arith.constant dense<0> : tensor<i32>
    %sum = linalg.reduce { arith.addi } ins(%each : tensor<65536xi32>) outs(%zero : tensor<i32>) dimensions = [0]
    gpuvm.send %sum : tensor<i32>
  }
  %out = gpuvm.stage @add(%v = %m : !gpuvm.message<tensor<i32>>) -> tensor<i32> {
    %old = gpuvm.load @total : tensor<i64>
    %wide = arith.extsi %v : tensor<i32> to tensor<i64>
    %new = arith.addi %old, %wide : tensor<i64>
    gpuvm.store %new, @total : tensor<i64>
    gpuvm.send %v : tensor<i32>
  }
  gpuvm.return %out : !gpuvm.message<tensor<i32>>
}
