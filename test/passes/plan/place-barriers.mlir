// RUN: gpuvm-opt %s --gpuvm-place-barriers | FileCheck %s --implicit-check-not=plan.barrier
// RUN: gpuvm-opt %s --gpuvm-place-barriers=minimal=false | FileCheck %s --check-prefix=ALL

// Bytes decide, nothing else. Commands are numbered with the barriers counted, through all programs.

#x = #gpuvm.window<registers, 0, 32>
#wide = #gpuvm.window<registers, 2048, 288>
#a = #gpuvm.window<registers, 256, 32>
#b = #gpuvm.window<registers, 512, 32>
#c = #gpuvm.window<registers, 768, 32>
#d = #gpuvm.window<registers, 1024, 32>
#both = #gpuvm.window<registers, 512, 544>

plan.module @barriers regions [4096, 0, 1024, 256, 0] instances 0 {
  plan.kernel @map local_size [64, 1, 1] workgroup_memory 0 features []
      bindings [#plan.binding<0, read>, #plan.binding<5, write>] attributes {spirv = array<i32: 119734787>} {
  }
  plan.kernel @add local_size [64, 1, 1] workgroup_memory 0 features []
      bindings [#plan.binding<0, read>, #plan.binding<5, read>, #plan.binding<10, write>] attributes {spirv = array<i32: 119734787>} {
  }
  plan.kernel @scan local_size [64, 1, 1] workgroup_memory 0 features []
      bindings [#plan.binding<0, read>, #plan.binding<5, write>, #plan.binding<10, readwrite>] attributes {spirv = array<i32: 119734787>} {
  }
  plan.kernel @store local_size [64, 1, 1] workgroup_memory 0 features []
      bindings [#plan.binding<0, read>, #plan.binding<2, write>] attributes {spirv = array<i32: 119734787>} {
  }
  plan.kernel @count local_size [64, 1, 1] workgroup_memory 0 features []
      bindings [#plan.binding<0, read>, #plan.binding<3, write>] attributes {spirv = array<i32: 119734787>} {
  }
  plan.kernel @plain local_size [64, 1, 1] workgroup_memory 0 features [] bindings [#plan.binding<0, read>]
      attributes {spirv = array<i32: 119734787>, variants = [@map]} {
  }

  // Two barriers for A -> {B, C} -> D: both readers of A after the first one, both writers for D before the second.
  // CHECK-LABEL: plan.program @diamond
  // CHECK-NEXT:    dispatch @map
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<RAW, 0 -> 2, <registers, 256, 32>>, #gpuvm.hazard<RAW, 0 -> 3, <registers, 256, 32>>]
  // CHECK-NEXT:    dispatch @map
  // CHECK-NEXT:    dispatch @map
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<RAW, 2 -> 5, <registers, 512, 32>>, #gpuvm.hazard<RAW, 3 -> 5, <registers, 768, 32>>]
  // CHECK-NEXT:    dispatch @add

  // One after every command but the last.
  // ALL-LABEL: plan.program @diamond
  // ALL-NEXT:    dispatch @map
  // ALL-NEXT:    plan.barrier
  // ALL-NEXT:    dispatch @map
  // ALL-NEXT:    plan.barrier []
  // ALL-NEXT:    dispatch @map
  // ALL-NEXT:    plan.barrier
  // ALL-NEXT:    dispatch @add
  // ALL-NEXT:  }
  plan.program @diamond {
    plan.dispatch @map groups [1, 1, 1] windows [#x, #a] for []
    plan.dispatch @map groups [1, 1, 1] windows [#a, #b] for []
    plan.dispatch @map groups [1, 1, 1] windows [#a, #c] for []
    plan.dispatch @add groups [1, 1, 1] windows [#b, #c, #d] for []
  }

  // Readers do not wait for readers; another program waits for none of the first one's commands.
  // CHECK-LABEL: plan.program @readers
  // ALL-LABEL: plan.program @readers
  // ALL-NEXT:    dispatch
  // ALL-NEXT:    plan.barrier []
  // ALL-NEXT:    dispatch
  // ALL-NEXT:  }
  plan.program @readers {
    plan.dispatch @map groups [1, 1, 1] windows [#x, #a] for []
    plan.dispatch @map groups [1, 1, 1] windows [#x, #b] for []
  }

  // What writes a window that others read before waits for them.
  // CHECK-LABEL: plan.program @writeAfterRead
  // CHECK-NEXT:    dispatch
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<WAR, 8 -> 10, <registers, 0, 32>>]
  // CHECK-NEXT:    dispatch
  plan.program @writeAfterRead {
    plan.dispatch @map groups [1, 1, 1] windows [#x, #a] for []
    plan.dispatch @map groups [1, 1, 1] windows [#c, #x] for []
  }

  // CHECK-LABEL: plan.program @writeAfterWrite
  // CHECK-NEXT:    dispatch
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<WAW, 11 -> 13, <registers, 256, 32>>]
  // CHECK-NEXT:    dispatch
  plan.program @writeAfterWrite {
    plan.dispatch @map groups [1, 1, 1] windows [#x, #a] for []
    plan.dispatch @map groups [1, 1, 1] windows [#c, #a] for []
  }

  // Common bytes are enough and are what the reason says; the bytes next to a window are not common.
  // CHECK-LABEL: plan.program @bytes
  // CHECK-NEXT:    dispatch
  // CHECK-NEXT:    dispatch
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<RAW, 14 -> 17, <registers, 1024, 32>>]
  // CHECK-NEXT:    dispatch
  plan.program @bytes {
    plan.dispatch @map groups [1, 1, 1] windows [#wide, #both] for []
    plan.dispatch @map groups [1, 1, 1] windows [#gpuvm.window<registers, 1280, 32>, #a] for []
    plan.dispatch @map groups [1, 1, 1] windows [#d, #gpuvm.window<registers, 1536, 4>] for []
  }

  // The same offset in another region is another place.
  // CHECK-LABEL: plan.program @regions
  plan.program @regions {
    plan.dispatch @store groups [1, 1, 1] windows [#x, #gpuvm.window<globals, 256, 32>] for []
    plan.dispatch @map groups [1, 1, 1] windows [#a, #b] for []
  }

  // Copies are commands; scratch memory is read and written.
  // CHECK-LABEL: plan.program @copies
  // CHECK-NEXT:    copy
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<RAW, 20 -> 22, <registers, 256, 32>>]
  // CHECK-NEXT:    dispatch
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<WAR, 22 -> 24, <registers, 768, 32>>, #gpuvm.hazard<RAW, 22 -> 24, <registers, 768, 32>>, #gpuvm.hazard<WAW, 22 -> 24, <registers, 768, 32>>]
  // CHECK-NEXT:    dispatch
  plan.program @copies {
    plan.copy #x to #a for []
    plan.dispatch @scan groups [1, 1, 1] windows [#a, #b, #c] for []
    plan.dispatch @scan groups [1, 1, 1] windows [#x, #d, #c] for []
  }

  // An indirect dispatch reads its counts, and a variant of a kernel does what it does on some devices.
  // CHECK-LABEL: plan.program @indirect
  // CHECK-NEXT:    dispatch @count
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<RAW, 25 -> 27, <control, 0, 12>>]
  // CHECK-NEXT:    dispatch_indirect @plain
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<RAW, 27 -> 29, <registers, 256, 32>>]
  // CHECK-NEXT:    dispatch
  plan.program @indirect {
    plan.dispatch @count groups [1, 1, 1] windows [#x, #gpuvm.window<control, 0, 12>] for []
    plan.dispatch_indirect @plain control 0 windows [#x, #a] for []
    plan.dispatch @map groups [1, 1, 1] windows [#a, #b] for []
  }

  // A loop begins with a barrier, for what its last commands leave its first ones; a window that rotates is another one by then.
  // CHECK-LABEL: plan.program @loops
  // CHECK-NEXT:    repeat 4 times
  // CHECK-NEXT:      plan.barrier [#gpuvm.hazard<RAW, 34 -> 32, <registers, 512, 32>>, #gpuvm.hazard<WAR, 34 -> 32, <registers, 768, 32>>]
  // CHECK-NEXT:      dispatch
  // CHECK-NEXT:      plan.barrier [#gpuvm.hazard<WAR, 32 -> 34, <registers, 512, 32>>, #gpuvm.hazard<RAW, 32 -> 34, <registers, 768, 32>>]
  // CHECK-NEXT:      dispatch
  // CHECK:         repeat 4 times rotating
  // CHECK-NEXT:      plan.barrier [#gpuvm.hazard<RAW, 37 -> 37, <registers, 256, 32>>, #gpuvm.hazard<WAR, 37 -> 37, <registers, 1024, 32>>]
  // CHECK-NEXT:      dispatch
  plan.program @loops {
    plan.repeat 4 times {
      plan.dispatch @map groups [1, 1, 1] windows [#b, #c] for []
      plan.dispatch @map groups [1, 1, 1] windows [#c, #b] for []
    }
    plan.repeat 4 times rotating [[#a, #d]] from 0 {
      plan.dispatch @map groups [1, 1, 1] windows [#a, #d] for []
    }
  }

  // What some devices leave out waits for the command before it alone, by a barrier that they leave out, too.
  // CHECK-LABEL: plan.program @leftOut
  // CHECK-NEXT:    dispatch @map
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<RAW, 38 -> 40, <registers, 256, 32>>, #gpuvm.hazard<WAW, 38 -> 40, <registers, 256, 32>>] unless "unlimited_loops"
  // CHECK-NEXT:    dispatch_indirect @add
  // CHECK-NEXT:    plan.barrier [#gpuvm.hazard<RAW, 38 -> 42, <registers, 256, 32>>]
  // CHECK-NEXT:    dispatch @map
  plan.program @leftOut {
    plan.dispatch @map groups [1, 1, 1] windows [#x, #a] for []
    plan.dispatch_indirect @add control 0 windows [#x, #a, #a] for [] unless "unlimited_loops"
    plan.dispatch @map groups [1, 1, 1] windows [#a, #b] for []
  }
}
