"""A plot of the rows that have a limit: bars of its fraction, targets and peers as marks.

Plain SVG, so that it needs no package and looks the same everywhere.
"""

from html import escape

LABEL, WIDTH, LINE, BAR = 330, 560, 20, 12
TOP, MOST = 60, 1.2  # the axis ends at 120 %
COLORS = {"met": "#2a7f62", "missed": "#c0504d", "none": "#5b7fa6"}


def text(x, y, words, anchor="start", size=11, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}">{escape(words)}</text>')


def position(fraction):
    return LABEL + WIDTH * min(fraction, MOST) / MOST


def mark(fraction, y, color, name):
    x = position(fraction)
    return (f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 2:.1f}" y2="{y + BAR + 2:.1f}" '
            f'stroke="{color}" stroke-width="2"><title>{escape(name)}</title></line>')


def bar(row, y):
    """One row: its bar, the target as a black mark, device times of peers as orange ones."""
    judged = {True: "met", False: "missed", None: "none"}[row["met"]]
    width = position(row["fraction"]) - LABEL
    parts = [text(LABEL - 6, y + BAR - 2, row["what"], "end"),
             f'<rect x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{COLORS[judged]}"/>',
             text(LABEL + width + 4, y + BAR - 2, f"{100 * row['fraction']:.0f} %", size=10)]
    if row["target"] and row["target"]["of"] == "limit":
        parts.append(mark(row["target"]["fraction"], y, "#000000", "target"))
    for peer, times in row["peers"].items():
        if "device_us" in times:
            parts.append(mark(row["limit_us"] / times["device_us"]["median"], y, "#e69f00", peer))
    return parts


def axis(height):
    parts = []
    for percent in range(0, 101, 20):
        x = position(percent / 100)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height}" stroke="#dddddd"/>')
        parts.append(text(x, TOP - 12, f"{percent} %", "middle", 10))
    return parts


def svg(where, results):
    """The text of the picture, or "" if no row has a limit."""
    drawn, y = [], TOP
    for result in results.values():
        rows = [row for row in result["rows"] if row.get("fraction")]
        if not rows:
            continue
        drawn.append(text(8, y + BAR, result["title"], size=13, weight="bold"))
        y += LINE
        for row in rows:
            drawn += bar(row, y)
            y += LINE
    if not drawn:
        return ""
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + WIDTH + 60}" height="{y + 12}" '
            'font-family="sans-serif">', '<rect width="100%" height="100%" fill="#ffffff"/>',
            text(8, 20, f"Fraction of the limit: {where['device']}", size=14, weight="bold"),
            text(8, 36, "green: target met, red: missed, blue: none set; black mark: target; "
                 "orange mark: peer")]
    return "\n".join(head + axis(y) + drawn + ["</svg>"]) + "\n"
