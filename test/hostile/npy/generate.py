"""Writes the hostile .npy files and the table of the messages they must get.

Each case is one file NAME.npy next to this script and one line `NAME: message`
of messages.txt; HostileNpyTest.cpp reads both. Only the standard library is used,
so that nothing repairs what should be broken. To add a case, add it here, run the
script and commit what it writes.
"""

import pathlib

FOLDER = pathlib.Path(__file__).parent
MAGIC = b"\x93NUMPY"
SUPPORTED = "bool, integers of 8 to 64 bits and floats of 16 to 64 bits are."
GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
CASES = {}


def case(name, message, content):
    assert name not in CASES
    CASES[name] = (message, content)


def npy(header, data=bytes(8), version=(1, 0), length=None, pad=True):
    """A file with this header text; `length` overrides the length field."""
    text = header if isinstance(header, bytes) else header.encode("latin1")
    field = 2 if version[0] == 1 else 4
    if pad:
        text += b" " * (-(8 + field + len(text) + 1) % 64) + b"\n"
    size = len(text) if length is None else length
    return MAGIC + bytes(version) + size.to_bytes(field, "little") + text + data


def entry(name, message, data=bytes(8), **fields):
    """A case whose header has these values in place of good ones."""
    values = {"descr": "'<f4'", "fortran_order": "False", "shape": "(2,)"}
    values.update(fields)
    pairs = ", ".join(f"'{key}': {value}" for key, value in values.items())
    case(name, message, npy("{" + pairs + ", }", data))


def descr(name, code):
    entry(name, f"The array's type \"{code}\" is not supported; {SUPPORTED}", descr=f"'{code}'")


# The preamble.
case("empty-file", "The file is empty.", b"")
case("one-byte", "The file ends inside its preamble (1 bytes).", MAGIC[:1])
case("magic-only", "The file ends inside its preamble (6 bytes).", MAGIC)
case("no-length", "The file ends inside its preamble (8 bytes).", MAGIC + b"\1\0")
case("half-length", "The file ends inside its preamble (9 bytes).", MAGIC + b"\1\0\x10")
case("half-length-v2", "The file ends inside its preamble (11 bytes).", MAGIC + b"\2\0\x10\0\0")
NO_MAGIC = "The file does not start with the magic string of a .npy file."
case("text", NO_MAGIC, b"1,2,3\n")
case("npz", NO_MAGIC, b"PK\3\4" + bytes(60))
case("wrong-magic-byte", NO_MAGIC, b"\x94" + npy(GOOD)[1:])
case("wrong-magic-case", NO_MAGIC, b"\x93numpy" + npy(GOOD)[6:])
for major, minor in ((0, 0), (1, 1), (4, 0), (255, 255)):
    case(f"version-{major}-{minor}",
         f"The .npy version {major}.{minor} is not supported (1.0, 2.0 and 3.0 are).",
         npy(GOOD, version=(major, minor)))

# The header's length.
case("header-past-end", "The header is longer (500 bytes) than the rest of the file (126 bytes).",
     npy(GOOD, length=500))
case("header-absent", "The header is longer (118 bytes) than the rest of the file (0 bytes).",
     npy("", b"", pad=False, length=118))
case("header-over-limit", "The header is longer (10001 bytes) than the limit (10000).",
     npy(GOOD + " " * 9943 + "\n", pad=False))
case("header-4gib", "The header is longer (4294967295 bytes) than the limit (10000).",
     npy(GOOD, version=(2, 0), length=2**32 - 1))
case("header-zero-length", "The header ends where \"{\" is expected.", npy(GOOD, length=0))
case("header-cut", "The header ends where a dimension is expected.", npy(GOOD, length=51))
case("header-cut-in-string", "The header ends where a closing quote is expected.",
     npy(GOOD, length=12))

# The dict literal.
case("not-a-dict", "The header has \"[\" at byte 0 where \"{\" is expected.", npy("[1, 2]"))
case("nested-braces", "The header has \"{\" at byte 1 where a key is expected.", npy("{" * 5000))
case("code", "The header has \"_\" at byte 0 where \"{\" is expected.",
     npy("__import__('os').system('true')"))
