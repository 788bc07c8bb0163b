"""Objects and prototypes in two dimensions, as SVG in which each tells of itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from relrbf._typing import Array
from relrbf.plotting.style import COLOURS

WIDTH, HEIGHT, MARGIN = 560, 420, 22
SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.4 3.2H-4.4z",
    "M0 4.8L4.4-3.2H-4.4z",
    "M0-5L5 0L0 5L-5 0z",
    "M-1.5-4.6h3v3.1h3.1v3h-3.1v3.1h-3v-3.1h-3.1v-3h3.1z",
    "M-4.6-2.5l2.1-2.1L0-2.1l2.5-2.5 2.1 2.1L2.1 0l2.5 2.5-2.1 2.1L0 2.1l-2.5 2.5-2.1-2.1L-2.1 0z",
    "M0-5.2L1.5-1.7L5-1.6L2.3.8L3.2 4.4L0 2.3L-3.2 4.4L-2.3.8L-5-1.6L-1.5-1.7z",
)
PROTOTYPE = "M-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0zM-2.5 0h5M0-2.5v5"
MOST_LARGE, LEAST_SIZE = 20, 0.45  # prototypes with room for large circles; of many, their size
STEPS = ("#0072B2", "#56B4E9", "#999999", "#E69F00", "#D55E00")  # from low to high
WRONG = ' class="mark wrong"'
RIGHT = ' class="mark"'


@dataclass(frozen=True)
class Marks:
    """Places (n × 2) with a text, a colour and a shape for each, and who is wrong."""

    places: Array
    texts: Sequence[str]
    groups: np.ndarray
    is_wrong: np.ndarray


@dataclass(frozen=True)
class Legend:
    """What a colour and a shape mean, by group; groups may be steps of a scale."""

    names: Sequence[str]
    is_ordered: bool = False
    has_wrong: bool = False
    has_prototypes: bool = False

    def fill(self, group: int) -> str:
        """Return the colour of a group."""
        colours = STEPS if self.is_ordered else COLOURS
        return f'fill="{colours[group % len(colours)]}"'

    def shape(self, group: int) -> str:
        """Return its shape, such that no colour meets the same one again soon."""
        return SHAPES[0 if self.is_ordered else (group + group // len(COLOURS)) % len(SHAPES)]


def field(objects: Marks, prototypes: Marks | None, legend: Legend, alt: str) -> str:
    """Return the drawing; prototypes outside of the frame stand at its edge."""
    framed = Extent.around(objects.places)
    places = framed.put(objects.places)
    on_top = np.argsort(objects.is_wrong, kind="stable")  # the wrong ones
    drawn = [_object(objects, places, int(i), legend) for i in on_top]
    if prototypes is not None:
        size = max(LEAST_SIZE, min(1.0, float(np.sqrt(MOST_LARGE / len(prototypes.places)))))
        drawn += [
            _mark(place, text, PROTOTYPE, ' class="mark prototype"', size=size)
            for place, text in zip(framed.put(prototypes.places), prototypes.texts, strict=True)
        ]
    return (
        f'<div class="stage"><svg class="field" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" '
        f'aria-label="{escape(alt)}">{"".join(drawn)}</svg></div>{_legend(legend)}'
    )


@dataclass(frozen=True)
class Extent:
    """The part of the plane that is shown, the same scale on both axes."""

    middle: Array
    scale: float

    @classmethod
    def around(cls, places: Array) -> "Extent":
        """Hold all places."""
        low, high = places.min(axis=0), places.max(axis=0)
        room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
        sizes = high - low
        scales = [r / size for r, size in zip(room, sizes, strict=True) if size > 0]
        return cls((low + high) / 2, min(scales, default=1.0))

    def put(self, places: Array) -> Array:
        """Return where places are on the drawing."""
        centre = np.array([WIDTH, HEIGHT]) / 2
        there = centre + self.scale * (places - self.middle) * [1, -1]
        return np.clip(there, MARGIN / 2, [WIDTH - MARGIN / 2, HEIGHT - MARGIN / 2])

    def n_outside(self, places: Array) -> int:
        """Return how many places lie outside."""
        half = (np.array([WIDTH, HEIGHT]) / 2 - MARGIN / 2) / self.scale
        return int(np.count_nonzero((np.abs(places - self.middle) > half).any(axis=1)))


def _object(objects: Marks, places: Array, i: int, legend: Legend) -> str:
    group = objects.groups[i]
    look = f"{WRONG if objects.is_wrong[i] else RIGHT} {legend.fill(group)}"
    return _mark(places[i], objects.texts[i], legend.shape(group), look, first=i == 0)


def _mark(
    place: Array, text: str, shape: str, look: str, *, first: bool = False, size: float = 1.0
) -> str:
    there = f"translate({place[0]:.1f} {place[1]:.1f})"
    if size < 1:
        there += f" scale({size:.2f})"
    return (
        f'<path d="{shape}" transform="{there}"{look} role="img" '
        f'tabindex="{0 if first else -1}"><title>{escape(text)}</title></path>'
    )


def _legend(legend: Legend) -> str:
    keys = [
        (name, f'<path d="{legend.shape(k)}" {legend.fill(k)}/>')
        for k, name in enumerate(legend.names)
    ]
    if legend.has_wrong:
        keys.append(("wrong when held out", f'<path d="{SHAPES[0]}"{WRONG} fill="none"/>'))
    if legend.has_prototypes:
        keys.append(("prototype", f'<path d="{PROTOTYPE}" class="mark prototype"/>'))
    items = (
        f'<li><svg viewBox="-8 -8 16 16" aria-hidden="true">{svg}</svg>{escape(name)}</li>'
        for name, svg in keys
    )
    return f'<ul class="legend" aria-label="Legend">{"".join(items)}</ul>'
