"""Checks what examples/packages/lists.py makes of lists that are written here."""

import gzip
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "packages"))
import lists  # noqa: E402

OLD = """Package: a
Version: 1.0~rc1-1
Section: contrib/libs
Pre-Depends: b (>= 2)
Depends: b | c, gone | d:any [amd64], mail, a,
 nobody
Suggests: nobody | nothing

Package: b
Version: 2
Recommends: b, gone

Package: c
Version: 1
Provides: mail (= 1), other

"""
NEW = """Package: d
Version: 1
Depends: c (>> 1), c (<< 3)
Provides: mail

Package: a
Version: 1.0-1
Depends: mail, other, d | b

Package: b
Version: 1:0.1
"""
ORDER = ("1.0~rc1-1", "1.0-1", "1.0-1+b1", "1.0-1.1", "1.0a-1", "1.0+b-1", "1.9-1", "1.10-1", "1:0~1-1", "1:0-1")


def edges(graph, kind):
    triples = zip(graph.source[kind], graph.target[kind], graph.weight[kind])
    return sorted((graph.names[s] + graph.names[t], float(w)) for s, t, w in triples)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "one_Packages.gz").write_bytes(gzip.compress(OLD.encode()))
    (folder / "two_Packages").write_text(NEW)
    for i, first in enumerate(ORDER):
        for j, second in enumerate(ORDER):
            assert (lists.compare(first, second) > 0) == (i > j), (first, second)
    graph = lists.graph([OLD])
    assert graph.names == ["a", "b", "c"] and graph.sections == ["libs", "unknown", "unknown"]
    assert edges(graph, 0) == [("ab", 1), ("ac", 1)] and edges(graph, 1) == [] and graph.missing == [2, 1, 1], graph
    graph = lists.graph(map(lists.read, lists.find(folder)))
    assert graph.names == ["a", "b", "c", "d"]  # The newer a; mail is c or d, other is c.
    assert edges(graph, 0) == [("ac", 1), ("ad", 1), ("dc", 1)] and graph.missing == [0, 0, 0], graph


main(pathlib.Path(sys.argv[1]))
