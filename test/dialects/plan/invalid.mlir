// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

//===-- plan.module and plan.program ---------------------------------------===//

// expected-error @below {{C1: there are five region sizes, not 4}}
plan.module @plan_c1_count regions [256, 0, 0, 0] instances 0 {
  plan.program @plan_c1_count {
  }
}

// -----

// expected-error @below {{C1: a region has -1 bytes}}
plan.module @plan_c1_size regions [256, 0, -1, 0, 0] instances 0 {
  plan.program @plan_c1_size {
  }
}

// -----

plan.module @plan_c2_past_end regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @plan_c2_past_end {
    // expected-error @below {{C2: window #gpuvm.window<registers, 0, 260> does not fit region registers (256 bytes)}}
    plan.fill <registers, 0, 260> with 0 for []
  }
}

// -----

plan.module @repeat_c4_length regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @repeat_c4_length {
    // expected-error @below {{C4: #gpuvm.window<registers, 0, 4> is not a byte of registers}}
    plan.repeat 2 times while <registers, 0, 4> {
      plan.barrier []
    }
  }
}

// -----

plan.module @repeat_c4_region regions [256, 0, 256, 0, 0] instances 0 {
  plan.program @repeat_c4_region {
    // expected-error @below {{C4: #gpuvm.window<globals, 0, 1> is not a byte of registers}}
    plan.repeat 2 times while <globals, 0, 1> {
      plan.barrier []
    }
  }
}

// -----

plan.module @repeat_c1_empty regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @repeat_c1_empty {
    // expected-error @below {{C1: has no commands}}
    plan.repeat 2 times {
    }
  }
}

// -----

plan.module @repeat_c1_times regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @repeat_c1_times {
    // expected-error @below {{C1: cannot run 0 times}}
    plan.repeat 0 times {
      plan.barrier []
    }
  }
}

// -----

plan.module @repeat_c5 regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @repeat_c5 {
    plan.repeat 2 times {
      plan.repeat 3 times {
        // expected-error @below {{C5: is not a command, and stands in a repeat}}
        %x = arith.constant 1 : i32
      }
    }
  }
}

// -----

plan.module @repeat_window regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @repeat_window {
    plan.repeat 2 times {
      // expected-error @below {{C2: window #gpuvm.window<registers, 0, 260> does not fit region registers (256 bytes)}}
      plan.fill <registers, 0, 260> with 0 for []
    }
  }
}

// -----

plan.module @plan_c2_alignment regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @plan_c2_alignment {
    // expected-error @below {{C2: window #gpuvm.window<registers, 64, 64> does not fit region registers (256 bytes)}}
    plan.fill <registers, 64, 64> with 0 for []
  }
}

// -----

plan.module @plan_c2_overflow regions [512, 0, 0, 0, 0] instances 0 {
  plan.program @plan_c2_overflow {
    // expected-error @below {{C2: window #gpuvm.window<registers, 256, 18446744073709551612> does not fit region registers (512 bytes)}}
    plan.fill <registers, 256, 18446744073709551612> with 0 for []
  }
}

// -----

plan.module @plan_c3_kernel regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @plan_c3_kernel {
    // expected-error @below {{C3: the plan has no kernel @missing}}
    plan.dispatch @missing groups [1, 1, 1] windows [] for []
  }
}

// -----

