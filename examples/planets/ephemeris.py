"""Where the bodies are: from DE421, or from a table of a few days of it.

DE421 (Folkner, Williams and Boggs, The planetary and lunar ephemeris DE 421, IPN Progress Report 42-178, 2009) is
the package `de421`, read by `jplephem`; G times the masses are constants of it. A table is a file of comma separated
values with the columns COLUMNS, a row for each body and day.
"""

import csv
import math

import numpy as np

BODIES = ["sun", "mercury", "venus", "earth", "moon", "mars", "jupiter", "saturn", "uranus", "neptune", "pluto"]
COLUMNS = ["date", "body", "gm", "x", "y", "z", "vx", "vy", "vz"]
AU = 149597870.6996262  # km, the constant AU of DE421
START = 2451545.0  # J2000: noon of 1 January 2000, barycentric dynamical time


class BadData(Exception):
    """What cannot be run, as a sentence."""


class De421:
    def __init__(self):
        try:
            import de421
            import jplephem
        except ImportError as missing:
            raise BadData(f"The ephemeris is not there ({missing}); pip install --require-hashes -r examples/planets/requirements.txt.") from missing
        self.data = jplephem.Ephemeris(de421)
        moon = 1 / (1 + self.data.EMRAT)
        earth_and_moon = self.data.GMB
        others = [getattr(self.data, f"GM{number}") for number in (4, 5, 6, 7, 8, 9)]
        self.gm = np.array([self.data.GMS, self.data.GM1, self.data.GM2, earth_and_moon * (1 - moon), earth_and_moon * moon, *others])

    def state(self, date, days=0.0):
        """(places, speeds), each [3, bodies] in au and au / day; TDB from the barycentre, in the axes of the ICRF."""
        first, last = self.data.jalpha, self.data.jomega
        if not first <= date + days <= last:
            raise BadData(f"The date {date + days} is outside of DE421 ({first} to {last}).")
        found = {name: [part[:, 0] / AU for part in self.data.position_and_velocity(name, date, days)]
                 for name in self.data.names if name in BODIES or name == "earthmoon"}
        # What DE421 has is the barycentre of earth and moon, and the moon from the earth.
        both, away = found["earthmoon"], found["moon"]
        found["earth"] = [b - a * self.data.earth_share for a, b in zip(away, both)]
        found["moon"] = [e + a for e, a in zip(found["earth"], away)]
        return tuple(np.stack([found[name][part] for name in BODIES], axis=1) for part in (0, 1))


class Table:
    def __init__(self, file):
        self.file = file
        try:
            with open(file, newline="", encoding="utf-8") as text:
                rows = list(csv.reader(text))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise BadData(f"The table cannot be read: {error}.") from error
        if not rows or rows[0] != COLUMNS:
            raise BadData(f'The table "{file}" does not begin with the columns {",".join(COLUMNS)}.')
        self.rows = {}
        for number, row in enumerate(rows[1:], start=2):
            date, body, numbers = self.parsed(row, number)
            if (date, body) in self.rows:
                raise BadData(f'Line {number} of "{file}" has {body} a second time.')
            self.rows[date, body] = numbers
        self.gm = self.of(min(date for date, _ in self.rows))[0] if self.rows else None
        if self.gm is None:
            raise BadData(f'The table "{file}" has no rows.')

    def parsed(self, row, number):
        place = f'Line {number} of "{self.file}"'
        if len(row) != len(COLUMNS):
            raise BadData(f"{place} has {len(row)} columns, not {len(COLUMNS)}.")
        if row[1] not in BODIES:
            raise BadData(f'{place} has the body "{row[1]}", which is none of {", ".join(BODIES)}.')
        try:
            values = [float(text) for text in (row[0], *row[2:])]
        except ValueError as error:
            raise BadData(f"{place} holds what is no number ({error}).") from error
        if not all(map(math.isfinite, values)):
            raise BadData(f"{place} holds a number that is not finite.")
        if values[1] <= 0:
            raise BadData(f"{place} has a mass that is not positive ({values[1]}).")
        return values[0], row[1], np.array(values[1:])

    def of(self, date):
        missing = [body for body in BODIES if (date, body) not in self.rows]
        if missing:
            raise BadData(f'The table "{self.file}" lacks {missing[0]} at {date}.')
        found = np.stack([self.rows[date, body] for body in BODIES], axis=1)
        return found[0], found[1:4], found[4:]

    def state(self, date, days=0.0):
        return self.of(date + days)[1:]


def write_table(file, source, dates):
    with open(file, "w", newline="", encoding="utf-8") as text:
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(COLUMNS)
        for date in dates:
            q, v = source.state(date)
            for body, name in enumerate(BODIES):
                numbers = [source.gm[body], *q[:, body], *v[:, body]]
                rows.writerow([repr(float(date)), name, *(repr(float(number)) for number in numbers)])
