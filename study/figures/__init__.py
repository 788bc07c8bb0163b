"""All figures of the paper that some rows can draw."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from study.design import Design
from study.figures.illustrations import (
    CAPTION_2_1,
    CAPTION_2_2,
    CAPTION_2_3,
    figure_2_1,
    figure_2_2,
    figure_2_3,
)
from study.figures.results import (
    CAPTION_3_1,
    CAPTION_3_1_GENES,
    CAPTION_3_2,
    CAPTION_A_1,
    figure_3_1,
    figure_3_2,
    figure_a_1,
)
from study.results import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawn:
    """A figure, what it is called, and what it shows."""

    title: str
    figure: "Figure"
    caption: str

    @property
    def name(self) -> str:
        """The title as the name of a file: figure-3-1."""
        return re.sub(r"\W+", "-", self.title.lower())


def draw_figures(rows: Sequence[Row], design: Design) -> Iterator[Drawn]:
    """Draw what explains the method, and what the rows show; figures without rows are left out."""
    genes = partial(figure_3_1, data="HG-194-genes")
    measured: dict[str, tuple[Callable[..., Figure | None], str]] = {
        "Figure 3.1": (figure_3_1, CAPTION_3_1),
        "Figure 3.1, by genes": (genes, CAPTION_3_1_GENES),
        "Figure 3.2": (figure_3_2, CAPTION_3_2),
        "Figure A.1": (figure_a_1, CAPTION_A_1),
    }
    yield Drawn("Figure 2.1", figure_2_1(), CAPTION_2_1)
    yield Drawn("Figure 2.2", figure_2_2(), CAPTION_2_2)
    yield Drawn("Figure 2.3", figure_2_3(), CAPTION_2_3)
    for title, (draw, caption) in measured.items():
        figure = draw(rows, design=design)
        if figure is not None:
            yield Drawn(title, figure, caption)
