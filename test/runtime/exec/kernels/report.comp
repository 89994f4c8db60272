#version 450
// One lane sums the source into a metric and reports status 2 (ATTENTION) in the
// last of four metadata words.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly restrict buffer Metadata { uint metadata[4]; };
layout(set = 0, binding = 6) writeonly restrict buffer Sum { float sum; };

void main() {
  float total = 0.0;
  for (uint i = 0u; i < source.length(); ++i)
    total += source[i];
  sum = total;
  metadata[3] = 2u;
}
