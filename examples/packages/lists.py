"""Reads the package lists that apt keeps, and makes a graph of them.

A node is a package, by name; where lists have it in several versions, the highest one says what it needs. An edge leads from a package
to one that it names in Depends or Pre-Depends (type 0), Recommends (1) or Suggests (2), and weighs what that is worth:

  - of alternatives (`a | b`) the first one counts that there is, as apt takes it; versions and architectures are not looked at;
  - a name that no package has, but some provide (a virtual package), is shared evenly by those that provide it;
  - a name that nobody has or provides makes no edge, and is counted; nor does a package that names itself;
  - what is named twice in one type counts once, with the larger weight.
"""

import collections
import functools
import gzip
import lzma
import pathlib
import re
import shutil
import subprocess

import numpy as np

LISTS = pathlib.Path("/var/lib/apt/lists")
TYPES = ("depends", "recommends", "suggests")
FIELDS = {"Pre-Depends": 0, "Depends": 0, "Recommends": 1, "Suggests": 2}
WANTED = {"Package", "Version", "Section", "Provides", *FIELDS}
HELPER = "/usr/lib/apt/apt-helper"  # Of apt itself; it reads whatever apt has compressed.

Graph = collections.namedtuple("Graph", "names sections source target weight missing")


class BadData(Exception):
    """A sentence about data that cannot be used."""


def find(folder):
    """The lists of a folder as apt names them."""
    files = sorted(path for path in pathlib.Path(folder).glob("*_Packages*") if re.search(r"_Packages(\.(lz4|gz|xz))?$", path.name))
    if not files:
        raise BadData(f"There is no package list (*_Packages, .lz4, .gz or .xz) in \"{folder}\"; \"apt-get update\" gets those of Debian.")
    return files


def read(path):
    """The text of a list."""
    try:
        if path.suffix == ".gz":
            data = gzip.decompress(path.read_bytes())
        elif path.suffix == ".xz":
            data = lzma.decompress(path.read_bytes())
        elif path.suffix == ".lz4":
            command = [HELPER, "cat-file"] if pathlib.Path(HELPER).exists() else ["lz4", "-dcq"]
            if not shutil.which(command[0]):
                raise BadData(f"\"{path}\" is compressed with lz4, and there is neither {HELPER} nor lz4 to read it.")
            data = subprocess.run([*command, path], check=True, stdout=subprocess.PIPE).stdout
        else:
            data = path.read_bytes()
        return data.decode()
    except (OSError, EOFError, lzma.LZMAError, subprocess.CalledProcessError, UnicodeDecodeError) as error:
        raise BadData(f"The package list \"{path}\" cannot be read: {error}.") from error


def paragraphs(text):
    """The fields of each paragraph that are wanted; those go on where a line begins with a blank."""
    for paragraph in text.split("\n\n"):
        fields, name = {}, None
        for line in paragraph.splitlines():
            if line[:1] in (" ", "\t"):
                if name in WANTED:
                    fields[name] += line
                continue
            name, colon, value = line.partition(":")
            if not line.strip():
                continue
            if not colon:
                raise BadData(f"A line of a package list is no field: \"{line[:60]}\".")
            if name in WANTED:
                fields[name] = value.strip()
        if fields:
            if "Package" not in fields or "Version" not in fields:
                raise BadData(f"A paragraph of a package list has no name or no version: \"{paragraph[:60]}\".")
            yield fields


def order(letter):
    """Where a character that is no digit stands (deb-version(7)): ~, the end, letters, all others."""
    if not letter:
        return 0
    return -1 if letter == "~" else ord(letter) + (0 if letter.isalpha() else 256)


def compare_part(a, b):
    while a or b:
        first, second = re.match(r"\D*", a)[0], re.match(r"\D*", b)[0]
        for i in range(max(len(first), len(second))):
            left, right = order(first[i:i + 1]), order(second[i:i + 1])
            if left != right:
                return left - right
        a, b = a[len(first):], b[len(second):]
        first, second = re.match(r"\d*", a)[0], re.match(r"\d*", b)[0]
        if int(first or 0) != int(second or 0):
            return int(first or 0) - int(second or 0)
        a, b = a[len(first):], b[len(second):]
    return 0


