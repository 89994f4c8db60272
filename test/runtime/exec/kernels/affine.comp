#version 450
// target[i] = scale * source[i] + shift, parameters in Globals.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(set = 0, binding = 2) readonly restrict buffer Parameters { float scale, shift; };
layout(set = 0, binding = 5) writeonly restrict buffer Target { float target[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < source.length())
    target[i] = scale * source[i] + shift;
}
