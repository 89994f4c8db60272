// Counts of a stream, added up where they are from chunk to chunk while the host
// fills in the next one, and a row of each chunk in a long table. Some numbers
// lie outside, many are equal; the last chunk is filled up with zeros.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir -p %t
// RUN: %python -c "import numpy as n; n.save('%t/x.npy', n.random.default_rng(5).integers(-50, 1050, 70000).astype('i4'))"
// RUN: gpuvm-compile %s -o %t/p.gvplan --statistics 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: gpuvm-run %t/p.gvplan --validate --stream=x=%t/x.npy --output=counts=@%t/c.npy --output=first=@%t/f.npy --output=seen=@%t/s.npy
// RUN: %python -c "import numpy as n; x = n.append(n.load('%t/x.npy'), n.zeros(2000, 'i4')); c = n.bincount(x[(x >= 0) & (x < 1000)], minlength=1000); assert (n.load('%t/c.npy') == c).all() and n.load('%t/s.npy') == c.sum(); f = n.zeros((20, 1000), 'i4'); f[:18] = x.reshape(18, 4000)[:, :1000]; assert (n.load('%t/f.npy') == f).all(); print('same')" | FileCheck %s

// PLACE: 2 gpuvm-update-in-place - Symbols updated where they are
// CHECK: same

!x = tensor<4000xi32>
!counts = tensor<1000xi32>

gpuvm.program @stream(%x: !x) -> (seen: tensor<i32>) {
  gpuvm.global @counts : !counts
  gpuvm.global @first : tensor<20x1000xi32>
  gpuvm.control @stream.chunk : tensor<i32>
  gpuvm.stage @count(%v = %x : !x) {
    %one = arith.constant dense<1> : !x
    %old = gpuvm.load @counts : !counts
    %new = gpuvm.scatter add %one at %v into %old : (!x, !x, !counts) -> !counts
    gpuvm.store %new, @counts : !counts
    %chunk = gpuvm.load @stream.chunk : tensor<i32>
    %part = tensor.extract_slice %v[0] [1000] [1] : !x to tensor<1000xi32>
    %row = tensor.expand_shape %part [[0, 1]] output_shape [1, 1000] : tensor<1000xi32> into tensor<1x1000xi32>
    gpuvm.store %row, @first[%chunk] : tensor<1x1000xi32>
  }
  %seen = gpuvm.stage @sum() -> tensor<i32> {
    %all = gpuvm.load @counts : !counts
    %zero = arith.constant dense<0> : tensor<i32>
    %s = linalg.reduce { arith.addi } ins(%all : !counts) outs(%zero : tensor<i32>) dimensions = [0]
    gpuvm.send %s : tensor<i32>
  }
  gpuvm.return %seen : !gpuvm.message<tensor<i32>>
}
