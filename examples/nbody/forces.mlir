// The accelerations of 1,000 bodies that attract each other, all pairs: body i
// sums over every j
//
//     a_i += m_j (r_j - r_i) / (|r_j - r_i|^2 + e^2)^(3/2),   G = 1, e = 0.01
//
// A body pulls itself with r_i - r_i = 0, so that no pair is left out.
//
//     gpuvm-compile examples/nbody/forces.mlir -o forces.gvplan
//     gpuvm-run forces.gvplan --input=x=@x.npy --input=y=@y.npy --input=z=@z.npy \
//         --input=m=@m.npy --output=ax=@ax.npy --output=ay=@ay.npy --output=az=@az.npy

gpuvm.parameter @n = 1000 in 1 to 1000000 "bodies"

!bodies = tensor<@n@xf32>
!sent = !gpuvm.message<!bodies>
#at_i = affine_map<(i, j) -> (i)>
#at_j = affine_map<(i, j) -> (j)>

gpuvm.program @forces(%x: !bodies, %y: !bodies, %z: !bodies, %m: !bodies)
    -> (ax: !bodies, ay: !bodies, az: !bodies) {
  %ax, %ay, %az = gpuvm.stage @attract(%px = %x : !bodies, %py = %y : !bodies, %pz = %z : !bodies, %mass = %m : !bodies)
      -> (!bodies, !bodies, !bodies) {
    %zero = arith.constant dense<0.0> : !bodies
    %a:3 = linalg.generic {
        indexing_maps = [#at_i, #at_i, #at_i, #at_j, #at_j, #at_j, #at_j, #at_i, #at_i, #at_i],
        iterator_types = ["parallel", "reduction"]}
        ins(%px, %py, %pz, %px, %py, %pz, %mass : !bodies, !bodies, !bodies, !bodies, !bodies, !bodies, !bodies)
        outs(%zero, %zero, %zero : !bodies, !bodies, !bodies) {
    ^bb0(%xi: f32, %yi: f32, %zi: f32, %xj: f32, %yj: f32, %zj: f32, %mj: f32, %sx: f32, %sy: f32, %sz: f32):
      %softening = arith.constant 1.0e-4 : f32
      %dx = arith.subf %xj, %xi : f32
      %dy = arith.subf %yj, %yi : f32
      %dz = arith.subf %zj, %zi : f32
      %z2 = math.fma %dz, %dz, %softening : f32
      %yz2 = math.fma %dy, %dy, %z2 : f32
      %square = math.fma %dx, %dx, %yz2 : f32
      %inverse = math.rsqrt %square : f32
      %mass1 = arith.mulf %mj, %inverse : f32
      %inverse2 = arith.mulf %inverse, %inverse : f32
      %pull = arith.mulf %mass1, %inverse2 : f32
      %fx = arith.mulf %pull, %dx : f32
      %fy = arith.mulf %pull, %dy : f32
      %fz = arith.mulf %pull, %dz : f32
      %ax = arith.addf %sx, %fx : f32
      %ay = arith.addf %sy, %fy : f32
      %az = arith.addf %sz, %fz : f32
      linalg.yield %ax, %ay, %az : f32, f32, f32
    } -> (!bodies, !bodies, !bodies)
    gpuvm.send %a#0, %a#1, %a#2 : !bodies, !bodies, !bodies
  }
  gpuvm.return %ax, %ay, %az : !sent, !sent, !sent
}
