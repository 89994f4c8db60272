// RUN: gpuvm-compile %s --program=chain -o %t.gvplan --report=%t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: gpuvm-opt %s --gpuvm-pipeline="report=%t.both.json chains=always" -o %t.mlir
// RUN: FileCheck %s --input-file=%t.both.json --check-prefix=BOTH
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=CLEAN
// RUN: not gpuvm-opt %s --gpuvm-write-report=file=%t.no/report.json 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: gpuvm-plan show %t.gvplan --format=json | FileCheck %s --check-prefix=FUSED
// RUN: gpuvm-compile %s --program=chain -o %t.apart.gvplan --disable-fusion
// RUN: gpuvm-plan show %t.apart.gvplan --format=json | FileCheck %s --check-prefix=APART

// CHECK:      "bytes_saved": 256
// CHECK-NEXT: "first": "a"
// CHECK-NEXT: "fused": true
// CHECK-NEXT: "reason": "the message stays in registers"
// CHECK-NEXT: "second": "b"
// CHECK:      "program": "chain"
// CHECK-NOT:  "program"

// One file says all about every program of the module.
// BOTH:      "programs"
// BOTH:      "chains": []
// BOTH:      "decisions"
// BOTH:      "program": "chain"
// BOTH:      "chains"
// BOTH:      "chained": true
// BOTH:      "apart": {{[0-9.]+}}
// BOTH:      "reason": "chains are asked for"
// BOTH:      "decisions"
// BOTH:      "fused": false
// BOTH-NEXT: "reason": "no kernel can hold operations of both: they do not walk the same elements in the same order"
// BOTH:      "program": "shifted"

// CLEAN-NOT: gpuvm.decisions

// NOFILE: error: cannot write the fusion report "{{.*}}report.json" (No such file or directory)

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

gpuvm.program @shifted(%x: !v) -> (y: !v) {
  %a = gpuvm.stage @c(%v = %x : !v) -> !v {
    %r = math.exp %v : !v
    gpuvm.send %r : !v
  }
  %b = gpuvm.stage @d(%v = %a : !gpuvm.message<!v>) -> !v {
    %left = tensor.extract_slice %v[0] [63] [1] : !v to tensor<63xf32>
    %last = tensor.extract_slice %v[63] [1] [1] : !v to tensor<1xf32>
    %turned = tensor.concat dim(0) %last, %left : (tensor<1xf32>, tensor<63xf32>) -> !v
    %r = arith.mulf %turned, %v : !v
    gpuvm.send %r : !v
  }
  gpuvm.return %b : !gpuvm.message<!v>
}
