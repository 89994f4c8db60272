// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

//===-- chain.plan ---------------------------------------------------------===//

// expected-error @below {{C1: there are five region sizes, not 4}}
chain.plan @plan_c1_count regions [256, 0, 0, 0] instances 0 {
}

// -----

// expected-error @below {{C1: a region has -1 bytes}}
chain.plan @plan_c1_size regions [256, 0, -1, 0, 0] instances 0 {
}

// -----

// expected-error @below {{C6: what is shared or transient is not in the regions}}
chain.plan @plan_c6_size regions [256, 0, 0, 0, 0] instances 0 shared [512, 0, 0, 0, 0] transient [256, 256] {
}

// -----

// expected-error @below {{C6: what is shared or transient is not in the regions}}
chain.plan @plan_c6_order regions [1024, 0, 0, 0, 0] instances 0 shared [0, 0, 0, 0, 0] transient [512, 256] {
}

// -----

// expected-error @below {{C6: what is shared or transient is not in the regions}}
chain.plan @plan_c6_count regions [1024, 0, 0, 0, 0] instances 0 shared [0, 0, 0, 0] transient [0, 256] {
}

// -----

chain.plan @plan_c2_past_end regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: window #gpuvm.window<registers, 0, 260> does not fit region registers (256 bytes)}}
  chain.fill <registers, 0, 260> with 0 for []
}

// -----

chain.plan @repeat_c4_length regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C4: #gpuvm.window<registers, 0, 4> is not a byte of registers}}
  chain.repeat 2 times while <registers, 0, 4> {
    chain.barrier []
  }
}

// -----

chain.plan @repeat_c4_region regions [256, 0, 256, 0, 0] instances 0 {
  // expected-error @below {{C4: #gpuvm.window<globals, 0, 1> is not a byte of registers}}
  chain.repeat 2 times while <globals, 0, 1> {
    chain.barrier []
  }
}

// -----

chain.plan @repeat_c1_empty regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: has no commands}}
  chain.repeat 2 times {
  }
}

// -----

chain.plan @repeat_c1_times regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: cannot run 0 times}}
  chain.repeat 0 times {
    chain.barrier []
  }
}

// -----

chain.plan @repeat_c5 regions [256, 0, 0, 0, 0] instances 0 {
  chain.repeat 2 times {
    chain.repeat 3 times {
      // expected-error @below {{C5: is not a command, and stands in a repeat}}
      %x = arith.constant 1 : i32
    }
  }
}

// -----

chain.plan @repeat_window regions [256, 0, 0, 0, 0] instances 0 {
  chain.repeat 2 times {
    // expected-error @below {{C2: window #gpuvm.window<registers, 0, 260> does not fit region registers (256 bytes)}}
    chain.fill <registers, 0, 260> with 0 for []
  }
}

// -----

chain.plan @plan_c2_alignment regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: window #gpuvm.window<registers, 64, 64> does not fit region registers (256 bytes)}}
  chain.fill <registers, 64, 64> with 0 for []
}

// -----

chain.plan @plan_c2_overflow regions [512, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: window #gpuvm.window<registers, 256, 18446744073709551612> does not fit region registers (512 bytes)}}
  chain.fill <registers, 256, 18446744073709551612> with 0 for []
}

// -----

chain.plan @plan_c3_kernel regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C3: the plan has no kernel "missing"}}
  chain.dispatch "missing" groups [1, 1, 1] windows [] for []
}

// -----

chain.plan @plan_c3_count regions [256, 0, 0, 0, 0] instances 0 {
  chain.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features [] bindings [#chain.binding<0, read>]
      attributes {spirv = array<i32: 119734787>} {
  }
  // expected-error @below {{C3: kernel "k" has 1 bindings, not 0}}
  chain.dispatch "k" groups [1, 1, 1] windows [] for []
}

// -----

chain.plan @plan_c3_region regions [256, 256, 0, 0, 0] instances 0 {
  chain.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features [] bindings [#chain.binding<5, read>]
      attributes {spirv = array<i32: 119734787>} {
  }
  // expected-error @below {{C3: binding 5 is not in region metrics}}
  chain.dispatch "k" groups [1, 1, 1] windows [#gpuvm.window<metrics, 0, 4>] for []
}

// -----

chain.plan @plan_c3_indirect regions [256, 0, 0, 256, 0] instances 0 {
  // expected-error @below {{C3: the plan has no kernel "missing"}}
  chain.dispatch_indirect "missing" control 0 windows [] for []
}

// -----

chain.plan @plan_c4_name regions [256, 0, 0, 0, 0] instances 0 {
  chain.output "y" : tensor<4xf32> at <registers, 0, 16>
  // expected-error @below {{C4: "y" is there twice}}
  chain.output "y" : tensor<4xf32> at <registers, 0, 16>
}

// -----

chain.plan @plan_c4_operation regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C4: cannot stand in a plan}}
  %c = arith.constant 0 : i32
}

// -----

chain.plan @plan_c5_kernel regions [256, 0, 0, 0, 0] instances 1 {
  // expected-error @below {{C5: the plan has no kernel 0 (it has 0)}}
  chain.stage "s" instance 0 kernels [0]
}

