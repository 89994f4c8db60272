// RUN: gpuvm-compile %s -o %t.gvplan --report=%t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: gpuvm-plan show %t.gvplan --format=json | FileCheck %s --check-prefix=FUSED
// RUN: gpuvm-compile %s -o %t.apart.gvplan --disable-fusion
// RUN: gpuvm-plan show %t.apart.gvplan --format=json | FileCheck %s --check-prefix=APART

// CHECK:      "bytes_saved": 256
// CHECK-NEXT: "first": "a"
// CHECK-NEXT: "fused": true
// CHECK-NEXT: "reason": "the message stays in registers"
// CHECK-NEXT: "second": "b"
// CHECK:      "program": "chain"

// FUSED-COUNT-1: "op": "dispatch"
// FUSED-NOT:     "op"
// APART: "op": "dispatch"
// APART: "op": "barrier"
// APART: "op": "dispatch"
// APART-NOT: "op"

!v = tensor<64xf32>
gpuvm.program @chain(%x: !v) -> (y: !v) {
  %a = gpuvm.stage @a(%v = %x : !v) -> !v {
    %r = arith.addf %v, %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @b(%v = %a : !gpuvm.message<!v>) -> !v {
    %r = arith.mulf %v, %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %b : !gpuvm.message<!v>
}
