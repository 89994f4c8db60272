// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

//===-- plan.program ---------------------------------------------------------===//

// expected-error @below {{C1: there are five region sizes, not 4}}
plan.program @plan_c1_count regions [256, 0, 0, 0] instances 0 {
}

// -----

// expected-error @below {{C1: a region has -1 bytes}}
plan.program @plan_c1_size regions [256, 0, -1, 0, 0] instances 0 {
}

// -----

// expected-error @below {{C6: what is shared or transient is not in the regions}}
plan.program @plan_c6_size regions [256, 0, 0, 0, 0] instances 0 shared [512, 0, 0, 0, 0] transient [256, 256] {
}

// -----

// expected-error @below {{C6: what is shared or transient is not in the regions}}
plan.program @plan_c6_order regions [1024, 0, 0, 0, 0] instances 0 shared [0, 0, 0, 0, 0] transient [512, 256] {
}

// -----

// expected-error @below {{C6: what is shared or transient is not in the regions}}
plan.program @plan_c6_count regions [1024, 0, 0, 0, 0] instances 0 shared [0, 0, 0, 0] transient [0, 256] {
}

// -----

plan.program @plan_c2_past_end regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: window #gpuvm.window<registers, 0, 260> does not fit region registers (256 bytes)}}
  plan.fill <registers, 0, 260> with 0 for []
}

// -----

plan.program @repeat_c4_length regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C4: #gpuvm.window<registers, 0, 4> is not a byte of registers}}
  plan.repeat 2 times while <registers, 0, 4> {
    plan.barrier []
  }
}

// -----

plan.program @repeat_c4_region regions [256, 0, 256, 0, 0] instances 0 {
  // expected-error @below {{C4: #gpuvm.window<globals, 0, 1> is not a byte of registers}}
  plan.repeat 2 times while <globals, 0, 1> {
    plan.barrier []
  }
}

// -----

plan.program @repeat_c1_empty regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: has no commands}}
  plan.repeat 2 times {
  }
}

// -----

plan.program @repeat_c1_times regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: cannot run 0 times}}
  plan.repeat 0 times {
    plan.barrier []
  }
}

// -----

plan.program @repeat_c5 regions [256, 0, 0, 0, 0] instances 0 {
  plan.repeat 2 times {
    plan.repeat 3 times {
      // expected-error @below {{C5: is not a command, and stands in a repeat}}
      %x = arith.constant 1 : i32
    }
  }
}

// -----

plan.program @repeat_window regions [256, 0, 0, 0, 0] instances 0 {
  plan.repeat 2 times {
    // expected-error @below {{C2: window #gpuvm.window<registers, 0, 260> does not fit region registers (256 bytes)}}
    plan.fill <registers, 0, 260> with 0 for []
  }
}

// -----

plan.program @plan_c2_alignment regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: window #gpuvm.window<registers, 64, 64> does not fit region registers (256 bytes)}}
  plan.fill <registers, 64, 64> with 0 for []
}

// -----

plan.program @plan_c2_overflow regions [512, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: window #gpuvm.window<registers, 256, 18446744073709551612> does not fit region registers (512 bytes)}}
  plan.fill <registers, 256, 18446744073709551612> with 0 for []
}

// -----

plan.program @plan_c3_kernel regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C3: the plan has no kernel "missing"}}
  plan.dispatch "missing" groups [1, 1, 1] windows [] for []
}

// -----

plan.program @plan_c3_count regions [256, 0, 0, 0, 0] instances 0 {
  plan.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features [] bindings [#plan.binding<0, read>]
      attributes {spirv = array<i32: 119734787>} {
  }
  // expected-error @below {{C3: kernel "k" has 1 bindings, not 0}}
  plan.dispatch "k" groups [1, 1, 1] windows [] for []
}

// -----

plan.program @plan_c3_region regions [256, 256, 0, 0, 0] instances 0 {
  plan.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features [] bindings [#plan.binding<5, read>]
      attributes {spirv = array<i32: 119734787>} {
  }
  // expected-error @below {{C3: binding 5 is not in region metrics}}
  plan.dispatch "k" groups [1, 1, 1] windows [#gpuvm.window<metrics, 0, 4>] for []
}

// -----

plan.program @plan_c3_indirect regions [256, 0, 0, 256, 0] instances 0 {
  // expected-error @below {{C3: the plan has no kernel "missing"}}
  plan.dispatch_indirect "missing" control 0 windows [] for []
}

// -----

plan.program @plan_c4_name regions [256, 0, 0, 0, 0] instances 0 {
  plan.output "y" : tensor<4xf32> at <registers, 0, 16>
  // expected-error @below {{C4: "y" is there twice}}
  plan.output "y" : tensor<4xf32> at <registers, 0, 16>
}

// -----

plan.program @plan_c4_operation regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C4: cannot stand in a plan}}
  %c = arith.constant 0 : i32
}

// -----

plan.program @plan_c5_kernel regions [256, 0, 0, 0, 0] instances 1 {
  // expected-error @below {{C5: the plan has no kernel 0 (it has 0)}}
  plan.stage "s" instance 0 kernels [0]
}

