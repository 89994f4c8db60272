// RUN: gpuvm-opt %s --gpuvm-materialize-metadata | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-materialize-metadata=keep-all | FileCheck %s --check-prefix=ALL

!v = tensor<64xf32>
!m = !gpuvm.message<!v>

// Of the sender only what the reader asks for: the norm, not the maximum.
// CHECK-LABEL: gpuvm.program @norm
// CHECK-NEXT:    metric @sender.metadata : tensor<4xi32>
// CHECK-NEXT:    stage @sender
// CHECK:           load @sender.metadata : tensor<4xi32>
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NOT:       arith.maximumf
// CHECK:           store %{{.*}}, @sender.metadata : tensor<4xi32>
// CHECK-NEXT:      send
// CHECK:         stage @reader
// CHECK-NEXT:      %[[WORDS:.*]] = load @sender.metadata : tensor<4xi32>
// CHECK-NEXT:      %[[WORD:.*]] = tensor.extract_slice %[[WORDS]][0] [1] [1] : tensor<4xi32> to tensor<i32>
// CHECK-NEXT:      %[[NORM:.*]] = arith.bitcast %[[WORD]] : tensor<i32> to tensor<f32>
// CHECK-NEXT:      send %[[NORM]] : tensor<f32>
// CHECK-NOT:     @reader.metadata

// For the host everything of every message is kept.
// ALL-LABEL: gpuvm.program @norm
// ALL-DAG:     metric @sender.metadata : tensor<4xi32>
// ALL-DAG:     metric @reader.metadata : tensor<4xi32>
// ALL:         stage @sender
// ALL:           arith.maximumf
// ALL:           store %{{.*}}, @sender.metadata
// ALL:         stage @reader
// ALL:           store %{{.*}}, @reader.metadata
gpuvm.program @norm(%x: !v) -> (y: tensor<f32>) {
  %m = gpuvm.stage @sender(%v = %x : !v) -> !v {
    gpuvm.send %v : !v
  }
  %n = gpuvm.stage @reader(%v = %m : !m) -> tensor<f32> {
    %r = gpuvm.metadata norm of %v : !v -> tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %n : !gpuvm.message<tensor<f32>>
}

// Metadata that nobody reads is not computed.
// CHECK-LABEL: gpuvm.program @unread
// CHECK-NOT:     metric
// CHECK:         return
// ALL-LABEL: gpuvm.program @unread
// ALL:         metric @sender.metadata
gpuvm.program @unread(%x: !v) -> (y: !v) {
  %m = gpuvm.stage @sender(%v = %x : !v) -> !v {
    gpuvm.send %v : !v
  }
  gpuvm.return %m : !m
}