// -----

chain.plan @plan_c5_stage regions [256, 0, 0, 0, 0] instances 1 {
  // expected-error @below {{C5: the plan has no instance 1 (it has 1)}}
  chain.stage "s" instance 1 kernels []
}

// -----

chain.plan @plan_c5_command regions [256, 0, 0, 0, 0] instances 1 {
  chain.stage "s" instance 0 kernels []
  // expected-error @below {{C5: the plan has no stage 1 (it has 1)}}
  chain.fill <registers, 0, 64> with 0 for [0, 1]
}

// -----

chain.plan @plan_c5_ascending regions [256, 0, 0, 0, 0] instances 1 {
  chain.stage "s" instance 0 kernels []
  chain.stage "t" instance 0 kernels []
  chain.repeat 2 times {
    // expected-error @below {{C5: stage 0 stands after stage 1}}
    chain.fill <registers, 0, 64> with 0 for [1, 0]
  }
}

// -----

chain.plan @plan_c5_register regions [256, 0, 0, 0, 0] instances 1 {
  // expected-error @below {{C5: the plan has no instance -1 (it has 1)}}
  chain.register 0 of -1 : tensor<4xf32> at <registers, 0, 16>
}

// -----

//===-- slots --------------------------------------------------------------===//

chain.plan @input_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: a window of 12 bytes does not hold 'tensor<4xf32>'}}
  chain.input "x" : tensor<4xf32> at <registers, 0, 12> on execution
}

// -----

chain.plan @output_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: a window of 12 bytes does not hold 'tensor<4xf32>'}}
  chain.output "x" : tensor<4xf32> at <registers, 0, 12>
}

// -----

chain.plan @symbol_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: a window of 7 bytes does not hold 'tensor<i64>'}}
  chain.symbol "x" : tensor<i64> at <registers, 0, 7>
}

// -----

chain.plan @register_c1 regions [256, 0, 0, 0, 0] instances 1 {
  // expected-error @below {{C1: a window of 8 bytes does not hold 'tensor<9xi1>'}}
  chain.register 0 of 0 : tensor<9xi1> at <registers, 0, 8>
}

// -----

chain.plan @register_c2 regions [256, 0, 0, 0, 0] instances 1 {
  // expected-error @below {{C2: there is no register -1 (they count from 0)}}
  chain.register -1 of 0 : tensor<4xf32> at <registers, 0, 16>
}

// -----

chain.plan @data_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: a window of 4 bytes does not hold 'tensor<2xf32>'}}
  chain.data dense<1.0> : tensor<2xf32> at <registers, 0, 4>
}

// -----

//===-- kernels ------------------------------------------------------------===//

chain.plan @kernel_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: binding 0 does not ascend}}
  chain.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features []
      bindings [#chain.binding<5, read>, #chain.binding<0, read>]
      attributes {spirv = array<i32: 119734787>} {
  }
}

// -----

chain.plan @kernel_c2_neither regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: has either one spirv.module or SPIR-V words}}
  chain.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features [] bindings [] {
  }
}

// -----

chain.plan @kernel_c2_both regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: has either one spirv.module or SPIR-V words}}
  chain.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features [] bindings []
      attributes {spirv = array<i32: 119734787>} {
    spirv.module Logical GLSL450 {
    }
  }
}

// -----

chain.plan @kernel_c3 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C3: local_size is three positive numbers}}
  chain.kernel "k" local_size [0, 1, 1] workgroup_memory 0 features [] bindings []
      attributes {spirv = array<i32: 119734787>} {
  }
}

// -----

//===-- commands -----------------------------------------------------------===//

chain.plan @dispatch_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: groups are three positive numbers}}
  chain.dispatch "k" groups [1, 0, 1] windows [] for []
}

// -----

chain.plan @dispatch_indirect_c1 regions [256, 0, 0, 256, 0] instances 0 {
  chain.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features [] bindings []
      attributes {spirv = array<i32: 119734787>} {
  }
  // expected-error @below {{C1: the triplet at byte 248 is not inside Control (256 bytes)}}
  chain.dispatch_indirect "k" control 248 windows [] for []
}

// -----

chain.plan @copy_c1_length regions [256, 256, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: the windows are not equally long, not whole words or overlap}}
  chain.copy <registers, 0, 32> to <metrics, 0, 16> for []
}

// -----

chain.plan @copy_c1_words regions [256, 256, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: the windows are not equally long, not whole words or overlap}}
  chain.copy <registers, 0, 30> to <metrics, 0, 30> for []
}

// -----

chain.plan @copy_c1_overlap regions [1024, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: the windows are not equally long, not whole words or overlap}}
  chain.copy <registers, 0, 512> to <registers, 256, 512> for []
}

// -----

chain.plan @fill_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: fills whole words, not 6 bytes}}
  chain.fill <registers, 0, 6> with 0 for []
}

// -----

// expected-error @below {{expects parent op to be one of 'chain.plan, chain.repeat'}}
chain.barrier []
