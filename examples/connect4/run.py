#!/usr/bin/env python3
"""Connect Four by Monte-Carlo tree search on the device: forced wins, games against chance, against itself and against a CPU.

    run.py --work DIR [--small] [--only PART...]   checks, with a result for each (--device=NAME: as gpuvm-run's)
    run.py --work DIR --play [--second]            a game against it in the terminal
    run.py --work DIR --position 44432             what it thinks of the position after these columns (1 to 7)

search.mlir is compiled for each part in the sizes that suit it. peer.cpp, which is compiled by the C++ compiler
there is (CXX, or g++), is the CPU's search and finds the positions with forced wins.
"""

import argparse
import dataclasses
import os
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
FULL, COLUMNS, PLIES = 0xFDFBF7EFDFBF, 7, 42
ENDLESS = 1 << 60
ILLEGAL, OPEN, DRAW = -2, -1, 0
NODES, CODE = (1 << 28) - 1, 28  # An entry of the tree: a node, and what is decided: a move that is
WON, DRAWN, LOST = 1, 2, 3


class Wrong(Exception):
    """A check that does not hold."""


class BadInput(Exception):
    """An argument or a file that makes no sense."""


@dataclasses.dataclass(frozen=True)
class Size:
    """How large a search is: boards side by side, walkers an iteration, iterations, games at random of each move of a leaf, plies of the tree."""
    games: int
    walkers: int
    turns: int
    rounds: int
    depth: int = 24

    @property
    def playouts(self):
        """Of one board, at most: columns may be full, and what is decided is not played."""
        return self.walkers * self.turns * COLUMNS * self.rounds

    def settings(self):
        """For gpuvm-compile: fields are called as the parameters of search.mlir."""
        return [f"--set={name}={value}" for name, value in dataclasses.asdict(self).items()]


@dataclasses.dataclass(frozen=True)
class Style:
    """How an agent searches: how much it explores, for how many iterations (None: all there are), and whether it looks ahead: 1 in the tree, 2 in games too."""
    exploration: float = 1
    turns: int = None
    looks: int = 2


PLAIN = Style(looks=0)
SMALLEST = Size(8, 16, 12, 1)


class Device:
    """search.mlir in one size."""
    where = []  # --device of gpuvm-run, if it is given

    def __init__(self, work, size, validate=False):
        self.size, self.folder = size, work / "-".join(str(n) for n in dataclasses.astuple(size))
        self.options = (["--validate"] if validate else []) + self.where
        self.folder.mkdir(parents=True, exist_ok=True)
        self.plan = self.folder / "search.gvplan"
        call(["gpuvm-compile", HERE / "search.mlir", "-o", self.plan, *size.settings()])

    def warmed(self):
        """Itself, its kernels compiled by the driver: the first search has to wait for that, and would lose its time."""
        nothing = np.full((self.size.games, 2), -2)
        self.run(nothing)
        self.idle = self.run(nothing)["processor"]
        return self

    def run(self, boards=None, styles=(Style(), Style()), seed=(1, 2), executions=1, budget=ENDLESS, outputs=()):
        """Outputs by name; boards None go on from the empty ones that agents play on."""
        boards = np.full((self.size.games, 2), -1, np.int64) if boards is None else np.asarray(boards, np.int64)
        styles = np.array([[s.exploration, self.size.turns if s.turns is None else s.turns, s.looks] for s in styles], np.float32)
        np.save(self.folder / "given.npy", boards)
        np.save(self.folder / "styles.npy", styles)
        before = processor()
        names = ("moves", "outcomes", "visits", "wins", "turns", "time", "playouts", *outputs)
        call(["gpuvm-run", self.plan, f"--iterations={executions}", f"--input=given=@{self.folder}/given.npy",
              f"--input=styles=@{self.folder}/styles.npy", f"--input=seed=2xi32={seed[0]},{seed[1]}", f"--input=budget=i64={budget}",
              *(f"--output={name}=@{self.folder}/{name}.npy" for name in names), *self.options])
        return {name: np.load(self.folder / f"{name}.npy") for name in names} | {"processor": processor() - before}


