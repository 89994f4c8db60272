"""A plot of how a rate grows: panels side by side, both axes in powers of ten. Plain SVG, as plot.py."""

import math

import plot

WIDTH, HEIGHT, LEFT, TOP, LINE = 420, 300, 70, 40, 16
COLORS = ("#2a7f62", "#c0504d", "#5b7fa6", "#e69f00", "#7b5aa6", "#444444")


def decades(values):
    """The powers of ten around them."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return list(range(low, max(high, low + 1) + 1))


def place(value, marks, begin, length):
    return begin + length * (math.log10(value) - marks[0]) / (marks[-1] - marks[0])


def line(x1, y1, x2, y2):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#dddddd"/>'


def axes(left, marks_x, marks_y, what):
    parts = []
    for mark in marks_x:
        x = place(10 ** mark, marks_x, left, WIDTH)
        parts += [line(x, TOP, x, TOP + HEIGHT), plot.text(x, TOP + HEIGHT + 14, f"1e{mark}", "middle", 10)]
    for mark in marks_y:
        y = place(10 ** mark, marks_y, TOP + HEIGHT, -HEIGHT)
        parts += [line(left, y, left + WIDTH, y), plot.text(left - 6, y + 4, f"1e{mark}", "end", 10)]
    return [*parts, plot.text(left + WIDTH / 2, TOP + HEIGHT + 32, what, "middle")]


def panel(left, what, series, marks_y, colors):
    marks_x = decades([x for points in series.values() for x, _ in points])
    parts = axes(left, marks_x, marks_y, what)
    for name, points in series.items():
        places = [(place(x, marks_x, left, WIDTH), place(y, marks_y, TOP + HEIGHT, -HEIGHT)) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colors[name]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colors[name]}"/>' for x, y in places]
    return parts


def svg(title, panels):
    """`panels` is {what the axis counts: {name: [(x, rate)]}}; "" if there is nothing to show."""
    panels = {what: series for what, series in panels.items() if series}
    if not panels:
        return ""
    names = list(dict.fromkeys(name for series in panels.values() for name in series))
    colors = {name: COLORS[i % len(COLORS)] for i, name in enumerate(names)}
    marks_y = decades([y for series in panels.values() for points in series.values() for _, y in points])
    width, foot = len(panels) * (WIDTH + LEFT) + 20, TOP + HEIGHT + 52
    drawn = [plot.text(8, 20, title, size=14, weight="bold")]
    for i, (what, series) in enumerate(panels.items()):
        drawn += panel(LEFT + i * (WIDTH + LEFT), what, series, marks_y, colors)
    for i, name in enumerate(names):
        drawn += [f'<rect x="{LEFT}" y="{foot + i * LINE - 9}" width="10" height="10" fill="{colors[name]}"/>',
                  plot.text(LEFT + 16, foot + i * LINE, name)]
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{foot + len(names) * LINE}" font-family="sans-serif">',
            '<rect width="100%" height="100%" fill="#ffffff"/>']
    return "\n".join([*head, *drawn, "</svg>"]) + "\n"
