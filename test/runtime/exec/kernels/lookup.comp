#version 450
// target[i] = table[source[i]], the table in Heap.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { uint source[]; };
layout(set = 0, binding = 4) readonly restrict buffer Table { uint table[]; };
layout(set = 0, binding = 5) writeonly restrict buffer Target { uint target[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < source.length())
    target[i] = table[source[i]];
}