case("key-number", "The header has \"1\" at byte 1 where a key is expected.", npy("{1: 2}"))
case("no-colon", "The header has \"'\" at byte 9 where \":\" is expected.", npy("{'descr' '<f4'}"))
case("no-comma", "The header has \"'\" at byte 16 where \",\" or \"}\" is expected.",
     npy("{'descr': '<f4' 'fortran_order': False}"))
case("double-comma", "The header has \",\" at byte 16 where a key is expected.",
     npy("{'descr': '<f4',, 'fortran_order': False}"))
case("nul-byte", "The header has \"\\x00\" at byte 15 where \",\" or \"}\" is expected.",
     npy("{'descr': '<f4'\0, 'fortran_order': False}"))
case("escape-in-key", "The header has \"\\\" at byte 3 where a plain character is expected.",
     npy("{'d\\x65scr': '<f4', 'fortran_order': False, 'shape': (2,)}"))
case("break-in-string", "The header has \"\\x0a\" at byte 12 where a plain character is expected.",
     npy("{'descr': '<\nf4', 'fortran_order': False, 'shape': (2,)}"))
case("mixed-quotes", "The header ends where a closing quote is expected.",
     npy("{\"descr': '<f4', 'fortran_order': False, 'shape': (2,)}", pad=False))
case("unclosed-dict", "The header ends where a key is expected.", npy(GOOD[:-1]))
case("text-after-dict", "The header has \"0\" at byte 58 where the end is expected.", npy(GOOD + " 0"))
case("no-line-break", "The header does not end with a line break.", npy(GOOD + " ", pad=False))
entry("unknown-key", "The header has the unknown key \"order\".", order="1")
entry("long-unknown-key", f"The header has the unknown key \"{'k' * 40}...\".", **{"k" * 4000: "1"})
case("binary-key", "The header has the unknown key \"\\xff\\xfe\".", npy("{'\xff\xfe': 1}"))
case("empty-key", "The header has the unknown key \"\".", npy("{'': 1}"))
case("empty-dict", "The header lacks the key \"descr\".", npy("{}"))
case("no-order", "The header lacks the key \"fortran_order\".",
     npy("{'descr': '<f4', 'shape': (2,)}"))
case("no-shape", "The header lacks the key \"shape\".",
     npy("{'descr': '<f4', 'fortran_order': False}"))
case("two-shapes", "The header has the key \"shape\" twice.",
     npy("{'shape': (2,), 'shape': (4,), 'descr': '<f4', 'fortran_order': False}"))
case("two-descrs", "The header has the key \"descr\" twice.",
     npy("{'descr': '<f4', 'descr': '<f8', 'shape': (2,), 'fortran_order': False}"))

# The type.
entry("pickle", "The array holds pickled Python objects (type \"|O\"), which are never read.",
      b"\x80\x04]\x94.", descr="'|O'")
entry("structured", "The array has a structured type; only plain numbers are read.",
      descr="[('x', '<f4'), ('y', '<f4')]")
for code in (">f4", ">i1"):
    entry(f"big-endian-{code[1:]}",
          f"The array is big-endian (type \"{code}\"); only little-endian data is read.",
          descr=f"'{code}'")
for name, code in (("complex", "<c8"), ("unicode", "<U4"), ("bytes", "|S8"), ("void", "|V8"),
                   ("datetime", "<M8[D]"), ("long-double", "<f16"), ("native-order", "=f4"),
                   ("order-less", "f4"), ("f4-without-order", "|f4"), ("zero-size", "<f0"),
                   ("i3", "<i3"), ("i16", "<i16"), ("empty-descr", ""), ("order-only", "<")):
    descr(f"type-{name}", code)
entry("descr-number", "The header has \"4\" at byte 10 where a type is expected.", descr="4")
entry("descr-none", "The header has \"N\" at byte 10 where a type is expected.", descr="None")

