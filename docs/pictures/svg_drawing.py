"""Boxes, arrows, lines and words for figures.

They follow the reader's light or dark look, on a paper of their own: a page may have another look than the reader's system.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

STYLE = """\
<style>
.paper { fill: #fbfaf7 }
text { fill: #1b2733; font-size: 13px }
.small { font-size: 11.5px; fill: #4a5b6c }
.bold { font-weight: bold }
.box { fill: #eef2f7; stroke: #56708f }
.strong { fill: #d6e4f5; stroke: #2f5f9e }
.warm { fill: #fbe9d9; stroke: #b5651d }
.frame { fill: none; stroke: #56708f; stroke-dasharray: 5 4 }
.line { fill: none; stroke: #56708f }
.first { fill: none; stroke: #2f5f9e; stroke-width: 2 }
.second { fill: none; stroke: #b5651d; stroke-width: 2; stroke-dasharray: 6 3 }
.dot { fill: #2f5f9e }
.grid { stroke: #56708f; stroke-opacity: .25 }
.tip { fill: #56708f }
@media (prefers-color-scheme: dark) {
  .paper { fill: #16181b }
  text { fill: #e6edf5 }
  .small { fill: #b3c1cf }
  .box { fill: #22303f; stroke: #8aa4c2 }
  .strong { fill: #23406b; stroke: #8fb5ea }
  .warm { fill: #51351d; stroke: #e2a56c }
  .frame, .line { stroke: #8aa4c2 }
  .first { stroke: #8fb5ea }
  .second { stroke: #e2a56c }
  .dot { fill: #8fb5ea }
  .grid { stroke: #8aa4c2 }
  .tip { fill: #8aa4c2 }
}
</style>
<defs>
<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
<path class="tip" d="M0 0L8 4L0 8z"/>
</marker>
</defs>"""
LINE = 17
"""Pixels from one line of words to the next."""


@dataclass
class Drawing:
    """A picture of some width and height in pixels; its parts are drawn in the order in which they are added."""

    width: int
    height: int
    about: str
    """What it shows, for people who can't see it."""
    _parts: list[str] = field(default_factory=list)

    def box(self, place: tuple[float, float, float, float], lines: Sequence[str], kind: str = "box") -> None:
        """A box, by its left, top, width and height, with its words in the middle; the first line is bold if there are several."""
        x, y, width, height = place
        self._parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>')
        top = y + height / 2 - (len(lines) - 1) * LINE / 2 + 5
        for number, line in enumerate(lines):
            kinds = "bold" if number == 0 and len(lines) > 1 else "small" if number else ""
            self.words(x + width / 2, top + number * LINE, line, kinds, "middle")

    def frame(self, x: float, y: float, width: float, height: float, title: str) -> None:
        """A dashed frame around other things, with its title at the top left."""
        self._parts.append(f'<rect class="frame" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8"/>')
        self.words(x + 10, y + 18, title, "small")

    def words(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """A line of words; ``y`` is where they stand."""
        kinds = f' class="{kind}"' if kind else ""
        self._parts.append(f'<text{kinds} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>')

    def arrow(self, *points: tuple[float, float], label: str = "", both: bool = False) -> None:
        """An arrow through the points, with words above its middle."""
        path = "L".join(f"{x:g} {y:g}" for x, y in points)
        start = ' marker-start="url(#tip)"' if both else ""
        self._parts.append(f'<path class="line" d="M{path}" marker-end="url(#tip)"{start}/>')
        if label:
            (x, y), (there, under) = points[0], points[-1]
            self.words((x + there) / 2, (y + under) / 2 - 6, label, "small", "middle")

    def fall(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """An arrow in a curve, from the lower edge of a box to the upper edge of one that stands below."""
        (x, y), (there, under) = start, end
        middle = (y + under) / 2
        path = f"M{x:g} {y:g}C{x:g} {middle:g} {there:g} {middle:g} {there:g} {under:g}"
        self._parts.append(f'<path class="line" d="{path}" marker-end="url(#tip)"/>')

    def curve(self, points: Iterable[tuple[float, float]], kind: str = "first") -> None:
        """A line through the points."""
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self._parts.append(f'<path class="{kind}" d="M{path}"/>')

    def dot(self, x: float, y: float) -> None:
        """A dot."""
        self._parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')

    def svg(self) -> str:
        """The picture."""
        size = f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" role="img" aria-label="{escape(self.about)}"'
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif">'
        paper = f'<rect class="paper" width="{self.width}" height="{self.height}" rx="8"/>'
        return "\n".join([opening, STYLE, paper, *self._parts, "</svg>", ""])