// -----

plan.program @plan_c5_stage regions [256, 0, 0, 0, 0] instances 1 {
  // expected-error @below {{C5: the plan has no instance 1 (it has 1)}}
  plan.stage "s" instance 1 kernels []
}

// -----

plan.program @plan_c5_command regions [256, 0, 0, 0, 0] instances 1 {
  plan.stage "s" instance 0 kernels []
  // expected-error @below {{C5: the plan has no stage 1 (it has 1)}}
  plan.fill <registers, 0, 64> with 0 for [0, 1]
}

// -----

plan.program @plan_c5_ascending regions [256, 0, 0, 0, 0] instances 1 {
  plan.stage "s" instance 0 kernels []
  plan.stage "t" instance 0 kernels []
  plan.repeat 2 times {
    // expected-error @below {{C5: stage 0 stands after stage 1}}
    plan.fill <registers, 0, 64> with 0 for [1, 0]
  }
}

// -----

plan.program @plan_c5_register regions [256, 0, 0, 0, 0] instances 1 {
  // expected-error @below {{C5: the plan has no instance -1 (it has 1)}}
  plan.register 0 of -1 : tensor<4xf32> at <registers, 0, 16>
}

// -----

//===-- slots --------------------------------------------------------------===//

plan.program @input_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: a window of 12 bytes does not hold 'tensor<4xf32>'}}
  plan.input "x" : tensor<4xf32> at <registers, 0, 12> on execution
}

// -----

plan.program @output_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: a window of 12 bytes does not hold 'tensor<4xf32>'}}
  plan.output "x" : tensor<4xf32> at <registers, 0, 12>
}

// -----

plan.program @symbol_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: a window of 7 bytes does not hold 'tensor<i64>'}}
  plan.symbol "x" : tensor<i64> at <registers, 0, 7>
}

// -----

plan.program @register_c1 regions [256, 0, 0, 0, 0] instances 1 {
  // expected-error @below {{C1: a window of 8 bytes does not hold 'tensor<9xi1>'}}
  plan.register 0 of 0 : tensor<9xi1> at <registers, 0, 8>
}

// -----

plan.program @register_c2 regions [256, 0, 0, 0, 0] instances 1 {
  // expected-error @below {{C2: there is no register -1 (they count from 0)}}
  plan.register -1 of 0 : tensor<4xf32> at <registers, 0, 16>
}

// -----

plan.program @data_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: a window of 4 bytes does not hold 'tensor<2xf32>'}}
  plan.data dense<1.0> : tensor<2xf32> at <registers, 0, 4>
}

// -----

//===-- kernels ------------------------------------------------------------===//

plan.program @kernel_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: binding 0 does not ascend}}
  plan.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features []
      bindings [#plan.binding<5, read>, #plan.binding<0, read>]
      attributes {spirv = array<i32: 119734787>} {
  }
}

// -----

plan.program @kernel_c2_neither regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: has either one spirv.module or SPIR-V words}}
  plan.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features [] bindings [] {
  }
}

// -----

plan.program @kernel_c2_both regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: has either one spirv.module or SPIR-V words}}
  plan.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features [] bindings []
      attributes {spirv = array<i32: 119734787>} {
    spirv.module Logical GLSL450 {
    }
  }
}

// -----

plan.program @kernel_c3 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C3: local_size is three positive numbers}}
  plan.kernel "k" local_size [0, 1, 1] workgroup_memory 0 features [] bindings []
      attributes {spirv = array<i32: 119734787>} {
  }
}

// -----

//===-- commands -----------------------------------------------------------===//

plan.program @dispatch_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: groups are three positive numbers}}
  plan.dispatch "k" groups [1, 0, 1] windows [] for []
}

// -----

plan.program @dispatch_indirect_c1 regions [256, 0, 0, 256, 0] instances 0 {
  plan.kernel "k" local_size [1, 1, 1] workgroup_memory 0 features [] bindings []
      attributes {spirv = array<i32: 119734787>} {
  }
  // expected-error @below {{C1: the triplet at byte 248 is not inside Control (256 bytes)}}
  plan.dispatch_indirect "k" control 248 windows [] for []
}

// -----

plan.program @copy_c1_length regions [256, 256, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: the windows are not equally long, not whole words or overlap}}
  plan.copy <registers, 0, 32> to <metrics, 0, 16> for []
}

// -----

plan.program @copy_c1_words regions [256, 256, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: the windows are not equally long, not whole words or overlap}}
  plan.copy <registers, 0, 30> to <metrics, 0, 30> for []
}

// -----

plan.program @copy_c1_overlap regions [1024, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: the windows are not equally long, not whole words or overlap}}
  plan.copy <registers, 0, 512> to <registers, 256, 512> for []
}

// -----

plan.program @fill_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: fills whole words, not 6 bytes}}
  plan.fill <registers, 0, 6> with 0 for []
}

// -----

// expected-error @below {{expects parent op to be one of 'plan.program, plan.repeat'}}
plan.barrier []