def processor():
    """Seconds of processors that programs took which were called."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def call(command, **options):
    """Runs a program; its own message is what is said if it fails."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode:
        raise Wrong(f"{pathlib.Path(command[0]).name} fails ({done.returncode}): {done.stderr.strip()}")
    return done.stdout


class Peer:
    """peer.cpp: the search on a CPU."""

    def __init__(self, work):
        compiler, self.program = os.environ.get("CXX", "g++"), work / "peer"
        try:
            call([compiler, "-O3", "-march=native", "-std=c++20", "-pthread", "-o", self.program, HERE / "peer.cpp"])
        except FileNotFoundError:
            raise BadInput(f"There is no C++ compiler \"{compiler}\" for peer.cpp; CXX names another.") from None

    def choose(self, boards, seed, playouts=0, seconds=0.0, exploration=1.0):
        """For each board its move and how many playouts were made."""
        lines = "".join(f"{mine} {stones} {playouts} {seconds} {exploration} {seed + i}\n" for i, (mine, stones) in enumerate(boards))
        rows = [line.split() for line in call([self.program, "search"], input=lines).splitlines()]
        return [int(row[0]) for row in rows], sum(int(row[1]) for row in rows), sum(float(row[2]) for row in rows)

    def wins(self, plies, count, seed):
        """Boards in which the player to move wins in so many plies, and the moves that do."""
        rows = [[int(word) for word in line.split()] for line in call([self.program, "wins", plies, count, seed]).splitlines()]
        return [row[:2] for row in rows], [set(row[2:]) for row in rows]


# The rules, once more and for people.


def placed(board, column):
    """The board for the other one, or None if the column is full."""
    mine, stones = board
    stone = (stones + (1 << 7 * column)) & (stones ^ FULL)
    return (stones ^ mine, stones | stone) if stone else None


def outcome(board):
    """OPEN, DRAW, or 1 or 2 if the first or the second player has won."""
    mine, stones = board
    for shift in (1, 6, 7, 8):
        two = (stones ^ mine) & (stones ^ mine) >> shift
        if two & two >> 2 * shift:
            return 2 - bin(stones).count("1") % 2
    return DRAW if stones == FULL else OPEN


def position(columns):
    """The board after these columns, written as digits from 1 to 7."""
    board = (0, 0)
    for ply, digit in enumerate(columns, 1):
        if digit not in "1234567":
            raise BadInput(f"Move {ply} of the position is \"{digit}\", but columns are 1 to 7.")
        if outcome(board) != OPEN:
            raise BadInput(f"The game was over before move {ply} of the position (\"{columns[:ply - 1]}\").")
        board = placed(board, int(digit) - 1)
        if board is None:
            raise BadInput(f"Column {digit} is full before move {ply} of the position.")
    return board


def drawing(board):
    """The board with X for the first player and O for the second."""
    mine, stones = board
    first = mine if bin(stones).count("1") % 2 == 0 else stones ^ mine
    rows = []
    for row in range(5, -1, -1):
        places = [7 * column + row for column in range(COLUMNS)]
        rows.append(" ".join(" " if not stones >> p & 1 else "X" if first >> p & 1 else "O" for p in places).join(("| ", " |")))
    return "\n".join([*rows, "+---------------+", "  1 2 3 4 5 6 7"])


# What is checked.


def say(text):
    print(text, file=sys.stderr, flush=True)


def show(name, value):
    print(name, f"{value:.4g}" if isinstance(value, float) else value, flush=True)


def check(holds, sentence):
    if not holds:
        raise Wrong(sentence)


