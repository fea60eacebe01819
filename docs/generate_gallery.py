"""Draw the gallery: run the code on its pages, save the pictures, write the page of cards.

``make docs`` runs it.  The code that a page shows is the code that draws: every section of a
page in ``docs/gallery`` has one block of code, which leaves a ``figure``, and one picture, which is
that figure.  A picture is written again only where it looks different, so that running this twice
changes nothing.
"""

from __future__ import annotations

import doctest
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from cycler import cycler
from PIL import Image, PngImagePlugin

matplotlib.use("Agg")  # a window is never opened

FOLDER = Path(__file__).parent / "gallery"
PAGES = (
    "shares",
    "numbers",
    "more-than-a-number",
    "several-questions",
    "comparing",
    "before-and-behind",
)
"""The pages, in the order of the cards."""

SIZE, DPI = (1200, 750), 200
STYLE: dict[Any, Any] = {
    "font.size": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=["#1f4e79", "#e69f00", "#009e73", "#56b4e9", "#cc79a7"]),
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "legend.fontsize": "small",
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.12,
    "figure.constrained_layout.h_pad": 0.12,
}
"""What a block that draws with matplotlib itself need not say, and the size of letters for all."""

SOFTWARE = f"matplotlib {matplotlib.__version__}"
"""Written into a picture: another version may place letters otherwise."""

_SECTION = re.compile(r"^## (?P<title>.+)\n(?P<text>(?:(?!^## ).*\n)*)", re.MULTILINE)
_BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"^!\[(?P<alt>[^\]]+)\]\(images/(?P<name>[a-z-]+)\.png\)$", re.MULTILINE)
_SENTENCE = re.compile(r"(.+?[.?])(?=\s|$)", re.DOTALL)
_COLORS = 64
_SEEN, _MANY = 24, 60
"""Levels by which a pixel looks different, and how many such pixels make another picture."""

_HEAD = """\
---
hide:
  - toc
---

# Gallery

One picture and about ten lines of code for each kind of question. People are made up, so the truth is known and drawn
beside the answer, in red. Randomness is `Seeded`, so that you get the same pictures: such reports are marked as simulated,
and no client, upload or store takes them. What stands on a page is what drew its picture, but for the size of the letters: copy it, and
ask your own question.
"""


@dataclass(frozen=True)
class Entry:
    """One question: where it stands, what it says, its code and its picture."""

    page: str
    title: str
    text: str
    code: str
    alt: str
    name: str

    @property
    def anchor(self) -> str:
        """Where its section is, as the site names it."""
        letters = re.sub(r"[^\w\s-]", "", self.title.lower())
        return f"{self.page}.md#" + re.sub(r"[-\s]+", "-", letters).strip("-")

    @property
    def picture(self) -> Path:
        """The file of its picture."""
        return FOLDER / "images" / f"{self.name}.png"

    @property
    def question(self) -> str:
        """The first sentence."""
        return " ".join(_SENTENCE.findall(self.text)[0].split())

    @property
    def lines(self) -> int:
        """How many lines of code it takes."""
        return sum(example.source.count("\n") for example in self.examples)

    @property
    def examples(self) -> list[doctest.Example]:
        """Its code, statement by statement, with what each prints."""
        return doctest.DocTestParser().get_examples(self.code)

    def figure(self) -> Any:
        """The figure that its code leaves, run with nothing but what it says."""
        names: dict[str, Any] = {}
        with matplotlib.rc_context(STYLE):
            for example in self.examples:
                exec(compile(example.source, f"{self.page}.md", "single"), names)  # noqa: S102
        return names["figure"]

    def draw(self) -> Image.Image:
        """Its picture, in few colors: letters and lines need no more, and the file is small."""
        figure = self.figure()
        figure.set_size_inches(SIZE[0] / DPI, SIZE[1] / DPI)
        drawn = io.BytesIO()
        with matplotlib.rc_context(STYLE):
            figure.savefig(drawn, format="png", dpi=DPI, facecolor="white")
        return Image.open(drawn).convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)


def entries() -> Iterator[Entry]:
    """All entries, in the order of the pages."""
    for page in PAGES:
        text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
        for section in _SECTION.finditer(text):
            blocks = _BLOCK.findall(section["text"])
            pictures = list(_PICTURE.finditer(section["text"]))
            if len(blocks) != 1 or len(pictures) != 1:
                raise ValueError(f"{page}.md, {section['title']}: needs one block and one picture")
            alt, name = pictures[0]["alt"], pictures[0]["name"]
            yield Entry(page, section["title"], section["text"], blocks[0], alt, name)


def index() -> str:
    """The page of cards."""
    parts = [_HEAD]
    for page in PAGES:
        text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
        cards = "\n".join(_card(entry) for entry in entries() if entry.page == page)
        heading = text.splitlines()[0].removeprefix("# ")
        parts.append(f'## {heading}\n\n<div class="grid cards" markdown>\n\n{cards}\n</div>\n')
    return "\n".join(parts)


def _card(entry: Entry) -> str:
    picture = f"images/{entry.picture.name}"
    return (
        f"-   [![{entry.alt}]({picture})]({entry.anchor})\n\n"
        f"    **[{entry.title}]({entry.anchor})**\n\n"
        f"    {entry.question}\n"
    )


def differs(one: Image.Image, other: Image.Image) -> bool:
    """Whether two pictures look different."""
    if one.size != other.size:
        return True
    a, b = (np.asarray(each.convert("L"), dtype=np.int16) for each in (one, other))
    return int(np.count_nonzero(abs(a - b) > _SEEN)) > _MANY


def main() -> None:
    """Draw what is new, remove what no page shows, write the cards."""
    (FOLDER / "images").mkdir(exist_ok=True)
    wanted = set()
    for entry in entries():
        wanted.add(entry.picture)
        drawn = entry.draw()
        if not entry.picture.exists() or differs(drawn, Image.open(entry.picture)):
            said = PngImagePlugin.PngInfo()
            said.add_text("Software", SOFTWARE)
            drawn.save(entry.picture, optimize=True, pnginfo=said)
            print(f"drew {entry.picture.name}, {entry.picture.stat().st_size:,} bytes")
    for stale in set((FOLDER / "images").glob("*.png")) - wanted:
        stale.unlink()
        print(f"removed {stale.name}, which no page shows")
    page = FOLDER / "index.md"
    if not page.exists() or page.read_text(encoding="utf-8") != index():
        page.write_text(index(), encoding="utf-8")
        print("wrote index.md")


if __name__ == "__main__":
    main()
