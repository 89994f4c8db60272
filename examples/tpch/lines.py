"""Reads the text that TPC-H generators write: fields that are each closed by a bar.

Fields are found and parsed for millions of lines at a time, in NumPy integers.
"""

import numpy as np

CHUNK_BYTES = 32 << 20


def digits(chunk, positions):
    """The digits at these positions, as i64; anything else is an error."""
    values = chunk[positions].astype(np.int64) - ord("0")
    if values.size and (values.min() < 0 or values.max() > 9):
        raise ValueError("a number in the generator's output has a character that is no digit")
    return values


def parse_integers(chunk, starts, ends):
    """The decimal integers in chunk[starts[i]:ends[i]]."""
    values = np.zeros(len(starts), np.int64)
    lengths = ends - starts
    if lengths.min() < 1 or lengths.max() > 15:
        raise ValueError("a number in the generator's output has no digits or more than 15")
    for place in range(int(lengths.max())):
        rows = np.flatnonzero(lengths > place)
        values[rows] += digits(chunk, ends[rows] - 1 - place) * 10**place
    return values


def parse_hundredths(chunk, starts, ends):
    """The decimals with two places in chunk[starts[i]:ends[i]], times 100."""
    if (chunk[ends - 3] != ord(".")).any():
        raise ValueError("a decimal in the generator's output has not two places")
    whole = parse_integers(chunk, starts, ends - 3)
    return whole * 100 + digits(chunk, ends - 2) * 10 + digits(chunk, ends - 1)


def parse_dates(chunk, starts, ends):
    """The dates YYYY-MM-DD in chunk[starts[i]:ends[i]], as days since 1970-01-01."""
    if (ends - starts != 10).any():
        raise ValueError("a date in the generator's output is not of the form YYYY-MM-DD")
    year = parse_integers(chunk, starts, starts + 4)
    month = parse_integers(chunk, starts + 5, starts + 7)
    day = parse_integers(chunk, starts + 8, ends)
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int64) + day - 1


def parse_words(chunk, starts, ends):
    """The bytes in chunk[starts[i]:ends[i]]."""
    places = starts[:, None] + np.arange(max(1, int((ends - starts).max())))
    letters = np.where(places < ends[:, None], chunk[np.minimum(places, len(chunk) - 1)], np.uint8(0))
    return letters.view(f"S{letters.shape[1]}")[:, 0]


PARSERS = {"integer": parse_integers, "hundredths": parse_hundredths, "date": parse_dates, "word": parse_words}


def parse_lines(chunk, fields, columns):
    """The columns of whole lines with this many fields."""
    bars = np.flatnonzero(chunk == ord("|"))
    if len(bars) % fields or (chunk[bars[fields - 1::fields] + 1] != ord("\n")).any():
        raise ValueError(f"a line of the generator's output has not {fields} fields")
    ends = bars.reshape(-1, fields)
    starts = np.empty_like(ends)
    starts[:, 1:] = ends[:, :-1] + 1
    starts[0, 0] = 0
    starts[1:, 0] = ends[:-1, -1] + 2
    return {column.name: PARSERS[column.form](chunk, starts[:, column.field - 1], ends[:, column.field - 1])
            for column in columns}


def read_chunks(stream):
    """Yields arrays of whole lines."""
    rest = b""
    while block := stream.read(CHUNK_BYTES):
        block = rest + block
        cut = block.rfind(b"\n") + 1
        rest = block[cut:]
        if cut:
            yield np.frombuffer(block, np.uint8, cut)
    if rest:
        raise ValueError("the generator's output ends inside a line")


def parse_table(stream, fields, columns):
    """Yields these columns of a table in pieces."""
    for chunk in read_chunks(stream):
        yield parse_lines(chunk, fields, columns)
