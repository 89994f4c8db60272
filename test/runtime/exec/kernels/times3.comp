#version 450
// target[i] = 3 * source[i], 256 lanes a workgroup.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(set = 0, binding = 5) writeonly restrict buffer Target { float target[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < source.length())
    target[i] = 3.0 * source[i];
}
