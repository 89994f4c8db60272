// What stages of the linear-algebra VM exchange, and how they index it.
!machines = tensor<@machines@xi32>
!registers = tensor<@machines@x20xf32>
!shared = tensor<@words@xi32>
!counts = tensor<@phases@x6xi64>
!flag = tensor<i1>
#v = affine_map<(v) -> (v)>
#vw = affine_map<(v, w) -> (v, w)>
#row = affine_map<(v, w) -> (v)>
#row0 = affine_map<(v, w) -> ()>
#all = affine_map<(v) -> ()>
#scalar = affine_map<() -> ()>
