#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Counts in a metric: `count`, and `pair` with the count in both halves.
layout(local_size_x = 1) in;
layout(set = 0, binding = 1) restrict buffer Count { uint count; };
layout(set = 0, binding = 6) writeonly restrict buffer Pair { uint64_t pair; };

void main() {
  uint next = count + 1u;
  count = next;
  pair = uint64_t(next) << 32 | uint64_t(next);
}
