"""DuckDB's answers to the queries: over rows of its own generator, or over the columns given.

Answers come as a list of rows; decimals are decimal.Decimal.
"""

import functools
import pathlib

import schema


@functools.cache
def generated(scale):
    """A connection with the tables of DuckDB's own TPC-H generator."""
    import duckdb
    import duckdb_extension_tpch

    folder = pathlib.Path(duckdb_extension_tpch.__file__).parent
    extension = next(folder.glob("extensions/*/tpch.duckdb_extension"))
    connection = duckdb.connect()
    connection.load_extension(str(extension))
    connection.execute(f"CALL dbgen(sf={scale})")
    return connection


def _expression(column, dictionary):
    """SQL for the values that the numbers of a column mean."""
    if column.form == "hundredths":
        return f"({column.name} * 0.01)::DECIMAL(15, 2)"
    if column.form == "date":
        return f"DATE '1970-01-01' + {column.name}"
    if column.form == "word":
        words = ", ".join(f"'{word}'" for word in dictionary)
        return f"([{words}])[{column.name} + 1]"
    return f"{column.name}::DECIMAL(15, 2)" if column.name == "l_quantity" else column.name


def given(columns, dictionaries):
    """A connection with tables of these columns."""
    import duckdb

    connection = duckdb.connect()
    for table in schema.FIELDS:
        names = [name for name in columns if schema.COLUMNS[name].table == table]
        if not names:
            continue
        connection.register("numbers", {name: columns[name] for name in names})
        values = ", ".join(f"{_expression(schema.COLUMNS[name], dictionaries.get(name))} AS {name}" for name in names)
        connection.execute(f"CREATE TABLE {table} AS SELECT {values} FROM numbers")
        connection.unregister("numbers")
    return connection


def query_text(program):
    """The query in the comment that a program begins with: its indented lines."""
    lines = []
    for line in pathlib.Path(program).read_text().splitlines():
        if not line.startswith("//"):
            break
        if line.startswith("//   "):
            lines.append(line[2:])
    return "\n".join(lines)


def answer(connection, program):
    return connection.execute(query_text(program)).fetchall()
