#version 450
// Does not end before the host sets the first word of Control, or the driver
// loses patience.
//
// A workgroup is as wide as a subgroup of llvmpipe, or the lanes it leaves idle,
// which read 0, would go on spinning there.
layout(local_size_x = 64) in;
layout(set = 0, binding = 3) coherent volatile buffer Go { uint go; };

void main() {
  while (atomicOr(go, 0u) == 0u) {
  }
}
