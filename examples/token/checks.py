"""Checks the reports of the four programs by their texts alone.

What a stream must have been fed is written down here once more, and where a zone ends is found by reading, so that neither the
workflow files nor the records of zones, events and forced tokens are believed. A token is a byte.
"""

import json
import re
from fractions import Fraction

import vote
from programs import Failed, check

END = "[End]"
PATTERNS = re.compile(r"\[(Prompt|Answer|End|Fine|Enough|No|Escape|EndEscape)\]")


class Ended(Exception):
    """The text of a stream is over."""


class Reader:
    """Reads the text of a stream from its begin."""

    def __init__(self, text):
        self.rest, self.cut, self.spoken_of = text, 0, 0

    def fed(self, pattern):
        """What the regular expression, which must come next, has in its groups."""
        match = re.match(pattern, self.rest)
        if not match:
            raise Ended(self.rest)
        self.rest = self.rest[match.end():]
        return match.groups()

    def prompt(self, text):
        self.fed(re.escape(text))

    def said(self, limit, control=None):
        """(what the model says, the pattern that ends it): END or `control` outside of escapes, or END where the limit is."""
        depth = 0
        for match in PATTERNS.finditer(self.rest[:limit]):
            depth = max(0, depth + {"[Escape]": 1, "[EndEscape]": -1}.get(match[0], 0))
            if match[0] in (END, control):
                if depth == 0 or match.end() == limit:
                    self.cut += match.end() == limit
                    text, self.rest = self.rest[:match.start()], self.rest[match.end():]
                    return text, match[0]
                self.spoken_of += match[0] == control
        raise Ended(self.rest)


def read(stream, what, *arguments):
    """What `what` makes of the text of a stream; None where the budget ended it."""
    reader = Reader(stream["text"])
    try:
        found = what(reader, stream, *arguments)
    except Ended as error:
        check(stream["status"] == "BUDGET", f"a stream that is {stream['status']} goes on with {str(error)[:60]!r}")
        return None
    check(reader.rest == "", f"a stream says {reader.rest[:60]!r} after its end")
    check(stream["status"] == "DONE", f"a stream that is at its end is {stream['status']}")
    return found, reader


def read_all(name, report, what, *arguments):
    """What `what` makes of each stream that is done."""
    streams = json.loads(report.read_text())["streams"]
    found = [one for stream in streams if (one := read(stream, what, *arguments))]
    print(f"{name}_streams {len(streams)}, done {len(found)}")
    if not found:
        raise Failed(f"{name}: no stream came to its end")
    return streams, found


def same(stream, **extracts):
    for name, text in extracts.items():
        check(stream["extract"][name] == text, f"extract {name} is {stream['extract'][name]!r}, not {text!r}")


# Constitution


RULES = {"Say nothing that is not so.", "Harm nobody.", "Be kind.", "Be brief."}


def one_constitution(reader, stream, topic):
    """How often it was revised."""
    reader.prompt(f"[Prompt]Write two sentences about {topic}.[Answer]")
    reader.said(120)
    critique, revisions = "", 0
    while True:
        rules = reader.fed(r"\[Prompt\]Rules:\n(.+)\n(.+)\nIf the last version keeps them, say \[Escape\]\[Fine\]\[EndEscape\]. "
                           r"If not, say what is wrong with it.\[Answer\]")
        check(len(set(rules) & RULES) == 2, f"the rules are {rules}")
        text, end = reader.said(80, "[Fine]")
        critique += text
        if end == "[Fine]":
            break
        revisions += 1
        reader.prompt("[Prompt]Write it again, so that the critic is content.[Answer]")
        reader.said(120)
    reader.prompt("[Prompt]Now the version that is to be published.[Answer]")
    same(stream, critique=critique, final=reader.said(120)[0])
    return revisions


def constitution(report, topic):
    _, found = read_all("constitution", report, one_constitution, topic)
    revisions = [revised for revised, _ in found]
    print(f"constitution_revisions {min(revisions)} to {max(revisions)}, mean {sum(revisions) / len(revisions):.2f}")
    print(f"constitution_spoken_of {sum(reader.spoken_of for _, reader in found)} times [Fine] in escapes, which ends nothing")
    print(f"constitution_cut {sum(reader.cut for _, reader in found)} texts by a limit")


# Calculator


class Expression:
    """Exact arithmetic, by recursive descent."""

    def __init__(self, text):
        self.words = re.findall(r"\d+\.?\d*|\.\d+|\S", text)

    def next(self, *wanted):
        return self.words.pop(0) if self.words and self.words[0] in wanted else None

    def sum(self):
        left = self.product()
        while sign := self.next("+", "-"):
            right = self.product()
            left = left + right if sign == "+" else left - right
        return left

    def product(self):
        left = self.factor()
        while sign := self.next("*", "/"):
            right = self.factor()
            left = left * right if sign == "*" else left / right
        return left

    def factor(self):
        if sign := self.next("+", "-"):
            return self.factor() if sign == "+" else -self.factor()
        if self.next("("):
            inner = self.sum()
            if not self.next(")"):
                raise ValueError
            return inner
        return Fraction(self.words.pop(0))

    def value(self):
        found = self.sum()
        if self.words:
            raise ValueError
        return found


