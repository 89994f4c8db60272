// gpuvm-reduce keeps what the script finds interesting: here, a division. The
// programs beside it go; a pass takes what it can from the one that stays.

// RUN: echo '#!/bin/sh' > %t.sh
// RUN: echo 'grep -q divf "$1" && exit 1 || exit 0' >> %t.sh
// RUN: chmod +x %t.sh
// RUN: gpuvm-reduce %s -reduction-tree='traversal-mode=0 test=%t.sh' | FileCheck %s --check-prefixes=CHECK,TREE
// RUN: gpuvm-reduce %s -opt-reduction-pass='opt-pass=canonicalize test=%t.sh' | FileCheck %s --check-prefixes=CHECK,PASS

// TREE-NOT:    @first
// CHECK-LABEL: gpuvm.program @divide
// PASS-NOT:      stage @unused
// CHECK:         stage @work
// CHECK:           arith.divf
// TREE-NOT:    @last
gpuvm.program @first(%x: tensor<4xf32>) {
  gpuvm.return
}

gpuvm.program @divide(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = gpuvm.stage @unused(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = arith.negf %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %m = gpuvm.stage @work(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %r = arith.divf %v, %v : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4xf32>>
}

gpuvm.program @third(%x: tensor<4xf32>) {
  gpuvm.return
}

gpuvm.program @last(%x: tensor<4xf32>) {
  gpuvm.return
}
