// A plain Monte-Carlo tree search for Connect Four on one core of a CPU, to
// play against, and an exhaustive search that finds positions with forced wins.
//
//     peer search < POSITIONS
//         Lines "MINE ALL PLAYOUTS SECONDS EXPLORATION SEED"; the answer to
//         each is "COLUMN PLAYOUTS SECONDS".
//     peer wins PLIES N SEED
//         N positions in which whoever is to move wins in exactly 1 or 3 plies:
//         lines "MINE ALL COLUMNS", the moves that do.
//     peer speed PLAYOUTS THREADS SEED
//         How fast it is from the empty board, for bench/: each thread grows a
//         tree of its own (root parallelism), and together they make so many
//         playouts. One line, "COLUMN PLAYOUTS SECONDS PLAYOUTS_PER_SECOND":
//         the move most visited in all trees, and time by the clock on the
//         wall. What is compared with it is the output `playouts` of
//         search.mlir, summed over boards, by the time of a submit: games at
//         random that were played, whatever was visited. It is at most boards x
//         walkers x turns x 7 moves x games of each (Size.playouts of run.py is
//         that of one board).
//
// A board is two words of 49 bits as in playouts.mlir: the stones of whoever is
// to move, and all stones. The search is UCT (Kocsis and Szepesvari, Bandit
// based Monte-Carlo planning, 2006): one node and one game at random for each
// playout, the most visited move in the end. It stops when the playouts are
// made or the processor time is over, whichever comes first (0 means no limit).

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

namespace {

constexpr uint64_t Valid = 0x0FDFBF7EFDFBF;

struct Board {
  uint64_t mine = 0;
  uint64_t all = 0;

  uint64_t stone(int column) const {
    return (all + (uint64_t(1) << (7 * column))) & (all ^ Valid);
  }
  bool isFull() const { return all == Valid; }
  Board after(uint64_t stone) const { return {all ^ mine, all | stone}; }
};

bool hasFour(uint64_t stones) {
  for (int shift : {1, 6, 7, 8}) {
    uint64_t two = stones & (stones >> shift);
    if (two & (two >> (2 * shift)))
      return true;
  }
  return false;
}

struct Random {
  uint64_t state;

  // xorshift64*, as in playouts.mlir.
  uint64_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1D;
  }
  int column() { return int(next() >> 61); }
};

// What the player who moved last scores in a game at random: 2, 1 or 0.
int playout(Board board, Random &random) {
  for (int moverScores = 0;; moverScores = 2 - moverScores) {
    if (board.isFull())
      return 1;
    uint64_t stone = 0;
    while (!stone) {
      int column = random.column();
      stone = column < 7 ? board.stone(column) : 0;
    }
    if (hasFour(board.mine | stone))
      return moverScores;
    board = board.after(stone);
  }
}

struct Node {
  int32_t children[7] = {};
  int32_t visits = 0;
  int32_t score = 0; // Of the player who moved into it, in halves.
};

class Search {
public:
  Search(float exploration, uint64_t seed)
      : exploration(exploration), random{seed | 1} {}

  int run(Board root, int64_t playouts, double seconds) {
    nodes.assign(1, Node());
    clock_t begin = clock();
    for (made = 0; playouts == 0 || made < playouts; ++made) {
      if (seconds > 0 && made % 64 == 0 && elapsed(begin) >= seconds)
        break;
      once(root);
    }
    took = elapsed(begin);
    return mostVisited();
  }

  /// Of the move into each column; 0 where there is none.
  std::array<int64_t, 7> visits() const {
    std::array<int64_t, 7> counts = {};
    for (int column = 0; column < 7; ++column)
      if (int32_t child = nodes[0].children[column])
        counts[column] = nodes[child].visits;
    return counts;
  }

  int64_t made = 0;
  double took = 0;

private:
  static double elapsed(clock_t begin) {
    return double(clock() - begin) / CLOCKS_PER_SEC;
  }

  int select(const Node &node, const Board &board) {
    float logVisits = std::log(float(node.visits + 1));
    float most = -1;
    int best = -1;
    int first = int((random.next() >> 32) % 7);
    for (int i = 0; i < 7; ++i) {
      int column = (first + i) % 7;
      if (!board.stone(column))
        continue;
      float score = 1e9f;
      if (int32_t child = node.children[column]) {
        const Node &there = nodes[child];
        score = 0.5f * there.score / there.visits +
                exploration * std::sqrt(logVisits / there.visits);
      }
      if (score > most) {
        most = score;
        best = column;
      }
    }
    return best;
  }

