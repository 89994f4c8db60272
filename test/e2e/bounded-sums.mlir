// Reductions of rows that the device counts walk over those that are there: in
// parts, in columns, one element after the other, of several numbers a row.
// bounded_sums.py has the sums of NumPy.

// REQUIRES: numpy
// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-compile %s --disable-fusion -o %t.apart.gvplan
// RUN: %python %S/bounded_sums.py %t %t.gvplan %t.apart.gvplan

!wide = tensor<?x64xi32, #gpuvm.bound<20011>>
!narrow = tensor<?x3xi32, #gpuvm.bound<20011>>
!rows = tensor<?xf32, #gpuvm.bound<20011>>
!few = tensor<?xi32, #gpuvm.bound<40>>
gpuvm.program @sums(%wide: tensor<20011x64xi32>, %narrow: tensor<20011x3xi32>, %x: tensor<20011xf32>, %few: tensor<40xi32>,
                    %count: tensor<i32>, %less: tensor<i32>)
    -> (columns: tensor<64xi32>, all: tensor<i32>, three: tensor<3xi32>, sum: tensor<f64>, most: tensor<f32>, short: tensor<i32>) {
  %a, %b, %c, %d = gpuvm.stage @count(%w = %wide : tensor<20011x64xi32>, %n = %narrow : tensor<20011x3xi32>, %v = %x : tensor<20011xf32>,
                                      %f = %few : tensor<40xi32>, %k = %count : tensor<i32>, %l = %less : tensor<i32>)
      -> (!wide, !narrow, !rows, !few) {
    %0 = gpuvm.bounded %w[%k] : tensor<20011x64xi32> -> !wide
    %1 = gpuvm.bounded %n[%k] : tensor<20011x3xi32> -> !narrow
    %2 = gpuvm.bounded %v[%k] : tensor<20011xf32> -> !rows
    %3 = gpuvm.bounded %f[%l] : tensor<40xi32> -> !few
    gpuvm.send %0, %1, %2, %3 : !wide, !narrow, !rows, !few
  }
  %columns, %all, %three, %sum, %most, %short = gpuvm.stage @reduce(%w = %a : !gpuvm.message<!wide>, %n = %b : !gpuvm.message<!narrow>,
      %v = %c : !gpuvm.message<!rows>, %f = %d : !gpuvm.message<!few>)
      -> (tensor<64xi32>, tensor<i32>, tensor<3xi32>, tensor<f64>, tensor<f32>, tensor<i32>) {
    %zeros64 = arith.constant dense<0> : tensor<64xi32>
    %zeros3 = arith.constant dense<0> : tensor<3xi32>
    %zero = arith.constant dense<0> : tensor<i32>
    %none = arith.constant dense<0.0> : tensor<f64>
    %least = arith.constant dense<-1000.0> : tensor<f32>
    %0 = linalg.reduce { arith.addi } ins(%w : !wide) outs(%zeros64 : tensor<64xi32>) dimensions = [0]
    %1 = linalg.reduce { arith.addi } ins(%w : !wide) outs(%zero : tensor<i32>) dimensions = [0, 1]
    %2 = linalg.reduce { arith.addi } ins(%n : !narrow) outs(%zeros3 : tensor<3xi32>) dimensions = [0]
    %y = arith.extf %v : !rows to tensor<?xf64, #gpuvm.bound<20011>>
    %3 = linalg.reduce { arith.addf } ins(%y : tensor<?xf64, #gpuvm.bound<20011>>) outs(%none : tensor<f64>) dimensions = [0]
    %4 = linalg.reduce { arith.maximumf } ins(%v : !rows) outs(%least : tensor<f32>) dimensions = [0]
    %5 = linalg.reduce { arith.addi } ins(%f : !few) outs(%zero : tensor<i32>) dimensions = [0]
    gpuvm.send %0, %1, %2, %3, %4, %5 : tensor<64xi32>, tensor<i32>, tensor<3xi32>, tensor<f64>, tensor<f32>, tensor<i32>
  }
  gpuvm.return %columns, %all, %three, %sum, %most, %short : !gpuvm.message<tensor<64xi32>>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<3xi32>>,
      !gpuvm.message<tensor<f64>>, !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<i32>>
}