def check_tree(work, small):
    """The tree itself: visits are sums, moves lead back, and what is decided is so."""
    size, fork = SMALLEST, position("4433")  # Whoever is to move wins by column 2 or 5.
    boards = [(0, 0)] * 5 + [position("55465544436734"), fork, (1, 2)]
    run = Device(work, size, small).run(boards, outputs=("tree.visits", "tree.wins", "tree.children"))
    visits, wins, children = run["tree.visits"].astype(np.int64), run["tree.wins"], run["tree.children"].reshape(-1, 8)
    lanes = size.games * size.walkers
    ids, codes = children & NODES, children >> CODE
    roots = ids[np.arange(size.games) * size.walkers, 0]
    nodes, columns = np.nonzero(ids[:, :COLUMNS] >= lanes)
    behind = ids[nodes, columns]
    check(np.array_equal(children[behind, 7], 8 * nodes + columns), "A node is not led back from to the move that leads to it.")
    check(len(np.unique(behind)) == len(behind), "A node is behind two moves.")
    own = visits.copy()
    np.subtract.at(own, nodes, visits[behind])
    own[:lanes] = 0
    check((own >= 0).all() and (own % size.rounds == 0).all(), "A node has fewer visits than those behind it.")
    check((visits[roots[:5]] == size.playouts).all(), f"Roots have {visits[roots[:5]]} visits instead of {size.playouts}.")
    check((wins >= 0).all() and (wins[lanes:] <= 2 * visits[lanes:]).all(), "A node has more wins than visits.")
    check(codes[6 * size.walkers, 0] == LOST, "The win in 3 plies is not known to be one.")
    check(run["outcomes"].tolist() == [OPEN] * 7 + [ILLEGAL], f"Outcomes are {run['outcomes']}.")
    decided = sum(check_codes(children, lanes, root, board) for root, board in zip(roots[:7], boards))
    show("tree_nodes", len(nodes))
    show("tree_decided", decided)


def check_codes(children, lanes, node, board):
    """Moves of a node are what they are said to be: none, won or lost for the player, drawn or open; how many are decided."""
    decided = 0
    for column in range(COLUMNS):
        after, entry = placed(board, column), int(children[node, column])
        check((entry == 0) == (after is None), f"Column {column} of {board} is said to be full, or is.")
        if after is None:
            continue
        child, code = entry & NODES, entry >> CODE
        decided += code != 0
        if child >= lanes:
            there = children[child, :COLUMNS] >> CODE
            follows = LOST if WON in there else WON if (there[children[child, :COLUMNS] != 0] == LOST).all() else 0
            check(code in (0, follows), f"The move {column} of {board} is marked {code} without a reason.")
            decided += check_codes(children, lanes, child, after)
        else:
            check(code == ahead(after), f"The move {column} of {board} is marked {code}, but is {ahead(after)}.")
    return decided


def ahead(board):
    """WON, DRAWN or LOST by who has moved last if that is certain within two plies, else 0."""
    if outcome(board) != OPEN:
        return DRAWN if outcome(board) == DRAW else WON
    replies = [after for column in range(COLUMNS) if (after := placed(board, column))]
    if any(outcome(after) > DRAW for after in replies):
        return LOST
    answered = (any(outcome(b) > DRAW for c in range(COLUMNS) if (b := placed(after, c))) for after in replies)
    return WON if all(answered) else 0


def check_wins(work, small):
    """Every forced win in 1 and in 3 plies of positions at random is found."""
    size = Size(32, 16, 24, 1) if small else Size(250, 32, 32, 2)
    peer, device = Peer(work), Device(work, size, small)
    for plies in (1, 3):
        boards, best = peer.wins(plies, size.games, 20 + plies)
        moves = device.run(boards)["moves"]
        found = sum(move in wins for move, wins in zip(moves, best))
        show(f"wins_in_{plies}", f"{found} of {size.games}")
        missed = [boards[i] for i in range(size.games) if moves[i] not in best[i]]
        check(not missed, f"{len(missed)} wins in {plies} plies are not found, the first one of {missed[:1]}.")


def scores(outcomes, games):
    """Won, drawn and lost by agent 0, who moves first in even games."""
    seat = 1 + np.arange(games) % 2
    won = int((outcomes == seat).sum())
    drawn = int((outcomes == DRAW).sum())
    return won, drawn, games - won - drawn


