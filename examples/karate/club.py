"""Zachary's karate club: 34 members, 78 ties, and the side that each of them took.

W. W. Zachary, An Information Flow Model for Conflict and Fission in Small Groups, Journal of Anthropological Research 33, 1977. Members
are numbered from 0, as in networkx.karate_club_graph: 0 is Mr. Hi, the instructor, and 33 the officer; each tie stands once, at its
lesser end. Member 8 is of Mr. Hi's club there, who joined it although he was on the officer's side (three weeks before a test for his
black belt).
"""

import numpy as np

MEMBERS = 34
KNOWN = (0, 33)
SIDES = ("Mr. Hi", "Officer")
TIES = """0 1 2 3 4 5 6 7 8 10 11 12 13 17 19 21 31; 1 2 3 7 13 17 19 21 30; 2 3 7 8 9 13 27 28 32; 3 7 12 13; 4 6 10; 5 6 10 16; 6 16;
8 30 32 33; 9 33; 13 33; 14 32 33; 15 32 33; 18 32 33; 19 33; 20 32 33; 22 32 33; 23 25 27 29 32 33; 24 25 27 31; 25 31; 26 29 33; 27 33;
28 31 33; 29 32 33; 30 32 33; 31 32 33; 32 33"""
OFFICER = (9, 14, 15, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33)


def ties():
    """The ends of each tie."""
    rows = [[int(word) for word in row.split()] for row in TIES.split(";")]
    pairs = np.array([(row[0], other) for row in rows for other in row[1:]], np.int32)
    return pairs[:, 0].copy(), pairs[:, 1].copy()


def sides():
    """0 or 1, of SIDES, for each member."""
    return np.isin(np.arange(MEMBERS), OFFICER).astype(int)