plan.module @plan_c3_count regions [256, 0, 0, 0, 0] instances 0 {
  plan.kernel @k local_size [1, 1, 1] workgroup_memory 0 features [] bindings [#plan.binding<0, read>]
      attributes {spirv = array<i32: 119734787>} {
  }
  plan.program @plan_c3_count {
    // expected-error @below {{C3: kernel @k has 1 bindings, not 0}}
    plan.dispatch @k groups [1, 1, 1] windows [] for []
  }
}

// -----

plan.module @plan_c3_region regions [256, 256, 0, 0, 0] instances 0 {
  plan.kernel @k local_size [1, 1, 1] workgroup_memory 0 features [] bindings [#plan.binding<5, read>]
      attributes {spirv = array<i32: 119734787>} {
  }
  plan.program @plan_c3_region {
    // expected-error @below {{C3: binding 5 is not in region metrics}}
    plan.dispatch @k groups [1, 1, 1] windows [#gpuvm.window<metrics, 0, 4>] for []
  }
}

// -----

plan.module @plan_c3_indirect regions [256, 0, 0, 256, 0] instances 0 {
  plan.program @plan_c3_indirect {
    // expected-error @below {{C3: the plan has no kernel @missing}}
    plan.dispatch_indirect @missing control 0 windows [] for []
  }
}

// -----

plan.module @program_c1_name regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @program_c1_name {
    plan.output "y" : tensor<4xf32> at <registers, 0, 16>
    // expected-error @below {{C1: "y" is there twice}}
    plan.output "y" : tensor<4xf32> at <registers, 0, 16>
  }
}

// -----

plan.module @program_c1_operation regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @program_c1_operation {
    // expected-error @below {{C1: cannot stand in a program}}
    %c = arith.constant 0 : i32
  }
}

// -----

plan.module @plan_c5_kernel regions [256, 0, 0, 0, 0] instances 1 {
  plan.program @plan_c5_kernel {
    // expected-error @below {{C5: the plan has no kernel @k}}
    plan.stage "s" instance 0 kernels [@k]
  }
}

// -----

plan.module @plan_c5_stage regions [256, 0, 0, 0, 0] instances 1 {
  plan.program @plan_c5_stage {
    // expected-error @below {{C5: the plan has no instance 1 (it has 1)}}
    plan.stage "s" instance 1 kernels []
  }
}

// -----

plan.module @plan_c5_command regions [256, 0, 0, 0, 0] instances 1 {
  plan.program @plan_c5_command {
    plan.stage "s" instance 0 kernels []
    // expected-error @below {{C5: the program has no stage 1 (it has 1, from 0 on)}}
    plan.fill <registers, 0, 64> with 0 for [0, 1]
  }
}

// -----

plan.module @plan_c5_ascending regions [256, 0, 0, 0, 0] instances 1 {
  plan.program @plan_c5_ascending {
    plan.stage "s" instance 0 kernels []
    plan.stage "t" instance 0 kernels []
    plan.repeat 2 times {
      // expected-error @below {{C5: stage 0 stands after stage 1}}
      plan.fill <registers, 0, 64> with 0 for [1, 0]
    }
  }
}

// -----

plan.module @plan_c5_register regions [256, 0, 0, 0, 0] instances 1 {
  plan.program @plan_c5_register {
    // expected-error @below {{C5: the plan has no instance -1 (it has 1)}}
    plan.register 0 of -1 : tensor<4xf32> at <registers, 0, 16>
  }
}

// -----

// expected-error @below {{C4: has no program}}
plan.module @plan_c4_none regions [256, 0, 0, 0, 0] instances 0 {
}

// -----

plan.module @plan_c4_operation regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C4: cannot stand in a plan}}
  %c = arith.constant 0 : i32
}

// -----

plan.module @plan_c4_name regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @p {
  }
  // expected-error @below {{C4: "p" is there twice}}
  plan.program @p {
  }
}

// -----

plan.module @plan_c5_other regions [256, 0, 0, 0, 0] instances 1 {
  plan.program @p {
    plan.stage "s" instance 0 kernels []
  }
  plan.program @q {
    plan.stage "t" instance 0 kernels []
    // expected-error @below {{C5: the program has no stage 0 (it has 1, from 1 on)}}
    plan.fill <registers, 0, 64> with 0 for [0]
  }
}

// -----

plan.module @plan_c6_symbol regions [512, 0, 0, 0, 0] instances 0 {
  plan.program @p {
    // expected-note @below {{here}}
    plan.symbol "s" : tensor<4xf32> at <registers, 0, 16>
  }
  plan.program @q {
    // expected-error @below {{C6: "s" is something else in another program}}
    plan.symbol "s" : tensor<4xf32> at <registers, 256, 16>
  }
}

// -----

plan.module @plan_c6_output regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @p {
    // expected-note @below {{here}}
    plan.output "y" : tensor<4xf32> at <registers, 0, 16>
  }
  plan.program @q {
    // expected-error @below {{C6: "y" is something else in another program}}
    plan.output "y" : tensor<4xf32> at <registers, 0, 16>
  }
}

// -----

//===-- slots --------------------------------------------------------------===//

plan.module @input_c1 regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @input_c1 {
    // expected-error @below {{C1: a window of 12 bytes does not hold 'tensor<4xf32>'}}
    plan.input "x" : tensor<4xf32> at <registers, 0, 12> on execution
  }
}

// -----

plan.module @output_c1 regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @output_c1 {
    // expected-error @below {{C1: a window of 12 bytes does not hold 'tensor<4xf32>'}}
    plan.output "x" : tensor<4xf32> at <registers, 0, 12>
  }
}

// -----

plan.module @symbol_c1 regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @symbol_c1 {
    // expected-error @below {{C1: a window of 7 bytes does not hold 'tensor<i64>'}}
    plan.symbol "x" : tensor<i64> at <registers, 0, 7>
  }
}

// -----

plan.module @register_c1 regions [256, 0, 0, 0, 0] instances 1 {
  plan.program @register_c1 {
    // expected-error @below {{C1: a window of 8 bytes does not hold 'tensor<9xi1>'}}
    plan.register 0 of 0 : tensor<9xi1> at <registers, 0, 8>
  }
}

