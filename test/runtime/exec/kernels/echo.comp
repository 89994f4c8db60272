#version 450
// Copies a growing control word to a metric, over and over, until `stop` is set.
// llvmpipe ends loops after 65,535 iterations, so several workgroups take turns;
// see spin.comp for their width.
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) coherent volatile buffer Heard { uint heard; };
layout(set = 0, binding = 3) coherent volatile buffer Said { uint said; };
layout(set = 0, binding = 8) coherent volatile buffer Stop { uint stop; };

void main() {
  while (atomicOr(stop, 0u) == 0u)
    atomicMax(heard, atomicOr(said, 0u));
}
