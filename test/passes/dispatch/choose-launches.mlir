// A kernel has a launch for each kind of device that wants another one, and last
// one that all devices of the targets can run. Launches that it has are kept.

// RUN: rm -rf %t && split-file %s %t
// RUN: gpuvm-opt %t/sum.mlir --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-choose-launches))' | FileCheck %s --check-prefix=DEFAULT
// RUN: gpuvm-opt %t/sum.mlir --pass-pipeline='builtin.module(gpuvm-set-targets{targets=generic},gpuvm.program(gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-choose-launches))' | FileCheck %s --check-prefix=GENERIC
// RUN: gpuvm-opt %t/sum.mlir --pass-pipeline='builtin.module(gpuvm-set-targets{targets=h200,lavapipe},gpuvm.program(gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-choose-launches))' | FileCheck %s --check-prefix=TWO
// RUN: gpuvm-opt %t/sum.mlir --pass-pipeline='builtin.module(gpuvm-set-targets{targets=lavapipe},gpuvm.program(gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-choose-launches))' | FileCheck %s --check-prefix=LAVAPIPE
// RUN: sed 's/^module/module attributes {gpuvm.targets = [#gpuvm.target<name = "own", kind = gpu, units = 16, subgroup = 32, workgroup_bytes = 49152, dispatch_ns = 2000, bytes_per_us = 300000, features = ["subgroup_32", "subgroup_operations"], closed = true>]}/' %t/sum.mlir > %t/own.mlir
// RUN: gpuvm-opt %t/own.mlir --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-choose-launches))' | FileCheck %s --check-prefix=OWN
// RUN: not gpuvm-opt %t/sum.mlir --pass-pipeline='builtin.module(gpuvm-set-targets{targets=abacus},gpuvm.program(gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-choose-launches))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// DEFAULT: flow.dispatch @sum_reduce reduce
// DEFAULT: launches = [#gpuvm.launch<device = cpu, form = wide, groups = [[COUNT:[0-9]+]], lanes = 16, vector = 8, unroll = [[UNROLL:[0-9]+]], layout = {groups_per_result = 16 : i64, keeps_rows = false, lanes_at_once = 16 : i64, own_results = false, results_per_group = 1 : i64, results_per_lane = 1 : i64}>, #gpuvm.launch<device = any, form = plain, groups = [[COUNT]], lanes = 256, vector = 4, unroll = [[UNROLL]], layout = {groups_per_result = 16 : i64, keeps_rows = false, lanes_at_once = 0 : i64, {{.*}}}>]
// A device that has subgroups may be anything; below 16,384 elements one kernel is enough for all CPUs.
// DEFAULT: flow.dispatch @few_scan scan
// DEFAULT: launches = [#gpuvm.launch<device = any, form = subgroups, groups = {{.*}}>, #gpuvm.launch<device = any, form = plain, {{[^#]*}}>]
// DEFAULT: flow.dispatch @twice_map map
// DEFAULT: launches = [#gpuvm.launch<device = any, form = plain, {{[^#]*}}>]

// A lane for each element that reads where its code says, as long as a large GPU has room for all of them; a CPU has not.
// DEFAULT: flow.dispatch @near_map map
// DEFAULT: launches = [#gpuvm.launch<device = cpu, form = plain, groups = {{[0-9]+}}, lanes = 256, vector = 4, unroll = {{[0-9]+}}>, #gpuvm.launch<device = any, form = plain, groups = 16, lanes = 256, vector = 1, unroll = 1>]
// DEFAULT: flow.dispatch @far_map map
// DEFAULT: launches = [#gpuvm.launch<device = any, form = plain, groups = {{[0-9]+}}, lanes = 256, vector = 4, unroll = {{[0-9]+}}>]

// GENERIC: flow.dispatch @sum_reduce reduce
// GENERIC: launches = [#gpuvm.launch<device = any, form = plain, {{[^#]*}}>]
// GENERIC: flow.dispatch @few_scan scan
// GENERIC: launches = [#gpuvm.launch<device = any, form = subgroups, {{[^#]*}}>, #gpuvm.launch<device = any, form = plain, {{[^#]*}}>]

