"""A step of all streams of the token-stream VM at once, written with arrays: for torch, and the same code for NumPy.

It has what streams without tools need: no captures, no answers. Integers are 64 bits wide, those of the model for tests are cut to 32.
"""

MASK, GOLDEN, SALT = 0xFFFFFFFF, 0x9E3779B9, 0x5BD1E995
NEVER = 2 ** 31  # the limit of a zone that has none
FORCED, EVENT, CLOSING = 21, 22, 24  # bits of what is recorded of a step, above the token


class NumpyArrays:
    """What the step needs beyond operators and indexing."""

    def __init__(self, numpy):
        self.numpy, self.where, self.concatenate = numpy, numpy.where, numpy.concatenate

    def array(self, values):
        return self.numpy.array(values, self.numpy.int64)

    def numbers(self, count):
        return self.numpy.arange(count)

    def records(self, rows, count):
        return self.numpy.empty((rows, count), self.numpy.int32)

    def any_size(self, array, dimension):
        return array

    def narrow(self, parts):
        return self.numpy.stack(parts).astype(self.numpy.int32)

    def replace(self, array, mask, value):
        return self.where(mask, value, array)

    def integer(self, mask):
        return mask.astype(self.numpy.int64)


class TorchArrays:
    def __init__(self, torch, device):
        self.torch, self.device, self.where, self.concatenate = torch, device, torch.where, torch.cat

    def array(self, values):
        return self.torch.tensor(values, device=self.device)

    def numbers(self, count):
        return self.torch.arange(count, device=self.device)

    def records(self, rows, count):
        return self.torch.empty((rows, count), device=self.device, dtype=self.torch.int32)

    def any_size(self, array, dimension):
        """The array; what is compiled for it takes others that are larger or smaller in this dimension."""
        self.torch._dynamo.maybe_mark_dynamic(array, dimension)
        return array

    def narrow(self, parts):
        return self.torch.stack(parts).int()

    def replace(self, array, mask, value):
        return array.masked_fill(mask, value)

    def integer(self, mask):
        return mask.long()


def fmix(h):
    """The finalizer of MurmurHash3."""
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & MASK
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & MASK
    return h ^ (h >> 16)


#===--- Tables ---===#

class Tables:
    """A machine of one workflow in the tensor form. Rows of patterns are bits, so what a zone listens for is a number.

    There is one more zone than the machine has: the end, which is never left."""

    def __init__(self, arrays, machine):
        tensors, model = machine["tensors"], machine["test_models"][0]
        patterns = [[token for token in row if token >= 0] for row in tensors["pattern_tokens"]]
        self.classes = tensors["pattern_class"]
        self.texts = list(tensors["token_data"])
        closing = [self.add(row) for row in patterns]
        phrases = [self.add(phrase) for phrase in model["phrases"]]
        self.end = len(tensors["timeout"])
        self.weight, self.fillers, self.filler = model["weight"], len(model["fillers"]), self.add(model["fillers"])
        self.phrases = len(phrases)
        self.phrase, self.length = arrays.array(phrases), arrays.array([len(phrase) for phrase in model["phrases"]])
        self.zones = arrays.array([*(self.zone(tensors, closing, z) for z in range(self.end)),
                                   [0, NEVER, 0, 0, 0, 0, 0, 0, self.end, self.end]])
        self.tokens = arrays.array(self.texts)
        self.entry = machine["workflows"][0]["entry"]
        self.longest = arrays.array([max([len(row) for r, row in enumerate(patterns) if bits >> r & 1], default=0)
                                     for bits in range(1 << len(patterns))])
        self.patterns, self.vocabulary = patterns, machine["vocabulary"]

    def add(self, tokens):
        self.texts += tokens
        return len(self.texts) - len(tokens)

    def rows(self, classes):
        return sum(1 << r for r, number in enumerate(self.classes) if number in classes)

    def zone(self, tensors, closing, z):
        """Tokens of the prompt, limit; first token of the prompt and of what closes it; rows that open, close, jump, advance; where to."""
        row, start = tensors["advance_pattern"][z], tensors["token_start_pointer"][z]
        timeout = tensors["timeout"][z]
        masks = [self.rows(tensors[name][z]) for name in ("escape_open_mask", "escape_close_mask", "jump_advance_mask", "zone_advance_mask")]
        masks[2] *= tensors["jump_advance_active"][z]
        masks[3] *= tensors["zone_advance_active"][z]
        return [tensors["token_end_pointer"][z] - start, timeout - tensors["pattern_length"][row] if timeout else NEVER, start, closing[row],
                *masks, tensors["jump_address"][z], tensors["next_address"][z]]


#===--- Patterns ---===#

class Ring:
    """The last tokens of each stream, compared with every row."""

    def __init__(self, arrays, tables):
        self.arrays, rows = arrays, tables.patterns
        self.size = max(map(len, rows))
        self.rows = arrays.array([[-1] * (self.size - len(row)) + row for row in rows])
        self.free = self.rows < 0
        self.bits = arrays.array([1 << r for r in range(len(rows))])

    def begin(self, numbers):
        return self.arrays.concatenate([numbers[:, None] * 0 - 1] * self.size, 1)

    def push(self, ring, token):
        """(the ring, the rows that are complete)"""
        ring = self.arrays.concatenate([ring[:, 1:], token[:, None]], 1)
        complete = ((ring[:, None, :] == self.rows) | self.free).all(-1)
        return ring, (self.arrays.integer(complete) * self.bits).sum(-1)

    def reset(self, ring, mask):
        return self.arrays.replace(ring, mask[:, None], -1)