// -----

plan.module @register_c2 regions [256, 0, 0, 0, 0] instances 1 {
  plan.program @register_c2 {
    // expected-error @below {{C2: there is no register -1 (they count from 0)}}
    plan.register -1 of 0 : tensor<4xf32> at <registers, 0, 16>
  }
}

// -----

plan.module @data_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: a window of 4 bytes does not hold 'tensor<2xf32>'}}
  plan.data dense<1.0> : tensor<2xf32> at <registers, 0, 4>
  plan.program @data_c1 {
  }
}

// -----

//===-- kernels ------------------------------------------------------------===//

plan.module @kernel_c1 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C1: binding 0 does not ascend}}
  plan.kernel @k local_size [1, 1, 1] workgroup_memory 0 features []
      bindings [#plan.binding<5, read>, #plan.binding<0, read>]
      attributes {spirv = array<i32: 119734787>} {
  }
  plan.program @kernel_c1 {
  }
}

// -----

plan.module @kernel_c2_neither regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: has either one spirv.module or SPIR-V words}}
  plan.kernel @k local_size [1, 1, 1] workgroup_memory 0 features [] bindings [] {
  }
  plan.program @kernel_c2_neither {
  }
}

// -----

plan.module @kernel_c2_both regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C2: has either one spirv.module or SPIR-V words}}
  plan.kernel @k local_size [1, 1, 1] workgroup_memory 0 features [] bindings []
      attributes {spirv = array<i32: 119734787>} {
    spirv.module Logical GLSL450 {
    }
  }
  plan.program @kernel_c2_both {
  }
}

// -----

plan.module @kernel_c3 regions [256, 0, 0, 0, 0] instances 0 {
  // expected-error @below {{C3: local_size is three positive numbers}}
  plan.kernel @k local_size [0, 1, 1] workgroup_memory 0 features [] bindings []
      attributes {spirv = array<i32: 119734787>} {
  }
  plan.program @kernel_c3 {
  }
}

// -----

// expected-error @below {{C4: there is no kernel @other}}
plan.kernel @kernel_c4_variant local_size [1, 1, 1] workgroup_memory 0 features [] bindings []
    attributes {spirv = array<i32: 119734787>, variants = [@other]} {
}

// -----

// expected-error @below {{C4: has no binding 5}}
plan.kernel @kernel_c4_unfinished local_size [1, 1, 1] workgroup_memory 0 features [] bindings [#plan.binding<0, read>]
    attributes {spirv = array<i32: 119734787>, unfinished = 5} {
}

// -----

//===-- commands -----------------------------------------------------------===//

plan.module @dispatch_c1 regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @dispatch_c1 {
    // expected-error @below {{C1: groups are three positive numbers}}
    plan.dispatch @k groups [1, 0, 1] windows [] for []
  }
}

// -----

plan.module @dispatch_indirect_c1 regions [256, 0, 0, 256, 0] instances 0 {
  plan.kernel @k local_size [1, 1, 1] workgroup_memory 0 features [] bindings []
      attributes {spirv = array<i32: 119734787>} {
  }
  plan.program @dispatch_indirect_c1 {
    // expected-error @below {{C1: the triplet at byte 248 is not inside Control (256 bytes)}}
    plan.dispatch_indirect @k control 248 windows [] for []
  }
}

// -----

plan.module @copy_c1_length regions [256, 256, 0, 0, 0] instances 0 {
  plan.program @copy_c1_length {
    // expected-error @below {{C1: the windows are not equally long, not whole words or overlap}}
    plan.copy <registers, 0, 32> to <metrics, 0, 16> for []
  }
}

// -----

plan.module @copy_c1_words regions [256, 256, 0, 0, 0] instances 0 {
  plan.program @copy_c1_words {
    // expected-error @below {{C1: the windows are not equally long, not whole words or overlap}}
    plan.copy <registers, 0, 30> to <metrics, 0, 30> for []
  }
}

// -----

plan.module @copy_c1_overlap regions [1024, 0, 0, 0, 0] instances 0 {
  plan.program @copy_c1_overlap {
    // expected-error @below {{C1: the windows are not equally long, not whole words or overlap}}
    plan.copy <registers, 0, 512> to <registers, 256, 512> for []
  }
}

// -----

plan.module @fill_c1 regions [256, 0, 0, 0, 0] instances 0 {
  plan.program @fill_c1 {
    // expected-error @below {{C1: fills whole words, not 6 bytes}}
    plan.fill <registers, 0, 6> with 0 for []
  }
}

// -----

// expected-error @below {{expects parent op to be one of 'plan.program, plan.repeat'}}
plan.barrier []
