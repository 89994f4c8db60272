// A scatter into what a symbol holds, which is stored there, is given the symbol
// itself where all who read the old value can do so before.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-lower-when,gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-update-in-place,gpuvm-schedule,gpuvm-store-in-place,gpuvm-reschedule,gpuvm-plan-memory))' | FileCheck %s
// RUN: gpuvm-opt %s --gpuvm-pipeline=in-place=false | FileCheck %s --check-prefix=OFF

!n = tensor<100xi32>
!t = tensor<5000xi32>

// No copy, no store; who reads the old value comes first, however late he is.
// CHECK-LABEL: gpuvm.program @readers
// CHECK:         global @t {{.*}}window = #gpuvm.window<globals, 0, 20000>
// CHECK-NOT:     flow.dispatch @update_map
// CHECK:         flow.dispatch @read_reduce reduce ["read"]
// CHECK:         flow.dispatch @read_reduce_1 reduce ["read"]({{.*}}) attributes {input_windows = [{{.*}}#gpuvm.window<globals, 0, 20000>
// CHECK:         flow.dispatch @update_scatter scatter ["update"]({{.*}}) attributes {input_windows = [{{.*}}#gpuvm.window<globals, 0, 20000>], output_windows = [#gpuvm.window<globals, 0, 20000>]
// CHECK:         flow.dispatch @after_reduce reduce ["after"]
// CHECK-NOT:     store
// CHECK:         return
// OFF-LABEL:   plan.program @readers
// OFF:           plan.copy {{.*}} for [1]{{$}}
gpuvm.program @readers(%x: !n, %p: !n) -> (a: tensor<i32>, b: tensor<i32>) {
  gpuvm.global @t : !t
  %a = gpuvm.stage @read(%v = %x : !n) -> tensor<i32> {
    %t = gpuvm.load @t : !t
    %zero = arith.constant dense<0> : tensor<i32>
    %s = linalg.reduce { arith.addi } ins(%v : !n) outs(%zero : tensor<i32>) dimensions = [0]
    %r = linalg.reduce { arith.maxsi } ins(%t : !t) outs(%s : tensor<i32>) dimensions = [0]
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.stage @update(%v = %x : !n, %at = %p : !n) {
    %t = gpuvm.load @t : !t
    %new = gpuvm.scatter add %v at %at into %t : (!n, !n, !t) -> !t
    gpuvm.store %new, @t : !t
  }
  %b = gpuvm.stage @after() -> tensor<i32> {
    %t = gpuvm.load @t : !t
    %zero = arith.constant dense<0> : tensor<i32>
    %r = linalg.reduce { arith.addi } ins(%t : !t) outs(%zero : tensor<i32>) dimensions = [0]
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %a, %b : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
}

// Who reads the old and the new value together gets a copy of the old one.
// CHECK-LABEL: gpuvm.program @both
// CHECK:         flow.dispatch @update_map{{[_0-9]*}} map {{.*}}output_windows = [#gpuvm.window<registers, [[COPY:[0-9]+]], 20000>]
// CHECK:         flow.dispatch @update_scatter{{[_0-9]*}} scatter {{.*}}output_windows = [#gpuvm.window<globals, 0, 20000>]
// CHECK:         flow.dispatch @update_map{{[_0-9]*}} map {{.*}}input_windows = [#gpuvm.window<globals, 0, 20000>, #gpuvm.window<registers, [[COPY]], 20000>]
// CHECK-NOT:     store
// CHECK:         return
gpuvm.program @both(%x: !n, %p: !n) -> (changed: !t) {
  gpuvm.global @t : !t
  %changed = gpuvm.stage @update(%v = %x : !n, %at = %p : !n) -> !t {
    %t = gpuvm.load @t : !t
    %new = gpuvm.scatter add %v at %at into %t : (!n, !n, !t) -> !t
    %c = arith.subi %new, %t : !t
    gpuvm.store %new, @t : !t
    gpuvm.send %c : !t
  }
  gpuvm.return %changed : !gpuvm.message<!t>
}

// So does the update itself, which looks at elements that it may have changed.
// CHECK-LABEL: gpuvm.program @itself
// CHECK:         flow.dispatch @update_map{{[_0-9]*}} map {{.*}}output_windows = [#gpuvm.window<registers, [[COPY:[0-9]+]], 20000>]
// CHECK:         flow.dispatch @update_scatter{{[_0-9]*}} scatter {{.*}}input_windows = [#gpuvm.window<registers, [[COPY]], 20000>, {{.*}}output_windows = [#gpuvm.window<globals, 0, 20000>]
// CHECK-NOT:     store
// CHECK:         return
gpuvm.program @itself(%from: !n, %p: !n) {
  gpuvm.global @t : !t
  gpuvm.stage @update(%f = %from : !n, %at = %p : !n) {
    %t = gpuvm.load @t : !t
    %v = gpuvm.gather %t[%f] : !t, !n -> !n
    %new = gpuvm.scatter add %v at %at into %t : (!n, !n, !t) -> !t
    gpuvm.store %new, @t : !t
  }
  gpuvm.return
}

// What is stored to meanwhile is not what the update begins with.
// CHECK-LABEL: gpuvm.program @between
// CHECK:         flow.dispatch @update_scatter{{[_0-9]*}} scatter {{.*}}output_windows = [#gpuvm.window<registers
gpuvm.program @between(%x: !n, %p: !n) {
  gpuvm.global @t : !t
  gpuvm.stage @update(%v = %x : !n, %at = %p : !n) {
    %t = gpuvm.load @t : !t
    %new = gpuvm.scatter add %v at %at into %t : (!n, !n, !t) -> !t
    %zero = arith.constant dense<7> : !n
    gpuvm.store %zero, @t[0] : !n
    gpuvm.store %new, @t : !t
  }
  gpuvm.return
}

// Nor can what is read behind the next store stay where it is.
// CHECK-LABEL: gpuvm.program @outlives
// CHECK:         flow.dispatch @update_scatter{{[_0-9]*}} scatter {{.*}}output_windows = [#gpuvm.window<registers
gpuvm.program @outlives(%x: !n, %p: !n, %y: !t) -> (new: !t) {
  gpuvm.global @t : !t
  %new = gpuvm.stage @update(%v = %x : !n, %at = %p : !n) -> !t {
    %t = gpuvm.load @t : !t
    %new = gpuvm.scatter add %v at %at into %t : (!n, !n, !t) -> !t
    gpuvm.store %new, @t : !t
    gpuvm.send %new : !t
  }
  gpuvm.stage @replace(%v = %y : !t) {
    gpuvm.store %v, @t : !t
  }
  gpuvm.return %new : !gpuvm.message<!t>
}

// On a condition: the update has it, so that it changes nothing else.
// CHECK-LABEL: gpuvm.program @condition
// CHECK-NOT:     flow.dispatch @update_map
// CHECK:         flow.dispatch @update_scatter{{[_0-9]*}} scatter {{.*}}output_windows = [#gpuvm.window<globals, 0, 20000>]
// CHECK:           [[NOWHERE:%.+]] = arith.constant dense<-1> : tensor<100xi32>
// CHECK:           arith.select
// CHECK:           scatter add
// CHECK-NOT:     store
// CHECK:         return
gpuvm.program @condition(%x: !n, %p: !n, %c: tensor<i1>) {
  gpuvm.global @t : !t
  gpuvm.stage @update when(%c : tensor<i1>) (%v = %x : !n, %at = %p : !n) {
    %t = gpuvm.load @t : !t
    %new = gpuvm.scatter add %v at %at into %t : (!n, !n, !t) -> !t
    gpuvm.store %new, @t : !t
  }
  gpuvm.return
}

// What the update makes is needed to find the condition of the store.
// CHECK-LABEL: gpuvm.program @unknown
// CHECK:         flow.dispatch @try_scatter{{[_0-9]*}} scatter {{.*}}output_windows = [#gpuvm.window<registers
gpuvm.program @unknown(%x: !n, %p: !n) {
  gpuvm.global @t : !t
  %new, %fits = gpuvm.stage @try(%v = %x : !n, %at = %p : !n) -> (!t, tensor<i1>) {
    %t = gpuvm.load @t : !t
    %new = gpuvm.scatter add %v at %at into %t : (!n, !n, !t) -> !t
    %zero = arith.constant dense<0> : tensor<i32>
    %most = linalg.reduce { arith.maxsi } ins(%new : !t) outs(%zero : tensor<i32>) dimensions = [0]
    %limit = arith.constant dense<100> : tensor<i32>
    %fits = arith.cmpi slt, %most, %limit : tensor<i32>
    gpuvm.send %new, %fits : !t, tensor<i1>
  }
  gpuvm.stage @keep when(%fits : !gpuvm.message<tensor<i1>>) (%v = %new : !gpuvm.message<!t>) {
    gpuvm.store %v, @t : !t
  }
  gpuvm.return
}

// Somebody needs the result whatever the condition says.
// CHECK-LABEL: gpuvm.program @needed
// CHECK:         flow.dispatch @try_scatter{{[_0-9]*}} scatter {{.*}}output_windows = [#gpuvm.window<registers
gpuvm.program @needed(%x: !n, %p: !n, %c: tensor<i1>) -> (new: !t) {
  gpuvm.global @t : !t
  %new = gpuvm.stage @try(%v = %x : !n, %at = %p : !n) -> !t {
    %t = gpuvm.load @t : !t
    %new = gpuvm.scatter add %v at %at into %t : (!n, !n, !t) -> !t
    gpuvm.send %new : !t
  }
  gpuvm.stage @keep when(%c : tensor<i1>) (%v = %new : !gpuvm.message<!t>) {
    gpuvm.store %v, @t : !t
  }
  gpuvm.return %new : !gpuvm.message<!t>
}

// Rows, and a slice of a symbol.
// CHECK-LABEL: gpuvm.program @rows
// CHECK:         flow.dispatch @update_scatter{{[_0-9]*}} scatter {{.*}}output_windows = [#gpuvm.window<globals, 768, 12000>]
// CHECK-NOT:     store
// CHECK:         return
gpuvm.program @rows(%x: tensor<100x3xi32>, %p: !n) {
  gpuvm.global @t : tensor<1200x3xi32>
  gpuvm.stage @update(%v = %x : tensor<100x3xi32>, %at = %p : !n) {
    %t = gpuvm.load @t[64] : tensor<1000x3xi32>
    %new = gpuvm.scatter add %v at %at into %t : (tensor<100x3xi32>, !n, tensor<1000x3xi32>) -> tensor<1000x3xi32>
    gpuvm.store %new, @t[64] : tensor<1000x3xi32>
  }
  gpuvm.return
}

// A few rows at a position of the device; few rows of a small symbol are made
// with all others.
// CHECK-LABEL: gpuvm.program @positioned
// CHECK:         flow.dispatch @write_scatter{{[_0-9]*}} scatter {{.*}}output_windows = [#gpuvm.window<globals, 0, 80000>]
// CHECK:           scatter last {{.*}} {distinct}
// CHECK-NOT:     scatter
// CHECK:         flow.dispatch @write_map{{[_0-9]*}} map {{.*}}output_windows = [#gpuvm.window<globals, {{[0-9]+}}, 800>]
// CHECK-NOT:     store
// CHECK:         return
gpuvm.program @positioned(%x: tensor<1x4xf32>, %next: tensor<i32>) {
  gpuvm.global @large : tensor<5000x4xf32>
  gpuvm.global @small : tensor<50x4xf32>
  gpuvm.stage @write(%v = %x : tensor<1x4xf32>, %at = %next : tensor<i32>) {
    gpuvm.store %v, @large[%at] : tensor<1x4xf32>
    gpuvm.store %v, @small[%at] : tensor<1x4xf32>
  }
  gpuvm.return
}
