"""Loads columns of a TPC-H table from CSV or Parquet files, for the programs here.

    load.py TABLE FILE ... --out FOLDER [--columns NAME,NAME]

Reads the columns of `schema.COLUMNS` that belong to TABLE (or those named) from the files,
whose rows follow each other, and writes them as columns.py does: NAME.npy, and NAME.txt for
columns of words. Columns are found by their names, in any order; others are left out.

CSV has a line of names, commas (or --delimiter) and quotes as RFC 4180 says, and is read by
Python's csv module; Parquet (*.parquet) by pyarrow. Decimals may be decimals, integers or
text; floats are taken if they are the ones nearest to hundredths. Exits 2
with a sentence on what is wrong and where: a file that is missing, empty or no such file, a
column that is missing or there twice, a row of another length, an empty field or null, a
number, date or decimal that is none, and a number that does not fit its column.
"""

import argparse
import csv
import decimal
import pathlib
import re
import sys

import numpy as np

import columns
import schema

ROWS_AT_ONCE = 1 << 18


class BadData(Exception):
    """What is wrong with a file, as a sentence."""


# --------------------------------------------------------------- from fields


def is_integer(text):
    return bool(re.fullmatch(r"-?[0-9]{1,18}(\.0*)?", text))


def is_hundredths(text):
    return bool(re.fullmatch(r"-?[0-9]{1,16}(\.[0-9]{0,2}0*)?", text))


def is_date(text):
    try:
        return len(text) == 10 and bool(np.datetime64(text, "D") == np.datetime64(text, "D"))
    except ValueError:
        return False


def to_integer(text):
    return int(text.partition(".")[0])


def to_hundredths(text):
    whole, _, part = text.partition(".")
    return int(whole + part[:2].ljust(2, "0"))


FORMS = {"integer": (is_integer, "an integer"), "hundredths": (is_hundredths, "a number with at most two decimal places"),
         "date": (is_date, "a date (YYYY-MM-DD)"), "word": (bool, "a word")}


def from_text(column, texts, where):
    """The numbers of a column's fields, as i64, or its words, as bytes."""
    accepts, what = FORMS[column.form]
    row = next((row for row, text in enumerate(texts) if not accepts(text)), None)
    if row is not None:
        raise BadData(f"{where(row)}: column {column.name} is {texts[row]!r}, which is not {what}." if texts[row]
                      else f"{where(row)}: column {column.name} is empty.")
    if column.form == "word":
        return np.array([text.encode() for text in texts], np.bytes_)
    if column.form == "date":
        return np.array(texts, "datetime64[D]").astype(np.int64)
    return np.array([to_hundredths(text) if column.form == "hundredths" else to_integer(text) for text in texts], np.int64)


def check_names(names, wanted, file):
    for column in wanted:
        if names.count(column.name) != 1:
            raise BadData(f"{file}: there is no column {column.name} (the columns are {', '.join(names)})."
                          if column.name not in names else f"{file}: there are {names.count(column.name)} columns {column.name}.")


def csv_rows(file, delimiter):
    """Yields (the line it ends with, its fields) for each row, that of the names first."""
    with open(file, newline="", encoding="utf-8") as stream:
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        try:
            for row in reader:
                yield reader.line_num, row
        except (csv.Error, UnicodeDecodeError) as error:
            raise BadData(f"{file}:{reader.line_num}: this is no CSV ({error}).") from error


def csv_piece(file, rows, places):
    """The columns of some rows."""
    where = lambda row: f"{file}:{rows[row][0]}"
    return {column.name: from_text(column, [row[place] for _, row in rows], where) for column, place in places}


def from_csv(file, wanted, delimiter):
    """Yields the columns in pieces, by the csv module."""
    lines = csv_rows(file, delimiter)
    _, names = next(lines, (0, None))
    if not names:
        raise BadData(f"{file}: the file is empty; a line with the names of the columns is missing.")
    check_names(names, wanted, file)
    places = [(column, names.index(column.name)) for column in wanted]
    rows = []
    for line, row in lines:
        if len(row) != len(names):
            raise BadData(f"{file}:{line}: a row has {len(row)} fields, not {len(names)}.")
        rows.append((line, row))
        if len(rows) == ROWS_AT_ONCE:
            yield csv_piece(file, rows, places)
            rows = []
    if rows:
        yield csv_piece(file, rows, places)


# ---------------------------------------------------------------- by pyarrow


