#version 450
// Sums and counts the elements above 5 of the chunk's rows, for the chunk and for
// the whole stream; doubles all rows. Asks for more (NEED_IO) while fewer than
// `limit` have been counted, if there is a limit.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { int source[]; };
layout(set = 0, binding = 1) writeonly restrict buffer Metadata { uint norm, maxAbs, ticks, status; };
layout(set = 0, binding = 2) restrict buffer State { int total, count, rowsSeen, chunkSum, lasts, limit; };
layout(set = 0, binding = 3) readonly restrict buffer Rows { int rows; };
layout(set = 0, binding = 5) writeonly restrict buffer Result { int chunkTotal, chunkCount; };
layout(set = 0, binding = 8) readonly restrict buffer Chunk { int chunk; };
layout(set = 0, binding = 10) writeonly restrict buffer Doubled { int doubled[]; };
layout(set = 0, binding = 13) readonly restrict buffer Last { int last; };

void main() {
  int sum = 0, matches = 0;
  for (int i = 0; i < source.length(); ++i) {
    doubled[i] = 2 * source[i];
    if (i < rows && source[i] > 5) {
      sum += source[i];
      ++matches;
    }
  }
  chunkTotal = sum;
  chunkCount = matches;
  total += sum;
  count += matches;
  rowsSeen += rows;
  chunkSum += chunk;
  lasts += last;
  norm = maxAbs = ticks = 0;
  status = limit > 0 && count < limit ? 4 : 0;
}