class Automaton:
    """A number for the last tokens of each stream, which is looked up."""

    def __init__(self, arrays, tables):
        self.arrays, rows = arrays, [tuple(row) for row in tables.patterns]
        self.vocabulary = tables.vocabulary
        beginnings = sorted({row[:length] for row in rows for length in range(len(row) + 1)}, key=len)
        nodes = {tokens: node for node, tokens in enumerate(beginnings)}

        def move(tokens):
            while tokens not in nodes:
                tokens = tokens[1:]
            return nodes[tokens]

        self.moves = arrays.array([move((*tokens, token)) for tokens in beginnings for token in range(self.vocabulary)])
        self.bits = arrays.array([sum(1 << r for r, row in enumerate(rows) if tokens[len(tokens) - len(row):] == row and len(tokens) >= len(row))
                                  for tokens in beginnings])

    def begin(self, numbers):
        return numbers * 0

    def push(self, node, token):
        node = self.moves[node * self.vocabulary + token]
        return node, self.bits[node]

    def reset(self, node, mask):
        return self.arrays.replace(node, mask, 0)


#===--- The step ---===#

class Streams:
    """Streams of a machine, stepped all at once."""

    def __init__(self, arrays, machine, patterns):
        self.arrays, self.tables = arrays, Tables(arrays, machine)
        self.patterns = patterns(arrays, self.tables)

    def begin(self, count, seed=0):
        """All of them at the entry. No two parts of the state are the same array, for which a step would be compiled anew."""
        numbers = self.arrays.numbers(count)
        pc, number, depth, phrase, place = (numbers * 0 + value for value in (self.tables.entry, 0, 0, -1, 0))
        return pc, number, depth, self.patterns.begin(numbers), fmix(fmix((numbers + GOLDEN) & MASK) ^ seed), phrase, place

    def propose(self, hashes, phrase, place):
        """(where the token stands, the phrase that goes on, its next place)"""
        t, where, replace = self.tables, self.arrays.where, self.arrays.replace
        random = fmix(hashes ^ SALT)
        high, goes_on = random >> 8, phrase >= 0
        own = where(goes_on, phrase, high % t.phrases)
        at = replace(place, ~goes_on, 0)
        speaks = goes_on | ((random & 255) < t.weight)
        said = where(speaks, t.phrase[own] + at, t.filler + high % t.fillers)
        return said, replace(own, ~speaks | (at + 1 >= t.length[own]), -1), at + 1

    def step(self, records, row, pc, number, depth, last, hashes, phrase, place):
        """Records a word of each stream in the row; the state after it."""
        t, where, replace, integer = self.tables, self.arrays.where, self.arrays.replace, self.arrays.integer
        zone = t.zones[pc]
        prompt, limit, first, closing, opens, closes, jumps, advances, jump, following = (zone[:, i] for i in range(10))
        is_late = number >= limit
        is_forced = (number < prompt) | is_late
        said, phrase1, place1 = self.propose(hashes, phrase, place)
        text = where(is_late, closing + number - limit, first + number)
        token = t.tokens[where(is_forced, text, said)]
        phrase, place = where(is_forced, phrase, phrase1), where(is_forced, place, place1)
        hashes = fmix(((hashes ^ token) + GOLDEN) & MASK)
        last, complete = self.patterns.push(last, token)
        depth = depth + integer((complete & opens) != 0)
        depth = (depth - integer((complete & closes) != 0)).clip(0)
        is_free = (depth == 0) | is_late
        is_jump = ((complete & jumps) != 0) & is_free
        is_event = is_jump | (((complete & advances) != 0) & is_free)
        longest = replace(t.longest[complete & where(is_jump, jumps, advances)], ~is_event, 0)
        word = token | (integer(is_forced) << FORCED) | ((integer(is_event) + integer(is_jump)) << EVENT) | (longest << CLOSING)
        records[row] = replace(word, pc == t.end, -1)
        return (where(is_event, where(is_jump, jump, following), pc), replace(number + 1, is_event, 0), replace(depth, is_event, 0),
                self.patterns.reset(last, is_event), hashes, phrase, place)

    def steps(self, records, *state):
        """A step for each row."""
        for row in range(records.shape[0]):
            state = self.step(records, row, *state)
        return state

    def run(self, count, rows, together, steps):
        """(words of so many steps, [step][stream]; [zone, number, depth][stream] after them); `steps` is this one's or a compiled form, which
        takes so many together."""
        records, state = self.arrays.records(rows, count), [self.arrays.any_size(part, 0) for part in self.begin(count)]
        for row in range(0, rows, together):
            state = steps(self.arrays.any_size(records[row:row + together], 1), *state)
        return records, self.arrays.narrow(state[:3])
