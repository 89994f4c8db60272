// What a stencil reads around its own place is computed in its kernel, once for a tile and its halo, where that takes less time than a kernel more.

// RUN: gpuvm-opt %s --pass-pipeline='builtin.module(gpuvm.program(gpuvm-generalize),canonicalize,cse,gpuvm.program(gpuvm-fuse,gpuvm-form-kernels,gpuvm-choose-launches))' | FileCheck %s
// RUN: gpuvm-compile %s --program=cross --report=%t.json -o %t.gvplan && FileCheck %s --input-file=%t.json --check-prefix=CROSS
// RUN: gpuvm-compile %s --program=far --report=%t.json -o %t.gvplan && FileCheck %s --input-file=%t.json --check-prefix=FAR
// CROSS: "reason": "a workgroup computes it for a tile of 16x64 and its halo, 1.16 times in all"
// FAR: "reason": "no kernel can hold operations of both: tiles with halos would take {{[0-9]+}} ns more, and save {{[0-9]+}}"

// CHECK-LABEL: @cross
// CHECK:       flow.dispatch @{{.*}} map ["light", "mean"](%x)
// CHECK-SAME:  form = plain, groups = 256, lanes = 256, vector = 1, unroll = 4, layout = {tile_0 = 16 : i64, tile_1 = 64 : i64}
// CHECK:         math.powf
// CHECK:         [[HELD:%.*]] = flow.hold %{{.*}} : tensor<512x512xf32>
// CHECK:         tensor.pad [[HELD]]
// CHECK-NOT:   flow.dispatch
!image = tensor<512x512xf32>
!wide = tensor<514x514xf32>
gpuvm.program @cross(%x: !image) -> (y: !image) {
  %l = gpuvm.stage @light(%v = %x : !image) -> !image {
    %gamma = arith.constant dense<2.2> : !image
    %p = math.powf %v, %gamma : !image
    gpuvm.send %p : !image
  }
  %y = gpuvm.stage @mean(%v = %l : !gpuvm.message<!image>) -> !image {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %v low[1, 1] high[1, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : !image to !wide
    %a = tensor.extract_slice %p[0, 1] [512, 512] [1, 1] : !wide to !image
    %b = tensor.extract_slice %p[1, 0] [512, 512] [1, 1] : !wide to !image
    %c = tensor.extract_slice %p[1, 2] [512, 512] [1, 1] : !wide to !image
    %d = tensor.extract_slice %p[2, 1] [512, 512] [1, 1] : !wide to !image
    %ab = arith.addf %a, %b : !image
    %cd = arith.addf %c, %d : !image
    %r = arith.addf %ab, %cd : !image
    gpuvm.send %r : !image
  }
  gpuvm.return %y : !gpuvm.message<!image>
}

// Elements 24 places apart: a tile's halo is most of what it computes.
// CHECK-LABEL: @far
// CHECK:       flow.dispatch @light_map
// CHECK:       flow.dispatch @ends_map
!large = tensor<1024x1024xf32>
!inner = tensor<1000x1000xf32>
gpuvm.program @far(%x: !large) -> (y: !inner) {
  %l = gpuvm.stage @light(%v = %x : !large) -> !large {
    %gamma = arith.constant dense<2.2> : !large
    %p = math.powf %v, %gamma : !large
    %q = math.powf %p, %v : !large
    gpuvm.send %q : !large
  }
  %y = gpuvm.stage @ends(%v = %l : !gpuvm.message<!large>) -> !inner {
    %a = tensor.extract_slice %v[0, 0] [1000, 1000] [1, 1] : !large to !inner
    %b = tensor.extract_slice %v[24, 24] [1000, 1000] [1, 1] : !large to !inner
    %r = arith.addf %a, %b : !inner
    gpuvm.send %r : !inner
  }
  gpuvm.return %y : !gpuvm.message<!inner>
}

// What others read, too, is in memory in any case.
// CHECK-LABEL: @kept
// CHECK:       flow.dispatch @light_map{{.*}} map ["light"]
// CHECK:       flow.dispatch @mean_map{{.*}} map ["mean"]
gpuvm.program @kept(%x: !image) -> (l: !image, y: !image) {
  %l = gpuvm.stage @light(%v = %x : !image) -> !image {
    %gamma = arith.constant dense<2.2> : !image
    %p = math.powf %v, %gamma : !image
    gpuvm.send %p : !image
  }
  %y = gpuvm.stage @mean(%v = %l : !gpuvm.message<!image>) -> !image {
    %zero = arith.constant 0.0 : f32
    %p = tensor.pad %v low[1, 1] high[1, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : !image to !wide
    %a = tensor.extract_slice %p[0, 1] [512, 512] [1, 1] : !wide to !image
    %b = tensor.extract_slice %p[2, 1] [512, 512] [1, 1] : !wide to !image
    %r = arith.addf %a, %b : !image
    gpuvm.send %r : !image
  }
  gpuvm.return %l, %y : !gpuvm.message<!image>, !gpuvm.message<!image>
}
