// What is above 5 in a file of any length: which elements, their sum and number
// in each chunk, and in the whole file; the latter live in Globals from chunk to
// chunk. The zeros that fill up the last chunk are not above 5; the mean needs to
// know how many rows are real. As long as fewer than `wanted` elements have been
// found, the program asks for more (status 4, NEED_IO).
//
//   gpuvm-compile totals.mlir -o totals.gvplan --keep-metadata
//   gpuvm-run totals.gvplan --input=wanted=i64=1000000 --stream=readings=readings.npy
//     --stream-output=kept=kept.bin --output=total --output=rows

!chunk = tensor<16384xi32>
!kept = tensor<?xi32, #gpuvm.bound<16384>>

gpuvm.program @totals(%readings: !chunk, %wanted: tensor<i64>) -> (kept: !kept, sums: tensor<1x2xi64>) {
  gpuvm.global @total : tensor<2xi64> // Sum and number.
  gpuvm.global @rows : tensor<i64>
  gpuvm.control @stream.rows : tensor<i32> = dense<16384> : tensor<i32>

  %kept = gpuvm.stage @filter(%v = %readings : !chunk) -> !kept {
    %five = arith.constant dense<5> : !chunk
    %keep = arith.cmpi sgt, %v, %five : !chunk
    %k, %n = gpuvm.compact %v where %keep : (!chunk, tensor<16384xi1>) -> (!chunk, tensor<i32>)
    %b = gpuvm.bounded %k[%n] : !chunk -> !kept
    gpuvm.send %b : !kept
  }
  %sums = gpuvm.stage @add(%v = %kept : !gpuvm.message<!kept>) -> tensor<2xi64> {
    %zero = arith.constant dense<0> : tensor<i64>
    %wide = arith.extsi %v : !kept to tensor<?xi64, #gpuvm.bound<16384>>
    %sum = linalg.reduce { arith.addi } ins(%wide : tensor<?xi64, #gpuvm.bound<16384>>) outs(%zero : tensor<i64>) dimensions = [0]
    %n = gpuvm.count %v : !kept
    %number = arith.extsi %n : tensor<i32> to tensor<i64>
    %s1 = tensor.expand_shape %sum [] output_shape [1] : tensor<i64> into tensor<1xi64>
    %n1 = tensor.expand_shape %number [] output_shape [1] : tensor<i64> into tensor<1xi64>
    %both = tensor.concat dim(0) %s1, %n1 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    gpuvm.send %both : tensor<2xi64>
  }
  %out = gpuvm.stage @whole(%s = %sums : !gpuvm.message<tensor<2xi64>>, %w = %wanted : tensor<i64>) -> tensor<1x2xi64> {
    %old = gpuvm.load @total : tensor<2xi64>
    %new = arith.addi %old, %s : tensor<2xi64>
    gpuvm.store %new, @total : tensor<2xi64>
    %chunk = gpuvm.load @stream.rows : tensor<i32>
    %more = arith.extsi %chunk : tensor<i32> to tensor<i64>
    %before = gpuvm.load @rows : tensor<i64>
    %rows = arith.addi %before, %more : tensor<i64>
    gpuvm.store %rows, @rows : tensor<i64>

    %found = tensor.extract_slice %new[1] [1] [1] : tensor<2xi64> to tensor<i64>
    %asks = arith.cmpi slt, %found, %w : tensor<i64>
    %ok = arith.constant dense<0> : tensor<i32>
    %need_io = arith.constant dense<4> : tensor<i32>
    %status = arith.select %asks, %need_io, %ok : tensor<i1>, tensor<i32>
    %row = tensor.expand_shape %s [[0, 1]] output_shape [1, 2] : tensor<2xi64> into tensor<1x2xi64>
    gpuvm.send %row : tensor<1x2xi64> status(%status : tensor<i32>)
  }
  gpuvm.return %kept, %out : !gpuvm.message<!kept>, !gpuvm.message<tensor<1x2xi64>>
}