def compare(a, b):
    """Less than 0, 0 or more, as version a of a package is before, the same as or after b (deb-version(7))."""
    (epoch, _, rest), (other_epoch, _, other) = (("0:" + v if ":" not in v else v).partition(":") for v in (a, b))
    (upstream, _, revision), (other_upstream, _, other_revision) = ((v if "-" in v else v + "-0").rpartition("-") for v in (rest, other))
    return int(epoch) - int(other_epoch) or compare_part(upstream, other_upstream) or compare_part(revision, other_revision)


def packages(texts):
    """The fields of each package, in the highest of its versions, by name."""
    best = {}
    for text in texts:
        for fields in paragraphs(text):
            old = best.get(fields["Package"])
            if old is None or compare(fields["Version"], old["Version"]) > 0:
                best[fields["Package"]] = fields
    if not best:
        raise BadData("The package lists hold no package.")
    return dict(sorted(best.items()))


def relations(text):
    """The names of each relation, alternatives as a list."""
    for relation in text.split(","):
        names = [re.split(r"[\s(:\[<]", one.strip(), maxsplit=1)[0] for one in relation.split("|")]
        if any(names):
            yield [name for name in names if name]


def graph(texts):
    """(names, section of each, and sources, targets, weights of the edges of each type, names that no package has by type)"""
    found = packages(texts)
    number = {name: i for i, name in enumerate(found)}
    providers = collections.defaultdict(list)
    for name, fields in found.items():
        for names in relations(fields.get("Provides", "")):
            for virtual in dict.fromkeys(names):
                providers[virtual].append(number[name])

    @functools.cache
    def ends(name):
        return (number[name],) if name in number else tuple(dict.fromkeys(providers.get(name, ())))

    edges, missing = [{} for _ in TYPES], [0] * len(TYPES)
    for name, fields in found.items():
        for field, kind in FIELDS.items():
            for names in relations(fields.get(field, "")):
                taken = next(filter(None, map(ends, names)), ())
                missing[kind] += not taken
                for end in taken:
                    edge = number[name], end
                    if edge[0] != edge[1]:
                        edges[kind][edge] = max(edges[kind].get(edge, 0), 1 / len(taken))
    pairs = [np.array(list(e), np.int32).reshape(-1, 2) for e in edges]
    weights = [np.array(list(e.values()), np.float32) for e in edges]
    sections = [fields.get("Section", "unknown").rpartition("/")[2] for fields in found.values()]
    return Graph(list(found), sections, [p[:, 0] for p in pairs], [p[:, 1] for p in pairs], weights, missing)


def made_up(count, seed=1):
    """Lists of made-up packages, whose dependencies follow a power law; the second one has a newer version of some of them."""
    draw = np.random.default_rng(seed)

    def one(kind, i, version):
        names = [f"p{int(n)}" for n in draw.random(draw.integers(0, 5)) ** 3 * i]
        words = [f"{name} (>= {k}.0)" if k % 2 else f"nobody{i} | {name}:any [amd64] | p0" for k, name in enumerate(names)]
        return f"{kind}: {', '.join(words + ['service', f'nobody{i}'][:len(words) + draw.integers(0, 2)]) or 'p0'}"

    def paragraph(i, version):
        kinds = [one(kind, i, version) for kind in FIELDS if draw.random() < 0.6]
        extra = ["Provides: service (= 1.0)"] if i % 97 == 5 else []
        text = "\n".join([f"Package: p{i}", f"Version: {version}", f"Section: {'contrib/' if i % 5 == 0 else ''}s{i % 20}",
                          *kinds, *extra, "Description: made up", " in two lines"])
        return text.replace(", p", ",\n p", 1)

    return ["\n\n".join(paragraph(i, version) for i in numbers) + "\n"
            for numbers, version in ((range(count), "1.0~rc1-1"), (range(0, count, 10), "1:0.9"))]
