"""Compares what a page looks like with pictures that are kept.

  pictures.py FOLDER            the pages of plans of test/compat, which never change
  pictures.py FOLDER --write    keeps what is seen now; look at it before you commit it

A picture is kept at half the size, so that the edges of letters, which versions of a browser
draw differently, are blurred. A page that has moved by two pixels, or lost a word, differs.
"""

import io
import pathlib
import subprocess
import sys

from browser import Browser
from PIL import Image, ImageChops

HERE = pathlib.Path(__file__).resolve().parent
PLANS = HERE.parents[1] / "compat"
KEPT = HERE / "pictures"
# Name -> plan, fragment, theme.
VIEWS = {
    "graph": ("repeat-1.7", "select=command-4", "light"),
    "commands-dark": ("repeat-1.7", "view=commands&select=command-6", "dark"),
    "memory": ("while-1.12", "view=memory&select=value-1", "light"),
}
MOST_MEAN, MOST_PIXELS, PIXEL = 1.0, 0.005, 40  # Of 255; a share of the pixels that differ by PIXEL.


def look(browser, folder, plan, fragment, theme):
    page = folder / f"{plan}.html"
    subprocess.run(["gpuvm-plan", "html", PLANS / f"{plan}.gvplan", "-o", page], check=True)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
    browser.open(page, fragment)
    picture = Image.open(io.BytesIO(browser.picture())).convert("RGB")
    return picture.resize((picture.width // 2, picture.height // 2), Image.Resampling.BOX)


def difference(a, b):
    """The mean difference of two pictures, and the share of pixels that differ much."""
    if a.size != b.size:
        return 255, 1
    histogram = ImageChops.difference(a, b).convert("L").histogram()
    count = sum(histogram)
    return sum(value * n for value, n in enumerate(histogram)) / count, sum(histogram[PIXEL:]) / count


def is_same(a, b):
    mean, share = difference(a, b)
    return mean <= MOST_MEAN and share <= MOST_PIXELS


def main():
    folder, write = pathlib.Path(sys.argv[1]), "--write" in sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    wrong = []
    with Browser() as browser:
        for name, view in VIEWS.items():
            seen = look(browser, folder, *view)
            seen.save(folder / f"{name}.png")
            if write:
                KEPT.mkdir(exist_ok=True)
                seen.save(KEPT / f"{name}.png", optimize=True)
                continue
            kept = Image.open(KEPT / f"{name}.png").convert("RGB")
            print(name, "differs by %.2f of 255, %.3f %% of the pixels much" % (difference(kept, seen)[0], 100 * difference(kept, seen)[1]))
            if not is_same(kept, seen):
                wrong.append(name)
            # What the comparison must see: the page two pixels further down.
            assert not is_same(kept, ImageChops.offset(seen, 0, 1)), "a page that has moved is the same"
    if wrong:
        sys.exit(f"{', '.join(wrong)}: not as it was; see the pictures in {folder} (pictures.py --write keeps them)")
    print("check ok")


if __name__ == "__main__":
    main()