# The order.
entry("fortran", "The array is in Fortran order; only C order is read.", fortran_order="True")
entry("order-number", "The header has \"0\" at byte 34 where True or False is expected.",
      fortran_order="0")
entry("order-lower-case", "The header has \"f\" at byte 34 where True or False is expected.",
      fortran_order="false")

# The shape.
entry("shape-number", "The header has \"2\" at byte 50 where \"(\" is expected.", shape="2")
entry("shape-list", "The header has \"[\" at byte 50 where \"(\" is expected.", shape="[2]")
entry("shape-no-tuple",
      "The shape is a number in parentheses, not a tuple: a comma is missing.", shape="(2)")
entry("shape-negative", "Dimension 0 is negative.", shape="(-2,)")
entry("shape-negative-pair", "Dimension 1 is negative.", shape="(1, -1)")
entry("shape-float", "The header has \".\" at byte 52 where \",\" or \")\" is expected.",
      shape="(2.0,)")
entry("shape-exponent", "The header has \"e\" at byte 52 where \",\" or \")\" is expected.",
      shape="(2e9,)")
entry("shape-hex", "The header has \"x\" at byte 52 where \",\" or \")\" is expected.",
      shape="(0x2,)")
entry("shape-long", "The header has \"L\" at byte 52 where \",\" or \")\" is expected.",
      shape="(2L,)")
entry("shape-plus", "The header has \"+\" at byte 51 where a dimension is expected.",
      shape="(+2,)")
entry("shape-leading-zero", "Dimension 0 has a leading zero.", shape="(02,)")
entry("shape-comma-first", "The header has \",\" at byte 51 where a dimension is expected.",
      shape="(,)")
entry("shape-nested", "The header has \"(\" at byte 51 where a dimension is expected.",
      shape="((2,),)")
entry("shape-2-to-63", "Dimension 0 is larger than the limit (9223372036854775807).",
      shape=f"({2**63},)")
entry("shape-200-digits", "Dimension 1 is larger than the limit (9223372036854775807).",
      shape=f"(1, {'9' * 200})")
LARGE = "The shape has more bytes than the limit (9223372036854775807)."
entry("shape-overflow-bytes", LARGE, shape=f"({2**61},)")
entry("shape-overflow-product", LARGE, shape=f"({2**32}, {2**32})")
entry("shape-overflow-to-data", LARGE, shape=f"({2**32 + 1}, {2**32}, 2)")
entry("shape-overflow-and-zero", LARGE, b"", shape=f"({2**62}, {2**62}, 0)")
entry("rank-33", "The array has more dimensions than the limit (32).",
      shape="(" + "1, " * 33 + ")")
entry("rank-2000", "The array has more dimensions than the limit (32).",
      shape="(" + "1," * 2000 + ")")

# The data.
entry("no-data", "The data has 0 bytes where 2xf32 takes 8.", b"")
entry("short-data", "The data has 7 bytes where 2xf32 takes 8.", bytes(7))
entry("trailing-byte", "The data has 9 bytes where 2xf32 takes 8.", bytes(9))
entry("two-arrays", "The data has 136 bytes where 2xf32 takes 8.", bytes(8) + npy(GOOD)[:128])
entry("huge-claim", "The data has 8 bytes where 1000000000000xf32 takes 4000000000000.",
      shape=f"({10**12},)")
entry("scalar-no-data", "The data has 0 bytes where f32 takes 4.", b"", shape="()")
entry("empty-with-data", "The data has 8 bytes where 0xf32 takes 0.", shape="(0,)")
entry("bool-two", "Element 1 of the bool array is 2, neither 0 nor 1.", b"\1\2",
      descr="'|b1'")
entry("bool-255", "Element 0 of the bool array is 255, neither 0 nor 1.", b"\xff\0",
      descr="'|b1'")


def main():
    for old in FOLDER.glob("*.npy"):
        old.unlink()
    for name, (_, content) in CASES.items():
        (FOLDER / f"{name}.npy").write_bytes(content)
    lines = [f"{name}: {message}\n" for name, (message, _) in sorted(CASES.items())]
    (FOLDER / "messages.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
