#version 450
// Computes the group counts of a later dispatch of 256-wide workgroups that is
// to cover the first `count` elements, `count` being the first word of Globals.
layout(local_size_x = 1) in;
layout(set = 0, binding = 2) readonly restrict buffer Count { uint count; };
layout(set = 0, binding = 3) writeonly restrict buffer Triplet { uint groups[3]; };

void main() {
  groups[0] = (count + 255u) / 256u;
  groups[1] = 1u;
  groups[2] = 1u;
}