def from_arrow(column, values, file, before):
    """The numbers or words of a column of Arrow."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.null_count:
        row = pc.index(pc.is_null(values), True).as_py()
        raise BadData(f"{file}: row {before + row} of column {column.name} is null.")
    kind = values.type
    if column.form == "word" and not pa.types.is_dictionary(kind):  # A few words, many times.
        values = values.cast(pa.string() if pa.types.is_string_view(kind) else kind).dictionary_encode()
        kind = values.type
    if pa.types.is_dictionary(kind):
        words = values.dictionary.to_pylist()
        if column.form == "word" and all(words) and all(isinstance(word, str) for word in words):
            return from_text(column, words, None)[values.indices.to_numpy()]
        values = values.cast(kind.value_type)
        kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return from_text(column, values.to_pylist(), lambda row: f"{file}: row {before + row}")
    try:
        if column.form == "date" and (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
            return values.cast(pa.date32()).cast(pa.int32()).to_numpy().astype(np.int64)
        if column.form == "integer" and (pa.types.is_integer(kind) or pa.types.is_decimal(kind)):
            return values.cast(pa.int64()).to_numpy()
        if column.form == "hundredths" and pa.types.is_decimal(kind):
            return pc.multiply(values.cast(pa.decimal128(30, kind.scale)), pa.scalar(decimal.Decimal(100))).cast(pa.int64()).to_numpy()
        if column.form == "hundredths" and pa.types.is_integer(kind):
            return pc.multiply_checked(values.cast(pa.int64()), 100).to_numpy()
    except pa.ArrowInvalid as error:
        raise BadData(f"{file}: column {column.name} has a value that does not fit ({error}).") from error
    if column.form in ("integer", "hundredths") and pa.types.is_floating(kind):
        return from_floats(column, values.to_numpy().astype(np.float64), file, before)
    raise BadData(f"{file}: column {column.name} has the type {kind}, of which no {column.form} is made.")


def from_floats(column, values, file, before):
    """The integers, or hundredths, that these floats are nearest to, to the digit."""
    by = 100 if column.form == "hundredths" else 1
    with np.errstate(invalid="ignore"):
        numbers = np.rint(values * by)
        wrong = ~((numbers / by == values) & (np.abs(numbers) < 2.0**53))
    if wrong.any():
        row = int(wrong.argmax())
        raise BadData(f"{file}: row {before + row} of column {column.name} is {values[row]}, which is no "
                      f"{'number with two decimal places' if by == 100 else 'integer'}.")
    return numbers.astype(np.int64)


def from_parquet(file, wanted, delimiter):
    """Yields the columns in pieces, by pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise BadData(f"{file}: Parquet needs the Python package pyarrow, which is not there.") from error
    try:
        source = parquet.ParquetFile(file)
        check_names(source.schema_arrow.names, wanted, file)
        before = 0
        for batch in source.iter_batches(ROWS_AT_ONCE, columns=[column.name for column in wanted]):
            yield {column.name: from_arrow(column, batch.column(column.name), file, before) for column in wanted}
            before += batch.num_rows
    except (pa.ArrowInvalid, OSError) as error:
        raise BadData(f"{file}: this is no Parquet file that can be read ({error}).") from error


# -------------------------------------------------------------------- a load


def pieces(files, wanted, delimiter):
    """Yields the columns of all files in pieces."""
    for file in files:
        if not file.is_file():
            raise BadData(f"{file}: there is no such file.")
        read = from_parquet if file.suffix == ".parquet" else from_csv
        yield from read(file, wanted, delimiter)


def narrowed(column, values):
    try:
        return columns.narrow(column, values)
    except ValueError as error:
        info = np.iinfo(column.dtype)
        bad = values[(values < info.min) | (values > info.max)][0]
        raise BadData(f"a value of column {column.name} does not fit {column.dtype}: "
                      f"{bad}{' (in hundredths)' if column.form == 'hundredths' else ''} is not in {info.min} to {info.max}."
                      ) from error


def load(table, files, folder, names=None, delimiter=","):
    """Writes the columns of a table to `folder`; how many rows there are."""
    wanted = [column for column in schema.COLUMNS.values() if column.table == table and column.name in (names or schema.COLUMNS)]
    for name in names or []:
        if name not in [column.name for column in wanted]:
            raise BadData(f"table {table} has no column {name} here.")
    parts = {column.name: columns.Words() if column.form == "word" else [] for column in wanted}
    rows = 0
    for piece in pieces(files, wanted, delimiter):
        for column in wanted:
            values = piece[column.name]
            parts[column.name].append(values if column.form == "word" else narrowed(column, values))
        rows += len(values)
        print(f"{rows} rows", file=sys.stderr)
    if not rows:
        raise BadData(f"{', '.join(map(str, files))}: there are no rows.")
    folder.mkdir(parents=True, exist_ok=True)
    made = {}
    for column in wanted:  # Nothing is written before all is known to be right.
        if column.form == "word":
            numbers, words = parts[column.name].finish()
            made[column.name] = narrowed(column, numbers), b"".join(word + b"\n" for word in words)
        else:
            made[column.name] = np.concatenate(parts[column.name]), None
        try:
            schema.check(column, made[column.name][0])
        except ValueError as error:
            raise BadData(f"{error}.") from error
    for name, (values, words) in made.items():
        if words:
            columns.write(folder / f"{name}.txt", lambda file: file.write(words))
        columns.write(folder / f"{name}.npy", lambda file: np.save(file, values))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=schema.FIELDS)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--columns", help="names with commas between them")
    parser.add_argument("--delimiter", default=",")
    args = parser.parse_args()
    try:
        rows = load(args.table, args.files, args.out, args.columns.split(",") if args.columns else None, args.delimiter)
    except BadData as error:
        print(f"load.py: {error}", file=sys.stderr)
        return 2
    print(f"{args.table} {rows} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