  void once(Board board) {
    int32_t path[43];
    int length = 0;
    int32_t node = 0;
    path[length++] = node;
    int result = -1;
    while (result < 0) {
      int column = select(nodes[node], board);
      uint64_t stone = board.stone(column);
      bool wins = hasFour(board.mine | stone);
      board = board.after(stone);
      int32_t child = nodes[node].children[column];
      bool isNew = child == 0;
      if (isNew) {
        child = int32_t(nodes.size());
        nodes[node].children[column] = child;
        nodes.emplace_back();
      }
      node = child;
      path[length++] = node;
      if (wins)
        result = 2;
      else if (board.isFull())
        result = 1;
      else if (isNew)
        result = playout(board, random);
    }
    for (int i = length - 1; i >= 0; --i, result = 2 - result) {
      ++nodes[path[i]].visits;
      nodes[path[i]].score += result;
    }
  }

  int mostVisited() const {
    std::array<int64_t, 7> counts = visits();
    auto most = std::max_element(counts.begin(), counts.end());
    return *most > 0 ? int(most - counts.begin()) : -1;
  }

  float exploration;
  Random random;
  std::vector<Node> nodes;
};

// Whether the player to move wins within so many plies, whatever the other one
// does.
bool winsWithin(const Board &board, int plies);

// Whether this move does.
bool wins(const Board &board, uint64_t stone, int plies) {
  if (hasFour(board.mine | stone))
    return true;
  if (plies < 3)
    return false;
  Board answered = board.after(stone);
  if (answered.isFull())
    return false;
  for (int column = 0; column < 7; ++column)
    if (uint64_t answer = answered.stone(column))
      if (hasFour(answered.mine | answer) ||
          !winsWithin(answered.after(answer), plies - 2))
        return false;
  return true;
}

bool winsWithin(const Board &board, int plies) {
  for (int column = 0; column < 7; ++column)
    if (uint64_t stone = board.stone(column))
      if (wins(board, stone, plies))
        return true;
  return false;
}

void printWins(int plies, int count, Random random) {
  while (count > 0) {
    Board board;
    int stones = 4 + int(random.next() >> 32) % 30;
    bool isOpen = true;
    for (int i = 0; i < stones && isOpen; ++i) {
      uint64_t stone = 0;
      while (!stone) {
        int column = random.column();
        stone = column < 7 ? board.stone(column) : 0;
      }
      isOpen = !hasFour(board.mine | stone);
      board = board.after(stone);
    }
    if (!isOpen || board.isFull() || !winsWithin(board, plies) ||
        (plies > 1 && winsWithin(board, plies - 2)))
      continue;
    printf("%llu %llu", (unsigned long long)board.mine,
           (unsigned long long)board.all);
    for (int column = 0; column < 7; ++column)
      if (uint64_t stone = board.stone(column))
        if (wins(board, stone, plies))
          printf(" %d", column);
    printf("\n");
    --count;
  }
}

void answerPositions() {
  unsigned long long mine, all, seed;
  long long playouts;
  double seconds;
  float exploration;
  while (scanf("%llu %llu %lld %lf %f %llu", &mine, &all, &playouts, &seconds,
               &exploration, &seed) == 6) {
    Search search(exploration, seed * 0x9E3779B97F4A7C15);
    int column = search.run({mine, all}, playouts, seconds);
    printf("%d %lld %.6f\n", column, (long long)search.made, search.took);
    fflush(stdout);
  }
}

void printSpeed(int64_t playouts, int threads, uint64_t seed) {
  std::vector<Search> searches;
  for (int i = 0; i < threads; ++i)
    searches.emplace_back(1.0f, (seed + i) * 0x9E3779B97F4A7C15);
  auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      searches[i].run({}, playouts * (i + 1) / threads - playouts * i / threads,
                      0);
    });
  for (std::thread &thread : running)
    thread.join();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::array<int64_t, 7> sums = {};
  for (const Search &search : searches)
    for (int column = 0; column < 7; ++column)
      sums[column] += search.visits()[column];
  auto most = std::max_element(sums.begin(), sums.end());
  printf("%d %lld %.6f %.0f\n", int(most - sums.begin()), (long long)playouts,
         took.count(), double(playouts) / took.count());
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "search")) {
    answerPositions();
    return 0;
  }
  if (argc == 5 && !strcmp(argv[1], "wins")) {
    printWins(atoi(argv[2]), atoi(argv[3]),
              {strtoull(argv[4], nullptr, 10) * 0x9E3779B97F4A7C15 | 1});
    return 0;
  }
  if (argc == 5 && !strcmp(argv[1], "speed") && atoll(argv[2]) > 0 &&
      atoi(argv[3]) > 0) {
    printSpeed(atoll(argv[2]), atoi(argv[3]), strtoull(argv[4], nullptr, 10));
    return 0;
  }
  fprintf(stderr, "usage: peer search | peer wins PLIES N SEED | peer speed "
                  "PLAYOUTS THREADS SEED\n");
  return 2;
}
