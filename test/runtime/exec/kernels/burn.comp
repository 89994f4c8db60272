#version 450
// Takes its time: every invocation counts to `rounds`, unless `cancel` is set.
// llvmpipe ends loops after 65,535 iterations.
layout(local_size_x = 64) in;
layout(set = 0, binding = 3) coherent volatile buffer Cancel { uint cancel; };
layout(set = 0, binding = 8) coherent volatile buffer Rounds { uint rounds; };

void main() {
  for (uint i = 0u; i < atomicOr(rounds, 0u); ++i)
    if (atomicOr(cancel, 0u) != 0u)
      return;
}
