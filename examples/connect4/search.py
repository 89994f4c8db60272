"""Connect Four by Monte-Carlo tree search, wholly on the device: search.mlir, written in Python, with the same plan.

search.mlir says what the trees hold, how walkers go down them and how games are played; the names are the same here. Sizes
are arguments: boards those of `given`, and walkers of each board, most iterations (`turns`), games of each move (`each`),
and how deep a tree may be (`depths`).

    search(given, styles, seed, budget) = moves, outcomes, visits, wins, turns, time, playouts, of each board
"""

import gpuvm
import gpuvm.numpy as gnp
import numpy as np
from gpuvm import ops

VALID = 0x0FDFBF7EFDFBF  # The places of a board: 7 columns of 7 bits, the upper one of each is none.
BOTTOMS = 0x40810204081  # The lowest place of each column.
WON, DRAWN, LOST = 1, 2, 3  # What a move is by which it is decided, in bits 28 and 29 of its entry.
IDS = 0x0FFFFFFF  # The other bits.


# --- Boards: words of uint64 -------------------------------------------------------------


def rows(stones, apart):
    """Stones with which four in a row begin, in the direction in which neighbours are so many bits apart."""
    two = stones & (stones >> apart)
    return two & (two >> 2 * apart)


def gaps(stones, apart):
    """Where one stone more makes four in a row in this direction: three on one side, or two and one."""
    left, right = [stones << apart * k for k in (1, 2, 3)], [stones >> apart * k for k in (1, 2, 3)]
    return (left[0] & left[1] & (left[2] | right[0])) | (right[0] & right[1] & (left[0] | right[2]))


def fours(stones):
    """Where one stone more makes four in a row."""
    vertical = (stones << 1) & (stones << 2) & (stones << 3)
    return (vertical | gaps(stones, 7) | gaps(stones, 6) | gaps(stones, 8)) & VALID


def all_gaps(stones):
    """The same, with places above and aside of the board."""
    return gaps(stones, 1) | gaps(stones, 7) | gaps(stones, 6) | gaps(stones, 8)


def stone_in(stones, column):
    """The place to which a stone falls, or 0."""
    return (stones + (np.uint64(1) << (column.astype(np.uint64) * 7))) & (stones ^ VALID)


def opened(stones):
    """The places to which a stone can fall."""
    return (stones + BOTTOMS) & (stones ^ VALID)


# --- Entries of a tree -------------------------------------------------------------------


def code_of(entry):
    return (entry.view(np.uint32) >> 28).view(np.int32)


def scrambled(number, key, first, last):
    """A hash of uint32."""
    mixed = (number.view(np.uint32) * 0x9E3779B9) ^ key.view(np.uint32)
    mixed = (mixed ^ (mixed >> 16)) * first
    mixed = mixed ^ (mixed >> 13)
    return mixed if last is None else (mixed * last) ^ ((mixed * last) >> 16)


