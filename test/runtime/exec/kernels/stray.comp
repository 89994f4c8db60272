#version 450
// Reads its arrays, which nothing has written, at the indices in source, and
// then writes and reads them there. target: what was found, what was written.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { int source[]; };
layout(set = 0, binding = 5) writeonly restrict buffer Target { int target[]; };

shared int words[16];
int rows[7][31];
shared struct { int first; vec4 vectors[2][3]; } nested;

void main() {
  uint i = gl_LocalInvocationID.x;
  int own[16];
  int large[1003];
  int at = source[i];
  int found = words[at] | own[at] | floatBitsToInt(nested.vectors[at][at][at]);
  // Any element could be written now, as far as a compiler knows.
  large[at & 15] |= 0;
  for (int k = 0; k < 1003; ++k)
    found |= large[k] | large[at] | rows[k % 7][at];
  target[i] = found;
  barrier();
  words[at] = 7;
  own[at] = 7;
  large[at] = 7;
  rows[at][at] = 7;
  nested.vectors[at][at][at] = 7.0;
  barrier();
  target[64 + i] = words[at] & own[at] & large[at] & rows[at][at] &
                   int(nested.vectors[at][at][at]);
}
