#version 450
// Copies 16 bytes per lane and step, all lanes striding over the whole grid: the
// fastest way through memory that every device has, and so the yardstick that
// the speed of kernels is quoted against.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { uvec4 source[]; };
layout(set = 0, binding = 5) writeonly restrict buffer Target { uvec4 target[]; };
layout(push_constant) uniform Size { uint count; };

void main() {
  uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += stride)
    target[i] = source[i];
}