// An H200 has subgroups, and lavapipe none that this takes: each has one launch.
// TWO: flow.dispatch @sum_reduce reduce
// TWO: launches = [#gpuvm.launch<device = gpu, form = plain, {{[^#]*}}>, #gpuvm.launch<device = any, form = wide, {{[^#]*}}>]
// TWO: flow.dispatch @few_scan scan
// TWO: launches = [#gpuvm.launch<device = gpu, form = subgroups, {{[^#]*}}>, #gpuvm.launch<device = any, form = plain, {{[^#]*}}>]

// LAVAPIPE: flow.dispatch @sum_reduce reduce
// LAVAPIPE: launches = [#gpuvm.launch<device = any, form = wide, {{[^#]*}}>]
// LAVAPIPE: flow.dispatch @few_scan scan
// LAVAPIPE: launches = [#gpuvm.launch<device = any, form = plain, {{[^#]*}}>]
// With one target few elements are enough.
// LAVAPIPE: flow.dispatch @twice_map map
// LAVAPIPE: launches = [#gpuvm.launch<device = any, form = wide, {{[^#]*}}>]

// LAVAPIPE: flow.dispatch @near_map map
// LAVAPIPE: launches = [#gpuvm.launch<device = any, form = plain, groups = {{[0-9]+}}, lanes = 256, vector = 4, {{.*}}>]

// OWN: flow.dispatch @sum_reduce reduce
// OWN: launches = [#gpuvm.launch<device = any, form = plain, {{[^#]*}}>]
// OWN: flow.dispatch @few_scan scan
// OWN: launches = [#gpuvm.launch<device = any, form = subgroups, {{[^#]*}}>]

// UNKNOWN: sum.mlir:1:1: error: target "abacus" is not known (there are generic, lavapipe, h200)

// Others can be tried, as far as the kernel can be laid out like that.
// RUN: gpuvm-opt %t/sum.mlir --pass-pipeline='builtin.module(gpuvm-set-targets{targets=generic},gpuvm.program(gpuvm-generalize,canonicalize,cse,gpuvm-form-kernels,gpuvm-choose-launches))' -o %t/chosen.mlir
// RUN: sed '/@twice_map/,/launches/s/groups = [0-9]*/groups = 3/' %t/chosen.mlir | gpuvm-opt --pass-pipeline='builtin.module(gpuvm.program(gpuvm-choose-launches))' | FileCheck %s --check-prefix=KEPT
// RUN: sed '/@twice_map/,/launches/s/groups = [0-9]*/groups = 65536/' %t/chosen.mlir | not gpuvm-opt --pass-pipeline='builtin.module(gpuvm.program(gpuvm-choose-launches))' 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: sed '/@twice_map/,/launches/s/vector = [0-9]*/vector = 3/' %t/chosen.mlir | not gpuvm-opt --pass-pipeline='builtin.module(gpuvm.program(gpuvm-choose-launches))' 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: sed '/@twice_map/,/launches/s/form = plain/form = matrices/' %t/chosen.mlir | not gpuvm-opt --pass-pipeline='builtin.module(gpuvm.program(gpuvm-choose-launches))' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: sed '/@sum_reduce/,/launches/s/lanes = [0-9]*/lanes = 64/' %t/chosen.mlir | not gpuvm-opt --pass-pipeline='builtin.module(gpuvm.program(gpuvm-choose-launches))' 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: sed 's/keeps_rows = false/keeps_rows = true/' %t/chosen.mlir | not gpuvm-opt --pass-pipeline='builtin.module(gpuvm.program(gpuvm-choose-launches))' 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: sed 's/keeps_rows = false/keeps_words = true/' %t/chosen.mlir | not gpuvm-opt --pass-pipeline='builtin.module(gpuvm.program(gpuvm-choose-launches))' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/keeps_rows = false/keeps_rows = 1/' %t/chosen.mlir | not gpuvm-opt --pass-pipeline='builtin.module(gpuvm.program(gpuvm-choose-launches))' 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: sed '/@twice_map/,/launches/s/device = any/device = cpu/' %t/chosen.mlir | not gpuvm-opt --pass-pipeline='builtin.module(gpuvm.program(gpuvm-choose-launches))' 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: sed 's/launches = \[.*\]/launches = []/' %t/chosen.mlir | not gpuvm-opt 2>&1 | FileCheck %s --check-prefix=NONE

