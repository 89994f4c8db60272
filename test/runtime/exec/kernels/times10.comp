#version 450
// data[i] = 10 * data[i], in place.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) restrict buffer Data { float data[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < data.length())
    data[i] = 10.0 * data[i];
}