def is_answer(text, answer):
    try:
        exact = Expression(text).value()
    except ZeroDivisionError:
        # Which of two mistakes is met first depends on how it is read.
        return answer in ("division by zero", "no expression")
    except (ValueError, IndexError):
        return answer == "no expression"
    return bool(re.fullmatch(r"[-+.e\d]+", answer)) and abs(Fraction(answer) - exact) <= abs(exact) / 10 ** 9


def one_calculator(reader, stream, question):
    """What it asked and was answered."""
    reader.prompt(f"[Prompt]{question} You have a calculator.[Answer]I will use it.[End]")
    asked = []
    while True:
        reader.prompt("[Prompt]Is there more to calculate? If not, say [Escape][Enough][EndEscape].[Answer]")
        if reader.said(60, "[Enough]")[1] == "[Enough]":
            break
        reader.prompt("[Prompt]What? Numbers, + - * / and parentheses.[Answer]")
        text = reader.said(60)[0]
        reader.prompt("[Prompt]The calculator says:[Answer]")
        answer = reader.said(60)[0]
        check(is_answer(text, answer), f"{text!r} is not {answer!r}")
        asked.append((text, answer))
    reader.prompt("[Prompt]So the answer is:[Answer]")
    last = reader.said(60)[0]
    check(last == (asked[-1][1] if asked else ""), f"the last answer is {last!r}, not that of {asked[-1:]}")
    same(stream, answer=last, results="".join(f"{text}{END}{answer}{END}" for text, answer in asked))
    requests = [request["text"] for request in stream["requests"]]
    check(requests == [text for text, _ in asked], f"the tool was asked {requests}, not {asked}")
    return asked


def calculator(report, question):
    _, found = read_all("calculator", report, one_calculator, question)
    asked = [one for each, _ in found for one in each]
    wrong = sum(not re.fullmatch(r"[-+.e\d]+", answer) for _, answer in asked)
    print(f"calculator_requests {len(asked)}, of which {wrong} have no value")


# Vote


def one_vote(reader, stream, question):
    """The number it ends with."""
    reader.prompt(f"[Prompt]{question} Think about it, step by step.[Answer]")
    thought = reader.said(200)[0]
    reader.prompt(f"[Prompt]So, in one number: {question}[Answer]")
    answer = reader.said(40)[0]
    same(stream, thought=thought, answer=answer)
    return ["", *"".join(character if character.isdigit() else " " for character in answer).split()][-1]


def the_vote(report, question):
    streams, found = read_all("vote", report, one_vote, question)
    said = [number for number, _ in found if number]
    counts = dict(vote.votes(streams))
    for number, count in counts.items():
        check(count == said.count(str(number)), f"{count} streams vote for {number}, and {said.count(str(number))} say so")
    check(sum(counts.values()) == len(said), f"{len(said)} streams vote, and {sum(counts.values())} votes are counted")
    print(f"vote_texts {len({stream['text'] for stream in streams})} different ones")
    print("vote_counts " + ", ".join(f"{count} for {number}" for number, count in counts.items()))
    print(f"vote_winner {max(counts, key=counts.get)}")


# Card


def one_card(reader, stream, book):
    """The object that its text makes."""
    reader.prompt(f"[Prompt]{book}[Answer]I have read it.[End]")
    reader.prompt('[Prompt]What is its title?[Answer]{"title": "')
    title = reader.said(60)[0]
    reader.prompt('[Prompt]Who wrote it?[Answer]", "authors": ["')
    authors = [reader.said(60)[0]]
    while True:
        reader.prompt("[Prompt]Did anybody else write it? Say [Escape][No][EndEscape] if not.[Answer]")
        if reader.said(60, "[No]")[1] == "[No]":
            break
        reader.prompt('[Prompt]Who?[Answer]", "')
        authors.append(reader.said(60)[0])
    reader.prompt("[Prompt]Has it happened? Say [Escape][No][EndEscape] if not.[Answer]")
    fiction = reader.said(60, "[No]")[1] == "[No]"
    reader.prompt(f'[Prompt]So the card says:[Answer]"], "fiction": {json.dumps(fiction)}}}[End]')
    card = {"title": title, "authors": authors, "fiction": fiction}
    parsed = json.loads(stream["extract"]["card"])
    check(parsed == card, f"the card is {parsed}, not {card}")
    same(stream, title=title)
    return card


def card(report, book):
    _, found = read_all("card", report, one_card, book)
    cards = [one for one, _ in found]
    print(f"card_authors 1 to {max(len(one['authors']) for one in cards)}, all {len(cards)} cards are JSON")
    print(f"card_fiction {sum(one['fiction'] for one in cards)} of {len(cards)}")
    print(f"card_first {json.dumps(cards[0])}")