// KEPT: flow.dispatch @twice_map map
// KEPT: launches = [#gpuvm.launch<device = any, form = plain, groups = 3,
// GROUPS: error: C1: groups = 65536 (1 to 65535 are allowed)
// VECTOR: error: 'flow.dispatch' op has a launch with vector = 3 (
// FORM: error: 'flow.dispatch' op has no launch of form matrices
// LANES: error: 'flow.dispatch' op has a launch with lanes = 64 (256 is what it needs)
// FIELD: error: 'flow.dispatch' op has a launch with keeps_rows = 1 (0 is what it needs)
// OTHER: error: 'flow.dispatch' op has a launch with fields that its family does not have
// TYPE: error: 'flow.dispatch' op has a launch with another type of keeps_rows
// LAST: error: 'flow.dispatch' op C7: has no launch for any device as the last one
// NONE: error: 'flow.dispatch' op C7: has no launch for any device as the last one

//--- sum.mlir
module {
  gpuvm.program @sums(%x: tensor<1000x400xf32>, %few: tensor<1024xi32>, %a: tensor<4096xf32>, %b: tensor<65536xf32>)
      -> (y: tensor<f32>, z: tensor<1024xi32>, w: tensor<1024xi32>, n: tensor<4096xf32>, f: tensor<65536xf32>) {
    %y = gpuvm.stage @sum(%v = %x : tensor<1000x400xf32>) -> tensor<f32> {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %s = linalg.reduce { arith.addf } ins(%v : tensor<1000x400xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
      gpuvm.send %s : tensor<f32>
    }
    %z = gpuvm.stage @few(%v = %few : tensor<1024xi32>) -> tensor<1024xi32> {
      %s = gpuvm.scan %v dimension 0 : (tensor<1024xi32>) -> tensor<1024xi32> {
      ^bb0(%a: i32, %b: i32):
        %r = arith.addi %a, %b : i32
        gpuvm.yield %r : i32
      }
      gpuvm.send %s : tensor<1024xi32>
    }
    %w = gpuvm.stage @twice(%v = %z : !gpuvm.message<tensor<1024xi32>>) -> tensor<1024xi32> {
      %s = arith.addi %v, %v : tensor<1024xi32>
      gpuvm.send %s : tensor<1024xi32>
    }
    %near = gpuvm.stage @near(%v = %a : tensor<4096xf32>) -> tensor<4096xf32> {
      %empty = tensor.empty() : tensor<4096xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%empty : tensor<4096xf32>) {
      ^bb0(%out: f32):
        %i = linalg.index 0 : index
        %c1 = arith.constant 1 : index
        %last = arith.constant 4095 : index
        %next = arith.addi %i, %c1 : index
        %at = arith.andi %next, %last : index
        %e = tensor.extract %v[%at] : tensor<4096xf32>
        linalg.yield %e : f32
      } -> tensor<4096xf32>
      gpuvm.send %s : tensor<4096xf32>
    }
    %far = gpuvm.stage @far(%v = %b : tensor<65536xf32>) -> tensor<65536xf32> {
      %empty = tensor.empty() : tensor<65536xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%empty : tensor<65536xf32>) {
      ^bb0(%out: f32):
        %i = linalg.index 0 : index
        %c1 = arith.constant 1 : index
        %last = arith.constant 16383 : index
        %next = arith.addi %i, %c1 : index
        %at = arith.andi %next, %last : index
        %e = tensor.extract %v[%at] : tensor<65536xf32>
        linalg.yield %e : f32
      } -> tensor<65536xf32>
      gpuvm.send %s : tensor<65536xf32>
    }
    gpuvm.return %y, %z, %w, %near, %far : !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<1024xi32>>, !gpuvm.message<tensor<1024xi32>>, !gpuvm.message<tensor<4096xf32>>, !gpuvm.message<tensor<65536xf32>>
  }
}
