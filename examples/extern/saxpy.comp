#version 450
#extension GL_GOOGLE_include_directive : require
#include "gpuvm.glsl"

// y[i] = 2 x[i] + b[i], 1000 elements: 16 workgroups of 64.
layout(local_size_x = 64) in;
GPUVM_READ(0, float, x);
GPUVM_READ(1, float, b);
GPUVM_WRITE(2, float, y);

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < 1000)
    y[i] = 2.0 * x[i] + b[i];
}