@gpuvm.program
def search(given, styles, seed, budget, walkers=48, turns=96, each=2, depths=24):
    """The move of each board, and what is known of it."""
    boards = given.shape[0]
    lanes = boards * walkers
    nodes = lanes * (turns + 1)
    kept = gpuvm.Global("boards", np.zeros((boards, 2), np.uint64))
    visits = gpuvm.Global("tree.visits", shape=nodes, dtype=np.int32)
    wins = gpuvm.Global("tree.wins", shape=nodes, dtype=np.int32)
    children = gpuvm.Global("tree.children", shape=8 * nodes, dtype=np.int32)
    exploration = gpuvm.Global("exploration", shape=boards, dtype=np.float32)
    history = gpuvm.Global("history", shape=(43, boards, 8), dtype=np.int32)
    submits = gpuvm.Global("submits", np.int32(0))
    temper = gpuvm.Register("temper", shape=2, dtype=np.float32)
    chance = gpuvm.Register("chance", np.array([0x1234567, 0x7654321], np.uint64))
    spread = gpuvm.Metric("spread", shape=boards, dtype=np.float32)
    boosts = gpuvm.Metric("boosts", dtype=np.int32)

    @gpuvm.stage(instances=2)
    def wake(style):
        """Each agent draws the state of chance that its games begin with."""
        new = chance.load(own=True)
        new = new ^ (new >> 12)
        new = new ^ (new << 25)
        new = new ^ (new >> 27)
        chance.store(new, own=True)
        temper.store(style[0], own=True)
        return style[0], style[1].astype(np.int32), style[2].astype(np.int32), new

    @gpuvm.stage(instances=boards)
    def judge(board):
        """What each game is: -1 open, 0 drawn, 1 or 2 won by the first or second player, -2 no position of a game."""
        old = kept.load(own=True)

        def decide(mine0, all0, mine1, all1):
            goes_on = all0 == 0xFFFFFFFFFFFFFFFF
            mine, stones = gnp.where(goes_on, mine1, mine0), gnp.where(goes_on, all1, all0)
            theirs = stones ^ mine
            own_four, their_four = (sum(rows(side, apart) for apart in (1, 7, 6, 8)) != 0 for side in (mine, theirs))
            count, own = gnp.bitwise_count(stones), gnp.bitwise_count(mine)
            is_inside = ((mine | stones) | VALID) == VALID
            is_stacked = ((stones + BOTTOMS) & stones) == 0
            is_legal = is_inside & ((mine | stones) == stones) & is_stacked & (own == count >> 1) & ~own_four
            odd = (count & 1).astype(np.int32)
            state = gnp.where(their_four, 2 - odd, gnp.where(stones == VALID, np.int32(0), np.int32(-1)))
            return gnp.where(is_legal, state, -2), mine, stones, odd

        state, mine, stones, odd = gpuvm.map(decide, board[0], board[1], old[0], old[1])
        return gpuvm.send(state, mine, stones, odd, status=gnp.where(state == -2, 1, 0))

    @gpuvm.stage
    def plant(state, odd, temper, patience, insight, chances):
        """For how many iterations each game is searched, and how. Trees are empty."""
        visits.store(0)
        wins.store(0)
        children.store(0)

        def agent_of(state, odd):
            agent = (gpuvm.at(0) + odd) & 1
            word = seed[0].view(np.uint32).astype(np.uint64) | (seed[1].view(np.uint32).astype(np.uint64) << 32)
            key = (((word * 0x9E3779B97F4A7C15) ^ chances[agent]) * 0x9E3779B97F4A7C15) >> 32
            return gnp.where(state == -1, patience[agent], 0), temper[agent], insight[agent], key.astype(np.int32)

        limit, constant, sight, key = gpuvm.map(agent_of, state, odd)
        exploration.store(constant)
        return limit, constant, sight, key

    @gpuvm.stage
    def select(now, limit, movers, occupied, sight, keys):
        """Down the trees: the entry at which each walker stops, the board there, whether it is decided, what becomes of it."""
        seen, won, tree, constants = visits.load(), wins.load(), children.load(), exploration.load()

        def walk(lane):
            game = lane // walkers
            top = game * walkers * 8
            node = (now + 1) * lanes + lane
            dice = scrambled(node, keys[game], 0x85EBCA6B, None)
            walks = (now < limit[game]) & (tree[top] <= IDS)
            square = constants[game] * constants[game]
            sees = sight[game] != 0

            def down(goes, edge, entry, mine, stones, depth, dice, end):
                explored = square * gnp.log(seen[entry].astype(np.float32))
                dice = (dice * 0xC2B2AE35) ^ ((dice * 0xC2B2AE35) >> 16)

                def look(column, most, best, chosen, chances, is_won):
                    move = tree[entry * 8 + column]
                    code, is_node = code_of(move), move >= lanes
                    child = gnp.where(is_node, move & IDS, 0)
                    halves = gnp.where(is_node, gnp.where(move > IDS, (LOST - code) * each, won[child]), move - 1)
                    games = gnp.where((child != 0) & (move <= IDS), seen[child], each).astype(np.float32)
                    factor = (chances & 15).view(np.int32).astype(np.float32) * 0.0666666667 + 0.5
                    score = halves.astype(np.float32) * 0.5 / games + gnp.sqrt(explored / games) * factor
                    score = gnp.where((move != 0) & (code != LOST), score, -1)
                    takes = score > most
                    better = gnp.where(takes, score, most), gnp.where(takes, column, best), gnp.where(takes, move, chosen)
                    return *better, chances >> 4, is_won | (code == WON).astype(np.int32)

                start = np.float32(-1), np.int32(0), np.int32(0), dice, np.int32(0)
                most, column, move, _, is_won = gpuvm.repeat(7, look, *start, iteration=True)
                follows = ((is_won != 0) | (most < 0)) & sees  # One of the moves wins, or all of them lose.
                end = gnp.where(follows, gnp.where(is_won != 0, LOST, np.int32(WON)), code_of(move))
                goes = (end == 0) & (move >= lanes) & (depth + 1 < depths - 1)
                mine, stones = (
                    gnp.where(follows, mine, stones ^ mine),
                    gnp.where(follows, stones, stones | stone_in(stones, column)),
                )
                return (
                    goes,
                    gnp.where(follows, edge, entry * 8 + column),
                    gnp.where(follows, entry, move),
                    mine,
                    stones,
                    depth + 1,
                    dice,
                    end,
                )

            start = (
                walks & (tree[top] >= lanes),
                gnp.where(walks, top, -1),
                tree[top],
                movers[game],
                occupied[game],
                np.int32(1),
                dice,
                np.int32(0),
            )
            _, edge, entry, mine, stones, _, _, end = gpuvm.while_loop(lambda goes, *_: goes, down, *start)
            made = gnp.where(entry >= lanes, entry | (end << 28), node)
            return edge, mine, stones, end, gnp.where(entry > IDS, entry, made)

        return gpuvm.map(walk, shape=lanes)

    @gpuvm.stage
    def play(leaf_mine, leaf_all, leaf_end, edges, sight, keys, now):
        """The moves of each leaf: what is decided within two plies, and games at random from each of the others."""

        def move(mine, stones0, end, edge):
            lane, column = gpuvm.at(0), gpuvm.at(1)
            game = lane // walkers
            sees, thinks = sight[game] != 0, sight[game] == 2
            dice = scrambled((now * lanes + lane) * 7 + column, keys[game], 0xC2B2AE35, 0x85EBCA6B)
            theirs = stones0 ^ mine
            stone = stone_in(stones0, column)
            stones, moved = stones0 | stone, mine | stone
            own_before, theirs_before, own_after = (all_gaps(side) for side in (mine, theirs, moved))
            their_fours, my_fours = theirs_before & VALID, own_after & VALID
            replies = opened(stones)
            is_won, is_full = (stone & own_before) != 0, replies == 0
            # They win at once, or can neither stop all of mine nor keep from opening one.
            is_lost, must = (their_fours & replies) != 0, my_fours & replies
            above = gnp.where(must != 0, must, replies) << 1
            is_sure = ((above & my_fours) == above) | ((must & (must - 1)) != 0)
            code = gnp.where(is_lost, LOST, gnp.where(is_sure, np.int32(WON), 0))
            code = gnp.where(is_won, WON, gnp.where(is_full, DRAWN, gnp.where(sees, code, 0)))
            # Moves that count: one that wins, else those that stop a four, and do not lose at once if there are others.
            open_ = opened(stones0)
            winning, stopping = own_before & open_, their_fours & open_
            useful = gnp.where(stopping != 0, stopping, open_)
            safe = useful ^ (useful & (their_fours >> 1))
            sensible = gnp.where(winning != 0, winning, gnp.where(safe != 0, safe, useful))
            is_sensible = (stone & gnp.where(sees, sensible, open_)) != 0
            is_there, is_open, is_unknown = edge >= 0, end == 0, code == 0
            plays = is_there & is_open & is_sensible & is_unknown

            def ply(mine, all_, own, others, dice, side, over, score):
                dice = dice * 1664525 + 1013904223
                turn = ((((dice >> 16) * 7) >> 16).astype(np.uint64)) * 7
                free = opened(all_)
                winning, stopping = own & free, others & free
                useful = gnp.where(stopping != 0, stopping, free)
                defence = gnp.where((stopping & (stopping - 1)) != 0, np.uint64(0), useful)
                moves = gnp.where(thinks, gnp.where(winning != 0, winning, defence), free)
                # One of them: the first one from a column at random on.
                turned = (moves >> turn) | (moves << (49 - turn))
                lowest = turned & (0 - turned)
                stone = ((lowest << turn) | (lowest >> (49 - turn))) & VALID
                wins_ = (stone & own) != 0
                ends = wins_ | (moves == 0)
                gain = gnp.where(wins_, side + side, gnp.where(free == 0, 1, 2 - (side + side)))
                made = fours(mine | stone)
                new = all_ ^ mine, all_ | stone, others, made
                mine, all_, own, others = (
                    gnp.where(ends, a, b) for a, b in zip((theirs, stones, their_fours, my_fours), new, strict=True)
                )
                return (
                    mine,
                    all_,
                    own,
                    others,
                    dice,
                    gnp.where(ends, 0, 1 - side),
                    over + ends.astype(np.int32),
                    score + gnp.where(ends, gain, 0),
                )

            start = theirs, stones, their_fours, my_fours, dice, np.int32(0), gnp.where(plays, np.int32(0), each), np.int32(0)
            *_, score = gpuvm.while_loop(lambda *state: state[6] < each, ply, *start)
            # What is decided counts like the games that are not played; of what is not considered nothing is known: 1.
            value = gnp.where(is_open, gnp.where(is_unknown, 1, LOST - code), end - 1)
            points = gnp.where(plays, score, value * each)
            counts = is_there & ((end != 0) | is_sensible)
            total = points + (np.int32(each) << 9) + (gnp.where(plays, np.int32(each), 0) << 18)
            entry = gnp.where(is_unknown, points + 1, (code << 28) | is_won.astype(np.int32))
            return gnp.where(is_there & is_open & (stone != 0), entry, 0), gnp.where(counts, total, 0)

        columns = (leaf_mine[:, None], leaf_all[:, None], leaf_end[:, None], edges[:, None])
        entries, totals = gpuvm.map(move, *columns, shape=(lanes, 7))
        return entries, gnp.sum(totals, axis=1, dtype=np.int32)

    @gpuvm.stage
    def expand(entries, edges, made, now):
        """The moves of a new node, and the one that leads to it; a mark on what is decided."""

        def change(edge, mark):
            lane, slot = gpuvm.at(0), gpuvm.at(1)
            entry = entries[lane, gnp.minimum(slot, 6)]
            place = ((now + 1) * lanes + lane) * 8 + slot
            return gnp.where(slot == 8, mark, gnp.where(slot == 7, edge, entry)), gnp.where(slot == 8, edge, place)

        values, places = gpuvm.map(change, edges[:, None], made[:, None], shape=(lanes, 9))
        children.store(children.load().at[places].max(values))

    @gpuvm.stage
    def back(totals, edges):
        """Up the tree: lane d of a walker climbs d moves, and counts for the one who made that move."""
        tree = children.load()

        def climb(total, edge):
            depth = gpuvm.at(1)
            place = gnp.maximum(edge, 0)
            start = gnp.where(depth == 0, tree[place] & IDS, (place.view(np.uint32) >> 3).view(np.int32))
            node, left = gpuvm.while_loop(
                lambda node, left: (node >= lanes) & (left > 1),
                lambda node, left: ((tree[node * 8 + 7].view(np.uint32) >> 3).view(np.int32), left - 1),
                start,
                depth,
            )
            is_node = node >= lanes
            counts = (is_node | ((node < lanes) & (left == 1))) & (edge >= 0)
            points, games, played = total & 511, (total >> 9) & 511, total >> 18
            gain = gnp.where((depth & 1) != 0, points, games + games - points)
            return gnp.where(counts, node, -1), gnp.where(is_node, games, played), gnp.where(is_node, gain, 0)

        place, games, gain = gpuvm.map(climb, totals[:, None], edges[:, None], shape=(lanes, depths))
        seen, won = ops.scatter(place, ("add", games, visits.load()), ("add", gain, wins.load()))
        visits.store(seen)
        wins.store(won)
        return gnp.full((), np.int32(1))

    @gpuvm.stage
    def regulate(base, limit):
        """Where all moves of a root score alike, later iterations explore more."""
        seen, won, tree = visits.load(), wins.load(), children.load()

        def boost(base, constant, limit):
            root = tree[gpuvm.at(0) * walkers * 8] & IDS

            def score(column, least, best):
                entry = tree[root * 8 + column]
                is_used = (entry >= lanes) & (entry <= IDS)
                child = gnp.where(is_used, entry, 0)
                games = seen[child]
                mean = won[child].astype(np.float32) * 0.5 / games.astype(np.float32)
                is_seen = is_used & (games > 0)
                return gnp.minimum(least, gnp.where(is_seen, mean, 1)), gnp.maximum(best, gnp.where(is_seen, mean, 0))

            least, best = gpuvm.repeat(7, score, np.float32(1), np.float32(0), iteration=True)
            apart = gnp.maximum(best - least, 0)
            boosts = (apart < 0.02) & (limit > 0)
            more = gnp.minimum(constant * 1.1, base * 2)
            return gnp.where(boosts, more, base), apart, boosts.astype(np.int32)

        new, apart, is_boosted = gpuvm.map(boost, base, exploration.load(), limit)
        exploration.store(new)
        spread.store(apart)
        return is_boosted

    @gpuvm.stage
    def look(counted, now, limit, is_boosted):
        """The end: the time is over, or no game is searched any longer."""
        time = gpuvm.ticks(counted)
        boosts.store(boosts.load() + gnp.sum(is_boosted, dtype=np.int32))
        later = now + 1
        return later, time, (time > budget) | (later >= gnp.maximum(gnp.max(limit), 0))

    @gpuvm.stage
    def choose(state, movers, occupied, turns):
        """The move of each game is the one most visited, of equal ones any; -1 where there is none. It is made."""
        seen, won, tree, number = visits.load(), wins.load(), children.load(), submits.load()
        submits.store(number + 1)
        draws = gnp.random.bits(seed, (boards, 7), stream=gnp.stack([np.int32(-1), number]))

        def known(game, column):
            root = tree[game * walkers * 8] & IDS
            entry = gnp.where(root >= lanes, tree[root * 8 + column], 0)
            code, child = code_of(entry), entry & IDS
            is_node = child >= lanes
            node = gnp.where(is_node, child, 0)
            games = gnp.where(is_node, seen[node], gnp.where(entry != 0, np.int32(each), 0))
            halves = gnp.where(is_node, won[node], gnp.maximum(child - 1, 0))
            halves = gnp.where(code != 0, (LOST - code) * games, halves)
            # How good it is: lost, open, won, won in 3 plies, won at once.
            rank = gnp.where(code == WON, gnp.where(is_node, 2, LOST + child), gnp.where(code == LOST, np.int32(0), 1))
            return games, halves, rank

        games, halves, ranks = gpuvm.map(known, shape=(boards, 7))
        played = gpuvm.map(lambda game: seen[game * walkers], shape=boards)

        def best(state, stones):
            game = gpuvm.at(0)

            def better(column, most, chosen):
                low, middle, high = (x[game, column].view(np.uint32).astype(np.uint64) for x in (draws, games, ranks))
                key = ((middle << 21) | (low & 0x1FFFFF) | (high << 53)).view(np.int64)
                takes = (stone_in(stones, column) != 0) & (key > most)
                return gnp.where(takes, key, most), gnp.where(takes, column, chosen)

            _, column = gpuvm.repeat(7, better, np.int64(-1), np.int32(-1), iteration=True)
            return gnp.where(state == -1, column, -1)

        chosen = gpuvm.map(best, state, occupied)

        def made(move, mine, stones):
            new = stones | (stones + (np.uint64(1) << (gnp.maximum(move, 0).astype(np.uint64) * 7)))
            is_made = move >= 0
            mine = gnp.where(is_made, stones ^ mine, mine)
            return gnp.where(gpuvm.at(1) == 0, mine, gnp.where(is_made, new, stones))

        kept.store(gpuvm.map(made, chosen[:, None], movers[:, None], occupied[:, None], shape=(boards, 2)))
        history.store(gnp.concatenate([games, chosen[:, None]], axis=1)[None], at=number)
        return chosen, games, halves, played

    tempers, patience, insight, chances = wake(styles)
    outcomes, movers, occupied, agents = judge(given)
    limit, temper_of, sight, keys = plant(outcomes, agents, tempers, patience, insight, chances)

    def iterate(now, clock):
        edges, leaf_mine, leaf_all, leaf_end, made = select(now, limit, movers, occupied, sight, keys)
        entries, totals = play(leaf_mine, leaf_all, leaf_end, edges, sight, keys, now)
        expand(entries, edges, made, now)
        counted = back(totals, edges)
        later, time, is_over = look(counted, now, limit, regulate(temper_of, limit))
        return gpuvm.until(is_over, later, time)

    turns, time = gpuvm.repeat(turns, iterate, np.int32(0), np.int64(0))
    moves, seen, won, playouts = choose(outcomes, movers, occupied, turns)
    return {"moves": moves, "outcomes": outcomes, "visits": seen, "wins": won, "turns": turns, "time": time, "playouts": playouts}