def check_random(work, small):
    """Games against an agent that does not search; all of them in PLIES submits."""
    size = Size(32, 16, 16, 1) if small else Size(1000, 8, 24, 1)
    start = time.monotonic()
    run = Device(work, size, small).run(styles=(Style(), Style(turns=0)), executions=PLIES + 1)
    won, drawn, lost = scores(run["outcomes"], size.games)
    check((run["outcomes"] >= DRAW).all(), "A game is not over after 42 plies.")
    show("against_random", f"{won} won {drawn} drawn {lost} lost of {size.games}, {size.playouts} playouts a move")
    say(f"  {time.monotonic() - start:.0f} s")
    check(lost == 0, f"{lost} games are lost to a random player.")


def check_agents(work, small):
    """Two agents on one board: one searches four times as long as the other; and one looks ahead, the other does not."""
    size = Size(16, 8, 24, 1) if small else Size(100, 16, 64, 1)
    device = Device(work, size, small)
    for name, other in (("against_quarter", Style(turns=size.turns // 4)), ("against_plain", PLAIN)):
        run = device.run(styles=(Style(), other), executions=PLIES + 1, seed=(5, 6), outputs=("boosts",))
        won, drawn, lost = scores(run["outcomes"], size.games)
        show(name, f"{won} won {drawn} drawn {lost} lost of {size.games}")
        show("boosted_turns", int(run["boosts"]))
        check(won + drawn / 2 > size.games / 2, "Who searches more does not win more.")


def openings(games):
    """Boards after two moves, of which there are 49 pairs: each pair for two games."""
    pairs = [17 * (i // 2) % COLUMNS**2 for i in range(games)]
    return [placed(placed((0, 0), pair // COLUMNS), pair % COLUMNS) for pair in pairs]


def match(device, peer, boards, seed, cores=0, style=Style()):
    """A game against the peer from each of these boards, turn by turn begun by us and by it; (won, drawn, lost), playouts and seconds of both.

    The CPU gets as many playouts as the device has made for a move of this ply, or for cores the time that took, which for
    lavapipe is that of all cores by their number, so that what else the machine does takes nothing from either, and for a device that is
    named what its own clock says.
    """
    games, boards = len(boards), list(boards)
    made, took = [0, 0], [0.0, 0.0]
    seconds, playouts = (0.01, 0) if cores else (0, device.size.playouts)
    for ply in range(bin(boards[0][1]).count("1"), PLIES):
        turn = [i for i in range(games) if outcome(boards[i]) == OPEN]
        ours = [i for i in turn if (ply + i) % 2 == 0]
        theirs = [i for i in turn if (ply + i) % 2]
        if not turn:
            break
        moves = {}
        if ours:
            asked = [boards[i] for i in ours] + [(0, FULL)] * (device.size.games - len(ours))  # No legal board: not searched.
            run = device.run(asked, styles=(style, style), seed=(seed, ply))
            moves |= {i: int(run["moves"][k]) for k, i in enumerate(ours)}
            made[0] += int(run["playouts"].sum())
            spent = float(run["time"]) / 1e9 if device.where else (run["processor"] - device.idle) / (cores or 1)
            took[0] += spent
            if cores:
                seconds = max(0.001, spent) / len(ours)
            else:
                playouts = max(1, int(run["playouts"].sum()) // len(ours))
        if theirs:
            chosen, number, spent = peer.choose([boards[i] for i in theirs], 1000 * seed + 50 * ply, playouts, seconds)
            moves |= dict(zip(theirs, chosen))
            made[1] += number
            took[1] += spent
        for i, move in moves.items():
            check(move >= 0 and placed(boards[i], move), f"Ply {ply} of game {i} is no legal move ({move}).")
            boards[i] = placed(boards[i], move)
        say(f"  ply {ply + 1}: {len(turn)} games, {took[0]:.1f} s on the device, {took[1]:.1f} s on the CPU")
    return scores(np.array([outcome(b) for b in boards]), games), made, took


def check_peer(work, small):
    """As many playouts as the CPU's search: plain, with a look ahead in the tree, and in games too (49 openings); as much time (empty board)."""
    peer = Peer(work)
    device = Device(work, Size(4, 16, 12, 1) if small else Size(49, 16, 72, 1)).warmed()
    for name, style in (("same_playouts_plain", PLAIN), ("same_playouts_uniform", Style(looks=1)), ("same_playouts", Style())):
        result, made, _ = match(device, peer, openings(2 * device.size.games), 7, style=style)
        show(name, "{} won {} drawn {} lost".format(*result) + f" of {sum(result)}, {made[0]} and {made[1]} playouts")
    if small:
        return
    size = Size(49, 64, 128, 8) if Device.where else Size(49, 32, 240, 2)  # A GPU is named; it has room for more at once.
    device, empty = Device(work, size).warmed(), [(0, 0)] * (2 * size.games)
    matches = [match(device, peer, empty, seed, os.cpu_count()) for seed in (8, 9)]
    for result, _, _ in matches:
        show("same_time", "{} won {} drawn {} lost".format(*result) + f" of {sum(result)}")
    for side, name in enumerate(("device", "cpu")):
        seconds, playouts = sum(took[side] for _, _, took in matches), sum(made[side] for _, made, _ in matches)
        show(f"{name}_seconds", seconds)
        show(f"{name}_playouts_per_second", playouts / seconds)


def check_budget(work, small):
    """A search that its time ends has a move all the same."""
    size = SMALLEST
    run = Device(work, size, small).run([(0, 0)] * 8, budget=1)
    check(run["turns"] == 1, f"A search without time makes {run['turns']} turns.")
    check((run["playouts"] == size.playouts // size.turns).all() and (run["moves"] >= 0).all(), "A short search has no answer.")
    show("turns_without_time", int(run["turns"]))


def check_bad_boards(work, small):
    """No move where there is none, and what is no position is said to be none."""
    won, filled = position("1213141"), (0, FULL)
    floats, outside, both, few = (0, 2), (0, 1 << 6), (0xF, 0xF | 0xF << 7), (0, 7)
    boards = [won, position(""), floats, outside, both, few, (3, 3), filled]
    expected = [1, OPEN] + [ILLEGAL] * 6
    run = Device(work, SMALLEST, small).run(boards)
    check(run["outcomes"].tolist() == expected, f"Outcomes are {run['outcomes'].tolist()} instead of {expected}.")
    check((run["moves"] >= 0).tolist() == [state == OPEN for state in expected], f"Moves are {run['moves'].tolist()}.")
    show("bad_boards", ILLEGAL)


def draw_game(work, small):
    """One game of the device against itself, wholly by submits, and what was considered at each move."""
    size = Size(2, 8, 16, 1) if small else Size(2, 32, 128, 2)
    run = Device(work, size, small).run(executions=PLIES + 1, seed=(11, 12), outputs=("history", "boards"))
    rows = run["history"][:PLIES, 0]
    rows = rows[rows[:, 7] >= 0]
    board, columns = (0, 0), rows[:, 7].tolist()
    for column in columns:
        check(outcome(board) == OPEN and placed(board, column), "A move of the history is none.")
        board = placed(board, column)
    check(outcome(board) == run["outcomes"][0] and board[1] == run["boards"][0][1], "The history is not that of the board.")
    show("game", "".join(str(column + 1) for column in columns))
    show("winner", ["nobody", "first", "second"][outcome(board)])
    if not small:
        picture(work / "connect4.png", columns, rows[:, :COLUMNS], size)


def picture(path, columns, visits, size):
    """The last board with the numbers of the moves, and the share of each column's visits."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), dpi=90, width_ratios=(1, 1.5), layout="constrained")
    heights = [0] * COLUMNS
    for ply, column in enumerate(columns):
        left.add_patch(plt.Circle((column + 1, heights[column] + 1), 0.42, color=("#e8b418", "#c8372d")[ply % 2]))
        left.text(column + 1, heights[column] + 1, ply + 1, ha="center", va="center", fontsize=9)
        heights[column] += 1
    left.set(xlim=(0.4, 7.6), ylim=(0.4, 6.6), xticks=range(1, 8), yticks=[], aspect="equal", title="the game, move by move", xlabel="column")
    left.set_facecolor("#dce6f2")
    shares = visits / visits.sum(axis=1, keepdims=True)
    image = right.imshow(shares.T, aspect="auto", origin="lower", cmap="Blues", extent=(0.5, len(columns) + 0.5, 0.5, 7.5), vmin=0, vmax=1)
    right.plot(range(1, len(columns) + 1), np.array(columns) + 1, "o", color="#c8372d", markersize=3, label="played")
    right.set(xlabel="move", ylabel="column", title=f"share of {size.playouts:,} games at random a move")
    right.legend(loc="upper left", fontsize=8)
    figure.colorbar(image, ax=right)
    figure.savefig(path)
    say(f"  picture: {path}")


PARTS = {"tree": check_tree, "bad": check_bad_boards, "budget": check_budget, "wins": check_wins, "random": check_random,
         "agents": check_agents, "game": draw_game, "peer": check_peer}


# A game in the terminal.


def asked(board):
    """A column from the terminal, or None at its end."""
    while True:
        print("Your column (1 to 7): ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            return None
        text = line.strip()
        if text not in tuple("1234567"):
            print(f"\"{text}\" is no column; columns are 1 to 7.")
        elif placed(board, int(text) - 1) is None:
            print(f"Column {text} is full.")
        else:
            return int(text) - 1


def think(device, board, seed):
    """The device's move, and what it says of it."""
    run = device.run([board], seed=(seed, bin(board[1]).count("1")), budget=2_000_000_000)
    move, visits = int(run["moves"][0]), run["visits"][0]
    chance = run["wins"][0][move] / 2 / max(1, visits[move])
    return move, f"{run['playouts'][0]:,} games in {run['time'] * 1e-9:.2f} s, wins {chance:.0%}", visits


def partner(work, small):
    """The search that a person meets."""
    return Device(work, Size(1, 16, 24, 1) if small else Size(1, 64, 128, 4), small).warmed()


def play(work, small, begins):
    """A game against the device; `begins` says that the person does."""
    device, board, person = partner(work, small), (0, 0), begins
    while outcome(board) == OPEN:
        print(drawing(board))
        if person:
            move = asked(board)
            if move is None:
                print("\nThe game is left.")
                return
        else:
            move, says, _ = think(device, board, time.time_ns() & 0xFFFF)
            print(f"It plays column {move + 1} ({says}).")
        board, person = placed(board, move), not person
    print(drawing(board))
    print("A draw." if outcome(board) == DRAW else "It has won." if person else "You have won.")


def analyse(work, small, columns):
    board = position(columns)
    if outcome(board) != OPEN:
        raise BadInput(f"The game of the position \"{columns}\" is over: {['a draw', 'X has won', 'O has won'][outcome(board)]}.")
    print(drawing(board))
    move, says, visits = think(partner(work, small), board, 1)
    print(f"column {move + 1}: {says}; visits of each {' '.join(str(v) for v in visits)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--device", help="as gpuvm-run's")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--play", action="store_true")
    parser.add_argument("--second", action="store_true", help="let it begin")
    parser.add_argument("--position", metavar="COLUMNS")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    Device.where = [f"--device={options.device}"] if options.device else []
    try:
        if options.play:
            play(options.work, options.small, not options.second)
        elif options.position is not None:
            analyse(options.work, options.small, options.position)
        else:
            for name in options.only:
                say(f"{PARTS[name].__doc__.splitlines()[0]}")
                PARTS[name](options.work, options.small)
            print("check ok")
    except BadInput as error:
        say(f"run.py: {error}")
        return 2
    except Wrong as error:
        say(f"run.py: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
